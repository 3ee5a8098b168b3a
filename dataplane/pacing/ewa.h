/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit window adaptation of the queue of a class on a Gb link: windows by its free octets, in place of
 * shares.
 *
 * For the files of this folder alone.
 */
#ifndef DATAPLANE_PACING_EWA_H
#define DATAPLANE_PACING_EWA_H

#include <stdint.h>

/* A queue; zeroed: not used yet. */
struct ewa {
    int64_t last_ns;         /* of the last period that has ended */
    uint64_t average_octets; /* of Q, in 1/128 octets */
    uint32_t alpha;          /* in 1/65536; 0: not used yet */
};

/* W in octets, with Q octets in a buffer of B, at an ACK of a flow with this MSS. */
uint64_t ewa_window_octets(struct ewa *e, uint64_t q_octets, uint32_t b_octets, uint16_t mss, int64_t now);

#endif
