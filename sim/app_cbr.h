/* SPDX-License-Identifier: BSD-3-Clause */
/* CBR traffic: a host sends UDP to another, which counts it: at a constant rate or as a Poisson process, all
   the time or in bursts with pauses; or packets of given times and sizes. */
#ifndef SIM_APP_CBR_H
#define SIM_APP_CBR_H

#include "dataplane/base/rng.h"
#include "sim/host.h"
#include "sim/payload.h"

struct app_cbr_packet {
    int64_t at_ns; /* since start_ns, or since the list began again; does not fall */
    uint32_t octets;
};

struct app_cbr_config {
    struct host *receiver,
        *sender; /* must outlive it; one UDP port of the receiver, one timer of the sender */
    uint16_t receiver_port, sender_port;
    const struct app_cbr_packet
        *packets; /* the caller's, which outlives it, in place of rate and bursts; NULL: none */
    size_t packet_count;
    int64_t repeat_ns;            /* after which the packets begin again, > the last at_ns; 0: never */
    uint64_t rate_bps;            /* of IP octets, > 0, at most 10^9 */
    uint32_t packet_octets;       /* the whole IP packet, 44 .. 1500; the largest of `packets` */
    bool is_ecn_capable;          /* the packets say ECT(0) */
    enum payload_content content; /* behind number and time of sending */
    int64_t burst_ns, pause_ns;   /* lengths, with is_random their means; burst_ns 0: no pauses */
    bool is_random;               /* burst and pause lengths are exponentially distributed */
    bool is_poisson;       /* intervals of packets are exponentially distributed, with the mean of the rate */
    uint64_t seed, stream; /* of the random lengths, as for rng_init() */
    int64_t start_ns, stop_ns;
    void *arg;
    void (*on_receive)(void *arg, int64_t now, uint32_t payload_octets, int64_t delay_ns); /* may be NULL */
};

/* Invariant: sent = received + lost + in transit. */
struct app_cbr_record {
    uint64_t sent, received;
    uint64_t received_octets; /* payload */
    uint64_t out_of_order;    /* packets with a number below an earlier one */
    int64_t delay_sum_ns, delay_max_ns;
    int64_t start_ns, end_ns; /* first sent, last received */
};

struct app_cbr;

/* NULL: a value out of range, no memory, port taken, or no room on a host. */
struct app_cbr *app_cbr_new(const struct app_cbr_config *config);
void app_cbr_free(struct app_cbr *a);

const struct app_cbr_record *app_cbr_record(const struct app_cbr *a);

#endif
