/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name, field, unit, factor, standard, least, most, what)                                          \
    {                                                                                                        \
        name, unit, what, standard, least, most, offsetof(struct gi_limits, field), factor                   \
    }

static const struct gi_limits_row rows[] = {
    ROW("silence_s", silence_ns, "s", 1e9, 5, 0, 86400,
        "a mobile without a packet for this time before a SYN: no background traffic"),
    ROW("flight_octets", flight_octets, "octets", 1, 4500, 0, 1e9,
        "more octets outstanding on a connection: the channel is full"),
    ROW("period_octets", period_octets, "octets", 1, 16000, 1, 1e9,
        "octets to the mobile that a period needs for a channel rate"),
    ROW("long_octets", long_octets, "octets", 1, 100000, 1, 1e12, "payload above which throughput counts"),
    ROW("bulk_octets", bulk_octets, "octets", 1, 32000, 1, 1e12, "payload above which a cluster counts"),
    ROW("mss_low_from_octets", mss_low_from_octets, "octets", 1, 400, 0, 65535,
        "largest IP packet of low MSS, from"),
    ROW("mss_low_to_octets", mss_low_to_octets, "octets", 1, 600, 0, 65535,
        "largest IP packet of low MSS, to"),
    ROW("mss_high_from_octets", mss_high_from_octets, "octets", 1, 1400, 0, 65535,
        "largest IP packet of high MSS, from"),
    ROW("mss_high_to_octets", mss_high_to_octets, "octets", 1, 1600, 0, 65535,
        "largest IP packet of high MSS, to"),
    ROW("window_low_octets", window_low_octets, "octets", 1, 10000, 0, 2e9,
        "largest receiver window below this: low"),
    ROW("window_high_octets", window_high_octets, "octets", 1, 20000, 0, 2e9,
        "largest receiver window above this: high"),
    ROW("http_port", http_port, "port", 1, 0, 0, 65535,
        "server port of throughput and clusters; 0: every port"),
    ROW("reorder_s", reorder_ns, "s", 1e9, 0.2, 0, 60,
        "a gap filled sooner, with fewer than 3 duplicate ACKs: reordering, not loss"),
    ROW("undecided_s", undecided_ns, "s", 1e9, 3, 0, 3600,
        "a set-up whose last packet is less than this before the capture's end has no branch"),
    ROW("idle_s", idle_ns, "s", 1e9, 600, 1, 86400, "a connection without a packet for this time has ended"),
    ROW("closed_s", closed_ns, "s", 1e9, 60, 0, 86400, "the same after FINs in both directions, or a RST"),
    ROW("peak_from_h", peak_from_h, "h", 1, 10, 0, 24, "hours of the day that are peak, from"),
    ROW("peak_to_h", peak_to_h, "h", 1, 12, 0, 24, "hours of the day that are peak, to"),
    ROW("quiet_from_h", quiet_from_h, "h", 1, 3, 0, 24, "hours of the day that are off-peak, from"),
    ROW("quiet_to_h", quiet_to_h, "h", 1, 7, 0, 24, "hours of the day that are off-peak, to"),
    ROW("utc_offset_h", utc_offset_h, "h", 1, 0, -14, 14, "local time minus UTC"),
    ROW("connections", connections, "", 1, 1000000, 1, 1e8, "open connections at a time, at most"),
    ROW("mobiles", mobiles, "", 1, 1000000, 1, 1e8, "mobiles, at most"),
    ROW("links", links, "", 1, 100000, 1, 1e7, "SAPIs of mobiles at Gb, at most"),
    ROW("entities", entities, "", 1, 20000, 1, 1e6, "entities of SNDCP compression at Gb, at most"),
    ROW("compared", compared, "", 1, 20000, 0, 1e6,
        "SAPIs of mobiles whose plain N-PDUs are compressed for comparison, at most"),
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct gi_limits_row *gi_limits_rows(unsigned *count)
{
    *count = ROWS;
    return rows;
}

static int64_t *field_of(struct gi_limits *limits, const struct gi_limits_row *row)
{
    return (int64_t *)((char *)limits + row->offset);
}

struct gi_limits gi_limits_standard(void)
{
    struct gi_limits limits;
    for (unsigned i = 0; i < ROWS; i++)
        *field_of(&limits, &rows[i]) = llround(rows[i].standard * rows[i].factor);
    return limits;
}

double gi_limits_get(const struct gi_limits *limits, const struct gi_limits_row *row)
{
    return (double)*(const int64_t *)((const char *)limits + row->offset) / row->factor;
}

const char *gi_limits_set(struct gi_limits *limits, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return "a threshold is set as NAME=VALUE, not ";
    for (unsigned i = 0; i < ROWS; i++) {
        size_t octets = strlen(rows[i].name);
        if (octets != (size_t)(equals - text) || strncmp(rows[i].name, text, octets) != 0)
            continue;
        char *end;
        double value = strtod(equals + 1, &end);
        if (*end || end == equals + 1 || !(value >= rows[i].least && value <= rows[i].most))
            return "value is not a number or out of range: ";
        *field_of(limits, &rows[i]) = llround(value * rows[i].factor);
        return NULL;
    }
    return "unknown threshold; --thresholds lists all: ";
}
