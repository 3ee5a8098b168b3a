/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/relocation.h"
#include "app/run/cells.h"
#include "app/run/sgsns.h"
#include "app/run/summary.h"

#include "bss/bss_ms.h"
#include "control/base/words.h"
#include "control/report/node_fields.h"
#include "control/report/totals.h"
#include "dataplane/base/address.h"
#include "dataplane/wire/llc.h"
#include "sim/delay_line.h"
#include "sim/timers.h"

#include <stdio.h>
#include <stdlib.h>

enum kind { HOLDS, FLUSHES, TAKES, FORWARDS, SWITCHES, COMPLETES, FORGETS };

/* Contexts that an SGSN has of a mobile that is gone. */
struct departure {
    struct timer timer; /* FORGETS; rank: its index in departures[] */
    bool is_forwarding;
};

struct relocated {
    struct timer timers[FORGETS]; /* by kind; rank: the mobile's index */
    uint16_t from, to;            /* SGSNs of the update that runs */
    uint16_t old_cell;            /* of `from`, where it was last */
    uint16_t cell;                /* likewise of `to` */
    uint16_t forwarder;           /* the SGSN whose N-PDUs its SGSN takes; NO_SGSN: none */
    bool is_begun;                /* the network has seen its request, and not yet its end */
    bool is_running;              /* no step waits for the mobile */
    bool is_updating;             /* the mobile has left its old cell, and not seen the end */
    bool is_away;                 /* it has no cell */
    int64_t left_ns;              /* its old cell, in the update that runs */
    int64_t silent_ns;            /* since then no N-PDU was delivered; MOMENT_NEVER: none is awaited */
    struct delay_line waiting;    /* uplink packets */
};

#define NO_SGSN UINT16_MAX

struct run_relocations {
    struct relocated *of;         /* by mobile */
    struct departure *departures; /* by mobile, then SGSN */
    struct timers agenda;
    struct sgsn_counts {
        uint64_t arrived, departed;
    } * counts; /* by SGSN */
    uint64_t updates, kept, uplink_dropped;
    struct samples lengths, silences;
};

/* --- the parts --- */

static struct relocated *state_of(const struct run_mobile *mobile)
{
    return &mobile->run->relocations->of[mobile - mobile->run->mobiles];
}

static struct departure *departure_of(const struct run_mobile *mobile, uint16_t sgsn)
{
    const struct scenario_run *r = mobile->run;
    return &r->relocations->departures[(size_t)(mobile - r->mobiles) * r->sgsn_count + sgsn];
}

static const struct scenario_config_relocation *times_of(const struct run_mobile *mobile)
{
    return &mobile->run->scenario.relocation;
}

static void plan_event(struct run_mobile *mobile, enum kind kind, int64_t at_ns)
{
    timers_set(&mobile->run->relocations->agenda, &state_of(mobile)->timers[kind], at_ns);
}

/* --- orders to an SGSN --- */

static void order(struct run_sgsn *sgsn, const struct run_mobile *mobile, struct msg *msg, bool is_of_pdp)
{
    const struct session *session = run_sgsns_session(sgsn, mobile);
    if (!session)
        return;
    msg->slot = is_of_pdp ? session->pdp : session->mobile;
    core_order(&sgsn->node.core, msg);
}

static void order_hold(struct run_sgsn *sgsn, const struct run_mobile *mobile, bool is_held)
{
    struct msg msg = {.type = MSG_MS_HOLD, .is_held = is_held};
    order(sgsn, mobile, &msg, false);
}

static void order_from(struct run_sgsn *sgsn, const struct run_mobile *mobile, uint32_t address)
{
    struct msg msg = {.type = MSG_PDP_FROM, .forwarder_ip = address};
    order(sgsn, mobile, &msg, true);
}

static void end_contexts(struct run_sgsn *sgsn, const struct run_mobile *mobile)
{
    struct session *session = run_sgsns_session(sgsn, mobile);
    if (session)
        sessions_end(&sgsn->node.sessions, session);
}

/* --- the steps of an update --- */

static void begin(struct run_mobile *mobile, int64_t now)
{
    struct relocated *m = state_of(mobile);
    const struct scenario_config_relocation *times = times_of(mobile);
    m->from = mobile->sgsn;
    m->to = mobile->run->scenario.cells[mobile->cell].sgsn;
    m->cell = mobile->cell;
    m->is_begun = m->is_running = true;
    plan_event(mobile, HOLDS, now + times->request_ns + times->delay_ns);
}

static void hold(struct run_mobile *mobile, int64_t now)
{
    struct scenario_run *r = mobile->run;
    const struct relocated *m = state_of(mobile);
    const struct scenario_config_relocation *times = times_of(mobile);
    order_hold(&r->sgsns[m->from], mobile, true);
    plan_event(mobile, FLUSHES, now + r->scenario.network.gb_delay_ns + 1); /* behind the last LLC-PDU */
    struct departure *departure = departure_of(mobile, m->from);
    timers_set(&r->relocations->agenda, &departure->timer, now + times->hold_ns);
    plan_event(mobile, TAKES, now + times->delay_ns + times->security_ns);
}

static void flush(struct run_mobile *mobile, int64_t now)
{
    const struct scenario_run *r = mobile->run;
    uint16_t cell = state_of(mobile)->old_cell;
    bss_ms_drop_down(run_sgsns_bss(r, cell), mobile->config->tlli, r->scenario.cells[cell].bvci, now);
}

/* The contexts that it may still have there are of before. */
static void add_contexts(struct run_mobile *mobile)
{
    struct scenario_run *r = mobile->run;
    const struct relocated *m = state_of(mobile);
    struct run_sgsn *to = &r->sgsns[m->to];
    struct departure *departure = departure_of(mobile, m->to);
    timers_cancel(&r->relocations->agenda, &departure->timer);
    departure->is_forwarding = false;
    end_contexts(to, mobile);
    struct node_config_mobile listed = to->node.config.list[mobile - r->mobiles];
    listed.cell = scenario_config_place(&r->scenario, m->cell);
    sessions_listed_add(&to->node.sessions, &to->node.config, &listed);
}

static void take(struct run_mobile *mobile, int64_t now)
{
    struct scenario_run *r = mobile->run;
    struct relocated *m = state_of(mobile);
    const struct scenario_config_relocation *times = times_of(mobile);
    int64_t gn_ns = r->scenario.network.gn_delay_ns;
    int64_t update_ns = moment_max(times->update_ns, moment_max(2 * gn_ns, times->delay_ns));
    add_contexts(mobile);
    order_hold(&r->sgsns[m->to], mobile, true);
    if (times->is_forwarding)
        order_from(&r->sgsns[m->to], mobile, r->sgsns[m->from].address);
    m->forwarder = times->is_forwarding ? m->from : NO_SGSN;
    mobile->sgsn = m->to;
    plan_event(mobile, FORWARDS, now + times->delay_ns);
    plan_event(mobile, SWITCHES, now + gn_ns);
    plan_event(mobile, COMPLETES, now + update_ns + times->accept_ns);
}

static void forward(struct run_mobile *mobile, int64_t unused_now)
{
    struct scenario_run *r = mobile->run;
    const struct relocated *m = state_of(mobile);
    const struct session *taken = run_sgsns_session(&r->sgsns[m->to], mobile);
    bool is_forwarding = times_of(mobile)->is_forwarding && taken;
    struct msg msg = {.type = MSG_PDP_FORWARD,
                      .forward = {.ip = is_forwarding ? r->sgsns[m->to].address : ADDRESS_NONE,
                                  .teid = is_forwarding ? taken->teid : 0,
                                  .nsapi = mobile->stack.nsapi}};
    departure_of(mobile, m->from)->is_forwarding = is_forwarding;
    order(&r->sgsns[m->from], mobile, &msg, false);
}

static void change_tunnel(struct run_mobile *mobile, int64_t unused_now)
{
    struct scenario_run *r = mobile->run;
    struct run_sgsn *to = &r->sgsns[state_of(mobile)->to];
    const struct session *session = run_sgsns_session(to, mobile);
    struct ggsn_tunnel *tunnel = &r->tunnels[mobile - r->mobiles];
    if (!session)
        return;
    tunnel->sgsn_ip = to->address;
    tunnel->teid = session->teid;
}

/* User data goes both ways. */
static void resume(struct run_mobile *mobile, int64_t now)
{
    struct relocated *m = state_of(mobile);
    m->is_updating = m->is_begun = false;
    m->left_ns = MOMENT_NEVER;
    run_cells_update(mobile, now);
    (void)delay_line_step(&m->waiting, now);
}

/* The mobile has its new LLC. */
static void finish(struct run_mobile *mobile, int64_t now)
{
    struct run_relocations *all = mobile->run->relocations;
    struct relocated *m = state_of(mobile);
    all->updates++;
    all->counts[m->to].arrived++;
    all->counts[m->from].departed++;
    samples_add(&all->lengths, now - m->left_ns);
    ms_stack_reset(&mobile->stack, now);
    mobile->tap.llc = (struct llc_entity){0};
    order_hold(&mobile->run->sgsns[m->to], mobile, false);
    m->silent_ns = m->left_ns;
    resume(mobile, now);
}

static void complete(struct run_mobile *mobile, int64_t now)
{
    struct relocated *m = state_of(mobile);
    m->is_running = false;
    if (m->is_away)
        return;
    if (mobile->run->scenario.cells[mobile->cell].sgsn == mobile->sgsn) {
        finish(mobile, now);
        return;
    }
    m->old_cell = m->cell;
    begin(mobile, now);
}

static void forget(struct scenario_run *r, uint32_t index)
{
    struct run_mobile *mobile = &r->mobiles[index / r->sgsn_count];
    uint16_t sgsn = (uint16_t)(index % r->sgsn_count);
    struct relocated *m = state_of(mobile);
    end_contexts(&r->sgsns[sgsn], mobile);
    r->relocations->departures[index].is_forwarding = false;
    if (m->forwarder != sgsn)
        return;
    m->forwarder = NO_SGSN;
    order_from(&r->sgsns[mobile->sgsn], mobile, ADDRESS_NONE);
}

int64_t run_relocation_step(void *run, int64_t now)
{
    static void (*const steps[])(struct run_mobile *, int64_t) = {
        [HOLDS] = hold,       [FLUSHES] = flush,          [TAKES] = take,
        [FORWARDS] = forward, [SWITCHES] = change_tunnel, [COMPLETES] = complete};
    struct scenario_run *r = run;
    struct timer *timer;
    bool has_moved = false;
    r->now = now;
    while ((timer = timers_take_due(&r->relocations->agenda, now))) {
        has_moved = true;
        if (timer->kind == FORGETS)
            forget(r, timer->rank);
        else
            steps[timer->kind](&r->mobiles[timer->rank], now);
    }
    return has_moved ? now : timers_next_ns(&r->relocations->agenda);
}

/* --- begin and end of a run --- */

bool run_relocation_new(struct scenario_run *r, run_links_out *resumed)
{
    uint32_t mobiles = r->scenario.mobile_count;
    size_t departures = (size_t)mobiles * r->sgsn_count;
    if (r->sgsn_count == 1)
        return true;
    struct run_relocations *all = r->relocations = calloc(1, sizeof(*all));
    if (!all)
        return false;
    all->of = calloc(mobiles, sizeof(*all->of));
    all->departures = calloc(departures, sizeof(*all->departures));
    all->counts = calloc(r->sgsn_count, sizeof(*all->counts));
    if (!all->of || !all->departures || !all->counts)
        return false;
    for (uint32_t i = 0; i < mobiles; i++) {
        struct relocated *m = &all->of[i];
        m->forwarder = NO_SGSN;
        m->left_ns = m->silent_ns = MOMENT_NEVER;
        for (enum kind kind = HOLDS; kind < FORGETS; kind++)
            m->timers[kind] = (struct timer){.kind = kind, .rank = i};
        delay_line_init(&m->waiting, 0, resumed, r);
    }
    for (uint32_t i = 0; i < departures; i++)
        all->departures[i].timer = (struct timer){.kind = FORGETS, .rank = i};
    return true;
}

void run_relocation_free(struct scenario_run *r)
{
    struct run_relocations *all = r->relocations;
    if (!all)
        return;
    for (uint32_t i = 0; all->of && i < r->scenario.mobile_count; i++)
        delay_line_fini(&all->of[i].waiting);
    timers_free(&all->agenda);
    samples_free(&all->lengths);
    samples_free(&all->silences);
    free(all->of);
    free(all->departures);
    free(all->counts);
    free(all);
    r->relocations = NULL;
}

/* --- the mobile's side --- */

bool run_relocation_is(const struct run_mobile *mobile, uint16_t to)
{
    const struct scenario_run *r = mobile->run;
    return r->relocations && (state_of(mobile)->is_updating || r->scenario.cells[to].sgsn != mobile->sgsn);
}

void run_relocation_leave(struct run_mobile *mobile, int64_t now)
{
    struct relocated *m = state_of(mobile);
    m->is_away = true;
    if (!m->is_updating)
        m->left_ns = now;
    m->is_updating = true;
}

/* The mobile is in a cell, and the network waits for it, or has not seen it yet. */
static void ask(struct run_mobile *mobile, int64_t now)
{
    const struct relocated *m = state_of(mobile);
    const struct scenario_config_relocation *times = times_of(mobile);
    if (mobile->run->scenario.cells[mobile->cell].sgsn != mobile->sgsn)
        begin(mobile, now);
    else if (m->is_begun)
        plan_event(mobile, COMPLETES, now + times->request_ns + times->accept_ns);
    else
        resume(mobile, now);
}

void run_relocation_arrive(struct run_mobile *mobile, uint16_t to, int64_t now)
{
    struct scenario_run *r = mobile->run;
    struct relocated *m = state_of(mobile);
    struct bss *before = mobile->bss;
    uint16_t from = r->scenario.cells[mobile->cell].bvci;
    run_relocation_leave(mobile, now);
    m->is_away = false;
    bss_ms_leave(before, mobile->config->tlli, from);
    r->relocations->uplink_dropped += bss_ms_drop_up(before, mobile->config->tlli, from, now);
    if (!m->is_begun)
        m->old_cell = mobile->cell;
    mobile->cell = to;
    mobile->bss = run_sgsns_bss(r, to);
    run_cells_enter(mobile);
    bss_ms_return(mobile->bss, mobile->config->tlli, r->scenario.cells[to].bvci, now);
    if (m->is_running && r->scenario.cells[to].sgsn == m->to)
        m->cell = to;
    if (!m->is_running)
        ask(mobile, now);
}

bool run_relocation_keeps(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now)
{
    if (!mobile->run->relocations || !state_of(mobile)->is_updating)
        return false;
    mobile->run->relocations->kept++;
    delay_line_put(&state_of(mobile)->waiting, packet, octets, now);
    return true;
}

void run_relocation_delivered(struct run_mobile *mobile, int64_t now)
{
    struct run_relocations *all = mobile->run->relocations;
    if (!all || state_of(mobile)->silent_ns == MOMENT_NEVER)
        return;
    samples_add(&all->silences, now - state_of(mobile)->silent_ns);
    state_of(mobile)->silent_ns = MOMENT_NEVER;
}

bool run_relocation_forwards(const struct run_mobile *mobile, const struct run_sgsn *sgsn)
{
    const struct scenario_run *r = mobile->run;
    return r->relocations && departure_of(mobile, (uint16_t)(sgsn - r->sgsns))->is_forwarding;
}

/* --- figures --- */

struct relocation_record {
    uint64_t updates, forwarded, octets, behind, handed_over, kept, uplink_dropped;
    struct quantiles lengths, silences;
};

static struct relocation_record relocation_record_of(struct scenario_run *r)
{
    struct run_relocations *all = r->relocations;
    struct worker_stats w = run_sgsns_stats(r);
    return (struct relocation_record){.updates = all->updates,
                                      .forwarded = w.forward_npdu_out,
                                      .octets = w.forward_octets_out,
                                      .behind = w.forward_behind,
                                      .handed_over = w.gn_drops[DROP_HANDED_OVER],
                                      .kept = all->kept,
                                      .uplink_dropped = all->uplink_dropped,
                                      .lengths = quantiles_of(&all->lengths),
                                      .silences = quantiles_of(&all->silences)};
}

void run_relocation_each(const void *record, struct field_sink *sink)
{
    struct scenario_run *r = ((const struct summary *)record)->run;
    if (!r->relocations)
        return;
    const struct relocation_record row = relocation_record_of(r);
    field_put(sink, NULL, &row);
}

void run_relocation_print(struct scenario_run *r)
{
    if (!r->relocations)
        return;
    const struct relocation_record row = relocation_record_of(r);
    printf("\n%lu update%s into another SGSN", (unsigned long)row.updates, words_plural(row.updates));
    if (r->relocations->silences.count)
        printf(", %.3f s without an N-PDU on average", (double)row.silences.mean_ns / MOMENT_SECOND);
    printf("; %lu N-PDUs forwarded, %lu dropped as handed over\n", (unsigned long)row.forwarded,
           (unsigned long)row.handed_over);
}

#define ROW(kind, name, unit, member, sentence)                                                              \
    FIELD(struct relocation_record, kind, name, unit, member, sentence)

const struct field run_relocation_fields[] = {
    ROW(COUNTER, "updates", "times", updates, "Routing area updates into another SGSN that ended."),
    ROW(COUNTER, "forwarded", "N-PDUs", forwarded, "N-PDUs that old SGSNs sent to new ones."),
    ROW(COUNTER, "forwarded_octets", "octets", octets, "Octets of these N-PDUs."),
    ROW(COUNTER, "behind", "N-PDUs", behind,
        "N-PDUs of the GGSN that waited in new SGSNs behind forwarded ones."),
    ROW(COUNTER, "handed_over", "N-PDUs", handed_over, "N-PDUs that old SGSNs dropped as handed over."),
    ROW(COUNTER, "uplink_kept", "packets", kept, "Uplink packets that waited at mobiles for the end."),
    ROW(COUNTER, "uplink_dropped", "LLC-PDUs", uplink_dropped,
        "Uplink LLC-PDUs that mobiles had not sent when they left, dropped as LLC began from 0."),
    FIELD_INSIDE(OBJECT, "update_s", offsetof(struct relocation_record, lengths), quantiles_whole,
                 "Time from the old cell to the end of the update; null without one."),
    FIELD_INSIDE(OBJECT, "interruption_s", offsetof(struct relocation_record, silences), quantiles_whole,
                 "Time from the old cell to the first N-PDU that the mobile has from the new SGSN; null "
                 "without one."),
    FIELD_END,
};

struct sgsn_record {
    struct node_fields node; /* the first: its fields' functions take the record of a node */
    struct sgsn_counts counts;
};

void run_relocation_each_sgsn(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    for (unsigned i = 0; r->relocations && i < r->sgsn_count; i++) {
        const struct sgsn_record row = {node_fields_of(&r->sgsns[i].node), r->relocations->counts[i]};
        field_put(sink, r->sgsns[i].config->name, &row);
    }
}

static const struct field npdus[] = {
    FIELD_ROWS(0, worker_fields_npdus),
    FIELD(struct totals, COUNTER, "forwarded", "N-PDUs", forwarded, "N-PDUs that left for another SGSN."),
    FIELD_END,
};

static void each_aqm(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct sgsn_record *)record)->node.node;
    struct aqm_fields row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++)
        if (node_fields_aqm_of(node->workers, node->worker_count, k, &row))
            field_put(sink, row.class, &row);
}

const struct field run_relocation_sgsn_fields[] = {
    FIELD(struct sgsn_record, COUNTER, "arrived", "mobiles", counts.arrived,
          "Updates of mobiles that came from another SGSN."),
    FIELD(struct sgsn_record, COUNTER, "departed", "mobiles", counts.departed,
          "Updates of mobiles that went to another SGSN."),
    WORKER_FIELD(struct sgsn_record, "from_other_sgsns", node.stats, forward_npdu_in),
    FIELD_COUNTERS(struct sgsn_record, "drops", "N-PDUs", node.stats.gn_drops, drop_fields_npdus,
                   "N-PDUs dropped in this SGSN, by reason."),
    FIELD_INSIDE(OBJECT, "npdus", offsetof(struct sgsn_record, node.totals), npdus,
                 "Its N-PDUs: in = out + forwarded + dropped + queued."),
    FIELD_INSIDE(MAP, "aqm", 0, aqm_fields, "A traffic class with an AQM scheme.", .label = "CLASS",
                 .each = each_aqm),
    FIELD_INSIDE(LIST, "paths", 0, path_fields, "A GTP-U path of this SGSN.", .each = node_fields_each_path),
    FIELD_ROWS(offsetof(struct sgsn_record, node), worker_fields_pacing),
    FIELD_END,
};
