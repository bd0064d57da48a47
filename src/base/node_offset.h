/* Where a node's vector starts, in floats: four times its index. Unsigned, so that it is an address without more ado.
 */
#ifndef LIMBER_SRC_NODE_OFFSET_H
#define LIMBER_SRC_NODE_OFFSET_H

#include <stdint.h>

typedef uint32_t lbNodeOffset;

#endif
