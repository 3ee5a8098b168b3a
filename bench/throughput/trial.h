/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial: N-PDUs are offered at a load for a time, and the LLC frames received are counted. */
#ifndef BENCH_THROUGHPUT_TRIAL_H
#define BENCH_THROUGHPUT_TRIAL_H

#include "bench/statistics/gaps.h"
#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>

struct bench_recovery;

#define BENCH_TRIAL_OFFERED      0.98 /* offered / due: below that the generator is too slow */
#define BENCH_TRIAL_SLOW         3    /* trials below that in a row: the load counts as lost */
#define BENCH_TRIAL_BURST        32   /* N-PDUs that are always on their way */
#define BENCH_TRIAL_BACKLOG      0.04 /* and of a trial's */
#define BENCH_TRIAL_BACKLOG_MOST 256.0
#define BENCH_TRIAL_GAP_LOSS     2.0  /* gaps explain a loss of this share of the N-PDUs offered in them, */
#define BENCH_TRIAL_CLEAR_LOSS   0.01 /* and of this share of all; no goal of a search is as high */

struct bench_trial {
    double rate;          /* offered load, N-PDU/s; 0: the highest possible */
    int64_t gap_ns;       /* a longer turn is a gap */
    int64_t patience_ns;  /* the trial ends so long after its last frame; 0: a default by its duration */
    int64_t warm_ns;      /* load before it, which does not count */
    bool has_latency;     /* latency is sampled */
    uint64_t burst_npdus; /* not 0: a burst of so many, at the rate; ends at its last N-PDU */
    int64_t length_ns;    /* of the offered load; 0: the plan's trial_ns */
    struct bench_recovery *recovery;        /* N-PDUs are sorted by their sending time; NULL: they are not */
    uint64_t offered;                       /* N-PDUs offered, */
    uint64_t unsent;                        /* of them without room in the Gn ring, */
    uint64_t refused;                       /* and LLC frames of these */
    uint64_t expected;                      /* LLC frames without loss */
    uint64_t received;                      /* LLC frames, */
    uint64_t in_time;                       /* of them before the load ended */
    uint64_t wrong_fcs;                     /* of the frames that were decoded */
    uint64_t reordered;                     /* frames whose N(U) precedes the mobile's last one */
    int64_t took_ns;                        /* duration of the offered load */
    struct bench_gaps gaps, dut_gaps;       /* turns of the generator; silences of the DUT */
    uint32_t sample_count, sample_every;    /* latency of each sample_every-th N-PDU */
    uint64_t stamped;                       /* N-PDUs with a time stamp that came */
    double p50_us, p90_us, p99_us, p999_us; /* latency; 0 without samples */
    double max_us;                          /* of all N-PDUs with a time stamp */
};

/* Frame loss as a share. */
static inline double bench_trial_loss(const struct bench_trial *t)
{
    return t->received >= t->expected ? 0 : 1 - (double)t->received / (double)t->expected;
}

/* The most N-PDUs of a trial that may be in the rings when its load ends. */
static inline double bench_trial_backlog_most(double npdus)
{
    const double most = BENCH_TRIAL_BURST + BENCH_TRIAL_BACKLOG * npdus;
    return most < BENCH_TRIAL_BACKLOG_MOST ? most : BENCH_TRIAL_BACKLOG_MOST;
}

/* The share of N-PDUs that were not received while the load lasted. */
static inline double bench_trial_not_in_time(const struct bench_trial *t)
{
    return t->in_time >= t->expected ? 0 : 1 - (double)t->in_time / (double)t->expected;
}

/* The loss by which a search judges: with the backlog above the most, which a longer trial would lose. */
static inline double bench_trial_lasting_loss(const struct bench_trial *t)
{
    const double loss = bench_trial_loss(t), npdus = (double)t->offered;
    const double backlog = npdus * (bench_trial_not_in_time(t) - loss) - bench_trial_backlog_most(npdus);
    return backlog > 0 ? loss + backlog / npdus : loss;
}

/* N-PDUs offered in a second. */
static inline double bench_trial_rate(const struct bench_trial *t)
{
    return t->took_ns > 0 ? (double)t->offered / (double)t->took_ns * 1e9 : 0;
}

/* Whether the generator offered less than was due: it is too slow, or had a gap. */
static inline bool bench_trial_is_short(const struct bench_trial *t)
{
    return (double)t->offered < BENCH_TRIAL_OFFERED * t->rate * (double)t->took_ns * 1e-9;
}

/* Whether a trial is void: it has gaps, of either side, that explain its loss. A greater loss is a result:
 * the load is above any goal. */
static inline bool bench_trial_is_void(const struct bench_trial *t, const struct bench_gaps *gaps)
{
    const double gap_share = t->took_ns > 0 ? (double)gaps->sum_ns / (double)t->took_ns : 0;
    return gaps->longest_ns > 0 &&
           bench_trial_loss(t) <= BENCH_TRIAL_GAP_LOSS * gap_share + BENCH_TRIAL_CLEAR_LOSS;
}

#endif
