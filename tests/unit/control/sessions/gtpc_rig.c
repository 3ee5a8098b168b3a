/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/control/sessions/gtpc_rig.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

#define BUFFERS 63

static void note_sent(struct gtpc_rig *rig, const struct msg *msg)
{
    rig->way = *msg;
    assert_true(
        gtpc_decode(&rig->sent, rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)) > 0);
    rig->sent.qos = NULL;
    static const uint8_t location[] = {152, 0, 8, 0, 0x62, 0xf2, 0x24, 0x12, 0x34, 0};
    const uint8_t *at = memmem(rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf),
                               location, sizeof(location));
    rig->ci = at ? at[sizeof(location)] : 0;
}

bool gtpc_rig_next_of_two(struct gtpc_rig *rig, uint16_t first, uint16_t second, struct msg *msg)
{
    while (msg_take(rig->rings.to_worker, msg)) {
        if (msg->type == MSG_GN_SEND)
            note_sent(rig, msg);
        if (msg_has_mbuf(msg->type))
            rte_pktmbuf_free(msg->mbuf);
        if (msg->type == first || msg->type == second)
            return true;
    }
    return false;
}

bool gtpc_rig_next_of(struct gtpc_rig *rig, uint16_t type, struct msg *msg)
{
    return gtpc_rig_next_of_two(rig, type, type, msg);
}

void gtpc_rig_load(struct gtpc_rig *rig, const char *config)
{
    *rig = (struct gtpc_rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, config, &rig->config));
}

void gtpc_rig_begin(struct gtpc_rig *rig)
{
    assert_true(msg_rings_new(&rig->rings, "rig", 128));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *const rings[] = {&rig->rings};
    assert_true(core_init(&rig->core, rig->L, &rig->config, rings, rig->pool));
    assert_true(sessions_new(&rig->sessions, &rig->core));
    sessions_core_join(&rig->sessions);
    assert_int_equal(lua_object_next_ns(&rig->core.objects[CORE_OBJECT_gtpc]), MOMENT_NEVER);
    sessions_listed_add_all(&rig->sessions);
    bool is_repeated = lua_object_next_ns(&rig->core.objects[CORE_OBJECT_gtpc]) != MOMENT_NEVER;
    assert_true(is_repeated == rig->config.live.is_on && rig->core.has_new_timers);
}

void gtpc_rig_close(struct gtpc_rig *rig, uint16_t type)
{
    struct msg msg;
    core_fini(&rig->core);
    sessions_free(&rig->sessions);
    assert_false(gtpc_rig_next_of(rig, type, &msg));
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

int gtpc_rig_start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}
