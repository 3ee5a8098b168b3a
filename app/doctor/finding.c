/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"

#include <stdarg.h>

static void add(struct doctor *d, const struct doctor_finding *head, const char *advice, const char *format,
                va_list list)
{
    if (d->count == DOCTOR_FINDINGS)
        return;
    struct doctor_finding *f = &d->findings[d->count++];
    *f = *head;
    snprintf(f->advice, sizeof(f->advice), "%s", advice);
    vsnprintf(f->what, sizeof(f->what), format, list);
}

void doctor_ok(struct doctor *d, const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_OK}, "", format, list);
    va_end(list);
}

void doctor_warn(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_WARN}, advice, format, list);
    va_end(list);
}

void doctor_missing(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_MISSING}, advice, format, list);
    va_end(list);
}

void doctor_unusable(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    const struct doctor_finding head = {.name = name, .verdict = DOCTOR_MISSING, .is_needed = true};
    va_list list;
    va_start(list, format);
    add(d, &head, advice, format, list);
    va_end(list);
}
