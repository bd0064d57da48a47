/* Scenes that are wrong: each gives an error that says where and what was expected, and nothing crashes. */
#include "limber/scene.h"
#include "test.h"

typedef struct BadScene {
    const char* name;
    lbCode code;
    const char* words; /* the message holds this */
    const char* text;
} BadScene;

#define BOX                                                                                                            \
    "{\"name\": \"jelly\", \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1]}, \"mesh\": {\"kind\": \"tet-grid\", "   \
    "\"edge\": 0.5}}"
/* A scene that is good but for what is added. */
#define SCENE(more) "{\"limber\": 1, \"bodies\": [" BOX "]" more "}"
/* A scene whose body is good but for what is added. */
#define BODY(more)                                                                                                     \
    "{\"limber\": 1, \"bodies\": [{\"name\": \"jelly\", \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1]}" more "}]" \
    "}"
#define SHAPE(shape) "{\"limber\": 1, \"bodies\": [{\"name\": \"jelly\", \"shape\": " shape "}]}"
#define REGIONS ", \"regions\": {\"top\": {\"box\": {\"lower\": [-1, 0.4, -1], \"upper\": [1, 1, 1]}}}"
#define PIN ", \"pins\": [{\"name\": \"hold\", \"body\": \"jelly\", \"region\": \"top\"}]"
#define LOAD ", \"loads\": [{\"name\": \"push\", \"body\": \"jelly\", \"region\": \"top\"}]"

/* The same of a rigid one. */
#define RIGID(more)                                                                                                    \
    "{\"limber\": 1, \"bodies\": [{\"name\": \"ball\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"sphere\"}" more    \
    "}]}"
#define BALL "{\"name\": \"ball\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"sphere\"}, \"position\": [0, 3, 0]}"
#define FINE_BALL "{\"kind\": \"sphere\", \"radius\": 1, \"edge\": 0.15}"
#define COARSE_BALL "{\"kind\": \"sphere\", \"radius\": 1, \"edge\": 0.3}"
/* An attachment that is good but for what is said of it. */
#define ATTACHED(what)                                                                                                 \
    "{\"limber\": 1, \"bodies\": [" BOX ", " BALL "], \"attachments\": [{\"name\": \"glue\", " what "}]}"

static const BadScene badScenes[] = {
    /* the text */
    {"empty file", lb_errorFormat, "is empty; expected a JSON object", ""},
    {"spaces only", lb_errorFormat, "bad.json: line 1", "   "},
    {"truncated", lb_errorFormat, "line 2, column", "{\"limber\": 1,\n \"bodies\": [{\"na"},
    {"binary garbage", lb_errorFormat, "bad.json: line 1", "\x7f\x45\x4c\x46\x02\xff\xfe\x01"},
    {"invalid UTF-8", lb_errorFormat, "unable to decode byte 0xc3", "{\"limber\": 1, \"name\": \"\xc3\x28\"}"},
    {"array instead of object", lb_errorFormat, "expected a JSON object", "[1, 2, 3]"},
    {"trailing text", lb_errorFormat, "end of file expected", SCENE("") " x"},
    {"duplicate key", lb_errorFormat, "duplicate object key", SCENE(", \"frames\": 1, \"frames\": 2")},
    {"number beyond double", lb_errorFormat, "overflow", SCENE(", \"frameRate\": 1e999")},
    {"NaN", lb_errorFormat, "line 1", SCENE(", \"frameRate\": NaN")},
    {"zero byte in a string", lb_errorFormat, "NUL", SCENE(", \"name\": \"a\\u0000b\"")},

    /* keys and types */
    {"no version", lb_errorFormat, "has no \"limber\"", "{\"bodies\": [" BOX "]}"},
    {"later version", lb_errorFormat, "limber: is 2; this build reads", "{\"limber\": 2, \"bodies\": []}"},
    {"version as text", lb_errorFormat, "limber: is \"1\"; expected a number", "{\"limber\": \"1\"}"},
    {"no bodies", lb_errorFormat, "has no \"bodies\"", "{\"limber\": 1}"},
    {"empty bodies", lb_errorFormat, "bodies: is empty", "{\"limber\": 1, \"bodies\": []}"},
    {"bodies not a list", lb_errorFormat, "bodies: is an object; expected an array", "{\"limber\": 1, \"bodies\": {}}"},
    {"body not an object", lb_errorFormat, "bodies[0]: is 5; expected an object", "{\"limber\": 1, \"bodies\": [5]}"},
    {"unknown key", lb_errorFormat, "unknown key \"colour\"", SCENE(", \"colour\": 1")},
    {"misspelt key", lb_errorFormat, "unknown key \"framerate\"; did you mean \"frameRate\"?",
     SCENE(", \"framerate\": 1")},
    {"misspelt key deep inside", lb_errorFormat,
     "bodies[0].material: has an unknown key \"densty\"; did you mean \"density\"?",
     BODY(", \"material\": {\"densty\": 5}")},
    {"misspelt required key", lb_errorFormat, "bodies[0]: has no \"name\"; did you mean that by \"nmae\"?",
     "{\"limber\": 1, \"bodies\": [{\"nmae\": \"a\"}]}"},
    {"null", lb_errorFormat, "gravity: is null; expected three numbers", SCENE(", \"gravity\": null")},
    {"two numbers for three", lb_errorFormat, "gravity: is an array of 2; expected three numbers",
     SCENE(", \"gravity\": [0, 1]")},
    {"word in a vector", lb_errorFormat, "gravity[1]: is \"down\"; expected a number",
     SCENE(", \"gravity\": [0, \"down\", 0]")},
    {"huge number in a vector", lb_errorFormat, "gravity[1]: is 1e+300", SCENE(", \"gravity\": [0, 1e300, 0]")},

    /* the clock */
    {"frame rate 0", lb_errorFormat, "frameRate: is 0; expected a number from 1 to 10000 (1/s)",
     SCENE(", \"frameRate\": 0")},
    {"frame rate 1e9", lb_errorFormat, "frameRate: is 1e+09", SCENE(", \"frameRate\": 1e9")},
    {"no frames", lb_errorFormat, "frames: is 0; expected a whole number", SCENE(", \"frames\": 0")},
    {"half a frame", lb_errorFormat, "frames: is 10.5; expected a whole number", SCENE(", \"frames\": 10.5")},
    {"frames without end", lb_errorFormat, "frames: is 1e+30", SCENE(", \"frames\": 1e30")},

    /* bodies */
    {"negative density", lb_errorFormat,
     "bad.json: bodies[0].material.density: is -5; expected a number above 0 and at most 1000000 (kg/m^3)",
     BODY(", \"material\": {\"density\": -5}")},
    {"density that is 0 as a float", lb_errorFormat, "material.density: is 1e-60",
     BODY(", \"material\": {\"density\": 1e-60}")},
    {"Young's modulus 0", lb_errorFormat, "material.youngsModulus: is 0",
     BODY(", \"material\": {\"youngsModulus\": 0}")},
    {"Poisson's ratio 0.5", lb_errorFormat, "poissonsRatio: is 0.5; expected a number above -1 and below 0.5",
     BODY(", \"material\": {\"poissonsRatio\": 0.5}")},
    {"negative damping", lb_errorFormat, "massDamping: is -1", BODY(", \"material\": {\"massDamping\": -1}")},
    {"negative node mass", lb_errorFormat, "nodeMass: is -1; expected a number above 0", BODY(", \"nodeMass\": -1")},
    {"unknown shape", lb_errorFormat, "shape.kind: is \"cube\"; expected \"box\", \"sphere\"",
     SHAPE("{\"kind\": \"cube\"}")},
    {"no shape", lb_errorFormat, "bodies[0]: has no \"shape\"", "{\"limber\": 1, \"bodies\": [{\"name\": \"a\"}]}"},
    {"shape of neither kind nor file", lb_errorFormat, "shape: has neither", SHAPE("{}")},
    {"shape of kind and file", lb_errorFormat, "shape: has both", SHAPE("{\"kind\": \"box\", \"file\": \"a.obj\"}")},
    {"radius of a box", lb_errorFormat, "shape: has an unknown key \"radius\"",
     SHAPE("{\"kind\": \"box\", \"radius\": 1}")},
    {"shape of no size", lb_errorFormat, "shape.size[1]: is 0", SHAPE("{\"kind\": \"box\", \"size\": [1, 0, 1]}")},
    {"shape of negative radius", lb_errorFormat, "shape.radius: is -1",
     SHAPE("{\"kind\": \"sphere\", \"radius\": -1}")},
    {"scale 0", lb_errorFormat, "shape.scale: is 0", SHAPE("{\"kind\": \"box\", \"scale\": 0}")},
    {"bad colour", lb_errorFormat, "shape.color: is \"red\"", SHAPE("{\"kind\": \"box\", \"color\": \"red\"}")},
    {"missing file", lb_errorFile, "bodies[0] (\"jelly\"): shape: ", SHAPE("{\"file\": \"no-such-file.obj\"}")},
    {"empty file name", lb_errorFormat, "shape.file: is empty", SHAPE("{\"file\": \"\"}")},
    {"unknown mesh", lb_errorFormat,
     "mesh.kind: is \"hexes\"; expected \"tet-grid\", \"cloth\", \"layered\", \"tets\", \"structured\", "
     "\"levels\", \"voxels\" or \"file\"",
     BODY(", \"mesh\": \"hexes\"")},
    {"mesh of a file without one", lb_errorFormat, "mesh: has no \"file\", which is required",
     BODY(", \"mesh\": \"file\"")},
    {"mesh of a file that is not there", lb_errorFile,
     "bodies[0] (\"jelly\"): mesh: ", BODY(", \"mesh\": {\"kind\": \"file\", \"file\": \"nowhere.msh\"}")},
    {"scale of a mesh", lb_errorFormat, "mesh.scale: is 0",
     BODY(", \"mesh\": {\"kind\": \"file\", \"file\": \"nowhere.msh\", \"scale\": 0}")},
    {"half a cell", lb_errorFormat, "mesh.cells: holds 2.5; expected whole numbers",
     BODY(", \"mesh\": {\"kind\": \"structured\", \"cells\": [4, 2.5, 1]}")},
    {"structured sphere", lb_errorArgument, "no structured mesh",
     "{\"limber\": 1, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\"}, \"mesh\": "
     "\"structured\"}]}"},
    {"relaxed grid", lb_errorFormat, "unknown key \"relax\"",
     BODY(", \"mesh\": {\"kind\": \"tet-grid\", \"relax\": true}")},
    {"edge far too small", lb_errorArgument, "would make up to",
     BODY(", \"mesh\": {\"kind\": \"tets\", \"edge\": 1e-5}")},
    {"no shape", lb_errorFormat, "shape", "{\"limber\": 1, \"bodies\": [{\"name\": \"jelly\", \"mesh\": \"tets\"}]}"},
    {"thickness of a solid", lb_errorFormat, "unknown key \"thickness\"",
     BODY(", \"mesh\": {\"kind\": \"tet-grid\", \"thickness\": 1}")},
    {"unknown law", lb_errorFormat, "law.kind: is \"magic\"; expected \"springs\"", BODY(", \"law\": \"magic\"")},
    {"negative stiffness", lb_errorFormat, "law.springStiffness: is -1",
     BODY(", \"law\": {\"kind\": \"springs\", \"springStiffness\": -1}")},
    {"damping without stiffness", lb_errorFormat, "law.springDamping: counts only beside",
     BODY(", \"law\": {\"kind\": \"springs\", \"springDamping\": 1}")},
    {"unknown integrator", lb_errorFormat, "integrator.kind: is \"leap\"", BODY(", \"integrator\": \"leap\"")},
    {"negative steps", lb_errorFormat, "integrator.steps: is -1",
     BODY(", \"integrator\": {\"kind\": \"symplectic-euler\", \"steps\": -1}")},
    {"rotation without axis", lb_errorFormat, "rotation: has no \"axis\"", BODY(", \"rotation\": {\"degrees\": 1}")},
    {"rotation about nothing", lb_errorFormat, "rotation.axis: has no length",
     BODY(", \"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 1}")},
    {"two bodies of one name", lb_errorFormat, "bodies[1].name: is \"jelly\", which another of the bodies has too",
     "{\"limber\": 1, \"bodies\": [" BOX ", " BOX "]}"},
    {"name with a comma", lb_errorFormat, "bodies[0].name: is \"a,b\"; expected 1 to 64 letters",
     "{\"limber\": 1, \"bodies\": [{\"name\": \"a,b\"}]}"},

    /* regions, pins, loads */
    {"region of no form", lb_errorFormat, "regions.top: has 0 forms", SCENE(", \"regions\": {\"top\": {}}")},
    {"region of two forms", lb_errorFormat, "regions.top: has 2 forms",
     SCENE(", \"regions\": {\"top\": {\"all\": true, \"sphere\": {\"center\": [0, 0, 0], \"radius\": 1}}}")},
    {"region inside out", lb_errorFormat, "regions.top.box.upper: is below",
     SCENE(", \"regions\": {\"top\": {\"box\": {\"lower\": [0, 0, 0], \"upper\": [1, -1, 1]}}}")},
    {"region of radius 0", lb_errorFormat, "regions.top.sphere.radius: is 0",
     SCENE(", \"regions\": {\"top\": {\"sphere\": {\"center\": [0, 0, 0], \"radius\": 0}}}")},
    {"half-space without normal", lb_errorFormat, "halfSpace.normal: has no length",
     SCENE(", \"regions\": {\"top\": {\"halfSpace\": {\"point\": [0, 0, 0], \"normal\": [0, 0, 0]}}}")},
    {"region of unknown part", lb_errorFormat, "regions.top.part: is \"skin\"; expected \"nodes\" or \"surface\"",
     SCENE(", \"regions\": {\"top\": {\"all\": true, \"part\": \"skin\"}}")},
    {"region of unknown word", lb_errorFormat, "regions.top: is \"everything\"; expected \"all\"",
     SCENE(", \"regions\": {\"top\": \"everything\"}")},
    {"pin of unknown body", lb_errorFormat, "pins[0].body: is \"jely\"; expected one of the bodies: \"jelly\"",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"hold\", \"body\": \"jely\", \"region\": \"top\"}]")},
    {"pin of unknown region", lb_errorFormat, "pins[0].region: is \"left\"; expected one of the regions: \"top\"",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"hold\", \"body\": \"jelly\", \"region\": \"left\"}]")},
    {"pin in a scene without regions", lb_errorFormat, "pins[0].region: is \"left\", but the scene has no regions",
     SCENE(", \"pins\": [{\"name\": \"hold\", \"body\": \"jelly\", \"region\": \"left\"}]")},
    {"pin along w", lb_errorFormat, "pins[0].axes: is \"xw\"",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"hold\", \"body\": \"jelly\", \"region\": \"top\", \"axes\": \"xw\"}]")},
    {"region that holds nothing", lb_errorFormat, "pins[0]: region \"far\" holds no node of body \"jelly\"",
     SCENE(", \"regions\": {\"far\": {\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}}, \"pins\": [{\"name\": "
           "\"hold\", \"body\": \"jelly\", \"region\": \"far\"}]")},
    {"pressure on nodes", lb_errorFormat, "loads[0].pressure: acts on a surface",
     SCENE(REGIONS ", \"loads\": [{\"name\": \"push\", \"body\": \"jelly\", \"region\": \"top\", \"pressure\": 5}]")},

    /* tools, grabs */
    {"unknown tool", lb_errorFormat,
     "tools[0].kind: is \"knife\"; expected \"sphere\", \"half-space\", \"capsule\", \"box\" or \"mesh\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"knife\"}]")},
    {"tool without radius", lb_errorFormat, "tools[0]: has no \"radius\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"sphere\", \"position\": [0, 0, 0]}]")},
    {"tool without a place", lb_errorFormat, "tools[0]: has no \"position\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"sphere\", \"radius\": 1}]")},
    {"tool called ground beside the ground", lb_errorFormat, "tools[0].name: is \"ground\"",
     SCENE(", \"ground\": {}, \"tools\": [{\"name\": \"ground\", \"kind\": \"sphere\", \"radius\": 1}]")},
    {"path that goes back in time", lb_errorFormat,
     "tools[0].path[1].time: is 0.5; expected more than the 1 s of the waypoint before",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"sphere\", \"radius\": 1, \"position\": [0, 0, 0], \"path\": "
           "[{\"time\": 1, \"position\": [0, 0, 0]}, {\"time\": 0.5, \"position\": [1, 0, 0]}]}]")},
    {"empty path", lb_errorFormat, "tools[0].path: is empty",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"sphere\", \"radius\": 1, \"position\": [0, 0, 0], \"path\": "
           "[]}]")},
    {"grab without a place", lb_errorFormat, "grabs[0]: has no \"at\"",
     SCENE(", \"grabs\": [{\"name\": \"hand\", \"body\": \"jelly\"}]")},
    {"grab called like a pin", lb_errorFormat, "grabs[0].name: is \"hold\", which a pin has too",
     SCENE(REGIONS PIN ", \"grabs\": [{\"name\": \"hold\", \"body\": \"jelly\", \"at\": [0, 0, 0]}]")},
    {"late grab without target", lb_errorFormat, "grabs[0]: has no \"target\"",
     SCENE(", \"grabs\": [{\"name\": \"hand\", \"body\": \"jelly\", \"at\": [0, 0, 0], \"start\": 1}]")},

    /* rigid and guided bodies */
    {"unknown kind of body", lb_errorFormat,
     "bodies[0].kind: is \"soft\"; expected \"dynamic\", \"rigid\", \"elastostatic\" or \"compliant\"",
     BODY(", \"kind\": \"soft\"")},
    {"compliant body without what is precomputed", lb_errorFormat, "bodies[0]: has no \"compliant\"",
     BODY(", \"kind\": \"compliant\"")},
    {"compliant body that nothing holds", lb_errorFormat, "bodies[0].compliant.held: names no region",
     BODY(", \"kind\": \"compliant\", \"compliant\": {}")},
    {"compliant body held by an unknown region", lb_errorFormat, "bodies[0].compliant.held: is \"nowhere\"",
     BODY(", \"kind\": \"compliant\", \"compliant\": {\"held\": [\"nowhere\"]}")},
    {"compliant body with a law", lb_errorFormat,
     "bodies[0].law: is given, but this body is of \"kind\": \"compliant\"",
     BODY(", \"kind\": \"compliant\", \"compliant\": {\"file\": \"a.lbr\"}, \"law\": \"linear\"")},
    {"compliant body of a file and a shape", lb_errorFormat,
     "bodies[0].shape: is given, but the body comes from a file",
     BODY(", \"kind\": \"compliant\", \"compliant\": {\"file\": \"a.lbr\"}")},
    {"compliant body of a file and of what is held", lb_errorFormat,
     "bodies[0].compliant.held: is given, but the \"file\" was precomputed already",
     BODY(", \"kind\": \"compliant\", \"compliant\": {\"file\": \"a.lbr\", \"held\": []}")},
    {"layer of the exact scheme", lb_errorFormat, "bodies[0].compliant.layer: counts only beside",
     BODY(", \"kind\": \"compliant\", \"compliant\": {\"file\": \"a.lbr\", \"layer\": 1}")},
    {"compliant body that pins hold", lb_errorFormat,
     "pins[0].region: is \"top\", which is of nodes, but body \"soft\" is compliant",
     "{\"limber\": 1, \"regions\": {\"top\": \"all\"}, \"bodies\": [{\"name\": \"soft\", \"kind\": \"compliant\", "
     "\"compliant\": {\"file\": \"a.lbr\"}}], \"pins\": [{\"name\": \"p\", \"body\": \"soft\", \"region\": \"top\"}]}"},
    {"misspelt friction", lb_errorFormat, "unknown key \"frictoin\"; did you mean \"friction\"?",
     BODY(", \"frictoin\": 1")},
    {"negative friction", lb_errorFormat, "bodies[0].friction: is -0.1; expected a number from 0",
     RIGID(", \"friction\": -0.1")},
    {"negative friction of the ground", lb_errorFormat, "ground.friction: is -1; expected a number from 0",
     SCENE(", \"ground\": {\"friction\": -1}")},
    {"restitution above 1", lb_errorFormat, "bodies[0].restitution: is 1.5; expected a number from 0 to 1",
     RIGID(", \"restitution\": 1.5")},
    {"negative thickness", lb_errorFormat, "bodies[0].thickness: is -1; expected a number from 0 to 1 (m)",
     BODY(", \"thickness\": -1")},
    {"rigid body of no density", lb_errorFormat, "bodies[0].material.density: is 0; expected a number above 0",
     RIGID(", \"material\": {\"density\": 0}")},
    {"stiffness of a rigid body", lb_errorFormat, "bodies[0].material.youngsModulus: is for soft bodies",
     RIGID(", \"material\": {\"youngsModulus\": 5}")},
    {"law of a rigid body", lb_errorFormat, "bodies[0].law: is for soft bodies, but this one is of \"kind\": \"rigid\"",
     RIGID(", \"law\": \"green\"")},
    {"guided soft body", lb_errorFormat, "bodies[0].guided: is for rigid bodies; expected \"kind\": \"rigid\" beside",
     BODY(", \"guided\": true")},
    {"path of a free body", lb_errorFormat, "bodies[0].path: is given, but the body is not guided",
     RIGID(", \"path\": [{\"time\": 1, \"position\": [0, 1, 0]}]")},
    {"velocity of a guided body", lb_errorFormat, "bodies[0].velocity: is given, but the body is guided",
     RIGID(", \"guided\": true, \"velocity\": [1, 0, 0]")},
    {"guided body that is placed twice", lb_errorFormat,
     "bodies[0].position: is given twice: the path begins at time 0",
     RIGID(", \"guided\": true, \"position\": [0, 1, 0], \"path\": [{\"time\": 0, \"position\": [0, 1, 0]}]")},
    {"unknown collision", lb_errorFormat,
     "bodies[0].collision: is \"convex\"; expected \"sphere\", \"capsule\", \"box\" or \"mesh\"",
     RIGID(", \"collision\": \"convex\"")},
    {"open mesh as a collision shape", lb_errorArgument, "bodies[0] (\"sheet\"): ",
     "{\"limber\": 1, \"bodies\": [{\"name\": \"sheet\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"cloth\"}}]}"},
    {"open mesh as a tool", lb_errorArgument, "tools[0]: ",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"mesh\", \"shape\": {\"kind\": \"cloth\"}, \"position\": [0, 5, "
           "0]}]")},
    {"keys of other triangles", lb_errorFormat,
     "tools[0]: keys[0].shape: has 162 points and 320 triangles; expected the 642 and 1280",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"mesh\", \"shape\": " FINE_BALL ", \"position\": [0, 5, 0], "
           "\"keys\": [{\"time\": 1, \"shape\": " COARSE_BALL "}]}]")},
    {"keys of other triangles of a body", lb_errorFormat, "bodies[0] (\"ball\"): keys[0].shape: has 162 points",
     "{\"limber\": 1, \"bodies\": [{\"name\": \"ball\", \"kind\": \"rigid\", \"guided\": true, \"shape\": " FINE_BALL
     ", \"keys\": [{\"time\": 1, \"shape\": " COARSE_BALL "}]}]}"},
    {"keys that go back", lb_errorFormat, "tools[0].keys[1].time: is 1; expected more than the 1 s of the key before",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"mesh\", \"shape\": " COARSE_BALL ", \"position\": [0, 5, 0], "
           "\"keys\": [{\"time\": 1, \"shape\": " COARSE_BALL "}, {\"time\": 1, \"shape\": " COARSE_BALL "}]}]")},
    {"keys of a ball", lb_errorFormat, "tools[0]: has an unknown key \"keys\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"sphere\", \"radius\": 1, \"position\": [0, 5, 0], \"keys\": "
           "[]}]")},
    {"box without size", lb_errorFormat, "tools[0]: has no \"size\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"box\", \"position\": [0, 5, 0]}]")},
    {"capsule without length", lb_errorFormat, "tools[0]: has no \"length\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"capsule\", \"radius\": 1, \"position\": [0, 5, 0]}]")},
    {"mesh tool without shape", lb_errorFormat, "tools[0]: has no \"shape\"",
     SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"mesh\", \"position\": [0, 5, 0]}]")},
    {"pin on nodes of a rigid body", lb_errorFormat,
     "pins[0].region: is \"top\", which is of nodes, but body \"ball\" is rigid and has none",
     "{\"limber\": 1, \"bodies\": [" BALL "]" REGIONS
     ", \"pins\": [{\"name\": \"a\", \"body\": \"ball\", \"region\": \"top\"}]}"},
    {"carriers of nodes", lb_errorFormat, "pins[0].carriers: is for surfaces",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"a\", \"body\": \"jelly\", \"region\": \"top\", \"carriers\": true}]")},
    {"load on a rigid body", lb_errorFormat, "loads[0].body: is \"ball\", which is rigid",
     "{\"limber\": 1, \"bodies\": [" BALL "]" REGIONS
     ", \"loads\": [{\"name\": \"a\", \"body\": \"ball\", \"region\": \"top\"}]}"},
    {"muscle of a rigid body", lb_errorFormat, "muscles[0].body: is \"ball\", which is rigid",
     "{\"limber\": 1, \"bodies\": [" BALL "]" REGIONS ", \"muscles\": [{\"name\": \"a\", \"body\": \"ball\", "
     "\"region\": \"top\", \"amplitude\": 0.1, \"frequency\": 1}]}"},
    {"spring of a hard grab", lb_errorFormat, "grabs[0].stiffness: is of a spring, but this is hard",
     SCENE(
         ", \"grabs\": [{\"name\": \"a\", \"body\": \"jelly\", \"at\": [0, 0, 0], \"hard\": true, \"stiffness\": 5}]")},

    /* attachments */
    {"attachment to itself", lb_errorFormat, "attachments[0].to: is \"jelly\", the body itself",
     ATTACHED("\"body\": \"jelly\", \"point\": [0, 0, 0], \"to\": \"jelly\"")},
    {"attachment to a body that is not there", lb_errorFormat,
     "attachments[0].to: is \"jely\"; expected one of the bodies: \"jelly\" or \"ball\"",
     ATTACHED("\"body\": \"ball\", \"point\": [0, 0, 0], \"to\": \"jely\"")},
    {"attachment of a body that is not there", lb_errorFormat,
     "attachments[0].body: is \"bone\"; expected one of the bodies",
     ATTACHED("\"body\": \"bone\", \"point\": [0, 0, 0], \"to\": \"jelly\"")},
    {"attachment to nothing", lb_errorFormat, "attachments[0]: has no \"to\"",
     ATTACHED("\"body\": \"ball\", \"point\": [0, 0, 0]")},
    {"attachment without a point", lb_errorFormat, "attachments[0]: has no \"point\"",
     ATTACHED("\"body\": \"ball\", \"to\": \"jelly\"")},
    {"spring of a hard attachment", lb_errorFormat, "attachments[0].damping: is of a spring, but this is hard",
     ATTACHED("\"body\": \"ball\", \"point\": [0, 0, 0], \"to\": \"jelly\", \"damping\": 5")},
    {"attachment of negative stiffness", lb_errorFormat, "attachments[0].stiffness: is -5; expected a number above 0",
     ATTACHED("\"body\": \"ball\", \"point\": [0, 0, 0], \"to\": \"jelly\", \"hard\": false, \"stiffness\": -5")},
    {"violation of nothing", lb_errorFormat, "probes[0].attachment: is \"a\", but the scene has no attachments",
     SCENE(", \"probes\": [{\"name\": \"p\", \"what\": \"violation\", \"attachment\": \"a\"}]")},
    {"pose of a soft body", lb_errorFormat, "probes[0].body: is \"jelly\", which is soft",
     SCENE(", \"probes\": [{\"name\": \"p\", \"what\": \"pose\", \"body\": \"jelly\"}]")},
    {"pressure on nodes", lb_errorFormat, "probes[0].region: is \"top\", which is of nodes; pressure is on a region",
     SCENE(REGIONS ", \"probes\": [{\"name\": \"p\", \"what\": \"contact-pressure\", \"body\": \"jelly\", \"region\": "
                   "\"top\"}]")},
    {"torque of a pin", lb_errorFormat, "probes[0]: names 0 holders; expected one of \"body\" or \"tool\"",
     SCENE(REGIONS PIN ", \"probes\": [{\"name\": \"p\", \"what\": \"torque\", \"pin\": \"hold\"}]")},
    {"path for a body that is not guided", lb_errorFormat, "events[0].body: is \"jelly\", which is not guided",
     SCENE(", \"events\": [{\"time\": 1, \"body\": \"jelly\", \"path\": [{\"time\": 1, \"position\": [0, 0, 0]}]}]")},

    /* events, probes, record */
    {"event without time", lb_errorFormat, "events[0]: has no \"time\"",
     SCENE(", \"events\": [{\"gravity\": [0, 0, 0]}]")},
    {"event before the beginning", lb_errorFormat, "events[0].time: is -1",
     SCENE(", \"events\": [{\"time\": -1, \"gravity\": [0, 0, 0]}]")},
    {"event that does nothing", lb_errorFormat, "events[0]: does 0 things", SCENE(", \"events\": [{\"time\": 1}]")},
    {"event that does two things", lb_errorFormat, "events[0]: does 2 things",
     SCENE(REGIONS PIN ", \"events\": [{\"time\": 1, \"release\": \"hold\", \"gravity\": [0, 0, 0]}]")},
    {"release of an unknown pin", lb_errorFormat, "events[0].release: is \"holt\"; expected one of the pins: \"hold\"",
     SCENE(REGIONS PIN ", \"events\": [{\"time\": 1, \"release\": \"holt\"}]")},
    {"change of an unknown load", lb_errorFormat, "events[0].load: is \"pull\"; expected one of the loads: \"push\"",
     SCENE(REGIONS LOAD ", \"events\": [{\"time\": 1, \"load\": \"pull\", \"force\": [1, 0, 0]}]")},
    {"change of nothing", lb_errorFormat, "events[0]: changes nothing",
     SCENE(REGIONS LOAD ", \"events\": [{\"time\": 1, \"load\": \"push\"}]")},
    {"tool that goes nowhere", lb_errorFormat, "events[0]: has no \"path\"",
     SCENE(", \"ground\": {}, \"events\": [{\"time\": 1, \"tool\": \"ground\"}]")},
    {"unknown probe", lb_errorFormat, "probes[0].what: is \"colour\"; expected \"position\"",
     SCENE(", \"probes\": [{\"name\": \"a\", \"what\": \"colour\"}]")},
    {"probe of an unknown tool", lb_errorFormat, "probes[0].tool: is \"ground\", but the scene has no tools",
     SCENE(", \"probes\": [{\"name\": \"a\", \"what\": \"force\", \"tool\": \"ground\"}]")},
    {"probe of a force on nothing", lb_errorFormat, "probes[0]: names 0 holders",
     SCENE(", \"probes\": [{\"name\": \"a\", \"what\": \"force\"}]")},
    {"probe of a point and a region", lb_errorFormat, "probes[0]: has both \"point\" and \"region\"",
     SCENE(REGIONS
           ", \"probes\": [{\"name\": \"a\", \"what\": \"position\", \"body\": \"jelly\", \"point\": [0, 0, 0], "
           "\"region\": \"top\"}]")},
    {"recording an unknown body", lb_errorFormat, "record.bodies: names \"jam\"",
     SCENE(", \"record\": {\"bodies\": [\"jam\"]}")},

    /* wind, springs, drag, muscles, pins that move */
    {"gust without frequency", lb_errorFormat, "gust: has no \"frequency\"",
     SCENE(", \"gust\": {\"amplitude\": [1, 0, 0]}")},
    {"gust faster than frames", lb_errorFormat,
     "gust.frequency: is 40; expected at most half of the 60 frames per second",
     SCENE(", \"gust\": {\"amplitude\": [1, 0, 0], \"frequency\": 40}")},
    {"wind of two numbers", lb_errorFormat, "wind: is an array of 2", SCENE(", \"wind\": [1, 0]")},
    {"prestrain 1", lb_errorFormat, "mesh.prestrain: is 1; expected a number of at least 0 and below 1",
     BODY(", \"mesh\": {\"kind\": \"cloth\", \"prestrain\": 1}")},
    {"prestrain of a solid", lb_errorFormat, "unknown key \"prestrain\"",
     BODY(", \"mesh\": {\"kind\": \"tet-grid\", \"prestrain\": 0.1}")},
    {"bend of a layered mesh", lb_errorFormat, "unknown key \"bend\"",
     BODY(", \"mesh\": {\"kind\": \"layered\", \"bend\": 0.1}")},
    {"unknown form of spring", lb_errorFormat,
     "law.form: is \"cubic\"; expected \"linear\", \"quadratic\" or \"power\"",
     BODY(", \"law\": {\"kind\": \"springs\", \"form\": \"cubic\"}")},
    {"even power", lb_errorFormat, "law.power: is 4; expected an odd number from 1 to 15",
     BODY(", \"law\": {\"kind\": \"springs\", \"form\": \"power\", \"power\": 4}")},
    {"power of a linear spring", lb_errorFormat, "law: has an unknown key \"power\"",
     BODY(", \"law\": {\"kind\": \"springs\", \"power\": 3}")},
    {"unknown form of damping", lb_errorFormat, "law.dampingForm: is \"cheap\"",
     BODY(", \"law\": {\"kind\": \"springs\", \"dampingForm\": \"cheap\"}")},
    {"negative penalty", lb_errorFormat, "penalty.area: is -1; expected a number from 0",
     BODY(", \"penalty\": {\"area\": -1}")},
    {"volume of a cloth", lb_errorFormat, "penalty: is on the volume, but the mesh \"cloth\" has no tetrahedra",
     BODY(", \"mesh\": \"cloth\", \"penalty\": {\"volume\": 5}")},
    {"equilibrium that moves", lb_errorFormat, "equilibrium: begins at rest, but the body has a velocity",
     BODY(", \"equilibrium\": true, \"velocity\": [1, 0, 0]")},
    {"unknown point damping", lb_errorFormat, "pointDamping.form: is \"linear\"; expected \"stokes\" or \"newton\"",
     BODY(", \"pointDamping\": {\"form\": \"linear\", \"coefficient\": 1}")},
    {"point damping of nothing", lb_errorFormat, "pointDamping: has no \"coefficient\"",
     BODY(", \"pointDamping\": {}")},
    {"negative point damping", lb_errorFormat,
     "pointDamping.coefficient: is -1; expected a number from 0 to 1e+09 (kg/s)",
     BODY(", \"pointDamping\": {\"coefficient\": -1}")},
    {"negative wind drag", lb_errorFormat, "windDrag: is -1", BODY(", \"windDrag\": -1")},
    {"tolerance 0", lb_errorFormat, "integrator.tolerance: is 0",
     BODY(", \"integrator\": {\"kind\": \"symplectic-euler\", \"tolerance\": 0}")},
    {"no iterations", lb_errorFormat, "integrator.iterationLimit: is 0",
     BODY(", \"integrator\": {\"kind\": \"symplectic-euler\", \"iterationLimit\": 0}")},
    {"pin on a line and in a plane", lb_errorFormat, "pins[0]: has more than one of",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"p\", \"body\": \"jelly\", \"region\": \"top\", \"line\": [1, 0, 0], "
                   "\"plane\": [1, 0, 0]}]")},
    {"pin on a line of no length", lb_errorFormat, "pins[0].line: has no length",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"p\", \"body\": \"jelly\", \"region\": \"top\", \"line\": [0, 0, 0]}]")},
    {"pin sent to a position", lb_errorFormat, "pins[0].path[0]: has no \"offset\"",
     SCENE(REGIONS ", \"pins\": [{\"name\": \"p\", \"body\": \"jelly\", \"region\": \"top\", \"path\": [{\"time\": 1, "
                   "\"position\": [0, 0, 0]}]}]")},
    {"event on an unknown pin", lb_errorFormat, "events[0].pin: is \"holt\"; expected one of the pins: \"hold\"",
     SCENE(REGIONS PIN
           ", \"events\": [{\"time\": 1, \"pin\": \"holt\", \"path\": [{\"time\": 1, \"offset\": [0, 0, 0]}]}]")},
    {"muscle that does nothing", lb_errorFormat, "muscles[0]: has no \"amplitude\"",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\"}]")},
    {"muscle that would turn inside out", lb_errorFormat, "muscles[0].amplitude: is 1",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"amplitude\": 1, "
                   "\"frequency\": 1}]")},
    {"muscle of no frequency", lb_errorFormat, "muscles[0].frequency: is 0",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"amplitude\": 0.1, "
                   "\"frequency\": 0}]")},
    {"muscle faster than frames", lb_errorFormat, "muscles[0].frequency: is 31; expected at most half",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"amplitude\": 0.1, "
                   "\"frequency\": 31}]")},
    {"muscle of two kinds", lb_errorFormat, "muscles[0]: has an unknown key \"amplitude\"",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"amplitude\": 0.1, "
                   "\"lengths\": [{\"time\": 0, \"length\": 1}]}]")},
    {"muscle of length 0", lb_errorFormat, "muscles[0].lengths[0].length: is 0; expected a number from 0.1 to 10",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"lengths\": "
                   "[{\"time\": 0, \"length\": 0}]}]")},
    {"muscle that goes back in time", lb_errorFormat, "muscles[0].lengths[1].time: is 1; expected more than the 1 s",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"lengths\": "
                   "[{\"time\": 1, \"length\": 1}, {\"time\": 1, \"length\": 1}]}]")},
    {"muscle along nothing", lb_errorFormat, "muscles[0].direction: has no length",
     SCENE(REGIONS ", \"muscles\": [{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"top\", \"direction\": [0, 0, "
                   "0], \"amplitude\": 0.1, \"frequency\": 1}]")},
    {"muscle of a surface", lb_errorFormat, "muscles[0].region: is \"skin\", which is a surface",
     SCENE(", \"regions\": {\"skin\": {\"all\": true, \"part\": \"surface\"}}, \"muscles\": [{\"name\": \"m\", "
           "\"body\": \"jelly\", \"region\": \"skin\", \"amplitude\": 0.1, \"frequency\": 1}]")},
    {"muscle of no spring", lb_errorArgument, "muscles[0]: region \"dot\"",
     SCENE(", \"regions\": {\"dot\": {\"sphere\": {\"center\": [0.5, 0.5, 0.5], \"radius\": 0.1}}}, \"muscles\": "
           "[{\"name\": \"m\", \"body\": \"jelly\", \"region\": \"dot\", \"amplitude\": 0.1, \"frequency\": 1}]")},
};

static lbResult parse(const char* text, size_t size) {
    lbScene* scene = NULL;
    lbResult result = lbParseScene(text, size, "bad.json", LB_BINARY_DIR, 1, NULL, &scene);
    CHECK((result.code == lb_ok) == (scene != NULL));
    lbDestroyScene(scene);
    return result;
}

TEST(EachBadSceneIsRefusedWithItsReason) {
    for (size_t i = 0; i < sizeof(badScenes) / sizeof(badScenes[0]); ++i) {
        const BadScene* bad = &badScenes[i];
        lbResult result = parse(bad->text, strlen(bad->text));
        if (result.code != bad->code || strstr(result.message, bad->words) == NULL) {
            printf("    %s: code %d, \"%s\"; expected code %d with \"%s\"\n", bad->name, (int)result.code,
                   result.message, (int)bad->code, bad->words);
            ++testFailures;
        }
    }
}

TEST(TheScenesThatTheTableBuildsOnAreGood) {
    const char* good[] = {SCENE(""),
                          BODY(", \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.5}"),
                          SCENE(REGIONS PIN LOAD),
                          RIGID(""),
                          ATTACHED("\"body\": \"ball\", \"point\": [0, 0, 0], \"to\": \"jelly\""),
                          SCENE(", \"tools\": [{\"name\": \"a\", \"kind\": \"mesh\", \"shape\": " COARSE_BALL
                                ", \"position\": [0, 5, 0], \"keys\": [{\"time\": 1, \"shape\": " COARSE_BALL "}]}]")};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i) {
        CHECK_OK(parse(good[i], strlen(good[i])));
    }
}

/* Brackets without end must not run down the stack. */
TEST(DeepNestingIsRefused) {
    enum { depth = 100000 };
    char* text = malloc(depth);
    memset(text, '[', depth);
    CHECK_FAILS(parse(text, depth), lb_errorFormat, "maximum parsing depth");
    memcpy(text, "{\"limber\": 1, \"bodies\": ", 24);
    CHECK_FAILS(parse(text, depth), lb_errorFormat, "maximum parsing depth");
    free(text);
}

TEST(HugeTextsAndLongNamesAreRefused) {
    CHECK_FAILS(parse("{}", (size_t)1 << 40), lb_errorFormat, "expected at most");
    enum { length = 100000 };
    char* text = malloc(length + 200);
    int used = sprintf(text, "{\"limber\": 1, \"bodies\": [{\"name\": \"");
    memset(text + used, 'a', length);
    strcpy(text + used + length, "\"}]}");
    CHECK_FAILS(parse(text, strlen(text)), lb_errorFormat, "bodies[0].name: is");
    free(text);
}

/* Every way to cut a good scene short is an error, never a crash. */
TEST(EveryTruncationIsRefused) {
    const char* text = SCENE(REGIONS PIN LOAD ", \"events\": [{\"time\": 1, \"release\": \"hold\"}]");
    for (size_t size = 0; size < strlen(text); ++size) {
        CHECK(parse(text, size).code == lb_errorFormat);
    }
}

TEST(FilesThatCannotBeReadAreNamed) {
    lbScene* scene = NULL;
    CHECK_FAILS(lbLoadScene("/no/such/scene.json", 1, NULL, &scene), lb_errorFile, "/no/such/scene.json");
    CHECK_FAILS(lbLoadScene("/", 1, NULL, &scene), lb_errorFile, "not a regular file");
    CHECK_FAILS(lbLoadScene(NULL, 1, NULL, &scene), lb_errorArgument, "NULL");
    lbHost foreign = {0};
    CHECK_FAILS(lbLoadScene("/", 1, &foreign, &scene), lb_errorArgument, "lbDefaultHost");
    CHECK_FAILS(lbParseScene(SCENE(""), strlen(SCENE("")), "a.json", "", -1, NULL, &scene), lb_errorArgument,
                "threadCount");
    CHECK(scene == NULL);
    lbDestroyScene(NULL);
}

TEST_MAIN(TEST_ENTRY(EachBadSceneIsRefusedWithItsReason), TEST_ENTRY(TheScenesThatTheTableBuildsOnAreGood),
          TEST_ENTRY(DeepNestingIsRefused), TEST_ENTRY(HugeTextsAndLongNamesAreRefused),
          TEST_ENTRY(EveryTruncationIsRefused), TEST_ENTRY(FilesThatCannotBeReadAreNamed))
