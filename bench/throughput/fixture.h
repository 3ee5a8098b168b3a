/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One worker fed from memory: a Gn port and a Gb port made of rings, mobiles with one PDP context each by
 * turns over its cells, all in one NSE, and traffic. Between two steps a burst of frames is written into
 * buffers and what was sent is counted and freed; only the steps are measured.
 *
 * With ports of its own (bench_fixture_ports) the frames are somebody else's to send and take.
 *
 * Its time is virtual: a step takes step_ns, so that what happens depends on the traffic alone.
 */
#ifndef BENCH_THROUGHPUT_FIXTURE_H
#define BENCH_THROUGHPUT_FIXTURE_H

#include "bench/throughput/fault.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/sink.h"
#include "bench/throughput/traffic.h"
#include "dataplane/ports/vport.h"

#define BENCH_FIXTURE_STEP_NS         3200
#define BENCH_FIXTURE_LIMITED_STEP_NS 32000 /* where cells' buckets limit: those are then of usual sizes */

struct worker;

/* ethdev ports, not yet started. */
struct bench_fixture_ports {
    uint16_t gn, gb;
};

struct bench_fixture {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    struct bench_traffic traffic;
    struct bench_sink sink;
    unsigned number, burst; /* N-PDUs offered in a step */
    bool is_outside;        /* its ports are its own */
    bool is_limited;        /* they are offered whatever waits */
    uint32_t mobiles, cells;
    int64_t step_ns, now;
    uint64_t fed;
};

/* Octets of DPDK's memory that a point needs. */
size_t bench_fixture_memory_octets(const struct bench_plan *plan, const struct bench_point *point);

/* Worker `number` of a point; ports NULL: made of rings in memory. NULL: error says why. */
struct bench_fixture *bench_fixture_new(const struct bench_plan *plan, const struct bench_point *point,
                                        unsigned number, const struct bench_fixture_ports *ports,
                                        struct bench_fault *error);

/* The traffic that a fixture's tunnels expect; for generators elsewhere. */
struct bench_traffic_params bench_fixture_traffic(const struct bench_plan *plan,
                                                  const struct bench_point *point, unsigned number);
void bench_fixture_free(struct bench_fixture *fixture);

/* Puts the next burst where the worker finds it, unless so much waits still. False: there is no buffer. */
bool bench_fixture_feed(struct bench_fixture *fixture);
void bench_fixture_step(struct bench_fixture *fixture);
void bench_fixture_collect(struct bench_fixture *fixture);

/* Each mobile has been fed an N-PDU, but for those that are never, or hardly ever, drawn. The first N-PDU of
 * a mobile never takes the short way, and keeps others behind it from it. */
bool bench_fixture_is_warm(const struct bench_fixture *fixture);

/* N-PDUs that have left, or were dropped. */
uint64_t bench_fixture_done(const struct bench_fixture *fixture);

/* Steps until nothing waits, or what does cannot leave. */
void bench_fixture_drain(struct bench_fixture *fixture);

/* After bench_fixture_drain(): adds counters that contradict each other, wrong frames, and mbufs that are
 * still in use. */
void bench_fixture_check(const struct bench_fixture *fixture, struct bench_fault *fault);

#endif
