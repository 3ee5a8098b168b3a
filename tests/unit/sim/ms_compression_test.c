/* SPDX-License-Identifier: BSD-3-Clause */
/* Two stacks with the same entities, in unacknowledged mode: what one compresses the other restores, also
 * behind losses. */
#include "sim/ms_compression.h"

#include "dataplane/base/rng.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "sim/ms_stack.h"
#include "sim/tcp_header.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { SAPI = 3, NSAPI = 5, CONNECTIONS = 20, PACKETS = 5000, LONGEST = 1400, BEHIND_CHECKSUM = 12 };

static const struct compression_settings settings = {.slots = 16};

static const struct compression_params rfc1144 = {
    .nsapis = 1u << NSAPI, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = SAPI, .first = 1, .second = 2};

struct connection {
    uint32_t seq, ack;
    uint16_t id;
};

struct world {
    struct ms_stack sender, receiver;
    struct rng rng;
    struct connection connections[CONNECTIONS];
    uint8_t sent[IP_PACKET_MAX_OCTETS];
    size_t octets;
    uint32_t loss_ppm; /* of LLC-PDUs */
    uint64_t on_air_octets, wrong, right;
};

static void begin(struct world *w)
{
    *w = (struct world){.sender = {.sapi = SAPI, .nsapi = NSAPI, .n201_u = 500}};
    w->receiver = w->sender;
    rng_init(&w->rng, 7, 1);
    ms_stack_compress(&w->sender, &settings);
    ms_stack_compress(&w->receiver, &settings);
    assert_true(ms_compression_set(w->sender.compression, &rfc1144));
    assert_true(ms_compression_set(w->receiver.compression, &rfc1144));
}

static void end(struct world *w)
{
    ms_stack_fini(&w->sender);
    ms_stack_fini(&w->receiver);
}

/* The next packet of a connection; one in five repeats the last one, as after a loss. */
static void make_packet(struct world *w)
{
    uint64_t draw = rng_u64(&w->rng);
    struct connection *c = &w->connections[draw % CONNECTIONS];
    uint16_t payload = draw >> 8 & 1 ? 0 : (uint16_t)(1 + (draw >> 9) % LONGEST);
    bool is_again = draw >> 32 & 1 && draw >> 33 & 1;
    c->id++;
    struct ip_packet packet = {.ip = {.src = UINT32_C(0x0a000001),
                                      .dst = UINT32_C(0xc0000300),
                                      .id = c->id,
                                      .proto = IPV4_PROTO_TCP},
                               .tcp = {.src_port = (uint16_t)(40000 + draw % CONNECTIONS),
                                       .dst_port = 80,
                                       .seq = is_again ? c->seq - 1 : c->seq,
                                       .ack = c->ack,
                                       .window = 5840,
                                       .flags = TCP_ACK},
                               .payload_octets = payload};
    c->seq += is_again ? 0 : payload;
    c->ack += draw >> 40 & 1 ? 1460 : 0;
    int octets = ip_packet_encode(w->sent, sizeof(w->sent), &packet);
    assert_true(octets > 0);
    w->octets = (size_t)octets;
}

static void arrive(void *arg, const uint8_t *frame, size_t octets)
{
    struct world *w = arg;
    struct ip_packet packet;
    uint8_t copy[MS_STACK_LLC_OCTETS];
    size_t n_pdu_octets;
    uint16_t number;
    w->on_air_octets += octets;
    if (w->loss_ppm && rng_chance_ppm(&w->rng, w->loss_ppm))
        return;
    memcpy(copy, frame, octets);
    copy[0] |= LLC_ADDRESS_CR;
    llc_fcs_put(copy + octets - LLC_FCS_OCTETS, llc_fcs(copy, octets - LLC_FCS_OCTETS));
    const uint8_t *n_pdu = ms_stack_receive(&w->receiver, copy, octets, &n_pdu_octets, &number, 0);
    if (!n_pdu)
        return;
    if (ip_packet_decode(&packet, n_pdu, n_pdu_octets) < 0) {
        w->wrong++;
        return;
    }
    w->right++;
    assert_int_equal(n_pdu_octets, w->octets);
    if (w->loss_ppm == 0 && w->wrong == 0)
        assert_memory_equal(n_pdu, w->sent, n_pdu_octets);
    assert_memory_equal(n_pdu + BEHIND_CHECKSUM, w->sent + BEHIND_CHECKSUM, n_pdu_octets - BEHIND_CHECKSUM);
}

static void play(struct world *w, unsigned packets)
{
    for (unsigned i = 0; i < packets; i++) {
        make_packet(w);
        assert_true(ms_stack_send(&w->sender, w->sent, w->octets, arrive, w, 0));
    }
}

TEST_IN(all_is_restored, struct world, w, begin(w), end(w))
{
    struct ms_compression_counts up = {0}, down = {0};
    play(w, PACKETS);
    assert_int_equal(w->right, PACKETS);
    assert_int_equal(w->receiver.npdus, PACKETS);
    ms_compression_count(w->sender.compression, &up);
    ms_compression_count(w->receiver.compression, &down);
    const struct compression_counts *sent = &up.kinds[COMPRESSION_RFC1144].sent;
    const struct compression_counts *received = &down.kinds[COMPRESSION_RFC1144].received;
    assert_int_equal(sent->n_pdus, PACKETS);
    assert_true(sent->octets_before - sent->octets_after > (uint64_t)PACKETS * 15);
    assert_int_equal(received->octets_before, sent->octets_before);
    assert_int_equal(received->octets_after, sent->octets_after);
    assert_int_equal(received->lost + w->receiver.lost + down.without_entity, 0);
}

/* After a loss TCP's checksum tells what is wrong, but for IP's ID, until a packet is sent again. */
TEST_IN(losses_are_repaired, struct world, w, begin(w), end(w))
{
    w->loss_ppm = 50000;
    play(w, PACKETS);
    w->loss_ppm = 0;
    assert_true(w->wrong > 0 && w->right > PACKETS / 2);
    play(w, PACKETS);
    uint64_t wrong = w->wrong, right = w->right;
    play(w, PACKETS);
    assert_int_equal(w->wrong, wrong);
    assert_int_equal(w->right, right + PACKETS);
}

TEST_IN(without_an_entity_it_is_lost, struct world, w, begin(w), end(w))
{
    struct ms_compression_counts down = {0};
    struct compression_params none = rfc1144;
    none.nsapis = 0;
    assert_true(ms_compression_set(w->receiver.compression, &none));
    play(w, 10);
    ms_compression_count(w->receiver.compression, &down);
    assert_int_equal(w->receiver.lost, 10);
    assert_int_equal(down.without_entity, 10);
    assert_int_equal(w->receiver.bad_frames, 0);
    assert_true(ms_compression_set(w->sender.compression, &none));
    play(w, 10);
    assert_int_equal(w->right, 10);
}

TEST_IN(more_than_the_settings_is_refused, struct world, w, begin(w), end(w))
{
    struct compression_params params = rfc1144;
    params.slots = 17;
    assert_false(ms_compression_set(w->sender.compression, &params));
    params.kind = COMPRESSION_V42BIS;
    params.codewords = 2048;
    assert_false(ms_compression_set(w->sender.compression, &params));
}

UNIT_MAIN(NULL, NULL)
