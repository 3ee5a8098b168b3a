/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several workers of one process, stepped by the test one after the other, each with its own ports, NSE and
 * cells. Every step holds the sums of stats.h; cluster_close() holds that every buffer came back.
 */
#ifndef TESTS_UNIT_DATAPLANE_SHARD_CLUSTER_H
#define TESTS_UNIT_DATAPLANE_SHARD_CLUSTER_H

#include "tests/unit/dataplane/worker/kit.h"

#define CLUSTER_WORKERS 4 /* at most */
#define CLUSTER_CELLS   3 /* of each worker: BVCI 2, 3, 4 */
#define CLUSTER_MOBILES 128
#define CLUSTER_PDPS    (2 * CLUSTER_MOBILES)
#define CLUSTER_ANSWERS 256
#define CLUSTER_TOLD    64

/* Zero stands for 2 workers, 8191 buffers, N201-U 500, 1 MB, as many mobiles away as there may be. */
struct cluster_options {
    unsigned workers;
    uint32_t buffers;
    uint16_t n201_u;
    uint32_t queue_limit_octets;
    uint32_t remote_mobiles_max;
    struct link_settings abm;                /* links 0: no acknowledged mode */
    struct compression_settings compression; /* entities 0: off */
    bool is_told; /* control wants to hear of strangers, and the test of what workers say besides answers */
    void (*configure)(void *arg,
                      struct worker_config *config); /* NULL, or changes what a worker is made of */
    void *configure_arg;
};

struct cluster_node {
    struct vport gn, gb;
    struct worker *worker;
    struct msg answers[CLUSTER_ANSWERS]; /* not yet asked for */
    unsigned answer_count;
    struct msg told[CLUSTER_TOLD]; /* likewise, with is_told */
    unsigned told_count;
};

struct cluster {
    struct cluster_options options;
    struct rte_mempool *rx_pool, *tx_pool;
    struct xworker *xworker;
    struct cluster_node nodes[CLUSTER_WORKERS];
    int64_t now;
    uint32_t seq;
    /* Each frame that a worker sends on Gb, as soon as its step is over; NULL: it stays at the port. */
    void (*on_gb)(void *arg, unsigned worker, const uint8_t *frame, size_t octets);
    void *arg;
};

void cluster_open(struct cluster *c, const struct cluster_options *options);
void cluster_close(struct cluster *c);

/* One step of one worker; its deadline. */
int64_t cluster_step(struct cluster *c, unsigned worker);
/* Steps all until all rest; nothing is on its way then. */
void cluster_settle(struct cluster *c);
void cluster_settle_at(struct cluster *c, int64_t now);

/* Puts a request on a worker's ring; its sequence number. */
uint32_t cluster_post(struct cluster *c, unsigned worker, const struct msg *msg);
/* Whether it was answered, and how; an answer is told once. */
bool cluster_is_answered(struct cluster *c, unsigned worker, uint32_t seq, int *status);
/* Posts, settles, and returns the answer's status. */
int cluster_order(struct cluster *c, unsigned worker, const struct msg *msg);
void cluster_do(struct cluster *c, unsigned worker, const struct msg *msg);

/* Buckets of a cell and of the mobiles in it. */
void cluster_flow(struct cluster *c, unsigned worker, uint16_t bvc, uint64_t octets, uint64_t rate_bps);
/* The same, wide open; of all cells. */
void cluster_open_buckets(struct cluster *c);

/* Takes the oldest message of a worker that is no answer; a buffer in it is the caller's. False: none. */
bool cluster_take_told(struct cluster *c, unsigned worker, struct msg *msg);

/* Hands a frame to a worker's Gb port, or Gn port. */
void cluster_put_gb(struct cluster *c, unsigned worker, const uint8_t *frame, size_t octets);
void cluster_put_gn(struct cluster *c, unsigned worker, const uint8_t *frame, size_t octets);

/* N-PDUs and frames between workers. */
uint64_t cluster_on_the_way(const struct cluster *c);
/* A counter of all workers. */
#define CLUSTER_SUM(c_, field_)                                                                              \
    __extension__({                                                                                          \
        uint64_t sum_ = 0;                                                                                   \
        for (unsigned i_ = 0; i_ < (c_)->options.workers; i_++)                                              \
            sum_ += (c_)->nodes[i_].worker->stats.field_;                                                    \
        sum_;                                                                                                \
    })
uint64_t cluster_drops(const struct cluster *c);
/* The first reason of which there was one, or "none". */
const char *cluster_why(const struct cluster *c);
uint64_t cluster_queued(const struct cluster *c);

/* The sums of one worker. */
void cluster_check(const struct worker *w);

static inline struct worker_stats *cluster_stats(struct cluster *c, unsigned worker)
{
    return &c->nodes[worker].worker->stats;
}

#endif
