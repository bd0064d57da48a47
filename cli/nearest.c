#include "cli/nearest.h"

#include "cli/output.h"

#include <string.h>

enum { longestWord = 40 };

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Edits between two words: letters put in, left out, replaced, and neighbours swapped (optimal string alignment).
 * Words that are too long to be a name are far from everything. */
static int count_edits(const char* a, const char* b) {
    int lengthA = (int)strnlen(a, longestWord + 1), lengthB = (int)strnlen(b, longestWord + 1);
    if (lengthA > longestWord || lengthB > longestWord) {
        return 2 * longestWord;
    }
    int edits[longestWord + 1][longestWord + 1];
    for (int i = 0; i <= lengthA; ++i) {
        for (int j = 0; j <= lengthB; ++j) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            int replaced = edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            edits[i][j] = smaller(replaced, 1 + smaller(edits[i - 1][j], edits[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                edits[i][j] = smaller(edits[i][j], edits[i - 2][j - 2] + 1);
            }
        }
    }
    return edits[lengthA][lengthB];
}

lbNearest lb_nearest_to(const char* word) {
    int most = 1 + (int)strnlen(word, longestWord) / 4;
    return (lbNearest){.word = word, .best = NULL, .distance = most + 1};
}

void lb_nearest_offer(lbNearest* nearest, const char* name) {
    size_t used = strlen(nearest->known);
    snprintf(nearest->known + used, sizeof(nearest->known) - used, "%s%s", used > 0 ? ", " : "", name);
    size_t length = strlen(nearest->word);
    bool begins = length >= 3 && strncmp(nearest->word, name, length) == 0;
    int distance = begins ? 1 : count_edits(nearest->word, name);
    if (distance < nearest->distance) {
        nearest->best = name;
        nearest->distance = distance;
    }
}

void lb_print_unknown_name(const lbNearest* nearest, const char* what) {
    if (nearest->best != NULL) {
        lb_print_error("unknown %s '%s'; did you mean '%s'? Known: %s", what, nearest->word, nearest->best,
                       nearest->known);
    } else {
        lb_print_error("unknown %s '%s'. Known: %s", what, nearest->word, nearest->known);
    }
}
