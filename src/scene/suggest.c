#include "scene/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { wordLimit = 48 };

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Levenshtein's distance, without regard to case. Long words are never near. */
static int edit_distance(const char* a, const char* b) {
    size_t lengthA = strlen(a), lengthB = strlen(b);
    if (lengthA > wordLimit || lengthB > wordLimit) {
        return wordLimit;
    }
    int row[wordLimit + 1];
    for (size_t j = 0; j <= lengthB; ++j) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= lengthA; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= lengthB; ++j) {
            int change = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            int best = smaller(smaller(row[j], row[j - 1]) + 1, diagonal + change);
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lengthB];
}

const char* lb_nearest_name(const char* word, const char* const* names, int count) {
    const char* nearest = NULL;
    int nearestDistance = 0;
    for (int i = 0; i < count; ++i) {
        int distance = edit_distance(word, names[i]);
        int allowed = 1 + (int)strlen(names[i]) / 4;
        if (distance <= allowed && (nearest == NULL || distance < nearestDistance)) {
            nearest = names[i];
            nearestDistance = distance;
        }
    }
    return nearest;
}

void lb_list_names(char* text, size_t room, const char* const* names, int count) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count; ++i) {
        const char* before = i == 0 ? "" : i == count - 1 ? " or " : ", ";
        int length = snprintf(text + used, room - used, "%s\"%s\"", before, names[i]);
        if (length < 0 || (size_t)length >= room - used) {
            memcpy(text + room - 4, "...", 4);
            return;
        }
        used += (size_t)length;
    }
}
