/* The world's state as a stream of bytes: one walk serves the hash, the file, its check and its return.
 *
 * File: "LIMBERST", version, payload size, checksum of the payload, payload. The payload mixes structure (which
 * objects there are, and of what size), which must agree with the world it is restored into, and state. */
#include "world/world.h"

#include "base/file.h"
#include "base/result.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Header {
    char magic[8];
    uint32_t version, reserved;
    uint64_t payloadSize, checksum;
} Header;

enum { stateVersion = 1 };

static const char magic[8] = {'L', 'I', 'M', 'B', 'E', 'R', 'S', 'T'};

/* What the walk does with each field. */
typedef enum WalkMode { walkHash, walkWrite, walkCheck, walkRead } WalkMode;

typedef struct Walk {
    WalkMode mode;
    uint64_t hash, size;
    lbFile* file;              /* walkWrite */
    const unsigned char* next; /* walkCheck, walkRead */
    const unsigned char* end;
    /* What was found wrong first; both NULL: nothing so far. */
    const char* mismatch; /* of the structure: it differs in this */
    const char* damage;   /* of the state: no world can have come to this */
} Walk;

static bool is_sound(const Walk* walk) {
    return walk->mismatch == NULL && walk->damage == NULL;
}

/* Bytes of the payload, or NULL if there are not that many left. */
static const void* take(Walk* walk, size_t size) {
    if ((size_t)(walk->end - walk->next) < size) {
        walk->mismatch = is_sound(walk) ? "size" : walk->mismatch;
        return NULL;
    }
    const void* bytes = walk->next;
    walk->next += size;
    return bytes;
}

static void walk_out(Walk* walk, const void* data, size_t size) {
    walk->hash = lb_hash(walk->hash, data, size);
    walk->size += size;
    if (walk->mode == walkWrite && walk->file != NULL) {
        lb_write(walk->file, data, size);
    }
}

/* Something that changes as the world runs. Returns its bytes, in the world or in the file; NULL: the file has none. */
static const void* state(Walk* walk, void* data, size_t size) {
    if (walk->mode == walkHash || walk->mode == walkWrite) {
        walk_out(walk, data, size);
        return data;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && walk->mode == walkRead) {
        memcpy(data, bytes, size);
    }
    return bytes;
}

/* A checksum tells a damaged file, not a hostile one: whatever could lead astray later is looked at before it is let
 * in. */
static void expect(Walk* walk, bool good, const char* what) {
    if (walk->mode == walkCheck && !good && is_sound(walk)) {
        walk->damage = what;
    }
}

static void state_range(Walk* walk, float* values, size_t count, float least, float most, const char* what) {
    const unsigned char* bytes = state(walk, values, count * sizeof(float));
    for (size_t i = 0; walk->mode == walkCheck && bytes != NULL && i < count; ++i) {
        float value;
        memcpy(&value, bytes + i * sizeof(value), sizeof(value));
        expect(walk, value >= least && value <= most, what);
    }
}

/* Finite numbers. */
static void state_floats(Walk* walk, float* values, size_t count, const char* what) {
    state_range(walk, values, count, -FLT_MAX, FLT_MAX, what);
}

static void state_vector(Walk* walk, lbVec3* value, const char* what) {
    state_floats(walk, &value->x, 3, what);
}

/* A time: finite, not negative. */
static void state_seconds(Walk* walk, double* value, const char* what) {
    double found = 0;
    const void* bytes = state(walk, value, sizeof(*value));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    expect(walk, isfinite(found) && found >= 0, what);
}

/* A number below `limit`, not negative. Returns it, in the world or in the file; 0 if there is none such. */
static int state_index(Walk* walk, int* value, int limit, const char* what) {
    int found = 0;
    const void* bytes = state(walk, value, sizeof(*value));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    bool good = found >= 0 && found < limit;
    expect(walk, good, what);
    return good ? found : 0;
}

/* Something that must be the same in the file and in the world. */
static void structure(Walk* walk, const void* data, size_t size, const char* what) {
    if (walk->mode == walkHash || walk->mode == walkWrite) {
        walk_out(walk, data, size);
        return;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && memcmp(bytes, data, size) != 0 && is_sound(walk)) {
        walk->mismatch = what;
    }
}

static void walk_slots(Walk* walk, const lbSlots* slots, const char* what) {
    for (int i = 0; i < slots->count; ++i) {
        int32_t used = slots->items[i] != NULL;
        structure(walk, &used, sizeof(used), what);
    }
    int32_t end = -1;
    structure(walk, &end, sizeof(end), what);
}

static void walk_body(Walk* walk, lbBody* body) {
    const lbModel* model = body->model;
    int32_t counts[4] = {model->nodeCount, model->springCount, model->skin.pointCount,
                         body->integrator->historyVectors};
    structure(walk, counts, sizeof(counts), "a body's mesh");
    structure(walk, body->integrator->name, strlen(body->integrator->name), "a body's integrator");
    size_t vector = 4 * (size_t)model->nodeCount * sizeof(float);
    structure(walk, model->rest, vector, "a body's rest shape");
    size_t count = 4 * (size_t)model->nodeCount;
    state_floats(walk, body->x, count, "a position");
    state_floats(walk, body->v, count, "a velocity");
    state_floats(walk, body->history.vectors, count * (size_t)body->integrator->historyVectors, "an earlier step");
    state_index(walk, &body->history.filled, lb_mostFilled + 1, "the number of earlier steps");
    state_seconds(walk, &body->history.step, "the length of earlier steps");
    state_seconds(walk, &body->step, "the length of the last step");
}

static void walk_track(Walk* walk, lbTrack* track) {
    state_vector(walk, &track->x, "the track of a point");
    state_vector(walk, &track->v, "the track of a point");
    state_range(walk, &track->h, 1, 0, FLT_MAX, "the track of a point");
}

/* What contacts carry from step to step; the rest is found anew each frame. */
static void walk_contacts(Walk* walk, const lbWorld* world, const lbBody* body, lbContactSet* set) {
    int count = state_index(walk, &set->count, set->capacity + 1, "the number of contacts");
    for (int i = 0; i < count; ++i) {
        lbContact* contact = &set->contacts[i];
        int slot = state_index(walk, &contact->toolSlot, world->tools.count, "a contact's tool");
        lbTool* tool = slot < world->tools.count ? world->tools.items[slot] : NULL;
        expect(walk, tool != NULL, "a contact's tool");
        state_index(walk, &contact->point, body->model->skin.pointCount, "a contact's point");
        state_range(walk, &contact->impulse, 1, 0, FLT_MAX, "a contact's impulse");
        walk_track(walk, &contact->track);
        if (walk->mode == walkRead) {
            contact->tool = tool;
            contact->total = vec3(0, 0, 0);
        }
    }
}

static void walk_pose(Walk* walk, lbPose* pose) {
    state_vector(walk, &pose->position, "a tool's position");
    state_floats(walk, &pose->rotation.x, 4, "a tool's rotation");
}

static void walk_world(Walk* walk, lbWorld* world) {
    state_seconds(walk, &world->time, "the time");
    state_vector(walk, &world->gravity, "gravity");
    state_vector(walk, &world->wind, "the wind");
    walk_slots(walk, &world->bodies, "the bodies");
    walk_slots(walk, &world->tools, "the tools");
    walk_slots(walk, &world->pins, "the pins");
    walk_slots(walk, &world->loads, "the loads");
    walk_slots(walk, &world->muscles, "the muscles");
    walk_slots(walk, &world->grabs, "the grabs");
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        walk_body(walk, owner->body);
        walk_contacts(walk, world, owner->body, &owner->contacts);
    }
    LB_FOR_EACH(lbTool, tool, &world->tools) {
        walk_pose(walk, &tool->pose);
        walk_pose(walk, &tool->next);
        state_vector(walk, &tool->force, "the force on a tool");
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        structure(walk, &pin->heldCount, sizeof(pin->heldCount), "a pin's directions");
        structure(walk, pin->heldDirections, sizeof(pin->heldDirections), "a pin's directions");
        structure(walk, &pin->nodeCount, sizeof(pin->nodeCount), "a pin's nodes");
        state_vector(walk, &pin->offset, "a pin's offset");
        state_vector(walk, &pin->next, "a pin's offset");
        state_floats(walk, &pin->start->x, 3 * (size_t)pin->nodeCount, "a pin's place");
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        structure(walk, &muscle->placeCount, sizeof(muscle->placeCount), "a muscle's springs");
        state_range(walk, &muscle->length, 1, lb_shortestMuscle, lb_longestMuscle, "a muscle's length");
        state_range(walk, &muscle->next, 1, lb_shortestMuscle, lb_longestMuscle, "a muscle's length");
    }
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        state_vector(walk, &load->force, "a load's force");
        state_floats(walk, &load->pressure, 1, "a load's pressure");
    }
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        structure(walk, &grab->point, sizeof(grab->point), "a grab's point");
        state_vector(walk, &grab->target, "a grab's target");
        state_vector(walk, &grab->next, "a grab's target");
        walk_track(walk, &grab->track);
        state_vector(walk, &grab->force, "the force of a grab");
    }
}

uint64_t lbWorld_Hash(const lbWorld* world) {
    Walk walk = {.mode = walkHash, .hash = LB_HASH_START};
    walk_world(&walk, (lbWorld*)world); /* this mode reads only */
    return walk.hash;
}

lbResult lbWorld_Save(const lbWorld* world, const char* path) {
    Walk measure = {.mode = walkHash, .hash = LB_HASH_START};
    walk_world(&measure, (lbWorld*)world);
    Header header = {.version = stateVersion, .payloadSize = measure.size, .checksum = measure.hash};
    memcpy(header.magic, magic, sizeof(magic));
    lbFile file;
    LB_TRY(lb_open_file(world->host, path, &file));
    lb_write(&file, &header, sizeof(header));
    Walk write = {.mode = walkWrite, .hash = LB_HASH_START, .file = &file};
    walk_world(&write, (lbWorld*)world);
    return lb_commit_file(&file);
}

static lbResult check_file(const char* path, const lbBytes* bytes, Header* header) {
    if (bytes->size < sizeof(Header) || memcmp(bytes->data, magic, sizeof(magic)) != 0) {
        return lb_error(lb_errorFormat, "%s: not a state file of limber", path);
    }
    memcpy(header, bytes->data, sizeof(*header));
    if (header->version != stateVersion) {
        return lb_error(lb_errorFormat, "%s: is of version %u; this limber reads version %d", path, header->version,
                        stateVersion);
    }
    if (header->payloadSize != bytes->size - sizeof(Header)) {
        return lb_error(lb_errorFormat, "%s: should hold %llu bytes of state but holds %zu: it is truncated or damaged",
                        path, (unsigned long long)header->payloadSize, bytes->size - sizeof(Header));
    }
    if (lb_hash(LB_HASH_START, bytes->data + sizeof(Header), (size_t)header->payloadSize) != header->checksum) {
        return lb_error(lb_errorFormat, "%s: is damaged: its checksum does not match", path);
    }
    return lb_success();
}

static void after_restore(lbWorld* world) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->body->gravity = world->gravity;
        owner->body->wind = world->wind;
        lb_update_skin(owner->body, world->tasks);
        lb_apply_loads(world, owner);
    }
    lb_activate_muscles(world, 1);
}

lbResult lb_read_saved_time(const lbHost* host, const char* path, double* time) {
    lbBytes bytes;
    LB_TRY(lb_read_file(host, path, &bytes));
    Header header;
    lbResult result = check_file(path, &bytes, &header);
    if (result.code == lb_ok && header.payloadSize < sizeof(*time)) {
        result = lb_error(lb_errorFormat, "%s: holds no state", path);
    }
    if (result.code == lb_ok) {
        memcpy(time, bytes.data + sizeof(Header), sizeof(*time)); /* what walk_world writes first */
    }
    lb_free_bytes(host, &bytes);
    return result;
}

lbResult lb_restore_bytes(lbWorld* world, const char* path, const lbBytes* bytes) {
    Header header;
    LB_TRY(check_file(path, bytes, &header));
    const unsigned char* payload = bytes->data + sizeof(Header);
    Walk check = {.mode = walkCheck, .next = payload, .end = bytes->data + bytes->size};
    walk_world(&check, world);
    if (is_sound(&check) && check.next != check.end) {
        check.mismatch = "size";
    }
    if (check.mismatch != NULL) {
        return lb_error(lb_errorFormat, "%s: belongs to another world: it differs in %s", path, check.mismatch);
    }
    if (check.damage != NULL) {
        return lb_error(lb_errorFormat, "%s: is damaged: %s is out of range", path, check.damage);
    }
    Walk read = {.mode = walkRead, .next = payload, .end = bytes->data + bytes->size};
    walk_world(&read, world);
    after_restore(world);
    return lb_success();
}

lbResult lbWorld_Restore(lbWorld* world, const char* path) {
    lbBytes bytes;
    LB_TRY(lb_read_file(world->host, path, &bytes));
    lbResult result = lb_restore_bytes(world, path, &bytes);
    lb_free_bytes(world->host, &bytes);
    return result;
}
