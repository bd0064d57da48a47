/* Batches one after the other that are fans (law/fans.h): what they share is gathered and scattered once. A loop over
 * batches is a loop over fans, and within each
 *
 *   begin;  do { the gradient of the next element; its stress is added } while it continues;  end
 *
 * Wherever a range begins a fan may be begun: every batch has all its nodes. */
#ifndef LIMBER_SRC_TET_FAN_H
#define LIMBER_SRC_TET_FAN_H

#include "law/fans.h"
#include "law/tet_kernels.h"

/* Of a node vector, in the elements (a, b, c, d) of a fan: they have the axis in common, and a spoke with the next. */
typedef struct lbFanEdges {
    lbLanes3 hub;   /* at a */
    lbLanes3 axis;  /* b - a */
    lbLanes3 spoke; /* c - a */
} lbFanEdges;

LB_INLINE lbLanes3 gather_at(const float* q, const lbNodeOffset* node) {
    lbLanes3 v;
    gather_nodes(q, node, v.c);
    return v;
}

LB_INLINE lbFanEdges begin_fan(const lbTetBatch* batch, const float* q) {
    lbLanes3 hub = gather_at(q, batch->node[0]);
    return (lbFanEdges){hub, lanes3_sub(gather_at(q, batch->node[1]), hub),
                        lanes3_sub(gather_at(q, batch->node[2]), hub)};
}

/* The gradient in the next element of the fan. */
LB_INLINE lbLanes33 next_gradient(const lbTetBatch* batch, const float* q, lbFanEdges* edges) {
    const lbLanes3 e[3] = {edges->axis, edges->spoke, lanes3_sub(gather_at(q, batch->node[3]), edges->hub)};
    edges->spoke = e[2];
    return tet_from_edges(batch, e);
}

/* Numbers that stand beside x (lbLaw.forceBeside), at the nodes that a fan's elements share. */
typedef struct lbFanStress {
    lbLanes axis;  /* at a and b together */
    lbLanes spoke; /* at the last d, which is the next c */
} lbFanStress;

/* begin_fan, and what stands beside x. */
LB_INLINE lbFanEdges begin_stressed_fan(const lbTetBatch* batch, const float* x, lbFanStress* stress) {
    lbLanes3 hub, axis, spoke;
    lbLanes ends[2];
    gather_four(x, batch->node[0], hub.c, &ends[0]);
    gather_four(x, batch->node[1], axis.c, &ends[1]);
    gather_four(x, batch->node[2], spoke.c, &stress->spoke);
    stress->axis = ends[0] + ends[1];
    return (lbFanEdges){hub, lanes3_sub(axis, hub), lanes3_sub(spoke, hub)};
}

/* next_gradient, and the sum of what stands beside x over the element's nodes. */
LB_INLINE lbLanes33 next_stressed_gradient(const lbTetBatch* batch, const float* x, lbFanEdges* edges,
                                           lbFanStress* stress, lbLanes* sum) {
    lbLanes3 there;
    lbLanes last;
    gather_four(x, batch->node[3], there.c, &last);
    const lbLanes3 e[3] = {edges->axis, edges->spoke, lanes3_sub(there, edges->hub)};
    edges->spoke = e[2];
    *sum = stress->axis + (stress->spoke + last);
    stress->spoke = last;
    return tet_from_edges(batch, e);
}

/* What cof F is added times, to P V: volumes that are averaged are those of the matter in an element, V, and their
 * gradients V cof F Dm^-T. */
LB_INLINE lbLanes stress_beside(const lbTets* tets, int i, lbLanes sum) {
    return sum * lanes_load(tets->volumes + (size_t)i * LB_LANES);
}

/* Forces that are not scattered yet. */
typedef struct lbFanForces {
    lbLanes3 axis;  /* on b */
    lbLanes3 spoke; /* on the last d, which is the next c */
    lbLanes3 rest;  /* on all spokes so far: with the axis, minus the force on a */
} lbFanForces;

LB_INLINE lbFanForces no_forces(void) {
    const lbLanes3 zero = {{LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}};
    return (lbFanForces){zero, zero, zero};
}

/* Adds the forces of a stress, given with the opposite sign (and times the volume). */
LB_INLINE void add_stress(const lbTetBatch* batch, const lbLanes33* minusP, lbFanForces* forces, float* f) {
    lbLanes33 g = tet_to_edges(batch, minusP);
    const lbTetBatch* again = batch;
    __asm__("" : "+r"(again)); /* loads the offsets again: they would not stay in registers from the gather on */
    forces->axis = lanes3_add(forces->axis, g.column[0]);
    forces->rest = lanes3_add(forces->rest, lanes3_add(g.column[1], g.column[2]));
    lanes3_scatter(f, again->node[2], lanes3_add(forces->spoke, g.column[1]));
    forces->spoke = g.column[2];
}

/* `batch` is the fan's last. */
LB_INLINE void end_fan(const lbTetBatch* batch, const lbFanForces* forces, float* f) {
    lanes3_scatter(f, batch->node[3], forces->spoke);
    lanes3_scatter(f, batch->node[1], forces->axis);
    lanes3_scatter(f, batch->node[0], lanes3_scale(LANES_ALL(-1.0f), lanes3_add(forces->rest, forces->axis)));
}

/* What is asked of a loop over forces, known when it is compiled. */
typedef struct lbAskedForces {
    bool damped; /* with the law's own damping */
    bool beside; /* x has stresses beside it */
} lbAskedForces;

/* Whether batch `i` goes on with the fan of the one before. */
LB_INLINE bool continues_fan(const lbTets* tets, int i, int end) {
    return i < end && tets->continues[i] != 0;
}

#endif
