#include "server/blob.h"

#include "base/memory.h"

#include <string.h>

lbBlob* lb_create_blob(const lbHost* host, uint64_t sequence, size_t size) {
    if (size > INT64_MAX / 2) {
        return NULL;
    }
    lbBlob* blob = LB_NEW(host, lbBlob, 1);
    unsigned char* memory = lb_allocate(host, (int64_t)size + lb_blobHeadroom, 1);
    if (blob == NULL || memory == NULL) {
        lb_release(host, blob);
        lb_release(host, memory);
        return NULL;
    }
    blob->host = host;
    blob->sequence = sequence;
    blob->size = size;
    blob->bytes = memory + lb_blobHeadroom;
    atomic_init(&blob->references, 1);
    return blob;
}

lbBlob* lb_blob_from_text(uint64_t sequence, lbText* text) {
    lbBlob* blob = text->failed ? NULL : lb_create_blob(text->host, sequence, text->size);
    if (blob != NULL && text->size > 0) {
        memcpy(blob->bytes, text->data, text->size);
    }
    lb_text_free(text);
    return blob;
}

lbBlob* lb_hold_blob(lbBlob* blob) {
    if (blob != NULL) {
        atomic_fetch_add(&blob->references, 1);
    }
    return blob;
}

void lb_drop_blob(lbBlob* blob) {
    if (blob != NULL && atomic_fetch_sub(&blob->references, 1) == 1) {
        const lbHost* host = blob->host;
        lb_release(host, blob->bytes - lb_blobHeadroom);
        lb_release(host, blob);
    }
}
