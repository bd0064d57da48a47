/* Runs a fuzz target over inputs made from its seeds, the same ones each time: fuzz_NAME COUNT [FIRST]. FIRST picks
 * where to begin, so that one failing input can be tried alone: fuzz_NAME 1 N. A file's path instead of COUNT: that
 * file alone. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostBytes = 1 << 16 };

typedef struct Input {
    uint8_t bytes[mostBytes];
    size_t size;
    uint64_t random;
} Input;

static uint64_t next_random(Input* input) {
    input->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = input->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 <= n < limit; 0 if limit is 0. */
static size_t below(Input* input, size_t limit) {
    return limit == 0 ? 0 : (size_t)(next_random(input) % limit);
}

/* Replaces `length` bytes at `at` by others; what does not fit is cut off. */
static void replace(Input* input, size_t at, size_t length, const void* bytes, size_t size) {
    size_t tail = input->size - at - length;
    size = size > mostBytes - at ? mostBytes - at : size;
    tail = tail > mostBytes - at - size ? mostBytes - at - size : tail;
    memmove(input->bytes + at + size, input->bytes + at + length, tail);
    memmove(input->bytes + at, bytes, size);
    input->size = at + size + tail;
}

static bool is_word_byte(uint8_t c) {
    return c > ' ' && c < 0x7f;
}

/* A word around a random place, from *begin up to the returned end. */
static size_t pick_word(Input* input, size_t* begin) {
    size_t at = below(input, input->size);
    while (at < input->size && !is_word_byte(input->bytes[at])) {
        ++at;
    }
    size_t end = at;
    while (end < input->size && is_word_byte(input->bytes[end])) {
        ++end;
    }
    while (at > 0 && is_word_byte(input->bytes[at - 1])) {
        --at;
    }
    *begin = at;
    return end;
}

static void edit_number(Input* input) {
    static const char* const numbers[] = {
        "0",     "-1",  "1",          "2",           "4294967295", "2147483648",
        "-0",    "nan", "inf",        "1e39",        "1e-50",      "99999999999999999999",
        "0.5",   "255", "65536",      "1e",          "-",          ".",
        "1e999", "3",   "2147483647", "-2147483648", "0x10",       "1,5"};
    size_t begin = 0, end = pick_word(input, &begin);
    const char* number = numbers[below(input, sizeof(numbers) / sizeof(numbers[0]))];
    replace(input, begin, end - begin, number, strlen(number));
}

static void repeat_word(Input* input) {
    static uint8_t copies[4096];
    size_t begin = 0, end = pick_word(input, &begin);
    size_t length = end - begin + (end < input->size), used = 0;
    for (size_t times = 1 + below(input, 40); times > 0 && used + length <= sizeof(copies); --times) {
        memcpy(copies + used, input->bytes + begin, length);
        used += length;
    }
    replace(input, begin, 0, copies, used);
}

static void splice(Input* input) {
    const FuzzSeed* other = &fuzzSeeds[below(input, (size_t)fuzzSeedCount)];
    size_t from = below(input, other->size), length = below(input, other->size - from) + 1;
    size_t at = below(input, input->size + 1), removed = below(input, input->size - at + 1);
    replace(input, at, removed, other->data + from, length > other->size - from ? other->size - from : length);
}

static void edit_integer(Input* input) {
    static const uint32_t integers[] = {0,          1,          0x7f,       0xff,       0xffff,
                                        0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 100000000};
    uint32_t value = integers[below(input, sizeof(integers) / sizeof(integers[0]))];
    size_t at = below(input, input->size), length = input->size - at < 4 ? input->size - at : 4;
    replace(input, at, length, &value, length);
}

static void mutate(Input* input) {
    size_t at = below(input, input->size), end = 0;
    uint8_t byte = (uint8_t)next_random(input);
    switch (next_random(input) % 9) {
    case 0:
        if (input->size > 0) {
            input->bytes[at] ^= (uint8_t)(1u << (byte % 8));
        }
        break;
    case 1:
        replace(input, at, input->size > 0, &byte, 1);
        break;
    case 2:
        input->size = at;
        break;
    case 3:
        replace(input, at, below(input, input->size - at + 1), "", 0);
        break;
    case 4:
        splice(input);
        break;
    case 5:
    case 6:
        edit_number(input);
        break;
    case 7:
        edit_integer(input);
        break;
    default:
        end = pick_word(input, &at);
        if (byte % 4 == 0) {
            replace(input, at, end - at, "", 0);
        } else {
            repeat_word(input);
        }
        break;
    }
}

static void make_input(Input* input, uint64_t number) {
    input->random = number * UINT64_C(0xd1342543de82ef95) + 1;
    const FuzzSeed* seed = &fuzzSeeds[number % (uint64_t)fuzzSeedCount];
    memcpy(input->bytes, seed->data, seed->size);
    input->size = seed->size;
    for (size_t edits = number < (uint64_t)fuzzSeedCount ? 0 : 1 + below(input, 5); edits > 0; --edits) {
        mutate(input);
    }
}

/* From a block of just its size, so that a read behind its end is found. */
static void run(const uint8_t* bytes, size_t size) {
    uint8_t* exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        exit(2);
    }
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int run_file(Input* input, const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 2;
    }
    input->size = fread(input->bytes, 1, sizeof(input->bytes), file);
    fclose(file);
    run(input->bytes, input->size);
    return 0;
}

int main(int argumentCount, char** arguments) {
    static Input input;
    char* rest = NULL;
    uint64_t count = argumentCount > 1 ? strtoull(arguments[1], &rest, 10) : 1000;
    uint64_t first = argumentCount > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    if (rest != NULL && *rest != 0) {
        return run_file(&input, arguments[1]);
    }
    for (uint64_t i = first; i < first + count; ++i) {
        make_input(&input, i);
        fprintf(stderr, i % 4096 == 0 ? "\rinput %llu" : "", (unsigned long long)i);
        run(input.bytes, input.size);
    }
    printf("\n%llu inputs from number %llu on: nothing wrong\n", (unsigned long long)count, (unsigned long long)first);
    return 0;
}
