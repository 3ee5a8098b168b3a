/* SPDX-License-Identifier: BSD-3-Clause */
/* Delay until new flow control values are in force in a live node, and the effect of a flood of useless PDUs
 * on users' packets; the node runs as under `gbflow serve`, fed from memory. */
#include "bench/live/live_load.h"
#include "bench/live/live_trial.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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
    unsigned rates, idles, rounds;
    int64_t rate[MOST_RATES];
    bool is_polling[MOST_IDLES];
    const char *json;
    struct live_trial trial;
};

/* --- options --- */

static int64_t number(const char *text, int64_t min, int64_t max)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end || value < min || value > max) {
        fprintf(stderr, "live_bench: '%s' is not a number from %lld to %lld\n", text, (long long)min,
                (long long)max);
        exit(2);
    }
    return value;
}

static unsigned last_core(void)
{
    cpu_set_t cpus;
    unsigned last = 0;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
        return 0;
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &cpus))
            last = i;
    return last;
}

static void set_rates(struct options *o, char *text)
{
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '\0';
    o->rate[0] = number(text, 1, 1000000);
    o->rate[1] = comma ? number(comma + 1, 1, 1000000) : 0;
    o->rates = comma ? 2 : 1;
}

static void set_idle(struct options *o, const char *text)
{
    if (strcmp(text, "poll") != 0 && strcmp(text, "sleep") != 0) {
        fputs(usage, stderr);
        exit(2);
    }
    o->idles = 1;
    o->is_polling[0] = strcmp(text, "poll") == 0;
}

static void set(struct options *o, int option, char *text)
{
    switch (option) {
    case 'r':
        set_rates(o, text);
        break;
    case 'i':
        set_idle(o, text);
        break;
    case 'p':
        o->trial.floods_pps = number(text, 1, 10000000);
        break;
    case 'u':
        o->trial.users_pps = number(text, 1, 20000);
        break;
    case 's':
        o->trial.seconds = number(text, 1, 60);
        break;
    case 'n':
        o->rounds = (unsigned)number(text, 1, LIVE_TRIAL_ROUNDS);
        break;
    case 'm':
        o->trial.mobiles = (uint32_t)number(text, LIVE_LOAD_PROBES + 1, LIVE_LOAD_MOBILES);
        break;
    case 'c':
        o->trial.core = (unsigned)number(text, 0, CPU_SETSIZE - 1);
        break;
    case 'g':
        o->trial.gap_ns = 1000 * number(text, 10, 1000000);
        break;
    case 'l':
        o->trial.slice_ns = 1000000 * number(text, 10, 30000);
        break;
    case 'j':
        o->json = text;
        break;
    default:
        fputs(usage, option == 'h' ? stdout : stderr);
        exit(option == 'h' ? 0 : 2);
    }
}

static struct options live_bench_parse(int argc, char **argv)
{
    static const struct option names[] = {
        {"rates", required_argument, NULL, 'r'},
        {"idle", required_argument, NULL, 'i'},
        {"pps", required_argument, NULL, 'p'},
        {"users", required_argument, NULL, 'u'},
        {"seconds", required_argument, NULL, 's'},
        {"rounds", required_argument, NULL, 'n'},
        {"mobiles", required_argument, NULL, 'm'},
        {"core", required_argument, NULL, 'c'},
        {"gap-us", required_argument, NULL, 'g'},
        {"slice-ms", required_argument, NULL, 'l'},
        {"json", required_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options o = {.rates = 2, .idles = 2, .rounds = 3, .rate = {1000, 100000}, .is_polling = {true}};
    o.trial = (struct live_trial){.seconds = 10,
                                  .mobiles = 1000,
                                  .core = last_core(),
                                  .gap_ns = 100000,
                                  .slice_ns = 250000000,
                                  .floods_pps = 1000000,
                                  .users_pps = 5000};
    for (int option; (option = getopt_long(argc, argv, "h", names, NULL)) != -1;)
        set(&o, option, optarg);
    if (argc - optind != 1 || (strcmp(argv[optind], "latency") != 0 && strcmp(argv[optind], "flood") != 0))
        set(&o, '?', NULL);
    o.is_flood = strcmp(argv[optind], "flood") == 0;
    o.rates = o.is_flood ? 1 : o.rates;
    return o;
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
    struct options o = live_bench_parse(argc, argv);
    unsigned count = make_rows(&o, rows);
    bool is_good = play(rows, count, o.rounds);
    for (unsigned i = 0; i < count; i++)
        live_trial_print_medians(&rows[i]);
    if (o.json && !live_trial_write(o.json, rows, count)) {
        fprintf(stderr, "live_bench: %s: %s\n", o.json, strerror(errno));
        return 1;
    }
    return is_good ? 0 : 1;
}
