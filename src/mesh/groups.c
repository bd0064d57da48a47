#include "mesh/groups.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"

#include <stdio.h>
#include <string.h>

lbResult lb_copy_groups(const lbTetMesh* tets, lbMesh* mesh) {
    int64_t nodeCount = 0, textSize = 0;
    for (int g = 0; g < tets->groupCount; ++g) {
        nodeCount += tets->groups[g].nodeCount;
        textSize += (int64_t)strlen(tets->groups[g].name) + 1;
    }
    if (tets->groupCount == 0) {
        return lb_success();
    }
    mesh->groups = LB_NEW(mesh->host, lbNodeGroup, tets->groupCount);
    mesh->groupNames = LB_NEW(mesh->host, char, textSize);
    mesh->groupNodes = LB_NEW(mesh->host, int, nodeCount);
    if (mesh->groups == NULL || mesh->groupNames == NULL || mesh->groupNodes == NULL) {
        return lb_out_of_memory("the groups of a mesh");
    }
    char* name = mesh->groupNames;
    int* nodes = mesh->groupNodes;
    for (int g = 0; g < tets->groupCount; ++g) {
        const lbNodeGroup* from = &tets->groups[g];
        memcpy(name, from->name, strlen(from->name) + 1);
        memcpy(nodes, from->nodes, (size_t)from->nodeCount * sizeof(int));
        mesh->groups[g] = (lbNodeGroup){name, from->nodeCount, nodes};
        name += strlen(from->name) + 1;
        nodes += from->nodeCount;
    }
    mesh->groupCount = tets->groupCount;
    return lb_success();
}

const lbNodeGroup* lb_find_mesh_group(const lbMesh* mesh, const char* name) {
    for (int i = 0; i < mesh->groupCount; ++i) {
        if (strcmp(mesh->groups[i].name, name) == 0) {
            return &mesh->groups[i];
        }
    }
    return NULL;
}

static lbResult no_such_group(const lbMesh* mesh, const char* name, const char* of) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < mesh->groupCount && used + 80 < sizeof(list); ++i) {
        used +=
            (size_t)snprintf(list + used, sizeof(list) - used, "%s\"%.60s\"", i > 0 ? ", " : "", mesh->groups[i].name);
    }
    return mesh->groupCount > 0
               ? lb_error(lb_errorArgument, "%s has no group \"%.64s\"; its mesh has %s", of, name, list)
               : lb_error(lb_errorArgument, "%s has no group \"%.64s\": its mesh has no groups at all", of, name);
}

lbResult lb_mark_named_nodes(const lbMesh* mesh, const lbRegion* region, const char* of, bool* marks) {
    const lbNodeGroup* group = region->kind == lb_regionGroup ? lb_find_mesh_group(mesh, region->group) : NULL;
    if (region->kind == lb_regionGroup && group == NULL) {
        return no_such_group(mesh, region->group, of);
    }
    const int* nodes = group != NULL ? group->nodes : region->nodes;
    int count = group != NULL ? group->nodeCount : region->nodeCount;
    for (int i = 0; i < count; ++i) {
        if (nodes[i] < 0 || nodes[i] >= mesh->nodeCount) {
            return lb_error(lb_errorArgument, "the region lists node %d, but %s has %d (0 to %d)", nodes[i], of,
                            mesh->nodeCount, mesh->nodeCount - 1);
        }
        marks[nodes[i]] = true;
    }
    return lb_success();
}
