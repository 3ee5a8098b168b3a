/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bench of V.42bis: N-PDUs encoded and decoded, by plain octets (million/s is MB/s), and the start of a
 * dictionary. kept 0: a new dictionary for each N-PDU, as in unacknowledged mode; 1: one for all. N-PDUs that
 * do not get shorter are encoded and refused; their decoder has a stream with room.
 */
#include "bench/micro/micro.h"
#include "control/base/clock.h"
#include "dataplane/base/rng.h"
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_PDUS      300
#define MOST_OCTETS 1400
#define STARTS      32 /* dictionaries in turn */

struct end {
    struct v42bis *v;
    unsigned octets;
    bool is_kept;
    uint8_t plain[N_PDUS][MOST_OCTETS], streams[N_PDUS][2 * MOST_OCTETS];
    int stream_octets[N_PDUS];
};

/* A chain of words: each may be followed by a few of the others. */
static void fill_text(struct rng *r, uint8_t *octets, unsigned count)
{
    static const char *const words[] = {
        "the",      "of",          "and",    "mobile", "station", "network", "is",    "to",
        "in",       "a",           "which",  "packet", "service", "data",    "radio", "block",
        "by",       "channel",     "for",    "with",   "one",     "user",    "shall", "be",
        "transfer", "acknowledge", "timer",  "value",  "or",      "not",     "at",    "cell",
        "when",     "frame",       "number", "sent",   "window",  "receive", "error", "state"};
    const unsigned most = sizeof(words) / sizeof(words[0]);
    unsigned word = (unsigned)rng_between(r, 0, most - 1);
    for (unsigned at = 0; at < count;) {
        for (const char *c = words[word]; *c && at < count; c++)
            octets[at++] = (uint8_t)*c;
        if (at < count)
            octets[at++] = rng_between(r, 0, 11) ? ' ' : '\n';
        const unsigned step = (unsigned)rng_between(r, 0, 9);
        word = (word * 7 + step * step + 1) % most;
    }
}

static void fill_html(struct rng *r, uint8_t *octets, unsigned count)
{
    for (unsigned at = 0; at < count;) {
        char line[200];
        uint8_t text[40];
        const unsigned letters = (unsigned)rng_between(r, 4, sizeof(text) - 1);
        fill_text(r, text, letters);
        const int length = snprintf(
            line, sizeof(line), "<tr><td class=\"c%u\"><a href=\"/page/%u.html\">%.*s</a></td></tr>\r\n",
            (unsigned)rng_between(r, 0, 9), (unsigned)rng_between(r, 0, 9999), (int)letters, text);
        for (int i = 0; i < length && at < count; i++)
            octets[at++] = (uint8_t)line[i];
    }
}

static void fill_noise(struct rng *r, uint8_t *octets, unsigned count)
{
    for (unsigned at = 0; at < count; at++)
        octets[at] = (uint8_t)rng_u64(r);
}

static void fill_zeros(struct rng *r, uint8_t *octets, unsigned count)
{
    (void)r;
    memset(octets, 0, count);
}

static struct v42bis *v42bis_new(void)
{
    const struct v42bis_params params = {2048, 20};
    return v42bis_setup(micro_memory(v42bis_octets(params.codewords)), &params);
}

/* Octets out of all N-PDUs, plain ones as they are. */
static uint64_t encode_all(struct end *e, bool has_room)
{
    uint64_t sum = 0;
    v42bis_start(e->v);
    for (unsigned i = 0; i < N_PDUS; i++) {
        if (!e->is_kept)
            v42bis_start(e->v);
        e->stream_octets[i] = v42bis_encode(e->v, e->plain[i], e->octets, e->streams[i],
                                            has_room ? sizeof(e->streams[i]) : e->octets - 1);
        sum += e->stream_octets[i] < 0 ? e->octets : (unsigned)e->stream_octets[i];
    }
    return sum;
}

static struct end *end_new(const struct micro_point *p)
{
    static void (*const fills[])(struct rng *, uint8_t *, unsigned) = {fill_text, fill_html, fill_noise,
                                                                       fill_zeros};
    struct end *e = micro_memory(sizeof(*e));
    struct rng r;
    rng_init(&r, 1, 1);
    e->v = v42bis_new();
    e->octets = (unsigned)p->at[0];
    for (unsigned i = 0; i < N_PDUS; i++)
        fills[p->side](&r, e->plain[i], e->octets);
    return e;
}

static void *v42bis_open(const struct micro_point *p)
{
    struct end *e = end_new(p);
    e->is_kept = p->at[1] != 0;
    encode_all(e, true); /* what is decoded */
    return e;
}

static double encode_run(void *state)
{
    struct end *e = state;
    encode_all(e, false);
    return (double)e->octets * N_PDUS;
}

static double decode_run(void *state)
{
    struct end *e = state;
    uint8_t again[MOST_OCTETS];
    v42bis_start(e->v);
    for (unsigned i = 0; i < N_PDUS; i++) {
        if (!e->is_kept)
            v42bis_start(e->v);
        micro_need(v42bis_decode(e->v, e->streams[i], (unsigned)e->stream_octets[i], again, e->octets) ==
                       (int)e->octets,
                   "a stream is refused");
    }
    return (double)e->octets * N_PDUS;
}

static void encode_sum_up(void *state, struct micro_result *result)
{
    struct end *e = state;
    micro_figure(result, "out_per_in", (double)encode_all(e, false) / ((double)e->octets * N_PDUS));
}

#define start_close v42bis_close
static void v42bis_close(void *state)
{
    struct end *e = state;
    free(e->v);
    free(e);
}

/* Dictionaries of an N-PDU each are started. */
static double start_turn(void *state)
{
    struct end *e = state;
    static struct v42bis *ends[STARTS];
    for (unsigned k = 0; k < STARTS; k++) {
        ends[k] = ends[k] ? ends[k] : v42bis_new();
        micro_need(v42bis_encode(ends[k], e->plain[k], e->octets, e->streams[k], sizeof(e->streams[k])) >= 0,
                   "an N-PDU is not encoded");
    }
    const int64_t began_ns = clock_thread_ns();
    for (unsigned k = 0; k < STARTS; k++)
        v42bis_start(ends[k]);
    return (double)(clock_thread_ns() - began_ns) / STARTS;
}

static void *start_open(const struct micro_point *p)
{
    return end_new(p);
}

#define TEXTS MICRO_LIST("text", "html", "noise", "zeros")
static struct micro_axis octets = MICRO_AXIS("octets", 2, MOST_OCTETS, 200, MOST_OCTETS),
                         kept = MICRO_AXIS("kept", 0, 1, 0, 1);
static struct micro_case cases[] = {
    MICRO_CASE(v42bis, "encode", "octet", TEXTS, MICRO_LIST(&octets, &kept), .run = encode_run,
               .sum_up = encode_sum_up),
    MICRO_CASE(v42bis, "decode", "octet", TEXTS, MICRO_LIST(&octets, &kept), .run = decode_run),
    MICRO_CASE(start, "start", "start", MICRO_LIST(NULL), MICRO_LIST(&octets), .turn = start_turn)};

MICRO_PROGRAM("V.42bis: octets of N-PDUs encoded and decoded, and the start of a dictionary behind an N-PDU.",
              .rounds = 31, .turn_ms = 1);
