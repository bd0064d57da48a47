/* How people touch the world: hands, tools and pins, each client's own. Used by the thread that simulates alone. */
#ifndef LIMBER_SERVER_TOUCH_H
#define LIMBER_SERVER_TOUCH_H

#include "server/messages.h"
#include "server/snapshot.h"
#include "server/stage.h"

enum { lb_mostClients = 32, lb_mostOwnPins = 256, lb_firstOwnPin = 10000, lb_bodyNameLimit = 64 };

typedef struct lbHand {
    bool holds;
    lbGrabId grab;
    int body, point;
    char name[lb_bodyNameLimit + 1]; /* the body's: its number changes when others come and go */
    lbVec3 target, position;         /* m: where the mouse is, where the hand is led to */
} lbHand;

/* What belongs to one client. */
typedef struct lbPerson {
    int client; /* 0: nobody */
    lbHand hands[lb_handCount];
    bool hasTool;
    lbToolId tool;
    lbToolDef toolDef; /* its position is where the tool is led to now */
    lbVec3 target;     /* m, where the mouse is */
    lbQuat targetRotation;
} lbPerson;

typedef struct lbOwnPin {
    int number; /* 0: none */
    lbPinId pin;
    int body, point;
    char name[lb_bodyNameLimit + 1]; /* the body's */
    float radius;
    lbVec3 position; /* m, of the point when it was pinned */
} lbOwnPin;

typedef struct lbTouch {
    lbStage* stage;
    lbPerson persons[lb_mostClients];
    lbOwnPin pins[lb_mostOwnPins];
    int pinsMade;
} lbTouch;

void lb_touch_join(lbTouch* touch, int client);
void lb_touch_leave(lbTouch* touch, int client);

lbResult lb_touch_grab(lbTouch* touch, int client, const lbMessage* message);
void lb_touch_move_grab(lbTouch* touch, int client, const lbMessage* message);
void lb_touch_release(lbTouch* touch, int client, int hand);
lbResult lb_touch_pin(lbTouch* touch, const lbMessage* message);
/* A pin that a person made. */
lbResult lb_touch_unpin(lbTouch* touch, int number);
lbResult lb_touch_tool(lbTouch* touch, int client, const lbMessage* message);

/* Leads hands and tools on, by at most so much in a frame that nothing is torn apart. */
void lb_touch_before_frame(lbTouch* touch, double dt);
/* The world is another one. With the same scene, hands and pins hold on; with another, only tools stay. */
void lb_touch_world_changed(lbTouch* touch, bool sameScene);
/* All hands let go. */
void lb_touch_let_go(lbTouch* touch);
/* A body has another name from now on. */
void lb_touch_rename(lbTouch* touch, const char* from, const char* to);
/* The pins that people made are those again, as far as they can be. (lb_mostOwnPins) */
void lb_touch_return_pins(lbTouch* touch, const lbOwnPin* pins);

/* The world, a body's skin point by its indices (an error if there is none), and where it stood at first. */
lbWorld* lb_touch_world(const lbTouch* touch);
lbResult lb_touch_find_point(const lbTouch* touch, int body, int point, lbBodyId* id);
lbResult lb_touch_point_start(const lbTouch* touch, lbBodyId body, int point, lbVec3* place);

/* touch_show.c */

/* Tools and hands for a frame, the scene's first. */
void lb_touch_publish(const lbTouch* touch, lbSnapshot* snapshot);
/* The force of people's hands and tools, N, summed; for tables. */
lbVec3 lb_touch_force(const lbTouch* touch);
/* Puts the pins that people made into a scene. */
void lb_touch_add_pins(const lbTouch* touch, lbValue* document);
/* The message `objects`. */
void lb_touch_describe(const lbTouch* touch, lbText* text);

#endif
