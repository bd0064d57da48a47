#include "mesh/files/element_sets.h"

#include "base/result.h"
#include "base/sort.h"
#include "mesh/files/fields.h"

#include <limits.h>
#include <string.h>

static bool same_name(lbWord a, lbWord b) {
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
        if (same_name(sets->names.data[i], name)) {
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

/* The file's tetrahedra by the numbers of their elements, or its nodes by theirs. */
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

static int64_t number_at(const Order* order, int i) {
    return (int64_t)(order->sorted[i].key ^ UINT64_C(1) << 63);
}

/* The next at or behind `i` that a range holds, or the order's end. */
static int next_in_range(const Order* order, const lbSetRange* range, int i) {
    for (; i < order->count && number_at(order, i) <= range->last; ++i) {
        uint64_t distance = (uint64_t)number_at(order, i) - (uint64_t)range->first;
        if (distance % (uint64_t)range->step == 0) {
            return i;
        }
    }
    return order->count;
}

static void mark_range(const Order* order, const lbSetRange* range, lbTetFile* file, int region) {
    int i = next_in_range(order, range, first_at_least(order, range->first));
    for (; i < order->count; i = next_in_range(order, range, i + 1)) {
        file->tets.data[order->sorted[i].value].region = region;
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

static void mark_set(const lbElementSets* sets, const Order* order, const bool* belongs, lbTetFile* file, int region) {
    for (int i = 0; i < sets->tetSets.count; ++i) {
        if (sets->tetSets.data[i] >= 0 && belongs[sets->tetSets.data[i]]) {
            file->tets.data[i].region = region;
        }
    }
    for (int i = 0; i < sets->ranges.count; ++i) {
        const lbSetRange* range = &sets->ranges.data[i];
        if (belongs[range->set] && range->other < 0) {
            mark_range(order, range, file, region);
        }
    }
}

static void sort_tets(const lbTetFile* file, Order* order, lbKeyed* scratch) {
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
            mark_set(sets, &order, belongs, file, regions[set]);
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

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static bool add_range_to_group(const Order* order, const lbSetRange* range, lbTetFile* file, int group) {
    bool ofTets = file->groups.data[group].ofTets, ok = true;
    int i = next_in_range(order, range, first_at_least(order, range->first));
    for (; ok && i < order->count; i = next_in_range(order, range, i + 1)) {
        ok = lb_add_to_group(file, group, ofTets ? order->sorted[i].value : number_at(order, i));
    }
    return ok;
}

/* What sets list themselves. Set s is group firstGroup + s. */
static bool fill_groups(const lbElementSets* sets, const Order* order, lbTetFile* file, int firstGroup) {
    bool ok = true;
    for (int i = 0; ok && i < sets->tetSets.count; ++i) {
        ok = sets->tetSets.data[i] < 0 || lb_add_to_group(file, firstGroup + sets->tetSets.data[i], i);
    }
    for (int r = 0; ok && r < sets->ranges.count; ++r) {
        const lbSetRange* range = &sets->ranges.data[r];
        ok = range->other >= 0 || add_range_to_group(order, range, file, firstGroup + range->set);
    }
    return ok;
}

/* What the sets within a set list. */
static bool fill_from_parts(const lbElementSets* sets, const Order* order, const bool* belongs, int set,
                            lbTetFile* file, int firstGroup) {
    bool ok = true;
    for (int i = 0; ok && i < sets->tetSets.count; ++i) {
        int other = sets->tetSets.data[i];
        ok = other < 0 || other == set || !belongs[other] || lb_add_to_group(file, firstGroup + set, i);
    }
    for (int r = 0; ok && r < sets->ranges.count; ++r) {
        const lbSetRange* range = &sets->ranges.data[r];
        if (range->other < 0 && range->set != set && belongs[range->set]) {
            ok = add_range_to_group(order, range, file, firstGroup + set);
        }
    }
    return ok;
}

/* Sets of sets are few: every one of them walks over all that there is. */
enum { mostSetsOfSets = 1000 };

static bool fill_nested(const lbElementSets* sets, const Order* order, bool* belongs, bool* nested, lbTetFile* file,
                        int firstGroup) {
    int count = 0;
    for (int r = 0; r < sets->ranges.count; ++r) {
        nested[sets->ranges.data[r].set] |= sets->ranges.data[r].other >= 0;
    }
    for (int set = 0; set < sets->names.count; ++set) {
        if (nested[set] && ++count <= mostSetsOfSets) {
            find_parts(sets, set, belongs);
            if (!fill_from_parts(sets, order, belongs, set, file, firstGroup)) {
                return false;
            }
        }
    }
    return count <= mostSetsOfSets;
}

static void sort_nodes(const lbTetFile* file, Order* order, lbKeyed* scratch) {
    for (int i = 0; i < order->count; ++i) {
        order->sorted[i] = (lbKeyed){key_of(file->nodes.data[i].number), i};
    }
    lb_sort_keyed(order->sorted, scratch, order->count);
}

lbResult lb_sets_to_groups(const lbElementSets* sets, lbTetFile* file, bool ofTets) {
    int count = ofTets ? file->tets.count : file->nodes.count;
    Order order = {LB_NEW(file->host, lbKeyed, count), count};
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, count);
    bool *belongs = LB_NEW(file->host, bool, sets->names.count), *nested = LB_NEW(file->host, bool, sets->names.count);
    bool ok = order.sorted != NULL && scratch != NULL && belongs != NULL && nested != NULL;
    if (ok && sets->names.count > 0) {
        (ofTets ? sort_tets : sort_nodes)(file, &order, scratch);
    }
    int firstGroup = file->groups.count;
    for (int set = 0; ok && set < sets->names.count; ++set) {
        ok = lb_add_file_group(file, sets->names.data[set].text, sets->names.data[set].length, ofTets) >= 0;
    }
    ok = ok && fill_groups(sets, &order, file, firstGroup) &&
         fill_nested(sets, &order, belongs, nested, file, firstGroup);
    lb_release(file->host, nested);
    lb_release(file->host, order.sorted);
    lb_release(file->host, scratch);
    lb_release(file->host, belongs);
    return ok ? lb_success() : lb_out_of_memory("the sets of a mesh file");
}

void lb_free_element_sets(lbElementSets* sets) {
    LB_FREE_ARRAY(sets->host, &sets->names);
    LB_FREE_ARRAY(sets->host, &sets->ranges);
    LB_FREE_ARRAY(sets->host, &sets->sections);
    LB_FREE_ARRAY(sets->host, &sets->tetSets);
}
