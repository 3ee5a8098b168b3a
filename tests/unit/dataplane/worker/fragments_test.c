/* SPDX-License-Identifier: BSD-3-Clause */
/* G-PDUs whose outer IP packet comes in pieces. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#define STEPS 9

struct fragment_row {
    const char *name;
    uint16_t inner_octets;
    uint16_t piece_octets;
    bool goes;            /* the datagram completes and its N-PDU leaves */
    uint8_t held, merged; /* after all pieces */
    uint8_t lost;
    uint8_t too_long;
    uint8_t copies;
    uint8_t other;  /* bit i: step i's octets differ from those of its first sending */
    uint8_t pieces; /* that are sent */
    uint8_t order[STEPS];
};

static const struct fragment_row rows[] = {
    {"two in order", 1500, 1480, true, 0, 1, 0, 0, 0, 0, 2, {0, 1}},
    {"two the other way round", 1500, 1480, true, 0, 1, 0, 0, 0, 0, 2, {1, 0}},
    {"three 012", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {0, 1, 2}},
    {"three 021", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {0, 2, 1}},
    {"three 102", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {1, 0, 2}},
    {"three 120", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {1, 2, 0}},
    {"three 201", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {2, 0, 1}},
    {"three 210", 1500, 600, true, 0, 2, 0, 0, 0, 0, 3, {2, 1, 0}},
    {"shortest pieces", 32, 8, true, 0, 5, 0, 0, 0, 0, 6, {5, 0, 4, 1, 3, 2}},
    {"as many as wait", 100, 8, false, 8, 0, 0, 0, 0, 0, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"one more than wait", 100, 8, false, 0, 0, 9, 0, 0, 0, 9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"last missing", 1500, 600, false, 2, 0, 0, 0, 0, 0, 2, {0, 1}},
    {"first missing", 1500, 600, false, 2, 0, 0, 0, 0, 0, 2, {1, 2}},
    {"middle missing", 1500, 600, false, 2, 0, 0, 0, 0, 0, 2, {0, 2}},
    {"first twice", 1500, 1480, true, 0, 1, 0, 0, 1, 0, 3, {0, 0, 1}},
    {"last twice", 1500, 1480, true, 0, 1, 0, 0, 1, 0, 3, {1, 1, 0}},
    {"each three times", 1500, 600, true, 0, 2, 0, 0, 4, 0, 7, {2, 2, 0, 2, 0, 0, 1}},
    {"a copy when no more may wait", 100, 8, false, 8, 0, 0, 0, 1, 0, 9, {0, 1, 2, 3, 4, 5, 6, 7, 3}},
    {"first twice with other octets", 1500, 1480, false, 0, 0, 2, 0, 0, 2, 2, {0, 0}},
    {"last twice with other octets", 1500, 1480, false, 0, 0, 2, 0, 0, 2, 2, {1, 1}},
    {"all, then the first again", 1500, 1480, true, 1, 1, 0, 0, 0, 0, 3, {0, 1, 0}},
    {"longer than a buffer", 3000, 1480, false, 0, 2, 0, 1, 0, 0, 3, {0, 1, 2}},
};

/* Pushes piece `index` of a datagram with an inner packet of that many octets and this identification. */
static void push(struct kit *kit, const struct fragment_row *row, unsigned index, uint16_t id, bool is_other)
{
    static uint8_t whole[8192];
    uint8_t piece[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = row->inner_octets, .seed = id};
    size_t octets = gn_frame_build(whole, &in);

    octets = gn_frame_fragment(piece, whole, octets, row->piece_octets, index);
    assert_true(octets > 0);
    piece[octets - 1] ^= is_other;
    kit_from_gn(kit, piece, octets);
}

static void push_piece(struct kit *kit, const struct fragment_row *row, unsigned index, uint16_t id)
{
    push(kit, row, index, id, false);
}

static void expect_out(struct kit *kit, const struct fragment_row *row, struct gb_frame_downlink *model,
                       uint16_t id)
{
    uint8_t n_pdu[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    uint16_t offset = 0;
    gn_frame_inner(n_pdu, row->inner_octets, id);
    size_t octets = gb_frame_segment(want, model, n_pdu, row->inner_octets, &offset);
    assert_int_equal(kit_take_gb(kit, got), octets);
    assert_memory_equal(got, want, octets);
}

static void play(const struct fragment_row *row)
{
    struct kit kit;
    struct gb_frame_downlink model = {.n201_u = 1520};
    const struct worker_stats *s;

    kit_open(&kit, NULL);
    s = &kit.worker->stats;
    for (unsigned i = 0; i < row->pieces; i++)
        push(&kit, row, row->order[i], 77, row->other >> i & 1);
    if (s->npdu_out != row->goes || s->gn_held != row->held || s->gn_merged != row->merged ||
        s->gn_drops[DROP_FRAGMENT_LOST] != row->lost || s->gn_drops[DROP_TOO_LONG] != row->too_long ||
        s->gn_drops[DROP_FRAGMENT_COPY] != row->copies)
        fail_msg("%s: out %u held %u merged %u lost %u too long %u", row->name, (unsigned)s->npdu_out,
                 (unsigned)s->gn_held, (unsigned)s->gn_merged, (unsigned)s->gn_drops[DROP_FRAGMENT_LOST],
                 (unsigned)s->gn_drops[DROP_TOO_LONG]);
    if (row->goes)
        expect_out(&kit, row, &model, 77);
    kit_close(&kit);
}

TEST_EACH(orders, play, rows)

/* A piece may wait five seconds, and no more; the deadline is when it is certain. */
TEST(time_out)
{
    static const struct {
        int64_t after_ns;
        bool goes;
    } waits[] = {{0, true}, {5 * MOMENT_SECOND, true}, {5 * MOMENT_SECOND + 1, false}};
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct kit kit;
        kit_open(&kit, NULL);
        push_piece(&kit, &rows[0], 0, 9);
        int64_t began_ns = kit.now;
        assert_int_equal(kit_settle(&kit), began_ns + 5 * MOMENT_SECOND + 1);
        kit_settle_at(&kit, began_ns + waits[i].after_ns);
        push_piece(&kit, &rows[0], 1, 9);
        assert_int_equal(kit.worker->stats.npdu_out, waits[i].goes);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_FRAGMENT_LOST], !waits[i].goes);
        assert_int_equal(kit.worker->stats.gn_held, !waits[i].goes);
        kit_close(&kit);
    }
}

/* The oldest datagrams pay. */
TEST(table_full)
{
    struct kit kit;
    struct gb_frame_downlink model = {.n201_u = 1520};

    kit_open(&kit, &(struct kit_options){.fragments = 16});
    for (uint16_t id = 0; id < 20; id++)
        push_piece(&kit, &rows[0], 0, id);
    assert_int_equal(kit.worker->stats.gn_held, 16);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_FRAGMENT_LOST], 4);
    push_piece(&kit, &rows[0], 1, 4); /* the oldest that is left; frees one place */
    expect_out(&kit, &rows[0], &model, 4);
    push_piece(&kit, &rows[0], 0, 30);
    assert_int_equal(kit.worker->stats.gn_held, 16);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_FRAGMENT_LOST], 4);
    int64_t end_ns = kit_settle(&kit);
    assert_int_equal(kit_settle_at(&kit, end_ns), MOMENT_NEVER);
    assert_int_equal(kit.worker->stats.gn_held, 0);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_FRAGMENT_LOST], 20);
    kit_close(&kit);
}

/* One step frees all that is due. */
KIT_TEST(many_expire_at_once, &(struct kit_options){.fragments = 2048})
{
    for (uint16_t id = 0; id < 300; id++) {
        push_piece(kit, &rows[2], 0, id);
        push_piece(kit, &rows[2], 1, id);
    }
    uint64_t held = kit->worker->stats.gn_held;
    assert_true(held > 500);
    kit->now += 5 * MOMENT_SECOND + 1;
    assert_int_equal(worker_step(kit->worker, kit->now), MOMENT_NEVER);
    assert_int_equal(kit->worker->stats.gn_held, 0);
    kit_check(kit);
}

/* A piece as push_piece()'s, from a source. */
static void push_piece_from(struct kit *kit, uint32_t source, uint16_t id, unsigned index)
{
    static uint8_t whole[KIT_FRAME_OCTETS];
    uint8_t piece[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 100, .seed = id};
    size_t octets = gn_frame_build(whole, &in);
    octets = gn_frame_fragment(piece, whole, octets, 8, index);
    bytes_put_u32(piece + GN_FRAME_IP + 12, source);
    bytes_put_u16(piece + GN_FRAME_IP + 4, id);
    gn_frame_sum_ip(piece + GN_FRAME_IP);
    kit_from_gn(kit, piece, octets);
}

/* Fragments that never complete, of sources that are all forged or are one: packets of users go both ways all
 * the time, also those in fragments. */
static void attack(uint32_t sources)
{
    struct kit kit;
    struct gb_frame_downlink model = {.n201_u = 1520};
    kit_open(&kit, &(struct kit_options){.rx_buffers = 255, .fragments = 64});
    for (uint32_t i = 0; i < 20000; i++) {
        push_piece_from(&kit, 0xc6336400 + i / 6 % sources, (uint16_t)(i / 6), i % 6);
        if (i % 1000 != 999)
            continue;
        push_piece(&kit, &rows[0], 0, 7);
        push_piece(&kit, &rows[0], 1, 7);
        expect_out(&kit, &rows[0], &model, 7);
        kit_from_ms(&kit, 0, KIT_BVCI, KIT_TLLI);
        assert_int_equal(kit_drain(&kit.gn), 1);
        assert_true(kit.worker->stats.gn_held <= (sources == 1 ? 32 : 64));
    }
    kit_close(&kit);
}

TEST(attacks)
{
    attack(1);
    attack(60000);
}

/* A source that sends more than its share ends its own datagrams, not another source's. */
KIT_TEST(one_source_pays_for_itself, &(struct kit_options){.fragments = 64})
{
    struct gb_frame_downlink model = {.n201_u = 1520};
    push_piece(kit, &rows[0], 0, 7);
    for (uint16_t id = 0; id < 1000; id++)
        push_piece_from(kit, 0xc6336401, id, 0);
    assert_int_equal(kit->worker->stats.gn_held, 1 + 32);
    push_piece(kit, &rows[0], 1, 7);
    expect_out(kit, &rows[0], &model, 7);
}

/* Pieces that wait are given back when the worker ends: kit_close() counts them. */
KIT_TEST(held_at_the_end, NULL)
{
    push_piece(kit, &rows[0], 0, 1);
    push_piece(kit, &rows[0], 1, 2);
    assert_int_equal(kit->worker->stats.gn_held, 2);
}

UNIT_MAIN(kit_start, NULL)
