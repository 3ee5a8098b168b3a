/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rate at which a cell drains, which takes R's place where FLOW-CONTROL-BVC contradicts itself.
 *
 * OsmoPCU with EGPRS computes R from the use of its radio blocks (TS 48.018 clause 8.2.3.2 leaves that to the
 * BSS). A block of MCS-7 to MCS-9 bears two RLC blocks, each of which it counts as a block used: the better a
 * full cell works, the less it announces, down to a tenth, or after a wrap-around the largest value there is.
 *
 * Model: from one FLOW-CONTROL-BVC to the next, t later, a cell that was sent `sent` octets has drained
 *
 *     drained = min((sent + held before) / (t + delay), (sent + held before - level) / t)
 *     held    = max(delay drained, level)
 *
 * where delay is its BVC Measurement, which times `drained` gives the octets queued there, and level that of
 * its bucket. The R that is judged is the one announced at the begin of that time: what drained before cannot
 * contradict it, as a BSS may lose timeslots to calls. It was
 *
 *     too small    R < drained / 2, or R < 3/4 drained and the delay is longer than the target, or
 *                  R < R_default_MS / 2 although the cell has drained 3/4 R and its delay is aim at most
 *     too large    R > 16 drained, the delay is longer than the target, and more than an LLC-PDU is queued
 *
 * and then R is in doubt for DRAINED_DOUBTS announcements. With the first one that was too small the next R
 * still counts, and seen = R. With each further one the rate is found by the delay, towards aim = 3/5 target,
 * x = 1 - delay / aim:
 *
 *     delay <= aim          seen <- max(seen, drained)       rate = max(seen, drained (1 + x^2 / 4))
 *     one LLC-PDU queued    seen                             rate = seen
 *     else                  seen <- max(seen / 2, drained)   rate = seen (1 - min((delay - aim) / 1 s, 1/2))
 *
 * R bounds the rate if it is `seen` at least; else R + Bmax / t does, with the largest Bmax announced since R
 * is in doubt: more than Bmax ahead of R a BSS is never sent. R = 0 always stops the cell. If a largest
 * LLC-PDU takes longer than the target at `seen`, that time is the target, as in lua/gb/drain.lua.
 *
 * Invariant: as long as no announcement contradicts itself, the rate is R.
 *
 * Not here: the drain of a single mobile, and a cell that measures no delay.
 */
#ifndef DATAPLANE_CONTEXT_DRAINED_H
#define DATAPLANE_CONTEXT_DRAINED_H

#include <stdbool.h>
#include <stdint.h>

/* Twice 5, which is enough where R wraps around in drained_test: 100 % are drained, with 3 only 55 %. */
#define DRAINED_DOUBTS 10

/* All 0 before the first announcement. */
struct drained {
    int64_t announced_at_ns; /* last */
    uint64_t sent_octets;    /* then */
    uint64_t held_octets;    /* then, believed */
    uint64_t said_bps;       /* R then, or of one that came soon after it if that is larger */
    uint64_t bucket_octets;  /* largest Bmax since R is in doubt */
    uint64_t seen_bps;
    uint64_t rate_bps; /* that counts while R is in doubt */
    uint8_t doubts;    /* announcements that R stays in doubt */
    bool is_begun;
};

/* An announcement with a measured delay. */
struct drained_report {
    uint64_t rate_bps, ms_rate_bps; /* R, R_default_MS */
    uint64_t bucket_octets;         /* Bmax */
    uint64_t sent_octets;           /* to the cell so far */
    uint64_t level_octets;          /* of its bucket */
    int64_t delay_ns, target_ns;
};

/* Takes an announcement that came at now: then d->rate_bps counts while d->doubts. One that comes less than
 * 200 ms after another one says nothing of what drained. */
void drained_observe(struct drained *d, const struct drained_report *report, int64_t now);

#endif
