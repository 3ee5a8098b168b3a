/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/worker/gb_phone.h"

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { GB_HEADERS = 42, NS_HEADER = 4, STEP_LIMIT = 100000 };

#define WAY_NS (INT64_C(50) * KIT_MS)

const struct kit_options gb_phone_options = {
    .abm = {.links = 2,
            .buffers = 64,
            .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 16, .k_up = 8, .n200 = 8},
            .seed = 1},
    .gb_marking = {.dscp = {[QCLASS_SIGNALLING] = 48, [QCLASS_BACKGROUND] = 10}},
    .compression = {.entities = 4,
                    .slots = 4,
                    .codewords = 2048,
                    .string_octets = 20,
                    .directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK,
                    .is_acknowledged = true},
    .n201_u = 500,
    .no_uplink_filter = true,
    .gn_mtu_octets = 2000,
};

/* A frame on its way. */
struct gb_phone_frame {
    struct gb_phone_frame *next;
    int64_t at_ns;
    bool is_up;
    size_t octets;
    uint8_t llc[1600];
};

/* An N-PDU of the mobile's. */
struct own {
    struct n_pdu n_pdu;
    unsigned references;
    uint16_t whole_octets;
    uint8_t octets[1600], image[1600];
};

static void own_hold(void *arg, struct n_pdu *n_pdu)
{
    ((struct own *)(void *)n_pdu)->references++;
}

static void own_let_go(void *arg, struct n_pdu *n_pdu)
{
    struct gb_phone *p = arg;
    struct own *own = (struct own *)(void *)n_pdu;
    if (--own->references > 0)
        return;
    p->own_left--;
    free(own);
}

static void own_abandon(void *arg, struct n_pdu *n_pdu)
{
    ((struct gb_phone *)arg)->abandoned++;
    own_let_go(arg, n_pdu);
}

static void own_drop(void *arg, void *frame)
{
    free(frame);
}

static void own_opened(void *arg, struct link *link)
{
    struct gb_phone *p = arg;
    p->opened++;
    compression_restart(p->entities, KIT_SAPI);
}

static void own_pack(void *arg, struct n_pdu *n_pdu)
{
    struct gb_phone *p = arg;
    struct own *own = (struct own *)(void *)n_pdu;
    struct compression_n_pdu packed = {.data = own->image,
                                       .octets = n_pdu->octets,
                                       .sapi = KIT_SAPI,
                                       .nsapi = KIT_NSAPI,
                                       .is_acknowledged = true,
                                       .is_ip = true};
    memcpy(own->image, n_pdu->data, n_pdu->octets);
    compression_pack(p->entities, &p->scratch, &packed);
    own->whole_octets = n_pdu->octets;
    n_pdu->comp = packed.comp;
    n_pdu->data = packed.data;
    n_pdu->octets = packed.octets;
}

static void own_unpack(void *arg, struct n_pdu *n_pdu)
{
    struct own *own = (struct own *)(void *)n_pdu;
    n_pdu->data = own->octets;
    n_pdu->octets = own->whole_octets;
    n_pdu->comp = 0;
}

static void own_failed(void *arg, struct link *link)
{
}

static void start(struct gb_phone *p, struct kit *kit, uint32_t loss_ppm)
{
    *p = (struct gb_phone){.kit = kit, .loss_ppm = loss_ppm};
    p->kind = (struct link_kind){.values = kit->options.abm.values,
                                 .hold = own_hold,
                                 .let_go = own_let_go,
                                 .abandon = own_abandon,
                                 .drop = own_drop,
                                 .opened = own_opened,
                                 .failed = own_failed,
                                 .pack = own_pack,
                                 .unpack = own_unpack,
                                 .packs_again = true,
                                 .arg = p};
    rng_init(&p->rng, 7, 1);
    link_init(&p->link, &p->kind, KIT_SAPI, p->sent, p->stored);
}

static void add_context(struct gb_phone *p, uint32_t index)
{
    struct msg add = kit_pdp(index, index, KIT_NSAPI, KIT_TEID + index);
    add.pdp.is_acknowledged = true;
    p->index = index;
    kit_do(p->kit, &add);
}

void gb_phone_open(struct gb_phone *p, struct kit *kit, uint32_t loss_ppm)
{
    const struct msg del = {.type = MSG_PDP_DEL, .slot = 0};
    start(p, kit, loss_ppm);
    kit_do(kit, &del);
    add_context(p, 0);
}

void gb_phone_open_other(struct gb_phone *p, struct kit *kit, uint32_t index)
{
    const struct msg add = kit_ms(kit, index, KIT_TLLI + index);
    start(p, kit, 0);
    kit_do(kit, &add);
    add_context(p, index);
}

static void agree(struct gb_phone *p, const struct compression_params *params)
{
    struct msg order = {.type = MSG_MS_COMPRESSION,
                        .slot = p->index,
                        .compression = {compression_pool_take(&p->pool, params->kind), *params}};
    struct compression_entity *own = compression_pool_take(&p->pool, params->kind);
    kit_do(p->kit, &order);
    compression_start(own, params, false);
    own->next = p->entities;
    p->entities = own;
}

void gb_phone_compress(struct gb_phone *p)
{
    const struct compression_params header = {.nsapis = 1u << KIT_NSAPI,
                                              .slots = 4,
                                              .kind = COMPRESSION_RFC1144,
                                              .sapi = KIT_SAPI,
                                              .first = 1,
                                              .second = 2},
                                    data = {.nsapis = 1u << KIT_NSAPI,
                                            .codewords = 2048,
                                            .string_octets = 20,
                                            .directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK,
                                            .kind = COMPRESSION_V42BIS,
                                            .sapi = KIT_SAPI,
                                            .number = 1,
                                            .first = 1};
    assert_true(compression_pool_new(&p->pool, &gb_phone_options.compression));
    assert_true(compression_scratch_new(&p->scratch, &gb_phone_options.compression));
    agree(p, &header);
    agree(p, &data);
}

void gb_phone_lose_air(struct gb_phone *p)
{
    while (p->air) {
        struct gb_phone_frame *next = p->air->next;
        free(p->air);
        p->air = next;
    }
}

void gb_phone_close(struct gb_phone *p)
{
    link_empty(&p->link, NULL);
    compression_scratch_free(&p->scratch);
    compression_pool_free(&p->pool);
    assert_int_equal(p->own_left, 0);
    gb_phone_lose_air(p);
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

static void fly(struct gb_phone *p, const uint8_t *llc, size_t octets, bool is_up)
{
    if (rng_chance_ppm(&p->rng, p->loss_ppm))
        return;
    struct gb_phone_frame *f = calloc(1, sizeof *f), **end = &p->air;
    f->at_ns = p->kit->now + WAY_NS;
    f->is_up = is_up;
    f->octets = octets;
    memcpy(f->llc, llc, octets);
    while (*end)
        end = &(*end)->next;
    *end = f;
}

static void cipher(const struct gb_phone *p, uint8_t *data, size_t octets, uint32_t input,
                   enum gea_direction way)
{
    struct gea_job job = {
        .key = p->key, .data = data, .octets = (uint16_t)octets, .input = input, .direction = way};
    if (p->is_ciphered)
        gea_cipher_burst(p->kit->worker->gea, &job, 1);
}

/* --- the mobile's frames --- */

static void phone_send(struct gb_phone *p)
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

static void take_segment(struct gb_phone *p, const uint8_t *info, size_t octets)
{
    struct sn_data in;
    int header = sn_data_decode(&in, info, octets);
    assert_true(header > 0);
    enum sn_fate fate = link_segment_take(&p->link, &in);
    assert_int_not_equal(fate, SN_ERROR);
    if (fate == SN_AGAIN)
        return;
    if (in.first) {
        p->unit_octets = 0;
        p->unit_comp = in.comp;
    }
    memcpy(p->unit + p->unit_octets, info + header, octets - (size_t)header);
    p->unit_octets += octets - (size_t)header;
    if (fate != SN_WHOLE && fate != SN_END && !sn_fate_is_old(fate))
        return;
    struct compression_n_pdu n_pdu = {.data = p->unit,
                                      .octets = (uint16_t)p->unit_octets,
                                      .sapi = KIT_SAPI,
                                      .nsapi = KIT_NSAPI,
                                      .comp = p->unit_comp,
                                      .is_acknowledged = true};
    if (n_pdu.comp)
        assert_int_equal(compression_unpack(p->entities, &p->scratch, &n_pdu, GB_PHONE_ROOM),
                         COMPRESSION_DONE);
    if (sn_fate_is_old(fate))
        return;
    /* In order, whole, once: its last octets say which one it is. */
    assert_int_equal(n_pdu.octets, p->lengths[p->received]);
    assert_int_equal(n_pdu.data[n_pdu.octets - 2] << 8 | n_pdu.data[n_pdu.octets - 1], p->received);
    p->received++;
}

static void phone_receive(struct gb_phone *p, uint8_t *llc, size_t octets)
{
    struct llc header;
    struct llc_abm abm;
    assert_true(llc_decode(&header, llc, octets) > 0);
    if (header.format == LLC_U) {
        assert_true(llc_fcs_is_right(llc, header.header_octets, header.info_octets, true));
        link_receive_u(&p->link, &header, llc + header.header_octets, p->kit->now);
        return;
    }
    if (p->link.state == LINK_SETUP) /* it has no count and no IOV-I yet, and would be ignored */
        return;
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

/* UL-UNITDATA around an LLC-PDU of the mobile's. */
static void to_worker(const struct gb_phone *p, const uint8_t *llc, size_t octets)
{
    uint8_t ns[1800] = {0, 0,    0,    KIT_BVCI, 1,    0xc0, 0, 0, 1, 0, 0,
                        4, 0x08, 0x88, 0,        0xf1, 0x10, 0, 1, 1, 0, 7};
    size_t at = 22;
    uint8_t frame[KIT_FRAME_OCTETS];
    ns[3] = p->bvci ? p->bvci : KIT_BVCI;
    bytes_put_u32(ns + 5, KIT_TLLI + p->index);
    ns[at++] = 0x0e;
    ns[at++] = (uint8_t)(octets >> 8);
    ns[at++] = (uint8_t)octets;
    memcpy(ns + at, llc, octets);
    kit_from_gb(p->kit, frame, gb_frame_wrap(frame, 0, ns, at + octets));
}

static void take_all_down(struct gb_phone *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t len, octets = 0;
    while ((len = kit_take_gb(p->kit, frame)) > 0) {
        const uint8_t *llc = llc_of(frame, len, &octets);
        assert_int_equal(frame[15] >> 2, llc[1] < 0x80 ? 10 : 48); /* DSCP: I frames are users' */
        fly(p, llc, octets, false);
    }
}

void gb_phone_land(struct gb_phone *p, bool is_up)
{
    for (const struct gb_phone_frame *f = p->air; f; f = f->next) {
        uint8_t llc[sizeof f->llc];
        memcpy(llc, f->llc, f->octets);
        if (f->is_up && is_up)
            to_worker(p, llc, f->octets);
        else if (!f->is_up && !is_up)
            phone_receive(p, llc, f->octets);
    }
}

void gb_phone_go(struct gb_phone *p, struct kit *kit)
{
    gb_phone_lose_air(p);
    p->kit = kit;
}

static void take_all_up(struct gb_phone *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t len;
    while ((len = kit_take_gn(p->kit, frame)) > 0) {
        assert_int_equal(frame[len - 2] << 8 | frame[len - 1], p->received_up);
        p->received_up++;
    }
}

void gb_phone_play(struct gb_phone *p, int64_t until_ns)
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
            struct gb_phone_frame *f = p->air;
            p->air = f->next;
            if (f->is_up)
                to_worker(p, f->llc, f->octets);
            else
                phone_receive(p, f->llc, f->octets);
            free(f);
        }
    }
}

/* With compression it is a segment of TCP with a text. */
static void make_tcp(const struct gb_phone *p, uint8_t *ip, unsigned i, uint16_t octets)
{
    uint32_t sum = 0;
    if (!p->entities || octets < 42)
        return;
    ip[1] = 0;
    memset(ip + 6, 0, 6);
    ip[8] = 64;
    ip[9] = 6;
    bytes_put_u16(ip + 4, (uint16_t)i);
    memset(ip + 12, 1, 12);
    for (unsigned k = 0; k < 20; k += 2)
        sum += bytes_get_u16(ip + k);
    bytes_put_u16(ip + 10, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
    bytes_put_u32(ip + 24, 1000 * i);
    bytes_put_u32(ip + 28, i);
    memcpy(ip + 32, "\x50\x10\x10\0\0\0\0\0", 8);
    for (unsigned k = 40; k < octets; k++)
        ip[k] = (uint8_t) "a page of text, "[k * k % 251 % 16];
}

void gb_phone_down(struct gb_phone *p, unsigned i, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {.teid = KIT_TEID + p->index, .inner_octets = octets, .seed = (uint16_t)i};
    size_t len = gn_frame_build(frame, &in);
    make_tcp(p, frame + GN_FRAME_INNER, i, octets);
    frame[len - 2] = (uint8_t)(i >> 8);
    frame[len - 1] = (uint8_t)i;
    p->lengths[i] = octets;
    kit_from_gn(p->kit, frame, len);
}

static struct own *own_new(struct gb_phone *p, unsigned i, uint16_t octets)
{
    struct own *own = calloc(1, sizeof *own);
    own->n_pdu.data = own->octets;
    own->n_pdu.octets = octets;
    own->references = 1;
    gn_frame_inner(own->octets, octets, (uint16_t)i);
    make_tcp(p, own->octets, i, octets);
    own->octets[octets - 2] = (uint8_t)(i >> 8);
    own->octets[octets - 1] = (uint8_t)i;
    p->own_left++;
    return own;
}

void gb_phone_up_of(struct gb_phone *p, uint8_t nsapi, uint16_t octets)
{
    link_put(&p->link, &own_new(p, 0, octets)->n_pdu, nsapi);
    link_establish(&p->link, p->kit->now);
}

void gb_phone_up(struct gb_phone *p, unsigned i, uint16_t octets)
{
    p->sent_up++;
    link_put(&p->link, &own_new(p, i, octets)->n_pdu, KIT_NSAPI);
    link_establish(&p->link, p->kit->now);
}

static const uint16_t lengths[] = {40, 1500, 64, 576, 493, 497, 1000, 100};

void gb_phone_both_ways(struct gb_phone *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        gb_phone_down(p, p->received + i, lengths[i % COUNT(lengths)]);
        if (i % 4 == 0)
            gb_phone_up(p, p->sent_up, lengths[(i / 4) % COUNT(lengths)]);
    }
}

void gb_phone_switch_key(struct gb_phone *p, uint8_t first)
{
    struct msg msg = {.type = MSG_MS_CIPHER, .slot = p->index};
    msg.cipher = (struct llc_cipher_params){.algorithm = 4, .kc_octets = 16, .iov_ui = first};
    for (unsigned i = 0; i < 16; i++)
        msg.cipher.kc[i] = (uint8_t)(first + i);
    kit_do(p->kit, &msg);
    memcpy(p->key, msg.cipher.kc, 16);
    p->is_ciphered = true;
}
