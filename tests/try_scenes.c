/* For check_scene_schema.py: reads scenes from standard input, one on each line, and says on a line each what the
 * reader makes of them: "ok" or the error. Nothing is built from them. */
#include "scene/scene_def.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

int main(void) {
    char* line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        lbSceneDef* def = NULL;
        lbResult result = lb_read_scene_def(lb_resolve_host(NULL), line, (size_t)length, "scene", &def);
        lb_free_scene_def(def);
        puts(result.code == lb_ok ? "ok" : result.message);
    }
    free(line);
    return 0;
}
