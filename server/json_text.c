#include "server/json_text.h"

#include <math.h>

void lb_put_comma(lbText* text) {
    char last = text->size > 0 ? text->data[text->size - 1] : '{';
    if (last != '{' && last != '[') {
        lb_text_add(text, ",", 1);
    }
}

void lb_put_key(lbText* text, const char* name) {
    lb_put_comma(text);
    lb_text_json_string(text, name);
    lb_text_add(text, ":", 1);
}

void lb_put_pair(lbText* text, const char* name, const char* value) {
    lb_put_key(text, name);
    if (value != NULL) {
        lb_text_json_string(text, value);
    } else {
        lb_text_print(text, "null");
    }
}

void lb_put_number(lbText* text, double value) {
    if (isfinite(value)) {
        lb_text_number(text, value, 9);
    } else {
        lb_text_print(text, "null");
    }
}

void lb_put_number_pair(lbText* text, const char* name, double value) {
    lb_put_key(text, name);
    lb_put_number(text, value);
}

void lb_put_bool_pair(lbText* text, const char* name, bool value) {
    lb_put_key(text, name);
    lb_text_print(text, value ? "true" : "false");
}

void lb_put_begin(lbText* text, const char* name, char bracket) {
    if (name != NULL) {
        lb_put_key(text, name);
    } else {
        lb_put_comma(text);
    }
    lb_text_add(text, &bracket, 1);
}

void lb_put_end(lbText* text, char bracket) {
    lb_text_add(text, &bracket, 1);
}

void lb_put_item(lbText* text, const char* value) {
    lb_put_comma(text);
    lb_text_json_string(text, value);
}
