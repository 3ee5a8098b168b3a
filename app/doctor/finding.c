/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"

#include "control/base/json_stream.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

bool finding_is_usable(const struct findings *d)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->list[i].is_needed)
            return false;
    return true;
}

/* ok, warn, missing. */
static const char *verdict_name(enum finding_verdict verdict)
{
    static const char *const names[FINDING_VERDICTS] = {"ok", "warn", "missing"};
    return names[verdict];
}

static void finding_add(struct findings *d, const struct finding *head, const char *advice,
                        const char *format, va_list list)
{
    if (d->count == FINDING_MOST)
        return;
    struct finding *f = &d->list[d->count++];
    *f = *head;
    snprintf(f->advice, sizeof(f->advice), "%s", advice);
    vsnprintf(f->what, sizeof(f->what), format, list);
}

void finding_ok(struct findings *d, const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    finding_add(d, &(struct finding){.name = name, .verdict = FINDING_OK}, "", format, list);
    va_end(list);
}

void finding_warn(struct findings *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    finding_add(d, &(struct finding){.name = name, .verdict = FINDING_WARN}, advice, format, list);
    va_end(list);
}

void finding_missing(struct findings *d, const char *name, const char *advice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    finding_add(d, &(struct finding){.name = name, .verdict = FINDING_MISSING}, advice, format, list);
    va_end(list);
}

void finding_unusable(struct findings *d, const char *name, const char *advice, const char *format, ...)
{
    const struct finding head = {.name = name, .verdict = FINDING_MISSING, .is_needed = true};
    va_list list;
    va_start(list, format);
    finding_add(d, &head, advice, format, list);
    va_end(list);
}

#define NAME_WIDTH 13

static unsigned count_of(const struct findings *d, enum finding_verdict verdict)
{
    unsigned count = 0;
    for (unsigned i = 0; i < d->count; i++)
        count += d->list[i].verdict == verdict;
    return count;
}

static void print_end(const struct findings *d, FILE *out)
{
    fprintf(out, "\n%u ok, %u to be warned of, %u missing: ", count_of(d, FINDING_OK),
            count_of(d, FINDING_WARN), count_of(d, FINDING_MISSING));
    if (finding_is_usable(d)) {
        fputs("gbflow can be used here\n", out);
        return;
    }
    const char *comma = "gbflow cannot be used here without: ";
    for (unsigned i = 0; i < d->count; i++) {
        if (!d->list[i].is_needed)
            continue;
        fprintf(out, "%s%s", comma, d->list[i].name);
        comma = ", ";
    }
    fputc('\n', out);
}

void finding_print(const struct findings *d, FILE *out)
{
    for (unsigned i = 0; i < d->count; i++) {
        const struct finding *f = &d->list[i];
        fprintf(out, "%-7s  %-*s  %s\n", verdict_name(f->verdict), NAME_WIDTH, f->name, f->what);
        if (f->advice[0])
            fprintf(out, "%*s-> %s\n", 7 + 2 + NAME_WIDTH + 2, "", f->advice);
    }
    print_end(d, out);
}

void finding_print_json(const struct findings *d, FILE *out)
{
    struct json_stream s = {.file = out};
    json_stream_begin(&s, "gbflow-doctor/1");
    json_stream_bool(&s, "usable", finding_is_usable(d));
    json_stream_array(&s, "findings");
    for (unsigned i = 0; i < d->count; i++) {
        const struct finding *f = &d->list[i];
        json_stream_object(&s, NULL);
        json_stream_text(&s, "name", f->name);
        json_stream_text(&s, "verdict", verdict_name(f->verdict));
        json_stream_bool(&s, "needed", f->is_needed);
        json_stream_text(&s, "what", f->what);
        json_stream_text(&s, "advice", f->advice);
        json_stream_end(&s);
    }
    json_stream_end(&s);
    json_stream_end(&s);
}
