/* SPDX-License-Identifier: BSD-3-Clause */
/* The announcements of a cell: FLOW-CONTROL-BVC and -MS, with the level of its queues and the measured rate.
 */
#include "bss/announce.h"

#include "bss/fsm.h"
#include "bss/model.h"

enum { LONGEST_DELAY_CS = 0xfffe /* 0xffff: infinite */, MAX_RATIO_PERCENT = 255 };

#define CENTISECOND_NS INT64_C(10000000)

static void put_ratio(struct bssgp *pdu, uint64_t queued_octets)
{
    uint64_t percent =
        pdu->bucket_octets ? (100 * queued_octets + pdu->bucket_octets / 2) / pdu->bucket_octets : 0;
    pdu->ratio_percent = percent < MAX_RATIO_PERCENT ? (uint32_t)percent : MAX_RATIO_PERCENT;
    pdu_mark(&pdu->head, BSSGP_IE_RATIO);
}

/* The mean wait of LLC-PDUs that got their first block since the last measurement; no element without any. */
static void put_measurement(struct bss_cell *cell, struct bssgp *pdu)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    uint64_t frames = stats->begun_frames - cell->told_frames;
    uint64_t wait_ns = stats->begun_wait_ns - cell->told_wait_ns;
    cell->told_frames = stats->begun_frames;
    cell->told_wait_ns = stats->begun_wait_ns;
    if (frames == 0)
        return;
    uint64_t mean_cs = (wait_ns / frames + CENTISECOND_NS / 2) / CENTISECOND_NS;
    pdu->measurement_cs = mean_cs < LONGEST_DELAY_CS ? (uint32_t)mean_cs : LONGEST_DELAY_CS;
    pdu_mark(&pdu->head, BSSGP_IE_MEASUREMENT);
}

static void level_of_cell(struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, cell->radio ? radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets : 0);
    if (cell->config.has_measurement && cell->radio)
        put_measurement(cell, pdu);
}

static void level_of_mobile(const struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, cell->radio ? radio_queue_get(cell->radio, RADIO_DOWN, pdu->tlli).queued.octets : 0);
}

enum { THOUSAND = 1000, MAX_BUCKET_OCTETS = 6553500 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t measured_bps(struct bss_cell *cell, uint64_t most_bps, int64_t now)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    struct bss_measured *last = &cell->measured;
    struct bss_measured this = {stats->blocks - stats->control_blocks, stats->bad_blocks, now};
    uint64_t possible = radio_possible_blocks(cell->radio, last->since_ns, now);
    uint64_t used = this.blocks - last->blocks;
    if (!possible || !used)
        return most_bps;
    uint64_t good = used - least(used, this.bad_blocks - last->bad_blocks);
    uint64_t usage = least(used * THOUSAND / possible, THOUSAND);
    *last = this;
    return (most_bps * good / used * usage + most_bps * (THOUSAND - usage)) / THOUSAND;
}

/* A rate for all PDCHs, scaled to the PDCHs that calls leave. */
static uint64_t left_bps(const struct bss_cell *cell, uint64_t whole_bps)
{
    const struct bss_calls *calls = &cell->calls;
    return calls->is_there ? whole_bps * calls->left_pdchs / calls->pdchs : whole_bps;
}

static struct bss_bucket measured_bucket(struct bss_cell *cell, const struct bss_bucket *whole, int64_t now)
{
    int64_t bucket_ns = cell->config.policy.measured_ns;
    struct bss_bucket bucket = {whole->bucket_octets, left_bps(cell, whole->rate_bps)};
    if (!bucket_ns || !cell->radio || !bucket.rate_bps)
        return bucket;
    bucket.rate_bps = measured_bps(cell, bucket.rate_bps, now);
    uint64_t octets = bucket.rate_bps / 8 * (uint64_t)(bucket_ns / (MOMENT_SECOND / 1000)) / 1000;
    bucket.bucket_octets = least(octets, MAX_BUCKET_OCTETS);
    return bucket;
}

enum { SILENT, PENDING, ANNOUNCE_ASKED, ANNOUNCE_RESTING, ANNOUNCE_STATES };
enum {
    ANNOUNCE_TIMEOUT = BSS_FSM_TIMEOUT,
    ANNOUNCE_GAVE_UP = BSS_FSM_GAVE_UP,
    START,
    STOP,
    ACK,
    ANNOUNCE_EVENTS
};
enum { MAX_UNITS = 0xffff };

/* Rounds to the unit, but a value above 0 never to 0: rate 0 would stop the cell. */
static uint64_t round_to(uint64_t value, uint64_t unit)
{
    uint64_t units = (value + unit / 2) / unit;
    return (value && !units ? 1 : units) * unit;
}

static uint64_t unit_of(const struct bss_bucket *a, const struct bss_bucket *b)
{
    const uint64_t values[] = {a->bucket_octets, a->rate_bps, b->bucket_octets, b->rate_bps};
    uint64_t unit = BSSGP_UNIT;
    for (unsigned i = 0; i < 4; i++)
        while (round_to(values[i], unit) / unit > MAX_UNITS)
            unit *= 10;
    return unit;
}

static void wait(struct bss *bss, struct bss_fsm *fsm, const struct bss_cell *cell, bool again, int64_t now)
{
    int64_t every_ns = cell->config.announce_every_ns;
    if (every_ns)
        bss_fsm_start(bss, fsm, now + every_ns, BSS_FSM_ENDLESS);
    else if (again)
        bss_fsm_again(bss, fsm, now + bss->timers.flow_control_ns);
    else
        bss_fsm_start(bss, fsm, now + bss->timers.flow_control_ns, bss->timers.flow_control_retries);
}

/* The bucket to announce: by measurement and calls, rate 0 at the threshold. */
static struct bss_bucket bucket_now(struct bss_cell *cell, int64_t now)
{
    struct bss_bucket bucket = measured_bucket(cell, &cell->config.bvc, now);
    if (cell->is_full)
        bucket.rate_bps = 0;
    return bucket;
}

static void send_bvc(struct bss *bss, struct bss_cell *cell, int64_t now)
{
    const struct bss_bucket bvc = bucket_now(cell, now), *ms = &cell->config.ms_default;
    uint64_t unit = unit_of(&bvc, ms);
    struct bssgp pdu = {
        .head.type = BSSGP_FLOW_CONTROL_BVC,
        .tag = ++cell->tag,
        .bucket_octets = round_to(bvc.bucket_octets, unit),
        .rate_bps = round_to(bvc.rate_bps, unit),
        .ms_bucket_octets = round_to(ms->bucket_octets, unit),
        .ms_rate_bps = round_to(ms->rate_bps, unit),
    };
    level_of_cell(cell, &pdu);
    bss_gb_send(bss, cell->config.bvci, &pdu);
}

static void announce(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    send_bvc(bss, cell, now);
    wait(bss, &cell->announce, cell, false, now);
}

static void announce_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    send_bvc(bss, cell, now);
    wait(bss, &cell->announce, cell, true, now);
}

static void start_mobiles(struct bss *bss, const struct bss_cell *cell, int64_t now)
{
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        if (cell->mobiles[i].fsm.state == SILENT)
            bss_fsm_event(bss, &cell->mobiles[i].fsm, START, now);
}

/* FLOW-CONTROL-MS follows the acknowledged FLOW-CONTROL-BVC. A period is counted from the sending, not from
   the acknowledgement. */
static void acknowledged(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    if (!cell->config.announce_every_ns)
        bss_fsm_stop(&cell->announce);
    start_mobiles(bss, cell, now);
}

static void be_silent(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_fsm_stop(&cell->announce);
}

static const struct bss_fsm_row announce_rows[ANNOUNCE_STATES][ANNOUNCE_EVENTS] = {
    [SILENT] = {[START] = {announce, ANNOUNCE_ASKED}, [STOP] = {be_silent, SILENT}},
    [ANNOUNCE_ASKED] =
        {
            [ANNOUNCE_TIMEOUT] = {announce_again, ANNOUNCE_ASKED},
            [ANNOUNCE_GAVE_UP] = {be_silent, ANNOUNCE_RESTING},
            [START] = {announce, ANNOUNCE_ASKED},
            [STOP] = {be_silent, SILENT},
            [ACK] = {acknowledged, ANNOUNCE_RESTING},
        },
    [ANNOUNCE_RESTING] =
        {
            [ANNOUNCE_TIMEOUT] = {announce, ANNOUNCE_ASKED},
            [START] = {announce, ANNOUNCE_ASKED},
            [STOP] = {be_silent, SILENT},
            [ACK] = {bss_fsm_ignore, ANNOUNCE_RESTING},
        },
};

static int64_t at_ns(const struct bss *bss, const struct bss_mobile *mobile)
{
    return bss->start_ns + mobile->announcement.at_ns;
}

/* Is another announcement for the same mobile due later, and due by now? Of equal times the last in the list
 * counts. */
static bool is_outdated(const struct bss *bss, const struct bss_mobile *mobile, int64_t now)
{
    const struct bss_cell *cell = mobile->cell;
    for (unsigned i = 0; i < cell->config.ms_count; i++) {
        const struct bss_mobile *other = &cell->mobiles[i];
        int64_t mine = mobile->announcement.at_ns, theirs = other->announcement.at_ns;
        if (other != mobile && other->announcement.tlli == mobile->announcement.tlli &&
            at_ns(bss, other) <= now && (theirs > mine || (theirs == mine && other > mobile)))
            return true;
    }
    return false;
}

static void note_due(const struct bss_mobile *mobile)
{
    if (mobile->fsm.due_ns < mobile->cell->mobiles_due_ns)
        mobile->cell->mobiles_due_ns = mobile->fsm.due_ns;
}

static void mobile_stop(struct bss_mobile *mobile)
{
    bss_fsm_stop(&mobile->fsm);
    mobile->cell->mobiles_due_ns = INT64_MIN;
}

static void mobile_pend(struct bss *bss, void *self, int64_t now)
{
    struct bss_mobile *mobile = self;
    int64_t due_ns = at_ns(bss, mobile);
    bss_fsm_start(bss, &mobile->fsm, due_ns > now ? due_ns : now, BSS_FSM_ENDLESS);
    note_due(mobile);
}

static uint64_t mobile_bps(const struct bss_mobile *mobile)
{
    const struct bss_ms_announcement *announcement = &mobile->announcement;
    const struct radio *radio = mobile->cell->radio;
    uint64_t rate_bps = announcement->bucket.rate_bps;
    return announcement->by_coding && radio ? radio_coded_bps(radio, announcement->tlli, rate_bps) : rate_bps;
}

static void mobile_announce(struct bss *bss, struct bss_mobile *mobile, bool again, int64_t now)
{
    const struct bss_bucket bucket = {mobile->announcement.bucket.bucket_octets, mobile_bps(mobile)};
    uint64_t unit = unit_of(&bucket, &bucket);
    struct bssgp pdu = {
        .head.type = BSSGP_FLOW_CONTROL_MS,
        .tlli = mobile->announcement.tlli,
        .bucket_octets = round_to(bucket.bucket_octets, unit),
        .rate_bps = round_to(bucket.rate_bps, unit),
    };
    if (is_outdated(bss, mobile, now))
        return;
    pdu.tag = ++mobile->tag;
    level_of_mobile(mobile->cell, &pdu);
    bss_gb_send(bss, mobile->cell->config.bvci, &pdu);
    wait(bss, &mobile->fsm, mobile->cell, again, now);
    note_due(mobile);
}

static void mobile_first(struct bss *bss, void *self, int64_t now)
{
    mobile_announce(bss, self, false, now);
}

static void mobile_again(struct bss *bss, void *self, int64_t now)
{
    mobile_announce(bss, self, true, now);
}

static void mobile_rest(struct bss *bss, void *self, int64_t now)
{
    struct bss_mobile *mobile = self;
    if (!mobile->cell->config.announce_every_ns)
        mobile_stop(mobile);
}

static void mobile_silent(struct bss *bss, void *self, int64_t now)
{
    mobile_stop(self);
}

static const struct bss_fsm_row mobile_rows[ANNOUNCE_STATES][ANNOUNCE_EVENTS] = {
    [SILENT] = {[START] = {mobile_pend, PENDING}, [STOP] = {mobile_silent, SILENT}},
    [PENDING] = {[ANNOUNCE_TIMEOUT] = {mobile_first, ANNOUNCE_ASKED}, [STOP] = {mobile_silent, SILENT}},
    [ANNOUNCE_ASKED] =
        {
            [ANNOUNCE_TIMEOUT] = {mobile_again, ANNOUNCE_ASKED},
            [ANNOUNCE_GAVE_UP] = {mobile_silent, ANNOUNCE_RESTING},
            [STOP] = {mobile_silent, SILENT},
            [ACK] = {mobile_rest, ANNOUNCE_RESTING},
        },
    [ANNOUNCE_RESTING] =
        {
            [ANNOUNCE_TIMEOUT] = {mobile_first, ANNOUNCE_ASKED},
            [STOP] = {mobile_silent, SILENT},
            [ACK] = {bss_fsm_ignore, ANNOUNCE_RESTING},
        },
};

void bss_announce_init(struct bss *bss, struct bss_cell *cell)
{
    bss_fsm_init(&cell->announce, announce_rows[0], ANNOUNCE_EVENTS, cell);
    cell->mobiles_due_ns = INT64_MIN;
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        bss_fsm_init(&cell->mobiles[i].fsm, mobile_rows[0], ANNOUNCE_EVENTS, &cell->mobiles[i]);
}

void bss_announce_start(struct bss *bss, struct bss_cell *cell, int64_t now)
{
    bss_fsm_event(bss, &cell->announce, START, now);
}

void bss_announce_stop(struct bss *bss, struct bss_cell *cell, int64_t now)
{
    bss_fsm_event(bss, &cell->announce, STOP, now);
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        bss_fsm_event(bss, &cell->mobiles[i].fsm, STOP, now);
}

static struct bss_mobile *asked_mobile(const struct bss_cell *cell, const struct bssgp *ack)
{
    for (unsigned i = 0; i < cell->config.ms_count; i++) {
        struct bss_mobile *mobile = &cell->mobiles[i];
        if (mobile->fsm.state == ANNOUNCE_ASKED && mobile->announcement.tlli == ack->tlli &&
            mobile->tag == ack->tag)
            return mobile;
    }
    return NULL;
}

void bss_announce_ack(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu, int64_t now)
{
    bool is_ms = pdu->head.type == BSSGP_FLOW_CONTROL_MS_ACK;
    struct bss_mobile *mobile = is_ms ? asked_mobile(cell, pdu) : NULL;
    if (mobile)
        bss_fsm_event(bss, &mobile->fsm, ACK, now);
    else if (!is_ms && pdu->tag == cell->tag)
        bss_fsm_event(bss, &cell->announce, ACK, now);
    else
        bss->stats.unexpected++;
}

bool bss_announce_expire(struct bss *bss, struct bss_cell *cell, int64_t now)
{
    bool fired = bss_fsm_expire(bss, &cell->announce, now);
    if (cell->mobiles_due_ns > now)
        return fired;
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        fired |= bss_fsm_expire(bss, &cell->mobiles[i].fsm, now);
    cell->mobiles_due_ns = INT64_MAX;
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        note_due(&cell->mobiles[i]);
    return fired;
}

static uint64_t queued_octets(const struct bss_cell *cell)
{
    return radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets;
}

void bss_announce_look(struct bss_cell *cell, int64_t now)
{
    const struct bss_policy *thresholds = &cell->config.policy;
    if (!thresholds->stop_octets)
        return;
    uint64_t octets = queued_octets(cell);
    bool is_full = octets >= thresholds->stop_octets || (cell->is_full && octets > thresholds->go_octets);
    if (is_full == cell->is_full)
        return;
    cell->is_full = is_full;
    if (bss_cell_is_up(cell))
        bss_announce_start(cell->bss, cell, now);
}
