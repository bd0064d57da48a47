/* A folder of numbered frame files that is filled out of sight and then takes the place of an older one. */
#ifndef LIMBER_SRC_SERIES_FOLDER_H
#define LIMBER_SRC_SERIES_FOLDER_H

#include "limber/base.h"

typedef struct lbSeriesFolder {
    const lbHost* host;
    char* path;          /* where it goes in the end */
    char* temporaryPath; /* where frames are written */
    char* oldPath;       /* where an older series waits while the new one is put in place */
    char* filePath;      /* scratch for a file's path */
    size_t room;         /* bytes of each of these */
    bool placed;         /* the new folder stands at `path` */
    bool hasOld;         /* an older one is at `oldPath` */
} lbSeriesFolder;

/* Makes the temporary folder. Fails if something other than an older series stands at `path`: nothing of the user's is
 * ever removed but frame files. */
lbResult lb_series_open(const lbHost* host, const char* path, lbSeriesFolder* folder);

/* The path of a frame's file inside the temporary folder; good until the next call. */
const char* lb_series_frame_path(lbSeriesFolder* folder, int frame);

/* Puts the new folder in place; the old one is kept aside until lb_series_close. */
lbResult lb_series_place(lbSeriesFolder* folder);
/* Undoes lb_series_place. */
void lb_series_restore(lbSeriesFolder* folder);
/* Removes what is not in place. A zeroed one is fine. */
void lb_series_close(lbSeriesFolder* folder);

#endif
