/* An unstructured grid of VTK, as its old and its XML files have it: cells of many kinds in one list. */
#ifndef LIMBER_SRC_VTK_GRID_H
#define LIMBER_SRC_VTK_GRID_H

#include "base/text_scan.h"
#include "mesh/files/tet_file.h"

typedef LB_ARRAY(int64_t) lbIntegerList;

/* An array of whole numbers over points or cells: groups. */
typedef struct lbVtkArray {
    lbWord name;
    bool ofCells;
    lbIntegerList values;
} lbVtkArray;

typedef struct lbVtkGrid {
    const lbHost* host;
    lbIntegerList connectivity; /* nodes of all cells, from 0 */
    lbIntegerList ends;         /* (cells) where each cell's nodes end in connectivity */
    lbIntegerList types;        /* (cells) */
    lbIntegerList regions;      /* (cells) or empty */
    lbIntegerList places;       /* (cells) line or byte of each cell, or empty: all are at `place` */
    LB_ARRAY(lbVtkArray) arrays;
    int64_t place;
    int64_t firstNode, firstCell; /* what numbers of this piece of a file begin with */
} lbVtkGrid;

/* Room for the values of an array that may become groups; NULL if it cannot be kept: there are many already. */
lbIntegerList* lb_add_vtk_array(lbVtkGrid* grid, lbWord name, bool ofCells);
/* Hands the cells over, and the arrays as groups. */
lbResult lb_add_vtk_cells(lbTetFile* file, const lbVtkGrid* grid);
void lb_empty_vtk_grid(lbVtkGrid* grid);
void lb_free_vtk_grid(lbVtkGrid* grid);

/* Whether an array of that name says which part or material a cell belongs to. */
bool lb_is_region_name(lbWord name);
int lb_region_of_real(double value);

enum { lb_vtkTet = 10 };

#endif
