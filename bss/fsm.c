/* SPDX-License-Identifier: BSD-3-Clause */
/* A state machine as a table, with one timer: what an event does, and when the timer raises one. */
#include "bss/fsm.h"

#include "bss/model.h"

#include <stdbool.h>
#include <stdint.h>

void bss_fsm_init(struct bss_fsm *fsm, const struct bss_fsm_row *rows, uint8_t events, void *self)
{
    *fsm = (struct bss_fsm){.rows = rows, .self = self, .events = events, .due_ns = INT64_MAX};
}

void bss_fsm_event(struct bss *bss, struct bss_fsm *fsm, unsigned event, int64_t now)
{
    const struct bss_fsm_row *row = &fsm->rows[fsm->state * fsm->events + event];
    if (!row->action) {
        bss->stats.unexpected++;
        return;
    }
    fsm->state = row->next;
    row->action(bss, fsm->self, now);
}

void bss_fsm_start(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns, int retries)
{
    fsm->retries = retries;
    bss_fsm_again(bss, fsm, due_ns);
}

void bss_fsm_again(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns)
{
    fsm->due_ns = due_ns;
    if (due_ns < bss->due_ns)
        bss->due_ns = due_ns;
}

void bss_fsm_stop(struct bss_fsm *fsm)
{
    fsm->due_ns = INT64_MAX;
}

bool bss_fsm_expire(struct bss *bss, struct bss_fsm *fsm, int64_t now)
{
    if (fsm->due_ns > now)
        return false;
    fsm->due_ns = INT64_MAX;
    if (fsm->retries == 0) {
        bss->stats.gave_up++;
        bss_fsm_event(bss, fsm, BSS_FSM_GAVE_UP, now);
        return true;
    }
    if (fsm->retries > 0)
        fsm->retries--;
    bss_fsm_event(bss, fsm, BSS_FSM_TIMEOUT, now);
    return true;
}

void bss_fsm_ignore(struct bss *bss, void *self, int64_t now)
{
}
