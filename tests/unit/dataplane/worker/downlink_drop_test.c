/* SPDX-License-Identifier: BSD-3-Clause */
/* Each way in which a frame from Gn, or its N-PDU, can end before Gb. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

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

static const struct drop_row rows[] = {
    {"plain", DROP_NONE, PLAIN, {{0}}, false, 0},
    {"another source port", DROP_NONE, PLAIN, {{34, 2, 999}}, false, 0},
    {"a UDP checksum, whatever it is", DROP_NONE, PLAIN, {{40, 2, 0x1234}}, false, 0},
    {"frame shorter than a header", DROP_NOT_IP, PLAIN, {{0}}, false, 137},
    {"empty frame but for a tag's half", DROP_NOT_IP, {.has_vlan = true}, {{0}}, false, 40},
    {"ARP", DROP_NOT_IP, PLAIN, {{12, 2, 0x0806}}, false, 0},
    {"two tags",
     DROP_NOT_IP,
     {.teid = KIT_TEID, .inner_octets = 60, .has_vlan = true},
     {{16, 2, 0x8100}},
     false,
     0},
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
    {"Error Indication of no tunnel",
     DROP_GTPU_ERROR_INDICATION,
     {.inner_octets = 12},
     {{43, 1, 26}, {50, 4, 0x10000000}, {54, 4, 0x01850004}, {58, 4, KIT_GGSN_IP}},
     false,
     0},
    {"unknown TEID", DROP_UNKNOWN_TEID, {.teid = KIT_TEID + 1, .inner_octets = 60}, {{0}}, false, 0},
    {"TEID 0", DROP_UNKNOWN_TEID, {.inner_octets = 60}, {{0}}, false, 0},
    {"TEID in our shape", DROP_STALE_TEID, {.teid = 0x0010000f, .inner_octets = 60}, {{0}}, false, 0},
    {"TEID of a slot that is not",
     DROP_UNKNOWN_TEID,
     {.teid = 0x00100010, .inner_octets = 60},
     {{0}},
     false,
     0},
    {"TEID of no worker", DROP_UNKNOWN_TEID, {.teid = 0x10100001, .inner_octets = 60}, {{0}}, false, 0},
    {"one octet", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 1}, {{0}}, false, 0},
    {"19 octets", DROP_NPDU_MALFORMED, {.teid = KIT_TEID, .inner_octets = 19}, {{50, 1, 0x45}}, false, 0},
    {"20 octets", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 20}, {{0}}, false, 0},
    {"inner version 5", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x55}}, false, 0},
    {"inner longer than T-PDU", DROP_NPDU_MALFORMED, PLAIN, {{52, 2, 101}}, false, 0},
    {"inner shorter than its header", DROP_NPDU_MALFORMED, PLAIN, {{52, 2, 19}}, false, 0},
    {"inner header of 16 octets", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x44}}, false, 0},
    {"inner shorter than its options",
     DROP_NPDU_MALFORMED,
     {.teid = KIT_TEID, .inner_octets = 59},
     {{50, 1, 0x4f}},
     false,
     0},
    {"inner of options alone", DROP_NONE, {.teid = KIT_TEID, .inner_octets = 60}, {{50, 1, 0x4f}}, false, 0},
    {"inner shorter than T-PDU", DROP_NONE, PLAIN, {{52, 2, 99}}, false, 0},
    {"IPv6", DROP_NONE, PLAIN, {{50, 1, 0x60}, {54, 2, 60}}, false, 0},
    {"IPv6 longer than T-PDU", DROP_NPDU_MALFORMED, PLAIN, {{50, 1, 0x60}, {54, 2, 61}}, false, 0},
    {"IPv6 of 39 octets",
     DROP_NPDU_MALFORMED,
     {.teid = KIT_TEID, .inner_octets = 39},
     {{50, 1, 0x60}, {54, 2, 0}},
     false,
     0},
    {"IPv6 of 40 octets",
     DROP_NONE,
     {.teid = KIT_TEID, .inner_octets = 40},
     {{50, 1, 0x60}, {54, 2, 0}},
     false,
     0},
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

TEST(frames)
{
    struct kit kit;
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&kit, &rows[i]);
    kit_close(&kit);
}

/* --- what happens to an N-PDU while it waits --- */

static void put_n_pdu(struct kit *kit, uint32_t teid, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = teid, .inner_octets = octets};
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
}

TEST(queue_full)
{
    struct kit kit;
    kit_open(&kit, &(struct kit_options){.queue_limit_octets = 1000});
    kit_flow(&kit, 0, 0);
    const struct {
        uint16_t octets;
        uint64_t drops;
    } steps[] = {{600, 0}, {401, 1}, {400, 1}, {20, 2}};
    for (size_t i = 0; i < COUNT(steps); i++) {
        put_n_pdu(&kit, KIT_TEID, steps[i].octets);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_QUEUE_FULL], steps[i].drops);
    }
    assert_int_equal(context_queued_pkts(&kit.worker->context), 2);
    kit_close(&kit);
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
            put_n_pdu(&kit, KIT_TEID, 100);
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
    put_n_pdu(kit, KIT_TEID, 800);
    put_n_pdu(kit, KIT_TEID, 60);
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

TEST(lifetime)
{
    struct kit kit;
    open_in_service(&kit, MOMENT_SECOND);
    int64_t until = kit.now + MOMENT_SECOND;
    assert_int_equal(kit_settle_at(&kit, until), until + 1);
    assert_int_equal(all_drops(&kit.worker->stats), 0);
    assert_int_equal(kit_settle_at(&kit, until + 1), MOMENT_NEVER);
    assert_gone(&kit, DROP_LIFETIME);
    kit_close(&kit);
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
        [DROP_IP_EXTENSION] = true,  /* gn_ipv6_test */
        [DROP_UDP_CHECKSUM] = true,  /* gn_ipv6_test */
        [DROP_TOO_LONG] = true,      /* fragments_test */
        [DROP_FRAGMENT_LOST] = true, /* fragments_test */
        [DROP_XWORKER_FULL] = true,  /* tests of several workers */
        [DROP_QUEUE_FULL] = true,
        [DROP_AQM] = true, /* context_aqm_test */
        [DROP_CLASS_FULL] = true,
        [DROP_DUPLICATE] = true, /* sched_repeat_test */
        [DROP_BUDGET] = true,
        [DROP_MOVE_FULL] = true, /* of several workers */
        [DROP_LIFETIME] = true,
        [DROP_PARTIAL] = true,
        [DROP_BVC_RESET] = true,
        [DROP_CONTEXT_DELETED] = true,
        /* inner_test */
        [DROP_OTHER_GGSN] = true,
        [DROP_NPDU_VERSION] = true,
        [DROP_NPDU_GTP] = true,
        [DROP_NPDU_INFRASTRUCTURE] = true,
        [DROP_NPDU_ADDRESS] = true,
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        seen[rows[i].reason] = true;
    for (int reason = 0; reason < DROP_COUNT; reason++)
        if (!seen[reason] && (reason < DROP_NO_BUFFER || reason >= DROP_FIRST_NPDU))
            fail_msg("no row drops a frame as %s", drop_name((enum drop)reason));
}

UNIT_MAIN(kit_start, NULL)
