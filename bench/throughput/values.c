/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/values.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/traffic.h"

#include "control/base/command.h"
#include "dataplane/aqm/aqm_registry.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_CHARS  256
#define FRAME       "frame" /* a size as octets of the Ethernet frame on Gn, "frame128" */
#define FRAME_LEAST (64 + BENCH_TRAFFIC_ETHERNET_OCTETS)
#define FRAME_MOST  (1500 + BENCH_TRAFFIC_ETHERNET_OCTETS)

/* --- lists --- */

static int octets_of(const char *word)
{
    unsigned frame = 0;
    char end;
    if (strcmp(word, "imix") == 0)
        return BENCH_PLAN_IMIX;
    if (sscanf(word, FRAME "%4u%c", &frame, &end) != 1 || frame < FRAME_LEAST || frame > FRAME_MOST)
        return -1;
    return (int)(frame - BENCH_TRAFFIC_ETHERNET_OCTETS);
}

static void name_octets(char out[8], uint32_t value)
{
    bench_value_octets_name(out, (uint16_t)value);
}

static int cipher_of(const char *word)
{
    return strcmp(word, "none") == 0 ? 0 : strcmp(word, "gea3") == 0 ? 3 : strcmp(word, "gea4") == 0 ? 4 : -1;
}

static void name_cipher(char out[8], uint32_t value)
{
    snprintf(out, 8, "%s", bench_value_cipher_name((uint8_t)value));
}

const struct bench_value_words bench_value_octets = {octets_of, name_octets, NULL};
const struct bench_value_words bench_value_ciphers = {cipher_of, name_cipher, "none, gea3 and gea4"};

static int put_choice(struct bench_plan_axis *axis, const struct bench_value_range *r, const char *one)
{
    int64_t value = r->words ? r->words->value(one) : -1;
    const struct command_option option = {r->name, .number = &value, .min = r->min, .max = r->max};
    if (value < 0 && r->words == &bench_value_octets && strncmp(one, FRAME, strlen(FRAME)) == 0)
        return bench_refuse("--%s takes " FRAME "%d to " FRAME
                            "%d, not %s: an Ethernet frame on Gn, with FCS, has %d octets more "
                            "than its N-PDU",
                            r->name, FRAME_LEAST, FRAME_MOST, one, BENCH_TRAFFIC_ETHERNET_OCTETS);
    int status = value < 0 ? command_number(bench_console_command(), &option, one) : COMMAND_OK;
    if (status != COMMAND_OK)
        return status;
    if (axis->count == BENCH_PLAN_CHOICES)
        return bench_refuse("--%s takes up to %d values", r->name, BENCH_PLAN_CHOICES);
    axis->values[axis->count++] = (uint32_t)value;
    return COMMAND_OK;
}

int bench_value_list(struct bench_plan_axis *axis, const struct bench_value_range *r, const char *text)
{
    char copy[LIST_CHARS], *rest = copy, *one;
    int status = COMMAND_OK;
    axis->count = 0;
    if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
        return bench_refuse("--%s takes up to %d values", r->name, BENCH_PLAN_CHOICES);
    while (status == COMMAND_OK && (one = strsep(&rest, ","))) {
        if (r->words && r->words->all && r->words->value(one) < 0)
            return bench_refuse("--%s takes %s, not %s", r->name, r->words->all, text);
        status = put_choice(axis, r, one);
    }
    if (status == COMMAND_OK && r->is_one && axis->count != 1)
        return bench_refuse("--%s takes one value, not %s", r->name, text);
    return status;
}

void bench_value_show_list(const struct bench_plan_axis *axis, const struct bench_value_words *words,
                           char *out, size_t chars)
{
    size_t used = 0;
    char one[8];
    out[0] = 0;
    for (unsigned i = 0; i < axis->count && used < chars; i++) {
        if (words)
            words->name(one, axis->values[i]);
        else
            snprintf(one, sizeof(one), "%u", axis->values[i]);
        used += (size_t)snprintf(out + used, chars - used, "%s%s", i > 0 ? "," : "", one);
    }
}

#define CPU_MAX     4095
#define MINUTES_MAX 100000.0
#define RATE_MAX    1e9
#define ZIPF_MAX    4.0

static const char *const scopes[SCHED_AQM_SCOPES] = {"class_of_nse", "class_of_bvc", "ms", "flow"};

int bench_value_cores(void *to, char *text)
{
    struct live_config *eal = &((struct bench_plan *)to)->eal;
    struct bench_plan_axis axis;
    int status = bench_value_list(&axis, &(struct bench_value_range){"cores", 0, CPU_MAX, NULL, false}, text);
    eal->core_count = axis.count;
    for (unsigned i = 0; i < axis.count; i++)
        eal->cores[i] = axis.values[i];
    return status;
}

/* --- the DUT --- */

int bench_value_aqm(void *to, char *text)
{
    struct bench_plan *plan = to;
    struct aqm_registry registry;
    struct words words = {.list = {"none"}, .count = 1};
    plan->aqm.choice = (struct aqm_choice){.seed = 1};
    if (strcmp(text, "none") == 0)
        return COMMAND_OK;
    aqm_registry_init(&registry);
    plan->aqm.choice.ops = aqm_registry_find(&registry, text);
    for (unsigned i = 0; i < registry.count; i++)
        words_add(&words, registry.schemes[i]->name);
    aqm_registry_fini(&registry); /* built-in schemes stay */
    return plan->aqm.choice.ops
               ? COMMAND_OK
               : command_unknown(bench_console_command(), "--set aqm: ", "AQM scheme", text, &words);
}

int bench_value_scope(void *to, char *text)
{
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++)
        if (strcmp(text, scopes[i]) == 0) {
            ((struct bench_plan *)to)->aqm.scope = (uint8_t)i;
            return COMMAND_OK;
        }
    return bench_refuse("aqm_scope takes class_of_nse, class_of_bvc, ms or flow, not %s", text);
}

int bench_value_teids(void *to, char *text)
{
    bool is_foreign = strcmp(text, "foreign") == 0;
    ((struct bench_plan *)to)->is_foreign = is_foreign;
    return is_foreign || strcmp(text, "own") == 0 ? COMMAND_OK
                                                  : bench_refuse("teids takes own or foreign, not %s", text);
}

int bench_value_zipf(void *to, char *text)
{
    struct bench_plan *plan = to;
    char *end;
    plan->zipf = strtod(text, &end);
    if (*end || end == text || !(plan->zipf >= 0 && plan->zipf <= ZIPF_MAX))
        return bench_refuse("zipf takes a number from 0 to 4, not %s", text);
    return COMMAND_OK;
}

/* --- time and load --- */

int bench_value_minutes(void *to, char *text)
{
    char *end;
    double minutes = strtod(text, &end);
    if (*end || end == text || !(minutes > 0 && minutes <= MINUTES_MAX))
        return bench_refuse("--minutes takes a number above 0 to 100000, not %s", text);
    ((struct bench_plan *)to)->soak_ns = (int64_t)(minutes * 60e9);
    return COMMAND_OK;
}

int bench_value_rate(void *to, char *text)
{
    struct bench_plan *plan = to;
    char *end;
    plan->rate = strtod(text, &end);
    if (*end || end == text || !(plan->rate >= 1 && plan->rate <= RATE_MAX))
        return bench_refuse("--rate takes 1 to 1000000000 N-PDU/s, not %s", text);
    return COMMAND_OK;
}

int bench_value_load(void *to, char *text)
{
    struct bench_plan *plan = to;
    char *end;
    double number = strtod(text, &end);
    bool is_percent = strcmp(end, "%") == 0;
    if (end == text || (*end && !is_percent) || !(number >= 1 && number <= (is_percent ? 100 : RATE_MAX)))
        return bench_refuse("--rate takes 1 to 1000000000 N-PDU/s, or 1%% to 100%% of NDR, not %s", text);
    plan->rate = is_percent ? 0 : number;
    if (is_percent)
        plan->ndr_percent = number;
    return COMMAND_OK;
}

/* --- ports and machine --- */

static int take_mac(uint8_t mac[6], bool *has_mac, const char *name, const char *text)
{
    char end;
    *has_mac = sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%c", &mac[0], &mac[1], &mac[2], &mac[3],
                      &mac[4], &mac[5], &end) == 6;
    return *has_mac ? COMMAND_OK
                    : bench_refuse("%s takes a MAC address, 02:00:00:00:00:01, not %s", name, text);
}

int bench_value_gn_mac(void *to, char *text)
{
    struct bench_plan *plan = to;
    return take_mac(plan->gn_mac, &plan->has_gn_mac, "gn_mac", text);
}

int bench_value_gb_mac(void *to, char *text)
{
    struct bench_plan *plan = to;
    return take_mac(plan->gb_mac, &plan->has_gb_mac, "gb_mac", text);
}

static int set_pages(void *to, unsigned pages, bool has_no_thp)
{
    struct bench_plan *plan = to;
    plan->eal.pages = pages;
    plan->has_no_thp = has_no_thp;
    return COMMAND_OK;
}

int bench_value_pages(void *to, char *text)
{
    if (strcmp(text, "auto") == 0)
        return set_pages(to, LIVE_CONFIG_PAGES_AUTO, false);
    if (strcmp(text, "huge") == 0)
        return set_pages(to, LIVE_CONFIG_PAGES_HUGE, false);
    if (strcmp(text, "transparent") == 0)
        return set_pages(to, LIVE_CONFIG_PAGES_NORMAL, false);
    if (strcmp(text, "small") == 0)
        return set_pages(to, LIVE_CONFIG_PAGES_NORMAL, true);
    return bench_refuse("--pages takes auto, huge, transparent or small, not %s", text);
}

/* --- what a plan has --- */

const char *bench_value_cipher_name(uint8_t cipher)
{
    return cipher == 3 ? "gea3" : cipher == 4 ? "gea4" : "none";
}

void bench_value_octets_name(char out[8], uint16_t octets)
{
    if (octets == BENCH_PLAN_IMIX)
        snprintf(out, 8, "imix");
    else
        snprintf(out, 8, "%u", octets);
}

const char *bench_value_aqm_name(const struct bench_plan *plan)
{
    return plan->aqm.choice.ops ? plan->aqm.choice.ops->name : "none";
}

const char *bench_value_scope_name(const struct bench_plan *plan)
{
    return scopes[plan->aqm.scope];
}

const char *bench_value_pages_name(const struct bench_plan *plan)
{
    switch (plan->eal.pages) {
    case LIVE_CONFIG_PAGES_HUGE:
        return "huge";
    case LIVE_CONFIG_PAGES_NORMAL:
        return plan->has_no_thp ? "small" : "transparent";
    default:
        return "auto";
    }
}

void bench_value_show_aqm(const struct bench_plan *plan, char *out, size_t chars)
{
    snprintf(out, chars, "%s", bench_value_aqm_name(plan));
}

void bench_value_show_scope(const struct bench_plan *plan, char *out, size_t chars)
{
    snprintf(out, chars, "%s", bench_value_scope_name(plan));
}

void bench_value_show_zipf(const struct bench_plan *plan, char *out, size_t chars)
{
    snprintf(out, chars, "%g%s", plan->zipf, plan->zipf > 0 ? "" : ", uniform");
}

void bench_value_show_minutes(const struct bench_plan *plan, char *out, size_t chars)
{
    snprintf(out, chars, "%g", (double)plan->soak_ns / 60e9);
}

void bench_value_show_load(const struct bench_plan *plan, char *out, size_t chars)
{
    snprintf(out, chars, "%g%%", plan->ndr_percent);
}
