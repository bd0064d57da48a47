#include "mesh/files/node_numbers.h"

#include "base/result.h"

/* Keeps the order of signed numbers. */
static uint64_t key_of(int64_t number) {
    return (uint64_t)number ^ UINT64_C(1) << 63;
}

static bool follow_one_another(const lbTetFile* file) {
    for (int i = 1; i < file->nodes.count; ++i) {
        if (key_of(file->nodes.data[i].number) != key_of(file->nodes.data[0].number) + (uint64_t)i) {
            return false;
        }
    }
    return true;
}

static lbResult check_twice(const lbTetFile* file, const lbNodeNumbers* numbers) {
    for (int i = 1; i < numbers->count; ++i) {
        if (numbers->sorted[i].key == numbers->sorted[i - 1].key) {
            return lb_error(lb_errorFormat, "%s: node %lld stands twice in the file", file->path,
                            (long long)file->nodes.data[numbers->sorted[i].value].number);
        }
    }
    return lb_success();
}

lbResult lb_number_nodes(const lbTetFile* file, lbNodeNumbers* numbers) {
    *numbers = (lbNodeNumbers){.count = file->nodes.count};
    if (file->nodes.count == 0) {
        return lb_success();
    }
    numbers->first = file->nodes.data[0].number;
    if (follow_one_another(file)) {
        return lb_success();
    }
    numbers->sorted = LB_NEW(file->host, lbKeyed, numbers->count);
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, numbers->count);
    if (numbers->sorted == NULL || scratch == NULL) {
        lb_release(file->host, scratch);
        return lb_out_of_memory("the node numbers of a mesh file");
    }
    for (int i = 0; i < numbers->count; ++i) {
        numbers->sorted[i] = (lbKeyed){key_of(file->nodes.data[i].number), i};
    }
    lb_sort_keyed(numbers->sorted, scratch, numbers->count);
    lb_release(file->host, scratch);
    numbers->first = file->nodes.data[numbers->sorted[0].value].number;
    return check_twice(file, numbers);
}

void lb_free_node_numbers(const lbHost* host, lbNodeNumbers* numbers) {
    lb_release(host, numbers->sorted);
    numbers->sorted = NULL;
}

int lb_find_node(const lbNodeNumbers* numbers, int64_t number) {
    uint64_t key = key_of(number), offset = key - key_of(numbers->first);
    if (numbers->sorted == NULL) {
        return offset < (uint64_t)numbers->count ? (int)offset : -1;
    }
    int low = 0, high = numbers->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (numbers->sorted[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < numbers->count && numbers->sorted[low].key == key ? numbers->sorted[low].value : -1;
}
