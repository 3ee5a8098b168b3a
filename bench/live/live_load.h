/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The far ends of a live node, in its own process and on its worker's core: callbacks of its two ports put
 * frames there that are due, and see when what it sends leaves. The ports are rings that give back what is
 * sent; that is freed. A frame counts from the instant at which it is due, whether or not anybody looks.
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

#define LIVE_LOAD_PROBES  64 /* mobiles whose buckets are closed and opened again, one after the other */
#define LIVE_LOAD_MOBILES 4096
#define LIVE_LOAD_USERS   65536 /* packets under way at a time, at most */
#define LIVE_LOAD_ROOM    1024  /* frames that wait at a port before they are lost */

/* Kinds of what is judged. */
enum { LIVE_LOAD_ACK, LIVE_LOAD_PROBE, LIVE_LOAD_QUIET = 0, LIVE_LOAD_FLOOD = 1 };

enum live_load_phase {
    LIVE_LOAD_IDLE,
    LIVE_LOAD_BRING_UP,
    LIVE_LOAD_UP,
    LIVE_LOAD_RUN,
    LIVE_LOAD_DRAIN, /* nothing new but what ends a probe */
    LIVE_LOAD_STORM, /* as much of the flood as the worker takes */
};

/* Frames that come at a steady pace. */
struct live_stream {
    int64_t every_ns, next_ns; /* every_ns 0: none */
    uint64_t sent, lost;       /* lost: nobody took them from the port in time */
};

struct live_load {
    /* set by whoever starts it */
    struct live_judge *judge;
    struct clock_counter clock;
    int64_t gap_ns;   /* passes that are further apart */
    int64_t slice_ns; /* every second one has the flood */
    uint32_t mobiles;
    bool has_probes;
    struct live_stream flows, floods, users; /* every_ns */

    atomic_uint phase;     /* live_load_phase; BRING_UP becomes UP here, all else is the starter's */
    atomic_int worker;     /* thread, once it is known */
    atomic_bool has_begun; /* the worker has seen RUN */

    /* the worker's core's */
    struct rte_mempool *pool;
    int64_t before_ns, step_ns;
    unsigned step;
    bool is_alive_due;
    struct live_frames_step steps[LIVE_FRAMES_STEPS];
    struct live_frame alive_ack, flow, shut, user, flood[LIVE_FRAMES_FLOODS_MAX];
    unsigned flood_kinds, flood_next, probe_stage;
    uint32_t probe;                    /* how many there were */
    int64_t probe_ns;                  /* the next stage of this one */
    int64_t open_ns[LIVE_LOAD_PROBES]; /* when its bucket was opened; 0: not yet */
    uint64_t frames_gb, acked, probes_back, probes_early, users_back, starved;
    int64_t (*flow_ns)[256]; /* when each mobile's tag was due */
    int64_t user_ns[LIVE_LOAD_USERS];
};

/* Fills in frames; judge, paces and mobiles are set. False: no memory. */
bool live_load_init(struct live_load *load);
void live_load_fini(struct live_load *load);

/* The node runs: its ports are watched from now on. False: it has none. */
bool live_load_watch(struct live_load *load);

#endif
