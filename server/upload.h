/* A file that comes in piece by piece. It is there when all of it came, or not at all. */
#ifndef LIMBER_SERVER_UPLOAD_H
#define LIMBER_SERVER_UPLOAD_H

#include "limber/base.h"

#include <limits.h>
#include <stdio.h>

enum {
    lb_uploadLimit = 64 << 20, /* bytes of a file */
    lb_mostUploads = 256       /* files of a run */
};

/* What the files of a run may be together. */
typedef struct lbUploads {
    const char* folder;
    int fileCount;
    int64_t bytes;
    int openCount; /* on their way */
    int number;    /* of the next */
} lbUploads;

typedef struct lbUpload {
    lbUploads* owner; /* NULL: none is on its way */
    FILE* file;
    char path[PATH_MAX + 160], part[PATH_MAX + 160];
    int64_t expected, received;
} lbUpload;

/* `size` is what the client says it is. */
lbResult lb_begin_upload(lbUploads* uploads, const char* name, int64_t size, lbUpload* upload);
lbResult lb_continue_upload(lbUpload* upload, const void* bytes, size_t size);
/* Refused if not all of it came. */
lbResult lb_finish_upload(lbUpload* upload);
void lb_discard_upload(lbUpload* upload); /* also of a zeroed or finished one */

#endif
