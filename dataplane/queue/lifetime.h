/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long an N-PDU may wait, and what the BSS is told of it (PDU Lifetime, TS 48.018 clause 11.3.25, in 10
 * ms). The time runs from receipt on Gn. split      sgsn_max counts over SGSN and BSS: what is left when a
 * frame leaves is its PDU Lifetime, at most bss_max; with less than bss_min left it does not leave at all,
 *   sgsn_only  sgsn_max ends it in the SGSN, the BSS is told "infinite",
 *   per_node   sgsn_max ends it in the SGSN, the BSS gets bss_max anew.
 */
#ifndef DATAPLANE_QUEUE_LIFETIME_H
#define DATAPLANE_QUEUE_LIFETIME_H

#include <stdint.h>

enum lifetime_mode {
    LIFETIME_SPLIT,
    LIFETIME_SGSN_ONLY,
    LIFETIME_PER_NODE,
};

struct lifetime {
    enum lifetime_mode mode;
    int64_t sgsn_max_ns; /* MOMENT_NEVER: no limit */
    int64_t bss_min_ns;
    int64_t bss_max_ns; /* MOMENT_NEVER: no limit */
};

#define LIFETIME_INFINITE_CS UINT16_C(0xffff)

/* The greatest age at which a frame may still leave; older is dropped. MOMENT_NEVER: any, -1: none. */
int64_t lifetime_max_age_ns(const struct lifetime *l);

/* PDU Lifetime in centiseconds, rounded down, for a frame that leaves at this age (at most
 * lifetime_max_age_ns()). */
uint16_t lifetime_pdu_cs(const struct lifetime *l, int64_t age_ns);

#endif
