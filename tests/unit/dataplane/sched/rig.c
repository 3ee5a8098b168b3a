/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/wait.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE 10000000 /* LLC-PDUs at one instant */

static void *array_new(uint32_t count, size_t octets)
{
    void *array = calloc(count > 0 ? count : 1, octets);
    assert_non_null(array);
    return array;
}

void rig_init_ms(struct rig *rig, uint32_t ms, uint32_t cell)
{
    struct sched_ms *m = &rig->ms[ms];
    sched_ms_init(m, &rig->cells[cell], rig->now);
    bucket_init(&m->bucket, RIG_WIDE_OPEN, rig->now);
    m->limit_octets = UINT32_MAX;
    m->n201_u = RIG_N201_U;
}

void rig_new(struct rig *rig, const struct rig_counts *counts, const struct sched_params *params)
{
    struct sched_counts room = {counts->mobiles, counts->extras, counts->cells, counts->links,
                                counts->flow_sets};
    *rig = (struct rig){.counts = *counts};
    assert_true(sched_new(&rig->sched, &room, params));
    rig->links = array_new(counts->links, sizeof(*rig->links));
    rig->cells = array_new(counts->cells, sizeof(*rig->cells));
    rig->ms = array_new(counts->mobiles, sizeof(*rig->ms));
    rig->n_pdus = array_new(counts->n_pdus, sizeof(*rig->n_pdus));
    rig->entities = array_new(counts->mobiles * RIG_SAPIS, sizeof(*rig->entities));
    for (uint32_t i = 0; i < counts->links; i++)
        sched_link_init(&rig->links[i], 0);
    for (uint32_t i = 0; i < counts->cells; i++) {
        sched_bvc_init(&rig->cells[i], &rig->links[0], 0);
        bucket_init(&rig->cells[i].bucket, RIG_WIDE_OPEN, 0);
        sched_bvc_use(&rig->sched, &rig->cells[i], true);
    }
    for (uint32_t i = 0; i < counts->mobiles; i++)
        rig_init_ms(rig, i, 0);
    for (uint32_t i = 0; i < counts->n_pdus; i++)
        n_pdu_list_put(&rig->unused, &rig->n_pdus[i]);
}

void rig_free(struct rig *rig)
{
    assert_int_equal(rig->in, rig->out + rig->dropped + rig->sched.pkts + rig->taken);
    sched_free(&rig->sched);
    free(rig->links);
    free(rig->cells);
    free(rig->ms);
    free(rig->n_pdus);
    free(rig->entities);
    *rig = (struct rig){0};
}

/* --- N-PDUs in --- */

static struct rig_entity *entity_of(struct rig *rig, const struct n_pdu *n_pdu)
{
    assert_in_range(n_pdu->sapi, 1, RIG_SAPIS - 1);
    return &rig->entities[rig_ms_of(n_pdu) * RIG_SAPIS + n_pdu->sapi];
}

static void gone(struct rig *rig, struct n_pdu *n_pdu, int reason)
{
    struct rig_entity *entity = entity_of(rig, n_pdu);
    rig->by_reason[reason]++;
    if (entity->n_pdu == n_pdu)
        *entity = (struct rig_entity){0};
    if (rig->on_gone)
        rig->on_gone(rig, n_pdu, reason);
    n_pdu_list_put(&rig->unused, n_pdu);
}

void rig_take_dropped(struct rig *rig)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&rig->sched.dropped))) {
        assert_in_range(n_pdu->drop_reason, DROP_FIRST_NPDU, DROP_COUNT - 1);
        rig->dropped++;
        gone(rig, n_pdu, n_pdu->drop_reason);
    }
}

static int enqueue(struct rig *rig, uint32_t ms, struct n_pdu *n_pdu)
{
    int reason = sched_enqueue(&rig->sched, &rig->ms[ms], n_pdu, rig->now);
    if (reason == DROP_NONE) {
        rig->in++;
    } else {
        rig->refused++;
        gone(rig, n_pdu, reason);
    }
    return reason;
}

void rig_take_all(struct rig *rig, uint32_t ms, struct n_pdu_list *out)
{
    uint32_t before = rig->sched.pkts;
    sched_ms_take_all(&rig->sched, &rig->ms[ms], out);
    rig->taken += before - rig->sched.pkts;
    for (const struct n_pdu *n = out->head; n && n->next; n = n->next)
        if (n->sent_octets == 0 && n->next->sent_octets > 0)
            fail_msg("mobile %u: an N-PDU in service is not taken out first", ms);
}

void rig_put_back(struct rig *rig, uint32_t ms, struct n_pdu_list *list)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(list))) {
        rig->taken--;
        rig->in--;
        if (enqueue(rig, ms, n_pdu) != DROP_NONE)
            rig->refused--, rig->dropped++, rig->in++;
    }
}

/* --- LLC-PDUs out --- */

/* counted_octets: what the N-PDU says that is sent of it */
static void check_segment(struct rig *rig, const struct sched_grant *grant, uint32_t counted_octets)
{
    const struct n_pdu *n_pdu = grant->n_pdu;
    struct rig_entity *entity = entity_of(rig, n_pdu);
    if (entity->n_pdu && entity->n_pdu != n_pdu)
        fail_msg("mobile %u, SAPI %u: an N-PDU begins between segments of another", rig_ms_of(n_pdu),
                 n_pdu->sapi);
    if (grant->offset != entity->next_offset || grant->segment != entity->next_segment)
        fail_msg("mobile %u: segment %u at %u is not %u at %u", rig_ms_of(n_pdu), grant->segment,
                 grant->offset, entity->next_segment, entity->next_offset);
    uint32_t end = (uint32_t)grant->offset + grant->next.payload_octets;
    if (grant->next.last != (end == n_pdu->octets) || n_pdu->sent_octets != counted_octets)
        fail_msg("mobile %u: %u of %u octets sent, %u counted", rig_ms_of(n_pdu), end, n_pdu->octets,
                 n_pdu->sent_octets);
    *entity = grant->next.last ? (struct rig_entity){0}
                               : (struct rig_entity){n_pdu, (uint16_t)end, (uint8_t)(grant->segment + 1)};
}

static void sent(struct rig *rig, struct sched_grant *grant, bool is_whole)
{
    uint32_t ms = (uint32_t)(grant->ms - rig->ms);
    assert_int_equal(ms, rig_ms_of(grant->n_pdu));
    rig_take_dropped(rig); /* before it left */
    uint32_t end = (uint32_t)grant->offset + grant->next.payload_octets;
    check_segment(rig, grant, is_whole ? grant->n_pdu->octets : end);
    rig->llc_pdus++;
    if (grant->next.last)
        rig->out++;
    if (rig->on_sent)
        rig->on_sent(rig, ms, grant);
    if (grant->next.last)
        n_pdu_list_put(&rig->unused, grant->n_pdu);
}

int rig_put(struct rig *rig, uint32_t ms, const struct n_pdu *like)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&rig->unused);
    assert_non_null(n_pdu);
    *n_pdu = *like;
    n_pdu->arrival_ns = rig->now;
    n_pdu->flow_hash = like->flow_hash << (32 - RIG_FLOW_BITS) | like->flow_hash << RIG_MS_BITS | ms;
    n_pdu->sapi = like->sapi ? like->sapi : RIG_SAPI;
    struct sched_grant grants[SCHED_PASS_MAX];
    int count = rig->is_short ? sched_bypass(&rig->sched, &rig->ms[ms], n_pdu, grants, rig->now) : -1;
    if (count < 0)
        return enqueue(rig, ms, n_pdu);
    for (int i = 0; i < count; i++) {
        n_pdu->comp = 1;                /* its caller passes none that is to be shortened */
        rig->in += grants[i].next.last; /* the books are even between segments, too */
        sent(rig, &grants[i], true);
    }
    return DROP_NONE;
}

void rig_settle(struct rig *rig)
{
    struct sched_grant grant;
    sched_wait_at(&rig->sched, rig->now);
    if (!rig->is_short)
        sched_advance(&rig->sched, rig->now);
    rig_take_dropped(rig);
    for (uint64_t i = 0; sched_pick(&rig->sched, &grant, rig->now); i++) {
        if (i == PATIENCE)
            fail_msg("%d LLC-PDUs at %lld", PATIENCE, (long long)rig->now);
        sent(rig, &grant, false);
    }
    rig_take_dropped(rig);
}

void rig_run(struct rig *rig, int64_t until_ns)
{
    rig_settle(rig);
    int64_t next;
    while ((next = sched_next_ns(&rig->sched)) <= until_ns && next != MOMENT_NEVER) {
        if (next <= rig->now)
            fail_msg("at %lld there is more to do at %lld", (long long)rig->now, (long long)next);
        uint64_t done = rig->llc_pdus + rig->dropped;
        rig->now = next;
        rig_settle(rig);
        rig->wakes++;
        rig->vain += rig->llc_pdus + rig->dropped == done;
    }
    if (until_ns != MOMENT_NEVER)
        rig->now = until_ns;
}
