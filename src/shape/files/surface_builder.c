#include "shape/files/surface_builder.h"

#include "base/math.h"
#include "base/result.h"
#include "base/text.h"
#include "shape/files/srgb.h"
#include "shape/files/triangulate.h"

#include <limits.h>
#include <string.h>

bool lb_add_point(lbSurfaceBuilder* builder, float x, float y, float z) {
    const lbHost* host = builder->host;
    return LB_PUSH(host, &builder->points, x) && LB_PUSH(host, &builder->points, y) &&
           LB_PUSH(host, &builder->points, z);
}

/* White for all points that have no colour yet. */
static bool fill_colors(lbSurfaceBuilder* builder, int pointCount) {
    if (pointCount > INT_MAX / 4) {
        return false;
    }
    while (builder->colors.count < 4 * pointCount) {
        if (!LB_PUSH(builder->host, &builder->colors, 1.0f)) {
            return false;
        }
    }
    return true;
}

bool lb_set_color(lbSurfaceBuilder* builder, double red, double green, double blue, double alpha) {
    int pointCount = builder->points.count / 3;
    if (!fill_colors(builder, pointCount)) {
        return false;
    }
    float* color = builder->colors.data + 4 * (size_t)(pointCount - 1);
    color[0] = (float)clamp_to_unit(red), color[1] = (float)clamp_to_unit(green);
    color[2] = (float)clamp_to_unit(blue), color[3] = (float)clamp_to_unit(alpha);
    return true;
}

bool lb_add_texture_coord(lbSurfaceBuilder* builder, float u, float v) {
    return LB_PUSH(builder->host, &builder->textureCoords, u) && LB_PUSH(builder->host, &builder->textureCoords, v);
}

bool lb_add_corner(lbSurfaceBuilder* builder, int point, int textureCoord) {
    lbCorner corner = {point, textureCoord};
    return LB_PUSH(builder->host, &builder->corners, corner);
}

bool lb_end_polygon(lbSurfaceBuilder* builder, int material, int place) {
    lbPolygon polygon = {.material = material, .place = place};
    if (builder->polygons.count > 0) {
        const lbPolygon* last = &builder->polygons.data[builder->polygons.count - 1];
        polygon.firstCorner = last->firstCorner + last->cornerCount;
    }
    polygon.cornerCount = builder->corners.count - polygon.firstCorner;
    return LB_PUSH(builder->host, &builder->polygons, polygon);
}

int lb_add_material(lbSurfaceBuilder* builder, const char* name, size_t length) {
    lbShapeMaterial material = {.baseColor = {0.8f, 0.8f, 0.8f, 1}, .roughness = 0.6f};
    material.name = lb_copy_text(builder->host, name, length);
    material.texturePath = lb_copy_text(builder->host, "", 0);
    if (material.name == NULL || material.texturePath == NULL ||
        !LB_PUSH(builder->host, &builder->materials, material)) {
        lb_release(builder->host, (void*)material.name);
        lb_release(builder->host, (void*)material.texturePath);
        return -1;
    }
    return builder->materials.count - 1;
}

static lbResult place_error(const lbSurfaceBuilder* builder, int place, const char* what) {
    return builder->binary ? lb_error(lb_errorFormat, "%s: face %d: %s", builder->path, place, what)
                           : lb_error(lb_errorFormat, "%s:%d: %s", builder->path, place, what);
}

static lbResult check_polygon(const lbSurfaceBuilder* builder, const lbPolygon* polygon) {
    if (polygon->cornerCount < 3) {
        lbResult words =
            lb_error(lb_errorFormat, "expected a face of at least 3 corners, found %d", polygon->cornerCount);
        return place_error(builder, polygon->place, words.message);
    }
    int pointCount = builder->points.count / 3, coordCount = builder->textureCoords.count / 2;
    for (int i = 0; i < polygon->cornerCount; ++i) {
        const lbCorner* corner = &builder->corners.data[polygon->firstCorner + i];
        bool badPoint = corner->point < 0 || corner->point >= pointCount;
        if (badPoint || corner->textureCoord >= coordCount) {
            int base = builder->firstIndex;
            const char* what = badPoint ? "point" : "texture coordinate";
            int index = badPoint ? corner->point : corner->textureCoord, count = badPoint ? pointCount : coordCount;
            lbResult words = lb_error(lb_errorFormat, "a face uses %s %lld, but the file has %d (%d to %d)", what,
                                      (long long)index + base, count, base, count - 1 + base);
            return place_error(builder, polygon->place, words.message);
        }
    }
    return lb_success();
}

static lbResult check_polygons(const lbSurfaceBuilder* builder, int64_t* triangleCount, int* mostCorners) {
    *triangleCount = 0;
    *mostCorners = 0;
    for (int i = 0; i < builder->polygons.count; ++i) {
        const lbPolygon* polygon = &builder->polygons.data[i];
        LB_TRY(check_polygon(builder, polygon));
        *triangleCount += polygon->cornerCount - 2;
        *mostCorners = int_max(*mostCorners, polygon->cornerCount);
    }
    if (builder->points.count == 0) {
        return lb_error(lb_errorFormat, "%s: expected a surface, found no points", builder->path);
    }
    if (*triangleCount == 0) {
        return lb_error(lb_errorFormat, "%s: expected a surface, found %d points but no faces", builder->path,
                        builder->points.count / 3);
    }
    if (*triangleCount > INT_MAX) {
        return lb_error(lb_errorFormat, "%s: has %lld triangles, more than %d", builder->path,
                        (long long)*triangleCount, INT_MAX);
    }
    return lb_success();
}

/* What becomes of the polygons. */
typedef struct lbTriangles {
    int* points;     /* (x 3) */
    float* coords;   /* (x 6) or NULL */
    int* materials;  /* or NULL */
    lbVec3d* places; /* of one polygon's corners */
    int* cut;        /* one polygon's triangles */
} lbTriangles;

static void triangulate_all(const lbSurfaceBuilder* builder, const lbTriangles* out) {
    size_t corner = 0;
    for (int i = 0; i < builder->polygons.count; ++i) {
        const lbPolygon* polygon = &builder->polygons.data[i];
        const lbCorner* corners = builder->corners.data + polygon->firstCorner;
        for (int k = 0; k < polygon->cornerCount; ++k) {
            out->places[k] = vec3d_load(builder->points.data + 3 * (size_t)corners[k].point);
        }
        lb_triangulate_polygon(out->places, polygon->cornerCount, out->cut);
        for (int k = 0; k < 3 * (polygon->cornerCount - 2); ++k, ++corner) {
            const lbCorner* from = &corners[out->cut[k]];
            out->points[corner] = from->point;
            if (out->coords != NULL && from->textureCoord >= 0) {
                memcpy(out->coords + 2 * corner, builder->textureCoords.data + 2 * (size_t)from->textureCoord,
                       2 * sizeof(float));
            }
            if (out->materials != NULL) {
                out->materials[corner / 3] = polygon->material;
            }
        }
    }
}

/* Polygons without a material get one of their own if others have some. */
static bool give_all_a_material(lbSurfaceBuilder* builder) {
    int fallback = -1;
    for (int i = 0; i < builder->polygons.count && builder->materials.count > 0; ++i) {
        lbPolygon* polygon = &builder->polygons.data[i];
        if (polygon->material < 0) {
            fallback = fallback >= 0 ? fallback : lb_add_material(builder, "", 0);
            polygon->material = fallback;
            if (fallback < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool any_corner_has_coords(const lbSurfaceBuilder* builder) {
    for (int i = 0; i < builder->corners.count; ++i) {
        if (builder->corners.data[i].textureCoord >= 0) {
            return true;
        }
    }
    return false;
}

lbResult lb_finish_surface(lbSurfaceBuilder* builder, lbShape** shape) {
    const lbHost* host = builder->host;
    int64_t triangleCount = 0;
    int mostCorners = 0;
    LB_TRY(check_polygons(builder, &triangleCount, &mostCorners));
    int pointCount = builder->points.count / 3;
    bool coords = any_corner_has_coords(builder);
    lbTriangles out = {0};
    lbResult result =
        lb_error(lb_errorMemory, "%s: out of memory for its %lld triangles", builder->path, (long long)triangleCount);
    if (!give_all_a_material(builder) || (builder->colors.count > 0 && !fill_colors(builder, pointCount))) {
        return result;
    }
    out.points = LB_NEW(host, int, 3 * triangleCount);
    out.coords = coords ? LB_NEW(host, float, 6 * triangleCount) : NULL;
    out.materials = builder->materials.count > 0 ? LB_NEW(host, int, triangleCount) : NULL;
    out.places = LB_NEW(host, lbVec3d, mostCorners);
    out.cut = LB_NEW(host, int, 3 * (int64_t)mostCorners);
    if (out.points != NULL && out.places != NULL && out.cut != NULL && (out.coords != NULL || !coords) &&
        (out.materials != NULL || builder->materials.count == 0)) {
        triangulate_all(builder, &out);
        lbShapeDef def = lbDefaultShapeDef();
        def.pointCount = pointCount, def.points = builder->points.data;
        def.triangleCount = (int)triangleCount, def.triangles = out.points;
        def.colors = builder->colors.count > 0 ? builder->colors.data : NULL;
        def.textureCoords = out.coords, def.materialIndices = out.materials;
        def.materialCount = builder->materials.count, def.materials = builder->materials.data;
        def.host = host;
        result = lb_in_context(lbCreateShape(&def, shape), "%s", builder->path);
    }
    lb_release(host, out.points);
    lb_release(host, out.coords);
    lb_release(host, out.materials);
    lb_release(host, out.places);
    lb_release(host, out.cut);
    return result;
}

void lb_free_surface_builder(lbSurfaceBuilder* builder) {
    const lbHost* host = builder->host;
    for (int i = 0; i < builder->materials.count; ++i) {
        lb_release(host, (void*)builder->materials.data[i].name);
        lb_release(host, (void*)builder->materials.data[i].texturePath);
        lb_release(host, (void*)builder->materials.data[i].texture);
    }
    LB_FREE_ARRAY(host, &builder->materials);
    LB_FREE_ARRAY(host, &builder->points);
    LB_FREE_ARRAY(host, &builder->colors);
    LB_FREE_ARRAY(host, &builder->textureCoords);
    LB_FREE_ARRAY(host, &builder->corners);
    LB_FREE_ARRAY(host, &builder->polygons);
}
