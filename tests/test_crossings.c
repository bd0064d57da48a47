/* Crossing triangles, against arithmetic in whole numbers and against worlds in which it is known. */
#include "contact/crossings.h"
#include "limber/limber.h"
#include "tests/test.h"

typedef struct Whole {
    int64_t x, y, z;
} Whole;

static uint64_t seed = 1;
static int64_t random_whole(int64_t most) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)(seed >> 33) % (2 * most + 1) - most;
}

static int whole_orientation(Whole a, Whole b, Whole c, Whole d) {
    int64_t ax = a.x - d.x, ay = a.y - d.y, az = a.z - d.z, bx = b.x - d.x, by = b.y - d.y, bz = b.z - d.z;
    int64_t cx = c.x - d.x, cy = c.y - d.y, cz = c.z - d.z;
    int64_t sum = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    return (sum > 0) - (sum < 0);
}

static lbVec3d place(Whole a, double unit) {
    return vec3d(unit * (double)a.x, unit * (double)a.y, unit * (double)a.z);
}

/* On a coarse lattice four points are often in one plane. */
TEST(SignsAreThoseOfWholeNumbers) {
    const int64_t sizes[] = {2, 7, 1000, 900000};
    int inPlane = 0;
    for (int i = 0; i < 40000; ++i) {
        Whole p[4];
        for (int k = 0; k < 4; ++k) {
            int64_t most = sizes[i % 4];
            p[k] = (Whole){random_whole(most), random_whole(most), random_whole(most)};
        }
        if (i % 8 == 3) { /* on a line between two of them, and so in their plane */
            p[3] = (Whole){2 * p[0].x - p[1].x, 2 * p[0].y - p[1].y, 2 * p[0].z - p[1].z};
        }
        const double unit = 0x1p-20;
        int measured = lb_orientation(place(p[0], unit), place(p[1], unit), place(p[2], unit), place(p[3], unit));
        int expected = whole_orientation(p[0], p[1], p[2], p[3]);
        inPlane += expected == 0;
        CHECK(measured == expected);
    }
    CHECK(inPlane > 1000);
}

TEST(EdgesThatOnlyTouchDoNotCross) {
    const lbVec3d t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK(lb_edge_crosses(vec3d(0.2, 0.2, -1), vec3d(0.2, 0.2, 1e-30), t));
    CHECK(!lb_edge_crosses(vec3d(0.2, 0.2, -1), vec3d(0.2, 0.2, 0), t)); /* ends in it */
    CHECK(!lb_edge_crosses(vec3d(0.5, 0.5, -1), vec3d(0.5, 0.5, 1), t)); /* through its edge */
    CHECK(!lb_edge_crosses(vec3d(0, 0, -1), vec3d(0, 0, 1), t));         /* through its corner */
    CHECK(!lb_edge_crosses(vec3d(0.1, 0.1, 0), vec3d(0.3, 0.3, 0), t));  /* in its plane */
    CHECK(!lb_edge_crosses(vec3d(0.6, 0.6, -1), vec3d(0.6, 0.6, 1), t)); /* beside it */
    CHECK(lb_edge_crosses(vec3d(0.4999, 0.5, -1), vec3d(0.4999, 0.5, 1), t));
}

static lbBodyId add_cube(lbWorld* world, lbVec3 position) {
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = vec3(1, 1, 1);
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&box, &shape));
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.edge = 0.5f;
    lbBodyDef body = lbDefaultBodyDef();
    body.position = position;
    lbBodyId id;
    CHECK_OK(lbCreateModel(world, &model, &body.model));
    CHECK_OK(lbCreateBody(world, &body, &id));
    lbDestroyShape(shape);
    return id;
}

TEST(CubesAreFoundToCrossWhereTheyDo) {
    lbWorldDef def = lbDefaultWorldDef();
    lbWorld* world;
    lbCrossing crossings[4];
    int count;
    CHECK_OK(lbCreateWorld(&def, &world));
    CHECK_OK(lbWorld_FindCrossings(world, crossings, 4, &count));
    CHECK(count == 0);
    lbBodyId first = add_cube(world, vec3(0, 0, 0)), second = add_cube(world, vec3(1.0001f, 0.1f, 0.2f));
    CHECK_OK(lbWorld_FindCrossings(world, crossings, 4, &count));
    CHECK(count == 0);
    lbBodyId third = add_cube(world, vec3(0.03f, 0.98f, 0.07f)); /* into the first from above, beside the second */
    CHECK_OK(lbWorld_FindCrossings(world, crossings, 4, &count));
    CHECK(count > 4); /* a ring of them, more than there was room for */
    for (int i = 0; i < 4; ++i) {
        int low = crossings[i].first.index1, high = crossings[i].second.index1;
        CHECK(low != high && (low == third.index1 || high == third.index1));
        CHECK(low == first.index1 || high == first.index1 || low == second.index1 || high == second.index1);
        CHECK(crossings[i].place.y > 0.47f && crossings[i].place.y < 0.61f);
    }
    CHECK_OK(lbWorld_FindCrossings(world, NULL, 0, &count));
    CHECK(count > 4);
    lbDestroyWorld(world);
}

TEST_MAIN(TEST_ENTRY(SignsAreThoseOfWholeNumbers), TEST_ENTRY(EdgesThatOnlyTouchDoNotCross),
          TEST_ENTRY(CubesAreFoundToCrossWhereTheyDo))
