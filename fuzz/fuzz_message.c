/* What clients of limber play send, up to the change of a document that a message asks for. Nothing is built from it.
 */
#include "base/memory.h"
#include "fuzz.h"
#include "fuzz_host.h"
#include "server/describe.h"
#include "server/messages.h"

/* Spaces around every value, so that the driver finds words to change. */
const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "{ \"type\" : \"grab\" , \"id\" : 7 , \"hand\" : 1 , \"body\" : 0 , \"point\" : 123 , \"target\" : [ 0.1 , "
        "-2 , 3 ] }"),
    FUZZ_SEED("{ \"type\" : \"moveGrab\" , \"hand\" : 1 , \"target\" : [ 0 , 0 , 1e3 ] }"),
    FUZZ_SEED("{ \"type\" : \"set\" , \"path\" : \"bodies[0].material.density\" , \"value\" : 500 }"),
    FUZZ_SEED("{ \"type\" : \"set\" , \"path\" : \"bodies[1].mesh.kind\" , \"value\" : \"cloth\" }"),
    FUZZ_SEED("{ \"type\" : \"set\" , \"path\" : \"gravity[1]\" , \"value\" : { \"a\" : [ 1 , null , true ] } }"),
    FUZZ_SEED(
        "{ \"type\" : \"tool\" , \"kind\" : \"sphere\" , \"position\" : [ 0 , 1 , 0 ] , \"rotation\" : [ 0 , 0 , 0 , "
        "1 ] , \"radius\" : 0.1 }"),
    FUZZ_SEED("{ \"type\" : \"tool\" , \"kind\" : null }"),
    FUZZ_SEED("{ \"type\" : \"pin\" , \"body\" : 0 , \"point\" : 5 , \"radius\" : 0.03 }"),
    FUZZ_SEED("{ \"type\" : \"view\" , \"field\" : \"speed\" , \"mesh\" : true }"),
    FUZZ_SEED(
        "{ \"type\" : \"load\" , \"document\" : { \"limber\" : 1 , \"bodies\" : [ { \"name\" : \"a\" , \"shape\" : { "
        "\"file\" : \"a.obj\" } } ] } }"),
    FUZZ_SEED("{ \"type\" : \"load\" , \"file\" : \"spot.obj\" }"),
    FUZZ_SEED("{ \"type\" : \"ack\" , \"frame\" : 512 }"),
    FUZZ_SEED("{ \"type\" : \"speed\" , \"value\" : 0.25 }"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

static const char scene[] = "{\"limber\":1,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"a\",\"shape\":{\"kind\":"
                            "\"box\"}},{\"name\":\"b\",\"mesh\":\"cloth\",\"shape\":{\"file\":\"b.obj\"}}]}";

/* Changes a document as the message says, and reads it again: what is in it stays a scene's text. */
static void change_document(const lbMessage* message) {
    lbValue* document = NULL;
    if (lb_parse_document(scene, sizeof(scene) - 1, "scene", &document).code != lb_ok) {
        fuzz_stop("the scene cannot be read");
    }
    if (lb_set_in_document(document, message->text, message->value).code == lb_ok) {
        int body;
        lb_find_property(document, message->text, &body);
        lb_find_in_document(document, message->text);
        lbText text = {.host = lb_resolve_host(NULL)};
        lb_write_value(&text, document, true);
        lbValue* again = NULL;
        if (text.failed || lb_parse_document(text.data, text.size, "scene", &again).code != lb_ok) {
            fuzz_stop("a document that cannot be read again");
        }
        lb_free_value(again);
        lb_text_free(&text);
    }
    lb_check_document_files(document, NULL);
    lb_free_value(document);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbMessage message;
    lbResult result = lb_read_message(&host, (const char*)data, size, &message);
    if ((result.code == lb_ok) != (result.message[0] == 0) || (result.code != lb_ok && message.value != NULL)) {
        fuzz_stop("a result and a message that do not fit");
    }
    if (result.code == lb_ok && message.kind == lb_messageSet) {
        change_document(&message);
    } else if (result.code == lb_ok && message.kind == lb_messageLoadDocument) {
        lb_check_document_files(message.value, NULL);
        lb_document_kinds(message.value, 0);
    }
    lb_free_message(&message);
    if (state.live != 0) {
        fuzz_stop("memory left behind");
    }
    return 0;
}
