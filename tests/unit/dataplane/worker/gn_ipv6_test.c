/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U over IPv6: which frames are taken, and what is answered. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include <string.h>

#define TEID    0x00003001u
#define PATCHES 3
#define INNER   100

struct patch {
    uint16_t at;
    uint8_t octets;
    uint32_t value;
};

static void put(uint8_t *at, uint32_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static const uint8_t *const inwards[] = {gn_ipv6_addresses[1], gn_ipv6_addresses[0]};

/* --- frames --- */

struct frame_row {
    const char *name;
    enum drop reason; /* DROP_NONE: it goes through */
    struct patch patches[PATCHES];
    bool has_new_sum;
    uint16_t piece_octets; /* not 0: only the first fragment of so many octets; patches then apply to that */
    int more_octets;       /* at the frame's end */
};

/* Octets: payload length 18, next header 20, addresses 22 and 38, UDP 54, GTP 62; of a fragment 54 is its
 * header. */
static const struct frame_row rows[] = {
    {"plain", DROP_NONE, {{0}}, false, 0, 0},
    {"padding", DROP_NONE, {{0}}, false, 0, 9},
    {"traffic class and flow label", DROP_NONE, {{14, 4, 0x6fffffff}}, false, 0, 0},
    {"version 4", DROP_IP_MALFORMED, {{14, 1, 0x40}}, false, 0, 0},
    {"cut short", DROP_IP_MALFORMED, {{0}}, false, 0, -1},
    {"longer than the frame", DROP_IP_MALFORMED, {{18, 2, INNER + 17}}, false, 0, 0},
    {"jumbogram", DROP_IP_EXTENSION, {{18, 2, 0}, {20, 1, 0}}, false, 0, 0},
    {"no payload", DROP_UDP_MALFORMED, {{18, 2, 0}}, false, 0, 0},
    {"hop-by-hop", DROP_IP_EXTENSION, {{20, 1, 0}}, false, 0, 0},
    {"routing", DROP_IP_EXTENSION, {{20, 1, 43}}, false, 0, 0},
    {"destination options", DROP_IP_EXTENSION, {{20, 1, 60}}, false, 0, 0},
    {"authentication", DROP_IP_EXTENSION, {{20, 1, 51}}, false, 0, 0},
    {"nothing behind", DROP_NOT_UDP, {{20, 1, 59}}, false, 0, 0},
    {"TCP", DROP_NOT_UDP, {{20, 1, 6}}, false, 0, 0},
    {"neighbour discovery", DROP_NOT_UDP, {{20, 1, 58}}, false, 0, 0},
    {"other address", DROP_OTHER_ADDRESS, {{53, 1, 9}}, true, 0, 0},
    {"a GGSN's address", DROP_OTHER_ADDRESS, {{53, 1, 2}}, true, 0, 0},
    {"UDP longer than IP", DROP_UDP_MALFORMED, {{58, 2, INNER + 17}}, false, 0, 0},
    {"UDP shorter than its header", DROP_UDP_MALFORMED, {{58, 2, 7}}, false, 0, 0},
    {"no checksum", DROP_UDP_CHECKSUM, {{60, 2, 0}}, false, 0, 0},
    {"wrong checksum", DROP_UDP_CHECKSUM, {{100, 1, 0x5a}}, false, 0, 0},
    {"wrong source for the checksum", DROP_UDP_CHECKSUM, {{37, 1, 3}}, false, 0, 0},
    {"other port", DROP_OTHER_PORT, {{56, 2, 2123}}, true, 0, 0},
    {"extension of no length", DROP_GTPU_MALFORMED, {{62, 1, 0x34}, {73, 1, 0xc0}, {74, 1, 0}}, true, 0, 0},
    {"known, not the GGSN", DROP_OTHER_GGSN, {{37, 1, 3}}, true, 0, 0},
    {"not known", DROP_OTHER_GGSN, {{37, 1, 9}}, true, 0, 0},
    {"unknown TEID", DROP_UNKNOWN_TEID, {{66, 4, TEID + 1}}, true, 0, 0},
    {"TEID of a tunnel over IPv4", DROP_UNKNOWN_TEID, {{66, 4, KIT_TEID}}, true, 0, 0},
    {"one fragment that is whole", DROP_NONE, {{0}}, false, 2000, 0},
    {"the same, padded", DROP_NONE, {{0}}, false, 2000, 5},
    {"fragment header cut", DROP_IP_MALFORMED, {{18, 2, 7}}, false, 2000, 0},
    {"fragment of nothing", DROP_IP_MALFORMED, {{18, 2, 8}}, false, 2000, 0},
    {"fragment of a hop-by-hop", DROP_IP_EXTENSION, {{54, 1, 0}}, false, 2000, 0},
    {"fragment of a fragment", DROP_IP_EXTENSION, {{54, 1, 44}}, false, 2000, 0},
    {"fragment of TCP", DROP_NOT_UDP, {{54, 1, 6}}, false, 2000, 0},
    {"ragged fragment", DROP_IP_MALFORMED, {{18, 2, 8 + 63}}, false, 64, 0},
    {"fragment beyond 65535", DROP_IP_MALFORMED, {{56, 2, 0xfff9}}, false, 64, 0},
    {"last fragment beyond 65535", DROP_IP_MALFORMED, {{56, 2, 0xfff8}}, false, 64, 0},
};

static size_t build(uint8_t *frame, const struct frame_row *row)
{
    uint8_t whole[KIT_FRAME_OCTETS] = {0};
    size_t octets = gn_ipv6_g_pdu(whole, TEID, INNER, 1);
    if (row->piece_octets)
        octets = gn_ipv6_fragment(frame, whole, octets, row->piece_octets, 0);
    else
        memcpy(frame, whole, octets);
    for (unsigned i = 0; i < PATCHES; i++)
        put(frame + row->patches[i].at, row->patches[i].value, row->patches[i].octets);
    if (row->has_new_sum)
        gn_ipv6_sum(frame);
    return octets + (size_t)row->more_octets;
}

KIT_TEST(frames, NULL)
{
    gn_ipv6_order(kit, TEID);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t frame[KIT_FRAME_OCTETS] = {0};
        struct worker_stats before = kit->worker->stats;
        bool goes = rows[i].reason == DROP_NONE;
        kit->now += MOMENT_SECOND;
        kit_from_gn(kit, frame, build(frame, &rows[i]));
        const struct worker_stats *after = &kit->worker->stats;
        if (after->npdu_out != before.npdu_out + goes || after->gn_held != 0 ||
            after->gn_drops[rows[i].reason] != before.gn_drops[rows[i].reason] + !goes)
            fail_msg("%s: not %s", rows[i].name, drop_name(rows[i].reason));
        kit_drain(&kit->gb);
        kit_drain(&kit->gn);
    }
}

/* A checksum of 0 means none, also where it would be the right sum. */
KIT_TEST(zero_checksum, NULL)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    gn_ipv6_order(kit, TEID);
    size_t octets = gn_ipv6_g_pdu(frame, TEID, INNER, 1);
    put(frame + 100, 0, 2);
    gn_ipv6_sum(frame);
    memcpy(frame + 100, frame + 60, 2);
    put(frame + 60, 0, 2);
    kit_from_gn(kit, frame, octets);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_UDP_CHECKSUM], 1);
    put(frame + 60, 0xffff, 2); /* as it is to be sent */
    kit_from_gn(kit, frame, octets);
    assert_int_equal(kit->worker->stats.npdu_out, 1);
}

/* Before control has told of any address all of IPv6 is for others. */
KIT_TEST(nothing_known, NULL)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gn(kit, frame, gn_ipv6_g_pdu(frame, KIT_TEID, INNER, 1));
    assert_int_equal(kit->worker->stats.gn_drops[DROP_OTHER_ADDRESS], 1);
}

/* --- fragments --- */

static const struct {
    const char *name;
    uint16_t inner_octets, piece_octets;
    bool goes;
    uint8_t held, lost, too_long, pieces;
    uint8_t order[6];
} pieces[] = {
    {"two in order", 1500, 1440, true, 0, 0, 0, 2, {0, 1}},
    {"two the other way round", 1500, 1440, true, 0, 0, 0, 2, {1, 0}},
    {"three 201", 1500, 600, true, 0, 0, 0, 3, {2, 0, 1}},
    {"shortest pieces", 24, 8, true, 0, 0, 0, 5, {4, 0, 3, 1, 2}},
    {"last missing", 1500, 600, false, 2, 0, 0, 2, {0, 1}},
    {"first missing", 1500, 600, false, 2, 0, 0, 2, {1, 2}},
    {"first twice", 1500, 1440, true, 0, 0, 0, 3, {0, 0, 1}},
    {"last three times", 1500, 1440, true, 0, 0, 0, 4, {1, 1, 1, 0}},
    {"longer than a buffer", 3000, 1440, false, 0, 0, 1, 3, {0, 1, 2}},
};

TEST(fragments)
{
    for (size_t i = 0; i < COUNT(pieces); i++) {
        static uint8_t whole[8192];
        struct kit kit;
        kit_open(&kit, NULL);
        gn_ipv6_order(&kit, TEID);
        size_t octets = gn_ipv6_g_pdu(whole, TEID, pieces[i].inner_octets, 5);
        for (unsigned k = 0; k < pieces[i].pieces; k++) {
            uint8_t piece[KIT_FRAME_OCTETS];
            kit_from_gn(&kit, piece,
                        gn_ipv6_fragment(piece, whole, octets, pieces[i].piece_octets, pieces[i].order[k]));
        }
        const struct worker_stats *s = &kit.worker->stats;
        if (s->npdu_out != pieces[i].goes || s->gn_held != pieces[i].held ||
            s->gn_drops[DROP_FRAGMENT_LOST] != pieces[i].lost ||
            s->gn_drops[DROP_TOO_LONG] != pieces[i].too_long)
            fail_msg("%s: out %lu held %lu lost %lu", pieces[i].name, s->npdu_out, s->gn_held,
                     s->gn_drops[DROP_FRAGMENT_LOST]);
        kit_settle_at(&kit, kit.now + 6 * MOMENT_SECOND);
        assert_int_equal(s->gn_held, 0);
        kit_close(&kit);
    }
}

/* --- answers --- */

static const uint8_t echo[] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xab, 0xcd, 0, 0};
static const uint8_t stray[36] = {0x30, 255, 0, 28, 0, 0, 0x77, 1, 0x45};

static const struct {
    const char *name;
    uint16_t port;
    uint8_t octets;
    uint8_t gtp[40];
    uint16_t to_port; /* 0: no answer */
    uint8_t answer_octets;
    uint8_t answer[40];
} answers[] = {
    ROW("Echo", 40000, 12, {0x32, 1, 0, 4, 0, 0, 0, 0, 1, 2}, 40000, 14,
        {0x32, 2, 0, 6, 0, 0, 0, 0, 1, 2, 0, 0, 14}),
    {"Echo without S", 2152, 8, {0x30, 1}, 0, 0, {0}}, /* six octets longer */
    ROW("unknown tunnel", 2152, 36, {0x30, 255, 0, 28, 0, 0, 0x77, 1, 0x45}, 2152, 36,
        {0x32, 26, 0, 28, [12] = 16, 0, 0, 0x77, 1, 133, 0, 16, 0x20, 1, 0x0d, 0xb8, [35] = 1}),
    {"shorter than the answer", 2152, 35, {0x30, 255, 0, 27, 0, 0, 0x77, 1, 0x45}, 0, 0, {0}},
    ROW("unknown tunnel, other port", 0x1234, 40, {0x30, 255, 0, 32, 0, 0, 0x77, 1, 0x45}, 2152, 40,
        {0x36, 26,   0, 32,  [11] = 0x40, 1,  0x12, 0x34, 0,    16,   0,
         0,    0x77, 1, 133, 0,           16, 0x20, 1,    0x0d, 0xb8, [39] = 1}),
    ROW("extension to be understood", 2152, 20, {0x34, 255, 0, 12, 0, 0, 0x77, 1, 0, 0, 0, 0x81, 1}, 2152, 15,
        {0x32, 31, 0, 7, [12] = 141, 1, 0xc0}),
};

static void send_from(struct kit *kit, const uint8_t *source, uint16_t port, const uint8_t *gtp,
                      size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t *const ip[] = {source, gn_ipv6_addresses[0]};
    kit_from_gn(kit, frame, gn_ipv6_wrap(frame, ip, (uint16_t[]){port, 2152}, gtp, octets));
}

KIT_TEST(answered, NULL)
{
    gn_ipv6_order(kit, TEID);
    for (size_t i = 0; i < COUNT(answers); i++) {
        uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
        const uint8_t *const outwards[] = {gn_ipv6_addresses[0], inwards[0]};
        uint16_t ports[] = {2152, answers[i].to_port};
        kit->now += MOMENT_SECOND;
        send_from(kit, inwards[0], answers[i].port, answers[i].gtp, answers[i].octets);
        size_t octets = kit_take_gn(kit, got);
        if (octets != (answers[i].to_port ? GN_IPV6_GTP + (size_t)answers[i].answer_octets : 0))
            fail_msg("%s", answers[i].name);
        if (octets == 0)
            continue;
        gn_ipv6_wrap(want, outwards, ports, answers[i].answer, answers[i].answer_octets);
        assert_memory_equal(got + 12, want + 12, octets - 12);
        assert_int_equal(kit_drain(&kit->gn), 0);
    }
    assert_int_equal(kit->worker->stats.gn_unanswerable, 2);
}

/* Nobody who is no single host, nor ourselves; a prefix of 64 bits is one source. */
TEST(sources)
{
    static const struct {
        uint8_t ip[16];
        bool is_answered;
    } peers[] = {
        {{0x20, 1, 0x0d, 0xb8, [15] = 9}, true},
        {{0xfe, 0x80, [15] = 9}, true},
        {{0}, false},
        {{[15] = 1}, false},
        {{0xff, 2, [15] = 1}, false},
        {{[10] = 0xff, 0xff, 10, 0, 0, 1}, false},
        {{0x20, 1, 0x0d, 0xb8, [15] = 1}, false},
    };
    struct kit kit;
    kit_open(&kit, NULL);
    gn_ipv6_order(&kit, TEID);
    for (size_t i = 0; i < COUNT(peers); i++) {
        kit.now += MOMENT_SECOND;
        send_from(&kit, peers[i].ip, 2152, echo, sizeof(echo));
        send_from(&kit, peers[i].ip, 2152, stray, sizeof(stray));
        assert_int_equal(kit_drain(&kit.gn), peers[i].is_answered ? 2 : 0);
    }
    kit.now += MOMENT_SECOND;
    for (unsigned i = 0; i < 3 * BUDGET_SOURCE_BURST; i++) {
        uint8_t source[16] = {
            0x20, 1, 0x0d, 0xb8, [7] = (uint8_t)(i >= 2 * BUDGET_SOURCE_BURST), [15] = (uint8_t)(i + 20)};
        send_from(&kit, source, 2152, stray, sizeof(stray));
    }
    assert_int_equal(kit_drain(&kit.gn), 2 * BUDGET_SOURCE_BURST);
    assert_int_equal(kit.worker->stats.gn_rate_limited, BUDGET_SOURCE_BURST);
    kit_close(&kit);
}

/* --- Error Indications that come in --- */

static const struct {
    const char *name;
    uint8_t from, named; /* last octets of addresses */
    uint8_t address_octets;
    bool is_told;
} errors[] = {
    {"names another", 2, 3, 16, false},
    {"comes from another", 3, 2, 16, false},
    {"another names itself", 3, 3, 16, false},
    {"names IPv4", 2, 2, 4, false},
    {"not known", 9, 9, 16, false},
    {"good", 2, 2, 16, true},
    {"told once", 2, 2, 16, false},
};

KIT_TEST(error_indications, NULL)
{
    gn_ipv6_order(kit, TEID);
    for (size_t i = 0; i < COUNT(errors); i++) {
        /* What is behind four octets of an address is the rest of one, for whoever reads too far. */
        uint8_t gtp[36] = {0x32, 26, 0, 28, [12] = 16, [17] = 133, 0, errors[i].address_octets};
        uint8_t source[16] = {0x20, 1, 0x0d, 0xb8, [15] = errors[i].from};
        struct msg msg;
        put(gtp + 13, KIT_GGSN_TEID, 4);
        memcpy(gtp + 20, (uint8_t[16]){0x20, 1, 0x0d, 0xb8, [15] = errors[i].named}, 16);
        send_from(kit, source, 2152, gtp, sizeof(gtp));
        bool is_told = kit_take_msg(kit, &msg);
        if (is_told != errors[i].is_told)
            fail_msg("%s", errors[i].name);
        if (is_told)
            assert_true(msg.type == MSG_TUNNEL_ERROR && msg.tunnel_error.ggsn_ip == GN_IPV6_GGSN &&
                        msg.tunnel_error.teid == KIT_GGSN_TEID);
    }
}

/* --- orders --- */

KIT_TEST(refused, NULL)
{
    struct msg address = {.type = MSG_GN_IPV6, .ipv6 = {.place = 0, .octets = {0x20, 1, [15] = 1}}};
    struct msg pdp = kit_pdp(2, 0, 7, TEID + 7);
    pdp.pdp.sgsn_ip = GN_IPV6_SGSN;
    pdp.pdp.ggsn_ip = GN_IPV6_GGSN;
    assert_int_equal(kit_order(kit, &pdp), -1);
    gn_ipv6_order(kit, TEID);
    assert_int_equal(kit_order(kit, &address), -1); /* another is there */
    address.ipv6.place = ADDRESSES_MAX;
    assert_int_equal(kit_order(kit, &address), -1);
    address.ipv6.place = ADDRESSES_MAX - 1;
    kit_do(kit, &address);
    kit_do(kit, &address); /* known already */
    pdp.pdp.ggsn_ip = KIT_GGSN_IP;
    assert_int_equal(kit_order(kit, &pdp), -1); /* of two versions */
    pdp.pdp.ggsn_ip = GN_IPV6_OTHER + 5;
    assert_int_equal(kit_order(kit, &pdp), -1);
    pdp.pdp.ggsn_ip = ADDRESS_NONE;
    kit_do(kit, &pdp);
}

UNIT_MAIN(kit_start, NULL)
