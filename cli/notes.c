#include "cli/notes.h"

static void print_note(void* user, lbLogLevel level, const char* message) {
    const lbNotes* notes = user;
    if (notes->output->quiet && !(notes->warnAnyway && level == lb_logWarning)) {
        return;
    }
    lb_clear_progress(notes->output);
    const char* name = notes->name != NULL ? notes->name : "";
    fprintf(stderr, "limber: note: %s%s%s\n", name, name[0] != 0 ? ": " : "", message);
}

lbHost lb_host_with_notes(lbNotes* notes) {
    lbHost host = lbDefaultHost();
    host.log = print_note;
    host.user = notes;
    return host;
}
