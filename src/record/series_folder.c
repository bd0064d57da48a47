#include "record/series_folder.h"

#include "base/memory.h"
#include "base/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* frame_00000.vtu, and what an interrupted run may have left of one (frame_00000.vtu.123.part) */
static bool is_frame_name(const char* name) {
    static const char start[] = "frame_", ending[] = ".vtu", unfinished[] = ".part";
    if (strncmp(name, start, sizeof(start) - 1) != 0) {
        return false;
    }
    const char* digits = name + sizeof(start) - 1;
    size_t count = strspn(digits, "0123456789");
    const char* rest = digits + count;
    if (count < 5 || strncmp(rest, ending, sizeof(ending) - 1) != 0) {
        return false;
    }
    rest += sizeof(ending) - 1;
    if (*rest == 0) {
        return true;
    }
    size_t length = strlen(rest);
    return length > sizeof(unfinished) - 1 && strcmp(rest + length - (sizeof(unfinished) - 1), unfinished) == 0;
}

typedef enum FolderKind { folderMissing, folderOfFrames, folderOfOthers, notAFolder } FolderKind;

static FolderKind look_at(const char* path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT ? folderMissing : notAFolder;
    }
    DIR* folder = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    if (folder == NULL) {
        return notAFolder;
    }
    FolderKind kind = folderOfFrames;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        bool own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!own && !is_frame_name(entry->d_name)) {
            kind = folderOfOthers;
        }
    }
    closedir(folder);
    return kind;
}

/* Removes the frames in a folder, and the folder if nothing else was in it. */
static void remove_series(lbSeriesFolder* series, const char* path) {
    DIR* folder = opendir(path);
    if (folder == NULL) {
        return;
    }
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (is_frame_name(entry->d_name) && strlen(entry->d_name) < 200) {
            snprintf(series->filePath, series->room, "%s/%s", path, entry->d_name);
            unlink(series->filePath);
        }
    }
    closedir(folder);
    rmdir(path);
}

static lbResult make_temporary_folder(lbSeriesFolder* folder) {
    int outcome = mkdir(folder->temporaryPath, 0777);
    if (outcome != 0 && errno == EEXIST) { /* left by a run that was stopped, with the same process number */
        remove_series(folder, folder->temporaryPath);
        outcome = mkdir(folder->temporaryPath, 0777);
    }
    if (outcome != 0) {
        return lb_error(lb_errorFile, "%s: the folder of frames cannot be made: %s", folder->path, strerror(errno));
    }
    return lb_success();
}

lbResult lb_series_open(const lbHost* host, const char* path, lbSeriesFolder* folder) {
    size_t room = strlen(path) + 256;
    *folder = (lbSeriesFolder){.host = host, .room = room};
    folder->path = LB_NEW(host, char, room);
    folder->oldPath = LB_NEW(host, char, room);
    folder->filePath = LB_NEW(host, char, room);
    char* temporaryPath = LB_NEW(host, char, room);
    if (folder->path == NULL || folder->oldPath == NULL || folder->filePath == NULL || temporaryPath == NULL) {
        lb_release(host, temporaryPath);
        lb_series_close(folder);
        return lb_out_of_memory("a folder's name");
    }
    snprintf(folder->path, room, "%s", path);
    snprintf(folder->oldPath, room, "%s.%ld.old.part", path, (long)getpid());
    snprintf(temporaryPath, room, "%s.%ld.part", path, (long)getpid());
    FolderKind kind = look_at(path);
    if (kind == folderMissing || kind == folderOfFrames) {
        folder->temporaryPath = temporaryPath;
        return make_temporary_folder(folder);
    }
    lb_release(host, temporaryPath);
    const char* what = kind == folderOfOthers ? "is a folder that holds more than a recording's frames"
                                              : "is not a folder, or cannot be looked into";
    return lb_error(lb_errorFile, "%s: %s; the frames of the recording would go there", path, what);
}

const char* lb_series_frame_path(lbSeriesFolder* folder, int frame) {
    snprintf(folder->filePath, folder->room, "%s/frame_%05d.vtu", folder->temporaryPath, frame);
    return folder->filePath;
}

lbResult lb_series_place(lbSeriesFolder* folder) {
    FolderKind kind = look_at(folder->path);
    if (kind != folderMissing && kind != folderOfFrames) {
        return lb_error(lb_errorFile, "%s: something else has come to stand where the frames would go", folder->path);
    }
    if (kind == folderOfFrames) {
        remove_series(folder, folder->oldPath);
        if (rename(folder->path, folder->oldPath) != 0) {
            return lb_error(lb_errorFile, "%s: the old frames cannot be replaced: %s", folder->path, strerror(errno));
        }
        folder->hasOld = true;
    }
    if (rename(folder->temporaryPath, folder->path) != 0) {
        int error = errno;
        lb_series_restore(folder);
        return lb_error(lb_errorFile, "%s: the frames cannot be put in place: %s", folder->path, strerror(error));
    }
    folder->placed = true;
    return lb_success();
}

void lb_series_restore(lbSeriesFolder* folder) {
    if (folder->placed && rename(folder->path, folder->temporaryPath) == 0) {
        folder->placed = false;
    }
    if (folder->hasOld && !folder->placed && rename(folder->oldPath, folder->path) == 0) {
        folder->hasOld = false;
    }
}

void lb_series_close(lbSeriesFolder* folder) {
    if (folder->host == NULL) {
        return;
    }
    if (folder->temporaryPath != NULL && !folder->placed) {
        remove_series(folder, folder->temporaryPath);
    }
    if (folder->hasOld && folder->placed) {
        remove_series(folder, folder->oldPath);
    }
    lb_release(folder->host, folder->path);
    lb_release(folder->host, folder->temporaryPath);
    lb_release(folder->host, folder->oldPath);
    lb_release(folder->host, folder->filePath);
    *folder = (lbSeriesFolder){0};
}
