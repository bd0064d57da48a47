/* The virtual coupling alone: where the tool comes to rest, what a sampled spring does, and where it starts to shake.
 */
#include "base/result.h"
#include "haptic/virtual_coupling.h"
#include "verify/suites.h"

static const double period = 1e-3; /* s */

static lbVirtualCoupling coupling_of(double stiffness, double damping, bool guarded) {
    return (lbVirtualCoupling){.settings = {.period = period,
                                            .stiffness = stiffness,
                                            .damping = damping,
                                            .forceLimit = INFINITY,
                                            .guarded = guarded},
                               .trust = 1};
}

static double random_number(uint64_t* state) { /* -1 to 1 */
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 33) / (double)(UINT64_C(1) << 30) - 1;
}

/* ---- Balance ----------------------------------------------------------------------------------------------------- */

/* Springs in series. */
static void check_series(lbVerifyContext* context) {
    const double coupling = 500, contact = 1500, depth = 0.01;
    lbPushers pushers = {.count = 1, .pushers = {{{0, 1, 0}, 0, contact}}};
    lbVirtualCoupling made = coupling_of(coupling, 0, false);
    lb_couple(&made, &pushers, vec3d(0.02, -depth, 0.01));
    double expected = depth * coupling * contact / (coupling + contact);
    lb_verify_near(context, "coupling and contact in series: force, N", made.force.y, expected, 1e-12);
    lb_verify_near(context, "and none along the surface, N", fabs(made.force.x) + fabs(made.force.z), 0, 1e-12);
    lb_couple(&made, &pushers, vec3d(0.02, 0.001, 0.01));
    lb_verify_near(context, "nothing is felt in the air, N", vec3d_length(made.force), 0, 0);
}

/* The gradient of what is made least, for planes and devices at random. */
static void check_balance(lbVerifyContext* context) {
    uint64_t seed = 7;
    const double stiffness = 500;
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
        lbPushers pushers = {.count = 1 + i % lb_mostPushers};
        for (int k = 0; k < pushers.count; ++k) {
            lbVec3d n = vec3d(random_number(&seed), random_number(&seed), random_number(&seed));
            pushers.pushers[k] = (lbPusher){vec3d_normalize(n), 0.02 * random_number(&seed),
                                            stiffness * pow(10, 2 * random_number(&seed))};
        }
        lbVec3d device = vec3d(0.05 * random_number(&seed), 0.05 * random_number(&seed), 0.05 * random_number(&seed));
        lbVec3d x = lb_balance(&pushers, stiffness, device), sum = vec3d_scale(stiffness, vec3d_sub(device, x));
        for (int k = 0; k < pushers.count; ++k) {
            const lbPusher* p = &pushers.pushers[k];
            sum = vec3d_madd(sum, p->stiffness * fmax(p->distance - vec3d_dot(p->normal, x), 0), p->normal);
        }
        worst = fmax(worst, vec3d_length(sum));
    }
    lb_verify_at_most(context, "2,000 tools between planes at random: forces are in balance, N", worst, 1e-9);
}

/* ---- A spring that is sampled ------------------------------------------------------------------------------------ */

/* Far inside a wall, so that it never lets go: with the coupling in series, a spring of stiffness k. */
static lbPushers wall(double coupling, double k) {
    double contact = coupling * k / (coupling - k);
    return (lbPushers){.count = 1, .pushers = {{{0, 1, 0}, 1, contact}}};
}

/* The hand moves to and fro. Forces that are held until the next round lag behind by half a period: that is a damper of
 * -k T (1 - cos wT) / (wT)^2, -k T / 2 where T is short, and what the device's own damping must make up for. */
static void check_negative_damping(lbVerifyContext* context, int roundsPerCycle) {
    const double coupling = 2000, k = 1000, size = 0.005;
    lbPushers pushers = wall(coupling, k);
    lbVirtualCoupling made = coupling_of(coupling, 0, false);
    double angle = 2 * LB_PI / roundsPerCycle, before = 0;
    for (int i = 0; i <= 3 * roundsPerCycle; ++i) {
        lb_couple(&made, &pushers, vec3d(0, size * sin(angle * i), 0));
        before = i == 2 * roundsPerCycle ? made.energy : before;
    }
    /* of one cycle, less what the wall's own force does, which is nothing over a cycle */
    double out = before - made.energy, damping = out / (LB_PI * size * size * angle / period);
    double expected = k * period * (1 - cos(angle)) / (angle * angle);
    lb_verify_near(
        context,
        lb_verify_name(context, "a held force makes energy: damper at %d rounds a cycle / (-k T / 2)", roundsPerCycle),
        damping / (k * period / 2), expected / (k * period / 2), 1e-6);
}

/* A device of mass m and damping b, moved exactly while the force is held. */
typedef struct Device {
    double mass, damping, x, v;
} Device;

static void move_device(Device* device, double force) {
    double b = device->damping, m = device->mass, kept = exp(-b * period / m), time = m / b * (1 - kept);
    device->x += time * device->v + force / b * (period - time);
    device->v = kept * device->v + force / b * (1 - kept);
}

/* Whether a push dies away. */
static bool is_stable(double mass, double damping, double k) {
    const double coupling = 4 * k;
    lbPushers pushers = wall(coupling, k);
    lbVirtualCoupling made = coupling_of(coupling, 0, false);
    double rest = k * 1.0; /* what the wall pushes with at x = 0, held against by the hand */
    Device device = {mass, damping, 1e-4, 0};
    double early = 0, late = 0;
    const int rounds = 20000;
    for (int i = 0; i < rounds; ++i) {
        lb_couple(&made, &pushers, vec3d(0, device.x, 0));
        move_device(&device, made.force.y - rest);
        double size = fabs(device.x);
        early = i < rounds / 4 ? fmax(early, size) : early;
        late = i > 3 * rounds / 4 ? fmax(late, size) : late;
        if (size > 1) {
            return false;
        }
    }
    return late <= early;
}

/* The stiffness from which on it shakes, against that of the sampled system's own matrix (|eigenvalues| = 1). */
static void check_stable_range(lbVerifyContext* context, double mass, double damping) {
    double low = 0, high = 40 * damping / period;
    for (int i = 0; i < 24; ++i) {
        double middle = 0.5 * (low + high);
        *(is_stable(mass, damping, middle) ? &low : &high) = middle;
    }
    double kept = exp(-damping * period / mass), time = mass / damping * (1 - kept);
    double x = (period - time) / damping, v = (1 - kept) / damping;
    double exact = (1 - kept) / (v * time - kept * x), least = 2 * damping / period;
    const char* what = "device of %g kg and %g N s/m: stiffest stable spring / (2 b / T)";
    lb_verify_near(context, lb_verify_name(context, what, mass, damping), low / least, exact / least,
                   0.01 * exact / least);
    lb_verify_at_least(context, lb_verify_name(context, "and no less than theory asks of all devices: %g kg", mass),
                       low / least, 0.999);
}

lbResult lb_verify_haptic_coupling(lbVerifyContext* context) {
    check_series(context);
    check_balance(context);
    check_negative_damping(context, 8);
    check_negative_damping(context, 20);
    check_negative_damping(context, 200);
    check_stable_range(context, 0.05, 1);
    check_stable_range(context, 0.2, 0.5);
    check_stable_range(context, 2, 0.5);
    return lb_success();
}
