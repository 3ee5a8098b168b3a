/* SPDX-License-Identifier: BSD-3-Clause */
/* What leaves on Gb, octet for octet, against frames that the test builds itself. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

struct lab {
    struct kit kit;
    struct gb_frame_downlink model;
    uint64_t sent_npdus, llc_frames;
};

static void lab_open(struct lab *lab, const struct kit_options *options)
{
    *lab = (struct lab){0};
    kit_open(&lab->kit, options);
    lab->model.n201_u = lab->kit.options.n201_u;
    lab->model.imsi_octets = lab->kit.options.imsi_octets;
}

static void lab_close(struct lab *lab)
{
    assert_int_equal(lab->kit.worker->stats.npdu_out, lab->sent_npdus);
    assert_int_equal(lab->kit.worker->stats.llc_frames, lab->llc_frames);
    kit_close(&lab->kit);
}

static void push(struct lab *lab, const struct gn_frame *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = gn_frame_build(frame, in);
    assert_int_equal(vport_push(&lab->kit.gn, frame, octets), 0);
}

/* The frames of this N-PDU come next on Gb. */
static void expect(struct lab *lab, const struct gn_frame *in)
{
    uint8_t n_pdu[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    uint16_t offset = 0;

    gn_frame_inner(n_pdu, in->inner_octets, in->seed);
    while (offset < in->inner_octets) {
        size_t octets = gb_frame_segment(want, &lab->model, n_pdu, in->inner_octets, &offset);
        assert_int_equal(kit_take_gb(&lab->kit, got), octets);
        assert_memory_equal(got, want, octets);
        lab->llc_frames++;
    }
    lab->sent_npdus++;
}

static void carry(struct lab *lab, const struct gn_frame *in)
{
    push(lab, in);
    kit_settle(&lab->kit);
    expect(lab, in);
    assert_int_equal(kit_drain(&lab->kit.gb), 0);
}

/* --- what may stand around a T-PDU on Gn --- */

TEST(tunnels)
{
    static const struct gn_frame rows[] = {
        {.inner_octets = 20},
        {.inner_octets = 60, .padding_octets = 7},
        {.inner_octets = 61, .has_vlan = true},
        {.inner_octets = 1503, .has_vlan = true, .padding_octets = 4},
        {.inner_octets = 100, .ip_option_words = 1},
        {.inner_octets = 100, .ip_option_words = 10},
        {.inner_octets = 100, .gtp_flags = 2},
        {.inner_octets = 100, .gtp_flags = 1},
        {.inner_octets = 100, .gtp_flags = 3, .extension = 0x81},
        {.inner_octets = 100, .gtp_flags = 4},
        {.inner_octets = 100, .gtp_flags = 6, .extension = 0xc0, .extension_units = {1}},
        {.inner_octets = 100, .gtp_flags = 7, .extension = 0x20, .extension_units = {1, 1}},
        {.inner_octets = 100, .gtp_flags = 4, .extension = 0x01, .extension_units = {255}},
        {.inner_octets = 100, .gtp_flags = 4, .extension = 0x40, .extension_units = {3, 2}},
        ROW(.inner_octets = 100, .has_vlan = true, .ip_option_words = 3, .gtp_flags = 6, .extension = 0xc0,
            .extension_units = {1}),
    };
    struct lab lab;
    lab_open(&lab, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gn_frame in = rows[i];
        in.teid = KIT_TEID;
        in.seed = (uint16_t)i;
        carry(&lab, &in);
    }
    lab_close(&lab);
}

/* --- segments --- */

TEST(segments)
{
    static const uint16_t n201_us[] = {140, 141, 270, 499, 500, 1500, 1506, 1507, 1519, 1520};
    for (size_t i = 0; i < COUNT(n201_us); i++) {
        unsigned first = n201_us[i] - 4u, next = n201_us[i] - 3u;
        const unsigned octets[] = {
            20, first - 1, first, first + 1, first + next, first + next + 1, first + 2 * next, 1502, 1503};
        struct lab lab;
        lab_open(&lab, &(struct kit_options){.n201_u = n201_us[i]});
        for (size_t k = 0; k < COUNT(octets); k++)
            if (octets[k] <= 1503)
                carry(&lab, &(struct gn_frame){.teid = KIT_TEID,
                                               .inner_octets = (uint16_t)octets[k],
                                               .seed = (uint16_t)(16 * i + k)});
        lab_close(&lab);
    }
}

TEST(imsi)
{
    static const uint8_t octets[] = {0, 1, 7, 8};
    for (size_t i = 0; i < COUNT(octets); i++) {
        struct lab lab;
        lab_open(&lab, &(struct kit_options){.imsi_octets = octets[i], .n201_u = 300});
        carry(&lab, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = 700, .seed = 4});
        carry(&lab, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = 40, .seed = 5});
        lab_close(&lab);
    }
}

/* LLC-PDUs around 127 octets, where the length of the length changes. */
TEST(short_llc_pdus)
{
    struct lab lab;
    lab_open(&lab, NULL);
    for (uint16_t octets = 110; octets < 125; octets++)
        carry(&lab, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = octets, .seed = octets});
    lab_close(&lab);
}

/* Both numbers pass their ends several times: 10000 frames of 5000 N-PDUs, in bursts. */
TEST(numbers_wrap)
{
    struct lab lab;
    lab_open(&lab, &(struct kit_options){.n201_u = 140});
    for (unsigned burst = 0; burst < 500; burst++) {
        struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 140};
        for (in.seed = 0; in.seed < 10; in.seed++)
            push(&lab, &in);
        kit_settle(&lab.kit);
        for (in.seed = 0; in.seed < 10; in.seed++)
            expect(&lab, &in);
    }
    assert_int_equal(lab.model.number, 5000 - 4096);
    assert_int_equal(lab.model.nu, 10000 % 512);
    lab_close(&lab);
}

/* An N-PDU that ends `short_of` octets before its buffer does: at 0 to 2 the FCS has no room behind it. */
TEST(end_of_buffer)
{
    static const struct gn_frame rows[] = {
        {.inner_octets = 1498, .gtp_flags = 4, .extension = 1, .extension_units = {124}},
        {.inner_octets = 1500, .gtp_flags = 4, .extension = 1, .extension_units = {123}},
        {.inner_octets = 1501, .gtp_flags = 4, .extension = 1, .extension_units = {123}},
        {.inner_octets = 1502, .gtp_flags = 4, .extension = 1, .extension_units = {123}},
        {.inner_octets = 1499, .gtp_flags = 4, .extension = 1, .extension_units = {123}},
        {.inner_octets = 86, .gtp_flags = 4, .extension = 1, .extension_units = {255, 222}},
    };
    static const uint16_t n201_us[] = {140, 500, 1520};
    for (size_t n = 0; n < COUNT(n201_us); n++) {
        struct lab lab;
        lab_open(&lab, &(struct kit_options){.n201_u = n201_us[n]});
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct gn_frame in = rows[i];
            in.teid = KIT_TEID;
            carry(&lab, &in);
        }
        lab_close(&lab);
    }
}

/* --- want of room and of buffers --- */

#define MANY 600 /* N-PDUs of three segments: more than the ring of Gb and the list before it hold */

static void push_many(struct lab *lab)
{
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 300};
    for (; in.seed < MANY; in.seed++) {
        push(lab, &in);
        if (in.seed % 32 == 31)
            kit_settle(&lab->kit);
    }
    kit_settle(&lab->kit);
}

TEST(gb_port_full)
{
    struct lab lab;
    lab_open(&lab, &(struct kit_options){.n201_u = 140});
    push_many(&lab);
    assert_true(lab.kit.worker->gb.pending_count > 0);
    assert_true(context_queued_pkts(&lab.kit.worker->context) > 0);
    int64_t next = kit_settle(&lab.kit);
    assert_true(next > lab.kit.now && next < lab.kit.now + KIT_MS);

    for (struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 300}; in.seed < MANY; in.seed++) {
        expect(&lab, &in);
        kit_settle_at(&lab.kit, lab.kit.now + KIT_MS);
    }
    assert_int_equal(kit_settle(&lab.kit), MOMENT_NEVER);
    lab_close(&lab);
}

TEST(tx_pool_exhausted)
{
    struct lab lab;
    struct rte_mbuf *taken[200];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 300};

    lab_open(&lab, &(struct kit_options){.n201_u = 140, .tx_buffers = COUNT(taken)});
    assert_int_equal(rte_pktmbuf_alloc_bulk(lab.kit.tx_pool, taken, COUNT(taken)), 0);
    push(&lab, &in);
    int64_t next = kit_settle(&lab.kit);
    assert_true(next >= lab.kit.now + 1000 && next < lab.kit.now + KIT_MS);
    assert_int_equal(context_queued_pkts(&lab.kit.worker->context), 1);
    assert_int_equal(kit_drain(&lab.kit.gb), 0);

    rte_pktmbuf_free_bulk(taken, COUNT(taken));
    assert_int_equal(kit_settle_at(&lab.kit, next), MOMENT_NEVER);
    expect(&lab, &in);
    lab_close(&lab);
}

/* What waits behind a port that takes nothing grows old like anything else. */
TEST(lifetime_behind_a_full_port)
{
    struct lab lab;
    lab_open(&lab, &(struct kit_options){.n201_u = 140, .lifetime_ns = MOMENT_SECOND});
    push_many(&lab);
    const struct worker_stats *s = &lab.kit.worker->stats;
    uint64_t queued = context_queued_pkts(&lab.kit.worker->context);
    int64_t next = kit_settle_at(&lab.kit, lab.kit.now + MOMENT_SECOND);
    assert_int_equal(context_queued_pkts(&lab.kit.worker->context), queued);
    kit_settle_at(&lab.kit, next);
    assert_int_equal(context_queued_pkts(&lab.kit.worker->context), 0);
    assert_int_equal(s->gn_drops[DROP_LIFETIME] + s->gn_drops[DROP_PARTIAL], queued);
    lab.sent_npdus = s->npdu_out;
    lab.llc_frames = s->llc_frames;
    lab_close(&lab);
}

/* --- the trace --- */

TEST(trace)
{
    struct lab lab;
    struct trace_event event;
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 200}, stray = {.teid = 9, .inner_octets = 60};

    lab_open(&lab, &(struct kit_options){.n201_u = 140});
    lab.kit.worker->trace = trace_new("trace", 4);
    assert_non_null(lab.kit.worker->trace);
    carry(&lab, &in);
    push(&lab, &stray);
    kit_settle_at(&lab.kit, lab.kit.now + 5);
    const struct trace_event want[] = {
        ROW(.at_ns = lab.kit.now - 5, .arrival_ns = lab.kit.now - 5, .pdp = 0, .generation = 1, .octets = 200,
            .reason = DROP_NONE, .qclass = 7),
        ROW(.at_ns = lab.kit.now, .arrival_ns = lab.kit.now, .pdp = TRACE_NO_PDP, .octets = 60,
            .reason = DROP_UNKNOWN_TEID),
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(trace_take(lab.kit.worker->trace, &event));
        assert_memory_equal(&event, &want[i], sizeof(event));
    }
    for (unsigned i = 0; i < 4; i++)
        carry(&lab, &in);
    assert_int_equal(lab.kit.worker->stats.trace_lost, 1);
    rte_ring_free(lab.kit.worker->trace);
    lab_close(&lab);
}

UNIT_MAIN(kit_start, NULL)
