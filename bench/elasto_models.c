#include "bench/elasto_models.h"

#include "base/memory.h"
#include "base/result.h"

const char* const lb_elastoModelNames[lb_elastoModelCount] = {"a", "b", "c", "d"};

static lbResult precompute_tube(const lbTubeDef* tubeDef, lbPrecomputeDef* def, lbElastostatic** made,
                                lbPrecomputeReport* report) {
    lbTube tube;
    LB_TRY(lbGenerateTube(tubeDef, &tube));
    lbControlDef controls[2] = {{"start", tube.endCount, tube.ends[0], false},
                                {"end", tube.endCount, tube.ends[1], false}};
    def->mesh = tube.mesh;
    def->controlCount = 2;
    def->controls = controls;
    def->hidden = tube.hidden;
    lbResult result = lbPrecompute(def, made, report);
    lbFreeTube(&tube);
    return result;
}

/* A steel plate on rubber: 21 x 12 x 21 nodes, two controls on the plate, the underside fixed. */
static lbResult precompute_plate(lbPrecomputeDef* def, lbElastostatic** made, lbPrecomputeReport* report) {
    lbTetGeneratorDef box = lbDefaultTetGeneratorDef(lb_shapeBox);
    box.size[0] = 0.2, box.size[1] = 0.11, box.size[2] = 0.2;
    box.cells[0] = 20, box.cells[1] = 11, box.cells[2] = 20;
    lbTetMesh* mesh = NULL;
    LB_TRY(lbGenerateTetMesh(&box, &mesh));
    const lbHost* host = lb_resolve_host(NULL);
    int points = lbTetMesh_GetPointCount(mesh), counts[3] = {0, 0, 0};
    int* nodes = LB_NEW(host, int, 3 * (int64_t)points);
    if (nodes == NULL) {
        lbDestroyTetMesh(mesh);
        return lb_out_of_memory("a bench");
    }
    const double* x = lbTetMesh_GetPoints(mesh);
    for (int i = 0; i < points; ++i) {
        bool low = x[3 * i + 1]<-0.054, plate = x[3 * i + 1]> 0.044;
        int group = low ? 0 : plate && x[3 * i] < -0.085 ? 1 : plate && x[3 * i] > 0.085 ? 2 : -1;
        if (group >= 0) {
            nodes[group * points + counts[group]++] = i;
        }
    }
    lbControlDef controls[3] = {{"base", counts[0], nodes, true},
                                {"left", counts[1], nodes + points, false},
                                {"right", counts[2], nodes + 2 * points, false}};
    lbZone steel = {.region = {.kind = lb_regionBox, .box = {{-1, 0.045f, -1}, {1, 1, 1}}},
                    .matter = {7850, 210e9f, 0.3f}};
    def->mesh = mesh;
    def->controlCount = 3;
    def->controls = controls;
    def->zoneCount = 1;
    def->zones = &steel;
    lbResult result = lbPrecompute(def, made, report);
    lb_release(host, nodes);
    lbDestroyTetMesh(mesh);
    return result;
}

lbResult lb_precompute_elasto_model(int model, lbStaticSolverKind solver, lbBasisPrecision precision,
                                    lbElastostatic** made, lbPrecomputeReport* report) {
    static const struct {
        double length, outer, inner, curvature;
        int axial, around, radial;
        bool solid;
        lbMaterial material;
    } models[lb_elastoModelCount] = {
        {0.2, 0.02, 0.016, 0, 96, 48, 2, false, {.density = 950, .youngsModulus = 8e8f, .poissonsRatio = 0.42f}},
        {0.6, 0.02, 0.014, 0, 200, 24, 2, false, {.density = 1100, .youngsModulus = 2e6f, .poissonsRatio = 0.49f}},
        {1, 0.01, 0.002, 6, 120, 24, 4, true, {.density = 1200, .youngsModulus = 1e8f, .poissonsRatio = 0.3f}},
        {0, 0, 0, 0, 0, 0, 0, false, {.density = 1100, .youngsModulus = 1e6f, .poissonsRatio = 0.49f}},
    };
    *made = NULL;
    lbPrecomputeDef def = lbDefaultPrecomputeDef();
    def.material = models[model].material;
    def.solver = solver;
    def.precision = precision;
    if (models[model].axial == 0) {
        return precompute_plate(&def, made, report);
    }
    lbTubeDef tube = lbDefaultTubeDef();
    tube.length = models[model].length, tube.outerDiameter = models[model].outer;
    tube.innerDiameter = models[model].inner, tube.curvature = models[model].curvature;
    tube.axial = models[model].axial, tube.around = models[model].around, tube.radial = models[model].radial;
    tube.solid = models[model].solid;
    return precompute_tube(&tube, &def, made, report);
}
