#include "mesh/groups.h"

#include "base/result.h"

#include <stdio.h>
#include <string.h>

lbResult lb_check_groups(const lbTetMeshGroup* groups, int groupCount, int pointCount, int tetCount) {
    if (groupCount < 0 || (groupCount > 0 && groups == NULL)) {
        return lb_error(lb_errorArgument, "a tetrahedral mesh has %d groups; expected an array of them", groupCount);
    }
    for (int i = 0; i < groupCount; ++i) {
        const lbTetMeshGroup* group = &groups[i];
        if (group->name == NULL || group->name[0] == 0) {
            return lb_error(lb_errorArgument, "group %d of a tetrahedral mesh has no name", i);
        }
        if (group->pointCount < 0 || group->tetCount < 0 || (group->pointCount > 0 && group->points == NULL) ||
            (group->tetCount > 0 && group->tets == NULL)) {
            return lb_error(lb_errorArgument,
                            "group \"%.64s\" has %d points and %d tetrahedra; expected arrays of them", group->name,
                            group->pointCount, group->tetCount);
        }
        for (int k = 0; k < group->pointCount; ++k) {
            if (group->points[k] < 0 || group->points[k] >= pointCount) {
                return lb_error(lb_errorFormat, "group \"%.64s\" lists point %d, but there are %d points", group->name,
                                group->points[k], pointCount);
            }
        }
        for (int k = 0; k < group->tetCount; ++k) {
            if (group->tets[k] < 0 || group->tets[k] >= tetCount) {
                return lb_error(lb_errorFormat, "group \"%.64s\" lists tetrahedron %d, but there are %d", group->name,
                                group->tets[k], tetCount);
            }
        }
    }
    return lb_success();
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

/* Adds a point that the group does not have yet; `seen` holds the number of the last group that took it. */
static void add_point(int point, int stamp, int* seen, int* points, int* count) {
    if (point >= 0 && seen[point] != stamp) {
        seen[point] = stamp;
        points[(*count)++] = point;
    }
}

static bool copy_group(const lbHost* host, const lbTetMeshGroup* from, const int* pointNumbers, const int* tets,
                       int stamp, int* seen, lbTetMeshGroup* to) {
    size_t length = strlen(from->name);
    char* name = LB_NEW(host, char, (int64_t)length + 1);
    int* points = LB_NEW(host, int, (int64_t)from->pointCount + 4 * (int64_t)from->tetCount);
    int* listed = LB_NEW(host, int, from->tetCount);
    *to = (lbTetMeshGroup){.name = name, .points = points, .tets = listed, .tetCount = from->tetCount};
    if (name == NULL || points == NULL || listed == NULL) {
        return false;
    }
    memcpy(name, from->name, length);
    for (int i = 0; i < from->pointCount; ++i) {
        int point = from->points[i];
        add_point(pointNumbers != NULL ? pointNumbers[point] : point, stamp, seen, points, &to->pointCount);
    }
    for (int i = 0; i < from->tetCount; ++i) {
        listed[i] = from->tets[i];
        for (int k = 0; k < 4; ++k) {
            add_point(tets[4 * (size_t)from->tets[i] + (size_t)k], stamp, seen, points, &to->pointCount);
        }
    }
    return true;
}

lbTetMeshGroup* lb_copy_groups(const lbHost* host, const lbTetMeshGroup* groups, int groupCount, int pointCount,
                               const int* pointNumbers, const int* tets) {
    lbTetMeshGroup* copies = groupCount > 0 ? LB_NEW(host, lbTetMeshGroup, groupCount) : NULL;
    int* seen = copies != NULL ? LB_NEW(host, int, pointCount) : NULL;
    bool complete = seen != NULL;
    for (int i = 0; complete && i < groupCount; ++i) {
        complete = copy_group(host, &groups[i], pointNumbers, tets, i + 1, seen, &copies[i]);
    }
    lb_release(host, seen);
    if (!complete) {
        lb_free_groups(host, copies, groupCount);
        return NULL;
    }
    return copies;
}

void lb_free_groups(const lbHost* host, lbTetMeshGroup* groups, int groupCount) {
    for (int i = 0; groups != NULL && i < groupCount; ++i) {
        lb_release(host, (void*)groups[i].name);
        lb_release(host, (void*)groups[i].points);
        lb_release(host, (void*)groups[i].tets);
    }
    lb_release(host, groups);
}

/* ---- By name ----------------------------------------------------------------------------------------------------- */

bool lb_has_group(const lbTetMeshGroup* groups, int groupCount, const char* name) {
    for (int i = 0; i < groupCount; ++i) {
        if (strcmp(groups[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

void lb_mark_group_points(const lbTetMeshGroup* groups, int groupCount, const char* name, bool* marks) {
    for (int i = 0; i < groupCount; ++i) {
        for (int k = 0; strcmp(groups[i].name, name) == 0 && k < groups[i].pointCount; ++k) {
            marks[groups[i].points[k]] = true;
        }
    }
}

bool lb_mark_group_tets(const lbTetMeshGroup* groups, int groupCount, const char* name, bool* marks) {
    bool any = false;
    for (int i = 0; i < groupCount; ++i) {
        for (int k = 0; strcmp(groups[i].name, name) == 0 && k < groups[i].tetCount; ++k) {
            marks[groups[i].tets[k]] = any = true;
        }
    }
    return any;
}

lbResult lb_no_such_group(const lbTetMeshGroup* groups, int groupCount, const char* name, const char* of) {
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < groupCount && used + 80 < sizeof(list); ++i) {
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s\"%.60s\"", i > 0 ? ", " : "", groups[i].name);
    }
    return groupCount > 0
               ? lb_error(lb_errorArgument, "%s has no group \"%.64s\"; its mesh has %s", of, name, list)
               : lb_error(lb_errorArgument, "%s has no group \"%.64s\": its mesh has no groups at all", of, name);
}
