/* Bodies that touch themselves: who is a neighbour, when it is on, and what it keeps. `limber verify contact` has the
 * long ones. */
#include "base/math.h"
#include "base/memory.h"
#include "contact/skin_neighbours.h"
#include "limber/limber.h"
#include "tests/test.h"

enum { side = 12 };

static lbResult make_grid(lbShape** shape) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeCloth);
    def.size = vec3(1.1f, 1, 1.1f);
    def.edge = 0.1f;
    return lbGenerateShape(&def, shape);
}

/* On a flat grid, a walk over edges and diagonals is no shorter than the straight way, and no more than 8.3 % longer.
 */
TEST(NeighboursAreThoseNearAlongEdges) {
    lbShape* shape;
    lbSkinTopology topology;
    lbSkinNeighbours neighbours;
    const lbHost* host = lb_resolve_host(NULL);
    const float radius = 0.25f;
    CHECK_OK(make_grid(&shape));
    const float* points = lbShape_GetPoints(shape);
    int count = lbShape_GetPointCount(shape), found = 0;
    CHECK_OK(lb_make_skin_topology(host, points, count, lbShape_GetTriangles(shape), lbShape_GetTriangleCount(shape),
                                   -1, &topology));
    CHECK_OK(lb_make_skin_neighbours(host, &topology, points, radius, &neighbours));
    for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
            float apart = vec3_length(vec3_sub(vec3_load(points + 3 * (size_t)a), vec3_load(points + 3 * (size_t)b)));
            bool are = lb_are_neighbours(&neighbours, a, b);
            CHECK(are == lb_are_neighbours(&neighbours, b, a));
            CHECK(!are || apart <= radius * 1.0001f);
            CHECK(are || apart > 0.15f);
            found += are;
        }
    }
    CHECK(found > count);
    lb_free_skin_neighbours(host, &neighbours);
    lb_free_skin_topology(host, &topology);
    lbDestroyShape(shape);
}

static lbResult make_cloth(lbWorld* world, float thickness, lbSelfContact selfContact, lbBodyId* body) {
    lbShape* shape;
    lbResult result = make_grid(&shape);
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.kind = lb_meshCloth;
    lbBodyDef def = lbDefaultBodyDef();
    def.thickness = thickness;
    def.selfContact = selfContact;
    result = result.code == lb_ok ? lbCreateModel(world, &model, &def.model) : result;
    result = result.code == lb_ok ? lbCreateBody(world, &def, body) : result;
    lbDestroyShape(shape);
    return result;
}

TEST(SheetsThatKeepADistanceTouchThemselves) {
    lbWorldDef def = lbDefaultWorldDef();
    lbWorld* world;
    lbBodyId body;
    bool touches;
    CHECK_OK(lbCreateWorld(&def, &world));
    CHECK_OK(make_cloth(world, 0, lb_selfContactAutomatic, &body));
    CHECK_OK(lbBody_TouchesItself(world, body, &touches));
    CHECK(!touches);
    CHECK_OK(lbBody_SetThickness(world, body, 0.002f));
    CHECK_OK(lbBody_TouchesItself(world, body, &touches));
    CHECK(touches);
    CHECK_OK(lbBody_SetSelfContact(world, body, lb_selfContactOff));
    CHECK_OK(lbBody_TouchesItself(world, body, &touches));
    CHECK(!touches);
    CHECK_FAILS(lbBody_SetSelfContact(world, body, (lbSelfContact)7), lb_errorArgument, "selfContact is 7");
    CHECK_FAILS(make_cloth(world, 0, (lbSelfContact)-1, &body), lb_errorArgument, "selfContact is -1");
    lbDestroyWorld(world);
}

/* A book that closes: both covers are listed, its triangles do not cross, and momentum stays zero. */
TEST(ABookThatClosesStaysApart) {
    lbWorldDef def = lbDefaultWorldDef();
    lbWorld* world;
    lbBodyId body;
    def.gravity = vec3(0, 0, 0);
    CHECK_OK(lbCreateWorld(&def, &world));
    CHECK_OK(make_cloth(world, 0.005f, lb_selfContactAutomatic, &body));
    int nodes = lbBody_GetNodeCount(world, body), most = 0;
    float x[3 * side * side * 2], v[3 * side * side * 2];
    CHECK(nodes <= side * side * 2);
    CHECK_OK(lbBody_GetState(world, body, x, v));
    for (int i = 0; i < nodes; ++i) {
        float along = fabsf(x[3 * i]), sign = x[3 * i] < 0 ? -1.0f : 1.0f;
        x[3 * i] = 0.5f * sign * along, x[3 * i + 1] = 0.866f * along;
        v[3 * i] = -3 * sign * along;
    }
    CHECK_OK(lbBody_SetState(world, body, x, v));
    for (int frame = 0; frame < 20; ++frame) {
        lbCrossing crossing;
        int count;
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
        CHECK_OK(lbWorld_FindCrossings(world, &crossing, 1, &count));
        CHECK(count == 0);
        CHECK_OK(lbBody_GetContacts(world, body, NULL, 0, &count));
        CHECK(count % 2 == 0);
        most = count > most ? count : most;
    }
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK(most > 0);
    CHECK(fabs(momentum.linear[0]) < 1e-6 * momentum.mass);
    lbDestroyWorld(world);
}

TEST_MAIN(TEST_ENTRY(NeighboursAreThoseNearAlongEdges), TEST_ENTRY(SheetsThatKeepADistanceTouchThemselves),
          TEST_ENTRY(ABookThatClosesStaysApart))
