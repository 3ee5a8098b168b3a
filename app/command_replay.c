/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow replay`: its options. */
#include "control/base/command.h"
#include "control/base/whole_file.h"

#include "app/replay/replay.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_DEFAULT_S 600
#define DRAIN_MAX_S     1000000

static const char usage[] =
    "usage: gbflow replay NODE.lua --in GN.pcap [--out GB.pcapng] [--json FILE]\n"
    "                     [--drain SECONDS] [--unsteered] [--verbose]\n"
    "\n"
    "Sends the frames of a Gn capture through the dataplane in virtual time, at their\n"
    "timestamps, and emulates the BSS at the other end of Gb. Prints per mobile:\n"
    "N-PDUs in and out, octets, sojourn (Gn receipt to the departure of the last\n"
    "segment), drops by reason.\n"
    "\n"
    "  --in FILE        Gn capture: pcap or pcapng, also gzip (\"-\": standard input);\n"
    "                   Ethernet, raw IP, loopback, Linux cooked, PPP, Cisco HDLC,\n"
    "                   with tags, PPPoE, MPLS, in GRE or IP\n"
    "  --out FILE       write a Gb capture (pcapng, nanoseconds, both directions)\n"
    "  --json FILE      write the report (fields: docs/reference/replay-report.md)\n"
    "  --drain SECONDS  time after the last frame in which queued N-PDUs may leave\n"
    "                   (600)\n"
    "  --unsteered      with several workers: frames arrive at the workers in turn,\n"
    "                   not at the one that they belong to\n"
    "  --verbose        also print the log lines of level info\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments or configuration.\n";

static int wrong(const char *message, const char *what)
{
    return command_wrong("replay", message, what);
}

static int parse_drain(void *to, char *text)
{
    struct replay_options *o = to;
    char *end;
    errno = 0;
    long seconds = strtol(text, &end, 10);
    if (errno || *end || end == text || seconds < 0 || seconds > DRAIN_MAX_S)
        return wrong("--drain must be an integer from 0 to 1000000 (seconds), not ", text);
    o->drain_ns = seconds * MOMENT_SECOND;
    return COMMAND_OK;
}

static int command_replay_parse(int argc, char **argv, struct replay_options *o)
{
    const struct command_option options[] = {
        {.name = "in", .text = &o->in},
        {.name = "out", .text = &o->out},
        {.name = "json", .text = &o->json},
        {.name = "drain", .parse = parse_drain},
        {.name = "unsteered", .flag = &o->is_unsteered, .value = true},
        {.name = "verbose", .flag = &o->is_verbose, .value = true},
    };
    const struct command_parser parser = {
        .command = "replay", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = o};
    return command_parse(&parser, argc, argv);
}

int command_replay(int argc, char **argv)
{
    struct replay_options o = {.drain_ns = DRAIN_DEFAULT_S * MOMENT_SECOND};
    int status = command_replay_parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (argc - optind != 1)
        return wrong("missing NODE.lua, or more than one file", "");
    if (!o.in)
        return wrong("missing --in FILE", "");
    if (whole_file_is_input(o.out, o.in) || whole_file_is_input(o.json, o.in))
        return wrong("--out and --json take other files than the capture that --in reads, ", o.in);
    o.node = argv[optind];
    if (whole_file_is_input(o.out, o.node) || whole_file_is_input(o.json, o.node))
        return wrong("--out and --json take other files than the configuration ", o.node);
    if (whole_file_is_same(o.out, o.json))
        return wrong("--out and --json are one file, give two: ", o.out);
    return command_has_file("replay", o.in) ? replay_run(&o) : COMMAND_USAGE;
}
