/* A ball of jelly that its own weight presses through a ring, whose hole is half as wide as the ball. Every triangle is
 * tested against every other, the ring's too, at the end of every frame. */
#include "verify/contact_stage.h"

#include <math.h>

typedef struct Squeeze {
    const char* name;
    lbIntegratorKind integrator;
} Squeeze;

static const float ballRadius = 0.1f, holeRadius = 0.05f, tubeRadius = 0.05f; /* m */

/* So soft that it just goes through: at 3.3 kPa it stays in the ring. */
static lbPiece make_jelly(lbIntegratorKind integrator) {
    lbPiece jelly = lb_soft_block(lb_lawNeoHookean, integrator);
    jelly.name = "jelly";
    jelly.form = lb_shapeSphere;
    jelly.size.x = 2 * ballRadius;
    jelly.cells[0] = jelly.cells[1] = jelly.cells[2] = 0;
    jelly.edge = 0.02f;
    jelly.model.mesh.kind = lb_meshTets;
    jelly.model.mesh.edge = 0.03f;
    jelly.model.material.youngsModulus = 2200;
    jelly.model.material.poissonsRatio = 0.3f;
    jelly.body.friction = 0.1f;
    jelly.body.selfContact = lb_selfContactOn;
    /* More than what facets of both cut off their curves, so that facets stay apart, too. */
    jelly.body.thickness = 0.004f;
    return jelly;
}

static lbResult add_ring(lbStage* stage) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeTorus);
    def.radius = holeRadius + tubeRadius;
    def.innerRadius = tubeRadius;
    def.edge = 0.02f;
    lbShape* shape = NULL;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbToolDef ring = lbDefaultToolDef(lb_toolMesh);
    lbToolId id;
    ring.name = "ring";
    ring.shape = shape;
    ring.friction = 0.1f;
    lbResult result = lbCreateTool(stage->world, &ring, &id);
    lbDestroyShape(shape);
    return result;
}

static lbResult measure_squeeze(lbStage* stage, const void* given) {
    enum { frames = 60 };
    const Squeeze* squeeze = given;
    lbPiece piece = make_jelly(squeeze->integrator);
    lbBodyId jelly;
    LB_TRY(add_ring(stage));
    LB_TRY(lb_add_piece(stage, &piece, vec3(0, 1.15f * ballRadius, 0), &jelly));
    double most = 0, narrowest = INFINITY, last = 0;
    for (int frame = 0; frame < frames; ++frame) {
        lbCrossing first;
        lbBox bounds;
        int count;
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(lbWorld_FindCrossings(stage->world, &first, 1, &count));
        LB_TRY(lb_skin_bounds(stage, jelly, &bounds));
        most = fmax(most, count);
        last = (double)(bounds.upper.x - bounds.lower.x) / (2 * (double)ballRadius);
        narrowest = fmin(narrowest, last);
    }
    lbVerifyContext* context = stage->context;
    const char* name = squeeze->name;
    lbVec3d center;
    LB_TRY(lb_center(stage, jelly, &center));
    lb_verify_at_most(context, lb_verify_name(context, "%s: triangles that cross, in any frame", name), most, 0);
    lb_verify_at_most(context, lb_verify_name(context, "%s: height of its centre then, m", name), center.y,
                      -(double)(tubeRadius + ballRadius));
    lb_verify_at_most(context, lb_verify_name(context, "%s: width on the way / at rest", name), narrowest, 0.9);
    lb_verify_near(context, lb_verify_name(context, "%s: width in the end / at rest, still in motion", name), last, 1,
                   0.1);
    lb_verify_at_most(context, lb_verify_name(context, "%s: elements that stay inside out", name),
                      lbWorld_GetCounters(stage->world).invertedCount, 0);
    return lb_success();
}

lbResult lb_verify_contact_squeeze(lbVerifyContext* context) {
    const Squeeze squeezes[] = {{"jelly through a hole half its size, implicit", lb_integratorImplicitEuler},
                                {"jelly through a hole half its size, explicit", lb_integratorSymplecticEuler}};
    for (size_t i = 0; i < sizeof(squeezes) / sizeof(squeezes[0]); ++i) {
        lb_run_stage(context, squeezes[i].name, LB_GRAVITY, measure_squeeze, &squeezes[i]);
    }
    return lb_success();
}
