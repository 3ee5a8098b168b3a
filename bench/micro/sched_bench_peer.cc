// SPDX-License-Identifier: BSD-3-Clause
// DPDK's rte_sched in light load, at 90 and 120 percent of its pipes' rates, and backlogged: rows beside
// those of sched_bench.cc.
#include <benchmark/benchmark.h>

#include <memory>

extern "C" {
#include "bench/micro/sched_bench_rte.h"
#include "control/base/clock.h"
}

namespace {

constexpr unsigned burst = SCHED_BENCH_RTE_BURST;

double seconds_now()
{
    return static_cast<double>(clock_now_ns()) * 1e-9;
}

using rte_peer = std::unique_ptr<sched_bench_rte, decltype(&sched_bench_rte_free)>;

rte_peer new_rte(benchmark::State &state, unsigned load)
{
    rte_peer peer(sched_bench_rte_new(static_cast<uint32_t>(state.range(0)), load), sched_bench_rte_free);
    if (!peer)
        state.SkipWithError("rte_sched could not be set up");
    return peer;
}

void show_rte(benchmark::State &state, double seconds, double put, double sent)
{
    if (seconds <= 0 || sent <= 0)
        state.SkipWithError("no step that another process left whole, or nothing was sent");
    state.SetItemsProcessed(static_cast<int64_t>(put));
    state.counters["ns_per_npdu"] = put > 0 ? seconds / put * 1e9 : 0;
    state.counters["sent_share"] = put > 0 ? sent / put : 0;
}

// The mean of the steps' times without those that another process interrupted.
class step_times {
  public:
    void add(double seconds)
    {
        if (seconds < longest_s) {
            sum += seconds;
            count++;
        }
    }
    [[nodiscard]] double sum_of(double steps) const
    {
        return count > 0 ? sum / count * steps : 0;
    }

  private:
    static constexpr double longest_s = 1e-4;
    double sum = 0, count = 0;
};

// rte_sched at a load: 5 is light, no rate is reached and bursts follow one another; otherwise they are
// paced, the rates of the pipes are in force, and only the time inside a step counts.
void rte_sched_random(benchmark::State &state)
{
    auto load = static_cast<unsigned>(state.range(1));
    bool is_light = load == 5;
    auto peer = new_rte(state, is_light ? 0 : load);
    double begin_s = seconds_now(), sent = 0;
    step_times times;
    // At 120 percent buckets of a second empty and queues fill in 5 s.
    while (peer && seconds_now() - begin_s < (load > 100 ? 6 : 2)) {
        if (!is_light)
            sched_bench_rte_wait(peer.get());
        sched_bench_rte_step(peer.get());
    }
    begin_s = seconds_now();
    for (auto _ : state) {
        if (!peer)
            return;
        if (!is_light)
            sched_bench_rte_wait(peer.get());
        double from_s = seconds_now();
        sent += sched_bench_rte_step(peer.get());
        double took_s = seconds_now() - from_s;
        times.add(took_s);
        state.SetIterationTime(took_s);
    }
    auto steps = static_cast<double>(state.iterations());
    show_rte(state, times.sum_of(steps), steps * burst, sent);
    state.counters["offered_per_s"] =
        steps * burst / (seconds_now() - begin_s); // SCHED_BENCH_RTE_OFFERED if paced
}
BENCHMARK(rte_sched_random)
    ->ArgNames({"pipes", "load"})
    ->ArgsProduct({{4096, 65536}, {5, 90, 120}})
    ->UseManualTime();

// Every pipe always has two packets. rates 0: no rate is reached, so that no pipe is passed over for its
// rate. rates 1: the pipes' rates are in force, as in sched_backlogged; each turn is as late as a burst takes
// at their sum.
void rte_sched_backlogged(benchmark::State &state)
{
    bool has_rates = state.range(1) > 0;
    auto peer = new_rte(state, has_rates ? 100 : 0);
    double begin_s = seconds_now(), sent = 0, turns = 0;
    step_times times;
    if (peer)
        sched_bench_rte_fill(peer.get(), 2);
    auto turn = [&] {
        if (has_rates)
            sched_bench_rte_wait(peer.get());
        return sched_bench_rte_turn(peer.get());
    };
    while (peer && has_rates && seconds_now() - begin_s < 2)
        turn();
    for (auto _ : state) {
        if (!peer)
            return;
        if (has_rates)
            sched_bench_rte_wait(peer.get());
        double from_s = seconds_now();
        sent += sched_bench_rte_turn(peer.get());
        double took_s = seconds_now() - from_s;
        times.add(took_s);
        turns++;
        state.SetIterationTime(took_s);
    }
    show_rte(state, times.sum_of(turns), sent, sent);
}
BENCHMARK(rte_sched_backlogged)
    ->ArgNames({"pipes", "rates"})
    ->ArgsProduct({{4096, 65536}, {0, 1}})
    ->UseManualTime();

} // namespace
