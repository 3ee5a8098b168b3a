/* SPDX-License-Identifier: BSD-3-Clause */
/* NS-VCs: reset, unblocking and test (TS 48.016 clause 7). */
#include "bss/model.h"

#include "bss/fsm.h"

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
    bss_gb_send_ns(bss, vc, &ns);
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

static const struct bss_fsm_row rows[STATES][EVENTS] =
    {
        [DOWN] = {[TIMEOUT] = {reset, RESETTING}, [RESET] = {answer_reset, UNBLOCKING}},
        [RESETTING] =
            {
                [TIMEOUT] = {reset, RESETTING},
                [RESET_ACK] = {unblock_and_test, UNBLOCKING},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNKNOWN] = {bss_fsm_ignore, RESETTING},
            },
        [UNBLOCKING] =
            {
                [TIMEOUT] = {unblock_again, UNBLOCKING},
                [GAVE_UP] = {reset, RESETTING},
                [RESET_ACK] = {bss_fsm_ignore, UNBLOCKING},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNBLOCK_ACK] = {come_up, UP},
                [UNBLOCK] = {answer_unblock, UP},
                [BLOCK] = {answer_block, BLOCKED},
                [DEAD] = {reset, RESETTING},
                [UNKNOWN] = {reset, RESETTING},
            },
        [UP] =
            {
                [RESET_ACK] = {bss_fsm_ignore, UP},
                [RESET] = {answer_reset, UNBLOCKING},
                [UNBLOCK_ACK] = {bss_fsm_ignore, UP},
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
    bss_gb_send_ns(bss, vc, &status);
}

/* NS-RESET-ACK with another NSVCI or NSEI is ignored (§7.3). */
static bool is_ours(const struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns)
{
    return ns->nsvci == vc->nsvci && ns->nsei == bss->nsei;
}

/* True: its SDU is for BSSGP. */
static bool rx_unitdata(struct bss *bss, struct bss_nsvc *vc)
{
    if (vc->is_usable)
        return true;
    if (vc->fsm.state != RESETTING && vc->fsm.state != DOWN)
        refuse_unitdata(bss, vc);
    else
        bss->stats.unexpected++;
    return false;
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

bool bss_nsvc_rx(struct bss *bss, struct bss_nsvc *vc, const struct ns *ns, int64_t now)
{
    int event = event_of(bss, vc, ns);
    if (event < 0 && ns->head.type == NS_UNITDATA)
        return rx_unitdata(bss, vc);
    if (event >= 0)
        bss_fsm_event(bss, &vc->fsm, (unsigned)event, now);
    else if (ns->head.type == NS_ALIVE)
        rx_alive(bss, vc);
    else if (ns->head.type == NS_ALIVE_ACK)
        bss_fsm_event(bss, &vc->alive, ALIVE_ACK, now);
    else
        bss->stats.unexpected++;
    return false;
}
