/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb over IPv6: what leaves, octet for octet, and which frames are taken. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include <rte_mbuf.h>
#include <string.h>

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

TEST(what_control_sends)
{
    struct kit kit;
    uint8_t pdu[64];
    open(&kit, NULL);
    for (size_t octets = 1; octets <= sizeof(pdu); octets++) {
        struct msg msg = {.type = MSG_SEND, .mbuf = rte_pktmbuf_alloc(kit.tx_pool)};
        gn_frame_inner(pdu, octets, octets);
        memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)octets), pdu, octets);
        kit_do(&kit, &msg);
        expect(&kit, pdu, octets);
    }
    kit_close(&kit);
}

/* A sum of 0 is sent as 0xffff: with 0 in place of the payload's last octets any sum can be had. */
TEST(a_sum_of_zero)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS], pdu[4] = {0x0a, 0, 0, 0};
    open(&kit, NULL);
    gn_ipv6_wrap(frame, outwards, ports_out, pdu, sizeof(pdu));
    memcpy(pdu + 2, frame + GN_IPV6_UDP + 6, 2);
    struct msg msg = {.type = MSG_SEND, .mbuf = rte_pktmbuf_alloc(kit.tx_pool)};
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(pdu)), pdu, sizeof(pdu));
    kit_do(&kit, &msg);
    assert_true(kit_take_gb(&kit, frame) > 0);
    assert_int_equal(frame[GN_IPV6_UDP + 6] << 8 | frame[GN_IPV6_UDP + 7], 0xffff);
    kit_close(&kit);
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
} rows[] = {
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
        put(frame + rows[row].patches[i].at, rows[row].patches[i].value, rows[row].patches[i].octets);
    if (rows[row].has_new_sum)
        gn_ipv6_sum(frame);
    return octets + (size_t)rows[row].more_octets;
}

TEST(uplink)
{
    struct kit kit;
    open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t frame[KIT_FRAME_OCTETS] = {0};
        struct worker_stats before = kit.worker->stats;
        bool goes = rows[i].reason == DROP_NONE;
        kit_from_gb(&kit, frame, build(frame, i, (uint16_t)i));
        const struct worker_stats *after = &kit.worker->stats;
        if (after->ul_npdu_out != before.ul_npdu_out + goes ||
            after->gb_drops[rows[i].reason] != before.gb_drops[rows[i].reason] + !goes)
            fail_msg("%s: not %s", rows[i].name, drop_name(rows[i].reason));
        assert_int_equal(kit_drain(&kit.gn), goes);
    }
    kit_close(&kit);
}

/* What stands for IPv6 addresses in 32 bits is no host's over IPv4, and stands for nobody there. */
TEST(no_disguise)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];
    open(&kit, NULL);
    size_t octets = gb_frame_wrap(frame, 0, (const uint8_t[]){0x0a}, 1);
    put(frame + 26, GN_IPV6_GGSN, 4);
    put(frame + 30, GN_IPV6_SGSN, 4);
    gn_frame_sum_ip(frame + 14);
    kit_from_gb(&kit, frame, octets);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_UNKNOWN_NSVC], 1);
    assert_int_equal(kit.worker->stats.punted, 0);
    kit_close(&kit);
}

/* --- orders --- */

TEST(ends_that_cannot_be)
{
    struct kit kit;
    open(&kit, NULL);
    assert_int_equal(move_nsvc(&kit, GN_IPV6_SGSN, KIT_BSS_IP), -1);
    assert_int_equal(move_nsvc(&kit, KIT_GB_IP, GN_IPV6_GGSN), -1);
    assert_int_equal(move_nsvc(&kit, GN_IPV6_SGSN, ADDRESS_IPV6 + 7), -1);
    assert_int_equal(move_nsvc(&kit, ADDRESS_IPV6 + 7, GN_IPV6_GGSN), -1);
    assert_int_equal(move_nsvc(&kit, KIT_GB_IP, KIT_BSS_IP), 0);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
