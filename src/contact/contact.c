/* Contact by projected Gauss-Seidel on impulses. A step's contacts are solved on velocities before positions move by
 * them: the gap at the end of the step must not be negative, if the tool moves on as it does.
 *
 * Where forces have still to act (lb_touchBefore) they are taken to change the point's velocity as they did in the last
 * slice: without that guess a body at rest would stand g h^2 deep, and a hand would give way by h^2 f / m. */
#include "contact/contact.h"

enum { iterationCount = 8 };

/* Of a penetration, the share that is undone in a step; all at once would throw the body out. */
static const float recovery = 0.3f;
/* m/s: what is slower than this away from touching is watched in every iteration. */
static const float allButTouching = 0.05f;
/* m/s: never pushed out faster than this beyond the tool's own motion. */
static const float largestRecoverySpeed = 2;

static bool reserve_tools(const lbHost* host, lbContactSet* set, int toolCount) {
    if (toolCount <= set->toolCount) {
        return true;
    }
    double* impulses = LB_NEW(host, double, 3 * (int64_t)toolCount);
    if (impulses == NULL) {
        return false;
    }
    lb_release(host, set->toolImpulses);
    set->toolImpulses = impulses;
    set->toolCount = toolCount;
    return true;
}

bool lb_reserve_contacts(const lbHost* host, lbContactSet* set, const lbBody* body, const lbSlots* tools,
                         const lbSlots* grabs) {
    int toolCount = 0;
    LB_FOR_EACH(lbTool, tool, tools) {
        ++toolCount;
    }
    int64_t needed = (int64_t)body->model->skin.pointCount * int_min(toolCount, maxContactsPerPoint);
    int previousCapacity = set->capacity, nearCapacity = set->capacity;
    return needed <= INT32_MAX && reserve_tools(host, set, tools->count) &&
           lb_array_reserve(host, (void**)&set->near, &nearCapacity, (int)needed, sizeof(int)) &&
           lb_array_reserve(host, (void**)&set->previous, &previousCapacity, (int)needed, sizeof(lbContact)) &&
           lb_array_reserve(host, (void**)&set->contacts, &set->capacity, (int)needed, sizeof(lbContact)) &&
           lb_array_reserve(host, (void**)&set->touches, &set->touchCapacity, set->capacity + grabs->count,
                            sizeof(lbTouch));
}

void lb_release_contacts(const lbHost* host, lbContactSet* set) {
    lb_release(host, set->contacts);
    lb_release(host, set->previous);
    lb_release(host, set->near);
    lb_release(host, set->touches);
    lb_release(host, set->toolImpulses);
    *set = (lbContactSet){0};
}

static lbBox skin_bounds(const lbBody* body) {
    lbBox box = box_empty();
    for (int i = 0; i < body->model->skin.pointCount; ++i) {
        box = box_include(box, vec3_load(body->skinX + 3 * (size_t)i));
    }
    return box;
}

/* Whether some point of the box may come within `reach` of the tool on its way. */
static bool may_touch(const lbTool* tool, lbBox box, float reach) {
    lbVec3 normal;
    float radius = 0.5f * vec3_length(box_size(box));
    float before = lb_tool_gap(tool, tool->pose, box_center(box), &normal);
    float after = lb_tool_gap(tool, tool->next, box_center(box), &normal);
    float travel = vec3_length(vec3_sub(tool->next.position, tool->pose.position));
    return fminf(before, after) - radius - travel < reach;
}

/* What the contact of that tool and point came to in the last frame; both lists are in the same order. */
static void carry_over(const lbContactSet* set, int previousCount, int* cursor, lbContact* contact) {
    while (*cursor < previousCount) {
        const lbContact* old = &set->previous[*cursor];
        if (old->toolSlot == contact->toolSlot && old->point == contact->point) {
            contact->impulse = old->impulse;
            contact->track = old->track;
        }
        if (old->toolSlot > contact->toolSlot || (old->toolSlot == contact->toolSlot && old->point >= contact->point)) {
            return;
        }
        ++*cursor;
    }
}

void lb_find_contacts(lbContactSet* set, const lbBody* body, const lbSlots* tools, double dt) {
    int previousCount = set->count, cursor = 0;
    lbContact* previous = set->contacts;
    set->contacts = set->previous;
    set->previous = previous;
    set->count = 0;
    set->frame = dt;
    for (int i = 0; i < 3 * set->toolCount; ++i) {
        set->toolImpulses[i] = 0;
    }
    lbBox box = skin_bounds(body);
    float size = vec3_length(box_size(box));
    LB_FOR_EACH(lbTool, tool, tools) {
        /* A point may turn round and gain speed within a frame; the margin is generous, being only a filter. */
        float margin = 0.02f * size + 10 * (float)(dt * dt);
        if (!may_touch(tool, box, margin + size)) {
            continue;
        }
        float travel = vec3_length(vec3_sub(tool->next.position, tool->pose.position));
        for (int i = 0; i < body->model->skin.pointCount && set->count < set->capacity; ++i) {
            lbVec3 normal, x = vec3_load(body->skinX + 3 * (size_t)i);
            float speed = vec3_length(vec3_load(body->skinV + 3 * (size_t)i));
            float gap = lb_tool_gap(tool, tool->next, x, &normal);
            if (gap < margin + travel + 2 * speed * (float)dt && body->model->skinAreas[i] > 0) {
                lbContact* contact = &set->contacts[set->count++];
                *contact = (lbContact){.tool = tool, .toolSlot = slot_tool, .point = i};
                carry_over(set, previousCount, &cursor, contact);
            }
        }
    }
}

static lbVec3 answer_to(const float answer[9], lbVec3 p) {
    return vec3(answer[0] * p.x + answer[1] * p.y + answer[2] * p.z,
                answer[3] * p.x + answer[4] * p.y + answer[5] * p.z,
                answer[6] * p.x + answer[7] * p.y + answer[8] * p.z);
}

static void push_point(lbBody* body, int point, lbVec3 impulse) {
    lbSurfacePoint place = lb_at_skin_point(point);
    float components[3] = {impulse.x, impulse.y, impulse.z};
    body->ops->push(body, (lbPoints){1, &place}, components);
}

/* The mean velocity over a slice of h seconds differs from that at its start by what forces do in it: as much as in the
 * last slice, to first order. Measured by how far the point came, which holds for any integrator. */
static lbVec3 guess_forced_velocity(const lbTrack* track, lbVec3 x, float h) {
    if (!(track->h > 0)) {
        return vec3(0, 0, 0);
    }
    lbVec3 mean = vec3_scale(1 / track->h, vec3_sub(x, track->x));
    return vec3_scale(h / track->h, vec3_sub(mean, track->v));
}

static void keep_track(lbTrack* track, const lbBody* body, int point, lbSlice slice) {
    lbSurfacePoint place = lb_at_skin_point(point);
    body->ops->surface(body, (lbPoints){1, &place}, &track->x.x, &track->v.x);
    track->h = slice.forced ? 0 : (float)slice.h; /* 0: nothing to guess from */
}

/* A tool as contacts of one slice see it. */
typedef struct ToolSlice {
    const lbTool* tool;
    lbPose begin, end;
    float speed; /* m/s, of its position; negative: it turns, and what is far from it may be fast */
} ToolSlice;

static ToolSlice tool_in_slice(const lbTool* tool, lbSlice slice, double frame) {
    lbQuat a = tool->pose.rotation, b = tool->next.rotation;
    bool turns = a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
    float travel = vec3_length(vec3_sub(tool->next.position, tool->pose.position));
    return (ToolSlice){.tool = tool,
                       .begin = lb_tool_pose(tool, slice.begin),
                       .end = lb_tool_pose(tool, slice.end),
                       .speed = turns ? -1 : travel / (float)frame};
}

/* A contact whose point is so far away that it cannot come to touch within the step, were it twice as fast as it is and
 * a metre a second more: what was known of it is forgotten, and it is not looked at again while the same holds of the
 * steps that follow. */
static void leave_out(lbContact* contact, const ToolSlice* tool, lbSlice slice, double frame, float gap, float reach) {
    float h = (float)slice.h;
    contact->impulse = 0;
    contact->track.h = 0;
    if (tool->speed >= 0) {
        contact->farUntil = slice.end + (gap - reach) / ((reach / h + tool->speed) * (float)frame);
    }
}

/* What the step asks of a contact. False if it is left out. */
static bool look_at(lbContact* contact, const lbBody* body, const ToolSlice* tool, lbSlice slice, double frame) {
    lbSurfacePoint place = lb_at_skin_point(contact->point);
    float coordinates[3], v[3], h = (float)slice.h;
    body->ops->surface(body, (lbPoints){1, &place}, coordinates, v);
    lbVec3 x = vec3_load(coordinates);
    float gapAtEnd = lb_tool_gap(contact->tool, tool->end, x, &contact->normal);
    float reach = h * (1 + 2 * vec3_length(vec3_load(v)));
    if (gapAtEnd > reach) {
        leave_out(contact, tool, slice, frame, gapAtEnd, reach);
        return false;
    }
    lbVec3 ignored;
    float gap = lb_tool_gap(contact->tool, tool->begin, x, &ignored);
    float approach = (gap - gapAtEnd) / h;
    float share = recovery * body->shortness; /* longer steps: neighbours come along, and it would be thrown out */
    contact->wanted = approach + (gap > 0 ? -gap / h : fminf(-share * gap / h, largestRecoverySpeed));
    return true;
}

void lb_find_near(lbContactSet* set, const lbBody* body, lbSlice slice) {
    ToolSlice tool = {NULL};
    set->nearCount = 0;
    for (int i = 0; i < set->count; ++i) {
        lbContact* contact = &set->contacts[i];
        if (slice.end <= contact->farUntil) {
            continue;
        }
        if (contact->tool != tool.tool) { /* contacts stand by tool */
            tool = tool_in_slice(contact->tool, slice, set->frame);
        }
        if (look_at(contact, body, &tool, slice, set->frame)) {
            set->near[set->nearCount++] = i;
        }
    }
}

/* How the point answers to impulses, and what forces will do to it. */
static void prepare(lbContact* contact, const lbBody* body, float h) {
    lbSurfacePoint place = lb_at_skin_point(contact->point);
    float x[3];
    body->ops->surface(body, (lbPoints){1, &place}, x, NULL);
    if (!contact->answerKnown) {
        body->ops->compliance(body, (lbPoints){1, &place}, contact->answer);
        contact->answerKnown = true;
    }
    contact->wanted -= vec3_dot(contact->normal, guess_forced_velocity(&contact->track, vec3_load(x), h));
    contact->inverseMass = vec3_dot(contact->normal, answer_to(contact->answer, contact->normal));
}

/* The impulse of the last step is a first guess. */
static void warm_start(lbContact* contact, lbBody* body) {
    if (contact->impulse > 0) {
        push_point(body, contact->point, vec3_scale(contact->impulse, contact->normal));
    }
}

/* Returns by how much the impulse changed. */
static float relax(lbContact* contact, lbBody* body) {
    if (!(contact->inverseMass > 0)) { /* held all round */
        return 0;
    }
    lbSurfacePoint place = lb_at_skin_point(contact->point);
    float v[3];
    body->ops->surface(body, (lbPoints){1, &place}, NULL, v);
    contact->lack = contact->wanted - vec3_dot(contact->normal, vec3_load(v));
    float impulse = contact->impulse + contact->lack / contact->inverseMass;
    impulse = impulse > 0 ? impulse : 0;
    float change = impulse - contact->impulse;
    if (change != 0) {
        contact->impulse = impulse;
        push_point(body, contact->point, vec3_scale(change, contact->normal));
    }
    return fabsf(change);
}

/* Puts those first that touch, or all but touch; returns how many they are. */
static int bring_touching_forward(lbContactSet* set) {
    int count = 0;
    for (int i = 0; i < set->nearCount; ++i) {
        const lbContact* contact = &set->contacts[set->near[i]];
        if (contact->impulse > 0 || contact->lack > -allButTouching) {
            int other = set->near[count];
            set->near[count++] = set->near[i];
            set->near[i] = other;
        }
    }
    return count;
}

/* Goes over contacts until their impulses change no more: over all that are near at first and at last, in between over
 * those that touch. */
static void relax_all(lbContactSet* set, lbBody* body) {
    int count = set->nearCount;
    for (int iteration = 0; iteration < iterationCount; ++iteration) {
        bool last = iteration == iterationCount - 1;
        float change = 0, total = 0;
        count = last ? set->nearCount : count;
        for (int i = 0; i < count; ++i) {
            lbContact* contact = &set->contacts[set->near[i]];
            change += relax(contact, body);
            total += contact->impulse;
        }
        bool settled = change <= 1e-6f * total;
        if (settled && count == set->nearCount) {
            return;
        }
        if (iteration == 0) {
            count = bring_touching_forward(set);
        } else if (settled) {
            iteration = iterationCount - 2; /* the others are looked at once more */
        }
    }
}

void lb_solve_contacts(lbContactSet* set, lbBody* body, lbSlice slice) {
    lb_find_near(set, body, slice);
    for (int i = 0; i < set->nearCount; ++i) {
        prepare(&set->contacts[set->near[i]], body, (float)slice.h);
    }
    for (int i = 0; i < set->nearCount; ++i) {
        warm_start(&set->contacts[set->near[i]], body);
    }
    relax_all(set, body);
    for (int i = 0; i < set->nearCount; ++i) {
        lbContact* contact = &set->contacts[set->near[i]];
        keep_track(&contact->track, body, contact->point, slice);
        lb_add_impulse(set->toolImpulses + 3 * (size_t)contact->toolSlot,
                       vec3_scale(-contact->impulse, contact->normal));
        contact->total = vec3_madd(contact->total, contact->impulse, contact->normal);
    }
}

/* Solves (I + s C) j = b for a symmetric, positive semidefinite C and s >= 0. */
static lbVec3 solve_softened(const float c[9], double s, lbVec3d b) {
    lbVec3d column[3] = {
        {1 + s * c[0], s * c[3], s * c[6]}, {s * c[1], 1 + s * c[4], s * c[7]}, {s * c[2], s * c[5], 1 + s * c[8]}};
    return vec3_from(vec3d_solve(column, b));
}

/* The hand's spring, implicit: j = h (k (target - x - h v') - c (v' - u)), with v' = v + C j + (what forces did in the
 * last step) the point's velocity at the end of the step and u the hand's. */
static void solve_grab(lbGrab* grab, lbSlice slice) {
    lbSurfacePoint place = lb_at_skin_point(grab->point);
    lbPoints points = {1, &place};
    float x[3], v[3], answer[9];
    grab->body->ops->surface(grab->body, points, x, v);
    grab->body->ops->compliance(grab->body, points, answer);
    double h = slice.h, k = grab->stiffness, c = grab->damping;
    lbVec3 forced = guess_forced_velocity(&grab->track, vec3_load(x), (float)h);
    lbVec3d end = vec3d_from(vec3_add(vec3_load(v), forced));
    lbVec3 target = vec3_lerp(grab->target, grab->next, slice.end);
    lbVec3d before = vec3d_from(vec3_lerp(grab->target, grab->next, slice.begin));
    lbVec3d hand = vec3d_scale(1 / h, vec3d_sub(vec3d_from(target), before));
    lbVec3d stretch = vec3d_sub(vec3d_from(target), vec3d_madd(vec3d_load(x), h, end));
    lbVec3d slip = vec3d_sub(end, hand);
    lbVec3d b = vec3d_madd(vec3d_scale(h * k, stretch), -h * c, slip);
    lbVec3 impulse = solve_softened(answer, h * (h * k + c), b);
    push_point(grab->body, grab->point, impulse);
    keep_track(&grab->track, grab->body, grab->point, slice);
    lb_add_impulse(grab->impulse, vec3_scale(-1, impulse));
}

void lb_solve_grabs(const lbSlots* grabs, const lbBody* body, lbSlice slice) {
    LB_FOR_EACH(lbGrab, grab, grabs) {
        if (grab->body == body) {
            solve_grab(grab, slice);
        }
    }
}

void lb_add_tool_impulse(const lbContactSet* set, int toolSlot, double impulse[3]) {
    for (int c = 0; toolSlot < set->toolCount && c < 3; ++c) {
        impulse[c] += set->toolImpulses[3 * (size_t)toolSlot + (size_t)c];
    }
}
