/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and JSON reports of `gbflow bench` (fields: docs/benchmarking.md): the parts of all modes, and
 * preloaded. */
#ifndef BENCH_THROUGHPUT_REPORT_H
#define BENCH_THROUGHPUT_REPORT_H

#include "bench/statistics/spread.h"
#include "bench/throughput/machine.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/preloaded.h"
#include "control/base/json_stream.h"

#include <stdbool.h>
#include <stdint.h>

/* The HTML page of a report, which the report program makes of the JSON. */

/* --out: the files of the plan that have no name, in that folder. */
void bench_report_out(struct bench_plan *plan);

/* Before the run: with --html and no --json the report is a temporary file. False, with a line on stderr. */
bool bench_report_html_begin(struct bench_plan *plan);

/* After the run: makes the page, also of a run that failed; returns the exit status of run and page. */
int bench_report_html_end(const struct bench_plan *plan, int status);

/* `gbflow bench report FILE.json... --html FILE`: becomes the report program. Returns an exit status only
 * when that fails. */
int bench_report_html_run(const struct bench_plan *plan);

/* Each point of a plan is measured, printed and written before the next one. */

/* Result of a point: good; measured, but the run has failed; not measured, which ends the run. */
enum bench_points_outcome { BENCH_POINTS_GOOD, BENCH_POINTS_BAD, BENCH_POINTS_STOP };

/* The functions of a mode. */
struct bench_points_mode {
    void (*head)(const struct bench_plan *plan);
    enum bench_points_outcome (*measure)(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point);
    void (*measure_last)(struct json_stream *json,
                         const struct bench_plan *plan); /* once, behind all points; NULL: nothing */
    void (*put_rest)(struct json_stream *s,
                     const void *arg); /* behind the trials, arg: the plan; NULL: nothing */
};

/* Prints the head, measures each point, writes the report. DPDK is running. Returns an exit status. */
int bench_report_points(const struct bench_plan *plan, const struct bench_points_mode *mode);

/* Table and trial of preloaded. */
void bench_report_head(const struct bench_plan *plan);
void bench_report_row(const struct bench_plan *plan, const struct bench_preloaded *result);

/* Whether it has fewer valid windows than the plan asks for. */
bool bench_report_is_short(const struct bench_plan *plan, const struct bench_preloaded *result);

/* Opens and closes the report; trials are written in between. False, with a line on stderr: it cannot be
 * written. */
bool bench_report_begin(struct json_stream *s, const struct bench_plan *plan,
                        const struct bench_machine *machine);
void bench_report_trial(struct json_stream *s, const struct bench_plan *plan,
                        const struct bench_preloaded *result);

/* Members of a report behind its trials. */
struct bench_report_rest {
    const char *stopped;                                 /* why not all was measured; NULL: all was */
    void (*put)(struct json_stream *s, const void *arg); /* further members; NULL: none */
    const void *arg;
};

bool bench_report_end(struct json_stream *s, const struct bench_plan *plan,
                      const struct bench_report_rest *rest);

/* Below the tables: the share of void windows or trials, the machine. */
void bench_report_tail(const struct bench_machine *machine);

/* Adds to the counts of void windows or trials; tried: with the void ones; noun: "trials". */
void bench_report_void(const char *noun, uint64_t tried, uint64_t voided);

/* Parts of several modes. */
void bench_report_traffic(const struct bench_plan *plan);
void bench_report_point(struct json_stream *s, const char *mode, const struct bench_point *point);

/* A rate of the table with its mark: ">=" where it is not bounded from above, "~" where the search did not
 * end. */
enum { BENCH_REPORT_RATE_CHARS = 24 };
const char *bench_report_rate(char out[BENCH_REPORT_RATE_CHARS], const char *mark, double rate);

/* "low..high", or "-" of NAN, which no interval has. */
enum { BENCH_REPORT_INTERVAL_CHARS = 48 };
const char *bench_report_interval(char out[BENCH_REPORT_INTERVAL_CHARS], int decimals, double low,
                                  double high);

/* The valid windows of a row among those asked for; noun: "window". */
struct bench_report_valid {
    const char *noun;
    uint64_t valid, asked, voided;
};

/* " !" behind a row with fewer than asked, else "". */
const char *bench_report_mark(const struct bench_report_valid *v);

/* Below a row: why it has no interval, and why it is marked. values: those that the interval is of; parts:
 * the same, or what void ones are counted in. */
void bench_report_explain(const struct bench_plan *plan, const struct bench_report_valid *values,
                          const struct bench_report_valid *parts);

/* N-PDU/s as a rate of Ethernet frames on Gn, below a row of the table; `what`: the rate's name. The same in
 * JSON; null of a rate 0. */
void bench_report_ethernet(const char *what, double npdu_per_s, uint16_t octets);
void bench_report_put_ethernet(struct json_stream *s, double npdu_per_s, uint16_t octets);

/* Of workers fed from memory: no NDR, no latency. */
void bench_report_time(struct json_stream *s, double npdu_per_s, const struct bench_spread_summary *ns);

/* Members of a JSON object, a row each. */
struct bench_report_row {
    const char *key;
    enum { BENCH_REPORT_COUNT, BENCH_REPORT_REAL, BENCH_REPORT_TEXT, BENCH_REPORT_BOOL } type;
    bool is_known; /* false: null */
    union {
        uint64_t count;
        double real;
        const char *text;
        bool flag;
    };
};

/* BENCH_KNOWN: null at 0. BENCH_TEXT: null without a text. */
#define BENCH_ROW(key, type, known, member, value)                                                           \
    ((struct bench_report_row){key, BENCH_REPORT_##type, known, .member = value})
#define BENCH_COUNT(key, value) BENCH_ROW(key, COUNT, true, count, (uint64_t)(value))
#define BENCH_REAL(key, value)  BENCH_ROW(key, REAL, true, real, value)
#define BENCH_KNOWN(key, value) BENCH_ROW(key, REAL, (value) > 0, real, value)
#define BENCH_TEXT(key, value)  BENCH_ROW(key, TEXT, bench_report_is_text(value), text, value)
#define BENCH_BOOL(key, value)  BENCH_ROW(key, BOOL, true, flag, value)
#define BENCH_NULL(key)         BENCH_ROW(key, COUNT, false, count, 0)

static inline bool bench_report_is_text(const char *text)
{
    return text && text[0];
}

/* Writes them in order. */
void bench_report_rows(struct json_stream *s, const struct bench_report_row *rows, size_t count);
#define BENCH_REPORT_ROWS(s, ...)                                                                            \
    bench_report_rows((s), (const struct bench_report_row[]){__VA_ARGS__},                                   \
                      sizeof((const struct bench_report_row[]){__VA_ARGS__}) /                               \
                          sizeof(struct bench_report_row))

#endif
