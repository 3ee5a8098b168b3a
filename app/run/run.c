/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a scenario: files, node, virtual time, results. */
/* --- files --- */
#include "app/run/run.h"
#include "app/run/truth.h"
#include "app/run/lua_scenario.h"
#include "app/run/cell_changes.h"
#include "app/run/relocation.h"
#include "app/run/sgsns.h"
#include "app/run/scenario_config.h"
#include "app/run/series.h"
#include "app/run/summary.h"
#include "app/run/summary_compression.h"
#include "app/run/traffic.h"
#include "app/virtual/gb_far_side.h"

#include "capture/writer.h"
#include "control/base/clock.h"
#include "control/base/heap.h"
#include "control/base/report.h"
#include "control/base/utf8.h"
#include "control/base/whole_file.h"
#include "control/config/lua_config.h"
#include "control/sessions/node.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "control/report/totals.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "sim/flight.h"
#include "sim/gb_wire.h"
#include "sim/ggsn.h"
#include "sim/host.h"
#include "sim/loop.h"
#include "sim/ms_stack.h"
#include "sim/tcp_header.h"
#include "sim/truth.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_print(struct scenario_run *r);

static const char *path_of(const struct scenario_run *r, const char *file, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", r->options->out, file);
    return out;
}

static bool run_complain(const char *path, int error)
{
    if (error != 0)
        fprintf(stderr, "%s: %s\n", path, strerror(error));
    return error == 0;
}

static bool open_capture(struct scenario_run *r, struct capture_writer *capture, bool is_wanted,
                         const char *name)
{
    char path[PATH_MAX], file[32];
    if (!is_wanted)
        return true;
    snprintf(file, sizeof(file), "%s.pcapng", name);
    path_of(r, file, path);
    return run_complain(path, capture_writer_open(capture, path, name));
}

static bool open_files(struct scenario_run *r)
{
    char path[PATH_MAX];
    if (!whole_file_make_folder(r->options->out))
        return false;
    path_of(r, "series.csv", path);
    r->series.every_ns = r->scenario.series_every_ns;
    if (r->options->has_series &&
        !run_complain(path, run_series_open(&r->series, path, r->scenario.series_every_ns)))
        return false;
    return open_capture(r, &r->gi, r->options->pcap.gi, "gi") &&
           open_capture(r, &r->gn, r->options->pcap.gn, "gn") &&
           open_capture(r, &r->gb, r->options->pcap.gb, "gb");
}

static bool close_files(struct scenario_run *r)
{
    char path[PATH_MAX];
    path_of(r, "series.csv", path);
    bool is_good = run_complain(path, run_series_close(&r->series, path));
    is_good &= run_complain(path_of(r, "gi.pcapng", path), capture_writer_close(&r->gi));
    is_good &= run_complain(path_of(r, "gn.pcapng", path), capture_writer_close(&r->gn));
    is_good &= run_complain(path_of(r, "gb.pcapng", path), capture_writer_close(&r->gb));
    return is_good;
}

/* --- the run --- */

static int64_t step_core(void *self, int64_t now)
{
    return core_step(self, now);
}

static int64_t step_worker(void *self, int64_t now)
{
    return worker_step(self, now);
}

static bool are_accounts_sound(const struct scenario_run *r)
{
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct run_mobile *mobile = &r->mobiles[i];
        uint64_t gone = mobile->account.out + bss_account_queued(&mobile->account);
        for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
            gone += mobile->account.dropped[end];
        /* In acknowledged mode frames of a former establishment may still come, with its IOV-I. */
        bool is_bad = mobile->stack.bad_frames && !r->scenario.mobiles[i].stack.has_link;
        if (gone != mobile->account.in || is_bad)
            return false;
    }
    return true;
}

static bool are_delays_known(const struct scenario_run *r)
{
    uint64_t unknown = 0;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        if (!r->mobiles[i].stack.compression) /* RFC 1144 may restore a wrong ID behind a loss */
            unknown += r->mobiles[i].stats.unknown_emission;
    return unknown == 0;
}

static bool has_lost_on_gb(const struct scenario_run *r)
{
    bool has_lost = false;
    for (unsigned i = 0; i < r->sgsn_count; i++) {
        const struct gb_wire *wire = &r->sgsns[i].far.wire;
        has_lost |= wire->strays || wire->lost || r->sgsns[i].node.core.send_failures;
    }
    return has_lost;
}

/* False, with a line on stderr: the run ended with a defect of the program. */
static bool is_sound(const struct scenario_run *r, enum loop_end end)
{
    struct worker_stats w = run_sgsns_stats(r);
    const char *wrong = NULL;
    if (end == LOOP_STUCK)
        wrong = "virtual time does not advance: an actor reports work at the same instant without end";
    else if (!run_sgsns_totals(r).is_conserved)
        wrong = "in = out + dropped + queued does not hold in the SGSN";
    else if (!are_accounts_sound(r))
        wrong = "in = out + dropped + queued does not hold in the BSS";
    else if (!are_delays_known(r))
        wrong = "more than 8192 packets were in flight to a mobile: their delays are not recorded";
    else if (w.trace_lost || has_lost_on_gb(r) || r->lost_on_gn || r->ggsn.malformed ||
             r->ggsn.unknown_address || r->ggsn.unknown_tunnel)
        wrong = "packets on Gn or Gb, or events of the trace, were lost or malformed";
    if (wrong)
        fprintf(stderr, "gbflow: defect: %s\n", wrong);
    return !wrong;
}

static void show_progress(const struct scenario_run *r, int64_t now)
{
    if (isatty(STDERR_FILENO) && now > r->begin_ns)
        fprintf(stderr, "\rrun: %3d %%", (int)((now - r->begin_ns) * 100 / (r->end_ns - r->begin_ns)));
}

/* Processor time does not depend on other processes of the machine; elapsed time does. */
static void tell_speed(const struct scenario_run *r, int64_t took_ns, int64_t spent_ns)
{
    double duration_ns = (double)r->scenario.duration_ns;
    fprintf(
        stderr,
        "%.0f s of virtual time took %.2f s, %.0f times real time; %.2f s of processor time, %.0f times\n",
        duration_ns / MOMENT_SECOND, (double)took_ns / MOMENT_SECOND, duration_ns / (double)(took_ns + 1),
        (double)spent_ns / MOMENT_SECOND, duration_ns / (double)(spent_ns + 1));
}

static const char *failure_of(const struct scenario_run *r)
{
    const char *failure = NULL;
    for (unsigned i = 0; i < r->sgsn_count && !failure; i++)
        failure = aqm_choices_failure(r->sgsns[i].node.config.aqm);
    return failure;
}

#define ACTORS (TEID_WORKERS + 3 * SCENARIO_CONFIG_SGSNS + 8)

static size_t add_actor(struct loop_actor *actors, size_t count, struct loop_actor actor)
{
    actors[count] = actor;
    return count + 1;
}

/* Returns how many there are. */
static size_t list_actors(struct scenario_run *r, struct loop_actor *actors)
{
    size_t n = add_actor(actors, 0, (struct loop_actor){"hosts", r, run_net_hosts_step});
    n = add_actor(actors, n, (struct loop_actor){"lines", r, run_net_lines_step});
    for (unsigned i = 0; i < r->sgsn_count; i++) {
        struct node *node = &r->sgsns[i].node;
        n = add_actor(actors, n, (struct loop_actor){"control", &node->core, step_core});
        for (unsigned k = 0; k < node->worker_count; k++)
            n = add_actor(actors, n, (struct loop_actor){"worker", node->workers[k], step_worker});
    }
    n = add_actor(actors, n, (struct loop_actor){"moves", r, run_cell_changes_step});
    if (r->relocations)
        n = add_actor(actors, n, (struct loop_actor){"relocation", r, run_relocation_step});
    n = add_actor(actors, n, (struct loop_actor){"stacks", r, run_net_stacks_step});
    for (unsigned i = 0; i < r->sgsn_count; i++)
        n = add_actor(actors, n, (struct loop_actor){"gb", &r->sgsns[i].far.wire, gb_wire_step});
    n = add_actor(actors, n, (struct loop_actor){"series", r, run_series_step});
    return r->packet ? add_actor(actors, n, (struct loop_actor){"packet", r, run_packet_step}) : n;
}

static enum loop_end play(struct scenario_run *r)
{
    struct loop_actor actors[ACTORS];
    struct loop loop = {.actors = actors, .count = list_actors(r, actors)};
    enum loop_end end = LOOP_UNTIL;
    int64_t now = 0, began_ns = clock_now_ns(), spent_ns = clock_spent_ns();

    for (unsigned i = 0; i < r->sgsn_count; i++)
        core_start(&r->sgsns[i].node.core, now);
    for (int percent = 0; percent <= 100 && end == LOOP_UNTIL && !failure_of(r); percent++) {
        int64_t until = r->begin_ns + (r->end_ns - r->begin_ns) / 100 * percent;
        end = loop_run(&loop, &now, percent == 100 ? r->end_ns : until);
        show_progress(r, now);
    }
    r->now = now;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%20s\r", "");
    if (!r->options->is_scout)
        tell_speed(r, clock_now_ns() - began_ns, clock_spent_ns() - spent_ns);
    return end;
}

static int run_finish(struct scenario_run *r, enum loop_end end)
{
    char path[PATH_MAX];
    if (failure_of(r)) {
        fprintf(stderr, "gbflow run: the AQM scheme failed, the run ends without results: %s\n",
                failure_of(r));
        return 1;
    }
    bool is_good = is_sound(r, end);

    run_series_stats_end(r);
    path_of(r, "summary.json", path);
    is_good &= run_summary_write(r, path);
    path_of(r, "provenance.json", path);
    is_good &= run_provenance_write(r, path);
    path_of(r, "gi.truth.json", path);
    is_good &= run_truth_write(r, path);
    path_of(r, "packet.json", path);
    unlink(path); /* of an earlier run */
    is_good &= run_packet_write(r, path);
    is_good &= close_files(r);
    run_print(r);
    if (is_good && r->options->has_report)
        is_good = report_make("run", r->options->out, r->options->is_svg);
    if (is_good && r->options->has_cdf) {
        char word[] = "cdf", *arguments[] = {word, path};
        snprintf(path, sizeof(path), "%s", r->options->out);
        is_good = report_call(arguments, 2);
    }
    /* Those of an earlier run would pass for this one's. */
    if (!r->options->has_report)
        unlink(path_of(r, "report.html", path));
    if (!r->options->has_series)
        unlink(path_of(r, "series.csv", path));
    return is_good ? 0 : 1;
}

static int start_and_play(struct scenario_run *r)
{
    r->begin_ns = RUN_LEAD_NS;
    r->end_ns = r->begin_ns + r->scenario.duration_ns;
    r->series.next_ns = r->begin_ns;
    if (!open_files(r))
        return 1;
    r->series.next_ns = r->begin_ns;
    if (!run_sgsns_start(r))
        return 1;
    for (unsigned i = 0; i < r->sgsn_count; i++)
        r->sgsns[i].node.core.is_verbose = r->options->is_verbose;
    if (!run_truth_new(r) || !run_net_new(r) || !run_apps_new(r) || !run_cell_changes_new(r))
        return 1;
    enum loop_end end = play(r);
    return r->options->is_scout && !failure_of(r) ? 0 : run_finish(r, end);
}

/* Ethernet, IP, UDP, GTP-U or NS, BSSGP with its optional elements, LLC, SNDCP. */
#define HEADER_OCTETS 128
#define LEAST_OCTETS  1024 /* for signalling on Gb */

static uint32_t packet_octets_of(const struct scenario_config_traffic *traffic)
{
    if (traffic->ops->packet_octets)
        return traffic->ops->packet_octets(traffic);
    if (traffic->is_quic)
        return traffic->quic.datagram_octets + IPV4_OCTETS + UDP_OCTETS;
    return traffic->tcp.mss_octets + IPV4_OCTETS + TCP_HEADER_OCTETS;
}

/* At least that of the scenario's longest frame on Gn or Gb. */
static uint16_t frame_octets_of(const struct scenario_config *scenario)
{
    uint32_t most = LEAST_OCTETS - HEADER_OCTETS;
    bool has_link = false;
    for (uint32_t i = 0; i < scenario->traffic_count; i++) {
        uint32_t octets = packet_octets_of(&scenario->traffic[i]);
        most = octets > most ? octets : most;
    }
    for (uint32_t i = 0; i < scenario->mobile_count; i++)
        has_link |= scenario->mobiles[i].stack.has_link;
    return (uint16_t)(most + HEADER_OCTETS + (has_link ? LLC_ABM_HEADER_MAX_OCTETS : 0));
}

/* A state with the table of one node alone, without its list of mobiles, which is in C by now: the state that
 * has read the scenario is as large as a run. */
static struct lua_State *state_of_node(struct lua_State *reader, unsigned number)
{
    struct lua_State *L = lua_host_new(lua_modules);
    if (!L)
        return NULL;
    lua_rawgeti(reader, -1, number + 1);
    lua_getfield(reader, -1, "mobiles");
    lua_pushnil(reader);
    lua_setfield(reader, -2, "list");
    lua_pop(reader, 1);
    lua_table_copy(L, reader);
    lua_pop(reader, 1);
    return L;
}

static void adopt(struct scenario_run *r, unsigned i, struct lua_State *L)
{
    struct run_sgsn *sgsn = &r->sgsns[r->sgsn_count++];
    struct node_config *config = &r->scenario.sgsns[i].node;
    uint64_t seed = r->scenario.seed + i * UINT64_C(0x5853534753); /* schemes of SGSNs draw other numbers */
    for (int k = 0; k < QCLASS_COUNT; k++)
        config->policy.sched.aqm[k].choice.seed = seed;
    config->policy.flow_salt = seed * UINT64_C(0x9e3779b97f4a7c15);
    sgsn->config = &r->scenario.sgsns[i];
    sgsn->address = SCENARIO_CONFIG_SGSN_ADDRESS + i;
    node_adopt(&sgsn->node, L, config);
    sgsn->node.frame_octets = frame_octets_of(&r->scenario);
}

/* Reads the scenario, and gives each SGSN its configuration and its state. False, with a line on stderr. */
static bool load(struct scenario_run *r)
{
    const struct lua_scenario_options options = {
        .seed = r->options->seed, .sets = r->options->sets, .set_count = r->options->set_count};
    struct lua_State *reader = lua_host_new(lua_modules), *L = reader;

    if (reader && !lua_scenario_load(reader, r->options->scenario, &options, &r->scenario)) {
        lua_host_free(reader);
        return false;
    }
    r->sgsns = reader ? calloc(r->scenario.sgsn_count, sizeof(*r->sgsns)) : NULL;
    for (unsigned i = 0; r->sgsns && L && i < r->scenario.sgsn_count; i++)
        if ((L = state_of_node(reader, i)))
            adopt(r, i, L);
    if (!r->sgsns || !L)
        fprintf(stderr, "gbflow: out of memory for the nodes of the scenario\n");
    lua_host_free(reader);
    return r->sgsns && L;
}

/* The run; *choice, if a scout is to make it. */
static int run_once(const struct run_options *options, struct run_packet_choice *choice)
{
    static struct scenario_run r; /* too large for a stack */
    r = (struct scenario_run){.options = options};
    if (!load(&r))
        return 2;
    int status = run_packet_new(&r) ? start_and_play(&r) : 2;
    if (status == 0 && options->is_scout && !run_packet_choose(&r, choice))
        status = 1;
    run_packet_free(&r);
    run_cell_changes_free(&r);
    run_apps_free(&r);
    run_series_stats_free(&r);
    run_net_free(&r);
    truth_free(&r.truth);
    close_files(&r);
    unsigned lost = run_sgsns_free(&r);
    if (lost > 0) {
        fprintf(stderr, "gbflow: defect: %u mbufs leaked\n", lost);
        status = 1;
    }
    scenario_config_free(&r.scenario);
    return status;
}

/* In a process of its own, as DPDK starts once in each: the choice is written to the descriptor. */
static int scout(const struct run_options *options, int to)
{
    struct run_options own = *options;
    struct run_packet_choice choice = options->packet;
    own.is_scout = true;
    own.has_series = own.pcap.gi = own.pcap.gn = own.pcap.gb = false;
    int status = run_once(&own, &choice);
    if (status == 0 && write(to, &choice, sizeof(choice)) != (ssize_t)sizeof(choice))
        status = 1;
    return status;
}

/* Sets the choice by a first run. Exit status. */
static int choose(const struct run_options *options, struct run_packet_choice *choice)
{
    int ends[2], status = 0;
    fflush(NULL);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0)
        _exit(scout(options, ends[1]));
    if (child > 0)
        close(ends[1]);
    bool is_made = child > 0 && read(ends[0], choice, sizeof(*choice)) == (ssize_t)sizeof(*choice);
    if (child > 0)
        waitpid(child, &status, 0);
    if (child < 0 || (!is_made && status == 0))
        fprintf(stderr, "gbflow run: --packet: a first run cannot be started: %s\n", strerror(errno));
    if (child > 0)
        close(ends[0]);
    return is_made ? 0 : child > 0 && WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}

/* More than 10 000 users need; addresses without use cost nothing. */
#define HEAP_OCTETS ((size_t)512 << 20)

int run_scenario(const struct run_options *options)
{
    struct run_options chosen = *options;
    heap_ask_huge_pages(HEAP_OCTETS);
    if (!options->packet.is_wanted || options->packet.name[0])
        return run_once(options, NULL);
    int status = choose(options, &chosen.packet);
    return status == 0 ? run_once(&chosen, NULL) : status;
}

static uint64_t sum_drops(const uint64_t *drops)
{
    uint64_t sum = 0;
    for (int i = DROP_FIRST_NPDU; drops && i < DROP_COUNT; i++)
        sum += drops[i];
    return sum;
}

static void print_mobile(struct scenario_run *r, struct run_mobile *mobile)
{
    struct run_mobile_stats *stats = &mobile->stats;
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    uint64_t lost_in_bss = 0;
    char p50[16], p95[16], max[16];

    for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
        lost_in_bss += mobile->account.dropped[end];
    printf("%-14s  %-14s  %8.1f  %7lu  %7lu  %7lu  %7lu  %8s  %8s  %8s\n", mobile->config->name,
           n_pdu_qclass_name(mobile->config->qclass), (double)stats->goodput_octets * 8 / seconds / 1000,
           (unsigned long)stats->npdu_in, (unsigned long)stats->npdu_out,
           (unsigned long)sum_drops(stats->drops), (unsigned long)lost_in_bss,
           run_series_quantile(&stats->delays, 50, p50), run_series_quantile(&stats->delays, 95, p95),
           run_series_quantile(&stats->delays, 100, max));
}

static void run_print(struct scenario_run *r)
{
    struct totals t = run_sgsns_totals(r);

    utf8_printf(stdout, "%s: %.0f s, seed %lu\n", r->scenario.title,
                (double)r->scenario.duration_ns / MOMENT_SECOND, (unsigned long)r->scenario.seed);
    printf("%s\n", scenario_config_rates(&r->scenario));
    printf("%-14s  %-14s  %8s  %7s  %7s  %7s  %7s  %8s  %8s  %8s\n", "mobile", "class", "kbit/s", "in", "out",
           "dropped", "BSS", "delay s", "p95", "max");
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        print_mobile(r, &r->mobiles[i]);
    printf("\n");
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        r->apps[i].config->ops->print(&r->apps[i]);
    run_cell_changes_print(r);
    run_relocation_print(r);
    summary_compression_print(r);
    printf("\nSGSN: in %lu = out %lu + dropped %lu + queued %lu N-PDUs. Files in %s\n", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued, r->options->out);
}
