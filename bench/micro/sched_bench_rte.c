/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/sched_bench_rte.h"

#include "control/base/clock.h"
#include "dataplane/base/rng.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_sched.h>
#include <stdio.h>
#include <stdlib.h>

#define BURST       SCHED_BENCH_RTE_BURST
#define RATE        UINT64_C(12500000000) /* octets a second, of the port; never reached */
#define OCTETS      500
#define LONG_QUEUE  64
#define SHORT_QUEUE 8
#define SPARE       8192 /* mbufs: bursts, and the pool's cache */
#define MEMORY_MIB  1024
#define HUGE_PAGES  "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
#define LATE_NS     200000000 /* bursts due before that are not offered: another process had the CPU */

struct sched_bench_rte {
    struct rte_sched_port *port;
    struct rte_mempool *pool;
    struct rng rng;
    uint32_t pipes;
    int64_t due_ns, interval_ns; /* of bursts */
};

static bool has_huge_pages(void)
{
    unsigned long pages = 0;
    FILE *file = fopen(HUGE_PAGES, "r");
    bool is_read = file && fscanf(file, "%lu", &pages) == 1;
    if (file)
        fclose(file);
    return is_read && pages >= MEMORY_MIB / 2;
}

bool sched_bench_rte_init(void)
{
    bool is_huge = has_huge_pages();
    char *argv[] = {"sched_bench",
                    "-l",
                    "0",
                    "-m",
                    RTE_STR(MEMORY_MIB),
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--log-level=4",
                    is_huge ? "--in-memory" : "--no-huge",
                    NULL};
    printf("rte_sched: %s\n",
           is_huge ? "huge pages of 2 MiB"
                   : "pages of 4 KiB, as fewer than " RTE_STR(MEMORY_MIB) " MiB of huge pages are free");
    return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0;
}

/* Octets a second of a pipe, of which `pipes` are offered SCHED_BENCH_RTE_OFFERED packets a second at that
 * load. */
static uint64_t pipe_rate(uint32_t pipes, unsigned load_percent)
{
    return load_percent ? SCHED_BENCH_RTE_OFFERED * OCTETS * 100 / load_percent / pipes : RATE / 100;
}

static struct rte_sched_port *new_port(uint32_t pipes, unsigned load_percent)
{
    uint64_t rate = pipe_rate(pipes, load_percent);
    struct rte_sched_pipe_params pipe = {.tb_rate = rate,
                                         .tb_size = load_percent ? rate : 1000000,
                                         .tc_period = load_percent ? 1000 : 40,
                                         .tc_ov_weight = 1,
                                         .wrr_weights = {1, 1, 1, 1}};
    struct rte_sched_subport_profile_params subport_profile = {
        .tb_rate = RATE, .tb_size = 1000000, .tc_period = 10};
    struct rte_sched_subport_params subport = {
        .n_pipes_per_subport_enabled = pipes,
        .pipe_profiles = &pipe,
        .n_pipe_profiles = 1,
        .n_max_pipe_profiles = 1,
    };
    struct rte_sched_port_params params = {
        .name = "sched_bench",
        .rate = RATE,
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
        subport_profile.tc_rate[i] = RATE;
    subport.qsize[RTE_SCHED_TRAFFIC_CLASS_BE] = load_percent ? SHORT_QUEUE : LONG_QUEUE;
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

struct sched_bench_rte *sched_bench_rte_new(uint32_t pipes, unsigned load_percent)
{
    struct sched_bench_rte *peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    peer->pipes = pipes;
    peer->interval_ns = (int64_t)(UINT64_C(1000000000) * BURST / SCHED_BENCH_RTE_OFFERED);
    peer->due_ns = clock_now_ns();
    rng_init(&peer->rng, 1, 0);
    peer->pool = rte_pktmbuf_pool_create("sched_bench", pipes * SHORT_QUEUE + SPARE, 256, 0, 0, 0);
    peer->port = peer->pool ? new_port(pipes, load_percent) : NULL;
    if (peer->port)
        return peer;
    sched_bench_rte_free(peer);
    return NULL;
}

void sched_bench_rte_free(struct sched_bench_rte *peer)
{
    if (peer->port)
        rte_sched_port_free(peer->port);
    rte_mempool_free(peer->pool);
    free(peer);
}

void sched_bench_rte_wait(struct sched_bench_rte *peer)
{
    int64_t now = clock_now_ns();
    if (now > peer->due_ns + LATE_NS)
        peer->due_ns = now;
    while (clock_now_ns() < peer->due_ns)
        rte_pause();
    peer->due_ns += peer->interval_ns;
}

static void sched_bench_rte_put(struct sched_bench_rte *peer, struct rte_mbuf **mbufs, const uint32_t *pipes,
                                unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        mbufs[i]->pkt_len = mbufs[i]->data_len = OCTETS;
        rte_sched_port_pkt_write(peer->port, mbufs[i], 0, pipes[i], RTE_SCHED_TRAFFIC_CLASS_BE, 0,
                                 RTE_COLOR_GREEN);
    }
    rte_sched_port_enqueue(peer->port, mbufs, count);
}

unsigned sched_bench_rte_step(struct sched_bench_rte *peer)
{
    struct rte_mbuf *in[BURST], *out[BURST];
    uint32_t pipes[BURST];

    if (rte_pktmbuf_alloc_bulk(peer->pool, in, BURST) < 0)
        return 0;
    for (unsigned i = 0; i < BURST; i++)
        pipes[i] = (uint32_t)rng_below(&peer->rng, peer->pipes);
    sched_bench_rte_put(peer, in, pipes, BURST);
    int count = rte_sched_port_dequeue(peer->port, out, BURST);
    if (count > 0)
        rte_pktmbuf_free_bulk(out, (unsigned)count);
    return count > 0 ? (unsigned)count : 0;
}

void sched_bench_rte_fill(struct sched_bench_rte *peer, unsigned each)
{
    for (unsigned k = 0; k < each; k++)
        for (uint32_t pipe = 0; pipe < peer->pipes; pipe++) {
            struct rte_mbuf *mbuf = rte_pktmbuf_alloc(peer->pool);
            if (mbuf)
                sched_bench_rte_put(peer, &mbuf, &pipe, 1);
        }
}

unsigned sched_bench_rte_turn(struct sched_bench_rte *peer)
{
    struct rte_mbuf *mbufs[BURST];
    int count = rte_sched_port_dequeue(peer->port, mbufs, BURST);
    if (count > 0)
        rte_sched_port_enqueue(peer->port, mbufs, (unsigned)count);
    return count > 0 ? (unsigned)count : 0;
}
