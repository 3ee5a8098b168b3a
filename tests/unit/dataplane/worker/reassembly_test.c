/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink N-PDUs in segments: every order, and every way not to complete. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define STEPS         18
#define TUNNEL_OCTETS 50

/* One segment that comes. Its data is a pattern of its number. */
struct segment {
    uint8_t index;
    bool more;
    uint16_t octets;
    uint16_t number; /* of its N-PDU */
};

struct reassembly_row {
    const char *name;
    uint8_t out;         /* N-PDUs that leave */
    uint16_t out_octets; /* of the last of them */
    uint8_t held, lost;
    uint8_t count;
    struct segment segments[STEPS];
};

#define FIRST(n)                                                                                             \
    {                                                                                                        \
        0, true, 100, n                                                                                      \
    }
#define MIDDLE(n)                                                                                            \
    {                                                                                                        \
        1, true, 90, n                                                                                       \
    }
#define LAST(n)                                                                                              \
    {                                                                                                        \
        2, false, 30, n                                                                                      \
    }
#define LAST_1(n)                                                                                            \
    {                                                                                                        \
        1, false, 30, n                                                                                      \
    }
#define FILL(i, n)                                                                                           \
    {                                                                                                        \
        i, true, n, 1                                                                                        \
    }

static const struct reassembly_row rows[] = {
    {"in order", 1, 220, 0, 0, 3, {FIRST(1), MIDDLE(1), LAST(1)}},
    {"021", 1, 220, 0, 0, 3, {FIRST(1), LAST(1), MIDDLE(1)}},
    {"last before first", 0, 0, 2, 1, 3, {LAST(1), FIRST(1), MIDDLE(1)}},
    {"middle before first", 0, 0, 2, 1, 3, {MIDDLE(1), FIRST(1), LAST(1)}},
    {"first twice", 1, 220, 0, 1, 4, {FIRST(1), FIRST(1), MIDDLE(1), LAST(1)}},
    {"middle twice", 1, 220, 0, 1, 4, {FIRST(1), MIDDLE(1), MIDDLE(1), LAST(1)}},
    {"last twice", 1, 220, 0, 1, 4, {FIRST(1), LAST(1), LAST(1), MIDDLE(1)}},
    {"again after the end", 1, 220, 0, 1, 4, {FIRST(1), MIDDLE(1), LAST(1), LAST(1)}},
    {"missing middle", 0, 0, 2, 0, 2, {FIRST(1), LAST(1)}},
    {"missing last", 0, 0, 2, 0, 2, {FIRST(1), MIDDLE(1)}},
    {"missing first", 0, 0, 0, 2, 2, {MIDDLE(1), LAST(1)}},
    {"next one begins", 1, 130, 0, 2, 4, {FIRST(1), MIDDLE(1), FIRST(2), LAST_1(2)}},
    {"whole one between", 1, 50, 0, 3, 4, {FIRST(1), MIDDLE(1), {0, false, 50, 2}, LAST(1)}},
    {"stray of another", 1, 220, 0, 1, 4, {FIRST(1), MIDDLE(2), MIDDLE(1), LAST(1)}},
    {"number 4095, then 0", 2, 130, 0, 0, 4, {FIRST(4095), LAST_1(4095), FIRST(0), LAST_1(0)}},
    {"two lasts", 1, 220, 0, 1, 4, {FIRST(1), LAST(1), LAST_1(1), MIDDLE(1)}},
    ROW("last before one that came", 1, 310, 0, 1, 5,
        {FIRST(1), FILL(2, 90), LAST_1(1), MIDDLE(1), {3, false, 30, 1}}),
    {"behind the last", 1, 220, 0, 1, 4, {FIRST(1), LAST(1), {3, true, 9, 1}, MIDDLE(1)}},
    {"1503 octets", 1, 1503, 0, 0, 2, {FILL(0, 1500), {1, false, 3, 1}}},
    {"1504 octets", 0, 0, 1, 1, 2, {FILL(0, 1500), {1, false, 4, 1}}},
    {"first alone too long", 0, 0, 0, 1, 1, {FILL(0, 1504)}},
    {"segments of nothing", 0, 0, 0, 2, 2, {{0, true, 0, 1}, {1, false, 0, 1}}},
    {"nothing in the last", 1, 100, 0, 0, 2, {FIRST(1), {1, false, 0, 1}}},
    ROW("16", 1, 1440, 0, 0, 16,
        {FILL(0, 90),
         FILL(1, 90),
         FILL(2, 90),
         FILL(3, 90),
         FILL(4, 90),
         FILL(5, 90),
         FILL(6, 90),
         FILL(7, 90),
         FILL(8, 90),
         FILL(9, 90),
         FILL(10, 90),
         FILL(11, 90),
         FILL(12, 90),
         FILL(13, 90),
         FILL(14, 90),
         {15, false, 90, 1}}),
    ROW("16 and no end", 0, 0, 16, 1, 17,
        {FILL(0, 9), FILL(1, 9), FILL(2, 9), FILL(3, 9), FILL(4, 9), FILL(5, 9), FILL(6, 9), FILL(7, 9),
         FILL(8, 9), FILL(9, 9), FILL(10, 9), FILL(11, 9), FILL(12, 9), FILL(13, 9), FILL(14, 9), FILL(15, 9),
         FILL(15, 9)}),
};

static void send(struct kit *kit, const struct segment *segment, uint16_t nu, uint8_t nsapi)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.nu = nu,
                                 .nsapi = nsapi,
                                 .segment = segment->index,
                                 .more = segment->more,
                                 .octets = segment->octets,
                                 .number = segment->number};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
}

/* Each octet of the N-PDU names its segment, and these count up from 0. */
static void assert_in_order(const uint8_t *n_pdu, size_t octets)
{
    assert_int_equal(n_pdu[0], 0x10);
    for (size_t i = 1; i < octets; i++)
        assert_true(n_pdu[i] == n_pdu[i - 1] || n_pdu[i] == n_pdu[i - 1] + 1);
}

static void expect_out(struct kit *kit, const struct reassembly_row *row)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = 0;
    for (unsigned i = 0; i < row->out; i++)
        octets = kit_take_gn(kit, frame);
    assert_int_equal(kit_drain(&kit->gn), 0);
    if (row->out == 0)
        return;
    assert_int_equal(octets, TUNNEL_OCTETS + row->out_octets);
    assert_in_order(frame + TUNNEL_OCTETS, row->out_octets);
}

/* What is held after the row is lost ten seconds after it began. */
static void expect_time_out(struct kit *kit, const struct reassembly_row *row)
{
    const struct worker_stats *s = &kit->worker->stats;
    int64_t end_ns = row->held ? kit->now + 10 * MOMENT_SECOND : MOMENT_NEVER;

    assert_int_equal(kit_settle(kit), end_ns);
    if (row->held == 0)
        return;
    assert_int_equal(kit_settle_at(kit, end_ns - 1), end_ns);
    assert_int_equal(s->ul_held, row->held);
    assert_int_equal(kit_settle_at(kit, end_ns), MOMENT_NEVER);
    assert_int_equal(s->ul_held, 0);
    assert_int_equal(s->gb_drops[DROP_SNDCP_INCOMPLETE], row->lost + row->held);
}

TEST(orders)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct reassembly_row *row = &rows[i];
        struct kit kit;
        kit_open(&kit, &(struct kit_options){.no_uplink_filter = true, .gn_mtu_octets = 1600});
        for (uint16_t k = 0; k < row->count; k++)
            send(&kit, &row->segments[k], k, KIT_NSAPI);
        const struct worker_stats *s = &kit.worker->stats;
        if (s->ul_npdu_out != row->out || s->ul_held != row->held ||
            s->gb_drops[DROP_SNDCP_INCOMPLETE] != row->lost)
            fail_msg("%s: out %u held %u lost %u", row->name, (unsigned)s->ul_npdu_out, (unsigned)s->ul_held,
                     (unsigned)s->gb_drops[DROP_SNDCP_INCOMPLETE]);
        expect_out(&kit, row);
        expect_time_out(&kit, row);
        kit_close(&kit);
    }
}

/* Contexts do not mix, and each time-out counts from its own first segment. */
TEST(two_contexts)
{
    static const struct segment first = FIRST(1), last = LAST_1(1);
    struct kit kit;
    uint16_t nu = 0;

    kit_open(&kit, &(struct kit_options){.no_uplink_filter = true});
    struct msg pdp = kit_pdp(1, 0, 6, KIT_TEID + 1);
    kit_do(&kit, &pdp);
    int64_t began_ns = kit.now;
    send(&kit, &first, nu++, 5);
    kit.now += MOMENT_SECOND;
    send(&kit, &first, nu++, 6);
    send(&kit, &last, nu++, 6);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 1);
    send(&kit, &first, nu++, 6);
    assert_int_equal(kit_settle(&kit), began_ns + 10 * MOMENT_SECOND);
    assert_int_equal(kit_settle_at(&kit, began_ns + 10 * MOMENT_SECOND), began_ns + 11 * MOMENT_SECOND);
    send(&kit, &last, nu++, 6);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 2);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_SNDCP_INCOMPLETE], 1);
    assert_int_equal(kit_drain(&kit.gn), 2);
    kit_close(&kit);
}

/* No entry left: the oldest N-PDU is lost, and its later segments. */
TEST(table_full)
{
    static const struct segment first = FIRST(1), last = LAST_1(1);
    struct kit kit;

    kit_open(&kit, &(struct kit_options){.reassemblies = 1, .no_uplink_filter = true});
    struct msg pdp = kit_pdp(1, 0, 6, KIT_TEID + 1);
    kit_do(&kit, &pdp);
    send(&kit, &first, 0, 5);
    send(&kit, &first, 1, 6);
    send(&kit, &last, 2, 6);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_SNDCP_LIMIT], 1);
    send(&kit, &last, 3, 5);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_SNDCP_INCOMPLETE], 1);
    send(&kit, &first, 4, 6);
    send(&kit, &last, 5, 6);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 2);
    kit_close(&kit);
}

#define CONTEXTS 11 /* of a mobile */
#define SEGMENTS 16

/* The contexts of one mobile send N-PDUs without end; they hold half of the buffers at most, and the oldest
 * N-PDU pays. Then an N-PDU that comes whole is forwarded. */
TEST(without_end)
{
    static const struct segment first = FIRST(9), last = LAST_1(9);
    const uint32_t share = reassembly_buffers(16) / 2;
    struct kit kit;
    uint16_t nu = 0;

    kit_open(&kit, &(struct kit_options){.reassemblies = 16, .no_uplink_filter = true});
    for (uint8_t i = 1; i < CONTEXTS; i++) {
        struct msg pdp = kit_pdp(i, 0, (uint8_t)(KIT_NSAPI + i), KIT_TEID + i);
        kit_do(&kit, &pdp);
    }
    const struct worker_stats *s = &kit.worker->stats;
    for (unsigned i = 0; i < 10 * CONTEXTS * SEGMENTS; i++) {
        struct segment segment = {i % SEGMENTS, true, 20, (uint16_t)(i / SEGMENTS)};
        send(&kit, &segment, nu++ % 512, (uint8_t)(KIT_NSAPI + i / SEGMENTS % CONTEXTS));
        assert_true(s->ul_held <= share);
    }
    assert_true(s->gb_drops[DROP_SNDCP_LIMIT] > 0 && s->ul_held > share - SEGMENTS);
    send(&kit, &first, nu++ % 512, KIT_NSAPI);
    send(&kit, &last, nu++ % 512, KIT_NSAPI);
    assert_int_equal(s->ul_npdu_out, 1);
    kit_close(&kit);
}

/* Its segments go with the context, whoever deletes it. */
TEST(context_deleted)
{
    static const uint16_t orders_of[] = {MSG_PDP_DEL, MSG_MS_DEL};
    static const struct segment first = FIRST(1), last = LAST_1(1);
    for (size_t i = 0; i < COUNT(orders_of); i++) {
        struct kit kit;
        kit_open(&kit, &(struct kit_options){.no_uplink_filter = true});
        send(&kit, &first, 0, 5);
        kit_do(&kit, &(struct msg){.type = orders_of[i]});
        assert_int_equal(kit.worker->stats.ul_held, 0);
        assert_int_equal(kit.worker->stats.gb_drops[DROP_SNDCP_INCOMPLETE], 1);
        struct msg ms = kit_ms(&kit, 0, KIT_TLLI), pdp = kit_pdp(0, 0, 5, KIT_TEID);
        if (orders_of[i] == MSG_MS_DEL)
            kit_do(&kit, &ms);
        kit_do(&kit, &pdp);
        send(&kit, &last, 1, 5);
        assert_int_equal(kit.worker->stats.gb_drops[DROP_SNDCP_INCOMPLETE], 2);
        kit_close(&kit);
    }
}

/* A refused first segment leaves nothing behind that would take a place or wake the worker. */
KIT_TEST(nothing_begun, &(struct kit_options){.no_uplink_filter = true})
{
    static const struct segment too_long = {0, false, 1504, 1};
    send(kit, &too_long, 0, 5);
    assert_int_equal(kit_settle(kit), MOMENT_NEVER);
}

/* Segments 0 .. SEGMENTS - 1 of an N-PDU that does not end; context and cell by number. */
static void fill(struct reassembly *r, struct worker_stats *stats, struct kit *kit, uint32_t pdp,
                 uint32_t cell)
{
    for (uint8_t i = 0; i < SEGMENTS; i++) {
        const struct sndcp header = {.first = i == 0, .more = true, .segment = i, .n_pdu_number = 1};
        struct rte_mbuf *segment = rte_pktmbuf_alloc(kit->rx_pool);
        assert_non_null(rte_pktmbuf_append(segment, 20));
        assert_null(
            reassembly_put(r, stats, &header, (struct reassembly_source){pdp, cell}, segment, (int64_t)pdp));
        assert_true(r->all.held <= r->held_max);
    }
}

/* Each cell may hold half of all buffers; a third one takes those of the N-PDU that began first. */
TEST(cells_share_all)
{
    struct worker_stats stats = {0};
    struct reassembly r;
    struct kit kit;
    kit_open(&kit, &(struct kit_options){0});
    assert_true(reassembly_new(&r, 16, 8));
    assert_int_equal(r.held_max, 4 * SEGMENTS);
    for (uint32_t pdp = 0; pdp < 4; pdp++)
        fill(&r, &stats, &kit, pdp, pdp / 2);
    assert_int_equal(stats.gb_drops[DROP_SNDCP_LIMIT], 0);
    assert_true(r.all.held == r.held_max && r.cells[0].held == 2 * SEGMENTS &&
                r.cells[1].held == 2 * SEGMENTS);
    fill(&r, &stats, &kit, 4, 2);
    assert_int_equal(stats.gb_drops[DROP_SNDCP_LIMIT], SEGMENTS);
    assert_true(r.all.held == r.held_max && r.cells[0].held == SEGMENTS && r.cells[1].held == 2 * SEGMENTS);
    assert_true(r.cells[0].oldest == r.by_pdp[1] && r.cells[0].newest == r.by_pdp[1]);
    fill(&r, &stats, &kit, 5, REASSEMBLY_CELLS + 1); /* the place of cell 1 */
    assert_int_equal(stats.gb_drops[DROP_SNDCP_LIMIT], 2 * SEGMENTS);
    assert_true(r.cells[0].held == SEGMENTS && r.cells[1].held == 2 * SEGMENTS);
    reassembly_free(&r);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
