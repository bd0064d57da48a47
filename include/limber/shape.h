/* Shapes: triangle surfaces, what a person sees. Made by a generator or read from a file. SI units: metres. */
#ifndef LIMBER_SHAPE_H
#define LIMBER_SHAPE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A triangle surface with what it needs to look right: texture coordinates, colours, materials. Constant once made.
 * Points keep the order of the file they came from. */
typedef struct lbShape lbShape;

/* How a part of a surface looks. Strings and bytes belong to the shape. */
typedef struct lbShapeMaterial {
    const char* name;             /* may be "" */
    float baseColor[4];           /* red, green, blue, alpha; linear, 0 to 1 */
    float metallic, roughness;    /* 0 to 1 */
    const char* texturePath;      /* file of the base colour texture as the source named it, or "" */
    const unsigned char* texture; /* the texture's file contents (PNG or JPEG), or NULL: none, or not to be had
                                     (missing, another format, more than 64 MB), which the log tells */
    size_t textureSize;           /* bytes */
} lbShapeMaterial;

/* Everything needed to make a shape from arrays. Arrays are copied. Optional ones may be NULL. */
typedef struct lbShapeDef {
    int pointCount;
    const float* points; /* (pointCount x 3) m */
    int triangleCount;
    const int* triangles;       /* (triangleCount x 3) point indices, counter-clockwise seen from outside */
    const float* colors;        /* optional (pointCount x 4) linear RGBA, 0 to 1 */
    const float* textureCoords; /* optional (triangleCount x 3 x 2) per triangle corner, v upwards */
    const int* materialIndices; /* optional (triangleCount) index into materials; without, all are of the first */
    int materialCount;
    const lbShapeMaterial* materials;
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultShapeDef() */
} lbShapeDef;

LB_API lbShapeDef lbDefaultShapeDef(void);

/* Fails on an index out of range, a coordinate that is not finite, or no triangles. */
LB_API lbResult lbCreateShape(const lbShapeDef* def, lbShape** shape);
LB_API void lbDestroyShape(lbShape* shape); /* NULL is fine */

LB_API int lbShape_GetPointCount(const lbShape* shape);
LB_API const float* lbShape_GetPoints(const lbShape* shape); /* (pointCount x 3) m */
LB_API int lbShape_GetTriangleCount(const lbShape* shape);
LB_API const int* lbShape_GetTriangles(const lbShape* shape);       /* (triangleCount x 3) */
LB_API const float* lbShape_GetColors(const lbShape* shape);        /* (pointCount x 4) or NULL */
LB_API const float* lbShape_GetTextureCoords(const lbShape* shape); /* (triangleCount x 3 x 2) or NULL */
LB_API const int* lbShape_GetMaterialIndices(const lbShape* shape); /* (triangleCount) or NULL */
LB_API int lbShape_GetMaterialCount(const lbShape* shape);
LB_API const lbShapeMaterial* lbShape_GetMaterials(const lbShape* shape);
LB_API lbBox lbShape_GetBounds(const lbShape* shape);

/* A copy, scaled about the origin, then rotated, then moved. Scales may differ by axis but none may be zero. */
LB_API lbResult lbShape_Transform(const lbShape* shape, lbVec3 scale, lbQuat rotation, lbVec3 translation,
                                  lbShape** moved);

/* A copy whose triangles look the other way: of a surface that was inside out. */
LB_API lbResult lbShape_Flip(const lbShape* shape, lbShape** flipped);

/* A copy of the same form in which no edge is longer than `edge`, m: longer ones are halved until none is. Points keep
 * their numbers; new ones follow. Fails where that makes more than 4 million triangles. */
LB_API lbResult lbShape_Subdivide(const lbShape* shape, float edge, lbShape** finer);

/* Area-weighted unit normals at the points for given positions (pointCount x 3); positions NULL: the shape's own. */
LB_API void lbShape_ComputeNormals(const lbShape* shape, const float* positions, float* normals);

/* ---- Generators -------------------------------------------------------------------------------------------------- */

typedef enum lbShapeKind {
    lb_shapeBox,       /* size */
    lb_shapeSphere,    /* radius; a subdivided icosahedron */
    lb_shapeEllipsoid, /* size: the three diameters */
    lb_shapeCapsule,   /* radius, length of the straight part; axis y */
    lb_shapeCylinder,  /* radius, length; axis y */
    lb_shapeTube,      /* radius, innerRadius, length; axis y */
    lb_shapeTorus,     /* radius of the centre circle, innerRadius: radius of the tube; axis y */
    lb_shapeCloth,     /* size.x by size.z, an open grid in the plane y = 0 */
    lb_shapeLiver,     /* size.x: its length; a smooth organ of two lobes */
    lb_shapeBunny,     /* size.x: its length; a creature with thin ears */
    lb_shapeStarfish,  /* size.x: its diameter; five arms */
    lb_shapeFish,      /* size.x: its length; swims towards +x, its back up */
    lb_shapeC,         /* size; a block in the form of a "C" */
    lb_shapeKindCount
} lbShapeKind;

/* Shapes are centred on the origin. Which fields count is said beside each kind. */
typedef struct lbGeneratorDef {
    lbShapeKind kind;
    lbVec3 size;       /* m */
    float radius;      /* m */
    float innerRadius; /* m */
    float length;      /* m */
    float edge;        /* wanted edge length of the triangles, m; 0: a good one for the size */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultGeneratorDef() */
} lbGeneratorDef;

/* A sensible size for each kind, about half a metre. */
LB_API lbGeneratorDef lbDefaultGeneratorDef(lbShapeKind kind);
LB_API lbResult lbGenerateShape(const lbGeneratorDef* def, lbShape** shape);

/* "box", "sphere", ... NULL for a kind that does not exist. */
LB_API const char* lbShapeKind_GetName(lbShapeKind kind);
/* False if no kind has that name. */
LB_API bool lbShapeKind_FromName(const char* name, lbShapeKind* kind);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Reads a surface. OBJ, STL and PLY by limber's own readers; glTF, GLB and the rest by Assimp, where built in. */
LB_API lbResult lbLoadShape(const char* path, const lbHost* host, lbShape** shape);

/* Writes .obj, .ply, .stl or .glb, by the ending of the path. The file is complete or the old one stays. */
LB_API lbResult lbShape_Save(const lbShape* shape, const char* path);

/* ---- What is in a surface and what is wrong with it -------------------------------------------------------------- */

typedef struct lbShapeReport {
    int pointCount, triangleCount, edgeCount;
    int usedPointCount;          /* points that some triangle uses */
    int duplicatePointCount;     /* used points at the very place of another; for connectivity they count as one */
    int componentCount;          /* parts connected by shared points, duplicates joined */
    int boundaryEdgeCount;       /* edges of one triangle */
    int nonManifoldEdgeCount;    /* edges of three or more */
    int inconsistentEdgeCount;   /* edges that both their triangles run along the same way */
    int pinchedPointCount;       /* points whose triangles form more than one fan */
    int degenerateTriangleCount; /* a repeated point, or no area to speak of */
    int duplicateTriangleCount;  /* the same three points as another triangle */
    int eulerNumber;             /* points - edges + triangles */
    bool closed;                 /* every edge has exactly two triangles */
    bool oriented;               /* closed, and neighbours agree on which side is out */
    lbBox bounds;                /* m */
    double area;                 /* m^2 */
    double volume;               /* m^3, signed; meaningful if closed */
} lbShapeReport;

LB_API lbResult lbShape_Inspect(const lbShape* shape, lbShapeReport* report);

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

/* A surface prepared for questions about places. The shape must outlive it. */
typedef struct lbShapeQuery lbShapeQuery;

typedef struct lbSurfaceHit {
    int triangle;     /* -1: nothing was hit */
    float weights[3]; /* barycentric */
    lbVec3 point;     /* m */
    float distance;   /* m, or the ray's parameter */
} lbSurfaceHit;

LB_API lbResult lbCreateShapeQuery(const lbShape* shape, lbShapeQuery** query);
LB_API void lbDestroyShapeQuery(lbShapeQuery* query);
LB_API lbSurfaceHit lbShapeQuery_ClosestPoint(const lbShapeQuery* query, lbVec3 point);
/* The first hit of origin + t direction with 0 <= t <= maxT; distance is t. */
LB_API lbSurfaceHit lbShapeQuery_CastRay(const lbShapeQuery* query, lbVec3 origin, lbVec3 direction, float maxT);
/* Writes up to `capacity` triangles that touch the box (exact test); returns how many there are. */
LB_API int lbShapeQuery_OverlapBox(const lbShapeQuery* query, lbBox box, int* triangles, int capacity);
/* Generalised winding number: 1 inside, 0 outside of a closed surface; between for open and dirty ones. */
LB_API double lbShapeQuery_WindingNumber(const lbShapeQuery* query, lbVec3 point);
/* Winding number of at least one half. */
LB_API bool lbShapeQuery_IsInside(const lbShapeQuery* query, lbVec3 point);
/* Distance to the surface, negative inside, m. */
LB_API float lbShapeQuery_SignedDistance(const lbShapeQuery* query, lbVec3 point);

#ifdef __cplusplus
}
#endif

#endif
