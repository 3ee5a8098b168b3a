/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_cwnd.h"
#include "sim/tcp_send.h"
#include "sim/tcp_receive.h"
#include "sim/tcp_recovery.h"

#include "dataplane/base/moment.h"
#include "sim/payload.h"
#include "sim/tcp.h"

#define MILLISECOND (MOMENT_SECOND / 1000)
#define LEAST_NS    (40 * MILLISECOND)
#define PUSH_NS     (200 * MILLISECOND)

enum { QUICK_MAX = 16, FIRST_SEGMENTS = 4, GROWTH_SEGMENTS = 2 };

bool tcp_receive_ato_is_used(const struct tcp *t)
{
    return t->params->stack != TCP_STACK_RFC;
}

uint64_t tcp_receive_ato_window_octets(const struct tcp *t)
{
    uint64_t most_octets = t->params->receive_window_octets;
    if (!tcp_receive_ato_is_used(t))
        return most_octets;
    uint64_t octets = t->more->ato.window_octets + FIRST_SEGMENTS * (uint64_t)t->mss_octets;
    return octets < most_octets ? octets : most_octets;
}

static void add_quick(struct tcp *t)
{
    uint64_t segments = tcp_receive_ato_window_octets(t) / 2 / t->mss_octets;
    uint32_t quick = segments == 0 ? 2 : segments < QUICK_MAX ? (uint32_t)segments : QUICK_MAX;
    t->more->ato.quick_acks = quick > t->more->ato.quick_acks ? quick : t->more->ato.quick_acks;
}

/* The window grows, and the ACK that says so is quick. */
static void grow_window(struct tcp *t)
{
    if (tcp_receive_ato_window_octets(t) >= t->params->receive_window_octets)
        return;
    t->more->ato.window_octets += GROWTH_SEGMENTS * (uint64_t)t->mss_octets;
    t->more->ato.quick_acks |= 1;
}

static void follow(struct tcp *t, int64_t gap_ns)
{
    struct tcp_ato *a = &t->more->ato;
    if (gap_ns <= LEAST_NS / 2)
        a->ato_ns = a->ato_ns / 2 + LEAST_NS / 2;
    else if (gap_ns < a->ato_ns)
        a->ato_ns = moment_min(a->ato_ns / 2 + gap_ns, t->rto.rto_ns);
    else if (gap_ns > t->rto.rto_ns)
        add_quick(t);
}

/* A data segment has arrived: in sequence, or with a gap before it. */
static void tcp_ato_data(struct tcp *t, bool is_in_order, int64_t now)
{
    if (!is_in_order || t->more->ato.ato_ns == 0) {
        add_quick(t);
        t->more->ato.ato_ns = LEAST_NS;
    } else {
        follow(t, now - t->more->ato.last_ns);
    }
    if (!is_in_order)
        return;
    t->more->ato.last_ns = now;
    grow_window(t);
}

static int64_t delay_ns(const struct tcp *t, bool has_push)
{
    int64_t most_ns = t->params->delayed_ack_timeout_ns;
    if (t->more->ato.ato_ns <= LEAST_NS)
        return moment_min(t->more->ato.ato_ns, most_ns);
    most_ns = has_push ? moment_min(most_ns, PUSH_NS) : most_ns;
    most_ns = t->rto.srtt_ns ? moment_min(most_ns, moment_max(t->rto.srtt_ns, LEAST_NS)) : most_ns;
    return moment_min(t->more->ato.ato_ns, most_ns);
}

/* Decides for the segment: owes an ACK at once or later. fills_gap: data was missing until now. */
static void tcp_ato_owe(struct tcp *t, bool at_once, bool has_push, int64_t now)
{
    bool is_quick = t->more->ato.quick_acks > 0, is_second = t->rcv_next - t->last_ack_sent > t->mss_octets;
    int64_t ns = delay_ns(t, has_push);
    bool expires_soon = t->ack_at_ns != MOMENT_NEVER && t->ack_at_ns <= now + ns / 4;
    if (at_once || is_quick || is_second || expires_soon)
        t->wants_ack = true;
    else
        t->ack_at_ns = moment_min(t->ack_at_ns, now + ns);
}

void tcp_receive_ato_expired(struct tcp *t)
{
    t->more->ato.ato_ns = moment_min(2 * t->more->ato.ato_ns, t->rto.rto_ns);
}

void tcp_receive_ato_acked(struct tcp *t)
{
    if (t->more->ato.quick_acks > 0 && --t->more->ato.quick_acks == 0)
        t->more->ato.ato_ns = LEAST_NS;
}

/* A segment as positions in the peer's stream; end is after payload and FIN. */
struct arrival {
    const struct ip_packet *packet;
    int64_t start, end;
};

static struct arrival place_arrival(const struct tcp *t, const struct ip_packet *packet)
{
    int32_t distance = (int32_t)(packet->tcp.seq - (t->irs + (uint32_t)t->rcv_next));
    int64_t start = (int64_t)t->rcv_next + distance;
    bool has_syn = packet->tcp.flags & TCP_SYN, has_fin = packet->tcp.flags & TCP_FIN;
    return (struct arrival){packet, start, start + packet->payload_octets + has_syn + has_fin};
}

static bool is_acceptable(const struct tcp *t, const struct arrival *a)
{
    if (a->start < 0) /* before the SYN */
        return false;
    if (a->start > (int64_t)t->rcv_edge && a->start != (int64_t)t->rcv_next)
        return false;
    /* ACKs of a peer that has filled the window are at its right edge. */
    if (a->end == a->start)
        return a->start >= (int64_t)t->rcv_next;
    return a->end > (int64_t)t->rcv_next &&
           (a->start < (int64_t)t->rcv_edge || a->start == (int64_t)t->rcv_next);
}

/* RFC 7323 section 5: protection against wrapped and old segments, then the value to echo. False: drop it. */
static bool take_timestamp(struct tcp *t, const struct arrival *a)
{
    const struct tcp_header *header = &a->packet->tcp;
    if (!t->uses_timestamps || header->flags & TCP_RST)
        return true;
    if (!header->has_timestamps || (int32_t)(header->ts_value - t->ts_recent) < 0) {
        t->stats.paws_drops++;
        t->wants_ack |= header->has_timestamps;
        return false;
    }
    if (a->start <= (int64_t)t->last_ack_sent && is_acceptable(t, a))
        t->ts_recent = header->ts_value;
    return true;
}

/* Data that has arrived before: acknowledged at once; Linux reports it (D-SACK, RFC 2883). */
static void take_again(struct tcp *t, uint64_t start, uint64_t end, int64_t now)
{
    t->wants_ack = true;
    t->stats.octets_repeated += end - start;
    if (!tcp_receive_ato_is_used(t))
        return;
    tcp_ato_data(t, false, now);
    if (t->uses_sack)
        t->duplicate = (struct tcp_range){start, end};
}

static void deliver(struct tcp *t, uint64_t octets, int64_t now)
{
    if (t->is_held) {
        t->held_octets += octets;
        return;
    }
    t->stats.octets_received += octets;
    if (t->events.on_receive)
        t->events.on_receive(t->events.arg, t, octets, now);
}

static void owe_ack(struct tcp *t, bool at_once, bool has_push, int64_t now)
{
    if (tcp_receive_ato_is_used(t)) {
        tcp_ato_owe(t, at_once, has_push, now);
        return;
    }
    t->unacked_segments++;
    if (at_once || t->unacked_segments >= t->params->delayed_ack_segments)
        t->wants_ack = true;
    else if (t->ack_at_ns == MOMENT_NEVER)
        t->ack_at_ns = moment_add(now, t->params->delayed_ack_timeout_ns);
}

/* Octets of the stream that are here, in order or beyond a hole. */
static uint64_t octets_here(const struct tcp *t)
{
    return t->rcv_next + tcp_ranges_octets(&t->ranges);
}

/* Takes octets start .. end - 1 of the stream, in the window and at least one of them beyond rcv_next. */
static void take_data(struct tcp *t, uint64_t start, uint64_t end, bool has_push, int64_t now)
{
    if (tcp_receive_ato_is_used(t))
        tcp_ato_data(t, start <= t->rcv_next, now);
    uint64_t before = t->rcv_next, here = octets_here(t);
    if (start > t->rcv_next) {
        if (tcp_ranges_put(&t->ranges, start, end))
            t->stats.octets_repeated += end - start - (octets_here(t) - here);
        else
            t->stats.ranges_full++;
        owe_ack(t, true, has_push, now);
        return;
    }
    bool fills_gap = t->ranges.count > 0;
    t->rcv_next = tcp_ranges_take(&t->ranges, end);
    t->stats.octets_repeated += end - start - (octets_here(t) - here);
    owe_ack(t, tcp_receive_ato_is_used(t) ? t->ranges.count > 0 : fills_gap, has_push, now);
    deliver(t, t->rcv_next - before, now);
}

static void take_payload(struct tcp *t, const struct arrival *a, int64_t now)
{
    const struct ip_packet *packet = a->packet;
    uint64_t end = (uint64_t)a->start + packet->payload_octets, start = (uint64_t)a->start;
    t->stats.octets_corrupt += payload_mismatches(
        packet->payload, packet->payload_octets,
        payload_key(packet->tcp.src_port, packet->tcp.dst_port, t->params->has_text), start);
    bool has_fin = packet->tcp.flags & TCP_FIN, is_last = end >= tcp_ranges_end(&t->ranges);
    if (has_fin && is_last && t->fin_at == 0 && end < t->rcv_edge + 1)
        t->fin_at = end;
    /* The position of the first FIN is fixed; octets after it are cut. */
    uint64_t most = t->fin_at ? t->fin_at : t->rcv_edge;
    end = end > most ? most : end;
    if (packet->payload_octets > 0 && end > t->rcv_next && end > start)
        take_data(t, start, end, packet->tcp.flags & TCP_PSH, now);
    else if (packet->payload_octets > 0)
        take_again(t, start, end, now);
}

static void take_fin(struct tcp *t, int64_t now)
{
    if (t->state == TCP_CLOSED || t->fin_at == 0)
        return;
    t->wants_ack = true;
    if (t->rcv_next != t->fin_at)
        return;
    t->rcv_next++;
    tcp_state_peer_fin(t, now);
}

static bool can_take_data(const struct tcp *t)
{
    return t->state == TCP_ESTABLISHED || t->state == TCP_FIN_WAIT_1 || t->state == TCP_FIN_WAIT_2;
}

/* A segment outside the window: answered with an ACK. */
static void tcp_receive_refuse(struct tcp *t, const struct arrival *a, int64_t now)
{
    t->stats.outside_window++;
    if (a->packet->tcp.flags & TCP_RST)
        return;
    if (t->state == TCP_SYN_RECEIVED && a->packet->tcp.flags & TCP_SYN && a->start == 0) {
        t->is_syn_repeated = true;
        tcp_send_first_again(t, now); /* the SYN-ACK was lost */
        return;
    }
    if (t->state == TCP_TIME_WAIT && a->packet->tcp.flags & TCP_FIN)
        tcp_state_time_wait(t, now);
    t->wants_ack = true;
    if (a->packet->payload_octets > 0 && a->start > 0 && a->end <= (int64_t)t->rcv_next)
        take_again(t, (uint64_t)a->start, (uint64_t)a->start + a->packet->payload_octets, now);
}

/* The SYN-ACK is answered. False: the acknowledgement number is wrong; RST was sent. */
static bool take_handshake(struct tcp *t, const struct ip_packet *packet, int64_t now)
{
    if (tcp_recovery_place(t, packet->tcp.ack) == 0 || !tcp_recovery_take(t, packet, t->rcv_next, now)) {
        struct ip_packet reset;
        if (tcp_make_reset(&reset, packet))
            t->output.emit(t->output.arg, &reset, now);
        return false;
    }
    tcp_state_establish(t, now);
    return true;
}

static void rx_synchronized(struct tcp *t, const struct ip_packet *packet, int64_t now)
{
    struct arrival a = place_arrival(t, packet);
    uint8_t flags = packet->tcp.flags;
    if (!take_timestamp(t, &a))
        return;
    if (!is_acceptable(t, &a)) {
        tcp_receive_refuse(t, &a, now);
        return;
    }
    if (flags & TCP_RST) {
        /* RFC 5961 3.2: only the exact number closes the connection. */
        if (a.start == (int64_t)t->rcv_next)
            tcp_state_close(t, TCP_END_RESET, now);
        else
            t->wants_ack = true;
        return;
    }
    if (flags & TCP_SYN) {
        t->wants_ack = true;
        return;
    }
    if (!(flags & TCP_ACK))
        return;
    if (t->state == TCP_SYN_RECEIVED && !take_handshake(t, packet, now))
        return;
    if (t->state != TCP_CLOSED && !tcp_recovery_take(t, packet, (uint64_t)a.start, now)) {
        t->wants_ack = true;
        return;
    }
    if (can_take_data(t)) {
        tcp_ecn_take_data(t, packet);
        take_payload(t, &a, now);
    }
    if (can_take_data(t))
        take_fin(t, now);
}

/* The answer to the SYN, or a simultaneous SYN of the peer. */
static void rx_syn_sent(struct tcp *t, const struct ip_packet *packet, int64_t now)
{
    uint8_t flags = packet->tcp.flags;
    bool has_ack = flags & TCP_ACK;
    if (has_ack && packet->tcp.ack != t->iss + 1) {
        struct ip_packet reset;
        if (tcp_make_reset(&reset, packet))
            t->output.emit(t->output.arg, &reset, now);
        return;
    }
    if (flags & TCP_RST) {
        if (has_ack)
            tcp_state_close(t, TCP_END_RESET, now);
        return;
    }
    if (!(flags & TCP_SYN))
        return;
    tcp_state_take_syn(t, packet);
    if (!has_ack) {
        t->state = TCP_SYN_RECEIVED;
        tcp_send_first_again(t, now);
        return;
    }
    tcp_recovery_take(t, packet, 0, now);
    t->wants_ack = true;
    tcp_state_establish(t, now);
}

void tcp_rx(struct tcp *t, const struct ip_packet *packet, int64_t now)
{
    if (t->state == TCP_CLOSED)
        return;
    t->is_busy = true;
    t->stats.segments_received++;
    if (t->state == TCP_SYN_SENT)
        rx_syn_sent(t, packet, now);
    else
        rx_synchronized(t, packet, now);
    tcp_send_pending(t, now);
    t->is_busy = false;
}

void tcp_hold(struct tcp *t, bool is_held, int64_t now)
{
    bool was_busy = t->is_busy;
    t->is_held = is_held;
    if (is_held || t->held_octets == 0)
        return;
    uint64_t octets = t->held_octets, edge = t->rcv_next + t->params->receive_window_octets;
    uint64_t step = t->params->receive_window_octets / 2;
    step = step < 2 * (uint64_t)t->mss_octets ? step : 2 * (uint64_t)t->mss_octets;
    t->held_octets = 0;
    t->is_busy = true;
    t->wants_ack |= edge >= t->rcv_edge + step;
    deliver(t, octets, now);
    t->is_busy = was_busy;
    if (was_busy)
        return;
    tcp_send_pending(t, now);
    if (t->output.changed)
        t->output.changed(t->output.arg, now);
}

bool tcp_make_reset(struct ip_packet *out, const struct ip_packet *in)
{
    if (in->tcp.flags & TCP_RST)
        return false;
    *out = (struct ip_packet){
        .ip = {.src = in->ip.dst, .dst = in->ip.src, .proto = IPV4_PROTO_TCP, .dont_fragment = true},
        .tcp = {.src_port = in->tcp.dst_port, .dst_port = in->tcp.src_port, .flags = TCP_RST},
    };
    if (in->tcp.flags & TCP_ACK) {
        out->tcp.seq = in->tcp.ack;
        return true;
    }
    bool has_syn = in->tcp.flags & TCP_SYN, has_fin = in->tcp.flags & TCP_FIN;
    out->tcp.flags |= TCP_ACK;
    out->tcp.ack = in->tcp.seq + in->payload_octets + has_syn + has_fin;
    return true;
}
