/* What models of all kinds share. To add a kind: name it in `kinds`. */
#include "body/model.h"

#include "base/result.h"
#include "body/adaptive/adaptive_model.h"
#include "body/compliant/compliant_model.h"
#include "body/dynamic/dynamic_model.h"
#include "body/elastostatic/elastostatic_model.h"
#include "body/rigid/rigid_model.h"
#include "contact/collision_shape.h"
#include "contact/skin_topology.h"

#include <string.h>

enum { modelCookie = 0x6d6f646c };

static const struct {
    const char* name;
    lbResult (*create)(const lbHost* host, const lbModelDef* def, lbModel** model);
} kinds[lb_modelKindCount] = {
    [lb_modelDynamic] = {"dynamic", lb_create_dynamic_model},
    [lb_modelRigid] = {"rigid", lb_create_rigid_model},
    [lb_modelAdaptive] = {"adaptive", lb_create_adaptive_model},
    [lb_modelElastostatic] = {"elastostatic", lb_create_elastostatic_model},
    [lb_modelCompliant] = {"compliant", lb_create_compliant_model},
};

const char* lbModelKind_GetName(lbModelKind kind) {
    return (unsigned)kind < lb_modelKindCount ? kinds[kind].name : NULL;
}

bool lbModelKind_FromName(const char* name, lbModelKind* kind) {
    for (int i = 0; i < lb_modelKindCount; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = (lbModelKind)i;
            return true;
        }
    }
    return false;
}

lbModelDef lbDefaultModelDef(void) {
    return (lbModelDef){
        .mesh =
            {.kind = lb_meshTetGrid, .thickness = 0.001f, .bend = 0.02f, .levels = 3, .depth = 5, .mechanicalDepth = 3},
        .collision = {.kind = lb_collisionMesh},
        .material = {.density = 1000,
                     .youngsModulus = 20000,
                     .poissonsRatio = 0.3f,
                     .stiffnessDamping = 0.002f,
                     .massDamping = 0.1f},
        .law = {.kind = lb_lawSprings, .springPower = 3},
        .cookie = modelCookie,
    };
}

lbResult lb_create_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    *model = NULL;
    if (def == NULL || def->cookie != modelCookie) {
        return lb_error(lb_errorArgument, "the model's definition was not made by lbDefaultModelDef()");
    }
    if ((unsigned)def->kind >= lb_modelKindCount) {
        return lb_error(lb_errorArgument, "model kind %d does not exist", (int)def->kind);
    }
    return kinds[def->kind].create(host, def, model);
}

/* ---- What all kinds have ----------------------------------------------------------------------------------------- */

static void share_areas(lbModel* model) {
    const float* points = lbShape_GetPoints(model->shape);
    const int* triangles = lbShape_GetTriangles(model->shape);
    for (int t = 0; t < lbShape_GetTriangleCount(model->shape); ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        lbVec3d a = vec3d_load(points + 3 * (size_t)corner[0]);
        lbVec3d ab = vec3d_sub(vec3d_load(points + 3 * (size_t)corner[1]), a);
        lbVec3d ac = vec3d_sub(vec3d_load(points + 3 * (size_t)corner[2]), a);
        float third = (float)(vec3d_length(vec3d_cross(ab, ac)) / 6);
        for (int k = 0; k < 3; ++k) {
            model->skinAreas[corner[k]] += third;
        }
    }
}

static lbBox bounds_of(const float* points, int count) {
    lbBox box = box_empty();
    for (int i = 0; i < count; ++i) {
        lbVec3 at = vec3_load(points + 3 * (size_t)i);
        box = (lbBox){vec3_min(box.lower, at), vec3_max(box.upper, at)};
    }
    return box;
}

static lbResult measure_surface(lbModel* model) {
    const lbHost* host = model->host;
    const lbShape* shape = model->shape;
    model->skinPointCount = lbShape_GetPointCount(shape);
    model->skinAreas = LB_NEW(host, float, model->skinPointCount);
    model->topology = LB_NEW(host, lbSkinTopology, 1);
    if (model->skinAreas == NULL || model->topology == NULL) {
        return lb_out_of_memory("a model");
    }
    share_areas(model);
    lbVec3 size = box_size(bounds_of(lbShape_GetPoints(shape), model->skinPointCount));
    model->leastExtent = fminf(size.x, fminf(size.y, size.z));
    /* Sheets fold anywhere. */
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    model->isSheet = report.boundaryEdgeCount > 0; /* edges of four triangles are pinches of solids */
    return lb_make_skin_topology(host, lbShape_GetPoints(shape), model->skinPointCount, lbShape_GetTriangles(shape),
                                 lbShape_GetTriangleCount(shape), model->isSheet ? -1 : LB_SHARP_DEGREES,
                                 model->topology);
}

lbResult lb_begin_model(lbModel* model, const lbModelOps* ops, const lbHost* host, lbShape* shape) {
    *model = (lbModel){.ops = ops, .host = host, .shape = shape};
    return shape != NULL ? measure_surface(model) : lb_success();
}

static void release_surface(lbModel* model) {
    if (model->topology != NULL) {
        lb_free_skin_topology(model->host, model->topology);
    }
    lb_release(model->host, model->topology);
    lb_release(model->host, model->skinAreas);
    lbDestroyShape(model->shape);
    model->topology = NULL;
    model->skinAreas = NULL;
    model->shape = NULL;
}

lbResult lb_change_model_surface(lbModel* model, lbShape* shape) {
    release_surface(model);
    model->shape = shape;
    return measure_surface(model);
}

void lb_end_model(lbModel* model) {
    release_surface(model);
    lb_destroy_collision_shape(model->collision);
}
