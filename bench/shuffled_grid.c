#include "bench/shuffled_grid.h"

#include "base/math.h"
#include "base/result.h"

#include <string.h>

static unsigned next_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int random_below(unsigned* seed, int end) {
    return (int)(next_random(seed) % (unsigned)end);
}

static void shuffle_nodes(lbMesh* mesh, unsigned* seed, int* newIndex, lbVec3d* nodes) {
    for (int i = 0; i < mesh->nodeCount; ++i) {
        int j = random_below(seed, i + 1);
        newIndex[i] = newIndex[j];
        newIndex[j] = i;
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        nodes[newIndex[i]] = mesh->nodes[i];
    }
    memcpy(mesh->nodes, nodes, (size_t)mesh->nodeCount * sizeof(lbVec3d));
}

static void shuffle_elements(lbMesh* mesh, unsigned* seed, const int* newIndex) {
    for (int i = 0; i < mesh->springCount; ++i) {
        int j = random_below(seed, i + 1);
        lbSpring spring = mesh->springs[i];
        spring.a = newIndex[spring.a], spring.b = newIndex[spring.b];
        mesh->springs[i] = mesh->springs[j];
        mesh->springs[j] = spring;
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        int j = random_below(seed, i + 1);
        lbTet tet = mesh->tets[i];
        for (int k = 0; k < 4; ++k) {
            tet.node[k] = newIndex[tet.node[k]];
        }
        mesh->tets[i] = mesh->tets[j];
        mesh->tets[j] = tet;
    }
}

static lbResult shuffle(lbMesh* mesh) {
    unsigned seed = 1;
    int* newIndex = LB_NEW(mesh->host, int, mesh->nodeCount);
    lbVec3d* nodes = LB_NEW(mesh->host, lbVec3d, mesh->nodeCount);
    bool enough = newIndex != NULL && nodes != NULL;
    if (enough) {
        shuffle_nodes(mesh, &seed, newIndex, nodes);
        shuffle_elements(mesh, &seed, newIndex);
    }
    lb_release(mesh->host, newIndex);
    lb_release(mesh->host, nodes);
    return enough ? lb_success() : lb_out_of_memory("a bench");
}

static lbResult build_mesh(const int cubes[3], lbMesh* mesh) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(0.1f * (float)cubes[0], 0.1f * (float)cubes[1], 0.1f * (float)cubes[2]);
    boxDef.edge = fmaxf(boxDef.size.x, fmaxf(boxDef.size.y, boxDef.size.z));
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.edge = 0.1f;
    lbResult result = lb_mesh_tet_grid(box, &def.mesh, mesh);
    lbDestroyShape(box);
    LB_TRY(result);
    LB_TRY(shuffle(mesh));
    return lb_order_mesh(mesh);
}

static lbResult place_nodes(lbShuffledGrid* grid, lbDeformation deformation) {
    const lbHost* host = grid->mesh.host;
    int64_t size = 4 * (int64_t)grid->mesh.nodeCount;
    grid->x = LB_NEW(host, float, size);
    grid->v = LB_NEW(host, float, size);
    grid->f = LB_NEW(host, float, size);
    if (grid->x == NULL || grid->v == NULL || grid->f == NULL) {
        return lb_out_of_memory("a bench");
    }
    unsigned seed = 2;
    lbQuat turn = quat_from_axis_angle(vec3(1, 1, 0), deformation.angle);
    for (int i = 0; i < grid->mesh.nodeCount; ++i) {
        lbVec3 p = quat_rotate(turn, vec3_from(grid->mesh.nodes[i]));
        float noise = deformation.noise * ((float)next_random(&seed) / 8388608.0f - 1);
        vec3_store(grid->x + 4 * (size_t)i, vec3(deformation.stretch * p.x + noise, p.y, p.z - noise));
        vec3_store(grid->v + 4 * (size_t)i, vec3(noise, 0, -noise));
    }
    return lb_success();
}

lbResult lb_create_shuffled_grid(const lbHost* host, const int cubes[3], lbDeformation deformation,
                                 lbShuffledGrid* grid) {
    *grid = (lbShuffledGrid){.mesh = {.host = host}};
    LB_TRY(build_mesh(cubes, &grid->mesh));
    return place_nodes(grid, deformation);
}

void lb_release_shuffled_grid(lbShuffledGrid* grid) {
    const lbHost* host = grid->mesh.host;
    lb_release_law(host, &grid->law);
    lb_release(host, grid->x);
    lb_release(host, grid->v);
    lb_release(host, grid->f);
    lb_destroy_mesh(&grid->mesh);
}

enum { zeroGrain = 4096 };

static void zero_piece(void* context, int begin, int end) {
    float* f = context;
    memset(f + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
}

void lb_zero_grid_forces(lbShuffledGrid* grid) {
    lb_parallel_for(grid->tasks, grid->mesh.nodeCount, zeroGrain, zero_piece, grid->f);
}

void lb_evaluate_grid(void* argument) {
    lbShuffledGrid* grid = argument;
    lb_zero_grid_forces(grid);
    lb_add_law_forces(&grid->law, grid->tasks, NULL, (lbMoment){0, 0}, grid->x, grid->v, grid->f);
}
