/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: the table of subcommands, and options that all have. */
#include "app/esp/esp.h"
#include "control/base/command.h"
#include "control/base/report.h"
#include "control/config/plugin_folder.h"
#include "control/lua/lua_host.h"
#include "dataplane/wire/llc_fcs.h"

#include <errno.h>
#include <fcntl.h>
#include <rte_version.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command_row commands[] = {
    {"run", "play a scenario in virtual time: tables, plots, captures", command_run, false},
    {"sweep", "run a scenario over the axes of a study", command_sweep, false},
    {"rerun", "play a run again: are its results the same octets?", command_rerun, false},
    {"reproduce", "run scenarios of published results, check figures by bands", command_reproduce, false},
    {"compare", "compare two results: which figures differ by more than chance", command_compare, false},
    {"figure", "draw the figures of a result into files for paper", command_figure, false},
    {"replay", "send a capture of Gn through the dataplane in virtual time", command_replay, false},
    {"analyze", "measure TCP over GPRS in captures: losses, rates, delays", command_analyze, false},
    {"aqm", "list, describe and plot schemes of active queue management", command_aqm, false},
    {"serve", "run a live SGSN on DPDK devices", command_serve, false},
    {"emulate", "run an emulated BSS with its radio and mobiles, Gb over UDP", command_emulate, false},
    {"lab", "bring up a GGSN, a node, a BSS and mobiles on this machine", command_lab, false},
    {"show", "print a table of a running node: mobiles, cells, drops, ...", command_show, true},
    {"top", "the queues of a node, a BSS or a recorded run on a screen", command_top, true},
    {"capture", "write Gb frames of a running node, and its drops, to a file", command_capture, true},
#include "app/esp/commands.def"
    {"console", "type commands for a running node, or read them from a file", command_console, false},
    {"log", "print or change levels of a running node's log, or follow it", command_log, true},
    {"reload", "apply the changed configuration file to a running node", command_reload, true},
    {"restart-control", "restart a node's control plane while its workers forward", command_restart_control,
     true},
    {"page", "page one mobile of a running node", command_page, true},
    {"detach", "detach one phone of a running node", command_detach, true},
    {"deactivate", "deactivate PDP contexts of one phone of a running node", command_deactivate, true},
    {"forget", "forget one phone of a running node, without a message to it", command_forget, true},
    {"offload", "have phones of a running node go to other SGSNs of its pool", command_offload, true},
    {"drain", "wait until no phone of a running node is left", command_drain, true},
    {"nsvc", "reset, block or unblock one NS-VC of a running node", command_nsvc, true},
    {"bvc", "reset one cell of a running node, or send nothing there", command_bvc, true},
    {"doctor", "test whether this machine meets gbflow's needs, and advise", command_doctor, false},
    {"bench", "measure throughput, loss and latency on this machine", command_bench, false},
    {"fields", "list the fields of the reports with unit and meaning", command_fields, false},
    {"check", "validate configuration files", command_check, false},
    {"import-osmo", "make a node's configuration of one of osmo-sgsn", command_import_osmo, false},
    {"completion", "print a script that completes gbflow's words in a shell", command_completion, false},
};

#define COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fprintf(out,
            "gbflow %s: a 2G SGSN that controls its queues\n\n"
            "usage: gbflow COMMAND ... [--plugins DIR]\n"
            "       gbflow help [COMMAND]\n"
            "       gbflow --version | -V\n\n"
            "  --plugins DIR  folder of AQM plug-ins that configurations may name\n\n",
            command_version());
    for (size_t i = 0; i < COUNT; i++)
        fprintf(out, "  %-15s  %s\n", commands[i].name, commands[i].what);
    fputs("\nOptions of a command: gbflow COMMAND --help.\n"
          "Exit status: 0 success, 1 the run failed, 2 wrong arguments or configuration.\n",
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

static void print_unknown(const char *word)
{
    struct words words = {.count = 0};
    for (size_t i = 0; i < COUNT; i++)
        words_add(&words, commands[i].name);
    words_add(&words, "help");
    const char *nearest = words_nearest(&words, word);
    if (nearest)
        command_error("", "unknown command '%s'; did you mean '%s'?", word, nearest);
    else
        command_error("", "unknown command '%s'; gbflow --help lists all commands", word);
}

/* A table that could not be written is a failure too. */
static int flushed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE) /* of a command that ignores the signal */
        return status == COMMAND_OK ? COMMAND_FAILED : status;
    fputs("gbflow: cannot write to standard output\n", stderr);
    return status == COMMAND_OK ? COMMAND_FAILED : status;
}

static int call(const struct command_row *row, int argc, char **argv)
{
    llc_fcs_init();
    return flushed(row->run(argc, argv));
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
 * stream. A closed standard output is open for reading only, so that writing fails. */
static void open_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

/* Makes "help COMMAND MODE" "COMMAND MODE --help", and "help" alone "--help". */
static void take_help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 2 || strcmp(argv[1], "help") != 0)
        return;
    for (int i = 2; i < argc; i++)
        argv[i - 1] = argv[i];
    argv[argc - 1] = option;
    if (argc > 2 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0))
        argv[1] = option;
}

/* The versions that a report of a defect needs (CONTRIBUTING.md). */
static void print_version(void)
{
    const char *commit = command_commit();
    printf("gbflow %s\ncommit %s\n%s\n%s\nlicence BSD-3-Clause, without warranty\n", command_version(),
           commit[0] ? commit : "unknown", rte_version(), lua_host_version());
}

/* --version or -V in the place of a command, of a command's first word, or of a mode's. */
static bool asks_version(int argc, char **argv)
{
    for (int i = 1; i < argc && i <= 3; i++) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
            return true;
        if (i > 1 && (argv[i][0] == '-' || strcmp(argv[i], "shell") == 0))
            return false;
    }
    return false;
}

int main(int argc, char **argv)
{
    open_streams();
    report_command(argc, argv);
    signal(SIGXFSZ, SIG_IGN); /* a file above RLIMIT_FSIZE is an error of the write */
    signal(SIGPIPE, SIG_DFL); /* a reader that has gone ends a command without a word */
    if (!take_plugins(&argc, argv)) {
        fputs("gbflow: --plugins needs an argument\n", stderr);
        return COMMAND_USAGE;
    }
    take_help(argc, argv);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return flushed(COMMAND_OK);
    }
    if (asks_version(argc, argv)) {
        print_version();
        return flushed(COMMAND_OK);
    }
    for (size_t i = 0; argc >= 2 && i < COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            command_set_table(&(struct command_table){.rows = commands, .count = COUNT, .call = call});
            return call(&commands[i], argc - 1, argv + 1);
        }
    }
    if (argc >= 2)
        print_unknown(argv[1]);
    else
        print_doors(stderr);
    return COMMAND_USAGE;
}
