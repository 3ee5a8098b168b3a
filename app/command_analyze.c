/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "app/analyze/analyze.h"

#include <getopt.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow analyze CAPTURE... [--json FILE] [--out DIR] [--mobile PREFIX]... [--set NAME=VALUE]...\n"
    "                      [--connections FILE.csv] [--periods FILE.csv] [--no-report] [--thresholds]\n"
    "\n"
    "What captures of Gi (IP) or Gn (GTP-U) tell about TCP over GPRS, from headers alone: connection "
    "set-up,\n"
    "round-trip times, channel rates, losses in front of and behind the monitor, throughput, and what TCP's\n"
    "options do to it. Captures are pcap or pcapng, also gzip; \"-\" is standard input; several count as "
    "one, in\n"
    "the order of time. Prints a summary (docs/analyze.md).\n"
    "\n"
    "  --json FILE         analysis.json to write\n"
    "  --out DIR           folder to write analysis.json and report.html to\n"
    "  --mobile PREFIX     addresses of mobiles, as 10.45.0.0/16; not given: they are found\n"
    "  --set NAME=VALUE    a threshold\n"
    "  --thresholds        list them, with their defaults\n"
    "  --connections FILE  a line for each connection to write (CSV)\n"
    "  --periods FILE      a line for each period that gives a channel rate (CSV)\n"
    "  --no-report         leave report.html out\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments. A capture that breaks off is read as far "
    "as\n"
    "it goes, with a warning.\n";

static int wrong(const char *message, const char *what)
{
    return command_wrong("analyze", message, what);
}

static int parse_limit(void *to, char *text)
{
    struct analyze_options *o = to;
    const char *reason = gi_limits_set(&o->limits, text);
    return reason ? wrong(reason, text) : COMMAND_OK;
}

static int parse_mobile(void *to, char *text)
{
    struct analyze_options *o = to;
    return gi_side_add(&o->told, text)
               ? COMMAND_OK
               : wrong("--mobile takes up to 64 prefixes like 10.0.0.0/8, not ", text);
}

static int parse(int argc, char **argv, struct analyze_options *o, bool *are_thresholds)
{
    const struct command_option options[] = {
        {.name = "json", .text = &o->json},
        {.name = "out", .text = &o->out},
        {.name = "mobile", .parse = parse_mobile},
        {.name = "set", .parse = parse_limit},
        {.name = "connections", .text = &o->connections},
        {.name = "periods", .text = &o->periods},
        {.name = "no-report", .flag = &o->has_report, .value = false},
        {.name = "thresholds", .flag = are_thresholds, .value = true},
    };
    const struct command_parser parser = {
        .command = "analyze", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = o};
    return command_parse(&parser, argc, argv);
}

static int list_thresholds(const struct gi_limits *limits)
{
    unsigned count;
    const struct gi_limits_row *rows = gi_limits_rows(&count);
    for (unsigned i = 0; i < count; i++)
        printf("%-22s %10g %-7s %s\n", rows[i].name, gi_limits_get(limits, &rows[i]), rows[i].unit,
               rows[i].what);
    return COMMAND_OK;
}

int command_analyze(int argc, char **argv)
{
    struct analyze_options o = {.limits = gi_limits_standard(), .has_report = true};
    bool are_thresholds = false;
    int status = parse(argc, argv, &o, &are_thresholds);

    if (!command_accepted(usage, &status))
        return status;
    if (are_thresholds)
        return list_thresholds(&o.limits);
    if (argc == optind)
        return wrong("it takes captures", "");
    o.captures = argv + optind;
    o.capture_count = argc - optind;
    return analyze_run(&o);
}
