#include "mesh/mesh.h"

#include "base/result.h"
#include "mesh/voxel/voxel.h"

#include <string.h>

typedef lbResult lbMesherFn(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);

static const struct {
    lbKindInfo info;
    lbMesherFn* build;
} meshers[lb_meshKindCount] = {
    [lb_meshTetGrid] = {{"tet-grid", "Grid of tetrahedra",
                         "A grid of cubes through the shape, each cut into five tetrahedra: holds solids"},
                        lb_mesh_tet_grid},
    [lb_meshCloth] = {{"cloth", "Cloth", "The surface itself: springs for structure, shear and bending"},
                      lb_mesh_cloth},
    [lb_meshLayered] = {{"layered", "Two layers",
                         "The surface and a copy of it inside, joined by springs: a shell that keeps its shape"},
                        lb_mesh_layered},
    [lb_meshTets] = {{"tets", "Tetrahedra", "Tetrahedra of bounded angles that end at the surface, whatever the shape"},
                     lb_mesh_stuffed},
    [lb_meshStructured] = {{"structured", "Structured tetrahedra",
                            "An exact mesh of a box, cylinder or tube, in cells along its own directions"},
                           lb_mesh_structured},
    [lb_meshLevels] = {{"levels", "Levels of detail",
                        "Tetrahedra of several sizes: as fine as it must be, where it must be"},
                       NULL},
    [lb_meshVoxels] = {{"voxels", "Voxels",
                        "Hexahedra at any resolution: takes every surface, open or broken, with all its thin parts"},
                       lb_mesh_voxels},
    [lb_meshGiven] = {{"file", "Tetrahedra from a file", "A mesh of tetrahedra that was made elsewhere"}, NULL},
};

lbKindInfo lbMeshKind_GetInfo(lbMeshKind kind) {
    return (unsigned)kind < lb_meshKindCount ? meshers[kind].info : (lbKindInfo){0};
}

const char* lbMeshKind_GetName(lbMeshKind kind) {
    return lbMeshKind_GetInfo(kind).name;
}

bool lbMeshKind_FromName(const char* name, lbMeshKind* kind) {
    for (int i = 0; i < lb_meshKindCount; ++i) {
        if (strcmp(meshers[i].info.name, name) == 0) {
            *kind = (lbMeshKind)i;
            return true;
        }
    }
    return false;
}

static lbResult check_def(const lbMeshDef* def) {
    if ((unsigned)def->kind >= lb_meshKindCount) {
        return lb_error(lb_errorArgument, "mesh kind %d does not exist", (int)def->kind);
    }
    bool sheet = def->kind == lb_meshCloth || def->kind == lb_meshLayered;
    if (sheet && (!(def->thickness > 0) || !isfinite(def->thickness))) {
        return lb_error(lb_errorArgument, "mesh thickness is %g; expected more than 0 m", def->thickness);
    }
    if (!(def->prestrain >= 0 && def->prestrain < 1)) {
        return lb_error(lb_errorArgument, "mesh prestrain is %g; expected at least 0 and less than 1", def->prestrain);
    }
    return lb_success();
}

/* What follows the mesher, if it succeeded. */
static lbResult finish(lbResult result, lbMesh* mesh) {
    if (result.code == lb_ok) {
        result = lb_find_mesh_surface(mesh);
    }
    if (result.code == lb_ok) {
        result = lb_order_mesh(mesh);
    }
    if (result.code != lb_ok) {
        lb_destroy_mesh(mesh);
    }
    return result;
}

lbResult lb_create_mesh(const lbHost* host, const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    *mesh = (lbMesh){.host = host};
    LB_TRY(check_def(def));
    if (meshers[def->kind].build == NULL) {
        return lb_error(lb_errorArgument, "a mesh of kind \"%s\" is not made but given: there is no tetMesh",
                        meshers[def->kind].info.name);
    }
    return finish(meshers[def->kind].build(shape, def, mesh), mesh);
}

lbResult lb_create_given_mesh(const lbHost* host, const lbShape* shape, const lbTetMesh* tets, lbMesh* mesh) {
    *mesh = (lbMesh){.host = host};
    return finish(lb_mesh_given_tets(tets, shape, mesh), mesh);
}

lbResult lb_create_image_mesh(const lbHost* host, const lbShape* shape, const lbVoxelImage* image, const lbMeshDef* def,
                              lbMesh* mesh) {
    *mesh = (lbMesh){.host = host};
    LB_TRY(check_def(def));
    return finish(lb_mesh_image(shape, image, def, mesh), mesh);
}

void lb_destroy_mesh(lbMesh* mesh) {
    const lbHost* host = mesh->host;
    lb_release(host, mesh->hexes);
    lb_destroy_voxels(host, mesh->voxels);
    lb_release(host, mesh->nodes);
    lb_release(host, mesh->nodeVolumes);
    lb_release(host, mesh->nodeNumbers);
    lb_release(host, mesh->springs);
    lb_release(host, mesh->tets);
    lb_release(host, mesh->matter);
    lb_release(host, mesh->groups);
    lb_release(host, mesh->groupNames);
    lb_release(host, mesh->groupNodes);
    lb_release(host, mesh->triangles);
    lb_release(host, mesh->hinges);
    lb_release(host, mesh->skinNodes);
    lb_release(host, mesh->skinWeights);
    lbDestroyShape(mesh->skinShape);
    lb_release(host, mesh->blockStarts);
    *mesh = (lbMesh){.host = host};
}
