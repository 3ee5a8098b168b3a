/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/report_soak.h"

#include "bench/throughput/values.h"

#include <inttypes.h>

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

void bench_report_soak_head(const struct bench_plan *plan, const struct bench_machine *machine)
{
    bench_report_machine(machine);
    bench_report_traffic(plan);
    printf(", %g s\n\n", (double)plan->soak_ns * 1e-9);
}

static void print_use(const char *when, const struct bench_soak_use *use)
{
    printf("  %-7s %6" PRIu64 " and %6" PRIu64
           " mbufs in use by worker and generator, RSS %8.1f and %8.1f MiB\n",
           when, use->worker_mbufs, use->generator_mbufs, (double)use->worker_octets / 1048576,
           (double)use->generator_octets / 1048576);
}

static void print_losses(const struct bench_soak *r)
{
    const struct bench_loss_log_sum *sum = &r->sum;
    printf("  turns above %g us, gaps: worker %" PRIu64 " (longest %.0f us), generator %" PRIu64
           " (longest %.0f us); with their backlogs (longest %.0f us) they cover %.2f %% of the time\n",
           (double)r->gap_ns * 1e-3, sum->gaps[0], (double)sum->longest_ns[0] * 1e-3, sum->gaps[1],
           (double)sum->longest_ns[1] * 1e-3, (double)sum->longest_after_ns * 1e-3,
           r->took_ns > 0 ? 100 * (double)sum->covered_ns / (double)r->took_ns : 0);
    printf("  lost: %" PRIu64 " N-PDUs (share %.2g): %" PRIu64 " in gaps of the worker, %" PRIu64
           " in gaps of the generator, %" PRIu64 " outside of gaps\n",
           sum->lost, share_of(sum->lost, r->offered), sum->lost_in[0], sum->lost_in[1], sum->lost_outside);
}

static double since_s(const struct bench_soak *r, const struct bench_loss_log_outside *o)
{
    return (double)(o->begin_ns - r->began_ns) * 1e-9;
}

static double backlog_us(const struct bench_loss_log_outside *o)
{
    return (double)(o->backlog.end_ns - o->backlog.begin_ns) * 1e-3;
}

static void print_outside(const struct bench_soak *r)
{
    for (unsigned i = 0; i < r->sum.outside_count; i++) {
        const struct bench_loss_log_outside *o = &r->sum.outside[i];
        printf("    after %.3f s: %" PRIu64, since_s(r, o), o->lost);
        if (o->backlog.begin_ns)
            printf(", in a backlog of %.0f us, longest turn %.0f us\n", backlog_us(o),
                   (double)o->backlog.turn_ns * 1e-3);
        else
            printf(", without backlog\n");
    }
}

void bench_report_soak_row(const struct bench_soak *r)
{
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("octets %s, cipher %s, %u mobiles, %u workers: %.0f N-PDU/s", octets,
           bench_value_cipher_name(r->point.cipher), r->point.mobiles, r->point.workers, r->rate_npdu_per_s);
    if (r->ndr_npdu_per_s > 0)
        printf(" (NDR %.0f)", r->ndr_npdu_per_s);
    printf(", %.1f s\n  offered: %" PRIu64 ", not offered after gaps of the generator: %" PRIu64 "\n",
           (double)r->took_ns * 1e-9, r->offered, r->left_out);
    print_losses(r);
    print_outside(r);
    print_use("before", &r->before);
    print_use("warm-up", &r->warm);
    print_use("after", &r->after);
    if (bench_fault_is_set(&r->fault))
        printf("  FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

static void put_use(struct json_stream *s, const char *key, const struct bench_soak_use *use)
{
    json_stream_object(s, key);
    json_stream_count(s, "worker_mbufs", use->worker_mbufs);
    json_stream_count(s, "generator_mbufs", use->generator_mbufs);
    json_stream_count(s, "worker_rss_octets", use->worker_octets);
    json_stream_count(s, "generator_rss_octets", use->generator_octets);
    json_stream_end(s);
}

static void put_losses(struct json_stream *s, const struct bench_soak *r)
{
    json_stream_count(s, "lost", r->sum.lost);
    json_stream_count(s, "lost_in_worker_gaps", r->sum.lost_in[BENCH_LOSS_LOG_WORKER]);
    json_stream_count(s, "lost_in_generator_gaps", r->sum.lost_in[BENCH_LOSS_LOG_GENERATOR]);
    json_stream_count(s, "lost_outside_gaps", r->sum.lost_outside);
    json_stream_count(s, "worker_gaps", r->sum.gaps[BENCH_LOSS_LOG_WORKER]);
    json_stream_count(s, "generator_gaps", r->sum.gaps[BENCH_LOSS_LOG_GENERATOR]);
    json_stream_number(s, "worker_longest_gap_us", (double)r->sum.longest_ns[BENCH_LOSS_LOG_WORKER] * 1e-3);
    json_stream_number(s, "generator_longest_gap_us",
                       (double)r->sum.longest_ns[BENCH_LOSS_LOG_GENERATOR] * 1e-3);
    json_stream_number(s, "gap_us", (double)r->gap_ns * 1e-3);
    json_stream_number(s, "longest_recovery_us", (double)r->sum.longest_after_ns * 1e-3);
    json_stream_number(s, "gap_time_share",
                       r->took_ns > 0 ? (double)r->sum.covered_ns / (double)r->took_ns : 0);
}

static void put_outside(struct json_stream *s, const struct bench_soak *r)
{
    json_stream_array(s, "losses_outside_gaps");
    for (unsigned i = 0; i < r->sum.outside_count; i++) {
        const struct bench_loss_log_outside *o = &r->sum.outside[i];
        json_stream_object(s, NULL);
        json_stream_number(s, "at_s", since_s(r, o));
        json_stream_count(s, "lost", o->lost);
        json_stream_number(s, "backlog_us", backlog_us(o));
        json_stream_number(s, "longest_turn_us", (double)o->backlog.turn_ns * 1e-3);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_counts(struct json_stream *s, const struct bench_soak *r)
{
    json_stream_count(s, "offered", r->offered);
    json_stream_count(s, "not_offered", r->left_out);
    json_stream_count(s, "tx_ring_full", r->unsent);
    json_stream_count(s, "received", r->received);
    json_stream_count(s, "sent", r->sent);
    json_stream_count(s, "dropped", r->dropped);
    json_stream_count(s, "llc_frames", r->llc_frames);
    json_stream_count(s, "llc_frames_received", r->frames);
    json_stream_count(s, "wrong_fcs", r->wrong_fcs);
    json_stream_count(s, "reordered", r->reordered);
}

void bench_report_soak_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_soak *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "soak", &r->point);
    json_stream_number(s, "rate_npdu_per_s", r->rate_npdu_per_s);
    if (r->ndr_npdu_per_s > 0)
        json_stream_number(s, "ndr_npdu_per_s", r->ndr_npdu_per_s);
    else
        json_stream_null(s, "ndr_npdu_per_s");
    json_stream_number(s, "took_s", (double)r->took_ns * 1e-9);
    put_counts(s, r);
    put_losses(s, r);
    put_outside(s, r);
    put_use(s, "before", &r->before);
    put_use(s, "after_warm_up", &r->warm);
    put_use(s, "after", &r->after);
    bench_report_fault(s, &r->fault);
    json_stream_end(s);
}
