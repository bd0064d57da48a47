#include "mesh/files/vtu_data.h"

#include "base/file.h"
#include "base/result.h"
#include "mesh/files/inflate.h"
#include "mesh/files/values.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct ValueType {
    const char* name;
    int size; /* bytes */
    bool isReal, isUnsigned;
} ValueType;

static const ValueType valueTypes[] = {
    {"Int8", 1, false, false},   {"UInt8", 1, false, true},   {"Int16", 2, false, false}, {"UInt16", 2, false, true},
    {"Int32", 4, false, false},  {"UInt32", 4, false, true},  {"Int64", 8, false, false}, {"UInt64", 8, false, true},
    {"Float32", 4, true, false}, {"Float64", 8, true, false},
};

/* ---- Words ------------------------------------------------------------------------------------------------------- */

lbResult lb_vtu_error(const lbVtuFile* file, const char* place, const char* format, ...) {
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    return lb_place_error(file->path, false, lb_xml_line(&file->scan, place), "%s", words);
}

lbResult lb_vtu_count(const lbVtuFile* file, const lbXmlTag* tag, const char* attribute, int64_t* count) {
    lbWord value = {"", 0};
    lb_find_attribute(tag, attribute, &value);
    lbTextScan scan = {value.text, value.text + value.length, 1};
    if (!lb_scan_integer(&scan, count) || *count < 0) {
        return lb_vtu_error(file, tag->place, "expected %s with a number in <%.*s>, found '%.*s'", attribute,
                            (int)tag->name.length, tag->name.text, value.length > 40 ? 40 : (int)value.length,
                            value.text);
    }
    return lb_success();
}

/* An array's name, for messages. */
static lbWord name_of(const lbXmlTag* tag) {
    lbWord name = {"", 0};
    lb_find_attribute(tag, "Name", &name);
    name.length = name.length > 40 ? 40 : name.length;
    return name;
}

static lbResult array_error(const lbVtuFile* file, const lbXmlTag* tag, const char* what) {
    lbWord name = name_of(tag);
    return lb_vtu_error(file, tag->place, "the array '%.*s' %s", (int)name.length, name.text, what);
}

static lbResult out_of_memory(const lbVtuFile* file) {
    return lb_error(lb_errorMemory, "%s: out of memory", file->path);
}

static lbResult find_type(const lbVtuFile* file, const lbXmlTag* tag, const ValueType** type) {
    for (size_t i = 0; i < sizeof(valueTypes) / sizeof(valueTypes[0]); ++i) {
        if (lb_attribute_is(tag, "type", valueTypes[i].name)) {
            *type = &valueTypes[i];
            return lb_success();
        }
    }
    return array_error(file, tag, "has no type that can be read, as Float64 or Int32");
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

/* Bytes one after another, raw or in base64. */
typedef struct Stream {
    const char *at, *end;
    bool base64;
    unsigned char group[3]; /* decoded but not taken yet */
    int groupSize, groupUsed;
} Stream;

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
           : c == '='             ? 64
                                  : -1;
}

/* Four characters make up to three bytes. Groups with '=' may stand before others: lengths and data are encoded each by
 * itself. */
static bool decode_group(Stream* stream) {
    int digits[4], count = 0;
    while (count < 4 && stream->at < stream->end) {
        char c = *stream->at++;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        digits[count] = base64_digit(c);
        if (digits[count] < 0 || (count > 0 && digits[count] < 64 && digits[count - 1] == 64)) {
            return false;
        }
        ++count;
    }
    if (count < 4 || digits[1] == 64) {
        return false;
    }
    int padding = (digits[3] == 64) + (digits[2] == 64);
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits = bits << 6 | (unsigned)(digits[i] & 63);
    }
    for (int i = 0; i < 3; ++i) {
        stream->group[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    stream->groupSize = 3 - padding;
    stream->groupUsed = 0;
    return true;
}

static bool take(Stream* stream, void* bytes, uint64_t size) {
    unsigned char* out = bytes;
    if (!stream->base64) {
        if (size > (uint64_t)(stream->end - stream->at)) {
            return false;
        }
        memcpy(out, stream->at, size);
        stream->at += size;
        return true;
    }
    for (uint64_t i = 0; i < size; ++i) {
        if (stream->groupUsed == stream->groupSize && !decode_group(stream)) {
            return false;
        }
        out[i] = stream->group[stream->groupUsed++];
    }
    return true;
}

/* Bytes that can be left at most. */
static uint64_t room(const Stream* stream) {
    uint64_t left = (uint64_t)(stream->end - stream->at);
    return stream->base64 ? left / 4 * 3 + 3 : left;
}

static bool take_length(const lbVtuFile* file, Stream* stream, uint64_t* length) {
    unsigned char bytes[8];
    if (!take(stream, bytes, (uint64_t)file->headerBytes)) {
        return false;
    }
    *length = 0;
    for (int i = 0; i < file->headerBytes; ++i) {
        *length |= (uint64_t)bytes[i] << 8 * (file->bigEndian ? file->headerBytes - 1 - i : i);
    }
    return true;
}

static lbResult too_long(const lbVtuFile* file, const lbXmlTag* tag, uint64_t size) {
    lbResult words =
        lb_error(lb_errorFormat, "says it has %llu bytes, more than the file holds", (unsigned long long)size);
    return array_error(file, tag, words.message);
}

static lbResult read_plain(const lbVtuFile* file, const lbXmlTag* tag, Stream* stream, lbBytes* bytes) {
    uint64_t size = 0;
    if (!take_length(file, stream, &size)) {
        return array_error(file, tag, "has no data");
    }
    if (size > room(stream)) {
        return too_long(file, tag, size);
    }
    bytes->data = lb_allocate(file->host, (int64_t)size, 1);
    bytes->size = size;
    if (bytes->data == NULL) {
        return out_of_memory(file);
    }
    return take(stream, bytes->data, size) ? lb_success() : array_error(file, tag, "ends too early, or is no base64");
}

/* ---- Packed bytes ------------------------------------------------------------------------------------------------ */

typedef struct Blocks {
    uint64_t count, size, lastSize; /* bytes of each when unpacked, and of the last */
    uint64_t* packedSizes;          /* (count) */
    uint64_t largest;               /* of them */
} Blocks;

static uint64_t block_size(const Blocks* blocks, uint64_t block) {
    return block + 1 == blocks->count && blocks->lastSize != 0 ? blocks->lastSize : blocks->size;
}

/* The number of blocks, their size, the size of the last one if it is shorter, and the packed size of each. */
static lbResult read_blocks(const lbVtuFile* file, const lbXmlTag* tag, Stream* stream, Blocks* blocks) {
    if (!take_length(file, stream, &blocks->count)) {
        return array_error(file, tag, "has no data");
    }
    if (blocks->count == 0) {
        return lb_success();
    }
    if (!take_length(file, stream, &blocks->size) || !take_length(file, stream, &blocks->lastSize)) {
        return array_error(file, tag, "ends too early, or is no base64");
    }
    if (blocks->count > room(stream) / (uint64_t)file->headerBytes) {
        return too_long(file, tag, blocks->count);
    }
    blocks->packedSizes = LB_NEW(file->host, uint64_t, (int64_t)blocks->count);
    if (blocks->packedSizes == NULL) {
        return out_of_memory(file);
    }
    uint64_t sum = 0, most = room(stream);
    for (uint64_t i = 0; i < blocks->count; ++i) {
        uint64_t* size = &blocks->packedSizes[i];
        if (!take_length(file, stream, size)) {
            return array_error(file, tag, "ends too early, or is no base64");
        }
        if (*size > most - sum || block_size(blocks, i) > *size * lb_mostInflation) {
            return too_long(file, tag, *size > most - sum ? *size : block_size(blocks, i));
        }
        sum += *size;
        blocks->largest = *size > blocks->largest ? *size : blocks->largest;
    }
    return lb_success();
}

static lbResult unpack_blocks(const lbVtuFile* file, const lbXmlTag* tag, Stream* stream, const Blocks* blocks,
                              lbBytes* bytes, unsigned char* packed) {
    size_t used = 0;
    for (uint64_t i = 0; i < blocks->count; ++i) {
        size_t size = block_size(blocks, i);
        if (!take(stream, packed, blocks->packedSizes[i])) {
            return array_error(file, tag, "ends too early, or is no base64");
        }
        if (!lb_inflate(packed, blocks->packedSizes[i], bytes->data + used, size)) {
            lbResult words =
                lb_error(lb_errorFormat, "cannot be unpacked: block %llu of it is damaged", (unsigned long long)i);
            return array_error(file, tag, words.message);
        }
        used += size;
    }
    return lb_success();
}

static lbResult read_packed(const lbVtuFile* file, const lbXmlTag* tag, Stream* stream, lbBytes* bytes) {
    Blocks blocks = {0};
    lbResult result = read_blocks(file, tag, stream, &blocks);
    if (result.code == lb_ok) {
        for (uint64_t i = 0; i < blocks.count; ++i) {
            bytes->size += block_size(&blocks, i);
        }
        bytes->data = lb_allocate(file->host, (int64_t)bytes->size, 1);
        unsigned char* packed = lb_allocate(file->host, (int64_t)blocks.largest, 1);
        result = bytes->data != NULL && packed != NULL ? unpack_blocks(file, tag, stream, &blocks, bytes, packed)
                                                       : out_of_memory(file);
        lb_release(file->host, packed);
    }
    lb_release(file->host, blocks.packedSizes);
    return result;
}

/* Where an array's bytes begin. */
static lbResult open_stream(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, Stream* stream) {
    if (lb_attribute_is(tag, "format", "binary")) {
        *stream = (Stream){.at = text.text, .end = text.text + text.length, .base64 = true};
        return lb_success();
    }
    if (!lb_attribute_is(tag, "format", "appended")) {
        return array_error(file, tag, "has no format that can be read: ascii, binary or appended");
    }
    int64_t offset = 0;
    LB_TRY(lb_vtu_count(file, tag, "offset", &offset));
    if (file->appended == NULL || offset > file->scan.end - file->appended) {
        return array_error(
            file, tag, file->appended == NULL ? "is appended, but nothing is" : "begins behind the end of the file");
    }
    *stream = (Stream){.at = file->appended + offset, .end = file->scan.end, .base64 = file->appendedBase64};
    return lb_success();
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Where decoded values go: one of the two. */
typedef struct Target {
    lbIntegerList* integers;
    lbRealList* reals;
} Target;

static bool push(const lbHost* host, const Target* target, bool isReal, double real, int64_t integer) {
    if (target->integers != NULL) {
        int64_t value = isReal ? (int64_t)lb_region_of_real(real) : integer;
        return LB_PUSH(host, target->integers, value);
    }
    double value = isReal ? real : (double)integer;
    return LB_PUSH(host, target->reals, value);
}

static bool reserve(const lbHost* host, const Target* target, int64_t count) {
    if (target->integers != NULL) {
        int64_t needed = target->integers->count + count;
        return needed <= INT_MAX / 2 && lb_array_reserve(host, (void**)&target->integers->data,
                                                         &target->integers->capacity, (int)needed, sizeof(int64_t));
    }
    int64_t needed = target->reals->count + count;
    return needed <= INT_MAX / 2 &&
           lb_array_reserve(host, (void**)&target->reals->data, &target->reals->capacity, (int)needed, sizeof(double));
}

/* The next value of either kind. */
static bool next_value(lbValues* values, const ValueType* type, double* real, int64_t* integer) {
    if (type->isReal) {
        return lb_read_real(values, type->size, real);
    }
    if (!lb_read_integer(values, type->size, integer)) {
        return false;
    }
    if (values->binary && type->isUnsigned && type->size < 8) {
        *integer &= (INT64_C(1) << 8 * type->size) - 1;
    }
    return true;
}

static lbResult count_error(const lbVtuFile* file, const lbXmlTag* tag, int64_t found, int64_t count) {
    lbResult words = lb_error(lb_errorFormat, "has %lld values; expected %lld", (long long)found, (long long)count);
    return array_error(file, tag, words.message);
}

static lbResult read_text_values(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                                 const ValueType* type, const Target* target) {
    lbValues values = lb_values_of_text(file->path, text.text, text.length);
    values.scan.line = lb_xml_line(&file->scan, text.text);
    if (count >= 0) {
        LB_TRY(lb_check_promise(&values, count, 1, 1, "values of an array"));
    }
    for (int64_t found = 0;; ++found) {
        double real = 0;
        int64_t integer = 0;
        lb_values_skip_space(&values);
        if (lb_values_left(&values) == 0) {
            return count < 0 || found == count ? lb_success() : count_error(file, tag, found, count);
        }
        if (found == count) {
            return count_error(file, tag, count + 1, count);
        }
        if (!next_value(&values, type, &real, &integer)) {
            return lb_values_error(&values, "%s of the array '%.*s'", type->isReal ? "a finite number" : "an integer",
                                   (int)name_of(tag).length, name_of(tag).text);
        }
        if (!push(file->host, target, type->isReal, real, integer)) {
            return out_of_memory(file);
        }
    }
}

static lbResult read_binary_values(const lbVtuFile* file, const lbXmlTag* tag, const lbBytes* bytes, int64_t count,
                                   const ValueType* type, const Target* target) {
    int64_t found = (int64_t)(bytes->size / (size_t)type->size);
    if (bytes->size % (size_t)type->size != 0 || (count >= 0 && found != count)) {
        return count_error(file, tag, found, count < 0 ? found + 1 : count);
    }
    if (!reserve(file->host, target, found)) {
        return out_of_memory(file);
    }
    const char* start = (const char*)bytes->data;
    lbValues values = {.path = file->path, .start = start, .binary = true, .bigEndian = file->bigEndian};
    values.scan = (lbTextScan){start, start + bytes->size, 1};
    for (int64_t i = 0; i < found; ++i) {
        double real = 0;
        int64_t integer = 0;
        if (!next_value(&values, type, &real, &integer) || !push(file->host, target, type->isReal, real, integer)) {
            return out_of_memory(file);
        }
    }
    return lb_success();
}

static lbResult read_values(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                            const Target* target) {
    const ValueType* type = NULL;
    LB_TRY(find_type(file, tag, &type));
    if (lb_attribute_is(tag, "format", "ascii")) {
        return read_text_values(file, tag, text, count, type, target);
    }
    Stream stream;
    LB_TRY(open_stream(file, tag, text, &stream));
    lbBytes bytes = {0};
    lbResult result = file->packed ? read_packed(file, tag, &stream, &bytes) : read_plain(file, tag, &stream, &bytes);
    if (result.code == lb_ok) {
        result = read_binary_values(file, tag, &bytes, count, type, target);
    }
    lb_release(file->host, bytes.data);
    return result;
}

lbResult lb_read_vtu_integers(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                              lbIntegerList* list) {
    return read_values(file, tag, text, count, &(Target){.integers = list});
}

lbResult lb_read_vtu_reals(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count, lbRealList* list) {
    return read_values(file, tag, text, count, &(Target){.reals = list});
}
