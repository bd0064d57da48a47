/* Devices that need no hardware. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "haptic/mailbox.h"
#include "limber/haptics.h"

/* ---- Scripted ---------------------------------------------------------------------------------------------------- */

static bool read_script(void* user, double time, lbDevicePose* pose) {
    const lbScriptedDevice* script = user;
    int last = script->count - 1, next = 0;
    if (script->count < 1) {
        return false;
    }
    while (next < last && script->times[next] < time) {
        ++next;
    }
    if (next == 0 || time >= script->times[next]) {
        *pose = script->poses[next];
        return true;
    }
    double span = script->times[next] - script->times[next - 1];
    float share = (float)((time - script->times[next - 1]) / span);
    const lbDevicePose *from = &script->poses[next - 1], *to = &script->poses[next];
    *pose =
        (lbDevicePose){vec3_lerp(from->position, to->position, share), quat_nlerp(from->rotation, to->rotation, share)};
    return true;
}

lbDevice lbGetScriptedDevice(lbScriptedDevice* script) {
    return (lbDevice){.user = script, .read = read_script};
}

/* ---- A mouse ----------------------------------------------------------------------------------------------------- */

struct lbMouseDevice {
    const lbHost* host;
    lbMailbox box;
    lbDevicePose poses[3];
};

lbResult lbCreateMouseDevice(lbDevicePose pose, const lbHost* host, lbMouseDevice** mouse) {
    *mouse = NULL;
    LB_TRY(lb_check_host(host));
    lbMouseDevice* made = LB_NEW(lb_resolve_host(host), lbMouseDevice, 1);
    if (made == NULL) {
        return lb_out_of_memory("a device");
    }
    made->host = lb_resolve_host(host);
    lb_open_mailbox(&made->box);
    made->poses[made->box.read] = pose;
    *mouse = made;
    return lb_success();
}

void lbDestroyMouseDevice(lbMouseDevice* mouse) {
    if (mouse != NULL) {
        lb_release(mouse->host, mouse);
    }
}

void lbMouseDevice_Put(lbMouseDevice* mouse, lbDevicePose pose) {
    mouse->poses[mouse->box.written] = pose;
    lb_post(&mouse->box);
}

static bool read_mouse(void* user, double time, lbDevicePose* pose) {
    lbMouseDevice* mouse = user;
    (void)time;
    lb_fetch(&mouse->box);
    *pose = mouse->poses[mouse->box.read];
    return true;
}

lbDevice lbGetMouseDevice(lbMouseDevice* mouse) {
    return (lbDevice){.user = mouse, .read = read_mouse};
}
