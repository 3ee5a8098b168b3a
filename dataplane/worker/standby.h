/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mobiles that have to be paged (TS 23.060 clause 6.2, TS 48.018 clause 7.1): whose READY timer has run out,
 * or which the BSS has lost (RADIO-STATUS). What comes for them waits, within the limits and the lifetime of
 * all that waits, and control is told once; any LLC frame of the mobile lets it go.
 *
 * The timer is looked at when an N-PDU comes: a mobile that nothing comes for may be in either state.
 */
#ifndef DATAPLANE_WORKER_STANDBY_H
#define DATAPLANE_WORKER_STANDBY_H

#include "dataplane/context/context.h"

struct worker;

/* What standby_look() does, off the common path. */
void standby_wait(struct worker *w, struct ms *ms, int64_t now);

/* Before an N-PDU for the mobile is queued. */
static inline void standby_look(struct worker *w, const struct context *c, struct ms *ms, int64_t now)
{
    if (__builtin_expect((ms->sched.flags & SCHED_MS_LOST) != 0 || context_ms_is_silent(c, ms, now), 0))
        standby_wait(w, ms, now);
}

/* Tells control that something waits for a mobile that is lost, unless it knows, or the mobile is suspended.
 */
void standby_ask(struct worker *w, struct ms *ms);

/* The same if anything waits for it. */
void standby_look_back(struct worker *w, struct ms *ms);

/* The mobile was heard: tells control if it is paged. */
void standby_heard(struct worker *w, struct ms *ms);

#endif
