/* Files of tetrahedra that are not what they should be: each gives an error that says where, which element, and what
 * was expected; run under the sanitizers, none does harm. */
#include "mesh/files/tet_file.h"
#include "tet_file_bytes.h"

#include <sys/stat.h>

/* Nothing larger than this may be asked for by files as small as these. */
enum { largestBlock = 1 << 20 };
static size_t largestAsked;
static int liveCount;

static void* careful_allocate(void* user, size_t size, size_t alignment) {
    (void)user;
    largestAsked = size > largestAsked ? size : largestAsked;
    void* memory =
        size <= largestBlock ? aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment) : NULL;
    liveCount += memory != NULL;
    return memory;
}

static void careful_release(void* user, void* memory) {
    (void)user;
    liveCount -= memory != NULL;
    free(memory);
}

static lbHost careful_host(void) {
    lbHost host = lbDefaultHost();
    host.allocate = careful_allocate;
    host.release = careful_release;
    largestAsked = 0;
    return host;
}

static void check_outcome(lbResult result, lbTetMesh* mesh) {
    CHECK((result.code == lb_ok) == (mesh != NULL) && (result.code == lb_ok) == (result.message[0] == 0));
    lbDestroyTetMesh(mesh);
    CHECK(largestAsked <= largestBlock && liveCount == 0);
}

static lbResult load_carefully(const char* name) {
    lbHost host = careful_host();
    lbTetMesh* mesh = NULL;
    lbResult result = lbLoadTetMesh(file_path(name), &host, &mesh, NULL);
    check_outcome(result, mesh);
    return result;
}

/* The message is the path, and then these words. */
static void check_fails(const char* name, const void* data, size_t size, lbCode code, const char* words) {
    char expected[1024];
    write_bytes(name, data, size);
    lbResult result = load_carefully(name);
    snprintf(expected, sizeof(expected), "%s%s", file_path(name), words);
    if (result.code != code || strcmp(result.message, expected) != 0) {
        printf("    %s: code %d, \"%s\"\n      expected code %d, \"%s\"\n", name, (int)result.code, result.message,
               (int)code, expected);
        CHECK(false);
    }
}

typedef struct BadText {
    const char* name;
    const char* text;
    const char* words;
} BadText;

static void check_all(const BadText* cases, size_t count, lbCode code) {
    for (size_t i = 0; i < count; ++i) {
        check_fails(cases[i].name, cases[i].text, strlen(cases[i].text), code, cases[i].words);
    }
}

#define CHECK_ALL(cases, code) check_all(cases, sizeof(cases) / sizeof(cases[0]), code)

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH2_NODES "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"

TEST(BadGmshTextIsAnErrorWithItsLine) {
    static const BadText cases[] = {
        {"empty.msh", "", ": expected a tetrahedral mesh, found an empty file"},
        {"words.msh", "hello world\n", ":1: expected '$MeshFormat', found 'hello'"},
        {"type.msh", "$MeshFormat\n2.2 7 8\n", ":2: expected a file type, 0 (text) or 1 (binary), found '8'"},
        {"size.msh", "$MeshFormat\n2.2 0 4\n", ":2: expected a data size of 8, found the end of the line"},
        {"order.msh", "$MeshFormat\n2.2 1 8\nabcd\n", ": byte 20: expected the integer 1, which tells the byte order"},
        {"none.msh", MSH2, ": expected a tetrahedral mesh, found no nodes"},
        {"nodes.msh", MSH2 MSH2_NODES,
         ": expected a tetrahedral mesh, found 5 nodes, 0 surface elements and no tetrahedra"},
        {"many.msh", MSH2 "$Nodes\n100000000\n1 0 0 0\n$EndNodes\n",
         ":5: the file says it has 100000000 nodes, which take at least 8 bytes each, but only 19 bytes are left"},
        {"minus.msh", MSH2 "$Nodes\n-1\n", ":5: expected a number of nodes, found -1"},
        {"nan.msh", MSH2 "$Nodes\n2\n1 0 0 0\n2 0 nan 0\n$EndNodes\n",
         ":7: expected 'y' of node 2, a finite number, found 'nan'"},
        {"inf.msh", MSH2 "$Nodes\n2\n1 0 0 0\n2 0 0 -inf\n$EndNodes\n",
         ":7: expected 'z' of node 2, a finite number, found '-inf'"},
        {"huge.msh", MSH2 "$Nodes\n2\n1 0 0 0\n2 1e39 0 0\n$EndNodes\n",
         ":7: node 2: 'x' is not a finite number of a sensible size"},
        {"twice.msh",
         MSH2 "$Nodes\n3\n7 0 0 0\n2 1 0 0\n7 0 1 0\n$EndNodes\n$Elements\n1\n1 4 0 7 2 7 2\n$EndElements\n",
         ": node 7 stands twice in the file"},
        {"short.msh", MSH2 "$Nodes\n2\n1 0 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n",
         ":7: expected a node's number, found '$EndNodes'"},
        {"end.msh", MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", ":7: expected '$EndNodes', found '2'"},
        {"unended.msh", MSH2 "$Things\n1\n2\n", ": the section $Things has no end: '$EndThings' is not there"},
        {"unknown.msh", MSH2 MSH2_NODES "$Elements\n1\n1 99 0 1 2 3 4\n$EndElements\n",
         ":14: element type 99 is none that can be read"},
        {"tags.msh", MSH2 MSH2_NODES "$Elements\n1\n1 4 1000 1 2 3 4\n$EndElements\n",
         ":14: expected a number of tags from 0 to 64, found 1000"},
        {"missing.msh", MSH2 MSH2_NODES "$Elements\n1\n6 4 2 1 1 1 2 3 9\n$EndElements\n",
         ":14: element 6 uses node 9, which the file does not have"},
        {"few.msh", MSH2 MSH2_NODES "$Elements\n1\n6 4 2 1 1 1 2 3\n$EndElements\n",
         ":15: expected node 4 of element 6, found '$EndElements'"},
        {"elements.msh", MSH2 MSH2_NODES "$Elements\n1000000\n6 4 2 1 1 1 2 3 4\n$EndElements\n",
         ":13: the file says it has 1000000 elements, which take at least 8 bytes each, but only 32 bytes are left"},
        {"v4.msh", MSH4 "$Nodes\n1 9000000000 1 9\n",
         ":5: the file says it has 9000000000 nodes, which take at least 8 bytes each, but only 5 bytes are left"},
        {"v4blocks.msh", MSH4 "$Nodes\n100000000 1 1 1\n",
         ":5: the file says it has 100000000 blocks, which take at least 8 bytes each, but only 7 bytes are left"},
        {"v4block.msh", MSH4 "$Nodes\n1 1 1 1\n3 1 0 50000\n1\n0 0 0\n$EndNodes\n",
         ":6: the file says it has 50000 nodes, which take at least 8 bytes each, but only 19 bytes are left"},
        {"v4sum.msh", MSH4 "$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
         ":8: the section says it has 2 nodes, but its blocks have 1"},
        {"v4dimension.msh", MSH4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n",
         ":6: a block of nodes of dimension 4, parametric 0; expected 0 to 3, and 0 or 1"},
        {"v4type.msh", MSH4 "$Elements\n1 1 1 1\n3 1 999 1\n1 1 2 3 4\n$EndElements\n",
         ":6: element type 999 is none that can be read"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    static const BadText versions[] = {
        {"v1.msh", "$NOD\n1\n",
         ":1: Gmsh's file version 1 is not read; expected 2.2 or 4.1, which Gmsh writes as well (-format msh22 or "
         "msh41)"},
        {"v40.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n",
         ":2: Gmsh's file version 4 is not read; expected 2.2 or 4.1, which Gmsh writes as well (-format msh22 or "
         "msh41)"},
        {"parameters.msh", MSH2 "$ParametricNodes\n0\n$EndParametricNodes\n",
         ": nodes with parameters ('$ParametricNodes') are not read; save it without them, or as 4.1"},
    };
    CHECK_ALL(versions, lb_errorUnsupported);
}

TEST(BadGmshBinaryIsAnErrorWithItsByte) {
    Bytes bytes = {.size = 0};
    put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
    put_integer(&bytes, 1, 4);
    put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n2\n");
    Bytes many = bytes;
    many.data[many.size - 2] = '9';
    check_fails(
        "manyb.msh", many.data, many.size, lb_errorFormat,
        ": byte 49: the file says it has 9 nodes, which take at least 28 bytes each, but only 0 bytes are left");
    for (int i = 0; i < 2; ++i) {
        put_integer(&bytes, i + 1, 4);
        put_double(&bytes, 0);
        put_double(&bytes, i == 0 ? 0 : (double)NAN);
        put_double(&bytes, 0);
    }
    check_fails("nanb.msh", bytes.data, bytes.size, lb_errorFormat,
                ": byte 77: node 2: 'y' is not a finite number of a sensible size");
    bytes.size -= 56;
    bytes.data[bytes.size - 2] = '0';
    put_text(&bytes, "\n$EndNodes\n$Elements\n9\n");
    put_integers(&bytes, 4, (int64_t[]){4, 1 << 30, 2}, 3);
    for (int i = 0; i < 50; ++i) {
        put_integer(&bytes, 0, 4);
    }
    check_fails("runb.msh", bytes.data, bytes.size, lb_errorFormat,
                ": byte 84: the file says it has 1073741824 elements, which take at least 28 bytes each, but only 200 "
                "bytes are left");
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

TEST(BadElementsAreNamedByTheFilesNumbers) {
    static const BadText cases[] = {
        {"flat.msh",
         MSH2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n77 4 0 1 2 3 4\n"
              "$EndElements\n",
         ":13: element 77 has no volume: its corners lie in a plane"},
        {"corner.msh", MSH2 MSH2_NODES "$Elements\n1\n77 4 0 1 2 3 3\n$EndElements\n",
         ":14: element 77 has no volume: it uses a node twice"},
        {"same.msh", MSH2 MSH2_NODES "$Elements\n3\n11 4 0 1 2 3 4\n12 4 0 2 3 4 5\n13 4 0 4 2 1 3\n$EndElements\n",
         ":16: element 13 has the same nodes as element 11"},
        {"third.msh",
         MSH2 "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 2 2 2\n$EndNodes\n$Elements\n3\n"
              "11 4 0 1 2 3 4\n12 4 0 2 3 4 5\n13 4 0 2 3 4 6\n$EndElements\n",
         ": tetrahedron 13 shares a face with 2 others, one of them tetrahedron 11; expected one at most"},
        {"folded.msh",
         MSH2 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .2 .2 .3\n$EndNodes\n$Elements\n2\n"
              "11 4 0 1 2 3 4\n12 4 0 1 2 3 5\n$EndElements\n",
         ": tetrahedron 12 is inverted: it lies on the same side of the face that it shares with tetrahedron 11"},
        {"collapsed.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D8\n3, 1,1,1,1,2,2,3,3\n",
         ":7: element 3 has no volume: too many of its nodes are the same"},
        {"warped.inp",
         "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,-3,-3,0.2\n8,0,1,1\n*ELEMENT,TYPE=C3D8\n"
         "3, 1,2,3,4,5,6,7,8\n",
         ":11: element 3 cannot be cut into tetrahedra: it is too warped"},
    };
    CHECK_ALL(cases, lb_errorFormat);
}

/* ---- TetGen ------------------------------------------------------------------------------------------------------ */

TEST(BadTetGenFilesAreErrors) {
    lbTetMesh* mesh = NULL;
    remove(file_path("alone.ele"));
    write_text("alone.node", "1 3\n1 0 0 0\n");
    CHECK_FAILS(lbLoadTetMesh(file_path("alone.node"), NULL, &mesh, NULL), lb_errorFile,
                "alone.node: a mesh of TetGen is in two files, but the other cannot be read: ");
    CHECK_FAILS(lbLoadTetMesh(file_path("alone.node"), NULL, &mesh, NULL), lb_errorFile, "alone.ele: No such file");
    static const BadText nodes[] = {
        {"bad1.node", "5 2 0 0\n1 0 0\n", ":1: expected nodes of 3 dimensions, found 2"},
        {"bad1.node", "x\n", ":1: expected a line that begins with the number of nodes, found 'x'"},
        {"bad1.node", "3 3 0 0\n1 0 0 0\n2 0 0\n3 0 0 0\n# more\n",
         ":3: expected 'z' of node 2, a finite number, found the end of the line"},
        {"bad1.node", "500 3 0 0\n1 0 0 0\n",
         ":2: the file says it has 500 nodes, which take at least 8 bytes each, but only 8 bytes are left"},
        {"bad1.node", "1 3 0 0\n1 0 0 0\n# more\n2 1 0 0\n",
         ":4: expected the end of the file, which says it has 1 nodes, found '2'"},
    };
    write_text("bad1.ele", "1 4 0\n1 1 2 3 4\n");
    CHECK_ALL(nodes, lb_errorFormat);
    write_text("bad2.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    static const BadText elements[] = {
        {"bad2.ele", "1 5 0\n1 1 2 3 4 5\n", ":1: expected tetrahedra of 4 or 10 nodes, found 5"},
        {"bad2.ele", "1 4 0\n1 0 1 2 3\n", ":2: element 1 uses node 0, which the file does not have"},
        {"bad2.ele", "1 4 1\n1 1 2 3 4\n", ":2: expected the region of element 1, found the end of the line"},
        {"bad2.ele", "1 4 0\n1 1 2 3\n\n\n", ":2: expected node 4 of element 1, found the end of the line"},
        {"bad2.ele", "1000 4 0\n1 1 2 3 4\n",
         ":2: the file says it has 1000 tetrahedra, which take at least 10 bytes each, but only 10 bytes are left"},
        {"bad2.ele", "1 4 0\n1 1 2 3 4\n2 1 2 3 4\n",
         ":3: expected the end of the file, which says it has 1 tetrahedra, found '2'"},
    };
    CHECK_ALL(elements, lb_errorFormat);
}

/* ---- Medit ------------------------------------------------------------------------------------------------------- */

#define MEDIT "MeshVersionFormatted 2\nDimension 3\n"

TEST(BadMeditFilesAreErrors) {
    static const BadText cases[] = {
        {"bad.mesh", "Dimension 3\n", ":1: expected 'MeshVersionFormatted', found 'Dimension'"},
        {"bad.mesh", "MeshVersionFormatted 2\nDimension 2\n", ":2: expected a mesh of dimension 3, found 2"},
        {"bad.mesh", MEDIT "Vertices\n10000000\n0 0 0 0\n",
         ":4: the file says it has 10000000 vertices, which take at least 8 bytes each, but only 9 bytes are left"},
        {"bad.mesh", MEDIT "Vertices 1\n0 0 infinity 0\n",
         ":4: expected 'z' of vertex 1, a finite number, found 'infinity'"},
        {"bad.mesh", MEDIT "Vertices 1\n0 0 0 0\nTetrahedra 9999\n1 2 3 4 5\n",
         ":5: the file says it has 9999 elements, which take at least 10 bytes each, but only 11 bytes are left"},
        {"bad.mesh", MEDIT "Vertices 1\n0 0 0 0\nTetrahedra 1\n1 2 End 4 5\n",
         ":6: expected vertex 3 of element 1 of 'Tetrahedra', found 'End'"},
        {"bad.mesh", MEDIT "Vertices 1\n0 0 0 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n",
         ":6: element 1 uses node 2, which the file does not have"},
        {"bad.mesh", MEDIT "Vertices 1\n0 0 0 0\n7 7 7 7\n", ":5: expected the name of a section, found '7'"},
        {"bad.meshb", "\1\0", ": byte 0: expected the integer 1, which tells the byte order, and a version"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    static const BadText versions[] = {
        {"bad.mesh", "MeshVersionFormatted 5\n", ": Medit's file version 5 is not read; expected 1 to 4"}};
    CHECK_ALL(versions, lb_errorUnsupported);
    Bytes bytes = {.size = 0};
    put_integers(&bytes, 4, (int64_t[]){1, 2, /**/ 3, 20, 3, /**/ 4, 20}, 7);
    Bytes back = bytes, many = bytes;
    put_integers(&back, 4, (int64_t[]){0}, 1);
    check_fails(
        "back.meshb", back.data, back.size, lb_errorFormat,
        ": byte 20: section 4 says that the next one is at byte 20; expected a later place in the file, which has "
        "32 bytes");
    put_integers(&many, 4, (int64_t[]){100000000}, 1);
    check_fails(
        "many.meshb", many.data, many.size, lb_errorFormat,
        ": byte 32: the file says it has 100000000 vertices, which take at least 28 bytes each, but only 0 bytes are "
        "left");
    check_fails("cut.meshb", bytes.data, 20, lb_errorFormat,
                ": byte 20: expected the code of a section, found the end of the file");
}

/* ---- VTK --------------------------------------------------------------------------------------------------------- */

#define VTK "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define VTK5 "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"

TEST(BadVtkFilesAreErrors) {
    static const BadText cases[] = {
        {"bad.vtk", "# something\n", ":1: expected '# vtk DataFile Version', found '#'"},
        {"bad.vtk", "# vtk DataFile Version 3.0\ntitle\nHEX\n", ":3: expected 'ASCII' or 'BINARY', found 'HEX'"},
        {"bad.vtk", "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET POLYDATA\n",
         ":4: expected 'UNSTRUCTURED_GRID', the dataset that holds tetrahedra, found 'POLYDATA'"},
        {"bad.vtk", VTK "POINTS 100000000 float\n0 0 0\n",
         ":6: the file says it has 100000000 points, which take at least 6 bytes each, but only 6 bytes are left"},
        {"bad.vtk", VTK "POINTS 1 quaternion\n",
         ":5: expected a type of values, as 'float' or 'int', found 'quaternion'"},
        {"bad.vtk", VTK "POINTS many float\n", ":5: expected the number of points, found 'many'"},
        {"bad.vtk", VTK "POINTS 2 float\n0 0 0 0 NaN 0\n", ":6: expected 'y' of point 1, a finite number, found 'NaN'"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5000000\n4 0 1 2 3\n",
         ":8: the file says it has 5000000 values of cells, which take at least 2 bytes each, but only 10 bytes are "
         "left"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5\n40 0 1 2 3\n",
         ":8: cell 0 says it has 40 nodes, more than the list of cells holds"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", ": has 1 cells, but types of 2"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n42\n",
         ":8: cell 0 is of type 42, which cannot be read or cut into tetrahedra"},
        {"bad.vtk", VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n",
         ":8: cell 0 of type 10 has 3 nodes; expected at least 4"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
         ":8: element 0 uses node 4, which the file does not have"},
        {"bad.vtk", VTK_POINTS "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n",
         ":8: element 0 uses node -1, which the file does not have"},
        {"bad.vtk", VTK_POINTS "STUFF 1 5\n", ":7: expected a keyword, as 'POINTS' or 'CELLS', found 'STUFF'"},
        {"bad.vtk", VTK5 "CELLS 3 4\nOFFSETS vtktypeint64\n0 9 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
         ":8: offset 1 of the cells is 9; expected them to rise from 0 to 4"},
        {"bad.vtk", VTK5 "CELLS 2 99999\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
         ":9: the file says it has 99999 values of cells, which take at least 2 bytes each, but only 8 bytes are left"},
        {"bad.vtk", VTK5 "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nPOINTS vtktypeint64\n0 1 2 3\n",
         ":8: expected CONNECTIVITY, found 'POINTS'"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    Bytes bytes = {.bigEndian = true};
    put_text(&bytes, "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 double\n");
    for (int i = 0; i < 6; ++i) {
        put_double(&bytes, i == 5 ? (double)INFINITY : 0);
    }
    check_fails("infinite.vtk", bytes.data, bytes.size, lb_errorFormat,
                ": byte 106: node 1: 'z' is not a finite number of a sensible size");
    check_fails(
        "cut.vtk", bytes.data, bytes.size - 1, lb_errorFormat,
        ": byte 82: the file says it has 2 points, which take at least 24 bytes each, but only 47 bytes are left");
}

#define VTU(attributes) "<VTKFile type=\"UnstructuredGrid\" " attributes ">\n<UnstructuredGrid>\n"
#define VTU_PIECE VTU("") "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
#define VTU_POINTS                                                                                                     \
    "<Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0\n0 1 0 0 0 1"       \
    "</DataArray>\n</Points>\n"
#define VTU_CELLS(connectivity, offsets, types)                                                                        \
    "<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" connectivity                          \
    "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" offsets                               \
    "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" types "</DataArray>\n</Cells>\n"
#define VTU_END "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"
#define VTU_BASE64(attributes, data)                                                                                   \
    "<Points>\n<DataArray " attributes " format=\"binary\">" data "</DataArray>\n</Points>\n"

TEST(BadVtuFilesAreErrors) {
    static const BadText cases[] = {
        {"bad.vtu", "<?xml version=\"1.0\"?>\n<svg/>\n", ":1: expected a tag <VTKFile>, found none"},
        {"bad.vtu", "<VTKFile type=\"PolyData\">\n",
         ":1: expected a VTKFile of the type 'UnstructuredGrid', found 'PolyData'"},
        {"bad.vtu", VTU("") "<Piece NumberOfPoints=\"4\"", ":3: a tag without an end"},
        {"bad.vtu", VTU("") "<Piece NumberOfPoints=\"4\">\n",
         ":3: expected NumberOfCells with a number in <Piece>, found ''"},
        {"bad.vtu", VTU("") "<Piece NumberOfPoints=\"1000000000000\" NumberOfCells=\"1\">\n",
         ":3: the piece says it has 1000000000000 points and 1 cells, but the file has only 111 bytes"},
        {"bad.vtu", VTU_PIECE VTU_POINTS, ": the last piece has no end: '</Piece>' is not there"},
        {"bad.vtu", VTU_PIECE VTU_END, ":3: the piece says it has 4 points; expected an array of them"},
        {"bad.vtu", VTU_PIECE VTU_POINTS VTU_END, ":3: the piece has 1 cells; expected as many 'offsets' and 'types'"},
        {"bad.vtu", VTU_PIECE VTU_POINTS VTU_CELLS("0 1 2 3", "4 5", "10") VTU_END,
         ":11: the array 'offsets' has 2 values; expected 1"},
        {"bad.vtu", VTU_PIECE VTU_POINTS VTU_CELLS("0 1 2 3", "5", "10") VTU_END,
         ":10: offset 0 of the cells is 5; expected them to rise to 4, the length of 'connectivity'"},
        {"bad.vtu", VTU_PIECE VTU_POINTS VTU_CELLS("0 1 x 3", "4", "10") VTU_END,
         ":10: expected an integer of the array 'connectivity', found 'x'"},
        {"bad.vtu", VTU_PIECE VTU_POINTS VTU_CELLS("0 1 2 7", "4", "10") VTU_END,
         ":10: element 0 uses node 7, which the file does not have"},
        {"bad.vtu",
         VTU_PIECE
         "<Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0\n0 1 0 0 0 "
         "nan</DataArray>\n</Points>\n" VTU_END,
         ":7: expected a finite number of the array '', found 'nan'"},
        {"bad.vtu",
         VTU_PIECE "<Points>\n<DataArray type=\"Float32\" format=\"ascii\">\n0 0 0</DataArray>\n</Points>\n" VTU_END,
         ":5: expected one array of points, of 3 components"},
        {"bad.vtu", VTU_PIECE VTU_BASE64("type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "") VTU_END,
         ":5: the array 'P' has no data"},
        {"bad.vtu", VTU_PIECE VTU_BASE64("type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "/////wAA") VTU_END,
         ":5: the array 'P' says it has 4294967295 bytes, more than the file holds"},
        {"bad.vtu",
         VTU_PIECE VTU_BASE64("type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "CAAAAAAA!!!!AAAA") VTU_END,
         ":5: the array 'P' ends too early, or is no base64"},
        {"bad.vtu",
         VTU_PIECE VTU_BASE64("type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "CAAAAAAAAAAAAAAA") VTU_END,
         ":5: the array 'P' has 1 values; expected 12"},
        {"bad.vtu",
         VTU_PIECE VTU_BASE64("type=\"Complex\" Name=\"P\" NumberOfComponents=\"3\"", "CAAAAAAAAAAAAAAA") VTU_END,
         ":5: the array 'P' has no type that can be read, as Float64 or Int32"},
        {"bad.vtu",
         VTU_PIECE
         "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>" VTU_END,
         ":5: the array '' is appended, but nothing is"},
        {"bad.vtu",
         VTU_PIECE
         "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"999\"/>\n"
         "</Points></Piece>\n<AppendedData encoding=\"raw\">_</AppendedData>",
         ":5: the array '' begins behind the end of the file"},
        {"bad.vtu",
         VTU("compressor=\"vtkZLibDataCompressor\"") "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n" VTU_BASE64(
             "type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "AQAAAEAAAAAIAAAADgAAAA==eNpjZmBhOAHEAANAAMw=")
             VTU_END,
         ":5: the array 'P' cannot be unpacked: block 0 of it is damaged"},
        {"bad.vtu",
         VTU("compressor=\"vtkZLibDataCompressor\"") "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n" VTU_BASE64(
             "type=\"Float64\" Name=\"P\" NumberOfComponents=\"3\"", "AQAAAAAAAAEAAAAADgAAAA==eNpjZmBgOAHEAANAAMw=")
             VTU_END,
         ":5: the array 'P' says it has 16777216 bytes, more than the file holds"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    static const BadText packed[] = {{"bad.vtu", VTU("compressor=\"vtkLZMADataCompressor\""),
                                      ":1: packed by 'vtkLZMADataCompressor', which is not read; expected "
                                      "vtkZLibDataCompressor, vtkLZ4DataCompressor "
                                      "or none"}};
    CHECK_ALL(packed, lb_errorUnsupported);
}

/* ---- Abaqus ------------------------------------------------------------------------------------------------------ */

#define INP "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"

TEST(BadAbaqusFilesAreErrors) {
    static const BadText cases[] = {
        {"bad.inp", "hello\n", ": expected a tetrahedral mesh, found no nodes"},
        {"bad.inp", INP, ": expected a tetrahedral mesh, found 4 nodes, 0 surface elements and no tetrahedra"},
        {"bad.inp", "*NODE\none, 0, 0, 0\n", ":2: expected a node's number, found 'one'"},
        {"bad.inp", "*NODE\n1, 0, nan, 0\n", ":2: expected 'y' of node 1, a finite number, found 'nan'"},
        {"bad.inp", "*NODE\n1, 0, 1e999, 0\n", ":2: node 1: 'y' is not a finite number of a sensible size"},
        {"bad.inp", INP "*ELEMENT\n1,1,2,3,4\n",
         ":6: expected TYPE of *ELEMENT to be C3D4 or another solid that can be cut into tetrahedra, found nothing"},
        {"bad.inp", INP "*ELEMENT, TYPE=SC8R\n1,1,2,3,4\n",
         ":6: expected TYPE of *ELEMENT to be C3D4 or another solid that can be cut into tetrahedra, found 'SC8R'"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4\n1,1,2,3\n*STEP\n", ":7: element 1 has 3 nodes; expected 4"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,4,5\n", ":7: element 1 has more than 4 nodes"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4\n1,1,2,3,x\n", ":7: expected node 4 of element 1, found 'x'"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4\nE1,1,2,3,4\n", ":7: expected an element's number, found 'E1'"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4\n42,1,2,3,7\n",
         ":7: element 42 uses node 7, which the file does not have"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    static const BadText refused[] = {
        {"bad.inp", "*HEADING\n*INCLUDE, INPUT=nodes.inp\n",
         ":2: *INCLUDE: other files are not opened; put what it names in its place"},
        {"bad.inp", "*NODE, INPUT=nodes.inp\n", ":1: *NODE: INPUT names another file, which is not opened"},
        {"bad.inp", "*NODE, SYSTEM=C\n1,1,90,0\n",
         ":1: *NODE: expected SYSTEM=R: coordinates that are no x, y, z are not read"},
        {"bad.inp", INP "*ELEMENT, TYPE=C3D4, INPUT=x\n",
         ":6: *ELEMENT: INPUT names another file, which is not opened"},
        {"bad.inp", INP "*NGEN\n1, 4\n", ":6: *NGEN: is not read"},
        {"bad.inp", "*PART, NAME=A\n*END PART\n*PART, NAME=B\n",
         ":3: *PART: a second part; only files of one part are read"},
        {"bad.inp", "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=B, PART=C\n1., 0., 0.\n",
         ":3: *INSTANCE: an instance that is moved or turned is not read"},
        {"bad.inp", "*INSTANCE, NAME=B, PART=C\n*END INSTANCE\n*INSTANCE, NAME=D, PART=C\n",
         ":3: *INSTANCE: a second instance; only files of one are read"},
    };
    CHECK_ALL(refused, lb_errorUnsupported);
}

/* ---- Vega -------------------------------------------------------------------------------------------------------- */

#define VEG "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

TEST(BadVegaFilesAreErrors) {
    static const BadText cases[] = {
        {"bad.veg", "nothing\n", ": expected a tetrahedral mesh, found no nodes"},
        {"bad.veg", "*VERTICES\n100000 3 0 0\n1 0 0 0\n",
         ":3: the file says it has 100000 vertices, which take at least 8 bytes each, but only 8 bytes are left"},
        {"bad.veg", "*VERTICES\n2 3 0 0\n1 0 0 0\n*ELEMENTS\nTET\n0 4 0\n",
         ":4: the file says it has 2 vertices, but 1 are there"},
        {"bad.veg", "*VERTICES\n1 3 0 0\n1 0 0\n# more\n",
         ":3: expected 'z' of vertex 1, a finite number, found nothing"},
        {"bad.veg", "*VERTICES\nmany\n", ":2: expected the number of vertices, found 'many'"},
        {"bad.veg", VEG "*ELEMENTS\nPRISM\n", ":8: expected elements TET or CUBIC, found 'PRISM'"},
        {"bad.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3\n# more\n", ":10: expected an element's vertex, found nothing"},
        {"bad.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 5\n",
         ":10: element 1 uses node 5, which the file does not have"},
        {"bad.veg", VEG VEG, ":7: a second *VERTICES; expected one"},
        {"bad.veg", VEG "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n",
         ":10: the file says it has 2 elements, which take at least 10 bytes each, but only 10 bytes are left"},
        {"bad.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*REGION\nnowhere, any\n",
         ":12: expected the name of a set, found 'nowhere'"},
        {"bad.veg", VEG "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*SET s\n1, two\n",
         ":12: expected an element's number, found 'two'"},
    };
    CHECK_ALL(cases, lb_errorFormat);
    static const BadText refused[] = {
        {"bad.veg", "*INCLUDE /etc/passwd\n",
         ":1: *INCLUDE of '/etc/passwd' is not followed; expected the name of a file beside this one"},
        {"bad.veg", "*INCLUDE ../bad.veg\n",
         ":1: *INCLUDE of '../bad.veg' is not followed; expected the name of a file beside this one"},
        {"bad.veg", "*INCLUDE\n", ":1: *INCLUDE of '' is not followed; expected the name of a file beside this one"},
        {"bad.veg", "*INCLUDE bad.veg\n",
         ":1: *INCLUDE of 'bad.veg' is not followed; expected the name of a file beside this one"},
    };
    CHECK_ALL(refused, lb_errorUnsupported); /* the last one includes itself until it is too deep */
    lbTetMesh* mesh = NULL;
    write_text("missing.veg", "*VERTICES\n*INCLUDE not-there.node\n");
    CHECK_FAILS(lbLoadTetMesh(file_path("missing.veg"), NULL, &mesh, NULL), lb_errorFile, "missing.veg:2: *INCLUDE: ");
    CHECK_FAILS(lbLoadTetMesh(file_path("missing.veg"), NULL, &mesh, NULL), lb_errorFile,
                "not-there.node: No such file");
}

/* ---- Any --------------------------------------------------------------------------------------------------------- */

static const char* const endings[] = {".msh", ".mesh", ".meshb", ".vtk", ".vtu", ".inp", ".veg", ""};
enum { endingCount = sizeof(endings) / sizeof(endings[0]) };

TEST(GarbageOfAnyNameIsAnError) {
    unsigned char bytes[3000];
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof(bytes); ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
    for (int i = 0; i < endingCount; ++i) {
        char name[32];
        snprintf(name, sizeof(name), "garbage%s", endings[i]);
        write_bytes(name, bytes, sizeof(bytes));
        lbResult result = load_carefully(name);
        CHECK(result.code != lb_ok && strstr(result.message, file_path(name)) != NULL);
    }
}

/* From a block of just its size, so that a read behind its end is found. */
static void parse_cut(lbTetParseFn* parse, const unsigned char* data, size_t size) {
    unsigned char* exact = malloc(size > 0 ? size : 1);
    memcpy(exact, data, size);
    lbHost host = careful_host();
    lbTetSource source = {.host = &host, .bytes = exact, .size = size, .path = "cut", .alone = true};
    lbTetFile file = {.host = &host, .path = "cut"};
    lbTetMesh* mesh = NULL;
    lbResult result = parse(&source, &file);
    if (result.code == lb_ok) {
        result = lb_finish_tet_file(&file, &mesh);
    }
    lb_free_tet_file(&file);
    check_outcome(result, mesh);
    free(exact);
}

/* A file cut off anywhere is an error, or what is missing did not matter. */
TEST(FilesCutOffAnywhereDoNoHarm) {
    static const struct {
        const char* name;
        lbTetMeshEncoding encoding;
        int gmshVersion;
        lbTetParseFn* parse;
    } forms[] = {
        {"whole.msh", lb_encodingText, 2, lb_parse_gmsh},
        {"whole.msh", lb_encodingBinary, 2, lb_parse_gmsh},
        {"whole.msh", lb_encodingText, 4, lb_parse_gmsh},
        {"whole.msh", lb_encodingBinary, 4, lb_parse_gmsh},
        {"whole.mesh", lb_encodingText, 2, lb_parse_medit},
        {"whole.meshb", lb_encodingBinary, 2, lb_parse_medit_binary},
        {"whole.vtk", lb_encodingText, 2, lb_parse_vtk},
        {"whole.vtk", lb_encodingBinary, 2, lb_parse_vtk},
        {"whole.vtu", lb_encodingText, 2, lb_parse_vtu},
        {"whole.vtu", lb_encodingBinary, 2, lb_parse_vtu},
        {"whole.inp", lb_encodingText, 2, lb_parse_abaqus},
        {"whole.veg", lb_encodingText, 2, lb_parse_vega},
    };
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 5, def.points = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    def.tetCount = 2, def.tets = (int[]){0, 1, 2, 3, 1, 2, 3, 4};
    def.regions = (int[]){3, 4};
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i) {
        lbBytes bytes;
        lbTetMeshSaveDef save = lbDefaultTetMeshSaveDef();
        save.encoding = forms[i].encoding;
        save.gmshVersion = forms[i].gmshVersion;
        CHECK_OK(lbTetMesh_SaveWith(mesh, file_path(forms[i].name), &save));
        CHECK_OK(lb_read_file(lb_resolve_host(NULL), file_path(forms[i].name), &bytes));
        for (size_t size = 0; size <= bytes.size; ++size) {
            parse_cut(forms[i].parse, bytes.data, size);
        }
        lb_free_bytes(lb_resolve_host(NULL), &bytes);
    }
    lbDestroyTetMesh(mesh);
}

TEST(WhatIsNoFileIsAnError) {
    lbTetMesh* mesh = NULL;
    mkdir(file_path("folder.msh"), 0777);
    CHECK_FAILS(lbLoadTetMesh(file_path("folder.msh"), NULL, &mesh, NULL), lb_errorFile, "not a regular file");
    CHECK_FAILS(lbLoadTetMesh("/no/such.msh", NULL, &mesh, NULL), lb_errorFile, "/no/such.msh: No such file");
    CHECK_FAILS(lbLoadTetMesh(NULL, NULL, &mesh, NULL), lb_errorArgument, "expected the path");
    CHECK_FAILS(lbLoadTetMesh("", NULL, &mesh, NULL), lb_errorArgument, "expected the path");
    lbHost foreign = {0};
    CHECK_FAILS(lbLoadTetMesh("x.msh", &foreign, &mesh, NULL), lb_errorArgument, "lbDefaultHost");
    CHECK_FAILS(lbLoadTetMeshWith("x.msh", NULL, &mesh, NULL), lb_errorArgument, "lbDefaultTetMeshLoadDef");
    write_text("text.xyzzy", "just some words\n");
    CHECK_FAILS(
        lbLoadTetMesh(file_path("text.xyzzy"), NULL, &mesh, NULL), lb_errorFormat,
        "neither its ending nor its contents are of a tetrahedral mesh that can be read: .msh, .node, .ele, .mesh, "
        ".meshb, .vtk, .vtu, .inp, .veg");
}

TEST_MAIN(TEST_ENTRY(BadGmshTextIsAnErrorWithItsLine), TEST_ENTRY(BadGmshBinaryIsAnErrorWithItsByte),
          TEST_ENTRY(BadElementsAreNamedByTheFilesNumbers), TEST_ENTRY(BadTetGenFilesAreErrors),
          TEST_ENTRY(BadMeditFilesAreErrors), TEST_ENTRY(BadVtkFilesAreErrors), TEST_ENTRY(BadVtuFilesAreErrors),
          TEST_ENTRY(BadAbaqusFilesAreErrors), TEST_ENTRY(BadVegaFilesAreErrors), TEST_ENTRY(GarbageOfAnyNameIsAnError),
          TEST_ENTRY(FilesCutOffAnywhereDoNoHarm), TEST_ENTRY(WhatIsNoFileIsAnError))
