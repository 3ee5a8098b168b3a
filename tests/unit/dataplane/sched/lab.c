/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/sched/lab.h"

#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/wait.h"

#define N_PDUS 64

struct lab {
    const struct lab_scenario *scenario;
    struct rig rig;
    struct n_pdu_list taken;
    uint32_t sent, gone;
};

static struct lab *lab_of(struct rig *rig)
{
    return rig->arg;
}

static uint8_t qclass_of(unsigned k)
{
    return (uint8_t)(k == LAB_BACKGROUND ? (unsigned)QCLASS_BACKGROUND : k - 1);
}

/* --- what leaves --- */

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    struct lab *lab = lab_of(rig);
    const struct lab_sent *row = &lab->scenario->sent[lab->sent];
    if (lab->sent == LAB_ROWS || row->at_ns != rig->now || row->ms != ms ||
        row->llc_octets != grant->next.llc_octets)
        fail_msg("%s: LLC-PDU %u leaves at %lld, of mobile %u, %u octets", lab->scenario->name, lab->sent,
                 (long long)rig->now, ms, grant->next.llc_octets);
    lab->sent++;
}

static void on_gone(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct lab *lab = lab_of(rig);
    const struct lab_dropped *row = &lab->scenario->dropped[lab->gone];
    if (lab->gone == LAB_ROWS || row->at_ns != rig->now || row->octets != n_pdu->octets ||
        (int)row->reason != reason)
        fail_msg("%s: N-PDU %u is dropped at %lld, %u octets, %s", lab->scenario->name, lab->gone,
                 (long long)rig->now, n_pdu->octets, drop_name((enum drop)reason));
    lab->gone++;
}

static void audit(struct lab *lab, const char *complaint)
{
    if (complaint)
        fail_msg("%s: at %lld: %s", lab->scenario->name, (long long)lab->rig.now, complaint);
}

/* Instant by instant, so that each is audited. */
static void run(struct lab *lab, int64_t until_ns)
{
    struct rig *rig = &lab->rig;
    int64_t next = rig->now;
    do {
        rig_run(rig, next);
        audit(lab, audit_books(rig));
        audit(lab, audit_idle(rig));
        next = sched_next_ns(&rig->sched);
    } while (next <= until_ns && next != MOMENT_NEVER);
    if (until_ns != MOMENT_NEVER)
        rig->now = until_ns;
    sched_wait_at(&rig->sched, rig->now);
}

/* --- what happens --- */

static void put(struct lab *lab, const struct lab_step *step)
{
    struct n_pdu like = {.octets = (uint16_t)step->a,
                         .pdp = (uint32_t)step->b,
                         .qclass = qclass_of(step->k),
                         .pfi = step->pfi ? step->pfi : N_PDU_NO_PFI,
                         .sapi = step->sapi,
                         .flow_hash = step->flow};
    rig_put(&lab->rig, step->who, &like);
}

static void change_ms(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    struct sched_ms *ms = &rig->ms[step->who];
    if (step->op == LAB_SET)
        bucket_set(&ms->bucket, step->a, step->b, rig->now);
    else if (step->op == LAB_RATIO)
        bucket_set_ratio(&ms->bucket, (uint32_t)step->a, rig->now);
    else
        bucket_discard(&ms->bucket, step->a, rig->now);
    sched_ms_changed(&rig->sched, ms, rig->now);
}

static void change_cell(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    struct sched_bvc *bvc = &rig->cells[step->who];
    if (step->op == LAB_CELL)
        bucket_set(&bvc->bucket, step->a, step->b, rig->now);
    else if (step->op == LAB_CELL_RATIO)
        bucket_set_ratio(&bvc->bucket, (uint32_t)step->a, rig->now);
    else
        bucket_discard(&bvc->bucket, step->a, rig->now);
    sched_bvc_changed(&rig->sched, bvc);
}

static void change_pfc(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    struct sched_ms *ms = &rig->ms[step->who];
    if (step->op == LAB_PFC_ADD) {
        assert_int_equal(sched_pfc_add(&rig->sched, ms, step->pfi, rig->now), (int)step->a);
    } else if (step->op == LAB_PFC_DEL) {
        sched_pfc_del(&rig->sched, ms, step->pfi, rig->now);
        assert_null(sched_pfc_get(&rig->sched, ms, step->pfi));
    } else {
        struct sched_extra *pfc = sched_pfc_get(&rig->sched, ms, step->pfi);
        assert_non_null(pfc);
        bucket_set(&pfc->bucket, step->a, step->b, rig->now);
        sched_pfc_changed(&rig->sched, pfc, rig->now);
    }
}

static void change_link(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    struct sched_link *link = &rig->links[step->who];
    if (step->op == LAB_LINK) {
        struct sched_link_rate rate = {.rate_bps = step->b, .max_octets = step->a, .signalling_percent = 50};
        sched_link_set(&rig->sched, link, &rate, rig->now);
        return;
    }
    assert_int_equal(sched_link_can_signal(link, (uint32_t)step->a, rig->now), (bool)step->b);
    if (step->b)
        sched_link_signal(link, (uint32_t)step->a, rig->now);
}

static void leave_or_come(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    struct sched *s = &rig->sched;
    struct sched_ms *ms = &rig->ms[step->who];
    switch (step->op) {
    case LAB_REMOVE:
        sched_ms_remove_pdp(s, ms, (uint32_t)step->a, rig->now);
        break;
    case LAB_FLUSH:
        sched_ms_flush(s, ms, (int)step->a);
        break;
    case LAB_TAKE:
        rig_take_all(rig, step->who, &lab->taken);
        break;
    case LAB_BACK:
        rig_put_back(rig, step->who, &lab->taken);
        break;
    case LAB_INIT:
        rig_init_ms(rig, step->who, (uint32_t)step->a);
        break;
    case LAB_MOVE:
        sched_ms_move(s, ms, &rig->cells[step->a], rig->now);
        break;
    case LAB_FREEZE:
        sched_ms_freeze(s, ms, (uint8_t)step->a);
        break;
    default:
        sched_ms_thaw(s, ms, (uint8_t)step->a, rig->now);
    }
}

/* --- what must be so --- */

static void assert_is(struct lab *lab, const struct lab_step *step, uint64_t found_a, uint64_t found_b)
{
    if (found_a != step->a || found_b != step->b)
        fail_msg("%s: at %lld check %d of %u finds %lld, %lld", lab->scenario->name, (long long)lab->rig.now,
                 (int)step->op, step->who, (long long)found_a, (long long)found_b);
}

static uint64_t sets_in_use(const struct sched *s)
{
    uint64_t used = s->flow_sets.count;
    for (uint32_t i = s->flow_sets.free_head; i != FLOW_SETS_NONE; used--)
        i = flow_sets_get(&s->flow_sets, i)->next_free;
    return used;
}

static void check_state(struct lab *lab, const struct lab_step *step)
{
    struct rig *rig = &lab->rig;
    const struct sched_ms *ms = &rig->ms[step->who];
    struct sched_limit limit = sched_ms_backlog(&rig->sched, ms);
    switch (step->op) {
    case LAB_PARKED:
        assert_is(lab, step, (ms->flags & SCHED_MS_PARKED) != 0, 0);
        break;
    case LAB_WAITS:
        assert_is(lab, step, sched_wait_read(ms, ms, rig->now).cause, 0);
        break;
    case LAB_BACKLOG:
        assert_is(lab, step, limit.octets, limit.pkts);
        break;
    case LAB_MODE:
        assert_is(lab, step, rig->cells[step->who].mode, 0);
        break;
    case LAB_CLASS:
        assert_is(lab, step, rig->links[step->who].classes[qclass_of(step->k)].octets,
                  rig->links[step->who].classes[qclass_of(step->k)].pkts);
        break;
    case LAB_NEXT:
        assert_is(lab, step, (uint64_t)sched_next_ns(&rig->sched), 0);
        break;
    case LAB_WHEEL:
        assert_in_range(rig->sched.wheel.count, 0, step->a);
        break;
    case LAB_SETS:
        assert_is(lab, step, sets_in_use(&rig->sched), rig->sched.flow_sets.missing);
        break;
    default:
        assert_is(lab, step, rig->sched.extras_missing, 0);
    }
}

/* --- a scenario --- */

static void apply(struct lab *lab, const struct lab_step *step)
{
    struct sched_ms *ms = &lab->rig.ms[step->who];
    if (step->op >= LAB_PARKED)
        check_state(lab, step);
    else if (step->op >= LAB_LINK)
        change_link(lab, step);
    else if (step->op == LAB_CELL_USE)
        sched_bvc_use(&lab->rig.sched, &lab->rig.cells[step->who], step->a != 0);
    else if (step->op >= LAB_CELL)
        change_cell(lab, step);
    else if (step->op >= LAB_PFC_ADD)
        change_pfc(lab, step);
    else if (step->op >= LAB_REMOVE)
        leave_or_come(lab, step);
    else if (step->op == LAB_PUT)
        put(lab, step);
    else if (step->op == LAB_N201_U)
        ms->n201_u = (uint16_t)step->a;
    else if (step->op == LAB_LIMIT)
        ms->limit_octets = (uint32_t)step->a;
    else
        change_ms(lab, step);
    rig_take_dropped(&lab->rig);
}

static void set_params(struct sched_params *params, const struct lab_scenario *scenario)
{
    sched_params_default(params);
    if (scenario->max_age_ns)
        params->max_age_ns = scenario->max_age_ns;
    if (scenario->ms_limit_pkts)
        params->ms_limit_pkts = scenario->ms_limit_pkts;
    params->flow_queues = scenario->flow_queues;
    params->fifo_classes = scenario->fifo;
    params->sfq_classes = scenario->sfq;
    params->ms_quantum_octets = scenario->ms_quantum_octets;
    params->flow_tags = scenario->flow_tags;
    params->credit_octets = scenario->credit_octets;
    if (scenario->quantum_octets)
        params->flow_quantum_octets = scenario->quantum_octets;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (scenario->class_limits[k].octets)
            params->class_limits[qclass_of(k)] = scenario->class_limits[k];
}

static void lab_new(struct lab *lab, const struct lab_scenario *scenario)
{
    struct rig_counts counts = {LAB_MS,    LAB_EXTRAS,
                                LAB_CELLS, LAB_LINKS,
                                N_PDUS,    scenario->flow_sets ? scenario->flow_sets : LAB_EXTRAS};
    struct sched_params params;
    set_params(&params, scenario);
    *lab = (struct lab){.scenario = scenario};
    rig_new(&lab->rig, &counts, &params);
    lab->rig.arg = lab;
    lab->rig.on_sent = on_sent;
    lab->rig.on_gone = on_gone;
    for (uint32_t i = 0; i < LAB_CELLS; i++) {
        sched_bvc_use(&lab->rig.sched, &lab->rig.cells[i], false);
        sched_bvc_init(&lab->rig.cells[i], &lab->rig.links[scenario->link_of[i]], 0);
        bucket_init(&lab->rig.cells[i].bucket, RIG_WIDE_OPEN, 0);
        sched_bvc_use(&lab->rig.sched, &lab->rig.cells[i], true);
    }
    for (uint32_t i = 0; i < LAB_MS; i++) {
        rig_init_ms(&lab->rig, i, scenario->cell_of[i]);
        lab->rig.ms[i].link_octets = scenario->link_octets;
        if (scenario->segment_octets)
            lab->rig.ms[i].n201_u = scenario->segment_octets;
    }
}

static void assert_complete(struct lab *lab)
{
    const struct lab_scenario *scenario = lab->scenario;
    if (scenario->sent[lab->sent].llc_octets || scenario->dropped[lab->gone].octets)
        fail_msg("%s: only %u LLC-PDUs left, %u N-PDUs dropped", scenario->name, lab->sent, lab->gone);
    if (lab->rig.vain != scenario->vain)
        fail_msg("%s: woken in vain %llu times", scenario->name, (unsigned long long)lab->rig.vain);
}

static void play(const struct lab_scenario *scenario, bool is_short)
{
    static struct lab lab;
    lab_new(&lab, scenario);
    lab.rig.is_short = is_short;
    for (const struct lab_step *step = scenario->steps; step->op != LAB_END; step++) {
        if (step->at_ns > lab.rig.now)
            run(&lab, step->at_ns);
        apply(&lab, step);
        audit(&lab, audit_books(&lab.rig));
        audit(&lab, audit_wheel(&lab.rig));
    }
    run(&lab, MOMENT_NEVER);
    assert_complete(&lab);
    rig_free(&lab.rig);
}

void lab_play(const struct lab_scenario *scenario)
{
    play(scenario, false);
    if (!scenario->queued_only)
        play(scenario, true);
}
