/* A surface with shorter edges, of the same form. Edges are cut in two, all that are too long at once, and each
 * triangle into two, three or four by those of its edges that were. Whether and where an edge is cut depends on its two
 * ends alone, so that triangles on its sides stay together, also where a file has the points of each triangle for
 * itself: in the middle; or, for bodies of voxels, where it crosses a face between hexahedra, so that the surface bends
 * where they do. */
#include "shape/shape.h"

#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

enum { mostTriangles = 4000000, mostRounds = 40 };

typedef struct Color {
    float c[4];
} Color;

typedef struct Surface {
    const lbHost* host;
    LB_ARRAY(lbVec3) points;
    LB_ARRAY(Color) colors;  /* of points, if there are any */
    LB_ARRAY(int) triangles; /* (3 x) */
    LB_ARRAY(float) coords;  /* (6 x), if there are any */
    LB_ARRAY(int) materials; /* of triangles, if there are any */
    bool failed;
} Surface;

/* Which edges are cut. */
typedef struct Rule {
    float edge;        /* m: those that are longer; */
    bool atFaces;      /* and cross a face between cells, */
    lbVec3 from, cell; /* m, whose lowest corner is there and whose sides are these */
} Rule;

/* Where edges are cut, by their ends. */
typedef struct Middles {
    uint64_t* keys; /* (slotCount) the ends + 1; 0: free */
    int* points;    /* (slotCount) */
    size_t slotCount;
} Middles;

/* One corner of a triangle, or the middle of one of its edges. */
typedef struct Corner {
    int point;
    float u, v;
} Corner;

static void release(Surface* surface) {
    LB_FREE_ARRAY(surface->host, &surface->points);
    LB_FREE_ARRAY(surface->host, &surface->colors);
    LB_FREE_ARRAY(surface->host, &surface->triangles);
    LB_FREE_ARRAY(surface->host, &surface->coords);
    LB_FREE_ARRAY(surface->host, &surface->materials);
}

/* An edge has the same ends for whoever looks at it. */
static bool comes_first(lbVec3 a, lbVec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* The crossing with a face across this axis that is nearest to the middle, as a share of the way; `best` if none is
 * nearer. Ends that lie on a face, or nearly, do not cross it. */
static float nearest_crossing(float a, float b, float from, float cell, float best) {
    const float least = 1e-3f;
    float low = (fminf(a, b) - from) / cell + least, high = (fmaxf(a, b) - from) / cell - least;
    float face = roundf(0.5f * (low + high));
    if (face < low) {
        face += 1;
    } else if (face > high) {
        face -= 1;
    }
    if (!(face > low && face < high)) {
        return best;
    }
    float share = (from + face * cell - a) / (b - a);
    return fabsf(share - 0.5f) < fabsf(best - 0.5f) ? share : best;
}

/* As a share of the way from a to b; 0: nowhere. */
static float share_of_cut(const Surface* surface, int a, int b, const Rule* rule) {
    lbVec3 p = surface->points.data[a], q = surface->points.data[b], along = vec3_sub(q, p);
    if (!(vec3_dot(along, along) > rule->edge * rule->edge)) {
        return 0;
    }
    if (!rule->atFaces) {
        return 0.5f;
    }
    bool forward = comes_first(p, q);
    lbVec3 first = forward ? p : q, second = forward ? q : p;
    float best = nearest_crossing(first.x, second.x, rule->from.x, rule->cell.x, 2);
    best = nearest_crossing(first.y, second.y, rule->from.y, rule->cell.y, best);
    best = nearest_crossing(first.z, second.z, rule->from.z, rule->cell.z, best);
    return best > 1 ? 0 : forward ? best : 1 - best;
}

/* Between a and b, share of the way: the same point from either side. */
static int point_between(Surface* surface, Middles* middles, int a, int b, float share) {
    if (!comes_first(surface->points.data[a], surface->points.data[b])) {
        return point_between(surface, middles, b, a, 1 - share);
    }
    uint64_t key = ((uint64_t)(unsigned)int_min(a, b) << 32 | (unsigned)int_max(a, b)) + 1;
    size_t slot = (size_t)(lb_hash(LB_HASH_START, &key, sizeof(key)) & (middles->slotCount - 1));
    while (middles->keys[slot] != 0 && middles->keys[slot] != key) {
        slot = (slot + 1) & (middles->slotCount - 1);
    }
    if (middles->keys[slot] == 0) {
        lbVec3 p = surface->points.data[a], q = surface->points.data[b];
        lbVec3 middle = vec3_add(vec3_scale(1 - share, p), vec3_scale(share, q));
        middles->keys[slot] = key;
        middles->points[slot] = surface->points.count;
        surface->failed |= !LB_PUSH(surface->host, &surface->points, middle);
        if (surface->colors.count > 0) {
            Color mean = surface->colors.data[a];
            for (int k = 0; k < 4; ++k) {
                mean.c[k] += share * (surface->colors.data[b].c[k] - mean.c[k]);
            }
            surface->failed |= !LB_PUSH(surface->host, &surface->colors, mean);
        }
    }
    return middles->points[slot];
}

static void add_triangle(Surface* to, bool textured, int material, Corner a, Corner b, Corner c) {
    const Corner corners[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
        to->failed |= !LB_PUSH(to->host, &to->triangles, corners[k].point);
        if (textured) {
            to->failed |=
                !LB_PUSH(to->host, &to->coords, corners[k].u) || !LB_PUSH(to->host, &to->coords, corners[k].v);
        }
    }
    if (material >= 0) {
        to->failed |= !LB_PUSH(to->host, &to->materials, material);
    }
}

/* `to` gets the triangles, `surface` the points. */
static void cut_triangle(Surface* surface, Middles* middles, int index, const Rule* rule, Surface* to) {
    bool textured = surface->coords.count > 0;
    int material = surface->materials.count > 0 ? surface->materials.data[index] : -1, halved = 0, first = 0;
    Corner c[3], m[3]; /* m[k] between c[k] and c[(k + 1) % 3] */
    bool isLong[3];
    for (int k = 0; k < 3; ++k) {
        const float* uv = textured ? surface->coords.data + 6 * (size_t)index + 2 * (size_t)k : NULL;
        c[k] = (Corner){surface->triangles.data[3 * (size_t)index + (size_t)k], textured ? uv[0] : 0,
                        textured ? uv[1] : 0};
    }
    for (int k = 0; k < 3; ++k) {
        const Corner *a = &c[k], *b = &c[(k + 1) % 3];
        float share = share_of_cut(surface, a->point, b->point, rule);
        isLong[k] = share > 0;
        halved += isLong[k];
        m[k] = (Corner){isLong[k] ? point_between(surface, middles, a->point, b->point, share) : -1,
                        a->u + share * (b->u - a->u), a->v + share * (b->v - a->v)};
    }
    /* One halved edge comes first; of two, the one that is not comes last. */
    while (halved == 1 ? !isLong[first] : halved == 2 && isLong[(first + 2) % 3]) {
        ++first;
    }
    Corner p = c[first], q = c[(first + 1) % 3], r = c[(first + 2) % 3];
    Corner pq = m[first], qr = m[(first + 1) % 3], rp = m[(first + 2) % 3];
    if (halved == 0) {
        add_triangle(to, textured, material, p, q, r);
    } else if (halved == 1) {
        add_triangle(to, textured, material, p, pq, r);
        add_triangle(to, textured, material, pq, q, r);
    } else if (halved == 2) {
        add_triangle(to, textured, material, pq, q, qr);
        add_triangle(to, textured, material, p, pq, qr);
        add_triangle(to, textured, material, p, qr, r);
    } else {
        add_triangle(to, textured, material, p, pq, rp);
        add_triangle(to, textured, material, pq, q, qr);
        add_triangle(to, textured, material, rp, qr, r);
        add_triangle(to, textured, material, pq, qr, rp);
    }
}

static lbResult too_many(float edge) {
    return lb_error(lb_errorArgument, "edges of %g m make more than %d triangles", (double)edge, mostTriangles);
}

/* Cuts all edges that are too long; `more`: whether there were any. */
static lbResult cut(Surface* surface, const Rule* rule, bool* more) {
    const lbHost* host = surface->host;
    int count = surface->triangles.count / 3;
    Middles middles = {.slotCount = 64};
    while (middles.slotCount < 6 * (size_t)count) {
        middles.slotCount *= 2;
    }
    middles.keys = LB_NEW(host, uint64_t, middles.slotCount);
    middles.points = LB_NEW(host, int, middles.slotCount);
    Surface to = {.host = host, .failed = middles.keys == NULL || middles.points == NULL};
    for (int i = 0; i < count && !to.failed && !surface->failed && to.triangles.count < 3 * mostTriangles; ++i) {
        cut_triangle(surface, &middles, i, rule, &to);
    }
    lb_release(host, middles.keys);
    lb_release(host, middles.points);
    bool tooMany = to.triangles.count >= 3 * mostTriangles, failed = to.failed || surface->failed;
    *more = to.triangles.count > surface->triangles.count;
    LB_FREE_ARRAY(host, &surface->triangles);
    LB_FREE_ARRAY(host, &surface->coords);
    LB_FREE_ARRAY(host, &surface->materials);
    surface->triangles.data = to.triangles.data, surface->triangles.count = to.triangles.count,
    surface->triangles.capacity = to.triangles.capacity;
    surface->coords.data = to.coords.data, surface->coords.count = to.coords.count,
    surface->coords.capacity = to.coords.capacity;
    surface->materials.data = to.materials.data, surface->materials.count = to.materials.count,
    surface->materials.capacity = to.materials.capacity;
    return failed ? lb_out_of_memory("a shape") : tooMany ? too_many(rule->edge) : lb_success();
}

static void load(Surface* surface, const lbShape* shape) {
    const lbHost* host = surface->host;
    for (int i = 0; i < shape->pointCount && !surface->failed; ++i) {
        surface->failed |= !LB_PUSH(host, &surface->points, vec3_load(shape->points + 3 * (size_t)i));
        if (shape->colors != NULL) {
            const float* color = shape->colors + 4 * (size_t)i;
            Color value = {{color[0], color[1], color[2], color[3]}};
            surface->failed |= !LB_PUSH(host, &surface->colors, value);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)shape->triangleCount && !surface->failed; ++i) {
        surface->failed |= !LB_PUSH(host, &surface->triangles, shape->triangles[i]);
    }
    for (size_t i = 0; shape->textureCoords != NULL && i < 6 * (size_t)shape->triangleCount && !surface->failed; ++i) {
        surface->failed |= !LB_PUSH(host, &surface->coords, shape->textureCoords[i]);
    }
    for (int i = 0; shape->materialIndices != NULL && i < shape->triangleCount && !surface->failed; ++i) {
        surface->failed |= !LB_PUSH(host, &surface->materials, shape->materialIndices[i]);
    }
}

/* At least: none has a larger area than one of equal sides. */
static double least_triangles(const lbShape* shape, float edge) {
    double twice = 0;
    for (int i = 0; i < shape->triangleCount; ++i) {
        const int* t = shape->triangles + 3 * (size_t)i;
        lbVec3 a = vec3_load(shape->points + 3 * (size_t)t[0]), b = vec3_load(shape->points + 3 * (size_t)t[1]);
        lbVec3 c = vec3_load(shape->points + 3 * (size_t)t[2]);
        twice += (double)vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    }
    return 0.5 * twice / (0.25 * sqrt(3) * (double)edge * (double)edge);
}

static lbResult refine(const lbShape* shape, const Rule* rule, lbShape** finer) {
    Surface surface = {.host = shape->host};
    load(&surface, shape);
    lbResult result = surface.failed ? lb_out_of_memory("a shape") : lb_success();
    bool more = true;
    for (int round = 0; round < mostRounds && more && result.code == lb_ok; ++round) {
        result = cut(&surface, rule, &more);
    }
    if (result.code == lb_ok) {
        lbShapeDef def = lbDefaultShapeDef();
        def.host = shape->host;
        def.pointCount = surface.points.count;
        def.points = &surface.points.data[0].x;
        def.triangleCount = surface.triangles.count / 3;
        def.triangles = surface.triangles.data;
        def.colors = surface.colors.count > 0 ? surface.colors.data[0].c : NULL;
        def.textureCoords = surface.coords.data;
        def.materialIndices = surface.materials.data;
        def.materialCount = shape->materialCount;
        def.materials = shape->materials;
        result = lbCreateShape(&def, finer);
    }
    release(&surface);
    return result;
}

lbResult lbShape_Subdivide(const lbShape* shape, float edge, lbShape** finer) {
    *finer = NULL;
    if (!(edge > 0) || !isfinite(edge)) {
        return lb_error(lb_errorArgument, "the longest edge is %g m; expected more than 0", (double)edge);
    }
    if (least_triangles(shape, edge) > mostTriangles) {
        return too_many(edge);
    }
    return refine(shape, &(Rule){.edge = edge}, finer);
}

lbResult lb_split_shape_at_cells(const lbShape* shape, lbVec3 from, lbVec3 cell, lbShape** split) {
    *split = NULL;
    float edge = fmaxf(cell.x, fmaxf(cell.y, cell.z));
    return refine(shape, &(Rule){.edge = edge, .atFaces = true, .from = from, .cell = cell}, split);
}
