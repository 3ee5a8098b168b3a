/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink frames ciphered: octet for octet, over wraps of N(U), and at the very frame of a switch. */
#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define SAPI_3 1 /* as ms_sapi_index() counts */
#define SAPI_5 2

#define TLLI_AT (42 + 4 + 1) /* in a frame on Gb: behind transport, NS and the PDU type */

struct lab {
    struct kit kit;
    struct gb_frame_downlink model;
};

static void lab_open(struct lab *lab, const struct kit_options *options)
{
    *lab = (struct lab){0};
    kit_open(&lab->kit, options);
    lab->model.n201_u = lab->kit.options.n201_u;
}

/* IOV-UI xor SX. */
static uint32_t input_of(uint32_t iov_ui, uint8_t sapi)
{
    return iov_ui ^ (0x80000000u + sapi * 0x08000000u);
}

static struct msg gea3(uint8_t first_octet, uint32_t iov_ui)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    msg.cipher = (struct llc_cipher_params){
        .algorithm = 3, .kc_octets = 8, .kc = {first_octet, 2, 3, 4, 5, 6, 7, 8}, .iov_ui = iov_ui};
    return msg;
}

static struct msg gea4(uint8_t first_octet, uint32_t iov_ui)
{
    struct msg msg = gea3(first_octet, iov_ui);
    msg.cipher.algorithm = 4;
    msg.cipher.kc_octets = 16;
    memset(msg.cipher.kc + 8, 0xa5, 8);
    return msg;
}

/* What a model of a SAPI's frames makes of a switch. */
static void model_switch(struct gb_frame_downlink *model, const struct llc_cipher_params *params,
                         uint8_t sapi)
{
    model->cipher =
        (struct gb_frame_cipher){.is_on = params->algorithm != 0, .input = input_of(params->iov_ui, sapi)};
    memcpy(model->cipher.key, params->kc, 8);
    memcpy(model->cipher.key + 8, params->algorithm == 4 ? params->kc + 8 : params->kc, 8);
}

/* Gives an order and returns its answer, which must be good. */
static struct msg order(struct lab *lab, const struct msg *msg)
{
    struct msg answer;
    assert_true(msg_put(lab->kit.worker->rings.to_worker, msg));
    kit_settle(&lab->kit);
    assert_true(kit_take_msg(&lab->kit, &answer));
    assert_int_equal(answer.type, MSG_ANSWER);
    assert_int_equal(answer.answer.status, 0);
    return answer;
}

static void switch_to(struct lab *lab, const struct msg *msg)
{
    struct msg answer = order(lab, msg);
    assert_int_equal(answer.answer.numbers.down[SAPI_3], lab->model.nu);
    model_switch(&lab->model, &msg->cipher, KIT_SAPI);
}

static void push(struct lab *lab, const struct gn_frame *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    assert_int_equal(vport_push(&lab->kit.gn, frame, gn_frame_build(frame, in)), 0);
}

/* One frame of an N-PDU comes next on Gb. */
static void expect_frame(struct lab *lab, struct gb_frame_downlink *model, const struct gn_frame *in,
                         uint16_t *offset)
{
    uint8_t n_pdu[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    gn_frame_inner(n_pdu, in->inner_octets, in->seed);
    size_t octets = gb_frame_segment(want, model, n_pdu, in->inner_octets, offset);
    assert_int_equal(kit_take_gb(&lab->kit, got), octets);
    assert_memory_equal(got, want, octets);
}

static void expect(struct lab *lab, struct gb_frame_downlink *model, const struct gn_frame *in)
{
    for (uint16_t offset = 0; offset < in->inner_octets;)
        expect_frame(lab, model, in, &offset);
}

static void carry(struct lab *lab, uint16_t octets)
{
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = octets, .seed = octets};
    push(lab, &in);
    kit_settle(&lab->kit);
    expect(lab, &lab->model, &in);
    assert_int_equal(kit_drain(&lab->kit.gb), 0);
}

/* --- against a frame that others computed --- */

static const uint8_t example_n_pdu[] = {0x45, 0x00, 0x00, 0x1c, 0x00, 0x01, 0x00, 0x00, 0x40, 0x01,
                                        0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x0a, 0x0b, 0x00, 0x02,
                                        0x08, 0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01};
static const uint8_t example_frame[] = {0x43, 0xc0, 0x17, 0x08, 0xd2, 0x85, 0x1d, 0xe7, 0x81, 0x5e,
                                        0x40, 0x77, 0xb2, 0x26, 0x43, 0x5b, 0x54, 0xee, 0x32, 0x3d,
                                        0x8e, 0x71, 0xb9, 0x7e, 0x2e, 0xf0, 0x0f, 0xea, 0x9a, 0x3f,
                                        0x27, 0x2f, 0x94, 0x89, 0xb1, 0x5a, 0xb0, 0xc5};

TEST(example)
{
    struct lab lab;
    struct msg msg = {.type = MSG_MS_CIPHER};
    uint8_t frame[KIT_FRAME_OCTETS];
    msg.cipher = (struct llc_cipher_params){.algorithm = 3,
                                            .kc_octets = 8,
                                            .kc = {0x2b, 0xd6, 0x45, 0x9f, 0x82, 0xc5, 0xbc, 0x00},
                                            .iov_ui = 0x12345678};
    lab_open(&lab, NULL);
    kit_do(&lab.kit, &msg);
    lab.kit.worker->context.mobiles[0].llc[SAPI_3].vu = 5;
    lab.kit.worker->context.pdps[0].next_number = 7;
    size_t octets = gn_frame_build(frame, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = 28});
    memcpy(frame + octets - sizeof(example_n_pdu), example_n_pdu, sizeof(example_n_pdu));
    kit_from_gn(&lab.kit, frame, octets);
    octets = kit_take_gb(&lab.kit, frame);
    assert_true(octets > sizeof(example_frame));
    assert_memory_equal(frame + octets - sizeof(example_frame), example_frame, sizeof(example_frame));
    kit_close(&lab.kit);
}

/* --- over wraps --- */

/* 3000 frames of unequal lengths in bursts, whatever the engine. */
TEST(wraps)
{
    static const char *const engines[] = {"portable", NULL};
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct lab lab;
        struct msg msg = i == 0 ? gea3(1, 0xfffffff0) : gea4(1, 0);
        lab_open(&lab, &(struct kit_options){.n201_u = 200, .gea = engines[i]});
        switch_to(&lab, &msg);
        for (unsigned burst = 0; lab.model.cipher.input - input_of(msg.cipher.iov_ui, KIT_SAPI) < 5 * 512;
             burst++) {
            struct gn_frame in = {.teid = KIT_TEID};
            for (in.seed = 0; in.seed < 20; in.seed++) {
                in.inner_octets = (uint16_t)(20 + (burst * 131 + in.seed * 37) % 700);
                push(&lab, &in);
            }
            kit_settle(&lab.kit);
            for (in.seed = 0; in.seed < 20; in.seed++) {
                in.inner_octets = (uint16_t)(20 + (burst * 131 + in.seed * 37) % 700);
                expect(&lab, &lab.model, &in);
            }
        }
        kit_close(&lab.kit);
    }
}

static uint16_t octets_of(unsigned mobile, unsigned k)
{
    return (uint16_t)(30 + 40 * mobile + 300 * k);
}

/* The next frame on Gb, in whichever order the mobiles have their turns, is the next of its mobile's model.
 */
static void expect_of_any(struct lab *lab, struct gb_frame_downlink *models, unsigned *sent, uint16_t ip_id)
{
    uint8_t n_pdu[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    uint16_t offset = 0;
    size_t got_octets = kit_take_gb(&lab->kit, got);

    assert_true(got_octets > TLLI_AT + 4);
    uint32_t mobile = bytes_get_u32(got + TLLI_AT) - KIT_TLLI;
    assert_in_range(mobile, 0, KIT_MOBILES - 1);
    uint16_t n_pdu_octets = octets_of(mobile, sent[mobile]++);
    gn_frame_inner(n_pdu, n_pdu_octets, 0);
    models[mobile].ip_id = ip_id;
    size_t octets = gb_frame_segment(want, &models[mobile], n_pdu, n_pdu_octets, &offset);
    assert_int_equal(got_octets, octets);
    assert_memory_equal(got, want, octets);
}

static void add_mobiles(struct lab *lab, struct gb_frame_downlink *models)
{
    for (uint32_t i = 0; i < KIT_MOBILES; i++) {
        struct msg ms = kit_ms(&lab->kit, i, KIT_TLLI + i), pdp = kit_pdp(i, i, KIT_NSAPI, KIT_TEID + i);
        struct msg msg = i % 2 ? gea3((uint8_t)i, i) : gea4((uint8_t)i, i);
        if (i > 0) {
            kit_do(&lab->kit, &ms);
            kit_do(&lab->kit, &pdp);
        }
        models[i] = (struct gb_frame_downlink){.n201_u = 1520, .tlli = KIT_TLLI + i};
        msg.slot = i;
        if (i % 3 == 0)
            continue;
        kit_do(&lab->kit, &msg);
        model_switch(&models[i], &msg.cipher, KIT_SAPI);
    }
    kit_flow(&lab->kit, 1000000000, 1000000000);
}

/* Many mobiles in a burst, each with its own key, some in clear. */
TEST(mobiles)
{
    struct lab lab;
    struct gb_frame_downlink models[KIT_MOBILES];
    unsigned sent[KIT_MOBILES] = {0};

    lab_open(&lab, NULL);
    add_mobiles(&lab, models);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < KIT_MOBILES; i++)
            push(&lab, &(struct gn_frame){.teid = KIT_TEID + i, .inner_octets = octets_of(i, k)});
    kit_settle(&lab.kit);
    for (uint16_t i = 0; i < 4 * KIT_MOBILES; i++)
        expect_of_any(&lab, models, sent, i);
    assert_int_equal(kit_drain(&lab.kit.gb), 0);
    kit_close(&lab.kit);
}

/* --- switches --- */

TEST(switches)
{
    struct lab lab;
    const struct msg orders[] = {gea3(1, 0), gea4(2, 5),      {.type = MSG_MS_CIPHER}, gea3(3, 0),
                                 gea3(4, 0), gea3(4, 0x1000), {.type = MSG_MS_CIPHER}};
    lab_open(&lab, NULL);
    lab.kit.worker->context.mobiles[0].llc[SAPI_3].vu = lab.model.nu = 495;
    for (size_t i = 0; i < COUNT(orders); i++) {
        switch_to(&lab, &orders[i]);
        for (uint16_t k = 0; k < 7; k++)
            carry(&lab, (uint16_t)(40 + 10 * k));
    }
    /* Over many wraps before a switch: it begins at OC 0. */
    struct msg msg = gea3(5, 0);
    switch_to(&lab, &msg);
    for (unsigned k = 0; k < 1300; k++)
        carry(&lab, 60);
    msg = gea3(6, 0);
    switch_to(&lab, &msg);
    for (unsigned k = 0; k < 600; k++)
        carry(&lab, 60);
    kit_close(&lab.kit);
}

/* A switch between two segments of an N-PDU. */
TEST(switch_in_service)
{
    struct lab lab;
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 400};
    struct msg msg = gea3(1, 0);
    uint16_t offset = 0;

    lab_open(&lab, &(struct kit_options){.n201_u = 140});
    kit_flow(&lab.kit, 150, 8000);
    kit_settle_at(&lab.kit, lab.kit.now + MOMENT_SECOND);
    push(&lab, &in);
    kit_settle(&lab.kit);
    expect_frame(&lab, &lab.model, &in, &offset);
    assert_int_equal(kit_drain(&lab.kit.gb), 0);
    switch_to(&lab, &msg);
    while (offset < in.inner_octets) {
        kit_settle_at(&lab.kit, lab.kit.now + MOMENT_SECOND);
        expect_frame(&lab, &lab.model, &in, &offset);
    }
    kit_close(&lab.kit);
}

/* SAPIs count for themselves and switch at one instant. */
TEST(sapis)
{
    struct lab lab;
    struct gb_frame_downlink other = {.n201_u = 1520, .sapi = 5, .nsapi = 6};
    struct msg pdp = kit_pdp(1, 0, 6, KIT_TEID + 1), msg = gea4(1, 9);
    struct gn_frame in = {.teid = KIT_TEID + 1, .inner_octets = 100};

    lab_open(&lab, NULL);
    pdp.pdp.sapi = 5;
    kit_do(&lab.kit, &pdp);
    for (unsigned i = 0; i < 1400; i++) {
        if (i == 700) {
            struct msg answer = order(&lab, &msg);
            assert_int_equal(answer.answer.numbers.down[SAPI_3], lab.model.nu);
            assert_int_equal(answer.answer.numbers.down[SAPI_5], other.nu);
            assert_int_equal(answer.answer.numbers.down[0], 0);
            model_switch(&lab.model, &msg.cipher, KIT_SAPI);
            model_switch(&other, &msg.cipher, 5);
        }
        carry(&lab, 50);
        if (i % 3)
            continue;
        other.ip_id = lab.model.ip_id++;
        push(&lab, &in);
        kit_settle(&lab.kit);
        expect(&lab, &other, &in);
    }
    kit_close(&lab.kit);
}

TEST(refused)
{
    struct lab lab;
    struct msg msg = gea3(1, 0);

    lab_open(&lab, NULL);
    msg.slot = 1;
    assert_int_equal(kit_order(&lab.kit, &msg), -1);
    msg.slot = KIT_MOBILES;
    assert_int_equal(kit_order(&lab.kit, &msg), -1);
    msg.slot = 0;
    for (msg.cipher.algorithm = 1; msg.cipher.algorithm < 8; msg.cipher.algorithm++)
        if (msg.cipher.algorithm != 3)
            assert_int_equal(kit_order(&lab.kit, &msg), -1);
    carry(&lab, 100);
    msg.cipher.algorithm = 3;
    switch_to(&lab, &msg);
    carry(&lab, 100);
    assert_int_equal(kit_order(&lab.kit, &msg), -1); /* the same keystream again */
    carry(&lab, 100);
    kit_close(&lab.kit);
}

/* Without an engine nothing can be ciphered, and off is no change. */
TEST(no_engine)
{
    struct lab lab;
    struct msg msg = gea3(1, 0);
    lab_open(&lab, &(struct kit_options){.has_no_gea = true});
    assert_int_equal(kit_order(&lab.kit, &msg), -1);
    msg.cipher.algorithm = 0;
    switch_to(&lab, &msg);
    carry(&lab, 100);
    kit_close(&lab.kit);
}

/* --- unprotected mode --- */

TEST(unprotected)
{
    struct lab lab;
    struct msg pm = {.type = MSG_MS_PM, .unprotected_sapis = 1 << SAPI_3}, msg = gea3(1, 0);
    struct gb_frame_downlink other = {.n201_u = 500, .sapi = 5, .nsapi = 6};
    struct msg pdp = kit_pdp(1, 0, 6, KIT_TEID + 1);
    struct gn_frame in = {.teid = KIT_TEID + 1, .inner_octets = 700};

    lab_open(&lab, &(struct kit_options){.n201_u = 500});
    pdp.pdp.sapi = 5;
    kit_do(&lab.kit, &pdp);
    carry(&lab, 900);
    kit_do(&lab.kit, &pm);
    lab.model.is_pm0 = true;
    carry(&lab, 900);
    carry(&lab, 20);
    switch_to(&lab, &msg);
    carry(&lab, 900);
    push(&lab, &in); /* the other SAPI stays protected */
    kit_settle(&lab.kit);
    other.ip_id = lab.model.ip_id;
    model_switch(&other, &msg.cipher, 5);
    expect(&lab, &other, &in);
    lab.model.ip_id = other.ip_id;
    pm.unprotected_sapis = 0;
    kit_do(&lab.kit, &pm);
    lab.model.is_pm0 = false;
    carry(&lab, 900);
    pm.unprotected_sapis = 1 << MS_SAPIS;
    assert_int_equal(kit_order(&lab.kit, &pm), -1);
    kit_close(&lab.kit);
}

UNIT_MAIN(kit_start, NULL)
