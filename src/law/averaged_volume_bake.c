/* Which elements take part in averages, the averages' weights, and the plan that threads share elements by. */
#include "base/result.h"
#include "law/averaged_volume.h"
#include "law/fans.h"
#include "law/plan.h"
#include "law/tets.h"
#include "mesh/operators.h"

#include <float.h>
#include <string.h>

/* ---- What elements keep ------------------------------------------------------------------------------------------ */

/* lambda / mu. */
static double ratio_of(double nu) {
    return 2 * nu / (1 - 2 * nu);
}

double lb_kept_lambda(const lbModelDef* def, double lambda, double mu) {
    const double first = 0.4, last = 0.45, least = 0.3;
    double nu = lambda / (2 * (lambda + mu));
    if (def->law.incompressible == lb_incompressibleNone || nu <= first + FLT_EPSILON) { /* nu comes as a float32 */
        return lambda;
    }
    double way = fmin((nu - first) / (last - first), 1);
    return mu * (ratio_of(first) + way * (ratio_of(least) - ratio_of(first)));
}

bool lb_wants_averaged_volume(const lbMesh* mesh, const lbModelDef* def) {
    bool wanted = false;
    for (int i = 0; i < mesh->tetCount && def->law.kind != lb_lawSprings && !wanted; ++i) {
        wanted = lb_tet_averaged_lambda(mesh, def, i) > 0;
    }
    return wanted;
}

/* The matter of zones stays what it is; that of all other elements is the material's, which may become anything. */
static bool may_take_part(const lbMesh* mesh, const lbModelDef* def, int tet) {
    return lb_tet_averaged_lambda(mesh, def, tet) > 0 ||
           (def->law.incompressible != lb_incompressibleNone && !lb_has_own_matter(mesh, tet));
}

bool lb_may_average_volume(const lbMesh* mesh, const lbModelDef* def) {
    bool may = false;
    for (int i = 0; i < mesh->tetCount && def->law.kind != lb_lawSprings && !may; ++i) {
        may = may_take_part(mesh, def, i);
    }
    return may;
}

/* ---- Averages ---------------------------------------------------------------------------------------------------- */

/* What baking needs and nothing after it. */
typedef struct Work {
    const lbMesh* mesh;
    int count;       /* of elements that may take part */
    int* tets;       /* (count) */
    int* nodes;      /* (count x 4) */
    double* kappa;   /* (count) Pa; 0: takes no part with this material */
    int activeCount; /* of elements that do */
    int* active;     /* (activeCount) the tetrahedra they are */
    double* volumes; /* (nodeCount) W_a, m^3 */
    double* masses;  /* (nodeCount) kg */
    int* order;
} Work;

static bool reserve_work(const lbMesh* mesh, Work* work) {
    const lbHost* host = mesh->host;
    *work = (Work){.mesh = mesh,
                   .tets = LB_NEW(host, int, mesh->tetCount),
                   .nodes = LB_NEW(host, int, 4 * (int64_t)mesh->tetCount),
                   .kappa = LB_NEW(host, double, mesh->tetCount),
                   .active = LB_NEW(host, int, mesh->tetCount),
                   .volumes = LB_NEW(host, double, mesh->nodeCount),
                   .masses = LB_NEW(host, double, mesh->nodeCount)};
    return work->tets != NULL && work->nodes != NULL && work->kappa != NULL && work->active != NULL &&
           work->volumes != NULL && work->masses != NULL;
}

static void release_work(const lbHost* host, Work* work) {
    void* arrays[] = {work->tets, work->nodes, work->kappa, work->active, work->volumes, work->masses, work->order};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
}

static void choose_elements(const lbModelDef* def, Work* work) {
    for (int t = 0; t < work->mesh->tetCount; ++t) {
        if (!may_take_part(work->mesh, def, t)) {
            continue;
        }
        const lbTet* tet = &work->mesh->tets[t];
        double kappa = fmax(lb_tet_averaged_lambda(work->mesh, def, t), 0);
        work->tets[work->count] = t;
        work->kappa[work->count] = kappa;
        memcpy(work->nodes + 4 * (size_t)work->count, tet->node, sizeof(tet->node));
        ++work->count;
        if (kappa > 0) {
            work->active[work->activeCount++] = t;
            for (int k = 0; k < 4; ++k) {
                work->volumes[tet->node[k]] += tet->volume;
            }
        }
    }
}

/* H, added up in double. */
static lbResult bake_pressure(const Work* work, lbNumberMatrix* matrix) {
    const lbHost* host = work->mesh->host;
    lbElementList list = {work->count, 4, work->nodes};
    LB_TRY(lb_create_node_graph(host, work->mesh->nodeCount, &list, &matrix->graph));
    const lbNodeGraph* graph = matrix->graph;
    int64_t size = (int64_t)graph->entryCount * LB_LANES;
    matrix->values = LB_NEW(host, float, size);
    double* sums = LB_NEW(host, double, size);
    if (matrix->values == NULL || sums == NULL) {
        lb_release(host, sums);
        return lb_out_of_memory("averaged volumes");
    }
    for (int i = 0; i < work->count; ++i) {
        const int* node = work->nodes + 4 * (size_t)i;
        double weight = work->kappa[i] * work->mesh->tets[work->tets[i]].volume / 16;
        for (int k = 0; k < 16 && weight > 0; ++k) {
            int p = node[k / 4], q = node[k % 4];
            sums[graph->places[lb_neighbour_index(graph, p, q)]] += weight / (work->volumes[p] * work->volumes[q]);
        }
    }
    for (int64_t i = 0; i < size; ++i) {
        matrix->values[i] = (float)sums[i];
    }
    lb_release(host, sums);
    return lb_success();
}

/* With W_a and the sums over the elements around a node, k = sum of kappa V, m = sum of (lambda + 2 mu) V of what they
 * keep: where matter resists by that, B K^-1 B^T is about 16 / (lambda + 2 mu) times the averages of averages that H is
 * kappa times, but for factors W on either side; so X = 4 W_a^2 / sqrt(k m) H. */
static lbResult bake_response(const Work* work, const lbModelDef* def, lbNumberMatrix* matrix) {
    const lbMesh* mesh = work->mesh;
    const lbNodeGraph* graph = matrix->graph;
    lbResponse* response = &matrix->response;
    response->softness = LB_NEW(mesh->host, float, mesh->nodeCount);
    response->sums = LB_NEW(mesh->host, float, mesh->nodeCount);
    double* stiffness = LB_NEW(mesh->host, double, 2 * (int64_t)mesh->nodeCount);
    if (response->softness == NULL || response->sums == NULL || stiffness == NULL) {
        lb_release(mesh->host, stiffness);
        return lb_out_of_memory("averaged volumes");
    }
    for (int i = 0; i < 4 * work->count; ++i) {
        int tet = work->tets[i / 4];
        lbLame kept = lb_tet_lame(mesh, def, tet);
        if (work->kappa[i / 4] > 0) {
            double* sums = stiffness + 2 * (size_t)work->nodes[i];
            sums[0] += work->kappa[i / 4] * mesh->tets[tet].volume;
            sums[1] += (kept.lambda + 2 * kept.mu) * mesh->tets[tet].volume;
        }
    }
    float largest = 0;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        double product = stiffness[2 * (size_t)i] * stiffness[2 * (size_t)i + 1], sum = 0;
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            double ratio = work->volumes[i] > 0 ? work->volumes[graph->columns[k]] / work->volumes[i] : 0;
            sum += (double)matrix->values[graph->places[k]] * ratio;
        }
        response->sums[i] = (float)sum;
        response->softness[i] = product > 0 ? (float)(4 * work->volumes[i] * work->volumes[i] / sqrt(product)) : 0;
        largest = fmaxf(largest, response->softness[i] * response->sums[i]);
    }
    lb_release(mesh->host, stiffness);
    lb_fit_response(largest, response);
    return lb_success();
}

static lbResult bake_rate(const Work* work, const lbModelDef* def, lbAveragedVolume* volumes) {
    const lbMesh* mesh = work->mesh;
    volumes->masses = LB_NEW(mesh->host, float, mesh->nodeCount);
    if (volumes->masses == NULL) {
        return lb_out_of_memory("averaged volumes");
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        double density = (double)def->material.density, given = (double)def->nodeMass;
        work->masses[i] = given > 0 ? given : density * mesh->nodeVolumes[i];
        volumes->masses[i] = work->volumes[i] > 0 ? (float)work->masses[i] : 0;
    }
    double rate = 0;
    if (work->activeCount > 0) {
        LB_TRY(lb_averaged_volume_rate(mesh, work->active, work->activeCount, work->masses, &volumes->pressure, &rate));
    }
    volumes->rate = (float)rate;
    return lb_success();
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Gram and Schmidt. */
static void pack_shape(const lbVec3d gradient[4], double volume, float* shape) {
    lbVec3d a = vec3d_scale(volume, gradient[1]), b = vec3d_scale(volume, gradient[2]);
    lbVec3d c = vec3d_scale(volume, gradient[3]), x = vec3d_normalize(a);
    lbVec3d y = vec3d_normalize(vec3d_madd(b, -vec3d_dot(b, x), x)), z = vec3d_cross(x, y);
    double aa = vec3d_dot(a, x), ba = vec3d_dot(b, x), bb = vec3d_dot(b, y);
    double ca = vec3d_dot(c, x), cb = vec3d_dot(c, y), cc = vec3d_dot(c, z);
    const double inverse[6] = {1 / aa,          -ba / (aa * bb), 1 / bb, (ba * cb - bb * ca) / (aa * bb * cc),
                               -cb / (bb * cc), 1 / cc};
    for (int k = 0; k < 6; ++k) {
        shape[k * LB_LANES] = (float)inverse[k];
    }
}

static void pack_element(const Work* work, int i, lbAveragedVolume* volumes, int place) {
    const lbTet* tet = &work->mesh->tets[work->tets[i]];
    lbVolumeBatch* batch = &volumes->batches[place / LB_LANES];
    int lane = place % LB_LANES;
    volumes->numbers[place] = tet->number;
    if (!(work->kappa[i] > 0)) {
        return;
    }
    volumes->idle[place / LB_LANES] = false;
    lbVec3d gradient[4] = {{0, 0, 0}}, ofMesh[4];
    lb_tet_gradients(work->mesh, work->tets[i], ofMesh);
    for (int k = 0; k < 16; ++k) { /* fans have put the nodes in another order */
        if (tet->node[k % 4] == work->nodes[4 * (size_t)i + (size_t)(k / 4)]) {
            gradient[k / 4] = ofMesh[k % 4];
        }
    }
    double whole = lb_tet_size(work->mesh, work->tets[i]);
    batch->scale[lane] = (float)(tet->volume / whole / 6);
    batch->rest[lane] = (float)(tet->volume * (volumes->gradients != NULL ? 3 : 1));
    pack_shape(gradient, tet->volume, volumes->shapes + 6 * (size_t)(place / LB_LANES) * LB_LANES + lane);
    for (int k = 0; volumes->gradients != NULL && k < 3; ++k) {
        float* rows = volumes->gradients + (9 * (size_t)(place / LB_LANES) + 3 * (size_t)k) * LB_LANES + lane;
        lbVec3 g = vec3_from(vec3d_scale(tet->volume, gradient[k + 1]));
        rows[0] = g.x, rows[LB_LANES] = g.y, rows[2 * LB_LANES] = g.z;
    }
}

static void pack_places(const Work* work, int i, lbAveragedVolume* volumes, int place) {
    const lbNodeGraph* graph = volumes->pressure.graph;
    const int* node = work->nodes + 4 * (size_t)i;
    int* out = volumes->places + 12 * (size_t)(place / LB_LANES) * LB_LANES + place % LB_LANES;
    for (int p = 0; p < 4; ++p) {
        for (int q = p + 1; q < 4; ++q, out += 2 * LB_LANES) {
            out[0] = graph->places[lb_neighbour_index(graph, node[p], node[q])];
            out[LB_LANES] = graph->places[lb_neighbour_index(graph, node[q], node[p])];
        }
    }
}

static lbResult pack_elements(Work* work, const lbModelDef* def, lbAveragedVolume* volumes, lbPlan* plan) {
    const lbHost* host = work->mesh->host;
    lbElementList list = {work->count, 4, work->nodes};
    LB_TRY(lb_plan_elements(work->mesh, &list, plan, &work->order, &volumes->batchCount));
    LB_TRY(lb_order_fans(host, plan, work->nodes, work->order, &volumes->continues));
    int64_t batches = volumes->batchCount;
    volumes->batches = LB_NEW(host, lbVolumeBatch, batches);
    volumes->idle = LB_NEW(host, bool, batches);
    volumes->shapes = LB_NEW(host, float, 6 * batches * LB_LANES);
    volumes->numbers = LB_NEW(host, int, batches* LB_LANES);
    volumes->places = LB_NEW(host, int, 12 * batches * LB_LANES);
    if (def->law.kind == lb_lawLinear) {
        volumes->gradients = LB_NEW(host, float, 9 * batches * LB_LANES);
    }
    if (volumes->batches == NULL || volumes->idle == NULL || volumes->shapes == NULL || volumes->numbers == NULL ||
        volumes->places == NULL || (def->law.kind == lb_lawLinear && volumes->gradients == NULL)) {
        return lb_out_of_memory("averaged volumes");
    }
    for (int c = 0; c < 4; ++c) {
        lb_pack_offsets(&list, work->order, volumes->batchCount, c, volumes->batches[0].node[c], sizeof(lbVolumeBatch));
    }
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        bool there = work->order[i] >= 0;
        volumes->numbers[i] = -1;
        if (i % LB_LANES == 0) {
            volumes->idle[i / LB_LANES] = true; /* until one of its elements takes part */
        }
        pack_places(work, work->order[there ? i : i - i % LB_LANES], volumes, i);
        if (there) {
            pack_element(work, work->order[i], volumes, i);
        }
    }
    return lb_success();
}

static lbResult bake(Work* work, const lbModelDef* def, lbAveragedVolume* volumes, lbPlan* plan) {
    volumes->dampingTime = def->material.stiffnessDamping;
    choose_elements(def, work);
    volumes->everywhere = work->activeCount == work->mesh->tetCount && def->law.kind != lb_lawLinear;
    LB_TRY(bake_pressure(work, &volumes->pressure));
    LB_TRY(bake_response(work, def, &volumes->pressure));
    LB_TRY(bake_rate(work, def, volumes));
    return pack_elements(work, def, volumes, plan);
}

lbResult lb_bake_averaged_volume(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    Work work;
    lbAveragedVolume* volumes = LB_NEW(mesh->host, lbAveragedVolume, 1);
    bool enough = reserve_work(mesh, &work) && volumes != NULL;
    lbResult result = enough ? bake(&work, def, volumes, plan) : lb_out_of_memory("averaged volumes");
    release_work(mesh->host, &work);
    if (result.code != lb_ok) {
        lb_release_averaged_volume(mesh->host, volumes);
        lb_destroy_plan(mesh->host, plan);
        return result;
    }
    *elements = volumes;
    return lb_success();
}

void lb_release_averaged_volume(const lbHost* host, void* elements) {
    lbAveragedVolume* volumes = elements;
    if (volumes != NULL) {
        lb_release(host, volumes->batches);
        lb_release(host, volumes->idle);
        lb_release(host, volumes->continues);
        lb_release(host, volumes->gradients);
        lb_release(host, volumes->shapes);
        lb_release(host, volumes->masses);
        lb_release(host, volumes->places);
        lb_release(host, volumes->numbers);
        lb_destroy_node_graph(volumes->pressure.graph);
        lb_release(host, volumes->pressure.values);
        lb_release(host, volumes->pressure.response.softness);
        lb_release(host, volumes->pressure.response.sums);
        lb_release(host, volumes);
    }
}
