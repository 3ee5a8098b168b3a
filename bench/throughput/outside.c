/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/outside.h"
#include "bench/statistics/search.h"
#include "bench/throughput/console.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <unistd.h>

#define UP_S      30
#define UP_NS     (UP_S * MOMENT_SECOND) /* from its links to whole bursts */
#define SOON_NS   (2 * MOMENT_SECOND)
#define LINK_US   10000
#define VOIDS_MAX 200 /* of one trial */

#define START "gbflow bench node node.lua, with the same options; gbflow serve node.lua"

bool bench_outside_open(struct bench_outside *o, const struct bench_plan *plan,
                        const struct bench_point *point)
{
    *o = (struct bench_outside){.end_ns = MOMENT_NEVER};
    o->has_ports = bench_generator_attach(&o->g, plan, point, o->gb_peers);
    if (!o->has_ports && !bench_console_is_interrupted())
        bench_error(
            "no node runs at the other ends of Gn and Gb, or not with these options; start it first: " START);
    return o->has_ports;
}

void bench_outside_close(struct bench_outside *o)
{
    bench_generator_close(&o->g);
}

/* --- waiting --- */

static int wait_s_of(const struct bench_outside *o)
{
    return o->wait_s > 0 ? o->wait_s : UP_S;
}

static void say_start(const struct bench_outside *o)
{
    const struct bench_generator *g = &o->g;
    if (o->far_end)
        return;
    fprintf(stderr,
            "gbflow %s: waiting up to %d s for %s at the other ends of Gn and Gb. Start it in another "
            "terminal:\n",
            bench_console_command(), wait_s_of(o), g->is_testpmd ? "dpdk-testpmd" : "a node");
    bench_far_end_print(stderr, g->plan, &g->point, g->is_testpmd);
}

static bool is_well(const struct bench_outside *o)
{
    return !bench_console_is_interrupted() && (!o->far_end || bench_far_end_is_well(o->far_end));
}

/* One attempt, of at most wait_ns: a link, the cells are in service, bursts come back whole. */
static bool attempt(struct bench_outside *o, int64_t wait_ns, bool *is_up)
{
    const int64_t start_ns = clock_now_ns();
    while (!bench_generator_has_link(&o->g) && !bench_console_is_interrupted() &&
           clock_now_ns() - start_ns < wait_ns)
        usleep(LINK_US);
    *is_up = bench_generator_has_link(&o->g);
    if (!o->g.is_testpmd)
        *is_up = bench_generator_bring_up(&o->g, wait_ns);
    return *is_up && bench_generator_is_through(&o->g, wait_ns);
}

static void say_why_not(const struct bench_outside *o, bool is_up)
{
    const char *path = o->far_end ? o->far_end->log.path : "", *where = path[0] ? "; its output is in " : "";
    if (o->g.is_testpmd && !is_up)
        bench_error("no link on Gn or Gb after %d s: does dpdk-testpmd run?%s%s", wait_s_of(o), where, path);
    else if (o->g.is_testpmd)
        bench_error("bursts of %d N-PDUs lose frames for %d s: does dpdk-testpmd forward from Gn to Gb?%s%s",
                    BENCH_GENERATOR_BURST, UP_S, where, path);
    else if (!is_up && o->far_end)
        bench_error("Gb is not up after %d s, though the node runs: do other processes use the CPUs?%s%s",
                    wait_s_of(o), where, path);
    else if (!is_up && !o->g.is_gn_mac_known)
        bench_error(
            "no node answers ARP on Gn after %d s: does it run, with the file of `gbflow bench node`? "
            "`--set gn_mac=MAC` names its MAC address",
            wait_s_of(o));
    else if (!is_up)
        bench_error("Gb is not up after %d s: does the node run, with the file of `gbflow bench node`?",
                    wait_s_of(o));
    else
        bench_error("bursts of %d N-PDUs lose frames for %d s: has the node the same --mobiles, --cells, "
                    "--cipher and n201_u?",
                    BENCH_GENERATOR_BURST, UP_S);
}

bool bench_outside_wait(struct bench_outside *o)
{
    bool is_up = false;
    const int64_t start_ns = clock_now_ns();
    if (attempt(o, SOON_NS, &is_up))
        return true;
    if (!is_up)
        say_start(o);
    while (clock_now_ns() - start_ns < wait_s_of(o) * MOMENT_SECOND + (is_up ? UP_NS : 0) && is_well(o))
        if (attempt(o, is_up ? UP_NS : SOON_NS, &is_up))
            return true;
    if (is_well(o))
        say_why_not(o, is_up);
    return false;
}

/* --- trials --- */

bool bench_outside_is_over(const struct bench_outside *o)
{
    return bench_console_is_interrupted() || clock_now_ns() >= o->end_ns;
}

/* The load after a gap is heavier for a while: a trial without loss is a result in spite of it. Its latency
 * is not, nor is a trial of which the gap left little. */
static bool is_void(const struct bench_trial *t)
{
    if (t->received + t->refused > t->expected)
        return true; /* late frames of a trial before would hide a loss */
    return bench_trial_is_void(t, &t->gaps) &&
           (bench_trial_loss(t) > 0 || t->has_latency || t->rate == 0 || bench_trial_is_short(t));
}

/* Counts a trial that is not void. */
static bool outside_count(struct bench_outside *o, const struct bench_trial *over,
                          const struct bench_trial *t)
{
    o->wrong_fcs += t->wrong_fcs + (over ? over->wrong_fcs : 0);
    o->reordered += t->reordered + (over ? over->reordered : 0);
    if (o->show)
        o->show(o->shown);
    return true;
}

static bool try_until_valid(struct bench_outside *o, struct bench_trial *over, struct bench_trial *t)
{
    const unsigned most = o->voids_most > 0 ? o->voids_most : VOIDS_MAX;
    uint64_t wrong_fcs = 0, reordered = 0; /* of void trials, too */
    t->gap_ns = o->g.plan->gap_ns;
    if (over)
        over->gap_ns = t->gap_ns;
    for (unsigned i = 0; i <= most && !bench_outside_is_over(o); i++) {
        if (over)
            bench_generator_try_recovery(&o->g, over, t);
        else
            bench_generator_try(&o->g, t);
        if (bench_console_is_interrupted())
            return false;
        o->trials++;
        t->wrong_fcs = wrong_fcs += t->wrong_fcs;
        t->reordered = reordered += t->reordered;
        if (!is_void(t))
            return outside_count(o, over, t);
        o->voided++;
    }
    if (o->voids_most == 0 || bench_outside_is_over(o))
        return false;
    o->gap_trials++;
    return outside_count(o, over, t);
}

bool bench_outside_try(struct bench_outside *o, struct bench_trial *trial)
{
    return try_until_valid(o, NULL, trial);
}

bool bench_outside_try_recovery(struct bench_outside *o, struct bench_trial *over, struct bench_trial *under)
{
    return try_until_valid(o, over, under);
}

/* --- the search --- */

static bool try_rate(void *arg, double rate, double *loss)
{
    struct bench_outside *o = arg;
    for (unsigned i = 0; i < BENCH_TRIAL_SLOW; i++) {
        struct bench_trial t = {.rate = rate};
        if (!bench_outside_try(o, &t))
            return false;
        *loss = bench_trial_loss(&t);
        if (!bench_trial_is_short(&t))
            return true;
        o->slow++;
    }
    *loss = 1;
    return true;
}

bool bench_outside_search(struct bench_outside *o, const struct bench_search *how, struct bench_rates *out)
{
    static struct bench_search s;
    struct bench_trial most = {.rate = 0};
    *out = (struct bench_rates){.ndr = 0};
    if (!bench_outside_try(o, &most))
        return false;
    out->most_offered = bench_trial_rate(&most);
    out->most_carried = out->most_offered * (1 - bench_trial_loss(&most));
    s = *how;
    bench_search_begin(&s, out->most_offered);
    out->is_finished = bench_search_run(&s, try_rate, o);
    out->pdr = s.goals[0].found;
    out->ndr = s.goals[1].found;
    out->is_pdr_least = !out->is_finished || s.goals[0].is_least;
    out->is_ndr_least = !out->is_finished || s.goals[1].is_least;
    return out->ndr > 0;
}
