/* SPDX-License-Identifier: BSD-3-Clause */
/* VJ: a sequence for both ends of RFC 1144: segments of a few connections, packets of random octets, what any
 * peer sends as compressed, losses and refreshes. */
#include "dataplane/base/bytes.h"
#include "dataplane/compression/vj.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "tests/fuzz/fuzz.h"

enum {
    CONNECTIONS = 4,
    MOST_SLOTS = 5,
    MOST_STEPS = 256,
    MOST_ROOM = 127,
    MOST_OCTETS = 2048,
    TEMPLATE_OCTETS = 40
};

struct state {
    struct fuzz_input input;
    unsigned slots;
    struct vj_compressor *c;
    struct vj_decompressor *d, *peers; /* peers: of one who sends anything */
    uint8_t last[CONNECTIONS][TEMPLATE_OCTETS];
    bool is_shifted[MOST_SLOTS], is_refreshed[MOST_SLOTS];
    const uint8_t *packet; /* that is compressed now */
    unsigned octets;
};

static void *new_end(size_t octets)
{
    uint8_t *end = malloc(octets);
    FUZZ_CHECK(end);
    return end;
}

static void start(struct state *s)
{
    static const uint8_t segment[TEMPLATE_OCTETS] = {
        0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, IPV4_PROTO_TCP, [32] = 0x50, TCP_ACK};
    s->slots = 1 + (unsigned)fuzz_take(&s->input, 1) % MOST_SLOTS;
    s->c = new_end(vj_compressor_octets(s->slots));
    s->d = new_end(vj_decompressor_octets(s->slots));
    s->peers = new_end(vj_decompressor_octets(s->slots));
    vj_compressor_start(s->c, s->slots);
    vj_decompressor_start(s->d, s->slots);
    vj_decompressor_start(s->peers, s->slots);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        memcpy(s->last[i], segment, sizeof(segment));
        s->last[i][23] = (uint8_t)i;
    }
}

static void sum(uint8_t *packet)
{
    bytes_put_u16(packet + 10, 0);
    bytes_put_u16(packet + 10, ipv4_checksum(packet, IPV4_OCTETS));
}

/* What came out of a decompressor is a packet of TCP/IPv4; its length may be that of a peer. */
static void check_packet(const uint8_t *packet, unsigned octets, enum vj_type type)
{
    struct ipv4 ip;
    int at = ipv4_decode(&ip, packet, octets);
    FUZZ_CHECK(at > 0 && ip.proto == IPV4_PROTO_TCP && !ipv4_is_fragment(&ip));
    FUZZ_CHECK(ipv4_is_checksum_good(packet, ip.header_octets));
    FUZZ_CHECK(type == VJ_UNCOMPRESSED || (unsigned)at + ip.payload_octets == octets);
    unsigned tcp_octets = 4U * (packet[at + 12] >> 4);
    FUZZ_CHECK(tcp_octets >= TCP_OCTETS && tcp_octets <= ip.payload_octets);
}

/* In a block without an octet more than there is room. */
static void check_restored(struct state *s, enum vj_type type, const uint8_t *sent, unsigned taken)
{
    uint8_t *block = fuzz_copy(s->packet, s->octets);
    const unsigned slot = vj_last_slot(s->c);
    memset(block, 0, s->octets);
    memcpy(block + taken, sent, s->octets - taken);
    int put = vj_decompress(s->d, type, block + taken, s->octets - taken, taken);
    if (type == VJ_UNCOMPRESSED)
        s->is_shifted[slot] = false;
    if (!s->is_shifted[slot])
        FUZZ_CHECK(put == (int)taken && memcmp(block, s->packet, s->octets) == 0);
    FUZZ_CHECK(put <= (int)taken);
    free(block);
}

/* Compressed; what the other end makes of it is the same. */
static void pass(struct state *s, const uint8_t *packet, unsigned octets, bool is_lost)
{
    uint8_t *copy = fuzz_copy(packet, octets);
    enum vj_type type;
    s->packet = packet;
    s->octets = octets;
    unsigned taken = vj_compress(s->c, copy, octets, &type), slot = vj_last_slot(s->c);
    FUZZ_CHECK(slot < s->slots && (type == VJ_COMPRESSED ? taken >= 21 && taken + 4 <= octets : taken == 0));
    FUZZ_CHECK(type != VJ_IP || memcmp(copy, packet, octets) == 0);
    if (type != VJ_IP) {
        FUZZ_CHECK(!s->is_refreshed[slot] || type == VJ_UNCOMPRESSED);
        s->is_refreshed[slot] = false;
        if (is_lost)
            s->is_shifted[slot] = true;
        else
            check_restored(s, type, copy + taken, taken);
    }
    free(copy);
}

/* The next one of a connection: what changes, by bits of an octet. */
static void pass_segment(struct state *s)
{
    uint8_t packet[MOST_OCTETS];
    unsigned what = (unsigned)fuzz_take(&s->input, 1), how = (unsigned)fuzz_take(&s->input, 1);
    uint8_t *last = s->last[how % CONNECTIONS], *tcp = last + IPV4_OCTETS;
    unsigned data = bytes_get_u16(last + 2) - TEMPLATE_OCTETS;
    unsigned octets = TEMPLATE_OCTETS, options = what & 64 ? (unsigned)fuzz_take(&s->input, 1) % 7 * 4 : 0;
    bytes_put_u16(last + 4, (uint16_t)(bytes_get_u16(last + 4) + (what & 1 ? fuzz_take(&s->input, 2) : 1)));
    bytes_put_u32(tcp + 4, bytes_get_u32(tcp + 4) + (what & 2 ? (uint32_t)fuzz_take(&s->input, 3) : data));
    if (what & 4)
        bytes_put_u32(tcp + 8, bytes_get_u32(tcp + 8) + (uint32_t)(how & 4 ? data : fuzz_take(&s->input, 3)));
    if (what & 8)
        bytes_put_u16(tcp + 14, (uint16_t)fuzz_take(&s->input, 2));
    if (what & 16)
        tcp[13] = (uint8_t)fuzz_take(&s->input, 1);
    if (what & 32)
        fuzz_spoil(&s->input, last, TEMPLATE_OCTETS);
    data = how & 8 ? (unsigned)fuzz_take(&s->input, 1) : 0;
    bytes_put_u16(last + 2, (uint16_t)(TEMPLATE_OCTETS + data));
    sum(last);
    memcpy(packet, last, TEMPLATE_OCTETS);
    if (options) {
        packet[32] = (uint8_t)((TCP_OCTETS + options) / 4 << 4 | (packet[32] & 15));
        memset(packet + octets, (int)fuzz_take(&s->input, 1), options);
        octets += options;
    }
    memset(packet + octets, (int)what, data);
    octets += data;
    bytes_put_u16(packet + 2, (uint16_t)octets);
    sum(packet);
    pass(s, packet, octets, how & 16);
}

/* Of random octets; on request they say their own length, and their sum is right. */
static void pass_random(struct state *s)
{
    size_t octets;
    unsigned how = (unsigned)fuzz_take(&s->input, 1);
    const uint8_t *block = fuzz_take_block(&s->input, (size_t)fuzz_take(&s->input, 1) * 2, &octets);
    uint8_t *packet = fuzz_copy(block, octets);
    if (how & 1 && octets >= IPV4_OCTETS) {
        packet[0] = 0x45;
        bytes_put_u16(packet + 2, (uint16_t)octets);
        packet[9] = IPV4_PROTO_TCP;
        sum(packet);
    }
    pass(s, packet, (unsigned)octets, how & 2);
    free(packet);
}

/* Anything a peer may send, and room of any size. */
static void take_random(struct state *s)
{
    size_t octets;
    unsigned how = (unsigned)fuzz_take(&s->input, 1), room = how & MOST_ROOM;
    enum vj_type type = how & 128 ? VJ_COMPRESSED : VJ_UNCOMPRESSED;
    const uint8_t *sent = fuzz_take_block(&s->input, (size_t)fuzz_take(&s->input, 1), &octets);
    uint8_t *block = new_end(room + octets + 1);
    memcpy(block + room, sent, octets);
    if (type == VJ_UNCOMPRESSED && room & 1 && octets >= IPV4_OCTETS) {
        uint8_t slot = block[room + 9];
        block[room + 9] = IPV4_PROTO_TCP;
        sum(block + room);
        block[room + 9] = slot;
    }
    /* The octet behind the packet is no one's: the block ends there. */
    block = realloc(block, room + octets ? room + octets : 1);
    FUZZ_CHECK(block);
    int put = vj_decompress(s->peers, type, block + room, (unsigned)octets, room);
    FUZZ_CHECK(put >= VJ_NO_ROOM && put <= (int)room && (type == VJ_COMPRESSED || put <= 0));
    if (put >= 0)
        check_packet(block + room - put, (unsigned)octets + (unsigned)put, type);
    free(block);
}

static void step(struct state *s)
{
    unsigned kind = (unsigned)fuzz_take(&s->input, 1), slot = kind / 8 % MOST_SLOTS;
    switch (kind % 8) {
    case 0:
    case 1:
    case 2:
        pass_segment(s);
        break;
    case 3:
        pass_random(s);
        break;
    case 4:
    case 5:
        take_random(s);
        break;
    case 6:
        vj_refresh_slot(s->c, slot);
        s->is_refreshed[slot] = slot < s->slots;
        break;
    case 7:
        vj_toss(slot ? s->peers : s->d);
        if (slot == MOST_SLOTS - 1) {
            vj_refresh(s->c);
            memset(s->is_refreshed, true, sizeof(s->is_refreshed));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct state s = {.input = {bytes, len}};
    unsigned steps = 0;
    start(&s);
    for (; s.input.left > 0 && steps < MOST_STEPS; steps++)
        step(&s);
    free(s.c);
    free(s.d);
    free(s.peers);
    fuzz_count_sequence(steps);
    return 0;
}
