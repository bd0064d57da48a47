/* Precomputed bodies against theory: Lamé's cylinder, tubes bent and twisted under refinement, bars of two materials.
 */
#include "verify/elasto_bar.h"
#include "verify/law_checks.h"

#include "mesh/tet_surface.h"
#include "verify/specimen.h"

/* ---- Lamé: a thick-walled cylinder under pressure, in plane strain -------------------------------------------------
 */

/* Pressure of 1 Pa on faces whose corners all lie on the inner wall. */
static lbResult press_inside(const lbTetMesh* mesh, double radius, double* forces) {
    lbTetSurface surface;
    LB_TRY(lb_find_tet_surface(mesh, &surface));
    for (int t = 0; t < surface.triangleCount; ++t) {
        lbVec3d p[3];
        bool inner = true;
        for (int k = 0; k < 3; ++k) {
            p[k] = tet_point(mesh->points, surface.points[surface.triangles[3 * t + k]]);
            inner = inner && hypot(p[k].x, p[k].z) < 1.001 * radius;
        }
        lbVec3d area = vec3d_scale(0.5, vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0])));
        for (int k = 0; inner && k < 3; ++k) {
            double* f = forces + 3 * (size_t)surface.points[surface.triangles[3 * t + k]];
            f[0] -= area.x / 3, f[1] -= area.y / 3, f[2] -= area.z / 3; /* pressure pushes against the outward normal */
        }
    }
    lb_free_tet_surface(&surface);
    return lb_success();
}

/* u_r of the inner wall at the middle of a tube whose ends cannot move along it, m for each Pa. */
static lbResult expand(int radial, double* displacement) {
    const double a = 0.01;
    lbTubeDef def = lbDefaultTubeDef();
    def.length = 0.24, def.outerDiameter = 0.04, def.innerDiameter = 2 * a, def.controlWidth = 0.01;
    def.radial = radial, def.around = 12 * radial, def.axial = 24;
    lbTube tube;
    LB_TRY(lbGenerateTube(&def, &tube));
    const lbHost* host = lb_resolve_host(NULL);
    int points = lbTetMesh_GetPointCount(tube.mesh);
    double* forces = LB_NEW(host, double, 3 * (int64_t)points);
    lbElastostatic* made = NULL;
    lbResult result = forces != NULL ? press_inside(tube.mesh, a, forces) : lb_out_of_memory("a load");
    if (result.code == lb_ok) {
        lbControlDef controls[2] = {{"start", tube.endCount, tube.ends[0], true},
                                    {"end", tube.endCount, tube.ends[1], true}};
        lbModeLoad load = {"pressure", forces};
        lbPrecomputeDef precompute = lbDefaultPrecomputeDef();
        precompute.mesh = tube.mesh;
        precompute.material = (lbMaterial){.density = 7850, .youngsModulus = 210e9f, .poissonsRatio = 0.3f};
        precompute.controlCount = 2, precompute.controls = controls;
        precompute.loadCount = 1, precompute.loads = &load;
        result = lbPrecompute(&precompute, &made, NULL);
    }
    if (result.code == lb_ok) {
        float* mode = LB_NEW(host, float, 3 * (int64_t)made->header->pointCount);
        double sum = 0;
        int count = 0;
        result = mode != NULL ? lbElastostatic_GetMode(made, 27, mode) : lb_out_of_memory("a mode");
        for (int i = 0; result.code == lb_ok && i < made->header->pointCount; ++i) {
            lbVec3d x = vec3d_load(made->rest + 3 * (size_t)i), u = vec3d_load(mode + 3 * (size_t)i);
            double r = hypot(x.x, x.z);
            if (fabs(x.y) < 1e-6 && r < 1.001 * a) {
                sum += (u.x * x.x + u.z * x.z) / r;
                ++count;
            }
        }
        *displacement = sum / count;
        lb_release(host, mode);
    }
    lb_release(host, forces);
    lbFreeTube(&tube);
    lbDestroyElastostatic(made);
    return result;
}

/* The polygon's corners stand for the circle, and tetrahedra for the thickness: errors of second order. */
static lbResult check_lame(lbVerifyContext* context) {
    double u[2];
    LB_TRY(expand(2, &u[0]));
    LB_TRY(expand(4, &u[1]));
    const double pressure = 100e6, exact = 9.08e-6;
    lb_verify_near(context, "thick-walled cylinder (Lamé): u_r(a), 4 cells across, m", pressure * u[1], exact,
                   0.04 * exact);
    lb_verify_near(context, "thick-walled cylinder (Lamé): u_r(a), extrapolated, m", pressure * (4 * u[1] - u[0]) / 3,
                   exact, 0.01 * exact);
    return lb_success();
}

/* ---- Tubes under refinement ----------------------------------------------------------------------------------------
 */

static const double tubeLength = 0.5, outer = 0.05, inner = 0.03, controlWidth = 0.05, youngs = 1e9;

static lbResult make_tube(int level, lbElastostatic** made) {
    lbTubeDef def = lbDefaultTubeDef();
    def.length = tubeLength, def.outerDiameter = outer, def.innerDiameter = inner, def.controlWidth = controlWidth;
    def.radial = 1 << level, def.around = 12 << level, def.axial = 20 << level;
    lbMaterial material = {.density = 1000, .youngsModulus = (float)youngs, .poissonsRatio = 0.3f};
    return lb_precompute_tube(&def, &material, true, made, NULL);
}

/* Torque for a small rotation of the end about the axis, of theory's G J / l. */
static double measure_torsion(const lbElastostatic* made) {
    double c[64] = {0}, forces[24];
    const double still[3] = {0, 0, 0}, m[9] = {0, 0, 1, 0, 0, 0, -1, 0, 0}; /* about y */
    lb_set_affine(made, 1, still, m, c);
    lbReaction_Evaluate(made, c, forces);
    double torque = forces[12 + 5] - forces[12 + 9];
    double J = LB_PI / 32 * (pow(outer, 4) - pow(inner, 4)), G = youngs / 2.6;
    return torque * (tubeLength - 2 * controlWidth) / (G * J);
}

/* Deflection of the end by a force across, of theory's: controls keep plane, so that the beam lies between them. */
static lbResult measure_bending(lbElastostatic* made, double* ratio) {
    lbWorld* world = NULL;
    lbBodyId body;
    LB_TRY(lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body));
    const double P = 1e-3; /* N: as small as one likes */
    lbControlState state = {0};
    lbResult result = lbBody_SetControlForce(world, body, 1, vec3((float)P, 0, 0), vec3(0, 0, 0));
    for (int i = 0; i < 2 && result.code == lb_ok; ++i) {
        result = lbWorld_Step(world, 0.01);
    }
    if (result.code == lb_ok) {
        result = lbBody_GetControl(world, body, 1, &state);
    }
    double l = tubeLength - 2 * controlWidth, d = controlWidth / 2;
    double I = LB_PI / 64 * (pow(outer, 4) - pow(inner, 4)), A = LB_PI / 4 * (outer * outer - inner * inner);
    double m = inner / outer, nu = 0.3, q = (1 + m * m) * (1 + m * m);
    double k = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m); /* Cowper, 1966: hollow circle */
    double theory = P / (youngs * I) * (l * l * l / 3 + d * l * l + d * d * l) + P * l / (k * youngs / 2.6 * A);
    *ratio = (double)state.pose.translation.x / theory;
    lbDestroyWorld(world);
    return result;
}

static lbResult check_tubes(lbVerifyContext* context) {
    double torsion[3], bending[3];
    for (int level = 0; level < 3; ++level) {
        lbElastostatic* made = NULL;
        LB_TRY(make_tube(level, &made));
        torsion[level] = measure_torsion(made);
        lbResult result = measure_bending(made, &bending[level]);
        lbDestroyElastostatic(made);
        LB_TRY(result);
    }
    /* The solution is smooth: at four times the cells a sixteenth of the error is left. */
    lb_verify_at_most(context, "torsion of a tube: error at 4 cells across, of that at 1",
                      fabs(torsion[2] - 1) / fabs(torsion[0] - 1), 1.3 / 16);
    lb_verify_near(context, "torsion of a tube: extrapolated", lb_extrapolate(torsion), 1, 0.005);
    lb_verify_near(context, "torsion of a tube: observed order", lb_observed_order(torsion), 2, 0.3);
    lb_verify_near(context, "cantilever of a tube: deflection / theory's, 4 cells across", bending[2], 1, 0.05);
    /* Controls that keep their sections from contracting stiffen it: 3 % for a square of 8 sides at nu = 0.49. */
    lb_verify_near(context, "cantilever of a tube: extrapolated", lb_extrapolate(bending), 1, 0.02);
    /* Where a clamped end meets a free side the stress is singular: displacements go as r^0.71 at nu = 0.3 (M. L.
     * Williams, Stress Singularities Resulting from Various Boundary Conditions in Angular Corners of Plates in
     * Extension, 1952), and the order is between twice that and 2. */
    lb_verify_near(context, "cantilever of a tube: observed order, between 1.4 and 2", lb_observed_order(bending), 1.7,
                   0.3);
    return lb_success();
}

/* ---- Bars of two materials, nu = 0: exact --------------------------------------------------------------------------
 */

static double pulling_force(const lbElastostatic* made, double e) {
    double c[64] = {0}, forces[24];
    c[12] = e;
    lbReaction_Evaluate(made, c, forces);
    return forces[12];
}

static lbResult check_composites(lbVerifyContext* context) {
    const double stiff = 8e6, soft = 1e6, area = 0.04, pull = 0.01;
    for (int parallel = 0; parallel < 2; ++parallel) {
        lbElastoBar bar = lb_default_elasto_bar(0);
        bar.zoneCount = 1;
        bar.zones[0] = (lbZone){.region = {.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, 1, 1}}},
                                .matter = {1000, (float)stiff, 0}};
        if (parallel) {
            bar.zones[0].region.box.upper.y = 0;
        } else {
            bar.zones[0].region.box.upper.x = 0;
        }
        lbElastostatic* made = NULL;
        LB_TRY(lb_precompute_bar(&bar, &made, NULL));
        /* Between the controls there are 0.8 m. In parallel each half carries its own; in series strains add up. */
        double expected = parallel ? (stiff + soft) / 2 * area * pull / 0.8 : area * pull / (0.4 / stiff + 0.4 / soft);
        lb_verify_near(context,
                       parallel ? "bar of two materials in parallel: force, N"
                                : "bar of two materials in series: force, N",
                       pulling_force(made, pull), expected, (parallel ? 1e-6 : 1e-6) * expected);
        lbDestroyElastostatic(made);
    }
    return lb_success();
}

lbResult lb_verify_elasto_theory(lbVerifyContext* context) {
    LB_TRY(check_lame(context));
    LB_TRY(check_tubes(context));
    return check_composites(context);
}
