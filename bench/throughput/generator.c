/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/generator.h"
#include "bench/statistics/recovery.h"
#include "bench/statistics/spread.h"

#include "bench/throughput/console.h"
#include "bench/throughput/gb_peer.h"
#include "bench/throughput/node_mac.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/fixture.h"
#include "control/base/eal.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/base/moment.h"
#include "dataplane/ports/device.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFERS        16383
#define BUFFER_OCTETS  4160
#define SPARE_OCTETS   ((size_t)64 << 20)
#define TAKE_BURST     64
#define LINK_WAIT_MS   20000
#define POLL_US        1000
#define QUIET_NS       INT64_C(100000000) /* a trial ends so long after its last frame, or its own duration, */
#define QUIET_MOST_NS  (2 * MOMENT_SECOND)  /* but at most this */
#define LATE_NS        INT64_C(1000000)     /* the same between trials, when no frame is expected, */
#define LATE_MOST_NS   INT64_C(500000000)   /* and before the first, of a node that may have a gap */
#define SETTLE_NS      INT64_C(300000000)   /* from cells in service to FLOW-CONTROL-BVC acknowledged */
#define OWN_RING_NS    (10 * MOMENT_SECOND) /* a burst waits at most this for room in the ring */
#define ETHER_OVERHEAD 18                   /* header and FCS */
#define PROBES         4 /* bursts, and N-PDUs for each cell, that have to come back before the first trial */

size_t bench_generator_memory_octets(unsigned workers)
{
    return 2 * (size_t)workers * BUFFERS * BUFFER_OCTETS + SPARE_OCTETS;
}

/* --- ports --- */

static bool is_up(uint16_t port)
{
    struct rte_eth_link link = {0};
    return rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

bool bench_generator_has_link(const struct bench_generator *g)
{
    for (unsigned i = 0; i < g->link_count; i++)
        if (!is_up(g->links[i].gn.id) || !is_up(g->links[i].gb.id))
            return false;
    return true;
}

static bool is_linked(const struct bench_generator *g, struct bench_dut_process *dut)
{
    return bench_generator_has_link(g);
}

static bool is_listening(const struct bench_generator *g, struct bench_dut_process *dut)
{
    return bench_dut_process_is_listening(dut);
}

static bool wait_until(const struct bench_generator *g, struct bench_dut_process *dut,
                       bool (*is_so)(const struct bench_generator *g, struct bench_dut_process *dut))
{
    for (unsigned i = 0; i < LINK_WAIT_MS && bench_dut_process_is_alive(dut); i++) {
        if (is_so(g, dut))
            return true;
        usleep(1000);
    }
    if (dut->pid > 0) /* else it was said that it ended */
        bench_error("%s: its memif links are not up after %d s%s%s",
                    dut->is_testpmd ? "dpdk-testpmd" : "the worker's process", LINK_WAIT_MS / 1000,
                    dut->is_testpmd ? "; its output is in " : "", dut->log.path);
    dut->log.is_kept = true;
    return false;
}

static bool open_port(struct port *port, unsigned id, const struct bench_dut_process *dut,
                      struct rte_mempool *pool)
{
    struct device device;
    char name[BENCH_DUT_NAME], error[128] = "it does not start";
    bench_dut_name(name, dut->socket, id, false);
    if (device_open(&device, name, error, sizeof(error)) && port_open(port, device.id, pool) == 0)
        return true;
    bench_error("port %s: %s", name, error);
    return false;
}

/* Of a link. A node's workers share one sequence of mobiles, and MAC addresses of frames on Gn count; the DUT
 * of ndr and soak ignores them. */
static struct bench_traffic_params params_of(const struct bench_generator *g, unsigned link)
{
    static const uint8_t own_mac[] = BENCH_GB_PEER_GN_MAC;
    struct bench_traffic_params params = bench_fixture_traffic(g->plan, &g->point, link);
    if (!g->is_outside)
        return params;
    params.first = bench_fixture_first(g->point.mobiles, link, g->point.workers);
    params.slots = g->point.mobiles;
    memcpy(params.dst_mac, g->gn_mac, sizeof(params.dst_mac));
    memcpy(params.src_mac, own_mac, sizeof(params.src_mac));
    return params;
}

static bool take_memory(struct bench_generator *g)
{
    g->rx_pool = pool_new(g->is_testpmd ? "rx_testpmd" : "rx", g->link_count * BUFFERS);
    g->tx_pool = pool_new(g->is_testpmd ? "tx_testpmd" : "tx", g->link_count * BUFFERS);
    g->samples_ns = malloc(BENCH_GENERATOR_SAMPLES * sizeof(*g->samples_ns));
    bool is_enough = g->rx_pool && g->tx_pool && g->samples_ns;
    for (unsigned i = 0; i < g->link_count && is_enough; i++) {
        struct bench_generator_link *link = &g->links[i];
        struct bench_traffic_params params = params_of(g, i);
        link->next_nu = g->plan->is_fcs_checked ? calloc(params.mobiles, sizeof(*link->next_nu)) : NULL;
        is_enough = (link->next_nu || !g->plan->is_fcs_checked) && bench_traffic_new(&link->traffic, &params);
    }
    if (!is_enough)
        bench_error("out of memory for the generator: %u mbufs, %u mobiles", 2 * g->link_count * BUFFERS,
                    g->point.mobiles);
    return is_enough;
}

static bool open_links(struct bench_generator *g, const struct bench_dut_process *dut)
{
    for (unsigned i = 0; i < g->link_count; i++)
        if (!open_port(&g->links[i].gn, BENCH_DUT_LINK(i, 0), dut, g->rx_pool) ||
            !open_port(&g->links[i].gb, BENCH_DUT_LINK(i, 1), dut, g->rx_pool))
            return false;
    return true;
}

static void count_frames(struct bench_generator *g)
{
    for (unsigned i = 0; i < BENCH_TRAFFIC_SIZES; i++)
        g->frames_each[i] =
            g->is_testpmd ? 1 : bench_traffic_frames(&g->links[0].traffic, i, g->plan->n201_u);
}

/* Marks ports as not open. */
static void no_ports(struct bench_generator *g)
{
    for (unsigned i = 0; i < g->link_count; i++)
        g->links[i].gn.id = g->links[i].gb.id = RTE_MAX_ETHPORTS;
}

bool bench_generator_open(struct bench_generator *g, const struct bench_plan *plan,
                          const struct bench_point *point, struct bench_dut_process *dut)
{
    *g = (struct bench_generator){.plan = plan,
                                  .point = *point,
                                  .link_count = point->workers,
                                  .is_testpmd = dut->is_testpmd,
                                  .clock = clock_counter_shared(rte_get_tsc_hz())};
    no_ports(g);
    if (!take_memory(g) || !wait_until(g, dut, is_listening) || !open_links(g, dut) ||
        !wait_until(g, dut, is_linked))
        return false;
    count_frames(g);
    return true;
}

/* Rings that the node itself empties, of ports in shared memory: a full one means that the node is too slow.
 * Any other ring is the generator's, emptied at the rate of the wire. */
static bool has_own_ring(uint16_t port)
{
    static const char *const shared[] = {"net_memif", "net_vhost", "net_virtio_user", "net_ring"};
    struct rte_eth_dev_info info;
    if (rte_eth_dev_info_get(port, &info) != 0 || !info.driver_name)
        return false;
    for (unsigned i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        if (strcmp(info.driver_name, shared[i]) == 0)
            return false;
    return true;
}

/* The longest N-PDU with its GTP-U tunnel is longer than an Ethernet port takes by default. A port that
 * refuses stays as it is: bench_machine_port_get() shows its MTU. */
static void raise_mtu(uint16_t port)
{
    struct rte_eth_dev_info info;
    uint16_t mtu = 0;
    if (!has_own_ring(port) || rte_eth_dev_info_get(port, &info) != 0 || rte_eth_dev_get_mtu(port, &mtu) != 0)
        return;
    const bool can_raise = info.max_mtu >= BENCH_NODE_FILE_GN_MTU &&
                           info.max_rx_pktlen >= BENCH_NODE_FILE_GN_MTU + ETHER_OVERHEAD;
    if (mtu >= BENCH_NODE_FILE_GN_MTU || !can_raise || rte_eth_dev_stop(port) != 0)
        return;
    rte_eth_dev_set_mtu(port, BENCH_NODE_FILE_GN_MTU);
    rte_eth_dev_start(port);
}

/* Starts a device with a queue for each link; each link's port is one of them. */
static bool start_port(struct bench_generator *g, struct device *device, unsigned id, char *error, size_t cap)
{
    const struct device_wishes wishes = {.queues = (uint16_t)g->link_count};
    const struct port_settings settings = {.vlan = 0};
    struct port *first = id == 0 ? &g->links[0].gn : &g->links[0].gb;
    if (g->link_count == 1)
        return port_open(first, device->id, g->rx_pool) == 0;
    if (!device_start(device, &wishes, g->rx_pool, error, cap))
        return false;
    *first = (struct port){.id = device->id}; /* closes the device */
    for (unsigned i = 1; i < g->link_count; i++)
        port_share(id == 0 ? &g->links[i].gn : &g->links[i].gb, device->id, (uint16_t)i, &settings);
    return true;
}

/* A device by its arguments, or the end of a memif link. */
static bool attach_port(struct bench_generator *g, const char *given, unsigned id)
{
    struct device device;
    char link[BENCH_NODE_FILE_CHARS], error[128] = "it does not start";
    bench_node_file_device(link, g->plan->link, id, false);
    const char *name = given[0] ? given : link;
    if (device_open(&device, name, error, sizeof(error)) &&
        start_port(g, &device, id, error, sizeof(error))) {
        raise_mtu(device.id);
        rte_eth_promiscuous_enable(device.id);
        return true;
    }
    bench_error("port %s: %s", name, error);
    return false;
}

bool bench_generator_attach(struct bench_generator *g, const struct bench_plan *plan,
                            const struct bench_point *point, struct bench_gb_peer *gb_peers)
{
    *g = (struct bench_generator){.plan = plan,
                                  .point = *point,
                                  .link_count = point->workers,
                                  .is_outside = true,
                                  .gb_peers = gb_peers,
                                  .clock = clock_counter_shared(rte_get_tsc_hz())};
    memset(g->gn_mac, 0xff, sizeof(g->gn_mac)); /* testpmd answers no ARP, and takes all frames */
    if (plan->has_gn_mac)
        memcpy(g->gn_mac, plan->gn_mac, sizeof(g->gn_mac));
    for (unsigned i = 0; i < g->link_count; i++)
        gb_peers[i] = (struct bench_gb_peer){.bss = NULL};
    no_ports(g);
    if (!take_memory(g) || !attach_port(g, plan->eal.gn.device, 0) || !attach_port(g, plan->eal.gb.device, 1))
        return false;
    for (unsigned i = 0; i < g->link_count; i++)
        g->links[i].has_own_ring = has_own_ring(g->links[i].gn.id);
    return bench_generator_set_testpmd(g, false);
}

static void reconnect(const struct port *port)
{
    struct rte_eth_dev_info info;
    if (port->is_shared || rte_eth_dev_info_get(port->id, &info) != 0 || !info.driver_name ||
        strcmp(info.driver_name, "net_memif") != 0)
        return;
    if (rte_eth_dev_stop(port->id) == 0)
        rte_eth_dev_start(port->id);
}

void bench_generator_reconnect(struct bench_generator *g)
{
    for (unsigned i = 0; i < g->link_count; i++) {
        reconnect(&g->links[i].gn);
        reconnect(&g->links[i].gb);
    }
}

bool bench_generator_set_octets(struct bench_generator *g, uint16_t octets)
{
    g->point.octets = octets;
    for (unsigned i = 0; i < g->link_count; i++) {
        struct bench_traffic_params params = params_of(g, i);
        bench_traffic_free(&g->links[i].traffic);
        if (!bench_traffic_new(&g->links[i].traffic, &params)) {
            bench_error("out of memory for the traffic of %u mobiles", params.mobiles);
            return false;
        }
    }
    count_frames(g);
    return true;
}

static bool new_gb_peer(struct bench_generator *g, unsigned i)
{
    const struct bench_gb_peer_params params = {
        .number = i,
        .first_cell = (uint16_t)bench_fixture_first(g->point.cells, i, g->point.workers),
        .cells = (uint16_t)bench_fixture_part(g->point.cells, i, g->point.workers),
        .mac = g->plan->has_gb_mac ? g->plan->gb_mac : NULL,
    };
    if (bench_gb_peer_new(&g->gb_peers[i], &g->links[i].gb, g->tx_pool, &params))
        return true;
    bench_error("out of memory for a BSS of %u cells", params.cells);
    return false;
}

bool bench_generator_set_testpmd(struct bench_generator *g, bool is_testpmd)
{
    g->is_testpmd = is_testpmd;
    count_frames(g);
    for (unsigned i = 0; i < g->link_count; i++) {
        struct bench_generator_link *link = &g->links[i];
        bench_gb_peer_free(&g->gb_peers[i]);
        if (link->next_nu)
            memset(link->next_nu, 0, link->traffic.params.mobiles * sizeof(*link->next_nu));
        if (!is_testpmd && !new_gb_peer(g, i))
            return false;
    }
    return true;
}

static void close_link(struct bench_generator_link *link)
{
    if (link->gn.id != RTE_MAX_ETHPORTS)
        port_close(&link->gn);
    if (link->gb.id != RTE_MAX_ETHPORTS)
        port_close(&link->gb);
    bench_traffic_free(&link->traffic);
    free(link->next_nu);
}

void bench_generator_close(struct bench_generator *g)
{
    for (unsigned i = 0; i < g->link_count && g->gb_peers; i++)
        bench_gb_peer_free(&g->gb_peers[i]);
    for (unsigned i = 0; i < g->link_count; i++)
        close_link(&g->links[i]);
    rte_mempool_free(g->rx_pool);
    rte_mempool_free(g->tx_pool);
    free(g->samples_ns);
}

/* --- sending --- */

/* N-PDUs due, at most one burst. */
static unsigned due(const struct bench_trial *t, int64_t gone_ns)
{
    if (t->burst_npdus > 0 && t->burst_npdus - t->offered < BENCH_GENERATOR_BURST)
        return (unsigned)(t->burst_npdus - t->offered);
    if (t->rate == 0)
        return BENCH_GENERATOR_BURST;
    double wanted = (double)gone_ns * 1e-9 * t->rate - (double)t->offered;
    return wanted < 0 ? 0 : wanted > BENCH_GENERATOR_BURST ? BENCH_GENERATOR_BURST : (unsigned)wanted;
}

void bench_generator_send(struct bench_generator *g, struct bench_trial *t, unsigned count, int64_t now)
{
    struct rte_mbuf *mbufs[BENCH_GENERATOR_BURST];
    struct bench_generator_link *link = &g->links[g->next];
    if (count == 0 || rte_pktmbuf_alloc_bulk(g->tx_pool, mbufs, count) < 0)
        return;
    uint64_t expected[BENCH_GENERATOR_BURST + 1] = {0};
    for (unsigned i = 0; i < count; i++) {
        uint8_t *frame = rte_pktmbuf_mtod(mbufs[i], uint8_t *);
        expected[i + 1] = expected[i] + g->frames_each[bench_traffic_size(&link->traffic)];
        uint16_t octets = bench_traffic_put(&link->traffic, frame);
        bytes_put_u32(frame + octets - BENCH_GB_PEER_STAMP_OCTETS, (uint32_t)((uint64_t)now >> 32));
        bytes_put_u32(frame + octets - BENCH_GB_PEER_STAMP_OCTETS / 2, (uint32_t)now);
        mbufs[i]->data_len = octets;
        mbufs[i]->pkt_len = octets;
    }
    unsigned sent = rte_eth_tx_burst(link->gn.id, link->gn.queue, mbufs, (uint16_t)count);
    rte_pktmbuf_free_bulk(mbufs + sent, count - sent);
    if (link->has_own_ring) /* the others are due again in the next turn */
        count = sent;
    if (t->recovery)
        bench_recovery_sent(t->recovery, now, count);
    g->next = g->next + 1 < g->link_count ? g->next + 1 : 0;
    t->offered += count;
    t->unsent += count - sent;
    t->expected += expected[count];
    t->refused += expected[count] - expected[sent];
}

/* --- receiving --- */

/* Of frames that the node sends on Gn, an answer of ARP counts. */
static void run_gb_peer(struct bench_generator *g, unsigned i, int64_t now)
{
    struct rte_mbuf *mbufs[TAKE_BURST];
    const struct port *gn = &g->links[i].gn;
    bench_gb_peer_step(&g->gb_peers[i], now);
    unsigned count = rte_eth_rx_burst(gn->id, gn->queue, mbufs, TAKE_BURST);
    for (unsigned k = 0; k < count; k++)
        bench_node_mac_take(g, rte_pktmbuf_mtod(mbufs[k], uint8_t *), rte_pktmbuf_data_len(mbufs[k]));
    rte_pktmbuf_free_bulk(mbufs, count);
}

unsigned bench_generator_take(struct bench_generator *g, struct bench_trial *t, int64_t now)
{
    unsigned count = 0;
    for (unsigned i = 0; i < g->link_count; i++)
        count += bench_gb_peer_rx_burst(g, &g->links[i], t, now);
    for (unsigned i = 0; i < g->link_count && g->gb_peers && !g->is_testpmd; i++)
        run_gb_peer(g, i, now);
    return count;
}

/* --- a trial --- */

struct generator_job {
    struct bench_generator *g;
    struct bench_trial *t;
    struct bench_trial *over; /* a load before it, for the recovery; NULL: none */
    atomic_bool is_done;
};

/* A burst ends at its last N-PDU; or when its ring does not get empty, as without a link. */
static bool is_offered(const struct bench_trial *t, int64_t gone_ns, int64_t length_ns)
{
    if (bench_console_is_interrupted())
        return true;
    return t->burst_npdus > 0 ? t->offered >= t->burst_npdus || gone_ns >= OWN_RING_NS : gone_ns >= length_ns;
}

static void note_gap(struct bench_generator *g, struct bench_trial *t, int64_t from_ns, int64_t to_ns)
{
    bench_gaps_add(&t->gaps, &(struct bench_gaps){to_ns - from_ns, to_ns - from_ns});
    for (unsigned i = 0; i < g->link_count; i++)
        bench_gaps_silences_skip(&g->links[i].silences, from_ns, to_ns);
}

static void offer(struct bench_generator *g, struct bench_trial *t, int64_t length_ns)
{
    int64_t start_ns = clock_counter_ns(&g->clock), at_ns = start_ns;
    for (unsigned i = 0; i < g->link_count; i++)
        bench_gaps_silences_begin(&g->links[i].silences, t->gap_ns, start_ns);
    while (!is_offered(t, at_ns - start_ns, length_ns)) {
        bench_generator_send(g, t, due(t, at_ns - start_ns), at_ns);
        bench_generator_take(g, t, at_ns);
        int64_t now = clock_counter_ns(&g->clock);
        if (now - at_ns > t->gap_ns)
            note_gap(g, t, at_ns, now);
        at_ns = now;
    }
    t->took_ns = at_ns - start_ns;
    t->in_time = t->received;
    for (unsigned i = 0; i < g->link_count; i++)
        bench_gaps_silences_end(&g->links[i].silences, at_ns);
}

/* Receives frames in flight, until all have arrived or none has for quiet_ns. */
static void drain(struct bench_generator *g, struct bench_trial *t, int64_t quiet_ns)
{
    int64_t now = clock_counter_ns(&g->clock), last_ns = now;
    while (now - last_ns < quiet_ns && (t->expected == 0 || t->received + t->refused < t->expected)) {
        if (bench_generator_take(g, t, now) > 0)
            last_ns = now;
        now = clock_counter_ns(&g->clock);
    }
}

static int64_t patience_ns(const struct bench_trial *t)
{
    return t->patience_ns > 0 ? t->patience_ns : moment_max(QUIET_NS, moment_min(t->took_ns, QUIET_MOST_NS));
}

static int64_t length_of(const struct bench_generator *g, const struct bench_trial *t)
{
    return t->length_ns > 0 ? t->length_ns : g->plan->trial_ns;
}

/* The overload, whose late frames count as those of the load after it. */
static void overload(struct generator_job *job)
{
    struct bench_trial *over = job->over, *under = job->t;
    offer(job->g, over, length_of(job->g, over));
    under->received = over->received;
    under->expected = over->expected;
    under->refused = over->refused;
    over->expected = over->received = 0;
    if (under->recovery)
        bench_recovery_begin(under->recovery, clock_counter_ns(&job->g->clock),
                             length_of(job->g, under) / BENCH_RECOVERY_SLOTS + 1);
}

static int run_trial(void *arg)
{
    struct generator_job *job = arg;
    struct bench_trial late = {0}, warm = {.rate = job->t->rate};
    drain(job->g, &late, LATE_NS); /* late frames of the trial before */
    offer(job->g, &warm, job->t->warm_ns);
    drain(job->g, &warm, LATE_NS);
    if (job->over)
        overload(job);
    offer(job->g, job->t, length_of(job->g, job->t));
    drain(job->g, job->t, patience_ns(job->t));
    for (unsigned i = 0; i < job->g->link_count; i++)
        bench_gaps_add_silences(&job->t->dut_gaps, &job->g->links[i].silences, job->t->took_ns);
    atomic_store(&job->is_done, true);
    return 0;
}

static void sum_up(struct bench_generator *g, struct bench_trial *t)
{
    if (t->sample_count == 0)
        return;
    bench_spread_sort_ns(g->samples_ns, t->sample_count);
    t->p50_us = (double)bench_spread_percentile(g->samples_ns, t->sample_count, 500) * 1e-3;
    t->p90_us = (double)bench_spread_percentile(g->samples_ns, t->sample_count, 900) * 1e-3;
    t->p99_us = (double)bench_spread_percentile(g->samples_ns, t->sample_count, 990) * 1e-3;
    t->p999_us = (double)bench_spread_percentile(g->samples_ns, t->sample_count, 999) * 1e-3;
}

bool bench_generator_bring_up(struct bench_generator *g, int64_t wait_ns)
{
    struct bench_trial none = {0};
    int64_t start_ns = clock_counter_ns(&g->clock), now = start_ns, up_ns = MOMENT_NEVER;
    g->is_gn_mac_known = g->plan->has_gn_mac; /* a node that was started again may have another */
    while (now - start_ns < wait_ns && moment_add(up_ns, SETTLE_NS) > now &&
           !bench_console_is_interrupted()) {
        bench_generator_take(g, &none, now);
        now = clock_counter_ns(&g->clock);
        bench_node_mac_ask(g, now);
        if (!g->is_gn_mac_known || !bench_gb_peer_are_up(g->gb_peers, g->link_count))
            up_ns = MOMENT_NEVER;
        else if (up_ns == MOMENT_NEVER)
            up_ns = now;
        usleep(POLL_US / 10);
    }
    return g->is_gn_mac_known && bench_gb_peer_are_up(g->gb_peers, g->link_count);
}

/* Whether one burst comes back whole, without other frames. */
static bool is_passed(struct bench_generator *g)
{
    struct bench_trial probe = {.rate = 0};
    bench_generator_send(g, &probe, BENCH_GENERATOR_BURST, clock_counter_ns(&g->clock));
    drain(g, &probe, QUIET_NS);
    return probe.expected > 0 && probe.received == probe.expected;
}

/* Late frames, until none has arrived for LATE_MOST_NS: bursts that a node with a gap still had queued. */
static uint64_t come_late(struct bench_generator *g)
{
    struct bench_trial late = {.rate = 0};
    drain(g, &late, LATE_MOST_NS);
    return late.received;
}

bool bench_generator_is_through(struct bench_generator *g, int64_t wait_ns)
{
    const unsigned wanted = PROBES * g->link_count + g->point.cells * PROBES / BENCH_GENERATOR_BURST;
    int64_t start_ns = clock_counter_ns(&g->clock);
    unsigned passed = 0;
    while (clock_counter_ns(&g->clock) - start_ns < wait_ns && !bench_console_is_interrupted()) {
        if (passed == wanted && come_late(g) == 0)
            return true;
        passed = passed < wanted && is_passed(g) ? passed + 1 : 0;
        if (passed == 0)
            come_late(g);
    }
    return false;
}

/* Only what is given. All N-PDUs of the trial have to fit in the samples. */
static struct bench_trial fresh(const struct bench_generator *g, const struct bench_trial *t)
{
    const double npdus = t->rate * (double)length_of(g, t) * 1e-9;
    return (struct bench_trial){.rate = t->rate,
                                .gap_ns = t->gap_ns,
                                .patience_ns = t->patience_ns,
                                .warm_ns = t->warm_ns,
                                .has_latency = t->has_latency,
                                .burst_npdus = t->burst_npdus,
                                .length_ns = t->length_ns,
                                .recovery = t->recovery,
                                .sample_every = 1 + (uint32_t)(npdus / BENCH_GENERATOR_SAMPLES)};
}

static void launch(struct generator_job *job)
{
    rte_eal_remote_launch(run_trial, job, EAL_LIVE_LCORE(0));
    while (!atomic_load(&job->is_done))
        usleep(POLL_US);
    rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
    sum_up(job->g, job->t);
}

void bench_generator_try(struct bench_generator *g, struct bench_trial *trial)
{
    struct generator_job job = {.g = g, .t = trial};
    *trial = fresh(g, trial);
    launch(&job);
}

void bench_generator_try_recovery(struct bench_generator *g, struct bench_trial *over,
                                  struct bench_trial *under)
{
    struct generator_job job = {.g = g, .t = under, .over = over};
    *over = fresh(g, over);
    *under = fresh(g, under);
    launch(&job);
}
