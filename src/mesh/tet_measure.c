/* How good a tetrahedral mesh is. */
#include "mesh/mesher.h"

#include "base/result.h"
#include "mesh/tet_courant.h"
#include "mesh/tet_edges.h"
#include "mesh/tet_surface.h"

#include <string.h>

static void measure_tet(const lbTetMesh* mesh, int tet, lbTetMeshReport* report) {
    lbTetShape shape = tet_shape(mesh->points, mesh->tets + 4 * (size_t)tet);
    for (int i = 0; i < 4; ++i) {
        report->shortestAltitude = fmin(report->shortestAltitude, shape.altitudes[i]);
    }
    report->smallestAngle = fmin(report->smallestAngle, acos(shape.largestCosine) * 180 / LB_PI);
    report->largestAngle = fmax(report->largestAngle, acos(shape.smallestCosine) * 180 / LB_PI);
    report->volume += shape.volume;
}

static lbResult measure_edges(const lbTetMesh* mesh, lbTetMeshReport* report) {
    lbEdgeList list;
    LB_TRY(lb_find_edges(mesh->host, mesh->tets, mesh->tetCount, 4, &list));
    double sum = 0;
    for (int i = 0; i < list.count; ++i) {
        lbVec3d a = tet_point(mesh->points, list.edges[i].a), b = tet_point(mesh->points, list.edges[i].b);
        double length = vec3d_length(vec3d_sub(b, a));
        report->shortestEdge = fmin(report->shortestEdge, length);
        report->longestEdge = fmax(report->longestEdge, length);
        sum += length;
    }
    report->edgeCount = list.count;
    report->meanEdge = sum / list.count;
    lb_free_edges(&list);
    return lb_success();
}

static lbResult count_parts(const lbTetMesh* mesh, int* partCount) {
    lbFaceMatch match;
    LB_TRY(lb_match_faces(mesh->host, mesh->tets, mesh->tetCount, &match));
    int* parents = LB_NEW(mesh->host, int, mesh->tetCount);
    if (parents != NULL) {
        lb_start_sets(parents, mesh->tetCount);
        for (int face = 0; face < 4 * mesh->tetCount; ++face) {
            if (match.across[face] > face) {
                lb_join_sets(parents, face / 4, match.across[face] / 4);
            }
        }
        for (int tet = 0; tet < mesh->tetCount; ++tet) {
            *partCount += parents[tet] == tet;
        }
    }
    lb_release(mesh->host, match.across);
    lb_release(mesh->host, parents);
    return parents != NULL ? lb_success() : lb_out_of_memory("a report");
}

static lbResult measure_surface(const lbTetMesh* mesh, const lbTetSurface* surface, lbTetMeshReport* report) {
    lbEdgeList list;
    LB_TRY(lb_find_edges(mesh->host, surface->triangles, surface->triangleCount, 3, &list));
    report->surfacePointCount = surface->pointCount;
    report->surfaceTriangleCount = surface->triangleCount;
    report->surfaceEulerNumber = surface->pointCount - list.count + surface->triangleCount;
    lb_free_edges(&list);
    bool* pinched = LB_NEW(mesh->host, bool, mesh->pointCount);
    if (pinched == NULL) {
        return lb_out_of_memory("a report");
    }
    lbResult result = lb_find_pinches(mesh, surface, pinched, &report->pinchedEdgeCount);
    for (int i = 0; i < mesh->pointCount; ++i) {
        report->pinchedPointCount += pinched[i];
    }
    lb_release(mesh->host, pinched);
    return result;
}

static lbResult compare(const lbTetMesh* mesh, const lbTetSurface* surface, const lbShape* shape,
                        lbTetMeshReport* report) {
    lbShapeReport found;
    LB_TRY(lbShape_Inspect(shape, &found));
    if (found.oriented && found.volume != 0) {
        report->volumeError = report->volume / found.volume - 1;
    }
    lbShapeQuery* query = NULL;
    LB_TRY(lbCreateShapeQuery(shape, &query));
    report->surfaceDistance = 0;
    for (int i = 0; i < surface->pointCount; ++i) {
        lbVec3d place = tet_point(mesh->points, surface->points[i]);
        lbVec3d nearest = vec3d_from(lbShapeQuery_ClosestPoint(query, vec3_from(place)).point);
        report->surfaceDistance = fmax(report->surfaceDistance, vec3d_length(vec3d_sub(place, nearest)));
    }
    lbDestroyShapeQuery(query);
    return lb_success();
}

lbResult lbTetMesh_Measure(const lbTetMesh* mesh, const lbShape* surface, lbTetMeshReport* report) {
    *report = (lbTetMeshReport){
        .pointCount = mesh->pointCount,
        .tetCount = mesh->tetCount,
        .smallestAngle = 180,
        .shortestEdge = INFINITY,
        .shortestAltitude = INFINITY,
        .volumeError = NAN,
        .surfaceDistance = NAN,
    };
    for (int i = 0; i < mesh->tetCount; ++i) {
        measure_tet(mesh, i, report);
    }
    LB_TRY(lb_find_courant_length(mesh, &report->courantLength));
    LB_TRY(measure_edges(mesh, report));
    LB_TRY(count_parts(mesh, &report->partCount));
    lbTetSurface own;
    LB_TRY(lb_find_tet_surface(mesh, &own));
    lbResult result = measure_surface(mesh, &own, report);
    if (result.code == lb_ok && surface != NULL) {
        result = compare(mesh, &own, surface, report);
    }
    lb_free_tet_surface(&own);
    return result;
}
