/* Corotational hexahedra at any resolution. */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_voxel(lbVerifyContext* context) {
    LB_TRY(lb_verify_voxel_matrices(context));
    LB_TRY(lb_verify_voxel_laws(context));
    LB_TRY(lb_verify_voxel_points(context));
    LB_TRY(lb_verify_voxel_beams(context));
    LB_TRY(lb_verify_voxel_modes(context));
    LB_TRY(lb_verify_voxel_parts(context));
    return lb_verify_voxel_recovery(context);
}
