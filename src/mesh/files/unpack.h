/* Unpacking what zlib or LZ4 packed. */
#ifndef LIMBER_SRC_UNPACK_H
#define LIMBER_SRC_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/* Packed data are never more than this many times shorter: a stored length that claims more is a lie. */
enum { lb_mostInflation = 1032 };

/* Unpacks to `size` bytes, neither more nor less; else false. */
typedef bool lbUnpackFn(const unsigned char* packed, size_t packedSize, unsigned char* out, size_t size);

/* A zlib stream, with the right checksum. */
lbUnpackFn lb_inflate;
/* A gzip file of one member, with the right checksum. */
lbUnpackFn lb_gunzip;
/* A block of LZ4. */
lbUnpackFn lb_unpack_lz4;

#endif
