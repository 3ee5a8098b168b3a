/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/process_log.h"
#include "bench/throughput/console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUFFIX     ".log"
#define LINE_CHARS 200 /* of a cause; more is cut */

bool bench_process_log_open(struct bench_process_log *log, const char *out, const char *name)
{
    *log = (struct bench_process_log){.is_kept = out != NULL};
    if (out) {
        snprintf(log->path, sizeof(log->path), "%s/%s" SUFFIX, out, name);
        log->fd = open(log->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } else {
        snprintf(log->path, sizeof(log->path), "/tmp/gbflow-%s-XXXXXX" SUFFIX, name);
        log->fd = mkostemps(log->path, (int)strlen(SUFFIX), O_CLOEXEC);
    }
    if (log->fd < 0)
        bench_error("%s: %s", log->path, strerror(errno));
    return log->fd >= 0;
}

void bench_process_log_close(struct bench_process_log *log)
{
    if (log->fd < 0 || !log->path[0])
        return;
    close(log->fd);
    if (!log->is_kept)
        unlink(log->path);
    *log = (struct bench_process_log){.fd = -1};
}

/* --- the cause --- */

struct causes {
    char first[LINE_CHARS], dpdk[LINE_CHARS], last[LINE_CHARS];
};

static bool tells_of_failure(const char *line)
{
    static const char *const words[] = {"FATAL", "annot", "ailed", "nvalid", "nknown", "rror"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

/* Without the newline and blanks around. */
static char *trim(char *line)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n", line[length - 1]))
        line[--length] = 0;
    return line + strspn(line, " \t");
}

static void take_line(struct causes *causes, char *line)
{
    static const char mark[] = "Cause: ";
    const char *text = trim(line);
    if (!text[0])
        return;
    snprintf(causes->last, LINE_CHARS, "%s", text);
    if (strncmp(text, mark, strlen(mark)) == 0)
        snprintf(causes->dpdk, LINE_CHARS, "%s", text + strlen(mark));
    else if (!causes->first[0] && tells_of_failure(text) && !strstr(text, "exiting with code"))
        snprintf(causes->first, LINE_CHARS, "%s", text);
}

void bench_process_log_end(struct bench_process_log *log, int status)
{
    struct causes causes = {.first = ""};
    char line[1024];
    FILE *file = log->path[0] ? fopen(log->path, "r") : NULL;
    while (file && fgets(line, sizeof(line), file))
        take_line(&causes, line);
    if (file)
        fclose(file);
    if (!causes.first[0] && !causes.dpdk[0])
        snprintf(causes.first, LINE_CHARS, "%s", causes.last);
    int used = snprintf(log->ended, sizeof(log->ended), "ended %s %d",
                        WIFSIGNALED(status) ? "by signal" : "with status",
                        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    used += snprintf(log->ended + used, sizeof(log->ended) - (size_t)used, "%s%s%s%s",
                     causes.first[0] || causes.dpdk[0] ? ": " : "", causes.first,
                     causes.first[0] && causes.dpdk[0] ? ": " : "", causes.dpdk);
    if (file && used < (int)sizeof(log->ended))
        snprintf(log->ended + used, sizeof(log->ended) - (size_t)used, "; its output is in %s", log->path);
    log->is_kept = true;
}
