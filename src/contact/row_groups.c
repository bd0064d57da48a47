#include "contact/row_groups.h"

#include <string.h>

static bool same_bodies(const lbRow* p, const lbRow* q) {
    return p->blockA == q->blockA && p->blockB == q->blockB;
}

/* The least colour that neither body has in use, and marks it. */
static int choose_colour(const lbRow* row, uint64_t* used) {
    uint64_t both = used[row->blockA] | (row->blockB >= 0 ? used[row->blockB] : 0);
    int colour = 0;
    while (colour < lb_mostColours - 1 && (both >> colour & 1) != 0) {
        ++colour;
    }
    used[row->blockA] |= (uint64_t)1 << colour;
    if (row->blockB >= 0) {
        used[row->blockB] |= (uint64_t)1 << colour;
    }
    return colour;
}

/* Runs of rows with the same bodies, as they stand. */
static int find_runs(const lbRow* rows, const int* live, int count, uint64_t* used, lbRowGroup* runs) {
    int found = 0;
    for (int first = 0, end; first < count; first = end) {
        const lbRow* row = &rows[live[first]];
        for (end = first + 1; end < count && same_bodies(row, &rows[live[end]]); ++end) {
        }
        runs[found++] = (lbRowGroup){.first = first, .count = end - first, .colour = choose_colour(row, used)};
    }
    return found;
}

static void count_colours(const lbRowGroup* runs, int count, lbRowGroups* all) {
    int counts[lb_mostColours] = {0};
    for (int i = 0; i < count; ++i) {
        counts[runs[i].colour] += 1;
        all->colourCount = int_max(all->colourCount, runs[i].colour + 1);
    }
    for (int colour = 0; colour < all->colourCount; ++colour) {
        all->starts[colour + 1] = all->starts[colour] + counts[colour];
    }
    all->crowded = counts[lb_mostColours - 1] > 1;
}

lbRowGroups lb_group_rows(const lbRow* rows, const int* live, int count, int bodyCount, uint64_t* used, int* order,
                          lbRowGroup* groups) {
    memset(used, 0, (size_t)bodyCount * sizeof(*used));
    int runCount = find_runs(rows, live, count, used, groups);
    lbRowGroup* runs = groups + runCount;
    memcpy(runs, groups, (size_t)runCount * sizeof(*runs));
    lbRowGroups all = {.count = runCount, .groups = groups, .order = order};
    count_colours(runs, runCount, &all);
    int next[lb_mostColours];
    memcpy(next, all.starts, sizeof(next));
    for (int i = 0; i < runCount; ++i) {
        groups[next[runs[i].colour]++] = runs[i];
    }
    for (int i = 0, filled = 0; i < runCount; ++i) {
        memcpy(order + filled, live + groups[i].first, (size_t)groups[i].count * sizeof(*order));
        groups[i].first = filled;
        filled += groups[i].count;
    }
    return all;
}

/* Groups of one colour, from a place among all on. */
typedef struct ColourLoop {
    lbTaskFn* task;
    void* context;
    int first;
} ColourLoop;

static void run_groups(void* context, int begin, int end) {
    const ColourLoop* loop = context;
    loop->task(loop->context, loop->first + begin, loop->first + end);
}

void lb_for_groups(const lbRowGroups* groups, lbTasks* tasks, lbTaskFn* task, void* context) {
    for (int colour = 0; colour < groups->colourCount; ++colour) {
        ColourLoop loop = {task, context, groups->starts[colour]};
        int count = groups->starts[colour + 1] - groups->starts[colour];
        bool alone = groups->crowded && colour == lb_mostColours - 1;
        lb_parallel_for(tasks, count, alone ? count : 2, run_groups, &loop);
    }
}
