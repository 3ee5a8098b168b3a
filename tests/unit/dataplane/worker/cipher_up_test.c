/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink frames deciphered: over wraps and losses, around switches, and in bursts. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

#define SAPI_3       1 /* as ms_sapi_index() counts */
#define INNER_OCTETS 60

static const uint8_t key_a[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t key_b[16] = {8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8};

enum { IOV_A = 0x1000, IOV_B = 0x77 };

static uint32_t input_of(uint32_t iov_ui, uint8_t sapi)
{
    return iov_ui ^ (0x80000000u + sapi * 0x08000000u);
}

static void switch_to(struct kit *kit, uint8_t algorithm)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    bool is_gea3 = algorithm == 3;
    msg.cipher = (struct llc_cipher_params){
        .algorithm = algorithm, .kc_octets = is_gea3 ? 8 : 16, .iov_ui = is_gea3 ? IOV_A : IOV_B};
    memcpy(msg.cipher.kc, is_gea3 ? key_a : key_b, msg.cipher.kc_octets);
    kit_do(kit, &msg);
}

static struct gb_frame_cipher cipher_of(uint8_t algorithm, uint8_t sapi, uint32_t oc)
{
    struct gb_frame_cipher cipher = {.is_on = algorithm != 0};
    cipher.input = input_of(algorithm == 3 ? IOV_A : IOV_B, sapi) + oc;
    memcpy(cipher.key, algorithm == 3 ? key_a : key_b, sizeof(cipher.key));
    return cipher;
}

static void send(struct kit *kit, const struct gb_frame_uplink *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gb(kit, frame, gb_frame_uplink(frame, in));
}

static void expect_n_pdu(struct kit *kit, const uint8_t *n_pdu)
{
    uint8_t got[KIT_FRAME_OCTETS];
    assert_int_equal(kit_take_gn(kit, got), GN_FRAME_INNER + INNER_OCTETS);
    assert_memory_equal(got + GN_FRAME_INNER, n_pdu, INNER_OCTETS);
}

/* --- one mobile, frame by frame --- */

enum act { FRAME, SWITCH };

/* A frame as its sender counts, or a switch of the network's. */
struct row {
    const char *name;
    enum act act;
    uint8_t algorithm; /* that it is ciphered with, or switched to: 0, 3 (key A), 4 (key B) */
    uint16_t nu;
    uint32_t oc;
    enum drop reason;
    bool has_bad_fcs;
    uint8_t sapi; /* 0: the kit's */
};

static const struct row rows[] = {
    {"a leap", FRAME, 0, 300, 0, DROP_NONE},
    {"in clear, nothing is on", FRAME, 0, 500, 0, DROP_NONE},
    {"ciphered, nothing is on", FRAME, 3, 501, 0, DROP_LLC_CIPHERING},
    {"on", SWITCH, 3},
    {"in clear, late, from before", FRAME, 0, 499, 0, DROP_NONE},
    {"in clear, new", FRAME, 0, 501, 0, DROP_LLC_CIPHERING},
    {"ciphered, late: from before, when it was not on", FRAME, 3, 498, 0, DROP_LLC_CIPHERING},
    {"the first ciphered one", FRAME, 3, 501, 0, DROP_NONE},
    {"again", FRAME, 3, 501, 0, DROP_LLC_OLD},
    {"another key", FRAME, 4, 502, 0, DROP_LLC_DECIPHER},
    {"an overflow counter of before", FRAME, 3, 502, (uint32_t)-512, DROP_LLC_DECIPHER},
    {"a bad FCS", FRAME, 3, 502, 0, DROP_LLC_DECIPHER, true},
    {"the same, good", FRAME, 3, 502, 0, DROP_NONE},
    {"511: the old OC", FRAME, 3, 511, 0, DROP_NONE},
    {"0, OC not stepped", FRAME, 3, 0, 0, DROP_LLC_DECIPHER},
    {"0: the next OC", FRAME, 3, 0, 512, DROP_NONE},
    {"late, from before the wrap", FRAME, 3, 510, 0, DROP_NONE},
    {"400 lost", FRAME, 3, 401, 512, DROP_NONE},
    {"over the next wrap with 479 lost", FRAME, 3, 369, 1024, DROP_NONE},
    {"another SAPI, for itself", FRAME, 3, 7, 0, DROP_NONE, false, 5},
    {"to another key", SWITCH, 4},
    {"late, old key and OC", FRAME, 3, 368, 1024, DROP_NONE},
    {"the oldest late one", FRAME, 3, 338, 1024, DROP_NONE},
    {"late, but with the new key", FRAME, 4, 367, 0, DROP_LLC_DECIPHER},
    {"the next with the old key", FRAME, 3, 370, 1024, DROP_LLC_DECIPHER},
    {"the next", FRAME, 4, 370, 0, DROP_NONE},
    {"late after it, still from before", FRAME, 3, 366, 1024, DROP_NONE},
    {"the other SAPI, late", FRAME, 3, 6, 0, DROP_NONE, false, 5},
    {"the other SAPI, new", FRAME, 4, 8, 0, DROP_NONE, false, 5},
    {"511", FRAME, 4, 511, 0, DROP_NONE},
    {"0", FRAME, 4, 0, 512, DROP_NONE},
    {"off", SWITCH, 0},
    {"late, ciphered", FRAME, 4, 510, 0, DROP_NONE},
    {"late, in clear", FRAME, 0, 509, 0, DROP_LLC_CIPHERING},
    {"in clear", FRAME, 0, 1, 0, DROP_NONE},
    {"ciphered", FRAME, 4, 2, 512, DROP_LLC_CIPHERING},
};

static void step(struct kit *kit, const struct row *row, const uint8_t *n_pdu)
{
    const struct worker_stats before = kit->worker->stats, *now = &kit->worker->stats;
    struct gb_frame_uplink in = {
        .sapi = row->sapi,
        .nu = row->nu,
        .octets = INNER_OCTETS,
        .data = n_pdu,
        .has_bad_fcs = row->has_bad_fcs,
        .cipher = cipher_of(row->algorithm, row->sapi ? row->sapi : KIT_SAPI, row->oc),
    };
    bool is_good = row->reason == DROP_NONE;

    send(kit, &in);
    if (now->ul_npdu_out != before.ul_npdu_out + is_good ||
        now->gb_drops[row->reason] != before.gb_drops[row->reason] + !is_good)
        fail_msg("%s: not %s", row->name, drop_name(row->reason));
    if (is_good)
        expect_n_pdu(kit, n_pdu);
}

KIT_TEST(frames, NULL)
{
    uint8_t n_pdu[INNER_OCTETS];
    for (size_t i = 0; i < COUNT(rows); i++) {
        gn_frame_inner(n_pdu, sizeof(n_pdu), (uint16_t)i);
        if (rows[i].act == SWITCH)
            switch_to(kit, rows[i].algorithm);
        else
            step(kit, &rows[i], n_pdu);
    }
}

/* The answer to a switch says which N(U) is the first. */
TEST(numbers)
{
    struct kit kit;
    struct msg msg = {.type = MSG_MS_CIPHER}, answer;
    uint8_t n_pdu[INNER_OCTETS];
    gn_frame_inner(n_pdu, sizeof(n_pdu), 0);
    kit_open(&kit, NULL);
    send(&kit, &(struct gb_frame_uplink){.nu = 511, .octets = INNER_OCTETS, .data = n_pdu});
    send(&kit, &(struct gb_frame_uplink){.nu = 300, .octets = INNER_OCTETS, .data = n_pdu, .sapi = 11});
    assert_true(msg_put(kit.worker->rings.to_worker, &msg));
    kit_settle(&kit);
    assert_true(kit_take_msg(&kit, &answer));
    assert_int_equal(answer.answer.numbers.up[SAPI_3], 0);
    assert_int_equal(answer.answer.numbers.up[5], 301);
    assert_int_equal(answer.answer.numbers.up[2], 0);
    assert_int_equal(answer.answer.numbers.down[5], 0);
    kit_close(&kit);
}

/* The mobile begins anew: N(U) 0 and OC 0 are new, what went before is forgotten. */
TEST(reset)
{
    struct kit kit;
    uint8_t n_pdu[INNER_OCTETS];
    struct gb_frame_uplink in = {.octets = INNER_OCTETS, .data = n_pdu, .cipher = cipher_of(3, KIT_SAPI, 0)};

    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    kit_open(&kit, NULL);
    switch_to(&kit, 3);
    for (in.nu = 0; in.nu < 20; in.nu++) {
        send(&kit, &in);
        expect_n_pdu(&kit, n_pdu);
    }
    in.nu = 0;
    send(&kit, &in);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_LLC_OLD], 1);
    kit_do(&kit, &(struct msg){.type = MSG_MS_LLC_RESET});
    send(&kit, &in);
    expect_n_pdu(&kit, n_pdu);
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_MS_LLC_RESET, .slot = 1}), -1);
    kit_close(&kit);
}

/* The kit after N(U) 0 to 19. */
static void open_with_frames(struct kit *kit, struct gb_frame_uplink *in)
{
    kit_open(kit, NULL);
    for (in->nu = 0; in->nu < 20; in->nu++)
        send(kit, in);
}

/* The same in clear: nothing before N(U) 0 was seen. */
TEST(reset_in_clear)
{
    struct kit kit;
    uint8_t n_pdu[INNER_OCTETS];
    struct gb_frame_uplink in = {.octets = INNER_OCTETS, .data = n_pdu};

    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    open_with_frames(&kit, &in);
    kit_do(&kit, &(struct msg){.type = MSG_MS_LLC_RESET});
    in.nu = 511;
    send(&kit, &in);
    in.nu = 0;
    send(&kit, &in);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 22);
    kit_drain(&kit.gn);
    kit_close(&kit);
}

/* --- bursts --- */

static void push(struct kit *kit, const struct gb_frame_uplink *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    assert_int_equal(vport_push(&kit->gb, frame, gb_frame_uplink(frame, in)), 0);
}

static uint64_t out_of_burst(struct kit *kit, const struct gb_frame_uplink *in)
{
    const struct gb_frame_uplink answer = {.sapi = 0x41, .control = 0xfb};
    struct gb_frame_uplink next = *in;
    uint64_t before = kit->worker->stats.ul_npdu_out;
    push(kit, &answer);
    push(kit, &next);
    next.nu++;
    push(kit, &next);
    kit_settle(kit);
    kit_drain(&kit->gn);
    struct msg punt = {.type = MSG_PUNT_LLC};
    assert_true(kit_take_msg(kit, &punt));
    rte_pktmbuf_free(punt.mbuf);
    return kit->worker->stats.ul_npdu_out - before;
}

/* A mobile that was told to reset sends its answer, and frames behind it in the same burst. */
TEST(answer_to_reset)
{
    struct kit kit;
    uint8_t n_pdu[INNER_OCTETS];
    struct gb_frame_uplink in = {.octets = INNER_OCTETS, .data = n_pdu};

    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    open_with_frames(&kit, &in);
    kit_drain(&kit.gn);
    in.nu = 0;
    assert_int_equal(out_of_burst(&kit, &in), 0); /* it was not told to */
    kit_do(&kit, &(struct msg){.type = MSG_MS_LLC_AWAIT});
    assert_int_equal(out_of_burst(&kit, &in), 2);
    assert_int_equal(out_of_burst(&kit, &in), 0); /* an answer counts once */
    kit_do(&kit, &(struct msg){.type = MSG_MS_LLC_AWAIT});
    switch_to(&kit, 0); /* settled */
    assert_int_equal(out_of_burst(&kit, &in), 0);
    kit_close(&kit);
}

/* 3000 frames in bursts of 32, one in 16 lost, one in 8 changes places with the next. */
TEST(bursts)
{
    struct kit kit;
    uint8_t n_pdu[INNER_OCTETS];
    uint32_t waiting[64];

    kit_open(&kit, NULL);
    switch_to(&kit, 4);
    for (uint32_t count = 0; count < 3000;) {
        unsigned sent = 0;
        for (unsigned i = 0; i < 32; i++, count++) {
            uint32_t who = count % 8 == 3 ? count + 1 : count % 8 == 4 ? count - 1 : count;
            gn_frame_inner(n_pdu, sizeof(n_pdu), (uint16_t)who);
            if (who % 16 != 9) {
                push(&kit, &(struct gb_frame_uplink){.nu = who % 512,
                                                     .octets = INNER_OCTETS,
                                                     .data = n_pdu,
                                                     .cipher = cipher_of(4, KIT_SAPI, who / 512 * 512)});
                waiting[sent++] = who;
            }
        }
        kit_settle(&kit);
        for (unsigned i = 0; i < sent; i++) {
            gn_frame_inner(n_pdu, sizeof(n_pdu), (uint16_t)waiting[i]);
            expect_n_pdu(&kit, n_pdu);
        }
    }
    assert_int_equal(kit_drain(&kit.gn), 0);
    kit_close(&kit);
}

/* A leap of 200 and a frame of before it in one burst: the second is too old when its turn comes. */
TEST(leap_in_a_burst)
{
    struct kit kit;
    uint8_t n_pdu[INNER_OCTETS];
    gn_frame_inner(n_pdu, sizeof(n_pdu), 0);
    kit_open(&kit, NULL);
    switch_to(&kit, 3);
    struct gb_frame_uplink in = {
        .octets = INNER_OCTETS, .data = n_pdu, .nu = 200, .cipher = cipher_of(3, KIT_SAPI, 0)};
    push(&kit, &in);
    in.nu = 0;
    push(&kit, &in);
    in.nu = 201;
    push(&kit, &in);
    kit_settle(&kit);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_LLC_OLD], 1);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 2);
    assert_int_equal(kit_drain(&kit.gn), 2);
    kit_close(&kit);
}

/* --- signalling SAPIs and lengths --- */

struct punt_row {
    const char *name;
    uint8_t sapi;
    bool is_clear;
    enum drop reason; /* DROP_NONE: goes to control */
};

static const struct punt_row punt_rows[] = {
    {"GMM, ciphered", 1, false, DROP_NONE},
    {"GMM in clear: its own layer decides", 1, true, DROP_NONE},
    {"short messages, ciphered", 7, false, DROP_NONE},
    {"short messages in clear", 7, true, DROP_LLC_CIPHERING},
};

TEST(punts)
{
    struct kit kit;
    struct msg msg;
    uint8_t n_pdu[INNER_OCTETS];

    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    kit_open(&kit, NULL);
    switch_to(&kit, 3);
    for (size_t i = 0; i < COUNT(punt_rows); i++) {
        const struct punt_row *row = &punt_rows[i];
        uint64_t before = kit.worker->stats.gb_drops[row->reason];
        send(&kit, &(struct gb_frame_uplink){.sapi = row->sapi,
                                             .nu = (uint16_t)i,
                                             .octets = INNER_OCTETS,
                                             .data = n_pdu,
                                             .is_clear = row->is_clear,
                                             .cipher = cipher_of(3, row->sapi, 0)});
        assert_int_equal(kit_take_msg(&kit, &msg), row->reason == DROP_NONE);
        if (row->reason != DROP_NONE) {
            assert_int_equal(kit.worker->stats.gb_drops[row->reason], before + 1);
            continue;
        }
        assert_int_equal(msg.type, MSG_PUNT_LLC);
        assert_int_equal(msg.llc.sapi, row->sapi);
        assert_int_equal(msg.llc.is_ciphered, !row->is_clear);
        assert_int_equal(rte_pktmbuf_data_len(msg.mbuf), 3 + 4 + INNER_OCTETS);
        assert_memory_equal(rte_pktmbuf_mtod(msg.mbuf, uint8_t *) + 7, n_pdu, INNER_OCTETS);
        rte_pktmbuf_free(msg.mbuf);
    }
    kit_close(&kit);
}

/* Up to the longest information, 1520 octets, it is deciphered; beyond, no N201-U is that long. */
KIT_TEST(too_long, NULL)
{
    switch_to(kit, 3);
    send(kit, &(struct gb_frame_uplink){.octets = 1516, .cipher = cipher_of(3, KIT_SAPI, 0)});
    assert_int_equal(kit->worker->stats.gb_drops[DROP_SNDCP_INCOMPLETE], 1);
    send(kit, &(struct gb_frame_uplink){.octets = 1517, .nu = 1});
    assert_int_equal(kit->worker->stats.gb_drops[DROP_LLC_MALFORMED], 1);
}

/* --- Ciphered uplink frames of which more were lost than N(U) can tell --- */

static const uint8_t key[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};

static void open_ciphered(struct kit *kit)
{
    struct msg msg = {.type = MSG_MS_CIPHER, .cipher = {.algorithm = 3, .kc_octets = 8}};
    memcpy(msg.cipher.kc, key, msg.cipher.kc_octets);
    kit_open(kit, NULL);
    kit_do(kit, &msg);
}

static void regain_send(struct kit *kit, uint32_t count, bool has_bad_fcs)
{
    uint8_t n_pdu[INNER_OCTETS], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {
        .nu = count % 512, .octets = INNER_OCTETS, .data = n_pdu, .has_bad_fcs = has_bad_fcs};
    in.cipher = (struct gb_frame_cipher){.is_on = true,
                                         .input = 0x80000000u + KIT_SAPI * 0x08000000u + count / 512 * 512};
    memcpy(in.cipher.key, key, sizeof(key));
    gn_frame_inner(n_pdu, sizeof(n_pdu), (uint16_t)count);
    assert_int_equal(vport_push(&kit->gb, frame, gb_frame_uplink(frame, &in)), 0);
}

static void send_alone(struct kit *kit, uint32_t count)
{
    regain_send(kit, count, false);
    kit_settle(kit);
}

/* Frames that are lost, behind 20 that came; then all come again. */
struct outage_row {
    const char *name;
    uint32_t lost;
    bool is_found; /* within 24 frames, each in a burst of its own */
};

static const struct outage_row outage_rows[] = {
    {"479: N(U) tells", 479, true}, {"480: one turn more", 480, true},
    {"one turn", 512, true},        {"990", 990, true},
    {"three turns", 3 * 512, true}, {"eight turns", 8 * 512 + 440, true},
    {"nine", 9 * 512, false},
};

/* From the frame on that is found all are taken, and those before it are not known any more. */
TEST(outages)
{
    for (size_t i = 0; i < COUNT(outage_rows); i++) {
        const struct outage_row *row = &outage_rows[i];
        struct kit kit;
        open_ciphered(&kit);
        const struct worker_stats *s = &kit.worker->stats;
        for (uint32_t count = 0; count < 20; count++)
            send_alone(&kit, count);
        uint32_t at = 20 + row->lost;
        for (; at < 20 + row->lost + 24 && s->ul_npdu_out == 20; at++)
            send_alone(&kit, at);
        if ((s->ul_npdu_out > 20) != row->is_found ||
            s->ul_oc_recovered != (row->is_found && row->lost >= 480))
            fail_msg("%s: %u tried", row->name, at - 20 - row->lost);
        uint64_t before = s->ul_npdu_out;
        for (uint32_t more = 0; more < 600; more++)
            send_alone(&kit, at + more);
        assert_int_equal(s->ul_npdu_out, before + (row->is_found ? 600 : 0));
        kit_drain(&kit.gn);
        kit_close(&kit);
    }
}

/* One frame of a burst is tried, however many are wrong; those whose FCS was wrong on the air are not taken.
 */
TEST_IN(one_guess_in_a_burst, struct kit, kit, open_ciphered(kit), kit_close(kit))
{
    for (uint32_t count = 0; count < 32; count++)
        regain_send(kit, count, true);
    kit_settle(kit);
    assert_int_equal(kit->worker->stats.ul_oc_tries, 1);
    assert_int_equal(kit->worker->stats.ul_oc_recovered, 0);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_LLC_DECIPHER], 32);
}

UNIT_MAIN(kit_start, NULL)
