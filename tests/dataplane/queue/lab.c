/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/dataplane/queue/lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define N_PDUS    64
#define PATIENCE  10000
#define WIDE_OPEN BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS

struct lab {
    const struct lab_scenario *scenario;
    struct sched sched;
    struct sched_bvc cells[LAB_CELLS];
    struct sched_ms ms[LAB_MS];
    struct n_pdu n_pdus[N_PDUS];
    int64_t now;
    uint32_t in, out, llc_out, dropped;
};

static void add_ms(struct lab *lab, uint8_t who)
{
    struct sched_ms *ms = &lab->ms[who];
    uint16_t octets = lab->scenario->segment_octets ? lab->scenario->segment_octets : UINT16_MAX;
    sched_ms_init(ms, &lab->cells[lab->scenario->cell_of[who]], lab->now);
    bucket_init(&ms->bucket, WIDE_OPEN, lab->now);
    ms->queue.segmenting = (struct segmenting){.first_octets = octets, .next_octets = octets};
    ms->queue.limit_octets = 1000000;
    ms->queue.max_age_ns = MOMENT_NEVER;
}

static void lab_new(struct lab *lab, const struct lab_scenario *scenario)
{
    sched_free(&lab->sched); /* a scenario that failed did not come so far */
    *lab = (struct lab){.scenario = scenario};
    assert_true(sched_new(&lab->sched, LAB_MS, LAB_CELLS));
    for (uint8_t i = 0; i < LAB_CELLS; i++) {
        sched_bvc_init(&lab->cells[i], lab->now);
        bucket_init(&lab->cells[i].bucket, WIDE_OPEN, lab->now);
        sched_bvc_use(&lab->sched, &lab->cells[i], true);
    }
    for (uint8_t i = 0; i < LAB_MS; i++)
        add_ms(lab, i);
}

static void note_sent(struct lab *lab, const struct sched_grant *grant)
{
    const struct lab_sent *row = &lab->scenario->sent[lab->llc_out];
    uint8_t ms = (uint8_t)(grant->ms - lab->ms);
    if (lab->llc_out + 1 >= LAB_ROWS || row->at_ns != lab->now || row->ms != ms ||
        row->llc_octets != grant->next.llc_octets)
        fail_msg("%s: mobile %u sends %u octets at %lld as number %u", lab->scenario->name, ms,
                 grant->next.llc_octets, (long long)lab->now, lab->llc_out);
    assert_int_equal(grant->offset, grant->segment * lab->scenario->segment_octets);
    assert_int_equal(grant->n_pdu->sent_octets, grant->offset + grant->next.payload_octets);
    lab->llc_out++;
    lab->out += grant->next.last;
}

static void note_dropped(struct lab *lab, const struct n_pdu *n_pdu, unsigned reason)
{
    const struct lab_dropped *row = &lab->scenario->dropped[lab->dropped];
    if (lab->dropped + 1 >= LAB_ROWS || row->at_ns != lab->now || row->octets != n_pdu->octets ||
        row->reason != reason)
        fail_msg("%s: %u octets dropped at %lld: %s", lab->scenario->name, n_pdu->octets, (long long)lab->now,
                 drop_name(reason));
    lab->dropped++;
}

static void take_dropped(struct lab *lab)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&lab->sched.dropped)))
        note_dropped(lab, n_pdu, n_pdu->drop_reason);
}

static void run(struct lab *lab, int64_t until_ns)
{
    for (unsigned i = 0; i < PATIENCE; i++) {
        struct sched_grant grant;
        sched_advance(&lab->sched, lab->now);
        take_dropped(lab);
        while (sched_pick(&lab->sched, &grant, lab->now))
            note_sent(lab, &grant);
        int64_t next_ns = sched_next_ns(&lab->sched);
        if (next_ns <= lab->now)
            fail_msg("%s: nothing to do at %lld, and no rest", lab->scenario->name, (long long)lab->now);
        if (next_ns >= until_ns && lab->now == until_ns)
            return;
        lab->now = moment_min(next_ns, until_ns);
        if (lab->now == MOMENT_NEVER)
            return;
    }
    fail_msg("%s: does not come to an end", lab->scenario->name);
}

static void put(struct lab *lab, const struct lab_step *step)
{
    struct n_pdu *n_pdu = &lab->n_pdus[lab->in++];
    *n_pdu = (struct n_pdu){.arrival_ns = lab->now, .octets = (uint16_t)step->a, .pdp = (uint32_t)step->b};
    int reason = sched_enqueue(&lab->sched, &lab->ms[step->who], n_pdu);
    if (reason != DROP_NONE)
        note_dropped(lab, n_pdu, (unsigned)reason);
}

static void leave(struct lab *lab, struct sched_ms *ms, int reason)
{
    sched_ms_flush(&lab->sched, ms, reason);
    assert_int_equal(ms->wake.pos, 0);
    assert_int_equal(ms->expiry.pos, 0);
    assert_int_equal(ms->queue.pkts, 0);
    assert_int_equal(ms->queue.octets, 0);
    assert_int_equal(ms->state, SCHED_STATE_IDLE);
    for (const struct sched_ms *other = ms->bvc->head; other; other = other->next)
        assert_ptr_not_equal(other, ms);
}

static void change_ms(struct lab *lab, const struct lab_step *step)
{
    struct sched_ms *ms = &lab->ms[step->who];
    if (step->op == LAB_SET)
        bucket_set(&ms->bucket, step->a, step->b, lab->now);
    else if (step->op == LAB_RATIO)
        bucket_set_ratio(&ms->bucket, (uint32_t)step->a, lab->now);
    else
        bucket_discard(&ms->bucket, step->a, lab->now);
    sched_ms_changed(&lab->sched, ms);
}

static void change_cell(struct lab *lab, const struct lab_step *step)
{
    struct sched_bvc *bvc = &lab->cells[step->who];
    if (step->op == LAB_CELL)
        bucket_set(&bvc->bucket, step->a, step->b, lab->now);
    else
        bucket_discard(&bvc->bucket, step->a, lab->now);
    sched_bvc_changed(&lab->sched, bvc);
}

static void assert_so(struct lab *lab, const struct lab_step *step)
{
    const struct sched_ms *ms = &lab->ms[step->who];
    uint64_t is = step->op == LAB_STATE        ? (uint64_t)ms->state
                  : step->op == LAB_TURN       ? (uint64_t)(ms->bvc->head == ms)
                  : step->op == LAB_CELL_STATE ? (uint64_t)lab->cells[step->who].state
                                               : (uint64_t)sched_next_ns(&lab->sched);
    if (is != step->a)
        fail_msg("%s: at %lld the check of %u finds %lld", lab->scenario->name, (long long)lab->now,
                 step->who, (long long)is);
}

static void apply(struct lab *lab, const struct lab_step *step)
{
    struct sched_ms *ms = &lab->ms[step->who];
    switch (step->op) {
    case LAB_PUT:
        put(lab, step);
        break;
    case LAB_SET:
    case LAB_RATIO:
    case LAB_DISCARD:
        change_ms(lab, step);
        break;
    case LAB_AGE:
        ms->queue.max_age_ns = (int64_t)step->a;
        break;
    case LAB_LIMIT:
        ms->queue.limit_octets = (uint32_t)step->a;
        break;
    case LAB_REMOVE:
        sched_remove_pdp(&lab->sched, ms, (uint32_t)step->a);
        break;
    case LAB_FLUSH:
        leave(lab, ms, (int)step->a);
        break;
    case LAB_INIT:
        add_ms(lab, step->who);
        break;
    case LAB_CELL:
    case LAB_CELL_DISCARD:
        change_cell(lab, step);
        break;
    case LAB_CELL_USE:
        sched_bvc_use(&lab->sched, &lab->cells[step->who], step->a != 0);
        break;
    default:
        assert_so(lab, step);
    }
}

static void assert_accounts(const struct lab *lab)
{
    const struct lab_scenario *scenario = lab->scenario;
    uint32_t queued = 0;
    for (uint8_t i = 0; i < LAB_MS; i++)
        queued += lab->ms[i].queue.pkts;
    if (lab->in != lab->out + lab->dropped + queued)
        fail_msg("%s: %u in, %u out, %u dropped, %u queued", scenario->name, lab->in, lab->out, lab->dropped,
                 queued);
    if (scenario->sent[lab->llc_out].llc_octets || scenario->dropped[lab->dropped].octets)
        fail_msg("%s: only %u LLC-PDUs left, %u N-PDUs dropped", scenario->name, lab->llc_out, lab->dropped);
}

void lab_play(const struct lab_scenario *scenario)
{
    static struct lab lab;
    lab_new(&lab, scenario);
    for (const struct lab_step *step = scenario->steps; step->op != LAB_END; step++) {
        if (step->at_ns > lab.now)
            run(&lab, step->at_ns);
        apply(&lab, step);
        take_dropped(&lab);
    }
    run(&lab, MOMENT_NEVER);
    assert_accounts(&lab);
    sched_free(&lab.sched);
}
