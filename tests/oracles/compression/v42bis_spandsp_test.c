/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: v42bis_spandsp_test [N_PDUS]
 *
 * V.42bis against libspandsp: what one side encodes the other decodes to the same, in each pair of
 * parameters, with a dictionary for each N-PDU and one for all, and in both ways in which libspandsp chooses
 * its modes. Without the library it is skipped; in CI it fails.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !HAVE_SPANDSP
int main(void)
{
    const char *ci = getenv("CI");
    const bool is_needed = ci && strcmp(ci, "true") == 0;
    fprintf(stderr, "%s: libspandsp is not there to judge: install libspandsp-dev\n",
            is_needed ? "failed" : "skipped");
    return is_needed ? EXIT_FAILURE : 77; /* meson: skipped */
}
#else

#include "dataplane/base/rng.h"
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"

#include <spandsp.h>
#include <spandsp/expose.h>

enum { MOST_OCTETS = 1503, LEAST_OCTETS = V42BIS_STRING_MAX_OCTETS, ROOM = 4 * MOST_OCTETS };

struct sink {
    uint8_t octets[ROOM];
    unsigned count;
};

struct pair {
    struct v42bis_params params;
    int mode; /* libspandsp's */
    bool is_kept;
    struct v42bis *encoder, *decoder;
    v42bis_state_t *peer;
    struct sink encoded, decoded;
};

#define NEED(what, pair)                                                                                     \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: P1 %u, P2 %u, mode %d, kept %d: not so: %s\n", __FILE__, __LINE__,       \
                    (pair)->params.codewords, (pair)->params.string_octets, (pair)->mode, (pair)->is_kept,   \
                    #what);                                                                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void take(void *to, const uint8_t *octets, int count)
{
    struct sink *sink = to;
    if (sink->count + (unsigned)count > ROOM)
        abort();
    memcpy(sink->octets + sink->count, octets, (size_t)count);
    sink->count += (unsigned)count;
}

static void start(struct pair *p)
{
    p->peer = v42bis_init(p->peer, V42BIS_P0_BOTH_DIRECTIONS, p->params.codewords, p->params.string_octets,
                          take, &p->encoded, ROOM, take, &p->decoded, ROOM);
    NEED(p->peer, p);
    v42bis_compression_control(p->peer, p->mode);
    v42bis_start(p->encoder);
    v42bis_start(p->decoder);
}

/* Text and markup with stretches of noise, runs and octets that are escapes. */
static unsigned fill(struct rng *r, uint8_t *octets)
{
    static const char *const words[] = {"the ", "<td>",    "</td>", "table ", "of ",
                                        "a",    "href=\"", "ing ",  "\r\n",   "e"};
    const unsigned count = (unsigned)rng_between(r, LEAST_OCTETS, MOST_OCTETS);
    const unsigned most = (unsigned)rng_between(r, 3, 12); /* kinds above 3 are words */
    for (unsigned at = 0; at < count;) {
        const unsigned kind = (unsigned)rng_between(r, 0, most),
                       run = (unsigned)rng_between(r, 1, kind < 4 ? 200 : 12);
        const char *word = words[rng_between(r, 0, sizeof(words) / sizeof(words[0]) - 1)];
        for (unsigned i = 0; i < run && at < count; i++) {
            if (kind > 3 && !word[i])
                break;
            octets[at++] = (uint8_t)(kind == 0   ? rng_u64(r)
                                     : kind == 1 ? run
                                     : kind == 2 ? 51 * i
                                     : kind == 3 ? i / 8
                                                 : (uint8_t)word[i]);
        }
    }
    return count;
}

static void from_us(struct pair *p, const uint8_t *in, unsigned octets)
{
    uint8_t out[ROOM];
    const int count = v42bis_encode(p->encoder, in, octets, out, ROOM);
    NEED(count > 0, p);
    p->decoded.count = 0;
    NEED(v42bis_decompress(p->peer, out, count) == 0 && v42bis_decompress_flush(p->peer) == 0, p);
    NEED(p->decoded.count == octets && memcmp(p->decoded.octets, in, octets) == 0, p);
}

static void to_us(struct pair *p, const uint8_t *in, unsigned octets)
{
    uint8_t out[MOST_OCTETS];
    p->encoded.count = 0;
    NEED(v42bis_compress(p->peer, in, (int)octets) == 0 && v42bis_compress_flush(p->peer) == 0, p);
    /* libspandsp keeps the octets where its last one made it change its mode. */
    take(&p->encoded, p->peer->compress.output_buf, p->peer->compress.output_octet_count);
    p->peer->compress.output_octet_count = 0;
    NEED(v42bis_decode(p->decoder, p->encoded.octets, p->encoded.count, out, octets) == (int)octets, p);
    NEED(memcmp(out, in, octets) == 0, p);
}

static unsigned long play(struct rng *r, struct pair *p, unsigned n_pdus)
{
    unsigned long sum = 0;
    for (unsigned n = 0; n < n_pdus; n++) {
        uint8_t in[MOST_OCTETS];
        const unsigned octets = fill(r, in);
        if (n == 0 || !p->is_kept)
            start(p);
        from_us(p, in, octets);
        to_us(p, in, octets);
        sum += p->encoded.count;
    }
    return sum;
}

/* Behind a string of P2 octets nothing is added: "ac", added before it, may still not be matched. The
 * recommendation can be read either way; in transparent mode both sides must read it alike, and what comes
 * then in compressed mode shows it. */
static void play_longest_string(struct pair *p)
{
    uint8_t in[MOST_OCTETS];
    unsigned octets = 0;
    p->mode = V42BIS_COMPRESSION_MODE_NEVER;
    start(p);
    for (unsigned i = 0; i < 60; i++, octets += 6)
        memcpy(in + octets, "cdefgh", 6);
    memcpy(in + octets, "acdefghac\x82\x83", 11);
    to_us(p, in, octets + 11);
    for (octets = 0; octets < 160; octets += 8)
        memcpy(in + octets,
               "c\x82"
               "cdefgh",
               8);
    v42bis_compression_control(p->peer, p->mode = V42BIS_COMPRESSION_MODE_ALWAYS);
    to_us(p, in, octets);
}

int main(int argc, char **argv)
{
    static const uint16_t codewords[] = {512, 1024, 2048, 3000, 4096};
    static const uint8_t string_octets[] = {6, 20, 32, 250};
    const unsigned n_pdus = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 50;
    static v42bis_state_t *peer; /* of all: version 0.0.6 of the library does not free one */
    unsigned long sum = 0;
    struct rng r;
    rng_init(&r, 5, 6);
    for (unsigned k = 0; k < 5 * 4 * 4; k++) {
        struct pair pair = {.peer = peer,
                            .params = {codewords[k / 16], string_octets[k / 4 % 4]},
                            .mode = k & 1 ? V42BIS_COMPRESSION_MODE_ALWAYS : V42BIS_COMPRESSION_MODE_DYNAMIC,
                            .is_kept = k >> 1 & 1};
        void *memory = malloc(2 * v42bis_octets(pair.params.codewords));
        pair.encoder = v42bis_setup(memory, &pair.params);
        pair.decoder = v42bis_setup((uint8_t *)memory + v42bis_octets(pair.params.codewords), &pair.params);
        sum += play(&r, &pair, n_pdus);
        if (pair.params.string_octets == 6)
            play_longest_string(&pair);
        peer = pair.peer;
        free(memory);
    }
    printf("%u N-PDUs each way\n", 5 * 4 * 4 * n_pdus);
    return sum == 0;
}
#endif
