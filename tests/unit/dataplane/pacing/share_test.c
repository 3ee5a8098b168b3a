/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares that windows follow: of octets, mobiles and flows in windows of time, and times of paths. */
#include "dataplane/pacing/constants.h"
#include "tests/unit/dataplane/pacing/steps.h"
#include "tests/unit/unit.h"

/* No mobile of the class waits for a turn: windows are eight times as large, until one does. */
TEST(test_a_cell_that_is_not_full)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    waiting_mobiles = 0;
    assert_int_equal(steps_play(p, &ACK_0, false), 24000);
    waiting_mobiles = 1;
    assert_int_equal(steps_play(p, &ACK_0, false), 3000);
    pacing_free(p);
}

/* Flows know 16 bits of the number of their window of time: 0 and 1 after 6.5 days. */
TEST(test_numbers_of_windows_wrap)
{
    static const struct step two[] = {
        {UP, ACK, 80, 100, 1000, 65000, 3000},
        {UP, SYN, 81, 99, 0, 65000, 65000, 0},
        {DOWN, SYN_ACK, 81, 999, 100, 9, 9, 0},
        {UP, ACK, 81, 100, 1000, 65000, 2000},
    };
    static const struct step third[] = {
        {UP, SYN, 82, 99, 0, 65000, 65000, 0},   {DOWN, SYN_ACK, 82, 999, 100, 9, 9, 0},
        {DOWN, FIN_ACK, 82, 1000, 100, 9, 9, 0}, {UP, FIN_ACK, 82, 100, 1001, 65000, 2000},
        {UP, ACK, 80, 100, 1000, 65000, 2000},
    };
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    now = INT64_C(65535) << PACING_WINDOW_LOG2_NS;
    open_flow(p, false);
    for (unsigned i = 0; i < COUNT(two); i++)
        assert_int_equal(steps_play(p, &two[i], false), two[i].expected);
    now += INT64_C(1) << PACING_WINDOW_LOG2_NS;
    for (unsigned i = 0; i < COUNT(third); i++)
        assert_int_equal(steps_play(p, &third[i], false), third[i].expected);
    pacing_free(p);
}

/* A mobile's segment after those before it. */
static void segment_down(struct pacing *p, uint32_t ms, uint32_t before)
{
    at.ms = ms;
    sent_octets += 1000;
    steps_play(p, &(struct step){DOWN, ACK, 80, 1000 + 1000 * before, 100, 9, 9, 0, 1000}, false);
}

/* Mobiles of a loaded cell share what arrived for them in the last window, also those that never acknowledge,
 * of this window, or that wait for a turn. While none waits, windows are wide if the cell was not full. */
TEST(test_share)
{
    static const struct {
        uint64_t bvc_rate_bps;
        uint32_t mobiles, now, waiting;
        uint16_t window;
    } shares[] = {{1000000, 2, 0, 1, 3000},  {16000, 1, 0, 1, 3000}, {16000, 2, 0, 1, 2000},
                  {16000, 1, 1, 1, 3000},    {16000, 1, 2, 1, 2000}, {16000, 1, 0, 2, 2000},
                  {1000000, 2, 0, 0, 24000}, {16000, 1, 0, 0, 3000}};
    for (unsigned i = 0; i < COUNT(shares); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        at.bvc_rate_bps = shares[i].bvc_rate_bps;
        open_flow(p, false);
        for (uint32_t k = 0; k < 32; k++)
            segment_down(p, 1 + k % shares[i].mobiles, k / shares[i].mobiles);
        at.ms = 3; /* a SYN is none of the class's data */
        steps_play(p, &(struct step){DOWN, SYN, 81, 1, 0, 9, 9, 0}, false);
        now = 10 * SECOND; /* the next window */
        waiting_mobiles = shares[i].waiting;
        for (uint32_t k = 0; k < shares[i].now; k++)
            segment_down(p, 1 + k, 0);
        at.ms = 1;
        uint32_t acked = 1000 + 32000 / shares[i].mobiles;
        uint16_t window = steps_play(p, &(struct step){UP, ACK, 80, 100, acked, 65000}, false);
        if (window != shares[i].window)
            fail_msg("row %u: %u", i, window);
        pacing_free(p);
    }
}

/* A cell of 16 kbit/s sends all the time, and the server, whose window was lowered, is silent for most of a
 * window of time: the cell is full by what it sends, not by what arrives. R of
 * which a quarter or less is left may be R that the air does not have. */
TEST(test_a_cell_is_full_while_servers_are_silent)
{
    static const struct {
        uint64_t sent_octets;
        uint16_t window;
    } all[] = {{0, 13000}, {8500, 7000}, {10500, 2000}, {16000, 2000}};
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        at.bvc_rate_bps = 16000;
        open_flow(p, false);
        now = 10 * SECOND;
        for (uint32_t k = 0; k < 4; k++)
            segment_down(p, 1, k);
        sent_octets += all[i].sent_octets;
        now += INT64_C(1) << PACING_WINDOW_LOG2_NS;
        waiting_mobiles = 0;
        uint16_t window = steps_play(p, &(struct step){UP, ACK, 80, 100, 5000, 65000}, false);
        if (window != all[i].window)
            fail_msg("row %u: %u", i, window);
        pacing_free(p);
    }
}

/* Shares of a window of time hold in the next one alone: behind a pause a mobile has its R. */
TEST(test_a_pause_ends_shares)
{
    static const uint16_t windows[] = {2000, 3000};
    for (unsigned i = 0; i < COUNT(windows); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        at.bvc_rate_bps = 16000;
        open_flow(p, false);
        now = 10 * SECOND;
        for (uint32_t k = 0; k < 32; k++)
            segment_down(p, 1 + k % 3, k / 3);
        now += (int64_t)(1 + i) << PACING_WINDOW_LOG2_NS;
        at.ms = 1;
        assert_int_equal(steps_play(p, &(struct step){UP, ACK, 80, 100, 12000, 65000}, false), windows[i]);
        pacing_free(p);
    }
}

/* The path is timed from the mobile's first SYN to the answer, or from its answer to the next segment. */
TEST(test_parameters)
{
    static const struct {
        int64_t ms_target_ns, core_ns;
        bool is_repeated, is_server;
        uint16_t window;
    } all[] = {{TARGET, 0, false, false, 3000},
               {2 * TARGET, 0, false, false, 6000},
               {SECOND / 1000, 0, false, false, 2000},
               {TARGET, SECOND, false, false, 10000},
               {TARGET, SECOND, true, false, 10000},
               {TARGET, SECOND, false, true, 10000},
               {TARGET, SECOND, true, true, 10000},
               {TARGET, 20 * SECOND, false, false, 31000}}; /* a path is 4 s at most */
    static const struct step mobile[] = {OPEN(0, 0)};
    static const struct step server[] = {{UP, SYN_ACK, 80, 99, 1000, 500, 500, 0},
                                         {DOWN, ACK, 80, 1000, 100, 9, 9, 0}};
    for (unsigned i = 0; i < COUNT(all); i++) {
        steps_begin();
        struct pacing_params params = {.classes = 1 << QCLASS_THP2,
                                       .flows = 4,
                                       .ms_target_ns = all[i].ms_target_ns,
                                       .view = {.waiting = steps_waiting, .sent = steps_sent}};
        struct pacing *p = pacing_new(&params, &(struct pacing_limits){4, 2, 1});
        const struct step *steps = all[i].is_server ? server : mobile;
        if (all[i].is_server)
            steps_play(p, &(struct step){DOWN, SYN, 80, 999, 0, 9, 9}, false);
        steps_play(p, &steps[0], false);
        now += all[i].core_ns / 2;
        if (all[i].is_repeated)
            steps_play(p, &steps[0], false);
        now += all[i].core_ns - all[i].core_ns / 2;
        steps_play(p, &steps[1], false);
        if (steps_play(p, &ACK_0, false) != all[i].window)
            fail_msg("row %u", i);
        pacing_free(p);
    }
}
/* The first answer of a server to the mobile's is timed, no later one. A mean has an eighth of each: of 0 and
 * 4 s it is 0.5 s, and A of two flows is 6.5 kB. */
TEST(test_mean_of_paths)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    steps_play(p, &(struct step){DOWN, SYN, 80, 999, 0, 9, 9, 0}, false);
    steps_play(p, &(struct step){UP, SYN_ACK, 80, 99, 1000, 500, 500, 0}, false);
    steps_play(p, &(struct step){DOWN, ACK, 80, 1000, 100, 9, 9, 0}, false);
    now += 3 * SECOND;
    steps_play(p, &(struct step){DOWN, ACK, 80, 1000, 100, 9, 9, 0}, false);
    assert_int_equal(steps_play(p, &ACK_0, false), 3000);
    steps_play(p, &(struct step){UP, SYN, 81, 99, 0, 65000, 65000, 0}, false);
    now += 4 * SECOND;
    steps_play(p, &(struct step){DOWN, SYN_ACK, 81, 999, 100, 9, 9, 0}, false);
    assert_int_equal(steps_play(p, &(struct step){UP, ACK, 81, 100, 1000, 65000}, false), 4000);
    pacing_free(p);
}

/* Of two flows of a mobile one is closed in the window of time after that in which both were counted: from
 * then on it counts in neither, also if its last ACK comes again in the next one. */
TEST(test_closed_flows_count_no_longer)
{
    static const struct step first = {UP, ACK, 81, 100, 1000, 65000}, again = {UP, ACK, 80, 101, 1001, 65000};
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    steps_play(p, &(struct step){UP, SYN, 81, 99, 0, 65000, 65000, 0}, false);
    steps_play(p, &(struct step){DOWN, SYN_ACK, 81, 999, 100, 9, 9, 0}, false);
    steps_play(p, &ACK_0, false);
    assert_int_equal(steps_play(p, &first, false), 2000);
    now += INT64_C(1) << PACING_WINDOW_LOG2_NS;
    steps_play(p, &ACK_0, false);
    assert_int_equal(steps_play(p, &first, false), 2000);
    steps_play(p, &(struct step){DOWN, FIN_ACK, 80, 1000, 100, 9, 9, 0}, false);
    steps_play(p, &(struct step){UP, FIN_ACK, 80, 100, 1001, 65000}, false);
    assert_int_equal(steps_play(p, &first, false), 3000);
    now += INT64_C(1) << PACING_WINDOW_LOG2_NS;
    steps_play(p, &again, false);
    assert_int_equal(steps_play(p, &first, false), 3000);
    pacing_free(p);
}

/* UDP of the class, too, is what it can have, and its mobiles have shares of that. */
TEST(test_share_of_what_is_no_tcp)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    at.bvc_rate_bps = 62000;
    open_flow(p, false);
    for (uint32_t k = 0; k < 4; k++)
        segment_down(p, 1, k);
    change = (struct change){9, 17};
    for (uint32_t k = 0; k < 60; k++)
        segment_down(p, 2, k);
    change = (struct change){0};
    now = 10 * SECOND;
    at.ms = 1;
    assert_int_equal(steps_play(p, &(struct step){UP, ACK, 80, 100, 5000, 65000}, false), 3000);
    pacing_free(p);
}

UNIT_MAIN(NULL, NULL)
