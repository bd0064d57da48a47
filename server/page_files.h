/* The files of the page and the scenes that come with limber: where they are, and which may be served. */
#ifndef LIMBER_SERVER_PAGE_FILES_H
#define LIMBER_SERVER_PAGE_FILES_H

#include "server/describe.h"

#include <limits.h>

typedef struct lbPlaces {
    char page[PATH_MAX];   /* the folder that holds index.html; "" if it was not found */
    char scenes[PATH_MAX]; /* "" if it was not found */
} lbPlaces;

/* Looks beside the program (a build folder: ../web, ../scenes; an installation: ../share/limber/...), unless told where
 * the page is. */
lbPlaces lb_find_places(const char* page);

/* Whether what the page needs of others (three.js) is there too. */
bool lb_page_is_complete(const lbPlaces* places);

/* The file that a request's path means: "/" is index.html. False if it is none that may be served: only pages, styles,
 * scripts and pictures of the page's own folder, and scripts of three.js; no folder, nothing that begins with a dot,
 * and nothing that a link leads out of the folder. */
bool lb_find_page_file(const lbPlaces* places, const char* request, char path[PATH_MAX], const char** contentType);

/* The scenes that come with limber, by name; NULL (and 0) if there are none. */
lbSceneEntry* lb_list_scenes(const lbHost* host, const lbPlaces* places, int* count);
void lb_free_scenes(const lbHost* host, lbSceneEntry* scenes, int count);

#endif
