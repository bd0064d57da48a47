/* Bodies that touch themselves: who is a neighbour, when it is on, and what it keeps. `limber verify contact` has the
 * long ones. */
#include "base/math.h"
#include "base/memory.h"
#include "contact/skin_neighbours.h"
#include "limber/limber.h"
#include "tests/test.h"

#include <stdio.h>

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

/* A sheet that keeps no distance, thrown into a corner of two walls and a floor. */
TEST(ASheetWithoutThicknessInACornerGoesOn) {
    for (int implicit = 0; implicit < 2; ++implicit) {
        lbWorldDef def = lbDefaultWorldDef();
        lbWorld* world;
        lbModelDef model = lbDefaultModelDef();
        lbBodyDef body = lbDefaultBodyDef();
        lbBodyId id;
        lbShape* shape;
        CHECK_OK(lbCreateWorld(&def, &world));
        CHECK_OK(make_grid(&shape));
        model.shape = shape;
        model.mesh.kind = lb_meshCloth;
        body.integrator = implicit ? lb_integratorImplicitEuler : lb_integratorSymplecticEuler;
        body.thickness = 0;
        body.selfContact = lb_selfContactOn;
        body.velocity = vec3(-4, -4, -4);
        CHECK_OK(lbCreateModel(world, &model, &body.model));
        CHECK_OK(lbCreateBody(world, &body, &id));
        lbDestroyShape(shape);
        const lbVec3 walls[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int k = 0; k < 3; ++k) {
            lbToolDef wall = lbDefaultToolDef(lb_toolHalfSpace);
            lbToolId made;
            wall.position = vec3_scale(-0.7f, walls[k]);
            wall.rotation = k == 1 ? quat_identity()
                                   : quat_from_axis_angle(k == 0 ? vec3(0, 0, 1) : vec3(1, 0, 0),
                                                          (k == 0 ? -0.5f : 0.5f) * (float)LB_PI);
            CHECK_OK(lbCreateTool(world, &wall, &made));
        }
        lbMomentum momentum;
        for (int frame = 0; frame < 30; ++frame) {
            CHECK_OK(lbWorld_Step(world, 1.0 / 60));
        }
        CHECK_OK(lbBody_GetMomentum(world, id, &momentum));
        for (int k = 0; k < 3; ++k) {
            CHECK(momentum.center[k] > -0.75 && momentum.center[k] < 3);
        }
        lbDestroyWorld(world);
    }
}

/* A soft C whose ends are thrown together: they are as far apart as at rest when the frame begins in which they would
 * pass each other. */
static lbResult make_clamp(lbWorld* world, lbIntegratorKind integrator, lbBodyId* body) {
    lbShape* shape;
    lbGeneratorDef form = lbDefaultGeneratorDef(lb_shapeC);
    form.size = vec3(0.1f, 0.1f, 0.04f);
    form.edge = 0.02f;
    lbResult result = lbGenerateShape(&form, &shape);
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.kind = lb_meshTetGrid;
    model.mesh.edge = 0.02f;
    model.law.kind = lb_lawCorotational;
    model.material.density = 1000;
    model.material.youngsModulus = 1e4f;
    model.material.stiffnessDamping = 0.005f;
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = integrator;
    def.thickness = 5e-4f;
    def.selfContact = lb_selfContactOn;
    result = result.code == lb_ok ? lbCreateModel(world, &model, &def.model) : result;
    result = result.code == lb_ok ? lbCreateBody(world, &def, body) : result;
    lbDestroyShape(shape);
    return result;
}

static void throw_together(lbWorld* world, lbBodyId body, float rate) {
    enum { mostNodes = 1024 };
    float x[3 * mostNodes], v[3 * mostNodes];
    int nodes = lbBody_GetNodeCount(world, body);
    CHECK(nodes <= mostNodes);
    CHECK_OK(lbBody_GetState(world, body, x, v));
    for (int i = 0; i < nodes; ++i) {
        float out = x[3 * i] > 0 ? x[3 * i] : 0;
        v[3 * i + 1] = -rate * out * (x[3 * i + 1] > 0 ? 1.0f : -1.0f);
    }
    CHECK_OK(lbBody_SetState(world, body, x, v));
}

TEST(FingersThatCloseWithinAFrameStayApartWhateverStepsThem) {
    const lbIntegratorKind kinds[] = {lb_integratorSymplecticEuler, lb_integratorVelocityVerlet,
                                      lb_integratorImplicitEuler, lb_integratorCrankNicolson,
                                      lb_integratorGeneralisedAlpha};
    for (int k = 0; k < 10; ++k) {
        lbWorldDef def = lbDefaultWorldDef();
        lbWorld* world;
        lbBodyId body;
        int most = 0;
        def.gravity = vec3(0, 0, 0);
        CHECK_OK(lbCreateWorld(&def, &world));
        lbResult made = make_clamp(world, kinds[k / 2], &body);
        if (made.code != lb_ok) { /* methods that may not touch anything */
            lbDestroyWorld(world);
            continue;
        }
        throw_together(world, body, k % 2 == 0 ? 30 : 50);
        for (int frame = 0; frame < 4; ++frame) {
            lbCrossing crossing;
            int count;
            CHECK_OK(lbWorld_Step(world, 1.0 / 60));
            CHECK_OK(lbWorld_FindCrossings(world, &crossing, 1, &count));
            if (count != 0) {
                printf("    %s, rate %d, frame %d: %d pairs cross\n", lbIntegratorKind_GetName(kinds[k / 2]),
                       k % 2 == 0 ? 30 : 50, frame, count);
            }
            CHECK(count == 0);
            CHECK_OK(lbBody_GetContacts(world, body, NULL, 0, &count));
            most = count > most ? count : most;
        }
        CHECK(most > 0);
        lbDestroyWorld(world);
    }
}

TEST_MAIN(TEST_ENTRY(ASheetWithoutThicknessInACornerGoesOn),
          TEST_ENTRY(FingersThatCloseWithinAFrameStayApartWhateverStepsThem),
          TEST_ENTRY(NeighboursAreThoseNearAlongEdges), TEST_ENTRY(SheetsThatKeepADistanceTouchThemselves),
          TEST_ENTRY(ABookThatClosesStaysApart))
