/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U: the header against a second reading of the clause, the quick path against the slow one. */
#include "dataplane/wire/gtpu.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* Where the payload begins by TS 29.281 5.1 and 5.2.1; *insisted is the first unknown header of which
 * comprehension is required; 0: contradiction. */
static size_t model_offset(const uint8_t *bytes, size_t end, uint8_t *insisted)
{
    size_t at = 12;
    *insisted = 0;
    if (!(bytes[0] & 7))
        return 8;
    if (end < 12)
        return 0;
    for (uint8_t next = bytes[0] & 4 ? bytes[11] : 0; next != 0; next = bytes[at - 1]) {
        if (at >= end || bytes[at] == 0 || at + (size_t)4 * bytes[at] > end)
            return 0;
        if (next >= 0x80 && next != 0xc0) {
            *insisted = next;
            return at;
        }
        at += (size_t)4 * bytes[at];
    }
    return at;
}

static void check_header(const uint8_t *bytes, size_t len)
{
    struct gtpu out;
    uint8_t insisted;
    int offset = gtpu_header_decode(&out, bytes, len);
    if (len < 8 || bytes[0] >> 4 != 3) {
        FUZZ_CHECK(offset == (len < 8 ? ERR_TRUNCATED : ERR_UNSUPPORTED) && out.extension == 0);
        return;
    }
    size_t end = 8u + bytes_get_u16(bytes + 2);
    if (end > len) {
        FUZZ_CHECK(offset == ERR_TRUNCATED);
        return;
    }
    size_t expected = model_offset(bytes, end, &insisted);
    FUZZ_CHECK(out.extension == insisted);
    FUZZ_CHECK(offset == (insisted ? ERR_UNSUPPORTED : expected ? (int)expected : ERR_MALFORMED));
    FUZZ_CHECK(offset < 0 || (out.payload_offset == expected && expected + out.payload_octets == end));
}

/* What the encoder can write, it writes as it was read, but for the spare bit. */
static void check_round_trip(const struct gtpu *in, const uint8_t *bytes)
{
    uint8_t again[GTPU_LONG_OCTETS];
    if (in->flags & (GTPU_E | GTPU_PN))
        return;
    struct gtpu header = *in;
    int octets = gtpu_encode(again, sizeof again, &header);
    FUZZ_CHECK(octets == (int)in->payload_offset && again[0] == (bytes[0] & 0xf7));
    size_t compared = octets == GTPU_LONG_OCTETS ? 10 : 8;
    FUZZ_CHECK(memcmp(again + 1, bytes + 1, compared - 1) == 0);
}

static void check_error(const uint8_t *bytes, size_t len)
{
    struct gtpu_signal_error error, again;
    struct gtpu header;
    uint8_t message[GTPU_SIGNAL_MAX_OCTETS];
    int octets = gtpu_signal_error_decode(&error, bytes, len);
    FUZZ_CHECK(octets <= (int)len);
    if (octets < 0)
        return;
    FUZZ_CHECK(error.peer_octets == 4 || error.peer_octets == 16);
    FUZZ_CHECK(octets >= 8 + error.peer_octets);
    int written = gtpu_signal_error_encode(message, sizeof message, &error);
    FUZZ_CHECK(written == 20 + error.peer_octets);
    int offset = gtpu_decode(&header, message, (size_t)written);
    FUZZ_CHECK(offset == 12 && header.type == GTPU_ERROR_INDICATION);
    FUZZ_CHECK(gtpu_signal_error_decode(&again, message + offset, header.payload_octets) ==
               8 + error.peer_octets);
    FUZZ_CHECK(again.teid == error.teid && again.peer_octets == error.peer_octets);
    FUZZ_CHECK(memcmp(again.peer, error.peer, error.peer_octets) == 0);
}

/* Echo both ways and the notification, in as much room as there is. */
static void check_signals(const uint8_t *bytes, size_t len)
{
    static int (*const echoes[])(uint8_t *, size_t, uint16_t) = {gtpu_signal_echo_request_encode,
                                                                 gtpu_signal_echo_response_encode};
    uint8_t message[GTPU_SIGNAL_MAX_OCTETS];
    uint16_t seq = len < 2 ? 0 : bytes_get_u16(bytes);
    size_t cap = len % 20;
    struct gtpu out;
    for (unsigned i = 0; i < 2; i++) {
        int octets = echoes[i](message, cap, seq);
        FUZZ_CHECK(octets == (cap < 12 + 2 * i ? ERR_NO_SPACE : 12 + 2 * (int)i));
        FUZZ_CHECK(octets < 0 || (gtpu_decode(&out, message, (size_t)octets) == 12 && out.seq == seq));
        FUZZ_CHECK(octets < 0 || (out.type == i + 1 && out.teid == 0));
    }
    int octets = gtpu_signal_extensions_encode(message, cap);
    FUZZ_CHECK(octets == (cap < 15 ? ERR_NO_SPACE : 15));
    FUZZ_CHECK(octets < 0 || gtpu_decode(&out, message, (size_t)octets) == 12);
}

static void check_extension(const uint8_t *bytes, size_t len)
{
    static uint8_t again[GTPU_EXTENSION_MAX_OCTETS];
    struct gtpu_extension in;
    int octets = gtpu_extension_decode(&in, 0x20, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK((size_t)octets <= len && fuzz_is_inside(in.content, in.content_octets, bytes, len));
    FUZZ_CHECK(gtpu_extension_encode(again, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(gtpu_extension_encode(again, sizeof again, &in) == octets);
    FUZZ_CHECK(memcmp(again, bytes, (size_t)octets) == 0);
    in.content_octets--;
    FUZZ_CHECK(gtpu_extension_encode(again, sizeof again, &in) == ERR_RANGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct gtpu quick, slow;
    int offset = gtpu_decode(&quick, bytes, len);
    check_header(bytes, len);
    FUZZ_CHECK(gtpu_decode_slowly(&slow, bytes, len) == offset);
    FUZZ_CHECK(len < GTPU_OCTETS || memcmp(&quick, &slow, sizeof quick) == 0);
    check_error(bytes, len);
    check_signals(bytes, len);
    check_extension(bytes, len);
    if (offset < 0)
        return 0;
    FUZZ_CHECK(quick.type != GTPU_G_PDU || quick.payload_octets > 0);
    FUZZ_CHECK(gtpu_decode(&slow, bytes, quick.payload_offset + quick.payload_octets - 1) == ERR_TRUNCATED);
    check_round_trip(&quick, bytes);
    if (quick.type == GTPU_ERROR_INDICATION)
        check_error(bytes + offset, quick.payload_octets);
    return 0;
}
