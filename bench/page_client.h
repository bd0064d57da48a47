/* The smallest client of limber play: takes frames, answers each at once, keeps what their heads say. */
#ifndef LIMBER_BENCH_PAGE_CLIENT_H
#define LIMBER_BENCH_PAGE_CLIENT_H

#include "limber/base.h"

enum { lb_pageStatLimit = 64 };

typedef struct lbPageClient {
    int socket;
    unsigned char* message; /* the last one */
    size_t size, capacity;
    bool isText;
} lbPageClient;

/* The head of a frame. */
typedef struct lbPageFrame {
    uint32_t revision, number;
    int statCount;
    float stats[lb_pageStatLimit];
    size_t size; /* bytes */
} lbPageFrame;

/* `address` as limber play prints it. */
lbResult lb_page_connect(const char* address, lbPageClient* client);
lbResult lb_page_send(lbPageClient* client, const char* text);
/* Waits for the next frame and answers it; other messages are passed over. */
lbResult lb_page_next_frame(lbPageClient* client, lbPageFrame* frame);
/* Sends a file, as a page does that something was dropped on. */
lbResult lb_page_upload(const char* address, const char* name, const void* bytes, size_t size);
void lb_page_disconnect(lbPageClient* client);

#endif
