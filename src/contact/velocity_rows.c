#include "contact/velocity_rows.h"

#include "contact/tolerance.h"
#include "matrix/node_vectors.h"

/* How many times more than the sides themselves a wall resists. Of what is missing to its rigidity, each repetition
 * leaves one part in as many; conjugate gradients take longer the more it is. */
static const float rigidity = 3;
/* The same where both sides are frames: motions as a whole are solved exactly, so that it costs nothing. */
static const float frameRigidity = 200;
/* Of how much velocities change in the step, what may be missing to what rows ask for. */
static const double toleratedOfChange = 0.05;
/* Of what may be missing, how much is too little to take for the beginning of a touch: what rests beside a wall
 * trembles. */
static const float trembling = 0.05f;
/* Of all that walls push, how much some may pull. */
static const double mostPull = 0.02;

/* Where all bodies move as wholes, solutions are exact. */
static double strictness(const lbVelocitySpace* space) {
    return lb_strictness(space->rowCount, space->onlyWholes);
}

/* m/s: what may be missing to wanted velocities. */
static double tolerated_speed(const lbVelocitySpace* space) {
    lbTolerance tolerance = lb_tolerance_of(space->size, space->gravity, space->h);
    double tolerated = fmax(tolerance.atRest, fmin(tolerance.most, toleratedOfChange * space->change));
    return strictness(space) * tolerated;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

void lb_list_velocity_sides(lbVelocitySpace* space) {
    int* first = space->firstSides;
    memset(first, 0, ((size_t)space->bodyCount + 1) * sizeof(int));
    space->liveCount = 0;
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (row->active || row->inMatrixA || row->inMatrixB) { /* what is in matrices is taken out again */
            space->live[space->liveCount++] = i;
            first[row->blockA] += 1;
            first[row->blockB >= 0 ? row->blockB : space->bodyCount] += 1;
        }
    }
    int sum = 0;
    for (int i = 0; i <= space->bodyCount; ++i) {
        int count = first[i];
        first[i] = sum;
        sum += count;
    }
    for (int i = 0; i < space->liveCount; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        space->sides[first[row->blockA]++] = i;
        if (row->blockB >= 0) {
            space->sides[first[row->blockB]++] = ~i;
        }
    }
    for (int i = space->bodyCount; i > 0; --i) { /* each first has become the next one's */
        first[i] = first[i - 1];
    }
    first[0] = 0;
}

/* What friction comes to after relative velocities u, where it was `across` before: resisted like a stick that pulls up
 * to Coulomb's limit. Where it slides, the limit turns with u and gives way in proportion to it (the tangent of the
 * projection on the limit, its smaller eigenvalue left out, so that it stays symmetric and damps). */
static void set_friction(lbRow* row, float normal, lbVec3 across, lbVec3 u) {
    lbVec3 n = row->normal, slip = vec3_madd(u, -vec3_dot(u, n), n);
    lbVec3 trial = vec3_madd(across, -row->stickiness, slip);
    float most = row->friction * normal, size = vec3_length(trial);
    row->sliding = size > most;
    lbVec3 limited = row->sliding ? vec3_scale(most / size, trial) : trial;
    row->slideHeld = row->sliding ? row->stickiness * most / size : row->stickiness;
    row->impulse = vec3_madd(limited, normal, n);
    /* Where it sticks, this is the next multiplier; where it slides, p does not change where u does not. */
    row->offset = row->sliding ? vec3_madd(row->impulse, row->slideHeld, slip) : row->impulse;
}

static lbVec3 row_velocity(const lbVelocitySpace* space, const lbRow* row) {
    lbVec3 a = vec3_add(row->startA, lb_gather_velocity(&row->a, row->blockA, space->blocks, true));
    lbVec3 b = vec3_add(row->startB, lb_gather_velocity(&row->b, row->blockB, space->blocks, true));
    return vec3_sub(a, b);
}

static bool are_frames(const lbRow* row) {
    return row->a.count == 0 && (row->blockB < 0 || row->b.count == 0);
}

/* A contact that was there in the last step goes on as it was; a new one sticks, until there is something to tell.
 * Friction between frames that stick is forgotten little by little: several contacts of two stiff bodies can pull
 * against each other without an effect, and would do so more and more, up to their limits. */
static const float keptByFrames = 0.9f;

static void begin_touch(lbRow* row, float normal, lbVec3 u) {
    row->active = true;
    row->normalHeld = row->resistance;
    lbVec3 across = vec3_madd(row->impulse, -normal, row->normal);
    bool slid = normal > 0 && vec3_length(across) >= 0.999f * row->friction * normal;
    if (normal > 0 && row->friction > 0) {
        float share = are_frames(row) && !slid ? keptByFrames : 1;
        set_friction(row, normal, vec3_scale(share, across), slid ? u : vec3(0, 0, 0));
    } else {
        row->impulse = row->offset = vec3_scale(fmaxf(normal, 0), row->normal);
        row->sliding = row->friction == 0;
        row->slideHeld = row->sliding ? 0 : row->stickiness;
    }
}

/* A contact that a solution would break. How much it will push is not known, but by how much its sides lack: friction
 * is within that limit, since what sticks without one holds sides where they are and lets others pull. */
static void begin_new_touch(lbRow* row, float lack, lbVec3 u) {
    row->active = true;
    row->normalHeld = row->resistance;
    set_friction(row, row->resistance * lack, vec3(0, 0, 0), u);
    float normal = vec3_dot(row->normal, row->offset);
    row->offset = vec3_madd(row->offset, -normal, row->normal);
    row->impulse = vec3(0, 0, 0);
}

/* 1/kg: how a row's sides answer if all rows of their bodies are pushed alike, by the bodies' masses. A stiff body
 * answers as a whole: were its rows' resistances to follow from their own compliances, they would outweigh it by far,
 * which makes the system harder to solve, and nothing more rigid. */
float lb_whole_answer(const lbVelocitySpace* space, const lbRow* row) {
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        int block = side == 0 ? row->blockA : row->blockB;
        if (block >= 0 && space->blocks[block].free) {
            sum += (space->firstSides[block + 1] - space->firstSides[block]) / space->bodies[block]->mass;
        }
    }
    return (float)sum;
}

/* How many rows there are on the nodes of a side: where several rows are at one place, they resist together. */
static float crowd(const lbSide* side, int block, const lbBlock* blocks) {
    float sum = 0, weights = 0;
    for (int k = 0; block >= 0 && k < side->count; ++k) {
        sum += fabsf(side->weight[k]) * blocks[block].q[4 * (size_t)side->node[k]];
        weights += fabsf(side->weight[k]);
    }
    return weights > 0 ? fmaxf(sum / weights, 1) : 1;
}

static float resistance_of(const lbVelocitySpace* space, const lbRow* row, float answer) {
    float a = crowd(&row->a, row->blockA, space->blocks), b = crowd(&row->b, row->blockB, space->blocks);
    return (are_frames(row) ? frameRigidity : rigidity) / (answer * fmaxf(a, b));
}

/* Across the normal, a row's sides move with their bodies as wholes: were they to resist by more than these, what is
 * left of slip by inexact solutions would be taken for friction. */
static float stickiness_of(const lbVelocitySpace* space, const lbRow* row, float answer) {
    return (are_frames(row) ? frameRigidity : rigidity) / (answer + lb_whole_answer(space, row));
}

static void count_crowd(const lbSide* side, int block, lbBlock* blocks) {
    for (int k = 0; block >= 0 && k < side->count; ++k) {
        blocks[block].q[4 * (size_t)side->node[k]] += fabsf(side->weight[k]);
    }
}

static void count_crowds(lbVelocitySpace* space) {
    for (int i = 0; i < space->bodyCount; ++i) {
        memset(space->blocks[i].q, 0, 4 * (size_t)space->blocks[i].count * sizeof(float));
    }
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (row->active) {
            count_crowd(&row->a, row->blockA, space->blocks);
            count_crowd(&row->b, row->blockB, space->blocks);
        }
    }
}

/* partial: how many rows pushed each body in the last step. */
static void count_pushes(lbVelocitySpace* space) {
    memset(space->partial, 0, (size_t)space->bodyCount * sizeof(double));
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (vec3_dot(row->impulse, row->impulse) > 0) {
            space->partial[row->blockA] += 1;
            if (row->blockB >= 0) {
                space->partial[row->blockB] += 1;
            }
        }
    }
}

/* m/s: what gravity will do to a side in the step, whose velocity has nothing of it yet. What was pushed in the last
 * step does not fall. */
static lbVec3 fall(const lbVelocitySpace* space, const lbSide* side, int block) {
    bool waits = block >= 0 && side->body->ops->isImplicit(side->body) && space->partial[block] == 0;
    return waits ? vec3_scale((float)space->h, side->body->gravity) : vec3(0, 0, 0);
}

/* Where it begins: a contact that pushes, or would be broken if its sides went on as they do. */
static void foresee_row(const lbVelocitySpace* space, lbRow* row) {
    row->startA = row->a.body->ops->travel(row->a.body, &row->a);
    row->startB = row->b.body != NULL ? row->b.body->ops->travel(row->b.body, &row->b) : vec3(0, 0, 0);
    if (row->isHold) {
        return;
    }
    float answer = vec3_dot(row->normal, lb_filter(row->c, row->normal)), tolerance = (float)tolerated_speed(space);
    lbVec3 start = vec3_sub(row->startA, row->startB);
    lbVec3 falls = vec3_sub(fall(space, &row->a, row->blockA), fall(space, &row->b, row->blockB));
    float normal = vec3_dot(row->impulse, row->normal), along = vec3_dot(row->normal, vec3_add(start, falls));
    row->active = answer > 0 && (normal > 0 || along < vec3_dot(row->wanted, row->normal) - trembling * tolerance);
}

static void begin_row(const lbVelocitySpace* space, lbRow* row) {
    if (row->isHold) {
        float answer = (row->c[0] + row->c[1] + row->c[2]) / 3;
        row->resistance = row->softness > 0 ? 1 / row->softness : answer > 0 ? resistance_of(space, row, answer) : 0;
        row->active &= row->resistance > 0;
        row->normalHeld = row->active ? row->resistance : 0;
        row->impulse = row->softness > 0 || !row->active ? vec3(0, 0, 0) : row->impulse;
        row->offset = row->impulse;
        return;
    }
    float answer = vec3_dot(row->normal, lb_filter(row->c, row->normal));
    row->resistance = answer > 0 ? resistance_of(space, row, answer) : 0;
    row->stickiness = answer > 0 ? stickiness_of(space, row, answer) : 0;
    if (!row->active) {
        row->impulse = row->offset = vec3(0, 0, 0);
        return;
    }
    begin_touch(row, vec3_dot(row->impulse, row->normal), vec3_sub(row->startA, row->startB));
}

static void foresee_rows(void* context, int begin, int end) {
    const lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        space->rows[i].guess = space->rows[i].impulse;
        foresee_row(space, &space->rows[i]);
    }
}

static void begin_rows(void* context, int begin, int end) {
    const lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        begin_row(space, &space->rows[i]);
    }
}

static void add_to_matrices(lbRow* row) {
    float s[6];
    row->normalFirst = row->normalHeld;
    row->slideFirst = row->slideHeld;
    if (!row->active) {
        return;
    }
    lb_row_resistance(row, row->normalFirst, row->slideFirst, s);
    row->inMatrixA = row->a.body->ops->addResistance(row->a.body, &row->a, s);
    row->inMatrixB = row->blockB >= 0 && row->b.body->ops->addResistance(row->b.body, &row->b, s);
}

void lb_begin_velocity_rows(lbVelocitySpace* space) {
    count_pushes(space);
    lb_parallel_for(space->tasks, space->rowCount, 256, foresee_rows, space);
    count_crowds(space);
    lb_list_velocity_sides(space);
    lb_parallel_for(space->tasks, space->rowCount, 256, begin_rows, space);
    for (int i = 0; i < space->rowCount; ++i) { /* resistances follow from matrices without any */
        add_to_matrices(&space->rows[i]);
    }
}

/* ---- Review ------------------------------------------------------------------------------------------------------ */

/* How good a solution is. */
typedef struct Quality {
    double pushed, pulled; /* N s */
    double lack;           /* m/s: what is missing to wanted velocities, at most */
    double beyond;         /* N s: friction beyond its limit, or below it where something slides */
} Quality;

/* m/s: what may be missing beside what is tolerated. How fast sides that are within each other part is a matter of
 * taste, and where they are held there by others it cannot be had. */
static float leeway(const lbRow* row) {
    return row->bounce == 0 ? 0.5f * fmaxf(vec3_dot(row->normal, row->wanted), 0) : 0;
}

/* What p came to, within its limits; the row is then as the next solution shall have it. */
static void review_contact(lbRow* row, lbVec3 u, Quality* quality) {
    lbVec3 n = row->normal;
    float lack = vec3_dot(n, vec3_sub(row->wanted, u));
    if (!row->active) {
        quality->lack = fmax(quality->lack, (double)(lack - leeway(row)));
        if (lack > 0) {
            begin_new_touch(row, lack, u);
        }
        return;
    }
    lbVec3 p = lb_row_impulse(row, u);
    float normal = vec3_dot(n, p);
    quality->lack = fmax(quality->lack, fabs((double)lack) - (double)leeway(row));
    quality->pushed += (double)fmaxf(normal, 0);
    quality->pulled += (double)fmaxf(-normal, 0);
    if (normal < 0) {
        row->active = false;
        row->impulse = row->offset = vec3(0, 0, 0);
        row->normalHeld = row->slideHeld = 0;
        return;
    }
    if (row->friction == 0) {
        row->impulse = row->offset = vec3_scale(normal, n);
        return;
    }
    lbVec3 before = vec3_madd(row->impulse, -vec3_dot(n, row->impulse), n);
    set_friction(row, normal, before, u);
    if (!row->sliding && are_frames(row)) {
        lbVec3 slip = vec3_madd(u, -vec3_dot(u, n), n);
        quality->lack = fmax(quality->lack, (double)vec3_length(slip));
    }
    quality->beyond += (double)vec3_length(vec3_sub(row->impulse, p));
}

static void review_hold(lbRow* row, lbVec3 u, Quality* quality) {
    if (!row->active || row->softness > 0) {
        return;
    }
    lbVec3 lack = lb_resist_row(row, 1, 1, vec3_sub(row->wanted, u));
    quality->lack = fmax(quality->lack, (double)vec3_length(lack));
    row->impulse = row->offset = lb_row_impulse(row, u);
}

typedef struct ReviewLoop {
    lbVelocitySpace* space;
    int size;
    Quality pieces[lb_mostPieces];
} ReviewLoop;

static void review_piece(void* context, int begin, int end) {
    ReviewLoop* loop = context;
    Quality quality = {0};
    for (int i = begin; i < end; ++i) {
        lbRow* row = &loop->space->rows[i];
        lbVec3 u = row_velocity(loop->space, row);
        if (row->isHold) {
            review_hold(row, u, &quality);
        } else {
            review_contact(row, u, &quality);
        }
    }
    loop->pieces[begin / loop->size] = quality;
}

bool lb_review_velocity_rows(lbVelocitySpace* space) {
    Quality quality = {0};
    ReviewLoop loop = {.space = space, .size = lb_piece_size(space->rowCount)};
    lb_for_pieces(space->tasks, space->rowCount, review_piece, &loop);
    for (int i = 0; i < lb_mostPieces; ++i) {
        const Quality* piece = &loop.pieces[i];
        quality.pushed += piece->pushed;
        quality.pulled += piece->pulled;
        quality.beyond += piece->beyond;
        quality.lack = fmax(quality.lack, piece->lack);
    }
    double limit = strictness(space) * mostPull * quality.pushed;
    return quality.lack <= tolerated_speed(space) && quality.pulled <= limit && quality.beyond <= limit;
}

void lb_push_velocity_rows(lbVelocitySpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        if (row->isHold && row->softness > 0) {
            row->impulse = lb_row_impulse(row, row_velocity(space, row));
        }
        if (!vec3_is_zero(row->impulse)) {
            lb_push_row(row, row->impulse);
        }
    }
}
