/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/slices_process.h"

#include "bench/throughput/console.h"
#include "bench/throughput/fault.h"
#include "bench/throughput/slices.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ, WRITE };

static void become(const char *path, struct bench_arguments *a, const int *to, const int *from)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(to[READ], STDIN_FILENO);
    dup2(from[WRITE], STDOUT_FILENO);
    execvp(path, a->list);
    bench_error("%s: %s", path, strerror(errno));
    _exit(127);
}

bool bench_slices_process_start(struct bench_slices_process *p, const char *path, struct bench_arguments *a)
{
    int to[2], from[2];
    *p = (struct bench_slices_process){.path = path};
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0) {
        bench_error("%s cannot be started: %s", path, strerror(errno));
        return false;
    }
    signal(SIGPIPE, SIG_IGN); /* reading its answers shows that a process has ended */
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0)
        become(path, a, to, from);
    close(to[READ]);
    close(from[WRITE]);
    p->to = fdopen(to[WRITE], "w");
    p->from = fdopen(from[READ], "r");
    return p->pid > 0 && p->to && p->from;
}

bool bench_slices_process_wait(struct bench_slices_process *p)
{
    char line[80];
    if (fgets(line, sizeof(line), p->from) && strcmp(line, BENCH_SLICES_HELLO "\n") == 0)
        return true;
    bench_error("%s: does not start, or does not know `bench slices`: is it a gbflow?", p->path);
    return false;
}

void bench_slices_process_order(struct bench_slices_process *p, int64_t at_ns, unsigned windows)
{
    fprintf(p->to, "slice %" PRId64 " %u\n", at_ns, windows);
    fflush(p->to);
}

static bool take_line(struct bench_slices_process *p, unsigned windows, double *ns)
{
    char text[32];
    for (unsigned i = 0; i < windows; i++) {
        if (fscanf(p->from, "%31s", text) != 1)
            return false;
        ns[i] = strcmp(text, "-") == 0 ? 0 : strtod(text, NULL);
    }
    return true;
}

bool bench_slices_process_take(struct bench_slices_process *p, unsigned workers, unsigned windows, double *ns)
{
    for (unsigned i = 0; i < workers; i++)
        if (!take_line(p, windows, ns + (size_t)i * windows)) {
            bench_error("%s: ended before all slices were measured", p->path);
            return false;
        }
    return true;
}

bool bench_slices_process_finish(struct bench_slices_process *p)
{
    char word[16] = "", rest[BENCH_FAULT_CHARS] = "";
    fclose(p->to);
    p->to = NULL;
    int words = fscanf(p->from, "%15s %383[^\n]", word, rest);
    bench_slices_process_stop(p);
    if (words >= 1 && strcmp(word, "end") == 0)
        return true;
    bench_error("%s: %s", p->path, words == 2 ? rest : "ended without a result");
    return false;
}

void bench_slices_process_stop(struct bench_slices_process *p)
{
    if (p->to)
        fclose(p->to);
    if (p->from)
        fclose(p->from);
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    *p = (struct bench_slices_process){.path = p->path};
}
