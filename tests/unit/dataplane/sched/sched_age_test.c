/* SPDX-License-Identifier: BSD-3-Clause */
/* N-PDUs that grow too old in every state of their mobile, and when: to the nanosecond. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

#define MS RIG_MSEC
#define S  RIG_SECOND

static const struct lab_scenario ages[] = {
    ROW(.name = "at its greatest age it may leave", .max_age_ns = 1 * S,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000}},
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}},
        .vain = 1), /* the timer of an age stays when what it was for has left */
    ROW(.name = "a nanosecond older it may not", .max_age_ns = 1 * S - 1,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000}},
        .sent = {{0, 0, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}),
    ROW(.name = "the same at a cell", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {1, LAB_PUT, 2, 1000}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the same at a link", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {1, LAB_PUT, 2, 1000}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the same at a packet flow", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 1000, .pfi = 9},
                      {1, LAB_PUT, 0, 1000, .pfi = 9}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the one with which a cell waits: the next gets its turn at once", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the one with which a link waits: the next gets its turn at once", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_LINK, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "a shorter one behind it: that is looked at", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 1, 20}, {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 1, 20}, {1 * S + 1, 2, 10}},
        .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the only one with which a cell waits: it rests", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {2 * S, LAB_MODE, 0, SCHED_MODE_LINK}, {2 * S, LAB_PUT, 1, 200}),
        .queued_only = true, .sent = {{0, 0, 1000}, {2 * S, 1, 200}},
        .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "others with which nobody waits", .max_age_ns = 10 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 2, 10},
                      {1 * S, LAB_PUT, 1, 999}, {1 * S, LAB_PUT, 3, 998}),
        .sent = {{0, 0, 1000}, {100 * MS, 2, 10}, {10090 * MS, 1, 999}},
        .dropped = {{11 * S + 1, 998, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "parked: nobody waits any longer for the one that was there", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                      {600 * MS, LAB_PUT, 0, 10}, {600 * MS, LAB_PARKED, 0, 1}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 0, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "parked with no instant known", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_NEXT, 0, 1 * S + 1},
                      {500 * MS, LAB_PUT, 0, 101}, {1200 * MS, LAB_PARKED, 0, 1}, {2 * S, LAB_PARKED, 0, 0}),
        .dropped = {{1 * S + 1, 100, DROP_LIFETIME}, {1500 * MS + 1, 101, DROP_LIFETIME}}),
    ROW(.name = "each flow of a mobile has its own age", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {200 * MS, LAB_PUT, 0, 101, .k = LAB_THP1},
                      {400 * MS, LAB_PUT, 0, 102}, {600 * MS, LAB_PUT, 0, 103, .k = LAB_THP1}),
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1200 * MS + 1, 101, DROP_LIFETIME},
                        {1400 * MS + 1, 102, DROP_LIFETIME}, {1600 * MS + 1, 103, DROP_LIFETIME})),
    ROW(.name = "in service and parked: partial", .max_age_ns = 1 * S, .segment_octets = 500,
        .steps = {{0, LAB_SET, 0, 500, 800}, {0, LAB_PUT, 0, 1000}, {500 * MS, LAB_PUT, 0, 10}},
        .sent = {{0, 0, 500}, {1 * S + 1, 0, 10}}, .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}}, .vain = 2),
    ROW(.name = "in service and the one with which its cell waits: partial, the next is whole",
        .max_age_ns = 1 * S, .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                      {500 * MS, LAB_PUT, 1, 10}),
        .sent = {{0, 0, 500}, {1 * S + 1, 1, 10}},
        .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}, {1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "in service in a closed packet flow: who waited for it goes", .max_age_ns = 1 * S,
        .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {500 * MS, LAB_PUT, 0, 300}),
        .sent = {{0, 0, 500}, {1 * S + 1, 0, 300}}, .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}}, .vain = 1),
    ROW(.name = "a cell that may not send: they are dropped there, too", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100}, {100 * MS, LAB_PUT, 1, 200},
                      {600 * MS, LAB_PUT, 0, 101}, {2 * S, LAB_PUT, 2, 300}, {3 * S, LAB_CELL_USE, 0, true}),
        .sent = {{3 * S, 2, 300}},
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1100 * MS + 1, 200, DROP_LIFETIME},
                        {1600 * MS + 1, 101, DROP_LIFETIME}),
        .vain = 1),
    ROW(.name = "a frozen mobile: they are dropped there, too", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_LOST}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_PUT, 0, 101},
                      {1200 * MS, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{1200 * MS, 0, 101}}, .dropped = {{1 * S + 1, 100, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "forbidden while a cell waits", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {1 * S, LAB_PUT, 2, 10}, {500 * MS, LAB_CELL_USE, 0, false},
                      {1500 * MS, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {1500 * MS, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the timer of one that left does not end another early or late", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_PUT, 0, 100}, {700 * MS, LAB_CELL, 0, 0, 0}, {700 * MS, LAB_PUT, 0, 101},
                      {900 * MS, LAB_PUT, 0, 102}, {1600 * MS, LAB_NEXT, 0, 1700 * MS + 1}),
        .queued_only = true, .sent = {{0, 0, 100}},
        .dropped = {{1700 * MS + 1, 101, DROP_LIFETIME}, {1900 * MS + 1, 102, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "several at one instant", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}, {0, LAB_PUT, 0, 102},
                      {1, LAB_PUT, 0, 103}),
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1 * S + 1, 101, DROP_LIFETIME},
                        {1 * S + 1, 102, DROP_LIFETIME}, {1 * S + 2, 103, DROP_LIFETIME})),
    ROW(.name = "it makes room in the queue", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PUT, 0, 600},
                      {500 * MS, LAB_PUT, 0, 500}, {1100 * MS, LAB_PUT, 0, 999}),
        .dropped = LIST({500 * MS, 500, DROP_QUEUE_FULL}, {1 * S + 1, 600, DROP_LIFETIME},
                        {2100 * MS + 1, 999, DROP_LIFETIME})),
    ROW(.name = "it goes on after a move", .max_age_ns = 1 * S,
        .steps =
            {{0, LAB_SET, 0, 0, 0}, {0, LAB_CELL, 1, 0, 0}, {0, LAB_PUT, 0, 600}, {500 * MS, LAB_MOVE, 0, 1}},
        .dropped = {{1 * S + 1, 600, DROP_LIFETIME}}),
    ROW(.name = "taken out and put back it has its age, however late", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_PUT, 0, 101},
                      {800 * MS, LAB_TAKE, 0}, {1200 * MS, LAB_BACK, 0}),
        .dropped = {{1200 * MS, 100, DROP_LIFETIME}, {1500 * MS + 1, 101, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "joining another flow, it ends behind a younger one in service", .max_age_ns = 1 * S,
        .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 9},
                      {0, LAB_PFC_SET, 0, 0, 0, .pfi = 9}, {0, LAB_PUT, 0, 100, .pfi = 9},
                      {200 * MS, LAB_PUT, 0, 1000}, {300 * MS, LAB_PFC_DEL, 0, .pfi = 9}),
        .sent = {{200 * MS, 0, 500}, {1200 * MS, 0, 500}}, .dropped = {{1200 * MS, 100, DROP_LIFETIME}},
        .vain = 2),
    ROW(.name = "none may leave at all", .max_age_ns = -1,
        .steps = {{0, LAB_PUT, 0, 100}, {1 * S, LAB_PUT, 0, 101}},
        .dropped = {{0, 100, DROP_LIFETIME}, {1 * S, 101, DROP_LIFETIME}}),
};

TEST(lifetime_ends_it_in_every_state)
{
    lab_play_all(ages, COUNT(ages));
}

/* However many N-PDUs pass, and whatever they do to a mobile's head, its timers do not pile up. */
TEST(timers_do_not_pile_up)
{
    struct rig rig;
    struct rig_counts counts = {.mobiles = 2, .extras = 1, .cells = 1, .links = 1, .n_pdus = 1000};
    struct sched_params params;
    sched_params_default(&params);
    params.max_age_ns = 60 * S;
    rig_new(&rig, &counts, &params);
    bucket_init(&rig.ms[0].bucket, 1000, 80000, 0);
    for (int64_t i = 0; i < 100000; i++) {
        struct n_pdu like = {.octets = 90, .qclass = (uint8_t)(QCLASS_THP1 + i % 2), .pfi = N_PDU_NO_PFI};
        rig_run(&rig, i * 10 * MS);
        assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
        assert_in_range(rig.sched.wheel.count, 0, 6);
    }
    rig_run(&rig, MOMENT_NEVER);
    assert_int_equal(rig.out, 100000);
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
