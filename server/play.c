#include "server/play.h"

#include "base/memory.h"
#include "base/result.h"
#include "server/server.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char defaultScene[] = "jelly-drop.json";

/* All that a run holds. */
typedef struct Play {
    const lbHost* host;
    const lbPlayDef* def;
    lbPlaces places;
    lbWorkFolder folder;
    lbAccess access;
    lbSceneEntry* scenes;
    int sceneCount;
    lbServer* server;
    lbSession* session;
    lbHub hub;
} Play;

/* A file that is there, else a shape's name, else one of the scenes, with or without its ending. */
static lbResult find_start(const Play* play, const char* what, lbStartKind* kind, char* found, size_t room) {
    struct stat info;
    lbShapeKind shape;
    snprintf(found, room, "%s", what != NULL ? what : defaultScene);
    if (what != NULL && stat(what, &info) == 0 && S_ISREG(info.st_mode)) {
        *kind = lb_startFile;
        return lb_success();
    }
    if (what != NULL && lbShapeKind_FromName(what, &shape)) {
        *kind = lb_startShape;
        return lb_success();
    }
    *kind = lb_startScene;
    for (int i = 0; i < play->sceneCount; ++i) {
        const char* file = play->scenes[i].file;
        size_t stem = strlen(file) - strlen(".json");
        if (strcmp(file, found) == 0 || (strlen(found) == stem && strncmp(file, found, stem) == 0)) {
            snprintf(found, room, "%s", file);
            return lb_success();
        }
    }
    if (what == NULL) {
        *kind = lb_startShape;
        snprintf(found, room, "bunny");
        return lb_success();
    }
    return lb_error(lb_errorArgument,
                    "'%s' is no file, no shape (limber shape --list) and none of limber's scenes; expected one of them",
                    what);
}

static lbResult listen(Play* play) {
    play->access.port = play->def->port != 0 ? play->def->port : lb_defaultPort;
    lbResult result = lb_server_listen(play->server, &play->hub);
    if (result.code == lb_errorUnsupported && play->def->port == 0) {
        play->access.port = 0;
        result = lb_server_listen(play->server, &play->hub);
    }
    return result;
}

static void tell_address(const Play* play) {
    char address[256];
    bool any = strcmp(play->access.address, "0.0.0.0") == 0;
    snprintf(address, sizeof(address), "http://%s:%d/?token=%s", any ? "127.0.0.1" : play->access.address,
             play->access.port, play->access.token);
    if (play->places.page[0] == 0) {
        play->def->warn(play->def->user,
                        "the page was not found; --page says where its folder is. Programs can connect all the same");
    } else if (!lb_page_is_complete(&play->places)) {
        play->def->warn(play->def->user, "the page lacks three.js, which scripts/install-page.sh installs");
    }
    play->def->ready(play->def->user, address);
}

static lbResult run(Play* play) {
    lbStartKind kind;
    char what[PATH_MAX];
    play->places = lb_find_places(play->def->page);
    if (play->def->page != NULL && play->places.page[0] == 0) {
        return lb_error(lb_errorFile, "%s: has no index.html; expected the page's folder", play->def->page);
    }
    play->scenes = lb_list_scenes(play->host, &play->places, &play->sceneCount);
    LB_TRY(find_start(play, play->def->what, &kind, what, sizeof(what)));
    LB_TRY(lb_make_token(play->access.token));
    LB_TRY(lb_create_work_folder(&play->folder));
    lbServerDef serverDef = {play->host, &play->access, &play->places, &play->folder, play->def->stop, play->def->user};
    LB_TRY(lb_create_server(&serverDef, &play->server));
    lbSessionDef sessionDef = {.threadCount = play->def->threadCount,
                               .voxels = play->def->voxels,
                               .patience = play->def->patience,
                               .scenesFolder = play->places.scenes,
                               .uploadFolder = play->folder.uploads,
                               .recordingFolder = play->folder.recordings,
                               .wake = lb_server_wake,
                               .user = play->server};
    LB_TRY(lb_create_session(play->host, &sessionDef, kind, what, &play->session));
    lb_open_hub(&play->hub, play->host, play->session, play->scenes, play->sceneCount);
    LB_TRY(listen(play));
    tell_address(play);
    lb_server_run(play->server);
    return lb_success();
}

lbResult lb_play(const lbPlayDef* def) {
    Play play = {.host = lb_resolve_host(NULL), .def = def, .access = {.address = def->address}};
    signal(SIGPIPE, SIG_IGN); /* clients that are gone are no reason to end */
    lbResult result = run(&play);
    if (play.server != NULL) {
        lb_server_close(play.server);
    }
    if (play.session != NULL) {
        lb_close_hub(&play.hub);
    }
    lb_destroy_session(play.session);
    lb_destroy_server(play.server);
    lb_free_scenes(play.host, play.scenes, play.sceneCount);
    lb_remove_work_folder(&play.folder);
    return result;
}
