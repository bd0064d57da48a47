#include "body/region.h"

#include "base/result.h"

lbResult lb_check_region(const lbRegion* region) {
    switch (region->kind) {
    case lb_regionAll:
        break;
    case lb_regionBox:
        if (!vec3_finite(region->box.lower) || !vec3_finite(region->box.upper)) {
            return lb_error(lb_errorArgument, "a region's box must be finite");
        }
        break;
    case lb_regionSphere:
        if (!vec3_finite(region->center) || !(region->radius > 0) || !isfinite(region->radius)) {
            return lb_error(lb_errorArgument, "a region's sphere has radius %g; expected more than 0 m",
                            region->radius);
        }
        break;
    case lb_regionHalfSpace:
        if (!vec3_finite(region->point) || !vec3_finite(region->normal) || !(vec3_length(region->normal) > 0)) {
            return lb_error(lb_errorArgument,
                            "a region's half-space needs a finite point and a normal that is not zero");
        }
        break;
    case lb_regionNodes:
        if (region->nodes == NULL || region->nodeCount < 1) {
            return lb_error(lb_errorArgument, "a region's list has %d nodes; expected an array of at least one",
                            region->nodeCount);
        }
        break;
    case lb_regionMesh:
        break;
    case lb_regionGroup:
        if (region->group == NULL || region->group[0] == 0) {
            return lb_error(lb_errorArgument, "a region's group has no name");
        }
        break;
    default:
        return lb_error(lb_errorArgument, "region kind %d does not exist", (int)region->kind);
    }
    if (region->part != lb_partNodes && region->part != lb_partSurface) {
        return lb_error(lb_errorArgument, "region part %d does not exist", (int)region->part);
    }
    return lb_success();
}

bool lb_region_holds(const lbRegion* region, lbVec3 p) {
    switch (region->kind) {
    case lb_regionBox:
        return box_contains(region->box, p);
    case lb_regionSphere:
        return vec3_length(vec3_sub(p, region->center)) <= region->radius;
    case lb_regionHalfSpace:
        return vec3_dot(vec3_sub(p, region->point), region->normal) <= 0;
    default:
        return region->kind == lb_regionAll;
    }
}

bool lb_region_is_named(const lbRegion* region) {
    return region->kind == lb_regionNodes || region->kind == lb_regionMesh || region->kind == lb_regionGroup;
}

lbResult lb_check_region_of(const lbBody* body, const lbRegion* region) {
    LB_TRY(lb_check_region(region));
    if (!lb_region_is_named(region)) {
        return lb_success();
    }
    if (body->ops->nodes == NULL || body->ops->nodes->numbers == NULL) {
        return lb_error(lb_errorArgument,
                        "the region is one of a mesh, but body '%s' is %s, and has no nodes of one mesh", body->name,
                        body->ops->kind);
    }
    if (region->kind == lb_regionMesh) {
        return lb_success();
    }
    bool* marks = LB_NEW(body->host, bool, lb_node_count(body));
    lbResult result = marks != NULL ? body->ops->nodes->markNamed(body, region, marks) : lb_out_of_memory("a region");
    lb_release(body->host, marks);
    return result;
}

/* (nodeCount) the nodes of such a region; NULL: the body has none, or there is no memory. */
static bool* mark_nodes(const lbBody* body, const lbRegion* region) {
    int count = body->ops->nodes != NULL && body->ops->nodes->numbers != NULL ? lb_node_count(body) : 0;
    bool *marks = LB_NEW(body->host, bool, count), *listed = LB_NEW(body->host, bool, count);
    if (marks == NULL || listed == NULL || count == 0) {
        lb_release(body->host, marks);
        lb_release(body->host, listed);
        return NULL;
    }
    if (region->kind == lb_regionMesh) {
        body->ops->nodes->markMeshRegion(body, region->meshRegion, marks);
    } else {
        body->ops->nodes->markNamed(body, region, listed); /* lb_check_region_of told what is wrong */
        for (int i = 0; i < count; ++i) {
            marks[i] = listed[body->ops->nodes->numbers(body)[i]];
        }
    }
    lb_release(body->host, listed);
    return marks;
}

/* Whether all nodes that carry a skin point are marked. */
static bool hangs_on(const lbBody* body, int point, const bool* marks) {
    int nodes[lb_mostSideNodes];
    float weights[lb_mostSideNodes];
    int count = body->ops->nodes->carriers(body, point, nodes, weights);
    bool all = count > 0;
    for (int k = 0; k < count; ++k) {
        all = all && (marks[nodes[k]] || weights[k] == 0);
    }
    return all;
}

int lb_select(const lbBody* body, const lbRegion* region, int* indices, int capacity) {
    bool surface = region->part == lb_partSurface, named = lb_region_is_named(region);
    int total = surface ? body->model->skinPointCount : lb_node_count(body), count = 0;
    bool* marks = named ? mark_nodes(body, region) : NULL;
    for (int i = 0; i < total && (!named || marks != NULL); ++i) {
        if (surface && body->model->skinAreas[i] == 0) {
            continue;
        }
        bool in = named ? (surface ? hangs_on(body, i, marks) : marks[i])
                        : lb_region_holds(region, surface ? lb_skin_start(body, i) : body->ops->nodes->start(body, i));
        if (in) {
            if (count < capacity) {
                indices[count] = i;
            }
            ++count;
        }
    }
    lb_release(body->host, marks);
    return count;
}

lbResult lb_select_all(const lbBody* body, const lbRegion* region, int** indices, int* count) {
    *indices = NULL;
    LB_TRY(lb_check_region_of(body, region));
    *count = lb_select(body, region, NULL, 0);
    if (*count == 0) {
        return lb_error(lb_errorArgument, "the region holds no %s of body '%s'",
                        region->part == lb_partSurface ? "surface point" : "node", body->name);
    }
    *indices = LB_NEW(body->host, int, *count);
    if (*indices == NULL) {
        return lb_out_of_memory("a region");
    }
    lb_select(body, region, *indices, *count);
    return lb_success();
}
