// SPDX-License-Identifier: BSD-3-Clause
// The scheduler as the worker uses it: bursts of 32 N-PDUs for random mobiles are queued, time advances,
// N-PDUs that may leave are picked. Beside it, in the same run, DPDK's rte_sched under the same load.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

extern "C" {
#include "bench/throughput/rte.h"
#include "bench/throughput/load.h"
#include "control/base/clock.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/moment.h"
}

extern "C" void fixture_start(unsigned core, unsigned memory_mib); // fixture.h is C

namespace {

constexpr unsigned burst = BENCH_LOAD_BURST, memory_mib = 1024;
constexpr int64_t warm_up_ns = 2 * MOMENT_SECOND;

using load_ptr = std::unique_ptr<bench_load, decltype(&bench_load_free)>;

// Times the steps of a load after a warm-up. An item is an N-PDU offered, or of a backlog an LLC-PDU sent.
void run_load(benchmark::State &state, const bench_load_params &params)
{
    load_ptr load(bench_load_new(&params), bench_load_free);
    bench_load_run(load.get(), warm_up_ns, nullptr, nullptr);
    double sent = 0;
    for (auto _ : state)
        sent += bench_load_step(load.get());
    double offered = static_cast<double>(state.iterations()) * burst;
    double items = params.is_backlogged ? sent : offered;
    state.SetItemsProcessed(static_cast<int64_t>(items));
    if (!params.is_backlogged)
        state.counters["sent_share"] = sent / offered;
    state.counters["ns_per_npdu"] =
        benchmark::Counter(items, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void run_random(benchmark::State &state, uint32_t flows, const aqm_ops *ops = nullptr)
{
    bench_load_params params{};
    params.mobiles = static_cast<uint32_t>(state.range(0));
    params.percent = static_cast<double>(state.range(1));
    params.flows = flows;
    params.aqm = ops;
    run_load(state, params);
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

void run_backlogged(benchmark::State &state, uint32_t flows, bool are_cells_open = false)
{
    bench_load_params params{};
    params.mobiles = static_cast<uint32_t>(state.range(0));
    params.percent = 100;
    params.is_backlogged = true;
    params.are_cells_open = are_cells_open;
    params.flows = flows;
    run_load(state, params);
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

using rte_peer = std::unique_ptr<bench_rte, decltype(&bench_rte_free)>;

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
    char fault[BENCH_RTE_FAULT_CHARS];
    rte_peer peer(bench_rte_new(pipes, load > 0, fault), bench_rte_free);
    if (!peer) {
        state.SkipWithError(fault);
        return;
    }
    bench_rte_fill(peer.get(), filled);
    double per_s = static_cast<double>(bench_rte_per_s(pipes)) * pipes * (load > 0 ? load / 100 : 1);
    double at_ns = 0, until_ns = 0;
    step_times times;
    auto second = [&](auto run) {
        double steps = 0;
        for (until_ns += MOMENT_SECOND; at_ns < until_ns; at_ns += burst * 1e9 / per_s, steps++) {
            bench_rte_set_clock(peer.get(), static_cast<int64_t>(at_ns));
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
    times.show(state, filled == BENCH_LOAD_BACKLOG ? 0 : steps * burst);
}

// rte_sched at a load. Each step enqueues a burst and dequeues up to one.
void rte_sched_random(benchmark::State &state)
{
    bool is_over = state.range(1) > 100; // with full queues each second is like the first one
    run_rte(state, static_cast<double>(state.range(1)), is_over ? BENCH_LOAD_QUEUE : 0, is_over ? 0 : 1,
            bench_rte_step);
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
    run_rte(state, static_cast<double>(state.range(1)), BENCH_LOAD_BACKLOG, 0, bench_rte_turn);
}
BENCHMARK(rte_sched_backlogged)
    ->ArgNames({"pipes", "rates"})
    ->ArgsProduct({{4096, 65536}, {0, 100, 105}})
    ->UseManualTime();

} // namespace

int main(int argc, char **argv)
{
    fixture_start(0, memory_mib);
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
