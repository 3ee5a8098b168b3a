/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/doctor.h"
#include "control/base/stream.h"

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
