/* Compliances: reciprocity, balance, boundary elements against finite elements, and the closed form of the energy. */
#include "verify/bem_stage.h"
#include "verify/suites.h"

#include "base/memory.h"
#include "base/result.h"
#include "bem/response.h"
#include "bem/surface_energy.h"
#include "mesh/tet_mesh.h"
#include "mesh/tet_surface.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reciprocity and balance ----------------------------------------------------------------------------------------
 */

typedef struct Measures {
    double asymmetry; /* of A C, A the mass matrix of the surface: in the norm of all entries */
    double balance;   /* |what holds + force| of a unit force */
    double moment;
} Measures;

/* (A C)_ij: mean displacements, weighted by shape functions, for tractions at points. */
static void weigh(const lbBemSpecimen* made, const lbBoundarySolution* solution, int i, int j, double block[9]) {
    memset(block, 0, 9 * sizeof(double));
    for (int t = 0; t < made->boundary.triangleCount; ++t) {
        const int* corner = made->triangles + 3 * (size_t)t;
        if (corner[0] != i && corner[1] != i && corner[2] != i) {
            continue;
        }
        lbVec3d ab = vec3d_sub(made->points[corner[1]], made->points[corner[0]]);
        lbVec3d ac = vec3d_sub(made->points[corner[2]], made->points[corner[0]]);
        double area = vec3d_length(vec3d_cross(ab, ac)) / 2;
        for (int k = 0; k < 3; ++k) {
            double c[9];
            if (solution->freeOf[corner[k]] < 0) {
                continue; /* it does not move */
            }
            lb_boundary_compliance(solution, corner[k], j, c);
            for (int e = 0; e < 9; ++e) {
                block[e] += area / (corner[k] == i ? 6 : 12) * c[e];
            }
        }
    }
}

static void measure_balance(const lbBemSpecimen* made, const lbBoundarySolution* solution, int j, Measures* measures) {
    double area = 0;
    lbVec3d force[3] = {{0}}, moment[3] = {{0}};
    for (int t = 0; t < made->boundary.triangleCount; ++t) {
        const int* corner = made->triangles + 3 * (size_t)t;
        lbVec3d ab = vec3d_sub(made->points[corner[1]], made->points[corner[0]]);
        lbVec3d ac = vec3d_sub(made->points[corner[2]], made->points[corner[0]]);
        double own = vec3d_length(vec3d_cross(ab, ac)) / 2;
        area += corner[0] == j || corner[1] == j || corner[2] == j ? own / 3 : 0;
        for (int k = 0; made->held[t] && k < 9; ++k) { /* products of linear functions: by corners' weights */
            int p = corner[k / 3], at = corner[k % 3];
            double c[9], weight = own / (p == at ? 6 : 12);
            lb_boundary_compliance(solution, p, j, c);
            for (int axis = 0; axis < 3; ++axis) {
                lbVec3d f = vec3d_scale(weight, vec3d(c[axis], c[3 + axis], c[6 + axis]));
                force[axis] = vec3d_add(force[axis], f);
                moment[axis] = vec3d_add(moment[axis], vec3d_cross(made->points[at], f));
            }
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        lbVec3d f = {axis == 0 ? area : 0, axis == 1 ? area : 0, axis == 2 ? area : 0};
        lbVec3d m = vec3d_cross(made->points[j], f);
        measures->balance = fmax(measures->balance, vec3d_length(vec3d_add(force[axis], f)) / area);
        measures->moment = fmax(measures->moment, vec3d_length(vec3d_add(moment[axis], m)) / area);
    }
}

static lbResult measure_ball(int n, Measures* measures) {
    lbBemSpecimen made;
    LB_TRY(lb_make_ball(0.5, 0, n, 1e5, 0.3, &made));
    lb_hold_above(&made, vec3d(0, -1, 0), 0.3);
    lbBoundarySettings settings = {.compliance = true};
    lbBoundarySolution solution;
    lbResult result = lb_solve_boundary(&made.boundary, &settings, &solution);
    *measures = (Measures){0};
    double sum = 0, differ = 0;
    for (int i = 0; i < made.boundary.pointCount && result.code == lb_ok; i += 3) {
        for (int j = 0; j < i; j += 3) {
            if (solution.freeOf[i] < 0 || solution.freeOf[j] < 0) {
                continue;
            }
            double there[9], back[9];
            weigh(&made, &solution, i, j, there);
            weigh(&made, &solution, j, i, back);
            for (int k = 0; k < 9; ++k) {
                double d = there[k] - back[3 * (k % 3) + k / 3];
                differ += d * d;
                sum += there[k] * there[k];
            }
        }
        if (solution.freeOf[i] >= 0 && i % 4 == 0) {
            measure_balance(&made, &solution, i, measures);
        }
    }
    measures->asymmetry = sqrt(differ / sum);
    if (result.code == lb_ok) {
        lb_free_boundary_solution(&solution);
    }
    lb_free_specimen(&made);
    return result;
}

static lbResult check_reciprocity(lbVerifyContext* context) {
    Measures coarse, fine;
    LB_TRY(measure_ball(3, &coarse));
    LB_TRY(measure_ball(6, &fine));
    lb_verify_at_most(context, "ball of 362 points: compliance symmetric (Betti), of all entries", fine.asymmetry,
                      0.02);
    lb_verify_at_least(context, "ball: asymmetry of 92 points over that of 362", coarse.asymmetry / fine.asymmetry, 1);
    lb_verify_at_most(context, "ball of 362 points: what holds balances a force, of it", fine.balance, 0.03);
    lb_verify_at_most(context, "ball of 362 points: what holds balances its moment, of force times size", fine.moment,
                      0.03);
    lb_verify_at_least(context, "ball: unbalance of 92 points over that of 362", coarse.balance / fine.balance, 1.5);
    return lb_success();
}

/* ---- Boundary against finite elements -------------------------------------------------------------------------------
 */

/* A cube of 1 m, its bottom held, its top pressed by 1 Pa: how far its middle goes down, by boundary elements. */
static lbResult press_boundary(int cells, double* down) {
    lbBemSpecimen made;
    LB_TRY(lb_make_block(vec3d(1, 1, 1), cells, 1, 0.3, &made));
    lb_hold_above(&made, vec3d(0, -1, 0), 0.4999);
    int middle = 0;
    for (int i = 0; i < made.boundary.pointCount; ++i) {
        middle = vec3d_length(vec3d_sub(made.points[i], vec3d(0, 0.5, 0))) < 1e-9 ? i : middle;
    }
    for (int i = 0; i < 3 * made.boundary.triangleCount; ++i) {
        made.tractions[3 * i + 1] = lb_specimen_normal(&made, i / 3).y > 0.5 ? -1 : 0;
    }
    lbBoundaryLoad load = {made.tractions, NULL};
    lbBoundarySettings settings = {.loadCount = 1, .loads = &load};
    lbBoundarySolution solution;
    lbResult result = lb_solve_boundary(&made.boundary, &settings, &solution);
    if (result.code == lb_ok) {
        *down = -lb_boundary_answer(&solution, 0, middle).y;
        lb_free_boundary_solution(&solution);
    }
    lb_free_specimen(&made);
    return result;
}

static lbResult make_cube(int cells, lbTetMesh** mesh) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    for (int i = 0; i < 3; ++i) {
        def.size[i] = 1;
        def.cells[i] = cells;
    }
    return lbGenerateTetMesh(&def, mesh);
}

/* The same by finite elements, from the response of the surface: pressure as forces on the top's points. */
static lbResult press_finite(int cells, double* down, double* asymmetry) {
    lbTetMesh* mesh = NULL;
    LB_TRY(make_cube(cells, &mesh));
    int *nodes = malloc((size_t)mesh->pointCount * sizeof(int)), count = 0;
    for (int i = 0; nodes != NULL && i < mesh->pointCount; ++i) {
        if (mesh->points[3 * i + 1] < -0.4999) {
            nodes[count++] = i;
        }
    }
    lbControlDef bottom = {"bottom", count, nodes, true};
    lbPrecomputeDef def = lbDefaultPrecomputeDef();
    def.mesh = mesh;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1, .poissonsRatio = 0.3f};
    def.controlCount = 1, def.controls = &bottom;
    lbResponse* made = NULL;
    lbResponseReport report;
    lbResult result = lbPrecomputeResponse(&def, &made, &report);
    *down = 0;
    if (result.code == lb_ok) {
        int middle = 0;
        for (int i = 0; i < made->pointCount; ++i) {
            lbVec3 d = vec3_sub(vec3_load(made->rest + 3 * i), vec3(0, 0.5f, 0));
            middle = vec3_length(d) < 1e-6f ? i : middle;
        }
        for (int t = 0; t < made->triangleCount; ++t) {
            const int* corner = made->triangles + 3 * t;
            lbVec3d p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = vec3d_load(made->rest + 3 * corner[k]);
            }
            lbVec3d area = vec3d_scale(0.5, vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0])));
            for (int k = 0; k < 3 && p[0].y + p[1].y + p[2].y > 1.4999; ++k) {
                float block[9];
                lbResponse_GetCompliance(made, middle, corner[k], block);
                *down += (double)block[4] * vec3d_length(area) / 3;
            }
        }
        *asymmetry = report.asymmetry;
    }
    lbDestroyResponse(made);
    lbDestroyTetMesh(mesh);
    free(nodes);
    return result;
}

static lbResult check_methods(lbVerifyContext* context) {
    double boundary[2], finite[2], asymmetry;
    LB_TRY(press_boundary(4, &boundary[0]));
    LB_TRY(press_boundary(8, &boundary[1]));
    LB_TRY(press_finite(4, &finite[0], &asymmetry));
    LB_TRY(press_finite(8, &finite[1], &asymmetry));
    lb_verify_near(context, "pressed cube, 8 cells: boundary over finite elements", boundary[1] / finite[1], 1, 0.05);
    lb_verify_at_most(context, "pressed cube: difference of the methods, 8 cells over 4",
                      fabs(boundary[1] / finite[1] - 1) / fabs(boundary[0] / finite[0] - 1), 1);
    lb_verify_at_most(context, "pressed cube: finite elements' response symmetric, of its largest", asymmetry, 1e-6);
    return lb_success();
}

/* ---- The closed form of the energy ----------------------------------------------------------------------------------
 */

static double next_number(uint64_t* seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Gaussian elimination with pivoting. */
static void solve_nine(double a[9][10], double x[9]) {
    for (int k = 0; k < 9; ++k) {
        int pivot = k;
        for (int i = k; i < 9; ++i) {
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        }
        for (int c = 0; c < 10; ++c) {
            double kept = a[k][c];
            a[k][c] = a[pivot][c], a[pivot][c] = kept;
        }
        for (int i = 0; i < 9; ++i) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int c = k; c < 10; ++c) {
                a[i][c] -= factor * a[k][c];
            }
        }
    }
    for (int k = 0; k < 9; ++k) {
        x[k] = a[k][9] / a[k][k];
    }
}

/* (4) of the paper for the nine derivatives du_i/dx_j, with a traction, and the energy of the strain they make. */
static double direct_energy(const lbVec3d p[3], const lbVec3d u[3], lbVec3d traction, double mu, double nu) {
    double a[9][10] = {{0}}, d[9];
    for (int edge = 0; edge < 2; ++edge) {
        lbVec3d e = vec3d_sub(p[edge + 1], p[0]), f = vec3d_sub(u[edge + 1], u[0]);
        const double at[3] = {e.x, e.y, e.z}, moved[3] = {f.x, f.y, f.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                a[3 * edge + i][3 * i + j] = at[j];
            }
            a[3 * edge + i][9] = moved[i];
        }
    }
    lbVec3d normal = vec3d_normalize(vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0])));
    const double n[3] = {normal.x, normal.y, normal.z}, t[3] = {traction.x, traction.y, traction.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[6 + i][3 * i + j] += n[j];
            a[6 + i][3 * j + i] += n[j];
            a[6 + i][3 * j + j] += 2 * nu / (1 - 2 * nu) * n[i];
        }
        a[6 + i][9] = t[i] / mu;
    }
    solve_nine(a, d);
    double sum = 0, trace = d[0] + d[4] + d[8];
    for (int k = 0; k < 9; ++k) {
        double e = 0.5 * (d[k] + d[3 * (k % 3) + k / 3]);
        sum += e * e;
    }
    return mu * (sum + nu / (1 - 2 * nu) * trace * trace);
}

/* The closed form in double: what surface_energy.h writes in float32. */
static double closed_energy(const lbVec3d p[3], const lbVec3d u[3], lbVec3d traction, double mu, double nu) {
    lbVec3d q = vec3d_sub(p[1], p[0]), v = vec3d_sub(p[2], p[0]), n = vec3d_cross(q, v);
    lbVec3d along = vec3d_normalize(q), across = vec3d_cross(vec3d_normalize(n), along), f = vec3d_sub(u[1], u[0]);
    lbVec3d g = vec3d_sub(u[2], u[0]);
    double q1 = vec3d_dot(q, along), v1 = vec3d_dot(v, along), v2 = vec3d_dot(v, across), twice = vec3d_length(n);
    double f1 = vec3d_dot(f, along), f2 = vec3d_dot(f, across), g1 = vec3d_dot(g, along), g2 = vec3d_dot(g, across);
    double a = v2 * f1, b = q1 * g2 - v1 * f2, c = q1 * g1 - v1 * f1 + v2 * f2, T = 2 * nu / (1 - nu);
    double up = vec3d_dot(traction, vec3d_normalize(n)), all = vec3d_dot(traction, traction);
    return mu * (2 * a * a + 2 * b * b + c * c + T * (a + b) * (a + b)) / (2 * twice * twice) +
           up * up * (1 - 2 * nu) / (4 * mu * (1 - nu)) + (all - up * up) / (2 * mu);
}

static void check_energy(lbVerifyContext* context) {
    uint64_t seed = 5;
    double worst[2] = {0}, single = 0;
    for (int i = 0; i < 1000; ++i) {
        lbVec3d p[3], u[3], t = {next_number(&seed), next_number(&seed), next_number(&seed)};
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3d(next_number(&seed), next_number(&seed), next_number(&seed));
            u[k] = vec3d(0.1 * next_number(&seed), 0.1 * next_number(&seed), 0.1 * next_number(&seed));
        }
        double size = vec3d_length(vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0])));
        if (size < 0.1) {
            continue;
        }
        double nu = 0.49 * fabs(next_number(&seed)), mu = 2;
        for (int pressed = 0; pressed < 2; ++pressed) {
            lbVec3d traction = pressed == 1 ? t : vec3d(0, 0, 0);
            double direct = direct_energy(p, u, traction, mu, nu), closed = closed_energy(p, u, traction, mu, nu);
            worst[pressed] = fmax(worst[pressed], fabs(closed / direct - 1));
            lbEnergyTriangle made = lb_energy_triangle(p[0], p[1], p[2], mu, nu);
            float ours = lb_surface_energy(&made, vec3_from(vec3d_sub(u[1], u[0])), vec3_from(vec3d_sub(u[2], u[0])));
            ours += lb_traction_energy(&made, vec3_from(traction));
            single = fmax(single, fabs((double)ours / direct - 1));
        }
    }
    lb_verify_at_most(context, "energy of a free surface: closed form against the 9 x 9 system", worst[0], 1e-10);
    lb_verify_at_most(context, "energy under a traction: closed form against the 9 x 9 system", worst[1], 1e-10);
    lb_verify_at_most(context, "energy as bodies compute it, in float32", single, 1e-4);
}

lbResult lb_verify_bem_compliance(lbVerifyContext* context) {
    check_energy(context);
    LB_TRY(check_reciprocity(context));
    return check_methods(context);
}
