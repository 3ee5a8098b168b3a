/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the timestamps of captures monotonic. For a timestamp with a gap to the time of the frame before it:
 *
 *     -back_ns <= gap < 0                    frames out of order: the time stays
 *     0 <= gap <= silence_ns                 the time advances by the gap
 *     gap < -back_ns                         the clock was set back: the time stays
 *     gap > silence_ns                       the clock was set forward: the time advances by set_ns
 *
 * After the clock was set, later frames keep their distance to that frame.
 */
#ifndef CAPTURE_TIMELINE_H
#define CAPTURE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

/* The time stops at this instant in the year 2255: 64 bits leave room for timers above it. */
#define CAPTURE_TIMELINE_LAST_NS INT64_C(9000000000000000000)

struct capture_timeline {
    int64_t back_ns, silence_ns, set_ns; /* the caller's limits, see above */
    int64_t first_ns, last_ns;           /* times of the first and the last frame */
    int64_t leapt_ns;                    /* timestamp - time, since the clock was last set */
    uint64_t steps;                      /* frames out of order, or at which the clock was set */
    bool has_begun;
};

/* Returns the time of the next frame, whose timestamp is at_ns >= 0. */
int64_t capture_timeline_put(struct capture_timeline *t, int64_t at_ns);

#endif
