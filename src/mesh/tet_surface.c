/* The surface of a tetrahedral mesh: the faces that belong to one tetrahedron only. */
#include "mesh/tet_surface.h"

#include "base/result.h"

#include <string.h>

static int face_node(const lbTetMesh* mesh, int face, int corner) {
    return mesh->tets[(size_t)face / 4 * 4 + (size_t)lb_tetFaces[face % 4][corner]];
}

static void number_points(const lbTetMesh* mesh, const int* across, int* numbers, lbTetSurface* surface) {
    memset(numbers, 0xff, (size_t)mesh->pointCount * sizeof(int));
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        for (int k = 0; across[face] < 0 && k < 3; ++k) {
            numbers[face_node(mesh, face, k)] = 0;
        }
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (numbers[i] == 0) {
            surface->points[surface->pointCount] = i;
            numbers[i] = surface->pointCount++;
        }
    }
}

static void collect_triangles(const lbTetMesh* mesh, const int* across, const int* numbers, lbTetSurface* surface) {
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        if (across[face] >= 0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            surface->triangles[3 * (size_t)surface->triangleCount + (size_t)k] = numbers[face_node(mesh, face, k)];
        }
        surface->tets[surface->triangleCount++] = face / 4;
    }
}

lbResult lb_find_tet_surface(const lbTetMesh* mesh, lbTetSurface* surface) {
    *surface = (lbTetSurface){.host = mesh->host};
    lbFaceMatch match;
    LB_TRY(lb_match_faces(mesh->host, mesh->tets, mesh->tetCount, &match));
    int count = 0;
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        count += match.across[face] < 0;
    }
    int* numbers = LB_NEW(mesh->host, int, mesh->pointCount);
    surface->triangles = LB_NEW(mesh->host, int, 3 * (int64_t)count);
    surface->points = LB_NEW(mesh->host, int, mesh->pointCount);
    surface->tets = LB_NEW(mesh->host, int, count);
    bool complete = numbers != NULL && surface->triangles != NULL && surface->points != NULL && surface->tets != NULL;
    if (complete) {
        number_points(mesh, match.across, numbers, surface);
        collect_triangles(mesh, match.across, numbers, surface);
    }
    lb_release(mesh->host, numbers);
    lb_release(mesh->host, match.across);
    if (!complete) {
        lb_free_tet_surface(surface);
        return lb_out_of_memory("the surface of a tetrahedral mesh");
    }
    return lb_success();
}

void lb_free_tet_surface(lbTetSurface* surface) {
    lb_release(surface->host, surface->points);
    lb_release(surface->host, surface->triangles);
    lb_release(surface->host, surface->tets);
    *surface = (lbTetSurface){.host = surface->host};
}

lbResult lb_make_surface_shape(const lbTetMesh* mesh, const lbTetSurface* surface, lbShape** shape) {
    *shape = NULL;
    float* places = LB_NEW(mesh->host, float, 3 * (int64_t)surface->pointCount);
    if (places == NULL) {
        return lb_out_of_memory("the surface of a tetrahedral mesh");
    }
    for (int i = 0; i < surface->pointCount; ++i) {
        vec3_store(places + 3 * (size_t)i, vec3_from(tet_point(mesh->points, surface->points[i])));
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = surface->pointCount;
    def.points = places;
    def.triangleCount = surface->triangleCount;
    def.triangles = surface->triangles;
    def.host = mesh->host;
    lbResult result = lbCreateShape(&def, shape);
    lb_release(mesh->host, places);
    return result;
}

lbResult lbTetMesh_MakeSurface(const lbTetMesh* mesh, lbShape** surface) {
    *surface = NULL;
    lbTetSurface found;
    LB_TRY(lb_find_tet_surface(mesh, &found));
    lbResult result = lb_make_surface_shape(mesh, &found, surface);
    lb_free_tet_surface(&found);
    return result;
}
