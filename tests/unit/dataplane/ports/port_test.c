/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports: VLAN tags, frames of several buffers, links that are down, checksums left to the device; and what a
 * port gets by what its driver can. */
#include "dataplane/ports/port.h"
#include "control/base/eal.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/device.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <string.h>

#define BUFFERS 255
#define VLAN    100
#define OCTETS  60
#define SEGMENT 26 /* octets of UDP */

struct rig {
    struct rte_mempool *pool;
    struct vport vport;
    struct port port;
};

static void open_rig(struct rig *rig, const struct port_settings *settings)
{
    static unsigned opened;
    char name[32], pool[32];
    snprintf(name, sizeof(name), "net_ring_p%u", opened);
    snprintf(pool, sizeof(pool), "port%u", opened++);
    *rig = (struct rig){.pool = pool_new(pool, BUFFERS)};
    assert_non_null(rig->pool);
    assert_int_equal(vport_new(&rig->vport, name, rig->pool), 0);
    assert_int_equal(port_open(&rig->port, rig->vport.id, rig->pool), 0);
    rig->port.vlan = settings->vlan;
    rig->port.is_scattered = settings->is_scattered;
}

static void close_rig(struct rig *rig)
{
    port_close(&rig->port);
    vport_free(&rig->vport);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
}

static void make_frame(uint8_t *frame, bool has_tag, uint16_t tci)
{
    struct ether ether = {.dst = {2, 0, 0, 0, 0, 1},
                          .src = {2, 0, 0, 0, 0, 2},
                          .type = 0x88b5,
                          .has_vlan = has_tag,
                          .vlan_tci = tci};
    int octets = ether_encode(frame, OCTETS, &ether);
    assert_true(octets > 0);
    for (unsigned i = (unsigned)octets; i < OCTETS; i++)
        frame[i] = (uint8_t)i;
}

/* A frame of the pool with this much room in front of it. */
static struct rte_mbuf *mbuf_of(const struct rig *rig, const uint8_t *frame, uint16_t headroom)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(rig->pool);
    assert_non_null(mbuf);
    mbuf->data_off = headroom;
    memcpy(rte_pktmbuf_append(mbuf, OCTETS), frame, OCTETS);
    return mbuf;
}

/* Rows in sequence, of frames that stay: where each has its buffer; the two pools have the buffers of one. */
TEST(short_frames_have_short_buffers)
{
    enum { SHORT, LONG, NONE };
    static const struct {
        uint16_t octets;
        int where;
    } rows[] = {{60, SHORT},
                {VPORT_SHORT_OCTETS, SHORT},
                {VPORT_SHORT_OCTETS + 1, LONG},
                {1000, LONG},
                {300, LONG},
                {60, NONE},
                {1000, NONE}};
    const unsigned most = 5;
    uint8_t bytes[1000] = {0};
    struct rte_mbuf *frames[PORT_BURST];
    struct rig rig = {.pool = pool_lazy_new("long", most, sizeof(bytes))};
    struct rte_mempool *own = pool_lazy_new("short", most, VPORT_SHORT_OCTETS);
    assert_true(rig.pool && own);
    assert_int_equal(vport_new(&rig.vport, "net_ring_short", rig.pool), 0);
    assert_int_equal(port_open(&rig.port, rig.vport.id, rig.pool), 0);
    rig.vport.short_pool = own;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(vport_push(&rig.vport, bytes, rows[i].octets), rows[i].where == NONE ? -ENOBUFS : 0);
    assert_int_equal(port_receive(&rig.port, frames), most);
    for (unsigned i = 0; i < most; i++) {
        assert_int_equal(rte_pktmbuf_data_len(frames[i]), rows[i].octets);
        assert_ptr_equal(frames[i]->pool, rows[i].where == SHORT ? own : rig.pool);
    }
    rte_pktmbuf_free_bulk(frames, most);
    assert_int_equal(rte_mempool_avail_count(own), most);
    port_close(&rig.port);
    vport_free(&rig.vport);
    rte_mempool_free(own);
    rte_mempool_free(rig.pool);
}

TEST(sifts_tags)
{
    static const struct {
        bool has_tag, is_stripped;
        uint16_t tci;
        bool is_kept;
    } rows[] = {
        {true, false, VLAN, true},      {true, false, 0xe000 | VLAN, true}, {true, false, VLAN + 1, false},
        {true, false, 0, false},        {false, false, 0, false},           {false, true, VLAN, true},
        {false, true, VLAN + 1, false},
    };
    struct rig rig;
    open_rig(&rig, &(struct port_settings){.vlan = VLAN});
    assert_true(port_must_sift(&rig.port));
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[OCTETS];
        uint64_t too_long = 0, other_vlan = 0, other_mac = 0;
        const struct port_sifted sifted = {&too_long, &other_vlan, &other_mac};
        make_frame(bytes, rows[i].has_tag, rows[i].tci);
        struct rte_mbuf *frame = mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM);
        if (rows[i].is_stripped) {
            frame->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
            frame->vlan_tci = rows[i].tci;
        }
        assert_int_equal(port_sift(&rig.port, &frame, 1, &sifted), rows[i].is_kept);
        assert_int_equal(other_vlan, !rows[i].is_kept);
        assert_int_equal(too_long, 0);
        if (!rows[i].is_kept)
            continue;
        const uint8_t *left = rte_pktmbuf_mtod(frame, const uint8_t *);
        assert_int_equal(rte_pktmbuf_data_len(frame), OCTETS - (rows[i].has_tag ? 4 : 0));
        assert_int_equal(bytes_get_u16(left + 12), 0x88b5);
        assert_memory_equal(left, bytes, 12);
        rte_pktmbuf_free(frame);
    }
    close_rig(&rig);
}

TEST(sifts_long_frames)
{
    struct rig rig;
    uint8_t bytes[OCTETS];
    uint64_t too_long = 0, other_vlan = 0, other_mac = 0;
    const struct port_sifted sifted = {&too_long, &other_vlan, &other_mac};
    struct rte_mbuf *frames[3];
    make_frame(bytes, false, 0);
    open_rig(&rig, &(struct port_settings){.is_scattered = true});
    for (unsigned i = 0; i < 3; i++)
        frames[i] = mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM);
    struct rte_mbuf *last = frames[2];
    rte_pktmbuf_append(frames[1],
                       rte_pktmbuf_tailroom(frames[1])); /* a full buffer: nothing can be joined to it */
    assert_int_equal(rte_pktmbuf_chain(frames[1], mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM)), 0);
    assert_int_equal(port_sift(&rig.port, frames, 3, &sifted), 2);
    assert_int_equal(too_long, 1);
    assert_ptr_equal(frames[1], last);
    rte_pktmbuf_free_bulk(frames, 2);
    close_rig(&rig);
}

/* A peer may send a short frame in several buffers. */
TEST(joins_buffers)
{
    struct rig rig;
    uint8_t bytes[OCTETS];
    uint64_t too_long = 0, other_vlan = 0, other_mac = 0;
    const struct port_sifted sifted = {&too_long, &other_vlan, &other_mac};
    make_frame(bytes, false, 0);
    open_rig(&rig, &(struct port_settings){.is_scattered = true});
    struct rte_mbuf *frame = mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM);
    assert_int_equal(rte_pktmbuf_chain(frame, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM)), 0);
    assert_int_equal(port_sift(&rig.port, &frame, 1, &sifted), 1);
    assert_int_equal(frame->nb_segs, 1);
    assert_int_equal(rte_pktmbuf_data_len(frame), 2 * OCTETS);
    assert_memory_equal(rte_pktmbuf_mtod_offset(frame, const uint8_t *, OCTETS), bytes, OCTETS);
    rte_pktmbuf_free(frame);
    close_rig(&rig);
}

#define OWN       "\2\0\0\0\0\1"
#define OTHERS    "\2\0\0\0\0\7"
#define EVERYBODY "\xff\xff\xff\xff\xff\xff"
#define TAGGED    "\x81\0\0\5"
#define IPV4      "\x08\0"
#define IPV6      "\x86\xdd"

/* Frames of 60 octets to a MAC address, with the types behind it and the first octet of the IP destination.
 */
static const struct {
    const char *mac, *tag, *type;
    uint8_t to;
    bool is_stray;
} addressed[] = {
    {OWN, "", IPV4, 192, false},
    {OTHERS, "", IPV4, 192, true},
    {OTHERS, "", IPV4, 224, true},
    {OTHERS, "", "\x08\x06", 0, true}, /* ARP */
    {OTHERS, "", "\x88\xcc", 0, true},
    {EVERYBODY, "", "\x08\x06", 0, false},
    {EVERYBODY, "", "\x88\xcc", 0, false},
    {EVERYBODY, "", IPV4, 192, true},
    {EVERYBODY, "", IPV4, 0, true},
    {EVERYBODY, "", IPV4, 223, true},
    {EVERYBODY, "", IPV4, 224, false},
    {EVERYBODY, "", IPV4, 255, false},
    {"\1\0\x5e\0\0\1", "", IPV4, 192, true},
    {"\1\0\x5e\0\0\1", "", IPV4, 239, false},
    {"\x33\x33\xff\0\0\1", "", IPV6, 0xff, false},
    {"\x33\x33\xff\0\0\1", "", IPV6, 0x20, true},
    {EVERYBODY, "", IPV6, 0xfe, true},
    {OWN, TAGGED, IPV4, 192, false},
    {OTHERS, TAGGED, IPV4, 192, true},
    {EVERYBODY, TAGGED, IPV4, 192, true},
    {EVERYBODY, TAGGED, IPV4, 255, false},
    {EVERYBODY, TAGGED, IPV6, 0x20, true},
    {EVERYBODY, TAGGED, IPV6, 0xff, false},
    {EVERYBODY, "\x81\1\0\5", IPV4, 192, false}, /* no VLAN tag, but types of their own */
    {EVERYBODY, "\x82\0\0\5", IPV4, 192, false},
    {EVERYBODY, "", "\x86\0", 0x20, false},
};

static struct rte_mbuf *frame_to(const struct rig *rig, size_t row)
{
    uint8_t bytes[OCTETS] = {0}, *at = bytes + 12;
    size_t tag_octets = addressed[row].tag[0] ? 4 : 0;
    memcpy(bytes, addressed[row].mac, 6);
    memcpy(at, addressed[row].tag, tag_octets);
    memcpy(at + tag_octets, addressed[row].type, 2);
    at[tag_octets + 2 + (addressed[row].type[0] == 8 ? 16 : 24)] = addressed[row].to;
    return mbuf_of(rig, bytes, RTE_PKTMBUF_HEADROOM);
}

/* The octets by which a stray frame is known: its type, or the end of its IP destination. */
static uint16_t judged_octets(size_t row)
{
    uint16_t octets = addressed[row].tag[0] ? 18 : 14;
    if (!(addressed[row].mac[0] & 1))
        return 14;
    return (uint16_t)(octets + (addressed[row].type[0] == 8 ? 20 : 40));
}

static unsigned keeps_all(void *arg, struct rte_mbuf **unused_frames, unsigned count)
{
    *(unsigned *)arg += count;
    return count;
}

/* RFC 1122 clause 3.3.6. Frames for a guard are judged before it has them; a port without a MAC address takes
 * all. A frame that ends within its type or its IP destination is no stray. */
TEST(knows_strays)
{
    struct rig rig;
    unsigned guarded = 0;
    uint64_t too_long = 0, other_vlan = 0, other_mac = 0;
    const struct port_sifted sifted = {&too_long, &other_vlan, &other_mac};
    const struct port_guard guard = {.arg = &guarded, .receive = keeps_all};
    open_rig(&rig, &(struct port_settings){0});
    port_set_mac(&rig.port, (const uint8_t *)OWN);
    const struct port any = {.id = rig.port.id};
    for (size_t i = 0; i < COUNT(addressed); i++) {
        struct rte_mbuf *frame = frame_to(&rig, i);
        if (port_is_stray(&rig.port, frame) != addressed[i].is_stray || port_is_stray(&any, frame))
            fail_msg("row %zu", i);
        rig.port.guard = &guard;
        bool is_kept = port_sift(&rig.port, &frame, 1, &sifted) == 1;
        rig.port.guard = NULL;
        assert_int_equal(is_kept, !addressed[i].is_stray);
        if (is_kept) {
            rte_pktmbuf_free(frame);
            continue;
        }
        frame = frame_to(&rig, i);
        rte_pktmbuf_trim(frame, OCTETS - judged_octets(i));
        assert_true(port_is_stray(&rig.port, frame));
        rte_pktmbuf_trim(frame, 1);
        assert_false(port_is_stray(&rig.port, frame));
        rte_pktmbuf_free(frame);
    }
    assert_int_equal(guarded + other_mac, COUNT(addressed));
    close_rig(&rig);
}

TEST(puts_tags)
{
    struct rig rig;
    const uint16_t rooms[] = {RTE_PKTMBUF_HEADROOM, 4, 3, 0};
    open_rig(&rig, &(struct port_settings){.vlan = VLAN});
    for (size_t i = 0; i < COUNT(rooms); i++) {
        uint8_t bytes[OCTETS];
        struct ether ether;
        make_frame(bytes, false, 0);
        port_send(&rig.port, mbuf_of(&rig, bytes, rooms[i]));
        assert_int_equal(port_flush(&rig.port), 1);
        struct rte_mbuf *sent = vport_pull(&rig.vport);
        assert_non_null(sent);
        const uint8_t *out = rte_pktmbuf_mtod(sent, const uint8_t *);
        assert_int_equal(rte_pktmbuf_data_len(sent), OCTETS + 4);
        assert_int_equal(ether_decode(&ether, out, OCTETS + 4), ETHER_TAGGED_OCTETS);
        assert_int_equal(ether.vlan_tci, VLAN);
        assert_int_equal(ether.type, 0x88b5);
        assert_memory_equal(out, bytes, 12);
        assert_memory_equal(out + ETHER_TAGGED_OCTETS, bytes + ETHER_OCTETS, OCTETS - ETHER_OCTETS);
        rte_pktmbuf_free(sent);
    }
    close_rig(&rig);
}

/* Frames that the device does not take at once get one tag, not one for each attempt. */
TEST(puts_one_tag)
{
    struct rig rig;
    uint8_t bytes[OCTETS];
    unsigned sent = 0, pulled = 0;
    make_frame(bytes, false, 0);
    open_rig(&rig, &(struct port_settings){.vlan = VLAN});
    while (rte_ring_free_count(rig.vport.to_outside) > 2)
        assert_int_equal(rte_ring_enqueue(rig.vport.to_outside, NULL), 0);
    for (; sent < 8; sent++)
        port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    assert_int_equal(port_flush(&rig.port), 2);
    assert_int_equal(port_flush(&rig.port), 0);
    while (rte_ring_count(rig.vport.to_outside) > 2)
        vport_pull(&rig.vport);
    assert_int_equal(port_flush(&rig.port), 6);
    for (struct rte_mbuf *frame; (frame = vport_pull(&rig.vport)); pulled++) {
        assert_int_equal(rte_pktmbuf_data_len(frame), OCTETS + 4);
        rte_pktmbuf_free(frame);
    }
    assert_int_equal(pulled, sent);
    close_rig(&rig);
}

TEST(loses_while_down)
{
    struct rig rig;
    uint8_t bytes[OCTETS];
    make_frame(bytes, false, 0);
    open_rig(&rig, &(struct port_settings){0});
    assert_false(port_is_down(&rig.port));
    port_set_down(&rig.port, true);
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    assert_int_equal(port_flush(&rig.port), 2);
    assert_int_equal(rig.port.lost, 2);
    assert_int_equal(port_room(&rig.port), PORT_PENDING);
    assert_null(vport_pull(&rig.vport));
    port_wake(&rig.port); /* users' frames still wait, others are sent */
    assert_true(port_is_down(&rig.port));
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    assert_int_equal(port_flush(&rig.port), 1);
    rte_pktmbuf_free(vport_pull(&rig.vport));
    port_set_down(&rig.port, false);
    assert_false(port_is_down(&rig.port));
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    assert_int_equal(port_flush(&rig.port), 1);
    assert_int_equal(rig.port.lost, 2);
    rte_pktmbuf_free(vport_pull(&rig.vport));
    close_rig(&rig);
}

/* A frame that the device never takes does not hold up the others for ever. */
TEST(frees_what_is_refused)
{
    struct rig rig;
    uint8_t bytes[OCTETS];
    make_frame(bytes, false, 0);
    open_rig(&rig, &(struct port_settings){0});
    while (rte_ring_free_count(rig.vport.to_outside) > 0)
        assert_int_equal(rte_ring_enqueue(rig.vport.to_outside, NULL), 0);
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    port_send(&rig.port, mbuf_of(&rig, bytes, RTE_PKTMBUF_HEADROOM));
    for (unsigned i = 0; i + 1 < PORT_REFUSALS; i++)
        assert_int_equal(port_flush(&rig.port), 0);
    assert_int_equal(rig.port.lost, 0);
    assert_int_equal(port_flush(&rig.port), 1);
    assert_int_equal(rig.port.lost, 1);
    assert_int_equal(rig.port.pending_count, 1);
    while (rte_ring_count(rig.vport.to_outside) > 0)
        vport_pull(&rig.vport);
    assert_int_equal(port_flush(&rig.port), 1);
    rte_pktmbuf_free(vport_pull(&rig.vport));
    close_rig(&rig);
}

/* The device adds the octets of the segment to what is left in the place of the sum. */
TEST(leaves_sums)
{
    static const uint8_t from[16] = {0x20, 1, 0xd, 0xb8, [15] = 1}, to[16] = {0x20, 1, 0xd, 0xb8, [15] = 2};
    struct rig rig;
    uint8_t bytes[ETHER_OCTETS + IPV6_OCTETS + SEGMENT] = {0};
    struct ipv6 ip = {
        .src = from, .dst = to, .next_header = IPV4_PROTO_UDP, .hop_limit = 64, .payload_octets = SEGMENT};
    open_rig(&rig, &(struct port_settings){0});
    assert_int_equal(ipv6_encode(bytes + ETHER_OCTETS, IPV6_OCTETS, &ip), IPV6_OCTETS);
    uint8_t *segment = bytes + ETHER_OCTETS + IPV6_OCTETS;
    assert_true(
        udp_encode(
            segment, UDP_OCTETS,
            &(struct udp){.src_port = 2152, .dst_port = 2152, .payload_octets = SEGMENT - UDP_OCTETS}) > 0);
    for (unsigned i = UDP_OCTETS; i < SEGMENT; i++)
        segment[i] = (uint8_t)(7 * i);
    uint16_t whole = ipv6_checksum(&ip, IPV4_PROTO_UDP, segment, SEGMENT);
    struct rte_mbuf *frame = rte_pktmbuf_alloc(rig.pool);
    memcpy(rte_pktmbuf_append(frame, sizeof(bytes)), bytes, sizeof(bytes));
    port_leave_sum(frame, ETHER_OCTETS);
    assert_int_equal(frame->l2_len, ETHER_OCTETS);
    assert_int_equal(frame->l3_len, IPV6_OCTETS);
    assert_true(frame->ol_flags & RTE_MBUF_F_TX_UDP_CKSUM && frame->ol_flags & RTE_MBUF_F_TX_IPV6);
    const uint8_t *at = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS + IPV6_OCTETS);
    uint32_t sum = 0;
    for (unsigned i = 0; i < SEGMENT; i += 2)
        sum += bytes_get_u16(at + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    assert_int_equal((uint16_t)~sum, whole);
    rte_pktmbuf_free(frame);
    close_rig(&rig);
}

TEST(reads_sums)
{
    static const struct {
        uint64_t flags;
        enum port_sum sum;
    } rows[] = {
        {RTE_MBUF_F_RX_L4_CKSUM_UNKNOWN, PORT_SUM_UNKNOWN}, {RTE_MBUF_F_RX_L4_CKSUM_GOOD, PORT_SUM_GOOD},
        {RTE_MBUF_F_RX_L4_CKSUM_BAD, PORT_SUM_BAD},         {RTE_MBUF_F_RX_L4_CKSUM_NONE, PORT_SUM_GOOD},
        {RTE_MBUF_F_RX_IP_CKSUM_GOOD, PORT_SUM_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rte_mbuf frame = {.ol_flags = rows[i].flags};
        assert_int_equal(port_udp_sum(&frame), rows[i].sum);
    }
}

#define RX_ALL                                                                                               \
    (RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_SCATTER |             \
     RTE_ETH_RX_OFFLOAD_TCP_LRO)
#define TX_ALL                                                                                               \
    (RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE)
#define RSS_UDP (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP)

static const struct {
    struct rte_eth_dev_info info;
    struct device_wishes wishes;
    bool is_possible;
    struct device_plan plan;
} plans_of[] = {
    /* nothing but a queue */
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = UINT16_MAX},
     {.queues = 1, .mtu_octets = 1500},
     true,
     {0}},
    /* too few queues in one of the directions */
    {{.max_rx_queues = 4, .max_tx_queues = 1}, {.queues = 2}, false, {0}},
    {{.max_rx_queues = 1, .max_tx_queues = 4}, {.queues = 2}, false, {0}},
    /* only what saves time, and only if it is wanted */
    {{.max_rx_queues = 1, .max_tx_queues = 1, .rx_offload_capa = RX_ALL, .tx_offload_capa = TX_ALL},
     {.queues = 1, .has_offloads = true},
     true,
     {.rx_offloads = RTE_ETH_RX_OFFLOAD_UDP_CKSUM, .tx_offloads = RTE_ETH_TX_OFFLOAD_UDP_CKSUM}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .rx_offload_capa = RX_ALL, .tx_offload_capa = TX_ALL},
     {.queues = 1, .vlan = 7},
     true,
     {0}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .rx_offload_capa = RX_ALL, .tx_offload_capa = TX_ALL},
     {.queues = 1, .vlan = 7, .has_offloads = true},
     true,
     {.rx_offloads = RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_VLAN_STRIP,
      .tx_offloads = RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_VLAN_INSERT}},
    /* RSS for several queues only */
    {{.max_rx_queues = 8,
      .max_tx_queues = 8,
      .flow_type_rss_offloads = RSS_UDP | RTE_ETH_RSS_TCP,
      .reta_size = 128},
     {.queues = 1},
     true,
     {0}},
    {{.max_rx_queues = 8,
      .max_tx_queues = 8,
      .flow_type_rss_offloads = RSS_UDP | RTE_ETH_RSS_TCP,
      .reta_size = 128},
     {.queues = 3},
     true,
     {.rss_types = RSS_UDP, .reta_entries = 128}},
    {{.max_rx_queues = 8, .max_tx_queues = 8, .reta_size = 128}, {.queues = 3}, true, {0}},
    /* MTU: in one buffer, in several, and as much as the driver can */
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = 9000},
     {.queues = 1, .mtu_octets = 2000},
     true,
     {.mtu_octets = 2000}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = 9000, .rx_offload_capa = RX_ALL},
     {.queues = 1, .mtu_octets = 9000},
     true,
     {.mtu_octets = 9000, .is_scattered = true, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = 9000},
     {.queues = 1, .mtu_octets = 9000},
     true,
     {.mtu_octets = 2030}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = 1800},
     {.queues = 1, .mtu_octets = 9600},
     true,
     {.mtu_octets = 1800}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = UINT16_MAX, .max_rx_pktlen = 1518},
     {.queues = 1, .mtu_octets = 9600},
     true,
     {0}},
    {{.max_rx_queues = 1, .max_tx_queues = 1, .max_mtu = 9000}, {.queues = 1, .mtu_octets = 600}, true, {0}},
};

TEST(plans)
{
    for (size_t i = 0; i < COUNT(plans_of); i++) {
        struct device_plan plan;
        bool is_possible = device_plan_make(&plan, &plans_of[i].info, &plans_of[i].wishes, POOL_DATA_OCTETS);
        const struct device_plan *want = &plans_of[i].plan;
        if (is_possible != plans_of[i].is_possible ||
            (is_possible &&
             (plan.rss_types != want->rss_types || plan.rx_offloads != want->rx_offloads ||
              plan.tx_offloads != want->tx_offloads || plan.mtu_octets != want->mtu_octets ||
              plan.reta_entries != want->reta_entries || plan.is_scattered != want->is_scattered)))
            fail_msg("row %zu: %d, MTU %u, rx %" PRIx64 ", tx %" PRIx64 ", RSS %" PRIx64, i, is_possible,
                     plan.mtu_octets, plan.rx_offloads, plan.tx_offloads, plan.rss_types);
    }
}

TEST(names_offloads)
{
    char text[DEVICE_OFFLOADS_CHARS];
    device_offloads_text(&(struct device_plan){0}, text);
    assert_string_equal(text, "none");
    device_offloads_text(
        &(struct device_plan){.rx_offloads = RX_ALL, .tx_offloads = TX_ALL, .is_scattered = true}, text);
    assert_string_equal(text, "udp-checksum-rx udp-checksum-tx vlan-strip vlan-insert scatter");
}

static int start(void **state)
{
    return eal_start_virtual(16 << 20) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
