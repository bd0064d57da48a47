/* Skins against each other: every answer of trees and sweeps is held against a loop over everything, nearest points
 * against dense samples, signs against bodies whose inside is known. */
#include "contact/closest.h"
#include "contact/skin_pairs.h"
#include "test_shapes.h"

static const lbBox room = {{-1, -1, -1}, {1, 1, 1}};

/* ---- Skins that move --------------------------------------------------------------------------------------------- */

typedef struct Skin {
    lbHost host;
    lbShape* shape;
    int pointCount, triangleCount;
    lbSkinTopology topology;
    lbSkinTree tree;
    float *x, *v;
} Skin;

static Skin make_skin_of(lbShape* shape, double sharpDegrees) {
    Skin skin = {.host = lbDefaultHost(), .shape = shape};
    skin.pointCount = lbShape_GetPointCount(shape), skin.triangleCount = lbShape_GetTriangleCount(shape);
    CHECK_OK(lb_make_skin_topology(&skin.host, lbShape_GetPoints(shape), skin.pointCount, lbShape_GetTriangles(shape),
                                   skin.triangleCount, sharpDegrees, &skin.topology));
    CHECK_OK(lb_make_skin_tree(&skin.host, &skin.topology, &skin.tree));
    skin.x = malloc(3 * (size_t)skin.pointCount * sizeof(float));
    skin.v = calloc(3 * (size_t)skin.pointCount, sizeof(float));
    memcpy(skin.x, lbShape_GetPoints(shape), 3 * (size_t)skin.pointCount * sizeof(float));
    return skin;
}

static Skin make_skin(lbShapeKind kind, float edge) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.edge = edge;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    return make_skin_of(shape, kind == lb_shapeCloth ? -1 : LB_SHARP_DEGREES);
}

static void free_skin(Skin* skin) {
    lb_free_skin_tree(&skin->host, &skin->tree);
    lb_free_skin_topology(&skin->host, &skin->topology);
    free(skin->x);
    free(skin->v);
    lbDestroyShape(skin->shape);
}

static lbVec3 at(const Skin* skin, int point, float time) {
    return vec3_madd(vec3_load(skin->x + 3 * point), time, vec3_load(skin->v + 3 * point));
}

/* Rotated, moved, bent by a wave and rough; points fly about. */
static void deform(Skin* skin, lbVec3 shift, float speed) {
    lbQuat turn = quat_from_axis_angle(random_in(room), random_between(0, 3));
    lbVec3 wave = vec3_scale(6, random_in(room)), amplitude = vec3_scale(0.1f, random_in(room));
    for (int i = 0; i < skin->pointCount; ++i) {
        lbVec3 p = quat_rotate(turn, vec3_load(lbShape_GetPoints(skin->shape) + 3 * i));
        p = vec3_madd(p, sinf(vec3_dot(wave, p)), amplitude);
        vec3_store(skin->x + 3 * i, vec3_add(vec3_madd(p, 0.005f, random_in(room)), shift));
        vec3_store(skin->v + 3 * i, vec3_scale(speed, random_in(room)));
    }
}

static lbSkinSide side_of(const Skin* skin, float depth) {
    return (lbSkinSide){&skin->topology, &skin->tree, skin->x, skin->v, depth};
}

/* ---- Topology ---------------------------------------------------------------------------------------------------- */

static int count_kind(const lbSkinTopology* topology, int kind) {
    int count = 0;
    for (int i = 0; i < topology->edgeCount; ++i) {
        count += topology->edges[i].kind == kind;
    }
    return count;
}

TEST(edges_of_a_cube_are_sharp_and_diagonals_flat) {
    Skin cube = make_skin_of(make_cube(), LB_SHARP_DEGREES);
    CHECK(cube.topology.edgeCount == 18 && cube.topology.usedPointCount == 8);
    CHECK(count_kind(&cube.topology, lb_edgeSharp) == 12 && count_kind(&cube.topology, lb_edgeFlat) == 6);
    for (int i = 0; i < cube.topology.edgeCount; ++i) {
        const lbSkinEdge* edge = &cube.topology.edges[i];
        lbVec3 along = vec3_sub(at(&cube, edge->points[1], 0), at(&cube, edge->points[0], 0));
        CHECK((edge->kind == lb_edgeSharp) == (fabsf(vec3_length(along) - 2) < 1e-5f));
        CHECK(edge->triangles[1] >= 0);
        /* Half of 90 degrees, outwards. */
        lbVec3 out = lb_edge_outward(&cube.topology, cube.x, i);
        CHECK_NEAR(vec3_length(out), edge->kind == lb_edgeSharp ? sqrt(0.5) : 1, 1e-6);
        CHECK(vec3_dot(out, vec3_add(at(&cube, edge->points[1], 0), at(&cube, edge->points[0], 0))) > 0);
    }
    free_skin(&cube);
    cube = make_skin_of(make_open_cube(), LB_SHARP_DEGREES); /* borders are sharp, too */
    CHECK(count_kind(&cube.topology, lb_edgeSharp) == 12 && count_kind(&cube.topology, lb_edgeFlat) == 5);
    free_skin(&cube);
}

TEST(edges_that_bend_inwards_are_not_sharp_unless_all_are) {
    Skin torus = make_skin_of(make_torus(12, 8, 1, 0.4f), LB_SHARP_DEGREES);
    CHECK(count_kind(&torus.topology, lb_edgeConcave) > 0); /* around the hole */
    for (int i = 0; i < torus.topology.edgeCount; ++i) {
        const lbSkinEdge* edge = &torus.topology.edges[i];
        lbVec3 p = at(&torus, edge->points[0], 0), q = at(&torus, edge->points[1], 0);
        bool outside = hypotf(p.x, p.y) > 1.1f && hypotf(q.x, q.y) > 1.1f; /* convex both ways */
        CHECK(!outside || edge->kind != lb_edgeConcave);
    }
    free_skin(&torus);
    torus = make_skin_of(make_torus(12, 8, 1, 0.4f), -1);
    CHECK(count_kind(&torus.topology, lb_edgeSharp) == torus.topology.edgeCount);
    free_skin(&torus);
}

TEST(every_point_and_edge_has_one_owner) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        Skin skin = make_skin((lbShapeKind)kind, 0);
        const lbSkinTopology* topology = &skin.topology;
        char *points = calloc((size_t)skin.pointCount, 1), *edges = calloc((size_t)topology->edgeCount, 1);
        int slots = 0, wrong = 0;
        for (int i = 0; i < topology->leafCount; ++i) {
            const lbSkinLeaf* leaf = &topology->leaves[i];
            wrong += leaf->firstSlot != slots || leaf->slotEnd - leaf->firstSlot > lb_bvhLeafSize;
            slots = leaf->slotEnd;
            for (int k = leaf->firstPoint; k < leaf->pointEnd; ++k) {
                ++points[topology->ownedPoints[k]];
            }
            int end = i + 1 < topology->leafCount ? leaf[1].firstEdge : topology->edgeCount;
            for (int k = leaf->firstEdge; k < end; ++k) {
                ++edges[k];
                int kindHere = k < leaf->sharpEnd ? lb_edgeSharp : k < leaf->flatEnd ? lb_edgeFlat : lb_edgeConcave;
                wrong += topology->edges[k].kind != kindHere;
            }
        }
        for (int i = 0; i < skin.pointCount; ++i) {
            wrong += points[i] != topology->used[i];
        }
        for (int i = 0; i < topology->edgeCount; ++i) {
            wrong += edges[i] != 1;
        }
        lbShapeReport report;
        CHECK_OK(lbShape_Inspect(skin.shape, &report));
        CHECK(wrong == 0 && slots == skin.triangleCount);
        CHECK(report.edgeCount == topology->edgeCount);
        CHECK(report.usedPointCount - report.duplicatePointCount == topology->usedPointCount);
        free(points);
        free(edges);
        free_skin(&skin);
    }
}

TEST(points_at_one_place_are_one) {
    Skin soup = make_skin_of(make_sphere(2, 1, false), LB_SHARP_DEGREES); /* 128 triangles with corners of their own */
    CHECK(soup.topology.usedPointCount == 66 && soup.topology.edgeCount == 192);
    for (int i = 0; i < soup.topology.edgeCount; ++i) {
        CHECK(soup.topology.edges[i].triangles[1] >= 0);
    }
    free_skin(&soup);
}

TEST(a_topology_needs_all_its_memory) {
    for (int left = 0, done = 0; !done; ++left) {
        ScarceMemory memory = {.left = left};
        lbHost host = scarce_host(&memory);
        lbSkinTopology topology;
        lbSkinTree tree = {0};
        lbResult result = lb_make_skin_topology(&host, cubePoints, 8, cubeTriangles, 12, LB_SHARP_DEGREES, &topology);
        if (result.code == lb_ok) {
            result = lb_make_skin_tree(&host, &topology, &tree);
        }
        done = result.code == lb_ok;
        CHECK(done || result.code == lb_errorMemory);
        CHECK(left < 1000);
        lb_free_skin_tree(&host, &tree);
        lb_free_skin_topology(&host, &topology);
        CHECK(memory.live == 0);
    }
}

/* ---- Tree -------------------------------------------------------------------------------------------------------- */

static bool holds(lbBox outer, lbBox inner) {
    return box_contains(outer, inner.lower) && box_contains(outer, inner.upper);
}

static lbBox box_of_points(const Skin* skin, const int* points, int count, float dt, float margin) {
    lbBox box = box_empty();
    for (int k = 0; k < count; ++k) {
        box = box_include(box_include(box, at(skin, points[k], 0)), at(skin, points[k], dt));
    }
    lbVec3 by = vec3(margin, margin, margin);
    return (lbBox){vec3_sub(box.lower, by), vec3_add(box.upper, by)};
}

static lbBox node_box(const Skin* skin, int node) {
    const lbSkinBox* box = &skin->tree.nodeBoxes[node];
    return (lbBox){{box->lower[0], box->lower[1], box->lower[2]}, {box->upper[0], box->upper[1], box->upper[2]}};
}

TEST(a_refit_holds_every_triangle_now_and_later) {
    const float dt = 0.02f, margin = 0.003f;
    Skin skin = make_skin(lb_shapeBunny, 0);
    for (int round = 0; round < 3; ++round) {
        deform(&skin, random_in(room), 5);
        lb_refit_skin_tree(&skin.tree, &skin.topology, skin.x, skin.v, dt, margin);
        lbBox all = box_of_points(&skin, skin.topology.ownedPoints, skin.topology.usedPointCount, dt, margin);
        lbBox root = lb_skin_tree_box(&skin.tree);
        CHECK_NEAR(vec3_length(vec3_sub(root.lower, all.lower)), 0, 1e-6);
        CHECK_NEAR(vec3_length(vec3_sub(root.upper, all.upper)), 0, 1e-6);
        int outside = 0;
        for (int i = 0; i < skin.topology.leafCount; ++i) {
            const lbSkinLeaf* leaf = &skin.topology.leaves[i];
            for (int slot = leaf->firstSlot; slot < leaf->slotEnd; ++slot) {
                const int* corners = lbShape_GetTriangles(skin.shape) + 3 * skin.topology.slotTriangles[slot];
                outside += !holds(node_box(&skin, leaf->node), box_of_points(&skin, corners, 3, dt, 0.999f * margin));
            }
        }
        for (int i = 0; i < skin.topology.nodeCount; ++i) {
            int first = skin.topology.nodes[i].first;
            outside += first >= 0 && (!holds(node_box(&skin, i), node_box(&skin, first)) ||
                                      !holds(node_box(&skin, i), node_box(&skin, first + 1)));
        }
        CHECK(outside == 0);
    }
    free_skin(&skin);
}

TEST(a_box_finds_its_points_and_triangles) {
    Skin skin = make_skin(lb_shapeTorus, 0.04f);
    int* found = malloc((size_t)skin.triangleCount * sizeof(int));
    char* seen = malloc((size_t)skin.triangleCount);
    const float dt = 0.01f, margin = 0.01f;
    for (int round = 0; round < 200; ++round) {
        deform(&skin, vec3(0, 0, 0), 2);
        lb_refit_skin_tree(&skin.tree, &skin.topology, skin.x, skin.v, dt, margin);
        lbBox box =
            box_include(box_include(box_empty(), vec3_scale(0.4f, random_in(room))), vec3_scale(0.4f, random_in(room)));
        int count = lb_query_box_points(&skin.tree, &skin.topology, box, found, skin.triangleCount), wrong = 0;
        CHECK(count == lb_query_box_points(&skin.tree, &skin.topology, box, NULL, 0));
        memset(seen, 0, (size_t)skin.triangleCount);
        for (int i = 0; i < count; ++i) {
            wrong += ++seen[found[i]] > 1;
        }
        for (int i = 0; i < skin.pointCount; ++i) {
            wrong += seen[i] != (skin.topology.used[i] && box_overlaps(box, box_of_points(&skin, &i, 1, dt, margin)));
        }
        count = lb_query_box_triangles(&skin.tree, &skin.topology, box, found, skin.triangleCount);
        CHECK(count == lb_query_box_triangles(&skin.tree, &skin.topology, box, found, 1));
        count = lb_query_box_triangles(&skin.tree, &skin.topology, box, found, skin.triangleCount);
        memset(seen, 0, (size_t)skin.triangleCount);
        for (int i = 0; i < count; ++i) {
            wrong += ++seen[found[i]] > 1;
        }
        for (int i = 0; i < skin.triangleCount; ++i) {
            const int* corners = lbShape_GetTriangles(skin.shape) + 3 * i;
            wrong += seen[i] != box_overlaps(box, box_of_points(&skin, corners, 3, dt, margin));
        }
        CHECK(wrong == 0);
    }
    free(found);
    free(seen);
    free_skin(&skin);
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

static int compare_pairs(const void* left, const void* right) {
    const lbSkinPair *p = left, *q = right;
    int difference = p->kind != q->kind ? p->kind - q->kind : p->a != q->a ? p->a - q->a : p->b - q->b;
    return difference;
}

static bool was_found(const lbSkinPair* pairs, int count, int kind, int a, int b) {
    const lbSkinPair key = {kind, a, b};
    return bsearch(&key, pairs, (size_t)count, sizeof(lbSkinPair), compare_pairs) != NULL;
}

static float point_to_triangle(const Skin* a, int point, const Skin* b, int triangle, float time) {
    const int* corner = lbShape_GetTriangles(b->shape) + 3 * triangle;
    float weights[3];
    return sqrtf(lb_closest_on_triangle(at(a, point, time), at(b, corner[0], time), at(b, corner[1], time),
                                        at(b, corner[2], time), weights));
}

static float edge_to_edge(const Skin* a, int first, const Skin* b, int second, float time) {
    const int *p = a->topology.edges[first].points, *q = b->topology.edges[second].points;
    float s, t;
    return sqrtf(
        lb_closest_on_segments(at(a, p[0], time), at(a, p[1], time), at(b, q[0], time), at(b, q[1], time), &s, &t));
}

static float height_over(const Skin* a, int point, const Skin* b, int triangle) {
    const int* corner = lbShape_GetTriangles(b->shape) + 3 * triangle;
    lbVec3 c = at(b, corner[0], 0);
    lbVec3 normal = vec3_cross(vec3_sub(at(b, corner[1], 0), c), vec3_sub(at(b, corner[2], 0), c));
    return vec3_dot(vec3_normalize(normal), vec3_sub(at(a, point, 0), c));
}

/* What a loop over everything finds within reach at some of the times, and how much of it is missing. */
typedef struct Tally {
    int expected, missing, tooFar;
} Tally;

static bool comes_near(float (*distance)(const Skin*, int, const Skin*, int, float), const Skin* a, int i,
                       const Skin* b, int k, float dt, float reach) {
    for (int step = 0; step <= 4; ++step) {
        if (distance(a, i, b, k, 0.25f * (float)step * dt) <= reach) {
            return true;
        }
    }
    return false;
}

static bool is_corner(const Skin* skin, int point, int triangle) {
    const int* corner = lbShape_GetTriangles(skin->shape) + 3 * triangle;
    return corner[0] == point || corner[1] == point || corner[2] == point;
}

static void tally_points(const Skin* a, const Skin* b, float depth, float dt, float reach, const lbSkinPair* pairs,
                         int count, bool swapped, Tally* tally) {
    for (int i = 0; i < a->pointCount; ++i) {
        for (int k = 0; k < b->triangleCount && a->topology.used[i]; ++k) {
            if ((a == b && is_corner(a, i, k)) || height_over(a, i, b, k) < -depth ||
                !comes_near(point_to_triangle, a, i, b, k, dt, reach)) {
                continue;
            }
            ++tally->expected;
            tally->missing += swapped ? !was_found(pairs, count, lb_pairTrianglePoint, k, i)
                                      : !was_found(pairs, count, lb_pairPointTriangle, i, k);
        }
    }
}

static void tally_edges(const Skin* a, const Skin* b, float dt, float reach, const lbSkinPair* pairs, int count,
                        Tally* tally) {
    for (int i = 0; i < a->topology.edgeCount; ++i) {
        for (int k = a == b ? i + 1 : 0; k < b->topology.edgeCount; ++k) {
            const lbSkinEdge *e = &a->topology.edges[i], *f = &b->topology.edges[k];
            bool counts = (e->kind == lb_edgeSharp && f->kind != lb_edgeConcave) ||
                          (f->kind == lb_edgeSharp && e->kind != lb_edgeConcave);
            bool neighbours = a == b && (e->points[0] == f->points[0] || e->points[0] == f->points[1] ||
                                         e->points[1] == f->points[0] || e->points[1] == f->points[1]);
            if (counts && !neighbours && comes_near(edge_to_edge, a, i, b, k, dt, reach)) {
                ++tally->expected;
                tally->missing += !was_found(pairs, count, lb_pairEdgeEdge, i, k);
            }
        }
    }
}

/* Nothing is named that is further away than reach and motion. */
static void tally_far(const Skin* a, const Skin* b, float farthest, const lbSkinPair* pairs, int count, Tally* tally) {
    for (int i = 0; i < count; ++i) {
        float distance = pairs[i].kind == lb_pairPointTriangle   ? point_to_triangle(a, pairs[i].a, b, pairs[i].b, 0)
                         : pairs[i].kind == lb_pairTrianglePoint ? point_to_triangle(b, pairs[i].b, a, pairs[i].a, 0)
                                                                 : edge_to_edge(a, pairs[i].a, b, pairs[i].b, 0);
        tally->tooFar += distance > farthest;
        tally->tooFar += i > 0 && compare_pairs(&pairs[i - 1], &pairs[i]) >= 0; /* sorted, none twice */
    }
}

static Tally check_pairs(Skin* a, Skin* b, float reach, float depth, float speed) {
    const float dt = 0.01f;
    lb_refit_skin_tree(&a->tree, &a->topology, a->x, a->v, dt, 0.7f * reach);
    lb_refit_skin_tree(&b->tree, &b->topology, b->x, b->v, dt, 0.1f * reach);
    lbSkinSide sideA = side_of(a, INFINITY), sideB = side_of(b, depth);
    int count = lb_find_skin_pairs(&sideA, &sideB, reach, NULL, 0);
    lbSkinPair* pairs = malloc((size_t)(count + 1) * sizeof(lbSkinPair));
    CHECK(lb_find_skin_pairs(&sideA, &sideB, reach, pairs, count) == count);
    Tally tally = {0};
    float safe = 0.9999f * reach;
    tally_points(a, b, 0.9999f * depth, dt, safe, pairs, count, false, &tally);
    tally_points(b, a, INFINITY, dt, safe, pairs, count, true, &tally);
    tally_edges(a, b, dt, safe, pairs, count, &tally);
    tally_far(a, b, 1.001f * reach + 2 * sqrtf(3) * speed * dt, pairs, count, &tally);
    CHECK(tally.missing == 0 && tally.tooFar == 0);
    CHECK(speed > 0 || count <= tally.expected + tally.expected / 1000 + 3); /* all that rounding may add */
    free(pairs);
    return tally;
}

TEST(all_pairs_within_reach_are_found_once) {
    const lbShapeKind kinds[] = {lb_shapeSphere, lb_shapeBox, lb_shapeTorus, lb_shapeCloth};
    int expected = 0;
    for (int i = 0; i < 16; ++i) {
        Skin a = make_skin(kinds[i / 4], 0.1f), b = make_skin(kinds[i % 4], 0.12f);
        for (int round = 0; round < 2; ++round) {
            float speed = round == 0 ? 0 : 3;
            deform(&a, vec3(0, 0, 0), speed);
            deform(&b, vec3_scale(0.3f, random_in(room)), speed);
            expected +=
                check_pairs(&a, &b, random_between(0.005f, 0.05f), i % 2 == 0 ? INFINITY : 0.02f, speed).expected;
        }
        free_skin(&a);
        free_skin(&b);
    }

    CHECK(expected > 3000);
}

/* Points fly straight at a sheet that stands still: which triangle they meet is known. */
TEST(points_that_pass_a_sheet_within_a_frame_are_paired_with_the_triangle_they_pass) {
    const float dt = 0.01f, far = 2;
    Skin a = make_skin(lb_shapeSphere, 0.1f), b = make_skin(lb_shapeCloth, 0.1f);
    deform(&a, vec3(0, 1, 0), 0);
    for (int i = 0; i < a.pointCount; ++i) {
        a.v[3 * i + 1] = -far / dt;
    }
    lb_refit_skin_tree(&a.tree, &a.topology, a.x, a.v, dt, 0);
    lb_refit_skin_tree(&b.tree, &b.topology, b.x, b.v, dt, 0);
    lbSkinSide sideA = side_of(&a, INFINITY), sideB = side_of(&b, INFINITY);
    int count = lb_find_skin_pairs(&sideA, &sideB, 0.001f, NULL, 0), passed = 0;
    lbSkinPair* pairs = malloc((size_t)(count + 1) * sizeof(lbSkinPair));
    CHECK(lb_find_skin_pairs(&sideA, &sideB, 0.001f, pairs, count) == count);
    lbShapeQuery* query = NULL;
    CHECK_OK(lbCreateShapeQuery(b.shape, &query));
    for (int i = 0; i < a.pointCount; ++i) {
        lbSurfaceHit hit = lbShapeQuery_CastRay(query, at(&a, i, 0), vec3(0, -far, 0), 1);
        if (a.topology.used[i] && hit.triangle >= 0) {
            ++passed;
            CHECK(was_found(pairs, count, lb_pairPointTriangle, i, hit.triangle));
        }
    }
    CHECK(passed > 50);
    free(pairs);
    lbDestroyShapeQuery(query);
    free_skin(&a);
    free_skin(&b);
}

TEST(a_folded_skin_is_paired_with_itself) {
    Skin cloth = make_skin(lb_shapeCloth, 0.06f);
    const float reach = 0.03f;
    for (int i = 0; i < cloth.pointCount; ++i) { /* folded over on its middle */
        float* x = cloth.x + 3 * i;
        x[1] = x[0] > 0 ? 0.02f : 0;
        x[0] = fabsf(x[0]) + random_between(-0.005f, 0.005f);
    }
    lb_refit_skin_tree(&cloth.tree, &cloth.topology, cloth.x, cloth.v, 0.01f, 0);
    lbSkinSide side = side_of(&cloth, INFINITY);
    int count = lb_find_self_pairs(&side, &(lbOwnSearch){0}, reach, NULL, 0);
    lbSkinPair* pairs = malloc((size_t)(count + 1) * sizeof(lbSkinPair));
    CHECK(lb_find_self_pairs(&side, &(lbOwnSearch){0}, reach, pairs, count) == count);
    Tally tally = {0};
    tally_points(&cloth, &cloth, INFINITY, 0, 0.9999f * reach, pairs, count, false, &tally);
    tally_edges(&cloth, &cloth, 0, 0.9999f * reach, pairs, count, &tally);
    tally_far(&cloth, &cloth, 1.001f * reach, pairs, count, &tally);
    CHECK(tally.expected > 100 && tally.missing == 0 && tally.tooFar == 0);
    CHECK(count - tally.expected <= 3);
    free(pairs);
    free_skin(&cloth);
}

TEST(too_many_pairs_are_counted_and_nothing_is_written_behind_the_room) {
    Skin a = make_skin(lb_shapeSphere, 0.1f), b = make_skin(lb_shapeBox, 0.1f);
    lb_refit_skin_tree(&a.tree, &a.topology, a.x, NULL, 0.01f, 0);
    lb_refit_skin_tree(&b.tree, &b.topology, b.x, NULL, 0.01f, 0);
    lbSkinSide sideA = side_of(&a, INFINITY), sideB = side_of(&b, INFINITY);
    sideA.v = sideB.v = NULL;
    lbSkinPair pairs[11], again[11];
    pairs[10] = again[10] = (lbSkinPair){-7, -7, -7};
    int count = lb_find_skin_pairs(&sideA, &sideB, 0.1f, pairs, 10);
    CHECK(count > 10 && count == lb_find_skin_pairs(&sideA, &sideB, 0.1f, again, 10));
    CHECK(memcmp(pairs, again, sizeof(pairs)) == 0 && pairs[10].kind == -7);
    for (int i = 1; i < 10; ++i) {
        CHECK(compare_pairs(&pairs[i - 1], &pairs[i]) < 0);
    }
    free_skin(&a);
    free_skin(&b);
}

/* ---- Boxes of bodies --------------------------------------------------------------------------------------------- */

static void check_boxes(const lbBox* boxes, int count) {
    enum { capacity = 1 << 16 };
    lbBoxScratch scratch = {malloc((size_t)(count + 1) * sizeof(int[2])),
                            aligned_alloc(sizeof(lbSkinBox), (size_t)(count + 1) * sizeof(lbSkinBox))};
    int(*pairs)[2] = malloc(capacity * sizeof(*pairs));
    int found = lb_overlapping_boxes(boxes, count, scratch, pairs, capacity), next = 0, wrong = 0;
    CHECK(found <= capacity && found == lb_overlapping_boxes(boxes, count, scratch, NULL, 0));
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count; ++k) {
            if (box_overlaps(boxes[i], boxes[k])) {
                wrong += next >= found || pairs[next][0] != i || pairs[next][1] != k;
                ++next;
            }
        }
    }
    CHECK(wrong == 0 && next == found);
    free(scratch.order);
    free(scratch.sorted);
    free(pairs);
}

TEST(overlapping_boxes_are_found_once_in_order) {
    enum { count = 1000 };
    lbBox boxes[count];
    for (int round = 0; round < 20; ++round) {
        lbVec3 spread = vec3(round % 3 == 0 ? 20.0f : 2, round % 3 == 1 ? 20.0f : 2, round % 3 == 2 ? 20.0f : 2);
        for (int i = 0; i < count; ++i) {
            lbVec3 c = random_in(room), size = vec3_scale(0.3f, random_in((lbBox){{0, 0, 0}, {1, 1, 1}}));
            c = vec3(spread.x * c.x, spread.y * c.y, spread.z * c.z);
            boxes[i] = (lbBox){vec3_sub(c, size), vec3_add(c, size)};
            if (round == 10) { /* a grid of boxes that touch, many bounds equal */
                c = vec3((float)(i % 10), (float)(i / 10 % 10), (float)(i / 100));
                boxes[i] = (lbBox){c, vec3_add(c, vec3(1, 1, 1))};
            } else if (i % 50 == 0) {
                boxes[i] = box_empty();
            } else if (i % 51 == 0) {
                boxes[i].lower.x = boxes[i].upper.y = i % 2 ? NAN : -NAN;
            } else if (i % 52 == 0) {
                boxes[i].upper = vec3(INFINITY, INFINITY, INFINITY);
            }
        }
        check_boxes(boxes, round == 11 ? 1 : round == 12 ? 0 : count);
    }
}

/* ---- Nearest points ---------------------------------------------------------------------------------------------- */

static lbVec3 weigh(const lbVec3 t[3], const float weights[3]) {
    return vec3_madd(vec3_madd(vec3_scale(weights[0], t[0]), weights[1], t[1]), weights[2], t[2]);
}

/* Some triangles have no area, or are a point. */
static void random_triangle(int round, lbVec3 t[3]) {
    for (int k = 0; k < 3; ++k) {
        t[k] = random_in(room);
    }
    if (round % 5 == 1) {
        t[2] = vec3_lerp(t[0], t[1], random_between(-1, 2));
    } else if (round % 25 == 2) {
        t[1] = t[0];
    } else if (round % 25 == 3) {
        t[2] = t[1] = t[0];
    }
}

static bool good_weights(const float weights[3]) {
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 &&
           fabsf(weights[0] + weights[1] + weights[2] - 1) < 1e-6f;
}

TEST(no_sample_of_a_triangle_is_nearer_than_the_nearest_point) {
    enum { fine = 60 };
    for (int round = 0; round < 500; ++round) {
        lbVec3 t[3], p = vec3_scale(1.5f, random_in(room));
        random_triangle(round, t);
        p = round % 7 == 0 ? t[round % 3] : p;
        float weights[3], distance = sqrtf(lb_closest_on_triangle(p, t[0], t[1], t[2], weights)), best = INFINITY;
        CHECK(good_weights(weights));
        CHECK_NEAR(vec3_length(vec3_sub(p, weigh(t, weights))), distance, 1e-6);
        for (int i = 0; i <= fine; ++i) {
            for (int k = 0; i + k <= fine; ++k) {
                const float w[3] = {(float)(fine - i - k) / fine, (float)i / fine, (float)k / fine};
                best = fminf(best, vec3_length(vec3_sub(p, weigh(t, w))));
            }
        }
        CHECK(distance <= best + 1e-6f && best <= distance + 3.5f / fine);
    }
}

TEST(no_samples_of_two_segments_are_nearer_than_the_nearest_points) {
    enum { fine = 100 };
    for (int round = 0; round < 1000; ++round) {
        lbVec3 p[2] = {random_in(room), random_in(room)}, q[2] = {random_in(room), random_in(room)};
        if (round % 5 == 1) { /* parallel, some along one line */
            lbVec3 along = vec3_sub(p[1], p[0]);
            q[0] = round % 2 ? q[0] : vec3_madd(p[0], random_between(-2, 2), along);
            q[1] = vec3_madd(q[0], random_between(-2, 2), along);
        } else if (round % 5 == 2) {
            q[1] = q[0];
            p[1] = round % 2 ? p[1] : p[0];
        } else if (round % 5 == 3) { /* crossing */
            lbVec3 middle = vec3_lerp(p[0], p[1], random_between(0, 1));
            q[1] = vec3_sub(vec3_scale(2, middle), q[0]);
        }
        float s, t, distance = sqrtf(lb_closest_on_segments(p[0], p[1], q[0], q[1], &s, &t)), best = INFINITY;
        CHECK(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        CHECK_NEAR(vec3_length(vec3_sub(vec3_lerp(p[0], p[1], s), vec3_lerp(q[0], q[1], t))), distance, 1e-6);
        for (int i = 0; i <= fine; ++i) {
            for (int k = 0; k <= fine; ++k) {
                lbVec3 apart = vec3_sub(vec3_lerp(p[0], p[1], (float)i / fine), vec3_lerp(q[0], q[1], (float)k / fine));
                best = fminf(best, vec3_length(apart));
            }
        }
        float lengths = vec3_length(vec3_sub(p[1], p[0])) + vec3_length(vec3_sub(q[1], q[0]));
        CHECK(distance <= best + 1e-6f && best <= distance + 0.5f * lengths / fine + 1e-6f);
    }
}

/* ---- Gaps -------------------------------------------------------------------------------------------------------- */

/* The nearest of a skin's triangles that answer. */
static bool nearest_gap(const Skin* skin, lbVec3 p, lbGapResult* nearest) {
    nearest->distance = INFINITY;
    for (int i = 0; i < skin->triangleCount; ++i) {
        lbVec3 t[3];
        for (int k = 0; k < 3; ++k) {
            t[k] = at(skin, lbShape_GetTriangles(skin->shape)[3 * i + k], 0);
        }
        lbGapResult gap;
        if (lb_point_triangle_gap(p, t, 0, &gap) && gap.distance < nearest->distance) {
            *nearest = gap;
        }
    }
    return isfinite(nearest->distance);
}

TEST(gaps_to_convex_bodies_have_the_sign_and_size_of_the_distance) {
    const lbShapeKind kinds[] = {lb_shapeSphere, lb_shapeBox, lb_shapeEllipsoid};
    for (int i = 0; i < 3; ++i) {
        Skin skin = make_skin(kinds[i], 0.12f);
        lbShapeQuery* query = NULL;
        CHECK_OK(lbCreateShapeQuery(skin.shape, &query));
        for (int round = 0; round < 500; ++round) {
            lbVec3 p = random_in(grown(lbShape_GetBounds(skin.shape), 0.1f));
            lbGapResult gap;
            CHECK(nearest_gap(&skin, p, &gap));
            CHECK_NEAR(gap.gap, lbShapeQuery_SignedDistance(query, p), 2e-6);
            CHECK_NEAR(vec3_length(gap.normal), 1, 1e-6);
            /* The gap grows along the normal. */
            lbVec3 further = vec3_madd(p, 1e-3f, gap.normal);
            CHECK_NEAR(lbShapeQuery_SignedDistance(query, further) - gap.gap, 1e-3, 1e-5);
        }
        lbDestroyShapeQuery(query);
        free_skin(&skin);
    }
}

/* Behind the edge of a dent a point is in front of no triangle: the triangles beside it must answer all the same. */
TEST(gaps_in_dents_have_the_sign_of_the_distance) {
    Skin skin = make_skin_of(make_torus(24, 12, 1, 0.4f), LB_SHARP_DEGREES);
    lbShapeQuery* query = NULL;
    CHECK_OK(lbCreateShapeQuery(skin.shape, &query));
    for (int round = 0; round < 2000; ++round) {
        lbVec3 p = random_in(grown(lbShape_GetBounds(skin.shape), 0.02f));
        float distance = lbShapeQuery_SignedDistance(query, p);
        lbGapResult gap;
        CHECK(nearest_gap(&skin, p, &gap));
        CHECK_NEAR(gap.distance, fabsf(distance), 2e-6);
        CHECK((gap.gap < 0) == (distance < 0));
        /* By no more than what 30 degrees of another normal make. */
        CHECK(fabsf(gap.gap) <= fabsf(distance) + 2e-6f && fabsf(gap.gap) >= 0.86f * fabsf(distance));
    }
    lbDestroyShapeQuery(query);
    free_skin(&skin);
}

TEST(a_point_beside_and_behind_a_triangle_does_not_touch_it) {
    const lbVec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    lbGapResult gap;
    CHECK(!lb_point_triangle_gap(vec3(-1, 0.5f, -0.5f), t, 0, &gap));
    CHECK(!lb_point_triangle_gap(vec3(-1, 0.5f, 0.5f), t, -1, &gap));
    CHECK(lb_point_triangle_gap(vec3(-1, 0.5f, 0.5f), t, 0, &gap)); /* beside and in front: from the edge */
    CHECK_NEAR(gap.gap, sqrt(1.25), 1e-6);
    CHECK_NEAR(gap.normal.x, -1 / sqrt(1.25), 1e-6);
    CHECK(lb_point_triangle_gap(vec3(-0.01f, 0.5f, -0.5f), t, 0, &gap)); /* behind rather than beside */
    CHECK(gap.gap == -0.5f && gap.normal.z == 1);
}

TEST(a_sheet_is_in_the_way_from_the_side_a_point_came_from) {
    const lbVec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (int side = -1; side <= 1; side += 2) {
        for (int over = -1; over <= 1; over += 2) {
            lbGapResult gap;
            CHECK(lb_point_triangle_gap(vec3(0.2f, 0.2f, 0.1f * (float)over), t, side, &gap));
            CHECK_NEAR(gap.normal.z, side, 1e-6);
            CHECK_NEAR(gap.gap, 0.1 * over * side, 1e-6);
        }
    }
}

static bool finite_gap(const lbGapResult* gap) {
    return good_weights(gap->weightsA) && good_weights(gap->weightsB) && vec3_finite(gap->normal) &&
           fabsf(vec3_length(gap->normal) - 1) < 1e-5f && isfinite(gap->gap) && isfinite(gap->distance);
}

TEST(no_gap_is_made_of_anything_but_numbers) {
    for (int round = 0; round < 5000; ++round) {
        lbVec3 t[3], p = random_in(room), edge[2] = {random_in(room), random_in(room)};
        random_triangle(round, t);
        p = round % 3 == 0 ? t[0] : round % 11 == 0 ? vec3_lerp(t[0], t[1], 0.5f) : p;
        edge[1] = round % 4 == 0 ? edge[0] : round % 7 == 0 ? vec3_add(edge[0], vec3_sub(t[1], t[0])) : edge[1];
        float scale = powf(10, random_between(-12, 6));
        for (int k = 0; k < 3; ++k) {
            t[k] = vec3_scale(scale, t[k]);
        }
        edge[0] = vec3_scale(scale, edge[0]), edge[1] = vec3_scale(scale, edge[1]);
        lbGapResult gap;
        for (int side = -1; side <= 1; ++side) {
            CHECK(!lb_point_triangle_gap(vec3_scale(scale, p), t, side, &gap) || finite_gap(&gap));
        }
        lbVec3 out = round % 2 ? vec3(0, 0, 0) : random_in(room), other = round % 3 ? vec3(0, 0, 0) : random_in(room);
        CHECK(!lb_edge_edge_gap(edge, t, out, other, &gap) || finite_gap(&gap));
        CHECK(!lb_edge_edge_gap(t, t, out, other, &gap)); /* an edge on itself is parallel */
    }
}

/* Two cubes, one turned so that an edge of each crosses the other: apart by `gap` along z. */
static int count_edge_contacts(float gap, float* worst) {
    Skin lower = make_skin_of(make_cube(), LB_SHARP_DEGREES), upper = make_skin_of(make_cube(), LB_SHARP_DEGREES);
    /* The lower one stands on an edge along x, the upper one on an edge along y. */
    lbQuat aboutX = quat_from_axis_angle(vec3(1, 0, 0), (float)LB_PI / 4);
    lbQuat aboutY = quat_from_axis_angle(vec3(0, 1, 0), (float)LB_PI / 4);
    for (int i = 0; i < 8; ++i) {
        vec3_store(lower.x + 3 * i, quat_rotate(aboutX, at(&lower, i, 0)));
        lbVec3 p = quat_rotate(aboutY, at(&upper, i, 0));
        vec3_store(upper.x + 3 * i, vec3_add(p, vec3(0.1f, 0.2f, 2 * sqrtf(2) + gap)));
    }
    lb_refit_skin_tree(&lower.tree, &lower.topology, lower.x, lower.v, 0, 0);
    lb_refit_skin_tree(&upper.tree, &upper.topology, upper.x, upper.v, 0, 0);
    lbSkinSide a = side_of(&upper, 0.3f), b = side_of(&lower, 0.3f);
    lbSkinPair pairs[1000];
    int count = lb_find_skin_pairs(&a, &b, 0.3f, pairs, 1000), contacts = 0;
    CHECK(count <= 1000);
    for (int i = 0; i < count && i < 1000; ++i) {
        if (pairs[i].kind != lb_pairEdgeEdge) {
            continue;
        }
        const int *p = upper.topology.edges[pairs[i].a].points, *q = lower.topology.edges[pairs[i].b].points;
        lbVec3 edgeA[2] = {at(&upper, p[0], 0), at(&upper, p[1], 0)};
        lbVec3 edgeB[2] = {at(&lower, q[0], 0), at(&lower, q[1], 0)};
        lbGapResult result;
        if (lb_edge_edge_gap(edgeA, edgeB, lb_edge_outward(&upper.topology, upper.x, pairs[i].a),
                             lb_edge_outward(&lower.topology, lower.x, pairs[i].b), &result)) {
            ++contacts;
            *worst = fmaxf(vec3_length(vec3_sub(result.normal, vec3(0, 0, 1))), fabsf(result.gap - gap));
        }
    }
    free_skin(&lower);
    free_skin(&upper);
    return contacts;
}

TEST(boxes_that_cross_at_an_edge_are_pushed_apart_along_the_edges_common_normal) {
    for (int i = -2; i <= 2; ++i) {
        float worst = 1;
        CHECK(count_edge_contacts(0.1f * (float)i, &worst) == 1);
        CHECK_NEAR(worst, 0, 2e-6);
    }
}

TEST_MAIN(TEST_ENTRY(edges_of_a_cube_are_sharp_and_diagonals_flat),
          TEST_ENTRY(edges_that_bend_inwards_are_not_sharp_unless_all_are),
          TEST_ENTRY(every_point_and_edge_has_one_owner), TEST_ENTRY(points_at_one_place_are_one),
          TEST_ENTRY(a_topology_needs_all_its_memory), TEST_ENTRY(a_refit_holds_every_triangle_now_and_later),
          TEST_ENTRY(a_box_finds_its_points_and_triangles), TEST_ENTRY(all_pairs_within_reach_are_found_once),
          TEST_ENTRY(points_that_pass_a_sheet_within_a_frame_are_paired_with_the_triangle_they_pass),
          TEST_ENTRY(a_folded_skin_is_paired_with_itself),
          TEST_ENTRY(too_many_pairs_are_counted_and_nothing_is_written_behind_the_room),
          TEST_ENTRY(overlapping_boxes_are_found_once_in_order),
          TEST_ENTRY(no_sample_of_a_triangle_is_nearer_than_the_nearest_point),
          TEST_ENTRY(no_samples_of_two_segments_are_nearer_than_the_nearest_points),
          TEST_ENTRY(gaps_to_convex_bodies_have_the_sign_and_size_of_the_distance),
          TEST_ENTRY(gaps_in_dents_have_the_sign_of_the_distance),
          TEST_ENTRY(a_point_beside_and_behind_a_triangle_does_not_touch_it),
          TEST_ENTRY(a_sheet_is_in_the_way_from_the_side_a_point_came_from),
          TEST_ENTRY(no_gap_is_made_of_anything_but_numbers),
          TEST_ENTRY(boxes_that_cross_at_an_edge_are_pushed_apart_along_the_edges_common_normal))
