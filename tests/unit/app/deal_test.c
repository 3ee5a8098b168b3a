/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/virtual/gb_far_side.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "tests/unit/unit.h"

#define OCTETS  (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define WORKERS 4

struct flow {
    uint32_t src;
    uint16_t port, id;
    bool is_fragment;
};

static unsigned dealt(struct deal *deal, const struct flow *flow)
{
    uint8_t frame[OCTETS];
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {.src = flow->src,
                      .dst = 1,
                      .id = flow->id,
                      .ttl = 64,
                      .proto = IPV4_PROTO_UDP,
                      .payload_octets = UDP_OCTETS};
    struct udp udp = {.src_port = flow->port, .dst_port = 2152};
    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + ETHER_OCTETS, IPV4_OCTETS, &ip);
    udp_encode(frame + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS, &udp);
    if (flow->is_fragment)
        frame[ETHER_OCTETS + 6] |= 0x20; /* more fragments */
    unsigned worker = gb_far_side_deal(deal, frame, OCTETS);
    assert_true(worker < deal->workers);
    return worker;
}

/* One flow comes in at one worker, many at all. */
TEST(by_flow)
{
    struct deal deal = {.workers = WORKERS};
    unsigned seen = 0;
    for (uint16_t port = 0; port < 64; port++) {
        const struct flow flow = {.src = 9, .port = port};
        unsigned worker = dealt(&deal, &flow);
        assert_int_equal(dealt(&deal, &flow), worker);
        seen |= 1u << worker;
    }
    assert_int_equal(seen, (1u << WORKERS) - 1);
}

TEST(in_turn)
{
    struct deal deal = {.workers = WORKERS, .is_in_turn = true};
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(dealt(&deal, &(struct flow){.src = 9, .port = 5}), i % WORKERS);
}

/* Pieces of one datagram stay together, however frames are dealt. */
TEST(pieces)
{
    for (unsigned is_in_turn = 0; is_in_turn < 2; is_in_turn++) {
        struct deal deal = {.workers = WORKERS, .is_in_turn = is_in_turn};
        unsigned seen = 0;
        for (uint16_t id = 0; id < 64; id++) {
            unsigned worker =
                dealt(&deal, &(struct flow){.src = 9, .id = id, .port = 1, .is_fragment = true});
            for (uint16_t port = 2; port < 5; port++)
                assert_int_equal(
                    dealt(&deal, &(struct flow){.src = 9, .id = id, .port = port, .is_fragment = true}),
                    worker);
            seen |= 1u << worker;
        }
        assert_int_equal(seen == (1u << WORKERS) - 1, is_in_turn);
    }
}

/* One worker, and what is no IP. */
TEST(the_first)
{
    struct deal alone = {.workers = 1, .is_in_turn = true}, all = {.workers = WORKERS};
    const uint8_t arp[60] = {[12] = 0x08, [13] = 0x06};
    for (uint16_t port = 0; port < 9; port++)
        assert_int_equal(dealt(&alone, &(struct flow){.src = 9, .port = port}), 0);
    assert_int_equal(gb_far_side_deal(&all, arp, sizeof(arp)), 0);
    assert_int_equal(gb_far_side_deal(&all, arp, 3), 0);
}

UNIT_MAIN(NULL, NULL)
