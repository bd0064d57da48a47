/* A grid of cubes through a shape, each cut into five tetrahedra of alternating parity so that diagonals meet. Any
 * surface will do: inside is where the generalised winding number says so. A cube counts by how full it is, so that
 * mass and stiffness are the shape's, not the grid's. */
#include "mesh/mesh.h"

#include "base/result.h"
#include "shape/shape.h"

#include <limits.h>
#include <string.h>

enum { maxCells = 8000000, samplesPerSide = 3 };

/* A cube on the surface whose samples all miss the matter in it still carries some. */
static const double leastFill = 0.02;

typedef struct Grid {
    lbVec3d origin, cell; /* m */
    int count[3];         /* cubes along each axis */
    float* fill;          /* (cubes) 0 to 1; 0: the cube is left out */
    int* nodeIndex;       /* (lattice points) number of the node there, or -1 */
} Grid;

/* The cubes' corners are numbered by their bits: x 1, y 2, z 4. The last tetrahedron is the middle one, a third of the
 * cube; the others are a sixth each. The odd cube is the even one mirrored in x. */
static const int evenTets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};

static int64_t cell_count(const Grid* grid) {
    return (int64_t)grid->count[0] * grid->count[1] * grid->count[2];
}

static int64_t cell_index(const Grid* grid, int i, int j, int k) {
    return i + grid->count[0] * (j + (int64_t)grid->count[1] * k);
}

static int64_t lattice_index(const Grid* grid, int i, int j, int k) {
    return i + (grid->count[0] + 1) * (j + (int64_t)(grid->count[1] + 1) * k);
}

static lbVec3d place(const Grid* grid, double i, double j, double k) {
    return vec3d(grid->origin.x + i * grid->cell.x, grid->origin.y + j * grid->cell.y,
                 grid->origin.z + k * grid->cell.z);
}

static lbResult fit_grid(const lbShape* shape, const lbMeshDef* def, Grid* grid) {
    lbBox bounds = lbShape_GetBounds(shape);
    lbVec3d size = vec3d_sub(vec3d_from(bounds.upper), vec3d_from(bounds.lower));
    double longest = fmax(size.x, fmax(size.y, size.z));
    double sides[3] = {size.x, size.y, size.z};
    for (int c = 0; c < 3; ++c) {
        if (!(sides[c] > 1e-6 * longest)) {
            return lb_error(lb_errorArgument,
                            "the shape is flat along %c: it has no volume to mesh (a cloth mesh would do)", "xyz"[c]);
        }
    }
    if (!(def->edge >= 0) || !isfinite(def->edge)) {
        return lb_error(lb_errorArgument, "mesh edge is %g; expected 0 (automatic) or more, in m", def->edge);
    }
    double edge = def->edge > 0 ? def->edge : longest / 12;
    double wanted = 1;
    for (int c = 0; c < 3; ++c) {
        double along = fmax(1, round(sides[c] / edge));
        wanted *= along;
        grid->count[c] = along < INT_MAX ? (int)along : INT_MAX;
    }
    if (wanted > maxCells) {
        return lb_error(lb_errorArgument,
                        "mesh edge %g m would make %.3g cells; the limit is %d (a longer edge than %.3g m)", edge,
                        wanted, maxCells, edge * cbrt(wanted / maxCells));
    }
    grid->origin = vec3d_from(bounds.lower);
    grid->cell = vec3d(size.x / grid->count[0], size.y / grid->count[1], size.z / grid->count[2]);
    return lb_success();
}

static bool surface_passes(const Grid* grid, const lbShapeQuery* query, int i, int j, int k) {
    const double margin = 1e-3; /* touching a face from outside does not count */
    lbBox box = {vec3_from(place(grid, i + margin, j + margin, k + margin)),
                 vec3_from(place(grid, i + 1 - margin, j + 1 - margin, k + 1 - margin))};
    return lb_query_meets_box(query, box);
}

static double sampled_fill(const Grid* grid, const lbShapeQuery* query, int i, int j, int k) {
    int inside = 0;
    for (int s = 0; s < samplesPerSide * samplesPerSide * samplesPerSide; ++s) {
        double a = (s % samplesPerSide + 0.5) / samplesPerSide;
        double b = (s / samplesPerSide % samplesPerSide + 0.5) / samplesPerSide;
        double c = (s / (samplesPerSide * samplesPerSide) + 0.5) / samplesPerSide;
        inside += lbShapeQuery_IsInside(query, vec3_from(place(grid, i + a, j + b, k + c)));
    }
    return fmax(leastFill, inside / (double)(samplesPerSide * samplesPerSide * samplesPerSide));
}

/* Returns how many cubes hold something. */
static int64_t fill_cells(Grid* grid, const lbShapeQuery* query) {
    int64_t kept = 0;
    for (int k = 0; k < grid->count[2]; ++k) {
        for (int j = 0; j < grid->count[1]; ++j) {
            for (int i = 0; i < grid->count[0]; ++i) {
                double fill = 0;
                if (surface_passes(grid, query, i, j, k)) {
                    fill = sampled_fill(grid, query, i, j, k);
                } else if (lbShapeQuery_IsInside(query, vec3_from(place(grid, i + 0.5, j + 0.5, k + 0.5)))) {
                    fill = 1;
                }
                grid->fill[cell_index(grid, i, j, k)] = (float)fill;
                kept += fill > 0;
            }
        }
    }
    return kept;
}

/* Makes the volume of matter the shape's own, where it has one. */
static lbResult scale_to_volume(const Grid* grid, const lbShape* shape, double* scale) {
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    double cell = grid->cell.x * grid->cell.y * grid->cell.z, sum = 0;
    for (int64_t i = 0; i < cell_count(grid); ++i) {
        sum += cell * grid->fill[i];
    }
    *scale = report.oriented && report.volume > 0 ? report.volume / sum : 1;
    return lb_success();
}

static void number_nodes(Grid* grid, lbMesh* mesh) {
    memset(grid->nodeIndex, 0xff, (size_t)lattice_index(grid, 0, 0, grid->count[2] + 1) * sizeof(int));
    for (int k = 0; k < grid->count[2]; ++k) {
        for (int j = 0; j < grid->count[1]; ++j) {
            for (int i = 0; i < grid->count[0]; ++i) {
                for (int corner = 0; grid->fill[cell_index(grid, i, j, k)] > 0 && corner < 8; ++corner) {
                    int p = i + (corner & 1), q = j + (corner >> 1 & 1), r = k + (corner >> 2);
                    int* index = &grid->nodeIndex[lattice_index(grid, p, q, r)];
                    if (*index < 0) {
                        mesh->nodes[mesh->nodeCount] = place(grid, p, q, r);
                        *index = mesh->nodeCount++;
                    }
                }
            }
        }
    }
}

static void cell_tet(const Grid* grid, int i, int j, int k, int which, int node[4]) {
    bool odd = (i + j + k) & 1;
    for (int c = 0; c < 4; ++c) {
        int corner = evenTets[which][c] ^ (odd ? 1 : 0);
        node[c] = grid->nodeIndex[lattice_index(grid, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2))];
    }
}

static double tet_volume(const lbVec3d* nodes, const int node[4]) {
    lbVec3d a = vec3d_sub(nodes[node[1]], nodes[node[0]]);
    lbVec3d b = vec3d_sub(nodes[node[2]], nodes[node[0]]);
    lbVec3d c = vec3d_sub(nodes[node[3]], nodes[node[0]]);
    return vec3d_dot(a, vec3d_cross(b, c)) / 6;
}

static void add_tet(lbMesh* mesh, int* springCount, const int node[4], double scale) {
    lbTet tet = {.node = {node[0], node[1], node[2], node[3]}, .volume = tet_volume(mesh->nodes, node)};
    if (tet.volume < 0) {
        tet.node[2] = node[3], tet.node[3] = node[2];
        tet.volume = -tet.volume;
    }
    tet.volume *= scale;
    mesh->tets[mesh->tetCount++] = tet;
    for (int a = 0; a < 4; ++a) {
        mesh->nodeVolumes[node[a]] += tet.volume / 4;
        for (int b = a + 1; b < 4; ++b) {
            mesh->springs[(*springCount)++] = (lbSpring){node[a], node[b], tet.volume, 1, 1};
        }
    }
}

static lbResult cut_cells(const Grid* grid, double scale, lbMesh* mesh) {
    for (int k = 0; k < grid->count[2]; ++k) {
        for (int j = 0; j < grid->count[1]; ++j) {
            for (int i = 0; i < grid->count[0]; ++i) {
                float fill = grid->fill[cell_index(grid, i, j, k)];
                for (int which = 0; fill > 0 && which < 5; ++which) {
                    int node[4];
                    cell_tet(grid, i, j, k, which, node);
                    add_tet(mesh, &mesh->springCount, node, scale * fill);
                }
            }
        }
    }
    return lb_merge_springs(mesh->host, mesh->springs, &mesh->springCount);
}

/* The filled cube nearest to a lattice place, looking in growing shells; the place's own if it is filled. */
static bool nearest_cell(const Grid* grid, lbVec3d at, int cell[3]) {
    double p[3] = {(at.x - grid->origin.x) / grid->cell.x, (at.y - grid->origin.y) / grid->cell.y,
                   (at.z - grid->origin.z) / grid->cell.z};
    int home[3], farthest = 0;
    for (int c = 0; c < 3; ++c) {
        home[c] = int_max(0, int_min(grid->count[c] - 1, (int)fmax(-1, fmin(p[c], grid->count[c]))));
        farthest = int_max(farthest, grid->count[c]);
    }
    double best = INFINITY;
    for (int shell = 0; shell <= farthest && best == INFINITY; ++shell) {
        for (int k = int_max(0, home[2] - shell); k <= int_min(grid->count[2] - 1, home[2] + shell); ++k) {
            for (int j = int_max(0, home[1] - shell); j <= int_min(grid->count[1] - 1, home[1] + shell); ++j) {
                for (int i = int_max(0, home[0] - shell); i <= int_min(grid->count[0] - 1, home[0] + shell); ++i) {
                    double away = fabs(i + 0.5 - p[0]) + fabs(j + 0.5 - p[1]) + fabs(k + 0.5 - p[2]);
                    if (grid->fill[cell_index(grid, i, j, k)] > 0 && away < best) {
                        best = away;
                        cell[0] = i, cell[1] = j, cell[2] = k;
                    }
                }
            }
        }
    }
    return best < INFINITY;
}

static double barycentric(const lbVec3d* nodes, const int node[4], lbVec3d p, double weights[4]) {
    double volume = tet_volume(nodes, node), least = INFINITY;
    for (int c = 0; c < 4; ++c) {
        lbVec3d corner[4] = {nodes[node[0]], nodes[node[1]], nodes[node[2]], nodes[node[3]]};
        corner[c] = p;
        const int all[4] = {0, 1, 2, 3};
        weights[c] = tet_volume(corner, all) / volume;
        least = fmin(least, weights[c]);
    }
    return least;
}

static void hang_skin(const Grid* grid, const lbShape* shape, lbMesh* mesh) {
    const float* points = lbShape_GetPoints(shape);
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        lbVec3d p = vec3d_load(points + 3 * (size_t)i);
        int cell[3] = {0, 0, 0};
        nearest_cell(grid, p, cell);
        double best = -INFINITY;
        for (int which = 0; which < 5;
             ++which) { /* the tetrahedron it is deepest in; outside, the one it is nearest to */
            int node[4];
            double weights[4];
            cell_tet(grid, cell[0], cell[1], cell[2], which, node);
            double least = barycentric(mesh->nodes, node, p, weights);
            if (least > best) {
                best = least;
                for (int c = 0; c < 4; ++c) {
                    mesh->skinNodes[4 * (size_t)i + c] = node[c];
                    mesh->skinWeights[4 * (size_t)i + c] = (float)weights[c];
                }
            }
        }
    }
}

static bool reserve(const lbShape* shape, const Grid* grid, int64_t keptCells, lbMesh* mesh) {
    const lbHost* host = mesh->host;
    int64_t lattice = lattice_index(grid, 0, 0, grid->count[2] + 1);
    int64_t nodeRoom = lattice < 8 * keptCells ? lattice : 8 * keptCells;
    mesh->skinPointCount = lbShape_GetPointCount(shape);
    mesh->skinWidth = 4;
    mesh->nodes = LB_NEW(host, lbVec3d, nodeRoom);
    mesh->nodeVolumes = LB_NEW(host, double, nodeRoom);
    mesh->tets = LB_NEW(host, lbTet, 5 * keptCells);
    mesh->springs = LB_NEW(host, lbSpring, 30 * keptCells);
    mesh->skinNodes = LB_NEW(host, int, 4 * (int64_t)mesh->skinPointCount);
    mesh->skinWeights = LB_NEW(host, float, 4 * (int64_t)mesh->skinPointCount);
    return mesh->nodes != NULL && mesh->nodeVolumes != NULL && mesh->tets != NULL && mesh->springs != NULL &&
           mesh->skinNodes != NULL && mesh->skinWeights != NULL;
}

lbResult lb_mesh_tet_grid(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    Grid grid = {0};
    LB_TRY(fit_grid(shape, def, &grid));
    lbShapeQuery* query = NULL;
    LB_TRY(lbCreateShapeQuery(shape, &query));
    lbResult result = lb_success();
    grid.fill = LB_NEW(mesh->host, float, cell_count(&grid));
    grid.nodeIndex = LB_NEW(mesh->host, int, lattice_index(&grid, 0, 0, grid.count[2] + 1));
    if (grid.fill == NULL || grid.nodeIndex == NULL) {
        result = lb_out_of_memory("a grid of tetrahedra");
        goto done;
    }
    int64_t kept = fill_cells(&grid, query);
    if (kept == 0) {
        result = lb_error(lb_errorArgument, "the shape has no inside to mesh at edge %g m", def->edge);
        goto done;
    }
    if (!reserve(shape, &grid, kept, mesh)) {
        result = lb_out_of_memory("a grid of tetrahedra");
        goto done;
    }
    double scale = 1;
    LB_TRY_OR_DONE(scale_to_volume(&grid, shape, &scale));
    number_nodes(&grid, mesh);
    LB_TRY_OR_DONE(cut_cells(&grid, scale, mesh));
    hang_skin(&grid, shape, mesh);
done:
    lb_release(mesh->host, grid.fill);
    lb_release(mesh->host, grid.nodeIndex);
    lbDestroyShapeQuery(query);
    return result;
}
