/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/sched_bench_rte.h"

#include "dataplane/base/rng.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_sched.h>
#include <stdlib.h>

#define BURST   32
#define BUFFERS 65535
#define RATE    UINT64_C(12500000000) /* octets a second, of the port; never reached */

struct sched_bench_rte {
    struct rte_sched_port *port;
    struct rte_mempool *pool;
    struct rng rng;
    uint32_t pipes;
};

bool sched_bench_rte_init(void)
{
    char *argv[] = {"sched_bench",   "-l",       "0",           "--no-huge",      "-m",
                    "2048",          "--no-pci", "--no-shconf", "--no-telemetry", "--iova-mode=va",
                    "--log-level=4", NULL};
    return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0;
}

static struct rte_sched_port *new_port(uint32_t pipes)
{
    static struct rte_sched_pipe_params pipe = {.tb_rate = RATE / 100,
                                                .tb_size = 1000000,
                                                .tc_period = 40,
                                                .tc_ov_weight = 1,
                                                .wrr_weights = {1, 1, 1, 1}};
    static struct rte_sched_subport_profile_params subport_profile = {
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
        .frame_overhead = RTE_SCHED_FRAME_OVERHEAD_DEFAULT,
        .n_subports_per_port = 1,
        .subport_profiles = &subport_profile,
        .n_subport_profiles = 1,
        .n_max_subport_profiles = 1,
        .n_pipes_per_subport = pipes,
    };
    pipe.tc_rate[RTE_SCHED_TRAFFIC_CLASS_BE] = RATE / 100;
    for (unsigned i = 0; i < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; i++)
        subport_profile.tc_rate[i] = RATE;
    subport.qsize[RTE_SCHED_TRAFFIC_CLASS_BE] = 64;
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

struct sched_bench_rte *sched_bench_rte_new(uint32_t pipes)
{
    struct sched_bench_rte *peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    peer->pipes = pipes;
    rng_init(&peer->rng, 1, 0);
    peer->pool = rte_pktmbuf_pool_create("sched_bench", BUFFERS, 256, 0, 512, 0);
    peer->port = peer->pool ? new_port(pipes) : NULL;
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

void sched_bench_rte_step(struct sched_bench_rte *peer)
{
    struct rte_mbuf *in[BURST], *out[BURST];

    if (rte_pktmbuf_alloc_bulk(peer->pool, in, BURST) < 0)
        return;
    for (unsigned i = 0; i < BURST; i++) {
        uint32_t pipe = (uint32_t)rng_below(&peer->rng, peer->pipes);
        in[i]->pkt_len = in[i]->data_len = 500;
        rte_sched_port_pkt_write(peer->port, in[i], 0, pipe, RTE_SCHED_TRAFFIC_CLASS_BE, 0, RTE_COLOR_GREEN);
    }
    rte_sched_port_enqueue(peer->port, in, BURST);
    int count = rte_sched_port_dequeue(peer->port, out, BURST);
    if (count > 0)
        rte_pktmbuf_free_bulk(out, (unsigned)count);
}
