/* A tetrahedral mesh as what is simulated: nodes that share the matter of their tetrahedra, springs along all edges,
 * and a skin that hangs on the tetrahedra that hold its points or are nearest to them. */
#include "mesh/mesh.h"

#include "base/result.h"
#include "mesh/groups.h"
#include "mesh/mesher.h"
#include "mesh/solid.h"
#include "mesh/tet_locate.h"

static bool reserve(const lbTetMesh* tets, const lbShape* shape, lbMesh* mesh) {
    const lbHost* host = mesh->host;
    mesh->skinPointCount = lbShape_GetPointCount(shape);
    mesh->skinWidth = 4;
    mesh->nodes = LB_NEW(host, lbVec3d, tets->pointCount);
    mesh->nodeVolumes = LB_NEW(host, double, tets->pointCount);
    mesh->tets = LB_NEW(host, lbTet, tets->tetCount);
    mesh->springs = LB_NEW(host, lbSpring, 6 * (int64_t)tets->tetCount);
    mesh->skinNodes = LB_NEW(host, int, 4 * (int64_t)mesh->skinPointCount);
    mesh->skinWeights = LB_NEW(host, float, 4 * (int64_t)mesh->skinPointCount);
    return mesh->nodes != NULL && mesh->nodeVolumes != NULL && mesh->tets != NULL && mesh->springs != NULL &&
           mesh->skinNodes != NULL && mesh->skinWeights != NULL;
}

static lbResult copy_elements(const lbTetMesh* tets, lbMesh* mesh) {
    mesh->nodeCount = tets->pointCount;
    mesh->tetCount = tets->tetCount;
    for (int i = 0; i < tets->pointCount; ++i) {
        mesh->nodes[i] = tet_point(tets->points, i);
    }
    for (int i = 0; i < tets->tetCount; ++i) {
        const int* node = tets->tets + 4 * (size_t)i;
        double volume = tet_shape(tets->points, node).volume;
        mesh->tets[i] = (lbTet){.node = {node[0], node[1], node[2], node[3]}, .volume = volume};
        mesh->tets[i].region = tets->regions != NULL ? tets->regions[i] : 0;
        for (int k = 0; k < 4; ++k) {
            mesh->nodeVolumes[node[k]] += volume / 4;
        }
        for (int k = 0; k < 6; ++k) {
            const int* edge = lb_tetEdges[k];
            mesh->springs[mesh->springCount++] = (lbSpring){node[edge[0]], node[edge[1]], volume, 1, 1};
        }
    }
    LB_TRY(lb_copy_groups(tets, mesh));
    return lb_merge_springs(mesh->host, mesh->springs, &mesh->springCount);
}

/* A skin point that is a node but for rounding to float32 hangs on that node alone. */
static void snap_to_node(double weights[4]) {
    const double near = 1e-5;
    for (int k = 0; k < 4; ++k) {
        double others = fabs(weights[(k + 1) % 4]) + fabs(weights[(k + 2) % 4]) + fabs(weights[(k + 3) % 4]);
        if (others < near) {
            for (int m = 0; m < 4; ++m) {
                weights[m] = m == k ? 1 : 0;
            }
        }
    }
}

static lbResult hang_skin(const lbTetMesh* tets, const lbShape* shape, lbMesh* mesh) {
    lbTetLocator* locator = NULL;
    LB_TRY(lb_create_tet_locator(tets, &locator));
    const float* points = lbShape_GetPoints(shape);
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        double weights[4];
        int tet = lb_locate_tet(locator, vec3d_load(points + 3 * (size_t)i), weights);
        snap_to_node(weights);
        for (int k = 0; k < 4; ++k) {
            mesh->skinNodes[4 * (size_t)i + (size_t)k] = tets->tets[4 * (size_t)tet + (size_t)k];
            mesh->skinWeights[4 * (size_t)i + (size_t)k] = (float)weights[k];
        }
    }
    lb_destroy_tet_locator(locator);
    return lb_success();
}

lbResult lb_mesh_given_tets(const lbTetMesh* tets, const lbShape* shape, lbMesh* mesh) {
    if (!reserve(tets, shape, mesh)) {
        return lb_out_of_memory("a mesh of tetrahedra");
    }
    LB_TRY(copy_elements(tets, mesh));
    return hang_skin(tets, shape, mesh);
}

/* A twelfth of the longest side where none is given, as for grids. */
static lbResult edge_of(const lbShape* shape, const lbMeshDef* def, double* edge) {
    if (!(def->edge >= 0) || !isfinite(def->edge)) {
        return lb_error(lb_errorArgument, "mesh edge is %g; expected 0 (automatic) or more, in m", (double)def->edge);
    }
    lbVec3 size = box_size(lbShape_GetBounds(shape));
    *edge = def->edge > 0 ? (double)def->edge : (double)fmaxf(size.x, fmaxf(size.y, size.z)) / 12;
    return lb_success();
}

lbResult lb_mesh_stuffed(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    lbMesherDef mesher = lbDefaultMesherDef();
    mesher.relax = def->relax;
    mesher.threadCount = 1;
    mesher.host = mesh->host;
    LB_TRY(edge_of(shape, def, &mesher.edge));
    lbTetMesh* tets = NULL;
    LB_TRY(lbMeshSurface(shape, &mesher, &tets));
    lbResult result = lb_mesh_given_tets(tets, shape, mesh);
    lbDestroyTetMesh(tets);
    return result;
}

lbResult lb_mesh_structured(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    lbSolid solid;
    LB_TRY(lb_recognize_solid(shape, &solid));
    LB_TRY(edge_of(shape, def, &solid.def.edge));
    solid.def.host = mesh->host;
    for (int c = 0; c < 3; ++c) {
        solid.def.cells[c] = def->cells[c];
    }
    lbTetMesh* tets = NULL;
    LB_TRY(lbGenerateTetMesh(&solid.def, &tets));
    lb_place_solid(&solid, tets);
    lbResult result = lb_mesh_given_tets(tets, shape, mesh);
    lbDestroyTetMesh(tets);
    return result;
}
