/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Periods in which a connection keeps its mobile's channel full, and the channel's rate in them (section IV
 * of the paper): no loss, no reordering, and more than flight_octets outstanding.
 *
 * Model: a period goes from one ACK to another, each of which ends where a segment does. The queue behind the
 * monitor is in order, so between them the mobile has received what passed the monitor between those two
 * segments, of all its connections; less what was found to be lost meanwhile. A period that a loss ends, ends
 * with the last ACK before it, and the next one begins when all that was outstanding then is acknowledged.
 */
#ifndef ANALYZE_GI_PERIOD_H
#define ANALYZE_GI_PERIOD_H

#include "analyze/gi_limits.h"

#include <stdbool.h>
#include <stdint.h>

struct gi_period {
    int64_t start_ns, end_ns;
    uint32_t start_place, end_place; /* the mobile's down_octets, of 32 bits */
    uint32_t start_lost, end_lost;   /* its lost_octets, likewise */
    uint32_t recover;                /* the sequence number that ends a recovery, while is_recovering */
    bool is_open, is_recovering;
};

/* An ACK that is new. */
struct gi_period_ack {
    int64_t at_ns;
    uint32_t ack, place, lost;
    uint32_t flight_octets; /* afterwards */
    bool is_exact;
};

/* Follows an ACK. Returns the rate in bit/s of a period that it has ended, 0: none. */
double gi_period_acked(struct gi_period *p, const struct gi_period_ack *a, const struct gi_limits *limits);

/* A loss or reordering, with everything up to `top` outstanding. Returns as above. */
double gi_period_break(struct gi_period *p, uint32_t top, const struct gi_limits *limits);

/* The connection has ended. */
double gi_period_finish(struct gi_period *p, const struct gi_limits *limits);

#endif
