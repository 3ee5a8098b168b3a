/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/report.h"

#include "control/base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM   "gbflow-report.pyz"
#define ARGUMENTS 64

enum { LIMIT_SECONDS = 1200 }; /* a page takes seconds */

/* Paths of the packed program relative to the folder of gbflow: in a build folder, installed. */
static const char *const places[] = {PROGRAM, "../share/gbflow/" PROGRAM, NULL};

/* The folder that this program lies in, with a slash. */
static bool find_folder(char out[PATH_MAX])
{
    ssize_t octets = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (octets < 0)
        return false;
    out[octets] = 0;
    char *slash = strrchr(out, '/');
    if (slash)
        slash[1] = 0;
    return slash;
}

bool report_find(const char *const *files, char out[PATH_MAX])
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!find_folder(folder))
        return false;
    for (; *files; files++) {
        snprintf(path, sizeof(path), "%s%s", folder, *files);
        if (access(path, R_OK) == 0 && realpath(path, out))
            return true;
    }
    return false;
}

/* The command of this process, as a shell takes it; NULL: it was not told. */
static char *own_command;

/* In quotes where a shell would read it otherwise. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\"'\"'" : (const char[]){*word, 0}, out);
    fputc('\'', out);
}

void report_command(int argc, char *const *argv)
{
    size_t octets;
    FILE *out = open_memstream(&own_command, &octets);
    if (!out)
        return;
    fputs("gbflow", out);
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        put_word(out, argv[i]);
    }
    fclose(out);
}

/* Pages and figures name what made them. */
static void tell_origin(void)
{
    setenv("GBFLOW_COMMIT", command_commit(), 1);
    if (own_command)
        setenv("GBFLOW_COMMAND", own_command, 1);
}

/* Python imports from the folders that the variable names. Those of an empty or relative name lie in the
 * current folder, which may have files of others: they are left out. */
static void keep_absolute(const char *variable)
{
    const char *given = getenv(variable);
    char *kept = given ? calloc(1, strlen(given) + 1) : NULL, *end = kept;
    if (!kept) {
        unsetenv(variable);
        return;
    }
    for (const char *at = given; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        if (*at != '/')
            continue;
        if (end > kept)
            *end++ = ':';
        end = mempcpy(end, at, strcspn(at, ":"));
    }
    setenv(variable, kept, 1);
    free(kept);
}

int report_become(char *const *arguments, unsigned count)
{
    char program[PATH_MAX], python[] = "python3";
    char *argv[ARGUMENTS + 3] = {python, program};

    if (!report_find(places, program)) {
        fprintf(stderr, "gbflow: %s is neither beside the program nor in ../share/gbflow\n", PROGRAM);
        return 1;
    }
    if (count > ARGUMENTS) {
        fprintf(stderr, "gbflow: too many arguments\n");
        return 2;
    }
    for (unsigned i = 0; i < count; i++)
        argv[2 + i] = arguments[i];
    /* Python would answer it with a traceback while it starts: python/main.py unblocks it. */
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    tell_origin();
    keep_absolute("PYTHONPATH");
    execvp(python, argv);
    fprintf(stderr, "gbflow: python3: %s\n", strerror(errno));
    return 1;
}

int report_become_with_program(const char *command, int argc, char **argv)
{
    char self[PATH_MAX], name[32], option[] = "--gbflow";
    char *arguments[ARGUMENTS] = {name};
    unsigned count = 1;

    ssize_t octets = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (octets < 0 || argc > ARGUMENTS - 4) {
        fprintf(stderr, "gbflow %s: too many arguments\n", command);
        return 2;
    }
    self[octets] = 0;
    snprintf(name, sizeof(name), "%s", command);
    for (int i = 1; i < argc; i++)
        arguments[count++] = argv[i];
    arguments[count++] = option;
    arguments[count++] = self;
    return report_become(arguments, count);
}

/* The child ends with this program, and at the limit of time, which lasts beyond exec(). */
static void bind_child(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGALRM, SIG_DFL);
    alarm(LIMIT_SECONDS);
}

/* The report is written also where standard output is closed (app/main.c), which this program fails by. */
static void open_closed_output(void)
{
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
}

bool report_call(char *const *arguments, unsigned count)
{
    int status;
    fflush(NULL);
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        bind_child(self);
        open_closed_output();
        _exit(report_become(arguments, count));
    }
    bool has_ended = child > 0 && waitpid(child, &status, 0) == child;
    if (has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    int ended_by = has_ended && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (ended_by == SIGPIPE)
        raise(SIGPIPE); /* this program has the same reader */
    if (ended_by == SIGALRM)
        fprintf(stderr, "gbflow: no report was written: the report program was ended after %d s\n",
                LIMIT_SECONDS);
    else
        fputs("gbflow: no report was written: the report program failed\n", stderr);
    return false;
}

bool report_make(const char *kind, const char *path, bool is_static)
{
    char command[32], argument[PATH_MAX], option[] = "--svg";
    char *arguments[] = {command, argument, option};

    snprintf(command, sizeof(command), "%s", kind);
    snprintf(argument, sizeof(argument), "%s", path);
    if (report_call(arguments, is_static ? 3 : 2))
        return true;
    fputs("gbflow: with --no-report no report is written\n", stderr);
    return false;
}
