/* SPDX-License-Identifier: BSD-3-Clause */
/* What passes a monitor, step by step, and what is made of it. */
#include "analyze/gi_flight.h"
#include "tests/unit/unit.h"

#include <stdint.h>

enum { END, SENT, ACK, SACKED, TOLD_TWICE, STAMPED, ECHO };
enum { STEPS = 16, MSS = 1000, REORDER_US = 200000 };

/* Octets in thousands: SENT from .. to; ACK from (a duplicate when it repeats); SACKED ack, left, right.
 * STAMPED, sent with a timestamp, and ECHO, an ACK, have it in `right`. */
struct step {
    int what;
    unsigned at_ms, from, to, right;
    enum gi_flight_event event;
};

static const struct row {
    const char *name;
    uint32_t lost, spurious, top, una;
    struct step steps[STEPS];
} rows[] = {
    {"in order", 0, 0, 2, 2, {{SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {ACK, 500, 1}, {ACK, 501, 2}}},
    {"lost behind the monitor", 1, 0, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {ACK, 500, 0}, {ACK, 600, 0},
          {SENT, 700, 0, 1, 0, GI_FLIGHT_AGAIN}, {ACK, 1300, 3})},
    ROW("acknowledged before it passes again", 0, 1, 1, 1,
        {{SENT, 0, 0, 1}, {ACK, 500, 1}, {SENT, 510, 0, 1, 0, GI_FLIGHT_NEEDLESS}, {ACK, 900, 1}}),
    {"selectively acknowledged before", 1, 1, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {SACKED, 500, 0, 1, 3},
          {SENT, 600, 0, 1, 0, GI_FLIGHT_AGAIN}, {SENT, 601, 1, 2, 0, GI_FLIGHT_NEEDLESS}, {ACK, 1200, 3})},
    {"the ACK is too soon for the second one", 0, 1, 2, 2,
     LIST({SENT, 0, 0, 1}, {ACK, 400, 1}, {SENT, 500, 1, 2}, {SENT, 900, 1, 2, 0, GI_FLIGHT_AGAIN},
          {ACK, 910, 2})},
    {"the next ACK is for what passed before", 0, 1, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN},
          {ACK, 4000, 1}, {ACK, 4300, 2}, {ACK, 4600, 3})},
    {"the next ACK is for what passed later", 1, 0, 2, 2,
     LIST({SENT, 0, 0, 1}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 1}, {SENT, 4001, 1, 2},
          {ACK, 5000, 2})},
    ROW("the receiver tells of a duplicate", 0, 1, 1, 1,
        {{SENT, 0, 0, 1},
         {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN},
         {ACK, 4000, 1},
         {TOLD_TWICE, 5000, 1, 0, 1}}),
    {"lost in front of the monitor", 0, 0, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 2, 3, 0, GI_FLIGHT_GAP}, {ACK, 500, 1},
          {SENT, 700, 1, 2, 0, GI_FLIGHT_REPAIR}, {ACK, 1000, 3})},
    {"lost there, and three duplicates before it is sooner than reordering would be", 0, 0, 5, 5,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 2, 3, 0, GI_FLIGHT_GAP}, {SENT, 2, 3, 4}, {SENT, 3, 4, 5}, {ACK, 10, 1},
          {ACK, 11, 1}, {ACK, 12, 1}, {ACK, 13, 1}, {SENT, 20, 1, 2, 0, GI_FLIGHT_REPAIR}, {ACK, 30, 5})},
    {"out of order", 0, 0, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 2, 3, 0, GI_FLIGHT_GAP}, {SENT, 150, 1, 2, 0, GI_FLIGHT_LATE},
          {ACK, 500, 3})},
    {"out of order, and sent again for that", 0, 1, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 2, 3, 0, GI_FLIGHT_GAP}, {SENT, 150, 1, 2, 0, GI_FLIGHT_LATE},
          {SENT, 400, 1, 2, 0, GI_FLIGHT_NEEDLESS}, {ACK, 500, 3})},
    {"sent again with what had arrived behind it, without SACK", 1, 1, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {ACK, 500, 0}, {ACK, 501, 0},
          {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN}, {SENT, 3001, 1, 2, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 3})},
    {"a timeout for nothing, which the receiver's repetitions tell, without SACK", 0, 2, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN},
          {SENT, 3001, 1, 2, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 1}, {ACK, 4100, 2}, {SENT, 4101, 2, 3},
          {ACK, 5000, 2}, {ACK, 5001, 2}, {ACK, 5100, 3})},
    ROW("a timestamp from before, so the first one had arrived", 0, 1, 1, 1,
        {{STAMPED, 0, 0, 1, 10}, {STAMPED, 3000, 0, 1, 40, GI_FLIGHT_AGAIN}, {ECHO, 4000, 1, 0, 10}}),
    {"a timestamp of the second one, however soon", 1, 0, 2, 2,
     LIST({STAMPED, 0, 0, 1, 10}, {ECHO, 400, 1, 0, 10}, {STAMPED, 500, 1, 2, 20},
          {STAMPED, 900, 1, 2, 60, GI_FLIGHT_AGAIN}, {ECHO, 910, 2, 0, 60})},
    {"sacked before what passed in front of its repetition", 1, 1, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {SACKED, 500, 0, 1, 2},
          {SENT, 600, 0, 1, 0, GI_FLIGHT_AGAIN}, {SENT, 601, 2, 3, 0, GI_FLIGHT_AGAIN},
          {SACKED, 700, 0, 1, 3}, {ACK, 1200, 3})},
    {"the same of one that what came behind it proves to be lost", 2, 0, 4, 4,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {SENT, 3, 3, 4}, {SACKED, 500, 0, 3, 4},
          {SACKED, 501, 0, 1, 2}, {SENT, 600, 0, 1, 0, GI_FLIGHT_AGAIN},
          {SENT, 601, 2, 3, 0, GI_FLIGHT_AGAIN}, {SACKED, 1200, 0, 1, 4}, {ACK, 1300, 4})},
    ROW("an ACK repeated with nothing outstanding", 0, 1, 1, 1,
        {{SENT, 0, 0, 1}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 1}, {ACK, 4200, 1}}),
    ROW("again and never acknowledged", 2, 0, 1, 0,
        {{SENT, 0, 0, 1}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN}, {SENT, 9000, 0, 1, 0, GI_FLIGHT_AGAIN}}),
    {"a needless time-out's duplicates, some of which come after the next one", 0, 3, 3, 3,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 1},
          {SENT, 4001, 1, 2, 0, GI_FLIGHT_AGAIN}, {ACK, 5000, 2}, {SENT, 5001, 2, 3}, {ACK, 6000, 2},
          {SENT, 9000, 2, 3, 0, GI_FLIGHT_AGAIN}, {ACK, 9100, 2}, {ACK, 10000, 3}, {ACK, 10400, 3})},
    {"a window repeated after a needless time-out, new data in between", 0, 3, 4, 4,
     LIST({SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 2, 2, 3}, {SENT, 3000, 0, 1, 0, GI_FLIGHT_AGAIN},
          {ACK, 4000, 1}, {SENT, 4001, 3, 4}, {SENT, 4002, 1, 2, 0, GI_FLIGHT_AGAIN}, {ACK, 5000, 2},
          {SENT, 5001, 2, 3, 0, GI_FLIGHT_AGAIN}, {ACK, 6000, 3}, {ACK, 7000, 4})},
    ROW("partly new", 1, 0, 3, 3,
        {{SENT, 0, 0, 1}, {SENT, 1, 1, 2}, {SENT, 3000, 1, 3, 0, GI_FLIGHT_AGAIN}, {ACK, 4000, 3}}),
    ROW("a capture that lacks a segment", 0, 0, 3, 3,
        {{SENT, 0, 0, 1}, {SENT, 1, 2, 3, 0, GI_FLIGHT_GAP}, {ACK, 500, 3}}),
    {"an ACK for what was not seen", 0, 0, 5, 5, {{SENT, 0, 0, 1}, {ACK, 500, 5}}},
    {"far away", 0, 0, 20001, 20000, {{SENT, 0, 0, 1}, {SENT, 1, 20000, 20001, 0, GI_FLIGHT_LOST_TRACK}}},
};

/* Near the wrap of sequence numbers, times and places. */
enum { START = 0x100000000 - 1500, START_US = 0x100000000 - 250000 };

static void play_step(struct gi_flight *f, const struct step *s, uint32_t *place)
{
    uint32_t from = START + s->from * MSS, to = START + s->to * MSS, right = START + s->right * MSS;
    uint32_t at_us = START_US + s->at_ms * 1000;
    struct gi_options options = {.sacks = s->what == SACKED || s->what == TOLD_TWICE,
                                 .sack_left = {to},
                                 .sack_right = {right},
                                 .has_timestamp = s->what == STAMPED || s->what == ECHO,
                                 .ts_value = s->right,
                                 .ts_echo = s->right};
    if (s->what == SENT || s->what == STAMPED) {
        *place += to - from + 40;
        assert_int_equal(gi_flight_sent(f, from, to, (struct gi_stamp){*place, at_us, &options}, REORDER_US),
                         s->event);
    } else {
        gi_flight_acked(f, from, &options, true, at_us);
    }
}

TEST(test_rows)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct gi_flight f = {0};
        uint32_t place = 0xffffff00;
        gi_flight_sync(&f, START);
        for (const struct step *s = row->steps; s->what != END; s++)
            play_step(&f, s, &place);
        gi_flight_finish(&f);
        if (f.lost != row->lost || f.spurious != row->spurious)
            print_error("%s: lost %u, spurious %u\n", row->name, f.lost, f.spurious);
        assert_int_equal(f.lost, row->lost);
        assert_int_equal(f.spurious, row->spurious);
        assert_int_equal(f.top, (uint32_t)(START + row->top * MSS));
        assert_int_equal(f.una, (uint32_t)(START + row->una * MSS));
    }
}

/* More outstanding than there are records for: they get coarser, nothing is lost or invented. */
TEST(test_many_segments)
{
    struct gi_flight f = {0};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(gi_flight_sent(&f, START + i * 100, START + i * 100 + 100,
                                        (struct gi_stamp){i * 140, i, NULL}, REORDER_US),
                         GI_FLIGHT_NEW);
    assert_int_equal(
        gi_flight_sent(&f, START + 1000, START + 1100, (struct gi_stamp){80000, 600, NULL}, REORDER_US),
        GI_FLIGHT_AGAIN);
    struct gi_flight_ack a = gi_flight_acked(&f, START + 50000, &none, true, 2000000);
    assert_true(a.is_new);
    assert_int_equal(f.lost, 1);
    assert_int_equal(f.segment_count, 0);
}

/* Of a record that several segments share, two that are lost and sent again one after the other. */
TEST(test_losses_in_a_shared_record)
{
    struct gi_flight f = {0};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    for (uint32_t i = 0; i < 60; i++)
        gi_flight_sent(&f, START + i * 100, START + i * 100 + 100, (struct gi_stamp){i * 140, i, NULL},
                       REORDER_US);
    for (uint32_t i = 0; i < 58; i++)
        gi_flight_acked(&f, START, &none, true, 500000 + i);
    for (uint32_t i = 0; i < 2; i++) {
        struct gi_stamp stamp = {9000 + i * 140, 600000 + i * 500000, NULL};
        gi_flight_sent(&f, START + i * 100, START + i * 100 + 100, stamp, REORDER_US);
        gi_flight_acked(&f, i ? START + 6000 : START + 100, &none, true, 1000000 + i * 500000);
    }
    assert_int_equal(f.lost, 2);
    assert_int_equal(f.segment_count, 0);
}

TEST(test_keep_alive)
{
    struct gi_flight f = {0};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    gi_flight_sent(&f, START, START + 100, (struct gi_stamp){140, 1000, NULL}, REORDER_US);
    gi_flight_acked(&f, START + 100, &none, true, 51000);
    assert_int_equal(
        gi_flight_sent(&f, START + 99, START + 100, (struct gi_stamp){181, 90000, NULL}, REORDER_US),
        GI_FLIGHT_PROBE);
    assert_int_equal(f.spurious, 0);
}

/* At a window of 0: one new octet again and again, an ACK of it, and what follows; a FIN is none of them. */
TEST(test_window_probes)
{
    struct gi_flight f = {0};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    gi_flight_sent(&f, START, START + 100, (struct gi_stamp){140, 1000, NULL}, REORDER_US);
    gi_flight_acked(&f, START + 100, &none, true, 51000);
    f.is_closed = true;
    for (uint32_t i = 0; i < 3; i++) {
        struct gi_stamp stamp = {181 + 41 * i, 90000 + i, NULL};
        assert_int_equal(gi_flight_sent(&f, START + 100, START + 101, stamp, REORDER_US),
                         GI_FLIGHT_WINDOW_PROBE);
        struct gi_flight_ack a = gi_flight_acked(&f, START + 100, &none, true, 91000 + i);
        assert_true(!a.is_new && !a.is_duplicate);
    }
    assert_int_equal(f.top, START + 100);
    assert_int_equal(f.lost + f.spurious, 0);
    struct gi_flight_ack kept = gi_flight_acked(&f, START + 101, &none, true, 95000);
    assert_true(kept.is_new && kept.missed == 0);
    assert_int_equal(f.top, START + 101);
    f.is_closed = false;
    assert_int_equal(
        gi_flight_sent(&f, START + 101, START + 102, (struct gi_stamp){400, 99000, NULL}, REORDER_US),
        GI_FLIGHT_NEW);
}

/* The sender goes on behind the octet, which the receiver has not kept: its repetition is no loss. */
TEST(test_behind_a_window_probe)
{
    struct gi_flight f = {.is_closed = true};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    gi_flight_sent(&f, START, START + 1, (struct gi_stamp){41, 1000, NULL}, REORDER_US);
    f.is_closed = false;
    assert_int_equal(
        gi_flight_sent(&f, START + 1, START + 500, (struct gi_stamp){600, 2000, NULL}, REORDER_US),
        GI_FLIGHT_NEW);
    assert_int_equal(gi_flight_sent(&f, START, START + 1, (struct gi_stamp){641, 3000, NULL}, REORDER_US),
                     GI_FLIGHT_NEEDLESS);
    assert_int_equal(gi_flight_acked(&f, START + 500, &none, true, 60000).missed, 0);
    gi_flight_finish(&f);
    assert_int_equal(f.lost, 0);
}

TEST(test_samples)
{
    struct gi_flight f = {0};
    const struct gi_options none = {0};
    gi_flight_sync(&f, START);
    gi_flight_sent(&f, START, START + 100, (struct gi_stamp){140, 1000, NULL}, REORDER_US);
    gi_flight_sent(&f, START + 100, START + 200, (struct gi_stamp){280, 2000, NULL}, REORDER_US);
    assert_int_equal(gi_flight_acked(&f, START + 100, &none, true, 51000).rtt_us, 50000);
    struct gi_flight_ack inside = gi_flight_acked(&f, START + 150, &none, true, 52000);
    assert_true(inside.is_new && !inside.is_exact && inside.rtt_us == 0);
    gi_flight_sent(&f, START + 100, START + 200, (struct gi_stamp){420, 60000, NULL}, REORDER_US);
    gi_flight_sent(&f, START + 200, START + 300, (struct gi_stamp){560, 61000, NULL}, REORDER_US);
    struct gi_flight_ack again = gi_flight_acked(&f, START + 200, &none, true, 99000);
    assert_true(again.is_new && !again.is_exact && again.rtt_us == 0);
    struct gi_flight_ack last = gi_flight_acked(&f, START + 300, &none, true, 161000);
    assert_int_equal(last.rtt_us, 100000);
    assert_true(last.is_exact && last.place == 560);
}

UNIT_MAIN(NULL, NULL)
