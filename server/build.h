/* A scene as it was built, as far as clients need to know it: constant, and shared by the thread that simulates and the
 * one that serves, which goes on using an old one until it has seen the new. */
#ifndef LIMBER_SERVER_BUILD_H
#define LIMBER_SERVER_BUILD_H

#include "limber/limber.h"
#include "server/blob.h"
#include "server/document.h"
#include "server/lattice.h"

typedef struct lbBuild {
    const lbHost* host;
    atomic_int references;
    uint64_t sequence; /* as lbBlob */
    uint32_t revision;
    double frameRate; /* 1/s */
    int bodyCount, columnCount;
    lbShape** shapes;     /* (bodyCount) copies: they outlive the world */
    int* nodeCounts;      /* (bodyCount) */
    lbLattice** lattices; /* (bodyCount) what clients can move the skin by; NULL: nothing */
    int toolCount;        /* of the scene */
    int* toolPointCounts; /* (toolCount) of those that change their shape, else 0 */
    int toolPointCount;   /* their sum */
    lbBlob* scene;        /* the message `scene` */
    lbBlob** topologies;  /* (bodyCount) */
} lbBuild;

/* Describes a scene that was just built from the document. */
lbResult lb_create_build(const lbHost* host, lbScene* scene, const lbValue* document, uint32_t revision,
                         uint64_t sequence, lbBuild** build);
lbBuild* lb_hold_build(lbBuild* build); /* NULL stays NULL */
void lb_drop_build(lbBuild* build);     /* NULL is fine */

/* The bytes of a body's texture (PNG or JPEG) as they were in its file; false if there is none. */
bool lb_build_texture(const lbBuild* build, int body, int material, const unsigned char** bytes, size_t* size);

#endif
