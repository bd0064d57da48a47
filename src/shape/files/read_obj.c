/* Wavefront OBJ: points with colours, texture coordinates, polygons, materials. Normals are checked and left out, as
 * they are computed; curves, groups and the rest are skipped. */
#include "base/file.h"
#include "base/log.h"
#include "base/result.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "shape/files/beside.h"
#include "shape/files/read_mtl.h"
#include "shape/files/srgb.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { mostLibraries = 256 };

typedef struct lbObjReader {
    const lbShapeSource* source;
    lbTextScan scan;
    lbSurfaceBuilder surface;
    int normalCount;
    int largestNormal, largestNormalLine; /* from 1; what faces ask for */
    int material;
    int libraryCount;
} lbObjReader;

static lbResult expected(const lbObjReader* reader, const char* what) {
    return lb_scan_error(&reader->scan, reader->source->path, what);
}

/* Between `least` and `most` numbers up to the end of the line. */
static lbResult read_numbers(lbObjReader* reader, double* values, int least, int most, int* count) {
    for (*count = 0; *count < most && !lb_at_line_end(&reader->scan); ++*count) {
        if (*reader->scan.at == '#' && *count >= least) {
            return lb_success();
        }
        lbTextScan before = reader->scan;
        if (!lb_scan_number(&reader->scan, &values[*count]) || !isfinite((float)values[*count])) {
            reader->scan = before;
            return expected(reader, "a finite number");
        }
    }
    if (*count < least) {
        return lb_error(lb_errorFormat, "%s:%d: expected %d numbers, found %d", reader->source->path, reader->scan.line,
                        least, *count);
    }
    return lb_success();
}

/* x y z, and behind them nothing, w, r g b, or r g b a. */
static lbResult read_point(lbObjReader* reader) {
    double v[8];
    int count = 0;
    LB_TRY(read_numbers(reader, v, 3, 8, &count));
    if (count == 5 || count == 8) {
        return lb_error(lb_errorFormat, "%s:%d: expected 'v' with 3, 4, 6 or 7 numbers, found %d or more",
                        reader->source->path, reader->scan.line, count);
    }
    bool ok = lb_add_point(&reader->surface, (float)v[0], (float)v[1], (float)v[2]);
    if (ok && count >= 6) {
        ok =
            lb_set_color(&reader->surface, linear_from_srgb(clamp_to_unit(v[3])), linear_from_srgb(clamp_to_unit(v[4])),
                         linear_from_srgb(clamp_to_unit(v[5])), count == 7 ? v[6] : 1);
    }
    return ok ? lb_success() : lb_out_of_memory("the points of an OBJ file");
}

static lbResult read_texture_coord(lbObjReader* reader) {
    double v[3] = {0};
    int count = 0;
    LB_TRY(read_numbers(reader, v, 1, 3, &count));
    return lb_add_texture_coord(&reader->surface, (float)v[0], (float)v[1])
               ? lb_success()
               : lb_out_of_memory("the texture coordinates");
}

static lbResult read_normal(lbObjReader* reader) {
    double v[3];
    int count = 0;
    reader->normalCount += reader->normalCount < INT_MAX;
    return read_numbers(reader, v, 3, 3, &count);
}

/* An index as OBJ counts (from 1, or backwards from -1) as one from 0. */
static lbResult read_index(lbObjReader* reader, const char** at, int count, int* index) {
    int64_t number = 0;
    if (!lb_parse_integer(at, reader->scan.end, &number)) {
        return expected(reader, "a face corner as point/texture/normal");
    }
    int64_t fromZero = number > 0 ? number - 1 : count + number;
    if (number == 0 || fromZero < 0 || fromZero >= INT_MAX) {
        return lb_error(lb_errorFormat,
                        "%s:%d: a face uses index %lld, but there are %d so far (1 to %d, or -%d to -1)",
                        reader->source->path, reader->scan.line, (long long)number, count, count, count);
    }
    *index = (int)fromZero;
    return lb_success();
}

/* 1, 1/2, 1//3 or 1/2/3. */
static lbResult read_corner(lbObjReader* reader) {
    const char* end = reader->scan.end;
    const char* at = reader->scan.at;
    int point = 0, coord = -1, normal = -1;
    LB_TRY(read_index(reader, &at, reader->surface.points.count / 3, &point));
    if (at < end && *at == '/') {
        ++at;
        if (at < end && *at != '/' && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') {
            LB_TRY(read_index(reader, &at, reader->surface.textureCoords.count / 2, &coord));
        }
        if (at < end && *at == '/') {
            ++at;
            if (at < end && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') {
                LB_TRY(read_index(reader, &at, reader->normalCount, &normal));
            }
        }
    }
    lbTextScan behind = reader->scan;
    behind.at = at;
    if (lb_scan_word(&behind).text == at && behind.at != at) { /* something sticks to the corner */
        return expected(reader, "a face corner as point/texture/normal");
    }
    if (normal + 1 > reader->largestNormal) {
        reader->largestNormal = normal + 1;
        reader->largestNormalLine = reader->scan.line;
    }
    reader->scan.at = at;
    return lb_add_corner(&reader->surface, point, coord) ? lb_success() : lb_out_of_memory("the faces of an OBJ file");
}

static lbResult read_face(lbObjReader* reader) {
    int line = reader->scan.line;
    while (!lb_at_line_end(&reader->scan) && *reader->scan.at != '#') {
        LB_TRY(read_corner(reader));
    }
    return lb_end_polygon(&reader->surface, reader->material, line) ? lb_success()
                                                                    : lb_out_of_memory("the faces of an OBJ file");
}

static lbResult use_material(lbObjReader* reader) {
    lbWord name = lb_scan_rest(&reader->scan);
    lbSurfaceBuilder* surface = &reader->surface;
    for (int i = 0; i < surface->materials.count; ++i) {
        if (lb_word_is(name, surface->materials.data[i].name)) {
            reader->material = i;
            return lb_success();
        }
    }
    if (surface->materials.count >= LB_MOST_MATERIALS) {
        return expected(reader, "at most 4096 materials");
    }
    reader->material = lb_add_material(surface, name.text, name.length);
    return reader->material >= 0 ? lb_success() : lb_out_of_memory("a material");
}

/* False if there is no such file. Looks are not worth failing for: what is wrong in it becomes a warning. */
static bool read_library_file(lbObjReader* reader, lbWord name) {
    const lbHost* host = reader->source->host;
    char* text = lb_copy_text(host, name.text, name.length);
    char* path = text != NULL ? lb_path_beside(host, reader->source->path, text) : NULL;
    lbBytes bytes = {0};
    bool found = path != NULL && lb_read_file(host, path, &bytes).code == lb_ok;
    if (found) {
        lbShapeSource library = {.host = host, .bytes = bytes.data, .size = bytes.size, .path = path};
        lbResult result = lb_parse_mtl(&library, &reader->surface);
        if (result.code != lb_ok) {
            lb_log(host, lb_logWarning, "%s", result.message);
        }
    }
    lb_free_bytes(host, &bytes);
    lb_release(host, path);
    lb_release(host, text);
    return found;
}

/* One name with spaces in it, or several names. */
static lbResult read_libraries(lbObjReader* reader) {
    lbTextScan names = reader->scan;
    lbWord all = lb_scan_rest(&reader->scan);
    if (reader->source->alone || all.length == 0) {
        return lb_success();
    }
    if (++reader->libraryCount > mostLibraries) {
        return lb_error(lb_errorFormat, "%s:%d: expected at most %d material libraries", reader->source->path,
                        reader->scan.line, mostLibraries);
    }
    if (read_library_file(reader, all)) {
        return lb_success();
    }
    int tries = 0;
    for (lbWord name = lb_scan_word(&names); name.length > 0 && tries < mostLibraries; name = lb_scan_word(&names)) {
        ++tries;
        if (name.length == all.length || !read_library_file(reader, name)) {
            lb_log(reader->source->host, lb_logWarning, "%s:%d: no material library '%.*s'", reader->source->path,
                   reader->scan.line, name.length > 200 ? 200 : (int)name.length, name.text);
        }
    }
    return lb_success();
}

static lbResult read_statement(lbObjReader* reader) {
    lbWord keyword = lb_scan_word(&reader->scan);
    if (lb_word_is(keyword, "v")) {
        return read_point(reader);
    }
    if (lb_word_is(keyword, "vt")) {
        return read_texture_coord(reader);
    }
    if (lb_word_is(keyword, "vn")) {
        return read_normal(reader);
    }
    if (lb_word_is(keyword, "f")) {
        return read_face(reader);
    }
    if (lb_word_is(keyword, "usemtl")) {
        return use_material(reader);
    }
    if (lb_word_is(keyword, "mtllib")) {
        return read_libraries(reader);
    }
    return lb_success();
}

static lbResult read_all(lbObjReader* reader, lbShape** shape) {
    const char* path = reader->source->path;
    for (; reader->scan.at < reader->scan.end; lb_skip_line(&reader->scan)) {
        LB_TRY(read_statement(reader));
    }
    if (reader->surface.points.count == 0) {
        return lb_error(lb_errorFormat, "%s: expected an OBJ file, found no line 'v x y z' in its %d lines", path,
                        reader->scan.line);
    }
    if (reader->largestNormal > reader->normalCount) {
        return lb_error(lb_errorFormat, "%s:%d: a face uses normal %d, but the file has %d", path,
                        reader->largestNormalLine, reader->largestNormal, reader->normalCount);
    }
    return lb_finish_surface(&reader->surface, shape);
}

lbResult lb_parse_obj(const lbShapeSource* source, lbShape** shape) {
    *shape = NULL;
    size_t head = source->size < 4096 ? source->size : 4096;
    const unsigned char* zero = head > 0 ? memchr(source->bytes, 0, head) : NULL;
    if (zero != NULL) {
        return lb_error(lb_errorFormat, "%s: expected OBJ text, found binary data at byte %d", source->path,
                        (int)(zero - source->bytes));
    }
    lbObjReader reader = {.source = source, .scan = lb_scan_text(source->bytes, source->size), .material = -1};
    reader.surface.host = source->host;
    reader.surface.path = source->path;
    reader.surface.firstIndex = 1;
    lbResult result = read_all(&reader, shape);
    lb_free_surface_builder(&reader.surface);
    return result;
}

bool lb_looks_like_obj(const unsigned char* bytes, size_t size) {
    size_t head = size < 65536 ? size : 65536;
    if (head == 0 || memchr(bytes, 0, head) != NULL) {
        return false;
    }
    lbTextScan scan = lb_scan_text(bytes, head);
    for (; scan.at < scan.end; lb_skip_line(&scan)) {
        double x = 0, y = 0, z = 0;
        if (lb_word_is(lb_scan_word(&scan), "v")) {
            return lb_scan_number(&scan, &x) && lb_scan_number(&scan, &y) && lb_scan_number(&scan, &z);
        }
    }
    return false;
}
