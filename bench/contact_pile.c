#include "bench/contact_pile.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <string.h>

enum { kindCount = 4 };
static const float spacing = 0.2f;    /* m, between bodies at first: no body is longer */
static const float floorHalf = 0.15f; /* m, half the side of the bowl's floor; its walls rise at 45 degrees */

/* ---- Models ------------------------------------------------------------------------------------------------------ */

static lbResult mesh_box(const lbHost* host, lbTetMesh** mesh) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    const double size[3] = {0.11, 0.08, 0.09};
    const int cells[3] = {5, 4, 4};
    memcpy(def.size, size, sizeof(size));
    memcpy(def.cells, cells, sizeof(cells));
    def.host = host;
    return lbGenerateTetMesh(&def, mesh);
}

static lbResult mesh_shape(const lbHost* host, lbGeneratorDef generator, double edge, lbTetMesh** mesh) {
    lbShape* shape = NULL;
    generator.edge = (float)edge;
    generator.host = host;
    LB_TRY(lbGenerateShape(&generator, &shape));
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = edge;
    def.host = host;
    def.threadCount = 1;
    lbResult result = lbMeshSurface(shape, &def, mesh);
    lbDestroyShape(shape);
    return result;
}

static lbResult make_mesh(const lbHost* host, int kind, lbTetMesh** mesh) {
    lbGeneratorDef ball = lbDefaultGeneratorDef(lb_shapeSphere), capsule = lbDefaultGeneratorDef(lb_shapeCapsule),
                   starfish = lbDefaultGeneratorDef(lb_shapeStarfish);
    ball.radius = 0.05f;
    capsule.radius = 0.035f;
    capsule.length = 0.06f;
    starfish.size.x = 0.16f;
    switch (kind) {
    case 0:
        return mesh_box(host, mesh);
    case 1:
        return mesh_shape(host, ball, 0.0218, mesh);
    case 2:
        return mesh_shape(host, capsule, 0.0195, mesh);
    default:
        return mesh_shape(host, starfish, 0.015, mesh);
    }
}

static lbResult make_model(lbPile* pile, int kind, lbModelId* model, int* tetCount) {
    lbTetMesh* mesh = NULL;
    LB_TRY(make_mesh(pile->host, kind, &mesh));
    *tetCount = lbTetMesh_GetTetCount(mesh);
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshGiven;
    def.tetMesh = mesh;
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){
        .density = 1000, .youngsModulus = 5e4f, .poissonsRatio = 0.3f, .stiffnessDamping = 0.005f, .massDamping = 0.5f};
    lbResult result = lbCreateModel(pile->world, &def, model);
    if (result.code == lb_ok) {
        result = lbTetMesh_MakeSurface(mesh, &pile->surfaces[kind]);
    }
    lbDestroyTetMesh(mesh);
    if (result.code == lb_ok) {
        lbVec3 size = box_size(lbShape_GetBounds(pile->surfaces[kind]));
        pile->sizes[kind] = fmaxf(size.x, fmaxf(size.y, size.z));
        pile->mostPoints = int_max(pile->mostPoints, lbShape_GetPointCount(pile->surfaces[kind]));
    }
    return result;
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static lbResult make_bowl(lbWorld* world) {
    const float half = 0.5f * (float)LB_PI / 4; /* of the angle that a wall is turned by */
    const lbVec3 axes[5] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 5; ++i) {
        lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
        lbVec3 along = axes[i]; /* the wall's normal leans this way */
        if (i > 0) {
            lbVec3 axis = vec3_cross(vec3(0, 1, 0), along);
            def.position = vec3_scale(-floorHalf, along);
            def.rotation = (lbQuat){sinf(half) * axis.x, sinf(half) * axis.y, sinf(half) * axis.z, cosf(half)};
        }
        lbToolId tool;
        LB_TRY(lbCreateTool(world, &def, &tool));
    }
    return lb_success();
}

/* The same numbers in every run, -1 to 1. */
static float random_signed(uint64_t* state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (float)((double)(*state >> 11) / 4503599627370496.0 - 1);
}

static lbQuat random_rotation(uint64_t* state) {
    lbQuat q = {random_signed(state), random_signed(state), random_signed(state), random_signed(state)};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return length > 0.01f ? (lbQuat){q.x / length, q.y / length, q.z / length, q.w / length} : quat_identity();
}

/* Layers of side x side bodies; the lowest one is clear of the walls. */
static lbVec3 place_in_grid(int index, int bodyCount) {
    int side = (int)ceil(cbrt(0.999 * bodyCount));
    int layer = index / (side * side), row = index / side % side, column = index % side;
    float middle = 0.5f * (float)(side - 1), width = 0.5f * spacing * (float)side;
    float height = fmaxf(width * sqrtf(2) - floorHalf, 0) + 0.75f * spacing;
    return vec3(spacing * ((float)column - middle), height + spacing * (float)layer, spacing * ((float)row - middle));
}

static lbResult fill_bowl(lbPile* pile, const lbPileDef* def) {
    lbModelId models[kindCount];
    int tetCounts[kindCount];
    uint64_t random = 0x9e3779b97f4a7c15u;
    pile->modelCount = int_min(kindCount, def->bodyCount);
    for (int kind = 0; kind < pile->modelCount; ++kind) {
        LB_TRY(make_model(pile, kind, &models[kind], &tetCounts[kind]));
    }
    for (int i = 0; i < def->bodyCount; ++i) {
        lbBodyDef body = lbDefaultBodyDef();
        body.model = models[i % kindCount];
        body.integrator = lb_integratorImplicitEuler;
        body.position = def->atOnePlace ? vec3(0, 0.5f, 0) : place_in_grid(i, def->bodyCount);
        body.rotation = random_rotation(&random);
        LB_TRY(lbCreateBody(pile->world, &body, &pile->bodies[i]));
        pile->bodyCount = i + 1;
        pile->tetCount += tetCounts[i % kindCount];
    }
    return lb_success();
}

lbResult lb_create_pile(const lbHost* host, const lbPileDef* def, lbPile* pile) {
    *pile = (lbPile){.host = host};
    pile->bodies = LB_NEW(host, lbBodyId, def->bodyCount);
    if (pile->bodies == NULL) {
        return lb_out_of_memory("a pile");
    }
    lbWorldDef world = lbDefaultWorldDef();
    world.threadCount = def->threadCount;
    world.host = host;
    LB_TRY(lbCreateWorld(&world, &pile->world));
    LB_TRY(make_bowl(pile->world));
    return fill_bowl(pile, def);
}

void lb_destroy_pile(lbPile* pile) {
    lbDestroyWorld(pile->world);
    for (int kind = 0; kind < kindCount; ++kind) {
        lbDestroyShape(pile->surfaces[kind]);
    }
    lb_release(pile->host, pile->bodies);
    *pile = (lbPile){0};
}

/* ---- How it does ------------------------------------------------------------------------------------------------- */

static void look_at_point(const float* x, const float* v, lbPileMotion* motion) {
    double speed = (double)vec3_length(vec3_load(v));
    motion->finite &= isfinite(speed) && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
    motion->fastest = fmax(motion->fastest, speed);
    motion->lowest = fmin(motion->lowest, (double)x[1]);
}

lbResult lb_measure_pile(const lbPile* pile, lbPileMotion* motion) {
    *motion = (lbPileMotion){.finite = true, .lowest = INFINITY};
    float* x = LB_NEW(pile->host, float, 6 * (int64_t)pile->mostPoints);
    if (x == NULL) {
        return lb_out_of_memory("measuring a pile");
    }
    lbResult result = lb_success();
    for (int i = 0; i < pile->bodyCount && result.code == lb_ok; ++i) {
        float* v = x + 3 * (size_t)pile->mostPoints;
        lbEnergy energy = {0};
        result = lbBody_GetSkin(pile->world, pile->bodies[i], x, v, NULL);
        for (int k = 0; k < lbBody_GetSkinPointCount(pile->world, pile->bodies[i]); ++k) {
            look_at_point(x + 3 * (size_t)k, v + 3 * (size_t)k, motion);
        }
        if (result.code == lb_ok) {
            result = lbBody_GetEnergy(pile->world, pile->bodies[i], &energy);
        }
        motion->kinetic += energy.kinetic;
        motion->whole += energy.kinetic + energy.elastic + energy.gravity;
    }
    lb_release(pile->host, x);
    return result;
}

/* A body's skin as it is now. */
typedef struct Skin {
    lbShape* shape;
    lbShapeQuery* query;
    lbBox box;
    float size; /* m, at rest */
} Skin;

static lbResult look_at_skin(const lbPile* pile, int body, float* points, Skin* skin) {
    const lbShape* rest = pile->surfaces[body % kindCount];
    LB_TRY(lbBody_GetSkin(pile->world, pile->bodies[body], points, NULL, NULL));
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = lbShape_GetPointCount(rest);
    def.points = points;
    def.triangleCount = lbShape_GetTriangleCount(rest);
    def.triangles = lbShape_GetTriangles(rest);
    def.host = pile->host;
    LB_TRY(lbCreateShape(&def, &skin->shape));
    skin->box = lbShape_GetBounds(skin->shape);
    skin->size = pile->sizes[body % kindCount];
    return lbCreateShapeQuery(skin->shape, &skin->query);
}

static double depth_within(const Skin* a, const Skin* b) {
    double deepest = 0;
    for (int i = 0; i < lbShape_GetPointCount(a->shape); ++i) {
        lbVec3 x = vec3_load(lbShape_GetPoints(a->shape) + 3 * (size_t)i);
        if (box_overlaps((lbBox){x, x}, b->box)) {
            deepest = fmax(deepest, -(double)lbShapeQuery_SignedDistance(b->query, x));
        }
    }
    return deepest / (double)fminf(a->size, b->size);
}

lbResult lb_measure_pile_depth(const lbPile* pile, double* deepest) {
    *deepest = 0;
    Skin* skins = LB_NEW(pile->host, Skin, pile->bodyCount);
    float* points = LB_NEW(pile->host, float, 3 * (int64_t)pile->mostPoints);
    lbResult result = skins != NULL && points != NULL ? lb_success() : lb_out_of_memory("measuring a pile");
    for (int i = 0; i < pile->bodyCount && result.code == lb_ok; ++i) {
        result = look_at_skin(pile, i, points, &skins[i]);
    }
    for (int i = 0; i < pile->bodyCount && result.code == lb_ok; ++i) {
        for (int k = 0; k < pile->bodyCount; ++k) {
            if (k != i && box_overlaps(skins[i].box, skins[k].box)) {
                *deepest = fmax(*deepest, depth_within(&skins[i], &skins[k]));
            }
        }
    }
    for (int i = 0; skins != NULL && i < pile->bodyCount; ++i) {
        lbDestroyShapeQuery(skins[i].query);
        lbDestroyShape(skins[i].shape);
    }
    lb_release(pile->host, points);
    lb_release(pile->host, skins);
    return result;
}
