/* SPDX-License-Identifier: BSD-3-Clause */
/* Running mean and standard deviation (Welford 1962): squares = sum of (value - mean)^2. */
#ifndef ANALYZE_GI_MOMENTS_H
#define ANALYZE_GI_MOMENTS_H

#include <stdint.h>

struct gi_moments {
    uint64_t count;
    double mean, squares;
};

void gi_moments_add(struct gi_moments *m, double value);

/* The sample's standard deviation; 0 for fewer than two values. */
double gi_moments_deviation(const struct gi_moments *m);

#endif
