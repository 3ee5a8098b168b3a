/* SPDX-License-Identifier: BSD-3-Clause */
/* What links and entities of compression have, of mobiles that end on the way between workers: N-PDUs that
 * wait for their confirmation, and memory. cluster_close() holds that all buffers came back. */
#include "dataplane/compression/compression_pool.h"
#include "tests/unit/dataplane/shard/subscriber.h"

#include <string.h>

enum { ENTITIES = 4, BLOCKS = 2 * ENTITIES, UNCONFIRMED = 5 };

#define SETTINGS                                                                                             \
    {                                                                                                        \
        .entities = ENTITIES, .slots = 4, .codewords = 512, .string_octets = 6, .directions = 3              \
    }

static const struct compression_settings settings = SETTINGS;

static const struct compression_params rfc1144 = {.nsapis = 1u << KIT_NSAPI,
                                                  .slots = 4,
                                                  .kind = COMPRESSION_RFC1144,
                                                  .sapi = KIT_SAPI,
                                                  .first = 1,
                                                  .second = 2};

#define WITH_LINKS                                                                                           \
    .abm = {.links = 4,                                                                                      \
            .buffers = 64,                                                                                   \
            .values = {.n201_i_octets = 1503, .t200_ds = 200, .k_down = 16, .k_up = 8, .n200 = 3}}

static const struct cluster_options options = {WITH_LINKS, .compression = SETTINGS},
                                    uncompressed = {WITH_LINKS};

static struct compression_pool pool;

static void ignore(void *unused_arg, unsigned unused_worker, const uint8_t *unused_frame,
                   size_t unused_octets)
{
}

static void open_all(struct cluster *c, const struct cluster_options *given)
{
    cluster_open(c, given);
    assert_true(compression_pool_new(&pool, &settings));
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    c->on_gb = ignore;
}

static void close_all(struct cluster *c)
{
    cluster_close(c);
    compression_pool_free(&pool);
}

static unsigned free_entities(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < BLOCKS; i++) {
        const uint8_t *block = pool.blocks[COMPRESSION_RFC1144] + i * pool.block_octets[COMPRESSION_RFC1144];
        count += !((const struct compression_entity *)(const void *)block)->is_taken;
    }
    return count;
}

static struct msg new_entity(unsigned worker, uint8_t number)
{
    struct msg order = {.type = MSG_MS_COMPRESSION,
                        .slot = subscriber_slot(0, worker),
                        .compression = {compression_pool_take(&pool, COMPRESSION_RFC1144), rfc1144}};
    assert_non_null(order.compression.memory);
    order.compression.params.sapi = (uint8_t)(KIT_SAPI + 2 * number); /* which has one entity of a kind */
    return order;
}

static struct gb_abm_link *link_at(const struct cluster *c, unsigned worker)
{
    return gb_abm_find(c->nodes[worker].worker, subscriber_slot(0, worker), KIT_SAPI);
}

/* Two entities, and N-PDUs in acknowledged mode that the mobile does not confirm. */
static void fill(struct cluster *c)
{
    const struct llc ua = {.format = LLC_U, .command = LLC_UA, .sapi = KIT_SAPI, .cr = true, .pf = true};
    const struct msg mode = {
        .type = MSG_PDP_LLC, .slot = subscriber_pdp_slot(0, 0, 0), .llc_mode = {.is_acknowledged = true}};
    cluster_do(c, 0, &mode);
    for (uint8_t i = 0; i < 2; i++) {
        struct msg order = new_entity(0, i);
        cluster_do(c, 0, &order);
    }
    assert_true(subscriber_send(subscribers, 0, 0, 100));
    cluster_settle(c);
    link_receive_u(&link_at(c, 0)->link, &ua, NULL, c->now);
    gb_abm_touch(c->nodes[0].worker, link_at(c, 0), c->now);
    for (unsigned i = 1; i < UNCONFIRMED; i++)
        assert_true(subscriber_send(subscribers, 0, 0, 100));
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 0)->abm_held, UNCONFIRMED);
    assert_int_equal(free_entities(), BLOCKS - 2);
}

static void go_nowhere(struct cluster *c)
{
    fill(c);
    assert_int_equal(subscriber_go(subscribers, 0, 1, CLUSTER_CELLS), -1);
    assert_int_equal(cluster_stats(c, 0)->abm_held, 0);
    assert_int_equal(free_entities(), BLOCKS - 2);
}

/* Deleted where it is, away or nowhere, it gives all back. */
TEST(deleted)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(0, 0)};
        struct cluster c;
        open_all(&c, &options);
        if (i == 2)
            go_nowhere(&c);
        else
            fill(&c);
        if (i == 1)
            assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
        cluster_do(&c, 0, &del);
        assert_int_equal(free_entities(), BLOCKS);
        close_all(&c);
    }
}

/* A context that ends nowhere leaves nothing to another one with its NSAPI, which begins with N-PDU 0. */
TEST_IN(context_deleted_nowhere, struct cluster, c, open_all(c, &options), close_all(c))
{
    const struct msg del = {.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(0, 0, 0)};
    go_nowhere(c);
    cluster_do(c, 0, &del);
    struct msg add = subscriber_add_context(subscribers, 0, 0);
    add.pdp.is_acknowledged = true;
    cluster_do(c, 0, &add);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    const struct gb_abm_link *l = link_at(c, 1);
    assert_non_null(l);
    assert_null(l->link.queue.head);
    assert_int_equal(l->link.next_number[0], 0);
    assert_int_equal(cluster_stats(c, 1)->abm_held, 0);
    assert_int_equal(free_entities(), BLOCKS - 2);
}

/* Without such an end all go along. */
TEST_IN(moved_from_nowhere, struct cluster, c, open_all(c, &options), close_all(c))
{
    go_nowhere(c);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    assert_int_equal(cluster_stats(c, 1)->abm_held, UNCONFIRMED);
    assert_int_equal(link_at(c, 1)->link.next_number[0], UNCONFIRMED);
    assert_int_equal(cluster_stats(c, 1)->compression_entities, 2);
}

/* They are of the context that the slot has there, which was filled once before. */
TEST_IN(moved_again, struct cluster, c, open_all(c, &options), close_all(c))
{
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(subscriber_go(subscribers, 0, 1 - i, 0), 0);
    fill(c);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    for (const struct n_pdu *n_pdu = link_at(c, 1)->link.queue.head; n_pdu; n_pdu = n_pdu->next, count++) {
        assert_int_equal(n_pdu->pdp, subscriber_pdp_slot(0, 0, 1));
        assert_int_equal(n_pdu->generation, 2);
    }
    assert_int_equal(count, UNCONFIRMED);
}

/* An order for a mobile that has left the worker, or is nowhere: its memory goes back. */
TEST(refused)
{
    for (unsigned i = 0; i < 2; i++) {
        struct cluster c;
        open_all(&c, &options);
        assert_int_equal(subscriber_go(subscribers, 0, 1, i == 1 ? CLUSTER_CELLS : 0), i == 1 ? -1 : 0);
        struct msg order = new_entity(0, 0);
        assert_int_equal(cluster_order(&c, 0, &order), -1);
        assert_int_equal(free_entities(), BLOCKS);
        close_all(&c);
    }
}

/* The same of one that is to begin and to end at once, and of a worker without compression. */
TEST(refused_at_once)
{
    for (unsigned i = 0; i < 2; i++) {
        struct cluster c;
        open_all(&c, i == 1 ? &uncompressed : &options);
        struct msg order = new_entity(0, 0);
        if (i == 0)
            order.compression.params.nsapis = 0;
        assert_int_equal(cluster_order(&c, 0, &order), -1);
        assert_int_equal(free_entities(), BLOCKS);
        close_all(&c);
    }
}

UNIT_MAIN(subscriber_start, subscriber_stop)
