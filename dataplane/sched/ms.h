/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile: in and out of turns, parked while its bucket is closed, and the age of its queued
 * N-PDUs.
 */
#ifndef DATAPLANE_SCHED_MS_H
#define DATAPLANE_SCHED_MS_H

#include "dataplane/sched/arm.h"
#include "dataplane/sched/sched.h"

/* A mobile with an empty bucket (Bmax = R = 0) and empty queues. */
void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);

/* The caller changed its bucket, or n201_u and thus the length of its next LLC-PDU. */
void sched_ms_changed(struct sched *s, struct sched_ms *ms, int64_t now);

/* R of its bucket is set: its AQM schemes may be idle at the former rate only. Part of sched_ms_changed();
 * alone for a mobile that has nothing queued. */
static inline void sched_ms_rate_set(struct sched_ms *ms)
{
    ms->flow.turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
}

/* Stops sending to it (flags of SCHED_MS_FROZEN), or allows it again. Nothing grows too old in
 * SCHED_MS_SUSPENDED. */
void sched_ms_freeze(struct sched *s, struct sched_ms *ms, uint8_t flags);
void sched_ms_thaw(struct sched *s, struct sched_ms *ms, uint8_t flags, int64_t now);

/* Before it thaws: the time since since_ns does not count for the age of its N-PDUs, their arrival_ns moves
 * on. */
void sched_ms_spare(struct sched *s, struct sched_ms *ms, int64_t since_ns, int64_t now);

/* Moves it to another cell with its queued N-PDUs. Its bucket is emptied; the caller sets its parameters
 * first. Buckets of packet flows are removed (clause 8.2.3.2.1: parameters are valid in one cell). */
void sched_ms_move(struct sched *s, struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);

/* Moves its queued N-PDUs to s->dropped with this reason, and frees its extra flows. */
void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason);

/* Moves its queued N-PDUs to out, in an order in which they may leave; frees its extra flows. */
void sched_ms_take_all(struct sched *s, struct sched_ms *ms, struct n_pdu_list *out);

/* Moves the queued N-PDUs of one PDP context to out, those in service first, the others by arrival. The
 * mobile is frozen. */
void sched_ms_take_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, struct n_pdu_list *out,
                       int64_t now);

/* Drops the N-PDUs of one PDP context; those in service count as partial. */
void sched_ms_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, int64_t now);

/*
 * An LLC-PDU of signalling to a mobile goes before its queued N-PDUs and need not conform, but is charged to
 * the buckets of mobile and cell (TS 48.018 clause 8.2). Whether it may leave: neither bucket is then more
 * than SCHED_SIGNAL_DEBT_OCTETS above its Bmax; and charges it.
 */
#define SCHED_SIGNAL_DEBT_OCTETS (UINT64_C(4) * SCHED_LARGEST_PDU)
bool sched_ms_can_signal(const struct sched_ms *ms, uint32_t octets, int64_t now);
void sched_ms_signal(struct sched_ms *ms, uint32_t octets, int64_t now);

/* The window of a mobile in acknowledged mode is closed: N-PDUs with is_acknowledged, and those behind them
 * in their flows, wait until it opens. */
static inline void sched_ms_close(struct sched_ms *ms)
{
    ms->flags |= SCHED_MS_CLOSED;
}
void sched_ms_open(struct sched *s, struct sched_ms *ms, int64_t now);

/* An LLC-PDU that is sent again takes no turn but conforms: when it may leave, and its charge. */
int64_t sched_ms_repeat_ns(const struct sched_ms *ms, uint32_t octets, int64_t now);
void sched_ms_repeat(struct sched_ms *ms, uint32_t octets, int64_t now);

/* An LLC-PDU that was granted had so many octets more, or less, in its headers. */
void sched_ms_adjust(struct sched_ms *ms, int32_t octets, int64_t now);

/* Queued N-PDUs and octets. */
struct sched_limit sched_ms_backlog(const struct sched *s, const struct sched_ms *ms);

/* --- for the other levels --- */

/* Puts the flows that have N-PDUs into turns, or parks the mobile. */
void sched_ms_admit(struct sched *s, struct sched_ms *ms, int64_t now);

/* Tests whether its bucket, which `octets` are to leave from, still limits it: not if it had been open for
 * long. */
void sched_ms_judge(struct sched_ms *ms, uint32_t octets, int64_t now);

/* Parks a mobile until its bucket opens. */
void sched_ms_park(struct sched *s, struct sched_ms *ms, int64_t open_ns);

/* An empty flow has got an N-PDU. */
void sched_ms_filled(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);

/* The next LLC-PDU of a flow has changed. */
void sched_ms_head_changed(struct sched *s, struct sched_ms *ms, int64_t now);

/* A mobile's wake instant: if its bucket is open, its flows enter turns. */
void sched_ms_woken(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);
void sched_ms_expired(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);

/* Makes room in the budget by a drop from the longest queue. False: no queue is long. */
bool sched_ms_pay(struct sched *s, int64_t now);

/* A woken mobile sends at once if no other waits for its turn. False: nothing was done. */
bool sched_bypass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now);

/*
 * The age of queued N-PDUs: one older than max_age_ns is dropped before its first segment leaves. For this a
 * mobile has one entry on the wheel, at expiry_ns: when the oldest of its flows' heads grows too old, or
 * before.
 */

/* Arms for an N-PDU that arrived at arrival_ns; max_age_ns is not MOMENT_NEVER. */
static inline void sched_age_arm_at(struct sched *s, struct sched_ms *ms, int64_t arrival_ns)
{
    int64_t expiry_ns = moment_add(arrival_ns, s->params.max_age_ns + 1);
    if (expiry_ns < ms->expiry_ns)
        sched_arm(s, &ms->expiry_ns, expiry_ns, ms, SCHED_WAKE_EXPIRY);
}

/* Arms for the head of a flow, of several queues for the oldest head; N-PDUs behind it are younger. */
static inline void sched_age_arm(struct sched *s, struct sched_ms *ms, const struct sched_flow *flow)
{
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    if (!head || s->params.max_age_ns == MOMENT_NEVER)
        return;
    sched_age_arm_at(s, ms,
                     flow->set == FLOW_SETS_NONE ? head->arrival_ns
                                                 : flow_sets_oldest_ns(&s->flow_sets, flow->set));
}

/* Drops N-PDUs at the head of a flow that are too old. Returns whether there were any. */
bool sched_age_drop(struct sched *s, struct sched_flow *flow, int64_t now);

/* The flow has a new head, which may be older than the one before: drops it if it is too old, else arms. */
void sched_age_watch(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);

/* An N-PDU was queued behind `head`; one from another worker may be older than `head`. */
void sched_age_unordered(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t arrival_ns);
static inline void sched_age_followed(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                                      const struct n_pdu *n_pdu, const struct n_pdu *head, int64_t now)
{
    if (n_pdu->arrival_ns < now && n_pdu->arrival_ns < head->arrival_ns)
        sched_age_unordered(s, ms, flow, n_pdu->arrival_ns);
}

#endif
