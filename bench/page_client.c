#include "bench/page_client.h"

#include "base/result.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { textFrame = 1, pingFrame = 9, pongFrame = 10, frameKind = 2, frameHead = 8 };

static lbResult gone(const char* what) {
    return lb_error(lb_errorFile, "the connection to limber play ended while %s", what);
}

static bool read_all(lbPageClient* client, void* bytes, size_t size) {
    char* at = bytes;
    while (size > 0) {
        ssize_t got = recv(client->socket, at, size, 0);
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Up to 65535 bytes. Masked with zeros: the mask guards intermediaries, of which there are none. */
static bool send_frame(lbPageClient* client, int kind, const void* bytes, size_t size) {
    unsigned char frame[8 + 2048] = {(unsigned char)(0x80 | kind)};
    size_t head = 2;
    if (size > 2048) {
        return false;
    }
    if (size < 126) {
        frame[1] = (unsigned char)(0x80 | size);
    } else {
        frame[1] = 0x80 | 126;
        frame[2] = (unsigned char)(size >> 8);
        frame[3] = (unsigned char)size;
        head = 4;
    }
    memcpy(frame + head + 4, bytes, size);
    size += head + 4;
    return send(client->socket, frame, size, MSG_NOSIGNAL) == (ssize_t)size;
}

lbResult lb_page_send(lbPageClient* client, const char* text) {
    return send_frame(client, textFrame, text, strlen(text)) ? lb_success() : gone("sending");
}

static lbResult shake_hands(lbPageClient* client, int port, const char* token) {
    char request[512], answer[4096];
    int length =
        snprintf(request, sizeof(request),
                 "GET /ws?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: bGltYmVyIGxpbWJlciBsaQ==\r\n"
                 "Sec-WebSocket-Protocol: limber.v1\r\n\r\n",
                 token, port);
    if (send(client->socket, request, (size_t)length, MSG_NOSIGNAL) != length) {
        return gone("asking");
    }
    size_t used = 0;
    while (used < sizeof(answer) - 1 && read_all(client, answer + used, 1)) {
        answer[++used] = 0;
        if (used >= 4 && strcmp(answer + used - 4, "\r\n\r\n") == 0) {
            return strncmp(answer, "HTTP/1.1 101", 12) == 0 ? lb_success()
                                                            : lb_error(lb_errorFile, "limber play refused to connect");
        }
    }
    return gone("being answered");
}

/* A connection to limber play, where nothing was said yet. */
static lbResult open_socket(const char* address, int* port, char token[64], int* opened) {
    if (sscanf(address, "http://127.0.0.1:%d/?token=%63s", port, token) != 2) {
        return lb_error(lb_errorArgument, "'%s' is no address of limber play", address);
    }
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = 60};
    *opened = socket(AF_INET, SOCK_STREAM, 0);
    if (*opened < 0 || connect(*opened, (struct sockaddr*)&place, sizeof(place)) != 0) {
        return gone("connecting");
    }
    setsockopt(*opened, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return lb_success();
}

lbResult lb_page_connect(const char* address, lbPageClient* client) {
    int port = 0;
    char token[64];
    *client = (lbPageClient){.socket = -1};
    LB_TRY(open_socket(address, &port, token, &client->socket));
    return shake_hands(client, port, token);
}

static bool send_all(int to, const char* bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

lbResult lb_page_upload(const char* address, const char* name, const void* bytes, size_t size) {
    int port = 0, opened = -1;
    char token[64], request[512], answer[16];
    lbResult result = open_socket(address, &port, token, &opened);
    if (result.code == lb_ok) {
        int length = snprintf(request, sizeof(request),
                              "POST /upload?token=%s&name=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %zu\r\n"
                              "Connection: close\r\n\r\n",
                              token, name, port, size);
        bool done = send_all(opened, request, (size_t)length) && send_all(opened, bytes, size) &&
                    recv(opened, answer, 12, MSG_WAITALL) == 12;
        result = !done                                     ? gone("sending a file")
                 : memcmp(answer, "HTTP/1.1 200", 12) != 0 ? lb_error(lb_errorFile, "limber play refused %s", name)
                                                           : lb_success();
    }
    if (opened >= 0) {
        close(opened);
    }
    return result;
}

/* The next message, whole: the server sends each in one piece. */
static lbResult receive(lbPageClient* client, int* kind) {
    unsigned char head[2], more[8];
    if (!read_all(client, head, 2)) {
        return gone("waiting for a frame");
    }
    size_t size = head[1] & 127u, extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!read_all(client, more, extra)) {
        return gone("receiving");
    }
    for (size_t i = 0; i < extra; ++i) {
        size = i == 0 ? more[0] : size << 8 | more[i];
    }
    if (size > client->capacity) {
        free(client->message);
        client->capacity = size + 1;
        client->message = malloc(client->capacity);
        if (client->message == NULL) {
            client->capacity = 0;
            return lb_out_of_memory("a frame");
        }
    }
    *kind = head[0] & 15;
    client->size = size;
    client->isText = *kind == textFrame;
    return read_all(client, client->message, size) ? lb_success() : gone("receiving");
}

static void read_frame(const lbPageClient* client, lbPageFrame* frame) {
    uint32_t head[frameHead];
    memcpy(head, client->message, sizeof(head));
    frame->revision = head[1];
    frame->number = head[2];
    frame->size = client->size;
    frame->statCount = head[4] < lb_pageStatLimit ? (int)head[4] : lb_pageStatLimit;
    memcpy(frame->stats, client->message + sizeof(head), (size_t)frame->statCount * sizeof(float));
}

lbResult lb_page_next_frame(lbPageClient* client, lbPageFrame* frame) {
    for (;;) {
        int kind = 0;
        uint32_t word = 0;
        LB_TRY(receive(client, &kind));
        if (kind == pingFrame && !send_frame(client, pongFrame, client->message, client->size)) {
            return gone("answering");
        }
        if (!client->isText && client->size >= 4 * frameHead) {
            memcpy(&word, client->message, 4);
        }
        if (word == frameKind) {
            char ack[64];
            read_frame(client, frame);
            snprintf(ack, sizeof(ack), "{\"type\":\"ack\",\"frame\":%u}", frame->number);
            return lb_page_send(client, ack);
        }
    }
}

void lb_page_disconnect(lbPageClient* client) {
    if (client->socket >= 0) {
        close(client->socket);
    }
    free(client->message);
    *client = (lbPageClient){.socket = -1};
}
