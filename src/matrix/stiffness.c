#include "matrix/stiffness.h"

#include "base/result.h"

#include <string.h>

lbResult lb_create_stiffness(const lbHost* host, int count, const lbElementList* list, const lbNodeGraph* reach,
                             lbPreciseStiffness* stiffness) {
    *stiffness = (lbPreciseStiffness){.host = host, .count = count, .reach = reach};
    LB_TRY(lb_create_node_graph(host, count, list, &stiffness->graph));
    stiffness->blocks = LB_NEW(host, double, 9 * (int64_t)stiffness->graph->starts[count]);
    bool enough = stiffness->blocks != NULL;
    if (reach != NULL) {
        stiffness->gradients = LB_NEW(host, double, 3 * (int64_t)reach->starts[count]);
        stiffness->weights = LB_NEW(host, double, reach->starts[count]);
        stiffness->averages = LB_NEW(host, double, 2 * (int64_t)count);
        enough &= stiffness->gradients != NULL && stiffness->weights != NULL && stiffness->averages != NULL;
    }
    return enough ? lb_success() : lb_out_of_memory("a matrix");
}

void lb_destroy_stiffness(lbPreciseStiffness* stiffness) {
    if (stiffness->host == NULL) {
        return;
    }
    void* arrays[] = {stiffness->blocks, stiffness->gradients, stiffness->weights, stiffness->averages};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(stiffness->host, arrays[i]);
    }
    lb_destroy_node_graph(stiffness->graph);
    *stiffness = (lbPreciseStiffness){0};
}

void lb_zero_stiffness(const lbPreciseStiffness* stiffness) {
    memset(stiffness->blocks, 0, 9 * (size_t)stiffness->graph->starts[stiffness->count] * sizeof(double));
    if (stiffness->reach != NULL) {
        memset(stiffness->gradients, 0, 3 * (size_t)stiffness->reach->starts[stiffness->count] * sizeof(double));
    }
}

/* As lb_neighbour_index, but -1 for a node that is no neighbour. */
static int find_neighbour(const lbNodeGraph* graph, int node, int neighbour) {
    int low = graph->starts[node], high = graph->starts[node + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (graph->columns[middle] < neighbour) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return graph->columns[low] == neighbour ? low : -1;
}

void lb_add_element_stiffness(const lbPreciseStiffness* stiffness, int n, const int* nodes, const double* element) {
    for (int p = 0; p < n; ++p) {
        for (int q = 0; q < n; ++q) {
            int at = find_neighbour(stiffness->graph, nodes[p], nodes[q]);
            double* block = stiffness->blocks + 9 * (size_t)(at < 0 ? 0 : at);
            for (int k = 0; at >= 0 && k < 9; ++k) {
                block[k] += element[(3 * p + k / 3) * 3 * n + 3 * q + k % 3];
            }
        }
    }
}

/* q += B^T H B p */
static void add_reach(const lbPreciseStiffness* stiffness, const double* p, double* q) {
    const lbNodeGraph* graph = stiffness->reach;
    double *gained = stiffness->averages, *pressure = stiffness->averages + stiffness->count;
    for (int i = 0; i < stiffness->count; ++i) {
        gained[i] = 0;
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            const double *b = stiffness->gradients + 3 * (size_t)k, *at = p + 3 * (size_t)graph->columns[k];
            gained[i] += b[0] * at[0] + b[1] * at[1] + b[2] * at[2];
        }
    }
    for (int i = 0; i < stiffness->count; ++i) {
        pressure[i] = 0;
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            pressure[i] += stiffness->weights[k] * gained[graph->columns[k]];
        }
    }
    for (int i = 0; i < stiffness->count; ++i) {
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            const double* b = stiffness->gradients + 3 * (size_t)k;
            double* at = q + 3 * (size_t)graph->columns[k];
            at[0] += b[0] * pressure[i], at[1] += b[1] * pressure[i], at[2] += b[2] * pressure[i];
        }
    }
}

void lb_stiffness_times(const lbPreciseStiffness* stiffness, const double* p, double* q) {
    const lbNodeGraph* graph = stiffness->graph;
    for (int i = 0; i < stiffness->count; ++i) {
        double x = 0, y = 0, z = 0;
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            const double *b = stiffness->blocks + 9 * (size_t)k, *at = p + 3 * (size_t)graph->columns[k];
            x += b[0] * at[0] + b[1] * at[1] + b[2] * at[2];
            y += b[3] * at[0] + b[4] * at[1] + b[5] * at[2];
            z += b[6] * at[0] + b[7] * at[1] + b[8] * at[2];
        }
        q[3 * (size_t)i] = x, q[3 * (size_t)i + 1] = y, q[3 * (size_t)i + 2] = z;
    }
    if (stiffness->reach != NULL) {
        add_reach(stiffness, p, q);
    }
}

double lb_stiffness_trace(const lbPreciseStiffness* stiffness) {
    double sum = 0;
    for (int i = 0; i < stiffness->count; ++i) {
        const double* block = stiffness->blocks + 9 * (size_t)find_neighbour(stiffness->graph, i, i);
        sum += block[0] + block[4] + block[8];
    }
    return sum;
}
