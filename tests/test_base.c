#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/tasks.h"
#include "test.h"

#include <signal.h>
#include <sys/resource.h>

TEST(ErrorMessagesAreOneLineAndBounded) {
    lbResult result = lb_error(lb_errorFormat, "%s", "a\nb\001c");
    CHECK(strcmp(result.message, "a?b?c") == 0);
    char longText[2000];
    memset(longText, 'x', sizeof(longText) - 1);
    longText[sizeof(longText) - 1] = 0;
    result = lb_error(lb_errorFormat, "%s", longText);
    CHECK(strlen(result.message) == sizeof(result.message) - 1);
    CHECK(strcmp(result.message + sizeof(result.message) - 4, "...") == 0);
    result = lb_in_context(lb_error(lb_errorFile, "inner"), "%s:%d", "file", 3);
    CHECK(strcmp(result.message, "file:3: inner") == 0);
}

TEST(AllocationRefusesOverflowAndNegativeCounts) {
    const lbHost* host = lb_resolve_host(NULL);
    CHECK(lb_allocate(host, -1, 8) == NULL);
    CHECK(lb_allocate(host, INT64_MAX, 8) == NULL);
    void* one = lb_allocate(host, 0, 8);
    CHECK(one != NULL && (uintptr_t)one % 64 == 0);
    lb_release(host, one);
    lbHost foreign = {0};
    CHECK_FAILS(lb_check_host(&foreign), lb_errorArgument, "lbDefaultHost");
}

static void count_items(void* context, int begin, int end) {
    int* items = context;
    for (int i = begin; i < end; ++i) {
        items[i] += 1;
    }
}

TEST(ParallelLoopsCoverEachItemOnce) {
    enum { itemCount = 10007 };
    static int items[itemCount];
    for (int threads = 1; threads <= 4; ++threads) {
        lbTasks* tasks = NULL;
        CHECK_OK(lb_create_tasks(lb_resolve_host(NULL), threads, &tasks));
        memset(items, 0, sizeof(items));
        for (int round = 0; round < 200; ++round) {
            lb_parallel_for(tasks, itemCount, 1 + round * 7, count_items, items);
        }
        int wrong = 0;
        for (int i = 0; i < itemCount; ++i) {
            wrong += items[i] != 200;
        }
        CHECK(wrong == 0);
        lb_destroy_tasks(tasks);
    }
    lbTasks* none = NULL;
    CHECK_FAILS(lb_create_tasks(lb_resolve_host(NULL), -1, &none), lb_errorArgument, "threadCount is -1");
}

static void write_text(const char* path, const char* text) {
    lbFile file;
    CHECK_OK(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_print(&file, "%s", text);
    CHECK_OK(lb_commit_file(&file));
}

TEST(AFullDiskLeavesTheOldFileWhole) {
    const char* path = LB_BINARY_DIR "/old-file.txt";
    write_text(path, "the old contents");

    /* A limit on the size of files stands in for a full disk. */
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    lbFile file;
    CHECK_OK(lb_open_file(lb_resolve_host(NULL), path, &file));
    char temporary[512];
    snprintf(temporary, sizeof(temporary), "%s", file.temporaryPath);
    static char block[100000];
    lb_write(&file, block, sizeof(block));
    CHECK_FAILS(lb_commit_file(&file), lb_errorFile, "old-file.txt: could not be written");
    setrlimit(RLIMIT_FSIZE, &before);

    lbBytes bytes;
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), path, &bytes));
    CHECK(strcmp((char*)bytes.data, "the old contents") == 0);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    CHECK(fopen(temporary, "rb") == NULL);
}

TEST(FilesThatCannotBeReadOrWrittenAreNamed) {
    const lbHost* host = lb_resolve_host(NULL);
    lbBytes bytes;
    lbFile file;
    CHECK_FAILS(lb_read_file(host, "/no/such/file", &bytes), lb_errorFile, "/no/such/file: No such file");
    CHECK_FAILS(lb_read_file(host, "/", &bytes), lb_errorFile, "not a regular file");
    CHECK_FAILS(lb_open_file(host, "/no/such/folder/x.glb", &file), lb_errorFile, "/no/such/folder/x.glb");
}

TEST_MAIN(TEST_ENTRY(ErrorMessagesAreOneLineAndBounded), TEST_ENTRY(AllocationRefusesOverflowAndNegativeCounts),
          TEST_ENTRY(ParallelLoopsCoverEachItemOnce), TEST_ENTRY(AFullDiskLeavesTheOldFileWhole),
          TEST_ENTRY(FilesThatCannotBeReadOrWrittenAreNamed))
