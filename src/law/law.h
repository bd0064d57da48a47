/* The force law contract. A law knows elements and forces; it knows nothing of time stepping. To add one: write a file
 * beside springs.c, name it in law.c, and check it with verify/law_checks.h (force is minus the energy's gradient,
 * tangent is the force's).
 *
 * Node vectors x, v, f, p, y are (nodeCount x 4): x, y, z and a zero, so that a node is one 16-byte load. */
#ifndef LIMBER_SRC_LAW_H
#define LIMBER_SRC_LAW_H

#include "limber/field.h"
#include "limber/model.h"

#include "mesh/mesh.h"

/* Batches begin <= b < end. */
typedef struct lbRange {
    int begin, end;
} lbRange;

/* Which of a law's element batches to work on: all of them, one thread's share, or the active ones. */
typedef struct lbScope {
    const void* elements; /* what `bake` made */
    const lbRange* ranges;
    int rangeCount;
    const float*
        activation; /* (places in the batches) by how much each element's rest state is scaled; NULL: not at all */
    float* shared;  /* (lb_sharedVectors x nodeCount x 4) what the rounds of a law hand on (lbLaw.collect) */
} lbScope;

enum { lb_sharedVectors = 3 };

/* Which batches may run side by side. The groups of a phase touch no node in common; phases follow one another. The
 * order in which a node's forces are added depends on this plan alone, never on the number of threads. */
typedef struct lbPlan {
    int groupCount;
    lbRange* groups; /* (groupCount) */
    int phaseCount;
    int* phaseStarts; /* (phaseCount + 1) index of each phase's first group */
} lbPlan;

/* When a force is asked for. */
typedef struct lbMoment {
    double time; /* s */
    double step; /* s, how long the step is that it serves; 0: none */
} lbMoment;

/* A spring that is shorter than its rest length gives way sideways: the tangent then has directions in which it does
 * not resist, and a matrix made of it may not be positive definite. */
typedef enum lbTangentKind {
    lb_tangentExact,    /* the derivative of the force */
    lb_tangentDefinite, /* what each element gives way by is left out: no direction is without resistance */
    lb_tangentSimple,   /* definite, too; where that is cheaper, also without what turning elements resist by */
} lbTangentKind;

struct lbBlockMatrix;
struct lbReach;
struct lbPrecise;
struct lbLawParts;

typedef struct lbLaw {
    const char* name;
    const char *label, *description;  /* for people: lbKindInfo */
    uint32_t meshes;                  /* bits of the mesh kinds it works on, 1u << lb_meshTetGrid; 0: all */
    const lbPropertyList* properties; /* what a scene can say of it beside its kind; NULL: nothing */
    /* Packs a mesh's elements into batches and plans them. Precomputation in double. Where an element goes must not
     * depend on the material: that may be changed while muscles and matrices refer to the places. */
    lbResult (*bake)(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
    void (*release)(const lbHost* host, void* elements);
    /* Whether no element does anything with this material, so that nothing need be evaluated (lbLawInstance.idle).
     * NULL: never. */
    bool (*idle)(const lbMesh* mesh, const lbModelDef* def);
    /* Elastic energy, J. */
    double (*energy)(const lbScope* scope, const float* x);
    /* Adds forces, N. */
    void (*force)(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f);
    /* The same with what averages around nodes add to the stress in each element: the fourth numbers of `places`,
     * beside x, are such that a quarter of their sum over its nodes is meant. NULL: averages add their forces
     * themselves. */
    void (*forceBeside)(const lbScope* scope, lbMoment moment, const float* places, const float* v, float* f);
    /* y += (a dF/dx + b dF/dv) p. */
    void (*tangent)(const lbScope* scope, const float* x, float a, float b, const float* p, float* y);
    /* Adds to each node symmetric blocks D (stiffness, N/m) and C (damping, N s/m) such that, at x, -dF/dx is at most
     * diag(D) and -dF/dv at most diag(C) as quadratic forms: their eigenvalues divided by the mass then bound the
     * frequencies. Both are (nodeCount x 6): xx, yy, zz, xy, xz, yz. */
    void (*bound)(const lbScope* scope, const float* x, float* stiffness, float* damping);

    /* For forces that follow from what all elements around a node measure together; NULL for all other laws. Any of the
     * functions above, and `assemble`, is then the last of three rounds, which instance.c runs:
     *
     *   collect  over elements: adds what they measure to the first vector of scope->shared, which was zero: at x,
     *            moving at v, and how it changes along p; v and p may be NULL;
     *   share    over nodes, in chunks of matrixChunk: turns that into what the second vector holds, beside x, and the
     *            third, beside p: a fourth number of each node, so that elements get both by one load;
     *   force    (tangent, energy, ...) over elements, with these.
     *
     * Forces are asked for with v, tangents with p, all else with neither. */
    void (*collect)(const lbScope* scope, const float* x, const float* v, const float* p);
    void (*share)(const lbScope* scope, const float* x, const float* p, int beginChunk, int endChunk);
    /* Once that is done, what `forceBeside` of another law on the same elements may do `force` with; NULL if not all of
     * them take part. */
    const float* (*beside)(const lbScope* scope);

    /* For fields (docs/fields.md). A law that has none of these offers none. Scalars of nodes: (nodeCount). */
    uint32_t measures; /* bits of the fields that `measure` knows: 1u << lb_fieldStrain, 1u << lb_fieldStress */
    /* Adds to each node of each element the element's value times its volume, and the volume. What is shown is their
     * quotient, so that any unit of volume will do. */
    void (*measure)(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume);
    /* Adds the energy of each element to its nodes in equal shares, J: in all it is `energy`. */
    void (*shareEnergy)(const lbScope* scope, const float* x, float* energy);

    /* How many elements are flat or inside out, and the number of one of them (lbTet.number; -1: none). NULL where that
     * has no meaning. */
    int (*countInverted)(const lbScope* scope, const float* x, int* number);
    bool comesBack; /* from there, by its own forces */

    /* For matrices. A law that has none of these serves implicit methods by its tangent products. */
    int nodesPerElement;
    bool symmetricBlocks; /* the block of two nodes is symmetric by itself */
    /* The nodes of element `index` (batch index / LB_LANES, lane index % LB_LANES); false where there is none. */
    bool (*nodes)(const void* elements, int index, int* nodes);
    /* Adds a dF/dx + b dF/dv to the blocks beside the diagonal; the diagonal follows from them, since forces between
     * nodes do not change when all move alike. `places` are those of the blocks of node pairs in
     * lbBlockMatrix.pairs: for each batch (n (n - 1) / 2 x LB_LANES) numbers: pair (0, 1), (0, 2), ... (1, 2), ...;
     * ~place where the pair's block has the rows of the second node (lb_scatter_blocks does it). */
    void (*assemble)(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind, const int* places,
                     const struct lbBlockMatrix* matrix);
    /* What the law does between nodes that share no element (lbBlockMatrix.reach): sets its averages, and its scale for
     * a dF/dx + b dF/dv; `assemble` adds its gradients. NULL: nothing. */
    void (*reach)(const void* elements, float a, float b, struct lbReach* reach);
    /* For products without a matrix, element by element, of what `assemble` would write out. NULL: there is none.
     * `turn` keeps what elements need of x for all products of a step, frameNumbers numbers for each batch, and adds
     * the blocks on the diagonal: xx, xy, xz to the first node vector, yy, yz, zz to the second. Then  q += (a dF/dx +
     * b dF/dv) p.
     */
    int frameNumbers;
    void (*turn)(const lbScope* scope, const float* x, float a, float b, float* frames, float* first, float* second);
    void (*product)(const lbScope* scope, const float* frames, float a, float b, const float* p, float* q);
    void (*preciseProduct)(const lbScope* scope, const float* frames, float a, float b, const double* p, float* q);
    /* In double, for static equilibrium (law/precise.h). NULL for averaged volumes alone, which reach beyond elements
     * and have functions of their own there. */
    const struct lbPrecise* precise;

    /* For bodies of which only a part is active (law/parts.h). `byElements` is the same law in a form that has parts,
     * where this one has none. Both NULL: the law knows whole meshes only. */
    const struct lbLawParts* parts;
    const struct lbLaw* byElements;
} lbLaw;

extern const lbLaw lb_springs, lb_linear, lb_green, lb_corotational, lb_neoHookean;
/* The form of lb_corotational on meshes of hexahedra. */
extern const lbLaw lb_corotationalHexes;
/* Added to a model's law when its penalty is asked for. */
extern const lbLaw lb_volumePenalty, lb_areaPenalty, lb_surfacePenalty;

/* Added to every law on tetrahedra that may become nearly incompressible (law/averaged_volume.h). */
extern const lbLaw lb_averagedVolume;

/* NULL for a kind that does not exist. */
const lbLaw* lb_find_law(lbLawKind kind);
/* Its form on a kind of mesh: elements differ, the law is one. */
const lbLaw* lb_find_law_on(lbLawKind kind, lbMeshKind mesh);

#endif
