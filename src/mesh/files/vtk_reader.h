/* A file of VTK's old format while it is read. */
#ifndef LIMBER_SRC_VTK_READER_H
#define LIMBER_SRC_VTK_READER_H

#include "mesh/files/values.h"
#include "mesh/files/vtk_grid.h"

typedef struct lbVtkReader {
    lbTetFile* file;
    lbValues values;
    lbVtkGrid grid;
    bool hasPoints;
    bool ofCells;      /* whether data are of cells, not of points */
    int64_t dataCount; /* how many of them */
} lbVtkReader;

/* What values of an array are. */
typedef struct lbVtkType {
    const char* name;
    int size; /* bytes in binary; 0: bits or strings */
    bool isReal, isUnsigned;
} lbVtkType;

/* The place in the file, for words: these are text in binary files too. */
static inline lbTextScan* lb_vtk_scan(lbVtkReader* reader) {
    return &reader->values.scan;
}
/* Data begin behind the line of their keyword. */
static inline void lb_vtk_end_line(lbVtkReader* reader) {
    lb_skip_line(&reader->values.scan);
}

lbResult lb_vtk_expected(const lbVtkReader* reader, lbTextScan at, const char* what);
lbResult lb_vtk_out_of_memory(const lbVtkReader* reader);
/* A count, or a type of values, on the line of a keyword. */
lbResult lb_vtk_line_count(lbVtkReader* reader, const char* what, int64_t* count);
lbResult lb_vtk_value_type(lbVtkReader* reader, lbVtkType* type);
bool lb_vtk_next_is(lbVtkReader* reader, const char* word);

/* Adds `count` values to a list. */
lbResult lb_vtk_integers(lbVtkReader* reader, const lbVtkType* type, int64_t count, const char* what,
                         lbIntegerList* list);
lbResult lb_vtk_reals(lbVtkReader* reader, const lbVtkType* type, int64_t count, const char* what, lbRealList* list);
lbResult lb_vtk_skip_array(lbVtkReader* reader, const lbVtkType* type, int64_t count);

/* Behind a keyword of the data that follow the geometry, or stand before it. *known becomes false if it is none. */
lbResult lb_read_vtk_data(lbVtkReader* reader, lbWord keyword, bool* known);

#endif
