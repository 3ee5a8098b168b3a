/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RUN_TRACE_H
#define APP_RUN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
