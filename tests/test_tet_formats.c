/* Files as other programs write them, by the descriptions of their formats: what each becomes, what is passed over,
 * cut, reduced to its corners, turned and left out. */
#include "mesh/files/tet_file.h"
#include "mesh/files/unpack.h"
#include "tet_file_bytes.h"

/* ---- Gmsh -------------------------------------------------------------------------------------------------------- */

TEST(Gmsh2TextWithGroupsGapsAndOtherElementsIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("gmsh2.msh",
                  "$Comments\nmade by hand\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                  "$PhysicalNames\n2\n2 3 \"skin\"\n3 7 \"the $ inside\"\n$EndPhysicalNames\n"
                  "$Nodes\n6\n10 0 0 0\n20 1.0 0 0\n1000000 0 1e0 0\n7 0 0 1\n8 5 5 5\n9 1 1 1\n$EndNodes\n"
                  "$Elements\n5\n1 15 2 0 1 10\n2 1 2 0 1 10 20\n3 2 2 3 1 10 20 7\n"
                  "4 4 2 7 1 10 20 1000000 7\n5 4 4 9 2 1 -1 20 1000000 7 9\n$EndElements\n"
                  "$NodeData\n1\n\"a view\"\n1\n0.0\n3\n0\n1\n1\n10 0.5\n$EndNodeData\n",
                  &report);
    check_pair(mesh, 7, 9);
    CHECK(strcmp(report.format, "Gmsh 2.2, text") == 0 && report.nodeCount == 6 && report.elementCount == 5);
    CHECK(report.pointElementCount == 1 && report.lineElementCount == 1 && report.surfaceElementCount == 1);
    CHECK(report.unusedNodeCount == 1 && report.turnedElementCount == 0 && report.splitElementCount == 0);
    lbDestroyTetMesh(mesh);
}

static const double pairPoints[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static Bytes gmsh2_binary(bool bigEndian) {
    static Bytes bytes;
    bytes = (Bytes){.bigEndian = bigEndian};
    put_text(&bytes, "$MeshFormat\n2.2 1 8\n");
    put_integer(&bytes, 1, 4);
    put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n5\n");
    for (int i = 0; i < 5; ++i) {
        put_integer(&bytes, i + 1, 4);
        for (int k = 0; k < 3; ++k) {
            put_double(&bytes, pairPoints[i][k]);
        }
    }
    put_text(&bytes, "\n$EndNodes\n$Elements\n3\n");
    put_integers(&bytes, 4, (int64_t[]){2, 1, 2, /**/ 1, 0, 1, 1, 2, 3}, 9);
    put_integers(&bytes, 4, (int64_t[]){4, 2, 2, /**/ 2, 0, 5, 1, 2, 3, 4, /**/ 3, 0, 6, 2, 3, 4, 5}, 17);
    put_text(&bytes, "\n$EndElements\n");
    return bytes;
}

TEST(Gmsh2BinaryOfBothByteOrdersIsRead) {
    for (int big = 0; big < 2; ++big) {
        lbTetMeshFileReport report;
        Bytes bytes = gmsh2_binary(big);
        lbTetMesh* mesh = load_bytes("gmsh2b.msh", bytes.data, bytes.size, &report);
        check_pair(mesh, 5, 6); /* no groups: the volumes of the model are the regions */
        CHECK(report.surfaceElementCount == 1);
        lbDestroyTetMesh(mesh);
    }
}

TEST(Gmsh4TextWithEntitiesAndParametersIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("gmsh4.msh",
                  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 4 \"inside\"\n$EndPhysicalNames\n"
                  "$Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n1 0 0 0 1 1 1 1 3 1 1\n"
                  "5 0 0 0 1 1 1 2 4 11 2 1 -1\n6 0 0 0 1 1 1 0 0\n$EndEntities\n"
                  "$Nodes\n4 5 3 90\n0 1 0 1\n3\n0 0 0\n1 1 1 1\n4\n1 0 0 0.5\n2 1 1 2\n90\n50\n0 1 0 0.5 0.5\n"
                  "0 0 1 0.25 1\n3 5 0 1\n60\n1 1 1\n$EndNodes\n"
                  "$Elements\n4 4 1 9\n0 1 15 1\n1 3\n2 1 2 1\n2 3 4 90\n3 5 4 1\n7 3 4 90 50\n3 6 4 1\n9 4 90 50 60\n"
                  "$EndElements\n$Periodic\n0\n$EndPeriodic\n",
                  &report);
    check_pair(mesh, 4, 0); /* groups are the regions; the second volume is in none */
    CHECK(report.pointElementCount == 1 && report.surfaceElementCount == 1 && report.elementCount == 4);
    CHECK(strcmp(report.format, "Gmsh 4.1, text") == 0);
    lbDestroyTetMesh(mesh);
}

TEST(Gmsh4BinaryOfBothByteOrdersAndSizesIsRead) {
    for (int which = 0; which < 4; ++which) {
        int size = which & 1 ? 8 : 4;
        Bytes bytes = {.bigEndian = which & 2};
        put_text(&bytes, size == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n");
        put_integer(&bytes, 1, 4);
        put_text(&bytes, "\n$EndMeshFormat\n$Nodes\n");
        put_integers(&bytes, size, (int64_t[]){1, 5, 1, 5}, 4);
        put_integers(&bytes, 4, (int64_t[]){3, 1, 0}, 3);
        put_integers(&bytes, size, (int64_t[]){5, /**/ 1, 2, 3, 4, 5}, 6);
        for (int i = 0; i < 15; ++i) {
            put_double(&bytes, pairPoints[i / 3][i % 3]);
        }
        put_text(&bytes, "\n$EndNodes\n$Unknown\n\1\2$\3\n$EndUnknown\n$Elements\n");
        put_integers(&bytes, size, (int64_t[]){1, 2, 1, 2}, 4);
        put_integers(&bytes, 4, (int64_t[]){3, 1, 4}, 3);
        put_integers(&bytes, size, (int64_t[]){2, /**/ 1, 1, 2, 3, 4, /**/ 2, 2, 3, 4, 5}, 11);
        put_text(&bytes, "\n$EndElements\n");
        lbTetMesh* mesh = load_bytes("gmsh4b.msh", bytes.data, bytes.size, NULL);
        check_pair(mesh, 0, 0);
        lbDestroyTetMesh(mesh);
    }
}

TEST(ElementsOfHigherOrderAreReducedToTheirCorners) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh = load_text("order2.msh",
                                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n14\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                                "5 1 1 1\n6 .5 0 0\n7 .5 .5 0\n8 0 .5 0\n9 0 0 .5\n10 0 .5 .5\n11 .5 0 .5\n12 1 .5 .5\n"
                                "13 .5 1 .5\n14 .5 .5 1\n$EndNodes\n$Elements\n2\n"
                                "1 11 2 0 1 1 2 3 4 6 7 8 9 10 11\n2 11 2 0 1 2 3 4 5 7 10 11 12 14 13\n$EndElements\n",
                                &report);
    check_pair(mesh, 0, 0);
    CHECK(report.reducedElementCount == 2 && report.unusedNodeCount == 9);
    lbDestroyTetMesh(mesh);
}

/* ---- TetGen ------------------------------------------------------------------------------------------------------ */

TEST(TetGenCountsFromZeroOrOneAndHasCommentsAttributesAndMarkers) {
    lbTetMesh* mesh = NULL;
    write_text("from1.node",
               "# nodes\n5 3 1 1\n  1 0 0 0 0.5 1\n2 1 0 0 0.5 1 # a comment\n3 0 1 0 0 0\n\n4 0 0 1 0 0\n"
               "5 1 1 1 0 0\n# Generated by tetgen\n");
    write_text("from1.ele", "2 4 1\n1 1 2 3 4 -3\n2 2 3 4 5 17\n");
    CHECK_OK(lbLoadTetMesh(file_path("from1.node"), NULL, &mesh, NULL));
    check_pair(mesh, -3, 17);
    lbDestroyTetMesh(mesh);
    CHECK_OK(lbLoadTetMesh(file_path("from1.ele"), NULL, &mesh, NULL));
    check_pair(mesh, -3, 17);
    lbDestroyTetMesh(mesh);
    write_text("from0.node", "5\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n");
    write_text("from0.ele", "2 10 0\n0 0 1 2 3 0 0 0 0 0 0\n1 1 2 3 4 0 0 0 0 0 0\n");
    lbTetMeshFileReport report;
    CHECK_OK(lbLoadTetMesh(file_path("from0.ele"), NULL, &mesh, &report));
    check_pair(mesh, 0, 0);
    CHECK(report.reducedElementCount == 2);
    lbDestroyTetMesh(mesh);
}

/* ---- Medit ------------------------------------------------------------------------------------------------------- */

TEST(MeditTextWithOtherSectionsIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh = load_text("medit.mesh",
                                " MeshVersionFormatted 2 # a comment\n\n Dimension\n 3\nIdentifier \"one two 3\"\n"
                                "Vertices 5\n0 0 0 1\n1.D0 0 0 1\n0 1d0 0 1\n0 0 1 1\n1 1 1 1\nEdges\n1\n1 2 0\n"
                                "RequiredVertices\n2\n1 2\nTriangles\n2\n1 2 3 1\n1 2 4 1\nNormals\n1\n0. 0. -1.\n"
                                "tetrahedra\n2\n1 2 3 4 3\n2 3 4 5 -4\nCorners\n1\n1\nEnd\nwhat follows\n",
                                &report);
    check_pair(mesh, 3, -4);
    CHECK(report.lineElementCount == 1 && report.surfaceElementCount == 2 && report.elementCount == 5);
    lbDestroyTetMesh(mesh);
}

/* Where the next section is, is filled in once it is known. */
static void put_section(Bytes* bytes, int code, int version, const Bytes* contents) {
    int placeBytes = version >= 3 ? 8 : 4;
    put_integer(bytes, code, 4);
    put_integer(bytes, (int64_t)(bytes->size + (size_t)placeBytes + contents->size), placeBytes);
    put_raw(bytes, contents->data, contents->size);
}

static Bytes medit_binary(int version, bool bigEndian) {
    static Bytes bytes;
    int integerBytes = version == 4 ? 8 : 4;
    Bytes dimension = {.bigEndian = bigEndian}, unknown = dimension, vertices = dimension, tets = dimension;
    bytes = (Bytes){.bigEndian = bigEndian};
    put_integers(&bytes, 4, (int64_t[]){1, version}, 2);
    put_integer(&dimension, 3, 4);
    put_section(&bytes, 3, version, &dimension);
    put_text(&unknown, "unknown");
    put_section(&bytes, 77, version, &unknown);
    put_integer(&vertices, 5, integerBytes);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (version == 1) {
                put_float(&vertices, (float)pairPoints[i][k]);
            } else {
                put_double(&vertices, pairPoints[i][k]);
            }
        }
        put_integer(&vertices, 0, integerBytes);
    }
    put_section(&bytes, 4, version, &vertices);
    put_integers(&tets, integerBytes, (int64_t[]){2, /**/ 1, 2, 3, 4, 8, /**/ 2, 3, 4, 5, 9}, 11);
    put_section(&bytes, 8, version, &tets);
    put_integers(&bytes, 4, (int64_t[]){54, 0, 0}, version >= 3 ? 3 : 2);
    return bytes;
}

TEST(MeditBinaryOfAllVersionsAndBothByteOrdersIsRead) {
    for (int version = 1; version <= 4; ++version) {
        for (int big = 0; big < 2; ++big) {
            Bytes bytes = medit_binary(version, big);
            lbTetMesh* mesh = load_bytes("medit.meshb", bytes.data, bytes.size, NULL);
            check_pair(mesh, 8, 9);
            lbDestroyTetMesh(mesh);
        }
    }
}

/* ---- VTK --------------------------------------------------------------------------------------------------------- */

TEST(OldVtkTextWithDataIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("old.vtk",
                  "# vtk DataFile Version 2.0\nany title, \\even this\\\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                  "FIELD FieldData 2\nTIME 1 1 double\n0.5\nname 1 1 string\ntwo words\nPOINTS 5 float\n0 0 0 1 0 0\n0 "
                  "1 0 0 0 1 1 1 1\n"
                  "CELLS 3 14\n4 0 1 2 3\n3 0 1\n2\n4 1 2 3 4\nCELL_TYPES 3\n10\n5\n10\n"
                  "POINT_DATA 5\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nSCALARS region int 1\nLOOKUP_TABLE "
                  "mine\n9 9 9 9 9\n"
                  "LOOKUP_TABLE mine 1\n0.5 0.5 0.5 1\nCELL_DATA 3\nCOLOR_SCALARS c 2\n0 1 0 1 0 1\nTENSORS t float\n"
                  "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nSCALARS material float\nLOOKUP_TABLE "
                  "default\n4 5 6.0\n",
                  &report);
    check_pair(mesh, 4, 6);
    CHECK(strcmp(report.format, "VTK, text") == 0 && report.surfaceElementCount == 1);
    lbDestroyTetMesh(mesh);
}

TEST(NewVtkTextWithOffsetsAndMetadataIsRead) {
    lbTetMesh* mesh =
        load_text("new.vtk",
                  "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                  "0 0 0 1 0 0 0 1 0 \n0 0 1 1 1 1 \nMETADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION "
                  "vtkDataArray\nDATA 2 0 1.7 \n\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8 \nCONNECTIVITY "
                  "vtktypeint64\n0 1 2 3 1 2 3 4 \n\nCELL_TYPES 2\n10\n10\n\nCELL_DATA 2\nFIELD FieldData 2\n"
                  "other 2 2 double\n1 2 3 4 \nMETADATA\nINFORMATION 0\n\nregion 1 2 vtktypeint64\n12 13 \n"
                  "METADATA\nINFORMATION 0\n\n",
                  NULL);
    check_pair(mesh, 12, 13);
    lbDestroyTetMesh(mesh);
}

TEST(VtkBinaryIsRead) {
    Bytes bytes = {.bigEndian = true};
    put_text(&bytes, "# vtk DataFile Version 4.2\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    for (int i = 0; i < 15; ++i) {
        put_float(&bytes, (float)pairPoints[i / 3][i % 3]);
    }
    put_text(&bytes, "\nMETADATA\nINFORMATION 0\n\nCELLS 2 10\n");
    put_integers(&bytes, 4, (int64_t[]){4, 0, 1, 2, 3, 4, 1, 2, 3, 4}, 10);
    put_text(&bytes, "\nCELL_TYPES 2\n");
    put_integers(&bytes, 4, (int64_t[]){10, 10}, 2);
    put_text(&bytes, "\nCELL_DATA 2\nFIELD FieldData 3\nnames 1 2 string\n");
    put_raw(&bytes, "\303abc\202\0x", 4); /* a length in one byte */
    put_raw(&bytes, "\200\002", 2);       /* a length in two */
    put_text(&bytes, "yz\nflags 1 2 bit\n");
    put_integer(&bytes, 0xc0, 1);
    put_text(&bytes, "\nregion 1 2 unsigned_char\n");
    put_integers(&bytes, 1, (int64_t[]){3, 200}, 2);
    put_text(&bytes, "\n");
    lbTetMesh* mesh = load_bytes("binary.vtk", bytes.data, bytes.size, NULL);
    check_pair(mesh, 3, 200);
    lbDestroyTetMesh(mesh);
}

#define VTU_HEAD(attributes)                                                                                           \
    "<?xml version=\"1.0\"?>\n<!-- a < comment > -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" " attributes  \
    ">\n"                                                                                                              \
    "<UnstructuredGrid>\n<Piece NumberOfPoints=\"5\" NumberOfCells='2'>\n"
#define VTU_TAIL "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"

TEST(VtuTextInTwoPiecesIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh = load_text(
        "text.vtu",
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece "
        "NumberOfPoints=\"4\" "
        "NumberOfCells=\"1\">\n<PointData Scalars=\"region\">\n<DataArray type=\"Int32\" Name=\"region\" "
        "format=\"ascii\">1 2 "
        "3 4</DataArray>\n</PointData>\n<Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
        "format=\"ascii\">\n<InformationKey name=\"L2\" location=\"x\" length=\"1\"><Value index=\"0\">5</Value>"
        "</InformationKey>\n0 0 0 1 0 0 0 1 0 0 0 1\n</DataArray></Points>\n<Cells>\n<DataArray type=\"Int64\" "
        "Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" "
        "format=\"ascii\"> 4 </DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray>\n"
        "</Cells>\n</Piece>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<Points><DataArray type=\"Float32\" "
        "NumberOfComponents=\"3\" format=\"ascii\">10 0 0 11 0 0 10 1 0 10 0 "
        "1</DataArray></Points>\n<Cells>\n<DataArray "
        "type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n<DataArray type=\"Int32\" "
        "Name=\"offsets\" format=\"ascii\">4</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" "
        "format=\"ascii\">10</DataArray>\n</Cells>\n<CellData><DataArray type=\"Float64\" Name=\"RegionId\" "
        "format=\"ascii\">6</DataArray></CellData></Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
        &report);
    CHECK(mesh != NULL);
    if (mesh != NULL) {
        CHECK(lbTetMesh_GetPointCount(mesh) == 8 && lbTetMesh_GetTetCount(mesh) == 2);
        CHECK(lbTetMesh_GetRegions(mesh) != NULL && lbTetMesh_GetRegions(mesh)[0] == 0 &&
              lbTetMesh_GetRegions(mesh)[1] == 6);
        CHECK(lbTetMesh_GetPoints(mesh)[3 * 4] == 10 && lbTetMesh_GetTets(mesh)[4] == 4);
    }
    lbDestroyTetMesh(mesh);
}

#define VTU_ARRAY(attributes, data) "<DataArray " attributes " format=\"binary\">\n  " data "\n</DataArray>\n"

TEST(VtuInBase64IsRead) {
    lbTetMesh* mesh = load_text(
        "base64.vtu",
        VTU_HEAD("byte_order=\"LittleEndian\"") "<Points>" VTU_ARRAY(
            "type=\"Float64\" NumberOfComponents=\"3\"",

            "eAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA8D8AAAAAAAAA\n"
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAADwPwAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPw==") "</Points>\n<Cells>\n" VTU_ARRAY("t"
                                                                                                                     "y"
                                                                                                                     "p"
                                                                                                                     "e"
                                                                                                                     "="
                                                                                                                     "\"I"
                                                                                                                     "n"
                                                                                                                     "t"
                                                                                                                     "3"
                                                                                                                     "2"
                                                                                                                     "\""
                                                                                                                     " "
                                                                                                                     "N"
                                                                                                                     "a"
                                                                                                                     "m"
                                                                                                                     "e"
                                                                                                                     "="
                                                                                                                     "\"c"
                                                                                                                     "o"
                                                                                                                     "n"
                                                                                                                     "n"
                                                                                                                     "e"
                                                                                                                     "c"
                                                                                                                     "t"
                                                                                                                     "i"
                                                                                                                     "v"
                                                                                                                     "i"
                                                                                                                     "t"
                                                                                                                     "y"
                                                                                                                     "\"",
                                                                                                                     "I"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "B"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "g"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "M"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "B"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "g"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "M"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "E"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A"
                                                                                                                     "A")
            VTU_ARRAY("type=\"Int32\" Name=\"offsets\"", "CAAAAAQAAAAIAAAA")
                VTU_ARRAY("type=\"UInt8\" Name=\"types\"", "AgAAAAoK") "</Cells>\n<CellData>" VTU_ARRAY(
                    "type=\"Int32\" Name=\"gmsh:physical\"", "CAAAAAMAAADIAAAA") "</CellData>\n" VTU_TAIL,
        NULL);
    check_pair(mesh, 3, 200);
    lbDestroyTetMesh(mesh);
}

TEST(VtuPackedByZlibIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh = load_text(
        "packed.vtu",
        VTU_HEAD("byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"") "<Points>" VTU_ARRAY(
            "type=\"Float64\" NumberOfComponents=\"3\"", "AgAAAEAAAAA4AAAAEQAAAA8AAAA=eNpjYMAHPtgzEJAHACpeAl942mNgwAc+"
                                                         "2OOiAUGEBL0=") "</Points>\n<Cells>\n" VTU_ARRAY("type="
                                                                                                          "\"Int32\" "
                                                                                                          "Name="
                                                                                                          "\"connectivi"
                                                                                                          "ty\"",
                                                                                                          "AQAAAEAAAAAg"
                                                                                                          "AAAAFgAAAA=="
                                                                                                          "eNpjYGBgYARi"
                                                                                                          "JiBmRmOzADEA"
                                                                                                          "APgAEQ==")
            VTU_ARRAY("type=\"Int32\" Name=\"offsets\"", "AQAAAEAAAAAIAAAADgAAAA==eNpjYWBg4ABiAABIAA0=") VTU_ARRAY(
                "type=\"UInt8\" Name=\"types\"",
                "AQAAAEAAAAACAAAACgAAAA==eNrj4gIAACAAFQ==") "</Cells>\n<CellData>" VTU_ARRAY("type=\"Int32\" "
                                                                                             "Name="
                                                                                             "\"region\"",
                                                                                             "AQAAAEAAAAAIAAA"
                                                                                             "ADgAAAA=="
                                                                                             "eNpjZmBgOAHEAAN"
                                                                                             "AAMw=") "</"
                                                                                                      "CellDa"
                                                                                                      "ta>"
                                                                                                      "\n" VTU_TAIL,
        &report);
    check_pair(mesh, 3, 200);
    CHECK(strcmp(report.format, "VTU, inline, packed") == 0);
    lbDestroyTetMesh(mesh);
}

TEST(VtuAppendedRawOfBothByteOrdersIsRead) {
    for (int big = 0; big < 2; ++big) {
        Bytes bytes = {.bigEndian = big};
        put_text(&bytes, big ? VTU_HEAD("byte_order=\"BigEndian\" header_type=\"UInt64\"")
                             : VTU_HEAD("byte_order=\"LittleEndian\" header_type=\"UInt64\""));
        put_text(&bytes,
                 "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>"
                 "</Points>\n<Cells>\n<DataArray type=\"UInt8\" Name=\"connectivity\" format=\"appended\" "
                 "offset=\"128\"/>\n<DataArray type=\"UInt16\" Name=\"offsets\" format=\"appended\" "
                 "offset=\"144\"/>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"156\"/>\n"
                 "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n _");
        put_integer(&bytes, 120, 8);
        for (int i = 0; i < 15; ++i) {
            put_double(&bytes, pairPoints[i / 3][i % 3]);
        }
        put_integer(&bytes, 8, 8);
        put_integers(&bytes, 1, (int64_t[]){0, 1, 2, 3, 1, 2, 3, 4}, 8);
        put_integer(&bytes, 4, 8);
        put_integers(&bytes, 2, (int64_t[]){4, 8}, 2);
        put_integer(&bytes, 2, 8);
        put_integers(&bytes, 1, (int64_t[]){10, 10}, 2);
        put_text(&bytes, "\n</AppendedData>\n</VTKFile>\n");
        lbTetMesh* mesh = load_bytes("appended.vtu", bytes.data, bytes.size, NULL);
        check_pair(mesh, 0, 0);
        lbDestroyTetMesh(mesh);
    }
}

/* What zlib and LZ4 make of 600 bytes that anyone can make again. */
TEST(PackedBytesAreUnpackedExactlyOrRefused) {
    static const unsigned char dynamic[] = {0x78, 0xda, 0xed, 0xd0, 0xb9, 0x01, 0xc0, 0x30, 0x08, 0x03, 0x40, 0x90,
                                            0x04, 0xc6, 0x4f, 0xb2, 0xff, 0xb8, 0x5e, 0x21, 0x0d, 0x5d, 0xca, 0x6b,
                                            0xcf, 0x20, 0x06, 0x9c, 0x21, 0x27, 0x94, 0xd6, 0x42, 0x69, 0x2c, 0x63,
                                            0xe6, 0x04, 0xa2, 0xaa, 0x87, 0x1c, 0xfb, 0x78, 0xe4, 0x7a, 0x4d, 0x35,
                                            0x9f, 0x1e, 0xfe, 0x57, 0x9f, 0x79, 0x01, 0x81, 0x18, 0x0b, 0xb9};
    static const unsigned char fixed[] = {0x78, 0x01, 0x63, 0x60, 0x62, 0x61, 0x66, 0x65, 0x62, 0x64, 0x66, 0x65, 0x61,
                                          0x64, 0x66, 0x62, 0x61, 0x63, 0xa0, 0x09, 0x97, 0x85, 0x85, 0x9d, 0x8b, 0x81,
                                          0x99, 0x8d, 0x8d, 0x93, 0x89, 0x89, 0x95, 0x83, 0x83, 0x36, 0x5c, 0x66, 0x76,
                                          0x6e, 0x1e, 0x46, 0x56, 0x36, 0x2e, 0x3e, 0x06, 0x16, 0x0e, 0x4e, 0x5e, 0xda,
                                          0x70, 0x47, 0xc3, 0x8a, 0x68, 0x2e, 0x00, 0x81, 0x18, 0x0b, 0xb9};
    static const unsigned char lz4[] = {
        0xff, 0x00, 0x00, 0x02, 0x04, 0x03, 0x05, 0x02, 0x01, 0x03, 0x05, 0x04, 0x01, 0x03, 0x02, 0x04, 0x06,
        0x0f, 0x00, 0x43, 0xef, 0x04, 0x04, 0x07, 0x0a, 0x00, 0x03, 0x06, 0x06, 0x09, 0x02, 0x02, 0x05, 0x08,
        0x08, 0x0f, 0x00, 0x43, 0xef, 0x03, 0x07, 0x0b, 0x0c, 0x01, 0x05, 0x06, 0x0a, 0x0e, 0x00, 0x04, 0x08,
        0x09, 0x0d, 0x0f, 0x00, 0x43, 0x0f, 0x2c, 0x01, 0xff, 0x14, 0x50, 0x01, 0x05, 0x06, 0x0a, 0x0e};
    static unsigned char stored[600 + 11] = {
        0x78, 0x01, 0x01, 600 & 0xff, 600 >> 8, 0xff ^ (600 & 0xff), 0xff ^ (600 >> 8)};
    unsigned char made[600], out[601];
    for (int i = 0; i < 600; ++i) {
        made[i] = (unsigned char)((i % 5) * (1 + (i / 100) % 3) + i % 3);
    }
    memcpy(stored + 7, made, 600);
    memcpy(stored + 607, dynamic + sizeof(dynamic) - 4, 4); /* the same checksum */
    const struct {
        lbUnpackFn* unpack;
        const unsigned char* packed;
        size_t size;
    } cases[] = {{lb_inflate, dynamic, sizeof(dynamic)},
                 {lb_inflate, fixed, sizeof(fixed)},
                 {lb_inflate, stored, sizeof(stored)},
                 {lb_unpack_lz4, lz4, sizeof(lz4)}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        memset(out, 0xee, sizeof(out));
        CHECK(cases[i].unpack(cases[i].packed, cases[i].size, out, 600));
        CHECK(memcmp(out, made, 600) == 0 && out[600] == 0xee);
        CHECK(!cases[i].unpack(cases[i].packed, cases[i].size, out, 599));
        CHECK(!cases[i].unpack(cases[i].packed, cases[i].size, out, 601));
        for (size_t size = 0; size < cases[i].size; ++size) {
            CHECK(!cases[i].unpack(cases[i].packed, size, out, 600));
        }
    }
    stored[100] ^= 1;
    CHECK(!lb_inflate(stored, sizeof(stored), out, 600));
}

/* ---- Abaqus ------------------------------------------------------------------------------------------------------ */

TEST(AbaqusInAnyCaseWithContinuationsAndSetsIsRead) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("flat.inp",
                  "*Heading\n a title, with *stars*\n** a comment\n*node, nset=All\n 10, 0., 0.\n20, 1.,\n"
                  "  30, 0., 1.0E+00, 0.\n40, , , 1.D0\n50, 1, 1, 1\n99, 7, 7, 7\n"
                  "*ELEMENT, elset=EALL,\n type=C3D4\n5, 10, 20, 30, 40\n*Element, Type=S3R, ELSET=SKIN\n"
                  "1, 10, 20, 30\n2, 20, 30, 40\n*element, type=t3d2\n3, 10, 20\n"
                  "*ELEMENT, TYPE=C3D10M, ELSET=\"Big one\"\n7, 20, 30, 40, 50, 99, 99, 99,\n99, 99, 99\n"
                  "*NSET, NSET=X, GENERATE\n1, 5, 1\n*MATERIAL, NAME=M\n*ELASTIC\n1E6, 0.3\n"
                  "*STEP\n*STATIC\n*END STEP\n",
                  &report);
    check_pair(mesh, 1, 2);
    CHECK(report.surfaceElementCount == 2 && report.lineElementCount == 1 && report.reducedElementCount == 1);
    CHECK(report.unusedNodeCount == 1);
    lbDestroyTetMesh(mesh);
}

TEST(AbaqusPartsWithSectionsAreRead) {
    lbTetMesh* mesh =
        load_text("part.inp",
                  "*Part, name=P\n*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
                  "*Element, type=C3D4\n1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n*Elset, elset=Second, generate\n2, 40, 2\n"
                  "*Elset, elset=Both\nOther, second\n*Elset, elset=Other\n1\n"
                  "** Section: a\n*Solid Section, elset=both, material=a\n,\n"
                  "*Solid Section, elset=SECOND, material=b\n,\n*End Part\n"
                  "*Assembly, name=A\n*Instance, name=P-1, part=P\n*End Instance\n*Node\n1, 9, 9, 9\n"
                  "*Elset, elset=Both, instance=P-1\n1\n*End Assembly\n*Material, name=a\n",
                  NULL);
    check_pair(mesh, 1, 2);
    lbDestroyTetMesh(mesh);
}

/* ---- Vega -------------------------------------------------------------------------------------------------------- */

TEST(VegaWithSetsAndRegionsIsRead) {
    lbTetMesh* mesh = load_text("vega.veg",
                                "# Vega mesh\n*VERTICES\n5 3 0 0\n0 0 0 0\n1, 1, 0, 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n\n"
                                "*ELEMENTS\nTETS\n2 4 0\n0 0 1 2 3\n1 1 2 3 4\n\n*MATERIAL soft\nENU, 1000, 1E6, 0.4\n"
                                "*MATERIAL hard\nENU, 1000, 1E7, 0.4\n*SET upper\n1,\n\n*REGION\nallElements, soft\n"
                                "*REGION\nupper, hard\n",
                                NULL);
    check_pair(mesh, 0, 1);
    lbDestroyTetMesh(mesh);
}

TEST(VegaIncludesFilesBesideIt) {
    write_text("inside.node", "# nodes\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
    write_text("inside.ele", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n");
    lbTetMesh* mesh = load_text("include.veg",
                                "*VERTICES\n*INCLUDE inside.node\n*ELEMENTS\nTET\n*INCLUDE inside.ele\n*REGION\n"
                                "allElements, any\n",
                                NULL);
    check_pair(mesh, 0, 0);
    lbDestroyTetMesh(mesh);
}

TEST(VegaCubesAreCut) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("cube.veg",
                  "*VERTICES\n8 3\n1 0 0 0\n2 2 0 0\n3 2 2 0\n4 0 2 0\n5 0 0 2\n6 2 0 2\n7 2 2 2\n8 0 2 2\n"
                  "*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 6 7 8\n",
                  &report);
    CHECK(mesh != NULL && lbTetMesh_GetTetCount(mesh) == 6 && report.splitElementCount == 1);
    CHECK(mesh != NULL && fabs(mesh_volume(mesh) - 8) < 1e-12);
    lbDestroyTetMesh(mesh);
}

/* ---- Cutting ----------------------------------------------------------------------------------------------------- */

static uint64_t state = 7;
static int random_below(int limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)limit);
}

/* Numbers 1 to count in any order. */
static void shuffle(int* numbers, int count) {
    for (int i = 0; i < count; ++i) {
        int j = random_below(i + 1);
        numbers[i] = numbers[j];
        numbers[j] = i + 1;
    }
}

/* Eight cubes of a grid of 3 x 3 x 3 points, some whole, some in two prisms, some in six pyramids around their middle:
 * the surface has 48 triangles if and only if all diagonals meet. */
static lbTetMesh* load_mixed_grid(int kinds[8]) {
    static const int corner[8] = {0, 1, 4, 3, 9, 10, 13, 12};
    static const int base[8] = {0, 1, 3, 4, 9, 10, 12, 13};
    static const int prisms[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    static const int faces[6][4] = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
    static char text[32768];
    int numbers[35], count = 0;
    size_t used = 0;
    char elements[16384];
    shuffle(numbers, 35);
    used += (size_t)snprintf(text, sizeof(text), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n35\n");
    for (int i = 0; i < 35; ++i) {
        double x = i % 3, y = i / 3 % 3, z = i / 9;
        if (i >= 27) {
            x = (i - 27) % 2 + 0.5, y = (i - 27) / 2 % 2 + 0.5, z = (i - 27) / 4 + 0.5;
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%d %g %g %g\n", numbers[i], x, y, z);
    }
    size_t at = 0;
    for (int cube = 0; cube < 8; ++cube) {
        int partCount = kinds[cube] == 0 ? 1 : kinds[cube] == 1 ? 2 : 6;
        for (int part = 0; part < partCount; ++part) {
            int type = kinds[cube] == 0 ? 5 : kinds[cube] == 1 ? 6 : 7, size = type == 5 ? 8 : type == 6 ? 6 : 5;
            at += (size_t)snprintf(elements + at, sizeof(elements) - at, "%d %d 0", ++count, type);
            for (int k = 0; k < size; ++k) {
                int local = type == 5 ? k : type == 6 ? prisms[part][k] : k < 4 ? faces[part][k] : -1;
                int node = local >= 0 ? base[cube] + corner[local] : 27 + cube;
                at += (size_t)snprintf(elements + at, sizeof(elements) - at, " %d", numbers[node]);
            }
            at += (size_t)snprintf(elements + at, sizeof(elements) - at, "\n");
        }
    }
    snprintf(text + used, sizeof(text) - used, "$EndNodes\n$Elements\n%d\n%s$EndElements\n", count, elements);
    return load_text("mixed.msh", text, NULL);
}

TEST(CutElementsMeetWhateverTheirNumbers) {
    for (int trial = 0; trial < 60; ++trial) {
        int kinds[8] = {0}, tetCount = 0;
        for (int i = 0; i < 8 && trial >= 20; ++i) {
            kinds[i] = random_below(3);
        }
        for (int i = 0; i < 4; ++i) { /* the triangles of prisms meet those of other prisms only */
            kinds[i] = kinds[i + 4] == 1 ? 1 : kinds[i];
            kinds[i + 4] = kinds[i] == 1 ? 1 : kinds[i + 4];
        }
        for (int i = 0; i < 8; ++i) {
            tetCount += kinds[i] < 2 ? 6 : 12;
        }
        lbTetMesh* mesh = load_mixed_grid(kinds);
        lbShape* surface = NULL;
        CHECK(mesh != NULL);
        if (mesh != NULL) {
            CHECK(lbTetMesh_GetTetCount(mesh) == tetCount);
            CHECK(fabs(mesh_volume(mesh) - 8) < 1e-12);
            CHECK_OK(lbTetMesh_MakeSurface(mesh, &surface));
            CHECK(surface != NULL && lbShape_GetTriangleCount(surface) == 48);
        }
        lbDestroyShape(surface);
        lbDestroyTetMesh(mesh);
    }
}

TEST(AHexahedronShrunkToAPrismIsCutAsOne) {
    lbTetMesh* mesh = load_text("shrunk.inp",
                                "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n5,0,0,1\n6,1,0,1\n7,0,1,1\n"
                                "*ELEMENT,TYPE=C3D8R\n1, 1,2,3,3, 5,6,7,7\n",
                                NULL);
    CHECK(mesh != NULL && lbTetMesh_GetTetCount(mesh) == 3 && fabs(mesh_volume(mesh) - 0.5) < 1e-14);
    lbDestroyTetMesh(mesh);
}

/* ---- Turned and left out ----------------------------------------------------------------------------------------- */

TEST(ElementsThatRunTheWrongWayRoundAreTurnedAndCounted) {
    lbTetMeshFileReport report;
    lbTetMesh* mesh =
        load_text("turned.vtk",
                  "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                  "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 3 2\n4 1 2 3 4\nCELL_TYPES 2\n10 10\n",
                  &report);
    check_pair(mesh, 0, 0);
    CHECK(report.turnedElementCount == 1);
    lbDestroyTetMesh(mesh);
}

TEST(BadElementsAreLeftOutWhereThatIsAsked) {
    write_text("bad.node", "6 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 1 1 0\n");
    write_text("bad.ele", "5 4\n1 1 2 3 4\n2 1 2 3 6\n3 2 3 4 5\n4 4 3 2 5\n5 1 2 2 3\n");
    lbTetMesh* mesh = NULL;
    lbTetMeshFileReport report;
    lbTetMeshLoadDef def = lbDefaultTetMeshLoadDef();
    def.leaveOutBadElements = true;
    CHECK_OK(lbLoadTetMeshWith(file_path("bad.ele"), &def, &mesh, &report));
    check_pair(mesh, 0, 0);
    CHECK(report.flatElementCount == 2 && report.duplicateElementCount == 1 && report.unusedNodeCount == 1);
    CHECK(report.elementCount == 5);
    lbDestroyTetMesh(mesh);
    write_text("bad.ele", "1 4\n1 1 2 3 6\n");
    CHECK_FAILS(lbLoadTetMeshWith(file_path("bad.ele"), &def, &mesh, &report), lb_errorFormat,
                "bad.ele: no tetrahedron is left: all of its elements are bad");
}

TEST_MAIN(TEST_ENTRY(Gmsh2TextWithGroupsGapsAndOtherElementsIsRead), TEST_ENTRY(Gmsh2BinaryOfBothByteOrdersIsRead),
          TEST_ENTRY(Gmsh4TextWithEntitiesAndParametersIsRead), TEST_ENTRY(Gmsh4BinaryOfBothByteOrdersAndSizesIsRead),
          TEST_ENTRY(ElementsOfHigherOrderAreReducedToTheirCorners),
          TEST_ENTRY(TetGenCountsFromZeroOrOneAndHasCommentsAttributesAndMarkers),
          TEST_ENTRY(MeditTextWithOtherSectionsIsRead), TEST_ENTRY(MeditBinaryOfAllVersionsAndBothByteOrdersIsRead),
          TEST_ENTRY(OldVtkTextWithDataIsRead), TEST_ENTRY(NewVtkTextWithOffsetsAndMetadataIsRead),
          TEST_ENTRY(VtkBinaryIsRead), TEST_ENTRY(VtuTextInTwoPiecesIsRead), TEST_ENTRY(VtuInBase64IsRead),
          TEST_ENTRY(VtuPackedByZlibIsRead), TEST_ENTRY(VtuAppendedRawOfBothByteOrdersIsRead),
          TEST_ENTRY(PackedBytesAreUnpackedExactlyOrRefused), TEST_ENTRY(AbaqusInAnyCaseWithContinuationsAndSetsIsRead),
          TEST_ENTRY(AbaqusPartsWithSectionsAreRead), TEST_ENTRY(VegaWithSetsAndRegionsIsRead),
          TEST_ENTRY(VegaIncludesFilesBesideIt), TEST_ENTRY(VegaCubesAreCut),
          TEST_ENTRY(CutElementsMeetWhateverTheirNumbers), TEST_ENTRY(AHexahedronShrunkToAPrismIsCutAsOne),
          TEST_ENTRY(ElementsThatRunTheWrongWayRoundAreTurnedAndCounted),
          TEST_ENTRY(BadElementsAreLeftOutWhereThatIsAsked))
