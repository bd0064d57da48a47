/* Groups of nodes and matter of elements, as files of other programs name them. */
#include "tet_file_bytes.h"

#include <math.h>

/* Whether a group has these nodes and no others. */
static bool holds(const lbTetMesh* mesh, const char* name, const int* nodes, int count) {
    const lbNodeGroup* group = mesh != NULL ? lbTetMesh_FindGroup(mesh, name) : NULL;
    return group != NULL && group->nodeCount == count &&
           (count == 0 || memcmp(group->nodes, nodes, (size_t)count * sizeof(int)) == 0);
}
#define HOLDS(mesh, name, ...)                                                                                         \
    holds(mesh, name, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

static bool is_matter(const lbTetMesh* mesh, int tet, float density, float youngs, float nu) {
    const lbMatter* matter = lbTetMesh_GetMatter(mesh);
    return matter != NULL && matter[tet].density == density && matter[tet].youngsModulus == youngs &&
           matter[tet].poissonsRatio == nu;
}

TEST(PhysicalGroupsOfGmsh2BecomeGroupsOfNodes) {
    lbTetMesh* mesh =
        load_text("groups2.msh",
                  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                  "$PhysicalNames\n3\n2 3 \"left end\"\n3 7 \"inside\"\n0 9 \"lost\"\n$EndPhysicalNames\n"
                  "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 5 5 5\n60 1 1 1\n$EndNodes\n"
                  "$Elements\n6\n1 15 2 9 1 50\n2 1 2 4 1 10 20\n3 2 2 3 1 40 20 10\n4 2 2 3 1 10 20 40\n"
                  "5 4 2 7 1 10 20 30 40\n6 4 2 0 2 20 30 40 60\n$EndElements\n"
                  "$ElementData\n1\n\"youngsModulus\"\n1\n0.0\n3\n0\n1\n2\n5 2e6\n6 3e6\n$EndElementData\n"
                  "$ElementData\n1\n\"stress\"\n1\n0.0\n3\n0\n1\n1\n5 7\n$EndElementData\n",
                  NULL);
    check_pair(mesh, 7, 0);
    CHECK(lbTetMesh_GetGroupCount(mesh) == 4);
    CHECK(HOLDS(mesh, "left end", 0, 1, 3) && HOLDS(mesh, "inside", 0, 1, 2, 3) && HOLDS(mesh, "curve 4", 0, 1));
    CHECK(holds(mesh, "lost", NULL, 0)); /* a point that no tetrahedron has */
    CHECK(lbTetMesh_FindGroup(mesh, "Inside") == NULL && lbTetMesh_GetGroup(mesh, 4) == NULL);
    const lbMatter* matter = lbTetMesh_GetMatter(mesh);
    CHECK(matter != NULL && matter[0].youngsModulus == 2e6f && matter[1].youngsModulus == 3e6f);
    CHECK(matter != NULL && isnan(matter[0].density) && isnan(matter[1].poissonsRatio));
    lbDestroyTetMesh(mesh);
}

TEST(PhysicalGroupsOfGmsh4BecomeGroupsOfNodes) {
    lbTetMesh* mesh =
        load_text("groups4.msh",
                  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 8 \"base\"\n3 4 \"inside\"\n"
                  "$EndPhysicalNames\n$Entities\n0 0 1 2\n1 0 0 0 1 1 1 2 8 -9 0\n"
                  "5 0 0 0 1 1 1 1 4 0\n6 0 0 0 1 1 1 0 0\n$EndEntities\n"
                  "$Nodes\n1 5 1 5\n3 5 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
                  "$Elements\n3 3 1 3\n2 1 2 1\n1 1 2 3\n3 5 4 1\n2 1 2 3 4\n3 6 4 1\n3 2 3 4 5\n$EndElements\n",
                  NULL);
    check_pair(mesh, 4, 0);
    CHECK(HOLDS(mesh, "base", 0, 1, 2) && HOLDS(mesh, "surface 9", 0, 1, 2) && HOLDS(mesh, "inside", 0, 1, 2, 3));
    CHECK(lbTetMesh_GetMatter(mesh) == NULL);
    lbDestroyTetMesh(mesh);
}

TEST(BinaryGmshHasItsGroupsToo) {
    Bytes bytes = {.bigEndian = false};
    put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
    put_integer(&bytes, 1, 4);
    put_text(&bytes, "\n$EndMeshFormat\n$PhysicalNames\n1\n2 3 \"skin\"\n$EndPhysicalNames\n$Nodes\n4\n");
    for (int i = 0; i < 4; ++i) {
        put_integer(&bytes, i + 1, 4);
        for (int k = 0; k < 3; ++k) {
            put_double(&bytes, i == k + 1);
        }
    }
    put_text(&bytes, "\n$EndNodes\n$Elements\n2\n");
    put_integers(&bytes, 4, (int64_t[]){2, 1, 2, /**/ 1, 3, 1, 2, 3, 4}, 9);
    put_integers(&bytes, 4, (int64_t[]){4, 1, 2, /**/ 2, 0, 5, 1, 2, 3, 4}, 10);
    put_text(&bytes, "\n$EndElements\n$ElementData\n1\n\"nu\"\n1\n0.0\n3\n0\n1\n1\n");
    put_integer(&bytes, 2, 4);
    put_double(&bytes, 0.25);
    put_text(&bytes, "\n$EndElementData\n");
    lbTetMesh* mesh = load_bytes("groupsb.msh", bytes.data, bytes.size, NULL);
    CHECK(HOLDS(mesh, "skin", 1, 2, 3) && lbTetMesh_GetGroupCount(mesh) == 1);
    CHECK(lbTetMesh_GetMatter(mesh) != NULL && lbTetMesh_GetMatter(mesh)[0].poissonsRatio == 0.25f);
    lbDestroyTetMesh(mesh);
}

static const char abaqus[] =
    "*HEADING\nmade by hand\n*PART, NAME=P\n*NODE, NSET=all\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n"
    "4, 0, 0, 1\n5, 1, 1, 1\n*ELEMENT, TYPE=C3D4, ELSET=lower\n1, 1, 2, 3, 4\n"
    "*ELEMENT, TYPE=C3D4, ELSET=upper\n2, 2, 3, 4, 5\n"
    "*NSET, NSET=Base\n1, 2,\n3\n*Nset, nset=steps, generate\n1, 5, 2\n"
    "*NSET, NSET=both\nbase, 5\n*ELSET, ELSET=base\n2\n"
    "*SOLID SECTION, ELSET=lower, MATERIAL=steel\n*SOLID SECTION, ELSET=upper, MATERIAL=Rubber\n"
    "*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n*NODE\n1, 9, 9, 9\n"
    "*NSET, NSET=point\n1\n*NSET, NSET=tip, INSTANCE=I\n5\n*END ASSEMBLY\n"
    "*MATERIAL, NAME=Steel\n*DENSITY\n7800.\n*ELASTIC\n2.1e11, 0.3\n2e11, 0.3, 400.\n"
    "*MATERIAL, NAME=RUBBER\n*ELASTIC, TYPE=ISOTROPIC\n2e6, 0.49\n";

TEST(NodeSetsElementSetsAndMaterialsOfAbaqusAreRead) {
    lbTetMesh* mesh = load_text("groups.inp", abaqus, NULL);
    check_pair(mesh, 1, 2);
    CHECK(HOLDS(mesh, "all", 0, 1, 2, 3, 4) && HOLDS(mesh, "Base", 0, 1, 2) && HOLDS(mesh, "steps", 0, 2, 4));
    CHECK(HOLDS(mesh, "both", 0, 1, 2, 4) && HOLDS(mesh, "tip", 4));
    CHECK(HOLDS(mesh, "lower", 0, 1, 2, 3) && HOLDS(mesh, "upper", 1, 2, 3, 4));
    CHECK(lbTetMesh_FindGroup(mesh, "point") == NULL); /* a reference point's */
    CHECK(is_matter(mesh, 0, 7800, 2.1e11f, 0.3f));
    CHECK(isnan(lbTetMesh_GetMatter(mesh)[1].density) && lbTetMesh_GetMatter(mesh)[1].youngsModulus == 2e6f);
    lbDestroyTetMesh(mesh);
}

TEST(ElementSetsThatShareANameWithNodesAreNotMixedWithThem) {
    lbTetMesh* mesh = load_text("alike.inp",
                                "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n"
                                "1, 1, 2, 3, 4\n*NSET, NSET=end\n4\n*ELSET, ELSET=end\n1\n",
                                NULL);
    CHECK(HOLDS(mesh, "end", 3) && lbTetMesh_GetGroupCount(mesh) == 1);
    lbDestroyTetMesh(mesh);
}

TEST(FlagsAndMatterOfVtkAreRead) {
    lbTetMesh* mesh = load_text(
        "groups.vtk",
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
        "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10 10\n"
        "POINT_DATA 5\nSCALARS fixed char 1\nLOOKUP_TABLE default\n1 1 0 0 0\nSCALARS heat float 1\nLOOKUP_TABLE d\n"
        "1 1 1 1 1\nFIELD more 2\ncontrol 1 5 int\n0 0 1 2 2\nplace 3 5 float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        "CELL_DATA 2\nFIELD f 3\ndensity 1 2 float\n7800 1100\nyoungsModulus 1 2 double\n2.1e11 2e6\nnu 1 2 float\n"
        "0.3 0.49\n",
        NULL);
    check_pair(mesh, 0, 0);
    CHECK(HOLDS(mesh, "fixed", 0, 1) && HOLDS(mesh, "control 1", 2) && HOLDS(mesh, "control 2", 3, 4));
    CHECK(lbTetMesh_GetGroupCount(mesh) == 3);
    CHECK(is_matter(mesh, 0, 7800, 2.1e11f, 0.3f) && is_matter(mesh, 1, 1100, 2e6f, 0.49f));
    lbDestroyTetMesh(mesh);
}

TEST(FlagsOfXmlVtkAreReadWherePointDataComeFirst) {
    lbTetMesh* mesh = load_text(
        "groups.vtu",
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">"
        "<PointData><DataArray type=\"UInt8\" Name=\"end\" format=\"ascii\">0 0 3 1</DataArray>"
        "<DataArray type=\"Float32\" Name=\"speed\" format=\"ascii\">1 1 1 1</DataArray></PointData>"
        "<CellData><DataArray type=\"Float64\" Name=\"E\" format=\"ascii\">5e5</DataArray></CellData>"
        "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1"
        "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 "
        "3</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid>"
        "</VTKFile>\n",
        NULL);
    CHECK(HOLDS(mesh, "end 3", 2) && HOLDS(mesh, "end 1", 3) && lbTetMesh_GetGroupCount(mesh) == 2);
    CHECK(lbTetMesh_GetMatter(mesh) != NULL && lbTetMesh_GetMatter(mesh)[0].youngsModulus == 5e5f);
    lbDestroyTetMesh(mesh);
}

static void refuses(const char* name, const char* text, const char* words) {
    lbTetMesh* mesh = NULL;
    write_text(name, text);
    lbResult result = lbLoadTetMesh(file_path(name), NULL, &mesh, NULL);
    CHECK(result.code == lb_errorFormat && strstr(result.message, words) != NULL && mesh == NULL);
    if (strstr(result.message, words) == NULL) {
        printf("%s\n", result.message);
    }
}

TEST(GroupsThatNameWhatIsNotThereAreRefused) {
    refuses("lost.msh",
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
            "$Elements\n2\n1 2 2 3 1 1 2 77\n2 4 2 0 1 1 2 3 4\n$EndElements\n",
            "group 'surface 3' has node 77");
    refuses("names.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\nmany\n$EndPhysicalNames\n",
            "the number of physical names");
    refuses("names2.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"a\"\n$EndPhysicalNames\n",
            "the dimension and the tag of a physical name");
    refuses("soft.inp", "*NODE\n1,0,0,0\n*MATERIAL, NAME=A\n*ELASTIC\nsoft, 0.3\n", "Young's modulus, a number");
    refuses("set.inp", "*NODE\n1,0,0,0\n*NSET, NSET=a, GENERATE\none, 3\n", "a number of a node or an element");
}

TEST(GroupsOfArraysAreSortedAndChecked) {
    const double points[15] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int tets[4] = {0, 2, 3, 4}, nodes[4] = {4, 0, 1, 4};
    lbNodeGroup group = {"end", 4, nodes};
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 5, def.points = points, def.tetCount = 1, def.tets = tets;
    def.groupCount = 1, def.groups = &group;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    CHECK(HOLDS(mesh, "end", 0, 3)); /* point 1 is left out */
    lbDestroyTetMesh(mesh);
    const int wrong[1] = {5};
    group = (lbNodeGroup){"end", 1, wrong};
    lbResult result = lbCreateTetMesh(&def, &mesh);
    CHECK(result.code == lb_errorArgument && strstr(result.message, "group 'end' holds point 5") != NULL);
    group = (lbNodeGroup){"", 0, NULL};
    CHECK(lbCreateTetMesh(&def, &mesh).code == lb_errorArgument);
}

TEST_MAIN(TEST_ENTRY(PhysicalGroupsOfGmsh2BecomeGroupsOfNodes), TEST_ENTRY(PhysicalGroupsOfGmsh4BecomeGroupsOfNodes),
          TEST_ENTRY(BinaryGmshHasItsGroupsToo), TEST_ENTRY(NodeSetsElementSetsAndMaterialsOfAbaqusAreRead),
          TEST_ENTRY(ElementSetsThatShareANameWithNodesAreNotMixedWithThem), TEST_ENTRY(FlagsAndMatterOfVtkAreRead),
          TEST_ENTRY(FlagsOfXmlVtkAreReadWherePointDataComeFirst), TEST_ENTRY(GroupsThatNameWhatIsNotThereAreRefused),
          TEST_ENTRY(GroupsOfArraysAreSortedAndChecked))
