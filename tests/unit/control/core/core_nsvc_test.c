/* SPDX-License-Identifier: BSD-3-Clause */
/* NS-VCs that IP-SNS makes and takes away: who is ordered what, and what the configuration's rows say then.
 */
#include "control/core/core.h"
#include "control/base/eal.h"

#include "tests/unit/control/core/intent_rig.h"
#include "tests/unit/unit.h"

#include <string.h>

#define RING 16

/* NSE 101 at worker 1 of two: where IP-SNS begins, and two numbers more. */
struct rig {
    struct node_config_nse nse;
    struct node_config_nsvc nsvcs[3];
    struct node_config config;
    struct msg_rings rings[2];
    struct core core;
    uint32_t told; /* the last NS-VC that the links heard of, UINT32_MAX: none */
};

static void hear(void *arg, uint32_t index)
{
    ((struct rig *)arg)->told = index;
}

static void open(struct rig *rig)
{
    *rig = (struct rig){.nse = {.nsei = 101, .worker = 1}, .told = UINT32_MAX};
    rig->nsvcs[0] = (struct node_config_nsvc){
        .own_address = 1, .address = 2, .own_port = 23000, .udp_port = 23000, .mac = {2}, .has_mac = true};
    rig->nsvcs[1] = rig->nsvcs[2] = (struct node_config_nsvc){.is_absent = true};
    rig->config = (struct node_config){
        .worker_count = 2, .nses = &rig->nse, .nse_count = 1, .nsvcs = rig->nsvcs, .nsvc_count = 3};
    rig->config.live.is_on = true;
    assert_true(msg_rings_new(&rig->rings[0], "rig0", RING));
    assert_true(msg_rings_new(&rig->rings[1], "rig1", RING));
    rig->core = (struct core){.config = &rig->config,
                              .workers = 2,
                              .links = {{.rings = &rig->rings[0]}, {.rings = &rig->rings[1]}},
                              .neighbours = {.arg = rig, .on_nsvc = hear}};
    intent_rig_init(&rig->core);
}

static void close(struct rig *rig)
{
    intent_rig_fini(&rig->core);
    msg_rings_free(&rig->rings[0]);
    msg_rings_free(&rig->rings[1]);
}

/* The next order of a worker, which has to be of this type. */
static struct msg take(struct rig *rig, unsigned worker, uint16_t type)
{
    struct msg msg;
    assert_true(msg_take(rig->rings[worker].to_worker, &msg));
    assert_int_equal(msg.type, type);
    return msg;
}

static void expect_no_more(struct rig *rig)
{
    struct msg msg;
    assert_false(msg_take(rig->rings[0].to_worker, &msg));
    assert_false(msg_take(rig->rings[1].to_worker, &msg));
}

TEST(only_those_that_are_there)
{
    struct rig rig;
    open(&rig);
    core_nsvc_start(&rig.core);
    struct msg msg = take(&rig, 1, MSG_NSVC_ADD);
    assert_true(msg.slot == 0 && msg.nsvc.data_weight == 0 && !msg.nsvc.needs_mac);
    msg = take(&rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.worker == 1 && !msg.nsvc_at.is_gone && msg.nsvc_at.params.remote_ip == 2);
    expect_no_more(&rig);
    close(&rig);
}

static const char *const made =
    "{ op = 'nsvc_add', nsvc = 2, nsei = 101, own_address = '0.0.0.10', own_port = 30, "
    "address = '0.0.0.20', udp_port = 40, weight = 50 }";

TEST(comes_and_goes)
{
    struct rig rig;
    open(&rig);
    intent_rig_emit(&rig.core, made);
    struct msg msg = take(&rig, 1, MSG_NSVC_ADD);
    assert_true(msg.slot == 2 && msg.nsvc.nse == 0 && msg.nsvc.needs_mac);
    assert_true(msg.nsvc.local_ip == 10 && msg.nsvc.remote_ip == 20 && msg.nsvc.local_port == 30 &&
                msg.nsvc.remote_port == 40 && msg.nsvc.data_weight == 50);
    msg = take(&rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.worker == 1 && !msg.nsvc_at.is_gone && msg.nsvc_at.params.remote_port == 40);
    assert_int_equal(rig.told, 2);
    assert_true(!rig.nsvcs[2].is_absent && rig.nsvcs[2].address == 20 && rig.nsvcs[2].own_address == 10);

    intent_rig_emit(&rig.core, "{ op = 'nsvc_del', nsvc = 2 }");
    assert_int_equal(take(&rig, 1, MSG_NSVC_DEL).slot, 2);
    msg = take(&rig, 0, MSG_NSVC_AT);
    assert_true(msg.nsvc_at.is_gone && msg.nsvc_at.params.local_ip == 10 &&
                msg.nsvc_at.params.remote_port == 40);
    assert_true(rig.nsvcs[2].is_absent);
    expect_no_more(&rig);
    close(&rig);
}

TEST(weighs_and_carries)
{
    struct rig rig;
    open(&rig);
    intent_rig_emit(&rig.core, "{ op = 'nsvc_weight', nsvc = 1, weight = 7 }, "
                               "{ op = 'nsvc_state', nsvc = 1, usable = true }");
    struct msg msg = take(&rig, 1, MSG_NSVC_WEIGHT);
    assert_true(msg.slot == 1 && msg.data_weight == 7);
    msg = take(&rig, 1, MSG_NSVC_STATE);
    assert_true(msg.slot == 1 && msg.is_usable);
    expect_no_more(&rig);
    close(&rig);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
