#include "server/describe.h"

#include "base/math.h"
#include "server/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- JSON pieces ------------------------------------------------------------------------------------------------- */

static void comma(lbText* text) {
    char last = text->size > 0 ? text->data[text->size - 1] : '{';
    if (last != '{' && last != '[') {
        lb_text_add(text, ",", 1);
    }
}

static void key(lbText* text, const char* name) {
    comma(text);
    lb_text_json_string(text, name);
    lb_text_add(text, ":", 1);
}

void lb_text_pair(lbText* text, const char* name, const char* value) {
    key(text, name);
    if (value != NULL) {
        lb_text_json_string(text, value);
    } else {
        lb_text_print(text, "null");
    }
}

static void number(lbText* text, double value) {
    if (isfinite(value)) {
        lb_text_number(text, value, 9);
    } else {
        lb_text_print(text, "null");
    }
}

static void pair_number(lbText* text, const char* name, double value) {
    key(text, name);
    number(text, value);
}

static void pair_bool(lbText* text, const char* name, bool value) {
    key(text, name);
    lb_text_print(text, value ? "true" : "false");
}

static void begin(lbText* text, const char* name, char bracket) {
    if (name != NULL) {
        key(text, name);
    } else {
        comma(text);
    }
    lb_text_add(text, &bracket, 1);
}

static void end(lbText* text, char bracket) {
    lb_text_add(text, &bracket, 1);
}

static void item(lbText* text, const char* value) {
    comma(text);
    lb_text_json_string(text, value);
}

/* ---- What exists ------------------------------------------------------------------------------------------------- */

static void kind(lbText* text, lbKindInfo info) {
    begin(text, NULL, '{');
    lb_text_pair(text, "name", info.name);
    lb_text_pair(text, "label", info.label);
    lb_text_pair(text, "description", info.description);
}

static void describe_kinds(lbText* text) {
    begin(text, "shapes", '[');
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        kind(text, lbShapeKind_GetInfo((lbShapeKind)i));
        end(text, '}');
    }
    end(text, ']');
    begin(text, "meshes", '[');
    for (int i = 0; i < lb_meshKindCount; ++i) {
        kind(text, lbMeshKind_GetInfo((lbMeshKind)i));
        end(text, '}');
    }
    end(text, ']');
    begin(text, "laws", '[');
    for (int i = 0; i < lb_lawKindCount; ++i) {
        kind(text, lbLawKind_GetInfo((lbLawKind)i));
        begin(text, "meshes", '[');
        for (int k = 0; k < lb_meshKindCount; ++k) {
            if (lbLawKind_WorksOn((lbLawKind)i, (lbMeshKind)k)) {
                item(text, lbMeshKind_GetName((lbMeshKind)k));
            }
        }
        end(text, ']');
        end(text, '}');
    }
    end(text, ']');
    begin(text, "integrators", '[');
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        kind(text, lbIntegratorKind_GetInfo((lbIntegratorKind)i));
        pair_bool(text, "implicit", lbIntegratorKind_IsImplicit((lbIntegratorKind)i));
        end(text, '}');
    }
    end(text, ']');
    begin(text, "tools", '[');
    for (int i = 0; i < lb_toolKindCount; ++i) {
        kind(text, lbToolKind_GetInfo((lbToolKind)i));
        end(text, '}');
    }
    end(text, ']');
}

static void describe_fields(lbText* text) {
    begin(text, "fields", '[');
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        lbFieldInfo info = lbFieldKind_GetInfo((lbFieldKind)i);
        begin(text, NULL, '{');
        lb_text_pair(text, "name", info.name);
        lb_text_pair(text, "label", info.label);
        lb_text_pair(text, "unit", info.unit);
        lb_text_pair(text, "description", info.description);
        pair_bool(text, "diverging", info.diverging);
        end(text, '}');
    }
    end(text, ']');
    begin(text, "stats", '[');
    for (int i = 0; i < lb_statCount; ++i) {
        const lbStatInfo* info = &lb_statInfos[i];
        begin(text, NULL, '{');
        lb_text_pair(text, "name", info->name);
        lb_text_pair(text, "label", info->label);
        lb_text_pair(text, "unit", info->unit);
        lb_text_pair(text, "group", info->group);
        end(text, '}');
    }
    end(text, ']');
}

typedef const char* NameFn(int kind);

static const char* shape_name(int index) {
    return index == lb_shapeKindCount ? "file" : lbShapeKind_GetName((lbShapeKind)index);
}
static const char* mesh_name(int index) {
    return lbMeshKind_GetName((lbMeshKind)index);
}
static const char* law_name(int index) {
    return lbLawKind_GetName((lbLawKind)index);
}
static const char* integrator_name(int index) {
    return lbIntegratorKind_GetName((lbIntegratorKind)index);
}

/* The names of the kinds whose bits are set; nothing if none is. */
static void names_of_bits(lbText* text, const char* name, uint32_t bits, int count, NameFn* nameOf) {
    if (bits == 0) {
        return;
    }
    begin(text, name, '[');
    for (int i = 0; i < count; ++i) {
        if ((bits >> i & 1u) != 0) {
            item(text, nameOf(i));
        }
    }
    end(text, ']');
}

static void describe_property(lbText* text, const lbPropertyInfo* property) {
    static const char* const types[] = {"number", "integer", "boolean", "choice", "vector"};
    begin(text, NULL, '{');
    lb_text_pair(text, "path", property->path);
    pair_bool(text, "body", property->ofBody);
    lb_text_pair(text, "label", property->label);
    lb_text_pair(text, "unit", property->unit);
    lb_text_pair(text, "description", property->description);
    lb_text_pair(text, "group", property->group);
    lb_text_pair(text, "type", types[property->type]);
    if (property->type != lb_propertyBoolean && property->type != lb_propertyChoice) {
        pair_number(text, "minimum", property->minimum);
        pair_number(text, "maximum", property->maximum);
        lb_text_pair(text, "scale", property->logarithmic ? "log" : "linear");
    }
    if (property->zero != NULL) {
        lb_text_pair(text, "zero", property->zero);
    }
    pair_bool(text, "optional", property->optional);
    pair_bool(text, "live", property->live);
    if (property->type == lb_propertyChoice) {
        begin(text, "choices", '[');
        for (int i = 0; i < property->choiceCount; ++i) {
            kind(text, lbProperty_GetChoice(property, i));
            end(text, '}');
        }
        end(text, ']');
    }
    names_of_bits(text, "shapes", property->shapes, lb_shapeKindCount + 1, shape_name);
    names_of_bits(text, "meshes", property->meshes, lb_meshKindCount, mesh_name);
    names_of_bits(text, "laws", property->laws, lb_lawKindCount, law_name);
    names_of_bits(text, "integrators", property->integrators, lb_integratorKindCount, integrator_name);
    if (property->beside != NULL) {
        lb_text_pair(text, "beside", property->beside);
        lb_text_pair(text, "besideChoice", property->besideChoice);
    }
    end(text, '}');
}

void lb_describe_all(lbText* text, int client, const lbSceneEntry* scenes, int sceneCount) {
    static const char* const files[] = {"obj", "stl", "ply", "glb", "json"};
    begin(text, NULL, '{');
    lb_text_pair(text, "type", "hello");
    pair_number(text, "protocol", 1);
    lb_text_pair(text, "version", lbGetVersion());
    pair_number(text, "client", client);
    begin(text, "scenes", '[');
    for (int i = 0; i < sceneCount; ++i) {
        begin(text, NULL, '{');
        lb_text_pair(text, "file", scenes[i].file);
        lb_text_pair(text, "name", scenes[i].name);
        lb_text_pair(text, "description", scenes[i].description);
        end(text, '}');
    }
    end(text, ']');
    describe_kinds(text);
    describe_fields(text);
    begin(text, "properties", '[');
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        describe_property(text, lbGetProperty(i));
    }
    end(text, ']');
    begin(text, "files", '[');
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        item(text, files[i]);
    }
    end(text, ']');
    end(text, '}');
}

/* ---- The scene --------------------------------------------------------------------------------------------------- */

static const char* kind_at(const lbValue* document, int body, const char* part) {
    char path[64];
    snprintf(path, sizeof(path), "bodies[%d].%s.kind", body, part);
    const char* name = lb_value_string(lb_find_in_document(document, path));
    return name != NULL ? name : "";
}

lbBodyKinds lb_document_kinds(const lbValue* document, int body) {
    lbBodyKinds kinds = {.shape = lb_shapeKindCount,
                         .mesh = lbDefaultModelDef().mesh.kind,
                         .law = lbDefaultModelDef().law.kind,
                         .integrator = lbDefaultBodyDef().integrator};
    lbShapeKind shape;
    if (lbShapeKind_FromName(kind_at(document, body, "shape"), &shape)) {
        kinds.shape = (int)shape;
    }
    lbMeshKind_FromName(kind_at(document, body, "mesh"), &kinds.mesh);
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
            comma(text);
            number(text, value[i]);
        }
        lb_text_print(text, "]");
    } else if (property->type == lb_propertyChoice) {
        const char* name = lbProperty_GetChoice(property, (int)value[0]).name;
        lb_text_json_string(text, name != NULL ? name : "");
    } else if (property->type == lb_propertyBoolean) {
        lb_text_print(text, value[0] != 0 ? "true" : "false");
    } else {
        number(text, value[0]);
    }
}

/* Every property of the body (-1: of the scene), by its path: what the document says, else the default. */
static void describe_values(lbText* text, const lbValue* document, int body) {
    lbBodyKinds kinds = lb_document_kinds(document, int_max(body, 0));
    begin(text, "values", '{');
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        if (property->ofBody != (body >= 0) || !lbProperty_AppliesTo(property, &kinds)) {
            continue;
        }
        char path[160];
        snprintf(path, sizeof(path), "bodies[%d].%s", body, property->path);
        const lbValue* value = lb_find_in_document(document, body >= 0 ? path : property->path);
        key(text, property->path);
        if (value != NULL) {
            lb_write_value(text, value, false);
        } else {
            write_default(text, property, &kinds);
        }
    }
    end(text, '}');
}

static void describe_materials(lbText* text, const lbShape* shape, uint32_t revision, int body) {
    begin(text, "materials", '[');
    for (int i = 0; i < lbShape_GetMaterialCount(shape); ++i) {
        const lbShapeMaterial* material = &lbShape_GetMaterials(shape)[i];
        begin(text, NULL, '{');
        lb_text_pair(text, "name", material->name);
        begin(text, "color", '[');
        for (int k = 0; k < 4; ++k) {
            comma(text);
            number(text, (double)material->baseColor[k]);
        }
        end(text, ']');
        pair_number(text, "metallic", (double)material->metallic);
        pair_number(text, "roughness", (double)material->roughness);
        char path[64];
        snprintf(path, sizeof(path), "/texture/%u/%d/%d", revision, body, i);
        lb_text_pair(text, "texture", material->texture != NULL && material->textureSize > 0 ? path : NULL);
        end(text, '}');
    }
    end(text, ']');
}

static void describe_body(lbText* text, lbScene* scene, const lbValue* document, const lbBuild* build, int body) {
    const lbWorld* world = lbScene_GetWorld(scene);
    lbBodyId id = lbScene_GetBody(scene, body);
    lbBodyKinds kinds = lb_document_kinds(document, body);
    lbModelInfo info = {0};
    lbModel_GetInfo(world, lbBody_GetModel(world, id), &info);
    begin(text, NULL, '{');
    lb_text_pair(text, "name", lbBody_GetName(world, id));
    lb_text_pair(text, "shape", shape_name(kinds.shape));
    lb_text_pair(text, "mesh", mesh_name((int)kinds.mesh));
    lb_text_pair(text, "law", law_name((int)kinds.law));
    lb_text_pair(text, "integrator", integrator_name((int)kinds.integrator));
    pair_number(text, "nodes", info.nodeCount);
    pair_number(text, "springs", info.springCount);
    pair_number(text, "tets", info.tetCount);
    pair_number(text, "points", info.skinPointCount);
    pair_number(text, "triangles", info.skinTriangleCount);
    pair_number(text, "mass", info.mass);
    begin(text, "fields", '[');
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        if (lbBody_HasField(world, id, (lbFieldKind)i)) {
            item(text, lbFieldKind_GetInfo((lbFieldKind)i).name);
        }
    }
    end(text, ']');
    describe_values(text, document, body);
    describe_materials(text, build->shapes[body], build->revision, body);
    end(text, '}');
}

static void describe_tools(lbText* text, lbScene* scene) {
    begin(text, "tools", '[');
    for (int i = 0; i < lbScene_GetToolCount(scene); ++i) {
        lbToolDef def = lbDefaultToolDef(lb_toolSphere);
        lbTool_GetDef(lbScene_GetWorld(scene), lbScene_GetTool(scene, i), &def);
        begin(text, NULL, '{');
        lb_text_pair(text, "name", lbScene_GetToolName(scene, i));
        lb_text_pair(text, "kind", lbToolKind_GetName(def.kind));
        end(text, '}');
    }
    end(text, ']');
}

void lb_describe_scene(lbText* text, lbScene* scene, const lbValue* document, const lbBuild* build) {
    begin(text, NULL, '{');
    lb_text_pair(text, "type", "scene");
    pair_number(text, "revision", build->revision);
    lb_text_pair(text, "name", lbScene_GetName(scene));
    lb_text_pair(text, "description", lbScene_GetDescription(scene));
    key(text, "document");
    lb_write_value(text, document, false);
    pair_number(text, "frameRate", build->frameRate);
    describe_values(text, document, -1);
    begin(text, "bodies", '[');
    for (int i = 0; i < build->bodyCount; ++i) {
        describe_body(text, scene, document, build, i);
    }
    end(text, ']');
    describe_tools(text, scene);
    begin(text, "probes", '[');
    for (int i = 0; i < build->columnCount; ++i) {
        begin(text, NULL, '{');
        lb_text_pair(text, "name", lbScene_GetProbeColumnName(scene, i));
        lb_text_pair(text, "unit", lbScene_GetProbeColumnUnit(scene, i));
        end(text, '}');
    }
    end(text, ']');
    end(text, '}');
}
