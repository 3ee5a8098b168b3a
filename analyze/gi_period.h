/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Periods in which a connection keeps its mobile's channel full, and the channel's rate in them (section IV
 * of the paper): no loss, no reordering, and more than flight_octets outstanding.
 *
 * Model: a period lasts from one ACK to another, each of which ends with a segment. The queue after the
 * monitor is in order, so between them the mobile has received the packets of all its connections that passed
 * the monitor between those two segments, less those found lost meanwhile. A loss ends a period at the last
 * ACK before it; the next period begins when all octets outstanding at the loss are acknowledged.
 */
#ifndef ANALYZE_GI_PERIOD_H
#define ANALYZE_GI_PERIOD_H

#include "analyze/gi_limits.h"

#include <stdbool.h>
#include <stdint.h>

struct gi_period {
    int64_t start_ns, end_ns;
    uint32_t start_place, end_place; /* the mobile's down_octets, 32 bits of them */
    uint32_t start_lost, end_lost;   /* its lost_octets, likewise 32 bits */
    uint32_t recover;                /* the sequence number that ends a recovery, while is_recovering */
    bool is_open, is_recovering;
};

/* A new ACK. */
struct gi_period_ack {
    int64_t at_ns;
    uint32_t ack, place, lost;
    uint32_t flight_octets; /* after the ACK */
    bool is_exact;
};

/* Takes in an ACK. Returns the rate in bit/s of a period that it ends; 0: none. */
double gi_period_acked(struct gi_period *p, const struct gi_period_ack *a, const struct gi_limits *limits);

/* Takes in a loss or reordering; octets up to `top` are outstanding. Returns as gi_period_acked(). */
double gi_period_break(struct gi_period *p, uint32_t top, const struct gi_limits *limits);

/* Ends the period with the connection. Returns as gi_period_acked(). */
double gi_period_finish(struct gi_period *p, const struct gi_limits *limits);

#endif
