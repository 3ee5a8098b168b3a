/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mobiles to be paged (TS 23.060 clause 6.2, TS 48.018 clause 7.1): their READY timer has expired, or the
 * BSS lost them (RADIO-STATUS). Their N-PDUs are queued, with the usual limits and lifetime, and control is
 * told once; any LLC frame from the mobile releases them.
 *
 * The timer is tested when an N-PDU arrives: without N-PDUs the mobile's flag is not changed when it
 * expires.
 */
#ifndef DATAPLANE_WORKER_STANDBY_H
#define DATAPLANE_WORKER_STANDBY_H

#include "dataplane/context/context.h"

struct worker;

/* The rare case of standby_look(). */
void standby_wait(struct worker *w, struct ms *ms, int64_t now);

/* To be called before an N-PDU for the mobile is queued. */
static inline void standby_look(struct worker *w, const struct context *c, struct ms *ms, int64_t now)
{
    if (__builtin_expect((ms->sched.flags & SCHED_MS_LOST) != 0 || context_ms_is_silent(c, ms, now), 0))
        standby_wait(w, ms, now);
}

/* Tells control that N-PDUs are queued for a lost mobile, unless it knows, or the mobile is suspended. */
void standby_ask(struct worker *w, struct ms *ms);

/* The same, if N-PDUs are queued for it. */
void standby_look_back(struct worker *w, struct ms *ms);

/* After a frame from the mobile: tells control if it is being paged. */
void standby_heard(struct worker *w, struct ms *ms);

#endif
