/* Box and cloth as grids; sphere and ellipsoid from a subdivided icosahedron. */
#include "shape/generate/generate.h"

#include "base/result.h"

/* ---- Box --------------------------------------------------------------------------------------------------------- */

/* The points of a grid of cells that lie on its surface, counted layer by layer in z: the first and last layers are
 * full, those between are rings. */
typedef struct lbSurfaceGrid {
    int cells[3];
} lbSurfaceGrid;

static int surface_grid_point(const lbSurfaceGrid* grid, const int index[3]) {
    int nx = grid->cells[0], ny = grid->cells[1], nz = grid->cells[2];
    int i = index[0], j = index[1], k = index[2];
    int layer = (nx + 1) * (ny + 1), ring = 2 * (nx + ny);
    if (k == 0) {
        return j * (nx + 1) + i;
    }
    int first = layer + (k - 1) * ring;
    if (k == nz) {
        return first + j * (nx + 1) + i;
    }
    if (j == 0) {
        return first + i;
    }
    if (j == ny) {
        return first + (nx + 1) + 2 * (ny - 1) + i;
    }
    return first + (nx + 1) + 2 * (j - 1) + (i == 0 ? 0 : 1);
}

static void build_box_points(const lbSurfaceGrid* grid, lbVec3 size, lbMeshBuild* build) {
    const int* n = grid->cells;
    for (int k = 0; k <= n[2]; ++k) {
        for (int j = 0; j <= n[1]; ++j) {
            bool whole = k == 0 || k == n[2] || j == 0 || j == n[1];
            for (int i = 0; i <= n[0]; i += whole ? 1 : n[0]) {
                build_point(build, size.x * ((double)i / n[0] - 0.5), size.y * ((double)j / n[1] - 0.5),
                            size.z * ((double)k / n[2] - 0.5));
            }
        }
    }
}

/* Two triangles over the corners of a grid cell; odd cells have the other diagonal, so that no direction is
 * preferred. Corners counter-clockwise, the first at the lower left. */
static void build_cell(lbMeshBuild* build, const int corners[4], const lbTextureCoord texture[4], bool odd) {
    int s = odd ? 1 : 0;
    for (int half = 0; half < 2; ++half) {
        int a = s, b = (s + 1 + half) % 4, c = (s + 2 + half) % 4;
        build_triangle(build, corners[a], corners[b], corners[c]);
        build_texture(build, texture[a], texture[b], texture[c]);
    }
}

/* The side of a box across `axis`, on its positive or negative end; the texture fills each side. */
static void build_box_side(const lbSurfaceGrid* grid, int axis, bool positive, lbMeshBuild* build) {
    /* Texture axes: right and up as seen from outside. */
    int right = axis == 0 ? 2 : 0, up = axis == 1 ? 2 : 1;
    bool rightReversed = (axis == 0 && positive) || (axis == 2 && !positive);
    bool upReversed = axis == 1 && positive;
    int nu = grid->cells[right], nv = grid->cells[up];
    for (int v = 0; v < nv; ++v) {
        for (int u = 0; u < nu; ++u) {
            int corners[4];
            lbTextureCoord texture[4];
            for (int c = 0; c < 4; ++c) {
                int cu = u + (c == 1 || c == 2), cv = v + (c >= 2);
                int index[3];
                index[axis] = positive ? grid->cells[axis] : 0;
                index[right] = rightReversed ? nu - cu : cu;
                index[up] = upReversed ? nv - cv : cv;
                corners[c] = surface_grid_point(grid, index);
                texture[c] = (lbTextureCoord){(float)cu / (float)nu, (float)cv / (float)nv};
            }
            build_cell(build, corners, texture, ((u + v) & 1) != 0);
        }
    }
}

lbResult lb_build_box(const lbGeneratorDef* def, lbMeshBuild* build) {
    double n[3] = {count_steps(def->size.x, def->edge, 1), count_steps(def->size.y, def->edge, 1),
                   count_steps(def->size.z, def->edge, 1)};
    double triangleCount = 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    LB_TRY(lb_check_triangle_count(def->edge, triangleCount));
    lbSurfaceGrid grid = {{(int)n[0], (int)n[1], (int)n[2]}};
    build_reserve(build, (int)triangleCount / 2 + 2, (int)triangleCount);
    if (build->failed) {
        return lb_out_of_memory("a box");
    }
    build_box_points(&grid, def->size, build);
    for (int axis = 0; axis < 3; ++axis) {
        build_box_side(&grid, axis, false, build);
        build_box_side(&grid, axis, true, build);
    }
    return lb_success();
}

/* ---- Cloth ------------------------------------------------------------------------------------------------------- */

lbResult lb_build_cloth(const lbGeneratorDef* def, lbMeshBuild* build) {
    double nx = count_steps(def->size.x, def->edge, 1), nz = count_steps(def->size.z, def->edge, 1);
    LB_TRY(lb_check_triangle_count(def->edge, 2 * nx * nz));
    int columns = (int)nx, rows = (int)nz;
    build_reserve(build, (columns + 1) * (rows + 1), 2 * columns * rows);
    if (build->failed) {
        return lb_out_of_memory("a cloth");
    }
    /* Rows run towards -z, which is up in the texture when seen from above. */
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            build_point(build, def->size.x * (i / nx - 0.5), 0, def->size.z * (0.5 - j / nz));
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            int p = j * (columns + 1) + i;
            float u0 = (float)(i / nx), u1 = (float)((i + 1) / nx), v0 = (float)(j / nz), v1 = (float)((j + 1) / nz);
            build_cell(build, (int[4]){p, p + 1, p + columns + 2, p + columns + 1},
                       (lbTextureCoord[4]){{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}}, ((i + j) & 1) != 0);
        }
    }
    return lb_success();
}

/* ---- Sphere and ellipsoid ---------------------------------------------------------------------------------------- */

enum { cornerCount = 12, sideCount = 20, edgeCount = 30 };

/* An icosahedron with two corners on the y axis, whose sides are cut into `cuts` x `cuts` triangles. Points: the
 * corners, then those along each edge, then those inside each side. */
typedef struct lbIcosahedron {
    int cuts;
    lbVec3d corners[cornerCount];         /* unit vectors */
    int sides[sideCount][3];              /* counter-clockwise */
    int edgeOf[cornerCount][cornerCount]; /* number of the edge between two corners */
    int edges[edgeCount][2];              /* lower corner first */
} lbIcosahedron;

static lbIcosahedron make_icosahedron(int cuts) {
    lbIcosahedron ico = {.cuts = cuts};
    ico.corners[0] = vec3d(0, 1, 0);
    ico.corners[11] = vec3d(0, -1, 0);
    double y = 1 / sqrt(5.0), r = 2 / sqrt(5.0);
    for (int i = 0; i < 5; ++i) {
        double upper = 2 * LB_PI * i / 5, lower = 2 * LB_PI * (i + 0.5) / 5;
        ico.corners[1 + i] = vec3d(r * sin(upper), y, r * cos(upper));
        ico.corners[6 + i] = vec3d(r * sin(lower), -y, r * cos(lower));
    }
    for (int i = 0; i < 5; ++i) {
        int u0 = 1 + i, u1 = 1 + (i + 1) % 5, l0 = 6 + i, l1 = 6 + (i + 1) % 5;
        const int sides[4][3] = {{0, u0, u1}, {u0, l0, u1}, {u1, l0, l1}, {11, l1, l0}};
        for (int s = 0; s < 4; ++s) {
            for (int k = 0; k < 3; ++k) {
                ico.sides[4 * i + s][k] = sides[s][k];
            }
        }
    }
    int count = 0;
    for (int s = 0; s < sideCount; ++s) {
        for (int k = 0; k < 3; ++k) {
            int a = ico.sides[s][k], b = ico.sides[s][(k + 1) % 3];
            if (a < b) { /* each edge is run along both ways, once each */
                ico.edges[count][0] = a, ico.edges[count][1] = b;
                ico.edgeOf[a][b] = count, ico.edgeOf[b][a] = count;
                ++count;
            }
        }
    }
    return ico;
}

/* The point of a side at i steps towards its second corner and j towards its third. */
static int icosahedron_point(const lbIcosahedron* ico, int side, int i, int j) {
    const int* s = ico->sides[side];
    int n = ico->cuts, k = n - i - j;
    if (i == n || j == n || k == n) {
        return s[i == n ? 1 : j == n ? 2 : 0];
    }
    if (i == 0 || j == 0 || k == 0) {
        int from = k == 0 ? s[1] : s[0], to = j == 0 ? s[1] : s[2];
        int steps = j == 0 ? i : j;
        int edge = ico->edgeOf[from][to];
        return cornerCount + edge * (n - 1) + (from < to ? steps : n - steps) - 1;
    }
    int inside = (n - 1) * (n - 2) / 2, row = j - 1;
    int before = row * (n - 2) - row * (row - 1) / 2;
    return cornerCount + edgeCount * (n - 1) + side * inside + before + i - 1;
}

static void build_on_sphere(lbMeshBuild* build, lbVec3d direction, lbVec3d radii) {
    lbVec3d unit = vec3d_normalize(direction);
    build_point(build, radii.x * unit.x, radii.y * unit.y, radii.z * unit.z);
}

static void build_sphere_points(const lbIcosahedron* ico, lbVec3d radii, lbMeshBuild* build) {
    int n = ico->cuts;
    for (int c = 0; c < cornerCount; ++c) {
        build_on_sphere(build, ico->corners[c], radii);
    }
    for (int e = 0; e < edgeCount; ++e) {
        lbVec3d a = ico->corners[ico->edges[e][0]], b = ico->corners[ico->edges[e][1]];
        for (int i = 1; i < n; ++i) {
            build_on_sphere(build, vec3d_add(vec3d_scale(n - i, a), vec3d_scale(i, b)), radii);
        }
    }
    for (int s = 0; s < sideCount; ++s) {
        lbVec3d a = ico->corners[ico->sides[s][0]], b = ico->corners[ico->sides[s][1]];
        lbVec3d c = ico->corners[ico->sides[s][2]];
        for (int j = 1; j < n; ++j) {
            for (int i = 1; i < n - j; ++i) {
                lbVec3d sum = vec3d_add(vec3d_scale(n - i - j, a), vec3d_scale(i, b));
                build_on_sphere(build, vec3d_madd(sum, j, c), radii);
            }
        }
    }
}

/* Longitude and latitude. Beyond the seam u goes on past 1; at a pole it is the middle of the other two. */
static void texture_sphere_triangle(lbMeshBuild* build, const int corners[3], lbVec3d radii) {
    lbTextureCoord texture[3];
    int pole = -1;
    for (int k = 0; k < 3; ++k) {
        lbVec3 p = build->points.data[corners[k]];
        double x = p.x / radii.x, y = p.y / radii.y, z = p.z / radii.z;
        texture[k].u = (float)(0.5 + atan2(x, z) / (2 * LB_PI));
        texture[k].v = (float)(0.5 + asin(fmax(-1, fmin(1, y))) / LB_PI);
        if (corners[k] == 0 || corners[k] == cornerCount - 1) {
            pole = k;
        }
    }
    int first = pole == 0 ? 1 : 0;
    float highest = texture[first].u;
    for (int k = first + 1; k < 3; ++k) {
        highest = k != pole ? fmaxf(highest, texture[k].u) : highest;
    }
    for (int k = 0; k < 3; ++k) {
        texture[k].u += highest - texture[k].u > 0.5f ? 1.0f : 0.0f;
    }
    if (pole >= 0) {
        texture[pole].u = 0.5f * (texture[(pole + 1) % 3].u + texture[(pole + 2) % 3].u);
    }
    build_texture(build, texture[0], texture[1], texture[2]);
}

static void build_sphere_triangles(const lbIcosahedron* ico, lbVec3d radii, lbMeshBuild* build) {
    for (int s = 0; s < sideCount; ++s) {
        for (int j = 0; j < ico->cuts; ++j) {
            for (int i = 0; i < ico->cuts - j; ++i) {
                int a = icosahedron_point(ico, s, i, j), b = icosahedron_point(ico, s, i + 1, j);
                int c = icosahedron_point(ico, s, i, j + 1);
                build_triangle(build, a, b, c);
                texture_sphere_triangle(build, (int[3]){a, b, c}, radii);
                if (i + j + 2 <= ico->cuts) {
                    int d = icosahedron_point(ico, s, i + 1, j + 1);
                    build_triangle(build, b, d, c);
                    texture_sphere_triangle(build, (int[3]){b, d, c}, radii);
                }
            }
        }
    }
}

static lbResult build_cut_icosahedron(double cuts, lbVec3d radii, lbMeshBuild* build) {
    double triangleCount = sideCount * cuts * cuts;
    build_reserve(build, (int)triangleCount / 2 + 2, (int)triangleCount);
    if (build->failed) {
        return lb_out_of_memory("a sphere");
    }
    lbIcosahedron ico = make_icosahedron((int)cuts);
    build_sphere_points(&ico, radii, build);
    build_sphere_triangles(&ico, radii, build);
    return lb_success();
}

static double mean_edge(const lbMeshBuild* build) {
    double sum = 0;
    for (int i = 0; i < build->triangles.count; ++i) {
        lbTriangleIndices t = build->triangles.data[i];
        lbVec3 a = build->points.data[t.a], b = build->points.data[t.b], c = build->points.data[t.c];
        sum += vec3_length(vec3_sub(b, a)) + vec3_length(vec3_sub(c, b)) + vec3_length(vec3_sub(a, c));
    }
    return sum / (3.0 * build->triangles.count);
}

/* Stretching changes the edges: a coarse trial tells how many cuts give the wanted mean. */
static lbResult build_ellipsoid(lbVec3d radii, double edge, lbMeshBuild* build) {
    const double trialCuts = 6;
    lbMeshBuild trial = {.host = build->host};
    lbResult result = build_cut_icosahedron(trialCuts, radii, &trial);
    double cuts = result.code == lb_ok ? count_steps(trialCuts * mean_edge(&trial), edge, 1) : 0;
    build_free(&trial);
    LB_TRY(result);
    LB_TRY(lb_check_triangle_count(edge, sideCount * cuts * cuts));
    return build_cut_icosahedron(cuts, radii, build);
}

lbResult lb_build_sphere(const lbGeneratorDef* def, lbMeshBuild* build) {
    return build_ellipsoid(vec3d(def->radius, def->radius, def->radius), def->edge, build);
}

lbResult lb_build_ellipsoid(const lbGeneratorDef* def, lbMeshBuild* build) {
    return build_ellipsoid(vec3d_scale(0.5, vec3d_from(def->size)), def->edge, build);
}
