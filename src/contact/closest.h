/* Nearest points of triangles and edges, and what they say about contact: which way is out, and how far.
 *
 * Weights and distances are computed in double relative to one of the points, so that they keep their digits far from
 * the origin and on slivers. */
#ifndef LIMBER_SRC_CLOSEST_H
#define LIMBER_SRC_CLOSEST_H

#include "limber/base.h"

/* Nearest point of a triangle to p: its weights, none negative, whose sum is 1. Returns the squared distance, m^2.
 * Triangles without area are their edges, or a point. */
float lb_closest_on_triangle(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, float weights[3]);

/* Nearest points p0 + s (p1 - p0) and q0 + t (q1 - q0) of two segments, s and t in 0 to 1. Returns the squared
 * distance, m^2. Of parallel ones that run side by side, one of the nearest pairs with an end in it. */
float lb_closest_on_segments(lbVec3 p0, lbVec3 p1, lbVec3 q0, lbVec3 q1, float* s, float* t);

/* Two features that may touch: a of the first skin, b of the second. */
typedef struct lbGapResult {
    float weightsA[3]; /* of the first feature's points: a point has (1, 0, 0), an edge (1 - s, s, 0) */
    float weightsB[3];
    lbVec3 normal;  /* unit, from b to a */
    float gap;      /* m along the normal; negative: they are in each other */
    float distance; /* m between the nearest points, never negative: says which of a point's triangles is the nearest */
} lbGapResult;

/* A point (a) against a triangle (b).
 * side 0: the triangle is part of a closed surface, and its winding says where out is. +1 or -1: it is part of a
 * sheet, and out is along its normal or against it; the caller remembers which side the point came from.
 *
 * Nearest point inside the triangle: the normal is the triangle's and the gap has its sign. On an edge or corner, and
 * p is not behind the triangle: the normal is the direction from there to p, the gap their distance; it turns into the
 * triangle's normal without a jump. On an edge or corner and behind: the direction to p points into the body and turns
 * quickly where p is near, so the triangle's normal is taken, and the gap along it. That holds only for points that are
 * behind rather than beside (30 degrees about the inward normal): enough to close the cracks that open behind the
 * edges of dents up to 60 degrees, where p is in front of no triangle, and too little to mistake a point that is
 * outside, past an edge that is not a blade, for one inside.
 *
 * Every triangle answers for itself: a point just inside one side of a box is far behind the side next to it, too. Of
 * the triangles of one skin that a point is behind, the nearest one counts (least `distance`).
 *
 * False: no contact: behind and beside, or no normal can be told. */
bool lb_point_triangle_gap(lbVec3 p, const lbVec3 triangle[3], int side, lbGapResult* result);

/* A point against a triangle of its own skin. *side: which side of the triangle the point is on, 1 or -1, as the caller
 * remembers it; beside the triangle (more than 30 degrees from the normal) it follows the point, over and under it it
 * stays, so that a point that has gone through is known. Of a solid only what is outside counts: behind a triangle is
 * the body itself. */
bool lb_own_point_gap(lbVec3 p, const lbVec3 triangle[3], bool isSheet, int* side, lbGapResult* result);

/* An edge (a) against an edge (b). outA, outB: mean of the unit normals of each edge's triangles, *not* normalised:
 * its length is the cosine of half the angle between them, and so tells which directions lie between the two
 * (lb_edge_outward, skin_topology.h). Zero: a sheet's, or a border; either side may be out there.
 *
 * Only where the nearest points are inside both edges, the edges are not parallel (their ends answer for them then),
 * and the normal lies between the outward normals of both, give or take 0.1 in the cosine: bodies bend, and a flat
 * edge's two normals have nothing between them. Where both are zero the normal points from b to a and the gap is not
 * negative: the caller turns it to the side that he remembers. */
bool lb_edge_edge_gap(const lbVec3 a[2], const lbVec3 b[2], lbVec3 outA, lbVec3 outB, lbGapResult* result);

/* Whether a segment goes through a triangle; touching it within rounding may be either. */
bool lb_segment_crosses_triangle(lbVec3 p, lbVec3 q, const lbVec3 triangle[3]);

#endif
