#include "server/hub.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

void lb_open_hub(lbHub* hub, const lbHost* host, lbSession* session, const lbSceneEntry* scenes, int sceneCount) {
    *hub = (lbHub){.host = host, .session = session, .scenes = scenes, .sceneCount = sceneCount};
    hub->buffer.host = host;
}

static void drop_news(lbHub* hub) {
    lb_free_letters(hub->host, hub->news.letters);
    lb_drop_build(hub->news.build);
    lb_drop_blob(hub->news.scene);
    lb_drop_blob(hub->news.state);
    lb_drop_blob(hub->news.objects);
    lb_drop_blob(hub->news.controls);
    lb_drop_blob(hub->news.recording);
    hub->news = (lbNews){0};
}

void lb_close_hub(lbHub* hub) {
    for (int i = 0; i < lb_mostClients; ++i) {
        if (hub->clients[i].number != 0) {
            lb_hub_leave(hub, &hub->clients[i]);
        }
    }
    drop_news(hub);
    lb_free_frame_buffer(&hub->buffer);
}

/* ---- Letters ----------------------------------------------------------------------------------------------------- */

static bool make_room(const lbHub* hub, struct lbClientLetters* letters) {
    if (letters->count < letters->capacity) {
        return true;
    }
    int capacity = 2 * letters->capacity + 16;
    lbBlob** items = LB_NEW(hub->host, lbBlob*, capacity);
    if (items == NULL) {
        return false;
    }
    for (int i = 0; i < letters->count; ++i) {
        items[i] = letters->items[(letters->first + i) % letters->capacity];
    }
    lb_release(hub->host, letters->items);
    letters->items = items;
    letters->capacity = capacity;
    letters->first = 0;
    return true;
}

/* One that does not read what it is told is given up, before what waits for it grows without end. */
static void deliver(const lbHub* hub, lbClient* client, lbBlob* blob) {
    struct lbClientLetters* letters = &client->letters;
    if (letters->count >= lb_mostLetters || letters->bytes > lb_mostLetterBytes || !make_room(hub, letters)) {
        client->failed = true;
        return;
    }
    letters->items[(letters->first + letters->count++) % letters->capacity] = lb_hold_blob(blob);
    letters->bytes += blob->size;
}

static lbBlob* first_letter(const lbClient* client) {
    return client->letters.count > 0 ? client->letters.items[client->letters.first] : NULL;
}

static lbBlob* take_letter(lbClient* client) {
    struct lbClientLetters* letters = &client->letters;
    lbBlob* blob = first_letter(client);
    letters->first = (letters->first + 1) % letters->capacity;
    letters->count -= 1;
    letters->bytes -= blob->size;
    return blob;
}

static void deliver_all(lbHub* hub) {
    for (const lbLetter* letter = hub->news.letters; letter != NULL; letter = letter->next) {
        for (int i = 0; i < lb_mostClients; ++i) {
            lbClient* client = &hub->clients[i];
            if (client->number != 0 && (letter->client == 0 || letter->client == client->number)) {
                deliver(hub, client, letter->blob);
            }
        }
    }
    lb_free_letters(hub->host, hub->news.letters);
    hub->news.letters = NULL;
}

/* ---- Coming and going -------------------------------------------------------------------------------------------- */

static void tell_wishes(lbHub* hub) {
    lbWishes wishes = {0};
    for (int i = 0; i < lb_mostClients; ++i) {
        const lbClient* client = &hub->clients[i];
        if (client->number != 0) {
            wishes.fields |= client->view.field >= 0 ? 1u << client->view.field : 0u;
            wishes.nodes = wishes.nodes || client->view.nodes;
            wishes.lattice = wishes.lattice || client->view.lattice;
        }
    }
    lb_session_wish(hub->session, wishes);
}

lbClient* lb_hub_join(lbHub* hub, void* user) {
    lbClient* client = NULL;
    for (int i = 0; i < lb_mostClients && client == NULL; ++i) {
        client = hub->clients[i].number == 0 ? &hub->clients[i] : NULL;
    }
    if (client == NULL) {
        return NULL;
    }
    lbText text = {.host = hub->host};
    lb_describe_all(&text, hub->lastNumber + 1, hub->scenes, hub->sceneCount);
    lbBlob* hello = lb_blob_from_text(0, &text);
    lbMessage joined = {.kind = lb_messageJoined};
    if (hello == NULL || !lb_session_post(hub->session, hub->lastNumber + 1, &joined)) {
        lb_drop_blob(hello);
        return NULL;
    }
    *client = (lbClient){
        .number = ++hub->lastNumber, .user = user, .view = {.field = -1}, .hello = hello, .topologiesSent = -1};
    return client;
}

void lb_hub_leave(lbHub* hub, lbClient* client) {
    lbMessage left = {.kind = lb_messageLeft};
    lb_session_post(hub->session, client->number, &left);
    while (client->letters.count > 0) {
        lb_drop_blob(take_letter(client));
    }
    lb_release(hub->host, client->letters.items);
    lb_drop_blob(client->hello);
    lb_drop_build(client->build);
    if (client->holdsMessage) {
        lb_free_message(&client->held);
    }
    *client = (lbClient){0};
    tell_wishes(hub);
}

void lb_hub_update(lbHub* hub) {
    drop_news(hub);
    hub->news = lb_session_take_news(hub->session);
    deliver_all(hub);
    for (int i = 0; i < lb_mostClients; ++i) {
        lbClient* client = &hub->clients[i];
        if (client->number != 0 && client->holdsMessage) {
            client->holdsMessage = !lb_session_post(hub->session, client->number, &client->held);
        }
    }
}

/* ---- Receiving --------------------------------------------------------------------------------------------------- */

static void refuse(lbHub* hub, lbClient* client, const lbMessage* message, const char* reason) {
    lbText text = {.host = hub->host};
    lb_text_print(&text, "{\"type\":\"error\"");
    if (message->hasId) {
        lb_text_print(&text, ",\"id\":");
        lb_text_number(&text, message->id, 17);
    }
    lb_text_print(&text, ",\"message\":");
    lb_text_json_string(&text, reason);
    lb_text_print(&text, "}");
    lbBlob* blob = lb_blob_from_text(lb_session_next_sequence(hub->session), &text);
    if (blob != NULL) {
        deliver(hub, client, blob);
    }
    lb_drop_blob(blob);
}

void lb_hub_refuse(lbHub* hub, lbClient* client, const char* reason) {
    refuse(hub, client, &(lbMessage){0}, reason);
}

static void acknowledge(lbClient* client, uint32_t frame) {
    int kept = 0;
    for (int i = 0; i < client->unansweredCount; ++i) {
        if (client->unanswered[i] > frame) {
            client->unanswered[kept++] = client->unanswered[i];
        }
    }
    client->unansweredCount = kept;
}

static lbResult change_view(lbHub* hub, lbClient* client, const lbMessage* message) {
    lbFieldKind field = 0;
    if (message->text[0] != 0 && !lbFieldKind_FromName(message->text, &field)) {
        return lb_error(lb_errorArgument, "field: \"%.64s\" is none of the fields", message->text);
    }
    client->view =
        (lbView){.field = message->text[0] != 0 ? (int)field : -1, .nodes = message->on, .lattice = message->lattice};
    tell_wishes(hub);
    return lb_success();
}

bool lb_hub_receive(lbHub* hub, lbClient* client, const char* text, size_t size) {
    lbMessage message;
    lbResult result = lb_read_message(hub->host, text, size, &message);
    if (result.code == lb_ok && message.kind == lb_messageAck) {
        acknowledge(client, message.frame);
        return true;
    }
    if (result.code == lb_ok && message.kind == lb_messageView) {
        result = change_view(hub, client, &message);
    }
    if (result.code != lb_ok) {
        refuse(hub, client, &message, result.message);
        return true;
    }
    /* What waits for the client to be read counts too: who does not listen is not heard. */
    if (client->letters.count < lb_mostLetters / 2 && lb_session_post(hub->session, client->number, &message)) {
        return true;
    }
    client->held = message;
    client->holdsMessage = true;
    return false;
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

typedef enum Choice {
    nothing,
    sendHello,
    sendScene,
    sendTopology,
    sendState,
    sendObjects,
    sendControls,
    sendRecording,
    sendLetter,
    sendFrame
} Choice;

static bool is_older(uint64_t sequence, uint64_t sent, uint64_t* oldest) {
    if (sequence <= sent || sequence >= *oldest) {
        return false;
    }
    *oldest = sequence;
    return true;
}

/* Messages go out in the order in which they were made; of some kinds only the newest is still there. */
static Choice oldest_message(const lbHub* hub, const lbClient* client) {
    const lbNews* news = &hub->news;
    uint64_t oldest = UINT64_MAX;
    Choice choice = nothing;
    if (news->build != NULL && is_older(news->build->sequence, client->buildSequence, &oldest)) {
        choice = sendScene;
    }
    if (news->state != NULL && is_older(news->state->sequence, client->stateSequence, &oldest)) {
        choice = sendState;
    }
    if (news->objects != NULL && is_older(news->objects->sequence, client->objectsSequence, &oldest)) {
        choice = sendObjects;
    }
    if (news->controls != NULL && is_older(news->controls->sequence, client->controlsSequence, &oldest)) {
        choice = sendControls;
    }
    if (news->recording != NULL && is_older(news->recording->sequence, client->recordingSequence, &oldest)) {
        choice = sendRecording;
    }
    const lbBlob* letter = first_letter(client);
    if (letter != NULL && is_older(letter->sequence, 0, &oldest)) {
        choice = sendLetter;
    }
    return choice;
}

static bool has_room_for_frame(const lbHub* hub, const lbClient* client) {
    const lbSnapshot* frame = hub->news.frame;
    return frame != NULL && frame->frame != client->lastFrame && client->unansweredCount < lb_mostUnanswered &&
           client->build != NULL && frame->build == client->build;
}

static Choice choose(const lbHub* hub, const lbClient* client) {
    if (client->hello != NULL) {
        return sendHello;
    }
    if (client->build != NULL && client->topologiesSent < client->build->bodyCount) {
        return sendTopology;
    }
    Choice choice = oldest_message(hub, client);
    return choice != nothing ? choice : has_room_for_frame(hub, client) ? sendFrame : nothing;
}

static bool same_view(lbView a, lbView b) {
    return a.field == b.field && a.nodes == b.nodes && a.lattice == b.lattice;
}

static bool send_frame(lbHub* hub, lbClient* client, lbOutgoing* outgoing) {
    const lbSnapshot* frame = hub->news.frame;
    if (hub->encodedFrame != frame->frame || !same_view(hub->encodedView, client->view)) {
        hub->encodedFrame = 0;
        if (!lb_encode_frame(&hub->buffer, frame, client->view)) {
            return false;
        }
        hub->encodedFrame = frame->frame;
        hub->encodedView = client->view;
        hub->encodeSeconds += hub->buffer.seconds;
    }
    if (client->lastFrame != 0) {
        client->dropped += frame->frame - client->lastFrame - 1;
    }
    lb_stamp_frame(&hub->buffer, client->dropped);
    client->lastFrame = frame->frame;
    client->unanswered[client->unansweredCount++] = frame->frame;
    hub->framesSent += 1;
    hub->bytesSent += (double)hub->buffer.size;
    *outgoing = (lbOutgoing){.binary = true, .bytes = hub->buffer.bytes, .size = hub->buffer.size};
    return true;
}

static lbBlob* begin_build(lbHub* hub, lbClient* client) {
    lb_drop_build(client->build);
    client->build = lb_hold_build(hub->news.build);
    client->buildSequence = client->build->sequence;
    client->topologiesSent = 0;
    client->unansweredCount = 0; /* frames of the old one need no answer */
    return lb_hold_blob(hub->news.scene);
}

static lbBlob* take_newest(lbBlob* blob, uint64_t* sent) {
    *sent = blob->sequence;
    return lb_hold_blob(blob);
}

bool lb_hub_has_message(lbHub* hub, const lbClient* client) {
    return choose(hub, client) != nothing;
}

bool lb_hub_next_message(lbHub* hub, lbClient* client, lbOutgoing* outgoing) {
    lbBlob* blob = NULL;
    bool binary = false;
    switch (choose(hub, client)) {
    case nothing:
        return false;
    case sendHello:
        blob = client->hello;
        client->hello = NULL;
        break;
    case sendScene:
        blob = begin_build(hub, client);
        break;
    case sendTopology:
        blob = lb_hold_blob(client->build->topologies[client->topologiesSent++]);
        binary = true;
        break;
    case sendState:
        blob = take_newest(hub->news.state, &client->stateSequence);
        break;
    case sendObjects:
        blob = take_newest(hub->news.objects, &client->objectsSequence);
        break;
    case sendControls:
        blob = take_newest(hub->news.controls, &client->controlsSequence);
        break;
    case sendRecording:
        blob = take_newest(hub->news.recording, &client->recordingSequence);
        break;
    case sendLetter:
        blob = take_letter(client);
        break;
    case sendFrame:
        return send_frame(hub, client, outgoing);
    }
    *outgoing = (lbOutgoing){.binary = binary, .bytes = blob->bytes, .size = blob->size, .blob = blob};
    return true;
}
