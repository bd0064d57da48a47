/* Once a frame: which bodies come near each other, and which of their features may touch within it. Boxes of bodies by
 * sweep and prune, then trees over their skins (skin_pairs.h). Everything is generous: what is found here is looked at
 * again in every step. Skins that come fast against each other take several steps, and features that may touch are
 * looked for before each of them: bodies that are hit are faster then than anybody could know at the frame's beginning.
 */
#include "contact/contact.h"

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

/* How far some point of a body that moves as a whole can come in dt. */
static float shape_travel(const lbBody* body, const lbCollisionShape* shape, double dt) {
    lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    float radius = lb_shape_is_bounded(shape) ? lb_shape_radius(shape) : 0;
    float told = vec3_length(vec3_sub(end.position, begin.position));
    return told + (float)dt * (vec3_length(v) + radius * vec3_length(w));
}

static lbBox shape_velocities(const lbBody* body, const lbCollisionShape* shape) {
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    float radius = lb_shape_is_bounded(shape) ? lb_shape_radius(shape) : 0;
    return inflate((lbBox){v, v}, radius * vec3_length(w));
}

/* A point may turn round and gain speed within a frame. */
static float margin_of(const lbBody* body, double dt) {
    return 0.01f * body->model->size + 5 * (float)(dt * dt) + body->thickness;
}

/* Of the smaller body's size: how far skins may come against each other in a step. Normals, and which features face
 * each other, are those of its beginning. */
static const float farthest = 0.04f;
enum { mostMotionSteps = 16 };
/* A step and some more: skins gain speed within it. */
static const float lookahead = 1.5f;

static void bound_velocities(lbCollider* collider) {
    for (int i = 0; i < collider->topology->pointCount; ++i) {
        lbVec3 v = vec3_load(collider->body->skinV + 3 * (size_t)i);
        collider->velocities = i == 0 ? (lbBox){v, v} : join(collider->velocities, (lbBox){v, v});
    }
}

/* How many steps it takes to go that far: a power of two, so that few lengths of steps are in use. */
static int count_steps(float way, float size) {
    int steps = 1;
    for (; steps < mostMotionSteps && way > farthest * size * (float)steps; steps *= 2) {
    }
    return steps;
}

/* How many steps two bodies ask for by how fast one comes against the other. */
static int count_motion_steps(const lbCollider* a, const lbCollider* b, double dt) {
    lbVec3 up = vec3_sub(a->velocities.upper, b->velocities.lower);
    lbVec3 down = vec3_sub(b->velocities.upper, a->velocities.lower);
    float size = b->shape != NULL ? a->body->model->size : fminf(a->body->model->size, b->body->model->size);
    return count_steps(vec3_length(vec3_max(up, down)) * (float)dt, size);
}

void lb_fit_collider(lbCollider* collider, double h) {
    const lbBody* body = collider->body;
    if (collider->shape == NULL && collider->topology != NULL && !body->ops->guided) {
        lb_refit_skin_tree(collider->tree, collider->topology, body->skinX, body->skinV, lookahead * (float)h,
                           collider->reach);
    }
}

static void bound(lbCollider* collider, double dt) {
    const lbBody* body = collider->body;
    collider->reach = margin_of(body, dt);
    if (collider->shape != NULL) {
        lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
        collider->box = everywhere;
        collider->velocities = shape_velocities(body, collider->shape);
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

/* Pairs as contacts stand: those of one point side by side. */
static void order_pairs(lbSkinPair* pairs, int count) {
    int begin = 0, end = 0;
    for (; begin < count && pairs[begin].kind < lb_pairTrianglePoint; ++begin) {
    }
    for (end = begin; end < count && pairs[end].kind == lb_pairTrianglePoint; ++end) {
    }
    sort_by_second(pairs + begin, end - begin);
}

static lbContact new_contact(const lbSkinPair* pair, const lbCollider* a, const lbCollider* b) {
    lbContact contact = {.kind = pair->kind, .a = pair->a, .b = pair->b};
    if (pair->kind == lb_pairPointTriangle && is_sheet(b)) {
        contact.side = side_of(b, pair->b, a, pair->a);
    } else if (pair->kind == lb_pairTrianglePoint && is_sheet(a)) {
        contact.side = side_of(a, pair->a, b, pair->b);
    }
    return contact;
}

static int search_skins(const lbCollider* a, const lbCollider* b, lbSkinPair* pairs, int room) {
    lbSkinSide first = skin_side(a), second = skin_side(b);
    int count = lb_find_skin_pairs(&first, &second, a->reach + b->reach, pairs, room);
    order_pairs(pairs, int_min(count, room));
    return count;
}

static void add_skin_pairs(lbContacts* set, lbMeeting* meeting, const lbCollider* a, const lbCollider* b) {
    const lbSkinPair* pairs = set->pairs + meeting->firstPair;
    int room = set->capacity - set->count, count = meeting->pairCount;
    if (room == 0) { /* they are not even counted: that takes as long as finding them */
        set->missed += 1;
        set->wantedContacts = int_max(set->wantedContacts, 2 * set->capacity);
        return;
    }
    if (!meeting->searched) {
        pairs = set->pairs;
        count = search_skins(a, b, set->pairs, room);
    }
    if (count > room) {
        set->missed += count - room;
        set->wantedContacts += count - room;
        count = room;
    }
    for (int i = 0; i < count; ++i) {
        lbContact* contact = add_contact(set, meeting, pairs[i].kind, pairs[i].a, pairs[i].b);
        if (contact != NULL) {
            *contact = new_contact(&pairs[i], a, b);
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

/* ---- Within a frame ---------------------------------------------------------------------------------------------- */

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

static bool has_pushed(const lbContact* contact) {
    lbVec3 p = contact->total;
    return p.x != 0 || p.y != 0 || p.z != 0;
}

/* Into `merged`: what was found, as it was known before, and of the others those that pushed. */
static int merge_contacts(const lbContact* found, int foundCount, const lbContact* known, int knownCount,
                          lbContact* merged, int room, int* missed) {
    int count = 0;
    for (int i = 0, j = 0; i < foundCount || j < knownCount;) {
        int order = j == knownCount ? -1 : i == foundCount ? 1 : compare(&found[i], &known[j]);
        bool stays = order <= 0 || has_pushed(&known[j]);
        if (stays && count < room) {
            merged[count] = order < 0 ? found[i] : known[j];
            merged[count++].farUntil = 0;
        } else if (stays) {
            ++*missed;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return count;
}

int lb_room_for_steps(const lbMeeting* meeting) {
    return meeting->again ? 2 * meeting->count + 256 : 0;
}

void lb_find_contacts_again(lbContactPool* pool, lbMeeting* meeting, double h) {
    lbContacts* set = pool->set;
    int at = pool->first + pool->count, room = pool->room - pool->count;
    lbContacts part = {.contacts = set->again + at,
                       .pairs = set->pairs + at,
                       .features = set->features + at,
                       .capacity = room,
                       .colliders = set->colliders};
    lbMeeting found = *meeting;
    found.first = found.count = 0;
    fill_meeting(&part, &found, (double)lookahead * h);
    meeting->missed += part.missed;
    meeting->count = merge_contacts(part.contacts, found.count, set->contacts + meeting->first, meeting->count,
                                    set->last + at, room, &meeting->missed);
    meeting->first = at;
    pool->count += meeting->count;
}

void lb_end_finding(lbContactPool* pool) {
    memcpy(pool->set->contacts + pool->first, pool->set->last + pool->first, (size_t)pool->count * sizeof(lbContact));
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

/* What two bodies are to each other; false: nothing. */
static bool begin_meeting(lbContacts* set, int i, int j, double dt, lbMeeting* meeting) {
    const lbCollider *p = &set->colliders[i], *q = &set->colliders[j];
    bool swap = p->shape != NULL && q->shape == NULL; /* the shape is the second */
    const lbCollider *a = swap ? q : p, *b = swap ? p : q;
    if ((a->body->ops->guided && b->body->ops->guided) || (b->shape != NULL && is_beyond(b, a, dt)) ||
        (a->shape != NULL && is_beyond(a, b, dt))) {
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
        meeting->pairCount = search_skins(&set->colliders[meeting->a], &set->colliders[meeting->b],
                                          set->pairs + meeting->firstPair, share - used);
        if (meeting->pairCount > share - used) {
            return; /* the others of the part are searched one by one, with all of the room */
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
        fill_meeting(set, &meeting, meeting.again ? (double)lookahead * dt / int_max(a->steps, b->steps) : dt);
        if (meeting.count == 0 && !meeting.again) {
            continue;
        }
        const lbMeeting* before = find_last(set, &meeting, &cursor);
        if (before != NULL) {
            carry_over(set, &meeting, before);
        }
        meeting.searched = false;
        set->meetings[kept++] = meeting;
    }
    set->meetingCount = kept;
}

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static bool is_implicit_skin(const lbCollider* collider) {
    return collider->shape == NULL && !collider->body->ops->guided && collider->body->ops->isImplicit(collider->body);
}

/* Implicit bodies whose skins may meet take as many steps as the fastest of them ask for, by what they come against:
 * where one is stopped the next one runs into it in the same frame. One that is alone with shapes has no need to. */
static void find_steps(lbContacts* set, int pairCount, double dt) {
    int* parent = set->features; /* there is room for more of them than of bodies */
    for (int i = 0; i < set->colliderCount; ++i) {
        parent[i] = i;
        set->colliders[i].steps = set->colliders[i].crowd = 1;
    }
    if (set->skinCount < 2) {
        return;
    }
    for (int i = 0; i < pairCount; ++i) {
        lbCollider *a = &set->colliders[set->boxPairs[i][0]], *b = &set->colliders[set->boxPairs[i][1]];
        lbCollider *skin = is_implicit_skin(a) ? a : b, *other = skin == a ? b : a;
        if (!is_implicit_skin(skin) || (other->shape != NULL && is_beyond(other, skin, dt))) {
            continue;
        }
        int steps = count_motion_steps(skin, other, dt);
        lbCollider* root = &set->colliders[root_of(parent, (int)(skin - set->colliders))];
        if (is_implicit_skin(other)) {
            lbCollider* second = &set->colliders[root_of(parent, (int)(other - set->colliders))];
            lbCollider *low = root < second ? root : second, *high = root < second ? second : root;
            if (low != high) {
                parent[high - set->colliders] = (int)(low - set->colliders);
                low->crowd += high->crowd;
                low->steps = int_max(low->steps, high->steps);
            }
            root = low;
        }
        root->steps = int_max(root->steps, steps);
    }
    for (int i = 0; i < set->colliderCount; ++i) {
        lbCollider *collider = &set->colliders[i], *root = &set->colliders[root_of(parent, i)];
        int steps = root->crowd > 1 ? root->steps : 1;
        collider->steps = steps;
        if (collider->steps > 1) {
            collider->reach = margin_of(collider->body, dt / collider->steps);
            lb_fit_collider(collider, dt / collider->steps);
        }
    }
}

/* How many bodies can meet others at all, and how many do by a skin. */
static int count_skins(lbContacts* set) {
    int count = 0;
    set->skinCount = 0;
    for (int i = 0; i < set->colliderCount; ++i) {
        const lbCollider* collider = &set->colliders[i];
        count += collider->shape != NULL || collider->topology != NULL;
        set->skinCount += collider->shape == NULL && collider->topology != NULL;
    }
    return count;
}

static void bound_colliders(void* context, int begin, int end) {
    lbContacts* set = context;
    for (int i = begin; i < end; ++i) {
        lbCollider* collider = &set->colliders[i];
        bound(collider, set->frame);
        if (set->skinCount > 1 && collider->shape == NULL && collider->topology != NULL) {
            bound_velocities(collider);
        }
        set->boxes[i] = collider->box;
    }
}

void lb_find_meetings(lbContacts* set, double dt, lbTasks* tasks) {
    begin_frame(set, dt);
    if (count_skins(set) < 2) { /* who is alone meets nobody, wherever its skin is */
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
    int count =
        lb_overlapping_boxes(set->boxes, set->colliderCount, set->boxScratch, set->boxPairs, set->meetingCapacity);
    set->wantedMeetings = count;
    if (count > set->meetingCapacity) {
        set->missed += count - set->meetingCapacity;
        count = set->meetingCapacity;
    }
    find_steps(set, count, dt);
    for (int i = 0; i < count; ++i) {
        lbMeeting* meeting = &set->meetings[set->meetingCount];
        set->meetingCount += begin_meeting(set, set->boxPairs[i][0], set->boxPairs[i][1], dt, meeting);
    }
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
