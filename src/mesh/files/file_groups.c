/* Groups of nodes and matter of elements, as readers hand them over. */
#include "base/log.h"
#include "base/result.h"
#include "mesh/files/node_numbers.h"

#include <math.h>
#include <string.h>

enum { mostMembers = 1 << 27 };

static bool has_name(const lbFileGroup* group, lbWord name) {
    size_t length = name.length < lb_groupNameLimit - 1 ? name.length : lb_groupNameLimit - 1;
    return memcmp(group->name, name.text, length) == 0 && group->name[length] == 0;
}

int lb_find_group(const lbTetFile* file, lbWord name) {
    for (int i = 0; name.length > 0 && i < file->groups.count; ++i) {
        if (has_name(&file->groups.data[i], name)) {
            return i;
        }
    }
    return -1;
}

int lb_find_or_make_group(lbTetFile* file, lbWord name) {
    int found = lb_find_group(file, name);
    if (found >= 0 || name.length == 0 || memchr(name.text, 0, name.length) != NULL) {
        return found;
    }
    if (file->groups.count == lb_mostGroups) {
        lb_log(file->host, lb_logWarning, "%s: more than %d groups of nodes; '%.*s' is passed over", file->path,
               lb_mostGroups, name.length > 40 ? 40 : (int)name.length, name.text);
        return -1;
    }
    lbFileGroup group = {{0}};
    memcpy(group.name, name.text, name.length < lb_groupNameLimit - 1 ? name.length : lb_groupNameLimit - 1);
    return LB_PUSH(file->host, &file->groups, group) ? file->groups.count - 1 : -1;
}

lbResult lb_add_member(lbTetFile* file, int group, int64_t node) {
    lbFileMember member = {node, group};
    if (group < 0) {
        return lb_success();
    }
    return file->members.count < mostMembers && LB_PUSH(file->host, &file->members, member)
               ? lb_success()
               : lb_error(lb_errorMemory, "%s: out of memory for %d nodes of groups", file->path, file->members.count);
}

lbResult lb_add_tet_members(lbTetFile* file, int group, int first, int end) {
    for (int i = first; i < end; ++i) {
        for (int k = 0; k < 4; ++k) {
            LB_TRY(lb_add_member(file, group, file->tets.data[i].nodes[k]));
        }
    }
    return lb_success();
}

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

int lb_matter_name(lbWord name) {
    static const struct {
        const char* name;
        int which;
    } names[] = {{"density", 0}, {"rho", 0}, {"youngsModulus", 1}, {"youngs_modulus", 1}, {"young", 1},
                 {"E", 1},       {"Y", 1},   {"poissonsRatio", 2}, {"poissons_ratio", 2}, {"poisson", 2},
                 {"nu", 2}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (lb_word_is_any_case(name, names[i].name)) {
            return names[i].which;
        }
    }
    return -1;
}

void lb_set_tet_matter(lbFileTet* tet, int which, double value) {
    if (!tet->hasMatter) {
        tet->hasMatter = true;
        tet->matter = (lbMatter){NAN, NAN, NAN};
    }
    float* numbers[3] = {&tet->matter.density, &tet->matter.youngsModulus, &tet->matter.poissonsRatio};
    *numbers[which] = (float)value;
}

/* ---- What a mesh is given ---------------------------------------------------------------------------------------- */

/* Members sorted by group: how many each has, and where in the file's list of nodes they stand. */
static lbResult fill_groups(const lbTetFile* file, const lbNodeNumbers* numbers, lbNodeGroup* groups, int* nodes) {
    for (int i = 0; i < file->members.count; ++i) {
        ++groups[file->members.data[i].group].nodeCount;
    }
    for (int g = 0; g < file->groups.count; ++g) {
        groups[g].name = file->groups.data[g].name;
        groups[g].nodes = nodes;
        nodes += groups[g].nodeCount;
        groups[g].nodeCount = 0;
    }
    for (int i = 0; i < file->members.count; ++i) {
        const lbFileMember* member = &file->members.data[i];
        lbNodeGroup* group = &groups[member->group];
        int node = lb_find_node(numbers, member->node);
        if (node < 0) {
            return lb_error(lb_errorFormat, "%s: group '%s' has node %lld, which the file does not have", file->path,
                            group->name, (long long)member->node);
        }
        ((int*)group->nodes)[group->nodeCount++] = node; /* gathered here, given away as constant */
    }
    return lb_success();
}

lbResult lb_gather_groups(const lbTetFile* file, const lbNodeNumbers* numbers, lbNodeGroup** groups) {
    *groups = NULL;
    if (file->groups.count == 0) {
        return lb_success();
    }
    *groups = LB_NEW(file->host, lbNodeGroup, file->groups.count);
    int* nodes = LB_NEW(file->host, int, file->members.count);
    if (*groups == NULL || nodes == NULL) {
        lb_release(file->host, *groups);
        lb_release(file->host, nodes);
        *groups = NULL;
        return lb_out_of_memory("the groups of a mesh file");
    }
    (*groups)[0].nodes = nodes;
    return fill_groups(file, numbers, *groups, nodes);
}

void lb_release_groups(const lbTetFile* file, lbNodeGroup* groups) {
    if (groups != NULL) {
        lb_release(file->host, (int*)groups[0].nodes);
        lb_release(file->host, groups);
    }
}
