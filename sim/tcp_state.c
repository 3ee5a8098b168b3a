/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_state.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_ecn.h"
#include "sim/tcp_linux.h"
#include "sim/tcp_recovery.h"

#define RTO_AFTER_LOST_SYN_NS (3 * MOMENT_SECOND) /* RFC 6298 (5.7) */

enum {
    DEFAULT_MSS_OCTETS = 536, /* RFC 9293 3.7.1 */
    LEAST_MSS_OCTETS = 64,    /* lower bound for the peer's MSS: options must leave room for data */
    TIMESTAMPS_OCTETS = 12,
};

void tcp_state_take_syn(struct tcp *t, const struct ip_packet *packet)
{
    const struct tcp_header *syn = &packet->tcp;
    uint32_t mss_octets = syn->has_mss ? syn->mss : DEFAULT_MSS_OCTETS;
    mss_octets = mss_octets < t->params.mss_octets ? mss_octets : t->params.mss_octets;
    mss_octets = mss_octets > LEAST_MSS_OCTETS ? mss_octets : LEAST_MSS_OCTETS;
    t->uses_sack = t->params.sack && syn->sack_permitted;
    t->uses_timestamps = t->params.timestamps && syn->has_timestamps;
    t->mss_octets = mss_octets - (t->uses_timestamps ? TIMESTAMPS_OCTETS : 0);
    bool scales = t->params.window_scale && syn->has_window_scale;
    t->send_shift = scales ? syn->window_scale : 0;
    t->receive_shift = scales ? tcp_params_window_scale(&t->params) : 0;
    tcp_ecn_take_syn(t, syn);
    t->irs = syn->seq;
    t->rcv_next = 1;
    t->ts_recent = syn->ts_value;
    t->window_octets = t->max_window_octets = syn->window; /* never scaled in a SYN */
    t->window_seq = 0;
    t->window_ack = syn->flags & TCP_ACK ? 1 : 0;
}

void tcp_state_establish(struct tcp *t, int64_t now)
{
    bool is_syn_repeated = t->is_syn_repeated;
    t->state = TCP_ESTABLISHED;
    if (is_syn_repeated && t->rto.srtt_ns == 0) {
        t->rto.rto_ns = moment_min(moment_max(RTO_AFTER_LOST_SYN_NS, t->rto.min_ns), t->rto.max_ns);
        t->rto.is_backed_off = false;
    }
    tcp_recovery_start(t, is_syn_repeated);
    tcp_linux_start(t);
    if (t->events.on_established)
        t->events.on_established(t->events.arg, t, now);
}

void tcp_state_close(struct tcp *t, enum tcp_end end, int64_t now)
{
    t->state = TCP_CLOSED;
    t->rto_at_ns = t->persist_at_ns = t->ack_at_ns = t->end_at_ns = MOMENT_NEVER;
    if (t->has_ended)
        return;
    t->has_ended = true;
    if (t->events.on_closed)
        t->events.on_closed(t->events.arg, t, end, now);
}

void tcp_state_time_wait(struct tcp *t, int64_t now)
{
    t->state = TCP_TIME_WAIT;
    t->rto_at_ns = t->persist_at_ns = MOMENT_NEVER;
    t->end_at_ns = moment_add(now, t->params.time_wait_ns);
    if (t->has_ended)
        return;
    t->has_ended = true;
    if (t->events.on_closed)
        t->events.on_closed(t->events.arg, t, TCP_END_FIN, now);
}

void tcp_state_fin_acked(struct tcp *t, int64_t now)
{
    if (t->state == TCP_FIN_WAIT_1)
        t->state = TCP_FIN_WAIT_2;
    else if (t->state == TCP_CLOSING)
        tcp_state_time_wait(t, now);
    else if (t->state == TCP_LAST_ACK)
        tcp_state_close(t, TCP_END_FIN, now);
}

void tcp_state_peer_fin(struct tcp *t, int64_t now)
{
    if (t->state == TCP_ESTABLISHED)
        t->state = TCP_CLOSE_WAIT;
    else if (t->state == TCP_FIN_WAIT_1)
        t->state = TCP_CLOSING;
    if (t->events.on_peer_closed)
        t->events.on_peer_closed(t->events.arg, t, now);
    if (t->state == TCP_FIN_WAIT_2)
        tcp_state_time_wait(t, now);
}
