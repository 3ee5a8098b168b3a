/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spread of values: a histogram whose classes are 1/256 of a power of two wide, so that a quantile is
 * right to 0.2 % at any scale, in constant memory.
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

/* A zeroed struct is empty. Negative values count as 0, those above 2^53 as 2^53. */
void gi_spread_add(struct gi_spread *s, int64_t value);

/* The value at or below which this share of all values lies (nearest rank); 0 without values. */
int64_t gi_spread_quantile(const struct gi_spread *s, double share);

/* The middle of a class. */
int64_t gi_spread_value(unsigned class);

/* The mean; 0 without values. */
double gi_spread_mean(const struct gi_spread *s);

/* Running mean and standard deviation (Welford 1962): squares = sum of (value - mean)^2. */

struct gi_spread_moments {
    uint64_t count;
    double mean, squares;
};

void gi_spread_moments_add(struct gi_spread_moments *m, double value);

/* The sample's standard deviation; 0 for fewer than two values. */
double gi_spread_moments_deviation(const struct gi_spread_moments *m);

#endif
