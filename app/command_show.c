/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/live/show.h"
#include "control/live/tables.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char usage_head[] =
    "usage: gbflow show WHAT [--json] [--prefix NAME]\n"
    "\n"
    "Reads a table of a running node from its DPDK telemetry socket and prints it. WHAT is one of:\n"
    "\n";
static const char usage_end[] = "\n"
                                "  --json         print a list of objects instead of a table\n"
                                "  --prefix NAME  eal.prefix of the node (gbflow)\n"
                                "\n"
                                "Meaning of the columns: gbflow fields show, docs/serve.md.\n"
                                "Exit status: 0 success, 1 no such node runs, 2 wrong arguments.\n";

/* The tables stand between head and end. */
static const char *usage(void)
{
    static char text[4096];
    size_t at = (size_t)snprintf(text, sizeof(text), "%s", usage_head);
    for (const struct field *table = live_tables; table->name; table++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "  %-10s  %s\n", table->name,
                               table->meaning->sentence);
    assert(at + sizeof(usage_end) <= sizeof(text));
    memcpy(text + at, usage_end, sizeof(usage_end));
    return text;
}

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

    if (!command_accepted(usage(), &status))
        return status;
    if (argc - optind != 1)
        return command_wrong("show", "missing WHAT, or more than one", "");
    o.what = argv[optind];
    if (!show_is_table(o.what))
        return command_wrong("show", "unknown WHAT: ", o.what);
    return show_table(&o) ? COMMAND_OK : COMMAND_FAILED;
}
