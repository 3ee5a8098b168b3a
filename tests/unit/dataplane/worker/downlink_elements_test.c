/* SPDX-License-Identifier: BSD-3-Clause */
/* What the header of each DL-UNITDATA says of its mobile: elements, TLLI(old), alignment; users' frames and
 * control's, whole N-PDUs and segments, where they lie and as copies. */
#include "dataplane/wire/bssgp.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define BSSGP_AT (GB_HEADER_OCTETS + 4)
#define TLLI_2   0xc0000002u

static uint8_t capability[150];

static struct bssgp_elements elements_of(size_t capability_octets, int priority, int spid)
{
    struct bssgp_elements out;
    struct bssgp_elements_values values = {.ms_ra_capability = {capability, capability_octets},
                                           .drx_parameters = {(const uint8_t *)"\x12\x34", 2},
                                           .priority = priority,
                                           .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                           .spid = spid};
    for (size_t i = 0; i < sizeof capability; i++)
        capability[i] = (uint8_t)(3 * i + 1);
    assert_true(bssgp_elements_encode(&out, &values) > 0);
    return out;
}

static int order_elements(struct kit *kit, const struct bssgp_elements *elements)
{
    struct msg msg = {.type = MSG_MS_ELEMENTS, .tlli = KIT_TLLI};
    msg.elements = *elements;
    return kit_order(kit, &msg);
}

/* The next frame, read by the tables; its LLC-PDU's check sequence holds. */
static struct bssgp take(struct kit *kit, uint8_t *frame)
{
    struct bssgp out;
    size_t octets = kit_take_gb(kit, frame);
    assert_true(octets > BSSGP_AT);
    size_t left = octets - BSSGP_AT;
    assert_int_equal(bssgp_decode(&out, frame + BSSGP_AT, left), left);
    const uint8_t *fcs = out.llc_pdu.at + out.llc_pdu.octets - 3;
    uint32_t want = gb_frame_fcs(out.llc_pdu.at, out.llc_pdu.octets - 3);
    assert_int_equal(fcs[0] | fcs[1] << 8 | fcs[2] << 16, want);
    return out;
}

static void expect(const struct bssgp *got, size_t capability_octets, int priority, int spid)
{
    assert_int_equal(got->ms_ra_capability.octets, capability_octets);
    if (capability_octets > 0)
        assert_memory_equal(got->ms_ra_capability.at, capability, capability_octets);
    assert_int_equal(got->drx_parameters.octets, 2);
    assert_int_equal(pdu_has(&got->head, BSSGP_IE_PRIORITY), priority >= 0);
    assert_int_equal(got->priority, priority < 0 ? 0 : priority);
    assert_int_equal(got->spid, spid < 0 ? 0 : spid);
}

/* Every size of N-PDU in segments, with elements that fit in front of it where it lies and that do not. */
TEST(users_frames)
{
    static const struct {
        size_t capability;
        int priority, spid;
        bool is_aligned;
    } rows[] = {{5, 0x10, -1, false},
                {50, -1, 3, true},
                {127, 0x7e, 4, true},
                {128, 1, -1, false},
                {150, 1, 2, true}};
    static const uint16_t sizes[] = {28, 100, 500, 1500};
    for (size_t i = 0; i < COUNT(rows) * COUNT(sizes); i++) {
        struct kit kit;
        uint8_t frame[KIT_FRAME_OCTETS], n_pdu[KIT_FRAME_OCTETS];
        size_t row = i / COUNT(sizes);
        uint16_t octets = sizes[i % COUNT(sizes)], got = 0;
        struct kit_options options = {.n201_u = 500, .imsi_octets = 8, .is_aligned = rows[row].is_aligned};
        kit_open(&kit, &options);
        struct bssgp_elements elements =
            elements_of(rows[row].capability, rows[row].priority, rows[row].spid);
        assert_int_equal(order_elements(&kit, &elements), 0);
        gn_frame_inner(n_pdu, octets, 0);
        gn_frame_put(&kit, KIT_TEID, octets);
        while (got < octets) {
            struct bssgp pdu = take(&kit, frame);
            size_t header = got == 0 ? 7 : 6, part = pdu.llc_pdu.octets - header - 3;
            expect(&pdu, rows[row].capability, rows[row].priority, rows[row].spid);
            assert_int_equal(pdu.imsi.octets, 8);
            assert_memory_equal(pdu.llc_pdu.at + header, n_pdu + got, part);
            got = (uint16_t)(got + part);
        }
        assert_int_equal(got, octets);
        assert_int_equal(kit_drain(&kit.gb), 0);
        kit_close(&kit);
    }
}

/* What control sends has the same header; its octets are moved to where that fits. */
TEST(controls_frames)
{
    static const uint16_t sizes[] = {0, 20, 200, 1520};
    for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
        struct kit kit;
        uint8_t frame[KIT_FRAME_OCTETS];
        struct bssgp_elements elements = elements_of(150, 5, 6);
        uint16_t octets = sizes[i / 2];
        struct msg msg = {.type = i % 2 ? MSG_LLC_UI : MSG_LLC_FRAME, .llc = {.sapi = 1}};
        kit_open(&kit, NULL);
        assert_int_equal(order_elements(&kit, &elements), 0);
        msg.mbuf = rte_pktmbuf_alloc(kit.tx_pool);
        uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(msg.mbuf, octets);
        for (uint16_t k = 0; k < octets; k++)
            bytes[k] = (uint8_t)(k * 5);
        kit_do(&kit, &msg);
        struct bssgp pdu = take(&kit, frame);
        expect(&pdu, 150, 5, 6);
        size_t header = msg.type == MSG_LLC_UI ? 3 : 0;
        assert_int_equal(pdu.llc_pdu.octets, header + octets + 3);
        for (uint16_t k = 0; k < octets; k++)
            assert_int_equal(pdu.llc_pdu.at[header + k], (uint8_t)(k * 5));
        kit_close(&kit);
    }
}

/* Others take their place from the next frame on; none at all is a choice, too. */
TEST(changed)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];
    struct bssgp_elements first = elements_of(5, 1, 2), second = elements_of(9, -1, 4), none = {0};
    kit_open(&kit, NULL);
    gn_frame_put(&kit, KIT_TEID, 100);
    struct bssgp pdu = take(&kit, frame);
    assert_int_equal(pdu.ms_ra_capability.octets + pdu.drx_parameters.octets + pdu.imsi.octets, 0);
    assert_int_equal(order_elements(&kit, &first), 0);
    gn_frame_put(&kit, KIT_TEID, 100);
    pdu = take(&kit, frame);
    expect(&pdu, 5, 1, 2);
    assert_int_equal(order_elements(&kit, &second), 0);
    gn_frame_put(&kit, KIT_TEID, 100);
    pdu = take(&kit, frame);
    expect(&pdu, 9, -1, 4);
    assert_int_equal(order_elements(&kit, &none), 0);
    gn_frame_put(&kit, KIT_TEID, 100);
    pdu = take(&kit, frame);
    assert_int_equal(pdu.ms_ra_capability.octets + pdu.drx_parameters.octets + pdu.imsi.octets, 0);
    struct msg stranger = {.type = MSG_MS_ELEMENTS, .tlli = TLLI_2};
    assert_int_equal(kit_order(&kit, &stranger), -1);
    kit_close(&kit);
    kit_open(&kit, &(struct kit_options){.has_no_elements = true});
    assert_int_equal(order_elements(&kit, &first), -1);
    kit_close(&kit);
}

/* A phone's becomes known while it attaches; it counts on the link as other elements do. */
KIT_TEST(imsi, NULL)
{
    static const struct ms_imsi steps[] = {{8, {0x29, 0x26, 0x24, 0, 0, 0, 0, 0x10}},
                                           {4, {0x21, 0x43, 0x65, 0x07}},
                                           {0},
                                           {5, {0x21, 0x43, 0x65, 0x87, 0x09}}};
    const struct ms *ms = &kit->worker->context.mobiles[0];
    unsigned without = ms->sched.link_octets;
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct ms_imsi *imsi = &steps[i];
        uint8_t frame[KIT_FRAME_OCTETS];
        kit_do(kit, &(struct msg){.type = MSG_MS_IMSI, .imsi = *imsi});
        gn_frame_put(kit, KIT_TEID, 100);
        struct bssgp pdu = take(kit, frame);
        assert_int_equal(pdu.imsi.octets, imsi->octets);
        if (imsi->octets > 0)
            assert_memory_equal(pdu.imsi.at, imsi->value, imsi->octets);
        assert_int_equal(ms->sched.link_octets, without + (imsi->octets > 0 ? 2u + imsi->octets : 0));
    }
    struct msg wrong = {.type = MSG_MS_IMSI, .imsi = {.octets = MS_IMSI_OCTETS + 1}};
    assert_int_equal(kit_order(kit, &wrong), -1);
    struct msg stranger = {.type = MSG_MS_IMSI, .slot = 1, .imsi = steps[0]};
    assert_int_equal(kit_order(kit, &stranger), -1);
}

/* --- TLLI(old) --- */

static void rename_to(struct kit *kit, uint32_t tlli, bool keep)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_TLLI, .assigned = {.tlli = tlli, .keeps_old = keep}});
}

/* `old` 0: none is named. */
static void expect_old(struct kit *kit, uint32_t tlli, uint32_t old)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    gn_frame_put(kit, KIT_TEID, 100);
    struct bssgp pdu = take(kit, frame);
    assert_int_equal(pdu.tlli, tlli);
    assert_int_equal(pdu_has(&pdu.head, BSSGP_IE_TLLI_OLD), old != 0);
    assert_int_equal(pdu.tlli_old, old);
}

static void hear(struct kit *kit, uint32_t tlli, uint16_t nu, bool is_bad)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink up = {.tlli = tlli, .nu = nu, .octets = 40, .has_bad_fcs = is_bad};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &up));
    kit_drain(&kit->gn);
}

/* From the change until a good frame comes under the new one. */
KIT_TEST(tlli_old, NULL)
{
    expect_old(kit, KIT_TLLI, 0);
    rename_to(kit, TLLI_2, true);
    expect_old(kit, TLLI_2, KIT_TLLI);
    hear(kit, KIT_TLLI, 0, false);
    expect_old(kit, TLLI_2, KIT_TLLI);
    hear(kit, TLLI_2, 1, true);
    expect_old(kit, TLLI_2, KIT_TLLI);
    rename_to(kit, TLLI_2, true);
    expect_old(kit, TLLI_2, KIT_TLLI);
    hear(kit, TLLI_2, 1, false);
    expect_old(kit, TLLI_2, 0);
    hear(kit, KIT_TLLI, 2, false); /* is still heard under the old one */
    assert_int_equal(kit->worker->stats.gb_drops[DROP_UNKNOWN_TLLI], 0);
    expect_old(kit, TLLI_2, 0);
    rename_to(kit, KIT_TLLI, true);
    expect_old(kit, KIT_TLLI, TLLI_2);
    rename_to(kit, KIT_TLLI, false);
    expect_old(kit, KIT_TLLI, 0);
    rename_to(kit, TLLI_2, false);
    expect_old(kit, TLLI_2, 0);
}

static struct bssgp order_under(struct kit *kit, uint32_t tlli)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct msg msg = {.type = MSG_LLC_UI, .llc = {.sapi = 1, .tlli = tlli}};
    msg.mbuf = rte_pktmbuf_alloc(kit->tx_pool);
    memset(rte_pktmbuf_append(msg.mbuf, 20), 0x08, 20);
    assert_int_equal(kit_order(kit, &msg), 0);
    return take(kit, frame);
}

/* An answer to a message goes under the message's TLLI, and has no other; users' frames do not change. */
KIT_TEST(tlli_of_an_order, NULL)
{
    rename_to(kit, TLLI_2, true);
    struct bssgp pdu = order_under(kit, 0x80000005);
    assert_int_equal(pdu.tlli, 0x80000005);
    assert_false(pdu_has(&pdu.head, BSSGP_IE_TLLI_OLD));
    expect_old(kit, TLLI_2, KIT_TLLI);
    pdu = order_under(kit, 0);
    assert_int_equal(pdu.tlli, TLLI_2);
    assert_int_equal(pdu.tlli_old, KIT_TLLI);
}

KIT_TEST(silent_of_old, &(struct kit_options){.is_silent_of_old = true})
{
    rename_to(kit, TLLI_2, true);
    expect_old(kit, TLLI_2, 0);
    hear(kit, KIT_TLLI, 0, false);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_UNKNOWN_TLLI], 0);
}

UNIT_MAIN(kit_start, NULL)
