#include "server/queue.h"

#include "base/memory.h"

/* Beyond the limits of clients: that clients come and go is always heard. */
enum { reserve = 256 };

bool lb_create_queue(const lbHost* host, lbQueue* queue) {
    *queue = (lbQueue){.capacity = lb_queueLimit + reserve};
    queue->items = LB_NEW(host, lbQueued, queue->capacity);
    return queue->items != NULL;
}

void lb_destroy_queue(const lbHost* host, lbQueue* queue) {
    lbQueued item;
    while (lb_queue_take(queue, &item)) {
        lb_free_message(&item.message);
    }
    lb_release(host, queue->items);
    *queue = (lbQueue){0};
}

static lbQueued* item_at(const lbQueue* queue, int index) {
    return &queue->items[(queue->first + index) % queue->capacity];
}

static bool replaces(const lbQueued* before, int client, const lbMessage* message) {
    const lbMessage* old = &before->message;
    if (before->client != client || old->kind != message->kind || old->hasId) {
        return false;
    }
    return (message->kind == lb_messageMoveGrab && old->hand == message->hand) ||
           (message->kind == lb_messageTool && old->on && message->on);
}

static int count_of(const lbQueue* queue, int client) {
    int count = 0;
    for (int i = 0; i < queue->count; ++i) {
        count += item_at(queue, i)->client == client;
    }
    return count;
}

bool lb_queue_add(lbQueue* queue, int client, const lbMessage* message) {
    bool always = message->kind == lb_messageJoined || message->kind == lb_messageLeft;
    if (queue->count > 0 && replaces(item_at(queue, queue->count - 1), client, message)) {
        item_at(queue, queue->count - 1)->message = *message;
        return true;
    }
    if (queue->count >= (always ? queue->capacity : lb_queueLimit) ||
        (!always && count_of(queue, client) >= lb_queueLimitOfClient)) {
        return false;
    }
    *item_at(queue, queue->count++) = (lbQueued){client, *message};
    return true;
}

bool lb_queue_is_urgent(const lbQueue* queue) {
    for (int i = 0; i < queue->count; ++i) {
        lbMessageKind kind = item_at(queue, i)->message.kind;
        if (kind != lb_messageMoveGrab && kind != lb_messageTool && kind != lb_messageView && kind != lb_messageAck &&
            kind != lb_messageStep) {
            return true;
        }
    }
    return false;
}

bool lb_queue_take(lbQueue* queue, lbQueued* item) {
    if (queue->count == 0) {
        return false;
    }
    *item = *item_at(queue, 0);
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count -= 1;
    return true;
}
