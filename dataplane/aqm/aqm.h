/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active queue management: the input, the verdicts and the parts of a scheme. A scheme, built in or plug-in,
 * includes only this header, which changes only together with AQM_ABI.
 *
 * A scheme decides and the queue acts: it drops, or sets CE. A scheme keeps no packets, reads no clock, and
 * has no memory but its own state. Three things, kept apart:
 *   law    made by prepare() from the operator's parameters; one for all instances, then constant
 *   state  memory of one instance, whose scope is a class of a link or cell, a mobile or a flow
 *   view   the present: the scope's backlog and rate, and the N-PDU
 * The verdict depends on law, state, view and `now` only: random bits are in the view.
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
    AQM_MARK, /* signal congestion: set CE if `ecn` is on and the packet is ECN capable, else drop */
    AQM_DROP, /* drop, even if ECN capable */
};

/* The code points of RFC 3168. */
enum aqm_ecn { AQM_ECN_NOT, AQM_ECN_ECT1, AQM_ECN_ECT0, AQM_ECN_CE };

/*
 * The queue fills it in for each call; `tag` stays with the N-PDU from its enqueue to its dequeue. All
 * values below 2^38 octets and 2^60 ns are valid.
 */
struct aqm_view {
    uint64_t backlog_octets; /* queued in the scope of the instance, without this N-PDU */
    uint64_t rate_bps;       /* drain rate of the scope, 0: unknown, or nothing drains */
    int64_t sojourn_ns;      /* at enqueue: expected wait of this N-PDU, 0: unknown */
    int64_t age_ns;          /* since its receipt on Gn */
    int64_t parked_ns;       /* part of that age for which R of its mobile or cell was 0 */
    int64_t left_ns;         /* rest of its lifetime, negative: over; MOMENT_NEVER: no limit */
    uint64_t random;         /* 64 random bits, for schemes with AQM_DRAWS */
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

/* A parameter, defined only here: schema, checks, help and reference are derived from it. */
struct aqm_param {
    const char *name;
    const char *doc;
    enum aqm_kind kind;
    int64_t min, max, initial; /* in the units of kind */
    const char *words;         /* of a choice, in order: "octets packets" */
};

/* Every scheme that returns AQM_MARK has this parameter. */
#define AQM_PARAM_ECN(on)                                                                                    \
    {                                                                                                        \
        .name = "ecn", .kind = AQM_FLAG, .max = 1, .initial = (on),                                          \
        .doc = "set CE in packets that are ECN capable instead of dropping them (RFC 3168)"                  \
    }

/* A figure of an instance, for reports. */
struct aqm_reading {
    const char *name; /* static, with its unit: "average_octets" */
    double value;
};

/* The abscissa of a scheme's curve. */
enum aqm_axis {
    AQM_AXIS_BACKLOG, /* octets */
    AQM_AXIS_AGE,     /* ns */
};

enum {
    AQM_DRAWS = 1,         /* enqueue() needs view.random */
    AQM_DRAWS_DEQUEUE = 2, /* dequeue() and uplink() need it */
    AQM_RATELESS = 4,      /* no hook reads view.rate_bps or view.sojourn_ns: the queue leaves them 0 */
};

typedef enum aqm_verdict (*aqm_hook)(const void *law, void *state, struct aqm_view *view, int64_t now);

struct aqm_ops {
    const char *name;    /* as in configuration: "red" */
    const char *title;   /* "random early detection" */
    const char *summary; /* the law in a sentence or two */
    const char *source;  /* its publication */
    const struct aqm_param *params;
    uint32_t param_count;
    uint32_t law_octets;
    uint32_t state_octets;
    uint32_t flags;
    enum aqm_axis axis;
    void *context; /* the scheme's own, for prepare() */

    /*
     * Fills in the law, which is zeroed, from values in the order of params and within their ranges. NULL,
     * or a text that says how they contradict each other.
     */
    const char *(*prepare)(const struct aqm_ops *ops, void *law, const int64_t *values);

    void (*init)(const void *law, void *state, int64_t now); /* state is zeroed; NULL: zero will do */
    aqm_hook enqueue;                                        /* on arrival; NULL: passes */
    aqm_hook dequeue; /* at the head, before its first segment leaves; NULL: passes */
    aqm_hook uplink;  /* NULL: passes */

    /*
     * Optional. The chance of a signal if all stays as at this point of the axis, by the publication's
     * formula: 0 .. 1, negative where it has none.
     */
    double (*chance)(const void *law, int64_t at);
    /* Optional. Writes up to AQM_MAX_READINGS figures of an instance; returns how many. */
    unsigned (*read)(const void *law, const void *state, struct aqm_reading *out);
    /*
     * Optional. Whether enqueue() and dequeue() would let pass any N-PDU, whatever its age, that leaves on
     * arrival while the scope has no backlog and the rate of the last call, and would not change any later
     * verdict: the queue then calls neither until it has a backlog or another rate.
     */
    bool (*is_idle)(const void *law, const void *state);
};

/* A plug-in exports it under the name AQM_PLUGIN_SYMBOL; the sizes are those it was compiled with. */
struct aqm_plugin {
    uint32_t abi, ops_octets, view_octets, param_octets;
    const struct aqm_ops *ops;
};

#define AQM_PLUGIN_SYMBOL "gbflow_aqm_plugin"
#define AQM_PLUGIN(scheme)                                                                                   \
    extern const struct aqm_plugin gbflow_aqm_plugin;                                                        \
    const struct aqm_plugin gbflow_aqm_plugin = {AQM_ABI, sizeof(struct aqm_ops), sizeof(struct aqm_view),   \
                                                 sizeof(struct aqm_param), &(scheme)}

/* Chances and factors as integers: 2^62 is 1. Equal results with every compiler, exact to 2^-62. */

__extension__ typedef __int128 aqm_wide;
__extension__ typedef unsigned __int128 aqm_uwide;

#define AQM_FIXED_BITS 62
#define AQM_FIXED_ONE  (INT64_C(1) << AQM_FIXED_BITS)

static inline int64_t aqm_fixed_ppm(int64_t millionths)
{
    return (int64_t)((aqm_wide)millionths * AQM_FIXED_ONE / 1000000);
}

static inline double aqm_fixed_double(int64_t a)
{
    return (double)a / (double)AQM_FIXED_ONE;
}

/* a x b, rounded down; one of them is a factor. */
static inline int64_t aqm_fixed_mul(int64_t a, int64_t b)
{
    return (int64_t)((aqm_wide)a * b >> AQM_FIXED_BITS);
}

/* a / b as a factor, for 0 <= a <= b, b > 0. */
static inline int64_t aqm_fixed_ratio(int64_t a, int64_t b)
{
    return (int64_t)(((aqm_wide)a << AQM_FIXED_BITS) / b);
}

/* A uniform factor of 64 random bits: 0 .. AQM_FIXED_ONE - 1. */
static inline int64_t aqm_fixed_uniform(uint64_t random)
{
    return (int64_t)(random >> (64 - AQM_FIXED_BITS));
}

/* factor^n by squaring. */
static inline int64_t aqm_fixed_power(int64_t factor, uint64_t n)
{
    int64_t power = AQM_FIXED_ONE;
    for (; n > 0 && power > 0; n >>= 1) {
        if (n & 1)
            power = aqm_fixed_mul(power, factor);
        factor = aqm_fixed_mul(factor, factor);
    }
    return power;
}

/* Time to send octets at a rate > 0; at most about 73 years. */
static inline int64_t aqm_fixed_serial_ns(uint64_t octets, uint64_t rate_bps)
{
    aqm_uwide bit_ns = (aqm_uwide)octets * 8000000000U;
    aqm_uwide ns = bit_ns >> 64 ? bit_ns / rate_bps : (uint64_t)bit_ns / rate_bps;
    return ns >> 61 ? INT64_C(1) << 61 : (int64_t)ns;
}

#endif
