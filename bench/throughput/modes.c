/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/modes.h"
#include "bench/throughput/console.h"
#include "bench/throughput/left_folders.h"
#include "bench/throughput/ndr_loop.h"
#include "bench/throughput/report.h"
#include "bench/throughput/slices.h"
#include "bench/throughput/values.h"

#include "control/base/eal.h"
#include "control/base/whole_file.h"
#include "dataplane/base/teid.h"
#include "dataplane/wire/sndcp.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum mode_option_kind {
    OPTION_NUMBER, /* a whole number from min to max, times scale, to a field of the plan */
    OPTION_FLAG,   /* sets a field to `value` */
    OPTION_TEXT,   /* a field becomes the argument */
    OPTION_LIST,   /* a field becomes the list of the argument: words, and numbers from min to max */
    OPTION_CHARS,  /* the argument is copied to a field */
    OPTION_VALUE,  /* parse() takes the argument; or, of an option without one, `fixed` */
};

struct mode_option {
    const char *name, *argument, *what;
    const char *range; /* of a number its unit, NULL: none; else the values in words, NULL: any */
    const char *unset; /* the default in words, where show is NULL and it is not a number in range */
    uint32_t modes;    /* bits of enum bench_mode */
    bool is_parameter, value, is_one; /* is_one: a list of one value */
    const struct bench_value_words *words;
    const char *fixed;
    enum mode_option_kind kind;
    size_t at, octets; /* of the field */
    int64_t scale, min, max;
    int (*parse)(void *plan, char *text);                                 /* as command_option's */
    void (*show)(const struct bench_plan *plan, char *out, size_t chars); /* its default, or NULL */
};

#define MILLISECOND INT64_C(1000000)
#define MICROSECOND INT64_C(1000)
#define COUNT_MAX   1000000
#define ROUNDS_MAX  10000
#define SEED_MAX    INT64_C(1000000000000)
#define FEW_WORKERS 7

/* Groups of modes. */
#define STEPPING   (BENCH_BIT(BENCH_PRELOADED) | BENCH_BIT(BENCH_STAGES))
#define HIDDEN     (BENCH_BIT(BENCH_SLICES) | BENCH_BIT(BENCH_DUT))
#define COMPARISON (BENCH_BIT(BENCH_COMPARE) | BENCH_BIT(BENCH_PAIR) | BENCH_BIT(BENCH_SELF_CHECK))
#define WINDOWED   (STEPPING | BENCH_BIT(BENCH_WORKERS) | COMPARISON)
#define TWO_SIDED  (BENCH_BIT(BENCH_NDR) | BENCH_BIT(BENCH_SOAK)) /* worker and generator: two processes */
#define TRIALS     (TWO_SIDED | BENCH_BIT(BENCH_GENERATE))
#define MEASURING  (WINDOWED | TRIALS)
#define REPORTING  (MEASURING | BENCH_BIT(BENCH_SCHED))
#define LAB        (BENCH_BIT(BENCH_PAIR) | BENCH_BIT(BENCH_SELF_CHECK)) /* reports: gbflow bench report */
#define OUTSIDE    (BENCH_BIT(BENCH_GENERATE) | BENCH_BIT(BENCH_NODE))
#define INSIDE     (MEASURING & ~OUTSIDE)
#define BY_GAPS    "by the machine's gaps" /* where the plan has 0 */
#define SIZES      "64 to 1500; frame118 to frame1554, the Ethernet frame on Gn with FCS; or imix"

#define FIELD(field)                                                                                         \
    .at = offsetof(struct bench_plan, field), .octets = sizeof(((struct bench_plan *)0)->field)
#define NUMBER(field, factor, least, most)                                                                   \
    .kind = OPTION_NUMBER, FIELD(field), .scale = (factor), .min = (least), .max = (most)
#define FLAG(field, is) .kind = OPTION_FLAG, FIELD(field), .value = (is)
#define TEXT(field)     .kind = OPTION_TEXT, FIELD(field)
#define CHARS(field)    .kind = OPTION_CHARS, FIELD(field)
#define LIST(field, least, most, its_words)                                                                  \
    .kind = OPTION_LIST, FIELD(field), .min = (least), .max = (most), .words = (its_words)
#define VALUE(take)     .kind = OPTION_VALUE, .parse = (take)
#define HELP(arg, text) .argument = (arg), .what = (text)

/* Values of options of other folders: COMMAND_OK, or COMMAND_USAGE after a message. */
#define BENCH_OPTION_VALUE(take) int take(void *plan, char *text);
#include "bench/esp/options.def"
#undef BENCH_OPTION_VALUE

/* Parses the argument of --set. */
static int set_parameter(void *plan, char *text);

/* All rows, in the order of the help. A name that has two rows has other ranges in other modes. */
static const struct mode_option rows[] = {
    /* --- traffic and DUT --- */
    {"octets", HELP("LIST", "N-PDU size in octets"), .modes = INSIDE | HIDDEN,
     LIST(octets, 64, 1500, &bench_value_octets), .range = SIZES},
    {"octets", HELP("LIST", "N-PDU size in octets; several with --rfc2544"),
     .modes = BENCH_BIT(BENCH_GENERATE), LIST(octets, 64, 1500, &bench_value_octets), .range = SIZES,
     .unset = "64; with --rfc2544 64,frame128,frame256,frame512,\nframe1024,frame1280,frame1518,1500,imix"},
    {"cipher", HELP("LIST", "ciphering"), .modes = INSIDE | HIDDEN, LIST(ciphers, 0, 0, &bench_value_ciphers),
     .range = "none, gea3, gea4"},
    {"cipher", HELP("NAME", "ciphering"), .modes = OUTSIDE, LIST(ciphers, 0, 0, &bench_value_ciphers),
     .is_one = true, .range = "none, gea3, gea4"},
    {"mobiles", HELP("LIST", "mobiles, one PDP context each"), .modes = INSIDE | HIDDEN,
     LIST(mobiles, 1, TEID_SLOTS - 1, NULL), .range = "1 to 4194303"},
    {"mobiles", HELP("N", "mobiles, one PDP context each"), .modes = OUTSIDE,
     LIST(mobiles, 1, TEID_SLOTS - 1, NULL), .is_one = true, .range = "1 to 4194303"},
    {"mobiles", HELP("LIST", "mobiles, and pipes of rte_sched; powers of 2"), .modes = BENCH_BIT(BENCH_SCHED),
     LIST(mobiles, 64, 65536, NULL), .range = "64 to 65536"},
    {"cells", HELP("N", "cells (BVCs), of all workers together"), .modes = INSIDE | HIDDEN,
     NUMBER(cells, 1, 1, 65000)},
    {"cells", HELP("N", "cells (BVCs)"), .modes = OUTSIDE, NUMBER(cells, 1, 1, 4096)},
#include "bench/esp/options.def"
    {"workers", HELP("LIST", "workers, each with a CPU and an NSE"),
     .modes = BENCH_BIT(BENCH_PRELOADED) | BENCH_BIT(BENCH_WORKERS) | BENCH_BIT(BENCH_COMPARE) | HIDDEN,
     LIST(workers, 1, TEID_WORKERS, NULL), .range = "1 to 16"},
    {"workers", HELP("LIST", "workers, each with a CPU, an NSE and two memif links"), .modes = TWO_SIDED,
     LIST(workers, 1, FEW_WORKERS, NULL), .range = "1 to 7"},
    {"workers", HELP("N", "workers of the node, each with an NSE and a queue of Gn and Gb"), .modes = OUTSIDE,
     LIST(workers, 1, FEW_WORKERS, NULL), .is_one = true, .range = "1 to 7"},
    {"check-fcs", HELP(NULL, "decode each frame on Gb; fail on a wrong N(U) or FCS"),
     .modes = INSIDE & ~TWO_SIDED & ~BENCH_BIT(BENCH_WORKERS), FLAG(is_fcs_checked, true), .unset = "off"},
    {"check-fcs", HELP(NULL, "decode each frame on Gb, with --cipher none; fail on a wrong N(U) or FCS"),
     .modes = TRIALS | HIDDEN, FLAG(is_fcs_checked, true), .unset = "off"},
    /* --- trials --- */
    {"windows", HELP("N", "valid windows to measure"), .modes = WINDOWED & ~COMPARISON,
     NUMBER(windows, 1, 1, COUNT_MAX)},
    {"windows", HELP("N", "windows of a slice"), .modes = COMPARISON,
     NUMBER(windows, 1, 1, BENCH_SLICES_WINDOWS)},
    {"rounds", HELP("N", "rounds; each starts both sides"), .modes = COMPARISON,
     NUMBER(rounds, 1, 1, ROUNDS_MAX)},
    {"rounds", HELP("N", "most rounds of a load; fewer once a side has taken 30 s of processor time"),
     .modes = BENCH_BIT(BENCH_SCHED), NUMBER(rounds, 1, 1, ROUNDS_MAX)},
    {"slices", HELP("N", "slices of each side in a round"), .modes = COMPARISON,
     NUMBER(slices, 1, 1, ROUNDS_MAX)},
    {"margin", HELP("PERCENT", "difference in time per N-PDU below which none is reported"),
     .modes = COMPARISON & ~BENCH_BIT(BENCH_PAIR), NUMBER(margin_percent, 1, 0, 99), .range = "%"},
    {"least", HELP("PERCENT", "exit status 1 if two workers reach less of the sum of two processes"),
     .modes = BENCH_BIT(BENCH_PAIR), NUMBER(least_percent, 1, 0, 1000), .range = "%"},
    {"slowdown", HELP("PERCENT", "how much longer the second side's steps are made"),
     .modes = BENCH_BIT(BENCH_SELF_CHECK), NUMBER(slowdown_percent, 1, 1, 1000), .range = "%"},
    {"searches", HELP("N", "searches of each combination"), .modes = BENCH_BIT(BENCH_NDR),
     NUMBER(searches, 1, 1, BENCH_NDR_SEARCHES)},
    {"minutes", HELP("N", "duration, parts of a minute, too"), .modes = BENCH_BIT(BENCH_SOAK),
     VALUE(bench_value_minutes), .range = "above 0 to 100000", .show = bench_value_show_minutes},
    {"rate", HELP("LOAD", "offered load"), .modes = BENCH_BIT(BENCH_SOAK), VALUE(bench_value_load),
     .range = "1 to 1000000000 N-PDU/s, or 1% to 100% of NDR", .show = bench_value_show_load},
    {"rate", HELP("N", "offered load"), .modes = BENCH_BIT(BENCH_GENERATE), VALUE(bench_value_rate),
     .range = "1 to 1000000000 N-PDU/s", .unset = "search for NDR"},
    {"seconds", HELP("N", "time limit of a search"), .modes = TWO_SIDED, NUMBER(seconds, 1, 1, 86400),
     .range = "s"},
    {"seconds", HELP("N", "time limit of a search (at least 60 trials), or with --rate the duration"),
     .modes = BENCH_BIT(BENCH_GENERATE), NUMBER(seconds, 1, 1, 86400), .range = "s"},
    {"seconds", HELP("N", "duration"), .modes = BENCH_BIT(BENCH_DISTANCE), NUMBER(seconds, 1, 1, 86400),
     .range = "s"},
    {"seconds", HELP("N", "duration of a round, in the time of rte_sched's clock"),
     .modes = BENCH_BIT(BENCH_SCHED), NUMBER(seconds, 1, 1, 86400), .range = "s"},
    {"trial-ms", HELP("N", "duration of a trial of a search"), .modes = TRIALS,
     NUMBER(trial_ns, MILLISECOND, 1, 10000), .range = "ms", .unset = BY_GAPS},
    {"no-roofline", HELP(NULL, "do not measure dpdk-testpmd in the worker's place"),
     .modes = BENCH_BIT(BENCH_NDR), FLAG(has_roofline, false), .unset = "off"},
    {"no-roofline", HELP(NULL, "with --serve: do not measure dpdk-testpmd after the node"),
     .modes = BENCH_BIT(BENCH_GENERATE), FLAG(has_roofline, false), .unset = "off"},
    /* --- RFC 2544 --- */
    {"rfc2544",
     HELP(NULL, "for each size NDR, PDR, latency, longest burst without loss, recovery after overload"),
     .modes = BENCH_BIT(BENCH_GENERATE), FLAG(is_rfc2544, true), .unset = "off"},
    {"serve", HELP(NULL, "start the node here, and dpdk-testpmd on the same ports after it"),
     .modes = BENCH_BIT(BENCH_GENERATE), FLAG(is_served, true), .unset = "off"},
    {"testpmd", HELP(NULL, "measure dpdk-testpmd in the node's place"), .modes = BENCH_BIT(BENCH_GENERATE),
     FLAG(is_testpmd, true), .unset = "off"},
    {"roofline", HELP("FILE", "report of --testpmd whose rates to put beside the node's"),
     .modes = BENCH_BIT(BENCH_GENERATE), TEXT(roofline), .unset = "none"},
    {"trial-s", HELP("N", "duration of a trial in place of --trial-ms; RFC 2544 asks for 60"),
     .modes = BENCH_BIT(BENCH_GENERATE), NUMBER(trial_s, 1, 1, 3600), .range = "s", .unset = "--trial-ms"},
    {"limit-minutes", HELP("N", "time limit of all sizes together; what was measured until then is written"),
     .modes = BENCH_BIT(BENCH_GENERATE), NUMBER(limit_s, 60, 1, 100000), .range = "minutes"},
    {"node-gn", HELP("DEV", "with --serve: DPDK device of the node's Gn"), .modes = BENCH_BIT(BENCH_GENERATE),
     CHARS(node_gn), .unset = "a memif link"},
    {"node-gb", HELP("DEV", "with --serve: DPDK device of the node's Gb"), .modes = BENCH_BIT(BENCH_GENERATE),
     CHARS(node_gb), .unset = "a memif link"},
    /* --- ports and machine --- */
    {"gn", HELP("DEV", "DPDK device of Gn"), .modes = OUTSIDE, CHARS(eal.gn.device), .unset = "a memif link"},
    {"gb", HELP("DEV", "DPDK device of Gb"), .modes = OUTSIDE, CHARS(eal.gb.device), .unset = "a memif link"},
    {"program", HELP("FILE", "the gbflow to measure"),
     .modes = BENCH_BIT(BENCH_PAIR) | BENCH_BIT(BENCH_SELF_CHECK), TEXT(programs[0]),
     .unset = "../../gbflow, from gbflow-fitness's folder"},
    {"cores", HELP("LIST", "CPUs of the workers"), .modes = WINDOWED | HIDDEN, VALUE(bench_value_cores),
     .range = "0 to 4095", .unset = "the last ones"},
    {"cores", HELP("N", "CPU of the measurement"), .modes = BENCH_BIT(BENCH_SCHED), VALUE(bench_value_cores),
     .range = "0 to 4095", .unset = "the last one"},
    {"cores", HELP("LIST", "CPUs of the workers, then of the generator"), .modes = TWO_SIDED,
     VALUE(bench_value_cores), .range = "0 to 4095", .unset = "the last ones"},
    {"cores", HELP("N", "CPU of the generator"), .modes = BENCH_BIT(BENCH_GENERATE), VALUE(bench_value_cores),
     .range = "0 to 4095", .unset = "the last one"},
    {"cores", HELP("A,B", "the two CPUs"), .modes = BENCH_BIT(BENCH_DISTANCE), VALUE(bench_value_cores),
     .range = "0 to 4095", .unset = "the last two"},
    {"pages", HELP("KIND", "memory pages"),
     .modes = REPORTING | BENCH_BIT(BENCH_NODE) | BENCH_BIT(BENCH_DISTANCE), VALUE(bench_value_pages),
     .range = "auto, huge (DPDK's or fail), transparent (none of DPDK's), small (neither)", .unset = "auto"},
    {"set", HELP("NAME=VALUE", "a parameter below; may be repeated"),
     .modes = REPORTING | BENCH_BIT(BENCH_NODE), VALUE(set_parameter)},
    /* --- output --- */
    {"out", HELP("DIR", "folder for bench.json and report.html, unless --json or --html names the file"),
     .modes = REPORTING & ~LAB, TEXT(out), .unset = "none"},
    {"out", HELP("DIR", "folder for report.html, unless --html names the file"),
     .modes = BENCH_BIT(BENCH_REPORT), TEXT(out), .unset = "none"},
    {"json", HELP("FILE", "report to write, schema gbflow-bench/2"), .modes = REPORTING, TEXT(json),
     .unset = "none"},
    {"html", HELP("FILE", "HTML page of the report to write"), .modes = REPORTING & ~LAB, TEXT(html),
     .unset = "none"},
    {"html", HELP("FILE", "HTML page to write"), .modes = BENCH_BIT(BENCH_REPORT), TEXT(html)},
    /* --- parameters --- */
    {"n201_u", HELP("OCTETS", "N201-U, the longest LLC information field"),
     .modes = MEASURING | BENCH_BIT(BENCH_NODE), .is_parameter = true,
     NUMBER(n201_u, 1, SNDCP_N201_U_MIN_OCTETS, SNDCP_N201_U_MAX_OCTETS)},
    {"aqm", HELP("SCHEME", "AQM, with its defaults"), .modes = INSIDE | BENCH_BIT(BENCH_NODE),
     .is_parameter = true, VALUE(bench_value_aqm), .range = "none, or a name of `gbflow aqm list`",
     .show = bench_value_show_aqm},
    {"aqm_scope", HELP("SCOPE", "queues that share an AQM state"), .modes = INSIDE | BENCH_BIT(BENCH_NODE),
     .is_parameter = true, VALUE(bench_value_scope), .range = "class_of_nse, class_of_bvc, ms, flow",
     .show = bench_value_show_scope},
    {"teids", HELP("ORIGIN", "TEIDs of the tunnels"),
     .modes = (MEASURING & ~BENCH_BIT(BENCH_WORKERS)) | BENCH_BIT(BENCH_NODE), .is_parameter = true,
     VALUE(bench_value_teids), .range = "own (slot numbers), foreign (looked up in a hash)", .unset = "own"},
    {"zipf", HELP("S", "Zipf exponent of the mobiles' popularity"), .modes = MEASURING, .is_parameter = true,
     VALUE(bench_value_zipf), .range = "0 to 4", .show = bench_value_show_zipf},
    {"bvc_rate", HELP("PERCENT", "R of all BVC buckets together, of the offered octets"),
     .modes = BENCH_BIT(BENCH_PRELOADED) | COMPARISON, .is_parameter = true,
     NUMBER(bvc_rate_percent, 1, 1, 1000), .range = "%", .unset = "unlimited"},
    {"seed", HELP("N", "seed of the traffic's random numbers"), .modes = MEASURING, .is_parameter = true,
     NUMBER(seed, 1, 0, SEED_MAX)},
    {"gap_us", HELP("N", "a longer step voids its window"), .modes = WINDOWED, .is_parameter = true,
     NUMBER(gap_ns, MICROSECOND, 1, 10000000), .range = "us"},
    {"gap_us", HELP("N", "a longer turn of worker or generator is a gap"), .modes = TRIALS,
     .is_parameter = true, NUMBER(gap_ns, MICROSECOND, 1, 10000000), .range = "us", .unset = BY_GAPS},
    {"void_after", .modes = STEPPING, .is_parameter = true, NUMBER(void_after, 1, 1, COUNT_MAX)},
    {"window_ms", HELP("N", "shortest duration of a window"), .modes = WINDOWED, .is_parameter = true,
     NUMBER(window_ns, MILLISECOND, 1, 10000), .range = "ms"},
    {"counted_steps", HELP("N", "steps whose instructions and lines of cache are counted, after the warm-up"),
     .modes = BENCH_BIT(BENCH_STAGES), .is_parameter = true, NUMBER(counted_steps, 1, 0, 1000)},
    {"counted_steps", HELP("N", "steps of each load whose instructions are counted, some seconds each"),
     .modes = BENCH_BIT(BENCH_SCHED), .is_parameter = true, NUMBER(counted_steps, 1, 0, 1000)},
    {"link", HELP("NAME", "name of the memif links (abstract socket)"), .modes = OUTSIDE,
     .is_parameter = true, TEXT(link), .unset = "gbflow-generate"},
    {"bursts", HELP("N", "with --rfc2544: searches of the longest burst; RFC 2544 asks for 50"),
     .modes = BENCH_BIT(BENCH_GENERATE), .is_parameter = true, NUMBER(bursts, 1, 1, 1000)},
    {"overload", HELP("PERCENT", "with --rfc2544: load before the recovery, of NDR"),
     .modes = BENCH_BIT(BENCH_GENERATE), .is_parameter = true, NUMBER(overload_percent, 1, 101, 1000),
     .range = "%"},
    {"node_core", HELP("CPU", "with --serve: CPU of the node's worker and of dpdk-testpmd"),
     .modes = BENCH_BIT(BENCH_GENERATE), .is_parameter = true, NUMBER(node_core, 1, 0, 4095),
     .unset = "the last one but --cores"},
    {"gn_mac", HELP("MAC", "the node's address on Gn"), .modes = BENCH_BIT(BENCH_GENERATE),
     .is_parameter = true, VALUE(bench_value_gn_mac), .unset = "by ARP"},
    {"gb_mac", HELP("MAC", "the node's address on Gb"), .modes = BENCH_BIT(BENCH_GENERATE),
     .is_parameter = true, VALUE(bench_value_gb_mac), .unset = "by ARP"},
    /* --- of the hidden modes; spelled so since protocol 1 of slices.h --- */
    {"n201-u", .modes = HIDDEN, NUMBER(n201_u, 1, SNDCP_N201_U_MIN_OCTETS, SNDCP_N201_U_MAX_OCTETS)},
    {"aqm", .modes = HIDDEN, VALUE(bench_value_aqm)},
    {"scope", .modes = HIDDEN, VALUE(bench_value_scope)},
    {"foreign", .modes = HIDDEN, FLAG(is_foreign, true)},
    {"zipf", .modes = HIDDEN, VALUE(bench_value_zipf)},
    {"open", .modes = HIDDEN, NUMBER(bvc_rate_percent, 1, 1, 1000)},
    {"seed", .modes = HIDDEN, NUMBER(seed, 1, 0, SEED_MAX)},
    {"gap-us", .modes = HIDDEN, NUMBER(gap_ns, MICROSECOND, 1, 10000000)},
    {"window-ms", .modes = HIDDEN, NUMBER(window_ns, MILLISECOND, 1, 10000)},
    {"plant", .modes = HIDDEN, NUMBER(slowdown_percent, 1, 0, 1000)},
    {"huge", .modes = HIDDEN, VALUE(bench_value_pages), .fixed = "huge"},
    {"no-dpdk-huge", .modes = HIDDEN, VALUE(bench_value_pages), .fixed = "transparent"},
    {"no-huge", .modes = HIDDEN, VALUE(bench_value_pages), .fixed = "small"},
    {"socket", .modes = BENCH_BIT(BENCH_DUT), TEXT(socket)},
    {"page-fd", .modes = BENCH_BIT(BENCH_DUT), NUMBER(page_fd, 1, 0, INT_MAX)},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool is_of(const struct mode_option *o, enum bench_mode mode)
{
    return o->modes & BENCH_BIT(mode);
}

/* The program and mode of parse(), for set_parameter(), whose only context is the plan. */
static const struct bench_modes *program;
static enum bench_mode current;

/* --- numbers --- */

static void store(const struct mode_option *o, struct bench_plan *plan, int64_t number)
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

/* A number's field in the option's unit. */
static int64_t load(const struct mode_option *o, const struct bench_plan *plan)
{
    const char *field = (const char *)plan + o->at;
    assert(o->octets == 2 || o->octets == 4 || o->octets == 8);
    return (o->octets == 2   ? *(const uint16_t *)field
            : o->octets == 4 ? *(const uint32_t *)field
                             : *(const int64_t *)field) /
           o->scale;
}

/* --- options of one mode --- */

/* Rows in the form of command_parse(). */
struct listing {
    struct command_option options[COMMAND_OPTIONS];
    const struct mode_option *rows[COMMAND_OPTIONS];
    int64_t numbers[COMMAND_OPTIONS];
    unsigned count;
};

static struct listing listing;

/* The argument of an option of other kinds than command_parse() knows. */
static int modes_take(void *plan, const struct command_option *option, char *text)
{
    const struct mode_option *o = listing.rows[option - listing.options];
    void *field = (char *)plan + o->at;
    if (o->kind == OPTION_LIST)
        return bench_value_list(
            field, &(struct bench_value_range){o->name, o->min, o->max, o->words, o->is_one}, text);
    if (o->kind == OPTION_VALUE)
        return o->parse(plan, text ? text : (char *)(uintptr_t)o->fixed);
    if (snprintf(field, o->octets, "%s", text) < (int)o->octets)
        return COMMAND_OK;
    return bench_refuse("--%s takes up to %d characters, not %s", o->name, (int)o->octets - 1, text);
}

static struct command_option *modes_find(struct listing *l, const char *name)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->options[i].name, name) == 0)
            return &l->options[i];
    return NULL;
}

static void modes_add(struct listing *l, const struct mode_option *o, struct bench_plan *plan, uint32_t modes)
{
    char *field = (char *)plan + o->at;
    const unsigned i = l->count++;
    assert(i < COMMAND_OPTIONS);
    struct command_option *to = &l->options[i];
    *to = (struct command_option){.name = o->name, .modes = modes};
    l->rows[i] = o;
    if (o->kind == OPTION_TEXT)
        to->text = (const char **)field;
    if (o->kind == OPTION_FLAG)
        to->flag = (bool *)field;
    if (o->kind >= OPTION_LIST)
        to->take = modes_take;
    if (o->kind == OPTION_NUMBER)
        to->number = &l->numbers[i];
    l->numbers[i] = o->kind == OPTION_NUMBER ? load(o, plan) : 0;
    to->min = o->min;
    to->max = o->max;
    to->value = o->value;
    to->takes = o->fixed ? COMMAND_NO_ARGUMENT : COMMAND_ARGUMENT;
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
    for (unsigned i = 0; i < ROWS; i++) {
        const struct mode_option *o = &rows[i];
        if (!o->is_parameter && is_of(o, current))
            modes_add(l, o, plan, bits_in(program, o->modes));
    }
    for (unsigned i = 0; i < ROWS; i++) {
        const struct mode_option *o = &rows[i];
        const uint32_t bits = bits_in(program, o->modes);
        struct command_option *there = modes_find(l, o->name);
        if (o->is_parameter || bits == 0 || is_of(o, current))
            continue;
        if (there)
            there->modes |= bits;
        else
            modes_add(l, o, plan, bits);
    }
}

/* Parses a mode's options into a plan that has its defaults. `modes`: of the program, whose other modes may
 * own an option, or NULL. COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP. */
static int parse(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode, int argc,
                 char **argv)
{
    struct listing *const l = &listing;
    program = modes;
    current = mode;
    l->count = 0;
    list_rows(l, plan);
    const struct command_parser parser = {.command = bench_console_command(),
                                          .options = l->options,
                                          .count = l->count,
                                          .to = plan,
                                          .modes = modes ? &modes->list : NULL,
                                          .mode = mode - (modes ? (unsigned)modes->first : 0)};
    int status = command_parse(&parser, argc, argv);
    for (unsigned i = 0; status == COMMAND_OK && i < l->count; i++)
        if (l->options[i].number && is_of(l->rows[i], mode))
            store(l->rows[i], plan, l->numbers[i]);
    return status;
}

/* --- parameters --- */

static const struct mode_option *find_parameter(const char *name, uint32_t *bits)
{
    const struct mode_option *found = NULL;
    *bits = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        const struct mode_option *o = &rows[i];
        if (!o->is_parameter || strcmp(o->name, name) != 0)
            continue;
        *bits |= bits_in(program, o->modes);
        if (is_of(o, current))
            found = o;
    }
    return found;
}

static int refuse_parameter(const char *name, uint32_t bits)
{
    char names[COMMAND_NAMES_CHARS];
    struct words words = {.count = 0};
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].is_parameter && is_of(&rows[i], current))
            words_add(&words, rows[i].name);
    if (bits == 0)
        return command_unknown(bench_console_command(), "--set: ", "parameter", name, &words);
    command_put_modes(names, &program->list, bits, "'");
    return bench_refuse("--set: %s belongs to %s", name, names);
}

static int set_number(const struct mode_option *o, struct bench_plan *plan, const char *text)
{
    char *end;
    int64_t number = strtoll(text, &end, 10);
    if (*end || end == text || number < o->min || number > o->max)
        return bench_refuse("%s takes whole numbers from %" PRId64 " to %" PRId64 ", not %s", o->name, o->min,
                            o->max, text);
    store(o, plan, number);
    return COMMAND_OK;
}

static int set_parameter(void *to, char *text)
{
    uint32_t bits;
    char *value = strchr(text, '=');
    if (!value)
        return bench_refuse("--set takes NAME=VALUE, not %s", text);
    *value++ = 0;
    const struct mode_option *o = find_parameter(text, &bits);
    if (!o)
        return refuse_parameter(text, bits);
    if (o->kind == OPTION_NUMBER)
        return set_number(o, to, value);
    if (o->kind == OPTION_TEXT)
        *(const char **)((char *)to + o->at) = value;
    return o->kind == OPTION_VALUE ? o->parse(to, value) : COMMAND_OK;
}

/* --- help --- */

#define COLUMN     19 /* of the descriptions */
#define TEXT_CHARS 512

/* "description: range; default X". */
static void describe(char out[TEXT_CHARS], const struct mode_option *o, const struct bench_plan *plan)
{
    char value[TEXT_CHARS] = "";
    int used = snprintf(out, TEXT_CHARS, "%s", o->what);
    if (o->kind == OPTION_NUMBER) {
        const int64_t number = load(o, plan);
        used += snprintf(out + used, TEXT_CHARS - (size_t)used, ": %" PRId64 " to %" PRId64 "%s%s", o->min,
                         o->max, o->range ? " " : "", o->range ? o->range : "");
        if (number >= o->min && number <= o->max)
            snprintf(value, sizeof(value), "%" PRId64, number);
    } else if (o->range) {
        used += snprintf(out + used, TEXT_CHARS - (size_t)used, ": %s", o->range);
    }
    if (o->show)
        o->show(plan, value, sizeof(value));
    if (o->kind == OPTION_LIST)
        bench_value_show_list((const void *)((const char *)plan + o->at), o->words, value, sizeof(value));
    if (!value[0] && o->unset)
        snprintf(value, sizeof(value), "%s", o->unset);
    if (value[0])
        snprintf(out + used, TEXT_CHARS - (size_t)used, "; default %s", value);
}

static void print_row(FILE *out, const struct mode_option *o, const struct bench_plan *plan)
{
    char name[64], text[TEXT_CHARS];
    describe(text, o, plan);
    const char *between = !o->argument ? "" : o->is_parameter ? "=" : " ";
    snprintf(name, sizeof(name), o->is_parameter ? "  %s%s%s" : "  --%s%s%s", o->name, between,
             o->argument ? o->argument : "");
    int at = fprintf(out, "%-*s ", COLUMN, name);
    command_put_words(out, text, at, COLUMN + 1);
}

static unsigned print_rows(FILE *out, enum bench_mode mode, bool are_parameters,
                           const struct bench_plan *plan)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        const struct mode_option *o = &rows[i];
        if (!is_of(o, mode) || o->is_parameter != are_parameters || !o->what)
            continue;
        if (count++ == 0)
            fputs(are_parameters ? "\nparameters of --set:\n" : "\n", out);
        print_row(out, o, plan);
    }
    return count;
}

/* The help of a mode: usage, options with ranges and defaults, parameters, example. */
static void print_help(FILE *out, const struct bench_modes *modes, enum bench_mode mode)
{
    static struct bench_plan plan;
    const struct bench_mode_row *row = &modes->rows[mode - modes->first];
    bench_plan_set_defaults(&plan, mode);
    fprintf(out, "usage: %s\n\n", row->usage);
    command_put_words(out, row->about, 0, 0);
    print_rows(out, mode, false, &plan);
    print_rows(out, mode, true, &plan);
    fprintf(out, "\nexample:\n  %s\nresults: %s\n", row->example, row->results);
    command_put_words(out, row->status, fprintf(out, "exit status: "), 0);
}

/* --- from arguments to the run --- */

/* Makes the plan of a mode's arguments. */
static int make_plan(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode, int argc,
                     char **argv)
{
    bench_plan_set_defaults(plan, mode);
    int status = parse(plan, modes, mode, argc, argv);
    if (status != COMMAND_OK)
        return status;
    plan->files = argv + optind;
    plan->file_count = (unsigned)(argc - optind);
    bench_report_out(plan);
    return bench_plan_check(plan, mode);
}

static int plan_run(const struct bench_mode_row *row, struct bench_plan *plan)
{
    if (plan->has_no_thp)
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    bench_left_folders_remove();
    if (!bench_report_html_begin(plan))
        return COMMAND_FAILED;
    return bench_report_html_end(plan, row->run(plan));
}

int bench_mode_main(const struct bench_modes *modes, int argc, char **argv)
{
    static struct bench_plan plan;
    unsigned i;
    int status;
    if (!command_find_mode(&modes->list, argc, argv, &i, &status))
        return status;
    const enum bench_mode mode = modes->first + i;
    bench_console_begin(modes->rows[i].command);
    status = make_plan(&plan, modes, mode, argc - 1, argv + 1);
    if (status == COMMAND_HELP) {
        print_help(stdout, modes, mode);
        return COMMAND_OK;
    }
    if (status != COMMAND_OK)
        return status;
    if (plan.out && !whole_file_make_folder(plan.out))
        return COMMAND_FAILED;
    return mode == BENCH_REPORT ? modes->rows[i].run(&plan) : plan_run(&modes->rows[i], &plan);
}

int bench_mode_hidden(const struct bench_mode_row *row, enum bench_mode mode, int argc, char **argv)
{
    static struct bench_plan plan;
    bench_console_begin(row->command);
    int status = make_plan(&plan, NULL, mode, argc, argv);
    return command_accepted(row->about, &status) ? plan_run(row, &plan) : status;
}
