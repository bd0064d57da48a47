/* For law files that give `principal_slopes(state, s)`: the definite tangent that tet_loops.h asks for. */
#include "law/principal.h"

typedef lbPrincipalTangent Definite;

static inline Definite prepare_definite(const State* state) {
    Definite definite;
    lbLanes s[3];
    principal_axes(&state->F, s, &definite.U, &definite.V);
    definite.slopes = principal_slopes(state, s);
    make_definite(&definite.slopes);
    return definite;
}

LB_INLINE lbLanes33 definite_change(const Definite* definite, const lbLanes33* dF) {
    return principal_change(definite, dF);
}
