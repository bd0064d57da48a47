/* VTK's old format and its XML. */
#include "fuzz_tets.h"

#include "mesh/files/unpack.h"

#define VTU(attributes, points, cells)                                                                                 \
    "<VTKFile type=\"UnstructuredGrid\" " attributes ">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" points          \
    "\" NumberOfCells=\"" cells "\">\n"
#define ARRAY(attributes, format, data) "<DataArray " attributes " format=\"" format "\">" data "</DataArray>\n"
#define PLACE(attributes, offset) "<DataArray " attributes " format=\"appended\" offset=\"" offset "\"/>\n"
#define FLOAT_0 "\0\0\0\0"
#define FLOAT_1 "\77\200\0\0"
#define LITTLE_1 "\0\0\200\77"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTIME 1 1 double\n0.5\n"
        "name 1 1 string\ntwo words\nPOINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 1 1 1\nCELLS 3 14\n4 0 1 2 3\n3 0 1\n2\n"
        "4 1 2 3 4\nCELL_TYPES 3\n10\n5\n10\nPOINT_DATA 5\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        "LOOKUP_TABLE mine 1\n0.5 0.5 0.5 1\nCELL_DATA 3\nCOLOR_SCALARS c 2\n0 1 0 1 0 1\nSCALARS material float\n"
        "LOOKUP_TABLE default\n4 5 6.0\n"),
    FUZZ_SEED(
        "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n0 0 0 1 0 0 0 1 0 "
        "1 1 0 "
        "0 0 1 1 0 1 0 1 1 1 1 1\nMETADATA\nINFORMATION 1\nDATA 2 0 1.7 \n\nCELLS 3 12\nOFFSETS vtktypeint64\n0 4 12 \n"
        "CONNECTIVITY vtktypeint64\n0 1 2 4 0 1 2 3 4 5 6 7 \n\nCELL_TYPES 2\n10\n11\n\nCELL_DATA 2\nFIELD FieldData "
        "1\n"
        "region 1 2 vtktypeint64\n12 13 \nMETADATA\nINFORMATION 0\n\n"),
    FUZZ_SEED("# vtk DataFile Version 4.2\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n" FLOAT_0 FLOAT_0
                  FLOAT_0 FLOAT_1 FLOAT_0 FLOAT_0 FLOAT_0 FLOAT_1 FLOAT_0 FLOAT_0 FLOAT_0 FLOAT_1
              "\nMETADATA\nINFORMATION 0\n\n"
              "CELLS 1 5\n\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\nCELL_TYPES 1\n\0\0\0\12\nCELL_DATA 1\nFIELD f 3\n"
              "names 1 1 string\n\303abc\nflags 1 1 bit\n\200\nregion 1 1 unsigned_char\n\310\n"),
    FUZZ_SEED("<?xml version=\"1.0\"?>\n<!-- c -->\n" VTU("", "4", "1") "<Points>" ARRAY(
        "type=\"Float32\" NumberOfComponents=\"3\"", "ascii",
        "0 0 0 1 0 0 0 1 0 0 0 1") "</Points>\n<Cells>" ARRAY("type=\"Int32\" Name=\"connectivity\"", "ascii",
                                                              "0 1 2 3")
                  ARRAY("type=\"Int32\" Name=\"offsets\"", "ascii", "4")
                      ARRAY("type=\"UInt8\" Name=\"types\"", "ascii",
                            "10") "</Cells></Piece>\n</UnstructuredGrid>\n</VTKFile>\n"),
    FUZZ_SEED(VTU("byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"", "5", "2") "<Points>" ARRAY(
        "type=\"Float64\" NumberOfComponents=\"3\"", "binary",
        "AgAAAEAAAAA4AAAAEQAAAA8AAAA=eNpjYMAHPtgzEJAHACpeAl942mNgwAc+2OOiAUGEBL0=") "</Points>\n<Cells>" ARRAY("type="
                                                                                                               "\"Int32"
                                                                                                               "\" "
                                                                                                               "Name="
                                                                                                               "\"conne"
                                                                                                               "ctivity"
                                                                                                               "\"",
                                                                                                               "binary",
                                                                                                               "AQAAAEA"
                                                                                                               "AAAAgAA"
                                                                                                               "AAFgAAA"
                                                                                                               "A=="
                                                                                                               "eNpjYGB"
                                                                                                               "gYARiJi"
                                                                                                               "BmRmOzA"
                                                                                                               "DEAAPgA"
                                                                                                               "EQ==")
                  ARRAY("type=\"Int32\" Name=\"offsets\"", "binary", "AQAAAEAAAAAIAAAADgAAAA==eNpjYWBg4ABiAABIAA0=")
                      ARRAY("type=\"UInt8\" Name=\"types\"", "binary",
                            "AQAAAEAAAAACAAAACgAAAA==eNrj4gIAACAAFQ==") "</Cells></Piece>\n</UnstructuredGrid>\n</"
                                                                        "VTKFile>\n"),
    FUZZ_SEED(VTU("byte_order=\"LittleEndian\"", "4",
                  "1") "<Points>" PLACE("type=\"Float32\" NumberOfComponents=\"3\"",
                                        "0") "</Points><Cells>" PLACE("type=\"UInt8\" Name=\"connectivity\"", "52")
                  PLACE("type=\"UInt8\" Name=\"offsets\"", "60")
                      PLACE("type=\"UInt8\" Name=\"types\"",
                            "65") "</Cells></Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">_"
                                  "\60\0\0\0" FLOAT_0 FLOAT_0 FLOAT_0 LITTLE_1 FLOAT_0 FLOAT_0 FLOAT_0 LITTLE_1 FLOAT_0
                                      FLOAT_0 FLOAT_0 LITTLE_1
                                  "\4\0\0\0\0\1\2\3\1\0\0\0\4\1\0\0\0\12\n</AppendedData>\n</VTKFile>\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    bool isXml = size > 0 && data[0] == '<';
    fuzz_tets(isXml ? lb_parse_vtu : lb_parse_vtk, "fuzz.vtk", data, size, isXml ? 16 * lb_mostInflation : 0);
    return 0;
}
