#include "bench/resting_cube.h"

#include "base/result.h"
#include "limber/contact.h"
#include "limber/tet_mesh.h"

static lbResult make_mesh(const lbHost* host, int cells, lbTetMesh** mesh) {
    lbTetGeneratorDef generator = lbDefaultTetGeneratorDef(lb_shapeBox);
    for (int c = 0; c < 3; ++c) {
        generator.size[c] = 0.2;
        generator.cells[c] = cells;
    }
    generator.host = host;
    return lbGenerateTetMesh(&generator, mesh);
}

lbResult lb_create_resting_cube(lbWorld* world, const lbHost* host, const lbRestingCube* cube) {
    lbTetMesh* mesh = NULL;
    LB_TRY(make_mesh(host, cube->cells, &mesh));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshGiven;
    def.tetMesh = mesh;
    def.law.kind = cube->law;
    def.material =
        (lbMaterial){.density = 1000, .youngsModulus = cube->youngsModulus, .poissonsRatio = 0.3f, .massDamping = 1};
    lbBodyDef body = lbDefaultBodyDef();
    body.integrator = cube->integrator;
    body.position.y = 0.1f;
    lbBodyId id;
    lbResult result = lbCreateModel(world, &def, &body.model);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId tool;
    LB_TRY(lbCreateTool(world, &ground, &tool));
    return lbCreateBody(world, &body, &id);
}
