#include "mesh/files/xml_scan.h"

#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_with(const char* at, const char* end, const char* text) {
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* Behind the next `text`; NULL if it does not come. */
static const char* behind(const char* at, const char* end, const char* text) {
    size_t length = strlen(text);
    while ((at = at < end ? memchr(at, text[0], (size_t)(end - at)) : NULL) != NULL) {
        if (begins_with(at, end, text)) {
            return at + length;
        }
        ++at;
    }
    return NULL;
}

/* The '>' that ends a tag: not one between quotes. NULL if there is none. */
static const char* tag_end(const char* at, const char* end) {
    for (char quote = 0; at < end; ++at) {
        if (quote != 0) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '>') {
            return at;
        }
    }
    return NULL;
}

static void split_tag(const char* at, const char* end, lbXmlTag* tag) {
    tag->closes = at < end && *at == '/';
    at += tag->closes;
    tag->empty = at < end && end[-1] == '/';
    end -= tag->empty;
    const char* name = at;
    while (at < end && !is_space(*at)) {
        ++at;
    }
    tag->name = (lbWord){name, (size_t)(at - name)};
    tag->attributes = (lbWord){at, (size_t)(end - at)};
}

bool lb_next_tag(lbXmlScan* scan, lbXmlTag* tag, bool* broken) {
    *broken = false;
    while ((scan->at = scan->at < scan->end ? memchr(scan->at, '<', (size_t)(scan->end - scan->at)) : NULL) != NULL) {
        const char* place = scan->at++;
        const char* next;
        if (begins_with(scan->at, scan->end, "!--")) {
            next = behind(scan->at, scan->end, "-->");
        } else if (begins_with(scan->at, scan->end, "?")) {
            next = behind(scan->at, scan->end, "?>");
        } else {
            const char* last = tag_end(scan->at, scan->end);
            next = last != NULL ? last + 1 : NULL;
            if (last != NULL && *scan->at != '!') {
                split_tag(scan->at, last, tag);
                tag->place = place;
                scan->at = next;
                return true;
            }
        }
        if (next == NULL) {
            *broken = true;
            scan->at = place;
            return false;
        }
        scan->at = next;
    }
    scan->at = scan->end;
    return false;
}

bool lb_find_attribute(const lbXmlTag* tag, const char* name, lbWord* value) {
    const char *at = tag->attributes.text, *end = at + tag->attributes.length;
    while (at < end) {
        while (at < end && is_space(*at)) {
            ++at;
        }
        const char* begin = at;
        while (at < end && *at != '=' && !is_space(*at)) {
            ++at;
        }
        lbWord found = {begin, (size_t)(at - begin)};
        while (at < end && *at != '"' && *at != '\'') {
            ++at;
        }
        const char* close = at < end ? memchr(at + 1, *at, (size_t)(end - at - 1)) : NULL;
        if (close == NULL) {
            return false;
        }
        if (lb_word_is(found, name)) {
            *value = (lbWord){at + 1, (size_t)(close - at - 1)};
            return true;
        }
        at = close + 1;
    }
    return false;
}

bool lb_attribute_is(const lbXmlTag* tag, const char* name, const char* value) {
    lbWord found;
    return lb_find_attribute(tag, name, &found) && lb_word_is(found, value);
}

lbWord lb_xml_text(const lbXmlScan* scan) {
    const char* next = scan->at < scan->end ? memchr(scan->at, '<', (size_t)(scan->end - scan->at)) : NULL;
    return (lbWord){scan->at, (size_t)((next != NULL ? next : scan->end) - scan->at)};
}

int lb_xml_line(const lbXmlScan* scan, const char* place) {
    int line = 1;
    for (const char* c = scan->start; c < place; ++c) {
        line += *c == '\n';
    }
    return line;
}
