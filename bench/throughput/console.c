/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/console.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_NS    (10 * MOMENT_SECOND)
#define PROGRESS_CHARS 256

static const char *name = "bench";
static atomic_bool is_interrupted;

void bench_console_begin(const char *command)
{
    name = command;
}

const char *bench_console_command(void)
{
    return name;
}

static int64_t shown_ns; /* the last line through a pipe; 0: none yet */

/* The text without the blanks that overwrite a longer one. */
static void print_line(const char *text)
{
    const int64_t now = clock_now_ns();
    int length = (int)strlen(text);
    if (shown_ns > 0 && now - shown_ns < PROGRESS_NS)
        return;
    shown_ns = now;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    fprintf(stderr, "%.*s\n", length, text);
}

void bench_progress(const char *format, ...)
{
    char text[PROGRESS_CHARS];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s", text);
    else
        print_line(text);
}

void bench_progress_end(void)
{
    shown_ns = 0;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void on_signal(int unused_number)
{
    (void)unused_number;
    atomic_store(&is_interrupted, true);
}

void bench_console_catch(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL); /* the session of a remote shell ends */
}

bool bench_console_is_interrupted(void)
{
    return atomic_load(&is_interrupted);
}

const char *bench_console_stopped(void)
{
    return bench_console_is_interrupted() ? "interrupted" : NULL;
}

void bench_fault_add(struct bench_fault *f, const char *format, ...)
{
    va_list values;
    size_t used = strlen(f->text);
    used += (size_t)snprintf(f->text + used, sizeof(f->text) - used, "%s", used > 0 ? "; " : "");
    if (used >= sizeof(f->text))
        return;
    va_start(values, format);
    vsnprintf(f->text + used, sizeof(f->text) - used, format, values);
    va_end(values);
}
