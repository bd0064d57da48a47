/* Responses as files: a header, the surface, and the lower triangle of the compliance in blocks of nine. Nothing in a
 * file is believed: counts, indices and numbers are looked at before they are used. */
#include "base/file.h"
#include "base/result.h"
#include "bem/response.h"

#include <string.h>

static const char magic[8] = {'L', 'B', 'R', '\r', '\n', 0x1a, '\n', 0};
enum { byteOrder = 0x01020304, formatVersion = 1, mostPoints = 100000 };

typedef struct Header {
    char magic[8];
    uint32_t byteOrder, version;
    uint64_t size;     /* bytes, of all */
    uint64_t checksum; /* FNV-1a of all bytes, this one taken as 0 */
    int32_t pointCount, triangleCount, freeCount, unused;
    double mass, center[3];
} Header;

static uint64_t count_blocks(int64_t freeCount) {
    return (uint64_t)(freeCount * (freeCount + 1) / 2);
}

static uint64_t file_size(const Header* header) {
    return sizeof(Header) + (uint64_t)header->pointCount * (3 * sizeof(float) + sizeof(int32_t)) +
           (uint64_t)header->triangleCount * (3 * sizeof(int32_t) + sizeof(lbSkinMatter)) +
           count_blocks(header->freeCount) * 9 * sizeof(float);
}

static Header header_of(const lbResponse* made) {
    Header header = {.byteOrder = byteOrder,
                     .version = formatVersion,
                     .pointCount = made->pointCount,
                     .triangleCount = made->triangleCount,
                     .freeCount = made->freeCount,
                     .mass = made->mass,
                     .center = {made->center[0], made->center[1], made->center[2]}};
    memcpy(header.magic, magic, sizeof(magic));
    header.size = file_size(&header);
    return header;
}

size_t lbResponse_GetFileSize(const lbResponse* made) {
    Header header = header_of(made);
    return (size_t)header.size;
}

/* ---- Writing -------------------------------------------------------------------------------------------------------
 */

/* Row i of blocks: (i + 1) x 9. */
static void gather_row(const lbResponse* made, int i, float* row) {
    for (int j = 0; j <= i; ++j) {
        for (int k = 0; k < 9; ++k) {
            row[9 * j + k] = lb_response_column(made, j, k % 3)[3 * i + k / 3];
        }
    }
}

/* To a file, or only to a sum. */
static uint64_t pass(const lbResponse* made, lbFile* file, float* row) {
    const struct {
        const void* data;
        size_t bytes;
    } parts[] = {{made->rest, 3 * (size_t)made->pointCount * sizeof(float)},
                 {made->freeOf, (size_t)made->pointCount * sizeof(int)},
                 {made->triangles, 3 * (size_t)made->triangleCount * sizeof(int)},
                 {made->matter, (size_t)made->triangleCount * sizeof(lbSkinMatter)}};
    Header header = header_of(made);
    uint64_t hash = lb_hash(LB_HASH_START, &header, sizeof(header));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        hash = lb_hash(hash, parts[i].data, parts[i].bytes);
        if (file != NULL) {
            lb_write(file, parts[i].data, parts[i].bytes);
        }
    }
    for (int i = 0; i < made->freeCount; ++i) {
        size_t bytes = 9 * ((size_t)i + 1) * sizeof(float);
        gather_row(made, i, row);
        hash = lb_hash(hash, row, bytes);
        if (file != NULL) {
            lb_write(file, row, bytes);
        }
    }
    return hash;
}

lbResult lb_sum_response(lbResponse* made) {
    float* row = LB_NEW(made->host, float, 9 * ((int64_t)made->freeCount + 1));
    if (row == NULL) {
        return lb_out_of_memory("a response");
    }
    made->checksum = pass(made, NULL, row);
    lb_release(made->host, row);
    return lb_success();
}

lbResult lbResponse_Save(const lbResponse* made, const char* path) {
    float* row = LB_NEW(made->host, float, 9 * ((int64_t)made->freeCount + 1));
    if (row == NULL) {
        return lb_out_of_memory("a file");
    }
    Header header = header_of(made);
    header.checksum = made->checksum;
    lbFile file = {0};
    lbResult result = lb_open_file(made->host, path, &file);
    if (result.code == lb_ok) {
        lb_write(&file, &header, sizeof(header));
        pass(made, &file, row);
        result = lb_commit_file(&file);
        lb_discard_file(&file);
    }
    lb_release(made->host, row);
    return result;
}

/* ---- Reading -------------------------------------------------------------------------------------------------------
 */

static lbResult check_header(const lbBytes* bytes, Header* header) {
    if (bytes->size < sizeof(Header)) {
        return lb_error(lb_errorFormat,
                        "has %zu bytes; a precomputed response has at least %zu: truncated, or no such file",
                        bytes->size, sizeof(Header));
    }
    memcpy(header, bytes->data, sizeof(*header));
    if (memcmp(header->magic, magic, sizeof(magic)) != 0) {
        return lb_error(lb_errorFormat, "is no precomputed response: its first bytes are not those of one");
    }
    if (header->byteOrder != byteOrder) {
        return lb_error(lb_errorFormat, "was written by a machine of another byte order; precompute it anew");
    }
    if (header->version != formatVersion) {
        return lb_error(lb_errorFormat, "is of version %u of its format; this build reads version %d",
                        (unsigned)header->version, formatVersion);
    }
    bool sound = header->pointCount > 0 && header->pointCount <= mostPoints && header->triangleCount > 0 &&
                 header->triangleCount <= 4 * mostPoints && header->freeCount > 0 &&
                 header->freeCount < header->pointCount && file_size(header) == header->size &&
                 isfinite(header->mass) && header->mass > 0 && isfinite(header->center[0]) &&
                 isfinite(header->center[1]) && isfinite(header->center[2]);
    if (!sound) {
        return lb_error(lb_errorFormat, "is damaged: its counts and its size do not go together");
    }
    if (header->size != bytes->size) {
        return lb_error(lb_errorFormat, "has %zu bytes; it should have %llu: truncated, or something was added",
                        bytes->size, (unsigned long long)header->size);
    }
    Header plain = *header;
    plain.checksum = 0;
    uint64_t hash = lb_hash(LB_HASH_START, &plain, sizeof(plain));
    if (lb_hash(hash, bytes->data + sizeof(Header), bytes->size - sizeof(Header)) != header->checksum) {
        return lb_error(lb_errorFormat, "is damaged: its checksum is wrong");
    }
    return lb_success();
}

static lbResult check_surface(const lbResponse* made) {
    for (int i = 0; i < 3 * made->pointCount; ++i) {
        if (!isfinite(made->rest[i])) {
            return lb_error(lb_errorFormat, "is damaged: point %d is not finite", i / 3);
        }
    }
    for (int i = 0; i < 3 * made->triangleCount; ++i) {
        if (made->triangles[i] < 0 || made->triangles[i] >= made->pointCount) {
            return lb_error(lb_errorFormat, "is damaged: triangle %d has point %d of %d", i / 3, made->triangles[i],
                            made->pointCount);
        }
    }
    for (int t = 0; t < made->triangleCount; ++t) {
        if (!(made->matter[t].mu > 0 && isfinite(made->matter[t].mu) && made->matter[t].nu > -1 &&
              made->matter[t].nu < 0.5f)) {
            return lb_error(lb_errorFormat, "is damaged: the matter below triangle %d makes no sense", t);
        }
    }
    return lb_success();
}

static lbResult fill_response(lbResponse* made, const Header* header, const unsigned char* from) {
    const struct {
        void* data;
        size_t bytes;
    } parts[] = {{made->rest, 3 * (size_t)made->pointCount * sizeof(float)},
                 {made->freeOf, (size_t)made->pointCount * sizeof(int)},
                 {made->triangles, 3 * (size_t)made->triangleCount * sizeof(int)},
                 {made->matter, (size_t)made->triangleCount * sizeof(lbSkinMatter)}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        memcpy(parts[i].data, from, parts[i].bytes);
        from += parts[i].bytes;
    }
    LB_TRY(check_surface(made));
    if (!lb_number_response(made)) {
        return lb_out_of_memory("a response");
    }
    if (made->freeCount != header->freeCount) {
        return lb_error(lb_errorFormat, "is damaged: %d points are free instead of %d", made->freeCount,
                        header->freeCount);
    }
    for (int i = 0; i < made->freeCount; ++i) {
        for (int j = 0; j <= i; ++j) {
            float block[9];
            memcpy(block, from, sizeof(block));
            from += sizeof(block);
            for (int k = 0; k < 9; ++k) {
                if (!isfinite(block[k])) {
                    return lb_error(lb_errorFormat, "is damaged: the compliance of points %d and %d is not finite", i,
                                    j);
                }
                lb_response_column(made, j, k % 3)[3 * i + k / 3] = block[k];
                lb_response_column(made, i, k / 3)[3 * j + k % 3] = block[k];
            }
        }
    }
    return lb_success();
}

lbResult lbOpenResponse(const char* path, const lbHost* host, lbResponse** made) {
    *made = NULL;
    LB_TRY(lb_check_host(host));
    host = lb_resolve_host(host);
    lbBytes bytes;
    LB_TRY(lb_read_file(host, path, &bytes));
    Header header;
    lbResult result = check_header(&bytes, &header);
    if (result.code == lb_ok && !lb_reserve_response(host, header.pointCount, header.triangleCount, made)) {
        result = lb_out_of_memory("a response");
    }
    if (result.code == lb_ok) {
        result = fill_response(*made, &header, bytes.data + sizeof(Header));
    }
    if (result.code == lb_ok) {
        (*made)->mass = header.mass;
        (*made)->checksum = header.checksum;
        memcpy((*made)->center, header.center, sizeof(header.center));
        lb_finish_response(*made);
    } else {
        lbDestroyResponse(*made);
        *made = NULL;
    }
    lb_free_bytes(host, &bytes);
    return lb_in_context(result, "%s", path);
}
