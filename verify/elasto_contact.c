/* What touches a precomputed body: a rigid ball, and soft bodies that take implicit steps, at rest on a bar whose one
 * end is held and whose other is free. What holds the bar carries both, and the free end gives way alike for all of
 * them, in contact space (the ball; few nodes) and in velocity space (many nodes). */
#include "verify/elasto_bar.h"

#include <stdio.h>

/* What comes to lie on the bar. */
typedef struct Visitor {
    const char* name;
    int cells; /* along each edge of a soft cube; 0: a rigid ball */
    int frames;
} Visitor;

static lbResult add_visitor(lbWorld* world, const Visitor* visitor, lbBodyId* body) {
    lbModelDef model = lbDefaultModelDef();
    lbShape* shape = NULL;
    model.material.density = 1000;
    if (visitor->cells == 0) {
        model.kind = lb_modelRigid;
        model.collision = (lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.05f};
    } else {
        lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
        box.size = vec3(0.1f, 0.1f, 0.1f);
        LB_TRY(lbGenerateShape(&box, &shape));
        model.shape = shape;
        model.mesh.kind = lb_meshStructured;
        model.mesh.cells[0] = model.mesh.cells[1] = model.mesh.cells[2] = visitor->cells;
        model.law.kind = lb_lawCorotational;
        model.material.youngsModulus = 2e5f;
        model.material.poissonsRatio = 0.3f;
    }
    lbBodyDef def = lbDefaultBodyDef();
    lbResult result = lbCreateModel(world, &model, &def.model);
    lbDestroyShape(shape);
    LB_TRY(result);
    def.position = vec3(0.3f, 0.1501f, 0);
    def.friction = 1;
    def.integrator = visitor->cells == 0 ? def.integrator : lb_integratorImplicitEuler;
    return lbCreateBody(world, &def, body);
}

/* m, how far down the bar's upper side is at x, in the middle; rest places tell which points these are. */
static double depth_at(const lbElastostatic* made, const float* positions, double x) {
    double sum = 0, weights = 0;
    for (int i = 0; i < made->header->pointCount; ++i) {
        const float* rest = made->rest + 3 * (size_t)i;
        double weight = 1 - fabs((double)rest[0] - x) / 0.05; /* cells are 5 cm long */
        if (weight > 0 && rest[1] > 0.099f && fabsf(rest[2]) < 0.01f) {
            sum += weight * ((double)rest[1] - (double)positions[3 * (size_t)i + 1]);
            weights += weight;
        }
    }
    return sum / weights;
}

/* Where the surface is while a force pulls the free end down. */
static lbResult pull_end(lbElastostatic* made, double force, float* positions) {
    lbWorld* world = NULL;
    lbBodyId body;
    LB_TRY(lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body));
    LB_TRY(lbBody_SetControlForce(world, body, 1, vec3(0, (float)-force, 0), vec3(0, 0, 0)));
    for (int i = 0; i < 30; ++i) { /* the frame turns with the free control */
        LB_TRY(lbWorld_Step(world, 0.01));
    }
    LB_TRY(lbBody_GetSkin(world, body, positions, NULL, NULL));
    lbDestroyWorld(world);
    return lb_success();
}

static lbResult check_visitor(lbVerifyContext* context, lbElastostatic* made, const Visitor* visitor,
                              const float* pulled, double force) {
    lbWorld* world = NULL;
    lbBodyId body, other;
    LB_TRY(lb_make_elasto_world(made, vec3(0, -9.81f, 0), &world, &body));
    LB_TRY(lbBody_SetControlForce(world, body, 1, vec3(0, 0, 0), vec3(0, 0, 0)));
    lbControlState alone, loaded, start;
    for (int i = 0; i < 5; ++i) {
        LB_TRY(lbWorld_Step(world, 0.01));
    }
    LB_TRY(lbBody_GetControl(world, body, 1, &alone));
    LB_TRY(add_visitor(world, visitor, &other));
    double carried = 0;
    for (int i = 0; i < visitor->frames; ++i) {
        LB_TRY(lbWorld_Step(world, 0.005));
        if (i >= visitor->frames / 2) {
            LB_TRY(lbBody_GetControl(world, body, 0, &start));
            carried += (double)start.force.y / (visitor->frames - visitor->frames / 2);
        }
    }
    LB_TRY(lbBody_GetControl(world, body, 1, &loaded));
    lbMomentum momentum; /* the ball has rolled towards the end a little */
    LB_TRY(lbBody_GetMomentum(world, other, &momentum));
    double weight = 9.81 * momentum.mass, give = depth_at(made, pulled, momentum.center[0]) / force;
    char name[128];
    snprintf(name, sizeof(name), "%s on a precomputed bar: what holds the bar carries both, N", visitor->name);
    lb_verify_near(context, name, carried, 9.81 * made->header->mass + weight, 0.02 * weight);
    snprintf(name, sizeof(name), "%s: the free end gives way as Betti says, m/N", visitor->name);
    lb_verify_near(context, name, (double)(alone.pose.translation.y - loaded.pose.translation.y) / weight, give,
                   0.02 * give);
    lbDestroyWorld(world);
    return lb_success();
}

lbResult lb_verify_elasto_contact(lbVerifyContext* context) {
    static const Visitor visitors[3] = {
        {"a rigid ball", 0, 200}, {"a soft cube of 125 nodes", 4, 120}, {"a soft cube of 512 nodes", 7, 120}};
    static float pulled[60000];
    lbElastoBar bar = lb_default_elasto_bar(0.3f);
    bar.fixStart = true;
    bar.cells[0] = 20;
    bar.material.youngsModulus = 1e7f;
    lbElastostatic* made = NULL;
    LB_TRY(lb_precompute_bar(&bar, &made, NULL));
    const double force = 10; /* N, as the visitors weigh */
    LB_TRY(pull_end(made, force, pulled));
    for (int i = 0; i < 3; ++i) {
        LB_TRY(check_visitor(context, made, &visitors[i], pulled, force));
    }
    lbDestroyElastostatic(made);
    return lb_success();
}
