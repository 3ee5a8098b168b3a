/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/micro.h"

#include "bench/statistics/spread.h"
#include "bench/throughput/report.h"
#include "control/base/clock.h"
#include "control/base/whole_file.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA       "gbflow-bench-micro/1"
#define ROUNDS_MOST  9999
#define TURN_MOST    10000 /* ms */
#define NAME_CHARS   160
#define NUMBER_CHARS 40
#define LINE_OCTETS  64

static struct {
    int64_t rounds, turn_ms;
    const char *filter, *json;
    bool is_filtered, has_failed;
    regex_t regex;
    struct json_stream stream;
} plan;

/* A side of the point under measurement. */
struct side {
    struct micro_point point;
    char name[NAME_CHARS];
    void *state;
    uint64_t calls; /* of a turn */
    struct bench_spread ns, added;
};

_Noreturn void micro_die(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(COMMAND_FAILED);
}

void *micro_memory(size_t octets)
{
    const size_t rounded = (octets + LINE_OCTETS - 1) / LINE_OCTETS * LINE_OCTETS;
    void *memory = aligned_alloc(LINE_OCTETS, rounded);
    micro_need(memory, "out of memory");
    return memset(memory, 0, rounded);
}

uint64_t micro_resident_octets(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    micro_need(file && fscanf(file, "%*u %lu", &pages) == 1, "no /proc/self/statm");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void micro_figure(struct micro_result *result, const char *name, double value)
{
    assert(result->count < MICRO_FIGURES);
    result->figures[result->count].name = name;
    result->figures[result->count++].value = value;
}

void micro_fault(struct micro_result *result, bool is_good, const char *fault)
{
    if (!is_good && !result->fault[0])
        snprintf(result->fault, sizeof(result->fault), "%s", fault);
}

/* --- points --- */

static unsigned axes_of(const struct micro_case *c)
{
    unsigned count = 0;
    while (count < MICRO_AXES && c->axes[count])
        count++;
    return count;
}

/* "framing/llc_pdu:64", and the side behind it. */
static void name_point(char out[NAME_CHARS], const struct micro_point *p)
{
    int used = snprintf(out, NAME_CHARS, "%s", p->of->name);
    for (unsigned i = 0; i < axes_of(p->of); i++)
        used +=
            snprintf(out + used, NAME_CHARS - (size_t)used, "/%s:%" PRId64, p->of->axes[i]->name, p->at[i]);
    if (p->of->sides[0])
        snprintf(out + used, NAME_CHARS - (size_t)used, "/%s", p->of->sides[p->side]);
}

/* The number of a point as the values at it; false: there are fewer points. */
static bool set_point(struct micro_point *p, unsigned number)
{
    for (unsigned i = axes_of(p->of); i-- > 0; number /= p->of->axes[i]->count)
        p->at[i] = p->of->axes[i]->values[number % p->of->axes[i]->count];
    return number == 0;
}

/* --- turns --- */

static double run_calls(struct side *s, double *took_ns)
{
    double items = 0;
    const int64_t began_ns = clock_thread_ns();
    for (uint64_t i = 0; i < s->calls; i++)
        items += s->point.of->run(s->state);
    *took_ns = (double)(clock_thread_ns() - began_ns);
    return items;
}

static double take_turn(struct side *s)
{
    double took_ns;
    if (s->point.of->turn)
        return s->point.of->turn(s->state);
    const double items = run_calls(s, &took_ns);
    return items > 0 ? took_ns / items : 0;
}

static void warm_up(struct side *s)
{
    double took_ns = 0;
    s->calls = 1;
    if (s->point.of->turn) {
        if (!micro_program.is_once)
            take_turn(s);
        return;
    }
    while (run_calls(s, &took_ns), took_ns < (double)plan.turn_ms * 1e6)
        s->calls *= 2;
}

static void run_rounds(struct side *sides, unsigned count)
{
    for (unsigned round = 0; round < plan.rounds; round++) {
        double ns[MICRO_SIDES];
        for (unsigned k = 0; k < count; k++) {
            const unsigned i = (round + k) % count;
            ns[i] = take_turn(&sides[i]);
            bench_spread_add(&sides[i].ns, ns[i]);
        }
        for (unsigned i = 1; i < count && sides[0].point.of->compares; i++)
            bench_spread_add(&sides[i].added, ns[i] - ns[0]);
    }
}

/* --- rows --- */

/* Four digits, or all in front of the point. */
static const char *number(char out[NUMBER_CHARS], double value)
{
    const double size = value < 0 ? -value : value;
    snprintf(out, NUMBER_CHARS, "%.*f", size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0, value);
    return out;
}

static void print_row(const struct side *s, const struct bench_spread_summary *ns,
                      const struct bench_spread_summary *added, const struct micro_result *result)
{
    char n[4][NUMBER_CHARS];
    printf("%-60s %10s  (%s..%s)  %10s", s->name, number(n[0], ns->median), number(n[1], ns->lower_quartile),
           number(n[2], ns->upper_quartile), number(n[3], ns->median > 0 ? 1e3 / ns->median : 0));
    if (s->added.count > 0)
        printf("  %+.1f (%.1f..%.1f)", added->median, added->lower_quartile, added->upper_quartile);
    for (unsigned i = 0; i < result->count; i++)
        printf("  %s %s", result->figures[i].name, number(n[0], result->figures[i].value));
    printf("%s%s\n", result->fault[0] ? "  FAULT: " : "", result->fault);
    fflush(stdout);
}

static void put_row(const struct side *s, const struct bench_spread_summary *ns,
                    const struct bench_spread_summary *added, const struct micro_result *result)
{
    struct json_stream *out = &plan.stream;
    const struct micro_case *c = s->point.of;
    json_stream_object(out, NULL);
    BENCH_REPORT_ROWS(out, BENCH_TEXT("name", s->name), BENCH_TEXT("case", c->name),
                      BENCH_TEXT("side", c->sides[0] ? c->sides[s->point.side] : NULL),
                      BENCH_TEXT("item", c->item));
    for (unsigned i = 0; i < axes_of(c); i++)
        json_stream_count(out, c->axes[i]->name, (uint64_t)s->point.at[i]);
    BENCH_REPORT_ROWS(
        out, BENCH_COUNT("rounds", s->ns.count), BENCH_REAL("ns", ns->median),
        BENCH_REAL("ns_lower_quartile", ns->lower_quartile),
        BENCH_REAL("ns_upper_quartile", ns->upper_quartile),
        BENCH_ROW("ns_added", REAL, s->added.count > 0, real, added->median),
        BENCH_ROW("ns_added_lower_quartile", REAL, s->added.count > 0, real, added->lower_quartile),
        BENCH_ROW("ns_added_upper_quartile", REAL, s->added.count > 0, real, added->upper_quartile));
    for (unsigned i = 0; i < result->count; i++)
        json_stream_number(out, result->figures[i].name, result->figures[i].value);
    BENCH_REPORT_ROWS(out, BENCH_TEXT("fault", result->fault));
    json_stream_end(out);
}

static void end_side(struct side *s)
{
    const struct bench_spread_summary ns = bench_spread_summary(&s->ns),
                                      added = bench_spread_summary(&s->added);
    struct micro_result result = {.count = 0};
    if (s->point.of->sum_up)
        s->point.of->sum_up(s->state, &result);
    plan.has_failed |= result.fault[0] != 0;
    print_row(s, &ns, &added, &result);
    if (plan.json)
        put_row(s, &ns, &added, &result);
    if (s->point.of->close)
        s->point.of->close(s->state);
    bench_spread_free(&s->ns);
    bench_spread_free(&s->added);
}

/* --- cases --- */

static bool is_wanted(const struct side *s)
{
    return plan.is_filtered ? regexec(&plan.regex, s->name, 0, NULL, 0) == 0 : !s->point.of->is_asked_for;
}

static unsigned open_sides(struct side *sides, const struct micro_point *point)
{
    unsigned count = 0;
    struct micro_point p = *point;
    do {
        struct side *s = &sides[count];
        *s = (struct side){.point = p};
        name_point(s->name, &p);
        if (!is_wanted(s) || !(s->state = p.of->open(&s->point)))
            continue;
        micro_need(bench_spread_new(&s->ns, (size_t)plan.rounds) &&
                       bench_spread_new(&s->added, (size_t)plan.rounds),
                   "out of memory");
        count++;
    } while (++p.side < MICRO_SIDES && p.of->sides[p.side]);
    return count;
}

static void measure_case(const struct micro_case *c)
{
    struct side sides[MICRO_SIDES];
    struct micro_point point = {.of = c};
    for (unsigned number = 0; set_point(&point, number); number++) {
        const unsigned count = open_sides(sides, &point);
        for (unsigned i = 0; i < count; i++)
            warm_up(&sides[i]);
        run_rounds(sides, count);
        for (unsigned i = 0; i < count; i++)
            end_side(&sides[i]);
    }
}

static void measure_all(void)
{
    printf("%" PRId64
           " round%s: median ns each (quartiles), million/s, ns more than the first side (quartiles)\n",
           plan.rounds, words_plural(plan.rounds));
    for (unsigned i = 0; i < micro_program.count; i++)
        measure_case(&micro_program.cases[i]);
}

/* --- options --- */

/* Numbers between commas. */
static int read_values(struct micro_axis *axis, const char *text)
{
    axis->count = 0;
    for (char *end = NULL; !end || *end == ','; text = end + 1) {
        const int64_t value = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ',') || value < axis->least || value > axis->most ||
            axis->count == MICRO_VALUES)
            return command_refuse("", "--%s takes up to %d numbers from %" PRId64 " to %" PRId64, axis->name,
                                  MICRO_VALUES, axis->least, axis->most);
        axis->values[axis->count++] = value;
    }
    return COMMAND_OK;
}

/* The next axis of any case with that name, or of any name; *at counts them. NULL: there is none. */
static struct micro_axis *next_axis(unsigned *at, const char *name)
{
    for (; *at < micro_program.count * MICRO_AXES; ++*at) {
        struct micro_axis *axis = micro_program.cases[*at / MICRO_AXES].axes[*at % MICRO_AXES];
        if (axis && (!name || strcmp(axis->name, name) == 0)) {
            ++*at;
            return axis;
        }
    }
    return NULL;
}

static int set_axis(void *unused_to, const struct command_option *option, char *text)
{
    (void)unused_to;
    struct micro_axis *axis;
    for (unsigned at = 0; (axis = next_axis(&at, option->name));)
        if (read_values(axis, text) != COMMAND_OK)
            return COMMAND_USAGE;
    return COMMAND_OK;
}

static int set_filter(void *unused_to, char *text)
{
    (void)unused_to;
    if (plan.is_filtered)
        regfree(&plan.regex);
    plan.is_filtered = regcomp(&plan.regex, text, REG_EXTENDED | REG_NOSUB) == 0;
    return plan.is_filtered ? COMMAND_OK
                            : command_refuse("", "--filter takes a regular expression, not %s", text);
}

static unsigned list_options(struct command_option *out)
{
    unsigned count = 0;
    out[count++] = (struct command_option){.name = "json", .text = &plan.json};
    out[count++] = (struct command_option){.name = "filter", .parse = set_filter};
    if (!micro_program.is_once)
        out[count++] =
            (struct command_option){"rounds", .number = &plan.rounds, .min = 1, .max = ROUNDS_MOST};
    if (micro_program.turn_ms > 0)
        out[count++] =
            (struct command_option){"turn-ms", .number = &plan.turn_ms, .min = 0, .max = TURN_MOST};
    for (unsigned i = 0; i < micro_program.option_count; i++)
        out[count++] = micro_program.options[i];
    const struct micro_axis *axis;
    for (unsigned at = 0; (axis = next_axis(&at, NULL));) {
        unsigned k = 0;
        while (k < count && strcmp(out[k].name, axis->name) != 0)
            k++;
        if (k == count)
            out[count++] = (struct command_option){.name = axis->name, .take = set_axis};
    }
    return count;
}

static void print_axis(const struct micro_axis *axis)
{
    printf("  --%s LIST: %" PRId64 " to %" PRId64 "; default ", axis->name, axis->least, axis->most);
    for (unsigned i = 0; i < axis->count; i++)
        printf("%s%" PRId64, i > 0 ? "," : "", axis->values[i]);
    printf("\n");
}

static void print_help(void)
{
    printf("usage: %s [OPTION]...\n\n%s\n\n"
           "  --filter REGEX: measures only rows whose name it matches; default all\n"
           "  --json FILE: writes the rows (" SCHEMA ")\n",
           program_invocation_short_name, micro_program.about);
    if (!micro_program.is_once)
        printf("  --rounds N: 1 to %d; default %u\n", ROUNDS_MOST, micro_program.rounds);
    if (micro_program.turn_ms > 0)
        printf("  --turn-ms N: processor time of a turn, 0 to %d; default %u\n", TURN_MOST,
               micro_program.turn_ms);
    for (unsigned i = 0; i < micro_program.option_count; i++)
        if (micro_program.options[i].number)
            printf("  --%s N: %" PRId64 " to %" PRId64 "; default %" PRId64 "\n",
                   micro_program.options[i].name, micro_program.options[i].min, micro_program.options[i].max,
                   *micro_program.options[i].number);
        else
            printf("  --%s\n", micro_program.options[i].name);
    const struct micro_axis *axis;
    for (unsigned at = 0; (axis = next_axis(&at, NULL));) {
        unsigned before = 0;
        if (next_axis(&before, axis->name) == axis)
            print_axis(axis);
    }
    printf("\nexit status: 0 success, 1 a row has a fault, 2 wrong arguments\n");
}

static int parse(int argc, char **argv)
{
    struct command_option options[COMMAND_OPTIONS];
    const struct command_parser parser = {.command = "", .options = options, .count = list_options(options)};
    command_set_program(program_invocation_short_name);
    plan.rounds = micro_program.is_once ? 1 : micro_program.rounds;
    plan.turn_ms = micro_program.turn_ms;
    int status = command_parse(&parser, argc, argv);
    if (status == COMMAND_OK && optind < argc)
        return command_refuse("", "it takes options only, not %s", argv[optind]);
    return status;
}

static bool open_json(void)
{
    if (!plan.json)
        return true;
    plan.stream.file = whole_file_open(plan.json);
    if (!plan.stream.file) {
        command_error("", "%s: %s", plan.json, strerror(errno));
        return false;
    }
    json_stream_begin(&plan.stream, SCHEMA);
    json_stream_array(&plan.stream, "rows");
    return true;
}

static bool close_json(void)
{
    if (!plan.json)
        return true;
    json_stream_end(&plan.stream);
    json_stream_end(&plan.stream);
    const int wrong = whole_file_close(plan.stream.file, plan.json);
    if (wrong != 0)
        command_error("", "%s: %s", plan.json, strerror(wrong));
    return wrong == 0;
}

int main(int argc, char **argv)
{
    int status = parse(argc, argv);
    if (status == COMMAND_HELP) {
        print_help();
        return COMMAND_OK;
    }
    if (status != COMMAND_OK || !open_json())
        return status != COMMAND_OK ? status : COMMAND_FAILED;
    if (micro_program.begin)
        micro_program.begin();
    measure_all();
    return close_json() && !plan.has_failed ? COMMAND_OK : COMMAND_FAILED;
}
