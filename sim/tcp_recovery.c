/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_cwnd.h"
#include "sim/tcp_send.h"
#include "sim/tcp_recovery.h"
#include "sim/tcp.h"
#include "sim/tcp_rack.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_linux.h"

static void tcp_recovery_acked(struct tcp *t, uint64_t acked_octets, uint64_t in_flight_octets, bool may_grow,
                               int64_t now);
static void tcp_recovery_duplicate(struct tcp *t, int64_t now);
static void tcp_recovery_rack(struct tcp *t, bool is_duplicate, int64_t now);
static void tcp_recovery_lose_holes(struct tcp *t);
static void tcp_recovery_delivered(struct tcp *t, uint64_t octets);
static void tcp_recovery_lose_flight(struct tcp *t);

int64_t tcp_recovery_place(const struct tcp *t, uint32_t wire)
{
    int32_t distance = (int32_t)(wire - (t->iss + (uint32_t)t->una));
    return (int64_t)t->una + distance;
}

static bool take_window(struct tcp *t, const struct tcp_header *header, uint64_t seq, uint64_t ack)
{
    if (seq < t->window_seq || (seq == t->window_seq && ack < t->window_ack))
        return false;
    uint64_t octets = (uint64_t)header->window << (header->flags & TCP_SYN ? 0 : t->send_shift);
    bool has_changed = octets != t->window_octets;
    t->window_octets = octets;
    t->max_window_octets = octets > t->max_window_octets ? octets : t->max_window_octets;
    t->window_seq = seq;
    t->window_ack = ack;
    return has_changed;
}

/* Takes in SACK blocks; returns the octets newly sacked. */
static uint64_t take_sacks(struct tcp *t, const struct tcp_header *header)
{
    uint64_t octets = 0;
    for (unsigned i = 0; t->uses_sack && i < header->sacks; i++) {
        int64_t start = tcp_recovery_place(t, header->sack[i].start),
                end = tcp_recovery_place(t, header->sack[i].end);
        if (start >= (int64_t)t->una && start < end && end <= (int64_t)t->nxt)
            octets += tcp_scoreboard_sack(&t->board, (uint64_t)start, (uint64_t)end);
    }
    return octets;
}

/* In 2.4.0 the RTO stays doubled while the loss state repeats what is acknowledged. */
static bool keeps_backoff(struct tcp *t, uint64_t ack)
{
    if (t->params->stack != TCP_STACK_LINUX_2_4_0 || t->more->linux_sender.timeouts == 0)
        return false;
    bool has_repeated = false;
    for (uint32_t i = 0; i < t->board.count && tcp_scoreboard_get(&t->board, i)->end <= ack; i++)
        has_repeated |= tcp_scoreboard_get(&t->board, i)->times > 1;
    return has_repeated;
}

static void sample_linux(struct tcp *t, const struct tcp_header *header, uint64_t ack, int64_t now)
{
    bool has_echo = t->uses_timestamps && header->has_timestamps && header->ts_echo != 0;
    bool is_timed = t->timed_end != 0 && ack >= t->timed_end, is_first = t->rto.srtt_ns == 0;
    if (!has_echo && !is_timed)
        return;
    uint32_t ticks = tcp_send_timestamp(now) - header->ts_echo;
    struct tcp_rto_linux sample = {
        .rtt_ns = has_echo ? ticks * (MOMENT_SECOND / 1000) : now - t->timed_ns,
        .ends_round = !is_first && ack > t->round_end,
        .keeps_backoff = keeps_backoff(t, ack),
    };
    tcp_rto_sample_linux(&t->rto, &sample);
    t->round_end = is_first ? t->nxt : ack > t->round_end ? ack : t->round_end;
}

/* Samples a round-trip time from the timestamps, else from the timed segment (RFC 7323 section 4, RFC 6298
 * (3)). Returns the sample of the stack of the RFCs, -1 without one. */
static int64_t sample_rtt(struct tcp *t, const struct tcp_header *header, uint64_t ack, int64_t now)
{
    bool has_new = ack > t->backoff_point;
    int64_t rtt_ns = -1;
    if (t->params->stack != TCP_STACK_RFC) {
        sample_linux(t, header, ack, now);
    } else if (t->uses_timestamps && header->has_timestamps && header->ts_echo != 0) {
        uint32_t ticks = tcp_send_timestamp(now) - header->ts_echo;
        uint64_t two_segments = 2 * (uint64_t)t->mss_octets;
        uint64_t share = (t->nxt - t->una + two_segments - 1) / two_segments;
        rtt_ns = ticks * (MOMENT_SECOND / 1000);
        tcp_rto_sample(&t->rto, rtt_ns, (uint32_t)share, has_new);
    } else if (t->timed_end != 0 && ack >= t->timed_end) {
        rtt_ns = now - t->timed_ns;
        tcp_rto_sample(&t->rto, rtt_ns, 1, has_new);
    }
    if (ack >= t->timed_end)
        t->timed_end = 0;
    return rtt_ns;
}

static void tell_acked(struct tcp *t, uint64_t before, bool has_fin, int64_t now)
{
    int64_t rtt_ns = rtt_tcptrace_acked(&t->rtt, t->una, now);
    if (rtt_ns >= 0 && t->observer.on_rtt)
        t->observer.on_rtt(t->observer.arg, now, rtt_ns);
    uint64_t octets = t->una - before - (before == 0) - has_fin;
    t->stats.octets_acked += octets;
    if (octets == 0)
        return;
    if (t->observer.on_acked)
        t->observer.on_acked(t->observer.arg, now, t->stats.octets_acked);
    if (t->events.on_acked)
        t->events.on_acked(t->events.arg, t, octets, now);
}

static bool keeps_timer(const struct tcp *t)
{
    return t->is_recovering && !t->uses_sack && t->has_partial_ack && t->una < t->recover;
}

static void tcp_recovery_advance(struct tcp *t, const struct tcp_header *header, uint64_t ack, bool may_grow,
                                 int64_t now)
{
    uint64_t before = t->una, in_flight_octets = t->board.in_flight_octets;
    bool has_fin = t->nxt > t->stream_end && ack == t->nxt;
    int64_t rtt_ns = sample_rtt(t, header, ack, now);
    tcp_scoreboard_ack(&t->board, ack);
    t->una = ack;
    t->retries = 0;
    if (t->una == t->nxt) {
        t->rto_at_ns = MOMENT_NEVER;
        t->emptied_ns = now;
    } else if (!keeps_timer(t)) {
        t->rto_at_ns = tcp_linux_is_used(t) ? tcp_linux_timer_ns(t, now) : now + t->rto.rto_ns;
    }
    if (t->state != TCP_SYN_SENT && t->state != TCP_SYN_RECEIVED && !tcp_linux_is_used(t)) {
        tcp_cwnd_judge_rtt(t, rtt_ns);
        tcp_recovery_acked(t, ack - before, in_flight_octets, may_grow, now);
    }
    tell_acked(t, before, has_fin, now);
    if (has_fin)
        tcp_state_fin_acked(t, now);
}

static void take_linux(struct tcp *t, struct tcp_linux_ack *a, uint64_t ack, int64_t now)
{
    uint32_t before = t->board.count;
    tcp_linux_take_sacks(t, a, ack);
    a->in_flight_octets = t->board.in_flight_octets;
    a->acked_octets = ack - t->una;
    if (ack > t->una)
        tcp_recovery_advance(t, a->header, ack, a->may_grow, now);
    a->acked_segments = before - t->board.count;
    if (before > 0)
        tcp_linux_acked(t, a, now);
}

/* An ACK that acknowledges nothing new: a duplicate, if it tells of a segment above a hole. */
static void take_repeated(struct tcp *t, const struct ip_packet *packet, bool window_changed, int64_t now)
{
    uint64_t sacked_octets = take_sacks(t, &packet->tcp);
    bool is_bare =
        packet->payload_octets == 0 && !(packet->tcp.flags & (TCP_SYN | TCP_FIN)) && !window_changed;
    if (t->una < t->nxt && (t->uses_sack ? sacked_octets > 0 : is_bare))
        tcp_recovery_duplicate(t, now);
}

bool tcp_recovery_take(struct tcp *t, const struct ip_packet *packet, uint64_t seq, int64_t now)
{
    const struct tcp_header *header = &packet->tcp;
    int64_t place = tcp_recovery_place(t, header->ack);
    if (place > (int64_t)t->nxt)
        return false;
    if (place < (int64_t)t->una)
        return true;
    uint64_t ack = (uint64_t)place;
    bool window_changed = take_window(t, header, seq, ack);
    bool may_grow = !tcp_cwnd_take_echo(t, header, ack);
    if (tcp_linux_is_used(t) && t->state != TCP_SYN_SENT && t->state != TCP_SYN_RECEIVED) {
        struct tcp_linux_ack change = {
            .header = header,
            .is_update = window_changed || packet->payload_octets > 0,
            .may_grow = may_grow,
        };
        take_linux(t, &change, ack, now);
        return true;
    }
    uint64_t arrived_octets = t->una + tcp_scoreboard_sacked_octets(&t->board);
    bool is_duplicate = ack == t->una && header->sacks == 0 && packet->payload_octets == 0;
    if (tcp_rack_is_used(t))
        tcp_rack_take(t, header, ack, now);
    if (ack > t->una) {
        tcp_recovery_advance(t, header, ack, may_grow, now);
        take_sacks(t, header);
        if (t->is_recovering)
            tcp_recovery_lose_holes(t);
    } else {
        take_repeated(t, packet, window_changed, now);
    }
    tcp_recovery_rack(t, is_duplicate, now);
    tcp_recovery_delivered(t, t->una + tcp_scoreboard_sacked_octets(&t->board) - arrived_octets);
    return true;
}

void tcp_recovery_expired(struct tcp *t, int64_t now)
{
    bool is_syn = t->state == TCP_SYN_SENT || t->state == TCP_SYN_RECEIVED;
    if (t->retries >= (is_syn ? t->params->max_syn_retries : t->params->max_retries)) {
        tcp_state_close(t, TCP_END_TIMEOUT, now);
        return;
    }
    t->stats.timeouts++;
    t->is_syn_repeated |= is_syn;
    if (is_syn)
        tcp_scoreboard_lose_all(&t->board);
    else if (tcp_linux_is_used(t))
        tcp_linux_timeout(t);
    else
        tcp_recovery_lose_flight(t);
    t->retries++;
    t->backoff_point = t->nxt;
    tcp_rto_back_off(&t->rto);
    t->rto_at_ns = now + t->rto.rto_ns;
    tcp_send_first_again(t, now);
}

enum { DUPLICATES = 3 };

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void tcp_recovery_start(struct tcp *t, bool is_syn_repeated)
{
    tcp_cwnd_start(t, is_syn_repeated);
    t->recover = 0;
    t->is_after_timeout = false;
}

static bool is_reno(const struct tcp *t)
{
    return !t->uses_sack && t->params->recovery == TCP_RECOVERY_RENO;
}

static void leave(struct tcp *t)
{
    t->is_recovering = false;
    t->cwnd_octets = t->ssthresh_octets;
    if (!t->uses_sack && !is_reno(t)) /* RFC 6582 3.2 step 3, full acknowledgements, (1): no burst */
        t->cwnd_octets = min_u64(t->ssthresh_octets, max_u64(t->nxt - t->una, t->mss_octets) + t->mss_octets);
}

/* RFC 6675's IsLost() for all holes, unless RACK finds losses. */
static void tcp_recovery_lose_holes(struct tcp *t)
{
    if (!tcp_rack_is_used(t))
        tcp_scoreboard_lose_holes(&t->board, t->mss_octets);
}

/* A partial acknowledgement: the next hole is lost, too. */
static void partly_acked(struct tcp *t, uint64_t acked_octets, int64_t now)
{
    if (t->uses_sack) {
        tcp_recovery_lose_holes(t);
        return;
    }
    t->cwnd_octets -= min_u64(t->cwnd_octets, acked_octets);
    t->cwnd_octets += acked_octets >= t->mss_octets ? t->mss_octets : 0;
    t->cwnd_octets = max_u64(t->cwnd_octets, t->mss_octets);
    tcp_scoreboard_lose_first(&t->board);
    tcp_send_first_again(t, now);
    t->has_partial_ack = true; /* only the first partial ACK restarts the timer (RFC 6582 3.2 step 3) */
}

/* An ACK advanced una by acked_octets; in_flight_octets is the board's before it. may_grow false: the window
 * does not grow. */
static void tcp_recovery_acked(struct tcp *t, uint64_t acked_octets, uint64_t in_flight_octets, bool may_grow,
                               int64_t now)
{
    t->duplicates = 0;
    t->limited_octets = 0;
    if (t->is_recovering) {
        if (t->una >= t->recover || is_reno(t))
            leave(t);
        else
            partly_acked(t, acked_octets, now);
        return;
    }
    if (t->is_after_timeout && t->una >= t->recover)
        t->is_after_timeout = false;
    /* A window that was not used does not grow (RFC 7661). */
    if (may_grow && in_flight_octets + t->mss_octets > t->cwnd_octets)
        tcp_cwnd_grow(t, acked_octets, now);
}

static void enter(struct tcp *t, int64_t now)
{
    tcp_cwnd_halve_for_loss(t);
    t->stats.fast_retransmits++;
    t->recover = t->nxt;
    t->is_recovering = true;
    t->has_rescued = false;
    t->has_partial_ack = false;
    t->cwnd_octets = t->ssthresh_octets;
    if (!t->uses_sack)
        t->cwnd_octets += DUPLICATES * (uint64_t)t->mss_octets;
    if (t->more)
        tcp_prr_start(&t->more->prr, t->nxt - t->una);
    if (tcp_rack_is_used(t)) {
        tcp_send_lost_again(t, now);
        return;
    }
    tcp_scoreboard_lose_first(&t->board);
    tcp_scoreboard_lose_holes(&t->board, t->mss_octets);
    tcp_send_first_again(t, now);
}

/* During a recovery with SACK: this ACK showed that `octets` arrived (RFC 6937). Call it last. */
static void tcp_recovery_delivered(struct tcp *t, uint64_t octets)
{
    if (!t->is_recovering || !t->uses_sack || !t->params->has_prr)
        return;
    const struct tcp_prr_ack ack = {.delivered_octets = octets,
                                    .in_flight_octets = t->board.in_flight_octets,
                                    .ssthresh_octets = t->ssthresh_octets,
                                    .mss_octets = t->mss_octets};
    t->cwnd_octets = tcp_prr_acked(&t->more->prr, &ack);
}

/* False while duplicates may come from repetitions after a timeout, or from the recovery before. Reno does
 * not know of the latter. */
static bool can_enter(const struct tcp *t)
{
    return is_reno(t) || (t->uses_sack ? t->una >= t->recover : t->una > t->recover);
}

/* All that is in flight is lost, and slow start repeats it. */
static void start_over(struct tcp *t)
{
    t->cwnd_octets = t->mss_octets;
    t->cwnd_credit_octets = 0;
    t->recover = t->nxt;
    t->is_recovering = false;
    t->is_after_timeout = true;
    t->duplicates = 0;
    t->limited_octets = 0;
    tcp_scoreboard_lose_all(&t->board);
}

/* A duplicate ACK. The third one, or with SACK evidence of a loss (IsLost()), starts a recovery. */
static void tcp_recovery_duplicate(struct tcp *t, int64_t now)
{
    t->duplicates++;
    t->stats.duplicate_acks++;
    if (t->is_recovering) {
        if (t->uses_sack)
            tcp_recovery_lose_holes(t);
        else
            t->cwnd_octets += t->mss_octets;
        return;
    }
    if (t->is_after_timeout || !can_enter(t) || tcp_rack_is_used(t))
        return;
    bool is_lost = t->uses_sack
                       ? t->duplicates >= DUPLICATES || tcp_scoreboard_is_first_lost(&t->board, t->mss_octets)
                       : t->duplicates == DUPLICATES;
    if (!is_lost || (!t->uses_sack && t->params->recovery == TCP_RECOVERY_BY_TIMEOUT))
        return;
    if (!t->uses_sack && t->params->recovery == TCP_RECOVERY_TAHOE) {
        t->stats.fast_retransmits++;
        tcp_cwnd_halve_for_loss(t);
        start_over(t);
    } else {
        enter(t, now);
    }
}

/* RACK has marked segments. After a time-out slow start repeats them. */
static void mend(struct tcp *t, int64_t now)
{
    if (!t->is_recovering && !t->is_after_timeout && can_enter(t))
        enter(t, now);
}

/* RACK-TLP: after an ACK was taken in, and when its timer has expired. */
static void tcp_recovery_rack(struct tcp *t, bool is_duplicate, int64_t now)
{
    if (!tcp_rack_is_used(t))
        return;
    if (tcp_rack_probe_acked(t, t->una, is_duplicate)) {
        tcp_cwnd_halve_for_loss(t);
        t->cwnd_octets = min_u64(t->cwnd_octets, t->ssthresh_octets);
    }
    if (tcp_rack_detect(t, now))
        mend(t, now);
    tcp_rack_arm(t, now);
}

void tcp_recovery_rack_expired(struct tcp *t, int64_t now)
{
    t->rack_at_ns = MOMENT_NEVER;
    if (!t->more->rack.is_probe_timer) {
        if (tcp_rack_detect(t, now))
            mend(t, now);
        return;
    }
    t->more->rack.is_repeat = !tcp_send_probe(t, now);
    t->more->rack.probe_end = t->nxt;
    t->rto_at_ns = now + t->rto.rto_ns;
}

/* The retransmission timer has expired: all segments count as lost, the window is one segment. Sends nothing.
 */
static void tcp_recovery_lose_flight(struct tcp *t)
{
    t->rack_at_ns = MOMENT_NEVER;
    if (t->more)
        t->more->rack.probe_end = 0;
    if (t->retries == 0)
        tcp_cwnd_halve_for_loss(t);
    if (t->more)
        tcp_cubic_timeout(&t->more->cubic);
    /* The first segment is sacked but not acknowledged: the receiver has discarded it (RFC 2018 section 8).
     */
    if (t->board.count > 0 && tcp_scoreboard_get(&t->board, 0)->is_sacked)
        tcp_scoreboard_forget_sacks(&t->board);
    start_over(t);
}
