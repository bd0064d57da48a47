#define _XOPEN_SOURCE 700 /* realpath */

#include "base/file.h"

#include "base/memory.h"
#include "base/result.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lbResult lb_read_file(const lbHost* host, const char* path, lbBytes* bytes) {
    return lb_read_small_file(host, path, SIZE_MAX, bytes);
}

lbResult lb_read_small_file(const lbHost* host, const char* path, size_t limit, lbBytes* bytes) {
    *bytes = (lbBytes){0};
    struct stat status;
    if (stat(path, &status) != 0) {
        return lb_error(lb_errorFile, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return lb_error(lb_errorFile, "%s: not a regular file", path);
    }
    size_t size = (size_t)status.st_size;
    if (size > limit) {
        return lb_error(lb_errorFile, "%s: holds %zu bytes; expected at most %zu", path, size, limit);
    }
    FILE* stream = fopen(path, "rb");
    if (stream == NULL) {
        return lb_error(lb_errorFile, "%s: %s", path, strerror(errno));
    }
    bytes->data = lb_allocate(host, (int64_t)size + 1, 1);
    if (bytes->data == NULL) {
        fclose(stream);
        return lb_error(lb_errorMemory, "%s: out of memory for its %zu bytes", path, size);
    }
    bytes->size = fread(bytes->data, 1, size, stream);
    bool complete = bytes->size == size && !ferror(stream);
    fclose(stream);
    if (!complete) {
        size_t got = bytes->size;
        lb_free_bytes(host, bytes);
        return lb_error(lb_errorFile, "%s: could read only %zu of %zu bytes", path, got, size);
    }
    return lb_success();
}

void lb_free_bytes(const lbHost* host, lbBytes* bytes) {
    lb_release(host, bytes->data);
    *bytes = (lbBytes){0};
}

/* Where a path leads if it is a link: the file it points to is replaced, not the link. `room` holds PATH_MAX bytes. */
static lbResult follow_link(const char** path, char* room) {
    struct stat status;
    if (lstat(*path, &status) != 0 || !S_ISLNK(status.st_mode)) {
        return lb_success();
    }
    if (realpath(*path, room) == NULL) {
        return lb_error(lb_errorFile, "%s: cannot be written: the link leads nowhere: %s", *path, strerror(errno));
    }
    *path = room;
    return lb_success();
}

/* A file, or nothing as yet; but not what this process prints to, which would be cut off from it. */
static lbResult check_target(const char* path) {
    struct stat status, stream;
    if (stat(path, &status) != 0) {
        return lb_success();
    }
    if (!S_ISREG(status.st_mode)) {
        return lb_error(lb_errorFile, "%s: cannot be written: not a regular file", path);
    }
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; ++i) {
        if (fstat(i, &stream) == 0 && stream.st_dev == status.st_dev && stream.st_ino == status.st_ino) {
            return lb_error(lb_errorFile, "%s: cannot be written: the program prints to it", path);
        }
    }
    return lb_success();
}

lbResult lb_open_file(const lbHost* host, const char* path, lbFile* file) {
    *file = (lbFile){.host = host};
    char target[PATH_MAX];
    LB_TRY(follow_link(&path, target));
    LB_TRY(check_target(path));
    size_t length = strlen(path);
    size_t room = length + 32;
    file->path = lb_allocate(host, (int64_t)length + 1, 1);
    file->temporaryPath = lb_allocate(host, (int64_t)room, 1);
    if (file->path == NULL || file->temporaryPath == NULL) {
        lb_discard_file(file);
        return lb_out_of_memory("a file's name");
    }
    memcpy(file->path, path, length + 1);
    snprintf(file->temporaryPath, room, "%s.%ld.part", path, (long)getpid());
    file->stream = fopen(file->temporaryPath, "wb");
    if (file->stream == NULL) {
        int error = errno;
        lb_discard_file(file);
        return lb_error(lb_errorFile, "%s: cannot be written: %s", path, strerror(error));
    }
    return lb_success();
}

static void note_failure(lbFile* file) {
    if (!file->failed) {
        file->failed = true;
        file->error = errno;
    }
}

void lb_write(lbFile* file, const void* data, size_t size) {
    if (!file->failed && size > 0 && fwrite(data, 1, size, file->stream) != size) {
        note_failure(file);
    }
}

void lb_print(lbFile* file, const char* format, ...) {
    if (file->failed) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(file->stream, format, arguments) < 0) {
        note_failure(file);
    }
    va_end(arguments);
}

static lbResult outcome(const lbFile* file) {
    if (file->failed) {
        return lb_error(lb_errorFile, "%s: could not be written: %s", file->path, strerror(file->error));
    }
    return lb_success();
}

lbResult lb_settle_file(lbFile* file) {
    if (!file->failed && (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0)) {
        note_failure(file);
    }
    return outcome(file);
}

lbResult lb_commit_file(lbFile* file) {
    lb_settle_file(file);
    if (fclose(file->stream) != 0) {
        note_failure(file);
    }
    file->stream = NULL;
    if (!file->failed && rename(file->temporaryPath, file->path) != 0) {
        note_failure(file);
    }
    if (file->failed) {
        remove(file->temporaryPath);
    }
    lbResult result = outcome(file);
    lb_discard_file(file);
    return result;
}

void lb_discard_file(lbFile* file) {
    if (file->stream != NULL) {
        fclose(file->stream);
        remove(file->temporaryPath);
    }
    if (file->host != NULL) {
        lb_release(file->host, file->path);
        lb_release(file->host, file->temporaryPath);
    }
    *file = (lbFile){0};
}

uint64_t lb_hash(uint64_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
