/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
