/* Soft bodies that are dropped into a bowl: what contact between many bodies is measured and tested on.
 *
 * Four models in turn, each of about 500 tetrahedra and a tenth of a metre large: a box, a ball, a capsule and a
 * starfish; corotational, E = 50 kPa, nu = 0.3, 1000 kg/m^3, damped, implicit Euler. The bowl is a pyramid that stands
 * on its top, cut off below: a floor and four walls of half-spaces. Bodies begin apart from each other, turned at
 * random, in layers above it. */
#ifndef LIMBER_BENCH_CONTACT_PILE_H
#define LIMBER_BENCH_CONTACT_PILE_H

#include "limber/body.h"
#include "limber/contact.h"
#include "limber/model.h"
#include "limber/world.h"

typedef struct lbPileDef {
    int bodyCount;
    int threadCount;
    bool atOnePlace; /* all bodies begin at the same place: nothing that a world should be given, but may be */
} lbPileDef;

typedef struct lbPile {
    lbWorld* world;
    const lbHost* host;
    int bodyCount;
    lbBodyId* bodies; /* (bodyCount) */
    int modelCount;
    lbShape* surfaces[4];     /* (modelCount) of the models: their skins at rest */
    float sizes[4];           /* (modelCount) m, the longest side of each model */
    int tetCount, mostPoints; /* of all bodies; skin points of the largest model */
} lbPile;

enum { lb_pileFrameRate = 60 };

/* What was made is to be destroyed in any case. */
lbResult lb_create_pile(const lbHost* host, const lbPileDef* def, lbPile* pile);
void lb_destroy_pile(lbPile* pile);

/* How a pile is doing, measured from outside. */
typedef struct lbPileMotion {
    bool finite;
    double fastest;        /* m/s, of any skin point */
    double lowest;         /* m, of any skin point: below 0 it is in the floor */
    double kinetic, whole; /* J, of all bodies; whole: with elastic energy and height */
} lbPileMotion;

lbResult lb_measure_pile(const lbPile* pile, lbPileMotion* motion);

/* How deep any skin point of a body is within another one, as a share of the size of the smaller of the two: by winding
 * numbers and distances, which know nothing of how contact is found. Slow. */
lbResult lb_measure_pile_depth(const lbPile* pile, double* deepest);

#endif
