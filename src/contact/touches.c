/* Contacts and grabs as touches of an implicit step (body/touch.h).
 *
 * A contact is a wall: its impulse is never negative, and the point's velocity at the end of the step at least what
 * keeps it out; one of the two is as small as it may be. Which contacts push is found by repetition, starting from the
 * last step's. */
#include "contact/contact.h"

/* Of the body's size, how far a point may end up within a wall before the step is solved anew. */
static const double tolerance = 5e-4;

/* Of that, how much is too little to take for the beginning of a touch: what rests beside a wall trembles. */
static const float trembling = 0.05f;
/* Of all that walls push, how much some may pull. */
static const double mostPull = 0.02;

static lbContact* near_contact(const lbContactSet* set, int index) {
    return &set->contacts[set->near[index]];
}

/* A contact that pushes, or would be broken if the point went on as it does. */
static lbTouch touch_of_contact(const lbContact* contact, const lbBody* body, float tolerated) {
    lbSurfacePoint place = lb_at_skin_point(contact->point);
    float v[3];
    body->ops->surface(body, (lbPoints){1, &place}, NULL, v);
    float along = vec3_dot(contact->normal, vec3_load(v));
    return (lbTouch){.point = contact->point,
                     .active = contact->impulse > 0 || along < contact->wanted - trembling * tolerated,
                     .normal = contact->normal,
                     .impulse = vec3_scale(contact->impulse, contact->normal),
                     .wanted = vec3_scale(contact->wanted, contact->normal)};
}

/* The hand's spring: j = h (k (target - x - h u) - c (u - hand)), u the point's velocity at the end of the step. */
static lbTouch touch_of_grab(const lbGrab* grab, lbSlice slice) {
    lbSurfacePoint place = lb_at_skin_point(grab->point);
    float x[3], h = (float)slice.h;
    grab->body->ops->surface(grab->body, (lbPoints){1, &place}, x, NULL);
    lbVec3 before = vec3_lerp(grab->target, grab->next, slice.begin);
    lbVec3 target = vec3_lerp(grab->target, grab->next, slice.end);
    lbVec3 pull = vec3_scale(h * grab->stiffness, vec3_sub(target, vec3_load(x)));
    lbVec3 drag = vec3_scale(grab->damping, vec3_sub(target, before));
    float resistance = h * (h * grab->stiffness + grab->damping);
    return (lbTouch){.point = grab->point,
                     .active = resistance > 0,
                     .resistance = resistance,
                     .wanted = resistance > 0 ? vec3_scale(1 / resistance, vec3_add(pull, drag)) : vec3(0, 0, 0)};
}

/* What a contact's wanted velocity lacks, m/s; of one that does not push, as far as it is broken. */
static float lack_of(const lbTouch* touch) {
    float lack = vec3_dot(touch->normal, vec3_sub(touch->wanted, touch->velocity));
    return touch->active ? fabsf(lack) : fmaxf(lack, 0);
}

static bool pulls(const lbTouch* touch) {
    return touch->active && vec3_dot(touch->normal, lb_touch_impulse(touch)) < 0;
}

/* Whether a solution is good enough: no point is far from where it should be, and walls hardly pull. */
static bool is_good(const lbContactSet* set) {
    double pushed = 0, pulled = 0, lack = 0;
    for (int i = 0; i < set->nearCount; ++i) {
        const lbTouch* touch = &set->touches[i];
        float impulse = vec3_dot(touch->normal, lb_touch_impulse(touch));
        pushed += (double)fmaxf(impulse, 0);
        pulled += (double)fmaxf(-impulse, 0);
        lack = fmax(lack, (double)lack_of(touch));
    }
    return lack <= set->tolerance && pulled <= mostPull * pushed;
}

static bool review(void* context) {
    const lbContactSet* set = context;
    bool good = is_good(set);
    for (int i = 0; !good && i < set->nearCount; ++i) {
        lbTouch* touch = &set->touches[i];
        if (touch->active) {
            touch->active = !pulls(touch);
            touch->impulse = touch->active ? lb_touch_impulse(touch) : vec3(0, 0, 0);
        } else {
            touch->active = lack_of(touch) > 0;
        }
    }
    return !good;
}

void lb_begin_touches(lbContactSet* set, const lbSlots* grabs, lbBody* body, lbSlice slice) {
    lb_find_near(set, body, slice);
    set->tolerance = tolerance * (double)body->model->size / slice.h;
    int count = 0;
    for (; count < set->nearCount; ++count) {
        set->touches[count] = touch_of_contact(near_contact(set, count), body, (float)set->tolerance);
    }
    LB_FOR_EACH(lbGrab, grab, grabs) {
        if (grab->body == body) {
            set->touches[count++] = touch_of_grab(grab, slice);
        }
    }
    body->touches = (lbTouches){.count = count, .touches = set->touches, .review = review, .context = set};
}

void lb_end_touches(lbContactSet* set, const lbSlots* grabs, lbBody* body) {
    int count = 0;
    for (; count < set->nearCount; ++count) {
        lbContact* contact = near_contact(set, count);
        lbVec3 impulse = lb_touch_impulse(&set->touches[count]);
        contact->impulse = fmaxf(vec3_dot(contact->normal, impulse), 0);
        contact->track.h = 0;
        contact->total = vec3_add(contact->total, impulse);
        lb_add_impulse(set->toolImpulses + 3 * (size_t)contact->toolSlot, vec3_scale(-1, impulse));
    }
    LB_FOR_EACH(lbGrab, grab, grabs) {
        if (grab->body == body) {
            grab->track.h = 0;
            lb_add_impulse(grab->impulse, vec3_scale(-1, lb_touch_impulse(&set->touches[count++])));
        }
    }
    body->touches = (lbTouches){0};
}
