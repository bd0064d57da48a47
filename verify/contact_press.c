/* A rigid sphere pressed into elastic ground: Hertz; then pulled sideways: Cattaneo and Mindlin. K. L. Johnson, Contact
 * Mechanics, 1985, sections 4.2 and 7.2. Implicit steps that are long beside any wave find the equilibrium. */
#include "verify/contact_stage.h"

#include "base/memory.h"

#include <stdio.h>

static const double sphereRadius = 1;     /* m */
static const double contactRadius = 0.05; /* a, m; a / R is small, as the theory asks */
static const double frame = 0.01; /* s: waves at 300 m/s cross the ground in it, so that steps find its equilibrium */
static const double youngsModulus = 1e5; /* Pa */

enum { mostCells = 80, mostContacts = 4096 };

/* ---- The ground: a block, finest under the sphere ---------------------------------------------------------------- */

typedef struct Ground {
    int divisions; /* cells in the contact radius */
    int share;     /* 1: all of it; 2: z >= 0; 4: x >= 0 as well. Pins on its faces do for the rest */
    double poissonsRatio;
    double reach; /* contact radii, each way: its finite depth makes it stiffer by 0.9 / reach */
} Ground;

typedef struct Axis {
    int count; /* of points */
    double at[2 * mostCells];
} Axis;

/* From 0 outwards: even cells up to `fine`, then ever larger ones up to `end`. */
static Axis grade(double cell, double fine, double end) {
    Axis axis = {.count = 1};
    double at = 0;
    while (at < end && axis.count < mostCells) {
        at += cell;
        axis.at[axis.count++] = at;
        cell *= at < fine ? 1 : 1.4;
    }
    axis.at[axis.count - 1] = fmax(end, at);
    return axis;
}

static Axis mirror(const Axis* axis) {
    Axis both = {.count = 2 * axis->count - 1};
    for (int i = 0; i < axis->count; ++i) {
        both.at[axis->count - 1 + i] = axis->at[i];
        both.at[axis->count - 1 - i] = -axis->at[i];
    }
    return both;
}

/* Six tetrahedra a cell: the ways from one corner to the opposite one along edges. */
static void cut_cell(const int corner[8], int* tets) {
    static const int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    for (int w = 0; w < 6; ++w) {
        int* tet = tets + 4 * w;
        tet[0] = corner[0], tet[1] = corner[ways[w][0]], tet[2] = corner[ways[w][1]], tet[3] = corner[7];
    }
}

static lbResult make_ground_mesh(const Axis axes[3], lbTetMesh** mesh) {
    const lbHost* host = lb_resolve_host(NULL);
    int n[3] = {axes[0].count, axes[1].count, axes[2].count};
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = n[0] * n[1] * n[2];
    def.tetCount = 6 * (n[0] - 1) * (n[1] - 1) * (n[2] - 1);
    double* points = LB_NEW(host, double, 3 * (int64_t)def.pointCount);
    int* tets = LB_NEW(host, int, 4 * (int64_t)def.tetCount);
    lbResult result = lb_out_of_memory("the ground");
    if (points != NULL && tets != NULL) {
        int tet = 0;
        for (int i = 0; i < def.pointCount; ++i) {
            int x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
            points[3 * i] = axes[0].at[x];
            points[3 * i + 1] = -axes[1].at[y];
            points[3 * i + 2] = axes[2].at[z];
            if (x < n[0] - 1 && y < n[1] - 1 && z < n[2] - 1) {
                int corner[8];
                for (int c = 0; c < 8; ++c) {
                    corner[c] = i + (c & 1) + (c >> 1 & 1) * n[0] + (c >> 2 & 1) * n[0] * n[1];
                }
                cut_cell(corner, tets + 4 * (size_t)tet);
                tet += 6;
            }
        }
        def.points = points;
        def.tets = tets;
        result = lbCreateTetMesh(&def, mesh);
    }
    lb_release(host, points);
    lb_release(host, tets);
    return result;
}

static lbResult pin_plane(lbStage* stage, lbBodyId body, lbVec3 point, lbVec3 outward, unsigned axes) {
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.axes = axes;
    /* Outside of the half-space that the plane bounds, less a little. */
    def.region.kind = lb_regionHalfSpace;
    def.region.point = vec3_madd(point, -1e-5f, outward);
    def.region.normal = vec3_scale(-1, outward);
    lbPinId pin;
    return lbCreatePin(stage->world, &def, &pin);
}

static lbResult add_elastic_ground(lbStage* stage, const Ground* ground, lbBodyId* body) {
    double cell = contactRadius / ground->divisions, end = ground->reach * contactRadius;
    Axis x = grade(cell, 1.2 * contactRadius, end), y = grade(cell, 0.6 * contactRadius, end);
    Axis axes[3] = {ground->share < 4 ? mirror(&x) : x, y, ground->share < 2 ? mirror(&x) : x};
    float depth = (float)y.at[y.count - 1];
    lbPiece piece = lb_soft_block(lb_lawLinear, lb_integratorImplicitEuler);
    lbTetMesh* mesh = NULL;
    LB_TRY(make_ground_mesh(axes, &mesh));
    piece.name = "elastic ground";
    piece.cells[0] = 0;
    piece.model.mesh.kind = lb_meshGiven;
    piece.model.tetMesh = mesh;
    piece.model.material.density = 1;
    piece.model.material.youngsModulus = (float)youngsModulus;
    piece.model.material.poissonsRatio = (float)ground->poissonsRatio;
    piece.body.stepCount = 1;
    piece.body.settings.tolerance = 1e-5f;
    piece.body.settings.iterationLimit = 3000;
    lbResult result = lb_add_piece(stage, &piece, vec3(0, 0, 0), body);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    LB_TRY(pin_plane(stage, *body, vec3(0, -depth, 0), vec3(0, -1, 0), lb_axisAll));
    if (ground->share >= 2) {
        LB_TRY(pin_plane(stage, *body, vec3(0, 0, 0), vec3(0, 0, -1), lb_axisZ));
    }
    return ground->share < 4 ? lb_success() : pin_plane(stage, *body, vec3(0, 0, 0), vec3(-1, 0, 0), lb_axisX);
}

/* ---- What is measured -------------------------------------------------------------------------------------------- */

/* Sums over the contacts, of all that symmetry stands for. */
typedef struct Traction {
    double normal, pull;      /* N: down, and along x */
    double outward;           /* N m^2: normal forces times squared distance from the axis */
    double lack, lackOutward; /* N, N m^2: the same of what friction could do more: mu normal - tangential */
    double peak;              /* Pa: mean pressure within a fifth of the contact radius */
} Traction;

static lbResult measure_traction(const lbStage* stage, lbBodyId body, const Ground* ground, double centre,
                                 double friction, Traction* sum) {
    const lbHost* host = lb_resolve_host(NULL);
    lbContactPoint* contacts = LB_NEW(host, lbContactPoint, mostContacts);
    if (contacts == NULL) {
        return lb_out_of_memory("contacts");
    }
    int count = 0;
    lbResult result = lbBody_GetContacts(stage->world, body, contacts, mostContacts, &count);
    double share = ground->share, peakForce = 0, peakArea = 0;
    *sum = (Traction){0};
    for (int i = 0; i < int_min(count, mostContacts); ++i) {
        lbVec3d force = vec3d_from(contacts[i].force);
        double out = hypot((double)contacts[i].position.x - centre, (double)contacts[i].position.z);
        lbVec3d n = vec3d_from(contacts[i].normal);
        double normal = vec3d_dot(force, n), tangential = vec3d_length(vec3d_madd(force, -normal, n));
        sum->normal += share * normal;
        sum->pull += share * force.x;
        sum->outward += share * normal * out * out;
        sum->lack += share * (friction * normal - tangential);
        sum->lackOutward += share * (friction * normal - tangential) * out * out;
        if (out < 0.3 * contactRadius && contacts[i].pressure > 0) {
            peakForce += normal;
            peakArea += normal / (double)contacts[i].pressure;
        }
    }
    sum->peak = peakForce / peakArea;
    lb_release(host, contacts);
    return result;
}

/* Of forces that fall off as sqrt(1 - r^2 / a^2): a, from the mean of r^2, which is 2 a^2 / 5. */
static double radius_of(double outward, double total) {
    return sqrt(2.5 * outward / total);
}

static lbResult press(lbStage* stage, const Ground* ground, lbBodyId* body, lbToolId* sphere) {
    stage->dt = frame;
    LB_TRY(add_elastic_ground(stage, ground, body));
    LB_TRY(lbBody_SetFriction(stage->world, *body, 0));
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.radius = (float)sphereRadius;
    def.position = vec3(0, (float)sphereRadius, 0);
    LB_TRY(lbCreateTool(stage->world, &def, sphere));
    double depth = contactRadius * contactRadius / sphereRadius;
    for (int i = 1; i <= 5; ++i) {
        double way = depth * fmin(1, 0.5 * i);
        LB_TRY(lbTool_MoveTo(stage->world, *sphere, vec3(0, (float)(sphereRadius - way), 0), quat_identity()));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
    }
    return lb_success();
}

static lbResult check_hertz(lbStage* stage, const Ground* ground, lbBodyId body, lbToolId sphere) {
    Traction sum;
    LB_TRY(measure_traction(stage, body, ground, 0, 0, &sum));
    lbVec3 force;
    LB_TRY(lbTool_GetForce(stage->world, sphere, &force));
    double modulus = youngsModulus / (1 - ground->poissonsRatio * ground->poissonsRatio), a = contactRadius;
    double expected = 4.0 / 3 * modulus * a * a * a / sphereRadius;
    double peak = 1.5 * expected / (LB_PI * a * a), tolerance = ground->divisions >= 8 ? 0.05 : 0.1;
    lbVerifyContext* context = stage->context;
    lb_verify_near(
        context, lb_verify_name(context, "Hertz, %d cells a radius: force 4/3 E* sqrt(R) d^1.5, N", ground->divisions),
        ground->share * (double)force.y, expected, tolerance * expected);
    lb_verify_near(context, lb_verify_name(context, "Hertz, %d cells a radius: contact radius, m", ground->divisions),
                   radius_of(sum.outward, sum.normal), a, tolerance * a);
    lb_verify_near(context,
                   lb_verify_name(context, "Hertz, %d cells a radius: largest pressure, Pa", ground->divisions),
                   sum.peak, peak, tolerance * peak);
    return lb_success();
}

static lbResult measure_hertz(lbStage* stage, const void* given) {
    lbBodyId body;
    lbToolId sphere;
    LB_TRY(press(stage, given, &body, &sphere));
    return check_hertz(stage, given, body, sphere);
}

/* Pulled by the tangential force that leaves seven tenths of the radius sticking: Q = mu P (1 - (c/a)^3). */
static lbResult measure_mindlin(lbStage* stage, const void* given) {
    const Ground* ground = given;
    const double friction = 0.4, wanted = 0.7;
    lbBodyId body;
    lbToolId sphere;
    LB_TRY(press(stage, ground, &body, &sphere));
    LB_TRY(check_hertz(stage, ground, body, sphere));
    Traction pressed, pulled;
    LB_TRY(measure_traction(stage, body, ground, 0, 0, &pressed));
    LB_TRY(lbBody_SetFriction(stage->world, body, (float)friction));
    LB_TRY(lbBody_SetFriction(stage->world, sphere, (float)friction));
    double a = radius_of(pressed.outward, pressed.normal), nu = ground->poissonsRatio;
    double shear = youngsModulus / (2 * (1 + nu)), stiffness = shear / (2 - nu); /* G* */
    /* delta = 3 mu P / (16 a G*) (1 - (1 - Q / (mu P))^(2/3)), and 1 - Q / (mu P) = (c / a)^3 */
    double whole = 3 * friction * pressed.normal / (16 * a * stiffness), way = whole * (1 - wanted * wanted);
    double y = sphereRadius - contactRadius * contactRadius / sphereRadius;
    enum { steps = 10 };
    for (int i = 1; i <= steps;
         ++i) { /* ever slower, so that the ground does not overtake the sphere and turn slip round */
        double left = 1 - (double)i / steps, x = way * (1 - left * left * left);
        LB_TRY(lbTool_MoveTo(stage->world, sphere, vec3((float)x, (float)y, 0), quat_identity()));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
    }
    LB_TRY(measure_traction(stage, body, ground, way, friction, &pulled));
    double share = pulled.pull / (friction * pulled.normal), expected = 1 - wanted * wanted * wanted;
    double stick = radius_of(pulled.lackOutward, pulled.lack) / radius_of(pulled.outward, pulled.normal);
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, "Mindlin: tangential force at that way, share of mu P", share, expected, 0.1 * expected);
    lb_verify_near(context, "Mindlin: stick radius c / a = (1 - Q / (mu P))^(1/3)", stick, cbrt(1 - share),
                   0.1 * cbrt(1 - share));
    return lb_success();
}

lbResult lb_verify_contact_press(lbVerifyContext* context) {
    const Ground whole = {4, 1, 0.4, 35}, quarter = {8, 4, 0.3, 60};
    lb_run_stage(context, "Mindlin", 0, measure_mindlin, &whole);
    lb_run_stage(context, "Hertz", 0, measure_hertz, &quarter);
    return lb_success();
}
