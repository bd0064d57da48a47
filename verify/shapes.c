/* Generated surfaces and questions about them, against exact geometry.
 *
 * Where the bounds come from: a triangle whose corners lie on a surface of curvature at most k departs from it by at
 * most k R^2 / 2, with R the radius of the smallest circle around the triangle; R <= h / sqrt(3), h its longest edge
 * (Waldron 1998; Shewchuk 2002, "What is a good linear finite element?"). So by k h^2 / 6; the volume departs by at
 * most that times the area; and the area, which such a gap shrinks along both directions, by a share of k^2 h^2 / 3. */
#include "base/math.h"
#include "base/result.h"
#include "limber/shape.h"
#include "verify/suites.h"

typedef struct lbExactShape {
    lbGeneratorDef def;  /* without the edge */
    float coarse, fine;  /* wanted edges, m */
    double volume, area; /* m^3, m^2 */
    double curvature;    /* the largest, 1/m */
    int eulerNumber;
    bool volumeErrorsCancel; /* so that what is left of them follows no power of the edge */
} lbExactShape;

/* What is measured of one shape. */
typedef struct lbMeasured {
    lbShapeReport report;
    double edge;     /* longest, m */
    double meanEdge; /* m */
} lbMeasured;

static lbExactShape exact_sphere(double r) {
    lbExactShape shape = {.def = lbDefaultGeneratorDef(lb_shapeSphere), .coarse = 0.1f, .fine = 0.05f};
    shape.def.radius = (float)r;
    shape.volume = 4 * LB_PI * r * r * r / 3;
    shape.area = 4 * LB_PI * r * r;
    shape.curvature = 1 / r;
    shape.eulerNumber = 2;
    return shape;
}

static lbExactShape exact_torus(double r, double tube) {
    lbExactShape shape = {.def = lbDefaultGeneratorDef(lb_shapeTorus), .coarse = 0.04f, .fine = 0.02f};
    shape.def.radius = (float)r;
    shape.def.innerRadius = (float)tube;
    shape.volume = 2 * LB_PI * LB_PI * r * tube * tube;
    shape.area = 4 * LB_PI * LB_PI * r * tube;
    shape.curvature = 1 / tube;
    shape.eulerNumber = 0;
    return shape;
}

static lbExactShape exact_capsule(double r, double length) {
    lbExactShape shape = {.def = lbDefaultGeneratorDef(lb_shapeCapsule), .coarse = 0.05f, .fine = 0.025f};
    shape.def.radius = (float)r;
    shape.def.length = (float)length;
    shape.volume = 4 * LB_PI * r * r * r / 3 + LB_PI * r * r * length;
    shape.area = 4 * LB_PI * r * r + 2 * LB_PI * r * length;
    shape.curvature = 1 / r;
    shape.eulerNumber = 2;
    return shape;
}

static lbExactShape exact_cylinder(double r, double length) {
    lbExactShape shape = {.def = lbDefaultGeneratorDef(lb_shapeCylinder), .coarse = 0.04f, .fine = 0.02f};
    shape.def.radius = (float)r;
    shape.def.length = (float)length;
    shape.volume = LB_PI * r * r * length;
    shape.area = 2 * LB_PI * r * (r + length);
    shape.curvature = 1 / r;
    shape.eulerNumber = 2;
    return shape;
}

static lbExactShape exact_tube(double outer, double inner, double length) {
    lbExactShape shape = {.def = lbDefaultGeneratorDef(lb_shapeTube), .coarse = 0.04f, .fine = 0.02f};
    shape.def.radius = (float)outer;
    shape.def.innerRadius = (float)inner;
    shape.def.length = (float)length;
    shape.volume = LB_PI * (outer * outer - inner * inner) * length;
    shape.area = 2 * LB_PI * (outer + inner) * length + 2 * LB_PI * (outer * outer - inner * inner);
    shape.curvature = 1 / inner;
    shape.eulerNumber = 0;
    /* A circle of n = 2 pi r / h sides lacks the area h^2 pi / 6, whatever its radius: the hole lacks what the rim
     * lacks. */
    shape.volumeErrorsCancel = true;
    return shape;
}

static void measure_edges(const lbShape* shape, lbMeasured* measured) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    int count = lbShape_GetTriangleCount(shape);
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const float* a = points + 3 * (size_t)triangles[3 * i + k];
            const float* b = points + 3 * (size_t)triangles[3 * i + (k + 1) % 3];
            double length = vec3d_length(vec3d_sub(vec3d_load(a), vec3d_load(b)));
            measured->edge = fmax(measured->edge, length);
            sum += length;
        }
    }
    measured->meanEdge = sum / (3.0 * count);
}

static lbResult measure_shape(const lbExactShape* exact, float edge, lbMeasured* measured) {
    lbGeneratorDef def = exact->def;
    def.edge = edge;
    lbShape* shape = NULL;
    *measured = (lbMeasured){0};
    lbResult result = lbGenerateShape(&def, &shape);
    if (result.code == lb_ok) {
        result = lbShape_Inspect(shape, &measured->report);
    }
    if (result.code == lb_ok) {
        measure_edges(shape, measured);
    }
    lbDestroyShape(shape);
    return result;
}

/* The power of the edge length that the error falls with. */
static double observed_order(double coarseError, double fineError, double edgeRatio) {
    return log(fabs(coarseError / fineError)) / log(edgeRatio);
}

static void verify_orders(lbVerifyContext* context, const lbExactShape* exact, const lbMeasured* coarse,
                          const lbMeasured* fine) {
    const char* kind = lbShapeKind_GetName(exact->def.kind);
    double ratio = coarse->meanEdge / fine->meanEdge;
    char name[96];
    if (!exact->volumeErrorsCancel) {
        snprintf(name, sizeof(name), "%s: order of the volume's error", kind);
        double order =
            observed_order(coarse->report.volume - exact->volume, fine->report.volume - exact->volume, ratio);
        lb_verify_near(context, name, order, 2, 0.1);
    }
    snprintf(name, sizeof(name), "%s: order of the area's error", kind);
    double order = observed_order(coarse->report.area - exact->area, fine->report.area - exact->area, ratio);
    lb_verify_near(context, name, order, 2, 0.1);
}

static lbResult verify_measures(lbVerifyContext* context, const lbExactShape* exact) {
    lbMeasured coarse, fine;
    LB_TRY(measure_shape(exact, exact->coarse, &coarse));
    LB_TRY(measure_shape(exact, exact->fine, &fine));
    const char* kind = lbShapeKind_GetName(exact->def.kind);
    double gap = exact->curvature * fine.edge * fine.edge / 6; /* m */
    char name[96];
    snprintf(name, sizeof(name), "%s: volume, m^3", kind);
    lb_verify_near(context, name, fine.report.volume, exact->volume, exact->area * gap);
    snprintf(name, sizeof(name), "%s: area, m^2", kind);
    lb_verify_near(context, name, fine.report.area, exact->area, exact->area * 2 * exact->curvature * gap);
    snprintf(name, sizeof(name), "%s: Euler number", kind);
    lb_verify_near(context, name, fine.report.eulerNumber, exact->eulerNumber, 0);
    snprintf(name, sizeof(name), "%s: boundary and non-manifold edges, pinched points", kind);
    int defects = fine.report.boundaryEdgeCount + fine.report.nonManifoldEdgeCount + fine.report.pinchedPointCount;
    lb_verify_near(context, name, defects, 0, 0);
    verify_orders(context, exact, &coarse, &fine);
    return lb_success();
}

/* Directions spread evenly over the sphere (a Fibonacci spiral). */
static lbVec3 direction(int i, int count) {
    double y = 1 - (2 * i + 1.0) / count, angle = i * LB_PI * (3 - sqrt(5.0)), ring = sqrt(1 - y * y);
    return vec3((float)(ring * cos(angle)), (float)y, (float)(ring * sin(angle)));
}

/* The largest departures over many points at `distance` (m) from the centre of a sphere of radius r. */
static void ask_around(const lbShapeQuery* query, float r, float distance, double* distanceError,
                       double* windingError) {
    enum { directionCount = 200 };
    for (int i = 0; i < directionCount; ++i) {
        lbVec3 point = vec3_scale(distance, direction(i, directionCount));
        double signedDistance = lbShapeQuery_SignedDistance(query, point);
        double winding = lbShapeQuery_WindingNumber(query, point);
        *distanceError = fmax(*distanceError, fabs(signedDistance - (distance - r)));
        *windingError = fmax(*windingError, fabs(winding - (distance < r ? 1 : 0)));
    }
}

static lbResult verify_queries(lbVerifyContext* context) {
    lbExactShape sphere = exact_sphere(0.5);
    sphere.def.edge = sphere.fine;
    lbMeasured measured;
    LB_TRY(measure_shape(&sphere, sphere.fine, &measured));
    lbShape* shape = NULL;
    lbShapeQuery* query = NULL;
    lbResult result;
    LB_TRY_OR_DONE(lbGenerateShape(&sphere.def, &shape));
    LB_TRY_OR_DONE(lbCreateShapeQuery(shape, &query));
    double distanceError = 0, windingError = 0;
    const float distances[] = {0.1f, 0.3f, 0.45f, 0.55f, 0.8f, 2};
    for (int i = 0; i < (int)(sizeof(distances) / sizeof(distances[0])); ++i) {
        ask_around(query, 0.5f, distances[i], &distanceError, &windingError);
    }
    double gap = sphere.curvature * measured.edge * measured.edge / 6;
    lb_verify_at_most(context, "sphere: largest error of 1,200 signed distances, m", distanceError, gap);
    /* The sphere being closed, its own winding numbers are exact; the fast ones see far parts of it through the first
     * three terms of a series (Barill et al. 2018) and are good to about 1e-3. One half decides. */
    lb_verify_at_most(context, "sphere: largest error of 1,200 winding numbers", windingError, 2e-3);
done:
    lbDestroyShapeQuery(query);
    lbDestroyShape(shape);
    return result;
}

lbResult lb_verify_shapes(lbVerifyContext* context) {
    const lbExactShape shapes[] = {exact_sphere(0.5), exact_torus(0.4, 0.15), exact_capsule(0.2, 0.4),
                                   exact_cylinder(0.2, 0.5), exact_tube(0.3, 0.2, 0.5)};
    for (int i = 0; i < (int)(sizeof(shapes) / sizeof(shapes[0])); ++i) {
        LB_TRY(verify_measures(context, &shapes[i]));
    }
    return verify_queries(context);
}
