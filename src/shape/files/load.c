/* Which reader a file is for: by what is in it where that is plain, else by its name. */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/result.h"
#include "shape/files/beside.h"
#include "shape/files/shape_files.h"

#include <string.h>

typedef enum lbFormat {
    lb_formatNone,
    lb_formatObj,
    lb_formatStl,
    lb_formatPly,
    lb_formatGltf,
    lb_formatOther
} lbFormat;

static const char* const formatNames[] = {"unknown", "OBJ", "STL", "PLY", "glTF", "other"};

static lbFormat format_of_name(const char* extension) {
    static const struct {
        const char* extension;
        lbFormat format;
    } names[] = {{".obj", lb_formatObj},  {".stl", lb_formatStl},   {".ply", lb_formatPly},
                 {".glb", lb_formatGltf}, {".gltf", lb_formatGltf}, {".vrm", lb_formatGltf}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (strcmp(extension, names[i].extension) == 0) {
            return names[i].format;
        }
    }
    return lb_assimp_reads(extension) ? lb_formatOther : lb_formatNone;
}

/* lb_formatNone if it is not plain. */
static lbFormat format_of_contents(const lbBytes* bytes) {
    if (bytes->size >= 12 && memcmp(bytes->data, "glTF", 4) == 0) {
        return lb_formatGltf;
    }
    if (lb_looks_like_ply(bytes->data, bytes->size)) {
        return lb_formatPly;
    }
    if (lb_looks_like_stl(bytes->data, bytes->size)) {
        return lb_formatStl;
    }
    return lb_looks_like_obj(bytes->data, bytes->size) ? lb_formatObj : lb_formatNone;
}

static lbResult unknown_format(const char* path) {
    return lb_error(
        lb_errorFormat,
        "%s: neither its ending nor its contents are of a format that can be read: surfaces are .obj, .stl, "
        ".ply%s; tetrahedra are .msh, .node, .ele, .mesh, .meshb, .vtk, .vtu, .inp, .veg",
        path,
        lb_assimp_reads(".glb") ? ", .glb, .gltf, and by Assimp .fbx, .dae, .3ds, .off, .blend and others"
                                : " (this build has no Assimp, which reads .glb and others)");
}

/* `misnamed`: the file's name does not tell the format. */
static lbResult parse(lbFormat format, bool misnamed, const lbShapeSource* source, lbShape** shape) {
    switch (format) {
    case lb_formatObj:
        return lb_parse_obj(source, shape);
    case lb_formatStl:
        return lb_parse_stl(source, shape);
    case lb_formatPly:
        return lb_parse_ply(source, shape);
    case lb_formatGltf:
    case lb_formatOther:
        return lb_import_by_assimp(source, misnamed ? ".glb" : NULL, shape);
    default:
        return unknown_format(source->path);
    }
}

static lbResult load_bytes(const lbHost* host, const char* path, const lbBytes* bytes, lbShape** shape) {
    if (bytes->size == 0) {
        return lb_error(lb_errorFormat, "%s: expected a surface, found an empty file", path);
    }
    lbFormat named = format_of_name(lb_path_extension(path).text);
    lbFormat found = named == lb_formatOther ? lb_formatNone : format_of_contents(bytes);
    lbShapeSource source = {.host = host, .bytes = bytes->data, .size = bytes->size, .path = path};
    bool misnamed = found != lb_formatNone && found != named;
    if (misnamed && named != lb_formatNone) {
        lb_log(host, lb_logWarning, "%s: named as %s, but read as the %s it is", path, formatNames[named],
               formatNames[found]);
    }
    return parse(misnamed ? found : named, misnamed, &source, shape);
}

lbResult lbLoadShape(const char* path, const lbHost* host, lbShape** shape) {
    *shape = NULL;
    LB_TRY(lb_check_host(host));
    if (path == NULL || path[0] == 0) {
        return lb_error(lb_errorArgument, "expected the path of a shape's file, found none");
    }
    const lbHost* resolved = lb_resolve_host(host);
    lbBytes bytes;
    LB_TRY(lb_read_file(resolved, path, &bytes));
    lbResult result = load_bytes(resolved, path, &bytes, shape);
    lb_free_bytes(resolved, &bytes);
    return result;
}
