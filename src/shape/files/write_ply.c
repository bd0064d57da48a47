/* Binary PLY: points in order, colours (8 bit), texture coordinates of corners, and textures by name as MeshLab does.
 */
#include "base/file.h"
#include "base/result.h"
#include "base/text.h"
#include "shape/files/shape_files.h"
#include "shape/files/srgb.h"
#include "shape/shape.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "PLY is written in the machine's byte order");

/* PLY knows materials only as numbered textures: it can hold them if each has one. */
static bool has_textures(const lbShape* shape) {
    for (int i = 0; i < shape->materialCount; ++i) {
        const char* path = shape->materials[i].texturePath;
        if (path[0] == 0 || strpbrk(path, "\r\n") != NULL) {
            return false;
        }
    }
    return shape->materialCount > 0;
}

static void write_header(lbText* text, const lbShape* shape) {
    lb_text_print(text, "ply\nformat binary_little_endian 1.0\ncomment written by limber\n");
    for (int i = 0; has_textures(shape) && i < shape->materialCount; ++i) {
        lb_text_print(text, "comment TextureFile %s\n", shape->materials[i].texturePath);
    }
    lb_text_print(text, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n", shape->pointCount);
    if (shape->colors != NULL) {
        lb_text_print(text, "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n");
    }
    lb_text_print(text, "element face %d\nproperty list uchar int vertex_indices\n", shape->triangleCount);
    if (shape->textureCoords != NULL) {
        lb_text_print(text, "property list uchar float texcoord\n");
    }
    if (has_textures(shape)) {
        lb_text_print(text, "property int texnumber\n");
    }
    lb_text_print(text, "end_header\n");
}

static unsigned char byte_of_share(double share) {
    return (unsigned char)(255 * clamp_to_unit(share) + 0.5);
}

static void write_point(lbFile* file, const lbShape* shape, int point) {
    lb_write(file, shape->points + 3 * (size_t)point, 3 * sizeof(float));
    if (shape->colors != NULL) {
        const float* color = shape->colors + 4 * (size_t)point;
        unsigned char bytes[4];
        for (int k = 0; k < 3; ++k) {
            bytes[k] = byte_of_share(srgb_from_linear(clamp_to_unit((double)color[k])));
        }
        bytes[3] = byte_of_share((double)color[3]);
        lb_write(file, bytes, sizeof(bytes));
    }
}

static void write_face(lbFile* file, const lbShape* shape, int triangle, bool textures) {
    const unsigned char cornerCount = 3, coordCount = 6;
    lb_write(file, &cornerCount, 1);
    lb_write(file, shape->triangles + 3 * (size_t)triangle, 3 * sizeof(int));
    if (shape->textureCoords != NULL) {
        lb_write(file, &coordCount, 1);
        lb_write(file, shape->textureCoords + 6 * (size_t)triangle, 6 * sizeof(float));
    }
    if (textures) {
        int material = material_of_triangle(shape, triangle);
        lb_write(file, &material, sizeof(material));
    }
}

lbResult lb_write_ply(const lbShape* shape, const char* path) {
    lbFile file;
    LB_TRY(lb_open_file(shape->host, path, &file));
    lbText header = {.host = shape->host};
    write_header(&header, shape);
    if (header.failed) {
        lb_text_free(&header);
        lb_discard_file(&file);
        return lb_out_of_memory("a PLY header");
    }
    lb_write(&file, header.data, header.size);
    lb_text_free(&header);
    for (int i = 0; i < shape->pointCount; ++i) {
        write_point(&file, shape, i);
    }
    bool textures = has_textures(shape);
    for (int i = 0; i < shape->triangleCount; ++i) {
        write_face(&file, shape, i, textures);
    }
    return lb_commit_file(&file);
}
