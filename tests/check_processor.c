/* Says whether limber runs on this processor. old_processor.sh runs it on processors that are not there. */
#include "limber/base.h"

#include <stdio.h>

int main(void) {
    lbResult result = lbCheckProcessor();
    if (result.code != lb_ok) {
        fprintf(stderr, "%s\n", result.message);
        return 1;
    }
    printf("limber runs here\n");
    return 0;
}
