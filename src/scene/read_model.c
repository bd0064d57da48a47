/* Reads what a scene says of what a body is made of. */
#include "base/math.h"
#include "scene/read.h"

static bool has_tets(lbMeshKind kind) {
    return kind != lb_meshCloth && kind != lb_meshLayered && kind != lb_meshVoxels;
}

static void read_cells(lbJsonObject* object, int cells[3]) {
    lbVec3 counts = lb_json_vec3(object, "cells", (lbJsonRange){0, 10000, false, false, ""}, vec3(0, 0, 0));
    const float values[3] = {counts.x, counts.y, counts.z};
    for (int c = 0; c < 3; ++c) {
        cells[c] = (int)values[c];
        if (values[c] != floorf(values[c])) {
            lb_json_fail(object, "cells", "holds %g; expected whole numbers", (double)values[c]);
        }
    }
}

static void read_mesh_file(lbSceneDef* def, lbJsonObject* object, const char* key, lbSceneBody* read) {
    const lbJsonRange scale = {0, 1e6, true, false, ""};
    lb_json_require(object, key);
    const char* path = lb_json_string(object, key, "");
    if (path[0] == 0) {
        lb_json_fail(object, key, "is empty; expected the name of a file");
    }
    read->meshFile = lb_scene_copy(def, path);
    if (read->meshFile == NULL) {
        lb_json_out_of_memory(object->node.json);
    }
    read->meshScale = lb_json_float(object, "scale", scale, 1);
}

/* Levels from files, coarsest first. */
static void read_level_files(lbSceneDef* def, lbJsonObject* object, lbSceneBody* read) {
    static const char* const others[] = {"edge", "levels", "relax", "structured"};
    const lbJsonRange scale = {0, 1e6, true, false, ""};
    lbJsonArray array;
    read->levelFiles = lb_read_list(def, object, "files", sizeof(const char*), &array);
    if (array.count < 2 || array.count > 8) {
        lb_json_fail(object, "files", "names %d files; expected 2 to 8, the coarsest first", array.count);
        return;
    }
    for (int i = 0; i < array.count; ++i) {
        const char* path = lb_json_item_string(&array, i);
        if (path == NULL || path[0] == 0) {
            lb_json_fail(object, "files", "has an empty name at place %d; expected that of a file", i);
            return;
        }
        read->levelFiles[i] = lb_scene_copy(def, path);
        if (read->levelFiles[i] == NULL) {
            lb_json_out_of_memory(object->node.json);
            return;
        }
        read->levelFileCount = i + 1;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        if (lb_json_has(object, others[i])) {
            lb_json_fail(object, others[i], "is for levels that are made, but these are from files");
        }
    }
    read->mesh.levels = array.count;
    read->meshScale = lb_json_float(object, "scale", scale, 1);
}

static void read_voxels(lbSceneDef* def, lbJsonObject* object, lbSceneBody* read) {
    static const char* const fills[] = {"fraction", "half"};
    static const char* const stiffnesses[] = {"enhanced", "condensed", "non-uniform", "uniform"};
    static const char* const insides[] = {"auto", "flood", "winding"};
    lbMeshDef* mesh = &read->mesh;
    mesh->depth = lb_json_integer(object, "depth", 0, 12, mesh->depth);
    int standard = mesh->mechanicalDepth < mesh->depth ? mesh->mechanicalDepth : mesh->depth;
    mesh->mechanicalDepth = lb_json_integer(object, "mechanicalDepth", 0, 12, standard);
    mesh->elements = lb_json_integer(object, "elements", 0, 10000000, mesh->elements);
    mesh->fill = (lbVoxelFill)lb_json_choice(object, "fill", fills, 2, (int)mesh->fill);
    mesh->stiffness = (lbVoxelStiffness)lb_json_choice(object, "stiffness", stiffnesses, 4, (int)mesh->stiffness);
    mesh->inside = (lbVoxelInside)lb_json_choice(object, "inside", insides, 3, (int)mesh->inside);
    mesh->sheetThickness = lb_json_float(object, "sheetThickness", lb_rangeLengthOrZero, mesh->sheetThickness);
    mesh->keepVoids = lb_json_bool(object, "keepVoids", mesh->keepVoids);
    mesh->splitEdges = lb_json_bool(object, "splitEdges", mesh->splitEdges);
    mesh->joinParts = lb_json_bool(object, "joinParts", mesh->joinParts);
    if (lb_json_has(object, "image")) {
        read_mesh_file(def, object, "image", read);
    }
    mesh->depth = mesh->depth > mesh->mechanicalDepth ? mesh->depth : mesh->mechanicalDepth;
}

static void read_mesh(lbSceneDef* def, lbJsonObject* body, lbSceneBody* read) {
    lbJsonObject object = lb_json_object_or_kind(body, "mesh");
    lbMeshDef* mesh = &read->mesh;
    if (object.node.value == NULL) {
        return;
    }
    const char* names[lb_meshKindCount];
    for (int i = 0; i < lb_meshKindCount; ++i) {
        names[i] = lbMeshKind_GetName((lbMeshKind)i);
    }
    lb_json_require(&object, "kind");
    mesh->kind = (lbMeshKind)lb_json_choice(&object, "kind", names, lb_meshKindCount, mesh->kind);
    if (mesh->kind == lb_meshGiven) {
        read_mesh_file(def, &object, "file", read);
    } else if (mesh->kind == lb_meshVoxels) {
        read_voxels(def, &object, read);
        read->law.kind = lb_lawCorotational; /* unless the scene says another */
    } else if (mesh->kind == lb_meshLevels && lb_json_has(&object, "files")) {
        read_level_files(def, &object, read);
    } else if (has_tets(mesh->kind)) {
        mesh->edge = lb_json_float(&object, "edge", lb_rangeLengthOrZero, mesh->edge);
    } else {
        const lbJsonRange prestrain = {0, 1, false, true, ""};
        mesh->thickness = lb_json_float(&object, "thickness", lb_rangeLength, mesh->thickness);
        mesh->prestrain = lb_json_float(&object, "prestrain", prestrain, mesh->prestrain);
    }
    if (mesh->kind == lb_meshCloth) {
        mesh->bend = lb_json_float(&object, "bend", (lbJsonRange){0, 1, false, false, ""}, mesh->bend);
    } else if (mesh->kind == lb_meshTets) {
        mesh->relax = lb_json_bool(&object, "relax", mesh->relax);
    } else if (mesh->kind == lb_meshLevels) {
        if (!lb_json_has(&object, "files")) {
            mesh->levels = lb_json_integer(&object, "levels", 2, 8, mesh->levels);
            mesh->relax = lb_json_bool(&object, "relax", mesh->relax);
            mesh->structured = lb_json_bool(&object, "structured", mesh->structured);
        }
        read->kind = lb_modelAdaptive;
    } else if (mesh->kind == lb_meshStructured) {
        read_cells(&object, mesh->cells);
    }
    lb_json_close(&object);
}

static const lbJsonRange rangeDensity = {0, 1e6, true, false, "kg/m^3"};
static const lbJsonRange rangeModulus = {0, 1e13, true, false, "Pa"};
static const lbJsonRange rangeRatio = {-1, 0.5, true, true, ""};

static void read_material(lbJsonObject* body, lbMaterial* material, bool* dampingGiven) {
    lbJsonObject object = lb_json_object(body, "material");
    const lbJsonRange stiffnessDamping = {0, 1000, false, false, "s"};
    const lbJsonRange massDamping = {0, 10000, false, false, "1/s"};
    material->density = lb_json_float(&object, "density", rangeDensity, material->density);
    material->youngsModulus = lb_json_float(&object, "youngsModulus", rangeModulus, material->youngsModulus);
    material->poissonsRatio = lb_json_float(&object, "poissonsRatio", rangeRatio, material->poissonsRatio);
    material->stiffnessDamping =
        lb_json_float(&object, "stiffnessDamping", stiffnessDamping, material->stiffnessDamping);
    *dampingGiven = lb_json_has(&object, "stiffnessDamping");
    material->massDamping = lb_json_float(&object, "massDamping", massDamping, material->massDamping);
    lb_json_close(&object);
}

void lb_read_rigid_material(lbJsonObject* body, lbMaterial* material) {
    static const char* const keys[] = {"youngsModulus", "poissonsRatio", "stiffnessDamping", "massDamping"};
    lbJsonObject object = lb_json_object(body, "material");
    *material = lbDefaultModelDef().material;
    material->density = lb_json_float(&object, "density", rangeDensity, material->density);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (lb_json_has(&object, keys[i])) {
            lb_json_fail(&object, keys[i], "is for soft bodies, but this one is of \"kind\": \"rigid\"");
        }
    }
    lb_json_close(&object);
}

static void read_springs(lbJsonObject* object, lbLawDef* law) {
    static const char* const forms[] = {"linear", "quadratic", "power"};
    static const char* const dampings[] = {"exact", "last-length"};
    law->springForm = (lbSpringForm)lb_json_choice(object, "form", forms, 3, lb_springLinear);
    if (law->springForm == lb_springPower) {
        law->springPower = lb_json_integer(object, "power", 1, 15, law->springPower);
        if (law->springPower % 2 == 0) {
            lb_json_fail(object, "power", "is %d; expected an odd number from 1 to 15", law->springPower);
        }
    }
    const lbJsonRange stiffness = {0, 1e12, true, false, law->springForm == lb_springPower ? "N" : "N/m"};
    const lbJsonRange damping = {0, 1e9, false, false, "N s/m"};
    law->springStiffness = lb_json_float(object, "springStiffness", stiffness, law->springStiffness);
    law->springDamping = lb_json_float(object, "springDamping", damping, law->springDamping);
    if (lb_json_has(object, "springDamping") && !lb_json_has(object, "springStiffness")) {
        lb_json_fail(object, "springDamping", "counts only beside \"springStiffness\", which is not given");
    }
    law->springDampingForm = (lbSpringDamping)lb_json_choice(object, "dampingForm", dampings, 2, lb_dampingExact);
}

static void read_continuum(lbJsonObject* object, lbLawDef* law) {
    static const char* const boundaries[] = {"full", "paper"};
    static const char* const ways[] = {"averaged", "none"};
    if (law->kind == lb_lawLinear) {
        law->boundary = (lbLinearBoundary)lb_json_choice(object, "boundary", boundaries, 2, lb_boundaryFull);
    }
    law->incompressible =
        (lbIncompressible)lb_json_choice(object, "incompressible", ways, 2, lb_incompressibleAveraged);
}

static void read_law(lbJsonObject* body, bool onVoxels, lbLawDef* law) {
    static const char* const rotations[] = {"polar", "mean-edges"};
    lbJsonObject object = lb_json_object_or_kind(body, "law");
    if (object.node.value == NULL) {
        return;
    }
    const char* names[lb_lawKindCount];
    for (int i = 0; i < lb_lawKindCount; ++i) {
        names[i] = lbLawKind_GetName((lbLawKind)i);
    }
    lb_json_require(&object, "kind");
    law->kind = (lbLawKind)lb_json_choice(&object, "kind", names, lb_lawKindCount, law->kind);
    if (law->kind == lb_lawSprings) {
        read_springs(&object, law);
    } else if (onVoxels) {
        law->rotation = (lbRotationKind)lb_json_choice(&object, "rotation", rotations, 2, lb_rotationPolar);
    } else {
        read_continuum(&object, law);
    }
    lb_json_close(&object);
}

static void read_penalty(lbJsonObject* body, bool onVoxels, lbPenaltyDef* penalty) {
    lbJsonObject object = lb_json_object(body, "penalty");
    if (onVoxels && object.node.value != NULL) {
        lb_json_fail(body, "penalty", "is for springs and tetrahedra; the mesh \"voxels\" takes none");
    }
    const lbJsonRange pascals = {0, 1e12, false, false, "Pa"};
    const lbJsonRange stiffness = {0, 1e12, false, false, "N/m"};
    penalty->volume = lb_json_float(&object, "volume", pascals, 0);
    penalty->area = lb_json_float(&object, "area", stiffness, 0);
    penalty->surface = lb_json_float(&object, "surface", stiffness, 0);
    lb_json_close(&object);
}

/* What is not said of a zone is as in the body's material. */
static void read_zones(lbSceneDef* def, lbJsonObject* body, lbSceneBody* read) {
    lbJsonArray array;
    read->zones = lb_read_list(def, body, "zones", sizeof(lbZone), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbZone* zone = &read->zones[i];
        if (lb_json_has(&object, "region")) {
            int region = lb_read_reference(&object, "region", LB_NAMES("regions", def->regions, def->regionCount));
            zone->region = region >= 0 ? def->regions[region].region : (lbRegion){0};
        }
        zone->byMeshRegion = lb_json_has(&object, "meshRegion");
        zone->meshRegion = lb_json_integer(&object, "meshRegion", -2147483647, 2147483647, 0);
        zone->matter = (lbMatter){
            .density = lb_json_float(&object, "density", rangeDensity, read->material.density),
            .youngsModulus = lb_json_float(&object, "youngsModulus", rangeModulus, read->material.youngsModulus),
            .poissonsRatio = lb_json_float(&object, "poissonsRatio", rangeRatio, read->material.poissonsRatio)};
        lb_json_close(&object);
        read->zoneCount = i + 1;
    }
    if (read->zoneCount > 0 && read->law.kind == lb_lawSprings && read->elastostatic == NULL &&
        read->compliant == NULL) {
        lb_json_fail(body, "zones", "need a law of tetrahedra or voxels; \"springs\" is none");
    }
}

void lb_read_model(lbSceneDef* def, lbJsonObject* body, lbSceneBody* read) {
    lbModelDef standard = lbDefaultModelDef();
    read->mesh = standard.mesh;
    read->material = standard.material;
    read->law = standard.law;
    read_mesh(def, body, read);
    read_material(body, &read->material, &read->dampingGiven);
    read_law(body, read->mesh.kind == lb_meshVoxels, &read->law);
    read_penalty(body, read->mesh.kind == lb_meshVoxels, &read->penalty);
    read_zones(def, body, read);
    read->nodeMass = lb_json_float(body, "nodeMass", (lbJsonRange){0, 1e9, true, false, "kg"}, 0);
    if (read->penalty.volume > 0 && !has_tets(read->mesh.kind)) {
        lb_json_fail(body, "penalty", "is on the volume, but the mesh \"%s\" has no tetrahedra",
                     lbMeshKind_GetName(read->mesh.kind));
    }
}
