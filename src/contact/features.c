#include "contact/features.h"

#include <string.h>

float lb_shape_travel(const lbBody* body, const lbCollisionShape* shape, double dt) {
    lbPose begin = body->ops->frame->poseAt(body, 0), end = body->ops->frame->poseAt(body, 1);
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    float radius = lb_shape_is_bounded(shape) ? lb_shape_radius(shape) : 0;
    float told = vec3_length(vec3_sub(end.position, begin.position));
    return told + (float)dt * (vec3_length(v) + radius * vec3_length(w));
}

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
                      .travel = lb_shape_travel(body, shape->shape, dt),
                      .reach = skin->reach + shape->reach};
}

static bool may_touch(const ShapeWay* way, lbVec3 x, float reach) {
    lbVec3 normal;
    float distance = lb_shape_distance(way->shape, pose_local(way->end, x), &normal);
    return distance < way->reach + way->travel + reach;
}

/* Where a shape can come, with what the boxes of the skin lack to its reach. */
static lbBox reached_box(const lbCollider* skin, const lbCollider* shape) {
    float lacking = fmaxf(skin->reach - skin->tree->margin, 0);
    lbVec3 all = {lacking, lacking, lacking};
    return (lbBox){vec3_sub(shape->box.lower, all), vec3_add(shape->box.upper, all)};
}

static void add_shape_points(lbContacts* set, lbMeeting* meeting, const lbCollider* skin, const ShapeWay* way,
                             const lbCollider* shape, double dt) {
    const lbBody* body = skin->body;
    bool bounded = lb_shape_is_bounded(way->shape);
    int count = skin->topology->pointCount;
    if (bounded) {
        count = lb_query_box_points(skin->tree, skin->topology, reached_box(skin, shape), set->features, set->capacity);
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
    int count =
        lb_query_box_triangles(skin->tree, skin->topology, reached_box(skin, shape), set->features, set->capacity);
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

/* Of its own size: a margin about the distance that a skin keeps from itself. */
static const float ownMargin = 0.002f;

float lb_own_reach(const lbBody* body) {
    return 2 * body->thickness + ownMargin * body->model->size;
}

float lb_neighbourhood(const lbBody* body) {
    return 1.5f * lb_own_reach(body);
}

static lbOwnSearch own_search(const lbCollider* skin, bool some) {
    return (lbOwnSearch){skin->neighbours, some, 2 * skin->body->thickness};
}

static int search_own_skin(const lbCollider* skin, bool some, lbSkinPair* pairs, int room) {
    lbSkinSide side = skin_side(skin);
    side.depth = INFINITY; /* which side of a triangle a point is on is remembered */
    lbOwnSearch own = own_search(skin, some);
    return lb_find_self_pairs(&side, &own, lb_own_reach(skin->body) + skin->drift * skin->tree->dt, pairs, room);
}

int lb_search_own_skin(const lbCollider* skin, lbSkinPair* pairs, int room) {
    return int_min(search_own_skin(skin, true, pairs, room), room);
}

int lb_search_skins(const lbCollider* a, const lbCollider* b, lbSkinPair* pairs, int room) {
    lbSkinSide first = skin_side(a), second = skin_side(b);
    if (a == b) {
        return search_own_skin(a, false, pairs, room);
    }
    int count = lb_find_skin_pairs(&first, &second, a->reach + b->reach, pairs, room);
    order_pairs(pairs, int_min(count, room));
    return count;
}

float lb_fastest_pair(const lbCollider* a, const lbCollider* b, const lbSkinPair* pairs, int count) {
    lbSkinSide first = skin_side(a), second = skin_side(b);
    float fastest = 0;
    for (int i = 0; i < count; ++i) {
        fastest = fmaxf(fastest, lb_pair_motion(&first, &second, &pairs[i]));
    }
    return fastest;
}

static lbContact new_contact(const lbSkinPair* pair, const lbCollider* a, const lbCollider* b) {
    lbContact contact = {.kind = pair->kind, .a = pair->a, .b = pair->b};
    if (pair->kind == lb_pairPointTriangle && (is_sheet(b) || a == b)) {
        contact.side = side_of(b, pair->b, a, pair->a);
    } else if (pair->kind == lb_pairTrianglePoint && is_sheet(a)) {
        contact.side = side_of(a, pair->a, b, pair->b);
    }
    if (a == b) {
        lbSkinSide side = skin_side(a);
        lbOwnSearch own = own_search(a, false);
        contact.kept = lb_kept_distance(&side, &own, pair);
    }
    return contact;
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
        count = lb_search_skins(a, b, set->pairs, room);
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

void lb_carry_over(lbContacts* set, const lbMeeting* meeting, const lbMeeting* before) {
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

/* ---- Within a frame ---------------------------------------------------------------------------------------------- */

void lb_fill_meeting(lbContacts* set, lbMeeting* meeting, double dt) {
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
    return !vec3_is_zero(p);
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
    return meeting->again ? 2 * meeting->count + 256 + meeting->ownRoom : 0;
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
    lb_fill_meeting(&part, &found, (double)lb_lookahead * h);
    meeting->missed += part.missed;
    meeting->count = merge_contacts(part.contacts, found.count, set->contacts + meeting->first, meeting->count,
                                    set->last + at, room, &meeting->missed);
    meeting->first = at;
    pool->count += meeting->count;
}

void lb_end_finding(lbContactPool* pool) {
    memcpy(pool->set->contacts + pool->first, pool->set->last + pool->first, (size_t)pool->count * sizeof(lbContact));
}
