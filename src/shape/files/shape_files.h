/* Shapes in files: what each reader and writer offers to load.c and save.c. */
#ifndef LIMBER_SRC_SHAPE_FILES_H
#define LIMBER_SRC_SHAPE_FILES_H

#include "limber/shape.h"

/* A file's contents, to be parsed. */
typedef struct lbShapeSource {
    const lbHost* host;
    const unsigned char* bytes;
    size_t size;
    const char* path; /* for messages, and to find what the file names (materials, textures) beside it */
    bool alone;       /* open no other file */
} lbShapeSource;

lbResult lb_parse_obj(const lbShapeSource* source, lbShape** shape);
lbResult lb_parse_stl(const lbShapeSource* source, lbShape** shape);
lbResult lb_parse_ply(const lbShapeSource* source, lbShape** shape);

/* Whether the bytes are of that format, whatever the file is called. */
bool lb_looks_like_obj(const unsigned char* bytes, size_t size);
bool lb_looks_like_stl(const unsigned char* bytes, size_t size);
bool lb_looks_like_ply(const unsigned char* bytes, size_t size);

/* glTF and what else Assimp reads. `extension` as ".glb". */
bool lb_assimp_reads(const char* extension);
/* `extension`: what the file is, if its name does not say so (it then has to be in one piece); NULL if it does. */
lbResult lb_import_by_assimp(const lbShapeSource* source, const char* extension, lbShape** shape);

/* Whether a shape can be written there, by the ending of the path. */
lbResult lb_check_shape_path(const char* path);
lbResult lb_write_obj(const lbShape* shape, const char* path);
lbResult lb_write_stl(const lbShape* shape, const char* path);
lbResult lb_write_ply(const lbShape* shape, const char* path);
lbResult lb_write_glb(const lbShape* shape, const char* path);

#endif
