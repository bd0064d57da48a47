#include "record/glb_animation.h"

#include "base/result.h"

#include <string.h>

lbResult lb_glb_surface_create(const lbHost* host, const lbRecordedSurface* recorded, lbGlbSurface* surface) {
    *surface = (lbGlbSurface){.host = host, .recorded = recorded};
    LB_TRY(lb_gltf_mesh_create(host, recorded->shape, &surface->mesh));
    surface->base = LB_NEW(host, float, 3 * (int64_t)surface->mesh.vertexCount);
    if (surface->base == NULL) {
        lb_glb_surface_destroy(surface);
        return lb_out_of_memory("a recording's surface");
    }
    return lb_success();
}

void lb_glb_surface_destroy(lbGlbSurface* surface) {
    if (surface->host == NULL) {
        return;
    }
    const lbHost* host = surface->host;
    for (int k = 0; surface->normals != NULL && k < surface->basis.modeCount; ++k) {
        lb_release(host, surface->normals[k]);
    }
    lb_release(host, surface->normals);
    lb_release(host, surface->baseNormals);
    lb_release(host, surface->balance);
    lb_release(host, surface->balanceNormals);
    lb_release(host, surface->weights);
    lb_release(host, surface->translations);
    lb_release(host, surface->rotations);
    lb_release(host, surface->base);
    LB_FREE_ARRAY(host, &surface->poses);
    lb_basis_destroy(&surface->basis);
    lb_gltf_mesh_destroy(&surface->mesh);
    *surface = (lbGlbSurface){0};
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* The diagonal of the box around the points that triangles use. */
static double measure_size(const lbShape* shape, const float* positions) {
    const int* triangles = lbShape_GetTriangles(shape);
    lbBox box = box_empty();
    for (int64_t i = 0; i < 3 * (int64_t)lbShape_GetTriangleCount(shape); ++i) {
        box = box_include(box, vec3_load(positions + 3 * (int64_t)triangles[i]));
    }
    return vec3d_length(vec3d_from(box_size(box)));
}

static lbResult begin_with_frame(lbGlbSurface* surface, const float* positions, double tolerance) {
    int pointCount = surface->mesh.pointCount;
    lbVec3 mean = lb_mean_point(positions, pointCount);
    for (int64_t i = 0; i < pointCount; ++i) {
        vec3_store(surface->base + 3 * i, vec3_sub(vec3_load(positions + 3 * i), mean));
    }
    surface->size = measure_size(surface->recorded->shape, positions);
    if (!LB_PUSH(surface->host, &surface->poses, ((lbPose){mean, quat_identity()}))) {
        return lb_out_of_memory("a recording's frame");
    }
    return lb_basis_create(surface->host, pointCount, 3 * (int64_t)surface->mesh.vertexCount, tolerance * surface->size,
                           surface->modeLimit, &surface->basis);
}

lbResult lb_glb_surface_add_frame(lbGlbSurface* surface, const float* positions, double tolerance, double* rest) {
    int pointCount = surface->mesh.pointCount;
    if (surface->poses.count == 0) {
        LB_TRY(begin_with_frame(surface, positions, tolerance));
    } else {
        lbPose previous = surface->poses.data[surface->poses.count - 1];
        lbPose pose = lb_fit_pose(surface->base, positions, pointCount, previous);
        if (!LB_PUSH(surface->host, &surface->poses, pose)) {
            return lb_out_of_memory("a recording's frame");
        }
    }
    lb_remove_pose(surface->poses.data[surface->poses.count - 1], surface->base, positions, pointCount, rest);
    return lb_basis_add(&surface->basis, rest);
}

/* ---- Finishing --------------------------------------------------------------------------------------------------- */

static lbResult allocate_results(lbGlbSurface* surface) {
    const lbHost* host = surface->host;
    int64_t frames = surface->poses.count, modes = surface->basis.modeCount;
    int64_t numbers = 3 * (int64_t)surface->mesh.vertexCount;
    surface->targetCount = modes > 0 ? surface->basis.modeCount + 1 : 0;
    int64_t weightCount = frames * surface->targetCount;
    surface->weights = LB_NEW(host, float, weightCount);
    surface->translations = LB_NEW(host, float, 3 * frames);
    surface->rotations = LB_NEW(host, float, 4 * frames);
    surface->baseNormals = LB_NEW(host, float, numbers);
    surface->normals = LB_NEW(host, float*, modes);
    surface->balance = LB_NEW(host, float, numbers);
    surface->balanceNormals = LB_NEW(host, float, numbers);
    bool made = surface->weights != NULL && surface->translations != NULL && surface->rotations != NULL &&
                surface->baseNormals != NULL && surface->normals != NULL && surface->balance != NULL &&
                surface->balanceNormals != NULL;
    for (int64_t k = 0; made && k < modes; ++k) {
        surface->normals[k] = LB_NEW(host, float, numbers);
        made = surface->normals[k] != NULL;
    }
    return made ? lb_success() : lb_out_of_memory("a recording's morph targets");
}

static void copy_poses(lbGlbSurface* surface) {
    for (int64_t f = 0; f < surface->poses.count; ++f) {
        lbPose pose = surface->poses.data[f];
        vec3_store(surface->translations + 3 * f, pose.position);
        float rotation[4] = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
        memcpy(surface->rotations + 4 * f, rotation, sizeof(rotation));
    }
}

/* Makes each mode as long as the motion needs it: its coordinates then just fit into -1 to 1. */
static void scale_modes_to_motion(lbGlbSurface* surface) {
    lbReducedBasis* basis = &surface->basis;
    int64_t modes = basis->modeCount, frames = surface->poses.count;
    for (int64_t k = 0; k < modes; ++k) {
        double largest = 0;
        for (int64_t f = 0; f < frames; ++f) {
            largest = fmax(largest, fabs(basis->coordinates[f * modes + k]));
        }
        for (int64_t f = 0; f < frames && largest > 0; ++f) {
            basis->coordinates[f * modes + k] /= largest;
        }
        for (int64_t i = 0; i < 3 * (int64_t)surface->mesh.pointCount; ++i) {
            basis->modes[k][i] = (float)((double)basis->modes[k][i] * largest);
        }
    }
}

/* to += weight * from */
static void add_scaled(float* to, float weight, const float* from, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        to[i] += weight * from[i];
    }
}

static void subtract_base_normals(const lbGlbSurface* surface, float* normals) {
    for (int64_t i = 0; i < surface->mesh.pointCount; ++i) {
        float* n = normals + 3 * i;
        bool missing = n[0] == 0 && n[1] == 0 && n[2] == 0;
        lbVec3 base = vec3_load(surface->baseNormals + 3 * i);
        vec3_store(n, missing ? vec3(0, 0, 0) : vec3_sub(vec3_load(n), base));
    }
}

/* What the modes do to the normals: the least-squares fit over all frames of normals - base normals = sum of weight x
 * change. The weights of different modes are uncorrelated (lb_basis_compress), so each mode has its own quotient. */
static lbResult fit_normals(lbGlbSurface* surface) {
    const lbShape* shape = surface->recorded->shape;
    int64_t numbers = 3 * (int64_t)surface->mesh.pointCount, modes = surface->basis.modeCount;
    lb_gltf_mesh_normals(&surface->mesh, surface->base, surface->baseNormals);
    float* positions = LB_NEW(surface->host, float, numbers);
    float* normals = LB_NEW(surface->host, float, numbers);
    double* squares = LB_NEW(surface->host, double, modes);
    bool made = positions != NULL && normals != NULL && squares != NULL;
    for (int64_t f = 0; made && modes > 0 && f < surface->poses.count; ++f) {
        const double* weights = surface->basis.coordinates + f * modes;
        memcpy(positions, surface->base, (size_t)numbers * sizeof(float));
        for (int64_t k = 0; k < modes; ++k) {
            add_scaled(positions, (float)weights[k], surface->basis.modes[k], numbers);
            squares[k] += weights[k] * weights[k];
        }
        lbShape_ComputeNormals(shape, positions, normals);
        subtract_base_normals(surface, normals);
        for (int64_t k = 0; k < modes; ++k) {
            add_scaled(surface->normals[k], (float)weights[k], normals, numbers);
        }
    }
    for (int64_t k = 0; made && k < modes; ++k) {
        for (int64_t i = 0; i < numbers && squares[k] > 0; ++i) {
            surface->normals[k][i] = (float)((double)surface->normals[k][i] / squares[k]);
        }
    }
    lb_release(surface->host, positions);
    lb_release(surface->host, normals);
    lb_release(surface->host, squares);
    return made ? lb_success() : lb_out_of_memory("a recording's normals");
}

/* Doubles the fields, and makes `balance` minus their sum. */
static void balance_fields(float** fields, int fieldCount, float* balance, int64_t numbers) {
    for (int64_t i = 0; i < numbers; ++i) {
        double sum = 0;
        for (int k = 0; k < fieldCount; ++k) {
            fields[k][i] *= 2;
            sum += (double)fields[k][i];
        }
        balance[i] = (float)-sum;
    }
}

/* Blender and Assimp cut off weights below 0 and above 1, so a mode cannot swing both ways about the base. But since
 * the balance undoes the same share t of all modes, adding t to every weight, its own too, changes nothing: per frame
 * the least t that leaves no weight below 0. Coordinates are -1 to 1; halved, all weights are 0 to 1. */
static void make_weights(lbGlbSurface* surface) {
    int modes = surface->basis.modeCount;
    int64_t numbers = 3 * (int64_t)surface->mesh.pointCount;
    for (int64_t f = 0; modes > 0 && f < surface->poses.count; ++f) {
        const double* coordinates = surface->basis.coordinates + f * modes;
        float* weights = surface->weights + f * surface->targetCount;
        double shift = 0;
        for (int k = 0; k < modes; ++k) {
            shift = fmax(shift, -coordinates[k]);
        }
        for (int k = 0; k < modes; ++k) {
            weights[k] = (float)(0.5 * (coordinates[k] + shift));
        }
        weights[modes] = (float)(0.5 * shift);
    }
    balance_fields(surface->basis.modes, modes, surface->balance, numbers);
    balance_fields(surface->normals, modes, surface->balanceNormals, numbers);
}

lbResult lb_glb_surface_finish(lbGlbSurface* surface) {
    const lbGltfMesh* mesh = &surface->mesh;
    LB_TRY(lb_basis_compress(&surface->basis));
    LB_TRY(allocate_results(surface));
    copy_poses(surface);
    scale_modes_to_motion(surface);
    LB_TRY(fit_normals(surface));
    make_weights(surface);
    lb_gltf_mesh_fill_seams(mesh, surface->base, 3);
    lb_gltf_mesh_fill_seams(mesh, surface->balance, 3);
    lb_gltf_mesh_fill_seams(mesh, surface->balanceNormals, 3);
    for (int k = 0; k < surface->basis.modeCount; ++k) {
        lb_gltf_mesh_fill_seams(mesh, surface->basis.modes[k], 3);
        lb_gltf_mesh_fill_seams(mesh, surface->normals[k], 3);
    }
    return lb_success();
}
