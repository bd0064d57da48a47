#include "server/means.h"

#include "base/math.h"

#include <math.h>

static const double frame = 1.0 / 60; /* s */

/* Tetrahedra times steps in a frame that one core does in a third of a frame, contact and skin besides. */
static const double wantedWork = 150000;
/* Where it takes more to keep thin parts. */
static const double mostWork = 300000;
/* Of the longest side: where edges begin, and what they stay between. */
static const double coarsest = 1.0 / 8, finest = 1.0 / 40;
/* E over the pressure of its own weight: a jelly that keeps its shape and still wobbles; for a mesh that is costly,
 * less. */
static const double firmness = 60, leastFirmness = 10;
static const double standardDensity = 1000; /* kg/m^3 */
/* As much as flesh has without nearly incompressible matter's means, which cost. */
static const double solidRatio = 0.4;

enum { samples = 12 /* along each side of a box */, mostTrials = 4, mostSamples = 3000 };

/* ---- What there is ----------------------------------------------------------------------------------------------- */

/* The share of its box that is inside a surface, closed or not, as meshers see it. */
static double share_inside(const lbShape* shape, lbBox box) {
    lbShapeQuery* query = NULL;
    if (lbCreateShapeQuery(shape, &query).code != lb_ok) {
        return 0;
    }
    int inside = 0;
    lbVec3 cell = vec3_scale(1.0f / samples, box_size(box));
    for (int i = 0; i < samples * samples * samples; ++i) {
        float x = (float)(i % samples) + 0.5f, y = (float)(i / samples % samples) + 0.5f;
        float z = (float)(i / samples / samples) + 0.5f;
        inside += lbShapeQuery_IsInside(query, vec3_add(box.lower, vec3(x * cell.x, y * cell.y, z * cell.z)));
    }
    lbDestroyShapeQuery(query);
    return (double)inside / (samples * samples * samples);
}

/* m^3: what is closed is a body; so is what has holes but an inside all the same. 0: a sheet. */
static double volume_inside(const lbShape* shape, const lbShapeReport* report) {
    lbVec3 size = box_size(report->bounds);
    double box = (double)size.x * (double)size.y * (double)size.z;
    if (!(box > 0)) {
        return 0;
    }
    if (report->closed && report->volume > 0.01 * box) {
        return report->volume;
    }
    double share = share_inside(shape, report->bounds);
    return share > 0.05 ? share * box : 0;
}

/* With two digits. */
static double rounded(double value) {
    double digit = pow(10, floor(log10(value)) - 1);
    return digit * round(value / digit);
}

static double speed_of_sound(const lbMeans* means) {
    lbMaterial material = {
        .density = (float)means->density, .youngsModulus = (float)means->modulus, .poissonsRatio = (float)means->ratio};
    return lbMaterial_GetWaveSpeed(&material);
}

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

static lbMeans means_of_sheet(void) {
    return (lbMeans){.mesh = lb_meshCloth,
                     .law = lb_lawSprings,
                     .density = 300,
                     .modulus = 100000,
                     .ratio = 0.3,
                     .damping = 0.0005,
                     .massDamping = 0.3};
}

/* ---- Solids ------------------------------------------------------------------------------------------------------ */

/* Matter for a solid of this size whose smallest tetrahedron has this Courant length, m. */
static lbMeans means_of_solid(double longest, double courantLength, double firm) {
    lbMeans means = {.mesh = lb_meshTets,
                     .law = lb_lawCorotational,
                     .density = standardDensity,
                     .ratio = solidRatio,
                     .massDamping = 1};
    means.modulus = rounded(firm * means.density * 9.81 * longest);
    /* A quarter of the critical damping of the fastest motions: more would make steps much shorter. */
    means.damping = rounded(0.25 * courantLength / speed_of_sound(&means));
    return means;
}

static double work_of(const lbTetMeshReport* report, double scale, const lbMeans* means) {
    return report->tetCount * fmax(1, frame * speed_of_sound(means) / (scale * report->courantLength));
}

/* A mesh of a surface as find_edge sees it. */
typedef struct Trial {
    lbTetMeshReport report;
    double farthest; /* m: how far the surface stands out of the mesh; parts that are thinner than an edge are lost */
} Trial;

/* Over some of the surface's points. */
static double farthest_outside(const lbShape* shape, const lbTetMesh* mesh) {
    lbShape* own = NULL;
    lbShapeQuery* query = NULL;
    double farthest = HUGE_VAL;
    if (lbTetMesh_MakeSurface(mesh, &own).code == lb_ok && lbCreateShapeQuery(own, &query).code == lb_ok) {
        farthest = 0;
        int count = lbShape_GetPointCount(shape);
        for (int i = 0; i < count; i += int_max(1, count / mostSamples)) {
            lbVec3 point = vec3_load(lbShape_GetPoints(shape) + 3 * (size_t)i);
            farthest = fmax(farthest, (double)lbShapeQuery_SignedDistance(query, point));
        }
    }
    lbDestroyShapeQuery(query);
    lbDestroyShape(own);
    return farthest;
}

static bool try_edge(const lbShape* shape, double edge, Trial* trial) {
    lbMesherDef def = lbDefaultMesherDef();
    lbTetMesh* mesh = NULL;
    def.edge = edge;
    def.relax = true;
    bool made =
        lbMeshSurface(shape, &def, &mesh).code == lb_ok && lbTetMesh_Measure(mesh, NULL, &trial->report).code == lb_ok;
    trial->farthest = made ? farthest_outside(shape, mesh) : 0;
    lbDestroyTetMesh(mesh);
    return made && trial->report.tetCount > 0;
}

/* Finds the edge with which a frame is as much work as it may be. False: the mesher makes nothing of this surface, or
 * loses parts of it unless it is given an edge that is too short. */
static bool find_edge(const lbShape* shape, double scale, double longest, double volume, lbMeans* means) {
    double edge = cbrt(volume / 400), work = HUGE_VAL;
    bool whole = false;
    for (int i = 0; i < mostTrials; ++i) {
        Trial trial;
        edge = rounded(fmin(fmax(edge, finest * longest), coarsest * longest));
        if (edge == means->edge || !try_edge(shape, edge / scale, &trial)) {
            break;
        }
        *means = means_of_solid(longest, scale * trial.report.courantLength, firmness);
        means->edge = edge;
        work = work_of(&trial.report, scale, means);
        whole = scale * trial.farthest < 1.5 * edge;
        /* Tetrahedra go with edge^-3, steps with edge^-1. */
        double share = work / (whole ? wantedWork : mostWork);
        if (whole && share > 0.7 && share < 1.4) {
            break;
        }
        edge *= pow(share, 0.25);
    }
    return whole && work < 1.4 * mostWork;
}

/* A grid of cubes takes everything, thin parts too, and steps are longer. About 7.5 tetrahedra are there for each
 * cube's volume, cubes at the surface standing out of it, and steps are as long as a quarter of an edge wants. */
static lbMeans means_of_grid(double longest, double volume) {
    lbMeans means = means_of_solid(longest, longest, firmness);
    double edge = pow(7.5 * volume * frame * speed_of_sound(&means) / (0.25 * mostWork), 0.25);
    edge = rounded(fmin(fmax(edge, finest * longest), coarsest * longest));
    means = means_of_solid(longest, 0.4 * edge, firmness);
    means.mesh = lb_meshTetGrid;
    means.edge = edge;
    return means;
}

lbMeans lb_means_for_surface(const lbShape* shape, const lbShapeReport* report, double scale) {
    lbVec3 size = box_size(report->bounds);
    double longest = scale * (double)fmaxf(size.x, fmaxf(size.y, size.z));
    double volume = scale * scale * scale * volume_inside(shape, report);
    if (!(volume > 0)) {
        return means_of_sheet();
    }
    lbMeans means = {.edge = 0};
    return find_edge(shape, scale, longest, volume, &means) ? means : means_of_grid(longest, volume);
}

/* Hexahedra that a frame of implicit Euler on one core has time for, with contact and a skin. */
enum { voxelElements = 1200 };

lbMeans lb_means_as_voxels(const lbShape* shape, double scale) {
    lbVec3 size = box_size(lbShape_GetBounds(shape));
    double longest = scale * (double)fmaxf(size.x, fmaxf(size.y, size.z));
    lbMeans means = means_of_solid(longest, 0.05 * longest, firmness);
    means.mesh = lb_meshVoxels;
    means.elements = voxelElements;
    means.implicit = true;
    return means;
}

lbMeans lb_means_for_tets(const lbTetMesh* mesh, double scale, double size) {
    lbTetMeshReport report = {.tetCount = lbTetMesh_GetTetCount(mesh), .courantLength = 0.01 * size / scale};
    lbTetMesh_Measure(mesh, NULL, &report);
    lbMeans means = means_of_solid(size, scale * report.courantLength, firmness);
    double excess = work_of(&report, scale, &means) / wantedWork; /* goes with the root of the modulus */
    if (excess > 1) {
        means = means_of_solid(size, scale * report.courantLength, fmax(firmness / (excess * excess), leastFirmness));
    }
    means.mesh = lb_meshGiven;
    return means;
}
