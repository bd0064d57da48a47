/* What every part of limber shares: results, vectors, and what the host program lends to the library. */
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define LB_API
#else
#define LB_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define LB_PRINTF(formatIndex, firstArgument) __attribute__((format(printf, formatIndex, firstArgument)))
#else
#define LB_PRINTF(formatIndex, firstArgument)
#endif

#define LB_VERSION_MAJOR 0
#define LB_VERSION_MINOR 1
#define LB_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* What kind of thing went wrong. */
typedef enum lbCode {
    lb_ok = 0,
    lb_errorArgument,    /* a parameter, definition or handle that makes no sense */
    lb_errorFile,        /* a file that is missing, cannot be read or cannot be written */
    lb_errorFormat,      /* a file whose contents are damaged, truncated or not what they say */
    lb_errorMemory,      /* the allocator gave nothing */
    lb_errorUnsupported, /* something this build or this machine does not have */
    lb_errorUnstable,    /* a simulation that became non-finite or exploded */
    lb_errorGivenUp,     /* a frame that the program did not want to wait for any longer */
} lbCode;

/* The outcome of a call. On failure the message names what and where, and what was expected; it is one line of
 * text without a newline, fit to be shown to a person. Errors are values: the library never prints or exits. */
typedef struct lbResult {
    lbCode code;
    char message[508];
} lbResult;

/* The library's version, for example "0.1.0". */
LB_API const char* lbGetVersion(void);

/* Whether this processor can run this build. Everything that creates a world checks it too. */
LB_API lbResult lbCheckProcessor(void);

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

typedef struct lbVec3 {
    float x, y, z;
} lbVec3;

/* A unit quaternion: vector part x, y, z and scalar part w. */
typedef struct lbQuat {
    float x, y, z, w;
} lbQuat;

/* An axis-aligned box. Empty when lower > upper. */
typedef struct lbBox {
    lbVec3 lower, upper;
} lbBox;

/* ---- The host: what the embedding program lends ------------------------------------------------------------------ */

typedef enum lbLogLevel {
    lb_logInfo,   /* worth knowing */
    lb_logWarning /* something was left out or taken differently */
} lbLogLevel;

/* A piece of a parallel loop: handles the items begin <= i < end. Items never depend on one another. */
typedef void lbTaskFn(void* context, int begin, int end);

/* Memory, log and threads. Start from lbDefaultHost() and replace what you like; a host must outlive all that was
 * made with it. Wherever limber takes a `const lbHost*`, NULL means the default host. */
typedef struct lbHost {
    /* Returns `size` bytes aligned to `alignment` (a power of two), or NULL. Called from any thread, but never while
     * a world steps. (Assimp and Jansson, while they read a file, take the C library's memory.) */
    void* (*allocate)(void* user, size_t size, size_t alignment);
    /* Takes back what allocate gave. `memory` may be NULL. */
    void (*release)(void* user, void* memory);
    /* Told of what is worth knowing but is no error. May be NULL: nobody listens. */
    void (*log)(void* user, lbLogLevel level, const char* message);
    /* Runs task(context, begin, end) over ranges that together cover 0 <= i < count, each of at least `grain` items
     * but for the last, on as many threads as it likes, and returns when all are done. NULL: limber's own threads.
     * Results do not depend on how the ranges are cut. */
    void (*parallelFor)(void* user, int count, int grain, lbTaskFn* task, void* context);
    /* Handed to each of the functions above. */
    void* user;
    /* Set by lbDefaultHost(). A host that did not come from it is an error. */
    uint32_t cookie;
} lbHost;

/* The C library's memory, no log, limber's own threads. */
LB_API lbHost lbDefaultHost(void);

/* Called when one of limber's own invariants does not hold (a defect of limber, not of its input). Returning true
 * stops the program there. The default handler writes to stderr and stops. Only builds with assertions call it.
 * Assertions have no host at hand: this is the library's one process-wide setting; set it before anything else. */
typedef bool lbAssertFn(const char* condition, const char* file, int line);
LB_API void lbSetAssertHandler(lbAssertFn* handler);

#ifdef __cplusplus
}
#endif

#endif
