/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a mobile is to be reached: its cell, as its frames prove, and READY or STANDBY.
 *
 * Mobiles are paged (TS 23.060 clause 6.2, TS 48.018 clause 7.1) when their READY timer has expired, or the
 * BSS lost them (RADIO-STATUS). Their N-PDUs are queued, with the usual limits and lifetime, and control is
 * told once; any LLC frame from the mobile releases them.
 *
 * The timer is tested when an N-PDU arrives: without N-PDUs the mobile's flag is not changed when it
 * expires.
 */
#ifndef DATAPLANE_WORKER_STANDBY_H
#define DATAPLANE_WORKER_STANDBY_H

#include "dataplane/context/context.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* The rare case of standby_look(). */
void standby_wait(struct worker *w, struct ms *ms, int64_t now);

/* To be called before an N-PDU for the mobile is queued. True: it is suspended, held, or not to be reached.
 */
static inline bool standby_look(struct worker *w, const struct context *c, struct ms *ms, int64_t now)
{
    if (__builtin_expect((ms->sched.flags & SCHED_MS_FROZEN) == 0 && !context_ms_is_silent(c, ms, now), 1))
        return false;
    standby_wait(w, ms, now);
    return true;
}

/* The same, if N-PDUs are queued for it. */
void standby_look_back(struct worker *w, struct ms *ms);

/* Control has a message for the mobile: tells it when the mobile is in READY, at once or after a page. False:
 * the ring to control is full. */
bool standby_want(struct worker *w, struct ms *ms, int64_t now);

/* After a correct frame from a mobile with its TLLI in a cell, which may be another than its own if the frame
 * proves that it is there: the mobile is reachable, and control is told of another cell; if that is of the
 * mobile's NSE, once, and again as long as the mobile is heard there, at most once in a tick (ms.h). */
void standby_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now);

#endif
