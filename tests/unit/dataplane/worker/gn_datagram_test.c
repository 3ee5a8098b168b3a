/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C: datagrams of it go to control, and out again. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/worker/gn_rx.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/punts.h"

#include <rte_mbuf.h>
#include <string.h>

#define GTPC     2123
#define OTHER_IP 0xc0000207u

static const struct kit_options with_gtpc = {.has_gtpc = true};
static const uint8_t echo[12] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 7, 0, 0};

static void from_ggsn(struct kit *kit, uint32_t to, uint16_t port, size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, (uint32_t[]){KIT_GGSN_IP, to}, (uint16_t[]){3333, port}, echo, octets));
}

static void check_punt(struct kit *kit, uint32_t ours, uint32_t theirs, size_t octets)
{
    struct msg msg;
    assert_true(kit_take_msg(kit, &msg));
    assert_int_equal(msg.type, MSG_PUNT_GN);
    assert_int_equal(msg.datagram.ours, ours);
    assert_int_equal(msg.datagram.theirs, theirs);
    assert_int_equal(msg.datagram.port, 3333);
    assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), octets);
    assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *), echo, octets);
    rte_pktmbuf_free(msg.mbuf);
}

/* Only for addresses of ours, to that port, and where control wants it. */
TEST(to_control)
{
    static const struct {
        bool has_gtpc;
        uint32_t to;
        uint16_t port;
        enum drop reason;
    } rows[] = {
        {true, KIT_SGSN_IP, GTPC, DROP_GTPC},
        {true, KIT_SGSN_IP, 2122, DROP_OTHER_PORT},
        {true, OTHER_IP, GTPC, DROP_OTHER_ADDRESS},
        {false, KIT_SGSN_IP, GTPC, DROP_OTHER_PORT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        struct msg msg;
        kit_open(&kit, rows[i].has_gtpc ? &with_gtpc : NULL);
        from_ggsn(&kit, rows[i].to, rows[i].port, sizeof(echo));
        assert_int_equal(kit.worker->stats.gn_drops[rows[i].reason], 1);
        if (rows[i].reason == DROP_GTPC)
            check_punt(&kit, KIT_SGSN_IP, KIT_GGSN_IP, sizeof(echo));
        assert_false(kit_take_msg(&kit, &msg));
        kit_close(&kit);
    }
}

/* An address is ours as soon as control says so; Ethernet's padding is not part of a short datagram. */
KIT_TEST(to_an_address_without_tunnels, &with_gtpc)
{
    struct msg add = {.type = MSG_GN_ADDRESS, .address = {.ip = OTHER_IP, .is_there = true}};
    kit_do(kit, &add);
    from_ggsn(kit, OTHER_IP, GTPC, 3);
    check_punt(kit, OTHER_IP, KIT_GGSN_IP, 3);
    from_ggsn(kit, OTHER_IP, GTPC, 0);
    check_punt(kit, OTHER_IP, KIT_GGSN_IP, 0);
}

/* An answer to such a source would reach no host, or the node itself. */
TEST(from_no_host)
{
    static const uint32_t sources[] = {0, 0x7f000001, 0xe0000001, 0xefffffff, KIT_SGSN_IP};
    for (size_t i = 0; i < COUNT(sources); i++) {
        struct kit kit;
        struct msg msg;
        uint8_t frame[KIT_FRAME_OCTETS];
        const uint32_t ip[2] = {sources[i], KIT_SGSN_IP};
        const uint16_t port[2] = {3333, GTPC};
        kit_open(&kit, &with_gtpc);
        kit_from_gn(&kit, frame, gn_frame_wrap(frame, ip, port, echo, sizeof(echo)));
        assert_int_equal(kit.worker->stats.gn_drops[DROP_IP_RESERVED_ADDRESS], 1);
        assert_false(kit_take_msg(&kit, &msg));
        kit_close(&kit);
    }
}

/* All on one host. */
KIT_TEST(from_loopback_to_loopback, &with_gtpc)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint32_t ip[2] = {0x7f000002, 0x7f000001};
    struct msg add = {.type = MSG_GN_ADDRESS, .address = {.ip = ip[1], .is_there = true}};
    kit_do(kit, &add);
    kit_from_gn(kit, frame, gn_frame_wrap(frame, ip, (uint16_t[]){3333, GTPC}, echo, sizeof(echo)));
    check_punt(kit, ip[1], ip[0], sizeof(echo));
}

KIT_TEST(over_ipv6, &with_gtpc)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    static const uint8_t stranger[16] = {0x20, 1, 0x0d, 0xb8, [15] = 99};
    const uint8_t *ip[] = {gn_ipv6_addresses[1], gn_ipv6_addresses[0]};
    gn_ipv6_order(kit, 77);
    size_t octets = gn_ipv6_wrap(frame, ip, (uint16_t[]){3333, GTPC}, echo, sizeof(echo));
    kit_from_gn(kit, frame, octets);
    check_punt(kit, GN_IPV6_SGSN, GN_IPV6_GGSN, sizeof(echo));
    ip[0] = stranger;
    octets = gn_ipv6_wrap(frame, ip, (uint16_t[]){3333, GTPC}, echo, sizeof(echo));
    kit_from_gn(kit, frame, octets);
    check_punt(kit, GN_IPV6_SGSN, ADDRESS_NONE, sizeof(echo));
}

/* Datagrams of one source, and how many of them control gets. */
static unsigned flood(struct kit *kit, uint32_t source, unsigned count)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct msg msg;
    unsigned punted = 0;
    size_t octets =
        gn_frame_wrap(frame, (uint32_t[]){source, KIT_SGSN_IP}, (uint16_t[]){3333, GTPC}, echo, sizeof(echo));
    for (unsigned i = 0; i < count; i++) {
        kit_from_gn(kit, frame, octets);
        for (; kit_take_msg(kit, &msg); punted++)
            rte_pktmbuf_free(msg.mbuf);
    }
    return punted;
}

static void is_peer(struct kit *kit, uint32_t ip)
{
    kit_do(kit, &(struct msg){.type = MSG_GN_PEER, .address = {.ip = ip}});
}

/* A source takes its own part and no more; peers of GTP-C and other sources do not take each other's. */
TEST(a_flood_is_cut)
{
    enum { PEER = KIT_GGSN_IP, OTHER_PEER = PEER + 1, STRANGER = PEER + 2, MANY = PEER + 256 };
    static const struct {
        uint32_t source;
        unsigned wait_ms, count, punted;
    } rows[] = {
        {STRANGER, 0, 2000, PUNTS_OTHER_BURST},
        {STRANGER + 1, 0, 1, 1},
        {PEER, 0, 2000, PUNTS_PEER_BURST},
        {OTHER_PEER, 0, 400, 400},
        {STRANGER, 100, 2000, PUNTS_OTHER_PER_S / 10},
        {PEER, 0, 2000, PUNTS_PEER_PER_S / 10},
        {OTHER_PEER, 0, 400, 400},
    };
    struct kit kit;
    unsigned punted = 0;
    kit_open(&kit, &with_gtpc);
    is_peer(&kit, PEER);
    is_peer(&kit, OTHER_PEER);
    is_peer(&kit, PEER);
    for (size_t i = 0; i < COUNT(rows); i++) {
        kit.now += rows[i].wait_ms * MOMENT_SECOND / 1000;
        assert_int_equal(flood(&kit, rows[i].source, rows[i].count), rows[i].punted);
    }
    kit.now += MOMENT_SECOND;
    for (unsigned i = 0; i < 2 * PUNTS_OTHERS_BURST; i++)
        punted += flood(&kit, MANY + i, 1);
    assert_int_equal(punted, PUNTS_OTHERS_BURST);
    assert_int_equal(flood(&kit, PEER, 10), 10);
    kit_close(&kit);
}

/* The answers to requests of ours, to their ports, though a flood in their source's name is cut. */
TEST(answers_pass_a_flood)
{
    enum { PEER = KIT_GGSN_IP, RIGHT = 1, GUESS = 2, TYPE = 1, SEQ = 9 };
    static const struct {
        uint8_t type, seq;
        int port; /* RIGHT, GUESS: the one after that; or this */
        unsigned count, punted;
        enum drop reason; /* of those that are not punted */
    } rows[] = {
        {GTPC_ECHO_RESPONSE, 7, RIGHT, 400, 400, DROP_PUNT_FULL},
        {GTPC_ECHO_RESPONSE, 7, GTPC, 10, 0, DROP_PUNT_FULL},
        {GTPC_ECHO_RESPONSE, 7, GUESS, 10, 0, DROP_OTHER_PORT},
        {GTPC_ECHO_REQUEST, 7, RIGHT, 10, 0, DROP_OTHER_PORT},
        {GTPC_CREATE_RESPONSE, 8, RIGHT, 50, 50, DROP_PUNT_FULL},
        {GTPC_DELETE_REQUEST, 8, GTPC, 10, 0, DROP_PUNT_FULL},
        {GTPC_DELETE_RESPONSE, 9, RIGHT, 100, 50, DROP_PUNT_FULL}, /* a limit of their own */
    };
    struct kit kit;
    struct msg msg;
    uint8_t frame[KIT_FRAME_OCTETS], octets[sizeof(echo)];
    kit_open(&kit, &with_gtpc);
    is_peer(&kit, PEER);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(flood(&kit, PEER, 2000) == (i == 0 ? PUNTS_PEER_BURST : 0));
        uint64_t before = kit.worker->stats.gn_drops[rows[i].reason];
        uint16_t right = gtpc_port_of(&kit.worker->gtpc.key, PEER, rows[i].seq), port[2] = {GTPC, 0};
        port[1] = rows[i].port == RIGHT ? right : rows[i].port == GUESS ? right ^ 1 : (uint16_t)rows[i].port;
        memcpy(octets, echo, sizeof(echo));
        octets[TYPE] = rows[i].type;
        octets[SEQ] = rows[i].seq;
        size_t length = gn_frame_wrap(frame, (uint32_t[]){PEER, KIT_SGSN_IP}, port, octets, sizeof(octets));
        unsigned punted = 0;
        for (unsigned k = 0; k < rows[i].count; k++) {
            kit_from_gn(&kit, frame, length);
            for (; kit_take_msg(&kit, &msg); punted++) {
                assert_true(msg.datagram.is_right_port);
                rte_pktmbuf_free(msg.mbuf);
            }
        }
        assert_int_equal(punted, rows[i].punted);
        assert_int_equal(kit.worker->stats.gn_drops[rows[i].reason] - before, rows[i].count - punted);
    }
    kit_close(&kit);
}

/* Peers beyond the limit count as other sources. */
KIT_TEST(too_many_peers, &with_gtpc)
{
    for (uint32_t i = 0; i < PUNTS_PEERS; i++)
        is_peer(kit, KIT_GGSN_IP + i);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_GN_PEER, .address = {.ip = 1}}), -1);
    is_peer(kit, KIT_GGSN_IP);
}

static struct msg datagram(struct kit *kit, uint32_t ours, uint32_t theirs)
{
    struct msg msg = {.type = MSG_GN_SEND,
                      .datagram = {.ours = ours, .theirs = theirs, .port = 4444},
                      .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(echo)), echo, sizeof(echo));
    return msg;
}

KIT_TEST(from_control, &with_gtpc)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    struct msg msg = datagram(kit, KIT_SGSN_IP, KIT_GGSN_IP);
    kit_do(kit, &msg);
    uint16_t port = gtpc_port_of(&kit->worker->gtpc.key, KIT_GGSN_IP, 7);
    assert_true(port >= GTPC_PORT_FIRST);
    size_t octets = gn_frame_wrap(want, (uint32_t[]){KIT_SGSN_IP, KIT_GGSN_IP}, (uint16_t[]){port, 4444},
                                  echo, sizeof(echo));
    assert_int_equal(kit_take_gn(kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    gn_ipv6_order(kit, 77);
    msg = datagram(kit, GN_IPV6_SGSN, GN_IPV6_GGSN);
    kit_do(kit, &msg);
    const uint8_t *const ip[] = {gn_ipv6_addresses[0], gn_ipv6_addresses[1]};
    uint16_t other_port = gtpc_port_of(&kit->worker->gtpc.key, GN_IPV6_GGSN, 7);
    assert_int_not_equal(other_port, port);
    octets = gn_ipv6_wrap(want, ip, (uint16_t[]){other_port, 4444}, echo, sizeof(echo));
    assert_int_equal(kit_take_gn(kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    msg = datagram(kit, KIT_SGSN_IP, KIT_GGSN_IP);
    rte_pktmbuf_mtod(msg.mbuf, uint8_t *)[1] = GTPC_ECHO_RESPONSE;
    kit_do(kit, &msg);
    assert_true(kit_take_gn(kit, got) > 0 && bytes_get_u16(got + 34) == GTPC);
    msg = datagram(kit, GN_IPV6_SGSN, ADDRESS_IPV6 + 9);
    assert_int_equal(kit_order(kit, &msg), -1);
}

/* The next hop of the GGSN is not known yet: it waits. */
TEST(without_a_next_hop)
{
    static const struct kit_options live = {.has_gtpc = true, .has_neighbours = true};
    struct kit kit;
    kit_open(&kit, &live);
    struct msg msg = datagram(&kit, KIT_SGSN_IP, KIT_GGSN_IP);
    assert_true(msg_put(kit.worker->rings.to_worker, &msg));
    kit_settle(&kit);
    assert_true(kit_take_msg(&kit, &msg));
    assert_true(msg.type == MSG_HOP_WANTED && msg.hop.ip == KIT_GGSN_IP);
    assert_true(kit_take_msg(&kit, &msg));
    assert_true(msg.type == MSG_ANSWER && msg.answer.status == 0);
    assert_int_equal(kit_drain(&kit.gn), 0);
    kit_close(&kit);
}

/* What comes from now on is of another class. */
KIT_TEST(another_class, NULL)
{
    kit_do(kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = 0, .qclass = QCLASS_THP1});
    assert_int_equal(kit->worker->context.pdps[0].params.qclass, QCLASS_THP1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = 0, .qclass = QCLASS_COUNT}),
                     -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = 0, .qclass = UINT8_MAX}),
                     -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = 5, .qclass = 0}), -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = KIT_PDPS, .qclass = 0}),
                     -1);
}

/* --- Frames that gn_plain_decode() takes, and the same of the decoders of each header --- */

#define FRAME_OCTETS 128
#define CASES        200000
#define PAYLOAD      28

/* As gn_rx.c decodes it header by header: false for what is no plain frame. */
static bool decode(struct gn_plain *out, const uint8_t *frame, unsigned octets)
{
    struct ether ether;
    struct ipv4 ip;
    struct udp udp;
    struct gtpu gtpu;
    int at = ether_decode(&ether, frame, octets);

    if (at != ETHER_OCTETS || ether.type != ETHER_TYPE_IPV4 ||
        ipv4_decode(&ip, frame + at, octets - (unsigned)at) != IPV4_OCTETS ||
        !ipv4_is_checksum_good(frame + at, IPV4_OCTETS) || ip.proto != IPV4_PROTO_UDP ||
        ipv4_is_fragment(&ip) || udp_decode(&udp, frame + GN_PLAIN_UDP, ip.payload_octets) < 0 ||
        udp.dst_port != GTPU_PORT || gtpu_decode(&gtpu, frame + GN_PLAIN_GTPU, udp.payload_octets) < 0 ||
        gtpu.type != GTPU_G_PDU || gtpu.flags & (GTPU_E | GTPU_PN))
        return false;
    *out = (struct gn_plain){.src_ip = ip.src,
                             .dst_ip = ip.dst,
                             .teid = gtpu.teid,
                             .src_port = udp.src_port,
                             .udp_payload_octets = udp.payload_octets,
                             .offset = (uint16_t)(GN_PLAIN_GTPU + gtpu.payload_offset),
                             .octets = gtpu.payload_octets};
    return true;
}

static unsigned make(uint8_t *frame, uint8_t flags)
{
    const struct ether ether = {.type = ETHER_TYPE_IPV4};
    const struct gtpu gtpu = {.type = GTPU_G_PDU, .flags = flags, .teid = 0x12345678, .seq = 7};
    unsigned options = flags & GTPU_S ? GTPU_LONG_OCTETS - GTPU_OCTETS : 0;
    unsigned gtp_octets = GTPU_OCTETS + options + PAYLOAD;
    const struct udp udp = {.src_port = 3333, .dst_port = GTPU_PORT, .payload_octets = (uint16_t)gtp_octets};
    const struct ipv4 ip = {.src = 0xc0000201,
                            .dst = 0xc0000202,
                            .proto = IPV4_PROTO_UDP,
                            .ttl = 64,
                            .dont_fragment = true,
                            .header_octets = IPV4_OCTETS,
                            .payload_octets = (uint16_t)(UDP_OCTETS + gtp_octets)};

    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + GN_PLAIN_IP, IPV4_OCTETS, &ip);
    udp_encode(frame + GN_PLAIN_UDP, UDP_OCTETS, &udp);
    assert_true(gtpu_encode(frame + GN_PLAIN_GTPU, GTPU_LONG_OCTETS, &gtpu) > 0);
    bytes_put_u16(frame + GN_PLAIN_GTPU + 2, (uint16_t)(gtp_octets - GTPU_OCTETS));
    return GN_PLAIN_GTPU + gtp_octets;
}

static bool assert_same(const uint8_t *frame, unsigned octets)
{
    struct gn_plain plain, expect;
    bool is_plain = gn_plain_decode(&plain, frame, octets);
    assert_int_equal(is_plain, decode(&expect, frame, octets));
    if (!is_plain)
        return false;
    assert_int_equal(plain.src_ip, expect.src_ip);
    assert_int_equal(plain.dst_ip, expect.dst_ip);
    assert_int_equal(plain.teid, expect.teid);
    assert_int_equal(plain.src_port, expect.src_port);
    assert_int_equal(plain.udp_payload_octets, expect.udp_payload_octets);
    assert_int_equal(plain.offset, expect.offset);
    assert_int_equal(plain.octets, expect.octets);
    return true;
}

TEST(takes_plain_frames_of_any_length)
{
    const uint8_t flags[] = {GTPU_VERSION_1, GTPU_VERSION_1 | GTPU_S};
    uint8_t frame[FRAME_OCTETS] = {0};
    for (unsigned i = 0; i < sizeof(flags); i++) {
        unsigned octets = make(frame, flags[i]);
        for (unsigned length = 0; length <= octets + 10; length++)
            assert_int_equal(assert_same(frame, length), length >= octets);
    }
}

/* Restores IPv4's checksum, or no changed header would be plain. */
static void mend(uint8_t *frame)
{
    memset(frame + GN_PLAIN_IP + 10, 0, 2);
    bytes_put_u16(frame + GN_PLAIN_IP + 10, ipv4_checksum(frame + GN_PLAIN_IP, IPV4_OCTETS));
}

TEST(agrees_on_changed_frames)
{
    uint64_t seed = 23;
    unsigned plain = 0;
    for (unsigned i = 0; i < CASES; i++) {
        uint8_t frame[FRAME_OCTETS] = {0};
        unsigned octets = make(frame, prng_below(&seed, 2) ? GTPU_VERSION_1 : GTPU_VERSION_1 | GTPU_S);
        unsigned changes = (unsigned)prng_below(&seed, 3);
        for (unsigned k = 0; k <= changes; k++)
            frame[prng_below(&seed, GN_PLAIN_OCTETS)] ^= (uint8_t)(1U << prng_below(&seed, 8));
        if (prng_below(&seed, 8))
            mend(frame);
        plain += assert_same(frame, octets);
    }
    assert_in_range(plain, CASES / 20, CASES - CASES / 20); /* else it asked one side only */
}

UNIT_MAIN(kit_start, NULL)
