/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/vj.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OCTETS = 1500 };

struct packet {
    uint8_t bytes[MOST_OCTETS];
    unsigned octets;
};

struct link {
    struct vj_compressor *c;
    struct vj_decompressor *d;
};

static struct link link_new(unsigned slots)
{
    struct link link = {malloc(vj_compressor_octets(slots)), malloc(vj_decompressor_octets(slots))};
    assert_non_null(link.c);
    assert_non_null(link.d);
    vj_compressor_start(link.c, slots);
    vj_decompressor_start(link.d, slots);
    return link;
}

static void link_free(struct link *link)
{
    free(link->c);
    free(link->d);
}

#define TEST_LINKED(name) TEST_IN(name, struct link, link, fixture = link_new(16), link_free(link))

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static struct packet packet_of(const char *hex)
{
    struct packet packet = {.octets = (unsigned)strlen(hex) / 2};
    for (unsigned i = 0; i < packet.octets; i++)
        packet.bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return packet;
}

/* A sequence of one connection, 192.0.2.1:80 to 10.11.0.2:40000; out NULL: as it went in, but for the slot.
 */
static const struct row {
    const char *what;
    const char *in;
    enum vj_type type;
    const char *out;
} rows[] = {
    {"SYN", "4500002810004000390665c2c00002010a0b000200509c400fffffff20000000501216d000650000", VJ_IP},
    {"4 octets", "4500002c10014000390665bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364",
     VJ_UNCOMPRESSED},
    {"next 4 octets",
     "4500002c10024000390665bcc00002010a0b000200509c401000000420000064501016d0332b000065666768",
     VJ_COMPRESSED, "4f00332b65666768"},
    {"ACK + 300", "4500002810034000390665bfc00002010a0b000200509c401000000820000190501016d0fecd0000",
     VJ_COMPRESSED, "4c00fecd00012c04"},
    {"ACK + 1, window - 100",
     "4500002810044000390665bec00002010a0b000200509c4010000008200001915010166cff300000", VJ_COMPRESSED,
     "4600ff3000ff9c01"},
    {"4 octets after an ACK",
     "4500002c10054000390665b9c00002010a0b000200509c4010000008200001915010166c2a560000696a6b6c",
     VJ_COMPRESSED, "40002a56696a6b6c"},
    {"seq + 4, ack + 4",
     "4500002c10064000390665b8c00002010a0b000200509c401000000c200001955010166c224600006d6e6f70",
     VJ_COMPRESSED, "4b0022466d6e6f70"},
    {"same again", "4500002c10074000390665b7c00002010a0b000200509c401000000c200001955010166c224600006d6e6f70",
     VJ_UNCOMPRESSED},
    {"ID + 0x300, PSH",
     "4500002c13074000390662b7c00002010a0b000200509c4010000010200001955018166c1a32000071727374",
     VJ_COMPRESSED, "7f001a3200030071727374"},
    {"seq - 4", "4500002c13084000390662b6c00002010a0b000200509c401000000c200001955010166c224600006d6e6f70",
     VJ_UNCOMPRESSED},
    {"CE", "4503002c13094000390662b2c00002010a0b000200509c4010000010200001955010166c1a3a000071727374",
     VJ_UNCOMPRESSED},
    {"urgent pointer 5",
     "4503002c130a4000390662b1c00002010a0b000200509c4010000014200001955030166c1209000575767778",
     VJ_COMPRESSED, "49001209050475767778"},
};

/* In a block of the octets of the packet alone. */
static void restore(struct link *link, enum vj_type type, const struct packet *packet, unsigned taken,
                    const struct packet *original)
{
    uint8_t *block = malloc(original->octets);
    assert_non_null(block);
    memcpy(block + taken, packet->bytes + taken, original->octets - taken);
    assert_int_equal(vj_decompress(link->d, type, block + taken, original->octets - taken, taken), taken);
    assert_memory_equal(block, original->bytes, original->octets);
    free(block);
}

static void play(struct link *link, const struct row *row)
{
    struct packet packet = packet_of(row->in), out = packet_of(row->out ? row->out : row->in);
    const struct packet original = packet;
    enum vj_type type;
    print_message("%s\n", row->what);
    unsigned taken = vj_compress(link->c, packet.bytes, packet.octets, &type);
    assert_int_equal(type, row->type);
    if (type == VJ_UNCOMPRESSED)
        out.bytes[9] = 0;
    assert_int_equal(packet.octets - taken, out.octets);
    assert_memory_equal(packet.bytes + taken, out.bytes, out.octets);
    if (type != VJ_IP)
        restore(link, type, &packet, taken, &original);
}

TEST_LINKED(rows_there_and_back)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        play(link, &rows[i]);
}

/* A segment with data of zeros. Its TCP checksum is not looked at. */
struct segment {
    unsigned host, port;                        /* host: of 10.11.0.0/16; port 0: 80 */
    unsigned seq, ack, window, flags, data, id; /* flags 0: ACK; window 0: 8192 */
    const char *options;                        /* in hex, whole words */
};

static void sum(struct packet *packet)
{
    const unsigned octets = 4U * (packet->bytes[0] & 15);
    bytes_put_u16(packet->bytes + 10, 0);
    bytes_put_u16(packet->bytes + 10, ipv4_checksum(packet->bytes, octets));
}

static struct packet packet_of_segment(const struct segment *in)
{
    struct packet packet =
        packet_of("450000000000400040060000c00002010a0b000200509c40000000000000000050100000abcd0000");
    uint8_t *tcp = packet.bytes + IPV4_OCTETS;
    if (in->options) {
        struct packet options = packet_of(in->options);
        memcpy(tcp + TCP_OCTETS, options.bytes, options.octets);
        packet.octets += options.octets;
    }
    tcp[12] = (uint8_t)((packet.octets - IPV4_OCTETS) / 4 << 4);
    packet.octets += in->data;
    bytes_put_u16(packet.bytes + 2, (uint16_t)packet.octets);
    bytes_put_u16(packet.bytes + 4, (uint16_t)in->id);
    bytes_put_u16(packet.bytes + 18, (uint16_t)in->host);
    bytes_put_u16(tcp, (uint16_t)(in->port ? in->port : 80));
    bytes_put_u32(tcp + 4, in->seq);
    bytes_put_u32(tcp + 8, in->ack);
    tcp[13] = (uint8_t)(in->flags ? in->flags : TCP_ACK);
    bytes_put_u16(tcp + 14, (uint16_t)(in->window ? in->window : 8192));
    sum(&packet);
    return packet;
}

/* Through both ends; returns its type, and *taken. */
static enum vj_type pass(struct link *link, const struct packet *original, unsigned *taken)
{
    struct packet packet = *original;
    enum vj_type type;
    unsigned octets = vj_compress(link->c, packet.bytes, packet.octets, &type);
    if (type == VJ_IP)
        assert_memory_equal(packet.bytes, original->bytes, original->octets);
    else
        restore(link, type, &packet, octets, original);
    if (taken)
        *taken = octets;
    return type;
}

static enum vj_type pass_segment(struct link *link, struct segment segment)
{
    struct packet packet = packet_of_segment(&segment);
    return pass(link, &packet, NULL);
}

#define SEGMENT(...) ((struct segment){__VA_ARGS__})
#define PASS(...)    pass_segment(link, SEGMENT(__VA_ARGS__))

/* Two packets: what the second is. */
static const struct pair {
    const char *what;
    struct segment first, second;
    enum vj_type type;
} pairs[] = {
    {"next data", {.data = 9}, {.data = 9, .seq = 9}, VJ_COMPRESSED},
    {"sequence number wraps", {.seq = 0xfffffff0, .data = 32}, {.seq = 16}, VJ_COMPRESSED},
    {"acknowledgement wraps", {.ack = 0xffffff00}, {.ack = 0x100}, VJ_COMPRESSED},
    {"acknowledgement + 65535", {0}, {.ack = 65535}, VJ_COMPRESSED},
    {"acknowledgement + 65536", {0}, {.ack = 65536}, VJ_UNCOMPRESSED},
    {"sequence number + 65536", {0}, {.seq = 65536}, VJ_UNCOMPRESSED},
    {"acknowledgement back", {.ack = 5}, {.ack = 4}, VJ_UNCOMPRESSED},
    {"sequence number back", {.seq = 5}, {.seq = 4}, VJ_UNCOMPRESSED},
    {"ID stays 0", {.ack = 5}, {.ack = 6}, VJ_COMPRESSED},
    {"ID back", {.id = 9}, {.ack = 6, .id = 8}, VJ_COMPRESSED},
    {"window alone", {0}, {.window = 100}, VJ_COMPRESSED},
    {"same again", {.id = 1}, {.id = 2}, VJ_UNCOMPRESSED},
    {"data behind an acknowledgement", {0}, {.data = 1}, VJ_COMPRESSED},
    {"acknowledgement behind data", {.data = 1}, {.data = 0}, VJ_UNCOMPRESSED},
    {"data again, window lower", {.data = 9}, {.data = 9, .window = 100}, VJ_UNCOMPRESSED},
    {"data again, more acknowledged", {.data = 9}, {.data = 9, .ack = 7}, VJ_UNCOMPRESSED},
    {"urgent again", {.flags = TCP_ACK | TCP_URG}, {.flags = TCP_ACK | TCP_URG}, VJ_UNCOMPRESSED},
    {"changes like S.WU", {.data = 9}, {.seq = 7, .window = 5, .flags = TCP_ACK | TCP_URG}, VJ_UNCOMPRESSED},
    {"changes like SAWU",
     {0},
     {.seq = 7, .ack = 1, .window = 5, .flags = TCP_ACK | TCP_URG},
     VJ_UNCOMPRESSED},
    {"ECE", {0}, {.ack = 9, .flags = TCP_ACK | TCP_ECE}, VJ_UNCOMPRESSED},
    {"ECE ends", {.flags = TCP_ACK | TCP_ECE}, {.ack = 9}, VJ_UNCOMPRESSED},
    {"ECE stays", {.flags = TCP_ACK | TCP_ECE}, {.ack = 9, .flags = TCP_ACK | TCP_ECE}, VJ_COMPRESSED},
    {"CWR", {.data = 9}, {.seq = 9, .data = 9, .flags = TCP_ACK | TCP_CWR}, VJ_UNCOMPRESSED},
    {"PSH", {.data = 9}, {.seq = 9, .data = 9, .flags = TCP_ACK | TCP_PSH}, VJ_COMPRESSED},
    {"SYN", {0}, {.seq = 9, .flags = TCP_ACK | TCP_SYN}, VJ_IP},
    {"FIN", {0}, {.seq = 9, .flags = TCP_ACK | TCP_FIN}, VJ_IP},
    {"RST", {0}, {.seq = 9, .flags = TCP_ACK | TCP_RST}, VJ_IP},
    {"no ACK", {0}, {.seq = 9, .flags = TCP_PSH}, VJ_IP},
    {"options stay",
     {.options = "0101080a01020304"},
     {.ack = 9, .options = "0101080a01020304"},
     VJ_COMPRESSED},
    {"an option changes",
     {.options = "0101080a01020304"},
     {.ack = 9, .options = "0101080a01020305"},
     VJ_UNCOMPRESSED},
    {"options come", {0}, {.ack = 9, .options = "01010101"}, VJ_UNCOMPRESSED},
    {"options go", {.options = "01010101"}, {.ack = 9}, VJ_UNCOMPRESSED},
    {"60 octets of headers",
     {0},
     {.ack = 9, .options = "0101010101010101010101010101010101010101"},
     VJ_UNCOMPRESSED},
    {"64 octets of headers",
     {0},
     {.ack = 9, .options = "010101010101010101010101010101010101010101010101"},
     VJ_IP},
};

TEST(rows_of_two)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct link link = link_new(1);
        print_message("%s\n", pairs[i].what);
        pass_segment(&link, pairs[i].first);
        assert_int_equal(pass_segment(&link, pairs[i].second), pairs[i].type);
        link_free(&link);
    }
}

/* An octet of the second packet. */
static const struct octet {
    const char *what;
    unsigned at;
    uint8_t value;
    enum vj_type type;
} octets[] = {
    {"version 6", 0, 0x65, VJ_IP},
    {"header length 16", 0, 0x44, VJ_IP},
    {"options of IP", 0, 0x46, VJ_IP},
    {"TOS", 1, 0x10, VJ_UNCOMPRESSED},
    {"ECT(0)", 1, 0x02, VJ_UNCOMPRESSED},
    {"total length above the packet", 3, 200, VJ_IP},
    {"total length below the packet", 3, 40, VJ_IP},
    {"may be fragmented", 6, 0, VJ_UNCOMPRESSED},
    {"reserved flag of IP", 6, 0xc0, VJ_UNCOMPRESSED},
    {"more fragments", 6, 0x20, VJ_IP},
    {"last fragment", 7, 1, VJ_IP},
    {"TTL", 8, 63, VJ_UNCOMPRESSED},
    {"UDP", 9, 17, VJ_IP},
    {"TCP header of 16 octets", 32, 0x40, VJ_IP},
    {"TCP header above the packet", 32, 0xf0, VJ_IP},
    {"NS bit of TCP", 32, 0x51, VJ_UNCOMPRESSED},
    {"reserved bit of TCP", 32, 0x58, VJ_UNCOMPRESSED},
    {"urgent pointer without URG", 39, 1, VJ_UNCOMPRESSED},
};

TEST(rows_of_octets)
{
    for (size_t i = 0; i < COUNT(octets); i++) {
        struct link it = link_new(1), *link = &it;
        struct packet packet = packet_of_segment(&SEGMENT(.ack = 9, .data = 8));
        print_message("%s\n", octets[i].what);
        PASS(.ack = 8);
        packet.bytes[octets[i].at] = octets[i].value;
        sum(&packet);
        assert_int_equal(pass(link, &packet, NULL), octets[i].type);
        link_free(link);
    }
}

TEST_LINKED(checksum_of_ip)
{
    struct packet packet = packet_of_segment(&SEGMENT(.ack = 9));
    PASS(.ack = 8);
    packet.bytes[11] ^= 1;
    assert_int_equal(pass(link, &packet, NULL), VJ_IP);
    /* Of the two forms of zero the peer writes the other one. */
    bytes_put_u16(packet.bytes + 4, 0);
    sum(&packet);
    bytes_put_u16(packet.bytes + 4, bytes_get_u16(packet.bytes + 10));
    bytes_put_u16(packet.bytes + 10, 0);
    assert_int_equal(pass(link, &packet, NULL), VJ_COMPRESSED);
    bytes_put_u16(packet.bytes + 10, 0xffff);
    packet.bytes[20 + 11]++;
    assert_int_equal(pass(link, &packet, NULL), VJ_UNCOMPRESSED);
    packet.bytes[20 + 11]++;
    bytes_put_u16(packet.bytes + 10, 0);
    assert_int_equal(pass(link, &packet, NULL), VJ_COMPRESSED);
}

/* A change that says nothing of URG would leave it set at a peer by RFC 1144's appendix. */
TEST_LINKED(data_behind_urgent_data)
{
    unsigned taken;
    struct packet urgent = packet_of_segment(&SEGMENT(.data = 4, .flags = TCP_ACK | TCP_URG, .id = 1));
    struct packet next = packet_of_segment(&SEGMENT(.seq = 4, .data = 4, .id = 2));
    struct packet third = packet_of_segment(&SEGMENT(.seq = 8, .data = 4, .id = 3));
    assert_int_equal(pass(link, &urgent, NULL), VJ_UNCOMPRESSED);
    assert_int_equal(pass(link, &next, &taken), VJ_COMPRESSED);
    assert_int_equal(taken, 40 - 5);
    assert_int_equal(pass(link, &third, &taken), VJ_COMPRESSED);
    assert_int_equal(taken, 40 - 4);
}

/* As many connections as slots: each has its own; one more takes the slot that is unused for longest. */
static void play_slots(unsigned slots)
{
    struct link it = link_new(slots), *link = &it;
    print_message("%u slots\n", slots);
    for (unsigned i = 0; i < slots; i++) {
        assert_int_equal(PASS(.port = 1 + i), VJ_UNCOMPRESSED);
        assert_int_equal(vj_last_slot(link->c), i);
    }
    for (unsigned i = 0; i < slots; i++)
        assert_int_equal(PASS(.port = 1 + i, .ack = 1), VJ_COMPRESSED);
    assert_int_equal(PASS(.port = 1, .ack = 2), VJ_COMPRESSED);
    assert_int_equal(PASS(.port = 1 + slots, .ack = 1), VJ_UNCOMPRESSED);
    assert_int_equal(vj_last_slot(link->c), slots > 1 ? 1 : 0);
    assert_int_equal(PASS(.port = 1, .ack = 3), slots > 1 ? VJ_COMPRESSED : VJ_UNCOMPRESSED);
    assert_int_equal(PASS(.port = 2, .ack = 3), VJ_UNCOMPRESSED);
    link_free(link);
}

TEST(slots)
{
    static const unsigned counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 255, 256};
    for (size_t i = 0; i < COUNT(counts); i++)
        play_slots(counts[i]);
    assert_int_equal(vj_compressor_octets(16), 1088);
    assert_int_equal(vj_decompressor_octets(16), 2112);
}

/* Of 256 connections some have the same tag. */
TEST(equal_ports)
{
    struct link it = link_new(256), *link = &it;
    for (unsigned ack = 1; ack < 3; ack++)
        for (unsigned host = 0; host < 256; host++)
            assert_int_equal(PASS(.host = host * 7919, .ack = ack),
                             ack == 1 ? VJ_UNCOMPRESSED : VJ_COMPRESSED);
    link_free(link);
}

/* The key of an empty slot is a connection, too. */
TEST_LINKED(connection_of_zeros)
{
    struct packet packet = packet_of_segment(&SEGMENT(.ack = 1));
    memset(packet.bytes + 12, 0, 12);
    sum(&packet);
    assert_int_equal(pass(link, &packet, NULL), VJ_UNCOMPRESSED);
}

TEST_LINKED(refresh)
{
    PASS(.port = 1);
    PASS(.port = 2);
    const unsigned slot = vj_last_slot(link->c);
    vj_refresh_slot(link->c, slot);
    vj_refresh_slot(link->c, 16);
    assert_int_equal(PASS(.port = 1, .ack = 1), VJ_COMPRESSED);
    assert_int_equal(PASS(.port = 2, .ack = 1), VJ_UNCOMPRESSED);
    assert_int_equal(vj_last_slot(link->c), slot);
    vj_refresh(link->c);
    for (unsigned ack = 2; ack < 4; ack++)
        for (unsigned port = 1; port < 3; port++)
            assert_int_equal(PASS(.port = port, .ack = ack), ack == 2 ? VJ_UNCOMPRESSED : VJ_COMPRESSED);
}

/* Of the peer, in a block that begins and ends where the packet and its room do. */
static int take(struct link *link, enum vj_type type, const char *hex, unsigned room, struct packet *out)
{
    struct packet packet = packet_of(hex);
    uint8_t *block = malloc(room + packet.octets + 1);
    assert_non_null(block);
    uint8_t *at = block + 1 + room;
    memcpy(at, packet.bytes, packet.octets);
    int result = vj_decompress(link->d, type, at, packet.octets, room);
    if (out && result >= 0) {
        out->octets = packet.octets + (unsigned)result;
        memcpy(out->bytes, at - result, out->octets);
    }
    free(block);
    return result;
}

#define REMEMBERED "4500002c10014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364"

/* What a peer may send once slot 0 of 2 has the header of REMEMBERED. */
static const struct wrong {
    const char *what;
    enum vj_type type;
    const char *hex;
    unsigned room;
    int result;
} wrongs[] = {
    {"nothing", VJ_COMPRESSED, "", 40, VJ_MALFORMED},
    {"no slot", VJ_COMPRESSED, "40", 40, VJ_MALFORMED},
    {"no checksum", VJ_COMPRESSED, "4000", 40, VJ_MALFORMED},
    {"half a checksum", VJ_COMPRESSED, "400012", 40, VJ_MALFORMED},
    {"no ID", VJ_COMPRESSED, "60001234", 40, VJ_MALFORMED},
    {"half an ID", VJ_COMPRESSED, "600012340001", 40, VJ_MALFORMED},
    {"two numbers of four", VJ_COMPRESSED,
     "47001234"
     "0102",
     40, VJ_MALFORMED},
    {"slot 2", VJ_COMPRESSED, "40021234", 40, VJ_NO_SLOT},
    {"slot 1", VJ_COMPRESSED, "40011234", 40, VJ_EMPTY_SLOT},
    {"room of 35", VJ_COMPRESSED, "40001234", 35, VJ_NO_ROOM},
    {"no room", VJ_COMPRESSED, "40001234", 0, VJ_NO_ROOM},
    {"enough room", VJ_COMPRESSED, "40001234", 36, 36},
    {"without a slot", VJ_COMPRESSED, "001234", 37, 37},
    {"bit of the type", VJ_COMPRESSED, "c0001234", 36, 36},
    {"VJ_IP", VJ_IP, REMEMBERED, 40, VJ_MALFORMED},
    {"19 octets", VJ_UNCOMPRESSED, "45000028100140003900000000000000000000", 40, VJ_MALFORMED},
    {"below its length", VJ_UNCOMPRESSED,
     "4500002c10014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f0000616263", 40,
     VJ_MALFORMED},
    {"octets behind its length", VJ_UNCOMPRESSED, REMEMBERED "00", 0, 0},
    {"types of RFC 1144", VJ_UNCOMPRESSED,
     "75"
     "00002c10014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364",
     0, 0},
    {"version 6", VJ_UNCOMPRESSED,
     "25"
     "00002c10014000390065bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364",
     0, VJ_MALFORMED},
    {"slot 2, whole", VJ_UNCOMPRESSED,
     "4500002c10014000390265bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364", 0,
     VJ_NO_SLOT},
    {"wrong checksum", VJ_UNCOMPRESSED,
     "4500002c10014000390065bec00002010a0b000200509c401000000020000064501816d03b2f000061626364", 0,
     VJ_CHECKSUM},
    {"a fragment", VJ_UNCOMPRESSED,
     "4500002c10016000390045bdc00002010a0b000200509c401000000020000064501816d03b2f000061626364", 0,
     VJ_MALFORMED},
    {"TCP header above the packet", VJ_UNCOMPRESSED,
     "4500002c10014000390065bdc00002010a0b000200509c401000000020000064f01816d03b2f000061626364", 0,
     VJ_MALFORMED},
    {"TCP header 4 octets above the packet", VJ_UNCOMPRESSED,
     "4500002c10014000390065bdc00002010a0b000200509c40100000002000006470"
     "1816d03b2f000061626364",
     0, VJ_MALFORMED},
    {"TCP header of 16 octets", VJ_UNCOMPRESSED,
     "4500002c10014000390065bdc00002010a0b000200509c401000000020000064401816d03b2f000061626364", 0,
     VJ_MALFORMED},
    {"IP header alone", VJ_UNCOMPRESSED, "4500001410014000390065d5c00002010a0b0002", 0, VJ_MALFORMED},
};

/* Behind each error a packet without a slot is tossed, and one with a slot is taken. */
TEST(rows_of_a_peer)
{
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const struct wrong *row = &wrongs[i];
        struct link link = link_new(2);
        print_message("%s\n", row->what);
        assert_int_equal(take(&link, VJ_COMPRESSED, "001234", 40, NULL), VJ_TOSSED);
        assert_int_equal(take(&link, VJ_UNCOMPRESSED, REMEMBERED, 0, NULL), 0);
        assert_int_equal(take(&link, row->type, row->hex, row->room, NULL), row->result);
        assert_int_equal(take(&link, VJ_COMPRESSED, "001234", 40, NULL), row->result < 0 ? VJ_TOSSED : 37);
        assert_int_equal(take(&link, VJ_COMPRESSED, "40001234", 40, NULL), 36);
        assert_int_equal(take(&link, VJ_COMPRESSED, "001234", 40, NULL), 37);
        vj_toss(link.d);
        assert_int_equal(take(&link, VJ_COMPRESSED, "001234", 40, NULL), VJ_TOSSED);
        link_free(&link);
    }
}

TEST_LINKED(too_long)
{
    uint8_t *block = calloc(1, 65535 + 40);
    assert_non_null(block);
    take(link, VJ_UNCOMPRESSED, REMEMBERED, 0, NULL);
    for (unsigned data = 65495; data < 65497; data++) {
        block[40] = 0x40;
        assert_int_equal(vj_decompress(link->d, VJ_COMPRESSED, block + 40, 4 + data, 40),
                         data > 65495 ? VJ_TOO_LONG : 36);
        memset(block, 0, 80);
    }
    free(block);
}

/* A packet without room still counts: the next one is right. */
TEST_LINKED(no_room_loses_one_packet)
{
    struct packet out;
    take(link, VJ_UNCOMPRESSED, REMEMBERED, 0, NULL);
    assert_int_equal(take(link, VJ_COMPRESSED, "4f00332b65666768", 0, NULL), VJ_NO_ROOM);
    assert_int_equal(take(link, VJ_COMPRESSED, "4c00fecd00012c04", 40, &out), 32);
    const struct packet expected = packet_of(rows[3].in);
    assert_int_equal(out.octets, expected.octets);
    assert_memory_equal(out.bytes, expected.bytes, expected.octets);
}

/* 60 octets of IP and 60 of TCP, as a peer may have them. */
TEST_LINKED(headers_of_120_octets)
{
    struct packet packet = {.octets = 121}, out;
    char hex[2 * 121 + 1];
    memset(packet.bytes, 1, packet.octets);
    packet.bytes[0] = 0x4f;
    bytes_put_u16(packet.bytes + 2, 121);
    bytes_put_u16(packet.bytes + 6, 0);
    packet.bytes[9] = IPV4_PROTO_TCP;
    packet.bytes[60 + 12] = 0xf0;
    packet.bytes[60 + 13] = TCP_ACK;
    sum(&packet);
    packet.bytes[9] = 15;
    for (unsigned i = 0; i < packet.octets; i++)
        snprintf(hex + 2 * i, 3, "%02x", packet.bytes[i]);
    assert_int_equal(take(link, VJ_UNCOMPRESSED, hex, 0, NULL), 0);
    assert_int_equal(take(link, VJ_COMPRESSED, "4f0f332b65", 116, &out), 116);
    packet.bytes[9] = IPV4_PROTO_TCP;
    packet.bytes[5]++;
    sum(&packet);
    packet.bytes[60 + 7]++;
    bytes_put_u16(packet.bytes + 60 + 16, 0x332b);
    packet.bytes[120] = 0x65;
    assert_int_equal(out.octets, packet.octets);
    assert_memory_equal(out.bytes, packet.bytes, packet.octets);
}

/* Words of the TCP header that its checksum adds up: where an acknowledgement takes as many octets from the
 * window, their sum stays. */
static uint16_t tcp_sum(const uint8_t *packet)
{
    return ipv4_checksum(packet + IPV4_OCTETS, TCP_OCTETS);
}

/* A loss that TCP's checksum does not show, until the next packet is VJ_UNCOMPRESSED. */
TEST_LINKED(loss_without_a_trace)
{
    struct packet first = packet_of_segment(&SEGMENT(.window = 8192)),
                  lost = packet_of_segment(&SEGMENT(.ack = 300, .window = 7892));
    struct packet next = packet_of_segment(&SEGMENT(.ack = 400, .window = 7892)), sent = next;
    uint8_t block[TCP_OCTETS + IPV4_OCTETS];
    enum vj_type type;
    pass(link, &first, NULL);
    vj_compress(link->c, lost.bytes, lost.octets, &type);
    assert_int_equal(type, VJ_COMPRESSED);
    unsigned taken = vj_compress(link->c, sent.bytes, sent.octets, &type);
    assert_int_equal(type, VJ_COMPRESSED);
    memcpy(block + taken, sent.bytes + taken, sizeof(block) - taken);
    assert_int_equal(vj_decompress(link->d, type, block + taken, sizeof(block) - taken, taken), taken);
    assert_int_equal(bytes_get_u32(block + IPV4_OCTETS + 8), 100);
    assert_int_equal(bytes_get_u16(block + IPV4_OCTETS + 14), 8192);
    assert_int_equal(tcp_sum(block), tcp_sum(next.bytes));
    vj_refresh_slot(link->c, vj_last_slot(link->c));
    assert_int_equal(PASS(.ack = 500, .window = 7892), VJ_UNCOMPRESSED);
}

UNIT_MAIN(NULL, NULL)
