/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_ato.h"

#include "dataplane/base/moment.h"

#define MILLISECOND (MOMENT_SECOND / 1000)
#define LEAST_NS    (40 * MILLISECOND)
#define PUSH_NS     (200 * MILLISECOND)

enum { QUICK_MAX = 16, FIRST_SEGMENTS = 4, GROWTH_SEGMENTS = 2 };

bool tcp_ato_is_used(const struct tcp *t)
{
    return t->params.stack != TCP_STACK_RFC;
}

uint64_t tcp_ato_window_octets(const struct tcp *t)
{
    uint64_t octets = t->ato.window_octets + FIRST_SEGMENTS * (uint64_t)t->mss_octets;
    bool is_small = tcp_ato_is_used(t) && octets < t->params.receive_window_octets;
    return is_small ? octets : t->params.receive_window_octets;
}

static void add_quick(struct tcp *t)
{
    uint64_t segments = tcp_ato_window_octets(t) / 2 / t->mss_octets;
    uint32_t quick = segments == 0 ? 2 : segments < QUICK_MAX ? (uint32_t)segments : QUICK_MAX;
    t->ato.quick_acks = quick > t->ato.quick_acks ? quick : t->ato.quick_acks;
}

/* The window grows, and the ACK that says so is quick. */
static void grow_window(struct tcp *t)
{
    if (tcp_ato_window_octets(t) >= t->params.receive_window_octets)
        return;
    t->ato.window_octets += GROWTH_SEGMENTS * (uint64_t)t->mss_octets;
    t->ato.quick_acks |= 1;
}

static void follow(struct tcp *t, int64_t gap_ns)
{
    struct tcp_ato *a = &t->ato;
    if (gap_ns <= LEAST_NS / 2)
        a->ato_ns = a->ato_ns / 2 + LEAST_NS / 2;
    else if (gap_ns < a->ato_ns)
        a->ato_ns = moment_min(a->ato_ns / 2 + gap_ns, t->rto.rto_ns);
    else if (gap_ns > t->rto.rto_ns)
        add_quick(t);
}

void tcp_ato_data(struct tcp *t, bool is_in_order, int64_t now)
{
    if (!is_in_order || t->ato.ato_ns == 0) {
        add_quick(t);
        t->ato.ato_ns = LEAST_NS;
    } else {
        follow(t, now - t->ato.last_ns);
    }
    if (!is_in_order)
        return;
    t->ato.last_ns = now;
    grow_window(t);
}

static int64_t delay_ns(const struct tcp *t, bool has_push)
{
    int64_t most_ns = t->params.delayed_ack_timeout_ns;
    if (t->ato.ato_ns <= LEAST_NS)
        return moment_min(t->ato.ato_ns, most_ns);
    most_ns = has_push ? moment_min(most_ns, PUSH_NS) : most_ns;
    most_ns = t->rto.srtt_ns ? moment_min(most_ns, moment_max(t->rto.srtt_ns, LEAST_NS)) : most_ns;
    return moment_min(t->ato.ato_ns, most_ns);
}

void tcp_ato_owe(struct tcp *t, bool at_once, bool has_push, int64_t now)
{
    bool is_quick = t->ato.quick_acks > 0, is_second = t->rcv_next - t->last_ack_sent > t->mss_octets;
    int64_t ns = delay_ns(t, has_push);
    bool expires_soon = t->ack_at_ns != MOMENT_NEVER && t->ack_at_ns <= now + ns / 4;
    if (at_once || is_quick || is_second || expires_soon)
        t->wants_ack = true;
    else
        t->ack_at_ns = moment_min(t->ack_at_ns, now + ns);
}

void tcp_ato_expired(struct tcp *t)
{
    t->ato.ato_ns = moment_min(2 * t->ato.ato_ns, t->rto.rto_ns);
}

void tcp_ato_acked(struct tcp *t)
{
    if (t->ato.quick_acks > 0 && --t->ato.quick_acks == 0)
        t->ato.ato_ns = LEAST_NS;
}
