/* Boundary elements and contact of precomputed surfaces: assembly and factors, and a frame of a probe that slides. */
#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "bem/response.h"
#include "bem/surface_energy.h"
#include "bem/touch.h"
#include "bench/benches.h"
#include "limber/response.h"
#include "limber/shape.h"

#include <stdio.h>
#include <string.h>

/* A ball of about as many points, its bottom held. */
static lbResult make_response(lbBenchContext* context, int points, lbResponse** made, lbResponseReport* report) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    def.radius = 0.5f;
    def.edge = (float)(0.5 * sqrt(4 * 3.14159 * 2 / (1.732 * points)));
    lbShape* shape = NULL;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbRegion bottom = {.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, -0.4f, 1}}};
    lbBoundaryDef boundary = lbDefaultBoundaryDef();
    boundary.shape = shape;
    boundary.material = (lbMaterial){.density = 1000, .youngsModulus = 1e5f, .poissonsRatio = 0.4f};
    boundary.regionCount = 1, boundary.regions = &bottom;
    boundary.threadCount = context->threadCount;
    lbResult result = lbPrecomputeBoundary(&boundary, made, report);
    lbDestroyShape(shape);
    return result;
}

typedef struct Slider {
    lbTouch touch;
    lbCollisionShape* ball;
    double radius, depth, turn;
    bool layer;
    double friction;
    lbPose before;
    int frames;
    double touched;
} Slider;

/* The probe goes round, by 1 mm of the surface a frame. */
static void slide(void* argument) {
    Slider* slider = argument;
    slider->turn += 0.002;
    double c = cos(slider->turn), s = sin(slider->turn), away = 0.5 + slider->radius - slider->depth;
    lbVec3 at = vec3((float)(0.8 * away * c), (float)(0.6 * away), (float)(0.8 * away * s));
    lbPose pose = {at, quat_identity()};
    lbTouchProbe probe = {.shape = slider->ball, .pose = pose, .before = slider->before, .friction = slider->friction};
    slider->before = pose;
    if (slider->layer) {
        lb_touch_by_layer(&slider->touch, &probe, 1, NULL, 0.3 * slider->depth);
    } else {
        lb_touch_exactly(&slider->touch, &probe, 1, NULL);
    }
    slider->touched += slider->touch.report.touchedCount;
    slider->frames += 1;
}

/* A depth that has so many points in contact: about the points under the cap that the probe cuts off, halved by the
 * body's giving way; found by trying. */
static void find_depth(Slider* slider, int wanted) {
    double low = 0, high = 0.25;
    for (int i = 0; i < 20; ++i) {
        slider->depth = 0.5 * (low + high);
        slide(slider);
        *(slider->touch.report.touchedCount < wanted ? &low : &high) = slider->depth;
    }
    slider->frames = 0, slider->touched = 0;
}

static void time_scheme(lbBenchContext* context, Slider* slider, const char* scheme, int points, int wanted) {
    char name[64];
    lbTiming timing = lb_bench_time(context, 0.3, slide, slider);
    snprintf(name, sizeof(name), "%s_%d_%d_ms", scheme, points, wanted);
    lb_bench_report(context, name, 1e3 * timing.median, "ms");
    snprintf(name, sizeof(name), "%s_%d_%d_points", scheme, points, wanted);
    lb_bench_report(context, name, slider->touched / slider->frames, "");
    if (!slider->layer) {
        snprintf(name, sizeof(name), "%s_%d_%d_rounds", scheme, points, wanted);
        lb_bench_report(context, name, slider->touch.report.rounds, "");
    }
}

/* The exact scheme, the same with friction, and the paper's layer. */
static lbResult time_contact(lbBenchContext* context, const lbResponse* made, int points, int wanted) {
    static const char* const schemes[] = {"contact", "friction", "layer"};
    Slider slider = {.radius = 2, .before = {{0, 9, 0}, {0, 0, 0, 1}}};
    lbCollisionDef def = {.kind = lb_collisionSphere, .radius = (float)slider.radius};
    lbResult result = lb_create_touch(context->host, made, &slider.touch);
    result = result.code == lb_ok ? lb_prepare_layer(&slider.touch) : result;
    result = result.code == lb_ok ? lb_create_collision_shape(context->host, &def, &slider.ball) : result;
    for (int k = 0; k < 3 && result.code == lb_ok; ++k) {
        slider.layer = false, slider.friction = 0;
        find_depth(&slider, wanted);
        slider.layer = k == 2, slider.friction = k == 1 ? 0.3 : 0;
        time_scheme(context, &slider, schemes[k], points, wanted);
    }
    lb_destroy_touch(&slider.touch);
    lb_destroy_collision_shape(slider.ball);
    return result;
}

/* ---- The closed form of the energy beside (4) of the paper, solved for each triangle
 * ------------------------------------ */

enum { energyTriangles = 1000 };
typedef struct Energies {
    lbVec3d p[3], u[3];
    lbEnergyTriangle triangle;
    double sink;
} Energies;

static void closed_form(void* argument) {
    Energies* e = argument;
    for (int i = 0; i < energyTriangles; ++i) {
        lbVec3 ub = vec3((float)i, (float)e->u[1].y, (float)e->u[1].z);
        e->sink += 1e-30 * (double)lb_surface_energy(&e->triangle, ub, vec3_from(e->u[2]));
    }
}

static void direct_form(void* argument) {
    Energies* e = argument;
    const double nu = 0.4;
    for (int i = 0; i < energyTriangles; ++i) {
        double a[9][10] = {{0}};
        lbVec3d n = vec3d_normalize(vec3d_cross(vec3d_sub(e->p[1], e->p[0]), vec3d_sub(e->p[2], e->p[0])));
        for (int k = 0; k < 6; ++k) {
            lbVec3d at = vec3d_sub(e->p[k / 3 + 1], e->p[0]), u = e->u[k / 3 + 1];
            a[k][3 * (k % 3)] = at.x, a[k][3 * (k % 3) + 1] = at.y, a[k][3 * (k % 3) + 2] = at.z;
            a[k][9] = (k % 3 == 0 ? i : k % 3 == 1 ? u.y : u.z);
        }
        const double m[3] = {n.x, n.y, n.z};
        for (int k = 0; k < 9; ++k) {
            int r = 6 + k / 3, j = k % 3;
            a[r][3 * (k / 3) + j] += m[j], a[r][3 * j + k / 3] += m[j], a[r][4 * j] += 2 * nu / (1 - 2 * nu) * m[k / 3];
        }
        for (int k = 0; k < 9; ++k) {
            int pivot = k;
            for (int r = k; r < 9; ++r) {
                pivot = fabs(a[r][k]) > fabs(a[pivot][k]) ? r : pivot;
            }
            for (int c = k; c < 10; ++c) {
                double kept = a[k][c];
                a[k][c] = a[pivot][c], a[pivot][c] = kept;
            }
            for (int r = k + 1; r < 9; ++r) {
                double factor = a[r][k] / a[k][k];
                for (int c = k; c < 10; ++c) {
                    a[r][c] -= factor * a[k][c];
                }
            }
        }
        double d[9], sum = 0, trace;
        for (int k = 8; k >= 0; --k) {
            d[k] = a[k][9];
            for (int c = k + 1; c < 9; ++c) {
                d[k] -= a[k][c] * d[c];
            }
            d[k] /= a[k][k];
        }
        trace = d[0] + d[4] + d[8];
        for (int k = 0; k < 9; ++k) {
            double strain = 0.5 * (d[k] + d[3 * (k % 3) + k / 3]);
            sum += strain * strain;
        }
        e->sink += 1e-30 * (sum + nu / (1 - 2 * nu) * trace * trace);
    }
}

static void time_energy(lbBenchContext* context) {
    Energies e = {.p = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}}, .u = {{0, 0, 0}, {0.01, 0, 0.02}, {0, 0.02, -0.01}}};
    e.triangle = lb_energy_triangle(e.p[0], e.p[1], e.p[2], 1, 0.4);
    lbTiming closed = lb_bench_time(context, 0.2, closed_form, &e),
             direct = lb_bench_time(context, 0.2, direct_form, &e);
    lb_bench_report(context, "energy_ns", 1e9 * closed.median / energyTriangles, "ns");
    lb_bench_report(context, "energy_9x9_over_closed", direct.median / closed.median, "");
}

lbResult lb_bench_bem(lbBenchContext* context) {
    static const struct {
        int points, contacts[3];
        bool onlyLong;
    } runs[] = {{800, {10, 30, 100}, false}, {2000, {30, 100, 200}, false}, {5000, {30, 100, 200}, true}};
    time_energy(context);
    LB_TRY(lb_bench_bem_updates(context));
    for (int i = 0; i < 3 && (!runs[i].onlyLong || context->longRun); ++i) {
        char name[64];
        lbResponse* made = NULL;
        lbResponseReport report;
        snprintf(name, sizeof(name), "nodes%d_s", runs[i].points);
        lb_bench_progress(context, name);
        LB_TRY(make_response(context, runs[i].points, &made, &report));
        lb_bench_report(context, name, report.totalSeconds, "s");
        snprintf(name, sizeof(name), "nodes%d", runs[i].points);
        lb_bench_report_of(context, name, "points", report.pointCount, "");
        lb_bench_report_of(context, name, "assemble_s", report.assembleSeconds, "s");
        lb_bench_report_of(context, name, "solve_s", report.solveSeconds, "s");
        lb_bench_report_of(context, name, "peak_mb", 1e-6 * report.peakBytes, "MB");
        lb_bench_report_of(context, name, "file_mb", 1e-6 * (double)lbResponse_GetFileSize(made), "MB");
        lb_bench_report_of(context, name, "asymmetry", report.asymmetry, "");
        lb_bench_report_of(context, name, "low_rank_share", lb_bench_response_rank(context->host, made, 1e-4), "");
        lbResult result = lb_success();
        for (int k = 0; k < 3 && result.code == lb_ok; ++k) {
            result = time_contact(context, made, runs[i].points, runs[i].contacts[k]);
        }
        lbDestroyResponse(made);
        LB_TRY(result);
    }
    return lb_success();
}
