/* Opening an address in the browser of the one who runs limber. */
#ifndef LIMBER_CLI_OPEN_BROWSER_H
#define LIMBER_CLI_OPEN_BROWSER_H

/* Does nothing where there is no screen or no browser to be found. Does not wait for it. */
void lb_open_browser(const char* address);

#endif
