/* Matter by name: measured values, with where they were measured, for people who know what a thing is made of. */
#ifndef LIMBER_SERVER_MATTER_H
#define LIMBER_SERVER_MATTER_H

#include "limber/describe.h"
#include "server/document.h"

typedef struct lbMatterPreset {
    const char *name, *label, *description;
    const char* source;   /* of the values */
    double density;       /* kg/m^3 */
    double youngsModulus; /* Pa */
    double poissonsRatio;
    double stiffnessDamping; /* s */
    double massDamping;      /* 1/s */
    bool sheet;              /* of cloth; else of solids */
    bool rigid;              /* too stiff to be seen bending: a body that moves as a whole */
    const char* color;       /* "#rrggbb", of what is added */
} lbMatterPreset;

int lb_matter_count(void);
const lbMatterPreset* lb_matter_at(int index);
const lbMatterPreset* lb_find_matter(const char* name); /* NULL: there is none */

/* Whether explicit steps would be too many: stiff for its weight. */
bool lb_matter_wants_implicit(const lbMatterPreset* matter);

#endif
