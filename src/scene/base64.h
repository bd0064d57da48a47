/* Bytes as text (RFC 4648), for files that a scene carries within itself. */
#ifndef LIMBER_SRC_BASE64_H
#define LIMBER_SRC_BASE64_H

#include "base/file.h"
#include "base/text.h"

void lb_text_base64(lbText* text, const void* data, size_t size);
/* White space is skipped; anything else that is no base64 is an error. Freed by lb_free_bytes. */
lbResult lb_decode_base64(const lbHost* host, const char* text, lbBytes* bytes);

#endif
