/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles and their PDP contexts: slots, lists, what goes with whom. */
#include "dataplane/context/ms.h"
#include "tests/unit/dataplane/context/rig.h"

static int add_ms(struct rig *rig, uint32_t index, struct ms_params params)
{
    return context_ms_add(&rig->c, index, &params, rig->now);
}

static int add_pdp(struct rig *rig, uint32_t index, struct pdp_params params)
{
    return context_pdp_add(&rig->c, index, &params);
}

TEST(refused_mobiles)
{
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    const struct {
        uint32_t index;
        uint16_t bvc, n201_u;
        uint8_t imsi_octets;
        int want;
    } rows[] = {
        {0, 0, 500, 0, -1}, {RIG_MOBILES, 0, 500, 0, -1}, {1, 2, 500, 0, -1}, {1, RIG_BVCS, 500, 0, -1},
        {1, 0, 139, 0, -1}, {1, 0, 1521, 0, -1},          {1, 0, 500, 9, -1}, {1, 0, 0, 0, -1},
        {1, 0, 140, 8, 0},  {2, 1, 1520, 0, 0},           {3, 1, 500, 1, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_params ms = rig_ms(rows[i].bvc, 7);
        ms.n201_u = rows[i].n201_u;
        ms.imsi_octets = rows[i].imsi_octets;
        if (add_ms(&rig, rows[i].index, ms) != rows[i].want)
            fail_msg("row %zu", i);
    }
    rig_close(&rig);
}

TEST(refused_contexts)
{
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 5)), 0);
    const struct {
        uint32_t index, ms;
        uint8_t nsapi, sapi;
        int want;
    } rows[] = {
        {0, 0, 6, 3, -1},   {RIG_PDPS, 0, 6, 3, -1}, {1, 1, 6, 3, -1},  {1, RIG_MOBILES, 6, 3, -1},
        {1, 0, 5, 3, -1},   {1, 0, 4, 3, -1},        {1, 0, 0, 3, -1},  {1, 0, 16, 3, -1},
        {1, 0, 255, 3, -1}, {1, 0, 6, 0, -1},        {1, 0, 6, 1, -1},  {1, 0, 6, 2, -1},
        {1, 0, 6, 7, -1},   {1, 0, 6, 8, -1},        {1, 0, 6, 13, -1}, {1, 0, 6, 5, 0},
        {2, 0, 15, 9, 0},   {3, 0, 7, 11, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pdp_params pdp = rig_pdp(rows[i].ms, rows[i].nsapi);
        pdp.sapi = rows[i].sapi;
        if (add_pdp(&rig, rows[i].index, pdp) != rows[i].want)
            fail_msg("row %zu", i);
    }
    rig_close(&rig);
}

/* A slot filled again is another context: generation grows, numbers begin anew. */
TEST(generations)
{
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    for (uint32_t generation = 1; generation <= 3; generation++) {
        assert_int_equal(add_pdp(&rig, 2, rig_pdp(0, 5)), 0);
        assert_int_equal(rig.c.pdps[2].generation, generation);
        assert_int_equal(pdp_take_number(&rig.c.pdps[2]), 0);
        if (generation == 2) {
            assert_int_equal(context_ms_del(&rig.c, 0), 0);
            assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
        } else {
            assert_int_equal(context_pdp_del(&rig.c, 2, rig.now), 0);
        }
        assert_int_equal(context_pdp_del(&rig.c, 2, rig.now), -1);
    }
    assert_int_equal(context_pdp_del(&rig.c, RIG_PDPS, rig.now), -1);
    rig_close(&rig);
}

TEST(numbers)
{
    struct pdp pdp = {.next_number = 4094};
    static const uint16_t want[] = {4094, 4095, 0, 1};
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(pdp_take_number(&pdp), want[i]);
}

/* Only the deleted context's N-PDUs go; the one in service counts as partial. */
TEST(delete_context)
{
    struct rig rig;
    struct gb_flow flow = rig_flow(510, 0, 510, 0);
    struct n_pdu *n_pdu;

    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 5)), 0);
    assert_int_equal(add_pdp(&rig, 1, rig_pdp(0, 6)), 0);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
    rig_put(&rig, 0, 0, 600);
    rig_put(&rig, 0, 1, 50);
    rig_put(&rig, 0, 0, 60);
    assert_int_equal(rig_send(&rig), 1);
    assert_int_equal(context_pdp_del(&rig.c, 0, rig.now), 0);
    assert_int_equal(context_queued_pkts(&rig.c), 1);
    n_pdu = n_pdu_list_take(&rig.c.sched.dropped);
    assert_int_equal(n_pdu->drop_reason, DROP_PARTIAL);
    assert_int_equal(rig_dropped(&rig, DROP_CONTEXT_DELETED), 1);
    assert_int_equal(ms_pdp(&rig.c.mobiles[0], 5), MS_PDP_NONE);
    assert_int_equal(ms_pdp(&rig.c.mobiles[0], 6), 1);
    rig_close(&rig);
}

/* A mobile goes with its contexts and its queue, also one that waits on a timer, and leaves nothing there. */
TEST(delete_mobile)
{
    struct rig rig;
    struct gb_flow flow = rig_flow(5000, 8000, 150, 800);

    rig_open(&rig);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 5)), 0);
    assert_int_equal(add_pdp(&rig, 3, rig_pdp(0, 15)), 0);
    rig_put(&rig, 0, 0, 100);
    rig_put(&rig, 0, 3, 100);
    assert_int_equal(rig_send(&rig), 1);
    assert_true(sched_next_ns(&rig.c.sched) < MOMENT_NEVER);
    assert_int_equal(context_ms_del(&rig.c, 0), 0);
    assert_int_equal(rig_dropped(&rig, DROP_CONTEXT_DELETED), 1);
    rig.now = sched_next_ns(&rig.c.sched); /* the wheel forgets nothing, its entry means nothing */
    assert_int_equal(rig_send(&rig), 0);
    assert_true(sched_next_ns(&rig.c.sched) == MOMENT_NEVER);
    assert_int_equal(context_queued_pkts(&rig.c), 0);
    assert_int_equal(context_ms_del(&rig.c, 0), -1);
    assert_int_equal(context_ms_del(&rig.c, RIG_MOBILES), -1);
    assert_int_equal(context_pdp_del(&rig.c, 0, rig.now), -1);
    assert_int_equal(context_pdp_del(&rig.c, 3, rig.now), -1);

    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 15)), 0);
    rig_put(&rig, 0, 0, 100);
    assert_int_equal(rig_send(&rig), 1);
    rig_close(&rig);
}

/* --- the list of a cell --- */

/* The members of one of two lists; that they are linked well. */
static unsigned members(const struct rig *rig, uint32_t head, bool are_busy)
{
    unsigned mask = 0;
    uint32_t before = MS_NONE;
    for (uint32_t i = head; i != MS_NONE;) {
        const struct ms *ms = &rig->c.mobiles[i];
        const struct ms_link *link = are_busy ? &ms->busy : &ms->in_bvc;
        assert_int_equal(link->prev, before);
        assert_false(mask >> i & 1);
        mask |= 1u << i;
        before = i;
        i = link->next;
    }
    return mask;
}

/* Of all of its mobiles; all of them are busy, too. */
static unsigned list_mask(const struct rig *rig, uint16_t bvc)
{
    unsigned mask = members(rig, rig->c.bvcs[bvc].ms_head, false);
    assert_int_equal(members(rig, rig->c.bvcs[bvc].busy_head, true), mask);
    return mask;
}

static int add_busy(struct rig *rig, uint32_t i, uint16_t bvc)
{
    if (add_ms(rig, i, rig_ms(bvc, 100 + i)) < 0)
        return -1;
    rig_put(rig, i, 0, 10);
    return 0;
}

/* Deleted in every order, the others stay linked. */
TEST(lists)
{
    for (unsigned order = 0; order < 64; order++) {
        struct rig rig;
        const uint32_t gone[] = {order & 3, order >> 2 & 3, order >> 4 & 3};
        unsigned want = 15;
        rig_open(&rig);
        for (uint32_t i = 0; i < RIG_MOBILES; i++)
            assert_int_equal(add_busy(&rig, i, 0), 0);
        for (unsigned k = 0; k < COUNT(gone); k++) {
            assert_int_equal(context_ms_del(&rig.c, gone[k]), want >> gone[k] & 1 ? 0 : -1);
            want &= ~(1u << gone[k]);
            assert_int_equal(list_mask(&rig, 0), want);
        }
        assert_int_equal(add_busy(&rig, gone[0], 1), 0);
        assert_int_equal(list_mask(&rig, 0), want);
        assert_int_equal(list_mask(&rig, 1), 1u << gone[0]);
        rig_close(&rig);
    }
}

/* Moved in every order, some twice: each is in the lists of one cell. */
TEST(moved_lists)
{
    for (unsigned order = 0; order < 64; order++) {
        struct rig rig;
        const uint32_t movers[] = {order & 3, order >> 2 & 3, order >> 4 & 3};
        unsigned there = 0;
        rig_open(&rig);
        for (uint32_t i = 0; i < RIG_MOBILES; i++)
            assert_int_equal(add_busy(&rig, i, 0), 0);
        for (unsigned k = 0; k < COUNT(movers); k++) {
            there ^= 1u << movers[k];
            assert_int_equal(context_ms_move(&rig.c, movers[k], there >> movers[k] & 1, rig.now), 0);
            assert_int_equal(list_mask(&rig, 0), 15 & ~there);
            assert_int_equal(list_mask(&rig, 1), there);
        }
        rig_close(&rig);
    }
}

/* --- TLLIs --- */

TEST(tllis)
{
    static const struct {
        uint32_t tlli;
        bool keep;
        bool has_old;
        uint32_t old;
    } rows[] = {{1, true, false, 0}, {2, true, true, 1},   {2, true, true, 1},  {1, true, true, 2},
                {3, true, true, 1},  {3, false, false, 0}, {4, false, false, 0}};
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(context_ms_tlli(&rig.c, 0, rows[i].tlli, rows[i].keep), 0);
        const struct ms *ms = &rig.c.mobiles[0];
        assert_int_equal(ms->tlli, rows[i].tlli);
        assert_int_equal(ms->has_tlli_old, rows[i].has_old);
        if (rows[i].has_old)
            assert_int_equal(ms->tlli_old, rows[i].old);
    }
    assert_int_equal(context_ms_tlli(&rig.c, 1, 1, true), -1);
    rig_close(&rig);
}

/* --- what is in ms.c --- */

/* NS-UNITDATA header 4, BSSGP 12, LLC-PDU's identifier and length 3, IMSI 2 and its octets, PFI 3; BSSGP's
 * part in front of the LLC-PDU filled up to a multiple of four, by two at least. */
TEST(link_octets)
{
    static const struct {
        struct ms_link_header header;
        int overhead, want;
    } rows[] = {{{0, false, false}, 0, 19},     {{8, false, false}, 0, 29},   {{8, true, false}, 0, 32},
                {{0, true, false}, 28, 50},     {{0, false, false}, -5, 14},  {{0, false, false}, -19, 0},
                {{0, false, false}, -9999, 0},  {{8, true, false}, 217, 249}, {{8, true, false}, 218, 249},
                {{0, false, false}, 1500, 249}, {{0, false, true}, 0, 19},    {{8, false, true}, 0, 31},
                {{8, true, true}, 0, 35},       {{0, true, true}, 0, 27}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(ms_link_octets(&rows[i].header, rows[i].overhead), rows[i].want);
}

TEST(sapis)
{
    static const int want[] = {-1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, -1, -1, -1};
    for (unsigned sapi = 0; sapi < 256; sapi++)
        assert_int_equal(ms_sapi_index((uint8_t)sapi), sapi < COUNT(want) ? want[sapi] : -1);
}

UNIT_MAIN(NULL, NULL)
