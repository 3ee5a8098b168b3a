/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A limit of events per second with a burst: the virtual scheduling form of a leaky bucket (ITU-T I.371).
 * The only state is whole_ns, the instant at which the full burst is available again; INT64_MIN: from the
 * start.
 */
#ifndef DATAPLANE_BASE_ALLOWANCE_H
#define DATAPLANE_BASE_ALLOWANCE_H

#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>

struct allowance {
    int64_t step_ns; /* time in which one event is regained */
    int64_t burst;   /* events available at whole_ns */
};

/* Whether an event is available at now. */
static inline bool allowance_has(const struct allowance *a, int64_t whole_ns, int64_t now)
{
    return whole_ns <= now || whole_ns - now <= (a->burst - 1) * a->step_ns;
}

/* Charges one event, whether it is available or not. */
static inline void allowance_charge(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    *whole_ns = moment_add(moment_max(*whole_ns, now), a->step_ns);
}

/* Charges one event if one is available; false, and nothing changes, if not. */
static inline bool allowance_take(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    if (!allowance_has(a, *whole_ns, now))
        return false;
    allowance_charge(a, whole_ns, now);
    return true;
}

#endif
