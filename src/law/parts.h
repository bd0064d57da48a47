/* Some of a law's elements, each with a weight: what a body uses of a mesh of which only a part is active. A part is
 * packed like the whole, so that the law's kernels run on it as they are; an element's weight is in its stiffness. */
#ifndef LIMBER_SRC_LAW_PARTS_H
#define LIMBER_SRC_LAW_PARTS_H

#include "law/law.h"

typedef struct lbLawParts {
    int nodesPerElement;
    int (*batchCount)(const void* whole);
    /* Room for so many batches, without elements; NULL without memory. To be released by lbLaw.release. */
    void* (*create)(const lbHost* host, const void* whole, int batchCount);
    /* What all elements have in common. Before anything is copied. */
    void (*begin)(const void* whole, void* part);
    /* A batch as it is. `continues`: the batch before it was copied just before (law/fans.h). */
    void (*copyBatch)(const void* whole, int from, bool continues, void* part, int to);
    /* An element, by its place in the batches, with a weight. */
    void (*copyPlace)(const void* whole, int from, float weight, void* part, int to);
    /* Fans (law/fans.h): whether a batch of the whole continues those of the one before, lane by lane; and says so of
     * one of the part. NULL: the law has none. */
    bool (*continues)(const void* whole, int batch);
    void (*setContinues)(void* part, int batch, bool continues);
    /* Fills up a batch that has elements at its first `filled` places only. */
    void (*pad)(void* part, int batch, int filled);
} lbLawParts;

extern const lbLawParts lb_tetParts, lb_springParts, lb_linearTetParts;

/* The linear law element by element: per edge, as lb_linear has it, it is cheaper, but knows whole bodies only. */
extern const lbLaw lb_linearTets;

#endif
