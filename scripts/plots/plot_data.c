/* The data of the plots in docs/, as comma-separated values, from limber's own integrators:
 *
 *   plot_data stability | orders | drift | oscillator | cube
 *
 * The oscillator is that of limber verify (verify/chain.c): x'' = -w^2 x - d x', w = 1. */
#include "base/math.h"
#include "base/result.h"
#include "body/dynamic/measure.h"
#include "verify/chain.h"
#include "verify/dynamic_bodies.h"

#include <stdio.h>
#include <string.h>

/* One mass between two springs has w^2 = 2 k / m. */
static const lbChain freeOscillator = {1, 0.5, 0};

/* At amplitude 1, at rest, whatever the damping: the chain's own start is that of an underdamped motion. */
static void start_oscillator(lbChainRun* run, double damping) {
    lb_start_chain(run, &freeOscillator);
    run->chain.damping = damping;
    run->x[0] = 1;
    run->v[0] = 0;
}

static void step(const lbIntegrator* integrator, lbChainRun* run, double h) {
    integrator->step(&run->system, &run->history, 0, h);
}

/* ---- Stability -----------------------------------------------------------------------------------------------------
 */

/* The largest |x| in the next `steps` steps; infinite once it overflows. */
static double amplitude(const lbIntegrator* integrator, lbChainRun* run, int64_t steps, double h) {
    double most = 0;
    for (int64_t i = 0; i < steps; ++i) {
        step(integrator, run, h);
        double x = fabs((double)run->x[0]);
        if (!(x < 1e30)) {
            return INFINITY;
        }
        most = fmax(most, x);
    }
    return most;
}

/* Whether it grows less than e-fold in 100 periods, seen over 300: what limber counts as stable. */
static bool is_stable(const lbIntegrator* integrator, double damping, double h) {
    lbChainRun run;
    start_oscillator(&run, damping);
    int64_t period = (int64_t)ceil(2 * LB_PI / h);
    double before = amplitude(integrator, &run, 20 * period, h);
    amplitude(integrator, &run, 280 * period, h);
    return before < 1e30 && amplitude(integrator, &run, 20 * period, h) <= exp(3) * before;
}

static double longest_stable_step(const lbIntegrator* integrator, double damping) {
    double low = 0, high = 8;
    for (int i = 0; i < 14; ++i) {
        double middle = 0.5 * (low + high);
        *(is_stable(integrator, damping, middle) ? &low : &high) = middle;
    }
    return low;
}

/* Of one step that runs, after those that start the method. */
static int64_t evaluations_per_step(const lbIntegrator* integrator) {
    lbChainRun run;
    start_oscillator(&run, 0);
    const int steps = 16;
    for (int i = 0; i < steps; ++i) {
        step(integrator, &run, 0.01);
    }
    int64_t before = run.evaluations;
    step(integrator, &run, 0.01);
    return run.evaluations - before;
}

static void print_stability(const lbIntegrator* integrator) {
    if (!(integrator->traits & lb_traitExplicit) || integrator->traits & lb_traitAdaptive) {
        return;
    }
    for (int i = 0; i <= 120; ++i) {
        double damping = 0.025 * i; /* d / w: twice the damping ratio */
        printf("%s,%g,%g,%d\n", integrator->name, 0.5 * damping, longest_stable_step(integrator, damping),
               (int)evaluations_per_step(integrator));
    }
}

/* ---- Accuracy ------------------------------------------------------------------------------------------------------
 */

static void print_orders(const lbIntegrator* integrator) {
    const double end = 7.3;
    for (int steps = 8; steps <= 4096; steps = (int)ceil(steps * 1.41)) {
        lbChainRun run;
        start_oscillator(&run, 0);
        for (int i = 0; i < steps; ++i) {
            step(integrator, &run, end / steps);
        }
        double error = lb_chain_error(&run, end);
        if (error < 3) { /* else it has nothing to do with the motion any more */
            printf("%s,%g,%g,%g\n", integrator->name, end / steps, error, (double)run.evaluations / end);
        }
    }
}

/* ---- Energy --------------------------------------------------------------------------------------------------------
 */

/* The largest departure so far, at times that grow evenly on a logarithmic scale. */
static void print_drift(const lbIntegrator* integrator) {
    const double h = 0.1;
    lbChainRun run;
    start_oscillator(&run, 0);
    double start = lb_chain_energy(&run), worst = 0, next = 0.1;
    int64_t steps = (int64_t)(1000 * 2 * LB_PI / h);
    for (int64_t i = 1; i <= steps && worst < 1e3; ++i) {
        step(integrator, &run, h);
        worst = fmax(worst, fabs(lb_chain_energy(&run) / start - 1));
        double periods = (double)i * h / (2 * LB_PI);
        if (periods >= next) {
            printf("%s,%g,%g\n", integrator->name, periods, worst);
            next *= 1.12;
        }
    }
}

static void print_oscillator(const lbIntegrator* integrator) {
    const double h = 0.2;
    lbChainRun run;
    start_oscillator(&run, 0);
    double start = lb_chain_energy(&run);
    for (int i = 0; (double)i * h <= 8 * 2 * LB_PI; ++i) {
        if (i % 2 == 0) {
            printf("%s,%g,%g\n", integrator->name, (double)i * h / (2 * LB_PI), lb_chain_energy(&run) / start);
        }
        step(integrator, &run, h);
    }
}

/* ---- A cube that rings -------------------------------------------------------------------------------------------
 */

/* 0.2 m, four cells a side, a firm jelly without any damping. */
static lbResult make_cube(lbDynamicModel** model) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(0.2f, 0.2f, 0.2f);
    lbShape* box;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.shape = box;
    def.mesh.edge = 0.05f;
    def.material.stiffnessDamping = 0;
    def.material.massDamping = 0;
    lbResult result = lb_make_dynamic_model(lb_resolve_host(NULL), &def, model);
    lbDestroyShape(box);
    return result;
}

/* Half of the step that is stable for Verlet's method at rest, the same for all. */
static void ring(lbDynamicBody* body) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        body->x[4 * (size_t)i] *= 1.1f; /* stretched by a tenth along x, and let go */
    }
    double h = 0.5 * lb_verlet_stable_step(body->model->bound.frequency, 0);
    lbEnergy start = lb_dynamic_energy(&body->base);
    int steps = (int)(5 / h), each = (int)fmax(1, steps / 250.0);
    for (int i = 0; i <= steps; ++i) {
        if (i % each == 0) {
            lbEnergy energy = lb_dynamic_energy(&body->base);
            double share = (energy.kinetic + energy.elastic) / (start.kinetic + start.elastic);
            if (!(share < 1e4)) {
                return;
            }
            printf("%s,%g,%g\n", body->integrator->name, i * h, share);
        }
        lb_advance_body(&body->base, i * h, h);
    }
}

static lbResult print_cube(void) {
    lbDynamicModel* model;
    LB_TRY(make_cube(&model));
    lbResult result = lb_success();
    for (int kind = 0; kind < lb_integratorKindCount && result.code == lb_ok; ++kind) {
        lbBodyDef def = lbDefaultBodyDef();
        def.integrator = (lbIntegratorKind)kind;
        lbDynamicBody* body;
        result = lb_make_dynamic_body(lb_resolve_host(NULL), NULL, model, &def, &body);
        if (result.code == lb_ok) {
            ring(body);
            lb_destroy_dynamic_body(body);
        }
    }
    lb_destroy_dynamic_model(model);
    return result;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void for_each_integrator(void (*print)(const lbIntegrator* integrator)) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        print(lb_find_integrator((lbIntegratorKind)kind));
    }
}

int main(int argumentCount, char** arguments) {
    static const struct {
        const char *name, *columns;
        void (*print)(const lbIntegrator* integrator); /* NULL: the cube */
    } tables[] = {
        {"stability", "method,damping_ratio,wh,evaluations", print_stability},
        {"orders", "method,wh,error,evaluations_per_radian", print_orders},
        {"drift", "method,periods,departure", print_drift},
        {"oscillator", "method,periods,energy", print_oscillator},
        {"cube", "method,seconds,energy", NULL},
    };
    for (size_t i = 0; argumentCount == 2 && i < sizeof(tables) / sizeof(tables[0]); ++i) {
        if (strcmp(tables[i].name, arguments[1]) != 0) {
            continue;
        }
        printf("%s\n", tables[i].columns);
        if (tables[i].print != NULL) {
            for_each_integrator(tables[i].print);
            return 0;
        }
        lbResult result = print_cube();
        if (result.code != lb_ok) {
            fprintf(stderr, "plot_data: %s\n", result.message);
        }
        return result.code == lb_ok ? 0 : 1;
    }
    fprintf(stderr, "plot_data: expected one of stability, orders, drift, oscillator, cube\n");
    return 2;
}
