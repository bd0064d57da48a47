/* Reads what a scene says of its bodies. */
#include "base/math.h"
#include "scene/read.h"

static const lbJsonRange rangeTurning = {-1e6, 1e6, false, false, "rad/s"};

static void read_integrator(lbJsonObject* body, lbSceneBody* read) {
    lbJsonObject object = lb_json_object_or_kind(body, "integrator");
    if (object.node.value == NULL) {
        return;
    }
    const char* names[lb_integratorNameCount];
    for (int i = 0; i < lb_integratorNameCount; ++i) {
        names[i] = lbIntegratorKind_GetName((lbIntegratorKind)i);
    }
    lb_json_require(&object, "kind");
    int kind = lb_json_choice(&object, "kind", names, lb_integratorNameCount, (int)read->integrator);
    read->integrator = (lbIntegratorKind)kind;
    read->stepCount = lb_json_integer(&object, "steps", 0, 100000, read->stepCount);
    const lbJsonRange tolerance = {0, 1, true, true, ""};
    read->settings.tolerance = lb_json_float(&object, "tolerance", tolerance, read->settings.tolerance);
    read->settings.iterationLimit =
        lb_json_integer(&object, "iterationLimit", 1, 1000000, read->settings.iterationLimit);
    read->settings.linearisations =
        lb_json_integer(&object, "linearisations", 1, lb_mostLinearisations, read->settings.linearisations);
    const lbJsonRange longer = {1, lb_mostLonger, false, false, ""};
    read->settings.longer = lb_json_float(&object, "longer", longer, read->settings.longer);
    read->settings.compensate = lb_json_bool(&object, "compensate", read->settings.compensate);
    lb_json_close(&object);
}

static void read_point_damping(lbJsonObject* body, lbPointDamping* damping) {
    static const char* const forms[] = {"stokes", "newton"};
    lbJsonObject object = lb_json_object(body, "pointDamping");
    if (object.node.value == NULL) {
        return;
    }
    lb_json_require(&object, "coefficient");
    int form = lb_json_choice(&object, "form", forms, 2, lb_pointDampingStokes);
    const char* unit = form == lb_pointDampingStokes ? "kg/s" : "kg/m";
    damping->form = (lbPointDampingForm)form;
    damping->coefficient = lb_json_float(&object, "coefficient", (lbJsonRange){0, 1e9, false, false, unit}, 0);
    lb_json_close(&object);
}

/* ---- Rigid bodies ------------------------------------------------------------------------------------------------ */

/* A generator that makes a sphere, capsule or box, not stretched out of its form, collides as that. */
static lbCollisionKind natural_collision(const lbSceneShape* shape) {
    bool even = shape->scale.x == shape->scale.y && shape->scale.y == shape->scale.z;
    if (shape->file != NULL) {
        return lb_collisionMesh;
    }
    switch (shape->generator.kind) {
    case lb_shapeBox:
        return lb_collisionBox;
    case lb_shapeSphere:
        return even ? lb_collisionSphere : lb_collisionMesh;
    case lb_shapeCapsule:
        return even ? lb_collisionCapsule : lb_collisionMesh;
    default:
        return lb_collisionMesh;
    }
}

static lbCollisionKind read_collision(lbJsonObject* object, const lbSceneShape* shape) {
    static const char* const names[] = {"sphere", "capsule", "box", "mesh"};
    static const lbCollisionKind kinds[] = {lb_collisionSphere, lb_collisionCapsule, lb_collisionBox, lb_collisionMesh};
    if (!lb_json_has(object, "collision")) {
        return natural_collision(shape);
    }
    return kinds[lb_json_choice(object, "collision", names, 4, 3)];
}

/* What only soft bodies have. */
static void refuse_soft_keys(lbJsonObject* object) {
    static const char* const keys[] = {"mesh",       "law",         "penalty",      "nodeMass", "zones",
                                       "integrator", "equilibrium", "pointDamping", "windDrag", "detail"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (lb_json_has(object, keys[i])) {
            lb_json_fail(object, keys[i], "is for soft bodies, but this one is of \"kind\": \"rigid\"");
        }
    }
}

static void read_guided(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    lbScenePose pose = lb_read_guidance(def, object, false, &body->path);
    body->position = pose.position;
    body->rotation = pose.rotation;
    body->keys = lb_read_shape_keys(def, object);
    if (lb_json_has(object, "velocity") || lb_json_has(object, "angularVelocity")) {
        lb_json_fail(object, lb_json_has(object, "velocity") ? "velocity" : "angularVelocity",
                     "is given, but the body is guided: it moves as its \"path\" says");
    }
    if (body->keys.count > 0 && lb_json_has(object, "collision")) {
        lb_json_fail(object, "collision", "is given, but a body that changes its shape collides by its surface");
    }
}

static void read_placement(lbJsonObject* object, lbSceneBody* body) {
    body->position = lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0));
    body->rotation = lb_json_rotation(object, "rotation", quat_identity());
    body->velocity = lb_json_vec3(object, "velocity", lb_rangeSpeed, vec3(0, 0, 0));
    body->angularVelocity = lb_json_vec3(object, "angularVelocity", rangeTurning, vec3(0, 0, 0));
}

static void read_rigid_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    refuse_soft_keys(object);
    body->hasShape = true;
    lb_read_shape(def, object, &body->shape);
    lb_read_rigid_material(object, &body->material);
    body->collision = read_collision(object, &body->shape);
    body->guided = lb_json_bool(object, "guided", false);
    if (body->guided) {
        read_guided(def, object, body);
        return;
    }
    if (lb_json_has(object, "path") || lb_json_has(object, "keys")) {
        lb_json_fail(object, lb_json_has(object, "path") ? "path" : "keys",
                     "is given, but the body is not guided; expected \"guided\": true beside");
    }
    read_placement(object, body);
}

/* ---- Levels of detail -------------------------------------------------------------------------------------------- */

static void read_detail_regions(lbSceneDef* def, lbJsonObject* detail, lbDetailDef* read) {
    lbJsonArray array;
    lbDetailRegion* regions = lb_read_list(def, detail, "regions", sizeof(lbDetailRegion), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lb_json_require(&object, "region");
        lb_json_require(&object, "level");
        int region = lb_read_reference(&object, "region", LB_NAMES("regions", def->regions, def->regionCount));
        regions[i].region = region >= 0 ? def->regions[region].region : (lbRegion){0};
        regions[i].level = lb_json_integer(&object, "level", 0, 7, 0);
        lb_json_close(&object);
        read->regionCount = i + 1;
    }
    read->regions = regions;
}

static void read_detail(lbSceneDef* def, lbJsonObject* body, lbSceneBody* read) {
    static const char* const couplings[] = {"energy", "paper"};
    static const char* const spacings[] = {"mean", "closest"};
    const lbJsonRange threshold = {0, 1e6, true, false, "m"}, steps = {0, 1e15, false, false, "node-steps"};
    read->detail = lbDefaultBodyDef().detail;
    lbJsonObject object = lb_json_object(body, "detail");
    if (object.node.value == NULL) {
        return;
    }
    if (read->kind != lb_modelAdaptive) {
        lb_json_fail(body, "detail", "is for bodies with levels; expected \"mesh\": {\"kind\": \"levels\"} beside");
    }
    lbDetailDef* detail = &read->detail;
    detail->split = lb_json_float(&object, "split", threshold, detail->split);
    detail->merge = lb_json_float(&object, "merge", threshold, detail->merge);
    if (detail->split > 0 && detail->merge > 0 && !(detail->merge < detail->split)) {
        lb_json_fail(&object, "merge", "is %g m; expected less than \"split\", %g m", (double)detail->merge,
                     (double)detail->split);
    }
    detail->start = lb_json_integer(&object, "start", 0, 7, 0);
    detail->coupling = (lbCoupling)lb_json_choice(&object, "coupling", couplings, 2, lb_couplingEnergy);
    detail->closestSpacing = lb_json_choice(&object, "spacing", spacings, 2, 0) == 1;
    detail->uniformSteps = lb_json_bool(&object, "uniformSteps", false);
    detail->budget = (double)lb_json_float(&object, "budget", steps, 0);
    read_detail_regions(def, &object, detail);
    lb_json_close(&object);
}

/* ---- All bodies -------------------------------------------------------------------------------------------------- */

/* true, or how it is searched for. */
static void read_equilibrium(lbJsonObject* object, lbSceneBody* body) {
    body->search = lbDefaultEquilibriumDef();
    if (!lb_json_is_object(object, "equilibrium")) {
        body->equilibrium = lb_json_bool(object, "equilibrium", false);
        return;
    }
    lbJsonObject search = lb_json_object(object, "equilibrium");
    body->equilibrium = true;
    body->search.tolerance =
        lb_json_float(&search, "tolerance", (lbJsonRange){0, 1, true, true, ""}, body->search.tolerance);
    body->search.iterationLimit = lb_json_integer(&search, "iterations", 1, 1000000, body->search.iterationLimit);
    lb_json_close(&search);
}

static void read_soft_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    lbBodyDef standard = lbDefaultBodyDef();
    body->integrator = standard.integrator;
    body->settings = standard.settings;
    body->stepCount = standard.stepCount;
    lb_read_model(def, object, body);
    read_detail(def, object, body);
    bool fromFile = body->meshFile != NULL || body->levelFileCount > 0;
    body->hasShape = !fromFile || lb_json_has(object, "shape");
    if (body->hasShape) {
        lb_read_shape(def, object, &body->shape);
    }
    read_integrator(object, body);
    read_point_damping(object, &body->pointDamping);
    body->windDrag = lb_json_float(object, "windDrag", (lbJsonRange){0, 1e9, false, false, "kg/(m^2 s)"}, 0);
    static const char* const selfContacts[] = {"automatic", "off", "on"}; /* as in lbSelfContact */
    body->selfContact = (lbSelfContact)lb_json_choice(object, "selfContact", selfContacts, 3, lb_selfContactAutomatic);
    read_placement(object, body);
    read_equilibrium(object, body);
    if (body->equilibrium && (lb_json_has(object, "velocity") || lb_json_has(object, "angularVelocity"))) {
        lb_json_fail(object, "equilibrium", "begins at rest, but the body has a velocity; expected one of the two");
    }
    static const char* const keys[] = {"guided", "collision", "path", "keys"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (lb_json_has(object, keys[i])) {
            lb_json_fail(object, keys[i], "is for rigid bodies; expected \"kind\": \"rigid\" beside");
        }
    }
}

/* What only bodies that move by laws have. */
static void refuse_dynamic_keys(lbJsonObject* object, const char* kind, const char* why) {
    static const char* const keys[] = {"law",          "penalty",  "nodeMass",       "integrator", "equilibrium",
                                       "pointDamping", "windDrag", "guided",         "collision",  "path",
                                       "keys",         "velocity", "angularVelocity"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (lb_json_has(object, keys[i])) {
            lb_json_fail(object, keys[i], "is given, but this body is of \"kind\": \"%s\": %s", kind, why);
        }
    }
}

static void read_elastostatic_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    refuse_dynamic_keys(object, "elastostatic", "its controls move it");
    body->elastostatic = lb_scene_take(def, 1, sizeof(lbSceneElastostatic));
    if (body->elastostatic == NULL) {
        lb_json_out_of_memory(object->node.json);
        return;
    }
    lb_read_model(def, object, body);
    body->law.kind = lb_lawLinear;
    lb_read_elastostatic(def, object, body->elastostatic);
    bool given = body->elastostatic->hasTube || body->elastostatic->file != NULL;
    body->hasShape = !given && body->mesh.kind != lb_meshGiven;
    if (body->hasShape) {
        lb_read_shape(def, object, &body->shape);
    } else if (given && (lb_json_has(object, "shape") || lb_json_has(object, "mesh"))) {
        lb_json_fail(object, lb_json_has(object, "shape") ? "shape" : "mesh",
                     "is given, but the body is a tube or comes from a file of its own");
    }
    body->position = lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0));
    body->rotation = lb_json_rotation(object, "rotation", quat_identity());
}

static void read_compliant_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    refuse_dynamic_keys(object, "compliant", "a part of it is held, and what touches it moves the rest");
    body->compliant = lb_scene_take(def, 1, sizeof(lbSceneCompliant));
    if (body->compliant == NULL) {
        lb_json_out_of_memory(object->node.json);
        return;
    }
    lb_read_model(def, object, body);
    body->law.kind = lb_lawLinear;
    lb_read_compliant(def, object, body->compliant);
    bool opened = body->compliant->file != NULL, meshed = body->compliant->finiteElements;
    static const char* const keys[] = {"shape", "mesh", "zones", "material"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (opened && lb_json_has(object, keys[i])) {
            lb_json_fail(object, keys[i], "is given, but the body comes from a file of its own");
        } else if (!opened && !meshed && (i == 1 || i == 2) && lb_json_has(object, keys[i])) {
            lb_json_fail(object, keys[i],
                         "is given, but boundary elements know one matter and the surface alone; expected \"method\": "
                         "\"finite-elements\" in \"compliant\"");
        }
    }
    body->hasShape = !opened && !(meshed && body->mesh.kind == lb_meshGiven);
    if (body->hasShape) {
        lb_read_shape(def, object, &body->shape);
    }
    body->position = lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0));
    body->rotation = lb_json_rotation(object, "rotation", quat_identity());
}

static void read_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    const char* names[lb_modelKindCount];
    lbModelKind kinds[lb_modelKindCount];
    int kindCount = 0;
    for (int i = 0; i < lb_modelKindCount; ++i) {
        if (i != lb_modelAdaptive) { /* by its mesh */
            names[kindCount] = lbModelKind_GetName((lbModelKind)i);
            kinds[kindCount++] = (lbModelKind)i;
        }
    }
    body->kind = kinds[lb_json_choice(object, "kind", names, kindCount, 0)];
    lbBodyDef standard = lbDefaultBodyDef();
    body->friction = standard.friction;
    body->restitution = standard.restitution;
    body->thickness = standard.thickness;
    lb_read_touch(object, &body->friction, &body->restitution, &body->thickness);
    (body->kind == lb_modelRigid          ? read_rigid_body
     : body->kind == lb_modelElastostatic ? read_elastostatic_body
     : body->kind == lb_modelCompliant    ? read_compliant_body
                                          : read_soft_body)(def, object, body);
    lb_json_close(object);
}

void lb_refuse_rigid(const lbSceneDef* def, const lbJsonObject* object, int body, const char* what) {
    if (body >= 0 && def->bodies[body].kind != lb_modelDynamic && def->bodies[body].kind != lb_modelAdaptive) {
        lb_json_fail(object, "body", "is \"%s\", which is %s; expected a soft body for %s", def->bodies[body].name,
                     lbModelKind_GetName(def->bodies[body].kind), what);
    }
}

void lb_read_bodies(lbSceneDef* def, lbJsonObject* root) {
    lb_json_require(root, "bodies");
    lbJsonArray array;
    def->bodies = lb_read_list(def, root, "bodies", sizeof(lbSceneBody), &array);
    if (array.count == 0) {
        lb_json_fail(root, "bodies", "is empty; expected at least one body");
    }
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        def->bodies[i].name = lb_read_name(def, &object, LB_NAMES("bodies", def->bodies, i));
        read_body(def, &object, &def->bodies[i]);
        def->bodyCount = i + 1;
    }
}
