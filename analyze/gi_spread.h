/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How values are spread: a histogram whose classes are 1/256 of a power of two wide, so that a quantile is
 * right to 0.2 % whatever the values are, in memory that does not grow.
 */
#ifndef ANALYZE_GI_SPREAD_H
#define ANALYZE_GI_SPREAD_H

#include <stdint.h>

enum { GI_SPREAD_STEPS = 256, GI_SPREAD_CLASSES = GI_SPREAD_STEPS * 47 };

/* Invariant: count is the sum of classes. */
struct gi_spread {
    uint64_t count;
    double sum;
    int64_t least, most;
    uint32_t classes[GI_SPREAD_CLASSES];
};

/* Zero is empty. Negative values count as 0, those above 2^53 as that. */
void gi_spread_add(struct gi_spread *s, int64_t value);

/* The value below or at which this share of all lies (nearest rank); 0 when there is none. */
int64_t gi_spread_quantile(const struct gi_spread *s, double share);

/* The middle of a class. */
int64_t gi_spread_value(unsigned class);

/* 0 when there is none. */
double gi_spread_mean(const struct gi_spread *s);

#endif
