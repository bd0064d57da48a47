#include "base/assert.h"

#include "limber/base.h"

#include <stdatomic.h>
#include <stdio.h>

static bool report_and_stop(const char* condition, const char* file, int line) {
    fprintf(stderr, "limber: assertion failed: %s (%s:%d)\n", condition, file, line);
    return true;
}

static _Atomic(lbAssertFn*) assertHandler = report_and_stop;

void lbSetAssertHandler(lbAssertFn* handler) {
    atomic_store(&assertHandler, handler != NULL ? handler : report_and_stop);
}

bool lb_assertion_failed(const char* condition, const char* file, int line) {
    return atomic_load(&assertHandler)(condition, file, line);
}
