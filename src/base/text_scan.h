/* Reading text that lies in memory: words, lines and numbers, whatever the locale of the program is. Lines end with
 * LF, CR LF or CR; a backslash at the end of a line joins the next one to it. */
#ifndef LIMBER_SRC_TEXT_SCAN_H
#define LIMBER_SRC_TEXT_SCAN_H

#include "limber/base.h"

/* A place in a text. */
typedef struct lbTextScan {
    const char* at;
    const char* end;
    int line; /* from 1 */
} lbTextScan;

/* A piece of the text; not ended by a zero. */
typedef struct lbWord {
    const char* text;
    size_t length;
} lbWord;

lbTextScan lb_scan_text(const void* bytes, size_t size);

/* Skips spaces and tabs within the line. */
void lb_skip_blanks(lbTextScan* scan);
/* Skips spaces, tabs and line ends. */
void lb_skip_space(lbTextScan* scan);
/* Goes to the beginning of the next line. */
void lb_skip_line(lbTextScan* scan);
/* Whether nothing but blanks is left of the line. */
bool lb_at_line_end(lbTextScan* scan);

/* The next word of this line; of length 0 at its end. */
lbWord lb_scan_word(lbTextScan* scan);
/* The rest of the line without blanks around it. Does not go to the next line. */
lbWord lb_scan_rest(lbTextScan* scan);
bool lb_word_is(lbWord word, const char* text);
/* As lb_word_is, but A is a. */
bool lb_word_is_any_case(lbWord word, const char* text);

/* A number at *at, with *at moved behind it: decimal, with a fraction and an exponent (e or, as Fortran writes it, d)
 * if there are. False, and nothing moves, if there is none. "nan" and "inf" are no numbers; 1e999 is infinite. The
 * nearest double for up to 15 digits and moderate exponents, and otherwise within one unit in the last place: never
 * wrong by more than rounding as a float. */
bool lb_parse_number(const char** at, const char* end, double* value);
/* An integer at *at; one that is too large becomes INT64_MAX or INT64_MIN + 1. */
bool lb_parse_integer(const char** at, const char* end, int64_t* value);

/* The next word of this line as a number. False, and nothing moves, if it is not a number as a whole. */
bool lb_scan_number(lbTextScan* scan, double* value);
/* The same for an integer. */
bool lb_scan_integer(lbTextScan* scan, int64_t* value);
/* As lb_scan_number, and it must be finite as a float. */
bool lb_scan_float(lbTextScan* scan, float* value);

/* "file:line: expected ..., found ..." for the word that comes next. */
lbResult lb_scan_error(const lbTextScan* scan, const char* file, const char* expected);

#endif
