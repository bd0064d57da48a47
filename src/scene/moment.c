/* Moments of a run, in memory: what a scene goes back to without being built anew.
 *
 * A moment holds what the scene itself consists of: bodies and tools, the pins, grabs and attachments that were there,
 * and how far its events and paths were. What somebody else put into the world, as hands of people, is not in it and
 * stays. Contacts are found anew: a run that goes on from a moment is the same physics, not the same bits. */
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene.h"
#include "world/world.h"

#include <string.h>

struct lbMoment {
    const lbHost* host;
    lbSceneRun run; /* its numbers; its arrays are copies that stand in `lists`, its objects are not valid ids */
    unsigned char* lists;
    size_t listsSize;
    unsigned char* bytes; /* (capacity) of which `bodiesSize` tell of bodies and tools, and the rest, to `size`, of what
                             holds them */
    size_t capacity, bodiesSize, size;
};

/* ---- Walking ----------------------------------------------------------------------------------------------------- */

static void walk_bodies(lbWalk* walk, const lbSceneDef* def, const lbSceneRun* run) {
    lbWorld* world = run->world;
    lb_walk_seconds(walk, &world->time, "the time");
    lb_walk_vector(walk, &world->gravity, "gravity");
    lb_walk_vector(walk, &world->wind, "the wind");
    lb_walk_structure(walk, &def->bodyCount, sizeof(def->bodyCount), "the bodies");
    lb_walk_structure(walk, &def->toolCount, sizeof(def->toolCount), "the tools");
    lb_walk_structure(walk, &def->pinCount, sizeof(def->pinCount), "the pins");
    lb_walk_structure(walk, &def->grabCount, sizeof(def->grabCount), "the grabs");
    lb_walk_structure(walk, &def->attachmentCount, sizeof(def->attachmentCount), "the attachments");
    lb_walk_structure(walk, &def->loadCount, sizeof(def->loadCount), "the loads");
    lb_walk_structure(walk, &def->muscleCount, sizeof(def->muscleCount), "the muscles");
    lb_walk_structure(walk, &def->eventCount, sizeof(def->eventCount), "the events");
    for (int i = 0; i < def->bodyCount; ++i) {
        lb_walk_body(walk, LB_FIND(&world->bodies, run->bodies[i]));
    }
    for (int i = 0; i < def->toolCount; ++i) {
        lb_walk_body(walk, LB_FIND(&world->bodies, run->tools[i]));
    }
    for (int i = 0; i < def->muscleCount; ++i) {
        lb_walk_muscle(walk, LB_FIND(&world->muscles, run->muscles[i]));
    }
    for (int i = 0; i < def->loadCount; ++i) {
        lb_walk_load(walk, LB_FIND(&world->loads, run->loads[i]));
    }
}

/* Of what is there now. */
static void walk_holds(lbWalk* walk, const lbSceneDef* def, const lbSceneRun* run) {
    lbWorld* world = run->world;
    for (int i = 0; i < def->pinCount; ++i) {
        if (run->pins[i].index1 != 0) {
            lb_walk_pin(walk, LB_FIND(&world->pins, run->pins[i]));
        }
    }
    for (int i = 0; i < def->grabCount; ++i) {
        if (run->grabs[i].index1 != 0) {
            lb_walk_grab(walk, LB_FIND(&world->grabs, run->grabs[i]));
        }
    }
    for (int i = 0; i < def->attachmentCount; ++i) {
        if (run->attachments[i].index1 != 0) {
            lb_walk_attachment(walk, LB_FIND(&world->attachments, run->attachments[i]));
        }
    }
}

/* ---- What a run keeps in lists ----------------------------------------------------------------------------------- */

enum { mostLists = 9 };

typedef struct List {
    void* items;
    size_t size; /* bytes */
} List;

static int lists_of(const lbSceneDef* def, const lbSceneRun* run, List* lists) {
    List all[mostLists] = {
        {run->bodyMovers, (size_t)def->bodyCount * sizeof(lbMover)},
        {run->pinMovers, (size_t)def->pinCount * sizeof(lbMover)},
        {run->toolMovers, (size_t)def->toolCount * sizeof(lbMover)},
        {run->grabMovers, (size_t)def->grabCount * sizeof(lbMover)},
        {run->loadRamps, (size_t)def->loadCount * sizeof(lbLoadRamps)},
        {run->events, (size_t)def->eventCount * sizeof(lbDueEvent)},
        {run->pins, (size_t)def->pinCount * sizeof(lbPinId)},
        {run->grabs, (size_t)def->grabCount * sizeof(lbGrabId)},
        {run->attachments, (size_t)def->attachmentCount * sizeof(lbAttachmentId)},
    };
    memcpy(lists, all, sizeof(all));
    return mostLists;
}

static size_t size_of_lists(const lbSceneDef* def, const lbSceneRun* run) {
    List lists[mostLists];
    size_t size = 0;
    for (int i = 0, count = lists_of(def, run, lists); i < count; ++i) {
        size += lists[i].size;
    }
    return size;
}

/* Ids at the end of the lists tell only what was there: they may name nothing any more. */
enum { listsOfState = 6 };

/* The scene may be another by the time one goes back: paths and events are kept by number. Of a path 0 is none, 1 its
 * owner's own, 2 + k that of event k. */
static uintptr_t number_of_path(const lbSceneDef* def, const lbPath* path) {
    for (int k = 0; k < def->eventCount; ++k) {
        if (path == &def->events[k].path) {
            return 2 + (uintptr_t)k;
        }
    }
    return path != NULL ? 1 : 0;
}

static const lbPath* path_of_number(const lbSceneDef* def, uintptr_t number, const lbPath* own) {
    return number == 0 ? NULL : number == 1 ? own : &def->events[number - 2].path;
}

/* The own path of item `i` of list `list`. */
static const lbPath* own_path(const lbSceneDef* def, int list, int i) {
    return list == 0   ? &def->bodies[i].path
           : list == 1 ? &def->pins[i].path
           : list == 2 ? &def->tools[i].path
                       : &def->grabs[i].path;
}

enum { moverLists = 4, listOfEvents = 5 };

static void to_numbers(const lbSceneDef* def, int list, void* items, size_t size) {
    lbMover* movers = items;
    lbDueEvent* events = items;
    for (size_t i = 0; list < moverLists && i < size / sizeof(lbMover); ++i) {
        movers[i].path = (const lbPath*)number_of_path(def, movers[i].path); /* NOLINT: a number for now */
    }
    for (size_t i = 0; list == listOfEvents && i < size / sizeof(lbDueEvent); ++i) {
        events[i].event = (const lbSceneEvent*)(uintptr_t)(events[i].event - def->events);
    }
}

static void from_numbers(const lbSceneDef* def, int list, void* items, size_t size) {
    lbMover* movers = items;
    lbDueEvent* events = items;
    for (size_t i = 0; list < moverLists && i < size / sizeof(lbMover); ++i) {
        movers[i].path = path_of_number(def, (uintptr_t)movers[i].path, own_path(def, list, (int)i));
    }
    for (size_t i = 0; list == listOfEvents && i < size / sizeof(lbDueEvent); ++i) {
        events[i].event = def->events + (uintptr_t)events[i].event;
    }
}

static void keep_lists(lbMoment* moment, const lbSceneDef* def, const lbSceneRun* run) {
    List lists[mostLists];
    unsigned char* at = moment->lists;
    for (int i = 0, count = lists_of(def, run, lists); i < count; ++i) {
        if (lists[i].size > 0) {
            memcpy(at, lists[i].items, lists[i].size);
            to_numbers(def, i, at, lists[i].size);
        }
        at += lists[i].size;
    }
}

/* Where list `which` of the moment stands. */
static const void* kept_list(const lbMoment* moment, const lbSceneDef* def, const lbSceneRun* run, int which) {
    List lists[mostLists];
    const unsigned char* at = moment->lists;
    lists_of(def, run, lists);
    for (int i = 0; i < which; ++i) {
        at += lists[i].size;
    }
    return at;
}

static void return_lists(const lbMoment* moment, const lbSceneDef* def, lbSceneRun* run) {
    List lists[mostLists];
    const unsigned char* at = moment->lists;
    lists_of(def, run, lists);
    for (int i = 0; i < listsOfState; ++i) {
        if (lists[i].size > 0) {
            memcpy(lists[i].items, at, lists[i].size);
            from_numbers(def, i, lists[i].items, lists[i].size);
        }
        at += lists[i].size;
    }
}

/* ---- Keeping ----------------------------------------------------------------------------------------------------- */

static bool make_room(const lbHost* host, unsigned char** memory, size_t* has, size_t needed) {
    if (*has >= needed && *memory != NULL) {
        return true;
    }
    lb_release(host, *memory);
    *memory = lb_allocate(host, (int64_t)(needed > 0 ? needed : 1), 1);
    *has = *memory != NULL ? needed : 0;
    return *memory != NULL;
}

/* Twice at most: the first walk tells how much there is. */
static bool keep_bytes(lbMoment* moment, const lbScene* scene) {
    for (int i = 0; i < 2; ++i) {
        lbWalk walk = {.mode = lb_walkWrite, .out = moment->bytes, .room = moment->capacity};
        walk_bodies(&walk, scene->def, &scene->run);
        moment->bodiesSize = (size_t)walk.size;
        walk_holds(&walk, scene->def, &scene->run);
        moment->size = (size_t)walk.size;
        if (moment->size <= moment->capacity) {
            return true;
        }
        if (!make_room(moment->host, &moment->bytes, &moment->capacity, moment->size)) {
            return false;
        }
    }
    return false;
}

lbResult lbScene_KeepMoment(const lbScene* scene, lbMoment** moment) {
    if (scene == NULL || moment == NULL) {
        return lb_error(lb_errorArgument, "lbScene_KeepMoment: scene or moment is NULL");
    }
    lbMoment* kept = *moment != NULL ? *moment : LB_NEW(scene->host, lbMoment, 1);
    if (kept == NULL) {
        return lb_out_of_memory("a moment");
    }
    kept->host = scene->host;
    kept->run = scene->run;
    bool done = make_room(kept->host, &kept->lists, &kept->listsSize, size_of_lists(scene->def, &scene->run)) &&
                keep_bytes(kept, scene);
    if (!done) {
        lbDestroyMoment(kept);
        *moment = NULL;
        return lb_out_of_memory("a moment");
    }
    keep_lists(kept, scene->def, &scene->run);
    *moment = kept;
    return lb_success();
}

void lbDestroyMoment(lbMoment* moment) {
    if (moment != NULL) {
        lb_release(moment->host, moment->lists);
        lb_release(moment->host, moment->bytes);
        lb_release(moment->host, moment);
    }
}

int lbMoment_GetFrame(const lbMoment* moment) {
    return moment->run.frame;
}

double lbMoment_GetTime(const lbMoment* moment) {
    return lb_frame_time(&moment->run, moment->run.frame);
}

size_t lbMoment_GetSize(const lbMoment* moment) {
    return sizeof(*moment) + moment->listsSize + moment->capacity;
}

/* ---- Going back -------------------------------------------------------------------------------------------------- */

/* Pins, grabs and attachments that events have made or let go since: they are there again, or gone. */
static lbResult renew_holds(const lbMoment* moment, const lbSceneDef* def, lbSceneRun* run) {
    const lbPinId* pins = kept_list(moment, def, run, 6);
    const lbGrabId* grabs = kept_list(moment, def, run, 7);
    const lbAttachmentId* attachments = kept_list(moment, def, run, 8);
    for (int i = 0; i < def->pinCount; ++i) {
        bool then = pins[i].index1 != 0, now = run->pins[i].index1 != 0;
        LB_TRY(then == now ? lb_success() : then ? lb_build_pin(def, run, i) : lb_release_pin(run, i));
    }
    for (int i = 0; i < def->grabCount; ++i) {
        bool then = grabs[i].index1 != 0, now = run->grabs[i].index1 != 0;
        LB_TRY(then == now ? lb_success()
               : then      ? lb_start_grab(def, run, i, lbMoment_GetTime(moment))
                           : lb_release_grab(run, i));
    }
    for (int i = 0; i < def->attachmentCount; ++i) {
        bool then = attachments[i].index1 != 0, now = run->attachments[i].index1 != 0;
        LB_TRY(then == now ? lb_success() : then ? lb_build_attachment(def, run, i) : lb_release_attachment(run, i));
    }
    return lb_success();
}

static lbResult check(const lbMoment* moment, const lbScene* scene) {
    lbWalk walk = {.mode = lb_walkCheck, .next = moment->bytes, .end = moment->bytes + moment->bodiesSize};
    walk_bodies(&walk, scene->def, &scene->run);
    if (walk.mismatch != NULL || walk.next != walk.end) {
        return lb_error(lb_errorArgument, "this moment belongs to another scene: it differs in %s",
                        walk.mismatch != NULL ? walk.mismatch : "size");
    }
    return walk.damage == NULL ? lb_success()
                               : lb_error(lb_errorUnstable, "this moment was not sound: %s", walk.damage);
}

lbResult lbScene_GoTo(lbScene* scene, const lbMoment* moment) {
    if (scene == NULL || moment == NULL) {
        return lb_error(lb_errorArgument, "lbScene_GoTo: scene or moment is NULL");
    }
    const lbSceneDef* def = scene->def;
    lbSceneRun* run = &scene->run;
    LB_TRY(check(moment, scene));
    LB_TRY(renew_holds(moment, def, run));
    lbWalk walk = {.mode = lb_walkRead, .next = moment->bytes, .end = moment->bytes + moment->size};
    walk_bodies(&walk, def, run);
    walk_holds(&walk, def, run);
    return_lists(moment, def, run);
    run->gravityRamp = moment->run.gravityRamp;
    run->windRamp = moment->run.windRamp;
    run->frame = moment->run.frame;
    run->frameRate = moment->run.frameRate;
    run->rateFrame = moment->run.rateFrame;
    run->rateTime = moment->run.rateTime;
    run->nextEvent = moment->run.nextEvent;
    lb_forget_all_contacts(run->world);
    lb_after_restore(run->world);
    return lb_success();
}

lbResult lbScene_SkipTo(lbScene* scene, int frame) {
    if (scene == NULL || frame < 0) {
        return lb_error(lb_errorArgument, "lbScene_SkipTo: scene is NULL or frame is negative");
    }
    for (; scene->run.frame < frame; ++scene->run.frame) {
        LB_TRY(lb_prepare_frame(scene->def, &scene->run));
    }
    scene->run.world->time = lb_frame_time(&scene->run, scene->run.frame);
    return lb_success();
}
