/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/sched/life.h"
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#define N_PDUS      450
#define RESERVE     8
#define WHEEL       64              /* steps between audits of the wheel */
#define DEFAULT_BPS UINT64_C(20000) /* R of mobiles, for shares of the air */

/* Repeats with the seed. */
static uint64_t chance(struct life *l, uint64_t n)
{
    return prng_below(&l->seed, n);
}

static void wrong(const struct life *l, const char *complaint)
{
    fail_msg("%s: seed %llu, step %u, at %lld: %s", l->profile->name, (unsigned long long)l->first_seed,
             l->steps, (long long)l->rig.now, complaint);
}

static void audit(struct life *l, const char *complaint)
{
    if (complaint)
        wrong(l, complaint);
}

/* --- values --- */

static uint64_t some_rate_bps(struct life *l)
{
    static const uint64_t whole[] = {0, 8000, 16000, 16000, 40000, 80000, 80000, 160000};
    if (l->profile->tick_ns > 1)
        return whole[chance(l, COUNT(whole))];
    switch (chance(l, 16)) {
    case 0:
        return 0;
    case 1:
        return 1 + chance(l, 100);
    case 2:
        return BUCKET_MAX_RATE_BPS;
    default:
        return prng_between(&l->seed, 1000, 300000);
    }
}

static uint64_t some_max_octets(struct life *l)
{
    switch (chance(l, 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return chance(l, 600); /* shorter than many an LLC-PDU */
    case 3:
        return BUCKET_MAX_OCTETS;
    default:
        return prng_between(&l->seed, 600, 6000);
    }
}

static uint8_t some_pfi(struct life *l)
{
    return l->profile->has_pfcs && chance(l, 2) ? (uint8_t)(1 + chance(l, LIFE_PFIS)) : N_PDU_NO_PFI;
}

static uint8_t some_class(struct life *l)
{
    static const uint8_t classes[] = {QCLASS_SIGNALLING, QCLASS_SMS,  QCLASS_STREAMING, QCLASS_THP1,
                                      QCLASS_THP3,       QCLASS_THP3, QCLASS_BACKGROUND};
    return l->profile->has_classes ? classes[chance(l, COUNT(classes))] : (uint8_t)QCLASS_BACKGROUND;
}

/* Some have most. */
static uint32_t some_flow(struct life *l)
{
    return l->profile->flow_queues > 0 ? (uint32_t)chance(l, 1 + chance(l, RIG_FLOWS)) : 0;
}

/* --- What may happen in a life --- */

static uint32_t some_ms(struct life *l)
{
    return (uint32_t)chance(l, LIFE_MOBILES);
}

/* --- buckets --- */

static void set_ms(struct life *l, uint32_t i)
{
    uint64_t octets = some_max_octets(l), rate_bps = some_rate_bps(l);
    bucket_set(&l->rig.ms[i].bucket, octets, rate_bps, l->rig.now);
    bucket_model_set(&l->ms[i], octets, rate_bps, l->rig.now);
    sched_ms_changed(&l->rig.sched, &l->rig.ms[i], l->rig.now);
}

static void set_cell(struct life *l, uint32_t i)
{
    uint64_t octets = some_max_octets(l), rate_bps = some_rate_bps(l);
    bucket_set(&l->rig.cells[i].bucket, octets, rate_bps, l->rig.now);
    bucket_model_set(&l->cells[i], octets, rate_bps, l->rig.now);
    sched_bvc_changed(&l->rig.sched, &l->rig.cells[i]);
}

static void set_link(struct life *l, uint32_t i)
{
    struct sched_link_rate rate = {.rate_bps = l->profile->link_bps * (1 + chance(l, 3)),
                                   .max_octets = 1000 + chance(l, 3000),
                                   .signalling_percent = 20};
    if (chance(l, 8) == 0)
        rate.rate_bps = 0;
    l->link_bps[i] = rate.rate_bps;
    bucket_model_set(&l->links[i], rate.max_octets, rate.rate_bps, l->rig.now);
    sched_link_set(&l->rig.sched, &l->rig.links[i], &rate, l->rig.now);
}

static void correct_ms(struct life *l, uint32_t i)
{
    uint32_t percent = (uint32_t)chance(l, 200);
    bucket_set_ratio(&l->rig.ms[i].bucket, percent, l->rig.now);
    bucket_model_set_ratio(&l->ms[i], percent, l->rig.now);
    sched_ms_changed(&l->rig.sched, &l->rig.ms[i], l->rig.now);
}

static void correct_cell(struct life *l, uint32_t i)
{
    uint64_t octets = chance(l, 3000);
    bucket_discard(&l->rig.cells[i].bucket, octets, l->rig.now);
    bucket_model_discard(&l->cells[i], octets, l->rig.now);
    sched_bvc_changed(&l->rig.sched, &l->rig.cells[i]);
}

static void use_cell(struct life *l, uint32_t i)
{
    sched_bvc_use(&l->rig.sched, &l->rig.cells[i], chance(l, 3) > 0);
}

static void signal_link(struct life *l, uint32_t i)
{
    uint32_t octets = 20 + (uint32_t)chance(l, 200);
    if (!sched_link_can_signal(&l->rig.links[i], octets, l->rig.now))
        return;
    sched_link_signal(&l->rig.links[i], octets, l->rig.now);
    if (l->link_bps[i])
        bucket_model_take(&l->links[i], octets, l->rig.now);
}

static void change_bucket(struct life *l)
{
    switch (chance(l, 7)) {
    case 0:
        set_cell(l, (uint32_t)chance(l, LIFE_CELLS));
        break;
    case 1:
        correct_cell(l, (uint32_t)chance(l, LIFE_CELLS));
        break;
    case 2:
        use_cell(l, (uint32_t)chance(l, LIFE_CELLS));
        break;
    case 3:
        set_link(l, (uint32_t)chance(l, LIFE_LINKS));
        break;
    case 4:
        signal_link(l, (uint32_t)chance(l, LIFE_LINKS));
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
    sched_ms_flush(&l->rig.sched, ms, chance(l, 2) ? DROP_CONTEXT_DELETED : DROP_BVC_RESET);
    if (chance(l, 2))
        return;
    rig_init_ms(&l->rig, i, (uint32_t)chance(l, LIFE_CELLS));
    bucket_init(&ms->bucket, before.bucket.max_octets, before.bucket.rate_bps, l->rig.now);
    ms->n201_u = before.n201_u;
    ms->link_octets = before.link_octets;
    ms->limit_octets = before.limit_octets;
    forget_ms(l, i);
}

static void move_ms(struct life *l, uint32_t i)
{
    sched_ms_move(&l->rig.sched, &l->rig.ms[i], &l->rig.cells[chance(l, LIFE_CELLS)], l->rig.now);
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
    if (chance(l, 2))
        rig_settle(&l->rig);
    rig_put_back(&l->rig, i, &list);
    l->epoch[i]++;
}

static void freeze(struct life *l, uint32_t i)
{
    static const uint8_t flags[] = {SCHED_MS_SUSPENDED, SCHED_MS_LOST, SCHED_MS_FROZEN};
    uint8_t some = flags[chance(l, 3)];
    if (chance(l, 2))
        return sched_ms_freeze(&l->rig.sched, &l->rig.ms[i], some);
    if (some == SCHED_MS_SUSPENDED && l->rig.ms[i].flags & SCHED_MS_SUSPENDED && chance(l, 2))
        sched_ms_spare(&l->rig.sched, &l->rig.ms[i], l->rig.now - (int64_t)chance(l, 1000) * 1000000,
                       l->rig.now);
    sched_ms_thaw(&l->rig.sched, &l->rig.ms[i], some, l->rig.now);
}

static void change_pfc(struct life *l, uint32_t i)
{
    struct sched *s = &l->rig.sched;
    struct sched_ms *ms = &l->rig.ms[i];
    uint8_t pfi = (uint8_t)(1 + chance(l, LIFE_PFIS));
    struct sched_extra *pfc = sched_pfc_get(s, ms, pfi);
    if (!pfc) {
        sched_pfc_add(s, ms, pfi, l->rig.now);
        l->epoch[i]++;
    } else if (chance(l, 3) == 0) {
        sched_pfc_del(s, ms, pfi, l->rig.now);
        l->epoch[i]++;
    } else {
        bucket_set(&pfc->bucket, some_max_octets(l), some_rate_bps(l), l->rig.now);
        sched_pfc_changed(s, pfc, l->rig.now);
    }
}

static void change_mobile(struct life *l)
{
    uint32_t i = some_ms(l);
    uint64_t kind = l->profile->leaves ? chance(l, l->profile->has_pfcs ? 8 : 6) : 7;
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
        sched_ms_remove_pdp(&l->rig.sched, &l->rig.ms[i], (uint32_t)chance(l, LIFE_PDPS), l->rig.now);
        break;
    case 4:
    case 5:
        freeze(l, i);
        break;
    default:
        change_pfc(l, i);
    }
}

/* --- what leaves --- */

static uint32_t *last_of(struct life *l, const struct n_pdu *n_pdu)
{
    unsigned pfi = n_pdu->pfi == N_PDU_NO_PFI ? 0 : n_pdu->pfi;
    unsigned kind = n_pdu->qclass * (LIFE_PFIS + 1U) + pfi;
    return &l->last[rig_ms_of(n_pdu)][kind * RIG_FLOWS + rig_flow_of(n_pdu)];
}

static void check_begin(struct life *l, const struct n_pdu *n_pdu)
{
    int64_t max_age_ns = l->profile->max_age_ns;
    if (max_age_ns != MOMENT_NEVER && l->rig.now - n_pdu->arrival_ns > max_age_ns)
        wrong(l, "an N-PDU begins to leave that is too old");
    if (n_pdu->number != l->epoch[rig_ms_of(n_pdu)])
        return;
    if (n_pdu->generation <= *last_of(l, n_pdu))
        wrong(l, "an N-PDU overtakes another of its kind");
    *last_of(l, n_pdu) = n_pdu->generation;
}

static void charge(struct life *l, struct bucket_model *bucket, uint32_t octets)
{
    if (!bucket_model_can_take(bucket, octets, l->rig.now))
        wrong(l, "an LLC-PDU leaves that does not conform");
    bucket_model_take(bucket, octets, l->rig.now);
}

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    struct life *l = rig->arg;
    uint32_t cell = (uint32_t)(grant->ms->bvc - rig->cells),
             link = (uint32_t)(grant->ms->bvc->link - rig->links);
    uint32_t octets = grant->next.llc_octets, sndcp = grant->n_pdu->is_acknowledged
                                                          ? (grant->offset == 0 ? 3 : 1)
                                                          : (grant->offset == 0 ? 4 : 3);
    if (octets != grant->next.payload_octets + sndcp + (grant->n_pdu->is_acknowledged ? 7 : 6))
        wrong(l, "an LLC-PDU leaves that counts as longer or shorter");
    if (grant->ms->flags & SCHED_MS_FROZEN || grant->ms->bvc->mode == SCHED_MODE_STOPPED)
        wrong(l, "an LLC-PDU leaves that may not");
    if (grant->offset == 0)
        check_begin(l, grant->n_pdu);
    if (l->profile->shortens && grant->n_pdu->comp == 0)
        wrong(l, "an N-PDU leaves that shorten() has not seen");
    charge(l, &l->ms[ms], octets);
    charge(l, &l->cells[cell], octets);
    if (l->link_bps[link])
        charge(l, &l->links[link], octets + LIFE_HEADERS);
    l->digest = (l->digest ^ ms ^ (uint64_t)rig->now << 8 ^ (uint64_t)grant->n_pdu->generation << 40) *
                UINT64_C(0x9e3779b97f4a7c15);
    audit(l, audit_books(rig));
}

static void on_gone(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct life *l = rig->arg;
    int64_t age_ns = rig->now - n_pdu->arrival_ns;
    if (reason == DROP_LIFETIME && age_ns <= l->profile->max_age_ns)
        wrong(l, "an N-PDU is dropped for its age that is not too old");
    if ((reason == DROP_PARTIAL) != (n_pdu->sent_octets > 0 && reason != DROP_QUEUE_FULL &&
                                     reason != DROP_CLASS_FULL && reason != DROP_BUDGET))
        wrong(l, "an N-PDU in service is dropped whole, or the other way round");
}

/* Of two N-PDUs one is shortened, down to an octet. */
static void shorten(void *arg, struct sched_ms *ms, struct n_pdu *n_pdu)
{
    struct life *l = arg;
    if (n_pdu->sent_octets > 0)
        wrong(l, "an N-PDU of which a part has left is to be shortened");
    if (ms != &l->rig.ms[rig_ms_of(n_pdu)])
        wrong(l, "an N-PDU is to be shortened as another mobile's");
    n_pdu->comp = 1;
    if (chance(l, 2))
        return;
    n_pdu->octets = (uint16_t)prng_between(&l->seed, 1, n_pdu->octets);
    l->shortened++;
}

/* --- a life --- */

static void set_params(struct sched_params *params, const struct life_profile *profile)
{
    sched_params_default(params);
    params->budget_pkts = profile->budget_pkts;
    params->reserve_pkts = RESERVE;
    params->max_age_ns = profile->max_age_ns;
    params->flow_queues = profile->flow_queues;
    params->fifo_classes = profile->fifo;
    params->sfq_classes = profile->sfq;
    params->ms_quantum_octets = profile->ms_quantum_octets;
    params->flow_tags = profile->flow_tags;
    params->credit_octets = profile->credit_octets;
    params->airtime = profile->airtime;
    params->ms_limit_pkts = profile->budget_pkts / 2;
    params->class_limits[QCLASS_THP1] = (struct sched_limit){.octets = 8000, .pkts = 20};
    params->segmenting = (struct segmenting){.first_octets = 4, .later_octets = 3, .llc_octets = 6};
    params->acknowledged = (struct segmenting){.first_octets = 3, .later_octets = 1, .llc_octets = 7};
}

void life_new(struct life *l, const struct life_profile *profile, uint64_t seed)
{
    static const uint16_t n201_u[] = {1520, 500, 140};
    struct rig_counts counts = {LIFE_MOBILES, profile->extras, LIFE_CELLS,
                                LIFE_LINKS,   N_PDUS,          profile->flow_sets};
    struct sched_params params;
    set_params(&params, profile);
    *l = (struct life){.profile = profile, .seed = seed, .first_seed = seed};
    rig_new(&l->rig, &counts, &params);
    l->rig.is_short = profile->is_short;
    l->rig.arg = l;
    l->rig.on_sent = on_sent;
    l->rig.on_gone = on_gone;
    if (profile->shortens) {
        l->rig.sched.shorten = shorten;
        l->rig.sched.shorten_arg = l;
    }
    for (uint32_t i = 0; i < LIFE_CELLS; i++) {
        sched_bvc_use(&l->rig.sched, &l->rig.cells[i], false);
        sched_bvc_init(&l->rig.cells[i], &l->rig.links[i % LIFE_LINKS], 0);
        l->rig.cells[i].ms_rate_bps = DEFAULT_BPS;
        sched_bvc_use(&l->rig.sched, &l->rig.cells[i], true);
    }
    for (uint32_t i = 0; i < LIFE_MOBILES; i++) {
        rig_init_ms(&l->rig, i, i % LIFE_CELLS);
        bucket_model_init(&l->ms[i], RIG_WIDE_OPEN, 0);
        l->rig.ms[i].n201_u = n201_u[i % COUNT(n201_u)];
        l->rig.ms[i].link_octets = LIFE_HEADERS;
        l->rig.ms[i].limit_octets = 20000;
    }
    for (int i = 0; i < 100; i++)
        change_bucket(l);
}

void life_free(struct life *l)
{
    rig_free(&l->rig);
}

static void put(struct life *l)
{
    uint32_t ms = (uint32_t)chance(l, LIFE_MOBILES), missing = l->rig.sched.extras_missing;
    struct n_pdu like = {.octets = (uint16_t)prng_between(&l->seed, 1, chance(l, 2) ? 1500 : 200),
                         .pdp = (uint32_t)chance(l, LIFE_PDPS),
                         .generation = ++l->sequence,
                         .number = l->epoch[ms],
                         .qclass = some_class(l),
                         .pfi = some_pfi(l),
                         .is_paced = chance(l, 2),
                         .sapi = (uint8_t)(chance(l, 2) ? 3 : 5),
                         .flow_hash = some_flow(l)};
    like.is_acknowledged = like.sapi == 5;
    rig_put(&l->rig, ms, &like);
    if (l->rig.sched.extras_missing != missing)
        l->epoch[ms]++; /* it joined another queue than the next may */
}

static void check_limits(struct life *l)
{
    const struct sched_params *params = &l->rig.sched.params;
    if (l->rig.sched.pkts > params->budget_pkts + params->reserve_pkts)
        wrong(l, "more waits than there are buffers for");
    for (uint32_t i = 0; i < LIFE_LINKS; i++)
        if (l->rig.links[i].classes[QCLASS_THP1].pkts > params->class_limits[QCLASS_THP1].pkts &&
            !l->profile->leaves)
            wrong(l, "more waits in a class than may");
}

void life_step(struct life *l)
{
    int64_t gap_ns = (int64_t)chance(l, (uint64_t)l->profile->gap_ns);
    if (chance(l, 3) == 0) {
        rig_run(&l->rig, l->rig.now + gap_ns - gap_ns % l->profile->tick_ns);
        audit(l, audit_idle(&l->rig));
    }
    if (chance(l, 100) >= l->profile->change_percent)
        put(l);
    else if (l->profile->leaves || l->profile->has_pfcs ? chance(l, 2) : 1)
        change_bucket(l);
    else
        change_mobile(l);
    rig_take_dropped(&l->rig);
    audit(l, audit_books(&l->rig));
    check_limits(l);
    if (++l->steps % WHEEL == 0)
        audit(l, audit_wheel(&l->rig));
}
