/* Bulirsch and Stoer's method: a step is taken again and again by Gragg's modified midpoint rule with 2, 4, 6, ...
 * parts, and the results are extrapolated to infinitely many, by polynomials in the square of the part's length
 * (Neville's scheme). (R. Bulirsch, J. Stoer 1966; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * II.9.)
 *
 * All sums are of changes since the start of the step, which are small, and not of positions: the result is then right
 * to about the rounding of one addition a step. At most `columns` numbers of parts are tried, since extrapolating
 * further would multiply rounding errors. If they do not agree to the tolerance, at the worst node, relative to the way
 * that the fastest node goes (or to the rounding of positions), the step is halved. */
#include "integrate/integrator.h"

#include "base/simd.h"

#include <float.h>
#include <math.h>

enum { columns = 6 };

/* The shortest piece, of the step; it is taken whatever its error is, so that a step always ends. */
static const double shortest = 1.0 / 1024;

typedef struct Attempt {
    float h;               /* s, of a part */
    const float *x, *v;    /* at the start */
    const float *a, *next; /* accelerations at the start, and at the stage */
    float *stageX, *stageV;
    float *lastX, *lastV;     /* changes up to the stage before */
    float *changeX, *changeV; /* changes up to the stage */
} Attempt;

static inline void set_stage(const Attempt* p, size_t i, lbFloat4 changeX, lbFloat4 changeV) {
    store4(p->changeX + i, changeX);
    store4(p->changeV + i, changeV);
    store4(p->stageX + i, load4(p->x + i) + changeX);
    store4(p->stageV + i, load4(p->v + i) + changeV);
}

static void first_part(void* context, int begin, int end) {
    const Attempt p = *(const Attempt*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 none = {0};
        store4(p.lastX + i, none);
        store4(p.lastV + i, none);
        set_stage(&p, i, p.h * load4(p.v + i), p.h * load4(p.a + i));
    }
}

static void next_part(void* context, int begin, int end) {
    const Attempt p = *(const Attempt*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.lastX + i) + 2.0f * p.h * load4(p.stageV + i);
        lbFloat4 v = load4(p.lastV + i) + 2.0f * p.h * load4(p.next + i);
        store4(p.lastX + i, load4(p.changeX + i));
        store4(p.lastV + i, load4(p.changeV + i));
        set_stage(&p, i, x, v);
    }
}

/* Leaves the change over the whole step in changeX and changeV. */
static void smooth(void* context, int begin, int end) {
    const Attempt p = *(const Attempt*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.lastX + i) + load4(p.changeX + i) + p.h * load4(p.stageV + i);
        lbFloat4 v = load4(p.lastV + i) + load4(p.changeV + i) + p.h * load4(p.next + i);
        store4(p.changeX + i, 0.5f * x);
        store4(p.changeV + i, 0.5f * v);
    }
}

static int parts_of(int column) {
    return 2 * (column + 1);
}

static void modified_midpoint(const lbSystem* system, Attempt* attempt, float* next, double time, double h, int parts) {
    attempt->h = (float)(h / parts);
    lb_for_nodes(system, first_part, attempt);
    for (int part = 1; part <= parts; ++part) {
        system->acceleration(system->self, time + h * part / parts, attempt->stageX, attempt->stageV, next);
        lb_for_nodes(system, part < parts ? next_part : smooth, attempt);
    }
}

typedef struct Extrapolate {
    int column;
    float factor[columns];
    size_t stride;       /* floats between columns */
    float* table;        /* the last row of Neville's scheme, which becomes the next */
    const float* change; /* by as many parts as the column says */
    float* correction;   /* what the last column changed; may be NULL */
} Extrapolate;

static void extrapolate(void* context, int begin, int end) {
    const Extrapolate p = *(const Extrapolate*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 value = load4(p.change + i), correction = value;
        for (int k = 0; k < p.column; ++k) {
            float* place = p.table + (size_t)k * p.stride + i;
            lbFloat4 before = load4(place);
            store4(place, value);
            correction = p.factor[k] * (value - before);
            value += correction;
        }
        store4(p.table + (size_t)p.column * p.stride + i, value);
        if (p.correction != NULL) {
            store4(p.correction + i, correction);
        }
    }
}

typedef struct Work {
    Attempt attempt;
    float *a, *next;
    float *tableX, *tableV; /* (columns) node vectors each */
} Work;

static void extrapolate_both(const lbSystem* system, const Work* work, int column) {
    Extrapolate pass = {.column = column, .stride = 4 * (size_t)system->count};
    for (int k = 0; k < column; ++k) { /* n_j^2 / n_(j-k-1)^2 - 1 */
        double ratio = (double)parts_of(column) / parts_of(column - k - 1);
        pass.factor[k] = (float)(1 / (ratio * ratio - 1));
    }
    pass.table = work->tableX, pass.change = work->attempt.changeX, pass.correction = work->attempt.stageX;
    lb_for_nodes(system, extrapolate, &pass);
    pass.table = work->tableV, pass.change = work->attempt.changeV, pass.correction = NULL;
    lb_for_nodes(system, extrapolate, &pass);
}

/* How much the last column may change positions. */
static double allowed_error(const lbSystem* system, const Work* work, double h) {
    const float* vectors[3] = {system->x, system->v, work->a};
    float largest[3];
    lb_find_largest(system, 3, vectors, largest);
    double way = h * ((double)largest[1] + 0.5 * h * (double)largest[2]);
    return (double)system->settings->tolerance * way + 2 * (double)FLT_EPSILON * (double)largest[0];
}

/* Fills columns until they agree. Returns the last one, or `columns` if none does. */
static int fill_columns(const lbSystem* system, Work* work, double time, double h) {
    double allowed = allowed_error(system, work, h), before = INFINITY;
    for (int column = 0; column < columns; ++column) {
        modified_midpoint(system, &work->attempt, work->next, time, h, parts_of(column));
        extrapolate_both(system, work, column);
        const float* correction = work->attempt.stageX;
        float largest;
        lb_find_largest(system, 1, &correction, &largest);
        if (column > 0 && (double)largest <= allowed) {
            return column;
        }
        if (column > 1 && !((double)largest < before)) { /* more parts make it worse: the step is far too long */
            return columns;
        }
        before = column > 0 ? (double)largest : before;
    }
    return columns;
}

static void accept(const lbSystem* system, const Work* work, int column) {
    size_t offset = 4 * (size_t)system->count * (size_t)column;
    lb_add_scaled(system->tasks, system->count, 1, work->tableX + offset, system->x);
    lb_add_scaled(system->tasks, system->count, 1, work->tableV + offset, system->v);
}

static Work take_room(const lbSystem* system) {
    Work work = {.attempt = {.x = system->x, .v = system->v}};
    Attempt* attempt = &work.attempt;
    float** vectors[] = {&work.a,         &work.next,      &attempt->stageX,  &attempt->stageV,
                         &attempt->lastX, &attempt->lastV, &attempt->changeX, &attempt->changeV};
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i) {
        *vectors[i] = lb_take_vector(system);
    }
    attempt->a = work.a, attempt->next = work.next;
    size_t table = columns * 4 * (size_t)system->count * sizeof(float);
    work.tableX = lb_arena_take(system->scratch, table);
    work.tableV = lb_arena_take(system->scratch, table);
    return work;
}

static void bulirsch_stoer_step(const lbSystem* system, lbHistory* history, double time, double h) {
    size_t used = system->scratch->used;
    Work work = take_room(system);
    double wanted = history->step > 0 ? fmin(history->step, h) : h, done = 0;
    bool started = false;
    while (done < h) {
        double rest = h - done, piece = wanted >= rest ? rest : fmin(wanted, 0.5 * rest);
        if (!started) {
            system->acceleration(system->self, time + done, system->x, system->v, work.a);
        }
        int column = fill_columns(system, &work, time + done, piece);
        bool accepted = column < columns || piece <= shortest * h;
        started = !accepted;
        if (accepted) {
            accept(system, &work, column < columns ? column : 1);
            lb_damp(system, piece, system->v);
            done = piece < rest ? done + piece : h;
        }
        double fitting = piece * (column < 3 ? 2 : column < 4 ? 1.4 : column < columns ? 1 : 0.5);
        wanted = accepted && piece < wanted ? fmax(wanted, fitting) : fmax(fitting, 0.5 * shortest * h);
    }
    history->filled = 1;
    history->step = wanted;
    system->scratch->used = used;
}

const lbIntegrator lb_bulirschStoer = {
    .name = "bulirsch-stoer",
    .label = "Bulirsch-Stoer",
    .description = "Extrapolation until the error is within the tolerance; for smooth motion",
    .traits = lb_traitExplicit | lb_traitAdaptive,
    .order = 2 * columns,
    .scratchVectors = 9 + 2 * columns,
    .step = bulirsch_stoer_step,
    .stableStep = lb_verlet_stable_step,
};
