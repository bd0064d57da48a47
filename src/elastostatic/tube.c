/* Tubes and cables with the parameters of S. Klimenko, L. Nikitina and I. Nikitin, Real-Time Simulation of Flexible
 * Materials in Avango Virtual Environment Framework, table 2; beyond it, helical rest shapes. */
#include "base/result.h"
#include "limber/elastostatic.h"
#include "mesh/tet_mesh.h"

enum { tubeCookie = 0x74756265 };

lbTubeDef lbDefaultTubeDef(void) {
    return (lbTubeDef){.length = 1,
                       .outerDiameter = 0.1,
                       .innerDiameter = 0.06,
                       .axial = 40,
                       .around = 24,
                       .radial = 2,
                       .cookie = tubeCookie};
}

static lbResult check_def(const lbTubeDef* def) {
    if (def == NULL || def->cookie != tubeCookie) {
        return lb_error(lb_errorArgument, "the tube's definition was not made by lbDefaultTubeDef()");
    }
    LB_TRY(lb_check_host(def->host));
    const struct {
        const char* name;
        double value;
        bool positive;
    } numbers[] = {{"length", def->length, true},
                   {"outerDiameter", def->outerDiameter, true},
                   {"innerDiameter", def->innerDiameter, true},
                   {"controlWidth", def->controlWidth, false},
                   {"curvature", def->curvature, false}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        double value = numbers[i].value;
        if (!isfinite(value) || value < 0 || (numbers[i].positive && value == 0)) {
            return lb_error(lb_errorArgument, "the tube's %s is %g; expected %s", numbers[i].name, value,
                            numbers[i].positive ? "more than 0" : "0 or more");
        }
    }
    if (!isfinite(def->torsion)) {
        return lb_error(lb_errorArgument, "the tube's torsion is not finite");
    }
    if (!(def->innerDiameter < def->outerDiameter)) {
        return lb_error(lb_errorArgument,
                        "the tube's innerDiameter is %g m; expected less than its outerDiameter, %g m",
                        def->innerDiameter, def->outerDiameter);
    }
    if (!(def->curvature * def->outerDiameter < 2)) {
        return lb_error(lb_errorArgument,
                        "the tube's curvature is %g 1/m, an arc of %g m radius; expected more than half its "
                        "outerDiameter, %g m",
                        def->curvature, 1 / def->curvature, def->outerDiameter / 2);
    }
    double width = def->controlWidth > 0 ? def->controlWidth : def->outerDiameter;
    if (!(2 * width < def->length)) {
        return lb_error(lb_errorArgument, "controls of %g m at both ends leave nothing of a tube of %g m", width,
                        def->length);
    }
    if (def->axial < 2 || def->around < 3 || def->radial < 1) {
        return lb_error(lb_errorArgument,
                        "a tube of %d x %d x %d cells; expected at least 2 along, 3 around and 1 deep", def->axial,
                        def->around, def->radial);
    }
    return lb_success();
}

/* A point of the straight tube along y, wound: curvature c and torsion t make a helix of radius c / (c^2 + t^2). */
static lbVec3d wind(const lbTubeDef* def, lbVec3d p) {
    double c = def->curvature, t = def->torsion;
    if (c == 0) {
        return p;
    }
    double w = sqrt(c * c + t * t), radius = c / (w * w), rise = t / (w * w);
    double angle = w * p.y;
    lbVec3d outwards = {cos(angle), sin(angle), 0};
    lbVec3d tangent = {-radius * w * sin(angle), radius * w * cos(angle), rise * w};
    lbVec3d place = {radius * (cos(angle) - 1), radius * sin(angle), rise * angle};
    return vec3d_add(place, vec3d_add(vec3d_scale(p.x, outwards), vec3d_scale(p.z, vec3d_cross(outwards, tangent))));
}

static lbResult fill(const lbTubeDef* def, lbTube* tube) {
    lbTetMesh* mesh = tube->mesh;
    int perRing = (def->radial + 1) * def->around;
    double width = def->controlWidth > 0 ? def->controlWidth : def->outerDiameter;
    double cell = def->length / def->axial;
    int rings = (int)floor(width / cell + 1e-9) + 1; /* of points, in each control */
    tube->endCount = rings * perRing;
    tube->ends[0] = LB_NEW(tube->host, int, tube->endCount);
    tube->ends[1] = LB_NEW(tube->host, int, tube->endCount);
    tube->hidden = def->solid ? LB_NEW(tube->host, bool, mesh->pointCount) : NULL;
    if (tube->ends[0] == NULL || tube->ends[1] == NULL || (def->solid && tube->hidden == NULL)) {
        return lb_out_of_memory("a tube");
    }
    for (int i = 0; i < tube->endCount; ++i) {
        tube->ends[0][i] = i;
        tube->ends[1][i] = mesh->pointCount - tube->endCount + i;
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        double* at = mesh->points + 3 * (size_t)i;
        lbVec3d p = wind(def, vec3d(at[0], at[1], at[2]));
        at[0] = p.x, at[1] = p.y, at[2] = p.z;
        if (def->solid) {
            tube->hidden[i] = i % (def->radial + 1) == 0;
        }
    }
    return lb_success();
}

lbResult lbGenerateTube(const lbTubeDef* def, lbTube* tube) {
    *tube = (lbTube){0};
    LB_TRY(check_def(def));
    tube->host = lb_resolve_host(def->host);
    lbTetGeneratorDef straight = lbDefaultTetGeneratorDef(lb_shapeTube);
    straight.radius = def->outerDiameter / 2;
    straight.innerRadius = def->innerDiameter / 2;
    straight.length = def->length;
    straight.cells[0] = def->radial, straight.cells[1] = def->around, straight.cells[2] = def->axial;
    straight.host = def->host;
    LB_TRY(lbGenerateTetMesh(&straight, &tube->mesh));
    lbResult result = fill(def, tube);
    if (result.code != lb_ok) {
        lbFreeTube(tube);
    }
    return result;
}

void lbFreeTube(lbTube* tube) {
    if (tube->mesh != NULL) {
        lb_release(tube->host, tube->ends[0]);
        lb_release(tube->host, tube->ends[1]);
        lb_release(tube->host, tube->hidden);
        lbDestroyTetMesh(tube->mesh);
    }
    *tube = (lbTube){0};
}
