/* A body that grows or collapses without coming apart is right by its own law and wrong to everybody who looks: people
 * are told which choice of theirs does that, once, and what would not. */
#include "server/session_inner.h"

#include "base/math.h"
#include "server/describe.h"
#include "server/json_text.h"

#include <math.h>
#include <stdio.h>

static const double watchEvery = 0.5; /* s of simulated time */
static const double grown = 2;        /* times as large as at rest: no hand does that to a body as a whole */
static const double collapsed = 0.35; /* of its volume */
enum { mostWatched = 64 };            /* bodies: bits of session->watchedBodies */

typedef struct Extent {
    double radius; /* m, of gyration of the skin's points: the same however a body is turned */
    double volume; /* m^3, within the skin; of an open one it means nothing */
} Extent;

static Extent measure(const lbShape* shape, const float* points) {
    int count = lbShape_GetPointCount(shape), triangleCount = lbShape_GetTriangleCount(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    double sum[3] = {0}, squares = 0, volume = 0;
    for (int i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double x = (double)points[3 * i + axis];
            sum[axis] += x;
            squares += x * x;
        }
    }
    double middle[3] = {sum[0] / count, sum[1] / count, sum[2] / count};
    double square = squares / count - middle[0] * middle[0] - middle[1] * middle[1] - middle[2] * middle[2];
    for (int t = 0; t < triangleCount; ++t) {
        double p[3][3];
        for (int k = 0; k < 9; ++k) {
            p[k / 3][k % 3] = (double)points[3 * triangles[3 * t + k / 3] + k % 3] - middle[k % 3];
        }
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) + p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return (Extent){sqrt(fmax(square, 0)), volume / 6};
}

/* Another law for a body, if its mesh takes it. */
static void offer_corotational(int body, const lbBodyKinds* kinds, lbText* actions) {
    char place[64];
    bool tets = kinds->mesh == lb_meshTetGrid || kinds->mesh == lb_meshTets || kinds->mesh == lb_meshStructured ||
                kinds->mesh == lb_meshGiven;
    if (!tets || kinds->law == lb_lawCorotational) {
        return;
    }
    snprintf(place, sizeof(place), "bodies[%d].law.kind", body);
    lb_put_begin(actions, NULL, '[');
    lb_put_begin(actions, NULL, '{');
    lb_put_pair(actions, "label", "Use corotational tetrahedra");
    lb_put_begin(actions, "messages", '[');
    lb_put_begin(actions, NULL, '{');
    lb_put_pair(actions, "type", "set");
    lb_put_pair(actions, "path", place);
    lb_put_pair(actions, "value", lbLawKind_GetName(lb_lawCorotational));
    lb_put_end(actions, '}');
    lb_put_end(actions, ']');
    lb_put_end(actions, '}');
    lb_put_end(actions, ']');
}

/* Whether there was something to say. */
static bool tell(lbSession* session, int body, const lbBodyKinds* kinds, Extent rest, Extent now) {
    const char* name = lb_document_body_name(session->stage.document, body);
    bool solid = rest.volume > 0.05 * rest.radius * rest.radius * rest.radius && kinds->mesh != lb_meshCloth &&
                 kinds->mesh != lb_meshLayered;
    bool isGrown = now.radius > grown * rest.radius, isFlat = solid && now.volume < collapsed * rest.volume;
    if (!isGrown && !isFlat) {
        return false;
    }
    lbText actions = {.host = session->host};
    offer_corotational(body, kinds, &actions);
    if (isGrown) {
        lb_tell_notice_with(session, "warning", &actions, "\"%.60s\" has grown to %.1f times its size%s.", name,
                            now.radius / rest.radius,
                            kinds->law == lb_lawLinear ? ": the linear law takes a turn for a stretch" : "");
    } else {
        lb_tell_notice_with(session, "warning", &actions, "\"%.60s\" has collapsed to %.0f %% of its volume%s.", name,
                            fmax(0, 100 * now.volume / rest.volume),
                            kinds->law == lb_lawSprings ? ": springs hold lengths, not volumes"
                            : kinds->law == lb_lawGreen ? ": Green's strain gives way when pressed hard"
                                                        : "");
    }
    return true;
}

void lb_watch_bodies(lbSession* session, const lbSnapshot* snapshot) {
    const lbStage* stage = &session->stage;
    const lbBuild* build = stage->build;
    if (session->watchedBuild != build->revision) {
        session->watchedBuild = build->revision;
        session->watchedBodies = 0;
    }
    if ((double)(session->stepsDone - session->watched) < watchEvery * lbScene_GetFrameRate(stage->scene)) {
        return;
    }
    session->watched = session->stepsDone;
    for (int i = 0; i < int_min(build->bodyCount, mostWatched); ++i) {
        lbBodyKinds kinds = lb_document_kinds(stage->document, i);
        uint64_t bit = (uint64_t)1 << i;
        if (kinds.body != lb_bodyDynamic || (session->watchedBodies & bit) != 0) {
            continue;
        }
        Extent rest = measure(build->shapes[i], lbShape_GetPoints(build->shapes[i]));
        if (tell(session, i, &kinds, rest, measure(build->shapes[i], snapshot->bodies[i].positions))) {
            session->watchedBodies |= bit;
        }
    }
}
