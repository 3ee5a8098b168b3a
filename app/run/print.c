/* SPDX-License-Identifier: BSD-3-Clause */
/* The table that `gbflow run` prints at its end. */
#include "app/run/run.h"

#include "control/report/totals.h"

#include <stdio.h>

static const char *quantile(struct samples *samples, unsigned percent, char out[16])
{
    if (samples->count == 0)
        return "-";
    snprintf(out, 16, "%.3f", (double)samples_quantile_ns(samples, percent) / MOMENT_SECOND);
    return out;
}

static uint64_t sum_drops(const uint64_t *drops)
{
    uint64_t sum = 0;
    for (int i = DROP_FIRST_NPDU; i < DROP_COUNT; i++)
        sum += drops[i];
    return sum;
}

static void print_mobile(struct run *r, struct run_mobile *mobile)
{
    struct run_mobile_stats *stats = &mobile->stats;
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    uint64_t lost_in_bss = 0;
    char p50[16], p95[16], max[16];

    for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
        lost_in_bss += mobile->account.dropped[end];
    printf("%-14s  %-14s  %8.1f  %7lu  %7lu  %7lu  %7lu  %8s  %8s  %8s\n", mobile->config->name,
           qclass_name(mobile->config->qclass), (double)stats->goodput_octets * 8 / seconds / 1000,
           (unsigned long)stats->npdu_in, (unsigned long)stats->npdu_out,
           (unsigned long)sum_drops(stats->drops), (unsigned long)lost_in_bss,
           quantile(&stats->delays, 50, p50), quantile(&stats->delays, 95, p95),
           quantile(&stats->delays, 100, max));
}

static void print_transfer(const struct run_app *app, const char *what, const struct app_record_tcp *record)
{
    printf("%-14s  %s: %lu octets in %.1f s, %.1f kbit/s, %lu octets retransmitted",
           app->mobile->config->name, what, (unsigned long)record->octets,
           (double)(record->end_ns - record->start_ns) / MOMENT_SECOND,
           (double)app_record_goodput_bps(record, record->end_ns) / 1000,
           (unsigned long)record->retransmitted_octets);
    if (record->rtt_count > 0)
        printf(", RTT %.2f s on average, %.2f s at most",
               (double)record->rtt_sum_ns / (double)record->rtt_count / MOMENT_SECOND,
               (double)record->rtt_max_ns / MOMENT_SECOND);
    printf("\n");
}

static void print_web(const struct run_app *app)
{
    size_t count, finished = 0;
    struct samples times = {0};
    char p50[16], p95[16];
    const struct app_web_page *pages = app_web_pages(app->web, &count);

    for (size_t i = 0; i < count; i++) {
        if (pages[i].end_ns == MOMENT_NEVER)
            continue;
        samples_add(&times, pages[i].end_ns - pages[i].start_ns);
        finished++;
    }
    printf("%-14s  web: %zu of %zu pages complete, page time %s s median, %s s p95\n",
           app->mobile->config->name, finished, count, quantile(&times, 50, p50), quantile(&times, 95, p95));
    samples_free(&times);
}

static void print_ping(const struct run_app *app)
{
    uint32_t sent;
    struct samples rtts = {0};
    char p50[16], p95[16];
    const int64_t *rtts_ns = app_ping_rtts_ns(app->ping, &sent);

    for (uint32_t i = 0; i < sent; i++)
        if (rtts_ns[i] >= 0)
            samples_add(&rtts, rtts_ns[i]);
    printf("%-14s  ping: %zu of %u answered, RTT %s s median, %s s p95\n", app->mobile->config->name,
           rtts.count, sent, quantile(&rtts, 50, p50), quantile(&rtts, 95, p95));
    samples_free(&rtts);
}

static void print_cbr(const struct run_app *app)
{
    const struct app_cbr_record *record = app_cbr_record(app->cbr);
    printf("%-14s  %s: %lu of %lu packets arrived\n", app->mobile->config->name,
           app->config->cbr.trace ? "trace" : "cbr", (unsigned long)record->received,
           (unsigned long)record->sent);
}

static void print_app(const struct run_app *app)
{
    struct app_record_tcp record;
    switch (app->config->kind) {
    case SCENARIO_CONFIG_DOWNLOAD:
        if (app_download_record(app->download, &record))
            print_transfer(app, "download", &record);
        break;
    case SCENARIO_CONFIG_UPLOAD:
        if (app_upload_record(app->upload, &record))
            print_transfer(app, "upload", &record);
        break;
    case SCENARIO_CONFIG_WEB:
        print_web(app);
        break;
    case SCENARIO_CONFIG_PING:
        print_ping(app);
        break;
    case SCENARIO_CONFIG_CBR:
        print_cbr(app);
        break;
    }
}

void run_print(struct run *r)
{
    struct totals t = totals_of_all(r->node.workers, r->node.worker_count);

    printf("%s: %.0f s, seed %lu\n\n", r->scenario.title, (double)r->scenario.duration_ns / MOMENT_SECOND,
           (unsigned long)r->scenario.seed);
    printf("%-14s  %-14s  %8s  %7s  %7s  %7s  %7s  %8s  %8s  %8s\n", "mobile", "class", "kbit/s", "in", "out",
           "dropped", "BSS", "delay s", "p95", "max");
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        print_mobile(r, &r->mobiles[i]);
    printf("\n");
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        print_app(&r->apps[i]);
    printf("\nSGSN: in %lu = out %lu + dropped %lu + queued %lu N-PDUs. Files in %s\n", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued, r->options->out);
}
