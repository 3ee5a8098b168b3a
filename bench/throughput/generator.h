/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traffic generator and receiver on a CPU of its own: sends GTP-U for many mobiles on Gn at an offered
 * load, and receives LLC frames on Gb. Each worker of the DUT has a link of its own: a Gn and a Gb port, or,
 * at a node that runs by itself, the queue with the worker's number of the two ports. Bursts go to the links
 * in turn.
 *
 * A trial lasts trial_ns. N-PDUs are due by the clock. Lost are N-PDUs without room in the Gn ring, and
 * frames that have not arrived some time after the end. Without ciphering the last 8 octets of each N-PDU are
 * its sending time, and its last LLC frame gives a latency sample.
 *
 * A trial with a gap of the generator or of the DUT is void, unless far more was lost than the gaps explain
 * (trial.h). The generator sees its own gaps as long turns, those of the DUT as silences of Gb (gaps.h).
 */
#ifndef BENCH_THROUGHPUT_GENERATOR_H
#define BENCH_THROUGHPUT_GENERATOR_H

#include "bench/throughput/dut.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/traffic.h"
#include "bench/throughput/trial.h"
#include "control/base/clock.h"
#include "dataplane/base/teid.h"
#include "dataplane/ports/port.h"

struct bench_gb_peer;

#define BENCH_GENERATOR_SAMPLES (1U << 20)
#define BENCH_GENERATOR_BURST   32

/* Of one worker. */
struct bench_generator_link {
    struct bench_traffic traffic;
    struct port gn, gb;
    bool has_own_ring; /* frames wait in Gn's ring for the wire: none is lost for lack of room */
    uint16_t *next_nu; /* expected N(U) of each mobile; NULL without plan->is_fcs_checked */
    struct bench_gaps_silences silences; /* of Gb during a trial */
};

struct bench_generator {
    const struct bench_plan *plan;
    struct bench_point point;
    struct rte_mempool *rx_pool, *tx_pool;
    struct bench_generator_link links[TEID_WORKERS];
    unsigned link_count, next; /* next: the link of the next burst */
    struct clock_counter clock;
    unsigned frames_each[BENCH_TRAFFIC_SIZES];
    bool is_testpmd;                /* the DUT is testpmd: GTP-U frames come back unchanged */
    bool is_outside;                /* on devices of any kind: frames of others may arrive */
    struct bench_gb_peer *gb_peers; /* of each link: the signalling on Gb; NULL: there is none */
    bool is_gn_mac_known;           /* of the node outside */
    uint8_t gn_mac[6];
    int64_t asked_ns; /* for its addresses */
    int64_t *samples_ns;
};

/* Octets of DPDK memory that it needs. */
size_t bench_generator_memory_octets(unsigned workers);

/* Opens its ends of the DUT's memif links and waits until they are up. False, with a line on stderr. */
bool bench_generator_open(struct bench_generator *g, const struct bench_plan *plan,
                          const struct bench_point *point, struct bench_dut_process *dut);

/* The same on devices of any kind with a node behind them; makes a BSS for each worker in gb_peers, which are
 * not up yet. */
bool bench_generator_attach(struct bench_generator *g, const struct bench_plan *plan,
                            const struct bench_point *point, struct bench_gb_peer *gb_peers);
void bench_generator_close(struct bench_generator *g);

/* After bench_generator_attach(): N-PDUs of another size. False, with a line on stderr: out of memory. */
bool bench_generator_set_octets(struct bench_generator *g, uint16_t octets);

/* After bench_generator_attach(): testpmd is at the other ends, which has no signalling on Gb; or a node that
 * has just been started: the BSSs start from the beginning. False, with a line on stderr. */
bool bench_generator_set_testpmd(struct bench_generator *g, bool is_testpmd);

/* After bench_generator_attach(): finds the node's MAC addresses, and runs Gb until all cells are in
 * service, at most wait_ns. Whether they are. */
bool bench_generator_bring_up(struct bench_generator *g, int64_t wait_ns);

/* Then: sends bursts until several in a row come back whole, at most wait_ns: a node's control acknowledges
 * its cells before its workers send to them. Whether they did. */
bool bench_generator_is_through(struct bench_generator *g, int64_t wait_ns);

/* Connects memif links again, whose other end was started again; other ports do so by themselves. */
void bench_generator_reconnect(struct bench_generator *g);

/* Whether the ports of Gn and Gb have a link. */
bool bench_generator_has_link(const struct bench_generator *g);

/* One trial on the generator's CPU; the members of *trial up to `recovery` are given. */
void bench_generator_try(struct bench_generator *g, struct bench_trial *trial);

/* Two loads without a pause between them: over->rate for over->length_ns, then under->rate. The frames of
 * both that come are under->received. under->recovery begins with the second load, in slots for its
 * length_ns. */
void bench_generator_try_recovery(struct bench_generator *g, struct bench_trial *over,
                                  struct bench_trial *under);

/* Parts of a trial, for other loads, on the generator's CPU: sends up to BENCH_GENERATOR_BURST N-PDUs;
 * receives a burst of each link and returns the number of frames. */
void bench_generator_send(struct bench_generator *g, struct bench_trial *t, unsigned count, int64_t now);
unsigned bench_generator_take(struct bench_generator *g, struct bench_trial *t, int64_t now);

#endif
