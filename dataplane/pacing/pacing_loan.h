/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loan of a mobile that begins: it asks for something after a time without octets of TCP, with nothing
 * queued, in the BSS or held (which the caller tests). Until the loan is
 * used up, its ACKs pass at once and its windows cover the rest. Tags grow as for all, so the mobile pays it
 * back, and its share stays.
 *
 *     after  max(0.8 s, 2 MSS / share)  without octets
 *     loan = min(6000, 4 s x share) octets, 0 if that is less than 4 MSS
 *
 * For the pacing*.c files only.
 */
#ifndef DATAPLANE_PACING_PACING_LOAN_H
#define DATAPLANE_PACING_PACING_LOAN_H

#include <stdint.h>

struct pacing_loan {
    int64_t last_ns; /* of the last octets to the mobile, or when the loan began; 0: never */
    uint32_t left_octets;
};

/* The mobile sends data: a loan may begin. */
void pacing_loan_ask(struct pacing_loan *loan, uint64_t share_bps, uint16_t mss, int64_t now);

/* Octets of data to the mobile. */
void pacing_loan_use(struct pacing_loan *loan, uint32_t octets, int64_t now);

#endif
