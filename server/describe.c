#include "server/describe.h"

#include "server/additions.h"
#include "server/json_text.h"
#include "server/matter.h"
#include "server/stats.h"

#include <string.h>

const char* lb_shape_word(int index) {
    return index == lb_shapeKindCount ? "file" : lbShapeKind_GetName((lbShapeKind)index);
}
const char* lb_body_word(int index) {
    return lbBodyKind_GetInfo((lbBodyKind)index).name;
}
const char* lb_mesh_word(int index) {
    return lbMeshKind_GetName((lbMeshKind)index);
}
const char* lb_law_word(int index) {
    return lbLawKind_GetName((lbLawKind)index);
}
const char* lb_integrator_word(int index) {
    return lbIntegratorKind_GetName((lbIntegratorKind)index);
}

static void kind(lbText* text, lbKindInfo info) {
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "name", info.name);
    lb_put_pair(text, "label", info.label);
    lb_put_pair(text, "description", info.description);
}

/* Where nodes take steps of their own lengths, the engine knows one method, and a filter for it. */
static bool moves(lbIntegratorKind integrator, lbMeshKind mesh) {
    bool filtered = integrator == lb_integratorFilteredEuler;
    bool local = filtered || integrator == lb_integratorSymplecticEuler || integrator == lb_integratorAutomatic;
    return mesh == lb_meshLevels ? local : !filtered;
}

static void describe_kinds(lbText* text) {
    lb_put_begin(text, "kinds", '[');
    for (int i = 0; i < lb_bodyKindCount; ++i) {
        kind(text, lbBodyKind_GetInfo((lbBodyKind)i));
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "shapes", '[');
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        kind(text, lbShapeKind_GetInfo((lbShapeKind)i));
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "meshes", '[');
    for (int i = 0; i < lb_meshKindCount; ++i) {
        kind(text, lbMeshKind_GetInfo((lbMeshKind)i));
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "laws", '[');
    for (int i = 0; i < lb_lawKindCount; ++i) {
        kind(text, lbLawKind_GetInfo((lbLawKind)i));
        lb_put_begin(text, "meshes", '[');
        for (int k = 0; k < lb_meshKindCount; ++k) {
            if (lbLawKind_WorksOn((lbLawKind)i, (lbMeshKind)k)) {
                lb_put_item(text, lbMeshKind_GetName((lbMeshKind)k));
            }
        }
        lb_put_end(text, ']');
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "integrators", '[');
    for (int i = 0; i < lb_integratorNameCount; ++i) {
        kind(text, lbIntegratorKind_GetInfo((lbIntegratorKind)i));
        lb_put_bool_pair(text, "implicit", lbIntegratorKind_IsImplicit((lbIntegratorKind)i));
        lb_put_begin(text, "meshes", '[');
        for (int k = 0; k < lb_meshKindCount; ++k) {
            if (moves((lbIntegratorKind)i, (lbMeshKind)k)) {
                lb_put_item(text, lbMeshKind_GetName((lbMeshKind)k));
            }
        }
        lb_put_end(text, ']');
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "tools", '[');
    for (int i = 0; i < lb_toolKindCount; ++i) {
        kind(text, lbToolKind_GetInfo((lbToolKind)i));
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
}

static void describe_fields(lbText* text) {
    lb_put_begin(text, "fields", '[');
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        lbFieldInfo info = lbFieldKind_GetInfo((lbFieldKind)i);
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "name", info.name);
        lb_put_pair(text, "label", info.label);
        lb_put_pair(text, "unit", info.unit);
        lb_put_pair(text, "description", info.description);
        lb_put_bool_pair(text, "diverging", info.diverging);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "stats", '[');
    for (int i = 0; i < lb_statCount; ++i) {
        const lbStatInfo* info = &lb_statInfos[i];
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "name", info->name);
        lb_put_pair(text, "label", info->label);
        lb_put_pair(text, "unit", info->unit);
        lb_put_pair(text, "group", info->group);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
}

/* The names of the kinds whose bits are set; nothing if none is. */
static void names_of_bits(lbText* text, const char* name, uint32_t bits, int count, lbWordFn* wordOf) {
    if (bits == 0) {
        return;
    }
    lb_put_begin(text, name, '[');
    for (int i = 0; i < count; ++i) {
        if ((bits >> i & 1u) != 0) {
            lb_put_item(text, wordOf(i));
        }
    }
    lb_put_end(text, ']');
}

static void describe_property(lbText* text, const lbPropertyInfo* property) {
    static const char* const types[] = {"number", "integer", "boolean", "choice", "vector"};
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "path", property->path);
    lb_put_bool_pair(text, "body", property->ofBody);
    lb_put_pair(text, "label", property->label);
    lb_put_pair(text, "unit", property->unit);
    lb_put_pair(text, "description", property->description);
    lb_put_pair(text, "group", property->group);
    lb_put_pair(text, "type", types[property->type]);
    if (property->type != lb_propertyBoolean && property->type != lb_propertyChoice) {
        lb_put_number_pair(text, "minimum", property->minimum);
        lb_put_number_pair(text, "maximum", property->maximum);
        lb_put_pair(text, "scale", property->logarithmic ? "log" : "linear");
    }
    if (property->zero != NULL) {
        lb_put_pair(text, "zero", property->zero);
    }
    lb_put_bool_pair(text, "optional", property->optional);
    lb_put_bool_pair(text, "live", property->live);
    if (property->type == lb_propertyChoice) {
        lb_put_begin(text, "choices", '[');
        for (int i = 0; i < property->choiceCount; ++i) {
            kind(text, lbProperty_GetChoice(property, i));
            lb_put_end(text, '}');
        }
        lb_put_end(text, ']');
    }
    names_of_bits(text, "kinds", property->bodies, lb_bodyKindCount, lb_body_word);
    names_of_bits(text, "shapes", property->shapes, lb_shapeKindCount + 1, lb_shape_word);
    names_of_bits(text, "meshes", property->meshes, lb_meshKindCount, lb_mesh_word);
    names_of_bits(text, "laws", property->laws, lb_lawKindCount, lb_law_word);
    names_of_bits(text, "integrators", property->integrators, lb_integratorNameCount, lb_integrator_word);
    if (property->beside != NULL) {
        lb_put_pair(text, "beside", property->beside);
        lb_put_pair(text, "besideChoice", property->besideChoice);
    }
    lb_put_end(text, '}');
}

/* Scenes whose answer is known, or that compare methods: to be checked more than to be looked at. */
static bool is_textbook(const char* file) {
    static const char* const files[] = {"bar-stretch",    "cube-press",     "five-laws",   "free-fall",
                                        "jelly-cube",     "layered-sphere", "press-block", "pressure-sphere",
                                        "resting-weight", "t-handle",       "twisted-bar"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        if (strncmp(file, files[i], strlen(files[i])) == 0 && strcmp(file + strlen(files[i]), ".json") == 0) {
            return true;
        }
    }
    return false;
}

static void describe_additions(lbText* text) {
    lb_put_begin(text, "objects", '[');
    for (int i = 0; i < lb_object_count(); ++i) {
        const lbObject* object = lb_object_at(i);
        kind(text, (lbKindInfo){object->name, object->label, object->description});
        lb_put_bool_pair(text, "fixed", object->guided);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "matters", '[');
    for (int i = 0; i < lb_matter_count(); ++i) {
        const lbMatterPreset* matter = lb_matter_at(i);
        kind(text, (lbKindInfo){matter->name, matter->label, matter->description});
        lb_put_pair(text, "source", matter->source);
        lb_put_pair(text, "color", matter->color);
        lb_put_bool_pair(text, "sheet", matter->sheet);
        lb_put_bool_pair(text, "rigid", matter->rigid);
        lb_put_number_pair(text, "density", matter->density);
        lb_put_number_pair(text, "youngsModulus", matter->youngsModulus);
        lb_put_number_pair(text, "poissonsRatio", matter->poissonsRatio);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
}

void lb_describe_all(lbText* text, int client, const lbSceneEntry* scenes, int sceneCount) {
    static const char* const files[] = {
        "obj",
        "stl",
        "ply",
        "json",
#if defined(LB_WITH_ASSIMP)
        "glb",
        "gltf",
#endif
        "msh",
        "vtu",
        "vtk",
        "mesh",
        "meshb",
        "node",
        "ele",
        "veg",
        "inp",
    };
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "type", "hello");
    lb_put_number_pair(text, "protocol", 1);
    lb_put_pair(text, "version", lbGetVersion());
    lb_put_number_pair(text, "client", client);
    lb_put_begin(text, "scenes", '[');
    for (int i = 0; i < sceneCount; ++i) {
        lb_put_begin(text, NULL, '{');
        lb_put_pair(text, "file", scenes[i].file);
        lb_put_pair(text, "name", scenes[i].name);
        lb_put_pair(text, "description", scenes[i].description);
        lb_put_bool_pair(text, "textbook", is_textbook(scenes[i].file));
        lb_put_bool_pair(text, "picture", scenes[i].hasPicture);
        lb_put_end(text, '}');
    }
    lb_put_end(text, ']');
    describe_kinds(text);
    describe_additions(text);
    describe_fields(text);
    lb_put_begin(text, "properties", '[');
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        describe_property(text, lbGetProperty(i));
    }
    lb_put_end(text, ']');
    lb_put_begin(text, "files", '[');
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        lb_put_item(text, files[i]);
    }
    lb_put_end(text, ']');
    lb_put_end(text, '}');
}
