/* VTK's old format (version 3.0, which every reader knows) and its XML. Regions become an array over the cells. */
#include "base/result.h"
#include "mesh/files/mesh_writer.h"
#include "mesh/files/vtk_grid.h"

#include <assert.h>

/* ---- The old format ---------------------------------------------------------------------------------------------- */

static void put_text(lbMeshWriter* out) {
    const lbTetMesh* mesh = out->mesh;
    for (int i = 0; i < mesh->pointCount; ++i) {
        lb_put_point(out, i, " ");
        lb_put(out, "\n");
    }
    lb_put(out, "CELLS %d %lld\n", mesh->tetCount, 5 * (long long)mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        lb_put(out, "4 ");
        lb_put_tet(out, i, 0, " ");
        lb_put(out, "\n");
    }
    lb_put(out, "CELL_TYPES %d\n", mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        lb_put(out, "%d\n", lb_vtkTet);
    }
}

static void put_binary(lbMeshWriter* out) {
    const lbTetMesh* mesh = out->mesh;
    out->bigEndian = true;
    for (size_t i = 0; i < 3 * (size_t)mesh->pointCount; ++i) {
        lb_put_double(out, mesh->points[i]);
    }
    lb_put(out, "\nCELLS %d %lld\n", mesh->tetCount, 5 * (long long)mesh->tetCount);
    for (size_t i = 0; i < 4 * (size_t)mesh->tetCount; ++i) {
        if (i % 4 == 0) {
            lb_put_int32(out, 4);
        }
        lb_put_int32(out, mesh->tets[i]);
    }
    lb_put(out, "\nCELL_TYPES %d\n", mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        lb_put_int32(out, lb_vtkTet);
    }
    lb_put(out, "\n");
}

static void put_regions(lbMeshWriter* out, bool binary) {
    const lbTetMesh* mesh = out->mesh;
    lb_put(out, "CELL_DATA %d\nSCALARS region int 1\nLOOKUP_TABLE default\n", mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        if (binary) {
            lb_put_int32(out, mesh->regions[i]);
        } else {
            lb_put(out, "%d\n", mesh->regions[i]);
        }
    }
    lb_put(out, binary ? "\n" : "");
}

lbResult lb_write_vtk_mesh(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    bool binary = def->encoding == lb_encodingBinary;
    lbMeshWriter out;
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lb_put(&out, "# vtk DataFile Version 3.0\ntetrahedra\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
           binary ? "BINARY" : "ASCII", mesh->pointCount);
    if (binary) {
        put_binary(&out);
    } else {
        put_text(&out);
    }
    if (mesh->regions != NULL) {
        put_regions(&out, binary);
    }
    return lb_finish_writing(&out);
}

/* ---- XML --------------------------------------------------------------------------------------------------------- */

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are appended as they are in memory");

typedef enum Array { arrayPoints, arrayConnectivity, arrayOffsets, arrayTypes, arrayRegions, arrayCount } Array;

typedef struct ArrayForm {
    const char *section, *attributes;
    int64_t valuesPerItem, valueBytes;
} ArrayForm;

static const ArrayForm forms[arrayCount] = {
    {"Points", "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", 3, 8},
    {"Cells", "type=\"Int32\" Name=\"connectivity\"", 4, 4},
    {"Cells", "type=\"Int64\" Name=\"offsets\"", 1, 8},
    {"Cells", "type=\"UInt8\" Name=\"types\"", 1, 1},
    {"CellData", "type=\"Int32\" Name=\"region\"", 1, 4},
};

static int64_t item_count(const lbTetMesh* mesh, int array) {
    return array == arrayPoints ? mesh->pointCount : mesh->tetCount;
}

static void put_array_text(lbMeshWriter* out, int array) {
    const lbTetMesh* mesh = out->mesh;
    for (int i = 0; i < item_count(mesh, array); ++i) {
        if (array == arrayPoints) {
            lb_put_point(out, i, " ");
        } else if (array == arrayConnectivity) {
            lb_put_tet(out, i, 0, " ");
        } else {
            lb_put(out, "%lld",
                   array == arrayOffsets ? 4 * (long long)i + 4
                   : array == arrayTypes ? lb_vtkTet
                                         : lb_region_of(mesh, i));
        }
        lb_put(out, "\n");
    }
}

static void put_array_bytes(lbMeshWriter* out, int array) {
    const lbTetMesh* mesh = out->mesh;
    int64_t count = item_count(mesh, array);
    lb_put_int64(out, count * forms[array].valuesPerItem * forms[array].valueBytes);
    for (int64_t i = 0; i < count * forms[array].valuesPerItem; ++i) {
        switch (array) {
        case arrayPoints:
            lb_put_double(out, mesh->points[i]);
            break;
        case arrayConnectivity:
            lb_put_int32(out, mesh->tets[i]);
            break;
        case arrayOffsets:
            lb_put_int64(out, 4 * i + 4);
            break;
        case arrayTypes:
            lb_put(out, "%c", lb_vtkTet);
            break;
        default:
            lb_put_int32(out, mesh->regions[i]);
            break;
        }
    }
}

static void put_arrays(lbMeshWriter* out, int count, bool binary) {
    int64_t offset = 0;
    for (int i = 0; i < count; ++i) {
        if (i == 0 || forms[i - 1].section != forms[i].section) {
            lb_put(out, "<%s>\n", forms[i].section);
        }
        if (binary) {
            lb_put(out, "<DataArray %s format=\"appended\" offset=\"%lld\"/>\n", forms[i].attributes,
                   (long long)offset);
            offset += 8 + item_count(out->mesh, i) * forms[i].valuesPerItem * forms[i].valueBytes;
        } else {
            lb_put(out, "<DataArray %s format=\"ascii\">\n", forms[i].attributes);
            put_array_text(out, i);
            lb_put(out, "</DataArray>\n");
        }
        if (i + 1 == count || forms[i + 1].section != forms[i].section) {
            lb_put(out, "</%s>\n", forms[i].section);
        }
    }
}

lbResult lb_write_vtu_mesh(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    bool binary = def->encoding != lb_encodingText;
    int count = mesh->regions != NULL ? arrayCount : arrayRegions;
    lbMeshWriter out;
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lb_put(&out,
           "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
           "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
           mesh->pointCount, mesh->tetCount);
    put_arrays(&out, count, binary);
    lb_put(&out, "</Piece>\n</UnstructuredGrid>\n");
    if (binary) {
        lb_put(&out, "<AppendedData encoding=\"raw\">\n_");
        for (int i = 0; i < count; ++i) {
            put_array_bytes(&out, i);
        }
        lb_put(&out, "\n</AppendedData>\n");
    }
    lb_put(&out, "</VTKFile>\n");
    return lb_finish_writing(&out);
}
