/* The mesher: checks what is asked, makes one mesh or a hierarchy, and says what was lost. */
#include "mesh/mesher.h"

#include "base/log.h"
#include "base/result.h"
#include "mesh/lattice.h"

enum { mesherCookie = 0x6d657368, mostLevels = 16 };

/* A mesh that differs more from its surface's volume is worth a word. */
static const double worthAWord = 0.05;

lbMesherDef lbDefaultMesherDef(void) {
    return (lbMesherDef){.cookie = mesherCookie};
}

static lbResult check_def(const lbShape* shape, const lbMesherDef* def) {
    if (def == NULL || def->cookie != mesherCookie) {
        return lb_error(lb_errorArgument, "the mesher's definition was not made by lbDefaultMesherDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (shape == NULL) {
        return lb_error(lb_errorArgument, "the mesher needs a shape; there is none");
    }
    if (!(def->edge > 0) || !isfinite(def->edge)) {
        return lb_error(lb_errorArgument, "the mesher's edge is %g; expected more than 0 m", def->edge);
    }
    if (def->threadCount < 0) {
        return lb_error(lb_errorArgument, "the mesher's threadCount is %d; expected 0 or more", def->threadCount);
    }
    return lb_success();
}

static lbResult check_surface(const lbShapeReport* report) {
    if (report->oriented && report->volume < 0) {
        return lb_error(lb_errorArgument,
                        "the surface is inside out: its triangles face inwards (volume %g m^3); \"flip\": true in a "
                        "scene's shape, --flip of limber mesh and lbShape_Flip turn it",
                        report->volume);
    }
    return lb_success();
}

static void tell_losses(const lbTetMesh* mesh, const lbShapeReport* report, double edge) {
    double volume = 0;
    for (int i = 0; i < mesh->tetCount; ++i) {
        volume += tet_shape(mesh->points, mesh->tets + 4 * (size_t)i).volume;
    }
    if (report->oriented && fabs(volume / report->volume - 1) > worthAWord) {
        lb_log(mesh->host, lb_logWarning,
               "a mesh with an edge of %g m holds %.3g of its surface's volume: some of it is thinner than the edge",
               edge, volume / report->volume);
    }
}

static lbResult check_size(const lbShape* shape, const lbShapeReport* report, double edge) {
    lbLattice lattice;
    LB_TRY(lb_fit_lattice(lbShape_GetBounds(shape), edge, &lattice));
    double perVolume = lb_tetsPerCube / (lattice.cube * lattice.cube * lattice.cube);
    return report->oriented ? lb_check_tet_count(perVolume * report->volume, edge) : lb_success();
}

lbResult lb_check_mesh_size(const lbShape* shape, const lbMesherDef* def, int levelCount) {
    LB_TRY(check_def(shape, def));
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    return check_size(shape, &report, ldexp(def->edge, 1 - levelCount));
}

lbResult lbMeshSurface(const lbShape* shape, const lbMesherDef* def, lbTetMesh** mesh) {
    *mesh = NULL;
    LB_TRY(check_def(shape, def));
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    LB_TRY(check_surface(&report));
    LB_TRY(check_size(shape, &report, def->edge));
    LB_TRY(lb_stuff_surface(lb_resolve_host(def->host), shape, report.oriented, def->edge, def->threadCount, mesh));
    lbResult result = def->relax ? lb_relax_tet_mesh(*mesh) : lb_success();
    if (result.code != lb_ok) {
        lbDestroyTetMesh(*mesh);
        *mesh = NULL;
        return result;
    }
    tell_losses(*mesh, &report, def->edge);
    return result;
}

lbResult lbMeshSurfaceLevels(const lbShape* shape, const lbMesherDef* def, int levelCount, lbTetMesh** levels) {
    LB_TRY(check_def(shape, def));
    if (levelCount < 1 || levelCount > mostLevels) {
        return lb_error(lb_errorArgument, "%d levels were asked for; expected 1 to %d", levelCount, (int)mostLevels);
    }
    lbResult fine = lb_check_mesh_size(shape, def, levelCount);
    if (fine.code != lb_ok) {
        return lb_in_context(fine, "level %d of %d", levelCount, levelCount);
    }
    lbMesherDef level = *def;
    for (int i = 0; i < levelCount; ++i, level.edge *= 0.5) {
        lbResult result = lbMeshSurface(shape, &level, &levels[i]);
        if (result.code != lb_ok) {
            for (int made = 0; made < i; ++made) {
                lbDestroyTetMesh(levels[made]);
                levels[made] = NULL;
            }
            return lb_in_context(result, "level %d of %d", i + 1, levelCount);
        }
    }
    return lb_success();
}
