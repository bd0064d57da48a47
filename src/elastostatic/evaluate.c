/* Sums over modes, at the speed of memory: u = sum of c_k u_k. A tile's sums stay in registers while its modes stream
 * by; modes whose coefficient is zero are passed over. */
#include "base/math.h"
#include "base/simd.h"
#include "elastostatic/elastostatic.h"

#include <string.h>

enum { tileVectors = lb_tilePoints / 8 };

typedef uint16_t Half8 __attribute__((vector_size(16)));
typedef uint32_t Int8 __attribute__((vector_size(32)));

static inline lbFloat8 load_halves(const uint16_t* p) {
    Half8 halves;
    memcpy(&halves, p, sizeof(halves));
    Int8 wide = __builtin_convertvector(halves, Int8);
    Int8 magnitude = (wide & 0x7fffu) << 13, sign = (wide & 0x8000u) << 16;
    lbFloat8 value;
    memcpy(&value, &magnitude, sizeof(value));
    value *= 0x1p112f;
    Int8 bits;
    memcpy(&bits, &value, sizeof(bits));
    bits |= sign;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#define ALL8(c) ((lbFloat8){c, c, c, c, c, c, c, c})

/* sums (3 x tileVectors) += sum over modes of c_k times a tile's numbers. */
static inline void sum_tile_floats(const float* tile, const float* c, int modeCount, lbFloat8* sums) {
    lbFloat8 s[3 * tileVectors];
    memcpy(s, sums, sizeof(s));
    for (int k = 0; k < modeCount; ++k, tile += 3 * lb_tilePoints) {
        if (c[k] == 0) {
            continue;
        }
        lbFloat8 factor = ALL8(c[k]);
        for (int v = 0; v < 3 * tileVectors; ++v) {
            s[v] += factor * load8(tile + 8 * v);
        }
    }
    memcpy(sums, s, sizeof(s));
}

static inline void sum_tile_halves(const uint16_t* tile, const float* c, int modeCount, lbFloat8* sums) {
    lbFloat8 s[3 * tileVectors];
    memcpy(s, sums, sizeof(s));
    for (int k = 0; k < modeCount; ++k, tile += 3 * lb_tilePoints) {
        if (c[k] == 0) {
            continue;
        }
        lbFloat8 factor = ALL8(c[k]);
        for (int v = 0; v < 3 * tileVectors; ++v) {
            s[v] += factor * load_halves(tile + 8 * v);
        }
    }
    memcpy(sums, s, sizeof(s));
}

/* Eight points, x, y and z apart, to 24 floats side by side. */
static inline void store_points(lbFloat8 x, lbFloat8 y, lbFloat8 z, float* out) {
    lbFloat8 a = __builtin_shufflevector(x, y, 0, 8, 0, 1, 9, 0, 2, 10);
    lbFloat8 b = __builtin_shufflevector(x, y, 0, 3, 11, 0, 4, 12, 0, 5);
    lbFloat8 c = __builtin_shufflevector(x, y, 13, 0, 6, 14, 0, 7, 15, 0);
    store8(out, __builtin_shufflevector(a, z, 0, 1, 8, 3, 4, 9, 6, 7));
    store8(out + 8, __builtin_shufflevector(b, z, 10, 1, 2, 11, 4, 5, 12, 7));
    store8(out + 16, __builtin_shufflevector(c, z, 0, 13, 2, 3, 14, 5, 6, 15));
}

static inline void place_points(const lbFloat8* sums, const lbRigidMap* map, float* out) {
    const float* r = map->rotation;
    for (int v = 0; v < tileVectors; ++v) {
        lbFloat8 x = sums[v], y = sums[tileVectors + v], z = sums[2 * tileVectors + v];
        store_points(r[0] * x + r[1] * y + r[2] * z + map->translation.x,
                     r[3] * x + r[4] * y + r[5] * z + map->translation.y,
                     r[6] * x + r[7] * y + r[8] * z + map->translation.z, out + 24 * v);
    }
}

void lb_evaluate_tiles(const lbElastostatic* made, const float* scaled, const lbRigidMap* map, int begin, int end,
                       float* positions) {
    const lbImageHeader* header = made->header;
    size_t modes = (size_t)header->modeCount, stride = modes * 3 * lb_tilePoints;
    bool halves = header->precision == lb_basisFloat16;
    for (int t = begin; t < end; ++t) {
        lbFloat8 sums[3 * tileVectors];
        memcpy(sums, made->restTiles + 3 * lb_tilePoints * (size_t)t, sizeof(sums));
        if (halves) {
            sum_tile_halves((const uint16_t*)made->basis + stride * (size_t)t, scaled, header->modeCount, sums);
        } else {
            sum_tile_floats((const float*)made->basis + stride * (size_t)t, scaled, header->modeCount, sums);
        }
        float* out = positions + 3 * lb_tilePoints * (size_t)t;
        int left = header->pointCount - t * lb_tilePoints;
        if (left >= lb_tilePoints) {
            place_points(sums, map, out);
        } else {
            float room[3 * lb_tilePoints];
            place_points(sums, map, room);
            memcpy(out, room, 3 * (size_t)left * sizeof(float));
        }
    }
}

/* ---- Other bases ------------------------------------------------------------------------------------------------- */

static lbBasisView view(const lbElastostatic* made, const void* numbers, int components) {
    const lbImageHeader* header = made->header;
    return (lbBasisView){numbers,           components,         header->tileCount,
                         header->modeCount, header->pointCount, (lbBasisPrecision)header->precision};
}

lbBasisView lb_displacement_basis(const lbElastostatic* made) {
    return view(made, made->basis, 3);
}

lbBasisView lb_strain_basis(const lbElastostatic* made) {
    return view(made, made->strain, 6);
}

lbBasisView lb_stress_basis(const lbElastostatic* made) {
    return view(made, made->stress, 6);
}

void lb_scale_coefficients(const lbElastostatic* made, int basis, const float* coefficients, float* scaled) {
    for (int k = 0; k < made->header->modeCount; ++k) {
        scaled[k] = coefficients[k] * made->scales[3 * (size_t)k + (size_t)basis];
    }
}

void lb_sum_basis(const lbBasisView* basis, const float* scaled, float* values) {
    int components = basis->components;
    for (int t = 0; t < basis->tileCount; ++t) {
        lbFloat8 sums[6 * tileVectors] = {{0}};
        for (int k = 0; k < basis->modeCount; ++k) {
            if (scaled[k] == 0) {
                continue;
            }
            size_t at = ((size_t)t * (size_t)basis->modeCount + (size_t)k) * (size_t)components * lb_tilePoints;
            for (int v = 0; v < components * tileVectors; ++v) {
                size_t place = at + 8 * (size_t)v;
                sums[v] += ALL8(scaled[k]) * (basis->precision == lb_basisFloat16
                                                  ? load_halves((const uint16_t*)basis->numbers + place)
                                                  : load8((const float*)basis->numbers + place));
            }
        }
        float room[6 * lb_tilePoints];
        memcpy(room, sums, (size_t)components * lb_tilePoints * sizeof(float));
        int count = int_min(lb_tilePoints, basis->pointCount - t * lb_tilePoints);
        for (int i = 0; i < count; ++i) {
            for (int c = 0; c < components; ++c) {
                values[((size_t)t * lb_tilePoints + (size_t)i) * (size_t)components + (size_t)c] =
                    room[c * lb_tilePoints + i];
            }
        }
    }
}

static float basis_number(const lbElastostatic* made, int point, int mode, int component) {
    size_t tile = (size_t)point / lb_tilePoints, lane = (size_t)point % lb_tilePoints;
    size_t at =
        ((tile * (size_t)made->header->modeCount + (size_t)mode) * 3 + (size_t)component) * lb_tilePoints + lane;
    float number = made->header->precision == lb_basisFloat16 ? lb_from_half(((const uint16_t*)made->basis)[at])
                                                              : ((const float*)made->basis)[at];
    return number * made->scales[3 * (size_t)mode];
}

void lb_point_modes(const lbElastostatic* made, int point, float* row) {
    for (int k = 0; k < made->header->modeCount; ++k) {
        for (int c = 0; c < 3; ++c) {
            row[3 * (size_t)k + (size_t)c] = basis_number(made, point, k, c);
        }
    }
}

/* ---- Without a world --------------------------------------------------------------------------------------------- */

void lbElastostatic_Evaluate(const lbElastostatic* made, const float* coefficients, float* positions) {
    /* On the stack, in pieces: there may be any number of modes. */
    enum { most = 512 };
    float room[most];
    const lbRigidMap still = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    int modes = made->header->modeCount;
    if (modes <= most) {
        lb_scale_coefficients(made, 0, coefficients, room);
        lb_evaluate_tiles(made, room, &still, 0, made->header->tileCount, positions);
        return;
    }
    for (int i = 0; i < made->header->pointCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            float sum = made->rest[3 * (size_t)i + (size_t)c];
            for (int k = 0; k < modes; ++k) {
                sum += coefficients[k] * basis_number(made, i, k, c);
            }
            positions[3 * (size_t)i + (size_t)c] = sum;
        }
    }
}

void lbElastostatic_Normals(const lbElastostatic* made, const float* positions, float* normals) {
    size_t count = (size_t)made->header->pointCount;
    memset(normals, 0, 3 * count * sizeof(float));
    for (int t = 0; t < made->header->triangleCount; ++t) {
        const int* corner = made->triangles + 3 * (size_t)t;
        lbVec3 a = vec3_load(positions + 3 * (size_t)corner[0]);
        lbVec3 ab = vec3_sub(vec3_load(positions + 3 * (size_t)corner[1]), a);
        lbVec3 ac = vec3_sub(vec3_load(positions + 3 * (size_t)corner[2]), a);
        lbVec3 n = vec3_cross(ab, ac); /* twice the area: large triangles count more */
        for (int k = 0; k < 3; ++k) {
            float* at = normals + 3 * (size_t)corner[k];
            vec3_store(at, vec3_add(vec3_load(at), n));
        }
    }
    for (size_t i = 0; i < count; ++i) {
        vec3_store(normals + 3 * i, vec3_normalize(vec3_load(normals + 3 * i)));
    }
}

lbResult lbElastostatic_GetMode(const lbElastostatic* made, int mode, float* displacements) {
    lbResult result = {lb_ok, ""};
    if (mode < 0 || mode >= made->header->modeCount) {
        result.code = lb_errorArgument;
        strcpy(result.message, "the model has no such mode");
        return result;
    }
    for (int i = 0; i < made->header->pointCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            displacements[3 * (size_t)i + (size_t)c] = basis_number(made, i, mode, c);
        }
    }
    return result;
}

void lbReaction_Evaluate(const lbElastostatic* made, const double* coefficients, double* forces) {
    int rows = lb_controlModes * made->header->controlCount, modes = made->header->modeCount;
    const double* row = made->reaction;
    for (int i = 0; i < rows; ++i, row += modes) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0; /* four chains: additions wait for one another else */
        int k = 0;
        for (; k + 4 <= modes; k += 4) {
            s0 += row[k] * coefficients[k];
            s1 += row[k + 1] * coefficients[k + 1];
            s2 += row[k + 2] * coefficients[k + 2];
            s3 += row[k + 3] * coefficients[k + 3];
        }
        for (; k < modes; ++k) {
            s0 += row[k] * coefficients[k];
        }
        forces[i] = (s0 + s1) + (s2 + s3);
    }
}

/* Moments are sum of f_i (X - C)_j, row by row after the force. */
void lbReaction_Read(const double* forces, int control, lbVec3* force, lbVec3* torque) {
    const double* q = forces + lb_controlModes * (size_t)control;
    const double* m = q + 3;
    *force = vec3((float)q[0], (float)q[1], (float)q[2]);
    *torque = vec3((float)(m[7] - m[5]), (float)(m[2] - m[6]), (float)(m[3] - m[1]));
}
