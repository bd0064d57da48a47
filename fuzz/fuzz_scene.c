/* The scene reader, from text to a checked definition. Nothing is built from it: that is the world's business. */
#include "fuzz.h"
#include "fuzz_host.h"
#include "scene/scene_def.h"

/* Spaces around every value, so that the driver finds words to change. */
const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "{ \"limber\" : 1 , \"bodies\" : [ { \"name\" : \"a\" , \"shape\" : { \"kind\" : \"box\" , \"size\" : [ 1 , "
        "2 , 3 ] , \"scale\" : 2 , \"color\" : \"#ff8800\" , \"roughness\" : 0.5 } , \"mesh\" : \"tet-grid\" } ] }"),
    FUZZ_SEED(
        "{ \"limber\" : 1 , \"name\" : \"n\" , \"description\" : \"d\" , \"frameRate\" : 60 , \"frames\" : 10 , "
        "\"gravity\" : [ 0 , -9.81 , 0 ] , \"ground\" : { \"height\" : 0 } , \"regions\" : { \"r\" : { \"box\" : { "
        "\"lower\" : [ -1 , -1 , -1 ] , \"upper\" : [ 1 , 1 , 1 ] } , \"part\" : \"surface\" } , \"s\" : { \"sphere\" "
        ": { "
        "\"center\" : [ 0 , 0 , 0 ] , \"radius\" : 1 } } , \"h\" : { \"halfSpace\" : { \"point\" : [ 0 , 0 , 0 ] , "
        "\"normal\" : [ 0 , 1 , 0 ] } } , \"e\" : \"all\" } , \"bodies\" : [ { \"name\" : \"a\" , \"shape\" : { "
        "\"file\" "
        ": \"a.obj\" , \"fit\" : 1 } , \"mesh\" : { \"kind\" : \"cloth\" , \"thickness\" : 0.01 , \"bend\" : 0.1 } , "
        "\"material\" : { \"density\" : 1000 , \"youngsModulus\" : 20000 , \"poissonsRatio\" : 0.3 , "
        "\"stiffnessDamping\" : 0.01 , \"massDamping\" : 1 } , \"law\" : { \"kind\" : \"springs\" , "
        "\"springStiffness\" "
        ": 10 , \"springDamping\" : 1 } , \"integrator\" : { \"kind\" : \"symplectic-euler\" , \"steps\" : 3 } , "
        "\"rotation\" : { \"axis\" : [ 0 , 1 , 0 ] , \"degrees\" : 90 } , \"nodeMass\" : 1 , \"velocity\" : [ 0 , 0 , "
        "0 "
        "] } ] , \"record\" : { \"bodies\" : [ \"a\" ] , \"every\" : 2 } }"),
    FUZZ_SEED(
        "{ \"limber\" : 1 , \"regions\" : { \"r\" : { \"all\" : true , \"part\" : \"surface\" } } , \"bodies\" : [ { "
        "\"name\" : \"a\" , \"shape\" : { \"kind\" : \"torus\" , \"radius\" : 1 , \"innerRadius\" : 0.2 } } ] , "
        "\"pins\" "
        ": [ { \"name\" : \"p\" , \"body\" : \"a\" , \"region\" : \"r\" , \"axes\" : \"xz\" } ] , \"loads\" : [ { "
        "\"name\" : \"l\" , \"body\" : \"a\" , \"region\" : \"r\" , \"force\" : [ 1 , 0 , 0 ] , \"pressure\" : 5 } ] , "
        "\"tools\" : [ { \"name\" : \"t\" , \"kind\" : \"sphere\" , \"radius\" : 1 , \"smooth\" : true , \"path\" : [ "
        "{ "
        "\"time\" : 0 , \"position\" : [ 0 , 0 , 0 ] } , { \"time\" : 1 , \"position\" : [ 1 , 0 , 0 ] , \"rotation\" "
        ": "
        "{ \"axis\" : [ 0 , 1 , 0 ] , \"degrees\" : 90 } } ] } ] , \"grabs\" : [ { \"name\" : \"g\" , \"body\" : \"a\" "
        ", "
        "\"at\" : [ 0 , 0 , 0 ] , \"start\" : 1 , \"target\" : [ 1 , 0 , 0 ] , \"stiffness\" : 9 , \"damping\" : 1 } ] "
        ", "
        "\"events\" : [ { \"time\" : 1 , \"release\" : \"p\" } , { \"time\" : 2 , \"load\" : \"l\" , \"force\" : [ 0 , "
        "0 "
        ", 0 ] , \"over\" : 1 } , { \"time\" : 1 , \"gravity\" : [ 0 , 0 , 0 ] } , { \"time\" : 3 , \"tool\" : \"t\" , "
        "\"path\" : [ { \"time\" : 1 , \"position\" : [ 0 , 0 , 0 ] } ] } , { \"time\" : 4 , \"release\" : \"g\" } ] , "
        "\"probes\" : [ { \"name\" : \"x\" , \"what\" : \"position\" , \"body\" : \"a\" , \"point\" : [ 0 , 0 , 0 ] } "
        ", { "
        "\"name\" : \"y\" , \"what\" : \"velocity\" , \"body\" : \"a\" , \"region\" : \"r\" } , { \"name\" : \"e\" , "
        "\"what\" : \"energy\" } , { \"name\" : \"f\" , \"what\" : \"force\" , \"pin\" : \"p\" } ] }"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbSceneDef* def = NULL;
    lbResult result = lb_read_scene_def(&host, (const char*)data, size, "fuzz.json", &def);
    if ((result.code == lb_ok) != (def != NULL) || (result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a result and a scene that do not fit");
    }
    lb_free_scene_def(def);
    if (state.live != 0) {
        fuzz_stop("memory left behind");
    }
    return 0;
}
