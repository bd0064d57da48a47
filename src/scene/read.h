/* The parts of the scene reader. Each reads one of the scene's lists into the definition; errors stay in the JSON
 * text (json.h). The lists they refer to are read before. */
#ifndef LIMBER_SRC_SCENE_READ_H
#define LIMBER_SRC_SCENE_READ_H

#include "scene/json.h"
#include "scene/scene_def.h"

enum { lb_sceneItemLimit = 4096, lb_sceneWaypointLimit = 100000 };

static const lbJsonRange lb_rangePlace = {-1e6, 1e6, false, false, "m"};
static const lbJsonRange lb_rangeLength = {0, 1e6, true, false, "m"};
static const lbJsonRange lb_rangeLengthOrZero = {0, 1e6, false, false, "m"};
static const lbJsonRange lb_rangeTime = {0, 1e7, false, false, "s"};
static const lbJsonRange lb_rangeForce = {-1e12, 1e12, false, false, "N"};
static const lbJsonRange lb_rangeMoment = {-1e12, 1e12, false, false, "N m"};
static const lbJsonRange lb_rangePressure = {-1e12, 1e12, false, false, "Pa"};
static const lbJsonRange lb_rangeSpeed = {-1e6, 1e6, false, false, "m/s"};
static const lbJsonRange lb_rangeDirection = {-1000, 1000, false, false, ""};
static const lbJsonRange lb_rangeAcceleration = {-1e6, 1e6, false, false, "m/s^2"};

/* A list of things whose structs begin with their name. */
typedef struct lbNames {
    const char* what; /* "bodies" */
    const void* items;
    int count;
    size_t stride;
} lbNames;

#define LB_NAMES(what, items, count) ((lbNames){(what), (items), (count), sizeof(*(items))})

/* The index of a name, or lb_noIndex. */
int lb_find_name(lbNames names, const char* name);
/* A required name of letters, digits, spaces, - and _, that none of `others` has. */
const char* lb_read_name(lbSceneDef* def, lbJsonObject* object, lbNames others);
/* Checks the form of a name that was read elsewhere. */
bool lb_is_good_name(const char* name);
/* The index of what the key names, in a list that must hold it. */
int lb_read_reference(lbJsonObject* object, const char* key, lbNames names);
/* Records that a name is in none of some lists. */
void lb_fail_reference(const lbJsonObject* object, const char* key, const char* name, const lbNames* lists, int count);
/* An array of objects: sets its cursor and gives zeroed room for `size` bytes each. */
void* lb_read_list(lbSceneDef* def, lbJsonObject* root, const char* key, size_t size, lbJsonArray* array);
/* What the waypoints of a path hold beside their times. */
typedef enum lbPathForm {
    lb_pathPlaces,  /* "position" */
    lb_pathPoses,   /* "position" and perhaps "rotation" */
    lb_pathOffsets, /* "offset" */
} lbPathForm;

/* "path" and "smooth" of an object. */
lbPath lb_read_path(lbSceneDef* def, lbJsonObject* object, lbPathForm form);
/* "shape" of an object, which must have one. */
void lb_read_shape(lbSceneDef* def, lbJsonObject* object, lbSceneShape* shape);
/* "keys" of an object that has a shape: the shapes it takes, one after the other. */
lbShapeKeys lb_read_shape_keys(lbSceneDef* def, lbJsonObject* object);
/* "position", "rotation" and "path" of something guided; a path that begins at time 0 says where it is. */
lbScenePose lb_read_guidance(lbSceneDef* def, lbJsonObject* object, bool mustBePlaced, lbPath* path);
/* "friction", "restitution" and "thickness"; what is not there stays. */
void lb_read_touch(lbJsonObject* object, float* friction, float* restitution, float* thickness);
/* Records that "body" must be a soft one. */
void lb_refuse_rigid(const lbSceneDef* def, const lbJsonObject* object, int body, const char* what);
/* A vector that must not be zero; the fallback if it is not there. */
lbVec3 lb_read_direction(lbJsonObject* object, const char* key, lbVec3 fallback);
/* "frequency", 1/s, of something that is set once a frame. */
double lb_read_frequency(const lbSceneDef* def, lbJsonObject* object);
/* What a body is made of: mesh, material, law, penalty, nodeMass and zones. */
void lb_read_model(lbSceneDef* def, lbJsonObject* body, lbSceneBody* read);
/* What a rigid body is made of: its density. */
void lb_read_rigid_material(lbJsonObject* body, lbMaterial* material);

/* "force", "moment", "traction" and "pressure" of a load on a region, or of a change of it. */
void lb_read_load_values(const lbSceneDef* def, lbJsonObject* object, lbSceneLoad* load);

/* "elastostatic" of a precomputed body. */
void lb_read_elastostatic(lbSceneDef* def, lbJsonObject* body, lbSceneElastostatic* read);
/* "compliant" of a body that gives way wherever it is touched. */
void lb_read_compliant(lbSceneDef* def, lbJsonObject* body, lbSceneCompliant* read);

void lb_read_regions(lbSceneDef* def, lbJsonObject* root);
void lb_read_bodies(lbSceneDef* def, lbJsonObject* root);
void lb_read_pins(lbSceneDef* def, lbJsonObject* root);
void lb_read_muscles(lbSceneDef* def, lbJsonObject* root);
void lb_read_loads(lbSceneDef* def, lbJsonObject* root);
void lb_read_tools(lbSceneDef* def, lbJsonObject* root);
void lb_read_grabs(lbSceneDef* def, lbJsonObject* root);
void lb_read_attachments(lbSceneDef* def, lbJsonObject* root);
void lb_read_events(lbSceneDef* def, lbJsonObject* root);
void lb_read_probes(lbSceneDef* def, lbJsonObject* root);

#endif
