/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/traffic.h"
#include "bench/throughput/values.h"

#include "bench/throughput/preloaded.h"
#include "control/base/command.h"
#include "control/base/report.h"
#include "control/base/json_stream.h"
#include "control/base/whole_file.h"
#include "dataplane/crypto/gea.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS 64

static char own_json[] = "/tmp/gbflow-bench-XXXXXX";
static bool is_own;

static bool bench_report_is_written(void);

void bench_report_out(struct bench_plan *plan)
{
    static char json[PATH_MAX], html[PATH_MAX];
    if (!plan->out)
        return;
    snprintf(json, sizeof(json), "%s/bench.json", plan->out);
    snprintf(html, sizeof(html), "%s/report.html", plan->out);
    plan->json = plan->json ? plan->json : json;
    plan->html = plan->html ? plan->html : html;
}

bool bench_report_html_begin(struct bench_plan *plan)
{
    if (!plan->html || plan->json)
        return true;
    int fd = mkstemp(own_json);
    if (fd < 0) {
        bench_error("%s: %s", own_json, strerror(errno));
        return false;
    }
    close(fd);
    plan->json = own_json;
    is_own = true;
    return true;
}

static bool throughput_report_make(const struct bench_plan *plan)
{
    static char command[] = "bench", option[] = "--html", json[PATH_MAX], html[PATH_MAX];
    char *arguments[] = {command, json, option, html};
    snprintf(json, sizeof(json), "%s", plan->json);
    snprintf(html, sizeof(html), "%s", plan->html);
    return report_call(arguments, 4);
}

int bench_report_html_end(const struct bench_plan *plan, int status)
{
    const bool has_page = !plan->html || !bench_report_is_written() || throughput_report_make(plan);
    if (is_own && has_page)
        unlink(own_json);
    else if (is_own)
        bench_error("%s has what was measured; gbflow bench report %s --html FILE makes a page of it",
                    own_json, own_json);
    return has_page ? status : COMMAND_FAILED;
}

int bench_report_html_run(const struct bench_plan *plan)
{
    static char command[] = "bench", option[] = "--html", html[PATH_MAX];
    char *arguments[ARGUMENTS] = {command, option, html};
    unsigned count = 3;
    if (plan->file_count > ARGUMENTS - count)
        return bench_refuse("%u reports, at most %u", plan->file_count, ARGUMENTS - count);
    snprintf(html, sizeof(html), "%s", plan->html);
    for (unsigned i = 0; i < plan->file_count; i++)
        arguments[count++] = plan->files[i];
    return report_become(arguments, count);
}

#define SCHEMA "gbflow-bench/2"

static bool is_written; /* a whole report */

/* --- table --- */

static struct {
    const char *noun;
    uint64_t tried, voided;
} void_count;

void bench_report_void(const char *noun, uint64_t tried, uint64_t voided)
{
    void_count.noun = noun;
    void_count.tried += tried;
    void_count.voided += voided;
}

void bench_report_tail(const struct bench_machine *machine)
{
    printf("\n");
    if (void_count.tried > 0)
        printf("%" PRIu64 " of %" PRIu64 " %s (%.1f %%) were void and made again\n", void_count.voided,
               void_count.tried, void_count.noun, 100 * (double)void_count.voided / (double)void_count.tried);
    printf("%s, %u CPU%s%s, %s, %s, %s\n", machine->cpu[0] ? machine->cpu : "unknown processor",
           machine->processors, words_plural(machine->processors),
           machine->is_virtual ? " (virtual machine)" : "", machine->kernel, machine->dpdk,
           machine->has_huge_pages ? "huge pages" : "no huge pages");
}

void bench_report_traffic(const struct bench_plan *plan)
{
    printf("%u cell%s, N201-U %u, AQM %s", plan->cells, words_plural(plan->cells), plan->n201_u,
           bench_value_aqm_name(plan));
    if (plan->aqm.choice.ops)
        printf(" of %s", bench_value_scope_name(plan));
    if (plan->bvc_rate_percent > 0)
        printf(", R of all BVC buckets %u %% of the offered octets", plan->bvc_rate_percent);
    else
        printf(", unlimited BVC buckets");
    if (plan->zipf > 0)
        printf(", Zipf exponent %g", plan->zipf);
    if (bench_plan_has_guard(plan))
        plan->guard.of->print_plan(plan);
}

void bench_report_head(const struct bench_plan *plan)
{
    bench_report_traffic(plan);
    printf(", %u windows of %g ms asked for\n\n", plan->windows, (double)plan->window_ns * 1e-6);
    printf(
        "octets  cipher  mobiles  workers   N-PDU/s  ns/N-PDU  quartiles       95 %% of median    ns/turn   "
        "valid windows   void\n");
}

const char *bench_report_interval(char out[BENCH_REPORT_INTERVAL_CHARS], int decimals, double low,
                                  double high)
{
    if (isnan(low) || isnan(high))
        return "-";
    snprintf(out, BENCH_REPORT_INTERVAL_CHARS, "%.*f..%.*f", decimals, low, decimals, high);
    return out;
}

const char *bench_report_mark(const struct bench_report_valid *v)
{
    return v->valid < v->asked ? " !" : "";
}

void bench_report_explain(const struct bench_plan *plan, const struct bench_report_valid *values,
                          const struct bench_report_valid *parts)
{
    if (values->valid < BENCH_SPREAD_LEAST)
        printf("        no 95 %% interval: it takes %u valid %ss or more, not %" PRIu64 "\n",
               BENCH_SPREAD_LEAST, values->noun, values->valid);
    if (parts->valid >= parts->asked)
        return;
    printf("        ! %" PRIu64 " of %" PRIu64 " %ss valid", parts->valid, parts->asked, parts->noun);
    if (bench_console_is_interrupted())
        printf(": the run was interrupted\n");
    else
        printf(", %" PRIu64 " void by steps above gap_us = %g: use idle CPUs, or raise --set gap_us\n",
               parts->voided, (double)plan->gap_ns * 1e-3);
}

/* Of all workers; with a guard the windows are rounds of one worker. */
static struct bench_report_valid preloaded_valid(const struct bench_plan *plan,
                                                 const struct bench_preloaded *r)
{
    return (struct bench_report_valid){"window", r->windows, (uint64_t)plan->windows * r->point.workers,
                                       r->voided};
}

bool bench_report_is_short(const struct bench_plan *plan, const struct bench_preloaded *r)
{
    const struct bench_report_valid valid = preloaded_valid(plan, r);
    return valid.valid < valid.asked;
}

void bench_report_row(const struct bench_plan *plan, const struct bench_preloaded *r)
{
    const struct bench_report_valid valid = preloaded_valid(plan, r);
    char octets[8], interval[BENCH_REPORT_INTERVAL_CHARS], windows[BENCH_REPORT_INTERVAL_CHARS];
    snprintf(windows, sizeof(windows), "%" PRIu64 " of %" PRIu64, valid.valid, valid.asked);
    bench_value_octets_name(octets, r->point.octets);
    printf("%-6s  %-6s  %7u  %7u  %8.0f  %8.1f  %6.1f..%-6.1f  %-14s  %10.1f  %14s  %5" PRIu64 "%s\n", octets,
           bench_value_cipher_name(r->point.cipher), r->point.mobiles, r->point.workers, r->npdu_per_s,
           r->ns.median, r->ns.lower_quartile, r->ns.upper_quartile,
           bench_report_interval(interval, 1, r->ns.low, r->ns.high), r->turn_ns, windows, r->voided,
           bench_report_mark(&valid));
    bench_report_explain(plan, &valid, &valid);
    if (r->price.device)
        plan->guard.of->print_price(r);
    if (bench_fault_is_set(&r->fault))
        printf("        FAULT: %s\n", r->fault.text);
    bench_report_ethernet("rate", r->npdu_per_s, r->point.octets);
    bench_report_void("windows", r->windows + r->voided, r->voided);
    fflush(stdout);
}

const char *bench_report_rate(char out[BENCH_REPORT_RATE_CHARS], const char *mark, double rate)
{
    snprintf(out, BENCH_REPORT_RATE_CHARS, "%s%.0f", mark, rate);
    return out;
}

static double gbit_per_s(double npdu_per_s, double octets)
{
    return npdu_per_s * octets * 8e-9;
}

void bench_report_ethernet(const char *what, double npdu_per_s, uint16_t octets)
{
    const double frame_octets = bench_traffic_mean_frame_octets(octets);
    if (npdu_per_s > 0)
        printf(
            "        %s in Ethernet frames of %.0f octets on Gn: %.3f Mpps, %.2f Gbit/s L2, %.2f Gbit/s L1\n",
            what, frame_octets, npdu_per_s * 1e-6, gbit_per_s(npdu_per_s, frame_octets),
            gbit_per_s(npdu_per_s, frame_octets + BENCH_TRAFFIC_GAP_OCTETS));
}

/* --- JSON --- */

static void put_machine(struct json_stream *s, const struct bench_machine *m)
{
    json_stream_object(s, "machine");
    json_stream_text(s, "cpu", m->cpu);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("processors", m->processors), BENCH_BOOL("is_virtual", m->is_virtual),
                      BENCH_BOOL("has_avx512", m->has_avx512),
                      BENCH_BOOL("has_huge_pages", m->has_huge_pages), BENCH_COUNT("tsc_hz", m->tsc_hz),
                      BENCH_COUNT("memory_octets", m->memory_octets), BENCH_REAL("load", m->load),
                      BENCH_TEXT("kernel", m->kernel), BENCH_TEXT("dpdk", m->dpdk),
                      BENCH_TEXT("microcode", m->microcode), BENCH_TEXT("hypervisor", m->hypervisor),
                      BENCH_TEXT("bios", m->bios), BENCH_TEXT("board", m->board),
                      BENCH_TEXT("product", m->product), BENCH_TEXT("kernel_command_line", m->kernel_line),
                      BENCH_TEXT("governor", m->governor), BENCH_COUNT("huge_pages_2m", m->huge_2m),
                      BENCH_COUNT("huge_pages_1g", m->huge_1g), BENCH_COUNT("numa_nodes", m->numa_nodes));
    json_stream_end(s);
}

/* null: the last CPUs that the process may use. */
static void put_cores(struct json_stream *s, const struct live_config *eal)
{
    if (eal->core_count == 0) {
        json_stream_null(s, "cores");
        return;
    }
    json_stream_array(s, "cores");
    for (uint32_t i = 0; i < eal->core_count; i++)
        json_stream_count(s, NULL, eal->cores[i]);
    json_stream_end(s);
}

static void put_rfc2544(struct json_stream *s, const struct bench_plan *p)
{
    BENCH_REPORT_ROWS(s, BENCH_COUNT("trial_ns", p->trial_ns), BENCH_COUNT("limit_s", p->limit_s),
                      BENCH_COUNT("bursts", p->bursts), BENCH_COUNT("overload_percent", p->overload_percent),
                      BENCH_BOOL("served", p->is_served), BENCH_TEXT("gn_device", p->eal.gn.device),
                      BENCH_TEXT("gb_device", p->eal.gb.device), BENCH_TEXT("node_gn_device", p->node_gn),
                      BENCH_TEXT("node_gb_device", p->node_gb), BENCH_TEXT("roofline", p->roofline));
    if (p->node_core == UINT32_MAX)
        json_stream_null(s, "node_core");
    else
        json_stream_count(s, "node_core", p->node_core);
}

static void put_plan(struct json_stream *s, const struct bench_plan *p)
{
    json_stream_object(s, "plan");
    BENCH_REPORT_ROWS(
        s, BENCH_COUNT("n201_u", p->n201_u), BENCH_REAL("zipf", p->zipf),
        BENCH_COUNT("bvc_rate_percent", p->bvc_rate_percent),
        BENCH_COUNT("slowdown_percent", p->slowdown_percent), BENCH_BOOL("foreign_teids", p->is_foreign),
        BENCH_BOOL("fcs_checked", p->is_fcs_checked), BENCH_TEXT("aqm", bench_value_aqm_name(p)),
        BENCH_TEXT("aqm_scope", bench_value_scope_name(p)),
        BENCH_TEXT("gea_engine", p->gea ? p->gea->name : "none"));
    put_cores(s, &p->eal);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("pages", bench_value_pages_name(p)), BENCH_COUNT("windows", p->windows),
                      BENCH_COUNT("window_ns", p->window_ns), BENCH_COUNT("gap_ns", p->gap_ns),
                      BENCH_COUNT("seed", p->seed));
    if (p->is_rfc2544)
        put_rfc2544(s, p);
    if (bench_plan_has_guard(p))
        p->guard.of->put_plan(s, p);
    json_stream_end(s);
}

bool bench_report_begin(struct json_stream *s, const struct bench_plan *plan,
                        const struct bench_machine *machine)
{
    *s = (struct json_stream){.file = NULL};
    if (!plan->json)
        return true;
    s->file = whole_file_open(plan->json);
    if (!s->file) {
        bench_error("%s: %s", plan->json, strerror(errno));
        return false;
    }
    json_stream_begin(s, SCHEMA);
    put_machine(s, machine);
    put_plan(s, plan);
    json_stream_array(s, "trials");
    return true;
}

void bench_report_rows(struct json_stream *s, const struct bench_report_row *rows, size_t count)
{
    for (const struct bench_report_row *row = rows; row < rows + count; row++) {
        if (!row->is_known)
            json_stream_null(s, row->key);
        else if (row->type == BENCH_REPORT_COUNT)
            json_stream_count(s, row->key, row->count);
        else if (row->type == BENCH_REPORT_REAL)
            json_stream_number(s, row->key, row->real);
        else if (row->type == BENCH_REPORT_TEXT)
            json_stream_text(s, row->key, row->text);
        else
            json_stream_bool(s, row->key, row->flag);
    }
}

void bench_report_point(struct json_stream *s, const char *mode, const struct bench_point *point)
{
    json_stream_text(s, "mode", mode);
    if (point->octets == BENCH_PLAN_IMIX)
        json_stream_text(s, "octets", "imix");
    else
        json_stream_count(s, "octets", point->octets);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("cipher", bench_value_cipher_name(point->cipher)),
                      BENCH_COUNT("mobiles", point->mobiles), BENCH_COUNT("cells", point->cells),
                      BENCH_COUNT("workers", point->workers));
}

void bench_report_put_ethernet(struct json_stream *s, double npdu_per_s, uint16_t octets)
{
    const double frame_octets = bench_traffic_mean_frame_octets(octets);
    json_stream_object(s, "gn");
    BENCH_REPORT_ROWS(
        s, BENCH_REAL("frame_octets", frame_octets), BENCH_KNOWN("mpps", npdu_per_s * 1e-6),
        BENCH_KNOWN("l2_gbit_per_s", gbit_per_s(npdu_per_s, frame_octets)),
        BENCH_KNOWN("l1_gbit_per_s", gbit_per_s(npdu_per_s, frame_octets + BENCH_TRAFFIC_GAP_OCTETS)));
    json_stream_end(s);
}

void bench_report_time(struct json_stream *s, double npdu_per_s, const struct bench_spread_summary *ns)
{
    BENCH_REPORT_ROWS(
        s, BENCH_REAL("npdu_per_s", npdu_per_s), BENCH_NULL("ndr_npdu_per_s"), BENCH_NULL("pdr_npdu_per_s"),
        BENCH_REAL("ns_per_npdu", ns->median), BENCH_REAL("ns_lower_quartile", ns->lower_quartile),
        BENCH_REAL("ns_upper_quartile", ns->upper_quartile), BENCH_REAL("ns_median_low", ns->low),
        BENCH_REAL("ns_median_high", ns->high), BENCH_NULL("latency_us"), BENCH_NULL("roofline_share"));
}

static void put_price(struct json_stream *s, const struct bench_plan *plan, const struct bench_preloaded *r)
{
    if (r->price.device) {
        plan->guard.of->put_price(s, r);
        return;
    }
    json_stream_null(s, "esp");
}

void bench_report_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_preloaded *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "preloaded", &r->point);
    bench_report_time(s, r->npdu_per_s, &r->ns);
    bench_report_put_ethernet(s, r->npdu_per_s, r->point.octets);
    BENCH_REPORT_ROWS(
        s, BENCH_REAL("ns_with_ports", r->turn_ns), BENCH_REAL("npdu_per_s_with_ports", r->turn_npdu_per_s),
        BENCH_COUNT("voided_trials", r->voided), BENCH_COUNT("windows", r->windows),
        BENCH_COUNT("windows_asked", preloaded_valid(plan, r).asked), BENCH_COUNT("offered", r->counts.fed),
        BENCH_COUNT("sent", r->counts.sent), BENCH_COUNT("dropped", r->counts.dropped),
        BENCH_COUNT("llc_frames", r->counts.frames), BENCH_COUNT("frame_octets", r->counts.frame_octets),
        BENCH_TEXT("fault", r->fault.text));
    put_price(s, plan, r);
    json_stream_end(s);
}

bool bench_report_end(struct json_stream *s, const struct bench_plan *plan,
                      const struct bench_report_rest *rest)
{
    if (!plan->json)
        return true;
    json_stream_end(s);
    if (rest->put)
        rest->put(s, rest->arg);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("stopped", rest->stopped));
    json_stream_end(s);
    int wrong = whole_file_close(s->file, plan->json);
    if (wrong != 0) {
        bench_error("%s: %s", plan->json, strerror(wrong));
        return false;
    }
    is_written = true;
    return true;
}

/* Whether this process has written a whole report. */
static bool bench_report_is_written(void)
{
    return is_written;
}

/* --- points --- */

int bench_report_points(const struct bench_plan *plan, const struct bench_points_mode *mode)
{
    struct bench_machine machine;
    struct json_stream json;
    struct bench_points points = {.plan = plan};
    enum bench_points_outcome outcome;
    int status = COMMAND_OK;
    bench_machine_get(&machine);
    if (!bench_report_begin(&json, plan, &machine))
        return COMMAND_FAILED;
    bench_console_catch();
    mode->head(plan);
    do {
        struct bench_point point = bench_plan_point(&points);
        outcome = mode->measure(&json, plan, &point);
        if (outcome != BENCH_POINTS_GOOD)
            status = COMMAND_FAILED;
    } while (outcome != BENCH_POINTS_STOP && !bench_console_is_interrupted() &&
             bench_plan_next_point(&points));
    if (mode->measure_last && outcome != BENCH_POINTS_STOP && !bench_console_is_interrupted())
        mode->measure_last(&json, plan);
    const struct bench_report_rest rest = {
        .stopped = bench_console_stopped(), .put = mode->put_rest, .arg = plan};
    bench_report_tail(&machine);
    if (rest.stopped)
        printf("\nstopped: %s\n", rest.stopped);
    return bench_report_end(&json, plan, &rest) && !rest.stopped ? status : COMMAND_FAILED;
}
