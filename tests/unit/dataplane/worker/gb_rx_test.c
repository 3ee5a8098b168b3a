/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from Gb: what each becomes, and what the G-PDU looks like that leaves on Gn. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

#define TUNNEL_OCTETS 50

struct uplink_row {
    const char *name;
    enum drop reason; /* DROP_NONE: an N-PDU leaves, or control is told */
    struct gb_frame_uplink frame;
    bool is_for_control;
};

static const struct uplink_row kinds[] = {
    {"whole N-PDU", DROP_NONE, {.nu = 0, .octets = 60}},
    {"N(U) again", DROP_LLC_OLD, {.nu = 0, .octets = 60}},
    {"PM 0", DROP_NONE, {.nu = 1, .octets = 60, .is_pm0 = true}},
    {"bad FCS", DROP_LLC_FCS, {.nu = 2, .octets = 60, .has_bad_fcs = true}},
    {"N(U) of the bad one", DROP_NONE, {.nu = 2, .octets = 60}},
    {"bad FCS, PM 0", DROP_LLC_FCS, {.nu = 3, .octets = 60, .is_pm0 = true, .has_bad_fcs = true}},
    {"unknown TLLI", DROP_UNKNOWN_TLLI, {.tlli = KIT_TLLI + 1, .nu = 3, .octets = 60}},
    {"XID", DROP_NONE, {.control = 0xfb}, true},
    {"XID on SAPI 1", DROP_NONE, {.control = 0xfb, .sapi = 1}, true},
    {"SABM", DROP_NONE, {.control = 0xf7}, true},
    {"NULL", DROP_NONE, {.control = 0xe0}, true},
    {"SAPI 1", DROP_NONE, {.sapi = 1, .octets = 60}, true},
    {"SAPI 7", DROP_NONE, {.sapi = 7, .octets = 60}, true},
    {"SAPI 1, again: layer 3 judges", DROP_NONE, {.sapi = 1, .octets = 60}, true},
    {"SAPI 7, again", DROP_LLC_OLD, {.sapi = 7, .octets = 60}},
    {"XID with bad FCS", DROP_LLC_FCS, {.control = 0xfb, .has_bad_fcs = true}},
    {"XID on SAPI 8", DROP_NONE, {.control = 0xfb, .sapi = 8}, true},
    {"ciphered", DROP_LLC_CIPHERING, {.nu = 3, .octets = 60, .cipher.is_on = true}},
    {"ciphered on SAPI 1", DROP_LLC_CIPHERING, {.sapi = 1, .nu = 1, .octets = 60, .cipher.is_on = true}},
    {"SAPI 8", DROP_LLC_UNSUPPORTED, {.sapi = 8, .octets = 60}},
    {"reserved SAPI", DROP_LLC_MALFORMED, {.sapi = 4, .octets = 60}},
    {"protocol discriminator", DROP_LLC_MALFORMED, {.sapi = 0x83, .octets = 60}},
    {"as from a response", DROP_NONE, {.sapi = 0x43, .nu = 3, .octets = 60}},
    {"as from a response, spare bits", DROP_NONE, {.sapi = 0x73, .nu = 4, .octets = 60}},
    {"NSAPI without context", DROP_SNDCP_NO_CONTEXT, {.nsapi = 6, .nu = 5, .octets = 60}},
    {"NSAPI of no context", DROP_SNDCP_MALFORMED, {.nsapi = 4, .nu = 6, .octets = 60}},
    {"SN-DATA", DROP_SNDCP_MALFORMED, {.sndcp = 0x45, .nu = 7, .octets = 60}},
    {"DCOMP", DROP_SNDCP_NO_ENTITY, {.compression = 0x10, .nu = 8, .octets = 60}},
    {"PCOMP", DROP_SNDCP_NO_ENTITY, {.compression = 0x01, .nu = 9, .octets = 60}},
    {"first, but with the header of another",
     DROP_SNDCP_NO_ENTITY,
     {.sndcp = 0x65, .segment = 1, .nu = 10, .octets = 60}},
    {"segment of nothing", DROP_SNDCP_INCOMPLETE, {.segment = 1, .nu = 11, .octets = 60}},
    {"no octets", DROP_SNDCP_INCOMPLETE, {.nu = 12}},
    {"one octet", DROP_UL_MALFORMED, {.nu = 13, .octets = 1}},
    {"longest N-PDU", DROP_NONE, {.nu = 14, .octets = 1503}},
    {"too long an N-PDU", DROP_SNDCP_INCOMPLETE, {.nu = 15, .octets = 1504}},
    {"N(U) ahead", DROP_NONE, {.nu = 300, .octets = 60}},
    {"late", DROP_NONE, {.nu = 290, .octets = 60}},
    {"late again", DROP_LLC_OLD, {.nu = 290, .octets = 60}},
    {"wrapped", DROP_NONE, {.nu = 2, .octets = 60}},
    {"no information", DROP_NONE, {.nu = 3, .is_empty = true}, true},
    {"no information, again", DROP_LLC_OLD, {.nu = 3, .is_empty = true}},
    {"other SAPI, own numbers", DROP_NONE, {.sapi = 5, .nu = 2, .octets = 60}},
};

static uint16_t u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

/* A G-PDU with these octets comes next on Gn. */
static void expect_g_pdu(struct kit *kit, const uint8_t *n_pdu, uint16_t octets)
{
    static const uint8_t macs[14] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0};
    static const uint8_t addresses[8] = {0xc0, 0, 2, 1, 0xc0, 0, 2, 2};
    uint8_t got[KIT_FRAME_OCTETS], gtp[8] = {0x30, 255, 0, 0, 0, 0, 0x20, 0x02}, sum[2];

    assert_int_equal(kit_take_gn(kit, got), TUNNEL_OCTETS + octets);
    assert_memory_equal(got, macs, sizeof(macs));
    assert_int_equal(u16(got + 14), 0x4500 | (n_pdu[0] >> 4 == 4 ? n_pdu[1] & 3 : 0)); /* ECN of the N-PDU */
    assert_int_equal(u16(got + 16), 36 + octets);
    assert_int_equal(u16(got + 18), kit->worker->stats.ul_npdu_out - 1);
    assert_int_equal(got[23], 17);
    assert_memory_equal(got + 26, addresses, sizeof(addresses));
    memcpy(sum, got + 24, 2);
    gn_frame_sum_ip(got + 14);
    assert_memory_equal(got + 24, sum, 2);
    assert_int_equal(u16(got + 34), 2152);
    assert_int_equal(u16(got + 36), 2152);
    assert_int_equal(u16(got + 38), 16 + octets);
    assert_int_equal(u16(got + 40), 0);
    gtp[2] = (uint8_t)(octets >> 8);
    gtp[3] = (uint8_t)octets;
    assert_memory_equal(got + 42, gtp, sizeof(gtp));
    assert_memory_equal(got + TUNNEL_OCTETS, n_pdu, octets);
}

static void send(struct kit *kit, const struct gb_frame_uplink *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gb(kit, frame, gb_frame_uplink(frame, in));
}

/* Control is told of an LLC frame: header and information. */
static void expect_llc_punt(struct kit *kit, const struct gb_frame_uplink *in)
{
    struct msg msg;
    bool is_ui = in->control == 0;

    assert_true(kit_take_msg(kit, &msg));
    assert_int_equal(msg.type, MSG_PUNT_LLC);
    assert_int_equal(msg.slot, 0);
    assert_int_equal(msg.llc.sapi, in->sapi ? in->sapi : KIT_SAPI);
    assert_false(msg.llc.is_ciphered);
    const uint8_t *llc = rte_pktmbuf_mtod(msg.mbuf, const uint8_t *);
    assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), in->is_empty ? 3 : is_ui ? 3 + 4 + in->octets : 2);
    assert_int_equal(llc[0], msg.llc.sapi);
    if (is_ui && !in->is_empty)
        assert_memory_equal(llc + 7, in->data, in->octets);
    if (!is_ui)
        assert_int_equal(llc[1], in->control);
    rte_pktmbuf_free(msg.mbuf);
}

TEST(frames)
{
    struct kit kit;
    uint8_t data[2000];

    kit_open(&kit, &(struct kit_options){.gn_mtu_octets = 1600});
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct gb_frame_uplink in = kinds[i].frame;
        struct worker_stats before = kit.worker->stats;
        bool is_good = kinds[i].reason == DROP_NONE, is_told = kinds[i].is_for_control;
        bool goes = is_good && !is_told;
        in.data = data;
        gn_frame_inner(data, in.octets, (uint16_t)i);
        send(&kit, &in);
        if (kit.worker->stats.ul_npdu_out != before.ul_npdu_out + goes ||
            kit.worker->stats.punted != before.punted + is_told ||
            kit.worker->stats.gb_drops[kinds[i].reason] != before.gb_drops[kinds[i].reason] + !is_good)
            fail_msg("%s: not %s", kinds[i].name, drop_name(kinds[i].reason));
        if (is_told)
            expect_llc_punt(&kit, &in);
        if (goes)
            expect_g_pdu(&kit, data, in.octets);
        assert_int_equal(kit_drain(&kit.gn), 0);
    }
    kit_close(&kit);
}

/* --- what is no user's packet --- */

struct other_row {
    const char *name;
    enum drop reason; /* DROP_NONE: goes to control */
    uint8_t nsvc;
    uint8_t octets;
    uint8_t ns_pdu[16];
    uint8_t at, value; /* an octet of the frame that is set to something else */
};

static const struct other_row others[] = {
    {"NS-ALIVE", DROP_NONE, 0, 1, {0x0a}, 0, 0},
    {"nothing at all", DROP_NONE, 0, 0, {0}, 0, 0},
    {"half an NS-UNITDATA", DROP_NONE, 0, 3, {0, 0, 0}, 0, 0},
    {"NS-UNITDATA of nothing", DROP_NONE, 0, 4, {0, 0, 0, 7}, 0, 0},
    {"FLOW-CONTROL-BVC", DROP_NONE, 0, 6, {0, 0, 0, 7, 0x26, 0x1e}, 0, 0},
    {"DL-UNITDATA", DROP_NONE, 0, 6, {0, 0, 0, 7, 0, 0}, 0, 0},
    {"cut UL-UNITDATA", DROP_NS_MALFORMED, 0, 6, {0, 0, 0, 7, 1, 0}, 0, 0},
    {"unknown peer", DROP_UNKNOWN_NSVC, 2, 1, {0x0a}, 0, 0},
    {"IP checksum", DROP_IP_MALFORMED, 0, 1, {0x0a}, 33, 9},
    {"not IP", DROP_NOT_IP, 0, 1, {0x0a}, 13, 6},
    {"fragment", DROP_IP_MALFORMED, 0, 1, {0x0a}, 20, 0x20},
    {"UDP length", DROP_UDP_MALFORMED, 0, 1, {0x0a}, 39, 7},
    {"UDP port", DROP_UNKNOWN_NSVC, 0, 1, {0x0a}, 37, 1},
};

static void expect_punt(struct kit *kit, const struct other_row *row)
{
    struct msg msg;
    assert_true(kit_take_msg(kit, &msg));
    assert_int_equal(msg.type, MSG_PUNT);
    assert_int_equal(msg.slot, row->nsvc);
    assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), row->octets);
    assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *), row->ns_pdu, row->octets);
    rte_pktmbuf_free(msg.mbuf);
}

KIT_TEST(other_frames, NULL)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    for (size_t i = 0; i < COUNT(others); i++) {
        struct worker_stats before = kit->worker->stats;
        size_t octets = gb_frame_wrap(frame, others[i].nsvc, others[i].ns_pdu, others[i].octets);
        if (others[i].at)
            frame[others[i].at] = others[i].value;
        kit_from_gb(kit, frame, octets);
        bool goes = others[i].reason == DROP_NONE;
        if (kit->worker->stats.punted != before.punted + goes ||
            kit->worker->stats.gb_drops[others[i].reason] != before.gb_drops[others[i].reason] + !goes)
            fail_msg("%s: not %s", others[i].name, drop_name(others[i].reason));
        if (goes)
            expect_punt(kit, &others[i]);
    }
}

/* Of frames that come together, control is told in their order: what a FLOW-CONTROL-MS says holds for the
 * cell in which an earlier frame shows the mobile to be. */
KIT_TEST(order_of_a_burst, NULL)
{
    static const uint8_t flow_control[] = {0, 0, 0, 9, 0x28, 0x1f};
    static const uint16_t types[] = {MSG_PUNT, MSG_MS_HEARD, MSG_PUNT, MSG_PUNT_LLC, MSG_PUNT};
    const struct gb_frame_uplink heard = {.bvci = 9, .octets = 60}, xid = {.bvci = 9, .control = 0xfb};
    uint8_t frame[KIT_FRAME_OCTETS];
    struct msg msg;
    for (unsigned i = 0; i < COUNT(types); i++) {
        size_t octets = i % 2 == 0 ? gb_frame_wrap(frame, 0, flow_control, sizeof(flow_control))
                                   : gb_frame_uplink(frame, i == 1 ? &heard : &xid);
        assert_int_equal(vport_push(&kit->gb, frame, octets), 0);
    }
    kit_settle(kit);
    assert_int_equal(shares_waiting(&kit->worker->shares, SHARE_NSES), COUNT(types));
    for (unsigned i = 0; i < COUNT(types); i++) {
        assert_true(kit_take_msg(kit, &msg));
        assert_int_equal(msg.type, types[i]);
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
}

/* Not UDP, with a good header. */
KIT_TEST(not_udp, NULL)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = gb_frame_wrap(frame, 0, (const uint8_t[]){0x0a}, 1);
    frame[23] = 132;
    gn_frame_sum_ip(frame + 14);
    kit_from_gb(kit, frame, octets);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_NOT_UDP], 1);
}

/* A user's packet on a NS-VC that must not carry any is for control to answer. */
TEST(unusable_ns_vc)
{
    struct kit kit;
    struct msg msg;
    struct gb_frame_uplink in = {.octets = 60};

    kit_open(&kit, &(struct kit_options){.no_uplink_filter = true});
    kit_do(&kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 0, .is_usable = false});
    send(&kit, &in);
    assert_int_equal(kit.worker->stats.punted, 1);
    assert_true(kit_take_msg(&kit, &msg));
    assert_int_equal(msg.type, MSG_PUNT);
    rte_pktmbuf_free(msg.mbuf);
    kit_do(&kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 0, .is_usable = true});
    send(&kit, &in);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 1);
    kit_close(&kit);
}

/* The ring to control is full: the frame is counted, and no answer is lost later. */
TEST(punt_full)
{
    struct kit kit;
    struct msg msg = {.type = MSG_ANSWER};
    uint8_t frame[KIT_FRAME_OCTETS];

    kit_open(&kit, NULL);
    while (msg_put(kit.worker->rings.to_control, &msg))
        ;
    size_t octets = gb_frame_wrap(frame, 0, (const uint8_t[]){0x0a}, 1);
    kit_from_gb(&kit, frame, octets);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_PUNT_FULL], 1);
    while (kit_take_msg(&kit, &msg))
        ;
    kit_from_gb(&kit, frame, octets);
    assert_int_equal(kit.worker->stats.punted, 1);
    kit_close(&kit);
}

/* No buffer for the G-PDU: counted by the segments that it took. */
TEST(no_buffer)
{
    struct kit kit;
    struct rte_mbuf *taken[40];
    kit_open(&kit, &(struct kit_options){.tx_buffers = COUNT(taken)});
    assert_int_equal(rte_pktmbuf_alloc_bulk(kit.tx_pool, taken, COUNT(taken)), 0);
    send(&kit, &(struct gb_frame_uplink){.octets = 60});
    send(&kit, &(struct gb_frame_uplink){.nu = 1, .number = 1, .octets = 60, .more = true});
    send(&kit, &(struct gb_frame_uplink){.nu = 2, .number = 1, .octets = 60, .segment = 1});
    assert_int_equal(kit.worker->stats.gb_drops[DROP_NO_BUFFER], 3);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 0);
    rte_pktmbuf_free_bulk(taken, COUNT(taken));
    kit_close(&kit);
}

/* What a frame from another cell or NSE than the mobile's must be to move it, in clear and ciphered; and what
 * is done with one that does not. */

#define OTHER_BVCI   9
#define INNER_OCTETS 60
#define NS_AT        42 /* in a frame of Gb: behind Ethernet, IPv4 and UDP */
#define TLLI_AT      5  /* in an NS PDU with UL-UNITDATA */
#define CELL_ID_AT   14

static const uint8_t kc[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};

enum {
    IOV = 0x1000,
    WRONG_KEY = 1, /* bits of row.cipher */
    CIPHERED = 2
};

enum outcome {
    DROPPED,   /* for row.reason */
    SENT,      /* the N-PDU leaves on Gn */
    FOR_LAYER3 /* control gets the LLC frame */
};

struct row {
    const char *name;
    uint8_t cipher;
    enum outcome outcome;
    enum drop reason;
    bool is_moved; /* control is told of the cell */
    struct gb_frame_uplink frame;
};

static const struct row in_clear[] = {
    {"FCS wrong", 0, DROPPED, DROP_MOVE_FCS, false, {.nu = 0, .octets = INNER_OCTETS, .has_bad_fcs = true}},
    {"XID, FCS wrong", 0, DROPPED, DROP_MOVE_FCS, false, {.control = 0xfb, .has_bad_fcs = true}},
    {"ciphered", CIPHERED, DROPPED, DROP_MOVE_UNCIPHERED, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"N-PDU", 0, SENT, 0, true, {.nu = 10, .octets = INNER_OCTETS}},
    {"the same again", 0, DROPPED, DROP_MOVE_OLD, false, {.nu = 10, .octets = INNER_OCTETS}},
    {"late", 0, SENT, 0, false, {.nu = 9, .octets = INNER_OCTETS}},
    {"XID", 0, FOR_LAYER3, 0, true, {.control = 0xfb}},
    {"NULL", 0, FOR_LAYER3, 0, true, {.control = 0xe0}},
    {"empty UI", 0, FOR_LAYER3, 0, true, {.nu = 11, .is_empty = true}},
};

static const struct row of_other_area[] = {
    {"N-PDU", 0, DROPPED, DROP_OTHER_AREA, false, {.nu = 10, .octets = INNER_OCTETS}},
    {"empty UI", 0, DROPPED, DROP_OTHER_AREA, false, {.nu = 11, .is_empty = true}},
    {"XID", 0, DROPPED, DROP_OTHER_AREA, false, {.control = 0xfb}},
    {"NULL", 0, DROPPED, DROP_OTHER_AREA, false, {.control = 0xe0}},
    {"GMM", 0, FOR_LAYER3, 0, false, {.sapi = 1, .nu = 4, .octets = INNER_OCTETS}},
    {"SMS", 0, FOR_LAYER3, 0, false, {.sapi = 7, .nu = 4, .octets = INNER_OCTETS}},
    {"FCS wrong", 0, DROPPED, DROP_MOVE_FCS, false, {.nu = 0, .octets = INNER_OCTETS, .has_bad_fcs = true}},
};

static const struct row ciphered[] = {
    {"XID", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xfb}},
    {"NULL", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xe0}},
    {"SABM", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xf7}},
    {"N-PDU in clear", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"another key", CIPHERED | WRONG_KEY, DROPPED, DROP_MOVE_FCS, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"FCS wrong", CIPHERED, DROPPED, DROP_MOVE_FCS, false, {.octets = INNER_OCTETS, .has_bad_fcs = true}},
    {"GMM in clear", 0, FOR_LAYER3, 0, false, {.sapi = 1, .nu = 400, .octets = INNER_OCTETS}},
    ROW("GMM in clear did not count", CIPHERED, FOR_LAYER3, 0, true,
        {.sapi = 1, .nu = 1, .octets = INNER_OCTETS}),
    {"GMM in clear, seen", 0, FOR_LAYER3, 0, false, {.sapi = 1, .nu = 1, .octets = INNER_OCTETS}},
    {"N-PDU", CIPHERED, SENT, 0, true, {.nu = 10, .octets = INNER_OCTETS}},
    {"recorded, replayed", CIPHERED, DROPPED, DROP_MOVE_OLD, false, {.nu = 10, .octets = INNER_OCTETS}},
    {"kept back, then sent", CIPHERED, SENT, 0, false, {.nu = 9, .octets = INNER_OCTETS}},
    {"empty UI", CIPHERED, FOR_LAYER3, 0, true, {.nu = 100, .is_empty = true}},
    {"older than the window", CIPHERED, DROPPED, DROP_MOVE_FCS, false, {.nu = 11, .octets = INNER_OCTETS}},
};

static struct gb_frame_cipher cipher_of(const struct row *row)
{
    struct gb_frame_cipher cipher = {.is_on = row->cipher & CIPHERED};
    unsigned sapi = row->frame.sapi ? row->frame.sapi : KIT_SAPI;
    memcpy(cipher.key, kc, sizeof(kc));
    cipher.input = IOV ^ (0x80000000u + sapi * 0x08000000u);
    cipher.key[0] ^= row->cipher & WRONG_KEY;
    return cipher;
}

static void open(struct kit *kit, bool is_ciphered)
{
    struct msg cipher = {.type = MSG_MS_CIPHER};
    cipher.cipher = (struct llc_cipher_params){.algorithm = 3, .kc_octets = 8, .iov_ui = IOV};
    memcpy(cipher.cipher.kc, kc, 8);
    kit_open(kit, &(struct kit_options){.no_uplink_filter = true});
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 102});
    if (is_ciphered)
        kit_do(kit, &cipher);
}

/* The mobile again, which stays in its routeing area; the frames' cell is in another one, or in the same. */
static void open_staying(struct kit *kit, bool is_same_area)
{
    struct msg bvc = {.type = MSG_BVC_ADD, .bvc = {.bvci = KIT_BVCI}};
    uint8_t frame[KIT_FRAME_OCTETS];
    open(kit, false);
    struct msg ms = kit_ms(kit, 0, KIT_TLLI), pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    ms.ms.stays_in_area = true;
    gb_frame_uplink(frame, &(struct gb_frame_uplink){.octets = INNER_OCTETS});
    memcpy(bvc.bvc.area, frame + NS_AT + CELL_ID_AT, AREA_ROUTEING);
    bvc.bvc.area[AREA_ROUTEING - 1] ^= !is_same_area;
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL});
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    kit_do(kit, &(struct msg){.type = MSG_BVC_DEL});
    kit_do(kit, &bvc);
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
    kit_flow(kit, 1000000, 10000000);
    kit_do(kit, &ms);
    kit_do(kit, &pdp);
}

/* The frame's NS PDU, as control returns it to the worker that has the mobile. */
static struct msg returned(struct kit *kit, const uint8_t *frame, size_t octets, uint16_t nse)
{
    struct msg msg = {.type = MSG_UPLINK, .slot = 0, .nse = nse, .mbuf = rte_pktmbuf_alloc(kit->rx_pool)};
    assert_non_null(msg.mbuf);
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)(octets - NS_AT)), frame + NS_AT, octets - NS_AT);
    return msg;
}

/* Which messages came, but for answers; their buffers are freed. Returns the number of MSG_MS_HEARD. */
static uint8_t take(struct kit *kit, uint16_t nse, bool *is_told, bool *is_punted)
{
    struct msg msg;
    uint8_t number = 0;
    *is_told = *is_punted = false;
    while (kit_take_msg(kit, &msg)) {
        number = msg.type == MSG_MS_HEARD ? msg.heard.number : number;
        *is_told |=
            msg.type == MSG_MS_HEARD && msg.heard.bvci == OTHER_BVCI && msg.heard.nse == nse && msg.nse == 0;
        *is_punted |= msg.type == MSG_PUNT_LLC && msg.llc.from.bvci == OTHER_BVCI && msg.llc.from.nse == nse;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    return number;
}

/* Right behind a frame that moves the mobile, and behind no other, a downlink N-PDU waits for the decision.
 */
static bool is_down_stopped(struct kit *kit)
{
    gn_frame_put(kit, KIT_TEID, INNER_OCTETS);
    return kit_drain(&kit->gb) == 0;
}

static void decide(struct kit *kit, uint8_t number)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_DECIDED, .heard_number = number});
}

static void play_in(struct kit *kit, const struct row *rows, size_t count, uint16_t nse)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    bool is_told, is_punted;
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        struct gb_frame_uplink in = row->frame;
        struct worker_stats before = kit->worker->stats;
        in.bvci = OTHER_BVCI;
        in.cipher = cipher_of(row);
        size_t octets = gb_frame_uplink(frame, &in);
        kit->now += 10 * MOMENT_SECOND;
        if (nse == 0) {
            kit_from_gb(kit, frame, octets);
        } else {
            struct msg msg = returned(kit, frame, octets, nse);
            assert_true(msg_put(kit->worker->rings.to_worker, &msg));
            kit_settle(kit);
        }
        bool is_stopped = is_down_stopped(kit);
        decide(kit, take(kit, nse, &is_told, &is_punted));
        if (is_told != row->is_moved || is_stopped != is_told || kit_drain(&kit->gb) != is_told ||
            is_punted != (row->outcome == FOR_LAYER3) ||
            kit->worker->stats.ul_npdu_out != before.ul_npdu_out + (row->outcome == SENT) ||
            kit->worker->stats.gb_drops[row->reason] !=
                before.gb_drops[row->reason] + (row->outcome == DROPPED))
            fail_msg("%s, from NSE %u: told %d, punted %d", row->name, nse, is_told, is_punted);
        kit_drain(&kit->gn);
    }
    kit_close(kit);
}

static void play(const struct row *rows, size_t count, bool is_ciphered, uint16_t nse)
{
    struct kit kit;
    open(&kit, is_ciphered);
    play_in(&kit, rows, count, nse);
}

static void play_staying(const struct row *rows, size_t count, bool is_same_area, uint16_t nse)
{
    struct kit kit;
    open_staying(&kit, is_same_area);
    play_in(&kit, rows, count, nse);
}

TEST_CALL(clear_in_the_nse, play(in_clear, COUNT(in_clear), false, 0))
TEST_CALL(clear_in_another, play(in_clear, COUNT(in_clear), false, 1))
TEST_CALL(other_area_in_the_nse, play_staying(of_other_area, COUNT(of_other_area), false, 0))
TEST_CALL(other_area_in_another, play_staying(of_other_area, COUNT(of_other_area), false, 1))
TEST_CALL(same_area_in_the_nse, play_staying(in_clear, COUNT(in_clear), true, 0))
TEST_CALL(same_area_in_another, play_staying(in_clear, COUNT(in_clear), true, 1))
TEST_CALL(ciphered_in_the_nse, play(ciphered, COUNT(ciphered), true, 0))
TEST_CALL(ciphered_in_another, play(ciphered, COUNT(ciphered), true, 1))

/* Control has found the mobile, also by its foreign TLLI, which the worker does not know (TS 24.008
 * clause 4.7.1.4.1). A frame that is cut is no frame. Neither is the node's fault. */
TEST_IN(under_its_foreign_tlli, struct kit, kit, open(kit, false), kit_close(kit))
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets =
        gb_frame_uplink(frame, &(struct gb_frame_uplink){.bvci = OTHER_BVCI, .octets = INNER_OCTETS});
    struct msg cut = returned(kit, frame, octets - 3, 1);
    assert_int_equal(kit_order(kit, &cut), 0);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_NS_MALFORMED], 1);
    frame[NS_AT + TLLI_AT] ^= 1;
    struct msg foreign = returned(kit, frame, octets, 1);
    bool is_told, is_punted;
    assert_true(msg_put(kit->worker->rings.to_worker, &foreign));
    kit_settle(kit);
    take(kit, 1, &is_told, &is_punted);
    assert_true(is_told);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_UNKNOWN_TLLI], 0);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 1);
    kit_drain(&kit->gn);
}

/* A phone answers DETACH REQUEST and attaches again at once, with another TLLI: in one burst, and in this
 * order. */
TEST_IN(unknown_tlli_behind, struct kit, kit, open(kit, false), kit_close(kit))
{
    const struct gb_frame_uplink answer = {.sapi = LLC_SAPI_GMM, .nu = 1, .octets = INNER_OCTETS};
    const struct gb_frame_uplink attach = {
        .tlli = KIT_TLLI + 1, .sapi = LLC_SAPI_GMM, .nu = 0, .octets = INNER_OCTETS};
    const struct gb_frame_uplink *const burst[] = {&answer, &attach};
    uint16_t types[2], count = 0;
    struct msg msg;
    kit->worker->punts_unknown_tlli = true;
    for (size_t i = 0; i < COUNT(burst); i++) {
        uint8_t frame[KIT_FRAME_OCTETS];
        assert_int_equal(vport_push(&kit->gb, frame, gb_frame_uplink(frame, burst[i])), 0);
    }
    kit_settle(kit);
    while (kit_take_msg(kit, &msg)) {
        if (msg.type == MSG_PUNT_LLC || msg.type == MSG_UNKNOWN_TLLI) {
            assert_in_range(count, 0, COUNT(types) - 1);
            types[count++] = msg.type;
        }
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    assert_int_equal(count, COUNT(types));
    assert_int_equal(types[0], MSG_PUNT_LLC);
    assert_int_equal(types[1], MSG_UNKNOWN_TLLI);
}

UNIT_MAIN(kit_start, NULL)
