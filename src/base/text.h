/* Text in memory: copies, and text that grows, with numbers that read back bit for bit whatever the locale of the
 * program is. */
#ifndef LIMBER_SRC_TEXT_H
#define LIMBER_SRC_TEXT_H

#include "limber/base.h"

/* Zero-initialised but for the host it is empty. Once memory runs out it stays as it is and says so. */
typedef struct lbText {
    const lbHost* host;
    char* data; /* no zero at the end */
    size_t size, capacity;
    bool failed;
} lbText;

void lb_text_add(lbText* text, const void* bytes, size_t size);
/* For words and integers; real numbers go through lb_text_number. */
LB_PRINTF(2, 3) void lb_text_print(lbText* text, const char* format, ...);
/* With `digits` significant digits: 9 bring a float back bit for bit, 17 a double. */
void lb_text_number(lbText* text, double value, int digits);
/* Numbers with nine digits and `separator` between them. */
void lb_text_floats(lbText* text, const float* values, int count, const char* separator);
/* In quotes, with escapes; bytes that are not UTF-8 become U+FFFD. */
void lb_text_json_string(lbText* text, const char* string);
/* Escaped, to stand between double quotes; what is not UTF-8 as above, and '?' for what XML cannot say. */
void lb_text_xml_attribute(lbText* text, const char* string);
/* The other's contents, and its failure if it had one. */
void lb_text_add_text(lbText* text, const lbText* other);
void lb_text_free(lbText* text);

/* With a zero behind it; NULL if there is no memory. To be released. */
char* lb_copy_text(const lbHost* host, const char* text, size_t length);

#endif
