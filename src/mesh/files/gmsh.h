/* A Gmsh file while it is read: what its two versions share. */
#ifndef LIMBER_SRC_GMSH_H
#define LIMBER_SRC_GMSH_H

#include "mesh/files/gmsh_types.h"
#include "mesh/files/values.h"

/* An entity of the model (a volume, a surface, ...), and the physical groups it is in. */
typedef struct lbGmshEntity {
    int dimension;
    int64_t tag;
    int firstGroup, groupCount; /* in entityGroups */
} lbGmshEntity;

/* That a node, or a tetrahedron of the file, is in a physical group. */
typedef struct lbGmshMember {
    uint64_t key; /* of the group: its dimension and its tag */
    int64_t item;
} lbGmshMember;

/* What $PhysicalNames calls one. */
typedef struct lbGmshName {
    uint64_t key; /* of the group */
    lbWord name;
} lbGmshName;

typedef struct lbGmshReader {
    lbTetFile* file;
    lbValues values;
    int sizeBytes;                   /* of a count or tag in binary: 4 or 8 */
    bool grouped;                    /* some volume element is in a physical group */
    LB_ARRAY(int) elementary;        /* of each tetrahedron of the file: the volume of the model that it fills */
    LB_ARRAY(lbGmshEntity) entities; /* version 4 */
    LB_ARRAY(int) entityGroups;      /* version 4: tags of physical groups, entity by entity */
    LB_ARRAY(lbGmshMember) members;
    LB_ARRAY(lbGmshName) names;
} lbGmshReader;

/* Behind a section's name, up to its end. */
typedef lbResult lbGmshSectionFn(lbGmshReader* reader);
lbGmshSectionFn lb_read_gmsh2_nodes, lb_read_gmsh2_elements, lb_read_gmsh4_nodes, lb_read_gmsh4_elements,
    lb_read_gmsh4_entities, lb_read_gmsh4_partitioned_entities;

/* A tag as a region. The sign of a group tells a direction, which volumes do not have. */
static inline int lb_gmsh_region(int64_t tag) {
    int64_t size = tag < 0 ? -tag : tag;
    return size < INT32_MAX ? (int)size : INT32_MAX;
}

/* The next value; the error says what it should have been. */
lbResult lb_gmsh_integer(lbGmshReader* reader, int size, const char* what, int64_t* value);
lbResult lb_gmsh_position(lbGmshReader* reader, int64_t node, double position[3]);
/* An element behind its number and tags: reads its nodes of `nodeBytes` bytes. `groups` are the physical groups it is
 * in; 0 is none. */
lbResult lb_gmsh_element(lbGmshReader* reader, const lbGmshType* type, int nodeBytes, lbFileElement* element,
                         int elementary, const int* groups, int groupCount);
/* gmsh_groups.c: puts an element's nodes, or its tetrahedra from `firstTet` on, in a group. */
lbResult lb_gmsh_join_group(lbGmshReader* reader, int dimension, int tag, const int64_t* nodes, int nodeCount,
                            int firstTet);
lbGmshSectionFn lb_read_gmsh_names;
/* Hands the groups over, under the names that the file has for them; else their numbers. */
lbResult lb_hand_over_gmsh_groups(lbGmshReader* reader);
lbResult lb_gmsh_unknown_type(const lbGmshReader* reader, int64_t place, int64_t type);
/* Counts in text stand on lines of their own before binary data: goes behind the end of the line. */
void lb_gmsh_end_line(lbGmshReader* reader);

#endif
