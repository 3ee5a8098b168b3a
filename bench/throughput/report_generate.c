/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report_generate.h"

#include "bench/throughput/values.h"

#include <inttypes.h>

static double rate_of(const struct bench_trial *t)
{
    return t->took_ns > 0 ? (double)t->offered / (double)t->took_ns * 1e9 : 0;
}

void bench_report_generate_head(const struct bench_plan *plan, const struct bench_machine *machine)
{
    bench_report_machine(machine);
    printf("a running node, %u cells, N201-U %u\n\n", plan->cells, plan->n201_u);
    fflush(stdout);
}

void bench_report_generate_row(const struct bench_generate *r)
{
    const struct bench_trial *t = &r->trial;
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("%s octets, cipher %s, %u mobiles", octets, bench_value_cipher_name(r->point.cipher),
           r->point.mobiles);
    if (r->ndr > 0)
        printf(": NDR %.0f N-PDU/s, PDR %.0f%s", r->ndr, r->pdr,
               r->is_finished ? "" : " (the search exceeded --seconds)");
    printf("\noffered %" PRIu64 " N-PDUs in %.3f s (%.0f/s), %" PRIu64
           " without room in the Gn ring; LLC frames expected %" PRIu64 ", received %" PRIu64
           ", lost %.4f %%\n",
           t->offered, (double)t->took_ns * 1e-9, rate_of(t), t->unsent, t->expected, t->received,
           100 * bench_trial_loss(t));
    if (t->p50_us > 0)
        printf("latency p50 %.1f us, p99 %.1f us\n", t->p50_us, t->p99_us);
    printf("%" PRIu64 " trials, %" PRIu64 " with gaps of the generator\n", r->trials, r->voided);
    if (t->wrong_fcs + t->reordered > 0)
        printf("FAULT: %" PRIu64 " LLC frames malformed or with a wrong FCS, %" PRIu64
               " with N(U) out of order\n",
               t->wrong_fcs, t->reordered);
    fflush(stdout);
}

/* Null for unknown latencies. */
static void put_trial(struct json_stream *s, const struct bench_trial *t)
{
    json_stream_object(s, "latency_us");
    bench_report_known(s, "p50", t->p50_us);
    bench_report_known(s, "p99", t->p99_us);
    json_stream_end(s);
    json_stream_number(s, "offered_npdu_per_s", rate_of(t));
    json_stream_count(s, "offered", t->offered);
    json_stream_count(s, "tx_ring_full", t->unsent);
    json_stream_count(s, "frames_expected", t->expected);
    json_stream_count(s, "frames_received", t->received);
    json_stream_number(s, "loss", bench_trial_loss(t));
    json_stream_count(s, "wrong_fcs", t->wrong_fcs);
    json_stream_count(s, "reordered", t->reordered);
}

void bench_report_generate_trial(struct json_stream *s, const struct bench_plan *plan,
                                 const struct bench_generate *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "generate", &r->point);
    json_stream_number(s, "npdu_per_s", rate_of(&r->trial) * (1 - bench_trial_loss(&r->trial)));
    bench_report_known(s, "ndr_npdu_per_s", r->ndr);
    bench_report_known(s, "pdr_npdu_per_s", r->pdr);
    bench_report_known(s, "ns_per_npdu", r->ndr > 0 ? 1e9 / r->ndr : 0);
    json_stream_null(s, "roofline_share");
    put_trial(s, &r->trial);
    json_stream_count(s, "tried_trials", r->trials);
    json_stream_count(s, "voided_trials", r->voided);
    json_stream_bool(s, "search_finished", r->is_finished);
    json_stream_end(s);
}
