/* Builds bodies of scenes that give way wherever they are touched: from a file, or by precomputing them on the spot. */
#include "base/log.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "body/region.h"
#include "scene/scene.h"

#include <stdio.h>

/* Points of a surface that a scene precomputes while it is loaded, which takes a minute or two. */
enum { mostUnseen = 5000 };

/* Whether a place of the body's own is held: regions are in the world's coordinates. Returns the first that holds it,
 * or lb_noIndex. */
static int find_holder(const lbSceneDef* scene, const lbSceneBody* body, lbVec3 local, int from) {
    lbVec3 place = vec3_add(body->position, quat_rotate(body->rotation, local));
    for (int i = from; i < body->compliant->heldCount; ++i) {
        if (lb_region_holds(&scene->regions[body->compliant->held[i]].region, place)) {
            return i;
        }
    }
    return lb_noIndex;
}

static lbResult check_regions(const lbSceneDef* scene, const lbSceneBody* body) {
    for (int i = 0; i < body->compliant->heldCount; ++i) {
        const lbSceneRegion* region = &scene->regions[body->compliant->held[i]];
        if (lb_region_is_named(&region->region)) {
            return lb_error(lb_errorArgument,
                            "held: region \"%s\" names nodes of a mesh; expected a box, a sphere or a half-space",
                            region->name);
        }
    }
    return lb_success();
}

static bool holds_triangle(const lbSceneDef* scene, const lbSceneBody* body, const lbShape* shape, int triangle) {
    const float* points = lbShape_GetPoints(shape);
    const int* corner = lbShape_GetTriangles(shape) + 3 * (size_t)triangle;
    for (int i = 0; i < body->compliant->heldCount; ++i) {
        int k = 0;
        while (k < 3 && find_holder(scene, body, vec3_load(points + 3 * (size_t)corner[k]), i) == i) {
            ++k;
        }
        if (k == 3) {
            return true;
        }
    }
    return false;
}

static lbResult by_boundary_elements(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                     const lbPrecomputeDef* given, lbResponse** made, lbResponseReport* report) {
    lbShape* shape = NULL;
    LB_TRY(lb_in_context(lb_make_scene_shape(&body->shape, folder, scene->host, &shape), "shape"));
    int points = lbShape_GetPointCount(shape);
    if (given->progress == NULL && points > mostUnseen) {
        lbDestroyShape(shape);
        return lb_error(lb_errorArgument,
                        "%d points of the surface would take minutes to precompute while nobody sees why; expected at "
                        "most %d (a larger \"edge\"), or a \"file\" that limber precompute has made",
                        points, mostUnseen);
    }
    bool* held = LB_NEW(scene->host, bool, lbShape_GetTriangleCount(shape));
    lbResult result = held != NULL ? lb_success() : lb_out_of_memory("a response");
    if (result.code == lb_ok) {
        for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
            held[t] = holds_triangle(scene, body, shape, t);
        }
        lbBoundaryDef def = lbDefaultBoundaryDef();
        def.shape = shape;
        def.material = body->material;
        def.held = held;
        def.byteLimit = given->byteLimit;
        def.threadCount = given->threadCount;
        def.progress = given->progress;
        def.progressUser = given->progressUser;
        def.host = scene->host;
        result = lbPrecomputeBoundary(&def, made, report);
    }
    lb_release(scene->host, held);
    lbDestroyShape(shape);
    return result;
}

static lbResult by_finite_elements(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                   const lbPrecomputeDef* given, lbResponse** made, lbResponseReport* report) {
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_static_mesh(body, folder, scene->host, &mesh));
    const double* points = lbTetMesh_GetPoints(mesh);
    int count = 0, *nodes = LB_NEW(scene->host, int, lbTetMesh_GetPointCount(mesh));
    lbResult result = nodes != NULL ? lb_success() : lb_out_of_memory("a response");
    for (int i = 0; nodes != NULL && i < lbTetMesh_GetPointCount(mesh); ++i) {
        const double* p = points + 3 * (size_t)i;
        if (find_holder(scene, body, vec3((float)p[0], (float)p[1], (float)p[2]), 0) != lb_noIndex) {
            nodes[count++] = i;
        }
    }
    if (result.code == lb_ok && count == 0) {
        result = lb_error(lb_errorArgument, "held: no node of the mesh is in one of its regions");
    }
    if (result.code == lb_ok) {
        lbControlDef control = {"held", count, nodes, true};
        lbPrecomputeDef def = *given;
        def.mesh = mesh;
        def.material = body->material;
        def.zoneCount = body->zoneCount;
        def.zones = body->zones;
        def.incompressible = body->law.incompressible;
        def.controlCount = 1;
        def.controls = &control;
        def.host = scene->host;
        def.solver = given->solver == lb_staticSolverAutomatic ? body->compliant->solver : given->solver;
        result = lbPrecomputeResponse(&def, made, report);
    }
    lb_release(scene->host, nodes);
    lbDestroyTetMesh(mesh);
    return result;
}

lbResult lb_precompute_scene_response(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                      const lbPrecomputeDef* given, lbResponse** made, lbResponseReport* report) {
    *made = NULL;
    LB_TRY(check_regions(scene, body));
    return (body->compliant->finiteElements ? by_finite_elements : by_boundary_elements)(scene, body, folder, given,
                                                                                         made, report);
}

static lbResult open_file(const lbSceneCompliant* def, const char* folder, const lbHost* host, lbResponse** made) {
    char path[4096];
    bool absolute = def->file[0] == '/' || folder == NULL || folder[0] == 0;
    snprintf(path, sizeof(path), "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", def->file);
    return lbOpenResponse(path, host, made);
}

lbResult lb_build_compliant_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbWorld* world,
                                 lbBodyDef* bodyDef, lbBodyId* body) {
    lbResponse* made = NULL;
    if (def->compliant->file != NULL) {
        LB_TRY(open_file(def->compliant, folder, scene->host, &made));
    } else {
        lbPrecomputeDef given = lbDefaultPrecomputeDef();
        lbResponseReport report;
        LB_TRY(lb_precompute_scene_response(scene, def, folder, &given, &made, &report));
        lb_log(scene->host, lb_logInfo, "body '%s' was precomputed in %.2f s: %d points of its surface, by %s",
               def->name, report.totalSeconds, report.pointCount, report.method);
    }
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelCompliant;
    model.response = made;
    lbResult result = lbCreateModel(world, &model, &bodyDef->model);
    if (result.code == lb_ok) {
        result = lbCreateBody(world, bodyDef, body);
    }
    if (result.code == lb_ok && def->compliant->scheme == lb_touchLayer) {
        result = lbBody_SetTouchScheme(world, *body, lb_touchLayer, def->compliant->layer);
    }
    lbDestroyResponse(made);
    return result;
}
