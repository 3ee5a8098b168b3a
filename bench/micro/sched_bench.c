/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler as the worker uses it (bench/throughput/load.h): bursts of 32 N-PDUs for random mobiles are
 * queued, time advances, N-PDUs that may leave are picked; or every mobile always has two N-PDUs. With flow
 * queues, and with each AQM scheme. Beside DPDK's rte_sched: `gbflow bench sched`.
 */
#include "bench/micro/micro.h"
#include "bench/throughput/load.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/moment.h"

#include <stdlib.h>

#define WARM_NS (2 * MOMENT_SECOND)

static struct aqm_registry schemes;

/* How the cases differ. The side is the number of 5-tuples, or an AQM scheme. */
struct kind {
    bool is_backlogged, are_cells_open, has_schemes;
    const uint32_t *flows; /* of each side */
};

struct running {
    struct bench_load *load;
    bool is_backlogged;
    double sent, offered;
};

static void *sched_open(const struct micro_point *p)
{
    const struct kind *kind = p->of->arg;
    const struct bench_load_params params = {
        .mobiles = (uint32_t)p->at[0],
        .percent = kind->is_backlogged ? 100 : (double)p->at[1],
        .is_backlogged = kind->is_backlogged,
        .are_cells_open = kind->are_cells_open,
        .flows = kind->flows ? kind->flows[p->side] : 0,
        .aqm = kind->has_schemes && p->side > 0 ? schemes.schemes[p->side - 1] : NULL};
    struct running *r = micro_memory(sizeof(*r));
    r->is_backlogged = kind->is_backlogged;
    r->load = bench_load_new(&params);
    micro_need(r->load, "out of memory");
    bench_load_run(r->load, WARM_NS, NULL, NULL);
    return r;
}

/* An item is an N-PDU offered, or of a backlog an LLC-PDU sent. */
static double sched_run(void *state)
{
    struct running *r = state;
    const double sent = bench_load_step(r->load);
    r->sent += sent;
    r->offered += BENCH_LOAD_BURST;
    return r->is_backlogged ? sent : BENCH_LOAD_BURST;
}

static void sched_sum_up(void *state, struct micro_result *result)
{
    const struct running *r = state;
    if (!r->is_backlogged)
        micro_figure(result, "sent_share", r->sent / r->offered);
}

static void sched_close(void *state)
{
    bench_load_free(((struct running *)state)->load);
    free(state);
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", 1, 1000000, 1000, 4096, 65536, 1000000),
                         few = MICRO_AXIS("mobiles", 1, 1000000, 1000, 65536),
                         open = MICRO_AXIS("mobiles", 1, 1000000, 4096, 65536, 1000000),
                         one = MICRO_AXIS("mobiles", 1, 1000000, 4096),
                         loads = MICRO_AXIS("load", 1, 1000, 5, 90, 120),
                         high = MICRO_AXIS("load", 1, 1000, 90, 120);
static const uint32_t flows[] = {0, 1, 8};

#define FLOWS MICRO_LIST("no_flow_queues", "flows:1", "flows:8")
#define SCHED_CASE(name_, item_, sides_, axes_, compares_, ...)                                              \
    {                                                                                                        \
        .name = name_, .item = item_, .sides = sides_, .axes = axes_, .compares = compares_,                 \
        .arg = &(const struct kind){__VA_ARGS__}, .open = sched_open, .run = sched_run,                      \
        .sum_up = sched_sum_up, .close = sched_close                                                         \
    }

static struct micro_case cases[] = {
    SCHED_CASE("sched_random", "N-PDU", MICRO_LIST(NULL), MICRO_LIST(&mobiles, &loads), false, .flows = NULL),
    SCHED_CASE("sched_random_flows", "N-PDU", FLOWS, MICRO_LIST(&few, &high), true, .flows = flows),
    SCHED_CASE("sched_random_aqm", "N-PDU", MICRO_LIST("none"), MICRO_LIST(&one, &high), true,
               .has_schemes = true),
    SCHED_CASE("sched_backlogged", "LLC-PDU", MICRO_LIST(NULL), MICRO_LIST(&mobiles), false,
               .is_backlogged = true),
    /* Rates of mobiles alone are in force, as those of pipes in rte_sched. */
    SCHED_CASE("sched_backlogged_mobiles", "LLC-PDU", MICRO_LIST(NULL), MICRO_LIST(&open), false,
               .is_backlogged = true, .are_cells_open = true),
    SCHED_CASE("sched_backlogged_flows", "LLC-PDU", FLOWS, MICRO_LIST(&few), true, .is_backlogged = true,
               .flows = flows),
};

static void sched_bench_begin(void)
{
    aqm_registry_init(&schemes);
    for (unsigned i = 0; i < schemes.count && i + 1 < MICRO_SIDES; i++)
        cases[2].sides[i + 1] = schemes.schemes[i]->name;
}

MICRO_PROGRAM(
    "The scheduler under loads in percent of the mobiles' rates and backlogged, with flow queues of as\n"
    "many 5-tuples each, and with each AQM scheme.",
    .rounds = 9, .turn_ms = 50, .begin = sched_bench_begin);
