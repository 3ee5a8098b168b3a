/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow serve`, and restart-control of a running node: their options. */
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/live/live.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"
#include "dataplane/base/moment.h"

#include <getopt.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_head[] =
    "usage: gbflow serve NODE.lua [--json FILE] [--user NAME] [--verbose]\n"
    "                    [--log-level LIST] [--log-format NAME] [-- EAL arguments]\n"
    "\n"
    "Runs a live node: Gn and Gb on DPDK devices (gn.port, gb.port), signalling on\n"
    "Gb, users' packets in both directions. At SIGINT or SIGTERM it prints its\n"
    "counters and ends.\n"
    "\n"
    "  --json FILE   write the final counters to FILE (fields:\n"
    "                docs/reference/serve-report.md)\n"
    "  --user NAME   become this user after the start, without capabilities\n"
    "  --verbose     also print the log lines of level info\n";
static const char usage_end[] =
    "  --log-format NAME  text, json (a JSON object in each line), journal\n"
    "                     (priorities for systemd), or auto: journal if stderr is the\n"
    "                     journal's, else text\n"
    "\n"
    "Arguments behind -- are DPDK's, besides eal.arguments: gbflow serve NODE.lua --\n"
    "--log-level=pmd.*:info\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 the node does not start or lost a network\n"
    "card, 2 wrong arguments or configuration.\n";

/* The log's words stand between head and end. */
static const char *usage(void)
{
    static char text[4096];
    snprintf(text, sizeof(text),
             "%s  --log-level LIST   levels (%s) of all lines or of a\n"
             "                     category: warn,gtpc:info; categories:\n"
             "                     %s\n%s",
             usage_head, log_level_names(), log_category_names(), usage_end);
    return text;
}

static int command_serve_parse(int argc, char **argv, struct live_options *o)
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
    const char *wrong = o->log_level ? log_levels_set(&log.own.levels, o->log_level) : NULL;
    if (wrong)
        *status = command_refuse(
            "serve", "--log-level: '%s' is not LEVEL or CATEGORY:LEVEL; levels: %s; categories: %s", wrong,
            log_level_names(), log_category_names());
    else if (o->log_format && !log_set_format(&log, o->log_format))
        *status =
            command_wrong("serve", "--log-format: not one of auto, text, json, journal: ", o->log_format);
    else
        return true;
    return false;
}

int command_serve(int argc, char **argv)
{
    static char *none[] = {NULL};
    struct live_options o = {.eal_arguments = none};
    int own = 0;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    if (own < argc)
        o.eal_arguments = argv + own + 1;
    argc = own;
    argv[argc] = NULL;
    int status = command_serve_parse(argc, argv, &o);

    if (!command_accepted(usage(), &status))
        return status;
    if (argc - optind != 1)
        return command_wrong("serve", "missing NODE.lua, or more than one file", "");
    if (!is_log_right(&o, &status))
        return status;
    o.node = argv[optind];
    return live_run(&o);
}

#define PAUSE_US        20000
#define RESTART_MOST_S  60
#define RESTART_MOST_NS (RESTART_MOST_S * MOMENT_SECOND)
#define VALUES_ROW      2 /* behind names and kinds of columns */

static const char command_restart_control_usage[] =
    "usage: gbflow restart-control [--prefix NAME]\n"
    "\n"
    "Restarts the control plane of a running node: a second Lua state takes over\n"
    "cells, mobiles and contexts. Workers forward meanwhile, and no NS-VC or cell is\n"
    "reset. The command returns when the restart is done.\n"
    "\n"
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
    "\n"
    "`gbflow show control` prints how often and why control has restarted, and how\n"
    "long the latest restart took.\n"
    "Exit status: 0 success, 1 no such node runs or control has not restarted, 2\n"
    "wrong arguments.\n";

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
static bool read_counts(const char *path, struct counts *counts)
{
    json_t *rows = show_rows(path, "control");
    if (!rows)
        return false;
    *counts = (struct counts){count_of(rows, "restarts_order"), count_of(rows, "restarts_failed")};
    json_decref(rows);
    return true;
}

static int restart(const char *path)
{
    struct counts before, now;
    int64_t end_ns = clock_now_ns() + RESTART_MOST_NS;
    if (!read_counts(path, &before) || !show_order(path, "restart_control", "", "gbflow show control"))
        return COMMAND_FAILED;
    do {
        usleep(PAUSE_US);
        if (!read_counts(path, &now))
            return COMMAND_FAILED;
    } while (now.done == before.done && now.failed == before.failed && clock_now_ns() < end_ns);
    if (now.done > before.done) {
        printf("control has restarted\n");
        return COMMAND_OK;
    }
    if (now.failed == before.failed)
        fprintf(stderr,
                "gbflow restart-control: control has not restarted within %d s; see `gbflow "
                "show control`\n",
                RESTART_MOST_S);
    else
        fprintf(stderr, "gbflow restart-control: the node has no memory for a second Lua state; control "
                        "stays as it is\n");
    return COMMAND_FAILED;
}

int command_restart_control(int argc, char **argv)
{
    struct request r = {.prefix = NULL};
    const struct command_option options[] = {{.name = "prefix", .text = &r.prefix}};
    const struct command_parser parser = {
        .command = "restart-control", .options = options, .count = 1, .to = &r};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(command_restart_control_usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("restart-control", "unexpected argument: ", argv[optind]);
    const char *path = show_find(r.prefix, TELEMETRY_NODE);
    return path ? restart(path) : COMMAND_FAILED;
}
