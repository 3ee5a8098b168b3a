/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instants at which frames should have left, and at which they did. Each mobile has a shadow bucket here:
 *     due      = max(bucket_earliest_ns(shadow), arrival of its N-PDU)
 *     lateness = instant at which the frame was out - due
 *
 * The shadow is charged when the worker charged its own, at the step's `now`. A frame whose bucket had room
 * when its N-PDU arrived was not delayed, and is only counted.
 *
 * A pass of the loop that takes longer than DEPARTURE_JUDGE_GAP_NS is a gap of the machine. The gap begins at
 * the last step before it that left no work and ends with the first step after it that leaves none: frames
 * due in between that left in between are set aside. A frame that was due before the gap is not excused.
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
    int64_t since_ns;     /* when the first queued N-PDU arrived at an empty queue */
    uint32_t waiting;     /* N-PDUs that the worker has */
};

struct departure_judge {
    struct departure_mobile *mobiles;
    uint32_t mobile_count, llc_octets;
    int64_t *lateness_ns; /* of frames that the bucket delayed, outside gaps */
    size_t count, cap;
    uint64_t at_once, aside, early;
    int64_t clear_ns; /* `now` of the last step that left no work */
    bool is_in_gap;
    uint64_t gaps;
    int64_t gap_ns; /* all of them */
};

/* Buckets of max_octets and rate_bps, empty at 0; LLC-PDUs of llc_octets; room for cap lateness values. */
struct departure_judge_load {
    uint32_t mobiles, llc_octets;
    uint64_t max_octets, rate_bps;
    size_t cap;
};
bool departure_judge_new(struct departure_judge *j, const struct departure_judge_load *load);
void departure_judge_free(struct departure_judge *j);

/* The worker receives an N-PDU of a mobile in the step at now. */
void departure_judge_fed(struct departure_judge *j, uint32_t mobile, int64_t now);

/* A frame left in the step at step_ns and was out at now. False: no N-PDU of the mobile is queued, or no room
 * for the value. */
bool departure_judge_left(struct departure_judge *j, uint32_t mobile, int64_t step_ns, int64_t now);

/* The step at step_ns left no work. */
void departure_judge_clear(struct departure_judge *j, int64_t step_ns);

/* Reports the duration of a pass of the loop. Report a part of it before the frames that left in it. */
void departure_judge_part(struct departure_judge *j, int64_t part_ns);
void departure_judge_pass(struct departure_judge *j, int64_t pass_ns);

/* Mobiles whose frame was due at or before the last clear step and has not left. */
uint32_t departure_judge_owed(const struct departure_judge *j);

/* After departure_judge_sort(): the lateness that `ppm` millionths of the frames do not exceed; 0 without
   frames. */
void departure_judge_sort(struct departure_judge *j);
int64_t departure_judge_percentile_ns(const struct departure_judge *j, uint32_t ppm);

#endif
