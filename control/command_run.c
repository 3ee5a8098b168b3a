/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/command.h"

#include "control/run.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 256

static const char usage[] =
    "usage: gbflow run SCENARIO.lua [--out DIR] [--seed N] [--set path=value]... [--pcap] [--no-report] "
    "[--verbose]\n"
    "\n"
    "Plays a scenario in virtual time: servers, GGSN, the SGSN's dataplane and control plane, and the BSS "
    "with its\n"
    "radio and mobiles, all exchanging real octets. Prints a table and writes into DIR:\n"
    "\n"
    "  summary.json   every figure (fields: docs/run.md)\n"
    "  series.csv     what happened over time: time_s,name,of,value\n"
    "  report.html    plots and tables, one file\n"
    "  gi.pcapng, gn.pcapng, gb.pcapng   with --pcap\n"
    "\n"
    "  --out DIR         where to write (out)\n"
    "  --seed N          seed of every random number (1); equal seeds give equal octets\n"
    "  --set path=value  change a key of the scenario, for example --set cells[1].pdchs=2\n"
    "  --pcap            also write captures\n"
    "  --no-report       leave report.html out\n"
    "  --verbose         also print what the Gb control plane does\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments or scenario.\n";

static const struct option options[] = {
    {"out", required_argument, NULL, 'o'}, {"seed", required_argument, NULL, 's'},
    {"set", required_argument, NULL, '='}, {"pcap", no_argument, NULL, 'p'},
    {"no-report", no_argument, NULL, 'r'}, {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},      {NULL, 0, NULL, 0},
};

static int wrong(const char *message, const char *what)
{
    return command_wrong("run", message, what);
}

static int parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || *seed > INT64_MAX)
        return wrong("--seed takes a whole number from 0 to 9223372036854775807, not ", text);
    return COMMAND_OK;
}

/* Cuts "path=value" in two, in place. */
static int parse_set(char *text, struct scenario_config_set *sets, struct run_options *o)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return wrong("--set takes path=value, not ", text);
    if (o->set_count == SETS_MAX)
        return wrong("more than 256 --set", "");
    *equals = 0;
    sets[o->set_count++] = (struct scenario_config_set){.path = text, .value = equals + 1};
    return COMMAND_OK;
}

/* COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP. */
static int parse(int argc, char **argv, struct scenario_config_set *sets, struct run_options *o)
{
    int c, status = COMMAND_OK;
    while (status == COMMAND_OK && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'o':
            o->out = optarg;
            break;
        case 's':
            status = parse_seed(optarg, &o->seed);
            break;
        case '=':
            status = parse_set(optarg, sets, o);
            break;
        case 'p':
            o->has_pcap = true;
            break;
        case 'r':
            o->has_report = false;
            break;
        case 'v':
            o->is_verbose = true;
            break;
        case 'h':
            return COMMAND_HELP;
        default:
            return wrong("wrong option", "");
        }
    }
    return status;
}

int command_run(int argc, char **argv)
{
    struct scenario_config_set sets[SETS_MAX];
    struct run_options o = {.out = "out", .seed = 1, .sets = sets, .has_report = true};
    int status = parse(argc, argv, sets, &o);

    if (!command_goes_on(usage, &status))
        return status;
    if (argc - optind != 1)
        return wrong("it takes one scenario", "");
    o.scenario = argv[optind];
    return run_scenario(&o);
}
