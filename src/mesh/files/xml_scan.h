/* The tags of an XML text, one after another: as much of XML as VTK's files use. */
#ifndef LIMBER_SRC_XML_SCAN_H
#define LIMBER_SRC_XML_SCAN_H

#include "base/text_scan.h"

typedef struct lbXmlScan {
    const char *start, *at, *end;
} lbXmlScan;

/* <name attributes>, </name> or <name attributes/>. */
typedef struct lbXmlTag {
    lbWord name;
    lbWord attributes; /* as they stand */
    bool closes;       /* </name> */
    bool empty;        /* <name/> */
    const char* place; /* its '<' */
} lbXmlTag;

/* The next tag, and the scan behind it; comments and instructions are stepped over. False if there is none; then
 * *broken tells of one that does not end. */
bool lb_next_tag(lbXmlScan* scan, lbXmlTag* tag, bool* broken);
/* The value of an attribute, as it stands between its quotes. False if the tag does not have it. */
bool lb_find_attribute(const lbXmlTag* tag, const char* name, lbWord* value);
bool lb_attribute_is(const lbXmlTag* tag, const char* name, const char* value);
/* The text up to the next tag. */
lbWord lb_xml_text(const lbXmlScan* scan);
/* Of a place in the text, from 1. */
int lb_xml_line(const lbXmlScan* scan, const char* place);

#endif
