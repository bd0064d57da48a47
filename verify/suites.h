/* The functions of the suites. */
#ifndef LIMBER_VERIFY_SUITES_H
#define LIMBER_VERIFY_SUITES_H

#include "verify/verify.h"

lbVerifyFn lb_verify_adaptive, lb_verify_bem, lb_verify_contact, lb_verify_elastostatic, lb_verify_haptics,
    lb_verify_integrators, lb_verify_shapes, lb_verify_statics, lb_verify_tets, lb_verify_voxel;

/* Parts of the suites `adaptive`, `contact`, `integrators`, `statics` and `tets`. */
lbVerifyFn lb_verify_adaptive_links, lb_verify_adaptive_plain, lb_verify_adaptive_motion, lb_verify_adaptive_couplings,
    lb_verify_adaptive_cube, lb_verify_adaptive_touch, lb_verify_adaptive_statics, lb_verify_adaptive_filter;
lbVerifyFn lb_verify_contact_agreement, lb_verify_contact_holds, lb_verify_contact_impacts, lb_verify_contact_levers,
    lb_verify_contact_fast, lb_verify_contact_heap, lb_verify_contact_self, lb_verify_contact_squeeze,
    lb_verify_contact_piles, lb_verify_contact_press, lb_verify_contact_rest, lb_verify_contact_slopes;
lbVerifyFn lb_verify_free_flight, lb_verify_free_jelly, lb_verify_implicit_methods, lb_verify_spring_laws;
lbVerifyFn lb_verify_bem_integrals, lb_verify_bem_solutions, lb_verify_bem_compliance, lb_verify_bem_contact,
    lb_verify_bem_hertz;
lbVerifyFn lb_verify_elasto_agreement, lb_verify_elasto_contact, lb_verify_elasto_theory;
lbVerifyFn lb_verify_haptic_coupling, lb_verify_haptic_energy, lb_verify_haptic_levels, lb_verify_haptic_reaction,
    lb_verify_haptic_worlds;
lbVerifyFn lb_verify_static_patches, lb_verify_static_beams, lb_verify_static_bodies, lb_verify_static_limits;
lbVerifyFn lb_verify_tet_beams, lb_verify_tet_bounds, lb_verify_tet_derivatives, lb_verify_tet_laws,
    lb_verify_tet_operators, lb_verify_tet_statics, lb_verify_tet_motion;
lbVerifyFn lb_verify_voxel_beams, lb_verify_voxel_laws, lb_verify_voxel_matrices, lb_verify_voxel_modes,
    lb_verify_voxel_parts, lb_verify_voxel_points, lb_verify_voxel_recovery;

#endif
