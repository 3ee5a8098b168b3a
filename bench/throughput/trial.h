/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trial is, and what it tells: N-PDUs are offered at a rate for a while, and what comes back is
 * counted. */
#ifndef BENCH_THROUGHPUT_TRIAL_H
#define BENCH_THROUGHPUT_TRIAL_H

#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>

#define BENCH_TRIAL_OFFERED    0.98 /* of what was due: less, and the generator is too slow */
#define BENCH_TRIAL_GAP_LOSS   2.0  /* of what is offered in gaps: so much, for caches are cold after them, */
#define BENCH_TRIAL_CLEAR_LOSS 0.01 /* and of all, can be lost for their sake; no goal is as high */

/* Of turns that took longer than something; 0: there was none. */
struct bench_gaps {
    int64_t longest_ns, sum_ns;
};

static inline void bench_gaps_add(struct bench_gaps *all, const struct bench_gaps *more)
{
    all->longest_ns = moment_max(all->longest_ns, more->longest_ns);
    all->sum_ns += more->sum_ns;
}

struct bench_trial {
    double rate;            /* N-PDUs a second to offer; 0: as many as can be */
    int64_t gap_ns;         /* a turn that takes longer is a gap */
    int64_t patience_ns;    /* when nothing has come for so long nothing will; 0: as goes with its length */
    int64_t warm_ns;        /* before it, at its rate: nothing of that counts */
    bool has_latency;       /* wanted */
    uint64_t offered;       /* N-PDUs that were due and tried, */
    uint64_t unsent;        /* of them without room in the ring, */
    uint64_t refused;       /* and their frames */
    uint64_t expected;      /* frames, if nothing were lost */
    uint64_t received;      /* frames */
    uint64_t wrong_fcs;     /* of those opened */
    uint64_t reordered;     /* frames with an N(U) before the mobile's last one */
    int64_t took_ns;        /* while N-PDUs were offered */
    struct bench_gaps gaps; /* here */
    uint32_t sample_count;
    double p50_us, p99_us; /* of the latency; 0 without samples */
};

/* The share that was lost. */
static inline double bench_trial_loss(const struct bench_trial *t)
{
    return t->received >= t->expected ? 0 : 1 - (double)t->received / (double)t->expected;
}

/* Whether less was offered than was due: the generator is too slow, or was away. */
static inline bool bench_trial_is_short(const struct bench_trial *t)
{
    return (double)t->offered < BENCH_TRIAL_OFFERED * t->rate * (double)t->took_ns * 1e-9;
}

/* Whether a trial tells nothing: there were gaps, of both sides, unless more was lost than they can be the
 * reason for, which says that the rate is above any goal. */
static inline bool bench_trial_is_void(const struct bench_trial *t, const struct bench_gaps *gaps)
{
    const double gap_share = t->took_ns > 0 ? (double)gaps->sum_ns / (double)t->took_ns : 0;
    return gaps->longest_ns > 0 &&
           bench_trial_loss(t) <= BENCH_TRIAL_GAP_LOSS * gap_share + BENCH_TRIAL_CLEAR_LOSS;
}

#endif
