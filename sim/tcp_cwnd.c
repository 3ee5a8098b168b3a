/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_cwnd.h"
#include "sim/tcp.h"

#include "dataplane/aqm/aqm.h"
#include "sim/tcp_linux.h"

enum { SETUP = TCP_ECE | TCP_CWR, ECN_MASK = 3 };

uint8_t tcp_ecn_syn_flags(const struct tcp *t)
{
    if (t->state == TCP_SYN_SENT)
        return t->params->ecn ? SETUP : 0;
    return t->uses_ecn ? TCP_ECE : 0;
}

void tcp_ecn_take_syn(struct tcp *t, const struct tcp_header *syn)
{
    uint8_t wanted = syn->flags & TCP_ACK ? TCP_ECE : SETUP;
    t->uses_ecn = t->params->ecn && (syn->flags & SETUP) == wanted;
}

uint8_t tcp_ecn_flags(struct tcp *t, bool is_new)
{
    uint8_t flags = t->echoes_ce ? TCP_ECE : 0;
    if (is_new && t->owes_cwr) {
        flags |= TCP_CWR;
        t->owes_cwr = false;
    }
    return flags;
}

void tcp_ecn_take_data(struct tcp *t, const struct ip_packet *packet)
{
    if (!t->uses_ecn || packet->payload_octets == 0)
        return;
    if (packet->tcp.flags & TCP_CWR)
        t->echoes_ce = false;
    if ((packet->ip.tos & ECN_MASK) == AQM_ECN_CE) {
        t->echoes_ce = true;
        t->stats.ce_received++;
    }
}

/* Was the window reduced, for a loss or an ECE, since the first unacknowledged segment was sent? */
static bool tcp_ecn_has_reduced(const struct tcp *t)
{
    return t->uses_ecn && t->una < t->reduced_at;
}

/* Notes that the window was reduced. */
static void tcp_ecn_reduced(struct tcp *t)
{
    t->reduced_at = t->nxt;
    t->owes_cwr = t->uses_ecn;
}

enum { LIMITED_SEGMENTS = 2 };

#define NO_SSTHRESH_OCTETS UINT64_C(0x3fffffffffffffff)

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void tcp_cwnd_start(struct tcp *t, bool is_syn_repeated)
{
    uint64_t segments = is_syn_repeated ? 1 : t->params->initial_cwnd_segments;
    t->cwnd_octets = segments * t->mss_octets;
    t->ssthresh_octets = NO_SSTHRESH_OCTETS;
    if (t->more) {
        t->more->cubic = (struct tcp_cubic){0};
        tcp_hystart_start(&t->more->hystart, t->nxt);
    }
    if (t->params->initial_ssthresh_segments)
        t->ssthresh_octets = (uint64_t)t->params->initial_ssthresh_segments * t->mss_octets;
}

/* Half of FlightSize, at least two segments (RFC 5681 equation 4); CUBIC: 0.7 of it. */
static void halve(struct tcp *t)
{
    uint64_t flight_octets = t->nxt - t->una;
    flight_octets -= min_u64(flight_octets, t->limited_octets);
    if (t->more)
        t->more->hystart.is_over = true;
    t->ssthresh_octets = max_u64(flight_octets / 2, 2 * (uint64_t)t->mss_octets);
    if (t->params->cc == TCP_CC_CUBIC)
        t->ssthresh_octets = tcp_cubic_reduce(&t->more->cubic, t->cwnd_octets, flight_octets, t->mss_octets);
}

void tcp_cwnd_halve_for_loss(struct tcp *t)
{
    if (!tcp_ecn_has_reduced(t))
        halve(t);
    tcp_ecn_reduced(t);
}

static void halve_for_echo(struct tcp *t)
{
    halve(t);
    tcp_ecn_reduced(t);
    t->cwnd_octets = min_u64(t->cwnd_octets, t->ssthresh_octets);
    t->cwnd_credit_octets = 0;
}

bool tcp_cwnd_take_echo(struct tcp *t, const struct tcp_header *header, uint64_t ack)
{
    if (!t->uses_ecn || !(header->flags & TCP_ECE) || header->flags & TCP_SYN)
        return false;
    /* Up to reduced_at the peer may not have seen the CWR. */
    if (ack > t->reduced_at) {
        halve_for_echo(t);
        t->stats.ecn_reductions++;
    }
    return true;
}

static bool has_hystart(const struct tcp *t)
{
    return t->params->has_hystart && !t->more->hystart.is_over;
}

void tcp_cwnd_judge_rtt(struct tcp *t, int64_t rtt_ns)
{
    if (has_hystart(t) && tcp_hystart_acked(&t->more->hystart, t->una, t->nxt, rtt_ns))
        t->ssthresh_octets = min_u64(t->ssthresh_octets, t->cwnd_octets);
}

static void grow_slowly(struct tcp *t, uint64_t acked_octets)
{
    t->cwnd_octets +=
        has_hystart(t) ? tcp_hystart_growth(&t->more->hystart, acked_octets, t->mss_octets)
                       : min_u64(acked_octets, (t->params->count_octets ? 2 : 1) * (uint64_t)t->mss_octets);
}

static void grow_as_reno(struct tcp *t, uint64_t acked_octets)
{
    uint64_t mss_octets = t->mss_octets;
    if (!t->params->count_octets) {
        t->cwnd_octets += max_u64(mss_octets * mss_octets / t->cwnd_octets, 1);
        return;
    }
    t->cwnd_credit_octets += acked_octets;
    if (t->cwnd_credit_octets >= t->cwnd_octets) {
        t->cwnd_credit_octets -= t->cwnd_octets;
        t->cwnd_octets += mss_octets;
    }
}

static void grow_as_cubic(struct tcp *t, uint64_t acked_octets, int64_t now)
{
    const struct tcp_cubic_step step = {.cwnd_octets = t->cwnd_octets,
                                        .acked_octets = acked_octets,
                                        .mss_octets = t->mss_octets,
                                        .rtt_ns = t->rto.srtt_ns,
                                        .now = now};
    t->cwnd_octets = tcp_cubic_grow(&t->more->cubic, &step);
}

void tcp_cwnd_grow(struct tcp *t, uint64_t acked_octets, int64_t now)
{
    if (t->cwnd_octets < t->ssthresh_octets)
        grow_slowly(t, acked_octets);
    else if (t->params->cc == TCP_CC_CUBIC)
        grow_as_cubic(t, acked_octets, now);
    else
        grow_as_reno(t, acked_octets);
    if (t->params->max_cwnd_segments)
        t->cwnd_octets = min_u64(t->cwnd_octets, t->params->max_cwnd_segments * (uint64_t)t->mss_octets);
}

void tcp_cwnd_after_idle(struct tcp *t, int64_t now)
{
    uint64_t initial_octets = (uint64_t)t->params->initial_cwnd_segments * t->mss_octets;
    if (t->more)
        tcp_cubic_idle(&t->more->cubic, now - t->emptied_ns);
    if (tcp_linux_is_used(t))
        tcp_linux_after_idle(t, now);
    else if (t->params->restart_after_idle && now - t->last_sent_ns > t->rto.rto_ns)
        t->cwnd_octets = min_u64(t->cwnd_octets, initial_octets);
}

uint64_t tcp_cwnd_limit_octets(const struct tcp *t)
{
    if (t->is_recovering || t->is_after_timeout || t->duplicates == 0)
        return t->cwnd_octets;
    if (!t->params->limited_transmit)
        return t->uses_sack
                   ? t->cwnd_octets - min_u64(t->cwnd_octets, t->nxt - t->una - t->board.in_flight_octets)
                   : t->cwnd_octets;
    if (t->uses_sack)
        return t->cwnd_octets; /* sacked octets are not in flight */
    uint32_t segments = t->duplicates < LIMITED_SEGMENTS ? t->duplicates : LIMITED_SEGMENTS;
    return t->cwnd_octets + (uint64_t)segments * t->mss_octets;
}
