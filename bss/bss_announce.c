/* SPDX-License-Identifier: BSD-3-Clause */
/* FLOW-CONTROL-BVC and FLOW-CONTROL-MS (TS 48.018 §8.2). An unacknowledged announcement is repeated
   flow_control_retries times, or, if the cell announces periodically, sent again in the next period. A
   repetition carries a new Tag. */
#include "bss/bss_state.h"

enum { SILENT, PENDING, ASKED, RESTING, STATES };
enum { TIMEOUT = BSS_FSM_TIMEOUT, GAVE_UP = BSS_FSM_GAVE_UP, START, STOP, ACK, EVENTS };
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
    struct bss_bucket bucket = bss_measured_bucket(cell, &cell->config.bvc, now);
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
    bss_level_cell(cell, &pdu);
    bss_bssgp_send(bss, cell->config.bvci, &pdu);
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

static void ignore(struct bss *bss, void *self, int64_t now)
{
}

static const struct bss_fsm_row rows[STATES][EVENTS] = {
    [SILENT] = {[START] = {announce, ASKED}, [STOP] = {be_silent, SILENT}},
    [ASKED] =
        {
            [TIMEOUT] = {announce_again, ASKED},
            [GAVE_UP] = {be_silent, RESTING},
            [START] = {announce, ASKED},
            [STOP] = {be_silent, SILENT},
            [ACK] = {acknowledged, RESTING},
        },
    [RESTING] =
        {
            [TIMEOUT] = {announce, ASKED},
            [START] = {announce, ASKED},
            [STOP] = {be_silent, SILENT},
            [ACK] = {ignore, RESTING},
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

static void mobile_pend(struct bss *bss, void *self, int64_t now)
{
    struct bss_mobile *mobile = self;
    int64_t due_ns = at_ns(bss, mobile);
    bss_fsm_start(bss, &mobile->fsm, due_ns > now ? due_ns : now, BSS_FSM_ENDLESS);
}

static void mobile_announce(struct bss *bss, struct bss_mobile *mobile, bool again, int64_t now)
{
    const struct bss_bucket *bucket = &mobile->announcement.bucket;
    uint64_t unit = unit_of(bucket, bucket);
    struct bssgp pdu = {
        .head.type = BSSGP_FLOW_CONTROL_MS,
        .tlli = mobile->announcement.tlli,
        .bucket_octets = round_to(bucket->bucket_octets, unit),
        .rate_bps = round_to(bucket->rate_bps, unit),
    };
    if (is_outdated(bss, mobile, now))
        return;
    pdu.tag = ++mobile->tag;
    bss_level_mobile(mobile->cell, &pdu);
    bss_bssgp_send(bss, mobile->cell->config.bvci, &pdu);
    wait(bss, &mobile->fsm, mobile->cell, again, now);
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
        bss_fsm_stop(&mobile->fsm);
}

static void mobile_silent(struct bss *bss, void *self, int64_t now)
{
    struct bss_mobile *mobile = self;
    bss_fsm_stop(&mobile->fsm);
}

static const struct bss_fsm_row mobile_rows[STATES][EVENTS] = {
    [SILENT] = {[START] = {mobile_pend, PENDING}, [STOP] = {mobile_silent, SILENT}},
    [PENDING] = {[TIMEOUT] = {mobile_first, ASKED}, [STOP] = {mobile_silent, SILENT}},
    [ASKED] =
        {
            [TIMEOUT] = {mobile_again, ASKED},
            [GAVE_UP] = {mobile_silent, RESTING},
            [STOP] = {mobile_silent, SILENT},
            [ACK] = {mobile_rest, RESTING},
        },
    [RESTING] =
        {
            [TIMEOUT] = {mobile_first, ASKED},
            [STOP] = {mobile_silent, SILENT},
            [ACK] = {ignore, RESTING},
        },
};

void bss_announce_init(struct bss *bss, struct bss_cell *cell)
{
    bss_fsm_init(&cell->announce, rows[0], EVENTS, cell);
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        bss_fsm_init(&cell->mobiles[i].fsm, mobile_rows[0], EVENTS, &cell->mobiles[i]);
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
        if (mobile->fsm.state == ASKED && mobile->announcement.tlli == ack->tlli && mobile->tag == ack->tag)
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
    for (unsigned i = 0; i < cell->config.ms_count; i++)
        fired |= bss_fsm_expire(bss, &cell->mobiles[i].fsm, now);
    return fired;
}
