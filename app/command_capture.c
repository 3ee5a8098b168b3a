/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow capture`: asks a running node for a capture of Gb. */
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST_CHARS 900

static const char usage[] =
    "usage: gbflow capture FILE [--tlli HEX] [--bvci N] [--count N] [--prefix NAME]\n"
    "       gbflow capture FILE --esp inside|outside [--count N] [--prefix NAME]\n"
    "       gbflow capture --gsmtap ADDRESS | --ns ADDRESS [--tlli HEX] [--bvci N]\n"
    "                      [--count N] [--prefix NAME]\n"
    "       gbflow capture --stop [--prefix NAME]\n"
    "\n"
    "Starts a capture in a running node: the frames that it sends and receives on Gb,\n"
    "and the users' packets that it drops, into FILE (pcapng). A comment on each\n"
    "packet has its queue and sojourn, or its drop reason.\n"
    "\n"
    "  --gsmtap ADDRESS  send the LLC frames to this address as GSMTAP, UDP port\n"
    "                 4729, for Wireshark\n"
    "  --ns ADDRESS   send copies of the NS PDUs to this address, UDP port 2157, for\n"
    "                 Wireshark ADDRESS: 192.0.2.1, 192.0.2.1:PORT or\n"
    "                 [2001:db8::1]:PORT; both may be given\n"
    "  --esp WHERE    instead the frames of the ports with ESP, Gn too: inside,\n"
    "                 without ESP as the node reads and writes them, or outside, with\n"
    "                 ESP as they are on the wire\n"
    "  --tlli HEX     capture this mobile only\n"
    "  --bvci N       capture this cell only\n"
    "  --count N      end after N packets (default: at --stop, or when the node ends)\n"
    "  --stop         end the capture\n"
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
    "\n"
    "`gbflow show capture` prints the counts of packets written and lost.\n"
    "Exit status: 0 success, 1 no such node runs or it cannot write the file, 2 wrong\n"
    "arguments.\n";

struct request {
    uint64_t tlli, bvci, count;
    bool is_stop;
    const char *prefix, *gsmtap, *ns, *path;
    const char *esp; /* inside, outside */
};

/* A number from 1 to most. */
static int take_number(const char *text, int base, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, base);
    if (errno || end == text || *end || text[0] == '-' || *out == 0 || *out > most)
        return command_wrong("capture", "option's value is not a number in its range: ", text);
    return COMMAND_OK;
}

static int take_tlli(void *to, char *text)
{
    return take_number(text, 16, UINT32_MAX, &((struct request *)to)->tlli);
}

static int take_bvci(void *to, char *text)
{
    return take_number(text, 10, UINT16_MAX, &((struct request *)to)->bvci);
}

static int take_count(void *to, char *text)
{
    return take_number(text, 10, UINT64_MAX, &((struct request *)to)->count);
}

static int command_capture_parse(int argc, char **argv, struct request *r)
{
    const struct command_option options[] = {
        {.name = "tlli", .parse = take_tlli},
        {.name = "bvci", .parse = take_bvci},
        {.name = "count", .parse = take_count},
        {.name = "stop", .flag = &r->is_stop, .value = true},
        {.name = "prefix", .text = &r->prefix},
        {.name = "gsmtap", .text = &r->gsmtap},
        {.name = "ns", .text = &r->ns},
        /* Frames of ports. */
        {.name = "esp", .text = &r->esp},
    };
    const struct command_parser parser = {
        .command = "capture", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = r};
    return command_parse(&parser, argc, argv);
}

/* Words that other programs end a capture with. */
static bool is_meant_otherwise(const char *file)
{
    return strcmp(file, "stop") == 0 || strcmp(file, "end") == 0 || strcmp(file, "off") == 0;
}

/* The node may be in another folder. */
static bool command_capture_start(const struct request *r, const char *file)
{
    char folder[PATH_MAX] = "", side[32] = "", text[REQUEST_CHARS];
    snprintf(side, sizeof(side), "%s%s%s", r->esp ? "esp-" : "", r->esp ? r->esp : "", r->esp ? ":" : "");
    if (file[0] != '/' && !getcwd(folder, sizeof(folder)))
        return false;
    int octets = snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s%s%s%s", r->tlli,
                          r->bvci, r->count, side, folder, folder[0] ? "/" : "", file);
    if (octets >= REQUEST_CHARS) {
        fprintf(stderr, "gbflow capture: the file's name is too long\n");
        return false;
    }
    if (!show_order(r->path, "capture_start", text, "gbflow show capture"))
        return false;
    if (access(file, F_OK) < 0 && errno == ENOENT)
        command_error(
            "capture",
            "warning: the node writes the file, but there is none at %s here: the node has "
            "another view of the file system (PrivateTmp of a service, a container); use a folder that both "
            "see, such as /run/gbflow",
            file);
    return true;
}

static bool send_to_wireshark(const struct request *r)
{
    char text[REQUEST_CHARS];
    int octets = snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",udp:%s%s%s%s%s", r->tlli,
                          r->bvci, r->count, r->gsmtap ? "gsmtap=" : "", r->gsmtap ? r->gsmtap : "",
                          r->gsmtap && r->ns ? "," : "", r->ns ? "ns=" : "", r->ns ? r->ns : "");
    if (octets < REQUEST_CHARS)
        return show_order(r->path, "capture_start", text, "gbflow show capture");
    fprintf(stderr, "gbflow capture: the addresses are too long\n");
    return false;
}

int command_capture(int argc, char **argv)
{
    struct request r = {.prefix = NULL};
    int status = command_capture_parse(argc, argv, &r);

    if (!command_accepted(usage, &status))
        return status;
    bool is_udp = r.gsmtap || r.ns;
    if (argc - optind != (r.is_stop || is_udp ? 0 : 1))
        return command_wrong("capture", "missing FILE, --gsmtap, --ns or --stop, or more than one of them",
                             "");
    if (r.esp && strcmp(r.esp, "inside") != 0 && strcmp(r.esp, "outside") != 0)
        return command_wrong("capture", "--esp is neither inside nor outside: ", r.esp);
    if (r.esp && (is_udp || r.is_stop || r.tlli || r.bvci))
        return command_wrong("capture", "--esp is for FILE, without --tlli and --bvci", "");
    if (optind < argc && is_meant_otherwise(argv[optind]))
        return command_refuse("capture", "%s: to end the capture: --stop; for a file of that name: ./%s",
                              argv[optind], argv[optind]);
    r.path = show_find(r.prefix, TELEMETRY_NODE);
    if (!r.path)
        return COMMAND_FAILED;
    bool is_done = r.is_stop ? show_order(r.path, "capture_stop", "", "gbflow show capture")
                   : is_udp  ? send_to_wireshark(&r)
                             : command_capture_start(&r, argv[optind]);
    if (is_done && r.is_stop)
        printf("the capture has ended\n");
    else if (is_done)
        utf8_printf(stdout, "the node captures to %s; gbflow capture --stop ends it\n",
                    is_udp ? "the given addresses" : argv[optind]);
    return is_done ? COMMAND_OK : COMMAND_FAILED;
}
