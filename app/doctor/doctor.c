/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/doctor.h"

#include "app/doctor/parts.h"

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

void doctor_examine(struct doctor *d, const char *root)
{
    *d = (struct doctor){.tree = {.root = root}};
    doctor_cpu_examine(d);
    doctor_cores_examine(d);
    doctor_memory_examine(d);
    doctor_limits_examine(d);
    doctor_devices_examine(d);
}

bool doctor_is_usable(const struct doctor *d)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->findings[i].is_needed)
            return false;
    return true;
}

const char *doctor_verdict_name(enum doctor_verdict verdict)
{
    static const char *const names[DOCTOR_VERDICTS] = {"ok", "warn", "missing"};
    return names[verdict];
}
