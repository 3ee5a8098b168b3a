/* SPDX-License-Identifier: BSD-3-Clause */
/* BVCs: the machine of BVCI 0 and that of a cell (TS 48.018 clause 8), and packet flows. */
#include "bss/model.h"

#include "bss/announce.h"
#include "bss/fsm.h"

enum { DOWN, RESETTING, BLOCKED, UNBLOCKING, UP = BSS_BVC_UP, BLOCKING, STATES };
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

enum { FEATURE_CBL = 0x02, FEATURE_PFC = 0x01, FEATURE_PFC_FC = 0x20, CAUSE_PFC_CREATE_FAILURE = 0x0a };

static bool has_flows(const struct bss_cell *cell)
{
    return cell->config.pfc.bucket_octets > 0;
}

static uint32_t pfc_features(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (has_flows(&bss->cells[i]))
            return FEATURE_PFC | FEATURE_PFC_FC;
    return 0;
}

static void pfc_agree(struct bss *bss, const struct bssgp *pdu)
{
    bool has_peer = pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP) && pdu->feature_bitmap & FEATURE_PFC_FC;
    bss->has_pfc_fc = has_peer && pfc_features(bss);
}

static bool has_levels(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (bss->cells[i].config.has_level)
            return true;
    return false;
}

/* Sets the features of the BSS. */
static void bvc_offer(const struct bss *bss, struct bssgp *reset)
{
    uint32_t features = (has_levels(bss) ? FEATURE_CBL : 0u) | pfc_features(bss);
    if (!features)
        return;
    reset->feature_bitmap = features;
    pdu_mark(&reset->head, BSSGP_IE_FEATURE_BITMAP);
}

/* Reads the features in the peer's BVC-RESET of BVCI 0, or in its acknowledgement. */
static void bvc_agree(struct bss *bss, const struct bssgp *pdu)
{
    bool has_peer = pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP) && pdu->feature_bitmap & FEATURE_CBL;
    bss->has_cbl = has_peer && has_levels(bss);
    pfc_agree(bss, pdu);
}

static void bvc_send(struct bss *bss, const struct bss_cell *cell, enum bssgp_type type)
{
    struct bssgp pdu = {.head.type = (uint8_t)type, .cause = BSSGP_CAUSE_OM_INTERVENTION};
    if (cell) {
        pdu.bvci = cell->config.bvci;
        pdu.cell_id = cell->config.cell_id;
        pdu_mark(&pdu.head, BSSGP_IE_CELL_ID);
    } else {
        bvc_offer(bss, &pdu);
    }
    bss_gb_send(bss, BSSGP_BVCI_SIGNALLING, &pdu);
}

static void reset(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    bvc_send(bss, cell, BSSGP_BVC_RESET);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t2_ns, bss->timers.t2_retries);
}

static void reset_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bvc_send(bss, cell, BSSGP_BVC_RESET);
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
    bvc_send(bss, cell, BSSGP_BVC_RESET_ACK);
    leave_reset(bss, cell, now);
}

static void unblock(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    bvc_send(bss, cell, BSSGP_BVC_UNBLOCK);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t1_ns, bss->timers.t1_retries);
}

static void unblock_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bvc_send(bss, cell, BSSGP_BVC_UNBLOCK);
    bss_fsm_again(bss, &cell->fsm, now + bss->timers.t1_ns);
}

static void block(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bss_announce_stop(bss, cell, now);
    bvc_send(bss, cell, BSSGP_BVC_BLOCK);
    bss_fsm_start(bss, &cell->fsm, now + bss->timers.t1_ns, bss->timers.t1_retries);
}

static void block_again(struct bss *bss, void *self, int64_t now)
{
    struct bss_cell *cell = self;
    bvc_send(bss, cell, BSSGP_BVC_BLOCK);
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

static const struct bss_fsm_row rows[STATES][EVENTS] =
    {
        [DOWN] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK] = {bss_fsm_ignore, DOWN},
                [UNBLOCK] = {bss_fsm_ignore, DOWN},
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
                [BLOCK] = {bss_fsm_ignore, RESETTING},
                [UNBLOCK] = {bss_fsm_ignore, RESETTING},
            },
        [BLOCKED] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET] = {answer_reset, BLOCKED},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {unblock, UNBLOCKING},
                [PEER_BLOCKED] = {bss_fsm_ignore, BLOCKED},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [UNBLOCKING] =
            {
                [TIMEOUT] = {unblock_again, UNBLOCKING},
                [GAVE_UP] = {rest, BLOCKED},
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET_ACK] = {bss_fsm_ignore, UNBLOCKING},
                [RESET] = {answer_reset, BLOCKED},
                [UNBLOCK_ACK] = {come_up, UP},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {bss_fsm_ignore, UNBLOCKING},
                [PEER_BLOCKED] = {bss_fsm_ignore, UNBLOCKING},
                [PEER_UNKNOWN] = {reset, RESETTING},
            },
        [UP] =
            {
                [START] = {reset, RESETTING},
                [STOP] = {rest, DOWN},
                [RESET_ACK] = {bss_fsm_ignore, UP},
                [RESET] = {answer_reset, BLOCKED},
                [UNBLOCK_ACK] = {bss_fsm_ignore, UP},
                [BLOCK] = {block, BLOCKING},
                [UNBLOCK] = {bss_fsm_ignore, UP},
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
                [BLOCK] = {bss_fsm_ignore, BLOCKING},
                [UNBLOCK] = {unblock, UNBLOCKING},
                [PEER_BLOCKED] = {bss_fsm_ignore, BLOCKING},
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
    bvc_send(bss, NULL, BSSGP_BVC_RESET);
    bss_fsm_start(bss, &bss->signalling, now + bss->timers.t2_ns, bss->timers.t2_retries);
}

static void signalling_again(struct bss *bss, void *self, int64_t now)
{
    bvc_send(bss, NULL, BSSGP_BVC_RESET);
    bss_fsm_again(bss, &bss->signalling, now + bss->timers.t2_ns);
}

static void signalling_up(struct bss *bss, void *self, int64_t now)
{
    bss_fsm_stop(&bss->signalling);
    tell_cells(bss, START, now);
}

static void signalling_answer(struct bss *bss, void *self, int64_t now)
{
    bvc_send(bss, NULL, BSSGP_BVC_RESET_ACK);
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
            [RESET_ACK] = {bss_fsm_ignore, UP},
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
        bvc_agree(bss, pdu);
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
        bss_gb_status(bss, BSSGP_CAUSE_BVCI_UNKNOWN, (int)pdu->bvci, NULL);
}

static void announce(struct bss *bss, struct bss_cell *cell, uint32_t tlli, uint32_t pfi)
{
    const struct bss_bucket *bucket = &cell->config.pfc;
    struct bssgp pdu = {.head.type = BSSGP_FLOW_CONTROL_PFC, .tlli = tlli, .tag = ++cell->pfc_tag};
    pdu.pfcs.count = 1;
    pdu.pfcs.flow[0] = (struct pfc_flow){
        .pfi = (uint8_t)pfi, .bucket_octets = bucket->bucket_octets, .rate_bps = bucket->rate_bps};
    if (bss->has_pfc_fc)
        bss_gb_send(bss, cell->config.bvci, &pdu);
}

static void create(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu)
{
    struct bssgp answer = {
        .tlli = pdu->tlli, .pfi = pdu->pfi, .abqp = pdu->abqp, .cause = CAUSE_PFC_CREATE_FAILURE};
    answer.head.type = has_flows(cell) ? BSSGP_CREATE_BSS_PFC_ACK : BSSGP_CREATE_BSS_PFC_NACK;
    bss_gb_send(bss, cell->config.bvci, &answer);
    if (has_flows(cell))
        announce(bss, cell, pdu->tlli, pdu->pfi);
}

bool bss_bvc_pfc_rx(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu)
{
    if (pdu->head.type == BSSGP_CREATE_BSS_PFC) {
        create(bss, cell, pdu);
    } else if (pdu->head.type == BSSGP_DELETE_BSS_PFC) {
        struct bssgp ack = {.head.type = BSSGP_DELETE_BSS_PFC_ACK, .tlli = pdu->tlli, .pfi = pdu->pfi};
        bss_gb_send(bss, cell->config.bvci, &ack);
    } else {
        return pdu->head.type == BSSGP_FLOW_CONTROL_PFC_ACK;
    }
    return true;
}
