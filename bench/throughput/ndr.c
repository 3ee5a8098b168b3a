/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/ndr.h"

#include "bench/throughput/console.h"
#include "bench/throughput/ndr_loop.h"
#include "bench/throughput/report_ndr.h"
#include "bench/throughput/points.h"
#include "control/base/command.h"
#include "control/base/eal.h"

#include <inttypes.h>

/* Starts a DUT process, stopped, and its generator. False, with a line on stderr. Call close_device() in any
 * case. */
static bool open_device(struct bench_ndr_loop_device *d, const struct bench_plan *plan,
                        const struct bench_point *point, bool is_testpmd)
{
    *d->g = (struct bench_generator){.plan = NULL};
    if (!bench_dut_process_start(d->dut, plan, point, is_testpmd))
        return false;
    bool is_open = bench_generator_open(d->g, plan, point, d->dut);
    bench_dut_process_pause(d->dut);
    return is_open;
}

static void close_device(struct bench_ndr_loop_device *d)
{
    bench_generator_close(d->g);
    bench_dut_process_stop(d->dut);
}

/* A result for each distance that occurred; testpmd's NDR at the same distance belongs to it. */
static enum bench_points_outcome report_all(struct json_stream *json, struct bench_ndr_loop *h)
{
    enum bench_points_outcome outcome = BENCH_POINTS_GOOD;
    for (unsigned i = 0; i < BENCH_DISTANCES; i++) {
        struct bench_ndr *r = &h->devices[0].at[i];
        if (r->ndr.median == 0)
            continue;
        r->roofline_npdu_per_s = h->count > 1 ? h->devices[1].at[i].ndr.median : 0;
        bench_report_ndr_row(r);
        bench_report_ndr_trial(json, h->plan, r);
        if (r->wrong_fcs + r->reordered > 0)
            outcome = BENCH_POINTS_BAD;
    }
    return outcome;
}

static void say_not_found(const struct bench_ndr_loop *h)
{
    uint64_t trials, voided;
    bench_ndr_loop_count(h, &trials, &voided);
    bench_error("no search found a rate in %u s each, %" PRIu64 " of %" PRIu64
                " trials void: use idle CPUs, or raise "
                "--seconds or --set gap_us",
                h->plan->seconds, voided, trials);
}

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    static struct bench_generator generators[BENCH_NDR_LOOP_DEVICES];
    static struct bench_dut_process dut_processes[BENCH_NDR_LOOP_DEVICES];
    static struct bench_ndr_loop h;
    enum bench_points_outcome outcome = BENCH_POINTS_STOP;
    h = (struct bench_ndr_loop){.plan = plan, .count = 1};
    for (unsigned i = 0; i < BENCH_NDR_LOOP_DEVICES; i++) {
        h.devices[i].g = &generators[i];
        h.devices[i].dut = &dut_processes[i];
    }
    if (open_device(&h.devices[0], plan, point, false)) {
        if (plan->has_roofline && open_device(&h.devices[1], plan, point, true))
            h.count = 2;
        if (bench_ndr_loop_run(&h)) {
            bench_ndr_loop_latency(&h);
            bench_ndr_loop_overload(&h);
            outcome = report_all(json, &h);
        } else {
            say_not_found(&h);
        }
        if (plan->has_roofline)
            close_device(&h.devices[1]);
    }
    close_device(&h.devices[0]);
    return outcome;
}

int bench_ndr_run_points(const struct bench_plan *plan, const struct bench_points_mode *mode,
                         unsigned devices)
{
    struct live_config eal = plan->eal;
    unsigned most = bench_plan_most_workers(plan);
    eal.core_count = 1;
    eal.cores[0] = plan->eal.cores[most];
    if (!eal_live_start(&eal, 1, devices * bench_generator_memory_octets(most)))
        return COMMAND_FAILED;
    int status = bench_points_run(plan, mode);
    eal_stop();
    return status;
}

int bench_ndr_run(const struct bench_plan *plan)
{
    if (plan->has_roofline && !bench_dut_process_has_testpmd()) {
        bench_error("dpdk-testpmd is missing; install dpdk-dev, or use --no-roofline");
        return COMMAND_MISSING;
    }
    return bench_ndr_run_points(plan, &(struct bench_points_mode){bench_report_ndr_head, measure_point},
                                plan->has_roofline ? 2 : 1);
}
