/* Loads: forces shared over a region, and pressure on a part of the surface. */
#include "world/world.h"

#include "base/result.h"
#include "body/region.h"

#include <string.h>

enum { loadCookie = 0x6c6f6164 };

lbLoadDef lbDefaultLoadDef(void) {
    return (lbLoadDef){.cookie = loadCookie};
}

/* Each node's share of a force on the region: by mass over nodes, by area over the surface (carried by H^T). */
static void share_force(const lbBody* body, const lbRegion* region, const int* chosen, int count, double* shares) {
    const lbNodeOps* nodes = body->ops->nodes;
    bool onSurface = region->part == lb_partSurface;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        double weight = onSurface ? (double)body->model->skinAreas[chosen[i]] : nodes->relativeMass(body, chosen[i]);
        sum += weight;
        if (!onSurface) {
            shares[chosen[i]] += weight;
            continue;
        }
        int carriers[lb_mostSideNodes];
        float weights[lb_mostSideNodes];
        int carrierCount = nodes->carriers(body, chosen[i], carriers, weights);
        for (int k = 0; k < carrierCount; ++k) {
            shares[carriers[k]] += weight * (double)weights[k];
        }
    }
    for (int i = 0; i < nodes->count(body); ++i) {
        shares[i] /= sum;
    }
}

static bool keep_shares(const lbBody* body, const double* shares, lbLoad* load) {
    load->nodes = LB_NEW(body->host, int, lb_node_count(body));
    load->shares = LB_NEW(body->host, float, lb_node_count(body));
    if (load->nodes == NULL || load->shares == NULL) {
        return false;
    }
    for (int i = 0; i < lb_node_count(body); ++i) {
        if (shares[i] != 0) {
            load->nodes[load->nodeCount] = i;
            load->shares[load->nodeCount++] = (float)shares[i];
        }
    }
    return true;
}

/* Triangles all of whose corners were chosen. */
static bool choose_triangles(const lbBody* body, const int* chosen, int count, lbLoad* load) {
    const lbShape* shape = body->model->shape;
    const int* triangles = lbShape_GetTriangles(shape);
    bool* in = LB_NEW(body->host, bool, body->model->skinPointCount);
    load->triangles = LB_NEW(body->host, int, lbShape_GetTriangleCount(shape));
    if (in == NULL || load->triangles == NULL) {
        lb_release(body->host, in);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        in[chosen[i]] = true;
    }
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        if (in[corner[0]] && in[corner[1]] && in[corner[2]]) {
            load->triangles[load->triangleCount++] = t;
        }
    }
    lb_release(body->host, in);
    return true;
}

static lbResult spread(const lbBody* body, const lbRegion* region, lbLoad* load) {
    int* chosen = NULL;
    int count = 0;
    if (body->ops->nodes == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s; expected a soft body for a load", body->name,
                        body->ops->kind);
    }
    LB_TRY(lb_select_all(body, region, &chosen, &count));
    double* shares = LB_NEW(body->host, double, lb_node_count(body));
    bool enough = shares != NULL;
    if (enough) {
        share_force(body, region, chosen, count, shares);
        enough = keep_shares(body, shares, load);
    }
    if (enough && region->part == lb_partSurface) {
        enough = choose_triangles(body, chosen, count, load);
    }
    lb_release(body->host, shares);
    lb_release(body->host, chosen);
    return enough ? lb_success() : lb_out_of_memory("a load");
}

static lbResult check_values(const lbLoad* load, lbVec3 force, float pressure) {
    if (!vec3_finite(force) || !isfinite(pressure)) {
        return lb_error(lb_errorArgument, "a load's force and pressure must be finite");
    }
    if (pressure != 0 && load->triangleCount == 0) {
        return lb_error(lb_errorArgument,
                        "a pressure of %g Pa needs a region of the surface that holds whole triangles", pressure);
    }
    return lb_success();
}

static void release_load(lbWorld* world, lbLoad* load) {
    lb_release(world->host, load->nodes);
    lb_release(world->host, load->shares);
    lb_release(world->host, load->triangles);
    lb_release(world->host, load);
}

/* Room for the pressures of all of a body's loads and one more, so that none is needed when they change. */
static bool reserve_pressure(lbWorld* world, lbWorldBody* owner) {
    int count = 1;
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        count += load->owner == owner;
    }
    lbPressure* pressures = LB_NEW(world->host, lbPressure, count);
    if (pressures == NULL) {
        return false;
    }
    if (owner->body->pressureCount > 0) {
        memcpy(pressures, owner->body->pressures, (size_t)owner->body->pressureCount * sizeof(*pressures));
    }
    lb_release(world->host, owner->body->pressures);
    owner->body->pressures = pressures;
    return true;
}

lbResult lbCreateLoad(lbWorld* world, const lbLoadDef* def, lbLoadId* id) {
    *id = (lbLoadId){0};
    if (def == NULL || def->cookie != loadCookie) {
        return lb_error(lb_errorArgument, "the load's definition was not made by lbDefaultLoadDef()");
    }
    lbWorldBody* owner = LB_FIND(&world->bodies, def->body);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    lbLoad* load = LB_NEW(world->host, lbLoad, 1);
    if (load == NULL) {
        return lb_out_of_memory("a load");
    }
    *load = (lbLoad){.owner = owner, .force = def->force, .pressure = def->pressure};
    lbResult result = spread(owner->body, &def->region, load);
    if (result.code == lb_ok) {
        result = check_values(load, def->force, def->pressure);
    }
    if (result.code == lb_ok && !reserve_pressure(world, owner)) {
        result = lb_out_of_memory("a load");
    }
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->loads, load) : -1;
    if (slot < 0) {
        release_load(world, load);
        return result.code != lb_ok ? result : lb_out_of_memory("a load");
    }
    owner->body->ops->jump(owner->body); /* forces do */
    lb_apply_loads(world, owner);
    *id = LB_MAKE_ID(lbLoadId, &world->loads, slot);
    return lb_success();
}

void lb_apply_loads(lbWorld* world, lbWorldBody* owner) {
    lbBody* body = owner->body;
    if (body->ops->nodes == NULL) {
        return;
    }
    float* loads = body->ops->nodes->loads(body);
    body->pressureCount = 0;
    memset(loads, 0, 4 * (size_t)lb_node_count(body) * sizeof(float));
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        if (load->owner != owner) {
            continue;
        }
        for (int i = 0; i < load->nodeCount; ++i) {
            float* f = loads + 4 * (size_t)load->nodes[i];
            vec3_store(f, vec3_madd(vec3_load(f), load->shares[i], load->force));
        }
        if (load->pressure != 0) {
            body->pressures[body->pressureCount++] = (lbPressure){load->triangleCount, load->triangles, load->pressure};
        }
    }
}

void lb_destroy_load(lbWorld* world, int slot) {
    lbLoad* load = world->loads.items[slot];
    lb_slots_remove(&world->loads, slot);
    load->owner->body->ops->jump(load->owner->body); /* forces do */
    lb_apply_loads(world, load->owner);
    release_load(world, load);
}

lbResult lbDestroyLoad(lbWorld* world, lbLoadId id) {
    if (LB_FIND(&world->loads, id) == NULL) {
        return lb_no_such("load");
    }
    lb_destroy_load(world, id.index1 - 1);
    return lb_success();
}

lbResult lbLoad_Set(lbWorld* world, lbLoadId id, lbVec3 force, float pressure) {
    lbLoad* load = LB_FIND(&world->loads, id);
    if (load == NULL) {
        return lb_no_such("load");
    }
    LB_TRY(check_values(load, force, pressure));
    load->force = force;
    load->pressure = pressure;
    load->owner->body->ops->jump(load->owner->body); /* forces do */
    lb_apply_loads(world, load->owner);
    return lb_success();
}
