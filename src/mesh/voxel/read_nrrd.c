/* Images from NRRD files ("nearly raw raster data", teem.sourceforge.net/nrrd/format.html): a text header, an empty
 * line, then the voxels. Read are three-dimensional images of integers; attached or detached in one file; raw, gzip or
 * text; either byte order; spacing by `spacings` or by `space directions` along the axes. */
#include "mesh/voxel/image.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text_scan.h"
#include "mesh/files/unpack.h"
#include "shape/files/beside.h"

#include <string.h>

typedef enum Encoding { encodingNone, encodingRaw, encodingGzip, encodingText } Encoding;

typedef struct Header {
    const char* file;
    int width; /* bytes of a voxel; 0: not said */
    bool isSigned, bigEndian, endianSaid, sizesSaid;
    int dimension, size[3];
    double spacing[3], origin[3];
    Encoding encoding;
    lbWord dataFile; /* of length 0: attached */
    int64_t lineSkip, byteSkip;
} Header;

static const struct {
    const char* name;
    int width;
    bool isSigned;
} types[] = {
    {"signed char", 1, true},
    {"int8", 1, true},
    {"int8_t", 1, true},
    {"uchar", 1, false},
    {"unsigned char", 1, false},
    {"uint8", 1, false},
    {"uint8_t", 1, false},
    {"short", 2, true},
    {"short int", 2, true},
    {"signed short", 2, true},
    {"signed short int", 2, true},
    {"int16", 2, true},
    {"int16_t", 2, true},
    {"ushort", 2, false},
    {"unsigned short", 2, false},
    {"unsigned short int", 2, false},
    {"uint16", 2, false},
    {"uint16_t", 2, false},
    {"int", 4, true},
    {"signed int", 4, true},
    {"int32", 4, true},
    {"int32_t", 4, true},
    {"uint", 4, false},
    {"unsigned int", 4, false},
    {"uint32", 4, false},
    {"uint32_t", 4, false},
    {"longlong", 8, true},
    {"long long", 8, true},
    {"int64", 8, true},
    {"int64_t", 8, true},
    {"ulonglong", 8, false},
    {"unsigned long long", 8, false},
    {"uint64", 8, false},
    {"uint64_t", 8, false},
};

/* ---- The header -------------------------------------------------------------------------------------------------- */

static lbResult fail(const Header* header, const lbTextScan* scan, const char* what, lbWord found) {
    int length = found.length < 60 ? (int)found.length : 60;
    return lb_error(lb_errorFormat, "%s:%d: %s, found '%.*s'", header->file, scan->line, what, length, found.text);
}

static lbResult read_type(Header* header, const lbTextScan* scan, lbWord value) {
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (lb_word_is(value, types[i].name)) {
            header->width = types[i].width;
            header->isSigned = types[i].isSigned;
            return lb_success();
        }
    }
    return fail(header, scan, "expected a type of integers, since voxels are labels", value);
}

static lbResult read_encoding(Header* header, const lbTextScan* scan, lbWord value) {
    static const struct {
        const char* name;
        Encoding encoding;
    } names[] = {{"raw", encodingRaw},    {"gzip", encodingGzip}, {"gz", encodingGzip},
                 {"ascii", encodingText}, {"text", encodingText}, {"txt", encodingText}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (lb_word_is_any_case(value, names[i].name)) {
            header->encoding = names[i].encoding;
            return lb_success();
        }
    }
    return fail(header, scan, "expected the encoding raw, gzip or ascii", value);
}

static lbResult read_sizes(Header* header, const lbTextScan* scan, lbWord value) {
    const char *at = value.text, *end = value.text + value.length;
    for (int c = 0; c < 3; ++c) {
        int64_t size = 0;
        while (at < end && *at == ' ') {
            ++at;
        }
        if (!lb_parse_integer(&at, end, &size) || size < 1 || size > 1 << 24) {
            return fail(header, scan, "expected three sizes from 1 to 16777216", value);
        }
        header->size[c] = (int)size;
    }
    header->sizesSaid = true;
    return lb_success();
}

/* Numbers between blanks, commas and brackets. */
static int read_numbers(lbWord value, double* numbers, int capacity) {
    const char *at = value.text, *end = value.text + value.length;
    int count = 0;
    while (at < end && count < capacity) {
        if (*at == ' ' || *at == '\t' || *at == '(' || *at == ')' || *at == ',') {
            ++at;
        } else if (!lb_parse_number(&at, end, &numbers[count++])) {
            return -1;
        }
    }
    return count;
}

static lbResult read_directions(Header* header, const lbTextScan* scan, lbWord value) {
    double d[9];
    if (read_numbers(value, d, 9) != 9) {
        return fail(header, scan, "expected three vectors (x,y,z)", value);
    }
    for (int k = 0; k < 9; ++k) {
        double length = fabs(d[k / 3 * 3]) + fabs(d[k / 3 * 3 + 1]) + fabs(d[k / 3 * 3 + 2]);
        if (k % 3 != k / 3 && fabs(d[k]) > 1e-6 * length) {
            return fail(header, scan, "expected directions along the axes, in their order", value);
        }
    }
    for (int c = 0; c < 3; ++c) {
        header->spacing[c] = fabs(d[4 * c]);
    }
    return lb_success();
}

static lbResult read_field(Header* header, lbTextScan* scan, lbWord name, lbWord value) {
    if (lb_word_is(name, "type")) {
        return read_type(header, scan, value);
    }
    if (lb_word_is(name, "encoding")) {
        return read_encoding(header, scan, value);
    }
    if (lb_word_is(name, "dimension")) {
        header->dimension = lb_word_is(value, "3") ? 3 : -1;
        return header->dimension == 3 ? lb_success() : fail(header, scan, "expected an image of dimension 3", value);
    }
    if (lb_word_is(name, "sizes")) {
        return read_sizes(header, scan, value);
    }
    if (lb_word_is(name, "spacings")) {
        return read_numbers(value, header->spacing, 3) == 3 ? lb_success()
                                                            : fail(header, scan, "expected three spacings", value);
    }
    if (lb_word_is(name, "space directions")) {
        return read_directions(header, scan, value);
    }
    if (lb_word_is(name, "space origin")) {
        return read_numbers(value, header->origin, 3) == 3 ? lb_success()
                                                           : fail(header, scan, "expected a place (x,y,z)", value);
    }
    if (lb_word_is(name, "endian")) {
        header->endianSaid = true;
        header->bigEndian = lb_word_is(value, "big");
        return header->bigEndian || lb_word_is(value, "little") ? lb_success()
                                                                : fail(header, scan, "expected little or big", value);
    }
    if (lb_word_is(name, "data file") || lb_word_is(name, "datafile")) {
        header->dataFile = value;
        bool list =
            memchr(value.text, '%', value.length) != NULL || (value.length >= 4 && memcmp(value.text, "LIST", 4) == 0);
        return list || value.length == 0 ? fail(header, scan, "expected one data file", value) : lb_success();
    }
    bool line = lb_word_is(name, "line skip") || lb_word_is(name, "lineskip");
    if (line || lb_word_is(name, "byte skip") || lb_word_is(name, "byteskip")) {
        const char* at = value.text;
        int64_t skip = 0;
        if (!lb_parse_integer(&at, value.text + value.length, &skip) || skip < (line ? 0 : -1)) {
            return fail(header, scan, "expected how much to skip", value);
        }
        *(line ? &header->lineSkip : &header->byteSkip) = skip;
    }
    return lb_success(); /* all else says nothing of where voxels are */
}

static lbResult read_header(Header* header, lbTextScan* scan) {
    static const char magic[] = "NRRD000";
    if (scan->end - scan->at < 8 || memcmp(scan->at, magic, 7) != 0 || scan->at[7] < '1' || scan->at[7] > '5') {
        return lb_error(lb_errorFormat, "%s: expected a file that begins with NRRD0001 to NRRD0005", header->file);
    }
    for (lb_skip_line(scan); scan->at < scan->end && !lb_at_line_end(scan); lb_skip_line(scan)) {
        lbWord line = lb_scan_rest(scan);
        const char* colon = memchr(line.text, ':', line.length);
        if (line.length > 0 && line.text[0] == '#') {
            continue;
        }
        if (colon == NULL) {
            return fail(header, scan, "expected 'field: value'", line);
        }
        size_t left = (size_t)(line.text + line.length - colon);
        if (left > 1 && colon[1] == '=') {
            continue; /* a key of someone's own */
        }
        lbWord value = {colon + 1, left - 1};
        while (value.length > 0 && *value.text == ' ') {
            ++value.text, --value.length;
        }
        LB_TRY(read_field(header, scan, (lbWord){line.text, (size_t)(colon - line.text)}, value));
    }
    lb_skip_line(scan); /* the empty one */
    return lb_success();
}

static lbResult check_header(const Header* header) {
    const char* missing = header->dimension != 3                                                         ? "dimension"
                          : header->width == 0                                                           ? "type"
                          : !header->sizesSaid                                                           ? "sizes"
                          : header->encoding == 0                                                        ? "encoding"
                          : header->width > 1 && !header->endianSaid && header->encoding != encodingText ? "endian"
                                                                                                         : NULL;
    if (missing != NULL) {
        return lb_error(lb_errorFormat, "%s: the header has no '%s'", header->file, missing);
    }
    for (int c = 0; c < 3; ++c) {
        if (!(header->spacing[c] > 0) || !isfinite(header->spacing[c]) || !isfinite(header->origin[c])) {
            return lb_error(lb_errorFormat, "%s: voxels are %g wide along axis %d, from %g; expected more than 0",
                            header->file, header->spacing[c], c, header->origin[c]);
        }
    }
    if ((double)header->size[0] * header->size[1] * header->size[2] > mostImageVoxels) {
        return lb_error(lb_errorFormat, "%s: %d x %d x %d voxels are more than the limit of %d", header->file,
                        header->size[0], header->size[1], header->size[2], mostImageVoxels);
    }
    return lb_success();
}

/* ---- The voxels -------------------------------------------------------------------------------------------------- */

static lbResult bad_label(const Header* header, int64_t voxel, double value) {
    return lb_error(lb_errorFormat, "%s: voxel %lld is %g; expected a label from 0 to 65535", header->file,
                    (long long)voxel, value);
}

static lbResult store_raw(const Header* header, const unsigned char* bytes, int64_t count, uint16_t* labels) {
    int width = header->width;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t value = 0;
        for (int b = 0; b < width; ++b) {
            value |= (uint64_t)bytes[i * width + (header->bigEndian ? width - 1 - b : b)] << 8 * b;
        }
        bool negative = header->isSigned && (value >> (8 * width - 1) & 1) != 0;
        if (negative || value > 65535) {
            return bad_label(header, i, negative ? -1 : (double)value);
        }
        labels[i] = (uint16_t)value;
    }
    return lb_success();
}

static lbResult store_text(const Header* header, lbWord data, int64_t count, uint16_t* labels) {
    lbTextScan scan = lb_scan_text(data.text, data.length);
    for (int64_t i = 0; i < count; ++i) {
        int64_t value;
        lb_skip_space(&scan);
        if (!lb_parse_integer(&scan.at, scan.end, &value)) {
            return lb_error(lb_errorFormat, "%s: voxel %lld of %lld is missing or no integer", header->file,
                            (long long)i, (long long)count);
        }
        if (value < 0 || value > 65535) {
            return bad_label(header, i, (double)value);
        }
        labels[i] = (uint16_t)value;
    }
    return lb_success();
}

static lbResult store_gzip(const Header* header, const lbHost* host, lbWord data, int64_t count, uint16_t* labels) {
    size_t size = (size_t)count * (size_t)header->width;
    if (size / lb_mostInflation > data.length) {
        return lb_error(lb_errorFormat, "%s: %zu packed bytes cannot hold %lld voxels", header->file, data.length,
                        (long long)count);
    }
    unsigned char* bytes = LB_NEW(host, unsigned char, size);
    if (bytes == NULL) {
        return lb_out_of_memory("an image");
    }
    lbResult result = lb_gunzip((const unsigned char*)data.text, data.length, bytes, size)
                          ? store_raw(header, bytes, count, labels)
                          : lb_error(lb_errorFormat, "%s: the packed voxels are damaged, or not %lld of them",
                                     header->file, (long long)count);
    lb_release(host, bytes);
    return result;
}

static lbResult skip_data(const Header* header, lbWord* data) {
    for (int64_t i = 0; i < header->lineSkip; ++i) {
        const char* end = data->length > 0 ? memchr(data->text, '\n', data->length) : NULL;
        if (end == NULL) {
            return lb_error(lb_errorFormat, "%s: there are no %lld lines to skip", header->file,
                            (long long)header->lineSkip);
        }
        data->length -= (size_t)(end + 1 - data->text);
        data->text = end + 1;
    }
    if (header->byteSkip == -1 && header->encoding == encodingRaw) { /* the voxels are what the file ends with */
        size_t size =
            (size_t)header->size[0] * (size_t)header->size[1] * (size_t)header->size[2] * (size_t)header->width;
        if (size <= data->length) {
            data->text += data->length - size;
            data->length = size;
        }
        return lb_success();
    }
    size_t skip = header->byteSkip > 0 ? (size_t)header->byteSkip : 0;
    if (skip > data->length) {
        return lb_error(lb_errorFormat, "%s: there are no %zu bytes to skip", header->file, skip);
    }
    data->text += skip;
    data->length -= skip;
    return lb_success();
}

static lbResult read_voxels(const Header* header, const lbHost* host, lbWord data, float scale, lbVoxelImage** image) {
    LB_TRY(skip_data(header, &data));
    int64_t count = (int64_t)header->size[0] * header->size[1] * header->size[2];
    size_t size = (size_t)count * (size_t)header->width;
    if (header->encoding == encodingRaw && data.length < size) {
        return lb_error(lb_errorFormat, "%s: %zu bytes of voxels are there; expected %zu", header->file, data.length,
                        size);
    }
    if (header->encoding == encodingText && data.length / 2 + 1 < (size_t)count) {
        return lb_error(lb_errorFormat, "%s: %zu characters cannot hold %lld voxels", header->file, data.length,
                        (long long)count);
    }
    const double s = (double)scale;
    lbVec3 spacing = vec3_from(vec3d(s * header->spacing[0], s * header->spacing[1], s * header->spacing[2]));
    /* the origin is the middle of the first voxel */
    lbVec3 origin = vec3_from(vec3d(s * (header->origin[0] - 0.5 * header->spacing[0]),
                                    s * (header->origin[1] - 0.5 * header->spacing[1]),
                                    s * (header->origin[2] - 0.5 * header->spacing[2])));
    lbVoxelImage* made = NULL;
    LB_TRY(lb_in_context(lb_make_image(host, header->size, origin, spacing, &made), "%s", header->file));
    lbResult result = header->encoding == encodingRaw
                          ? store_raw(header, (const unsigned char*)data.text, count, made->labels)
                      : header->encoding == encodingGzip ? store_gzip(header, host, data, count, made->labels)
                                                         : store_text(header, data, count, made->labels);
    if (result.code != lb_ok) {
        lbDestroyVoxelImage(made);
        return result;
    }
    *image = made;
    return lb_success();
}

/* `path`: for detached data; NULL: refused. */
static lbResult read_image(const lbHost* host, const char* path, const char* name, lbBytes bytes, float scale,
                           lbVoxelImage** image) {
    Header header = {.file = name, .spacing = {1, 1, 1}};
    lbTextScan scan = lb_scan_text(bytes.data, bytes.size);
    if (!(scale > 0) || !isfinite(scale)) {
        return lb_error(lb_errorArgument, "the scale of an image is %g; expected more than 0", (double)scale);
    }
    LB_TRY(read_header(&header, &scan));
    LB_TRY(check_header(&header));
    if (header.dataFile.length == 0) {
        return read_voxels(&header, host, (lbWord){scan.at, (size_t)(scan.end - scan.at)}, scale, image);
    }
    char text[256];
    if (path == NULL || header.dataFile.length >= sizeof(text)) {
        return lb_error(lb_errorFormat, "%s: its voxels are in another file, which is not at hand", name);
    }
    memcpy(text, header.dataFile.text, header.dataFile.length);
    text[header.dataFile.length] = 0;
    char* beside = lb_path_beside(host, path, text);
    lbBytes data = {0};
    lbResult result = beside != NULL ? lb_read_file(host, beside, &data) : lb_out_of_memory("an image");
    if (result.code == lb_ok) {
        result = read_voxels(&header, host, (lbWord){(const char*)data.data, data.size}, scale, image);
    }
    lb_free_bytes(host, &data);
    lb_release(host, beside);
    return result;
}

lbResult lbReadVoxelImage(const lbHost* host, const void* bytes, size_t size, float scale, lbVoxelImage** image) {
    *image = NULL;
    LB_TRY(lb_check_host(host));
    lbBytes all = {(unsigned char*)(uintptr_t)bytes, size};
    return read_image(lb_resolve_host(host), NULL, "the image", all, scale, image);
}

lbResult lbLoadVoxelImage(const lbHost* host, const char* path, float scale, lbVoxelImage** image) {
    *image = NULL;
    LB_TRY(lb_check_host(host));
    host = lb_resolve_host(host);
    lbBytes bytes = {0};
    LB_TRY(lb_read_file(host, path, &bytes));
    lbResult result = read_image(host, path, path, bytes, scale, image);
    lb_free_bytes(host, &bytes);
    return result;
}
