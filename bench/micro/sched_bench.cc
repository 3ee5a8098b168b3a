// SPDX-License-Identifier: BSD-3-Clause
// The scheduler as the worker uses it: bursts of 32 N-PDUs for random mobiles are queued, time advances,
// N-PDUs that may leave are picked. Beside it, in the same run, DPDK's rte_sched under the same load.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

extern "C" {
#include "bench/micro/sched_bench_rte.h"
#include "control/base/clock.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/bigmem.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"
#include "dataplane/sched/wait.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/wire/flow_hash.h"
}

namespace {

constexpr unsigned burst = SCHED_BENCH_RTE_BURST;
constexpr uint16_t n_pdu_octets = 490; // an LLC-PDU of 500
constexpr uint32_t llc_octets = SCHED_BENCH_RTE_OCTETS;
constexpr uint32_t ms_per_cell = 100;
constexpr uint64_t ms_rate_bps = 20000;
constexpr uint64_t ms_second_octets = ms_rate_bps / 8;
constexpr uint8_t flow_queues = 16;
constexpr unsigned most_queued = 8, backlog = 2; // N-PDUs of a mobile

// Bmax of mobiles and cells, in milliseconds of their rates: every third N-PDU waits at 90 percent load.
constexpr uint32_t ms_bucket_ms = 1000, cell_bucket_ms = 80;
constexpr size_t header_octets = 24;                                      // IPv4, and ports
constexpr uint8_t header_start[] = {0x45, 2, 1, 234, 0, 0, 0, 0, 64, 17}; // ECT(0)
constexpr uint32_t most_flows = 8;

template <typename T> struct table {
    T *at;
    size_t octets;
    explicit table(size_t count) : octets(count * sizeof(T))
    {
        at = static_cast<T *>(bigmem_new(octets));
    }
    ~table()
    {
        bigmem_free(at, octets);
    }
    table(const table &) = delete;
    table &operator=(const table &) = delete;
};

// Mobiles in cells of 100, a cell with the sum of their rates, a link without a rate.
struct node {
    uint32_t count, cells_count;
    uint32_t flows;                               // 5-tuples of each mobile; 0: without flow queues
    uint8_t headers[most_flows][header_octets]{}; // of the N-PDUs of each 5-tuple
    sched s{};
    sched_link link{};
    table<sched_bvc> cells;
    table<sched_ms> ms;
    table<n_pdu> n_pdus;
    n_pdu *spare = nullptr;
    uint64_t chance = 1;
    sched_ms *coming[burst];
    int64_t now = 0;
    uint64_t sent = 0, dropped = 0;

    node(uint32_t ms_count, uint32_t packets, uint32_t flows_count = 0, const aqm_ops *ops = nullptr)
        : count(ms_count), cells_count((ms_count + ms_per_cell - 1) / ms_per_cell), flows(flows_count),
          cells(cells_count), ms(ms_count), n_pdus(packets)
    {
        for (uint32_t i = 0; i < most_flows; i++) {
            std::memcpy(headers[i], header_start, sizeof(header_start));
            headers[i][header_octets - 1] = static_cast<uint8_t>(i);
        }
        sched_params params;
        sched_params_default(&params);
        params.segmenting = {4, 3, 6};
        params.max_age_ns = 15 * MOMENT_SECOND;
        params.budget_pkts = packets - burst;
        params.flow_queues = flows > 0 ? flow_queues : 0;
        params.aqm[QCLASS_THP2] = {{ops, nullptr, 1, 0}, SCHED_AQM_MS};
        const sched_counts counts = {ms_count, 0, cells_count, 1, flows > 1 ? ms_count : 1, 0};
        sched_new(&s, &counts, &params);
        const sched_aqm_owners owners = {
            ms.at, cells.at, &link, sizeof(sched_ms), sizeof(sched_bvc), sizeof(sched_link)};
        sched_aqm_place(&s, &owners);
        sched_link_init(&link, now);
        for (uint32_t i = 0; i < cells_count; i++)
            open_cell(cells.at[i]);
        for (uint32_t i = 0; i < ms_count; i++)
            open_ms(ms.at[i], cells.at[i / ms_per_cell]);
        for (auto &mobile : coming)
            mobile = &ms.at[any_of(ms_count)];
        for (uint32_t i = packets; i-- > 0;)
            give(&n_pdus.at[i]);
    }

    ~node()
    {
        sched_free(&s);
    }

    node(const node &) = delete;
    node &operator=(const node &) = delete;

    void open_cell(sched_bvc &cell)
    {
        sched_bvc_init(&cell, &link, now);
        bucket_init(&cell.bucket, ms_second_octets * ms_per_cell * cell_bucket_ms / 1000,
                    ms_rate_bps * ms_per_cell, now);
        sched_bvc_use(&s, &cell, true);
    }

    void open_ms(sched_ms &mobile, sched_bvc &cell)
    {
        sched_ms_init(&mobile, &cell, now);
        bucket_init(&mobile.bucket, ms_second_octets * ms_bucket_ms / 1000, ms_rate_bps, now);
        mobile.n201_u = 1520;
        mobile.limit_octets = most_queued * n_pdu_octets;
    }

    void give(n_pdu *packet)
    {
        packet->next = spare;
        spare = packet;
    }

    void put(sched_ms &mobile)
    {
        n_pdu *packet = spare;
        spare = packet->next;
        *packet = {};
        packet->octets = n_pdu_octets;
        packet->data = headers[flows > 1 ? any_of(flows) : 0];
        packet->arrival_ns = now;
        packet->qclass = QCLASS_THP2;
        packet->sapi = 5;
        packet->pfi = N_PDU_NO_PFI;
        sched_grant grants[SCHED_PASS_MAX];
        int count = sched_bypass(&s, &mobile, packet, grants, now);
        if (count > 0) {
            sent++;
            give(packet);
        }
        if (count >= 0)
            return;
        if (flows > 0)
            packet->flow_hash = flow_hash_of(1, packet->data, header_octets); // as context_enqueue() does it
        if (sched_enqueue(&s, &mobile, packet, now) != DROP_NONE) {
            dropped++;
            give(packet);
        }
    }

    // Random numbers must be cheap beside the measured code: a linear congruential generator, its upper half
    // scaled.
    uint32_t any_of(uint32_t n)
    {
        chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        return static_cast<uint32_t>((chance >> 32) * n >> 32);
    }

    // A worker knows a burst's mobiles some time before it queues their N-PDUs; here one burst earlier.
    void put_burst()
    {
        sched_ms *mobiles[burst];
        for (unsigned i = 0; i < burst; i++) {
            mobiles[i] = coming[i];
            coming[i] = &ms.at[any_of(count)];
            __builtin_prefetch(coming[i], 1);
            __builtin_prefetch(&coming[i]->flow, 1);
        }
        for (auto *mobile : mobiles) {
            __builtin_prefetch(mobile->bvc, 1);
            __builtin_prefetch(mobile->flow.queue.list.last, 1);
        }
        for (auto *mobile : mobiles)
            put(*mobile);
    }

    // Sends what is due, bursts at a time, and queues as many N-PDUs for the same mobiles.
    void send_again()
    {
        sched_ms *mobiles[burst];
        sched_grant grant;
        unsigned count;
        do {
            for (count = 0; count < burst && sched_pick(&s, &grant, now); count++) {
                give(grant.n_pdu);
                mobiles[count] = grant.ms;
                __builtin_prefetch(grant.ms->flow.queue.list.last, 1); // as put_burst() does
            }
            for (unsigned i = 0; i < count; i++)
                put(*mobiles[i]);
            sent += count;
        } while (count == burst);
        reap();
    }

    void reap()
    {
        n_pdu *packet;
        while ((packet = n_pdu_list_take(&s.dropped))) {
            dropped++;
            give(packet);
        }
    }

    void send()
    {
        sched_grant grant;
        while (sched_pick(&s, &grant, now)) {
            give(grant.n_pdu);
            sent++;
        }
        reap();
    }
};

double ns_per_burst(uint32_t ms_count, double load)
{
    double octets_per_s = static_cast<double>(ms_rate_bps) / 8 * ms_count * load;
    return burst * llc_octets / octets_per_s * 1e9;
}

void run_random(benchmark::State &state, uint32_t flows, const aqm_ops *ops = nullptr)
{
    auto ms_count = static_cast<uint32_t>(state.range(0));
    double step_ns = ns_per_burst(ms_count, static_cast<double>(state.range(1)) / 100);
    auto n = std::make_unique<node>(ms_count, 8 * ms_count + 64 * burst, flows, ops);
    double at_ns = 0;
    auto step = [&] {
        at_ns += step_ns;
        n->now = static_cast<int64_t>(at_ns);
        sched_wait_at(&n->s, n->now); // as worker_step() does
        n->send();
        n->put_burst();
        n->send();
    };
    while (n->now < 2 * MOMENT_SECOND)
        step();
    n->sent = n->dropped = 0;
    for (auto _ : state)
        step();
    state.SetItemsProcessed(state.iterations() * burst);
    state.counters["sent_share"] =
        static_cast<double>(n->sent) / (static_cast<double>(state.iterations()) * burst);
    state.counters["ns_per_npdu"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * burst,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Random mobiles at `load` percent of their rate. One item is an N-PDU: queued, picked, removed.
void sched_random(benchmark::State &state)
{
    run_random(state, 0);
}
BENCHMARK(sched_random)
    ->ArgNames({"mobiles", "load"})
    ->ArgsProduct({{1000, 4096, 65536, 1000000}, {5, 90, 120}});

// The same with flow queues: N-PDUs of `flows` 5-tuples for each mobile; 0: without flow queues.
void sched_random_flows(benchmark::State &state)
{
    run_random(state, static_cast<uint32_t>(state.range(2)));
}
BENCHMARK(sched_random_flows)
    ->ArgNames({"mobiles", "load", "flows"})
    ->ArgsProduct({{1000, 65536}, {90, 120}, {0, 1, 8}});

// The same with an AQM scheme for each mobile, with its defaults; first without a scheme.
void sched_random_aqm(benchmark::State &state, const aqm_ops *ops)
{
    run_random(state, 0, ops);
}

void register_schemes(const aqm_registry &built_in)
{
    for (unsigned i = 0; i <= built_in.count; i++) {
        const aqm_ops *ops = i > 0 ? built_in.schemes[i - 1] : nullptr;
        std::string name = std::string("sched_random_aqm/") + (ops ? ops->name : "none");
        benchmark::RegisterBenchmark(name.c_str(), sched_random_aqm, ops)
            ->ArgNames({"mobiles", "load"})
            ->ArgsProduct({{4096}, {90, 120}});
    }
}

void run_backlogged(benchmark::State &state, uint32_t flows, bool is_cell_open = false)
{
    auto ms_count = static_cast<uint32_t>(state.range(0));
    auto n = std::make_unique<node>(ms_count, 2 * ms_count + burst, flows);
    for (uint32_t i = 0; is_cell_open && i < n->cells_count; i++)
        bucket_set(&n->cells.at[i].bucket, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 0);
    for (uint32_t i = 0; is_cell_open && i < ms_count; i++) /* else all are due at one instant */
        bucket_take(&n->ms.at[i].bucket, 1 + n->any_of(2 * llc_octets), 0);
    for (uint32_t i = 0; i < 2 * ms_count; i++) /* the first ones fill buckets */
        while (n->ms.at[i % ms_count].flow.queue.pkts <= i / ms_count)
            n->put(n->ms.at[i % ms_count]);
    double step_ns = ns_per_burst(ms_count, 1), at_ns = 0;
    auto step = [&] {
        at_ns += step_ns;
        n->now = static_cast<int64_t>(at_ns);
        sched_wait_at(&n->s, n->now); // as worker_step() does
        n->send_again();
    };
    while (n->now < MOMENT_SECOND)
        step();
    n->sent = 0;
    for (auto _ : state)
        step();
    if (state.iterations() > 1000 && n->sent < static_cast<uint64_t>(state.iterations()) * burst / 2)
        state.SkipWithError("less was sent than half of the rates of mobiles");
    state.SetItemsProcessed(static_cast<int64_t>(n->sent));
    state.counters["ns_per_npdu"] = benchmark::Counter(
        static_cast<double>(n->sent), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Every mobile always has two N-PDUs: in the time of a burst, what is due leaves and is queued again, as in a
// worker's step and in rte_sched_backlogged.
void sched_backlogged(benchmark::State &state)
{
    run_backlogged(state, 0);
}
BENCHMARK(sched_backlogged)->ArgName("mobiles")->Arg(1000)->Arg(4096)->Arg(65536)->Arg(1000000);

// The same with cells that are never the limit: the rates of mobiles alone are in force, as those of pipes
// are in rte_sched_backlogged.
void sched_backlogged_mobiles(benchmark::State &state)
{
    run_backlogged(state, 0, true);
}
BENCHMARK(sched_backlogged_mobiles)->ArgName("mobiles")->Arg(4096)->Arg(65536)->Arg(1000000);

// The same with flow queues.
void sched_backlogged_flows(benchmark::State &state)
{
    run_backlogged(state, static_cast<uint32_t>(state.range(1)));
}
BENCHMARK(sched_backlogged_flows)->ArgNames({"mobiles", "flows"})->ArgsProduct({{1000, 65536}, {0, 1, 8}});

// --- DPDK's rte_sched under the same loads ---

using rte_peer = std::unique_ptr<sched_bench_rte, decltype(&sched_bench_rte_free)>;

// Processor time of a step that does nothing but read the clock: the median of many.
double reading_ns()
{
    std::array<int64_t, 1001> took{};
    for (auto &one : took) {
        int64_t from_ns = clock_thread_ns();
        one = clock_thread_ns() - from_ns;
    }
    std::nth_element(took.begin(), took.begin() + took.size() / 2, took.end());
    return static_cast<double>(took[took.size() / 2]);
}

// Processor time of steps, all and those that found a full burst: no step is left out, and other processes
// take no part.
class step_times {
  public:
    template <typename Step> void run(Step step)
    {
        int64_t from_ns = clock_thread_ns();
        unsigned sent = step();
        double took_ns = std::max(static_cast<double>(clock_thread_ns() - from_ns) - reading, 0.0);
        all.add(took_ns, sent);
        if (sent == burst)
            full.add(took_ns, sent);
    }
    // offered: the items that all steps are counted by; 0: those sent.
    void show(benchmark::State &state, double offered) const
    {
        state.SetItemsProcessed(static_cast<int64_t>(all.sent));
        state.counters["ns_per_npdu"] = all.ns / std::max(offered > 0 ? offered : all.sent, 1.0);
        state.counters["full_ns_per_npdu"] = full.ns / std::max(full.sent, 1.0);
        state.counters["full_steps"] = full.steps / std::max(all.steps, 1.0);
        if (offered > 0)
            state.counters["sent_share"] = all.sent / offered;
    }
    [[nodiscard]] double seconds() const
    {
        return all.ns * 1e-9;
    }

  private:
    struct sum {
        double ns = 0, sent = 0, steps = 0;
        void add(double took_ns, double packets)
        {
            ns += took_ns;
            sent += packets;
            steps++;
        }
    };
    double reading = reading_ns();
    sum all, full;
};

// Runs steps of a load, in percent of the pipes' rates; 0: no rate is reached. An iteration is a second of
// the virtual clock: rte_sched adds the credits of a class once a second, so that less shows one part of it
// only.
template <typename Step>
void run_rte(benchmark::State &state, double load, unsigned filled, unsigned warm_s, Step step)
{
    auto pipes = static_cast<uint32_t>(state.range(0));
    rte_peer peer(sched_bench_rte_new(pipes, load > 0), sched_bench_rte_free);
    if (!peer) {
        state.SkipWithError("rte_sched could not be set up");
        return;
    }
    sched_bench_rte_fill(peer.get(), filled);
    double per_s = static_cast<double>(sched_bench_rte_per_s(pipes)) * pipes * (load > 0 ? load / 100 : 1);
    double at_ns = 0, until_ns = 0;
    step_times times;
    auto second = [&](auto run) {
        double steps = 0;
        for (until_ns += MOMENT_SECOND; at_ns < until_ns; at_ns += burst * 1e9 / per_s, steps++) {
            sched_bench_rte_set_clock(peer.get(), static_cast<int64_t>(at_ns));
            run();
        }
        return steps;
    };
    for (; warm_s > 0; warm_s--)
        second([&] { step(peer.get()); });
    double steps = 0, before_s = 0;
    for (auto _ : state) {
        steps += second([&] { times.run([&] { return step(peer.get()); }); });
        state.SetIterationTime(times.seconds() - before_s);
        before_s = times.seconds();
    }
    times.show(state, filled == backlog ? 0 : steps * burst);
}

// rte_sched at a load. Each step enqueues a burst and dequeues up to one.
void rte_sched_random(benchmark::State &state)
{
    bool is_over = state.range(1) > 100; // with full queues each second is like the first one
    run_rte(state, static_cast<double>(state.range(1)), is_over ? most_queued : 0, is_over ? 0 : 1,
            sched_bench_rte_step);
}
BENCHMARK(rte_sched_random)
    ->ArgNames({"pipes", "load"})
    ->ArgsProduct({{4096, 65536}, {5, 90, 120}})
    ->UseManualTime();

// Every pipe always has two packets. rates 0: no rate is reached, so that no pipe is passed over for its
// rate. rates 100: the pipes' rates are in force, and each step is as late as a burst takes at their sum.
// rates 105: 5 percent earlier, as no caller knows the instant.
void rte_sched_backlogged(benchmark::State &state)
{
    run_rte(state, static_cast<double>(state.range(1)), backlog, 0, sched_bench_rte_turn);
}
BENCHMARK(rte_sched_backlogged)
    ->ArgNames({"pipes", "rates"})
    ->ArgsProduct({{4096, 65536}, {0, 100, 105}})
    ->UseManualTime();

} // namespace

int main(int argc, char **argv)
{
    if (!sched_bench_rte_init())
        return 1;
    aqm_registry built_in;
    aqm_registry_init(&built_in);
    register_schemes(built_in);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    aqm_registry_fini(&built_in);
    return 0;
}
