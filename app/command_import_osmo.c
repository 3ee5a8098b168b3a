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
    "       gbflow import-osmo --one-host [FILE]\n"
    "\n"
    "Prints the configuration of osmo-sgsn in FILE, 1.13 or older, as one of a node.\n"
    "A line with a counterpart becomes a key; each other line becomes a comment with\n"
    "the reason. A key that the node needs, and that no line gives, is a hole: \"fill\n"
    "in\", below a comment with the line to blame. Without holes gbflow check accepts\n"
    "it. Write the names of the network interfaces of Gn and Gb in place of gn0 and\n"
    "gb0. stderr has the numbers of lines and the holes.\n"
    "docs/reference/osmo-sgsn.md has the counterparts of all lines.\n"
    "\n"
    "  gbflow import-osmo /etc/osmocom/osmo-sgsn.cfg > node.lua\n"
    "\n"
    "  --one-host  for a node on the host of osmo-pcu, osmo-hlr and osmo-ggsn, whose\n"
    "              configurations stay as they are. All addresses are of 127.0.0.0/8;\n"
    "              those that FILE does not give are those of Osmocom's packages. The\n"
    "              text begins with the commands for the host's network, and those\n"
    "              that undo them. It changes nothing itself.\n"
    "\n"
    "Exit status: 0 printed, also with holes; 2 FILE cannot be read, or is no\n"
    "configuration of osmo-sgsn, or has with --one-host an address of another host.\n";

#define PACKAGED "package osmo-sgsn" /* in messages, in place of a file */

/* With the text of the file on the stack, or nil. */
static int convert(lua_State *L, const char *path, bool is_one_host)
{
    lua_host_require(L, "node.osmo_import");
    lua_getfield(L, -1, "convert");
    lua_pushvalue(L, -3);
    lua_pushstring(L, path);
    lua_pushboolean(L, is_one_host);
    lua_host_call(L, 3, 2);
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
    bool is_one_host = false;
    const struct command_option option = {
        .name = "one-host", .flag = &is_one_host, .value = true, .takes = COMMAND_NO_ARGUMENT};
    const struct command_parser parser = {.command = "import-osmo", .options = &option, .count = 1};
    int status = command_parse(&parser, argc, argv);

    if (!command_accepted(usage, &status))
        return status;
    bool is_packaged = is_one_host && optind == argc;
    if (!is_packaged && optind + 1 != argc)
        return command_wrong("import-osmo", "name one FILE, the configuration of osmo-sgsn", "");
    struct lua_State *L = lua_host_new(lua_modules);
    const char *path = is_packaged ? PACKAGED : argv[optind];
    if (L && is_packaged)
        lua_pushnil(L);
    status = L && (is_packaged || lua_text_push(L, path)) ? convert(L, path, is_one_host) : COMMAND_USAGE;
    lua_host_free(L);
    return status;
}
