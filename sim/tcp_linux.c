/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_linux.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_send.h"
#include "sim/tcp_recovery.h"

enum { REORDERING = 3, REORDERING_MAX = 127, BURST_SEGMENTS = 3, MIN_SEGMENTS = 2 };

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool tcp_linux_is_used(const struct tcp *t)
{
    return t->params->stack != TCP_STACK_RFC && t->uses_sack;
}

static bool is_later(const struct tcp *t)
{
    return t->params->stack == TCP_STACK_LINUX_2_4_17;
}

void tcp_linux_start(struct tcp *t)
{
    if (!tcp_linux_is_used(t))
        return;
    t->more->linux_sender = (struct tcp_linux){
        .state = TCP_LINUX_OPEN, .reordering = REORDERING, .uses_fack = !t->params->has_no_fack};
}

/* The send functions know two of the states. */
static void set_state(struct tcp *t, enum tcp_linux_state state)
{
    t->more->linux_sender.state = state;
    t->is_recovering = state == TCP_LINUX_RECOVERY;
    t->is_after_timeout = state == TCP_LINUX_LOSS;
}

/* --- windows --- */

/* Linux counts segments, so a short one in flight counts as a whole one: the window stays whole segments, one
 * at least. */
static void hold_to_flight(struct tcp *t, uint64_t segments)
{
    uint64_t in_flight = (t->board.in_flight_octets + t->mss_octets - 1) / t->mss_octets;
    t->cwnd_octets = min_u64(t->cwnd_octets, (in_flight + segments) * t->mss_octets);
}

/* The threshold that an undo brings back: three quarters of the window, unless it is falling. */
static uint64_t current_ssthresh(const struct tcp *t)
{
    uint64_t octets = t->cwnd_octets / t->mss_octets * 3 / 4 * t->mss_octets;
    return t->is_recovering ? t->ssthresh_octets : max_u64(t->ssthresh_octets, octets);
}

static void halve(struct tcp *t)
{
    t->more->linux_sender.prior_ssthresh_octets = current_ssthresh(t);
    t->ssthresh_octets = max_u64(t->cwnd_octets / 2 / t->mss_octets, MIN_SEGMENTS) * t->mss_octets;
}

static void step_down(struct tcp *t)
{
    bool is_second = t->more->linux_sender.acks % 2 == 1;
    t->more->linux_sender.acks = !is_second;
    if (is_second && t->cwnd_octets > t->ssthresh_octets / 2)
        t->cwnd_octets -= t->mss_octets;
    hold_to_flight(t, 1);
}

static void tcp_linux_grow(struct tcp *t)
{
    uint64_t step = 0, segments = t->cwnd_octets / t->mss_octets;
    if (t->cwnd_octets <= t->ssthresh_octets) {
        step = t->mss_octets;
    } else if (t->more->linux_sender.acks++ >= segments) {
        t->more->linux_sender.acks = 0;
        step = t->mss_octets;
    }
    uint64_t most =
        t->params->max_cwnd_segments ? t->params->max_cwnd_segments * (uint64_t)t->mss_octets : UINT64_MAX;
    if (t->cwnd_octets + step <= most)
        t->cwnd_octets += step;
}

void tcp_linux_after_idle(struct tcp *t, int64_t now)
{
    uint64_t initial_octets = (uint64_t)t->params->initial_cwnd_segments * t->mss_octets;
    int64_t idle_ns = now - t->last_sent_ns;
    if (idle_ns <= t->rto.rto_ns)
        return;
    t->ssthresh_octets = current_ssthresh(t);
    for (idle_ns -= t->rto.rto_ns; idle_ns > 0 && t->cwnd_octets > initial_octets; idle_ns -= t->rto.rto_ns)
        t->cwnd_octets = max_u64(t->cwnd_octets / 2 / t->mss_octets * t->mss_octets, initial_octets);
}

/* --- what an ACK proves --- */

/* The original arrived, as the echo is older than the first repetition. */
static bool is_delayed(const struct tcp *t, const struct tcp_header *header)
{
    uint32_t repeated_at = t->more->linux_sender.repeated_at;
    return repeated_at == 0 || (t->uses_timestamps && header->has_timestamps && header->ts_echo != 0 &&
                                (int32_t)(header->ts_echo - repeated_at) < 0);
}

static bool may_undo(const struct tcp *t, const struct tcp_header *header)
{
    return t->more->linux_sender.undo_from != 0 &&
           (t->more->linux_sender.undo_repeats == 0 || is_delayed(t, header));
}

static void restore(struct tcp *t, bool has_ended)
{
    uint64_t prior_octets = t->more->linux_sender.prior_ssthresh_octets;
    uint64_t factor = prior_octets ? 2 : 1;
    t->cwnd_octets = max_u64(t->cwnd_octets, factor * t->ssthresh_octets);
    if (has_ended)
        t->ssthresh_octets = max_u64(t->ssthresh_octets, prior_octets);
    hold_to_flight(t, BURST_SEGMENTS);
    t->stats.undone++;
}

static void take_reordering(struct tcp *t, uint32_t segments)
{
    if (segments <= t->more->linux_sender.reordering)
        return;
    t->more->linux_sender.reordering = segments < REORDERING_MAX ? segments : REORDERING_MAX;
    t->more->linux_sender.uses_fack = false;
}

/* True if the next hole is lost, too. */
static bool partly_acked(struct tcp *t, const struct tcp_linux_ack *a,
                         const struct tcp_scoreboard_tally *tally)
{
    if (!may_undo(t, a->header))
        return tally->forward > t->more->linux_sender.reordering;
    if (tally->repeated == 0)
        t->more->linux_sender.repeated_at = 0;
    take_reordering(t, tally->forward + a->acked_segments);
    restore(t, false);
    return false;
}

static bool undo_loss(struct tcp *t, const struct tcp_header *header)
{
    if (!may_undo(t, header))
        return false;
    tcp_scoreboard_find(&t->board);
    restore(t, true);
    t->more->linux_sender.undo_from = 0;
    t->more->linux_sender.timeouts = 0;
    set_state(t, TCP_LINUX_OPEN);
    return true;
}

static void undo_whole(struct tcp *t, const struct tcp_header *header)
{
    if (may_undo(t, header)) {
        restore(t, true);
        t->more->linux_sender.undo_from = 0;
    }
    set_state(t, TCP_LINUX_OPEN);
}

static void undo_by_duplicates(struct tcp *t)
{
    if (t->more->linux_sender.undo_from == 0 || t->more->linux_sender.undo_repeats != 0)
        return;
    restore(t, true);
    t->more->linux_sender.undo_from = 0;
}

/* --- SACKs --- */

/* A D-SACK, which is the first block: below the acknowledgement, or inside the second. */
static bool is_duplicate_sack(const struct tcp *t, const struct tcp_header *header, uint64_t ack)
{
    int64_t start = tcp_recovery_place(t, header->sack[0].start),
            end = tcp_recovery_place(t, header->sack[0].end);
    if (start < (int64_t)ack)
        return true;
    return header->sacks > 1 && start >= tcp_recovery_place(t, header->sack[1].start) &&
           end <= tcp_recovery_place(t, header->sack[1].end);
}

static void take_duplicate(struct tcp *t, const struct tcp_header *header)
{
    int64_t start = tcp_recovery_place(t, header->sack[0].start),
            end = tcp_recovery_place(t, header->sack[0].end);
    if (end <= (int64_t)t->una && end > (int64_t)t->more->linux_sender.undo_from)
        t->more->linux_sender.undo_repeats--;
    else if (end > (int64_t)t->una && start >= 0)
        t->more->linux_sender.undo_repeats -=
            (int32_t)tcp_scoreboard_arrived_twice(&t->board, (uint64_t)start, (uint64_t)end);
}

void tcp_linux_take_sacks(struct tcp *t, struct tcp_linux_ack *a, uint64_t ack)
{
    const struct tcp_header *header = a->header;
    struct tcp_scoreboard_tally before = tcp_scoreboard_tally(&t->board);
    uint32_t first_late = before.forward;
    if (header->sacks > 0 && is_duplicate_sack(t, header, ack))
        take_duplicate(t, header);
    for (unsigned i = 0; i < header->sacks; i++) {
        int64_t start = tcp_recovery_place(t, header->sack[i].start),
                end = tcp_recovery_place(t, header->sack[i].end);
        if (start < (int64_t)t->una || start >= end || end > (int64_t)t->nxt)
            continue;
        uint32_t late = tcp_scoreboard_first_late(&t->board, (uint64_t)start, (uint64_t)end);
        first_late = late < first_late ? late : first_late;
        a->has_new_sacks |= tcp_scoreboard_sack(&t->board, (uint64_t)start, (uint64_t)end) > 0;
        a->sacked_end = max_u64(a->sacked_end, (uint64_t)end);
    }
    uint64_t slack =
        t->more->linux_sender.uses_fack ? 0 : t->more->linux_sender.reordering * (uint64_t)t->mss_octets;
    if (t->is_recovering && a->sacked_end > slack)
        tcp_scoreboard_lose_repeats(&t->board, a->sacked_end - slack);
    if (first_late < before.forward && !t->is_after_timeout)
        take_reordering(t, tcp_scoreboard_tally(&t->board).forward - first_late);
}

/* --- the states --- */

static bool is_head_late(struct tcp *t, int64_t now)
{
    return is_later(t) && t->board.count > 0 &&
           now - tcp_scoreboard_get(&t->board, 0)->sent_ns > t->rto.rto_ns;
}

static void lose(struct tcp *t, const struct tcp_scoreboard_tally *tally, int64_t now)
{
    uint32_t reordering = t->more->linux_sender.reordering;
    bool is_far = t->more->linux_sender.uses_fack && tally->forward > reordering;
    tcp_scoreboard_lose_head(&t->board, is_far ? tally->forward - reordering : 1, t->recover);
    if (is_head_late(t, now))
        tcp_scoreboard_lose_old(&t->board, now - t->rto.rto_ns);
}

static bool is_loss_certain(struct tcp *t, const struct tcp_scoreboard_tally *tally, int64_t now)
{
    uint32_t reordering = t->more->linux_sender.reordering, half = t->board.count / 2;
    if (tally->lost > 0 || tally->forward > reordering || is_head_late(t, now))
        return true;
    return t->board.count <= reordering && tally->sacked >= (half > REORDERING ? half : REORDERING) &&
           !tcp_send_may_send_new(t);
}

static void open(struct tcp *t, const struct tcp_scoreboard_tally *tally)
{
    if (tally->repeated == 0)
        t->more->linux_sender.repeated_at = 0;
    bool is_open = tally->sacked == 0 && tally->repeated == 0 && t->more->linux_sender.undo_from == 0;
    enum tcp_linux_state state = is_open ? TCP_LINUX_OPEN : TCP_LINUX_DISORDER;
    if (t->more->linux_sender.state != state) {
        set_state(t, state);
        t->recover = t->nxt;
    }
    hold_to_flight(t, BURST_SEGMENTS);
}

static void enter(struct tcp *t, const struct tcp_scoreboard_tally *tally)
{
    t->stats.fast_retransmits++;
    t->recover = t->nxt;
    t->more->linux_sender.undo_from = t->una;
    t->more->linux_sender.undo_repeats = (int32_t)tally->repeated;
    halve(t);
    t->more->linux_sender.acks = 0;
    set_state(t, TCP_LINUX_RECOVERY);
}

/* All that was sent when the state began is acknowledged. */
static void leave(struct tcp *t, const struct tcp_header *header)
{
    switch (t->more->linux_sender.state) {
    case TCP_LINUX_OPEN:
        t->more->linux_sender.repeated_at = 0;
        break;
    case TCP_LINUX_LOSS:
        t->more->linux_sender.timeouts = 0;
        undo_whole(t, header);
        break;
    case TCP_LINUX_DISORDER:
        undo_by_duplicates(t);
        if (is_later(t) && t->more->linux_sender.undo_from != 0 && t->una == t->recover)
            break;
        t->more->linux_sender.undo_from = 0;
        set_state(t, TCP_LINUX_OPEN);
        break;
    case TCP_LINUX_RECOVERY:
        undo_whole(t, header);
        t->cwnd_octets = min_u64(t->cwnd_octets, t->ssthresh_octets);
        break;
    }
}

/* False: the loss state continues. */
static bool leaves_loss(struct tcp *t, const struct tcp_linux_ack *a, int64_t now)
{
    if (a->acked_octets > 0 && is_later(t))
        t->more->linux_sender.timeouts = 0;
    else if (a->acked_octets > 0 && t->board.count > 0)
        t->rto_at_ns = now + t->rto.rto_ns;
    if (undo_loss(t, a->header))
        return true;
    hold_to_flight(t, BURST_SEGMENTS);
    return false;
}

/* An ACK that may show a loss, or that arrives while one is mended. */
static void doubt(struct tcp *t, const struct tcp_linux_ack *a, int64_t now)
{
    bool repeats = a->acked_octets == 0 && !a->is_update;
    struct tcp_scoreboard_tally tally = tcp_scoreboard_tally(&t->board);
    if (a->sacked_end > t->recover && t->una < t->recover && t->more->linux_sender.state != TCP_LINUX_OPEN &&
        tally.forward > t->more->linux_sender.reordering)
        tcp_scoreboard_lose_head(&t->board, tally.forward - t->more->linux_sender.reordering, t->recover);
    if (t->more->linux_sender.state == TCP_LINUX_OPEN || t->una >= t->recover)
        leave(t, a->header);
    if (t->is_after_timeout && !leaves_loss(t, a, now))
        return;
    tally = tcp_scoreboard_tally(&t->board);
    if (t->is_recovering) {
        repeats = a->acked_octets > 0 ? partly_acked(t, a, &tally) : repeats;
    } else {
        if (t->more->linux_sender.state == TCP_LINUX_DISORDER)
            undo_by_duplicates(t);
        if (!is_loss_certain(t, &tally, now)) {
            open(t, &tally);
            return;
        }
        enter(t, &tally);
    }
    if (repeats || is_head_late(t, now))
        lose(t, &tally, now);
    step_down(t);
}

void tcp_linux_acked(struct tcp *t, const struct tcp_linux_ack *a, int64_t now)
{
    bool is_doubtful = (a->acked_octets == 0 && !a->is_update) || a->has_new_sacks ||
                       t->more->linux_sender.state != TCP_LINUX_OPEN;
    bool was_full = a->in_flight_octets + t->mss_octets > t->cwnd_octets;
    t->stats.duplicate_acks += a->acked_octets == 0 && !a->is_update;
    if (a->acked_octets > 0 && was_full && a->may_grow && !t->is_recovering)
        tcp_linux_grow(t);
    if (is_doubtful)
        doubt(t, a, now);
}

void tcp_linux_timeout(struct tcp *t)
{
    struct tcp_linux *l = &t->more->linux_sender;
    bool is_first = l->state == TCP_LINUX_OPEN || l->state == TCP_LINUX_DISORDER || t->una == t->recover;
    if (is_first || (l->state == TCP_LINUX_LOSS && l->timeouts == 0))
        halve(t);
    t->cwnd_octets = t->mss_octets;
    l->acks = 0;
    l->timeouts++;
    l->undo_from = tcp_scoreboard_has_repeats(&t->board) ? 0 : t->una;
    l->undo_repeats = 0;
    l->reordering = l->reordering < REORDERING ? l->reordering : REORDERING;
    t->recover = t->nxt;
    set_state(t, TCP_LINUX_LOSS);
    tcp_scoreboard_lose_all(&t->board);
}

void tcp_linux_repeated(struct tcp *t, int64_t now)
{
    if (t->more->linux_sender.repeated_at == 0)
        t->more->linux_sender.repeated_at = tcp_send_timestamp(now);
    t->more->linux_sender.undo_repeats++;
}

int64_t tcp_linux_timer_ns(struct tcp *t, int64_t now)
{
    int64_t spread_ns = 4 * t->rto.rttvar_ns;
    if (is_later(t))
        return now + t->rto.rto_ns;
    int64_t sent_ns = tcp_scoreboard_get(&t->board, 0)->sent_ns;
    return moment_max(sent_ns + t->rto.rto_ns + spread_ns, now + spread_ns);
}
