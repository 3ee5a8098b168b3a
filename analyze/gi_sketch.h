/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The median of a mobile's values in little memory: exact for the first 16 values, later of every second,
 * fourth, ... value.
 */
#ifndef ANALYZE_GI_SKETCH_H
#define ANALYZE_GI_SKETCH_H

#include <stdint.h>

enum { GI_SKETCH_VALUES = 16 };

/* Invariant: of the values with numbers 0 .. count - 1 those divisible by stride are kept. */
struct gi_sketch {
    uint32_t count, stride, kept;
    float values[GI_SKETCH_VALUES];
};

/* Zero is empty. */
void gi_sketch_add(struct gi_sketch *s, double value);

/* The middle value, or the mean of the two middle ones; 0 without values. */
double gi_sketch_median(const struct gi_sketch *s);

#endif
