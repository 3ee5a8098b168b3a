/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/words.h"
#include "app/run/cell_changes.h"
#include "app/run/cells.h"
#include "app/run/relocation.h"
#include "app/run/sgsns.h"
#include "app/run/summary.h"

#include "bss/bss_ms.h"
#include "bss/cell_gap.h"
#include "bss/motion.h"
#include "bss/reselect.h"
#include "control/report/totals.h"
#include "sim/timers.h"

#include <stdio.h>
#include <stdlib.h>

/* --- a cell change --- */

static void move(struct scenario_run *r, const struct scenario_config_move *move, int64_t now)
{
    struct run_mobile *mobile = &r->mobiles[move->mobile];
    uint16_t from = r->scenario.cells[mobile->cell].bvci, to = r->scenario.cells[move->cell].bvci;

    bool is_update = run_relocation_is(mobile, move->cell);

    if (move->is_leaving) {
        bss_ms_leave(mobile->bss, mobile->config->tlli, from);
        if (is_update)
            run_relocation_leave(mobile, now);
        return;
    }
    if (is_update) {
        run_relocation_arrive(mobile, move->cell, now);
        return;
    }
    if (from == to) {
        bss_ms_return(mobile->bss, mobile->config->tlli, to, now);
        return;
    }
    struct bss *before = mobile->bss;
    mobile->cell = move->cell;
    mobile->bss = run_sgsns_bss(r, move->cell);
    run_cells_enter(mobile);
    bss_ms_hand_over(before, mobile->config->tlli, from, mobile->bss, to, now);
    run_cells_update(mobile, now);
}

/* --- mobiles that move --- */

enum { MEASURES, ARRIVES, AWAITS };

#define POLL_NS (MOMENT_SECOND / 50) /* of an uplink queue: a radio block */

/* Keeps the random numbers of motion apart from those of radio and traffic. */
#define MOTION_SEED UINT64_C(0x6d6f74696f6e)

struct roamer {
    struct timer timer, poll;
    struct motion motion;
    struct reselect reselect;
    struct cell_gap gap; /* the present one */
    int64_t seen_ns;     /* its place is of then */
    int64_t left_ns;     /* it has no cell since; MOMENT_NEVER: it has one */
    int64_t silent_ns;   /* since then: left_ns of the gap whose first uplink LLC-PDU is awaited */
    uint64_t waiting;    /* uplink LLC-PDUs that waited at the last poll */
    uint32_t mobile;
    uint16_t within; /* the cell in whose borders it is */
    uint16_t to;     /* the cell to which it goes */
};

struct figures {
    uint64_t crossings, reselections, area_changes;
    struct cell_gap parts; /* sums over gaps */
    int64_t away_ns;
};

struct run_roaming {
    struct reselect_config config; /* of the scenario, with lists of cells */
    double *offsets_db;
    uint8_t *areas;
    struct roamer *roamers;
    struct reselect_cell *cells; /* of each roamer, one after the other */
    uint32_t count;
    struct timers agenda;
    struct figures figures;
    struct samples gaps, outages;
};

static uint32_t count_roamers(const struct scenario_config *scenario)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->mobile_count; i++)
        count += scenario->mobiles[i].speed_mps > 0;
    return count;
}

static struct run_roaming *moves_make(const struct scenario_config *scenario, uint32_t count)
{
    struct run_roaming *roaming = calloc(1, sizeof(*roaming));
    if (!roaming)
        return NULL;
    roaming->offsets_db = calloc(scenario->cell_count, sizeof(*roaming->offsets_db));
    roaming->areas = calloc(scenario->cell_count, sizeof(*roaming->areas));
    roaming->roamers = calloc(count + 1, sizeof(*roaming->roamers));
    roaming->cells = calloc((size_t)count * scenario->cell_count + 1, sizeof(*roaming->cells));
    return roaming;
}

static void set_cells(struct run_roaming *roaming, const struct scenario_config *scenario)
{
    for (uint32_t i = 0; i < scenario->cell_count; i++) {
        roaming->offsets_db[i] = scenario->cells[i].reselect_offset_db;
        roaming->areas[i] = scenario->cells[i].routing_area;
    }
    roaming->config = scenario->mobility.reselect;
    roaming->config.cells = scenario->cell_count;
    roaming->config.offsets_db = roaming->offsets_db;
    roaming->config.areas = roaming->areas;
}

/* Measurements of different mobiles are spread over the interval. */
static void add_roamer(struct scenario_run *r, struct run_roaming *roaming, uint32_t mobile, uint32_t count)
{
    const struct scenario_config_mobility *mobility = &r->scenario.mobility;
    uint32_t i = roaming->count++;
    struct roamer *roamer = &roaming->roamers[i];
    struct motion_config motion = mobility->motion;
    uint16_t cell = r->scenario.mobiles[mobile].cell;

    motion.speed_mps = r->scenario.mobiles[mobile].speed_mps;
    motion.seed = r->scenario.seed ^ MOTION_SEED;
    motion.stream = 2 * (uint64_t)mobile;
    *roamer = (struct roamer){.mobile = mobile, .seen_ns = r->begin_ns, .left_ns = MOMENT_NEVER};
    roamer->timer = (struct timer){.kind = MEASURES, .rank = i};
    roamer->poll = (struct timer){.kind = AWAITS, .rank = i};
    motion_init(&roamer->motion, &mobility->layout, &motion, cell);
    rng_init(&roamer->reselect.rng, motion.seed, motion.stream + 1);
    reselect_init(&roamer->reselect, &roaming->config, &roaming->cells[(size_t)i * r->scenario.cell_count],
                  cell);
    roamer->within = (uint16_t)motion_cell(&roamer->motion, &mobility->layout);
    timers_set(&roaming->agenda, &roamer->timer, r->begin_ns + mobility->measure_ns * i / count);
}

bool run_cell_changes_new(struct scenario_run *r)
{
    uint32_t count = count_roamers(&r->scenario);
    if (!r->scenario.mobility.is_there)
        return true;
    struct run_roaming *roaming = moves_make(&r->scenario, count);
    r->roaming = roaming;
    if (!roaming || !roaming->offsets_db || !roaming->areas || !roaming->roamers || !roaming->cells) {
        fprintf(stderr, "gbflow: out of memory for %u mobiles that move\n", count);
        return false;
    }
    set_cells(roaming, &r->scenario);
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        if (r->scenario.mobiles[i].speed_mps > 0)
            add_roamer(r, roaming, i, count);
    return true;
}

void run_cell_changes_free(struct scenario_run *r)
{
    if (!r->roaming)
        return;
    timers_free(&r->roaming->agenda);
    samples_free(&r->roaming->gaps);
    samples_free(&r->roaming->outages);
    free(r->roaming->offsets_db);
    free(r->roaming->areas);
    free(r->roaming->roamers);
    free(r->roaming->cells);
    free(r->roaming);
    r->roaming = NULL;
}

/* Its place and the shadowing there, of `now`. */
static void walk(struct scenario_run *r, struct roamer *roamer, int64_t now)
{
    const struct motion_layout *layout = &r->scenario.mobility.layout;
    reselect_walk(&roamer->reselect, motion_step(&roamer->motion, layout, now - roamer->seen_ns),
                  now - roamer->seen_ns);
    roamer->seen_ns = now;
    uint16_t within = (uint16_t)motion_cell(&roamer->motion, layout);
    r->roaming->figures.crossings += within != roamer->within;
    roamer->within = within;
}

static void leave(struct scenario_run *r, struct roamer *roamer, uint16_t to, int64_t now)
{
    const struct scenario_config_move away = {.mobile = roamer->mobile, .cell = to, .is_leaving = true};
    const uint8_t *areas = r->roaming->areas;
    bool is_other_area = areas[to] != areas[roamer->reselect.own];
    bool is_updated_later =
        run_relocation_is(&r->mobiles[roamer->mobile], to); /* relocation.h has its times */

    r->roaming->figures.reselections++;
    r->roaming->figures.area_changes += is_other_area;
    roamer->gap =
        cell_gap_draw(&r->scenario.mobility.gap, is_other_area && !is_updated_later, &roamer->reselect.rng);
    roamer->to = to;
    roamer->left_ns = now;
    roamer->timer.kind = ARRIVES;
    timers_cancel(&r->roaming->agenda, &roamer->poll);
    move(r, &away, now);
    timers_set(&r->roaming->agenda, &roamer->timer, now + cell_gap_sum_ns(&roamer->gap));
}

static void moves_measure(struct scenario_run *r, struct roamer *roamer, int64_t now)
{
    walk(r, roamer, now);
    for (uint32_t i = 0; i < r->scenario.cell_count; i++)
        reselect_hear(&roamer->reselect, i,
                      motion_distance_m(&roamer->motion, &r->scenario.mobility.layout, i));
    unsigned to = reselect_decide(&roamer->reselect, now);
    if (to != roamer->reselect.own)
        leave(r, roamer, (uint16_t)to, now);
    else
        timers_set(&r->roaming->agenda, &roamer->timer, now + r->scenario.mobility.measure_ns);
}

static uint64_t uplink_waits(const struct scenario_run *r, const struct roamer *roamer)
{
    const struct run_mobile *mobile = &r->mobiles[roamer->mobile];
    return radio_queue_get(run_cells_radio(r, mobile->cell), RADIO_UP, mobile->config->tlli).queued.frames;
}

/* The cell update, or an LLC-PDU that waited before it, has arrived when fewer wait. */
static void await(struct scenario_run *r, struct roamer *roamer, int64_t now)
{
    uint64_t waiting = uplink_waits(r, roamer);
    bool is_served = waiting < roamer->waiting;
    roamer->waiting = waiting;
    if (is_served)
        samples_add(&r->roaming->outages, now - roamer->silent_ns);
    else
        timers_set(&r->roaming->agenda, &roamer->poll, now + POLL_NS);
}

static void arrive(struct scenario_run *r, struct roamer *roamer, int64_t now)
{
    const struct scenario_config_move there = {.mobile = roamer->mobile, .cell = roamer->to};
    struct figures *figures = &r->roaming->figures;

    walk(r, roamer, now);
    figures->parts.sync_ns += roamer->gap.sync_ns;
    figures->parts.information_ns += roamer->gap.information_ns;
    figures->parts.access_ns += roamer->gap.access_ns;
    figures->parts.update_ns += roamer->gap.update_ns;
    figures->away_ns += now - roamer->left_ns;
    samples_add(&r->roaming->gaps, now - roamer->left_ns);
    roamer->silent_ns = roamer->left_ns;
    roamer->left_ns = MOMENT_NEVER;
    roamer->timer.kind = MEASURES;
    reselect_enter(&roamer->reselect, roamer->to, now);
    move(r, &there, now);
    roamer->waiting = uplink_waits(r, roamer);
    timers_set(&r->roaming->agenda, &roamer->poll, now + POLL_NS);
    timers_set(&r->roaming->agenda, &roamer->timer, now + r->scenario.mobility.measure_ns);
}

static int64_t roam(struct scenario_run *r, int64_t now)
{
    static void (*const actions[])(struct scenario_run *, struct roamer *, int64_t) = {
        [MEASURES] = moves_measure, [ARRIVES] = arrive, [AWAITS] = await};
    struct timer *timer;
    if (!r->roaming)
        return MOMENT_NEVER;
    while ((timer = timers_take_due(&r->roaming->agenda, now)))
        actions[timer->kind](r, &r->roaming->roamers[timer->rank], now);
    return timers_next_ns(&r->roaming->agenda);
}

int64_t run_cell_changes_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    const struct scenario_config_move *moves = r->scenario.moves;

    while (r->next_move < r->scenario.move_count && r->begin_ns + moves[r->next_move].at_ns <= now)
        move(r, &moves[r->next_move++], now);
    int64_t roams_ns = roam(r, now);
    return r->next_move < r->scenario.move_count
               ? moment_min(roams_ns, r->begin_ns + moves[r->next_move].at_ns)
               : roams_ns;
}

/* --- figures of cell changes --- */

struct record {
    uint64_t mobiles;
    struct figures figures;
    struct cell_gap means; /* MOMENT_NEVER without a gap */
    struct quantiles gaps, outages;
    double away_share;
};

static int64_t away_ns(const struct scenario_run *r)
{
    int64_t sum_ns = r->roaming->figures.away_ns;
    for (uint32_t i = 0; i < r->roaming->count; i++)
        if (r->roaming->roamers[i].left_ns != MOMENT_NEVER)
            sum_ns += r->end_ns - r->roaming->roamers[i].left_ns;
    return sum_ns;
}

static int64_t mean_ns(int64_t sum_ns, size_t count)
{
    return count ? sum_ns / (int64_t)count : MOMENT_NEVER;
}

void run_cell_changes_each(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    struct run_roaming *roaming = r->roaming;
    if (!roaming)
        return;
    const struct cell_gap *sums = &roaming->figures.parts;
    size_t gaps = roaming->gaps.count;
    const struct record row = {
        .mobiles = roaming->count,
        .figures = roaming->figures,
        .means = {mean_ns(sums->sync_ns, gaps), mean_ns(sums->information_ns, gaps),
                  mean_ns(sums->access_ns, gaps), mean_ns(sums->update_ns, gaps)},
        .gaps = quantiles_of(&roaming->gaps),
        .outages = quantiles_of(&roaming->outages),
        .away_share = (double)away_ns(r) / ((double)roaming->count * (double)r->scenario.duration_ns),
    };
    field_put(sink, NULL, &row);
}

void run_cell_changes_print(struct scenario_run *r)
{
    struct run_roaming *roaming = r->roaming;
    if (!roaming || !roaming->count)
        return;
    struct quantiles gaps = quantiles_of(&roaming->gaps);
    uint64_t changes = roaming->figures.reselections;
    printf("\n%lu cell reselection%s of %u mobile%s", (unsigned long)changes, words_plural(changes),
           roaming->count, words_plural(roaming->count));
    if (roaming->gaps.count)
        printf(", %.3f s without a cell on average, %.3f s p95", (double)gaps.mean_ns / MOMENT_SECOND,
               (double)gaps.p95_ns / MOMENT_SECOND);
    printf("\n");
}

static const struct field parts[] = {
    FIELD(struct record, GAUGE, "sync", "seconds", means.sync_ns, "Until the next burst of SCH."),
    FIELD(struct record, GAUGE, "system_information", "seconds", means.information_ns,
          "Until SYSTEM INFORMATION 1, 3 and 13 have been read; 0 with NACC."),
    FIELD(struct record, GAUGE, "access", "seconds", means.access_ns,
          "Access beside that which the new cell's radio plays after the gap."),
    FIELD(struct record, GAUGE, "update", "seconds", means.update_ns,
          "Cell update, or routing area update into another routing area."),
    FIELD_END,
};

const struct field run_cell_changes_fields[] = {
    FIELD(struct record, COUNTER, "mobiles", "mobiles", mobiles, "Mobiles with a speed."),
    FIELD(struct record, COUNTER, "crossings", "times", figures.crossings,
          "Borders of cells that they crossed, as the layout has them, seen at measurements."),
    FIELD(struct record, COUNTER, "reselections", "times", figures.reselections,
          "Cell reselections, by C1 and C2."),
    FIELD(struct record, COUNTER, "area_changes", "times", figures.area_changes,
          "Of these, into another routing area."),
    FIELD_INSIDE(OBJECT, "gap_s", offsetof(struct record, gaps), quantiles_whole,
                 "Time without a cell at a reselection that ended; null without one."),
    FIELD_INSIDE(OBJECT, "gap_parts_s", 0, parts, "Means of the gaps' parts; null without a gap."),
    FIELD_INSIDE(
        OBJECT, "outage_s", offsetof(struct record, outages), quantiles_whole,
        "Time from the old cell to the first uplink LLC-PDU that arrives in the new one, in steps of "
        "20 ms; null without one."),
    FIELD(struct record, GAUGE, "without_cell", "ratio", away_share,
          "Share of the run in which these mobiles had no cell."),
    FIELD_END,
};
