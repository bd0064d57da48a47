#include "cli/mesh_gmsh.h"

#include "base/result.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "limber-gmsh";

/* What is passed on by files, in a folder that is cleared away. */
typedef struct Exchange {
    char folder[256], surface[300], mesh[300];
} Exchange;

static lbResult open_exchange(Exchange* exchange) {
    const char* place = getenv("TMPDIR");
    int used = snprintf(exchange->folder, sizeof(exchange->folder), "%s/limber-gmsh-XXXXXX",
                        place != NULL && place[0] != 0 ? place : "/tmp");
    if (used >= (int)sizeof(exchange->folder) || mkdtemp(exchange->folder) == NULL) {
        return lb_error(lb_errorFile, "there is no room for a temporary folder in %s",
                        place != NULL && place[0] != 0 ? place : "/tmp");
    }
    snprintf(exchange->surface, sizeof(exchange->surface), "%s/surface.stl", exchange->folder);
    snprintf(exchange->mesh, sizeof(exchange->mesh), "%s/mesh.msh", exchange->folder);
    return lb_success();
}

static void close_exchange(const Exchange* exchange) {
    remove(exchange->surface);
    remove(exchange->mesh);
    rmdir(exchange->folder);
}

/* Beside this program, if it is there; else wherever the system finds it. */
static void find_program(char* path, size_t room) {
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    char* slash = NULL;
    if (length > 0) {
        path[length] = 0;
        slash = strrchr(path, '/');
    }
    if (slash != NULL && (size_t)(slash - path) + sizeof(program) + 1 < room) {
        memcpy(slash + 1, program, sizeof(program));
        if (access(path, X_OK) == 0) {
            return;
        }
    }
    snprintf(path, room, "%s", program);
}

static lbResult run_program(const Exchange* exchange, double edge, double degrees) {
    extern char** environ;
    char path[4096], edgeText[32], degreesText[32], surface[300], mesh[300];
    find_program(path, sizeof(path));
    snprintf(edgeText, sizeof(edgeText), "%.17g", edge);
    snprintf(degreesText, sizeof(degreesText), "%.17g", degrees);
    memcpy(surface, exchange->surface, sizeof(surface)); /* spawn wants texts that it could change */
    memcpy(mesh, exchange->mesh, sizeof(mesh));
    char* const arguments[] = {path, surface, mesh, edgeText, degreesText, NULL};
    pid_t child;
    int failure = posix_spawnp(&child, path, NULL, NULL, arguments, environ), status = 0;
    if (failure == ENOENT) {
        return lb_error(lb_errorUnsupported,
                        "%s is not installed: it is built with LIMBER_GMSH=ON, and belongs beside limber", program);
    }
    if (failure != 0 || waitpid(child, &status, 0) != child) {
        return lb_error(lb_errorUnsupported, "%s does not run: %s", path, strerror(failure != 0 ? failure : errno));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return lb_error(lb_errorUnsupported, "Gmsh made no mesh; it wants a closed surface that does not meet itself");
    }
    return lb_success();
}

lbResult lb_mesh_by_gmsh(const lbShape* shape, double edge, double degrees, const lbHost* host, lbTetMesh** mesh) {
    Exchange exchange;
    LB_TRY(open_exchange(&exchange));
    lbResult result = lbShape_Save(shape, exchange.surface);
    if (result.code == lb_ok) {
        result = run_program(&exchange, edge, degrees);
    }
    if (result.code == lb_ok) {
        result = lbLoadTetMesh(exchange.mesh, host, mesh, NULL);
    }
    close_exchange(&exchange);
    return result;
}
