#include "mesh/files/element_sets.h"

#include "base/result.h"
#include "base/sort.h"
#include "mesh/files/fields.h"

#include <limits.h>
#include <math.h>
#include <string.h>

bool lb_words_are_alike(lbWord a, lbWord b) {
    char text[96];
    if (a.length != b.length || a.length >= sizeof(text)) {
        return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
    }
    memcpy(text, a.text, a.length);
    text[a.length] = 0;
    return strlen(text) == a.length && lb_word_is_any_case(b, text);
}

int lb_find_set(const lbElementSets* sets, lbWord name) {
    for (int i = 0; i < sets->names.count; ++i) {
        if (lb_words_are_alike(sets->names.data[i], name)) {
            return i;
        }
    }
    return -1;
}

int lb_find_or_make_set(lbElementSets* sets, lbWord name) {
    int found = lb_find_set(sets, name);
    if (found >= 0) {
        return found;
    }
    return LB_PUSH(sets->host, &sets->names, name) ? sets->names.count - 1 : -1;
}

bool lb_note_tet_set(lbElementSets* sets, const lbTetFile* file, int set) {
    while (sets->tetSets.count < file->tets.count) {
        if (!LB_PUSH(sets->host, &sets->tetSets, set)) {
            return false;
        }
    }
    return true;
}

/* ---- Which region a set is --------------------------------------------------------------------------------------- */

/* N of "region_N". */
static bool region_in_name(lbWord name, int* region) {
    int64_t number = 0;
    lbWord head = {name.text, 7};
    if (name.length < 8 || !lb_word_is_any_case(head, "region_") ||
        !lb_field_integer((lbWord){name.text + 7, name.length - 7}, &number) || number > INT_MAX || number < -INT_MAX) {
        return false;
    }
    *region = (int)number;
    return true;
}

/* Gives each set in `chosen` its region; `regions` is 0 for the others. */
static void number_regions(const lbElementSets* sets, const int* chosen, int count, int* regions) {
    bool numbered = true;
    int region = 0, last = 0;
    for (int i = 0; i < count; ++i) {
        numbered = numbered && (chosen[i] < 0 || region_in_name(sets->names.data[chosen[i]], &region));
    }
    for (int i = 0; i < count; ++i) {
        if (chosen[i] >= 0 && regions[chosen[i]] == 0) {
            regions[chosen[i]] = ++last;
            if (numbered) {
                region_in_name(sets->names.data[chosen[i]], &regions[chosen[i]]);
            }
        }
    }
}

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

/* The file's tetrahedra by the numbers of their elements. */
typedef struct Order {
    lbKeyed* sorted; /* (count) */
    int count;
} Order;

static uint64_t key_of(int64_t number) {
    return (uint64_t)number ^ UINT64_C(1) << 63;
}

static int first_at_least(const Order* order, int64_t number) {
    int low = 0, high = order->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (order->sorted[middle].key < key_of(number)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What a section makes of its elements. */
typedef struct Mark {
    int region;
    const lbMatter* matter; /* NULL: nothing is known */
} Mark;

static void mark_tet(lbFileTet* tet, const Mark* mark) {
    tet->region = mark->region;
    if (mark->matter != NULL) {
        tet->hasMatter = true;
        tet->matter = *mark->matter;
    }
}

static void mark_range(const Order* order, const lbSetRange* range, lbTetFile* file, const Mark* mark) {
    for (int i = first_at_least(order, range->first); i < order->count; ++i) {
        lbFileTet* tet = &file->tets.data[order->sorted[i].value];
        if (tet->number > range->last) {
            return;
        }
        uint64_t distance = (uint64_t)tet->number - (uint64_t)range->first;
        if (distance % (uint64_t)range->step == 0) {
            mark_tet(tet, mark);
        }
    }
}

/* The sets that a set holds, and those that these hold, and so on: a chain of eight at most. */
static void find_parts(const lbElementSets* sets, int set, bool* belongs) {
    memset(belongs, 0, (size_t)sets->names.count * sizeof(bool));
    belongs[set] = true;
    bool more = true;
    for (int pass = 0; more && pass < 8; ++pass) {
        more = false;
        for (int i = 0; i < sets->ranges.count; ++i) {
            const lbSetRange* range = &sets->ranges.data[i];
            if (range->other >= 0 && belongs[range->set] && !belongs[range->other]) {
                belongs[range->other] = more = true;
            }
        }
    }
}

static void mark_set(const lbElementSets* sets, const Order* order, const bool* belongs, lbTetFile* file,
                     const Mark* mark) {
    for (int i = 0; i < sets->tetSets.count; ++i) {
        if (sets->tetSets.data[i] >= 0 && belongs[sets->tetSets.data[i]]) {
            mark_tet(&file->tets.data[i], mark);
        }
    }
    for (int i = 0; i < sets->ranges.count; ++i) {
        const lbSetRange* range = &sets->ranges.data[i];
        if (belongs[range->set] && range->other < 0) {
            mark_range(order, range, file, mark);
        }
    }
}

static void sort_tets(lbTetFile* file, Order* order, lbKeyed* scratch) {
    for (int i = 0; i < order->count; ++i) {
        order->sorted[i] = (lbKeyed){key_of(file->tets.data[i].number), i};
    }
    lb_sort_keyed(order->sorted, scratch, order->count);
}

static lbResult apply_sections(const lbElementSets* sets, lbTetFile* file, const int* regions) {
    Order order = {LB_NEW(file->host, lbKeyed, file->tets.count), file->tets.count};
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, file->tets.count);
    bool* belongs = LB_NEW(file->host, bool, sets->names.count);
    lbResult result = lb_out_of_memory("the element sets of a mesh file");
    if (order.sorted != NULL && scratch != NULL && belongs != NULL) {
        sort_tets(file, &order, scratch);
        for (int i = 0; i < sets->sections.count; ++i) {
            int set = sets->sections.data[i];
            find_parts(sets, set, belongs);
            const lbMatter* matter = i < sets->matters.count ? &sets->matters.data[i] : NULL;
            bool known = matter != NULL && (!isnan(matter->density) || !isnan(matter->youngsModulus));
            mark_set(sets, &order, belongs, file, &(Mark){regions[set], known ? matter : NULL});
        }
        result = lb_success();
    }
    lb_release(file->host, order.sorted);
    lb_release(file->host, scratch);
    lb_release(file->host, belongs);
    return result;
}

lbResult lb_set_regions(const lbElementSets* sets, lbTetFile* file) {
    int* regions = LB_NEW(file->host, int, sets->names.count);
    if (regions == NULL) {
        return lb_out_of_memory("the element sets of a mesh file");
    }
    lbResult result = lb_success();
    if (sets->sections.count > 0) {
        number_regions(sets, sets->sections.data, sets->sections.count, regions);
        result = apply_sections(sets, file, regions);
    } else {
        number_regions(sets, sets->tetSets.data, sets->tetSets.count, regions);
        for (int i = 0; i < sets->tetSets.count; ++i) {
            int set = sets->tetSets.data[i];
            file->tets.data[i].region = set >= 0 ? regions[set] : 0;
        }
    }
    lb_release(file->host, regions);
    return result;
}

/* ---- Groups of nodes --------------------------------------------------------------------------------------------- */

/* Those of the file's nodes or tetrahedra, by number, that a range names. */
typedef lbResult AddFn(lbTetFile* file, int index, int group);

static lbResult add_node_at(lbTetFile* file, int index, int group) {
    return lb_add_member(file, group, file->nodes.data[index].number);
}

static lbResult add_tet_at(lbTetFile* file, int index, int group) {
    return lb_add_tet_members(file, group, index, index + 1);
}

static lbResult add_range(const Order* order, const lbSetRange* range, lbTetFile* file, AddFn* add, int group) {
    for (int i = first_at_least(order, range->first); i < order->count; ++i) {
        uint64_t number = order->sorted[i].key;
        if (number > key_of(range->last)) {
            break;
        }
        if ((number - key_of(range->first)) % (uint64_t)range->step == 0) {
            LB_TRY(add(file, order->sorted[i].value, group));
        }
    }
    return lb_success();
}

static lbResult group_set(const lbElementSets* sets, const Order* order, const bool* belongs, lbTetFile* file,
                          AddFn* add, int group) {
    for (int i = 0; i < sets->tetSets.count; ++i) {
        if (sets->tetSets.data[i] >= 0 && belongs[sets->tetSets.data[i]]) {
            LB_TRY(add(file, i, group));
        }
    }
    for (int i = 0; i < sets->ranges.count; ++i) {
        const lbSetRange* range = &sets->ranges.data[i];
        if (belongs[range->set] && range->other < 0) {
            LB_TRY(add_range(order, range, file, add, group));
        }
    }
    return lb_success();
}

static lbResult group_sets(const lbElementSets* sets, lbTetFile* file, bool ofNodes) {
    int count = ofNodes ? file->nodes.count : file->tets.count;
    Order order = {LB_NEW(file->host, lbKeyed, count), count};
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, count);
    bool* belongs = LB_NEW(file->host, bool, sets->names.count);
    lbResult result = lb_out_of_memory("the sets of a mesh file");
    if (order.sorted != NULL && scratch != NULL && belongs != NULL) {
        for (int i = 0; i < count; ++i) {
            int64_t number = ofNodes ? file->nodes.data[i].number : file->tets.data[i].number;
            order.sorted[i] = (lbKeyed){key_of(number), i};
        }
        lb_sort_keyed(order.sorted, scratch, count);
        result = lb_success();
        for (int set = 0; result.code == lb_ok && set < sets->names.count && set < lb_mostGroups; ++set) {
            if (lb_find_group(file, sets->names.data[set]) < 0) {
                find_parts(sets, set, belongs);
                int group = lb_find_or_make_group(file, sets->names.data[set]);
                result = group_set(sets, &order, belongs, file, ofNodes ? add_node_at : add_tet_at, group);
            }
        }
    }
    lb_release(file->host, order.sorted);
    lb_release(file->host, scratch);
    lb_release(file->host, belongs);
    return result;
}

lbResult lb_group_element_sets(const lbElementSets* sets, lbTetFile* file) {
    return group_sets(sets, file, false);
}

lbResult lb_group_node_sets(const lbElementSets* sets, lbTetFile* file) {
    return group_sets(sets, file, true);
}

void lb_free_element_sets(lbElementSets* sets) {
    LB_FREE_ARRAY(sets->host, &sets->names);
    LB_FREE_ARRAY(sets->host, &sets->ranges);
    LB_FREE_ARRAY(sets->host, &sets->sections);
    LB_FREE_ARRAY(sets->host, &sets->matters);
    LB_FREE_ARRAY(sets->host, &sets->tetSets);
}
