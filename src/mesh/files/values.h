/* Numbers one after another from a file's bytes: words of a text, or binary of either byte order. A reader of a format
 * that knows both is written once on this. */
#ifndef LIMBER_SRC_VALUES_H
#define LIMBER_SRC_VALUES_H

#include "base/text_scan.h"

typedef struct lbValues {
    const char* path;  /* for messages */
    const char* start; /* of the file, from which bytes are counted */
    lbTextScan scan;
    bool binary, bigEndian;
    char comment; /* in text: what begins a comment that ends with the line; 0: nothing does */
} lbValues;

/* The whole of a text. */
lbValues lb_values_of_text(const char* path, const void* bytes, size_t size);

/* Where the next value is: its line in text, its byte (from 0) in binary. */
int64_t lb_values_place(const lbValues* values);
int64_t lb_values_left(const lbValues* values); /* bytes */

/* In text: steps over blanks, line ends and comments. In binary nothing. */
void lb_values_skip_space(lbValues* values);

/* The next value; `size` is the number of bytes it has in binary. False at the end of the file and, in text, at what is
 * no such number. Integers are signed, those of one byte as well as others. */
bool lb_read_integer(lbValues* values, int size, int64_t* value);
bool lb_read_real(lbValues* values, int size, double* value);
/* Steps over `count` values of `size` bytes. */
bool lb_skip_values(lbValues* values, int64_t count, int size);

/* "file:line: ..." or "file: byte n: ...". */
LB_PRINTF(4, 5)
lbResult lb_place_error(const char* path, bool binary, int64_t place, const char* format, ...);
/* What was expected as the next value, and what was found. */
LB_PRINTF(2, 3) lbResult lb_values_error(const lbValues* values, const char* format, ...);

/* Whether the rest of the file can hold `count` things, each of at least that many values of at least so many bytes in
 * binary: a header may promise anything. Nothing is allocated for a promise before this. */
lbResult lb_check_promise(const lbValues* values, int64_t count, int leastValues, int leastBytes, const char* what);

#endif
