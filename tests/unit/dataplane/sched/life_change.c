/* SPDX-License-Identifier: BSD-3-Clause */
/* What may happen in a life. */
#include "tests/unit/dataplane/sched/life.h"

static uint32_t some_ms(struct life *l)
{
    return (uint32_t)life_chance(l, LIFE_MOBILES);
}

/* --- buckets --- */

static void set_ms(struct life *l, uint32_t i)
{
    uint64_t octets = life_max_octets(l), rate_bps = life_rate_bps(l);
    bucket_set(&l->rig.ms[i].bucket, octets, rate_bps, l->rig.now);
    bucket_model_set(&l->ms[i], octets, rate_bps, l->rig.now);
    sched_ms_changed(&l->rig.sched, &l->rig.ms[i], l->rig.now);
}

static void set_cell(struct life *l, uint32_t i)
{
    uint64_t octets = life_max_octets(l), rate_bps = life_rate_bps(l);
    bucket_set(&l->rig.cells[i].bucket, octets, rate_bps, l->rig.now);
    bucket_model_set(&l->cells[i], octets, rate_bps, l->rig.now);
    sched_bvc_changed(&l->rig.sched, &l->rig.cells[i]);
}

static void set_link(struct life *l, uint32_t i)
{
    struct sched_link_rate rate = {.rate_bps = l->profile->link_bps * (1 + life_chance(l, 3)),
                                   .max_octets = 1000 + life_chance(l, 3000),
                                   .signalling_percent = 20};
    if (life_chance(l, 8) == 0)
        rate.rate_bps = 0;
    l->link_bps[i] = rate.rate_bps;
    bucket_model_set(&l->links[i], rate.max_octets, rate.rate_bps, l->rig.now);
    sched_link_set(&l->rig.sched, &l->rig.links[i], &rate, l->rig.now);
}

static void correct_ms(struct life *l, uint32_t i)
{
    uint32_t percent = (uint32_t)life_chance(l, 200);
    bucket_set_ratio(&l->rig.ms[i].bucket, percent, l->rig.now);
    bucket_model_set_ratio(&l->ms[i], percent, l->rig.now);
    sched_ms_changed(&l->rig.sched, &l->rig.ms[i], l->rig.now);
}

static void correct_cell(struct life *l, uint32_t i)
{
    uint64_t octets = life_chance(l, 3000);
    bucket_discard(&l->rig.cells[i].bucket, octets, l->rig.now);
    bucket_model_discard(&l->cells[i], octets, l->rig.now);
    sched_bvc_changed(&l->rig.sched, &l->rig.cells[i]);
}

static void use_cell(struct life *l, uint32_t i)
{
    sched_bvc_use(&l->rig.sched, &l->rig.cells[i], life_chance(l, 3) > 0);
}

static void signal_link(struct life *l, uint32_t i)
{
    uint32_t octets = 20 + (uint32_t)life_chance(l, 200);
    if (!sched_link_can_signal(&l->rig.links[i], octets, l->rig.now))
        return;
    sched_link_signal(&l->rig.links[i], octets, l->rig.now);
    if (l->link_bps[i])
        bucket_model_take(&l->links[i], octets, l->rig.now);
}

void life_change_bucket(struct life *l)
{
    switch (life_chance(l, 7)) {
    case 0:
        set_cell(l, (uint32_t)life_chance(l, LIFE_CELLS));
        break;
    case 1:
        correct_cell(l, (uint32_t)life_chance(l, LIFE_CELLS));
        break;
    case 2:
        use_cell(l, (uint32_t)life_chance(l, LIFE_CELLS));
        break;
    case 3:
        set_link(l, (uint32_t)life_chance(l, LIFE_LINKS));
        break;
    case 4:
        signal_link(l, (uint32_t)life_chance(l, LIFE_LINKS));
        break;
    case 5:
        correct_ms(l, some_ms(l));
        break;
    default:
        set_ms(l, some_ms(l));
    }
}

/* --- mobiles --- */

static void forget_ms(struct life *l, uint32_t i)
{
    bucket_model_init(&l->ms[i], l->ms[i].max_octets, l->ms[i].rate_bps, l->rig.now);
    l->epoch[i]++;
}

static void delete_ms(struct life *l, uint32_t i)
{
    struct sched_ms *ms = &l->rig.ms[i], before = *ms;
    sched_ms_flush(&l->rig.sched, ms, life_chance(l, 2) ? DROP_CONTEXT_DELETED : DROP_BVC_RESET);
    if (life_chance(l, 2))
        return;
    rig_init_ms(&l->rig, i, (uint32_t)life_chance(l, LIFE_CELLS));
    bucket_init(&ms->bucket, before.bucket.max_octets, before.bucket.rate_bps, l->rig.now);
    ms->n201_u = before.n201_u;
    ms->link_octets = before.link_octets;
    ms->limit_octets = before.limit_octets;
    forget_ms(l, i);
}

static void move_ms(struct life *l, uint32_t i)
{
    sched_ms_move(&l->rig.sched, &l->rig.ms[i], &l->rig.cells[life_chance(l, LIFE_CELLS)], l->rig.now);
    bucket_model_reset(&l->ms[i], l->rig.now);
}

static void hand_over(struct life *l, uint32_t i)
{
    struct n_pdu_list list = {0};
    /* Flows that join one another have neither one order of their age nor one N-PDU in service any more. */
    bool join = l->profile->has_pfcs || l->rig.sched.extras_missing > 0;
    if (join && l->rig.ms[i].flow.more != SCHED_NO_EXTRA)
        return;
    rig_take_all(&l->rig, i, &list);
    if (life_chance(l, 2))
        rig_settle(&l->rig);
    rig_put_back(&l->rig, i, &list);
    l->epoch[i]++;
}

static void freeze(struct life *l, uint32_t i)
{
    static const uint8_t flags[] = {SCHED_MS_SUSPENDED, SCHED_MS_LOST, SCHED_MS_FROZEN};
    uint8_t some = flags[life_chance(l, 3)];
    if (life_chance(l, 2))
        sched_ms_freeze(&l->rig.sched, &l->rig.ms[i], some);
    else
        sched_ms_thaw(&l->rig.sched, &l->rig.ms[i], some, l->rig.now);
}

static void change_pfc(struct life *l, uint32_t i)
{
    struct sched *s = &l->rig.sched;
    struct sched_ms *ms = &l->rig.ms[i];
    uint8_t pfi = (uint8_t)(1 + life_chance(l, LIFE_PFIS));
    struct sched_extra *pfc = sched_pfc_get(s, ms, pfi);
    if (!pfc) {
        sched_pfc_add(s, ms, pfi, l->rig.now);
        l->epoch[i]++;
    } else if (life_chance(l, 3) == 0) {
        sched_pfc_del(s, ms, pfi, l->rig.now);
        l->epoch[i]++;
    } else {
        bucket_set(&pfc->bucket, life_max_octets(l), life_rate_bps(l), l->rig.now);
        sched_pfc_changed(s, pfc, l->rig.now);
    }
}

void life_change_mobile(struct life *l)
{
    uint32_t i = some_ms(l);
    uint64_t kind = l->profile->leaves ? life_chance(l, l->profile->has_pfcs ? 8 : 6) : 7;
    switch (kind) {
    case 0:
        delete_ms(l, i);
        break;
    case 1:
        move_ms(l, i);
        break;
    case 2:
        hand_over(l, i);
        break;
    case 3:
        sched_ms_remove_pdp(&l->rig.sched, &l->rig.ms[i], (uint32_t)life_chance(l, LIFE_PDPS), l->rig.now);
        break;
    case 4:
    case 5:
        freeze(l, i);
        break;
    default:
        change_pfc(l, i);
    }
}
