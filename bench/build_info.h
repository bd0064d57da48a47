/* Which processor this is, and how limber was compiled. */
#ifndef LIMBER_BENCH_BUILD_INFO_H
#define LIMBER_BENCH_BUILD_INFO_H

#include <stddef.h>

void lb_get_processor_name(char* name, size_t size);
/* Bytes of a core's data cache of level 1 or 2, or of the cache of level 3; a usual size if the system does not say. */
size_t lb_get_cache_size(int level);

const char* lb_compiler_name(void);
const char* lb_compiler_flags(void);
const char* lb_kernel_flags(void); /* added for the files that hold kernels */
const char* lb_build_type(void);

#endif
