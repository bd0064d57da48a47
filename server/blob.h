/* A message on its way out: bytes that several clients share and that never change once they are made. */
#ifndef LIMBER_SERVER_BLOB_H
#define LIMBER_SERVER_BLOB_H

#include "base/text.h"

#include <stdatomic.h>

enum { lb_blobHeadroom = 64 }; /* bytes before the contents, for whoever sends them to put a header there */

typedef struct lbBlob {
    const lbHost* host;
    atomic_int references;
    uint64_t sequence; /* the order in which messages are sent */
    size_t size;
    unsigned char* bytes; /* (size), with lb_blobHeadroom before them; aligned to 4 */
} lbBlob;

/* NULL if there is no memory. The one who makes it holds the first reference. */
lbBlob* lb_create_blob(const lbHost* host, uint64_t sequence, size_t size);
/* Takes over the text, which is empty afterwards. */
lbBlob* lb_blob_from_text(uint64_t sequence, lbText* text);
/* One more reference to it; NULL stays NULL. */
lbBlob* lb_hold_blob(lbBlob* blob);
void lb_drop_blob(lbBlob* blob); /* NULL is fine */

#endif
