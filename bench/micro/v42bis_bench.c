/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: v42bis_bench [ROUNDS]
 *
 * V.42bis: MB/s in which N-PDUs are encoded and decoded (of plain octets, both), octets out per octet in, and
 * the ns of a start (32 dictionaries in turn). "unack": a new dictionary for each N-PDU, as in unacknowledged
 * mode; "ack": one for all. N-PDUs that do not get shorter are encoded and refused; their decoder has a
 * stream with room. Medians of ROUNDS (31).
 */
#include "control/base/clock.h"
#include "dataplane/base/rng.h"
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_PDUS      300
#define MOST_OCTETS 1400
#define MOST_ROUNDS 999
#define STARTS      32

struct load {
    const char *name;
    void (*fill)(struct rng *r, uint8_t *octets, unsigned count);
};

static uint8_t plain[N_PDUS][MOST_OCTETS], streams[N_PDUS][2 * MOST_OCTETS], again[MOST_OCTETS];
static int stream_octets[N_PDUS];

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

static struct v42bis *end_new(const struct v42bis_params *params)
{
    void *memory = malloc(v42bis_octets(params->codewords));
    if (!memory)
        abort();
    return v42bis_setup(memory, params);
}

/* Octets out of all N-PDUs, plain ones as they are. */
static uint64_t encode_all(struct v42bis *v, unsigned octets, bool is_kept, bool has_room)
{
    uint64_t sum = 0;
    v42bis_start(v);
    for (unsigned i = 0; i < N_PDUS; i++) {
        if (!is_kept)
            v42bis_start(v);
        stream_octets[i] =
            v42bis_encode(v, plain[i], octets, streams[i], has_room ? sizeof(streams[i]) : octets - 1);
        sum += stream_octets[i] < 0 ? octets : (unsigned)stream_octets[i];
    }
    return sum;
}

static void decode_all(struct v42bis *v, unsigned octets, bool is_kept)
{
    v42bis_start(v);
    for (unsigned i = 0; i < N_PDUS; i++) {
        if (!is_kept)
            v42bis_start(v);
        if (v42bis_decode(v, streams[i], (unsigned)stream_octets[i], again, octets) != (int)octets)
            abort();
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof(*values), by_size);
    return values[count / 2];
}

static void measure(const struct load *load, unsigned octets, bool is_kept, unsigned rounds)
{
    static double in[MOST_ROUNDS], out[MOST_ROUNDS];
    const struct v42bis_params params = {2048, 20};
    struct v42bis *encoder = end_new(&params), *decoder = end_new(&params);
    struct rng r;
    rng_init(&r, 1, 1);
    for (unsigned i = 0; i < N_PDUS; i++)
        load->fill(&r, plain[i], octets);
    const double plain_octets = (double)octets * N_PDUS;
    const double ratio = (double)encode_all(encoder, octets, is_kept, false) / plain_octets;
    for (unsigned i = 0; i < rounds; i++) {
        int64_t began_ns = clock_thread_ns();
        encode_all(encoder, octets, is_kept, false);
        in[i] = plain_octets * 1000 / (double)(clock_thread_ns() - began_ns);
        encode_all(encoder, octets, is_kept, true);
        began_ns = clock_thread_ns();
        decode_all(decoder, octets, is_kept);
        out[i] = plain_octets * 1000 / (double)(clock_thread_ns() - began_ns);
    }
    printf("%-6s %6u  %-5s  %5.2f  %11.0f  %11.0f\n", load->name, octets, is_kept ? "ack" : "unack", ratio,
           median(in, rounds), median(out, rounds));
    free(encoder);
    free(decoder);
}

/* Dictionaries of an N-PDU each are started. */
static void measure_start(unsigned octets, unsigned rounds)
{
    static double ns[MOST_ROUNDS];
    const struct v42bis_params params = {2048, 20};
    struct v42bis *ends[STARTS];
    for (unsigned k = 0; k < STARTS; k++)
        ends[k] = end_new(&params);
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned k = 0; k < STARTS; k++)
            if (v42bis_encode(ends[k], plain[k], octets, streams[k], sizeof(streams[k])) < 0)
                abort();
        const int64_t began_ns = clock_thread_ns();
        for (unsigned k = 0; k < STARTS; k++)
            v42bis_start(ends[k]);
        ns[i] = (double)(clock_thread_ns() - began_ns) / STARTS;
    }
    printf("start behind an N-PDU of %u octets: %.0f ns\n", octets, median(ns, rounds));
    for (unsigned k = 0; k < STARTS; k++)
        free(ends[k]);
}

int main(int argc, char **argv)
{
    static const struct load loads[] = {
        {"text", fill_text}, {"html", fill_html}, {"noise", fill_noise}, {"zeros", fill_zeros}};
    static const unsigned octets[] = {200, MOST_OCTETS};
    const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 31;
    if (rounds == 0 || rounds > MOST_ROUNDS || argc > 2) {
        fprintf(stderr, "usage: v42bis_bench [ROUNDS], 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    printf("N-PDUs octets  mode   ratio  encode MB/s  decode MB/s\n");
    for (unsigned k = 0; k < 2 * 2 * sizeof(loads) / sizeof(loads[0]); k++)
        measure(&loads[k / 4], octets[k / 2 % 2], k % 2, rounds);
    struct rng r;
    rng_init(&r, 1, 1);
    for (unsigned i = 0; i < STARTS; i++)
        fill_text(&r, plain[i], MOST_OCTETS);
    for (unsigned k = 0; k < sizeof(octets) / sizeof(octets[0]); k++)
        measure_start(octets[k], rounds);
    return 0;
}
