// SPDX-License-Identifier: BSD-3-Clause
// One pass of a worker: a burst of 32 G-PDUs in, their frames out, buckets wide open, through ports made of
// rings. What the ports and buffers alone cost is a benchmark of its own, to be subtracted.
#include <benchmark/benchmark.h>

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/vport.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/worker.h"
}

namespace {

constexpr uint32_t sgsn_ip = 0x0a000001, ggsn_ip = 0x0a000002, gb_ip = 0x0a000003, bss_ip = 0x0a000004;
constexpr uint16_t cells = 64;
constexpr unsigned buffers = 4095;
constexpr unsigned headers_octets = GB_HEADER_OCTETS + GTPU_OCTETS;
constexpr uint64_t open_octets = BUCKET_MAX_OCTETS, open_rate_bps = BUCKET_MAX_RATE_BPS;
constexpr uint32_t stride =
    7919; // from one packet's mobile to the next one's: prime, so that all have their turn

void die(const char *what)
{
    fprintf(stderr, "worker_bench: %s\n", what);
    exit(1);
}

// A worker with one context for each mobile, and both its ports.
struct node {
    rte_mempool *rx_pool, *tx_pool;
    vport gn = {}, gb = {};
    worker *w = nullptr;
    uint32_t mobiles, next = 0;
    int64_t now = 0;

    explicit node(uint32_t count) : mobiles(count)
    {
        std::string name = std::to_string(count);
        rx_pool = pool_new(("rx" + name).c_str(), buffers);
        tx_pool = pool_new(("tx" + name).c_str(), buffers);
        if (!rx_pool || !tx_pool || vport_new(&gn, ("net_ring_n" + name).c_str(), rx_pool) < 0 ||
            vport_new(&gb, ("net_ring_b" + name).c_str(), rx_pool) < 0)
            die("no memory for ports");
        make_worker(name);
        make_gb();
        for (uint32_t i = 0; i < mobiles; i++)
            make_mobile(i);
    }

    node(const node &) = delete;
    node &operator=(const node &) = delete;

    void make_worker(const std::string &name)
    {
        worker_config config = {};
        const char *error = nullptr;
        config.name = name.c_str();
        config.limits = {.nses = 1, .nsvcs = 1, .bvcs = cells, .mobiles = mobiles, .pdps = mobiles};
        config.lifetime = {.mode = LIFETIME_SPLIT,
                           .sgsn_max_ns = 15 * MOMENT_SECOND,
                           .bss_min_ns = 0,
                           .bss_max_ns = MOMENT_NEVER};
        config.reassemblies = config.fragments = 64;
        config.fragment_timeout_ns = MOMENT_SECOND;
        config.gn_port = gn.id;
        config.gb_port = gb.id;
        config.rx_pool = rx_pool;
        config.tx_pool = tx_pool;
        w = worker_new(&config, &error);
        if (!w)
            die(error);
    }

    void order(const msg &request)
    {
        msg answer;
        if (!msg_put(w->rings.to_worker, &request))
            die("the ring is full");
        while (worker_step(w, now) <= now)
            ;
        if (!msg_take(w->rings.to_control, &answer) || answer.status != 0)
            die("an order was refused");
    }

    void make_gb()
    {
        msg nse = {}, nsvc = {}, use = {}, bvc = {}, unblock = {}, flow = {};
        nse.type = MSG_NSE_ADD;
        order(nse);
        nsvc.type = MSG_NSVC_ADD;
        nsvc.nsvc = {.local_ip = gb_ip, .remote_ip = bss_ip, .local_port = 23000, .remote_port = 23000};
        order(nsvc);
        use.type = MSG_NSVC_USE;
        use.flag = unblock.flag = true;
        order(use);
        bvc.type = MSG_BVC_ADD;
        unblock.type = MSG_BVC_UNBLOCK;
        flow.type = MSG_BVC_FLOW;
        flow.flow = {open_octets, open_rate_bps, open_octets, open_rate_bps, -1};
        for (uint16_t i = 0; i < cells; i++) {
            bvc.index = unblock.index = flow.index = i;
            bvc.id = i + 2U;
            order(bvc);
            order(unblock);
            order(flow);
        }
    }

    void make_mobile(uint32_t i)
    {
        msg ms = {}, pdp = {};
        ms.type = MSG_MS_ADD;
        ms.index = pdp.index = i;
        ms.ms = {.tlli = 0xc0000000 + i,
                 .bvc = static_cast<uint16_t>(i % cells),
                 .n201_u = 1520,
                 .queue_limit_octets = 64000};
        order(ms);
        pdp.type = MSG_PDP_ADD;
        pdp.pdp = {.ms = i,
                   .sgsn_ip = sgsn_ip,
                   .teid = i,
                   .ggsn_ip = ggsn_ip,
                   .ggsn_teid = i,
                   .nsapi = 5,
                   .sapi = 3,
                   .qclass = QCLASS_BACKGROUND};
        order(pdp);
    }
};

// Kept for all runs: Google Benchmark calls each function several times.
node &node_of(uint32_t mobiles)
{
    static std::map<uint32_t, std::unique_ptr<node>> nodes;
    auto &entry = nodes[mobiles];
    if (!entry)
        entry = std::make_unique<node>(mobiles);
    return *entry;
}

std::vector<uint8_t> make_frame(uint16_t octets)
{
    std::vector<uint8_t> frame(headers_octets + octets);
    auto payload = static_cast<uint16_t>(UDP_OCTETS + GTPU_OCTETS + octets);
    ether e = {};
    ipv4 outer = {}, inner = {};
    udp u = {.src_port = GTPU_PORT,
             .dst_port = GTPU_PORT,
             .checksum = 0,
             .payload_octets = static_cast<uint16_t>(GTPU_OCTETS + octets)};
    gtpu g = {};
    e.type = ETHER_TYPE_IPV4;
    outer.src = inner.src = ggsn_ip;
    outer.dst = inner.dst = sgsn_ip;
    outer.proto = inner.proto = IPV4_PROTO_UDP;
    outer.ttl = inner.ttl = 64;
    outer.payload_octets = payload;
    inner.payload_octets = static_cast<uint16_t>(octets - IPV4_OCTETS);
    g.type = GTPU_G_PDU;
    g.payload_octets = octets;
    uint8_t *at = frame.data();
    at += ether_encode(at, ETHER_OCTETS, &e);
    at += ipv4_encode(at, IPV4_OCTETS, &outer);
    at += udp_encode(at, UDP_OCTETS, &u);
    at += gtpu_encode(at, GTPU_OCTETS, &g);
    ipv4_encode(at, IPV4_OCTETS, &inner);
    return frame;
}

// A burst of this frame, each to another mobile.
void feed(node &n, const std::vector<uint8_t> &frame)
{
    rte_mbuf *mbufs[WORKER_BURST];
    if (rte_pktmbuf_alloc_bulk(n.rx_pool, mbufs, WORKER_BURST) < 0)
        die("buffers are lost");
    for (auto *mbuf : mbufs) {
        auto *bytes =
            reinterpret_cast<uint8_t *>(rte_pktmbuf_append(mbuf, static_cast<uint16_t>(frame.size())));
        memcpy(bytes, frame.data(), frame.size());
        bytes_put_u32(bytes + GB_HEADER_OCTETS + 4, n.next);
        n.next = (n.next + stride) % n.mobiles;
    }
    rte_ring_enqueue_bulk(n.gn.to_worker, reinterpret_cast<void **>(mbufs), WORKER_BURST, nullptr);
}

unsigned take_away(rte_ring *ring)
{
    void *mbufs[WORKER_BURST];
    unsigned count = rte_ring_dequeue_burst(ring, mbufs, WORKER_BURST, nullptr);
    rte_pktmbuf_free_bulk(reinterpret_cast<rte_mbuf **>(mbufs), count);
    return count;
}

void report(benchmark::State &state)
{
    double n_pdus = static_cast<double>(state.iterations()) * WORKER_BURST;
    state.SetItemsProcessed(state.iterations() * WORKER_BURST);
    state.counters["ns_per_npdu"] =
        benchmark::Counter(n_pdus * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void worker_downlink(benchmark::State &state)
{
    node &n = node_of(static_cast<uint32_t>(state.range(0)));
    auto frame = make_frame(static_cast<uint16_t>(state.range(1)));
    for (auto _ : state) {
        feed(n, frame);
        n.now += 1000;
        worker_step(n.w, n.now);
        if (take_away(n.gb.to_outside) != WORKER_BURST) {
            state.SkipWithError("an open bucket is closed");
            break;
        }
    }
    report(state);
}
BENCHMARK(worker_downlink)->ArgNames({"mobiles", "octets"})->ArgsProduct({{1000, 100000}, {64, 512, 1400}});

// The same without the worker: what the measurement itself costs.
void ports_alone(benchmark::State &state)
{
    node &n = node_of(static_cast<uint32_t>(state.range(0)));
    auto frame = make_frame(static_cast<uint16_t>(state.range(1)));
    for (auto _ : state) {
        feed(n, frame);
        take_away(n.gn.to_worker);
    }
    report(state);
}
BENCHMARK(ports_alone)->ArgNames({"mobiles", "octets"})->ArgsProduct({{1000}, {64, 512, 1400}});

// A pass that finds nothing to do.
void worker_idle(benchmark::State &state)
{
    node &n = node_of(1000);
    for (auto _ : state)
        benchmark::DoNotOptimize(worker_step(n.w, n.now += 100));
}
BENCHMARK(worker_idle);

void start_eal()
{
    const char *options[] = {"worker_bench",
                             "-l",
                             "0",
                             "--no-huge",
                             "-m",
                             "384",
                             "--no-pci",
                             "--no-shconf",
                             "--no-telemetry",
                             "--iova-mode=va",
                             "--log-level=lib.*:error"};
    std::vector<char *> argv;
    for (const char *option : options)
        argv.push_back(const_cast<char *>(option));
    if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0)
        die("DPDK does not start");
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    start_eal();
    llc_fcs_init();
    benchmark::RunSpecifiedBenchmarks();
    rte_eal_cleanup();
    return 0;
}
