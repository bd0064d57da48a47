/* ParaView recordings: NAME.pvd lists NAME/frame_00000.vtu and on, each an unstructured grid of all surfaces' triangles
 * in VTK's XML with raw appended data. */
#include "record/recorder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "record/series_folder.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

typedef struct VtuWriter {
    lbFile index; /* the .pvd file */
    lbSeriesFolder folder;
    char* name; /* of the folder, without the path to it */
    int pointCount, triangleCount;
    int* connectivity;    /* (triangleCount x 3) */
    int* offsets;         /* (triangleCount) where each triangle ends in connectivity */
    unsigned char* types; /* (triangleCount) VTK_TRIANGLE */
    int* surfaceIndices;  /* (triangleCount) */
    float* first;         /* (pointCount x 3) m, the first frame */
    float* positions;     /* (pointCount x 3) m, this frame */
    float* displacements; /* (pointCount x 3) m */
    float* velocities;    /* (pointCount x 3) m/s */
} VtuWriter;

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static lbResult count_all(lbRecorder* recorder, VtuWriter* writer) {
    int64_t points = 0, triangles = 0;
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        points += lbShape_GetPointCount(recorder->surfaces[s].shape);
        triangles += lbShape_GetTriangleCount(recorder->surfaces[s].shape);
    }
    if (points > INT_MAX || 3 * triangles > INT_MAX) {
        return lb_error(lb_errorUnsupported, "%s: %lld points and %lld triangles are more than a frame can hold",
                        recorder->path, (long long)points, (long long)triangles);
    }
    writer->pointCount = (int)points;
    writer->triangleCount = (int)triangles;
    return lb_success();
}

static void fill_cells(const lbRecorder* recorder, VtuWriter* writer) {
    enum { vtkTriangle = 5 };
    int cell = 0, firstPoint = 0;
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        const lbShape* shape = recorder->surfaces[s].shape;
        const int* triangles = lbShape_GetTriangles(shape);
        for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i, ++cell) {
            for (int k = 0; k < 3; ++k) {
                writer->connectivity[3 * cell + k] = firstPoint + triangles[3 * (int64_t)i + k];
            }
            writer->offsets[cell] = 3 * (cell + 1);
            writer->types[cell] = vtkTriangle;
            writer->surfaceIndices[cell] = s;
        }
        firstPoint += lbShape_GetPointCount(shape);
    }
}

static lbResult open_vtu(lbRecorder* recorder) {
    const lbHost* host = recorder->host;
    VtuWriter* writer = LB_NEW(host, VtuWriter, 1);
    if (writer == NULL) {
        return lb_out_of_memory("a ParaView recording");
    }
    recorder->writer = writer;
    LB_TRY(count_all(recorder, writer));
    writer->connectivity = LB_NEW(host, int, 3 * (int64_t)writer->triangleCount);
    writer->offsets = LB_NEW(host, int, writer->triangleCount);
    writer->types = LB_NEW(host, unsigned char, writer->triangleCount);
    writer->surfaceIndices = LB_NEW(host, int, writer->triangleCount);
    writer->first = LB_NEW(host, float, 3 * (int64_t)writer->pointCount);
    writer->positions = LB_NEW(host, float, 3 * (int64_t)writer->pointCount);
    writer->displacements = LB_NEW(host, float, 3 * (int64_t)writer->pointCount);
    writer->velocities = LB_NEW(host, float, 3 * (int64_t)writer->pointCount);
    writer->name = LB_NEW(host, char, strlen(recorder->path) + 1);
    if (writer->connectivity == NULL || writer->offsets == NULL || writer->types == NULL ||
        writer->surfaceIndices == NULL || writer->first == NULL || writer->positions == NULL ||
        writer->displacements == NULL || writer->velocities == NULL || writer->name == NULL) {
        return lb_out_of_memory("a ParaView recording");
    }
    fill_cells(recorder, writer);
    LB_TRY(lb_open_file(host, recorder->path, &writer->index));
    memcpy(writer->name, recorder->path, strlen(recorder->path) - strlen(recorder->format->ending));
    LB_TRY(lb_series_open(host, writer->name, &writer->folder));
    const char* slash = strrchr(writer->name, '/');
    if (slash != NULL) {
        memmove(writer->name, slash + 1, strlen(slash + 1) + 1);
    }
    return lb_success();
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* An array of a frame's file: described in the XML, appended as bytes. */
typedef struct DataArray {
    const char *section, *name, *type; /* the XML element around it, and its attributes */
    int width;
    const void* data;
    uint64_t size;
} DataArray;

enum { arrayLimit = 7 };

static void write_frame_file(lbFile* file, const VtuWriter* writer, const DataArray* arrays, int count) {
    lb_print(file,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
             "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
             writer->pointCount, writer->triangleCount);
    uint64_t offset = 0;
    for (int i = 0; i < count; ++i) {
        const DataArray* a = &arrays[i];
        if (i == 0 || strcmp(arrays[i - 1].section, a->section) != 0) {
            lb_print(file, "<%s>\n", a->section);
        }
        lb_print(file,
                 "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                 "offset=\"%llu\"/>\n",
                 a->type, a->name, a->width, (unsigned long long)offset);
        if (i + 1 == count || strcmp(arrays[i + 1].section, a->section) != 0) {
            lb_print(file, "</%s>\n", a->section);
        }
        offset += sizeof(uint64_t) + a->size;
    }
    lb_print(file, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < count; ++i) {
        lb_write(file, &arrays[i].size, sizeof(uint64_t));
        lb_write(file, arrays[i].data, arrays[i].size);
    }
    lb_print(file, "\n</AppendedData>\n</VTKFile>\n");
}

/* All surfaces' vectors one after another; those of a surface without become NaN, which ParaView shows as "no value".
 * False if there are none at all. */
static bool join_vectors(const lbRecorder* recorder, const float* const* vectors, float* joined) {
    bool any = false;
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        int64_t count = 3 * (int64_t)lbShape_GetPointCount(recorder->surfaces[s].shape);
        bool given = vectors != NULL && vectors[s] != NULL;
        any = any || given;
        for (int64_t i = 0; i < count; ++i) {
            joined[i] = given ? vectors[s][i] : NAN;
        }
        joined += count;
    }
    return any;
}

static lbResult add_vtu_frame(lbRecorder* recorder, const float* const* positions, const float* const* velocities) {
    VtuWriter* writer = recorder->writer;
    int64_t numbers = 3 * (int64_t)writer->pointCount, cells = writer->triangleCount;
    uint64_t vectorSize = (uint64_t)numbers * sizeof(float), cellSize = (uint64_t)cells * sizeof(int);
    join_vectors(recorder, positions, writer->positions);
    if (recorder->frameCount == 0) {
        memcpy(writer->first, writer->positions, vectorSize);
    }
    for (int64_t i = 0; i < numbers; ++i) {
        writer->displacements[i] = writer->positions[i] - writer->first[i];
    }
    DataArray arrays[arrayLimit] = {
        {"Points", "Points", "Float32", 3, writer->positions, vectorSize},
        {"Cells", "connectivity", "Int32", 1, writer->connectivity, 3 * cellSize},
        {"Cells", "offsets", "Int32", 1, writer->offsets, cellSize},
        {"Cells", "types", "UInt8", 1, writer->types, (uint64_t)cells},
        {"CellData", "surface", "Int32", 1, writer->surfaceIndices, cellSize},
        {"PointData", "displacement", "Float32", 3, writer->displacements, vectorSize},
        {"PointData", "velocity", "Float32", 3, writer->velocities, vectorSize},
    };
    int count = join_vectors(recorder, velocities, writer->velocities) ? arrayLimit : arrayLimit - 1;
    lbFile file;
    const char* path = lb_series_frame_path(&writer->folder, recorder->frameCount);
    lbResult result = lb_open_file(recorder->host, path, &file);
    if (result.code == lb_ok) {
        write_frame_file(&file, writer, arrays, count);
        result = lb_commit_file(&file);
    }
    return lb_in_context(result, "%s", recorder->path);
}

/* ---- Finishing --------------------------------------------------------------------------------------------------- */

static lbResult write_index(lbRecorder* recorder, VtuWriter* writer) {
    lbText text = {.host = recorder->host};
    lb_text_print(&text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int f = 0; f < recorder->frameCount; ++f) {
        lb_text_print(&text, "<DataSet timestep=\"");
        lb_text_number(&text, f / recorder->frameRate, 9);
        lb_text_print(&text, "\" part=\"0\" file=\"");
        lb_text_xml_attribute(&text, writer->name);
        lb_text_print(&text, "/frame_%05d.vtu\"/>\n", f);
    }
    lb_text_print(&text, "</Collection>\n</VTKFile>\n");
    lbResult result = text.failed ? lb_out_of_memory("a recording's list of frames") : lb_success();
    lb_write(&writer->index, text.data, text.failed ? 0 : text.size);
    lb_text_free(&text);
    return result;
}

static lbResult finish_vtu(lbRecorder* recorder) {
    VtuWriter* writer = recorder->writer;
    LB_TRY(write_index(recorder, writer));
    LB_TRY(lb_series_place(&writer->folder));
    lbResult result = lb_commit_file(&writer->index);
    if (result.code != lb_ok) {
        lb_series_restore(&writer->folder);
    }
    return result;
}

static void close_vtu(lbRecorder* recorder) {
    VtuWriter* writer = recorder->writer;
    if (writer == NULL) {
        return;
    }
    const lbHost* host = recorder->host;
    lb_discard_file(&writer->index);
    lb_series_close(&writer->folder);
    lb_release(host, writer->connectivity);
    lb_release(host, writer->offsets);
    lb_release(host, writer->types);
    lb_release(host, writer->surfaceIndices);
    lb_release(host, writer->first);
    lb_release(host, writer->positions);
    lb_release(host, writer->displacements);
    lb_release(host, writer->velocities);
    lb_release(host, writer->name);
    lb_release(host, writer);
}

const lbRecordFormat lb_recordVtu = {
    .ending = ".pvd", .open = open_vtu, .addFrame = add_vtu_frame, .finish = finish_vtu, .close = close_vtu};
