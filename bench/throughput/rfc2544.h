/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench generate --rfc2544`: for each N-PDU size what RFC 2544 asks of a device, of a node and, on
 * the same ports and by the same counters, of dpdk-testpmd in its place.
 *
 * - NDR and PDR (0.5 %): trials of a second and more by bisection, to 0.5 % of the load (26.1); shorter ones
 * by the search of ndr (search.h), with a shorter staircase.
 * - Latency at 10, 50 and 90 % of NDR: percentiles of all N-PDUs, or of each k-th (26.2).
 * - The longest burst without loss, sent as fast as the generator can (26.4; RFC 9004).
 * - Recovery: 110 % of NDR, then 50 %: from the change until the last lost N-PDU was sent (26.5).
 *
 * Deviation: RFC 2544 sends one marked frame in a trial of latency; here each N-PDU has its sending time.
 */
#ifndef BENCH_THROUGHPUT_RFC2544_H
#define BENCH_THROUGHPUT_RFC2544_H

#include "bench/throughput/machine.h"
#include "bench/throughput/outside.h"
#include "bench/throughput/plan.h"
#include "control/base/json_stream.h"

#define BENCH_RFC2544_LEVELS 3 /* offered loads of the latency trials, percent of NDR: */
#define BENCH_RFC2544_PERCENTS                                                                               \
    {                                                                                                        \
        10, 50, 90                                                                                           \
    }
#define BENCH_RFC2544_UNDER_PERCENT 50 /* the load after the overload */
#define BENCH_RFC2544_ENTRIES       (2 * BENCH_PLAN_CHOICES)

struct bench_rfc2544_latency {
    unsigned percent;
    bool is_tried;
    double offered_npdu_per_s, loss;
    uint64_t stamped; /* N-PDUs whose latency is known */
    double p50_us, p90_us, p99_us, p999_us, max_us;
    double gap_us; /* the longest of the generator: the latency may have it, too; 0: none */
};

struct bench_rfc2544_burst {
    unsigned searches;         /* 0: not measured */
    double mean, least, most;  /* N-PDUs of the longest bursts without loss */
    double offered_npdu_per_s; /* in the bursts */
    uint64_t limit;            /* no burst was longer */
    bool is_limited;           /* a burst of `limit` lost none */
    double buffer;             /* N-PDUs, corrected by NDR (RFC 9004); 0: the bursts were not above NDR */
};

struct bench_rfc2544_recovery {
    bool is_tried;
    double over_npdu_per_s, under_npdu_per_s; /* offered */
    double over_s;
    uint64_t lost;       /* LLC frames of both loads */
    uint64_t lost_under; /* N-PDUs sent after the change */
    double us, slot_us;  /* 0: none was lost after the change; the resolution */
    bool is_over;        /* none was lost in the last tenth of the trial */
};

/* Of one size. Values are 0 until they are measured. */
struct bench_rfc2544 {
    struct bench_point point;
    bool is_testpmd;
    struct bench_rates rates;
    bool is_complete; /* all was measured */
    bool is_refuted;  /* loads below NDR lost more than PDR may */
    struct bench_rfc2544_latency latency[BENCH_RFC2544_LEVELS];
    struct bench_rfc2544_burst burst;
    struct bench_rfc2544_recovery recovery;
    double roofline_ndr, roofline_pdr;           /* of testpmd; 0: not known */
    bool is_roofline_invalid, is_roofline_least; /* testpmd's is_refuted, is_ndr_least */
    uint64_t trials, voided, gap_trials, slow, wrong_fcs, reordered;
};

/* A whole run; entries in the order in which they were measured. */
struct bench_rfc2544_result {
    unsigned count;
    struct bench_rfc2544 entries[BENCH_RFC2544_ENTRIES];
    struct bench_ports ports;
    const char *stopped; /* why not all was measured; NULL: all was */
    double took_s;
};

/* The sizes of the plan. DPDK is running. Returns an exit status. */
int bench_rfc2544_run(const struct bench_plan *plan);

/* Table and JSON. */

void bench_rfc2544_head(const struct bench_plan *plan);
void bench_rfc2544_row(const struct bench_rfc2544 *r);
void bench_rfc2544_end(const struct bench_rfc2544_result *result, const struct bench_machine *machine);
void bench_rfc2544_put(struct json_stream *s, const struct bench_plan *plan,
                       const struct bench_rfc2544_result *result);

/* Members behind the trials: ports, duration. arg: the result. */
void bench_rfc2544_rest(struct json_stream *s, const void *arg);

/* NDR and PDR of testpmd from its entries in a report, into the node's. False, with a line on stderr: the
 * report cannot be read. */
bool bench_rfc2544_roofline(const char *path, struct bench_rfc2544_result *result);

#endif
