/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile sends a request to a server over UDP, now and then, and the server answers at once, as a meter
 * reports its readings. The messages are those of CoAP (RFC 7252 section 3) with a token of four octets, the
 * number of the request; the answer stands in the acknowledgement (section 5.2.1).
 *
 * A confirmable request is sent again until its answer comes (section 4.2): first after a time between
 * timeout_ns and 1.5 times that (ACK_RANDOM_FACTOR), then each time after twice the time before, until it has
 * been repeated `repeats` times and this time has passed once more: then it is given up, and an answer no
 * longer counts. One request is out at a time (NSTART of section 4.7): the next one begins at its instant, or
 * when the one before has its answer or is given up, if that is later. Any other request is sent once, at its
 * instant, and its answer counts however late.
 *
 * Not in the model: separate responses, observation, blocks, and congestion control beyond section 4.2.
 */
#ifndef SIM_APP_REQUEST_H
#define SIM_APP_REQUEST_H

#include "sim/host.h"
#include "sim/payload.h"

#define APP_REQUEST_LEAST_OCTETS 36 /* IPv4, UDP and CoAP headers and the token */
#define APP_REQUEST_REPEATS      10 /* at most */

struct app_request_config {
    struct host *mobile, *server; /* must outlive it; one UDP port of each, one timer of the mobile */
    uint16_t port;                /* at both, free for the other end */
    uint32_t request_octets, answer_octets; /* of whole IP packets, APP_REQUEST_LEAST_OCTETS .. 1500 */
    uint32_t count;                         /* of requests; 0: until stop_ns */
    int64_t interval_ns;                    /* from one request to the next, > 0 */
    bool is_random;                         /* intervals are exponentially distributed with this mean */
    bool is_confirmable;
    uint32_t repeats;   /* of a confirmable request at most (MAX_RETRANSMIT), 0 .. APP_REQUEST_REPEATS */
    int64_t timeout_ns; /* ACK_TIMEOUT, > 0 */
    enum payload_content content;
    uint64_t seed, stream;     /* of intervals and timeouts, as for rng_init() */
    int64_t start_ns, stop_ns; /* no request begins from stop_ns on; the last one may be repeated */
    void *arg;
    void (*on_answer)(void *arg, int64_t now, uint32_t payload_octets, int64_t took_ns); /* may be NULL */
};

/* Invariant: answered <= sent; given_up <= sent - answered. */
struct app_request_record {
    uint32_t sent;     /* requests, without repetitions */
    uint32_t answered; /* in time */
    uint32_t repeated; /* repetitions sent */
    uint32_t given_up; /* confirmable requests without an answer in time */
    const int64_t
        *began_ns;          /* by request: its first sending; valid until the next step, as is the next one */
    const int64_t *took_ns; /* from there to its answer; -1: there is none */
};

struct app_request;

/* NULL: a value out of range, no memory, port taken, or no room on a host. */
struct app_request *app_request_new(const struct app_request_config *config);
void app_request_free(struct app_request *a);

struct app_request_record app_request_record(const struct app_request *a);

#endif
