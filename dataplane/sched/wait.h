/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Causes for which queued N-PDUs of a mobile wait, and the time of each.
 *
 * Model: a mobile with queued N-PDUs has one cause at each instant:
 *
 *     its state                                                     cause
 *     SCHED_MS_SUSPENDED: by its BSS, or by control                 SUSPENDED
 *     SCHED_MS_LOST                                                 PAGE
 *     SCHED_MS_PARKED                                               MS
 *     each flow with N-PDUs waits for its window (acknowledged)     WINDOW
 *     each flow with N-PDUs waits for its packet flow's bucket      PFC
 *     a flow waits for its turn, and its cell may not send          DOWN
 *     the same, and its cell is parked for an LLC-PDU of it         BVC
 *     the same, and its link is parked for an LLC-PDU of it         LINK
 *     the same, else: others are next, or the worker is late          TURN
 *
 * The first row that holds counts. ticks[cause] is the sum of such times. A cause that begins at t subtracts
 * t and adds the instant of its end, so nothing else is stored, and nothing is written while a cause lasts:
 * not when a mobile wakes, sends, and is parked for its bucket again.
 *
 * DOWN is a clock of the cell, which a mobile reads when it begins and ends to wait for its turn. BVC and
 * LINK are a cell's and a link's: the mobile for which one was parked gets the time when it wakes.
 *
 * Invariant: the sum of ticks[] of all causes, NONE included, is the age of the mobile; without NONE it is
 * the time with a queue that is not empty. A tick is 2^14 ns and counts are modulo 2^32, 19 hours.
 */
#ifndef DATAPLANE_SCHED_WAIT_H
#define DATAPLANE_SCHED_WAIT_H

#include "dataplane/sched/sched.h"

static inline uint32_t sched_wait_tick(int64_t now)
{
    return (uint32_t)(now >> SCHED_WAIT_TICK_BITS);
}

/* The instant of the calls that follow, which end and begin waits. */
static inline void sched_wait_at(struct sched *s, int64_t now)
{
    s->now_ticks = sched_wait_tick(now);
}

/* The cause that is stored: one of those up to SCHED_WAIT_TURN. */
static inline unsigned sched_wait_stored(const struct sched_ms *ms)
{
    return ms->flags >> SCHED_MS_WAIT_SHIFT;
}

void sched_wait_init(struct sched_ms *ms, int64_t now);
void sched_wait_change(struct sched *s, struct sched_ms *ms, unsigned cause);

static inline void sched_wait_set(struct sched *s, struct sched_ms *ms, unsigned cause)
{
    if (sched_wait_stored(ms) != cause)
        sched_wait_change(s, ms, cause);
}

/* The stored cause that a mobile has by its flags and queues. */
unsigned sched_wait_cause_of(const struct sched *s, const struct sched_ms *ms);

/* Its flags or queues have changed. Most have one flow and nothing that stops them. */
static inline void sched_wait_look(struct sched *s, struct sched_ms *ms)
{
    const unsigned stops = SCHED_MS_PARKED | SCHED_MS_FROZEN;
    bool is_usual =
        ms->flow.more == SCHED_NO_EXTRA && !(ms->flags & stops) && !(ms->flow.turn.flags & SCHED_FLOW_PARKED);
    if (is_usual)
        sched_wait_set(s, ms, ms->flow.queue.pkts == 0 ? SCHED_WAIT_NONE : SCHED_WAIT_TURN);
    else
        sched_wait_set(s, ms, sched_wait_cause_of(s, ms));
}

/* A cell or link is parked for an LLC-PDU of a mobile; and is no longer. */
static inline void sched_wait_park(const struct sched *s, struct sched_parked_for *parked,
                                   struct sched_ms *ms)
{
    *parked = (struct sched_parked_for){ms, s->now_ticks};
}
static inline void sched_wait_wake(const struct sched *s, struct sched_parked_for *parked,
                                   enum sched_wait_cause cause)
{
    if (!parked->ms)
        return;
    uint32_t ticks = s->now_ticks - parked->since_ticks;
    parked->ms->wait.ticks[SCHED_WAIT_TURN] -= ticks;
    parked->ms->wait.ticks[cause] += ticks;
    parked->ms = NULL;
}

/* The times of a mobile that leaves this worker; it has no N-PDUs any more. While N-PDUs go with it, the time
 * counts as MOVING: until sched_wait_put() gives the times to the mobile at its next worker. */
struct sched_wait sched_wait_take(const struct sched *s, const struct sched_ms *ms, bool has_n_pdus);
void sched_wait_put(const struct sched *s, struct sched_ms *ms, const struct sched_wait *wait,
                    bool has_n_pdus);

/* A cell may not send from now on, or may again. */
void sched_wait_use(const struct sched *s, struct sched_bvc *bvc, bool usable);

/* The times of a mobile up to now, and the cause that it has. */
struct sched_wait_now {
    uint32_t ticks[SCHED_WAIT_CAUSES];
    uint32_t born_ticks; /* the instant at which all were 0 */
    enum sched_wait_cause cause;
};

/* ms is the mobile, or a copy of it; from another thread an estimate. */
struct sched_wait_now sched_wait_read(const struct sched_ms *ms, const struct sched_ms *mobile, int64_t now);

/* "own bucket", ..., "-" of SCHED_WAIT_NONE. */
const char *sched_wait_name(enum sched_wait_cause cause);

#endif
