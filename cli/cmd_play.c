/* limber play: the engine behind a page in the browser. */
#include "cli/commands.h"
#include "cli/open_browser.h"
#include "cli/options.h"
#include "cli/process.h"
#include "server/play.h"

#include <stdlib.h>
#include <string.h>

static bool is_interrupted(void* user) {
    (void)user;
    return lb_interruption() != 0;
}

typedef struct PlayOptions {
    lbPlayDef def;
    const char* mesh;
    bool noBrowser, json;
} PlayOptions;

static void tell_address(void* user, const char* address) {
    const PlayOptions* options = user;
    if (options->json) {
        lbJson json = lb_jsonline_begin(stdout);
        lb_jsonline_string(&json, "event", "ready");
        lb_jsonline_string(&json, "address", address);
        lb_jsonline_end(&json);
    } else {
        printf("limber: open %s\n", address);
    }
    fflush(stdout);
    if (!options->noBrowser) {
        lb_open_browser(address);
    }
}

static void warn(void* user, const char* message) {
    (void)user;
    lb_print_error("play: warning: %s", message);
}

static bool is_loopback(const char* address) {
    return strncmp(address, "127.", 4) == 0;
}

static int play(lbParsed* parsed, void* given) {
    PlayOptions* options = given;
    lbPlayDef* def = &options->def;
    options->json = parsed->output.json;
    def->voxels = strcmp(options->mesh, "voxels") == 0;
    if (!def->voxels && strcmp(options->mesh, "auto") != 0) {
        lb_print_error("play: --mesh is '%s'; expected auto or voxels", options->mesh);
        return lb_exitUsage;
    }
    def->what = parsed->argumentCount > 0 ? parsed->arguments[0] : NULL;
    if (!is_loopback(def->address)) {
        warn(NULL, "other machines can reach this address; whoever has the token can use it");
    }
    lb_catch_interruption();
    lbResult result = lb_play(def);
    lb_forget_interruption();
    if (result.code != lb_ok) {
        lb_print_error("play: %s", result.message);
        return lb_exitFailed;
    }
    return lb_exitOk;
}

static int run(int argumentCount, char** arguments) {
    PlayOptions given = {.def = {.address = "127.0.0.1", .stop = is_interrupted, .ready = tell_address, .warn = warn},
                         .mesh = "auto"};
    lbPlayDef* def = &given.def;
    def->user = &given;
    const lbOption options[] = {
        {"port", 'p', lb_optionInt, &def->port, "N", 1, 65535,
         .help = "where to listen (default: 8787, or a free one if that is taken)"},
        {"no-browser", .target = &given.noBrowser, .help = "only print the address"},
        {"address", 'a', lb_optionString, &def->address, "A", .help = "interface to listen at (default: 127.0.0.1)"},
        {"threads", 't', lb_optionInt, &def->threadCount, "N", 1, 256,
         .help = "threads of the engine (default: one for each processor)"},
        {"mesh", 'm', lb_optionString, &given.mesh, "KIND",
         .help = "what surfaces without a scene become: auto (default), or voxels, which takes every one"},
        {"patience", .type = lb_optionFloat, .target = &def->patience, .valueName = "SECONDS", .lower = 0.05,
         .upper = 3600, .help = "frames that take longer are given up, and the world goes back (default: 5)"},
        {"page", .type = lb_optionString, .target = &def->page, .valueName = "FOLDER",
         .help = "where the page is (default: beside the program; the environment's LIMBER_WEB)"},
        {0},
    };
    const lbPositional positionals[] = {
        {"WHAT", 0, 1,
         "a scene, a shape, or a file of one (.json, .obj, .stl, .ply, .glb; tetrahedra: .msh, .vtu, ...)"},
        {0}};
    const char* examples[] = {"limber play", "limber play bunny", "limber play model.obj --mesh voxels",
                              "limber play model.obj --no-browser", NULL};
    const char* details = "Prints the address of the page, with the token that lets it in. Ctrl-C ends it.";
    const lbCommandLine line = {&lb_commandPlay, details, options, positionals, examples};
    def->page = getenv("LIMBER_WEB");
    def->page = def->page != NULL && def->page[0] != 0 ? def->page : NULL;
    return lb_run_command_line(&line, argumentCount, arguments, play, &given);
}

const lbCommand lb_commandPlay = {"play", "open a scene in the browser: see it, poke it, take it away", run};
