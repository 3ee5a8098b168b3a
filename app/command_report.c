/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of the report program (python/): compare, figure, top, lab, reproduce, rerun. Their help is
 * here. */
#include "control/base/command.h"
#include "control/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS 16

static const char usage[] =
    "usage: gbflow compare A B [--figure NAME]... [--json FILE] [--out DIR [--svg]]\n"
    "                      [--all]\n"
    "\n"
    "Prints for each figure of two results both means, the difference in percent with\n"
    "its 95 % interval, and whether a t test shows it. Runs with equal seeds are\n"
    "compared in pairs; Holm's correction keeps the chance of any false finding at\n"
    "5 %. A and B: a folder or summary.json that gbflow run wrote; a folder of such\n"
    "folders with different seeds; NAME for the folders NAME-seed1, NAME-seed2, ...;\n"
    "or a folder that gbflow reproduce wrote.\n"
    "\n"
    "  --figure NAME  judge only figures of this name; * stands for any characters;\n"
    "                 repeat for several names\n"
    "  --json FILE    also write all rows to FILE\n"
    "  --out DIR      draw both over each other (delays, throughput, page times,\n"
    "                 pings, differences): DIR/report.html, and DIR/comparison.json\n"
    "                 for gbflow figure\n"
    "  --svg          draw the plots of report.html as SVG, without a script\n"
    "  --all          also judge the figures of each mobile, and print equal figures\n"
    "\n"
    "Exit status: 0 compared, 1 the results cannot be read or are of different shape,\n"
    "2 wrong arguments, or nothing is there.\n";

/* The report program's command of this name, which does not start this program; --help is answered here. */
static int become(char *name, const char *usage_text, int argc, char **argv)
{
    char *arguments[ARGUMENTS] = {name};

    if (command_asks_help(argc, argv)) {
        fputs(usage_text, stdout);
        return COMMAND_OK;
    }
    if (argc > ARGUMENTS) {
        fprintf(stderr, "gbflow %s: too many arguments\n", name);
        return COMMAND_USAGE;
    }
    for (int i = 1; i < argc; i++)
        arguments[i] = argv[i];
    return report_become(arguments, (unsigned)argc);
}

int command_compare(int argc, char **argv)
{
    static char command[] = "compare";
    return become(command, usage, argc, argv);
}

static const char command_figure_usage[] =
    "usage: gbflow figure RESULT NAME --out FILE [--width WIDTH]\n"
    "       gbflow figure RESULT --figures DIR [--format FORMAT] [--width WIDTH]\n"
    "       gbflow figure [RESULT] --list\n"
    "\n"
    "Draws a figure of a result, or all of them, as files for paper: as wide as a\n"
    "column, text of 7 points or more, fonts embedded, curves told apart by dashes\n"
    "and markers. RESULT is a folder that gbflow run, gbflow sweep, gbflow compare\n"
    "--out or gbflow analyze --out wrote. A file has no date; its metadata have the\n"
    "commands and commits of the result and of the figure. Needs matplotlib\n"
    "(python3-matplotlib).\n"
    "\n"
    "  --out FILE       its ending is its format: .pdf, .svg or .png\n"
    "  --figures DIR    write all figures into DIR, each as NAME.FORMAT\n"
    "  --format FORMAT  of --figures: pdf, svg or png (pdf)\n"
    "  --width WIDTH    of the figure, as 8.5cm, 85mm or 3.35in, from 5 to 60 cm\n"
    "                   (8.5cm)\n"
    "  --list           print the names of the figures: those of RESULT, or those of\n"
    "                   each kind of result\n"
    "\n"
    "Exit status: 0 drawn, 1 the result cannot be read, 2 wrong arguments, no such\n"
    "result or figure, or matplotlib is missing.\n";

int command_figure(int argc, char **argv)
{
    static char command[] = "figure";
    return become(command, command_figure_usage, argc, argv);
}

static const char command_top_usage[] =
    "usage: gbflow top [--prefix NAME | DIR [--at SECONDS]] [--interval SECONDS]\n"
    "                  [--once] [--table NAME] [--sort COLUMN [--reverse]]\n"
    "                  [--filter TEXT] [--columns LIST]\n"
    "\n"
    "A screen of text with the queues, buckets, rates and drops of a node (gbflow\n"
    "serve) or a BSS (gbflow emulate) that runs, or of a recorded run at any of its\n"
    "instants. Keys: h (help) lists them, q quits.\n"
    "\n"
    "  --prefix NAME       eal.prefix of the node, or --prefix of gbflow emulate (the\n"
    "                      only one)\n"
    "  DIR                 a folder that gbflow run wrote, in place of what runs\n"
    "  --at SECONDS        instant of the run at the start (0)\n"
    "  --interval SECONDS  time between two readings, 0.1 to 3600; of a run, between\n"
    "                      two samples while it plays (1)\n"
    "  --once              print one screen as text and end; also where input or\n"
    "                      output is no terminal. COLUMNS and LINES limit it\n"
    "  --table NAME        begin with this table: cells, mobiles, classes, drops, ...\n"
    "                      (overview)\n"
    "  --columns LIST      only these columns of it, by their names, separated by\n"
    "                      commas (all)\n"
    "  --sort COLUMN       begin with the greatest of a column, by its name; an\n"
    "                      unknown name lists them\n"
    "  --reverse           begin with the smallest\n"
    "  --filter TEXT       only rows with all these words: TLLI, IMSI, cell, class\n"
    "\n"
    "Exit status: 0 success, 1 nothing runs there or it is no run's folder, 2 wrong\n"
    "arguments, or no folder.\n";

int command_top(int argc, char **argv)
{
    static char command[] = "top";
    if (command_process())
        setenv("GBFLOW_CONSOLE", command_process(), 1); /* python/gbflow_top/cli.py */
    return become(command, command_top_usage, argc, argv);
}

static const char head[] =
    "usage: gbflow lab up [--mobiles NAMES | --phones [COUNT]] [--pool NODES]\n"
    "                     [--bss BSS] [--rlc-loss PERCENT] [--reliability CLASS]\n"
    "                     [--coding SCHEME] [--multislot CLASS] [--compression]\n"
    "                     [--esp] [--install] [--name LAB]\n"
    "       gbflow lab status [--json] [--name LAB]\n"
    "       gbflow lab down [--name LAB]\n"
    "       gbflow lab phone [--name LAB] N on|off\n"
    "       gbflow lab restart [--name LAB] NODE\n"
    "       gbflow lab allow-attach [--name LAB] NODE yes|no\n"
    "       gbflow lab shell [--name LAB] NAME [COMMAND...]\n"
    "       gbflow lab capture [FILE.pcapng] [--seconds N] [--interfaces NAMES]\n"
    "                          [--name LAB]\n"
    "\n"
    "A lab on this machine (docs/lab.md): osmo-ggsn, gbflow serve and gbflow emulate\n"
    "in network namespaces, with configurations that fit each other. Each mobile is a\n"
    "host: its packets go over the emulated radio, Gb, the node and GTP-U to a web\n"
    "server at 203.0.113.1. Needs root and osmo-ggsn. A look at the machine comes\n"
    "first and names all that is missing; a ping of the first mobile comes last.\n"
    "\n"
    "With --phones the lab has phones that attach, are authenticated by osmo-hlr,\n"
    "ciphered with GEA/3, and activate a context. Their host is the namespace\n"
    "LAB-phones, which has the address of each phone. Needs osmo-hlr, too.\n"
    "\n"
    "With --pool the phones are served by a pool of nodes, node1, node2 and so on,\n"
    "behind a Gb proxy (docs/pool.md): osmo-gbproxy where PATH has it, else one of\n"
    "this program.\n"
    "\n";
static const char tail[] =
    "\n"
    "  --mobiles NAMES  names of the mobiles, separated by commas (anna,bert)\n"
    "  --phones COUNT   number of phones, 1 to 200, which attach instead (2; of a\n"
    "                   pool 2 for each node)\n"
    "  --pool NODES     number of nodes, 2 to 8, with phones (one node without a\n"
    "                   proxy)\n"
    "  --bss BSS        emulate: gbflow emulate; osmo-pcu: the real osmo-pcu over a\n"
    "                   BTS and a radio in a program, at most 16 mobiles or phones\n"
    "                   (emulate)\n"
    "  --rlc-loss PERCENT  with osmo-pcu: share of RLC data blocks, both ways, that\n"
    "                   are lost although they are acknowledged, as in RLC\n"
    "                   unacknowledged mode (0)\n"
    "  --reliability CLASS  with osmo-pcu: class, 1 to 5, that phones ask for; LLC is\n"
    "                   acknowledged if the node grants 1 or 2 (the subscribed one)\n"
    "  --coding SCHEME  with osmo-pcu: the best of the air, CS-1 to CS-4, or of EGPRS\n"
    "                   with phones, MCS-1 to MCS-9 (CS-4)\n"
    "  --multislot CLASS  with osmo-pcu and phones: their class, 1 to 12, as many\n"
    "                   timeslots as it has (one timeslot)\n"
    "  --compression    mobiles or phones offer RFC 1144 and V.42bis, and the node\n"
    "                   accepts them; not with osmo-pcu (docs/compression.md)\n"
    "  --esp            Gn and Gb are in ESP (docs/esp.md), with keys of strongSwan,\n"
    "                   one daemon each for node, GGSN and BSS; needs charon-systemd\n"
    "                   and a kernel with ESP; not with --pool\n"
    "  --install        install the Debian packages that are missing; ping and curl,\n"
    "                   too\n"
    "  --seconds N      end the capture after N seconds (at Ctrl-C)\n"
    "  --interfaces NAMES  what is captured, separated by commas: Gb, Gn, Gi, a\n"
    "                   mobile's name, phones (Gb,Gn)\n"
    "  --json           status as an object\n"
    "  --name LAB       name of the lab, for several beside each other (gbflow-lab)\n"
    "\n"
    "Configurations, logs and reports are in /run/LAB.\n"
    "Exit status: 0 success, 1 the lab did not come up, or a program of it has ended,\n"
    "2 wrong arguments.\n";

int command_lab(int argc, char **argv)
{
    static const struct command_mode modes[] = {
        {"up", "make the namespaces, start the programs, say what to type next"},
        {"status", "print which programs run, and the mobiles"},
        {"shell", "a shell, or one command, of a mobile, of phones, or a side: ggsn, bss, node"
                  ", ike"
                  "; of a pool "
                  "node1, hlr, proxy"},
        {"phone", "switch a phone on or off, by its number from 1 on, and wait for its context"},
        {"restart", "end a node of a pool, and start it with its configuration of now"},
        {"allow-attach", "whether the Gb proxy gives a node of a pool the phones that have no node"},
        {"capture", "packets of Gb and Gn, into Wireshark where there is a desktop, else into a file"},
        {"down", "end the programs, delete the namespaces"},
    };
    const struct command_modes m = {.command = "lab",
                                    .noun = "PART",
                                    .head = head,
                                    .tail = tail,
                                    .modes = modes,
                                    .count = sizeof(modes) / sizeof(modes[0])};
    unsigned mode;
    int status;

    if (argc > 1 && strcmp(argv[1], "shell") != 0 && command_asks_help(argc, argv)) {
        command_print_modes(&m);
        return COMMAND_OK;
    }
    if (!command_find_mode(&m, argc, argv, &mode, &status))
        return status;
    return report_become_with_program("lab", argc, argv);
}

/* The report program's command of this name; --help is answered here. */
static int become_or_help(const char *name, const char *usage_text, int argc, char **argv)
{
    if (command_asks_help(argc, argv)) {
        fputs(usage_text, stdout);
        return COMMAND_OK;
    }
    return report_become_with_program(name, argc, argv);
}

static const char command_reproduce_usage[] =
    "usage: gbflow reproduce [P1|P2|P3|P4|P5|own|search|points|ablation|narrow|radio|\n"
    "                        llc|compression|relocation|all]\n"
    "                        [--seeds N] [--jobs N] [--out DIR] [--scenarios DIR]\n"
    "                        [--sensitivity] [--markdown FILE [--tables NAMES]]\n"
    "                        [--spread HOW] [--executor NAME] [--profile DIR]\n"
    "                        [--environment DIR] [--pdf FILE] [--points NAMES]\n"
    "                        [--cases NAMES]\n"
    "\n"
    "Runs the scenarios of published results, or of gbflow's own studies (own,\n"
    "search, points, ablation, narrow, radio, llc, compression, relocation; not part\n"
    "of all), and checks each figure against its band. Writes into DIR:\n"
    "reproduction.json with each figure, measured and published, and report.html with\n"
    "the papers' figures redrawn. Runs that an earlier call finished in DIR are kept.\n"
    "\n"
    "  --seeds N        seeds per variant; a band is checked on the median over seeds\n"
    "                   (5; ablation: 10)\n"
    "  --points NAMES   ablation, points: these points only; names or patterns,\n"
    "                   separated by commas\n"
    "  --cases NAMES    ablation: these combinations at each point (all at the grid,\n"
    "                   some at the others)\n"
    "  --jobs N         runs at the same time (the number of processors)\n"
    "  --out DIR        folder for the results (out/reproduce)\n"
    "  --scenarios DIR  folder of the scenario files (config/scenarios of the current\n"
    "                   folder, else the installed ones, else those of the tree that\n"
    "                   the program was built in)\n"
    "  --sensitivity    run P1, P2 and own also with each assumption varied over its\n"
    "                   range, one at a time\n"
    "  --spread HOW     what starts the runs: snakemake (installed from PyPI into the\n"
    "                   environment, once), slurm (job arrays of sbatch), local (this\n"
    "                   program), or auto (snakemake, else local) (auto)\n"
    "  --executor NAME  Snakemake's executor plugin, to run on other machines\n"
    "  --profile DIR    Snakemake's profile\n"
    "  --environment DIR  folder of the Python environment with Snakemake\n"
    "                   ($XDG_CACHE_HOME/gbflow/environment)\n"
    "  --svg            draw the plots of report.html as SVG, without a script\n"
    "  --markdown FILE  write tables with command, commit and date: into a page,\n"
    "                   between the lines <!-- begin measured: gbflow reproduce NAME\n"
    "                   --> and <!-- end measured -->; into a new file; to stdout (-)\n"
    "  --tables NAMES   tables for a new file or stdout, separated by commas (all);\n"
    "                   an unknown name lists them. NAME:PATTERN has the rows whose\n"
    "                   names match. A line in a page has its own --tables\n"
    "  --pdf FILE       write the study own as a paper, with its plots; needs the\n"
    "                   program weasyprint (Debian package weasyprint). With\n"
    "                   --sensitivity it has the table of the variations\n"
    "\n"
    "Exit status: 0 no figure is missed (docs/run.md: verdicts), 1 one is or a run\n"
    "failed, 2 wrong arguments.\n";

int command_reproduce(int argc, char **argv)
{
    return become_or_help("reproduce", command_reproduce_usage, argc, argv);
}

static const char command_rerun_usage[] =
    "usage: gbflow rerun DIR [--out DIR]\n"
    "\n"
    "Plays a run again from DIR/provenance.json, which gbflow run wrote: the\n"
    "scenario's text of that time, its seed and its --set. Prints for each result\n"
    "file whether it has the same octets as before.\n"
    "\n"
    "  --out DIR  keep the new results there (default: they are removed)\n"
    "\n"
    "Exit status: 0 all results are equal, 1 one differs or the run failed, 2 wrong\n"
    "arguments, or no such run.\n";

int command_rerun(int argc, char **argv)
{
    return become_or_help("rerun", command_rerun_usage, argc, argv);
}
