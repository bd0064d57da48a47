/* How long a person waits for a file that they drop on the page. */
#ifndef LIMBER_BENCH_PAGE_DROP_H
#define LIMBER_BENCH_PAGE_DROP_H

#include "bench/bench.h"

/* At a running limber play. `folder`: where the file is made, and removed again. */
lbResult lb_measure_drop(lbBenchContext* context, const char* address, const char* folder);

#endif
