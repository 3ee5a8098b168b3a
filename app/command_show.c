/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/live/show.h"

#include <getopt.h>
#include <stdio.h>

static const char usage[] = "usage: gbflow show WHAT [--json] [--prefix NAME]\n"
                            "\n"
                            "Asks a running node, by DPDK's telemetry socket. WHAT is one of:\n"
                            "\n"
                            "  nse         NS-VCs of each NSE\n"
                            "  bvc         cells, and the flow control that they announced last\n"
                            "  ms          mobiles\n"
                            "  pdp         PDP contexts\n"
                            "  gtpc        contexts that GGSNs are asked for\n"
                            "  drops       frames and N-PDUs dropped, by reason\n"
                            "  workers     workers\n"
                            "  aqm         what AQM schemes answered, by class and hook\n"
                            "  counts      what the Gb control plane has counted\n"
                            "  neighbours  next hops on the links\n"
                            "  capture     the capture at hand, or the last one\n"
                            "\n"
                            "  --json         a list of objects instead of a table\n"
                            "  --prefix NAME  eal.prefix of the node (gbflow)\n"
                            "\n"
                            "Exit status: 0 success, 1 no such node runs, 2 wrong arguments.\n";

static int parse(int argc, char **argv, struct show_options *o)
{
    const struct command_option options[] = {
        {.name = "json", .flag = &o->is_json, .value = true},
        {.name = "prefix", .text = &o->prefix},
    };
    const struct command_parser parser = {
        .command = "show", .options = options, .count = sizeof(options) / sizeof(options[0])};
    return command_parse(&parser, argc, argv);
}

int command_show(int argc, char **argv)
{
    struct show_options o = {.prefix = "gbflow"};
    int status = parse(argc, argv, &o);

    if (!command_goes_on(usage, &status))
        return status;
    if (argc - optind != 1)
        return command_wrong("show", "it takes one word: what to show", "");
    o.what = argv[optind];
    if (!show_is_table(o.what))
        return command_wrong("show", "there is nothing to show of that name: ", o.what);
    return show_table(&o) ? COMMAND_OK : COMMAND_FAILED;
}
