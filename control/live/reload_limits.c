/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/reload_limits.h"

#include "control/live/live.h"

static void order_queues(struct core *core, unsigned worker, const struct context_policy *policy)
{
    const struct sched_params *params = &policy->sched;
    struct msg msg = {.type = MSG_QUEUE_BOUNDS};
    msg.bounds = (struct sched_bounds){.ms_limit_pkts = params->ms_limit_pkts,
                                       .budget_pkts = params->budget_pkts,
                                       .reserve_pkts = params->reserve_pkts,
                                       .flow_quantum_octets = params->flow_quantum_octets};
    core_request(core, worker, &msg);
    msg.type = MSG_QUEUE_CLASS;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        msg.queue_class = (struct msg_queue_class){
            .qclass = k, .weight = params->weights[k], .limit = params->class_limits[k]};
        core_request(core, worker, &msg);
    }
}

static void order_times(struct core *core, unsigned worker, const struct context_policy *policy)
{
    struct msg msg = {.type = MSG_LIFETIME, .lifetime = policy->lifetime};
    core_request(core, worker, &msg);
    msg = (struct msg){.type = MSG_READY, .ready_ns = policy->ready_ns};
    core_request(core, worker, &msg);
}

/* Sends a request per MSG_MS_LIMITS slots, so that the worker can handle packets between them, up to the last
 * slot in use. */
static void order_mobiles(const struct live *live, struct core *core, unsigned worker, uint64_t octets)
{
    struct msg msg = {.type = MSG_MS_LIMIT, .ms_limit = {.count = MSG_MS_LIMITS, .octets = octets}};
    uint32_t end = live->node.config.limits.mobiles;
    while (end > 0 && !live->node.sessions.mobiles[end - 1].in_use)
        end--;
    for (; msg.ms_limit.first < end; msg.ms_limit.first += MSG_MS_LIMITS)
        core_request(core, worker, &msg);
}

/* A mobile during a move brings the old limit to a worker that has handled the requests above. */
static void order_moving(const struct live *live, struct core *core, uint64_t octets)
{
    struct msg msg = {.type = MSG_MS_LIMIT, .ms_limit = {.count = 1, .octets = octets}};
    for (uint32_t mobile = 0; mobile < live->node.config.limits.mobiles; mobile++) {
        msg.slot = msg.ms_limit.first = mobile;
        if (mobility_is_moving(&core->mobility, mobile))
            mobility_order_server(&core->mobility, mobile, &msg);
    }
}

static void order_reassemblies(struct core *core, unsigned worker, uint32_t count)
{
    const struct msg msg = {.type = MSG_REASSEMBLIES, .reassemblies = count};
    core_request(core, worker, &msg);
}

/* AQM schemes and the order within classes are set at the start and are not changed. */
static void take_over(struct node_config *to, const struct node_config *from)
{
    struct sched_params params = from->policy.sched;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        params.aqm[k] = to->policy.sched.aqm[k];
    params.fifo_classes = to->policy.sched.fifo_classes;
    params.sfq_classes = to->policy.sched.sfq_classes;
    params.flow_tags = to->policy.sched.flow_tags;
    params.room = to->policy.sched.room;
    to->policy.sched = params;
    to->policy.lifetime = from->policy.lifetime;
    to->mobiles.ready_ns = from->mobiles.ready_ns;
    to->mobiles.queue_limit_octets = from->mobiles.queue_limit_octets;
}

void live_reload_limits_apply(struct live *live, const struct node_config *config)
{
    struct core *core = &live->node.core;
    take_over(&live->node.config, config);
    for (unsigned worker = 0; worker < core->workers; worker++) {
        struct context_policy policy = node_policy_of(&live->node.config, worker);
        order_queues(core, worker, &policy);
        order_times(core, worker, &policy);
        order_mobiles(live, core, worker, config->mobiles.queue_limit_octets);
        order_reassemblies(core, worker, config->limits.reassemblies);
    }
    order_moving(live, core, config->mobiles.queue_limit_octets);
    sessions_limit(&live->node.sessions, config->limits.mobiles, config->limits.contexts);
}
