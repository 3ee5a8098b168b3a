/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/compression.h"
#include "dataplane/compression/compression_pool.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { SAPI = 3, NSAPI = 5, DCOMP = 1, OCTETS = 400, ROOM = 128 };

static const struct compression_settings settings = {
    .entities = 1, .codewords = 2048, .string_octets = 20, .directions = 3, .is_acknowledged = true};

/* An end of an entity of V.42bis. */
struct side {
    struct compression_pool pool;
    struct compression_scratch scratch;
    struct compression_entity *entity;
};

static void begin(struct side *side, unsigned p0, bool is_network)
{
    const struct compression_params params = {.nsapis = 1u << NSAPI,
                                              .codewords = 2048,
                                              .string_octets = 20,
                                              .directions = (uint8_t)p0,
                                              .kind = COMPRESSION_V42BIS,
                                              .sapi = SAPI,
                                              .first = DCOMP};
    assert_true(compression_pool_new(&side->pool, &settings));
    assert_true(compression_scratch_new(&side->scratch, &settings));
    side->entity = compression_pool_take(&side->pool, COMPRESSION_V42BIS);
    compression_start(side->entity, &params, is_network);
}

static void finish(struct side *side)
{
    compression_pool_return(side->entity);
    compression_pool_free(&side->pool);
    compression_scratch_free(&side->scratch);
}

/* An N-PDU that compresses well goes from one end to the other: whether it was compressed. */
static bool passes(struct side *from, struct side *to, bool is_acknowledged)
{
    uint8_t octets[ROOM + COMPRESSION_NPDU_OCTETS];
    struct compression_n_pdu n_pdu = {.data = octets + ROOM,
                                      .octets = OCTETS,
                                      .sapi = SAPI,
                                      .nsapi = NSAPI,
                                      .is_acknowledged = is_acknowledged};
    memset(n_pdu.data, 'a', OCTETS);
    compression_pack(from->entity, &from->scratch, &n_pdu);
    bool is_compressed = n_pdu.comp == DCOMP << 4;
    if (is_compressed)
        assert_int_equal(compression_unpack(to->entity, &to->scratch, &n_pdu, ROOM), COMPRESSION_DONE);
    assert_int_equal(n_pdu.octets, OCTETS);
    return is_compressed;
}

/* TS 44.065 6.6.2: 1 is the direction from the mobile to the SGSN alone, 2 the other one, 3 both. */
static const struct {
    unsigned p0;
    bool is_up, is_down;
} p0_rows[] = {{0, false, false}, {1, true, false}, {2, false, true}, {3, true, true}};

TEST(p0_names_the_directions)
{
    for (size_t i = 0; i < 2 * COUNT(p0_rows); i++) {
        bool is_acknowledged = i >= COUNT(p0_rows);
        const unsigned p0 = p0_rows[i % COUNT(p0_rows)].p0;
        struct side mobile, network;
        begin(&mobile, p0, false);
        begin(&network, p0, true);
        assert_int_equal(passes(&mobile, &network, is_acknowledged), p0_rows[i % COUNT(p0_rows)].is_up);
        assert_int_equal(passes(&network, &mobile, is_acknowledged), p0_rows[i % COUNT(p0_rows)].is_down);
        finish(&mobile);
        finish(&network);
    }
}

/* What comes in a direction that was not agreed on is not decompressed. */
TEST(the_other_direction_is_refused)
{
    for (unsigned p0 = 1; p0 <= 2; p0++) {
        struct side both, one;
        uint8_t octets[ROOM + COMPRESSION_NPDU_OCTETS];
        const bool is_one_network = p0 == 2; /* which does not receive */
        struct compression_n_pdu n_pdu = {
            .data = octets + ROOM, .octets = OCTETS, .sapi = SAPI, .nsapi = NSAPI};
        begin(&both, 3, !is_one_network);
        begin(&one, p0, is_one_network);
        memset(n_pdu.data, 'a', OCTETS);
        compression_pack(both.entity, &both.scratch, &n_pdu);
        assert_int_equal(n_pdu.comp, DCOMP << 4);
        assert_int_equal(compression_unpack(one.entity, &one.scratch, &n_pdu, ROOM), COMPRESSION_BAD_DATA);
        assert_int_equal(one.entity->received.lost, 1);
        finish(&both);
        finish(&one);
    }
}

UNIT_MAIN(NULL, NULL)
