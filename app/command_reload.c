/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow reload`: asks a running node to read its configuration again. */
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define WAIT_S 600 /* reading a million mobiles takes minutes on a busy machine */

static const char usage[] =
    "usage: gbflow reload [--dry-run] [--prefix NAME]\n"
    "\n"
    "Lets a running node read its configuration file again, and apply what differs while packets flow. The "
    "command\n"
    "returns when all workers have the changes, and prints them. If the file has an error or a change that "
    "needs a\n"
    "restart, nothing changes, and the lines say why.\n"
    "\n"
    "  --dry-run      compare only: print what would change, or why it cannot\n"
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
    "\n"
    "Exit status: 0 applied, or nothing differs; 1 no such node runs, or it has no room for what is added; 2 "
    "wrong\n"
    "arguments or configuration, or a change that needs a restart.\n";

static void print_lines(const json_t *lines, FILE *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
    {
        utf8_print(out, json_string_value(line), json_string_length(line));
        fputc('\n', out);
    }
}

static int status_of(const json_t *answer)
{
    const char *result = json_string_value(json_object_get(answer, "result"));
    if (!result || strcmp(result, "ok") != 0) {
        command_error("reload", "%s", result ? result : "invalid answer of the node");
        return COMMAND_FAILED;
    }
    json_int_t status = json_integer_value(json_object_get(answer, "status"));
    return status == COMMAND_OK || status == COMMAND_USAGE ? (int)status : COMMAND_FAILED;
}

int command_reload(int argc, char **argv)
{
    const char *prefix = NULL, *path;
    bool is_trial = false;
    const struct command_option options[] = {
        {.name = "dry-run", .flag = &is_trial, .value = true},
        {.name = "prefix", .text = &prefix},
    };
    const struct command_parser parser = {.command = "reload", .options = options, .count = 2, .to = NULL};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("reload", "unexpected argument: ", argv[optind]);
    path = show_find(prefix, TELEMETRY_NODE);
    json_t *answer = path ? show_tell(path, "reload", is_trial ? "compare" : "", WAIT_S) : NULL;
    if (!answer)
        return COMMAND_FAILED;
    status = status_of(answer);
    print_lines(json_object_get(answer, "lines"), status == COMMAND_OK ? stdout : stderr);
    json_decref(answer);
    return status;
}
