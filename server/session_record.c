#include "server/session_inner.h"

#include "base/result.h"

/* Whether a recording that ended is there by now. */
void lb_check_finishing(lbSession* session) {
    if (session->finishing == NULL) {
        return;
    }
    int frames = lb_take_frames(session->finishing);
    double seconds = lb_take_seconds(session->finishing);
    lbResult result;
    if (lb_poll_take(session->finishing, &result)) {
        session->finishing = NULL;
        lb_tell_recording(session, frames, seconds, false, result.code == lb_ok);
        if (result.code != lb_ok) {
            lb_tell_notice(session, "error", "The recording could not be written: %s", result.message);
        }
    }
}

void lb_stop_recording(lbSession* session) {
    if (session->take != NULL) {
        lb_tell_recording(session, lb_take_frames(session->take), lb_take_seconds(session->take), true, false);
        lb_end_take(session->take);
        session->finishing = session->take;
        session->take = NULL;
    }
}

void lb_cut_recording(lbSession* session, const char* why) {
    if (session->take != NULL) {
        lb_tell_notice(session, "warning", "The recording ended with %d frames: %s. It can be downloaded.",
                       lb_take_frames(session->take), why);
        lb_stop_recording(session);
    }
}

lbResult lb_switch_recording(lbSession* session, bool on) {
    if (!on) {
        lb_stop_recording(session);
        lb_tell_state(session);
        return lb_success();
    }
    if (session->take != NULL) {
        return lb_success();
    }
    if (session->finishing != NULL) {
        return lb_error(lb_errorArgument, "the last recording is still being written; try again in a moment");
    }
    LB_TRY(lb_begin_take(session->recordingFolder, &session->stage, &session->take));
    LB_TRY(lb_add_to_take(session->take, &session->stage, &session->touch));
    lb_tell_recording(session, 0, 0, false, false);
    lb_tell_state(session);
    return lb_success();
}

void lb_keep_recording(lbSession* session) {
    if (session->take == NULL) {
        return;
    }
    lbResult result = lb_add_to_take(session->take, &session->stage, &session->touch);
    int frames = lb_take_frames(session->take);
    if (result.code != lb_ok) {
        lb_discard_take(session->take);
        session->take = NULL;
        lb_tell_notice(session, "error", "The recording ended: %s", result.message);
        lb_tell_state(session);
    } else if (frames >= lb_mostRecordedFrames) {
        lb_tell_notice(session, "warning", "The recording ended: it has %d frames, the most there can be.", frames);
        lb_switch_recording(session, false);
    } else if (frames % 30 == 0) {
        lb_tell_recording(session, frames, lb_take_seconds(session->take), false, false);
    }
}
