/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/dataplane/context/rig.h"

static void add_nse(struct rig *rig, uint16_t i)
{
    struct gb_nsvc nsvc = {.params = {.nse = i, .local_port = 1, .remote_port = i}};
    assert_int_equal(context_nse_add(&rig->c, i, 100 + i), 0);
    for (uint16_t k = 0; k < 2; k++) {
        assert_int_equal(context_nsvc_add(&rig->c, 2 * i + k, &nsvc), 0);
        assert_int_equal(context_nsvc_use(&rig->c, 2 * i + k, true), 0);
    }
    assert_int_equal(context_bvc_add(&rig->c, i, 7 + i, i, rig->now), 0);
    assert_int_equal(context_bvc_unblock(&rig->c, i, true), 0);
}

void rig_open(struct rig *rig)
{
    static const struct context_limits limits = {RIG_NSES, RIG_NSVCS, RIG_BVCS, RIG_MOBILES, RIG_PDPS};
    static const struct lifetime lifetime = {.mode = LIFETIME_SGSN_ONLY, .sgsn_max_ns = MOMENT_NEVER};
    *rig = (struct rig){.now = MOMENT_SECOND};
    assert_true(context_new(&rig->c, &limits, &lifetime));
    for (uint16_t i = 0; i < RIG_NSES; i++)
        add_nse(rig, i);
}

void rig_close(struct rig *rig)
{
    context_free(&rig->c);
}

struct gb_flow rig_flow(uint64_t octets, uint64_t rate_bps, uint64_t ms_octets, uint64_t ms_rate_bps)
{
    return (struct gb_flow){octets, rate_bps, ms_octets, ms_rate_bps, -1};
}

struct ms_params rig_ms(uint16_t bvc, uint32_t tlli)
{
    return (struct ms_params){.tlli = tlli, .bvc = bvc, .n201_u = 500, .queue_limit_octets = 10000};
}

struct pdp_params rig_pdp(uint32_t ms, uint8_t nsapi)
{
    return (struct pdp_params){.ms = ms, .nsapi = nsapi, .sapi = 3};
}

void rig_put(struct rig *rig, uint32_t ms, uint32_t pdp, uint16_t octets)
{
    assert_true(rig->used < RIG_N_PDUS);
    struct n_pdu *n_pdu = &rig->n_pdus[rig->used++];
    *n_pdu = (struct n_pdu){.pdp = pdp, .octets = octets, .arrival_ns = rig->now};
    assert_int_equal(sched_enqueue(&rig->c.sched, &rig->c.mobiles[ms].sched, n_pdu), DROP_NONE);
}

unsigned rig_send(struct rig *rig)
{
    struct sched_grant grant;
    unsigned sent = 0;
    sched_advance(&rig->c.sched, rig->now);
    while (sched_pick(&rig->c.sched, &grant, rig->now))
        sent++;
    return sent;
}

unsigned rig_dropped(struct rig *rig, enum drop reason)
{
    struct n_pdu *n_pdu;
    unsigned count = 0;
    for (; (n_pdu = n_pdu_list_take(&rig->c.sched.dropped)); count++)
        assert_int_equal(n_pdu->drop_reason, reason);
    return count;
}
