#include "mesh/files/mesh_writer.h"

#include "base/result.h"
#include "base/sort.h"
#include "base/text_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Handed to the file in pieces of this size, so that the text does not grow with the mesh. */
enum { pieceSize = 1 << 16 };

lbResult lb_begin_writing(const lbTetMesh* mesh, const char* path, lbMeshWriter* writer) {
    *writer = (lbMeshWriter){.mesh = mesh, .text.host = mesh->host};
    return lb_open_file(mesh->host, path, &writer->file);
}

static void flush(lbMeshWriter* writer) {
    lb_write(&writer->file, writer->text.data, writer->text.size);
    writer->text.size = 0;
}

static void flush_if_large(lbMeshWriter* writer) {
    if (writer->text.size > pieceSize) {
        flush(writer);
    }
}

static lbResult check_memory(const lbMeshWriter* writer) {
    return writer->text.failed ? lb_out_of_memory("the text of a mesh file") : lb_success();
}

lbResult lb_settle_writing(lbMeshWriter* writer) {
    flush(writer);
    LB_TRY(check_memory(writer));
    return lb_settle_file(&writer->file);
}

lbResult lb_finish_writing(lbMeshWriter* writer) {
    flush(writer);
    lbResult result = check_memory(writer);
    if (result.code == lb_ok) {
        result = lb_commit_file(&writer->file);
    }
    lb_discard_writing(writer);
    return result;
}

void lb_discard_writing(lbMeshWriter* writer) {
    lb_discard_file(&writer->file);
    if (writer->text.host != NULL) {
        lb_text_free(&writer->text);
    }
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

void lb_put(lbMeshWriter* writer, const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1;
    lb_text_add(&writer->text, line, used);
    flush_if_large(writer);
}

void lb_put_real(lbMeshWriter* writer, double value) {
    lbText* text = &writer->text;
    size_t before = text->size;
    for (int digits = 15; digits <= 17; ++digits) {
        double back = 0;
        text->size = before;
        lb_text_number(text, value, digits);
        if (text->failed) {
            return;
        }
        const char* at = text->data + before;
        if (lb_parse_number(&at, text->data + text->size, &back) && memcmp(&back, &value, sizeof(value)) == 0) {
            return;
        }
    }
}

void lb_put_point(lbMeshWriter* writer, int point, const char* separator) {
    const double* p = writer->mesh->points + 3 * (size_t)point;
    for (int k = 0; k < 3; ++k) {
        lb_put_real(writer, p[k]);
        lb_put(writer, "%s", k < 2 ? separator : "");
    }
}

void lb_put_tet(lbMeshWriter* writer, int tet, int first, const char* separator) {
    const int* t = writer->mesh->tets + 4 * (size_t)tet;
    lb_put(writer, "%d%s%d%s%d%s%d", t[0] + first, separator, t[1] + first, separator, t[2] + first, separator,
           t[3] + first);
}

/* ---- Binary ------------------------------------------------------------------------------------------------------ */

static void put_bits(lbMeshWriter* writer, uint64_t bits, int size) {
    unsigned char bytes[8];
    for (int i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(bits >> 8 * (writer->bigEndian ? size - 1 - i : i));
    }
    lb_text_add(&writer->text, bytes, (size_t)size);
    flush_if_large(writer);
}

void lb_put_int32(lbMeshWriter* writer, int32_t value) {
    put_bits(writer, (uint32_t)value, 4);
}

void lb_put_int64(lbMeshWriter* writer, int64_t value) {
    put_bits(writer, (uint64_t)value, 8);
}

void lb_put_double(lbMeshWriter* writer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_bits(writer, bits, 8);
}

/* ---- Regions ----------------------------------------------------------------------------------------------------- */

int lb_region_run(const lbTetMesh* mesh, int tet) {
    int end = tet + 1;
    while (end < mesh->tetCount && lb_region_of(mesh, end) == lb_region_of(mesh, tet)) {
        ++end;
    }
    return end - tet;
}

static int position_of(const lbRegionList* regions, int region) {
    int low = 0, high = regions->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (regions->data[middle] < region) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

lbResult lb_list_regions(const lbTetMesh* mesh, lbRegionList* regions) {
    for (int i = 0; i < mesh->tetCount; i += lb_region_run(mesh, i)) {
        int region = lb_region_of(mesh, i), at = position_of(regions, region);
        if (at < regions->count && regions->data[at] == region) {
            continue;
        }
        if (!LB_PUSH(mesh->host, regions, region)) {
            return lb_out_of_memory("the regions of a mesh");
        }
        memmove(regions->data + at + 1, regions->data + at, (size_t)(regions->count - 1 - at) * sizeof(int));
        regions->data[at] = region;
    }
    return lb_success();
}

int lb_region_index(const lbRegionList* regions, int region) {
    return position_of(regions, region);
}
