/* The world's state as a stream of bytes: one walk serves the hash, the file, its check and its return.
 *
 * File: "LIMBERST", version, payload size, checksum of the payload, payload. The payload mixes structure (which
 * objects there are, and of what size), which must agree with the world it is restored into, and state. */
#include "world/world.h"

#include "base/file.h"
#include "base/result.h"

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
    const char* mismatch; /* what of the structure differs; NULL: nothing so far */
} Walk;

/* Bytes of the payload, or NULL if there are not that many left. */
static const void* take(Walk* walk, size_t size) {
    if ((size_t)(walk->end - walk->next) < size) {
        walk->mismatch = walk->mismatch != NULL ? walk->mismatch : "size";
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

/* Something that changes as the world runs. */
static void state(Walk* walk, void* data, size_t size) {
    if (walk->mode == walkHash || walk->mode == walkWrite) {
        walk_out(walk, data, size);
        return;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && walk->mode == walkRead) {
        memcpy(data, bytes, size);
    }
}

/* Something that must be the same in the file and in the world. */
static void structure(Walk* walk, const void* data, size_t size, const char* what) {
    if (walk->mode == walkHash || walk->mode == walkWrite) {
        walk_out(walk, data, size);
        return;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && memcmp(bytes, data, size) != 0 && walk->mismatch == NULL) {
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
    state(walk, body->x, vector);
    state(walk, body->v, vector);
    state(walk, body->history.vectors, vector * (size_t)body->integrator->historyVectors);
    state(walk, &body->history.filled, sizeof(body->history.filled));
    state(walk, &body->history.step, sizeof(body->history.step));
}

/* What contacts carry from step to step; the rest is found anew each frame. */
static void walk_contacts(Walk* walk, const lbWorld* world, lbContactSet* set) {
    int32_t count = set->count;
    state(walk, &count, sizeof(count));
    if (walk->mode == walkCheck) {
        memcpy(&count, walk->next - sizeof(count), sizeof(count));
    }
    if (count < 0 || count > set->capacity) {
        walk->mismatch = "the contacts";
        return;
    }
    for (int i = 0; i < count; ++i) {
        lbContact* contact = &set->contacts[i];
        lbContact unused;
        lbContact* field = walk->mode == walkCheck ? &unused : contact;
        state(walk, &field->toolSlot, sizeof(field->toolSlot));
        state(walk, &field->point, sizeof(field->point));
        state(walk, &field->impulse, sizeof(field->impulse));
        state(walk, &field->track, sizeof(field->track));
        if (walk->mode == walkRead) {
            contact->tool = contact->toolSlot >= 0 && contact->toolSlot < world->tools.count
                                ? world->tools.items[contact->toolSlot]
                                : NULL;
        }
    }
    set->count = walk->mode == walkRead ? count : set->count;
}

static void walk_world(Walk* walk, lbWorld* world) {
    state(walk, &world->time, sizeof(world->time));
    state(walk, &world->gravity, sizeof(world->gravity));
    state(walk, &world->wind, sizeof(world->wind));
    walk_slots(walk, &world->bodies, "the bodies");
    walk_slots(walk, &world->tools, "the tools");
    walk_slots(walk, &world->pins, "the pins");
    walk_slots(walk, &world->loads, "the loads");
    walk_slots(walk, &world->muscles, "the muscles");
    walk_slots(walk, &world->grabs, "the grabs");
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        walk_body(walk, owner->body);
        walk_contacts(walk, world, &owner->contacts);
    }
    LB_FOR_EACH(lbTool, tool, &world->tools) {
        state(walk, &tool->pose, sizeof(tool->pose));
        state(walk, &tool->next, sizeof(tool->next));
        state(walk, &tool->force, sizeof(tool->force));
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        structure(walk, &pin->heldCount, sizeof(pin->heldCount), "a pin's directions");
        structure(walk, pin->heldDirections, sizeof(pin->heldDirections), "a pin's directions");
        structure(walk, &pin->nodeCount, sizeof(pin->nodeCount), "a pin's nodes");
        state(walk, &pin->offset, sizeof(pin->offset));
        state(walk, &pin->next, sizeof(pin->next));
        state(walk, pin->start, (size_t)pin->nodeCount * sizeof(lbVec3));
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        structure(walk, &muscle->placeCount, sizeof(muscle->placeCount), "a muscle's springs");
        state(walk, &muscle->length, sizeof(muscle->length));
        state(walk, &muscle->next, sizeof(muscle->next));
    }
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        state(walk, &load->force, sizeof(load->force));
        state(walk, &load->pressure, sizeof(load->pressure));
    }
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        structure(walk, &grab->point, sizeof(grab->point), "a grab's point");
        state(walk, &grab->target, sizeof(grab->target));
        state(walk, &grab->next, sizeof(grab->next));
        state(walk, &grab->track, sizeof(grab->track));
        state(walk, &grab->force, sizeof(grab->force));
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
        lb_update_skin(owner->body, world->tasks);
        lb_apply_loads(world, owner);
    }
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

lbResult lbWorld_Restore(lbWorld* world, const char* path) {
    lbBytes bytes;
    LB_TRY(lb_read_file(world->host, path, &bytes));
    Header header;
    lbResult result = check_file(path, &bytes, &header);
    if (result.code == lb_ok) {
        const unsigned char* payload = bytes.data + sizeof(Header);
        Walk check = {.mode = walkCheck, .next = payload, .end = bytes.data + bytes.size};
        walk_world(&check, world);
        if (check.mismatch == NULL && check.next != check.end) {
            check.mismatch = "size";
        }
        if (check.mismatch != NULL) {
            result = lb_error(lb_errorFormat, "%s: belongs to another world: it differs in %s", path, check.mismatch);
        } else {
            Walk read = {.mode = walkRead, .next = payload, .end = bytes.data + bytes.size};
            walk_world(&read, world);
            after_restore(world);
        }
    }
    lb_free_bytes(world->host, &bytes);
    return result;
}
