/* SPDX-License-Identifier: BSD-3-Clause */
/* Steers frames to workers by rules of the network card, or by its hash. */
#include "dataplane/ports/device.h"

#include <rte_byteorder.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#define OUTERS    2 /* IPv4, IPv6 */
#define GTP_TYPES 2

/* Drivers take one or the other type of item for GTP-U. */
static const enum rte_flow_item_type gtp_types[GTP_TYPES] = {RTE_FLOW_ITEM_TYPE_GTPU, RTE_FLOW_ITEM_TYPE_GTP};
static const enum rte_flow_item_type outers[OUTERS] = {RTE_FLOW_ITEM_TYPE_IPV4, RTE_FLOW_ITEM_TYPE_IPV6};

static const struct rte_flow_attr ingress = {.ingress = 1};

/* A rule for G-PDUs over one IP version. With a mask the TEID must be `teid` in the bits of the mask. */
struct rule {
    struct rte_flow_item_gtp teid, mask;
    struct rte_flow_item items[5];
};

static void steer_make(struct rule *rule, enum rte_flow_item_type outer, enum rte_flow_item_type gtp,
                       uint32_t teid, uint32_t mask)
{
    *rule = (struct rule){
        .teid = {.teid = rte_cpu_to_be_32(teid)},
        .mask = {.teid = rte_cpu_to_be_32(mask)},
        .items = {{.type = RTE_FLOW_ITEM_TYPE_ETH},
                  {.type = outer},
                  {.type = RTE_FLOW_ITEM_TYPE_UDP},
                  {.type = gtp},
                  {.type = RTE_FLOW_ITEM_TYPE_END}},
    };
    if (mask) {
        rule->items[3].spec = &rule->teid;
        rule->items[3].mask = &rule->mask;
    }
}

static struct rte_flow *steer_add(uint16_t port_id, const struct rule *rule,
                                  const struct rte_flow_action *actions)
{
    struct rte_flow_error error = {0};
    if (rte_flow_validate(port_id, &ingress, rule->items, actions, &error) != 0)
        return NULL;
    return rte_flow_create(port_id, &ingress, rule->items, actions, &error);
}

static void destroy(uint16_t port_id, struct rte_flow *const *flows, unsigned count)
{
    struct rte_flow_error error;
    for (unsigned i = 0; i < count; i++)
        rte_flow_destroy(port_id, flows[i], &error);
}

static bool add_worker(uint16_t port_id, uint16_t worker, unsigned teid_shift, enum rte_flow_item_type gtp,
                       struct rte_flow **flows)
{
    const struct rte_flow_action_queue queue = {.index = worker};
    const struct rte_flow_action actions[] = {{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue},
                                              {.type = RTE_FLOW_ACTION_TYPE_END}};
    struct rule rule;
    for (unsigned i = 0; i < OUTERS; i++) {
        steer_make(&rule, outers[i], gtp, (uint32_t)worker << teid_shift, UINT32_MAX << teid_shift);
        flows[i] = steer_add(port_id, &rule, actions);
        if (!flows[i]) {
            destroy(port_id, flows, i);
            return false;
        }
    }
    return true;
}

bool device_steer_to_workers(uint16_t port_id, uint16_t queues, unsigned teid_shift)
{
    struct rte_flow *flows[DEVICE_QUEUES * OUTERS];
    for (unsigned type = 0; type < GTP_TYPES; type++) {
        uint16_t done = 0;
        while (done < queues && add_worker(port_id, done, teid_shift, gtp_types[type], &flows[done * OUTERS]))
            done++;
        if (done == queues)
            return true;
        destroy(port_id, flows, done * OUTERS);
    }
    return false;
}

bool device_steer_by_hash(uint16_t port_id, uint16_t queues)
{
    uint16_t list[DEVICE_QUEUES];
    for (uint16_t i = 0; i < queues; i++)
        list[i] = i;
    const struct rte_flow_action_rss rss = {.types = RTE_ETH_RSS_GTPU, .queue_num = queues, .queue = list};
    const struct rte_flow_action actions[] = {{.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss},
                                              {.type = RTE_FLOW_ACTION_TYPE_END}};
    struct rte_flow *flows[OUTERS];
    for (unsigned type = 0; type < GTP_TYPES; type++) {
        struct rule rule;
        unsigned done = 0;
        for (; done < OUTERS; done++) {
            steer_make(&rule, outers[done], gtp_types[type], 0, 0);
            flows[done] = steer_add(port_id, &rule, actions);
            if (!flows[done])
                break;
        }
        if (done == OUTERS)
            return true;
        destroy(port_id, flows, done);
    }
    return false;
}
