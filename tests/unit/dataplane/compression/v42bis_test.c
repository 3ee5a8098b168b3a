/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "dataplane/base/rng.h"
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1503, MEMORY = 80 << 10 };

static const uint16_t codewords[] = {512, 513, 1024, 2048, 3000, 4096};
static const uint8_t string_octets[] = {6, 20, 32, 250};

struct ends {
    struct v42bis *encoder, *decoder;
    _Alignas(8) uint8_t encoder_memory[MEMORY], decoder_memory[MEMORY];
};

static void ends_init(struct ends *e, uint16_t p1, uint8_t p2)
{
    const struct v42bis_params params = {p1, p2};
    assert_in_range(v42bis_octets(p1), 1, MEMORY);
    e->encoder = v42bis_setup(e->encoder_memory, &params);
    e->decoder = v42bis_setup(e->decoder_memory, &params);
}

/* The input stands at the end of a block, and so does the room: what is read or written behind them is seen.
 */
static int decode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room)
{
    uint8_t *copy = malloc(octets + 1), *exact = malloc(room + 1);
    memcpy(copy + 1, in, octets);
    int got = v42bis_decode(v, copy + 1, octets, exact + 1, room);
    assert_in_range(got + 10, 0, room + 10);
    if (got > 0)
        memcpy(out, exact + 1, (size_t)got);
    free(copy);
    free(exact);
    return got;
}

static unsigned from_hex(uint8_t *octets, const char *hex)
{
    unsigned count = 0, octet;
    for (; sscanf(hex, "%2x", &octet) == 1; hex += 2)
        octets[count++] = (uint8_t)octet;
    return count;
}

/* Streams of encoders that choose their modes otherwise: compressed mode at once, after an octet, or late. */
TEST(vectors_decode)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"000064ca980900", "616263"},
        {"61000065cc0400", "616263"},
        {"616263", "616263"},
        {"000064c80c1c489060c1820100", "6161616161616161616161616161616161616161"},
        {"61000064060e2448b060c100", "6161616161616161616161616161616161616161"},
        {"6161616161616161610000040b160c00", "6161616161616161616161616161616161616161"},
        {"000064ca0c1c589020c1830100", "61626162616261626162616261626162"},
        {"61000065060e2c4890e0c100", "61626162616261626162616261626162"},
        {"616261626162616261000004091e0c00", "61626162616261626162616261626162"},
        {"0000036ca4e11400", "00336699"},
        {"0001330036d2700a00", "00336699"},
        {"0001330166019901", "00336699"},
        {"0001", "00"},
        {"00013301", "0033"},
        {"6162630001", "61626300"},
        {"000200", ""}, /* RESET, and an escape octet whose command is to come */
        {"616200020001", "616200"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct ends e;
        uint8_t in[64], expected[64], out[64];
        const unsigned octets = from_hex(in, rows[i].in), length = from_hex(expected, rows[i].out);
        ends_init(&e, 2048, 20);
        assert_int_equal(decode(e.decoder, in, octets, out, 64), length);
        assert_memory_equal(out, expected, length);
        v42bis_start(e.decoder);
        assert_int_equal(decode(e.decoder, in, octets, out, length), length);
        v42bis_start(e.decoder);
        if (length > 0)
            assert_int_equal(decode(e.decoder, in, octets, out, length - 1), V42BIS_NO_ROOM);
    }
}

TEST(what_is_wrong_has_a_name)
{
    static const struct {
        const char *in;
        int error;
        uint16_t codewords;
    } rows[] = {
        {"0007", V42BIS_COMMAND, 2048},
        {"0003", V42BIS_COMMAND, 2048},
        {"00000301", V42BIS_EMPTY_CODE, 2048},     /* 259 */
        {"000002040810", V42BIS_EMPTY_CODE, 2048}, /* STEPUP, 513 */
        {"000064", V42BIS_CUT, 2048},
        {"000064ca98", V42BIS_CUT, 2048},
        {"00000202", V42BIS_STEPUP, 512},
        {"00000202", V42BIS_CUT, 513},
        {"0000020400", V42BIS_STEPUP, 513},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct ends e;
        uint8_t in[64], out[64];
        const unsigned octets = from_hex(in, rows[i].in);
        ends_init(&e, rows[i].codewords, 20);
        assert_int_equal(decode(e.decoder, in, octets, out, 64), rows[i].error);
        assert_int_equal(decode(e.decoder, (const uint8_t *)"a", 1, out, 64), V42BIS_FAILED);
        v42bis_start(e.decoder);
        assert_int_equal(decode(e.decoder, (const uint8_t *)"a", 1, out, 64), 1);
    }
}

/* Words, runs, noise, counters, and octets that hit the escape octet. */
static unsigned fill(struct rng *r, uint8_t *octets, unsigned most)
{
    static const char *const words[] = {"the ", "<td>",    "</td>", "table ", "of ",
                                        "a",    "href=\"", "ing ",  "\r\n",   "0"};
    const unsigned count = (unsigned)rng_between(r, 1, most);
    uint8_t escape = 0;
    for (unsigned at = 0; at < count;) {
        const unsigned kind = (unsigned)rng_between(r, 0, 12);
        const unsigned run = (unsigned)rng_between(r, 1, kind == 1 ? 300 : 40);
        const char *word = words[rng_between(r, 0, COUNT(words) - 1)];
        for (unsigned i = 0; i < run && at < count; i++, at++) {
            if (kind == 0)
                octets[at] = (uint8_t)rng_u64(r);
            else if (kind == 1)
                octets[at] = (uint8_t)run;
            else if (kind == 2)
                octets[at] = (uint8_t)i;
            else if (kind == 3)
                octets[at] = escape += 51;
            else if (word[i])
                octets[at] = (uint8_t)word[i];
            else
                break;
        }
    }
    return count;
}

static void pass(struct ends *e, const uint8_t *in, unsigned octets, bool is_shorter)
{
    static uint8_t encoded[2 * ROOM], out[ROOM];
    const unsigned room = is_shorter ? octets - 1 : sizeof(encoded);
    const int got = v42bis_encode(e->encoder, in, octets, encoded, room);
    if (is_shorter && got == V42BIS_NO_ROOM)
        return;
    /* Transparent, each octet an escape, but for a command or two. */
    assert_in_range(got, 1, is_shorter ? octets - 1 : 2 * octets + 8);
    assert_int_equal(decode(e->decoder, encoded, (unsigned)got, out, octets), octets);
    assert_memory_equal(out, in, octets);
}

TEST(round_trip_of_each_parameter_and_mode)
{
    static struct ends e;
    struct rng r;
    rng_init(&r, 1, 2);
    for (size_t i = 0; i < COUNT(codewords) * COUNT(string_octets); i++) {
        ends_init(&e, codewords[i % COUNT(codewords)], string_octets[i / COUNT(codewords)]);
        for (unsigned n = 0; n < 200; n++) {
            uint8_t in[ROOM];
            const unsigned octets = fill(&r, in, n % 3 ? ROOM : 60);
            if (n > 150) { /* as in unacknowledged mode */
                v42bis_start(e.encoder);
                v42bis_start(e.decoder);
            }
            pass(&e, in, octets, n % 2 && octets > 1);
        }
    }
}

/* Behind a string of P2 octets nothing is added, so what was added before it stays last_added, but ETM makes
 * a decoder forget it. "ac" is that here, noise ends the compressed mode, and words behind it need equal
 * dictionaries. */
TEST(no_transparent_mode_behind_a_longest_string)
{
    static struct ends e;
    for (unsigned noise = 10; noise < 100; noise++) {
        uint8_t in[ROOM];
        unsigned at = 0;
        ends_init(&e, 512, 6);
        for (unsigned i = 0; i < 60; i++)
            at += (unsigned)sprintf((char *)in + at, "cdefgh");
        at += (unsigned)sprintf((char *)in + at, "acdefghac");
        for (unsigned i = 0; i < noise; i++)
            in[at++] = (uint8_t)(130 + i);
        for (unsigned i = 0; i < 20; i++)
            at += (unsigned)sprintf((char *)in + at, "c\x82"
                                                     "cdefgh");
        pass(&e, in, at, false);
    }
}

/* Of two encoders one also meets N-PDUs that have no room: both go on alike. */
static void play_without_room(struct ends *e, struct rng *r)
{
    static uint8_t out[2 * ROOM], other[2 * ROOM];
    for (unsigned n = 0; n < 100; n++) {
        uint8_t in[ROOM], refused[ROOM];
        const unsigned octets = fill(r, in, ROOM), refused_octets = fill(r, refused, ROOM);
        const int whole = v42bis_encode(e->encoder, in, octets, out, sizeof(out));
        assert_true(whole > 0);
        assert_int_equal(v42bis_encode(e->decoder, in, octets, other, (unsigned)whole - 1), V42BIS_NO_ROOM);
        assert_int_equal(v42bis_encode(e->decoder, refused, refused_octets, other, n % 2), V42BIS_NO_ROOM);
        assert_int_equal(v42bis_encode(e->decoder, in, octets, other, (unsigned)whole), whole);
        assert_memory_equal(out, other, whole);
    }
}

TEST(encoder_without_room_is_as_before)
{
    static struct ends e;
    struct rng r;
    rng_init(&r, 3, 4);
    for (size_t i = 0; i < COUNT(codewords) * COUNT(string_octets); i++) {
        ends_init(&e, codewords[i % COUNT(codewords)], string_octets[i / COUNT(codewords)]);
        play_without_room(&e, &r);
    }
}

TEST(a_bomb_stays_in_its_room)
{
    static struct ends e;
    static const uint8_t zeros[V42BIS_N_PDU_MAX_OCTETS + 1];
    uint8_t stream[ROOM], out[ROOM];
    ends_init(&e, 4096, 250);
    assert_int_equal(v42bis_encode(e.encoder, zeros, sizeof(zeros), stream, ROOM), V42BIS_NO_ROOM);
    const int octets = v42bis_encode(e.encoder, zeros, V42BIS_N_PDU_MAX_OCTETS, stream, ROOM);
    assert_in_range(octets, 1, 100);
    assert_int_equal(decode(e.decoder, stream, (unsigned)octets, out, ROOM), V42BIS_NO_ROOM);
}

/* Codewords of any number, most of which have a string; a dictionary for one stream, or until one fails. */
TEST(hostile_codewords_do_no_harm)
{
    static struct ends e;
    struct rng r;
    rng_init(&r, 7, 8);
    for (unsigned n = 0; n < 4000; n++) {
        uint8_t stream[ROOM], out[ROOM];
        const unsigned octets = (unsigned)rng_between(&r, 2, ROOM), bits = (unsigned)rng_between(&r, 1, 9);
        if (n % 100 == 0)
            ends_init(&e, codewords[n / 100 % COUNT(codewords)],
                      string_octets[n / 100 % COUNT(string_octets)]);
        memset(stream, 0, sizeof(stream));
        for (unsigned bit = 16; bit + 9 <= 8 * octets; bit += 9) {
            const unsigned code = 3 + (unsigned)rng_between(&r, 0, n % 2 ? 255 + (bit >> bits) : 600) % 509;
            stream[bit / 8] |= (uint8_t)(code << bit % 8);
            stream[bit / 8 + 1] |= (uint8_t)(code >> (8 - bit % 8));
        }
        if (decode(e.decoder, stream, octets, out, ROOM) < 0 || n % 3 == 0)
            v42bis_start(e.decoder);
    }
}

UNIT_MAIN(NULL, NULL)
