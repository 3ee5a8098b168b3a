/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Th (TS 48.018 clause 8.2.3.2.1, table 12.3) of the mobiles with values of their own: the worker itself ends
 * the values of FLOW-CONTROL-MS, at the nanosecond, however busy control is. Control counts such mobiles by a
 * timer of its own, which changes no bucket.
 *
 * The mobiles are in a list in the order of their ends. As Th is the same for all but for those of before a
 * reload, a mobile that begins is nearly always the last.
 */
#ifndef DATAPLANE_CONTEXT_TH_H
#define DATAPLANE_CONTEXT_TH_H

#include <stdbool.h>
#include <stdint.h>

struct th {
    int64_t end_ns; /* 0: the mobile is not in the list */
    uint32_t prev, next;
};

/* By index of a mobile; first_ns: end of the first, MOMENT_NEVER: the list is empty. */
struct ths {
    int64_t first_ns;
    struct th *of;
    uint32_t first, last;
};

/* False: out of memory. */
bool th_new(struct ths *ths, uint32_t mobiles);
void th_free(struct ths *ths, uint32_t mobiles);

/* The mobile's own values end at end_ns, and no longer at another instant. */
void th_start(struct ths *ths, uint32_t index, int64_t end_ns);
/* They ended otherwise. */
void th_stop(struct ths *ths, uint32_t index);

#endif
