/* Builds a scene's world from its definition. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene.h"

static lbResult allocate_run(const lbSceneDef* def, lbSceneRun* run) {
    const lbHost* host = run->host;
    run->bodies = LB_NEW(host, lbBodyId, def->bodyCount);
    run->pins = LB_NEW(host, lbPinId, def->pinCount);
    run->muscles = LB_NEW(host, lbMuscleId, def->muscleCount);
    run->loads = LB_NEW(host, lbLoadId, def->loadCount);
    run->tools = LB_NEW(host, lbToolId, def->toolCount);
    run->grabs = LB_NEW(host, lbGrabId, def->grabCount);
    run->attachments = LB_NEW(host, lbAttachmentId, def->attachmentCount);
    run->bodyMovers = LB_NEW(host, lbMover, def->bodyCount);
    run->bodySequences = LB_NEW(host, lbShapeSequence, def->bodyCount);
    run->toolSequences = LB_NEW(host, lbShapeSequence, def->toolCount);
    run->pinMovers = LB_NEW(host, lbMover, def->pinCount);
    run->toolMovers = LB_NEW(host, lbMover, def->toolCount);
    run->grabMovers = LB_NEW(host, lbMover, def->grabCount);
    run->loadRamps = LB_NEW(host, lbLoadRamps, def->loadCount);
    run->reports = LB_NEW(host, lbEquilibriumReport, def->bodyCount);
    run->events = LB_NEW(host, lbDueEvent, def->eventCount);
    bool complete = run->bodies != NULL && run->pins != NULL && run->muscles != NULL && run->loads != NULL &&
                    run->tools != NULL && run->grabs != NULL && run->pinMovers != NULL && run->toolMovers != NULL &&
                    run->grabMovers != NULL && run->loadRamps != NULL && run->events != NULL &&
                    run->attachments != NULL && run->bodyMovers != NULL && run->bodySequences != NULL &&
                    run->toolSequences != NULL && run->reports != NULL;
    return complete ? lb_success() : lb_out_of_memory("a scene");
}

static void free_sequences(const lbHost* host, lbShapeSequence* sequences, int count) {
    for (int i = 0; sequences != NULL && i < count; ++i) {
        lb_release(host, sequences[i].points);
    }
    lb_release(host, sequences);
}

void lb_free_scene_run(const lbSceneDef* def, lbSceneRun* run) {
    if (run->host == NULL) {
        return;
    }
    lb_free_probes(def, run);
    lbDestroyWorld(run->world);
    free_sequences(run->host, run->bodySequences, def->bodyCount);
    free_sequences(run->host, run->toolSequences, def->toolCount);
    void* arrays[] = {run->bodies,      run->pins,       run->muscles,    run->loads,      run->tools,
                      run->grabs,       run->pinMovers,  run->toolMovers, run->grabMovers, run->loadRamps,
                      run->attachments, run->bodyMovers, run->events,     run->reports};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(run->host, arrays[i]);
    }
    *run = (lbSceneRun){0};
}

lbResult lb_build_pin(const lbSceneDef* def, lbSceneRun* run, int index) {
    const lbScenePin* pin = &def->pins[index];
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = run->bodies[pin->body];
    pinDef.region = def->regions[pin->region].region;
    pinDef.carriers = pin->carriers;
    pinDef.kind = pin->kind;
    pinDef.axes = pin->axes;
    pinDef.direction = pin->direction;
    run->pinMovers[index].now.rotation = quat_identity();
    if (pin->path.count > 0) {
        lb_mover_follow(&run->pinMovers[index], &pin->path, 0);
    }
    return lb_in_context(lbCreatePin(run->world, &pinDef, &run->pins[index]), "region \"%s\" of body \"%s\"",
                         def->regions[pin->region].name, def->bodies[pin->body].name);
}

static lbResult build_muscle(const lbSceneDef* def, lbSceneRun* run, int index) {
    const lbSceneMuscle* muscle = &def->muscles[index];
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    muscleDef.body = run->bodies[muscle->body];
    muscleDef.region = def->regions[muscle->region].region;
    muscleDef.direction = muscle->direction;
    return lb_in_context(lbCreateMuscle(run->world, &muscleDef, &run->muscles[index]), "region \"%s\"",
                         def->regions[muscle->region].name);
}

static lbResult build_load(const lbSceneDef* def, lbSceneRun* run, int index) {
    const lbSceneLoad* load = &def->loads[index];
    lbLoadDef loadDef = lbDefaultLoadDef();
    loadDef.body = run->bodies[load->body];
    loadDef.region = def->regions[load->region].region;
    loadDef.force = load->force;
    loadDef.moment = load->moment;
    loadDef.traction = load->traction;
    loadDef.pressure = load->pressure;
    run->loadRamps[index] = (lbLoadRamps){.force = lb_ramp_at(load->force, load->pressure),
                                          .moment = lb_ramp_at(load->moment, 0),
                                          .traction = lb_ramp_at(load->traction, 0)};
    return lb_in_context(lbCreateLoad(run->world, &loadDef, &run->loads[index]), "region \"%s\" of body \"%s\"",
                         def->regions[load->region].name, def->bodies[load->body].name);
}

lbResult lb_build_attachment(const lbSceneDef* def, lbSceneRun* run, int index) {
    const lbSceneAttachment* attachment = &def->attachments[index];
    lbAttachmentDef made = lbDefaultAttachmentDef();
    made.body = run->bodies[attachment->body];
    made.other = attachment->tool != lb_noIndex ? run->tools[attachment->tool] : run->bodies[attachment->other];
    made.keepDistance = attachment->keepDistance;
    made.hard = attachment->hard;
    made.stiffness = attachment->stiffness;
    made.damping = attachment->damping;
    LB_TRY(lbBody_FindSkinPoint(run->world, made.body, attachment->point, &made.skinPoint));
    if (attachment->hasToPoint) {
        LB_TRY(lb_in_context(lbBody_FindSkinPoint(run->world, made.other, attachment->toPoint, &made.otherPoint),
                             "toPoint"));
    }
    return lbCreateAttachment(run->world, &made, &run->attachments[index]);
}

/* A region that holds nothing of the body it is used with is a mistake; says where the body is. */
static lbResult check_region(const lbSceneDef* def, const lbSceneRun* run, int body, int region) {
    const lbRegion* chosen = &def->regions[region].region;
    int count = 0;
    LB_TRY(lbBody_Select(run->world, run->bodies[body], chosen, NULL, 0, &count));
    if (count > 0) {
        return lb_success();
    }
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(run->world, run->bodies[body], &momentum));
    return lb_error(lb_errorFormat,
                    "region \"%s\" holds no %s of body \"%s\", whose centre of mass is at (%.3g, %.3g, %.3g) m",
                    def->regions[region].name, chosen->part == lb_partNodes ? "node" : "skin point",
                    def->bodies[body].name, momentum.center[0], momentum.center[1], momentum.center[2]);
}

static lbResult check_regions(const lbSceneDef* def, const lbSceneRun* run) {
    for (int i = 0; i < def->pinCount; ++i) {
        LB_TRY(lb_in_context(check_region(def, run, def->pins[i].body, def->pins[i].region), "pins[%d]", i));
    }
    for (int i = 0; i < def->muscleCount; ++i) {
        LB_TRY(lb_in_context(check_region(def, run, def->muscles[i].body, def->muscles[i].region), "muscles[%d]", i));
    }
    for (int i = 0; i < def->loadCount; ++i) {
        LB_TRY(lb_in_context(check_region(def, run, def->loads[i].body, def->loads[i].region), "loads[%d]", i));
    }
    for (int i = 0; i < def->probeCount; ++i) {
        const lbSceneProbe* probe = &def->probes[i];
        if (probe->region != lb_noIndex) {
            LB_TRY(lb_in_context(check_region(def, run, probe->body, probe->region), "probes[%d]", i));
        }
    }
    return lb_success();
}

/* The ground is a tool that is not in the file's list. */
static int tool_number(const lbSceneDef* def, int index) {
    return def->hasGround ? index - 1 : index;
}

/* Where driven pins are at the beginning: displacements that an equilibrium is found with. */
static lbResult move_pins(const lbSceneDef* def, lbSceneRun* run, int body) {
    for (int i = 0; i < def->pinCount; ++i) {
        lbMover* mover = &run->pinMovers[i];
        if (def->pins[i].body != body || mover->path == NULL) {
            continue;
        }
        lb_mover_advance(mover, 0);
        LB_TRY(lb_in_context(lbPin_MoveTo(run->world, run->pins[i], mover->now.position), "pins[%d]", i));
    }
    return lb_success();
}

static lbResult settle_bodies(const lbSceneDef* def, lbSceneRun* run) {
    for (int i = 0; i < def->bodyCount; ++i) {
        const lbSceneBody* body = &def->bodies[i];
        if (!body->equilibrium) {
            continue;
        }
        LB_TRY(move_pins(def, run, i));
        LB_TRY(lb_in_context(lbBody_SolveEquilibrium(run->world, run->bodies[i], &body->search, &run->reports[i]),
                             "bodies[%d] (\"%s\"): equilibrium", i, body->name));
    }
    return lb_success();
}

static lbResult build_all(const lbSceneDef* def, const char* folder, int threadCount, lbSceneRun* run) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = def->gravity;
    worldDef.threadCount = threadCount;
    worldDef.host = run->host;
    LB_TRY(allocate_run(def, run));
    LB_TRY(lbCreateWorld(&worldDef, &run->world));
    for (int i = 0; i < def->eventCount; ++i) {
        run->events[i].event = &def->events[i];
    }
    run->frameRate = def->frameRate;
    lb_schedule_events(def, run);
    run->gravityRamp = lb_ramp_at(def->gravity, 0);
    run->windRamp = lb_ramp_at(def->wind, 0);
    LB_TRY(lbWorld_SetWind(run->world, def->wind));
    LB_TRY(lbWorld_SetBudget(run->world, def->budget));
    for (int i = 0; i < def->bodyCount; ++i) {
        LB_TRY(lb_in_context(lb_build_body(def, &def->bodies[i], folder, run, i), "bodies[%d] (\"%s\")", i,
                             def->bodies[i].name));
    }
    LB_TRY(check_regions(def, run));
    for (int i = 0; i < def->pinCount; ++i) {
        LB_TRY(lb_in_context(lb_build_pin(def, run, i), "pins[%d]", i));
    }
    for (int i = 0; i < def->muscleCount; ++i) {
        LB_TRY(lb_in_context(build_muscle(def, run, i), "muscles[%d]", i));
    }
    for (int i = 0; i < def->loadCount; ++i) {
        LB_TRY(lb_in_context(build_load(def, run, i), "loads[%d]", i));
    }
    for (int i = 0; i < def->toolCount; ++i) {
        LB_TRY(lb_in_context(lb_build_tool(&def->tools[i], folder, run, i), "tools[%d]", tool_number(def, i)));
    }
    for (int i = 0; i < def->attachmentCount; ++i) {
        LB_TRY(lb_in_context(lb_build_attachment(def, run, i), "attachments[%d]", i));
    }
    LB_TRY(lb_build_probes(def, run)); /* before bodies sag: displacements count from their shapes */
    return settle_bodies(def, run);
}

lbResult lb_build_scene(const lbSceneDef* def, const char* folder, int threadCount, lbSceneRun* run) {
    *run = (lbSceneRun){.host = def->host};
    char unpacked[512] = "";
    lbResult result = lb_unpack_files(def, unpacked, sizeof(unpacked));
    if (result.code == lb_ok) {
        result = build_all(def, unpacked[0] != 0 ? unpacked : folder, threadCount, run);
    }
    lb_remove_unpacked(def, unpacked, result.message);
    result = lb_in_context(result, "%s", def->file);
    if (result.code != lb_ok) {
        lb_free_scene_run(def, run);
    }
    return result;
}
