/* What a scene would cost, before it is built. */
#ifndef LIMBER_SERVER_ESTIMATE_H
#define LIMBER_SERVER_ESTIMATE_H

#include "server/stage.h"

enum { lb_mostElements = 1500000, lb_mostTriangles = 3000000 };
/* Bytes that building may take in all: two thirds of what a small computer has. */
static const int64_t lb_mostBuildBytes = (int64_t)3 << 30;

/* Refuses what is out of all measure, with the number. Leaves the estimate of elements in `stage->estimate`. */
lbResult lb_check_size(lbStage* stage, const lbValue* document);
/* What came of building, in words that tell why it was given up. */
lbResult lb_explain_build(lbStage* stage, lbResult result);

#endif
