/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "tests/unit/dataplane/context/rig.h"

static void add_nse(struct rig *rig, uint16_t i)
{
    struct gb_nsvc nsvc = {.params = {.nse = i, .local_port = 1, .remote_port = i, .data_weight = 1}};
    assert_int_equal(context_nse_add(&rig->c, i, 100 + i, rig->now), 0);
    for (uint16_t k = 0; k < 2; k++) {
        assert_int_equal(context_nsvc_add(&rig->c, 2 * i + k, &nsvc), 0);
        assert_int_equal(context_nsvc_use(&rig->c, 2 * i + k, true), 0);
    }
    assert_int_equal(context_bvc_add(&rig->c, i, 7 + i, i, rig->now), 0);
    assert_int_equal(context_bvc_unblock(&rig->c, i, true), 0);
}

void rig_open(struct rig *rig)
{
    rig_open_with(rig, false);
}

void rig_open_with(struct rig *rig, bool has_elements)
{
    struct context_policy policy;
    context_policy_default(&policy);
    rig_open_policy(rig, &policy, has_elements);
}

void rig_open_policy(struct rig *rig, const struct context_policy *policy, bool has_elements)
{
    const struct context_limits limits = {.nses = RIG_NSES,
                                          .nsvcs = RIG_NSVCS,
                                          .bvcs = RIG_BVCS,
                                          .mobiles = RIG_MOBILES,
                                          .pdps = RIG_PDPS,
                                          .extra_flows = RIG_PDPS,
                                          .flow_sets = RIG_MOBILES,
                                          .has_elements = has_elements};
    *rig = (struct rig){.now = MOMENT_SECOND};
    assert_true(context_new(&rig->c, &limits, policy));
    for (uint16_t i = 0; i < RIG_NSES; i++)
        add_nse(rig, i);
}

void rig_close(struct rig *rig)
{
    context_free(&rig->c);
}

bool rig_is_usable(const struct rig *rig, uint16_t bvc)
{
    return rig->c.bvcs[bvc].sched.mode != SCHED_MODE_STOPPED;
}

int rig_discard(struct rig *rig, uint32_t ms, uint64_t octets)
{
    struct gb_discard discard = {.octets = octets, .ms = ms, .bvc = GB_BVC_NONE, .pfi = N_PDU_NO_PFI};
    return context_bvc_discarded(&rig->c, &discard, rig->now);
}

struct gb_flow rig_flow(uint64_t octets, uint64_t rate_bps, uint64_t ms_octets, uint64_t ms_rate_bps)
{
    return (struct gb_flow){.bucket_octets = octets,
                            .rate_bps = rate_bps,
                            .ms_bucket_octets = ms_octets,
                            .ms_rate_bps = ms_rate_bps,
                            .ratio_percent = -1};
}

struct ms_params rig_ms(uint16_t bvc, uint32_t tlli)
{
    return (struct ms_params){.tlli = tlli, .bvc = bvc, .n201_u = 500, .queue_limit_octets = 10000};
}

struct pdp_params rig_pdp(uint32_t ms, uint8_t nsapi)
{
    return (struct pdp_params){.ms = ms, .nsapi = nsapi, .sapi = 3, .pfi = N_PDU_NO_PFI};
}

void rig_put(struct rig *rig, uint32_t ms, uint32_t pdp, uint16_t octets)
{
    rig_put_of(rig, ms, (struct n_pdu){.pdp = pdp, .pfi = N_PDU_NO_PFI, .octets = octets});
}

void rig_put_of(struct rig *rig, uint32_t ms, struct n_pdu what)
{
    assert_true(rig->used < RIG_N_PDUS);
    struct n_pdu *n_pdu = &rig->n_pdus[rig->used++];
    *n_pdu = what;
    n_pdu->arrival_ns = rig->now;
    assert_int_equal(context_enqueue(&rig->c, &rig->c.mobiles[ms], n_pdu, rig->now), DROP_NONE);
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
