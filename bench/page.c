/* What the page asks of the engine: a body of 5,000 nodes under a skin of 20,000 triangles that lies on the ground
 * while a hand swings it about, at 60 frames a second, served over a real connection to a client that answers at once.
 *
 * And how long it takes from a file of 100,000 triangles that is dropped there to its first frame.
 *
 * What a browser does with the frames is not in it. The client shares the processors with the engine. */
#include "base/clock.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/page_client.h"
#include "bench/page_drop.h"
#include "server/play.h"
#include "server/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { framesShort = 600, framesLong = 3600, framesBefore = 60, framesOfPages = 180, mostPages = 4 };

static const char scene[] =
    "{\"limber\":1,\"frameRate\":60,\"ground\":{},\"bodies\":[{\"name\":\"ball\",\"shape\":{\"kind\":\"sphere\","
    "\"radius\":0.25,\"edge\":0.0095},\"mesh\":{\"kind\":\"tet-grid\",\"edge\":0.027},\"material\":{\"density\":1000,"
    "\"youngsModulus\":30000,\"stiffnessDamping\":0.001,\"massDamping\":0.3},\"position\":[0,0.27,0]}],"
    "\"probes\":[{\"name\":\"ball\",\"what\":\"position\",\"body\":\"ball\"}]}";

/* limber play in a thread of its own. */
typedef struct Host {
    char folder[64], path[96]; /* of the scene */
    int threadCount;
    pthread_t thread;
    bool threadRuns;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_bool stop;
    bool ended;
    char address[256]; /* "" until it can be reached */
    lbResult result;
} Host;

static bool is_to_stop(void* user) {
    return ((Host*)user)->stop;
}

static void take_address(void* user, const char* address) {
    Host* host = user;
    pthread_mutex_lock(&host->mutex);
    snprintf(host->address, sizeof(host->address), "%s", address);
    pthread_cond_signal(&host->changed);
    pthread_mutex_unlock(&host->mutex);
}

static void ignore(void* user, const char* message) {
    (void)user, (void)message;
}

static void* play(void* argument) {
    Host* host = argument;
    lbPlayDef def = {.what = host->path,
                     .address = "127.0.0.1",
                     .threadCount = host->threadCount,
                     .user = host,
                     .stop = is_to_stop,
                     .ready = take_address,
                     .warn = ignore};
    lbResult result = lb_play(&def);
    pthread_mutex_lock(&host->mutex);
    host->result = result;
    host->ended = true;
    pthread_cond_signal(&host->changed);
    pthread_mutex_unlock(&host->mutex);
    return NULL;
}

static lbResult write_scene(Host* host) {
    snprintf(host->folder, sizeof(host->folder), "/tmp/limber-bench-XXXXXX");
    if (mkdtemp(host->folder) == NULL) {
        host->folder[0] = 0;
        return lb_error(lb_errorFile, "no folder could be made in /tmp");
    }
    snprintf(host->path, sizeof(host->path), "%s/scene.json", host->folder);
    FILE* file = fopen(host->path, "wb");
    bool written = file != NULL && fwrite(scene, 1, sizeof(scene) - 1, file) == sizeof(scene) - 1;
    written = file != NULL && fclose(file) == 0 && written;
    return written ? lb_success() : lb_error(lb_errorFile, "%s: cannot be written", host->path);
}

static lbResult start(Host* host, int threadCount) {
    *host = (Host){.threadCount = threadCount};
    pthread_mutex_init(&host->mutex, NULL);
    pthread_cond_init(&host->changed, NULL);
    LB_TRY(write_scene(host));
    host->threadRuns = pthread_create(&host->thread, NULL, play, host) == 0;
    if (!host->threadRuns) {
        return lb_error(lb_errorMemory, "no thread could be started");
    }
    pthread_mutex_lock(&host->mutex);
    while (host->address[0] == 0 && !host->ended) {
        pthread_cond_wait(&host->changed, &host->mutex);
    }
    pthread_mutex_unlock(&host->mutex);
    return host->result;
}

static lbResult end(Host* host) {
    host->stop = true;
    if (host->threadRuns) {
        pthread_join(host->thread, NULL);
    }
    unlink(host->path);
    rmdir(host->folder);
    pthread_mutex_destroy(&host->mutex);
    pthread_cond_destroy(&host->changed);
    return host->result;
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

typedef struct Figures {
    int count;
    double *engine, *copy, *encode; /* (count) ms, of each frame */
    double bytes, contacts, nodes, steps, realTime, inTime;
    double simulated, dropped; /* frames */
    double processor;          /* ms of processor time in a frame, of all threads, the client's too */
} Figures;

static lbResult swing(lbPageClient* client, int frame) {
    char text[160];
    double angle = 0.05 * frame;
    if (frame == 0) {
        return lb_page_send(client, "{\"type\":\"grab\",\"hand\":0,\"body\":0,\"point\":0,\"target\":[0,0.5,0]}");
    }
    snprintf(text, sizeof(text), "{\"type\":\"moveGrab\",\"hand\":0,\"target\":[%.4f,%.4f,%.4f]}", 0.15 * cos(angle),
             0.45 + 0.05 * sin(2 * angle), 0.15 * sin(angle));
    return lb_page_send(client, text);
}

static void keep(Figures* figures, int index, const lbPageFrame* frame) {
    const float* stats = frame->stats;
    figures->engine[index] = (double)stats[lb_statTotal];
    figures->copy[index] = (double)stats[lb_statCopy];
    figures->encode[index] = (double)stats[lb_statEncode];
    figures->bytes += (double)frame->size / figures->count;
    figures->contacts += (double)stats[lb_statContacts] / figures->count;
    figures->nodes = (double)stats[lb_statNodes];
    figures->steps += (double)stats[lb_statSteps] / figures->count;
    figures->realTime += (double)stats[lb_statRealTime] / figures->count;
    double busy = figures->engine[index] + figures->copy[index];
    figures->inTime += busy <= (double)stats[lb_statBudget] ? 100.0 / figures->count : 0;
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static lbResult take_frames(lbBenchContext* context, lbPageClient* client, Figures* figures) {
    lbPageFrame frame = {0}, first = {0};
    double start = 0;
    for (int i = -framesBefore; i < figures->count; ++i) {
        LB_TRY(lb_page_next_frame(client, &frame));
        LB_TRY(swing(client, i + framesBefore));
        if (i == 0) {
            first = frame;
            start = processor_seconds();
        }
        if (i >= 0) {
            keep(figures, i, &frame);
        }
        if (i % 30 == 0) {
            lb_bench_progress(context, "frames");
        }
    }
    figures->simulated = (double)(frame.stats[lb_statFrames] - first.stats[lb_statFrames]) + 1;
    figures->processor = 1e3 * (processor_seconds() - start) / figures->simulated;
    figures->dropped = (double)(frame.stats[lb_statDropped] - first.stats[lb_statDropped]);
    return lb_success();
}

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double quantile(double* values, int count, double share) {
    qsort(values, (size_t)count, sizeof(double), by_size);
    return values[(int)(share * (count - 1))];
}

static void report(lbBenchContext* context, Figures* figures) {
    int count = figures->count;
    lb_bench_report(context, "nodes", figures->nodes, "");
    lb_bench_report(context, "contacts", figures->contacts, "");
    lb_bench_report(context, "steps_in_a_frame", figures->steps, "");
    lb_bench_report(context, "engine_median_all", quantile(figures->engine, count, 0.5), "ms");
    lb_bench_report(context, "engine_99_percent_all", quantile(figures->engine, count, 0.99), "ms");
    lb_bench_report(context, "processor_time_of_a_frame", figures->processor, "ms");
    lb_bench_report(context, "copy_median", quantile(figures->copy, count, 0.5), "ms");
    lb_bench_report(context, "encode_median", quantile(figures->encode, count, 0.5), "ms");
    lb_bench_report(context, "encode_99_percent", quantile(figures->encode, count, 0.99), "ms");
    lb_bench_report(context, "frame", figures->bytes / 1000, "kB");
    lb_bench_report(context, "frames_in_time", figures->inTime, "%");
    lb_bench_report(context, "real_time", 100 * figures->realTime, "%");
    lb_bench_report(context, "frames_simulated", figures->simulated, "");
    lb_bench_report(context, "frames_received", count, "");
    lb_bench_report(context, "frames_dropped", figures->dropped, "");
}

static lbResult measure(lbBenchContext* context, Host* host) {
    Figures figures = {.count = context->longRun ? framesLong : framesShort};
    size_t size = (size_t)figures.count * sizeof(double);
    lbPageClient client;
    figures.engine = malloc(size);
    figures.copy = malloc(size);
    figures.encode = malloc(size);
    lbResult result = figures.engine == NULL || figures.copy == NULL || figures.encode == NULL
                          ? lb_out_of_memory("a bench")
                          : lb_page_connect(host->address, &client);
    if (result.code == lb_ok) {
        result = take_frames(context, &client, &figures);
        lb_page_disconnect(&client);
    }
    if (result.code == lb_ok) {
        report(context, &figures);
    }
    free(figures.engine);
    free(figures.copy);
    free(figures.encode);
    return result;
}

/* Frames that each of several pages gets in a second, all of them reading. */
static lbResult measure_pages(lbBenchContext* context, const Host* host, int count, const char* name) {
    lbPageClient clients[mostPages];
    lbPageFrame frame;
    lbResult result = lb_success();
    int open = 0;
    while (open < count && result.code == lb_ok) {
        result = lb_page_connect(host->address, &clients[open]);
        open += result.code == lb_ok;
    }
    double start = lb_seconds();
    for (int i = 0; i < framesOfPages && result.code == lb_ok; ++i) {
        for (int k = 0; k < count && result.code == lb_ok; ++k) {
            result = lb_page_next_frame(&clients[k], &frame);
        }
    }
    if (result.code == lb_ok) {
        lb_bench_report(context, name, framesOfPages / (lb_seconds() - start), "1/s");
    }
    for (int k = 0; k < open; ++k) {
        lb_page_disconnect(&clients[k]);
    }
    return result;
}

lbResult lb_bench_page(lbBenchContext* context) {
    Host host;
    lb_bench_progress(context, "building the scene");
    lbResult result = start(&host, context->threadCount);
    if (result.code == lb_ok) {
        result = measure(context, &host);
    }
    if (result.code == lb_ok) {
        result = measure_pages(context, &host, 1, "frames_a_second_one_page");
    }
    if (result.code == lb_ok) {
        result = measure_pages(context, &host, mostPages, "frames_a_second_each_of_four");
    }
    if (result.code == lb_ok) {
        result = lb_measure_drop(context, host.address, host.folder);
    }
    lbResult ended = end(&host);
    return result.code != lb_ok ? result : ended;
}
