/* Wavefront OBJ, with an MTL file beside it if the shape has materials. All numbers read back bit for bit. */
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "shape/files/beside.h"
#include "shape/files/shape_files.h"
#include "shape/files/srgb.h"
#include "shape/shape.h"
#include "shape/weld.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Text is handed to the file in pieces of this size, so that it does not grow with the shape. */
enum { pieceSize = 1 << 16 };

static void flush_text(lbText* text, lbFile* file) {
    lb_write(file, text->data, text->size);
    text->size = 0;
}

static void flush_if_large(lbText* text, lbFile* file) {
    if (text->size > pieceSize) {
        flush_text(text, file);
    }
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

static bool same_name_before(const lbShape* shape, int material) {
    for (int i = 0; i < material; ++i) {
        if (strcmp(shape->materials[i].name, shape->materials[material].name) == 0) {
            return true;
        }
    }
    return false;
}

/* A name that is not empty, on one line, and that no other material has. */
static void put_material_name(lbText* text, const lbShape* shape, int material) {
    const char* name = shape->materials[material].name;
    if (name[0] == 0) {
        lb_text_print(text, "material_%d", material);
        return;
    }
    for (const char* c = name; *c != 0; ++c) {
        lb_text_print(text, "%c", *c == '\n' || *c == '\r' || *c == '\\' ? '_' : *c);
    }
    if (same_name_before(shape, material)) {
        lb_text_print(text, "_%d", material);
    }
}

/* The path of the MTL file, or the name of a texture that has none: the stem of the OBJ's name and an ending. */
static char* path_with_ending(const lbShape* shape, const char* path, const char* ending) {
    size_t stem = strlen(path) - strlen(lb_path_extension(path).text);
    char* made = lb_allocate(shape->host, (int64_t)(stem + strlen(ending)) + 1, 1);
    if (made != NULL) {
        memcpy(made, path, stem);
        memcpy(made + stem, ending, strlen(ending));
    }
    return made;
}

/* Whether the texture's name stays within the folder of the shape. */
static bool stays_in_folder(const char* name) {
    return name[0] != '/' && name[0] != '\\' && strstr(name, "..") == NULL && strchr(name, ':') == NULL;
}

/* Puts a texture that came inside another file where the material will look for it; what is there already stays. */
static void write_texture(const lbShape* shape, const char* texturePath, const lbShapeMaterial* material) {
    FILE* there = fopen(texturePath, "rb");
    if (there != NULL) {
        fclose(there);
        return;
    }
    lbFile file;
    lbResult result = lb_open_file(shape->host, texturePath, &file);
    if (result.code == lb_ok) {
        lb_write(&file, material->texture, material->textureSize);
        result = lb_commit_file(&file);
    }
    if (result.code != lb_ok) {
        lb_log(shape->host, lb_logWarning, "%s", result.message);
    }
}

static lbResult put_texture(lbText* text, const lbShape* shape, const char* path, int index) {
    const lbShapeMaterial* material = &shape->materials[index];
    char ending[32];
    if (material->texturePath[0] != 0 && strpbrk(material->texturePath, "\r\n") == NULL) {
        lb_text_print(text, "map_Kd %s\n", material->texturePath);
        char* beside = lb_path_beside(shape->host, path, material->texturePath);
        if (beside != NULL && material->texture != NULL && stays_in_folder(material->texturePath)) {
            write_texture(shape, beside, material);
        }
        lb_release(shape->host, beside);
    } else if (material->texture != NULL) {
        const char* kind = lb_picture_extension(material->texture, material->textureSize);
        snprintf(ending, sizeof(ending), "_%d%s", index, kind != NULL ? kind : ".bin");
        char* made = path_with_ending(shape, path, ending);
        if (made == NULL) {
            return lb_out_of_memory("a texture's name");
        }
        lb_text_print(text, "map_Kd %s\n", lb_path_file(made));
        write_texture(shape, made, material);
        lb_release(shape->host, made);
    }
    return lb_success();
}

static void put_share(lbText* text, const char* keyword, const float* values, int count) {
    lb_text_print(text, "%s", keyword);
    for (int i = 0; i < count; ++i) {
        lb_text_print(text, " ");
        lb_text_number(text, clamp_to_unit((double)values[i]), 9);
    }
    lb_text_print(text, "\n");
}

static lbResult put_materials(lbText* text, const lbShape* shape, const char* path) {
    for (int i = 0; i < shape->materialCount; ++i) {
        const lbShapeMaterial* material = &shape->materials[i];
        lb_text_print(text, "newmtl ");
        put_material_name(text, shape, i);
        lb_text_print(text, "\n");
        put_share(text, "Kd", material->baseColor, 3);
        put_share(text, "d", &material->baseColor[3], 1);
        put_share(text, "Pm", &material->metallic, 1);
        put_share(text, "Pr", &material->roughness, 1);
        LB_TRY(put_texture(text, shape, path, i));
    }
    return text->failed ? lb_out_of_memory("an MTL file") : lb_success();
}

static lbResult write_library(const lbShape* shape, const char* path, lbFile* file) {
    lbText text = {.host = shape->host};
    lbResult result = put_materials(&text, shape, path);
    if (result.code == lb_ok) {
        flush_text(&text, file);
        result = lb_settle_file(file);
    }
    lb_text_free(&text);
    return result;
}

/* ---- surface ----------------------------------------------------------------------------------------------------- */

static void put_points(lbText* text, lbFile* file, const lbShape* shape) {
    for (int i = 0; i < shape->pointCount; ++i) {
        lb_text_print(text, "v ");
        lb_text_floats(text, shape->points + 3 * (size_t)i, 3, " ");
        for (int k = 0; shape->colors != NULL && k < 3;
             ++k) { /* digits enough to be the same float when linear again */
            lb_text_print(text, " ");
            double linear = clamp_to_unit((double)shape->colors[4 * (size_t)i + (size_t)k]);
            lb_text_number(text, srgb_from_linear(linear), 12);
        }
        lb_text_print(text, "\n");
        flush_if_large(text, file);
    }
}

/* Each pair of coordinates once; `indices` (triangleCount x 3) says which. */
static bool put_texture_coords(lbText* text, lbFile* file, const lbShape* shape, int* indices) {
    if (shape->triangleCount > INT_MAX / 3) {
        return false;
    }
    int cornerCount = 3 * shape->triangleCount;
    int* firstRows = LB_NEW(shape->host, int, cornerCount);
    int count =
        firstRows == NULL ? -1 : lb_weld_rows(shape->host, shape->textureCoords, cornerCount, 2, indices, firstRows);
    for (int i = 0; i < count; ++i) {
        lb_text_print(text, "vt ");
        lb_text_floats(text, shape->textureCoords + 2 * (size_t)firstRows[i], 2, " ");
        lb_text_print(text, "\n");
        flush_if_large(text, file);
    }
    lb_release(shape->host, firstRows);
    return count >= 0;
}

static void put_faces(lbText* text, lbFile* file, const lbShape* shape, const int* coords) {
    int material = -1;
    for (int i = 0; i < shape->triangleCount; ++i) {
        if (material_of_triangle(shape, i) != material) {
            material = material_of_triangle(shape, i);
            lb_text_print(text, "usemtl ");
            put_material_name(text, shape, material);
            lb_text_print(text, "\n");
        }
        lb_text_print(text, "f");
        for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; ++k) {
            lb_text_print(text, " %d", shape->triangles[k] + 1);
            if (coords != NULL) {
                lb_text_print(text, "/%d", coords[k] + 1);
            }
        }
        lb_text_print(text, "\n");
        flush_if_large(text, file);
    }
}

static lbResult write_surface(const lbShape* shape, const char* libraryPath, lbFile* file) {
    lbText text = {.host = shape->host};
    lb_text_print(&text, "# written by limber\n");
    if (libraryPath != NULL) {
        lb_text_print(&text, "mtllib %s\n", lb_path_file(libraryPath));
    }
    put_points(&text, file, shape);
    bool hasCoords = shape->textureCoords != NULL;
    int* coords = hasCoords ? LB_NEW(shape->host, int, 3 * (int64_t)shape->triangleCount) : NULL;
    bool ok = !hasCoords || (coords != NULL && put_texture_coords(&text, file, shape, coords));
    if (ok) {
        put_faces(&text, file, shape, coords);
        flush_text(&text, file);
    }
    ok = ok && !text.failed;
    lb_release(shape->host, coords);
    lb_text_free(&text);
    return ok ? lb_settle_file(file) : lb_out_of_memory("an OBJ file");
}

/* Both files are whole before either is put in place. */
static lbResult write_with_library(const lbShape* shape, const char* path, const char* libraryPath) {
    lbFile surface = {0}, library = {0};
    lbResult result = lb_open_file(shape->host, path, &surface);
    if (result.code == lb_ok) {
        result = write_surface(shape, libraryPath, &surface);
    }
    if (result.code == lb_ok) {
        result = lb_open_file(shape->host, libraryPath, &library);
    }
    if (result.code == lb_ok) {
        result = write_library(shape, path, &library);
    }
    if (result.code == lb_ok) {
        result = lb_commit_file(&library);
    }
    if (result.code == lb_ok) {
        result = lb_commit_file(&surface);
    }
    lb_discard_file(&library);
    lb_discard_file(&surface);
    return result;
}

static lbResult write_alone(const lbShape* shape, const char* path) {
    lbFile surface;
    LB_TRY(lb_open_file(shape->host, path, &surface));
    lbResult result = write_surface(shape, NULL, &surface);
    if (result.code == lb_ok) {
        result = lb_commit_file(&surface);
    }
    lb_discard_file(&surface);
    return result;
}

lbResult lb_write_obj(const lbShape* shape, const char* path) {
    if (shape->materialCount == 0) {
        return write_alone(shape, path);
    }
    char* libraryPath = path_with_ending(shape, path, ".mtl");
    if (libraryPath == NULL) {
        return lb_out_of_memory("an MTL file's name");
    }
    lbResult result = write_with_library(shape, path, libraryPath);
    lb_release(shape->host, libraryPath);
    return result;
}
