/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's acknowledged mode in steps: what is done, and what comes of it.
 *
 *     + N     an N-PDU of N segments is put: its number, or -1
 *     o       the next N-PDU is offered: its number, or -
 *     c       a segment is confirmed: the N-PDU that is, or -
 *     s N     the peer's receive number: the N-PDUs that it confirms
 *     f N, b N, a, e    a segment comes: a whole N-PDU, its first, a further, the last segment
 *     !       LLC was established again           x   there is no room for the N-PDU whose segments came
 */
#include "dataplane/abm/sn_ack.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, SAID = 64 };

struct rig {
    struct sn_ack s;
    struct sn_ack_n_pdu slots[SN_ACK_SLOTS];
    uintptr_t put;
    char said[SAID];
};

static void say(struct rig *rig, void *n_pdu)
{
    size_t used = strlen(rig->said);
    snprintf(rig->said + used, sizeof rig->said - used, used ? " %u" : "%u", (unsigned)(uintptr_t)n_pdu - 1);
}

static void offer(struct rig *rig)
{
    uint8_t number;
    void *n_pdu = sn_ack_offer(&rig->s, &number);
    if (!n_pdu)
        return;
    say(rig, n_pdu);
    assert_int_equal(number, ((uintptr_t)n_pdu - 1) % 256);
}

static void confirm(struct rig *rig, const char *what)
{
    void *n_pdu = *what == 'c' ? sn_ack_confirm(&rig->s) : NULL;
    if (n_pdu)
        say(rig, n_pdu);
    while (*what == 's' && (n_pdu = sn_ack_sequence(&rig->s, (uint8_t)strtoul(what + 1, NULL, 10))))
        say(rig, n_pdu);
}

static void arrive(struct rig *rig, const char *what)
{
    static const char *const fates[] = {"whole", "begin", "append", "end", "again", "error"};
    struct sn_data in = {.first = *what == 'f' || *what == 'b', .more = *what == 'b' || *what == 'a'};
    in.number = in.first ? (uint8_t)strtoul(what + 1, NULL, 10) : 0;
    strcpy(rig->said, fates[sn_ack_receive(&rig->s, &in)]);
}

static void step(struct rig *rig, const char *what)
{
    if (*what == '+')
        snprintf(rig->said, sizeof rig->said, "%d",
                 sn_ack_put(&rig->s, (void *)++rig->put, (unsigned)strtoul(what + 1, NULL, 10)));
    else if (*what == 'o')
        offer(rig);
    else if (*what == 'c' || *what == 's')
        confirm(rig, what);
    else if (*what == '!')
        sn_ack_established(&rig->s);
    else if (*what == 'x')
        sn_ack_skip(&rig->s);
    else
        arrive(rig, what);
}

struct row {
    const char *name;
    uint8_t receive;
    struct {
        const char *what, *says;
    } steps[STEPS];
};

static const struct row rows[] = {
    {"confirmed with its last segment",
     0,
     {{"+ 3", "0"}, {"c", ""}, {"o", "0"}, {"o", ""}, {"c", ""}, {"c", ""}, {"c", "0"}, {"c", ""}}},
    {"in order", 0, {{"+ 1", "0"}, {"+ 2", "1"}, {"o", "0"}, {"o", "1"}, {"c", "0"}, {"c", ""}, {"c", "1"}}},
    {"offered again from the first segment, with its number", 0,
     LIST({"+ 1", "0"}, {"+ 2", "1"}, {"+ 1", "2"}, {"o", "0"}, {"o", "1"}, {"c", "0"}, {"c", ""}, {"!", ""},
          {"c", ""}, {"o", "1"}, {"c", ""}, {"c", "1"}, {"o", "2"}, {"c", "2"})},
    {"the peer's receive number", 0,
     LIST({"+ 1", "0"}, {"+ 1", "1"}, {"+ 1", "2"}, {"o", "0"}, {"!", ""}, {"s 4", ""}, {"s 0", ""},
          {"s 2", "0 1"}, {"s 2", ""}, {"o", "2"}, {"s 3", "2"}, {"s 255", ""})},
    {"whole ones and segments",
     0,
     {{"f 0", "whole"}, {"b 1", "begin"}, {"a", "append"}, {"e", "end"}, {"f 2", "whole"}}},
    {"no first segment", 0, {{"a", "error"}, {"e", "error"}, {"f 0", "whole"}, {"e", "error"}}},
    {"a first segment amid another N-PDU",
     0,
     {{"b 0", "begin"}, {"b 1", "begin"}, {"e", "end"}, {"f 2", "whole"}}},
    {"again after an establishment", 0,
     LIST({"f 0", "whole"}, {"f 1", "whole"}, {"!", ""}, {"f 0", "again"}, {"b 1", "again"}, {"a", "again"},
          {"e", "again"}, {"e", "error"}, {"b 2", "begin"}, {"e", "end"}, {"f 2", "whole"})},
    {"a part before the establishment does not count",
     0,
     {{"f 0", "whole"}, {"b 1", "begin"}, {"!", ""}, {"e", "error"}, {"b 1", "begin"}, {"e", "end"}}},
    {"behind the wrap", 255,
     LIST({"f 255", "whole"}, {"f 0", "whole"}, {"!", ""}, {"f 255", "again"}, {"f 0", "again"},
          {"f 1", "whole"})},
    {"127 before, and 128", 127, {{"!", ""}, {"f 0", "again"}, {"f 255", "whole"}}},
    {"no room: it counts as received", 0,
     LIST({"x", ""}, {"b 0", "begin"}, {"x", ""}, {"a", "again"}, {"!", ""}, {"b 0", "again"}, {"e", "again"},
          {"f 1", "whole"})},
};

TEST(steps)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig = {.s.receive = rows[i].receive};
        rig.s.slots = rig.slots;
        for (size_t j = 0; j < STEPS && rows[i].steps[j].what; j++) {
            rig.said[0] = 0;
            step(&rig, rows[i].steps[j].what);
            if (strcmp(rig.said, rows[i].steps[j].says) != 0)
                fail_msg("%s: step %zu, %s: \"%s\", not \"%s\"", rows[i].name, j, rows[i].steps[j].what,
                         rig.said, rows[i].steps[j].says);
        }
    }
}

TEST(at_most_127_are_unconfirmed)
{
    struct rig rig = {0};
    uint8_t number;
    rig.s.slots = rig.slots;
    for (int i = 0; i < SN_ACK_MAX; i++)
        assert_int_equal(sn_ack_put(&rig.s, &rig, 1), i);
    assert_int_equal(sn_ack_put(&rig.s, &rig, 1), -1);
    assert_non_null(sn_ack_offer(&rig.s, &number));
    assert_ptr_equal(sn_ack_confirm(&rig.s), &rig);
    assert_int_equal(sn_ack_put(&rig.s, &rig, 1), SN_ACK_MAX);
    assert_int_equal(sn_ack_put(&rig.s, &rig, 1), -1);
}

UNIT_MAIN(NULL, NULL)
