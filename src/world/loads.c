/* Loads: forces and moments shared over a region, traction and pressure on a part of the surface. */
#include "world/world.h"

#include "base/result.h"
#include "body/region.h"

#include <string.h>

enum { loadCookie = 0x6c6f6164 };

lbLoadDef lbDefaultLoadDef(void) {
    return (lbLoadDef){.cookie = loadCookie};
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

/* Adds `weight` to what the nodes that carry a skin point get (H^T). */
static void add_to_carriers(const lbBody* body, int point, double weight, double* shares) {
    int carriers[lb_mostSideNodes];
    float weights[lb_mostSideNodes];
    int count = body->ops->nodes->carriers(body, point, carriers, weights);
    for (int k = 0; k < count; ++k) {
        shares[carriers[k]] += weight * (double)weights[k];
    }
}

/* An even traction: each triangle's area, a third to each corner. Triangles at the rim that are not in the region get
 * nothing, or the points that they share with it would get too much. Returns the area, m^2. */
static double share_by_triangles(const lbBody* body, const lbLoad* load, double* shares) {
    const lbShape* shape = body->model->shape;
    const float* points = lbShape_GetPoints(shape);
    double sum = 0;
    for (int i = 0; i < load->triangleCount; ++i) {
        const int* corner = lbShape_GetTriangles(shape) + 3 * (size_t)load->triangles[i];
        lbVec3d a = vec3d_load(points + 3 * (size_t)corner[0]);
        lbVec3d ab = vec3d_sub(vec3d_load(points + 3 * (size_t)corner[1]), a);
        lbVec3d ac = vec3d_sub(vec3d_load(points + 3 * (size_t)corner[2]), a);
        double area = 0.5 * vec3d_length(vec3d_cross(ab, ac));
        sum += area;
        for (int k = 0; k < 3; ++k) {
            add_to_carriers(body, corner[k], area / 3, shares);
        }
    }
    return sum;
}

/* Each node's share of a force on the region: by mass over nodes, evenly over the surface; single points of it by the
 * area around them. */
static void share_force(const lbBody* body, const lbRegion* region, const int* chosen, int count, lbLoad* load,
                        double* shares) {
    double sum = 0;
    if (region->part == lb_partSurface) {
        load->area = share_by_triangles(body, load, shares);
        sum = load->area;
        for (int i = 0; i < count && !(load->area > 0); ++i) {
            add_to_carriers(body, chosen[i], (double)body->model->skinAreas[chosen[i]], shares);
            sum += (double)body->model->skinAreas[chosen[i]];
        }
    } else {
        for (int i = 0; i < count; ++i) {
            shares[chosen[i]] = body->ops->nodes->relativeMass(body, chosen[i]);
            sum += shares[chosen[i]];
        }
    }
    for (int i = 0; i < lb_node_count(body); ++i) {
        shares[i] /= sum;
    }
}

/* Where the nodes of a load lie about their middle, and how they resist to be turned about it. */
static void measure_arms(const lbBody* body, lbLoad* load) {
    lbVec3d middle = {0, 0, 0};
    for (int i = 0; i < load->nodeCount; ++i) {
        lbVec3d x = vec3d_from(body->ops->nodes->start(body, load->nodes[i]));
        middle = vec3d_madd(middle, (double)load->shares[i], x);
    }
    double J[6] = {0};
    for (int i = 0; i < load->nodeCount; ++i) {
        lbVec3d arm = vec3d_sub(vec3d_from(body->ops->nodes->start(body, load->nodes[i])), middle);
        double w = (double)load->shares[i], square = vec3d_dot(arm, arm);
        load->arms[i] = vec3_from(arm);
        J[0] += w * (square - arm.x * arm.x), J[1] += w * (square - arm.y * arm.y);
        J[2] += w * (square - arm.z * arm.z), J[3] -= w * arm.x * arm.y;
        J[4] -= w * arm.x * arm.z, J[5] -= w * arm.y * arm.z;
    }
    double a = J[1] * J[2] - J[5] * J[5], b = J[4] * J[5] - J[3] * J[2], c = J[3] * J[5] - J[4] * J[1];
    double determinant = J[0] * a + J[3] * b + J[4] * c, size = J[0] + J[1] + J[2];
    if (determinant > 1e-9 * size * size * size) {
        const double inverse[6] = {a, J[0] * J[2] - J[4] * J[4], J[0] * J[1] - J[3] * J[3], b,
                                   c, J[3] * J[4] - J[0] * J[5]};
        for (int k = 0; k < 6; ++k) {
            load->inverse[k] = inverse[k] / determinant;
        }
    }
}

static bool keep_shares(const lbBody* body, const double* shares, lbLoad* load) {
    load->nodes = LB_NEW(body->host, int, lb_node_count(body));
    load->shares = LB_NEW(body->host, float, lb_node_count(body));
    load->arms = LB_NEW(body->host, lbVec3, lb_node_count(body));
    if (load->nodes == NULL || load->shares == NULL || load->arms == NULL) {
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
    if (enough && region->part == lb_partSurface) {
        enough = choose_triangles(body, chosen, count, load);
    }
    if (enough) {
        share_force(body, region, chosen, count, load, shares);
        enough = keep_shares(body, shares, load);
    }
    if (enough) {
        measure_arms(body, load);
    }
    lb_release(body->host, shares);
    lb_release(body->host, chosen);
    return enough ? lb_success() : lb_out_of_memory("a load");
}

static lbResult check_values(const lbLoad* load) {
    if (!vec3_finite(load->force) || !vec3_finite(load->moment) || !vec3_finite(load->traction) ||
        !isfinite(load->pressure)) {
        return lb_error(lb_errorArgument, "a load's force, moment, traction and pressure must be finite");
    }
    if (load->pressure != 0 && load->triangleCount == 0) {
        return lb_error(lb_errorArgument,
                        "a pressure of %g Pa needs a region of the surface that holds whole triangles", load->pressure);
    }
    lbVec3 t = load->traction, m = load->moment;
    if (!vec3_is_zero(t) && load->triangleCount == 0) {
        return lb_error(lb_errorArgument,
                        "a traction of (%g, %g, %g) Pa needs a region of the surface that holds whole triangles", t.x,
                        t.y, t.z);
    }
    if (!vec3_is_zero(m) && load->inverse[0] == 0) {
        return lb_error(lb_errorArgument,
                        "a moment of (%g, %g, %g) N m needs a region of at least three nodes that are not on a line",
                        m.x, m.y, m.z);
    }
    return lb_success();
}

static void release_load(lbWorld* world, lbLoad* load) {
    lb_release(world->host, load->nodes);
    lb_release(world->host, load->shares);
    lb_release(world->host, load->arms);
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
    *load = (lbLoad){.owner = owner,
                     .force = def->force,
                     .moment = def->moment,
                     .traction = def->traction,
                     .pressure = def->pressure};
    lbResult result = spread(owner->body, &def->region, load);
    if (result.code == lb_ok) {
        result = check_values(load);
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

/* t, so that forces share t x arm make the moment. */
static lbVec3 turning_of(const lbLoad* load) {
    lbVec3d m = vec3d_from(load->moment);
    const double* j = load->inverse;
    return vec3_from(vec3d(j[0] * m.x + j[3] * m.y + j[4] * m.z, j[3] * m.x + j[1] * m.y + j[5] * m.z,
                           j[4] * m.x + j[5] * m.y + j[2] * m.z));
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
        lbVec3 force = vec3_madd(load->force, (float)load->area, load->traction), turning = turning_of(load);
        for (int i = 0; i < load->nodeCount; ++i) {
            float* f = loads + 4 * (size_t)load->nodes[i];
            lbVec3 own = vec3_add(force, vec3_cross(turning, load->arms[i]));
            vec3_store(f, vec3_madd(vec3_load(f), load->shares[i], own));
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

/* Takes new values, if they will do. */
static lbResult change(lbWorld* world, lbLoadId id, lbVec3 force, lbVec3 moment, lbVec3 traction, float pressure) {
    lbLoad* load = LB_FIND(&world->loads, id);
    lbLoad before = *load;
    load->force = force;
    load->moment = moment;
    load->traction = traction;
    load->pressure = pressure;
    lbResult result = check_values(load);
    if (result.code != lb_ok) {
        *load = before;
        return result;
    }
    load->owner->body->ops->jump(load->owner->body); /* forces do */
    lb_apply_loads(world, load->owner);
    return lb_success();
}

lbResult lbLoad_Set(lbWorld* world, lbLoadId id, lbVec3 force, float pressure) {
    const lbLoad* load = LB_FIND(&world->loads, id);
    return load != NULL ? change(world, id, force, load->moment, load->traction, pressure) : lb_no_such("load");
}

lbResult lbLoad_SetMoment(lbWorld* world, lbLoadId id, lbVec3 moment) {
    const lbLoad* load = LB_FIND(&world->loads, id);
    return load != NULL ? change(world, id, load->force, moment, load->traction, load->pressure) : lb_no_such("load");
}

lbResult lbLoad_SetTraction(lbWorld* world, lbLoadId id, lbVec3 traction) {
    const lbLoad* load = LB_FIND(&world->loads, id);
    return load != NULL ? change(world, id, load->force, load->moment, traction, load->pressure) : lb_no_such("load");
}

lbResult lbLoad_GetArea(const lbWorld* world, lbLoadId id, double* area) {
    const lbLoad* load = LB_FIND(&world->loads, id);
    if (load == NULL) {
        return lb_no_such("load");
    }
    *area = load->area;
    return lb_success();
}
