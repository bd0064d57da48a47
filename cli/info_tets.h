/* What `limber info` says of a file of tetrahedra. */
#ifndef LIMBER_CLI_INFO_TETS_H
#define LIMBER_CLI_INFO_TETS_H

#include "cli/output.h"

/* Elements without volume, and those that stand twice, are left out and counted if `leaveOut`; else they are errors.
 * False if the file cannot be read, which is said then. */
bool lb_inspect_tets(lbOutput* output, const char* path, bool leaveOut);

#endif
