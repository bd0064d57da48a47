/* Files that a scene carries within itself. Readers of surfaces and meshes open files by their paths, and look for
 * others beside them (materials, textures): so for as long as a scene is built they are files, in a folder of their
 * own. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "base/file.h"
#include "base/result.h"
#include "scene/base64.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lbResult write_one(const lbSceneDef* def, const lbSceneFile* carried, const char* folder) {
    char path[1024];
    lbBytes bytes;
    lbFile file;
    snprintf(path, sizeof(path), "%s/%s", folder, carried->name);
    LB_TRY(lb_decode_base64(def->host, carried->base64, &bytes));
    lbResult result = lb_open_file(def->host, path, &file);
    if (result.code == lb_ok) {
        lb_write(&file, bytes.data, bytes.size);
        result = lb_commit_file(&file);
    }
    lb_free_bytes(def->host, &bytes);
    return result;
}

lbResult lb_unpack_files(const lbSceneDef* def, char* folder, size_t size) {
    folder[0] = 0;
    if (def->fileCount == 0) {
        return lb_success();
    }
    const char* place = getenv("TMPDIR");
    place = place != NULL && place[0] != 0 ? place : "/tmp";
    int length = snprintf(folder, size, "%s/limber-files-XXXXXX", place);
    if (length < 0 || (size_t)length >= size || mkdtemp(folder) == NULL) {
        folder[0] = 0;
        return lb_error(lb_errorFile, "files: no folder for them could be made in %.200s", place);
    }
    for (int i = 0; i < def->fileCount; ++i) {
        LB_TRY(lb_in_context(write_one(def, &def->files[i], folder), "files.%s", def->files[i].name));
    }
    return lb_success();
}

void lb_remove_unpacked(const lbSceneDef* def, const char* folder, char* message) {
    if (folder[0] == 0) {
        return;
    }
    for (int i = 0; i < def->fileCount; ++i) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", folder, def->files[i].name);
        unlink(path);
    }
    rmdir(folder);
    size_t length = strlen(folder);
    for (char* found; (found = strstr(message, folder)) != NULL;) { /* people know files by their names */
        const char* rest = found + length + (found[length] == '/');
        memmove(found, rest, strlen(rest) + 1);
    }
}
