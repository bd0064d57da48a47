/* A precomputed response as it is kept: one image, in memory or mapped from a file, read in place. */
#ifndef LIMBER_SRC_ELASTOSTATIC_H
#define LIMBER_SRC_ELASTOSTATIC_H

#include "base/memory.h"
#include "limber/elastostatic.h"

#include <stdatomic.h>

/* Points of a tile stand side by side, so that a sum over modes streams the basis once and keeps its sums in
 * registers: a tile is (modeCount x components x lb_tilePoints) numbers. */
enum { lb_tilePoints = 32, lb_controlModes = 12, lb_elastoNameLimit = 64 };

typedef struct lbControlRecord {
    char name[lb_elastoNameLimit];
    double center[3]; /* m */
    int32_t fixed, nodeCount;
} lbControlRecord;

typedef struct lbLoadRecord {
    char name[lb_elastoNameLimit];
} lbLoadRecord;

/* Isotropic matter just below a triangle of the surface. */
typedef struct lbSkinMatter {
    float mu, nu; /* Pa, 1 */
} lbSkinMatter;

typedef enum lbImagePart {
    lb_imageControls,  /* (controlCount) lbControlRecord */
    lb_imageLoads,     /* (loadCount) lbLoadRecord */
    lb_imageRest,      /* (pointCount x 3) float, m */
    lb_imageTriangles, /* (triangleCount x 3) int32 */
    lb_imageMatter,    /* (triangleCount) lbSkinMatter */
    lb_imageReaction,  /* (12 controlCount x modeCount) double */
    lb_imageWork,      /* (modeCount x (3 + loadCount)) double: work of unit gravity and loads along modes */
    lb_imageScales,    /* (modeCount x 3) float: what numbers of the three bases stand for */
    lb_imageRestTiles, /* (tileCount x 3 x lb_tilePoints) float, m */
    lb_imageBasis,     /* (tileCount x modeCount x 3 x lb_tilePoints) float or half */
    lb_imageStrain,    /* (tileCount x modeCount x 6 x lb_tilePoints) xx, yy, zz, xy, xz, yz; empty: none */
    lb_imageStress,    /* the same, Pa */
    lb_imagePartCount
} lbImagePart;

typedef struct lbImageHeader {
    char magic[8];
    uint32_t byteOrder, version;
    uint64_t size;     /* bytes, of all */
    uint64_t checksum; /* FNV-1a of all bytes, this one taken as 0 */
    int32_t pointCount, triangleCount, controlCount, loadCount, modeCount, tileCount;
    int32_t precision; /* lbBasisPrecision */
    int32_t fields;    /* bit 0: strain, bit 1: stress */
    int32_t nodeCount, tetCount;
    double mass;      /* kg */
    double center[3]; /* m, of mass, at rest */
    double residual, condition, basisError;
    char solver[64];
    uint64_t offsets[lb_imagePartCount + 1]; /* of the parts, in their order; the last is the end */
} lbImageHeader;

struct lbElastostatic {
    const lbHost* host;
    atomic_int userCount;
    unsigned char* image; /* begins with the header */
    size_t size;
    bool mapped; /* by the system; else from the host */

    const lbImageHeader* header;
    const lbControlRecord* controls;
    const lbLoadRecord* loads;
    const float *rest, *scales, *restTiles;
    const int* triangles;
    const lbSkinMatter* matter;
    const double *reaction, *work;
    const void *basis, *strain, *stress; /* the last two NULL: none */
};

/* Bytes of an image with the header's counts, and the offsets of its parts; false: counts that no image has. */
bool lb_lay_out_image(lbImageHeader* header);
/* Takes an image (from the host, or mapped) once it is checked: counts, offsets, checksum, indices, finite numbers. On
 * failure the image stays the caller's. `checkSum` may be left out for an image that was just made. */
lbResult lb_adopt_image(const lbHost* host, unsigned char* image, size_t size, bool mapped, bool checkSum,
                        lbElastostatic** made);
uint64_t lb_image_checksum(const unsigned char* image, size_t size);
extern const char lb_imageMagic[8];
enum { lb_imageByteOrder = 0x01020304, lb_imageVersion = 1 };

lbElastostatic* lb_share_elastostatic(lbElastostatic* made);

/* ---- Numbers of half precision (IEEE 754 binary16) ---- */

uint16_t lb_to_half(float value);
float lb_from_half(uint16_t half);

/* ---- Sums over modes (evaluate.c) ---- */

/* A rigid motion of the whole: x = rotation (row by row) times local + translation. */
typedef struct lbRigidMap {
    float rotation[9];
    lbVec3 translation;
} lbRigidMap;

/* Which basis to sum. */
typedef struct lbBasisView {
    const void* numbers;
    int components, tileCount, modeCount, pointCount;
    lbBasisPrecision precision;
} lbBasisView;
lbBasisView lb_displacement_basis(const lbElastostatic* made);
lbBasisView lb_strain_basis(const lbElastostatic* made);
lbBasisView lb_stress_basis(const lbElastostatic* made);

/* Coefficients times what the basis' numbers stand for: (modeCount). */
void lb_scale_coefficients(const lbElastostatic* made, int basis, const float* coefficients, float* scaled);
/* Positions (pointCount x 3) of tiles begin <= t < end; `scaled` as above. */
void lb_evaluate_tiles(const lbElastostatic* made, const float* scaled, const lbRigidMap* map, int begin, int end,
                       float* positions);
/* Sums of components: (pointCount x components). */
void lb_sum_basis(const lbBasisView* basis, const float* scaled, float* values);
/* The displacement of one point for each unit of each mode: row (modeCount x 3). */
void lb_point_modes(const lbElastostatic* made, int point, float* row);

#endif
