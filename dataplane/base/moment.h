/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments, instants in time, are signed 64-bit nanoseconds of the caller's clock; these are the earliest and
 * the latest. */
#ifndef DATAPLANE_BASE_MOMENT_H
#define DATAPLANE_BASE_MOMENT_H

#include <stdint.h>

#define MOMENT_NEVER  INT64_MAX
#define MOMENT_SECOND INT64_C(1000000000)

static inline int64_t moment_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t moment_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a + b for b >= 0, held at MOMENT_NEVER instead of wrapping. */
static inline int64_t moment_add(int64_t a, int64_t b)
{
    return a > MOMENT_NEVER - b ? MOMENT_NEVER : a + b;
}

#endif
