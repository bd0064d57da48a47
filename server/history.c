#include "server/history.h"

#include <string.h>

static int place_of(const lbHistory* history, int index) {
    return (history->first + index) % lb_mostMoments;
}

const lbMoment* lb_history_at(const lbHistory* history, int index) {
    return history->ring[place_of(history, index)];
}

static void drop_oldest(lbHistory* history, lbMoment** spare) {
    lbMoment* oldest = history->ring[history->first];
    history->ring[history->first] = NULL;
    history->bytes -= lbMoment_GetSize(oldest);
    history->first = (history->first + 1) % lb_mostMoments;
    history->count -= 1;
    lbDestroyMoment(*spare);
    *spare = oldest;
}

void lb_history_keep(lbHistory* history, const lbScene* scene) {
    lbMoment* moment = NULL; /* the memory of one that goes serves the one that comes */
    while (history->count == lb_mostMoments || (history->count > 1 && history->bytes > lb_historyBytes)) {
        drop_oldest(history, &moment);
    }
    if (lbScene_KeepMoment(scene, &moment).code == lb_ok) {
        history->bytes += lbMoment_GetSize(moment);
        history->ring[place_of(history, history->count++)] = moment;
    }
}

int lb_history_find(const lbHistory* history, int frame) {
    int low = 0, high = history->count; /* frames rise along it */
    while (low < high) {
        int middle = (low + high) / 2;
        if (lbMoment_GetFrame(lb_history_at(history, middle)) <= frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

void lb_history_cut(lbHistory* history, int index) {
    while (history->count > index + 1) {
        lbMoment** last = &history->ring[place_of(history, --history->count)];
        history->bytes -= lbMoment_GetSize(*last);
        lbDestroyMoment(*last);
        *last = NULL;
    }
}

lbMoment* lb_history_take(lbHistory* history, int index) {
    if (index < 0 || index >= history->count) {
        return NULL;
    }
    lb_history_cut(history, index);
    lbMoment** last = &history->ring[place_of(history, --history->count)];
    lbMoment* taken = *last;
    history->bytes -= lbMoment_GetSize(taken);
    *last = NULL;
    return taken;
}

void lb_history_clear(lbHistory* history) {
    lb_history_cut(history, -1);
    history->first = 0;
}
