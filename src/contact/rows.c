/* Each step: which contacts are near, how their sides lie, and what is asked of their velocities. */
#include "contact/contact.h"

#include "contact/closest.h"
#include "matrix/node_vectors.h"

#include <float.h>
#include <string.h>

/* Of a penetration, the share that is undone in a step; all at once would throw the body out. */
static const float recovery = 0.3f;
/* m/s: never pushed out faster than this. */
static const float largestRecoverySpeed = 2;
/* Of the smaller body's size: a gap that is none. */
static const float closed = 1e-4f;
/* The cosine by which a shape's normal may turn from step to step at an edge of it (of a box, by 0); what turns further
 * is on another side. */
static const float farthestTurn = -0.5f;
/* m/s: by how much a step may change what a point's velocity was before it; what comes faster is seen in the next. */
static const float approach = 0.25f;
/* m/s: the same of two skins, whose bodies others may strike. */
static const float struck = 1;
/* m/s: and of a skin with itself. */
static const float struckByItself = 0.1f;
/* m/s: slower meetings give nothing back, so that what bounces comes to rest. */
static const float leastBounce = 0.1f;

int lb_most_rows(const lbMeeting* meeting) {
    return meeting->count;
}

/* What rows of a meeting have in common. */
typedef struct Near {
    lbContacts* set;
    const lbMeeting* meeting;
    const lbCollider *a, *b;
    const lbStep* step;
    /* Of a shape (b): */
    lbPose begin, end;
    bool still;      /* the two are one */
    float speed;     /* m/s, of any of its points */
    float smoothing; /* m: sharp edges are seen from as far as this */
    lbRow* rows;
    int count;
} Near;

/* The last step's impulse as a guess at this one's: normals turn, and nothing pulls. */
static lbVec3 guess_impulse(lbVec3 last, lbVec3 normal, float friction) {
    float before = fmaxf(vec3_dot(normal, last), 0);
    lbVec3 across = vec3_madd(last, -vec3_dot(normal, last), normal);
    float most = friction * before, size = vec3_length(across);
    return vec3_madd(vec3_scale(size > most ? most / size : 1, across), before, normal);
}

static lbRow* add_row(Near* near, lbContact* contact, lbVec3 normal, float gap, lbVec3 point) {
    lbRow* row = &near->rows[near->count++];
    *row = (lbRow){.blockA = -1,
                   .blockB = -1,
                   .normal = normal,
                   .gap = gap - (near->a == near->b ? contact->kept : near->meeting->thickness),
                   .friction = near->meeting->friction,
                   .restitution = near->meeting->restitution,
                   .impulse = guess_impulse(contact->impulse, normal, near->meeting->friction),
                   .point = point,
                   .contact = contact};
    contact->normal = normal;
    contact->point = point;
    return row;
}

/* So far away that it cannot come to touch within the step, were it twice as fast as it is and a little more
 * (`approach`): what was known of it is forgotten. `reach`: how far it could come. */
static void leave_out(lbContact* contact) {
    contact->impulse = vec3(0, 0, 0);
}

/* ---- Skins against shapes ---------------------------------------------------------------------------------------- */

/* A contact that was left out is not looked at again while the same holds of the steps that follow. */
static void leave_out_for_long(const Near* near, lbContact* contact, float gap, float reach) {
    float h = (float)near->step->h, frame = (float)near->set->frame;
    leave_out(contact);
    contact->farUntil = near->step->end + (gap - reach) / ((reach / h + near->speed) * frame);
}

/* The signed distance from a shape and its normal, as from a little outside, along the normal that was there before. At
 * a sharp edge the nearest point's direction turns within the gap, which is next to nothing where bodies rest: seen
 * from there it does not. Where surfaces are flat or round nothing changes. */
static float smooth_distance(const Near* near, lbPose pose, lbVec3 x, lbVec3 before, lbVec3* normal) {
    lbVec3 local = pose_local(pose, x);
    if (vec3_is_zero(before)) {
        return lb_shape_distance(near->b->shape, local, normal);
    }
    lbVec3 outside = vec3_madd(local, near->smoothing, pose_unrotate(pose, before));
    return lb_shape_distance(near->b->shape, outside, normal) - near->smoothing;
}

/* Where on the skin a contact is, and what is known there. */
typedef struct Spot {
    lbSurfacePoint place;
    lbVec3 x, v;   /* m, m/s */
    lbVec3 ahead;  /* m: where the shape finds it at the step's end */
    lbVec3 normal; /* of the shape at the step's end, in its own frame */
    float gap;     /* m, the same */
} Spot;

/* m: how far a point that touches a shape in motion goes along its surface in the step. Without it what is carried
 * seems to slide back by as much, and slips off the shape's rim. */
static lbVec3 way_along(const Near* near, const lbContact* contact, lbVec3 v) {
    if (near->still || vec3_is_zero(contact->normal)) {
        return vec3(0, 0, 0);
    }
    return vec3_scale((float)near->step->h, vec3_madd(v, -vec3_dot(v, contact->normal), contact->normal));
}

/* False: it is too far away to matter in this step. */
static bool is_near(const Near* near, lbContact* contact, Spot* spot) {
    float h = (float)near->step->h;
    spot->gap = lb_shape_distance(near->b->shape, pose_local(near->end, spot->ahead), &spot->normal);
    float reach = h * (approach + 2 * vec3_length(spot->v) + near->speed) + near->meeting->thickness;
    if (spot->gap > reach) {
        leave_out_for_long(near, contact, spot->gap, reach);
        contact->normal = vec3(0, 0, 0);
        return false;
    }
    return true;
}

static void add_spot(Near* near, lbContact* contact, const Spot* spot) {
    lbVec3 local, ignored, x = spot->x;
    float h = (float)near->step->h;
    lbVec3 now = pose_rotate(near->end, spot->normal), before = contact->normal;
    before = vec3_dot(now, before) > farthestTurn ? before : now;
    float gapAtEnd = smooth_distance(near, near->end, spot->ahead, before, &local);
    float gap = near->still ? gapAtEnd : smooth_distance(near, near->begin, x, before, &ignored);
    lbRow* row = add_row(near, contact, pose_rotate(near->end, local), gap, x);
    memcpy(contact->weightsA, spot->place.weight, sizeof(contact->weightsA));
    row->told = near->b->body->ops->guided;
    row->approach = (gap - gapAtEnd) / h;
    near->a->body->ops->bindSkin(near->a->body, spot->place, near->step, &row->a);
    /* Both sides at one place: impulses across the normal have no moment then. */
    near->b->body->ops->bindPoint(near->b->body, x, near->step, &row->b);
}

static bool find_point(const Near* near, lbContact* contact, Spot* spot) {
    const lbBody* body = near->a->body;
    lbSide side;
    spot->place = lb_at_skin_point(contact->a);
    body->ops->bindSkin(near->a->body, spot->place, near->step, &side);
    spot->x = body->ops->place(body, &side);
    spot->v = body->ops->velocity(body, &side);
    spot->ahead = vec3_add(spot->x, way_along(near, contact, spot->v));
    return is_near(near, contact, spot);
}

static lbVec3 corner_of(const lbBody* body, int point, const lbStep* step, lbVec3* v) {
    lbSide side;
    body->ops->bindSkin((lbBody*)body, lb_at_skin_point(point), step, &side);
    *v = body->ops->velocity(body, &side);
    return body->ops->place(body, &side);
}

static bool find_on_triangle(const Near* near, lbContact* contact, Spot* spot) {
    const lbBody* body = near->a->body;
    const int* corner = near->a->topology->triangles + 3 * (size_t)contact->a;
    lbVec3 p[3], ahead[3], local[3], v[3], normal, x = {0, 0, 0}, xAhead = {0, 0, 0}, fastest = {0, 0, 0};
    lbSurfacePoint place = {{corner[0], corner[1], corner[2]}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        p[k] = corner_of(body, corner[k], near->step, &v[k]);
        ahead[k] = vec3_add(p[k], way_along(near, contact, v[k]));
        local[k] = pose_local(near->end, ahead[k]);
        fastest = vec3_length(v[k]) > vec3_length(fastest) ? v[k] : fastest;
    }
    lb_shape_nearest_on_triangle(near->b->shape, local, place.weight, &normal);
    for (int k = 0; k < 3; ++k) {
        x = vec3_madd(x, place.weight[k], p[k]);
        xAhead = vec3_madd(xAhead, place.weight[k], ahead[k]);
        if (place.weight[k] > 0.999f) { /* the corner answers for itself */
            leave_out(contact);
            contact->farUntil = near->step->end;
            return false;
        }
    }
    *spot = (Spot){.place = place, .x = x, .v = fastest, .ahead = xAhead};
    return is_near(near, contact, spot);
}

static bool find_spot(const Near* near, lbContact* contact, Spot* spot) {
    if (near->step->end <= contact->farUntil) {
        return false;
    }
    return contact->kind == lb_contactPointShape ? find_point(near, contact, spot)
                                                 : find_on_triangle(near, contact, spot);
}

static void prepare_shape(Near* near) {
    const lbBody* shape = near->b->body;
    near->begin = shape->ops->frame->poseAt(shape, near->step->begin);
    near->end = shape->ops->frame->poseAt(shape, near->step->end);
    near->still = memcmp(&near->begin, &near->end, sizeof(lbPose)) == 0;
    lbVec3 v, w;
    shape->ops->frame->velocity(shape, &v, &w);
    float radius = lb_shape_is_bounded(near->b->shape) ? lb_shape_radius(near->b->shape) : 0;
    near->speed = vec3_length(v) + radius * vec3_length(w);
    float size = near->a->body->model->size;
    near->smoothing = 5e-3f * (radius > 0 ? fminf(size, radius) : size);
}

static void look_at_contacts(Near* near, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        lbContact* contact = &near->set->contacts[near->meeting->first + i];
        Spot spot;
        if (find_spot(near, contact, &spot)) {
            add_spot(near, contact, &spot);
        }
    }
}

/* Many contacts on all threads: first how many rows each piece has, then the rows. What is left out in the first round
 * is not looked at in the second. */
typedef struct ShapeLoop {
    const Near* near;
    int size;
    int counts[lb_mostPieces];
} ShapeLoop;

static void count_near(void* context, int begin, int end) {
    ShapeLoop* loop = context;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        Spot spot;
        count += find_spot(loop->near, &loop->near->set->contacts[loop->near->meeting->first + i], &spot);
    }
    loop->counts[begin / loop->size] = count;
}

static void fill_near(void* context, int begin, int end) {
    const ShapeLoop* loop = context;
    Near near = *loop->near;
    for (int i = 0; i < begin / loop->size; ++i) {
        near.count += loop->counts[i];
    }
    look_at_contacts(&near, begin, end);
}

static void look_at_shape(Near* near, lbTasks* tasks) {
    enum { manyContacts = 2048 };
    prepare_shape(near);
    if (near->meeting->count < manyContacts || tasks == NULL || near->a->body->tasks == NULL) {
        look_at_contacts(near, 0, near->meeting->count);
        return;
    }
    ShapeLoop loop = {.near = near, .size = lb_piece_size(near->meeting->count)};
    lb_for_pieces(tasks, near->meeting->count, count_near, &loop);
    lb_for_pieces(tasks, near->meeting->count, fill_near, &loop);
    for (int i = 0; i < lb_mostPieces; ++i) {
        near->count += loop.counts[i];
    }
}

/* ---- Skins against skins ----------------------------------------------------------------------------------------- */

static lbVec3 skin_point(const Near* near, const lbCollider* skin, int point) {
    if (skin->body->ops->guided) { /* its skin is that of the frame's beginning */
        lbVec3 ignored;
        return corner_of(skin->body, point, near->step, &ignored);
    }
    return vec3_load(skin->body->skinX + 3 * (size_t)point);
}

/* m/s: of any point of a feature against any of the other. */
static float speed_between(const Near* near, lbFeatures f) {
    float fastest2 = 0;
    for (int i = 0; i < f.countA; ++i) {
        lbVec3 v = vec3_load(near->a->body->skinV + 3 * (size_t)f.a[i]);
        for (int k = 0; k < f.countB; ++k) {
            lbVec3 apart = vec3_sub(v, vec3_load(near->b->body->skinV + 3 * (size_t)f.b[k]));
            fastest2 = fmaxf(fastest2, vec3_dot(apart, apart));
        }
    }
    return sqrtf(fastest2);
}

lbFeatures lb_contact_features(const lbCollider* a, const lbCollider* b, const lbContact* contact) {
    switch (contact->kind) {
    case lb_contactPointTriangle:
        return (lbFeatures){&contact->a, b->topology->triangles + 3 * (size_t)contact->b, 1, 3};
    case lb_contactTrianglePoint:
        return (lbFeatures){a->topology->triangles + 3 * (size_t)contact->a, &contact->b, 3, 1};
    default:
        return (lbFeatures){a->topology->edges[contact->a].points, b->topology->edges[contact->b].points, 2, 2};
    }
}

static void swap_sides(lbGapResult* result) {
    for (int k = 0; k < 3; ++k) {
        float weight = result->weightsA[k];
        result->weightsA[k] = result->weightsB[k], result->weightsB[k] = weight;
    }
    result->normal = vec3_scale(-1, result->normal);
}

static lbVec3 outward(const lbCollider* skin, int edge) {
    return skin->body->model->isSheet ? vec3(0, 0, 0) : lb_edge_outward(skin->topology, skin->body->skinX, edge);
}

static bool crosses(const Near* near, const lbCollider* edges, int edge, const lbCollider* triangles, int triangle) {
    if (triangle < 0) {
        return false;
    }
    const int *p = edges->topology->edges[edge].points, *t = triangles->topology->triangles + 3 * (size_t)triangle;
    lbVec3 corners[3];
    for (int k = 0; k < 3; ++k) {
        corners[k] = skin_point(near, triangles, t[k]);
    }
    return lb_segment_crosses_triangle(skin_point(near, edges, p[0]), skin_point(near, edges, p[1]), corners);
}

/* Whether one of two edges goes through a triangle of the other: where it does not, one may seem to be behind the other
 * and still be outside, beside a face that turns away. */
static bool edges_cross(const Near* near, const lbContact* contact) {
    const lbSkinEdge *a = &near->a->topology->edges[contact->a], *b = &near->b->topology->edges[contact->b];
    for (int k = 0; k < 2; ++k) {
        if (crosses(near, near->a, contact->a, near->b, b->triangles[k]) ||
            crosses(near, near->b, contact->b, near->a, a->triangles[k])) {
            return true;
        }
    }
    return false;
}

/* How far two features are apart. False: they do not face each other. */
static bool measure_gap(const Near* near, lbContact* contact, lbFeatures f, lbGapResult* result) {
    lbVec3 a[3], b[3];
    for (int k = 0; k < f.countA; ++k) {
        a[k] = skin_point(near, near->a, f.a[k]);
    }
    for (int k = 0; k < f.countB; ++k) {
        b[k] = skin_point(near, near->b, f.b[k]);
    }
    if (contact->kind == lb_contactPointTriangle && near->a == near->b) {
        return lb_own_point_gap(a[0], b, near->a->body->model->isSheet, &contact->side, result);
    }
    if (contact->kind == lb_contactPointTriangle) {
        return lb_point_triangle_gap(a[0], b, contact->side, result);
    }
    if (contact->kind == lb_contactTrianglePoint) {
        bool faces = lb_point_triangle_gap(b[0], a, contact->side, result);
        swap_sides(result);
        return faces;
    }
    if (!lb_edge_edge_gap(a, b, outward(near->a, contact->a), outward(near->b, contact->b), result)) {
        return false;
    }
    bool solids = !near->a->body->model->isSheet && !near->b->body->model->isSheet;
    if (solids && result->gap < 0 && !edges_cross(near, contact)) {
        return false;
    }
    bool sheets = near->a->body->model->isSheet && near->b->body->model->isSheet;
    if (sheets && vec3_dot(result->normal, contact->normal) < 0) { /* they have passed each other */
        result->normal = vec3_scale(-1, result->normal);
        result->gap = -result->gap;
    }
    return true;
}

static lbSurfacePoint place_on(const int* points, int count, const float weights[3]) {
    lbSurfacePoint place = {{points[0], points[0], points[0]}, {0, 0, 0}};
    for (int k = 0; k < count; ++k) {
        place.corner[k] = points[k];
        place.weight[k] = weights[k];
    }
    return place;
}

static lbVec3 place_of(const Near* near, const lbCollider* skin, lbSurfacePoint place) {
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        sum = vec3_madd(sum, place.weight[k], skin_point(near, skin, place.corner[k]));
    }
    return sum;
}

static void add_skin_row(Near* near, lbContact* contact, const lbGapResult* result) {
    lbFeatures f = lb_contact_features(near->a, near->b, contact);
    lbSurfacePoint a = place_on(f.a, f.countA, result->weightsA), b = place_on(f.b, f.countB, result->weightsB);
    lbVec3 point = vec3_scale(0.5f, vec3_add(place_of(near, near->a, a), place_of(near, near->b, b)));
    lbRow* row = add_row(near, contact, result->normal, result->gap, point);
    memcpy(contact->weightsA, result->weightsA, sizeof(contact->weightsA));
    memcpy(contact->weightsB, result->weightsB, sizeof(contact->weightsB));
    near->a->body->ops->bindSkin(near->a->body, a, near->step, &row->a);
    near->b->body->ops->bindSkin(near->b->body, b, near->step, &row->b);
    /* Friction across a gap would turn the two bodies together: it begins when they have met, and lasts while they
     * push: what rests is now a little apart, now a little within. */
    float size = fminf(near->a->body->model->size, near->b->body->model->size);
    bool met = row->gap <= closed * size || vec3_dot(row->impulse, row->normal) > 0;
    row->friction = met ? row->friction : 0;
}

/* Whether two contacts are of one point. */
static bool same_point(const lbContact* p, const lbContact* q) {
    return p->kind == q->kind && (p->kind == lb_contactPointTriangle   ? p->a == q->a
                                  : p->kind == lb_contactTrianglePoint ? p->b == q->b
                                                                       : false);
}

/* Two triangles of an edge are equally far from a point beside it, and it is behind one of them: the other counts. */
static bool is_nearer(const lbGapResult* result, const lbGapResult* nearest) {
    const float same = 1e-4f;
    if (fabsf(result->distance - nearest->distance) <= same * result->distance) {
        return result->gap > nearest->gap;
    }
    return result->distance < nearest->distance;
}

/* How far two features are apart, if they may touch within the step. Else what was known of them is forgotten. */
static bool is_in_reach(const Near* near, lbContact* contact, lbGapResult* result) {
    if (near->step->end <= contact->farUntil) {
        return false;
    }
    lbFeatures f = lb_contact_features(near->a, near->b, contact);
    bool faces = measure_gap(near, contact, f, result);
    float h = (float)near->step->h, frame = (float)near->set->frame;
    float least = near->a == near->b ? struckByItself + near->a->drift : struck;
    float speed = least + 2 * speed_between(near, f);
    float reach = h * speed + near->meeting->thickness;
    if (faces && result->distance <= reach) {
        return true;
    }
    leave_out(contact);
    contact->farUntil = faces ? near->step->end + (result->distance - reach) / (speed * frame) : 0;
    if (contact->kind == lb_contactEdgeEdge) { /* edges that come again may do so from the other side */
        contact->normal = vec3(0, 0, 0);
    }
    return false;
}

/* Of a point's triangles of its own skin the nearest counts, and the nearest on its other side: it may be between two
 * layers. */
static void look_at_own_group(Near* near, lbContact* contacts, int first, int end) {
    lbGapResult nearest[2] = {{.distance = FLT_MAX}, {.distance = FLT_MAX}}, result;
    int chosen[2] = {-1, -1};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = first; i < end; ++i) {
            if (i != chosen[0] && is_in_reach(near, &contacts[i], &result) &&
                (pass == 0 || vec3_dot(result.normal, nearest[0].normal) < 0) && is_nearer(&result, &nearest[pass])) {
                nearest[pass] = result;
                chosen[pass] = i;
            }
        }
    }
    for (int i = first; i < end; ++i) {
        if (i != chosen[0] && i != chosen[1]) {
            leave_out(&contacts[i]);
        }
    }
    for (int pass = 0; pass < 2; ++pass) {
        if (chosen[pass] >= 0) {
            add_skin_row(near, &contacts[chosen[pass]], &nearest[pass]);
        }
    }
}

/* Of a point's triangles the nearest counts: it may be behind others from the outside. Contacts first <= i < end are
 * those of one point. */
static void look_at_group(Near* near, lbContact* contacts, int first, int end) {
    lbGapResult nearest = {.distance = FLT_MAX};
    int chosen = -1;
    for (int i = first; i < end; ++i) {
        lbContact* contact = &contacts[i];
        lbGapResult result;
        if (!is_in_reach(near, contact, &result)) {
            continue;
        }
        if (is_nearer(&result, &nearest)) {
            if (chosen >= 0) { /* another triangle takes over: what the point was pushed by goes with it */
                contact->impulse = vec3_length(contact->impulse) > 0 ? contact->impulse : contacts[chosen].impulse;
                leave_out(&contacts[chosen]);
            }
            nearest = result;
            chosen = i;
        } else {
            if (vec3_length(contacts[chosen].impulse) == 0) {
                contacts[chosen].impulse = contact->impulse;
            }
            leave_out(contact);
        }
    }
    if (chosen >= 0) {
        add_skin_row(near, &contacts[chosen], &nearest);
    }
}

static void look_at_skins(Near* near) {
    lbContact* contacts = near->set->contacts + near->meeting->first;
    for (int first = 0, end; first < near->meeting->count; first = end) {
        for (end = first + 1; end < near->meeting->count && same_point(&contacts[first], &contacts[end]); ++end) {
        }
        (near->a == near->b ? look_at_own_group : look_at_group)(near, contacts, first, end);
    }
}

/* ---- Shapes against shapes --------------------------------------------------------------------------------------- */

/* Contacts of two shapes: a is the feature, -1: none; b is 1 while it is in use in this step. */

static lbContact* find_same(lbContact* contacts, int count, int feature) {
    for (int i = 0; i < count; ++i) {
        if (contacts[i].a == feature && contacts[i].b == 0) {
            return &contacts[i];
        }
    }
    return NULL;
}

/* Features of flat faces come and go by rounding: what pushed nearby in the last step does so now. Else one that is
 * free. */
static lbContact* find_near(lbContact* contacts, int count, lbVec3 point, float reach) {
    lbContact *nearest = NULL, *free = NULL;
    float least = reach;
    for (int i = 0; i < count; ++i) {
        lbContact* contact = &contacts[i];
        if (contact->b == 1) {
            continue;
        }
        float distance = vec3_length(vec3_sub(contact->point, point));
        bool pushes = contact->a >= 0 && !vec3_is_zero(contact->impulse);
        if (pushes && distance < least) {
            nearest = contact;
            least = distance;
        }
        free = free == NULL && !pushes ? contact : free;
    }
    if (nearest == NULL && free != NULL) {
        free->impulse = vec3(0, 0, 0);
        free->normal = vec3(0, 0, 0);
    }
    return nearest != NULL ? nearest : free;
}

static void forget_unused(lbContact* contacts, int count) {
    for (int i = 0; i < count; ++i) {
        if (contacts[i].b == 0) {
            contacts[i].a = -1;
            contacts[i].impulse = vec3(0, 0, 0);
        }
    }
}

static void look_at_shapes(Near* near) {
    const lbBody *a = near->a->body, *b = near->b->body;
    lbContact *contacts = near->set->contacts + near->meeting->first, *of[lb_mostShapeContacts];
    lbShapeContact found[lb_mostShapeContacts];
    lbPose poseA = a->ops->frame->poseAt(a, near->step->begin), poseB = b->ops->frame->poseAt(b, near->step->begin);
    float size = a->model->size > 0 ? a->model->size : 1;
    float reach =
        fminf(near->a->reach + near->b->reach, 0.02f * size) + (float)near->step->h * 2 + near->meeting->thickness;
    int room = near->meeting->count;
    int count = int_min(lb_collide_shapes(near->a->shape, poseA, near->b->shape, poseB, reach, found, room), room);
    for (int i = 0; i < room; ++i) {
        contacts[i].b = 0;
    }
    for (int i = 0; i < count; ++i) {
        of[i] = find_same(contacts, room, (int)(found[i].feature & 0x7fffffff));
        if (of[i] != NULL) {
            of[i]->b = 1;
        }
    }
    for (int i = 0; i < count; ++i) {
        lbVec3 middle = vec3_scale(0.5f, vec3_add(found[i].a, found[i].b));
        lbContact* contact = of[i] != NULL ? of[i] : find_near(contacts, room, middle, 0.1f * size);
        if (contact == NULL) {
            continue;
        }
        contact->a = (int)(found[i].feature & 0x7fffffff);
        contact->b = 1;
        lbRow* row = add_row(near, contact, found[i].normal, found[i].gap, middle);
        a->ops->bindPoint(near->a->body, middle, near->step, &row->a);
        b->ops->bindPoint(near->b->body, middle, near->step, &row->b);
    }
    forget_unused(contacts, room);
}

int lb_find_rows(lbContacts* set, lbMeeting* meeting, const lbStep* step, lbRow* rows, lbTasks* tasks) {
    Near near = {.set = set,
                 .meeting = meeting,
                 .a = &set->colliders[meeting->a],
                 .b = &set->colliders[meeting->b],
                 .step = step,
                 .rows = rows};
    if (meeting->kind == lb_meetShapes) {
        look_at_shapes(&near);
    } else if (meeting->kind == lb_meetSkins) {
        look_at_skins(&near);
    } else {
        look_at_shape(&near, tasks);
    }
    return near.count;
}

static bool preload(const lbSide* side, int block, lbVec3 impulse) {
    return block >= 0 && side->body->ops->preload != NULL && side->body->ops->preload(side->body, side, impulse);
}

void lb_preload_rows(lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        lbRow* row = &rows[i];
        row->preloadedA = preload(&row->a, row->blockA, row->impulse);
        row->preloadedB = preload(&row->b, row->blockB, vec3_scale(-1, row->impulse));
    }
}

/* ---- What is asked of velocities --------------------------------------------------------------------------------- */

/* m/s: what gravity did to the relative velocity in the step, as far as it is predicted. */
static lbVec3 fall_of(const lbRow* row, double h) {
    lbVec3 sum = {0, 0, 0};
    if (row->blockA >= 0 && !row->a.body->ops->isImplicit(row->a.body)) {
        sum = vec3_madd(sum, (float)h, row->a.body->gravity);
    }
    if (row->blockB >= 0 && !row->b.body->ops->isImplicit(row->b.body)) {
        sum = vec3_madd(sum, -(float)h, row->b.body->gravity);
    }
    return sum;
}

/* travel: of the two sides, m/s. */
static void complete_contact(lbRow* row, lbVec3 travelA, lbVec3 travelB, double h) {
    float along = vec3_dot(row->normal, vec3_sub(travelA, travelB));
    float least = row->gap > 0 ? -row->gap / (float)h : fminf(-recovery * row->gap / (float)h, largestRecoverySpeed);
    if (row->told) { /* how a shape moves is known better by the gap than by its velocity along a normal */
        least += row->approach - vec3_dot(row->normal, travelB);
    }
    float met = along - vec3_dot(row->normal, fall_of(row, h)); /* as fast as they were before the step */
    bool meets = along < least && met < -leastBounce;
    if (meets && row->restitution > 0) {
        row->bounce = -row->restitution * met * (1 - 1e-6f); /* no gain by rounding */
        least = fmaxf(least, row->bounce);
    }
    row->wanted = vec3_scale(least, row->normal);
}

typedef struct RowLoop {
    lbRow* rows;
    double h;
} RowLoop;

static void complete_rows(void* context, int begin, int end) {
    const RowLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lbRow* row = &loop->rows[i];
        float other[6] = {0};
        row->a.body->ops->compliance(row->a.body, &row->a, row->c);
        if (row->blockB >= 0) {
            row->b.body->ops->compliance(row->b.body, &row->b, other);
        }
        for (int e = 0; e < 6; ++e) {
            row->c[e] += other[e];
        }
        lbVec3 travelB = row->b.body != NULL ? row->b.body->ops->travel(row->b.body, &row->b) : vec3(0, 0, 0);
        row->base = row->blockB < 0 ? vec3_scale(-1, travelB) : vec3(0, 0, 0);
        if (!row->isHold) {
            complete_contact(row, row->a.body->ops->travel(row->a.body, &row->a), travelB, loop->h);
        }
    }
}

void lb_complete_rows(lbRow* rows, int count, double h, lbTasks* tasks) {
    RowLoop loop = {rows, h};
    lb_parallel_for(tasks, count, 256, complete_rows, &loop);
}

void lb_remember_rows(lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        lbRow* row = &rows[i];
        if (row->isHold) {
            row->hold->impulse = row->impulse;
            row->hold->total[0] += (double)row->impulse.x;
            row->hold->total[1] += (double)row->impulse.y;
            row->hold->total[2] += (double)row->impulse.z;
        } else {
            lbContact* contact = row->contact;
            contact->impulse = row->impulse;
            contact->total = vec3_add(contact->total, row->impulse);
            contact->moment = vec3_add(contact->moment, vec3_cross(row->point, row->impulse));
        }
    }
}
