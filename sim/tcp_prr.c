/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_prr.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* a - b, 0 if b is larger. */
static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void tcp_prr_start(struct tcp_prr *p, uint64_t flight_octets)
{
    *p = (struct tcp_prr){.flight_octets = max_u64(flight_octets, 1)};
}

void tcp_prr_sent(struct tcp_prr *p, uint64_t octets)
{
    p->out_octets += octets;
}

uint64_t tcp_prr_acked(struct tcp_prr *p, const struct tcp_prr_ack *ack)
{
    p->delivered_octets += ack->delivered_octets;
    if (ack->in_flight_octets > ack->ssthresh_octets) {
        uint64_t due = (p->delivered_octets * ack->ssthresh_octets + p->flight_octets - 1) / p->flight_octets;
        return ack->in_flight_octets + above(due, p->out_octets);
    }
    uint64_t limit =
        max_u64(above(p->delivered_octets, p->out_octets), ack->delivered_octets) + ack->mss_octets;
    uint64_t room = ack->ssthresh_octets - ack->in_flight_octets;
    return ack->in_flight_octets + (room < limit ? room : limit);
}
