/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active queue management: what a scheme is shown, what it may answer, and what it is made of. This header is
 * all that a scheme includes, built in or plug-in; it changes only together with AQM_ABI.
 *
 * A scheme decides and the queue acts: it drops, or sets CE. A scheme keeps no packets, reads no clock, and
 * has no memory but its own state. Three things, kept apart:
 *   law    what prepare() made of the operator's parameters; one for all instances, never written to again
 *   state  what one instance remembers: of a class of a link or cell, of a mobile, of a flow
 *   view   the moment: the scope's backlog and rate, and the N-PDU in question
 * Same law, state, view and `now`, same answer: chance comes with the view.
 */
#ifndef DATAPLANE_AQM_AQM_H
#define DATAPLANE_AQM_AQM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AQM_ABI          2
#define AQM_MAX_PARAMS   16
#define AQM_MAX_READINGS 4
#define AQM_MAX_STATE    256 /* octets, of one instance */

/* In order of severity. */
enum aqm_verdict {
    AQM_PASS,
    AQM_MARK, /* signal congestion: set CE where `ecn` is on and the packet is ECN capable, drop it where not
               */
    AQM_DROP, /* drop, ECN or not */
};

/* The code points of RFC 3168. */
enum aqm_ecn { AQM_ECN_NOT, AQM_ECN_ECT1, AQM_ECN_ECT0, AQM_ECN_CE };

/*
 * Filled in by the queue for each call; `tag` goes with the N-PDU from its enqueue to its dequeue. Any values
 * will do below 2^38 octets and 2^60 ns.
 */
struct aqm_view {
    uint64_t backlog_octets; /* waiting in the scope of the instance, without this N-PDU */
    uint64_t rate_bps;       /* at which the scope drains as far as is known, 0: unknown or standing still */
    int64_t sojourn_ns;      /* at enqueue: what it will have to wait as far as is known, 0: unknown */
    int64_t age_ns;          /* since its receipt on Gn */
    int64_t parked_ns;       /* of that age, while its own closed buckets let nothing go */
    int64_t left_ns;         /* of its lifetime, negative: over; MOMENT_NEVER: without end */
    uint64_t random;         /* 64 fresh bits, for schemes with AQM_DRAWS */
    uint32_t backlog_pkts;   /* as backlog_octets */
    uint32_t octets;         /* of the N-PDU */
    uint32_t tag;            /* enqueue may write it; dequeue and uplink read it */
    uint8_t qclass;          /* enum qclass */
    uint8_t ecn;             /* enum aqm_ecn */
};

enum aqm_kind {
    AQM_OCTETS,
    AQM_PACKETS,
    AQM_DURATION, /* ns */
    AQM_SHARE,    /* millionths */
    AQM_FLAG,     /* 0 or 1 */
    AQM_CHOICE,   /* index into words */
};

/* A parameter, spelled here and nowhere else: schema, checks, help and reference follow from it. */
struct aqm_param {
    const char *name;
    const char *doc;
    enum aqm_kind kind;
    int64_t min, max, initial; /* in the units of kind */
    const char *words;         /* of a choice, in order: "octets packets" */
};

/* Every scheme that answers AQM_MARK has this one. */
#define AQM_PARAM_ECN(on)                                                                                    \
    {                                                                                                        \
        .name = "ecn", .kind = AQM_FLAG, .max = 1, .initial = (on),                                          \
        .doc = "set CE in packets that are ECN capable instead of dropping them (RFC 3168)"                  \
    }

/* A figure inside an instance, for reports. */
struct aqm_reading {
    const char *name; /* static, with its unit: "average_octets" */
    double value;
};

/* What a scheme's curve is drawn over. */
enum aqm_axis {
    AQM_AXIS_BACKLOG, /* octets */
    AQM_AXIS_AGE,     /* ns */
};

enum {
    AQM_DRAWS = 1,         /* enqueue() needs view.random */
    AQM_DRAWS_DEQUEUE = 2, /* dequeue() and uplink() do */
    AQM_RATELESS = 4,      /* no hook looks at view.rate_bps or view.sojourn_ns: the queue leaves them 0 */
};

typedef enum aqm_verdict (*aqm_hook)(const void *law, void *state, struct aqm_view *view, int64_t now);

struct aqm_ops {
    const char *name;    /* as in configuration: "red" */
    const char *title;   /* "random early detection" */
    const char *summary; /* its law, a sentence or two */
    const char *source;  /* where it was published */
    const struct aqm_param *params;
    uint32_t param_count;
    uint32_t law_octets;
    uint32_t state_octets;
    uint32_t flags;
    enum aqm_axis axis;
    void *context; /* the scheme's own, for prepare() */

    /* Fills in the law, which is zeroed; values as ordered in params and within their ranges. NULL, or what
     * is wrong with them together, in words. */
    const char *(*prepare)(const struct aqm_ops *ops, void *law, const int64_t *values);

    void (*init)(const void *law, void *state, int64_t now); /* state is zeroed; NULL: that is all */
    aqm_hook enqueue;                                        /* it comes; NULL: let in */
    aqm_hook dequeue; /* whole, at the head, its first segment about to leave; NULL: let go */
    aqm_hook uplink;  /* NULL: passes */

    /* Optional. The chance that a packet is signalled when everything stays as at this point of the axis,
     * as the publication's formula has it: 0 .. 1, negative where there is no such formula. */
    double (*chance)(const void *law, int64_t at);
    /* Optional. Up to AQM_MAX_READINGS figures of an instance; returns how many. */
    unsigned (*read)(const void *law, const void *state, struct aqm_reading *out);
    /* Optional. Whether enqueue() and dequeue() would let pass any N-PDU that goes as it comes while nothing
     * waits in the scope, whatever its age, and leave the state as it is: the queue then asks neither. */
    bool (*is_idle)(const void *law, const void *state);
};

/* What a plug-in exports under the name AQM_PLUGIN_SYMBOL; the sizes are those it was compiled with. */
struct aqm_plugin {
    uint32_t abi, ops_octets, view_octets, param_octets;
    const struct aqm_ops *ops;
};

#define AQM_PLUGIN_SYMBOL "gbflow_aqm_plugin"
#define AQM_PLUGIN(scheme)                                                                                   \
    extern const struct aqm_plugin gbflow_aqm_plugin;                                                        \
    const struct aqm_plugin gbflow_aqm_plugin = {AQM_ABI, sizeof(struct aqm_ops), sizeof(struct aqm_view),   \
                                                 sizeof(struct aqm_param), &(scheme)}

#endif
