/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/series.h"
#include "app/run/cells.h"
#include "app/run/relocation.h"
#include "app/run/run.h"
#include "app/run/sgsns.h"
#include "app/run/traffic.h"

#include "control/base/whole_file.h"
#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/worker/fate.h"
#include "dataplane/sched/ms.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_series_drop(struct run_series *s, int64_t at_ns, const char *mobile, int reason);

static void count_drop(struct run_mobile_stats *stats, enum drop reason)
{
    if (!stats->drops)
        stats->drops = calloc(DROP_COUNT, sizeof(*stats->drops));
    if (!stats->drops) {
        fprintf(stderr, "gbflow: out of memory for the drops of a mobile\n");
        exit(1);
    }
    stats->drops[reason]++;
}

static void series_take(struct run_mobile *mobile, const struct trace_event *event)
{
    struct scenario_run *r = mobile->run;
    struct run_mobile_stats *stats = &mobile->stats;

    stats->npdu_in++;
    stats->has_waited |= event->arrival_ns > 0 && event->at_ns > event->arrival_ns &&
                         event->at_ns >= r->begin_ns + r->scenario.warmup_ns;
    if (event->reason != DROP_NONE) {
        count_drop(stats, event->reason);
        if (r->series.file)
            run_series_drop(&r->series, event->at_ns - r->begin_ns, mobile->config->name, event->reason);
        return;
    }
    stats->npdu_out++;
    stats->marks += event->is_marked;
    if (event->at_ns < r->begin_ns + r->scenario.warmup_ns)
        return;
    stats->octets_out += event->octets;
    samples_add(&stats->sojourns, event->at_ns - event->arrival_ns);
}

/* One that goes to another SGSN is counted there; one that belongs to no session is in the totals alone. */
static void series_take_all(struct scenario_run *r, struct run_sgsn *sgsn, unsigned worker)
{
    struct trace_event event;
    while (fate_trace_take(sgsn->node.traces[worker], &event)) {
        struct run_mobile *mobile = run_sgsns_mobile(r, sgsn, worker, &event);
        if (mobile && (event.reason != DROP_NONE || !run_relocation_forwards(mobile, sgsn)))
            series_take(mobile, &event);
    }
}

void run_series_stats_take(struct scenario_run *r)
{
    for (unsigned i = 0; i < r->sgsn_count; i++)
        for (unsigned k = 0; k < r->sgsns[i].node.worker_count; k++)
            series_take_all(r, &r->sgsns[i], k);
}

void run_series_goodput(struct run_mobile *mobile, uint64_t octets, int64_t now)
{
    mobile->stats.goodput_window_octets += octets;
    if (now >= mobile->run->begin_ns + mobile->run->scenario.warmup_ns)
        mobile->stats.goodput_octets += octets;
}

const char *run_series_quantile(struct samples *samples, unsigned percent, char out[16])
{
    if (samples->count == 0)
        return "-";
    snprintf(out, 16, "%.3f", (double)samples_quantile_ns(samples, percent) / MOMENT_SECOND);
    return out;
}

static void add_samples(struct samples *to, const struct samples *from)
{
    for (size_t i = 0; i < from->count; i++)
        samples_add(to, from->ns[i]);
}

static struct quantiles quantiles_and_free(struct samples *samples)
{
    struct quantiles quantiles = quantiles_of(samples);
    samples_free(samples);
    return quantiles;
}

bool run_series_is_member(const struct run_members *members, const struct run_mobile *mobile)
{
    uint32_t i = (uint32_t)(mobile - mobile->run->mobiles);
    return i >= members->first && i - members->first < members->count &&
           (members->qclass == QCLASS_COUNT || members->qclass == mobile->config->qclass);
}

struct quantiles run_series_delays(const struct scenario_run *r, const struct run_members *members)
{
    struct samples all = {0};
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        if (run_series_is_member(members, &r->mobiles[i]))
            add_samples(&all, &r->mobiles[i].stats.delays);
    return quantiles_and_free(&all);
}

struct quantiles run_series_sojourns(const struct scenario_run *r, const struct run_members *members)
{
    struct samples all = {0};
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        if (run_series_is_member(members, &r->mobiles[i]))
            add_samples(&all, &r->mobiles[i].stats.sojourns);
    return quantiles_and_free(&all);
}

/* Mobiles that have payload to share: an item, no probe, that began. Without one a goodput of 0 is no
 * unfairness. */
static void mark_load(struct scenario_run *r)
{
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct scenario_config_traffic *item = &r->scenario.traffic[i];
        if (!item->ops->is_probe && item->start_ns < r->scenario.duration_ns)
            r->mobiles[item->mobile].stats.has_load = true;
    }
}

void run_series_stats_end(struct scenario_run *r)
{
    mark_load(r);
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        uint64_t waiting = run_sgsns_waiting(&r->mobiles[i]);
        r->mobiles[i].stats.npdu_in += waiting; /* the trace has an event at the end of each N-PDU alone */
        r->mobiles[i].stats.has_waited |= waiting > 0;
    }
}

/* Goodputs of users. */
struct goodputs {
    double sum_bps, squares, worst_bps;
};

static void add_user(struct run_sum *sum, struct goodputs *users, double goodput_bps)
{
    sum->users++;
    users->sum_bps += goodput_bps;
    users->squares += goodput_bps * goodput_bps;
    users->worst_bps = fmin(users->worst_bps, goodput_bps);
}

static void add_mobile(struct run_sum *sum, const struct run_mobile_stats *stats)
{
    sum->mobiles++;
    sum->without_load += !stats->has_load;
    sum->without_wait += stats->has_load && !stats->has_waited;
    sum->npdu_in += stats->npdu_in;
    sum->npdu_out += stats->npdu_out;
    sum->marks += stats->marks;
    sum->octets_out += stats->octets_out;
    for (int reason = 0; reason < DROP_COUNT; reason++)
        sum->drops[reason] += stats->drops ? stats->drops[reason] : 0;
}

struct run_sum run_series_sum(const struct scenario_run *r, const struct run_members *members)
{
    struct run_sum sum = {0};
    struct goodputs users = {.worst_bps = INFINITY};
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct run_mobile_stats *stats = &r->mobiles[i].stats;
        double goodput_bps = (double)stats->goodput_octets * 8 / seconds;
        if (!run_series_is_member(members, &r->mobiles[i]))
            continue;
        add_mobile(&sum, stats);
        sum.goodput_total_bps += goodput_bps;
        if (stats->has_load && stats->has_waited)
            add_user(&sum, &users, goodput_bps);
    }
    bool has_shares = users.sum_bps > 0;
    sum.goodput_mean_bps = sum.goodput_total_bps / sum.mobiles;
    sum.worst_user = has_shares ? users.worst_bps * sum.users / users.sum_bps : NAN;
    sum.jain = has_shares ? users.sum_bps * users.sum_bps / (sum.users * users.squares) : NAN;
    return sum;
}

void run_series_stats_free(struct scenario_run *r)
{
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++) {
        samples_free(&r->mobiles[i].stats.delays);
        samples_free(&r->mobiles[i].stats.sojourns);
        free(r->mobiles[i].stats.drops);
    }
}

const struct field run_series[] = {
    [RUN_SERIES_SGSN_BACKLOG] =
        SERIES_ROW(GAUGE, "sgsn_backlog_octets", "mobile", "octets", "Sample: N-PDUs that wait in the SGSN."),
    [RUN_SERIES_BSS_BACKLOG] =
        SERIES_ROW(GAUGE, "bss_backlog_octets", "mobile", "octets", "Sample: LLC-PDUs in the BSS."),
    [RUN_SERIES_BUCKET_LEVEL] =
        SERIES_ROW(GAUGE, "bucket_level_octets", "ms NAME, or bvc BVCI", "octets",
                   "Sample: level of the SGSN's flow control bucket, the octets that it "
                   "assumes in the BSS; at most Bmax."),
    [RUN_SERIES_BUCKET_MAX] =
        SERIES_ROW(GAUGE, "bucket_max_octets", "ms NAME, or bvc BVCI", "octets",
                   "Sample, when it has changed: the bucket's Bmax. A bucket with less than the "
                   "next LLC-PDU below it is closed."),
    [RUN_SERIES_GOODPUT] =
        SERIES_ROW(GAUGE, "goodput_bps", "mobile", "bit/s",
                   "Sample: goodput since the previous sample. Data that TCP held back behind a "
                   "lost packet counts when that "
                   "comes, all at once, so that a sample can be more than the cell's rate."),
    [RUN_SERIES_THROUGHPUT] = SERIES_ROW(
        GAUGE, "throughput_bps", "mobile", "bit/s",
        "Sample: octets of whole IP packets that reached the mobile since the previous sample, headers and "
        "repetitions included, in the network's order."),
    [RUN_SERIES_AIR_UTILISATION] = SERIES_ROW(GAUGE, "air_utilisation", "BVCI", "ratio",
                                              "Sample: downlink radio blocks used since the previous sample, "
                                              "divided by all downlink radio blocks."),
    [RUN_SERIES_DELAY] = SERIES_ROW(GAUGE, "delay_s", "NAME CLASS", "seconds",
                                    "Event: an IP packet was delivered to the mobile; its delay."),
    [RUN_SERIES_NPDU_DROP] = SERIES_ROW(COUNTER, "npdu_drop", "NAME REASON", "N-PDUs",
                                        "Event: the SGSN dropped an N-PDU; always 1."),
    FIELD_END,
};

int run_series_open(struct run_series *s, const char *path, int64_t every_ns)
{
    *s = (struct run_series){.file = whole_file_open(path), .every_ns = every_ns};
    if (!s->file)
        return errno;
    fputs("time_s,name,of,value\n", s->file);
    return 0;
}

int run_series_close(struct run_series *s, const char *path)
{
    if (!s->file)
        return 0;
    int wrong = whole_file_close(s->file, path);
    s->file = NULL;
    return wrong;
}

/* Lines and their texts are put together by hand: printf() took a twelfth of a run's processor time, and a
 * call of stdio for each part another. */

#define LINE_CHARS 256

/* At least `least` digits; returns what is behind. */
static char *add_digits(char *to, uint64_t value, int least)
{
    char text[20], *end = text + sizeof(text), *at = end;
    for (; value > 0 || end - at < least; value /= 10)
        *--at = (char)('0' + value % 10);
    return mempcpy(to, at, (size_t)(end - at));
}

char *run_series_number(char *to, uint64_t value)
{
    to = add_digits(to, value, 1);
    *to = '\0';
    return to;
}

static char *add_integer(char *to, int64_t value)
{
    if (value < 0)
        *to++ = '-';
    return add_digits(to, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
}

static char *add_seconds(char *to, int64_t ns)
{
    if (ns < 0)
        *to++ = '-';
    uint64_t size_ns = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    to = add_digits(to, size_ns / (uint64_t)MOMENT_SECOND, 1);
    *to++ = '.';
    return add_digits(to, size_ns % (uint64_t)MOMENT_SECOND, 9);
}

static char *add_head(char *to, int64_t at_ns, const struct field *row, const char *of)
{
    to = add_seconds(to, at_ns);
    *to++ = ',';
    to = stpcpy(to, row->name);
    *to++ = ',';
    to = stpcpy(to, of);
    *to++ = ',';
    return to;
}

static void put_line(struct run_series *s, char *line, char *end)
{
    *end++ = '\n';
    fwrite_unlocked(line, 1, (size_t)(end - line), s->file);
}

void run_series_put(struct run_series *s, int64_t at_ns, const struct field *row, const char *of,
                    int64_t value)
{
    char line[LINE_CHARS];
    put_line(s, line, add_integer(add_head(line, at_ns, row, of), value));
}

void run_series_put_ns(struct run_series *s, int64_t at_ns, const struct field *row, const char *of,
                       int64_t value_ns)
{
    char line[LINE_CHARS];
    put_line(s, line, add_seconds(add_head(line, at_ns, row, of), value_ns));
}

/* An N-PDU that the SGSN dropped. */
static void run_series_drop(struct run_series *s, int64_t at_ns, const char *mobile, int reason)
{
    char of[SCENARIO_CONFIG_NAME_CHARS + 32];
    stpcpy(stpcpy(stpcpy(of, mobile), " "), drop_name((enum drop)reason));
    run_series_put(s, at_ns, &run_series[RUN_SERIES_NPDU_DROP], of, 1);
}

/* --- samples --- */

/* The level; and Bmax when it is another one than that of the last sample. */
static void sample_bucket(struct scenario_run *r, int64_t at_ns, const char *of, const struct bucket *bucket,
                          uint64_t *max_octets)
{
    run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_BUCKET_LEVEL], of,
                   (int64_t)bucket_level_octets(bucket, r->now));
    if (*max_octets != bucket->max_octets)
        run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_BUCKET_MAX], of,
                       (int64_t)bucket->max_octets);
    *max_octets = bucket->max_octets;
}

static void sample_mobile(struct scenario_run *r, struct run_mobile *mobile, int64_t at_ns)
{
    const struct run_place place = run_sgsns_place(mobile);
    struct context *context = &place.worker->context;
    struct ms *ms = &context->mobiles[place.slot];
    const char *name = mobile->config->name;
    char of[SCENARIO_CONFIG_NAME_CHARS + 4];
    uint16_t bvci = r->scenario.cells[mobile->cell].bvci;

    run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_SGSN_BACKLOG], name,
                   (int64_t)sched_ms_backlog(&context->sched, &ms->sched).octets);
    run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_BSS_BACKLOG], name,
                   (int64_t)bss_queue_octets(mobile->bss, bvci, mobile->config->tlli));
    stpcpy(stpcpy(of, "ms "), name);
    sample_bucket(r, at_ns, of, context_ms_bucket(context, ms), &mobile->bucket_max_octets);
    run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_GOODPUT], name,
                   (int64_t)(mobile->stats.goodput_window_octets * 8 * MOMENT_SECOND) / r->series.every_ns);
    run_series_put(&r->series, at_ns, &run_series[RUN_SERIES_THROUGHPUT], name,
                   (int64_t)(mobile->stats.arrived_window_octets * 8 * MOMENT_SECOND) / r->series.every_ns);
    mobile->stats.goodput_window_octets = mobile->stats.arrived_window_octets = 0;
}

/* Share of the downlink radio blocks that were used since the last sample. */
static void sample_air(struct scenario_run *r, uint32_t cell, int64_t at_ns)
{
    char of[16];
    const struct radio *radio = run_cells_radio(r, cell);
    uint64_t used = radio_stats_get(radio, RADIO_DOWN)->blocks;
    int64_t from_ns = moment_max(r->now - r->series.every_ns, 0);
    uint64_t possible = radio_possible_blocks(radio, from_ns, r->now);

    snprintf(of, sizeof(of), "%u", r->scenario.cells[cell].bvci);
    char line[LINE_CHARS], *end = add_head(line, at_ns, &run_series[RUN_SERIES_AIR_UTILISATION], of);
    end += snprintf(end, 32, "%.6f",
                    possible ? (double)(used - r->samples[cell].air_blocks) / (double)possible : 0.0);
    put_line(&r->series, line, end);
    r->samples[cell].air_blocks = used;
}

static void sample_cell(struct scenario_run *r, uint32_t cell, int64_t at_ns)
{
    char of[16];
    snprintf(of, sizeof(of), "bvc %u", r->scenario.cells[cell].bvci);
    const struct context *context = &run_sgsns_worker(r, cell)->context;
    sample_bucket(r, at_ns, of, &context->bvcs[scenario_config_place(&r->scenario, cell)].sched.bucket,
                  &r->samples[cell].bucket_max_octets);
    sample_air(r, cell, at_ns);
}

int64_t run_series_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    r->now = now;
    while (r->series.next_ns <= now && r->series.next_ns <= r->end_ns) {
        int64_t at_ns = r->series.next_ns - r->begin_ns;
        for (uint32_t i = 0; r->series.file && i < r->scenario.mobile_count; i++)
            sample_mobile(r, &r->mobiles[i], at_ns);
        for (uint32_t i = 0; r->series.file && i < r->scenario.cell_count; i++)
            sample_cell(r, i, at_ns);
        r->series.next_ns += r->series.every_ns;
    }
    return r->series.next_ns;
}
