/* Colours in files are mostly as a screen takes them (sRGB, IEC 61966-2-1); shapes hold linear ones. */
#ifndef LIMBER_SRC_SRGB_H
#define LIMBER_SRC_SRGB_H

#include <math.h>

static inline double linear_from_srgb(double s) {
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}
static inline double srgb_from_linear(double l) {
    return l <= 0.0031308 ? l * 12.92 : 1.055 * pow(l, 1 / 2.4) - 0.055;
}
/* Also for what is not a number. */
static inline double clamp_to_unit(double a) {
    return a > 0 ? (a < 1 ? a : 1) : 0;
}

#endif
