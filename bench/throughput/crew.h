/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crew: workers of one process with rings between them, fed from memory (fixture.h), and what passes
 * between them, counted.
 *
 * Each worker has the same number of mobiles however many of the crew work, so that the number of workers is
 * all that differs. A frame comes to a worker as enum bench_deal says; a frame of another worker's mobile is
 * steered. In bench_crew_count() one thread calls the workers in turn, as virtual time does: the counts need
 * no CPU for each worker and are the same in each run.
 *
 * Lines: of 64 octets, which one worker wrote and another one reads. For each burst on a ring the receiver
 * reads the line of the producer's tail and those of the slots, and the sender later that of the consumer's
 * tail. For each frame the receiver reads the buffer's struct rte_mbuf (2) and struct n_pdu (1), the headers,
 * over which the sender has written what it decoded, and the rest of the frame. The rest was written by the
 * feeder, on the sender's CPU; of a card it comes from wherever the card puts frames. With a buffer go back
 * struct rte_mbuf, struct n_pdu, headers and its place in the pool (1 / 8): the sender reads them when it
 * receives into that buffer again, which is no part of a step here.
 */
#ifndef BENCH_THROUGHPUT_CREW_H
#define BENCH_THROUGHPUT_CREW_H

#include "bench/throughput/fixture.h"
#include "bench/throughput/scaling.h"
#include "bench/throughput/timed_worker.h"
#include "dataplane/base/teid.h"

struct bench_crew {
    unsigned count;
    struct bench_timed_worker timed[TEID_WORKERS];
    struct xworker *rings[TEID_WORKERS + 1]; /* by the number that work; made when first used */
    struct bench_traffic *traffics;          /* of each worker those of all: [worker * count + of] */
    struct bench_fixture_mix mixes[TEID_WORKERS];
};

/* Of all workers together. */
struct bench_crew_counts {
    uint64_t n_pdus, steered;
    uint64_t full, waited; /* dropped, as a ring was full; steps after which frames waited for room */
    uint64_t puts, takes;  /* bursts put on rings and taken off them */
    uint64_t tail_lines;   /* the producers' tails, read by receivers */
    uint64_t slot_lines;   /* pointers, read by receivers */
    uint64_t record_lines; /* struct rte_mbuf and struct n_pdu, */
    uint64_t header_lines; /* Gn's headers, */
    double rest_lines;     /* the rest of frames, all read by receivers */
    uint64_t room_lines;   /* the consumers' tails, read by senders */
    double back_lines;     /* that go back with buffers */
};

/* `point->workers` workers with equal parts of point->mobiles and cells. False, with a line on stderr. */
bool bench_crew_open(struct bench_crew *crew, const struct bench_plan *plan, const struct bench_point *point);
void bench_crew_close(struct bench_crew *crew);

/* The first `workers` of the crew work from now on. False: out of memory for rings. */
bool bench_crew_deal(struct bench_crew *crew, unsigned workers, enum bench_deal deal);

/* The first two work; the first one gets frames of the second one's mobiles alone. */
bool bench_crew_deal_away(struct bench_crew *crew);

/* Steps of each of `workers`, one after the other, after a deal. */
void bench_crew_count(struct bench_crew *crew, unsigned workers, unsigned steps,
                      struct bench_crew_counts *out);

/* The share and the lines of the model. */
struct bench_scaling_counts bench_crew_share(const struct bench_crew_counts *counts);

/* Steps all workers, fed nothing, until no frame is under way; adds counters that contradict each other and
 * mbufs that are still in use. */
void bench_crew_check(struct bench_crew *crew, struct bench_fault *fault);

#endif
