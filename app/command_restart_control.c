/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"
#include "control/show/show.h"

#include <getopt.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_US   20000
#define VALUES_ROW 2 /* behind names and kinds of columns */

static const char usage[] =
    "usage: gbflow restart-control [--prefix NAME]\n"
    "\n"
    "Restarts the control plane of a running node: a second Lua state takes over cells, mobiles and "
    "contexts. Workers\n"
    "forward meanwhile, and no NS-VC or cell is reset. The command returns when the restart is done.\n"
    "\n"
    "  --prefix NAME  eal.prefix of the node (gbflow)\n"
    "\n"
    "`gbflow show control` prints how often and why control has restarted, and how long the latest restart "
    "took.\n"
    "Exit status: 0 success, 1 no such node runs or control has not restarted, 2 wrong arguments.\n";

struct request {
    const char *prefix;
};

/* Restarts by order, and those that failed, so far. */
struct counts {
    uint64_t done, failed;
};

static uint64_t count_of(const json_t *rows, const char *name)
{
    const json_t *names = json_array_get(rows, 0), *values = json_array_get(rows, VALUES_ROW);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (value && strcmp(json_string_value(json_array_get(names, i)), name) == 0)
            return strtoull(value, NULL, 10);
    }
    return 0;
}

/* False, with a line on stderr: no node answers. */
static bool read_counts(const char *prefix, struct counts *counts)
{
    json_t *rows = show_rows(prefix, "control");
    if (!rows)
        return false;
    *counts = (struct counts){count_of(rows, "restarts_order"), count_of(rows, "restarts_failed")};
    json_decref(rows);
    return true;
}

static int restart(const char *prefix)
{
    struct counts before, now;
    if (!read_counts(prefix, &before) || !show_order(prefix, "restart_control", ""))
        return COMMAND_FAILED;
    do {
        usleep(PAUSE_US);
        if (!read_counts(prefix, &now))
            return COMMAND_FAILED;
    } while (now.done == before.done && now.failed == before.failed);
    if (now.done > before.done)
        return COMMAND_OK;
    fprintf(
        stderr,
        "gbflow restart-control: the node has no memory for a second Lua state; control stays as it is\n");
    return COMMAND_FAILED;
}

int command_restart_control(int argc, char **argv)
{
    struct request r = {.prefix = "gbflow"};
    const struct command_option options[] = {{.name = "prefix", .text = &r.prefix}};
    const struct command_parser parser = {
        .command = "restart-control", .options = options, .count = 1, .to = &r};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("restart-control", "unexpected argument: ", argv[optind]);
    return restart(r.prefix);
}
