/* SPDX-License-Identifier: BSD-3-Clause */
/* gbflow bench rfc2544: runs the trials of RFC 2544 one after the other. */
#include "bench/throughput/rfc2544.h"
#include "bench/statistics/recovery.h"
#include "bench/statistics/search.h"
#include "bench/throughput/console.h"
#include "bench/throughput/dut.h"
#include "bench/throughput/outside.h"
#include "bench/throughput/report.h"
#include "bench/throughput/values.h"

#include "control/base/clock.h"
#include "control/base/command.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <unistd.h>

#define NARROW        0.005
#define SEARCH_TRIALS 60 /* a search may take as long as so many */
#define STAIRS        60
#define OFFERED_LEAST 0.9
#define ATTEMPTS      2  /* to find rates that do not contradict each other */
#define VOIDS_SHORT   20 /* void trials in a row before one counts, */
#define VOIDS_LONG    2  /* and of trials that are LONG_NS long */
#define TUNNEL_OCTETS 36 /* IPv4, UDP, GTP-U */
#define LONG_NS       MOMENT_SECOND
#define SHORTEST_NS   (MOMENT_SECOND / 5) /* of latency, of an overload; of a longest burst, */
#define BURST_MOST_NS (2 * MOMENT_SECOND) /* which is at most this */
#define SERVED_S      120                 /* wait for a node that was started here; */
#define PROBE_OCTETS  64                  /* N-PDUs of which tell whether the node forwards */
#define POLLS_S       100
#define OPERATOR_S    600 /* for one that an operator starts after reading the command */

/* A run. */
struct job {
    const struct bench_plan *plan;
    struct bench_rfc2544_result *result;
    struct bench_outside *o;
    struct bench_far_end far_end;
    struct bench_machine machine;
    int64_t start_ns, end_ns;
    const char *part;                           /* of the trials of a size */
    char stopped[BENCH_PROCESS_LOG_CHARS + 20]; /* by a process that ended */
    bool is_failed;                             /* something was not measured, or wrong */
};

/* --- trials --- */

/* Where the run is. */
static void show(const void *arg)
{
    const struct job *j = arg;
    const struct bench_rfc2544 *r = &j->result->entries[j->result->count];
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    const char *dut = r->is_testpmd ? "testpmd" : "node";
    const unsigned done = (unsigned)((clock_now_ns() - j->start_ns) / MOMENT_SECOND);
    bench_progress("%u s: %s, %s octets: %s, %lu trials ", done, dut, octets, j->part,
                   (unsigned long)j->o->trials);
}

/* The next part begins, which through a pipe has a line of its own. */
static void begin(struct job *j, const char *part)
{
    j->part = part;
    bench_progress_end();
    show(j);
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* --- NDR and PDR --- */

static bool search(struct job *j, struct bench_rfc2544 *r)
{
    const bool is_long = j->plan->trial_ns >= LONG_NS; /* else one trial proves little */
    const int64_t limit_ns =
        moment_max((int64_t)j->plan->seconds * MOMENT_SECOND, SEARCH_TRIALS * j->plan->trial_ns);
    const struct bench_search how = {.narrow = is_long ? NARROW : 0,
                                     .agreed = is_long ? 1 : 0,
                                     .stairs = STAIRS,
                                     .has_no_staircase = is_long};
    j->o->end_ns = moment_min(clock_now_ns() + limit_ns, j->end_ns);
    begin(j, "NDR and PDR");
    const bool is_found = bench_outside_search(j->o, &how, &r->rates);
    j->o->end_ns = j->end_ns;
    return is_found && !bench_outside_is_over(j->o);
}

/* --- latency --- */

static bool try_latency(struct job *j, struct bench_rfc2544 *r, unsigned level)
{
    static const unsigned percents[] = BENCH_RFC2544_PERCENTS;
    struct bench_rfc2544_latency *l = &r->latency[level];
    struct bench_trial t = {.rate = r->rates.ndr * percents[level] / 100,
                            .has_latency = true,
                            .length_ns = moment_max(j->plan->trial_ns, SHORTEST_NS)};
    if (!bench_outside_try(j->o, &t))
        return false;
    *l = (struct bench_rfc2544_latency){.percent = percents[level],
                                        .is_tried = true,
                                        .offered_npdu_per_s = bench_trial_rate(&t),
                                        .loss = bench_trial_loss(&t),
                                        .stamped = t.stamped,
                                        .p50_us = t.p50_us,
                                        .p90_us = t.p90_us,
                                        .p99_us = t.p99_us,
                                        .p999_us = t.p999_us,
                                        .max_us = t.max_us,
                                        .gap_us = (double)t.gaps.longest_ns * 1e-3};
    return true;
}

static bool try_latencies(struct job *j, struct bench_rfc2544 *r)
{
    begin(j, "latency");
    for (unsigned i = 0; i < BENCH_RFC2544_LEVELS; i++)
        if (!try_latency(j, r, i))
            return false;
    return true;
}

/* Whether the loads below NDR contradict it: they lose, or the generator cannot offer them. */
static bool is_refuted(const struct bench_rfc2544 *r)
{
    for (unsigned i = 0; i < BENCH_RFC2544_LEVELS; i++)
        if (r->latency[i].is_tried &&
            (r->latency[i].loss > BENCH_SEARCH_PDR_LOSS ||
             r->latency[i].offered_npdu_per_s < OFFERED_LEAST * r->rates.ndr * r->latency[i].percent / 100))
            return true;
    return false;
}

/* NDR, then lower loads; both once more if they contradict each other, as on a CPU that others use. */
static bool find_rates(struct job *j, struct bench_rfc2544 *r, bool has_stamps)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!search(j, r) || (has_stamps && !try_latencies(j, r)))
            return false;
        r->is_refuted = is_refuted(r);
        if (!r->is_refuted)
            return true;
    }
    return true;
}

/* --- bursts --- */

/* The longest burst of one search; 0: stopped, or no burst passed. */
static uint64_t find_burst(struct job *j, struct bench_rfc2544 *r)
{
    struct bench_search_burst s = {.limit = r->burst.limit};
    for (uint64_t length; (length = bench_search_burst_next(&s)) > 0;) {
        struct bench_trial t = {.rate = 0, .burst_npdus = length};
        if (!bench_outside_try(j->o, &t))
            return 0;
        bench_search_burst_add(&s, length, bench_trial_loss(&t) == 0);
        r->burst.offered_npdu_per_s = bench_trial_rate(&t);
        if (s.passed == 0 && s.lost == 1)
            break;
    }
    r->burst.is_limited = r->burst.is_limited || s.lost == 0;
    return s.passed;
}

static bool try_bursts(struct job *j, struct bench_rfc2544 *r)
{
    struct bench_rfc2544_burst *b = &r->burst;
    const int64_t longest_ns = between(10 * j->plan->trial_ns, SHORTEST_NS, BURST_MOST_NS);
    double sum = 0;
    b->limit = (uint64_t)(r->rates.most_offered * (double)longest_ns * 1e-9) + 1;
    begin(j, "longest burst without loss");
    for (unsigned i = 0; i < j->plan->bursts; i++) {
        const double npdus = (double)find_burst(j, r);
        if (bench_outside_is_over(j->o))
            return false;
        b->least = i == 0 || npdus < b->least ? npdus : b->least;
        b->most = npdus > b->most ? npdus : b->most;
        sum += npdus;
        b->searches++;
        b->mean = sum / b->searches;
    }
    b->buffer = b->is_limited ? 0 : bench_search_burst_buffer(b->mean, b->offered_npdu_per_s, r->rates.ndr);
    return true;
}

/* --- recovery --- */

static bool try_recovery(struct job *j, struct bench_rfc2544 *r)
{
    static struct bench_recovery recovery;
    const int64_t length_ns = moment_max(j->plan->trial_ns, SHORTEST_NS);
    struct bench_trial over = {.rate = r->rates.ndr * j->plan->overload_percent / 100,
                               .length_ns = length_ns};
    struct bench_trial under = {.rate = r->rates.ndr * BENCH_RFC2544_UNDER_PERCENT / 100,
                                .length_ns = length_ns,
                                .has_latency = true,
                                .recovery = &recovery};
    begin(j, "recovery after overload");
    if (!bench_outside_try_recovery(j->o, &over, &under))
        return false;
    r->recovery = (struct bench_rfc2544_recovery){
        .is_tried = true,
        .over_npdu_per_s = bench_trial_rate(&over),
        .under_npdu_per_s = bench_trial_rate(&under),
        .over_s = (double)over.took_ns * 1e-9,
        .lost = under.received < under.expected ? under.expected - under.received : 0,
        .lost_under = bench_recovery_lost(&recovery),
        .us = (double)bench_recovery_ns(&recovery) * 1e-3,
        .slot_us = (double)recovery.slot_ns * 1e-3,
        .is_over = bench_recovery_is_over(&recovery)};
    return true;
}

/* --- sizes --- */

/* Latency and recovery need time stamps, which ciphering hides; testpmd is only a limit of rate and latency.
 */
static bool rfc2544_measure(struct job *j, struct bench_rfc2544 *r)
{
    const bool has_stamps = r->is_testpmd || r->point.cipher == 0;
    return find_rates(j, r, has_stamps) && (r->is_testpmd || try_bursts(j, r)) &&
           (r->is_testpmd || !has_stamps || try_recovery(j, r));
}

/* Many drivers, and the kernel's interfaces, take longer frames than this MTU says. */
static void check_mtu(const struct job *j, uint16_t octets)
{
    const struct bench_port *gn = &j->result->ports.gn;
    if (octets + TUNNEL_OCTETS > gn->mtu && j->o->g.links[0].has_own_ring && gn->mtu > 0)
        bench_error(
            "warning: N-PDUs of %u octets make IP packets of %u octets on Gn, above the port's MTU of %u; if "
            "they do not pass, raise the MTU of both ports",
            octets, octets + TUNNEL_OCTETS, gn->mtu);
}

static void measure_size(struct job *j, uint16_t octets)
{
    struct bench_rfc2544 *r = &j->result->entries[j->result->count];
    *r = (struct bench_rfc2544){.point = j->o->g.point, .is_testpmd = j->o->g.is_testpmd};
    r->point.octets = octets;
    j->o->trials = j->o->voided = j->o->gap_trials = j->o->slow = j->o->wrong_fcs = j->o->reordered = 0;
    check_mtu(j, octets);
    if (!bench_generator_set_octets(&j->o->g, octets))
        return;
    r->is_complete = rfc2544_measure(j, r);
    r->trials = j->o->trials;
    r->voided = j->o->voided;
    r->gap_trials = j->o->gap_trials;
    r->slow = j->o->slow;
    r->wrong_fcs = j->o->wrong_fcs;
    r->reordered = j->o->reordered;
    j->is_failed = j->is_failed || !r->is_complete || r->is_refuted || r->wrong_fcs + r->reordered > 0;
    bench_progress_end();
    if (r->rates.most_offered == 0)
        return;
    j->result->count++;
    bench_rfc2544_row(r);
}

static bool is_well(struct job *j)
{
    if (!j->plan->is_served || bench_far_end_is_well(&j->far_end))
        return true;
    if (!j->stopped[0])
        snprintf(j->stopped, sizeof(j->stopped), "%s %s", bench_far_end_name(&j->far_end),
                 j->far_end.log.ended);
    j->result->stopped = j->stopped;
    return false;
}

static void measure_sizes(struct job *j)
{
    for (unsigned i = 0; i < j->plan->octets.count && !bench_outside_is_over(j->o) && is_well(j); i++)
        measure_size(j, (uint16_t)j->plan->octets.values[i]);
}

/* --- the node, then testpmd --- */

static bool has_default_links(const struct bench_plan *plan)
{
    return !plan->eal.gn.device[0] && !plan->eal.gb.device[0];
}

static int wait_s_of(const struct bench_plan *plan)
{
    return plan->is_served ? SERVED_S : OPERATOR_S;
}

/* A memif client cannot start before its server. */
static bool wait_for_socket(struct job *j, const struct bench_point *point, bool is_testpmd)
{
    if (!has_default_links(j->plan))
        return true;
    if (!j->plan->is_served && bench_far_end_is_listening(j->plan->link))
        return true;
    if (!j->plan->is_served) {
        fprintf(stderr, "gbflow %s: waiting up to %d s for %s. Start it in another terminal:\n",
                bench_console_command(), OPERATOR_S, is_testpmd ? "dpdk-testpmd" : "a node");
        bench_far_end_print(stderr, j->plan, point, is_testpmd);
    }
    for (int i = 0; i < POLLS_S * wait_s_of(j->plan) && !bench_console_is_interrupted() && is_well(j); i++) {
        if (bench_far_end_is_listening(j->plan->link) &&
            (!j->plan->is_served || bench_far_end_runs(&j->far_end)))
            return true;
        usleep(1000000 / POLLS_S);
    }
    if (!bench_console_is_interrupted() && !j->result->stopped)
        bench_error("no process listens on the memif links %s after %d s", j->plan->link, wait_s_of(j->plan));
    return false;
}

static bool open_ports(struct job *j, const struct bench_point *point, bool is_testpmd)
{
    if (j->o->has_ports)
        bench_generator_reconnect(&j->o->g);
    else if (!bench_outside_open(j->o, j->plan, point))
        return false;
    j->o->wait_s = wait_s_of(j->plan);
    j->o->voids_most = j->plan->trial_ns >= LONG_NS ? VOIDS_LONG : VOIDS_SHORT;
    j->o->end_ns = j->end_ns;
    j->o->far_end = j->plan->is_served ? &j->far_end : NULL;
    j->o->show = show;
    j->o->shown = j;
    bench_machine_port_get(&j->result->ports.gn, j->o->g.links[0].gn.id, j->machine.is_virtual);
    bench_machine_port_get(&j->result->ports.gb, j->o->g.links[0].gb.id, j->machine.is_virtual);
    return bench_generator_set_octets(&j->o->g, PROBE_OCTETS) &&
           bench_generator_set_testpmd(&j->o->g, is_testpmd);
}

/* Of one that runs but was not reached the log was named. */
static void end_far_end(struct job *j, bool is_reached)
{
    if (is_well(j) && !is_reached && !bench_console_is_interrupted())
        j->far_end.log.is_kept = true;
    bench_far_end_stop(&j->far_end);
}

/* Measures one of both. False, with a line on stderr: it could not be reached. */
static bool measure_far_end(struct job *j, bool is_testpmd)
{
    const struct bench_point point = bench_plan_point(&(struct bench_points){.plan = j->plan});
    bool is_reached =
        (!j->plan->is_served || bench_far_end_start(&j->far_end, j->plan, &point, is_testpmd)) &&
        wait_for_socket(j, &point, is_testpmd) && open_ports(j, &point, is_testpmd);
    if (is_reached && j->result->count == 0)
        bench_rfc2544_head(j->plan);
    is_reached = is_reached && bench_outside_wait(j->o);
    if (is_reached)
        measure_sizes(j);
    if (j->plan->is_served)
        end_far_end(j, is_reached);
    return is_reached;
}

static bool has_testpmd_phase(const struct bench_plan *plan)
{
    return !plan->is_testpmd && plan->is_served && plan->has_roofline && !plan->roofline;
}

static void measure_all(struct job *j)
{
    j->is_failed = !measure_far_end(j, j->plan->is_testpmd) || j->is_failed;
    if (has_testpmd_phase(j->plan) && j->result->count > 0 && !bench_outside_is_over(j->o))
        j->is_failed = !measure_far_end(j, true) || j->is_failed;
    if (j->is_failed && !j->result->stopped)
        j->result->stopped = bench_console_is_interrupted() ? bench_console_stopped()
                             : clock_now_ns() >= j->end_ns  ? "time limit"
                                                            : "a result is missing or wrong";
}

/* --- a run --- */

/* testpmd's rates into the node's entries of the same size. */
static void put_roofline(struct bench_rfc2544_result *result)
{
    for (unsigned i = 0; i < result->count; i++)
        for (unsigned k = 0; k < result->count; k++) {
            struct bench_rfc2544 *node = &result->entries[i];
            const struct bench_rfc2544 *testpmd = &result->entries[k];
            if (node->is_testpmd || !testpmd->is_testpmd || node->point.octets != testpmd->point.octets)
                continue;
            node->roofline_ndr = testpmd->rates.ndr;
            node->roofline_pdr = testpmd->rates.pdr;
            node->is_roofline_invalid = testpmd->is_refuted;
            node->is_roofline_least = testpmd->rates.is_ndr_least;
        }
}

static int rfc2544_run(struct job *j)
{
    struct json_stream json;
    if (j->plan->roofline &&
        !bench_rfc2544_roofline(j->plan->roofline, j->result)) /* before a run of hours */
        return COMMAND_FAILED;
    if (!bench_report_begin(&json, j->plan, &j->machine))
        return COMMAND_FAILED;
    measure_all(j);
    bench_outside_close(j->o);
    put_roofline(j->result);
    if (j->plan->roofline && !bench_rfc2544_roofline(j->plan->roofline, j->result))
        j->is_failed = true;
    j->result->took_s = (double)(clock_now_ns() - j->start_ns) * 1e-9;
    bench_rfc2544_end(j->result, &j->machine);
    if (j->plan->json)
        bench_rfc2544_put(&json, j->plan, j->result);
    bool is_written = bench_report_end(
        &json, j->plan, &(struct bench_report_rest){j->result->stopped, bench_rfc2544_rest, j->result});
    return is_written && !j->is_failed ? COMMAND_OK : COMMAND_FAILED;
}

int bench_rfc2544_run(const struct bench_plan *plan)
{
    static struct bench_rfc2544_result result;
    static struct bench_outside o;
    struct job j = {.plan = plan, .result = &result, .o = &o, .start_ns = clock_now_ns()};
    if ((plan->is_testpmd && plan->is_served) || has_testpmd_phase(plan))
        if (!bench_dut_process_has_testpmd()) {
            bench_error("dpdk-testpmd is missing; install dpdk-dev, or use --no-roofline");
            return COMMAND_MISSING;
        }
    bench_console_catch();
    j.end_ns = j.start_ns + (int64_t)plan->limit_s * MOMENT_SECOND;
    bench_machine_get(&j.machine);
    return rfc2544_run(&j);
}
