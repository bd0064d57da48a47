/* The functions of the benches, and how the machine's limits are measured. */
#ifndef LIMBER_BENCH_BENCHES_H
#define LIMBER_BENCH_BENCHES_H

#include "bench/bench.h"

lbBenchFn lb_bench_adaptive, lb_bench_bem, lb_bench_evaluate, lb_bench_frames, lb_bench_haptics, lb_bench_precompute;
lbBenchFn lb_bench_contact, lb_bench_implicit, lb_bench_integrators, lb_bench_machine, lb_bench_mesher, lb_bench_page,
    lb_bench_springs, lb_bench_tets, lb_bench_voxel;

/* bench/tets_implicit.c: the last part of lb_bench_tets. */
lbResult lb_bench_implicit_tets(lbBenchContext* context);
lbResult lb_bench_resting_tets(lbBenchContext* context);
lbResult lb_bench_tet_steps(lbBenchContext* context);

/* bench/contact_self.c: the last part of lb_bench_contact. */
lbResult lb_bench_self_contact(lbBenchContext* context);

/* bench/bem_updates.c: the first part of lb_bench_bem. */
lbResult lb_bench_bem_updates(lbBenchContext* context);
/* bench/bem_rank.c: how many numbers a response would take in blocks of low rank, of all; -1: no memory. */
struct lbResponse;
double lb_bench_response_rank(const lbHost* host, const struct lbResponse* made, double tolerance);

/* bench/machine.c */
lbResult lb_measure_limits(lbBenchContext* context, lbMachineLimits* limits);

#endif
