/* SPDX-License-Identifier: BSD-3-Clause */
/* What control has sent over LLC, octet for octet, and the other orders about a mobile's LLC. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define LONGEST_OCTETS 1520

static const uint8_t gmm[] = {0x08, 0x02, 0x01, 0x49, 0x04, 0x62, 0xf2, 0x24, 0x00, 0x01, 0x02};
static const uint8_t kc[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* Gives an order with a buffer; the worker takes that over, come what may. */
static int order(struct kit *kit, const struct msg *msg, const uint8_t *bytes, uint16_t octets)
{
    struct msg request = *msg;
    request.mbuf = rte_pktmbuf_alloc(kit->tx_pool);
    assert_non_null(request.mbuf);
    char *room = rte_pktmbuf_append(request.mbuf, octets);
    assert_non_null(room);
    memcpy(room, bytes, octets);
    return kit_order(kit, &request);
}

static void expect(struct kit *kit, const struct gb_frame_downlink *d, const uint8_t *llc, size_t octets)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    size_t frame_octets = gb_frame_signalling(want, d, llc, octets);
    assert_int_equal(kit_take_gb(kit, got), frame_octets);
    assert_memory_equal(got, want, frame_octets);
}

/* A UI frame of the message: header and information. */
static size_t ui(uint8_t *llc, uint8_t sapi, uint16_t nu, bool is_ciphered)
{
    llc[0] = 0x40 | sapi;
    llc[1] = (uint8_t)(0xc0 | nu >> 6);
    llc[2] = (uint8_t)((nu & 63) << 2 | is_ciphered << 1 | 1);
    memcpy(llc + 3, gmm, sizeof(gmm));
    return 3 + sizeof(gmm);
}

static struct gb_frame_cipher cipher_of(uint8_t sapi, uint32_t oc)
{
    struct gb_frame_cipher cipher = {.is_on = true, .input = 0x80000000u + sapi * 0x08000000u + oc};
    memcpy(cipher.key, kc, 8);
    memcpy(cipher.key + 8, kc, 8);
    return cipher;
}

static void switch_on(struct kit *kit)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    msg.cipher = (struct llc_cipher_params){.algorithm = 3, .kc_octets = sizeof(kc)};
    memcpy(msg.cipher.kc, kc, sizeof(kc));
    kit_do(kit, &msg);
}

/* SAPIs 1 and 7 count for themselves, over a wrap; in clear, then ciphered or not as each order says. */
TEST(ui_frames)
{
    static const uint8_t sapis[] = {1, 7};
    struct kit kit;
    struct gb_frame_downlink d = {0};
    uint8_t llc[64];

    kit_open(&kit, NULL);
    for (uint32_t i = 0; i < 1200; i++, d.ip_id++) {
        uint8_t sapi = sapis[i % 2];
        struct msg msg = {.type = MSG_LLC_UI, .llc = {.sapi = sapi, .is_ciphered = i % 5 != 0}};
        if (i == 400)
            switch_on(&kit);
        d.nu = i / 2 % 512;
        bool is_ciphered = i >= 400 && msg.llc.is_ciphered;
        d.cipher = cipher_of(sapi, i / 2 / 512 * 512);
        assert_int_equal(order(&kit, &msg, gmm, sizeof(gmm)), 0);
        expect(&kit, &d, llc, ui(llc, sapi, d.nu, is_ciphered));
    }
    assert_int_equal(kit.worker->stats.llc_orders, 1200);
    kit_close(&kit);
}

/* An XID response goes as it is, FCS added, ciphering or not; N(U) stays. */
TEST(other_frames)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc};
    struct kit kit;
    struct gb_frame_downlink d = {0};
    uint8_t llc[64];

    kit_open(&kit, NULL);
    switch_on(&kit);
    for (d.ip_id = 0; d.ip_id < 3; d.ip_id++) {
        assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_FRAME}, xid, sizeof(xid)), 0);
        expect(&kit, &d, xid, sizeof(xid));
    }
    assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_UI, .llc = {.sapi = 3}}, gmm, sizeof(gmm)), 0);
    expect(&kit, &d, llc, ui(llc, 3, 0, false));
    kit_close(&kit);
}

struct row {
    const char *name;
    int status;
    struct msg msg;
    uint16_t octets;
};

static const struct row rows[] = {
    {"nothing at all", 0, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, 0},
    {"the longest", 0, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, LONGEST_OCTETS},
    {"too long", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, LONGEST_OCTETS + 1},
    {"SAPI 2", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 2}}, 10},
    {"SAPI 8", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 8}}, 10},
    {"no such mobile", -1, {.type = MSG_LLC_UI, .slot = 1, .llc = {.sapi = 1}}, 10},
    {"mobile out of range", -1, {.type = MSG_LLC_UI, .slot = KIT_MOBILES, .llc = {.sapi = 1}}, 10},
    {"the longest other frame", 0, {.type = MSG_LLC_FRAME}, LONGEST_OCTETS + 3},
    {"too long another frame", -1, {.type = MSG_LLC_FRAME}, LONGEST_OCTETS + 4},
    {"another frame, no such mobile", -1, {.type = MSG_LLC_FRAME, .slot = 1}, 10},
};

TEST(limits)
{
    struct kit kit;
    uint8_t bytes[LONGEST_OCTETS + 4] = {0x41, 0xfb};
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (order(&kit, &rows[i].msg, bytes, rows[i].octets) != rows[i].status)
            fail_msg("%s: not %d", rows[i].name, rows[i].status);
        assert_int_equal(kit_drain(&kit.gb), rows[i].status == 0);
    }
    kit_close(&kit);
}

/* A buffer with too little room before or behind the octets: they are moved. */
TEST(little_room)
{
    struct kit kit;
    struct msg msg = {.type = MSG_LLC_FRAME};
    kit_open(&kit, NULL);
    for (unsigned i = 0; i < 2; i++) {
        msg.mbuf = rte_pktmbuf_alloc(kit.tx_pool);
        assert_non_null(rte_pktmbuf_append(msg.mbuf, 10));
        if (i == 0)
            assert_non_null(rte_pktmbuf_prepend(msg.mbuf, 100));
        else
            msg.mbuf->data_off = (uint16_t)(msg.mbuf->buf_len - 12);
        assert_int_equal(kit_order(&kit, &msg), 0);
        assert_int_equal(kit_drain(&kit.gb), 1);
    }
    kit_close(&kit);
}

/* --- flow control: it passes those that wait, but counts, and not without end --- */

static uint64_t level(struct bucket bucket, int64_t now)
{
    return bucket_level_octets(&bucket, now);
}

TEST(counted_by_buckets)
{
    struct kit kit;
    struct msg ui_msg = {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, frame_msg = {.type = MSG_LLC_FRAME};
    uint8_t bytes[LONGEST_OCTETS] = {0};
    unsigned sent = 0;
    kit_open(&kit, NULL);
    kit_flow(&kit, 1000, 0);
    const struct context *c = &kit.worker->context;
    assert_int_equal(order(&kit, &ui_msg, gmm, sizeof(gmm)), 0);
    assert_int_equal(order(&kit, &frame_msg, gmm, sizeof(gmm)), 0);
    uint64_t want = 2 * sizeof(gmm) + 3 + 3 + 3; /* header of UI, two check sequences */
    assert_int_equal(level(c->mobiles[0].sched.bucket, kit.now), want);
    assert_int_equal(level(c->bvcs[0].sched.bucket, kit.now), want);
    while (order(&kit, &ui_msg, bytes, LONGEST_OCTETS) == 0)
        sent++;
    want += (uint64_t)sent * (LONGEST_OCTETS + 6);
    assert_int_equal(sent, (1000 + SCHED_SIGNAL_DEBT_OCTETS) / (LONGEST_OCTETS + 6));
    assert_int_equal(level(c->mobiles[0].sched.bucket, kit.now), want);
    assert_int_equal(c->mobiles[0].llc[0].vu, sent + 1); /* what was refused has no number */
    assert_int_equal(kit_drain(&kit.gb), sent + 2);
    kit_flow(&kit, 1000000, 0);
    assert_int_equal(order(&kit, &ui_msg, gmm, sizeof(gmm)), 0);
    kit_close(&kit);
}

/* A cell that nothing may be sent to: blocked, without a way, reset, or not yet flow controlled. */
TEST(cell_closed)
{
    static const struct msg closing[][2] = {
        {{.type = MSG_BVC_STATE, .is_unblocked = false}, {.type = MSG_BVC_STATE, .is_unblocked = false}},
        {{.type = MSG_NSVC_STATE, .is_usable = false}, {.type = MSG_BVC_STATE, .is_unblocked = true}},
        {{.type = MSG_BVC_STATE, .is_unblocked = true}, {.type = MSG_BVC_RESET}},
        {{.type = MSG_BVC_RESET}, {.type = MSG_BVC_STATE, .is_unblocked = true}},
    };
    for (size_t i = 0; i < COUNT(closing); i++) {
        struct kit kit;
        kit_open(&kit, NULL);
        kit_do(&kit, &closing[i][0]);
        kit_do(&kit, &closing[i][1]);
        assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_UI, .llc = {.sapi = 1}}, gmm, sizeof(gmm)),
                         -1);
        assert_int_equal(kit_drain(&kit.gb), 0);
        kit_close(&kit);
    }
}

/* --- N201-U --- */

TEST(n201_u)
{
    static const struct {
        uint32_t octets;
        int status;
    } steps[] = {{140, 0}, {139, -1}, {1520, 0}, {1521, -1}, {500, 0}, {65536 + 200, -1}};
    struct kit kit;
    struct gb_frame_downlink model = {.n201_u = 300};
    uint8_t n_pdu[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS];

    kit_open(&kit, &(struct kit_options){.n201_u = 300});
    gn_frame_inner(n_pdu, 1500, 0);
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct msg msg = {.type = MSG_MS_N201, .n201_u_octets = steps[i].octets};
        assert_int_equal(kit_order(&kit, &msg), steps[i].status);
        model.n201_u = steps[i].status == 0 ? (uint16_t)steps[i].octets : model.n201_u;
        kit_from_gn(&kit, frame,
                    gn_frame_build(frame, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = 1500}));
        for (uint16_t offset = 0; offset < 1500;) {
            size_t octets = gb_frame_segment(want, &model, n_pdu, 1500, &offset);
            assert_int_equal(kit_take_gb(&kit, frame), octets);
            assert_memory_equal(frame, want, octets);
        }
    }
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_MS_N201, .slot = 1, .n201_u_octets = 500}),
                     -1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
