#include "server/carry.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/base64.h"
#include "server/json_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Which files ------------------------------------------------------------------------------------------------- */

typedef struct Search {
    const lbHost* host;
    const char* folder;
    lbFileNames* names;
} Search;

static bool is_known(const lbFileNames* names, const char* name) {
    for (int i = 0; i < names->count; ++i) {
        if (strcmp(names->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_file(Search* search, const char* name);

/* What stands after a word at the beginning of a line, up to its end. */
static void add_after(Search* search, const lbBytes* bytes, const char* word) {
    size_t length = strlen(word);
    const char *at = (const char*)bytes->data, *end = at + bytes->size;
    while (at < end) {
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        while (at < stop && (*at == ' ' || *at == '\t')) {
            ++at;
        }
        if ((size_t)(stop - at) > length + 1 && strncmp(at, word, length) == 0) {
            char name[256] = "";
            int count = (int)(stop - at - (long)length - 1);
            snprintf(name, sizeof(name), "%.*s", count < 255 ? count : 255, at + length + 1);
            size_t last = strlen(name);
            while (last > 0 && (name[last - 1] == '\r' || name[last - 1] == ' ')) {
                name[--last] = 0;
            }
            const char* space = strrchr(name, ' '); /* options of a map stand before its file */
            add_file(search, name);
            add_file(search, space != NULL ? space + 1 : name);
        }
        at = stop + 1;
    }
}

/* "uri": "NAME" */
static void add_uris(Search* search, const lbBytes* bytes) {
    const char *at = (const char*)bytes->data, *end = at + bytes->size;
    while (at + 6 < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL && at + 6 < end) {
        if (strncmp(at, "\"uri\"", 5) == 0) {
            const char* open = memchr(at + 5, '"', (size_t)(end - at - 5));
            const char* close = open != NULL ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
            if (close != NULL && close - open - 1 <= lb_fileNameLimit) {
                char name[lb_fileNameLimit + 1];
                snprintf(name, sizeof(name), "%.*s", (int)(close - open - 1), open + 1);
                add_file(search, name);
            }
        }
        ++at;
    }
}

static void add_sibling(Search* search, const char* name, const char* ending) {
    char sibling[lb_fileNameLimit + 8];
    const char* dot = strrchr(name, '.');
    snprintf(sibling, sizeof(sibling), "%.*s.%s", (int)(dot - name), name, ending);
    add_file(search, sibling);
}

static void add_companions(Search* search, const char* name, const char* path) {
    if (lb_has_ending(name, "node")) {
        add_sibling(search, name, "ele");
    } else if (lb_has_ending(name, "ele")) {
        add_sibling(search, name, "node");
    }
    bool obj = lb_has_ending(name, "obj"), mtl = lb_has_ending(name, "mtl"), gltf = lb_has_ending(name, "gltf");
    lbBytes bytes;
    if ((!obj && !mtl && !gltf) || lb_read_file(search->host, path, &bytes).code != lb_ok) {
        return;
    }
    static const char* const maps[] = {"map_Kd", "map_Ka", "map_Ks", "map_Bump", "map_bump", "bump", "norm", "map_d"};
    if (obj) {
        add_after(search, &bytes, "mtllib");
    } else if (gltf) {
        add_uris(search, &bytes);
    }
    for (size_t i = 0; mtl && i < sizeof(maps) / sizeof(maps[0]); ++i) {
        add_after(search, &bytes, maps[i]);
    }
    lb_free_bytes(search->host, &bytes);
}

static void add_file(Search* search, const char* name) {
    char path[PATH_MAX];
    struct stat info;
    if (search->names->count < lb_mostCarriedFiles && lb_is_plain_file_name(name) && !is_known(search->names, name) &&
        lb_join_path(path, search->folder, name) && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        snprintf(search->names->names[search->names->count++], lb_fileNameLimit + 1, "%s", name);
        add_companions(search, name, path);
    }
}

static void see_file(void* user, const char* file) {
    add_file(user, file);
}

void lb_list_files(const lbHost* host, const lbValue* document, const char* folder, lbFileNames* names) {
    Search search = {.host = host, .folder = folder, .names = names};
    names->count = 0;
    lb_each_document_file(document, see_file, &search);
}

/* ---- Within the scene -------------------------------------------------------------------------------------------- */

static lbResult write_file(const lbHost* host, const char* folder, const char* name, size_t* total, lbText* text) {
    char path[PATH_MAX];
    lbBytes bytes;
    if (!lb_join_path(path, folder, name)) {
        return lb_error(lb_errorFile, "%s: its path is too long", name);
    }
    LB_TRY(lb_read_file(host, path, &bytes));
    *total += bytes.size;
    if (*total > lb_mostCarriedBytes) {
        lb_free_bytes(host, &bytes);
        return lb_error(lb_errorUnsupported,
                        "the files of this scene have more than %d MB, which is the most that one can carry; save "
                        "the scene without them",
                        lb_mostCarriedBytes >> 20);
    }
    lb_put_key(text, name);
    lb_text_print(text, "\"");
    lb_text_base64(text, bytes.data, bytes.size);
    lb_text_print(text, "\"");
    lb_free_bytes(host, &bytes);
    return lb_success();
}

lbResult lb_write_whole_scene(const lbHost* host, const char* document, size_t size, const char* folder, lbText* text) {
    lbValue* value = NULL;
    LB_TRY(lb_parse_document(document, size, "scene", &value));
    lbFileNames* names = LB_NEW(host, lbFileNames, 1);
    if (names == NULL) {
        lb_free_value(value);
        return lb_out_of_memory("a scene");
    }
    lb_list_files(host, value, folder, names);
    lb_free_value(value);
    while (size > 0 && document[size - 1] != '}') {
        --size;
    }
    lbResult result = lb_success();
    if (names->count == 0 || size == 0) {
        lb_text_add(text, document, size);
    } else {
        size_t total = 0;
        lb_text_add(text, document, size - 1);
        lb_text_print(text, ",\n    \"files\": {");
        for (int i = 0; i < names->count && result.code == lb_ok; ++i) {
            result = write_file(host, folder, names->names[i], &total, text);
        }
        lb_text_print(text, "}\n}");
    }
    lb_text_print(text, "\n");
    lb_release(host, names);
    return result.code == lb_ok && text->failed ? lb_out_of_memory("a scene") : result;
}

lbResult lb_write_base64_file(const lbHost* host, const char* path, const char* base64) {
    lbBytes bytes;
    LB_TRY(lb_decode_base64(host, base64, &bytes));
    lbFile file;
    lbResult result = lb_open_file(host, path, &file);
    if (result.code == lb_ok) {
        lb_write(&file, bytes.data, bytes.size);
        result = lb_commit_file(&file);
    }
    lb_free_bytes(host, &bytes);
    return result;
}
