#include "verify/suites.h"

static const lbVerifySuite suites[] = {
    {"integrators", "time stepping against the exact motion of an oscillator and a chain of springs",
     lb_verify_integrators},
    {"tets", "finite elements against beams, bars, waves, patch tests and conservation laws", lb_verify_tets},
    {"statics", "static equilibrium against theory of beams, panels and vessels, and against quadratic hexahedra",
     lb_verify_statics},
    {"adaptive", "levels of detail: what a mixed resolution keeps, and how near it is to the finest",
     lb_verify_adaptive},
    {"elastostatic", "precomputed bodies against exact solutions, other solvers and the dynamic body",
     lb_verify_elastostatic},
    {"bem", "boundary elements against adaptive quadrature, exact solutions and finite elements; contact against Hertz",
     lb_verify_bem},
    {"voxel", "hexahedra at any resolution against beams, fine references and conservation laws", lb_verify_voxel},
    {"contact", "weight at rest, action and reaction, no penetration", lb_verify_contact},
    {"haptics", "force feedback against the theory of virtual coupling, and against the world's own forces",
     lb_verify_haptics},
    {"shapes", "generated surfaces and questions about them, against exact geometry", lb_verify_shapes},
};

const lbVerifySuite* lb_verify_suites(int* count) {
    *count = (int)(sizeof(suites) / sizeof(suites[0]));
    return suites;
}
