/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP's compression over links in acknowledged mode: dictionaries and slots continue over losses, restart
 * with the mode, and no PDU of the other mode has a part in them. */
#include "dataplane/compression/compression.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gb_phone.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

/* Dictionaries and slots continue over losses, and restart with acknowledged mode. */
KIT_TEST(compressed, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 100000);
    gb_phone_compress(&p);
    kit_flow(kit, 3000, 40000);
    gb_phone_both_ways(&p, 60);
    gb_phone_play(&p, kit->now + 2500 * KIT_MS);
    assert_in_range(p.received, 1, 59);
    gb_phone_lose_air(&p);
    gb_phone_switch_key(&p, 3);
    gb_phone_play(&p, kit->now + 600 * MOMENT_SECOND);
    assert_int_equal(p.received, 60);
    assert_int_equal(p.received_up, p.sent_up);
    assert_true(p.opened > 1);
    const struct worker_stats *stats = &kit->worker->stats;
    assert_int_equal(stats->abm_held, 0);
    assert_in_range(stats->compression_data, 10, 60);
    assert_in_range(stats->compression_headers, 10, 60);
    assert_true(stats->compression_octets_left < stats->compression_octets / 2);
    assert_true(stats->ul_compression_data > 3);
    gb_phone_close(&p);
}

/* A dictionary of the node's has an N-PDU of which the mobile gets no end: acknowledged mode is established
 * again, and whatever comes after it is restored. The rig asserts that. */
TEST(an_n_pdu_dropped_in_the_middle_restarts_dictionaries)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options short_lived = gb_phone_options;
    short_lived.n201_u = 140;
    short_lived.abm.values.n201_i_octets = 140;
    short_lived.lifetime_ns = 1500 * KIT_MS;
    kit_open(&kit, &short_lived);
    gb_phone_open(&p, &kit, 0);
    gb_phone_compress(&p);
    kit_flow(&kit, 200, 400);
    gb_phone_down(&p, 0, 1400);
    gb_phone_play(&p, kit.now + 4 * MOMENT_SECOND);
    const struct worker_stats *stats = &kit.worker->stats;
    assert_int_equal(stats->gn_drops[DROP_PARTIAL], 1);
    kit_flow(&kit, 100000, 80000);
    for (unsigned i = 0; i < 5; i++) {
        gb_phone_down(&p, i, 1400);
        gb_phone_play(&p, kit.now + 2 * MOMENT_SECOND);
        assert_int_equal(p.received, i + 1);
    }
    assert_int_equal(stats->compression_data, 6);
    assert_int_equal(stats->abm_established, 2);
    gb_phone_close(&p);
    kit_close(&kit);
}

/* Compressed by a header that no N-PDU before it has begun. */
static void pack_without_a_slot(void *arg, struct n_pdu *n_pdu)
{
    n_pdu->comp = 2;
}

static void unpack_nothing(void *arg, struct n_pdu *n_pdu)
{
    n_pdu->comp = 0;
}

/* The node cannot restore one: it establishes acknowledged mode again, and restores what comes then. */
KIT_TEST(an_uplink_n_pdu_that_is_not_restored_renews_its_link, &gb_phone_options)
{
    const struct worker_stats *stats = &kit->worker->stats;
    struct gb_phone p;
    gb_phone_open(&p, kit, 0);
    gb_phone_compress(&p);
    const struct link_kind right = p.kind;
    p.kind.pack = pack_without_a_slot;
    p.kind.unpack = unpack_nothing;
    gb_phone_up(&p, 0, 600);
    gb_phone_play(&p, kit->now + 190 * KIT_MS); /* SABM, UA, the N-PDU; not yet the SABM that answers it */
    p.kind = right;
    gb_phone_play(&p, kit->now + 4 * MOMENT_SECOND);
    assert_true(stats->gb_drops[DROP_SNDCP_TOSSED] > 0);
    assert_int_equal(p.received_up, 0);
    assert_int_equal(stats->abm_established, 2);
    for (unsigned i = 0; i < 5; i++)
        gb_phone_up(&p, i, 600);
    gb_phone_play(&p, kit->now + 4 * MOMENT_SECOND);
    assert_int_equal(p.received_up, 5);
    assert_true(stats->ul_compression_headers > 0);
    assert_int_equal(stats->abm_established, 2);
    gb_phone_close(&p);
}

/* --- PDUs of the other mode --- */

/* UI frames of a context whose LLC is in acknowledged mode: each kind of segment, plain and compressed. */
static void intrude(struct kit *kit, uint16_t *nu)
{
    static const struct gb_frame_uplink kinds[] = {
        {.octets = 60},
        {.octets = 100, .more = true},
        {.octets = 60, .segment = 1},
        {.octets = 60, .compression = 1},
        {.octets = 60, .compression = 2},
        {.octets = 60, .compression = 1 << 4},
        {.octets = 60, .compression = 1 << 4 | 2, .number = 9},
    };
    const uint64_t *dropped = &kit->worker->stats.gb_drops[DROP_SNDCP_MODE];
    uint64_t before = *dropped;
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        uint8_t frame[KIT_FRAME_OCTETS];
        struct gb_frame_uplink in = kinds[i];
        in.nu = (*nu)++;
        kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    }
    assert_int_equal(*dropped, before + COUNT(kinds));
}

static void one_up(struct gb_phone *p)
{
    unsigned before = p->received_up;
    gb_phone_up(p, before, 1400);
    gb_phone_play(p, p->kit->now + MOMENT_SECOND);
    assert_int_equal(p->received_up, before + 1);
}

/* SN-UNITDATA of a context whose LLC is in acknowledged mode is dropped, also between the segments of its
 * N-PDU: neither link is established again, and whatever both send is restored. */
TEST(unitdata_does_not_disturb_acknowledged_mode)
{
    struct kit kit;
    struct gb_phone one, two;
    struct kit_options options_140 = gb_phone_options;
    uint16_t nu = 0;
    options_140.abm.values.n201_i_octets = 140;
    kit_open(&kit, &options_140);
    gb_phone_open(&one, &kit, 0);
    gb_phone_open_other(&two, &kit, 1);
    gb_phone_compress(&one);
    gb_phone_compress(&two);
    const struct worker_stats *stats = &kit.worker->stats;
    one_up(&one);
    one_up(&two);
    for (unsigned i = 1; i < 6; i++) {
        gb_phone_up(&one, i, 1400);
        gb_phone_play(&one, kit.now + 51 * KIT_MS); /* a half of it has come */
        intrude(&kit, &nu);
        gb_phone_play(&one, kit.now + MOMENT_SECOND);
        assert_int_equal(one.received_up, i + 1);
        one_up(&two);
        gb_phone_down(&one, i - 1, 1400);
        intrude(&kit, &nu);
        gb_phone_play(&one, kit.now + MOMENT_SECOND);
        assert_int_equal(one.received, i);
    }
    assert_int_equal(stats->abm_established, 2);
    assert_true(stats->ul_compression_data > 8);
    gb_phone_close(&one);
    gb_phone_close(&two);
    kit_close(&kit);
}

/* The other way round: SN-DATA of a context in unacknowledged mode, on the link of another. */
KIT_TEST(data_do_not_disturb_unacknowledged_mode, &gb_phone_options)
{
    struct gb_phone p;
    struct msg other = kit_pdp(5, 0, KIT_NSAPI + 1, KIT_TEID + 5);
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink segment = {.nsapi = KIT_NSAPI + 1, .octets = 100, .more = true};
    const uint64_t *dropped = &kit->worker->stats.gb_drops[DROP_SNDCP_MODE];
    gb_phone_open(&p, kit, 0);
    kit_do(kit, &other);
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &segment));
    assert_int_equal(kit->worker->stats.ul_held, 1);
    gb_phone_up_of(&p, KIT_NSAPI + 1, 600);
    gb_phone_play(&p, kit->now + MOMENT_SECOND);
    assert_int_equal(*dropped, 1);
    assert_int_equal(kit->worker->stats.ul_held, 1);
    segment = (struct gb_frame_uplink){.nsapi = KIT_NSAPI + 1, .octets = 100, .segment = 1, .nu = 1};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &segment));
    assert_int_equal(kit_take_gn(kit, frame), GN_FRAME_INNER + 200);
    gb_phone_close(&p);
}

UNIT_MAIN(kit_start, NULL)
