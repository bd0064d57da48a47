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

enum { stateVersion = 3 };

static const char magic[8] = {'L', 'I', 'M', 'B', 'E', 'R', 'S', 'T'};

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

void lb_walk_body(lbWalk* walk, lbWorldBody* owner) {
    lbBody* body = owner->body;
    lb_walk_structure(walk, body->ops->kind, strlen(body->ops->kind), "a body's kind");
    body->ops->walk(body, walk);
    lb_walk_vector(walk, &owner->force, "the force on a body");
    lb_walk_vector(walk, &owner->torque, "the torque on a body");
}

void lb_walk_pin(lbWalk* walk, lbPin* pin) {
    lb_walk_structure(walk, &pin->heldCount, sizeof(pin->heldCount), "a pin's directions");
    lb_walk_structure(walk, pin->heldDirections, sizeof(pin->heldDirections), "a pin's directions");
    lb_walk_structure(walk, &pin->nodeCount, sizeof(pin->nodeCount), "a pin's nodes");
    lb_walk_vector(walk, &pin->offset, "a pin's offset");
    lb_walk_vector(walk, &pin->next, "a pin's offset");
    lb_walk_floats(walk, &pin->start->x, 3 * (size_t)pin->nodeCount, "a pin's place");
    lb_walk_structure(walk, &pin->pointCount, sizeof(pin->pointCount), "a pin's points");
    for (int i = 0; i < pin->pointCount; ++i) {
        lb_walk_vector(walk, &pin->pointStart[i], "a pin's place");
        lb_walk_hold(&pin->points[i], walk);
    }
}

void lb_walk_muscle(lbWalk* walk, lbMuscle* muscle) {
    lb_walk_structure(walk, &muscle->placeCount, sizeof(muscle->placeCount), "a muscle's springs");
    lb_walk_range(walk, &muscle->length, 1, lb_shortestMuscle, lb_longestMuscle, "a muscle's length");
    lb_walk_range(walk, &muscle->next, 1, lb_shortestMuscle, lb_longestMuscle, "a muscle's length");
}

void lb_walk_load(lbWalk* walk, lbLoad* load) {
    lb_walk_vector(walk, &load->force, "a load's force");
    lb_walk_vector(walk, &load->moment, "a load's moment");
    lb_walk_vector(walk, &load->traction, "a load's traction");
    lb_walk_floats(walk, &load->pressure, 1, "a load's pressure");
}

void lb_walk_grab(lbWalk* walk, lbGrab* grab) {
    lb_walk_structure(walk, &grab->skinPoint, sizeof(grab->skinPoint), "a grab's point");
    lb_walk_hold(&grab->hold, walk);
}

void lb_walk_attachment(lbWalk* walk, lbAttachment* attachment) {
    lb_walk_structure(walk, &attachment->def.skinPoint, sizeof(int), "an attachment's point");
    lb_walk_vector(walk, &attachment->hold.offset, "an attachment's offset");
    lb_walk_vector(walk, &attachment->hold.otherPoint, "an attachment's point");
    lb_walk_hold(&attachment->hold, walk);
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static void walk_slots(lbWalk* walk, const lbSlots* slots, const char* what) {
    for (int i = 0; i < slots->count; ++i) {
        int32_t used = slots->items[i] != NULL;
        lb_walk_structure(walk, &used, sizeof(used), what);
    }
    int32_t end = -1;
    lb_walk_structure(walk, &end, sizeof(end), what);
}

/* What contacts carry from step to step; the rest is found anew each frame. */
static void walk_contact(lbWalk* walk, lbContact* contact) {
    lb_walk_index(walk, &contact->kind, lb_contactKindCount, "a contact's kind");
    lb_walk_state(walk, &contact->a, sizeof(contact->a)); /* compared with what is found, never followed */
    lb_walk_state(walk, &contact->b, sizeof(contact->b));
    lb_walk_state(walk, &contact->side, sizeof(contact->side));
    lb_walk_vector(walk, &contact->impulse, "a contact's impulse");
    lb_walk_vector(walk, &contact->normal, "a contact's normal");
}

static void walk_meeting(lbWalk* walk, const lbWorld* world, lbMeeting* meeting, int room) {
    int kind = (int)meeting->kind;
    lb_walk_index(walk, &kind, lb_meetShapes + 1, "a meeting's kind");
    meeting->kind = (lbMeetingKind)kind;
    lb_walk_index(walk, &meeting->low, world->bodies.count, "a meeting's body");
    lb_walk_index(walk, &meeting->high, world->bodies.count, "a meeting's body");
    lb_walk_index(walk, &meeting->firstSlot, world->bodies.count, "a meeting's body");
    lb_walk_index(walk, &meeting->count, room + 1, "the number of contacts");
}

/* How many things of so many bytes a file may hold yet; of a world, how many it has room for. */
static int most_left(const lbWalk* walk, size_t bytes, int room) {
    if (walk->mode != lb_walkCheck) {
        return room;
    }
    size_t held = (size_t)(walk->end - walk->next) / bytes;
    return int_max(room, held < lb_mostContacts ? (int)held : lb_mostContacts);
}

/* In a check, what the file holds goes nowhere; the set is told how much room it will take. */
static void walk_contacts(lbWalk* walk, lbWorld* world) {
    enum { meetingBytes = 5 * sizeof(int), contactBytes = 4 * sizeof(int) + 6 * sizeof(float) };
    lbContacts* set = &world->contacts;
    bool check = walk->mode == lb_walkCheck;
    int meetings = set->meetingCount, left = most_left(walk, contactBytes, set->capacity);
    int room = most_left(walk, meetingBytes, set->meetingCapacity);
    meetings = lb_walk_index(walk, &meetings, room + 1, "the number of meetings");
    int next = 0;
    for (int i = 0; i < meetings && lb_walk_is_sound(walk); ++i) {
        lbMeeting scratch = {0}, *meeting = check ? &scratch : &set->meetings[i];
        lbMeeting before = *meeting;
        walk_meeting(walk, world, meeting, left);
        int count = check ? walk->lastIndex : meeting->count;
        left -= count;
        for (int k = 0; k < count && lb_walk_is_sound(walk); ++k) {
            lbContact ignored = {0};
            walk_contact(walk,
                         check ? &ignored : &set->contacts[walk->mode == lb_walkRead ? next + k : before.first + k]);
        }
        if (walk->mode == lb_walkRead) {
            meeting->first = next;
            for (int k = 0; k < count; ++k) {
                set->contacts[next + k].total = set->contacts[next + k].moment = vec3(0, 0, 0);
            }
        }
        next += count;
    }
    if (walk->mode == lb_walkRead) {
        set->meetingCount = meetings;
        set->count = next;
    } else if (check) {
        set->wantedMeetings = meetings;
        set->wantedContacts = next;
    }
}

/* A world that has run for long has made more room for contacts than a new one has. */
static lbResult make_room(lbWorld* world) {
    const lbContacts* set = &world->contacts;
    if (set->wantedMeetings <= set->meetingCapacity && set->wantedContacts <= set->capacity) {
        return lb_success();
    }
    return lb_grow_contacts(world->host, &world->contacts) ? lb_prepare_contacts(world) : lb_out_of_memory("contacts");
}

static void walk_world(lbWalk* walk, lbWorld* world) {
    lb_walk_seconds(walk, &world->time, "the time");
    lb_walk_vector(walk, &world->gravity, "gravity");
    lb_walk_vector(walk, &world->wind, "the wind");
    walk_slots(walk, &world->bodies, "the bodies");
    walk_slots(walk, &world->pins, "the pins");
    walk_slots(walk, &world->loads, "the loads");
    walk_slots(walk, &world->muscles, "the muscles");
    walk_slots(walk, &world->grabs, "the grabs");
    walk_slots(walk, &world->attachments, "the attachments");
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_walk_body(walk, owner);
    }
    walk_contacts(walk, world);
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        lb_walk_pin(walk, pin);
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        lb_walk_muscle(walk, muscle);
    }
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        lb_walk_load(walk, load);
    }
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        lb_walk_grab(walk, grab);
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        lb_walk_attachment(walk, attachment);
    }
}

uint64_t lbWorld_Hash(const lbWorld* world) {
    lbWalk walk = {.mode = lb_walkHash, .hash = LB_HASH_START};
    walk_world(&walk, (lbWorld*)world); /* this mode reads only */
    return walk.hash;
}

lbResult lbWorld_Save(const lbWorld* world, const char* path) {
    lbWalk measure = {.mode = lb_walkHash, .hash = LB_HASH_START};
    walk_world(&measure, (lbWorld*)world);
    Header header = {.version = stateVersion, .payloadSize = measure.size, .checksum = measure.hash};
    memcpy(header.magic, magic, sizeof(magic));
    lbFile file;
    LB_TRY(lb_open_file(world->host, path, &file));
    lb_write(&file, &header, sizeof(header));
    lbWalk write = {.mode = lb_walkWrite, .hash = LB_HASH_START, .file = &file};
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

void lb_forget_all_contacts(lbWorld* world) {
    world->contacts.meetingCount = world->contacts.count = 0;
}

void lb_after_restore(lbWorld* world) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->body->gravity = world->gravity;
        owner->body->wind = world->wind;
        owner->body->ops->updateSkin(owner->body, world->tasks);
        lb_apply_loads(world, owner);
    }
    lb_activate_muscles(world, NULL, 1);
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
    lbWalk check = {.mode = lb_walkCheck, .next = payload, .end = bytes->data + bytes->size};
    walk_world(&check, world);
    if (lb_walk_is_sound(&check) && check.next != check.end) {
        check.mismatch = "size";
    }
    if (check.mismatch != NULL) {
        return lb_error(lb_errorFormat, "%s: belongs to another world: it differs in %s", path, check.mismatch);
    }
    if (check.damage != NULL) {
        return lb_error(lb_errorFormat, "%s: is damaged: %s is out of range", path, check.damage);
    }
    LB_TRY(make_room(world));
    lbWalk read = {.mode = lb_walkRead, .next = payload, .end = bytes->data + bytes->size};
    walk_world(&read, world);
    lb_after_restore(world);
    return lb_success();
}

lbResult lbWorld_Restore(lbWorld* world, const char* path) {
    lbBytes bytes;
    LB_TRY(lb_read_file(world->host, path, &bytes));
    lbResult result = lb_restore_bytes(world, path, &bytes);
    lb_free_bytes(world->host, &bytes);
    return result;
}
