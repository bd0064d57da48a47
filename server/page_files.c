#define _DEFAULT_SOURCE /* realpath, readlink */
#include "server/page_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "server/document.h"
#include "server/names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { mostScenes = 256, nameLimit = 200, descriptionLimit = 2000 };

/* ---- Where ------------------------------------------------------------------------------------------------------- */

static bool holds(const char* folder, const char* file) {
    char path[PATH_MAX];
    struct stat info;
    return lb_join_path(path, folder, file) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The folder that the program is in; "" if that is not known. */
static void program_folder(char folder[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = 0;
    char* slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = 0;
    }
}

static void find_folder(char* found, const char* program, const char* const* candidates, const char* file) {
    char folder[PATH_MAX];
    found[0] = 0;
    for (; *candidates != NULL && found[0] == 0; ++candidates) {
        if (lb_join_path(folder, program, *candidates) && holds(folder, file) && realpath(folder, found) == NULL) {
            found[0] = 0;
        }
    }
}

lbPlaces lb_find_places(const char* page) {
    static const char* const pages[] = {"../web", "../../web", "../share/limber/web", NULL};
    static const char* const scenes[] = {"../scenes", "../../scenes", "../share/limber/scenes", NULL};
    lbPlaces places;
    char program[PATH_MAX];
    program_folder(program);
    if (page == NULL) {
        find_folder(places.page, program, pages, "index.html");
    } else if (!holds(page, "index.html") || realpath(page, places.page) == NULL) {
        places.page[0] = 0;
    }
    find_folder(places.scenes, program, scenes, "jelly-drop.json");
    if (places.scenes[0] == 0 && places.page[0] != 0) { /* a build elsewhere, told where the page is */
        static const char* const beside[] = {"../scenes", NULL};
        find_folder(places.scenes, places.page, beside, "jelly-drop.json");
    }
    return places;
}

bool lb_page_is_complete(const lbPlaces* places) {
    return places->page[0] != 0 && holds(places->page, "node_modules/three/build/three.module.js");
}

/* ---- Which ------------------------------------------------------------------------------------------------------- */

typedef struct Type {
    const char *ending, *name;
} Type;

static const char* type_of(const char* path) {
    static const Type types[] = {
        {"html", "text/html; charset=utf-8"},
        {"css", "text/css; charset=utf-8"},
        {"js", "text/javascript; charset=utf-8"},
        {"svg", "image/svg+xml"},
        {"png", "image/png"},
        {"jpg", "image/jpeg"},
        {"woff2", "font/woff2"},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (lb_has_ending(path, types[i].ending)) {
            return types[i].name;
        }
    }
    return NULL;
}

/* Letters, digits and a few signs; no part that begins with a dot. */
static bool is_tame(const char* request) {
    const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
    return request[0] == '/' && strspn(request, allowed) == strlen(request) && strstr(request, "/.") == NULL &&
           strstr(request, "//") == NULL && strlen(request) < 1000;
}

bool lb_find_page_file(const lbPlaces* places, const char* request, char path[PATH_MAX], const char** contentType) {
    static const char modules[] = "/node_modules/", three[] = "/node_modules/three/";
    char wanted[PATH_MAX];
    request = strcmp(request, "/") == 0 ? "/index.html" : request;
    if (places->page[0] == 0 || !is_tame(request)) {
        return false;
    }
    *contentType = type_of(request);
    bool isModule = strncmp(request, modules, sizeof(modules) - 1) == 0;
    bool mayBe = !isModule || (strncmp(request, three, sizeof(three) - 1) == 0 && lb_has_ending(request, "js"));
    if (*contentType == NULL || !mayBe || !lb_join_path(wanted, places->page, request + 1) ||
        realpath(wanted, path) == NULL) {
        return false;
    }
    size_t root = strlen(places->page);
    struct stat info;
    return strncmp(path, places->page, root) == 0 && path[root] == '/' && stat(path, &info) == 0 &&
           S_ISREG(info.st_mode);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static char* copy_of(const lbHost* host, const lbValue* document, const char* path, const char* fallback,
                     size_t limit) {
    const char* text = lb_value_string(lb_find_in_document(document, path));
    text = text != NULL && text[0] != 0 ? text : fallback;
    size_t length = strlen(text);
    return lb_copy_text(host, text, length < limit ? length : limit);
}

/* "fish.json": pictures/fish.jpg. */
static bool has_picture(const lbPlaces* places, const char* file) {
    char picture[PATH_MAX];
    int stem = (int)(strrchr(file, '.') - file);
    int length = snprintf(picture, sizeof(picture), "pictures/%.*s.jpg", stem, file);
    return places->page[0] != 0 && length < (int)sizeof(picture) && holds(places->page, picture);
}

static bool read_entry(const lbHost* host, const char* folder, const char* file, lbSceneEntry* entry) {
    char path[PATH_MAX];
    lbBytes bytes;
    if (!lb_join_path(path, folder, file) || lb_read_small_file(host, path, lb_sceneBytesLimit, &bytes).code != lb_ok) {
        return false;
    }
    lbValue* document = NULL;
    bool good = lb_parse_document((const char*)bytes.data, bytes.size, file, &document).code == lb_ok;
    lb_free_bytes(host, &bytes);
    if (good) {
        snprintf(entry->file, sizeof(entry->file), "%s", file);
        entry->name = copy_of(host, document, "name", file, nameLimit);
        entry->description = copy_of(host, document, "description", "", descriptionLimit);
        good = entry->name != NULL && entry->description != NULL;
    }
    lb_free_value(document);
    return good;
}

static int by_file(const void* a, const void* b) {
    return strcmp(((const lbSceneEntry*)a)->file, ((const lbSceneEntry*)b)->file);
}

lbSceneEntry* lb_list_scenes(const lbHost* host, const lbPlaces* places, int* count) {
    const char* folder = places->scenes;
    *count = 0;
    DIR* listing = folder[0] != 0 ? opendir(folder) : NULL;
    lbSceneEntry* scenes = listing != NULL ? LB_NEW(host, lbSceneEntry, mostScenes) : NULL;
    struct dirent* found;
    while (scenes != NULL && *count < mostScenes && (found = readdir(listing)) != NULL) {
        if (lb_is_plain_file_name(found->d_name) && lb_has_ending(found->d_name, "json") &&
            read_entry(host, folder, found->d_name, &scenes[*count])) {
            scenes[*count].hasPicture = has_picture(places, found->d_name);
            *count += 1;
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
    if (scenes != NULL) {
        qsort(scenes, (size_t)*count, sizeof(scenes[0]), by_file);
    }
    return scenes;
}

void lb_free_scenes(const lbHost* host, lbSceneEntry* scenes, int count) {
    for (int i = 0; scenes != NULL && i < count; ++i) {
        lb_release(host, scenes[i].name);
        lb_release(host, scenes[i].description);
    }
    lb_release(host, scenes);
}
