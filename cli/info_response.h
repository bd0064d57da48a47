/* What `limber info` says of a file of a precomputed response (.lbr). */
#ifndef LIMBER_CLI_INFO_RESPONSE_H
#define LIMBER_CLI_INFO_RESPONSE_H

#include "cli/output.h"

/* By its name. */
bool lb_is_response_file(const char* path);
/* False if the file cannot be read, which is said then. */
bool lb_inspect_response(lbOutput* output, const char* path);

#endif
