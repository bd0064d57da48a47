/* A scene's document as Jansson has it; for document.c and document_edit.c. */
#ifndef LIMBER_SERVER_DOCUMENT_INNER_H
#define LIMBER_SERVER_DOCUMENT_INNER_H

#include "server/document.h"

#include <jansson.h>

/* lbValue is never defined: a pointer to it is one to a json_t. */
static inline json_t* json_of(const lbValue* value) {
    return (json_t*)(void*)(uintptr_t)value;
}

static inline lbValue* value_of(json_t* json) {
    return (lbValue*)(void*)json;
}

static inline json_t* bodies_of(const lbValue* document) {
    return json_object_get(json_of(document), "bodies");
}

#endif
