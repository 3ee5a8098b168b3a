/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits: of mobiles, of class buffers, and of all together; who pays when they are reached. */
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#define S RIG_SECOND

/* --- mobiles and class buffers --- */

#define CLOSED                                                                                               \
    {                                                                                                        \
        0, LAB_CELL, 0, 0, 0                                                                                 \
    }

static const struct lab_scenario limits[] = {
    {.name = "octets of a mobile",
     .steps = LIST(CLOSED, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 0, 401},
                   {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 1}, {0, LAB_PUT, 1, 1001}, /* another's */
                   {1 * S, LAB_BACKLOG, 0, 1000, 2}),
     .dropped = {{0, 401, DROP_QUEUE_FULL}, {0, 1, DROP_QUEUE_FULL}}},
    ROW(.name = "octets of a mobile, in all its flows",
        .steps = LIST(CLOSED, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 300},
                      {0, LAB_PUT, 0, 300, .k = LAB_THP1}, {0, LAB_PUT, 0, 300, .pfi = 1},
                      {0, LAB_PUT, 0, 101, .k = LAB_SIGNALLING}, {0, LAB_PUT, 0, 100, .k = LAB_SIGNALLING},
                      {1 * S, LAB_BACKLOG, 0, 1000, 4}),
        .dropped = {{0, 101, DROP_QUEUE_FULL}}),
    ROW(.name = "segments that have left make room", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 0}, {0, LAB_LIMIT, 0, 2000}, {0, LAB_PUT, 0, 1500},
                      {0, LAB_PUT, 0, 501}, {1 * S, LAB_BACKLOG, 0, 1000, 1}, {1 * S, LAB_PUT, 0, 1001},
                      {1 * S, LAB_PUT, 0, 1000}),
        .sent = {{0, 0, 500}}, .dropped = {{0, 501, DROP_QUEUE_FULL}, {1 * S, 1001, DROP_QUEUE_FULL}}),
    ROW(.name = "no octet at all", .queued_only = true, .steps = {{0, LAB_LIMIT, 0, 0}, {0, LAB_PUT, 0, 1}},
        .dropped = {{0, 1, DROP_QUEUE_FULL}}),
    ROW(.name = "packets of a mobile", .ms_limit_pkts = 3,
        .steps = LIST(CLOSED, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101, .k = LAB_THP1}, {0, LAB_PUT, 0, 102},
                      {0, LAB_PUT, 0, 103}, {0, LAB_PUT, 0, 104, .k = LAB_THP2}, {0, LAB_PUT, 1, 105}),
        .dropped = {{0, 103, DROP_QUEUE_FULL}, {0, 104, DROP_QUEUE_FULL}}),
    ROW(.name = "octets of a class, in all cells of its link", .cell_of = {0, 1, 2}, .link_of = {0, 0, 1},
        .class_limits = {[LAB_THP1] = {1000, 100}},
        .steps = LIST(CLOSED, {0, LAB_CELL, 1, 0, 0}, {0, LAB_CELL, 2, 0, 0},
                      {0, LAB_PUT, 0, 600, .k = LAB_THP1}, {0, LAB_PUT, 1, 401, .k = LAB_THP1},
                      {0, LAB_PUT, 1, 400, .k = LAB_THP1}, {0, LAB_PUT, 2, 1000, .k = LAB_THP1},
                      {0, LAB_PUT, 1, 1200}, {0, LAB_CLASS, 0, 1000, 2, .k = LAB_THP1},
                      {0, LAB_CLASS, 1, 1000, 1, .k = LAB_THP1}, {0, LAB_CLASS, 0, 1200, 1}),
        .dropped = {{0, 401, DROP_CLASS_FULL}}),
    ROW(.name = "packets of a class", .class_limits = {[LAB_STREAMING] = {1000000, 2}},
        .steps = LIST(CLOSED, {0, LAB_PUT, 0, 100, .k = LAB_STREAMING},
                      {0, LAB_PUT, 1, 101, .k = LAB_STREAMING}, {0, LAB_PUT, 2, 102, .k = LAB_STREAMING},
                      {0, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}, {0, LAB_PUT, 2, 103, .k = LAB_STREAMING}),
        .dropped = {{0, 102, DROP_CLASS_FULL}, {0, 100, DROP_CONTEXT_DELETED}}),
    ROW(.name = "the mobile's limit is named before its class's", .ms_limit_pkts = 1,
        .class_limits = {{100, 1}}, .steps = {CLOSED, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}},
        .dropped = {{0, 101, DROP_QUEUE_FULL}}),
};

TEST(limits_of_mobiles_and_classes)
{
    lab_play_all(limits, COUNT(limits));
}

TEST(as_many_packets_as_a_flow_holds)
{
    struct rig rig;
    struct rig_counts counts = {.mobiles = 1, .cells = 1, .links = 1, .n_pdus = FLOW_QUEUE_MAX_PKTS + 1};
    struct sched_params params;
    struct n_pdu like = {.octets = 1, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    sched_params_default(&params);
    params.ms_limit_pkts = UINT32_MAX;
    rig_new(&rig, &counts, &params);
    sched_bvc_use(&rig.sched, &rig.cells[0], false);
    for (uint32_t i = 0; i < FLOW_QUEUE_MAX_PKTS; i++)
        assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
    assert_int_equal(rig_put(&rig, 0, &like), DROP_QUEUE_FULL);
    assert_null(audit_books(&rig));
    rig_free(&rig);
}

/* --- the budget of all --- */

#define BUDGET  20
#define RESERVE 3

static void begin(struct rig *rig, uint32_t mobiles)
{
    struct rig_counts counts = {mobiles, 10, 1, 1, 100};
    struct sched_params params;
    sched_params_default(&params);
    params.budget_pkts = BUDGET;
    params.reserve_pkts = RESERVE;
    rig_new(rig, &counts, &params);
    bucket_init(&rig->cells[0].bucket, 0, 0, 0);
}

static int put(struct rig *rig, uint32_t ms, uint8_t qclass)
{
    struct n_pdu like = {.octets = 100, .qclass = qclass, .pfi = N_PDU_NO_PFI};
    int reason = rig_put(rig, ms, &like);
    rig_take_dropped(rig);
    assert_null(audit_books(rig));
    return reason;
}

static uint32_t waiting(struct rig *rig, uint32_t ms)
{
    return sched_ms_backlog(&rig->sched, &rig->ms[ms]).pkts;
}

TEST(the_longest_queue_pays)
{
    struct rig rig;
    begin(&rig, 4);
    for (uint32_t i = 0; i < BUDGET; i++) /* 12 and 8 */
        assert_int_equal(put(&rig, i % 5 < 3 ? 0 : 1, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(put(&rig, 2, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(waiting(&rig, 0), 11);
    assert_int_equal(put(&rig, 1, QCLASS_BACKGROUND), DROP_NONE); /* the second longest asks */
    assert_int_equal(waiting(&rig, 0), 10);
    assert_int_equal(waiting(&rig, 1), 9);
    assert_int_equal(put(&rig, 0, QCLASS_BACKGROUND), DROP_NONE); /* the longest itself does */
    assert_int_equal(waiting(&rig, 0), 10);
    assert_int_equal(rig.by_reason[DROP_BUDGET], 3);
    assert_int_equal(rig.refused, 0);
    rig_free(&rig);
}

TEST(signalling_never_pays)
{
    struct rig rig;
    begin(&rig, 3);
    for (uint32_t i = 0; i < BUDGET; i++) /* 12 of signalling, 8 */
        assert_int_equal(put(&rig, i % 5 < 3 ? 0 : 1, i % 5 < 3 ? QCLASS_SIGNALLING : QCLASS_THP1),
                         DROP_NONE);
    assert_int_equal(put(&rig, 2, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(waiting(&rig, 0), 12);
    assert_int_equal(waiting(&rig, 1), 7);
    assert_int_equal(put(&rig, 2, QCLASS_BACKGROUND), DROP_BUDGET); /* the only long one is of signalling */
    assert_int_equal(waiting(&rig, 0), 12);
    rig_free(&rig);
}

TEST(signalling_has_a_reserve)
{
    struct rig rig;
    begin(&rig, 30);
    for (uint32_t i = 0; i < BUDGET; i++)
        assert_int_equal(put(&rig, i, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(put(&rig, 25, QCLASS_STREAMING), DROP_BUDGET); /* all queues are short */
    for (uint32_t i = 0; i < RESERVE; i++)
        assert_int_equal(put(&rig, 25 + i, QCLASS_SIGNALLING), DROP_NONE);
    assert_int_equal(put(&rig, 29, QCLASS_SIGNALLING), DROP_BUDGET);
    assert_int_equal(put(&rig, 29, QCLASS_SMS), DROP_BUDGET);
    assert_int_equal(rig.sched.pkts, BUDGET + RESERVE);
    rig_free(&rig);
}

/* What pays is not in service; with nothing else left of it, the next does. */
TEST(what_is_in_service_does_not_pay)
{
    struct rig rig;
    begin(&rig, 2);
    rig.ms[0].n201_u = 60;
    bucket_init(&rig.cells[0].bucket, 60, 0, 0);
    for (uint32_t i = 0; i < BUDGET; i++)
        put(&rig, 0, QCLASS_BACKGROUND);
    rig_settle(&rig);
    const struct n_pdu *head = flow_queue_head(&rig.ms[0].flow.queue);
    assert_int_equal(head->sent_octets, 60);
    for (uint32_t i = 0; i < BUDGET; i++)
        assert_int_equal(put(&rig, 0, QCLASS_BACKGROUND), DROP_NONE);
    assert_ptr_equal(flow_queue_head(&rig.ms[0].flow.queue), head);
    assert_int_equal(rig.by_reason[DROP_BUDGET], BUDGET);
    assert_int_equal(rig.by_reason[DROP_PARTIAL], 0);
    rig_free(&rig);
}

/* --- two million offered to a hundred thousand --- */

#define OFFERED     UINT32_C(2000000)
#define MANY_BUDGET UINT32_C(100000)

/* So many mobiles get `few` N-PDUs each, the others share what is left of the two million, and some
 * signalling comes in between. Who asks for less than its fair share of the budget loses nothing, as long as
 * that share is what counts as a long queue, LONGEST_MIN_PKTS. */
static const struct crowd {
    const char *name;
    uint32_t modest, few, greedy;
    uint32_t signalling; /* one in so many N-PDUs */
} crowds[] = {
    {"two against all", 9000, 10, 2, 1000},
    {"10 000 mobiles", 9000, 5, 1000, 100},
    {"15 000 mobiles", 10000, 3, 5000, 1000},
    {"6 000 mobiles, 17 of 19", 4765, 17, 1000, 1000},
    {"6 000 mobiles, 17 of 19, most of them greedy", 2000, 17, 3473, 1000},
    {"120 mobiles, 800 of 909", 100, 800, 22, 1000},
};

/* Whose turn it is to get an N-PDU: each of the two million belongs to somebody from the start, in random
 * order. */
static uint32_t *shuffle(const struct crowd *crowd, uint64_t *seed)
{
    uint32_t *order = calloc(OFFERED, sizeof(*order));
    assert_non_null(order);
    for (uint32_t i = 0; i < OFFERED; i++) {
        bool is_modest = i < crowd->modest * crowd->few;
        order[i] = is_modest ? i / crowd->few : crowd->modest + i % crowd->greedy;
        uint32_t other = (uint32_t)prng_below(seed, i + 1);
        uint32_t swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    return order;
}

struct losses {
    const struct crowd *crowd;
    uint64_t modest, greedy, signalling;
};

static void count_loss(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct losses *losses = rig->arg;
    assert_int_equal(reason, DROP_BUDGET);
    if (n_pdu->qclass == QCLASS_SIGNALLING)
        losses->signalling++;
    else if (rig_ms_of(n_pdu) < losses->crowd->modest)
        losses->modest++;
    else
        losses->greedy++;
}

static void offer(struct rig *rig, const struct crowd *crowd)
{
    uint64_t seed = 1;
    uint32_t *order = shuffle(crowd, &seed);
    for (uint32_t i = 0; i < OFFERED; i++) {
        bool is_signalling = i % crowd->signalling == 0;
        struct n_pdu like = {.octets = 100, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
        if (is_signalling)
            like.qclass = QCLASS_SIGNALLING;
        rig_put(rig, is_signalling ? crowd->modest + crowd->greedy + i / crowd->signalling % 1000 : order[i],
                &like);
        rig_take_dropped(rig);
    }
    free(order);
}

static void play_crowd(const struct crowd *crowd)
{
    struct rig rig;
    struct rig_counts counts = {crowd->modest + crowd->greedy + 1000, 1000, 1, 1, MANY_BUDGET + 1000};
    struct losses losses = {.crowd = crowd};
    struct sched_params params;
    sched_params_default(&params);
    params.budget_pkts = MANY_BUDGET;
    rig_new(&rig, &counts, &params);
    rig.arg = &losses;
    rig.on_gone = count_loss;
    sched_bvc_use(&rig.sched, &rig.cells[0], false);
    offer(&rig, crowd);
    printf("%s: of %u N-PDUs for %u buffers lost were %llu of mobiles below their share, %llu of the others, "
           "%llu of signalling\n",
           crowd->name, OFFERED, MANY_BUDGET, (unsigned long long)losses.modest,
           (unsigned long long)losses.greedy, (unsigned long long)losses.signalling);
    assert_null(audit_books(&rig));
    assert_int_equal(losses.signalling, 0);
    assert_int_equal(losses.modest, 0);
    rig_free(&rig);
}

TEST(who_asks_for_little_loses_nothing)
{
    for (size_t i = 0; i < COUNT(crowds); i++)
        play_crowd(&crowds[i]);
}

UNIT_MAIN(NULL, NULL)
