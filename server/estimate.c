#include "server/estimate.h"

#include "base/math.h"
#include "base/result.h"
#include "scene/scene_def.h"

#include <math.h>

/* Tetrahedra for each cube of an edge's length, cubes at the surface standing out of it (as measured: means.c). */
static const double tetsForCube = 7.5;
static const double trianglesForSquare = 2.4;

/* m: the box that a shape that is made fills; a file's is known only if it is fitted. False: not known. */
static bool size_of(const lbSceneShape* shape, double size[3]) {
    const lbGeneratorDef* def = &shape->generator;
    double x = (double)def->size.x, y = (double)def->size.y, z = (double)def->size.z;
    double radius = (double)def->radius, length = (double)def->length;
    if (shape->file != NULL) {
        x = y = z = (double)shape->fit;
    } else {
        switch (def->kind) {
        case lb_shapeSphere:
            x = y = z = 2 * radius;
            break;
        case lb_shapeCapsule:
            x = z = 2 * radius, y = length + 2 * radius;
            break;
        case lb_shapeCylinder:
        case lb_shapeTube:
            x = z = 2 * radius, y = length;
            break;
        case lb_shapeTorus:
            x = z = 2 * (radius + (double)def->innerRadius), y = 2 * (double)def->innerRadius;
            break;
        case lb_shapeLiver:
        case lb_shapeBunny:
        case lb_shapeStarfish:
        case lb_shapeFish:
            y = z = 0.6 * x;
            break;
        default:
            break;
        }
    }
    size[0] = x * (double)shape->scale.x, size[1] = y * (double)shape->scale.y, size[2] = z * (double)shape->scale.z;
    return size[0] > 0 || size[1] > 0 || size[2] > 0;
}

static double fill_of(const lbSceneShape* shape) {
    return shape->file == NULL && shape->generator.kind == lb_shapeBox ? 1 : 0.5;
}

static lbResult check_body(const lbSceneBody* body, int index, double* elements) {
    double size[3], edge = (double)body->mesh.edge;
    if (!body->hasShape || !size_of(&body->shape, size)) {
        return lb_success();
    }
    double fine = (double)body->shape.generator.edge;
    double area = 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
    double triangles = body->shape.file == NULL && fine > 0 ? trianglesForSquare * area / (fine * fine) : 0;
    if (triangles > lb_mostTriangles) {
        return lb_error(lb_errorArgument,
                        "bodies[%d] (\"%s\"): its surface would have about %.2g triangles, of edges of %g m; expected "
                        "at most %.2g",
                        index, body->name, triangles, fine, (double)lb_mostTriangles);
    }
    bool solid = body->kind == lb_modelDynamic && body->mesh.kind != lb_meshCloth &&
                 body->mesh.kind != lb_meshLayered && body->meshFile == NULL && edge > 0;
    double tets = solid ? fill_of(&body->shape) * tetsForCube * size[0] * size[1] * size[2] / (edge * edge * edge) : 0;
    if (tets > lb_mostElements) {
        return lb_error(lb_errorArgument,
                        "bodies[%d] (\"%s\"): would have about %.2g tetrahedra, %.3g x %.3g x %.3g m in edges of %g m; "
                        "expected at most %.2g: choose longer edges or a smaller body",
                        index, body->name, tets, size[0], size[1], size[2], edge, (double)lb_mostElements);
    }
    *elements += fmax(tets, triangles);
    return lb_success();
}

lbResult lb_check_size(lbStage* stage, const lbValue* document) {
    lbText text = {.host = stage->host};
    lbSceneDef* def = NULL;
    double elements = 0;
    lb_write_value(&text, document, false);
    lbResult result =
        text.failed ? lb_out_of_memory("a scene") : lb_read_scene_def(stage->host, text.data, text.size, "scene", &def);
    lb_text_free(&text);
    if (result.code != lb_ok) {
        return lb_success(); /* what is wrong with it is told by who builds it, under its own name */
    }
    for (int i = 0; i < def->bodyCount && result.code == lb_ok; ++i) {
        result = check_body(&def->bodies[i], i, &elements);
    }
    if (result.code == lb_ok && elements > 2.0 * lb_mostElements) {
        result = lb_error(lb_errorArgument, "bodies: would have about %.2g elements in all; expected at most %.2g",
                          elements, 2.0 * lb_mostElements);
    }
    lb_free_scene_def(def);
    return result;
}

lbResult lb_explain_build(lbStage* stage, lbResult result) {
    if (result.code != lb_ok && atomic_load(&stage->cancelled)) {
        return lb_error(lb_errorArgument, "building was cancelled; all stays as it was");
    }
    if (result.code == lb_errorMemory && atomic_load(&stage->buildBytes) > lb_mostBuildBytes) {
        return lb_error(lb_errorMemory,
                        "building it would take more than %.1f GB of memory; expected less: choose longer edges or a "
                        "smaller body",
                        (double)lb_mostBuildBytes / (1 << 30));
    }
    return result;
}
