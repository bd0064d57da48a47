/* In place of the reader, in builds without Jansson. */
#include "base/result.h"
#include "scene/scene_def.h"

lbResult lb_read_scene_def(const lbHost* host, const char* text, size_t size, const char* file, lbSceneDef** def) {
    (void)host, (void)text, (void)size;
    *def = NULL;
    return lb_error(lb_errorUnsupported, "%s: this build has no scene reader (Jansson)", file);
}
