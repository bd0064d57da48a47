/* A box of some material alone in a world: what the checks of continua pull, bend, twist and let go. Centred on the
 * origin. */
#ifndef LIMBER_VERIFY_SPECIMEN_H
#define LIMBER_VERIFY_SPECIMEN_H

#include "base/math.h"
#include "limber/limber.h"

typedef struct lbSpecimenDef {
    lbVec3 size;           /* m */
    double edge;           /* m, of the cells, which fill the box without a rest */
    const lbTetMesh* mesh; /* instead of a grid of such cells; NULL: none */
    lbLawKind law;
    float E, nu, density;
    lbIntegratorKind integrator;
    float tolerance; /* of implicit integrators; 0: the default */
} lbSpecimenDef;

typedef struct lbSpecimen {
    lbSpecimenDef def;
    lbWorld* world; /* without gravity */
    lbModelId model;
    lbBodyId body;
    int count;    /* nodes */
    float* rest;  /* (count x 3) m, where they are when the specimen is made */
    float *x, *v; /* (count x 3) m and m/s, for lb_read_specimen */
    float* mass;  /* (count) kg */
} lbSpecimen;

/* A matter that is easy to compute with: E = 1 MPa, nu = 0.3, 1000 kg/m^3; undamped. */
lbSpecimenDef lb_default_specimen(lbVec3 size, double edge, lbLawKind law);
lbResult lb_create_specimen(const lbSpecimenDef* def, lbSpecimen* specimen);
void lb_destroy_specimen(lbSpecimen* specimen);

/* x and v from the body, or the body's from x and v. */
lbResult lb_read_specimen(lbSpecimen* specimen);
lbResult lb_write_specimen(lbSpecimen* specimen);

/* The nodes of a slab normal to an axis (0, 1, 2), at this place. */
lbRegion lb_slab(const lbSpecimen* specimen, int axis, double place);
bool lb_in_slab(const lbSpecimen* specimen, int axis, double place, int node);

/* Holds some axes of a slab's nodes. `pin` may be NULL. */
lbResult lb_hold_slab(lbSpecimen* specimen, int axis, double place, unsigned axes, lbPinId* pin);

/* The mean displacement along `along` of the nodes of a slab, m; after lb_read_specimen. */
double lb_slab_displacement(const lbSpecimen* specimen, int axis, double place, int along);

/* The order of accuracy that three results at h, h/2 and h/4 show, and what they tend to. */
double lb_observed_order(const double result[3]);
double lb_extrapolate(const double result[3]);

#endif
