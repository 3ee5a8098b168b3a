/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow analyze`: its options. */
#include "control/base/command.h"
#include "control/base/whole_file.h"

#include "app/analyze/analyze.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow analyze CAPTURE... [--json FILE] [--out DIR] [--mobile PREFIX]...\n"
    "                      [--set NAME=VALUE]... [--connections FILE.csv]\n"
    "                      [--periods FILE.csv] [--exchanges FILE.csv] [--no-report]\n"
    "                      [--svg] [--thresholds]\n"
    "\n"
    "Measures TCP over GPRS in captures of Gi (IP) or Gn (GTP-U), from headers alone:\n"
    "connection set-up, round-trip times, channel rates, losses before and behind the\n"
    "monitor, throughput, and the effect of TCP options. In captures of Gb it\n"
    "measures LLC in acknowledged mode: repetitions, times of confirmation. Captures\n"
    "are pcap or pcapng, also gzip; \"-\" is standard input; several captures are\n"
    "merged in the order of time. Prints a summary (docs/analyze.md).\n"
    "\n"
    "  --json FILE         write analysis.json to FILE\n"
    "  --out DIR           write analysis.json and report.html to DIR\n"
    "  --mobile PREFIX     addresses of the mobiles, as 10.45.0.0/16 (default: found\n"
    "                      in the captures)\n"
    "  --set NAME=VALUE    set a threshold\n"
    "  --thresholds        list the thresholds with their defaults\n"
    "  --connections FILE  write a line for each connection (CSV)\n"
    "  --periods FILE      write a line for each period that gives a channel rate\n"
    "                      (CSV)\n"
    "  --exchanges FILE    write a line for each exchange, a request and its response\n"
    "                      (CSV)\n"
    "  --no-report         do not write report.html\n"
    "  --svg               draw the plots of report.html as SVG, without a script\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments. Of a truncated\n"
    "capture the packets before the defect are analysed, with a warning.\n";

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
    return gi_analysis_prefix_add(&o->told, text)
               ? COMMAND_OK
               : wrong("--mobile must be a prefix like 10.0.0.0/8, at most 64 times, not ", text);
}

static int command_analyze_parse(int argc, char **argv, struct analyze_options *o, bool *are_thresholds)
{
    const struct command_option options[] = {
        {.name = "json", .text = &o->json},
        {.name = "out", .text = &o->out},
        {.name = "mobile", .parse = parse_mobile},
        {.name = "set", .parse = parse_limit},
        {.name = "connections", .text = &o->connections},
        {.name = "periods", .text = &o->periods},
        {.name = "exchanges", .text = &o->exchanges},
        {.name = "no-report", .flag = &o->has_report, .value = false},
        {.name = "svg", .flag = &o->is_svg, .value = true},
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

/* A link in --out may lead to a capture. */
static bool is_in_out(const struct analyze_options *o, const char *capture)
{
    static const char *const names[] = {"analysis.json", "report.html"};
    char path[PATH_MAX];
    for (size_t i = 0; o->out && i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", o->out, names[i]);
        if (whole_file_is_input(path, capture))
            return true;
    }
    return false;
}

/* The first of the captures that would be overwritten; NULL: none. */
static const char *find_overwritten(const struct analyze_options *o)
{
    for (int i = 0; i < o->capture_count; i++) {
        const char *capture = o->captures[i];
        if (whole_file_is_input(o->json, capture) || whole_file_is_input(o->connections, capture) ||
            whole_file_is_input(o->periods, capture) || whole_file_is_input(o->exchanges, capture) ||
            is_in_out(o, capture))
            return capture;
    }
    return NULL;
}

/* A result file that two options name; NULL: none. */
static const char *find_twice(const struct analyze_options *o)
{
    const char *const files[] = {o->json, o->connections, o->periods, o->exchanges};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        for (size_t k = i + 1; k < sizeof(files) / sizeof(files[0]); k++)
            if (whole_file_is_same(files[i], files[k]))
                return files[i];
    return NULL;
}

int command_analyze(int argc, char **argv)
{
    struct analyze_options o = {.limits = gi_limits_standard(), .has_report = true};
    bool are_thresholds = false;
    int status = command_analyze_parse(argc, argv, &o, &are_thresholds);

    if (!command_accepted(usage, &status))
        return status;
    if (are_thresholds)
        return list_thresholds(&o.limits);
    if (argc == optind)
        return wrong("missing CAPTURE", "");
    o.captures = argv + optind;
    o.capture_count = argc - optind;
    for (int i = 0; i < o.capture_count; i++)
        if (!command_has_file("analyze", o.captures[i]))
            return COMMAND_USAGE;
    const char *overwritten = find_overwritten(&o);
    if (overwritten)
        return wrong(
            "--out, --json, --connections, --periods and --exchanges take other files than the capture ",
            overwritten);
    const char *twice = find_twice(&o);
    if (twice)
        return wrong("--json, --connections, --periods and --exchanges take a file each, not twice ", twice);
    return analyze_run(&o);
}
