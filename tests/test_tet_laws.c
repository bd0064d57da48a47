#include "law/polar.h"
#include "tet_law_fixture.h"

TEST(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        double forceError, tangentError;
        measure_law_errors(&fixture.model, &fixture.law, 0.05f, 1e-3, &forceError, &tangentError);
        CHECK_NEAR(forceError, 0, 3e-6); /* rounding of float32 positions over the difference step, shared by nodes */
        CHECK_NEAR(tangentError, 0, 1e-5);
        destroy_fixture(&fixture);
    }
}

/* Nodes moved by as much as an edge: many elements are inside out. */
TEST(TheSameHoldsWhereElementsAreInsideOut) {
    for (int i = firstSafe; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        double forceError, tangentError;
        measure_law_errors(&fixture.model, &fixture.law, 0.4f, 2e-4, &forceError, &tangentError);
        CHECK_NEAR(forceError, 0,
                   1e-4); /* the corotational energy has kinks among these states, differences step over */
        CHECK_NEAR(tangentError, 0, 1e-3);
        destroy_fixture(&fixture);
    }
}

/* ---- Motions without strain -------------------------------------------------------------------------------------- */

static void rotation_matrix(lbVec3 axis, float angle, double A[9]) {
    lbQuat q = quat_from_axis_angle(axis, angle);
    for (int c = 0; c < 3; ++c) {
        lbVec3 column = quat_rotate(q, vec3(c == 0 ? 1.0f : 0, c == 1 ? 1.0f : 0, c == 2 ? 1.0f : 0));
        A[c] = (double)column.x, A[3 + c] = (double)column.y, A[6 + c] = (double)column.z;
    }
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

TEST(TranslationMakesNoForce) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0.01f);
        float* x = map_rest(&fixture, identity, vec3d(0.5, -1, 0.25));
        float* f = forces_at(&fixture, x, NULL);
        CHECK_NEAR(largest_force(&fixture, f, everywhere), 0, 2 * forceRounding);
        free(x), free(f);
        destroy_fixture(&fixture);
    }
}

/* With velocities of the rotation, so that damping is seen too. */
TEST(RotationMakesNoForceButInTheLinearLaw) {
    const float angles[] = {0.3f, 1.1f, 2.5f, 3.14159265f};
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0.01f);
        for (int k = 0; k < 4; ++k) {
            double A[9];
            rotation_matrix(vec3(1, 2, 3), angles[k], A);
            float *x = map_rest(&fixture, A, vec3d(0, 0, 0)), *v = calloc(4 * (size_t)fixture.n, sizeof(float));
            for (int j = 0; j < fixture.n; ++j) {
                vec3_store(v + 4 * j, vec3_cross(vec3(0.3f, -0.5f, 0.2f), vec3_load(x + 4 * j)));
            }
            float* f = forces_at(&fixture, x, v);
            double worst = largest_force(&fixture, f, everywhere);
            CHECK(i >= firstNonlinear ? worst < 2 * forceRounding : worst > 100);
            free(x), free(v), free(f);
        }
        destroy_fixture(&fixture);
    }
}

/* To first order in the angle: forces of the second order are 1e-6 of E times an area. */
TEST(AnInfinitesimalRotationMakesForcesUnderPaperAloneAndThereAtTheSurface) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        const double w = 1e-3, A[9] = {1, -w, 0.5 * w, w, 1, -2 * w, -0.5 * w, 2 * w, 1};
        float *x = map_rest(&fixture, A, vec3d(0, 0, 0)), *f = forces_at(&fixture, x, NULL);
        CHECK_NEAR(largest_force(&fixture, f, inside), 0, forceRounding);
        double surface = largest_force(&fixture, f, outside);
        /* mu times the angle times a node's share of the surface, some 0.2 m^2: 3 N. */
        CHECK(tetLaws[i].boundary == lb_boundaryPaper ? surface > 1 : surface < 2 * forceRounding);
        free(x), free(f);
        destroy_fixture(&fixture);
    }
}

/* ---- The patch test ---------------------------------------------------------------------------------------------- */

/* Under a uniform deformation, of any size, stress is uniform and nodes inside feel nothing. */
TEST(AUniformDeformationLeavesTheInsideInBalance) {
    const double A[9] = {1.3, 0.2, -0.1, 0.15, 0.8, 0.25, -0.2, 0.1, 1.1};
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        float *x = map_rest(&fixture, A, vec3d(0, 0, 0)), *f = forces_at(&fixture, x, NULL);
        double size = largest_force(&fixture, f, outside);
        CHECK(size > 500);
        CHECK_NEAR(largest_force(&fixture, f, inside) / size, 0, 3e-5);
        free(x), free(f);
        destroy_fixture(&fixture);
    }
}

/* P by the book, in double. */
static void reference_stress(lbLawKind law, double F[3][3], double lambda, double mu, double P[3][3]) {
    double R[3][3], E[3][3] = {{0}}, trace = 0, C = 0, stretch = -3;
    lb_nearest_rotation(F, R);
    double J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
               F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            E[i][j] = i == j ? -0.5 : 0;
            for (int k = 0; k < 3; ++k) {
                E[i][j] += 0.5 * F[k][i] * F[k][j];
            }
            stretch += R[i][j] * F[i][j];
            C += F[i][j] * F[i][j];
        }
        trace += E[i][i];
    }
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 0.75 * m / l;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double cofactor = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1], green = lambda * trace * F[i][j];
            for (int k = 0; k < 3; ++k) {
                green += 2 * mu * F[i][k] * E[k][j];
            }
            P[i][j] = law == lb_lawGreen          ? green
                      : law == lb_lawCorotational ? 2 * mu * (F[i][j] - R[i][j]) + lambda * stretch * R[i][j]
                                                  : m * (1 - 1 / (C + 1)) * F[i][j] + l * (J - a) * cofactor;
        }
    }
}

/* One tetrahedron: forces on its nodes are -V P grad W. */
static double stress_error(const Fixture* one, lbLawKind law, double F[3][3]) {
    double A[9], P[3][3], worst = 0, size = 0;
    const double lambda = fixtureYoungs * fixtureNu / ((1 + fixtureNu) * (1 - 2 * fixtureNu));
    const double mu = fixtureYoungs / (2 * (1 + fixtureNu));
    memcpy(A, F, sizeof(A));
    float *x = map_rest(one, A, vec3d(0, 0, 0)), *f = forces_at(one, x, NULL);
    reference_stress(law, F, lambda, mu, P);
    for (int c = 0; c < 3; ++c) { /* the corners lie on the axes, 0.1 m from the first */
        for (int r = 0; r < 3; ++r) {
            double expected = -one->mesh.tets[0].volume * P[r][c] / 0.1;
            worst = fmax(worst, fabs((double)f[4 * (c + 1) + r] - expected));
            size = fmax(size, fabs(expected));
        }
    }
    free(x), free(f);
    return worst / fmax(size, one->mesh.tets[0].volume * mu / 0.1);
}

static Fixture make_one(lbLawKind law) {
    Fixture one = {.mesh = {.host = lb_resolve_host(NULL), .nodeCount = 4, .tetCount = 1, .blockCount = 1}};
    one.mesh.nodes = LB_NEW(one.mesh.host, lbVec3d, 4);
    one.mesh.tets = LB_NEW(one.mesh.host, lbTet, 1);
    one.mesh.blockStarts = LB_NEW(one.mesh.host, int, 2);
    one.mesh.blockStarts[1] = 4;
    one.mesh.nodes[1].x = one.mesh.nodes[2].y = one.mesh.nodes[3].z = 0.1;
    one.mesh.tets[0] = (lbTet){.node = {0, 1, 2, 3}, .volume = 1e-3 / 6};
    bake_fixture(&one, (TetLaw){law, lb_boundaryFull}, 0);
    return one;
}

TEST(StressIsTheLawsForAnyDeformation) {
    for (int i = firstNonlinear; i < tetLawCount; ++i) {
        Fixture one = make_one(tetLaws[i].kind);
        unsigned seed = 5;
        double worst = 0;
        for (int round = 0; round < 2000; ++round) {
            double F[3][3];
            for (int k = 0; k < 9; ++k) {
                F[k / 3][k % 3] = 2 * (double)random_signed(&seed); /* half of them inside out */
            }
            worst = fmax(worst, stress_error(&one, tetLaws[i].kind, F));
        }
        CHECK_NEAR(worst, 0, 4e-6); /* sums of some ten float32 products of up to 2^3 */
        destroy_fixture(&one);
    }
}

/* ---- Inside out -------------------------------------------------------------------------------------------------- */

/* Where two rotations are as near as each other, one is taken: a force, not a NaN. */
TEST(FlatLineAndPointAndMirroredElementsHaveFiniteForces) {
    double cases[][3][3] = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},       {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                            {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},          {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                            {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},          {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                            {{0, 0, 0}, {0, 1e-20, 0}, {0, 0, 0}},      {{1, 0, 0}, {0, 1e-6, 0}, {0, 0, -1e-6}},
                            {{-0.5, 0, 0}, {0, -0.5, 0}, {0, 0, -0.5}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
    for (int i = firstSafe; i < tetLawCount; ++i) {
        Fixture one = make_one(tetLaws[i].kind);
        for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
            double A[9], P[3][3];
            memcpy(A, cases[k], sizeof(A));
            float *x = map_rest(&one, A, vec3d(0, 0, 0)), *f = forces_at(&one, x, NULL);
            CHECK(largest_force(&one, f, everywhere) < 1e4);
            reference_stress(tetLaws[i].kind, cases[k], 1, 1, P);
            float *p = calloc(16, sizeof(float)), *y = calloc(16, sizeof(float)), *bounds = calloc(48, sizeof(float));
            p[4] = 1, p[10] = -2;
            lbRange all;
            lbScope scope = lb_whole_scope(&one.law, &all);
            one.law.law->tangent(&scope, x, 1, 1, p, y);
            one.law.law->bound(&scope, x, bounds, bounds + 24);
            CHECK(isfinite(dot_vectors(y, y, 4)) && isfinite(one.law.law->energy(&scope, x)));
            for (int j = 0; j < 48; ++j) {
                CHECK(isfinite(bounds[j]));
            }
            free(x), free(f), free(p), free(y), free(bounds);
        }
        destroy_fixture(&one);
    }
}

/* ---- Damping ----------------------------------------------------------------------------------------------------- */

/* From w to w + v: forces are linear in velocities. */
TEST(DampingTakesEnergyAndIsTheTangentInVelocities) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0.01f);
        int n = fixture.n;
        unsigned seed = 3;
        float amount = i >= firstSafe ? 0.4f : 0.1f;
        float *x = random_vector(n, amount, &seed), *v = random_vector(n, 1, &seed), *w = random_vector(n, 1, &seed);
        float* y = calloc(4 * (size_t)n, 4);
        offset_vector(x, 1, fixture.model.rest, n, x);
        float* before = forces_at(&fixture, x, w);
        offset_vector(w, 1, v, n, w);
        float* after = forces_at(&fixture, x, w);
        offset_vector(after, -1, before, n, after);
        CHECK(dot_vectors(after, v, n) < 0);
        lbRange all;
        lbScope scope = lb_whole_scope(&fixture.law, &all);
        fixture.law.law->tangent(&scope, x, 0, 1, v, y);
        offset_vector(after, -1, y, n, after);
        /* A difference of forces that are larger than the damping is. */
        CHECK_NEAR(sqrt(dot_vectors(after, after, n) / dot_vectors(before, before, n)), 0, 2e-6);
        free(x), free(v), free(w), free(y), free(before), free(after);
        destroy_fixture(&fixture);
    }
}

/* At rest it is stiffnessDamping times the stiffness. */
TEST(DampingAtRestIsItsTimeTimesStiffness) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0.01f);
        int n = fixture.n;
        unsigned seed = 12;
        float *p = random_vector(n, 1, &seed), *y = calloc(4 * (size_t)n, 4), *g = calloc(4 * (size_t)n, 4);
        lbRange all;
        lbScope scope = lb_whole_scope(&fixture.law, &all);
        fixture.law.law->tangent(&scope, fixture.model.rest, 0, 1, p, y);
        fixture.law.law->tangent(&scope, fixture.model.rest, 0.01f, 0, p, g);
        offset_vector(y, -1, g, n, y);
        CHECK_NEAR(sqrt(dot_vectors(y, y, n) / dot_vectors(g, g, n)), 0, 2e-6);
        free(p), free(y), free(g);
        destroy_fixture(&fixture);
    }
}

TEST(ForcesKeepMomentumAndAngularMomentum) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0.01f);
        int n = fixture.n;
        unsigned seed = 3;
        float *x = random_vector(n, 0.1f, &seed), *v = random_vector(n, 1, &seed);
        offset_vector(x, 1, fixture.model.rest, n, x);
        float* f = forces_at(&fixture, x, v);
        lbVec3d sum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        for (int k = 0; k < n; ++k) {
            lbVec3d force = vec3d_load(f + 4 * k);
            sum = vec3d_add(sum, force);
            torque = vec3d_add(torque, vec3d_cross(vec3d_load(x + 4 * k), force));
            size += vec3d_length(force);
        }
        CHECK_NEAR(vec3d_length(sum) / size, 0, 2e-7);
        CHECK(i >= firstNonlinear ? vec3d_length(torque) / size < 2e-7 : vec3d_length(torque) / size > 1e-4);
        free(x), free(v), free(f);
        destroy_fixture(&fixture);
    }
}

/* ---- Moduli ------------------------------------------------------------------------------------------------------ */

/* Uniform stretch along x with the sides free to follow by nu: the force over the end face is E times strain. */
TEST(ASmallStretchMeetsYoungsModulusAndPoissonsRatio) {
    const double strain = 1e-3, A[9] = {1 + strain, 0, 0, 0, 1 - fixtureNu * strain, 0, 0, 0, 1 - fixtureNu * strain};
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        float *x = map_rest(&fixture, A, vec3d(0, 0, 0)), *f = forces_at(&fixture, x, NULL);
        double pull = 0, side = 0, expected = 4 * fixtureYoungs * strain; /* 80 N */
        for (int k = 0; k < fixture.n; ++k) {
            pull -= fixture.mesh.nodes[k].x > 0.99 ? (double)f[4 * k] : 0;
            side -= fixture.mesh.nodes[k].y > 0.99 ? (double)f[4 * k + 1] : 0;
        }
        if (tetLaws[i].boundary == lb_boundaryFull) {
            CHECK_NEAR(pull, expected, 5 * strain * expected); /* laws differ in the second order */
            CHECK_NEAR(side, 0, 5 * strain * expected);
        } else { /* its surface stress is mu grad d + (lambda + mu) div d: not that of the matter */
            CHECK(fabs(side) > 0.1 * expected);
        }
        free(x), free(f);
        destroy_fixture(&fixture);
    }
}

/* The two forms of the linear law are one inside, where mu is uniform. */
TEST(PaperIsFullOnTheRowsOfNodesInside) {
    Fixture full = make_fixture(tetLaws[0], 0), paper = make_fixture(tetLaws[1], 0);
    unsigned seed = 8;
    int n = full.n;
    float* x = random_vector(n, 0.05f, &seed);
    offset_vector(x, 1, full.model.rest, n, x);
    float *f = forces_at(&full, x, NULL), *g = forces_at(&paper, x, NULL);
    double size = largest_force(&full, f, inside);
    offset_vector(g, -1, f, n, g);
    CHECK_NEAR(largest_force(&full, g, inside) / size, 0, 2e-6);
    CHECK(largest_force(&full, g, outside) / size > 0.05);
    free(x), free(f), free(g);
    destroy_fixture(&full);
    destroy_fixture(&paper);
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

/* The largest p.Kp / p.Dp by power iteration on D^-1 K must be below 1, and not by much. */
static double bound_ratio(const Fixture* fixture, const float* x) {
    int n = fixture->n;
    unsigned seed = 6;
    float *p = random_vector(n, 1, &seed), *y = calloc(4 * (size_t)n, sizeof(float));
    float* blocks = calloc(12 * (size_t)n, sizeof(float));
    lbRange all;
    lbScope scope = lb_whole_scope(&fixture->law, &all);
    fixture->law.law->bound(&scope, x, blocks, blocks + 6 * (size_t)n);
    double ratio = 0;
    for (int round = 0; round < 1000; ++round) {
        memset(y, 0, 4 * (size_t)n * sizeof(float));
        fixture->law.law->tangent(&scope, x, -1, 0, p, y);
        double above = dot_vectors(p, y, n), below = 0, size = 0;
        for (int i = 0; i < 4 * n; ++i) { /* blocks of these laws are multiples of the identity */
            float d = blocks[6 * (i / 4)];
            below += (double)d * (double)p[i] * (double)p[i];
            y[i] = 3 * p[i] + y[i] / d; /* shifted, so that the largest one wins over negative ones */
            size += (double)y[i] * (double)y[i];
        }
        ratio = above / below;
        for (int i = 0; i < 4 * n; ++i) {
            p[i] = (float)((double)y[i] / sqrt(size));
        }
    }
    free(p), free(y), free(blocks);
    return ratio;
}

TEST(TheBoundHoldsAndIsNotFarAbove) {
    const float amounts[] = {0, 0.1f, 0.35f};
    const float scales[] = {1, 1.4f, 0.7f};
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = make_fixture(tetLaws[i], 0);
        for (int state = 0; state < 3; ++state) {
            for (int k = 0; k < 3; ++k) {
                unsigned seed = 3;
                float* x = random_vector(fixture.n, amounts[state], &seed);
                offset_vector(x, (double)scales[k], fixture.model.rest, fixture.n, x);
                double ratio = bound_ratio(&fixture, x);
                CHECK(ratio <= 1);
                CHECK(state > 0 || k > 0 || ratio > 0.45);
                free(x);
            }
        }
        destroy_fixture(&fixture);
    }
}

/* ---- Rotations --------------------------------------------------------------------------------------------------- */

/* Of a unit quaternion. */
static void random_rotation(unsigned* seed, double R[3][3]) {
    double q[4], square = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = (double)random_signed(seed);
        square += q[i] * q[i];
    }
    double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    const double made[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    memcpy(R, made, sizeof(made));
}

/* F = U diag(stretch) V^T, and U V^T, which is the nearest rotation where only the least stretch may be negative. */
static void make_deformation(unsigned* seed, const double stretch[3], double F[3][3], double R[3][3]) {
    double U[3][3], V[3][3];
    random_rotation(seed, U);
    random_rotation(seed, V);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            F[r][c] = R[r][c] = 0;
            for (int k = 0; k < 3; ++k) {
                F[r][c] += U[r][k] * stretch[k] * V[c][k];
                R[r][c] += U[r][k] * V[c][k];
            }
        }
    }
}

static double largest_difference(double A[3][3], double B[3][3]) {
    double largest = 0;
    for (int k = 0; k < 9; ++k) {
        largest = fmax(largest, fabs(A[k / 3][k % 3] - B[k / 3][k % 3]));
    }
    return largest;
}

/* Deformations that are made of known rotations: the quick way and the one for any matrix find them. */
TEST(BothWaysFindTheRotationThatADeformationIsMadeWith) {
    const double stretches[][3] = {{1, 1, 1},     {1.3, 1, 0.8},    {2, 1.2, 0.5},    {3, 3, 0.2},
                                   {5, 0.5, 0.1}, {1.2, 0.9, 0.02}, {1.5, 1.1, -0.4}, {1, 0.9, -0.01}};
    enum { firstFar = 5 }; /* flat or inside out: too far for the quick way, which says so */
    unsigned seed = 11;
    for (int i = 0; i < (int)(sizeof(stretches) / sizeof(stretches[0])); ++i) {
        for (int trial = 0; trial < 50; ++trial) {
            double F[3][3], R[3][3], found[3][3];
            make_deformation(&seed, stretches[i], F, R);
            lb_nearest_rotation(F, found);
            /* squares of stretches lose half of the digits of the least against the largest */
            CHECK(largest_difference(found, R) < 1e-11);
            bool quick = lb_polar_rotation(F, found);
            CHECK(quick == (i < firstFar));
            CHECK(!quick || largest_difference(found, R) < 1e-12);
        }
    }
}

TEST_MAIN(TEST_ENTRY(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative),
          TEST_ENTRY(TheSameHoldsWhereElementsAreInsideOut), TEST_ENTRY(TranslationMakesNoForce),
          TEST_ENTRY(RotationMakesNoForceButInTheLinearLaw),
          TEST_ENTRY(AnInfinitesimalRotationMakesForcesUnderPaperAloneAndThereAtTheSurface),
          TEST_ENTRY(AUniformDeformationLeavesTheInsideInBalance), TEST_ENTRY(StressIsTheLawsForAnyDeformation),
          TEST_ENTRY(FlatLineAndPointAndMirroredElementsHaveFiniteForces),
          TEST_ENTRY(DampingTakesEnergyAndIsTheTangentInVelocities), TEST_ENTRY(DampingAtRestIsItsTimeTimesStiffness),
          TEST_ENTRY(ForcesKeepMomentumAndAngularMomentum), TEST_ENTRY(ASmallStretchMeetsYoungsModulusAndPoissonsRatio),
          TEST_ENTRY(PaperIsFullOnTheRowsOfNodesInside), TEST_ENTRY(TheBoundHoldsAndIsNotFarAbove),
          TEST_ENTRY(BothWaysFindTheRotationThatADeformationIsMadeWith))
