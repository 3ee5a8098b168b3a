/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues by 5-tuple: whose turn it is, in rows and against a model that is nothing but lists; sums, and what
 * is unlinked.
 */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include "dataplane/queue/flow_sets.h"

#include <stdio.h>
#include <string.h>

#define QUEUES  4
#define QUANTUM 1000
#define N_PDUS  512

static const struct segmenting sets_no_headers = {0};

struct bench {
    struct flow_sets fs;
    uint32_t set;
    struct flow_queue q;
    struct n_pdu n_pdus[N_PDUS];
    uint32_t used;
};

static void begin(struct bench *b, uint32_t sets)
{
    const struct flow_sets_params params = {sets, QUANTUM, QUEUES};
    *b = (struct bench){.set = FLOW_SETS_NONE};
    assert_true(flow_sets_new(&b->fs, &params));
}

static struct n_pdu *n_pdu_of(struct bench *b, unsigned flow, uint16_t octets)
{
    struct n_pdu *n_pdu = &b->n_pdus[b->used++ % N_PDUS];
    *n_pdu = (struct n_pdu){.octets = octets, .arrival_ns = b->used, .flow_hash = flow << 30};
    return n_pdu;
}

/* As the scheduler does it: a set for the first of another queue. */
static void put(struct bench *b, unsigned flow, uint16_t octets)
{
    struct n_pdu *n_pdu = n_pdu_of(b, flow, octets);
    assert_int_equal(flow_sets_number_of(&b->fs, n_pdu), flow);
    if (b->set == FLOW_SETS_NONE && b->q.pkts > 0 && flow_sets_number_of(&b->fs, b->q.list.last) != flow) {
        b->set = flow_sets_open(&b->fs, &b->q);
        assert_int_not_equal(b->set, FLOW_SETS_NONE);
    }
    if (b->set == FLOW_SETS_NONE)
        flow_queue_put(&b->q, n_pdu);
    else
        flow_sets_put(&b->fs, b->set, &b->q, n_pdu);
}

static void close_empty(struct bench *b)
{
    if (b->set == FLOW_SETS_NONE || b->q.pkts > 0)
        return;
    flow_sets_close(&b->fs, b->set);
    b->set = FLOW_SETS_NONE;
}

/* The next LLC-PDU of at most `most` octets leaves. */
static struct n_pdu *take(struct bench *b, uint16_t most)
{
    struct llc_next next = flow_queue_next(&b->q, &sets_no_headers, most);
    struct n_pdu *n_pdu = b->set == FLOW_SETS_NONE ? flow_queue_take(&b->q, &next)
                                                   : flow_sets_take(&b->fs, b->set, &b->q, &next);
    close_empty(b);
    return n_pdu;
}

/* --- rows --- */

/* What comes, "<flow><octets / 10>" apart by spaces, and what leaves; "-": one leaves in between. */
static const struct row {
    const char *name, *in, *out;
} rows[] = {
    {"one queue keeps its order", "a10 a20 a30", "a10 a20 a30"},
    {"short ones go in the order in which they came", "a10 b20 c30", "a10 b20 c30"},
    {"a long one lets others go first", "a60 a60 b20 c30", "b20 c30 a60 a60"},
    {"a new one has a quantum", "a60 a60 b50 b60 b70", "b50 b60 a60 a60 b70"},
    {"old ones take turns", "a60 a60 a60 a60 b60 b60 b60 b60", "b60 b60 a60 a60 b60 b60 a60 a60"},
    {"by octets", "a60 a60 a60 b20 b20 b20 b20 b20 b20 b20", "b20 b20 b20 b20 b20 a60 a60 b20 b20 a60"},
    {"a debt counts", "a90 a90 a90 b90 b90 b90", "b90 b90 a90 a90 b90 a90"},
    {"empty and again: with what is left of its quantum", "a60 a60 a60 b20 - b20 - b20",
     "b20 b20 b20 a60 a60 a60"},
    {"used up it waits for its turn", "a60 a60 a60 b90 - b20 - b20 b20", "b90 b20 a60 a60 b20 b20 a60"},
    {"its turn passes, and it is new", "a90 a90 a90 a90 b90 - - - b90 b90", "b90 a90 a90 b90 b90 a90 a90"},
};

static void put_word(struct bench *b, const char *word)
{
    put(b, (unsigned)(word[0] - 'a'), (uint16_t)(10 * ((word[1] - '0') * 10 + (word[2] - '0'))));
}

static void play(const struct row *row)
{
    struct bench b;
    char out[256] = "";
    size_t len = 0;
    begin(&b, 1);
    for (const char *word = row->in; *word || b.q.pkts > 0;
         word += strcspn(word, " "), word += *word == ' ') {
        if (*word && *word != '-') {
            put_word(&b, word);
            continue;
        }
        const struct n_pdu *n_pdu = take(&b, UINT16_MAX);
        len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%c%02u", len > 0 ? " " : "",
                                'a' + flow_sets_number_of(&b.fs, n_pdu), n_pdu->octets / 10U);
    }
    if (strcmp(out, row->out) != 0)
        fail_msg("%s: %s", row->name, out);
    assert_int_equal(b.set, FLOW_SETS_NONE);
    flow_sets_free(&b.fs);
}

TEST_EACH(turns_in_rows, play, rows)

TEST(what_is_in_service_is_next)
{
    struct bench b;
    begin(&b, 1);
    put(&b, 0, 1000);
    put(&b, 0, 1000);
    const struct n_pdu *first = take(&b, 400);
    put(&b, 1, 50);
    assert_ptr_equal(flow_queue_head(&b.q), first);
    assert_int_equal(b.q.head_octets, 600);
    assert_ptr_equal(take(&b, 400), first);
    assert_ptr_equal(take(&b, 400), first);
    assert_int_equal(take(&b, 400)->octets, 50);
    assert_int_equal(b.q.octets, 1000);
    flow_sets_free(&b.fs);
}

TEST(what_is_in_service_does_not_pay)
{
    struct bench b;
    begin(&b, 1);
    put(&b, 0, 1000);
    put(&b, 1, 50);
    take(&b, 400);
    for (int in_octets = 0; in_octets < 2; in_octets++) {
        unsigned longest = flow_sets_longest(&b.fs, b.set, in_octets);
        assert_int_equal(flow_sets_queue(&b.fs, flow_sets_get(&b.fs, b.set), longest)->number, 1);
    }
    assert_int_equal(flow_sets_drop_waiting(&b.fs, b.set, &b.q, 1)->octets, 50);
    assert_int_equal(flow_sets_longest(&b.fs, b.set, true), FLOW_SETS_NO_QUEUE);
    flow_sets_free(&b.fs);
}

TEST(no_more_sets_than_there_are)
{
    struct bench b;
    struct flow_queue q = {0};
    begin(&b, 1);
    put(&b, 0, 100);
    put(&b, 1, 100);
    flow_queue_put(&q, n_pdu_of(&b, 2, 100));
    assert_int_equal(flow_sets_open(&b.fs, &q), FLOW_SETS_NONE);
    assert_int_equal(b.fs.missing, 1);
    take(&b, UINT16_MAX);
    take(&b, UINT16_MAX);
    uint32_t set = flow_sets_open(&b.fs, &q);
    assert_int_equal(set, 0);
    assert_int_equal(flow_sets_index(&b.fs, set, 3), 3);
    flow_sets_free(&b.fs);
}

/* --- against lists --- */

/* N-PDUs of a queue by number, oldest first; lists of queues, first first. */
struct model {
    struct {
        const struct n_pdu *n_pdus[N_PDUS];
        unsigned count;
        int deficit_octets;
    } queues[QUEUES];
    unsigned order[2][QUEUES], lengths[2]; /* 0 new, 1 old */
};

static bool model_has(const struct model *m, unsigned list, unsigned flow)
{
    for (unsigned i = 0; i < m->lengths[list]; i++)
        if (m->order[list][i] == flow)
            return true;
    return false;
}

static void model_leave(struct model *m, unsigned list, unsigned flow)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < m->lengths[list]; i++)
        if (m->order[list][i] != flow)
            m->order[list][kept++] = m->order[list][i];
    m->lengths[list] = kept;
}

static void model_join(struct model *m, unsigned list, unsigned flow)
{
    m->order[list][m->lengths[list]++] = flow;
}

static void model_put(struct model *m, unsigned flow, const struct n_pdu *n_pdu)
{
    bool was_empty = m->queues[flow].count == 0;
    m->queues[flow].n_pdus[m->queues[flow].count++] = n_pdu;
    if (!was_empty || model_has(m, 0, flow))
        return;
    bool is_old = model_has(m, 1, flow);
    if (is_old && m->queues[flow].deficit_octets <= 0)
        return;
    if (!is_old)
        m->queues[flow].deficit_octets = QUANTUM;
    model_leave(m, 1, flow);
    model_join(m, 0, flow);
}

static void model_charge(struct model *m, unsigned flow, int octets)
{
    m->queues[flow].deficit_octets -= octets;
    if (m->queues[flow].deficit_octets > 0)
        return;
    model_leave(m, 0, flow);
    model_leave(m, 1, flow);
    model_join(m, 1, flow);
}

static unsigned model_next(struct model *m)
{
    for (;;) {
        unsigned list = m->lengths[0] > 0 ? 0 : 1, flow = m->order[list][0];
        bool is_used_up = m->queues[flow].deficit_octets <= 0;
        if (is_used_up)
            m->queues[flow].deficit_octets += QUANTUM;
        if (m->queues[flow].deficit_octets > 0 && m->queues[flow].count > 0)
            return flow;
        model_leave(m, list, flow);
        if (is_used_up || list == 0)
            model_join(m, 1, flow);
    }
}

static const struct n_pdu *model_drop(struct model *m, unsigned flow)
{
    const struct n_pdu *first = m->queues[flow].n_pdus[0];
    m->queues[flow].count--;
    memmove(&m->queues[flow].n_pdus[0], &m->queues[flow].n_pdus[1],
            m->queues[flow].count * sizeof(m->queues[flow].n_pdus[0]));
    return first;
}

/* A first N-PDU of each of two queues, so that there is a set from the start. */
static void begin_both(struct bench *b, struct model *m)
{
    begin(b, 1);
    *m = (struct model){0};
    for (unsigned flow = 0; flow < 2; flow++) {
        put(b, flow, 100);
        model_put(m, flow, &b->n_pdus[b->used - 1]);
    }
}

static void step(struct bench *b, struct model *m, uint64_t *seed)
{
    unsigned flow = (unsigned)prng_below(seed, QUEUES);
    if (b->q.pkts < 2 || (b->q.pkts < N_PDUS / 2 && prng_below(seed, 100) < 50)) {
        put(b, flow, (uint16_t)prng_between(seed, 1, prng_below(seed, 2) ? 1500 : 100));
        model_put(m, flow, &b->n_pdus[(b->used - 1) % N_PDUS]);
        return;
    }
    unsigned next = model_next(m);
    if (prng_below(seed, 10) > 0) {
        const struct n_pdu *n_pdu = take(b, UINT16_MAX);
        assert_ptr_equal(n_pdu, model_drop(m, next));
        model_charge(m, next, n_pdu->octets);
    } else {
        const struct flow_set *set = flow_sets_get(&b->fs, b->set);
        unsigned longest = flow_sets_longest(&b->fs, b->set, false);
        unsigned number = flow_sets_queue(&b->fs, set, longest)->number;
        for (unsigned i = 0; i < QUEUES; i++)
            assert_in_range(m->queues[i].count, 0, m->queues[number].count);
        assert_ptr_equal(flow_sets_drop_waiting(&b->fs, b->set, &b->q, longest), model_drop(m, number));
    }
}

TEST(the_same_as_lists)
{
    static struct bench b;
    static struct model m;
    for (uint64_t first = 1; first <= 20; first++) {
        uint64_t seed = first;
        begin_both(&b, &m);
        for (unsigned i = 0; i < 5000; i++) {
            step(&b, &m, &seed);
            assert_ptr_equal(flow_queue_head(&b.q), m.queues[model_next(&m)].n_pdus[0]);
        }
        flow_sets_free(&b.fs);
    }
}

/* --- what is unlinked --- */

static void all_is_counted(const struct bench *b, uint32_t octets, uint32_t pkts)
{
    assert_int_equal(b->q.octets, octets);
    assert_int_equal(b->q.pkts, pkts);
}

TEST(the_oldest_heads_go_by_age)
{
    static const uint16_t octets[] = {100, 300, 200, 400}; /* of queues 0, 1, 0, 2 */
    struct bench b;
    begin(&b, 1);
    put(&b, 0, octets[0]);
    put(&b, 1, octets[1]);
    put(&b, 0, octets[2]);
    put(&b, 2, octets[3]);
    for (int64_t i = 1; i <= 4; i++) {
        assert_int_equal(flow_sets_oldest_ns(&b.fs, b.set), i);
        assert_null(flow_sets_drop_older(&b.fs, b.set, &b.q, i - 1));
        assert_int_equal(flow_sets_drop_older(&b.fs, b.set, &b.q, i)->octets, octets[i - 1]);
    }
    all_is_counted(&b, 0, 0);
    flow_sets_free(&b.fs);
}

TEST(joined_by_age_after_what_is_in_service)
{
    static const uint16_t octets[] = {1000, 101, 102, 103, 104};
    struct bench b;
    struct n_pdu *n_pdu;
    begin(&b, 1);
    put(&b, 0, 101);
    put(&b, 1, 102);
    put(&b, 0, 103);
    put(&b, 1, 104);
    put(&b, 2, 1000);
    while (flow_queue_head(&b.q)->octets != 1000) { /* goes to the end, and comes again as young as it was */
        n_pdu = take(&b, UINT16_MAX);
        n_pdu->sent_octets = 0;
        flow_sets_put(&b.fs, b.set, &b.q, n_pdu);
    }
    take(&b, 700);
    all_is_counted(&b, 300 + 101 + 102 + 103 + 104, 5);
    flow_sets_join(&b.fs, b.set, &b.q);
    all_is_counted(&b, 300 + 101 + 102 + 103 + 104, 5);
    assert_true(b.q.is_begun);
    for (size_t i = 0; i < COUNT(octets); i++)
        assert_int_equal(flow_queue_drop_head(&b.q)->octets, octets[i]);
    flow_sets_free(&b.fs);
}

TEST(of_a_context_all_go)
{
    struct n_pdu_list out = {0};
    struct bench b;
    begin(&b, 1);
    for (unsigned i = 0; i < 12; i++) {
        put(&b, i % 3, (uint16_t)(100 + i));
        b.n_pdus[i].pdp = i % 2;
    }
    assert_int_equal(flow_sets_remove_pdp(&b.fs, b.set, &b.q, 0, &out), 6);
    all_is_counted(&b, 101 + 103 + 105 + 107 + 109 + 111, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(n_pdu_list_take(&out)->pdp, 0);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(take(&b, UINT16_MAX)->pdp, 1);
    flow_sets_free(&b.fs);
}

/* --- Queues by 5-tuple of which one is passed over, since its LLC entity is in another flow's service --- */

#define SAPI(n) (1u << (n))

/* One N-PDU for each queue, of these SAPIs, in the order of the queues. */
static const struct sets_pass_row {
    const char *name;
    uint8_t sapis[3];
    unsigned held;
    int first; /* who goes first; -1: nobody may */
} sets_pass_rows[] = {
    {"nobody is held", {3, 5, 9}, 0, 0},
    {"the next one goes", {3, 5, 9}, SAPI(3), 1},
    {"two are held", {3, 5, 9}, SAPI(3) | SAPI(5), 2},
    {"two of one entity", {3, 3, 5}, SAPI(3), 2},
    {"another one's turn is not touched", {3, 5, 9}, SAPI(9), 0},
    {"all are held", {3, 5, 3}, SAPI(3) | SAPI(5), -1},
};

static void sets_pass_play(const struct sets_pass_row *row)
{
    const struct flow_sets_params params = {1, 1000, 3};
    const struct segmenting no_headers = {0};
    struct flow_sets fs;
    struct flow_queue q = {0};
    struct n_pdu n_pdus[3] = {{0}};
    uint32_t set = FLOW_SETS_NONE;
    assert_true(flow_sets_new(&fs, &params));
    for (unsigned i = 0; i < 3; i++) {
        n_pdus[i] =
            (struct n_pdu){.octets = 100, .sapi = row->sapis[i], .flow_hash = i * (UINT32_MAX / 3 + 1)};
        if (i == 0)
            flow_queue_put(&q, &n_pdus[i]);
        else
            flow_sets_put(&fs, i == 1 ? (set = flow_sets_open(&fs, &q)) : set, &q, &n_pdus[i]);
    }
    if (flow_sets_pass_over(&fs, set, &q, row->held) != (row->first >= 0))
        fail_msg("%s", row->name);
    const struct n_pdu *first = flow_queue_head(&q);
    if (first != &n_pdus[row->first < 0 ? 0 : row->first])
        fail_msg("%s: %td goes", row->name, first - n_pdus);
    /* The others follow in their turns, the one that was passed over first. */
    for (int i = -1; i < 3; i++) {
        const struct n_pdu *want = i < 0 ? first : &n_pdus[i];
        if (i >= 0 && want == first)
            continue;
        struct llc_next next = flow_queue_next(&q, &no_headers, UINT16_MAX);
        assert_ptr_equal(flow_sets_take(&fs, set, &q, &next), want);
    }
    assert_int_equal(q.pkts, 0);
    flow_sets_free(&fs);
}

TEST_EACH(whoever_may_goes, sets_pass_play, sets_pass_rows)

UNIT_MAIN(NULL, NULL)
