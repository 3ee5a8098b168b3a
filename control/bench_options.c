/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/bench_options.h"

#include "control/bench_ndr.h"
#include "control/command.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/sndcp.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OCTETS_MIN    64
#define OCTETS_MAX    1500
#define CELLS_MAX     65000
#define WINDOWS_MAX   1000000
#define WINDOW_MS_MAX 10000
#define GAP_US_MAX    10000000
#define OPEN_MAX      1000
#define ZIPF_MAX      4.0
#define SECONDS_MAX   86400
#define SEED_MAX      INT64_C(1000000000000)

static const struct option options[] = {
    {"octets", required_argument, NULL, 'o'},
    {"cipher", required_argument, NULL, 'c'},
    {"mobiles", required_argument, NULL, 'm'},
    {"cells", required_argument, NULL, 'b'},
    {"workers", required_argument, NULL, 'w'},
    {"zipf", required_argument, NULL, 'z'},
    {"open", required_argument, NULL, 'p'},
    {"aqm", required_argument, NULL, 'a'},
    {"scope", required_argument, NULL, 's'},
    {"n201-u", required_argument, NULL, 'u'},
    {"foreign", no_argument, NULL, 'f'},
    {"check-fcs", no_argument, NULL, 'k'},
    {"windows", required_argument, NULL, 'n'},
    {"window-ms", required_argument, NULL, 't'},
    {"gap-us", required_argument, NULL, 'g'},
    {"seed", required_argument, NULL, 'r'},
    {"cores", required_argument, NULL, 'C'},
    {"huge", no_argument, NULL, 'H'},
    {"no-huge", no_argument, NULL, 'N'},
    {"json", required_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, 'q'},
    {"searches", required_argument, NULL, 'S'},
    {"seconds", required_argument, NULL, 'T'},
    {"trial-ms", required_argument, NULL, 'M'},
    {"no-roofline", no_argument, NULL, 'R'},
    {"page-fd", required_argument, NULL, 'F'},
    {"socket", required_argument, NULL, 'K'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A whole number in a range; -1 after a message. */
static int64_t number(const char *name, const char *text, int64_t min, int64_t max)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!errno && !*end && end != text && value >= min && value <= max)
        return value;
    char message[96];
    snprintf(message, sizeof(message), "--%s takes whole numbers from %lld to %lld, not ", name,
             (long long)min, (long long)max);
    command_wrong("bench", message, text);
    return -1;
}

struct range {
    const char *name;
    int64_t min, max;
    int (*word)(const char *text); /* a value that has a name, -1: none; may be NULL */
};

static int put_choice(struct bench_plan_axis *axis, const struct range *range, const char *text)
{
    int64_t value = range->word ? range->word(text) : -1;
    if (value < 0)
        value = number(range->name, text, range->min, range->max);
    if (value < 0)
        return COMMAND_USAGE;
    if (axis->count == BENCH_PLAN_CHOICES)
        return command_wrong("bench", "too many values for --", range->name);
    axis->values[axis->count++] = (uint32_t)value;
    return COMMAND_OK;
}

/* A list with commas. */
static int parse_axis(struct bench_plan_axis *axis, const struct range *range, const char *text)
{
    char copy[256], *rest = copy, *one;
    int status = COMMAND_OK;
    axis->count = 0;
    if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
        return command_wrong("bench", "too long a list: ", text);
    while (status == COMMAND_OK && (one = strsep(&rest, ",")))
        status = put_choice(axis, range, one);
    return status;
}

static int octets_word(const char *text)
{
    return strcmp(text, "imix") == 0 ? BENCH_PLAN_IMIX : -1;
}

static int cipher_word(const char *text)
{
    return strcmp(text, "none") == 0 ? 0 : strcmp(text, "gea3") == 0 ? 3 : strcmp(text, "gea4") == 0 ? 4 : -1;
}

static int parse_ciphers(struct bench_plan *plan, const char *text)
{
    char copy[64], *rest = copy, *one;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((one = strsep(&rest, ",")))
        if (cipher_word(one) < 0)
            return command_wrong("bench", "--cipher takes none, gea3 and gea4, not ", text);
    return parse_axis(&plan->ciphers, &(struct range){"cipher", 0, 0, cipher_word}, text);
}

static int parse_aqm(struct bench_plan *plan, const char *text)
{
    struct aqm_registry registry;
    plan->aqm.choice = (struct aqm_choice){.seed = 1};
    if (strcmp(text, "none") == 0)
        return COMMAND_OK;
    aqm_registry_init(&registry);
    plan->aqm.choice.ops = aqm_registry_find(&registry, text);
    aqm_registry_fini(&registry); /* what is built in stays */
    return plan->aqm.choice.ops ? COMMAND_OK : command_wrong("bench", "there is no AQM scheme ", text);
}

static int parse_scope(struct bench_plan *plan, const char *text)
{
    static const char *const names[SCHED_AQM_SCOPES] = {"class_of_nse", "class_of_bvc", "ms", "flow"};
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++) {
        plan->aqm.scope = (uint8_t)i;
        if (strcmp(text, names[i]) == 0)
            return COMMAND_OK;
    }
    return command_wrong("bench", "--scope takes class_of_nse, class_of_bvc, ms or flow, not ", text);
}

static int parse_zipf(struct bench_plan *plan, const char *text)
{
    char *end;
    plan->zipf = strtod(text, &end);
    if (*end || end == text || !(plan->zipf >= 0 && plan->zipf <= ZIPF_MAX))
        return command_wrong("bench", "--zipf takes a number from 0 to 4, not ", text);
    return COMMAND_OK;
}

static int parse_cores(struct live_config *eal, const char *text)
{
    struct bench_plan_axis axis;
    int status = parse_axis(&axis, &(struct range){"cores", 0, 4095, NULL}, text);
    eal->core_count = axis.count;
    for (unsigned i = 0; i < axis.count; i++)
        eal->cores[i] = axis.values[i];
    return status;
}

/* Options that are one whole number. */
static int parse_number(struct bench_plan *plan, int option, const char *text)
{
    static const struct range ranges[] = {
        ['b'] = {"cells", 1, CELLS_MAX, NULL},
        ['p'] = {"open", 1, OPEN_MAX, NULL},
        ['u'] = {"n201-u", SNDCP_N201_U_MIN_OCTETS, SNDCP_N201_U_MAX_OCTETS, NULL},
        ['n'] = {"windows", 1, WINDOWS_MAX, NULL},
        ['t'] = {"window-ms", 1, WINDOW_MS_MAX, NULL},
        ['S'] = {"searches", 1, BENCH_NDR_SEARCHES, NULL},
        ['T'] = {"seconds", 1, SECONDS_MAX, NULL},
        ['M'] = {"trial-ms", 1, WINDOW_MS_MAX, NULL},
        ['F'] = {"page-fd", 0, INT_MAX, NULL},
        ['g'] = {"gap-us", 1, GAP_US_MAX, NULL},
        ['r'] = {"seed", 0, SEED_MAX, NULL},
    };
    int64_t value = number(ranges[option].name, text, ranges[option].min, ranges[option].max);
    if (value < 0)
        return COMMAND_USAGE;
    switch (option) {
    case 'b':
        plan->cells = (uint32_t)value;
        break;
    case 'p':
        plan->open_percent = (unsigned)value;
        break;
    case 'u':
        plan->n201_u = (uint16_t)value;
        break;
    case 'n':
        plan->windows = (unsigned)value;
        break;
    case 't':
        plan->window_ns = value * (MOMENT_SECOND / 1000);
        break;
    case 'S':
        plan->searches = (unsigned)value;
        break;
    case 'T':
        plan->seconds = (unsigned)value;
        break;
    case 'M':
        plan->trial_ns = value * (MOMENT_SECOND / 1000);
        break;
    case 'F':
        plan->page_fd = (int)value;
        break;
    case 'g':
        plan->gap_ns = value * (MOMENT_SECOND / 1000000);
        break;
    default:
        plan->seed = (uint64_t)value;
    }
    return COMMAND_OK;
}

static int parse_switch(struct bench_plan *plan, int option)
{
    switch (option) {
    case 'f':
        plan->is_foreign = true;
        return COMMAND_OK;
    case 'k':
        plan->is_fcs_checked = true;
        return COMMAND_OK;
    case 'H':
        plan->eal.pages = LIVE_CONFIG_PAGES_HUGE;
        return COMMAND_OK;
    case 'N':
        plan->eal.pages = LIVE_CONFIG_PAGES_NORMAL;
        return COMMAND_OK;
    case 'R':
        plan->has_roofline = false;
        return COMMAND_OK;
    case 'q':
        plan->is_quiet = true;
        return COMMAND_OK;
    case 'h':
        return COMMAND_HELP;
    default:
        return command_wrong("bench", "wrong option", "");
    }
}

static int parse_option(struct bench_plan *plan, int option, const char *text)
{
    switch (option) {
    case 'o':
        return parse_axis(&plan->octets, &(struct range){"octets", OCTETS_MIN, OCTETS_MAX, octets_word},
                          text);
    case 'c':
        return parse_ciphers(plan, text);
    case 'm':
        return parse_axis(&plan->mobiles, &(struct range){"mobiles", 1, TEID_SLOTS - 1, NULL}, text);
    case 'w':
        return parse_axis(&plan->workers, &(struct range){"workers", 1, TEID_WORKERS, NULL}, text);
    case 'z':
        return parse_zipf(plan, text);
    case 'a':
        return parse_aqm(plan, text);
    case 's':
        return parse_scope(plan, text);
    case 'C':
        return parse_cores(&plan->eal, text);
    case 'K':
        snprintf(plan->socket, sizeof(plan->socket), "%s", text);
        return COMMAND_OK;
    case 'j':
        plan->json = text;
        return COMMAND_OK;
    default:
        return strchr("bpuntgrSTMF", option) ? parse_number(plan, option, text) : parse_switch(plan, option);
    }
}

static void set_defaults(struct bench_plan *plan)
{
    *plan = (struct bench_plan){
        .octets = {3, {64, 512, 1400}},
        .ciphers = {1, {0}},
        .mobiles = {1, {100000}},
        .workers = {1, {1}},
        .cells = 1000,
        .n201_u = 500,
        .aqm = {.scope = SCHED_AQM_MS},
        .windows = 100,
        .window_ns = MOMENT_SECOND / 1000,
        .gap_ns = MOMENT_SECOND / 10000,
        .seed = 1,
        .searches = 3,
        .seconds = 60,
        .trial_ns = 20 * (MOMENT_SECOND / 1000),
        .has_roofline = true,
        .page_fd = -1,
    };
    parse_aqm(plan, "codel");
    snprintf(plan->eal.eal_prefix, sizeof(plan->eal.eal_prefix), "gbflow-bench%d", (int)getpid());
}

/* What only all options together tell. */
static int check(struct bench_plan *plan)
{
    const char *reason = "";
    for (unsigned i = 0; i < plan->workers.count; i++) {
        if (plan->workers.values[i] > plan->cells)
            return command_wrong("bench", "each worker needs a cell", "");
        for (unsigned k = 0; k < plan->mobiles.count; k++)
            if (plan->workers.values[i] > plan->mobiles.values[k])
                return command_wrong("bench", "each worker needs a mobile", "");
    }
    for (unsigned i = 0; i < plan->ciphers.count && !plan->gea; i++)
        if (plan->ciphers.values[i] != 0 && !(plan->gea = gea_init(NULL, &reason)))
            return command_wrong("bench", "there is no ciphering: ", reason);
    return COMMAND_OK;
}

/* A worker in a process of its own. */
static int check_apart(const struct bench_plan *plan)
{
    if (plan->open_percent > 0)
        return command_wrong("bench", "--open is for preloaded only", "");
    if (plan->workers.count != 1 || plan->workers.values[0] != 1)
        return command_wrong("bench", "--workers is for preloaded only", "");
    for (unsigned i = 0; plan->is_fcs_checked && i < plan->ciphers.count; i++)
        if (plan->ciphers.values[i] != 0)
            return command_wrong("bench", "--check-fcs takes frames in clear here", "");
    return COMMAND_OK;
}

/* Of worker and generator: the last ones there are, unless they were given. */
static void choose_cores(struct live_config *eal)
{
    cpu_set_t cpus;
    if (eal->core_count == 0 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        for (unsigned cpu = CPU_SETSIZE; cpu-- > 0 && eal->core_count < 2;)
            if (CPU_ISSET(cpu, &cpus))
                eal->cores[eal->core_count++] = cpu;
    if (eal->core_count == 1)
        eal->cores[eal->core_count++] = eal->cores[0];
}

int bench_options_parse(struct bench_plan *plan, enum bench_options_mode mode, int argc, char **argv)
{
    int c, status = COMMAND_OK;
    set_defaults(plan);
    while (status == COMMAND_OK && (c = getopt_long(argc, argv, "", options, NULL)) != -1)
        status = parse_option(plan, c, optarg);
    if (status != COMMAND_OK)
        return status;
    if (optind < argc)
        return command_wrong("bench", "wrong argument ", argv[optind]);
    if (mode != BENCH_OPTIONS_PRELOADED)
        status = check_apart(plan);
    if (mode == BENCH_OPTIONS_NDR)
        choose_cores(&plan->eal);
    return status == COMMAND_OK ? check(plan) : status;
}
