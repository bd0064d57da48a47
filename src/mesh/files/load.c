/* Which reader a file is for: by what is in it where that is plain, else by its name. */
#include "base/file.h"
#include "base/log.h"
#include "base/result.h"
#include "mesh/files/tet_file.h"
#include "mesh/files/values.h"
#include "shape/files/beside.h"

#include <string.h>

enum { loadCookie = 0x74656c64 };

typedef struct Format {
    const char* ending;
    const char* name;
    lbTetParseFn* parse;
} Format;

static const Format formats[] = {
    {".msh", "Gmsh", lb_parse_gmsh},
    {".node", "TetGen", lb_parse_tetgen},
    {".ele", "TetGen", lb_parse_tetgen},
    {".mesh", "Medit", lb_parse_medit},
    {".meshb", "Medit's binary", lb_parse_medit_binary},
    {".vtk", "VTK", lb_parse_vtk},
    {".vtu", "VTK's XML", lb_parse_vtu},
    {".inp", "Abaqus", lb_parse_abaqus},
    {".veg", "Vega", lb_parse_vega},
};

enum { formatCount = sizeof(formats) / sizeof(formats[0]) };

static const Format* format_of_ending(const char* ending) {
    for (int i = 0; i < formatCount; ++i) {
        if (strcmp(ending, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

/* ---- By contents ------------------------------------------------------------------------------------------------- */

static bool begins_with(const lbBytes* bytes, const char* text) {
    size_t length = strlen(text);
    return bytes->size >= length && memcmp(bytes->data, text, length) == 0;
}

static bool looks_like_medit(const lbBytes* bytes) {
    lbValues values = lb_values_of_text("", bytes->data, bytes->size);
    values.comment = '#';
    lb_values_skip_space(&values);
    return lb_word_is_any_case(lb_scan_word(&values.scan), "MeshVersionFormatted");
}

/* The integer 1 and a version, of either byte order. */
static bool looks_like_medit_binary(const lbBytes* bytes) {
    static const unsigned char little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    return bytes->size >= 8 && ((memcmp(bytes->data, little, 4) == 0 && bytes->data[4] <= 4 && bytes->data[7] == 0) ||
                                (memcmp(bytes->data, big, 4) == 0 && bytes->data[7] <= 4 && bytes->data[4] == 0));
}

/* NULL if it is not plain. */
static const Format* format_of_contents(const lbBytes* bytes) {
    if (begins_with(bytes, "$MeshFormat") || begins_with(bytes, "$NOD")) {
        return format_of_ending(".msh");
    }
    if (begins_with(bytes, "# vtk DataFile")) {
        return format_of_ending(".vtk");
    }
    if (begins_with(bytes, "<?xml") || begins_with(bytes, "<VTKFile")) {
        return format_of_ending(".vtu");
    }
    if (looks_like_medit_binary(bytes)) {
        return format_of_ending(".meshb");
    }
    return looks_like_medit(bytes) ? format_of_ending(".mesh") : NULL;
}

bool lbIsTetMeshFile(const char* path) {
    if (path == NULL) {
        return false;
    }
    const Format* format = format_of_ending(lb_path_extension(path).text);
    if (format == NULL || strcmp(format->ending, ".mesh") != 0) {
        return format != NULL;
    }
    const lbHost* host = lb_resolve_host(NULL);
    lbBytes bytes;
    if (lb_read_file(host, path, &bytes).code != lb_ok) {
        return true; /* reading it will tell what is wrong */
    }
    bool isMedit = bytes.size == 0 || looks_like_medit(&bytes) || looks_like_medit_binary(&bytes);
    lb_free_bytes(host, &bytes);
    return isMedit;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

static lbResult choose_format(const lbHost* host, const char* path, const lbBytes* bytes, const Format** format) {
    const Format* named = format_of_ending(lb_path_extension(path).text);
    const Format* found = format_of_contents(bytes);
    *format = found != NULL ? found : named;
    if (*format == NULL) {
        return lb_error(lb_errorFormat,
                        "%s: neither its ending nor its contents are of a tetrahedral mesh that can be read: .msh, "
                        ".node, .ele, .mesh, .meshb, .vtk, .vtu, .inp, .veg",
                        path);
    }
    if (named != NULL && named != *format) {
        lb_log(host, lb_logWarning, "%s: named as %s, but read as the %s it is", path, named->name, (*format)->name);
    }
    return lb_success();
}

static lbResult load_bytes(const lbHost* host, const char* path, const lbBytes* bytes, bool leaveOutBad,
                           lbTetMesh** mesh, lbTetMeshFileReport* report) {
    const Format* format = NULL;
    if (bytes->size == 0) {
        return lb_error(lb_errorFormat, "%s: expected a tetrahedral mesh, found an empty file", path);
    }
    LB_TRY(choose_format(host, path, bytes, &format));
    lbTetSource source = {.host = host, .bytes = bytes->data, .size = bytes->size, .path = path};
    lbTetFile file = {.host = host, .path = path, .leaveOutBad = leaveOutBad};
    lbResult result = format->parse(&source, &file);
    if (result.code == lb_ok) {
        result = lb_finish_tet_file(&file, mesh);
    }
    if (report != NULL) {
        *report = file.report;
    }
    lb_free_tet_file(&file);
    return result;
}

lbTetMeshLoadDef lbDefaultTetMeshLoadDef(void) {
    return (lbTetMeshLoadDef){.cookie = loadCookie};
}

lbResult lbLoadTetMeshWith(const char* path, const lbTetMeshLoadDef* def, lbTetMesh** mesh,
                           lbTetMeshFileReport* report) {
    *mesh = NULL;
    if (report != NULL) {
        memset(report, 0, sizeof(*report));
    }
    if (def == NULL || def->cookie != loadCookie) {
        return lb_error(lb_errorArgument, "how to load a tetrahedral mesh was not made by lbDefaultTetMeshLoadDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (path == NULL || path[0] == 0) {
        return lb_error(lb_errorArgument, "expected the path of a tetrahedral mesh's file, found none");
    }
    const lbHost* host = lb_resolve_host(def->host);
    lbBytes bytes;
    LB_TRY(lb_read_file(host, path, &bytes));
    lbResult result = load_bytes(host, path, &bytes, def->leaveOutBadElements, mesh, report);
    lb_free_bytes(host, &bytes);
    return result;
}

lbResult lbLoadTetMesh(const char* path, const lbHost* host, lbTetMesh** mesh, lbTetMeshFileReport* report) {
    lbTetMeshLoadDef def = lbDefaultTetMeshLoadDef();
    def.host = host;
    return lbLoadTetMeshWith(path, &def, mesh, report);
}
