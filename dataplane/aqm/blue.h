/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BLUE's chance (Feng, Shin, Kandlur and Saha 2002, section III): events move it, not the length of the
 * queue. A queue that is too long raises it, one that has run empty lowers it, each at most once in a freeze
 * time: full:  chance += up    idle:  chance -= down "Full" is a backlog of `limit_octets`, which the paper
 * gives for queues that keep room for bursts, and not a loss. An idle time lowers the chance once per freeze
 * time in it; this is done at its end, as no hook is called before.
 */
#ifndef DATAPLANE_AQM_BLUE_H
#define DATAPLANE_AQM_BLUE_H

#include "dataplane/aqm/aqm.h"

struct blue_law {
    uint64_t limit_octets;
    int64_t up, down; /* factors */
};

struct blue_state {
    int64_t chance;     /* a factor */
    int64_t changed_ns; /* last change of chance */
    int64_t idle_ns;    /* since when the queue is empty; from the start */
};

void blue_law_start(struct blue_state *state, int64_t freeze_ns, int64_t now);

/* A packet arrives. */
void blue_law_come(const struct blue_law *law, struct blue_state *state, int64_t freeze_ns,
                   const struct aqm_view *view, int64_t now);

/* A packet leaves. */
void blue_law_leave(const struct blue_law *law, struct blue_state *state, int64_t freeze_ns,
                    const struct aqm_view *view, int64_t now);

/* Draws from view->random. */
static inline bool blue_law_hits(const struct blue_state *state, const struct aqm_view *view)
{
    return aqm_fixed_uniform(view->random) < state->chance;
}

#endif
