/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/worker_model.h"

#include "dataplane/wire/bssgp.h"
#include "tests/fuzz/fuzz.h"

enum { NS_AT = 42, NS_HEADER = 4, GTP_TYPE_AT = 43, G_PDU = 255, SLACK_OCTETS = 1 };

struct leaky {
    double octets; /* of the level, at `at` */
    uint64_t most, rate_bps;
    int64_t at;
};

static struct {
    struct leaky bucket;
    uint64_t ms_most, ms_rate_bps; /* defaults of its mobiles */
    bool is_announced, is_blocked;
} cells[WORKER_MODEL_CELLS];

static struct {
    struct leaky bucket;
    unsigned cell;
    bool has_own, is_suspended, is_held;
} mobiles[WORKER_MODEL_MOBILES];

static uint64_t last_segments, g_pdus;
static bool has_links; /* acknowledged mode was ordered: I frames and what is sent again are not modelled */

/* --- buckets --- */

static void leak(struct leaky *b, int64_t now)
{
    b->octets -= (double)b->rate_bps / 8e9 * (double)(now - b->at);
    if (b->octets < 0)
        b->octets = 0;
    b->at = now;
}

static void set(struct leaky *b, uint64_t most, uint64_t rate_bps, int64_t now)
{
    leak(b, now);
    b->most = most;
    b->rate_bps = rate_bps;
}

static void empty(struct leaky *b, int64_t now)
{
    b->octets = 0;
    b->at = now;
}

/* The level is kept as a float here, in another unit there. */
static void charge(struct leaky *b, uint32_t octets, int64_t now)
{
    leak(b, now);
    FUZZ_CHECK(b->octets <= SLACK_OCTETS || b->octets + octets <= (double)b->most + SLACK_OCTETS);
    b->octets += octets;
}

static void use_defaults(unsigned i, int64_t now)
{
    mobiles[i].has_own = false;
    set(&mobiles[i].bucket, cells[mobiles[i].cell].ms_most, cells[mobiles[i].cell].ms_rate_bps, now);
}

static void each_default(unsigned cell, int64_t now)
{
    for (unsigned i = 0; i < WORKER_MODEL_MOBILES; i++)
        if (mobiles[i].cell == cell && !mobiles[i].has_own)
            use_defaults(i, now);
}

/* --- orders --- */

void worker_model_begin(void)
{
    memset(cells, 0, sizeof cells);
    memset(mobiles, 0, sizeof mobiles);
    last_segments = g_pdus = 0;
    has_links = false;
}

void worker_model_add(unsigned mobile, int64_t now)
{
    memset(&mobiles[mobile], 0, sizeof mobiles[mobile]);
    mobiles[mobile].bucket.at = now;
    use_defaults(mobile, now);
}

static void announce(unsigned cell, const struct gb_flow *flow, int64_t now)
{
    set(&cells[cell].bucket, flow->bucket_octets, flow->rate_bps, now);
    cells[cell].ms_most = flow->ms_bucket_octets;
    cells[cell].ms_rate_bps = flow->ms_rate_bps;
    cells[cell].is_announced = true;
    each_default(cell, now);
}

/* Nothing that was announced holds any longer. */
static void reset(unsigned cell, int64_t now)
{
    empty(&cells[cell].bucket, now);
    cells[cell].is_announced = false;
    for (unsigned i = 0; i < WORKER_MODEL_MOBILES; i++)
        if (mobiles[i].cell == cell) {
            empty(&mobiles[i].bucket, now);
            use_defaults(i, now);
        }
}

static void note_mobile(const struct msg *order, unsigned i, int64_t now)
{
    if (order->type == MSG_MS_FLOW) {
        mobiles[i].has_own = true;
        set(&mobiles[i].bucket, order->flow.bucket_octets, order->flow.rate_bps, now);
    } else if (order->type == MSG_MS_DEFAULTS) {
        use_defaults(i, now);
    } else if (order->type == MSG_MS_SUSPEND) {
        mobiles[i].is_suspended = order->is_suspended;
    } else if (order->type == MSG_MS_CELL) {
        mobiles[i].cell = order->cell.bvc;
        mobiles[i].is_suspended = false;
        empty(&mobiles[i].bucket, now);
        use_defaults(i, now);
    }
}

void worker_model_note(const struct msg *order, int64_t now)
{
    unsigned subject = msg_row(order->type)->subject;
    if (subject == MSG_BY_TLLI)
        note_mobile(order, order->tlli - KIT_TLLI, now);
    else if (order->type == MSG_BVC_FLOW)
        announce(order->slot, &order->flow, now);
    else if (order->type == MSG_BVC_RESET)
        reset(order->slot, now);
    else if (order->type == MSG_BVC_STATE)
        cells[order->slot].is_blocked = !order->is_unblocked;
    else if (order->type == MSG_MS_HOLD)
        mobiles[order->slot].is_held = order->is_held;
    else if (order->type == MSG_PDP_LLC)
        has_links |= order->llc_mode.is_acknowledged;
}

/* --- frames --- */

/* A UI frame of users' packets, whose SNDCP header says whether more segments follow. */
static bool is_ui(const struct ie_span *llc)
{
    return llc->octets > 4 && (llc->at[0] & 15) == KIT_SAPI && (llc->at[1] & 0xe0) == 0xc0;
}

static void see_gb(const uint8_t *frame, size_t octets, int64_t now)
{
    struct bssgp pdu;
    unsigned cell = frame[NS_AT + 3] - KIT_BVCI;
    if (octets <= NS_AT + NS_HEADER || frame[NS_AT] != 0)
        return;
    FUZZ_CHECK(bssgp_decode(&pdu, frame + NS_AT + NS_HEADER, octets - NS_AT - NS_HEADER) > 0);
    if (pdu.head.type != BSSGP_DL_UNITDATA)
        return;
    unsigned i = pdu.tlli - KIT_TLLI;
    FUZZ_CHECK(cell < WORKER_MODEL_CELLS && i < WORKER_MODEL_MOBILES && mobiles[i].cell == cell);
    if (has_links && !is_ui(&pdu.llc_pdu))
        return;
    FUZZ_CHECK(!mobiles[i].is_held);
    FUZZ_CHECK(cells[cell].is_announced && !cells[cell].is_blocked && !mobiles[i].is_suspended);
    charge(&cells[cell].bucket, (uint32_t)pdu.llc_pdu.octets, now);
    charge(&mobiles[i].bucket, (uint32_t)pdu.llc_pdu.octets, now);
    last_segments += is_ui(&pdu.llc_pdu) && !(pdu.llc_pdu.at[3] & 0x10);
}

/* A G-PDU over IPv4, if it is cut only the first of its fragments. */
static void see_gn(const uint8_t *frame, size_t octets)
{
    bool is_first = octets > GTP_TYPE_AT && frame[12] == 8 && (frame[20] & 0x1f) == 0 && frame[21] == 0;
    g_pdus += is_first && frame[GTP_TYPE_AT] == G_PDU;
}

void worker_model_take(struct kit *kit)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets;
    while ((octets = kit_take_gb(kit, frame)) > 0)
        see_gb(frame, octets, kit->now);
    while ((octets = kit_take_gn(kit, frame)) > 0)
        see_gn(frame, octets);
}

void worker_model_end(const struct kit *kit)
{
    const struct worker_stats *s = &kit->worker->stats;
    FUZZ_CHECK(has_links || last_segments == s->npdu_out);
    FUZZ_CHECK(g_pdus == s->ul_npdu_out + s->forward_npdu_out + s->forward_unconfirmed);
    FUZZ_CHECK(kit->worker->forward.count <= KIT_PDPS);
}
