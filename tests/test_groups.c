/* Named groups of mesh files (physical groups, node and element sets, arrays of whole numbers): what each format has
 * becomes groups of the mesh, and these are regions of bodies. */
#include "limber/body.h"
#include "limber/holds.h"
#include "limber/model.h"
#include "limber/world.h"
#include "tet_file_bytes.h"

/* "name:p,p,...|t,t": points and tetrahedra of all groups of that name, in rising order. */
static void check_group(const lbTetMesh* mesh, const char* name, const char* points, const char* tets) {
    const char* wanted[2] = {points, tets};
    bool found = false;
    for (int part = 0; mesh != NULL && part < 2; ++part) {
        bool marks[64] = {false};
        char text[256] = "";
        for (int g = 0; g < lbTetMesh_GetGroupCount(mesh); ++g) {
            lbTetMeshGroup group = lbTetMesh_GetGroup(mesh, g);
            int count = part == 0 ? group.pointCount : group.tetCount;
            found = found || strcmp(group.name, name) == 0;
            for (int i = 0; strcmp(group.name, name) == 0 && i < count; ++i) {
                marks[(part == 0 ? group.points : group.tets)[i]] = true;
            }
        }
        for (int i = 0; i < 64; ++i) {
            size_t used = strlen(text);
            if (marks[i]) {
                snprintf(text + used, sizeof(text) - used, "%s%d", used > 0 ? "," : "", i);
            }
        }
        if (strcmp(text, wanted[part]) != 0) {
            printf("    group \"%s\" has %s %s; expected %s\n", name, part == 0 ? "points" : "tetrahedra", text,
                   wanted[part]);
        }
        CHECK(strcmp(text, wanted[part]) == 0);
    }
    CHECK(mesh != NULL && found);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

TEST(PhysicalGroupsOfGmsh2AreGroupsByNameOrNumber) {
    lbTetMesh* mesh =
        load_text("groups2.msh",
                  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                  "$PhysicalNames\n3\n2 3 \"left wall\"\n3 7 \"core\"\n0 1 \"corner\"\n$EndPhysicalNames\n"
                  "$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1 1 1\n$EndNodes\n"
                  "$Elements\n6\n1 15 2 1 1 50\n2 1 2 4 1 10 20\n3 2 2 3 1 10 30 40\n"
                  "4 4 2 7 1 10 20 30 40\n5 4 2 9 2 20 30 40 50\n6 2 2 0 1 10 20 30\n$EndElements\n",
                  NULL);
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 5);
    check_group(mesh, "corner", "4", "");
    check_group(mesh, "4", "0,1", "");
    check_group(mesh, "left wall", "0,2,3", "");
    check_group(mesh, "core", "0,1,2,3", "0");
    check_group(mesh, "9", "1,2,3,4", "1");
    lbDestroyTetMesh(mesh);
}

/* A volume in two groups, as version 4.1 has it; a node that no tetrahedron uses is in no group. */
TEST(PhysicalGroupsOfGmsh4ComeByEntities) {
    lbTetMesh* mesh = load_text(
        "groups4.msh",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
        "$PhysicalNames\n3\n2 3 \"wall\"\n3 7 \"core\"\n3 8 \"all of it\"\n$EndPhysicalNames\n"
        "$Entities\n0 0 1 2\n5 0 0 0 1 1 1 1 3 0\n1 0 0 0 1 1 1 2 7 8 0\n2 0 0 0 1 1 1 1 8 0\n$EndEntities\n"
        "$Nodes\n1 6 1 6\n3 1 0 6\n1\n2\n3\n4\n5\n6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n9 9 9\n$EndNodes\n"
        "$Elements\n3 4 1 4\n2 5 2 2\n1 1 3 4\n2 6 3 4\n3 1 4 1\n3 1 2 3 4\n3 2 4 1\n4 2 3 4 5\n$EndElements\n",
        NULL);
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 3);
    check_group(mesh, "wall", "0,2,3", "");
    check_group(mesh, "core", "0,1,2,3", "0");
    check_group(mesh, "all of it", "0,1,2,3,4", "0,1");
    lbDestroyTetMesh(mesh);
}

TEST(SetsOfAbaqusAreGroups) {
    lbTetMesh* mesh = load_text(
        "groups.inp",
        "*NODE, NSET=everything\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
        "*ELEMENT, TYPE=C3D4, ELSET=first\n11, 1, 2, 3, 4\n*ELEMENT, TYPE=C3D4, ELSET=second\n12, 2, 3, 4, 5\n"
        "*NSET, NSET=Fixed end\n1, 3,\n4\n*NSET, NSET=odd, GENERATE\n1, 5, 2\n*NSET, NSET=both\nodd, 2\n"
        "*ELSET, ELSET=pair\nfirst, 12\n*ELSET, ELSET=shells\n99\n",
        NULL);
    check_group(mesh, "everything", "0,1,2,3,4", "");
    check_group(mesh, "Fixed end", "0,2,3", "");
    check_group(mesh, "odd", "0,2,4", "");
    check_group(mesh, "both", "0,1,2,4", "");
    check_group(mesh, "first", "0,1,2,3", "0");
    check_group(mesh, "pair", "0,1,2,3,4", "0,1");
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 7); /* one of nothing is none */
    lbDestroyTetMesh(mesh);
}

/* As Abaqus/CAE writes it: sets in the assembly, of its one instance; those of reference points are not of the mesh. */
TEST(SetsOfAnAssemblyAreThoseOfItsInstance) {
    lbTetMesh* mesh =
        load_text("assembly.inp",
                  "*PART, NAME=P\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, "
                  "3, 4\n*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n"
                  "*NODE\n1, 7, 7, 7\n*NSET, NSET=reference\n1,\n*NSET, NSET=held, INSTANCE=I\n2, 4\n"
                  "*ELSET, ELSET=whole, INSTANCE=I\n1,\n*END ASSEMBLY\n",
                  NULL);
    check_group(mesh, "held", "1,3", "");
    check_group(mesh, "whole", "0,1,2,3", "0");
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 2);
    lbDestroyTetMesh(mesh);
}

TEST(SetsOfVegaAreGroups) {
    lbTetMesh* mesh = load_text("groups.veg",
                                "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
                                "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n*SET stiff\n2\n",
                                NULL);
    check_group(mesh, "stiff", "1,2,3,4", "1");
    lbDestroyTetMesh(mesh);
}

#define VTK_PAIR                                                                                                       \
    "# vtk DataFile Version 3.0\npair\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 "  \
    "1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n"

TEST(ArraysOfWholeNumbersInVtkAreGroups) {
    lbTetMesh* mesh = load_text("groups.vtk",
                                VTK_PAIR "POINT_DATA 5\nSCALARS held int 1\nLOOKUP_TABLE default\n1 0 1 0 0\n"
                                         "SCALARS heat float 1\nLOOKUP_TABLE default\n1 0 1 0 0\n"
                                         "CELL_DATA 2\nFIELD f 1\npart 1 2 int\n4 -2\n",
                                NULL);
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 4);
    check_group(mesh, "held", "0,2", "");
    check_group(mesh, "part", "0,1,2,3,4", "0,1");
    check_group(mesh, "part=4", "0,1,2,3", "0");
    check_group(mesh, "part=-2", "1,2,3,4", "1");
    lbDestroyTetMesh(mesh);
}

TEST(ArraysOfWholeNumbersInVtuAreGroups) {
    lbTetMesh* mesh = load_text(
        "groups.vtu",
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">"
        "<PointData><DataArray type=\"UInt8\" Name=\"held\" format=\"ascii\">0 0 0 1 1</DataArray>"
        "<DataArray type=\"Float64\" Name=\"heat\" format=\"ascii\">1 1 1 1 1</DataArray></PointData>"
        "<CellData><DataArray type=\"Int32\" Name=\"soft\" format=\"ascii\">0 1</DataArray></CellData>"
        "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"
        "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 1 2 3 4"
        "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 8</DataArray>"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10 10</DataArray></Cells></Piece>"
        "</UnstructuredGrid></VTKFile>",
        NULL);
    CHECK(mesh != NULL && lbTetMesh_GetGroupCount(mesh) == 2);
    check_group(mesh, "held", "3,4", "");
    check_group(mesh, "soft", "1,2,3,4", "1");
    lbDestroyTetMesh(mesh);
}

TEST(NamesThatAreNoneAreRefused) {
    static const char* const names[] = {"2 3 wall", "2 3 \"wall", "x", "7 3 \"wall\""};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        char text[400];
        lbTetMesh* mesh = NULL;
        snprintf(
            text, sizeof(text),
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n%s\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 "
            "1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 7 1 1 2 3 4\n$EndElements\n",
            names[i]);
        write_text("names.msh", text);
        CHECK_FAILS(lbLoadTetMesh(file_path("names.msh"), NULL, &mesh, NULL), lb_errorFormat, "a physical name");
        CHECK(mesh == NULL);
    }
}

/* ---- Meshes and bodies ------------------------------------------------------------------------------------------- */

static const double pairPoints[5 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const int pairTets[8] = {0, 1, 2, 3, 1, 2, 3, 4};

static lbTetMeshDef pair_of(const lbTetMeshGroup* groups, int count) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 5, def.points = pairPoints;
    def.tetCount = 2, def.tets = pairTets;
    def.groups = groups, def.groupCount = count;
    return def;
}

TEST(GroupsThatListWhatIsNotThereAreRefused) {
    const int six = 6, one = 1;
    const lbTetMeshGroup groups[] = {{"a", 1, &six, 0, NULL}, {"b", 0, NULL, 1, &six},  {NULL, 1, &one, 0, NULL},
                                     {"", 1, &one, 0, NULL},  {"c", -1, &one, 0, NULL}, {"d", 1, NULL, 0, NULL}};
    static const char* const words[] = {"lists point 6", "lists tetrahedron 6", "no name",
                                        "no name",       "expected arrays",     "expected arrays"};
    for (int i = 0; i < 6; ++i) {
        lbTetMesh* mesh = NULL;
        lbTetMeshDef def = pair_of(&groups[i], 1);
        lbResult result = lbCreateTetMesh(&def, &mesh);
        CHECK(result.code != lb_ok && strstr(result.message, words[i]) != NULL && mesh == NULL);
    }
}

/* A body of the pair, whose groups are `groups`, of which zone 0 is of a thousandfold density. */
static lbWorld* make_body(const lbTetMeshGroup* groups, int count, const char* zone, lbResult* result, lbBodyId* body) {
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
    static const int listed[3] = {4, 1, 2}, last = 1;
    static const lbTetMeshGroup groups[2] = {{"rim", 3, listed, 0, NULL}, {"tip", 0, NULL, 1, &last}};
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

TEST_MAIN(TEST_ENTRY(PhysicalGroupsOfGmsh2AreGroupsByNameOrNumber), TEST_ENTRY(PhysicalGroupsOfGmsh4ComeByEntities),
          TEST_ENTRY(SetsOfAbaqusAreGroups), TEST_ENTRY(SetsOfAnAssemblyAreThoseOfItsInstance),
          TEST_ENTRY(SetsOfVegaAreGroups), TEST_ENTRY(ArraysOfWholeNumbersInVtkAreGroups),
          TEST_ENTRY(ArraysOfWholeNumbersInVtuAreGroups), TEST_ENTRY(NamesThatAreNoneAreRefused),
          TEST_ENTRY(GroupsThatListWhatIsNotThereAreRefused), TEST_ENTRY(AGroupIsARegionOfNodesOfTheSurfaceAndOfMatter),
          TEST_ENTRY(AZoneOfAGroupThatIsNotThereIsRefused))
