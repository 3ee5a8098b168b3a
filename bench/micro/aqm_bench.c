/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time that each AQM scheme adds per packet: both hooks, against a loop that only prepares the views. Schemes
 * come from the registry, so a new one is measured without a change here. And the same source as a plug-in
 * beside the built-in one.
 */
#include "bench/micro/micro.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKETS    8192
#define SPACING_NS 5000000
#define PLUGIN     "aqm_bench_plugin.so"

struct queue {
    struct aqm_setup *setup; /* NULL: no scheme is asked */
    struct aqm_view views[PACKETS];
    uint8_t state[AQM_MAX_STATE] __attribute__((aligned(64)));
    int64_t now;
    uint64_t signals;
};

static struct aqm_registry built_in, plugins;

/* Views of a queue that varies around the schemes' default thresholds and empties now and then, as with
 * senders that respond to signals; or of a queue that is almost empty. */
static void make_views(struct aqm_view *views, bool is_busy)
{
    struct rng r;
    rng_init(&r, 7, 0);
    for (unsigned i = 0; i < PACKETS; i++) {
        const bool is_full = is_busy && i % 256 >= 4;
        const uint32_t octets = (uint32_t)rng_between(&r, 40, 1500);
        const uint64_t backlog = is_full ? 20000 + rng_below(&r, 10000) : rng_below(&r, 2) * 500;
        views[i] = (struct aqm_view){.octets = octets,
                                     .backlog_octets = backlog,
                                     .backlog_pkts = (uint32_t)(backlog / 500),
                                     .rate_bps = 200000,
                                     .sojourn_ns = (int64_t)backlog * 40000,
                                     .age_ns = (int64_t)backlog * 40000,
                                     .left_ns = MOMENT_NEVER,
                                     .ecn = AQM_ECN_ECT0};
    }
}

static struct queue *queue_new(const struct aqm_ops *ops, bool is_busy)
{
    struct queue *q = micro_memory(sizeof(*q));
    char message[256] = "";
    const struct aqm_choice choice = {ops, NULL, 1, 0};
    make_views(q->views, is_busy);
    q->now = 1;
    q->setup = ops ? aqm_setup_new(&choice, message, sizeof(message)) : NULL;
    micro_need(q->setup || !ops, message);
    if (ops)
        aqm_setup_start(q->setup, q->state, 0);
    return q;
}

static void *scheme_open(const struct micro_point *p)
{
    return queue_new(p->side > 0 ? built_in.schemes[p->side - 1] : NULL, p->at[0] != 0);
}

static void *plugin_open(const struct micro_point *p)
{
    if (plugins.count == 0)
        return NULL;
    return queue_new(p->side > 0 ? plugins.schemes[0] : aqm_registry_find(&built_in, "red"), true);
}

static double aqm_run(void *state)
{
    struct queue *q = state;
    int64_t now = q->now;
    for (unsigned i = 0; i < PACKETS; i++, now += SPACING_NS) {
        struct aqm_view view = q->views[i];
        MICRO_KEEP(&view);
        if (q->setup) {
            q->signals += aqm_setup_ask(q->setup, AQM_AT_ENQUEUE, q->state, &view, now) != AQM_PASS;
            q->signals += aqm_setup_ask(q->setup, AQM_AT_DEQUEUE, q->state, &view, now) != AQM_PASS;
        }
        MICRO_KEEP(&view);
    }
    q->now = now;
    return PACKETS;
}

static void aqm_sum_up(void *state, struct micro_result *result)
{
    const struct queue *q = state;
    const uint64_t asked = q->setup ? aqm_setup_total(q->setup).asked : 0;
    if (q->setup)
        micro_figure(result, "signalled", asked > 0 ? 2 * (double)q->signals / (double)asked : 0);
}

#define plugin_close scheme_close
static void scheme_close(void *state)
{
    struct queue *q = state;
    if (q->setup)
        aqm_setup_free(q->setup);
    free(q);
}

static struct micro_axis busy = MICRO_AXIS("busy", 0, 1, 0, 1);
static struct micro_case cases[] = {MICRO_CASE(scheme, "aqm", "packet", MICRO_LIST("none"), MICRO_LIST(&busy),
                                               .run = aqm_run, .sum_up = aqm_sum_up, .compares = true),
                                    MICRO_CASE(plugin, "red", "packet", MICRO_LIST("built_in", "plugin"),
                                               MICRO_LIST(NULL), .run = aqm_run, .sum_up = aqm_sum_up,
                                               .compares = true)};

static void aqm_bench_begin(void)
{
    char path[PATH_MAX], message[512];
    aqm_registry_init(&built_in);
    for (unsigned i = 0; i < built_in.count && i + 1 < MICRO_SIDES; i++)
        cases[0].sides[i + 1] = built_in.schemes[i]->name;
    const int folder = (int)(strlen(program_invocation_name) - strlen(program_invocation_short_name));
    snprintf(path, sizeof(path), "%.*s" PLUGIN, folder, program_invocation_name);
    if (!aqm_registry_load(&plugins, path, message, sizeof(message)))
        printf("%s: %s\n", path, message);
}

MICRO_PROGRAM(
    "Each AQM scheme beside none, in a busy queue or not, and a plug-in beside the built-in scheme.",
    .rounds = 31, .turn_ms = 10, .begin = aqm_bench_begin);
