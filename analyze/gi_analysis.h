/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive analysis of TCP at Gi, after P. Benko, G. Malicsko, A. Veres, "A Large-scale, Passive Analysis of
 * End-to-End TCP Performance over GPRS", INFOCOM 2004: frames in, in the order of time, results out. Memory
 * is that of the tables, whose limits are given at the start.
 */
#ifndef ANALYZE_GI_ANALYSIS_H
#define ANALYZE_GI_ANALYSIS_H

#include "analyze/gi_result.h"
#include "analyze/gi_side.h"
#include "analyze/gi_table.h"
#include "analyze/gi_tunnel.h"
#include "capture/frame.h"

/* Frames and packets by what became of them. */
struct gi_counts {
    uint64_t other_frames; /* no IP, or less than its header was captured */
    uint64_t malformed;
    uint64_t tcp, others; /* packets of mobiles */
    uint64_t headless;    /* TCP without all of its header */
    uint64_t signalling;  /* of GTP; fragments that wait are also here */
    uint64_t unassigned;  /* it is not known on which side a mobile is */
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
    /* Called with each connection that has ended. NULL: nobody is. */
    void (*on_end)(void *to, const struct gi_conn *conn, const struct gi_verdict *verdict);
    void *to;
    /* Called with each period of a channel rate that has ended; it is conn->period. NULL: nobody is. */
    void (*on_period)(void *to, const struct gi_conn *conn, double rate_bps);
    void *periods_to;
};

/* NULL: no memory. `told` is copied. The analysis is the caller's, for gi_analysis_free(). */
struct gi_analysis *gi_analysis_new(const struct gi_limits *limits, const struct gi_prefixes *told);
void gi_analysis_free(struct gi_analysis *a);

/* A frame of any link; time does not go back (capture/timeline.h). */
void gi_analysis_frame(struct gi_analysis *a, struct capture_frame frame);

/* After the last frame: all connections end. */
void gi_analysis_finish(struct gi_analysis *a);

#endif
