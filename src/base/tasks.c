/* A small thread pool for short loops: workers spin for a while before they sleep, since a step has many loops of a
 * few microseconds each. Which thread runs a piece never changes a result.
 *
 * Each thread has a run of pieces of its own, always the same share of a loop, and helps others when it is done: what
 * it touches in one loop, the same part of the same arrays, is still in its caches in the next.
 *
 * The caller waits only for workers that have joined a loop, through its gate. One that sleeps, or that the system has
 * taken off its processor, is not waited for: a busy machine then costs help, not time. */
#include "base/tasks.h"

#include "base/memory.h"
#include "base/result.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { maxThreads = 256, spinRounds = 4000 };
static const unsigned gateOpen = 1u << 16;

/* A thread's pieces. In a cache line of its own: only the thread itself writes to it, until others come to help. */
typedef struct Share {
    _Alignas(64) atomic_int next; /* first piece that nobody has taken */
    int end;
} Share;

typedef struct Worker {
    struct lbTasks* tasks;
    int share; /* 0 is the caller's */
    pthread_t thread;
} Worker;

struct lbTasks {
    const lbHost* host;
    int threadCount; /* with the caller */
    int startedCount;
    Worker* workers; /* (threadCount - 1) */
    Share* shares;   /* (threadCount) */

    /* The loop that runs now. Published by `generation`. Each of the words that threads write has a cache line of its
     * own: workers spin on one while others are at work on the next. */
    lbTaskFn* task;
    void* context;
    int count, grain;
    _Alignas(64) atomic_uint gate; /* gateOpen, plus the number of workers inside */
    _Alignas(64) atomic_uint generation;
    atomic_bool stop;

    pthread_mutex_t mutex; /* only for sleeping and waking */
    pthread_cond_t wake;
    int sleepers;
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static void run_share(const lbTasks* tasks, Share* share) {
    for (;;) {
        if (atomic_load_explicit(&share->next, memory_order_relaxed) >= share->end) {
            return;
        }
        int piece = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (piece >= share->end) {
            return;
        }
        int begin = piece * tasks->grain, left = tasks->count - begin;
        tasks->task(tasks->context, begin, begin + (left < tasks->grain ? left : tasks->grain));
    }
}

/* One's own pieces first, then those of the next threads. */
static void run_pieces(const lbTasks* tasks, int first) {
    for (int i = 0; i < tasks->threadCount; ++i) {
        int share = first + i;
        run_share(tasks, &tasks->shares[share < tasks->threadCount ? share : share - tasks->threadCount]);
    }
}

static void deal_out_pieces(lbTasks* tasks) {
    int64_t pieceCount = ((int64_t)tasks->count + tasks->grain - 1) / tasks->grain;
    for (int i = 0; i < tasks->threadCount; ++i) {
        tasks->shares[i].end = (int)(pieceCount * (i + 1) / tasks->threadCount);
        atomic_store_explicit(&tasks->shares[i].next, (int)(pieceCount * i / tasks->threadCount), memory_order_relaxed);
    }
}

/* Waits for a new generation or the end; spins first, then sleeps. */
static unsigned wait_for_work(lbTasks* tasks, unsigned seen) {
    for (int round = 0; round < spinRounds; ++round) {
        unsigned now = atomic_load_explicit(&tasks->generation, memory_order_acquire);
        if (now != seen) {
            return now;
        }
        relax();
    }
    pthread_mutex_lock(&tasks->mutex);
    ++tasks->sleepers;
    while (atomic_load_explicit(&tasks->generation, memory_order_acquire) == seen) {
        pthread_cond_wait(&tasks->wake, &tasks->mutex);
    }
    --tasks->sleepers;
    pthread_mutex_unlock(&tasks->mutex);
    return atomic_load_explicit(&tasks->generation, memory_order_acquire);
}

static void publish(lbTasks* tasks) {
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add_explicit(&tasks->generation, 1, memory_order_release);
    bool anyoneAsleep = tasks->sleepers > 0;
    pthread_mutex_unlock(&tasks->mutex);
    if (anyoneAsleep) {
        pthread_cond_broadcast(&tasks->wake);
    }
}

/* Joins the loop that runs, if there is one: its fields do not change while a worker is inside. */
static bool enter(lbTasks* tasks) {
    unsigned gate = atomic_load_explicit(&tasks->gate, memory_order_relaxed);
    while (gate & gateOpen) {
        if (atomic_compare_exchange_weak_explicit(&tasks->gate, &gate, gate + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void* worker_main(void* argument) {
    const Worker* worker = argument;
    lbTasks* tasks = worker->tasks;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_work(tasks, seen);
        if (atomic_load_explicit(&tasks->stop, memory_order_relaxed)) {
            return NULL;
        }
        if (enter(tasks)) {
            run_pieces(tasks, worker->share);
            atomic_fetch_sub_explicit(&tasks->gate, 1, memory_order_release);
        }
    }
}

lbResult lb_create_tasks(const lbHost* host, int threadCount, lbTasks** tasks) {
    *tasks = NULL;
    if (threadCount < 0 || threadCount > maxThreads) {
        return lb_error(lb_errorArgument, "threadCount is %d; expected 0 (all processors) to %d", threadCount,
                        maxThreads);
    }
    if (threadCount == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threadCount = processors < 1 ? 1 : processors > maxThreads ? maxThreads : (int)processors;
    }
    lbTasks* made = LB_NEW(host, lbTasks, 1);
    if (made == NULL) {
        return lb_out_of_memory("threads");
    }
    made->host = host;
    made->threadCount = host->parallelFor != NULL ? 1 : threadCount;
    made->workers = LB_NEW(host, Worker, made->threadCount);
    made->shares = LB_NEW(host, Share, made->threadCount);
    if (made->workers == NULL || made->shares == NULL) {
        lb_release(host, made->workers);
        lb_release(host, made->shares);
        lb_release(host, made);
        return lb_out_of_memory("threads");
    }
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    for (int i = 0; i < made->threadCount - 1; ++i) {
        made->workers[i] = (Worker){.tasks = made, .share = i + 1};
        if (pthread_create(&made->workers[i].thread, NULL, worker_main, &made->workers[i]) != 0) {
            lb_destroy_tasks(made);
            return lb_error(lb_errorUnsupported, "could not start thread %d of %d", i + 2, threadCount);
        }
        ++made->startedCount;
    }
    *tasks = made;
    return lb_success();
}

void lb_destroy_tasks(lbTasks* tasks) {
    if (tasks == NULL) {
        return;
    }
    atomic_store(&tasks->stop, true);
    publish(tasks);
    for (int i = 0; i < tasks->startedCount; ++i) {
        pthread_join(tasks->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    const lbHost* host = tasks->host;
    lb_release(host, tasks->workers);
    lb_release(host, tasks->shares);
    lb_release(host, tasks);
}

int lb_tasks_thread_count(const lbTasks* tasks) {
    return tasks == NULL ? 1 : tasks->threadCount;
}

void lb_parallel_for(lbTasks* tasks, int count, int grain, lbTaskFn* task, void* context) {
    if (count <= 0) {
        return;
    }
    if (grain < 1) {
        grain = 1;
    }
    if (tasks != NULL && count > grain && tasks->host->parallelFor != NULL) {
        tasks->host->parallelFor(tasks->host->user, count, grain, task, context);
        return;
    }
    if (tasks == NULL || count <= grain || tasks->startedCount == 0) {
        task(context, 0, count);
        return;
    }
    tasks->task = task;
    tasks->context = context;
    tasks->count = count;
    tasks->grain = grain;
    deal_out_pieces(tasks);
    atomic_store_explicit(&tasks->gate, gateOpen, memory_order_release);
    publish(tasks);
    run_pieces(tasks, 0);
    atomic_fetch_and_explicit(&tasks->gate, ~gateOpen, memory_order_acq_rel);
    int round = 0;
    while (atomic_load_explicit(&tasks->gate, memory_order_acquire) != 0) {
        relax();
        if (++round > spinRounds) { /* fewer processors than threads: let the worker run */
            sched_yield();
        }
    }
}
