#include "server/work_folder.h"

#include "base/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lbResult lb_create_work_folder(lbWorkFolder* folder) {
    const char* place = getenv("TMPDIR");
    place = place != NULL && place[0] != 0 ? place : "/tmp";
    *folder = (lbWorkFolder){0};
    if (strlen(place) > PATH_MAX - 64) {
        return lb_error(lb_errorFile, "TMPDIR is too long");
    }
    snprintf(folder->path, sizeof(folder->path), "%.*s/limber-play-XXXXXX", PATH_MAX - 64, place);
    if (mkdtemp(folder->path) == NULL) {
        lbResult result = lb_error(lb_errorFile, "%s: cannot be made: %s", folder->path, strerror(errno));
        folder->path[0] = 0;
        return result;
    }
    snprintf(folder->uploads, sizeof(folder->uploads), "%.*s/uploads", PATH_MAX - 32, folder->path);
    snprintf(folder->recordings, sizeof(folder->recordings), "%.*s/recordings", PATH_MAX - 32, folder->path);
    if (mkdir(folder->uploads, 0700) != 0 || mkdir(folder->recordings, 0700) != 0) {
        lbResult result = lb_error(lb_errorFile, "%s: cannot be written: %s", folder->path, strerror(errno));
        lb_remove_work_folder(folder);
        return result;
    }
    return lb_success();
}

/* Removes the files in a folder, and the folder: it holds no others. */
static void remove_flat(const char* path) {
    DIR* listing = opendir(path);
    struct dirent* found;
    while (listing != NULL && (found = readdir(listing)) != NULL) {
        char file[PATH_MAX + 260];
        snprintf(file, sizeof(file), "%s/%s", path, found->d_name);
        unlink(file); /* "." and ".." are none */
    }
    if (listing != NULL) {
        closedir(listing);
    }
    rmdir(path);
}

void lb_remove_work_folder(lbWorkFolder* folder) {
    if (folder->path[0] != 0) {
        remove_flat(folder->uploads);
        remove_flat(folder->recordings);
        rmdir(folder->path);
    }
    *folder = (lbWorkFolder){0};
}
