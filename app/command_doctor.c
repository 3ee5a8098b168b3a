/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow doctor`: its options. */
#include "control/base/command.h"

#include "app/capabilities.h"
#include "app/doctor/doctor.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
    "usage: gbflow doctor [--json] [--sysroot DIR] [--port DEVICE [--workers N]]\n"
    "\n"
    "Examines this machine (huge pages, NUMA, IOMMU, clock source, frequency,\n"
    "isolated cores, instructions, network cards and their drivers, limits) and\n"
    "prints for each finding ok, a warning or missing, with the remedy. It changes\n"
    "nothing. Remedies in full: docs/benchmark-setup.md.\n"
    "\n"
    "  --json         print an object instead of a table\n"
    "  --sysroot DIR  read DIR/sys, DIR/proc and DIR/usr instead of /sys, /proc and\n"
    "                 /usr\n"
    "  --port DEVICE  also start this device for a moment (gn.port: a PCI address or\n"
    "                 a virtual device), which no node may use meanwhile, and ask its\n"
    "                 driver: queues, spread of frames, offloads, MTU\n"
    "  --workers N    workers of the node that will use it (1 to 16; default 1)\n"
    "\n"
    "Exit status: 0 nothing that gbflow needs is missing, 1 something is, or the\n"
    "device cannot be used, 2 wrong arguments.\n";

#define MOST_WORKERS 16

struct wanted {
    const char *root, *port;
    int64_t workers;
    bool is_json;
};

static int command_doctor_parse(int argc, char **argv, struct wanted *o)
{
    const struct command_option options[] = {
        {.name = "json", .flag = &o->is_json, .value = true},
        {.name = "sysroot", .text = &o->root},
        {.name = "port", .text = &o->port},
        {.name = "workers", .number = &o->workers, .min = 1, .max = MOST_WORKERS},
    };
    const struct command_parser parser = {
        .command = "doctor", .options = options, .count = sizeof(options) / sizeof(options[0])};
    return command_parse(&parser, argc, argv);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int command_doctor(int argc, char **argv)
{
    static struct findings d;
    struct wanted o = {.root = ""};
    int status = command_doctor_parse(argc, argv, &o);

    if (!command_accepted(usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("doctor", "takes options only", "");
    if (o.workers && !o.port)
        return command_wrong("doctor", "--workers needs --port", "");
    if (o.root[0] && !is_folder(o.root))
        return command_wrong("doctor", "no such folder: ", o.root);
    doctor_examine(&d, strcmp(o.root, "/") == 0 ? "" : o.root);
    capabilities_examine(&d);
    if (o.port)
        doctor_port_examine(&d, o.port, o.workers ? (unsigned)o.workers : 1);
    if (o.is_json)
        finding_print_json(&d, stdout);
    else
        finding_print(&d, stdout);
    return finding_is_usable(&d) ? COMMAND_OK : COMMAND_FAILED;
}
