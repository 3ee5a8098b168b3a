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

#include "dataplane/base/moment.h"
#include "dataplane/context/context.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define STANDBY_WAITS   4096 /* as many as the ring to control has places */
#define STANDBY_WAIT_NS MOMENT_SECOND

struct worker;

/* Waits for control's decision on a cell, in the order of their begins: the oldest is the first, at `first`.
 * Those that control has decided on stay until they are the first. Zeroed: empty. */
struct standby_waits {
    uint32_t first, count;
    struct standby_place {
        int64_t began_at_ns;
        uint32_t ms;
    } places[STANDBY_WAITS];
};

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

/* To be called when the mobile has become lost, suspended, held or reachable: has it paged if N-PDUs are
 * queued for it; does what standby_want() could not do before. */
void standby_look_back(struct worker *w, struct ms *ms, int64_t now);

/* Control has a message for the mobile: tells it when the mobile is in READY and neither suspended nor held,
 * at once or after a page. False: the ring to control is full. */
bool standby_want(struct worker *w, struct ms *ms, int64_t now);

/* Control has given up a page. A message waits on if that was since the mobile is suspended or held. */
void standby_page_end(struct ms *ms);

/* After a correct frame from a mobile with its TLLI in a cell, which may be another than its own if the frame
 * proves that it is there: the mobile is reachable, and control is told of another cell; if that is of the
 * mobile's NSE, once, and again as long as the mobile is heard there, at most once in a tick (ms.h). From
 * then on nothing is sent to the mobile until control has decided, for STANDBY_WAIT_NS at most, however often
 * it is heard meanwhile: what the frame brings goes to its GGSN at once, and an answer to it waits for the
 * move. Where the ring is full control does not hear of the cell; then, and while STANDBY_WAITS have places,
 * nothing waits. */
void standby_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now);

/* Control has decided on what it was told with that number, and the order of the move is carried out. After a
 * move the last number counts: the mobile may have been heard in a third cell meanwhile. A refusal ends the
 * wait, or frames from cells where it may not go, faster than control decides, would keep its N-PDUs. */
int standby_decided(struct worker *w, struct ms *ms, uint8_t number, int64_t now);

/* Ends waits that have lasted for STANDBY_WAIT_NS: N-PDUs go to the cell that control knows. At most
 * WORKER_BURST; returns how many places became free. */
unsigned standby_expire(struct worker *w, int64_t now);

/* When that is due; MOMENT_NEVER: nothing waits. */
static inline int64_t standby_next_ns(const struct standby_waits *waits)
{
    return waits->count > 0 ? waits->places[waits->first].began_at_ns + STANDBY_WAIT_NS : MOMENT_NEVER;
}

#endif
