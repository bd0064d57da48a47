/* Frames as bytes (docs/protocol.md). */
#ifndef LIMBER_SERVER_FRAMES_H
#define LIMBER_SERVER_FRAMES_H

#include "server/snapshot.h"

/* What a client wants to see of a frame. */
typedef struct lbView {
    int field; /* an lbFieldKind, or -1 */
    bool nodes;
    bool lattice; /* nodes instead of points where the skin hangs on a lattice */
} lbView;

/* A frame in the making; its memory is used again. */
typedef struct lbFrameBuffer {
    const lbHost* host;
    unsigned char* memory;
    size_t capacity;
    float* normals; /* scratch */
    int normalCapacity;
    size_t size;          /* of the frame */
    unsigned char* bytes; /* (size), with lb_blobHeadroom before them */
    double seconds;       /* that it took */
} lbFrameBuffer;

/* False if there is no memory. */
bool lb_encode_frame(lbFrameBuffer* buffer, const lbSnapshot* snapshot, lbView view);
/* Puts in what differs between clients. */
void lb_stamp_frame(lbFrameBuffer* buffer, double dropped);
void lb_free_frame_buffer(lbFrameBuffer* buffer);

#endif
