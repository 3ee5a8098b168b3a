/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scaling: a model of the N-PDU/s of N workers together, from parts that one and two CPUs can measure.
 *
 * Model: a worker that is alone takes alone_ns for an N-PDU. Of the N-PDUs a share comes to another worker
 * than its own. There it takes sender_ns, until it is on the ring, and at its own worker receiver_ns, from
 * the ring to Gb; both are measured on one CPU, whose caches have all lines. On two CPUs each of them also
 * waits for lines that the other one has written: line_ns for each if many are under way at a time, which is
 * the prediction. The bounds are that no line is waited for, and that each is, one after the other
 * (chase_ns).
 *
 * Where frames come to all workers alike, these share the sum:
 *
 *      npdu_per_s = N / ((1 - steered) alone + steered (sender + receiver))
 *
 * Where all frames come to one worker, the slower of the first one and of each other one decides:
 *
 *      npdu_per_s = 1 / max((1 - steered) alone + steered sender, steered receiver / (N - 1))
 *
 * Left out: caches and memory bandwidth that all cores share, NUMA, clock rates that fall when many
 * cores work, buffers that go back to their sender, and the look at empty rings.
 */
#ifndef BENCH_THROUGHPUT_SCALING_H
#define BENCH_THROUGHPUT_SCALING_H

/* How frames on Gn come to workers. */
enum bench_deal {
    BENCH_DEAL_TEID,    /* to the worker that the TEID names */
    BENCH_DEAL_ADDRESS, /* RSS over addresses and ports; one GGSN with one port: all to one worker */
    BENCH_DEAL_TURN,    /* one worker after the other, as from many GGSNs, or `--unsteered` */
    BENCH_DEALS
};

/* "teid", "address", "turn". */
const char *bench_scaling_deal_name(enum bench_deal deal);

/* Nanoseconds per N-PDU, and per line; line_ns and chase_ns 0: not known. */
struct bench_scaling_parts {
    double alone_ns, sender_ns, receiver_ns, line_ns, chase_ns;
};

/* Counted (crew.h). */
struct bench_scaling_counts {
    double steered;                /* share of the N-PDUs */
    double to_receiver, to_sender; /* lines of a steered N-PDU, by who waits for them in its step */
};

/* low..high are the bounds, no interval of a measurement. */
struct bench_scaling {
    double npdu_per_s, low, high;
    double efficiency; /* share of N times the rate of one worker */
};

struct bench_scaling bench_scaling_predict(const struct bench_scaling_parts *parts,
                                           const struct bench_scaling_counts *counts, enum bench_deal deal,
                                           unsigned workers);

#endif
