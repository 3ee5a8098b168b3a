/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/console.h"

#include "control/base/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define MESSAGE_CHARS 512

static const char *name = "bench";

void bench_console_begin(const char *command)
{
    name = command;
}

const char *bench_console_command(void)
{
    return name;
}

void bench_error(const char *format, ...)
{
    char message[MESSAGE_CHARS];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    command_error(name, "%s", message);
}

int bench_refuse(const char *format, ...)
{
    char message[MESSAGE_CHARS];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    return command_refuse(name, "%s", message);
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
