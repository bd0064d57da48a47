/* What the engine tells beside results: what was left out of a mesh, elements that turned inside out. */
#ifndef LIMBER_CLI_NOTES_H
#define LIMBER_CLI_NOTES_H

#include "cli/output.h"

typedef struct lbNotes {
    lbOutput* output;
    const char* name; /* of what the notes are about; NULL: they name it */
    bool warnAnyway;  /* with --quiet, too */
} lbNotes;

/* The usual host, with notes on stderr: "limber: note: NAME: message". `notes` must outlive it. */
lbHost lb_host_with_notes(lbNotes* notes);

#endif
