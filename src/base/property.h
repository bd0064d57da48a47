/* A property of scenes as the tables that describe it hold it: each part of limber has a list of its own. */
#ifndef LIMBER_SRC_PROPERTY_H
#define LIMBER_SRC_PROPERTY_H

#include "limber/describe.h"

/* Mask of one kind. */
#define LB_BIT(kind) (1u << (kind))

/* Mask of bodies that have a mesh, a law and an integrator. */
#define LB_SOFT LB_BIT(lb_bodyDynamic)

typedef struct lbProperty {
    lbPropertyInfo info; /* first: what lbGetProperty gives leads back to the whole */
    double standard[3];  /* the default, unless standardOf says it */
    void (*standardOf)(const lbBodyKinds* kinds, double value[3]); /* where it depends on the body; may be NULL */
    const lbKindInfo* choices;                                     /* (choiceCount), or, where it is NULL, */
    lbKindInfo (*choice)(int index);                               /* a table of kinds */
} lbProperty;

typedef struct lbPropertyList {
    int count;
    const lbProperty* items; /* (count) */
} lbPropertyList;

#define LB_PROPERTY_LIST(items)                                                                                        \
    { (int)(sizeof(items) / sizeof((items)[0])), (items) }

#endif
