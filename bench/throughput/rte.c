/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/rte.h"

#include "control/base/clock.h"
#include "dataplane/base/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_sched.h>
#include <rte_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURST       BENCH_RTE_BURST
#define ALL_PER_S   1500000 /* packets a second, at the rates of all pipes */
#define FREE_FACTOR 100     /* of the rate of pipes that have none */
#define PORT_FACTOR 2       /* of the rates of all pipes: never reached */
#define PERIOD_MS   1000    /* of a class: it has to hold a packet at a pipe's rate */
#define QUEUE       8
#define SPARE       8192               /* mbufs: bursts, and the pool's cache */
#define CLOCK_WORDS 32                 /* of the port, in which its time is looked for */
#define LATE_NS     INT64_C(100000000) /* of the clock in its test */

struct bench_rte {
    struct rte_sched_port *port;
    struct rte_mempool *pool;
    struct rng rng;
    uint32_t pipes;
    uint64_t rate;   /* of the port, octets a second */
    uint64_t *clock; /* in the port: cycles of the latest dequeue, octets at its rate until then and with
                        those sent */
};

static struct rte_sched_port *new_port(uint32_t pipes, uint64_t rate, uint64_t port_rate)
{
    struct rte_sched_pipe_params pipe = {.tb_rate = rate,
                                         .tb_size = rate,
                                         .tc_period = PERIOD_MS,
                                         .tc_ov_weight = 1,
                                         .wrr_weights = {1, 1, 1, 1}};
    struct rte_sched_subport_profile_params subport_profile = {
        .tb_rate = port_rate, .tb_size = 1000000, .tc_period = 10};
    struct rte_sched_subport_params subport = {
        .n_pipes_per_subport_enabled = pipes,
        .pipe_profiles = &pipe,
        .n_pipe_profiles = 1,
        .n_max_pipe_profiles = 1,
    };
    struct rte_sched_port_params params = {
        .name = "bench_sched",
        .rate = port_rate,
        .mtu = 1522,
        .frame_overhead = 0,
        .n_subports_per_port = 1,
        .subport_profiles = &subport_profile,
        .n_subport_profiles = 1,
        .n_max_subport_profiles = 1,
        .n_pipes_per_subport = pipes,
    };
    pipe.tc_rate[RTE_SCHED_TRAFFIC_CLASS_BE] = rate;
    for (unsigned i = 0; i < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; i++)
        subport_profile.tc_rate[i] = port_rate;
    subport.qsize[RTE_SCHED_TRAFFIC_CLASS_BE] = QUEUE;
    struct rte_sched_port *port = rte_sched_port_config(&params);
    if (!port)
        return NULL;
    int bad = rte_sched_subport_config(port, 0, &subport, 0);
    for (uint32_t i = 0; i < pipes && bad == 0; i++)
        bad = rte_sched_pipe_config(port, 0, i, 0);
    if (bad == 0)
        return port;
    rte_sched_port_free(port);
    return NULL;
}

/* The CPU's counter, which rte_sched reads, too. */
static uint64_t ticks_now(void)
{
    return clock_counter_start(rte_get_tsc_hz()).start;
}

/* The three words of the port's time, just after the port was made between two readings of the counter. NULL:
 * not found, or in two places. */
static uint64_t *find_clock(struct rte_sched_port *port, uint64_t before, uint64_t after)
{
    uint64_t *words = (uint64_t *)(void *)port, *found = NULL;
    size_t octets = 0;
    if (rte_malloc_validate(port, &octets) < 0 || octets < CLOCK_WORDS * sizeof(*words))
        return NULL;
    for (unsigned i = 0; i + 2 < CLOCK_WORDS; i++)
        if (words[i] >= before && words[i] <= after && words[i + 1] == 0 && words[i + 2] == 0) {
            if (found)
                return NULL;
            found = &words[i];
        }
    return found;
}

static uint64_t octets_until(const struct bench_rte *peer, int64_t now_ns)
{
    return (uint64_t)((double)now_ns * 1e-9 * (double)peer->rate);
}

void bench_rte_set_clock(struct bench_rte *peer, int64_t now_ns)
{
    peer->clock[0] = ticks_now();
    peer->clock[1] = octets_until(peer, now_ns);
}

/* A dequeue of an empty port moves the time as it was set, and a little more. */
static bool has_clock(struct bench_rte *peer)
{
    struct rte_mbuf *none[BURST];
    if (!peer->clock)
        return false;
    bench_rte_set_clock(peer, 1);
    const uint64_t set_cycles = peer->clock[0];
    rte_sched_port_dequeue(peer->port, none, BURST);
    return peer->clock[0] >= set_cycles && peer->clock[1] == peer->clock[2] &&
           peer->clock[1] <= octets_until(peer, LATE_NS);
}

static bool set_up(struct bench_rte *peer, uint64_t rate, char fault[BENCH_RTE_FAULT_CHARS])
{
    peer->rate = PORT_FACTOR * peer->pipes * rate;
    peer->pool = rte_pktmbuf_pool_create("bench_sched", peer->pipes * QUEUE + SPARE, 256, 0, 0, 0);
    const uint64_t before = ticks_now();
    peer->port = peer->pool ? new_port(peer->pipes, rate, peer->rate) : NULL;
    if (!peer->port) {
        snprintf(fault, BENCH_RTE_FAULT_CHARS, "rte_sched: %" PRIu32 " pipes: %s", peer->pipes,
                 rte_strerror(rte_errno));
        return false;
    }
    peer->clock = find_clock(peer->port, before, ticks_now());
    if (has_clock(peer))
        return true;
    snprintf(fault, BENCH_RTE_FAULT_CHARS,
             "rte_sched: %s keeps a port's time in another way than 22.11 on x86-64", rte_version());
    return false;
}

uint32_t bench_rte_per_s(uint32_t pipes)
{
    return (ALL_PER_S + pipes / 2) / pipes;
}

struct bench_rte *bench_rte_new(uint32_t pipes, bool has_rates, char fault[BENCH_RTE_FAULT_CHARS])
{
    struct bench_rte *peer = calloc(1, sizeof(*peer));
    if (!peer) {
        snprintf(fault, BENCH_RTE_FAULT_CHARS, "rte_sched: %s", strerror(ENOMEM));
        return NULL;
    }
    peer->pipes = pipes;
    rng_init(&peer->rng, 1, 0);
    if (set_up(peer, bench_rte_per_s(pipes) * BENCH_RTE_OCTETS * (has_rates ? 1 : FREE_FACTOR), fault))
        return peer;
    bench_rte_free(peer);
    return NULL;
}

void bench_rte_free(struct bench_rte *peer)
{
    if (peer->port)
        rte_sched_port_free(peer->port);
    rte_mempool_free(peer->pool);
    free(peer);
}

static void bench_rte_put(struct bench_rte *peer, struct rte_mbuf **mbufs, const uint32_t *pipes,
                          unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        mbufs[i]->pkt_len = mbufs[i]->data_len = BENCH_RTE_OCTETS;
        rte_sched_port_pkt_write(peer->port, mbufs[i], 0, pipes[i], RTE_SCHED_TRAFFIC_CLASS_BE, 0,
                                 RTE_COLOR_GREEN);
    }
    rte_sched_port_enqueue(peer->port, mbufs, count);
}

unsigned bench_rte_step(struct bench_rte *peer)
{
    struct rte_mbuf *in[BURST], *out[BURST];
    uint32_t pipes[BURST];

    if (rte_pktmbuf_alloc_bulk(peer->pool, in, BURST) < 0)
        return 0;
    for (unsigned i = 0; i < BURST; i++)
        pipes[i] = (uint32_t)rng_below(&peer->rng, peer->pipes);
    bench_rte_put(peer, in, pipes, BURST);
    int count = rte_sched_port_dequeue(peer->port, out, BURST);
    if (count > 0)
        rte_pktmbuf_free_bulk(out, (unsigned)count);
    return count > 0 ? (unsigned)count : 0;
}

void bench_rte_fill(struct bench_rte *peer, unsigned each)
{
    for (unsigned k = 0; k < each; k++)
        for (uint32_t pipe = 0; pipe < peer->pipes; pipe++) {
            struct rte_mbuf *mbuf = rte_pktmbuf_alloc(peer->pool);
            if (mbuf)
                bench_rte_put(peer, &mbuf, &pipe, 1);
        }
}

unsigned bench_rte_turn(struct bench_rte *peer)
{
    struct rte_mbuf *mbufs[BURST];
    int count = rte_sched_port_dequeue(peer->port, mbufs, BURST);
    if (count > 0)
        rte_sched_port_enqueue(peer->port, mbufs, (unsigned)count);
    return count > 0 ? (unsigned)count : 0;
}
