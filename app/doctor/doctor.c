/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/doctor.h"

#include "control/base/json_stream.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

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

/* ok, warn, missing. */
static const char *doctor_verdict_name(enum doctor_verdict verdict)
{
    static const char *const names[DOCTOR_VERDICTS] = {"ok", "warn", "missing"};
    return names[verdict];
}

static void doctor_add(struct doctor *d, const struct doctor_finding *head, const char *advice,
                       const char *format, va_list list)
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
    doctor_add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_OK}, "", format, list);
    va_end(list);
}

void doctor_warn(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    doctor_add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_WARN}, advice, format, list);
    va_end(list);
}

void doctor_missing(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    doctor_add(d, &(struct doctor_finding){.name = name, .verdict = DOCTOR_MISSING}, advice, format, list);
    va_end(list);
}

void doctor_unusable(struct doctor *d, const char *name, const char *advice, const char *format, ...)
{
    const struct doctor_finding head = {.name = name, .verdict = DOCTOR_MISSING, .is_needed = true};
    va_list list;
    va_start(list, format);
    doctor_add(d, &head, advice, format, list);
    va_end(list);
}

#define NAME_WIDTH 13

static unsigned count_of(const struct doctor *d, enum doctor_verdict verdict)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->count; i++)
        count += d->findings[i].verdict == verdict;
    return count;
}

static void print_end(const struct doctor *d, FILE *out)
{
    fprintf(out, "\n%u ok, %u to be warned of, %u missing: ", count_of(d, DOCTOR_OK),
            count_of(d, DOCTOR_WARN), count_of(d, DOCTOR_MISSING));
    if (doctor_is_usable(d)) {
        fputs("gbflow can be used here\n", out);
        return;
    }
    const char *comma = "gbflow cannot be used here without: ";
    for (unsigned i = 0; i < d->count; i++) {
        if (!d->findings[i].is_needed)
            continue;
        fprintf(out, "%s%s", comma, d->findings[i].name);
        comma = ", ";
    }
    fputc('\n', out);
}

void doctor_print(const struct doctor *d, FILE *out)
{
    for (unsigned i = 0; i < d->count; i++) {
        const struct doctor_finding *f = &d->findings[i];
        fprintf(out, "%-7s  %-*s  %s\n", doctor_verdict_name(f->verdict), NAME_WIDTH, f->name, f->what);
        if (f->advice[0])
            fprintf(out, "%*s-> %s\n", 7 + 2 + NAME_WIDTH + 2, "", f->advice);
    }
    print_end(d, out);
}

void doctor_print_json(const struct doctor *d, FILE *out)
{
    struct json_stream s = {.file = out};
    json_stream_begin(&s, "gbflow-doctor/1");
    json_stream_bool(&s, "usable", doctor_is_usable(d));
    json_stream_array(&s, "findings");
    for (unsigned i = 0; i < d->count; i++) {
        const struct doctor_finding *f = &d->findings[i];
        json_stream_object(&s, NULL);
        json_stream_text(&s, "name", f->name);
        json_stream_text(&s, "verdict", doctor_verdict_name(f->verdict));
        json_stream_bool(&s, "needed", f->is_needed);
        json_stream_text(&s, "what", f->what);
        json_stream_text(&s, "advice", f->advice);
        json_stream_end(&s);
    }
    json_stream_end(&s);
    json_stream_end(&s);
}
