/* SPDX-License-Identifier: BSD-3-Clause */
/* Which key and INPUT a frame is ciphered with: before, at and after switches. */
#include "dataplane/context/llc.h"

#include "dataplane/base/bytes.h"
#include "tests/unit/unit.h"

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

UNIT_MAIN(NULL, NULL)
