#include "body/dynamic/take_motion.h"

#include "base/result.h"
#include "body/dynamic/whole_motion.h"
#include "mesh/voxel/voxel.h"

#include <string.h>

/* ---- Where a place is -------------------------------------------------------------------------------------------- */

/* The hexahedra of a mesh, by cells of their lattice. */
typedef struct Lattice {
    const lbDynamicBody* body;
    int lower[3], size[3];
    int* hexOf; /* (cells) index of a hexahedron + 1; 0: none. Of those that share a cell, the first */
    int* next;  /* (hexCount) the next one in the same cell + 1; 0: none */
} Lattice;

static bool fill_lattice(const lbDynamicBody* body, Lattice* lattice) {
    const lbMesh* mesh = &body->model->mesh;
    int upper[3] = {0, 0, 0};
    *lattice = (Lattice){.body = body};
    for (int h = 0; h < mesh->hexCount; ++h) {
        const int* place = mesh->voxels->place[mesh->hexes[h].number];
        for (int c = 0; c < 3; ++c) {
            lattice->lower[c] = h == 0 ? place[c] : int_min(lattice->lower[c], place[c]);
            upper[c] = h == 0 ? place[c] : int_max(upper[c], place[c]);
        }
    }
    int64_t cells = 1;
    for (int c = 0; c < 3; ++c) {
        lattice->size[c] = upper[c] - lattice->lower[c] + 1;
        cells *= lattice->size[c];
    }
    lattice->hexOf = LB_NEW(body->base.host, int, cells);
    lattice->next = LB_NEW(body->base.host, int, mesh->hexCount);
    bool enough = lattice->hexOf != NULL && lattice->next != NULL;
    for (int h = mesh->hexCount - 1; enough && h >= 0; --h) {
        const int* place = mesh->voxels->place[mesh->hexes[h].number];
        int64_t at = 0;
        for (int c = 2; c >= 0; --c) {
            at = at * lattice->size[c] + place[c] - lattice->lower[c];
        }
        lattice->next[h] = lattice->hexOf[at];
        lattice->hexOf[at] = h + 1;
    }
    return enough;
}

static void release_lattice(Lattice* lattice) {
    lb_release(lattice->body->base.host, lattice->hexOf);
    lb_release(lattice->body->base.host, lattice->next);
}

/* -1: there is none. */
static int hex_at(const Lattice* lattice, const int cell[3]) {
    int64_t at = 0;
    for (int c = 2; c >= 0; --c) {
        if (cell[c] < 0 || cell[c] >= lattice->size[c]) {
            return -1;
        }
        at = at * lattice->size[c] + cell[c];
    }
    return lattice->hexOf[at] - 1;
}

/* A place in cells of the lattice, from its lower corner on. */
typedef struct Place {
    double t[3];
} Place;

static double distance_to(const Place* place, const int cell[3]) {
    double square = 0;
    for (int c = 0; c < 3; ++c) {
        double beyond = fmax(fmax(cell[c] - place->t[c], place->t[c] - cell[c] - 1), 0);
        square += beyond * beyond;
    }
    return square;
}

/* The hexahedron nearest to a place, shell by shell around its cell; `found`: its cell. */
static int nearest_hex(const Lattice* lattice, const Place* place, int found[3]) {
    int middle[3], best = -1, most = 1;
    double least = INFINITY;
    for (int c = 0; c < 3; ++c) {
        middle[c] = int_max(0, int_min(lattice->size[c] - 1, (int)floor(place->t[c])));
        most = int_max(most, lattice->size[c]);
    }
    for (int shell = 0; shell <= most && (best < 0 || shell * shell <= least); ++shell) {
        for (int k = -shell; k <= shell; ++k) {
            for (int j = -shell; j <= shell; ++j) {
                bool inner = (k > -shell && k < shell) && (j > -shell && j < shell);
                for (int i = -shell; i <= shell; i += inner && shell > 0 ? 2 * shell : 1) {
                    const int cell[3] = {middle[0] + i, middle[1] + j, middle[2] + k};
                    int hex = hex_at(lattice, cell);
                    double distance = hex >= 0 ? distance_to(place, cell) : INFINITY;
                    if (distance < least) {
                        least = distance;
                        best = hex;
                        memcpy(found, cell, sizeof(int[3]));
                    }
                }
            }
        }
    }
    return best;
}

/* Parts that share a cell are apart: of them the one that has matter nearest to a place, where the node's is. */
static int nearest_part(const Lattice* lattice, int hex, lbVec3d matter) {
    const lbMesh* mesh = &lattice->body->model->mesh;
    const lbVoxels* voxels = mesh->voxels;
    double least = INFINITY;
    int best = hex;
    for (int h = hex; h >= 0 && (lattice->next[hex] != 0); h = lattice->next[h] - 1) {
        int number = mesh->hexes[h].number;
        for (int64_t l = voxels->leafStarts[number]; l < voxels->leafStarts[number + 1]; ++l) {
            double distance = vec3d_length(vec3d_sub(lb_leaf_middle(voxels, number, &voxels->leaves[l]), matter));
            if (distance < least) {
                least = distance;
                best = h;
            }
        }
    }
    return best;
}

/* ---- The field --------------------------------------------------------------------------------------------------- */

/* Trilinear within the hexahedron; beyond it on along the slope at its border. */
static lbVec3d field_at(const lbHex* hex, const double t[3], const float* q) {
    lbVec3d sum = {0, 0, 0};
    double s[3];
    for (int c = 0; c < 3; ++c) {
        s[c] = fmin(fmax(t[c], 0), 1);
    }
    for (int k = 0; k < 8; ++k) {
        double share[3], whole;
        for (int c = 0; c < 3; ++c) {
            share[c] = k >> c & 1 ? s[c] : 1 - s[c];
        }
        whole = share[0] * share[1] * share[2];
        for (int c = 0; c < 3; ++c) {
            double sign = k >> c & 1 ? 1 : -1;
            whole += (t[c] - s[c]) * sign * share[(c + 1) % 3] * share[(c + 2) % 3];
        }
        sum = vec3d_madd(sum, whole, vec3d_load(q + 4 * (size_t)hex->node[k]));
    }
    return sum;
}

static void fill_from_field(const Lattice* lattice, const lbDynamicBody* to, const int* hexOfNode, float* x, float* v) {
    const lbVoxels* own = to->model->mesh.voxels;
    const lbDynamicBody* from = lattice->body;
    const lbVoxels* voxels = from->model->mesh.voxels;
    const double origin[3] = {voxels->origin.x, voxels->origin.y, voxels->origin.z};
    const double cell[3] = {voxels->cell.x, voxels->cell.y, voxels->cell.z};
    for (int i = 0; i < to->model->nodeCount; ++i) {
        Place place;
        int found[3] = {0, 0, 0};
        for (int c = 0; c < 3; ++c) {
            place.t[c] = ((double)to->model->rest[4 * i + c] - origin[c]) / cell[c] - lattice->lower[c];
        }
        int number = to->model->mesh.hexes[hexOfNode[i]].number;
        lbVec3d matter = lb_leaf_middle(own, number, &own->leaves[own->leafStarts[number]]);
        const lbHex* hex = &from->model->mesh.hexes[nearest_part(lattice, nearest_hex(lattice, &place, found), matter)];
        for (int c = 0; c < 3; ++c) {
            place.t[c] -= found[c];
        }
        vec3_store(x + 3 * (size_t)i, vec3_from(field_at(hex, place.t, from->x)));
        vec3_store(v + 3 * (size_t)i, vec3_from(field_at(hex, place.t, from->v)));
    }
}

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

typedef struct Momentum {
    double mass, inertia[6];         /* about the centre: xx, yy, zz, xy, xz, yz */
    lbVec3d center, linear, angular; /* about the origin */
} Momentum;

static Momentum momentum_of(const lbDynamicModel* model, int stride, const float* x, const float* v) {
    Momentum sum = {0};
    for (int i = 0; i < model->nodeCount; ++i) {
        double m = (double)model->mass[i];
        lbVec3d p = vec3d_load(x + (size_t)stride * (size_t)i), u = vec3d_load(v + (size_t)stride * (size_t)i);
        sum.mass += m;
        sum.center = vec3d_madd(sum.center, m, p);
        sum.linear = vec3d_madd(sum.linear, m, u);
        sum.angular = vec3d_madd(sum.angular, m, vec3d_cross(p, u));
    }
    sum.center = vec3d_scale(1 / sum.mass, sum.center);
    for (int i = 0; i < model->nodeCount; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(x + (size_t)stride * (size_t)i), sum.center);
        lb_add_inertia((double)model->mass[i], d, sum.inertia);
    }
    return sum;
}

/* Adds the motion as a whole that is missing. Twice: what is found in double is kept in float. */
static void keep_momentum(const Momentum* wanted, const lbDynamicModel* model, const float* x, float* v) {
    for (int pass = 0; pass < 2; ++pass) {
        Momentum now = momentum_of(model, 3, x, v);
        double inverse[6];
        lb_invert_inertia(now.inertia, inverse);
        lbVec3d linear = vec3d_sub(wanted->linear, now.linear);
        lbVec3d t = vec3d_sub(vec3d_sub(wanted->angular, now.angular), vec3d_cross(now.center, linear));
        lbVec3d w = vec3d(inverse[0] * t.x + inverse[3] * t.y + inverse[4] * t.z,
                          inverse[3] * t.x + inverse[1] * t.y + inverse[5] * t.z,
                          inverse[4] * t.x + inverse[5] * t.y + inverse[2] * t.z);
        for (int i = 0; i < model->nodeCount; ++i) {
            lbVec3d d = vec3d_sub(vec3d_load(x + 3 * (size_t)i), now.center);
            lbVec3d add = vec3d_add(vec3d_scale(1 / now.mass, linear), vec3d_cross(w, d));
            vec3_store(v + 3 * (size_t)i, vec3_from(vec3d_add(vec3d_load(v + 3 * (size_t)i), add)));
        }
    }
}

lbResult lb_take_motion(const lbDynamicBody* from, const lbDynamicBody* to, float* x, float* v) {
    const lbDynamicBody* both[2] = {from, to};
    for (int i = 0; i < 2; ++i) {
        if (both[i]->model->mesh.voxels == NULL || both[i]->model->mesh.hexCount == 0) {
            return lb_error(lb_errorUnsupported, "body '%s' is not made of voxels, and cannot hand its motion on",
                            both[i]->base.name);
        }
    }
    Lattice lattice;
    int* hexOfNode = LB_NEW(to->base.host, int, to->model->nodeCount);
    bool enough = fill_lattice(from, &lattice) && hexOfNode != NULL;
    if (enough) {
        Momentum wanted = momentum_of(from->model, 4, from->x, from->v);
        for (int k = 0; k < 8 * to->model->mesh.hexCount; ++k) {
            hexOfNode[to->model->mesh.hexes[k / 8].node[k % 8]] = k / 8;
        }
        fill_from_field(&lattice, to, hexOfNode, x, v);
        keep_momentum(&wanted, to->model, x, v);
    }
    release_lattice(&lattice);
    lb_release(to->base.host, hexOfNode);
    return enough ? lb_success() : lb_out_of_memory("a body's motion");
}
