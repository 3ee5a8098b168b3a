/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow import-osmo`: prints osmo-sgsn's configuration as one of a node. */
#include "control/base/command.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"

#include <getopt.h>
#include <stdio.h>

static const char usage[] =
    "usage: gbflow import-osmo FILE\n"
    "\n"
    "Prints the configuration of osmo-sgsn in FILE, 1.9 or older, as one of a node.\n"
    "A line with a counterpart becomes a key; each other line becomes a comment with\n"
    "the reason. A key that the node needs, and that no line gives, is a hole: \"fill\n"
    "in\", below a comment with the line to blame. Without holes gbflow check accepts\n"
    "it. Write the names of the network interfaces of Gn and Gb in place of gn0 and\n"
    "gb0. stderr has the numbers of lines and the holes.\n"
    "docs/reference/osmo-sgsn.md has the counterparts of all lines.\n"
    "\n"
    "  gbflow import-osmo /etc/osmocom/osmo-sgsn.cfg > node.lua\n"
    "\n"
    "Exit status: 0 printed, also with holes; 2 FILE cannot be read, or is no\n"
    "configuration of osmo-sgsn.\n";

/* With the text of the file on the stack. */
static int convert(lua_State *L, const char *path)
{
    lua_host_require(L, "node.osmo_import");
    lua_getfield(L, -1, "convert");
    lua_pushvalue(L, -3);
    lua_pushstring(L, path);
    lua_host_call(L, 2, 2);
    if (lua_isnil(L, -2)) {
        lua_text_print_lines(L, "");
        return COMMAND_USAGE;
    }
    fputs(lua_tostring(L, -2), stdout);
    fprintf(stderr, "gbflow import-osmo: %s\n", lua_tostring(L, -1));
    return COMMAND_OK;
}

int command_import_osmo(int argc, char **argv)
{
    const struct command_parser parser = {.command = "import-osmo"};
    int status = command_parse(&parser, argc, argv);

    if (!command_accepted(usage, &status))
        return status;
    if (optind + 1 != argc)
        return command_wrong("import-osmo", "name one FILE, the configuration of osmo-sgsn", "");
    struct lua_State *L = lua_host_new(lua_modules);
    status = L && lua_text_push(L, argv[optind]) ? convert(L, argv[optind]) : COMMAND_USAGE;
    lua_host_free(L);
    return status;
}
