/* Natural frequencies of a free beam of voxels, against the formulas that elastic moduli are measured by (ASTM E1876,
 * after S. Spinner and W. E. Tefft 1961; they stand for Timoshenko's theory to a tenth of a per cent), and torsion by
 * Saint-Venant's constant. */
#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "integrate/theta.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sideLengths = 12, youngs = 20000, density = 1000; /* of a beam of 1 m x 1 m; Pa; kg/m^3 */
static const double nu = 0.3;

typedef enum Motion { motionBending, motionStretching, motionTwisting } Motion;
static const char* const motionNames[] = {"bending", "stretching", "twisting"};

/* Hz. Masses at the nodes of n cells across have more inertia about the beam's axis than the section, by 1 + 2 / n^2.
 */
static double frequency_in_theory(Motion motion, int across) {
    double L = sideLengths, r = 1 / (L * L), mass = density * L, G = youngs / (2 * (1 + nu));
    switch (motion) {
    case motionBending: {
        double below = 1 + 6.338 * (1 + 0.1408 * nu + 1.536 * nu * nu) * r;
        double T = 1 + 6.585 * (1 + 0.0752 * nu + 0.8109 * nu * nu) * r - 0.868 * r * r -
                   8.340 * (1 + 0.2023 * nu + 2.173 * nu * nu) * r * r / below;
        return sqrt(youngs / (0.9465 * mass * L * L * L * T));
    }
    case motionStretching:
        return sqrt(youngs / density * (1 - LB_PI * LB_PI * nu * nu * (4.0 / 3) / (8 * L * L))) / (2 * L);
    default:
        return sqrt(0.1406 * 6 * G / density / (1 + 2.0 / (across * across))) / (2 * L);
    }
}

/* About as the first motion of its kind goes, at p from the middle. */
static lbVec3d first_guess(Motion motion, lbVec3d p) {
    double along = 2 * p.x / sideLengths, wave = sin(0.5 * LB_PI * along);
    switch (motion) {
    case motionBending:
        return vec3d(0, along * along - 1.0 / 3, 0);
    case motionStretching:
        return vec3d(wave, 0, 0);
    default:
        return vec3d(0, -wave * p.z, wave * p.y);
    }
}

/* Takes rigid motions away, of a body that is symmetric about its middle. */
static void remove_whole(const lbDynamicModel* model, double middle, double* u) {
    double mass = 0, sum[3] = {0}, spin[3] = {0}, inertia[3] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < model->nodeCount; ++i) {
            double m = (double)model->mass[i], *at = u + 4 * (size_t)i;
            double p[3] = {(double)model->rest[4 * i] - middle, (double)model->rest[4 * i + 1],
                           (double)model->rest[4 * i + 2]};
            mass += pass == 0 ? m : 0;
            for (int c = 0; c < 3; ++c) {
                int a = (c + 1) % 3, b = (c + 2) % 3;
                if (pass == 0) {
                    sum[c] += m * at[c];
                    spin[c] += m * (p[a] * at[b] - p[b] * at[a]);
                    inertia[c] += m * (p[a] * p[a] + p[b] * p[b]);
                } else {
                    at[c] -= sum[c] / mass + spin[a] / inertia[a] * p[b] - spin[b] / inertia[b] * p[a];
                }
            }
        }
    }
}

/* Rayleigh's quotient, (rad/s)^2. */
static double quotient(const lbDynamicModel* model, const double* u, float* scratch) {
    size_t count = 4 * (size_t)model->nodeCount;
    float *p = scratch, *f = scratch + count;
    double elastic = 0, inertial = 0;
    for (size_t i = 0; i < count; ++i) {
        p[i] = (float)u[i];
        f[i] = 0;
    }
    lb_add_law_tangent(&model->laws[0], NULL, NULL, model->rest, -1, 0, p, f);
    for (size_t i = 0; i < count; ++i) {
        elastic += u[i] * (double)f[i];
        inertial += u[i] * u[i] * (double)model->mass[i / 4];
    }
    return elastic / inertial;
}

/* Inverse iteration with K + shift M; the lowest motion that is as symmetric as the guess. */
static lbResult iterate(lbDynamicBody* body, lbArena* scratch, Motion motion, double* squared) {
    const lbDynamicModel* model = body->model;
    size_t count = 4 * (size_t)model->nodeCount;
    double *u = calloc(count, sizeof(double)), middle = 0.5 * sideLengths;
    float* vectors = calloc(3 * count, sizeof(float));
    double expected = 2 * LB_PI * frequency_in_theory(motion, 4), shift = 0.02 * expected * expected;
    lbSystem system = lb_body_system(body);
    system.scratch = scratch;
    for (int i = 0; i < model->nodeCount; ++i) {
        lbVec3d p = vec3d_load(model->rest + 4 * (size_t)i), d = first_guess(motion, vec3d_sub(p, vec3d(middle, 0, 0)));
        u[4 * i] = d.x, u[4 * i + 1] = d.y, u[4 * i + 2] = d.z;
    }
    for (int step = 0; step < 5; ++step) {
        float* f = vectors + 2 * count;
        remove_whole(model, middle, u);
        for (size_t i = 0; i < count; ++i) {
            f[i] = (float)(u[i] * (double)model->mass[i / 4]);
        }
        lbTangentSystem tangent = {
            .system = &system, .x = model->rest, .mass = (float)shift, .a = -1, .kind = lb_tangentExact};
        lb_solve_tangent(&tangent, f, u, 1e-6, 20000);
    }
    remove_whole(model, middle, u);
    *squared = quotient(model, u, vectors);
    free(vectors);
    free(u);
    return lb_success();
}

static lbResult measure(int across, Motion motion, double* frequency) {
    lbVoxelStage stage = lb_default_voxel_stage((int)sideLengths * across, across, across, 1.0 / across);
    lbWorld* world = NULL;
    lbBodyId id;
    stage.nu = (float)nu;
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    size_t vector = 4 * (size_t)body->model->nodeCount * sizeof(float) + 64;
    lbArena scratch = {0};
    double squared = 0;
    lbResult result = lb_out_of_memory("a beam");
    if (lb_arena_create(body->base.host, &scratch,
                        (lb_tangentVectors + 8) * vector + lb_grid_bytes(lb_model_grids(body->model)))) {
        result = iterate(body, &scratch, motion, &squared);
    }
    scratch.used = 0;
    lb_arena_destroy(body->base.host, &scratch);
    lbDestroyWorld(world);
    *frequency = sqrt(squared) / (2 * LB_PI);
    return result;
}

/* Lumped masses make waves slower by (pi h / L)^2 / 12 and less. A section of two cells does not warp, and is stiffer
 * against torsion: its constant is 1/6, not 0.1406, and frequencies are 9 % higher; of four, 3 %. */
lbResult lb_verify_voxel_modes(lbVerifyContext* context) {
    for (int motion = 0; motion < 3; ++motion) {
        for (int across = 2; across <= 4; across += 2) {
            double frequency, tolerance = motion == motionTwisting ? (across == 2 ? 0.1 : 0.03) : 0.01;
            double theory = frequency_in_theory((Motion)motion, across);
            LB_TRY(measure(across, (Motion)motion, &frequency));
            lb_verify_near(
                context,
                lb_verify_name(context, "free beam, %d across, %s: frequency, Hz", across, motionNames[motion]),
                frequency, theory, tolerance * theory);
        }
    }
    return lb_success();
}
