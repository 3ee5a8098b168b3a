/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The deadlines that worker_step() returns: never one that has passed, never one before which something would
 * have moved, and no circle of wakings that move nothing; also while orders come and go under load.
 */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define EVENTS     6000
#define IDLE_WAKES 20
#define STEPS      20

static void put_n_pdu(struct kit *kit, uint32_t teid, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = teid, .inner_octets = octets};
    assert_int_equal(vport_push(&kit->gn, frame, gn_frame_build(frame, &in)), 0);
}

/* --- rows --- */

struct step_row {
    const char *name;
    uint64_t bucket_octets, rate_bps;
    int64_t lifetime_ns;
    uint16_t octets[3]; /* N-PDUs that come at once */
    int64_t next_ns;    /* after the first has gone, relative to then */
};

static const struct step_row rows[] = {
    {"nothing waits", 10000, 8000, 0, {100}, MOMENT_NEVER},
    {"room for the second", 10000, 8000, 0, {100, 100}, MOMENT_NEVER},
    {"second waits for 100 octets to leak", 120, 8000, 0, {100, 100}, 100 * KIT_MS},
    {"longer than the bucket: empty first", 80, 8000, 0, {100, 100}, 110 * KIT_MS + 1},
    {"no rate", 110, 0, 0, {100, 100}, MOMENT_NEVER},
    {"no rate, but a lifetime", 110, 0, 5 * KIT_MS, {100, 100}, 5 * KIT_MS + 1},
    {"lifetime before the bucket", 110, 8000, 50 * KIT_MS, {100, 100}, 50 * KIT_MS + 1},
    {"bucket before the lifetime", 110, 8000, 500 * KIT_MS, {100, 20, 20}, 30 * KIT_MS},
};

TEST(deadlines)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct step_row *row = &rows[i];
        struct kit kit;
        kit_open(&kit, &(struct kit_options){.lifetime_ns = row->lifetime_ns});
        kit_flow(&kit, row->bucket_octets, row->rate_bps);
        assert_int_equal(kit_settle_at(&kit, kit.now + 1), MOMENT_NEVER);
        for (unsigned k = 0; k < COUNT(row->octets) && row->octets[k]; k++)
            put_n_pdu(&kit, KIT_TEID, row->octets[k]);
        assert_int_equal(worker_step(kit.worker, kit.now), kit.now);
        int64_t want = row->next_ns == MOMENT_NEVER ? MOMENT_NEVER : kit.now + row->next_ns;
        if (kit_settle(&kit) != want)
            fail_msg("%s", row->name);
        kit_close(&kit);
    }
}

/* --- load --- */

/* An N-PDU of six LLC-PDUs waits, and closes the short way. Then each step receives more LLC-PDUs than one
 * burst: the short way opens again all the same, and buffers that were kept for it are given back. */
KIT_TEST(catches_up, &(struct kit_options){.n201_u = 300, .queue_limit_octets = 1000000})
{
    kit_flow(kit, 1000000000, 1000000000);
    put_n_pdu(kit, KIT_TEID, 1500);
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned k = 0; k < WORKER_BURST; k++)
            put_n_pdu(kit, KIT_TEID, 800);
        kit->now++;
        assert_int_equal(worker_step(kit->worker, kit->now), kit->now);
        kit_drain(&kit->gb);
    }
    assert_true(context_queued_pkts(&kit->worker->context) <= 1); /* one is behind: a burst for each step */
    assert_true(kit->worker->outbox.batch.spare_count > 0);
    kit_settle(kit);
    kit_drain(&kit->gb);
    assert_int_equal(kit->worker->stats.npdu_out, 1 + STEPS * WORKER_BURST);
    assert_int_equal(kit->worker->stats.llc_frames, 6 + 3 * STEPS * WORKER_BURST);
    assert_int_equal(kit->worker->outbox.batch.spare_count, 0);
    assert_int_equal(rte_mempool_in_use_count(kit->tx_pool), 0);
}

/* --- chance --- */

struct lab {
    struct kit kit;
    uint64_t chance;
    bool has_ms[KIT_MOBILES], has_pdp[KIT_PDPS];
};

static struct gb_flow random_flow(uint64_t *chance)
{
    return (struct gb_flow){
        .bucket_octets = prng_magnitude(chance, 30000),
        .rate_bps = prng_below(chance, 5) ? prng_magnitude(chance, 10000000) : 0,
        .ms_bucket_octets = prng_magnitude(chance, 20000),
        .ms_rate_bps = prng_below(chance, 5) ? prng_magnitude(chance, 5000000) : 0,
        .ratio_percent = prng_below(chance, 4) ? -1 : (int32_t)prng_below(chance, 150),
    };
}

/* Context i is on mobile i / 2. */
static void order_sessions(struct lab *lab)
{
    uint32_t i = (uint32_t)prng_below(&lab->chance, KIT_PDPS), m = i / 2;
    struct msg ms = kit_ms(&lab->kit, m, KIT_TLLI + m);
    struct msg pdp = kit_pdp(i, m, (uint8_t)(5 + i % 2), KIT_TEID + i);
    struct msg pdp_del = {.type = MSG_PDP_DEL, .slot = i}, ms_del = {.type = MSG_MS_DEL, .slot = m};

    if (prng_below(&lab->chance, 6) == 0) {
        assert_int_equal(kit_order(&lab->kit, &ms_del), lab->has_ms[m] ? 0 : -1);
        lab->has_ms[m] = lab->has_pdp[2 * m] = lab->has_pdp[2 * m + 1] = false;
    } else if (!lab->has_ms[m]) {
        kit_do(&lab->kit, &ms);
        lab->has_ms[m] = true;
    } else if (prng_below(&lab->chance, 3) == 0) {
        assert_int_equal(kit_order(&lab->kit, &pdp_del), lab->has_pdp[i] ? 0 : -1);
        lab->has_pdp[i] = false;
    } else {
        assert_int_equal(kit_order(&lab->kit, &pdp), lab->has_pdp[i] ? -1 : 0);
        lab->has_pdp[i] = true;
    }
}

static void order_gb(struct lab *lab)
{
    uint32_t m = (uint32_t)prng_below(&lab->chance, KIT_MOBILES);
    struct msg bvc_flow = {.type = MSG_BVC_FLOW, .flow = random_flow(&lab->chance)};
    struct msg ms_flow = {.type = MSG_MS_FLOW, .tlli = KIT_TLLI + m, .flow = random_flow(&lab->chance)};
    const struct gb_discard discard = {
        .octets = prng_magnitude(&lab->chance, 3000), .bvc = GB_BVC_NONE, .pfi = N_PDU_NO_PFI};
    const struct msg orders[] = {
        bvc_flow,
        ms_flow,
        {.type = MSG_MS_DEFAULTS, .tlli = KIT_TLLI + m},
        {.type = MSG_MS_DISCARDED, .tlli = KIT_TLLI + m, .discard = discard},
        {.type = MSG_NSVC_STATE, .is_usable = prng_below(&lab->chance, 8) > 0},
        {.type = MSG_BVC_STATE, .is_unblocked = prng_below(&lab->chance, 8) > 0},
        {.type = MSG_BVC_RESET},
    };
    uint64_t which = prng_below(&lab->chance, 40);
    const struct msg *msg = &orders[which < COUNT(orders) ? which : which % 6];
    bool goes = msg->type < MSG_MS_FLOW || lab->has_ms[m];
    assert_int_equal(kit_order(&lab->kit, msg), goes ? 0 : -1);
}

static void event(struct lab *lab)
{
    uint64_t kind = prng_below(&lab->chance, 10);
    if (kind == 0)
        order_sessions(lab);
    else if (kind == 1)
        order_gb(lab);
    else
        put_n_pdu(&lab->kit, KIT_TEID + (uint32_t)prng_below(&lab->chance, KIT_PDPS),
                  (uint16_t)prng_between(&lab->chance, 20, 1503));
}

/* Follows the deadlines up to an instant. */
static void run_until(struct lab *lab, int64_t until)
{
    struct kit *kit = &lab->kit;
    int64_t next;
    unsigned idle = 0;

    while ((next = kit_settle(kit)) <= until) {
        struct worker_stats before = kit->worker->stats;
        assert_true(kit_settle_at(kit, next - 1) <= next);
        assert_memory_equal(&before, &kit->worker->stats, sizeof(before));
        kit_settle_at(kit, next);
        idle = memcmp(&before, &kit->worker->stats, sizeof(before)) == 0 ? idle + 1 : 0;
        assert_true(idle <= IDLE_WAKES);
        if (prng_below(&lab->chance, 4) == 0)
            kit_drain(&kit->gb);
        kit_drain(&kit->gn);
    }
    kit_settle_at(kit, until);
    kit_drain(&kit->gb);
    kit_drain(&kit->gn);
}

static void play(const struct kit_options *options, uint64_t seed)
{
    struct lab lab = {.chance = seed, .has_ms = {true}, .has_pdp = {true}};
    kit_open(&lab.kit, options);
    for (unsigned i = 0; i < EVENTS; i++) {
        event(&lab);
        run_until(&lab, lab.kit.now + (int64_t)prng_magnitude(&lab.chance, 200 * KIT_MS));
    }
    assert_true(lab.kit.worker->stats.npdu_out > EVENTS / 20);
    kit_close(&lab.kit);
}

TEST(random_schedules)
{
    play(&(struct kit_options){.queue_limit_octets = 10000}, 1);
    play(&(struct kit_options){.queue_limit_octets = 20000, .n201_u = 140, .lifetime_ns = 300 * KIT_MS}, 2);
    play(&(struct kit_options){.queue_limit_octets = 3000, .n201_u = 600, .lifetime_ns = 5 * KIT_MS}, 3);
}

UNIT_MAIN(kit_start, NULL)
