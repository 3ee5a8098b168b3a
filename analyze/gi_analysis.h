/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive analysis of TCP at Gi, after P. Benko, G. Malicsko, A. Veres, "A Large-scale, Passive Analysis of
 * End-to-End TCP Performance over GPRS", INFOCOM 2004: takes frames in order of time, yields results. Memory
 * is bounded by the limits of the tables, given at the start.
 */
#ifndef ANALYZE_GI_ANALYSIS_H
#define ANALYZE_GI_ANALYSIS_H

#include "analyze/gi_result.h"
#include "analyze/gi_side.h"
#include "analyze/gi_table.h"
#include "analyze/gi_tunnel.h"
#include "capture/frame.h"

/* Frames and packets by their fate. */
struct gi_counts {
    uint64_t other_frames; /* not IP, or the link header is cut off */
    uint64_t malformed;
    uint64_t tcp, others; /* packets of mobiles */
    uint64_t headless;    /* TCP whose header is not captured whole */
    uint64_t signalling;  /* GTP signalling, pending fragments, unreadable tunnel packets */
    uint64_t unassigned;  /* packets without a known mobile side */
};

struct gi_analysis {
    struct gi_limits limits;
    struct gi_prefixes told;
    struct gi_counts counts;
    struct gi_users users;
    struct gi_table table;
    struct gi_result result;
    struct gi_tunnel tunnel;
    int64_t last_ns;
    /* Called for each connection that has ended; may be NULL. */
    void (*on_end)(void *to, const struct gi_conn *conn, const struct gi_verdict *verdict);
    void *to;
    /* Called for each period that has given a channel rate: conn->period; may be NULL. */
    void (*on_period)(void *to, const struct gi_conn *conn, double rate_bps);
    void *periods_to;
};

/* Copies `told`. The caller frees the analysis with gi_analysis_free(). NULL: no memory. */
struct gi_analysis *gi_analysis_new(const struct gi_limits *limits, const struct gi_prefixes *told);
void gi_analysis_free(struct gi_analysis *a);

/* Reads a frame of any link type; times must not go back (capture/timeline.h). */
void gi_analysis_frame(struct gi_analysis *a, struct capture_frame frame);

/* Ends all connections after the last frame. */
void gi_analysis_finish(struct gi_analysis *a);

#endif
