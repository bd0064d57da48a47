/* Builds precomputed bodies of scenes: from a file, or by precomputing them on the spot. */
#include "base/log.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "body/region.h"
#include "mesh/solid.h"
#include "mesh/tet_surface.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

/* All that a precomputation refers to. */
typedef struct Work {
    const lbSceneDef* scene;
    const lbSceneBody* body;
    const lbHost* host;
    lbTetMesh* mesh;
    lbTube tube;
    int controlCount;
    lbControlDef* controls; /* (controlCount) */
    int* nodes;             /* (pointCount each) of the controls */
    lbModeLoad* loads;
    double* forces;
} Work;

/* Where a point of the mesh is in the scene: regions are in the world's coordinates. */
static lbVec3 place_of(const Work* work, int point) {
    lbVec3 local = vec3_from(tet_point(work->mesh->points, point));
    return vec3_add(work->body->position, quat_rotate(work->body->rotation, local));
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

lbResult lb_make_static_mesh(const lbSceneBody* body, const char* folder, const lbHost* host, lbTetMesh** mesh) {
    if (body->meshFile != NULL) {
        return lb_in_context(lb_load_scene_mesh(body, folder, host, mesh), "mesh");
    }
    lbShape* shape = NULL;
    LB_TRY(lb_in_context(lb_make_scene_shape(&body->shape, folder, host, &shape), "shape"));
    lbResult result;
    lbVec3 size = box_size(lbShape_GetBounds(shape));
    double edge = body->mesh.edge > 0 ? (double)body->mesh.edge : (double)fmaxf(size.x, fmaxf(size.y, size.z)) / 12;
    if (body->mesh.kind == lb_meshStructured) {
        lbSolid solid;
        result = lb_recognize_solid(shape, &solid);
        if (result.code == lb_ok) {
            solid.def.edge = edge;
            solid.def.host = host;
            memcpy(solid.def.cells, body->mesh.cells, sizeof(solid.def.cells));
            result = lbGenerateTetMesh(&solid.def, mesh);
        }
        if (result.code == lb_ok) {
            lb_place_solid(&solid, *mesh);
        }
    } else if (body->mesh.kind == lb_meshTets) {
        lbMesherDef mesher = lbDefaultMesherDef();
        mesher.edge = edge;
        mesher.relax = body->mesh.relax;
        mesher.host = host;
        result = lbMeshSurface(shape, &mesher, mesh);
    } else {
        result = lb_error(lb_errorArgument,
                          "the mesh \"%s\" cannot be precomputed; expected \"tets\", \"structured\" or a file",
                          lbMeshKind_GetName(body->mesh.kind));
    }
    lbDestroyShape(shape);
    return lb_in_context(result, "mesh");
}

static lbResult make_mesh(Work* work, const char* folder) {
    if (!work->body->elastostatic->hasTube) {
        return lb_make_static_mesh(work->body, folder, work->host, &work->mesh);
    }
    lbTubeDef def = work->body->elastostatic->tube;
    def.host = work->host;
    LB_TRY(lb_in_context(lbGenerateTube(&def, &work->tube), "tube"));
    work->mesh = work->tube.mesh;
    return lb_success();
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

/* "'base', 'tip'" for messages. */
static void list_groups(const lbTetMesh* mesh, char* text, size_t room) {
    size_t used = 0;
    snprintf(text, room, "it has none");
    for (int i = 0; i < mesh->groupCount && used + 80 < room; ++i) {
        used += (size_t)snprintf(text + used, room - used, "%s'%.60s'", i > 0 ? ", " : "it has ", mesh->groups[i].name);
    }
}

static lbResult find_group(const Work* work, const lbSceneControl* control, const lbNodeGroup** group) {
    *group = control->group != NULL ? lbTetMesh_FindGroup(work->mesh, control->group) : NULL;
    if (control->group != NULL && *group == NULL) {
        char known[300];
        list_groups(work->mesh, known, sizeof(known));
        return lb_error(lb_errorArgument, "control '%s': the mesh has no group of nodes '%.64s'; %s", control->name,
                        control->group, known);
    }
    return lb_success();
}

static int collect_nodes(const Work* work, const lbSceneControl* control, const lbNodeGroup* group, int* nodes) {
    const lbTetMesh* mesh = work->mesh;
    int count = 0;
    if (group != NULL) {
        memcpy(nodes, group->nodes, (size_t)group->nodeCount * sizeof(int));
        return group->nodeCount;
    }
    if (control->byMeshRegion) {
        bool* taken = LB_NEW(work->host, bool, mesh->pointCount);
        for (int t = 0; taken != NULL && t < mesh->tetCount; ++t) {
            for (int k = 0; (mesh->regions != NULL ? mesh->regions[t] : 0) == control->meshRegion && k < 4; ++k) {
                int node = mesh->tets[4 * (size_t)t + (size_t)k];
                if (!taken[node]) {
                    taken[node] = true;
                    nodes[count++] = node;
                }
            }
        }
        lb_release(work->host, taken);
        return count;
    }
    const lbRegion* region = &work->scene->regions[control->region].region;
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (lb_region_holds(region, place_of(work, i))) {
            nodes[count++] = i;
        }
    }
    return count;
}

static void add_control(Work* work, const char* name, const int* nodes, int count, bool fixed) {
    work->controls[work->controlCount++] = (lbControlDef){name, count, nodes, fixed};
}

static lbResult make_controls(Work* work) {
    const lbSceneElastostatic* def = work->body->elastostatic;
    int most = def->controlCount + 2, points = lbTetMesh_GetPointCount(work->mesh);
    work->controls = LB_NEW(work->host, lbControlDef, most);
    work->nodes = LB_NEW(work->host, int, (int64_t)most* points);
    if (work->controls == NULL || work->nodes == NULL) {
        return lb_out_of_memory("controls");
    }
    static const char* const ends[2] = {"start", "end"};
    for (int end = 0; def->hasTube && end < 2; ++end) {
        bool fixed = false;
        for (int i = 0; i < def->controlCount; ++i) {
            fixed |= strcmp(def->controls[i].name, ends[end]) == 0 && def->controls[i].fixed;
        }
        add_control(work, ends[end], work->tube.ends[end], work->tube.endCount, fixed);
    }
    for (int i = 0; i < def->controlCount; ++i) {
        const lbSceneControl* control = &def->controls[i];
        const lbNodeGroup* group = NULL;
        LB_TRY(find_group(work, control, &group));
        if (control->region < 0 && !control->byMeshRegion && group == NULL) {
            continue; /* an end of the tube */
        }
        int* nodes = work->nodes + (size_t)work->controlCount * (size_t)points;
        int count = collect_nodes(work, control, group, nodes);
        if (count == 0) {
            return lb_error(lb_errorArgument, "controls[%d]: no node of the mesh is in its %s", i,
                            group != NULL ? "group" : "region");
        }
        add_control(work, control->name, nodes, count, control->fixed);
    }
    return lb_success();
}

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

/* A force is shared by the surface's points in the region, by area; pressure acts on triangles with all corners there.
 */
static lbResult make_load(const Work* work, const lbSceneModeLoad* load, double* forces) {
    lbTetSurface surface;
    LB_TRY(lb_find_tet_surface(work->mesh, &surface));
    const lbRegion* region = &work->scene->regions[load->region].region;
    lbVec3 local = quat_rotate(quat_conjugate(work->body->rotation), load->force);
    double total = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int t = 0; t < surface.triangleCount; ++t) {
            int node[3];
            lbVec3d p[3];
            int inside = 0;
            for (int k = 0; k < 3; ++k) {
                node[k] = surface.points[surface.triangles[3 * (size_t)t + (size_t)k]];
                p[k] = tet_point(work->mesh->points, node[k]);
                inside += lb_region_holds(region, place_of(work, node[k]));
            }
            if (inside < 3) {
                continue;
            }
            lbVec3d area = vec3d_scale(0.5, vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0])));
            total += pass == 0 ? vec3d_length(area) : 0;
            lbVec3d share = vec3d_scale(vec3d_length(area) / total / 3, vec3d_from(local));
            lbVec3d f = vec3d_madd(share, -(double)load->pressure / 3, area);
            for (int k = 0; pass == 1 && k < 3; ++k) {
                double* at = forces + 3 * (size_t)node[k];
                at[0] += f.x, at[1] += f.y, at[2] += f.z;
            }
        }
    }
    lb_free_tet_surface(&surface);
    return total > 0
               ? lb_success()
               : lb_error(lb_errorArgument, "load '%s': no triangle of the surface lies in its region", load->name);
}

static lbResult make_loads(Work* work) {
    const lbSceneElastostatic* def = work->body->elastostatic;
    int64_t size = 3 * (int64_t)lbTetMesh_GetPointCount(work->mesh);
    work->loads = LB_NEW(work->host, lbModeLoad, def->loadCount);
    work->forces = LB_NEW(work->host, double, size * def->loadCount);
    if (work->loads == NULL || work->forces == NULL) {
        return lb_out_of_memory("loads");
    }
    for (int i = 0; i < def->loadCount; ++i) {
        double* forces = work->forces + size * i;
        LB_TRY(make_load(work, &def->loads[i], forces));
        work->loads[i] = (lbModeLoad){def->loads[i].name, forces};
    }
    return lb_success();
}

/* ---- From end to end --------------------------------------------------------------------------------------------- */

static void move_zones(const lbSceneBody* body, lbZone* zones) {
    for (int i = 0; i < body->zoneCount; ++i) { /* zones are in the model's own coordinates, as those of soft bodies */
        zones[i] = body->zones[i];
    }
}

static void free_work(Work* work) {
    lb_release(work->host, work->controls);
    lb_release(work->host, work->nodes);
    lb_release(work->host, work->loads);
    lb_release(work->host, work->forces);
    if (work->tube.mesh != NULL) {
        lbFreeTube(&work->tube);
    } else {
        lbDestroyTetMesh(work->mesh);
    }
}

lbResult lb_precompute_scene_body(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                  const lbPrecomputeDef* given, lbElastostatic** made, lbPrecomputeReport* report) {
    *made = NULL;
    const lbSceneElastostatic* def = body->elastostatic;
    Work work = {.scene = scene, .body = body, .host = scene->host};
    lbResult result = make_mesh(&work, folder);
    if (result.code == lb_ok) {
        result = make_controls(&work);
    }
    if (result.code == lb_ok) {
        result = make_loads(&work);
    }
    lbZone* zones = LB_NEW(scene->host, lbZone, body->zoneCount);
    if (result.code == lb_ok && zones != NULL) {
        move_zones(body, zones);
        lbPrecomputeDef precompute = *given;
        precompute.mesh = work.mesh;
        precompute.material = body->material;
        precompute.zoneCount = body->zoneCount;
        precompute.zones = zones;
        precompute.incompressible = body->law.incompressible;
        precompute.controlCount = work.controlCount;
        precompute.controls = work.controls;
        precompute.loadCount = def->loadCount;
        precompute.loads = work.loads;
        precompute.hidden = work.tube.hidden;
        precompute.strain = def->strain;
        precompute.stress = def->stress;
        precompute.precision = def->precision;
        precompute.host = scene->host;
        if (given->solver == lb_staticSolverAutomatic) {
            precompute.solver = def->solver;
        }
        result = lbPrecompute(&precompute, made, report);
    }
    lb_release(scene->host, zones);
    free_work(&work);
    return result;
}

static lbResult open_file(const lbSceneElastostatic* def, const char* folder, const lbHost* host,
                          lbElastostatic** made) {
    char path[4096];
    bool absolute = def->file[0] == '/' || folder == NULL || folder[0] == 0;
    snprintf(path, sizeof(path), "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", def->file);
    return lbOpenElastostatic(path, host, made);
}

static int find_control(const lbElastostatic* made, const char* name) {
    for (int i = 0; i < lbElastostatic_GetControlCount(made); ++i) {
        if (strcmp(lbElastostatic_GetControlName(made, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Which of the model's controls each of the scene's is, what is free, and which loads act. */
static lbResult set_up_body(const lbSceneElastostatic* def, const lbElastostatic* made, lbWorld* world, lbBodyId body) {
    LB_TRY(lbBody_SetLinearityLimits(world, body, def->limits));
    for (int i = 0; i < def->controlCount; ++i) {
        lbSceneControl* control = &def->controls[i];
        control->index = find_control(made, control->name);
        if (control->index < 0) {
            return lb_error(lb_errorArgument, "controls[%d]: the precomputed model has no control \"%s\"", i,
                            control->name);
        }
        if (control->free) {
            LB_TRY(lbBody_SetControlForce(world, body, control->index, control->force, control->torque));
        }
    }
    for (int i = 0; i < def->loadCount; ++i) {
        int index = -1;
        for (int k = 0; k < lbElastostatic_GetLoadCount(made); ++k) {
            index = strcmp(lbElastostatic_GetLoadName(made, k), def->loads[i].name) == 0 ? k : index;
        }
        if (index < 0) {
            return lb_error(lb_errorArgument, "loads[%d]: the precomputed model has no load \"%s\"", i,
                            def->loads[i].name);
        }
        LB_TRY(lbBody_SetModeLoad(world, body, index, def->loads[i].share));
    }
    return lb_success();
}

lbResult lb_build_elastostatic_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbWorld* world,
                                    lbBodyDef* bodyDef, lbBodyId* body) {
    lbElastostatic* made = NULL;
    if (def->elastostatic->file != NULL) {
        LB_TRY(open_file(def->elastostatic, folder, scene->host, &made));
    } else {
        lbPrecomputeDef precompute = lbDefaultPrecomputeDef();
        lbPrecomputeReport report;
        LB_TRY(lb_precompute_scene_body(scene, def, folder, &precompute, &made, &report));
        lb_log(scene->host, lb_logInfo, "body '%s' was precomputed in %.2f s: %d nodes, %d modes, by %s", def->name,
               report.totalSeconds, report.nodeCount, report.modeCount, report.solver);
    }
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelElastostatic;
    model.elastostatic = made;
    lbResult result = lbCreateModel(world, &model, &bodyDef->model);
    if (result.code == lb_ok) {
        result = lbCreateBody(world, bodyDef, body);
    }
    if (result.code == lb_ok) {
        result = set_up_body(def->elastostatic, made, world, *body);
    }
    lbDestroyElastostatic(made);
    return result;
}

/* ---- Motion ------------------------------------------------------------------------------------------------------ */

static lbControlPose pose_at(const lbSceneControl* control, double time) {
    const lbControlKey standard = {0, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    lbControlKey a = control->keys[0].time > 0 ? standard : control->keys[0], b = control->keys[control->keyCount - 1];
    for (int i = 0; i < control->keyCount; ++i) {
        if (control->keys[i].time <= time) {
            a = control->keys[i];
        }
    }
    for (int i = control->keyCount - 1; i >= 0; --i) {
        if (control->keys[i].time >= time) {
            b = control->keys[i];
        }
    }
    double span = b.time - a.time, share = span > 0 ? fmin(fmax((time - a.time) / span, 0), 1) : 1;
    float s = (float)(share * share * (3 - 2 * share)); /* comes to rest at each key */
    lbQuat q = quat_nlerp(a.rotation, b.rotation, s);
    lbVec3 scale = vec3_lerp(a.scale, b.scale, s);
    const float scales[3] = {scale.x, scale.y, scale.z};
    lbControlPose pose = {vec3_lerp(a.translation, b.translation, s), {0}};
    for (int k = 0; k < 3; ++k) {
        lbVec3 column = vec3_scale(scales[k], quat_rotate(q, vec3(k == 0, k == 1, k == 2)));
        pose.matrix[k] = column.x, pose.matrix[3 + k] = column.y, pose.matrix[6 + k] = column.z;
    }
    return pose;
}

lbResult lb_move_controls(const lbSceneDef* def, lbSceneRun* run) {
    double time = lb_frame_time(run, run->frame + 1), before = lb_frame_time(run, run->frame);
    for (int b = 0; b < def->bodyCount; ++b) {
        const lbSceneElastostatic* read = def->bodies[b].elastostatic;
        for (int i = 0; read != NULL && i < read->controlCount; ++i) {
            const lbSceneControl* control = &read->controls[i];
            /* After its last key a control is whoever wants it. */
            if (control->keyCount > 0 && before <= control->keys[control->keyCount - 1].time) {
                lbControlPose pose = pose_at(control, time);
                LB_TRY(lbBody_SetControl(run->world, run->bodies[b], control->index, &pose));
            }
        }
    }
    return lb_success();
}
