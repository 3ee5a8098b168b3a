/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"
#include "control/base/version.h"
#include "dataplane/wire/llc_fcs.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *what;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "a scenario in virtual time: tables, plots, captures", command_run},
    {"reproduce", "the published results, checked against their bands", command_reproduce},
    {"compare", "two results of runs: what differs, and beyond the seeds' spread", command_compare},
    {"replay", "a capture of Gn through the dataplane to Gb, in virtual time", command_replay},
    {"analyze", "what a capture tells about TCP over GPRS: losses, rates, delays", command_analyze},
    {"aqm", "the schemes of active queue management: list, show, curve", command_aqm},
    {"serve", "a live node on DPDK devices", command_serve},
    {"emulate", "a live BSS with its radio and mobiles, on UDP", command_emulate},
    {"show", "what a running node knows", command_show},
    {"capture", "what a running node sends, receives and drops on Gb, into a file", command_capture},
    {"doctor", "what this machine offers, and what to do about what it lacks", command_doctor},
    {"bench", "how many N-PDUs a second this machine carries", command_bench},
    {"fields", "unit and meaning of each field of the reports", command_fields},
    {"check", "is a configuration file right?", command_check},
};

#define COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fprintf(out,
            "gbflow %s: the downlink user plane of a 2G SGSN\n\n"
            "usage: gbflow COMMAND ...\n"
            "       gbflow --version | -V\n\n",
            version_text());
    for (size_t i = 0; i < COUNT; i++)
        fprintf(out, "  %-9s  %s\n", commands[i].name, commands[i].what);
    fputs(
        "\ngbflow COMMAND --help tells more. Exit status: 0 success, 1 the run failed, 2 wrong arguments or "
        "configuration.\n",
        out);
}

/* A table that could not be written is a failure too. */
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("gbflow: standard output cannot be written\n", stderr);
    return status == COMMAND_OK ? COMMAND_FAILED : status;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return COMMAND_OK;
    }
    if (argc >= 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("gbflow %s\n", version_text());
        return COMMAND_OK;
    }
    for (size_t i = 0; argc >= 2 && i < COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            llc_fcs_init();
            return flushed(commands[i].run(argc - 1, argv + 1));
        }
    }
    if (argc >= 2)
        fprintf(stderr, "gbflow: there is no command '%s'\n\n", argv[1]);
    print_usage(stderr);
    return COMMAND_USAGE;
}
