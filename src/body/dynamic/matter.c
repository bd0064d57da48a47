#include "body/dynamic/matter.h"

#include "base/result.h"
#include "body/region.h"
#include "mesh/groups.h"
#include "mesh/voxel/matter.h"
#include "mesh/voxel/voxel.h"

#include <stdio.h>

/* `what`: "zone 2", "the matter of tetrahedron 17". */
static lbResult check_matter(const lbMatter* matter, const char* what) {
    if (!(matter->density > 0) || !isfinite(matter->density)) {
        return lb_error(lb_errorArgument, "%s has a density of %g; expected more than 0 kg/m^3", what,
                        (double)matter->density);
    }
    if (!(matter->youngsModulus > 0) || !isfinite(matter->youngsModulus)) {
        return lb_error(lb_errorArgument, "%s has a Young's modulus of %g; expected more than 0 Pa", what,
                        (double)matter->youngsModulus);
    }
    if (!(matter->poissonsRatio > -1 && matter->poissonsRatio < 0.5f)) {
        return lb_error(lb_errorArgument, "%s has a Poisson's ratio of %g; expected more than -1 and less than 0.5",
                        what, (double)matter->poissonsRatio);
    }
    return lb_success();
}

static lbResult check_zones(const lbModelDef* def) {
    for (int i = 0; i < def->zoneCount; ++i) {
        char what[32];
        snprintf(what, sizeof(what), "zone %d", i);
        LB_TRY(lb_in_context(lb_check_region(&def->zones[i].region), "%s", what));
        LB_TRY(check_matter(&def->zones[i].matter, what));
    }
    return lb_success();
}

static lbResult check_elements(const lbModelDef* def, const lbMesh* mesh) {
    if (def->elementMatterCount != mesh->tetCount) {
        return lb_error(lb_errorArgument, "the matter of %d tetrahedra is given; the mesh has %d",
                        def->elementMatterCount, mesh->tetCount);
    }
    for (int i = 0; i < def->elementMatterCount; ++i) {
        char what[48];
        snprintf(what, sizeof(what), "tetrahedron %d", i);
        LB_TRY(check_matter(&def->elementMatter[i], what));
    }
    return lb_success();
}

/* `named`: (nodeCount) what the zone's region names, by the numbers of the mesh that was given; NULL: nothing. Then all
 * corners of a tetrahedron must be in it, else its middle. */
static bool zone_holds(const lbZone* zone, const bool* named, const lbMesh* mesh, const lbTet* tet) {
    lbVec3d sum = {0, 0, 0};
    bool all = true;
    for (int k = 0; k < 4; ++k) {
        sum = vec3d_add(sum, mesh->nodes[tet->node[k]]);
        all = all && named != NULL && named[mesh->nodeNumbers[tet->node[k]]];
    }
    if (zone->byMeshRegion && tet->region != zone->meshRegion) {
        return false;
    }
    return named != NULL                        ? all
           : zone->region.kind == lb_regionMesh ? tet->region == zone->region.meshRegion
                                                : lb_region_holds(&zone->region, vec3_from(vec3d_scale(0.25, sum)));
}

static lbResult fill_zone(const lbZone* zone, lbMesh* mesh) {
    lbResult result = lb_success();
    bool* named = NULL;
    if (zone->region.kind == lb_regionGroup || zone->region.kind == lb_regionNodes) {
        named = LB_NEW(mesh->host, bool, mesh->nodeCount);
        result =
            named != NULL ? lb_mark_named_nodes(mesh, &zone->region, "the model", named) : lb_out_of_memory("zones");
    }
    for (int i = 0; result.code == lb_ok && i < mesh->tetCount; ++i) {
        if (zone_holds(zone, named, mesh, &mesh->tets[i])) {
            mesh->matter[i] = zone->matter;
        }
    }
    lb_release(mesh->host, named);
    return result;
}

/* A leaf is of the last zone that holds its middle; it comes with its label. */
static uint16_t find_matter(const lbModelDef* def, const lbVoxels* voxels, int hex, const lbVoxelLeaf* leaf) {
    lbVec3 middle = vec3_from(lb_leaf_middle(voxels, hex, leaf));
    int matter = 0;
    for (int z = 0; z < def->zoneCount; ++z) {
        bool named = !def->zones[z].byMeshRegion || def->zones[z].meshRegion == leaf->matter;
        matter = named && lb_region_holds(&def->zones[z].region, middle) ? z + 1 : matter;
    }
    return (uint16_t)matter;
}

static lbResult fill_voxels(const lbModelDef* def, lbMesh* mesh) {
    if (def->elementMatter != NULL) {
        return lb_error(lb_errorArgument, "voxels take other matter by zones, not by elements");
    }
    if (def->zoneCount < 0 || def->zoneCount > UINT16_MAX - 1 || (def->zoneCount > 0 && def->zones == NULL)) {
        return lb_error(lb_errorArgument, "the model has %d zones; expected an array of at most %d", def->zoneCount,
                        UINT16_MAX - 1);
    }
    LB_TRY(check_zones(def));
    for (int z = 0; z < def->zoneCount; ++z) {
        if (lb_region_is_named(&def->zones[z].region)) {
            return lb_error(lb_errorArgument, "zone %d is named in a mesh; voxels take places, and labels of an image",
                            z);
        }
    }
    lbVoxels* voxels = mesh->voxels;
    voxels->matterCount = 1 + def->zoneCount;
    voxels->matters = LB_NEW(mesh->host, lbMatter, voxels->matterCount);
    if (voxels->matters == NULL) {
        return lb_out_of_memory("zones");
    }
    for (int z = 0; z < def->zoneCount; ++z) {
        voxels->matters[1 + z] = def->zones[z].matter;
    }
    for (int h = 0; h < voxels->hexCount; ++h) {
        for (int64_t l = voxels->leafStarts[h]; l < voxels->leafStarts[h + 1]; ++l) {
            voxels->leaves[l].matter = find_matter(def, voxels, h, &voxels->leaves[l]);
        }
    }
    return lb_settle_voxels(mesh->host, voxels);
}

lbResult lb_fill_matter(const lbModelDef* def, lbMesh* mesh) {
    if (mesh->hexCount > 0) {
        return fill_voxels(def, mesh);
    }
    if (def->zoneCount == 0 && def->elementMatter == NULL) {
        return lb_success();
    }
    if (def->zoneCount < 0 || (def->zoneCount > 0 && def->zones == NULL)) {
        return lb_error(lb_errorArgument, "the model has %d zones; expected an array of them", def->zoneCount);
    }
    if (def->law.kind == lb_lawSprings || mesh->tetCount == 0) {
        return lb_error(lb_errorArgument, "zones of other matter need a law of tetrahedra; \"%s\" is none",
                        lbLawKind_GetName(def->law.kind));
    }
    LB_TRY(check_zones(def));
    if (def->elementMatter != NULL) {
        LB_TRY(check_elements(def, mesh));
    }
    mesh->matter = LB_NEW(mesh->host, lbMatter, mesh->tetCount);
    if (mesh->matter == NULL) {
        return lb_out_of_memory("zones");
    }
    for (int z = 0; z < def->zoneCount; ++z) {
        LB_TRY(lb_in_context(fill_zone(&def->zones[z], mesh), "zone %d", z));
    }
    for (int i = 0; def->elementMatter != NULL && i < mesh->tetCount; ++i) {
        mesh->matter[i] = def->elementMatter[mesh->tets[i].number];
    }
    return lb_success();
}

void lb_find_node_masses(const lbMesh* mesh, const lbMaterial* material, double* masses) {
    if (mesh->hexCount > 0) {
        lb_find_voxel_masses(mesh, material, masses);
        return;
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        masses[i] = mesh->matter == NULL ? (double)material->density * mesh->nodeVolumes[i] : 0;
    }
    for (int i = 0; mesh->matter != NULL && i < mesh->tetCount; ++i) {
        double quarter = 0.25 * mesh->tets[i].volume * (double)lb_tet_matter(mesh, material, i).density;
        for (int k = 0; k < 4; ++k) {
            masses[mesh->tets[i].node[k]] += quarter;
        }
    }
}
