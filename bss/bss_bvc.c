/* SPDX-License-Identifier: BSD-3-Clause */
/* The signalling BVC and the cells: reset, block, unblock (TS 48.018 §8.3, §8.4). A cell is BLOCKED between
   the acknowledged reset and the acknowledged unblock; bss_block() decides whether BVC-BLOCK or BVC-UNBLOCK
   is sent. */
#include "bss/bss_state.h"

enum { DOWN, RESETTING, BLOCKED, UNBLOCKING, UP, BLOCKING, STATES };
enum {
    TIMEOUT = BSS_FSM_TIMEOUT,
    GAVE_UP = BSS_FSM_GAVE_UP,
    START,
    STOP,
    RESET_ACK,
    RESET,
    UNBLOCK_ACK,
    BLOCK_ACK,
    BLOCK,
    UNBLOCK,
    PEER_BLOCKED, /* STATUS "BVCI blocked" */
    PEER_UNKNOWN, /* STATUS "BVCI unknown" */
    EVENTS
};

static void send(struct bss *bss, const struct bss_cell *cell, enum bssgp_type type)
{
    struct bssgp pdu = {.head.type = (uint8_t)type, .cause = BSSGP_CAUSE_OM_INTERVENTION};
    if (cell) {
        pdu.bvci = cell->config.bvci;
        pdu.cell_id = cell->config.cell_id;
        pdu_mark(&pdu.head, BSSGP_IE_CELL_ID);
    } else {
        bss_level_offer(bss, &pdu);
    }
    bss_bssgp_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}

static void reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    send(bss, cell, BSSGP_BVC_RESET);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t2_ns, bss->timers.t2_retries);
}

static void reset_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    send(bss, cell, BSSGP_BVC_RESET);
    bss_fsm_again(bss, &cell->fsm, now + bss->timers.t2_ns);
}

static void leave_reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_fsm_event(bss, &cell->fsm, cell->is_held ? BLOCK : UNBLOCK, now);
}

static void answer_reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    send(bss, cell, BSSGP_BVC_RESET_ACK);
    leave_reset(bss, cell, now);
}

static void unblock(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    send(bss, cell, BSSGP_BVC_UNBLOCK);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t1_ns, bss->timers.t1_retries);
}

static void unblock_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    send(bss, cell, BSSGP_BVC_UNBLOCK);
    bss_fsm_again(bss, &cell->fsm, now + bss->timers.t1_ns);
}

static void block(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    send(bss, cell, BSSGP_BVC_BLOCK);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t1_ns, bss->timers.t1_retries);
}

static void block_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    send(bss, cell, BSSGP_BVC_BLOCK);
    bss_fsm_again(bss, &cell->fsm, now + bss->timers.t1_ns);
}

static void come_up(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_fsm_stop(&cell->fsm);
    bss_announce_start(bss, cell, now);
}

static void rest(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_fsm_stop(&cell->fsm);
    bss_announce_stop(bss, cell, now);
}

static void ignore(struct bss *bss, void *self, int64_t now)
{
}

static const struct bss_fsm_row rows[STATES][EVENTS] =
    {
        [DOWN] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK] = {ignore, DOWN},
                [UNBLOCK] = {ignore, DOWN},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [RESETTING] =
            {
                [TIMEOUT] = {reset_again, RESETTING},
                [GAVE_UP] = {rest, DOWN},
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET_ACK] = {leave_reset, BLOCKED},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK] = {ignore, RESETTING},
                [UNBLOCK] = {ignore, RESETTING},
            },
        [BLOCKED] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {unblock, UNBLOCKING},
                [PEER_BLOCKED] = {ignore, BLOCKED},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [UNBLOCKING] =
            {
                [TIMEOUT] = {unblock_again, UNBLOCKING},
                [GAVE_UP] = {rest, BLOCKED},
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET_ACK] = {ignore, UNBLOCKING},
                [RESET] = {answer_reset, BLOCKED},
                [UNBLOCK_ACK] = {come_up, UP},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {ignore, UNBLOCKING},
                [PEER_BLOCKED] = {ignore, UNBLOCKING},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [UP] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET_ACK] = {ignore, UP},
                [RESET] = {answer_reset, BLOCKED},
                [UNBLOCK_ACK] = {ignore, UP},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {ignore, UP},
                [PEER_BLOCKED] = {unblock, UNBLOCKING},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [BLOCKING] =
            {
                [TIMEOUT] = {block_again, BLOCKING},
                [GAVE_UP] = {rest, BLOCKED},
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK_ACK] = {rest, BLOCKED},
                [BLOCK] = {ignore, BLOCKING},
                [UNBLOCK] = {unblock, UNBLOCKING},
                [PEER_BLOCKED] = {ignore, BLOCKING},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
};

static void tell_cells(struct bss *bss, unsigned event, int64_t now)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        bss_fsm_event(bss, &bss->cells[i].fsm, event, now);
}

/* A reset of BVCI 0 takes every cell of the NSE out of service; each is reset once BVCI 0 is acknowledged
   (§8.4). */
static void signalling_reset(struct bss *bss, void *self, int64_t now)
{
    tell_cells(bss, STOP, now);
    send(bss, NULL, BSSGP_BVC_RESET);
    bss_fsm_start(bss, &bss->signalling, now + bss->timers.t2_ns, bss->timers.t2_retries);
}

static void signalling_again(struct bss *bss, void *self, int64_t now)
{
    send(bss, NULL, BSSGP_BVC_RESET);
    bss_fsm_again(bss, &bss->signalling, now + bss->timers.t2_ns);
}

static void signalling_up(struct bss *bss, void *self, int64_t now)
{
    bss_fsm_stop(&bss->signalling);
    tell_cells(bss, START, now);
}

static void signalling_answer(struct bss *bss, void *self, int64_t now)
{
    send(bss, NULL, BSSGP_BVC_RESET_ACK);
    signalling_up(bss, self, now);
}

static void signalling_down(struct bss *bss, void *self, int64_t now)
{
    bss_fsm_stop(&bss->signalling);
    tell_cells(bss, STOP, now);
}

static const struct bss_fsm_row signalling_rows[STATES][EVENTS] = {
    [DOWN] =
        {
            [START] = {signalling_reset, RESETTING},
            [STOP] = {signalling_down, DOWN},
            [RESET] = {signalling_answer, UP},
            [PEER_UNKNOWN] = {signalling_reset, RESETTING},
        },
    [RESETTING] =
        {
            [TIMEOUT] = {signalling_again, RESETTING},
            [GAVE_UP] = {signalling_down, DOWN},
            [START] = {signalling_reset, RESETTING},
            [STOP] = {signalling_down, DOWN},
            [RESET_ACK] = {signalling_up, UP},
            [RESET] = {signalling_answer, UP},
        },
    [UP] =
        {
            [START] = {signalling_reset, RESETTING},
            [STOP] = {signalling_down, DOWN},
            [RESET_ACK] = {ignore, UP},
            [RESET] = {signalling_answer, UP},
            [PEER_UNKNOWN] = {signalling_reset, RESETTING},
        },
};

void bss_bvc_init(struct bss *bss, struct bss_cell *cell)
{
    bss_fsm_init(&cell->fsm, rows[0], EVENTS, cell);
}

void bss_bvc_signalling_init(struct bss *bss)
{
    bss_fsm_init(&bss->signalling, signalling_rows[0], EVENTS, NULL);
}

void bss_bvc_gb_up(struct bss *bss, int64_t now)
{
    bss_fsm_event(bss, &bss->signalling, START, now);
}

void bss_bvc_gb_down(struct bss *bss, int64_t now)
{
    bss_fsm_event(bss, &bss->signalling, STOP, now);
}

bool bss_bvc_is_up(const struct bss_cell *cell)
{
    return cell->fsm.state == UP;
}

void bss_bvc_hold(struct bss *bss, struct bss_cell *cell, bool hold, int64_t now)
{
    cell->is_held = hold;
    bss_fsm_event(bss, &cell->fsm, hold ? BLOCK : UNBLOCK, now);
}

static int event_of(const struct bssgp *pdu)
{
    switch (pdu->head.type) {
    case BSSGP_BVC_RESET:
        return RESET;
    case BSSGP_BVC_RESET_ACK:
        return RESET_ACK;
    case BSSGP_BVC_BLOCK_ACK:
        return BLOCK_ACK;
    case BSSGP_BVC_UNBLOCK_ACK:
        return UNBLOCK_ACK;
    case BSSGP_STATUS:
        return pdu->cause == BSSGP_CAUSE_BVCI_BLOCKED   ? PEER_BLOCKED
               : pdu->cause == BSSGP_CAUSE_BVCI_UNKNOWN ? PEER_UNKNOWN
                                                        : -1;
    default:
        return -1;
    }
}

static void signal_nse(struct bss *bss, const struct bssgp *pdu, unsigned event, int64_t now)
{
    if (event == RESET || event == RESET_ACK)
        bss_level_agree(bss, pdu);
    bss_fsm_event(bss, &bss->signalling, event, now);
}

void bss_bvc_signal(struct bss *bss, const struct bssgp *pdu, int64_t now)
{
    bool is_status = pdu->head.type == BSSGP_STATUS;
    int event = event_of(pdu);
    struct bss_cell *cell = bss_cell_get(bss, (uint16_t)pdu->bvci);
    if (event < 0 || (is_status && !pdu_has(&pdu->head, BSSGP_IE_BVCI)))
        bss->stats.unexpected++;
    else if (pdu->bvci == BSSGP_BVCI_SIGNALLING)
        signal_nse(bss, pdu, (unsigned)event, now);
    else if (cell)
        bss_fsm_event(bss, &cell->fsm, (unsigned)event, now);
    else if (!is_status)
        bss_bssgp_status(bss, BSSGP_CAUSE_BVCI_UNKNOWN, (int)pdu->bvci, NULL);
}
