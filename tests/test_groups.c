/* Named groups of a mesh as regions of bodies: of nodes, of the surface, of matter. */
#include "limber/body.h"
#include "limber/holds.h"
#include "limber/model.h"
#include "limber/world.h"
#include "test.h"

static const double pairPoints[5 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const int pairTets[8] = {0, 1, 2, 3, 1, 2, 3, 4};

static lbTetMeshDef pair_of(const lbNodeGroup* groups, int count) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 5, def.points = pairPoints;
    def.tetCount = 2, def.tets = pairTets;
    def.groups = groups, def.groupCount = count;
    return def;
}

/* A body of the pair, whose groups are `groups`, of which zone 0 is of a thousandfold density. */
static lbWorld* make_body(const lbNodeGroup* groups, int count, const char* zone, lbResult* result, lbBodyId* body) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    lbTetMesh* mesh = NULL;
    lbTetMeshDef meshDef = pair_of(groups, count);
    CHECK_OK(lbCreateTetMesh(&meshDef, &mesh));
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef modelDef = lbDefaultModelDef();
    lbZone heavy = {.region = {.kind = lb_regionGroup, .group = zone}, .matter = {1000000, 20000, 0.3f}};
    modelDef.mesh.kind = lb_meshGiven;
    modelDef.law.kind = lb_lawCorotational;
    modelDef.tetMesh = mesh;
    modelDef.zones = &heavy;
    modelDef.zoneCount = zone != NULL;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    *result = lbCreateModel(world, &modelDef, &bodyDef.model);
    if (result->code == lb_ok) {
        CHECK_OK(lbCreateBody(world, &bodyDef, body));
    }
    lbDestroyTetMesh(mesh);
    return world;
}

TEST(AGroupIsARegionOfNodesOfTheSurfaceAndOfMatter) {
    static const int listed[3] = {4, 1, 2}, last[4] = {1, 2, 3, 4};
    static const lbNodeGroup groups[2] = {{"rim", 3, listed}, {"tip", 4, last}};
    lbResult result;
    lbBodyId body;
    lbWorld* world = make_body(groups, 2, "tip", &result, &body);
    CHECK_OK(result);
    int nodes[8], points[8], numbers[8], count = 0;
    lbRegion region = {.kind = lb_regionGroup, .group = "rim"};
    CHECK_OK(lbBody_GetNodeNumbers(world, body, numbers));
    CHECK_OK(lbBody_Select(world, body, &region, nodes, 8, &count));
    CHECK(count == 3);
    for (int i = 0; i < count; ++i) {
        CHECK(numbers[nodes[i]] == 1 || numbers[nodes[i]] == 2 || numbers[nodes[i]] == 4);
    }
    region.part = lb_partSurface;
    CHECK_OK(lbBody_Select(world, body, &region, points, 8, &count));
    CHECK(count == 3);
    lbLoadDef load = lbDefaultLoadDef();
    lbLoadId id;
    double area = 0;
    load.body = body;
    load.region = region;
    load.traction = (lbVec3){1, 0, 0};
    CHECK_OK(lbCreateLoad(world, &load, &id));
    CHECK_OK(lbLoad_GetArea(world, id, &area));
    CHECK_NEAR(area, sqrt(3) / 2, 1e-6); /* of the triangle between them */
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.mass, 1000.0 / 6 + 1e6 / 3, 1e-3 * 1e6); /* the second has twice the volume of the first */
    region.group = "rims";
    CHECK_FAILS(lbBody_Select(world, body, &region, points, 8, &count), lb_errorArgument,
                "no group \"rims\"; its mesh has \"rim\", \"tip\"");
    region = (lbRegion){.kind = lb_regionNodes, .nodes = &(int){5}, .nodeCount = 1};
    CHECK_FAILS(lbBody_Select(world, body, &region, points, 8, &count), lb_errorArgument, "lists node 5");
    lbDestroyWorld(world);
}

TEST(AZoneOfAGroupThatIsNotThereIsRefused) {
    lbResult result;
    lbBodyId body;
    lbDestroyWorld(make_body(NULL, 0, "tip", &result, &body));
    CHECK(result.code == lb_errorArgument && strstr(result.message, "zone 0: the model has no group \"tip\"") != NULL);
}

TEST_MAIN(TEST_ENTRY(AGroupIsARegionOfNodesOfTheSurfaceAndOfMatter), TEST_ENTRY(AZoneOfAGroupThatIsNotThereIsRefused))
