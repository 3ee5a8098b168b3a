/* SPDX-License-Identifier: BSD-3-Clause */
/* gbflow emulate: reads the BSS's configuration and runs it. */
#include "app/emulate/emulate.h"
#include "control/base/command.h"
#include "control/show/telemetry_socket.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>

static const char usage[] =
    "usage: gbflow emulate BSS.lua [--json FILE] [--prefix NAME] [--verbose]\n"
    "\n"
    "Runs an emulated BSS in real time: Gb over UDP to an SGSN, cells with their\n"
    "radio, buffers and flow control, and mobiles that are hosts behind TUN devices.\n"
    "Needs no DPDK device, but the right to make TUN devices (root, or\n"
    "CAP_NET_ADMIN). At SIGINT or SIGTERM it prints its counters and ends.\n"
    "\n"
    "  --json FILE   write the final counters to FILE (fields: docs/emulate.md)\n"
    "  --prefix NAME name for gbflow top and gbflow show (emulate)\n"
    "  --verbose     also print when a cell comes up\n"
    "\n"
    "Exit status: 0 ended by a signal, 1 the BSS does not start, 2 wrong arguments or\n"
    "configuration.\n";

static int command_emulate_parse(int argc, char **argv, struct emulate_options *o)
{
    const struct command_option options[] = {
        {.name = "json", .text = &o->json},
        {.name = "prefix", .text = &o->prefix},
        {.name = "verbose", .flag = &o->is_verbose, .value = true},
    };
    const struct command_parser parser = {
        .command = "emulate", .options = options, .count = sizeof(options) / sizeof(options[0])};
    return command_parse(&parser, argc, argv);
}

/* The value without what would change a terminal, and at most its beginning. */
static int wrong_prefix(const char *prefix)
{
    char shown[2 * TELEMETRY_SOCKET_NAME_CHARS];
    snprintf(shown, sizeof(shown), "%s", prefix);
    for (char *at = shown; *at; at++)
        if (!isprint((unsigned char)*at))
            *at = '?';
    return command_refuse("emulate", "--prefix: '%s': must be %s", shown, TELEMETRY_SOCKET_NAME_FORM);
}

int command_emulate(int argc, char **argv)
{
    struct emulate_options o = {.prefix = "emulate"};
    int status = command_emulate_parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (!telemetry_socket_is_name(o.prefix))
        return wrong_prefix(o.prefix);
    if (argc - optind != 1)
        return command_wrong("emulate", "missing BSS.lua, or more than one file", "");
    o.bss = argv[optind];
    return emulate_run(&o);
}
