#include "server/describe.h"

#include "base/math.h"
#include "server/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* kind_at(const lbValue* document, int body, const char* part) {
    char path[64];
    snprintf(path, sizeof(path), "bodies[%d].%s.kind", body, part);
    const char* name = lb_value_string(lb_find_in_document(document, path));
    return name != NULL ? name : "";
}

static lbBodyKind body_kind(const lbValue* document, int body) {
    char path[64];
    snprintf(path, sizeof(path), "bodies[%d].kind", body);
    const char* name = lb_value_string(lb_find_in_document(document, path));
    if (name != NULL && strcmp(name, lbModelKind_GetName(lb_modelElastostatic)) == 0) {
        return lb_bodyElastostatic;
    }
    if (name != NULL && strcmp(name, lbModelKind_GetName(lb_modelCompliant)) == 0) {
        return lb_bodyCompliant;
    }
    if (name == NULL || strcmp(name, lbModelKind_GetName(lb_modelRigid)) != 0) {
        return lb_bodyDynamic;
    }
    snprintf(path, sizeof(path), "bodies[%d].guided", body);
    return lb_value_is_true(lb_find_in_document(document, path)) ? lb_bodyGuided : lb_bodyRigid;
}

lbBodyKinds lb_document_kinds(const lbValue* document, int body) {
    lbBodyKinds kinds = {.body = body_kind(document, body),
                         .shape = lb_shapeKindCount,
                         .mesh = lbDefaultModelDef().mesh.kind,
                         .law = lbDefaultModelDef().law.kind,
                         .integrator = lb_integratorAutomatic};
    lbShapeKind shape;
    if (lbShapeKind_FromName(kind_at(document, body, "shape"), &shape)) {
        kinds.shape = (int)shape;
    }
    lbMeshKind_FromName(kind_at(document, body, "mesh"), &kinds.mesh);
    kinds.law = kinds.mesh == lb_meshVoxels ? lb_lawCorotational : kinds.law; /* as the scene's reader has it */
    lbLawKind_FromName(kind_at(document, body, "law"), &kinds.law);
    lbIntegratorKind_FromName(kind_at(document, body, "integrator"), &kinds.integrator);
    return kinds;
}

const lbPropertyInfo* lb_find_property(const lbValue* document, const char* path, int* body) {
    int length = 0;
    *body = -1;
    if (sscanf(path, "bodies[%9d].%n", body, &length) == 1 && length > 0) {
        path += length;
    } else {
        *body = -1;
    }
    if (*body >= lb_document_body_count(document)) {
        return NULL;
    }
    lbBodyKinds kinds = lb_document_kinds(document, int_max(*body, 0));
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        if (property->ofBody == (*body >= 0) && strcmp(property->path, path) == 0 &&
            lbProperty_AppliesTo(property, &kinds)) {
            return property;
        }
    }
    return NULL;
}

static void write_default(lbText* text, const lbPropertyInfo* property, const lbBodyKinds* kinds) {
    double value[3] = {(double)NAN, (double)NAN, (double)NAN};
    lbProperty_GetDefault(property, kinds, value);
    if (!isfinite(value[0])) {
        lb_text_print(text, "null");
    } else if (property->type == lb_propertyVector) {
        lb_text_print(text, "[");
        for (int i = 0; i < 3; ++i) {
            lb_put_comma(text);
            lb_put_number(text, value[i]);
        }
        lb_text_print(text, "]");
    } else if (property->type == lb_propertyChoice) {
        const char* name = lbProperty_GetChoice(property, (int)value[0]).name;
        lb_text_json_string(text, name != NULL ? name : "");
    } else if (property->type == lb_propertyBoolean) {
        lb_text_print(text, value[0] != 0 ? "true" : "false");
    } else {
        lb_put_number(text, value[0]);
    }
}

/* Every property of the body (-1: of the scene), by its path: what the document says, else the default. */
static void describe_values(lbText* text, const lbValue* document, int body) {
    lbBodyKinds kinds = lb_document_kinds(document, int_max(body, 0));
    lb_put_begin(text, "values", '{');
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        if (property->ofBody != (body >= 0) || !lbProperty_AppliesTo(property, &kinds)) {
            continue;
        }
        char path[160];
        snprintf(path, sizeof(path), "bodies[%d].%s", body, property->path);
        const lbValue* value = lb_find_in_document(document, body >= 0 ? path : property->path);
        lb_put_key(text, property->path);
        if (value != NULL) {
            lb_write_value(text, value, false);
        } else {
            write_default(text, property, &kinds);
        }
    }
    lb_put_end(text, '}');
}

static void describe_materials(lbText* text, const lbShape* shape, uint32_t revision, int body) {
    lb_put_begin(text, "materials", '[');
    for (int i = 0; i < lbShape_GetMaterialCount(shape); ++i) {
        const lbShapeMaterial* material = &lbShape_GetMaterials(shape)[i];
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "name", material->name);
        lb_put_begin(text, "color", '[');
        for (int k = 0; k < 4; ++k) {
            lb_put_comma(text);
            lb_put_number(text, (double)material->baseColor[k]);
        }
        lb_put_end(text, ']');
        lb_put_number_pair(text, "metallic", (double)material->metallic);
        lb_put_number_pair(text, "roughness", (double)material->roughness);
        char path[64];
        snprintf(path, sizeof(path), "/texture/%u/%d/%d", revision, body, i);
        lb_put_pair(text, "texture", material->texture != NULL && material->textureSize > 0 ? path : NULL);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
}

void lb_describe_motion(lbText* text, lbScene* scene, int body) {
    const lbWorld* world = lbScene_GetWorld(scene);
    lbBodyId id = lbScene_GetBody(scene, body);
    double frame = 1 / lbScene_GetFrameRate(scene);
    lbIntegratorKind method;
    int steps, undamped;
    if (lbBody_GetMethod(world, id, &method, NULL).code != lb_ok) {
        return;
    }
    lb_put_pair(text, "method", lb_integrator_word((int)method));
    if (lbBody_CountSteps(world, id, frame, &steps).code == lb_ok) {
        lb_put_number_pair(text, "steps", steps);
    }
    if (lbBody_IsStepSetByDamping(world, id, frame, &undamped)) {
        lb_put_number_pair(text, "undampedSteps", undamped);
    }
}

static void describe_body(lbText* text, lbScene* scene, const lbValue* document, const lbBuild* build, int body) {
    const lbWorld* world = lbScene_GetWorld(scene);
    lbBodyId id = lbScene_GetBody(scene, body);
    lbBodyKinds kinds = lb_document_kinds(document, body);
    lbModelInfo info = {0};
    lbModel_GetInfo(world, lbBody_GetModel(world, id), &info);
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "name", lbBody_GetName(world, id));
    bool soft = kinds.body == lb_bodyDynamic;
    lb_put_pair(text, "kind", lb_body_word((int)kinds.body));
    lb_put_pair(text, "shape", lb_shape_word(kinds.shape));
    lb_put_pair(text, "mesh", soft ? lb_mesh_word((int)kinds.mesh) : NULL);
    lb_put_pair(text, "law", soft ? lb_law_word((int)kinds.law) : NULL);
    lb_put_pair(text, "integrator", soft ? lb_integrator_word((int)kinds.integrator) : NULL);
    if (soft) {
        lb_describe_motion(text, scene, body);
    }
    lb_put_number_pair(text, "nodes", info.nodeCount);
    lb_put_number_pair(text, "springs", kinds.law == lb_lawSprings ? info.springCount : 0);
    lb_put_number_pair(text, "tets", info.tetCount);
    lb_put_number_pair(text, "points", info.skinPointCount);
    lb_put_number_pair(text, "triangles", info.skinTriangleCount);
    lb_put_number_pair(text, "mass", info.mass);
    lb_put_begin(text, "fields", '[');
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        if (lbBody_HasField(world, id, (lbFieldKind)i)) {
            lb_put_item(text, lbFieldKind_GetInfo((lbFieldKind)i).name);
        }
    }
    lb_put_end(text, ']');
    describe_values(text, document, body);
    describe_materials(text, build->shapes[body], build->revision, body);
    lb_put_end(text, '}');
}

/* The surface of a tool that is no simple form. */
static void describe_tool_mesh(lbText* text, const lbToolDef* def) {
    const float* points = lbShape_GetPoints(def->shape);
    const int* triangles = lbShape_GetTriangles(def->shape);
    lb_put_bool_pair(text, "deforms", def->deforms);
    lb_put_begin(text, "points", '[');
    for (int i = 0; i < 3 * lbShape_GetPointCount(def->shape); ++i) {
        lb_put_comma(text);
        lb_put_number(text, (double)points[i]);
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "triangles", '[');
    for (int i = 0; i < 3 * lbShape_GetTriangleCount(def->shape); ++i) {
        lb_put_comma(text);
        lb_put_number(text, triangles[i]);
    }
    lb_put_end(text, ']');
}

static void describe_tools(lbText* text, lbScene* scene) {
    lb_put_begin(text, "tools", '[');
    for (int i = 0; i < lbScene_GetToolCount(scene); ++i) {
        lbToolDef def = lbDefaultToolDef(lb_toolSphere);
        lbTool_GetDef(lbScene_GetWorld(scene), lbScene_GetTool(scene, i), &def);
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "name", lbScene_GetToolName(scene, i));
        lb_put_pair(text, "kind", lbToolKind_GetName(def.kind));
        if (def.kind == lb_toolMesh) {
            describe_tool_mesh(text, &def);
        }
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
}

void lb_describe_scene(lbText* text, lbScene* scene, const lbValue* document, const lbBuild* build) {
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "type", "scene");
    lb_put_number_pair(text, "revision", build->revision);
    lb_put_pair(text, "name", lbScene_GetName(scene));
    lb_put_pair(text, "description", lbScene_GetDescription(scene));
    lb_put_key(text, "document");
    lb_write_value(text, document, false);
    lb_put_number_pair(text, "frameRate", build->frameRate);
    describe_values(text, document, -1);
    lb_put_begin(text, "bodies", '[');
    for (int i = 0; i < build->bodyCount; ++i) {
        describe_body(text, scene, document, build, i);
    }
    lb_put_end(text, ']');
    describe_tools(text, scene);
    lb_put_begin(text, "probes", '[');
    for (int i = 0; i < build->columnCount; ++i) {
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "name", lbScene_GetProbeColumnName(scene, i));
        lb_put_pair(text, "unit", lbScene_GetProbeColumnUnit(scene, i));
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_end(text, '}');
}
