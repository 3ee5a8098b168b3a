/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow sweep`: its options. */
#include "control/base/command.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"

#include "app/sweep/lua_study.h"
#include "control/base/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow sweep STUDY.lua [--out DIR] [--seeds N] [--jobs N]\n"
    "                    [--dry-run [--json]] [--spread HOW] [--executor NAME]\n"
    "                    [--profile DIR] [--environment DIR]\n"
    "\n"
    "Runs a scenario at each combination of a study's axes, with each seed\n"
    "(docs/study.md). STUDY.lua is a study, or a scenario with the key `study`, such\n"
    "as the files in config/gallery. Writes into DIR:\n"
    "\n"
    "  results.csv, results.parquet  a row for each run and figure\n"
    "  points.csv                    mean and 95 % interval of each figure over the\n"
    "                                seeds of a point\n"
    "  comparison.csv                each point less the study's baseline, paired by\n"
    "                                seed, Holm's correction\n"
    "  sweep.json                    the study, and what was run\n"
    "  report.html                   tables and plots over all runs\n"
    "  runs/                         a folder for each run\n"
    "\n"
    "Runs that an earlier call finished in DIR are kept.\n"
    "\n"
    "  --out DIR          folder for the results (out/sweep)\n"
    "  --seeds N          seeds 1 to N in place of the study's\n"
    "  --jobs N           runs at the same time (the number of processors)\n"
    "  --dry-run          check the study, print its runs, run nothing\n"
    "  --json             with --dry-run: print an object, with the labels, changes\n"
    "                     and seed of each run\n"
    "  --spread HOW       what starts the runs: snakemake (installed from PyPI into\n"
    "                     the environment, once), slurm (job arrays of sbatch), local\n"
    "                     (this program), or auto (snakemake, else local) (local)\n"
    "  --executor NAME    Snakemake's executor plugin, to run on other machines\n"
    "  --profile DIR      Snakemake's profile\n"
    "  --environment DIR  folder of the Python environment with Snakemake and pyarrow\n"
    "                     ($XDG_CACHE_HOME/gbflow/environment)\n"
    "  --no-report        write no report.html\n"
    "  --svg              draw the plots of report.html as SVG, without a script\n"
    "  --no-parquet       write no results.parquet, which needs pyarrow\n"
    "\n"
    "Exit status: 0 all runs ended, 1 a run failed, 2 wrong arguments or study.\n";

/* The study as the report program reads it: a file without a name. Its descriptor; -1, after a message. */
static int write_study(const struct lua_study *study)
{
    FILE *file = tmpfile();
    if (file)
        lua_study_write(study, file);
    if (!file || fflush(file) != 0 || fseek(file, 0, SEEK_SET) != 0) {
        command_error("sweep", "a temporary file cannot be written: %s", strerror(errno));
        return -1;
    }
    return fileno(file); /* stays open for the program that replaces this one */
}

static int sweep(const struct lua_study *study, int argc, char **argv)
{
    char path[32], option[] = "--study";
    char **words = calloc((size_t)argc + 3, sizeof(*words));
    int fd = words ? write_study(study) : -1;
    if (fd < 0) {
        free(words);
        return COMMAND_FAILED;
    }
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    memcpy(words, argv, (size_t)argc * sizeof(*words));
    words[argc] = option;
    words[argc + 1] = path;
    int status = report_become_with_program("sweep", argc + 2, words);
    free(words);
    return status;
}

/* Options of the report program that have an argument. */
static bool has_argument(const char *option)
{
    static const char *const names[] = {"--out",      "--seeds",   "--jobs",       "--spread",
                                        "--executor", "--profile", "--environment"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* The one word that is neither an option nor an option's argument; NULL: there is none. */
static const char *study_among(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            return argv[i];
        i += has_argument(argv[i]);
    }
    return NULL;
}

int command_sweep(int argc, char **argv)
{
    struct lua_study study = {0};
    const char *path = study_among(argc, argv);

    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    if (!path)
        return command_wrong("sweep", "missing STUDY.lua", "");
    lua_State *L = lua_host_new(lua_modules);
    bool is_right = L && lua_study_load(L, path, &study) && lua_study_try(&study);
    lua_host_free(L);
    int status = is_right ? sweep(&study, argc, argv) : COMMAND_USAGE;
    lua_study_free(&study);
    return status;
}
