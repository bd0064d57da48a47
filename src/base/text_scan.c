#include "base/text_scan.h"

#include "base/result.h"

#include <math.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

lbTextScan lb_scan_text(const void* bytes, size_t size) {
    lbTextScan scan = {.at = bytes, .end = (const char*)bytes + size, .line = 1};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* the mark some editors put before UTF-8 */
        scan.at += 3;
    }
    return scan;
}

/* Steps over one line end, of one or two characters. */
static void pass_line_end(lbTextScan* scan) {
    bool two = *scan->at == '\r' && scan->at + 1 < scan->end && scan->at[1] == '\n';
    scan->at += two ? 2 : 1;
    ++scan->line;
}

void lb_skip_blanks(lbTextScan* scan) {
    while (scan->at < scan->end) {
        if (is_blank(*scan->at)) {
            ++scan->at;
        } else if (*scan->at == '\\' && scan->at + 1 < scan->end && is_line_end(scan->at[1])) {
            ++scan->at;
            pass_line_end(scan);
        } else {
            return;
        }
    }
}

void lb_skip_space(lbTextScan* scan) {
    lb_skip_blanks(scan);
    while (scan->at < scan->end && is_line_end(*scan->at)) {
        pass_line_end(scan);
        lb_skip_blanks(scan);
    }
}

void lb_skip_line(lbTextScan* scan) {
    while (scan->at < scan->end && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    if (scan->at < scan->end) {
        pass_line_end(scan);
    }
}

bool lb_at_line_end(lbTextScan* scan) {
    lb_skip_blanks(scan);
    return scan->at >= scan->end || is_line_end(*scan->at);
}

/* The end of the word that begins at the scan's place. */
static const char* word_end(const lbTextScan* scan) {
    const char* c = scan->at;
    while (c < scan->end && !is_blank(*c) && !is_line_end(*c)) {
        ++c;
    }
    return c;
}

lbWord lb_scan_word(lbTextScan* scan) {
    lb_skip_blanks(scan);
    lbWord word = {.text = scan->at};
    scan->at = word_end(scan);
    word.length = (size_t)(scan->at - word.text);
    return word;
}

lbWord lb_scan_rest(lbTextScan* scan) {
    lb_skip_blanks(scan);
    lbWord rest = {.text = scan->at};
    while (scan->at < scan->end && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    const char* last = scan->at;
    while (last > rest.text && is_blank(last[-1])) {
        --last;
    }
    rest.length = (size_t)(last - rest.text);
    return rest;
}

bool lb_word_is(lbWord word, const char* text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool lb_word_is_any_case(lbWord word, const char* text) {
    if (word.length != strlen(text)) {
        return false;
    }
    for (size_t i = 0; i < word.length; ++i) {
        if (lower(word.text[i]) != lower(text[i])) {
            return false;
        }
    }
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A number of about 106 bits: high + low. */
typedef struct lbPair {
    double high, low;
} lbPair;

static lbPair pair_multiply(lbPair a, lbPair b) {
    double product = a.high * b.high;
    double rest = fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    double high = product + rest;
    return (lbPair){high, rest - (high - product)};
}

static lbPair pair_divide(lbPair a, lbPair b) {
    double quotient = a.high / b.high;
    double rest = fma(-quotient, b.high, a.high) + a.low - quotient * b.low;
    double more = rest / b.high;
    double high = quotient + more;
    return (lbPair){high, more - (high - quotient)};
}

/* 10^exponent for 0 <= exponent <= 300. */
static lbPair power_of_ten(int exponent) {
    lbPair power = {1, 0}, square = {10, 0};
    for (;;) {
        if (exponent & 1) {
            power = pair_multiply(power, square);
        }
        exponent >>= 1;
        if (exponent == 0) {
            return power;
        }
        square = pair_multiply(square, square);
    }
}

/* mantissa 10^exponent where a double does not hold the factors exactly. */
static double scale_by_pairs(uint64_t mantissa, int exponent) {
    double high = (double)(mantissa >> 11 << 11); /* 53 bits: exact */
    double low = (double)(mantissa & 0x7ff);
    lbPair value = {high + low, 0};
    value.low = low - (value.high - high);
    if (exponent > 300) {
        return INFINITY; /* the mantissa is at least 1; far beyond a float in any case */
    }
    if (exponent >= 0) {
        value = pair_multiply(value, power_of_ten(exponent));
        return isfinite(value.high) ? value.high + value.low : INFINITY;
    }
    int first = exponent < -300 ? 300 : -exponent;
    value = pair_divide(value, power_of_ten(first));
    if (-exponent > first) {
        int second = -exponent - first > 300 ? 300 : -exponent - first;
        value = pair_divide(value, power_of_ten(second));
    }
    return value.high + value.low;
}

static double scale_decimal(uint64_t mantissa, int64_t exponent) {
    static const double exactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (mantissa == 0) {
        return 0;
    }
    if (mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) { /* one exact operation, rounded once */
        return exponent < 0 ? (double)mantissa / exactPowers[-exponent] : (double)mantissa * exactPowers[exponent];
    }
    int clamped = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : (int)exponent;
    return scale_by_pairs(mantissa, clamped);
}

/* Digits go into the mantissa while they fit (19 of them always do); returns how many digits were passed. */
static int64_t take_digits(const char** at, const char* end, uint64_t* mantissa, int64_t* left) {
    const char* c = *at;
    for (; c < end && is_digit(*c); ++c) {
        if (*mantissa < UINT64_C(1000000000000000000)) {
            *mantissa = *mantissa * 10 + (uint64_t)(*c - '0');
        } else {
            ++*left;
        }
    }
    int64_t passed = c - *at;
    *at = c;
    return passed;
}

bool lb_parse_number(const char** at, const char* end, double* value) {
    const char* c = *at;
    bool negative = c < end && *c == '-';
    if (c < end && (*c == '-' || *c == '+')) {
        ++c;
    }
    uint64_t mantissa = 0;
    int64_t left = 0, leftOfFraction = 0;
    int64_t digits = take_digits(&c, end, &mantissa, &left);
    int64_t exponent = left;
    if (c < end && *c == '.') {
        ++c;
        int64_t fraction = take_digits(&c, end, &mantissa, &leftOfFraction);
        exponent -= fraction - leftOfFraction;
        digits += fraction;
    }
    if (digits == 0) {
        return false;
    }
    if (c < end && (lower(*c) == 'e' || lower(*c) == 'd')) {
        int64_t power = 0;
        ++c;
        if (!lb_parse_integer(&c, end, &power)) {
            return false;
        }
        exponent += power > 1000000000000 ? 1000000000000 : power < -1000000000000 ? -1000000000000 : power;
    }
    double magnitude = scale_decimal(mantissa, exponent);
    *value = negative ? -magnitude : magnitude;
    *at = c;
    return true;
}

bool lb_parse_integer(const char** at, const char* end, int64_t* value) {
    const char* c = *at;
    bool negative = c < end && *c == '-';
    if (c < end && (*c == '-' || *c == '+')) {
        ++c;
    }
    if (c >= end || !is_digit(*c)) {
        return false;
    }
    int64_t number = 0;
    for (; c < end && is_digit(*c); ++c) {
        int64_t digit = *c - '0';
        number = number > (INT64_MAX - 9) / 10 ? INT64_MAX : number * 10 + digit;
    }
    *value = negative ? -number : number;
    *at = c;
    return true;
}

bool lb_scan_number(lbTextScan* scan, double* value) {
    lb_skip_blanks(scan);
    const char* c = scan->at;
    if (!lb_parse_number(&c, scan->end, value) || (c < scan->end && !is_blank(*c) && !is_line_end(*c))) {
        return false;
    }
    scan->at = c;
    return true;
}

bool lb_scan_integer(lbTextScan* scan, int64_t* value) {
    lb_skip_blanks(scan);
    const char* c = scan->at;
    if (!lb_parse_integer(&c, scan->end, value) || (c < scan->end && !is_blank(*c) && !is_line_end(*c))) {
        return false;
    }
    scan->at = c;
    return true;
}

bool lb_scan_float(lbTextScan* scan, float* value) {
    lbTextScan before = *scan;
    double number = 0;
    if (!lb_scan_number(scan, &number) || !isfinite((float)number)) {
        *scan = before;
        return false;
    }
    *value = (float)number;
    return true;
}

lbResult lb_scan_error(const lbTextScan* scan, const char* file, const char* expected) {
    lbTextScan ahead = *scan;
    lbWord word = lb_scan_word(&ahead);
    if (word.length == 0) {
        return lb_error(lb_errorFormat, "%s:%d: expected %s, found the end of the %s", file, ahead.line, expected,
                        ahead.at < ahead.end ? "line" : "file");
    }
    int shown = word.length > 40 ? 40 : (int)word.length;
    return lb_error(lb_errorFormat, "%s:%d: expected %s, found '%.*s%s'", file, ahead.line, expected, shown, word.text,
                    word.length > 40 ? "..." : "");
}
