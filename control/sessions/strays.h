/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strays: phones that send, but that the node does not know, for example after its restart. A stray is told
 * to attach again. Anyone can send such frames, so each TLLI is answered once in STRAYS_PAUSE_NS, and each
 * NSE STRAYS_PER_SECOND times in a second, with bursts of as many.
 */
#ifndef CONTROL_SESSIONS_STRAYS_H
#define CONTROL_SESSIONS_STRAYS_H

#include <stdbool.h>
#include <stdint.h>

#define STRAYS_PAUSE_NS   5000000000
#define STRAYS_PER_SECOND 20
#define STRAYS_TLLIS      1024 /* hashes of TLLIs */
#define STRAYS_NSES       64   /* NSEs (by slot modulo this number) with a budget of their own */

/* All zero: none. */
struct strays {
    int64_t answered_ns[STRAYS_TLLIS]; /* by a hash of the TLLI: until when no other frame is answered */
    int64_t whole_ns[STRAYS_NSES];     /* when the NSE's budget is whole again */
    uint64_t refused;                  /* frames that were not answered because of these limits */
};

/* Whether a frame of an unknown TLLI in an NSE (slot) is answered at `now`; if so, charges it. */
bool strays_may_answer(struct strays *s, uint16_t nse, uint32_t tlli, int64_t now);

#endif
