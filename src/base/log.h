/* Telling the host what is worth knowing but is no error. */
#ifndef LIMBER_SRC_LOG_H
#define LIMBER_SRC_LOG_H

#include "limber/base.h"

/* One line to the host's log, if it listens. */
LB_PRINTF(3, 4) void lb_log(const lbHost* host, lbLogLevel level, const char* format, ...);

#endif
