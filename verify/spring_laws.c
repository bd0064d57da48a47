/* Springs and penalties against their own energies and against mechanics: forces are minus the gradient of the energy,
 * tangents the derivative of the force (central differences; with coordinates of 1 m in float32 and steps of 1 mm,
 * rounding is 6e-5 of a difference, and less by the root of the number of nodes in a sum over all), internal forces
 * keep momentum, damping never adds energy, but for the cheap form.
 */
#include "base/result.h"
#include "limber/limber.h"
#include "verify/law_checks.h"
#include "verify/suites.h"

#include <stdio.h>
#include <string.h>

/* A cube of side 2 m, four cells a side, with all penalties. */
static lbResult make_model(lbSpringForm form, lbSpringDamping dampingForm, float damping, lbDynamicModel** model) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(2, 2, 2);
    boxDef.edge = 1;
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.shape = box;
    def.mesh.edge = 0.5f;
    def.law.springForm = form;
    def.law.springDampingForm = dampingForm;
    def.material.stiffnessDamping = damping;
    def.material.massDamping = 0;
    def.penalty = (lbPenaltyDef){.volume = 3e4f, .area = 2e3f, .surface = 1e3f};
    lbResult result = lb_make_dynamic_model(lb_resolve_host(NULL), &def, model);
    lbDestroyShape(box);
    return result;
}

static void check_derivatives(lbVerifyContext* context, const lbDynamicModel* model, int law, const char* which) {
    double forceError, tangentError;
    char name[128];
    measure_law_errors(model, &model->laws[law], 0.05f, 1e-3, &forceError, &tangentError);
    snprintf(name, sizeof(name), "%s: force + gradient of the energy, relative", which);
    lb_verify_near(context, name, forceError, 0, 2e-5);
    snprintf(name, sizeof(name), "%s: tangent - derivative of the force, relative", which);
    lb_verify_near(context, name, tangentError, 0, 5e-5);
}

/* The sum of the forces and of their moments, relative to the sum of their sizes, in a random state. */
static void check_momentum(lbVerifyContext* context, const lbDynamicModel* model, int law, const char* which) {
    unsigned seed = 3;
    int n = model->nodeCount;
    lbVec3d sum = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0;
    float *x = random_vector(n, 0.1f, &seed), *v = random_vector(n, 1, &seed);
    float* f = calloc(4 * (size_t)n, sizeof(float));
    offset_vector(x, 1, model->rest, n, x);
    lb_add_law_forces(&model->laws[law], NULL, NULL, (lbMoment){0, 0}, x, v, f);
    for (int i = 0; i < n; ++i) {
        lbVec3d force = vec3d_load(f + 4 * (size_t)i);
        sum = vec3d_add(sum, force);
        torque = vec3d_add(torque, vec3d_cross(vec3d_load(x + 4 * (size_t)i), force));
        size += vec3d_length(force);
    }
    char name[128];
    snprintf(name, sizeof(name), "%s: sum of internal forces, relative", which);
    lb_verify_at_most(context, name, vec3d_length(sum) / size, 1e-6);
    snprintf(name, sizeof(name), "%s: moment of internal forces, relative, 1/m", which);
    lb_verify_at_most(context, name, vec3d_length(torque) / size, 1e-6);
    free(x), free(v), free(f);
}

/* The most power that damping gave to the motion in random states, relative to the size of the power; negative: it took
 * power in all of them. `step` as in lbMoment. */
static double damping_power(const lbDynamicModel* damped, const lbDynamicModel* undamped, double step) {
    unsigned seed = 5;
    int n = damped->nodeCount;
    double most = -INFINITY;
    for (int round = 0; round < 50; ++round) {
        float *x = random_vector(n, 0.1f, &seed), *v = random_vector(n, 5, &seed);
        float *f = calloc(4 * (size_t)n, sizeof(float)), *elastic = calloc(4 * (size_t)n, sizeof(float));
        offset_vector(x, 1, damped->rest, n, x);
        lb_add_law_forces(&damped->laws[0], NULL, NULL, (lbMoment){0, step}, x, v, f);
        lb_add_law_forces(&undamped->laws[0], NULL, NULL, (lbMoment){0, step}, x, v, elastic);
        offset_vector(f, -1, elastic, n, f);
        most = fmax(most, dot_vectors(f, v, n) / sqrt(dot_vectors(f, f, n) * dot_vectors(v, v, n)));
        free(x), free(v), free(f), free(elastic);
    }
    return most;
}

/* One spring that turns round: it grows at 1 m/s, but was longer a step of 0.1 s before. */
static lbResult check_turning_point(lbVerifyContext* context) {
    lbVec3d nodes[2] = {{0, 0, 0}, {2, 0, 0}};
    double volumes[2] = {1, 1};
    lbSpring spring = {0, 1, 1, 1, 1};
    int blocks[2] = {0, 2};
    lbMesh mesh = {.host = lb_resolve_host(NULL), .nodeCount = 2, .nodes = nodes, .nodeVolumes = volumes};
    mesh.springCount = 1, mesh.springs = &spring, mesh.blockCount = 1, mesh.blockStarts = blocks;
    const char* const names[] = {"exact damping", "cheap damping"};
    for (int form = lb_dampingExact; form <= lb_dampingLastLength; ++form) {
        lbModelDef def = lbDefaultModelDef();
        def.law.springStiffness = 100;
        def.law.springDamping = 10;
        def.law.springDampingForm = (lbSpringDamping)form;
        lbLawInstance law;
        LB_TRY(lb_bake_law(&lb_springs, &mesh, &def, &law));
        float x[8] = {0, 0, 0, 0, 2, 0, 0, 0}, v[8] = {0, 0, 0, 0, 1, 30, 0, 0}, f[8] = {0};
        lb_add_law_forces(&law, NULL, NULL, (lbMoment){0, 0.1}, x, v, f);
        char name[128];
        snprintf(name, sizeof(name), "%s: power where the motion turns round, W", names[form]);
        double power = dot_vectors(f, v, 2), before = hypot(2 - 0.1, 3);
        lb_verify_near(context, name, power, form == lb_dampingExact ? -10 : 10 * (before - 2) / 0.1, 1e-2);
        lb_release_law(lb_resolve_host(NULL), &law);
    }
    return lb_success();
}

lbResult lb_verify_spring_laws(lbVerifyContext* context) {
    const char* const forms[] = {"linear springs", "quadratic springs", "power springs"};
    const char* const penalties[] = {"", "volume penalty", "area penalty", "surface penalty"};
    for (int form = lb_springLinear; form <= lb_springPower; ++form) {
        lbDynamicModel *undamped = NULL, *damped = NULL;
        LB_TRY(make_model((lbSpringForm)form, lb_dampingExact, 0, &undamped));
        lbResult result = make_model((lbSpringForm)form, lb_dampingExact, 0.01f, &damped);
        if (result.code == lb_ok) {
            check_derivatives(context, undamped, 0, forms[form]);
            check_momentum(context, damped, 0, forms[form]);
            char name[128];
            snprintf(name, sizeof(name), "%s: most power that damping gave, relative", forms[form]);
            lb_verify_at_most(context, name, damping_power(damped, undamped, 0), 0);
        }
        for (int law = 1; form == lb_springLinear && result.code == lb_ok && law < undamped->lawCount; ++law) {
            check_derivatives(context, undamped, law, penalties[law]);
            check_momentum(context, damped, law, penalties[law]);
        }
        lb_destroy_dynamic_model(undamped);
        lb_destroy_dynamic_model(damped);
        LB_TRY(result);
    }
    return check_turning_point(context);
}
