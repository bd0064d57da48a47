/* Bodies that are flat, inside out, or scattered come back to rest (Nesme, Payan and Faure 2006, section 6.3). */
#include "base/result.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>

/* Bodies of twelve hexahedra, nu 0 to 0.45, steps of 2 to 40 ms, damping times 0 to 50 ms, all at random. */
enum { mirrorCases = 500, polarCases = 100, scatteredCases = 100, framesBetweenLooks = 25 };
static const double longest = 20; /* s, that a body has */

typedef enum Damage { damageFlat, damageMirrored, damageScattered } Damage;
static const char* const damageNames[] = {"flattened onto a plane", "mirrored", "scattered"};
static const char* const rotationNames[] = {"polar", "mean edges"};

/* Largest change of any distance between neighbours in the mesh, over the cell's side. */
static double worst_edge(const lbDynamicBody* body) {
    const lbMesh* mesh = &body->model->mesh;
    double worst = 0;
    for (int h = 0; h < mesh->hexCount; ++h) {
        for (int k = 0; k < 24; ++k) {
            int a = mesh->hexes[h].node[k / 3], b = mesh->hexes[h].node[k / 3 ^ 1 << k % 3];
            lbVec3d now = vec3d_sub(vec3d_load(body->x + 4 * (size_t)a), vec3d_load(body->x + 4 * (size_t)b));
            double rest = vec3d_length(vec3d_sub(mesh->nodes[a], mesh->nodes[b]));
            worst = fmax(worst, fabs(vec3d_length(now) / rest - 1));
        }
    }
    return worst;
}

/* An even mirror image keeps all distances: the sign of the volume tells. */
static bool is_inside_out(const lbDynamicBody* body) {
    lbRange all;
    lbScope scope = lb_whole_scope(&body->model->laws[0], &all);
    int number;
    return body->model->laws[0].law->countInverted(&scope, body->x, &number) > 0;
}

static void damage(lbDynamicBody* body, Damage kind, unsigned* seed) {
    lbVec3 n = vec3_normalize(vec3(random_signed(seed), random_signed(seed), random_signed(seed) + 1.5f));
    for (int i = 0; i < body->model->nodeCount; ++i) {
        float* x = body->x + 4 * (size_t)i;
        lbVec3 p = vec3_load(x);
        float by = kind == damageFlat ? 1 : 2;
        vec3_store(x, kind == damageScattered ? vec3(random_signed(seed), random_signed(seed), random_signed(seed))
                                              : vec3_madd(p, -by * vec3_dot(p, n), n));
    }
}

static float between(unsigned* seed, float from, float to) {
    return from + 0.5f * (random_signed(seed) + 1) * (to - from);
}

/* 1/s: the fastest change of any edge's length, over it. */
static double fastest_edge(const lbDynamicBody* body) {
    const lbMesh* mesh = &body->model->mesh;
    double fastest = 0;
    for (int h = 0; h < mesh->hexCount; ++h) {
        for (int k = 0; k < 24; ++k) {
            int a = mesh->hexes[h].node[k / 3], b = mesh->hexes[h].node[k / 3 ^ 1 << k % 3];
            lbVec3d d = vec3d_sub(vec3d_load(body->x + 4 * (size_t)a), vec3d_load(body->x + 4 * (size_t)b));
            lbVec3d v = vec3d_sub(vec3d_load(body->v + 4 * (size_t)a), vec3d_load(body->v + 4 * (size_t)b));
            fastest = fmax(fastest, fabs(vec3d_dot(v, d) / vec3d_dot(d, d)));
        }
    }
    return fastest;
}

/* Every edge within 5 % of its length and changing by less than that in a second, and nothing inside out: what is left
 * is spinning, which stretches it a little. */
static bool is_back(const lbDynamicBody* body) {
    return worst_edge(body) < 0.05 && fastest_edge(body) < 0.05 && !is_inside_out(body);
}

/* Whether it comes back; *finite: whether its state stays so. */
static lbResult try_case(Damage kind, lbRotationKind rotation, unsigned* seed, bool* back, bool* finite) {
    const double cell = 0.25;
    lbVoxelStage stage = lb_default_voxel_stage(3, 2, 2, cell);
    lbWorld* world = NULL;
    lbBodyId id;
    stage.rotation = rotation;
    stage.threads = 1;
    stage.nu = between(seed, 0, 0.45f);
    stage.damping = between(seed, 0, 0.05f);
    double step = (double)between(seed, 0.002f, 0.04f);
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    damage(body, kind, seed);
    lbResult result = lb_success();
    *back = false;
    for (int i = 1; i * step <= longest && result.code == lb_ok && !*back; ++i) {
        result = lbWorld_Step(world, step);
        *back = result.code == lb_ok && i % framesBetweenLooks == 0 && is_back(body);
    }
    *finite = result.code == lb_ok;
    lbDestroyWorld(world);
    return lb_success();
}

static lbResult check_damage(lbVerifyContext* context, Damage kind, lbRotationKind rotation, int cases, double least) {
    unsigned seed = 21;
    int backCount = 0, finiteCount = 0;
    for (int i = 0; i < cases; ++i) {
        bool back, finite;
        LB_TRY(try_case(kind, rotation, &seed, &back, &finite));
        backCount += back;
        finiteCount += finite;
    }
    const char *what = damageNames[kind], *how = rotationNames[rotation];
    lb_verify_near(context, lb_verify_name(context, "%d %s, %s: share that stays finite", cases, what, how),
                   (double)finiteCount / cases, 1, 0);
    lb_verify_at_least(context, lb_verify_name(context, "%d %s, %s: share that comes back", cases, what, how),
                       (double)backCount / cases, least);
    return lb_success();
}

/* ---- The order of mean edges ------------------------------------------------------------------------------------- */

/* A single element sheared by the same amount in the planes xy and yx: by mean edges the forces differ. */
static lbResult measure_order(lbVerifyContext* context, lbRotationKind rotation) {
    lbVoxelStage stage = lb_default_voxel_stage(1, 1, 1, 1);
    lbWorld* world = NULL;
    lbBodyId id;
    double energy[2];
    stage.rotation = rotation;
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    const lbDynamicModel* model = lb_dynamic(lb_find_body(world, id))->model;
    for (int k = 0; k < 2; ++k) {
        float x[32];
        for (int i = 0; i < 8; ++i) {
            lbVec3 p = vec3_load(model->rest + 4 * (size_t)i);
            vec3_store(x + 4 * (size_t)i, k == 0 ? vec3(p.x + 0.4f * p.y, p.y, p.z) : vec3(p.x, p.y + 0.4f * p.x, p.z));
            x[4 * i + 3] = 0;
        }
        energy[k] = lb_law_energy(&model->laws[0], NULL, x);
    }
    lb_verify_near(context, lb_verify_name(context, "%s: energy sheared along x / along y", rotationNames[rotation]),
                   energy[0] / energy[1], 1, rotation == lb_rotationPolar ? 1e-5 : 0.01);
    lbDestroyWorld(world);
    return lb_success();
}

/* ---- An element that is twisted ---------------------------------------------------------------------------------- */

/* Degrees: by how much a single element can be twisted about z, its upper face against the lower one, and comes back,
 * tried in steps of 30: a false rest between would show. */
static lbResult measure_twist(lbVerifyContext* context, lbRotationKind rotation) {
    const double half = 0.5;
    double most = 0;
    for (int degrees = 30; degrees <= 180; degrees += 30) {
        lbVoxelStage stage = lb_default_voxel_stage(1, 1, 1, 2 * half);
        lbWorld* world = NULL;
        lbBodyId id;
        stage.rotation = rotation;
        stage.threads = 1;
        stage.origin = vec3d(-half, -half, -half);
        LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
        lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
        for (int i = 0; i < 8; ++i) {
            float* x = body->x + 4 * (size_t)i;
            double angle = (x[2] > 0 ? 0.5 : -0.5) * degrees * LB_PI / 180, c = cos(angle), s = sin(angle);
            vec3_store(x, vec3((float)(c * (double)x[0] - s * (double)x[1]),
                               (float)(s * (double)x[0] + c * (double)x[1]), x[2]));
        }
        lbResult result = lb_success();
        bool back = false;
        for (int i = 1; i * 0.02 < longest && result.code == lb_ok && !back; ++i) {
            result = lbWorld_Step(world, 0.02);
            back = i % framesBetweenLooks == 0 && is_back(body);
        }
        lbDestroyWorld(world);
        LB_TRY(result);
        if (!back) {
            break;
        }
        most = degrees;
    }
    lb_verify_at_least(
        context, lb_verify_name(context, "%s: twist that an element comes back from, degrees", rotationNames[rotation]),
        most, 180);
    return lb_success();
}

lbResult lb_verify_voxel_recovery(lbVerifyContext* context) {
    LB_TRY(measure_order(context, lb_rotationPolar));
    LB_TRY(measure_order(context, lb_rotationMeanEdges));
    LB_TRY(measure_twist(context, lb_rotationPolar));
    LB_TRY(measure_twist(context, lb_rotationMeanEdges));
    LB_TRY(check_damage(context, damageFlat, lb_rotationMeanEdges, mirrorCases, 1));
    LB_TRY(check_damage(context, damageMirrored, lb_rotationMeanEdges, mirrorCases, 1));
    LB_TRY(check_damage(context, damageFlat, lb_rotationPolar, polarCases, 1));
    LB_TRY(check_damage(context, damageMirrored, lb_rotationPolar, polarCases, 0));
    LB_TRY(check_damage(context, damageScattered, lb_rotationMeanEdges, scatteredCases, 0));
    return check_damage(context, damageScattered, lb_rotationPolar, scatteredCases, 0.5);
}
