/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/axis.h"

#include "bench/throughput/console.h"
#include "control/base/command.h"
#include "dataplane/base/teid.h"

#include <stdio.h>
#include <string.h>

#define OCTETS_MIN 64
#define OCTETS_MAX 1500
#define LIST_CHARS 256

static int put_choice(struct bench_plan_axis *axis, const struct bench_axis_range *range, const char *text)
{
    int64_t value = range->word ? range->word(text) : -1;
    const struct command_option option = {range->name, .number = &value, .min = range->min,
                                          .max = range->max};
    int status = value < 0 ? command_number(bench_console_command(), &option, text) : COMMAND_OK;
    if (status != COMMAND_OK)
        return status;
    if (axis->count == BENCH_PLAN_CHOICES)
        return bench_refuse("--%s takes up to %d values", range->name, BENCH_PLAN_CHOICES);
    axis->values[axis->count++] = (uint32_t)value;
    return COMMAND_OK;
}

int bench_axis_parse(struct bench_plan_axis *axis, const struct bench_axis_range *range, const char *text)
{
    char copy[LIST_CHARS], *rest = copy, *one;
    int status = COMMAND_OK;
    axis->count = 0;
    if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
        return bench_refuse("--%s takes up to %d values", range->name, BENCH_PLAN_CHOICES);
    while (status == COMMAND_OK && (one = strsep(&rest, ",")))
        status = put_choice(axis, range, one);
    return status;
}

static int octets_word(const char *text)
{
    return strcmp(text, "imix") == 0 ? BENCH_PLAN_IMIX : -1;
}

int bench_axis_octets(struct bench_plan_axis *axis, const char *text)
{
    return bench_axis_parse(axis, &(struct bench_axis_range){"octets", OCTETS_MIN, OCTETS_MAX, octets_word},
                            text);
}

int bench_axis_mobiles(struct bench_plan_axis *axis, const char *text)
{
    return bench_axis_parse(axis, &(struct bench_axis_range){"mobiles", 1, TEID_SLOTS - 1, NULL}, text);
}

int bench_axis_workers(struct bench_plan_axis *axis, const char *text)
{
    return bench_axis_parse(axis, &(struct bench_axis_range){"workers", 1, TEID_WORKERS, NULL}, text);
}

static int cipher_word(const char *text)
{
    return strcmp(text, "none") == 0 ? 0 : strcmp(text, "gea3") == 0 ? 3 : strcmp(text, "gea4") == 0 ? 4 : -1;
}

int bench_axis_ciphers(struct bench_plan_axis *axis, const char *text)
{
    char copy[LIST_CHARS], *rest = copy, *one;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((one = strsep(&rest, ",")))
        if (cipher_word(one) < 0)
            return bench_refuse("--cipher takes none, gea3 and gea4, not %s", text);
    return bench_axis_parse(axis, &(struct bench_axis_range){"cipher", 0, 0, cipher_word}, text);
}
