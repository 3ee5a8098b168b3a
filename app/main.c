/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: the table of subcommands, and options that all have. */
#include "control/base/command.h"
#include "control/base/report.h"
#include "control/config/plugin_folder.h"
#include "dataplane/wire/llc_fcs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *what;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "play a scenario in virtual time: tables, plots, captures", command_run},
    {"sweep", "run a scenario over the axes of a study", command_sweep},
    {"rerun", "play a run again: are its results the same octets?", command_rerun},
    {"reproduce", "run the scenarios of published results and check each figure against its band",
     command_reproduce},
    {"compare", "compare two results: which figures differ by more than chance", command_compare},
    {"replay", "send a capture of Gn through the dataplane to Gb, in virtual time", command_replay},
    {"analyze", "measure TCP over GPRS in captures of Gi or Gn: losses, rates, delays", command_analyze},
    {"aqm", "list, describe and plot the schemes of active queue management", command_aqm},
    {"serve", "run a live SGSN on DPDK devices", command_serve},
    {"emulate", "run an emulated BSS with its radio and mobiles, Gb over UDP", command_emulate},
    {"lab", "bring up a GGSN, a live node and a BSS with mobiles on this machine", command_lab},
    {"show", "print a table of a running node: mobiles, cells, drops, ...", command_show},
    {"top", "the queues of a running node or BSS, or of a recorded run, as a screen of text", command_top},
    {"capture", "write the Gb frames of a running node, and its drops, to a file", command_capture},
    {"restart-control", "restart the control plane of a running node, while its workers forward",
     command_restart_control},
    {"doctor", "test whether this machine meets gbflow's needs; print remedies", command_doctor},
    {"bench", "measure throughput, loss and latency on this machine", command_bench},
    {"fields", "list the fields of the reports with unit and meaning", command_fields},
    {"check", "validate configuration files", command_check},
    {"completion", "print a script that completes gbflow's words in a shell", command_completion},
};

#define COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fprintf(out,
            "gbflow %s: a 2G SGSN that controls its queues\n\n"
            "usage: gbflow COMMAND ... [--plugins DIR]\n"
            "       gbflow --version | -V\n\n"
            "  --plugins DIR  folder of AQM plug-ins that configurations may name\n\n",
            command_version());
    for (size_t i = 0; i < COUNT; i++)
        fprintf(out, "  %-15s  %s\n", commands[i].name, commands[i].what);
    fputs("\nOptions of a command: gbflow COMMAND --help. Exit status: 0 success, 1 the run failed, 2 wrong "
          "arguments or "
          "configuration.\n",
          out);
}

/* Where a person may begin, with commands that work from the root of the tree and from a package. */
static void print_doors(FILE *out)
{
    static const char *const places[] = {"../share/gbflow/scenarios/quickstart.lua",
                                         "../config/scenarios/quickstart.lua", NULL};
    const char *quickstart = "config/scenarios/quickstart.lua";
    char found[PATH_MAX];
    if (access(quickstart, R_OK) != 0 && report_find(places, found))
        quickstart = found;
    fprintf(out,
            "gbflow %s: a 2G SGSN that controls its queues\n\n"
            "  Study queues, TCP and flow control in GPRS, in virtual time:\n\n"
            "      gbflow run %s\n\n"
            "  Run a 2G network on this machine, with a GGSN, a BSS and mobiles (as root):\n\n"
            "      gbflow lab up\n\n"
            "  Measure how many packets a second this machine carries:\n\n"
            "      gbflow bench preloaded --octets 64,1400 --mobiles 1000\n\n"
            "gbflow --help lists all commands, gbflow COMMAND --help its options.\n",
            command_version(), quickstart);
}

/* Insertions, deletions, replacements and swaps of neighbours between two words; a word longer than a row is
 * far away. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 24 };
    unsigned rows[3][LONGEST + 1], n = (unsigned)strlen(a), m = (unsigned)strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (unsigned i = 0; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            unsigned least = above[j - 1] + (a[i - 1] != b[j - 1]);
            least = least <= above[j] ? least : above[j] + 1;
            least = least <= row[j - 1] ? least : row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && second[j - 2] + 1 < least)
                least = second[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[n % 3][m];
}

static void print_unknown(const char *word)
{
    size_t best = 0;
    for (size_t i = 1; i < COUNT; i++)
        if (distance(word, commands[i].name) < distance(word, commands[best].name))
            best = i;
    if (distance(word, commands[best].name) <= 2)
        command_error("", "unknown command '%s'; did you mean '%s'?", word, commands[best].name);
    else
        command_error("", "unknown command '%s'; gbflow --help lists all commands", word);
}

/* A table that could not be written is a failure too. */
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("gbflow: cannot write to standard output\n", stderr);
    return status == COMMAND_OK ? COMMAND_FAILED : status;
}

/* Takes --plugins DIR, an option of all commands, out of the arguments. False: DIR is missing. */
static bool take_plugins(int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--plugins") != 0)
            argv[kept++] = argv[i];
        else if (++i < *argc)
            plugin_folder_set(argv[i]);
        else
            return false;
    }
    *argc = kept;
    argv[kept] = NULL;
    return true;
}

/* A standard stream that is closed would be the next file that is opened, and get what is meant for the
 * stream. */
static void open_streams(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv)
{
    open_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file above RLIMIT_FSIZE is an error of the write */
    if (!take_plugins(&argc, argv)) {
        fputs("gbflow: --plugins needs an argument\n", stderr);
        return COMMAND_USAGE;
    }
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return flushed(COMMAND_OK);
    }
    if (argc >= 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("gbflow %s\n", command_version());
        return flushed(COMMAND_OK);
    }
    for (size_t i = 0; argc >= 2 && i < COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            llc_fcs_init();
            return flushed(commands[i].run(argc - 1, argv + 1));
        }
    }
    if (argc >= 2)
        print_unknown(argv[1]);
    else
        print_doors(stderr);
    return COMMAND_USAGE;
}
