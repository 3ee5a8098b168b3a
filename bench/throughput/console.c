/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *name = "bench";

void bench_console_begin(const char *command)
{
    name = command;
}

const char *bench_console_command(void)
{
    return name;
}

void bench_progress(const char *format, ...)
{
    va_list values;
    if (!isatty(STDERR_FILENO))
        return;
    fputc('\r', stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
}

void bench_progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
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
