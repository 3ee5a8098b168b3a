/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules that bring G-PDUs to their worker's queue, at a card of the test's own in place of rte_flow: it
 * takes the kinds of rules of its row, keeps them, and finds the queue of a G-PDU by them. */
#include "dataplane/base/teid.h"
#include "dataplane/ports/device.h"
#include "tests/unit/unit.h"

#include <rte_byteorder.h>
#include <rte_flow.h>
#include <string.h>

#define PORT    7
#define RULES   64
#define QUEUES  5
#define NOWHERE 99

struct rule {
    enum rte_flow_item_type outer, gtp;
    uint32_t teid, mask;
    uint16_t queue;      /* of a rule on the TEID */
    uint16_t rss_queues; /* of a hash */
    bool is_there;
};

static struct card {
    bool has_ipv6, has_rules, has_hash;
    enum rte_flow_item_type gtp; /* the type of item that it takes */
    unsigned room;               /* rules that it has room for */
    struct rule rules[RULES];
    unsigned count, created, destroyed;
} card;

int __wrap_rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
                             const struct rte_flow_item *items, const struct rte_flow_action *actions,
                             struct rte_flow_error *error);
struct rte_flow *__wrap_rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
                                        const struct rte_flow_item *items,
                                        const struct rte_flow_action *actions, struct rte_flow_error *error);
int __wrap_rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error);

static bool read_rule(struct rule *rule, const struct rte_flow_item *items,
                      const struct rte_flow_action *action)
{
    *rule = (struct rule){.outer = items[1].type, .gtp = items[3].type, .queue = NOWHERE, .is_there = true};
    const struct rte_flow_item_gtp *spec = items[3].spec, *mask = items[3].mask;
    if (items[0].type != RTE_FLOW_ITEM_TYPE_ETH || items[2].type != RTE_FLOW_ITEM_TYPE_UDP ||
        items[4].type != RTE_FLOW_ITEM_TYPE_END || action[1].type != RTE_FLOW_ACTION_TYPE_END)
        return false;
    if (spec && mask) {
        rule->teid = rte_be_to_cpu_32(spec->teid);
        rule->mask = rte_be_to_cpu_32(mask->teid);
    }
    if (action[0].type == RTE_FLOW_ACTION_TYPE_QUEUE)
        rule->queue = ((const struct rte_flow_action_queue *)action[0].conf)->index;
    else if (action[0].type == RTE_FLOW_ACTION_TYPE_RSS)
        rule->rss_queues = (uint16_t)((const struct rte_flow_action_rss *)action[0].conf)->queue_num;
    bool is_hash = rule->rss_queues > 0;
    return (rule->outer == RTE_FLOW_ITEM_TYPE_IPV4 ||
            (rule->outer == RTE_FLOW_ITEM_TYPE_IPV6 && card.has_ipv6)) &&
           rule->gtp == card.gtp && (is_hash ? card.has_hash : card.has_rules);
}

int __wrap_rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
                             const struct rte_flow_item *items, const struct rte_flow_action *actions,
                             struct rte_flow_error *error)
{
    struct rule rule;
    assert_int_equal(port, PORT);
    assert_true(attr->ingress && !attr->egress);
    return read_rule(&rule, items, actions) ? 0 : -ENOTSUP;
}

struct rte_flow *__wrap_rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
                                        const struct rte_flow_item *items,
                                        const struct rte_flow_action *actions, struct rte_flow_error *error)
{
    if (card.created - card.destroyed == card.room)
        return NULL;
    assert_true(card.count < RULES);
    assert_true(read_rule(&card.rules[card.count], items, actions));
    card.created++;
    return (struct rte_flow *)&card.rules[card.count++];
}

int __wrap_rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error)
{
    struct rule *rule = (struct rule *)flow;
    assert_true(rule->is_there);
    rule->is_there = false;
    card.destroyed++;
    return 0;
}

static uint16_t queue_of(enum rte_flow_item_type outer, uint32_t teid)
{
    for (unsigned i = 0; i < card.count; i++)
        if (card.rules[i].is_there && card.rules[i].outer == outer &&
            ((teid ^ card.rules[i].teid) & card.rules[i].mask) == 0)
            return card.rules[i].queue;
    return NOWHERE;
}

static const struct {
    const char *name;
    struct card card;
    bool is_steered, is_hashed;
} rows[] = {
    {"reads GTPU", {true, true, true, RTE_FLOW_ITEM_TYPE_GTPU, RULES, {{0}}, 0, 0, 0}, true, true},
    {"reads GTP", {true, true, true, RTE_FLOW_ITEM_TYPE_GTP, RULES, {{0}}, 0, 0, 0}, true, true},
    {"no IPv6", {false, true, true, RTE_FLOW_ITEM_TYPE_GTPU, RULES, {{0}}, 0, 0, 0}, false, false},
    {"a hash only", {true, false, true, RTE_FLOW_ITEM_TYPE_GTPU, RULES, {{0}}, 0, 0, 0}, false, true},
    {"rules only", {true, true, false, RTE_FLOW_ITEM_TYPE_GTPU, RULES, {{0}}, 0, 0, 0}, true, false},
    {"too little room",
     {true, true, true, RTE_FLOW_ITEM_TYPE_GTPU, 2 * QUEUES - 1, {{0}}, 0, 0, 0},
     false,
     true},
    {"cannot read GTP", {true, true, true, RTE_FLOW_ITEM_TYPE_VXLAN, RULES, {{0}}, 0, 0, 0}, false, false},
};

/* Every TEID that a worker allocates comes to the worker's queue, or the card has no rule at all. */
TEST(to_workers)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        card = rows[i].card;
        bool is_steered = device_steer_to_workers(PORT, QUEUES, TEID_WORKER_SHIFT);
        if (is_steered != rows[i].is_steered)
            fail_msg("%s: %d", rows[i].name, is_steered);
        assert_int_equal(card.created - card.destroyed, is_steered ? 2 * QUEUES : 0);
        for (unsigned worker = 0; worker < QUEUES && is_steered; worker++)
            for (unsigned generation = 1; generation < 256; generation += 127)
                for (uint32_t slot = 0; slot < 1 << 20; slot = slot * 5 + 1) {
                    uint32_t teid = teid_make(worker, generation, slot, TEID_SLOT_BITS);
                    assert_int_equal(queue_of(RTE_FLOW_ITEM_TYPE_IPV4, teid), worker);
                    assert_int_equal(queue_of(RTE_FLOW_ITEM_TYPE_IPV6, teid), worker);
                }
        if (is_steered)
            assert_int_equal(queue_of(RTE_FLOW_ITEM_TYPE_IPV4, UINT32_C(0xf0000001)), NOWHERE);
    }
}

TEST(by_hash)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        card = rows[i].card;
        bool is_hashed = device_steer_by_hash(PORT, QUEUES);
        if (is_hashed != rows[i].is_hashed)
            fail_msg("%s: %d", rows[i].name, is_hashed);
        assert_int_equal(card.created - card.destroyed, is_hashed ? 2 : 0);
        for (unsigned k = 0; k < card.count; k++)
            if (card.rules[k].is_there)
                assert_int_equal(card.rules[k].rss_queues, QUEUES);
    }
}

UNIT_MAIN(NULL, NULL)
