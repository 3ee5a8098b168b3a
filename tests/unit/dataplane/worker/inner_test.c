/* SPDX-License-Identifier: BSD-3-Clause */
/* N-PDUs that came through a tunnel and are not for its mobile: each reason, and what is next to it. */
#include "dataplane/worker/inner.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/unit.h"

#include <string.h>

#define PATCHES 5
#define OTHER   0xc0000207u
#define SGSN_2  0xc0000203u /* Gn, ours too */
#define MOBILE  0x0a0b0002u
#define ANY     KIT_TEID       /* the kit's: nothing known of the mobile's address */
#define V4      (KIT_TEID + 1) /* of MOBILE */
#define V6      (KIT_TEID + 2)
#define ORPHAN  (KIT_TEID + 3) /* GGSN not known */

/* Octets of the frame: outer source, inner version, fragment offset, protocol, destination, port. */
#define SOURCE(ip)                                                                                           \
    {                                                                                                        \
        26, 4, ip                                                                                            \
    }
#define TO(ip)                                                                                               \
    {                                                                                                        \
        66, 4, ip                                                                                            \
    }
#define IPV6                                                                                                 \
    {50, 1, 0x60},                                                                                           \
    {                                                                                                        \
        54, 2, 60                                                                                            \
    }
#define UDP(port)                                                                                            \
    {59, 1, 17}, {56, 2, 0},                                                                                 \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }
#define UDP_PIECE(port)                                                                                      \
    {59, 1, 17}, {56, 2, 1},                                                                                 \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }
#define TCP(port)                                                                                            \
    {59, 1, 6}, {56, 2, 0},                                                                                  \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }

struct inner_row {
    const char *name;
    enum drop reason; /* DROP_NONE: it goes through */
    uint32_t teid;
    struct {
        uint16_t at;
        uint8_t octets;
        uint32_t value;
    } patches[PATCHES];
    uint16_t inner_octets; /* 0: 100 */
};

static const struct inner_row rows[] = {
    {"nothing known", DROP_NONE, ANY, {TO(OTHER)}, 0},
    {"the mobile's", DROP_NONE, V4, {TO(MOBILE)}, 0},
    {"another mobile's", DROP_NPDU_ADDRESS, V4, {TO(MOBILE + 1)}, 0},
    {"broadcast", DROP_NPDU_ADDRESS, V4, {TO(0xffffffff)}, 0},
    {"IPv6 where anything goes", DROP_NONE, ANY, {IPV6}, 0},
    {"IPv6 for IPv4", DROP_NPDU_VERSION, V4, {IPV6}, 0},
    {"IPv4 for IPv6", DROP_NPDU_VERSION, V6, {TO(MOBILE)}, 0},
    {"IPv6 for IPv6", DROP_NONE, V6, {IPV6}, 0},
    {"other GGSN", DROP_OTHER_GGSN, ANY, {SOURCE(OTHER), TO(OTHER)}, 0},
    {"other GGSN, for the mobile", DROP_OTHER_GGSN, V4, {SOURCE(OTHER), TO(MOBILE)}, 0},
    {"from ourselves", DROP_OTHER_GGSN, V4, {SOURCE(KIT_SGSN_IP), TO(MOBILE)}, 0},
    {"any GGSN where none is known", DROP_NONE, ORPHAN, {SOURCE(OTHER), TO(OTHER)}, 0},
    {"GTP-U in GTP-U", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2152)}, 0},
    {"GTP-C in GTP-U", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2123)}, 0},
    {"GTP-U to our other address", DROP_NPDU_GTP, ANY, {TO(SGSN_2), UDP(2152)}, 0},
    {"GTP-U, of a known mobile", DROP_NPDU_GTP, V4, {TO(KIT_SGSN_IP), UDP(2152)}, 0},
    {"GTP-U to somebody else", DROP_NONE, ANY, {TO(OTHER), UDP(2152)}, 0},
    {"GTP-U to the mobile", DROP_NONE, V4, {TO(MOBILE), UDP(2152)}, 0},
    {"other port of ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), UDP(2151)}, 0},
    {"TCP to ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), TCP(2152)}, 0},
    {"later fragment to ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), UDP_PIECE(2152)}, 0},
    {"no room for a port", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), {59, 1, 17}, {56, 2, 0}}, 23},
    {"room for ports alone", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2152)}, 24},
    {"Gb address", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_GB_IP), UDP(2152)}, 0},
    {"the GGSN's address", DROP_NPDU_INFRASTRUCTURE, V4, {TO(KIT_GGSN_IP), UDP(2152)}, 0},
    {"the BSS's address, of no concern here", DROP_NONE, ANY, {TO(KIT_BSS_IP)}, 0},
};

static void order_contexts(struct kit *kit)
{
    struct msg v4 = kit_pdp(1, 0, 6, V4), v6 = kit_pdp(2, 0, 7, V6), orphan = kit_pdp(3, 0, 8, ORPHAN);
    struct msg elsewhere = kit_pdp(4, 0, 9, KIT_TEID);

    v4.pdp.address = MOBILE;
    v4.pdp.ip_version = 4;
    v6.pdp.ip_version = 6;
    orphan.pdp.ggsn_ip = 0;
    elsewhere.pdp.sgsn_ip = SGSN_2;
    kit_do(kit, &v4);
    kit_do(kit, &v6);
    kit_do(kit, &orphan);
    kit_do(kit, &elsewhere);
}

static size_t build(uint8_t *frame, const struct inner_row *row)
{
    struct gn_frame in = {.teid = row->teid, .inner_octets = row->inner_octets ? row->inner_octets : 100};
    size_t octets = gn_frame_build(frame, &in);
    for (unsigned i = 0; i < PATCHES; i++)
        for (unsigned k = 0; k < row->patches[i].octets; k++)
            frame[row->patches[i].at + k] =
                (uint8_t)(row->patches[i].value >> 8 * (row->patches[i].octets - 1 - k));
    gn_frame_sum_ip(frame + GN_FRAME_IP);
    return octets;
}

static void play(struct kit *kit, const struct inner_row *row, enum drop reason)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct worker_stats before = kit->worker->stats;
    const struct worker_stats *after = &kit->worker->stats;
    bool goes = reason == DROP_NONE;

    kit_from_gn(kit, frame, build(frame, row));
    if (after->gn_drops[reason] != before.gn_drops[reason] + !goes || after->npdu_in != before.npdu_in + 1 ||
        after->npdu_out != before.npdu_out + goes)
        fail_msg("%s: not %s", row->name, drop_name(reason));
    kit_drain(&kit->gb);
    assert_int_equal(kit_drain(&kit->gn), 0); /* none of these is answered */
}

KIT_TEST(checked, NULL)
{
    order_contexts(kit);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(kit, &rows[i], rows[i].reason);
}

/* Switched off: the source does not matter, and nothing else changes. */
KIT_TEST(any_ggsn, &(struct kit_options){.is_any_ggsn = true})
{
    order_contexts(kit);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(kit, &rows[i], rows[i].reason == DROP_OTHER_GGSN ? DROP_NONE : rows[i].reason);
}

/* An address is ours no more once its last tunnel or NS-VC is gone; a refused NS-VC leaves none behind. */
KIT_TEST(addresses_come_and_go, NULL)
{
    static const struct inner_row to_second = {"second address", DROP_NONE, ANY, {TO(SGSN_2)}, 0};
    static const struct inner_row to_refused = {"refused NS-VC's", DROP_NONE, ANY, {TO(OTHER)}, 0};
    order_contexts(kit);
    play(kit, &to_second, DROP_NPDU_INFRASTRUCTURE);
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 4});
    play(kit, &to_second, DROP_NONE);
    struct msg nsvc = kit_nsvc(0);
    nsvc.nsvc.local_ip = OTHER;
    assert_int_equal(kit_order(kit, &nsvc), -1);
    play(kit, &to_refused, DROP_NONE);
}

/* Users' packets against what is known of their context: IPv6 both ways, and where uplink ones come from. */

#define USER_OTHER 0x0a0b0003u
#define PREFIX     UINT64_C(0x20010db800420007)
#define INTERFACE  UINT64_C(0x0000000000000abc)

/* The halves of an address. */
struct address {
    uint64_t prefix, interface;
};

#define IN(interface_)                                                                                       \
    {                                                                                                        \
        PREFIX, interface_                                                                                   \
    }
#define LINK(interface_)                                                                                     \
    {                                                                                                        \
        UINT64_C(0xfe80000000000000), interface_                                                             \
    }
#define GROUP(interface_)                                                                                    \
    {                                                                                                        \
        UINT64_C(0xff02000000000000), interface_                                                             \
    }
#define OUTSIDE                                                                                              \
    {                                                                                                        \
        UINT64_C(0x20010db800420008), 1                                                                      \
    }
#define GN(last)                                                                                             \
    {                                                                                                        \
        UINT64_C(0x20010db800000000), last                                                                   \
    }
#define NOBODY                                                                                               \
    {                                                                                                        \
        0, 0                                                                                                 \
    }

enum known { BOTH, ONLY_V6, ONLY_V4, UNKNOWN, V6_NO_INTERFACE };

static const struct pdp_params contexts[] = {
    [BOTH] = {.prefix = PREFIX, .interface = INTERFACE, .address = MOBILE},
    [ONLY_V6] = {.prefix = PREFIX, .interface = INTERFACE, .ip_version = 6},
    [ONLY_V4] = {.address = MOBILE, .ip_version = 4},
    [UNKNOWN] = {.ip_version = 0},
    [V6_NO_INTERFACE] = {.prefix = PREFIX, .ip_version = 6},
};

struct user_row {
    const char *name;
    enum known context;
    bool is_uplink;
    struct address address; /* of the mobile's side */
    uint8_t next_header, type;
    enum drop reason;
};

static const struct user_row user_rows[] = {
    {"in the prefix", ONLY_V6, false, IN(0x1234), 17, 0, DROP_NONE},
    {"in the prefix, of both", BOTH, false, IN(0x1234), 6, 0, DROP_NONE},
    {"next prefix", ONLY_V6, false, OUTSIDE, 17, 0, DROP_NPDU_ADDRESS},
    {"next prefix, of both", BOTH, false, OUTSIDE, 17, 0, DROP_NPDU_ADDRESS},
    {"no prefix known", UNKNOWN, false, OUTSIDE, 17, 0, DROP_NONE},
    {"IPv6 for IPv4", ONLY_V4, false, IN(1), 17, 0, DROP_NPDU_VERSION},
    {"link-local", ONLY_V6, false, LINK(INTERFACE), 58, 135, DROP_NONE},
    {"another's link-local", ONLY_V6, false, LINK(INTERFACE + 1), 58, 135, DROP_NPDU_ADDRESS},
    {"link-local, not known whose", V6_NO_INTERFACE, false, LINK(5), 58, 135, DROP_NONE},
    ROW("fe80 of another subnet", ONLY_V6, false, {UINT64_C(0xfe80000000000001), INTERFACE}, 17, 0,
        DROP_NPDU_ADDRESS),
    {"advertisement to all nodes", ONLY_V6, false, GROUP(1), 58, 134, DROP_NONE},
    {"solicitation to all routers", ONLY_V6, false, GROUP(2), 58, 133, DROP_NONE},
    {"ping to all nodes", ONLY_V6, false, GROUP(1), 58, 128, DROP_NPDU_ADDRESS},
    {"redirect to all nodes", ONLY_V6, false, GROUP(1), 58, 137, DROP_NPDU_ADDRESS},
    {"UDP to all nodes", ONLY_V6, false, GROUP(1), 17, 134, DROP_NPDU_ADDRESS},
    {"advertisement to another group", ONLY_V6, false, GROUP(3), 58, 134, DROP_NPDU_ADDRESS},
    {"multicast, nothing known", UNKNOWN, false, GROUP(3), 17, 0, DROP_NPDU_ADDRESS},
    {"to nobody", ONLY_V6, false, NOBODY, 58, 134, DROP_NPDU_ADDRESS},
    {"to our Gn address", BOTH, false, GN(1), 17, 0, DROP_NPDU_INFRASTRUCTURE},
    {"GTP to our Gn address", BOTH, false, GN(1), 17, 1, DROP_NPDU_GTP},
    {"GTP to our Gn address, nothing known", UNKNOWN, false, GN(1), 17, 1, DROP_NPDU_GTP},
    {"to the GGSN", BOTH, false, GN(2), 17, 0, DROP_NPDU_INFRASTRUCTURE},
    {"to another known address", UNKNOWN, false, GN(3), 17, 0, DROP_NONE},

    {"from the prefix", ONLY_V6, true, IN(0x1234), 17, 0, DROP_NONE},
    {"from the next prefix", ONLY_V6, true, OUTSIDE, 17, 0, DROP_UL_SOURCE},
    {"from the next prefix, of both", BOTH, true, OUTSIDE, 17, 0, DROP_UL_SOURCE},
    {"from anywhere", UNKNOWN, true, OUTSIDE, 17, 0, DROP_NONE},
    {"from IPv6 of IPv4", ONLY_V4, true, IN(1), 17, 0, DROP_UL_VERSION},
    {"from link-local", ONLY_V6, true, LINK(INTERFACE), 58, 133, DROP_NONE},
    {"from another's link-local", ONLY_V6, true, LINK(INTERFACE + 1), 58, 133, DROP_UL_SOURCE},
    {"solicitation from nobody", ONLY_V6, true, NOBODY, 58, 133, DROP_NONE},
    {"looks for its own address", ONLY_V6, true, NOBODY, 58, 135, DROP_NONE},
    {"advertisement from nobody", ONLY_V6, true, NOBODY, 58, 134, DROP_UL_SOURCE},
    {"UDP from nobody", ONLY_V6, true, NOBODY, 17, 0, DROP_UL_SOURCE},
    {"UDP from nobody, nothing known", UNKNOWN, true, NOBODY, 17, 0, DROP_UL_SOURCE},
    {"from a group", UNKNOWN, true, GROUP(1), 17, 0, DROP_UL_SOURCE},
};

static void put_address(uint8_t *at, struct address address)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(address.prefix >> (56 - 8 * i));
        at[8 + i] = (uint8_t)(address.interface >> (56 - 8 * i));
    }
}

/* 60 octets; the other side has 2001:db8:ffff::1. Type 1 of UDP: to port 2152. */
static void user_build(uint8_t packet[60], const struct user_row *row)
{
    const struct address far = {UINT64_C(0x20010db8ffff0000), 1};
    memset(packet, 0, 60);
    packet[0] = 0x60;
    packet[5] = 20;
    packet[6] = row->next_header;
    packet[7] = 255;
    put_address(packet + 8, row->is_uplink ? row->address : far);
    put_address(packet + 24, row->is_uplink ? far : row->address);
    packet[40] = row->type;
    if (row->next_header == 17 && row->type == 1)
        memcpy(packet + 40, (uint8_t[]){0, 1, 0x08, 0x68}, 4);
}

static struct pdp_params context_of(enum known context)
{
    struct pdp_params pdp = contexts[context];
    pdp.sgsn_ip = GN_IPV6_SGSN;
    pdp.ggsn_ip = GN_IPV6_GGSN;
    return pdp;
}

static enum drop judge(const struct kit *kit, const struct user_row *row, const uint8_t *packet,
                       uint16_t octets)
{
    struct pdp_params pdp = context_of(row->context);
    const struct lookup *l = &kit->worker->lookup;
    if (row->is_uplink)
        return inner_judge_uplink(l, &pdp, packet, octets, false);
    enum drop reason = inner_judge(l, &pdp, packet, octets);
    assert_false(reason != DROP_NONE && inner_is_plain(l, &pdp, packet, octets));
    return reason;
}

KIT_TEST(ipv6, NULL)
{
    gn_ipv6_order(kit, 0x3001);
    for (size_t i = 0; i < COUNT(user_rows); i++) {
        uint8_t packet[60];
        user_build(packet, &user_rows[i]);
        enum drop reason = judge(kit, &user_rows[i], packet, sizeof(packet));
        if (reason != user_rows[i].reason)
            fail_msg("%s: %s, not %s", user_rows[i].name, drop_name(reason), drop_name(user_rows[i].reason));
    }
}

/* A context that takes any payload: octets of no IP version, of a wrong one and cut ones, but not none. */
KIT_TEST(any_payload, NULL)
{
    const struct pdp_params pdp = {.address = MOBILE, .ip_version = PDP_ANY_PAYLOAD};
    const struct lookup *l = &kit->worker->lookup;
    uint8_t packet[INNER_MAX_OCTETS + 1] = {0};
    for (unsigned first = 0; first < 256; first++) {
        packet[0] = (uint8_t)first;
        for (unsigned octets = 0; octets < 100; octets++) {
            assert_int_equal(inner_judge(l, &pdp, packet, (uint16_t)octets),
                             octets > 0 ? DROP_NONE : DROP_NPDU_MALFORMED);
            assert_int_equal(inner_judge_uplink(l, &pdp, packet, (uint16_t)octets, false),
                             octets > 0 ? DROP_NONE : DROP_UL_MALFORMED);
        }
    }
    assert_int_equal(inner_judge(l, &pdp, packet, INNER_MAX_OCTETS), DROP_NONE);
    assert_int_equal(inner_judge(l, &pdp, packet, INNER_MAX_OCTETS + 1), DROP_NPDU_TOO_LONG);
}

/* Each truncation of a good one is malformed, either way; so is one that says that it is longer. */
KIT_TEST(ipv6_lengths, NULL)
{
    for (int is_uplink = 0; is_uplink < 2; is_uplink++) {
        struct user_row row = {
            .context = ONLY_V6, .is_uplink = is_uplink, .address = IN(1), .next_header = 17};
        enum drop malformed = is_uplink ? DROP_UL_MALFORMED : DROP_NPDU_MALFORMED;
        uint8_t packet[60];
        user_build(packet, &row);
        for (unsigned octets = 0; octets < sizeof(packet); octets++)
            assert_int_equal(judge(kit, &row, packet, (uint16_t)octets), malformed);
        packet[4] = 0xff; /* 65300 octets: sums of 16 bits would wrap */
        assert_int_equal(judge(kit, &row, packet, sizeof(packet)), malformed);
        packet[4] = 0;
        packet[5] = 0;
        assert_int_equal(judge(kit, &row, packet, sizeof(packet)), DROP_NONE);
        packet[0] = 0x50;
        assert_int_equal(judge(kit, &row, packet, sizeof(packet)), malformed);
    }
}

static const struct {
    const char *name;
    enum known context;
    uint32_t src, dst;
    enum drop reason;
} uplinks[] = {
    {"the mobile's", ONLY_V4, MOBILE, USER_OTHER, DROP_NONE},
    {"the mobile's, of both", BOTH, MOBILE, USER_OTHER, DROP_NONE},
    {"another's", ONLY_V4, USER_OTHER, MOBILE, DROP_UL_SOURCE},
    {"another's, of both", BOTH, USER_OTHER, MOBILE, DROP_UL_SOURCE},
    {"nothing known", UNKNOWN, USER_OTHER, MOBILE, DROP_NONE},
    {"IPv4 of IPv6", ONLY_V6, MOBILE, USER_OTHER, DROP_UL_VERSION},
    {"to our Gn address", ONLY_V4, MOBILE, KIT_SGSN_IP, DROP_UL_INFRASTRUCTURE},
    {"to our Gb address", ONLY_V4, MOBILE, KIT_GB_IP, DROP_UL_INFRASTRUCTURE},
    {"to the GGSN", ONLY_V4, MOBILE, KIT_GGSN_IP, DROP_UL_INFRASTRUCTURE},
    {"another's, to our Gn address", ONLY_V4, USER_OTHER, KIT_SGSN_IP, DROP_UL_SOURCE},
    {"to the BSS", ONLY_V4, MOBILE, KIT_BSS_IP, DROP_UL_INFRASTRUCTURE},
    {"to this host", ONLY_V4, MOBILE, 0, DROP_UL_DESTINATION},
    {"to this network", ONLY_V4, MOBILE, 0x00ffffff, DROP_UL_DESTINATION},
    {"after it", ONLY_V4, MOBILE, 0x01000000, DROP_NONE},
    {"before loopback", ONLY_V4, MOBILE, 0x7effffff, DROP_NONE},
    {"loopback", ONLY_V4, MOBILE, 0x7f000001, DROP_UL_DESTINATION},
    {"loopback's last", UNKNOWN, MOBILE, 0x7fffffff, DROP_UL_DESTINATION},
    {"after loopback", ONLY_V4, MOBILE, 0x80000000, DROP_NONE},
    {"before multicast", ONLY_V4, MOBILE, 0xdfffffff, DROP_NONE},
    {"multicast", ONLY_V4, MOBILE, 0xe0000001, DROP_UL_DESTINATION},
    {"broadcast", ONLY_V4, MOBILE, 0xffffffff, DROP_UL_DESTINATION},
};

KIT_TEST(ipv4_uplink, NULL)
{
    for (size_t i = 0; i < COUNT(uplinks); i++) {
        uint8_t packet[20] = {0x45, 0, 0, 20};
        struct pdp_params pdp = context_of(uplinks[i].context);
        pdp.ggsn_ip = KIT_GGSN_IP;
        for (unsigned k = 0; k < 4; k++) {
            packet[12 + k] = (uint8_t)(uplinks[i].src >> (24 - 8 * k));
            packet[16 + k] = (uint8_t)(uplinks[i].dst >> (24 - 8 * k));
        }
        enum drop reason = inner_judge_uplink(&kit->worker->lookup, &pdp, packet, sizeof(packet), false);
        if (reason != uplinks[i].reason)
            fail_msg("%s: %s", uplinks[i].name, drop_name(reason));
        if (reason == DROP_UL_DESTINATION)
            assert_int_equal(inner_judge_uplink(&kit->worker->lookup, &pdp, packet, sizeof(packet), true), 0);
        for (unsigned octets = 0; octets < sizeof(packet); octets++)
            assert_int_equal(inner_judge_uplink(&kit->worker->lookup, &pdp, packet, (uint16_t)octets, false),
                             DROP_UL_MALFORMED);
    }
}

/* Towards the GGSN over IPv6 its address, and ours, are the network's too. */
KIT_TEST(ipv6_to_the_network, NULL)
{
    struct pdp_params pdp = context_of(ONLY_V6);
    gn_ipv6_order(kit, 0x3001);
    for (uint8_t last = 1; last <= 3; last++) {
        struct user_row row = {.is_uplink = true, .address = IN(1), .next_header = 17};
        uint8_t packet[60];
        user_build(packet, &row);
        put_address(packet + 24, (struct address)GN(last));
        assert_int_equal(inner_judge_uplink(&kit->worker->lookup, &pdp, packet, sizeof(packet), false),
                         last <= 2 ? DROP_UL_INFRASTRUCTURE : DROP_NONE);
    }
}

static const struct {
    const char *name;
    struct address dst;
    uint8_t next_header, type;
    bool is_let_through;
} to_ipv6[] = {
    {"unspecified", NOBODY, 17, 0, false},
    {"loopback", {0, 1}, 17, 0, false},
    {"IPv4-compatible", {0, 0x0a000001}, 17, 0, false},
    {"IPv4-mapped", {0, UINT64_C(0x0000ffff7f000001)}, 17, 0, false},
    {"NAT64", {UINT64_C(0x0064ff9b00000000), 0x08080808}, 17, 0, true},
    {"solicitation to all routers", GROUP(2), 58, 133, true},
    {"ping to all routers", GROUP(2), 58, 128, false},
    {"neighbour advertisement to all nodes", GROUP(1), 58, 136, true},
    {"router advertisement to all nodes", GROUP(1), 58, 134, false},
    {"neighbour solicitation", GROUP(UINT64_C(0x1ff123456)), 58, 135, true},
    {"ping to solicited nodes", GROUP(UINT64_C(0x1ff123456)), 58, 128, false},
    {"neighbour solicitation to another group", GROUP(UINT64_C(0x1fe123456)), 58, 135, false},
    {"DHCPv6", GROUP(0x10002), 17, 2, true},
    {"UDP to DHCP servers", GROUP(0x10002), 17, 0, false},
    {"mDNS", GROUP(0xfb), 17, 0, false},
    {"a group of the site", {UINT64_C(0xff05000000000000), 2}, 58, 133, false},
};

KIT_TEST(ipv6_to_no_host, NULL)
{
    struct pdp_params pdp = context_of(ONLY_V6);
    for (size_t i = 0; i < COUNT(to_ipv6); i++) {
        struct user_row row = {.is_uplink = true,
                               .address = IN(1),
                               .next_header = to_ipv6[i].next_header,
                               .type = to_ipv6[i].type};
        uint8_t packet[60];
        user_build(packet, &row);
        put_address(packet + 24, to_ipv6[i].dst);
        if (row.type == 2)
            memcpy(packet + 42, (uint8_t[]){0x02, 0x23}, 2);
        enum drop reason = inner_judge_uplink(&kit->worker->lookup, &pdp, packet, sizeof(packet), false);
        if (reason != (to_ipv6[i].is_let_through ? DROP_NONE : DROP_UL_DESTINATION))
            fail_msg("%s: %s", to_ipv6[i].name, drop_name(reason));
        assert_int_equal(inner_judge_uplink(&kit->worker->lookup, &pdp, packet, sizeof(packet), true),
                         DROP_NONE);
    }
}

/* The address of a BSS is known as long as one of its NS-VCs is there. */
KIT_TEST(bss_address, NULL)
{
    static const uint8_t packet[20] = {0x45, 0, 0,  20, 0, 0, 0,    0,    0,    0,
                                       0,    0, 10, 11, 0, 2, 0xc6, 0x33, 0x64, 2};
    struct pdp_params pdp = context_of(ONLY_V4);
    const struct lookup *l = &kit->worker->lookup;
    struct msg nsvc = kit_nsvc(1);
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 0});
    assert_int_equal(inner_judge_uplink(l, &pdp, packet, sizeof(packet), false), DROP_UL_INFRASTRUCTURE);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 1});
    assert_int_equal(inner_judge_uplink(l, &pdp, packet, sizeof(packet), false), DROP_NONE);
}

UNIT_MAIN(kit_start, NULL)
