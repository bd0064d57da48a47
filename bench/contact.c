/* What contact costs, in worlds stepped as a user steps them, 60 frames a second:
 *   pileN_frame_ms            a frame of N soft bodies that fall into a bowl (contact_pile.h): median from the first
 *                             touch until nothing is faster than 1 mm/s, one thread; pile100_frame_all_ms: all threads
 *   pileN_settled_s           how long that takes; negative: longer than was waited for
 *   pileN_deepest             with --long: the deepest that a body was within another, looked at in every frame
 *   pile100_contacts          that push in the last frame
 *   contact_slope_us          by which a frame grows with a contact, from the smallest pile to the largest
 *   broad_share               of the frames of the largest pile, what boxes and trees take
 *   resting_24k_frame_ms      the block of 24,000 tetrahedra of `tets` lying on the ground, implicit Euler, one thread
 *   resting_24k_averaged_...  the same at nu = 0.49, with volumes averaged around nodes
 *   scene_contact_share       of the frames of five soft bodies that fall to the ground, what finding contacts and
 *                             their impulses take: the scene jelly-drop with generated shapes
 *   and what contact_self.c measures */
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/contact_pile.h"

enum { mostFrames = 1200, quickFrames = 360, sceneFrames = 90, restingFrames = 60 };

/* ---- Piles ------------------------------------------------------------------------------------------------------- */

typedef struct PileFigures {
    double frame;    /* s, median */
    double contacts; /* mean over the frames */
    int lastContacts;
    double broad;   /* share */
    double deepest; /* share of a body's size; --long only */
    double settled; /* s, from the first touch until nothing is faster than 1 mm/s; negative: never */
} PileFigures;

static bool is_still(const lbPile* pile, lbResult* result) {
    lbPileMotion motion;
    *result = lb_measure_pile(pile, &motion);
    return motion.fastest < 1e-3;
}

static lbResult time_pile(lbBenchContext* context, lbPile* pile, PileFigures* figures) {
    static double samples[mostFrames];
    int limit = context->longRun ? mostFrames : quickFrames, count = 0, first = -1;
    double total = 0, broad = 0;
    *figures = (PileFigures){.settled = -1};
    for (int frame = 0; frame < mostFrames && count < limit; ++frame) {
        LB_TRY(lbWorld_Step(pile->world, 1.0 / lb_pileFrameRate));
        lbProfile profile = lbWorld_GetProfile(pile->world);
        figures->lastContacts = lbWorld_GetCounters(pile->world).contactCount;
        first = first < 0 && figures->lastContacts > 0 ? frame : first;
        if (first < 0) {
            continue;
        }
        samples[count++] = profile.total;
        figures->contacts += figures->lastContacts;
        total += profile.total, broad += profile.broad;
        if (context->longRun) {
            double depth = 0;
            LB_TRY(lb_measure_pile_depth(pile, &depth));
            figures->deepest = fmax(figures->deepest, depth);
        }
        lbResult result = lb_success();
        if (is_still(pile, &result)) {
            figures->settled = (double)count / lb_pileFrameRate;
            limit = count;
        }
        LB_TRY(result);
    }
    figures->frame = lb_median(samples, count);
    figures->contacts /= count > 0 ? count : 1;
    figures->broad = total > 0 ? broad / total : 0;
    return lb_success();
}

static lbResult measure_pile(lbBenchContext* context, int bodyCount, int threadCount, PileFigures* figures) {
    lbPileDef def = {.bodyCount = bodyCount, .threadCount = threadCount};
    lbPile pile;
    lbResult result = lb_create_pile(context->host, &def, &pile);
    if (result.code == lb_ok) {
        result = time_pile(context, &pile, figures);
    }
    lb_destroy_pile(&pile);
    return result;
}

static void report_pile(lbBenchContext* context, const char* name, const PileFigures* figures) {
    lb_bench_report_of(context, name, "frame_ms", 1e3 * figures->frame, "ms");
    lb_bench_report_of(context, name, "settled_s", figures->settled, "s");
    if (context->longRun) {
        lb_bench_report_of(context, name, "deepest", 100 * figures->deepest, "%");
    }
}

static lbResult measure_piles(lbBenchContext* context) {
    const struct {
        const char* name;
        int bodyCount;
    } piles[] = {{"pile1", 1}, {"pile10", 10}, {"pile100", 100}};
    PileFigures figures[3], all;
    for (int i = 0; i < 3; ++i) {
        lb_bench_progress(context, piles[i].name);
        LB_TRY(measure_pile(context, piles[i].bodyCount, 1, &figures[i]));
        report_pile(context, piles[i].name, &figures[i]);
    }
    lb_bench_progress(context, "pile100_frame_all_ms");
    LB_TRY(measure_pile(context, 100, context->threadCount, &all));
    lb_bench_report(context, "pile100_frame_all_ms", 1e3 * all.frame, "ms");
    lb_bench_report(context, "pile100_contacts", figures[2].lastContacts, "1");
    double more = figures[2].contacts - figures[0].contacts;
    lb_bench_report(context, "contact_slope_us", 1e6 * (figures[2].frame - figures[0].frame) / fmax(more, 1), "us");
    lb_bench_report(context, "broad_share", figures[2].broad, "1");
    return lb_success();
}

/* ---- One large body at rest -------------------------------------------------------------------------------------- */

/* The block of bench/tets_implicit.c. */
static lbResult make_block(lbWorld* world, const lbHost* host, float nu) {
    lbTetGeneratorDef generator = lbDefaultTetGeneratorDef(lb_shapeBox);
    const double size[3] = {1, 0.25, 0.25};
    const int cells[3] = {40, 10, 10};
    for (int c = 0; c < 3; ++c) {
        generator.size[c] = size[c];
        generator.cells[c] = cells[c];
    }
    generator.host = host;
    lbTetMesh* mesh = NULL;
    LB_TRY(lbGenerateTetMesh(&generator, &mesh));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshGiven;
    def.tetMesh = mesh;
    def.law.kind = lb_lawCorotational;
    def.material =
        (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = nu, .stiffnessDamping = 0.002f};
    lbBodyDef body = lbDefaultBodyDef();
    lbResult result = lbCreateModel(world, &def, &body.model);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    body.integrator = lb_integratorImplicitEuler;
    body.position.y = 0.125f;
    lbBodyId id;
    return lbCreateBody(world, &body, &id);
}

static lbResult add_ground(lbWorld* world) {
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId tool;
    return lbCreateTool(world, &ground, &tool);
}

/* After half a second, when it lies still. */
static lbResult time_resting(lbWorld* world, double* seconds) {
    double samples[restingFrames];
    for (int frame = 0; frame < restingFrames; ++frame) {
        LB_TRY(lbWorld_Step(world, 1.0 / lb_pileFrameRate));
        samples[frame] = lbWorld_GetProfile(world).total;
    }
    *seconds = lb_median(samples + restingFrames / 2, restingFrames / 2);
    return lb_success();
}

static lbResult measure_resting(lbBenchContext* context, const char* metric, float nu) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = 1;
    def.host = context->host;
    lbWorld* world = NULL;
    double seconds = 0;
    lb_bench_progress(context, metric);
    LB_TRY(lbCreateWorld(&def, &world));
    lbResult result = add_ground(world);
    if (result.code == lb_ok) {
        result = make_block(world, context->host, nu);
    }
    if (result.code == lb_ok) {
        result = time_resting(world, &seconds);
    }
    if (result.code == lb_ok) {
        lb_bench_report(context, metric, 1e3 * seconds, "ms");
    }
    lbDestroyWorld(world);
    return result;
}

/* ---- A scene as people see it first ------------------------------------------------------------------------------ */

typedef struct SceneBody {
    lbShapeKind shape;
    lbMeshKind mesh;
    float size, skinEdge, meshEdge; /* m */
    float youngsModulus, stiffnessDamping;
    lbVec3 position;
} SceneBody;

/* The bodies of scenes/jelly-drop.json. */
static const SceneBody sceneBodies[] = {
    {lb_shapeBunny, lb_meshTetGrid, 0.55f, 0.019f, 0.036f, 1.2e5f, 5e-4f, {0.03f, 0.36f, 0.1f}},
    {lb_shapeTorus, lb_meshTets, 0.18f, 0.028f, 0.05f, 4e4f, 5e-4f, {-0.66f, 0.6f, 0.1f}},
    {lb_shapeStarfish, lb_meshTets, 0.55f, 0.02f, 0.035f, 5e4f, 3e-4f, {0.68f, 0.42f, 0.2f}},
    {lb_shapeBox, lb_meshStructured, 0.3f, 0.03f, 0.06f, 4e4f, 2e-3f, {-0.42f, 0.54f, -0.52f}},
    {lb_shapeSphere, lb_meshTets, 0.17f, 0.025f, 0.05f, 4e4f, 5e-4f, {0.5f, 0.62f, -0.45f}},
};

static lbResult add_scene_body(lbWorld* world, const lbHost* host, const SceneBody* wanted) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(wanted->shape);
    generator.size = vec3(wanted->size, wanted->size, wanted->size);
    generator.radius = wanted->size;
    generator.innerRadius = 0.075f;
    generator.edge = wanted->skinEdge;
    generator.host = host;
    lbShape* shape = NULL;
    LB_TRY(lbGenerateShape(&generator, &shape));
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = wanted->mesh;
    def.mesh.edge = wanted->meshEdge;
    def.mesh.relax = wanted->mesh == lb_meshTets;
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){.density = 1000,
                                .youngsModulus = wanted->youngsModulus,
                                .poissonsRatio = 0.4f,
                                .stiffnessDamping = wanted->stiffnessDamping,
                                .massDamping = 2};
    lbBodyDef body = lbDefaultBodyDef();
    body.integrator = lb_integratorSymplecticEuler;
    lbResult result = lbCreateModel(world, &def, &body.model);
    lbDestroyShape(shape);
    LB_TRY(result);
    body.position = wanted->position;
    lbBodyId id;
    return lbCreateBody(world, &body, &id);
}

static lbResult make_scene(lbWorld* world, const lbHost* host) {
    LB_TRY(add_ground(world));
    for (size_t i = 0; i < sizeof(sceneBodies) / sizeof(sceneBodies[0]); ++i) {
        LB_TRY(add_scene_body(world, host, &sceneBodies[i]));
    }
    return lb_success();
}

static lbResult time_scene(lbWorld* world, double* share) {
    double contact = 0, total = 0;
    for (int frame = 0; frame < sceneFrames; ++frame) {
        LB_TRY(lbWorld_Step(world, 1.0 / lb_pileFrameRate));
        lbProfile profile = lbWorld_GetProfile(world);
        contact += profile.collide + profile.solve;
        total += profile.total;
    }
    *share = contact / total;
    return lb_success();
}

static lbResult measure_scene(lbBenchContext* context, const char* metric, int threadCount) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = threadCount;
    def.host = context->host;
    lbWorld* world = NULL;
    double share = 0;
    lb_bench_progress(context, metric);
    LB_TRY(lbCreateWorld(&def, &world));
    lbResult result = make_scene(world, context->host);
    if (result.code == lb_ok) {
        result = time_scene(world, &share);
    }
    if (result.code == lb_ok) {
        lb_bench_report(context, metric, share, "1");
    }
    lbDestroyWorld(world);
    return result;
}

lbResult lb_bench_contact(lbBenchContext* context) {
    LB_TRY(measure_piles(context));
    LB_TRY(measure_resting(context, "resting_24k_frame_ms", 0.3f));
    LB_TRY(measure_resting(context, "resting_24k_averaged_frame_ms", 0.49f));
    LB_TRY(measure_scene(context, "scene_contact_share_1", 1));
    LB_TRY(measure_scene(context, "scene_contact_share_all", context->threadCount));
    return lb_bench_self_contact(context);
}
