/* A small thread pool for short loops: workers spin for a while before they sleep, since a step has many loops of a
 * few microseconds each. Pieces are handed out by an atomic counter; which thread runs a piece never changes a result.
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

struct lbTasks {
    const lbHost* host;
    int threadCount; /* with the caller */
    int startedCount;
    pthread_t* threads; /* (threadCount - 1) */

    /* The loop that runs now. Published by `generation`. Each of the words that threads write has a cache line of its
     * own: workers spin on one while others are at work on the next. */
    lbTaskFn* task;
    void* context;
    int count, grain;
    _Alignas(64) atomic_int next;  /* first item that nobody has taken */
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

static void run_pieces(lbTasks* tasks) {
    for (;;) {
        int begin = atomic_fetch_add_explicit(&tasks->next, tasks->grain, memory_order_relaxed);
        if (begin >= tasks->count) {
            return;
        }
        int end = begin + tasks->grain < tasks->count ? begin + tasks->grain : tasks->count;
        tasks->task(tasks->context, begin, end);
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
    lbTasks* tasks = argument;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_work(tasks, seen);
        if (atomic_load_explicit(&tasks->stop, memory_order_relaxed)) {
            return NULL;
        }
        if (enter(tasks)) {
            run_pieces(tasks);
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
    made->threads = LB_NEW(host, pthread_t, made->threadCount);
    if (made->threads == NULL) {
        lb_release(host, made);
        return lb_out_of_memory("threads");
    }
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    for (int i = 0; i < made->threadCount - 1; ++i) {
        if (pthread_create(&made->threads[i], NULL, worker_main, made) != 0) {
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
        pthread_join(tasks->threads[i], NULL);
    }
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    const lbHost* host = tasks->host;
    lb_release(host, tasks->threads);
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
    atomic_store_explicit(&tasks->next, 0, memory_order_relaxed);
    atomic_store_explicit(&tasks->gate, gateOpen, memory_order_release);
    publish(tasks);
    run_pieces(tasks);
    atomic_fetch_and_explicit(&tasks->gate, ~gateOpen, memory_order_acq_rel);
    int round = 0;
    while (atomic_load_explicit(&tasks->gate, memory_order_acquire) != 0) {
        relax();
        if (++round > spinRounds) { /* fewer processors than threads: let the worker run */
            sched_yield();
        }
    }
}
