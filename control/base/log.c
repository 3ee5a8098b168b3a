/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/log.h"

#include "dataplane/base/moment.h"

#include <string.h>

#define DELETE 0x7f

void log_init(struct log *log, FILE *out, unsigned lines_per_s)
{
    *log = (struct log){.out = out, .lines_per_s = lines_per_s};
}

/* Charges one line to the leaky bucket, in its virtual scheduling form; false: the bucket is full. */
static bool take(struct log *log, int64_t now)
{
    int64_t step_ns = MOMENT_SECOND / log->lines_per_s;
    if (log->whole_ns > now && log->whole_ns - now > (log->lines_per_s - 1) * step_ns)
        return false;
    log->whole_ns = moment_max(log->whole_ns, now) + step_ns;
    return true;
}

static void print_stamp(struct log *log, int64_t now)
{
    fprintf(log->out, "%lld.%06lld ", (long long)(now / MOMENT_SECOND),
            (long long)(now % MOMENT_SECOND / 1000));
    log->written++;
}

/* The number of dropped lines is written before the next line that the bucket allows, and is charged like
 * others. */
static void tell_left_out(struct log *log, int64_t now)
{
    uint64_t count = log->left_out - log->left_out_told;
    if (count == 0)
        return;
    print_stamp(log, now);
    fprintf(log->out, "log: warn: %llu lines left out\n", (unsigned long long)count);
    log->left_out_told = log->left_out;
    log->whole_ns += MOMENT_SECOND / log->lines_per_s;
}

/* A text may have parts of a peer's or a user's: a control character, such as a new line, would forge a line.
 */
static void put_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '\n')
            fputs("\\n", out);
        else if ((unsigned char)*c < ' ' || *c == DELETE)
            fprintf(out, "\\x%02x", (unsigned char)*c);
        else
            fputc(*c, out);
}

void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now)
{
    if (!log->is_verbose && strcmp(level, "info") == 0)
        return;
    if (!take(log, now)) {
        log->left_out++;
        return;
    }
    tell_left_out(log, now);
    print_stamp(log, now);
    fprintf(log->out, "%s: %s: ", who, level);
    put_text(log->out, text);
    fputc('\n', log->out);
    fflush(log->out);
}
