/* SPDX-License-Identifier: BSD-3-Clause */
/* From TEID to context: those that are indices, foreign ones, stale ones, and those of other workers. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_hash.h>
#include <string.h>

#define OTHER_IP 0xc0000207u
#define SLOTS    16
#define WORKER   3
#define WORKERS  5
#define ROUNDS   200000

static uint32_t find(const struct tunnels *t, uint32_t ip, uint32_t teid)
{
    struct table_key key = lookup_tunnel_key(ip, teid);
    uint32_t found;
    tunnels_find(t, &key, 1, &found);
    return found;
}

/* --- what a TEID says --- */

static const struct {
    unsigned worker, generation;
    uint32_t slot, teid;
    uint32_t slots; /* of the node; 0: 2^20, the most with 20 bits */
} teids[] = {
    {0, 1, 0, 0x00100000, 1},
    {0, 255, 0, 0x0ff00000, 0},
    {15, 1, 0, 0xf0100000, 0},
    {1, 2, 3, 0x10200003, 4},
    {15, 255, 0xfffff, 0xffffffff, 0},
    {0, 1, 0xfffff, 0x001fffff, 0},
    {9, 128, 77, 0x9800004d, 0},
    {0, 1, 0, 0x00400000, 0x100001},
    {0, 63, 0x100000, 0x0fd00000, 0x100001},
    {15, 63, 0x3fffff, 0xffffffff, TEID_SLOTS},
    {9, 32, 77, 0x9800004d, TEID_SLOTS},
};

TEST(parts_of_a_teid)
{
    for (size_t i = 0; i < COUNT(teids); i++) {
        unsigned bits = teid_slot_bits(teids[i].slots ? teids[i].slots : 1 << TEID_SLOT_BITS);
        uint32_t teid = teid_make(teids[i].worker, teids[i].generation, teids[i].slot, bits);
        assert_int_equal(teid, teids[i].teid);
        assert_true(teids[i].generation <= teid_generations(bits));
        assert_int_equal(teid_worker(teid), teids[i].worker);
        assert_int_equal(teid_generation(teid, bits), teids[i].generation);
        assert_int_equal(teid_slot(teid, bits), teids[i].slot);
        assert_true(teid_is_of(teid, teids[i].worker, bits));
        assert_false(teid_is_of(teid, teids[i].worker ^ 1, bits));
    }
    assert_false(teid_is_of(0x0000ffff, 0, TEID_SLOT_BITS));
    assert_false(teid_is_of(0x0010ffff, 0, TEID_MOST_BITS));
}

/* --- rows --- */

struct lab {
    struct tunnels tunnels;
    struct context context;
};

static void open_lab(struct lab *lab)
{
    static unsigned opened;
    char name[16];
    snprintf(name, sizeof(name), "tunnels%u", opened++);
    struct context_limits limits = {.nses = 1, .nsvcs = 1, .bvcs = 1, .mobiles = 1, .pdps = SLOTS};
    struct context_policy policy;
    *lab = (struct lab){.tunnels.worker = WORKER, .tunnels.workers = WORKERS};
    context_policy_default(&policy);
    assert_true(context_new(&lab->context, &limits, &policy));
    assert_true(tunnels_new(&lab->tunnels, name, &lab->context));
}

static void close_lab(struct lab *lab)
{
    tunnels_free(&lab->tunnels);
    context_free(&lab->context);
}

static int put(struct lab *lab, uint32_t slot, uint32_t ip, uint32_t teid)
{
    struct table_key key = lookup_tunnel_key(ip, teid);
    if (tunnels_add(&lab->tunnels, &key, slot) < 0)
        return -1;
    if (slot < SLOTS)
        lab->context.pdps[slot] = (struct pdp){.params = {.sgsn_ip = ip, .teid = teid}, .in_use = true};
    return 0;
}

static void take(struct lab *lab, uint32_t slot, uint32_t ip, uint32_t teid)
{
    struct table_key key = lookup_tunnel_key(ip, teid);
    tunnels_del(&lab->tunnels, &key, slot);
    if (slot < SLOTS)
        lab->context.pdps[slot].in_use = false;
}

TEST(found)
{
    static const struct {
        const char *name;
        uint32_t ip, teid, want;
    } rows[] = {
        {"index", 1, 0x30100002, 2},
        {"index, other address", 2, 0x30100002, TUNNELS_NONE},
        {"generation 0", 1, 0x30000002, TUNNELS_NONE},
        {"another generation", 1, 0x30200002, TUNNELS_STALE},
        {"last generation", 1, 0x3ff00002, TUNNELS_STALE},
        {"free slot", 1, 0x30100003, TUNNELS_STALE},
        {"slot of a foreign one", 1, 0x30100004, TUNNELS_STALE},
        {"last slot", 1, 0x3010000f, TUNNELS_STALE},
        {"behind the last slot", 1, 0x30100010, TUNNELS_NONE},
        {"foreign", 1, 77, 4},
        {"foreign, other address", 2, 77, TUNNELS_NONE},
        {"foreign, looks like ours", 1, 0x30500003, 5},
        {"foreign, looks like another worker's", 1, 0x40100000, 6},
        {"of worker 0", 1, 0x00100000, TUNNELS_AT},
        {"of worker 4", 1, 0x4fffffff, TUNNELS_AT + 4},
        {"of a worker that is not", 1, 0x50100000, TUNNELS_NONE},
        {"of worker 15, which is not", 1, 0xffffffff, TUNNELS_NONE},
        {"of worker 0, generation 0", 1, 0x00000005, TUNNELS_NONE},
        {"of worker 4, generation 0", 1, 0x40000005, TUNNELS_NONE},
        {"foreign of worker 1", 1, 78, TUNNELS_AT + 1},
        {"foreign of worker 2, looks like ours", 1, 0x30200002 + 4, TUNNELS_AT + 2},
        {"0", 1, 0, TUNNELS_NONE},
    };
    struct lab lab;
    open_lab(&lab);
    assert_int_equal(put(&lab, 2, 1, 0x30100002), 0);
    assert_int_equal(rte_hash_count(lab.tunnels.foreign), 0);
    assert_int_equal(put(&lab, 4, 1, 77), 0);
    assert_int_equal(put(&lab, 5, 1, 0x30500003), 0);
    assert_int_equal(put(&lab, 6, 1, 0x40100000), 0);
    assert_int_equal(put(&lab, TUNNELS_AT + 1, 1, 78), 0);
    assert_int_equal(put(&lab, TUNNELS_AT + 2, 1, 0x30200006), 0);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (find(&lab.tunnels, rows[i].ip, rows[i].teid) != rows[i].want)
            fail_msg("%s: %x", rows[i].name, find(&lab.tunnels, rows[i].ip, rows[i].teid));
    close_lab(&lab);
}

/* An address and TEID belong to one context, whichever way it is found. */
TEST(taken)
{
    struct lab lab;
    open_lab(&lab);
    assert_int_equal(put(&lab, 2, 1, 0x30100002), 0);
    assert_int_equal(put(&lab, 3, 1, 0x30100002), -1);
    assert_int_equal(put(&lab, TUNNELS_AT, 1, 0x30100002), -1);
    assert_int_equal(put(&lab, 3, 2, 0x30100002), 0);
    assert_int_equal(put(&lab, 4, 1, 0x30100005), 0);
    assert_int_equal(put(&lab, 5, 1, 0x30100005), -1);
    take(&lab, 4, 1, 0x30100005);
    assert_int_equal(put(&lab, 5, 1, 0x30100005), 0);
    assert_int_equal(lab.tunnels.foreign_count, 1);
    take(&lab, 5, 1, 0x30100005);
    take(&lab, 3, 2, 0x30100002);
    assert_int_equal(lab.tunnels.foreign_count, 0);
    close_lab(&lab);
}

/* --- chance, against a list --- */

struct entry {
    bool is_there;
    uint32_t ip, teid;
};

/* Few enough that they meet: indices, foreign ones in every shape, small numbers. */
static uint32_t random_teid(uint64_t *chance)
{
    static const uint32_t heads[] = {0x30100000, 0x30200000, 0x40100000, 0x60100000, 0};
    return heads[prng_below(chance, COUNT(heads))] + (uint32_t)prng_below(chance, SLOTS + 2);
}

static uint32_t expected(const struct entry *entries, uint32_t ip, uint32_t teid)
{
    uint32_t slot = teid & 0xfffff;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (entries[i].is_there && entries[i].ip == ip && entries[i].teid == teid)
            return i;
    if (teid >> 28 == WORKER && (teid >> 20 & 0xff) != 0 && slot < SLOTS)
        return entries[slot].is_there && entries[slot].teid == teid ? TUNNELS_NONE : TUNNELS_STALE;
    return teid >> 20 == 0x401 ? TUNNELS_AT + 4 : TUNNELS_NONE;
}

static void look(const struct lab *lab, const struct entry *entries, uint64_t *chance)
{
    struct table_key keys[WORKER_BURST];
    uint32_t got[WORKER_BURST];
    unsigned count = 1 + (unsigned)prng_below(chance, WORKER_BURST);
    for (unsigned i = 0; i < count; i++)
        keys[i] = lookup_tunnel_key(1 + (uint32_t)prng_below(chance, 2), random_teid(chance));
    tunnels_find(&lab->tunnels, keys, count, got);
    for (unsigned i = 0; i < count; i++)
        if (got[i] != expected(entries, keys[i].a, keys[i].b))
            fail_msg("%x at %u: %x", keys[i].b, keys[i].a, got[i]);
}

static void order(struct lab *lab, struct entry *entries, uint64_t *chance)
{
    uint32_t slot = (uint32_t)prng_below(chance, SLOTS), teid = random_teid(chance);
    uint32_t ip = 1 + (uint32_t)prng_below(chance, 2);
    uint32_t at = expected(entries, ip, teid);
    bool is_taken = at < SLOTS;
    if (entries[slot].is_there) {
        take(lab, slot, entries[slot].ip, entries[slot].teid);
        entries[slot].is_there = false;
        return;
    }
    assert_int_equal(put(lab, slot, ip, teid), is_taken ? -1 : 0);
    if (!is_taken)
        entries[slot] = (struct entry){.is_there = true, .ip = ip, .teid = teid};
}

TEST(chance_against_a_list)
{
    struct lab lab;
    struct entry entries[SLOTS] = {{0}};
    uint64_t chance = 4;
    open_lab(&lab);
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (prng_below(&chance, 3) == 0)
            order(&lab, entries, &chance);
        look(&lab, entries, &chance);
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        if (entries[i].is_there)
            take(&lab, i, entries[i].ip, entries[i].teid);
    assert_int_equal(lab.tunnels.foreign_count, 0);
    assert_int_equal(rte_hash_count(lab.tunnels.foreign), 0);
    close_lab(&lab);
}

/* --- through a worker --- */

static void from_gn(struct kit *kit, uint32_t teid)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = teid, .inner_octets = 60};
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
}

/* A TEID that was ours is told apart from one that never was; both are answered. */
TEST(stale_frames)
{
    struct kit kit;
    struct msg first = kit_pdp(3, 0, 6, teid_make(0, 1, 3, TEID_SLOT_BITS)),
               second = kit_pdp(3, 0, 6, teid_make(0, 2, 3, TEID_SLOT_BITS));
    kit_open(&kit, NULL);
    const struct worker_stats *s = &kit.worker->stats;
    kit_do(&kit, &first);
    from_gn(&kit, teid_make(0, 1, 3, TEID_SLOT_BITS));
    assert_int_equal(s->npdu_out, 1);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 3});
    from_gn(&kit, teid_make(0, 1, 3, TEID_SLOT_BITS));
    kit_do(&kit, &second);
    from_gn(&kit, teid_make(0, 1, 3, TEID_SLOT_BITS));
    assert_int_equal(s->gn_drops[DROP_STALE_TEID], 2);
    assert_int_equal(s->gn_error_indications, 2);
    from_gn(&kit, teid_make(0, 2, 3, TEID_SLOT_BITS));
    assert_int_equal(s->npdu_out, 2);
    from_gn(&kit, teid_make(1, 1, 3, TEID_SLOT_BITS));
    assert_int_equal(s->gn_drops[DROP_STALE_TEID], 2);
    assert_int_equal(s->gn_drops[DROP_UNKNOWN_TEID], 1);
    assert_int_equal(s->gn_error_indications, 3);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
