/* Once a frame: which bodies come near each other, and which of their features may touch within it. Boxes of bodies by
 * sweep and prune, then trees over their skins (skin_pairs.h). Everything is generous: what is found here is looked at
 * again in every step. */
#include "contact/contact.h"

#include <string.h>

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static bool reserve(const lbHost* host, lbContacts* set, int meetings, int contacts) {
    int capacity[6] = {set->capacity,        set->capacity,        set->capacity,
                       set->meetingCapacity, set->meetingCapacity, set->meetingCapacity};
    bool enough = lb_array_reserve(host, (void**)&set->last, &capacity[0], contacts, sizeof(lbContact)) &&
                  lb_array_reserve(host, (void**)&set->pairs, &capacity[1], contacts, sizeof(lbSkinPair)) &&
                  lb_array_reserve(host, (void**)&set->features, &capacity[2], contacts, sizeof(int)) &&
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
                   set->boxPairs};
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

/* How far some point of a body that moves as a whole can come in dt. */
static float shape_travel(const lbBody* body, const lbCollisionShape* shape, double dt) {
    lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    float radius = lb_shape_is_bounded(shape) ? lb_shape_radius(shape) : 0;
    float told = vec3_length(vec3_sub(end.position, begin.position));
    return told + (float)dt * (vec3_length(v) + radius * vec3_length(w));
}

/* A point may turn round and gain speed within a frame. */
static float margin_of(const lbBody* body, double dt) {
    return 0.01f * body->model->size + 5 * (float)(dt * dt) + body->thickness;
}

static void bound(lbCollider* collider, double dt) {
    const lbBody* body = collider->body;
    collider->reach = margin_of(body, dt);
    if (collider->shape != NULL) {
        lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
        collider->box = everywhere;
        if (lb_shape_is_bounded(collider->shape)) {
            lbBox both = join(lb_shape_bounds(collider->shape, begin), lb_shape_bounds(collider->shape, end));
            collider->box = inflate(both, collider->reach + shape_travel(body, collider->shape, dt));
        }
    } else if (collider->topology != NULL) {
        lb_refit_skin_tree(collider->tree, collider->topology, body->skinX, body->skinV, (float)dt, collider->reach);
        collider->box = lb_skin_tree_box(collider->tree);
    } else {
        collider->box = box_empty();
    }
}

/* ---- Contacts of one meeting ------------------------------------------------------------------------------------- */

/* Adds a contact, if there is room. */
static lbContact* add_contact(lbContacts* set, lbMeeting* meeting, int kind, int a, int b) {
    ++set->wantedContacts;
    if (set->count >= set->capacity) {
        ++set->missed;
        return NULL;
    }
    lbContact* contact = &set->contacts[set->count++];
    *contact = (lbContact){.kind = kind, .a = a, .b = b};
    ++meeting->count;
    return contact;
}

static void sift_down(int* heap, int root, int count) {
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[root] >= heap[child]) {
            return;
        }
        int swap = heap[root];
        heap[root] = heap[child], heap[child] = swap;
    }
}

/* In place, without memory. */
static void sort_features(int* features, int count) {
    for (int i = count / 2 - 1; i >= 0; --i) {
        sift_down(features, i, count);
    }
    for (int end = count - 1; end > 0; --end) {
        int swap = features[0];
        features[0] = features[end], features[end] = swap;
        sift_down(features, 0, end);
    }
}

/* The shape as skin points see it within the frame. */
typedef struct ShapeWay {
    const lbCollisionShape* shape;
    lbPose begin, end;
    float travel, reach; /* m */
} ShapeWay;

static ShapeWay shape_way(const lbCollider* skin, const lbCollider* shape, double dt) {
    const lbBody* body = shape->body;
    return (ShapeWay){.shape = shape->shape,
                      .begin = body->ops->frame->poseAt(body, 0),
                      .end = body->ops->frame->poseAt(body, 1),
                      .travel = shape_travel(body, shape->shape, dt),
                      .reach = skin->reach + shape->reach};
}

static bool may_touch(const ShapeWay* way, lbVec3 x, float reach) {
    lbVec3 normal;
    float distance = lb_shape_distance(way->shape, pose_local(way->end, x), &normal);
    return distance < way->reach + way->travel + reach;
}

static void add_shape_points(lbContacts* set, lbMeeting* meeting, const lbCollider* skin, const ShapeWay* way,
                             const lbCollider* shape, double dt) {
    const lbBody* body = skin->body;
    bool bounded = lb_shape_is_bounded(way->shape);
    int count = skin->topology->pointCount;
    if (bounded) {
        count = lb_query_box_points(skin->tree, skin->topology, shape->box, set->features, set->capacity);
        set->wantedContacts = int_max(set->wantedContacts, set->count + count);
        count = int_min(count, set->capacity);
        sort_features(set->features, count);
    }
    for (int i = 0; i < count; ++i) {
        int point = bounded ? set->features[i] : i;
        if (!skin->topology->used[point]) {
            continue;
        }
        float speed = vec3_length(vec3_load(body->skinV + 3 * (size_t)point));
        if (may_touch(way, vec3_load(body->skinX + 3 * (size_t)point), 2 * speed * (float)dt)) {
            add_contact(set, meeting, lb_contactPointShape, point, 0);
        }
    }
}

/* What a triangle must not be longer than for its corners to answer for it. */
static float fine_enough(const lbCollisionShape* shape) {
    if (!lb_shape_is_bounded(shape)) {
        return INFINITY;
    }
    lbVec3 size = box_size(lb_shape_bounds(shape, (lbPose){{0, 0, 0}, quat_identity()}));
    return 0.5f * fminf(size.x, fminf(size.y, size.z));
}

static void add_shape_triangles(lbContacts* set, lbMeeting* meeting, const lbCollider* skin, const ShapeWay* way,
                                const lbCollider* shape, double dt) {
    const float* x = skin->body->skinX;
    float longest = fine_enough(way->shape);
    if (!isfinite(longest)) {
        return;
    }
    int count = lb_query_box_triangles(skin->tree, skin->topology, shape->box, set->features, set->capacity);
    count = int_min(count, set->capacity);
    sort_features(set->features, count);
    for (int i = 0; i < count; ++i) {
        const int* corner = skin->topology->triangles + 3 * (size_t)set->features[i];
        lbVec3 p[3], mean = {0, 0, 0};
        float edge = 0, speed = 0, radius = 0;
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3_load(x + 3 * (size_t)corner[k]);
            mean = vec3_madd(mean, 1.0f / 3, p[k]);
            speed = fmaxf(speed, vec3_length(vec3_load(skin->body->skinV + 3 * (size_t)corner[k])));
        }
        for (int k = 0; k < 3; ++k) {
            edge = fmaxf(edge, vec3_length(vec3_sub(p[k], p[(k + 1) % 3])));
            radius = fmaxf(radius, vec3_length(vec3_sub(p[k], mean)));
        }
        if (edge > longest && may_touch(way, mean, radius + 2 * speed * (float)dt)) {
            add_contact(set, meeting, lb_contactTriangleShape, set->features[i], 0);
        }
    }
}

static bool is_sheet(const lbCollider* collider) {
    return collider->body->model->isSheet;
}

static lbSkinSide skin_side(const lbCollider* collider) {
    /* Solids are found in each other as deep as this; a sheet has no inside. */
    float depth = is_sheet(collider) ? INFINITY : 0.15f * collider->body->model->size;
    return (lbSkinSide){collider->topology, collider->tree, collider->body->skinX, collider->body->skinV, depth};
}

/* Points under triangles by point, as points on triangles are: then those of one point stand side by side. */
static bool stands_before(const lbSkinPair* a, const lbSkinPair* b) {
    return a->b != b->b ? a->b < b->b : a->a < b->a;
}

static void sift_pair_down(lbSkinPair* heap, int root, int count) {
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && stands_before(&heap[child], &heap[child + 1]);
        if (!stands_before(&heap[root], &heap[child])) {
            return;
        }
        lbSkinPair swap = heap[root];
        heap[root] = heap[child], heap[child] = swap;
    }
}

static void sort_by_second(lbSkinPair* pairs, int count) {
    for (int i = count / 2 - 1; i >= 0; --i) {
        sift_pair_down(pairs, i, count);
    }
    for (int end = count - 1; end > 0; --end) {
        lbSkinPair swap = pairs[0];
        pairs[0] = pairs[end], pairs[end] = swap;
        sift_pair_down(pairs, 0, end);
    }
}

static lbVec3 plane_normal(const lbCollider* skin, int triangle, lbVec3* corner) {
    const int* t = skin->topology->triangles + 3 * (size_t)triangle;
    const float* x = skin->body->skinX;
    lbVec3 a = vec3_load(x + 3 * (size_t)t[0]);
    *corner = a;
    return vec3_cross(vec3_sub(vec3_load(x + 3 * (size_t)t[1]), a), vec3_sub(vec3_load(x + 3 * (size_t)t[2]), a));
}

/* The side of a sheet's triangle that a point is on. */
static int side_of(const lbCollider* sheet, int triangle, const lbCollider* other, int point) {
    lbVec3 corner, normal = plane_normal(sheet, triangle, &corner);
    lbVec3 p = vec3_load(other->body->skinX + 3 * (size_t)point);
    return vec3_dot(normal, vec3_sub(p, corner)) < 0 ? -1 : 1;
}

static void add_skin_pairs(lbContacts* set, lbMeeting* meeting, const lbCollider* a, const lbCollider* b) {
    lbSkinSide first = skin_side(a), second = skin_side(b);
    int room = set->capacity - set->count;
    if (room == 0) { /* they are not even counted: that takes as long as finding them */
        set->missed += 1;
        set->wantedContacts = int_max(set->wantedContacts, 2 * set->capacity);
        return;
    }
    int count = lb_find_skin_pairs(&first, &second, a->reach + b->reach, set->pairs, room);
    if (count > room) {
        set->missed += count - room;
        set->wantedContacts += count - room;
        count = room;
    }
    int begin = 0, end = 0;
    for (; begin < count && set->pairs[begin].kind < lb_pairTrianglePoint; ++begin) {
    }
    for (end = begin; end < count && set->pairs[end].kind == lb_pairTrianglePoint; ++end) {
    }
    sort_by_second(set->pairs + begin, end - begin);
    for (int i = 0; i < count; ++i) {
        const lbSkinPair* pair = &set->pairs[i];
        lbContact* contact = add_contact(set, meeting, pair->kind, pair->a, pair->b);
        if (contact != NULL && pair->kind == lb_pairPointTriangle && is_sheet(b)) {
            contact->side = side_of(b, pair->b, a, pair->a);
        } else if (contact != NULL && pair->kind == lb_pairTrianglePoint && is_sheet(a)) {
            contact->side = side_of(a, pair->a, b, pair->b);
        }
    }
}

/* Where two shapes touch is found anew in each step; there is room for what is remembered. */
static void add_shape_room(lbContacts* set, lbMeeting* meeting) {
    for (int i = 0; i < lb_mostShapeContacts; ++i) {
        if (add_contact(set, meeting, lb_contactShapes, -1, 0) == NULL) {
            return;
        }
    }
}

/* ---- The last frame's go on -------------------------------------------------------------------------------------- */

/* No difference, which overflows for what a forged state may hold. */
static int order_of(int a, int b) {
    return (a > b) - (a < b);
}

static int compare(const lbContact* a, const lbContact* b) {
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    bool bySecond = a->kind == lb_contactTrianglePoint;
    int first = bySecond ? order_of(a->b, b->b) : order_of(a->a, b->a);
    return first != 0 ? first : bySecond ? order_of(a->a, b->a) : order_of(a->b, b->b);
}

static void carry_over(lbContacts* set, const lbMeeting* meeting, const lbMeeting* before) {
    const lbContact* last = set->last + before->first;
    lbContact* now = set->contacts + meeting->first;
    if (meeting->kind == lb_meetShapes) {
        memcpy(now, last, (size_t)int_min(meeting->count, before->count) * sizeof(*now));
        for (int i = 0; i < meeting->count; ++i) {
            now[i].total = now[i].moment = vec3(0, 0, 0);
        }
        return;
    }
    for (int i = 0, j = 0; i < meeting->count && j < before->count;) {
        int order = compare(&now[i], &last[j]);
        if (order == 0) {
            now[i].impulse = last[j].impulse;
            now[i].normal = last[j].normal;
            now[i].side = last[j].side;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

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

/* ---- All meetings ------------------------------------------------------------------------------------------------ */

static void begin_frame(lbContacts* set, double dt) {
    lbMeeting* meetings = set->meetings;
    set->meetings = set->lastMeetings, set->lastMeetings = meetings;
    lbContact* contacts = set->contacts;
    set->contacts = set->last, set->last = contacts;
    set->lastMeetingCount = set->meetingCount;
    set->frame = dt;
}

/* Whether some of a skin's box may come within reach of an unbounded shape. */
static bool is_beyond(const lbCollider* shape, const lbCollider* other, double dt) {
    if (lb_shape_is_bounded(shape->shape)) {
        return false;
    }
    const lbBody* body = shape->body;
    lbVec3 normal;
    float radius = 0.5f * vec3_length(box_size(other->box)) + shape_travel(body, shape->shape, dt) + shape->reach;
    return lb_shape_distance(shape->shape, pose_local(body->ops->frame->poseAt(body, 1), box_center(other->box)),
                             &normal) > radius;
}

static void fill_meeting(lbContacts* set, lbMeeting* meeting, double dt) {
    const lbCollider *a = &set->colliders[meeting->a], *b = &set->colliders[meeting->b];
    if (meeting->kind == lb_meetShapes) {
        add_shape_room(set, meeting);
    } else if (meeting->kind == lb_meetSkins) {
        add_skin_pairs(set, meeting, a, b);
    } else {
        ShapeWay way = shape_way(a, b, dt);
        add_shape_points(set, meeting, a, &way, b, dt);
        add_shape_triangles(set, meeting, a, &way, b, dt);
    }
}

static void meet(lbContacts* set, int i, int j, double dt, int* cursor) {
    const lbCollider *p = &set->colliders[i], *q = &set->colliders[j];
    bool swap = p->shape != NULL && q->shape == NULL; /* the shape is the second */
    const lbCollider *a = swap ? q : p, *b = swap ? p : q;
    if ((a->body->ops->guided && b->body->ops->guided) || (b->shape != NULL && is_beyond(b, a, dt)) ||
        (a->shape != NULL && is_beyond(a, b, dt))) {
        return;
    }
    if (a->body->ops->feel != NULL && b->shape != NULL && b->body->ops->guided) {
        a->body->ops->feel(a->body, b->body, b->slot, b->shape);
        return;
    }
    lbMeeting* meeting = &set->meetings[set->meetingCount];
    *meeting = (lbMeeting){.kind = a->shape != NULL   ? lb_meetShapes
                                   : b->shape != NULL ? lb_meetSkinShape
                                                      : lb_meetSkins,
                           .a = swap ? j : i,
                           .b = swap ? i : j,
                           .firstSlot = a->slot,
                           .low = p->slot,
                           .high = q->slot,
                           .first = set->count,
                           .friction = sqrtf(a->body->friction * b->body->friction),
                           .restitution = fmaxf(a->body->restitution, b->body->restitution),
                           .thickness = a->body->thickness + b->body->thickness};
    fill_meeting(set, meeting, dt);
    if (meeting->count > 0) {
        const lbMeeting* before = find_last(set, meeting, cursor);
        if (before != NULL) {
            carry_over(set, meeting, before);
        }
        ++set->meetingCount;
    }
}

/* A body that is alone meets nobody, wherever its skin is. */
static bool is_alone(const lbContacts* set) {
    int count = 0;
    for (int i = 0; i < set->colliderCount; ++i) {
        count += set->colliders[i].shape != NULL || set->colliders[i].topology != NULL;
    }
    return count < 2;
}

void lb_find_meetings(lbContacts* set, double dt) {
    begin_frame(set, dt);
    bool alone = is_alone(set);
    for (int i = 0; i < set->colliderCount; ++i) {
        if (alone) {
            set->colliders[i].box = box_empty();
        } else {
            bound(&set->colliders[i], dt);
        }
        set->boxes[i] = set->colliders[i].box;
    }
    lb_find_meetings_again(set);
}

void lb_find_meetings_again(lbContacts* set) {
    double dt = set->frame;
    set->meetingCount = set->count = set->missed = 0;
    set->wantedContacts = 0;
    int count =
        lb_overlapping_boxes(set->boxes, set->colliderCount, set->boxScratch, set->boxPairs, set->meetingCapacity);
    set->wantedMeetings = count;
    if (count > set->meetingCapacity) {
        set->missed += count - set->meetingCapacity;
        count = set->meetingCapacity;
    }
    int cursor = 0;
    for (int i = 0; i < count; ++i) {
        meet(set, set->boxPairs[i][0], set->boxPairs[i][1], dt, &cursor);
    }
}
