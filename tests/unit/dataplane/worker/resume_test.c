/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile in acknowledged mode goes from one SGSN to another: two workers, each N-PDU once and in order,
 * whenever it goes, whatever of the frames on the way arrives. */
#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/worker/gb_phone.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

#define S        MOMENT_SECOND
#define OTHER_IP 0xc0000216u /* the other SGSN, for each of both */
#define GN_PN    0x31        /* flags with an N-PDU number */

enum { DOWN = 24, UP = 8, UP_LATE = 3, LATE = 2, STEP_MS = 23, LAST_MS = 3000 };

/* What of the frames on the way arrives after the cut. */
enum air { AIR_NOTHING, AIR_DOWN, AIR_BOTH, AIR_KINDS };

struct way {
    int64_t cut_ns;
    uint32_t loss_ppm;
    enum air air;
    bool tells; /* ACCEPT and COMPLETE have the Receive N-PDU Numbers list (TS 24.008 clause 10.5.5.11) */
    bool is_ciphered;
};

struct pair {
    struct way way;
    struct kit old, new;
    struct gb_phone phone;
    struct msg_n_pdu_numbers told; /* of the old SGSN */
    unsigned numbered;             /* N-PDUs that came with a number */
    unsigned down;                 /* N-PDUs so far */
};

static void down(struct pair *p, unsigned count)
{
    static const uint16_t lengths[] = {40, 900, 64, 576, 1400, 497, 300, 100};
    for (; count > 0; count--, p->down++)
        gb_phone_down(&p->phone, p->down, lengths[p->down % COUNT(lengths)]);
}

static void hold(struct kit *kit, bool is_held, struct msg_n_pdu_numbers *numbers)
{
    struct msg msg = {.type = MSG_MS_HOLD, .is_held = is_held};
    assert_true(msg_put(kit->worker->rings.to_worker, &msg));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg) && msg.type == MSG_ANSWER && msg.answer.status == 0);
    *numbers = msg.answer.n_pdus;
}

/* What has left on Gn: uplink N-PDUs, and those for the new SGSN, which has them at once. */
static void carry(struct pair *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets;
    while ((octets = kit_take_gn(&p->old, frame)) > 0) {
        if (bytes_get_u32(frame + GN_FRAME_IP + 16) != OTHER_IP) {
            assert_int_equal(bytes_get_u16(frame + octets - 2), p->phone.received_up);
            p->phone.received_up++;
            continue;
        }
        p->numbered += frame[GN_FRAME_GTP] == GN_PN;
        bytes_put_u32(frame + GN_FRAME_IP + 12, OTHER_IP);
        bytes_put_u32(frame + GN_FRAME_IP + 16, KIT_SGSN_IP);
        gn_frame_sum_ip(frame + GN_FRAME_IP);
        bytes_put_u16(frame + GN_FRAME_UDP + 6, 0);
        kit_from_gn(&p->new, frame, octets);
    }
}

/* At the old SGSN until the cut, and what comes there afterwards. */
static void begin(struct pair *p)
{
    kit_open(&p->old, &gb_phone_options);
    gb_phone_open(&p->phone, &p->old, p->way.loss_ppm);
    kit_flow(&p->old, 3000, 64000);
    if (p->way.is_ciphered)
        gb_phone_switch_key(&p->phone, 1);
    down(p, DOWN);
    for (unsigned i = 0; i < UP; i++)
        gb_phone_up(&p->phone, i, (uint16_t)(100 + 300 * (i % 4)));
    gb_phone_play(&p->phone, p->old.now + p->way.cut_ns);
    for (unsigned i = 0; i < UP_LATE; i++)
        gb_phone_up(&p->phone, UP + i, 100);
    gb_phone_play(&p->phone, p->old.now + 10 * KIT_MS); /* they are on their way */
    if (p->way.air != AIR_NOTHING)
        gb_phone_land(&p->phone, false);
    hold(&p->old, true, &p->told);
    if (p->way.air == AIR_BOTH)
        gb_phone_land(&p->phone, true);
}

/* The steps of the new SGSN in their order: hold, contexts, mode of LLC, the address that forwards. */
static void arrive(struct pair *p)
{
    const struct msg from = {.type = MSG_PDP_FROM, .forwarder_ip = OTHER_IP};
    const struct msg to = {.type = MSG_PDP_FORWARD,
                           .forward = {.ip = OTHER_IP, .teid = KIT_TEID, .nsapi = KIT_NSAPI}};
    const struct msg mode = {.type = MSG_PDP_LLC,
                             .llc_mode = {.is_acknowledged = true,
                                          .is_continued = true,
                                          .send = p->told.send[0],
                                          .receive = p->told.receive[0]}};
    struct msg_n_pdu_numbers none;
    assert_int_equal(p->told.nsapis, 1);
    kit_open(&p->new, &gb_phone_options);
    p->new.now = p->old.now;
    kit_flow(&p->new, 3000, 64000);
    hold(&p->new, true, &none);
    kit_do(&p->new, &mode);
    kit_do(&p->new, &from);
    kit_do(&p->old, &to);
    carry(p);
    down(p, LATE);
    carry(p);
    gb_phone_go(&p->phone, &p->new);
    down(p, LATE);
}

/* RAU ACCEPT and COMPLETE. */
static void accept(struct pair *p)
{
    const struct msg received = {
        .type = MSG_MS_RECEIVED,
        .received = {.nsapi = KIT_NSAPI, .number = p->phone.link.in[KIT_NSAPI - LINK_NSAPI_MIN].number}};
    struct msg_n_pdu_numbers none;
    if (p->way.is_ciphered)
        gb_phone_switch_key(&p->phone, 77);
    if (p->way.tells) {
        link_confirm(&p->phone.link, KIT_NSAPI, p->told.receive[0]);
        kit_do(&p->new, &received);
    }
    assert_int_equal(kit_drain(&p->new.gb), 0);
    hold(&p->new, false, &none);
    down(p, LATE);
}

static void end(struct pair *p)
{
    gb_phone_close(&p->phone);
    kit_close(&p->old);
    kit_close(&p->new);
}

/* Returns the N-PDUs that the list of COMPLETE spares, and adds those that were forwarded with numbers. */
static uint64_t play(const struct way *way, unsigned *numbered)
{
    struct pair p = {.way = *way};
    begin(&p);
    arrive(&p);
    accept(&p);
    gb_phone_play(&p.phone, p.new.now + 120 * S);
    assert_int_equal(p.phone.received, DOWN + 3 * LATE);
    assert_int_equal(p.phone.received_up, UP + UP_LATE);
    assert_int_equal(p.phone.abandoned + p.phone.own_left, 0);
    assert_int_equal(p.old.worker->stats.abm_abandoned + p.new.worker->stats.abm_abandoned, 0);
    assert_int_equal(p.new.worker->stats.npdu_in, p.new.worker->stats.npdu_out);
    uint64_t confirmed = p.new.worker->stats.forward_confirmed;
    *numbered += p.numbered;
    end(&p);
    return confirmed;
}

/* All moments; returns what play() does, in sum. */
static uint64_t play_all(struct way way)
{
    uint64_t confirmed = 0;
    unsigned numbered = 0;
    for (unsigned ms = 0; ms < LAST_MS; ms += STEP_MS) {
        way.cut_ns = ms * KIT_MS;
        way.air = ms % AIR_KINDS;
        confirmed += play(&way, &numbered);
    }
    assert_true(numbered > LAST_MS / STEP_MS / 2);
    assert_true(confirmed <= numbered);
    return confirmed;
}

TEST(each_once_at_any_moment)
{
    assert_true(play_all((struct way){.tells = true}) > 0);
}

/* SNDCP of the mobile drops what it has, by the numbers. */
TEST(without_the_list)
{
    assert_int_equal(play_all((struct way){.tells = false}), 0);
}

TEST(with_losses)
{
    assert_true(play_all((struct way){.tells = true, .loss_ppm = 150000}) > 0);
    assert_int_equal(play_all((struct way){.tells = false, .loss_ppm = 150000}), 0);
}

TEST(with_another_key)
{
    assert_true(play_all((struct way){.tells = true, .is_ciphered = true}) > 0);
}

/* --- numbers that are of no use --- */

/* N-PDU i comes with an N-PDU number. */
static void put_numbered(struct gb_phone *p, uint32_t from, unsigned i, uint8_t number)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 100, .seed = (uint16_t)i, .gtp_flags = 1};
    size_t octets = gn_frame_build(frame, &in);
    bytes_put_u32(frame + GN_FRAME_IP + 12, from);
    gn_frame_sum_ip(frame + GN_FRAME_IP);
    frame[GN_FRAME_GTP + 10] = number;
    bytes_put_u16(frame + octets - 2, (uint16_t)i);
    p->lengths[i] = in.inner_octets;
    kit_from_gn(p->kit, frame, octets);
}

/* A number that does not follow the one before, or that the new SGSN gives itself, that comes from a GGSN, or
 * after the hold: the N-PDU has the next one. */
KIT_TEST(odd_numbers, &gb_phone_options)
{
    const struct msg from = {.type = MSG_PDP_FROM, .forwarder_ip = OTHER_IP};
    const struct msg mode = {
        .type = MSG_PDP_LLC,
        .llc_mode = {.is_acknowledged = true, .is_continued = true, .send = 2, .receive = 0}};
    static const struct {
        uint32_t from;
        uint8_t number;
        bool is_kept;
    } rows[] = {{OTHER_IP, 254, true},  {OTHER_IP, 1, true},  {OTHER_IP, 1, false},
                {OTHER_IP, 255, false}, {OTHER_IP, 2, false}, {KIT_GGSN_IP, 1, false}};
    struct msg_n_pdu_numbers numbers;
    struct gb_phone p;
    unsigned kept = 0;
    gb_phone_open(&p, kit, 0);
    link_continue(&p.link, KIT_NSAPI, 0, 254);
    kit_flow(kit, 3000, 64000);
    hold(kit, true, &numbers);
    kit_do(kit, &mode);
    kit_do(kit, &from);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        put_numbered(&p, rows[i].from, i, rows[i].number);
        kept += rows[i].is_kept;
        assert_int_equal(kit->worker->stats.abm_held, kept);
    }
    hold(kit, true, &numbers);
    assert_int_equal(numbers.send[0], 2);
    hold(kit, false, &numbers);
    put_numbered(&p, OTHER_IP, COUNT(rows), 1);
    gb_phone_play(&p, kit->now + 20 * S);
    assert_int_equal(p.received, COUNT(rows) + 1);
    hold(kit, true, &numbers);
    assert_int_equal(numbers.send[0], 2 + COUNT(rows) + 1 - kept);
    gb_phone_close(&p);
}

/* What the mobile says of contexts that are not there, or not in acknowledged mode. */
KIT_TEST(received_of_no_use, &gb_phone_options)
{
    struct msg received = {.type = MSG_MS_RECEIVED, .received = {.nsapi = KIT_NSAPI, .number = 7}};
    kit_do(kit, &received);
    received.received.nsapi = KIT_NSAPI + 1;
    assert_int_equal(kit_order(kit, &received), -1);
    received.received.nsapi = 200;
    assert_int_equal(kit_order(kit, &received), -1);
    assert_int_equal(kit->worker->stats.forward_confirmed, 0);
}

/* The mobile expects a later number than the worker would give: N-PDUs before it would be dropped as old
 * ones. */
KIT_TEST(received_more, &gb_phone_options)
{
    const struct msg received = {.type = MSG_MS_RECEIVED, .received = {.nsapi = KIT_NSAPI, .number = 7}};
    struct gb_phone p;
    gb_phone_open(&p, kit, 0);
    link_continue(&p.link, KIT_NSAPI, 0, 7);
    kit_flow(kit, 3000, 64000);
    kit_do(kit, &received);
    for (unsigned i = 0; i < 9; i++)
        gb_phone_down(&p, i, 100);
    gb_phone_play(&p, kit->now + 20 * S);
    assert_int_equal(p.received, 9);
    gb_phone_close(&p);
}

UNIT_MAIN(kit_start, NULL)
