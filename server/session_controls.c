/* Controls of precomputed bodies: where they are and what holds them, for the page. */
#include "server/json_text.h"
#include "server/session_inner.h"

static void put_vector(lbText* text, const char* key, lbVec3 v) {
    lb_put_begin(text, key, '[');
    const float values[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        lb_put_comma(text);
        lb_text_number(text, (double)values[i], 7);
    }
    lb_put_end(text, ']');
}

static void put_control(lbText* text, const lbControlState* state) {
    static const char* const axes[3] = {"x", "y", "z"};
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "name", state->name);
    lb_put_bool_pair(text, "fixed", state->fixed);
    lb_put_bool_pair(text, "free", state->free);
    put_vector(text, "center", state->center);
    for (int i = 0; i < 3; ++i) {
        put_vector(text, axes[i], state->axes[i]);
    }
    put_vector(text, "force", state->force);
    put_vector(text, "torque", state->torque);
    lb_put_end(text, '}');
}

static void put_body(lbText* text, const lbWorld* world, lbBodyId id, int body) {
    double value = 0, limit = 0;
    lbRefusal refusal = lbBody_GetRefusal(world, id, &value, &limit);
    lb_put_begin(text, NULL, '{');
    lb_put_number_pair(text, "body", body);
    lb_put_pair(text, "refusal", refusal == lb_refusalNone ? NULL : lbRefusal_GetName(refusal));
    lb_put_number_pair(text, "value", value);
    lb_put_number_pair(text, "limit", limit);
    lb_put_begin(text, "controls", '[');
    for (int i = 0; i < lbBody_GetControlCount(world, id); ++i) {
        lbControlState state;
        if (lbBody_GetControl(world, id, i, &state).code == lb_ok) {
            put_control(text, &state);
        }
    }
    lb_put_end(text, ']');
    lb_put_end(text, '}');
}

static uint64_t hash_of(const lbText* text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < text->size; ++i) {
        hash = (hash ^ (unsigned char)text->data[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

void lb_tell_controls(lbSession* session) {
    const lbWorld* world = lbScene_GetWorld(session->stage.scene);
    bool some = false;
    for (int i = 0; !some && i < session->stage.build->bodyCount; ++i) {
        some = lbBody_GetControlCount(world, lbScene_GetBody(session->stage.scene, i)) > 0;
    }
    if (!some && session->controls == NULL) {
        return; /* nobody has ever heard of any */
    }
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"controls\",\"revision\":%u", session->stage.revision);
    lb_put_begin(&text, "bodies", '[');
    for (int i = 0; i < session->stage.build->bodyCount; ++i) {
        lbBodyId id = lbScene_GetBody(session->stage.scene, i);
        if (lbBody_GetControlCount(world, id) > 0) {
            put_body(&text, world, id, i);
        }
    }
    lb_put_end(&text, ']');
    lb_text_print(&text, "}");
    uint64_t hash = text.failed ? 0 : hash_of(&text);
    if (text.failed || (session->controls != NULL && hash == session->controlsHash)) {
        lb_text_free(&text);
        return;
    }
    session->controlsHash = hash;
    lb_post_newest(session, &session->controls, &text);
}
