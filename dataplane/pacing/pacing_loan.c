/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/pacing_loan.h"

#define SECOND_NS   UINT64_C(1000000000)
#define IDLE_NS     UINT64_C(800000000)
#define IDLE_PKTS   2
#define MOST_OCTETS 6000
#define SHARE_S     4
#define LEAST_PKTS  4

static uint64_t idle_ns(uint64_t share_bps, uint16_t mss)
{
    uint64_t ns = share_bps > 0 ? (uint64_t)IDLE_PKTS * mss * 8 * SECOND_NS / share_bps : 0;
    return ns > IDLE_NS ? ns : IDLE_NS;
}

void pacing_loan_ask(struct pacing_loan *loan, uint64_t share_bps, uint16_t mss, int64_t now)
{
    if (loan->last_ns != 0 && (uint64_t)(now - loan->last_ns) < idle_ns(share_bps, mss))
        return;
    uint64_t octets = share_bps / 8 * SHARE_S;
    octets = octets < MOST_OCTETS ? octets : MOST_OCTETS;
    loan->left_octets = octets < (uint64_t)LEAST_PKTS * mss ? 0 : (uint32_t)octets;
    loan->last_ns = now;
}

void pacing_loan_use(struct pacing_loan *loan, uint32_t octets, int64_t now)
{
    loan->left_octets -= octets < loan->left_octets ? octets : loan->left_octets;
    loan->last_ns = now;
}
