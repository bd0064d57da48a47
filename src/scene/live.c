/* Changes to a scene while it runs. */
#include "base/result.h"
#include "scene/scene.h"

lbResult lbScene_SetFrameRate(lbScene* scene, double frameRate) {
    (void)scene, (void)frameRate;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbScene_SetGravity(lbScene* scene, lbVec3 gravity) {
    LB_TRY(lbWorld_SetGravity(scene->run.world, gravity));
    scene->run.gravityRamp = lb_ramp_at(gravity, 0);
    return lb_success();
}

lbResult lbScene_SetWind(lbScene* scene, lbVec3 wind) {
    LB_TRY(lbWorld_SetWind(scene->run.world, wind));
    scene->run.windRamp = lb_ramp_at(wind, 0);
    return lb_success();
}
