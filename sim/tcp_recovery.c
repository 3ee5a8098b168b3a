/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_recovery.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_cwnd.h"
#include "sim/tcp_send.h"

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
    return !t->uses_sack && t->params.recovery == TCP_RECOVERY_RENO;
}

static void leave(struct tcp *t)
{
    t->is_recovering = false;
    t->cwnd_octets = t->ssthresh_octets;
    if (!t->uses_sack && !is_reno(t)) /* RFC 6582 3.2 step 3, full acknowledgements, (1): no burst */
        t->cwnd_octets = min_u64(t->ssthresh_octets, max_u64(t->nxt - t->una, t->mss_octets) + t->mss_octets);
}

void tcp_recovery_lose_holes(struct tcp *t)
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

void tcp_recovery_acked(struct tcp *t, uint64_t acked_octets, uint64_t in_flight_octets, bool may_grow,
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
    tcp_prr_start(&t->prr, t->nxt - t->una);
    if (tcp_rack_is_used(t)) {
        tcp_send_lost_again(t, now);
        return;
    }
    tcp_scoreboard_lose_first(&t->board);
    tcp_scoreboard_lose_holes(&t->board, t->mss_octets);
    tcp_send_first_again(t, now);
}

void tcp_recovery_delivered(struct tcp *t, uint64_t octets)
{
    if (!t->is_recovering || !t->uses_sack || !t->params.has_prr)
        return;
    const struct tcp_prr_ack ack = {.delivered_octets = octets,
                                    .in_flight_octets = t->board.in_flight_octets,
                                    .ssthresh_octets = t->ssthresh_octets,
                                    .mss_octets = t->mss_octets};
    t->cwnd_octets = tcp_prr_acked(&t->prr, &ack);
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

void tcp_recovery_duplicate(struct tcp *t, int64_t now)
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
    if (!is_lost || (!t->uses_sack && t->params.recovery == TCP_RECOVERY_BY_TIMEOUT))
        return;
    if (!t->uses_sack && t->params.recovery == TCP_RECOVERY_TAHOE) {
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

void tcp_recovery_rack(struct tcp *t, bool is_duplicate, int64_t now)
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
    t->rack.at_ns = MOMENT_NEVER;
    if (!t->rack.is_probe_timer) {
        if (tcp_rack_detect(t, now))
            mend(t, now);
        return;
    }
    t->rack.is_repeat = !tcp_send_probe(t, now);
    t->rack.probe_end = t->nxt;
    t->rto_at_ns = now + t->rto.rto_ns;
}

void tcp_recovery_timeout(struct tcp *t)
{
    t->rack.at_ns = MOMENT_NEVER;
    t->rack.probe_end = 0;
    if (t->retries == 0)
        tcp_cwnd_halve_for_loss(t);
    tcp_cubic_timeout(&t->cubic);
    /* The first segment is sacked but not acknowledged: the receiver has discarded it (RFC 2018 section 8).
     */
    if (t->board.count > 0 && tcp_scoreboard_get(&t->board, 0)->is_sacked)
        tcp_scoreboard_forget_sacks(&t->board);
    start_over(t);
}
