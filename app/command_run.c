/* SPDX-License-Identifier: BSD-3-Clause */
/* gbflow run: reads a scenario and its options and runs it in virtual time. */
#include "app/run/run.h"
#include "control/base/command.h"
#include "control/base/whole_file.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 256

static const char usage[] =
    "usage: gbflow run SCENARIO.lua [--out DIR] [--seed N] [--set path=value]...\n"
    "                  [--pcap[=LINKS]] [--packet[=MOBILE:N]] [--cdf] [--no-report]\n"
    "                  [--no-series] [--svg] [--unsteered] [--verbose]\n"
    "\n"
    "Plays a scenario in virtual time: servers, GGSN, the SGSN's dataplane and\n"
    "control plane, and the BSS with its radio and mobiles, all exchanging real\n"
    "octets. Prints a table and writes into DIR:\n"
    "\n"
    "  summary.json   all results (fields: docs/reference/run-results.md)\n"
    "  series.csv     samples over time: time_s,name,of,value\n"
    "  report.html    plots and tables, one file\n"
    "  gi.pcapng, gn.pcapng, gb.pcapng   with --pcap; gi.truth.json: fate and times\n"
    "                 of the packets in gi.pcapng\n"
    "\n"
    "  --out DIR         folder for the results (out)\n"
    "  --seed N          seed of every random number (1); equal seeds give equal\n"
    "                    octets\n"
    "  --set path=value  change a key of the scenario, for example --set\n"
    "                    cells[1].pdchs=2\n"
    "  --pcap[=LINKS]    also write captures, of all links or of those in LINKS:\n"
    "                    gi,gn,gb\n"
    "  --cdf             also print the distribution of delays as a plot of 12 lines\n"
    "  --packet[=MOBILE:N]  also write packet.json, the way of the N-th N-PDU that is\n"
    "                    delivered to a mobile, and draw it in report.html; without\n"
    "                    MOBILE:N of the mobile with the largest p95 of its delays an\n"
    "                    N-PDU with this delay, which takes a second run\n"
    "  --no-report       do not write report.html\n"
    "  --no-series       do not write series.csv, which may be large, nor\n"
    "                    report.html, which is drawn from it\n"
    "  --svg             draw the plots of report.html as SVG, without a script\n"
    "  --unsteered       with several workers: frames arrive at the workers in turn,\n"
    "                    not at the one that they belong to\n"
    "  --verbose         also print the log lines of level info\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments or scenario.\n";

struct arguments {
    struct run_options run; /* first */
    struct scenario_config_set sets[SETS_MAX];
};

static int wrong(const char *message, const char *what)
{
    return command_wrong("run", message, what);
}

static int parse_seed(void *to, char *text)
{
    struct run_options *o = to;
    char *end;
    errno = 0;
    o->seed = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || o->seed > INT64_MAX)
        return wrong("--seed must be an integer from 0 to 9223372036854775807, not ", text);
    return COMMAND_OK;
}

/* Cuts "path=value" in two, in place. */
static int parse_set(void *to, char *text)
{
    struct arguments *a = to;
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return wrong("--set must be path=value, not ", text);
    if (a->run.set_count == SETS_MAX)
        return wrong("too many --set: at most 256", "");
    *equals = 0;
    a->sets[a->run.set_count++] = (struct scenario_config_set){.path = text, .value = equals + 1};
    return COMMAND_OK;
}

/* "gi,gb"; NULL: all. */
static int parse_links(void *to, char *text)
{
    struct run_options *o = to;
    static char *const names[] = {"gi", "gn", "gb", NULL};
    bool *const flags[] = {&o->pcap.gi, &o->pcap.gn, &o->pcap.gb};
    char *value;
    if (!text)
        o->pcap.gi = o->pcap.gn = o->pcap.gb = true;
    while (text && *text) {
        char *at = text;
        int link = getsubopt(&text, names, &value);
        if (link < 0 || value)
            return wrong("--pcap: LINKS must be from gi,gn,gb, not ", at);
        *flags[link] = true;
    }
    return COMMAND_OK;
}

static int parse_packet(void *to, char *text)
{
    struct run_options *o = to;
    if (o->packet.is_wanted)
        return wrong("--packet is given more than once: a run records one", "");
    if (!run_packet_parse(&o->packet, text))
        return wrong("--packet must be MOBILE:N with N from 1 on, not ", text);
    return COMMAND_OK;
}

static int command_run_parse(int argc, char **argv, struct arguments *a)
{
    struct run_options *o = &a->run;
    const struct command_option options[] = {
        {.name = "out", .text = &o->out},
        {.name = "seed", .parse = parse_seed},
        {.name = "set", .parse = parse_set},
        {.name = "pcap", .parse = parse_links, .takes = COMMAND_MAYBE_ARGUMENT},
        {.name = "cdf", .flag = &o->has_cdf, .value = true},
        {.name = "packet", .parse = parse_packet, .takes = COMMAND_MAYBE_ARGUMENT},
        {.name = "no-report", .flag = &o->has_report, .value = false},
        {.name = "no-series", .flag = &o->has_series, .value = false},
        {.name = "svg", .flag = &o->is_svg, .value = true},
        {.name = "unsteered", .flag = &o->is_unsteered, .value = true},
        {.name = "verbose", .flag = &o->is_verbose, .value = true},
    };
    const struct command_parser parser = {
        .command = "run", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = a};
    return command_parse(&parser, argc, argv);
}

/* The words as they were given: the parser cuts some. Kept to the end of the program; NULL: out of memory. */
static char **copy_of(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 2, sizeof(*words));
    static char program[] = "gbflow";
    if (!words)
        return NULL;
    words[0] = program;
    for (int i = 0; i < argc; i++)
        words[i + 1] = strdup(argv[i]);
    return words;
}

static const char *const names[] = {"series.csv",    "summary.json", "provenance.json",
                                    "gi.truth.json", "packet.json",  "report.html",
                                    "gi.pcapng",     "gn.pcapng",    "gb.pcapng"};

/* The scenario has the name of a result in --out, or a link there leads to it. */
static bool is_written(const struct run_options *run)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", run->out, names[i]);
        if (whole_file_is_input(path, run->scenario))
            return true;
    }
    return false;
}

static bool drop_links(const struct run_options *run)
{
    char path[PATH_MAX];
    bool is_good = true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", run->out, names[i]);
        is_good &= whole_file_drop_link(path);
    }
    return is_good;
}

int command_run(int argc, char **argv)
{
    static char **command;
    command = copy_of(argc, argv);
    struct arguments a = {
        .run = {.command = command, .out = "out", .seed = 1, .has_series = true, .has_report = true}};
    int status = command_run_parse(argc, argv, &a);
    a.run.has_report &= a.run.has_series;

    if (!command_accepted(usage, &status))
        return status;
    if (a.run.has_cdf && !a.run.has_series)
        return wrong("--cdf is drawn from series.csv, which --no-series leaves out", "");
    if (argc - optind != 1)
        return wrong("missing SCENARIO.lua, or more than one file", "");
    a.run.scenario = argv[optind];
    a.run.sets = a.sets;
    if (is_written(&a.run))
        return wrong("--out takes another folder than that of the scenario, whose name a run writes: ",
                     a.run.scenario);
    return drop_links(&a.run) ? run_scenario(&a.run) : COMMAND_FAILED;
}
