/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BSS and GGSN of a live node, in its own process and on its worker's core: callbacks of its two ports insert
 * the frames that are due, and see when the node's frames leave. The ports are rings that return the sent
 * frames, which are freed. The time of a frame counts from the instant at which it is due, even if the worker
 * polls the port later.
 */
#ifndef BENCH_LIVE_LIVE_LOAD_H
#define BENCH_LIVE_LIVE_LOAD_H

#include "bench/live/live_frames.h"
#include "bench/live/live_judge.h"
#include "control/base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rte_mbuf;
struct rte_mempool;

#define LIVE_LOAD_PROBES  64 /* mobiles whose buckets are closed and opened, one after the other */
#define LIVE_LOAD_MOBILES 4096
#define LIVE_LOAD_USERS   65536 /* maximum of packets in transit */
#define LIVE_LOAD_ROOM    1024  /* frames that fit a port; further ones are lost */

/* Kinds of durations. */
enum { LIVE_LOAD_ACK, LIVE_LOAD_PROBE, LIVE_LOAD_QUIET = 0, LIVE_LOAD_FLOOD = 1 };

enum live_load_phase {
    LIVE_LOAD_IDLE,
    LIVE_LOAD_BRING_UP,
    LIVE_LOAD_UP,
    LIVE_LOAD_RUN,
    LIVE_LOAD_DRAIN, /* no new frames but those that end a probe */
    LIVE_LOAD_STORM, /* the flood at the rate that the worker takes */
};

/* Frames at a constant rate. */
struct live_stream {
    int64_t every_ns, next_ns; /* every_ns 0: none */
    uint64_t sent, lost;       /* lost: the worker did not poll the port in time */
};

struct live_load {
    /* set by the starter */
    struct live_judge *judge;
    struct clock_counter clock;
    int64_t gap_ns;   /* a longer interval of two polls is a gap */
    int64_t slice_ns; /* every second slice has the flood */
    uint32_t mobiles;
    bool has_probes;
    struct live_stream flows, floods, users; /* every_ns */

    atomic_uint phase;     /* live_load_phase; BRING_UP becomes UP here, the starter sets the others */
    atomic_int worker;     /* thread, once it is known */
    atomic_bool has_begun; /* the worker has seen RUN */

    /* owned by the worker's core */
    struct rte_mempool *pool;
    int64_t before_ns, step_ns;
    unsigned step;
    bool is_alive_due;
    struct live_frames_step steps[LIVE_FRAMES_STEPS];
    struct live_frame alive_ack, flow, shut, user, flood[LIVE_FRAMES_FLOODS_MAX];
    unsigned flood_kinds, flood_next, probe_stage;
    uint32_t probe;                    /* number of probes so far */
    int64_t probe_ns;                  /* next stage of the current probe */
    int64_t open_ns[LIVE_LOAD_PROBES]; /* when the mobile's bucket was opened; 0: not yet */
    uint64_t frames_gb, acked, probes_back, probes_early, users_back, starved;
    int64_t (*flow_ns)[256]; /* when each mobile's tag was due */
    int64_t user_ns[LIVE_LOAD_USERS];
};

/* Fills in the frames; judge, rates and mobiles must be set. False: no memory. */
bool live_load_init(struct live_load *load);
void live_load_fini(struct live_load *load);

/* Watches the ports of the running node. False: it has no ports. */
bool live_load_watch(struct live_load *load);

#endif
