#include "base/sort.h"

#include <string.h>

enum { digitBits = 11, digitValues = 1 << digitBits, digitCount = (64 + digitBits - 1) / digitBits };

static unsigned digit_of(uint64_t key, int digit) {
    return (unsigned)(key >> (digit * digitBits)) & (digitValues - 1);
}

/* Moves items to where their digit belongs. False, and nothing moved, if all have the same. */
static bool sort_by_digit(const lbKeyed* items, lbKeyed* sorted, int64_t count, int digit) {
    int64_t starts[digitValues] = {0};
    for (int64_t i = 0; i < count; ++i) {
        ++starts[digit_of(items[i].key, digit)];
    }
    if (starts[digit_of(items[0].key, digit)] == count) {
        return false;
    }
    int64_t sum = 0;
    for (int i = 0; i < digitValues; ++i) {
        int64_t here = starts[i];
        starts[i] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; ++i) {
        sorted[starts[digit_of(items[i].key, digit)]++] = items[i];
    }
    return true;
}

void lb_sort_keyed(lbKeyed* items, lbKeyed* scratch, int64_t count) {
    lbKeyed *from = items, *to = scratch;
    for (int digit = 0; count > 1 && digit < digitCount; ++digit) {
        if (sort_by_digit(from, to, count, digit)) {
            lbKeyed* swapped = from;
            from = to, to = swapped;
        }
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof(lbKeyed));
    }
}
