/* The folder of a run: what was uploaded and what was recorded. It goes when the run ends. */
#ifndef LIMBER_SERVER_WORK_FOLDER_H
#define LIMBER_SERVER_WORK_FOLDER_H

#include "limber/base.h"

#include <limits.h>

typedef struct lbWorkFolder {
    char path[PATH_MAX];
    char uploads[PATH_MAX];
    char recordings[PATH_MAX];
} lbWorkFolder;

lbResult lb_create_work_folder(lbWorkFolder* folder);
void lb_remove_work_folder(lbWorkFolder* folder);

#endif
