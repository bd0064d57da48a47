/* Nearly incompressible matter in linear tetrahedra.
 *
 * A linear tetrahedron can hardly bend when its own volume is kept: there are five or six of them for each node, and
 * so two constraints for each freedom ("locking": a beam of nu = 0.49 bends half as far as it should, one of 0.499 a
 * tenth). So elements keep only as much of lambda as does no harm, and the rest, kappa, is asked of an average:
 *
 *   t_a   how much of its volume has been gained by the matter around node a: sum of V_e - V_e0 over the elements
 *         around a / sum of V_e0
 *   t_e   the mean of t_a over the four nodes of element e
 *   energy  1/2 sum over e of kappa_e V_e0 t_e^2
 *
 * The first average is that of J. Bonet and A. J. Burton, A simple average nodal pressure tetrahedral element for
 * incompressible and nearly incompressible dynamic explicit applications, 1998, whose energy is taken at the nodes.
 * There, pressures alternate from node to node, at nu = 0.499 by several times what they should be; the second average
 * takes that away, costs little, and lets beams bend a little further still. What elements keep of lambda is what
 * stabilises both: no motion is without resistance.
 *
 * With the sums s_a = sum over e around a of (V_e - V_e0) the energy is 1/2 s^T H s, H_ab = sum over e of
 * kappa_e V_e0 / (16 W_a W_b), W_a = sum of V_e0: a sparse matrix of numbers that is baked. So forces take three rounds
 * (law.h): sums s, pressures p = -H s, and
 *
 *   f_i = (sum over the nodes a of e of p_a) grad_i V_e
 *
 * which keep momentum and angular momentum as every function of volumes does. For the linear law V_e - V_e0 is its
 * linear part at rest, V_e0 times the trace of the strain. Elements that are only partly full count by how full they
 * are. Damping: dampingTime times the rate of s is added to s. */
#ifndef LIMBER_SRC_AVERAGED_VOLUME_H
#define LIMBER_SRC_AVERAGED_VOLUME_H

#include "base/node_offset.h"
#include "law/instance.h"
#include "matrix/reach.h"

typedef struct lbVolumeBatch {
    lbNodeOffset node[4][LB_LANES];
    float scale[LB_LANES]; /* how full, / 6; 0 for padding and elements that take no part. Linear law: of no account */
    float rest[LB_LANES];  /* m^3 of matter, V_e0, linear law: three times that; 0 where scale is */
} lbVolumeBatch;

typedef struct lbAveragedVolume {
    float dampingTime; /* s */
    bool everywhere;   /* all of the mesh's tetrahedra take part, and the law is not the linear one */
    int batchCount;
    lbVolumeBatch* batches;
    bool* idle;         /* (batchCount) of elements that take no part with this material: passed over */
    uint8_t* continues; /* (batchCount) not 0: goes on with the fans of the batch before it (law/fans.h) */
    float* gradients;   /* (batchCount x 9 x LB_LANES) m^2: of nodes 1, 2, 3 at rest; NULL: not the linear law */
    float* shapes;      /* (batchCount x 6 x LB_LANES) 1/m^2: with gradients at rest [g1 g2 g3] = Q R, R^-1: 00, 01,
                           11, 02, 12, 22; for `bound` alone */
    float rate;         /* 1/s^2: no squared frequency is larger at rest (averaged_volume_rate.c) */
    float* masses;      /* (nodeCount) kg, of nodes that take part; else 0 */
    lbNumberMatrix pressure; /* H, Pa/m^3 */
    int* places;             /* (batchCount x 12 x LB_LANES) places in H's graph of each pair of an element's nodes:
                                (0, 1), (1, 0), (0, 2), (2, 0), ... (1, 2), ... */
    int* numbers;            /* (batchCount x LB_LANES) lbTet.number of each place; -1: padding */
} lbAveragedVolume;

lbResult lb_bake_averaged_volume(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
void lb_release_averaged_volume(const lbHost* host, void* elements);

/* A bound on the squared frequencies at rest, 1/s^2. The tetrahedra are those that take part; `masses` are the nodes',
 * kg. */
lbResult lb_averaged_volume_rate(const lbMesh* mesh, const int* tets, int tetCount, const double* masses,
                                 const lbNumberMatrix* pressure, double* rate);

/* Whether a model of this mesh has such elements; */
bool lb_wants_averaged_volume(const lbMesh* mesh, const lbModelDef* def);
/* and whether it has elements that another material may make such. Those have places in the batches, whatever the
 * material is now: matrices refer to these places. */
bool lb_may_average_volume(const lbMesh* mesh, const lbModelDef* def);

/* How much of lambda elements keep, Pa. All of it up to nu = 0.4, where locking costs less than averages do; from
 * nu = 0.45 on as much as nu = 0.3 has. In between it changes steadily, so that no step is felt. */
double lb_kept_lambda(const lbModelDef* def, double lambda, double mu);

/* What averages add to the stress in each element, Pa, positive in tension: (tetCount), by lbTet.number; elements
 * that take no part are left alone. The instance needs `shared`. */
void lb_measure_pressure(const lbLawInstance* instance, lbTasks* tasks, const float* x, float* stress);

#endif
