/* Hands a value from one thread to another without a lock: whoever writes never waits, whoever reads gets the newest
 * whole value. Three places: one that is written, one that is read, one that lies between. */
#ifndef LIMBER_SRC_MAILBOX_H
#define LIMBER_SRC_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct lbMailbox {
    atomic_int between; /* which place lies between; plus mailboxFresh: it was written since it was read */
    int written, read;  /* places of the writer and of the reader, each its own business */
} lbMailbox;

enum { mailboxFresh = 4 };

static inline void lb_open_mailbox(lbMailbox* box) {
    box->written = 0;
    box->read = 1;
    atomic_init(&box->between, 2);
}

/* The writer fills place `written`, and posts it. */
static inline void lb_post(lbMailbox* box) {
    int other = atomic_exchange_explicit(&box->between, box->written | mailboxFresh, memory_order_acq_rel);
    box->written = other & 3;
}

/* Makes `read` the newest place; false: nothing has come since. */
static inline bool lb_fetch(lbMailbox* box) {
    if ((atomic_load_explicit(&box->between, memory_order_relaxed) & mailboxFresh) == 0) {
        return false;
    }
    box->read = atomic_exchange_explicit(&box->between, box->read, memory_order_acq_rel) & 3;
    return true;
}

#endif
