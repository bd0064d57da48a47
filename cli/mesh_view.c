#include "cli/mesh_view.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"

/* Of each tetrahedron's size; the rest is gap. */
static const double shrunk = 0.92;

typedef struct View {
    const lbHost* host;
    int triangleCount;
    float* points;  /* (triangleCount x 3 x 3) m: three points of its own for each triangle */
    float* colors;  /* (triangleCount x 3 x 4) */
    int* triangles; /* (triangleCount x 3) */
} View;

static lbVec3d centre_of(const lbTetMesh* mesh, int tet) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        sum = vec3d_madd(sum, 0.25, tet_point(mesh->points, mesh->tets[4 * (size_t)tet + (size_t)k]));
    }
    return sum;
}

static double middle_along_z(const lbTetMesh* mesh) {
    double lower = INFINITY, upper = -INFINITY;
    for (int i = 0; i < mesh->pointCount; ++i) {
        lower = fmin(lower, mesh->points[3 * (size_t)i + 2]);
        upper = fmax(upper, mesh->points[3 * (size_t)i + 2]);
    }
    return 0.5 * (lower + upper);
}

static void choose_color(double degrees, float color[4]) {
    static const float red[3] = {0.8f, 0.05f, 0.03f}, white[3] = {0.75f, 0.72f, 0.65f}, blue[3] = {0.05f, 0.2f, 0.6f};
    float share = (float)fmax(0, fmin(1, (degrees - 10) / 50)); /* 10 to 60 degrees */
    for (int c = 0; c < 3; ++c) {
        color[c] =
            share < 0.5f ? red[c] + 2 * share * (white[c] - red[c]) : white[c] + (2 * share - 1) * (blue[c] - white[c]);
    }
    color[3] = 1;
}

static void add_tet(const lbTetMesh* mesh, int tet, View* view) {
    const int* node = mesh->tets + 4 * (size_t)tet;
    lbVec3d centre = centre_of(mesh, tet);
    float color[4];
    choose_color(acos(tet_shape(mesh->points, node).largestCosine) * 180 / LB_PI, color);
    for (int face = 0; face < 4; ++face, ++view->triangleCount) {
        for (int k = 0; k < 3; ++k) {
            size_t point = 3 * (size_t)view->triangleCount + (size_t)k;
            lbVec3d away = vec3d_sub(tet_point(mesh->points, node[lb_tetFaces[face][k]]), centre);
            vec3_store(view->points + 3 * point, vec3_from(vec3d_madd(centre, shrunk, away)));
            view->triangles[point] = (int)point;
            for (int c = 0; c < 4; ++c) {
                view->colors[4 * point + (size_t)c] = color[c];
            }
        }
    }
}

/* Tetrahedra behind the cut with a face that can be seen. */
static void add_visible(const lbTetMesh* mesh, const int* across, View* view) {
    double cut = middle_along_z(mesh);
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        bool seen = false;
        for (int face = 4 * tet; face < 4 * tet + 4; ++face) {
            seen = seen || across[face] < 0 || centre_of(mesh, across[face] / 4).z > cut;
        }
        if (seen && centre_of(mesh, tet).z <= cut) {
            add_tet(mesh, tet, view);
        }
    }
}

static lbResult save(const View* view, const char* path) {
    const lbShapeMaterial white = {.name = "white", .baseColor = {1, 1, 1, 1}, .roughness = 0.6f, .texturePath = ""};
    lbShapeDef def = lbDefaultShapeDef();
    def.materialCount = 1;
    def.materials = &white;
    def.pointCount = 3 * view->triangleCount;
    def.points = view->points;
    def.triangleCount = view->triangleCount;
    def.triangles = view->triangles;
    def.colors = view->colors;
    lbShape* shape = NULL;
    LB_TRY(lbCreateShape(&def, &shape));
    lbResult result = lbShape_Save(shape, path);
    lbDestroyShape(shape);
    return result;
}

lbResult lb_write_mesh_view(const lbTetMesh* mesh, const char* path) {
    const lbHost* host = mesh->host;
    lbFaceMatch match;
    LB_TRY(lb_match_faces(host, mesh->tets, mesh->tetCount, &match));
    int64_t room = 12 * (int64_t)mesh->tetCount; /* four triangles of three points */
    View view = {
        .host = host,
        .points = LB_NEW(host, float, 3 * room),
        .colors = LB_NEW(host, float, 4 * room),
        .triangles = LB_NEW(host, int, room),
    };
    bool complete = view.points != NULL && view.colors != NULL && view.triangles != NULL && room <= INT32_MAX;
    if (complete) {
        add_visible(mesh, match.across, &view);
    }
    lbResult result = complete ? save(&view, path) : lb_out_of_memory("a view of a mesh");
    lb_release(host, match.across);
    lb_release(host, view.points);
    lb_release(host, view.colors);
    lb_release(host, view.triangles);
    return result;
}
