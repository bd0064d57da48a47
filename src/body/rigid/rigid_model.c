#include "body/rigid/rigid_model.h"

#include "base/result.h"
#include "body/mass_properties.h"
#include "body/rigid/rigid_body.h"
#include "body/rigid/rotation.h"

/* m. Far beyond any scene; squares and cubes of such lengths are still finite. */
static const float largestSize = 1e9f;

static lbRigidModel* own(lbModel* model) {
    return (lbRigidModel*)model;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static lbResult check_density(float density) {
    if (!(density > 0) || !isfinite(density)) {
        return lb_error(lb_errorArgument, "density is %g; expected more than 0 kg/m^3", (double)density);
    }
    return lb_success();
}

static lbResult check_def(const lbModelDef* def) {
    lbCollisionKind kind = def->collision.kind;
    if ((unsigned)kind >= lb_collisionKindCount) {
        return lb_error(lb_errorArgument, "collision kind %d does not exist", (int)kind);
    }
    if (def->shape == NULL && kind == lb_collisionMesh) {
        return lb_error(lb_errorArgument,
                        "the rigid model's definition has no shape; expected one, or that it collides by a sphere, "
                        "capsule, box or half-space");
    }
    if (def->deforms && def->shape == NULL) {
        return lb_error(lb_errorArgument, "the rigid model's definition deforms, but has no shape that could");
    }
    return check_density(def->material.density);
}

/* ---- What it looks like ------------------------------------------------------------------------------------------ */

static lbResult make_collision(const lbHost* host, const lbModelDef* def, lbCollisionShape** collision) {
    if (def->deforms) {
        return lb_success(); /* it collides by its skin */
    }
    lbCollisionDef given = def->collision;
    given.shape = given.shape != NULL ? given.shape : def->shape;
    return lb_create_collision_shape(host, &given, collision);
}

static lbResult copy_shape(const lbShape* shape, lbShape** copy) {
    return lbShape_Transform(shape, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0), copy);
}

/* Fine enough to look round. */
static lbResult generate_shape(const lbHost* host, const lbCollisionDef* collision, lbShape** shape) {
    lbGeneratorDef def;
    switch (collision->kind) {
    case lb_collisionSphere:
        def = lbDefaultGeneratorDef(lb_shapeSphere);
        def.edge = collision->radius / 8;
        break;
    case lb_collisionCapsule:
        def = lbDefaultGeneratorDef(collision->length > 0 ? lb_shapeCapsule : lb_shapeSphere);
        def.edge = collision->radius / (collision->length > 0 ? 6 : 8);
        break;
    case lb_collisionBox:
        def = lbDefaultGeneratorDef(lb_shapeBox);
        def.edge = fmaxf(fmaxf(collision->size.x, collision->size.y), collision->size.z) / 16;
        break;
    default: /* a half-space has no end that could be shown */
        return lb_success();
    }
    def.radius = collision->radius;
    def.length = collision->length;
    def.size = collision->size;
    def.host = host;
    return lbGenerateShape(&def, shape);
}

static lbResult make_shape(const lbHost* host, const lbModelDef* def, lbShape** shape) {
    return def->shape != NULL ? copy_shape(def->shape, shape) : generate_shape(host, &def->collision, shape);
}

static lbResult measure_size(lbRigidModel* model) {
    if (model->base.shape == NULL) {
        return lb_success();
    }
    model->base.size = vec3_length(box_size(lbShape_GetBounds(model->base.shape)));
    if (!(model->base.size <= largestSize)) {
        return lb_error(lb_errorArgument, "the body is %g m across; expected at most %g m", (double)model->base.size,
                        (double)largestSize);
    }
    return lb_success();
}

/* ---- What it weighs ---------------------------------------------------------------------------------------------- */

static lbResult find_mass(const lbRigidModel* model, bool shapeGiven, lbMassProperties* of1) {
    if (model->deforms) {
        return lb_error(lb_errorArgument, "its model deforms");
    }
    return shapeGiven ? lb_shape_mass_properties(model->base.shape, 1, of1)
                      : lb_collision_mass_properties(model->base.collision, 1, of1);
}

/* Contact works in float. */
static lbResult check_mass(double mass) {
    if (!(mass > 0) || !isfinite((float)mass) || !isfinite(1 / (float)mass)) {
        return lb_error(lb_errorArgument, "the body has a mass of %g kg; expected more than 0 and less than 1e38",
                        mass);
    }
    return lb_success();
}

static lbResult weigh(lbRigidModel* model, bool shapeGiven) {
    lbMassProperties of1 = {0}; /* of 1 kg/m^3 */
    model->weighed = find_mass(model, shapeGiven, &of1);
    if (model->weighed.code != lb_ok) {
        return lb_success(); /* guided bodies need none */
    }
    model->volume = of1.mass;
    model->mass = (double)model->material.density * model->volume;
    LB_TRY(check_mass(model->mass));
    model->center = of1.center;
    for (int e = 0; e < 6; ++e) {
        model->inertia[e] = of1.inertia[e] / of1.mass;
    }
    symmetric_inverse(model->inertia, model->inverseInertia);
    double moments[3];
    lbQuat axes;
    lb_principal_axes(model->inertia, moments, &axes);
    model->unevenness = 1 - moments[2] / moments[0];
    if (!(moments[2] > 0) || !isfinite(model->unevenness)) {
        return lb_error(lb_errorArgument, "the body has a moment of inertia of %g kg m^2; expected more than 0",
                        model->mass * moments[2]);
    }
    return lb_success();
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static void destroy(lbModel* model) {
    lbDestroyShape((lbShape*)own(model)->collision.shape);
    lb_end_model(model);
    lb_release(model->host, model);
}

static lbResult create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def, lbBody** body) {
    (void)tasks;
    return (def->guided ? lb_create_guided_body : lb_create_rigid_body)(host, model, def, body);
}

static void describe(const lbModel* model, lbModelInfo* info) {
    *info = (lbModelInfo){.skinPointCount = model->skinPointCount,
                          .skinTriangleCount = model->shape != NULL ? lbShape_GetTriangleCount(model->shape) : 0,
                          .mass = lb_rigid_model(model)->mass,
                          .stableStep = INFINITY};
}

static lbModelDef define(const lbModel* model) {
    const lbRigidModel* rigid = lb_rigid_model(model);
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelRigid;
    def.shape = model->shape;
    def.collision = rigid->collision;
    def.deforms = rigid->deforms;
    def.material = rigid->material;
    return def;
}

static lbResult set_material(lbModel* base, const lbMaterial* material) {
    lbRigidModel* model = own(base);
    LB_TRY(check_density(material->density));
    double mass = (double)material->density * model->volume;
    if (model->weighed.code == lb_ok) {
        LB_TRY(check_mass(mass));
    }
    model->material = *material;
    model->mass = mass;
    return lb_success();
}

static lbResult list_edges(const lbModel* model, int* edges, int capacity, int* count) {
    (void)model, (void)edges, (void)capacity;
    *count = 0;
    return lb_success();
}

static const lbModelOps rigidModelOps = {
    .kind = "rigid",
    .destroy = destroy,
    .createBody = create_body,
    .describe = describe,
    .define = define,
    .setMaterial = set_material,
    .listEdges = list_edges,
};

lbResult lb_create_rigid_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    *model = NULL;
    LB_TRY(check_def(def));
    lbRigidModel* made = LB_NEW(host, lbRigidModel, 1);
    if (made == NULL) {
        return lb_out_of_memory("a model");
    }
    made->collision = def->collision;
    made->collision.shape = NULL;
    made->deforms = def->deforms;
    made->material = def->material;
    lbCollisionShape* collision = NULL;
    lbShape *shape = NULL, *collisionCopy = NULL;
    lbResult result = make_collision(host, def, &collision);
    if (result.code == lb_ok) {
        result = make_shape(host, def, &shape);
    }
    if (result.code == lb_ok && def->collision.shape != NULL) {
        result = copy_shape(def->collision.shape, &collisionCopy);
    }
    /* From here on all of it is the model's, even if something has failed. */
    lbResult begun = lb_begin_model(&made->base, &rigidModelOps, host, shape);
    made->base.collision = collision;
    made->collision.shape = collisionCopy;
    result = result.code == lb_ok ? begun : result;
    if (result.code == lb_ok) {
        result = measure_size(made);
    }
    if (result.code == lb_ok) {
        result = weigh(made, def->shape != NULL);
    }
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    *model = &made->base;
    return lb_success();
}
