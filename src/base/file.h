/* Whole files in, whole files out: a file limber writes is either complete or not there. */
#ifndef LIMBER_SRC_FILE_H
#define LIMBER_SRC_FILE_H

#include "limber/base.h"

#include <stdio.h>

typedef struct lbBytes {
    unsigned char* data; /* followed by a zero byte that is not counted */
    size_t size;
} lbBytes;

/* Reads a regular file. A folder, a missing or an unreadable file is an error that names it. */
lbResult lb_read_file(const lbHost* host, const char* path, lbBytes* bytes);
/* Scenes may hold their meshes; one that is larger is refused before it is read, bytes. */
enum { lb_sceneBytesLimit = 64 << 20 };
/* The same of a file that may not hold more than `limit` bytes. */
lbResult lb_read_small_file(const lbHost* host, const char* path, size_t limit, lbBytes* bytes);
void lb_free_bytes(const lbHost* host, lbBytes* bytes);

/* Writes beside the target under a temporary name; lb_commit_file puts it in place at once. If anything fails on the
 * way (a full disk, a folder that cannot be written), what stood at the target before is untouched. A link is followed:
 * it stays, and what it points to is replaced. */
typedef struct lbFile {
    FILE* stream;
    const lbHost* host;
    char* path;
    char* temporaryPath;
    bool failed; /* a write went wrong; lb_commit_file reports it */
    int error;   /* errno of the first failure */
} lbFile;

lbResult lb_open_file(const lbHost* host, const char* path, lbFile* file);
void lb_write(lbFile* file, const void* data, size_t size);
LB_PRINTF(2, 3) void lb_print(lbFile* file, const char* format, ...);
/* Brings everything written so far to the disk, and says if that failed. For files that belong together: settle all of
 * them, then commit each. */
lbResult lb_settle_file(lbFile* file);
lbResult lb_commit_file(lbFile* file);
/* Gives up: removes the temporary file. Safe after lb_commit_file and on a file that was never opened (zeroed). */
void lb_discard_file(lbFile* file);

/* FNV-1a, 64 bit. Start with LB_HASH_START. */
#define LB_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t lb_hash(uint64_t hash, const void* data, size_t size);

#endif
