/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose frame it is: TLLI, cell, NS-VC, QoS profile, SAPI, NSAPI and numbers of several mobiles and contexts.
 */
#include "dataplane/base/n_pdu.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

/* Where things lie in a frame without IMSI whose LLC-PDU is longer than 127 octets. */
enum {
    UDP_DST = 36,
    BVCI = 44,
    TLLI = 47,
    PROFILE = 51,
    PDU_LIFETIME = 56,
    LLC = 61,
    SNDCP = 64,
    N_PDU = 66,
};

#define LONG_OCTETS 200

static uint32_t number_at(const uint8_t *at, unsigned octets)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < octets; i++)
        value = value << 8 | at[i];
    return value;
}

/* An N-PDU comes; the frame that leaves. */
static void carry(struct kit *kit, uint32_t teid, uint8_t *got)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = teid, .inner_octets = LONG_OCTETS};
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    assert_true(kit_take_gb(kit, got) > N_PDU);
    assert_int_equal(kit_drain(&kit->gb), 0);
}

/* Context i, which is on mobile ms; and what its frame says. */
struct label_row {
    uint8_t ms, nsapi, sapi, qclass;
    uint8_t bvc, nsvc; /* of the mobile: cell 0 has NS-VCs 0 and 1, cell 1 the same, cell 1's BVCI is 8 */
    uint8_t profile;
    uint16_t nu; /* counts by mobile and SAPI */
};

static const struct label_row rows[] = {
    {0, 5, 3, QCLASS_BACKGROUND, 0, 1, 0x32, 0},     {0, 6, 3, QCLASS_THP3, 0, 1, 0x31, 1},
    {0, 15, 5, QCLASS_THP1, 0, 1, 0x31, 0},          {1, 5, 3, QCLASS_STREAMING, 0, 0, 0x30, 0},
    {1, 9, 9, QCLASS_CONVERSATIONAL, 0, 0, 0x30, 0}, {2, 5, 11, QCLASS_SIGNALLING, 1, 0, 0x30, 0},
    {3, 7, 5, QCLASS_THP2, 1, 1, 0x31, 0},
};

static void order_cells(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1), flow = {.type = MSG_BVC_FLOW, .slot = 1};
    flow.flow = (struct gb_flow){1000000, 1000000, 1000000, 1000000, -1};
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true});
    kit_do(kit, &(struct msg){.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = KIT_BVCI + 1}});
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true});
    kit_do(kit, &flow);
}

static void order_sessions(struct kit *kit)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 0});
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct msg ms = kit_ms(kit, rows[i].ms, KIT_TLLI + rows[i].ms);
        struct msg pdp = kit_pdp(i, rows[i].ms, rows[i].nsapi, KIT_TEID + i);
        ms.ms.bvc = rows[i].bvc;
        pdp.pdp.sapi = rows[i].sapi;
        pdp.pdp.qclass = rows[i].qclass;
        if (i == 0 || rows[i].ms != rows[i - 1].ms)
            kit_do(kit, &ms);
        kit_do(kit, &pdp);
    }
}

static void assert_label(const uint8_t *got, const struct label_row *row)
{
    assert_int_equal(number_at(got + UDP_DST, 2), KIT_BSS_PORT + row->nsvc);
    assert_int_equal(number_at(got + BVCI, 2), KIT_BVCI + row->bvc);
    assert_int_equal(number_at(got + TLLI, 4), KIT_TLLI + row->ms);
    assert_int_equal(number_at(got + PROFILE, 3), row->profile);
    assert_int_equal(got[LLC], 0x40 | row->sapi);
    assert_int_equal(number_at(got + LLC + 1, 2), 0xc001 | row->nu << 2);
    assert_int_equal(got[SNDCP], 0x60 | row->nsapi);
}

TEST(labels)
{
    struct kit kit;
    uint8_t got[KIT_FRAME_OCTETS];
    kit_open(&kit, NULL);
    order_cells(&kit);
    order_sessions(&kit);
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        carry(&kit, KIT_TEID + i, got);
        assert_label(got, &rows[i]);
        assert_int_equal(number_at(got + N_PDU, 2), 0);
    }
    carry(&kit, KIT_TEID + 1, got);
    assert_int_equal(number_at(got + N_PDU, 2), 1);
    assert_int_equal(number_at(got + LLC + 1, 2), 0xc001 | 2 << 2);
    kit_close(&kit);
}

/* An NS-VC fails: its mobiles go over the other one, and back. */
TEST(fail_over)
{
    static const struct {
        uint8_t nsvc;
        bool is_up;
        uint8_t carries;
    } steps[] = {{1, true, 1}, {1, false, 0}, {1, true, 1}, {0, false, 1}, {0, true, 1}};
    struct kit kit;
    uint8_t got[KIT_FRAME_OCTETS];
    kit_open(&kit, NULL);
    order_cells(&kit);
    for (size_t i = 0; i < COUNT(steps); i++) {
        kit_do(&kit,
               &(struct msg){.type = MSG_NSVC_STATE, .slot = steps[i].nsvc, .is_usable = steps[i].is_up});
        carry(&kit, KIT_TEID, got);
        assert_int_equal(number_at(got + UDP_DST, 2), KIT_BSS_PORT + steps[i].carries);
    }
    kit_close(&kit);
}

/* What the SGSN's queue has used up is gone from the PDU Lifetime, rounded down to 10 ms. */
TEST(lifetimes)
{
    static const struct {
        int64_t wait_ns;
        uint16_t want_cs;
    } waits[] = {{0, 100}, {1, 99}, {300 * KIT_MS, 70}, {305 * KIT_MS, 69}, {1000 * KIT_MS, 0}};
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct kit kit;
        uint8_t frame[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
        struct gn_frame in = {.teid = KIT_TEID, .inner_octets = LONG_OCTETS};
        kit_open(&kit, &(struct kit_options){.lifetime_ns = MOMENT_SECOND, .is_split = true});
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = false});
        kit_from_gn(&kit, frame, gn_frame_build(frame, &in));
        kit_settle_at(&kit, kit.now + waits[i].wait_ns);
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
        assert_true(kit_take_gb(&kit, got) > N_PDU);
        assert_int_equal(number_at(got + PDU_LIFETIME, 2), waits[i].want_cs);
        kit_close(&kit);
    }
}

UNIT_MAIN(kit_start, NULL)
