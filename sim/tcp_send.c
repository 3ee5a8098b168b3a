/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_cwnd.h"
#include "sim/tcp_send.h"
#include "sim/tcp_receive.h"
#include "sim/tcp.h"

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/moment.h"
#include "sim/payload.h"
#include "sim/tcp_linux.h"

#include <stdint.h>

enum { MAX_WIRE_WINDOW = 65535, SACK_HEAD_OCTETS = 4, SACK_BLOCK_OCTETS = 8 };

uint32_t tcp_send_timestamp(int64_t now)
{
    return (uint32_t)(now / (MOMENT_SECOND / 1000)) + 1; /* 0 would look like no echo */
}

/* Moves the right edge of the receive window, never back, and not by small steps (RFC 9293 3.8.6.2.2). */
static uint16_t window_to_tell(struct tcp *t, unsigned shift)
{
    uint64_t most_octets = tcp_receive_ato_window_octets(t);
    uint64_t free_octets = most_octets > t->held_octets ? most_octets - t->held_octets : 0;
    uint64_t edge = t->rcv_next + free_octets, step = t->params->receive_window_octets / 2;
    step = step < t->mss_octets ? step : t->mss_octets;
    if (edge < t->rcv_edge + step && t->rcv_edge >= t->rcv_next && t->held_octets > 0)
        edge = t->rcv_edge;
    uint64_t told = (edge > t->rcv_next ? edge - t->rcv_next : 0) >> shift;
    told = told > MAX_WIRE_WINDOW ? MAX_WIRE_WINDOW : told;
    edge = t->rcv_next + (told << shift);
    t->rcv_edge = edge > t->rcv_edge ? edge : t->rcv_edge;
    return (uint16_t)told;
}

static void put_sack(const struct tcp *t, struct tcp_header *header, const struct tcp_range *range)
{
    header->sack[header->sacks++] = (struct tcp_header_sack){
        .start = t->irs + (uint32_t)range->start,
        .end = t->irs + (uint32_t)range->end,
    };
}

static void add_sacks(struct tcp *t, struct tcp_header *header, uint32_t payload_octets)
{
    uint32_t room = t->mss_octets - payload_octets; /* mss_octets leaves out the timestamps */
    uint32_t max = header->has_timestamps ? TCP_HEADER_MAX_SACKS - 1 : TCP_HEADER_MAX_SACKS;
    if (payload_octets > 0 && room < SACK_HEAD_OCTETS)
        return;
    uint32_t fitting = payload_octets ? (room - SACK_HEAD_OCTETS) / SACK_BLOCK_OCTETS : max;
    max = max < fitting ? max : fitting;
    if (t->duplicate.end && max > 0)
        put_sack(t, header, &t->duplicate);
    t->duplicate.end = 0;
    for (uint32_t i = 0; i < t->ranges.count && header->sacks < max; i++)
        put_sack(t, header, &t->ranges.range[i]);
}

static void add_options(struct tcp *t, struct tcp_header *header, uint32_t payload_octets, int64_t now)
{
    bool is_syn = header->flags & TCP_SYN, is_first = t->state == TCP_SYN_SENT;
    header->has_timestamps = is_syn && is_first ? t->params->timestamps : t->uses_timestamps;
    if (header->has_timestamps) {
        header->ts_value = tcp_send_timestamp(now);
        header->ts_echo = header->flags & TCP_ACK ? t->ts_recent : 0;
    }
    if (!is_syn) {
        if (t->uses_sack)
            add_sacks(t, header, payload_octets);
        return;
    }
    header->has_mss = true;
    header->mss = (uint16_t)t->params->mss_octets;
    header->sack_permitted = is_first ? t->params->sack : t->uses_sack;
    header->has_window_scale = is_first ? t->params->window_scale : t->receive_shift || t->send_shift;
    header->window_scale = tcp_params_window_scale(t->params);
}

static void add_ecn(struct tcp *t, struct ip_packet *packet, bool is_new)
{
    bool has_new_data = is_new && packet->payload_octets > 0;
    packet->tcp.flags |= tcp_ecn_flags(t, has_new_data);
    if (t->uses_ecn && has_new_data)
        packet->ip.tos = AQM_ECN_ECT0;
}

/* Emits one segment from `place` with payload_octets of pattern; is_new: its data is sent for the first time.
 */
static void emit(struct tcp *t, uint64_t place, uint32_t payload_octets, uint8_t flags, bool is_new,
                 int64_t now)
{
    uint8_t payload[TCP_MSS_MAX_OCTETS];
    struct ip_packet packet = {
        .ip = {.src = t->address.local,
               .dst = t->address.remote,
               .proto = IPV4_PROTO_TCP,
               .dont_fragment = true},
        .tcp = {.src_port = t->address.local_port, .dst_port = t->address.remote_port, .flags = flags},
        .payload = payload,
        .payload_octets = (uint16_t)payload_octets,
    };
    packet.tcp.seq = t->iss + (uint32_t)place;
    if (flags & TCP_ACK)
        packet.tcp.ack = t->irs + (uint32_t)t->rcv_next;
    packet.tcp.window = window_to_tell(t, flags & TCP_SYN ? 0 : t->receive_shift);
    if (!(flags & TCP_RST))
        add_options(t, &packet.tcp, payload_octets, now);
    payload_fill(payload, payload_octets,
                 payload_key(t->address.local_port, t->address.remote_port, t->params->has_text), place);
    if (flags & TCP_ACK) {
        t->wants_ack = false;
        t->ack_at_ns = MOMENT_NEVER;
        t->unacked_segments = 0;
        t->last_ack_sent = t->rcv_next;
        if (tcp_receive_ato_is_used(t))
            tcp_receive_ato_acked(t);
    }
    if (!(flags & (TCP_SYN | TCP_RST)))
        add_ecn(t, &packet, is_new);
    t->stats.segments_sent++;
    t->output.emit(t->output.arg, &packet, now);
}

static void tcp_send_ack(struct tcp *t, int64_t now)
{
    emit(t, t->nxt, 0, TCP_ACK, false, now);
}

void tcp_send_reset(struct tcp *t, int64_t now)
{
    emit(t, t->nxt, 0, t->state == TCP_SYN_SENT ? TCP_RST : TCP_RST | TCP_ACK, false, now);
}

/* Emits a segment of the board, for the first time or again. */
static void emit_segment(struct tcp *t, const struct tcp_segment *segment, int64_t now)
{
    bool has_syn = segment->start == 0, is_again = segment->times > 1;
    uint32_t payload_octets = (uint32_t)(segment->end - segment->start) - has_syn - segment->has_fin;
    uint8_t flags = (has_syn ? TCP_SYN | tcp_ecn_syn_flags(t) : 0) | (segment->has_fin ? TCP_FIN : 0);
    flags |= t->state == TCP_SYN_SENT ? 0 : TCP_ACK;
    if (payload_octets && segment->end >= t->stream_end)
        flags |= TCP_PSH;
    t->stats.octets_sent += payload_octets;
    t->stats.octets_retransmitted += is_again ? payload_octets : 0;
    t->last_sent_ns = now;
    if (t->rto_at_ns == MOMENT_NEVER)
        t->rto_at_ns = now + t->rto.rto_ns;
    rtt_tcptrace_sent(&t->rtt, segment->start, segment->end, now);
    if (t->observer.on_sent && payload_octets)
        t->observer.on_sent(t->observer.arg, now, segment->end - segment->has_fin - 1, is_again);
    emit(t, segment->start, payload_octets, flags, !is_again, now);
}

/* RFC 6675 section 6: any repetition of a recovery, which may last longer than the RTO without a new
 * acknowledgement. Linux 2.4: that of the first segment. */
static bool restarts_timer(const struct tcp *t, const struct tcp_segment *segment)
{
    if (tcp_linux_is_used(t))
        return segment->start == t->una;
    return t->is_recovering && (t->uses_sack || !t->has_partial_ack);
}

static void send_again(struct tcp *t, struct tcp_segment *segment, int64_t now)
{
    tcp_scoreboard_repeat(&t->board, segment, now);
    t->timed_end = 0; /* Karn */
    if (restarts_timer(t, segment))
        t->rto_at_ns = now + t->rto.rto_ns;
    if (tcp_linux_is_used(t))
        tcp_linux_repeated(t, now);
    if (t->more)
        tcp_prr_sent(&t->more->prr, segment->end - segment->start);
    emit_segment(t, segment, now);
}

void tcp_send_first_again(struct tcp *t, int64_t now)
{
    if (t->board.count > 0)
        send_again(t, tcp_scoreboard_get(&t->board, 0), now);
}

void tcp_send_lost_again(struct tcp *t, int64_t now)
{
    struct tcp_segment *segment = tcp_scoreboard_next_lost(&t->board);
    if (segment)
        send_again(t, segment, now);
}

static void send_new(struct tcp *t, uint32_t payload_octets, bool has_fin, int64_t now)
{
    struct tcp_segment segment = {
        .start = t->nxt,
        .end = t->nxt + payload_octets + has_fin,
        .sent_ns = now,
        .times = 1,
        .has_fin = has_fin,
    };
    tcp_scoreboard_put(&t->board, &segment);
    if (t->more)
        tcp_prr_sent(&t->more->prr, payload_octets);
    t->nxt = segment.end;
    t->persist_at_ns = MOMENT_NEVER;
    if (t->timed_end == 0) {
        t->timed_end = segment.end;
        t->timed_ns = now;
    }
    if (t->duplicates > 0 && !t->is_recovering)
        t->limited_octets += payload_octets;
    if (has_fin)
        t->state = t->state == TCP_CLOSE_WAIT ? TCP_LAST_ACK : TCP_FIN_WAIT_1;
    emit_segment(t, &segment, now);
}

void tcp_send_syn(struct tcp *t, int64_t now)
{
    struct tcp_segment segment = {.start = 0, .end = 1, .sent_ns = now, .times = 1};
    tcp_scoreboard_put(&t->board, &segment);
    t->nxt = 1;
    t->timed_end = 1;
    t->timed_ns = now;
    emit_segment(t, &segment, now);
}

static bool can_send_data(const struct tcp *t)
{
    return t->state == TCP_ESTABLISHED || t->state == TCP_CLOSE_WAIT;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Octets left in the peer's window. */
static uint64_t window_room(const struct tcp *t)
{
    uint64_t edge = t->una + t->window_octets;
    return edge > t->nxt ? edge - t->nxt : 0;
}

/* True if a segment below the MSS has to wait (RFC 9293 3.8.6.2.1, Nagle). */
static bool is_sliver(const struct tcp *t, uint64_t octets, uint64_t waiting_octets)
{
    if (octets == t->mss_octets)
        return false;
    if (octets < waiting_octets)
        return octets < t->max_window_octets / 2;
    return t->params->nagle && t->nxt > t->una && !t->wants_close;
}

static void wait_for_window(struct tcp *t, int64_t now)
{
    if (t->board.count > 0 || t->persist_at_ns != MOMENT_NEVER)
        return;
    t->persist_ns = t->rto.rto_ns;
    t->persist_at_ns = now + t->persist_ns;
}

bool tcp_send_may_send_new(const struct tcp *t)
{
    uint64_t waiting_octets = t->stream_end - t->nxt;
    uint64_t octets = min_u64(min_u64(waiting_octets, t->mss_octets), window_room(t));
    return can_send_data(t) && octets > 0 && t->board.in_flight_octets + octets <= t->cwnd_octets;
}

/* Sends the next new segment if there is data and the windows allow it. */
static bool send_next_new(struct tcp *t, int64_t now)
{
    if (!can_send_data(t) || tcp_scoreboard_is_full(&t->board))
        return false;
    uint64_t waiting_octets = t->stream_end - t->nxt;
    uint64_t octets = min_u64(min_u64(waiting_octets, t->mss_octets), window_room(t));
    bool has_fin = t->wants_close && octets == waiting_octets;
    if (octets == 0 && !has_fin) {
        if (waiting_octets > 0)
            wait_for_window(t, now);
        return false;
    }
    if (octets > 0 && is_sliver(t, octets, waiting_octets)) {
        wait_for_window(t, now);
        return false;
    }
    if (t->board.count == 0)
        tcp_cwnd_after_idle(t, now);
    if (t->board.in_flight_octets + octets > tcp_cwnd_limit_octets(t))
        return false;
    send_new(t, (uint32_t)octets, has_fin, now);
    return true;
}

bool tcp_send_probe(struct tcp *t, int64_t now)
{
    uint64_t octets = min_u64(min_u64(t->stream_end - t->nxt, t->mss_octets), window_room(t));
    if (can_send_data(t) && octets > 0 && !tcp_scoreboard_is_full(&t->board)) {
        send_new(t, (uint32_t)octets, t->wants_close && octets == t->stream_end - t->nxt, now);
        return true;
    }
    if (t->board.count > 0)
        send_again(t, tcp_scoreboard_get(&t->board, t->board.count - 1), now);
    return false;
}

/* RFC 6675 NextSeg(), in this order: a lost segment, new data, a hole, one rescue segment. */
static bool send_next(struct tcp *t, int64_t now)
{
    struct tcp_segment *segment = tcp_scoreboard_next_lost(&t->board);
    uint64_t limit_octets = tcp_cwnd_limit_octets(t);
    if (!segment) {
        if (send_next_new(t, now))
            return true;
        if (!t->is_recovering || !t->uses_sack || tcp_rack_is_used(t))
            return false;
        segment = tcp_scoreboard_next_hole(&t->board);
    }
    if (!segment && !t->has_rescued && t->nxt >= t->stream_end && !tcp_linux_is_used(t))
        segment = tcp_scoreboard_last_untouched(&t->board);
    if (!segment || t->board.in_flight_octets + (segment->end - segment->start) > limit_octets)
        return false;
    t->has_rescued |= !segment->is_lost && segment->start >= t->board.sacked_end;
    send_again(t, segment, now);
    return true;
}

/* The probe's time begins with the last segment. */
static void send_all(struct tcp *t, int64_t now)
{
    uint64_t before = t->nxt;
    while (send_next(t, now))
        ;
    if (t->nxt != before)
        tcp_rack_arm(t, now);
}

void tcp_send_pending(struct tcp *t, int64_t now)
{
    if (t->state != TCP_CLOSED && t->state != TCP_SYN_SENT && t->state != TCP_SYN_RECEIVED)
        send_all(t, now);
    if (t->wants_ack && t->state != TCP_CLOSED && t->state != TCP_SYN_SENT)
        tcp_send_ack(t, now);
}

void tcp_send_against_window(struct tcp *t, int64_t now)
{
    t->persist_ns = moment_min(2 * t->persist_ns, t->params->max_rto_ns);
    t->persist_at_ns = now + t->persist_ns;
    uint64_t octets = min_u64(min_u64(window_room(t), t->stream_end - t->nxt), t->mss_octets);
    if (can_send_data(t) && octets > 0 && !tcp_scoreboard_is_full(&t->board)) {
        send_new(t, (uint32_t)octets, t->wants_close && octets == t->stream_end - t->nxt, now);
        return;
    }
    /* The peer has this octet already: it answers with its window. */
    t->stats.probes++;
    emit(t, t->nxt - 1, 0, TCP_ACK, false, now);
}
