/* In place of the server where limber was built without what it needs. */
#include "base/result.h"
#include "server/play.h"

lbResult lb_play(const lbPlayDef* def) {
    (void)def;
    return lb_error(lb_errorUnsupported, "this limber was built without " LB_MISSING_FOR_PLAY
                                         ", which the page's server needs; install it (Debian: apt-get install "
                                         "libwebsockets-dev libjansson-dev) and build again");
}
