/* Bodies that are flat, inside out, or scattered come back to rest (Nesme, Payan and Faure 2006, section 6.3). */
#include "base/result.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>

enum { flatCases = 40, randomCases = 20, frames = 900 };

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

/* Whether it comes back; *finite: whether its state stays so. */
static lbResult try_case(Damage kind, lbRotationKind rotation, unsigned* seed, bool* back, bool* finite) {
    lbVoxelStage stage = lb_default_voxel_stage(3, 2, 2, 0.25);
    lbWorld* world = NULL;
    lbBodyId id;
    stage.rotation = rotation;
    stage.nu = 0.2f + 0.12f * (random_signed(seed) + 1);
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    double step = 0.01 * (1.5 + (double)random_signed(seed));
    damage(body, kind, seed);
    lbResult result = lb_success();
    for (int i = 0; i < frames && result.code == lb_ok; ++i) {
        result = lbWorld_Step(world, step);
    }
    *finite = result.code == lb_ok;
    *back = *finite && worst_edge(body) < 0.05 && !is_inside_out(body);
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
    lb_verify_near(
        context, lb_verify_name(context, "%s, %s: share that stays finite", damageNames[kind], rotationNames[rotation]),
        (double)finiteCount / cases, 1, 0);
    lb_verify_at_least(
        context, lb_verify_name(context, "%s, %s: share that comes back", damageNames[kind], rotationNames[rotation]),
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

lbResult lb_verify_voxel_recovery(lbVerifyContext* context) {
    for (int rotation = 0; rotation < 2; ++rotation) {
        LB_TRY(check_damage(context, damageFlat, (lbRotationKind)rotation, flatCases, 1));
        LB_TRY(measure_order(context, (lbRotationKind)rotation));
    }
    /* Mirror images of a body are at rest but for their sign: by the nearest rotation some stay between. What is
     * scattered is for the nearest rotation: forces by mean edges have no energy (docs/voxel.md). */
    LB_TRY(check_damage(context, damageMirrored, lb_rotationMeanEdges, flatCases, 1));
    return check_damage(context, damageScattered, lb_rotationPolar, randomCases, 0.5);
}
