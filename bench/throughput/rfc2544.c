/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/rfc2544.h"
#include "bench/throughput/console.h"
#include "bench/throughput/report.h"
#include "bench/throughput/traffic.h"
#include "bench/throughput/values.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define REFUTED                                                                                              \
    "loads below NDR lose frames or were not offered: another process used the CPUs, or the far end stopped"
#define ABOVE_LIMIT "above the limit of the ports; measure again on CPUs of your own"
#define RATE_CHARS  24

/* --- table --- */

/* "no card", "card of a hypervisor" and the like. */
static const char *kind_text(enum bench_port_kind kind)
{
    static const char *const texts[] = {
        [BENCH_PORT_VIRTUAL] = "no card: a virtual port",
        [BENCH_PORT_EMULATED] = "no card: emulated by a hypervisor",
        [BENCH_PORT_PASSED] = "a card of a virtual machine",
        [BENCH_PORT_CARD] = "a card",
    };
    return texts[kind];
}

static void print_port(const char *name, const struct bench_port *port)
{
    printf("%s: %s, driver %s, ", name, port->device[0] ? port->device : "unknown device",
           port->driver[0] ? port->driver : "unknown");
    if (port->firmware[0])
        printf("firmware %s, ", port->firmware);
    if (port->link_mbit_per_s > 0)
        printf("%u Mbit/s, ", port->link_mbit_per_s);
    printf("MTU %u (%s)\n", port->mtu, kind_text(port->kind));
}

void bench_rfc2544_head(const struct bench_plan *plan)
{
    printf(
        "%u mobile%s, %u cell%s, N201-U %u, cipher %s, trials of %g s; latency at 10, 50, 90 %% of NDR\n\n",
        plan->mobiles.values[0], words_plural(plan->mobiles.values[0]), plan->cells,
        words_plural(plan->cells), plan->n201_u, bench_value_cipher_name((uint8_t)plan->ciphers.values[0]),
        (double)plan->trial_ns * 1e-9);
    printf("dut      octets  frame  NDR N-PDU/s  PDR N-PDU/s   load %%   p50 us   p90 us   p99 us  p99.9 us  "
           "  max us  "
           "burst N-PDUs  recovery us\n");
    fflush(stdout);
}

static void print_latency(const struct bench_rfc2544_latency *l)
{
    if (!l->is_tried)
        printf("%8s %8s %8s %8s  %8s  %8s", "-", "-", "-", "-", "-", "-");
    else if (l->stamped == 0)
        printf("%8u %8s %8s %8s  %8s  %8s", l->percent, "-", "-", "-", "-", "-");
    else
        printf("%8u %8.1f %8.1f %8.1f  %8.1f  %8.1f", l->percent, l->p50_us, l->p90_us, l->p99_us, l->p999_us,
               l->max_us);
}

static void print_more(const struct bench_rfc2544 *r)
{
    if (r->burst.searches > 0)
        printf("  %s%11.0f", r->burst.is_limited ? ">" : " ", r->burst.mean);
    else
        printf("  %12s", "-");
    if (r->recovery.is_tried)
        printf("  %s%10.0f\n", r->recovery.is_over ? " " : ">", r->recovery.us);
    else
        printf("  %11s\n", "-");
}

static void print_remarks(const struct bench_rfc2544 *r)
{
    for (unsigned i = 0; i < BENCH_RFC2544_LEVELS; i++)
        if (r->latency[i].is_tried && r->latency[i].loss > 0)
            printf("         %.2f %% of the frames were lost at %u %% of NDR\n", 100 * r->latency[i].loss,
                   r->latency[i].percent);
    if (r->is_refuted)
        printf("         NOT VALID: " REFUTED "\n");
    if (!r->is_complete)
        printf("         not everything was measured\n");
    if (r->rates.ndr > 0 && !r->rates.is_finished)
        printf("         the search did not end in time: NDR and PDR are at least these\n");
    else if (r->rates.is_ndr_least)
        printf("         no offered load lost frames: the generator limits NDR\n");
    if (r->slow > 0)
        printf("         the generator was too slow for the offered load of %" PRIu64 " trials\n", r->slow);
    if (r->gap_trials > 0)
        printf("         %" PRIu64 " of %" PRIu64 " trials count in spite of a gap of the generator\n",
               r->gap_trials, r->trials);
    if (r->wrong_fcs + r->reordered > 0)
        printf("         FAULT: %" PRIu64 " LLC frames malformed or with a wrong FCS, %" PRIu64
               " with N(U) out of order\n",
               r->wrong_fcs, r->reordered);
}

/* A rate with its marks. */
static const char *marked(char out[RATE_CHARS], double rate, bool is_invalid, bool is_least)
{
    snprintf(out, RATE_CHARS, "%s%s%.0f", is_invalid ? "!" : "", is_least ? ">=" : "", rate);
    return out;
}

void bench_rfc2544_row(const struct bench_rfc2544 *r)
{
    char octets[8], ndr[RATE_CHARS], pdr[RATE_CHARS];
    bench_value_octets_name(octets, r->point.octets);
    printf("%-7s  %-6s  %5.0f  %11s  %11s ", r->is_testpmd ? "testpmd" : "node", octets,
           bench_traffic_mean_frame_octets(r->point.octets),
           marked(ndr, r->rates.ndr, false, r->rates.is_ndr_least),
           marked(pdr, r->rates.pdr, false, r->rates.is_pdr_least));
    print_latency(&r->latency[0]);
    print_more(r);
    for (unsigned i = 1; i < BENCH_RFC2544_LEVELS && r->latency[i].is_tried; i++) {
        printf("%*s", 49, "");
        print_latency(&r->latency[i]);
        printf("\n");
    }
    bench_report_ethernet("NDR", r->rates.ndr, r->point.octets);
    bench_report_void("trials", r->trials, r->voided);
    print_remarks(r);
    fflush(stdout);
}

static double share_of(const struct bench_rfc2544 *r)
{
    return r->roofline_ndr > 0 ? r->rates.ndr / r->roofline_ndr : 0;
}

/* NULL: the entry is valid. */
static const char *fault_of(const struct bench_rfc2544 *r)
{
    return r->is_refuted ? REFUTED : share_of(r) > 1 ? ABOVE_LIMIT : NULL;
}

/* A node's rate beside testpmd's. Whether one has a mark. */
static bool print_share(const struct bench_rfc2544 *r)
{
    char octets[8], own[RATE_CHARS], limit[RATE_CHARS];
    bench_value_octets_name(octets, r->point.octets);
    marked(own, r->rates.ndr, fault_of(r) != NULL, r->rates.is_ndr_least);
    marked(limit, r->roofline_ndr, r->is_roofline_invalid, r->is_roofline_least);
    printf("%-6s  %11s  %14s  %4.0f%%%s\n", octets, own, limit, 100 * share_of(r),
           share_of(r) > 1 ? "  NOT VALID: " ABOVE_LIMIT : "");
    return own[0] == '!' || own[0] == '>' || limit[0] == '!' || limit[0] == '>';
}

void bench_rfc2544_end(const struct bench_rfc2544_result *result, const struct bench_machine *machine)
{
    bool has_head = false, has_marks = false;
    for (unsigned i = 0; i < result->count; i++) {
        const struct bench_rfc2544 *r = &result->entries[i];
        if (r->is_testpmd || r->roofline_ndr == 0)
            continue;
        if (!has_head)
            printf("\noctets  NDR N-PDU/s  NDR of testpmd  share\n");
        has_head = true;
        has_marks = print_share(r) || has_marks;
    }
    if (has_marks)
        printf("!: not valid; >=: the search did not end in time, or no load lost frames: the rate is at "
               "least this\n");
    bench_report_tail(machine);
    print_port("Gn", &result->ports.gn);
    print_port("Gb", &result->ports.gb);
    printf("\n%u result%s in %.0f s%s%s\n", result->count, words_plural(result->count), result->took_s,
           result->stopped ? "; stopped: " : "", result->stopped ? result->stopped : "");
    fflush(stdout);
}

/* --- JSON --- */

static void put_latency(struct json_stream *s, const struct bench_rfc2544 *r)
{
    json_stream_array(s, "latency_at");
    for (unsigned i = 0; i < BENCH_RFC2544_LEVELS; i++) {
        const struct bench_rfc2544_latency *l = &r->latency[i];
        if (!l->is_tried)
            continue;
        json_stream_object(s, NULL);
        BENCH_REPORT_ROWS(
            s, BENCH_COUNT("percent", l->percent), BENCH_REAL("offered_npdu_per_s", l->offered_npdu_per_s),
            BENCH_REAL("loss", l->loss), BENCH_COUNT("npdus", l->stamped), BENCH_KNOWN("p50", l->p50_us),
            BENCH_KNOWN("p90", l->p90_us), BENCH_KNOWN("p99", l->p99_us), BENCH_KNOWN("p99_9", l->p999_us),
            BENCH_KNOWN("most", l->max_us), BENCH_REAL("generator_gap_us", l->gap_us));
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_burst(struct json_stream *s, const struct bench_rfc2544_burst *b)
{
    if (b->searches == 0) {
        json_stream_null(s, "back_to_back");
        return;
    }
    json_stream_object(s, "back_to_back");
    BENCH_REPORT_ROWS(s, BENCH_COUNT("searches", b->searches), BENCH_REAL("npdus", b->mean),
                      BENCH_REAL("least", b->least), BENCH_REAL("most", b->most),
                      BENCH_REAL("offered_npdu_per_s", b->offered_npdu_per_s),
                      BENCH_COUNT("limit_npdus", b->limit), BENCH_BOOL("is_limited", b->is_limited),
                      BENCH_KNOWN("buffer_npdus", b->buffer));
    json_stream_end(s);
}

static void put_recovery(struct json_stream *s, const struct bench_rfc2544_recovery *r)
{
    if (!r->is_tried) {
        json_stream_null(s, "recovery");
        return;
    }
    json_stream_object(s, "recovery");
    BENCH_REPORT_ROWS(s, BENCH_REAL("overload_npdu_per_s", r->over_npdu_per_s),
                      BENCH_REAL("overload_s", r->over_s), BENCH_REAL("then_npdu_per_s", r->under_npdu_per_s),
                      BENCH_COUNT("frames_lost", r->lost), BENCH_COUNT("npdus_lost_after", r->lost_under),
                      BENCH_REAL("recovery_us", r->us), BENCH_REAL("resolution_us", r->slot_us),
                      BENCH_BOOL("recovered", r->is_over));
    json_stream_end(s);
}

static void put_entry(struct json_stream *s, const struct bench_plan *plan, const struct bench_rfc2544 *r)
{
    const uint16_t octets = r->point.octets;
    json_stream_object(s, NULL);
    bench_report_point(s, "rfc2544", &r->point);
    BENCH_REPORT_ROWS(
        s, BENCH_TEXT("dut", r->is_testpmd ? "testpmd" : "node"),
        BENCH_REAL("frames_per_npdu", r->is_testpmd ? 1 : bench_traffic_mean_frames(octets, plan->n201_u)),
        BENCH_REAL("offered_npdu_per_s", r->rates.most_offered),
        BENCH_REAL("npdu_per_s", r->rates.most_carried), BENCH_KNOWN("ndr_npdu_per_s", r->rates.ndr),
        BENCH_KNOWN("pdr_npdu_per_s", r->rates.pdr),
        BENCH_KNOWN("ndr_gn_mbit_per_s",
                    r->rates.ndr * 8 * (bench_traffic_mean_frame_octets(octets) + BENCH_TRAFFIC_GAP_OCTETS) *
                        1e-6),
        BENCH_BOOL("ndr_is_least", r->rates.is_ndr_least), BENCH_BOOL("pdr_is_least", r->rates.is_pdr_least),
        BENCH_KNOWN("ns_per_npdu", r->rates.ndr > 0 ? 1e9 / r->rates.ndr : 0),
        BENCH_KNOWN("roofline_npdu_per_s", r->roofline_ndr),
        BENCH_KNOWN("roofline_pdr_npdu_per_s", r->roofline_pdr), BENCH_KNOWN("roofline_share", share_of(r)));
    bench_report_put_ethernet(s, r->rates.ndr, octets);
    put_latency(s, r);
    put_burst(s, &r->burst);
    put_recovery(s, &r->recovery);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("tried_trials", r->trials), BENCH_COUNT("voided_trials", r->voided),
                      BENCH_COUNT("gap_trials", r->gap_trials), BENCH_COUNT("slow_trials", r->slow),
                      BENCH_BOOL("search_finished", r->rates.is_finished),
                      BENCH_BOOL("complete", r->is_complete), BENCH_BOOL("valid", !fault_of(r)),
                      BENCH_TEXT("not_valid_because", fault_of(r)), BENCH_COUNT("wrong_fcs", r->wrong_fcs),
                      BENCH_COUNT("reordered", r->reordered));
    json_stream_end(s);
}

void bench_rfc2544_put(struct json_stream *s, const struct bench_plan *plan,
                       const struct bench_rfc2544_result *result)
{
    for (unsigned i = 0; i < result->count; i++)
        put_entry(s, plan, &result->entries[i]);
}

static void put_port(struct json_stream *s, const char *key, const struct bench_port *port)
{
    static const char *const kinds[] = {"virtual", "emulated", "card_in_virtual_machine", "card"};
    char mac[18];
    snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", port->mac[0], port->mac[1], port->mac[2],
             port->mac[3], port->mac[4], port->mac[5]);
    json_stream_object(s, key);
    BENCH_REPORT_ROWS(
        s, BENCH_TEXT("device", port->device), BENCH_TEXT("driver", port->driver),
        BENCH_TEXT("firmware", port->firmware), BENCH_TEXT("bus", port->bus),
        BENCH_ROW("numa_node", COUNT, port->numa_node >= 0, count, (uint64_t)port->numa_node),
        BENCH_ROW("link_mbit_per_s", COUNT, port->link_mbit_per_s > 0, count, port->link_mbit_per_s),
        BENCH_COUNT("mtu", port->mtu), BENCH_TEXT("mac", mac), BENCH_TEXT("kind", kinds[port->kind]));
    json_stream_end(s);
}

void bench_rfc2544_rest(struct json_stream *s, const void *arg)
{
    const struct bench_rfc2544_result *result = arg;
    json_stream_object(s, "ports");
    put_port(s, "gn", &result->ports.gn);
    put_port(s, "gb", &result->ports.gb);
    json_stream_end(s);
    BENCH_REPORT_ROWS(s, BENCH_REAL("took_s", result->took_s));
}

/* --- a report of testpmd --- */

/* "imix" or a number, as bench_report_point() writes it. */
static bool is_size(const json_t *octets, uint16_t wanted)
{
    if (json_is_string(octets))
        return wanted == BENCH_PLAN_IMIX && strcmp(json_string_value(octets), "imix") == 0;
    return json_is_integer(octets) && json_integer_value(octets) == wanted && wanted != BENCH_PLAN_IMIX;
}

static void take_entry(const json_t *trial, struct bench_rfc2544_result *result)
{
    const char *dut = json_string_value(json_object_get(trial, "dut"));
    for (unsigned i = 0; dut && strcmp(dut, "testpmd") == 0 && i < result->count; i++) {
        struct bench_rfc2544 *r = &result->entries[i];
        if (r->is_testpmd || !is_size(json_object_get(trial, "octets"), r->point.octets))
            continue;
        const double ndr = json_number_value(json_object_get(trial, "ndr_npdu_per_s"));
        const double pdr = json_number_value(json_object_get(trial, "pdr_npdu_per_s"));
        r->roofline_ndr = ndr > 0 ? ndr : 0;
        r->roofline_pdr = pdr > 0 ? pdr : 0;
        r->is_roofline_invalid = json_is_false(json_object_get(trial, "valid"));
        r->is_roofline_least = json_is_false(json_object_get(trial, "search_finished")) ||
                               json_is_true(json_object_get(trial, "ndr_is_least"));
    }
}

bool bench_rfc2544_roofline(const char *path, struct bench_rfc2544_result *result)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *trials = root ? json_object_get(root, "trials") : NULL;
    if (!root)
        bench_error("--roofline %s: %s", path, error.text);
    else if (!json_is_array(trials))
        bench_error("--roofline %s: it has no trials; give a report of --testpmd --json", path);
    for (size_t i = 0; trials && i < json_array_size(trials); i++)
        take_entry(json_array_get(trials, i), result);
    bool is_read = json_is_array(trials);
    json_decref(root);
    return is_read;
}
