/* A device over UDP: whoever sends "x y z" (m) to a port moves a ball, and gets back "fx fy fz" (N) a thousand times a
 * second. A block of jelly is there to be pressed.      udp_device PORT SECONDS */
#include <limber/limber.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct Udp {
    int socket;
    struct sockaddr_in hand; /* who sent last */
    bool heard;
    lbDevicePose pose;
} Udp;

static bool read_pose(void* user, double time, lbDevicePose* pose) {
    Udp* udp = user;
    char text[128];
    socklen_t size = sizeof(udp->hand);
    ssize_t length;
    (void)time;
    while ((length = recvfrom(udp->socket, text, sizeof(text) - 1, 0, (struct sockaddr*)&udp->hand, &size)) > 0) {
        lbVec3 at;
        text[length] = 0;
        if (sscanf(text, "%f %f %f", &at.x, &at.y, &at.z) == 3) {
            udp->pose = (lbDevicePose){at, {0, 0, 0, 1}};
            udp->heard = true;
        }
    }
    *pose = udp->pose;
    return udp->heard;
}

static void write_force(void* user, lbVec3 force, lbVec3 torque) {
    const Udp* udp = user;
    char text[128];
    (void)torque;
    if (udp->heard) {
        int length = snprintf(text, sizeof(text), "%.6g %.6g %.6g", force.x, force.y, force.z);
        sendto(udp->socket, text, (size_t)length, 0, (const struct sockaddr*)&udp->hand, sizeof(udp->hand));
    }
}

static void check(lbResult result) {
    if (result.code != lb_ok) {
        fprintf(stderr, "udp_device: %s\n", result.message);
        exit(1);
    }
}

int main(int count, char** arguments) {
    Udp udp = {.socket = socket(AF_INET, SOCK_DGRAM, 0)};
    int port = count > 1 ? atoi(arguments[1]) : 4711, seconds = count > 2 ? atoi(arguments[2]) : 60;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (udp.socket < 0 || bind(udp.socket, (struct sockaddr*)&here, sizeof(here)) != 0 ||
        fcntl(udp.socket, F_SETFL, O_NONBLOCK) != 0) {
        perror("udp_device");
        return 1;
    }
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world;
    lbToolDef groundDef = lbDefaultToolDef(lb_toolHalfSpace), ballDef = lbDefaultToolDef(lb_toolSphere);
    lbToolId ground;
    lbHapticsDef def = lbDefaultHapticsDef();
    check(lbCreateWorld(&worldDef, &world));
    check(lbCreateTool(world, &groundDef, &ground));
    ballDef.position.y = 0.5f;
    check(lbCreateTool(world, &ballDef, &def.tool));
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    lbModelDef modelDef = lbDefaultModelDef();
    lbShape* shape;
    check(lbGenerateShape(&box, &shape));
    modelDef.shape = shape;
    modelDef.mesh.edge = 0.04f;
    lbBodyDef body = lbDefaultBodyDef();
    lbBodyId id;
    check(lbCreateModel(world, &modelDef, &body.model));
    lbDestroyShape(shape);
    body.integrator = lb_integratorImplicitEuler;
    body.position.y = 0.101f;
    check(lbCreateBody(world, &body, &id));
    lbHaptics* haptics;
    def.device = (lbDevice){&udp, read_pose, write_force};
    check(lbCreateHaptics(world, &def, &haptics));
    check(lbHaptics_Start(haptics));
    for (int frame = 0; frame < 60 * seconds; ++frame) {
        check(lbHaptics_Follow(haptics));
        check(lbWorld_Step(world, 1.0 / 60));
        check(lbHaptics_Refresh(haptics, 1.0 / 60));
        nanosleep(&(struct timespec){0, 12000000}, NULL);
    }
    lbDestroyHaptics(haptics);
    lbDestroyWorld(world);
    return close(udp.socket);
}
