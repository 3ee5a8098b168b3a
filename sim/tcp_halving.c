/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_halving.h"

#include "sim/tcp_cwnd.h"
#include "sim/tcp_recovery.h"
#include "sim/tcp_send.h"

enum { REORDERING = 3, BURST_SEGMENTS = 3, MIN_SEGMENTS = 2 };

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool tcp_halving_is_used(const struct tcp *t)
{
    return t->params.is_linux_2_4 && t->uses_sack;
}

/* Keeps what undo() needs, once per episode, and halves. */
static void begin_episode(struct tcp *t)
{
    t->undo = (struct tcp_undo){t->cwnd_octets, t->ssthresh_octets, 0};
    t->ssthresh_octets = max_u64(t->cwnd_octets / 2 / t->mss_octets, MIN_SEGMENTS) * t->mss_octets;
    t->cwnd_credit_octets = 0;
    t->halving_acks = 0;
}

void tcp_halving_repeated(struct tcp *t, int64_t now)
{
    if (t->undo.repeated_at == 0)
        t->undo.repeated_at = tcp_send_timestamp(now);
}

static bool was_needless(const struct tcp *t, const struct tcp_header *header)
{
    return t->undo.repeated_at != 0 && t->uses_timestamps && header->has_timestamps && header->ts_echo != 0 &&
           (int32_t)(header->ts_echo - t->undo.repeated_at) < 0;
}

static void undo(struct tcp *t)
{
    t->cwnd_octets = max_u64(t->cwnd_octets, t->undo.cwnd_octets);
    t->ssthresh_octets = max_u64(t->ssthresh_octets, t->undo.ssthresh_octets);
    t->is_recovering = t->is_after_timeout = false;
    t->recover = t->una;
    t->undo.repeated_at = 0;
    t->stats.undone++;
    tcp_scoreboard_find(&t->board);
}

static void hold_to_flight(struct tcp *t, uint64_t segments)
{
    t->cwnd_octets = min_u64(t->cwnd_octets, t->board.in_flight_octets + segments * t->mss_octets);
}

static void step_down(struct tcp *t)
{
    bool is_second = t->halving_acks++ % 2 == 1;
    if (is_second && t->cwnd_octets > t->ssthresh_octets)
        t->cwnd_octets -= t->mss_octets;
    hold_to_flight(t, 1);
}

static void enter(struct tcp *t, int64_t now)
{
    begin_episode(t);
    t->stats.fast_retransmits++;
    t->recover = t->nxt;
    t->is_recovering = true;
    t->has_rescued = false;
    step_down(t);
    tcp_send_first_again(t, now);
}

static void leave(struct tcp *t)
{
    t->is_recovering = false;
    t->undo.repeated_at = 0;
    t->cwnd_octets = min_u64(t->cwnd_octets, t->ssthresh_octets);
    hold_to_flight(t, BURST_SEGMENTS);
}

static void recover(struct tcp *t)
{
    if (t->una >= t->recover) {
        leave(t);
        return;
    }
    tcp_scoreboard_lose_forward(&t->board, REORDERING);
    step_down(t);
}

static void open(struct tcp *t, const struct tcp_halving_ack *ack, int64_t now)
{
    if (t->una >= t->recover && tcp_scoreboard_lose_forward(&t->board, REORDERING)) {
        enter(t, now);
        return;
    }
    tcp_recovery_acked(t, ack->acked_octets, ack->in_flight_octets, ack->may_grow && ack->acked_octets > 0,
                       now);
    if (ack->acked_octets == 0 || t->board.sacked_segments > 0)
        hold_to_flight(t, BURST_SEGMENTS);
}

void tcp_halving_acked(struct tcp *t, const struct tcp_halving_ack *ack, const struct tcp_header *header,
                       int64_t now)
{
    t->stats.duplicate_acks += ack->acked_octets == 0;
    if (ack->acked_octets > 0 && (t->is_recovering || t->is_after_timeout) && was_needless(t, header)) {
        undo(t);
        return;
    }
    if (t->is_recovering)
        recover(t);
    else if (t->is_after_timeout && ack->acked_octets > 0)
        tcp_recovery_acked(t, ack->acked_octets, ack->in_flight_octets, ack->may_grow, now);
    else if (!t->is_after_timeout)
        open(t, ack, now);
}

void tcp_halving_timeout(struct tcp *t)
{
    if (t->is_recovering || (t->is_after_timeout && t->una < t->recover))
        return;
    begin_episode(t);
}
