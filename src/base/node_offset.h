/* Where a node's vector starts, in floats: four times its index. Unsigned, so that it is an address without more ado.
 */
#ifndef LIMBER_SRC_NODE_OFFSET_H
#define LIMBER_SRC_NODE_OFFSET_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t lbNodeOffset;

/* Nodes that one piece of a parallel loop over node vectors handles. */
enum { nodeGrain = 2048 };

/* The offsets of nodes begin <= node < end in a node vector. */
#define LB_FOR_NODES(offset, begin, end)                                                                               \
    for (size_t offset = 4 * (size_t)(begin); offset < 4 * (size_t)(end); offset += 4)

#endif
