/* State as a stream of bytes: one walk over it serves its hash, its file, the check of a file and the return from it.
 *
 * A walk passes *structure*, which must be the same in the file and in the world that it is restored into, and *state*,
 * which changes as the world runs. */
#ifndef LIMBER_SRC_WALK_H
#define LIMBER_SRC_WALK_H

#include "base/file.h"
#include "base/math.h"

typedef enum lbWalkMode { lb_walkHash, lb_walkWrite, lb_walkCheck, lb_walkRead } lbWalkMode;

typedef struct lbWalk {
    lbWalkMode mode;
    uint64_t hash, size;
    lbFile* file;       /* lb_walkWrite: into a file, */
    unsigned char* out; /* or, where it is NULL, into memory (room), as far as that goes; `size` tells the whole */
    size_t room;
    const unsigned char* next; /* lb_walkCheck, lb_walkRead */
    const unsigned char* end;
    int lastIndex; /* what lb_walk_index found last */
    /* What was found wrong first; both NULL: nothing so far. */
    const char* mismatch; /* of the structure: it differs in this */
    const char* damage;   /* of the state: no world can have come to this */
} lbWalk;

bool lb_walk_is_sound(const lbWalk* walk);

/* Something that must be the same in the file and in the world. */
void lb_walk_structure(lbWalk* walk, const void* data, size_t size, const char* what);

/* Something that changes. Returns its bytes, in the world or in the file; NULL: the file has none. */
const void* lb_walk_state(lbWalk* walk, void* data, size_t size);
/* A checksum tells a damaged file, not a hostile one: whatever could lead astray later is looked at before it is let
 * in. */
void lb_walk_expect(lbWalk* walk, bool good, const char* what);
void lb_walk_range(lbWalk* walk, float* values, size_t count, float least, float most, const char* what);
void lb_walk_floats(lbWalk* walk, float* values, size_t count, const char* what); /* finite ones */
void lb_walk_doubles(lbWalk* walk, double* values, size_t count, const char* what);
void lb_walk_vector(lbWalk* walk, lbVec3* value, const char* what);
/* A time: finite, not negative. */
void lb_walk_seconds(lbWalk* walk, double* value, const char* what);
/* A number below `limit`, not negative. Returns it, in the world or in the file; 0 if there is none such. */
int lb_walk_index(lbWalk* walk, int* value, int limit, const char* what);

#endif
