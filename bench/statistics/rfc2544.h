/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of RFC 2544 and RFC 9004: percentiles of latency, the longest burst without loss, the time of
 * recovery after overload. Without a clock and without traffic; the caller makes the trials.
 */
#ifndef BENCH_STATISTICS_RFC2544_H
#define BENCH_STATISTICS_RFC2544_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The smallest of `count` ascending values that is not below `permille` / 1000 of them (nearest rank). 0 of
 * no values. */
int64_t bench_percentile(const int64_t *ascending, size_t count, unsigned permille);

/*
 * The longest burst without loss (RFC 2544 section 26.4): doubled from `next` on until frames are lost, then
 * bisected until the interval is at most 1/64 of the burst, or a frame.
 *
 * 0 <= passed < lost; passed: the longest burst without loss, lost: the shortest one with loss, 0: none yet.
 */
struct bench_burst_search {
    uint64_t limit; /* no burst is longer */
    uint64_t passed, lost;
};

/* The length of the next burst; 0: the search has ended. */
uint64_t bench_burst_search_next(const struct bench_burst_search *s);
void bench_burst_search_add(struct bench_burst_search *s, uint64_t length, bool is_lossless);

/* Frames that the device buffers, of a burst at a rate above NDR (RFC 9004 section 6.4, corrected buffer):
 * the part of the burst that had to wait. 0: the rate is not above NDR. */
double bench_burst_buffer(double length, double burst_rate, double ndr);

/*
 * Recovery (RFC 2544 section 26.5): overload until start_ns, then a lower load. N-PDUs are sorted by their
 * sending time into slots of slot_ns from start_ns on; a slot in which fewer came than were sent lost some.
 * The recovery lasts from start_ns to the end of the last slot with a loss. An N-PDU that was sent before
 * start_ns belongs to no slot.
 */
#define BENCH_RECOVERY_SLOTS 4096

struct bench_recovery {
    int64_t start_ns, slot_ns;
    uint32_t sent[BENCH_RECOVERY_SLOTS], came[BENCH_RECOVERY_SLOTS];
};

void bench_recovery_begin(struct bench_recovery *r, int64_t start_ns, int64_t slot_ns);
void bench_recovery_sent(struct bench_recovery *r, int64_t sent_ns, uint32_t count);
void bench_recovery_came(struct bench_recovery *r, int64_t sent_ns);

/* 0: no N-PDU that was sent since start_ns was lost. */
int64_t bench_recovery_ns(const struct bench_recovery *r);

/* N-PDUs that were sent since start_ns and did not come. */
uint64_t bench_recovery_lost(const struct bench_recovery *r);

/* Whether the last tenth of the slots with N-PDUs lost none: the device has recovered within the trial. False
 * without slots. */
bool bench_recovery_is_over(const struct bench_recovery *r);

#endif
