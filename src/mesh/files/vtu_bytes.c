/* The bytes of an array: in base64 or raw, packed or not. */
#include "mesh/files/vtu_data.h"

#include "base/result.h"
#include "mesh/files/unpack.h"

#include <string.h>

/* ---- A stream ---------------------------------------------------------------------------------------------------- */

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
    return lb_vtu_array_error(file, tag, words.message);
}

static lbResult read_plain(const lbVtuFile* file, const lbXmlTag* tag, Stream* stream, lbBytes* bytes) {
    uint64_t size = 0;
    if (!take_length(file, stream, &size)) {
        return lb_vtu_array_error(file, tag, "has no data");
    }
    if (size > room(stream)) {
        return too_long(file, tag, size);
    }
    bytes->data = lb_allocate(file->host, (int64_t)size, 1);
    bytes->size = size;
    if (bytes->data == NULL) {
        return lb_vtu_out_of_memory(file);
    }
    return take(stream, bytes->data, size) ? lb_success()
                                           : lb_vtu_array_error(file, tag, "ends too early, or is no base64");
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
        return lb_vtu_array_error(file, tag, "has no data");
    }
    if (blocks->count == 0) {
        return lb_success();
    }
    if (!take_length(file, stream, &blocks->size) || !take_length(file, stream, &blocks->lastSize)) {
        return lb_vtu_array_error(file, tag, "ends too early, or is no base64");
    }
    if (blocks->count > room(stream) / (uint64_t)file->headerBytes) {
        return too_long(file, tag, blocks->count);
    }
    blocks->packedSizes = LB_NEW(file->host, uint64_t, (int64_t)blocks->count);
    if (blocks->packedSizes == NULL) {
        return lb_vtu_out_of_memory(file);
    }
    uint64_t sum = 0, most = room(stream);
    for (uint64_t i = 0; i < blocks->count; ++i) {
        uint64_t* size = &blocks->packedSizes[i];
        if (!take_length(file, stream, size)) {
            return lb_vtu_array_error(file, tag, "ends too early, or is no base64");
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
            return lb_vtu_array_error(file, tag, "ends too early, or is no base64");
        }
        if (!file->unpack(packed, blocks->packedSizes[i], bytes->data + used, size)) {
            lbResult words =
                lb_error(lb_errorFormat, "cannot be unpacked: block %llu of it is damaged", (unsigned long long)i);
            return lb_vtu_array_error(file, tag, words.message);
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
                                                       : lb_vtu_out_of_memory(file);
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
        return lb_vtu_array_error(file, tag, "has no format that can be read: ascii, binary or appended");
    }
    int64_t offset = 0;
    LB_TRY(lb_vtu_count(file, tag, "offset", &offset));
    if (file->appended == NULL || offset > file->scan.end - file->appended) {
        return lb_vtu_array_error(
            file, tag, file->appended == NULL ? "is appended, but nothing is" : "begins behind the end of the file");
    }
    *stream = (Stream){.at = file->appended + offset, .end = file->scan.end, .base64 = file->appendedBase64};
    return lb_success();
}

lbResult lb_read_vtu_bytes(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, lbBytes* bytes) {
    Stream stream;
    *bytes = (lbBytes){0};
    LB_TRY(open_stream(file, tag, text, &stream));
    return file->unpack != NULL ? read_packed(file, tag, &stream, bytes) : read_plain(file, tag, &stream, bytes);
}
