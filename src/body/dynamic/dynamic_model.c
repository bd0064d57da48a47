/* A dynamic body's model: meshed, weighed, and its laws baked. */
#include "body/dynamic/dynamic_model.h"
#include "body/dynamic/rest_compliance.h"

#include "base/assert.h"
#include "base/result.h"
#include "base/symmetric.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/matter.h"
#include "law/averaged_volume.h"
#include "law/hexes.h"
#include "limber/describe.h"
#include "mesh/voxel/voxel.h"

#include <string.h>

/* m. Far beyond any scene; squares and cubes of such lengths are still finite. */
static const float largestSize = 1e9f;

double lbMaterial_GetWaveSpeed(const lbMaterial* material) {
    double modulus = material->youngsModulus, ratio = material->poissonsRatio;
    double stiffness = modulus * (1 - ratio) / ((1 + ratio) * (1 - 2 * ratio)); /* lambda + 2 mu */
    return sqrt(stiffness / (double)material->density);
}

static lbResult check_number(const char* name, double value, double above, bool mayEqual, const char* unit) {
    bool enough = mayEqual ? value >= above : value > above;
    if (!isfinite(value) || !enough) {
        return lb_error(lb_errorArgument, "%s is %g; expected %s %g%s%s", name, value,
                        mayEqual ? "at least" : "more than", above, unit[0] != 0 ? " " : "", unit);
    }
    return lb_success();
}

/* Of a definition to make a model from; that of a model that was made has no tetMesh. */
static lbResult check_shape(const lbModelDef* def) {
    if ((def->mesh.kind == lb_meshGiven) != (def->tetMesh != NULL)) {
        return lb_error(lb_errorArgument, "the model's definition has %s; expected both or neither",
                        def->tetMesh != NULL ? "a tetMesh, but its mesh's kind is not lb_meshGiven"
                                             : "a mesh of kind lb_meshGiven, but no tetMesh");
    }
    if (def->image != NULL && def->mesh.kind != lb_meshVoxels) {
        return lb_error(lb_errorArgument,
                        "the model's definition has an image, but its mesh's kind is not lb_meshVoxels");
    }
    if (def->shape == NULL && def->tetMesh == NULL && def->image == NULL) {
        return lb_error(lb_errorArgument, "the model's definition has no shape");
    }
    return lb_success();
}

static lbResult check_def(const lbModelDef* def) {
    if ((unsigned)def->law.incompressible > lb_incompressibleNone) {
        return lb_error(lb_errorArgument, "incompressible is %d; expected lb_incompressibleAveraged or None",
                        (int)def->law.incompressible);
    }
    if (lb_find_law(def->law.kind) == NULL) {
        return lb_error(lb_errorArgument, "law kind %d does not exist", (int)def->law.kind);
    }
    if (lbMeshKind_GetName(def->mesh.kind) != NULL && !lbLawKind_WorksOn(def->law.kind, def->mesh.kind)) {
        return lb_error(lb_errorArgument, "the law \"%s\" does not work on the mesh \"%s\"",
                        lbLawKind_GetName(def->law.kind), lbMeshKind_GetName(def->mesh.kind));
    }
    const lbMaterial* material = &def->material;
    LB_TRY(check_number("density", material->density, 0, false, "kg/m^3"));
    LB_TRY(check_number("youngsModulus", material->youngsModulus, 0, false, "Pa"));
    LB_TRY(check_number("stiffnessDamping", material->stiffnessDamping, 0, true, "s"));
    LB_TRY(check_number("massDamping", material->massDamping, 0, true, "1/s"));
    LB_TRY(check_number("springStiffness", def->law.springStiffness, 0, true, "N/m"));
    LB_TRY(check_number("springDamping", def->law.springDamping, 0, true, "N s/m"));
    LB_TRY(check_number("penalty.volume", def->penalty.volume, 0, true, "Pa"));
    LB_TRY(check_number("penalty.area", def->penalty.area, 0, true, "N/m"));
    LB_TRY(check_number("penalty.surface", def->penalty.surface, 0, true, "N/m"));
    LB_TRY(check_number("nodeMass", def->nodeMass, 0, true, "kg"));
    if (!(material->poissonsRatio > -1 && material->poissonsRatio < 0.5f)) {
        return lb_error(lb_errorArgument, "poissonsRatio is %g; expected more than -1 and less than 0.5",
                        material->poissonsRatio);
    }
    return lb_success();
}

static lbResult place_nodes(lbDynamicModel* model) {
    const lbMesh* mesh = &model->mesh;
    lbVec3d lower = mesh->nodes[0], upper = mesh->nodes[0];
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d p = mesh->nodes[i];
        vec3_store(model->rest + 4 * (size_t)i, vec3_from(p));
        lower = vec3d(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = vec3d(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    model->base.size = (float)vec3d_length(vec3d_sub(upper, lower));
    if (!(model->base.size <= largestSize)) {
        return lb_error(lb_errorArgument, "the body is %g m across; expected at most %g m", (double)model->base.size,
                        (double)largestSize);
    }
    return lb_success();
}

/* `masses` is scratch: (nodeCount). */
static lbResult weigh_nodes(lbDynamicModel* model, const lbModelDef* def, double* masses) {
    const lbMesh* mesh = &model->mesh;
    lbVec3d moment = {0, 0, 0};
    model->totalMass = 0;
    lb_find_node_masses(mesh, &def->material, masses);
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d p = mesh->nodes[i];
        double mass = def->nodeMass > 0 ? (double)def->nodeMass : masses[i];
        if (!(mass > 0) || !isfinite(1 / (float)mass)) {
            return lb_error(lb_errorArgument, "node %d at (%g, %g, %g) has a mass of %g kg; expected more than 0", i,
                            p.x, p.y, p.z, mass);
        }
        model->mass[i] = (float)mass;
        model->inverseMass[i] = (float)(1 / mass);
        model->totalMass += mass;
        moment = vec3d_madd(moment, mass, p);
    }
    model->center = vec3_from(vec3d_scale(1 / model->totalMass, moment));
    return lb_success();
}

/* The largest eigenvalue of a block divided by its node's mass. Most nodes are passed over by a cheaper bound. */
static double largest_rate(const lbDynamicModel* model, const float* blocks) {
    double largest = 0;
    for (int i = 0; i < model->nodeCount; ++i) {
        const float* block = blocks + 6 * (size_t)i;
        double inverseMass = model->inverseMass[i];
        if ((double)symmetric_row_bound(block) * inverseMass > largest) {
            largest = fmax(largest, symmetric_largest_eigenvalue(block) * inverseMass);
        }
    }
    return largest;
}

lbMotionBound lb_bound_motion(const lbDynamicModel* model, const float* activation, const float* x, float* blocks) {
    float *stiffness = blocks, *damping = blocks + 6 * (size_t)model->nodeCount;
    memset(blocks, 0, 12 * (size_t)model->nodeCount * sizeof(float));
    for (int i = 0; i < model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&model->laws[i], blocks + 12 * (size_t)model->nodeCount);
        lb_bound_law(&law, i == 0 ? activation : NULL, x, stiffness, damping);
    }
    return (lbMotionBound){sqrt(largest_rate(model, stiffness)),
                           largest_rate(model, damping) + (double)model->material.massDamping};
}

static lbResult bound_rest(lbDynamicModel* model) {
    float* blocks = LB_NEW(model->base.host, float, lb_boundNumbers*(int64_t)model->nodeCount);
    if (blocks == NULL) {
        return lb_out_of_memory("a model");
    }
    model->bound = lb_bound_motion(model, NULL, model->rest, blocks);
    lb_release(model->base.host, blocks);
    return lb_success();
}

/* Which laws there are follows from the mesh and the definition's law, never from a material that may be changed while
 * bodies, muscles and matrices refer to them: laws that have nothing to do are idle. */
static lbResult bake_laws(lbDynamicModel* model, const lbModelDef* def) {
    const lbMesh* mesh = &model->mesh;
    if (mesh->hexCount > 0 && (def->penalty.volume > 0 || def->penalty.area > 0 || def->penalty.surface > 0)) {
        return lb_error(lb_errorArgument, "penalties are for springs and tetrahedra; a mesh of voxels takes none");
    }
    if (def->penalty.volume > 0 && mesh->tetCount == 0) {
        return lb_error(lb_errorArgument, "a volume penalty needs a mesh of tetrahedra; %s has none",
                        lbMeshKind_GetName(def->mesh.kind));
    }
    const struct {
        const lbLaw* law;
        bool wanted;
    } laws[] = {
        {lb_find_law_on(def->law.kind, def->mesh.kind), true}, {&lb_averagedVolume, lb_may_average_volume(mesh, def)},
        {&lb_volumePenalty, def->penalty.volume > 0},          {&lb_areaPenalty, def->penalty.area > 0},
        {&lb_surfacePenalty, def->penalty.surface > 0},
    };
    enum { most = sizeof(laws) / sizeof(laws[0]) };
    model->laws = LB_NEW(model->base.host, lbLawInstance, most);
    if (model->laws == NULL) {
        return lb_out_of_memory("a model");
    }
    for (int i = 0; i < most; ++i) {
        if (laws[i].wanted) {
            lbLawInstance* instance = &model->laws[model->lawCount];
            LB_TRY(model->assembly != NULL ? lb_bake_law(laws[i].law, mesh, def, instance)
                                           : lb_bake_law_unless_idle(laws[i].law, mesh, def, instance));
            ++model->lawCount;
        }
    }
    return lb_success();
}

/* What follows from the mesh alone. */
static lbResult bake_mesh(lbDynamicModel* model) {
    const lbMesh* mesh = &model->mesh;
    model->nodeCount = mesh->nodeCount;
    model->springCount = mesh->springCount;
    model->tetCount = mesh->tetCount;
    model->skin = (lbSkin){mesh->skinPointCount, mesh->skinWidth, mesh->skinNodes, mesh->skinWeights};
    model->rest = LB_NEW(model->base.host, float, 4 * (int64_t)mesh->nodeCount);
    if (model->rest == NULL) {
        return lb_out_of_memory("a model");
    }
    return place_nodes(model);
}

/* What follows from the material too. */
static lbResult bake_material(lbDynamicModel* model, const lbModelDef* def) {
    model->material = def->material;
    model->mass = LB_NEW(model->base.host, float, model->nodeCount);
    model->inverseMass = LB_NEW(model->base.host, float, model->nodeCount);
    if (model->mass == NULL || model->inverseMass == NULL) {
        return lb_out_of_memory("a model");
    }
    double* masses = LB_NEW(model->base.host, double, model->nodeCount);
    if (masses == NULL) {
        return lb_out_of_memory("a model");
    }
    lbResult result = weigh_nodes(model, def, masses);
    lb_release(model->base.host, masses);
    LB_TRY(result);
    LB_TRY(bake_laws(model, def));
    return bound_rest(model);
}

static void forget_material(lbDynamicModel* model) {
    model->laws = NULL;
    model->lawCount = 0;
    model->mass = model->inverseMass = NULL;
    model->compliances = NULL;
}

static void release_material(lbDynamicModel* model) {
    for (int i = 0; i < model->lawCount; ++i) {
        lb_release_law(model->base.host, &model->laws[i]);
    }
    lb_destroy_rest_compliances(model->base.host, model->compliances);
    lb_release(model->base.host, model->laws);
    lb_release(model->base.host, model->mass);
    lb_release(model->base.host, model->inverseMass);
    forget_material(model);
}

static lbResult copy_matter(lbDynamicModel* model, const lbModelDef* def) {
    LB_TRY(lb_fill_matter(def, &model->mesh));
    if (def->zoneCount > 0) {
        model->zones = LB_NEW(model->base.host, lbZone, def->zoneCount);
        if (model->zones == NULL) {
            return lb_out_of_memory("zones");
        }
        memcpy(model->zones, def->zones, (size_t)def->zoneCount * sizeof(lbZone));
        model->zoneCount = def->zoneCount;
    }
    if (def->elementMatter != NULL) {
        model->elementMatter = LB_NEW(model->base.host, lbMatter, def->elementMatterCount);
        if (model->elementMatter == NULL) {
            return lb_out_of_memory("zones");
        }
        memcpy(model->elementMatter, def->elementMatter, (size_t)def->elementMatterCount * sizeof(lbMatter));
    }
    return lb_success();
}

static const lbModelOps dynamicModelOps;

static lbResult copy_shape(const lbModelDef* def, lbShape** shape) {
    if (def->shape != NULL) {
        return lbShape_Transform(def->shape, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0), shape);
    }
    return def->image != NULL ? lbVoxelImage_MakeSurface(def->image, shape)
                              : lbTetMesh_MakeSurface(def->tetMesh, shape);
}

static lbResult bake(lbDynamicModel* model, const lbModelDef* def) {
    const lbHost* host = model->base.host;
    LB_TRY(def->tetMesh != NULL ? lb_create_given_mesh(host, model->base.shape, def->tetMesh, &model->mesh)
           : def->image != NULL ? lb_create_image_mesh(host, model->base.shape, def->image, &def->mesh, &model->mesh)
                                : lb_create_mesh(host, model->base.shape, &def->mesh, &model->mesh));
    if (model->mesh.skinShape != NULL) {
        lbShape* shape = model->mesh.skinShape;
        model->mesh.skinShape = NULL;
        LB_TRY(lb_change_model_surface(&model->base, shape));
    }
    LB_TRY(copy_matter(model, def));
    LB_TRY(bake_mesh(model));
    return bake_material(model, def);
}

lbResult lb_create_dynamic_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    LB_TRY(check_def(def));
    LB_TRY(check_shape(def));
    lbShape* shape = NULL;
    LB_TRY(copy_shape(def, &shape));
    lbDynamicModel* made = LB_NEW(host, lbDynamicModel, 1);
    if (made == NULL) {
        lbDestroyShape(shape);
        return lb_out_of_memory("a model");
    }
    *made = (lbDynamicModel){.mesh = {.host = host},
                             .meshDef = def->mesh,
                             .lawDef = def->law,
                             .penalty = def->penalty,
                             .nodeMass = def->nodeMass};
    lbResult result = lb_begin_model(&made->base, &dynamicModelOps, host, shape);
    if (result.code == lb_ok) {
        result = bake(made, def);
    }
    if (result.code != lb_ok) {
        lb_destroy_model(&made->base);
        return result;
    }
    *model = &made->base;
    return lb_success();
}

static lbModelDef define(const lbModel* base) {
    const lbDynamicModel* model = (const lbDynamicModel*)base;
    lbModelDef def = lbDefaultModelDef();
    def.shape = base->shape;
    def.mesh = model->meshDef;
    def.material = model->material;
    def.law = model->lawDef;
    def.penalty = model->penalty;
    def.nodeMass = model->nodeMass;
    def.zoneCount = model->zoneCount;
    def.zones = model->zones;
    def.elementMatterCount = model->elementMatter != NULL ? model->tetCount : 0;
    def.elementMatter = model->elementMatter;
    return def;
}

static int count_matrices(const lbDynamicModel* model) {
    return model->mesh.hexCount > 0 ? ((const lbHexes*)model->laws[0].elements)->distinctCount : 0;
}

static lbVec3 hex_size(const lbMesh* mesh) {
    return mesh->hexCount > 0 ? vec3_from(mesh->voxels->cell) : vec3(0, 0, 0);
}

static void describe(const lbModel* base, lbModelInfo* info) {
    const lbDynamicModel* model = (const lbDynamicModel*)base;
    *info = (lbModelInfo){
        .nodeCount = model->nodeCount,
        .springCount = model->springCount,
        .hexCount = model->mesh.hexCount,
        .hexMatrixCount = count_matrices(model),
        .hexSize = hex_size(&model->mesh),
        .tetCount = model->tetCount,
        .skinPointCount = base->skinPointCount,
        .skinTriangleCount = lbShape_GetTriangleCount(base->shape),
        .mass = model->totalMass,
        .highestFrequency = model->bound.frequency,
        .stableStep = lb_symplecticEuler.stableStep(model->bound.frequency, model->bound.damping),
    };
}

static lbResult list_edges(const lbModel* base, int* edges, int capacity, int* count) {
    return lb_list_edges(&((const lbDynamicModel*)base)->mesh, edges, capacity, count);
}

/* A hexahedron is six tetrahedra around the diagonal from its first corner to its last: one for each order in which the
 * three axes can be gone along; every other order turns the other way round. */
static void put_hex(const lbHex* hex, int tets[6][4]) {
    static const int between[6][2] = {{1, 3}, {2, 6}, {4, 5}, {5, 1}, {3, 2}, {6, 4}};
    for (int i = 0; i < 6; ++i) {
        tets[i][0] = hex->node[0];
        tets[i][1] = hex->node[between[i][0]];
        tets[i][2] = hex->node[between[i][1]];
        tets[i][3] = hex->node[7];
    }
}

static void list_tets(const lbModel* base, int* tets, int capacity, int* count) {
    const lbMesh* mesh = &((const lbDynamicModel*)base)->mesh;
    *count = mesh->tetCount + 6 * mesh->hexCount;
    for (int i = 0; i < mesh->tetCount && i < capacity; ++i) {
        memcpy(tets + 4 * (size_t)i, mesh->tets[i].node, sizeof(mesh->tets[i].node));
    }
    for (int i = 0; i < mesh->hexCount && mesh->tetCount + 6 * (i + 1) <= capacity; ++i) {
        put_hex(&mesh->hexes[i], (int(*)[4])(tets + 4 * (size_t)(mesh->tetCount + 6 * i)));
    }
}

/* Which elements stand where follows from the mesh and the plan, not from the material. Where there are no matrices,
 * nothing refers to the elements of laws that are idle, and they need not be there. */
static bool same_places(const lbDynamicModel* a, const lbDynamicModel* b) {
    bool same = a->lawCount == b->lawCount;
    for (int i = 0; same && i < a->lawCount; ++i) {
        lbRange p, q;
        lb_whole_scope(&a->laws[i], &p);
        lb_whole_scope(&b->laws[i], &q);
        bool there = a->laws[i].elements != NULL && b->laws[i].elements != NULL;
        same = a->laws[i].law == b->laws[i].law && (there ? p.end == q.end : a->assembly == NULL);
    }
    return same;
}

lbResult lb_bake_idle_laws(lbDynamicModel* model) {
    lbModelDef def = define(&model->base);
    for (int i = 0; i < model->lawCount; ++i) {
        if (model->laws[i].idle && model->laws[i].elements == NULL) {
            LB_TRY(lb_bake_law(model->laws[i].law, &model->mesh, &def, &model->laws[i]));
        }
    }
    return lb_success();
}

static lbResult set_material(lbModel* base, const lbMaterial* material) {
    lbDynamicModel* model = (lbDynamicModel*)base;
    lbModelDef def = define(base);
    def.material = *material;
    LB_TRY(check_def(&def));
    lbDynamicModel fresh = *model;
    forget_material(&fresh);
    lbResult result = bake_material(&fresh, &def);
    if (result.code != lb_ok) {
        release_material(&fresh);
        return result;
    }
    LB_ASSERT(same_places(model, &fresh));
    release_material(model);
    *model = fresh;
    return lb_success();
}

static void destroy(lbModel* base) {
    lbDynamicModel* model = (lbDynamicModel*)base;
    const lbHost* host = base->host;
    lb_destroy_assembly(model->assembly);
    lb_destroy_pattern(model->emptyPattern);
    release_material(model);
    lb_destroy_mesh(&model->mesh);
    lb_release(host, model->zones);
    lb_release(host, model->elementMatter);
    lb_release(host, model->rest);
    lb_end_model(base);
    lb_release(host, model);
}

static const lbModelOps dynamicModelOps = {
    .kind = "dynamic",
    .destroy = destroy,
    .createBody = lb_create_dynamic_body,
    .describe = describe,
    .define = define,
    .setMaterial = set_material,
    .listEdges = list_edges,
    .listTets = list_tets,
};
