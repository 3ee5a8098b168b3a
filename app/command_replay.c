/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

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
    "usage: gbflow replay NODE.lua --in GN.pcap [--out GB.pcapng] [--json FILE] [--drain SECONDS] "
    "[--unsteered] [--verbose]\n"
    "\n"
    "Sends a capture of Gn through the dataplane in virtual time, at the capture's own timestamps, and plays "
    "the BSS\n"
    "at the other end of Gb. Prints a table per mobile: N-PDUs in and out, octets, sojourn (Gn receipt to "
    "the last\n"
    "segment's departure), drops by reason.\n"
    "\n"
    "  --in FILE        capture of Gn to read: pcap or pcapng, also gzip (\"-\": standard input); Ethernet, "
    "raw IP,\n"
    "                   loopback, Linux cooked\n"
    "  --out FILE       capture of Gb to write (pcapng, nanoseconds, both directions)\n"
    "  --json FILE      report to write (fields: docs/replay.md)\n"
    "  --drain SECONDS  how long after the last frame waiting packets may still leave (600)\n"
    "  --unsteered      with several workers: frames come in at one after the other, not where they belong\n"
    "  --verbose        also print what the Gb control plane does\n"
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
        return wrong("--drain takes whole seconds from 0 to 1000000, not ", text);
    o->drain_ns = seconds * MOMENT_SECOND;
    return COMMAND_OK;
}

static int parse(int argc, char **argv, struct replay_options *o)
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
    int status = parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (argc - optind != 1)
        return wrong("it takes one node configuration", "");
    if (!o.in)
        return wrong("--in is missing", "");
    o.node = argv[optind];
    return replay_run(&o);
}
