/* An adaptive body's model: the levels meshed or taken, each made a dynamic model, then linked. */
#include "body/adaptive/adaptive_model.h"

#include "base/result.h"
#include "body/adaptive/adaptive_body.h"
#include "mesh/solid.h"

#include <string.h>

static lbAdaptiveModel* own(lbModel* model) {
    return (lbAdaptiveModel*)model;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static lbResult check_def(const lbModelDef* def) {
    if (def->levelMeshCount == 0 && def->mesh.kind != lb_meshLevels) {
        return lb_error(lb_errorArgument,
                        "an adaptive model needs a mesh of kind \"levels\" or meshes of its own; its mesh is \"%s\"",
                        lbMeshKind_GetName(def->mesh.kind) != NULL ? lbMeshKind_GetName(def->mesh.kind) : "?");
    }
    int levels = def->levelMeshCount != 0 ? def->levelMeshCount : def->mesh.levels;
    if (levels < 2 || levels > lb_mostLevels) {
        return lb_error(lb_errorArgument, "levels is %d; expected 2 to %d", levels, lb_mostLevels);
    }
    if (def->levelMeshCount != 0 && def->levelMeshes == NULL) {
        return lb_error(lb_errorArgument, "levelMeshCount is %d, but there are no levelMeshes", def->levelMeshCount);
    }
    if (def->levelMeshCount == 0 && def->shape == NULL) {
        return lb_error(lb_errorArgument, "the model's definition has no shape");
    }
    if (def->penalty.volume > 0 || def->penalty.area > 0 || def->penalty.surface > 0) {
        return lb_error(lb_errorArgument, "an adaptive model takes no penalty; expected 0 for all of them");
    }
    if (def->nodeMass > 0) {
        return lb_error(lb_errorArgument,
                        "nodeMass is %g kg; the nodes of an adaptive model have masses of their own: expected 0",
                        (double)def->nodeMass);
    }
    if (def->elementMatterCount != 0) {
        return lb_error(lb_errorArgument,
                        "matter is given tetrahedron by tetrahedron; expected zones, which all levels share");
    }
    return lb_success();
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

static void destroy_meshes(lbTetMesh** meshes, int count) {
    for (int i = 0; i < count; ++i) {
        lbDestroyTetMesh(meshes[i]);
    }
}

static lbResult edge_of(const lbShape* shape, const lbMeshDef* def, double* edge) {
    if (!(def->edge >= 0) || !isfinite(def->edge)) {
        return lb_error(lb_errorArgument, "mesh edge is %g; expected 0 (automatic) or more, in m", (double)def->edge);
    }
    lbVec3 size = box_size(lbShape_GetBounds(shape));
    *edge = def->edge > 0 ? (double)def->edge : (double)fmaxf(size.x, fmaxf(size.y, size.z)) / 5;
    return lb_success();
}

static lbResult make_structured(const lbHost* host, const lbModelDef* def, double edge, lbTetMesh** meshes) {
    lbSolid solid;
    LB_TRY(lb_recognize_solid(def->shape, &solid));
    solid.def.host = host;
    for (int level = 0; level < def->mesh.levels; ++level, edge /= 2) {
        solid.def.edge = edge;
        lbResult result = lbGenerateTetMesh(&solid.def, &meshes[level]);
        if (result.code != lb_ok) {
            destroy_meshes(meshes, level);
            return result;
        }
        lb_place_solid(&solid, meshes[level]);
    }
    return lb_success();
}

static lbResult make_meshes(const lbHost* host, const lbModelDef* def, lbTetMesh** meshes) {
    double edge = 0;
    LB_TRY(edge_of(def->shape, &def->mesh, &edge));
    if (def->mesh.structured) {
        return make_structured(host, def, edge, meshes);
    }
    lbMesherDef mesher = lbDefaultMesherDef();
    mesher.edge = edge;
    mesher.relax = def->mesh.relax;
    mesher.threadCount = 1;
    mesher.host = host;
    return lbMeshSurfaceLevels(def->shape, &mesher, def->mesh.levels, meshes);
}

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

static lbResult create_level(lbAdaptiveModel* model, const lbModelDef* def, const lbTetMesh* mesh, int level) {
    lbModelDef one = *def;
    lbModel* made = NULL;
    one.kind = lb_modelDynamic;
    one.mesh.kind = lb_meshGiven;
    one.shape = model->base.shape;
    one.tetMesh = mesh;
    one.levelMeshCount = 0;
    one.levelMeshes = NULL;
    LB_TRY(lb_in_context(lb_create_dynamic_model(model->base.host, &one, &made), "level %d", level));
    model->levels[level] = (lbDynamicModel*)made;
    return lb_success();
}

/* Averages over nodes of one level have no meaning where another begins. */
static lbResult check_laws(const lbAdaptiveModel* model) {
    for (int level = 0; level < model->levelCount; ++level) {
        const lbDynamicModel* at = model->levels[level];
        for (int i = 1; i < at->lawCount; ++i) {
            if (!at->laws[i].idle) {
                return lb_error(lb_errorArgument,
                                "poissonsRatio is %g: above 0.4 volumes are averaged around nodes, which an adaptive "
                                "model does not do; expected less, or \"incompressible\": \"none\"",
                                (double)at->material.poissonsRatio);
            }
        }
    }
    return lb_success();
}

static const lbLawInstance* law_of(const lbAdaptiveModel* model, int level) {
    return model->byElements[level].law != NULL ? &model->byElements[level] : &model->levels[level]->laws[0];
}

/* What follows from the material: laws by elements, what is listed of them, masses. */
static lbResult bake_laws(lbAdaptiveModel* model, lbLawInstance* byElements, lbLevelElements* elements) {
    for (int level = 0; level < model->levelCount; ++level) {
        lbDynamicModel* at = model->levels[level];
        const lbLaw* law = at->laws[0].law;
        const lbLawInstance* used = &at->laws[0];
        if (law->parts == NULL) {
            if (law->byElements == NULL) {
                return lb_error(lb_errorArgument, "the law \"%s\" does not work on parts of bodies", law->name);
            }
            lbModelDef def = at->base.ops->define(&at->base);
            LB_TRY(lb_bake_law(law->byElements, &at->mesh, &def, &byElements[level]));
            used = &byElements[level];
        }
        LB_TRY(lb_list_elements(model->base.host, used, &model->hierarchy.levels[level], &elements[level]));
        LB_TRY(lb_measure_slack(model->base.host, &model->hierarchy.levels[level], at->mass, &elements[level]));
    }
    return lb_success();
}

static void release_laws(const lbHost* host, lbLawInstance* byElements, lbLevelElements* elements) {
    for (int level = 0; level < lb_mostLevels; ++level) {
        lb_release_elements(host, &elements[level]);
        lb_release_law(host, &byElements[level]);
    }
}

static void weigh(lbAdaptiveModel* model) {
    const lbDynamicModel* finest = lb_finest_level(model);
    double* masses = model->bakedMass + model->hierarchy.levels[model->levelCount - 1].first;
    model->totalMass = 0;
    for (int i = 0; i < finest->nodeCount; ++i) {
        masses[i] = (double)finest->mass[i];
        model->totalMass += masses[i];
    }
    lb_bake_masses(&model->hierarchy, model->bakedMass);
}

static lbResult bake(lbAdaptiveModel* model, const lbModelDef* def, lbTetMesh* const* meshes) {
    const lbMesh* list[lb_mostLevels];
    for (int level = 0; level < model->levelCount; ++level) {
        LB_TRY(create_level(model, def, meshes[level], level));
        list[level] = &model->levels[level]->mesh;
    }
    LB_TRY(check_laws(model));
    LB_TRY(lb_create_hierarchy(model->base.host, list, model->levelCount, &model->hierarchy));
    model->bakedMass = LB_NEW(model->base.host, double, model->hierarchy.nodeCount);
    if (model->bakedMass == NULL) {
        return lb_out_of_memory("a model");
    }
    model->base.size = lb_finest_level(model)->base.size;
    weigh(model);
    return bake_laws(model, model->byElements, model->elements);
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static void destroy(lbModel* base) {
    lbAdaptiveModel* model = own(base);
    const lbHost* host = base->host;
    release_laws(host, model->byElements, model->elements);
    if (model->hierarchy.host != NULL) {
        lb_release_hierarchy(&model->hierarchy);
    }
    for (int level = 0; level < model->levelCount; ++level) {
        lb_destroy_model(&model->levels[level]->base);
    }
    lb_release(host, model->bakedMass);
    lb_end_model(base);
    lb_release(host, model);
}

static void describe(const lbModel* base, lbModelInfo* info) {
    const lbAdaptiveModel* model = (const lbAdaptiveModel*)base;
    const lbDynamicModel* finest = lb_finest_level(model);
    finest->base.ops->describe(&finest->base, info);
    info->nodeCount = model->hierarchy.nodeCount;
    info->springCount = info->tetCount = 0;
    for (int level = 0; level < model->levelCount; ++level) {
        info->springCount += model->levels[level]->springCount;
        info->tetCount += model->levels[level]->tetCount;
    }
    info->mass = model->totalMass;
}

static lbModelDef define(const lbModel* base) {
    const lbAdaptiveModel* model = (const lbAdaptiveModel*)base;
    lbModelDef def = lb_finest_level(model)->base.ops->define(&lb_finest_level(model)->base);
    def.kind = lb_modelAdaptive;
    def.shape = base->shape;
    def.mesh = model->meshDef;
    return def;
}

/* All levels or none: if one refuses, those before it get their material back. */
static lbResult set_levels(lbAdaptiveModel* model, const lbMaterial* material) {
    lbMaterial before = lb_finest_level(model)->material;
    lbResult result = lb_success();
    for (int level = 0; level < model->levelCount && result.code == lb_ok; ++level) {
        lbModel* at = &model->levels[level]->base;
        result = at->ops->setMaterial(at, material);
        for (int k = 0; result.code != lb_ok && k < level; ++k) {
            lbResult back = model->levels[k]->base.ops->setMaterial(&model->levels[k]->base, &before);
            (void)back; /* it was theirs */
        }
    }
    return result;
}

/* Laws have been baked anew, even if with the same material: whoever packed some of their elements packs again. */
static void point_to_laws(lbAdaptiveModel* model) {
    for (int level = 0; level < model->levelCount; ++level) {
        model->elements[level].law = law_of(model, level);
    }
    weigh(model);
    ++model->bakedCount;
}

static lbResult set_material(lbModel* base, const lbMaterial* material) {
    lbAdaptiveModel* model = own(base);
    lbMaterial before = lb_finest_level(model)->material;
    lbLawInstance byElements[lb_mostLevels] = {0};
    lbLevelElements elements[lb_mostLevels] = {0};
    lbResult result = set_levels(model, material);
    bool set = result.code == lb_ok;
    result = result.code == lb_ok ? check_laws(model) : result;
    result = result.code == lb_ok ? bake_laws(model, byElements, elements) : result;
    if (result.code != lb_ok) {
        release_laws(base->host, byElements, elements);
        lbResult back = set ? set_levels(model, &before) : lb_success();
        (void)back; /* it was theirs */
    } else {
        release_laws(base->host, model->byElements, model->elements);
        memcpy(model->byElements, byElements, sizeof(byElements));
        memcpy(model->elements, elements, sizeof(elements));
    }
    point_to_laws(model);
    return result;
}

/* Of all levels: what is shown of them is what is active. */
static lbResult list_edges(const lbModel* base, int* edges, int capacity, int* count) {
    const lbAdaptiveModel* model = (const lbAdaptiveModel*)base;
    int total = 0;
    for (int level = 0; level < model->levelCount; ++level) {
        int room = capacity > total ? capacity - total : 0, here = 0, first = model->hierarchy.levels[level].first;
        LB_TRY(lb_list_edges(&model->levels[level]->mesh, room > 0 ? edges + 2 * (size_t)total : NULL, room, &here));
        for (int i = 0; i < 2 * int_min(here, room); ++i) {
            edges[2 * (size_t)total + (size_t)i] += first;
        }
        total += here;
    }
    *count = total;
    return lb_success();
}

static const lbModelOps adaptiveModelOps = {
    .kind = "adaptive",
    .destroy = destroy,
    .createBody = lb_create_adaptive_body,
    .describe = describe,
    .define = define,
    .setMaterial = set_material,
    .listEdges = list_edges,
};

static lbResult copy_shape(const lbModelDef* def, const lbTetMesh* finest, lbShape** shape) {
    return def->shape != NULL ? lbShape_Transform(def->shape, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0), shape)
                              : lbTetMesh_MakeSurface(finest, shape);
}

static lbResult create(const lbHost* host, const lbModelDef* def, lbTetMesh* const* meshes, int count,
                       lbModel** model) {
    lbShape* shape = NULL;
    LB_TRY(copy_shape(def, meshes[count - 1], &shape));
    lbAdaptiveModel* made = LB_NEW(host, lbAdaptiveModel, 1);
    if (made == NULL) {
        lbDestroyShape(shape);
        return lb_out_of_memory("a model");
    }
    made->meshDef = def->mesh;
    made->meshDef.kind = lb_meshLevels;
    made->levelCount = count;
    lbResult result = lb_begin_model(&made->base, &adaptiveModelOps, host, shape);
    result = result.code == lb_ok ? bake(made, def, meshes) : result;
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    *model = &made->base;
    return lb_success();
}

lbResult lb_create_adaptive_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    LB_TRY(check_def(def));
    if (def->levelMeshCount > 0) {
        lbTetMesh* given[lb_mostLevels];
        for (int i = 0; i < def->levelMeshCount; ++i) {
            if (def->levelMeshes[i] == NULL) {
                return lb_error(lb_errorArgument, "level %d has no mesh", i);
            }
            given[i] = (lbTetMesh*)def->levelMeshes[i];
        }
        return create(host, def, given, def->levelMeshCount, model);
    }
    lbTetMesh* meshes[lb_mostLevels] = {0};
    LB_TRY(make_meshes(host, def, meshes));
    lbResult result = create(host, def, meshes, def->mesh.levels, model);
    destroy_meshes(meshes, def->mesh.levels);
    return result;
}
