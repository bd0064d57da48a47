/* What must hold of any file of tetrahedra: a result that fits, nothing left behind, and a mesh that can be measured.
 */
#ifndef LIMBER_FUZZ_TETS_H
#define LIMBER_FUZZ_TETS_H

#include "fuzz.h"
#include "fuzz_host.h"
#include "mesh/files/tet_file.h"

static inline void fuzz_check_tets(lbResult result, lbTetMesh* mesh, const FuzzHost* state) {
    if ((result.code == lb_ok) != (mesh != NULL) || (result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a result and a mesh that do not fit");
    }
    for (int i = 0; mesh != NULL && i < 4 * lbTetMesh_GetTetCount(mesh); ++i) {
        int point = lbTetMesh_GetTets(mesh)[i];
        if (point < 0 || point >= lbTetMesh_GetPointCount(mesh)) {
            fuzz_stop("a corner that is no point");
        }
    }
    lbDestroyTetMesh(mesh);
    if (state->live != 0) {
        fuzz_stop("memory left behind");
    }
}

/* Parses one input, and leaves out bad elements or refuses them as its first bit says. `inflation`: how many times as
 * large as the input a block may be. */
static inline void fuzz_tets(lbTetParseFn* parse, const char* path, const uint8_t* data, size_t size,
                             size_t inflation) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    state.limit += inflation * size;
    lbTetSource source = {.host = &host, .bytes = data, .size = size, .path = path, .alone = true};
    lbTetFile file = {.host = &host, .path = path, .leaveOutBad = size > 0 && (data[size - 1] & 1)};
    lbTetMesh* mesh = NULL;
    lbResult result = parse(&source, &file);
    if (result.code == lb_ok) {
        result = lb_finish_tet_file(&file, &mesh);
    }
    lb_free_tet_file(&file);
    fuzz_check_tets(result, mesh, &state);
}

#endif
