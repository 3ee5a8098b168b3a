/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues by 5-tuple of which one is passed over, since its LLC entity is in another flow's service. */
#include "dataplane/queue/flow_sets.h"
#include "tests/unit/unit.h"

#define SAPI(n) (1u << (n))

/* One N-PDU for each queue, of these SAPIs, in the order of the queues. */
static const struct row {
    const char *name;
    uint8_t sapis[3];
    unsigned held;
    int first; /* who goes first; -1: nobody may */
} rows[] = {
    {"nobody is held", {3, 5, 9}, 0, 0},
    {"the next one goes", {3, 5, 9}, SAPI(3), 1},
    {"two are held", {3, 5, 9}, SAPI(3) | SAPI(5), 2},
    {"two of one entity", {3, 3, 5}, SAPI(3), 2},
    {"another one's turn is not touched", {3, 5, 9}, SAPI(9), 0},
    {"all are held", {3, 5, 3}, SAPI(3) | SAPI(5), -1},
};

static void play(const struct row *row)
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

TEST(whoever_may_goes)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&rows[i]);
}

UNIT_MAIN(NULL, NULL)
