/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results over all connections: the six parts of the method. A connection is added once, when it has ended;
 * rates and round-trip times when they are found.
 */
#ifndef ANALYZE_GI_RESULT_H
#define ANALYZE_GI_RESULT_H

#include "analyze/gi_conn.h"
#include "analyze/gi_spread.h"

#include <stdint.h>

/* The leaves of the tree of connection set-up (figure 5), each with and without background traffic. */
enum gi_branch {
    GI_BRANCH_OPTIMAL,     /* one SYN, one SYN-ACK, an ACK */
    GI_BRANCH_SLIGHT,      /* the same, with repetitions */
    GI_BRANCH_NO_RESPONSE, /* SYNs without an answer */
    GI_BRANCH_REFUSED,     /* SYNs answered by a RST */
    GI_BRANCH_RESET,       /* a SYN-ACK, then a RST instead of the ACK */
    GI_BRANCH_SILENT,      /* a SYN-ACK, then no ACK */
    GI_BRANCH_COUNT,
    GI_BRANCH_NONE = GI_BRANCH_COUNT,
};

enum gi_bottleneck { GI_BOTTLENECK_NONE, GI_BOTTLENECK_ACCESS, GI_BOTTLENECK_INTERNET, GI_BOTTLENECK_COUNT };
enum gi_level { GI_LEVEL_LOW, GI_LEVEL_MEDIUM, GI_LEVEL_HIGH, GI_LEVEL_COUNT };
enum gi_time { GI_TIME_ALL, GI_TIME_PEAK, GI_TIME_QUIET, GI_TIME_COUNT };

enum { GI_RESULT_LOSS_BINS = 4, GI_RESULT_SHARE_BINS = 20, GI_RESULT_THIRDS = 3 };

struct gi_leaf {
    uint64_t count;
    struct gi_spread setup_ns;
};

struct gi_loss_bin {
    struct gi_spread_moments throughput_bps, goodput_bps;
};

struct gi_loss {
    uint64_t packets; /* with data, seen on the way to mobiles */
    uint64_t access, internet;
    uint64_t retransmitted, spurious, late, missed, window_probes;
};

struct gi_result {
    uint64_t connections, by_mobile, by_server, without_setup, undecided, with_data;
    uint64_t sack, timestamp, mss[GI_LEVEL_COUNT], window[GI_LEVEL_COUNT]; /* of by_mobile (table I) */
    struct gi_leaf tree[GI_BRANCH_COUNT][2];                               /* [1]: with background */
    struct gi_spread setup_ns;
    struct gi_spread internet_rtt_ns[GI_TIME_COUNT], access_rtt_ns[GI_TIME_COUNT];
    struct gi_spread loaded_rtt_ns; /* of data segments */
    struct gi_spread rate_bps;
    struct gi_loss loss;
    uint64_t bottleneck[GI_BOTTLENECK_COUNT];
    struct gi_spread throughput_bps, goodput_bps;      /* single connections */
    struct gi_loss_bin loss_bins[GI_RESULT_LOSS_BINS]; /* below 1, 2, 3 % and above */
    uint64_t shares[GI_RESULT_SHARE_BINS];       /* share of the long connection in its mobile's octets */
    struct gi_spread user_bps[GI_RESULT_THIRDS]; /* by background: less than 1/3, 1/3 to 2/3, more */
    struct gi_spread_moments cluster_bps[GI_LEVEL_COUNT][2][2][2]; /* window, SACK, MSS is high, timestamp */
    struct gi_spread_moments window_bps[GI_LEVEL_COUNT], sack_bps[2], mss_bps[2], timestamp_bps[2],
        overall_bps;
};

/* Judgement of an ended connection. */
struct gi_verdict {
    enum gi_branch branch;
    bool has_background;
    int64_t setup_ns, internet_rtt_ns,
        access_rtt_ns; /* 0: none; round trips only if optimal and without background */
    enum gi_bottleneck bottleneck;
    enum gi_level mss, window;
    uint64_t other_octets;                        /* Bother */
    double throughput_bps, goodput_bps, user_bps; /* 0: none */
    bool is_single; /* one request, no parallel traffic, all data acknowledged */
    double loss;    /* packets lost on either side / packets sent */
};

/* end_ns: end of the capture. */
struct gi_verdict gi_result_judge(const struct gi_conn *c, const struct gi_limits *limits, int64_t end_ns);

/* Adds a connection with its verdict, after gi_conn_finish(). */
void gi_result_add(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                   const struct gi_limits *limits);

/* Names as tables, CSV files and JSON have them. */
const char *gi_result_branch_name(enum gi_branch branch);
const char *gi_result_level_name(enum gi_level level);

#endif
