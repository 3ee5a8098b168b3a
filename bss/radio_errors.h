/* SPDX-License-Identifier: BSD-3-Clause */
/* Block error rates of a radio that vary in time: a rate by steps for the whole cell, and fading of single
   mobiles.

   Model. A step's rate holds from its instant to that of the next; before the first step and without steps
   the rate is that of the cell. Fading is the channel of Gilbert (1960) and Elliott (1963) in continuous
   time: each mobile is in a good or a bad state, whose lengths are exponentially distributed, independently
   of other mobiles. In the bad state its blocks of both directions have the rate of that state, in the good
   one the rate of the cell or step. A block has the state in which its period begins.

   Not here: states that depend on the coding scheme, correlation of mobiles, and memory from cell to cell. */
#ifndef BSS_RADIO_ERRORS_H
#define BSS_RADIO_ERRORS_H

#include "dataplane/base/rng.h"

#include <stddef.h>

struct radio_errors_step {
    int64_t from_ns; /* rises from step to step */
    uint32_t bler_ppm, bler_up_ppm;
};

struct radio_errors_config {
    const struct radio_errors_step *steps; /* the caller's; they outlive the radio */
    size_t step_count;                     /* 0: none */
    int64_t start_ns;                      /* when the steps' time and the states begin */
    int64_t repeat_ns;                     /* after which the steps' time begins again; 0: never */
    int64_t good_ns, bad_ns;               /* mean lengths of the states; both 0: no fading */
    uint32_t bad_bler_ppm;                 /* in the bad state, < 1 000 000 */
};

/* State of one mobile. */
struct radio_errors_fade {
    struct rng rng;
    int64_t until_ns;
    bool is_bad;
};

/** Asserts the ranges in the struct. */
void radio_errors_check(const struct radio_errors_config *config);

/** A mobile's state at config->start_ns, drawn by the shares of both states. `tlli` chooses its numbers. */
void radio_errors_fade_init(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                            uint64_t seed, uint32_t tlli);

/** The step of an instant; NULL: none holds. */
const struct radio_errors_step *radio_errors_step_at(const struct radio_errors_config *config, int64_t now);

/** Whether the mobile is in the bad state at `now`, which never goes back. */
bool radio_errors_is_bad(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                         int64_t now);

#endif
