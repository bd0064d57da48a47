/* Growing text for JSON and XML: the same in every locale, and always valid UTF-8. */
#ifndef LIMBER_SRC_TEXT_H
#define LIMBER_SRC_TEXT_H

#include "base/memory.h"

typedef struct lbText {
    const lbHost* host;
    LB_ARRAY(char) characters; /* no zero at the end */
    bool failed;               /* no memory; what was added since is missing */
} lbText;

void lb_rtext_free(lbText* text);
/* For words and whole numbers; fractions go through lb_rtext_number. */
LB_PRINTF(2, 3) void lb_rtext_print(lbText* text, const char* format, ...);
/* Enough digits to read back the same 32-bit float, and a point whatever the locale. */
void lb_rtext_number(lbText* text, double number);
/* [a,b,c] */
void lb_rtext_numbers(lbText* text, const float* numbers, int count);
/* Quoted and escaped; bytes that are not UTF-8 become U+FFFD. */
void lb_rtext_json_string(lbText* text, const char* string);
/* Escaped, to stand between double quotes. */
void lb_rtext_xml_attribute(lbText* text, const char* string);

#endif
