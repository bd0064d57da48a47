/* How a body that nobody has described is best simulated. */
#ifndef LIMBER_SERVER_MEANS_H
#define LIMBER_SERVER_MEANS_H

#include "limber/model.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"

typedef struct lbMeans {
    lbMeshKind mesh;
    double edge; /* m, of tetrahedra or of a grid's cubes */
    lbLawKind law;
    double density;     /* kg/m^3 */
    double modulus;     /* Pa */
    double ratio;       /* Poisson's */
    double damping;     /* s, of the stiffness */
    double massDamping; /* 1/s */
    bool implicit;      /* explicit steps would be too short */
    int elements;       /* of voxels */
} lbMeans;

/* What has an inside becomes a solid that keeps 60 frames a second at ease, what has none a sheet. `scale`: of the
 * shape as it will be simulated. */
lbMeans lb_means_for_surface(const lbShape* shape, const lbShapeReport* report, double scale);
/* The same as voxels, whatever the surface: no part is lost, none is refused. */
lbMeans lb_means_as_voxels(const lbShape* shape, double scale);
/* A mesh that is there already; `size`: m, its longest side when it is scaled. */
lbMeans lb_means_for_tets(const lbTetMesh* mesh, double scale, double size);

#endif
