/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker does for the links of a live node: frames to control and from it. */
#include "dataplane/wire/ether.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

static const struct kit_options live = {.has_neighbours = true, .no_uplink_filter = true};
static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 0xaa};

static struct msg nsvc_mac(uint32_t nsvc, const uint8_t *mac)
{
    struct msg msg = {.type = MSG_NSVC_MAC, .slot = nsvc};
    memcpy(msg.mac, mac, sizeof msg.mac);
    return msg;
}

/* A frame of 60 octets: its type, the octet of the protocol, and the source's last octet. */
static void put_frame(uint8_t *frame, uint16_t type, uint8_t proto, uint8_t source)
{
    memset(frame, 0, 60);
    static const uint8_t macs[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
    static const uint8_t ip[] = {0x45, 0, 0, 0x1c, 0, 0, 0, 0, 0x40};
    static const uint8_t net[] = {0xc0, 0, 2, 1};
    memcpy(frame, macs, sizeof macs);
    frame[12] = (uint8_t)(type >> 8);
    frame[13] = (uint8_t)type;
    if (type == 0x0800) {
        memcpy(frame + 14, ip, sizeof ip);
        frame[23] = proto;
        memcpy(frame + 26, net, 3);
        frame[29] = source;
        memcpy(frame + 30, net, 4);
        gn_frame_sum_ip(frame + 14);
    } else if (type == 0x86dd) {
        frame[14] = 0x60;
        frame[20] = proto;
        frame[37] = source;
    } else {
        frame[31] = source;
    }
}

/* What becomes of a frame on either port. */
static const struct {
    uint16_t type;
    uint8_t proto;
    bool is_live;
    enum drop reason;
    enum drop on_gn; /* if that is another; DROP_NONE: the same */
} rows[] = {
    {0x0806, 0, true, DROP_ARP_ICMP},
    {0x0806, 0, false, DROP_NOT_IP},
    {0x0800, 1, true, DROP_ARP_ICMP},
    {0x0800, 1, false, DROP_NOT_UDP},
    {0x0800, 6, true, DROP_NOT_UDP},
    {0x86dd, 58, true, DROP_ARP_ICMP},
    {0x86dd, 58, false, DROP_NOT_UDP, DROP_OTHER_ADDRESS},
    {0x86dd, 6, true, DROP_NOT_UDP, DROP_OTHER_ADDRESS},
    {0x86dd, 17, true, DROP_UNKNOWN_NSVC, DROP_OTHER_ADDRESS},
    {0x88cc, 0, true, DROP_NOT_IP},
};

static void check_row(size_t i, enum msg_port port)
{
    struct kit kit;
    uint8_t frame[60];
    struct msg msg;
    kit_open(&kit, rows[i].is_live ? &live : NULL);
    put_frame(frame, rows[i].type, rows[i].proto, 2);
    if (port == MSG_PORT_GN)
        kit_from_gn(&kit, frame, sizeof frame);
    else
        kit_from_gb(&kit, frame, sizeof frame);
    const struct worker_stats *s = &kit.worker->stats;
    enum drop on_gn = rows[i].on_gn != DROP_NONE ? rows[i].on_gn : rows[i].reason;
    assert_int_equal(port == MSG_PORT_GN ? s->gn_drops[on_gn] : s->gb_drops[rows[i].reason], 1);
    bool is_punted = kit_take_msg(&kit, &msg);
    assert_int_equal(is_punted, rows[i].reason == DROP_ARP_ICMP);
    if (is_punted) {
        assert_int_equal(msg.type, MSG_PUNT_FRAME);
        assert_int_equal(msg.port, port);
        assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), sizeof frame);
        assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *), frame, sizeof frame);
        rte_pktmbuf_free(msg.mbuf);
    }
    kit_close(&kit);
}

TEST(frames_of_the_link_go_to_control)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_row(i, MSG_PORT_GN);
        check_row(i, MSG_PORT_GB);
    }
}

/* A downlink and an uplink N-PDU, and ARP, by the MAC address that they are to. */
KIT_TEST(frames_to_others_are_ignored, &live)
{
    static const struct {
        uint8_t mac[6];
        bool is_taken, is_arp_taken;
    } macs[] = {
        {{2, 0, 0, 0, 1, 2}, true, true},
        {{2, 0, 0, 0, 1, 3}, false, false},
        {{3, 0, 0, 0, 1, 2}, false, true},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, false, true},
    };
    const struct worker_stats *s = &kit->worker->stats;
    port_set_mac(&kit->worker->gn, macs[0].mac);
    port_set_mac(&kit->worker->gb, macs[0].mac);
    for (uint16_t i = 0; i < COUNT(macs); i++) {
        uint8_t frame[KIT_FRAME_OCTETS];
        struct msg msg;
        struct worker_stats was = *s;
        bool is_lost = !macs[i].is_taken, is_arp_lost = !macs[i].is_arp_taken;
        struct gn_frame down = {.teid = KIT_TEID, .inner_octets = 100};
        size_t octets = gn_frame_build(frame, &down);
        memcpy(frame, macs[i].mac, 6);
        kit_from_gn(kit, frame, octets);
        struct gb_frame_uplink up = {.nu = i, .number = i, .octets = 100};
        octets = gb_frame_uplink(frame, &up);
        memcpy(frame, macs[i].mac, 6);
        kit_from_gb(kit, frame, octets);
        assert_int_equal(s->npdu_in - was.npdu_in, macs[i].is_taken);
        assert_int_equal(s->ul_llc_frames - was.ul_llc_frames, macs[i].is_taken);
        assert_int_equal(s->gn_drops[DROP_OTHER_MAC] - was.gn_drops[DROP_OTHER_MAC], is_lost);
        assert_int_equal(s->gb_drops[DROP_OTHER_MAC] - was.gb_drops[DROP_OTHER_MAC], is_lost);
        put_frame(frame, 0x0806, 0, (uint8_t)(i + 3));
        memcpy(frame, macs[i].mac, 6);
        kit_from_gn(kit, frame, 60);
        assert_int_equal(s->gn_drops[DROP_OTHER_MAC] - was.gn_drops[DROP_OTHER_MAC], is_lost + is_arp_lost);
        assert_int_equal(s->gn_drops[DROP_ARP_ICMP] - was.gn_drops[DROP_ARP_ICMP], macs[i].is_arp_taken);
        while (kit_take_msg(kit, &msg))
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
    }
    assert_int_equal(kit_drain(&kit->gb), 1);
}

static unsigned flood(struct kit *kit, unsigned count, unsigned sources)
{
    uint8_t frame[60];
    unsigned punted = 0;
    struct msg msg;
    for (unsigned i = 0; i < count; i++) {
        put_frame(frame, 0x0806, 0, (uint8_t)(i % sources));
        kit_from_gn(kit, frame, sizeof frame);
        while (kit_take_msg(kit, &msg)) {
            punted++;
            rte_pktmbuf_free(msg.mbuf);
        }
    }
    return punted;
}

KIT_TEST(a_flood_of_them_is_cut, &live)
{
    assert_int_equal(flood(kit, 500, 1), BUDGET_SOURCE_BURST);
    kit->now += 10 * MOMENT_SECOND;
    assert_int_equal(flood(kit, 500, 250), BUDGET_ALL_BURST);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_ARP_ICMP], BUDGET_SOURCE_BURST + BUDGET_ALL_BURST);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_PUNT_FULL],
                     1000 - BUDGET_SOURCE_BURST - BUDGET_ALL_BURST);
}

/* A flood of one kind on one port leaves the other kind, and the other port, their budgets. */
KIT_TEST(a_flood_of_pings_leaves_arp, &live)
{
    struct msg msg;
    uint8_t frame[60];
    unsigned punted = 0;
    for (unsigned i = 0; i < 2 * BUDGET_ALL_BURST; i++) {
        put_frame(frame, 0x0800, 1, (uint8_t)i);
        kit_from_gn(kit, frame, sizeof frame);
        while (kit_take_msg(kit, &msg))
            rte_pktmbuf_free(msg.mbuf);
    }
    assert_int_not_equal(kit->worker->stats.gn_drops[DROP_PUNT_FULL], 0);
    put_frame(frame, 0x0806, 0, 2);
    kit_from_gn(kit, frame, sizeof frame);
    kit_from_gb(kit, frame, sizeof frame);
    put_frame(frame, 0x0800, 1, 2);
    kit_from_gb(kit, frame, sizeof frame);
    for (; kit_take_msg(kit, &msg); punted++)
        rte_pktmbuf_free(msg.mbuf);
    assert_int_equal(punted, 3);
}

/* An IPv6 host may have all addresses of its prefix; on the link each host has its own. */
TEST(an_ipv6_prefix_is_one_source)
{
    static const struct {
        uint8_t prefix[8];
        unsigned punted;
    } prefixes[] = {
        {{0x20, 1, 0x0d, 0xb8}, BUDGET_SOURCE_BURST},
        {{0xfe, 0x80}, 50},
    };
    for (size_t row = 0; row < COUNT(prefixes); row++) {
        struct kit kit;
        struct msg msg;
        uint8_t frame[60];
        unsigned punted = 0;
        kit_open(&kit, &live);
        for (unsigned i = 0; i < 50; i++) {
            put_frame(frame, 0x86dd, 58, 2);
            memcpy(frame + 14 + 8, prefixes[row].prefix, sizeof(prefixes[row].prefix));
            bytes_put_u32(frame + 14 + 16, 0);
            bytes_put_u32(frame + 14 + 20, i + 1);
            kit_from_gn(&kit, frame, sizeof frame);
            while (kit_take_msg(&kit, &msg)) {
                punted++;
                rte_pktmbuf_free(msg.mbuf);
            }
        }
        assert_int_equal(punted, prefixes[row].punted);
        kit_close(&kit);
    }
}

KIT_TEST(control_sends_frames, &live)
{
    uint8_t got[KIT_FRAME_OCTETS];
    for (uint32_t port = 0; port <= MSG_PORTS; port++) {
        struct msg msg = {.type = MSG_SEND_FRAME, .port = port, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
        memset(rte_pktmbuf_append(msg.mbuf, 60), (int)port + 1, 60);
        assert_int_equal(kit_order(kit, &msg), port < MSG_PORTS ? 0 : -1);
    }
    assert_int_equal(kit_take_gn(kit, got), 60);
    assert_int_equal(got[59], MSG_PORT_GN + 1);
    assert_int_equal(kit_take_gb(kit, got), 60);
    assert_int_equal(got[59], MSG_PORT_GB + 1);
}

static int send_down(struct kit *kit, uint32_t nsvc)
{
    struct msg msg = {.type = MSG_SEND, .slot = nsvc, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    memset(rte_pktmbuf_append(msg.mbuf, 1), 0x0a, 1);
    return kit_order(kit, &msg);
}

KIT_TEST(an_nsvc_sends_when_its_next_hop_is_known, &live)
{
    uint8_t got[KIT_FRAME_OCTETS];
    struct msg nsvc = kit_nsvc(1), known = nsvc_mac(1, mac_a), none = nsvc_mac(2, mac_a);
    nsvc.nsvc.needs_mac = true;
    kit_do(kit, &nsvc);
    assert_int_equal(send_down(kit, 1), 0);
    assert_int_equal(send_down(kit, 1), 0);
    assert_int_equal(kit_take_gb(kit, got), 0);
    assert_int_equal(kit->worker->stats.gb_signalling_lost, 1);
    kit_do(kit, &known); /* the latest waits for it */
    assert_int_equal(kit_take_gb(kit, got), 43);
    assert_memory_equal(got, mac_a, 6);
    assert_int_equal(send_down(kit, 1), 0);
    assert_int_equal(kit_take_gb(kit, got), 43);
    assert_int_equal(kit_drain(&kit->gb), 0);
    assert_int_equal(kit_order(kit, &none), -1);
    none.slot = 1000;
    assert_int_equal(kit_order(kit, &none), -1);
}

/* What has waited too long for it does not leave any more. */
KIT_TEST(an_old_frame_is_lost, &live)
{
    struct msg nsvc = kit_nsvc(1), known = nsvc_mac(1, mac_a);
    uint8_t got[KIT_FRAME_OCTETS];
    nsvc.nsvc.needs_mac = true;
    kit_do(kit, &nsvc);
    assert_int_equal(send_down(kit, 1), 0);
    kit_settle_at(kit, kit->now + GN_WAIT_NS - 1);
    assert_int_equal(send_down(kit, 1), 0);
    kit_settle_at(kit, kit->now + GN_WAIT_NS);
    kit_do(kit, &known);
    assert_int_equal(kit_take_gb(kit, got), 0);
    assert_int_equal(kit->worker->stats.gb_signalling_lost, 2);
    assert_int_equal(send_down(kit, 1), 0);
    assert_int_equal(kit_take_gb(kit, got), 43);
}

/* What waits is freed with its NS-VC, and counted, and with the worker. */
KIT_TEST(an_nsvc_ends_while_it_waits, &live)
{
    struct msg nsvc = kit_nsvc(1), end = {.type = MSG_NSVC_DEL, .slot = 1};
    nsvc.nsvc.needs_mac = true;
    kit_do(kit, &nsvc);
    assert_int_equal(send_down(kit, 1), 0);
    kit_do(kit, &end);
    assert_int_equal(kit->worker->stats.gb_signalling_lost, 1);
    kit_do(kit, &nsvc);
    assert_int_equal(send_down(kit, 1), 0);
    assert_int_equal(kit->worker->stats.gb_signalling_lost, 1);
}

/* --- Gb over IPv6: what leaves, octet for octet, and which frames are taken --- */

#define IPV4_HEADERS 42
#define PATCHES      2
#define INNER        300

static const uint8_t *const outwards[] = {gn_ipv6_addresses[0], gn_ipv6_addresses[1]};
static const uint8_t *const inwards[] = {gn_ipv6_addresses[1], gn_ipv6_addresses[0]};
static const uint16_t ports_out[] = {KIT_GB_PORT, KIT_BSS_PORT}, ports_in[] = {KIT_BSS_PORT, KIT_GB_PORT};

/* NS-VC 0 ends on other addresses. */
static int move_nsvc(struct kit *kit, uint32_t local, uint32_t remote)
{
    struct msg msg = {.type = MSG_NSVC_DEL, .slot = 0};
    kit_order(kit, &msg);
    msg = kit_nsvc(0);
    msg.nsvc.local_ip = local;
    msg.nsvc.remote_ip = remote;
    if (kit_order(kit, &msg) < 0)
        return -1;
    msg = (struct msg){.type = MSG_NSVC_STATE, .slot = 0, .is_usable = true};
    return kit_order(kit, &msg);
}

static void open(struct kit *kit, const struct kit_options *options)
{
    kit_open(kit, options);
    for (uint32_t i = 0; i < 3; i++) {
        struct msg msg = {.type = MSG_GN_IPV6, .ipv6 = {.place = i}};
        memcpy(msg.ipv6.octets, gn_ipv6_addresses[i], sizeof(msg.ipv6.octets));
        kit_do(kit, &msg);
    }
    assert_int_equal(move_nsvc(kit, GN_IPV6_SGSN, GN_IPV6_GGSN), 0);
}

static const uint8_t macs[12] = {2, 0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 1};

/* This NS PDU comes next on Gb. */
static void expect(struct kit *kit, const uint8_t *ns, size_t octets)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    size_t length = gn_ipv6_wrap(want, outwards, ports_out, ns, octets);
    memcpy(want, macs, sizeof(macs));
    assert_int_equal(kit_take_gb(kit, got), length);
    assert_memory_equal(got, want, length);
}

static void carry(struct kit *kit, struct gb_frame_downlink *model, uint16_t inner_octets)
{
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = inner_octets, .seed = inner_octets};
    uint8_t frame[KIT_FRAME_OCTETS], n_pdu[KIT_FRAME_OCTETS];
    uint16_t offset = 0;
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    gn_frame_inner(n_pdu, inner_octets, inner_octets);
    while (offset < inner_octets) {
        size_t octets = gb_frame_segment(frame, model, n_pdu, inner_octets, &offset);
        expect(kit, frame + IPV4_HEADERS, octets - IPV4_HEADERS);
    }
    assert_int_equal(kit_drain(&kit->gb), 0);
}

TEST(downlink)
{
    static const struct kit_options options = {.n201_u = 500, .imsi_octets = 8};
    struct kit kit;
    open(&kit, &options);
    struct gb_frame_downlink model = {.n201_u = 500, .imsi_octets = 8};
    for (uint16_t octets = 40; octets <= 1500; octets += 73)
        carry(&kit, &model, octets);
    kit_close(&kit);
}

#define OPEN_TEST(name) TEST_IN(name, struct kit, kit, open(kit, NULL), kit_close(kit))

OPEN_TEST(what_control_sends)
{
    uint8_t pdu[64];
    for (size_t octets = 1; octets <= sizeof(pdu); octets++) {
        struct msg msg = {.type = MSG_SEND, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
        gn_frame_inner(pdu, octets, octets);
        memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
        kit_do(kit, &msg);
        expect(kit, pdu, octets);
    }
}

/* A sum of 0 is sent as 0xffff: with 0 in place of the payload's last octets any sum can be had. */
OPEN_TEST(a_sum_of_zero)
{
    uint8_t frame[KIT_FRAME_OCTETS], pdu[4] = {0x0a, 0, 0, 0};
    gn_ipv6_wrap(frame, outwards, ports_out, pdu, sizeof(pdu));
    memcpy(pdu + 2, frame + GN_IPV6_UDP + 6, 2);
    struct msg msg = {.type = MSG_SEND, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(pdu)), pdu, sizeof(pdu));
    kit_do(kit, &msg);
    assert_true(kit_take_gb(kit, frame) > 0);
    assert_int_equal(frame[GN_IPV6_UDP + 6] << 8 | frame[GN_IPV6_UDP + 7], 0xffff);
}

/* --- uplink --- */

struct patch {
    uint16_t at;
    uint8_t octets;
    uint32_t value;
};

static const struct {
    const char *name;
    enum drop reason; /* DROP_NONE: the N-PDU leaves on Gn */
    struct patch patches[PATCHES];
    bool has_new_sum;
    int more_octets;
} ipv6_rows[] = {
    {"plain", DROP_NONE, {{0}}, false, 0},
    {"padding", DROP_NONE, {{0}}, false, 7},
    {"traffic class and flow label", DROP_NONE, {{14, 4, 0x6fffffff}}, false, 0},
    {"version 4", DROP_IP_MALFORMED, {{14, 1, 0x40}}, false, 0},
    {"cut short", DROP_IP_MALFORMED, {{0}}, false, -1},
    {"no payload", DROP_UDP_MALFORMED, {{18, 2, 0}}, false, 0},
    {"hop-by-hop", DROP_IP_EXTENSION, {{20, 1, 0}}, false, 0},
    {"fragment", DROP_IP_EXTENSION, {{20, 1, 44}}, false, 0},
    {"TCP", DROP_NOT_UDP, {{20, 1, 6}}, false, 0},
    {"UDP shorter than its header", DROP_UDP_MALFORMED, {{58, 2, 7}}, false, 0},
    {"UDP longer than IP", DROP_UDP_MALFORMED, {{58, 2, 0x700}}, false, 0},
    {"no checksum", DROP_UDP_CHECKSUM, {{60, 2, 0}}, false, 0},
    {"wrong checksum", DROP_UDP_CHECKSUM, {{100, 1, 0x5a}}, false, 0},
    {"another host that is known", DROP_UNKNOWN_NSVC, {{37, 1, 3}}, true, 0},
    {"another host", DROP_UNKNOWN_NSVC, {{37, 1, 9}}, true, 0},
    {"not to us", DROP_UNKNOWN_NSVC, {{53, 1, 9}}, true, 0},
    {"another port", DROP_UNKNOWN_NSVC, {{54, 2, 23009}}, true, 0},
    {"another port of ours", DROP_UNKNOWN_NSVC, {{56, 2, 23009}}, true, 0},
};

static void put(uint8_t *at, uint32_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static size_t build(uint8_t *frame, size_t row, uint16_t nu)
{
    uint8_t ipv4[KIT_FRAME_OCTETS] = {0}, n_pdu[INNER];
    struct gb_frame_uplink in = {.nu = nu, .octets = INNER, .data = n_pdu};
    gn_frame_inner(n_pdu, INNER, nu);
    size_t octets = gb_frame_uplink(ipv4, &in);
    octets = gn_ipv6_wrap(frame, inwards, ports_in, ipv4 + IPV4_HEADERS, octets - IPV4_HEADERS);
    for (unsigned i = 0; i < PATCHES; i++)
        put(frame + ipv6_rows[row].patches[i].at, ipv6_rows[row].patches[i].value,
            ipv6_rows[row].patches[i].octets);
    if (ipv6_rows[row].has_new_sum)
        gn_ipv6_sum(frame);
    return octets + (size_t)ipv6_rows[row].more_octets;
}

OPEN_TEST(uplink)
{
    for (size_t i = 0; i < COUNT(ipv6_rows); i++) {
        uint8_t frame[KIT_FRAME_OCTETS] = {0};
        struct worker_stats before = kit->worker->stats;
        bool goes = ipv6_rows[i].reason == DROP_NONE;
        kit_from_gb(kit, frame, build(frame, i, (uint16_t)i));
        const struct worker_stats *after = &kit->worker->stats;
        if (after->ul_npdu_out != before.ul_npdu_out + goes ||
            after->gb_drops[ipv6_rows[i].reason] != before.gb_drops[ipv6_rows[i].reason] + !goes)
            fail_msg("%s: not %s", ipv6_rows[i].name, drop_name(ipv6_rows[i].reason));
        assert_int_equal(kit_drain(&kit->gn), goes);
    }
}

/* What stands for IPv6 addresses in 32 bits is no host's over IPv4, and stands for nobody there. */
OPEN_TEST(no_disguise)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = gb_frame_wrap(frame, 0, (const uint8_t[]){0x0a}, 1);
    put(frame + 26, GN_IPV6_GGSN, 4);
    put(frame + 30, GN_IPV6_SGSN, 4);
    gn_frame_sum_ip(frame + 14);
    kit_from_gb(kit, frame, octets);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_UNKNOWN_NSVC], 1);
    assert_int_equal(kit->worker->stats.punted, 0);
}

/* --- orders --- */

OPEN_TEST(ends_that_cannot_be)
{
    assert_int_equal(move_nsvc(kit, GN_IPV6_SGSN, KIT_BSS_IP), -1);
    assert_int_equal(move_nsvc(kit, KIT_GB_IP, GN_IPV6_GGSN), -1);
    assert_int_equal(move_nsvc(kit, GN_IPV6_SGSN, ADDRESS_IPV6 + 7), -1);
    assert_int_equal(move_nsvc(kit, ADDRESS_IPV6 + 7, GN_IPV6_GGSN), -1);
    assert_int_equal(move_nsvc(kit, KIT_GB_IP, KIT_BSS_IP), 0);
}

/* --- ports --- */

/* An uplink N-PDU of the kit's mobile. */
static void put_uplink(struct kit *kit, uint16_t nu)
{
    uint8_t frame[KIT_FRAME_OCTETS], n_pdu[INNER];
    struct gb_frame_uplink in = {.nu = nu, .octets = INNER, .data = n_pdu};
    gn_frame_inner(n_pdu, INNER, nu);
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
}

/* Both ports have a tag: frames without it are dropped and counted, and all sent frames have it. */
KIT_TEST(tagged, &(struct kit_options){.no_uplink_filter = true})
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 100, .has_vlan = true};
    gn_frame_build(frame, &in);
    uint16_t vlan = bytes_get_u16(frame + 14) & 0x0fff;
    kit->worker->gn.vlan = vlan ? vlan : 1;
    if (!vlan)
        frame[15] = 1;
    kit->worker->gb.vlan = 77;
    kit_from_gn(kit, frame, gn_frame_build((uint8_t[KIT_FRAME_OCTETS]){0}, &in));
    assert_int_equal(kit->worker->stats.gn_drops[DROP_OTHER_VLAN], 0);
    size_t octets = kit_take_gb(kit, frame);
    assert_true(octets > ETHER_TAGGED_OCTETS);
    assert_int_equal(bytes_get_u16(frame + 12), ETHER_TYPE_VLAN);
    assert_int_equal(bytes_get_u16(frame + 14), 77);
    assert_int_equal(bytes_get_u16(frame + 16), ETHER_TYPE_IPV4);
    gn_frame_put(kit, KIT_TEID, 100);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_OTHER_VLAN], 1);
    assert_int_equal(kit_drain(&kit->gb), 0);
    put_uplink(kit, 0);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_OTHER_VLAN], 1);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 0);
}

/* While the link of Gb is down N-PDUs wait; they leave when it is up again. */
KIT_TEST(gb_down, NULL)
{
    port_set_down(&kit->worker->gb, true);
    for (unsigned i = 0; i < 3; i++)
        gn_frame_put(kit, KIT_TEID, 100);
    assert_int_equal(kit_drain(&kit->gb), 0);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 3);
    assert_int_equal(kit->worker->stats.npdu_out, 0);
    port_set_down(&kit->worker->gb, false);
    kit_settle(kit);
    assert_int_equal(kit_drain(&kit->gb), 3);
    assert_int_equal(kit->worker->stats.npdu_out, 3);
    assert_int_equal(kit->worker->gb.lost, 0);
}

KIT_TEST(gn_down, &(struct kit_options){.no_uplink_filter = true})
{
    port_set_down(&kit->worker->gn, true);
    put_uplink(kit, 0);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_LINK_DOWN], 1);
    assert_int_equal(kit_drain(&kit->gn), 0);
    port_set_down(&kit->worker->gn, false);
    put_uplink(kit, 1);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 1);
    assert_int_equal(kit_drain(&kit->gn), 1);
}

UNIT_MAIN(kit_start, NULL)
