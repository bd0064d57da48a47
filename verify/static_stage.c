#include "verify/static_stage.h"

#include "base/result.h"
#include "verify/law_checks.h"

#include <stdlib.h>
#include <string.h>

lbStaticDef lb_default_static(lbLawKind law, int x, int y, int z, lbBlockMap* map, const void* self) {
    return (lbStaticDef){
        .cells = {x, y, z}, .map = map, .self = self, .law = law, .E = 1e6, .nu = 0.3, .tolerance = 1e-8};
}

static double along(lbVec3d p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool is_inside(lbVec3d p) {
    return fmin(fmin(p.x, p.y), p.z) > 1e-9 && fmax(fmax(p.x, p.y), p.z) < 1 - 1e-9;
}

/* The mesh of the block as it is bent. */
static lbResult make_mesh(const lbStaticDef* def, lbStaticStage* stage, lbTetMesh** mesh) {
    lbTetGeneratorDef generator = lbDefaultTetGeneratorDef(lb_shapeBox);
    lbTetMesh* block = NULL;
    for (int c = 0; c < 3; ++c) {
        generator.size[c] = 1;
        generator.cells[c] = def->cells[c];
    }
    generator.pattern = lb_tetPatternFive;
    LB_TRY(lbGenerateTetMesh(&generator, &block));
    stage->count = lbTetMesh_GetPointCount(block);
    stage->parameter = calloc((size_t)stage->count, sizeof(lbVec3d));
    stage->rest = calloc((size_t)stage->count, sizeof(lbVec3d));
    stage->moved = calloc((size_t)stage->count, sizeof(lbVec3d));
    stage->list = calloc((size_t)stage->count, sizeof(int));
    lbResult result = lb_out_of_memory("a stage");
    if (stage->parameter != NULL && stage->rest != NULL && stage->moved != NULL && stage->list != NULL) {
        const double* points = lbTetMesh_GetPoints(block);
        unsigned seed = 5;
        for (int i = 0; i < stage->count; ++i) {
            lbVec3d p = vec3d(points[3 * i] + 0.5, points[3 * i + 1] + 0.5, points[3 * i + 2] + 0.5), shaken = p;
            double shake = is_inside(p) ? def->shake : 0;
            shaken.x += shake * (double)random_signed(&seed) / def->cells[0];
            shaken.y += shake * (double)random_signed(&seed) / def->cells[1];
            shaken.z += shake * (double)random_signed(&seed) / def->cells[2];
            stage->parameter[i] = p;
            stage->rest[i] = def->map(def->self, shaken);
        }
        lbTetMeshDef given = lbDefaultTetMeshDef();
        given.pointCount = stage->count;
        given.points = &stage->rest[0].x;
        given.tetCount = lbTetMesh_GetTetCount(block);
        given.tets = lbTetMesh_GetTets(block);
        result = lbCreateTetMesh(&given, mesh);
    }
    lbDestroyTetMesh(block);
    return result;
}

static lbResult fill_world(const lbStaticDef* def, const lbTetMesh* mesh, lbStaticStage* stage) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(0, 0, 0);
    worldDef.threadCount = 1;
    LB_TRY(lbCreateWorld(&worldDef, &stage->world));
    lbModelDef model = lbDefaultModelDef();
    model.mesh.kind = lb_meshGiven;
    model.tetMesh = mesh;
    model.law.kind = def->law;
    model.material.youngsModulus = (float)def->E;
    model.material.poissonsRatio = (float)def->nu;
    model.zoneCount = def->zoneCount;
    model.zones = def->zones;
    lbBodyDef body = lbDefaultBodyDef();
    body.integrator = lb_integratorSymplecticEuler;
    LB_TRY(lbCreateModel(stage->world, &model, &body.model));
    return lbCreateBody(stage->world, &body, &stage->body);
}

lbResult lb_create_stage(const lbStaticDef* def, lbStaticStage* stage) {
    *stage = (lbStaticStage){.def = *def};
    lbTetMesh* mesh = NULL;
    lbResult result = make_mesh(def, stage, &mesh);
    if (result.code == lb_ok) {
        result = fill_world(def, mesh, stage);
    }
    lbDestroyTetMesh(mesh);
    if (result.code != lb_ok) {
        lb_destroy_stage(stage);
    }
    return result;
}

void lb_destroy_stage(lbStaticStage* stage) {
    lbDestroyWorld(stage->world);
    free(stage->parameter);
    free(stage->rest);
    free(stage->moved);
    free(stage->list);
    *stage = (lbStaticStage){0};
}

lbRegion lb_face(lbStaticStage* stage, int axis, int end, lbRegionPart part) {
    lbRegion region = {.kind = lb_regionNodes, .part = part, .nodes = stage->list};
    for (int i = 0; i < stage->count; ++i) {
        if (fabs(along(stage->parameter[i], axis) - end) < 1e-9) {
            stage->list[region.nodeCount++] = i;
        }
    }
    return region;
}

lbResult lb_hold_region(lbStaticStage* stage, lbRegion region, unsigned axes, lbPinId* pin) {
    lbPinDef def = lbDefaultPinDef();
    lbPinId made;
    def.body = stage->body;
    def.region = region;
    def.axes = axes;
    return lbCreatePin(stage->world, &def, pin != NULL ? pin : &made);
}

lbResult lb_hold_face(lbStaticStage* stage, int axis, int end, unsigned axes, lbPinId* pin) {
    return lb_hold_region(stage, lb_face(stage, axis, end, lb_partNodes), axes, pin);
}

lbResult lb_slide_face(lbStaticStage* stage, int axis, int end, lbVec3 normal) {
    lbPinDef def = lbDefaultPinDef();
    lbPinId made;
    def.body = stage->body;
    def.region = lb_face(stage, axis, end, lb_partNodes);
    def.kind = lb_pinPlane;
    def.direction = normal;
    return lbCreatePin(stage->world, &def, &made);
}

lbResult lb_load_face(lbStaticStage* stage, int axis, int end, const lbLoadDef* load) {
    lbLoadDef def = *load;
    lbLoadId made;
    def.body = stage->body;
    def.region = lb_face(stage, axis, end, lb_partSurface);
    return lbCreateLoad(stage->world, &def, &made);
}

lbResult lb_settle_stage(lbStaticStage* stage) {
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    def.tolerance = (float)stage->def.tolerance;
    LB_TRY(lbBody_SolveEquilibrium(stage->world, stage->body, &def, &stage->report));
    int* numbers = stage->list;
    double* u = calloc(3 * (size_t)stage->count, sizeof(double));
    lbResult result =
        u != NULL ? lbBody_GetNodeNumbers(stage->world, stage->body, numbers) : lb_out_of_memory("a stage");
    if (result.code == lb_ok) {
        result = lbBody_GetDisplacements(stage->world, stage->body, u);
    }
    for (int i = 0; result.code == lb_ok && i < stage->count; ++i) {
        stage->moved[numbers[i]] = vec3d(u[3 * i], u[3 * i + 1], u[3 * i + 2]);
    }
    free(u);
    return result;
}

lbVec3d lb_face_displacement(const lbStaticStage* stage, int axis, int end) {
    lbVec3d sum = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < stage->count; ++i) {
        if (fabs(along(stage->parameter[i], axis) - end) < 1e-9) {
            sum = vec3d_add(sum, stage->moved[i]);
            ++count;
        }
    }
    return vec3d_scale(1.0 / count, sum);
}

lbVec3d lb_node_displacement(const lbStaticStage* stage, lbVec3d parameter) {
    int best = 0;
    for (int i = 1; i < stage->count; ++i) {
        if (vec3d_length(vec3d_sub(stage->parameter[i], parameter)) <
            vec3d_length(vec3d_sub(stage->parameter[best], parameter))) {
            best = i;
        }
    }
    return stage->moved[best];
}
