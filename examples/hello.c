/* limber from C, start to end: a torus of jelly falls on the ground and is recorded as hello.glb. */
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>

static void check(lbResult result) {
    if (result.code != lb_ok) {
        fprintf(stderr, "hello: %s\n", result.message);
        exit(1);
    }
}

int main(void) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world;
    check(lbCreateWorld(&worldDef, &world));

    lbToolDef groundDef = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId ground;
    check(lbCreateTool(world, &groundDef, &ground));

    lbGeneratorDef torus = lbDefaultGeneratorDef(lb_shapeTorus);
    lbModelDef modelDef = lbDefaultModelDef();
    lbShape* shape;
    check(lbGenerateShape(&torus, &shape));
    modelDef.shape = shape;
    modelDef.mesh.kind = lb_meshTets; /* finite elements that turn with the body */
    modelDef.mesh.edge = 0.05f;
    modelDef.law.kind = lb_lawCorotational;
    lbModelId model;
    check(lbCreateModel(world, &modelDef, &model));
    lbDestroyShape(shape); /* the model has its own */

    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.position.y = 0.5f;
    lbBodyId body;
    check(lbCreateBody(world, &bodyDef, &body));

    lbRecordedSurface surface = {"torus", lbModel_GetShape(world, model)};
    lbRecorderDef recorderDef = lbDefaultRecorderDef();
    recorderDef.path = "hello.glb", recorderDef.frameRate = 60;
    recorderDef.surfaceCount = 1, recorderDef.surfaces = &surface;
    lbRecorder* recorder;
    check(lbCreateRecorder(&recorderDef, &recorder));
    float* skin = malloc(3 * sizeof(float) * (size_t)lbBody_GetSkinPointCount(world, body));
    for (int frame = 0; frame < 120; ++frame) {
        check(lbWorld_Step(world, 1.0 / 60));
        check(lbBody_GetSkin(world, body, skin, NULL, NULL));
        check(lbRecorder_AddFrame(recorder, (const float* const[]){skin}, NULL));
    }
    check(lbRecorder_Finish(recorder));
    printf("limber %s: two seconds of jelly are in hello.glb\n", lbGetVersion());
    free(skin);
    lbDestroyWorld(world);
}
