/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile in acknowledged mode behind Gb: N-PDUs both ways over a channel that loses frames, with cell
 * changes, keys, closed windows and full buffers. The mobile's side is a link of abm/link.h, by hand. */
#include "dataplane/abm/link.h"
#include "dataplane/base/rng.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 32, GB_HEADERS = 42, NS_HEADER = 4, MOST = 400, STEP_LIMIT = 100000 };

#define WAY_NS (INT64_C(50) * KIT_MS)

static const struct kit_options options = {
    .abm = {.links = 2,
            .buffers = 64,
            .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 16, .k_up = 8, .n200 = 8},
            .seed = 1},
    .gb_marking = {.dscp = {[QCLASS_SIGNALLING] = 48, [QCLASS_BACKGROUND] = 10}},
    .n201_u = 500,
    .no_uplink_filter = true,
    .gn_mtu_octets = 2000,
};

/* A frame on its way. */
struct flying {
    struct flying *next;
    int64_t at_ns;
    bool is_up;
    size_t octets;
    uint8_t llc[1600];
};

/* An N-PDU of the mobile's. */
struct own {
    struct n_pdu n_pdu;
    unsigned references;
    uint8_t octets[1600];
};

struct phone {
    struct kit *kit;
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[SLOTS];
    void *stored[SLOTS];
    struct rng rng;
    uint32_t loss_ppm;
    struct flying *air;
    uint8_t key[16];
    bool is_ciphered;
    uint8_t unit[1600]; /* in reassembly */
    size_t unit_octets;
    unsigned received, sent_up, received_up, abandoned, own_left, opened;
    size_t lengths[MOST];
};

static void own_hold(void *arg, struct n_pdu *n_pdu)
{
    ((struct own *)(void *)n_pdu)->references++;
}

static void own_let_go(void *arg, struct n_pdu *n_pdu)
{
    struct phone *p = arg;
    struct own *own = (struct own *)(void *)n_pdu;
    if (--own->references > 0)
        return;
    p->own_left--;
    free(own);
}

static void own_abandon(void *arg, struct n_pdu *n_pdu)
{
    ((struct phone *)arg)->abandoned++;
    own_let_go(arg, n_pdu);
}

static void own_drop(void *arg, void *frame)
{
    free(frame);
}

static void own_opened(void *arg, struct link *link)
{
    ((struct phone *)arg)->opened++;
}

static void own_failed(void *arg, struct link *link)
{
}

static void phone_open(struct phone *p, struct kit *kit, uint32_t loss_ppm)
{
    *p = (struct phone){.kit = kit, .loss_ppm = loss_ppm};
    p->kind = (struct link_kind){.values = options.abm.values,
                                 .hold = own_hold,
                                 .let_go = own_let_go,
                                 .abandon = own_abandon,
                                 .drop = own_drop,
                                 .opened = own_opened,
                                 .failed = own_failed,
                                 .arg = p};
    rng_init(&p->rng, 7, 1);
    link_init(&p->link, &p->kind, KIT_SAPI, p->sent, p->stored);
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0}, add = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    add.pdp.is_acknowledged = true;
    kit_do(kit, &del);
    kit_do(kit, &add);
}

static void phone_close(struct phone *p)
{
    link_empty(&p->link, NULL);
    assert_int_equal(p->own_left, 0);
    while (p->air) {
        struct flying *next = p->air->next;
        free(p->air);
        p->air = next;
    }
}

/* The LLC-PDU of a DL-UNITDATA in a frame of Gb. */
static const uint8_t *llc_of(const uint8_t *frame, size_t len, size_t *octets)
{
    size_t at = GB_HEADERS + NS_HEADER + 1 + 4 + 3;
    assert_int_equal(frame[GB_HEADERS + NS_HEADER], 0);
    while (at < len) {
        uint8_t type = frame[at++];
        size_t value = frame[at] & 0x80 ? frame[at] & 0x7f : (size_t)frame[at] << 8 | frame[at + 1];
        at += frame[at] & 0x80 ? 1 : 2;
        if (type == 0x0e) {
            *octets = value;
            return frame + at;
        }
        at += value;
    }
    fail_msg("no LLC-PDU");
    return NULL;
}

static void fly(struct phone *p, const uint8_t *llc, size_t octets, bool is_up)
{
    if (rng_chance_ppm(&p->rng, p->loss_ppm))
        return;
    struct flying *f = calloc(1, sizeof *f), **end = &p->air;
    f->at_ns = p->kit->now + WAY_NS;
    f->is_up = is_up;
    f->octets = octets;
    memcpy(f->llc, llc, octets);
    while (*end)
        end = &(*end)->next;
    *end = f;
}

static void cipher(const struct phone *p, uint8_t *data, size_t octets, uint32_t input,
                   enum gea_direction way)
{
    struct gea_job job = {
        .key = p->key, .data = data, .octets = (uint16_t)octets, .input = input, .direction = way};
    if (p->is_ciphered)
        gea_cipher_burst(p->kit->worker->gea, &job, 1);
}

/* --- the mobile's frames --- */

static void phone_send(struct phone *p)
{
    struct link_frame frame;
    while (link_next(&p->link, p->kit->now, &frame)) {
        uint8_t llc[1700];
        size_t octets = (size_t)frame.header_octets + frame.payload_octets;
        memcpy(llc, frame.header, frame.header_octets);
        if (frame.n_pdu)
            memcpy(llc + frame.header_octets, frame.n_pdu->data + frame.offset, frame.payload_octets);
        llc_fcs_put(llc + octets, llc_fcs(llc, octets));
        octets += LLC_FCS_OCTETS;
        if (frame.is_i)
            cipher(p, llc + frame.clear_octets, octets - frame.clear_octets, p->link.iov_i + frame.count,
                   GEA_UPLINK);
        fly(p, llc, octets, true);
    }
}

static void take_segment(struct phone *p, const uint8_t *info, size_t octets)
{
    struct sn_data in;
    int header = sn_data_decode(&in, info, octets);
    assert_true(header > 0);
    enum sn_fate fate = link_segment_take(&p->link, &in);
    assert_int_not_equal(fate, SN_ERROR);
    if (fate == SN_AGAIN)
        return;
    if (in.first)
        p->unit_octets = 0;
    memcpy(p->unit + p->unit_octets, info + header, octets - (size_t)header);
    p->unit_octets += octets - (size_t)header;
    if (fate != SN_WHOLE && fate != SN_END)
        return;
    /* In order, whole, once: its last octets say which one it is. */
    assert_int_equal(p->unit_octets, p->lengths[p->received]);
    assert_int_equal(p->unit[p->unit_octets - 2] << 8 | p->unit[p->unit_octets - 1], p->received);
    p->received++;
}

static void phone_receive(struct phone *p, uint8_t *llc, size_t octets)
{
    struct llc header;
    struct llc_abm abm;
    assert_true(llc_decode(&header, llc, octets) > 0);
    if (header.format == LLC_U) {
        assert_true(llc_fcs_is_right(llc, header.header_octets, header.info_octets, true));
        link_receive_u(&p->link, &header, llc + header.header_octets, p->kit->now);
        return;
    }
    int at = llc_abm_decode(&abm, llc, octets);
    assert_true(at > 0);
    size_t info = octets - (size_t)at - LLC_FCS_OCTETS;
    if (abm.is_i)
        cipher(p, llc + at, octets - (size_t)at, p->link.iov_i + abm_count(&p->link.abm, abm.ns),
               GEA_DOWNLINK);
    assert_true(llc_fcs_is_right(llc, header.header_octets, header.info_octets, true));
    uint8_t *frame = malloc(info + 2), *next;
    frame[0] = (uint8_t)(info >> 8);
    frame[1] = (uint8_t)info;
    memcpy(frame + 2, llc + at, info);
    struct abm_taken taken = link_receive(&p->link, &abm, frame, (uint32_t)info, p->kit->now);
    if (!taken.is_kept)
        free(frame);
    while ((next = link_deliver_take(&p->link))) {
        take_segment(p, next + 2, (size_t)next[0] << 8 | next[1]);
        free(next);
    }
}

/* --- the way --- */

/* UL-UNITDATA of the kit's mobile around an LLC-PDU. */
static void to_worker(struct kit *kit, const uint8_t *llc, size_t octets)
{
    uint8_t ns[1800] = {0, 0,    0,    KIT_BVCI, 1,    0xc0, 0, 0, 1, 0, 0,
                        4, 0x08, 0x88, 0,        0xf1, 0x10, 0, 1, 1, 0, 7};
    size_t at = 22;
    uint8_t frame[KIT_FRAME_OCTETS];
    ns[at++] = 0x0e;
    ns[at++] = (uint8_t)(octets >> 8);
    ns[at++] = (uint8_t)octets;
    memcpy(ns + at, llc, octets);
    kit_from_gb(kit, frame, gb_frame_wrap(frame, 0, ns, at + octets));
}

static void take_all_down(struct phone *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t len, octets = 0;
    while ((len = kit_take_gb(p->kit, frame)) > 0) {
        const uint8_t *llc = llc_of(frame, len, &octets);
        assert_int_equal(frame[15] >> 2, llc[1] < 0x80 ? 10 : 48); /* DSCP: I frames are users' */
        fly(p, llc, octets, false);
    }
}

static void take_all_up(struct phone *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t len;
    while ((len = kit_take_gn(p->kit, frame)) > 0) {
        assert_int_equal(frame[len - 2] << 8 | frame[len - 1], p->received_up);
        p->received_up++;
    }
}

/* Lets time pass until `until_ns`, or until nothing more happens. */
static void play(struct phone *p, int64_t until_ns)
{
    struct kit *kit = p->kit;
    for (unsigned i = 0; i < STEP_LIMIT && kit->now < until_ns; i++) {
        int64_t next_ns = kit_settle(kit);
        take_all_down(p);
        take_all_up(p);
        link_expire(&p->link, kit->now);
        phone_send(p);
        next_ns = moment_min(next_ns, p->link.due_ns);
        if (p->air)
            next_ns = moment_min(next_ns, p->air->at_ns);
        kit->now = moment_max(kit->now + 1, moment_min(next_ns, until_ns));
        while (p->air && p->air->at_ns <= kit->now) {
            struct flying *f = p->air;
            p->air = f->next;
            if (f->is_up)
                to_worker(kit, f->llc, f->octets);
            else
                phone_receive(p, f->llc, f->octets);
            free(f);
        }
    }
}

/* N-PDU number i down: UDP over IPv4 whose last octets are its number. */
static void down(struct phone *p, unsigned i, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {.teid = KIT_TEID, .inner_octets = octets, .seed = (uint16_t)i};
    size_t len = gn_frame_build(frame, &in);
    frame[len - 2] = (uint8_t)(i >> 8);
    frame[len - 1] = (uint8_t)i;
    p->lengths[i] = octets;
    kit_from_gn(p->kit, frame, len);
}

static void up(struct phone *p, unsigned i, uint16_t octets)
{
    struct own *own = calloc(1, sizeof *own);
    own->n_pdu.data = own->octets;
    own->n_pdu.octets = octets;
    own->references = 1;
    gn_frame_inner(own->octets, octets, (uint16_t)i);
    own->octets[octets - 2] = (uint8_t)(i >> 8);
    own->octets[octets - 1] = (uint8_t)i;
    p->own_left++;
    p->sent_up++;
    link_put(&p->link, &own->n_pdu, KIT_NSAPI);
    link_establish(&p->link, p->kit->now);
}

/* --- tests --- */

static const uint16_t lengths[] = {40, 1500, 64, 576, 493, 497, 1000, 100};

static void both_ways(struct phone *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        down(p, p->received + i, lengths[i % COUNT(lengths)]);
        if (i % 4 == 0)
            up(p, p->sent_up, lengths[(i / 4) % COUNT(lengths)]);
    }
}

KIT_TEST(nothing_is_lost, &options)
{
    struct phone p;
    phone_open(&p, kit, 300000);
    kit_flow(kit, 100000, 80000);
    both_ways(&p, 40);
    play(&p, kit->now + 600 * MOMENT_SECOND);
    assert_int_equal(p.received, 40);
    assert_int_equal(p.received_up, p.sent_up);
    assert_int_equal(p.abandoned, 0);
    assert_int_equal(kit->worker->stats.abm_held, 0);
    assert_true(kit->worker->stats.abm_repeated > 0);
    phone_close(&p);
}

KIT_TEST(without_loss_nothing_is_repeated, &options)
{
    struct phone p;
    phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    both_ways(&p, 40);
    play(&p, kit->now + 100 * MOMENT_SECOND);
    assert_int_equal(p.received, 40);
    assert_int_equal(p.received_up, p.sent_up);
    assert_int_equal(kit->worker->stats.abm_repeated, 0);
    assert_int_equal(kit->worker->stats.abm_established, 1);
    assert_int_equal(p.opened, 1);
    phone_close(&p);
}

static struct kit_options few_buffers(void)
{
    struct kit_options few = options;
    few.abm.buffers = 3;
    return few;
}

TEST(with_three_buffers)
{
    struct kit kit;
    struct phone p;
    const struct kit_options few = few_buffers();
    kit_open(&kit, &few);
    phone_open(&p, &kit, 0);
    kit_flow(&kit, 100000, 800000);
    both_ways(&p, 20);
    for (unsigned i = 0; i < 200 && p.received < 20; i++) {
        play(&p, kit.now + 10 * KIT_MS);
        assert_true(kit.worker->stats.abm_held <= 3);
    }
    assert_int_equal(p.received, 20);
    phone_close(&p);
    kit_close(&kit);
}

static void switch_key(struct phone *p, uint8_t first)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    msg.cipher = (struct llc_cipher_params){.algorithm = 4, .kc_octets = 16, .iov_ui = first};
    for (unsigned i = 0; i < 16; i++)
        msg.cipher.kc[i] = (uint8_t)(first + i);
    kit_do(p->kit, &msg);
    memcpy(p->key, msg.cipher.kc, 16);
    p->is_ciphered = true;
}

/* Another key in the middle: acknowledged mode is established again, and nothing is lost. */
KIT_TEST(ciphered_and_another_key, &options)
{
    struct phone p;
    phone_open(&p, kit, 100000);
    kit_flow(kit, 3000, 40000);
    switch_key(&p, 3);
    both_ways(&p, 30);
    play(&p, kit->now + 2500 * KIT_MS);
    assert_true(p.received > 0 && p.received < 30);
    while (p.air) { /* frames with the former key */
        struct flying *next = p.air->next;
        free(p.air);
        p.air = next;
    }
    switch_key(&p, 77);
    play(&p, kit->now + 600 * MOMENT_SECOND);
    assert_int_equal(p.received, 30);
    assert_int_equal(p.received_up, p.sent_up);
    assert_true(kit->worker->stats.abm_established > 1);
    phone_close(&p);
}

/* Bmax and R hold for all frames, repetitions too. */
KIT_TEST(buckets_are_charged, &options)
{
    struct phone p;
    phone_open(&p, kit, 300000);
    kit_flow(kit, 3000, 8000);
    for (unsigned i = 0; i < 60; i++)
        down(&p, i, 500);
    int64_t began_ns = kit->now;
    for (unsigned i = 0; i < 4000 && p.received < 60; i++)
        play(&p, kit->now + 100 * KIT_MS);
    assert_int_equal(p.received, 60);
    /* 60 x 510 octets are 30.6 kB; at 1 kB/s, of which 3 kB at once, they take 27.6 s, and repetitions more.
     */
    double repeated = (double)kit->worker->stats.abm_repeated;
    assert_true((double)(kit->now - began_ns) > (27.6 + repeated * 0.5 - 3) * MOMENT_SECOND);
    phone_close(&p);
}

/* Suspended: nothing is sent, and T201 does not run out. */
KIT_TEST(suspended, &options)
{
    struct phone p;
    struct msg msg = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    both_ways(&p, 8);
    play(&p, kit->now + 60 * KIT_MS);
    kit_do(kit, &msg);
    uint64_t frames = kit->worker->stats.abm_frames;
    p.loss_ppm = 1000000 - 1;
    play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_frames, frames);
    assert_int_equal(kit->worker->stats.abm_failed, 0);
    p.loss_ppm = 0;
    msg.is_suspended = false;
    kit_do(kit, &msg);
    play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(p.received, 8);
    phone_close(&p);
}

/* A phone that refuses: N-PDUs wait until they are too old; each new one asks again. */
KIT_TEST(refused, &options)
{
    struct phone p;
    phone_open(&p, kit, 999999);
    kit_flow(kit, 100000, 80000);
    down(&p, 0, 100);
    play(&p, kit->now + 100 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_failed, 1);
    assert_int_equal(kit->worker->stats.abm_frames, 1 + 8);
    p.loss_ppm = 0;
    down(&p, 1, 100);
    play(&p, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(p.received, 2);
    phone_close(&p);
}

/* The context ends with N-PDUs on their way. */
KIT_TEST(deleted, &options)
{
    struct phone p;
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0};
    phone_open(&p, kit, 300000);
    kit_flow(kit, 100000, 80000);
    both_ways(&p, 20);
    play(&p, kit->now + 300 * KIT_MS);
    kit_do(kit, &del);
    assert_int_equal(kit->worker->stats.abm_held, 0);
    play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(kit->worker->abm.free_count, options.abm.links);
    assert_int_equal(p.link.state, LINK_ADM);
    phone_close(&p);
}

/* FLUSH-LL-ACK says that the former cell deleted its frames. */
KIT_TEST(flushed, &options)
{
    struct phone p;
    struct msg msg = {.type = MSG_MS_FLUSHED, .tlli = KIT_TLLI, .flush = {.octets = 1, .to = GB_BVC_NONE}};
    phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    both_ways(&p, 8);
    play(&p, kit->now + 120 * KIT_MS);
    while (p.air) {
        struct flying *next = p.air->next;
        free(p.air);
        p.air = next;
    }
    kit_do(kit, &msg);
    play(&p, kit->now + 1900 * KIT_MS); /* less than T201 */
    assert_int_equal(p.received, 8);
    assert_true(kit->worker->stats.abm_repeated > 0);
    phone_close(&p);
}

/* XID raises N201-U above N201-I: segments stay within both. */
TEST(n201_u_above_n201_i)
{
    struct kit kit;
    struct phone p;
    struct kit_options short_frames = options;
    struct msg msg = {.type = MSG_MS_N201, .n201_u_octets = 1503};
    short_frames.abm.values.n201_i_octets = 200;
    kit_open(&kit, &short_frames);
    phone_open(&p, &kit, 0);
    kit_flow(&kit, 100000, 80000);
    down(&p, 0, 100);
    play(&p, kit.now + MOMENT_SECOND);
    kit_do(&kit, &msg);
    for (unsigned i = 1; i < 20; i++)
        down(&p, i, lengths[i % COUNT(lengths)]);
    play(&p, kit.now + 100 * MOMENT_SECOND);
    assert_int_equal(p.received, 20);
    phone_close(&p);
    kit_close(&kit);
}

/* The context is activated again before the mobile has answered DISC. */
KIT_TEST(joined_while_it_is_released, &options)
{
    struct phone p;
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0}, add = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    add.pdp.is_acknowledged = true;
    phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    down(&p, 0, 100);
    play(&p, kit->now + MOMENT_SECOND);
    kit_do(kit, &del);
    kit_do(kit, &add);
    link_forget(&p.link, KIT_NSAPI);
    down(&p, 1, 100);
    play(&p, kit->now + 10 * MOMENT_SECOND);
    down(&p, 2, 100);
    play(&p, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(p.received, 3);
    assert_int_equal(kit->worker->abm.free_count, options.abm.links - 1);
    phone_close(&p);
}

/* T200 of a mobile that asked for a long one is not that of the next. */
KIT_TEST(another_t200, &options)
{
    struct phone p;
    phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    p.kind.values.t200_ds = 4095;
    up(&p, 0, 100);
    play(&p, kit->now + MOMENT_SECOND);
    down(&p, 0, 100);
    kit_settle(kit);
    kit_drain(&kit->gb); /* T201 of 409.5 s runs */
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0}, add = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    add.pdp.is_acknowledged = true;
    kit_do(kit, &del);
    play(&p, kit->now + MOMENT_SECOND);
    kit_do(kit, &add);
    uint64_t frames = kit->worker->stats.abm_frames;
    p.loss_ppm = 999999;
    down(&p, 1, 100);
    play(&p, kit->now + 7 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_frames - frames, 1 + 3); /* SABM, each 2 s */
    phone_close(&p);
}

UNIT_MAIN(kit_start, NULL)
