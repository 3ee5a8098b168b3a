/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/ms_queue.h"

#include "dataplane/base/moment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define N201_U_MIN   140
#define N201_U_MAX   1520
#define N_PDU_MAX    1503
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* SNDCP header of 4 octets in the first segment and 3 later, 6 octets of LLC UI header and FCS. */
static struct segmenting segmenting_of(uint16_t n201_u)
{
    return (struct segmenting){(uint16_t)(n201_u - 4), (uint16_t)(n201_u - 3), 10, 9};
}

static struct ms_queue queue_of(uint32_t limit_octets, uint16_t n201_u)
{
    return (struct ms_queue){
        .limit_octets = limit_octets, .segmenting = segmenting_of(n201_u), .max_age_ns = MOMENT_NEVER};
}

static void assert_sums(const struct ms_queue *q)
{
    uint32_t octets = 0, pkts = 0;
    for (const struct n_pdu *n = ms_queue_head(q); n; n = n->next, pkts++) {
        octets += (uint32_t)(n->octets - n->sent_octets);
        assert_true(n == ms_queue_head(q) || n->sent_octets == 0);
    }
    assert_int_equal(q->octets, octets);
    assert_int_equal(q->pkts, pkts);
}

static uint32_t segments_of(uint32_t octets, uint32_t n201_u)
{
    return octets <= n201_u - 4 ? 1 : 1 + (octets - (n201_u - 4) + n201_u - 4) / (n201_u - 3);
}

/* One N-PDU through one N201-U: 0, or what is wrong with it. */
static const char *segmented(uint16_t octets, uint16_t n201_u)
{
    struct ms_queue q = queue_of(N_PDU_MAX, n201_u);
    struct n_pdu n_pdu = {.octets = octets};
    uint32_t payload = 0, segments = segments_of(octets, n201_u);
    ms_queue_put(&q, &n_pdu);
    for (uint32_t i = 0; i < segments; i++) {
        struct llc_next next = ms_queue_next(&q);
        if (next.last != (i + 1 == segments))
            return "last";
        if (next.llc_octets != next.payload_octets + (i == 0 ? 10 : 9) || next.llc_octets > n201_u + 6)
            return "length of the LLC-PDU";
        if (!next.last && next.llc_octets != n201_u + 6)
            return "a segment that is not the last is not full";
        if (n_pdu.sent_octets != payload || n_pdu.segment != i || next.payload_octets == 0)
            return "progress";
        if (q.octets + payload != octets || ms_queue_take(&q, &next) != &n_pdu)
            return "take";
        payload += next.payload_octets;
    }
    return payload != octets || ms_queue_head(&q) || q.octets || q.pkts ? "sum" : NULL;
}

static void every_length_in_every_n201_u(void **state)
{
    for (uint16_t n201_u = N201_U_MIN; n201_u <= N201_U_MAX; n201_u++)
        for (uint16_t octets = 1; octets <= N_PDU_MAX; octets++) {
            const char *wrong = segmented(octets, n201_u);
            if (wrong)
                fail_msg("%u octets at N201-U %u: %s", octets, n201_u, wrong);
        }
}

static void segments_spelled_out(void **state)
{
    static const struct {
        uint16_t octets, n201_u, llc_octets[4];
    } rows[] = {
        {1, 500, {11}},         {496, 500, {506}},          {497, 500, {506, 10}},
        {993, 500, {506, 506}}, {994, 500, {506, 506, 10}}, {1500, 500, {506, 506, 506, 19}},
        {1500, 1520, {1510}},   {1503, 1507, {1513}},       {1503, 1506, {1512, 10}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_queue q = queue_of(N_PDU_MAX, rows[i].n201_u);
        struct n_pdu n_pdu = {.octets = rows[i].octets};
        assert_true(ms_queue_put(&q, &n_pdu));
        for (size_t s = 0; s < 4 && rows[i].llc_octets[s]; s++) {
            struct llc_next next = ms_queue_next(&q);
            assert_int_equal(next.llc_octets, rows[i].llc_octets[s]);
            ms_queue_take(&q, &next);
        }
        assert_null(ms_queue_head(&q));
    }
}

static void the_limit_is_in_waiting_octets(void **state)
{
    struct ms_queue q = queue_of(3000, 500);
    struct n_pdu a = {.octets = 1500}, b = {.octets = 1499}, two = {.octets = 2}, one = {.octets = 1};
    struct n_pdu more = {.octets = 497}, room = {.octets = 496}, *untouched = one.next = &a;
    assert_true(ms_queue_put(&q, &a));
    assert_true(ms_queue_put(&q, &b));
    assert_false(ms_queue_put(&q, &two));
    assert_sums(&q);
    assert_true(ms_queue_put(&q, &one)); /* exactly full */
    assert_ptr_not_equal(one.next, untouched);
    assert_sums(&q);

    struct llc_next next = ms_queue_next(&q);
    ms_queue_take(&q, &next); /* its 496 octets are room again */
    assert_false(ms_queue_put(&q, &more));
    assert_true(ms_queue_put(&q, &room));
    assert_int_equal(q.octets, 3000);
    assert_int_equal(q.pkts, 4);
    assert_sums(&q);
}

static void limits_at_the_ends_of_their_range(void **state)
{
    struct ms_queue none = queue_of(0, 500), wide = queue_of(UINT32_MAX, 500);
    struct n_pdu one = {.octets = 1}, *many = calloc(65538, sizeof *many);
    assert_non_null(many);
    assert_false(ms_queue_put(&none, &one));
    assert_int_equal(none.pkts, 0);
    assert_null(ms_queue_head(&none));

    for (uint32_t i = 0; i < 65537; i++) { /* 65537 * 65535 = 2^32 - 1: full */
        many[i].octets = 65535;
        assert_true(ms_queue_put(&wide, &many[i]));
    }
    assert_int_equal(wide.octets, UINT32_MAX);
    many[65537].octets = 1;
    bool wrapped = ms_queue_put(&wide, &many[65537]);
    free(many);
    assert_false(wrapped);
}

static void the_head_in_service_may_be_dropped(void **state)
{
    struct ms_queue q = queue_of(10000, 500);
    struct n_pdu a = {.octets = 1500}, b = {.octets = 100};
    assert_null(ms_queue_drop_head(&q));
    ms_queue_put(&q, &a);
    ms_queue_put(&q, &b);
    struct llc_next next = ms_queue_next(&q);
    assert_ptr_equal(ms_queue_take(&q, &next), &a);
    assert_ptr_equal(ms_queue_head(&q), &a);
    assert_sums(&q);
    assert_ptr_equal(ms_queue_drop_head(&q), &a);
    assert_int_equal(a.sent_octets, 496);
    assert_int_equal(q.octets, 100);
    assert_sums(&q);
    next = ms_queue_next(&q); /* the next one begins at its own beginning */
    assert_int_equal(next.llc_octets, 110);
    assert_ptr_equal(ms_queue_drop_head(&q), &b);
    assert_null(ms_queue_drop_head(&q));
    assert_int_equal(q.octets, 0);
    assert_sums(&q);
}

/* PDP contexts of the N-PDUs in order, which one goes, and what is then left and gone. */
static const struct {
    const char *pdps;
    char gone;
    const char *left;
    bool in_service;
} removals[] = {
    {"", 'a', "", false},       {"a", 'a', "", false},     {"a", 'b', "a", false},
    {"aaa", 'a', "", true},     {"aba", 'a', "b", true},   {"aba", 'b', "aa", true},
    {"babab", 'b', "aa", true}, {"aab", 'b', "aa", false}, {"baa", 'b', "aa", true},
};

static void remove_row(size_t row)
{
    struct ms_queue q = queue_of(10000, 500);
    struct n_pdu n_pdus[8] = {0}, earlier = {.pdp = 'z'}, tail = {.octets = 7, .pdp = 'c'};
    struct n_pdu_list out = {0};
    uint32_t count = 0, gone = 0;
    for (const char *p = removals[row].pdps; *p; p++, count++) {
        n_pdus[count] = (struct n_pdu){
            .octets = (uint16_t)(1000 + count), .pdp = (uint32_t)*p, .number = (uint16_t)count};
        gone += *p == removals[row].gone;
        ms_queue_put(&q, &n_pdus[count]);
    }
    if (removals[row].in_service) {
        struct llc_next next = ms_queue_next(&q);
        ms_queue_take(&q, &next);
    }
    n_pdu_list_put(&out, &earlier);
    assert_int_equal(ms_queue_remove_pdp(&q, (uint32_t)removals[row].gone, &out), gone);
    assert_sums(&q);

    assert_true(ms_queue_put(&q, &tail)); /* the list is sound behind its last one as well */
    for (const char *p = removals[row].left; *p; p++)
        assert_int_equal(ms_queue_drop_head(&q)->pdp, *p);
    assert_ptr_equal(ms_queue_drop_head(&q), &tail);
    assert_sums(&q);

    assert_ptr_equal(n_pdu_list_take(&out), &earlier);
    struct n_pdu *n_pdu;
    for (int last = -1; (n_pdu = n_pdu_list_take(&out)); last = n_pdu->number, gone--)
        assert_true(n_pdu->pdp == (uint32_t)removals[row].gone && n_pdu->number > last);
    assert_int_equal(gone, 0);
}

static void a_context_goes(void **state)
{
    for (size_t i = 0; i < COUNT(removals); i++)
        remove_row(i);
}

static void the_head_grows_too_old(void **state)
{
    static const struct {
        int64_t arrival_ns, max_age_ns, expiry_ns;
    } rows[] = {
        {0, 0, 1},
        {5, 10, 16},
        {-20, 10, -9},
        {5, MOMENT_NEVER, MOMENT_NEVER},
        {5, MOMENT_NEVER - 1, MOMENT_NEVER},
        {MOMENT_NEVER - 12, 10, MOMENT_NEVER - 1},
        {MOMENT_NEVER - 10, 10, MOMENT_NEVER},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_queue q = queue_of(1000, 500);
        struct n_pdu head = {.octets = 1, .arrival_ns = rows[i].arrival_ns}, behind = {.octets = 1};
        q.max_age_ns = rows[i].max_age_ns;
        assert_true(ms_queue_expiry_ns(&q) == MOMENT_NEVER);
        ms_queue_put(&q, &head);
        ms_queue_put(&q, &behind);
        assert_true(ms_queue_expiry_ns(&q) == rows[i].expiry_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_in_every_n201_u),
        cmocka_unit_test(segments_spelled_out),
        cmocka_unit_test(the_limit_is_in_waiting_octets),
        cmocka_unit_test(limits_at_the_ends_of_their_range),
        cmocka_unit_test(the_head_in_service_may_be_dropped),
        cmocka_unit_test(a_context_goes),
        cmocka_unit_test(the_head_grows_too_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
