/* SPDX-License-Identifier: BSD-3-Clause */
/* A load of gbflow's scheduler, as the worker uses it, without frames: mobiles of 20 kbit/s in cells of 100,
 * a cell with the sum of their rates, a link without a rate. N-PDUs of 490 octets each leave in an LLC-PDU of
 * 500. Levels and phases of the cells' buckets are drawn by chance: cells in step would open in one instant,
 * which no network's do. */
#ifndef BENCH_THROUGHPUT_LOAD_H
#define BENCH_THROUGHPUT_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_LOAD_BURST      32
#define BENCH_LOAD_LLC_OCTETS 500
#define BENCH_LOAD_QUEUE      8 /* most N-PDUs of a mobile */
#define BENCH_LOAD_BACKLOG    2 /* N-PDUs that each mobile always has */

struct aqm_ops;
struct bench_load;

struct bench_load_params {
    uint32_t mobiles;
    double percent;            /* of the mobiles' rates: a step is as long as its burst takes then */
    bool is_backlogged;        /* each mobile always has N-PDUs; else bursts for random ones come */
    bool are_cells_open;       /* cells are never the limit */
    bool are_cells_unequal;    /* R and Bmax of cells are 70 to 130 % of the above */
    uint32_t flows;            /* 5-tuples of each mobile, at most 8; 0: without flow queues */
    bool is_q;                 /* flow queues as of queues.discipline = "q"; else deficit round robin */
    const struct aqm_ops *aqm; /* for each mobile, with its defaults; NULL: none */
};

/* NULL: out of memory. */
struct bench_load *bench_load_new(const struct bench_load_params *params);
void bench_load_free(struct bench_load *load);

/* A step: time advances; what may leave leaves. Then a burst of N-PDUs is queued, or for those that left as
 * many. Returns the LLC-PDUs that left. */
unsigned bench_load_step(struct bench_load *load);

/* Steps for that long, in the time of the scheduler, or until is_stopped() unless it is NULL; at least one.
 * Returns how many; adds the LLC-PDUs that left to *sent unless it is NULL. */
uint64_t bench_load_run(struct bench_load *load, int64_t duration_ns, uint64_t *sent,
                        bool (*is_stopped)(void));

#endif
