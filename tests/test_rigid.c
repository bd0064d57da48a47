/* Rigid and guided bodies (src/body/rigid). */
#include "base/file.h"
#include "body/body.h"
#include "body/rigid/rigid_model.h"
#include "body/rigid/rotation.h"
#include "test.h"

static const double frame = 1.0 / 60;
static const lbStep aStep = {.h = 1.0 / 60, .end = 1, .touched = true};

static lbModelDef box_def(float x, float y, float z) {
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelRigid;
    def.collision = (lbCollisionDef){.kind = lb_collisionBox, .size = {x, y, z}};
    return def;
}

static lbModel* make_model(const lbHost* host, const lbModelDef* def) {
    lbModel* model = NULL;
    CHECK_OK(lb_create_model(host, def, &model));
    return model;
}

static lbBody* make_body(lbModel* model, const lbBodyDef* def) {
    lbBody* body = NULL;
    CHECK_OK(lb_create_body(model->host, NULL, model, def, &body));
    return body;
}

static void end(lbBody* body, lbModel* model) {
    lb_destroy_body(body);
    lb_destroy_model(model);
}

static lbVec3d load3(const double* p) {
    return vec3d(p[0], p[1], p[2]);
}

static double distance(lbVec3d a, lbVec3d b) {
    return vec3d_length(vec3d_sub(a, b));
}

static double distance3(lbVec3 a, lbVec3 b) {
    return distance(vec3d_from(a), vec3d_from(b));
}

/* -1 to 1, the same in every run. */
static double next_random(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

static lbVec3 random_vector(uint32_t* state, double scale) {
    double x = next_random(state), y = next_random(state), z = next_random(state);
    return vec3_from(vec3d(scale * x, scale * y, scale * z));
}

/* ---- Free flight ------------------------------------------------------------------------------------------------- */

static lbVec3d momentum_in_body(const lbBody* body) {
    lbMomentum momentum = body->ops->momentum(body);
    lbVec3d x = load3(momentum.center), p = load3(momentum.linear);
    lbVec3d about = vec3d_sub(load3(momentum.angular), vec3d_cross(x, p));
    return quatd_unrotate(quatd_from(body->ops->frame->pose(body).rotation), about);
}

/* K(k), the complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic_k(double kSquared) {
    double a = 1, g = sqrt(1 - kSquared);
    for (int i = 0; i < 40; ++i) {
        double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    return LB_PI / (2 * a);
}

/* s between flips about the middle axis (Landau and Lifshitz, Mechanics, 37). */
static double flip_time(const double moments[3], double twiceEnergy, double momentumSquared) {
    double i1 = moments[0], i2 = moments[1], i3 = moments[2];
    double low = momentumSquared - twiceEnergy * i1, high = twiceEnergy * i3 - momentumSquared;
    double a = (i3 - i2) * low, b = (i2 - i1) * high;
    double rate = sqrt(fmax(a, b) / (i1 * i2 * i3));
    return 2 * elliptic_k(fmin(a, b) / fmax(a, b)) / rate;
}

TEST(ABodySpunAboutItsMiddleAxisKeepsEnergyAndMomentumAndFlipsInTime) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.2f, 0.1f, 0.04f);
    lbModel* model = make_model(&host, &def);
    lbBodyDef placed = lbDefaultBodyDef();
    placed.rotation = quat_from_axis_angle(vec3(1, 2, 3), 0.7f);
    placed.angularVelocity = quat_rotate(placed.rotation, vec3(0.02f, 10, 0.01f));
    placed.velocity = vec3(0.1f, 0.2f, -0.3f);
    lbBody* body = make_body(model, &placed);
    lbMomentum before = body->ops->momentum(body);
    double energy = body->ops->energy(body).kinetic, worstEnergy = 0, worstMomentum = 0, last = 0, first = 0,
           latest = 0;
    int flips = 0;
    for (int i = 0; i <= 6000; ++i) {
        double along = momentum_in_body(body).y;
        if (i > 0 && along * last < 0) {
            latest = (i - along / (along - last)) * frame;
            first = flips++ == 0 ? latest : first;
        }
        last = along;
        worstEnergy = fmax(worstEnergy, fabs(body->ops->energy(body).kinetic / energy - 1));
        lbMomentum now = body->ops->momentum(body);
        worstMomentum = fmax(worstMomentum, distance(load3(now.angular), load3(before.angular)));
        lb_advance_body(body, i * frame, frame);
    }
    lbVec3d angular = momentum_in_body(body);
    double mass = before.mass, spin = energy - 0.5 * mass * (0.1 * 0.1 + 0.2 * 0.2 + 0.3 * 0.3);
    const double moments[3] = {mass / 12 * (0.1 * 0.1 + 0.04 * 0.04), mass / 12 * (0.2 * 0.2 + 0.04 * 0.04),
                               mass / 12 * (0.2 * 0.2 + 0.1 * 0.1)};
    double expected = flip_time(moments, 2 * spin, vec3d_dot(angular, angular));
    CHECK_NEAR(worstEnergy, 0, 1e-10);
    CHECK_NEAR(worstMomentum / vec3d_length(load3(before.angular)), 0, 1e-9);
    CHECK(flips > 40);
    CHECK_NEAR((latest - first) / (flips - 1), expected, 1e-3 * expected);
    end(body, model);
}

TEST(NeedlesAndPlatesKeepEnergyToo) {
    const struct {
        lbVec3 size, spin;
    } cases[] = {{{1, 0.01f, 0.011f}, {5, 10, 3}}, {{1, 0.01f, 0.01f}, {500, 10, 0}}, {{1, 1, 0.01f}, {5, 200, 300}}};
    lbHost host = lbDefaultHost();
    for (int k = 0; k < 3; ++k) {
        lbModelDef def = box_def(cases[k].size.x, cases[k].size.y, cases[k].size.z);
        lbModel* model = make_model(&host, &def);
        lbBodyDef placed = lbDefaultBodyDef();
        placed.angularVelocity = cases[k].spin;
        lbBody* body = make_body(model, &placed);
        double energy = body->ops->energy(body).kinetic;
        for (int i = 0; i < 600; ++i) {
            lb_advance_body(body, i * frame, frame);
        }
        CHECK_NEAR(body->ops->energy(body).kinetic / energy, 1, 1e-10);
        end(body, model);
    }
}

/* How far the skin is from the exact motion of a symmetric top: a steady turn about L and one about its own axis. */
static double top_error(lbBody* body, lbModel* model, int steps, double seconds) {
    const lbRigidModel* rigid = lb_rigid_model(model);
    lbQuatd start = quatd_from(body->rotation);
    lbVec3d inBody = momentum_in_body(body);
    double across = rigid->mass * rigid->inertia[0], along = rigid->mass * rigid->inertia[1];
    lbVec3d precession = vec3d_scale(seconds / across, quatd_rotate(start, inBody));
    lbVec3d own = vec3d(0, seconds * inBody.y * (1 / along - 1 / across), 0);
    lbQuatd exact = quatd_multiply(quatd_from_turn(precession), quatd_multiply(start, quatd_from_turn(own)));
    for (int i = 0; i < steps; ++i) {
        lb_advance_body(body, 0, seconds / steps);
    }
    /* The state itself, not the float of its pose. */
    const float* rest = lbShape_GetPoints(model->shape);
    lbSide side;
    double worst = 0;
    for (int i = 0; i < model->skinPointCount; ++i) {
        body->ops->bindSkin(body, lb_at_skin_point(i), &aStep, &side);
        worst = fmax(worst, distance(vec3d_from(side.arm), quatd_rotate(exact, vec3d_load(rest + 3 * (size_t)i))));
    }
    return worst;
}

TEST(ASymmetricTopFollowsTheExactSolutionToFourthOrder) {
    lbHost host = lbDefaultHost();
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelRigid;
    def.collision = (lbCollisionDef){.kind = lb_collisionCapsule, .radius = 0.3f, .length = 1};
    lbModel* model = make_model(&host, &def);
    lbBodyDef placed = lbDefaultBodyDef();
    placed.rotation = quat_from_axis_angle(vec3(3, 1, 2), 0.4f);
    placed.angularVelocity = vec3(2, 3, 1);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        lbBody* body = make_body(model, &placed);
        error[k] = top_error(body, model, 140 << k, 10);
        lb_destroy_body(body);
    }
    CHECK(error[0] < 0.1);
    CHECK_NEAR(log2(error[0] / error[1]), 4, 0.5);
    lb_destroy_model(model);
}

TEST(SpinsAboutAPrincipalAxisAreExactAtAnyStep) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    for (int axis = 0; axis < 3; axis += 2) { /* the middle one does not last */
        lbBodyDef placed = lbDefaultBodyDef();
        placed.angularVelocity = vec3(axis == 0 ? 300.0f : 0, 0, axis == 2 ? 300.0f : 0);
        lbBody* body = make_body(model, &placed);
        for (int i = 0; i < 60; ++i) {
            lb_advance_body(body, i * frame, frame);
        }
        lbQuatd exact = quatd_from_turn(vec3d_from(placed.angularVelocity));
        lbVec3d point = vec3d(0.15, 0.1, 0.05);
        lbQuatd found = quatd_from(body->ops->frame->pose(body).rotation);
        CHECK_NEAR(distance(quatd_rotate(found, point), quatd_rotate(exact, point)), 0, 1e-6);
        lb_destroy_body(body);
    }
    lb_destroy_model(model);
}

TEST(ABodyFallsWithGravity) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBodyDef placed = lbDefaultBodyDef();
    placed.position = vec3(1, 2, 3);
    lbBody* body = make_body(model, &placed);
    body->gravity = vec3(0, -10, 0);
    for (int i = 0; i < 60; ++i) {
        lb_advance_body(body, i * frame, frame);
    }
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    CHECK_NEAR(v.y, -10, 1e-5);
    CHECK_NEAR(body->ops->frame->pose(body).position.y, 2 - 5 * (1 + frame), 1e-5); /* velocities first */
    CHECK_NEAR(body->ops->energy(body).gravity, 6 * 10 * (2 - 5 * (1 + frame)), 1e-4);
    end(body, model);
}

/* ---- Pushes ------------------------------------------------------------------------------------------------------ */

static lbBody* tumbling_body(lbModel* model) {
    lbBodyDef placed = lbDefaultBodyDef();
    placed.position = vec3(0.4f, -0.3f, 0.2f);
    placed.rotation = quat_from_axis_angle(vec3(1, -1, 2), 1.1f);
    placed.velocity = vec3(1, 2, 3);
    placed.angularVelocity = vec3(4, -3, 2);
    return make_body(model, &placed);
}

TEST(ImpulsesAndTheirMomentsAreKeptToRounding) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    uint32_t random = 1;
    for (int i = 0; i < 200; ++i) {
        lbMomentum before = body->ops->momentum(body);
        lbStep step = {.time = i * frame, .h = frame, .begin = 0, .end = 1, .touched = true};
        body->ops->predict(body, step);
        lbVec3 impulse = random_vector(&random, 3);
        lbVec3d place = vec3d_add(load3(before.center), vec3d_from(random_vector(&random, 0.2)));
        lbSide side;
        body->ops->bindPoint(body, vec3_from(place), &step, &side);
        lbVec3d moment = vec3d_cross(vec3d_add(load3(before.center), vec3d_from(side.arm)), vec3d_from(impulse));
        CHECK_NEAR(distance(vec3d_from(body->ops->place(body, &side)), place), 0, 1e-5);
        body->ops->push(body, &side, impulse);
        body->ops->finish(body, step);
        lbMomentum after = body->ops->momentum(body);
        CHECK_NEAR(distance(load3(after.linear), vec3d_add(load3(before.linear), vec3d_from(impulse))), 0, 1e-11);
        CHECK_NEAR(distance(load3(after.angular), vec3d_add(load3(before.angular), moment)), 0, 1e-10);
    }
    end(body, model);
}

TEST(VelocitiesAnswerToImpulsesByTheCompliance) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    body->ops->predict(body, aStep);
    uint32_t random = 2;
    for (int i = 0; i < 20; ++i) {
        lbSide side;
        lbSurfacePoint at = {{i, 2 * i + 1, 40 + 3 * i}, {0.5f, 0.3f, 0.2f}};
        body->ops->bindSkin(body, at, &aStep, &side);
        lbVec3 impulse = random_vector(&random, 1);
        float c[6];
        body->ops->compliance(body, &side, c);
        lbVec3 before = body->ops->travel(body, &side);
        body->ops->push(body, &side, impulse);
        lbVec3 expected = vec3_add(before, lb_filter(c, impulse));
        CHECK_NEAR(distance3(body->ops->velocity(body, &side), expected), 0, 2e-5);
    }
    end(body, model);
}

TEST(TravelLeadsToWhereAPointWillBe) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    for (int pushes = 0; pushes < 2; ++pushes) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            double h = k == 0 ? 0.002 : 0.001;
            lbStep step = {.h = h, .end = 1, .touched = true};
            lbSide side, other;
            body->ops->predict(body, step);
            body->ops->bindSkin(body, lb_at_skin_point(7), &step, &side);
            body->ops->bindSkin(body, lb_at_skin_point(99), &step, &other);
            lbVec3 before = body->ops->place(body, &side);
            if (pushes > 0) {
                body->ops->push(body, &other, vec3(1, 2, -1));
            }
            lbVec3 expected = vec3_madd(before, (float)h, body->ops->travel(body, &side));
            body->ops->finish(body, step);
            body->ops->bindSkin(body, lb_at_skin_point(7), &step, &side);
            error[k] = distance3(body->ops->place(body, &side), expected);
        }
        CHECK(error[0] < 5e-5); /* of 6 mm: what is left is of second order */
        CHECK(error[1] < 0.5 * error[0]);
    }
    end(body, model);
}

TEST(VelocitySpaceIsTheMassAndTheInertia) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    body->ops->predict(body, aStep);
    lbBlock block;
    body->ops->openBlock(body, &block);
    body->ops->closeBlock(body, &block);
    CHECK(block.count == 2 && !body->ops->isImplicit(body));
    lbSide side, other;
    body->ops->bindSkin(body, lb_at_skin_point(3), &aStep, &side);
    body->ops->bindSkin(body, lb_at_skin_point(77), &aStep, &other);
    /* A^-1 H^T p is what the push does, seen from another point. */
    lbVec3 impulse = vec3(1, -2, 0.5f), before = body->ops->velocity(body, &other);
    memset(block.r, 0, 8 * sizeof(float));
    lb_side_scatter(&side, impulse, block.r);
    /* It moves as a whole, and in no other way. */
    double push[6];
    body->ops->precondition(body, block.r, block.z);
    body->ops->reduce(body, &block, block.r, push);
    const double* j = block.inertia;
    lbVec3d columns[3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
    lbVec3d spin = vec3d_solve(columns, vec3d(push[3], push[4], push[5]));
    const double motion[6] = {push[0] / block.mass, push[1] / block.mass, push[2] / block.mass, spin.x, spin.y, spin.z};
    body->ops->expand(body, &block, motion, block.z);
    lbVec3 change = lb_side_gather(&other, block.z);
    body->ops->push(body, &side, impulse);
    CHECK_NEAR(distance3(vec3_add(before, change), body->ops->velocity(body, &other)), 0, 2e-5);
    body->ops->multiply(body, block.z, block.q);
    for (int i = 0; i < 8; ++i) {
        block.dv[i] = i % 4 < 3 ? (double)block.z[i] : 0;
        CHECK_NEAR(i % 4 < 3 ? block.q[i] : 0, i % 4 < 3 ? block.r[i] : 0, 1e-6);
    }
    body->ops->residual(body, block.dv, block.q, block.p);
    for (int i = 0; i < 8; ++i) {
        CHECK_NEAR(i % 4 < 3 ? block.p[i] : 0, 0, 1e-6);
    }
    body->ops->endBlock(body);
    end(body, model);
}

/* ---- Skin, state and model --------------------------------------------------------------------------------------- */

TEST(TheSkinFollowsAndItsVelocitiesAreItsChanges) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    for (int i = 0; i < model->skinPointCount; ++i) {
        CHECK_NEAR(distance3(vec3_load(body->skinX + 3 * (size_t)i), lb_skin_start(body, i)), 0, 1e-6);
    }
    const double h = 1e-3;
    lbVec3 velocity = vec3_load(body->skinV + 15), place = vec3_load(body->skinX + 15);
    lbSide side;
    body->ops->bindSkin(body, lb_at_skin_point(5), &aStep, &side);
    CHECK_NEAR(distance3(body->ops->velocity(body, &side), velocity), 0, 1e-6); /* before any step */
    lb_advance_body(body, 0, h);
    body->ops->updateSkin(body, NULL);
    lbVec3 expected = vec3_madd(place, (float)(0.5 * h), vec3_add(velocity, vec3_load(body->skinV + 15)));
    CHECK_NEAR(distance3(vec3_load(body->skinX + 15), expected), 0, 1e-6);
    end(body, model);
}

static uint64_t hash(lbBody* body) {
    lbWalk walk = {.mode = lb_walkHash};
    body->ops->walk(body, &walk);
    return walk.hash;
}

static void write_state(const lbHost* host, lbBody* body, lbBytes* bytes) {
    const char* path = LB_BINARY_DIR "/rigid.state";
    lbFile file = {0};
    CHECK_OK(lb_open_file(host, path, &file));
    lbWalk walk = {.mode = lb_walkWrite, .file = &file};
    body->ops->walk(body, &walk);
    CHECK_OK(lb_commit_file(&file));
    CHECK_OK(lb_read_file(host, path, bytes));
    remove(path);
}

static lbWalk read_state(lbBody* body, lbWalkMode mode, const lbBytes* bytes) {
    lbWalk walk = {.mode = mode, .next = bytes->data, .end = bytes->data + bytes->size};
    body->ops->walk(body, &walk);
    return walk;
}

static void take_frame(lbBody* body) {
    if (body->ops->beginFrame != NULL) {
        body->ops->beginFrame(body, frame);
    }
    lb_advance_body(body, 0, frame);
    if (body->ops->endFrame != NULL) {
        body->ops->endFrame(body);
    }
}

/* Steps a body on; from the state before, it comes to the same again. */
static void check_state(const lbHost* host, lbBody* body, size_t rotationAt, size_t rotationSize) {
    lbBytes bytes;
    write_state(host, body, &bytes);
    uint64_t before = hash(body), after;
    take_frame(body);
    after = hash(body);
    CHECK(before != after);
    lbWalk walk = read_state(body, lb_walkCheck, &bytes);
    CHECK(lb_walk_is_sound(&walk) && walk.next == walk.end);
    read_state(body, lb_walkRead, &bytes);
    CHECK(hash(body) == before);
    take_frame(body);
    CHECK(hash(body) == after);
    memset(bytes.data + rotationAt, 0, rotationSize);
    walk = read_state(body, lb_walkCheck, &bytes);
    CHECK(walk.damage != NULL && strcmp(walk.damage, "a rotation") == 0);
    lb_free_bytes(host, &bytes);
}

TEST(AStateComesBackAndADamagedOneDoesNot) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    check_state(&host, body, strlen("rigid") + 9 * sizeof(double) + 3 * sizeof(double), 4 * sizeof(double));
    lb_destroy_body(body);
    lbBodyDef placed = lbDefaultBodyDef();
    placed.guided = true;
    body = make_body(model, &placed);
    CHECK_OK(body->ops->frame->moveTo(body, (lbPose){{1, 2, 3}, {0.6f, 0, 0.8f, 0}}));
    check_state(&host, body, strlen("guided") + sizeof(int64_t) + 3 * sizeof(float), 4 * sizeof(float));
    end(body, model);
}

TEST(AnotherDensityChangesTheMassAndLeavesTheMotion) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBody* body = tumbling_body(model);
    lbMaterial material = def.material;
    lbVec3 v[2], w[2];
    double energy = body->ops->energy(body).kinetic;
    body->ops->frame->velocity(body, &v[0], &w[0]);
    material.density = 2000;
    CHECK_OK(model->ops->setMaterial(model, &material));
    body->ops->frame->velocity(body, &v[1], &w[1]);
    CHECK_NEAR(distance3(v[0], v[1]) + distance3(w[0], w[1]), 0, 0);
    CHECK_NEAR(body->ops->energy(body).kinetic, 2 * energy, 1e-9 * energy);
    lbModelInfo info;
    model->ops->describe(model, &info);
    CHECK_NEAR(info.mass, 12, 1e-5);
    CHECK(info.nodeCount == 0 && info.stableStep > 1e30);
    material.density = 0;
    CHECK_FAILS(model->ops->setMaterial(model, &material), lb_errorArgument, "density is 0");
    CHECK_NEAR(model->ops->define(model).material.density, 2000, 0);
    end(body, model);
}

/* The surface of a primitive, given as a mesh: what it encloses is nearly the primitive. */
static void check_mesh_like(const lbHost* host, const lbModelDef* primitive, double tolerance) {
    lbModel* model = make_model(host, primitive);
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelRigid;
    def.shape = model->shape;
    lbModel* mesh = make_model(host, &def);
    const lbRigidModel *a = lb_rigid_model(model), *b = lb_rigid_model(mesh);
    CHECK_NEAR(b->mass / a->mass, 1, tolerance);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(b->inertia[k] / a->inertia[k], 1, 2 * tolerance);
    }
    CHECK(mesh->collision != NULL && mesh->size > 0);
    lb_destroy_model(mesh);
    lb_destroy_model(model);
}

TEST(PrimitivesWeighWhatTheirSurfacesEnclose) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    check_mesh_like(&host, &def, 1e-6);
    def.collision = (lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.3f};
    check_mesh_like(&host, &def, 0.01);
    def.collision = (lbCollisionDef){.kind = lb_collisionCapsule, .radius = 0.2f, .length = 0.5f};
    check_mesh_like(&host, &def, 0.02);
}

TEST(WhatMakesNoSenseIsRefused) {
    lbHost host = lbDefaultHost();
    lbModel* model;
    lbBody* body;
    const float bad[3] = {0, -1, INFINITY};
    for (int i = 0; i < 3; ++i) {
        lbModelDef def = box_def(1, 1, 1);
        def.material.density = bad[i];
        CHECK_FAILS(lb_create_model(&host, &def, &model), lb_errorArgument, "density");
        def = box_def(bad[i], 1, 1);
        CHECK_FAILS(lb_create_model(&host, &def, &model), lb_errorArgument, "");
    }
    lbModelDef def = box_def(1e10f, 1, 1);
    CHECK_FAILS(lb_create_model(&host, &def, &model), lb_errorArgument, "");
    def.collision = (lbCollisionDef){.kind = lb_collisionMesh};
    CHECK_FAILS(lb_create_model(&host, &def, &model), lb_errorArgument, "has no shape");
    def.collision = (lbCollisionDef){.kind = lb_collisionHalfSpace};
    model = make_model(&host, &def);
    CHECK(model->shape == NULL && model->skinPointCount == 0 && model->collision != NULL);
    lbBodyDef placed = lbDefaultBodyDef();
    CHECK_FAILS(lb_create_body(&host, NULL, model, &placed, &body), lb_errorArgument, "only be guided");
    placed.guided = true;
    body = make_body(model, &placed);
    CHECK_FAILS(body->ops->setIntegrator(body, lb_integratorHeun, &placed.settings), lb_errorArgument,
                "has no integrator");
    CHECK_FAILS(body->ops->frame->setVelocity(body, vec3(1, 0, 0), vec3(0, 0, 0)), lb_errorArgument, "is guided");
    CHECK_FAILS(body->ops->frame->moveSkinTo(body, NULL), lb_errorArgument, "keeps its shape");
    end(body, model);
    def = box_def(1, 1, 1);
    model = make_model(&host, &def);
    placed.guided = false;
    body = make_body(model, &placed);
    CHECK_FAILS(body->ops->frame->moveTo(body, (lbPose){{0, 0, 0}, {0, 0, 0, 1}}), lb_errorArgument, "not guided");
    CHECK_FAILS(body->ops->solveEquilibrium(body, 0, NULL, NULL), lb_errorArgument, "is rigid");
    end(body, model);
}

/* ---- Guided bodies ----------------------------------------------------------------------------------------------- */

/* Follows a side through the steps of a frame; each step's travel must lead to where the next one begins. */
static lbVec3 follow(lbBody* body, lbSurfacePoint at, int steps) {
    lbVec3 reached = {0, 0, 0};
    body->ops->beginFrame(body, frame);
    for (int i = 0; i < steps; ++i) {
        lbStep step = {
            .time = 0, .h = frame / steps, .begin = (float)i / (float)steps, .end = (float)(i + 1) / (float)steps};
        lbSide side;
        body->ops->predict(body, step);
        body->ops->bindSkin(body, at, &step, &side);
        lbVec3 place = body->ops->place(body, &side);
        CHECK_NEAR(i > 0 ? distance3(place, reached) : 0, 0, 1e-6);
        lbVec3 travel = body->ops->travel(body, &side);
        body->ops->push(body, &side, vec3(100, 100, 100));
        CHECK_NEAR(distance3(travel, body->ops->velocity(body, &side)), 0, 0);
        reached = vec3_madd(place, (float)step.h, travel);
        body->ops->finish(body, step);
    }
    return reached;
}

TEST(AGuidedBodyMovesEvenlyToWhereItIsTold) {
    lbHost host = lbDefaultHost();
    lbModelDef def = box_def(0.3f, 0.2f, 0.1f);
    lbModel* model = make_model(&host, &def);
    lbBodyDef placed = lbDefaultBodyDef();
    placed.guided = true;
    placed.position = vec3(1, 0, 0);
    placed.rotation = quat_from_axis_angle(vec3(0, 1, 0), 0.3f);
    lbBody* body = make_body(model, &placed);
    lbPose next = {{1.2f, 0.1f, -0.1f}, quat_from_axis_angle(vec3(0, 1, 0), 2.3f)};
    lbQuat turned = next.rotation;
    next.rotation = (lbQuat){-turned.x, -turned.y, -turned.z, -turned.w}; /* the same rotation */
    CHECK_OK(body->ops->frame->moveTo(body, next));
    lbQuat quarter = quat_from_axis_angle(vec3(0, 1, 0), 0.8f);
    lbPose within = body->ops->frame->poseAt(body, 0.25f);
    CHECK_NEAR(fabsf(within.rotation.y * quarter.y + within.rotation.w * quarter.w), 1, 1e-6);
    CHECK_NEAR(distance3(within.position, vec3(1.05f, 0.025f, -0.025f)), 0, 1e-6);
    lbSurfacePoint at = {{3, 50, 70}, {0.2f, 0.3f, 0.5f}};
    const float* rest = lbShape_GetPoints(model->shape);
    lbVec3 local = vec3_from(lb_rest_place(rest, at.corner, at.weight));
    CHECK_NEAR(distance3(follow(body, at, 7), pose_point(next, local)), 0, 1e-6);
    body->ops->endFrame(body);
    body->ops->updateSkin(body, NULL);
    lbVec3 v, w;
    body->ops->frame->velocity(body, &v, &w);
    CHECK_NEAR(v.x, 0.2 / frame, 1e-4);
    CHECK_NEAR(w.y, 2 / frame, 1e-4);
    for (int i = 0; i < model->skinPointCount; ++i) {
        lbVec3 expected = pose_point(next, vec3_load(rest + 3 * (size_t)i));
        CHECK_NEAR(distance3(vec3_load(body->skinX + 3 * (size_t)i), expected), 0, 1e-6);
    }
    /* Told nothing, it stands. */
    CHECK_NEAR(distance3(follow(body, at, 3), pose_point(next, local)), 0, 1e-6);
    body->ops->endFrame(body);
    body->ops->frame->velocity(body, &v, &w);
    CHECK_NEAR(vec3_length(v) + vec3_length(w), 0, 0);
    CHECK_NEAR(distance3(body->ops->frame->pose(body).position, next.position), 0, 0);
    end(body, model);
}

TEST(TheSkinOfAGuidedBodyThatDeformsIsWhereItIsTold) {
    lbHost host = lbDefaultHost();
    lbGeneratorDef sheet = lbDefaultGeneratorDef(lb_shapeCloth);
    lbShape* shape;
    CHECK_OK(lbGenerateShape(&sheet, &shape));
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelRigid;
    def.shape = shape;
    CHECK_FAILS(lb_create_model(&host, &def, &(lbModel*){NULL}), lb_errorArgument, ""); /* open */
    def.deforms = true;
    lbModel* model = make_model(&host, &def);
    CHECK(model->collision == NULL);
    lbBody* body;
    lbBodyDef placed = lbDefaultBodyDef();
    CHECK_FAILS(lb_create_body(&host, NULL, model, &placed, &body), lb_errorArgument, "deforms");
    placed.guided = true;
    body = make_body(model, &placed);
    size_t count = 3 * (size_t)model->skinPointCount;
    float* told = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        told[i] = lbShape_GetPoints(shape)[i] + (i % 3 == 1 ? 0.1f * sinf((float)i) : 0);
    }
    CHECK_OK(body->ops->frame->moveSkinTo(body, told));
    lbPose next = {{0.1f, 0.2f, 0.3f}, quat_from_axis_angle(vec3(1, 1, 0), 0.5f)};
    CHECK_OK(body->ops->frame->moveTo(body, next));
    lbSurfacePoint at = {{3, 50, 70}, {0.2f, 0.3f, 0.5f}};
    lbVec3 local = vec3_from(lb_rest_place(told, at.corner, at.weight));
    CHECK_NEAR(distance3(follow(body, at, 5), pose_point(next, local)), 0, 1e-6);
    body->ops->endFrame(body);
    body->ops->updateSkin(body, NULL);
    for (int i = 0; i < model->skinPointCount; ++i) {
        lbVec3 expected = pose_point(next, vec3_load(told + 3 * (size_t)i));
        CHECK_NEAR(distance3(vec3_load(body->skinX + 3 * (size_t)i), expected), 0, 1e-6);
    }
    free(told);
    end(body, model);
    lbDestroyShape(shape);
}

TEST_MAIN(TEST_ENTRY(NeedlesAndPlatesKeepEnergyToo),
          TEST_ENTRY(ABodySpunAboutItsMiddleAxisKeepsEnergyAndMomentumAndFlipsInTime),
          TEST_ENTRY(ASymmetricTopFollowsTheExactSolutionToFourthOrder),
          TEST_ENTRY(SpinsAboutAPrincipalAxisAreExactAtAnyStep), TEST_ENTRY(ABodyFallsWithGravity),
          TEST_ENTRY(ImpulsesAndTheirMomentsAreKeptToRounding), TEST_ENTRY(VelocitiesAnswerToImpulsesByTheCompliance),
          TEST_ENTRY(TravelLeadsToWhereAPointWillBe), TEST_ENTRY(VelocitySpaceIsTheMassAndTheInertia),
          TEST_ENTRY(TheSkinFollowsAndItsVelocitiesAreItsChanges), TEST_ENTRY(AStateComesBackAndADamagedOneDoesNot),
          TEST_ENTRY(AnotherDensityChangesTheMassAndLeavesTheMotion),
          TEST_ENTRY(PrimitivesWeighWhatTheirSurfacesEnclose), TEST_ENTRY(WhatMakesNoSenseIsRefused),
          TEST_ENTRY(AGuidedBodyMovesEvenlyToWhereItIsTold), TEST_ENTRY(TheSkinOfAGuidedBodyThatDeformsIsWhereItIsTold))
