/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/command.h"

#include "control/replay.h"
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
    "[--verbose]\n"
    "\n"
    "Sends a capture of Gn through the dataplane in virtual time, at the capture's own timestamps, and plays "
    "the BSS\n"
    "at the other end of Gb. Prints a table per mobile: N-PDUs in and out, octets, sojourn (Gn receipt to "
    "the last\n"
    "segment's departure), drops by reason.\n"
    "\n"
    "  --in FILE        capture of Gn to read: pcap or pcapng; Ethernet, raw IP or Linux cooked\n"
    "  --out FILE       capture of Gb to write (pcapng, nanoseconds, both directions)\n"
    "  --json FILE      report to write (fields: docs/replay.md)\n"
    "  --drain SECONDS  how long after the last frame waiting packets may still leave (600)\n"
    "  --verbose        also print what the Gb control plane does\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments or configuration.\n";

static const struct option options[] = {
    {"in", required_argument, NULL, 'i'},
    {"out", required_argument, NULL, 'o'},
    {"json", required_argument, NULL, 'j'},
    {"drain", required_argument, NULL, 'd'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int wrong(const char *message, const char *what)
{
    return command_wrong("replay", message, what);
}

static int parse_drain(const char *text, int64_t *drain_ns)
{
    char *end;
    errno = 0;
    long seconds = strtol(text, &end, 10);
    if (errno || *end || end == text || seconds < 0 || seconds > DRAIN_MAX_S)
        return wrong("--drain takes whole seconds from 0 to 1000000, not ", text);
    *drain_ns = seconds * MOMENT_SECOND;
    return COMMAND_OK;
}

/* COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP. */
static int parse(int argc, char **argv, struct replay_options *o)
{
    int c, status = COMMAND_OK;
    while (status == COMMAND_OK && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'i':
            o->in = optarg;
            break;
        case 'o':
            o->out = optarg;
            break;
        case 'j':
            o->json = optarg;
            break;
        case 'd':
            status = parse_drain(optarg, &o->drain_ns);
            break;
        case 'v':
            o->is_verbose = true;
            break;
        case 'h':
            return COMMAND_HELP;
        default:
            return wrong("wrong option", "");
        }
    }
    return status;
}

int command_replay(int argc, char **argv)
{
    struct replay_options o = {.drain_ns = DRAIN_DEFAULT_S * MOMENT_SECOND};
    int status = parse(argc, argv, &o);

    if (!command_goes_on(usage, &status))
        return status;
    if (argc - optind != 1)
        return wrong("it takes one node configuration", "");
    if (!o.in)
        return wrong("--in is missing", "");
    o.node = argv[optind];
    return replay_run(&o);
}
