/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/options.h"

#include "bench/throughput/defaults.h"

#include <inttypes.h>
#include <string.h>

#define COLUMN     19  /* of the descriptions */
#define LINE_CHARS 100 /* longer lines are broken between words */
#define TEXT_CHARS 512

/* "description: range; default X". */
static void describe(char out[TEXT_CHARS], const struct bench_option *o, const struct bench_plan *plan)
{
    char value[TEXT_CHARS] = "";
    int used = snprintf(out, TEXT_CHARS, "%s", o->what);
    if (o->kind == BENCH_OPTION_NUMBER) {
        const int64_t number = bench_option_load(o, plan);
        used += snprintf(out + used, TEXT_CHARS - (size_t)used, ": %" PRId64 " to %" PRId64 "%s%s", o->min,
                         o->max, o->range ? " " : "", o->range ? o->range : "");
        if (number >= o->min && number <= o->max)
            snprintf(value, sizeof(value), "%" PRId64, number);
    } else if (o->range) {
        used += snprintf(out + used, TEXT_CHARS - (size_t)used, ": %s", o->range);
    }
    if (o->show)
        o->show(plan, value, sizeof(value));
    if (!value[0] && o->unset)
        snprintf(value, sizeof(value), "%s", o->unset);
    if (value[0])
        snprintf(out + used, TEXT_CHARS - (size_t)used, "; default %s", value);
}

/* Prints words from column `at` on, in lines up to LINE_CHARS, further lines indented. */
static void print_words(FILE *out, const char *text, int at, int indent)
{
    for (const char *word = text; *word;) {
        const int length = (int)strcspn(word, " \n");
        if (at > indent && at + 1 + length > LINE_CHARS)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        else if (word > text)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", length, word);
        word += length;
        word += strspn(word, " ");
        if (*word == '\n') {
            fputs("\n", out);
            at = fprintf(out, "%*s", indent, "");
            text = ++word;
        }
    }
    fputs("\n", out);
}

static void print_row(FILE *out, const struct bench_option *o, const struct bench_plan *plan)
{
    char name[64], text[TEXT_CHARS];
    describe(text, o, plan);
    snprintf(name, sizeof(name), o->is_parameter ? "  %s%s%s" : "  --%s%s%s", o->name,
             !o->argument      ? ""
             : o->is_parameter ? "="
                               : " ",
             o->argument ? o->argument : "");
    int at = fprintf(out, "%-*s ", COLUMN, name);
    print_words(out, text, at, COLUMN + 1);
}

static unsigned print_rows(FILE *out, enum bench_mode mode, bool are_parameters,
                           const struct bench_plan *plan)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        if (!bench_option_is_of(o, mode) || o->is_parameter != are_parameters || !o->what)
            continue;
        if (count++ == 0)
            fputs(are_parameters ? "\nparameters of --set:\n" : "\n", out);
        print_row(out, o, plan);
    }
    return count;
}

void bench_options_help(FILE *out, const struct bench_modes *modes, enum bench_mode mode)
{
    static struct bench_plan plan;
    const struct bench_mode_row *row = &modes->rows[mode - modes->first];
    bench_defaults(&plan, mode);
    fprintf(out, "usage: %s\n\n", row->usage);
    print_words(out, row->about, 0, 0);
    print_rows(out, mode, false, &plan);
    print_rows(out, mode, true, &plan);
    fprintf(out, "\nexample: %s\nresults: %s\nexit status: %s\n", row->example, row->results, row->status);
}
