/* What exists is described, and the table of properties says what the scene reader accepts. */
#include "limber/describe.h"

#include "integrate/integrator.h"
#include "law/law.h"
#include "scene/scene_def.h"
#include "test.h"

#include <stdarg.h>

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

static bool is_described(lbKindInfo info) {
    return info.name != NULL && info.label != NULL && info.description != NULL && info.label[0] != 0 &&
           info.description[0] != 0 && strchr(info.description, '\n') == NULL;
}

TEST(EveryKindHasANameALabelAndADescription) {
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        lbShapeKind found;
        CHECK(is_described(lbShapeKind_GetInfo((lbShapeKind)i)));
        CHECK(lbShapeKind_FromName(lbShapeKind_GetInfo((lbShapeKind)i).name, &found) && (int)found == i);
    }
    for (int i = 0; i < lb_meshKindCount; ++i) {
        lbMeshKind found;
        CHECK(is_described(lbMeshKind_GetInfo((lbMeshKind)i)));
        CHECK(lbMeshKind_FromName(lbMeshKind_GetInfo((lbMeshKind)i).name, &found) && (int)found == i);
    }
    for (int i = 0; i < lb_lawKindCount; ++i) {
        lbLawKind found;
        CHECK(is_described(lbLawKind_GetInfo((lbLawKind)i)));
        CHECK(lbLawKind_FromName(lbLawKind_GetInfo((lbLawKind)i).name, &found) && (int)found == i);
    }
    for (int i = 0; i < lb_integratorNameCount; ++i) {
        lbIntegratorKind found;
        CHECK(is_described(lbIntegratorKind_GetInfo((lbIntegratorKind)i)));
        CHECK(lbIntegratorKind_FromName(lbIntegratorKind_GetInfo((lbIntegratorKind)i).name, &found) && (int)found == i);
    }
    for (int i = 0; i < lb_bodyKindCount; ++i) {
        CHECK(is_described(lbBodyKind_GetInfo((lbBodyKind)i)));
    }
    for (int i = 0; i < lb_toolKindCount; ++i) {
        lbToolKind found;
        CHECK(is_described(lbToolKind_GetInfo((lbToolKind)i)));
        CHECK(lbToolKind_FromName(lbToolKind_GetInfo((lbToolKind)i).name, &found) && (int)found == i);
    }
}

TEST(KindsThatDoNotExistHaveNoInfo) {
    CHECK(lbShapeKind_GetInfo(lb_shapeKindCount).name == NULL);
    CHECK(lbMeshKind_GetInfo((lbMeshKind)-1).name == NULL);
    CHECK(lbLawKind_GetInfo(lb_lawKindCount).name == NULL);
    CHECK(lbIntegratorKind_GetInfo(lb_integratorNameCount).name == NULL);
    CHECK(lbToolKind_GetInfo(lb_toolKindCount).name == NULL);
    CHECK(lbBodyKind_GetInfo(lb_bodyKindCount).name == NULL);
    CHECK(!lbLawKind_WorksOn(lb_lawKindCount, lb_meshTetGrid));
    CHECK(!lbLawKind_WorksOn(lb_lawSprings, lb_meshKindCount));
    CHECK(!lbIntegratorKind_IsImplicit(lb_integratorKindCount));
    CHECK(lbGetProperty(-1) == NULL && lbGetProperty(lbGetPropertyCount()) == NULL);
}

TEST(EveryLawWorksOnSomeMeshAndEveryMeshHasALaw) {
    for (int law = 0; law < lb_lawKindCount; ++law) {
        int count = 0;
        for (int mesh = 0; mesh < lb_meshKindCount; ++mesh) {
            count += lbLawKind_WorksOn((lbLawKind)law, (lbMeshKind)mesh);
        }
        CHECK(count > 0);
    }
    for (int mesh = 0; mesh < lb_meshKindCount; ++mesh) {
        int count = 0;
        for (int law = 0; law < lb_lawKindCount; ++law) {
            count += lbLawKind_WorksOn((lbLawKind)law, (lbMeshKind)mesh);
        }
        CHECK(count > 0);
    }
}

/* ---- Bodies of every kind ---------------------------------------------------------------------------------------- */

enum { comboLimit = 128 };

static lbMeshKind mesh_for(lbLawKind law) {
    int mesh = 0;
    while (mesh < lb_meshKindCount - 1 && !lbLawKind_WorksOn(law, (lbMeshKind)mesh)) {
        ++mesh;
    }
    return (lbMeshKind)mesh;
}

static lbLawKind law_for(lbMeshKind mesh) {
    int law = 0;
    while (law < lb_lawKindCount - 1 && !lbLawKind_WorksOn((lbLawKind)law, mesh)) {
        ++law;
    }
    return (lbLawKind)law;
}

/* Each kind of each table at least once; but for meshes from files, which need a file beside the scene. */
static int list_combos(lbBodyKinds* combos) {
    int count = 0;
    for (int i = 0; i <= lb_shapeKindCount; ++i) {
        combos[count++] = (lbBodyKinds){.shape = i};
    }
    for (int i = 0; i < lb_meshKindCount; ++i) {
        if (i != lb_meshGiven) {
            combos[count++] = (lbBodyKinds){.mesh = (lbMeshKind)i, .law = law_for((lbMeshKind)i)};
        }
    }
    for (int i = 0; i < lb_lawKindCount; ++i) {
        combos[count++] = (lbBodyKinds){.law = (lbLawKind)i, .mesh = mesh_for((lbLawKind)i)};
    }
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        combos[count++] = (lbBodyKinds){.integrator = (lbIntegratorKind)i};
    }
    for (int i = 0; i <= lb_shapeKindCount; ++i) {
        combos[count++] = (lbBodyKinds){.body = lb_bodyRigid, .shape = i};
    }
    combos[count++] = (lbBodyKinds){.body = lb_bodyGuided, .shape = lb_shapeTorus};
    return count;
}

/* ---- Scenes that set one property -------------------------------------------------------------------------------- */

typedef struct Setting {
    const char* path;
    char value[128]; /* as JSON */
} Setting;

enum { settingLimit = 8 };

typedef struct SceneText {
    int count;
    Setting settings[settingLimit]; /* of the body */
    char scene[160];                /* of the scene: "\"wind\": [...], " */
    char text[2048];
} SceneText;

static void set(SceneText* scene, const char* path, const char* format, ...) LB_PRINTF(3, 4);

static void set(SceneText* scene, const char* path, const char* format, ...) {
    int at = 0;
    while (at < scene->count && strcmp(scene->settings[at].path, path) != 0) {
        ++at;
    }
    scene->count = at == scene->count ? at + 1 : scene->count;
    scene->settings[at].path = path;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->settings[at].value, sizeof(scene->settings[at].value), format, arguments);
    va_end(arguments);
}

/* Members of one object of the body, by the first part of their paths. */
static void append_section(SceneText* scene, const char* section) {
    size_t length = strlen(section);
    bool open = false;
    for (int i = 0; i < scene->count; ++i) {
        const Setting* setting = &scene->settings[i];
        if (strncmp(setting->path, section, length) == 0 && setting->path[length] == '.') {
            size_t used = strlen(scene->text);
            snprintf(scene->text + used, sizeof(scene->text) - used, open ? ", \"%s\": %s" : ", \"%s\": {\"%s\": %s",
                     open ? setting->path + length + 1 : section, open ? setting->value : setting->path + length + 1,
                     setting->value);
            open = true;
        }
    }
    if (open) {
        strcat(scene->text, "}");
    }
}

static const char* write_scene(SceneText* scene) {
    static const char* const sections[] = {"shape", "mesh", "law", "integrator", "material", "penalty", "pointDamping"};
    snprintf(scene->text, sizeof(scene->text), "{\"limber\": 1, %s\"bodies\": [{\"name\": \"b\"", scene->scene);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        append_section(scene, sections[i]);
    }
    for (int i = 0; i < scene->count; ++i) {
        if (strchr(scene->settings[i].path, '.') == NULL) {
            size_t used = strlen(scene->text);
            snprintf(scene->text + used, sizeof(scene->text) - used, ", \"%s\": %s", scene->settings[i].path,
                     scene->settings[i].value);
        }
    }
    strcat(scene->text, "}]}");
    return scene->text;
}

static SceneText scene_of(const lbBodyKinds* kinds) {
    SceneText scene = {0};
    if (kinds->shape == lb_shapeKindCount) {
        set(&scene, "shape.file", "\"a.obj\"");
    } else {
        set(&scene, "shape.kind", "\"%s\"", lbShapeKind_GetName((lbShapeKind)kinds->shape));
    }
    if (kinds->body != lb_bodyDynamic) {
        set(&scene, "kind", "\"rigid\"");
        set(&scene, "guided", kinds->body == lb_bodyGuided ? "true" : "false");
        return scene;
    }
    set(&scene, "mesh.kind", "\"%s\"", lbMeshKind_GetName(kinds->mesh));
    if (kinds->mesh == lb_meshGiven) {
        set(&scene, "mesh.file", "\"a.msh\"");
    }
    set(&scene, "law.kind", "\"%s\"", lbLawKind_GetName(kinds->law));
    set(&scene, "integrator.kind", "\"%s\"", lbIntegratorKind_GetName(kinds->integrator));
    return scene;
}

static void set_property(SceneText* scene, const lbPropertyInfo* property, const double value[3]) {
    char text[128];
    if (property->type == lb_propertyChoice) {
        snprintf(text, sizeof(text), "\"%s\"", lbProperty_GetChoice(property, (int)value[0]).name);
    } else if (property->type == lb_propertyBoolean) {
        snprintf(text, sizeof(text), "%s", value[0] != 0 ? "true" : "false");
    } else if (property->type == lb_propertyVector) {
        snprintf(text, sizeof(text), "[%.17g, %.17g, %.17g]", value[0], value[1], value[2]);
    } else {
        snprintf(text, sizeof(text), "%.17g", value[0]);
    }
    if (property->ofBody) {
        set(scene, property->path, "%s", text);
    } else {
        snprintf(scene->scene, sizeof(scene->scene), "\"%s\": %s, ", property->path, text);
    }
}

static const lbPropertyInfo* find_property(const char* path, const lbBodyKinds* kinds) {
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        if (strcmp(property->path, path) == 0 && lbProperty_AppliesTo(property, kinds)) {
            return property;
        }
    }
    return NULL;
}

/* What has to be set for the property to count. */
static void set_beside(SceneText* scene, const lbPropertyInfo* property, const lbBodyKinds* kinds) {
    if (property->beside == NULL) {
        return;
    }
    const lbPropertyInfo* other = find_property(property->beside, kinds);
    CHECK(other != NULL);
    if (other == NULL) {
        return;
    }
    double value[3] = {other->maximum, other->maximum, other->maximum};
    for (int i = 0; property->besideChoice != NULL && i < other->choiceCount; ++i) {
        if (strcmp(lbProperty_GetChoice(other, i).name, property->besideChoice) == 0) {
            value[0] = i;
        }
    }
    set_property(scene, other, value);
}

/* Reads the scene; NULL if it is refused. */
static lbSceneDef* read_scene(SceneText* scene, lbResult* result) {
    const char* text = write_scene(scene);
    lbSceneDef* def = NULL;
    lbHost host = lbDefaultHost();
    static lbHost kept; /* the definition refers to it */
    kept = host;
    *result = lb_read_scene_def(&kept, text, strlen(text), "test.json", &def);
    return def;
}

static bool check_accepted(const lbPropertyInfo* property, const lbBodyKinds* kinds, const double value[3]) {
    SceneText scene = scene_of(kinds);
    set_beside(&scene, property, kinds);
    set_property(&scene, property, value);
    lbResult result;
    lbSceneDef* def = read_scene(&scene, &result);
    lb_free_scene_def(def);
    if (result.code != lb_ok) {
        printf("    %s: %s\n    in %s\n", property->path, result.message, scene.text);
    }
    return result.code == lb_ok;
}

/* Whether the first measures of two shapes agree: the others do not count where the shape has none. */
static bool same_size(const lbSceneShape* a, const lbSceneShape* b) {
    lbVec3 p = a->generator.size, q = b->generator.size;
    lbVec3 standard = lbDefaultGeneratorDef(a->generator.kind).size;
    return p.x == q.x && (p.y == q.y || standard.y == 0) && (p.z == q.z || standard.z == 0);
}

static bool same_vector(lbVec3 a, lbVec3 b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* Parts without padding or pointers, byte by byte. */
#define SAME(part) (memcmp(&a->part, &b->part, sizeof(a->part)) == 0)

static bool same_body(const lbSceneBody* a, const lbSceneBody* b) {
    return same_size(&a->shape, &b->shape) && a->shape.generator.radius == b->shape.generator.radius &&
           a->shape.generator.innerRadius == b->shape.generator.innerRadius &&
           a->shape.generator.length == b->shape.generator.length &&
           a->shape.generator.edge == b->shape.generator.edge && a->shape.fit == b->shape.fit &&
           a->shape.edge == b->shape.edge && a->shape.flip == b->shape.flip && SAME(shape.scale) && SAME(mesh) &&
           SAME(material) && SAME(law) && SAME(penalty) && a->nodeMass == b->nodeMass && SAME(position) &&
           SAME(velocity) && SAME(angularVelocity) && a->integrator == b->integrator && SAME(settings) &&
           a->stepCount == b->stepCount && SAME(pointDamping) && a->windDrag == b->windDrag &&
           a->equilibrium == b->equilibrium && a->friction == b->friction && a->restitution == b->restitution &&
           a->detail.split == b->detail.split && a->detail.merge == b->detail.merge &&
           a->detail.budget == b->detail.budget && a->detail.coupling == b->detail.coupling &&
           a->thickness == b->thickness && a->selfContact == b->selfContact && a->collision == b->collision;
}

static bool is_standard(const lbPropertyInfo* property, const lbBodyKinds* kinds, const double value[3]) {
    SceneText with = scene_of(kinds), without = scene_of(kinds);
    set_beside(&with, property, kinds);
    set_beside(&without, property, kinds);
    set_property(&with, property, value);
    lbResult result;
    lbSceneDef *a = read_scene(&with, &result), *b = read_scene(&without, &result);
    bool same = a != NULL && b != NULL && a->frameRate == b->frameRate && same_vector(a->gravity, b->gravity) &&
                same_vector(a->wind, b->wind) && same_body(&a->bodies[0], &b->bodies[0]);
    lb_free_scene_def(a);
    lb_free_scene_def(b);
    return same;
}

static void check_values(const lbPropertyInfo* property, const lbBodyKinds* kinds) {
    double low[3] = {property->minimum, property->minimum, property->minimum};
    double high[3] = {property->maximum, property->maximum, property->maximum};
    double zero[3] = {0, 0, 0}, standard[3];
    if (kinds->mesh == lb_meshGiven && strcmp(property->path, "mesh.kind") == 0) {
        return; /* its file would have to go with it */
    }
    for (int i = 0; i < property->choiceCount; ++i) {
        double value[3] = {i, 0, 0};
        bool worksOn = strcmp(property->path, "mesh.kind") == 0  ? lbLawKind_WorksOn(kinds->law, (lbMeshKind)i)
                       : strcmp(property->path, "law.kind") == 0 ? lbLawKind_WorksOn((lbLawKind)i, kinds->mesh)
                                                                 : true;
        CHECK(!worksOn || check_accepted(property, kinds, value));
    }
    if (property->type != lb_propertyChoice) {
        CHECK(check_accepted(property, kinds, low));
        CHECK(check_accepted(property, kinds, high));
    }
    if (property->zero != NULL) {
        CHECK(check_accepted(property, kinds, zero));
    }
    if (property->optional) {
        return;
    }
    bool kind = strlen(property->path) > 5 && strcmp(property->path + strlen(property->path) - 5, ".kind") == 0;
    lbProperty_GetDefault(property, kinds, standard);
    CHECK(check_accepted(property, kinds, standard));
    if (!kind && !is_standard(property, kinds, standard)) {
        printf("    %s: %g is not what counts where the scene says nothing\n", property->path, standard[0]);
        ++testFailures;
    }
}

TEST(WhatTheTableOffersTheSceneReaderAcceptsAndDefaultsAreItsOwn) {
    lbBodyKinds combos[comboLimit];
    int comboCount = list_combos(combos);
    for (int c = 0; c < comboCount; ++c) {
        for (int i = 0; i < lbGetPropertyCount(); ++i) {
            if (lbProperty_AppliesTo(lbGetProperty(i), &combos[c])) {
                check_values(lbGetProperty(i), &combos[c]);
            }
        }
    }
}

TEST(DefaultsOfKindsAreThoseOfABodyThatSaysNothing) {
    const char* text = "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"shape\": {\"kind\": \"box\"}}]}";
    lbHost host = lbDefaultHost();
    lbSceneDef* def = NULL;
    CHECK_OK(lb_read_scene_def(&host, text, strlen(text), "test.json", &def));
    lbBodyKinds kinds = {0};
    double mesh[3], law[3], integrator[3];
    lbProperty_GetDefault(find_property("mesh.kind", &kinds), &kinds, mesh);
    lbProperty_GetDefault(find_property("law.kind", &kinds), &kinds, law);
    lbProperty_GetDefault(find_property("integrator.kind", &kinds), &kinds, integrator);
    CHECK_NEAR(mesh[0], (int)def->bodies[0].mesh.kind, 0);
    CHECK_NEAR(law[0], (int)def->bodies[0].law.kind, 0);
    CHECK_NEAR(integrator[0], (int)def->bodies[0].integrator, 0);
    lb_free_scene_def(def);
}

/* The reader is strict about what a kind does not have, so the table's masks can be held against it. */
TEST(WhereTheTableHasNoMeasureOfAKindTheReaderRefusesIt) {
    lbBodyKinds combos[comboLimit];
    int comboCount = list_combos(combos), refused = 0;
    for (int c = 0; c < comboCount; ++c) {
        for (int i = 0; i < lbGetPropertyCount(); ++i) {
            const lbPropertyInfo* property = lbGetProperty(i);
            bool strict = strncmp(property->path, "shape.", 6) == 0 || strncmp(property->path, "mesh.", 5) == 0 ||
                          strncmp(property->path, "law.", 4) == 0;
            if (!strict || find_property(property->path, &combos[c]) != NULL) {
                continue;
            }
            SceneText scene = scene_of(&combos[c]);
            double value[3] = {property->maximum, property->maximum, property->maximum};
            set_property(&scene, property, value);
            lbResult result;
            lb_free_scene_def(read_scene(&scene, &result));
            if (result.code != lb_errorFormat) {
                printf("    %s is accepted, but the table has none: %s\n", property->path, scene.text);
                ++testFailures;
            }
            ++refused;
        }
    }
    CHECK(refused > 50);
}

/* What is no property: names, references to files, and looks. */
static bool is_left_out(const char* path) {
    static const char* const all[] = {
        "name",       "rotation",   "zones", "shape.file", "shape.color", "shape.roughness", "mesh.file",
        "mesh.files", "mesh.image", "kind",  "guided",     "path",        "smooth",          "keys"};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (strcmp(path, all[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether it is the path of a property, or leads to some. Of some body: what a body has no use for the reader may take.
 */
static bool is_in_table(const char* path) {
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const char* other = lbGetProperty(i)->path;
        if (strncmp(other, path, strlen(path)) == 0 && (other[strlen(path)] == '.' || other[strlen(path)] == 0)) {
            return true;
        }
    }
    return false;
}

/* Asks for a key that does not exist: the reader answers with those that do. Returns how many it named. */
static int check_keys_of(const char* section, const lbBodyKinds* kinds) {
    SceneText scene = scene_of(kinds);
    char bogus[64], path[128];
    snprintf(bogus, sizeof(bogus), "%s%szzz", section, section[0] != 0 ? "." : "");
    set(&scene, bogus, "1");
    if (strcmp(section, "pointDamping") == 0) {
        set(&scene, "pointDamping.coefficient", "1");
    }
    lbResult result;
    lb_free_scene_def(read_scene(&scene, &result));
    const char* at = strstr(result.message, "; expected ");
    int count = 0;
    CHECK(result.code == lb_errorFormat && at != NULL && strstr(result.message, "zzz") != NULL);
    while (at != NULL && (at = strchr(at, '"')) != NULL) {
        const char* end = strchr(at + 1, '"');
        int length = end != NULL ? (int)(end - at - 1) : 0;
        snprintf(path, sizeof(path), "%s%s%.*s", section, section[0] != 0 ? "." : "", length, at + 1);
        bool known = is_in_table(path) || is_left_out(path);
        if (end == NULL || !known) {
            printf("    the reader knows \"%s\", the table does not: %s\n", path, result.message);
            ++testFailures;
        }
        at = end != NULL ? end + 1 : NULL;
        ++count;
    }
    return count;
}

TEST(WhatTheReaderTakesOfABodyIsInTheTable) {
    static const char* const sections[] = {"",           "shape",    "mesh",    "law",
                                           "integrator", "material", "penalty", "pointDamping"};
    lbBodyKinds combos[comboLimit];
    int comboCount = list_combos(combos);
    for (int c = 0; c < comboCount; ++c) {
        for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
            bool rigid = strcmp(sections[i], "") == 0 || strcmp(sections[i], "shape") == 0 ||
                         strcmp(sections[i], "material") == 0;
            bool none = combos[c].mesh == lb_meshVoxels && strcmp(sections[i], "penalty") == 0; /* refused there */
            if ((combos[c].body == lb_bodyDynamic || rigid) && !none) {
                CHECK(check_keys_of(sections[i], &combos[c]) > 0);
            }
        }
    }
}

TEST(APropertyThatNeedsAnotherBesideItIsRefusedAlone) {
    lbBodyKinds kinds = {0};
    int count = 0;
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        if (property->beside != NULL && lbProperty_AppliesTo(property, &kinds)) {
            SceneText scene = scene_of(&kinds);
            double value[3] = {property->maximum, 0, 0};
            set_property(&scene, property, value);
            lbResult result;
            lb_free_scene_def(read_scene(&scene, &result));
            CHECK(result.code == lb_errorFormat);
            ++count;
        }
    }
    CHECK(count >= 3);
}

TEST(TheTableIsCompleteAndSound) {
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* p = lbGetProperty(i);
        bool number = p->type == lb_propertyNumber || p->type == lb_propertyInteger || p->type == lb_propertyVector;
        CHECK(p->path != NULL && p->label != NULL && p->unit != NULL && p->description != NULL && p->group != NULL);
        CHECK(!number || p->minimum < p->maximum);
        CHECK(!p->logarithmic || p->minimum > 0);
        CHECK((p->type == lb_propertyChoice) == (p->choiceCount > 0));
        CHECK((p->type == lb_propertyInteger) == (p->step > 0));
        for (int c = 0; c < p->choiceCount; ++c) {
            CHECK(is_described(lbProperty_GetChoice(p, c)));
        }
        CHECK(lbProperty_GetChoice(p, p->choiceCount).name == NULL && lbProperty_GetChoice(p, -1).name == NULL);
    }
}

TEST(NoTwoPropertiesOfABodyHaveTheSamePathAndDefaultsAreWithinRange) {
    lbBodyKinds combos[comboLimit];
    int comboCount = list_combos(combos);
    for (int c = 0; c < comboCount; ++c) {
        for (int i = 0; i < lbGetPropertyCount(); ++i) {
            const lbPropertyInfo* p = lbGetProperty(i);
            double value[3];
            if (!lbProperty_AppliesTo(p, &combos[c])) {
                continue;
            }
            CHECK(find_property(p->path, &combos[c]) == p); /* the first of its path is this one */
            lbProperty_GetDefault(p, &combos[c], value);
            bool zero = value[0] == 0 && p->zero != NULL;
            double most = p->type == lb_propertyChoice ? p->choiceCount - 1 : p->maximum;
            CHECK(p->optional ? isnan(value[0]) : zero || (value[0] >= p->minimum && value[0] <= most));
        }
    }
}

TEST(SettingsAreOfferedToTheMethodsThatUseThem) {
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        lbBodyKinds kinds = {.integrator = (lbIntegratorKind)i};
        unsigned traits = lb_find_integrator((lbIntegratorKind)i)->traits;
        bool implicit = (traits & lb_traitImplicit) != 0, adaptive = (traits & lb_traitAdaptive) != 0;
        CHECK((find_property("integrator.tolerance", &kinds) != NULL) == (implicit || adaptive));
        CHECK((find_property("integrator.iterationLimit", &kinds) != NULL) == implicit);
        CHECK(lbIntegratorKind_IsImplicit((lbIntegratorKind)i) == implicit);
    }
}

/* A law's list belongs to that law alone: another law does not find its way into a body by mistake. */
TEST(PropertiesInTheListOfALawAreOfThatLaw) {
    for (int law = 0; law < lb_lawKindCount; ++law) {
        const lbPropertyList* list = lb_find_law((lbLawKind)law)->properties;
        for (int i = 0; list != NULL && i < list->count; ++i) {
            CHECK((list->items[i].info.laws & LB_BIT(law)) != 0);
            CHECK(strncmp(list->items[i].info.path, "law.", 4) == 0);
        }
    }
}

TEST_MAIN(TEST_ENTRY(EveryKindHasANameALabelAndADescription), TEST_ENTRY(KindsThatDoNotExistHaveNoInfo),
          TEST_ENTRY(EveryLawWorksOnSomeMeshAndEveryMeshHasALaw),
          TEST_ENTRY(WhatTheTableOffersTheSceneReaderAcceptsAndDefaultsAreItsOwn),
          TEST_ENTRY(DefaultsOfKindsAreThoseOfABodyThatSaysNothing),
          TEST_ENTRY(WhereTheTableHasNoMeasureOfAKindTheReaderRefusesIt),
          TEST_ENTRY(WhatTheReaderTakesOfABodyIsInTheTable),
          TEST_ENTRY(APropertyThatNeedsAnotherBesideItIsRefusedAlone), TEST_ENTRY(TheTableIsCompleteAndSound),
          TEST_ENTRY(NoTwoPropertiesOfABodyHaveTheSamePathAndDefaultsAreWithinRange),
          TEST_ENTRY(SettingsAreOfferedToTheMethodsThatUseThem), TEST_ENTRY(PropertiesInTheListOfALawAreOfThatLaw))
