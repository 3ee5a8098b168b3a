/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mobiles of a worker: their table, cells, states, flow control and packet flows, and the queueing of
 * their N-PDUs. Functions return as those of context.h do.
 */
#ifndef DATAPLANE_CONTEXT_CONTEXT_MS_H
#define DATAPLANE_CONTEXT_CONTEXT_MS_H

#include "dataplane/base/drop.h"
#include "dataplane/context/context.h"
#include "dataplane/wire/flow_hash.h"

#include <stdbool.h>
#include <stdint.h>

/* -1 also for values that no frame can carry: N201-U outside 140..1520, an IMSI that is too long. */
int context_ms_add(struct context *c, uint32_t index, const struct ms_params *params, int64_t now);

/* Sets the limit of its queue, and tests the age of its queued N-PDUs by the present lifetime. */
int context_ms_limit(struct context *c, uint32_t index, uint32_t octets, int64_t now);

/* Deletes a mobile with its PDP contexts; its queued N-PDUs are dropped as context_deleted. */
int context_ms_del(struct context *c, uint32_t index);

/* Another TLLI from the next frame on. keep_old: the mobile is also known by the former one until the next
 * change, and frames carry that as TLLI(old) (TS 48.018 clause 10.2.1) until context_ms_tlli_heard(). */
int context_ms_tlli(struct context *c, uint32_t index, uint32_t tlli, bool keep_old);

/* A frame arrived with its present TLLI. */
void context_ms_tlli_heard(struct ms *ms);

/* Its IMSI, which its frames carry from the next one on. */
int context_ms_imsi(struct context *c, uint32_t index, const struct ms_imsi *imsi);

/* Sets the optional elements of its frames from the next one on; empty: none. -1 also where elements are
 * off. */
int context_ms_elements(struct context *c, uint32_t index, const struct bssgp_elements *elements);

/* Moves a mobile to another cell, of this NSE or not, with its queued N-PDUs. Its bucket is new, with that
 * cell's defaults; own announcements and packet flows end. The caller has heard the mobile there. */
int context_ms_move(struct context *c, uint32_t index, uint16_t bvc, int64_t now);

/* Re-homes a mobile of a deleted cell: as context_ms_move(), but nothing is sent to it until it is heard. */
int context_ms_park(struct context *c, uint32_t index, uint16_t bvc, int64_t now);

/* A reason to send nothing to the mobile begins or ends; it is sent to when it has none. */
int context_ms_stop(struct context *c, uint32_t index, enum ms_stop why, bool is_stopped, int64_t now);
/* RADIO-STATUS, which ends when the mobile is heard. */
int context_ms_lost(struct context *c, uint32_t index, bool is_lost, int64_t now);

/* The NSE of a mobile's cell, and whether a cell is the mobile's. */
static inline uint16_t context_ms_nse(const struct context *c, uint32_t index)
{
    return c->bvcs[c->mobiles[index].bvc].nse;
}

static inline bool context_ms_is_in(const struct context *c, uint32_t index, uint16_t nse, uint16_t bvci)
{
    const struct gb_bvc *bvc = &c->bvcs[c->mobiles[index].bvc];
    return bvci == bvc->bvci && nse == bvc->nse;
}

static inline void context_ms_heard(struct context *c, struct ms *ms, int64_t now)
{
    ms->heard_ticks = ms_ticks(now);
    if (ms->sched.flags & SCHED_MS_LOST)
        sched_ms_thaw(&c->sched, &ms->sched, SCHED_MS_LOST, now);
}

/* Whether its READY timer has expired, up to 1.07 s late; it runs from when the cell came up at the
 * earliest. */
static inline bool context_ms_is_silent(const struct context *c, const struct ms *ms, int64_t now)
{
    uint16_t ticks = ms_ticks(now), ready = c->ready_ticks;
    return ready > 0 && (uint16_t)(ticks - ms->heard_ticks) > ready &&
           (uint16_t)(ticks - c->bvcs[ms->bvc].up_ticks) > ready;
}

/* --- flow control --- */

int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now);

/* The mobile follows the cell's defaults again, its level stays. */
int context_ms_defaults(struct context *c, uint32_t index, int64_t now);

/* The same for mobiles whose Th (th.h) has run out, from its end on. Returns how many. */
unsigned context_ms_expire(struct context *c, int64_t now);

/* N201-U of a mobile; an N-PDU in service continues in segments of the new length. */
int context_ms_n201_u(struct context *c, uint32_t index, uint32_t octets, int64_t now);

/* sched_ms_can_signal() and sched_ms_signal() of an LLC-PDU. */
bool context_ms_can_signal(struct context *c, struct ms *ms, uint32_t octets, int64_t now);
void context_ms_signal(struct ms *ms, uint32_t octets, int64_t now);

/* A mobile's bucket, after catching up with changes of the defaults that it follows. */
const struct bucket *context_ms_bucket(struct context *c, struct ms *ms);

/* A mobile that is new in its cell, or whose own announcement ended, follows the defaults from now on; its
 * level stays. */
void context_ms_follow(struct context *c, struct ms *ms, int64_t now);

/* Brings a mobile's bucket to its state at the last change of the defaults that it follows, if that is
 * later. */
void context_ms_catch_up(struct context *c, struct ms *ms);

/* --- packet flows --- */

/* Whether a PFI may be used: 4 to 7 and those above 127 are reserved. */
bool context_ms_can_pfi(uint8_t pfi);

/* Whether the BSS has its packet flow without any procedure. */
bool context_ms_is_predefined(uint8_t pfi);

/* -1: reserved (4 to 7, above 127), added before, or no room. */
int context_ms_pfc_add(struct context *c, uint32_t index, uint8_t pfi, int64_t now);

/* An entry of FLOW-CONTROL-PFC; adds the predefined packet flows (0 to 3). */
int context_ms_pfc_flow(struct context *c, uint32_t index, uint8_t pfi, const struct gb_flow *flow,
                        int64_t now);

/* Its queued N-PDUs continue as the mobile's other packets. */
int context_ms_pfc_del(struct context *c, uint32_t index, uint8_t pfi, int64_t now);

/* --- N-PDUs --- */

/* Applies past changes of the defaults to a mobile that follows them, and future ones at once. */
void context_ms_attend(struct context *c, struct ms *ms);

/* The same as context_enqueue(), of a mobile with a reason of enum ms_stop. */
int context_enqueue_stopped(struct context *c, struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* sched_enqueue() of a mobile's N-PDU, and its bypass, sched_bypass(). To be called instead of these. */
static inline int context_enqueue(struct context *c, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    if (__builtin_expect(ms->sched.flags & SCHED_MS_SUSPENDED, false))
        return context_enqueue_stopped(c, ms, n_pdu, now);
    if (!ms->is_busy)
        context_ms_attend(c, ms);
    if (c->sched.flow_sets.queues > 0)
        n_pdu->flow_hash = flow_hash_of(c->flow_salt, n_pdu->data, n_pdu->octets);
    return sched_enqueue(&c->sched, &ms->sched, n_pdu, now);
}

static inline int context_pass(struct context *c, struct ms *ms, struct n_pdu *n_pdu,
                               struct sched_grant *grants, int64_t now)
{
    if (!ms->is_busy)
        context_ms_attend(c, ms);
    if (__builtin_expect(ms->compresses, false))
        return -1;
    return sched_bypass(&c->sched, &ms->sched, n_pdu, grants, now);
}

#endif
