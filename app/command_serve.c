/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/live/live.h"

#include <getopt.h>

static const char usage[] =
    "usage: gbflow serve NODE.lua [--json FILE] [--user NAME] [--verbose] [--log-level LIST] [--log-format "
    "NAME]\n"
    "\n"
    "Runs a live node: Gn and Gb on DPDK devices (gn.port, gb.port), signalling on Gb, users' packets in "
    "both\n"
    "directions. At SIGINT or SIGTERM it prints its counters and ends.\n"
    "\n"
    "  --json FILE   write the final counters to FILE (fields: docs/serve.md)\n"
    "  --user NAME   become this user after the start, without capabilities\n"
    "  --verbose     also print the log lines of level info\n"
    "  --log-level LIST   levels error, warn or info, of all lines or of a category: warn,gtpc:info; "
    "categories:\n"
    "                     gb ns bssgp llc gtpc gn gmm sm gsup phones control\n"
    "  --log-format NAME  text, json (a JSON object in each line), journal (priorities for systemd), or "
    "auto:\n"
    "                     journal if stderr is the journal's, else text\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 the node does not start, 2 wrong arguments or configuration.\n";

static int parse(int argc, char **argv, struct live_options *o)
{
    const struct command_option options[] = {
        {.name = "json", .text = &o->json},
        {.name = "user", .text = &o->user},
        {.name = "log-level", .text = &o->log_level},
        {.name = "log-format", .text = &o->log_format},
        {.name = "verbose", .flag = &o->is_verbose, .value = true},
    };
    const struct command_parser parser = {
        .command = "serve", .options = options, .count = sizeof(options) / sizeof(options[0])};
    return command_parse(&parser, argc, argv);
}

static bool is_log_right(const struct live_options *o, int *status)
{
    struct log log;
    log_init(&log, stderr, 1);
    const char *wrong = o->log_level ? log_set_levels(&log, o->log_level) : NULL;
    if (wrong)
        *status = command_refuse("serve",
                                 "--log-level: '%s' is not LEVEL or CATEGORY:LEVEL; levels: error warn info; "
                                 "categories: %s",
                                 wrong, log_categories());
    else if (o->log_format && !log_set_format(&log, o->log_format))
        *status =
            command_wrong("serve", "--log-format: not one of auto, text, json, journal: ", o->log_format);
    else
        return true;
    return false;
}

int command_serve(int argc, char **argv)
{
    struct live_options o = {0};
    int status = parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (argc - optind != 1)
        return command_wrong("serve", "missing NODE.lua, or more than one file", "");
    if (!is_log_right(&o, &status))
        return status;
    o.node = argv[optind];
    return live_run(&o);
}
