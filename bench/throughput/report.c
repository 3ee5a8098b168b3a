/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS 64

static char own_json[] = "/tmp/gbflow-bench-XXXXXX";
static bool is_own;

static bool bench_report_is_written(void);

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
    if (plan->html && bench_report_is_written() && !throughput_report_make(plan))
        status = COMMAND_FAILED;
    if (is_own)
        unlink(own_json);
    return status;
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

void bench_report_machine(const struct bench_machine *machine)
{
    printf("%s, %u CPUs%s, %s, %s, %s\n", machine->cpu[0] ? machine->cpu : "unknown processor",
           machine->processors, machine->is_virtual ? " (virtual machine)" : "", machine->kernel,
           machine->dpdk, machine->has_huge_pages ? "huge pages" : "no huge pages");
}

void bench_report_traffic(const struct bench_plan *plan)
{
    printf("%u cells, N201-U %u, AQM %s", plan->cells, plan->n201_u, bench_value_aqm_name(plan));
    if (plan->aqm.choice.ops)
        printf(" of %s", bench_value_scope_name(plan));
    if (plan->bvc_rate_percent > 0)
        printf(", R of all BVC buckets %u %% of the offered octets", plan->bvc_rate_percent);
    else
        printf(", unlimited BVC buckets");
    if (plan->zipf > 0)
        printf(", Zipf exponent %g", plan->zipf);
}

void bench_report_head(const struct bench_plan *plan, const struct bench_machine *machine)
{
    bench_report_machine(machine);
    bench_report_traffic(plan);
    printf(", %u valid windows of %g ms\n\n", plan->windows, (double)plan->window_ns * 1e-6);
    printf(
        "octets  cipher  mobiles  workers   N-PDU/s  ns/N-PDU  quartiles       95 %% of median    ns/turn   "
        "void\n");
}

void bench_report_row(const struct bench_preloaded *r)
{
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("%-6s  %-6s  %7u  %7u  %8.0f  %8.1f  %6.1f..%-6.1f  %6.1f..%-6.1f  %10.1f  %4" PRIu64 "\n", octets,
           bench_value_cipher_name(r->point.cipher), r->point.mobiles, r->point.workers, r->npdu_per_s,
           r->ns.median, r->ns.lower_quartile, r->ns.upper_quartile, r->ns.low, r->ns.high, r->turn_ns,
           r->voided);
    if (bench_fault_is_set(&r->fault))
        printf("        FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

/* --- JSON --- */

/* Null for an empty text. */
static void put_known(struct json_stream *s, const char *key, const char *text)
{
    if (text[0])
        json_stream_text(s, key, text);
    else
        json_stream_null(s, key);
}

static void put_machine(struct json_stream *s, const struct bench_machine *machine)
{
    json_stream_object(s, "machine");
    json_stream_text(s, "cpu", machine->cpu);
    json_stream_count(s, "processors", machine->processors);
    json_stream_bool(s, "is_virtual", machine->is_virtual);
    json_stream_bool(s, "has_avx512", machine->has_avx512);
    json_stream_bool(s, "has_huge_pages", machine->has_huge_pages);
    json_stream_count(s, "tsc_hz", machine->tsc_hz);
    json_stream_count(s, "memory_octets", machine->memory_octets);
    json_stream_number(s, "load", machine->load);
    json_stream_text(s, "kernel", machine->kernel);
    json_stream_text(s, "dpdk", machine->dpdk);
    put_known(s, "microcode", machine->microcode);
    put_known(s, "hypervisor", machine->hypervisor);
    put_known(s, "bios", machine->bios);
    put_known(s, "board", machine->board);
    put_known(s, "product", machine->product);
    put_known(s, "kernel_command_line", machine->kernel_line);
    put_known(s, "governor", machine->governor);
    json_stream_count(s, "huge_pages_2m", machine->huge_2m);
    json_stream_count(s, "huge_pages_1g", machine->huge_1g);
    json_stream_count(s, "numa_nodes", machine->numa_nodes);
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

static void put_rfc2544(struct json_stream *s, const struct bench_plan *plan)
{
    json_stream_count(s, "trial_ns", (uint64_t)plan->trial_ns);
    json_stream_count(s, "limit_s", plan->limit_s);
    json_stream_count(s, "bursts", plan->bursts);
    json_stream_count(s, "overload_percent", plan->overload_percent);
    json_stream_bool(s, "served", plan->is_served);
    put_known(s, "gn_device", plan->eal.gn.device);
    put_known(s, "gb_device", plan->eal.gb.device);
    put_known(s, "node_gn_device", plan->node_gn);
    put_known(s, "node_gb_device", plan->node_gb);
    put_known(s, "roofline", plan->roofline ? plan->roofline : "");
    if (plan->node_core == UINT32_MAX)
        json_stream_null(s, "node_core");
    else
        json_stream_count(s, "node_core", plan->node_core);
}

static void put_plan(struct json_stream *s, const struct bench_plan *plan)
{
    json_stream_object(s, "plan");
    json_stream_count(s, "n201_u", plan->n201_u);
    json_stream_number(s, "zipf", plan->zipf);
    json_stream_count(s, "bvc_rate_percent", plan->bvc_rate_percent);
    json_stream_count(s, "slowdown_percent", plan->slowdown_percent);
    json_stream_bool(s, "foreign_teids", plan->is_foreign);
    json_stream_bool(s, "fcs_checked", plan->is_fcs_checked);
    json_stream_text(s, "aqm", bench_value_aqm_name(plan));
    json_stream_text(s, "aqm_scope", bench_value_scope_name(plan));
    json_stream_text(s, "gea_engine", plan->gea ? plan->gea->name : "none");
    put_cores(s, &plan->eal);
    json_stream_text(s, "pages", bench_value_pages_name(plan));
    json_stream_count(s, "windows", plan->windows);
    json_stream_count(s, "window_ns", (uint64_t)plan->window_ns);
    json_stream_count(s, "gap_ns", (uint64_t)plan->gap_ns);
    json_stream_count(s, "seed", plan->seed);
    if (plan->is_rfc2544)
        put_rfc2544(s, plan);
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

static void put_counts(struct json_stream *s, const struct bench_preloaded *r)
{
    json_stream_count(s, "windows", r->windows);
    json_stream_count(s, "offered", r->fed);
    json_stream_count(s, "sent", r->sent);
    json_stream_count(s, "dropped", r->dropped);
    json_stream_count(s, "llc_frames", r->frames);
    json_stream_count(s, "frame_octets", r->frame_octets);
    bench_report_fault(s, &r->fault);
}

void bench_report_known(struct json_stream *s, const char *key, double value)
{
    if (value > 0)
        json_stream_number(s, key, value);
    else
        json_stream_null(s, key);
}

void bench_report_fault(struct json_stream *s, const struct bench_fault *fault)
{
    if (bench_fault_is_set(fault))
        json_stream_text(s, "fault", fault->text);
    else
        json_stream_null(s, "fault");
}

void bench_report_point(struct json_stream *s, const char *mode, const struct bench_point *point)
{
    json_stream_text(s, "mode", mode);
    if (point->octets == BENCH_PLAN_IMIX)
        json_stream_text(s, "octets", "imix");
    else
        json_stream_count(s, "octets", point->octets);
    json_stream_text(s, "cipher", bench_value_cipher_name(point->cipher));
    json_stream_count(s, "mobiles", point->mobiles);
    json_stream_count(s, "cells", point->cells);
    json_stream_count(s, "workers", point->workers);
}

void bench_report_time(struct json_stream *s, double npdu_per_s, const struct bench_spread_summary *ns)
{
    json_stream_number(s, "npdu_per_s", npdu_per_s);
    json_stream_null(s, "ndr_npdu_per_s");
    json_stream_null(s, "pdr_npdu_per_s");
    json_stream_number(s, "ns_per_npdu", ns->median);
    json_stream_number(s, "ns_lower_quartile", ns->lower_quartile);
    json_stream_number(s, "ns_upper_quartile", ns->upper_quartile);
    json_stream_number(s, "ns_median_low", ns->low);
    json_stream_number(s, "ns_median_high", ns->high);
    json_stream_null(s, "latency_us");
    json_stream_null(s, "roofline_share");
}

void bench_report_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_preloaded *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "preloaded", &r->point);
    bench_report_time(s, r->npdu_per_s, &r->ns);
    json_stream_number(s, "ns_with_ports", r->turn_ns);
    json_stream_number(s, "npdu_per_s_with_ports", r->turn_npdu_per_s);
    json_stream_count(s, "voided_trials", r->voided);
    put_counts(s, r);
    json_stream_end(s);
}

bool bench_report_end(struct json_stream *s, const struct bench_plan *plan)
{
    return bench_report_end_with(s, plan, NULL, NULL);
}

bool bench_report_end_with(struct json_stream *s, const struct bench_plan *plan,
                           void (*put)(struct json_stream *s, const void *arg), const void *arg)
{
    if (!plan->json)
        return true;
    json_stream_end(s);
    if (put)
        put(s, arg);
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
    mode->head(plan, &machine);
    do {
        struct bench_point point = bench_plan_point(&points);
        outcome = mode->measure(&json, plan, &point);
        if (outcome != BENCH_POINTS_GOOD)
            status = COMMAND_FAILED;
    } while (outcome != BENCH_POINTS_STOP && bench_plan_next_point(&points));
    return bench_report_end_with(&json, plan, mode->put_rest, NULL) ? status : COMMAND_FAILED;
}
