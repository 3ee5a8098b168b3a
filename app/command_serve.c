/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/live/live.h"

#include <getopt.h>

static const char usage[] =
    "usage: gbflow serve NODE.lua [--json FILE] [--user NAME] [--verbose]\n"
    "\n"
    "Runs a live node: Gn and Gb on DPDK devices (gn.port, gb.port), signalling on Gb, users' packets in "
    "both\n"
    "directions. At SIGINT or SIGTERM it prints its counters and ends.\n"
    "\n"
    "  --json FILE   write the final counters to FILE (fields: docs/serve.md)\n"
    "  --user NAME   become this user after the start, without capabilities\n"
    "  --verbose     also print the log lines of level info\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 the node does not start, 2 wrong arguments or configuration.\n";

static int parse(int argc, char **argv, struct live_options *o)
{
    const struct command_option options[] = {
        {.name = "json", .text = &o->json},
        {.name = "user", .text = &o->user},
        {.name = "verbose", .flag = &o->is_verbose, .value = true},
    };
    const struct command_parser parser = {
        .command = "serve", .options = options, .count = sizeof(options) / sizeof(options[0])};
    return command_parse(&parser, argc, argv);
}

int command_serve(int argc, char **argv)
{
    struct live_options o = {0};
    int status = parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (argc - optind != 1)
        return command_wrong("serve", "missing NODE.lua, or more than one file", "");
    o.node = argv[optind];
    return live_run(&o);
}
