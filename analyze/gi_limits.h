/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thresholds of the method, each with its name, default and range; times in nanoseconds. Defaults are
 * those of Benko, Malicsko and Veres, "A Large-scale, Passive Analysis of End-to-End TCP Performance over
 * GPRS" (INFOCOM 2004) where it states one.
 */
#ifndef ANALYZE_GI_LIMITS_H
#define ANALYZE_GI_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gi_limits {
    int64_t silence_ns;
    int64_t flight_octets, period_octets;
    int64_t long_octets, bulk_octets;
    int64_t mss_low_from_octets, mss_low_to_octets, mss_high_from_octets, mss_high_to_octets;
    int64_t window_low_octets, window_high_octets;
    int64_t http_port;
    int64_t reorder_ns;
    int64_t undecided_ns, idle_ns, closed_ns;
    int64_t peak_from_h, peak_to_h, quiet_from_h, quiet_to_h, utc_offset_h;
    int64_t connections, mobiles, links;
};

/* A row of the table of thresholds. */
struct gi_limits_row {
    const char *name, *unit, *what;
    double standard, least, most;
    size_t offset; /* in struct gi_limits */
    double factor; /* field value per unit */
};

/* The rows, *count of them. */
const struct gi_limits_row *gi_limits_rows(unsigned *count);

struct gi_limits gi_limits_standard(void);

/* Sets a threshold by "name=value". NULL, or the error, to be followed by the text. */
const char *gi_limits_set(struct gi_limits *limits, const char *text);

/* The value of a row in its unit. */
double gi_limits_get(const struct gi_limits *limits, const struct gi_limits_row *row);

/*
 * Periods in which a connection keeps its mobile's channel full, and the channel's rate in them (section IV
 * of the paper): no loss, no reordering, and more than flight_octets outstanding.
 *
 * Model: a period lasts from one ACK to another, each of which ends with a segment. The queue after the
 * monitor is in order, so between them the mobile has received the packets of all its connections that passed
 * the monitor between those two segments, less those found lost meanwhile. A loss ends a period at the last
 * ACK before it; the next period begins when all octets outstanding at the loss are acknowledged.
 */

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
