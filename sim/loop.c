/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/loop.h"

#include "dataplane/base/moment.h"

/* Bursts are bounded, so a busy instant takes many rounds; with more than these the actors are in an endless
   circle. */
#define ROUNDS_AT_ONE_INSTANT 10000000

/* Calls all actors until none has more to do at `now`; returns the next deadline, or now after
 * ROUNDS_AT_ONE_INSTANT. */
static int64_t loop_settle(struct loop *loop, int64_t now)
{
    for (unsigned round = 0; round < ROUNDS_AT_ONE_INSTANT; round++) {
        int64_t next = MOMENT_NEVER;
        for (size_t i = 0; i < loop->count; i++)
            next = moment_min(next, loop->actors[i].step(loop->actors[i].self, now));
        loop->rounds++;
        if (next > now)
            return next;
    }
    return now;
}

enum loop_end loop_run(struct loop *loop, int64_t *now, int64_t until)
{
    for (;;) {
        int64_t next = loop_settle(loop, *now);
        if (next <= *now)
            return LOOP_STUCK;
        if (loop->is_done && loop->is_done(loop->arg, *now))
            return LOOP_DONE;
        if (next > until) {
            *now = until;
            return LOOP_UNTIL;
        }
        *now = next;
    }
}
