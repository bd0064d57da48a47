/* Parallel loops: on the host's threads if it lends some, else on limber's own. */
#ifndef LIMBER_SRC_TASKS_H
#define LIMBER_SRC_TASKS_H

#include "limber/base.h"

typedef struct lbTasks lbTasks;

/* `threadCount` counts the calling thread; 0: one for each processor. With a host that brings its own parallelFor no
 * thread is made. */
lbResult lb_create_tasks(const lbHost* host, int threadCount, lbTasks** tasks);
void lb_destroy_tasks(lbTasks* tasks);
int lb_tasks_thread_count(const lbTasks* tasks);

/* Runs task(context, begin, end) over all of 0 <= i < count in pieces of `grain` items, and returns when all are done.
 * Called from one thread at a time. NULL tasks, or a loop of one piece: runs in place. */
void lb_parallel_for(lbTasks* tasks, int count, int grain, lbTaskFn* task, void* context);

#endif
