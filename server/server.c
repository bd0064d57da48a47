#include "server/server.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/recording.h"

#include <errno.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    chunkSize = 16 << 10,   /* bytes of a download that are handed on at once */
    receiveSize = 64 << 10, /* bytes of a message that come at once */
    mostConnections = 256,  /* of all kinds */
    headerLimit = 4096,     /* bytes of a request's headers */
    secondsOfSilence = 10,  /* that a request may pause for */
    pingAfter = 20,
    giveUpAfter = 40 /* s without a sign of life of a websocket */
};

_Static_assert(lb_blobHeadroom >= LWS_PRE, "messages leave room for libwebsockets' headers");

struct lbServer {
    const lbHost* host;
    lbAccess* access;
    const lbPlaces* places;
    const lbWorkFolder* folder;
    bool (*stop)(void* user);
    void* user;
    lbHub* hub;
    lbUploads uploads;
    struct lws_context* context;
    struct lws_vhost* vhost;
    lws_sorted_usec_list_t timer;
    bool stopping;
    pthread_mutex_t mutex;
    struct lws_context* awake; /* what may be woken; behind the mutex */
};

/* A request. */
typedef struct Request {
    lbBlob* body; /* of the answer, on its way */
    size_t sent;
    lbUpload upload;
    bool uploads;     /* a file comes in */
    lbResult refusal; /* why it is thrown away */
} Request;

/* A websocket. */
typedef struct Socket {
    lbClient* client;
    char* message; /* as far as it came */
    size_t size, capacity;
    bool stopped; /* nothing is read from it for now */
} Socket;

static lbServer* server_of(struct lws* wsi) {
    return lws_context_user(lws_get_context(wsi));
}

/* ---- Who asks ---------------------------------------------------------------------------------------------------- */

/* A header's text; "" if it is not there or too long. */
static void copy_header(struct lws* wsi, enum lws_token_indexes header, char* text, size_t room) {
    if (lws_hdr_copy(wsi, text, (int)room, header) < 0) {
        text[0] = 0;
    }
}

static void copy_argument(struct lws* wsi, const char* name, char* text, size_t room) {
    text[0] = 0;
    const char* value = lws_get_urlarg_by_name(wsi, name, text, (int)room);
    if (value == NULL) {
        text[0] = 0;
    } else if (value != text) {
        memmove(text, value, strlen(value) + 1);
    }
}

static bool has_token(struct lws* wsi) {
    char token[128];
    copy_argument(wsi, "token=", token, sizeof(token));
    return lb_token_is_right(server_of(wsi)->access, token);
}

/* Why a request is not answered; NULL if it may be. */
static const char* refusal_of(struct lws* wsi) {
    char host[256], origin[300];
    copy_header(wsi, WSI_TOKEN_HOST, host, sizeof(host));
    if (!lb_host_is_own(server_of(wsi)->access, host)) {
        return "this is not the host that was asked for";
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0) {
        copy_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin));
        if (!lb_origin_is_own(origin, host)) {
            return "pages of another origin may not connect";
        }
    }
    return NULL;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static const char securityHeaders[] =
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-cache\r\n"
    "Content-Security-Policy: default-src 'self'; script-src 'self' 'unsafe-inline' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; connect-src 'self' ws: blob: data:; "
    "worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n";

static int end_request(struct lws* wsi) {
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

/* Sends the headers; the body follows when there is room for it. Takes the body over; NULL is an empty one. */
static int answer(struct lws* wsi, Request* request, unsigned status, const char* type, lbBlob* body,
                  const char* headers) {
    unsigned char buffer[LWS_PRE + 3072], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof(buffer) - 1;
    size_t extra = strlen(headers), common = strlen(securityHeaders);
    request->body = body;
    request->sent = 0;
    if (lws_add_http_common_headers(wsi, status, type, body != NULL ? body->size : 0, &at, end) != 0 ||
        (size_t)(end - at) < extra + common + 4) {
        return -1;
    }
    memcpy(at, securityHeaders, common);
    memcpy(at + common, headers, extra);
    at += common + extra;
    if (lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    if (body == NULL || body->size == 0) {
        lb_drop_blob(body);
        request->body = NULL;
        return end_request(wsi);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_text(struct lws* wsi, Request* request, unsigned status, const char* type, const char* words) {
    lbText text = {.host = server_of(wsi)->host};
    lb_text_print(&text, "%s\n", words);
    return answer(wsi, request, status, type, lb_blob_from_text(0, &text), "");
}

static int refuse(struct lws* wsi, Request* request, unsigned status, const char* words) {
    return answer_text(wsi, request, status, "text/plain; charset=utf-8", words);
}

static int continue_answer(struct lws* wsi, Request* request) {
    unsigned char buffer[LWS_PRE + chunkSize];
    if (request->body == NULL) {
        return 0;
    }
    size_t left = request->body->size - request->sent, size = left < chunkSize ? left : chunkSize;
    memcpy(buffer + LWS_PRE, request->body->bytes + request->sent, size);
    bool last = size == left;
    if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size) {
        return -1;
    }
    request->sent += size;
    if (last) {
        lb_drop_blob(request->body);
        request->body = NULL;
        return end_request(wsi);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int serve_file(struct lws* wsi, Request* request, const char* path, const char* type, const char* headers) {
    char all[2048];
    int length = snprintf(all, sizeof(all), "%s%s", securityHeaders, headers);
    (void)request;
    int result = lws_serve_http_file(wsi, path, type, all, length);
    return result < 0 ? -1 : result > 0 ? end_request(wsi) : 0;
}

/* ---- Downloads and textures -------------------------------------------------------------------------------------- */

static int download_recording(struct lws* wsi, Request* request, const char* file, const char* type) {
    char path[PATH_MAX], headers[128];
    lb_join_path(path, server_of(wsi)->folder->recordings, file);
    snprintf(headers, sizeof(headers), "Content-Disposition: attachment; filename=\"limber-%s\"\r\n", file);
    FILE* there = fopen(path, "rb");
    if (there == NULL) {
        return refuse(wsi, request, HTTP_STATUS_NOT_FOUND, "nothing was recorded yet");
    }
    fclose(there);
    return serve_file(wsi, request, path, type, headers);
}

static int download(struct lws* wsi, Request* request, const char* file) {
    if (strcmp(file, LB_RECORDING_GLB) == 0) {
        return download_recording(wsi, request, file, "model/gltf-binary");
    }
    if (strcmp(file, LB_RECORDING_CSV) == 0) {
        return download_recording(wsi, request, file, "text/csv; charset=utf-8");
    }
    bool whole = strcmp(file, "scene.json") == 0, bare = strcmp(file, "bare-scene.json") == 0;
    lbBlob* document = whole || bare ? lb_session_document(server_of(wsi)->hub->session, whole) : NULL;
    if (document == NULL) {
        return refuse(wsi, request, HTTP_STATUS_NOT_FOUND, "there is no such file");
    }
    return answer(wsi, request, HTTP_STATUS_OK, "application/json", document,
                  "Content-Disposition: attachment; filename=\"limber-scene.json\"\r\n");
}

static int serve_texture(struct lws* wsi, Request* request, const char* place) {
    lbServer* server = server_of(wsi);
    const lbBuild* build = server->hub->news.build;
    unsigned revision;
    int body, material, used = 0;
    const unsigned char* bytes = NULL;
    size_t size = 0;
    bool found = sscanf(place, "%9u/%6d/%6d%n", &revision, &body, &material, &used) == 3 && place[used] == 0 &&
                 build != NULL && build->revision == revision && lb_build_texture(build, body, material, &bytes, &size);
    lbBlob* blob = found ? lb_create_blob(server->host, 0, size) : NULL;
    if (blob == NULL) {
        return refuse(wsi, request, HTTP_STATUS_NOT_FOUND, "there is no such texture");
    }
    memcpy(blob->bytes, bytes, size);
    bool png = size > 4 && memcmp(bytes, "\x89PNG", 4) == 0;
    return answer(wsi, request, HTTP_STATUS_OK, png ? "image/png" : "image/jpeg", blob, "");
}

/* ---- Uploads ----------------------------------------------------------------------------------------------------- */

static int begin_upload(struct lws* wsi, Request* request) {
    char length[32], name[256];
    copy_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof(length));
    copy_argument(wsi, "name=", name, sizeof(name));
    long long size = strtoll(length, NULL, 10);
    if (size <= 0 || size > lb_uploadLimit) { /* what is too long is not even thrown away: the connection ends */
        lws_return_http_status(wsi, size > 0 ? HTTP_STATUS_REQ_ENTITY_TOO_LARGE : HTTP_STATUS_LENGTH_REQUIRED, NULL);
        return -1;
    }
    request->uploads = true;
    request->refusal = lb_begin_upload(&server_of(wsi)->uploads, name, size, &request->upload);
    return 0;
}

static int continue_upload(Request* request, const void* bytes, size_t size) {
    if (!request->uploads) {
        return -1; /* a body that nobody asked for */
    }
    if (request->refusal.code == lb_ok) {
        request->refusal = lb_continue_upload(&request->upload, bytes, size);
    }
    return 0;
}

static int finish_upload(struct lws* wsi, Request* request) {
    if (!request->uploads) {
        return 0;
    }
    request->uploads = false;
    lbResult result = request->refusal.code == lb_ok ? lb_finish_upload(&request->upload) : request->refusal;
    lb_discard_upload(&request->upload);
    return result.code == lb_ok ? answer_text(wsi, request, HTTP_STATUS_OK, "application/json", "{\"type\":\"done\"}")
                                : refuse(wsi, request, HTTP_STATUS_BAD_REQUEST, result.message);
}

/* ---- HTTP -------------------------------------------------------------------------------------------------------- */

static void clear_request(Request* request) {
    lb_drop_blob(request->body);
    lb_discard_upload(&request->upload);
    *request = (Request){0};
}

static int serve_request(struct lws* wsi, Request* request, const char* path) {
    static const char downloads[] = "/download/", textures[] = "/texture/";
    char file[PATH_MAX];
    const char *type, *refusal = refusal_of(wsi);
    bool posts = lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0;
    bool gets = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
    clear_request(request);
    if (refusal != NULL) {
        return refuse(wsi, request, HTTP_STATUS_FORBIDDEN, refusal);
    }
    if (posts && strcmp(path, "/upload") == 0) {
        return has_token(wsi) ? begin_upload(wsi, request)
                              : (lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL), -1);
    }
    if (!gets) {
        lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, NULL);
        return -1;
    }
    bool download_ = strncmp(path, downloads, sizeof(downloads) - 1) == 0;
    bool texture = strncmp(path, textures, sizeof(textures) - 1) == 0;
    if ((download_ || texture) && !has_token(wsi)) {
        return refuse(wsi, request, HTTP_STATUS_FORBIDDEN, "the token is missing or wrong");
    }
    if (download_) {
        return download(wsi, request, path + sizeof(downloads) - 1);
    }
    if (texture) {
        return serve_texture(wsi, request, path + sizeof(textures) - 1);
    }
    if (lb_find_page_file(server_of(wsi)->places, path, file, &type)) {
        return serve_file(wsi, request, file, type, "");
    }
    return refuse(wsi, request, HTTP_STATUS_NOT_FOUND, "there is no such file");
}

/* A websocket is asked for. 0: go on; 1: refused, and told why. */
static int confirm_upgrade(struct lws* wsi, const char* to) {
    lbServer* server = server_of(wsi);
    char path[64], protocol[128];
    copy_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    copy_header(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof(protocol));
    unsigned status = HTTP_STATUS_FORBIDDEN;
    bool free = false;
    for (int i = 0; i < lb_mostClients; ++i) {
        free = free || server->hub->clients[i].number == 0;
    }
    if (strcmp(to, "websocket") == 0 && strcmp(path, "/ws") == 0 && strcmp(protocol, "limber.v1") == 0 &&
        refusal_of(wsi) == NULL && has_token(wsi)) {
        if (free) {
            return 0;
        }
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    return lws_return_http_status(wsi, status, NULL) != 0 ? -1 : 1;
}

static int http_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
    Request* request = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi, in);
    case LWS_CALLBACK_HTTP:
        return serve_request(wsi, request, in);
    case LWS_CALLBACK_HTTP_BODY:
        return continue_upload(request, in, length);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return finish_upload(wsi, request);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return continue_answer(wsi, request);
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
        return end_request(wsi);
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        if (request != NULL) {
            clear_request(request);
        }
        return 0;
    default:
        return 0;
    }
}

/* ---- WebSocket --------------------------------------------------------------------------------------------------- */

/* Asks for what has to be done with a client's connection. */
static void attend(lbHub* hub, lbClient* client) {
    struct lws* wsi = client->user;
    Socket* socket = lws_wsi_user(wsi);
    if (client->failed) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
        return;
    }
    if (socket->stopped != client->holdsMessage) {
        socket->stopped = client->holdsMessage;
        lws_rx_flow_control(wsi, socket->stopped ? 0 : 1);
    }
    if (lb_hub_has_message(hub, client)) {
        lws_callback_on_writable(wsi);
    }
}

static void attend_all(lbServer* server) {
    lb_hub_update(server->hub);
    for (int i = 0; i < lb_mostClients; ++i) {
        if (server->hub->clients[i].number != 0) {
            attend(server->hub, &server->hub->clients[i]);
        }
    }
}

static int open_socket(lbServer* server, struct lws* wsi, Socket* socket) {
    socket->client = lb_hub_join(server->hub, wsi);
    if (socket->client == NULL) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, NULL, 0);
        return -1;
    }
    attend_all(server);
    return 0;
}

static void close_socket(lbServer* server, Socket* socket) {
    if (socket->client != NULL) {
        lb_hub_leave(server->hub, socket->client);
    }
    lb_release(server->host, socket->message);
    *socket = (Socket){0};
}

static bool keep_piece(lbServer* server, Socket* socket, const void* bytes, size_t size) {
    size_t needed = socket->size + size;
    if (needed > socket->capacity) {
        size_t capacity = needed < 4096 ? 4096 : 2 * needed;
        char* larger = lb_allocate(server->host, (int64_t)capacity, 1);
        if (larger == NULL) {
            return false;
        }
        if (socket->size > 0) {
            memcpy(larger, socket->message, socket->size);
        }
        lb_release(server->host, socket->message);
        socket->message = larger;
        socket->capacity = capacity;
    }
    if (size > 0) {
        memcpy(socket->message + socket->size, bytes, size);
    }
    socket->size = needed;
    return true;
}

static void forget_large_message(lbServer* server, Socket* socket) {
    socket->size = 0;
    if (socket->capacity > receiveSize) {
        lb_release(server->host, socket->message);
        socket->message = NULL;
        socket->capacity = 0;
    }
}

static int close_with(struct lws* wsi, enum lws_close_status status) {
    lws_close_reason(wsi, status, NULL, 0);
    return -1;
}

static int receive(lbServer* server, struct lws* wsi, Socket* socket, const void* bytes, size_t size) {
    if (lws_frame_is_binary(wsi)) {
        return close_with(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE);
    }
    if (socket->size + size > lb_messageLimit || !keep_piece(server, socket, bytes, size)) {
        return close_with(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) {
        return 0;
    }
    if (socket->client->holdsMessage) { /* cannot be, while nothing is read from it */
        return close_with(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    }
    lb_hub_receive(server->hub, socket->client, socket->message, socket->size);
    forget_large_message(server, socket);
    attend(server->hub, socket->client);
    return 0;
}

static int send_next(lbServer* server, struct lws* wsi, Socket* socket) {
    lbOutgoing outgoing;
    if (socket->client->failed || !lb_hub_next_message(server->hub, socket->client, &outgoing)) {
        return socket->client->failed ? -1 : 0;
    }
    enum lws_write_protocol form = outgoing.binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
    int written = lws_write(wsi, outgoing.bytes, outgoing.size, form);
    lb_drop_blob(outgoing.blob);
    if (written < (int)outgoing.size) {
        return -1;
    }
    attend(server->hub, socket->client);
    return 0;
}

static int socket_callback(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
    Socket* socket = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        return open_socket(server_of(wsi), wsi, socket);
    case LWS_CALLBACK_CLOSED:
        close_socket(server_of(wsi), socket);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return socket->client != NULL ? receive(server_of(wsi), wsi, socket, in, length) : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return socket->client != NULL ? send_next(server_of(wsi), wsi, socket) : 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        attend_all(server_of(wsi));
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {"http", http_callback, sizeof(Request), 0, 0, NULL, 0},
    {"limber.v1", socket_callback, sizeof(Socket), receiveSize, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

lbResult lb_create_server(const lbServerDef* def, lbServer** server) {
    *server = LB_NEW(def->host, lbServer, 1);
    if (*server == NULL) {
        return lb_out_of_memory("a server");
    }
    (*server)->host = def->host;
    (*server)->access = def->access;
    (*server)->places = def->places;
    (*server)->folder = def->folder;
    (*server)->stop = def->stop;
    (*server)->user = def->user;
    (*server)->uploads.folder = def->folder->uploads;
    pthread_mutex_init(&(*server)->mutex, NULL);
    return lb_success();
}

static void ask_whether_to_stop(lws_sorted_usec_list_t* timer) {
    lbServer* server = lws_container_of(timer, lbServer, timer);
    server->stopping = server->stopping || server->stop(server->user);
    lws_sul_schedule(server->context, 0, timer, ask_whether_to_stop, 100 * LWS_US_PER_MS);
    if (server->stopping) {
        lws_cancel_service(server->context);
    }
}

static bool create_context(lbServer* server) {
    static const lws_retry_bo_t silence = {.secs_since_valid_ping = pingAfter, .secs_since_valid_hangup = giveUpAfter};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_VALIDATE_UTF8,
        .user = server,
        .fd_limit_per_thread = mostConnections,
        .max_http_header_data = headerLimit,
        .max_http_header_pool = mostConnections, /* who stops half-way holds nobody else up */
        .timeout_secs = secondsOfSilence,
        .retry_and_idle_policy = &silence,
    };
    lws_set_log_level(0, NULL);
    server->context = lws_create_context(&info);
    return server->context != NULL;
}

static bool create_vhost(lbServer* server) {
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_VALIDATE_UTF8,
        .port = server->access->port,
        .iface = server->access->address,
        .protocols = protocols,
        .vhost_name = "limber",
        .keepalive_timeout = secondsOfSilence,
        .timeout_secs = secondsOfSilence,
        .server_string = "limber",
    };
    server->vhost = lws_create_vhost(server->context, &info);
    return server->vhost != NULL;
}

lbResult lb_server_listen(lbServer* server, lbHub* hub) {
    server->hub = hub;
    if (!create_context(server)) {
        return lb_error(lb_errorMemory, "libwebsockets could not be started");
    }
    if (!create_vhost(server)) {
        int port = server->access->port;
        lb_server_close(server);
        return lb_error(lb_errorUnsupported, "%s:%d cannot be listened at: it is taken, or no address of this machine",
                        server->access->address, port);
    }
    server->access->port = lws_get_vhost_listen_port(server->vhost);
    lws_sul_schedule(server->context, 0, &server->timer, ask_whether_to_stop, 100 * LWS_US_PER_MS);
    pthread_mutex_lock(&server->mutex);
    server->awake = server->context;
    pthread_mutex_unlock(&server->mutex);
    return lb_success();
}

void lb_server_run(lbServer* server) {
    while (!server->stopping && lws_service(server->context, 0) >= 0) {
    }
}

void lb_server_wake(void* user) {
    lbServer* server = user;
    pthread_mutex_lock(&server->mutex);
    if (server->awake != NULL) {
        lws_cancel_service(server->awake);
    }
    pthread_mutex_unlock(&server->mutex);
}

void lb_server_close(lbServer* server) {
    pthread_mutex_lock(&server->mutex);
    server->awake = NULL;
    pthread_mutex_unlock(&server->mutex);
    if (server->context != NULL) {
        lws_context_destroy(server->context);
    }
    server->context = NULL;
    server->vhost = NULL;
}

void lb_destroy_server(lbServer* server) {
    if (server != NULL) {
        lb_server_close(server);
        pthread_mutex_destroy(&server->mutex);
        lb_release(server->host, server);
    }
}
