#include "law/fans.h"
#include "law/plan.h"
#include "law/tets.h"
#include "tet_law_fixture.h"

typedef struct Planned {
    lbMesh mesh;
    int* nodes;
    int* order;
    int batchCount;
    uint8_t* continues;
    lbPlan plan;
} Planned;

static Planned make_planned(int cells, bool fans) {
    Planned planned = {.mesh = make_shaken_mesh(cells, 0.1)};
    lbMesh* mesh = &planned.mesh;
    planned.nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        memcpy(planned.nodes + 4 * i, mesh->tets[i].node, sizeof(int[4]));
    }
    lbElementList list = {mesh->tetCount, 4, planned.nodes};
    CHECK_OK(lb_plan_elements(mesh, &list, &planned.plan, &planned.order, &planned.batchCount));
    if (fans) {
        CHECK_OK(lb_order_fans(mesh->host, &planned.plan, planned.nodes, planned.order, &planned.continues));
    }
    return planned;
}

static void destroy_planned(Planned* planned) {
    const lbHost* host = planned->mesh.host;
    lb_release(host, planned->nodes);
    lb_release(host, planned->order);
    lb_release(host, planned->continues);
    lb_destroy_plan(host, &planned->plan);
    lb_destroy_mesh(&planned->mesh);
}

/* Which group of the plan each tetrahedron is in. */
static int* groups_of(const Planned* planned) {
    int* group = malloc((size_t)planned->mesh.tetCount * sizeof(int));
    memset(group, 0xff, (size_t)planned->mesh.tetCount * sizeof(int));
    for (int g = 0; g < planned->plan.groupCount; ++g) {
        for (int i = planned->plan.groups[g].begin * LB_LANES; i < planned->plan.groups[g].end * LB_LANES; ++i) {
            if (planned->order[i] >= 0) {
                CHECK(group[planned->order[i]] == -1); /* no element twice */
                group[planned->order[i]] = g;
            }
        }
    }
    return group;
}

TEST(EveryTetrahedronStaysInItsGroupAndIsThereOnce) {
    Planned plain = make_planned(9, false), fans = make_planned(9, true);
    int *before = groups_of(&plain), *after = groups_of(&fans);
    CHECK(plain.batchCount == fans.batchCount && plain.plan.groupCount > 1);
    CHECK(memcmp(before, after, (size_t)plain.mesh.tetCount * sizeof(int)) == 0);
    CHECK(before[0] >= 0);
    free(before), free(after);
    destroy_planned(&plain);
    destroy_planned(&fans);
}

static double signed_volume(const lbMesh* mesh, const int* node) {
    lbVec3d e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(mesh->nodes[node[k + 1]], mesh->nodes[node[0]]);
    }
    return vec3d_dot(e[0], vec3d_cross(e[1], e[2])) / 6;
}

TEST(NodesArePermutedWithoutTurningATetrahedronRound) {
    Planned fans = make_planned(5, true);
    for (int i = 0; i < fans.mesh.tetCount; ++i) {
        const lbTet* tet = &fans.mesh.tets[i];
        CHECK_NEAR(signed_volume(&fans.mesh, fans.nodes + 4 * i), tet->volume, 1e-12);
        int shared = 0;
        for (int k = 0; k < 16; ++k) {
            shared += tet->node[k / 4] == fans.nodes[4 * i + k % 4];
        }
        CHECK(shared == 4);
    }
    destroy_planned(&fans);
}

TEST(ABatchThatContinuesSharesThreeNodesWithTheOneBefore) {
    Planned fans = make_planned(9, true);
    int continuing = 0;
    for (int g = 0; g < fans.plan.groupCount; ++g) {
        CHECK(!fans.continues[fans.plan.groups[g].begin]);
    }
    for (int batch = 0; batch < fans.batchCount; ++batch) {
        continuing += fans.continues[batch] != 0;
        for (int lane = 0; fans.continues[batch] && lane < LB_LANES; ++lane) {
            int now = fans.order[batch * LB_LANES + lane], last = fans.order[(batch - 1) * LB_LANES + lane];
            CHECK(now >= 0 && last >= 0); /* padding begins, and ends, where it stands */
            const int *p = fans.nodes + 4 * now, *q = fans.nodes + 4 * last;
            CHECK(p[0] == q[0] && p[1] == q[1] && p[2] == q[3]);
        }
    }
    /* 1.8 nodes are gathered a tetrahedron in large groups; these are small. A batch that continues gathers one. */
    double gathered = 4 - 3 * (double)continuing / fans.batchCount;
    CHECK(gathered < (LB_LANES == 1 ? 1.9 : 2.3));
    destroy_planned(&fans);
}

/* Batches may be asked for in any pieces: a fan that is cut in two gives the same forces. */
TEST(ForcesDoNotDependOnWhereRangesAreCut) {
    Fixture fixture = {.mesh = make_shaken_mesh(6, 0.15)};
    bake_fixture(&fixture, (TetLaw){lb_lawGreen, lb_boundaryFull}, 0.01f);
    int n = fixture.n, batchCount = ((const lbTets*)fixture.law.elements)->batchCount;
    unsigned seed = 3;
    float *x = random_vector(n, 0.05f, &seed), *v = random_vector(n, 1, &seed), *cut = calloc(4 * (size_t)n, 4);
    offset_vector(x, 1, fixture.model.rest, n, x);
    float* whole = forces_at(&fixture, x, v);
    lbRange* ranges = malloc((size_t)batchCount * sizeof(lbRange));
    for (int i = 0; i < batchCount; ++i) {
        ranges[i] = (lbRange){i, i + 1};
    }
    lbScope scope = {.elements = fixture.law.elements, .ranges = ranges, .rangeCount = batchCount};
    fixture.law.law->force(&scope, (lbMoment){0, 0}, x, v, cut);
    offset_vector(cut, -1, whole, n, cut);
    CHECK_NEAR(largest_force(&fixture, cut, everywhere) / largest_force(&fixture, whole, everywhere), 0, 1e-6);
    free(x), free(v), free(cut), free(whole), free(ranges);
    destroy_fixture(&fixture);
}

TEST_MAIN(TEST_ENTRY(EveryTetrahedronStaysInItsGroupAndIsThereOnce),
          TEST_ENTRY(NodesArePermutedWithoutTurningATetrahedronRound),
          TEST_ENTRY(ABatchThatContinuesSharesThreeNodesWithTheOneBefore),
          TEST_ENTRY(ForcesDoNotDependOnWhereRangesAreCut))
