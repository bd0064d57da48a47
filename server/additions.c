#include "server/additions.h"

#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/carry.h"
#include "server/defaults.h"
#include "server/describe.h"

#include <stdio.h>
#include <string.h>

static const lbObject objects[] = {
    {"ground", "Ground", "A floor under everything", true, NULL, {0, 0, 0}},
    {"wall",
     "Wall",
     "A wall that stands where it is put",
     true,
     "\"kind\":\"rigid\",\"guided\":true,\"shape\":{\"kind\":\"box\",\"size\":[1,0.5,0.06],\"edge\":0.06,\"color\":"
     "\"#9aa5b1\",\"roughness\":0.6}",
     {0.5f, 0.25f, 0.03f}},
    {"ramp",
     "Ramp",
     "A slope of 20 degrees",
     true,
     "\"kind\":\"rigid\",\"guided\":true,\"shape\":{\"kind\":\"box\",\"size\":[1,0.04,0.5],\"edge\":0.05,\"color\":"
     "\"#a9977c\",\"roughness\":0.6},\"rotation\":{\"axis\":[0,0,1],\"degrees\":20}",
     {0.48f, 0.19f, 0.25f}},
    {"bowl",
     "Bowl",
     "A round rim that keeps things together, on the ground",
     true,
     "\"kind\":\"rigid\",\"guided\":true,\"shape\":{\"kind\":\"tube\",\"radius\":0.55,\"innerRadius\":0.5,\"length\":"
     "0.2,\"edge\":0.05,\"color\":\"#7f92a8\",\"roughness\":0.5}",
     {0.55f, 0.1f, 0.55f}},
    {"block",
     "Block",
     "A rigid block of wood",
     false,
     "\"kind\":\"rigid\",\"shape\":{\"kind\":\"box\",\"size\":0.2,\"edge\":0.04,\"color\":\"#b98a52\",\"roughness\":"
     "0.6},\"material\":{\"density\":700}",
     {0.1f, 0.1f, 0.1f}},
    {"plank",
     "Plank",
     "A rigid plank of wood",
     false,
     "\"kind\":\"rigid\",\"shape\":{\"kind\":\"box\",\"size\":[0.8,0.03,0.2],\"edge\":0.04,\"color\":\"#b98a52\","
     "\"roughness\":0.6},\"material\":{\"density\":700}",
     {0.4f, 0.015f, 0.1f}},
    {"ball",
     "Ball",
     "A rigid ball",
     false,
     "\"kind\":\"rigid\",\"shape\":{\"kind\":\"sphere\",\"radius\":0.1,\"edge\":0.03,\"color\":\"#cf4d4d\","
     "\"roughness\":0.3},\"material\":{\"density\":700},\"restitution\":0.3",
     {0.1f, 0.1f, 0.1f}},
    {"pill",
     "Pill",
     "A rigid capsule",
     false,
     "\"kind\":\"rigid\",\"shape\":{\"kind\":\"capsule\",\"radius\":0.06,\"length\":0.16,\"edge\":0.03,\"color\":"
     "\"#4d7fcf\",\"roughness\":0.3},\"material\":{\"density\":700}",
     {0.06f, 0.14f, 0.06f}},
};

int lb_object_count(void) {
    return (int)(sizeof(objects) / sizeof(objects[0]));
}

const lbObject* lb_object_at(int index) {
    return index >= 0 && index < lb_object_count() ? &objects[index] : NULL;
}

/* Colours that stand well beside one another; of bodies that have none of their own. */
static const char* const colors[] = {"#e4572e", "#2e86ab", "#76b041", "#f3a712",
                                     "#a23b72", "#3bb3a0", "#6a5acd", "#d1495b"};
enum { colorCount = sizeof(colors) / sizeof(colors[0]) };

/* ---- Documents --------------------------------------------------------------------------------------------------- */

static lbResult parse(lbText* text, const char* name, lbValue** document) {
    lbResult result =
        text->failed ? lb_out_of_memory("a scene") : lb_parse_document(text->data, text->size, name, document);
    lb_text_free(text);
    return result;
}

static lbResult make_object(lbStage* stage, const char* name, lbValue** document, lbBox* box) {
    for (int i = 0; i < lb_object_count(); ++i) {
        const lbObject* object = &objects[i];
        if (strcmp(object->name, name) != 0) {
            continue;
        }
        lbText text = {.host = stage->host};
        lb_text_print(&text, "{\"limber\":1,\"ground\":{},\"bodies\":[");
        if (object->body != NULL) {
            lb_text_print(&text, "{\"name\":\"%s\",\"position\":[0,", name);
            lb_text_number(&text, (double)object->half.y, 6);
            lb_text_print(&text, ",0],%s}", object->body);
        }
        lb_text_print(&text, "]}");
        *box = (lbBox){vec3(-object->half.x, 0, -object->half.z),
                       vec3(object->half.x, 2 * object->half.y, object->half.z)};
        return parse(&text, name, document);
    }
    return lb_error(lb_errorArgument, "object: \"%.64s\" is none of the objects", name);
}

static lbResult make_of_shape(lbStage* stage, const char* name, lbValue** document, lbBox* box) {
    lbShapeKind kind;
    if (!lbShapeKind_FromName(name, &kind)) {
        return lb_error(lb_errorArgument, "shape: \"%.64s\" is none that limber makes", name);
    }
    lbText text = {.host = stage->host};
    lbResult result = lb_scene_for_shape(kind, stage->voxels, &text, box);
    if (result.code != lb_ok) {
        lb_text_free(&text);
        return result;
    }
    LB_TRY(parse(&text, name, document));
    return lb_set_text(*document, "bodies[0].shape.color",
                       colors[(size_t)lb_document_body_count(stage->document) % colorCount]);
}

static lbResult make_of_file(lbStage* stage, const char* file, lbValue** document, lbBox* box) {
    char path[PATH_MAX];
    lbText text = {.host = stage->host};
    if (lb_has_ending(file, "json")) {
        return lb_error(lb_errorArgument, "file: \"%.128s\" is a scene; expected a surface or tetrahedra", file);
    }
    if (!lb_join_path(path, stage->uploadFolder, file)) {
        return lb_error(lb_errorFile, "%s: its path is too long", file);
    }
    lbResult result = lb_scene_for_file(path, file, stage->voxels, &text, box);
    if (result.code != lb_ok) {
        lb_text_free(&text);
        lb_stage_hide_folder(stage, result.message);
        return result;
    }
    return parse(&text, file, document);
}

lbResult lb_make_addition(lbStage* stage, const lbMessage* message, lbValue** document, lbBox* box) {
    *document = NULL;
    lbResult result = message->kind == lb_messageAddObject  ? make_object(stage, message->text, document, box)
                      : message->kind == lb_messageAddShape ? make_of_shape(stage, message->text, document, box)
                                                            : make_of_file(stage, message->text, document, box);
    if (result.code == lb_ok && message->other[0] != 0) {
        const lbMatterPreset* matter = lb_find_matter(message->other);
        const char* path;
        result = matter != NULL ? lb_set_matter(stage, *document, 0, matter, &path)
                                : lb_error(lb_errorArgument, "matter: \"%.64s\" is none of them", message->other);
        if (result.code == lb_ok && message->kind == lb_messageAddShape) {
            result = lb_set_text(*document, "bodies[0].shape.color", matter->color);
        }
    }
    if (result.code != lb_ok) {
        lb_free_value(*document);
        *document = NULL;
    }
    return result;
}

/* ---- Where ------------------------------------------------------------------------------------------------------- */

bool lb_body_box(const lbStage* stage, int body, bool start, lbBox* box) {
    lbWorld* world = lbScene_GetWorld(stage->scene);
    lbBodyId id = lbScene_GetBody(stage->scene, body);
    int count = lbBody_GetSkinPointCount(world, id);
    float* points = count > 0 ? LB_NEW(stage->host, float, 3 * (int64_t)count) : NULL;
    bool known =
        points != NULL &&
        (start ? lbBody_GetSkinStart(world, id, points) : lbBody_GetSkin(world, id, points, NULL, NULL)).code == lb_ok;
    *box = (lbBox){vec3(HUGE_VALF, HUGE_VALF, HUGE_VALF), vec3(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF)};
    for (int i = 0; known && i < count; ++i) {
        lbVec3 p = vec3_load(points + 3 * (size_t)i);
        box->lower = vec3_min(box->lower, p);
        box->upper = vec3_max(box->upper, p);
    }
    lb_release(stage->host, points);
    return known && isfinite(box->lower.x) && isfinite(box->upper.y);
}

/* m: the top of what is below a footprint. */
static float top_below(const lbStage* stage, lbBox footprint, float floor) {
    float top = floor;
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBox other;
        if (lb_body_box(stage, i, false, &other) && other.lower.x < footprint.upper.x &&
            other.upper.x > footprint.lower.x && other.lower.z < footprint.upper.z &&
            other.upper.z > footprint.lower.z) {
            top = fmaxf(top, other.upper.y);
        }
    }
    return top;
}

static lbVec3 middle_of_all(const lbStage* stage) {
    lbVec3 sum = vec3(0, 0, 0);
    int count = 0;
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBox box;
        if (lb_body_box(stage, i, false, &box)) {
            sum = vec3_add(sum, vec3_scale(0.5f, vec3_add(box.lower, box.upper)));
            ++count;
        }
    }
    return count > 0 ? vec3_scale(1.0f / (float)count, sum) : sum;
}

/* What stands where it is put does so on the ground, out of the way of what is there: a wall behind, a ramp beside; a
 * bowl goes around. */
static lbVec3 place_for_fixed(const lbStage* stage, lbBox box, const char* name) {
    lbBox all = {vec3(HUGE_VALF, HUGE_VALF, HUGE_VALF), vec3(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF)};
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBox other;
        if (lb_body_box(stage, i, false, &other)) {
            all = (lbBox){vec3_min(all.lower, other.lower), vec3_max(all.upper, other.upper)};
        }
    }
    if (!(all.lower.x <= all.upper.x)) {
        return vec3(0, 0, 0);
    }
    lbVec3 middle = box_center(all);
    if (strcmp(name, "wall") == 0) {
        middle.z = all.lower.z - box.upper.z - 0.1f;
    } else if (strcmp(name, "bowl") != 0) {
        middle.x = all.upper.x + box.upper.x + 0.1f;
    }
    return middle;
}

lbResult lb_stand_up(const lbStage* stage, lbValue* document, int body, lbBox box, const char* name, const lbVec3* at) {
    lbVec3 to = at != NULL ? *at : place_for_fixed(stage, box, name);
    float ground = (float)lb_value_number(lb_find_in_document(document, "ground.height"), 0);
    return lb_move_body(document, body, vec3(to.x, ground - box.lower.y + 0.5f * (box.upper.y - box.lower.y), to.z));
}

lbResult lb_put_down(const lbStage* stage, lbValue* document, int body, lbBox box, const lbVec3* at) {
    char path[64];
    lbVec3 size = vec3_sub(box.upper, box.lower), middle = vec3_scale(0.5f, vec3_add(box.lower, box.upper));
    lbVec3 to = at != NULL ? *at : middle_of_all(stage);
    float ground = (float)lb_value_number(lb_find_in_document(document, "ground.height"), 0);
    lbBox footprint = {vec3(to.x - 0.45f * size.x, 0, to.z - 0.45f * size.z),
                       vec3(to.x + 0.45f * size.x, 0, to.z + 0.45f * size.z)};
    float longest = fmaxf(size.x, fmaxf(size.y, size.z));
    float bottom = top_below(stage, footprint, ground) + 0.02f * longest;
    lbVec3 way = vec3(to.x - middle.x, bottom - box.lower.y, to.z - middle.z);
    snprintf(path, sizeof(path), "bodies[%d].position", body);
    lbVec3 position = lb_value_vector(lb_find_in_document(document, path), vec3(0, 0, 0));
    return lb_move_body(document, body, vec3_add(position, way));
}

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

static lbResult set_part(lbValue* document, int body, const char* key, double value) {
    char path[64];
    snprintf(path, sizeof(path), "bodies[%d].material.%s", body, key);
    return lb_set_number(document, path, value);
}

static lbResult make_soft(lbStage* stage, lbValue* document, int body) {
    char path[64];
    lbMessage like = {.kind = lb_messageAddShape};
    snprintf(path, sizeof(path), "bodies[%d].shape.kind", body);
    const char* name = lb_value_string(lb_find_in_document(document, path));
    if (name == NULL) {
        snprintf(path, sizeof(path), "bodies[%d].shape.file", body);
        name = lb_value_string(lb_find_in_document(document, path));
        like.kind = lb_messageAddFile;
    }
    if (name == NULL || strlen(name) >= sizeof(like.text)) {
        return lb_error(lb_errorArgument, "bodies[%d]: has no shape that could be soft", body);
    }
    snprintf(like.text, sizeof(like.text), "%s", name);
    lbValue* soft = NULL;
    lbBox box;
    LB_TRY(lb_make_addition(stage, &like, &soft, &box));
    lb_take_softness(document, body, soft);
    lb_free_value(soft);
    return lb_success();
}

lbResult lb_set_matter(lbStage* stage, lbValue* document, int body, const lbMatterPreset* matter, const char** path) {
    lbBodyKinds kinds = lb_document_kinds(document, body);
    *path = NULL;
    if (kinds.body == lb_bodyGuided) {
        return lb_error(lb_errorArgument, "bodies[%d]: stands where it is put and is of no matter", body);
    }
    bool sheet = kinds.body == lb_bodyDynamic && (kinds.mesh == lb_meshCloth || kinds.mesh == lb_meshLayered);
    if (sheet != matter->sheet && !matter->rigid) {
        return lb_error(lb_errorArgument, "%s is %s; \"%s\" is %s", matter->label, matter->sheet ? "cloth" : "a solid",
                        lb_document_body_name(document, body), sheet ? "cloth" : "a solid");
    }
    if (matter->rigid) {
        lb_make_rigid(document, body);
        return set_part(document, body, "density", matter->density);
    }
    bool wasRigid = kinds.body == lb_bodyRigid;
    if (wasRigid) {
        LB_TRY(make_soft(stage, document, body));
    }
    LB_TRY(set_part(document, body, "density", matter->density));
    LB_TRY(set_part(document, body, "youngsModulus", matter->youngsModulus));
    LB_TRY(set_part(document, body, "poissonsRatio", matter->poissonsRatio));
    LB_TRY(set_part(document, body, "stiffnessDamping", matter->stiffnessDamping));
    LB_TRY(set_part(document, body, "massDamping", matter->massDamping));
    char place[64];
    bool implicit = lbIntegratorKind_IsImplicit(lb_document_kinds(document, body).integrator);
    if (lb_matter_wants_implicit(matter) && !implicit) {
        snprintf(place, sizeof(place), "bodies[%d].integrator", body);
        LB_TRY(lb_set_text(document, place, lbIntegratorKind_GetName(lb_integratorImplicitEuler)));
    } else if (!wasRigid) {
        *path = "material.density"; /* all of the material is taken over with it */
    }
    return lb_success();
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static lbResult copy_file(lbStage* stage, const char* name) {
    char from[PATH_MAX], to[PATH_MAX];
    lbBytes bytes;
    lbFile file;
    if (!lb_join_path(from, stage->folder, name) || !lb_join_path(to, stage->uploadFolder, name)) {
        return lb_error(lb_errorFile, "%s: its path is too long", name);
    }
    LB_TRY(lb_read_file(stage->host, from, &bytes));
    lbResult result = lb_open_file(stage->host, to, &file);
    if (result.code == lb_ok) {
        lb_write(&file, bytes.data, bytes.size);
        result = lb_commit_file(&file);
    }
    lb_free_bytes(stage->host, &bytes);
    return result;
}

lbResult lb_gather_files(lbStage* stage) {
    if (strcmp(stage->folder, stage->uploadFolder) == 0) {
        return lb_success();
    }
    lbFileNames* names = LB_NEW(stage->host, lbFileNames, 1);
    if (names == NULL) {
        return lb_out_of_memory("a scene");
    }
    lb_list_files(stage->host, stage->document, stage->folder, names);
    lbResult result = lb_success();
    for (int i = 0; i < names->count && result.code == lb_ok; ++i) {
        result = copy_file(stage, names->names[i]);
    }
    lb_release(stage->host, names);
    return result;
}
