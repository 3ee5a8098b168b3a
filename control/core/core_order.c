/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders to the workers by their subject (dataplane/worker/msgs.def). */
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/core/mobility.h"

#include <assert.h>

static void to_all(struct core *core, const struct msg *msg)
{
    assert(!msg_has_mbuf(msg->type));
    core_link_order_others(core, core->workers, msg);
}

static void to_nse(struct core *core, const struct msg *msg)
{
    core_link_order(core, core->config->nses[msg->slot].worker, msg);
}

static void to_nsvc(struct core *core, const struct msg *msg)
{
    core_link_order(core, node_config_worker_of_nsvc(core->config, msg->slot), msg);
}

static void to_bvc(struct core *core, const struct msg *msg)
{
    core_link_order(core, node_config_worker_of(core->config, (uint16_t)msg->slot), msg);
}

static void to_home(struct core *core, const struct msg *msg)
{
    mobility_order_home(&core->mobility, msg->slot, msg);
}

static void to_server(struct core *core, const struct msg *msg)
{
    mobility_order_server(&core->mobility, msg->slot, msg);
}

static void to_new_pdp(struct core *core, const struct msg *msg)
{
    mobility_order_new_pdp(&core->mobility, msg);
}

static void to_pdp(struct core *core, const struct msg *msg)
{
    mobility_order_pdp(&core->mobility, msg);
}

static void to_tlli(struct core *core, const struct msg *msg)
{
    mobility_order_tlli(&core->mobility, msg);
}

static void (*const ways[])(struct core *core, const struct msg *msg) = {
#define MSG_SUBJECT(NAME, index, key, way) [MSG_BY_##NAME] = to_##way,
#include "dataplane/worker/msgs.def"
};

void core_order(struct core *core, const struct msg *msg)
{
    ways[msg_row(msg->type)->subject](core, msg);
}

void core_order_octets(struct core *core, struct msg *msg, const void *octets, size_t count)
{
    msg->mbuf = core_link_buffer(core, octets, count);
    if (msg->mbuf)
        core_order(core, msg);
}
