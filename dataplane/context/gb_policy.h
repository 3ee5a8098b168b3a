/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operator's changes to announced flow control.
 *
 * A BSS that announces a bucket of several seconds receives the whole standing queue, where the AQM of this
 * node has no effect. With bss_target the octets believed to lie in the BSS are also kept below a cap:
 *
 *     mobile:  target R_MS, at least its largest LLC-PDU
 *     cell:    max(50 ms R_BVC, (ceil(R_BVC / R_default_MS) + 1) largest LLC-PDUs)
 *
 * The cell's second term allows an LLC-PDU in the BSS to each of as many mobiles as use up R_BVC; with
 * R_default_MS = 0 no number does, and the cell has no cap. Packet flows have no cap: their mobile's limits
 * their sum.
 *
 * Invariant: without a target and with neutral values, Bmax and R are as announced.
 */
#ifndef DATAPLANE_CONTEXT_GB_POLICY_H
#define DATAPLANE_CONTEXT_GB_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define GB_POLICY_BVC_TARGET_NS INT64_C(50000000)

struct gb_policy {
    int64_t bss_target_ns; /* 0: no caps */
    uint64_t max_rate_bps; /* upper limit of the cell's R; 0: none */
    uint64_t max_octets;   /* upper limit of its Bmax; 0: none */
    uint32_t rate_percent; /* factor on every R of the cell, of its mobiles and packet flows: 1 to
                              GB_POLICY_MAX_PERCENT, 100 for none */
};

#define GB_POLICY_MAX_PERCENT 1000

/* Sets neutral values. */
void gb_policy_default(struct gb_policy *policy);
bool gb_policy_is_valid(const struct gb_policy *policy);

/* The R to use for an announced one, of a mobile or packet flow, and of a cell; at most BUCKET_MAX_RATE_BPS.
 * */
uint64_t gb_policy_rate(const struct gb_policy *policy, uint64_t announced_bps);
uint64_t gb_policy_bvc_rate(const struct gb_policy *policy, uint64_t announced_bps);

/* The Bmax to use for a mobile whose largest LLC-PDU has pdu_octets; rate_bps from gb_policy_rate(). */
uint64_t gb_policy_ms_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                             uint32_t pdu_octets);

/* Octets on the air of a busy cell: a largest LLC-PDU of each of as many mobiles as use up R; 0: no number
 * does. */
uint64_t gb_policy_air_octets(uint64_t rate_bps, uint64_t ms_rate_bps);

/* The Bmax to use for a cell; rates as above. */
uint64_t gb_policy_bvc_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                              uint64_t ms_rate_bps);

#endif
