/* An adaptive body's static equilibrium. Which nodes are active depends on where they come to rest, and the reverse. So
 * both are sought in turn: the equilibrium of the nodes that are active, then splits by how they are bent there, until
 * none is asked for. Nodes are merged after the first search only, so that this comes to an end: after that the active
 * set only grows.
 *
 * The unknowns are displacements of active nodes, in double; other nodes follow by their rows, u_g = W u, and forces
 * and stiffness of elements come back by the transpose: the search is for a minimum of the energy that scopes.h
 * defines. */
#include "base/result.h"
#include "base/symmetric.h"
#include "body/adaptive/adaptive_body.h"
#include "integrate/equilibrium.h"

#include <string.h>

/* The active nodes that carry a ghost, by their numbers among the active. */
typedef struct Carrier {
    int number;
    double weight;
} Carrier;

typedef struct UsedElement {
    int level, index; /* in the law's own numbering */
    double weight;
} UsedElement;

/* Of one active set. */
typedef struct Statics {
    lbAdaptiveBody* body;
    const lbHost* host;
    int count;           /* of active nodes */
    int* number;         /* (nodeCount) of an active node among them; of a ghost its place among ghosts; else -1 */
    lbVec3d* rest;       /* (nodeCount) m, as placed */
    lbVec3d* activeRest; /* (count) */
    lbVec3d* turned;     /* (nodeCount) as lbPreciseScope has it; NULL: it is not turned */
    double *u, *f;       /* (nodeCount x 3) of all nodes that elements read */
    float* mass;         /* (count) kg */
    int elementCount;
    UsedElement* elements;
    int* carrierStarts; /* (ghosts + 1) */
    Carrier* carriers;
    int pairCount;
    int* pairs;      /* (pairCount x 2) active nodes that elements join */
    int mostNodes;   /* that one element joins */
    int* joined;     /* (mostNodes) scratch */
    double* matrix;  /* (3 mostNodes)^2 scratch */
    double* product; /* (3 nodes of an element x 3 mostNodes) scratch */
    double* mapping; /* (nodes of an element x mostNodes) scratch */
    double* inverse; /* (count x 6) of the preconditioner */
    lbFilteredNode* held;
    lbPreciseStiffness stiffness;
    lbPreciseSolver solver;
} Statics;

/* ---- Elements and who carries them ------------------------------------------------------------------------------- */

static const lbLawInstance* law_at(const Statics* made, int level) {
    return &made->body->model->levels[level]->laws[0];
}

static const lbPrecise* precise_at(const Statics* made, int level) {
    return law_at(made, level)->law->precise;
}

static int first_of(const Statics* made, int level) {
    return made->body->model->hierarchy.levels[level].first;
}

/* Nodes of an element as the hierarchy numbers them; how many of them are active, 0 where there is no element. */
static int nodes_of(const Statics* made, int level, int index, int* nodes) {
    const lbPrecise* precise = precise_at(made, level);
    int active = 0;
    if (!precise->nodes(law_at(made, level)->elements, index, nodes)) {
        return 0;
    }
    for (int k = 0; k < precise->nodesPerElement; ++k) {
        nodes[k] += first_of(made, level);
        active += lb_is_active(&made->body->set, nodes[k]);
    }
    return active;
}

static bool list_elements(Statics* made) {
    int nodes[lb_mostPreciseNodes];
    for (int pass = 0; pass < 2; ++pass) {
        int count = 0;
        for (int l = 0; l < made->body->model->levelCount; ++l) {
            int width = precise_at(made, l)->nodesPerElement,
                all = precise_at(made, l)->count(law_at(made, l)->elements);
            for (int i = 0; i < all; ++i) {
                int active = nodes_of(made, l, i, nodes);
                if (active > 0 && pass == 1) {
                    made->elements[count] = (UsedElement){l, i, (double)active / width};
                }
                count += active > 0;
            }
        }
        if (pass == 0) {
            made->elements = LB_NEW(made->host, UsedElement, count);
            if (made->elements == NULL) {
                return false;
            }
        }
        made->elementCount = count;
    }
    return true;
}

/* Adds a node's carriers, times a weight, to a list without repetitions; returns how long it is then. */
static int add_carriers(const Statics* made, int node, double weight, Carrier* list, int count) {
    Carrier own = {made->number[node], 1};
    bool active = lb_is_active(&made->body->set, node);
    const Carrier* begin = active ? &own : made->carriers + made->carrierStarts[made->number[node]];
    const Carrier* end = active ? &own + 1 : made->carriers + made->carrierStarts[made->number[node] + 1];
    for (const Carrier* carrier = begin; carrier < end; ++carrier) {
        int k = 0;
        while (k < count && list[k].number != carrier->number) {
            ++k;
        }
        if (k == count) {
            list[count++] = (Carrier){carrier->number, 0};
        }
        list[k].weight += weight * carrier->weight;
    }
    return count;
}

/* Of ghosts, in the order in which rows are evaluated: what a row reads is known before. First how much room that
 * takes, counting carriers that several nodes of a row have in common as often. */
static bool list_carriers(Statics* made) {
    const lbScopes* scopes = &made->body->scopes;
    made->carrierStarts = LB_NEW(made->host, int, scopes->rowCount + 1);
    int64_t* room = LB_NEW(made->host, int64_t, scopes->rowCount + 1);
    int64_t total = 0;
    for (int i = 0; room != NULL && i < scopes->rowCount; ++i) {
        const lbLink* row = lb_row_of(&made->body->set, scopes->ghosts[i]);
        for (int k = 0; k < 4; ++k) {
            bool active = lb_is_active(&made->body->set, row->node[k]);
            room[i] += row->weight[k] == 0 ? 0 : active ? 1 : room[made->number[row->node[k]]];
        }
        total += room[i];
    }
    lb_release(made->host, room);
    made->carriers = LB_NEW(made->host, Carrier, total);
    if (made->carrierStarts == NULL || made->carriers == NULL) {
        return false;
    }
    for (int i = 0; i < scopes->rowCount; ++i) {
        const lbLink* row = lb_row_of(&made->body->set, scopes->ghosts[i]);
        Carrier* own = made->carriers + made->carrierStarts[i];
        int count = 0;
        for (int k = 0; k < 4; ++k) {
            if (row->weight[k] != 0) {
                count = add_carriers(made, row->node[k], (double)row->weight[k], own, count);
            }
        }
        made->carrierStarts[i + 1] = made->carrierStarts[i] + count;
    }
    return true;
}

/* The active nodes that an element joins, and the weights (n x joined) by which its own follow them. */
static int join(const Statics* made, const int* nodes, int n, double* mapping) {
    int count = 0;
    for (int k = 0; k < n; ++k) {
        Carrier own = {made->number[nodes[k]], 1};
        bool active = lb_is_active(&made->body->set, nodes[k]);
        const Carrier* list = active ? &own : made->carriers + made->carrierStarts[made->number[nodes[k]]];
        int length =
            active ? 1 : made->carrierStarts[made->number[nodes[k]] + 1] - made->carrierStarts[made->number[nodes[k]]];
        for (int c = 0; c < length; ++c) {
            int at = 0;
            while (at < count && made->joined[at] != list[c].number) {
                ++at;
            }
            if (at == count) {
                made->joined[count++] = list[c].number;
                for (int m = 0; m < n; ++m) {
                    mapping[m * made->mostNodes + at] = 0;
                }
            }
            mapping[k * made->mostNodes + at] = list[c].weight;
        }
    }
    return count;
}

static int most_joined(const Statics* made, const int* nodes, int n) {
    int most = 0;
    for (int k = 0; k < n; ++k) {
        int at = made->number[nodes[k]];
        most += lb_is_active(&made->body->set, nodes[k]) ? 1 : made->carrierStarts[at + 1] - made->carrierStarts[at];
    }
    return most;
}

/* Elements join different numbers of nodes: as a list of pairs they can be of one length. */
static bool list_pairs(Statics* made) {
    int nodes[lb_mostPreciseNodes];
    for (int e = 0; e < made->elementCount; ++e) {
        const UsedElement* element = &made->elements[e];
        nodes_of(made, element->level, element->index, nodes);
        made->mostNodes =
            int_max(made->mostNodes, most_joined(made, nodes, precise_at(made, element->level)->nodesPerElement));
    }
    int64_t most = made->mostNodes;
    made->joined = LB_NEW(made->host, int, most);
    made->matrix = LB_NEW(made->host, double, 9 * most * most);
    made->mapping = LB_NEW(made->host, double, lb_mostPreciseNodes* most);
    made->product = LB_NEW(made->host, double, 9 * lb_mostPreciseNodes * most);
    bool enough = made->joined != NULL && made->matrix != NULL && made->mapping != NULL && made->product != NULL;
    for (int pass = 0; enough && pass < 2; ++pass) {
        int count = 0;
        for (int e = 0; e < made->elementCount; ++e) {
            const UsedElement* element = &made->elements[e];
            nodes_of(made, element->level, element->index, nodes);
            int joined = join(made, nodes, precise_at(made, element->level)->nodesPerElement, made->mapping);
            for (int a = 0; a < joined; ++a) {
                for (int b = a + (joined > 1); b < joined; ++b, ++count) {
                    if (pass == 1) {
                        made->pairs[2 * (size_t)count] = made->joined[a];
                        made->pairs[2 * (size_t)count + 1] = made->joined[b];
                    }
                }
            }
        }
        if (pass == 0) {
            made->pairs = LB_NEW(made->host, int, 2 * (int64_t)count);
            enough = made->pairs != NULL;
        }
        made->pairCount = count;
    }
    return enough;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* Displacements of active nodes to all that are read. */
static void spread(const Statics* made, const double* active) {
    const lbScopes* scopes = &made->body->scopes;
    for (int k = 0; k < made->count; ++k) {
        memcpy(made->u + 3 * (size_t)scopes->active[k], active + 3 * (size_t)k, sizeof(double[3]));
    }
    for (int i = 0; i < scopes->rowCount; ++i) {
        const lbLink* row = lb_row_of(&made->body->set, scopes->ghosts[i]);
        lbVec3d sum = {0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            sum = vec3d_madd(sum, (double)row->weight[k], lb_displaced(made->u, row->node[k]));
        }
        double* own = made->u + 3 * (size_t)scopes->ghosts[i];
        own[0] = sum.x, own[1] = sum.y, own[2] = sum.z;
    }
}

static void add_force(double* f, int node, double weight, lbVec3d force) {
    double* own = f + 3 * (size_t)node;
    own[0] += weight * force.x, own[1] += weight * force.y, own[2] += weight * force.z;
}

/* Forces on all nodes back to the active ones, added to f; they are zero then. */
static void collect(const Statics* made, double* f) {
    const lbScopes* scopes = &made->body->scopes;
    for (int i = scopes->rowCount - 1; i >= 0; --i) {
        const lbLink* row = lb_row_of(&made->body->set, scopes->ghosts[i]);
        double* own = made->f + 3 * (size_t)scopes->ghosts[i];
        for (int k = 0; k < 4; ++k) {
            add_force(made->f, row->node[k], (double)row->weight[k], vec3d(own[0], own[1], own[2]));
        }
        own[0] = own[1] = own[2] = 0;
    }
    for (int k = 0; k < made->count; ++k) {
        double* own = made->f + 3 * (size_t)scopes->active[k];
        add_force(f, k, 1, vec3d(own[0], own[1], own[2]));
        own[0] = own[1] = own[2] = 0;
    }
}

static lbPreciseScope scope_at(const Statics* made, int level) {
    int first = first_of(made, level);
    return (lbPreciseScope){.elements = law_at(made, level)->elements,
                            .rest = made->rest + first,
                            .original = made->body->model->levels[level]->mesh.nodes,
                            .turned = made->turned != NULL ? made->turned + first : NULL};
}

static void evaluate(const Statics* made, const UsedElement* element, lbTangentKind kind, double* force,
                     double* stiffness) {
    lbPreciseScope scope = scope_at(made, element->level);
    precise_at(made, element->level)
        ->evaluate(&scope, element->index, made->u + 3 * (size_t)first_of(made, element->level), kind, force,
                   stiffness);
}

static void add_element_forces(const Statics* made) {
    int nodes[lb_mostPreciseNodes];
    double force[lb_mostPreciseNumbers];
    for (int e = 0; e < made->elementCount; ++e) {
        const UsedElement* element = &made->elements[e];
        nodes_of(made, element->level, element->index, nodes);
        evaluate(made, element, lb_tangentExact, force, NULL);
        for (int k = 0; k < precise_at(made, element->level)->nodesPerElement; ++k) {
            add_force(made->f, nodes[k], element->weight, vec3d(force[3 * k], force[3 * k + 1], force[3 * k + 2]));
        }
    }
}

static lbVec3d skin_place(const Statics* made, int point) {
    const int* nodes = made->body->skinNodes + 4 * (size_t)point;
    const float* weights = lb_skin_weights(made->body, point);
    lbVec3d sum = {0, 0, 0};
    double total = 0;
    for (int k = 0; k < 4; ++k) {
        sum = vec3d_madd(sum, (double)weights[k], vec3d_add(made->rest[nodes[k]], lb_displaced(made->u, nodes[k])));
        total += (double)weights[k];
    }
    return vec3d_scale(1 / total, sum); /* rounded weights do not quite sum to one */
}

static void push_triangle(const Statics* made, const int* corner, lbVec3d force) {
    for (int k = 0; k < 12; ++k) {
        int node = made->body->skinNodes[4 * (size_t)corner[k / 4] + (size_t)(k % 4)];
        add_force(made->f, node, (double)lb_skin_weights(made->body, corner[k / 4])[k % 4], force);
    }
}

/* Twice the area of a triangle of the skin, along its normal. */
static lbVec3d double_area(const Statics* made, const int* corner) {
    lbVec3d a = skin_place(made, corner[0]);
    return vec3d_cross(vec3d_sub(skin_place(made, corner[1]), a), vec3d_sub(skin_place(made, corner[2]), a));
}

static void add_surface_forces(const Statics* made, double share) {
    const lbBody* base = &made->body->base;
    const int* triangles = lbShape_GetTriangles(base->model->shape);
    for (int i = 0; i < base->pressureCount; ++i) {
        const lbPressure* pressure = &base->pressures[i];
        for (int t = 0; t < pressure->triangleCount; ++t) {
            const int* corner = triangles + 3 * (size_t)pressure->triangles[t];
            lbVec3d area = double_area(made, corner);
            push_triangle(made, corner, vec3d_scale(-share * (double)pressure->pascals / 6, area));
        }
    }
    double drag = share * (double)made->body->motion.windDrag;
    for (int t = 0; drag > 0 && t < lbShape_GetTriangleCount(base->model->shape); ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        lbVec3d area = double_area(made, corner), normal = vec3d_normalize(area);
        push_triangle(made, corner, vec3d_scale(drag * vec3d_dot(vec3d_from(base->wind), normal) / 6, area));
    }
}

/* Weight and loads, and what acts on the skin. */
static void add_outside_forces(const Statics* made, double share, double* f) {
    const lbAdaptiveBody* body = made->body;
    lbVec3d gravity = vec3d_from(body->base.gravity);
    add_surface_forces(made, share);
    collect(made, f);
    for (int k = 0; k < made->count; ++k) {
        const float* load = body->activeLoad + 4 * (size_t)body->scopes.active[k];
        add_force(f, k, share, vec3d_madd(vec3d_load(load), (double)made->mass[k], gravity));
    }
}

static void force_of(void* self, const double* u, double share, double* f) {
    Statics* made = self;
    memset(f, 0, 3 * (size_t)made->count * sizeof(double));
    spread(made, u);
    add_element_forces(made);
    add_outside_forces(made, share, f);
}

static double applied_of(void* self, const double* u) {
    Statics* made = self;
    double* f = made->solver.vectors; /* free between solutions */
    double sum = 0;
    memset(f, 0, 3 * (size_t)made->count * sizeof(double));
    spread(made, u);
    add_outside_forces(made, 1, f);
    for (int i = 0; i < 3 * made->count; ++i) {
        sum += f[i] * f[i];
    }
    return sqrt(sum);
}

/* ---- Stiffness --------------------------------------------------------------------------------------------------- */

/* Adds w W^T K W, K of n nodes. */
static void add_joined(const Statics* made, int joined, int n, double weight, const double* K) {
    int size = 3 * joined;
    memset(made->matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    memset(made->product, 0, 3 * (size_t)n * (size_t)size * sizeof(double));
    for (int k = 0; k < 9 * n * n * joined; ++k) { /* K W */
        int r = k / (3 * n * joined), c = k / joined % (3 * n), at = k % joined;
        made->product[r * size + 3 * at + c % 3] += K[3 * n * r + c] * made->mapping[c / 3 * made->mostNodes + at];
    }
    for (int r = 0; r < 3 * n; ++r) {
        for (int at = 0; at < joined; ++at) {
            double factor = weight * made->mapping[r / 3 * made->mostNodes + at];
            double *row = made->matrix + (3 * at + r % 3) * size, *from = made->product + r * size;
            for (int c = 0; factor != 0 && c < size; ++c) {
                row[c] += factor * from[c];
            }
        }
    }
    lb_add_element_stiffness(&made->stiffness, joined, made->joined, made->matrix);
}

static void stiffness_of(void* self, const double* u, double share, lbTangentKind kind) {
    (void)share; /* how pressure turns with the surface is left out: more steps, the same equilibrium */
    Statics* made = self;
    int nodes[lb_mostPreciseNodes];
    double force[lb_mostPreciseNumbers], K[lb_mostPreciseNumbers * lb_mostPreciseNumbers];
    spread(made, u);
    lb_zero_stiffness(&made->stiffness);
    for (int e = 0; e < made->elementCount; ++e) {
        const UsedElement* element = &made->elements[e];
        int n = precise_at(made, element->level)->nodesPerElement;
        nodes_of(made, element->level, element->index, nodes);
        evaluate(made, element, kind, force, K);
        int joined = join(made, nodes, n, made->mapping);
        add_joined(made, joined, n, element->weight, K);
    }
}

static void keep_whole(void* self, const double* u, double* d) {
    const Statics* made = self;
    lb_take_whole_step(made->count, made->mass, made->activeRest, u, d);
}

/* ---- A preconditioner ---------------------------------------------------------------------------------------------
 *
 * Blocks on the diagonal, inverted: bodies of levels are compact, so that iterations are few enough. */

static void prepare(void* self, double shift) {
    Statics* made = self;
    for (int i = 0; i < made->count; ++i) {
        const double* block = made->stiffness.blocks + 9 * (size_t)lb_neighbour_index(made->stiffness.graph, i, i);
        double more = shift * (double)made->mass[i];
        double own[6] = {block[0] + more, block[4] + more, block[8] + more, block[1], block[2], block[5]};
        symmetric_invert(own, made->inverse + 6 * (size_t)i);
    }
}

static void precondition(void* self, const double* r, double* z) {
    const Statics* made = self;
    for (int i = 0; i < made->count; ++i) {
        const double *s = made->inverse + 6 * (size_t)i, *p = r + 3 * (size_t)i;
        double* q = z + 3 * (size_t)i;
        q[0] = s[0] * p[0] + s[3] * p[1] + s[4] * p[2];
        q[1] = s[3] * p[0] + s[1] * p[1] + s[5] * p[2];
        q[2] = s[4] * p[0] + s[5] * p[1] + s[2] * p[2];
    }
}

/* ---- One active set ---------------------------------------------------------------------------------------------- */

static void place_nodes(Statics* made) {
    const lbAdaptiveBody* body = made->body;
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        const lbMeshLevel* level = &hierarchy->levels[hierarchy->levelOf[i]];
        lbVec3d node = level->mesh->nodes[i - level->first];
        lbVec3d turned = made->turned != NULL ? lb_turned(body->base.rotation, node) : node;
        if (made->turned != NULL) {
            made->turned[i] = vec3d_sub(turned, node);
        }
        made->rest[i] = vec3d_add(turned, vec3d_from(body->base.position));
    }
}

static void number_nodes(Statics* made) {
    const lbAdaptiveBody* body = made->body;
    memset(made->number, 0xff, (size_t)lb_all_nodes(body) * sizeof(int));
    for (int k = 0; k < made->count; ++k) {
        int node = body->scopes.active[k];
        made->number[node] = k;
        made->activeRest[k] = made->rest[node];
        made->mass[k] = body->mass[node];
    }
    for (int i = 0; i < body->scopes.rowCount; ++i) {
        made->number[body->scopes.ghosts[i]] = i;
    }
}

static int hold_nodes(Statics* made) {
    const lbAdaptiveBody* body = made->body;
    int count = 0;
    for (int i = 0; i < body->heldCount; ++i) {
        if (lb_is_active(&body->set, body->held[i].node)) {
            made->held[count].node = made->number[body->held[i].node];
            lb_purify_filter(body->held[i].filter, made->held[count++].filter);
        }
    }
    return count;
}

static lbResult create(lbAdaptiveBody* body, Statics* made) {
    const lbHost* host = body->base.host;
    int64_t nodes = lb_all_nodes(body), count = body->set.activeCount;
    lbQuat q = body->base.rotation;
    bool turned = q.x != 0 || q.y != 0 || q.z != 0;
    *made = (Statics){.body = body,
                      .host = host,
                      .count = (int)count,
                      .number = LB_NEW(host, int, nodes),
                      .rest = LB_NEW(host, lbVec3d, nodes),
                      .activeRest = LB_NEW(host, lbVec3d, count),
                      .turned = turned ? LB_NEW(host, lbVec3d, nodes) : NULL,
                      .u = LB_NEW(host, double, 3 * nodes),
                      .f = LB_NEW(host, double, 3 * nodes),
                      .mass = LB_NEW(host, float, count),
                      .inverse = LB_NEW(host, double, 6 * count),
                      .held = LB_NEW(host, lbFilteredNode, body->heldCount)};
    if (made->number == NULL || made->rest == NULL || made->activeRest == NULL || (turned && made->turned == NULL) ||
        made->u == NULL || made->f == NULL || made->mass == NULL || made->inverse == NULL || made->held == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    place_nodes(made);
    number_nodes(made);
    if (!list_elements(made) || !list_carriers(made) || !list_pairs(made)) {
        return lb_out_of_memory("finding an equilibrium");
    }
    lbElementList list = {made->pairCount, 2, made->pairs};
    LB_TRY(lb_create_stiffness(host, made->count, &list, NULL, &made->stiffness));
    made->solver = (lbPreciseSolver){.stiffness = &made->stiffness,
                                     .mass = made->mass,
                                     .heldCount = hold_nodes(made),
                                     .held = made->held,
                                     .prepare = prepare,
                                     .precondition = precondition,
                                     .self = made};
    return lb_create_precise_solver(host, &made->solver);
}

static void destroy(Statics* made) {
    void* const memory[] = {made->number,   made->rest,         made->activeRest, made->turned,  made->u,
                            made->f,        made->mass,         made->held,       made->pairs,   made->joined,
                            made->matrix,   made->mapping,      made->product,    made->inverse, made->carriers,
                            made->elements, made->carrierStarts};
    if (made->host == NULL) {
        return;
    }
    lb_destroy_precise_solver(&made->solver);
    lb_destroy_stiffness(&made->stiffness);
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
        lb_release(made->host, memory[i]);
    }
}

static lbResult refuse(const lbAdaptiveBody* body, const lbEquilibriumDef* def, const lbEquilibriumReport* report) {
    return lb_error(lb_errorUnstable,
                    "body '%s' found no equilibrium of its active nodes in %d iterations: unbalanced forces are %g of "
                    "what acts on it, asked for %g, and a node is still pulled by %g N%s",
                    body->base.name, report->iterations, report->residual, (double)def->tolerance, report->worstForce,
                    body->heldCount == 0 ? "; no pin holds it, so that it may have none" : "");
}

/* Moves the active nodes to their equilibrium. `prescribed` (nodeCount x 3) may be NULL. */
static lbResult solve(Statics* made, const double* prescribed, const lbEquilibriumDef* def,
                      lbEquilibriumReport* report) {
    lbAdaptiveBody* body = made->body;
    int64_t size = 3 * (int64_t)made->count;
    double* vectors = LB_NEW(made->host, double, (2 + lb_equilibriumVectors) * size);
    if (vectors == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    double *u = vectors, *moved = vectors + size;
    for (int k = 0; k < made->count; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        lbVec3d d = vec3d_sub(vec3d_load(body->x + 4 * node), made->activeRest[k]);
        u[3 * k] = d.x, u[3 * k + 1] = d.y, u[3 * k + 2] = d.z;
        if (prescribed != NULL) {
            memcpy(moved + 3 * (size_t)k, prescribed + 3 * node, sizeof(double[3]));
        }
    }
    lbStaticSystem system = {.count = made->count,
                             .u = u,
                             .prescribed = prescribed != NULL ? moved : NULL,
                             .solver = &made->solver,
                             .force = force_of,
                             .stiffness = stiffness_of,
                             .keepWhole = made->solver.heldCount == 0 ? keep_whole : NULL,
                             .applied = applied_of,
                             .self = made};
    lbResult result = lb_find_equilibrium(&system, &made->solver, def, vectors + 2 * size, report);
    for (int k = 0; result.code == lb_ok && k < made->count; ++k) {
        size_t node = 4 * (size_t)body->scopes.active[k];
        vec3_store(body->x + node, vec3_from(vec3d_add(made->activeRest[k], lb_displaced(u, k))));
        vec3_store(body->v + node, vec3(0, 0, 0));
    }
    lb_release(made->host, vectors);
    return result.code == lb_errorUnstable ? refuse(body, def, report) : result;
}

static lbResult solve_once(lbAdaptiveBody* body, const double* prescribed, const lbEquilibriumDef* def,
                           lbEquilibriumReport* report) {
    Statics made;
    lbEquilibriumReport before = *report;
    lb_adaptive_take_loads(body);
    lbResult result = create(body, &made);
    result = result.code == lb_ok ? solve(&made, prescribed, def, report) : result;
    report->iterations += before.iterations;
    report->products += before.products;
    report->factorisations += before.factorisations;
    destroy(&made);
    body->pulled = false;
    return result;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Nodes that are held and were not active until now go to where pins want them. */
static void place_held(lbAdaptiveBody* body, const double* targets) {
    for (int i = 0; i < body->heldCount; ++i) {
        int node = body->held[i].node;
        float* x = body->x + 4 * (size_t)node;
        if (lb_is_active(&body->set, node) && body->wasActive[node] != lb_nodeActive) {
            lbVec3 way = vec3_sub(vec3_from(lb_displaced(targets, node)), vec3_load(x));
            vec3_store(x, vec3_add(vec3_load(x), vec3_sub(way, lb_filter(body->held[i].filter, way))));
        }
    }
}

static lbResult search(lbAdaptiveBody* body, const double* prescribed, const double* targets,
                       const lbEquilibriumDef* def, lbEquilibriumReport* report) {
    for (int round = 0;; ++round) {
        lbEquilibriumDef rest = *def;
        rest.iterationLimit = int_max(1, def->iterationLimit - report->iterations);
        LB_TRY(solve_once(body, round == 0 ? prescribed : NULL, &rest, report));
        lb_adaptive_pull_all(body);
        if (!lb_adaptive_refine_at_rest(body, round == 0)) {
            return lb_success();
        }
        place_held(body, targets);
    }
}

static void find_targets(lbAdaptiveBody* body, const double* prescribed, double* targets) {
    lb_adaptive_pull_all(body);
    for (int i = 0; i < 3 * lb_all_nodes(body); ++i) {
        targets[i] = (double)body->x[4 * (i / 3) + i % 3] + (prescribed != NULL ? prescribed[i] : 0);
    }
}

static void come_to_rest(lbAdaptiveBody* body) {
    for (int i = 0; i < body->base.model->skinPointCount; ++i) {
        body->blends[i].age = LB_BLEND_SECONDS;
    }
    body->blending = false;
    lb_adaptive_pull_all(body);
}

/* As it was, if no equilibrium was found. */
static void go_back(lbAdaptiveBody* body, const uint8_t* status, const float* x, const float* v) {
    size_t nodes = (size_t)lb_all_nodes(body);
    memcpy(body->set.status, status, nodes);
    memcpy(body->x, x, 4 * nodes * sizeof(float));
    memcpy(body->v, v, 4 * nodes * sizeof(float));
    lb_recount_active(&body->set);
    lb_adaptive_rebuild(body, 1.0 / 60);
}

lbResult lb_adaptive_solve_equilibrium(lbBody* base, const double* prescribed, const lbEquilibriumDef* def,
                                       lbEquilibriumReport* report) {
    lbAdaptiveBody* body = lb_adaptive(base);
    size_t nodes = (size_t)lb_all_nodes(body);
    if (body->scopes.coupling != lb_couplingEnergy) {
        return lb_error(lb_errorArgument,
                        "body '%s' has the coupling \"paper\", whose forces are no energy's; expected \"energy\" for "
                        "an equilibrium",
                        base->name);
    }
    uint8_t* status = LB_NEW(base->host, uint8_t, (int64_t)nodes);
    float* state = LB_NEW(base->host, float, 8 * (int64_t)nodes);
    double* targets = LB_NEW(base->host, double, 3 * (int64_t)nodes);
    lbResult result = lb_out_of_memory("finding an equilibrium");
    if (status != NULL && state != NULL && targets != NULL) {
        *report = (lbEquilibriumReport){0};
        find_targets(body, prescribed, targets);
        memcpy(status, body->set.status, nodes);
        memcpy(state, body->x, 4 * nodes * sizeof(float));
        memcpy(state + 4 * nodes, body->v, 4 * nodes * sizeof(float));
        result = search(body, prescribed, targets, def, report);
        if (result.code == lb_ok) {
            come_to_rest(body);
        } else {
            go_back(body, status, state, state + 4 * nodes);
        }
    }
    lb_release(base->host, status);
    lb_release(base->host, state);
    lb_release(base->host, targets);
    return result;
}
