/* Tools: guided bodies, made and moved without models. */
#include "world/world.h"

#include "base/result.h"
#include "limber/contact.h"
#include "limber/describe.h"

#include <string.h>

enum { toolCookie = 0x746f6f6c };

static const struct {
    lbKindInfo info;
    lbCollisionKind collision;
} kinds[lb_toolKindCount] = {
    [lb_toolSphere] = {{"sphere", "Ball", "A solid ball"}, lb_collisionSphere},
    [lb_toolHalfSpace] = {{"half-space", "Plane", "All below a plane is solid: the ground, a wall"},
                          lb_collisionHalfSpace},
    [lb_toolCapsule] = {{"capsule", "Capsule", "A rod with round ends, along its y axis"}, lb_collisionCapsule},
    [lb_toolBox] = {{"box", "Box", "A solid box"}, lb_collisionBox},
    [lb_toolMesh] = {{"mesh", "Mesh", "Any closed surface"}, lb_collisionMesh},
};

lbKindInfo lbToolKind_GetInfo(lbToolKind kind) {
    return (unsigned)kind < lb_toolKindCount ? kinds[kind].info : (lbKindInfo){0};
}

const char* lbToolKind_GetName(lbToolKind kind) {
    return lbToolKind_GetInfo(kind).name;
}

bool lbToolKind_FromName(const char* name, lbToolKind* kind) {
    for (int i = 0; i < lb_toolKindCount; ++i) {
        if (strcmp(kinds[i].info.name, name) == 0) {
            *kind = (lbToolKind)i;
            return true;
        }
    }
    return false;
}

lbToolDef lbDefaultToolDef(lbToolKind kind) {
    return (lbToolDef){.kind = kind,
                       .name = "tool",
                       .rotation = {0, 0, 0, 1},
                       .radius = 0.1f,
                       .length = 0.2f,
                       .size = {0.2f, 0.2f, 0.2f},
                       .friction = 0.5f,
                       .cookie = toolCookie};
}

static lbResult check_def(const lbToolDef* def) {
    if (def == NULL || def->cookie != toolCookie) {
        return lb_error(lb_errorArgument, "the tool's definition was not made by lbDefaultToolDef()");
    }
    if ((unsigned)def->kind >= lb_toolKindCount) {
        return lb_error(lb_errorArgument, "tool kind %d does not exist", (int)def->kind);
    }
    if (!(def->radius > 0) || !isfinite(def->radius)) {
        return lb_error(lb_errorArgument, "the tool's radius is %g; expected more than 0 m", def->radius);
    }
    if (!vec3_finite(def->position)) {
        return lb_error(lb_errorArgument, "the tool's position must be finite");
    }
    if (def->kind == lb_toolMesh && def->shape == NULL) {
        return lb_error(lb_errorArgument, "a tool of kind \"mesh\" needs a shape");
    }
    return lb_success();
}

static lbResult make_model(lbWorld* world, const lbToolDef* def, lbModel** model) {
    lbModelDef made = lbDefaultModelDef();
    made.kind = lb_modelRigid;
    made.shape = def->kind == lb_toolMesh ? def->shape : NULL;
    made.deforms = def->kind == lb_toolMesh && def->deforms;
    made.collision = (lbCollisionDef){
        .kind = kinds[def->kind].collision, .radius = def->radius, .length = def->length, .size = def->size};
    return lb_create_model(world->host, &made, model);
}

lbResult lbCreateTool(lbWorld* world, const lbToolDef* def, lbToolId* id) {
    *id = (lbToolId){0};
    LB_TRY(check_def(def));
    lbModel* model = NULL;
    LB_TRY(make_model(world, def, &model));
    lbBodyDef made = lbDefaultBodyDef();
    made.name = def->name != NULL ? def->name : "tool";
    made.position = def->position;
    made.rotation = quat_normalize(def->rotation);
    made.guided = true;
    made.friction = def->friction;
    made.restitution = def->restitution;
    lbBody* body = NULL;
    lbResult result = lb_create_body(world->host, world->tasks, model, &made, &body);
    if (result.code != lb_ok) {
        lb_destroy_model(model);
        return result;
    }
    LB_TRY(lb_add_body(world, body, (lbModelId){0}, id)); /* the model is the body's own */
    lbWorldBody* owner = LB_FIND(&world->bodies, *id);
    owner->toolDef = *def;
    owner->toolDef.name = body->name;
    owner->toolDef.shape = def->kind == lb_toolMesh ? model->shape : NULL;
    return lb_success();
}

/* A tool, that is, a body made by lbCreateTool; NULL if there is none such. */
static lbWorldBody* find_tool(const lbWorld* world, lbToolId id) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    return owner != NULL && owner->toolDef.cookie == toolCookie ? owner : NULL;
}

lbResult lbDestroyTool(lbWorld* world, lbToolId id) {
    return find_tool(world, id) != NULL ? lbDestroyBody(world, id) : lb_no_such("tool");
}

lbResult lbTool_MoveTo(lbWorld* world, lbToolId id, lbVec3 position, lbQuat rotation) {
    if (find_tool(world, id) == NULL) {
        return lb_no_such("tool");
    }
    if (!vec3_finite(position) || !isfinite(rotation.x + rotation.y + rotation.z + rotation.w)) {
        return lb_error(lb_errorArgument, "a tool can only be moved to a finite position and rotation");
    }
    return lbBody_MoveTo(world, id, position, quat_normalize(rotation));
}

lbResult lbTool_GetPosition(const lbWorld* world, lbToolId id, lbVec3* position) {
    lbQuat ignored;
    return find_tool(world, id) != NULL ? lbBody_GetPose(world, id, position, &ignored) : lb_no_such("tool");
}

lbResult lbTool_GetRotation(const lbWorld* world, lbToolId id, lbQuat* rotation) {
    lbVec3 ignored;
    return find_tool(world, id) != NULL ? lbBody_GetPose(world, id, &ignored, rotation) : lb_no_such("tool");
}

lbResult lbTool_GetDef(const lbWorld* world, lbToolId id, lbToolDef* def) {
    const lbWorldBody* owner = find_tool(world, id);
    if (owner == NULL) {
        return lb_no_such("tool");
    }
    *def = owner->toolDef;
    def->friction = owner->body->friction;
    def->restitution = owner->body->restitution;
    return lbBody_GetPose(world, id, &def->position, &def->rotation);
}

lbResult lbTool_GetForce(const lbWorld* world, lbToolId id, lbVec3* force) {
    return find_tool(world, id) != NULL ? lbBody_GetContactForce(world, id, force, NULL) : lb_no_such("tool");
}
