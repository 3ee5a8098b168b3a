/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_ack.h"
#include "sim/tcp_ato.h"
#include "sim/tcp_recovery.h"
#include "sim/tcp_send.h"
#include "sim/tcp_state.h"

#include <assert.h>
#include <string.h>

#define ENDLESS_END (UINT64_MAX / 4)

void tcp_init(struct tcp *t, const struct tcp_config *config)
{
    assert(tcp_params_fault(config->params) == NULL);
    memset(t, 0, sizeof(*t));
    t->params = *config->params;
    t->address = config->address;
    t->events = config->events;
    t->output = config->output;
    t->iss = config->iss;
    t->mss_octets = t->params.mss_octets;
    t->stream_end = 1;
    t->rto_at_ns = t->persist_at_ns = t->ack_at_ns = t->end_at_ns = MOMENT_NEVER;
    tcp_rack_start(t);
    tcp_rto_init(&t->rto, &t->params);
    rtt_tcptrace_init(&t->rtt);
}

void tcp_fini(struct tcp *t)
{
    tcp_ranges_fini(&t->ranges);
    tcp_scoreboard_fini(&t->board);
    rtt_tcptrace_fini(&t->rtt);
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
        tcp_ack_timeout(t, now);
    if (now >= t->rack.at_ns)
        tcp_recovery_rack_expired(t, now);
    if (now >= t->persist_at_ns)
        tcp_send_against_window(t, now);
    if (now >= t->ack_at_ns) {
        t->ack_at_ns = MOMENT_NEVER;
        t->wants_ack = true;
        if (tcp_ato_is_used(t))
            tcp_ato_expired(t);
    }
    if (now >= t->end_at_ns)
        tcp_state_close(t, TCP_END_FIN, now);
    tcp_send_pending(t, now);
}

static int64_t next_timer_ns(const struct tcp *t)
{
    int64_t next_ns =
        moment_min(moment_min(t->rto_at_ns, t->persist_at_ns), moment_min(t->ack_at_ns, t->end_at_ns));
    return moment_min(next_ns, t->rack.at_ns);
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
