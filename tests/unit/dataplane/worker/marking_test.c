/* SPDX-License-Identifier: BSD-3-Clause */
/* DSCP and ECN of outer headers, on Gn both ways (RFC 6040) and on Gb. */
#include "dataplane/context/marking.h"
#include "dataplane/worker/gb_transport.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include <rte_mbuf.h>
#include <string.h>

#define TEID   0x00003001u
#define OCTETS 100
#define IP     14 /* of a frame */

enum { NOT, ECT1, ECT0, CE, LOST = -1 };

/* RFC 6040 clause 4.2, figure 4: rows by the inner header, columns by the outer. */
static const int table[4][4] = {[NOT] = {NOT, NOT, NOT, LOST},
                                [ECT1] = {ECT1, ECT1, ECT1, CE},
                                [ECT0] = {ECT0, ECT1, ECT0, CE},
                                [CE] = {CE, CE, CE, CE}};

static bool is_sum_right(const uint8_t *ip)
{
    uint8_t copy[20];
    memcpy(copy, ip, sizeof copy);
    gn_frame_sum_ip(copy);
    return memcmp(copy, ip, sizeof copy) == 0;
}

static void set_tos(uint8_t *ip, uint8_t tos)
{
    ip[1] = tos;
    gn_frame_sum_ip(ip);
}

static uint8_t tos_of(const uint8_t *ip)
{
    return ip[0] >> 4 == 4 ? ip[1] : (uint8_t)(ip[0] << 4 | ip[1] >> 4);
}

/* --- off: Gn, downlink --- */

enum form { PLAIN, TAGGED, OPTIONS, VERSION_6, FORMS };

/* A G-PDU whose N-PDU and outer header have these traffic classes. */
static size_t make(uint8_t *frame, enum form form, uint8_t inner, uint8_t outer)
{
    struct gn_frame in = {.teid = KIT_TEID,
                          .inner_octets = OCTETS,
                          .has_vlan = form == TAGGED,
                          .ip_option_words = 2 * (form == OPTIONS)};
    size_t octets = form == VERSION_6 ? gn_ipv6_g_pdu(frame, TEID, OCTETS, 1) : gn_frame_build(frame, &in);
    uint8_t *n_pdu = frame + octets - OCTETS, *ip = frame + IP + 4 * (form == TAGGED);
    set_tos(n_pdu, inner);
    if (form == VERSION_6) {
        ip[0] = (uint8_t)(0x60 | outer >> 4);
        ip[1] = (uint8_t)(outer << 4);
        gn_ipv6_sum(frame);
    } else {
        set_tos(ip, outer);
    }
    return octets;
}

static void expect_inner(struct kit *kit, int tos)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = kit_take_gb(kit, frame);
    if (tos == LOST) {
        assert_int_equal(octets, 0);
        return;
    }
    assert_true(octets > OCTETS);
    const uint8_t *n_pdu = frame + octets - 3 - OCTETS; /* FCS is behind it */
    assert_int_equal(n_pdu[1], tos);
    assert_true(is_sum_right(n_pdu));
}

KIT_TEST(taken_off, NULL)
{
    uint64_t lost = 0;
    gn_ipv6_order(kit, TEID);
    for (unsigned i = 0; i < 16 * FORMS; i++) {
        uint8_t frame[KIT_FRAME_OCTETS], inner = i & 3, outer = i >> 2 & 3;
        int want = table[inner][outer];
        kit_from_gn(kit, frame, make(frame, i / 16, (uint8_t)(0xb8 | inner), (uint8_t)(0x48 | outer)));
        expect_inner(kit, want == LOST ? LOST : 0xb8 | want);
        lost += want == LOST;
        assert_int_equal(kit->worker->stats.npdu_in, i + 1);
    }
    uint64_t drops = 0;
    for (unsigned qclass = 0; qclass < QCLASS_COUNT; qclass++)
        drops += context_counts(&kit->worker->context, 0, (uint8_t)qclass)
                     ->drops[DROP_CE_NOT_ECT - DROP_FIRST_NPDU];
    assert_int_equal(drops, lost);
}

/* The same of a user's IPv6 packet, and of what is no IP packet. */
TEST(taken_off_others)
{
    for (unsigned i = 0; i < 16; i++) {
        uint8_t packet[48] = {0x6b, (uint8_t)(0x80 | (i & 3) << 4)}, ppp[48] = {0x45, (uint8_t)(i & 3)},
                same[48];
        struct n_pdu n_pdu = {.data = packet, .octets = sizeof packet, .tos = (uint8_t)(i >> 2)};
        int want = table[i & 3][i >> 2];
        assert_int_equal(marking_take_off(&n_pdu), want == LOST ? DROP_CE_NOT_ECT : DROP_NONE);
        assert_int_equal(packet[1], 0x80 | (want == LOST ? NOT : want) << 4);
        memcpy(same, ppp, sizeof ppp);
        n_pdu =
            (struct n_pdu){.data = ppp, .octets = sizeof ppp, .tos = (uint8_t)(i >> 2), .is_opaque = true};
        assert_int_equal(marking_take_off(&n_pdu), i >> 2 == CE ? DROP_CE_NOT_ECT : DROP_NONE);
        assert_memory_equal(ppp, same, sizeof ppp);
    }
}

/* One fragment with CE marks the datagram (RFC 3168 clause 5.3). */
KIT_TEST(taken_off_fragments, NULL)
{
    gn_ipv6_order(kit, TEID);
    for (unsigned i = 0; i < 2 * 3; i++) {
        uint8_t whole[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
        bool is_ipv6 = i >= 3;
        size_t octets = make(whole, is_ipv6 ? VERSION_6 : PLAIN, ECT0, ECT0);
        for (unsigned k = 0; k < 3; k++) {
            size_t length = is_ipv6 ? gn_ipv6_fragment(piece, whole, octets, 48, k)
                                    : gn_frame_fragment(piece, whole, octets, 48, k);
            if (k == i % 3 && is_ipv6)
                piece[IP + 1] |= CE << 4;
            else if (k == i % 3)
                set_tos(piece + IP, CE);
            kit_from_gn(kit, piece, length);
        }
        expect_inner(kit, CE);
    }
}

/* --- on: Gn, uplink --- */

static const struct marking by_class = {.dscp = {[QCLASS_SIGNALLING] = 48, [QCLASS_BACKGROUND] = 10}},
                            copied = {.dscp = {[QCLASS_SIGNALLING] = 48, [QCLASS_BACKGROUND] = 10},
                                      .copies_dscp = true},
                            cleared = {.clears_ecn = true};

static const struct {
    const char *name;
    const struct marking *marking; /* NULL: as it is without any */
    uint8_t inner, outer;
} rows[] = {
    {"Not-ECT", NULL, 0xb8, 0},
    {"ECT(1)", NULL, 0xb9, ECT1},
    {"ECT(0)", NULL, 0xba, ECT0},
    {"CE", NULL, 0xbb, CE},
    {"cleared", &cleared, 0xbb, NOT},
    {"class", &by_class, 0xb8, 40},
    {"class, CE", &by_class, 0xbb, 43},
    {"copied", &copied, 0xb8, 0xb8},
    {"copied, ECT(0)", &copied, 0xba, 0xba},
    {"copied, none", &copied, 0, 0},
};

static void play_uplink(struct kit *kit, unsigned row, bool is_ipv6, uint16_t nu)
{
    uint8_t n_pdu[OCTETS], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.nsapi = is_ipv6 ? 6 : KIT_NSAPI, .nu = nu, .octets = OCTETS, .data = n_pdu};
    gn_frame_inner(n_pdu, OCTETS, 9);
    set_tos(n_pdu, rows[row].inner);
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    assert_true(kit_take_gn(kit, frame) > OCTETS);
    if (tos_of(frame + IP) != rows[row].outer || (!is_ipv6 && !is_sum_right(frame + IP)))
        fail_msg("%s%s: %02x", rows[row].name, is_ipv6 ? ", IPv6" : "", tos_of(frame + IP));
}

TEST(put_on)
{
    for (unsigned row = 0; row < COUNT(rows); row++) {
        struct kit kit;
        struct kit_options options = {0};
        if (rows[row].marking)
            options.gn_marking = *rows[row].marking;
        kit_open(&kit, &options);
        gn_ipv6_order(&kit, TEID);
        play_uplink(&kit, row, false, 0);
        play_uplink(&kit, row, true, 1);
        kit_close(&kit);
    }
}

/* Answers of GTP-U have the DSCP of signalling. */
KIT_TEST(put_on_answers, &(struct kit_options){.gn_marking = by_class})
{
    static const uint8_t echo[] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xab, 0xcd, 0, 0};
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint32_t ips[] = {KIT_GGSN_IP, KIT_SGSN_IP};
    kit_from_gn(kit, frame, gn_frame_wrap(frame, ips, (uint16_t[]){2152, 2152}, echo, sizeof echo));
    assert_true(kit_take_gn(kit, frame) > 0);
    assert_int_equal(frame[IP + 1], 48 << 2);
    assert_true(is_sum_right(frame + IP));
}

/* --- Gb --- */

static void expect_gb(struct kit *kit, unsigned frames, uint8_t tos)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    for (unsigned i = 0; i < frames; i++) {
        assert_true(kit_take_gb(kit, frame) > 0);
        assert_int_equal(frame[IP + 1], tos);
        assert_true(is_sum_right(frame + IP));
    }
    assert_int_equal(kit_take_gb(kit, frame), 0);
}

static void send_signalling(struct kit *kit)
{
    struct msg msg = {.type = MSG_SEND, .slot = 0, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    memset(rte_pktmbuf_append(msg.mbuf, 20), 0, 20);
    kit_do(kit, &msg);
}

/* Segments at once and one by one from the queue, with and without elements: all frames of an N-PDU are
 * alike; ECN stays with the user. */
static void play_gb(const struct marking *marking, uint8_t signalling, uint8_t data)
{
    for (unsigned way = 0; way < 3; way++) {
        struct kit kit;
        uint8_t frame[KIT_FRAME_OCTETS];
        kit_open(&kit, &(struct kit_options){.gb_marking = *marking,
                                             .n201_u = 140,
                                             .is_aligned = way == 1,
                                             .queue_limit_octets = 5000});
        send_signalling(&kit);
        expect_gb(&kit, 1, signalling);
        struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 500, .seed = 1};
        size_t octets = gn_frame_build(frame, &in);
        set_tos(frame + octets - 500, 0x8a);
        if (way == 2)
            kit_flow(&kit, 200, 1000000);
        kit_from_gn(&kit, frame, octets);
        if (way == 2)
            for (unsigned i = 0; i < 8; i++)
                kit_settle_at(&kit, kit.now + 20 * KIT_MS);
        expect_gb(&kit, 4, data);
        kit_close(&kit);
    }
}

TEST(gb)
{
    static const struct marking alike = {.dscp = {46, 46, 46, 46, 46, 46, 46, 46}};
    play_gb(&(struct marking){0}, 0, 0);
    play_gb(&alike, 46 << 2, 46 << 2);
    play_gb(&by_class, 48 << 2, 40);
    play_gb(&copied, 48 << 2, 0x88);
}

TEST(gb_over_ipv6)
{
    for (unsigned tos = 0; tos < 256; tos++) {
        uint8_t frame[IP + 40], want[IP + 40];
        memset(frame, 0, sizeof frame);
        frame[IP] = 0x6c;
        frame[IP + 1] = 0x05; /* with a part of a flow label */
        memcpy(want, frame, sizeof frame);
        want[IP] = (uint8_t)(0x60 | tos >> 4);
        want[IP + 1] = (uint8_t)(tos << 4 | 5);
        gb_transport_mark(frame, (uint8_t)tos);
        assert_memory_equal(frame, want, sizeof want);
    }
}

UNIT_MAIN(kit_start, NULL)
