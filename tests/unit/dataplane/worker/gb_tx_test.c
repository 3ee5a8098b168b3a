/* SPDX-License-Identifier: BSD-3-Clause */
/* What leaves on Gb, octet for octet, against frames that the test builds itself. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/fate.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

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

TEST_IN(tunnels, struct lab, lab, lab_open(lab, NULL), lab_close(lab))
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
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gn_frame in = rows[i];
        in.teid = KIT_TEID;
        in.seed = (uint16_t)i;
        carry(lab, &in);
    }
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
TEST_IN(short_llc_pdus, struct lab, lab, lab_open(lab, NULL), lab_close(lab))
{
    for (uint16_t octets = 110; octets < 125; octets++)
        carry(lab, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = octets, .seed = octets});
}

/* Both numbers pass their ends several times: 10000 frames of 5000 N-PDUs, in bursts. */
TEST_IN(numbers_wrap, struct lab, lab, lab_open(lab, &(struct kit_options){.n201_u = 140}), lab_close(lab))
{
    for (unsigned burst = 0; burst < 500; burst++) {
        struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 140};
        for (in.seed = 0; in.seed < 10; in.seed++)
            push(lab, &in);
        kit_settle(&lab->kit);
        for (in.seed = 0; in.seed < 10; in.seed++)
            expect(lab, &in);
    }
    assert_int_equal(lab->model.number, 5000 - 4096);
    assert_int_equal(lab->model.nu, 10000 % 512);
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

TEST_IN(gb_port_full, struct lab, lab, lab_open(lab, &(struct kit_options){.n201_u = 140}), lab_close(lab))
{
    push_many(lab);
    assert_true(lab->kit.worker->gb.pending_count > 0);
    assert_true(context_queued_pkts(&lab->kit.worker->context) > 0);
    int64_t next = kit_settle(&lab->kit);
    assert_true(next > lab->kit.now && next < lab->kit.now + KIT_MS);

    for (struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 300}; in.seed < MANY; in.seed++) {
        expect(lab, &in);
        kit_settle_at(&lab->kit, lab->kit.now + KIT_MS);
    }
    assert_int_equal(kit_settle(&lab->kit), MOMENT_NEVER);
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
TEST_IN(lifetime_behind_a_full_port, struct lab, lab,
        lab_open(lab, &(struct kit_options){.n201_u = 140, .lifetime_ns = MOMENT_SECOND}), lab_close(lab))
{
    push_many(lab);
    const struct worker_stats *s = &lab->kit.worker->stats;
    uint64_t queued = context_queued_pkts(&lab->kit.worker->context);
    int64_t next = kit_settle_at(&lab->kit, lab->kit.now + MOMENT_SECOND);
    assert_int_equal(context_queued_pkts(&lab->kit.worker->context), queued);
    kit_settle_at(&lab->kit, next);
    assert_int_equal(context_queued_pkts(&lab->kit.worker->context), 0);
    assert_int_equal(s->gn_drops[DROP_LIFETIME] + s->gn_drops[DROP_PARTIAL], queued);
    lab->sent_npdus = s->npdu_out;
    lab->llc_frames = s->llc_frames;
}

/* --- the trace --- */

TEST(trace)
{
    struct lab lab;
    struct trace_event event;
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 200}, stray = {.teid = 9, .inner_octets = 60};

    lab_open(&lab, &(struct kit_options){.n201_u = 140});
    lab.kit.worker->trace = fate_trace_new("trace", 4);
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
        assert_true(fate_trace_take(lab.kit.worker->trace, &event));
        assert_memory_equal(&event, &want[i], sizeof(event));
    }
    for (unsigned i = 0; i < 4; i++)
        carry(&lab, &in);
    assert_int_equal(lab.kit.worker->stats.trace_lost, 1);
    rte_ring_free(lab.kit.worker->trace);
    lab_close(&lab);
}

/* Whose frame it is: TLLI, cell, NS-VC, QoS profile, SAPI, NSAPI and numbers of several mobiles and contexts.
 */

/* Where things lie in a frame without IMSI whose LLC-PDU is longer than 127 octets. */
enum {
    UDP_DST = 36,
    BVCI = 44,
    TLLI = 47,
    PROFILE = 51,
    PDU_LIFETIME = 56,
    LLC = 61,
    SNDCP = 64,
    N_PDU = 66,
};

#define LONG_OCTETS 200

static uint32_t number_at(const uint8_t *at, unsigned octets)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < octets; i++)
        value = value << 8 | at[i];
    return value;
}

/* An N-PDU comes; the frame that leaves. */
static void label_carry(struct kit *kit, uint32_t teid, uint8_t *got)
{
    gn_frame_put(kit, teid, LONG_OCTETS);
    assert_true(kit_take_gb(kit, got) > N_PDU);
    assert_int_equal(kit_drain(&kit->gb), 0);
}

/* Context i, which is on mobile ms; and what its frame says. */
struct label_row {
    uint8_t ms, nsapi, sapi, qclass;
    uint8_t bvc, nsvc; /* of the mobile: cell 0 has NS-VCs 0 and 1, cell 1 the same, cell 1's BVCI is 8 */
    uint8_t profile;
    uint16_t nu; /* counts by mobile and SAPI */
};

static const struct label_row rows[] = {
    {0, 5, 3, QCLASS_BACKGROUND, 0, 1, 0x32, 0},     {0, 6, 3, QCLASS_THP3, 0, 1, 0x31, 1},
    {0, 15, 5, QCLASS_THP1, 0, 1, 0x31, 0},          {1, 5, 3, QCLASS_STREAMING, 0, 0, 0x30, 0},
    {1, 9, 9, QCLASS_CONVERSATIONAL, 0, 0, 0x30, 0}, {2, 5, 11, QCLASS_SIGNALLING, 1, 0, 0x30, 0},
    {3, 7, 5, QCLASS_THP2, 1, 1, 0x31, 0},
};

static void order_cells(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1), flow = {.type = MSG_BVC_FLOW, .slot = 1};
    flow.flow = (struct gb_flow){1000000, 1000000, 1000000, 1000000, -1};
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true});
    kit_do(kit, &(struct msg){.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = KIT_BVCI + 1}});
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true});
    kit_do(kit, &flow);
}

static void order_sessions(struct kit *kit)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 0});
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct msg ms = kit_ms(kit, rows[i].ms, KIT_TLLI + rows[i].ms);
        struct msg pdp = kit_pdp(i, rows[i].ms, rows[i].nsapi, KIT_TEID + i);
        ms.ms.bvc = rows[i].bvc;
        pdp.pdp.sapi = rows[i].sapi;
        pdp.pdp.qclass = rows[i].qclass;
        if (i == 0 || rows[i].ms != rows[i - 1].ms)
            kit_do(kit, &ms);
        kit_do(kit, &pdp);
    }
}

static void assert_label(const uint8_t *got, const struct label_row *row)
{
    assert_int_equal(number_at(got + UDP_DST, 2), KIT_BSS_PORT + row->nsvc);
    assert_int_equal(number_at(got + BVCI, 2), KIT_BVCI + row->bvc);
    assert_int_equal(number_at(got + TLLI, 4), KIT_TLLI + row->ms);
    assert_int_equal(number_at(got + PROFILE, 3), row->profile);
    assert_int_equal(got[LLC], 0x40 | row->sapi);
    assert_int_equal(number_at(got + LLC + 1, 2), 0xc001 | row->nu << 2);
    assert_int_equal(got[SNDCP], 0x60 | row->nsapi);
}

KIT_TEST(labels, NULL)
{
    uint8_t got[KIT_FRAME_OCTETS];
    order_cells(kit);
    order_sessions(kit);
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        label_carry(kit, KIT_TEID + i, got);
        assert_label(got, &rows[i]);
        assert_int_equal(number_at(got + N_PDU, 2), 0);
    }
    label_carry(kit, KIT_TEID + 1, got);
    assert_int_equal(number_at(got + N_PDU, 2), 1);
    assert_int_equal(number_at(got + LLC + 1, 2), 0xc001 | 2 << 2);
}

/* An NS-VC fails: its mobiles go over the other one, and back. */
TEST(fail_over)
{
    static const struct {
        uint8_t nsvc;
        bool is_up;
        uint8_t carries;
    } steps[] = {{1, true, 1}, {1, false, 0}, {1, true, 1}, {0, false, 1}, {0, true, 1}};
    struct kit kit;
    uint8_t got[KIT_FRAME_OCTETS];
    kit_open(&kit, NULL);
    order_cells(&kit);
    for (size_t i = 0; i < COUNT(steps); i++) {
        kit_do(&kit,
               &(struct msg){.type = MSG_NSVC_STATE, .slot = steps[i].nsvc, .is_usable = steps[i].is_up});
        label_carry(&kit, KIT_TEID, got);
        assert_int_equal(number_at(got + UDP_DST, 2), KIT_BSS_PORT + steps[i].carries);
    }
    kit_close(&kit);
}

/* What the SGSN's queue has used up is gone from the PDU Lifetime, rounded down to 10 ms. */
TEST(lifetimes)
{
    static const struct {
        int64_t wait_ns;
        uint16_t want_cs;
    } waits[] = {{0, 100}, {1, 99}, {300 * KIT_MS, 70}, {305 * KIT_MS, 69}, {1000 * KIT_MS, 0}};
    for (size_t i = 0; i < COUNT(waits); i++) {
        struct kit kit;
        uint8_t frame[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
        struct gn_frame in = {.teid = KIT_TEID, .inner_octets = LONG_OCTETS};
        kit_open(&kit, &(struct kit_options){.lifetime_ns = MOMENT_SECOND, .is_split = true});
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = false});
        kit_from_gn(&kit, frame, gn_frame_build(frame, &in));
        kit_settle_at(&kit, kit.now + waits[i].wait_ns);
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
        assert_true(kit_take_gb(&kit, got) > N_PDU);
        assert_int_equal(number_at(got + PDU_LIFETIME, 2), waits[i].want_cs);
        kit_close(&kit);
    }
}

/* CE is set in the N-PDU as it waits, in clear: the frame that leaves, ciphered or not, carries it with a
 * right checksum. */

enum { IPV6_HEADER = 40, OCTETS = 300, TRAFFIC_CLASS_AT = 1 };

/* --- schemes that mark everything --- */

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    return NULL;
}

static enum aqm_verdict mark(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return AQM_MARK;
}

#define MARKS .prepare = prepare, .params = ecn_only, .param_count = 1, .law_octets = 8, .state_octets = 8

static const struct aqm_param ecn_only[] = {AQM_PARAM_ECN(1)};
static const struct aqm_ops marks_what_comes = {.name = "comes", MARKS, .enqueue = mark},
                            marks_what_goes = {.name = "goes", MARKS, .dequeue = mark};

struct marking_lab {
    struct kit kit;
    struct context_policy policy;
    struct gb_frame_downlink model;
};

static void marking_lab_open(struct marking_lab *lab, const struct aqm_ops *ops, uint16_t n201_u)
{
    *lab = (struct marking_lab){.model.n201_u = n201_u};
    context_policy_default(&lab->policy);
    lab->policy.sched.aqm[QCLASS_BACKGROUND] =
        (struct sched_aqm_params){.choice = {.ops = ops}, .scope = SCHED_AQM_MS};
    kit_open(&lab->kit, &(struct kit_options){.n201_u = n201_u, .policy = &lab->policy});
}

/* --- packets --- */

struct packet_row {
    unsigned version, ecn; /* as it comes */
    bool leaves;           /* with CE */
};

static const struct packet_row marking_rows[] = {
    {4, AQM_ECN_ECT0, true}, {4, AQM_ECN_ECT1, true}, {4, AQM_ECN_CE, true}, {4, AQM_ECN_NOT, false},
    {6, AQM_ECN_ECT0, true}, {6, AQM_ECN_ECT1, true}, {6, AQM_ECN_CE, true}, {6, AQM_ECN_NOT, false},
};

static void make_packet(uint8_t *out, unsigned version, unsigned ecn, uint16_t seed)
{
    gn_frame_inner(out, OCTETS, seed);
    if (version == 4) {
        out[TRAFFIC_CLASS_AT] = (uint8_t)(0xb8 | ecn);
        out[6] = out[7] = 0;
        gn_frame_sum_ip(out);
        return;
    }
    /* Traffic class: the low half of octet 0 and the high half of octet 1. */
    out[0] = 0x6b;
    out[TRAFFIC_CLASS_AT] = (uint8_t)((8 | ecn) << 4 | 7);
    bytes_put_u16(out + 4, OCTETS - IPV6_HEADER);
    out[24] = 0x20;
}

static void marking_push(struct marking_lab *lab, const uint8_t *packet)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = gn_frame_build(frame, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = OCTETS});
    memcpy(frame + octets - OCTETS, packet, OCTETS);
    kit_from_gn(&lab->kit, frame, octets);
}

static void marking_expect(struct marking_lab *lab, const uint8_t *packet)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    for (uint16_t offset = 0; offset < OCTETS;) {
        size_t octets = gb_frame_segment(want, &lab->model, packet, OCTETS, &offset);
        assert_int_equal(kit_take_gb(&lab->kit, got), octets);
        assert_memory_equal(got, want, octets);
    }
}

static void cipher(struct marking_lab *lab, uint8_t algorithm)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    if (algorithm == 0)
        return;
    msg.cipher = (struct llc_cipher_params){.algorithm = algorithm,
                                            .kc_octets = algorithm == 4 ? 16 : 8,
                                            .kc = {1, 2, 3, 4, 5, 6, 7, 8},
                                            .iov_ui = 9};
    memset(msg.cipher.kc + 8, algorithm == 4 ? 0xa5 : 0, 8);
    kit_do(&lab->kit, &msg);
    lab->model.cipher =
        (struct gb_frame_cipher){.is_on = true, .input = 9 ^ (0x80000000u + KIT_SAPI * 0x08000000u)};
    memcpy(lab->model.cipher.key, msg.cipher.kc, 8);
    memcpy(lab->model.cipher.key + 8, algorithm == 4 ? msg.cipher.kc + 8 : msg.cipher.kc, 8);
}

/* --- tests --- */

static uint64_t aqm_drops(const struct marking_lab *lab)
{
    return lab->kit.worker->stats.gn_drops[DROP_AQM];
}

static void marking_carry(struct marking_lab *lab, const struct packet_row *row, uint16_t seed)
{
    uint8_t packet[OCTETS], marked[OCTETS];
    uint64_t drops = aqm_drops(lab);
    make_packet(packet, row->version, row->ecn, seed);
    make_packet(marked, row->version, AQM_ECN_CE, seed);
    marking_push(lab, packet);
    if (row->leaves)
        marking_expect(lab, marked);
    assert_int_equal(aqm_drops(lab) - drops, !row->leaves);
    assert_int_equal(kit_drain(&lab->kit.gb), 0);
}

/* Every packet, by every cipher, whole and in segments, marked as it comes and as it goes. */
TEST(frames_carry_it)
{
    static const struct aqm_ops *const ops[] = {&marks_what_comes, &marks_what_goes};
    static const uint8_t algorithms[] = {0, 3, 4};
    static const uint16_t n201_us[] = {1520, 140};
    for (unsigned i = 0; i < COUNT(ops) * COUNT(algorithms) * COUNT(n201_us); i++) {
        struct marking_lab lab;
        marking_lab_open(&lab, ops[i % 2], n201_us[i / 2 % 2]);
        cipher(&lab, algorithms[i / 4]);
        for (uint16_t seed = 0; seed < 40; seed++)
            marking_carry(&lab, &marking_rows[seed % COUNT(marking_rows)], seed);
        kit_close(&lab.kit);
    }
}

/* While the cell is closed the N-PDU lies there in clear, marked already if it was so as it came. */
TEST(waiting_is_in_clear)
{
    static const struct {
        const struct aqm_ops *ops;
        unsigned waits_with;
    } hooks[] = {{&marks_what_comes, AQM_ECN_CE}, {&marks_what_goes, AQM_ECN_ECT0}};
    for (unsigned i = 0; i < COUNT(hooks); i++) {
        struct marking_lab lab;
        uint8_t packet[OCTETS], waiting[OCTETS], marked[OCTETS];
        marking_lab_open(&lab, hooks[i].ops, 1520);
        cipher(&lab, 3);
        make_packet(packet, 4, AQM_ECN_ECT0, 1);
        make_packet(waiting, 4, hooks[i].waits_with, 1);
        make_packet(marked, 4, AQM_ECN_CE, 1);
        kit_do(&lab.kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = false});
        marking_push(&lab, packet);
        const struct flow_queue *queue = &lab.kit.worker->context.mobiles[0].sched.flow.queue;
        assert_memory_equal(flow_queue_head(queue)->data, waiting, OCTETS);
        kit_do(&lab.kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
        marking_expect(&lab, marked);
        kit_close(&lab.kit);
    }
}

UNIT_MAIN(kit_start, NULL)
