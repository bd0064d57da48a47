#include "bench/build_info.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

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

/* The first line of a file of the system; empty if there is none. */
static void read_line(const char* path, char* line, int size) {
    line[0] = 0;
    FILE* file = fopen(path, "r");
    if (file != NULL) {
        if (fgets(line, size, file) == NULL) {
            line[0] = 0;
        }
        fclose(file);
    }
}

/* Linux lists each cache of a core with its level, kind and size ("32K"). (sysconf counts the caches of other cores
 * too on some processors.) */
size_t lb_get_cache_size(int level) {
    for (int i = 0; i < 8; ++i) {
        char path[96], line[64];
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        read_line(path, line, sizeof(line));
        bool holdsData = line[0] == 'D' || line[0] == 'U'; /* Data, Unified */
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        read_line(path, line, sizeof(line));
        if (!holdsData || atoi(line) != level) {
            continue;
        }
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        read_line(path, line, sizeof(line));
        if (atoi(line) > 0) {
            return (size_t)atoi(line) << (strchr(line, 'M') != NULL ? 20 : 10);
        }
    }
    const size_t usual[] = {32 << 10, 512 << 10, 32 << 20};
    return usual[level - 1];
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
