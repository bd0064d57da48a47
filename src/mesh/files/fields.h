/* Lines of fields between commas, as Abaqus and Vega write them. */
#ifndef LIMBER_SRC_FIELDS_H
#define LIMBER_SRC_FIELDS_H

#include "base/text_scan.h"

/* The next field of the line, without blanks around it, and the comma behind it passed; it may be empty. False at the
 * end of the line. */
bool lb_next_field(lbTextScan* scan, lbWord* field);
/* The same where blanks separate fields as well as commas do; a field is never empty. */
bool lb_next_loose_field(lbTextScan* scan, lbWord* field);

/* Whether the field as a whole is a number. */
bool lb_field_integer(lbWord field, int64_t* value);
bool lb_field_real(lbWord field, double* value);

/* "file:line: expected ..., found 'field'" */
LB_PRINTF(4, 5)
lbResult lb_field_error(const char* path, int line, lbWord field, const char* format, ...);

#endif
