/* Skins that whoever draws them can move by the nodes alone: those of hexahedra, each point within one of them, carried
 * by its eight corners (docs/protocol.md, "Skins on a lattice"). Sending nodes takes fewer bytes where the skin is
 * finer than the hexahedra. */
#ifndef LIMBER_SERVER_LATTICE_H
#define LIMBER_SERVER_LATTICE_H

#include "limber/limber.h"

/* How the skin of a body hangs on its nodes, as topologies hold it. */
typedef struct lbLattice {
    const lbHost* host;
    int pointCount;
    float sides[3];    /* m, of a hexahedron at rest */
    uint32_t* corners; /* (pointCount x 8) nodes; bits of the number of each: upper along x, y, z */
    float* shares;     /* (pointCount x 3) where a point is between the corners, along x, y, z */
    int8_t* normals;   /* (pointCount x 4) of the skin at rest, 127 is 1; the last 0 */
} lbLattice;

/* NULL in *lattice: the skin hangs on something else, or its nodes take more bytes than its points do. */
lbResult lb_create_lattice(const lbHost* host, const lbWorld* world, lbBodyId body, const lbShape* shape,
                           lbLattice** lattice);
void lb_destroy_lattice(lbLattice* lattice); /* NULL is fine */

/* 4-byte words of it in a topology; 0 of NULL. */
size_t lb_lattice_words(const lbLattice* lattice);
uint32_t* lb_write_lattice(uint32_t* at, const lbLattice* lattice); /* behind its last word */

/* Unit vectors as four bytes each, the last 0: 127 is 1. */
void lb_pack_normals(const float* normals, int count, int8_t* bytes);

#endif
