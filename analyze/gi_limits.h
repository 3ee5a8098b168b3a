/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits, the thresholds of the method, each with its name, default and range; times in nanoseconds. Defaults
 * are those of Benko, Malicsko and Veres, "A Large-scale, Passive Analysis of End-to-End TCP Performance over
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
    int64_t connections, mobiles, links, entities, compared;
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

#endif
