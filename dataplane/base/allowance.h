/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * So many a second, so many at once: the virtual scheduling form of a leaky bucket (ITU-T I.371). All that is
 * kept is the instant whole_ns at which the allowance is whole again; INT64_MIN: it always was.
 */
#ifndef DATAPLANE_BASE_ALLOWANCE_H
#define DATAPLANE_BASE_ALLOWANCE_H

#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>

struct allowance {
    int64_t step_ns; /* one comes back in it */
    int64_t burst;   /* so many are there when it is whole */
};

/* Whether one is left now. */
static inline bool allowance_has(const struct allowance *a, int64_t whole_ns, int64_t now)
{
    return whole_ns <= now || whole_ns - now <= (a->burst - 1) * a->step_ns;
}

/* One is used. */
static inline void allowance_charge(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    *whole_ns = moment_add(moment_max(*whole_ns, now), a->step_ns);
}

/* Uses one; false when none is left. */
static inline bool allowance_take(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    if (!allowance_has(a, *whole_ns, now))
        return false;
    allowance_charge(a, whole_ns, now);
    return true;
}

#endif
