/* STL, ASCII and binary. It holds corners only: equal ones become one point. */
#include "base/log.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text_scan.h"
#include "shape/files/beside.h"
#include "shape/files/shape_files.h"
#include "shape/weld.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { headerSize = 84, facetSize = 50, countOffset = 80 };

static uint32_t read_u32(const unsigned char* bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float read_f32(const unsigned char* bytes) {
    uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static int64_t size_for(uint32_t triangleCount) {
    return headerSize + facetSize * (int64_t)triangleCount;
}

static bool is_binary_of_right_size(const unsigned char* bytes, size_t size) {
    return size > headerSize && size_for(read_u32(bytes + countOffset)) == (int64_t)size;
}

/* Begins with "solid", has a facet (or its end) soon, and no zero byte before: some binary files begin with it too. */
static bool is_ascii(const unsigned char* bytes, size_t size) {
    lbTextScan scan = lb_scan_text(bytes, size < 4096 ? size : 4096);
    lb_skip_space(&scan);
    if (!lb_word_is_any_case(lb_scan_word(&scan), "solid") ||
        memchr(scan.at, 0, (size_t)(scan.end - scan.at)) != NULL) {
        return false;
    }
    lb_skip_line(&scan);
    lb_skip_space(&scan);
    lbWord word = lb_scan_word(&scan);
    return lb_word_is_any_case(word, "facet") || lb_word_is_any_case(word, "endsolid") || word.length == 0;
}

/* corners: (triangleCount x 3 x 3). */
static lbResult make_shape(const lbShapeSource* source, float* corners, int triangleCount, lbShape** shape) {
    if (triangleCount == 0) {
        return lb_error(lb_errorFormat, "%s: expected a surface, found no triangles", source->path);
    }
    const lbHost* host = source->host;
    int cornerCount = 3 * triangleCount;
    int* indices = LB_NEW(host, int, cornerCount);
    int* firstRows = LB_NEW(host, int, cornerCount);
    int pointCount = -1;
    if (indices != NULL && firstRows != NULL) {
        pointCount = lb_weld_rows(host, corners, cornerCount, 3, indices, firstRows);
    }
    lbResult result = lb_out_of_memory("the triangles of an STL file");
    if (pointCount >= 0) {
        for (int i = 0; i < pointCount; ++i) { /* never forwards, so nothing is overwritten before it is read */
            memmove(corners + 3 * (size_t)i, corners + 3 * (size_t)firstRows[i], 3 * sizeof(float));
        }
        lbShapeDef def = lbDefaultShapeDef();
        def.pointCount = pointCount, def.points = corners;
        def.triangleCount = triangleCount, def.triangles = indices;
        def.host = host;
        result = lb_in_context(lbCreateShape(&def, shape), "%s", source->path);
    }
    lb_release(host, indices);
    lb_release(host, firstRows);
    return result;
}

static lbResult parse_binary(const lbShapeSource* source, lbShape** shape) {
    if (source->size < headerSize) {
        return lb_error(lb_errorFormat,
                        "%s: expected an STL file (text that begins with 'solid', or a binary header of 84 bytes), "
                        "found %zu bytes",
                        source->path, source->size);
    }
    uint32_t count = read_u32(source->bytes + countOffset);
    if (size_for(count) > (int64_t)source->size) {
        return lb_error(lb_errorFormat,
                        "%s: the header at byte %d says %u triangles, which takes %lld bytes, but the file has %zu",
                        source->path, countOffset, count, (long long)size_for(count), source->size);
    }
    if (size_for(count) < (int64_t)source->size) {
        lb_log(source->host, lb_logWarning, "%s: %lld bytes behind the last of its %u triangles are left out",
               source->path, (long long)source->size - size_for(count), count);
    }
    if (count > INT_MAX / 3) {
        return lb_error(lb_errorFormat, "%s: has %u triangles, more than %d", source->path, count, INT_MAX / 3);
    }
    float* corners = LB_NEW(source->host, float, 9 * (int64_t)count);
    if (corners == NULL) {
        return lb_out_of_memory("the triangles of an STL file");
    }
    lbResult result = lb_success();
    for (size_t i = 0; i < 9 * (size_t)count && result.code == lb_ok; ++i) {
        size_t offset = headerSize + facetSize * (i / 9) + 12 + 4 * (i % 9);
        corners[i] = read_f32(source->bytes + offset);
        if (!isfinite(corners[i])) {
            result = lb_error(lb_errorFormat, "%s: byte %zu: triangle %zu has a coordinate that is not a finite number",
                              source->path, offset, i / 9);
        }
    }
    if (result.code == lb_ok) {
        result = make_shape(source, corners, (int)count, shape);
    }
    lb_release(source->host, corners);
    return result;
}

typedef LB_ARRAY(float) lbCornerList;

static lbResult expect_word(lbTextScan* scan, const char* path, const char* word) {
    lb_skip_space(scan);
    lbTextScan before = *scan;
    if (!lb_word_is_any_case(lb_scan_word(scan), word)) {
        lbResult quoted = lb_error(lb_errorFormat, "'%s'", word);
        return lb_scan_error(&before, path, quoted.message);
    }
    return lb_success();
}

static lbResult read_vector(lbTextScan* scan, const char* path, const lbHost* host, lbCornerList* corners) {
    for (int k = 0; k < 3; ++k) {
        float value = 0;
        lb_skip_space(scan);
        if (!lb_scan_float(scan, &value)) {
            return lb_scan_error(scan, path, "a finite number");
        }
        if (!LB_PUSH(host, corners, value)) {
            return lb_out_of_memory("the triangles of an STL file");
        }
    }
    return lb_success();
}

/* Behind "facet". The normal is computed anyhow; some programs write "nan" into it. */
static lbResult read_facet(lbTextScan* scan, const char* path, const lbHost* host, lbCornerList* corners) {
    LB_TRY(expect_word(scan, path, "normal"));
    lb_skip_line(scan);
    LB_TRY(expect_word(scan, path, "outer"));
    LB_TRY(expect_word(scan, path, "loop"));
    for (int k = 0; k < 3; ++k) {
        LB_TRY(expect_word(scan, path, "vertex"));
        LB_TRY(read_vector(scan, path, host, corners));
    }
    LB_TRY(expect_word(scan, path, "endloop"));
    return expect_word(scan, path, "endfacet");
}

/* One solid after another, each up to its "endsolid". */
static lbResult read_solids(const lbShapeSource* source, lbCornerList* corners) {
    lbTextScan scan = lb_scan_text(source->bytes, source->size);
    for (lb_skip_space(&scan); scan.at < scan.end; lb_skip_space(&scan)) {
        LB_TRY(expect_word(&scan, source->path, "solid"));
        lb_skip_line(&scan);
        for (;;) {
            lb_skip_space(&scan);
            lbTextScan before = scan;
            lbWord word = lb_scan_word(&scan);
            if (lb_word_is_any_case(word, "endsolid")) {
                lb_skip_line(&scan);
                break;
            }
            if (!lb_word_is_any_case(word, "facet")) {
                return lb_scan_error(&before, source->path, "'facet' or 'endsolid'");
            }
            LB_TRY(read_facet(&scan, source->path, source->host, corners));
        }
    }
    return lb_success();
}

lbResult lb_parse_stl(const lbShapeSource* source, lbShape** shape) {
    *shape = NULL;
    if (is_binary_of_right_size(source->bytes, source->size) || !is_ascii(source->bytes, source->size)) {
        return parse_binary(source, shape);
    }
    lbCornerList corners = {0};
    lbResult result = read_solids(source, &corners);
    if (result.code == lb_ok) {
        result = make_shape(source, corners.data, corners.count / 9, shape);
    }
    LB_FREE_ARRAY(source->host, &corners);
    return result;
}

bool lb_looks_like_stl(const unsigned char* bytes, size_t size) {
    return is_binary_of_right_size(bytes, size) || is_ascii(bytes, size);
}
