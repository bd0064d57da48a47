/* What limber play does with what comes from outside, before anything reaches a world: messages, changes of the
 * document, names, who may connect; and its clock and its queue. */
#include "server/access.h"
#include "server/defaults.h"
#include "server/describe.h"
#include "server/document.h"
#include "server/frames.h"
#include "server/messages.h"
#include "server/pace.h"
#include "server/page_files.h"
#include "server/queue.h"
#include "test.h"

#include "base/memory.h"
#include "scene/scene_def.h"

static const lbHost* host(void) {
    return lb_resolve_host(NULL);
}

static lbResult read(const char* text, lbMessage* message) {
    return lb_read_message(host(), text, strlen(text), message);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

TEST(MessagesAreReadAsTheyAreMeant) {
    lbMessage m;
    CHECK_OK(read("{\"type\": \"grab\", \"id\": 7, \"hand\": 9, \"body\": 2, \"point\": 123, \"target\": [1, -2.5, 3]}",
                  &m));
    CHECK(m.kind == lb_messageGrab && m.hasId && m.id == 7 && m.hand == 9 && m.body == 2 && m.point == 123);
    CHECK(m.place.x == 1 && m.place.y == -2.5f && m.place.z == 3);
    CHECK_OK(
        read("{\"type\": \"tool\", \"kind\": \"sphere\", \"position\": [0, 1, 0], \"rotation\": [0, 0, 0, 2]}", &m));
    CHECK(m.kind == lb_messageTool && m.on && strcmp(m.text, "sphere") == 0 && m.rotation.w == 1 && !m.hasId);
    CHECK_NEAR(m.number, 0.08, 1e-12);
    CHECK_OK(read("{\"type\": \"tool\", \"kind\": null}", &m));
    CHECK(m.kind == lb_messageTool && !m.on);
    CHECK_OK(read("{\"type\": \"view\", \"field\": null, \"mesh\": true}", &m));
    CHECK(m.kind == lb_messageView && m.on && m.text[0] == 0);
    CHECK_OK(read("{\"type\": \"ack\", \"frame\": 4000000000}", &m));
    CHECK(m.kind == lb_messageAck && m.frame == 4000000000u);
    CHECK_OK(read("{\"type\": \"load\", \"shape\": \"bunny\"}", &m));
    CHECK(m.kind == lb_messageLoadShape && strcmp(m.text, "bunny") == 0);
    CHECK_OK(read("{\"type\": \"set\", \"path\": \"gravity\", \"value\": [0, 1, 0.5]}", &m));
    lbText text = {.host = host()};
    lb_write_value(&text, m.value, false);
    CHECK(text.size == 9 && strncmp(text.data, "[0,1,0.5]", 9) == 0);
    lb_text_free(&text);
    lb_free_message(&m);
}

TEST(MessagesThatMakeNoSenseAreRefusedWithWhatWasExpected) {
    static const char* const cases[][2] = {
        {"", "is empty"},
        {"[1]", "expected a JSON object"},
        {"{\"type\": \"jump\"}", "type: is \"jump\""},
        {"{\"a\": 1}", "has no \"type\""},
        {"{\"type\": \"step\", \"more\": 1}", "unknown key \"more\""},
        {"{\"type\": \"step\", \"id\": \"x\"}", "id: is \"x\""},
        {"{\"type\": \"pause\", \"value\": 1}", "value: is 1; expected true or false"},
        {"{\"type\": \"speed\", \"value\": 5}", "value: is 5"},
        {"{\"type\": \"speed\", \"value\": 1e999}", "number"},
        {"{\"type\": \"grab\", \"hand\": 10, \"body\": 0, \"point\": 0, \"target\": [0, 0, 0]}", "hand: is 10"},
        {"{\"type\": \"grab\", \"hand\": 0, \"body\": -1, \"point\": 0, \"target\": [0, 0, 0]}", "body: is -1"},
        {"{\"type\": \"grab\", \"hand\": 0, \"body\": 0, \"point\": 0.5, \"target\": [0, 0, 0]}", "point: is 0.5"},
        {"{\"type\": \"grab\", \"hand\": 0, \"body\": 0, \"point\": 0, \"target\": [0, 1e6, 0]}",
         "target[1]: is 1000000"},
        {"{\"type\": \"grab\", \"hand\": 0, \"body\": 0, \"point\": 0, \"target\": 5}", "target: is 5"},
        {"{\"type\": \"tool\", \"kind\": \"sphere\", \"position\": [0, 0, 0], \"rotation\": [0, 0, 0]}", "4 numbers"},
        {"{\"type\": \"tool\", \"kind\": \"sphere\", \"position\": [0, 0, 0], \"rotation\": [0, 0, 0, 0]}",
         "no length"},
        {"{\"type\": \"tool\", \"kind\": \"sphere\", \"position\": [0, 0, 0], \"radius\": 0}", "radius: is 0"},
        {"{\"type\": \"load\"}", "expected one"},
        {"{\"type\": \"load\", \"scene\": \"a\", \"shape\": \"b\"}", "has 2 of"},
        {"{\"type\": \"load\", \"file\": \"../a.obj\"}", "plain file name"},
        {"{\"type\": \"load\", \"document\": 5}", "an object"},
        {"{\"type\": \"set\", \"path\": \"\", \"value\": 1}", "path: has 0 bytes"},
        {"{\"type\": \"set\", \"path\": \"a\"}", "has no \"value\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        lbMessage m;
        CHECK_FAILS(read(cases[i][0], &m), lb_errorFormat, cases[i][1]);
        CHECK(m.value == NULL);
    }
    lbMessage m;
    CHECK(read("{\"type\": \"jump\", \"id\": 12}", &m).code != lb_ok);
    CHECK(m.hasId && m.id == 12); /* the answer can name it */
}

/* ---- The document ------------------------------------------------------------------------------------------------ */

static lbValue* parse(const char* text) {
    lbValue* document = NULL;
    CHECK_OK(lb_parse_document(text, strlen(text), "test", &document));
    return document;
}

static lbResult set(lbValue* document, const char* path, const char* json) {
    char text[256];
    snprintf(text, sizeof(text), "{\"value\": %s}", json);
    lbValue* wrapped = parse(text);
    lbResult result = lb_set_in_document(document, path, lb_find_in_document(wrapped, "value"));
    lb_free_value(wrapped);
    return result;
}

static bool holds(const lbValue* document, const char* expected) {
    lbText text = {.host = host()};
    lb_write_value(&text, document, false);
    bool same = text.size == strlen(expected) && strncmp(text.data, expected, text.size) == 0;
    if (!same) {
        printf("    is %.*s\n    not %s\n", (int)text.size, text.data, expected);
    }
    lb_text_free(&text);
    return same;
}

TEST(APathLeadsToItsPlaceAndMakesWhatIsMissing) {
    lbValue* document = parse("{\"bodies\":[{\"name\":\"a\"},{\"name\":\"b\",\"mesh\":\"cloth\"}]}");
    CHECK_OK(set(document, "gravity", "[0,0,0]"));
    CHECK_OK(set(document, "gravity[1]", "-1.5"));
    CHECK_OK(set(document, "bodies[0].material.density", "500"));
    CHECK_OK(set(document, "bodies[0].integrator.steps", "3")); /* beside the kind that it has anyway */
    CHECK_OK(set(document, "bodies[1].mesh.thickness", "0.01"));
    CHECK(holds(document, "{\"bodies\":[{\"name\":\"a\",\"material\":{\"density\":500},\"integrator\":{\"kind\":"
                          "\"automatic\",\"steps\":3}},{\"name\":\"b\",\"mesh\":{\"kind\":\"cloth\","
                          "\"thickness\":0.01}}],\"gravity\":[0,-1.5,0]}"));
    CHECK_OK(set(document, "bodies[1].mesh.kind", "\"tet-grid\"")); /* takes no thickness along */
    CHECK_OK(set(document, "bodies[0].integrator", "null"));
    CHECK_OK(set(document, "bodies[0].material.density", "null"));
    CHECK(holds(document, "{\"bodies\":[{\"name\":\"a\",\"material\":{}},{\"name\":\"b\",\"mesh\":{\"kind\":"
                          "\"tet-grid\"}}],\"gravity\":[0,-1.5,0]}"));
    CHECK(strcmp(lb_value_string(lb_find_in_document(document, "bodies[1].mesh.kind")), "tet-grid") == 0);
    CHECK(lb_find_in_document(document, "bodies[2].name") == NULL);
    lb_free_value(document);
}

TEST(AKindThatIsAWordAloneHasAKind) {
    lbValue* document = parse("{\"bodies\":[{\"mesh\":\"cloth\"}]}");
    CHECK(strcmp(lb_value_string(lb_find_in_document(document, "bodies[0].mesh.kind")), "cloth") == 0);
    lbBodyKinds kinds = lb_document_kinds(document, 0);
    CHECK(kinds.mesh == lb_meshCloth && kinds.shape == lb_shapeKindCount);
    lb_free_value(document);
}

TEST(WhatIsNoPlaceIsRefused) {
    static const char* const paths[] = {"",
                                        "a..b",
                                        ".a",
                                        "a.",
                                        "bodies[",
                                        "bodies[]",
                                        "[0]",
                                        "bodies[x]",
                                        "bodies[0]x",
                                        "bodies.name",
                                        "name.x",
                                        "bodies[5].name",
                                        "bodies[-1]",
                                        "bodies[0][0]",
                                        "bodies[1]",
                                        "bodies[99999999999]",
                                        "a.b.c.d.e.f.g.h.i.j",
                                        "bodies[0].name[2]"};
    lbValue* document = parse("{\"name\":\"x\",\"bodies\":[{\"name\":\"a\"}]}");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
        CHECK_FAILS(set(document, paths[i], "5"), lb_errorArgument, "path");
    }
    lb_free_value(document);
}

TEST(FilesOfForeignDocumentsStayInTheFolder) {
    lbValue* trusted = parse("{\"bodies\":[{\"shape\":{\"file\":\"../meshes/a.obj\"}}]}");
    lbValue* same = parse("{\"bodies\":[{\"shape\":{\"file\":\"../meshes/a.obj\"}},{\"shape\":{\"file\":\"b.obj\"}}]}");
    lbValue* moved = parse("{\"bodies\":[{\"shape\":{\"kind\":\"box\"}},{\"shape\":{\"file\":\"../meshes/a.obj\"}}]}");
    CHECK_OK(lb_check_document_files(same, trusted));
    CHECK_FAILS(lb_check_document_files(same, NULL), lb_errorArgument, "bodies[0].shape.file");
    CHECK_FAILS(lb_check_document_files(moved, trusted), lb_errorArgument, "bodies[1].shape.file");
    CHECK(strcmp(lb_first_document_file(same), "../meshes/a.obj") == 0);
    lbValue* tets = parse("{\"bodies\":[{\"mesh\":{\"kind\":\"file\",\"file\":\"../meshes/a.msh\"}}]}");
    CHECK_FAILS(lb_check_document_files(tets, trusted), lb_errorArgument, "bodies[0].mesh.file");
    CHECK(strcmp(lb_first_document_file(tets), "../meshes/a.msh") == 0);
    lb_free_value(tets);
    lb_free_value(trusted);
    lb_free_value(same);
    lb_free_value(moved);
}

TEST(PinsOfPeopleMakeASceneThatCanBeRead) {
    lbValue* document = parse("{\"limber\":1,\"bodies\":[{\"name\":\"a\",\"shape\":{\"kind\":\"box\"}}],\"regions\":"
                              "{\"hand pin 1\":\"all\"}}");
    CHECK_OK(lb_add_pin_to_document(document, 0, (lbVec3){1, 2, 3}, 0.1));
    CHECK_OK(lb_add_pin_to_document(document, 0, (lbVec3){1, 2, 3}, 0.2));
    lbText text = {.host = host()};
    lb_write_value(&text, document, true);
    lbSceneDef* def = NULL;
    CHECK_OK(lb_read_scene_def(host(), text.data, text.size, "test", &def));
    CHECK(def != NULL && def->pinCount == 2 && def->regionCount == 3);
    lb_free_scene_def(def);
    lb_text_free(&text);
    lb_remove_pin_from_document(document, 0);
    CHECK(lb_find_in_document(document, "pins[1]") == NULL && lb_find_in_document(document, "pins[0]") != NULL);
    lb_free_value(document);
}

/* Tetrahedra times steps of a frame: a core does several hundred thousand of them in a third of it. */
static double work_of_frame(const lbText* text) {
    lbScene* scene = NULL;
    double work = INFINITY;
    CHECK_OK(lbParseScene(text->data, text->size, "test", "", 1, host(), &scene));
    if (scene != NULL && lbScene_Step(scene).code == lb_ok) {
        lbModelInfo info = {0};
        lbWorld* world = lbScene_GetWorld(scene);
        CHECK_OK(lbModel_GetInfo(world, lbBody_GetModel(world, lbScene_GetBody(scene, 0)), &info));
        work = (double)info.tetCount * lbWorld_GetCounters(world).stepCount;
    }
    lbDestroyScene(scene);
    return work;
}

TEST(EveryShapeHasAGoodScene) {
    int stuffed = 0;
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        lbText text = {.host = host()};
        lbSceneDef* def = NULL;
        CHECK_OK(lb_scene_for_shape((lbShapeKind)i, false, &text, NULL));
        CHECK_OK(lb_read_scene_def(host(), text.data, text.size, lbShapeKind_GetName((lbShapeKind)i), &def));
        CHECK(def != NULL && def->hasGround && (def->bodies[0].mesh.kind == lb_meshCloth) == (i == lb_shapeCloth));
        if (def != NULL && i != lb_shapeCloth) {
            const lbSceneBody* body = &def->bodies[0];
            CHECK(body->law.kind == lb_lawCorotational && body->material.poissonsRatio <= 0.4f);
            CHECK(body->mesh.kind == lb_meshTets || body->mesh.kind == lb_meshTetGrid);
            stuffed += body->mesh.kind == lb_meshTets;
        }
        if (i == lb_shapeBox || i == lb_shapeBunny || i == lb_shapeLiver) {
            CHECK(work_of_frame(&text) < 500000);
        }
        lb_free_scene_def(def);
        lb_text_free(&text);
    }
    CHECK(stuffed >= 8); /* but for what is so thin that a grid serves it better */
}

TEST(EveryPropertyThatIsLiveIsFoundByItsPath) {
    lbText text = {.host = host()};
    CHECK_OK(lb_scene_for_shape(lb_shapeBox, false, &text, NULL));
    lbValue* document = NULL;
    CHECK_OK(lb_parse_document(text.data, text.size, "test", &document));
    lbBodyKinds kinds = lb_document_kinds(document, 0);
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        char path[128];
        snprintf(path, sizeof(path), "%s%s", property->ofBody ? "bodies[0]." : "", property->path);
        int body = 7;
        const lbPropertyInfo* found = lb_find_property(document, path, &body);
        CHECK((found == property) == lbProperty_AppliesTo(property, &kinds) || found != NULL);
        CHECK(body == (property->ofBody ? 0 : -1));
    }
    int body;
    CHECK(lb_find_property(document, "bodies[1].material.density", &body) == NULL);
    CHECK(lb_find_property(document, "bodies[0].nonsense", &body) == NULL);
    lb_free_value(document);
    lb_text_free(&text);
}

/* ---- Who may connect --------------------------------------------------------------------------------------------- */

TEST(OnlyTheOwnHostAndOriginAreOwn) {
    lbAccess local = {.address = "127.0.0.1", .port = 8787}, open = {.address = "0.0.0.0", .port = 8787};
    CHECK(lb_host_is_own(&local, "127.0.0.1:8787") && lb_host_is_own(&local, "localhost:8787"));
    static const char* const foreign[] = {"",
                                          "127.0.0.1",
                                          "127.0.0.1:80",
                                          "evil.example:8787",
                                          "localhost",
                                          ":8787",
                                          "127.0.0.1.evil.example:8787",
                                          "192.168.1.1:8787",
                                          "localhost:8787:8787",
                                          "localhost:08787",
                                          "127.0.0.1:8787 "};
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); ++i) {
        CHECK(!lb_host_is_own(&local, foreign[i]));
    }
    CHECK(lb_host_is_own(&open, "192.168.1.1:8787") && !lb_host_is_own(&open, "evil.example:8787"));
    CHECK(lb_origin_is_own("http://127.0.0.1:8787", "127.0.0.1:8787"));
    CHECK(!lb_origin_is_own("https://127.0.0.1:8787", "127.0.0.1:8787"));
    CHECK(!lb_origin_is_own("http://127.0.0.1:8787.evil.example", "127.0.0.1:8787") &&
          !lb_origin_is_own("null", "null"));
}

TEST(TokensDifferAndOnlyTheRightOneIsRight) {
    lbAccess a = {0}, b = {0};
    CHECK_OK(lb_make_token(a.token));
    CHECK_OK(lb_make_token(b.token));
    CHECK(strlen(a.token) == lb_tokenLength && lb_token_is_right(&a, a.token));
    CHECK(!lb_token_is_right(&a, b.token) && !lb_token_is_right(&a, "") && !lb_token_is_right(&a, "0"));
}

TEST(PlainNamesLeadNowhereElse) {
    CHECK(lb_is_plain_file_name("a.obj") && lb_is_plain_file_name("sp ace.obj") &&
          lb_is_plain_file_name("\xc3\xa4.obj"));
    static const char* const bad[] = {"", ".", "..", ".a", "a/b", "/a", "a\\b", "a\nb", "a\x7f"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        CHECK(!lb_is_plain_file_name(bad[i]));
    }
    CHECK(lb_has_ending("a.OBJ", "obj") && !lb_has_ending("a.obj.txt", "obj") && !lb_has_ending("obj", "obj"));
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

/* Frames that take `cost` seconds each, until `end`; the number of them, and the last news. */
static int run_frames(lbPace* pace, double* now, double cost, double end, lbPaceNews* news) {
    int count = 0;
    *news = lb_paceNothing;
    while (*now < end) {
        *now = *now < pace->next ? pace->next : *now;
        lb_pace_begin(pace, *now);
        *now += cost;
        lbPaceNews told = lb_pace_stepped(pace, 1 / pace->frameRate, cost, *now);
        *news = told != lb_paceNothing ? told : *news;
        ++count;
    }
    return count;
}

TEST(FramesComeAtTheirRateWhileThereIsTime) {
    lbPace pace = lb_pace_begin_with(60, 100);
    double now = 100;
    lbPaceNews news;
    CHECK_NEAR(run_frames(&pace, &now, 0.010, 110, &news), 600, 1);
    CHECK(news == lb_paceNothing && pace.ratio > 0.99);
    lb_pace_set_speed(&pace, 0.25);
    CHECK_NEAR(run_frames(&pace, &now, 0.010, 120, &news), 150, 1);
    CHECK(news == lb_paceNothing && pace.ratio > 0.98);
    CHECK_NEAR(lb_pace_budget(&pace), 4 / 60.0, 1e-12);
}

TEST(WhenThereIsNotSimulatedTimeGivesWayAndPeopleAreToldOnce) {
    lbPace pace = lb_pace_begin_with(60, 0);
    double now = 0;
    lbPaceNews news;
    int frames = run_frames(&pace, &now, 0.025, 5, &news); /* 40 a second of 60 */
    CHECK_NEAR(frames, 200, 2);
    CHECK(news == lb_paceLost);
    CHECK_NEAR(pace.ratio, 2.0 / 3, 0.02);
    CHECK_NEAR(pace.frameSeconds, 0.025, 1e-9);
    run_frames(&pace, &now, 0.025, 10, &news);
    CHECK(news == lb_paceNothing);
    /* What was missed is not made up for. */
    frames = run_frames(&pace, &now, 0.001, 15, &news);
    CHECK_NEAR(frames, 300, 4);
    CHECK(news == lb_paceRecovered);
}

/* ---- The queue --------------------------------------------------------------------------------------------------- */

TEST(ALoudClientWaitsAndOthersDoNot) {
    lbQueue queue;
    lbQueued item;
    CHECK(lb_create_queue(host(), &queue));
    lbMessage step = {.kind = lb_messageStep}, left = {.kind = lb_messageLeft};
    int taken = 0;
    while (lb_queue_add(&queue, 1, &step)) {
        ++taken;
    }
    CHECK(taken == lb_queueLimitOfClient);
    CHECK(lb_queue_add(&queue, 2, &step) && lb_queue_add(&queue, 2, &left));
    CHECK(lb_queue_take(&queue, &item) && item.client == 1);
    CHECK(lb_queue_add(&queue, 1, &step) && !lb_queue_add(&queue, 1, &step));
    for (int client = 3; client < 50; ++client) {
        while (lb_queue_add(&queue, client, &step)) {
        }
    }
    CHECK(queue.count <= lb_queueLimit && lb_queue_add(&queue, 60, &left));
    lb_destroy_queue(host(), &queue);
}

TEST(OfPlacesToGoOnlyTheLastCounts) {
    lbQueue queue;
    lbQueued item;
    CHECK(lb_create_queue(host(), &queue));
    lbMessage move = {.kind = lb_messageMoveGrab, .hand = 1}, tool = {.kind = lb_messageTool, .on = true};
    for (int i = 0; i < 1000; ++i) {
        move.place.x = (float)i;
        CHECK(lb_queue_add(&queue, 1, &move));
    }
    move.hand = 2;
    CHECK(lb_queue_add(&queue, 1, &move) && lb_queue_add(&queue, 2, &move) && queue.count == 3);
    tool.hasId = true; /* somebody waits for the answer */
    CHECK(lb_queue_add(&queue, 1, &tool) && lb_queue_add(&queue, 1, &tool) && queue.count == 5);
    CHECK(lb_queue_take(&queue, &item) && item.message.place.x == 999);
    lb_destroy_queue(host(), &queue);
}

TEST_MAIN(TEST_ENTRY(MessagesAreReadAsTheyAreMeant), TEST_ENTRY(MessagesThatMakeNoSenseAreRefusedWithWhatWasExpected),
          TEST_ENTRY(APathLeadsToItsPlaceAndMakesWhatIsMissing), TEST_ENTRY(AKindThatIsAWordAloneHasAKind),
          TEST_ENTRY(WhatIsNoPlaceIsRefused), TEST_ENTRY(FilesOfForeignDocumentsStayInTheFolder),
          TEST_ENTRY(PinsOfPeopleMakeASceneThatCanBeRead), TEST_ENTRY(EveryShapeHasAGoodScene),
          TEST_ENTRY(EveryPropertyThatIsLiveIsFoundByItsPath), TEST_ENTRY(OnlyTheOwnHostAndOriginAreOwn),
          TEST_ENTRY(TokensDifferAndOnlyTheRightOneIsRight), TEST_ENTRY(PlainNamesLeadNowhereElse),
          TEST_ENTRY(FramesComeAtTheirRateWhileThereIsTime),
          TEST_ENTRY(WhenThereIsNotSimulatedTimeGivesWayAndPeopleAreToldOnce),
          TEST_ENTRY(ALoudClientWaitsAndOthersDoNot), TEST_ENTRY(OfPlacesToGoOnlyTheLastCounts))
