#include "world/islands.h"

#include "base/clock.h"
#include "base/node_offset.h"
#include "contact/contact_space.h"
#include "contact/tolerance.h"
#include "world/world.h"

#include <string.h>

/* ---- Room -------------------------------------------------------------------------------------------------------- */

/* A block of memory with room for `count` things; what was in it is lost. */
static bool renew(const lbHost* host, void* place, int64_t count, size_t size) {
    void** memory = place;
    void* fresh = lb_allocate(host, count, size);
    if (fresh == NULL) {
        return false;
    }
    lb_release(host, *memory);
    *memory = fresh;
    return true;
}

#define RENEW(host, array, count) renew((host), &(array), (int64_t)(count), sizeof(*(array)))

bool lb_reserve_islands(const lbHost* host, lbIslands* set, int bodies, int meetings, int holds, int rows) {
    bool enough = true;
    if (bodies > set->bodyCapacity) {
        enough = RENEW(host, set->islands, bodies) && RENEW(host, set->bodies, bodies) &&
                 RENEW(host, set->stepCounts, bodies) && RENEW(host, set->parent, bodies) &&
                 RENEW(host, set->indexOf, bodies) && RENEW(host, set->blocks, bodies) &&
                 RENEW(host, set->firstSides, 2 * bodies) && RENEW(host, set->partial, bodies) &&
                 RENEW(host, set->wholeInts, 3 * bodies) && RENEW(host, set->wholeStarts, 2 * bodies) &&
                 RENEW(host, set->wholeNumbers, (int64_t)lb_wholeNumbers * bodies) &&
                 RENEW(host, set->wholeMotion, 6 * bodies) && RENEW(host, set->denseBodies, bodies) &&
                 RENEW(host, set->softAnswers, bodies) && RENEW(host, set->patches, bodies) &&
                 RENEW(host, set->colours, bodies);
        set->bodyCapacity = enough ? bodies : set->bodyCapacity;
    }
    if (enough && (meetings > set->meetingCapacity || holds > set->holdCapacity)) {
        int64_t pairs = (int64_t)int_max(meetings, set->meetingCapacity) + int_max(holds, set->holdCapacity);
        enough = RENEW(host, set->rowGroups, 2 * pairs);
    }
    if (enough && meetings > set->meetingCapacity) {
        enough = RENEW(host, set->meetings, meetings);
        set->meetingCapacity = enough ? meetings : set->meetingCapacity;
    }
    if (enough && holds > set->holdCapacity) {
        enough = RENEW(host, set->holds, holds) && RENEW(host, set->allHolds, holds) &&
                 RENEW(host, set->islandOfHold, holds);
        set->holdCapacity = enough ? holds : set->holdCapacity;
    }
    if (enough && rows > set->rowCapacity) {
        enough = RENEW(host, set->rows, rows) && RENEW(host, set->rowsA, rows) && RENEW(host, set->rowsB, rows) &&
                 RENEW(host, set->live, rows) && RENEW(host, set->plainRows, rows) && RENEW(host, set->sides, 2 * rows);
        set->rowCapacity = enough ? rows : set->rowCapacity;
    }
    return enough;
}

void lb_release_islands(const lbHost* host, lbIslands* set) {
    void* all[] = {set->islands,      set->bodies,      set->meetings,    set->holds,       set->allHolds,
                   set->islandOfHold, set->parent,      set->stepCounts,  set->indexOf,     set->blocks,
                   set->firstSides,   set->partial,     set->rows,        set->rowsA,       set->rowsB,
                   set->live,         set->sides,       set->wholeInts,   set->wholeStarts, set->wholeNumbers,
                   set->wholeMotion,  set->denseBodies, set->softAnswers, set->patches,     set->patchNumbers,
                   set->patchNodes,   set->plainRows,   set->colours,     set->rowGroups};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        lb_release(host, all[i]);
    }
    *set = (lbIslands){0};
}

/* ---- Who steps with whom ----------------------------------------------------------------------------------------- */

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

/* The lower one is the root, so that islands stand in the order of their first bodies. */
static void join(int* parent, int i, int j) {
    int a = root_of(parent, i), b = root_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

static int collider_of(const lbBody* body) {
    return body != NULL ? body->collider : -1;
}

static bool moves(const lbCollider* collider) {
    return !collider->body->ops->guided;
}

static void join_all(lbIslands* set, const lbContacts* contacts, int holdCount) {
    const lbCollider* colliders = contacts->colliders;
    for (int i = 0; i < contacts->colliderCount; ++i) {
        set->parent[i] = i;
    }
    for (int i = 0; i < contacts->meetingCount; ++i) {
        const lbMeeting* meeting = &contacts->meetings[i];
        if (moves(&colliders[meeting->a]) && moves(&colliders[meeting->b])) {
            join(set->parent, meeting->a, meeting->b);
        }
    }
    for (int i = 0; i < holdCount; ++i) {
        int a = collider_of(set->allHolds[i]->body), b = collider_of(set->allHolds[i]->other);
        bool first = moves(&colliders[a]);
        set->islandOfHold[i] = first ? a : b; /* the collider for now */
        if (b >= 0 && first && moves(&colliders[b])) {
            join(set->parent, a, b);
        }
    }
}

/* Numbers islands, and fills each one's bodies. */
static void list_bodies(lbIslands* set, lbContacts* contacts) {
    set->count = 0;
    for (int i = 0; i < contacts->colliderCount; ++i) {
        lbCollider* collider = &contacts->colliders[i];
        collider->island = -1;
        if (!moves(collider)) {
            continue;
        }
        int root = root_of(set->parent, i);
        if (root == i) {
            set->islands[set->count] = (lbIsland){.stepCount = 1, .searchCount = 1, .worst = {.definite = true}};
            collider->island = set->count++;
        } else {
            collider->island = contacts->colliders[root].island;
        }
        lbIsland* island = &set->islands[collider->island];
        island->bodyCount += 1;
        island->stepCount = int_max(island->stepCount, int_max(set->stepCounts[i], collider->steps));
        island->searchCount = int_max(island->searchCount, collider->steps);
        island->implicit |= collider->body->ops->isImplicit(collider->body);
        island->wholes += collider->body->ops->frame != NULL;
    }
    for (int i = 0, first = 0; i < set->count; ++i) {
        set->islands[i].firstBody = first;
        first += set->islands[i].bodyCount;
        set->islands[i].bodyCount = 0;
    }
    for (int i = 0; i < contacts->colliderCount; ++i) {
        const lbCollider* collider = &contacts->colliders[i];
        set->indexOf[i] = -1;
        if (collider->island >= 0) {
            lbIsland* island = &set->islands[collider->island];
            set->indexOf[i] = island->bodyCount;
            set->bodies[island->firstBody + island->bodyCount++] = collider->body;
        }
    }
}

static int island_of(const lbContacts* contacts, const lbMeeting* meeting) {
    int a = contacts->colliders[meeting->a].island, b = contacts->colliders[meeting->b].island;
    return a >= 0 ? a : b;
}

/* Room for what is found between steps, behind all contacts, as far as there is any. */
static void share_pool(lbIslands* set, const lbContacts* contacts) {
    int next = contacts->count;
    for (int i = 0; i < set->count; ++i) {
        lbIsland* island = &set->islands[i];
        island->poolRoom = int_min(island->poolRoom, contacts->capacity - next);
        island->firstInPool = next;
        island->rowRoom += island->poolRoom;
        next += island->poolRoom;
    }
}

static void list_meetings(lbIslands* set, const lbContacts* contacts) {
    for (int i = 0; i < contacts->meetingCount; ++i) {
        lbIsland* island = &set->islands[island_of(contacts, &contacts->meetings[i])];
        island->meetingCount += 1;
        island->rowRoom += lb_most_rows(&contacts->meetings[i]);
        island->poolRoom += lb_room_for_steps(&contacts->meetings[i]);
    }
    share_pool(set, contacts);
    for (int i = 0, first = 0; i < set->count; ++i) {
        set->islands[i].firstMeeting = first;
        first += set->islands[i].meetingCount;
        set->islands[i].meetingCount = 0;
    }
    for (int i = 0; i < contacts->meetingCount; ++i) {
        lbIsland* island = &set->islands[island_of(contacts, &contacts->meetings[i])];
        set->meetings[island->firstMeeting + island->meetingCount++] = i;
    }
}

static void list_holds(lbIslands* set, const lbContacts* contacts, int holdCount) {
    for (int i = 0; i < holdCount; ++i) {
        int collider = set->islandOfHold[i];
        set->islandOfHold[i] = collider >= 0 ? contacts->colliders[collider].island : -1;
        if (set->islandOfHold[i] >= 0) { /* else both sides are guided: nothing can be done */
            set->islands[set->islandOfHold[i]].holdCount += 1;
            set->islands[set->islandOfHold[i]].rowRoom += 1;
        }
    }
    for (int i = 0, first = 0; i < set->count; ++i) {
        set->islands[i].firstHold = first;
        first += set->islands[i].holdCount;
        set->islands[i].holdCount = 0;
    }
    for (int i = 0; i < holdCount; ++i) {
        if (set->islandOfHold[i] >= 0) {
            lbIsland* island = &set->islands[set->islandOfHold[i]];
            set->holds[island->firstHold + island->holdCount++] = set->allHolds[i];
        }
    }
}

void lb_find_islands(lbIslands* set, lbContacts* contacts, int holdCount) {
    join_all(set, contacts, holdCount);
    list_bodies(set, contacts);
    list_meetings(set, contacts);
    list_holds(set, contacts, holdCount);
    for (int i = 0, first = 0; i < set->count; ++i) {
        lbIsland* island = &set->islands[i];
        island->firstRow = first;
        first += island->rowRoom;
        island->touched = island->rowRoom > 0;
        int nodes = 0;
        for (int b = 0; b < island->bodyCount; ++b) {
            nodes += lb_node_count(set->bodies[island->firstBody + b]);
        }
        island->large = nodes > nodeGrain;
        island->inVelocitySpace = island->implicit || island->wholes == island->bodyCount;
    }
}

/* Whether all implicit bodies of an island know their compliance. */
static bool is_dense(const lbIslands* set, const lbIsland* island, double dt) {
    bool dense = island->touched && island->implicit;
    for (int b = 0; dense && b < island->bodyCount; ++b) {
        lbBody* body = set->bodies[island->firstBody + b];
        dense = !body->ops->isImplicit(body) ||
                (body->ops->prepareCompliance != NULL && body->ops->prepareCompliance(body, dt / island->stepCount));
    }
    return dense;
}

bool lb_prepare_dense_islands(const lbHost* host, lbIslands* set, double dt) {
    size_t floats = 0, ints = 0;
    for (int i = 0; i < set->count; ++i) {
        lbIsland* island = &set->islands[i];
        island->dense = is_dense(set, island, dt);
        for (int b = island->firstBody; b < island->firstBody + island->bodyCount; ++b) {
            lbBody* body = set->bodies[b];
            lbDenseBody* one = &set->denseBodies[b];
            *one = (lbDenseBody){.body = body, .implicit = island->dense && body->ops->isImplicit(body)};
            if (one->implicit) {
                floats += lb_patch_numbers(lb_node_count(body)) + 4 * (size_t)lb_node_count(body);
                ints += 2 * (size_t)lb_node_count(body);
            }
        }
    }
    if (floats > set->patchFloats || ints > set->patchInts) {
        if (!RENEW(host, set->patchNumbers, floats) || !RENEW(host, set->patchNodes, ints)) {
            return false;
        }
        set->patchFloats = floats;
        set->patchInts = ints;
    }
    float* numbers = set->patchNumbers;
    int* nodes = set->patchNodes;
    for (int i = 0; i < set->count; ++i) {
        for (int b = set->islands[i].firstBody; b < set->islands[i].firstBody + set->islands[i].bodyCount; ++b) {
            lbDenseBody* one = &set->denseBodies[b];
            if (one->implicit) {
                int count = lb_node_count(one->body);
                one->numbers = numbers;
                one->places = nodes;
                one->nodes = nodes + count;
                memset(one->places, 0xff, (size_t)count * sizeof(int)); /* -1 */
                one->last = numbers + lb_patch_numbers(count);
                numbers += lb_patch_numbers(count) + 4 * (size_t)count;
                nodes += 2 * count;
            }
        }
    }
    return true;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* A step of an island. */
typedef struct IslandStep {
    const lbFrame* frame;
    lbIsland* island;
    lbStep step;
    lbTasks* tasks; /* NULL: on the calling thread alone */
    lbRow* rows;
    int rowCount;
} IslandStep;

/* Of many short steps, few come far: how many seconds pass from one search to the next. */
static double search_time(const IslandStep* now) {
    return now->frame->dt / now->island->searchCount;
}

static bool is_to_search(const IslandStep* now) {
    const lbIsland* island = now->island;
    int step = (int)lroundf(now->step.begin * (float)island->stepCount);
    int64_t searches = island->searchCount;
    return step > 0 && island->poolRoom > 0 &&
           step * searches / island->stepCount != (step - 1) * searches / island->stepCount;
}

/* Skins of bodies that touch those of others follow them, step by step. */
static void update_skins(const IslandStep* now) {
    const lbFrame* frame = now->frame;
    for (int i = 0; i < now->island->meetingCount; ++i) {
        const lbMeeting* meeting = &frame->contacts->meetings[frame->islands->meetings[now->island->firstMeeting + i]];
        if (meeting->kind == lb_meetShapes || (meeting->kind != lb_meetSkins && !is_to_search(now))) {
            continue;
        }
        for (int side = 0; side < (meeting->a != meeting->b ? 2 : 1); ++side) {
            lbBody* body = frame->contacts->colliders[side == 0 ? meeting->a : meeting->b].body;
            if (!body->ops->guided) {
                body->ops->updateSkin(body, now->tasks);
            }
        }
    }
}

/* What may touch until the next search. */
static void find_contacts_again(const IslandStep* now) {
    const lbFrame* frame = now->frame;
    double h = search_time(now);
    for (int i = 0; i < frame->contacts->colliderCount; ++i) {
        lbCollider* collider = &frame->contacts->colliders[i];
        if (collider->island == now->island - frame->islands->islands) {
            lb_fit_collider(collider, h);
        }
    }
    lbContactPool pool = {.set = frame->contacts, .first = now->island->firstInPool, .room = now->island->poolRoom};
    for (int i = 0; i < now->island->meetingCount; ++i) {
        lbMeeting* meeting = &frame->contacts->meetings[frame->islands->meetings[now->island->firstMeeting + i]];
        if (meeting->again) {
            lb_find_contacts_again(&pool, meeting, h);
        }
    }
    lb_end_finding(&pool);
}

static void find_rows(IslandStep* now) {
    const lbFrame* frame = now->frame;
    const lbIslands* set = frame->islands;
    now->rowCount = 0;
    for (int i = 0; i < now->island->meetingCount; ++i) {
        lbMeeting* meeting = &frame->contacts->meetings[set->meetings[now->island->firstMeeting + i]];
        lbRow* rows = now->rows + now->rowCount;
        int count = lb_find_rows(frame->contacts, meeting, &now->step, rows, now->tasks);
        for (int k = 0; k < count; ++k) {
            rows[k].blockA = set->indexOf[meeting->a];
            rows[k].blockB = set->indexOf[meeting->b];
        }
        now->rowCount += count;
    }
    for (int i = 0; i < now->island->holdCount; ++i) {
        lbHold* hold = set->holds[now->island->firstHold + i];
        lbRow* row = &now->rows[now->rowCount++];
        lb_hold_row(hold, &now->step, row);
        row->blockA = set->indexOf[collider_of(hold->body)];
        int other = collider_of(hold->other);
        row->blockB = other >= 0 ? set->indexOf[other] : -1;
    }
}

/* A body of its own island is always the first side. */
static void turn_rows(IslandStep* now) {
    for (int i = 0; i < now->rowCount; ++i) {
        lbRow* row = &now->rows[i];
        if (row->blockA >= 0) {
            continue;
        }
        lbSide side = row->a;
        row->a = row->b, row->b = side;
        row->blockA = row->blockB, row->blockB = -1;
        row->normal = vec3_scale(-1, row->normal);
        row->impulse = vec3_scale(-1, row->impulse);
        row->error = vec3_scale(-1, row->error);
        row->wanted = vec3_scale(-1, row->wanted);
        row->turned = true;
    }
}

static void turn_rows_back(IslandStep* now) {
    for (int i = 0; i < now->rowCount; ++i) {
        if (now->rows[i].turned) {
            now->rows[i].impulse = vec3_scale(-1, now->rows[i].impulse);
        }
    }
}

typedef struct BodyLoop {
    const IslandStep* now;
    void (*run)(const IslandStep* now, lbBody* body);
} BodyLoop;

static void run_small_bodies(void* context, int begin, int end) {
    const BodyLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lbBody* body = loop->now->frame->islands->bodies[loop->now->island->firstBody + i];
        if (body->tasks == NULL) {
            loop->run(loop->now, body);
        }
    }
}

/* Large bodies one after the other, each on all threads; small ones side by side. */
static void for_bodies(const IslandStep* now, void (*run)(const IslandStep* now, lbBody* body)) {
    BodyLoop loop = {now, run};
    for (int i = 0; i < now->island->bodyCount; ++i) {
        lbBody* body = now->frame->islands->bodies[now->island->firstBody + i];
        if (body->tasks != NULL) {
            run(now, body);
        }
    }
    lb_parallel_for(now->tasks, now->island->bodyCount, 2, run_small_bodies, &loop);
}

static void predict_body(const IslandStep* now, lbBody* body) {
    body->ops->predict(body, now->step);
}

static void finish_body(const IslandStep* now, lbBody* body) {
    body->ops->finish(body, now->step);
}

/* The strictest of what the bodies' integrators ask of linear solutions. Bodies that move as wholes ask for nothing,
 * and cost next to nothing. */
static void take_settings(lbVelocitySpace* space) {
    const double strict = 1e-5;
    space->tolerance = 1;
    space->iterationLimit = 1;
    space->roundLimit = space->rowCount < 100 ? 20 : 8;
    space->size = INFINITY;
    for (int i = 0; i < space->bodyCount; ++i) {
        lbBody* body = space->bodies[i];
        const lbMotion* motion = body->ops->motion != NULL ? body->ops->motion(body) : NULL;
        if (motion != NULL && body->ops->isImplicit(body)) {
            space->tolerance = fmin(space->tolerance, (double)motion->settings.tolerance);
            space->iterationLimit = int_max(space->iterationLimit, motion->settings.iterationLimit);
        }
        space->size = fmin(space->size, (double)body->model->size);
        space->gravity = fmax(space->gravity, (double)vec3_length(body->gravity));
    }
    if (space->iterationLimit == 1) {
        space->tolerance = strict;
        space->iterationLimit = 100;
        space->roundLimit = 40;
        space->onlyWholes = true;
    }
}

/* m/s: what contacts may lack to what they ask for. */
static void tolerate(const IslandStep* now, double size, lbDenseSpace* space) {
    double gravity = 0;
    for (int i = 0; i < now->island->bodyCount; ++i) {
        lbBody* body = now->frame->islands->bodies[now->island->firstBody + i];
        gravity = fmax(gravity, (double)vec3_length(body->gravity));
    }
    lbTolerance tolerance = lb_tolerance_of(size, gravity, now->step.h);
    double strictness = lb_strictness(now->rowCount, !now->island->implicit || now->island->bodyCount == 1);
    space->mostSpeed = strictness * tolerance.most;
    space->speedAtRest = strictness * tolerance.atRest;
}

static bool solve_dense(IslandStep* now, int roundLimit, int sweepLimit) {
    lbIslands* set = now->frame->islands;
    lbIsland* island = now->island;
    lbDenseSpace space = {.bodyCount = island->bodyCount,
                          .bodies = set->denseBodies + island->firstBody,
                          .order = set->wholeInts + 3 * island->firstBody,
                          .soft = set->softAnswers + island->firstBody,
                          .patches = set->patches + island->firstBody,
                          .rowCount = now->rowCount,
                          .rows = now->rows,
                          .live = set->live + island->firstRow,
                          .rowOrder = set->sides + island->firstRow, /* velocity space is not in use */
                          .groups = set->rowGroups + 2 * (size_t)(island->firstMeeting + island->firstHold),
                          .colours = set->colours + island->firstBody,
                          .h = now->step.h,
                          .tolerance = 1,
                          .roundLimit = roundLimit,
                          .sweepLimit = sweepLimit,
                          .hasty = island->implicit && island->bodyCount > lb_exactBodies,
                          .tasks = now->tasks};
    double size = INFINITY;
    for (int i = 0; i < island->bodyCount; ++i) {
        lbBody* body = set->bodies[island->firstBody + i];
        size = fmin(size, (double)body->model->size);
        if (space.bodies[i].implicit) {
            const lbMotion* motion = body->ops->motion(body);
            space.tolerance = fmin(space.tolerance, (double)motion->settings.tolerance);
            space.iterationLimit = int_max(space.iterationLimit, motion->settings.iterationLimit);
        }
    }
    tolerate(now, size, &space);
    lb_solve_dense_space(&space);
    if (space.solve.iterations >= island->worst.iterations) {
        island->worst = space.solve;
    }
    return space.lack <= space.speed;
}

/* Bodies that move as wholes, a few rows for each two that touch: boxes on boxes. Walls of velocity space, which is
 * exact, hold tall towers of them. Round bodies, and meshes with their many points, have it go round in circles, where
 * Gauss-Seidel converges. */
static bool stands_on_faces(const IslandStep* now) {
    int meetings = int_max(now->island->meetingCount, 1), rows = now->rowCount - now->island->holdCount;
    return rows > 2 * meetings && rows <= 8 * meetings;
}

static void announce_rows(const IslandStep* now) {
    for (int i = 0; i < now->rowCount; ++i) {
        const lbRow* row = &now->rows[i];
        for (int k = 0; k < 2; ++k) {
            const lbSide* side = k == 0 ? &row->a : &row->b;
            if ((k == 0 || row->blockB >= 0) && side->body->ops->announce != NULL) {
                side->body->ops->announce(side->body, side);
            }
        }
    }
}

static void solve(IslandStep* now) {
    lbIslands* set = now->frame->islands;
    lbIsland* island = now->island;
    lb_complete_rows(now->rows, now->rowCount, now->step.h, now->tasks);
    if (!island->inVelocitySpace) {
        lb_solve_contact_space(now->rows, now->rowCount, set->plainRows + island->firstRow);
        return;
    }
    announce_rows(now);
    if (island->dense) {
        bool exact = island->bodyCount <= lb_exactBodies;
        solve_dense(now, exact ? 12 : 24, exact ? 50 : 60);
        return;
    }
    if (!island->implicit && !stands_on_faces(now)) {
        solve_dense(now, 4, 300);
        return;
    }
    lbVelocitySpace space = {
        .bodyCount = island->bodyCount,
        .bodies = set->bodies + island->firstBody,
        .blocks = set->blocks + island->firstBody,
        .rowCount = now->rowCount,
        .rows = now->rows,
        .live = set->live + island->firstRow,
        .rowsA = set->rowsA + island->firstRow,
        .rowsB = set->rowsB + island->firstRow,
        .firstSides = set->firstSides + 2 * island->firstBody,
        .sides = set->sides + 2 * (size_t)island->firstRow,
        .partial = set->partial + island->firstBody,
        .whole = {.order = set->wholeInts + 3 * island->firstBody,
                  .placeOf = set->wholeInts + 3 * island->firstBody + island->bodyCount,
                  .firstOf = set->wholeInts + 3 * island->firstBody + 2 * island->bodyCount,
                  .starts = set->wholeStarts + 2 * island->firstBody,
                  .numbers = set->wholeNumbers + (size_t)lb_wholeNumbers * (size_t)island->firstBody,
                  .motion = set->wholeMotion + 6 * island->firstBody},
        .h = now->step.h,
        .tasks = now->tasks};
    take_settings(&space);
    if (!lb_solve_velocity_space(&space)) {
        solve_dense(now, 4, 300);
    }
    for (int i = 0; i < space.bodyCount; ++i) {
        if (space.bodies[i]->ops->isImplicit(space.bodies[i])) {
            lb_tally_solve(space.bodies[i], &space.solve);
        }
    }
    if (space.solve.iterations >= island->worst.iterations) {
        island->worst = space.solve;
    }
}

/* Adds the time since *mark to a stage and moves the mark on. */
static void clock_stage(double* stage, double* mark) {
    double now = lb_seconds();
    *stage += now - *mark;
    *mark = now;
}

static void log_touches(const IslandStep* now) {
    for (int i = 0; i < lb_mostTouchLogs; ++i) {
        lbTouchLog* log = now->frame->world->touchLogs[i];
        if (log != NULL && log->tool != NULL) {
            lb_log_touches(log, now->rows, now->rowCount, &now->step);
        }
    }
}

static void take_step(IslandStep* now) {
    lbIsland* island = now->island;
    double mark = lb_seconds();
    if (island->touched) {
        if (now->step.begin > 0) {
            update_skins(now);
        }
        if (is_to_search(now)) {
            find_contacts_again(now);
        }
        find_rows(now);
        turn_rows(now);
        if (!island->inVelocitySpace) {
            lb_preload_rows(now->rows, now->rowCount);
        }
        clock_stage(&island->find, &mark);
    }
    for_bodies(now, predict_body);
    clock_stage(&island->predict, &mark);
    if (island->touched) {
        solve(now);
        turn_rows_back(now);
        lb_remember_rows(now->rows, now->rowCount);
        log_touches(now);
        clock_stage(&island->solve, &mark);
    }
    for_bodies(now, finish_body);
    clock_stage(&island->finish, &mark);
}

static void run_island(const lbFrame* frame, lbIsland* island, lbTasks* tasks) {
    double h = frame->dt / island->stepCount;
    IslandStep now = {
        .frame = frame, .island = island, .tasks = tasks, .rows = frame->islands->rows + island->firstRow};
    for (int i = 0; i < island->stepCount && !lb_is_given_up(frame->world); ++i) {
        now.step = (lbStep){.time = frame->time + i * h,
                            .h = h,
                            .begin = (float)i / (float)island->stepCount,
                            .end = (float)(i + 1) / (float)island->stepCount,
                            .touched = island->touched};
        for (int b = 0; b < island->bodyCount; ++b) {
            lb_activate_muscles(frame->world, frame->islands->bodies[island->firstBody + b],
                                0.5f * (now.step.begin + now.step.end));
        }
        take_step(&now);
    }
}

static void run_small_islands(void* context, int begin, int end) {
    const lbFrame* frame = context;
    for (int i = begin; i < end; ++i) {
        if (!frame->islands->islands[i].large) {
            run_island(frame, &frame->islands->islands[i], NULL);
        }
    }
}

void lb_run_islands(const lbFrame* frame) {
    lbIslands* set = frame->islands;
    for (int i = 0; i < set->count; ++i) {
        if (set->islands[i].large) {
            run_island(frame, &set->islands[i], frame->tasks);
        }
    }
    lb_parallel_for(frame->tasks, set->count, 1, run_small_islands, (void*)frame);
}
