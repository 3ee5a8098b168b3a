/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recovery (RFC 2544 section 26.5): overload until start_ns, then a lower load. N-PDUs are sorted by their
 * sending time into slots of slot_ns from start_ns on; a slot in which fewer came than were sent lost some.
 * The recovery lasts from start_ns to the end of the last slot with a loss. An N-PDU that was sent before
 * start_ns belongs to no slot.
 */
#ifndef BENCH_STATISTICS_RECOVERY_H
#define BENCH_STATISTICS_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
