/* Once a frame: which bodies come near each other, and which of their features may touch within it. Boxes of bodies by
 * sweep and prune, then trees over their skins (skin_pairs.h). Everything is generous: what is found here is looked at
 * again in every step. Skins that come fast against each other take several steps, and features that may touch are
 * looked for before each of them: bodies that are hit are faster then than anybody could know at the frame's beginning.
 */
#include "contact/contact.h"
#include "contact/features.h"
#include "contact/motion_steps.h"

#include <string.h>

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static bool reserve(const lbHost* host, lbContacts* set, int meetings, int contacts) {
    int capacity[6] = {set->capacity,        set->capacity,        set->capacity,
                       set->meetingCapacity, set->meetingCapacity, set->capacity};
    bool enough = lb_array_reserve(host, (void**)&set->last, &capacity[0], contacts, sizeof(lbContact)) &&
                  lb_array_reserve(host, (void**)&set->pairs, &capacity[1], contacts, 2 * sizeof(lbSkinPair)) &&
                  lb_array_reserve(host, (void**)&set->features, &capacity[2], contacts, sizeof(int)) &&
                  lb_array_reserve(host, (void**)&set->again, &capacity[5], contacts, sizeof(lbContact)) &&
                  lb_array_reserve(host, (void**)&set->contacts, &set->capacity, contacts, sizeof(lbContact)) &&
                  lb_array_reserve(host, (void**)&set->lastMeetings, &capacity[3], meetings, sizeof(lbMeeting)) &&
                  lb_array_reserve(host, (void**)&set->boxPairs, &capacity[4], meetings, sizeof(int[2])) &&
                  lb_array_reserve(host, (void**)&set->meetings, &set->meetingCapacity, meetings, sizeof(lbMeeting));
    return enough;
}

bool lb_reserve_contacts(const lbHost* host, lbContacts* set, int bodyCount, int64_t skinPointCount) {
    int capacity[3] = {set->colliderCapacity, set->colliderCapacity, set->colliderCapacity};
    int64_t contacts = 256 + 3 * skinPointCount + 64 * (int64_t)bodyCount;
    return contacts <= INT32_MAX / 2 && reserve(host, set, 16 + 8 * bodyCount, (int)contacts) &&
           lb_array_reserve(host, (void**)&set->boxes, &capacity[0], bodyCount, sizeof(lbBox)) &&
           lb_array_reserve(host, (void**)&set->boxScratch.order, &capacity[1], bodyCount, sizeof(int[2])) &&
           lb_array_reserve(host, (void**)&set->boxScratch.sorted, &capacity[2], bodyCount, sizeof(lbSkinBox)) &&
           lb_array_reserve(host, (void**)&set->colliders, &set->colliderCapacity, bodyCount, sizeof(lbCollider));
}

bool lb_grow_contacts(const lbHost* host, lbContacts* set) {
    return reserve(host, set, set->wantedMeetings,
                   int_min(set->wantedContacts, int_max(lb_mostContacts, set->capacity)));
}

void lb_release_contacts(const lbHost* host, lbContacts* set) {
    void* all[] = {set->contacts, set->last,      set->meetings, set->lastMeetings,     set->pairs,
                   set->features, set->colliders, set->boxes,    set->boxScratch.order, set->boxScratch.sorted,
                   set->boxPairs, set->again};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        lb_release(host, all[i]);
    }
    *set = (lbContacts){0};
}

void lb_forget_contacts(lbContacts* set, int slot) {
    for (int i = 0; i < set->meetingCount; ++i) {
        lbMeeting* meeting = &set->meetings[i];
        if (meeting->low == slot || meeting->high == slot) {
            meeting->count = 0;
        }
    }
}

/* ---- Where bodies can come --------------------------------------------------------------------------------------- */

static const lbBox everywhere = {{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}};

static lbBox join(lbBox a, lbBox b) {
    return (lbBox){vec3_min(a.lower, b.lower), vec3_max(a.upper, b.upper)};
}

static lbBox inflate(lbBox box, float by) {
    lbVec3 all = {by, by, by};
    return (lbBox){vec3_sub(box.lower, all), vec3_add(box.upper, all)};
}

static lbBox shape_velocities(const lbBody* body, const lbCollisionShape* shape) {
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    float radius = lb_shape_is_bounded(shape) ? lb_shape_radius(shape) : 0;
    return inflate((lbBox){v, v}, radius * vec3_length(w));
}

/* A point may turn round and gain speed within a frame. */
float lb_margin_of(const lbBody* body, double dt) {
    return 0.01f * body->model->size + 5 * (float)(dt * dt) + body->thickness;
}

static void bound_velocities(lbCollider* collider) {
    for (int i = 0; i < collider->topology->pointCount; ++i) {
        lbVec3 v = vec3_load(collider->body->skinV + 3 * (size_t)i);
        collider->velocities = i == 0 ? (lbBox){v, v} : join(collider->velocities, (lbBox){v, v});
    }
}

/* Boxes without a margin where a skin is to be met by itself: its neighbours are everywhere. */
static void refit(lbCollider* collider, float dt) {
    const lbBody* body = collider->body;
    lb_refit_skin_tree(collider->tree, collider->topology, body->skinX, body->skinV, dt,
                       collider->neighbours != NULL ? 0 : collider->reach);
}

void lb_fit_collider(lbCollider* collider, double h) {
    if (collider->shape == NULL && collider->topology != NULL && !collider->body->ops->guided) {
        refit(collider, lb_lookahead * (float)h);
    }
}

static void bound(lbCollider* collider, double dt) {
    const lbBody* body = collider->body;
    collider->reach = lb_margin_of(body, dt);
    if (collider->shape != NULL) {
        lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
        collider->box = everywhere;
        collider->velocities = shape_velocities(body, collider->shape);
        if (lb_shape_is_bounded(collider->shape)) {
            lbBox both = join(lb_shape_bounds(collider->shape, begin), lb_shape_bounds(collider->shape, end));
            collider->box = inflate(both, collider->reach + lb_shape_travel(body, collider->shape, dt));
        }
    } else if (collider->topology != NULL) {
        refit(collider, (collider->neighbours != NULL ? lb_lookahead : 1) * (float)dt);
        collider->box = inflate(lb_skin_tree_box(collider->tree), collider->reach - collider->tree->margin);
    } else {
        collider->box = box_empty();
    }
}

/* ---- All meetings ------------------------------------------------------------------------------------------------ */

/* The last frame's meeting of the same bodies, or NULL; both lists are in the same order. */
static const lbMeeting* find_last(const lbContacts* set, const lbMeeting* meeting, int* cursor) {
    for (; *cursor < set->lastMeetingCount; ++*cursor) {
        const lbMeeting* last = &set->lastMeetings[*cursor];
        if (last->low > meeting->low || (last->low == meeting->low && last->high > meeting->high)) {
            return NULL;
        }
        if (last->low == meeting->low && last->high == meeting->high) {
            return last->kind == meeting->kind ? last : NULL;
        }
    }
    return NULL;
}

static void begin_frame(lbContacts* set, double dt) {
    lbMeeting* meetings = set->meetings;
    set->meetings = set->lastMeetings, set->lastMeetings = meetings;
    lbContact* contacts = set->contacts;
    set->contacts = set->last, set->last = contacts;
    set->lastMeetingCount = set->meetingCount;
    set->frame = dt;
}

bool lb_is_beyond(const lbCollider* shape, const lbCollider* other, double dt) {
    if (lb_shape_is_bounded(shape->shape)) {
        return false;
    }
    const lbBody* body = shape->body;
    lbVec3 normal;
    float radius = 0.5f * vec3_length(box_size(other->box)) + lb_shape_travel(body, shape->shape, dt) + shape->reach;
    return lb_shape_distance(shape->shape, pose_local(body->ops->frame->poseAt(body, 1), box_center(other->box)),
                             &normal) > radius;
}

/* What two bodies are to each other; false: nothing. */
static bool begin_meeting(lbContacts* set, int i, int j, double dt, lbMeeting* meeting) {
    const lbCollider *p = &set->colliders[i], *q = &set->colliders[j];
    bool swap = p->shape != NULL && q->shape == NULL; /* the shape is the second */
    const lbCollider *a = swap ? q : p, *b = swap ? p : q;
    if ((a->body->ops->guided && b->body->ops->guided) || (b->shape != NULL && lb_is_beyond(b, a, dt)) ||
        (a->shape != NULL && lb_is_beyond(a, b, dt))) {
        return false;
    }
    if (a->body->ops->feel != NULL && b->shape != NULL && b->body->ops->guided) {
        a->body->ops->feel(a->body, b->body, b->slot, b->shape);
        return false;
    }
    *meeting = (lbMeeting){.kind = a->shape != NULL   ? lb_meetShapes
                                   : b->shape != NULL ? lb_meetSkinShape
                                                      : lb_meetSkins,
                           .a = swap ? j : i,
                           .b = swap ? i : j,
                           .firstSlot = a->slot,
                           .low = p->slot,
                           .high = q->slot,
                           .friction = sqrtf(a->body->friction * b->body->friction),
                           .restitution = fmaxf(a->body->restitution, b->body->restitution),
                           .thickness = a->body->thickness + b->body->thickness};
    meeting->again = meeting->kind != lb_meetShapes && int_max(a->steps, b->steps) > 1;
    return true;
}

/* Contacts of a skin of so many points with itself that may come about within a frame: as many as folds that close all
 * at once have, where that does not ask for a lot of memory. */
static int room_for_folds(int pointCount) {
    enum { usual = 6, most = 20, large = 40000 };
    return int_max(usual * pointCount, int_min(most * pointCount, large));
}

/* A skin with itself. */
static lbMeeting own_meeting(const lbContacts* set, int i) {
    const lbCollider* collider = &set->colliders[i];
    return (lbMeeting){.kind = lb_meetSkins,
                       .a = i,
                       .b = i,
                       .firstSlot = collider->slot,
                       .low = collider->slot,
                       .high = collider->slot,
                       .again = collider->steps > 1,
                       .ownRoom = room_for_folds(collider->topology->usedPointCount),
                       .friction = collider->body->friction,
                       .restitution = collider->body->restitution,
                       .thickness = 2 * collider->body->thickness};
}

/* Meetings in parts that do not depend on how many threads there are; each has its share of the room for pairs. */
enum { searchParts = 16 };

static void search_part(lbContacts* set, int part) {
    int share = 2 * (set->capacity / searchParts), used = 0;
    int begin = (int)((int64_t)set->meetingCount * part / searchParts);
    int end = (int)((int64_t)set->meetingCount * (part + 1) / searchParts);
    for (int i = begin; i < end; ++i) {
        lbMeeting* meeting = &set->meetings[i];
        if (meeting->kind != lb_meetSkins) {
            continue;
        }
        meeting->firstPair = part * share + used;
        meeting->pairCount = lb_search_skins(&set->colliders[meeting->a], &set->colliders[meeting->b],
                                             set->pairs + meeting->firstPair, share - used);
        if (meeting->pairCount > share - used) {
            return; /* all are searched one by one then, with all of the room */
        }
        meeting->searched = true;
        used += meeting->pairCount;
    }
}

static void search_parts(void* context, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        search_part(context, i);
    }
}

/* One by one they have no pairs but their own in the room: if one did not fit, none counts. */
static void search_meetings(lbContacts* set, lbTasks* tasks) {
    lb_parallel_for(tasks, searchParts, 1, search_parts, set);
    bool all = true;
    for (int i = 0; i < set->meetingCount; ++i) {
        all &= set->meetings[i].kind != lb_meetSkins || set->meetings[i].searched;
    }
    for (int i = 0; !all && i < set->meetingCount; ++i) {
        set->meetings[i].searched = false;
    }
}

/* Contacts of all meetings; those without any are none. */
static void fill_meetings(lbContacts* set, double dt) {
    int kept = 0, cursor = 0;
    for (int i = 0; i < set->meetingCount; ++i) {
        lbMeeting meeting = set->meetings[i];
        const lbCollider *a = &set->colliders[meeting.a], *b = &set->colliders[meeting.b];
        meeting.first = set->count;
        lb_fill_meeting(set, &meeting, meeting.again ? (double)lb_lookahead * dt / int_max(a->steps, b->steps) : dt);
        if (meeting.count == 0 && !meeting.again) {
            continue;
        }
        const lbMeeting* before = find_last(set, &meeting, &cursor);
        if (before != NULL) {
            lb_carry_over(set, &meeting, before);
        }
        meeting.searched = false;
        set->meetings[kept++] = meeting;
    }
    set->meetingCount = kept;
}

/* How many bodies can meet others at all, or themselves; and how many do the latter. */
static int count_touchable(lbContacts* set) {
    int count = 0;
    set->ownCount = 0;
    for (int i = 0; i < set->colliderCount; ++i) {
        const lbCollider* collider = &set->colliders[i];
        count += collider->shape != NULL || collider->topology != NULL;
        set->ownCount += collider->neighbours != NULL;
    }
    return count + set->ownCount;
}

static void bound_colliders(void* context, int begin, int end) {
    lbContacts* set = context;
    for (int i = begin; i < end; ++i) {
        lbCollider* collider = &set->colliders[i];
        bound(collider, set->frame);
        if (collider->shape == NULL && collider->topology != NULL) {
            bound_velocities(collider);
        }
        set->boxes[i] = collider->box;
    }
}

/* By slots of bodies; each with itself before it is with others. */
static void begin_meetings(lbContacts* set, int pairCount, double dt) {
    int pair = 0;
    for (int i = 0; i < set->colliderCount; ++i) {
        if (set->colliders[i].neighbours != NULL) {
            set->meetings[set->meetingCount++] = own_meeting(set, i);
        }
        for (; pair < pairCount && set->boxPairs[pair][0] == i; ++pair) {
            lbMeeting* meeting = &set->meetings[set->meetingCount];
            set->meetingCount += begin_meeting(set, i, set->boxPairs[pair][1], dt, meeting);
        }
    }
}

void lb_find_meetings(lbContacts* set, double dt, lbTasks* tasks) {
    begin_frame(set, dt);
    if (count_touchable(set) < 2) { /* who is alone meets nobody, wherever its skin is */
        for (int i = 0; i < set->colliderCount; ++i) {
            set->boxes[i] = set->colliders[i].box = box_empty();
        }
    } else {
        lb_parallel_for(tasks, set->colliderCount, 4, bound_colliders, set);
    }
    lb_find_meetings_again(set, tasks);
}

void lb_find_meetings_again(lbContacts* set, lbTasks* tasks) {
    double dt = set->frame;
    set->meetingCount = set->count = set->missed = 0;
    set->wantedContacts = 0;
    for (int i = 0; i < set->colliderCount; ++i) {
        if (set->colliders[i].steps > 1) { /* it was fitted to these steps before room grew */
            bound(&set->colliders[i], dt);
        }
    }
    int count =
        lb_overlapping_boxes(set->boxes, set->colliderCount, set->boxScratch, set->boxPairs, set->meetingCapacity);
    set->wantedMeetings = count + set->ownCount;
    if (count > set->meetingCapacity - set->ownCount) {
        set->missed += count - (set->meetingCapacity - set->ownCount);
        count = set->meetingCapacity - set->ownCount;
    }
    lb_find_motion_steps(set, count, dt);
    begin_meetings(set, count, dt);
    search_meetings(set, tasks);
    fill_meetings(set, dt);
    set->roomForSteps = 0;
    for (int i = 0; i < set->meetingCount; ++i) {
        set->roomForSteps += lb_room_for_steps(&set->meetings[i]);
    }
    int left = set->capacity - set->count;
    set->wantedContacts += set->roomForSteps;
    set->missed += int_max(set->roomForSteps - left, 0);
}
