/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the worker of a message by its subject. */
#include "control/core/core.h"

#include <assert.h>

static void to_all(struct core *core, const struct msg *msg)
{
    assert(!msg_has_mbuf(msg->type));
    core_request_others(core, core->workers, msg);
}

static void to_nse(struct core *core, const struct msg *msg)
{
    core_request(core, core->config->nses[msg->slot].worker, msg);
}

static void to_nsvc(struct core *core, const struct msg *msg)
{
    core_request(core, node_config_worker_of_nsvc(core->config, msg->slot), msg);
}

static void to_bvc(struct core *core, const struct msg *msg)
{
    core_request(core, node_config_worker_of(core->config, (uint16_t)msg->slot), msg);
}

static void to_mobile(struct core *core, const struct msg *msg)
{
    mobility_order(&core->mobility, msg);
}

static void (*const ways[])(struct core *core, const struct msg *msg) = {
    [MSG_BY_NONE] = to_all,       [MSG_BY_NSE] = to_nse,
    [MSG_BY_NSVC] = to_nsvc,      [MSG_BY_BVC] = to_bvc,
    [MSG_BY_HOME_MS] = to_mobile, [MSG_BY_MS] = to_mobile,
    [MSG_BY_NEW_PDP] = to_mobile, [MSG_BY_PDP] = to_mobile,
    [MSG_BY_TLLI] = to_mobile,    [MSG_BY_TLLI_OR_NONE] = to_mobile,
};

void core_order(struct core *core, const struct msg *msg)
{
    ways[msg_row(msg->type)->subject](core, msg);
}
