/* Named groups of a mesh's points. */
#include "base/result.h"
#include "mesh/tet_mesh.h"

#include <stdlib.h>
#include <string.h>

static int compare_ints(const void* a, const void* b) {
    int p = *(const int*)a, q = *(const int*)b;
    return p < q ? -1 : p > q;
}

static lbResult check_groups(const lbNodeGroup* groups, int groupCount, int placeCount, int64_t* nodes, int64_t* text) {
    if (groupCount < 0 || (groupCount > 0 && groups == NULL)) {
        return lb_error(lb_errorArgument, "a mesh has %d groups of points, but no array of them", groupCount);
    }
    for (int g = 0; g < groupCount; ++g) {
        const lbNodeGroup* group = &groups[g];
        if (group->name == NULL || group->name[0] == 0 || group->nodeCount < 0 ||
            (group->nodeCount > 0 && group->nodes == NULL)) {
            return lb_error(lb_errorArgument, "group %d of a mesh needs a name, and an array of its points", g);
        }
        for (int i = 0; i < group->nodeCount; ++i) {
            if (group->nodes[i] < 0 || group->nodes[i] >= placeCount) {
                return lb_error(lb_errorArgument, "group '%.64s' holds point %d, but there are %d points (0 to %d)",
                                group->name, group->nodes[i], placeCount, placeCount - 1);
            }
        }
        *nodes += group->nodeCount;
        *text += (int64_t)strlen(group->name) + 1;
    }
    return lb_success();
}

/* The group's points where they came to be, in order and each once; returns how many. */
static int place_nodes(const lbNodeGroup* group, const int* places, int* nodes) {
    int count = 0, kept = 0;
    for (int i = 0; i < group->nodeCount; ++i) {
        if (places[group->nodes[i]] >= 0) {
            nodes[count++] = places[group->nodes[i]];
        }
    }
    if (count > 0) {
        qsort(nodes, (size_t)count, sizeof(int), compare_ints);
    }
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || nodes[i] != nodes[kept - 1]) {
            nodes[kept++] = nodes[i];
        }
    }
    return kept;
}

lbResult lb_take_node_groups(lbTetMesh* mesh, const lbNodeGroup* groups, int groupCount, const int* places,
                             int placeCount) {
    int64_t nodeCount = 0, textSize = 0;
    LB_TRY(check_groups(groups, groupCount, placeCount, &nodeCount, &textSize));
    if (groupCount == 0) {
        return lb_success();
    }
    mesh->groups = LB_NEW(mesh->host, lbNodeGroup, groupCount);
    mesh->groupNames = LB_NEW(mesh->host, char, textSize);
    mesh->groupNodes = LB_NEW(mesh->host, int, nodeCount);
    if (mesh->groups == NULL || mesh->groupNames == NULL || mesh->groupNodes == NULL) {
        return lb_out_of_memory("the groups of a mesh");
    }
    char* name = mesh->groupNames;
    int* nodes = mesh->groupNodes;
    for (int g = 0; g < groupCount; ++g) {
        size_t length = strlen(groups[g].name) + 1;
        memcpy(name, groups[g].name, length);
        int count = place_nodes(&groups[g], places, nodes);
        mesh->groups[g] = (lbNodeGroup){name, count, nodes};
        name += length;
        nodes += count;
    }
    mesh->groupCount = groupCount;
    return lb_success();
}

int lbTetMesh_GetGroupCount(const lbTetMesh* mesh) {
    return mesh->groupCount;
}

const lbNodeGroup* lbTetMesh_GetGroup(const lbTetMesh* mesh, int group) {
    return group >= 0 && group < mesh->groupCount ? &mesh->groups[group] : NULL;
}

const lbNodeGroup* lbTetMesh_FindGroup(const lbTetMesh* mesh, const char* name) {
    for (int i = 0; name != NULL && i < mesh->groupCount; ++i) {
        if (strcmp(mesh->groups[i].name, name) == 0) {
            return &mesh->groups[i];
        }
    }
    return NULL;
}
