/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link's side in steps: what is done, and what it does.
 *
 *     s N, m N   N new frames of 10 octets, numbered from 0 on in all; behind those of m more are to come
 *     b N        one new frame of N octets
 *     p, q       repetitions and the report that is owed; behind those of q new frames are to come
 *     i NS NR S  an I frame arrives: S as "RR", "SACKb080"; with "!" behind it A = 1; its information is NS +
 * 1000 e NS NR S  the same without information r NR S     an S frame arrives t          T201 runs out full,
 * room   the receiver is busy, is not all        all are repeated     drop         the link is emptied
 *
 *     I5:3RR!    an I frame was sent: N(S) = 5, N(R) = 3, A = 1          S:3RR   an S frame, "C:" as a
 * command c7, d1007  frame 7 was confirmed, the information 1007 delivered   x7      frame 7 came back from a
 * drop -7         frame 7 may not be sent                                 w4      refused, with W4 T, t T201
 * starts, stops                                      F1      the link has failed dup, wait, busy, empty,
 * late: what became of the frame
 */
#include "dataplane/abm/abm.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256, SAID = 4096, STEPS = 16 };

struct rig {
    struct abm a;
    struct abm_sent sent[SLOTS];
    void *stored[SLOTS];
    uintptr_t next;
    int failure;
    char said[SAID];
};

static const char *const words[] = {"RR", "ACK", "RNR", "SACK"};

static void say(struct rig *rig, const char *format, ...)
{
    size_t used = strlen(rig->said);
    va_list list;
    va_start(list, format);
    if (used > 0)
        rig->said[used++] = ' ';
    vsnprintf(rig->said + used, sizeof rig->said - used, format, list);
    va_end(list);
}

static void say_frame(struct rig *rig, const struct llc_abm *in)
{
    char number[8], bitmap[2 * LLC_ABM_BITMAP_MAX_OCTETS + 1] = "";
    snprintf(number, sizeof number, "I%u", in->ns);
    for (unsigned i = 0; i < in->bitmap_octets; i++)
        sprintf(bitmap + (size_t)2 * i, "%02x", in->bitmap[i]);
    say(rig, "%s:%u%s%s%s",
        in->is_i ? number
        : in->cr ? "C"
                 : "S",
        in->nr, words[in->supervisory], bitmap, in->a ? "!" : "");
}

static void say_rest(struct rig *rig)
{
    void *frame;
    while ((frame = abm_deliver_take(&rig->a)))
        say(rig, "d%u", (unsigned)(uintptr_t)frame);
    while ((frame = abm_confirm_take(&rig->a)))
        say(rig, "c%u", (unsigned)(uintptr_t)frame - 1);
    enum abm_timer timer = abm_timer_take(&rig->a);
    if (timer != ABM_TIMER_AS_IT_IS)
        say(rig, timer == ABM_TIMER_START ? "T" : "t");
    if (rig->a.failure != rig->failure)
        say(rig, "F%d", rig->a.failure);
    rig->failure = rig->a.failure;
}

static void send_new(struct rig *rig, unsigned octets, bool is_last)
{
    struct llc_abm header;
    if (!abm_can_send(&rig->a, octets)) {
        say(rig, "-%u", (unsigned)rig->next);
        return;
    }
    struct abm_frame frame = {.frame = (void *)++rig->next, .octets = (uint16_t)octets, .is_last = is_last};
    uint32_t count = abm_send(&rig->a, &frame, &header);
    assert_int_equal(count % 512, header.ns);
    say_frame(rig, &header);
}

static void pump(struct rig *rig, bool is_last)
{
    struct abm_repeat repeat;
    struct llc_abm header;
    while (abm_repeat_octets(&rig->a) > 0 && abm_repeat_take(&rig->a, is_last, &repeat)) {
        assert_int_equal(repeat.octets, 10);
        assert_int_equal(repeat.count % 512, repeat.header.ns);
        say_frame(rig, &repeat.header);
    }
    if (abm_report_take(&rig->a, &header))
        say_frame(rig, &header);
}

static void read_s_bits(struct llc_abm *in, const char *text)
{
    unsigned kind = 4;
    while (kind-- > 0 && strncmp(text, words[kind], strlen(words[kind])) != 0)
        continue;
    in->supervisory = (uint8_t)kind;
    text += strlen(words[kind]);
    for (unsigned octet; sscanf(text, "%2x", &octet) == 1; text += 2)
        in->bitmap[in->bitmap_octets++] = (uint8_t)octet;
    in->a = *text == '!';
}

static void arrive(struct rig *rig, const char *step)
{
    static const char *const fates[] = {[ABM_FATE_STORED] = "wait",
                                        [ABM_FATE_DUPLICATE] = "dup",
                                        [ABM_FATE_BUSY] = "busy",
                                        [ABM_FATE_EMPTY] = "empty"};
    struct llc_abm in = {.is_i = *step != 'r'};
    unsigned ns = 0, nr = 0;
    char bits[80];
    if (in.is_i)
        assert_int_equal(sscanf(step + 1, "%u %u %79s", &ns, &nr, bits), 3);
    else
        assert_int_equal(sscanf(step + 1, "%u %79s", &nr, bits), 2);
    in.ns = (uint16_t)ns;
    in.nr = (uint16_t)nr;
    read_s_bits(&in, bits);
    uintptr_t frame = 1000 + ns;
    struct abm_taken taken = abm_receive(&rig->a, &in, (void *)frame, *step == 'i' ? 10 : 0);
    if (taken.fate < COUNT(fates) && fates[taken.fate])
        say(rig, "%s", fates[taken.fate]);
    if (taken.is_late)
        say(rig, "late");
    if (taken.why)
        say(rig, "w%u", taken.why);
}

static void drop_all(struct rig *rig)
{
    void *frame;
    while ((frame = abm_drop_take(&rig->a)))
        say(rig, "x%u", (unsigned)(uintptr_t)frame - ((uintptr_t)frame < 1000));
}

static void step(struct rig *rig, const char *what)
{
    unsigned n = 0;
    sscanf(what + 1, "%u", &n);
    if (strcmp(what, "all") == 0)
        abm_repeat_all(&rig->a);
    else if (strcmp(what, "drop") == 0)
        drop_all(rig);
    else if (strcmp(what, "full") == 0 || strcmp(what, "room") == 0)
        abm_set_busy(&rig->a, *what == 'f');
    else if (*what == 's' || *what == 'm')
        for (unsigned i = 1; i <= n; i++)
            send_new(rig, 10, *what == 's' && i == n);
    else if (*what == 'b')
        send_new(rig, n, true);
    else if (*what == 'p' || *what == 'q')
        pump(rig, *what == 'p');
    else if (*what == 't')
        abm_t201(&rig->a);
    else
        arrive(rig, what);
    say_rest(rig);
}

struct row {
    const char *name;
    struct abm_params params;
    uint32_t start; /* all counts */
    struct {
        const char *what, *says;
    } steps[STEPS];
};

#define K4                                                                                                   \
    .params = {.k_send = 4,                                                                                  \
               .k_receive = 4,                                                                               \
               .n200 = 3,                                                                                    \
               .sapi = 3,                                                                                    \
               .n201_i_octets = 100,                                                                         \
               .i_bitmap_octets = 32,                                                                        \
               .is_network = true}

/* clang-format off */
static const struct row sending[] = {
    {"a burst, confirmed", K4, 0,
     {{"s 3", "I0:0RR I1:0RR I2:0RR! T"}, {"r 3 RR", "c0 c1 c2 t"}, {"t", ""}, {"p", ""}}},
    {"k frames: A on the one that fills k", K4, 0,
     {{"m 6", "I0:0RR I1:0RR I2:0RR I3:0RR! -4 -4 T"}, {"r 2 RR", "c0 c1"}, {"s 3", "I4:0RR I5:0RR! -6"}}},
    {"m octets: A on the frame behind which a longest one has no room",
     .params = {.k_send = 8, .k_receive = 1, .n200 = 3, .sapi = 3, .n201_i_octets = 100, .send_octets = 128},
     .steps = {{"m 1", "I0:0RR T"}, {"b 18", "I1:0RR! T"}, {"m 1", "I2:0RR!"}, {"b 91", "-3"}, {"b 90", "I3:0RR!"},
               {"m 1", "-4"}, {"r 1 RR", "c0"}, {"m 1", "I4:0RR!"}}},
    {"longer than N201-I", K4, 0, {{"b 101", "-0"}, {"b 100", "I0:0RR! T"}}},
    {"the second of three is lost", K4, 0,
     {{"s 3", "I0:0RR I1:0RR I2:0RR! T"}, {"r 1 ACK", "c0 T"}, {"p", "I1:0RR! T"}, {"p", ""}, {"r 3 RR", "c1 c2 t"}}},
    {"two gaps; more frames are to come", K4, 0,
     {{"s 4", "I0:0RR I1:0RR I2:0RR I3:0RR! T"}, {"r 0 SACKa0", "T"}, {"q", "I0:0RR I2:0RR! T"},
      {"r 4 RR", "c0 c1 c2 c3 t"}}},
    {"two gaps with room in the window: A on the last if nothing follows", K4, 0,
     {{"s 3", "I0:0RR I1:0RR I2:0RR! T"}, {"r 0 ACK", ""}, {"q", "I0:0RR"}, {"r 2 RR", "c0 c1"},
      {"p", "I2:0RR! T"}, {"r 3 RR", "c2 t"}}},
    {"a report says the same again: nothing is repeated again", K4, 0,
     {{"s 4", "I0:0RR I1:0RR I2:0RR I3:0RR! T"}, {"r 0 SACKa0", "T"}, {"p", "I0:0RR I2:0RR! T"}, {"r 0 SACKa0", ""},
      {"p", ""}, {"r 0 SACKe0", "T"}, {"p", "I0:0RR! T"}, {"r 4 RR", "c0 c1 c2 c3 t"}}},
    {"acknowledged before its repetition went", K4, 0,
     {{"s 3", "I0:0RR I1:0RR I2:0RR! T"}, {"r 1 ACK", "c0 T"}, {"r 3 RR", "c1 c2 t"}, {"p", ""}}},
    {"T201, N200 times", K4, 0,
     {{"s 1", "I0:0RR! T"}, {"t", "T"}, {"p", "I0:0RR! T"}, {"t", "T"}, {"p", "I0:0RR! T"}, {"t", "T"},
      {"p", "I0:0RR! T"}, {"t", "T"}, {"p", "F1"}, {"s 1", "-1"}, {"i 0 1 RR!", ""}, {"p", ""}, {"t", ""},
      {"drop", "x0"}}},
    {"T201 while a repetition waits: it goes once, and counts once", K4, 0,
     {{"s 1", "I0:0RR! T"}, {"t", "T"}, {"t", "T"}, {"t", "T"}, {"t", "T"}, {"t", "T"}, {"p", "I0:0RR! T"},
      {"r 1 RR", "c0 t"}}},
    {"T201 of the oldest", K4, 0,
     {{"m 1", "I0:0RR T"}, {"s 1", "I1:0RR! T"}, {"s 1", "I2:0RR!"}, {"r 1 RR", "c0"}, {"r 2 RR", "c1 T"},
      {"t", "T"}, {"p", "I2:0RR! T"}}},
    {"the peer is busy, and is not", K4, 0,
     {{"s 2", "I0:0RR I1:0RR! T"}, {"r 0 RNR", "T"}, {"s 1", "-2"}, {"p", ""}, {"t", "T"}, {"p", "C:0RR!"},
      {"r 0 RNR", ""}, {"r 1 RNR", "c0"}, {"r 1 RR", "T"}, {"p", "I1:0RR! T"}, {"r 2 RR", "c1 t"}}},
    {"the peer is busy for ever", K4, 0,
     {{"s 1", "I0:0RR! T"}, {"r 1 RNR", "c0 T"}, {"t", "T"}, {"p", "C:0RR!"}, {"t", "T"}, {"p", "C:0RR!"}, {"t", "T"},
      {"p", "C:0RR!"}, {"t", "F1"}}},
    {"the peer is busy and answers", K4, 0,
     {{"r 0 RNR", "T"}, {"t", "T"}, {"t", "T"}, {"t", "T"}, {"r 0 RNR", ""}, {"t", "T"}, {"r 0 RR", "t"}, {"p", ""}}},
    {"a deleted queue", K4, 0,
     {{"s 3", "I0:0RR I1:0RR I2:0RR! T"}, {"all", ""}, {"p", "I0:0RR I1:0RR I2:0RR! T"}, {"r 3 RR", "c0 c1 c2 t"},
      {"all", ""}, {"p", ""}}},
    {"a deleted queue does not count for N200", K4, 0,
     {{"s 1", "I0:0RR! T"}, {"all", ""}, {"p", "I0:0RR! T"}, {"all", ""}, {"p", "I0:0RR! T"}, {"all", ""},
      {"p", "I0:0RR! T"}, {"all", ""}, {"p", "I0:0RR! T"}}},
    {"behind the wrap", K4, 510,
     {{"s 4", "I510:510RR I511:510RR I0:510RR I1:510RR! T"}, {"r 511 SACK80", "c0"}, {"p", "I511:510RR!"},
      {"r 2 RR", "c1 c2 c3 t"}}},
    {"a peer that contradicts itself is polled", K4, 0,
     {{"s 2", "I0:0RR I1:0RR! T"}, {"r 0 ACK", "T"}, {"r 1 RR", "c0 T"}, {"t", "T"}, {"p", "C:0RR!"}, {"r 2 RR", "c1 t"}}},
};

static const struct row receiving[] = {
    {"in sequence: an answer only to A", K4, 0,
     {{"i 0 0 RR", "d1000"}, {"p", ""}, {"i 1 0 RR!", "d1001"}, {"p", "S:2RR"}, {"p", ""}}},
    {"the picture of gaps", K4, 0,
     {{"i 1 0 RR!", "wait"}, {"p", "S:0ACK"}, {"i 3 0 RR!", "wait"}, {"p", "S:0SACKa0"}, {"i 2 0 RR!", "wait"},
      {"p", "S:0SACKe0"}, {"i 0 0 RR", "d1000 d1001 d1002 d1003"}, {"s 1", "I0:4RR! T"}}},
    {"one frame behind a gap of two", K4, 0, {{"i 2 0 RR!", "wait"}, {"p", "S:0SACK40"}}},
    {"again, and outside of the window", K4, 0,
     {{"i 0 0 RR", "d1000"}, {"i 0 0 RR!", "dup"}, {"p", "S:1RR"}, {"i 2 0 RR", "wait"}, {"i 2 0 RR", "dup"},
      {"i 5 0 RR!", "dup"}, {"p", "S:1ACK"}, {"i 4 0 RR", "wait"}, {"i 1 0 RR", "d1001 d1002"}}},
    {"without information", K4, 0,
     {{"e 0 0 RR!", "empty"}, {"p", "S:1RR"}, {"e 2 0 RR", "empty"}, {"e 2 0 RR", "dup"}, {"i 1 0 RR", "d1001"},
      {"i 3 0 RR!", "d1003"}, {"p", "S:4RR"}}},
    {"an I frame answers", K4, 0, {{"i 0 0 RR!", "d1000"}, {"s 1", "I0:1RR! T"}, {"p", ""}}},
    {"a repetition has the N(R) of its time", K4, 0,
     {{"s 1", "I0:0RR! T"}, {"i 0 0 RR!", "d1000"}, {"t", "T"}, {"p", "I0:1RR! T"}}},
    {"no room for the bitmap in I frames",
     .params = {.k_send = 4, .k_receive = 4, .n200 = 3, .sapi = 3, .n201_i_octets = 100},
     .steps = {{"i 2 0 RR!", "wait"}, {"s 1", "I0:0RR! T"}, {"p", "C:0SACK40"}}},
    {"room for one octet of bitmap", .params = {.k_send = 4, .k_receive = 16, .n200 = 3, .sapi = 3,
     .n201_i_octets = 100, .i_bitmap_octets = 1, .is_network = true},
     .steps = {{"i 8 0 RR!", "wait"}, {"s 1", "I0:0SACK01! T"}, {"p", ""}, {"i 9 0 RR!", "wait"}, {"s 1", "I1:0RR!"},
               {"p", "S:0SACK0180"}}},
    {"no room for frames", K4, 0,
     {{"full", ""}, {"p", "S:0RNR"}, {"i 0 0 RR!", "busy"}, {"s 1", "I0:0RNR! T"}, {"p", ""}, {"room", ""},
      {"p", "S:0RR"}, {"i 0 1 RR", "d1000 c0 t"}}},
    {"N(R) behind V(S)", K4, 0, {{"s 1", "I0:0RR! T"}, {"r 2 RR", "w8 F2"}, {"p", ""}}},
    {"an ACK names a frame that was not sent", K4, 0, {{"s 1", "I0:0RR! T"}, {"r 0 ACK", "w8 F2"}}},
    {"a SACK names a frame that was not sent", K4, 0, {{"s 2", "I0:0RR I1:0RR! T"}, {"r 0 SACK40", "w8 F2"}}},
    {"a SACK with zeros behind V(S)", K4, 0, {{"s 2", "I0:0RR I1:0RR! T"}, {"r 0 SACK8000", "T"}}},
    {"N(R) that was overtaken", K4, 0,
     {{"s 2", "I0:0RR I1:0RR! T"}, {"r 2 RR", "c0 c1 t"}, {"i 0 0 RNR!", "late d1000"}, {"p", "S:1RR"},
      {"s 1", "I2:1RR! T"}, {"r 510 RR", "late"}, {"r 258 RR", "late"}, {"r 257 RR", "w8 F2"}}},
    {"information longer than N201-I", .params = {.k_send = 4, .k_receive = 4, .sapi = 3, .n201_i_octets = 9},
     .steps = {{"i 0 0 RR", "w4 F2"}}},
    {"behind the wrap", K4, 511,
     {{"i 1 511 RR!", "wait"}, {"p", "S:511SACK40"}, {"i 511 511 RR", "d1511"}, {"i 0 511 RR", "d1000 d1001"},
      {"i 511 511 RR!", "dup"}, {"p", "S:2RR"}}},
    {"the link is emptied", K4, 0,
     {{"s 2", "I0:0RR I1:0RR! T"}, {"i 1 0 RR", "wait"}, {"e 2 0 RR", "empty"}, {"i 3 0 RR", "wait"},
      {"drop", "x0 x1 x1001 x1003 F3"}, {"i 0 0 RR", ""}, {"s 1", "-2"}}},
};
/* clang-format on */

static void begin(struct rig *rig, const struct row *row)
{
    memset(rig, 0, sizeof *rig);
    assert_int_equal(abm_init(&rig->a, &row->params, rig->sent, rig->stored), 0);
    rig->a.vs = rig->a.va = rig->a.confirmed = row->start;
    rig->a.vr = rig->a.delivered = rig->a.stored_end = row->start;
}

static void walk(const struct row *table, size_t count)
{
    static struct rig rig;
    for (size_t i = 0; i < count; i++) {
        begin(&rig, &table[i]);
        for (size_t j = 0; j < STEPS && table[i].steps[j].what; j++) {
            rig.said[0] = 0;
            step(&rig, table[i].steps[j].what);
            if (strcmp(rig.said, table[i].steps[j].says) != 0)
                fail_msg("%s: step %zu, %s: \"%s\", not \"%s\"", table[i].name, j, table[i].steps[j].what,
                         rig.said, table[i].steps[j].says);
        }
    }
}

TEST_CALL(frames_are_sent, walk(sending, COUNT(sending)))
TEST_CALL(frames_are_received, walk(receiving, COUNT(receiving)))

TEST(parameters_that_are_refused)
{
    static const struct abm_params bad[] = {
        {.k_send = 0, .k_receive = 1, .sapi = 3},
        {.k_send = 1, .k_receive = 0, .sapi = 3},
        {.k_send = 1, .k_receive = 1, .sapi = 4},
        {.k_send = 1, .k_receive = 1, .sapi = 3, .i_bitmap_octets = 33},
        {.k_send = 1, .k_receive = 1, .sapi = 3, .n201_i_octets = 145, .send_octets = 144},
    };
    struct abm a;
    struct abm_sent sent;
    void *stored;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(abm_init(&a, &bad[i], &sent, &stored), ERR_RANGE);
}

TEST(memory_of_a_mobile)
{
    assert_true(sizeof(struct abm) + abm_slots(16) * (sizeof(struct abm_sent) + sizeof(void *)) <= 512);
    static const unsigned rows[][2] = {{1, 1}, {2, 2}, {3, 4}, {16, 16}, {17, 32}, {255, 256}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(abm_slots(rows[i][0]), rows[i][1]);
}

TEST(counts_of_received_numbers)
{
    static const struct {
        uint32_t vr;
        uint16_t ns;
        uint32_t count;
    } rows[] = {{0, 0, 0},       {0, 3, 3},       {0, 4, 4 - 512U},        {511, 0, 512},
                {512, 511, 511}, {1022, 1, 1025}, {1024, 1022 - 512, 1022}};
    struct rig rig;
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(&rig, &(struct row){K4, .start = rows[i].vr});
        assert_int_equal(abm_count(&rig.a, rows[i].ns), rows[i].count);
    }
}

UNIT_MAIN(NULL, NULL)
