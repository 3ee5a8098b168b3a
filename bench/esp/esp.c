/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP as a guard of `gbflow bench`: options, report, and what the others of the folder do. */
#include "bench/esp/esp_ends.h"
#include "bench/throughput/console.h"
#include "bench/throughput/preloaded.h"
#include "bench/throughput/report.h"
#include "control/base/command.h"
#include "control/base/words.h"
#include "dataplane/esp/sa.h"

#include <stdio.h>
#include <string.h>

#define BENCH_OPTION_VALUE(take) int take(void *plan, char *text);
#include "bench/esp/options.def"
#undef BENCH_OPTION_VALUE

enum { SIDES_CHARS = 256 };

/* ESP of one worker: the price of one that shares associations is another. */
static int check(struct bench_plan *plan)
{
    if (!bench_plan_has_guard(plan) && (plan->guard.has_suite || plan->guard.device))
        return bench_refuse("--esp-suite and --esp-device need --esp gn, gb or gn,gb");
    if (bench_plan_has_guard(plan) && bench_plan_most_workers(plan) > 1)
        return bench_refuse("--esp measures one worker, not %u; leave out --workers",
                            bench_plan_most_workers(plan));
    if (!plan->guard.device)
        plan->guard.device = "auto";
    return COMMAND_OK;
}

/* --- report --- */

static const char *esp_sides(const struct bench_plan *plan)
{
    return !plan->guard.has_gb ? "gn" : plan->guard.has_gn ? "gn,gb" : "gb";
}

static void print_plan(const struct bench_plan *plan)
{
    printf(", ESP %s in a tunnel over IPv4 on %s", sa_suite_name(plan->guard.suite), esp_sides(plan));
}

static void print_price(const struct bench_preloaded *result)
{
    const struct bench_price *p = &result->price;
    char added[BENCH_REPORT_INTERVAL_CHARS], ratio[BENCH_REPORT_INTERVAL_CHARS];
    printf("        ESP by %s: %+.1f ns/N-PDU (quartiles %.1f..%.1f, 95 %% of median %s), "
           "%.1f without; ratio %.2f (%s)\n",
           p->device, p->added.median, p->added.lower_quartile, p->added.upper_quartile,
           bench_report_interval(added, 1, p->added.low, p->added.high), p->without.median, p->ratio.median,
           bench_report_interval(ratio, 2, p->ratio.low, p->ratio.high));
}

static void put_plan(struct json_stream *s, const struct bench_plan *plan)
{
    BENCH_REPORT_ROWS(s, BENCH_TEXT("esp", esp_sides(plan)),
                      BENCH_TEXT("esp_suite", sa_suite_name(plan->guard.suite)),
                      BENCH_TEXT("esp_device", plan->guard.device));
}

static void put_price(struct json_stream *s, const struct bench_preloaded *result)
{
    const struct bench_price *p = &result->price;
    json_stream_object(s, "esp");
    BENCH_REPORT_ROWS(s, BENCH_TEXT("device", p->device), BENCH_REAL("ns_without", p->without.median),
                      BENCH_REAL("ns_added", p->added.median),
                      BENCH_REAL("ns_added_lower_quartile", p->added.lower_quartile),
                      BENCH_REAL("ns_added_upper_quartile", p->added.upper_quartile),
                      BENCH_REAL("ns_added_low", p->added.low), BENCH_REAL("ns_added_high", p->added.high),
                      BENCH_REAL("ratio", p->ratio.median), BENCH_REAL("ratio_low", p->ratio.low),
                      BENCH_REAL("ratio_high", p->ratio.high));
    json_stream_end(s);
}

/* --- options: "gn", "gb", "gn,gb"; names --- */

static struct bench_plan_guard *chosen(void *to)
{
    static const struct bench_guard esp = {.before_octets = BENCH_ESP_ENDS_BEFORE,
                                           .check = check,
                                           .ends_new = bench_esp_ends_new,
                                           .ends_free = bench_esp_ends_free,
                                           .ends_give = bench_esp_ends_give,
                                           .ends_seal = bench_esp_ends_seal,
                                           .ends_open = bench_esp_ends_open,
                                           .ends_check = bench_esp_ends_check,
                                           .measure = bench_esp_cost_measure,
                                           .print_plan = print_plan,
                                           .print_price = print_price,
                                           .put_plan = put_plan,
                                           .put_price = put_price};
    struct bench_plan_guard *guard = &((struct bench_plan *)to)->guard;
    guard->of = &esp;
    return guard;
}

int bench_esp_take_sides(void *to, char *text)
{
    struct bench_plan_guard *esp = chosen(to);
    char copy[SIDES_CHARS], *rest = copy, *one;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((one = strsep(&rest, ","))) {
        bool *side = strcmp(one, "gn") == 0 ? &esp->has_gn : strcmp(one, "gb") == 0 ? &esp->has_gb : NULL;
        if (!side)
            return bench_refuse("--esp takes gn, gb or gn,gb, not %s", text);
        *side = true;
    }
    return COMMAND_OK;
}

int bench_esp_take_suite(void *to, char *text)
{
    struct bench_plan_guard *esp = chosen(to);
    struct words words = {.count = 0};
    for (unsigned i = 0; i < SA_SUITES; i++) {
        words_add(&words, sa_suite_name(i));
        if (strcmp(text, sa_suite_name(i)) != 0)
            continue;
        esp->suite = i;
        esp->has_suite = true;
        return COMMAND_OK;
    }
    return command_unknown(bench_console_command(), "--esp-suite: ", "suite of ESP", text, &words);
}

int bench_esp_take_device(void *to, char *text)
{
    struct words words = {.count = 0};
    for (unsigned i = 0; i <= SA_DEVICES; i++) {
        const char *name = i == 0 ? "auto" : sa_devices[i - 1];
        words_add(&words, name);
        if (strcmp(text, name) != 0)
            continue;
        chosen(to)->device = name;
        return COMMAND_OK;
    }
    return command_unknown(bench_console_command(), "--esp-device: ", "crypto device", text, &words);
}
