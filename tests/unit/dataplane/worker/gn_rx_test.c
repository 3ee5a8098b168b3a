/* SPDX-License-Identifier: BSD-3-Clause */
/* Each way in which a frame from Gn, or its N-PDU, can end before Gb. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <rte_hash.h>
#include <string.h>

#define PATCHES 4

/* Octets of a frame that are set to something else. */
struct patch {
    uint16_t at;
    uint8_t octets;
    uint32_t value;
};

struct drop_row {
    const char *name;
    enum drop reason; /* DROP_NONE: it goes through */
    struct gn_frame frame;
    struct patch patches[PATCHES];
    bool has_new_sum;
    uint16_t cut_octets; /* off the frame's end */
};

#define PLAIN                                                                                                \
    {                                                                                                        \
        .teid = KIT_TEID, .inner_octets = 100                                                                \
    }
#define EXT(type_, n)                                                                                        \
    {                                                                                                        \
        .teid = KIT_TEID, .inner_octets = 60, .gtp_flags = 4, .extension = type_, .extension_units = { n }   \
    }

static const struct drop_row drops[] = {
    {"plain", DROP_NONE, PLAIN, {{0}}, false, 0},
    {"another source port", DROP_NONE, PLAIN, {{34, 2, 999}}, false, 0},
    {"a UDP checksum, whatever it is", DROP_NONE, PLAIN, {{40, 2, 0x1234}}, false, 0},
    {"frame shorter than a header", DROP_NOT_IP, PLAIN, {{0}}, false, 137},
    {"empty frame but for a tag's half", DROP_NOT_IP, {.has_vlan = true}, {{0}}, false, 40},
    {"ARP", DROP_NOT_IP, PLAIN, {{12, 2, 0x0806}}, false, 0},
    ROW("two tags", DROP_NOT_IP, {.teid = KIT_TEID, .inner_octets = 60, .has_vlan = true}, {{16, 2, 0x8100}},
        false, 0),
    {"IP version 6", DROP_IP_MALFORMED, PLAIN, {{14, 1, 0x65}}, true, 0},
    {"IP header of 16 octets", DROP_IP_MALFORMED, PLAIN, {{14, 1, 0x44}}, false, 0},
    {"IP longer than the frame", DROP_IP_MALFORMED, PLAIN, {{16, 2, 137}}, true, 0},
    {"IP shorter than its header", DROP_IP_MALFORMED, PLAIN, {{16, 2, 19}}, true, 0},
    {"IP cut short", DROP_IP_MALFORMED, PLAIN, {{0}}, false, 1},
    {"IP checksum", DROP_IP_MALFORMED, PLAIN, {{22, 1, 63}}, false, 0},
    {"from an address of no host", DROP_IP_RESERVED_ADDRESS, PLAIN, {{26, 4, 0xf0000000}}, true, 0},
    {"to an address of no host", DROP_IP_RESERVED_ADDRESS, PLAIN, {{30, 4, 0xf0000000}}, true, 0},
    {"to all", DROP_IP_RESERVED_ADDRESS, PLAIN, {{30, 4, 0xffffffff}}, true, 0},
    {"other address", DROP_OTHER_ADDRESS, PLAIN, {{30, 4, KIT_GGSN_IP}}, true, 0},
    {"TCP", DROP_NOT_UDP, PLAIN, {{23, 1, 6}}, true, 0},
    {"fragment of TCP", DROP_NOT_UDP, PLAIN, {{23, 1, 6}, {20, 2, 0x2000}}, true, 0},
    {"GTP-C's port", DROP_OTHER_PORT, PLAIN, {{36, 2, 2123}}, false, 0},
    {"UDP shorter than its header", DROP_UDP_MALFORMED, PLAIN, {{38, 2, 7}}, false, 0},
    {"UDP longer than IP", DROP_UDP_MALFORMED, PLAIN, {{38, 2, 117}}, false, 0},
    {"IP without room for UDP", DROP_UDP_MALFORMED, PLAIN, {{16, 2, 27}}, true, 0},
    {"UDP without room for GTP", DROP_GTPU_MALFORMED, PLAIN, {{38, 2, 15}}, false, 0},
    {"GTP longer than UDP", DROP_GTPU_MALFORMED, PLAIN, {{44, 2, 101}}, false, 0},
    {"no T-PDU", DROP_GTPU_MALFORMED, {.teid = KIT_TEID}, {{0}}, false, 0},
    {"no T-PDU, sequence number", DROP_GTPU_MALFORMED, {.teid = KIT_TEID, .gtp_flags = 2}, {{0}}, false, 0},
    {"extension of no length", DROP_GTPU_MALFORMED, EXT(0x20, 1), {{54, 1, 0}}, false, 0},
    {"extension behind the end", DROP_GTPU_MALFORMED, EXT(0x20, 1), {{54, 1, 17}}, false, 0},
    {"version 2", DROP_GTPU_UNSUPPORTED, PLAIN, {{42, 1, 0x50}}, false, 0},
    {"GTP'", DROP_GTPU_UNSUPPORTED, PLAIN, {{42, 1, 0x20}}, false, 0},
    {"extension to be understood", DROP_GTPU_UNSUPPORTED, EXT(0x81, 1), {{0}}, false, 0},
    {"unknown type", DROP_GTPU_UNSUPPORTED, PLAIN, {{43, 1, 77}}, false, 0},
    {"Echo Request", DROP_GTPU_ECHO_REQUEST, {.gtp_flags = 2}, {{43, 1, 1}}, false, 0},
    {"Echo Response", DROP_GTPU_ECHO_RESPONSE, {.gtp_flags = 2}, {{43, 1, 2}}, false, 0},
    {"Tunnel Status", DROP_GTPU_OTHER_TYPE, {.teid = KIT_TEID}, {{43, 1, 253}}, false, 0},
    {"End Marker", DROP_GTPU_END_MARKER, {.teid = KIT_TEID}, {{43, 1, 254}}, false, 0},
    {"Error Indication of noise", DROP_GTPU_MALFORMED, PLAIN, {{43, 1, 26}, {50, 4, 0}}, false, 0},
    ROW("Error Indication of no tunnel", DROP_GTPU_ERROR_INDICATION, {.inner_octets = 12},
        {{43, 1, 26}, {50, 4, 0x10000000}, {54, 4, 0x01850004}, {58, 4, KIT_GGSN_IP}}, false, 0),
    {"unknown TEID", DROP_UNKNOWN_TEID, {.teid = KIT_TEID + 1, .inner_octets = 60}, {{0}}, false, 0},
    {"TEID 0", DROP_UNKNOWN_TEID, {.inner_octets = 60}, {{0}}, false, 0},
    {"TEID in our shape", DROP_STALE_TEID, {.teid = 0x0010000f, .inner_octets = 60}, {{0}}, false, 0},
    ROW("TEID of a slot that is not", DROP_UNKNOWN_TEID, {.teid = 0x00100010, .inner_octets = 60}, {{0}},
        false, 0),
    {"TEID of no worker", DROP_UNKNOWN_TEID, {.teid = 0x10100001, .inner_octets = 60}, {{0}}, false, 0},
    {"one octet", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 1}, {{0}}, false, 0},
    {"19 octets", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 19}, {{50, 1, 0x45}}, false, 0},
    {"20 octets", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 20}, {{0}}, false, 0},
    {"inner version 5", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x55}}, false, 0},
    {"inner longer than T-PDU", DROP_NPDU_MALFORMED, PLAIN, {{52, 2, 101}}, false, 0},
    {"inner shorter than its header", DROP_NPDU_MALFORMED, PLAIN, {{52, 2, 19}}, false, 0},
    {"inner header of 16 octets", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x44}}, false, 0},
    ROW("inner shorter than its options", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 59},
        {{50, 1, 0x4f}}, false, 0),
    {"inner of options alone", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 60}, {{50, 1, 0x4f}}, false, 0},
    {"inner shorter than T-PDU", DROP_NONE, PLAIN, {{52, 2, 99}}, false, 0},
    {"IPv6", DROP_NONE, PLAIN, {{50, 1, 0x60}, {54, 2, 60}}, false, 0},
    {"IPv6 longer than T-PDU", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x60}, {54, 2, 61}}, false, 0},
    ROW("IPv6 of 39 octets", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 39},
        {{50, 1, 0x60}, {54, 2, 0}}, false, 0),
    ROW("IPv6 of 40 octets", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 40}, {{50, 1, 0x60}, {54, 2, 0}},
        false, 0),
    {"longest N-PDU", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 1503}, {{0}}, false, 0},
    {"too long an N-PDU", DROP_NPDU_TOO_LONG, {.teid = KIT_TEID, .inner_octets = 1504}, {{0}}, false, 0},
    {"too long, unknown TEID", DROP_UNKNOWN_TEID, {.teid = 9, .inner_octets = 1504}, {{0}}, false, 0},
    {"one octet, unknown TEID", DROP_UNKNOWN_TEID, {.teid = 9, .inner_octets = 1}, {{0}}, false, 0},
};

static size_t build(uint8_t *frame, const struct drop_row *row)
{
    size_t octets = gn_frame_build(frame, &row->frame) - row->cut_octets;
    for (unsigned i = 0; i < PATCHES; i++)
        for (unsigned k = 0; k < row->patches[i].octets; k++)
            frame[row->patches[i].at + k] =
                (uint8_t)(row->patches[i].value >> 8 * (row->patches[i].octets - 1 - k));
    if (row->has_new_sum)
        gn_frame_sum_ip(frame + GN_FRAME_IP);
    return octets;
}

static uint64_t all_drops(const struct worker_stats *stats)
{
    uint64_t total = 0;
    for (int reason = 0; reason < DROP_COUNT; reason++)
        total += stats->gn_drops[reason];
    return total;
}

static void play(struct kit *kit, const struct drop_row *row)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct worker_stats before = kit->worker->stats;
    const struct worker_stats *after = &kit->worker->stats;
    bool goes = row->reason == DROP_NONE;

    kit_from_gn(kit, frame, build(frame, row));
    if (after->gn_drops[row->reason] != before.gn_drops[row->reason] + !goes ||
        all_drops(after) != all_drops(&before) + !goes || after->npdu_out != before.npdu_out + goes ||
        after->npdu_in != before.npdu_in + (goes || drop_is_npdu(row->reason)))
        fail_msg("%s: not %s", row->name, drop_name(row->reason));
    assert_int_equal(kit_drain(&kit->gb) > 0, goes);
}

KIT_TEST(frames, NULL)
{
    for (size_t i = 0; i < COUNT(drops); i++)
        play(kit, &drops[i]);
}

/* --- what happens to an N-PDU while it waits --- */

KIT_TEST(queue_full, &(struct kit_options){.queue_limit_octets = 1000})
{
    kit_flow(kit, 0, 0);
    const struct {
        uint16_t octets;
        uint64_t drops;
    } steps[] = {{600, 0}, {401, 1}, {400, 1}, {20, 2}};
    for (size_t i = 0; i < COUNT(steps); i++) {
        gn_frame_put(kit, KIT_TEID, steps[i].octets);
        assert_int_equal(kit->worker->stats.gn_drops[DROP_QUEUE_FULL], steps[i].drops);
    }
    assert_int_equal(context_queued_pkts(&kit->worker->context), 2);
}

/* The new one is refused where its class has its limit; the longest queue pays where all have theirs. */
TEST(limits)
{
    static const struct {
        struct kit_options options;
        enum drop reason;
    } rows_of[] = {{{.class_limit_pkts = 5}, DROP_CLASS_FULL}, {{.budget_pkts = 5}, DROP_BUDGET}};
    for (size_t i = 0; i < COUNT(rows_of); i++) {
        struct kit kit;
        kit_open(&kit, &rows_of[i].options);
        kit_flow(&kit, 0, 0);
        for (unsigned k = 0; k < 8; k++)
            gn_frame_put(&kit, KIT_TEID, 100);
        assert_int_equal(kit.worker->stats.gn_drops[rows_of[i].reason], 3);
        assert_int_equal(context_queued_pkts(&kit.worker->context), 5);
        kit_close(&kit);
    }
}

/* The bucket takes one segment and leaks nothing, so the first of two N-PDUs stays in service. */
static void open_in_service(struct kit *kit, int64_t lifetime_ns)
{
    kit_open(kit, &(struct kit_options){.n201_u = 500, .lifetime_ns = lifetime_ns});
    kit_flow(kit, 510, 0);
    gn_frame_put(kit, KIT_TEID, 800);
    gn_frame_put(kit, KIT_TEID, 60);
    assert_int_equal(kit_drain(&kit->gb), 1);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 2);
}

static void assert_gone(const struct kit *kit, enum drop reason)
{
    const struct worker_stats *s = &kit->worker->stats;
    assert_int_equal(s->gn_drops[DROP_PARTIAL], 1);
    assert_int_equal(s->gn_drops[reason], 1);
    assert_int_equal(all_drops(s), 2);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 0);
}

TEST_IN(lifetime, struct kit, kit, open_in_service(kit, MOMENT_SECOND), kit_close(kit))
{
    int64_t until = kit->now + MOMENT_SECOND;
    assert_int_equal(kit_settle_at(kit, until), until + 1);
    assert_int_equal(all_drops(&kit->worker->stats), 0);
    assert_int_equal(kit_settle_at(kit, until + 1), MOMENT_NEVER);
    assert_gone(kit, DROP_LIFETIME);
}

TEST(orders_that_drop)
{
    static const struct {
        uint16_t type;
        enum drop reason;
    } orders[] = {
        {MSG_BVC_RESET, DROP_BVC_RESET},
        {MSG_PDP_DEL, DROP_CONTEXT_DELETED},
        {MSG_MS_DEL, DROP_CONTEXT_DELETED},
    };
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct kit kit;
        open_in_service(&kit, 0);
        kit_do(&kit, &(struct msg){.type = orders[i].type});
        assert_gone(&kit, orders[i].reason);
        assert_int_equal(kit_settle(&kit), MOMENT_NEVER);
        kit_close(&kit);
    }
}

/* Every reason that exists for Gn was seen by some row above, or is named here with the test that has it. */
TEST(no_reason_without_a_row)
{
    bool seen[DROP_COUNT] = {
        [DROP_NONE] = true,
        [DROP_IP_EXTENSION] = true,   /* gn_ipv6_test */
        [DROP_UDP_CHECKSUM] = true,   /* gn_ipv6_test */
        [DROP_TOO_LONG] = true,       /* fragments_test */
        [DROP_FRAGMENT_LOST] = true,  /* fragments_test */
        [DROP_FRAGMENT_COPY] = true,  /* fragments_test */
        [DROP_FRAME_TOO_LONG] = true, /* port_test */
        [DROP_OTHER_VLAN] = true,     /* links_test */
        [DROP_OTHER_MAC] = true,      /* links_test */
        [DROP_XWORKER_FULL] = true,   /* tests of several workers */
        [DROP_QUEUE_FULL] = true,
        [DROP_AQM] = true, /* context_aqm_test */
        [DROP_CLASS_FULL] = true,
        [DROP_DUPLICATE] = true, /* sched_repeat_test */
        [DROP_BUDGET] = true,
        [DROP_MOVE_FULL] = true, /* of several workers */
        [DROP_LIFETIME] = true,
        [DROP_PARTIAL] = true,
        [DROP_BVC_RESET] = true,
        [DROP_SUSPENDED] = true,   /* departure_test */
        [DROP_HANDED_OVER] = true, /* forward_test */
        [DROP_CONTEXT_DELETED] = true,
        /* inner_test */
        [DROP_OTHER_GGSN] = true,
        [DROP_CE_NOT_ECT] = true, /* marking_test */
        [DROP_NPDU_VERSION] = true,
        [DROP_NPDU_GTP] = true,
        [DROP_NPDU_INFRASTRUCTURE] = true,
        [DROP_NPDU_ADDRESS] = true,
    };
    for (int reason = DROP_ESP_MISSING; reason <= DROP_ESP_DEVICE; reason++)
        seen[reason] = true; /* esp_test */
    for (size_t i = 0; i < COUNT(drops); i++)
        seen[drops[i].reason] = true;
    for (int reason = 0; reason < DROP_COUNT; reason++)
        if (!seen[reason] && (reason < DROP_NO_BUFFER || reason >= DROP_FIRST_NPDU))
            fail_msg("no row drops a frame as %s", drop_name((enum drop)reason));
}

/* From TEID to context: those that are indices, foreign ones, stale ones, and those of other workers. */

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
TEST_IN(taken, struct lab, lab, open_lab(lab), close_lab(lab))
{
    assert_int_equal(put(lab, 2, 1, 0x30100002), 0);
    assert_int_equal(put(lab, 3, 1, 0x30100002), -1);
    assert_int_equal(put(lab, TUNNELS_AT, 1, 0x30100002), -1);
    assert_int_equal(put(lab, 3, 2, 0x30100002), 0);
    assert_int_equal(put(lab, 4, 1, 0x30100005), 0);
    assert_int_equal(put(lab, 5, 1, 0x30100005), -1);
    take(lab, 4, 1, 0x30100005);
    assert_int_equal(put(lab, 5, 1, 0x30100005), 0);
    assert_int_equal(lab->tunnels.foreign_count, 1);
    take(lab, 5, 1, 0x30100005);
    take(lab, 3, 2, 0x30100002);
    assert_int_equal(lab->tunnels.foreign_count, 0);
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

TEST_IN(chance_against_a_list, struct lab, lab, open_lab(lab), close_lab(lab))
{
    struct entry entries[SLOTS] = {{0}};
    uint64_t chance = 4;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (prng_below(&chance, 3) == 0)
            order(lab, entries, &chance);
        look(lab, entries, &chance);
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        if (entries[i].is_there)
            take(lab, i, entries[i].ip, entries[i].teid);
    assert_int_equal(lab->tunnels.foreign_count, 0);
    assert_int_equal(rte_hash_count(lab->tunnels.foreign), 0);
}

/* --- through a worker --- */

/* A TEID that was ours is told apart from one that never was; both are answered. */
KIT_TEST(stale_frames, NULL)
{
    struct msg first = kit_pdp(3, 0, 6, teid_make(0, 1, 3, TEID_SLOT_BITS)),
               second = kit_pdp(3, 0, 6, teid_make(0, 2, 3, TEID_SLOT_BITS));
    const struct worker_stats *s = &kit->worker->stats;
    kit_do(kit, &first);
    gn_frame_put(kit, teid_make(0, 1, 3, TEID_SLOT_BITS), 60);
    assert_int_equal(s->npdu_out, 1);
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 3});
    gn_frame_put(kit, teid_make(0, 1, 3, TEID_SLOT_BITS), 60);
    kit_do(kit, &second);
    gn_frame_put(kit, teid_make(0, 1, 3, TEID_SLOT_BITS), 60);
    assert_int_equal(s->gn_drops[DROP_STALE_TEID], 2);
    assert_int_equal(s->gn_error_indications, 2);
    gn_frame_put(kit, teid_make(0, 2, 3, TEID_SLOT_BITS), 60);
    assert_int_equal(s->npdu_out, 2);
    gn_frame_put(kit, teid_make(1, 1, 3, TEID_SLOT_BITS), 60);
    assert_int_equal(s->gn_drops[DROP_STALE_TEID], 2);
    assert_int_equal(s->gn_drops[DROP_UNKNOWN_TEID], 1);
    assert_int_equal(s->gn_error_indications, 3);
}

UNIT_MAIN(kit_start, NULL)
