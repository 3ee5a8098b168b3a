/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values over time from a file beside a scenario: a table (CSV), or for packets also a capture.
 *
 * A table has a row a line: the time in seconds, then one or two values, separated by commas. Times are at
 * least 0 and do not fall; of rates and channels they rise. Empty lines, lines that begin with # and a first
 * line that begins with a letter are skipped.
 */
#ifndef APP_RUN_TRACE_H
#define APP_RUN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_MOST_ROWS = 5000000,
    TRACE_LEAST_PACKET_OCTETS = 44, /* of app_cbr */
};

enum trace_kind {
    TRACE_PACKETS, /* values[0]: octets of the IP packet */
    TRACE_RATES,   /* values: BLER in percent, downlink and uplink; without a second one it is as the first */
    TRACE_RATIOS,  /* values: C/I in dB, likewise */
};

struct trace_row {
    int64_t at_ns;
    double values[2];
};

struct trace {
    enum trace_kind kind;
    char *file;  /* as the scenario has it */
    uint32_t to; /* of a capture: only packets to this IPv4 address; 0: all */
    struct trace_row *rows;
    uint32_t count; /* 1 or more, once read */
};

/*
 * Reads trace->file, a path below `folder`, which is "" or ends in "/". False: a line on stderr has file,
 * line and reason, or it has no row.
 */
bool trace_read(struct trace *trace, const char *folder);

/* Frees what is in it. */
void trace_fini(struct trace *trace);

/* For the files of this folder alone: adds a row; false, with a line on stderr: too many, or no memory. */
bool trace_add(struct trace *trace, const char *path, struct trace_row row);

/* trace_capture.c: whether a file begins as a capture does, and its packets as rows. */
bool trace_capture_is_one(const char *path);
bool trace_capture_read(struct trace *trace, const char *path);

#endif
