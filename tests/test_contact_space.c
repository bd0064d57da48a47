/* Rows in contact space, against solutions found by trying every set of rows that push. */
#include "base/memory.h"
#include "contact/contact_space.h"
#include "matrix/dense_lu.h"
#include "test.h"

enum { blockCount = 4, nodes = 5, stride = 16, freedoms = 3 * nodes + 6, rowCount = 10 };

/* Bodies that give way as random matrices say, and as wholes, and rows between them. */
typedef struct Stage {
    lbRow rows[rowCount];
    lbSoftAnswer soft[blockCount];
    lbPatch patches[blockCount];
    float u[blockCount][stride], w[blockCount][3 * nodes * stride];
    lbRowGroup groups[2 * rowCount];
    int live[rowCount], order[rowCount];
    uint64_t used[blockCount];
} Stage;

/* 0 to 1, the same in every run. */
static double random_number(uint64_t* state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static lbVec3 random_vector(uint64_t* state) {
    float x[3];
    for (int c = 0; c < 3; ++c) {
        x[c] = 2 * (float)random_number(state) - 1;
    }
    return vec3(x[0], x[1], x[2]);
}

/* B^T B, and some more on the diagonal. */
static void make_block(Stage* stage, int block, uint64_t* state) {
    enum { size = 3 * nodes };
    double b[size][size];
    for (int i = 0; i < size * size; ++i) {
        b[i / size][i % size] = 2 * random_number(state) - 1;
    }
    float* w = stage->w[block];
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < size; ++k) {
            double sum = i == k ? 0.5 : 0;
            for (int l = 0; l < size; ++l) {
                sum += 0.1 * b[l][i] * b[l][k];
            }
            w[i * stride + k] = (float)sum;
        }
    }
    stage->soft[block] =
        (lbSoftAnswer){.used = true, .inverseMass = 0.7f, .inverseInertia = {2, 3, 4, 0.1f, 0.2f, 0.3f}};
    stage->patches[block] = (lbPatch){.count = nodes, .stride = stride, .u = stage->u[block], .w = w};
}

static void make_side(lbSide* side, lbSoftSide* soft, uint64_t* state) {
    side->count = 2;
    for (int k = 0; k < 2; ++k) {
        soft->place[k] = (int16_t)(2 * k + (int)(2 * random_number(state)));
        side->weight[k] = k == 0 ? 0.3f : 0.7f;
    }
    soft->arm = vec3_scale(0.1f, random_vector(state));
}

/* What a unit impulse of a row along `direction` does to each freedom's impulse, of one block. */
static void spread(const lbRow* row, lbVec3 direction, int block, double form[freedoms]) {
    memset(form, 0, freedoms * sizeof(double));
    for (int k = 0; k < 2; ++k) {
        if ((k == 0 ? row->blockA : row->blockB) != block) {
            continue;
        }
        const lbSide* side = k == 0 ? &row->a : &row->b;
        const lbSoftSide* soft = k == 0 ? &row->softA : &row->softB;
        lbVec3 p = vec3_scale(k == 0 ? 1 : -1, direction), turn = vec3_cross(soft->arm, p);
        for (int i = 0; i < side->count; ++i) {
            const float weight = side->weight[i], *at = &p.x;
            for (int c = 0; c < 3; ++c) {
                form[3 * soft->place[i] + c] += (double)(weight * at[c]);
            }
        }
        const float *push = &p.x, *torque = &turn.x;
        for (int c = 0; c < 3; ++c) {
            form[3 * nodes + c] += (double)push[c];
            form[3 * nodes + 3 + c] += (double)torque[c];
        }
    }
}

/* How one row's velocity along a direction answers to another's impulse along another. */
static double answer(const Stage* stage, int i, lbVec3 along, int k, lbVec3 push) {
    double sum = 0;
    for (int block = 0; block < blockCount; ++block) {
        double p[freedoms], q[freedoms];
        const lbSoftAnswer* soft = &stage->soft[block];
        spread(&stage->rows[i], along, block, p);
        spread(&stage->rows[k], push, block, q);
        for (int r = 0; r < 3 * nodes; ++r) {
            for (int c = 0; c < 3 * nodes; ++c) {
                sum += p[r] * (double)stage->w[block][r * stride + c] * q[c];
            }
        }
        const float* e = soft->inverseInertia;
        const float full[3][3] = {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}};
        for (int r = 0; r < 3; ++r) {
            sum += p[3 * nodes + r] * (double)soft->inverseMass * q[3 * nodes + r];
            for (int c = 0; c < 3; ++c) {
                sum += p[3 * nodes + 3 + r] * (double)full[r][c] * q[3 * nodes + 3 + c];
            }
        }
    }
    return sum;
}

static void make_stage(Stage* stage, float friction, uint64_t* state) {
    static const int pairs[5][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, -1}};
    memset(stage, 0, sizeof(*stage));
    for (int block = 0; block < blockCount; ++block) {
        make_block(stage, block, state);
    }
    for (int i = 0; i < rowCount; ++i) {
        lbRow* row = &stage->rows[i];
        row->blockA = pairs[i / 2][0], row->blockB = pairs[i / 2][1];
        make_side(&row->a, &row->softA, state);
        make_side(&row->b, &row->softB, state);
        lbVec3 normal = random_vector(state);
        row->normal = vec3_scale(1 / vec3_length(normal), normal);
        row->friction = friction;
        row->base = random_vector(state);
        row->wanted = vec3_scale(0.1f * (float)random_number(state), row->normal);
        stage->live[i] = i;
    }
    for (int i = 0; i < rowCount; ++i) {
        static const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        static const int entries[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        for (int e = 0; e < 6; ++e) {
            stage->rows[i].c[e] = (float)answer(stage, i, axes[entries[e][0]], i, axes[entries[e][1]]);
        }
    }
}

static lbContactSpace space_of(Stage* stage, bool coloured, lbTasks* tasks) {
    lbContactSpace space = {.rows = stage->rows, .soft = stage->soft, .patches = stage->patches, .tasks = tasks};
    space.iterationLimit = 400;
    if (coloured) {
        space.groups =
            lb_group_rows(stage->rows, stage->live, rowCount, blockCount, stage->used, stage->order, stage->groups);
        return space;
    }
    stage->groups[0] = (lbRowGroup){.count = rowCount};
    space.groups =
        (lbRowGroups){.count = 1, .groups = stage->groups, .order = stage->live, .colourCount = 1, .starts = {0, 1}};
    return space;
}

static lbVec3 velocity_of(const Stage* stage, int i) {
    static const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double u[3] = {(double)stage->rows[i].base.x, (double)stage->rows[i].base.y, (double)stage->rows[i].base.z};
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < rowCount; ++k) {
            u[c] += answer(stage, i, axes[c], k, stage->rows[k].impulse);
        }
    }
    return vec3((float)u[0], (float)u[1], (float)u[2]);
}

/* p >= 0, A p + b >= 0, one of them 0 in each row: the only set of rows for which both hold. */
static void solve_by_trying(const Stage* stage, double p[rowCount]) {
    double a[rowCount][rowCount], b[rowCount];
    for (int i = 0; i < rowCount; ++i) {
        const lbRow* row = &stage->rows[i];
        b[i] = (double)vec3_dot(row->normal, vec3_sub(row->base, row->wanted));
        for (int k = 0; k < rowCount; ++k) {
            a[i][k] = answer(stage, i, row->normal, k, stage->rows[k].normal);
        }
    }
    for (int set = 0; set < 1 << rowCount; ++set) {
        double matrix[rowCount * rowCount], x[rowCount];
        int index[rowCount], size = 0;
        for (int i = 0; i < rowCount; ++i) {
            index[size] = i;
            size += set >> i & 1;
        }
        for (int r = 0; r < size; ++r) {
            x[r] = -b[index[r]];
            for (int c = 0; c < size; ++c) {
                matrix[c * size + r] = a[index[r]][index[c]];
            }
        }
        if (size > 0) {
            CHECK_OK(lb_solve_dense(lb_resolve_host(NULL), matrix, size, x, 1));
        }
        memset(p, 0, rowCount * sizeof(double));
        bool holds = true;
        for (int r = 0; r < size; ++r) {
            p[index[r]] = x[r];
            holds &= x[r] >= 0;
        }
        for (int i = 0; i < rowCount && holds; ++i) {
            double u = b[i];
            for (int k = 0; k < rowCount; ++k) {
                u += a[i][k] * p[k];
            }
            holds = u >= -1e-9;
        }
        if (holds) {
            return;
        }
    }
    CHECK(false);
}

/* Conjugate directions and all: Signorini's condition has one solution, and impulses are it. */
TEST(ImpulsesWithoutFrictionAreTheOnlyOnesThatFit) {
    static Stage stage;
    uint64_t state = 88172645463325252u;
    int pushing = 0;
    for (int trial = 0; trial < 8; ++trial) {
        double expected[rowCount];
        make_stage(&stage, 0, &state);
        solve_by_trying(&stage, expected);
        for (int coloured = 0; coloured < 2; ++coloured) {
            for (int i = 0; i < rowCount; ++i) {
                stage.rows[i].impulse = vec3(0, 0, 0);
            }
            for (int block = 0; block < blockCount; ++block) {
                memset(stage.u[block], 0, sizeof(stage.u[block]));
                stage.soft[block].linear = stage.soft[block].angular = vec3(0, 0, 0);
            }
            lbContactSpace space = space_of(&stage, coloured == 1, NULL);
            lb_relax_rows(&space);
            for (int i = 0; i < rowCount; ++i) {
                CHECK_NEAR(vec3_dot(stage.rows[i].impulse, stage.rows[i].normal), expected[i], 2e-5);
                pushing += expected[i] > 1e-3;
            }
        }
    }
    CHECK(pushing > 40 && pushing < 120); /* neither all nor none */
}

/* Sticking rows do not slip, sliding ones are braked by all that Coulomb allows, against the way they slip. */
TEST(FrictionIsWithinItsConeAndAgainstTheSlip) {
    static Stage stage;
    uint64_t state = 362436069u;
    int sliding = 0, sticking = 0;
    for (int trial = 0; trial < 8; ++trial) {
        make_stage(&stage, 1, &state);
        lbContactSpace space = space_of(&stage, true, NULL);
        lb_relax_rows(&space);
        for (int i = 0; i < rowCount; ++i) {
            const lbRow* row = &stage.rows[i];
            lbVec3 u = velocity_of(&stage, i), n = row->normal;
            float along = vec3_dot(row->impulse, n), lack = vec3_dot(vec3_sub(row->wanted, u), n);
            CHECK(along >= 0);
            CHECK(lack < 1e-4f);
            if (along < 1e-4f) {
                continue;
            }
            CHECK_NEAR(lack, 0, 3e-4);
            lbVec3 across = vec3_madd(row->impulse, -along, n), slip = vec3_madd(u, -vec3_dot(u, n), n);
            float size = vec3_length(across), most = row->friction * along;
            CHECK(size <= 1.0001f * most);
            if (size < 0.999f * most) {
                CHECK_NEAR(vec3_length(slip), 0, 1e-3);
                ++sticking;
            } else {
                CHECK_NEAR(vec3_dot(across, slip), -size * vec3_length(slip), 1e-3);
                ++sliding;
            }
        }
    }
    CHECK(sliding > 10);
    CHECK(sticking > 10);
}

TEST(GroupsOfAColourShareNoBody) {
    enum { bodies = 40, many = 600 };
    static lbRow rows[many];
    static lbRowGroup groups[2 * many];
    int live[many], order[many], seen[many] = {0};
    uint64_t used[bodies], state = 521288629u;
    for (int i = 0; i < many; ++i) {
        int a = (int)(bodies * random_number(&state)), b = (int)((bodies + 1) * random_number(&state)) - 1;
        bool same = i > 0 && random_number(&state) < 0.6; /* as the one before */
        rows[i].blockA = same ? rows[i - 1].blockA : a;
        rows[i].blockB = same ? rows[i - 1].blockB : b;
        live[i] = i;
    }
    lbRowGroups all = lb_group_rows(rows, live, many, bodies, used, order, groups);
    CHECK(!all.crowded);
    CHECK(all.starts[all.colourCount] == all.count);
    for (int colour = 0; colour < all.colourCount; ++colour) {
        bool taken[bodies] = {false};
        for (int i = all.starts[colour]; i < all.starts[colour + 1]; ++i) {
            const lbRow* row = &rows[order[all.groups[i].first]];
            bool own = row->blockB >= 0 && row->blockB != row->blockA;
            CHECK(!taken[row->blockA] && !(own && taken[row->blockB]));
            taken[row->blockA] = true;
            if (own) {
                taken[row->blockB] = true;
            }
        }
    }
    for (int i = 0, next = 0; i < all.count; next += all.groups[i++].count) {
        CHECK(all.groups[i].first == next);
        for (int k = 0; k < all.groups[i].count; ++k) {
            const lbRow *row = &rows[order[next + k]], *first = &rows[order[next]];
            CHECK(row->blockA == first->blockA && row->blockB == first->blockB);
            CHECK(k == 0 || order[next + k] == order[next + k - 1] + 1);
            ++seen[order[next + k]];
        }
    }
    for (int i = 0; i < many; ++i) {
        CHECK(seen[i] == 1);
    }
}

/* A body that touches more others than there are colours: the rest runs one after the other, and nothing is lost. */
TEST(GroupsBeyondTheLastColourRunOneByOne) {
    enum { many = 100 };
    static lbRow rows[many];
    static lbRowGroup groups[2 * many];
    int live[many], order[many];
    uint64_t used[many + 1];
    for (int i = 0; i < many; ++i) {
        rows[i].blockA = 0, rows[i].blockB = i + 1;
        live[i] = i;
    }
    lbRowGroups all = lb_group_rows(rows, live, many, many + 1, used, order, groups);
    CHECK(all.crowded);
    CHECK(all.colourCount == lb_mostColours);
    CHECK(all.count == many);
    CHECK(all.starts[lb_mostColours] == many);
}

TEST_MAIN(TEST_ENTRY(ImpulsesWithoutFrictionAreTheOnlyOnesThatFit),
          TEST_ENTRY(FrictionIsWithinItsConeAndAgainstTheSlip), TEST_ENTRY(GroupsOfAColourShareNoBody),
          TEST_ENTRY(GroupsBeyondTheLastColourRunOneByOne))
