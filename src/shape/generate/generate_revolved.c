/* Capsule, cylinder, tube and torus: rings about the y axis, each with as many points as its radius asks for, and
 * neighbours stitched together. Rings of equal count are turned by half a step, which makes their triangles nearly
 * equilateral. */
#include "shape/generate/generate.h"

#include "base/result.h"

/* Rings this far apart, with points one edge apart, make nearly equilateral triangles: sqrt(3)/2, or a little more
 * where the counts differ. */
static const double sideSpacing = 0.866, roundSpacing = 0.9;

typedef struct lbRing {
    double radius, y; /* m */
    int count;        /* of points; 1: a point on the axis */
    double turn;      /* where its first point is, in revolutions */
    double v;         /* of the texture on sides */
    bool flat;        /* from here to the next ring is a flat end, textured as seen along the axis */
    int firstPoint;   /* set when its points are built */
} lbRing;

/* Rings with the outside on the right of the way along them: from the lower end outwards and up the side. */
typedef struct lbProfile {
    const lbHost* host;
    LB_ARRAY(lbRing) rings;
    bool closed; /* the last ring joins the first; v there is 1 */
    bool failed;
} lbProfile;

static void add_ring(lbProfile* profile, lbRing ring) {
    profile->failed = !LB_PUSH(profile->host, &profile->rings, ring) || profile->failed;
}

/* Even, so that the ring is its own mirror image. */
static double ring_count(double radius, double edge) {
    return 2 * count_steps(LB_PI * radius, edge, 3);
}

static double half_step(int ring, int count) {
    return (ring & 1) != 0 ? 0.5 / count : 0;
}

/* Rings along a side: closer than the wanted edge where the ring's own points are much closer than that, since long
 * thin triangles serve nobody. */
static double side_steps(double length, double edge, double radius, double ringCount) {
    double pointDistance = 2 * LB_PI * radius / ringCount;
    return count_steps(length, sideSpacing * fmin(edge, 2 * pointDistance), 1);
}

/* ---- Stitching --------------------------------------------------------------------------------------------------- */

static int ring_point(const lbRing* ring, int i) {
    return ring->firstPoint + i % ring->count;
}

static double ring_angle(const lbRing* ring, int i) {
    return ring->turn + (double)i / ring->count;
}

static void build_ring_points(lbProfile* profile, lbMeshBuild* build) {
    for (int r = 0; r < profile->rings.count; ++r) {
        lbRing* ring = &profile->rings.data[r];
        ring->firstPoint = build->points.count;
        for (int i = 0; i < ring->count; ++i) {
            double angle = 2 * LB_PI * ring_angle(ring, i);
            build_point(build, ring->radius * sin(angle), ring->y, ring->radius * cos(angle));
        }
    }
}

typedef struct lbStitch {
    const lbRing *lower, *upper;
    double upperV; /* upper->v, but 1 where a closed profile ends */
    double radius; /* of the flat ends' texture, m */
} lbStitch;

static lbTextureCoord side_texture(double angle, double v) {
    return (lbTextureCoord){(float)angle, (float)v};
}

static lbTextureCoord flat_texture(const lbStitch* stitch, lbVec3 p, bool up) {
    double across = 0.5 + 0.5 * p.x / stitch->radius, along = 0.5 * p.z / stitch->radius;
    return (lbTextureCoord){(float)across, (float)(0.5 + (up ? -along : along))};
}

/* A triangle of ring points; angles are those of its corners, heights say which ring each is of. */
static void build_stitch_triangle(lbMeshBuild* build, const lbStitch* stitch, const int corners[3],
                                  const double angles[3], const bool onUpper[3]) {
    build_triangle(build, corners[0], corners[1], corners[2]);
    lbTextureCoord texture[3];
    for (int k = 0; k < 3; ++k) {
        if (stitch->lower->flat) {
            bool facesUp = stitch->lower->radius > stitch->upper->radius;
            texture[k] = flat_texture(stitch, build->points.data[corners[k]], facesUp);
        } else {
            texture[k] = side_texture(angles[k], onUpper[k] ? stitch->upperV : stitch->lower->v);
        }
    }
    build_texture(build, texture[0], texture[1], texture[2]);
}

/* Goes once around both rings, each time along the one that gives the shorter diagonal. */
static void stitch_rings(lbMeshBuild* build, const lbStitch* stitch) {
    const lbRing *a = stitch->lower, *b = stitch->upper;
    const double tie = 1e-9; /* so that rounding does not decide between equal diagonals */
    int aEnd = a->count > 1 ? a->count : 0, bEnd = b->count > 1 ? b->count : 0;
    for (int i = 0, j = 0; i < aEnd || j < bEnd;) {
        double alongA = fabs(ring_angle(a, i + 1) - ring_angle(b, j));
        double alongB = fabs(ring_angle(b, j + 1) - ring_angle(a, i));
        bool advanceA = i < aEnd && (j == bEnd || alongA <= alongB + tie);
        double angleA = ring_angle(a, i), angleB = ring_angle(b, j);
        if (advanceA) {
            double next = ring_angle(a, i + 1);
            build_stitch_triangle(build, stitch, (int[3]){ring_point(a, i), ring_point(a, i + 1), ring_point(b, j)},
                                  (double[3]){angleA, next, bEnd > 0 ? angleB : 0.5 * (angleA + next)},
                                  (bool[3]){false, false, true});
            ++i;
        } else {
            double next = ring_angle(b, j + 1);
            build_stitch_triangle(build, stitch, (int[3]){ring_point(a, i), ring_point(b, j + 1), ring_point(b, j)},
                                  (double[3]){aEnd > 0 ? angleA : 0.5 * (angleB + next), next, angleB},
                                  (bool[3]){false, true, true});
            ++j;
        }
    }
}

static double stitched_triangle_count(const lbProfile* profile) {
    double sum = 0;
    int count = profile->rings.count, segments = profile->closed ? count : count - 1;
    for (int r = 0; r < segments; ++r) {
        int a = profile->rings.data[r].count, b = profile->rings.data[(r + 1) % count].count;
        sum += (a > 1 ? a : 0) + (double)(b > 1 ? b : 0);
    }
    return sum;
}

static void stitch_profile(lbProfile* profile, lbMeshBuild* build) {
    int count = profile->rings.count, segments = profile->closed ? count : count - 1;
    double widest = 0;
    for (int r = 0; r < count; ++r) {
        widest = fmax(widest, profile->rings.data[r].radius);
    }
    build_ring_points(profile, build);
    for (int r = 0; r < segments && !build->failed; ++r) {
        const lbRing* upper = &profile->rings.data[(r + 1) % count];
        lbStitch stitch = {&profile->rings.data[r], upper, r + 1 == count ? 1 : upper->v, widest};
        stitch_rings(build, &stitch);
    }
}

/* Builds a complete profile and releases it. */
static lbResult revolve(lbProfile* profile, double edge, lbMeshBuild* build) {
    lbResult result = profile->failed ? lb_out_of_memory("a profile") : lb_success();
    if (result.code == lb_ok) {
        double triangleCount = stitched_triangle_count(profile);
        result = lb_check_triangle_count(edge, triangleCount);
        if (result.code == lb_ok) {
            build_reserve(build, (int)triangleCount / 2 + 2, (int)triangleCount);
            result = build->failed ? lb_out_of_memory("a surface of revolution") : lb_success();
        }
    }
    if (result.code == lb_ok) {
        stitch_profile(profile, build);
    }
    LB_FREE_ARRAY(profile->host, &profile->rings);
    return result;
}

/* Before rings are counted in int: even the smallest has 6 points, and none has more than the largest. */
static lbResult check_rings(double edge, double ringCount, double largestRadius) {
    LB_TRY(lb_check_triangle_count(edge, 12 * ringCount));
    return lb_check_triangle_count(edge, 2 * LB_PI * largestRadius / edge);
}

/* ---- The shapes -------------------------------------------------------------------------------------------------- */

/* The part between two rings of equal radius, both ends included. Gives the turn of the last ring. */
static double add_side(lbProfile* profile, double radius, double yFrom, double yTo, int count, int steps, double vFrom,
                       double vTo) {
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps;
        lbRing ring = {.radius = radius, .y = yFrom + t * (yTo - yFrom), .count = count};
        ring.turn = half_step(steps > 1 ? i : 0, count);
        ring.v = vFrom + t * (vTo - vFrom);
        add_ring(profile, ring);
    }
    return profile->failed ? 0 : profile->rings.data[profile->rings.count - 1].turn;
}

lbResult lb_build_cylinder(const lbGeneratorDef* def, lbMeshBuild* build) {
    double r = def->radius, h = 0.5 * def->length, edge = def->edge;
    double ends = count_steps(r, edge, 2), sides = side_steps(def->length, edge, r, 6 * ends);
    LB_TRY(check_rings(edge, 2 * ends + sides, r));
    LB_TRY(lb_check_triangle_count(edge, 12 * ends * (ends + sides)));
    int n = (int)ends;
    lbProfile profile = {.host = build->host};
    /* Rings of 6 k points at equal distances make a flat end of equilateral triangles, but for the rounding. */
    for (int k = 0; k < n; ++k) {
        add_ring(&profile, (lbRing){.radius = r * k / n, .y = -h, .count = k == 0 ? 1 : 6 * k, .flat = true});
    }
    double turn = add_side(&profile, r, -h, h, 6 * n, (int)sides, 0, 1);
    if (!profile.failed) {
        profile.rings.data[profile.rings.count - 1].flat = true;
    }
    for (int k = n - 1; k >= 0; --k) {
        add_ring(&profile,
                 (lbRing){.radius = r * k / n, .y = h, .count = k == 0 ? 1 : 6 * k, .turn = turn, .flat = true});
    }
    return revolve(&profile, edge, build);
}

lbResult lb_build_capsule(const lbGeneratorDef* def, lbMeshBuild* build) {
    double r = def->radius, h = 0.5 * def->length, edge = def->edge;
    double quarter = 0.5 * LB_PI * r, whole = def->length + 2 * quarter;
    double caps = count_steps(quarter, roundSpacing * edge, 2),
           sides = side_steps(def->length, edge, r, ring_count(r, edge));
    LB_TRY(check_rings(edge, 2 * caps + sides, r));
    int n = (int)caps;
    lbProfile profile = {.host = build->host};
    for (int k = 0; k < n; ++k) {
        double angle = 0.5 * LB_PI * k / n, radius = r * sin(angle);
        int count = k == 0 ? 1 : (int)ring_count(radius, edge);
        add_ring(&profile,
                 (lbRing){.radius = radius, .y = -h - r * cos(angle), .count = count, .v = quarter * k / n / whole});
    }
    double turn =
        add_side(&profile, r, -h, h, (int)ring_count(r, edge), (int)sides, quarter / whole, 1 - quarter / whole);
    for (int k = n - 1; k >= 0; --k) {
        double angle = 0.5 * LB_PI * k / n, radius = r * sin(angle);
        int count = k == 0 ? 1 : (int)ring_count(radius, edge);
        add_ring(&profile, (lbRing){.radius = radius,
                                    .y = h + r * cos(angle),
                                    .count = count,
                                    .turn = turn,
                                    .v = 1 - quarter * k / n / whole});
    }
    return revolve(&profile, edge, build);
}

lbResult lb_build_tube(const lbGeneratorDef* def, lbMeshBuild* build) {
    double r = def->radius, inner = def->innerRadius, h = 0.5 * def->length, edge = def->edge;
    double ends = count_steps(r - inner, roundSpacing * edge, 1);
    double sides = side_steps(def->length, edge, r, ring_count(r, edge));
    LB_TRY(check_rings(edge, 2 * (ends + sides), r));
    int n = (int)ends;
    lbProfile profile = {.host = build->host, .closed = true};
    double turn = add_side(&profile, r, -h, h, (int)ring_count(r, edge), (int)sides, 0, 1);
    int outerTop = profile.rings.count - 1;
    for (int k = 1; k < n; ++k) {
        double radius = r + (inner - r) * k / n;
        add_ring(
            &profile,
            (lbRing){.radius = radius, .y = h, .count = (int)ring_count(radius, edge), .turn = turn, .flat = true});
    }
    add_side(&profile, inner, h, -h, (int)ring_count(inner, edge), (int)sides, 0, 1);
    int innerBottom = profile.rings.count - 1;
    for (int k = 1; k < n; ++k) {
        double radius = inner + (r - inner) * k / n;
        add_ring(&profile, (lbRing){.radius = radius, .y = -h, .count = (int)ring_count(radius, edge), .flat = true});
    }
    if (!profile.failed) {
        profile.rings.data[outerTop].flat = true;
        profile.rings.data[innerBottom].flat = true;
    }
    return revolve(&profile, edge, build);
}

lbResult lb_build_torus(const lbGeneratorDef* def, lbMeshBuild* build) {
    double r = def->radius, inner = def->innerRadius, edge = def->edge;
    double rings = 2 * count_steps(LB_PI * inner, roundSpacing * edge, 3);
    LB_TRY(check_rings(edge, rings, r + inner));
    LB_TRY(lb_check_triangle_count(edge, 2 * rings * fmax(6, 2 * LB_PI * r / edge)));
    int n = (int)rings;
    lbProfile profile = {.host = build->host, .closed = true};
    for (int k = 0; k < n; ++k) {
        double angle = 2 * LB_PI * k / n, radius = r + inner * cos(angle);
        int count = (int)ring_count(radius, edge);
        add_ring(&profile, (lbRing){.radius = radius,
                                    .y = inner * sin(angle),
                                    .count = count,
                                    .turn = half_step(k, count),
                                    .v = (double)k / n});
    }
    return revolve(&profile, edge, build);
}
