/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow reload`: asks a running node to read its configuration again. */
#include "app/config_show.h"
#include "control/base/command.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/config/plugin_folder.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"

#include <getopt.h>

#define PREFIX_CHARS 32

static const char usage[] =
    "usage: gbflow reload [--dry-run] [--json] [--prefix NAME | --config FILE]\n"
    "\n"
    "Lets a running node read its configuration file again, and apply what differs\n"
    "while packets flow. The command returns when all workers have the changes, and\n"
    "prints them. If the file has an error or a change that needs a restart, nothing\n"
    "changes, and the lines say why.\n"
    "\n"
    "  --dry-run      compare only: print what would change, or why it cannot\n"
    "  --json         print an object: the lines, and counts of what changed\n"
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
    "  --config FILE  check the node's file first, and take eal.prefix from it\n"
    "\n"
    "Exit status: 0 applied, or nothing differs; 1 no such node runs, or it has no\n"
    "room for what is added; 2 wrong arguments or configuration, or a change that\n"
    "needs a restart.\n";

/* False, with lines on stderr: the file has errors. */
static bool take_prefix(const char *path, char prefix[PREFIX_CHARS])
{
    lua_State *L = lua_host_new(lua_modules);
    plugin_folder_allow(false);
    bool is_right = L && lua_text_load_config(L, path, "node");
    if (is_right && lua_table_enter(L, "eal"))
        lua_table_text(L, "prefix", prefix, PREFIX_CHARS);
    lua_host_free(L);
    return is_right;
}

int command_reload(int argc, char **argv)
{
    const char *prefix = NULL, *config = NULL, *path;
    char own[PREFIX_CHARS];
    bool is_trial = false, is_json = false;
    const struct command_option options[] = {
        {.name = "dry-run", .flag = &is_trial, .value = true},
        {.name = "json", .flag = &is_json, .value = true},
        {.name = "prefix", .text = &prefix},
        {.name = "config", .text = &config},
    };
    const struct command_parser parser = {.command = "reload", .options = options, .count = 4, .to = NULL};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("reload", "unexpected argument: ", argv[optind]);
    if (config && !take_prefix(config, own))
        return COMMAND_USAGE;
    path = show_find(config ? own : prefix, TELEMETRY_NODE);
    if (!path || (config && !config_show_is_of(path, config)))
        return COMMAND_FAILED;
    return config_show_reload(path, is_trial, is_json);
}
