#include "server/stage.h"

#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene_def.h"
#include "server/carry.h"
#include "server/defaults.h"
#include "server/describe.h"
#include "server/estimate.h"
#include "server/names.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* In a frame. Bodies that ask for more would hold up everyone: steps times nodes are work, and small bodies may take
 * more steps than large ones. */
enum { leastStepLimit = 4000, mostStepLimit = 20000, mostNodeSteps = 20000000 };

static int step_limit(const lbScene* scene) {
    const lbWorld* world = lbScene_GetWorld((lbScene*)scene);
    int64_t nodes = 1;
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        nodes += lbBody_GetNodeCount(world, lbScene_GetBody(scene, i));
    }
    int64_t steps = mostNodeSteps / nodes;
    return steps < leastStepLimit ? leastStepLimit : steps > mostStepLimit ? mostStepLimit : (int)steps;
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

/* A scene in the making, until it takes the place of the one that runs. */
typedef struct Candidate {
    lbValue* document;
    char folder[PATH_MAX];
    char name[256];
    lbScene* scene;
    lbBuild* build;
} Candidate;

static void discard(Candidate* candidate) {
    lb_free_value(candidate->document);
    lbDestroyScene(candidate->scene);
    lb_drop_build(candidate->build);
}

static lbResult build(lbStage* stage, Candidate* candidate) {
    LB_TRY(lb_check_size(stage, candidate->document));
    lbText text = {.host = stage->host};
    lb_write_value(&text, candidate->document, false);
    stage->buildBytes = 0;
    lbResult result = text.failed ? lb_out_of_memory("a scene")
                                  : lbParseScene(text.data, text.size, candidate->name, candidate->folder,
                                                 stage->threadCount, stage->worldHost, &candidate->scene);
    lb_text_free(&text);
    LB_TRY(lb_explain_build(stage, result));
    LB_TRY(lbWorld_SetStepLimit(lbScene_GetWorld(candidate->scene), step_limit(candidate->scene)));
    return lb_create_build(stage->host, candidate->scene, candidate->document, stage->revision + 1,
                           (*stage->sequence)++, &candidate->build);
}

static void replace(lbStage* stage, Candidate* candidate) {
    lb_free_value(stage->document);
    lbDestroyScene(stage->scene);
    lb_drop_build(stage->build);
    stage->document = candidate->document;
    stage->scene = candidate->scene;
    stage->build = candidate->build;
    stage->revision += 1;
    memcpy(stage->folder, candidate->folder, sizeof(stage->folder));
    memcpy(stage->name, candidate->name, sizeof(stage->name));
}

/* Whether a body of the old scene is, in the new one, the same matter at the same place, but perhaps for its mesh: its
 * state can be kept. */
static bool same_matter(const lbValue* before, int bodyBefore, const lbValue* after, int bodyAfter) {
    static const char* const keys[] = {"name",     "kind",     "shape",           "position",
                                       "rotation", "velocity", "angularVelocity", "equilibrium",
                                       "guided",   "path"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (!lb_same_in_bodies(before, bodyBefore, after, bodyAfter, keys[i])) {
            return false;
        }
    }
    return true;
}

/* Of a body that moves as a whole. */
static void keep_pose(const lbWorld* before, lbBodyId from, lbWorld* after, lbBodyId to) {
    lbVec3 position, velocity, spin;
    lbQuat rotation;
    if (lbBody_GetPose(before, from, &position, &rotation).code == lb_ok &&
        lbBody_SetPose(after, to, position, rotation).code == lb_ok && !lbBody_IsGuided(before, from) &&
        lbBody_GetVelocity(before, from, &velocity, &spin).code == lb_ok) {
        lbBody_SetVelocity(after, to, velocity, spin);
    }
}

static void keep_state(const lbStage* stage, Candidate* candidate, int bodyBefore, int bodyAfter) {
    lbWorld *before = lbScene_GetWorld(stage->scene), *after = lbScene_GetWorld(candidate->scene);
    lbBodyId from = lbScene_GetBody(stage->scene, bodyBefore), to = lbScene_GetBody(candidate->scene, bodyAfter);
    int count = lbBody_GetNodeCount(before, from);
    if (count != lbBody_GetNodeCount(after, to)) {
        return;
    }
    if (count == 0) {
        keep_pose(before, from, after, to);
        return;
    }
    float* x = LB_NEW(stage->host, float, 3 * (int64_t)count);
    float* v = LB_NEW(stage->host, float, 3 * (int64_t)count);
    if (x != NULL && v != NULL && lbBody_GetState(before, from, x, v).code == lb_ok) {
        lbBody_SetState(after, to, x, v); /* refuses what is not finite; the body then begins anew */
    }
    lb_release(stage->host, x);
    lb_release(stage->host, v);
}

/* Bodies are known by their names: others may have come before them, or gone. Time goes on, too. */
static void keep_states(const lbStage* stage, Candidate* candidate) {
    double time = lbWorld_GetTime(lbScene_GetWorld(stage->scene));
    lbScene_SkipTo(candidate->scene, (int)fmin(round(time * lbScene_GetFrameRate(candidate->scene)), 1e9));
    for (int i = 0; i < candidate->build->bodyCount; ++i) {
        int before = lb_document_find_body(stage->document, lb_document_body_name(candidate->document, i));
        if (before < 0 || !same_matter(stage->document, before, candidate->document, i)) {
            continue;
        }
        if (lb_same_in_bodies(stage->document, before, candidate->document, i, "mesh")) {
            keep_state(stage, candidate, before, i);
        } else { /* voxels go on, finer or coarser; other meshes refuse, and begin anew */
            lbBody_TakeMotion(lbScene_GetWorld(candidate->scene), lbScene_GetBody(candidate->scene, i),
                              lbScene_GetWorld(stage->scene), lbScene_GetBody(stage->scene, before));
        }
    }
}

void lb_stage_hide_folder(const lbStage* stage, char* message) {
    size_t length = strlen(stage->uploadFolder);
    for (char* found; length > 0 && (found = strstr(message, stage->uploadFolder)) != NULL;) {
        const char* rest = found + length + (found[length] == '/');
        memmove(found, rest, strlen(rest) + 1);
    }
}

static lbResult without_folder(const lbStage* stage, lbResult result) {
    lb_stage_hide_folder(stage, result.message);
    return result;
}

/* Builds the candidate and puts it in place; on failure it is gone and nothing has changed. */
static lbResult put_on(lbStage* stage, Candidate* candidate, bool keepStates) {
    lbResult result = build(stage, candidate);
    if (result.code != lb_ok) {
        discard(candidate);
        return without_folder(stage, result);
    }
    if (keepStates) {
        keep_states(stage, candidate);
    }
    replace(stage, candidate);
    return result;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

static lbResult join_path(char path[PATH_MAX], const char* folder, const char* file) {
    return lb_join_path(path, folder, file) ? lb_success() : lb_error(lb_errorFile, "%s: its path is too long", file);
}

static lbResult read_document(lbStage* stage, const char* path, const char* name, lbValue** document) {
    lbBytes bytes;
    LB_TRY(lb_read_small_file(stage->host, path, lb_sceneBytesLimit, &bytes));
    lbResult result = lb_parse_document((const char*)bytes.data, bytes.size, name, document);
    lb_free_bytes(stage->host, &bytes);
    return result;
}

static lbResult document_for_surface(lbStage* stage, const char* path, const char* name, lbValue** document) {
    lbText text = {.host = stage->host};
    lbResult result = lb_scene_for_file(path, name, stage->voxels, &text, NULL);
    if (result.code == lb_ok) {
        result = lb_parse_document(text.data, text.size, name, document);
    }
    lb_text_free(&text);
    return without_folder(stage, result);
}

/* Files that the scene carries within itself go to those that were uploaded, and the document is small again. */
static lbResult unpack(lbStage* stage, Candidate* candidate) {
    int count = lb_carried_file_count(candidate->document);
    for (int i = 0; i < count; ++i) {
        const char* base64;
        const char* name = lb_carried_file(candidate->document, i, &base64);
        char path[PATH_MAX];
        if (!lb_is_plain_file_name(name)) {
            return lb_error(lb_errorFormat, "%s: files: \"%.128s\" is no plain file name", candidate->name, name);
        }
        if (base64 == NULL) {
            return lb_error(lb_errorFormat, "%s: files.%.128s: expected text in base64", candidate->name, name);
        }
        LB_TRY(join_path(path, stage->uploadFolder, name));
        LB_TRY(
            lb_in_context(lb_write_base64_file(stage->host, path, base64), "%s: files.%.128s", candidate->name, name));
    }
    if (count > 0) {
        lb_drop_carried_files(candidate->document);
        snprintf(candidate->folder, sizeof(candidate->folder), "%s", stage->uploadFolder);
    }
    return lb_success();
}

/* A scene or a surface; `trusted`: its author is the one who runs limber, and may name any file. */
static lbResult load_from(lbStage* stage, const char* folder, const char* file, bool trusted) {
    Candidate candidate = {0};
    char path[PATH_MAX];
    LB_TRY(join_path(path, folder, file));
    snprintf(candidate.folder, sizeof(candidate.folder), "%s", folder);
    snprintf(candidate.name, sizeof(candidate.name), "%s", file);
    LB_TRY(lb_has_ending(file, "json") ? read_document(stage, path, file, &candidate.document)
                                       : document_for_surface(stage, path, file, &candidate.document));
    lbResult result = unpack(stage, &candidate);
    if (result.code == lb_ok && !trusted) {
        result = lb_check_document_files(candidate.document, NULL);
    }
    if (result.code != lb_ok) {
        discard(&candidate);
        return result;
    }
    return put_on(stage, &candidate, false);
}

lbResult lb_stage_load_file(lbStage* stage, const char* path) {
    const char* slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    if (slash != NULL) {
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
    return load_from(stage, folder, slash != NULL ? slash + 1 : path, true);
}

lbResult lb_stage_load_scene(lbStage* stage, const char* file) {
    if (stage->scenesFolder[0] == 0) {
        return lb_error(lb_errorFile, "%s: the folder of scenes was not found", file);
    }
    if (!lb_has_ending(file, "json")) {
        return lb_error(lb_errorArgument, "scene: is \"%s\"; expected the name of a .json file", file);
    }
    return load_from(stage, stage->scenesFolder, file, true);
}

lbResult lb_stage_load_upload(lbStage* stage, const char* file) {
    return load_from(stage, stage->uploadFolder, file, false);
}

lbResult lb_stage_load_shape(lbStage* stage, const char* kindName) {
    lbShapeKind kind;
    if (!lbShapeKind_FromName(kindName, &kind)) {
        return lb_error(lb_errorArgument, "shape: \"%.64s\" is none that limber makes", kindName);
    }
    Candidate candidate = {0};
    lbText text = {.host = stage->host};
    snprintf(candidate.folder, sizeof(candidate.folder), "%s", stage->uploadFolder);
    snprintf(candidate.name, sizeof(candidate.name), "%s", kindName);
    lbResult result = lb_scene_for_shape(kind, stage->voxels, &text, NULL);
    if (result.code == lb_ok) {
        result = lb_parse_document(text.data, text.size, kindName, &candidate.document);
    }
    lb_text_free(&text);
    return result.code == lb_ok ? put_on(stage, &candidate, false) : result;
}

static bool is_there(const char* folder, const char* file) {
    char path[PATH_MAX];
    struct stat info;
    return join_path(path, folder, file).code == lb_ok && stat(path, &info) == 0;
}

lbResult lb_stage_load_document(lbStage* stage, lbValue* document) {
    Candidate candidate = {.document = document, .name = "document"};
    lbResult result = unpack(stage, &candidate);
    if (result.code == lb_ok) {
        result = lb_check_document_files(document, stage->document);
    }
    if (result.code != lb_ok) {
        discard(&candidate);
        return result;
    }
    const char* file = lb_first_document_file(document);
    bool uploaded = stage->document == NULL || (file != NULL && is_there(stage->uploadFolder, file));
    snprintf(candidate.folder, sizeof(candidate.folder), "%s", uploaded ? stage->uploadFolder : stage->folder);
    return put_on(stage, &candidate, false);
}

/* ---- Changing ---------------------------------------------------------------------------------------------------- */

static Candidate changed_copy(const lbStage* stage) {
    Candidate candidate = {.document = lb_copy_document(stage->document)};
    memcpy(candidate.folder, stage->folder, sizeof(candidate.folder));
    memcpy(candidate.name, stage->name, sizeof(candidate.name));
    return candidate;
}

lbResult lb_stage_reset(lbStage* stage) {
    Candidate candidate = changed_copy(stage);
    return candidate.document != NULL ? put_on(stage, &candidate, false) : lb_out_of_memory("a scene");
}

/* The document as the reader sees it: what is wrong with it is found here, before anything is built. */
static lbResult read_def(const lbStage* stage, const Candidate* candidate, lbSceneDef** def) {
    lbText text = {.host = stage->host};
    lb_write_value(&text, candidate->document, false);
    lbResult result =
        text.failed ? lb_out_of_memory("a scene") : lb_read_scene_def(stage->host, text.data, text.size, "scene", def);
    lb_text_free(&text);
    return result;
}

static bool is_within(const char* path, const char* part) {
    size_t length = strlen(part);
    return strncmp(path, part, length) == 0 && (path[length] == 0 || path[length] == '.');
}

static lbResult change_scene_live(lbStage* stage, const lbSceneDef* def, const char* path) {
    if (is_within(path, "frameRate")) {
        return lbScene_SetFrameRate(stage->scene, def->frameRate);
    }
    if (is_within(path, "gravity")) {
        return lbScene_SetGravity(stage->scene, def->gravity);
    }
    if (is_within(path, "wind")) {
        return lbScene_SetWind(stage->scene, def->wind);
    }
    return lb_error(lb_errorUnsupported, "%s", path);
}

static lbResult change_body_live(lbStage* stage, const lbSceneBody* def, lbBodyId body, const char* path) {
    lbWorld* world = lbScene_GetWorld(stage->scene);
    if (is_within(path, "material")) {
        return lbModel_SetMaterial(world, lbBody_GetModel(world, body), &def->material);
    }
    if (is_within(path, "friction")) {
        return lbBody_SetFriction(world, body, def->friction);
    }
    if (is_within(path, "restitution")) {
        return lbBody_SetRestitution(world, body, def->restitution);
    }
    if (is_within(path, "thickness")) {
        return lbBody_SetThickness(world, body, def->thickness);
    }
    if (is_within(path, "selfContact")) {
        return lbBody_SetSelfContact(world, body, def->selfContact);
    }
    if (is_within(path, "integrator")) {
        LB_TRY(lbBody_SetIntegrator(world, body, def->integrator, &def->settings));
        return lbBody_SetStepCount(world, body, def->stepCount);
    }
    if (is_within(path, "pointDamping")) {
        return lbBody_SetPointDamping(world, body, def->pointDamping);
    }
    if (is_within(path, "detail")) {
        return lbBody_SetDetail(world, body, def->detail.split, def->detail.merge, def->detail.budget);
    }
    if (is_within(path, "windDrag")) {
        return lbBody_SetWindDrag(world, body, def->windDrag);
    }
    return lb_error(lb_errorUnsupported, "%s", path);
}

/* lb_errorUnsupported: this one takes building. */
static lbResult change_live(lbStage* stage, const lbSceneDef* def, const lbPropertyInfo* property, int body) {
    if (property == NULL || !property->live) {
        return lb_error(lb_errorUnsupported, "not live");
    }
    return property->ofBody
               ? change_body_live(stage, &def->bodies[body], lbScene_GetBody(stage->scene, body), property->path)
               : change_scene_live(stage, def, property->path);
}

/* A new mesh is as fine as the old one, if both have an edge. */
static lbResult keep_edge(const lbStage* stage, lbValue* document, int body) {
    char path[64];
    int ignored;
    snprintf(path, sizeof(path), "bodies[%d].mesh.edge", body);
    const lbValue* edge = lb_find_in_document(stage->document, path);
    bool taken = edge != NULL && lb_find_property(document, path, &ignored) != NULL;
    return taken ? lb_set_in_document(document, path, edge) : lb_success();
}

/* A new mesh may make impossible what went with the old one: that goes too. */
static lbResult reconcile(const lbStage* stage, lbValue* document, const lbPropertyInfo* property, int body) {
    if (property == NULL || body < 0 || strcmp(property->path, "mesh.kind") != 0) {
        return lb_success();
    }
    LB_TRY(keep_edge(stage, document, body));
    lbBodyKinds kinds = lb_document_kinds(document, body);
    if (kinds.mesh == lb_meshCloth || kinds.mesh == lb_meshLayered) {
        lb_drop_volume_penalty(document, body);
    }
    /* Voxels take no penalties, and their law has other keys than that of tetrahedra. */
    bool voxels = kinds.mesh == lb_meshVoxels;
    bool changes = voxels != (lb_document_kinds(stage->document, body).mesh == lb_meshVoxels);
    if (voxels) {
        lb_drop_penalties(document, body);
    }
    for (int i = 0; i < lb_lawKindCount && (changes || !lbLawKind_WorksOn(kinds.law, kinds.mesh)); ++i) {
        bool kept = lbLawKind_WorksOn(kinds.law, kinds.mesh);
        if (kept ? i == (int)kinds.law : lbLawKind_WorksOn((lbLawKind)i, kinds.mesh)) {
            char path[64];
            snprintf(path, sizeof(path), "bodies[%d].law", body);
            lbValue* name = lb_string_value(lbLawKind_GetName((lbLawKind)i));
            lbResult result = lb_set_in_document(document, path, name);
            lb_free_value(name);
            return result;
        }
    }
    return lb_success();
}

static bool is_kind(const lbPropertyInfo* property) {
    size_t length = strlen(property->path);
    return length > 5 && strcmp(property->path + length - 5, ".kind") == 0;
}

/* A live change that decides which properties a body has: clients are told of the scene anew. */
static lbResult describe_anew(lbStage* stage, Candidate* candidate) {
    LB_TRY(lb_create_build(stage->host, stage->scene, candidate->document, stage->revision + 1, (*stage->sequence)++,
                           &candidate->build));
    lb_drop_build(stage->build);
    stage->build = candidate->build;
    stage->revision += 1;
    return lb_success();
}

static lbResult apply_change(lbStage* stage, Candidate* candidate, const char* path, lbChange* change) {
    int body = -1;
    const lbPropertyInfo* property = lb_find_property(candidate->document, path, &body);
    LB_TRY(reconcile(stage, candidate->document, property, body));
    lbSceneDef* def = NULL;
    LB_TRY(read_def(stage, candidate, &def));
    lbResult result = change_live(stage, def, property, body);
    lb_free_scene_def(def);
    if (result.code == lb_errorUnsupported) {
        *change = lb_changedWorld;
        return lb_success();
    }
    LB_TRY(result);
    *change = is_kind(property) ? lb_changedKinds : lb_changedLive;
    return *change == lb_changedKinds ? describe_anew(stage, candidate) : lb_success();
}

bool lb_stage_is_live(const lbStage* stage, const char* path) {
    int body;
    const lbPropertyInfo* property = lb_find_property(stage->document, path, &body);
    return property != NULL && property->live;
}

/* Takes the candidate's document over: by changing the world that runs, if only what stands at `path` is another and
 * that is live, else by building. On failure it is gone and nothing has changed. */
static lbResult change_to(lbStage* stage, Candidate* candidate, const char* path, lbChange* change) {
    *change = lb_changedWorld;
    lbResult result = path != NULL ? apply_change(stage, candidate, path, change) : lb_success();
    if (result.code != lb_ok) {
        lb_free_value(candidate->document);
        return result;
    }
    if (*change == lb_changedWorld) {
        return put_on(stage, candidate, true);
    }
    lb_free_value(stage->document);
    stage->document = candidate->document;
    return result;
}

lbResult lb_stage_set(lbStage* stage, const char* path, const lbValue* value, lbChange* change) {
    Candidate candidate = changed_copy(stage);
    if (candidate.document == NULL) {
        return lb_out_of_memory("a scene");
    }
    lbResult result = lb_set_in_document(candidate.document, path, value);
    if (result.code == lb_ok) {
        result = lb_check_document_files(candidate.document, stage->document);
    }
    if (result.code != lb_ok) {
        lb_free_value(candidate.document);
        return result;
    }
    return change_to(stage, &candidate, path, change);
}

lbResult lb_stage_change(lbStage* stage, lbValue* document, const char* path, lbChange* change) {
    Candidate candidate = {.document = document};
    memcpy(candidate.folder, stage->folder, sizeof(candidate.folder));
    memcpy(candidate.name, stage->name, sizeof(candidate.name));
    return change_to(stage, &candidate, path, change);
}

lbResult lb_stage_exchange(lbStage* stage, lbValue* document, const char* folder, const char* name, bool keepStates) {
    Candidate candidate = {.document = document};
    snprintf(candidate.folder, sizeof(candidate.folder), "%s", folder);
    snprintf(candidate.name, sizeof(candidate.name), "%s", name);
    return put_on(stage, &candidate, keepStates);
}

lbResult lb_stage_describe(lbStage* stage) {
    Candidate candidate = {.document = stage->document};
    return describe_anew(stage, &candidate);
}

void lb_stage_rename(lbStage* stage, int body, const char* name) {
    lb_rename_body(stage->document, body, name);
}

lbResult lb_stage_remove_pin(lbStage* stage, int pin) {
    Candidate candidate = changed_copy(stage);
    if (candidate.document == NULL) {
        return lb_out_of_memory("a scene");
    }
    lb_remove_pin_from_document(candidate.document, pin);
    return put_on(stage, &candidate, true);
}

void lb_close_stage(lbStage* stage) {
    lb_free_value(stage->document);
    lbDestroyScene(stage->scene);
    lb_drop_build(stage->build);
    stage->document = NULL;
    stage->scene = NULL;
    stage->build = NULL;
}
