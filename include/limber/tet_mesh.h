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

/* What a tetrahedron is made of where that is not the model's material. Damping is the model's. */
typedef struct lbMatter {
    float density;       /* kg/m^3 */
    float youngsModulus; /* E, Pa */
    float poissonsRatio; /* nu, -1 < nu < 0.5 */
} lbMatter;

/* Points of a mesh under a name: what a file calls a node set, a physical group or a flag of its points. */
typedef struct lbNodeGroup {
    const char* name;
    int nodeCount;
    const int* nodes; /* (nodeCount) ascending, each once */
} lbNodeGroup;

/* Everything needed to make a mesh from arrays. Arrays are copied. Optional ones may be NULL. */
typedef struct lbTetMeshDef {
    int pointCount;
    const double* points; /* (pointCount x 3) m */
    int tetCount;
    const int* tets; /* (tetCount x 4) point indices */
    const int*
        regions; /* optional (tetCount) of which part, or of which material, a tetrahedron is; without, all are 0 */
    const int* numbers; /* optional (tetCount) what messages call the tetrahedra; without, their indices */
    int groupCount;
    const lbNodeGroup* groups; /* optional (groupCount) named points, in any order; a point may be in several */
    const lbMatter* matter;    /* optional (tetCount) what each is made of; numbers that are not known are NAN */
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
LB_API int lbTetMesh_GetGroupCount(const lbTetMesh* mesh);
/* Groups of no points are kept: a file may name what belongs to no tetrahedron. NULL: there is no such group. */
LB_API const lbNodeGroup* lbTetMesh_GetGroup(const lbTetMesh* mesh, int group);
LB_API const lbNodeGroup* lbTetMesh_FindGroup(const lbTetMesh* mesh, const char* name);
/* (tetCount) what each tetrahedron is made of, NAN where that is not known; NULL: nothing is known. */
LB_API const lbMatter* lbTetMesh_GetMatter(const lbTetMesh* mesh);

/* The mesh's own surface: the faces of one tetrahedron only. A surface point's place is rounded to float. */
LB_API lbResult lbTetMesh_MakeSurface(const lbTetMesh* mesh, lbShape** surface);

/* ---- How good a mesh is ------------------------------------------------------------------------------------------ */

typedef struct lbTetMeshReport {
    int pointCount, tetCount, edgeCount;
    int partCount; /* groups of tetrahedra that no face connects */

    int surfacePointCount, surfaceTriangleCount; /* faces of one tetrahedron only, and their corners */
    int surfaceEulerNumber;                      /* points - edges + triangles; 2 for a ball, 0 with a hole through */
    int pinchedPointCount;                       /* points whose surface triangles form more than one fan */
    int pinchedEdgeCount;                        /* edges of the surface with more than two triangles */

    double smallestAngle, largestAngle;         /* degrees, between two faces of a tetrahedron */
    double shortestEdge, meanEdge, longestEdge; /* m */
    double shortestAltitude;                    /* m, of a corner above its opposite face */
    double courantLength;                       /* m; over the speed of pressure waves in the material: a step that is
                                                   stable with explicit methods, 1.1 to 1.6 times too short */
    double volume;                              /* m^3 */

    /* Compared with a surface, where one was given; else not a number. */
    double volumeError;     /* relative: (volume - the surface's) / the surface's; of an open surface not a number */
    double surfaceDistance; /* m, from the surface to the farthest point of the mesh's own */
} lbTetMeshReport;

/* `surface` may be NULL. */
LB_API lbResult lbTetMesh_Measure(const lbTetMesh* mesh, const lbShape* surface, lbTetMeshReport* report);

/* ---- The mesher -------------------------------------------------------------------------------------------------- */

typedef struct lbMesherDef {
    double edge;     /* wanted mean edge length, m; must be given */
    bool relax;      /* move the points inside so that edges and angles become more alike; default false */
    int threadCount; /* 0: one for each processor; results do not depend on it */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultMesherDef() */
} lbMesherDef;

LB_API lbMesherDef lbDefaultMesherDef(void);

/* Fills a surface with tetrahedra of nearly the same size by isosurface stuffing. Any surface will do: inside is where
 * its winding number is at least one half. Points of the mesh's surface lie on the given one (where it has a hole: in
 * the hole); sharp edges are rounded off by about an edge length, and parts thinner than that may be lost, which the
 * host's log is told. The angles between faces of a tetrahedron are 10.78 to 164.74 degrees, whatever the surface. */
LB_API lbResult lbMeshSurface(const lbShape* shape, const lbMesherDef* def, lbTetMesh** mesh);

/* The same shape at edge, edge / 2, edge / 4, ...: `levelCount` meshes that share no points, coarse to fine. On failure
 * there is none. */
LB_API lbResult lbMeshSurfaceLevels(const lbShape* shape, const lbMesherDef* def, int levelCount, lbTetMesh** levels);

/* ---- Generators: exact meshes of simple shapes ------------------------------------------------------------------- */

typedef enum lbTetPattern {
    lb_tetPatternSix, /* six tetrahedra a cell, all cells alike (Kuhn) */
    lb_tetPatternFive /* five, neighbouring cells mirrored; a tube then has an even number of cells around */
} lbTetPattern;

/* Centred on the origin, as the shapes of lbGenerateShape are. Which fields count is said beside each kind there. */
typedef struct lbTetGeneratorDef {
    lbShapeKind kind;   /* lb_shapeBox, lb_shapeCylinder or lb_shapeTube */
    double size[3];     /* m */
    double radius;      /* m */
    double innerRadius; /* m */
    double length;      /* m */
    double edge;        /* wanted edge of the cells where their number is not given, m */
    int cells[3];       /* box: along x, y, z; tube: across, around, along; cylinder: rings (each of six cells more than
                           the one inside it), 0, along. 0: as many as suit the edge */
    lbTetPattern pattern; /* default lb_tetPatternSix. Cylinders are made of prisms of three */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultTetGeneratorDef() */
} lbTetGeneratorDef;

/* The sizes that lbDefaultGeneratorDef() has, and a twentieth of a metre for an edge. */
LB_API lbTetGeneratorDef lbDefaultTetGeneratorDef(lbShapeKind kind);
LB_API lbResult lbGenerateTetMesh(const lbTetGeneratorDef* def, lbTetMesh** mesh);

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
 * and Vega (.veg), as text and binary. Gmsh's physical groups, Abaqus' node and element sets and flags among VTK's
 * point data become groups of nodes; Abaqus' materials, and element or cell data named density, youngsModulus and
 * poissonsRatio, the matter of tetrahedra. Errors name the file, its line or byte, and the element as the file numbers
 * it. `report` may be NULL. */
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
