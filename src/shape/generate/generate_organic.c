/* Liver, bunny, starfish, fish and C block: signed distance fields put together from round pieces and polygonized. */
#include "shape/generate/generate.h"

#include "base/result.h"
#include "shape/generate/polygonize.h"

enum { wantedTriangleCount = 6500 };

/* ---- Pieces: distances in units of the shape's length ------------------------------------------------------------ */

static double square(double x) {
    return x * x;
}

/* Union that fills the crease where two pieces are closer than `blend` to one another. */
static double join(double a, double b, double blend) {
    double h = fmax(blend - fabs(a - b), 0) / blend;
    return fmin(a, b) - h * h * h * blend / 6;
}

/* What is inside a but not inside b, with the rim rounded. */
static double carve(double a, double b, double blend) {
    return -join(-a, b, blend);
}

static double ball(lbVec3d p, lbVec3d center, double radius) {
    return vec3d_length(vec3d_sub(p, center)) - radius;
}

/* Whether a piece inside a ball may be nearer than `distance`: a quick way past pieces that cannot matter. */
static bool is_near(lbVec3d p, lbVec3d center, double radius, double distance) {
    return ball(p, center, radius) < distance;
}

/* To first order in the distance from the surface. */
static double ellipsoid(lbVec3d p, lbVec3d radii) {
    lbVec3d unit = {p.x / radii.x, p.y / radii.y, p.z / radii.z};
    lbVec3d slope = {unit.x / radii.x, unit.y / radii.y, unit.z / radii.z};
    double length = vec3d_length(unit), steepness = vec3d_length(slope);
    return steepness > 0 ? length * (length - 1) / steepness : -fmin(radii.x, fmin(radii.y, radii.z));
}

/* The hull of two balls. */
typedef struct lbRoundCone {
    lbVec3d from, axis;     /* axis: a unit vector */
    double length;          /* between the centres */
    double radius, farther; /* of the balls at its start and at its end */
    double sine, cosine;    /* of the angle between its side and the axis */
} lbRoundCone;

static lbRoundCone make_round_cone(lbVec3d a, double radiusA, lbVec3d b, double radiusB) {
    lbVec3d axis = vec3d_sub(b, a);
    double length = vec3d_length(axis), sine = (radiusA - radiusB) / length;
    return (lbRoundCone){a, vec3d_scale(1 / length, axis), length, radiusA, radiusB, sine, sqrt(1 - sine * sine)};
}

static double round_cone_distance(lbVec3d p, const lbRoundCone* cone) {
    lbVec3d from = vec3d_sub(p, cone->from);
    double along = vec3d_dot(from, cone->axis);
    double across = sqrt(fmax(0, vec3d_dot(from, from) - along * along));
    /* The foot on the axis lies behind by the slope of the cone's side; times the cosine, to save a division. */
    double foot = along * cone->cosine - across * cone->sine;
    if (foot <= 0) {
        return sqrt(along * along + across * across) - cone->radius;
    }
    if (foot >= cone->length * cone->cosine) {
        return sqrt(square(along - cone->length) + across * across) - cone->farther;
    }
    return across * cone->cosine + along * cone->sine - cone->radius;
}

static double round_cone(lbVec3d p, lbVec3d a, double radiusA, lbVec3d b, double radiusB) {
    lbRoundCone cone = make_round_cone(a, radiusA, b, radiusB);
    return round_cone_distance(p, &cone);
}

static lbVec3d rotate_about_z(lbVec3d p, double angle) {
    double c = cos(angle), s = sin(angle);
    return vec3d(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

/* ---- Liver ------------------------------------------------------------------------------------------------------- */

/* A large lobe at -x that is high and thick, a small one that tapers towards +x, a shallow groove where they meet, a
 * notch in the lower edge and a hollow underside. */
static double liver(const void* context, lbVec3d p) {
    (void)context;
    lbVec3d q = rotate_about_z(vec3d_sub(p, vec3d(-0.20, -0.03, 0.0)), -0.45);
    double large = ellipsoid(q, vec3d(0.285, 0.24, 0.20));
    double middle = ellipsoid(vec3d_sub(p, vec3d(-0.01, 0.035, 0.01)), vec3d(0.26, 0.165, 0.17));
    q = rotate_about_z(vec3d_sub(p, vec3d(0.20, 0.06, 0.03)), 0.14);
    double small = ellipsoid(q, vec3d(0.29, 0.115, 0.125));
    double body = join(large, join(middle, small, 0.18), 0.18);
    body = carve(body, ball(p, vec3d(0.22, -0.66, -0.12), 0.60), 0.10);
    double notch = round_cone(p, vec3d(0.09, -0.24, 0.22), 0.07, vec3d(0.075, -0.10, 0.02), 0.02);
    body = carve(body, notch, 0.10);
    double groove = exp(-square((p.x - 0.055 + 0.15 * p.y) / 0.032));
    return body + 0.011 * groove;
}

/* ---- Bunny ------------------------------------------------------------------------------------------------------- */

/* A leaf with a round rim that stands on the head, leans and bends back, with a hollow front. */
static double bunny_ear(lbVec3d p) {
    const double splay = 0.2, bend = 0.45;
    lbVec3d q = rotate_about_z(vec3d_sub(p, vec3d(0.255, 0.36, 0.078)), -0.30);
    double up = q.y * cos(splay) + q.z * sin(splay), side = q.z * cos(splay) - q.y * sin(splay);
    double front = q.x + bend * up * up;
    double leaf = ellipsoid(vec3d(0, up - 0.19, side), vec3d(1, 0.215, 0.050));
    double ear = sqrt(square(fmax(leaf, 0)) + square(front)) - 0.028;
    double dish = ellipsoid(vec3d(front - 0.052, up - 0.20, side), vec3d(0.040, 0.17, 0.048));
    return carve(ear, dish, 0.025);
}

static double bunny_head(lbVec3d p) {
    double head = ellipsoid(vec3d_sub(p, vec3d(0.30, 0.245, 0)), vec3d(0.175, 0.155, 0.145));
    head = join(head, ball(p, vec3d(0.405, 0.205, 0.035), 0.075), 0.06);
    head = join(head, ball(p, vec3d(0.455, 0.235, 0), 0.03), 0.04);
    head = join(head, ball(p, vec3d(0.30, 0.19, 0.085), 0.085), 0.06);
    head = join(head, ball(p, vec3d(0.378, 0.287, 0.088), 0.042), 0.02);
    const double blend = 0.035;
    return is_near(p, vec3d(0.23, 0.56, 0.12), 0.26, head + blend) ? join(head, bunny_ear(p), blend) : head;
}

/* Sits along x and looks towards +x. Its two sides are mirror images. */
static double bunny(const void* context, lbVec3d point) {
    (void)context;
    lbVec3d p = {point.x, point.y, fabs(point.z)};
    lbVec3d q = rotate_about_z(vec3d_sub(p, vec3d(-0.09, -0.02, 0)), -0.22);
    double body = ellipsoid(q, vec3d(0.33, 0.255, 0.225));
    body = join(body, ball(p, vec3d(0.15, 0.02, 0), 0.175), 0.12);
    body = join(body, ellipsoid(vec3d_sub(p, vec3d(-0.19, -0.12, 0.14)), vec3d(0.19, 0.18, 0.13)), 0.06);
    const double blend = 0.09;
    if (is_near(p, vec3d(0.27, 0.45, 0.08), 0.43, body + blend)) {
        body = join(body, bunny_head(p), blend);
    }
    body = join(body, ball(p, vec3d(-0.435, -0.10, 0), 0.085), 0.03);
    if (p.y > 0.15) { /* above all legs and what they blend with */
        return body;
    }
    double hindFoot = round_cone(p, vec3d(-0.20, -0.275, 0.165), 0.06, vec3d(0.02, -0.285, 0.185), 0.05);
    body = join(body, hindFoot, 0.05);
    double arm = round_cone(p, vec3d(0.20, -0.04, 0.085), 0.08, vec3d(0.255, -0.27, 0.085), 0.05);
    double paw = round_cone(p, vec3d(0.255, -0.285, 0.085), 0.05, vec3d(0.315, -0.29, 0.088), 0.042);
    return join(body, join(arm, paw, 0.04), 0.05);
}

/* ---- Starfish ---------------------------------------------------------------------------------------------------- */

enum { armCount = 5, pieceCount = 5 };

typedef struct lbStarfish {
    lbRoundCone pieces[armCount][pieceCount]; /* from the centre outwards */
    lbRoundCone hulls[armCount];              /* what an arm lies within */
} lbStarfish;

/* Each arm bends sideways in its own way and lifts its tip. */
static lbStarfish make_starfish(void) {
    static const double curls[armCount] = {0.42, -0.30, 0.36, 0.24, -0.40}; /* rad */
    static const double reaches[armCount] = {0.465, 0.455, 0.47, 0.45, 0.46};
    static const double girths[armCount] = {1.0, 0.94, 1.05, 0.97, 1.02};
    lbStarfish star;
    for (int i = 0; i < armCount; ++i) {
        lbVec3d spine[pieceCount + 1];
        double radii[pieceCount + 1];
        for (int k = 0; k <= pieceCount; ++k) {
            double along = (double)k / pieceCount;
            double angle = 2 * LB_PI * i / armCount + curls[i] * along * along;
            double reach = reaches[i] * along;
            spine[k] = vec3d(reach * cos(angle), 0.07 * along * along * along, reach * sin(angle));
            radii[k] = girths[i] * (0.125 - 0.105 * along + 0.022 * along * along);
        }
        for (int k = 0; k < pieceCount; ++k) {
            star.pieces[i][k] = make_round_cone(spine[k], radii[k], spine[k + 1], radii[k + 1]);
        }
        star.hulls[i] = make_round_cone(spine[0], 0.16, spine[pieceCount], 0.10);
    }
    return star;
}

/* Lies in the plane of x and z, flat below and domed above. */
static double starfish(const void* context, lbVec3d point) {
    const lbStarfish* star = context;
    const double flat = 1.35, blend = 0.075;
    lbVec3d p = {point.x, flat * point.y, point.z};
    double body = ellipsoid(p, vec3d(0.18, 0.135, 0.18));
    for (int i = 0; i < armCount; ++i) {
        if (round_cone_distance(p, &star->hulls[i]) >= body + blend) {
            continue; /* too far to matter */
        }
        double arm = INFINITY;
        for (int k = 0; k < pieceCount; ++k) {
            arm = fmin(arm, round_cone_distance(p, &star->pieces[i][k]));
        }
        body = join(body, arm, blend);
    }
    return carve(body / flat, point.y + 0.045, 0.05);
}

/* ---- Fish -------------------------------------------------------------------------------------------------------- */

/* A plate in the plane of x and y, round at its rim: an ellipse that leans back from upright by an angle. */
static double fin(lbVec3d p, lbVec3d center, double lean, double halfLength, double halfWidth) {
    lbVec3d q = rotate_about_z(vec3d_sub(p, center), -lean);
    double leaf = ellipsoid(vec3d(q.x, q.y, 0), vec3d(halfWidth, halfLength, 1));
    return sqrt(square(fmax(leaf, 0)) + square(q.z)) - 0.026;
}

/* Looks towards +x, with its back up. Its two sides are mirror images. */
static double fish(const void* context, lbVec3d point) {
    (void)context;
    lbVec3d p = {point.x, point.y, fabs(point.z)};
    double body = ellipsoid(vec3d_sub(p, vec3d(0.17, 0, 0)), vec3d(0.33, 0.145, 0.085));
    lbVec3d slim = {p.x, 0.72 * p.y, p.z}; /* the stalk of the tail is higher than wide */
    double stalk = round_cone(slim, vec3d(0.02, 0, 0), 0.068, vec3d(-0.30, 0, 0), 0.03);
    body = join(body, stalk, 0.10);
    double upper = fin(p, vec3d(-0.395, 0.085, 0), 0.62, 0.11, 0.03);
    double lower = fin(p, vec3d(-0.395, -0.085, 0), LB_PI - 0.62, 0.11, 0.03);
    body = join(body, join(upper, lower, 0.04), 0.05);
    body = join(body, fin(p, vec3d(0.08, 0.145, 0), 0.95, 0.12, 0.035), 0.04);
    body = join(body, fin(p, vec3d(-0.10, -0.10, 0), LB_PI - 0.9, 0.065, 0.02), 0.04);
    lbVec3d flat = {p.x, p.z, p.y + 0.55 * p.z}; /* the breast fins stand out and down */
    body = join(body, fin(flat, vec3d(0.19, 0.12, 0), 0.75, 0.07, 0.02), 0.04);
    return join(body, ball(p, vec3d(0.39, 0.04, 0.048), 0.038), 0.02);
}

/* ---- C block ----------------------------------------------------------------------------------------------------- */

typedef struct lbBlockC {
    lbVec3d half;     /* m */
    double arm, back; /* thickness of the arms in y and of the back in x, m */
    double rounding;  /* radius of its edges, m */
} lbBlockC;

static lbBlockC block_c_of_size(lbVec3 size) {
    lbBlockC block = {.half = vec3d_scale(0.5, vec3d_from(size)), .arm = 0.3 * size.y, .back = 0.32 * size.x};
    block.rounding = 0.17 * fmin(fmin(block.arm, block.back), size.z);
    return block;
}

static double rounded_rectangle(double x, double y, double halfX, double halfY, double radius) {
    double dx = fabs(x) - halfX + radius, dy = fabs(y) - halfY + radius;
    return fmin(fmax(dx, dy), 0) + sqrt(square(fmax(dx, 0)) + square(fmax(dy, 0))) - radius;
}

/* Opens towards +x. */
static double block_c(const void* context, lbVec3d p) {
    const lbBlockC* block = context;
    double r = block->rounding;
    double outline = rounded_rectangle(p.x, p.y, block->half.x, block->half.y, r);
    double slotHalf = block->half.x; /* half of it stands out in front */
    double slotX = -block->half.x + block->back + slotHalf;
    double slot = rounded_rectangle(p.x - slotX, p.y, slotHalf, block->half.y - block->arm, r);
    double profile = carve(outline, slot, 1.5 * r);
    double dx = profile + r, dz = fabs(p.z) - block->half.z + r;
    return fmin(fmax(dx, dz), 0) + sqrt(square(fmax(dx, 0)) + square(fmax(dz, 0))) - r;
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

typedef struct lbOrganic {
    lbField field;
    double area;         /* m^2, about */
    double coarsestEdge; /* thin parts need edges no longer, m */
} lbOrganic;

/* The star is what a starfish's field looks at. */
static lbOrganic organic_of_unit_length(lbShapeKind kind, const lbStarfish* star) {
    switch (kind) {
    case lb_shapeLiver:
        return (lbOrganic){{liver, NULL, {-0.6, -0.45, -0.45}, {0.6, 0.45, 0.45}, 2, 0.08}, 1.13, 0.08};
    case lb_shapeBunny:
        return (lbOrganic){{bunny, NULL, {-0.6, -0.45, -0.45}, {0.6, 0.9, 0.45}, 2, 0.035}, 1.92, 0.05};
    case lb_shapeFish:
        return (lbOrganic){{fish, NULL, {-0.6, -0.35, -0.3}, {0.6, 0.35, 0.3}, 2, 0.045}, 0.65, 0.036};
    default:
        return (lbOrganic){{starfish, star, {-0.6, -0.3, -0.6}, {0.6, 0.3, 0.6}, 2, 0.05}, 0.89, 0.05};
    }
}

static lbOrganic organic_block_c(const lbBlockC* block) {
    lbVec3d half = block->half;
    double thinnest = fmin(fmin(block->arm, block->back), 2 * half.z);
    lbVec3d room = vec3d_madd(half, 0.5 * thinnest, vec3d(1, 1, 1));
    double slot = 4 * (half.x - 0.5 * block->back) * (half.y - block->arm);
    double face = 4 * half.x * half.y - slot;
    double around = 4 * half.x + 4 * half.y + 2 * (2 * half.x - block->back);
    return (lbOrganic){{block_c, block, vec3d_scale(-1, room), room, 2, 0.5 * thinnest},
                       2 * face + around * 2 * half.z,
                       0.35 * thinnest};
}

static double edge_for_count(double area, double triangleCount) {
    return sqrt(area / (triangleCount * 0.25 * sqrt(3.0)));
}

double lb_organic_default_edge(lbShapeKind kind, lbVec3 size) {
    if (kind == lb_shapeC) {
        lbBlockC block = block_c_of_size(size);
        return edge_for_count(organic_block_c(&block).area, wantedTriangleCount);
    }
    return size.x * edge_for_count(organic_of_unit_length(kind, NULL).area, wantedTriangleCount);
}

/* Centres the points and makes them exactly as large as asked for: in x alike in all axes, or in each. */
static void fit_to_size(lbMeshBuild* build, lbVec3 size, bool eachAxis) {
    lbBox box = box_empty();
    for (int i = 0; i < build->points.count; ++i) {
        box = box_include(box, build->points.data[i]);
    }
    lbVec3d extent = vec3d_sub(vec3d_from(box.upper), vec3d_from(box.lower));
    lbVec3d center = vec3d_scale(0.5, vec3d_add(vec3d_from(box.upper), vec3d_from(box.lower)));
    double s = size.x / extent.x;
    lbVec3d scale = eachAxis ? vec3d(s, size.y / extent.y, size.z / extent.z) : vec3d(s, s, s);
    for (int i = 0; i < build->points.count; ++i) {
        lbVec3d p = vec3d_sub(vec3d_from(build->points.data[i]), center);
        build->points.data[i] = vec3((float)(p.x * scale.x), (float)(p.y * scale.y), (float)(p.z * scale.z));
    }
}

lbResult lb_build_organic(const lbGeneratorDef* def, lbMeshBuild* build) {
    bool isBlock = def->kind == lb_shapeC;
    lbStarfish star = make_starfish();
    lbBlockC block = block_c_of_size(def->size);
    lbOrganic organic = isBlock ? organic_block_c(&block) : organic_of_unit_length(def->kind, &star);
    double edge = fmin(isBlock ? def->edge : def->edge / def->size.x, organic.coarsestEdge);
    LB_TRY(lb_check_triangle_count(def->edge, organic.area / (0.25 * sqrt(3.0) * edge * edge)));
    LB_TRY(lb_polygonize(&organic.field, edge, build));
    if (build->failed) {
        return lb_out_of_memory("an organic shape");
    }
    fit_to_size(build, def->size, isBlock);
    return lb_success();
}
