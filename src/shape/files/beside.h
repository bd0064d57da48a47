/* What lies beside a file: names of its neighbours, and textures. */
#ifndef LIMBER_SRC_BESIDE_H
#define LIMBER_SRC_BESIDE_H

#include "limber/shape.h"

/* The ending of a path in small letters with its dot, "" if there is none or it is longer than 15 characters. */
typedef struct lbExtension {
    char text[16];
} lbExtension;
lbExtension lb_path_extension(const char* path);

/* The path of `name` as seen from the folder of `path`; an absolute name stays. Backslashes of foreign systems become
 * slashes. NULL if there is no memory. To be released. */
char* lb_path_beside(const lbHost* host, const char* path, const char* name);
/* The part of a path behind its last slash or backslash. */
const char* lb_path_file(const char* path);

/* ".png" or ".jpg" by what the bytes are, NULL if they are neither. */
const char* lb_picture_extension(const unsigned char* bytes, size_t size);

enum { lb_textureLimit = 1 << 26 }; /* bytes */

/* Reads the texture a material names, if it is there, a PNG or JPEG, and not larger than the limit; a warning in the
 * log if not. The bytes belong to the host. */
void lb_load_texture(const lbHost* host, const char* path, lbShapeMaterial* material);

#endif
