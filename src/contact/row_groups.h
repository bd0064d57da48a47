/* Gauss-Seidel on several threads. Rows of the same two bodies form a group; groups are coloured so that no two of a
 * colour share a body. Colours follow one another, and the groups of one run side by side: each row still sees what all
 * rows before it did. What comes out depends on the colours, which follow from the rows alone, and not on the number of
 * threads. */
#ifndef LIMBER_SRC_ROW_GROUPS_H
#define LIMBER_SRC_ROW_GROUPS_H

#include "base/tasks.h"
#include "contact/contact.h"

/* Rows that follow one another. */
typedef struct lbRowGroup {
    int first, count, colour;
    double change, mass; /* J, kg: sums over its rows in a round of Gauss-Seidel */
    float largest;       /* m/s: by how much a row of it changed a velocity there, at most */
} lbRowGroup;

/* Groups for which there is no colour left have the last one, and run one after the other. */
enum { lb_mostColours = 64 };

typedef struct lbRowGroups {
    int count;
    lbRowGroup* groups; /* (count) by colour */
    int* order;         /* (rows) by group: indices of rows */
    int colourCount, starts[lb_mostColours + 1];
    bool crowded; /* groups of the last colour may share bodies */
} lbRowGroups;

/* Groups of the rows live[0 .. count - 1], those of two bodies side by side. order: (count); groups: twice as many as
 * there are runs of rows with the same two bodies, half of it scratch; used: (bodyCount) scratch. */
lbRowGroups lb_group_rows(const lbRow* rows, const int* live, int count, int bodyCount, uint64_t* used, int* order,
                          lbRowGroup* groups);

/* task(context, begin, end) with groups begin <= i < end, colour by colour. */
void lb_for_groups(const lbRowGroups* groups, lbTasks* tasks, lbTaskFn* task, void* context);

#endif
