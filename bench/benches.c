#include "bench/benches.h"

static const lbBench benches[] = {
    {"machine", "the machine's own limits: memory, caches and arithmetic", lb_bench_machine},
    {"springs", "spring forces per second, at 22,320 and 2 million springs", lb_bench_springs},
    {"tets", "forces on 100,000 tetrahedra per second, by law; implicit steps of 24,000", lb_bench_tets},
    {"mesher", "a surface filled with 100,000 tetrahedra, stage by stage, and the body made of them", lb_bench_mesher},
    {"integrators", "largest step and cost of a step of every integrator, beside the lecture's table",
     lb_bench_integrators},
    {"contact", "frames of piles of 1, 10 and 100 soft bodies, and of 24,000 tetrahedra at rest", lb_bench_contact},
    {"adaptive", "a ball pushed into a cube in levels of detail, against the finest of 105,456 tetrahedra",
     lb_bench_adaptive},
    {"frames", "60 frames a second from a body that would take five times as long, while a core is stolen",
     lb_bench_frames},
    {"precompute", "the response of four bodies of 26,000 to 69,000 tetrahedra, solved once", lb_bench_precompute},
    {"bem", "boundary elements assembled and solved, and contact with their surfaces", lb_bench_bem},
    {"evaluate", "precomputed bodies evaluated, beside how fast memory is read", lb_bench_evaluate},
    {"voxel", "voxel bodies beside the paper's table, and of 30,000 hexahedra touched and held", lb_bench_voxel},
    {"haptics", "force feedback at 1 kHz on 10,368 tetrahedra, beside a bare thread that only sleeps",
     lb_bench_haptics},
    {"implicit", "steps of implicit Euler on the lecture's object, to a true residual of 1e-3", lb_bench_implicit},
#if defined(LB_WITH_SERVER)
    {"page", "a body of 5,000 nodes and 20,000 triangles, served to a client at 60 frames a second", lb_bench_page},
#endif
};

const lbBench* lb_benches(int* count) {
    *count = (int)(sizeof(benches) / sizeof(benches[0]));
    return benches;
}
