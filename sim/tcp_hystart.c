/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_hystart.h"

#include "dataplane/base/moment.h"

#define MILLISECOND       (MOMENT_SECOND / 1000)
#define MIN_RTT_THRESH_NS (4 * MILLISECOND)
#define MAX_RTT_THRESH_NS (16 * MILLISECOND)

/* 4.3; the limit is that of senders that do not pace. */
enum { RTT_DIVISOR = 8, RTT_SAMPLES = 8, GROWTH_DIVISOR = 4, ROUNDS = 5, LIMIT_SEGMENTS = 8 };

void tcp_hystart_start(struct tcp_hystart *h, uint64_t nxt)
{
    *h = (struct tcp_hystart){
        .round_end = nxt, .last_ns = MOMENT_NEVER, .present_ns = MOMENT_NEVER, .baseline_ns = MOMENT_NEVER};
}

static void begin_round(struct tcp_hystart *h, uint64_t nxt)
{
    h->round_end = nxt;
    h->last_ns = h->present_ns;
    h->present_ns = MOMENT_NEVER;
    h->samples = 0;
    h->rounds += h->is_conservative;
}

static void judge(struct tcp_hystart *h)
{
    if (h->samples < RTT_SAMPLES)
        return;
    if (h->is_conservative) {
        h->is_conservative = h->present_ns >= h->baseline_ns;
        return;
    }
    if (h->last_ns == MOMENT_NEVER)
        return;
    int64_t thresh_ns =
        moment_max(MIN_RTT_THRESH_NS, moment_min(h->last_ns / RTT_DIVISOR, MAX_RTT_THRESH_NS));
    if (h->present_ns < h->last_ns + thresh_ns)
        return;
    h->baseline_ns = h->present_ns;
    h->is_conservative = true;
    h->rounds = 0;
}

bool tcp_hystart_acked(struct tcp_hystart *h, uint64_t ack, uint64_t nxt, int64_t rtt_ns)
{
    if (h->is_over)
        return true;
    if (rtt_ns >= 0) {
        h->present_ns = moment_min(h->present_ns, rtt_ns);
        h->samples++;
        judge(h);
    }
    if (ack >= h->round_end)
        begin_round(h, nxt);
    h->is_over = h->is_conservative && h->rounds >= ROUNDS;
    return h->is_over;
}

uint64_t tcp_hystart_growth(const struct tcp_hystart *h, uint64_t acked_octets, uint32_t mss_octets)
{
    uint64_t most_octets = LIMIT_SEGMENTS * (uint64_t)mss_octets;
    uint64_t octets = acked_octets < most_octets ? acked_octets : most_octets;
    return h->is_conservative ? octets / GROWTH_DIVISOR : octets;
}
