/* A Gmsh file while it is read: what its two versions share. */
#ifndef LIMBER_SRC_GMSH_H
#define LIMBER_SRC_GMSH_H

#include "mesh/files/gmsh_types.h"
#include "mesh/files/values.h"

/* A volume of the model, and the physical group it is in. */
typedef struct lbGmshVolume {
    int64_t tag;
    int group; /* 0: in none */
} lbGmshVolume;

/* The name of a physical group, and that an entity of the model is in one. */
typedef struct lbGmshName {
    int64_t dimension, tag;
    lbWord name; /* in the file's text */
} lbGmshName;

typedef struct lbGmshEntity {
    int dimension;
    int64_t tag, group;
} lbGmshEntity;

/* A number of an element's matter. */
typedef struct lbGmshMatter {
    int which; /* as lb_matter_name */
    int64_t element;
    double value;
} lbGmshMatter;

enum { lb_mostEntityGroups = 8 };

typedef struct lbGmshReader {
    lbTetFile* file;
    lbValues values;
    int sizeBytes;                  /* of a count or tag in binary: 4 or 8 */
    bool grouped;                   /* some volume element is in a physical group */
    LB_ARRAY(int) elementary;       /* of each tetrahedron of the file: the volume of the model that it fills */
    LB_ARRAY(lbGmshVolume) volumes; /* version 4 */
    LB_ARRAY(lbGmshName) names;
    LB_ARRAY(lbGmshEntity) entities; /* version 4: those that are in a physical group, once for each */
    LB_ARRAY(lbGmshMatter) matter;
    int groups[lb_mostEntityGroups]; /* of the elements that are read now: of the file's groups of nodes */
    int groupCount;
    int64_t lastDimension, lastTag; /* what `groups` are of */
} lbGmshReader;

/* Behind a section's name, up to its end. */
typedef lbResult lbGmshSectionFn(lbGmshReader* reader);
lbGmshSectionFn lb_read_gmsh2_nodes, lb_read_gmsh2_elements, lb_read_gmsh4_nodes, lb_read_gmsh4_elements,
    lb_read_gmsh4_entities, lb_read_gmsh4_partitioned_entities, lb_read_gmsh_names, lb_read_gmsh_element_data;

/* A tag as a region. The sign of a group tells a direction, which volumes do not have. */
static inline int lb_gmsh_region(int64_t tag) {
    int64_t size = tag < 0 ? -tag : tag;
    return size < INT32_MAX ? (int)size : INT32_MAX;
}

/* ---- Groups and matter (gmsh_groups.c) ---- */

/* Elements of that dimension from here on are in one physical group (0: none), or in those of an entity. */
void lb_gmsh_begin_group(lbGmshReader* reader, int dimension, int64_t group);
void lb_gmsh_begin_entity(lbGmshReader* reader, int dimension, int64_t entity);
/* What element data said of elements. */
lbResult lb_gmsh_apply_matter(lbGmshReader* reader);
static inline int lb_gmsh_dimension(lbCellKind kind) {
    return kind == lb_cellPoint ? 0 : kind == lb_cellLine ? 1 : kind == lb_cellSurface ? 2 : 3;
}

/* The next value; the error says what it should have been. */
lbResult lb_gmsh_integer(lbGmshReader* reader, int size, const char* what, int64_t* value);
lbResult lb_gmsh_position(lbGmshReader* reader, int64_t node, double position[3]);
/* An element behind its number and tags: reads its nodes of `nodeBytes` bytes. */
lbResult lb_gmsh_element(lbGmshReader* reader, const lbGmshType* type, int nodeBytes, lbFileElement* element,
                         int elementary);
lbResult lb_gmsh_unknown_type(const lbGmshReader* reader, int64_t place, int64_t type);
/* Counts in text stand on lines of their own before binary data: goes behind the end of the line. */
void lb_gmsh_end_line(lbGmshReader* reader);

#endif
