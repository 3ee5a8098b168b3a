/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bench of header compression by RFC 1144, per packet, with 16 slots: acknowledgements and data of
 * connections that take turns. With 20 connections no packet finds its slot, and all are uncompressed. A
 * fresh header is copied for each packet, which counts, too.
 */
#include "bench/micro/micro.h"
#include "dataplane/base/bytes.h"
#include "dataplane/compression/vj.h"
#include "dataplane/wire/ipv4.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS         16
#define PACKETS       1024
#define HEADER_OCTETS 40
#define ROOM_OCTETS   64
#define DATA_OCTETS   1400

struct packet {
    uint8_t bytes[HEADER_OCTETS];
    unsigned octets; /* of headers, whole or compressed */
    enum vj_type type;
};

struct connections {
    struct packet whole[PACKETS], sent[PACKETS];
    struct vj_compressor *compressor;
    struct vj_decompressor *decompressor;
    unsigned data_octets, refused;
    uint8_t block[ROOM_OCTETS + DATA_OCTETS] __attribute__((aligned(64)));
};

/* Headers end where the data begin. */
static uint8_t *place(struct connections *c, const struct packet *from)
{
    uint8_t *data = c->block + ROOM_OCTETS;
    memcpy(data - HEADER_OCTETS, from->bytes, HEADER_OCTETS);
    return data - from->octets;
}

/* Each connection acknowledges 1460 octets more, or sends its next data; the window stays, and IDs count up.
 */
static struct packet segment(unsigned connection, unsigned number, unsigned data_octets)
{
    struct packet made = {{0}, HEADER_OCTETS, VJ_IP};
    uint8_t *tcp = made.bytes + IPV4_OCTETS;
    const struct ipv4 ip = {.src = 0x0a0b0002,
                            .dst = 0xc0000201,
                            .ttl = 64,
                            .proto = IPV4_PROTO_TCP,
                            .id = (uint16_t)number,
                            .dont_fragment = true,
                            .payload_octets = (uint16_t)(HEADER_OCTETS - IPV4_OCTETS + data_octets)};
    ipv4_encode(made.bytes, IPV4_OCTETS, &ip);
    bytes_put_u16(tcp, (uint16_t)(40000 + connection));
    bytes_put_u16(tcp + 2, 80);
    bytes_put_u32(tcp + (data_octets ? 4 : 8), number * (data_octets ? data_octets : 1460));
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    bytes_put_u16(tcp + 14, 8192);
    return made;
}

static unsigned compress(struct connections *c, const struct packet *in, enum vj_type *type)
{
    return vj_compress(c->compressor, place(c, in), HEADER_OCTETS + c->data_octets, type);
}

static void *vj_open(const struct micro_point *p)
{
    struct connections *c = micro_memory(sizeof(*c));
    const unsigned connections = (unsigned)p->at[0];
    c->data_octets = p->side > 0 ? DATA_OCTETS : 0;
    c->compressor = micro_memory(vj_compressor_octets(SLOTS));
    c->decompressor = micro_memory(vj_decompressor_octets(SLOTS));
    vj_compressor_start(c->compressor, SLOTS);
    vj_decompressor_start(c->decompressor, SLOTS);
    for (unsigned i = 0; i < PACKETS; i++) {
        c->whole[i] = segment(i % connections, i / connections, c->data_octets);
        c->sent[i].octets = HEADER_OCTETS - compress(c, &c->whole[i], &c->sent[i].type);
        memcpy(c->sent[i].bytes, c->block + ROOM_OCTETS - HEADER_OCTETS, HEADER_OCTETS);
    }
    return c;
}

static double compress_run(void *state)
{
    struct connections *c = state;
    for (unsigned i = 0; i < PACKETS; i++) {
        enum vj_type type;
        MICRO_KEEP(compress(c, &c->whole[i], &type));
    }
    return PACKETS;
}

static double decompress_run(void *state)
{
    struct connections *c = state;
    for (unsigned i = 0; i < PACKETS; i++) {
        const struct packet *in = &c->sent[i];
        c->refused += vj_decompress(c->decompressor, in->type, place(c, in), in->octets + c->data_octets,
                                    ROOM_OCTETS) != (int)(HEADER_OCTETS - in->octets);
    }
    return PACKETS;
}

static void vj_sum_up(void *state, struct micro_result *result)
{
    const struct connections *c = state;
    uint64_t octets = 0;
    for (unsigned i = 0; i < PACKETS; i++)
        octets += c->sent[i].octets;
    micro_figure(result, "header_octets", (double)octets / PACKETS);
    micro_fault(result, c->refused == 0, "a packet is refused");
}

static void vj_close(void *state)
{
    struct connections *c = state;
    free(c->compressor);
    free(c->decompressor);
    free(c);
}

static struct micro_axis connections = MICRO_AXIS("connections", 1, PACKETS, 1, 16, 20);
static struct micro_case cases[] = {
    MICRO_CASE(vj, "compress", "packet", MICRO_LIST("ack", "data"), MICRO_LIST(&connections),
               .run = compress_run, .sum_up = vj_sum_up),
    MICRO_CASE(vj, "decompress", "packet", MICRO_LIST("ack", "data"), MICRO_LIST(&connections),
               .run = decompress_run, .sum_up = vj_sum_up)};

MICRO_PROGRAM(
    "Header compression by RFC 1144, of acknowledgements and of data, by connections that take turns.",
    .rounds = 9, .turn_ms = 50);
