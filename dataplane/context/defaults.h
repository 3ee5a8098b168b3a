/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bmax_default_MS and R_default_MS of a cell, taken over by its mobiles when somebody next looks at them,
 * exactly as if each had been told at the instant of the change.
 *
 * Model: what leaks from a mobile's bucket that follows the defaults is, in 10^-9 bit,
 *
 *     leak(t) = R t + offset,    from one change to the next, and the offset keeps it continuous:
 *     offset_after = offset_before + (R_before - R_after) t_change
 *
 * A mobile keeps the R and offset under which its bucket was last touched, at t. However many changes there
 * were since, leak of the cell at the last of them less its own leak(t) is what had left its bucket by then
 * (one that ran empty on the way was empty at the end, too). So a change costs nothing for mobiles of which
 * nothing waits.
 */
#ifndef DATAPLANE_CONTEXT_DEFAULTS_H
#define DATAPLANE_CONTEXT_DEFAULTS_H

#include "dataplane/queue/bucket.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 defaults_nbit;

struct defaults {
    defaults_nbit offset_nbit;
    uint64_t max_octets; /* before the caps of single mobiles */
    uint64_t rate_bps;
    int64_t since_ns; /* the last change */
    uint32_t epoch;   /* counts changes */
};

/* Another Bmax and R from now on; false: they are the same. */
bool defaults_set(struct defaults *d, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* The same values count as others from now on. */
void defaults_renew(struct defaults *d, int64_t now);

/* Lets leak from a bucket that followed d when its offset was offset_nbit what had left it by the last
 * change: it then is as it was at that instant. Bmax and R are the caller's to set. */
void defaults_leak(const struct defaults *d, struct bucket *b, defaults_nbit offset_nbit);

#endif
