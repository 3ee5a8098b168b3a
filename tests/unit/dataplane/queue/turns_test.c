/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns: spelled out, beside a plain model through long random lives, and the fairness that they are for. */
#include "dataplane/queue/turns.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define Q TURNS_QUANTUM_OCTETS

/* --- spelled out --- */

/* "+a" a enters, "-a" it leaves, "=a" it has used nothing here, "a500" it is a's turn and a is charged 500,
 * "." it is nobody's, "#" the number of the round is the last one before it wraps. */
static const struct {
    const char *name, *steps;
} rows[] = {
    {"nobody", "."},
    {"one alone goes on and on", "+a a1000 a1000 a1526 a1526 a1 -a ."},
    {"a quantum each", "+a +b a1000 a526 b1526 a1 a1525 b1526"},
    {"used up to one octet is not used up", "+a +b a1525 a1 b1526"},
    {"the surplus is paid in the next round", "+a +b a1525 a1526 b1526 a1 b1525 b1 a1526"},
    {"the largest surplus", "+a +b a1 a1525 b1525 b1526 a1526 b1 a1526 b1526"},
    {"whoever comes goes before those who wait", "+a +b a1526 b1526 +c c700 c826 a1526 b1526 c1526"},
    {"also between two of somebody else's",
     "+a +b a1526 b1526 a100 +c c1526 a1426 b1526 c1 c1525 a1526 b1526"},
    {"coming back in the same round is no second quantum",
     "+a +b a1526 b100 -b +b b100 -b +b b1326 a1526 b1526"},
    {"with nothing left one waits for the next", "+a +b +c a1526 b1526 -a +a c1526 b1526 a1526 c1526"},
    {"what was left of an earlier round is lost", "+a +b a100 -a b1526 b100 +a a1526 b1426 a1526"},
    {"a debt stays", "+a +b a1000 a1526 -a b1526 b100 +a a526 b1426 a1526"},
    {"over many rounds as well", "+a +b a1000 a1526 -a b1526 b1526 b1526 b1526 b100 +a a526 b1426 a1526"},
    {"a debt forgotten", "+a +b a1000 a1526 -a =a b1526 b100 +a a1526 b1426"},
    {"a quantum forgotten is given anew in the same round", "+a +b a1526 -a =a +a b1526 a1526 b1526"},
    {"out of the middle and off the ends", "+a +b +c +d -b -d a1526 c1526 +b b1526 a1 -a c1 -c b1 -b ."},
    {"everybody left, the round stays", "+a +b a1526 -a -b . +a +b b1526 a1526"},
    {"the number of the round wraps", "# +a +b a1526 b1526 a1526 b1000 +c c1526 b526 a1526 c1"},
};

static struct turn *member(struct turn *turns, int name)
{
    assert_in_range(name, 'a', 'd');
    return &turns[name - 'a'];
}

static void step(struct turns *t, struct turn *turns, const char *text, const char *row)
{
    char *end;
    switch (text[0]) {
    case '+':
        turns_enter(t, member(turns, text[1]));
        break;
    case '-':
        turns_leave(t, member(turns, text[1]));
        break;
    case '=':
        turns_forget(t, member(turns, text[1]));
        break;
    case '#':
        t->round = UINT16_MAX;
        for (int name = 'a'; name <= 'd'; name++)
            turns_forget(t, member(turns, name));
        break;
    case '.':
        assert_null(turns_head(t));
        break;
    default:
        if (turns_head(t) != member(turns, text[0]))
            fail_msg("%s: it is not the turn of %s", row, text);
        turns_charge(t, turns_head(t), (uint32_t)strtoul(text + 1, &end, 10));
    }
}

/* Behind the next space, NULL when there is none. */
static const char *next_step(const char *text)
{
    const char *space = strchr(text, ' ');
    return space ? space + 1 : NULL;
}

TEST(turns_spelled_out)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct turns t = {0};
        struct turn turns[4] = {0};
        for (int name = 'a'; name <= 'd'; name++)
            turns_forget(&t, member(turns, name));
        for (const char *text = rows[i].steps; text; text = next_step(text))
            step(&t, turns, text, rows[i].name);
    }
}

/* --- beside a model --- */

#define MEMBERS 12
#define STEPS   200000

/* Three rows of people, as the header has it; no links, no numbers that wrap. */
struct model {
    int rows[3][MEMBERS]; /* fresh, of this round, of the next */
    int count[3];
    int row_of[MEMBERS]; /* -1: out */
    int64_t round, got[MEMBERS], left[MEMBERS];
};

static void model_put(struct model *m, int who, int row)
{
    m->rows[row][m->count[row]++] = who;
    m->row_of[who] = row;
}

static void model_leave(struct model *m, int who)
{
    int row = m->row_of[who], at = 0;
    while (m->rows[row][at] != who)
        at++;
    memmove(&m->rows[row][at], &m->rows[row][at + 1], sizeof(int) * (size_t)(--m->count[row] - at));
    m->row_of[who] = -1;
}

static void model_refill(struct model *m, int who)
{
    if (m->got[who] != m->round)
        m->left[who] = (m->left[who] < 0 ? m->left[who] : 0) + Q;
    m->got[who] = m->round;
}

static void model_enter(struct model *m, int who)
{
    model_refill(m, who);
    model_put(m, who, m->left[who] > 0 ? 0 : 2);
}

static int model_head(struct model *m)
{
    if (m->count[0] > 0)
        return m->rows[0][0];
    if (m->count[1] == 0) {
        if (m->count[2] == 0)
            return -1;
        m->round++;
        memcpy(m->rows[1], m->rows[2], sizeof(m->rows[1]));
        m->count[1] = m->count[2];
        m->count[2] = 0;
        for (int i = 0; i < m->count[1]; i++)
            m->row_of[m->rows[1][i]] = 1;
    }
    model_refill(m, m->rows[1][0]);
    return m->rows[1][0];
}

static void model_charge(struct model *m, int who, int64_t octets)
{
    m->left[who] -= octets;
    if (m->left[who] > 0)
        return;
    model_leave(m, who);
    model_put(m, who, 2);
}

static void random_step(struct turns *t, struct turn *turns, struct model *m, uint64_t *seed)
{
    int who = (int)prng_below(seed, MEMBERS);
    uint32_t octets = (uint32_t)prng_between(seed, 1, Q);
    if (prng_below(seed, 3) == 0) {
        struct turn *head = turns_head(t);
        int expected = model_head(m);
        assert_ptr_equal(head, expected < 0 ? NULL : &turns[expected]);
        if (!head)
            return;
        turns_charge(t, head, octets);
        model_charge(m, expected, octets);
    } else if (turns[who].place == TURNS_OUT) {
        turns_enter(t, &turns[who]);
        model_enter(m, who);
    } else if (prng_below(seed, 2) == 0) {
        turns_leave(t, &turns[who]);
        model_leave(m, who);
    }
    assert_int_equal(t->count, m->count[0] + m->count[1] + m->count[2]);
}

TEST(turns_as_the_model_has_them)
{
    struct turns t = {.round = UINT16_MAX - 1000};
    struct turn turns[MEMBERS] = {0};
    struct model m = {0};
    uint64_t seed = 1;
    for (int i = 0; i < MEMBERS; i++) {
        turns_forget(&t, &turns[i]);
        m.got[i] = m.row_of[i] = -1;
    }
    for (int i = 0; i < STEPS; i++)
        random_step(&t, turns, &m, &seed);
    assert_in_range(m.round, 2000, STEPS); /* the number has wrapped */
}

/* --- fairness --- */

/* Some always have something to send, some leave after whatever they sent and come back at once, or later. */
static const struct {
    const char *name;
    uint32_t low_octets[4], high_octets[4];
    uint8_t away_percent[4]; /* how often it leaves when it has sent; 100: always, back before the next */
} loads[] = {
    {"equal", {1000, 1000, 1000, 1000}, {1000, 1000, 1000, 1000}, {0}},
    {"large and small", {1526, 1, 40, 700}, {1526, 1, 1526, 701}, {0}},
    ROW("one that is parked after whatever it sends", {500, 500, 500, 500}, {500, 500, 500, 500},
        {100, 0, 0, 0}),
    ROW("two such, the one with large, the other with small", {1526, 30, 500, 1}, {1526, 60, 500, 1526},
        {100, 100, 0, 0}),
    {"away now and then", {900, 900, 40, 40}, {1500, 900, 1526, 40}, {50, 10, 0, 0}},
};

static void assert_fair(const uint64_t *octets, const uint8_t *away_percent, const char *name)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < 4; i++) {
        if (away_percent[i] == 0 && octets[i] < least)
            least = octets[i];
        if (octets[i] > most)
            most = octets[i];
    }
    if (most > least + 2 * Q)
        fail_msg("%s: one has sent %llu, another that had always something to send %llu", name,
                 (unsigned long long)most, (unsigned long long)least);
}

static void share_out(size_t row)
{
    struct turns t = {0};
    struct turn turns[4] = {0};
    uint64_t octets[4] = {0}, seed = row + 1;
    for (int i = 0; i < 4; i++)
        turns_forget(&t, &turns[i]);
    for (int n = 0; n < 20000; n++) {
        for (int i = 0; i < 4; i++)
            if (turns[i].place == TURNS_OUT &&
                prng_below(&seed, 100) < loads[row].away_percent[i] + (n == 0) * 100U)
                turns_enter(&t, &turns[i]);
        struct turn *turn = turns_head(&t);
        int who = (int)(turn - turns);
        uint32_t length =
            (uint32_t)prng_between(&seed, loads[row].low_octets[who], loads[row].high_octets[who]);
        turns_charge(&t, turn, length);
        octets[who] += length;
        if (prng_below(&seed, 100) < loads[row].away_percent[who])
            turns_leave(&t, turn);
        assert_fair(octets, loads[row].away_percent, loads[row].name);
    }
    assert_in_range(octets[0], 1000, UINT64_MAX);
}

TEST(nobody_gets_more_than_the_others)
{
    for (size_t i = 0; i < COUNT(loads); i++)
        share_out(i);
}

UNIT_MAIN(NULL, NULL)
