/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_flood(const struct live_trial *trial)
{
    return trial->floods_pps > 0;
}

static const char *idle(const struct live_trial *trial)
{
    return trial->is_polling ? "poll" : "sleep";
}

static const char *kind_name(const struct live_trial *trial, unsigned kind)
{
    static const char *const names[2][LIVE_JUDGE_KINDS] = {{"acknowledged", "in_force"},
                                                           {"without_flood", "in_flood"}};
    return names[is_flood(trial)][kind];
}

/* --- text --- */

static void print_name(const struct live_trial *trial)
{
    printf("%s, %" PRId64 "/s, ", idle(trial), is_flood(trial) ? trial->floods_pps : trial->flows_pps);
}

static void print_counts(const struct live_trial *trial, const struct live_trial_result *r)
{
    if (is_flood(trial))
        printf("%" PRIu64 " of %" PRIu64 " packets came back, %" PRIu64 " flooding frames, %" PRIu64
               " lines logged; ",
               r->back, r->sent, r->floods, r->log_lines);
    else
        printf("%" PRIu64 " of %" PRIu64 " acknowledged, %" PRIu64 " found no room at control, %" PRIu64
               " packets left before their bucket was shut; ",
               r->acked, r->flows, r->punt_full, r->early);
    printf("%" PRIu64 " were not taken from the port; ", r->flows_lost + r->floods_lost);
    printf("%" PRIu32 " of %" PRIu32 " windows void\n", r->voided, r->windows);
}

void live_report_latest(const struct live_report_row *row)
{
    const struct live_trial_result *r = &row->results[row->rounds - 1];
    print_name(&row->trial);
    printf("round %u: ", row->rounds);
    print_counts(&row->trial, r);
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        const struct live_judge_result *times = &r->judged[kind];
        printf("    %-13s %7zu: p50 %.1f, p99 %.1f, p99.9 %.1f, most %.1f us; p99 with void windows %.1f\n",
               kind_name(&row->trial, kind), times->count, times->p50_us, times->p99_us, times->p999_us,
               times->max_us, r->all[kind].p99_us);
    }
    if (r->fault[0])
        printf("    fault: %s\n", r->fault);
    fflush(stdout);
}

/* --- medians --- */

struct medians {
    unsigned rounds; /* that count */
    double p50_us[LIVE_JUDGE_KINDS], p99_us[LIVE_JUDGE_KINDS];
    double added_us; /* second kind's p99 minus the first's, in the same round */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof(*values), by_size);
    return (values[count / 2] + values[(count - 1) / 2]) / 2;
}

static struct medians medians(const struct live_report_row *row)
{
    struct medians m = {0};
    double p50_us[LIVE_JUDGE_KINDS][LIVE_REPORT_ROUNDS], p99_us[LIVE_JUDGE_KINDS][LIVE_REPORT_ROUNDS],
        added_us[LIVE_REPORT_ROUNDS];
    for (unsigned i = 0; i < row->rounds; i++) {
        const struct live_judge_result *judged = row->results[i].judged;
        if (judged[0].count == 0 || judged[1].count == 0)
            continue;
        for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
            p50_us[kind][m.rounds] = judged[kind].p50_us;
            p99_us[kind][m.rounds] = judged[kind].p99_us;
        }
        added_us[m.rounds++] = judged[1].p99_us - judged[0].p99_us;
    }
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        m.p50_us[kind] = median(p50_us[kind], m.rounds);
        m.p99_us[kind] = median(p99_us[kind], m.rounds);
    }
    m.added_us = median(added_us, m.rounds);
    return m;
}

void live_report_medians(const struct live_report_row *row)
{
    struct medians m = medians(row);
    print_name(&row->trial);
    printf("median of %u rounds", m.rounds);
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS && m.rounds > 0; kind++)
        printf("%s %s p50 %.1f, p99 %.1f us", kind ? ";" : ":", kind_name(&row->trial, kind), m.p50_us[kind],
               m.p99_us[kind]);
    if (is_flood(&row->trial) && m.rounds > 0)
        printf("; p99 %+.1f us", m.added_us);
    printf("%s\n", m.rounds < row->rounds ? "; of the others all windows are void" : "");
}

/* --- JSON --- */

/* null: no value. */
static json_t *us(double value, bool is_there)
{
    return is_there ? json_real(value) : json_null();
}

static json_t *times(const struct live_judge_result *r)
{
    bool is_any = r->count > 0;
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "count", (json_int_t)r->count, "p50", us(r->p50_us, is_any),
                     "p99", us(r->p99_us, is_any), "p99_9", us(r->p999_us, is_any), "most",
                     us(r->max_us, is_any));
}

static json_t *counts(const struct live_trial_result *r)
{
    const struct {
        const char *name;
        uint64_t count;
    } list[] = {{"windows", r->windows},     {"void_windows", r->voided},
                {"npdus_sent", r->sent},     {"npdus_back", r->back},
                {"npdus_early", r->early},   {"flows", r->flows},
                {"acknowledged", r->acked},  {"floods", r->floods},
                {"punt_full", r->punt_full}, {"not_taken", r->flows_lost + r->floods_lost},
                {"log_lines", r->log_lines}};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        json_object_set_new(out, list[i].name, json_integer((json_int_t)list[i].count));
    return out;
}

static json_t *round_of(const struct live_trial *trial, const struct live_trial_result *r)
{
    json_t *out = counts(r);
    json_t *judged = json_object(), *all = json_object();
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        json_object_set_new(judged, kind_name(trial, kind), times(&r->judged[kind]));
        json_object_set_new(all, kind_name(trial, kind), times(&r->all[kind]));
    }
    json_object_set_new(out, "time_us", judged);
    json_object_set_new(out, "time_with_void_us", all);
    json_object_set_new(out, "fault", r->fault[0] ? json_string(r->fault) : json_null());
    return out;
}

static json_t *row_of(const struct live_report_row *row)
{
    const struct live_trial *t = &row->trial;
    struct medians m = medians(row);
    json_t *rounds = json_array(), *p99_us = json_object();
    for (unsigned i = 0; i < row->rounds; i++)
        json_array_append_new(rounds, round_of(t, &row->results[i]));
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++)
        json_object_set_new(p99_us, kind_name(t, kind), us(m.p99_us[kind], m.rounds > 0));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:o}", "idle", idle(t), "flows_per_s",
                     (json_int_t)t->flows_pps, "floods_per_s", (json_int_t)t->floods_pps, "users_per_s",
                     (json_int_t)t->users_pps, "mobiles", (json_int_t)t->mobiles, "seconds",
                     (json_int_t)t->seconds, "slice_ms", (json_int_t)(t->slice_ns / 1000000), "median_rounds",
                     (int)m.rounds, "median_p99_us", p99_us, "rounds", rounds);
}

bool live_report_json(const char *path, const struct live_report_row *rows, unsigned count)
{
    json_t *trials = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(trials, row_of(&rows[i]));
    json_t *root = json_pack("{s:s, s:o}", "schema", "gbflow-live-bench/1", "trials", trials);
    bool is_written = json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(root);
    return is_written;
}
