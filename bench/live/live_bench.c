/* SPDX-License-Identifier: BSD-3-Clause */
/* Delay until new flow control values are in force in a live node, and the effect of a flood of useless PDUs
 * on users' packets; the node runs as under `gbflow serve`, fed from memory. */
#include "bench/live/live_load.h"
#include "bench/live/live_trial.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/values.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define MOST_RATES 2
#define MOST_IDLES 2

static const char usage[] =
    "usage: live_bench latency [--rates N[,N]] [options]\n"
    "       live_bench flood [--pps N] [--users N] [--slice-ms N] [options]\n"
    "\n"
    "A live node in a process of its own: a worker on its own core, the Lua control plane, ports\n"
    "made of rings. Times count from the instant at which a frame is due at its port, even if the\n"
    "worker polls the port later. Trials run with live.idle \"poll\" and \"sleep\" in turn. Windows of\n"
    "10 ms near a gap of a CPU are void, and counted.\n"
    "\n"
    "latency  N FLOW-CONTROL-MS a second (1000, then 100000): the time until each is acknowledged,\n"
    "         and until the packet leaves that waited for one to open its mobile's bucket\n"
    "flood    N malformed and unknown PDUs a second (1000000) on Gb in every second slice of\n"
    "         time (250 ms), and users' packets (5000 a second): their delay without the flood\n"
    "         and in it; state, lines of the log\n"
    "\n"
    "  --seconds S   of each trial, 1 to 60, default 10; the first half second does not count\n"
    "  --rounds N    of all trials, default 3\n"
    "  --idle MODE   only \"poll\" or only \"sleep\"\n"
    "  --mobiles N   65 to 4096, default 1000\n"
    "  --core N      of the worker, default the last one\n"
    "  --gap-us N    a longer interval of two polls is a gap, default 100; plus live.max_sleep\n"
    "                with \"sleep\"\n"
    "  --json FILE   write all results to FILE\n"
    "\n"
    "Exit status: 0; 1 a packet, an acknowledgement or a frame is not accounted for, state has\n"
    "changed, or more lines were logged than live.log_lines allows; 2 bad usage. Times are not\n"
    "judged.\n";

struct options {
    bool is_flood;
    unsigned rates, idles;
    int64_t rate[MOST_RATES], rounds, gap_us, slice_ms;
    bool is_polling[MOST_IDLES];
    const char *json;
    struct live_trial trial;
};

static struct options given = {
    .rates = 2,
    .idles = 2,
    .rounds = 3,
    .rate = {1000, 100000},
    .is_polling = {true},
    .gap_us = 100,
    .slice_ms = 250,
    .trial = {.seconds = 10, .mobiles = 1000, .floods_pps = 1000000, .users_pps = 5000}};

/* --- options --- */

static int64_t last_core(void)
{
    struct live_config eal = {.core_count = 0};
    bench_plan_choose_cores(&eal, 1);
    return eal.core_count > 0 ? eal.cores[0] : 0;
}

/* One rate or two. */
static int set_rates(void *unused_to, const struct command_option *unused_option, char *text)
{
    (void)unused_to;
    (void)unused_option;
    struct bench_plan_axis axis;
    int status = bench_value_list(&axis, &(struct bench_value_range){"rates", 1, 1000000, NULL, false}, text);
    if (status == COMMAND_OK && axis.count > MOST_RATES)
        status = command_refuse("", "--rates takes one number or two, not %s", text);
    given.rates = axis.count;
    for (unsigned i = 0; status == COMMAND_OK && i < axis.count; i++)
        given.rate[i] = axis.values[i];
    return status;
}

static int set_idle(void *unused_to, char *text)
{
    (void)unused_to;
    given.idles = 1;
    given.is_polling[0] = strcmp(text, "poll") == 0;
    return given.is_polling[0] || strcmp(text, "sleep") == 0
               ? COMMAND_OK
               : command_refuse("", "--idle takes poll or sleep, not %s", text);
}

static const struct command_option options[] = {
    {.name = "rates", .take = set_rates},
    {.name = "idle", .parse = set_idle},
    {.name = "pps", .number = &given.trial.floods_pps, .min = 1, .max = 10000000},
    {.name = "users", .number = &given.trial.users_pps, .min = 1, .max = 20000},
    {.name = "seconds", .number = &given.trial.seconds, .min = 1, .max = 60},
    {.name = "rounds", .number = &given.rounds, .min = 1, .max = LIVE_TRIAL_ROUNDS},
    {.name = "mobiles",
     .number = &given.trial.mobiles,
     .min = LIVE_LOAD_PROBES + 1,
     .max = LIVE_LOAD_MOBILES},
    {.name = "core", .number = &given.trial.core, .min = 0, .max = CPU_SETSIZE - 1},
    {.name = "gap-us", .number = &given.gap_us, .min = 10, .max = 1000000},
    {.name = "slice-ms", .number = &given.slice_ms, .min = 10, .max = 30000},
    {.name = "json", .text = &given.json},
};

/* COMMAND_OK, or the exit status after help or a message. */
static int parse(int argc, char **argv)
{
    const struct command_parser parser = {
        .command = "", .options = options, .count = sizeof(options) / sizeof(options[0])};
    command_set_program("live_bench");
    bench_console_begin("");
    given.trial.core = last_core();
    int status = command_parse(&parser, argc, argv);
    if (status == COMMAND_OK &&
        (argc - optind != 1 || (strcmp(argv[optind], "latency") != 0 && strcmp(argv[optind], "flood") != 0)))
        return command_refuse("", "it takes latency or flood");
    if (status != COMMAND_OK)
        return status;
    given.is_flood = strcmp(argv[optind], "flood") == 0;
    given.rates = given.is_flood ? 1 : given.rates;
    given.trial.gap_ns = 1000 * given.gap_us;
    given.trial.slice_ns = 1000000 * given.slice_ms;
    return COMMAND_OK;
}

/* --- trials --- */

static unsigned make_rows(const struct options *o, struct live_trial_row *rows)
{
    unsigned count = 0;
    for (unsigned rate = 0; rate < o->rates; rate++)
        for (unsigned idle = 0; idle < o->idles; idle++) {
            struct live_trial *trial = &rows[count++].trial;
            *trial = o->trial;
            trial->is_polling = o->is_polling[idle];
            trial->has_probes = !o->is_flood;
            trial->flows_pps = o->is_flood ? 0 : o->rate[rate];
            trial->floods_pps = o->is_flood ? o->trial.floods_pps : 0;
            trial->users_pps = o->is_flood ? o->trial.users_pps : 0;
        }
    return count;
}

/* Plays all rounds; false: one had a fault. */
static bool play(struct live_trial_row *rows, unsigned count, unsigned rounds)
{
    bool is_good = true;
    for (unsigned i = 0; i < rounds * count; i++) {
        struct live_trial_row *row = &rows[i % count];
        struct live_trial_result *result = &row->results[row->rounds++];
        live_trial_run(&row->trial, result);
        live_trial_print_latest(row);
        is_good &= !result->fault[0];
    }
    return is_good;
}

int main(int argc, char **argv)
{
    static struct live_trial_row rows[MOST_RATES * MOST_IDLES];
    int status = parse(argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    unsigned count = make_rows(&given, rows);
    bool is_good = play(rows, count, (unsigned)given.rounds);
    for (unsigned i = 0; i < count; i++)
        live_trial_print_medians(&rows[i]);
    if (given.json && !live_trial_write(given.json, rows, count)) {
        command_error("", "%s: %s", given.json, strerror(errno));
        return COMMAND_FAILED;
    }
    return is_good ? 0 : 1;
}
