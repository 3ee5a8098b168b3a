/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends the downlink of many mobiles on one port at a given rate and takes what comes on another, on a core
 * of its own: the far side of Gn and of Gb in one. Several workers have two ports each, and bursts by turns.
 *
 * A trial lasts trial_ns. N-PDUs are due by the clock; one that its port's ring has no room for is lost, as
 * on a link without flow control, and so is what has not come a little after the end. In clear each N-PDU
 * ends in the instant at which it was sent, and its last frame tells how long it took.
 *
 * A trial is void when a turn here, or what is told of the device, took longer than a gap.
 */
#ifndef CONTROL_BENCH_GENERATOR_H
#define CONTROL_BENCH_GENERATOR_H

#include "control/bench_peer.h"
#include "control/bench_plan.h"
#include "control/bench_traffic.h"
#include "control/clock.h"
#include "dataplane/base/teid.h"
#include "dataplane/ports/port.h"

struct bench_far;

#define BENCH_GENERATOR_SAMPLES (1U << 20)
#define BENCH_GENERATOR_BURST   32
#define BENCH_GENERATOR_OFFERED 0.98 /* of what was due: less, and the generator is too slow */

struct bench_trial {
    double rate;            /* N-PDUs a second to offer; 0: as many as can be */
    int64_t gap_ns;         /* a turn that takes longer is a gap */
    int64_t patience_ns;    /* when nothing has come for so long nothing will; 0: as goes with its length */
    int64_t warm_ns;        /* before it, at its rate: nothing of that counts */
    bool has_latency;       /* wanted */
    uint64_t offered;       /* N-PDUs that were due and tried, */
    uint64_t unsent;        /* of them without room in the ring */
    uint64_t expected;      /* frames, if nothing were lost */
    uint64_t received;      /* frames */
    uint64_t wrong_fcs;     /* of those opened */
    uint64_t reordered;     /* frames with an N(U) before the mobile's last one */
    int64_t took_ns;        /* while N-PDUs were offered */
    int64_t longest_gap_ns; /* here, 0: none */
    uint32_t sample_count;
    double p50_us, p99_us; /* of the latency; 0 without samples */
};

/* To and from one worker. */
struct bench_generator_way {
    struct bench_traffic traffic;
    struct port gn, gb;
    uint16_t *next_nu; /* of each mobile's frames, as far as they are opened; with plan->is_fcs_checked */
};

struct bench_generator {
    const struct bench_plan *plan;
    struct bench_point point;
    struct rte_mempool *rx_pool, *tx_pool;
    struct bench_generator_way ways[TEID_WORKERS];
    unsigned way_count, next; /* next: whose turn it is */
    struct clock_counter clock;
    unsigned frames_each[BENCH_TRAFFIC_SIZES];
    bool is_mirror;        /* what was sent comes back as it is */
    struct bench_far *far; /* takes what is not the users' on Gb; NULL: all of it is */
    uint32_t *samples_ns;
};

/* Octets of DPDK's memory that it needs. */
size_t bench_generator_memory_octets(unsigned workers);

/* Opens the ends of the peer's links and waits for it. False, with a line on stderr. */
bool bench_generator_open(struct bench_generator *g, const struct bench_plan *plan,
                          const struct bench_point *point, struct bench_peer *peer);

/* The same on devices of any kind, with a node behind them that nobody waits for but `far`, which is made
 * here, and not yet up. */
bool bench_generator_attach(struct bench_generator *g, const struct bench_plan *plan,
                            const struct bench_point *point, struct bench_far *far);
void bench_generator_close(struct bench_generator *g);

/* Of one that is attached: until all cells are in service, or so long. Whether they are. */
bool bench_generator_bring_up(struct bench_generator *g, int64_t wait_ns);

/* Then: until bursts come back whole, some in a row, and nothing is left on its way, or so long. Control has
 * answered for its cells before workers let their packets pass. Whether they did. */
bool bench_generator_is_through(struct bench_generator *g, int64_t wait_ns);

/* From when on a turn may void a trial of a search, at a rate of each worker, N-PDUs a second or 0: a quarter
 * of what its ring lasts, for four of them fill it; but 50 us at least, for at rates far above what a worker
 * does no machine keeps to less, and no trial would count. most_ns at most. */
int64_t bench_generator_void_ns(int64_t most_ns, double rate);

/* One trial on the generator's core; trial->rate, gap_ns, patience_ns, warm_ns and has_latency are given. */
void bench_generator_try(struct bench_generator *g, struct bench_trial *trial);

/* The parts of a trial, for traffic of other shapes, on the generator's core. Sends up to
 * BENCH_GENERATOR_BURST N-PDUs; takes what is there, and returns how many frames that is. */
void bench_generator_send(struct bench_generator *g, struct bench_trial *t, unsigned count, int64_t now);
unsigned bench_generator_take(struct bench_generator *g, struct bench_trial *t, int64_t now);

/* The share that was lost. */
static inline double bench_trial_loss(const struct bench_trial *t)
{
    return t->received >= t->expected ? 0 : 1 - (double)t->received / (double)t->expected;
}

/* Whether less was offered than was due: the generator is too slow, or was away. */
static inline bool bench_trial_is_short(const struct bench_trial *t)
{
    return (double)t->offered < BENCH_GENERATOR_OFFERED * t->rate * (double)t->took_ns * 1e-9;
}

/* Whether a trial tells nothing, with the longest gap of both sides: above most_ns always, else if something
 * was lost. */
static inline bool bench_trial_is_void(const struct bench_trial *t, int64_t most_ns, int64_t longest_gap_ns)
{
    return longest_gap_ns > most_ns || (longest_gap_ns > 0 && t->received < t->expected);
}

#endif
