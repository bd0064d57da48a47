/* Modes to tiles: displacements of the surface's points, and strains and stresses in the matter around them. */
#include "base/result.h"
#include "elastostatic/modes.h"
#include "mesh/tet_mesh.h"

#include <string.h>

/* What a mode's numbers are divided by: in halves, the largest becomes 1. */
static float number_scale(lbBasisPrecision precision, double largest) {
    return precision == lb_basisFloat16 && largest > 0 ? (float)largest : 1;
}

/* Writes values (pointCount x components, one mode) to its places in the tiles; returns the largest rounding, relative
 * to the largest value. */
static double put_mode(const lbBasisPacker* packer, lbImagePart part, int basis, int components, int mode,
                       const double* values) {
    lbImageHeader* header = (lbImageHeader*)packer->image;
    float* scales = (float*)(packer->image + header->offsets[lb_imageScales]);
    void* numbers = packer->image + header->offsets[part];
    bool halves = header->precision == lb_basisFloat16;
    double largest = 0, error = 0;
    for (size_t i = 0; i < (size_t)packer->pointCount * (size_t)components; ++i) {
        largest = fmax(largest, fabs(values[i]));
    }
    float scale = number_scale((lbBasisPrecision)header->precision, largest);
    scales[3 * (size_t)mode + (size_t)basis] = scale;
    for (int i = 0; i < packer->pointCount; ++i) {
        size_t tile = (size_t)i / lb_tilePoints, lane = (size_t)i % lb_tilePoints;
        for (int c = 0; c < components; ++c) {
            double value = values[(size_t)i * (size_t)components + (size_t)c];
            size_t at =
                ((tile * (size_t)header->modeCount + (size_t)mode) * (size_t)components + (size_t)c) * lb_tilePoints +
                lane;
            float kept;
            if (halves) {
                uint16_t half = lb_to_half((float)(value / (double)scale));
                ((uint16_t*)numbers)[at] = half;
                kept = lb_from_half(half) * scale;
            } else {
                kept = (float)value;
                ((float*)numbers)[at] = kept;
            }
            error = fmax(error, fabs((double)kept - value));
        }
    }
    return largest > 0 ? error / largest : 0;
}

static void pack_displacements(lbBasisPacker* packer, const lbModes* modes, double* values) {
    size_t count = (size_t)modes->count;
    for (size_t m = 0; m < count; ++m) {
        for (int i = 0; i < packer->pointCount; ++i) {
            for (size_t c = 0; c < 3; ++c) {
                values[3 * (size_t)i + c] = modes->u[(3 * (size_t)packer->points[i] + c) * count + m];
            }
        }
        double error = put_mode(packer, lb_imageBasis, 0, 3, modes->first + (int)m, values);
        packer->error = fmax(packer->error, error);
    }
}

/* ---- Strains and stresses ---------------------------------------------------------------------------------------- */

/* xx, yy, zz, xy, xz, yz of one mode in one element. */
static void element_strain(const int* node, const lbVec3d gradient[4], const lbModes* modes, size_t m, double e[6]) {
    double g[9] = {0}; /* du_i / dx_j */
    for (int a = 0; a < 4; ++a) {
        const double d[3] = {gradient[a].x, gradient[a].y, gradient[a].z};
        for (int k = 0; k < 9; ++k) {
            size_t at = (3 * (size_t)node[a] + (size_t)(k / 3)) * (size_t)modes->count + m;
            g[k] += modes->u[at] * d[k % 3];
        }
    }
    const double strain[6] = {g[0], g[4], g[8], (g[1] + g[3]) / 2, (g[2] + g[6]) / 2, (g[5] + g[7]) / 2};
    memcpy(e, strain, sizeof(strain));
}

static void strain_to_stress(const lbModeSystem* system, const lbModes* modes, int tet, size_t m, double e[6]) {
    const lbElementMatter* matter = &system->stiffness->matter[tet];
    const int* node = system->def->mesh->tets + 4 * (size_t)tet;
    double mean = matter->lambda * (e[0] + e[1] + e[2]);
    if (matter->kappa > 0) { /* and what averages carry: the sum of H s over its nodes */
        const double* pressures = modes->scratch + (size_t)system->stiffness->nodeCount * (size_t)modes->count;
        for (int a = 0; a < 4; ++a) {
            mean += pressures[(size_t)node[a] * (size_t)modes->count + m];
        }
    }
    for (int c = 0; c < 6; ++c) {
        e[c] = 2 * matter->mu * e[c] + (c < 3 ? mean : 0);
    }
}

/* Means over the elements around each point, by volume. */
static void pack_tensors(lbBasisPacker* packer, const lbModes* modes, bool stress, const int* numbers, double* values,
                         double* volumes) {
    const lbModeSystem* system = packer->system;
    const lbTetMesh* mesh = system->def->mesh;
    for (size_t m = 0; m < (size_t)modes->count; ++m) {
        memset(values, 0, 6 * (size_t)packer->pointCount * sizeof(double));
        memset(volumes, 0, (size_t)packer->pointCount * sizeof(double));
        for (int t = 0; t < mesh->tetCount; ++t) {
            const int* node = mesh->tets + 4 * (size_t)t;
            if (numbers[node[0]] < 0 && numbers[node[1]] < 0 && numbers[node[2]] < 0 && numbers[node[3]] < 0) {
                continue;
            }
            lbVec3d gradient[4];
            double e[6], volume = lb_element_gradients(mesh, t, gradient);
            element_strain(node, gradient, modes, m, e);
            if (stress) {
                strain_to_stress(system, modes, t, m, e);
            }
            for (int a = 0; a < 4; ++a) {
                int point = numbers[node[a]];
                for (int c = 0; point >= 0 && c < 6; ++c) {
                    values[6 * (size_t)point + (size_t)c] += volume * e[c];
                }
                if (point >= 0) {
                    volumes[point] += volume;
                }
            }
        }
        for (size_t i = 0; i < 6 * (size_t)packer->pointCount; ++i) {
            values[i] /= volumes[i / 6];
        }
        put_mode(packer, stress ? lb_imageStress : lb_imageStrain, stress ? 2 : 1, 6, modes->first + (int)m, values);
    }
}

lbResult lb_pack_modes(lbBasisPacker* packer, const lbModes* modes) {
    const lbModeSystem* system = packer->system;
    const lbHost* host = system->host;
    const lbImageHeader* header = (const lbImageHeader*)packer->image;
    double* values = LB_NEW(host, double, 6 * (int64_t)packer->pointCount);
    double* volumes = LB_NEW(host, double, packer->pointCount);
    int* numbers = LB_NEW(host, int, system->stiffness->nodeCount);
    bool enough = values != NULL && volumes != NULL && numbers != NULL;
    if (enough) {
        memset(numbers, 0xff, (size_t)system->stiffness->nodeCount * sizeof(int));
        for (int i = 0; i < packer->pointCount; ++i) {
            numbers[packer->points[i]] = i;
        }
        pack_displacements(packer, modes, values);
        if ((header->fields & 1) != 0) {
            pack_tensors(packer, modes, false, numbers, values, volumes);
        }
        if ((header->fields & 2) != 0) {
            pack_tensors(packer, modes, true, numbers, values, volumes);
        }
    }
    lb_release(host, values);
    lb_release(host, volumes);
    lb_release(host, numbers);
    return enough ? lb_success() : lb_out_of_memory("a basis");
}
