/* A solid, a sheet and a line in one body: a bunny with a wing and a tail, as hexahedra and as ten times as many
 * tetrahedra. Its middle is held, and weight bends both like cantilevers: q L^4 / (8 E I). */
#include "base/result.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m: how thick wing and tail are, where they are held, and where they end. */
static const float thick = 0.04f, heldTo = 0.2f, end = 0.6f;

static const float boxes[2][6] = {{0.05f, -0.12f, -0.1f, 0.6f, -0.08f, 0.1f},      /* wing */
                                  {-0.6f, -0.12f, -0.02f, -0.05f, -0.08f, 0.02f}}; /* tail */
enum { boxPoints = 8, boxTriangles = 12 };

static void add_box(const float box[6], int first, float* points, int* triangles) {
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int k = 0; k < 3 * boxPoints; ++k) {
        points[k] = box[k % 3 + (k / 3 >> k % 3 & 1) * 3];
    }
    for (int k = 0; k < 3 * boxTriangles; ++k) {
        triangles[k] = first + faces[k / 3][k % 3];
    }
}

/* Parts reach into one another: each is closed. */
static lbResult make_shape(lbShape** shape) {
    lbGeneratorDef bunny = lbDefaultGeneratorDef(lb_shapeBunny);
    lbShape* body = NULL;
    bunny.edge = 0.05f;
    LB_TRY(lbGenerateShape(&bunny, &body));
    int pointCount = lbShape_GetPointCount(body), triangleCount = lbShape_GetTriangleCount(body);
    float* points = calloc(3 * (size_t)(pointCount + 2 * boxPoints), sizeof(float));
    int* triangles = calloc(3 * (size_t)(triangleCount + 2 * boxTriangles), sizeof(int));
    memcpy(points, lbShape_GetPoints(body), 3 * (size_t)pointCount * sizeof(float));
    memcpy(triangles, lbShape_GetTriangles(body), 3 * (size_t)triangleCount * sizeof(int));
    for (int b = 0; b < 2; ++b) {
        add_box(boxes[b], pointCount + b * boxPoints, points + 3 * (pointCount + b * boxPoints),
                triangles + 3 * (triangleCount + b * boxTriangles));
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = pointCount + 2 * boxPoints;
    def.points = points;
    def.triangleCount = triangleCount + 2 * boxTriangles;
    def.triangles = triangles;
    lbResult result = lbCreateShape(&def, shape);
    free(points);
    free(triangles);
    lbDestroyShape(body);
    return result;
}

/* How far a part of length L, m, sinks at its end: weight and stiffness grow with its width alike. */
static double theory(const lbMaterial* material, double L) {
    double t = (double)thick;
    return (double)material->density * 9.81 * t * pow(L, 4) / (8 * (double)material->youngsModulus * pow(t, 3) / 12);
}

/* Mean of how far the corners of the ends sink, over theory: of the wing, of the tail. Parts begin at the last of their
 * nodes that are held. */
static void measure_tips(const lbDynamicModel* model, const lbShape* shape, const double* moved, double sinking[2]) {
    const float* points = lbShape_GetPoints(shape);
    int counts[2] = {0};
    double held[2] = {0};
    for (int i = 0; i < model->nodeCount; ++i) {
        double x = (double)model->rest[4 * i], y = (double)model->rest[4 * i + 1];
        if (fabs(x) <= (double)heldTo && y > -0.2 && y < 0) {
            held[x < 0] = fmax(held[x < 0], fabs(x));
        }
    }
    sinking[0] = sinking[1] = 0;
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        int part = points[3 * i] > end - 1e-3f ? 0 : points[3 * i] < -end + 1e-3f ? 1 : -1;
        for (int k = 0; part >= 0 && k < model->skin.width; ++k) {
            size_t at = (size_t)i * (size_t)model->skin.width + (size_t)k;
            sinking[part] -= (double)model->skin.weights[at] * moved[4 * (size_t)model->skin.nodes[at] + 1];
        }
        counts[part >= 0 ? part : 0] += part >= 0;
    }
    for (int part = 0; part < 2; ++part) {
        sinking[part] /= counts[part] * theory(&model->material, (double)end - held[part]);
    }
}

static lbResult sink(lbWorld* world, const lbModelDef* def, const lbShape* shape, double sinking[2], int* elements) {
    lbBodyDef bodyDef = lbDefaultBodyDef();
    lbBodyId id;
    lbPinDef pin = lbDefaultPinDef();
    lbPinId pinId;
    bodyDef.integrator = lb_integratorImplicitEuler;
    LB_TRY(lbCreateModel(world, def, &bodyDef.model));
    LB_TRY(lbCreateBody(world, &bodyDef, &id));
    pin.body = id;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-heldTo, -9, -9}, {heldTo, 9, 9}}};
    LB_TRY(lbCreatePin(world, &pin, &pinId));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    size_t count = 4 * (size_t)body->model->nodeCount;
    float* f = calloc(count, sizeof(float));
    double* moved = calloc(count, sizeof(double));
    for (size_t i = 0; i < count; i += 4) {
        f[i + 1] = -9.81f * body->model->mass[i / 4];
    }
    lbResult result = lb_solve_at_rest(body, f, moved);
    measure_tips(body->model, shape, moved, sinking);
    *elements = def->mesh.kind == lb_meshVoxels ? body->model->mesh.hexCount : body->model->tetCount;
    free(f);
    free(moved);
    return result;
}

static lbResult try_mesh(const lbShape* shape, const lbMeshDef* mesh, double sinking[2], int* elements) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh = *mesh;
    def.law.kind = lb_lawCorotational;
    LB_TRY(lbCreateWorld(&worldDef, &world));
    lbResult result = sink(world, &def, shape, sinking, elements);
    lbDestroyWorld(world);
    return result;
}

/* Nothing is softer than matter: 5 % are what the bunny gives way by where parts grow out of it. How stiff thin parts
 * are that cells cut, and tetrahedra one or two of which are as thick, is what docs/voxel.md has in a table. `byVoxels`
 * is what fewer hexahedra came to, and becomes what these do: they are to come nearer. */
static lbResult compare(lbVerifyContext* context, const lbShape* shape, int hexahedra, float edge, double byVoxels[2]) {
    static const char* const partNames[] = {"wing", "tail"};
    lbMeshDef voxels = lbDefaultModelDef().mesh, tets = voxels;
    double before[2] = {byVoxels[0], byVoxels[1]}, byTets[2];
    int hexCount, tetCount;
    voxels.kind = lb_meshVoxels;
    voxels.elements = hexahedra;
    voxels.depth = 2;
    voxels.mechanicalDepth = 0;
    tets.kind = lb_meshTets;
    tets.edge = edge;
    LB_TRY(try_mesh(shape, &voxels, byVoxels, &hexCount));
    LB_TRY(try_mesh(shape, &tets, byTets, &tetCount));
    lb_verify_near(context,
                   lb_verify_name(context, "%d tetrahedra beside %d hexahedra: times as many", tetCount, hexCount),
                   (double)tetCount / hexCount, 10, 1);
    for (int part = 0; part < 2; ++part) {
        const char* name = partNames[part];
        lb_verify_at_most(context, lb_verify_name(context, "bunny's %s, %d hexahedra: sinks / theory", name, hexCount),
                          byVoxels[part], 1.05);
        lb_verify_at_most(context, lb_verify_name(context, "bunny's %s, %d tetrahedra: sinks / theory", name, tetCount),
                          byTets[part], 1.05);
        lb_verify_at_least(context, lb_verify_name(context, "bunny's %s: nearer than with fewer hexahedra by", name),
                           byVoxels[part] - before[part], 0);
    }
    return lb_success();
}

lbResult lb_verify_voxel_parts(lbVerifyContext* context) {
    lbShape* shape = NULL;
    double byVoxels[2] = {0};
    LB_TRY(make_shape(&shape));
    lbResult result = compare(context, shape, 200, 0.0477f, byVoxels);
    if (result.code == lb_ok) {
        result = compare(context, shape, 800, 0.0304f, byVoxels);
    }
    if (result.code == lb_ok) {
        result = compare(context, shape, 3200, 0.0187f, byVoxels);
    }
    lbDestroyShape(shape);
    return result;
}
