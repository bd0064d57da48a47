/* Binary STL: triangles only, no materials, colours or order of points. */
#include "base/file.h"
#include "base/math.h"
#include "base/result.h"
#include "shape/files/shape_files.h"
#include "shape/shape.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "STL is written in the machine's byte order");

static void write_facet(lbFile* file, const lbShape* shape, int triangle) {
    const int* t = shape->triangles + 3 * (size_t)triangle;
    float facet[12];
    lbVec3 corners[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] = vec3_load(shape->points + 3 * (size_t)t[k]);
        vec3_store(facet + 3 + 3 * k, corners[k]);
    }
    /* in double: tiny triangles have normals too */
    lbVec3d ab = vec3d_sub(vec3d_from(corners[1]), vec3d_from(corners[0]));
    lbVec3d ac = vec3d_sub(vec3d_from(corners[2]), vec3d_from(corners[0]));
    vec3_store(facet, vec3_from(vec3d_normalize(vec3d_cross(ab, ac))));
    unsigned char bytes[50] = {0};
    memcpy(bytes, facet, sizeof(facet));
    lb_write(file, bytes, sizeof(bytes));
}

lbResult lb_write_stl(const lbShape* shape, const char* path) {
    lbFile file;
    LB_TRY(lb_open_file(shape->host, path, &file));
    char header[80] = "binary STL, written by limber"; /* must not begin with "solid" */
    uint32_t count = (uint32_t)shape->triangleCount;
    lb_write(&file, header, sizeof(header));
    lb_write(&file, &count, sizeof(count));
    for (int i = 0; i < shape->triangleCount; ++i) {
        write_facet(&file, shape, i);
    }
    return lb_commit_file(&file);
}
