/* SPDX-License-Identifier: BSD-3-Clause */
/* V.42bis: a decoder of arbitrary streams stays within its room; what an encoder makes of N-PDUs, with room
 * and without, decodes to them, one dictionary for all. */
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"
#include "tests/fuzz/fuzz.h"

enum { MEMORY_OCTETS = 80 << 10, ROOM_MAX_OCTETS = 1503 };

struct ends {
    struct v42bis *encoder, *decoder, *hostile;
};

static struct v42bis *end_of(uint8_t *memory, uint16_t codewords, uint8_t string_octets)
{
    const struct v42bis_params params = {codewords, string_octets};
    FUZZ_CHECK(v42bis_octets(codewords) <= MEMORY_OCTETS);
    return v42bis_setup(memory, &params);
}

static struct ends ends_of(struct fuzz_input *in)
{
    static const uint16_t codewords[] = {512, 513, 600, 1024, 2048, 3000, 4095, 4096};
    static const uint8_t string_octets[] = {6, 20, 32, 250};
    static _Alignas(8) uint8_t memory[3][MEMORY_OCTETS];
    const unsigned choice = (unsigned)fuzz_take(in, 1);
    const uint16_t p1 = codewords[choice & 7];
    const uint8_t p2 = string_octets[choice >> 3 & 3];
    return (struct ends){end_of(memory[0], p1, p2), end_of(memory[1], p1, p2), end_of(memory[2], p1, p2)};
}

/* Ends where the room ends; to be freed. */
static uint8_t *room_new(size_t octets)
{
    uint8_t *room = malloc(octets ? octets : 1);
    FUZZ_CHECK(room);
    return room;
}

static void decode(struct ends *ends, const uint8_t *block, size_t octets, unsigned room)
{
    uint8_t *in = fuzz_copy(block, octets), *out = room_new(room);
    const int got = v42bis_decode(ends->hostile, in, (unsigned)octets, out, room);
    FUZZ_CHECK(got >= V42BIS_FAILED && got <= (int)room);
    if (got < 0) {
        FUZZ_CHECK(v42bis_decode(ends->hostile, in, 0, out, room) == V42BIS_FAILED);
        v42bis_start(ends->hostile);
    }
    free(in);
    free(out);
}

static void encode(struct ends *ends, const uint8_t *block, size_t octets, unsigned room)
{
    uint8_t *in = fuzz_copy(block, octets), *stream = room_new(room), *again = room_new(octets);
    const int got = v42bis_encode(ends->encoder, in, (unsigned)octets, stream, room);
    FUZZ_CHECK(got == V42BIS_NO_ROOM || (got >= 0 && got <= (int)room));
    /* Each octet the escape octet, a change of the mode. */
    FUZZ_CHECK(got >= 0 || room < 2 * octets + 4 || octets > V42BIS_N_PDU_MAX_OCTETS);
    if (got >= 0) {
        FUZZ_CHECK(v42bis_decode(ends->decoder, stream, (unsigned)got, again, (unsigned)octets) ==
                   (int)octets);
        FUZZ_CHECK(memcmp(again, in, octets) == 0);
    }
    free(in);
    free(stream);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input in = {bytes, len};
    struct ends ends = ends_of(&in);
    unsigned steps = 0;
    for (; in.left > 0; steps++) {
        const unsigned kind = (unsigned)fuzz_take(&in, 1);
        size_t octets;
        const uint8_t *block = fuzz_take_block(&in, (size_t)fuzz_take(&in, 2) % 1600, &octets);
        if (kind & 1)
            decode(&ends, block, octets, kind & 2 ? ROOM_MAX_OCTETS : 60);
        else
            encode(&ends, block, octets, kind & 2 || octets == 0 ? 3300 : (unsigned)octets - 1);
        if (kind & 4) {
            v42bis_start(ends.encoder);
            v42bis_start(ends.decoder);
        }
    }
    fuzz_count_sequence(steps);
    return 0;
}
