/* An unstructured grid of VTK, as its old and its XML files have it: cells of many kinds in one list. */
#ifndef LIMBER_SRC_VTK_GRID_H
#define LIMBER_SRC_VTK_GRID_H

#include "base/text_scan.h"
#include "mesh/files/tet_file.h"

typedef LB_ARRAY(int64_t) lbIntegerList;

typedef LB_ARRAY(double) lbRealList;

/* A point that an array of flags marks: a value that is not 0. */
typedef struct lbVtkFlag {
    int array; /* of flagNames */
    int64_t node, value;
} lbVtkFlag;

typedef struct lbVtkGrid {
    const lbHost* host;
    lbIntegerList connectivity; /* nodes of all cells, from 0 */
    lbIntegerList ends;         /* (cells) where each cell's nodes end in connectivity */
    lbIntegerList types;        /* (cells) */
    lbIntegerList regions;      /* (cells) or empty */
    lbIntegerList places;       /* (cells) line or byte of each cell, or empty: all are at `place` */
    int64_t place;
    lbRealList matter[3];       /* (cells) or empty: density, Young's modulus, Poisson's ratio */
    LB_ARRAY(lbWord) flagNames; /* arrays of integers over the points, of all pieces */
    LB_ARRAY(lbVtkFlag) flags;
    int64_t firstNode, firstCell; /* what numbers of this piece of a file begin with */
} lbVtkGrid;

/* Hands the cells over. */
lbResult lb_add_vtk_cells(lbTetFile* file, const lbVtkGrid* grid);
/* Takes an array of integers over the points of a piece; false: there is no memory. */
bool lb_keep_vtk_flags(lbVtkGrid* grid, lbWord name, const lbIntegerList* values);
/* Flags become groups of nodes: one for each value, "NAME VALUE", or "NAME" where 1 is the only one. Arrays of more
 * than 64 values are no flags. */
lbResult lb_group_vtk_flags(lbTetFile* file, const lbVtkGrid* grid);
/* For the next piece of a file; flags stay. */
void lb_empty_vtk_grid(lbVtkGrid* grid);
void lb_free_vtk_grid(lbVtkGrid* grid);

/* Whether an array of that name says which part or material a cell belongs to. */
bool lb_is_region_name(lbWord name);
int lb_region_of_real(double value);

enum { lb_vtkTet = 10 };

#endif
