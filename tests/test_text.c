#include "base/memory.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "test.h"

#include <locale.h>

static uint64_t random_bits(uint64_t* state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double parse(const char* text) {
    double value = NAN;
    const char* at = text;
    CHECK(lb_parse_number(&at, text + strlen(text), &value));
    CHECK(*at == 0);
    return value;
}

TEST(AnyFloatPrintedReadsBackBitForBit) {
    uint64_t state = 1;
    int wrong = 0;
    lbText text = {.host = lb_resolve_host(NULL)};
    for (int i = 0; i < 200000; ++i) {
        uint32_t bits = (uint32_t)random_bits(&state);
        float value;
        memcpy(&value, &bits, sizeof(value));
        if (isfinite(value)) {
            text.size = 0;
            lb_text_number(&text, (double)value, 9);
            lb_text_add(&text, "", 1);
            float back = (float)parse(text.data);
            wrong += memcmp(&back, &value, sizeof(value)) != 0;
        }
    }
    CHECK(wrong == 0);
    lb_text_free(&text);
}

TEST(NumbersAreThoseOfTheCLibrary) {
    static const char* const samples[] = {"0",
                                          "-0",
                                          "1",
                                          "-1.5",
                                          "+2.25",
                                          ".5",
                                          "5.",
                                          "1e22",
                                          "1e23",
                                          "1E-22",
                                          "1e-23",
                                          "123456789012345678901234567890",
                                          "0.1",
                                          "3.4028235e38",
                                          "1e-45",
                                          "4.9e-324",
                                          "1.7976931348623157e308",
                                          "1e400",
                                          "1e-400",
                                          "0e99999999999999999999",
                                          "00000000000000000000000001e-5",
                                          "0.000000000000000000000000000000000000000000001234567890123456789"};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i) {
        double expected = strtod(samples[i], NULL), value = parse(samples[i]);
        CHECK(value == expected && signbit(value) == signbit(expected));
    }
    uint64_t state = 7;
    int floatsWrong = 0, farOff = 0;
    for (int i = 0; i < 200000; ++i) {
        char text[64];
        snprintf(text, sizeof(text), "%llu.%llue%d", (unsigned long long)(random_bits(&state) >> (i % 60)),
                 (unsigned long long)(random_bits(&state) >> (i % 61)), (int)(random_bits(&state) % 120) - 60);
        double expected = strtod(text, NULL), value = parse(text);
        floatsWrong += (float)value != (float)expected;
        farOff += value != expected && nextafter(value, expected) != expected; /* one unit in the last place */
    }
    CHECK(floatsWrong == 0);
    CHECK(farOff == 0);
    static const char* const noNumbers[] = {"", "-", ".", "e5", "nan", "inf", "-inf", "1e", "x1"};
    for (size_t i = 0; i < sizeof(noNumbers) / sizeof(noNumbers[0]); ++i) {
        double value = 0;
        lbTextScan scan = lb_scan_text(noNumbers[i], strlen(noNumbers[i]));
        CHECK(!lb_scan_number(&scan, &value));
    }
}

TEST(ACommaLocaleChangesNothing) {
    static const char* const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char* set = NULL;
    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]) && set == NULL; ++i) {
        set = setlocale(LC_NUMERIC, locales[i]);
    }
    if (set == NULL) {
        printf("    skipped: no locale with a decimal comma here\n");
    }
    lbText text = {.host = lb_resolve_host(NULL)};
    lb_text_number(&text, 1.5, 9);
    CHECK(text.size == 3 && memcmp(text.data, "1.5", 3) == 0);
    CHECK(parse("1.5") == 1.5);
    lb_text_free(&text);
    setlocale(LC_NUMERIC, "C");
}

TEST(StringsInJsonAreEscapedAndUtf8) {
    lbText text = {.host = lb_resolve_host(NULL)};
    lb_text_json_string(&text, "a\"b\\c\n\xc3\xa9\xff\xed\xa0\x80");
    static const char expected[] = "\"a\\\"b\\\\c\\u000a\xc3\xa9"
                                   "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                   "\"";
    CHECK(text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0);
    lb_text_free(&text);
}

TEST(AttributesInXmlAreEscapedAndUtf8) {
    lbText text = {.host = lb_resolve_host(NULL)};
    lb_text_xml_attribute(&text, "a\"b&<c>\n\xc3\xa9\xff");
    static const char expected[] = "a&#34;b&#38;&#60;c&#62;?\xc3\xa9\xef\xbf\xbd";
    CHECK(text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0);
    lb_text_free(&text);
}

TEST_MAIN(TEST_ENTRY(AnyFloatPrintedReadsBackBitForBit), TEST_ENTRY(NumbersAreThoseOfTheCLibrary),
          TEST_ENTRY(ACommaLocaleChangesNothing), TEST_ENTRY(StringsInJsonAreEscapedAndUtf8),
          TEST_ENTRY(AttributesInXmlAreEscapedAndUtf8))
