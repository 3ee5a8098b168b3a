/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fixture: a worker with one NSE, its cells, and mobiles with one PDP context each, spread over the cells
 * in turn; a Gn port, a Gb port, and traffic.
 *
 * By default the ports are rings in memory: bench_fixture_feed() puts a burst of GTP-U frames into Gn,
 * bench_fixture_step() is one step of the worker, bench_fixture_collect() counts and frees the frames of Gb.
 * With given ethdev ports (bench_fixture_ports) another process sends and receives.
 *
 * Time is virtual, step_ns for each step, so that results depend on the traffic and the seed alone.
 */
#ifndef BENCH_THROUGHPUT_FIXTURE_H
#define BENCH_THROUGHPUT_FIXTURE_H

#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/sink.h"
#include "bench/throughput/traffic.h"
#include "dataplane/ports/port.h"

#define BENCH_FIXTURE_STEP_NS         3200
#define BENCH_FIXTURE_LIMITED_STEP_NS 32000 /* with limited BVC buckets: their size is then a usual one */

struct bench_guard;
struct worker;
struct xworker;

/* ethdev ports, not yet started. */
struct bench_fixture_ports {
    uint16_t gn, gb;
};

/* The traffic that is fed to a worker that has others: the next frame is of the next of these, whose mobiles
 * may be another worker's. */
struct bench_fixture_mix {
    struct bench_traffic *traffics;
    unsigned count, next; /* count 0: nothing comes */
};

struct bench_fixture {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    const struct bench_guard *guard;
    void *ends; /* of the guard; NULL: without one */
    struct worker *worker;
    struct bench_traffic traffic;
    struct bench_fixture_mix *mix; /* NULL: the traffic alone, without other workers */
    struct bench_sink sink;
    unsigned number, burst; /* burst: N-PDUs offered in a step */
    bool is_outside;        /* the ports were given */
    bool is_limited;        /* BVC buckets limit; N-PDUs are offered however many are queued */
    uint32_t mobiles, cells;
    int64_t step_ns, now;
    uint64_t fed;
};

/* Octets of DPDK memory that a point needs. */
size_t bench_fixture_memory_octets(const struct bench_plan *plan, const struct bench_point *point);

/* The most that a point of the plan needs, each with least_workers workers at least. */
size_t bench_fixture_most_octets(const struct bench_plan *plan, unsigned least_workers);

/* Worker `number` of a point; ports NULL: made of rings in memory. NULL: error says why. */
struct bench_fixture *bench_fixture_new(const struct bench_plan *plan, const struct bench_point *point,
                                        unsigned number, const struct bench_fixture_ports *ports,
                                        struct bench_fault *error);

/* The part of worker `number` of a sum of mobiles or cells; the sum of the parts of the workers before it. */
uint32_t bench_fixture_part(uint32_t sum, unsigned number, unsigned workers);
uint32_t bench_fixture_first(uint32_t sum, unsigned number, unsigned workers);

/* The traffic that matches the tunnels of worker `number`, for generators. */
struct bench_traffic_params bench_fixture_traffic(const struct bench_plan *plan,
                                                  const struct bench_point *point, unsigned number);
void bench_fixture_free(struct bench_fixture *fixture);

/* The worker has others from now on, as many as x->count; `mix` is fed. Frames may then be sent by another
 * fixture than was fed; nothing is fed while frames wait at Gn or for room on a ring. */
void bench_fixture_join(struct bench_fixture *fixture, struct xworker *x, struct bench_fixture_mix *mix);

/* Puts the next burst into Gn, unless more than a burst is queued. False: out of mbufs. */
bool bench_fixture_feed(struct bench_fixture *fixture);
void bench_fixture_step(struct bench_fixture *fixture);
void bench_fixture_collect(struct bench_fixture *fixture);

/* Whether each mobile that the traffic draws, but for very rare ones, has had several N-PDUs. The first of a
 * mobile is always queued, and N-PDUs behind it cannot bypass the queue; its AQM scheme is asked in full
 * about the second. */
bool bench_fixture_is_warm(const struct bench_fixture *fixture);

/* N-PDUs sent; with limited buckets also those dropped. */
uint64_t bench_fixture_done(const struct bench_fixture *fixture);

/* Steps until no N-PDU is queued, or for a limited number of steps. */
void bench_fixture_drain(struct bench_fixture *fixture);

/* After bench_fixture_drain(): adds counters that contradict each other, wrong frames, and mbufs that are
 * still in use. */
void bench_fixture_check(const struct bench_fixture *fixture, struct bench_fault *fault);

#endif
