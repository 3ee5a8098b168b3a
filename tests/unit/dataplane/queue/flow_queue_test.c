/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "dataplane/queue/flow_queue.h"

#include <stdlib.h>
#include <string.h>

#define N201_U_MIN 140
#define N201_U_MAX 1520
#define N_PDU_MAX  1503
#define LLC_OCTETS 6

/* SNDCP header of 4 octets in the first segment and 3 later, 6 octets of LLC UI header and FCS. */
static const struct segmenting segmenting = {.first_octets = 4, .later_octets = 3, .llc_octets = LLC_OCTETS};

static void assert_sums(const struct flow_queue *q)
{
    uint32_t octets = 0, pkts = 0;
    const struct n_pdu *last = NULL;
    for (const struct n_pdu *n = flow_queue_head(q); n; last = n, n = n->next, pkts++) {
        octets += (uint32_t)(n->octets - n->sent_octets);
        assert_true(n == flow_queue_head(q) || n->sent_octets == 0);
        assert_true(!n->next || (n->next_octets & FLOW_QUEUE_MAX_OCTETS) == n->next->octets);
    }
    if (flow_queue_head(q)) {
        assert_int_equal(q->head_octets, flow_queue_head(q)->octets - flow_queue_head(q)->sent_octets);
        assert_int_equal(q->is_begun, flow_queue_head(q)->sent_octets > 0);
        assert_int_equal(q->is_acknowledged, flow_queue_head(q)->is_acknowledged);
    }
    assert_int_equal(q->octets, octets);
    assert_int_equal(q->pkts, pkts);
    assert_true(!last || q->list.last == last);
}

/* The next LLC-PDU leaves; how long it was. */
static uint16_t leave(struct flow_queue *q, uint16_t n201_u)
{
    struct n_pdu *head = flow_queue_head(q);
    struct llc_next next = flow_queue_next(q, &segmenting, n201_u);
    assert_ptr_equal(flow_queue_take(q, &next), head);
    assert_true(next.last == (flow_queue_head(q) != head));
    return next.llc_octets;
}

/* --- segments --- */

static uint32_t segments_of(uint32_t octets, uint32_t n201_u)
{
    return octets <= n201_u - 4 ? 1 : 1 + (octets - (n201_u - 4) + n201_u - 4) / (n201_u - 3);
}

/* One N-PDU through one N201-U: NULL, or what is wrong with it. */
static const char *segmented(uint16_t octets, uint16_t n201_u)
{
    struct flow_queue q = {0};
    struct n_pdu n_pdu = {.octets = octets};
    uint32_t payload = 0, segments = segments_of(octets, n201_u);
    flow_queue_put(&q, &n_pdu);
    for (uint32_t i = 0; i < segments; i++) {
        struct llc_next next = flow_queue_next(&q, &segmenting, n201_u);
        if (next.last != (i + 1 == segments))
            return "last";
        if (next.llc_octets != next.payload_octets + (i == 0 ? 10 : 9) ||
            next.llc_octets > n201_u + LLC_OCTETS)
            return "length of the LLC-PDU";
        if (!next.last && next.llc_octets != n201_u + LLC_OCTETS)
            return "a segment that is not the last is not full";
        if (n_pdu.sent_octets != payload || n_pdu.segment != i || next.payload_octets == 0)
            return "progress";
        if (q.octets + payload != octets || q.pkts != 1 || flow_queue_take(&q, &next) != &n_pdu)
            return "take";
        payload += next.payload_octets;
    }
    return payload != octets || flow_queue_head(&q) || q.octets || q.pkts ? "sum" : NULL;
}

TEST(every_length_in_every_n201_u)
{
    for (uint16_t n201_u = N201_U_MIN; n201_u <= N201_U_MAX; n201_u++)
        for (uint16_t octets = 1; octets <= N_PDU_MAX; octets++) {
            const char *wrong = segmented(octets, n201_u);
            if (wrong)
                fail_msg("%u octets at N201-U %u: %s", octets, n201_u, wrong);
        }
}

TEST(segments_spelled_out)
{
    static const struct {
        uint16_t octets, n201_u, llc_octets[4];
    } rows[] = {
        {1, 500, {11}},         {496, 500, {506}},          {497, 500, {506, 10}},
        {993, 500, {506, 506}}, {994, 500, {506, 506, 10}}, {1500, 500, {506, 506, 506, 19}},
        {1500, 1520, {1510}},   {1503, 1507, {1513}},       {1503, 1506, {1512, 10}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct flow_queue q = {0};
        struct n_pdu n_pdu = {.octets = rows[i].octets};
        flow_queue_put(&q, &n_pdu);
        for (size_t s = 0; s < 4 && rows[i].llc_octets[s]; s++)
            assert_int_equal(leave(&q, rows[i].n201_u), rows[i].llc_octets[s]);
        assert_null(flow_queue_head(&q));
    }
}

/* N201-U may change under an N-PDU in service: what is left of it goes by the new one. */
TEST(n201_u_changes_midway)
{
    struct flow_queue q = {0};
    struct n_pdu n_pdu = {.octets = 1500};
    flow_queue_put(&q, &n_pdu);
    assert_int_equal(leave(&q, 500), 506);
    assert_int_equal(leave(&q, 140), 146);
    assert_int_equal(leave(&q, 1520), 1500 - 496 - 137 + 9);
    assert_null(flow_queue_head(&q));
}

TEST(as_many_as_it_may_hold)
{
    struct flow_queue q = {0};
    struct n_pdu *many = calloc(FLOW_QUEUE_MAX_PKTS, sizeof(*many));
    assert_non_null(many);
    for (uint32_t i = 0; i < FLOW_QUEUE_MAX_PKTS; i++) {
        many[i].octets = FLOW_QUEUE_MAX_OCTETS;
        flow_queue_put(&q, &many[i]);
    }
    assert_int_equal(q.octets, UINT32_C(65535) * FLOW_QUEUE_MAX_OCTETS);
    assert_int_equal(q.pkts, FLOW_QUEUE_MAX_PKTS);
    for (uint32_t i = 0; i < FLOW_QUEUE_MAX_PKTS; i++)
        assert_ptr_equal(flow_queue_drop_head(&q), &many[i]);
    assert_sums(&q);
    free(many);
}

/* --- what is dropped --- */

/* Steps on N-PDUs named a, b, ... of 1000, 1001, ... octets and N201-U 500: a letter comes, "." an LLC-PDU
 * leaves,
 * "^" the head is dropped, "!" the first that is not in service is; what each drop must find stands behind
 * it ("-": nothing). */
static const struct {
    const char *steps, *left;
} drops[] = {
    {"^-!-", ""},          {"a^a^-", ""},      {"a!a!-", ""},   {"ab^a^b", ""},      {"ab!a!b!-", ""},
    {"a.^a", ""},          {"a.!-", "a"},      {"a.!-.^a", ""}, {"ab.!b!-^a^-", ""}, {"abc.!b!c!-", "a"},
    {"abc.!b^a^c", ""},    {"abc.!bd", "acd"}, /* the list is sound behind the gap, */
    {"ab.!bcd", "acd"},                        /* also when the last one was dropped */
    {"abc...!b!c", ""},                        /* a has left whole */
    {"ab....!-^b", ""},                        /* b is in service now */
    {"ab...c.!c^bd", "d"},
};

static void drop(struct flow_queue *q, const char *step, size_t row)
{
    struct n_pdu *dropped = step[0] == '^' ? flow_queue_drop_head(q) : flow_queue_drop_waiting(q);
    char found = '-';
    if (dropped)
        found = (char)dropped->pdp;
    if (found != step[1])
        fail_msg("%s: %c is dropped instead of %c", drops[row].steps, found, step[1]);
}

static void drop_row(size_t row)
{
    struct flow_queue q = {0};
    struct n_pdu n_pdus[4] = {0};
    for (const char *step = drops[row].steps; *step; step++) {
        if (*step == '.') {
            leave(&q, 500);
        } else if (*step == '^' || *step == '!') {
            drop(&q, step++, row);
        } else {
            struct n_pdu *n_pdu = &n_pdus[*step - 'a'];
            *n_pdu = (struct n_pdu){.octets = (uint16_t)(1000 + *step - 'a'), .pdp = (uint32_t)*step};
            n_pdu->is_acknowledged = *step % 2;
            flow_queue_put(&q, n_pdu);
        }
        assert_sums(&q);
    }
    for (const char *p = drops[row].left; *p; p++)
        assert_int_equal(flow_queue_drop_head(&q)->pdp, *p);
    assert_null(flow_queue_drop_head(&q));
    assert_sums(&q);
}

TEST(drops_spelled_out)
{
    for (size_t i = 0; i < COUNT(drops); i++)
        drop_row(i);
}

/* PDP contexts of the N-PDUs in order, which one goes, and what is then left. */
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

static uint32_t fill(struct flow_queue *q, struct n_pdu *n_pdus, size_t row)
{
    uint32_t count = 0, gone = 0;
    for (const char *p = removals[row].pdps; *p; p++, count++) {
        n_pdus[count] = (struct n_pdu){
            .octets = (uint16_t)(1000 + count), .pdp = (uint32_t)*p, .number = (uint16_t)count};
        n_pdus[count].is_acknowledged = count % 2;
        gone += *p == removals[row].gone;
        flow_queue_put(q, &n_pdus[count]);
    }
    return gone;
}

static void remove_row(size_t row)
{
    struct flow_queue q = {0};
    struct n_pdu n_pdus[8] = {0}, earlier = {.pdp = 'z'}, tail = {.octets = 7, .pdp = 'c'}, *n_pdu;
    struct n_pdu_list out = {0};
    uint32_t gone = fill(&q, n_pdus, row);
    if (removals[row].in_service)
        leave(&q, 500);
    n_pdu_list_put(&out, &earlier);
    assert_int_equal(flow_queue_remove_pdp(&q, (uint32_t)removals[row].gone, &out), gone);
    assert_sums(&q);

    flow_queue_put(&q, &tail); /* the list is sound behind its last one as well */
    for (const char *p = removals[row].left; *p; p++)
        assert_int_equal(flow_queue_drop_head(&q)->pdp, *p);
    assert_ptr_equal(flow_queue_drop_head(&q), &tail);
    assert_sums(&q);

    assert_ptr_equal(n_pdu_list_take(&out), &earlier);
    for (int last = -1; (n_pdu = n_pdu_list_take(&out)); last = n_pdu->number, gone--)
        assert_true(n_pdu->pdp == (uint32_t)removals[row].gone && n_pdu->number > last);
    assert_int_equal(gone, 0);
}

TEST(a_context_goes)
{
    for (size_t i = 0; i < COUNT(removals); i++)
        remove_row(i);
}

#define MS       INT64_C(1000000)
#define CS       INT64_C(10000000)
#define S        INT64_C(1000000000)
#define NEVER    MOMENT_NEVER
#define INFINITE LIFETIME_INFINITE_CS

static const struct {
    struct lifetime lifetime; /* mode, sgsn_max, bss_min, bss_max */
    int64_t max_age_ns;
} ages[] = {
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 15 * S},        {{LIFETIME_SPLIT, 15 * S, 2 * S, NEVER}, 13 * S},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 13 * S},    {{LIFETIME_SPLIT, 15 * S, 15 * S, 20 * S}, 0},
    {{LIFETIME_SPLIT, 15 * S, 15 * S - 1, 20 * S}, 1},   {{LIFETIME_SPLIT, NEVER, 2 * S, 5 * S}, NEVER},
    {{LIFETIME_SPLIT, NEVER, 0, NEVER}, NEVER},          {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 15 * S},
    {{LIFETIME_SGSN_ONLY, NEVER, 2 * S, 5 * S}, NEVER},  {{LIFETIME_SGSN_ONLY, 0, 0, NEVER}, 0},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 15 * S}, {{LIFETIME_PER_NODE, NEVER, 2 * S, 5 * S}, NEVER},
};

TEST(greatest_age)
{
    for (size_t i = 0; i < COUNT(ages); i++)
        if (lifetime_max_age_ns(&ages[i].lifetime) != ages[i].max_age_ns)
            fail_msg("row %zu: %lld", i, (long long)lifetime_max_age_ns(&ages[i].lifetime));
}

static const struct {
    struct lifetime lifetime;
    int64_t age_ns;
    uint16_t pdu_cs;
} lifetime_rows[] = {
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 0, 1500},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 1, 1499},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, CS, 1499},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, CS + 1, 1498},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 14995 * MS, 0},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 15 * S, 0},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, NEVER}, 13 * S, 200},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 0, 500},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 10 * S, 500},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 10 * S + 1, 499},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 13 * S, 200},
    {{LIFETIME_SPLIT, NEVER, 2 * S, 5 * S}, 1000 * S, 500},
    {{LIFETIME_SPLIT, NEVER, 0, NEVER}, 1000 * S, INFINITE},
    {{LIFETIME_SPLIT, 65534 * CS, 0, NEVER}, 0, 65534},
    {{LIFETIME_SPLIT, 65535 * CS, 0, NEVER}, 0, 65534}, /* finite, so never the code for infinite */
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 0, 65534},
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 2 * CS, 65534},
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 3 * CS, 65533},
    {{LIFETIME_SPLIT, NEVER - 1, 0, NEVER}, 0, 65534},
    {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 0, INFINITE},
    {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 15 * S, INFINITE},
    {{LIFETIME_SGSN_ONLY, NEVER, 0, NEVER}, 0, INFINITE},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 0, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 15 * S, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S + CS - 1}, 0, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, NEVER}, 15 * S, INFINITE},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 1000 * S}, 0, 65534},
    {{LIFETIME_PER_NODE, NEVER, 0, 5 * S}, 1000 * S, 500},
};

TEST(what_the_bss_is_told)
{
    for (size_t i = 0; i < COUNT(lifetime_rows); i++)
        if (lifetime_pdu_cs(&lifetime_rows[i].lifetime, lifetime_rows[i].age_ns) != lifetime_rows[i].pdu_cs)
            fail_msg("row %zu: %u", i, lifetime_pdu_cs(&lifetime_rows[i].lifetime, lifetime_rows[i].age_ns));
}

/* Whatever leaves under split has bss_min left; when sgsn_max has no room for that, nothing may leave. */
TEST(nothing_leaves_with_less_than_bss_min)
{
    static const struct lifetime split[] = {
        {LIFETIME_SPLIT, 15 * S, 2 * S, NEVER},
        {LIFETIME_SPLIT, 2 * S, 2 * S, NEVER},
        {LIFETIME_SPLIT, 1 * S, 2 * S, NEVER},
    };
    for (size_t i = 0; i < COUNT(split); i++) {
        int64_t age_ns = lifetime_max_age_ns(&split[i]);
        if (age_ns >= 0 && split[i].sgsn_max_ns - age_ns < split[i].bss_min_ns)
            fail_msg("row %zu: may leave at age %lld with too little left", i, (long long)age_ns);
    }
}

UNIT_MAIN(NULL, NULL)
