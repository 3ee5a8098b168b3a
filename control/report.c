/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM   "gbflow-report.pyz"
#define ARGUMENTS 64

/* The packed program lies beside this one. */
static bool find_program(char out[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t octets = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (octets < 0)
        return false;
    self[octets] = 0;
    char *slash = strrchr(self, '/');
    if (!slash || (size_t)(slash - self) + sizeof(PROGRAM) + 1 > PATH_MAX)
        return false;
    *slash = 0;
    return snprintf(out, PATH_MAX, "%s/%s", self, PROGRAM) < PATH_MAX && access(out, R_OK) == 0;
}

int report_become(char *const *arguments, unsigned count)
{
    char program[PATH_MAX], python[] = "python3";
    char *argv[ARGUMENTS + 3] = {python, program};

    if (!find_program(program)) {
        fprintf(stderr, "gbflow: %s is not beside the program\n", PROGRAM);
        return 1;
    }
    if (count > ARGUMENTS) {
        fprintf(stderr, "gbflow: too many arguments\n");
        return 2;
    }
    for (unsigned i = 0; i < count; i++)
        argv[2 + i] = arguments[i];
    execvp(python, argv);
    fprintf(stderr, "gbflow: python3: %s\n", strerror(errno));
    return 1;
}

bool report_make_run(const char *folder)
{
    char command[] = "run", path[PATH_MAX];
    char *arguments[] = {command, path};
    int status;

    snprintf(path, sizeof(path), "%s", folder);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(report_become(arguments, 2));
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "gbflow: the report was not made (--no-report leaves it out)\n");
        return false;
    }
    return true;
}
