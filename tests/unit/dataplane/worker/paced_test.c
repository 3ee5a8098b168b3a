/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker gives TCP both ways to dataplane/pacing, and drops what that calls a repetition. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/worker/fate.h"

#include <rte_mbuf.h>
#include <string.h>

#define INNER      50 /* octets before the N-PDU in a frame of Gn */
#define MSS        1000
#define DATA       500
#define WINDOW     60000
#define SYN_OCTETS 44

/* A TCP segment between the mobile 10.0.0.7 and 10.0.0.9; returns the octets of its packet. */
static uint16_t build(uint8_t *out, bool is_up, uint8_t flags, const uint32_t numbers[2],
                      uint16_t data_octets)
{
    bool is_syn = flags & TCP_SYN;
    uint16_t octets = (uint16_t)(is_syn ? SYN_OCTETS : 40 + data_octets);
    memset(out, 0, octets);
    out[0] = 0x45;
    bytes_put_u16(out + 2, octets);
    out[9] = 6;
    bytes_put_u32(out + 12, is_up ? 0x0a000007 : 0x0a000009);
    bytes_put_u32(out + 16, is_up ? 0x0a000009 : 0x0a000007);
    bytes_put_u16(out + 20, is_up ? 4000 : 80);
    bytes_put_u16(out + 22, is_up ? 80 : 4000);
    bytes_put_u32(out + 24, numbers[0]);
    bytes_put_u32(out + 28, numbers[1]);
    out[32] = is_syn ? 0x60 : 0x50;
    out[33] = flags;
    bytes_put_u16(out + 34, WINDOW);
    if (is_syn)
        bytes_put_u32(out + 40, 0x02040000 | MSS);
    return octets;
}

static void up(struct kit *kit, uint8_t flags, uint32_t ack)
{
    static uint16_t nu;
    uint8_t packet[128], frame[KIT_FRAME_OCTETS];
    uint16_t octets = build(packet, true, flags, (uint32_t[]){flags & TCP_SYN ? 99 : 100, ack}, 0);
    struct gb_frame_uplink in = {.nu = nu++ % 512, .octets = octets, .data = packet};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
}

static void down(struct kit *kit, uint8_t flags, uint32_t seq)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    uint16_t data_octets = flags & TCP_SYN ? 0 : DATA;
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = flags & TCP_SYN ? SYN_OCTETS : 40 + DATA};
    size_t octets = gn_frame_build(frame, &in);
    build(frame + GN_FRAME_INNER, false, flags, (uint32_t[]){seq, 100}, data_octets);
    kit_from_gn(kit, frame, octets);
}

/* The number that the next frame of Gn acknowledges; its window. 0: no frame. */
static uint32_t sent(struct kit *kit, uint16_t *window)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    if (kit_take_gn(kit, frame) == 0)
        return 0;
    *window = bytes_get_u16(frame + INNER + 34);
    return bytes_get_u32(frame + INNER + 28);
}

static void open_flow(struct kit *kit)
{
    kit_open(kit, &(struct kit_options){
                      .no_uplink_filter = true,
                      .pacing = {.classes = 1 << QCLASS_BACKGROUND,
                                 .drops_repeated = true,
                                 .flows = 64,
                                 .ms_target_ns = MOMENT_SECOND},
                  });
    uint16_t window;
    up(kit, TCP_SYN, 0);
    down(kit, TCP_SYN | TCP_ACK, 999);
    up(kit, TCP_ACK, 1000);
    (void)sent(kit, &window);
    assert_int_equal(sent(kit, &window), 1000);
    down(kit, TCP_ACK, 1000);
    down(kit, TCP_ACK, 1000 + DATA);
}

TEST(clamps)
{
    struct kit kit;
    uint16_t window = WINDOW;
    kit_open(&kit, &(struct kit_options){.no_uplink_filter = true,
                                         .pacing = {.classes = 1 << QCLASS_BACKGROUND, .flows = 64}});
    up(&kit, TCP_SYN, 0);
    down(&kit, TCP_SYN | TCP_ACK, 999);
    up(&kit, TCP_ACK, 1000);
    (void)sent(&kit, &window);
    assert_int_equal(sent(&kit, &window), 1000);
    assert_int_equal(window, 2 * MSS);
    assert_int_equal(kit.worker->stats.pacing_clamped, 1);
    kit_close(&kit);
}

/* A segment comes again twice that went to the mobile; duplicates, unless the mobile may have lost it. Their
 * own drops are no loss of the mobile's. */
static const struct again_row {
    const char *name;
    struct msg order; /* before it comes again; TLLI 0: none */
    uint8_t pfi;      /* of its packet flow; 0: none */
    bool is_duplicate;
} again_rows[] = {
    {"on its way", {0}, 0, true},
    {"on its way in a packet flow", {0}, 8, true},
    {"discarded by the BSS",
     {.type = MSG_MS_DISCARDED, .tlli = KIT_TLLI, .discard = {.octets = 500, .bvc = GB_BVC_NONE}},
     0,
     false},
    {"another cell", {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .cell = {.bvc = 1}}, 0, false},
    {"another cell, in a packet flow", {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .cell = {.bvc = 1}}, 8, false},
};

TEST(repetitions)
{
    for (unsigned i = 0; i < COUNT(again_rows); i++) {
        struct kit kit;
        uint16_t window;
        const struct again_row *row = &again_rows[i];
        open_flow(&kit);
        kit_do(&kit, &(struct msg){.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = KIT_BVCI + 1, .nse = 0}});
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true});
        if (row->pfi > 0) {
            kit_do(&kit, &(struct msg){.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = row->pfi});
            kit_do(&kit, &(struct msg){.type = MSG_PDP_PFI, .slot = 0, .pfi = row->pfi});
        }
        kit_flow(&kit, 1000000, 1000000);
        up(&kit, TCP_ACK, 1000 + DATA); /* all but the second segment */
        assert_int_equal(sent(&kit, &window), 1000 + DATA);
        if (row->order.tlli)
            kit_do(&kit, &row->order);
        for (unsigned k = 0; k < 2; k++)
            down(&kit, TCP_ACK, 1000 + DATA);
        if (kit.worker->stats.gn_drops[DROP_DUPLICATE] != 2u * row->is_duplicate)
            fail_msg("%s", row->name);
        kit_close(&kit);
    }
}

/* --- drops of N-PDUs that are not the mobile's --- */

#define NO_TEID    0x7fffffffu
#define OTHER_TEID (KIT_TEID + 1)

/* A second mobile, with a context. */
static void open_two(struct kit *kit)
{
    open_flow(kit);
    struct msg ms = kit_ms(kit, 1, KIT_TLLI + 1), pdp = kit_pdp(1, 1, KIT_NSAPI, OTHER_TEID);
    kit_do(kit, &ms);
    kit_do(kit, &pdp);
}

/* The first mobile has lost nothing: data that it has is still a repetition. */
static void close_unmarked(struct kit *kit)
{
    uint64_t before = kit->worker->stats.gn_drops[DROP_DUPLICATE];
    down(kit, TCP_ACK, 1000 + DATA);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_DUPLICATE], before + 1);
    kit_close(kit);
}

/* Of a TEID that no context has, and of one whose mobile was deleted. */
TEST_IN(drops_without_context, struct kit, kit, open_two(kit), close_unmarked(kit))
{
    const uint64_t *drops = kit->worker->stats.gn_drops;
    gn_frame_put(kit, NO_TEID, DATA);
    assert_int_equal(drops[DROP_UNKNOWN_TEID], 1);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 1});
    gn_frame_put(kit, OTHER_TEID, DATA);
    assert_int_equal(drops[DROP_UNKNOWN_TEID] + drops[DROP_STALE_TEID], 2);
}

/* What waits for the second mobile ends with its context, and in the same step the first has the slot. */
TEST_IN(drops_of_a_former_context, struct kit, kit, open_two(kit), close_unmarked(kit))
{
    struct msg orders[] = {{.type = MSG_PDP_DEL, .slot = 1}, kit_pdp(1, 0, KIT_NSAPI + 1, OTHER_TEID + 1)};
    struct msg answer;
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI + 1, .is_suspended = true});
    gn_frame_put(kit, OTHER_TEID, DATA);
    for (unsigned i = 0; i < COUNT(orders); i++) {
        orders[i].seq = ++kit->seq;
        assert_true(msg_put(kit->worker->rings.to_worker, &orders[i]));
    }
    kit_settle(kit);
    for (unsigned i = 0; i < COUNT(orders); i++)
        assert_true(kit_take_msg(kit, &answer) && answer.answer.status == 0);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_CONTEXT_DELETED], 1);
    assert_int_equal(kit->worker->context.pdps[1].dropped, 0);
    const struct gb_counts *cell = context_counts(&kit->worker->context, 0, QCLASS_BACKGROUND);
    assert_int_equal(cell->drops[DROP_CONTEXT_DELETED - DROP_FIRST_NPDU], 1);
}

/* An N-PDU of a slot and generation; only with own context and mobile it counts, and marks. */
static const struct drop_row {
    const char *name;
    uint32_t pdp, generation;
    bool is_away; /* another worker serves the mobile */
    bool is_own;
    bool is_paced; /* else no loss, as AQM drops it */
} drop_rows[] = {
    {"first mobile's", 0, 1, false, true, true},
    {"first mobile's, not paced", 0, 1, false, true},
    {"slot's former context", 0, 0, false, false, true},
    {"slot not in use, of mobile 0 as no other was in it", KIT_PDPS - 1, 0, false, false, true},
    {"second mobile's", 1, 1, false, true, true},
    {"second mobile is away", 1, 1, true, false, true},
};

static void drop_straight(struct kit *kit, const struct drop_row *row)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(kit->rx_pool);
    assert_non_null(mbuf);
    struct n_pdu *n_pdu = pool_n_pdu(mbuf);
    *n_pdu = (struct n_pdu){.data = rte_pktmbuf_mtod(mbuf, uint8_t *),
                            .octets = 40,
                            .arrival_ns = kit->now,
                            .pdp = row->pdp,
                            .generation = row->generation,
                            .qclass = QCLASS_BACKGROUND,
                            .is_paced = row->is_paced};
    kit->worker->stats.gn_frames++; /* the sums of stats.h hold */
    kit->worker->stats.npdu_in++;
    fate_drop(kit->worker, n_pdu, DROP_AQM, kit->now);
}

static void drop_one(const struct drop_row *row)
{
    struct kit kit;
    open_two(&kit);
    struct context *c = &kit.worker->context;
    assert_int_equal(c->pdps[0].generation, 1);
    c->mobiles[1].in_use = !row->is_away;
    drop_straight(&kit, row);
    c->mobiles[1].in_use = true;
    const struct gb_counts *cell = context_counts(c, 0, QCLASS_BACKGROUND);
    if (c->pdps[row->pdp].dropped != row->is_own || cell->drops[DROP_AQM - DROP_FIRST_NPDU] != row->is_own)
        fail_msg("%s: dropped %lu", row->name, (unsigned long)c->pdps[row->pdp].dropped);
    if (row->is_own && row->pdp == 0 && row->is_paced) { /* marked: what it has may be sent again */
        down(&kit, TCP_ACK, 1000 + DATA);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_DUPLICATE], 0);
        kit_close(&kit);
    } else {
        close_unmarked(&kit);
    }
}

TEST_EACH(drops_of_contexts, drop_one, drop_rows)

UNIT_MAIN(kit_start, NULL)
