/* SPDX-License-Identifier: BSD-3-Clause */
/* CE is set in the N-PDU as it waits, in clear: the frame that leaves, ciphered or not, carries it with a
 * right checksum. */
#include "dataplane/aqm/aqm.h"
#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

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

struct lab {
    struct kit kit;
    struct context_policy policy;
    struct gb_frame_downlink model;
};

static void lab_open(struct lab *lab, const struct aqm_ops *ops, uint16_t n201_u)
{
    *lab = (struct lab){.model.n201_u = n201_u};
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

static const struct packet_row rows[] = {
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

static void push(struct lab *lab, const uint8_t *packet)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets = gn_frame_build(frame, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = OCTETS});
    memcpy(frame + octets - OCTETS, packet, OCTETS);
    kit_from_gn(&lab->kit, frame, octets);
}

static void expect(struct lab *lab, const uint8_t *packet)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    for (uint16_t offset = 0; offset < OCTETS;) {
        size_t octets = gb_frame_segment(want, &lab->model, packet, OCTETS, &offset);
        assert_int_equal(kit_take_gb(&lab->kit, got), octets);
        assert_memory_equal(got, want, octets);
    }
}

static void cipher(struct lab *lab, uint8_t algorithm)
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

static uint64_t aqm_drops(const struct lab *lab)
{
    return lab->kit.worker->stats.gn_drops[DROP_AQM];
}

static void carry(struct lab *lab, const struct packet_row *row, uint16_t seed)
{
    uint8_t packet[OCTETS], marked[OCTETS];
    uint64_t drops = aqm_drops(lab);
    make_packet(packet, row->version, row->ecn, seed);
    make_packet(marked, row->version, AQM_ECN_CE, seed);
    push(lab, packet);
    if (row->leaves)
        expect(lab, marked);
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
        struct lab lab;
        lab_open(&lab, ops[i % 2], n201_us[i / 2 % 2]);
        cipher(&lab, algorithms[i / 4]);
        for (uint16_t seed = 0; seed < 40; seed++)
            carry(&lab, &rows[seed % COUNT(rows)], seed);
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
        struct lab lab;
        uint8_t packet[OCTETS], waiting[OCTETS], marked[OCTETS];
        lab_open(&lab, hooks[i].ops, 1520);
        cipher(&lab, 3);
        make_packet(packet, 4, AQM_ECN_ECT0, 1);
        make_packet(waiting, 4, hooks[i].waits_with, 1);
        make_packet(marked, 4, AQM_ECN_CE, 1);
        kit_do(&lab.kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = false});
        push(&lab, packet);
        const struct flow_queue *queue = &lab.kit.worker->context.mobiles[0].sched.flow.queue;
        assert_memory_equal(flow_queue_head(queue)->data, waiting, OCTETS);
        kit_do(&lab.kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
        expect(&lab, marked);
        kit_close(&lab.kit);
    }
}

UNIT_MAIN(kit_start, NULL)
