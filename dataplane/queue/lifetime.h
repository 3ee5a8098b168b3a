/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of an N-PDU's age since receipt on Gn, and the PDU Lifetime sent to the BSS (TS 48.018 clause
 * 11.3.25, in 10 ms).
 *   split      sgsn_max limits the time in SGSN and BSS together. PDU Lifetime is the rest of it when the
 *              frame leaves, at most bss_max; a frame with less than bss_min left is dropped.
 *   sgsn_only  sgsn_max limits the time in the SGSN; PDU Lifetime is "infinite".
 *   per_node   sgsn_max limits the time in the SGSN; PDU Lifetime is bss_max.
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

/* The greatest age at which a frame may leave; older ones are dropped. MOMENT_NEVER: no limit, -1: none may.
 * */
int64_t lifetime_max_age_ns(const struct lifetime *l);

/* PDU Lifetime in centiseconds, rounded down, of a frame of this age, at most lifetime_max_age_ns(). */
uint16_t lifetime_pdu_cs(const struct lifetime *l, int64_t age_ns);

#endif
