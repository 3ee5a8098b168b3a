/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/command.h"

#include "control/lua_config.h"
#include "control/lua_host.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow check FILE.lua...\n"
    "\n"
    "Reads node configurations and says what is wrong with them: file, line, path, allowed range.\n"
    "All keys: docs/node.md.\n"
    "\n"
    "Exit status: 0 all are right, 2 at least one is not.\n";

static bool check(const char *path)
{
    struct node_config config = {0};
    struct lua_State *L = lua_host_new();
    bool is_right = L && lua_config_load_node(L, path, &config);

    if (is_right)
        printf("%s: right: %u NSEs, %u NS-VCs, %u cells, %s\n", path, config.nse_count, config.nsvc_count,
               config.cell_count, config.mobiles.are_learned ? "mobiles are learned" : "mobiles are listed");
    node_config_free(&config);
    lua_host_free(L);
    return is_right;
}

int command_check(int argc, char **argv)
{
    int status = COMMAND_OK;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    if (argc < 2 || argv[1][0] == '-') {
        fputs("gbflow check: it takes configuration files\ntry: gbflow check --help\n", stderr);
        return COMMAND_USAGE;
    }
    for (int i = 1; i < argc; i++)
        if (!check(argv[i]))
            status = COMMAND_USAGE;
    return status;
}
