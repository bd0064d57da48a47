/* Unpacking what zlib packed. */
#ifndef LIMBER_SRC_INFLATE_H
#define LIMBER_SRC_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Packed data are never more than this many times shorter: a stored length that claims more is a lie. */
enum { lb_mostInflation = 1032 };

/* `packed` is a zlib stream that unpacks to `size` bytes, neither more nor less, with the right checksum; else false.
 */
bool lb_inflate(const unsigned char* packed, size_t packedSize, unsigned char* out, size_t size);

#endif
