#include "bench/build_info.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Linux lists it as "model name : ..."; where there is no such line (ARM), the kind of machine has to do. */
void lb_get_processor_name(char* name, size_t size) {
    struct utsname system;
    snprintf(name, size, "%s processor", uname(&system) >= 0 ? system.machine : "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[512];
    while (fgets(line, sizeof(line), file) != NULL) {
        const char* value = strstr(line, ": ");
        if (value != NULL && strncmp(line, "model name", 10) == 0) {
            snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    fclose(file);
}

size_t lb_get_cache_size(int level) {
    long size = 0;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#endif
    const size_t usual[] = {32 << 10, 512 << 10, 32 << 20};
    return size > 0 ? (size_t)size : usual[level - 1];
}

const char* lb_compiler_name(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

const char* lb_compiler_flags(void) {
    return LB_BUILD_FLAGS;
}

const char* lb_kernel_flags(void) {
    return LB_BUILD_KERNEL_FLAGS;
}

const char* lb_build_type(void) {
    return LB_BUILD_TYPE;
}
