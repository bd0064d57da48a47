#include "server/lattice.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <string.h>

enum { corners = 8, bytesOfPoint = 16, bytesOfNode = 12 };

/* Farther than this from products of shares, weights are not those of a hexahedron. */
static const float tolerance = 1e-4f;

void lb_pack_normals(const float* normals, int count, int8_t* bytes) {
    for (int i = 0; i < count; ++i) {
        const float* n = normals + 3 * (size_t)i;
        int8_t* b = bytes + 4 * (size_t)i;
        b[0] = (int8_t)lrintf(127 * n[0]), b[1] = (int8_t)lrintf(127 * n[1]), b[2] = (int8_t)lrintf(127 * n[2]);
        b[3] = 0;
    }
}

void lb_destroy_lattice(lbLattice* lattice) {
    if (lattice != NULL) {
        lb_release(lattice->host, lattice->corners);
        lb_release(lattice->host, lattice->shares);
        lb_release(lattice->host, lattice->normals);
        lb_release(lattice->host, lattice);
    }
}

/* Where the point of these weights is between the corners. False if they are no products of three shares. */
static bool find_shares(const float* weights, float* shares) {
    for (int c = 0; c < 3; ++c) {
        shares[c] = 0;
        for (int k = 0; k < corners; ++k) {
            shares[c] += (k >> c & 1) != 0 ? weights[k] : 0;
        }
    }
    bool equal = true;
    for (int k = 0; k < corners; ++k) {
        float product = 1;
        for (int c = 0; c < 3; ++c) {
            product *= (k >> c & 1) != 0 ? shares[c] : 1 - shares[c];
        }
        equal = equal && fabsf(product - weights[k]) < tolerance;
    }
    return equal;
}

static lbResult fill(lbLattice* lattice, const lbWorld* world, lbBodyId body, const lbShape* shape, bool* products) {
    size_t points = (size_t)lattice->pointCount;
    float* weights = LB_NEW(lattice->host, float, corners*(int64_t)points);
    float* normals = LB_NEW(lattice->host, float, 3 * (int64_t)points);
    lattice->corners = LB_NEW(lattice->host, uint32_t, corners * (int64_t)points);
    lattice->shares = LB_NEW(lattice->host, float, 3 * (int64_t)points);
    lattice->normals = LB_NEW(lattice->host, int8_t, 4 * (int64_t)points);
    lbResult result = lb_success();
    if (weights == NULL || normals == NULL || lattice->corners == NULL || lattice->shares == NULL ||
        lattice->normals == NULL) {
        result = lb_out_of_memory("a body's surface");
    } else {
        result = lbBody_GetSkinCarriers(world, body, (int*)lattice->corners, weights);
    }
    *products = result.code == lb_ok;
    for (size_t i = 0; i < points && *products; ++i) {
        *products = find_shares(weights + corners * i, lattice->shares + 3 * i);
    }
    if (*products) {
        lbShape_ComputeNormals(shape, lbShape_GetPoints(shape), normals);
        lb_pack_normals(normals, lattice->pointCount, lattice->normals);
    }
    lb_release(lattice->host, weights);
    lb_release(lattice->host, normals);
    return result;
}

lbResult lb_create_lattice(const lbHost* host, const lbWorld* world, lbBodyId body, const lbShape* shape,
                           lbLattice** lattice) {
    *lattice = NULL;
    lbModelInfo info;
    LB_TRY(lbModel_GetInfo(world, lbBody_GetModel(world, body), &info));
    double points = bytesOfPoint * (double)lbShape_GetPointCount(shape);
    if (info.hexCount == 0 || lbBody_GetSkinWidth(world, body) != corners ||
        bytesOfNode * (double)lbBody_GetNodeCount(world, body) >= points) {
        return lb_success();
    }
    lbLattice* made = LB_NEW(host, lbLattice, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body's surface");
    }
    *made = (lbLattice){.host = host, .pointCount = lbShape_GetPointCount(shape)};
    vec3_store(made->sides, info.hexSize);
    bool products;
    lbResult result = fill(made, world, body, shape, &products);
    if (result.code != lb_ok || !products) {
        lb_destroy_lattice(made);
        made = NULL;
    }
    *lattice = made;
    return result;
}

size_t lb_lattice_words(const lbLattice* lattice) {
    return lattice != NULL ? 3 + (corners + 3 + 1) * (size_t)lattice->pointCount : 0;
}

static uint32_t* add_words(uint32_t* at, const void* words, size_t count) {
    memcpy(at, words, 4 * count);
    return at + count;
}

uint32_t* lb_write_lattice(uint32_t* at, const lbLattice* lattice) {
    if (lattice == NULL) {
        return at;
    }
    size_t points = (size_t)lattice->pointCount;
    at = add_words(at, lattice->sides, 3);
    at = add_words(at, lattice->corners, corners * points);
    at = add_words(at, lattice->shares, 3 * points);
    return add_words(at, lattice->normals, points);
}
