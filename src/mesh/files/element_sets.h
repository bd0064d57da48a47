/* Named sets of elements, and the sections that give the elements of a set a material: they become regions. */
#ifndef LIMBER_SRC_ELEMENT_SETS_H
#define LIMBER_SRC_ELEMENT_SETS_H

#include "base/text_scan.h"
#include "mesh/files/tet_file.h"

/* Elements first, first + step, ... up to last, by the file's numbers; or those of another set. */
typedef struct lbSetRange {
    int set, other; /* other: -1, or the set that is a part of this one */
    int64_t first, last, step;
} lbSetRange;

/* Zero-initialised but for the host it is empty. Names point into the file's text. */
typedef struct lbElementSets {
    const lbHost* host;
    LB_ARRAY(lbWord) names; /* of sets */
    LB_ARRAY(lbSetRange) ranges;
    LB_ARRAY(int) sections;     /* the set of each */
    LB_ARRAY(lbMatter) matters; /* (sections.count) of each section: NAN for what is not known; or empty */
    LB_ARRAY(int) tetSets;      /* for the tetrahedra of a file: the set that came with the element, or -1 */
} lbElementSets;

/* A is a. */
bool lb_words_are_alike(lbWord a, lbWord b);
/* The number of a set, which is made if it is not there; A is a. -1 if there is no memory. */
int lb_find_or_make_set(lbElementSets* sets, lbWord name);
/* -1 if it is not there. */
int lb_find_set(const lbElementSets* sets, lbWord name);
/* Says of the file's last tetrahedra that they came with that set. */
bool lb_note_tet_set(lbElementSets* sets, const lbTetFile* file, int set);

/* Regions from sections if there are any, else from the sets that came with the elements. A set named region_N is
 * region N if all are named so; others count from 1. */
lbResult lb_set_regions(const lbElementSets* sets, lbTetFile* file);
/* Each set of elements whose name no group has becomes the group of their corners. */
lbResult lb_group_element_sets(const lbElementSets* sets, lbTetFile* file);
/* The same of sets of nodes: ranges are of nodes. Before the sets of elements, which may have the same names. */
lbResult lb_group_node_sets(const lbElementSets* sets, lbTetFile* file);
void lb_free_element_sets(lbElementSets* sets);

#endif
