#include "bench/benches.h"

static const lbBench benches[] = {
    {"machine", "the machine's own limits: memory, caches and arithmetic", lb_bench_machine},
    {"springs", "spring forces per second, at 22,320 and 2 million springs", lb_bench_springs},
    {"tets", "forces on 100,000 tetrahedra per second, by law; implicit steps of 24,000", lb_bench_tets},
    {"integrators", "largest step and cost of a step of every integrator, beside the lecture's table",
     lb_bench_integrators},
    {"implicit", "steps of implicit Euler on the lecture's object, to a true residual of 1e-3", lb_bench_implicit},
};

const lbBench* lb_benches(int* count) {
    *count = (int)(sizeof(benches) / sizeof(benches[0]));
    return benches;
}
