/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When frames should have left, and when they did. Each mobile has a shadow of its bucket here:
 *
 *     due      = max(bucket_earliest_ns(shadow), instant at which its N-PDU was there)
 *     lateness = instant at which the frame was out - due
 *
 * The shadow is charged when the worker charged its own, at the step's `now`. A frame whose bucket had room
 * when its N-PDU came was not held back, and is only counted.
 *
 * A pass of the loop that takes longer than DEPARTURE_JUDGE_GAP_NS is a gap of the machine. It begins at the
 * last step before it that left nothing to do, and ends with the first one after it that does: what became
 * due in between and left in between is set aside. What was due before and had not left is no gap's fault.
 */
#ifndef BENCH_MICRO_DEPARTURE_JUDGE_H
#define BENCH_MICRO_DEPARTURE_JUDGE_H

#include "dataplane/queue/bucket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEPARTURE_JUDGE_GAP_NS INT64_C(100000)

struct departure_mobile {
    struct bucket bucket; /* the shadow */
    int64_t since_ns;     /* when the first N-PDU that waits came, if none waited */
    uint32_t waiting;     /* N-PDUs that the worker has */
};

struct departure_judge {
    struct departure_mobile *mobiles;
    uint32_t mobile_count, llc_octets;
    int64_t *lateness_ns; /* of the frames that were held back, outside gaps */
    size_t count, cap;
    uint64_t at_once, aside, early;
    int64_t clear_ns; /* `now` of the last step that left nothing to do */
    bool is_in_gap;
    uint64_t gaps;
    int64_t gap_ns; /* all of them */
};

/* Buckets of max_octets and rate_bps, empty at 0; LLC-PDUs of llc_octets; room for cap lateness values. False
 * without memory. */
struct departure_judge_load {
    uint32_t mobiles, llc_octets;
    uint64_t max_octets, rate_bps;
    size_t cap;
};
bool departure_judge_new(struct departure_judge *j, const struct departure_judge_load *load);
void departure_judge_free(struct departure_judge *j);

/* The worker finds an N-PDU of a mobile in the step at now. */
void departure_judge_fed(struct departure_judge *j, uint32_t mobile, int64_t now);

/* A frame left in the step at step_ns and was out at now. False when it is none that was fed, of another
 * length, or one too many. */
bool departure_judge_left(struct departure_judge *j, uint32_t mobile, int64_t step_ns, int64_t now);

/* The step at step_ns left nothing to do. */
void departure_judge_clear(struct departure_judge *j, int64_t step_ns);

/* A pass of the loop took so long; say so of a part of it before what left in it is judged. */
void departure_judge_part(struct departure_judge *j, int64_t part_ns);
void departure_judge_pass(struct departure_judge *j, int64_t pass_ns);

/* Mobiles whose frame was due at the last clear step, or before, and has not left. */
uint32_t departure_judge_owed(const struct departure_judge *j);

/* Sorts; then the lateness that so many millionths of the frames do not exceed, 0 without frames. */
void departure_judge_sort(struct departure_judge *j);
int64_t departure_judge_percentile_ns(const struct departure_judge *j, uint32_t ppm);

#endif
