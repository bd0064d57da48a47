/* From leaves to hexahedra: leaves of one cell of the lattice that faces connect become a hexahedron, so that parts
 * that are apart stay apart, however coarse the lattice is (two legs, two fingers). Hexahedra share the nodes of a face
 * where leaves of theirs meet across it; a cell of the lattice holds several where that tells them apart, as in N.
 * Molino, Z. Bao and R. Fedkiw, A Virtual Node Algorithm for Changing Mesh Topology During Simulation, 2004. */
#include "mesh/voxel/voxel.h"

#include "base/morton.h"
#include "base/result.h"
#include "mesh/disjoint_sets.h"
#include "mesh/mesh.h"

#include <limits.h>
#include <string.h>

void lb_destroy_voxels(const lbHost* host, lbVoxels* voxels) {
    if (voxels != NULL) {
        lb_release(host, voxels->place);
        lb_release(host, voxels->leafStarts);
        lb_release(host, voxels->leaves);
        lb_release(host, voxels->contents);
        lb_release(host, voxels->samples);
        lb_release(host, voxels->matters);
        lb_release(host, voxels);
    }
}

void lb_leaf_position(uint32_t place, int position[3]) {
    position[0] = position[1] = position[2] = 0;
    for (int bit = 0; bit < mostVoxelLevels; ++bit) {
        for (int c = 0; c < 3; ++c) {
            position[c] |= (int)(place >> (3 * bit + c) & 1) << bit;
        }
    }
}

/* What is found on the way. */
typedef struct Merging {
    lbLeafGrid* grid;
    const lbHost* host;
    bool join;           /* parts of a cell are one */
    int hexes[3];        /* cells of the lattice along each axis */
    int partCount;       /* hexahedra, some of which may turn out to be one */
    LB_ARRAY(int) cells; /* (partCount) cell of the lattice */
    int* corners;        /* (partCount x 8) sets of corners that are one node */
    int* partOf;         /* (partCount) the part it is merged with; itself */
    int* hexOf;          /* (partCount) number of the hexahedron */
} Merging;

static int64_t leaf_of(const Merging* m, int cell, int local) {
    int wide = 1 << m->grid->levels, i = cell % m->hexes[0], j = cell / m->hexes[0] % m->hexes[1];
    int k = cell / m->hexes[0] / m->hexes[1], position[3];
    lb_leaf_position((uint32_t)local, position);
    return leaf_index(m->grid, i * wide + position[0], j * wide + position[1], k * wide + position[2]);
}

/* ---- Which leaves go together ------------------------------------------------------------------------------------ */

static bool holds(const lbLeafGrid* grid, int64_t leaf) {
    return grid->fill[leaf] > 0;
}

/* Gives the part to all leaves of the cell that faces connect to `start`. `stack`: (leaves of a cell). */
static void spread_part(const Merging* m, int cell, int start, int part, int* stack) {
    int wide = 1 << m->grid->levels, count = 0;
    stack[count++] = start;
    m->grid->part[leaf_of(m, cell, start)] = part;
    while (count > 0) {
        int position[3];
        lb_leaf_position((uint32_t)stack[--count], position);
        for (int n = 0; n < 6; ++n) {
            int next[3] = {position[0], position[1], position[2]};
            next[n / 2] += n % 2 == 0 ? 1 : -1;
            if (next[n / 2] < 0 || next[n / 2] >= wide) {
                continue;
            }
            int local = (int)morton_key((uint64_t)next[0], (uint64_t)next[1], (uint64_t)next[2]);
            int64_t leaf = leaf_of(m, cell, local);
            if (holds(m->grid, leaf) && m->grid->part[leaf] < 0) {
                m->grid->part[leaf] = part;
                stack[count++] = local;
            }
        }
    }
}

static bool find_cell_parts(Merging* m, int cell, int* stack) {
    int leavesPerCell = 1 << (3 * m->grid->levels), first = m->partCount;
    for (int local = 0; local < leavesPerCell; ++local) {
        int64_t leaf = leaf_of(m, cell, local);
        if (!holds(m->grid, leaf) || m->grid->part[leaf] >= 0) {
            continue;
        }
        if (m->join && m->partCount > first) {
            m->grid->part[leaf] = first;
            continue;
        }
        if (!LB_PUSH(m->host, &m->cells, cell)) {
            return false;
        }
        if (m->join) {
            m->grid->part[leaf] = m->partCount++;
        } else {
            spread_part(m, cell, local, m->partCount++, stack);
        }
    }
    return true;
}

static lbResult find_parts(Merging* m) {
    int cellCount = m->hexes[0] * m->hexes[1] * m->hexes[2];
    int* stack = LB_NEW(m->host, int, 1 << (3 * m->grid->levels));
    bool enough = stack != NULL;
    for (int64_t i = 0; i < leaf_count(m->grid); ++i) {
        m->grid->part[i] = -1;
    }
    for (int cell = 0; cell < cellCount && enough; ++cell) {
        enough = find_cell_parts(m, cell, stack);
    }
    lb_release(m->host, stack);
    return enough ? lb_success() : lb_out_of_memory("voxels");
}

/* ---- Which corners are one node ---------------------------------------------------------------------------------- */

static void join_faces(Merging* m, int64_t leaf, int64_t next, int axis) {
    int p = m->grid->part[leaf], q = m->grid->part[next], bit = 1 << axis;
    if (p < 0 || q < 0 || m->cells.data[p] == m->cells.data[q]) {
        return;
    }
    for (int corner = 0; corner < 8; ++corner) {
        if (corner & bit) {
            lb_join_sets(m->corners, 8 * p + corner, 8 * q + (corner ^ bit));
        }
    }
}

static void join_across_faces(Merging* m) {
    const lbLeafGrid* grid = m->grid;
    int wide = 1 << grid->levels;
    lb_start_sets(m->corners, 8 * m->partCount);
    for (int k = 0; k < grid->count[2]; ++k) {
        for (int j = 0; j < grid->count[1]; ++j) {
            for (int i = 0; i < grid->count[0]; ++i) {
                const int at[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    if ((at[axis] + 1) % wide == 0 && at[axis] + 1 < grid->count[axis]) {
                        join_faces(m, leaf_index(grid, i, j, k),
                                   leaf_index(grid, i + (axis == 0), j + (axis == 1), k + (axis == 2)), axis);
                    }
                }
            }
        }
    }
}

/* Where parts are joined, all that meet at a place are one node. */
static bool join_at_places(Merging* m) {
    int64_t places = (int64_t)(m->hexes[0] + 1) * (m->hexes[1] + 1) * (m->hexes[2] + 1);
    int* first = LB_NEW(m->host, int, places);
    if (first == NULL) {
        return false;
    }
    for (int i = 0; i < 8 * m->partCount; ++i) {
        int cell = m->cells.data[i / 8], x = cell % m->hexes[0] + (i & 1);
        int y = cell / m->hexes[0] % m->hexes[1] + (i >> 1 & 1), z = cell / m->hexes[0] / m->hexes[1] + (i >> 2 & 1);
        int64_t at = x + (m->hexes[0] + 1) * (y + (int64_t)(m->hexes[1] + 1) * z);
        if (first[at] == 0) {
            first[at] = i + 1;
        } else {
            lb_join_sets(m->corners, first[at] - 1, i);
        }
    }
    lb_release(m->host, first);
    return true;
}

/* Parts of a cell that have all nodes in common are not told apart by being two. Parts of a cell follow one another. */
static void merge_equal_parts(Merging* m, int* hexCount) {
    *hexCount = 0;
    for (int p = 0; p < m->partCount; ++p) {
        m->partOf[p] = p;
        for (int q = p - 1; q >= 0 && m->cells.data[q] == m->cells.data[p] && m->partOf[p] == p; --q) {
            bool same = true;
            for (int corner = 0; corner < 8 && same; ++corner) {
                same = lb_find_set(m->corners, 8 * p + corner) == lb_find_set(m->corners, 8 * q + corner);
            }
            m->partOf[p] = same ? m->partOf[q] : p;
        }
        m->hexOf[p] = m->partOf[p] == p ? (*hexCount)++ : m->hexOf[m->partOf[p]];
    }
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

static bool make_nodes(const Merging* m, lbMesh* mesh) {
    const lbLeafGrid* grid = m->grid;
    int wide = 1 << grid->levels;
    int* numbers = LB_NEW(m->host, int, 8 * (int64_t)m->partCount);
    if (numbers == NULL) {
        return false;
    }
    for (int i = 0; i < 8 * m->partCount; ++i) {
        int root = lb_find_set(m->corners, i), cell = m->cells.data[i / 8];
        if (root == i) {
            mesh->nodes[mesh->nodeCount] = leaf_place(grid, wide * (cell % m->hexes[0] + (i & 1)),
                                                      wide * (cell / m->hexes[0] % m->hexes[1] + (i >> 1 & 1)),
                                                      wide * (cell / m->hexes[0] / m->hexes[1] + (i >> 2 & 1)));
            numbers[i] = mesh->nodeCount++;
        }
        mesh->hexes[m->hexOf[i / 8]].node[i % 8] = numbers[root];
    }
    lb_release(m->host, numbers);
    return true;
}

static bool fill_voxels(Merging* m, lbMesh* mesh) {
    lbVoxels* voxels = mesh->voxels;
    int leavesPerCell = 1 << (3 * m->grid->levels), last = -1;
    int64_t total = 0;
    for (int p = 0; p < m->partCount; ++p) {
        int cell = m->cells.data[p], *place = voxels->place[m->hexOf[p]];
        place[0] = cell % m->hexes[0], place[1] = cell / m->hexes[0] % m->hexes[1];
        place[2] = cell / m->hexes[0] / m->hexes[1];
        voxels->duplicateCount += m->partOf[p] == p && last == cell;
        last = cell;
    }
    for (int64_t i = 0; i < leaf_count(m->grid); ++i) {
        if (m->grid->part[i] >= 0) {
            m->grid->part[i] = m->hexOf[m->grid->part[i]];
            ++voxels->leafStarts[m->grid->part[i] + 1];
            ++total;
        }
        voxels->boundaryCount += m->grid->state[i] == lb_leafBoundary;
        voxels->insideCount += m->grid->state[i] == lb_leafInside;
    }
    for (int h = 0; h < voxels->hexCount; ++h) {
        voxels->leafStarts[h + 1] += voxels->leafStarts[h];
    }
    voxels->leaves = LB_NEW(m->host, lbVoxelLeaf, total);
    int64_t* next = LB_NEW(m->host, int64_t, voxels->hexCount);
    if (voxels->leaves == NULL || next == NULL) {
        lb_release(m->host, next);
        return false;
    }
    memcpy(next, voxels->leafStarts, (size_t)voxels->hexCount * sizeof(int64_t));
    for (int p = 0, before = -1; p < m->partCount; before = m->cells.data[p], ++p) {
        for (int local = 0; m->cells.data[p] != before && local < leavesPerCell; ++local) {
            int64_t leaf = leaf_of(m, m->cells.data[p], local);
            if (m->grid->part[leaf] >= 0) {
                voxels->leaves[next[m->grid->part[leaf]]++] = (lbVoxelLeaf){
                    (uint32_t)local, m->grid->fill[leaf], m->grid->label != NULL ? m->grid->label[leaf] : (uint16_t)0};
            }
        }
    }
    lb_release(m->host, next);
    return true;
}

/* What leaves weigh beside their fill, so that the whole weighs what the surface encloses. */
static double find_mass_scale(const lbLeafGrid* grid) {
    double sum = 0;
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        sum += grid->fill[i];
    }
    sum *= grid->cell.x * grid->cell.y * grid->cell.z / voxelFull;
    return grid->volume > 0 && sum > 0 ? grid->volume / sum : 1;
}

static lbResult make_mesh(Merging* m, const lbMeshDef* def, int hexCount, lbMesh* mesh) {
    const lbHost* host = m->host;
    const lbLeafGrid* grid = m->grid;
    int wide = 1 << grid->levels;
    mesh->hexCount = hexCount;
    mesh->hexes = LB_NEW(host, lbHex, hexCount);
    mesh->nodes = LB_NEW(host, lbVec3d, 8 * (int64_t)hexCount);
    mesh->nodeVolumes = LB_NEW(host, double, 8 * (int64_t)hexCount);
    mesh->voxels = LB_NEW(host, lbVoxels, 1);
    if (mesh->hexes == NULL || mesh->nodes == NULL || mesh->nodeVolumes == NULL || mesh->voxels == NULL) {
        return lb_out_of_memory("voxels");
    }
    *mesh->voxels = (lbVoxels){.origin = grid->origin,
                               .cell = vec3d_scale(wide, grid->cell),
                               .levels = grid->levels,
                               .stiffness = def->stiffness,
                               .massScale = find_mass_scale(grid),
                               .hexCount = hexCount,
                               .place = (int(*)[3])lb_allocate(host, hexCount, sizeof(int[3])),
                               .leafStarts = LB_NEW(host, int64_t, hexCount + 1)};
    bool enough =
        mesh->voxels->place != NULL && mesh->voxels->leafStarts != NULL && make_nodes(m, mesh) && fill_voxels(m, mesh);
    return enough ? lb_success() : lb_out_of_memory("voxels");
}

lbResult lb_merge_leaves(lbLeafGrid* grid, const lbMeshDef* def, lbMesh* mesh) {
    Merging m = {.grid = grid, .host = mesh->host, .join = def->joinParts};
    int hexCount = 0;
    for (int c = 0; c < 3; ++c) {
        m.hexes[c] = grid->count[c] >> grid->levels;
    }
    grid->part = LB_NEW(mesh->host, int, leaf_count(grid));
    lbResult result = grid->part != NULL ? find_parts(&m) : lb_out_of_memory("voxels");
    if (result.code == lb_ok && m.partCount == 0) {
        result = lb_error(lb_errorArgument, "the surface leaves every cell empty: there is nothing to simulate");
    }
    if (result.code == lb_ok && m.partCount > INT_MAX / 16) {
        result = lb_error(lb_errorArgument, "%d hexahedra are too many", m.partCount);
    }
    if (result.code == lb_ok) {
        m.corners = LB_NEW(mesh->host, int, 8 * (int64_t)m.partCount);
        m.partOf = LB_NEW(mesh->host, int, m.partCount);
        m.hexOf = LB_NEW(mesh->host, int, m.partCount);
        bool enough = m.corners != NULL && m.partOf != NULL && m.hexOf != NULL;
        if (enough) {
            join_across_faces(&m);
            enough = !m.join || join_at_places(&m);
        }
        result = enough ? lb_success() : lb_out_of_memory("voxels");
    }
    if (result.code == lb_ok) {
        merge_equal_parts(&m, &hexCount);
        result = make_mesh(&m, def, hexCount, mesh);
    }
    LB_FREE_ARRAY(mesh->host, &m.cells);
    lb_release(mesh->host, m.corners);
    lb_release(mesh->host, m.partOf);
    lb_release(mesh->host, m.hexOf);
    return result;
}
