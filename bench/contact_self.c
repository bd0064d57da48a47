/* What it costs that a body touches itself: a cloth that falls over a ball and folds on the ground, and a ball of jelly
 * that sinks through a ring whose hole is half as wide as it is, each beside the same without it:
 *   NAME_frame_ms     mean over the frames, one thread: steps grow many where folds meet
 *   NAME_without_ms   the same with self-contact off
 *   NAME_self_share   of the frame, what self-contact takes */
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "limber/limber.h"

/* A world with one body that may touch itself. */
typedef lbResult MakeFn(lbWorld* world, const lbHost* host, lbBodyDef* body);

typedef struct SelfBench {
    const char* name;
    MakeFn* make;
    lbIntegratorKind integrator;
    int frames;
} SelfBench;

static lbResult make_model(lbWorld* world, const lbHost* host, const lbGeneratorDef* generator, lbModelDef* def,
                           lbModelId* model) {
    lbGeneratorDef given = *generator;
    lbShape* shape = NULL;
    given.host = host;
    LB_TRY(lbGenerateShape(&given, &shape));
    def->shape = shape;
    lbResult result = lbCreateModel(world, def, model);
    lbDestroyShape(shape);
    return result;
}

/* As in scenes/cloth-folds.json, over a ball that lies still. */
static lbResult make_cloth(lbWorld* world, const lbHost* host, lbBodyDef* body) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeCloth);
    generator.size = vec3(0.6f, 1, 0.6f);
    generator.edge = 0.03f;
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshCloth;
    def.mesh.thickness = 0.001f;
    def.material = (lbMaterial){.density = 300, .youngsModulus = 1e5f, .stiffnessDamping = 5e-4f, .massDamping = 0.5f};
    LB_TRY(make_model(world, host, &generator, &def, &body->model));
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace), ball = lbDefaultToolDef(lb_toolSphere);
    lbToolId tool;
    ball.radius = 0.1f;
    ball.position = vec3(0.05f, 0.3f, 0);
    LB_TRY(lbCreateTool(world, &ground, &tool));
    LB_TRY(lbCreateTool(world, &ball, &tool));
    body->thickness = 0.003f;
    body->position = vec3(0, 0.45f, 0);
    return lb_success();
}

static lbResult add_ring(lbWorld* world, const lbHost* host) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeTorus);
    generator.radius = 0.1f;
    generator.innerRadius = 0.05f;
    generator.edge = 0.02f;
    generator.host = host;
    lbToolDef ring = lbDefaultToolDef(lb_toolMesh);
    lbShape* shape = NULL;
    lbToolId tool;
    LB_TRY(lbGenerateShape(&generator, &shape));
    ring.shape = shape;
    ring.friction = 0.1f;
    lbResult result = lbCreateTool(world, &ring, &tool);
    lbDestroyShape(shape);
    return result;
}

/* As in verify/contact_squeeze.c. */
static lbResult make_jelly(lbWorld* world, const lbHost* host, lbBodyDef* body) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeSphere);
    generator.radius = 0.1f;
    generator.edge = 0.02f;
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshTets;
    def.mesh.edge = 0.03f;
    def.law.kind = lb_lawNeoHookean;
    def.material =
        (lbMaterial){.density = 1000, .youngsModulus = 2200, .poissonsRatio = 0.3f, .stiffnessDamping = 0.005f};
    LB_TRY(make_model(world, host, &generator, &def, &body->model));
    LB_TRY(add_ring(world, host));
    body->thickness = 0.004f;
    body->friction = 0.1f;
    body->position = vec3(0, 0.115f, 0);
    return lb_success();
}

static lbResult run_frames(lbWorld* world, const SelfBench* bench, bool touchesItself, const lbHost* host,
                           double* seconds) {
    lbBodyDef body = lbDefaultBodyDef();
    lbBodyId id;
    LB_TRY(bench->make(world, host, &body));
    body.integrator = bench->integrator;
    body.selfContact = touchesItself ? lb_selfContactOn : lb_selfContactOff;
    LB_TRY(lbCreateBody(world, &body, &id));
    for (int frame = 0; frame < bench->frames; ++frame) {
        LB_TRY(lbWorld_Step(world, 1.0 / 60));
        *seconds += lbWorld_GetProfile(world).total / bench->frames;
    }
    return lb_success();
}

static lbResult time_frames(lbBenchContext* context, const SelfBench* bench, bool touchesItself, double* seconds) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = 1;
    def.host = context->host;
    lbWorld* world = NULL;
    LB_TRY(lbCreateWorld(&def, &world));
    *seconds = 0;
    lbResult result = run_frames(world, bench, touchesItself, context->host, seconds);
    lbDestroyWorld(world);
    return result;
}

lbResult lb_bench_self_contact(lbBenchContext* context) {
    const SelfBench benches[] = {{"fold_implicit", make_cloth, lb_integratorImplicitEuler, 150},
                                 {"fold_explicit", make_cloth, lb_integratorSymplecticEuler, 150},
                                 {"squeeze_implicit", make_jelly, lb_integratorImplicitEuler, 30},
                                 {"squeeze_explicit", make_jelly, lb_integratorSymplecticEuler, 30}};
    for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); ++i) {
        double with, without;
        lb_bench_progress(context, benches[i].name);
        LB_TRY(time_frames(context, &benches[i], false, &without));
        LB_TRY(time_frames(context, &benches[i], true, &with));
        lb_bench_report_of(context, benches[i].name, "frame_ms", 1e3 * with, "ms");
        lb_bench_report_of(context, benches[i].name, "without_ms", 1e3 * without, "ms");
        lb_bench_report_of(context, benches[i].name, "self_share", fmax(1 - without / with, 0), "1");
    }
    return lb_success();
}
