/* "Did you mean": the known name nearest to a word that was mistyped. */
#ifndef LIMBER_CLI_NEAREST_H
#define LIMBER_CLI_NEAREST_H

typedef struct lbNearest {
    const char* word;
    const char* best; /* NULL: nothing near enough to be meant */
    int distance;     /* of best; names that are further away are not taken */
    char known[512];  /* all names on offer, for a person */
} lbNearest;

lbNearest lb_nearest_to(const char* word);
void lb_nearest_offer(lbNearest* nearest, const char* name);

/* Says that the word is no `what` (for example "command"), which one may be meant, and which there are. */
void lb_print_unknown_name(const lbNearest* nearest, const char* what);

#endif
