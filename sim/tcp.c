/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp.h"
#include "sim/tcp_cwnd.h"
#include "sim/tcp_send.h"
#include "sim/tcp_receive.h"
#include "sim/tcp_recovery.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_linux.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND (MOMENT_SECOND / 1000)

enum { RECEIVE_WINDOW_MAX_OCTETS = 1 << 30, CWND_MAX_SEGMENTS = 65535 };

struct tcp_params tcp_params_default(void)
{
    return (struct tcp_params){
        .mss_octets = 1460,
        .sack = true,
        .timestamps = true,
        .receive_window_octets = 65535,
        .delayed_ack_segments = 2,
        .delayed_ack_timeout_ns = 200 * MILLISECOND,
        .initial_cwnd_segments = 3,
        .limited_transmit = true,
        .restart_after_idle = true,
        .initial_rto_ns = MOMENT_SECOND,
        .min_rto_ns = MOMENT_SECOND,
        .max_rto_ns = 60 * MOMENT_SECOND,
        .time_wait_ns = 60 * MOMENT_SECOND,
        .max_syn_retries = 6,
        .max_retries = 15,
    };
}

const char *tcp_params_fault(const struct tcp_params *p)
{
    const struct {
        bool is_good;
        const char *what;
    } rows[] = {
        {p->mss_octets >= TCP_MSS_MIN_OCTETS && p->mss_octets <= TCP_MSS_MAX_OCTETS, "mss_octets"},
        {p->sack || p->stack == TCP_STACK_RFC, "stack"},
        {p->cc == TCP_CC_NEWRENO || p->stack == TCP_STACK_RFC, "cc"},
        {!p->has_hystart || p->stack == TCP_STACK_RFC, "has_hystart"},
        {!p->has_prr || (p->sack && p->stack == TCP_STACK_RFC), "has_prr"},
        {!p->has_rack || (p->sack && p->stack == TCP_STACK_RFC), "has_rack"},
        {p->receive_window_octets >= p->mss_octets && p->receive_window_octets <= RECEIVE_WINDOW_MAX_OCTETS,
         "receive_window_octets"},
        {p->delayed_ack_segments >= 1, "delayed_ack_segments"},
        {p->delayed_ack_timeout_ns >= 0, "delayed_ack_timeout_ns"},
        {p->initial_cwnd_segments >= 1 && p->initial_cwnd_segments <= CWND_MAX_SEGMENTS,
         "initial_cwnd_segments"},
        {p->initial_ssthresh_segments <= CWND_MAX_SEGMENTS, "initial_ssthresh_segments"},
        {p->max_cwnd_segments <= CWND_MAX_SEGMENTS, "max_cwnd_segments"},
        {p->initial_rto_ns > 0, "initial_rto_ns"},
        {p->min_rto_ns > 0, "min_rto_ns"},
        {p->max_rto_ns >= p->min_rto_ns && p->max_rto_ns >= p->initial_rto_ns, "max_rto_ns"},
        {p->time_wait_ns >= 0, "time_wait_ns"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!rows[i].is_good)
            return rows[i].what;
    return NULL;
}

uint8_t tcp_params_window_scale(const struct tcp_params *p)
{
    uint8_t scale = 0;
    while (p->receive_window_octets >> scale > UINT16_MAX)
        scale++;
    return scale;
}

#define ENDLESS_END (UINT64_MAX / 4)

static bool needs_more(const struct tcp_params *p)
{
    return p->stack != TCP_STACK_RFC || p->cc != TCP_CC_NEWRENO || p->has_hystart || p->has_prr ||
           p->has_rack;
}

/* Zeroed; NULL: none is needed. */
static struct tcp_more *more_of(const struct tcp_params *p)
{
    struct tcp_more *more = needs_more(p) ? calloc(1, sizeof(*more)) : NULL;
    if (needs_more(p) && !more) {
        fprintf(stderr, "gbflow: out of memory for TCP connections\n");
        exit(1);
    }
    return more;
}

void tcp_init(struct tcp *t, const struct tcp_config *config)
{
    assert(tcp_params_fault(config->params) == NULL);
    memset(t, 0, sizeof(*t));
    t->params = config->params;
    t->more = more_of(t->params);
    t->address = config->address;
    t->events = config->events;
    t->output = config->output;
    t->iss = config->iss;
    t->mss_octets = t->params->mss_octets;
    t->stream_end = 1;
    t->rto_at_ns = t->persist_at_ns = t->ack_at_ns = t->end_at_ns = MOMENT_NEVER;
    tcp_rack_start(t);
    tcp_rto_init(&t->rto, t->params);
    rtt_tcptrace_init(&t->rtt);
}

void tcp_fini(struct tcp *t)
{
    tcp_ranges_fini(&t->ranges);
    tcp_scoreboard_fini(&t->board);
    rtt_tcptrace_fini(&t->rtt);
    free(t->more);
    t->more = NULL;
}

void tcp_connect(struct tcp *t, int64_t now)
{
    assert(t->state == TCP_CLOSED && !t->has_ended);
    t->state = TCP_SYN_SENT;
    tcp_send_syn(t, now);
}

void tcp_accept(struct tcp *t, const struct ip_packet *syn, int64_t now)
{
    assert(t->state == TCP_CLOSED && !t->has_ended);
    t->state = TCP_SYN_RECEIVED;
    tcp_state_take_syn(t, syn);
    tcp_send_syn(t, now);
}

/* After a call of the application: sends what is allowed now, unless a callback is still running. */
static void flush(struct tcp *t, int64_t now)
{
    if (t->is_busy)
        return;
    tcp_send_pending(t, now);
    if (t->output.changed)
        t->output.changed(t->output.arg, now);
}

void tcp_write(struct tcp *t, uint64_t octets, int64_t now)
{
    if (t->wants_close || t->has_ended)
        return;
    uint64_t room = ENDLESS_END - t->stream_end;
    t->stream_end += octets < room ? octets : room;
    flush(t, now);
}

void tcp_close(struct tcp *t, int64_t now)
{
    if (t->wants_close || t->has_ended)
        return;
    t->wants_close = true;
    if (t->state == TCP_SYN_SENT)
        tcp_state_close(t, TCP_END_ABORT, now);
    flush(t, now);
}

void tcp_cut(struct tcp *t, int64_t now)
{
    bool has_sent_fin = t->nxt > t->stream_end;
    if (has_sent_fin || t->has_ended)
        return;
    t->stream_end = t->nxt;
    t->wants_close = false;
    tcp_close(t, now);
}

void tcp_abort(struct tcp *t, int64_t now)
{
    if (t->has_ended)
        return;
    if (t->state != TCP_SYN_SENT)
        tcp_send_reset(t, now);
    tcp_state_close(t, TCP_END_ABORT, now);
    flush(t, now);
}

static void run_timers(struct tcp *t, int64_t now)
{
    if (now >= t->rto_at_ns)
        tcp_recovery_expired(t, now);
    if (now >= t->rack_at_ns)
        tcp_recovery_rack_expired(t, now);
    if (now >= t->persist_at_ns)
        tcp_send_against_window(t, now);
    if (now >= t->ack_at_ns) {
        t->ack_at_ns = MOMENT_NEVER;
        t->wants_ack = true;
        if (tcp_receive_ato_is_used(t))
            tcp_receive_ato_expired(t);
    }
    if (now >= t->end_at_ns)
        tcp_state_close(t, TCP_END_FIN, now);
    tcp_send_pending(t, now);
}

static int64_t next_timer_ns(const struct tcp *t)
{
    int64_t next_ns =
        moment_min(moment_min(t->rto_at_ns, t->persist_at_ns), moment_min(t->ack_at_ns, t->end_at_ns));
    return moment_min(next_ns, t->rack_at_ns);
}

int64_t tcp_step(struct tcp *t, int64_t now)
{
    int64_t next_ns = next_timer_ns(t);
    if (next_ns > now)
        return next_ns;
    t->is_busy = true;
    run_timers(t, now);
    t->is_busy = false;
    return next_timer_ns(t);
}

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
    mss_octets = mss_octets < t->params->mss_octets ? mss_octets : t->params->mss_octets;
    mss_octets = mss_octets > LEAST_MSS_OCTETS ? mss_octets : LEAST_MSS_OCTETS;
    t->uses_sack = t->params->sack && syn->sack_permitted;
    t->uses_timestamps = t->params->timestamps && syn->has_timestamps;
    t->mss_octets = mss_octets - (t->uses_timestamps ? TIMESTAMPS_OCTETS : 0);
    bool scales = t->params->window_scale && syn->has_window_scale;
    t->send_shift = scales ? syn->window_scale : 0;
    t->receive_shift = scales ? tcp_params_window_scale(t->params) : 0;
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
    t->end_at_ns = moment_add(now, t->params->time_wait_ns);
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
