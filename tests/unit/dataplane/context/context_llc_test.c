/* SPDX-License-Identifier: BSD-3-Clause */
/* Which key and INPUT a frame is ciphered with: before, at and after switches. */
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/context/llc.h"

#include <string.h>

static const struct llc_cipher_params gea3 = {.algorithm = 3, .kc_octets = 8, .kc = {1, 2, 3, 4, 5, 6, 7, 8}};
static const struct llc_cipher_params gea4 = {
    .algorithm = 4, .kc_octets = 16, .kc = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6}, .iov_ui = 77};
static const struct llc_cipher_params off = {.algorithm = 0};

struct input_row {
    uint32_t iov_ui;
    uint8_t sapi;
    uint32_t count, input;
};

static const struct input_row input_rows[] = {
    {0, 3, 26, 0x9800001a},         {0, 3, 20, 0x98000014},         {0x12345678, 3, 5, 0x8a34567d},
    {0, 1, 0, 0x88000000},          {0, 11, 511, 0xd80001ff},       {0, 11, 512, 0xd8000200},
    {0xffffffff, 3, 1, 0x68000000}, {0x67ffffff, 3, 1, 0x00000000}, {0x67ffffff, 3, 513, 0x00000200},
};

TEST(inputs)
{
    for (size_t i = 0; i < COUNT(input_rows); i++) {
        const struct input_row *row = &input_rows[i];
        assert_int_equal(llc_cipher_input(row->iov_ui, row->sapi, row->count), row->input);
    }
}

static void fresh(struct llc_cipher *c, struct llc_entity *entities)
{
    *c = (struct llc_cipher){0};
    for (unsigned i = 0; i < LLC_CIPHER_SAPIS; i++)
        entities[i] = (struct llc_entity){.vu = 1000 * i, .vur = 700 * i};
}

TEST(switched)
{
    struct llc_cipher c;
    struct llc_entity entities[LLC_CIPHER_SAPIS];

    fresh(&c, entities);
    assert_false(llc_cipher_is_on(&c));
    assert_int_equal(llc_cipher_switch(&c, entities, &gea3), 0);
    assert_true(llc_cipher_is_on(&c));
    assert_memory_equal(c.now.key, gea3.kc, 8);
    assert_memory_equal(c.now.key + 8, gea3.kc, 8);
    for (unsigned i = 0; i < LLC_CIPHER_SAPIS; i++) {
        assert_int_equal(entities[i].vu, 1000 * i % 512);
        assert_int_equal(entities[i].vur, 700 * i % 512);
    }
    assert_int_equal(llc_cipher_switch(&c, entities, &gea4), 0);
    assert_memory_equal(c.now.key, gea4.kc, 16);
    assert_int_equal(c.now.iov_ui, 77);
    assert_int_equal(llc_cipher_switch(&c, entities, &off), 0);
    assert_false(llc_cipher_is_on(&c));
}

struct refusal_row {
    const char *name;
    int rc;
    struct llc_cipher_params params;
};

static const struct refusal_row refusal_rows[] = {
    {"GEA1", ERR_UNSUPPORTED, {.algorithm = 1, .kc_octets = 8}},
    {"GEA2", ERR_UNSUPPORTED, {.algorithm = 2, .kc_octets = 8}},
    {"GEA5", ERR_UNSUPPORTED, {.algorithm = 5, .kc_octets = 16}},
    {"no algorithm", ERR_UNSUPPORTED, {.algorithm = 9, .kc_octets = 16}},
    {"a long key for GEA3", ERR_RANGE, {.algorithm = 3, .kc_octets = 16}},
    {"a short key for GEA4", ERR_RANGE, {.algorithm = 4, .kc_octets = 8}},
    {"no key", ERR_RANGE, {.algorithm = 3}},
    {"the key in force",
     ERR_MALFORMED,
     {.algorithm = 3, .kc_octets = 8, .kc = {1, 2, 3, 4, 5, 6, 7, 8}, .iov_ui = 0}},
    {"the same as GEA4's, which is the same keystream",
     ERR_MALFORMED,
     {.algorithm = 4, .kc_octets = 16, .kc = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}}},
    {"the key before",
     ERR_MALFORMED,
     {.algorithm = 4, .kc_octets = 16, .kc = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6}, .iov_ui = 77}},
    {"the key before, another IOV-UI",
     0,
     {.algorithm = 4, .kc_octets = 16, .kc = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6}, .iov_ui = 78}},
};

/* A refused switch changes nothing. */
TEST(refused)
{
    for (size_t i = 0; i < COUNT(refusal_rows); i++) {
        struct llc_cipher c, before;
        struct llc_entity entities[LLC_CIPHER_SAPIS];
        fresh(&c, entities);
        assert_int_equal(llc_cipher_switch(&c, entities, &gea4), 0);
        assert_int_equal(llc_cipher_switch(&c, entities, &gea3), 0);
        entities[1].vu = 3000;
        before = c;
        if (llc_cipher_switch(&c, entities, &refusal_rows[i].params) != refusal_rows[i].rc)
            fail_msg("%s: not %d", refusal_rows[i].name, refusal_rows[i].rc);
        if (refusal_rows[i].rc == 0)
            continue;
        assert_memory_equal(c.now.key, before.now.key, sizeof(c.now.key));
        assert_int_equal(c.now.algorithm, before.now.algorithm);
        assert_int_equal(entities[1].vu, 3000);
    }
}

TEST(off_again)
{
    struct llc_cipher c;
    struct llc_entity entities[LLC_CIPHER_SAPIS];
    fresh(&c, entities);
    assert_int_equal(llc_cipher_switch(&c, entities, &off), 0);
    assert_int_equal(llc_cipher_switch(&c, entities, &off), 0);
    assert_int_equal(llc_cipher_switch(&c, entities, &gea3), 0);
    assert_int_equal(llc_cipher_switch(&c, entities, &off), 0);
    assert_int_equal(llc_cipher_switch(&c, entities, &gea3), ERR_MALFORMED);
}

/* Frames received around a switch at V(UR) = vur (OC included): which key, and the count that goes with it.
 */
struct received_row {
    const char *name;
    uint32_t vur;
    uint16_t nu;
    bool is_before;
    uint32_t count;
};

static const struct received_row received_rows[] = {
    {"the next", 1034, 10, false, 10},
    {"further ahead", 1034, 489, false, 489},
    {"late by one: OC of before", 1034, 9, true, 1033},
    {"late by 32", 1034, 490, true, 1034 - 32},
    {"late over a wrap, OC 512 of before", 1034, 511, true, 1023},
    {"one too old for late is of the next turn", 1034, 489, false, 489},
    {"switch at 0", 1024, 0, false, 0},
    {"late before 0", 1024, 511, true, 1023},
    {"switch at the very beginning", 0, 0, false, 0},
};

TEST(received)
{
    for (size_t i = 0; i < COUNT(received_rows); i++) {
        const struct received_row *row = &received_rows[i];
        struct llc_cipher c = {0};
        struct llc_entity entities[LLC_CIPHER_SAPIS] = {{0}};
        assert_int_equal(llc_cipher_switch(&c, entities, &gea3), 0);
        entities[1].vur = row->vur;
        assert_int_equal(llc_cipher_switch(&c, entities, &gea4), 0);
        uint32_t count = llc_entity_count(&entities[1], row->nu);
        const struct llc_key *key = llc_cipher_received(&c, 1, &count);
        if (key != (row->is_before ? &c.before : &c.now) || count != row->count)
            fail_msg("%s: count %u", row->name, count);
    }
}

/* Long after a switch everything is of the new key, late frames too. */
TEST(received_later)
{
    struct llc_cipher c = {0};
    struct llc_entity entities[LLC_CIPHER_SAPIS] = {{0}};
    entities[2].vur = 5000;
    assert_int_equal(llc_cipher_switch(&c, entities, &gea3), 0);
    uint32_t from = entities[2].vur;
    for (uint32_t sent = from; sent < from + 3000; sent++) {
        uint32_t count = sent;
        assert_ptr_equal(llc_cipher_received(&c, 2, &count), &c.now);
        assert_int_equal(count, sent);
    }
}

/* --- N(U) and the overflow counter: given out, and taken or refused --- */

static bool take(struct llc_entity *e, uint16_t nu)
{
    return llc_entity_accept(e, llc_entity_count(e, nu));
}

TEST(given_out)
{
    struct llc_entity e = {0};
    for (unsigned i = 0; i < 1100; i++) {
        uint32_t count = llc_entity_take(&e);
        assert_int_equal(llc_entity_nu(count), i % 512);
        assert_int_equal(count - llc_entity_nu(count), i / 512 * 512);
    }
    assert_int_equal(e.vur, 0);
}

/* What a number is counted as: OC steps where N(U) wraps, and not a frame before. */
struct counted_row {
    const char *name;
    uint32_t vur;
    uint16_t nu;
    uint32_t count;
};

static const struct counted_row counted_rows[] = {
    {"the first", 0, 0, 0},
    {"511, expected: the old OC", 511, 511, 511},
    {"0 after it: OC + 512", 512, 0, 512},
    {"511 and 0 lost", 511, 1, 513},
    {"as many lost as can be", 511, 478, 511 + 479},
    {"one more would be late", 511, 479, 479},
    {"511, late, after the wrap: OC - 512", 512 + 7, 511, 511},
    {"the oldest late one, before the wrap", 512 + 7, 487, 487},
    {"too old: of the next turn", 512 + 7, 486, 512 + 486},
    {"511 of the third turn", 3 * 512 - 1, 511, 3 * 512 - 1},
    {"0 of the fourth", 3 * 512, 0, 3 * 512},
    {"32 bits wrap", UINT32_MAX, 0, 0},
    {"late before the first", 0, 511, UINT32_MAX},
};

TEST(counted)
{
    for (size_t i = 0; i < COUNT(counted_rows); i++) {
        struct llc_entity e = {.vur = counted_rows[i].vur};
        if (llc_entity_count(&e, counted_rows[i].nu) != counted_rows[i].count)
            fail_msg("%s: %u", counted_rows[i].name, llc_entity_count(&e, counted_rows[i].nu));
    }
}

/* A sender and a receiver count alike over many wraps, whatever is lost and comes late. */
TEST(counted_alike)
{
    struct llc_entity sender = {0}, receiver = {0};
    uint32_t random = 1, late[4];
    unsigned lates = 0;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t count = llc_entity_take(&sender);
        random = random * 1664525 + 1013904223;
        unsigned fate = random >> 28;
        if (fate < 8 && i % 8 == 0) { /* a gap */
            sender.vu += random >> 16 & 255;
        } else if (fate < 4 && lates < COUNT(late)) {
            late[lates++] = count;
        } else {
            assert_int_equal(llc_entity_count(&receiver, llc_entity_nu(count)), count);
            assert_true(llc_entity_accept(&receiver, count));
        }
        while (lates > 0 && receiver.vur - late[lates - 1] <= 32 && receiver.vur - late[lates - 1] > 20) {
            assert_int_equal(llc_entity_count(&receiver, llc_entity_nu(late[lates - 1])), late[lates - 1]);
            assert_true(llc_entity_accept(&receiver, late[--lates]));
        }
        while (lates > 0 && receiver.vur - late[lates - 1] > 32 && receiver.vur > late[lates - 1])
            lates--;
    }
    assert_true(receiver.vur > 100 * 512);
}

TEST(restarted)
{
    struct llc_entity e = {.vu = 5 * 512 + 7, .vur = 3 * 512 + 511, .seen = 5};
    llc_entity_restart_overflow(&e);
    assert_int_equal(e.vu, 7);
    assert_int_equal(e.vur, 511);
    assert_int_equal(e.seen, 5);
    assert_false(take(&e, 510));
    assert_true(take(&e, 509));
    assert_true(take(&e, 511));
    assert_int_equal(e.vur, 512);
}

struct receipt {
    uint16_t nu;
    bool is_taken;
};

struct receipt_row {
    const char *name;
    uint16_t vur; /* after all before it came */
    struct receipt receipts[8];
    uint16_t count, vur_after;
};

static const struct receipt_row rows[] = {
    {"in order", 10, {{10, 1}, {11, 1}}, 2, 12},
    {"twice", 10, {{10, 1}, {10, 0}, {9, 0}}, 3, 11},
    {"511, then 0", 511, {{511, 1}, {0, 1}, {511, 0}, {0, 0}}, 4, 1},
    {"one missing comes late, once", 10, {{12, 1}, {11, 1}, {11, 0}, {10, 1}, {10, 0}, {12, 0}}, 6, 13},
    {"oldest of the window seen", 100, {{68, 0}}, 1, 100},
    {"one behind the window is new", 100, {{67, 1}, {67, 0}, {68, 1}}, 3, 69},
    {"leap of 31: the last before it still seen", 100, {{130, 1}, {99, 0}, {100, 1}}, 3, 131},
    {"leap of 32: nothing before it known", 100, {{131, 1}, {100, 1}, {100, 0}, {130, 1}}, 4, 132},
    {"leap of 200", 100, {{300, 1}, {299, 1}, {299, 0}, {269, 1}, {268, 1}}, 5, 269},
    {"late over the end", 2, {{5, 1}, {4, 1}, {511, 0}, {2, 1}, {3, 1}, {3, 0}}, 6, 6},
    {"missing before the end", 511, {{1, 1}, {511, 1}, {0, 1}, {0, 0}, {511, 0}}, 5, 2},
    {"as far ahead as can be", 100, {{67, 1}}, 1, 68},
};

static void receive_before(struct llc_entity *e, uint16_t vur)
{
    *e = (struct llc_entity){.vur = vur + 512 - 40};
    for (unsigned i = 40; i > 0; i--)
        assert_true(take(e, (uint16_t)((vur + 512 - i) % 512)));
    assert_int_equal(llc_entity_nu(e->vur), vur);
}

TEST(entity_received)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct llc_entity e;
        receive_before(&e, rows[i].vur);
        for (unsigned k = 0; k < rows[i].count; k++)
            if (take(&e, rows[i].receipts[k].nu) != rows[i].receipts[k].is_taken)
                fail_msg("%s: %u", rows[i].name, rows[i].receipts[k].nu);
        if (llc_entity_nu(e.vur) != rows[i].vur_after)
            fail_msg("%s: V(UR) is %u", rows[i].name, e.vur);
    }
}

/* Nothing came yet: every number is taken once. */
TEST(first_of_all)
{
    for (uint16_t nu = 0; nu < 512; nu++) {
        struct llc_entity e = {0};
        assert_true(take(&e, nu));
        assert_false(take(&e, nu));
    }
}

/* A pass over all numbers against a list of what was seen; from each, every distance. */
TEST(against_a_list)
{
    for (int step = -40; step < 480; step++) {
        struct llc_entity e = {0};
        receive_before(&e, 77);
        uint16_t nu = (uint16_t)((77 + 512 + step) % 512);
        bool was_seen = step < 0 && step >= -32;
        assert_int_equal(take(&e, nu), !was_seen);
        assert_false(take(&e, nu));
    }
}

/* More was lost than N(U) can tell: none of the frames before was seen. */
TEST(leap)
{
    struct llc_entity e;
    receive_before(&e, 100);
    llc_entity_leap(&e, e.vur + 3 * 512);
    assert_int_equal(llc_entity_count(&e, 100), e.vur);
    assert_true(take(&e, 99));
    assert_true(take(&e, 100));
    assert_false(take(&e, 100));
}

/* Old, or so far ahead that the sender may have begun again; and no number is sent that a receiver which has
 * begun again would take for an old one. */
TEST(astray)
{
    struct llc_entity e;
    receive_before(&e, 300);
    static const struct {
        uint16_t nu;
        bool is_astray;
    } received[] = {{300, false}, {363, false}, {364, true}, {299, true},
                    {268, true},  {0, true},    {511, true}};
    for (size_t i = 0; i < COUNT(received); i++)
        assert_int_equal(llc_entity_is_astray(&e, llc_entity_count(&e, received[i].nu)),
                         received[i].is_astray);
    static const uint32_t sent[][2] = {{0, 0}, {479, 479}, {480, 512}, {511, 512}, {512, 512}, {1023, 1024}};
    for (size_t i = 0; i < COUNT(sent); i++) {
        struct llc_entity out = {.vu = sent[i][0]};
        llc_entity_leave_last(&out);
        assert_int_equal(out.vu, sent[i][1]);
    }
}

/* Sending moves nothing of receiving, and the other way round. */
TEST(directions)
{
    struct llc_entity e = {0};
    llc_entity_take(&e);
    assert_true(take(&e, 0));
    assert_true(take(&e, 1));
    assert_int_equal(llc_entity_take(&e), 1);
}

UNIT_MAIN(NULL, NULL)
