/* What a scene can say, as a table. */
#include "limber/describe.h"

int lbGetPropertyCount(void) {
    return 0;
}

const lbPropertyInfo* lbGetProperty(int index) {
    (void)index;
    return NULL;
}

bool lbProperty_AppliesTo(const lbPropertyInfo* property, const lbBodyKinds* kinds) {
    (void)property, (void)kinds;
    return false;
}

void lbProperty_GetDefault(const lbPropertyInfo* property, const lbBodyKinds* kinds, double value[3]) {
    (void)property, (void)kinds;
    value[0] = value[1] = value[2] = 0;
}

lbKindInfo lbProperty_GetChoice(const lbPropertyInfo* property, int index) {
    (void)property, (void)index;
    return (lbKindInfo){0};
}
