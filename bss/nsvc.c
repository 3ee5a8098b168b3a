/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/model.h"

enum { DOWN, RESETTING, UNBLOCKING, UP, BLOCKED, STATES };
enum {
    TIMEOUT = BSS_FSM_TIMEOUT,
    GAVE_UP = BSS_FSM_GAVE_UP,
    RESET_ACK,
    RESET,
    UNBLOCK_ACK,
    UNBLOCK,
    BLOCK,
    DEAD,
    UNKNOWN,
    EVENTS
};
enum { IDLE, ASKED, RESTING, ALIVE_STATES };
enum {
    ALIVE_TIMEOUT = BSS_FSM_TIMEOUT,
    ALIVE_GAVE_UP = BSS_FSM_GAVE_UP,
    ALIVE_START,
    ALIVE_STOP,
    ALIVE_ACK,
    ALIVE_EVENTS
};

static void nsvc_send(struct bss *bss, struct bss_nsvc *vc, enum ns_type type)
{
    struct ns ns = {.head.type = (uint8_t)type, .nsvci = vc->nsvci, .nsei = bss->nsei};
    ns.cause = NS_CAUSE_OM_INTERVENTION;
    bss_ns_send(bss, vc, &ns);
}

static bool is_any_usable(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->nsvc_count; i++)
        if (bss->nsvcs[i].is_usable)
            return true;
    return false;
}

static void set_usable(struct bss *bss, struct bss_nsvc *vc, bool is_usable, int64_t now)
{
    bool was_any = is_any_usable(bss);
    vc->is_usable = is_usable;
    if (!was_any && is_usable)
        bss_bvc_gb_up(bss, now);
    if (was_any && !is_any_usable(bss))
        bss_bvc_gb_down(bss, now);
}

static void reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    set_usable(bss, vc, false, now);
    bss_fsm_event(bss, &vc->alive, ALIVE_STOP, now);
    nsvc_send(bss, vc, NS_RESET);
    bss_fsm_start(bss, &vc->fsm, now + bss->timers.reset_ns, BSS_FSM_ENDLESS);
}

static void unblock(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    nsvc_send(bss, vc, NS_UNBLOCK);
    bss_fsm_start(bss, &vc->fsm, now + bss->timers.unblock_ns, bss->timers.unblock_retries);
}

static void unblock_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    nsvc_send(bss, vc, NS_UNBLOCK);
    bss_fsm_again(bss, &vc->fsm, now + bss->timers.unblock_ns);
}

static void unblock_and_test(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    unblock(bss, vc, now);
    bss_fsm_event(bss, &vc->alive, ALIVE_START, now);
}

static void answer_reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    set_usable(bss, vc, false, now);
    nsvc_send(bss, vc, NS_RESET_ACK);
    unblock_and_test(bss, vc, now);
}

static void come_up(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    bss_fsm_stop(&vc->fsm);
    set_usable(bss, vc, true, now);
}

static void answer_unblock(struct bss *bss, void *self, int64_t now)
{
    nsvc_send(bss, self, NS_UNBLOCK_ACK);
    come_up(bss, self, now);
}

static void answer_block(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    bss_fsm_stop(&vc->fsm);
    nsvc_send(bss, vc, NS_BLOCK_ACK);
    set_usable(bss, vc, false, now);
}

static void ignore(struct bss *bss, void *self, int64_t now)
{
}

static const struct bss_fsm_row rows[STATES][EVENTS] =
    {
        [DOWN] = {[TIMEOUT] = {reset, RESETTING}, [RESET] = {answer_reset, UNBLOCKING}},
        [RESETTING] =
            {
                [TIMEOUT] = {reset, RESETTING},
                [RESET_ACK] = {unblock_and_test, UNBLOCKING},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNKNOWN] = {ignore, RESETTING},
            },
        [UNBLOCKING] =
            {
                [TIMEOUT] = {unblock_again, UNBLOCKING},
                [GAVE_UP] = {reset, RESETTING},
                [RESET_ACK] = {ignore, UNBLOCKING},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNBLOCK_ACK] = {come_up, UP},
                [UNBLOCK] = {answer_unblock, UP},
                [BLOCK] = {answer_block, BLOCKED},
                [DEAD] = {reset, RESETTING},
                [UNKNOWN] = {reset, RESETTING},
            },
        [UP] =
            {
                [RESET_ACK] = {ignore, UP},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNBLOCK_ACK] = {ignore, UP},
                [UNBLOCK] = {answer_unblock, UP},
                [BLOCK] = {answer_block, BLOCKED},
                [DEAD] = {reset, RESETTING},
                [UNKNOWN] = {reset, RESETTING},
            },
        [BLOCKED] =
            {
                [RESET] = {answer_reset, UNBLOCKING},
                [UNBLOCK] = {answer_unblock, UP},
                [BLOCK] = {answer_block, BLOCKED},
                [DEAD] = {reset, RESETTING},
                [UNKNOWN] = {reset, RESETTING},
            },
};

static void nsvc_ask(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    nsvc_send(bss, vc, NS_ALIVE);
    bss_fsm_start(bss, &vc->alive, now + bss->timers.alive_ns, bss->timers.alive_retries);
}

static void ask_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    nsvc_send(bss, vc, NS_ALIVE);
    bss_fsm_again(bss, &vc->alive, now + bss->timers.alive_ns);
}

static void rest(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    bss_fsm_start(bss, &vc->alive, now + bss->timers.test_ns, BSS_FSM_ENDLESS);
}

static void be_dead(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    bss_fsm_event(bss, &vc->fsm, DEAD, now);
}

static void be_idle(struct bss *bss, void *self, int64_t now)
{
    struct bss_nsvc *vc = self;
    bss_fsm_stop(&vc->alive);
}

static const struct bss_fsm_row alive_rows[ALIVE_STATES][ALIVE_EVENTS] = {
    [IDLE] = {[ALIVE_START] = {nsvc_ask, ASKED}, [ALIVE_STOP] = {be_idle, IDLE}},
    [ASKED] =
        {
            [ALIVE_TIMEOUT] = {ask_again, ASKED},
            [ALIVE_GAVE_UP] = {be_dead, IDLE},
            [ALIVE_START] = {nsvc_ask, ASKED},
            [ALIVE_STOP] = {be_idle, IDLE},
            [ALIVE_ACK] = {rest, RESTING},
        },
    [RESTING] =
        {
            [ALIVE_TIMEOUT] = {nsvc_ask, ASKED},
            [ALIVE_START] = {nsvc_ask, ASKED},
            [ALIVE_STOP] = {be_idle, IDLE},
        },
};

void bss_nsvc_init(struct bss *bss, struct bss_nsvc *vc)
{
    bss_fsm_init(&vc->fsm, rows[0], EVENTS, vc);
    bss_fsm_init(&vc->alive, alive_rows[0], ALIVE_EVENTS, vc);
    bss_fsm_start(bss, &vc->fsm, INT64_MIN, BSS_FSM_ENDLESS);
}

bool bss_nsvc_expire(struct bss *bss, struct bss_nsvc *vc, int64_t now)
{
    bool fired = bss_fsm_expire(bss, &vc->fsm, now);
    return bss_fsm_expire(bss, &vc->alive, now) || fired;
}

static void refuse_unitdata(struct bss *bss, struct bss_nsvc *vc)
{
    struct ns status = {.head.type = NS_STATUS, .cause = NS_CAUSE_NSVC_BLOCKED, .nsvci = vc->nsvci};
    pdu_mark(&status.head, NS_IE_NSVCI);
    bss_ns_send(bss, vc, &status);
}

/* NS-RESET-ACK with another NSVCI or NSEI is ignored (§7.3). */
static bool is_ours(const struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns)
{
    return ns->nsvci == vc->nsvci && ns->nsei == bss->nsei;
}

static void rx_unitdata(struct bss *bss, struct bss_nsvc *vc, const struct ns *ns, int64_t now)
{
    if (vc->is_usable)
        bss_bssgp_rx(bss, (uint16_t)ns->bvci, &ns->sdu, now);
    else if (vc->fsm.state != RESETTING && vc->fsm.state != DOWN)
        refuse_unitdata(bss, vc);
    else
        bss->stats.unexpected++;
}

static void rx_alive(struct bss *bss, struct bss_nsvc *vc)
{
    if (vc->fsm.state == RESETTING || vc->fsm.state == DOWN)
        bss->stats.unexpected++;
    else
        nsvc_send(bss, vc, NS_ALIVE_ACK);
}

static int event_of(const struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns)
{
    switch (ns->head.type) {
    case NS_RESET:
        return RESET;
    case NS_RESET_ACK:
        return is_ours(bss, vc, ns) ? RESET_ACK : -1;
    case NS_BLOCK:
        return BLOCK;
    case NS_UNBLOCK:
        return UNBLOCK;
    case NS_UNBLOCK_ACK:
        return UNBLOCK_ACK;
    case NS_STATUS:
        return ns->cause == NS_CAUSE_NSVC_UNKNOWN ? UNKNOWN : -1;
    default:
        return -1;
    }
}

void bss_nsvc_rx(struct bss *bss, struct bss_nsvc *vc, const struct ns *ns, int64_t now)
{
    int event = event_of(bss, vc, ns);
    if (event >= 0)
        bss_fsm_event(bss, &vc->fsm, (unsigned)event, now);
    else if (ns->head.type == NS_UNITDATA)
        rx_unitdata(bss, vc, ns, now);
    else if (ns->head.type == NS_ALIVE)
        rx_alive(bss, vc);
    else if (ns->head.type == NS_ALIVE_ACK)
        bss_fsm_event(bss, &vc->alive, ALIVE_ACK, now);
    else
        bss->stats.unexpected++;
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
            [ACK] = {ignore, ANNOUNCE_RESTING},
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
            [ACK] = {ignore, ANNOUNCE_RESTING},
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
