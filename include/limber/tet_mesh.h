/* Tetrahedral meshes: what fills a shape. Made from arrays, by a generator, by the mesher, or read from a file.
 * SI units: metres. */
#ifndef LIMBER_TET_MESH_H
#define LIMBER_TET_MESH_H

#include "limber/base.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points and the tetrahedra between them, in double: what is precomputed from them is, too. Constant once made. All
 * tetrahedra have positive volume, no face is shared by more than two, and every point is a corner of some. */
typedef struct lbTetMesh lbTetMesh;

/* Everything needed to make a mesh from arrays. Arrays are copied. Optional ones may be NULL. */
typedef struct lbTetMeshDef {
    int pointCount;
    const double* points; /* (pointCount x 3) m */
    int tetCount;
    const int* tets; /* (tetCount x 4) point indices */
    const int*
        regions; /* optional (tetCount) of which part, or of which material, a tetrahedron is; without, all are 0 */
    const int* numbers; /* optional (tetCount) what messages call the tetrahedra; without, their indices */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultTetMeshDef() */
} lbTetMeshDef;

LB_API lbTetMeshDef lbDefaultTetMeshDef(void);

/* Tetrahedra that run the wrong way round are turned, and points that none uses are left out (the rest keep their
 * order); the host's log is told. Fails, naming the tetrahedron, on an index out of range, a corner twice, no volume,
 * the same four corners as another, a face that a third one shares, and one that lies folded over its neighbour. */
LB_API lbResult lbCreateTetMesh(const lbTetMeshDef* def, lbTetMesh** mesh);
LB_API void lbDestroyTetMesh(lbTetMesh* mesh); /* NULL is fine */

LB_API int lbTetMesh_GetPointCount(const lbTetMesh* mesh);
LB_API const double* lbTetMesh_GetPoints(const lbTetMesh* mesh); /* (pointCount x 3) m */
LB_API int lbTetMesh_GetTetCount(const lbTetMesh* mesh);
LB_API const int* lbTetMesh_GetTets(const lbTetMesh* mesh);    /* (tetCount x 4) positive volume:
                                                                  (b - a) . ((c - a) x (d - a)) > 0 */
LB_API const int* lbTetMesh_GetRegions(const lbTetMesh* mesh); /* (tetCount) or NULL: all 0 */

/* The mesh's own surface: the faces of one tetrahedron only. A surface point's place is rounded to float. */
LB_API lbResult lbTetMesh_MakeSurface(const lbTetMesh* mesh, lbShape** surface);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* What was in a file besides the mesh, and what was done about it. */
typedef struct lbTetMeshFileReport {
    char format[32];                                              /* for example "Gmsh 4.1, binary" */
    int nodeCount, elementCount;                                  /* in the file, elements of all kinds */
    int pointElementCount, lineElementCount, surfaceElementCount; /* passed over */
    int splitElementCount;     /* hexahedra, prisms and pyramids, cut into tetrahedra */
    int reducedElementCount;   /* of higher order: the corners were kept only */
    int turnedElementCount;    /* ran the wrong way round */
    int unusedNodeCount;       /* left out */
    int flatElementCount;      /* without volume, left out: see lbTetMeshLoadDef */
    int duplicateElementCount; /* the same nodes as another, left out: see lbTetMeshLoadDef */
} lbTetMeshFileReport;

typedef struct lbTetMeshLoadDef {
    bool leaveOutBadElements; /* those without volume, and those that stand twice; else they are errors */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultTetMeshLoadDef() */
} lbTetMeshLoadDef;

LB_API lbTetMeshLoadDef lbDefaultTetMeshLoadDef(void);

/* Reads Gmsh (.msh), TetGen (.node and .ele: either names both), Medit (.mesh, .meshb), VTK (.vtk, .vtu), Abaqus (.inp)
 * and Vega (.veg), as text and binary. Errors name the file, its line or byte, and the element as the file numbers it.
 * `report` may be NULL. */
LB_API lbResult lbLoadTetMesh(const char* path, const lbHost* host, lbTetMesh** mesh, lbTetMeshFileReport* report);
LB_API lbResult lbLoadTetMeshWith(const char* path, const lbTetMeshLoadDef* def, lbTetMesh** mesh,
                                  lbTetMeshFileReport* report);

/* Whether a path has the ending of a file of tetrahedra (.mesh: and is one of Medit's, not another program's). */
LB_API bool lbIsTetMeshFile(const char* path);

typedef enum lbTetMeshEncoding {
    lb_encodingUsual, /* text, but for .vtu and .meshb */
    lb_encodingText,
    lb_encodingBinary,
} lbTetMeshEncoding;

typedef struct lbTetMeshSaveDef {
    lbTetMeshEncoding encoding;
    int gmshVersion; /* of a .msh file: 2 (2.2, which all programs read; the default) or 4 (4.1) */
    uint32_t cookie; /* set by lbDefaultTetMeshSaveDef() */
} lbTetMeshSaveDef;

LB_API lbTetMeshSaveDef lbDefaultTetMeshSaveDef(void);

/* Writes .msh, .node with .ele, .mesh, .meshb, .vtk, .vtu, .inp or .veg, by the ending of the path. Positions read back
 * bit for bit, and regions as they are. The file is complete or the old one stays. */
LB_API lbResult lbTetMesh_Save(const lbTetMesh* mesh, const char* path);
LB_API lbResult lbTetMesh_SaveWith(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def);

#ifdef __cplusplus
}
#endif

#endif
