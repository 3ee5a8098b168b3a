/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames and T201 of a link: for the files of this folder alone. */
#ifndef DATAPLANE_ABM_ABM_PARTS_H
#define DATAPLANE_ABM_ABM_PARTS_H

#include "dataplane/abm/abm.h"

/* Flags of struct abm_sent. */
enum {
    ABM_ACKED = 1,
    ABM_POLLED = 2,  /* its last transmission had A = 1 */
    ABM_WAITING = 4, /* to be repeated */
    ABM_POLL = 8,    /* with A = 1 */
};

static inline uint16_t abm_number(uint32_t count)
{
    return count % LLC_NU_MODULUS;
}

static inline struct abm_sent *abm_sent_at(const struct abm *a, uint32_t count)
{
    return &a->sent[count & a->send_mask];
}

static inline void **abm_stored_at(const struct abm *a, uint32_t count)
{
    return &a->stored[count & a->receive_mask];
}

static inline bool abm_is_acked(const struct abm *a, uint32_t count)
{
    return (abm_sent_at(a, count)->flags & ABM_ACKED) != 0;
}

/* T201 starts for a frame; of a link without one, for a poll. */
static inline void abm_timer_start(struct abm *a, uint32_t count)
{
    a->is_timed = true;
    a->timed = count;
    a->timer = ABM_TIMER_START;
}

static inline void abm_timer_stop(struct abm *a)
{
    a->is_timed = false;
    a->timer = ABM_TIMER_STOP;
}

/* Marks a frame to be repeated, once. */
static inline void abm_wait(struct abm *a, struct abm_sent *sent, unsigned flags)
{
    if (!(sent->flags & ABM_WAITING))
        a->waiting++;
    sent->flags |= (uint8_t)(ABM_WAITING | flags);
}

/* The oldest frame that is not acknowledged, with all of these flags; V(S): none. */
uint32_t abm_oldest(const struct abm *a, unsigned flags);

#endif
