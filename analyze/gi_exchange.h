/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of a TCP connection, as a monitor at Gi sees them from headers: a request of the mobile and the
 * server's response.
 *
 * Model: new uplink octets begin an exchange, unless one has no response as yet. So do new downlink octets
 * where none is open, or if the latest has been acknowledged for GI_EXCHANGE_PAUSE_NS: a server that speaks
 * unasked. It is done with the ACK that covers the response's last octet, which passes the monitor on the way
 * that the next request takes: their distance is the mobile's own time. Octets count once, by sequence
 * numbers.
 *
 * Not seen: requests that are sent before the response to one before begins (pipelining) are one request.
 */
#ifndef ANALYZE_GI_EXCHANGE_H
#define ANALYZE_GI_EXCHANGE_H

#include "analyze/gi_packet.h"

#include <stdbool.h>
#include <stdint.h>

#define GI_EXCHANGE_PAUSE_NS INT64_C(1000000000)
/* A segment that leaves out more than this does not belong to the connection: a mobile has no window as long.
 */
#define GI_EXCHANGE_JUMP_OCTETS (4 << 20)

/* Times are 0 where there is no such packet. */
struct gi_exchange {
    uint32_t number;    /* in the connection, from 1 */
    int64_t begin_ns;   /* its first octet */
    int64_t request_ns; /* the request's last octet */
    int64_t first_ns;   /* the response's first octet */
    int64_t last_ns;    /* the response's last octet */
    int64_t done_ns;    /* the ACK of that */
    uint64_t request_octets, response_octets;
};

/* Of a connection; zeroed at its begin. Invariant: is_open <=> `now` has octets and has not been given out.
 */
struct gi_exchanges {
    struct gi_exchange now;
    uint32_t up_top, down_top; /* sequence numbers behind the last octets seen */
    bool has_up, has_down, is_open;
};

/* Reads a packet of the connection. True: it ends the exchange *out. */
bool gi_exchange_packet(struct gi_exchanges *x, const struct gi_packet *p, bool is_downlink,
                        struct gi_exchange *out);

/* The connection has ended. True: *out was open. */
bool gi_exchange_finish(struct gi_exchanges *x, struct gi_exchange *out);

#endif
