/* Changes to a scene while it runs. */
#include "base/result.h"
#include "scene/scene.h"

/* What swings is set once a frame: the rate must be twice as high, as in the scene's file. */
static lbResult check_swings(const lbSceneDef* def, double frameRate) {
    if (2 * def->gust.frequency > frameRate) {
        return lb_error(lb_errorArgument, "the frame rate is %g; expected twice the gust's frequency of %g 1/s or more",
                        frameRate, def->gust.frequency);
    }
    for (int i = 0; i < def->muscleCount; ++i) {
        const lbSceneMuscle* muscle = &def->muscles[i];
        if (muscle->keyCount == 0 && 2 * muscle->frequency > frameRate) {
            return lb_error(lb_errorArgument,
                            "the frame rate is %g; expected twice the frequency of muscle \"%s\", %g 1/s, or more",
                            frameRate, muscle->name, muscle->frequency);
        }
    }
    return lb_success();
}

lbResult lbScene_SetFrameRate(lbScene* scene, double frameRate) {
    lbSceneRun* run = &scene->run;
    if (!(frameRate >= lb_lowestFrameRate && frameRate <= lb_highestFrameRate)) {
        return lb_error(lb_errorArgument, "the frame rate is %g; expected %d to %d 1/s", frameRate, lb_lowestFrameRate,
                        lb_highestFrameRate);
    }
    LB_TRY(check_swings(scene->def, frameRate));
    if (frameRate == run->frameRate) {
        return lb_success();
    }
    run->rateTime = lb_frame_time(run, run->frame);
    run->rateFrame = run->frame;
    run->frameRate = frameRate;
    lb_schedule_events(scene->def, run);
    return lb_success();
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
