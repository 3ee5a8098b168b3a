/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions learned from frames. */
#include "app/replay/gtpc_learn.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/ipv4.h"
#include "tests/fuzz/core_model.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { FRAME_OCTETS = 2048, FIRST_OCTETS = 32 };
enum { HEADERS_OCTETS = ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS };

/* Headers between two GSNs, the direction being the input's, in front of a message. */
static size_t wrap(uint8_t *frame, size_t octets, bool is_back)
{
    const struct ether ether = {.type = ETHER_TYPE_IPV4};
    const struct ipv4 ip = {.src = 0x0a000001u + is_back,
                            .dst = 0x0a000002u - is_back,
                            .proto = IPV4_PROTO_UDP,
                            .payload_octets = (uint16_t)(UDP_OCTETS + octets)};
    const struct udp udp = {.src_port = GTPC_PORT, .dst_port = GTPC_PORT, .payload_octets = (uint16_t)octets};
    int at = ether_encode(frame, FRAME_OCTETS, &ether);
    at += ipv4_encode(frame + at, IPV4_OCTETS, &ip);
    at += udp_encode(frame + at, UDP_OCTETS, &udp);
    return (size_t)at + octets;
}

/* The frame in two IP fragments, the first with this many octets, in either order. */
static void hear_pieces(struct gtpc_learn *learn, const uint8_t *frame, size_t octets, bool is_backwards)
{
    const size_t head = ETHER_OCTETS + IPV4_OCTETS, all = octets - head;
    const size_t cut = all > FIRST_OCTETS ? FIRST_OCTETS : 0;
    for (unsigned i = 0; i < 2; i++) {
        bool is_first = (i == 0) != is_backwards;
        size_t at = is_first ? 0 : cut, size = is_first ? cut : all - cut;
        uint8_t *piece = fuzz_copy(frame, head + size);
        memcpy(piece + head, frame + head + at, size);
        bytes_put_u16(piece + ETHER_OCTETS + 2, (uint16_t)(IPV4_OCTETS + size));
        bytes_put_u16(piece + ETHER_OCTETS + 6, (uint16_t)((is_first ? 0x2000 : 0) | at / 8));
        gtpc_learn_frame(learn, piece, head + size, 0);
        free(piece);
    }
}

/* Each frame is preceded by its length; the high bits ask for headers in front, for their direction, for two
 * fragments, and for their order. */
static void hear(struct gtpc_learn *learn, struct fuzz_input *input)
{
    size_t octets, wanted = fuzz_take(input, 2);
    bool is_wrapped = wanted & 0x8000;
    size_t headers = is_wrapped ? HEADERS_OCTETS : 0;
    const uint8_t *block = fuzz_take_block(input, wanted % (FRAME_OCTETS - HEADERS_OCTETS), &octets);
    uint8_t *frame = malloc(headers + octets + !(headers + octets));
    FUZZ_CHECK(frame);
    memcpy(frame + headers, block, octets);
    if (is_wrapped)
        octets = wrap(frame, octets, wanted & 0x4000);
    uint64_t heard = learn->messages + learn->malformed;
    if (is_wrapped && wanted & 0x2000)
        hear_pieces(learn, frame, octets, wanted & 0x1000);
    else
        gtpc_learn_frame(learn, frame, octets, 0);
    FUZZ_CHECK(learn->messages + learn->malformed <= heard + 1);
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct gtpc_learn learn;
    static uint16_t homes[] = {4, 9};
    struct node_config config = {.homes = homes, .home_count = 2};
    struct core core = {.config = &config};
    struct sessions sessions;
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    config.limits.mobiles = CORE_MODEL_MOBILES;
    config.limits.contexts = CORE_MODEL_CONTEXTS;
    core_model_init();
    FUZZ_CHECK(sessions_new(&sessions, &core));
    gtpc_learn_init(&learn, &sessions);
    for (; input.left > 0; steps++) {
        hear(&learn, &input);
        core_model_check(&sessions);
    }
    fuzz_count_sequence(steps);
    sessions_free(&sessions);
    return 0;
}
