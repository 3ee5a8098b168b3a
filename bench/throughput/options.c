/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/options.h"

#include "bench/throughput/console.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MODES_SHIFT(modes) ((modes) ? (unsigned)(modes)->first : 0)

/* The program and mode of bench_options_parse(), for bench_options_set(), whose only context is the plan. */
static const struct bench_modes *program;
static enum bench_mode current;

/* --- numbers --- */

static void store(const struct bench_option *o, struct bench_plan *plan, int64_t number)
{
    const int64_t value = number * o->scale;
    char *field = (char *)plan + o->at;
    if (o->octets == 2)
        *(uint16_t *)field = (uint16_t)value;
    else if (o->octets == 4)
        *(uint32_t *)field = (uint32_t)value;
    else
        *(int64_t *)field = value;
}

int64_t bench_option_load(const struct bench_option *o, const struct bench_plan *plan)
{
    const char *field = (const char *)plan + o->at;
    assert(o->octets == 2 || o->octets == 4 || o->octets == 8);
    if (o->octets == 2)
        return *(const uint16_t *)field / o->scale;
    if (o->octets == 4)
        return *(const uint32_t *)field / o->scale;
    return *(const int64_t *)field / o->scale;
}

/* --- options of one mode --- */

/* Rows in the form of command_parse(). */
struct listing {
    struct command_option options[COMMAND_OPTIONS];
    const struct bench_option *rows[COMMAND_OPTIONS];
    int64_t numbers[COMMAND_OPTIONS];
    unsigned count;
};

static struct command_option *find(struct listing *l, const char *name)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->options[i].name, name) == 0)
            return &l->options[i];
    return NULL;
}

static void add(struct listing *l, const struct bench_option *o, struct bench_plan *plan, uint32_t modes)
{
    char *field = (char *)plan + o->at;
    const unsigned i = l->count++;
    assert(i < COMMAND_OPTIONS);
    struct command_option *to = &l->options[i];
    *to = (struct command_option){.name = o->name, .modes = modes};
    l->rows[i] = o;
    if (o->kind == BENCH_OPTION_TEXT)
        to->text = (const char **)field;
    if (o->kind == BENCH_OPTION_FLAG)
        to->flag = (bool *)field;
    if (o->kind == BENCH_OPTION_VALUE)
        to->parse = o->parse;
    if (o->kind == BENCH_OPTION_NUMBER)
        to->number = &l->numbers[i];
    l->numbers[i] = o->kind == BENCH_OPTION_NUMBER ? bench_option_load(o, plan) : 0;
    to->min = o->min;
    to->max = o->max;
    to->value = o->value;
    to->takes = o->kind == BENCH_OPTION_VALUE && o->value ? COMMAND_NO_ARGUMENT : COMMAND_ARGUMENT;
}

/* The bits of a program's modes, the first one lowest. */
static uint32_t bits_in(const struct bench_modes *modes, uint32_t bits)
{
    return modes ? bits >> modes->first & ((UINT32_C(1) << modes->list.count) - 1) : 0;
}

/* The mode's own rows, then those of the program's other modes, which command_parse() refuses with their
 * names. */
static void list_rows(struct listing *l, struct bench_plan *plan)
{
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        if (!o->is_parameter && bench_option_is_of(o, current))
            add(l, o, plan, bits_in(program, o->modes));
    }
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        const uint32_t bits = bits_in(program, o->modes);
        struct command_option *there = find(l, o->name);
        if (o->is_parameter || bits == 0 || bench_option_is_of(o, current))
            continue;
        if (there)
            there->modes |= bits;
        else
            add(l, o, plan, bits);
    }
}

int bench_options_parse(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode,
                        int argc, char **argv)
{
    static struct listing l;
    program = modes;
    current = mode;
    l.count = 0;
    list_rows(&l, plan);
    const struct command_parser parser = {.command = bench_console_command(),
                                          .options = l.options,
                                          .count = l.count,
                                          .to = plan,
                                          .modes = modes ? &modes->list : NULL,
                                          .mode = mode - MODES_SHIFT(modes)};
    int status = command_parse(&parser, argc, argv);
    for (unsigned i = 0; status == COMMAND_OK && i < l.count; i++)
        if (l.options[i].number && bench_option_is_of(l.rows[i], mode))
            store(l.rows[i], plan, l.numbers[i]);
    return status;
}

/* --- parameters --- */

static const struct bench_option *find_parameter(const char *name, uint32_t *bits)
{
    const struct bench_option *found = NULL;
    *bits = 0;
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        if (!o->is_parameter || strcmp(o->name, name) != 0)
            continue;
        *bits |= bits_in(program, o->modes);
        if (bench_option_is_of(o, current))
            found = o;
    }
    return found;
}

static int refuse_parameter(const char *name, uint32_t bits)
{
    char names[256] = "";
    size_t used = 0;
    if (bits == 0)
        return bench_refuse("--set: unknown parameter %s", name);
    for (unsigned i = 0; i < program->list.count; i++)
        if (bits & UINT32_C(1) << i)
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s'%s'", used > 0 ? ", " : "",
                                     program->list.modes[i].name);
    return bench_refuse("--set: %s belongs to %s", name, names);
}

static int set_number(const struct bench_option *o, struct bench_plan *plan, const char *text)
{
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < o->min || number > o->max)
        return bench_refuse("%s takes whole numbers from %" PRId64 " to %" PRId64 ", not %s", o->name, o->min,
                            o->max, text);
    store(o, plan, number);
    return COMMAND_OK;
}

int bench_options_set(void *to, char *text)
{
    uint32_t bits;
    char *value = strchr(text, '=');
    if (!value)
        return bench_refuse("--set takes NAME=VALUE, not %s", text);
    *value++ = 0;
    const struct bench_option *o = find_parameter(text, &bits);
    if (!o)
        return refuse_parameter(text, bits);
    if (o->kind == BENCH_OPTION_NUMBER)
        return set_number(o, to, value);
    if (o->kind == BENCH_OPTION_TEXT)
        *(const char **)((char *)to + o->at) = value;
    return o->kind == BENCH_OPTION_VALUE ? o->parse(to, value) : COMMAND_OK;
}
