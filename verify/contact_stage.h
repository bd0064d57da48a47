/* Worlds in which contact is measured: blocks, balls and sheets of every kind, and what is asked of them. */
#ifndef LIMBER_VERIFY_CONTACT_STAGE_H
#define LIMBER_VERIFY_CONTACT_STAGE_H

#include "base/math.h"
#include "base/result.h"
#include "limber/limber.h"
#include "verify/suites.h"

#define LB_GRAVITY 9.81 /* m/s^2 */

/* A body to be put into a world. */
typedef struct lbPiece {
    const char* name; /* how checks call its kind */
    lbModelDef model;
    lbBodyDef body;
    lbShapeKind form; /* box, sphere, cloth or capsule */
    lbVec3 size;      /* m; sphere: the diameter in x; capsule: diameter in x, straight part in y */
    int cells[3];     /* of a soft box: exact tetrahedra. {0}: as lbModelDef.mesh says */
    float edge;       /* m, of the surface's triangles, where there are no cells; 0: a good one */
} lbPiece;

/* A block of 0.1 m a side and 3 x 3 x 3 cells, of soft rubber that comes to rest in a fifth of a second: 30 kPa,
 * 1000 kg/m^3, stiffness damping 5 ms, no drag. */
lbPiece lb_soft_block(lbLawKind law, lbIntegratorKind integrator);
/* A block of 0.1 m a side, or what inscribes it: ball, capsule (lying along x), mesh of a cube. 1000 kg/m^3. */
lbPiece lb_rigid_block(lbCollisionKind collision);

/* One measurement, in a world of its own. */
typedef struct lbStage {
    lbVerifyContext* context;
    lbWorld* world;
    double dt; /* s, of a frame */
} lbStage;

/* Measures, and reports checks. A failure counts as a failed check of that name; others go on. */
typedef lbResult lbStageFn(lbStage* stage, const void* given);
/* `gravity` is along -y, m/s^2. */
void lb_run_stage(lbVerifyContext* context, const char* name, double gravity, lbStageFn* run, const void* given);

lbResult lb_add_piece(lbStage* stage, const lbPiece* piece, lbVec3 position, lbBodyId* body);
/* A half-space up to y = 0. */
lbResult lb_add_ground(lbStage* stage, float friction, lbToolId* ground);
lbResult lb_play_stage(lbStage* stage, double seconds);
/* Gravity down a slope towards +x that falls by so many degrees, as seen by someone who stands on it. */
lbResult lb_tilt(lbStage* stage, double degrees);

/* ---- Looking ---- */

lbVec3d lb_momentum_center(const lbMomentum* momentum);   /* m */
lbVec3d lb_momentum_velocity(const lbMomentum* momentum); /* m/s, of the centre of mass */
lbResult lb_center(const lbStage* stage, lbBodyId body, lbVec3d* center);
lbResult lb_center_velocity(const lbStage* stage, lbBodyId body, lbVec3d* velocity);
lbResult lb_weight(const lbStage* stage, lbBodyId body, double* weight); /* N */
/* m/s, of the fastest node or skin point. */
lbResult lb_largest_speed(const lbStage* stage, lbBodyId body, double* speed);
/* m, of skin points, along an axis. */
lbResult lb_skin_bounds(const lbStage* stage, lbBodyId body, lbBox* bounds);

#endif
