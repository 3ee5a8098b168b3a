/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bmax_default_MS and R_default_MS of a cell. Each mobile that follows them applies a change when its bucket
 * is next used, with the same result as at the instant of the change.
 *
 * Model: the leak of a bucket that follows the defaults is, in 10^-9 bit,
 *
 *     leak(t) = R t + offset,    from one change to the next, and the offset keeps it continuous:
 *     offset_after = offset_before + (R_before - R_after) t_change
 *
 * A mobile stores the R and offset with which its bucket was last changed, at t. After any number of
 * changes, the cell's leak at the last of them, minus the mobile's own leak(t), is what has left its bucket
 * by then (a bucket that ran empty in between is empty at the end, too). So a change costs nothing for
 * mobiles without queued N-PDUs.
 */
#ifndef DATAPLANE_CONTEXT_DEFAULTS_H
#define DATAPLANE_CONTEXT_DEFAULTS_H

#include "dataplane/queue/bucket.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 defaults_nbit;

struct defaults {
    defaults_nbit offset_nbit;
    uint64_t max_octets; /* before the caps of each mobile */
    uint64_t rate_bps;
    int64_t since_ns; /* the last change */
    uint32_t epoch;   /* counts changes */
};

/* Sets Bmax and R from now on; false: they are unchanged. */
bool defaults_set(struct defaults *d, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* Counts as a change without other values. */
void defaults_renew(struct defaults *d, int64_t now);

/* Leaks from a bucket that followed d with offset_nbit up to the last change: its state is then that of that
 * instant. The caller sets Bmax and R. */
void defaults_leak(const struct defaults *d, struct bucket *b, defaults_nbit offset_nbit);

#endif
