/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends the downlink of many mobiles on one port at a given rate and takes what comes on another, on a core
 * of its own: the far side of Gn and of Gb in one. Several workers have two ports each, and bursts by turns.
 *
 * A trial lasts trial_ns. N-PDUs are due by the clock; one that its port's ring has no room for is lost, as
 * on a link without flow control, and so is what has not come a little after the end. In clear each N-PDU
 * ends in the instant at which it was sent, and its last frame tells how long it took.
 *
 * A trial is void when a turn here, or what is told of the device, took longer than a gap, unless far more
 * was lost than in gaps.
 */
#ifndef BENCH_THROUGHPUT_GENERATOR_H
#define BENCH_THROUGHPUT_GENERATOR_H

#include "bench/throughput/dut_process.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/traffic.h"
#include "bench/throughput/trial.h"
#include "control/base/clock.h"
#include "dataplane/base/teid.h"
#include "dataplane/ports/port.h"

struct bench_gb_peer;

#define BENCH_GENERATOR_SAMPLES (1U << 20)
#define BENCH_GENERATOR_BURST   32

/* To and from one worker. */
struct bench_generator_link {
    struct bench_traffic traffic;
    struct port gn, gb;
    uint16_t *next_nu; /* of each mobile's frames, as far as they are opened; with plan->is_fcs_checked */
};

struct bench_generator {
    const struct bench_plan *plan;
    struct bench_point point;
    struct rte_mempool *rx_pool, *tx_pool;
    struct bench_generator_link links[TEID_WORKERS];
    unsigned link_count, next; /* next: whose turn it is */
    struct clock_counter clock;
    unsigned frames_each[BENCH_TRAFFIC_SIZES];
    bool is_testpmd;               /* what was sent comes back as it is */
    struct bench_gb_peer *gb_peer; /* takes what is not the users' on Gb; NULL: all of it is */
    uint32_t *samples_ns;
};

/* Octets of DPDK's memory that it needs. */
size_t bench_generator_memory_octets(unsigned workers);

/* Opens the ends of the peer's links and waits for it. False, with a line on stderr. */
bool bench_generator_open(struct bench_generator *g, const struct bench_plan *plan,
                          const struct bench_point *point, struct bench_dut_process *dut);

/* The same on devices of any kind, with a node behind them that nobody waits for but `far`, which is made
 * here, and not yet up. */
bool bench_generator_attach(struct bench_generator *g, const struct bench_plan *plan,
                            const struct bench_point *point, struct bench_gb_peer *gb_peer);
void bench_generator_close(struct bench_generator *g);

/* Of one that is attached: until all cells are in service, or so long. Whether they are. */
bool bench_generator_bring_up(struct bench_generator *g, int64_t wait_ns);

/* Then: until bursts come back whole, some in a row, and nothing is left on its way, or so long. Control has
 * answered for its cells before workers let their packets pass. Whether they did. */
bool bench_generator_is_through(struct bench_generator *g, int64_t wait_ns);

/* One trial on the generator's core; trial->rate, gap_ns, patience_ns, warm_ns and has_latency are given. */
void bench_generator_try(struct bench_generator *g, struct bench_trial *trial);

/* The parts of a trial, for traffic of other shapes, on the generator's core. Sends up to
 * BENCH_GENERATOR_BURST N-PDUs; takes what is there, and returns how many frames that is. */
void bench_generator_send(struct bench_generator *g, struct bench_trial *t, unsigned count, int64_t now);
unsigned bench_generator_take(struct bench_generator *g, struct bench_trial *t, int64_t now);

#endif
