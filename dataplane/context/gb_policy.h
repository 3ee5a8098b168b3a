/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the operator makes of the flow control that a cell announces.
 *
 * A BSS that announces a bucket of several seconds takes the whole standing queue in, where no queue
 * discipline of ours reaches it. With a target the octets that are believed to lie in the BSS are kept below
 * a cap besides:
 *
 *     mobile:  target R_MS, at least its largest LLC-PDU
 *     cell:    max(50 ms R_BVC, (ceil(R_BVC / R_default_MS) + 1) largest LLC-PDUs)
 *
 * The second term of the cell lets as many mobiles have an LLC-PDU there as it takes to use R_BVC up; with
 * R_default_MS = 0 no number would do, and the cell has no cap. Packet flows have none either: their mobile's
 * holds for their sum.
 *
 * Invariant: without a target, and with values that do nothing, Bmax and R are what was announced.
 */
#ifndef DATAPLANE_CONTEXT_GB_POLICY_H
#define DATAPLANE_CONTEXT_GB_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define GB_POLICY_BVC_TARGET_NS INT64_C(50000000)

struct gb_policy {
    int64_t bss_target_ns; /* 0: no caps */
    uint64_t max_rate_bps; /* the cell's R counts as no more; 0: as announced */
    uint64_t max_octets;   /* the same for its Bmax */
    uint32_t rate_percent; /* factor on every R of the cell, of its mobiles and packet flows: 1 to
                              GB_POLICY_MAX_PERCENT, 100 for none */
};

#define GB_POLICY_MAX_PERCENT 1000

/* Nothing is changed. */
void gb_policy_default(struct gb_policy *policy);
bool gb_policy_is_valid(const struct gb_policy *policy);

/* R of a mobile or packet flow, and of a cell, to use for the one announced; at most BUCKET_MAX_RATE_BPS. */
uint64_t gb_policy_rate(const struct gb_policy *policy, uint64_t announced_bps);
uint64_t gb_policy_bvc_rate(const struct gb_policy *policy, uint64_t announced_bps);

/* Bmax to use of a mobile whose largest LLC-PDU has pdu_octets; rate_bps as from above. */
uint64_t gb_policy_ms_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                             uint32_t pdu_octets);

/* On the air of a cell, when it is full: a largest LLC-PDU of as many mobiles as use R up; 0: no number would
 * do.
 */
uint64_t gb_policy_air_octets(uint64_t rate_bps, uint64_t ms_rate_bps);

/* Bmax to use of a cell; rates as from above. */
uint64_t gb_policy_bvc_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                              uint64_t ms_rate_bps);

#endif
