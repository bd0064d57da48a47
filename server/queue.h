/* Messages of clients on their way to the thread that simulates. Bounded: a client that sends more than is handled has
 * to wait. Not locked: the session does that. */
#ifndef LIMBER_SERVER_QUEUE_H
#define LIMBER_SERVER_QUEUE_H

#include "server/messages.h"

enum { lb_queueLimit = 1024, lb_queueLimitOfClient = 128 };

typedef struct lbQueued {
    int client;
    lbMessage message;
} lbQueued;

typedef struct lbQueue {
    lbQueued* items; /* (capacity), a ring */
    int capacity, first, count;
} lbQueue;

bool lb_create_queue(const lbHost* host, lbQueue* queue);
void lb_destroy_queue(const lbHost* host, lbQueue* queue);
/* Takes the message over; false if there is no room for this client's, and it is then still the caller's. A place where
 * a hand or a tool shall go takes that of the one before it, if nobody waits for an answer to that. */
bool lb_queue_add(lbQueue* queue, int client, const lbMessage* message);
/* Whether something waits that cannot wait for long: all but where hands and tools go, and what is only looked at. */
bool lb_queue_is_urgent(const lbQueue* queue);
/* False if it is empty. */
bool lb_queue_take(lbQueue* queue, lbQueued* item);

#endif
