/* The image of a precomputed response: its layout, and the checks that let it in. Nothing in a file is believed: every
 * count, offset and index is looked at before it is used. */
#include "base/file.h"
#include "base/math.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"

#include <string.h>
#include <sys/mman.h>

const char lb_imageMagic[8] = {'L', 'B', 'E', '\r', '\n', 0x1a, '\n', 0};

enum { partAlignment = 64, mostControls = 1000, mostLoads = 1000 };

static uint64_t align(uint64_t bytes) {
    return (bytes + partAlignment - 1) / partAlignment * partAlignment;
}

bool lb_lay_out_image(lbImageHeader* header) {
    int64_t points = header->pointCount, triangles = header->triangleCount, controls = header->controlCount;
    int64_t loads = header->loadCount, modes = header->modeCount, tiles = header->tileCount;
    bool sound = points > 0 && triangles > 0 && controls > 0 && controls <= mostControls && loads >= 0 &&
                 loads <= mostLoads && modes == lb_controlModes * controls + 3 + loads &&
                 tiles == (points + lb_tilePoints - 1) / lb_tilePoints && (header->fields & ~3) == 0 &&
                 (header->precision == lb_basisFloat32 || header->precision == lb_basisFloat16);
    if (!sound) {
        return false;
    }
    uint64_t number = header->precision == lb_basisFloat16 ? 2 : 4, perTile = (uint64_t)(tiles * modes) * lb_tilePoints;
    const uint64_t bytes[lb_imagePartCount] = {
        [lb_imageControls] = (uint64_t)controls * sizeof(lbControlRecord),
        [lb_imageLoads] = (uint64_t)loads * sizeof(lbLoadRecord),
        [lb_imageRest] = (uint64_t)points * 3 * sizeof(float),
        [lb_imageTriangles] = (uint64_t)triangles * 3 * sizeof(int32_t),
        [lb_imageMatter] = (uint64_t)triangles * sizeof(lbSkinMatter),
        [lb_imageReaction] = (uint64_t)(lb_controlModes * controls * modes) * sizeof(double),
        [lb_imageWork] = (uint64_t)(modes * (3 + loads)) * sizeof(double),
        [lb_imageScales] = (uint64_t)modes * 3 * sizeof(float),
        [lb_imageRestTiles] = (uint64_t)tiles * 3 * lb_tilePoints * sizeof(float),
        [lb_imageBasis] = perTile * 3 * number,
        [lb_imageStrain] = (header->fields & 1) != 0 ? perTile * 6 * number : 0,
        [lb_imageStress] = (header->fields & 2) != 0 ? perTile * 6 * number : 0,
    };
    uint64_t at = align(sizeof(lbImageHeader));
    for (int part = 0; part < lb_imagePartCount; ++part) {
        header->offsets[part] = at;
        at = align(at + bytes[part]);
    }
    header->offsets[lb_imagePartCount] = at;
    header->size = at;
    return true;
}

uint64_t lb_image_checksum(const unsigned char* image, size_t size) {
    lbImageHeader header;
    memcpy(&header, image, sizeof(header));
    header.checksum = 0;
    uint64_t hash = lb_hash(LB_HASH_START, &header, sizeof(header));
    return lb_hash(hash, image + sizeof(header), size - sizeof(header));
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static lbResult check_header(const unsigned char* image, size_t size, lbImageHeader* header) {
    if (size < sizeof(lbImageHeader)) {
        return lb_error(lb_errorFormat,
                        "has %zu bytes; a precomputed model has at least %zu: truncated, or no such file", size,
                        sizeof(lbImageHeader));
    }
    memcpy(header, image, sizeof(*header));
    if (memcmp(header->magic, lb_imageMagic, sizeof(lb_imageMagic)) != 0) {
        return lb_error(lb_errorFormat, "is no precomputed model: its first bytes are not those of one");
    }
    if (header->byteOrder != lb_imageByteOrder) {
        return lb_error(lb_errorFormat, "was written by a machine of another byte order; precompute it anew");
    }
    if (header->version != lb_imageVersion) {
        return lb_error(lb_errorFormat, "is of version %u of its format; this build reads version %d",
                        (unsigned)header->version, lb_imageVersion);
    }
    if (header->size != size) {
        return lb_error(lb_errorFormat, "has %zu bytes; it should have %llu: truncated, or something was added", size,
                        (unsigned long long)header->size);
    }
    lbImageHeader laid = *header;
    if (!lb_lay_out_image(&laid) || laid.size != header->size ||
        memcmp(laid.offsets, header->offsets, sizeof(laid.offsets)) != 0) {
        return lb_error(lb_errorFormat, "is damaged: its counts and its size do not go together");
    }
    return lb_success();
}

static bool all_finite(const float* values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; ++i) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static bool all_finite_doubles(const double* values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; ++i) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static bool numbers_finite(const lbElastostatic* made, lbImagePart part) {
    const lbImageHeader* header = made->header;
    const unsigned char* begin = made->image + header->offsets[part];
    size_t bytes = header->offsets[part + 1] - header->offsets[part];
    if (header->precision == lb_basisFloat32) {
        return all_finite((const float*)begin, bytes / sizeof(float));
    }
    bool finite = true;
    const uint16_t* halves = (const uint16_t*)begin;
    for (size_t i = 0; i < bytes / sizeof(uint16_t); ++i) {
        finite = finite && (halves[i] & 0x7c00) != 0x7c00;
    }
    return finite;
}

static bool names_end(const lbElastostatic* made) {
    bool ended = memchr(made->header->solver, 0, sizeof(made->header->solver)) != NULL;
    for (int i = 0; i < made->header->controlCount; ++i) {
        const lbControlRecord* control = &made->controls[i];
        ended = ended && memchr(control->name, 0, sizeof(control->name)) != NULL &&
                (control->fixed == 0 || control->fixed == 1) && control->nodeCount > 0 &&
                all_finite_doubles(control->center, 3);
    }
    for (int i = 0; i < made->header->loadCount; ++i) {
        ended = ended && memchr(made->loads[i].name, 0, sizeof(made->loads[i].name)) != NULL;
    }
    return ended;
}

static bool triangles_sound(const lbElastostatic* made) {
    for (int i = 0; i < 3 * made->header->triangleCount; ++i) {
        if (made->triangles[i] < 0 || made->triangles[i] >= made->header->pointCount) {
            return false;
        }
    }
    for (int i = 0; i < made->header->triangleCount; ++i) {
        const lbSkinMatter* matter = &made->matter[i];
        if (!(matter->mu > 0) || !isfinite(matter->mu) || !(matter->nu > -1 && matter->nu < 0.5f)) {
            return false;
        }
    }
    return true;
}

/* A checksum tells a damaged file, not a hostile one. */
static lbResult check_parts(const lbElastostatic* made) {
    const lbImageHeader* header = made->header;
    size_t modes = (size_t)header->modeCount;
    const struct {
        bool sound;
        const char* what;
    } checks[] = {
        {names_end(made), "its controls"},
        {triangles_sound(made), "its triangles"},
        {all_finite(made->rest, 3 * (size_t)header->pointCount), "its rest shape"},
        {all_finite(made->scales, 3 * modes), "its scales"},
        {all_finite(made->restTiles, (size_t)header->tileCount * 3 * lb_tilePoints), "its rest shape"},
        {all_finite_doubles(made->reaction, lb_controlModes * (size_t)header->controlCount * modes), "its reactions"},
        {all_finite_doubles(made->work, modes * (3 + (size_t)header->loadCount)), "its loads"},
        {all_finite_doubles(header->center, 3) && header->mass > 0 && isfinite(header->mass), "its mass"},
        {numbers_finite(made, lb_imageBasis), "its basis"},
        {numbers_finite(made, lb_imageStrain), "its strains"},
        {numbers_finite(made, lb_imageStress), "its stresses"},
    };
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); ++i) {
        if (!checks[i].sound) {
            return lb_error(lb_errorFormat, "is damaged: %s cannot be those of a model", checks[i].what);
        }
    }
    return lb_success();
}

static void point_at_parts(lbElastostatic* made) {
    const unsigned char* image = made->image;
    const uint64_t* offsets = made->header->offsets;
    made->controls = (const lbControlRecord*)(image + offsets[lb_imageControls]);
    made->loads = (const lbLoadRecord*)(image + offsets[lb_imageLoads]);
    made->rest = (const float*)(image + offsets[lb_imageRest]);
    made->triangles = (const int*)(image + offsets[lb_imageTriangles]);
    made->matter = (const lbSkinMatter*)(image + offsets[lb_imageMatter]);
    made->reaction = (const double*)(image + offsets[lb_imageReaction]);
    made->work = (const double*)(image + offsets[lb_imageWork]);
    made->scales = (const float*)(image + offsets[lb_imageScales]);
    made->restTiles = (const float*)(image + offsets[lb_imageRestTiles]);
    made->basis = image + offsets[lb_imageBasis];
    made->strain = (made->header->fields & 1) != 0 ? image + offsets[lb_imageStrain] : NULL;
    made->stress = (made->header->fields & 2) != 0 ? image + offsets[lb_imageStress] : NULL;
}

lbResult lb_adopt_image(const lbHost* host, unsigned char* image, size_t size, bool mapped, bool checkSum,
                        lbElastostatic** made) {
    *made = NULL;
    lbImageHeader header;
    LB_TRY(check_header(image, size, &header));
    if (checkSum && lb_image_checksum(image, size) != header.checksum) {
        return lb_error(lb_errorFormat, "is damaged: its checksum is not that of its contents");
    }
    lbElastostatic* adopted = LB_NEW(host, lbElastostatic, 1);
    if (adopted == NULL) {
        return lb_out_of_memory("a precomputed model");
    }
    adopted->host = host;
    adopted->image = image;
    adopted->size = size;
    adopted->mapped = mapped;
    adopted->header = (const lbImageHeader*)image;
    atomic_init(&adopted->userCount, 1);
    point_at_parts(adopted);
    lbResult result = check_parts(adopted);
    if (result.code != lb_ok) {
        lb_release(host, adopted);
        return result;
    }
    *made = adopted;
    return lb_success();
}

lbElastostatic* lb_share_elastostatic(lbElastostatic* made) {
    atomic_fetch_add(&made->userCount, 1);
    return made;
}

void lbDestroyElastostatic(lbElastostatic* made) {
    if (made == NULL || atomic_fetch_sub(&made->userCount, 1) != 1) {
        return;
    }
    if (made->mapped) {
        munmap(made->image, made->size);
    } else {
        lb_release(made->host, made->image);
    }
    lb_release(made->host, made);
}

/* ---- Numbers of half precision ----------------------------------------------------------------------------------- */

/* To the nearest, ties to even; what is too large becomes the largest. */
uint16_t lb_to_half(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000u;
    float size = fabsf(value);
    if (!(size < 65504)) {
        return (uint16_t)(sign | 0x7bffu);
    }
    /* Below 2^-14 numbers are multiples of 2^-24: adding 0.5 leaves just these bits of the mantissa. */
    if (size < 6.103515625e-05f) {
        float shifted = size + 0.5f;
        memcpy(&bits, &shifted, sizeof(bits));
        return (uint16_t)(sign | (bits - 0x3f000000u));
    }
    memcpy(&bits, &size, sizeof(bits));
    bits += 0xfffu + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits >> 13) - (112u << 10)));
}

float lb_from_half(uint16_t half) {
    uint32_t bits = (uint32_t)(half & 0x7fffu) << 13;
    float value;
    memcpy(&value, &bits, sizeof(value));
    value *= 0x1p112f; /* makes denormal halves right, too */
    return (half & 0x8000u) != 0 ? -value : value;
}

/* ---- What is in it ----------------------------------------------------------------------------------------------- */

int lbElastostatic_GetControlCount(const lbElastostatic* made) {
    return made->header->controlCount;
}

const char* lbElastostatic_GetControlName(const lbElastostatic* made, int control) {
    return control >= 0 && control < made->header->controlCount ? made->controls[control].name : NULL;
}

bool lbElastostatic_IsControlFixed(const lbElastostatic* made, int control) {
    return control >= 0 && control < made->header->controlCount && made->controls[control].fixed != 0;
}

lbVec3 lbElastostatic_GetControlCenter(const lbElastostatic* made, int control) {
    if (control < 0 || control >= made->header->controlCount) {
        return vec3(0, 0, 0);
    }
    const double* c = made->controls[control].center;
    return vec3_from(vec3d(c[0], c[1], c[2]));
}

int lbElastostatic_GetLoadCount(const lbElastostatic* made) {
    return made->header->loadCount;
}

const char* lbElastostatic_GetLoadName(const lbElastostatic* made, int load) {
    return load >= 0 && load < made->header->loadCount ? made->loads[load].name : NULL;
}

int lbElastostatic_GetModeCount(const lbElastostatic* made) {
    return made->header->modeCount;
}

int lbElastostatic_GetPointCount(const lbElastostatic* made) {
    return made->header->pointCount;
}

const float* lbElastostatic_GetRestPoints(const lbElastostatic* made) {
    return made->rest;
}

int lbElastostatic_GetTriangleCount(const lbElastostatic* made) {
    return made->header->triangleCount;
}

const int* lbElastostatic_GetTriangles(const lbElastostatic* made) {
    return made->triangles;
}

size_t lbElastostatic_GetFileSize(const lbElastostatic* made) {
    return made->size;
}
