/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's stack in acknowledged mode against an SGSN's side of the link, over a channel that loses frames.
 */
#include "sim/ms_stack.h"

#include "dataplane/abm/link.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "tests/unit/sim/segment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

enum {
    SAPI = 3,
    NSAPI = 5,
    MOST_NPDUS = 400,
    FRAME_OCTETS = 1600,
    MOST_FRAMES = 1024,
    DELAY_MS = 100,
    IOV_UI = 77
};

static const struct link_values bounds = {
    .n201_i_octets = 500, .t200_ds = 10, .k_down = 16, .k_up = 8, .n200 = 15};

/* An N-PDU's octets follow from its number and way. */
static uint8_t octet_of(bool is_down, unsigned number, size_t place)
{
    return (uint8_t)(place == 0 ? number : place == 1 ? number >> 8 : place * 7 + number * 13 + is_down);
}

static void fill(uint8_t *bytes, size_t octets, bool is_down, unsigned number)
{
    for (size_t i = 0; i < octets; i++)
        bytes[i] = octet_of(is_down, number, i);
}

/* Sizes in turn: one segment, two, several, the longest. */
static size_t octets_of(unsigned number)
{
    static const size_t sizes[] = {40, 497, 498, 1500, 576, MS_STACK_NPDU_OCTETS, 3};
    return sizes[number % COUNT(sizes)];
}

/* --- the channel --- */

struct frame {
    int64_t at_ns;
    size_t octets;
    uint8_t bytes[FRAME_OCTETS];
};

struct channel {
    struct frame *frames;
    unsigned first, count;
};

/* The SGSN's side. */
struct network {
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[128];
    void *stored[128];
    struct n_pdu n_pdus[MOST_NPDUS];
    int references[MOST_NPDUS];
    unsigned taken; /* uplink N-PDUs */
    uint8_t n_pdu[MS_STACK_NPDU_OCTETS];
    size_t octets; /* of the one in reassembly */
    uint32_t iov;
    unsigned repeated;
};

struct world {
    struct ms_stack stack;
    struct network net;
    struct channel up, down;
    struct rng rng;
    uint32_t loss_ppm;
    int64_t now;
    unsigned taken; /* downlink N-PDUs */
    unsigned lost;
    bool is_lost_up; /* all uplink frames */
    uint64_t hash;   /* of all frames */
};

static void transmit(struct world *w, struct channel *channel, const uint8_t *bytes, size_t octets)
{
    assert_true(octets <= FRAME_OCTETS && channel->count < MOST_FRAMES);
    for (size_t i = 0; i < octets; i++)
        w->hash = (w->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    if ((w->loss_ppm && rng_chance_ppm(&w->rng, w->loss_ppm)) || (w->is_lost_up && channel == &w->up)) {
        w->lost++;
        return;
    }
    struct frame *frame = &channel->frames[(channel->first + channel->count++) % MOST_FRAMES];
    frame->at_ns = w->now + DELAY_MS * MS;
    frame->octets = octets;
    memcpy(frame->bytes, bytes, octets);
}

static void sends_up(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct world *w = arg;
    transmit(w, &w->up, llc_pdu, octets);
}

/* --- the SGSN's side of the link --- */

static void hold(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    net->references[n_pdu - net->n_pdus]++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    assert_true(--net->references[n_pdu - net->n_pdus] >= 0);
    if (net->references[n_pdu - net->n_pdus] == 0)
        free(n_pdu->data);
}

static void nothing(void *unused_arg, struct link *unused_link)
{
}

static void drop(void *unused_arg, void *frame)
{
    free(frame);
}

static uint32_t new_iov(void *arg, const struct link *unused_link)
{
    struct network *net = arg;
    return net->iov += UINT32_C(0x10001);
}

static void crypt(const struct world *w, uint8_t *bytes, size_t octets, uint32_t count, uint8_t direction)
{
    struct gea_job job = {.key = w->stack.key.key,
                          .data = bytes,
                          .input = w->net.link.iov_i + count,
                          .octets = (uint16_t)octets,
                          .direction = direction};
    if (w->stack.key.algorithm)
        gea_cipher_burst(w->stack.gea, &job, 1);
}

static void network_sends(struct world *w)
{
    struct link_frame out;
    uint8_t bytes[FRAME_OCTETS];
    link_expire(&w->net.link, w->now);
    while (link_next_octets(&w->net.link)) {
        if (!link_next(&w->net.link, w->now, &out))
            continue;
        size_t at = out.header_octets;
        memcpy(bytes, out.header, at);
        if (out.payload_octets)
            memcpy(bytes + at, out.n_pdu->data + out.offset, out.payload_octets);
        at += out.payload_octets;
        llc_fcs_put(bytes + at, llc_fcs(bytes, at));
        at += LLC_FCS_OCTETS;
        if (out.is_i)
            crypt(w, bytes + out.clear_octets, at - out.clear_octets, out.count, GEA_DOWNLINK);
        w->net.repeated += out.is_repeat;
        transmit(w, &w->down, bytes, at);
    }
}

static void check(const uint8_t *n_pdu, size_t octets, bool is_down, unsigned number)
{
    assert_int_equal(octets, octets_of(number));
    for (size_t i = 0; i < octets; i++)
        assert_int_equal(n_pdu[i], octet_of(is_down, number, i));
}

static void take_segment(struct world *w, const uint8_t *info, size_t octets)
{
    struct network *net = &w->net;
    struct sn_data sn;
    int header = sn_data_decode(&sn, info, octets);
    assert_true(header > 0 && sn.nsapi == NSAPI);
    enum sn_fate fate = link_segment_take(&net->link, &sn);
    assert_true(fate != SN_ERROR);
    if (fate == SN_AGAIN)
        return;
    net->octets = fate == SN_WHOLE || fate == SN_BEGIN ? 0 : net->octets;
    memcpy(net->n_pdu + net->octets, info + header, octets - (size_t)header);
    net->octets += octets - (size_t)header;
    if (fate == SN_WHOLE || fate == SN_END)
        check(net->n_pdu, net->octets, false, net->taken++);
}

struct kept {
    size_t octets;
    uint8_t info[];
};

static void take_i(struct world *w, const struct llc_abm *header, struct frame *frame)
{
    unsigned clear = llc_abm_octets(header);
    size_t info = frame->octets - clear - LLC_FCS_OCTETS;
    crypt(w, frame->bytes + clear, frame->octets - clear, abm_count(&w->net.link.abm, header->ns),
          GEA_UPLINK);
    if (!llc_fcs_is_right(frame->bytes, clear, info, true))
        return; /* of the link before */
    struct kept *kept = malloc(sizeof(*kept) + info);
    kept->octets = info;
    memcpy(kept->info, frame->bytes + clear, info);
    if (!link_receive(&w->net.link, header, kept, (uint32_t)info, w->now).is_kept)
        free(kept);
    while ((kept = link_deliver_take(&w->net.link))) {
        take_segment(w, kept->info, kept->octets);
        free(kept);
    }
}

static void network_receives(struct world *w, struct frame *frame)
{
    struct llc llc;
    struct llc_abm abm;
    assert_true(llc_decode(&llc, frame->bytes, frame->octets) > 0 && llc.sapi == SAPI);
    if (llc.format == LLC_U) {
        assert_true(llc_fcs_is_right(frame->bytes, llc.header_octets, llc.info_octets, true));
        link_receive_u(&w->net.link, &llc, frame->bytes + llc.header_octets, w->now);
    } else if (w->net.link.state == LINK_ABM) {
        assert_true(llc_abm_decode(&abm, frame->bytes, frame->octets) > 0);
        assert_true(!abm.cr || !abm.is_i);
        if (abm.is_i)
            take_i(w, &abm, frame);
        else
            link_receive(&w->net.link, &abm, NULL, 0, w->now);
    }
}

static void mobile_receives(struct world *w, const struct frame *frame)
{
    size_t octets;
    uint16_t number;
    const uint8_t *n_pdu = ms_stack_receive(&w->stack, frame->bytes, frame->octets, &octets, &number, w->now);
    for (; n_pdu; n_pdu = ms_stack_receive_more(&w->stack, &octets, &number)) {
        check(n_pdu, octets, true, w->taken);
        assert_int_equal(number, w->taken++ % 256);
    }
}

/* --- time --- */

static bool arrive(struct world *w, struct channel *channel)
{
    if (channel->count == 0 || channel->frames[channel->first].at_ns > w->now)
        return false;
    struct frame *frame = &channel->frames[channel->first];
    channel->first = (channel->first + 1) % MOST_FRAMES;
    channel->count--;
    if (channel == &w->up)
        network_receives(w, frame);
    else
        mobile_receives(w, frame);
    return true;
}

static int64_t due_of(const struct channel *channel)
{
    return channel->count ? channel->frames[channel->first].at_ns : MOMENT_NEVER;
}

/* Runs until nothing is due before `until_ns`. */
static void run(struct world *w, int64_t until_ns)
{
    for (;;) {
        network_sends(w);
        if (ms_stack_due_ns(&w->stack) <= w->now)
            ms_stack_step(&w->stack, sends_up, w, w->now);
        int64_t next_ns = moment_min(moment_min(due_of(&w->up), due_of(&w->down)),
                                     moment_min(ms_stack_due_ns(&w->stack), w->net.link.due_ns));
        if (next_ns > until_ns)
            break;
        w->now = moment_max(next_ns, w->now);
        while (arrive(w, &w->up) || arrive(w, &w->down))
            ;
    }
    w->now = moment_max(w->now, until_ns == MOMENT_NEVER ? w->now : until_ns);
}

static void put_down(struct world *w, unsigned number)
{
    struct n_pdu *n_pdu = &w->net.n_pdus[number];
    size_t octets = octets_of(number);
    *n_pdu = (struct n_pdu){.data = malloc(octets), .octets = (uint16_t)octets};
    fill(n_pdu->data, octets, true, number);
    w->net.references[number] = 1;
    link_put(&w->net.link, n_pdu, NSAPI);
    link_establish(&w->net.link, w->now);
}

static bool put_up(struct world *w, unsigned number)
{
    uint8_t bytes[MS_STACK_NPDU_OCTETS];
    size_t octets = octets_of(number);
    fill(bytes, octets, false, number);
    return ms_stack_send(&w->stack, bytes, octets, sends_up, w, w->now);
}

static void begin(struct world *w, uint8_t algorithm, uint32_t loss_ppm, uint64_t seed)
{
    *w = (struct world){.loss_ppm = loss_ppm};
    w->up.frames = calloc(MOST_FRAMES, sizeof(struct frame));
    w->down.frames = calloc(MOST_FRAMES, sizeof(struct frame));
    rng_init(&w->rng, seed, 0);
    w->stack =
        (struct ms_stack){.sapi = SAPI, .nsapi = NSAPI, .n201_u = 500, .gea = gea_init("portable", NULL)};
    w->stack.key = (struct llc_key){.algorithm = algorithm, .iov_ui = IOV_UI};
    for (size_t i = 0; algorithm && i < sizeof(w->stack.key.key); i++)
        w->stack.key.key[i] = (uint8_t)(algorithm * 17 + (algorithm == 3 ? i % 8 : i));
    ms_stack_acknowledge(&w->stack, &bounds);
    w->net.kind = (struct link_kind){.values = bounds,
                                     .is_network = true,
                                     .hold = hold,
                                     .let_go = let_go,
                                     .abandon = let_go,
                                     .opened = nothing,
                                     .failed = nothing,
                                     .drop = drop,
                                     .new_iov = new_iov,
                                     .arg = &w->net};
    link_init(&w->net.link, &w->net.kind, SAPI, w->net.sent, w->net.stored);
}

static void end(struct world *w)
{
    link_empty(&w->net.link, NULL);
    for (unsigned i = 0; i < MOST_NPDUS; i++)
        assert_int_equal(w->net.references[i], 0);
    ms_stack_fini(&w->stack);
    free(w->up.frames);
    free(w->down.frames);
}

/* --- both ways --- */

static const struct {
    const char *name;
    uint8_t algorithm;
    uint32_t loss_ppm;
    unsigned down, up;
} rows[] = {
    {"nothing is lost", 0, 0, 300, 300},          {"a tenth is lost", 0, 100000, 300, 300},
    {"downlink alone", 3, 100000, 300, 0},        {"uplink alone", 3, 100000, 0, 300},
    {"GEA3, a third is lost", 3, 333333, 60, 60}, {"GEA4", 4, 100000, 300, 300},
};

/* Everything arrives once and in order. Returns the hash of all frames. */
static uint64_t play(size_t i, uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    begin(w, rows[i].algorithm, rows[i].loss_ppm, seed);
    for (unsigned down = 0, up = 0; down < rows[i].down || up < rows[i].up;) {
        for (unsigned k = 0; k < 20 && down < rows[i].down; k++)
            put_down(w, down++);
        for (unsigned k = 0; k < 20 && up < rows[i].up; k++)
            assert_true(put_up(w, up++));
        run(w, w->now + 60000 * MS);
    }
    run(w, w->now + 3600000 * MS);
    assert_int_equal(w->taken, rows[i].down);
    assert_int_equal(w->net.taken, rows[i].up);
    assert_int_equal(w->stack.npdus, rows[i].down);
    assert_int_equal(w->stack.bad_frames, 0);
    const struct ms_stack_counts *counts = &w->stack.counts;
    assert_true(counts->established >= 1 && counts->queue_full == 0 && counts->abandoned == 0);
    assert_int_equal(counts->repeated > 0, rows[i].loss_ppm && rows[i].up);
    assert_int_equal(w->net.repeated > 0, rows[i].loss_ppm && rows[i].down);
    uint64_t hash = w->hash;
    end(w);
    free(w);
    return hash;
}

TEST(all_arrives)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("%s\n", rows[i].name);
        assert_true(play(i, 1) == play(i, 1));
        assert_int_equal(play(i, 1) == play(i, 2), rows[i].loss_ppm == 0);
    }
}

/* --- single steps --- */

struct log {
    unsigned frames;
    struct llc last;
};

static void notes(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct log *log = arg;
    assert_true(llc_decode(&log->last, llc_pdu, octets) > 0);
    assert_true(llc_fcs_is_right(llc_pdu, log->last.header_octets, log->last.info_octets, true));
    log->frames++;
}

/* The queue is bounded; without an answer all of it is dropped, and the next N-PDU asks again. */
TEST_IN(nobody_answers, struct world, w, begin(w, 0, 0, 1), end(w))
{
    struct log log = {0};
    uint8_t n_pdu[100] = {0};
    for (unsigned i = 0; i < MS_STACK_QUEUE_NPDUS; i++)
        assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, 0));
    assert_false(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, 0));
    assert_int_equal(log.frames, 1); /* at once */
    assert_true(log.last.format == LLC_U && log.last.command == LLC_SABM && !log.last.cr && log.last.pf);
    assert_int_equal(w->stack.counts.queue_full, 1);
    for (int64_t due_ns; (due_ns = ms_stack_due_ns(&w->stack)) != MOMENT_NEVER;)
        ms_stack_step(&w->stack, notes, &log, due_ns);
    assert_int_equal(log.frames, 1 + bounds.n200);
    assert_int_equal(w->stack.counts.abandoned, MS_STACK_QUEUE_NPDUS);
    assert_int_equal(w->stack.counts.failed, 1);
    assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, INT64_MAX / 2));
    assert_true(log.last.command == LLC_SABM);
}

/* While the radio has not sent the first SABM there is no second one. */
TEST_IN(pauses, struct world, w, begin(w, 0, 0, 1), end(w))
{
    struct log log = {0};
    uint8_t n_pdu[100] = {0};
    assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, 0));
    int64_t due_ns = ms_stack_due_ns(&w->stack);
    ms_stack_pause(&w->stack, due_ns - 1);
    assert_int_equal(ms_stack_due_ns(&w->stack), due_ns);
    for (unsigned i = 0; i < 2U * bounds.n200; i++) {
        int64_t now = ms_stack_due_ns(&w->stack);
        ms_stack_pause(&w->stack, now);
        ms_stack_step(&w->stack, notes, &log, now);
        assert_int_equal(ms_stack_due_ns(&w->stack), now + bounds.t200_ds * 100 * MS);
    }
    assert_int_equal(log.frames, 1);
    ms_stack_step(&w->stack, notes, &log, ms_stack_due_ns(&w->stack));
    assert_int_equal(log.frames, 2);
    assert_int_equal(w->stack.counts.abandoned + w->stack.counts.failed, 0);
}

/* UI frames on the same SAPI go their own way. */
TEST_IN(beside_it_unacknowledged, struct world, w, begin(w, 0, 0, 1), end(w))
{
    uint8_t frame[SEGMENT_FRAME_OCTETS], bytes[20];
    uint16_t number;
    size_t octets;
    fill(bytes, sizeof(bytes), true, 9);
    for (unsigned i = 0; i < 3; i++) {
        put_down(w, i);
        run(w, w->now + 10000 * MS);
        struct segment segment = {
            .nu = (uint16_t)i, .number = (uint16_t)(40 + i), .data = bytes, .octets = sizeof(bytes)};
        size_t frame_octets = segment_put(frame, &segment);
        const uint8_t *n_pdu = ms_stack_receive(&w->stack, frame, frame_octets, &octets, &number, w->now);
        assert_non_null(n_pdu);
        assert_int_equal(octets, sizeof(bytes));
        assert_int_equal(number, 40 + i);
        assert_memory_equal(n_pdu, bytes, octets);
        assert_null(ms_stack_receive_more(&w->stack, &octets, &number));
    }
    assert_int_equal(w->taken, 3);
    assert_int_equal(w->stack.npdus, 6);
    assert_int_equal(w->stack.bad_frames, 0);
}

/* What XID Reset takes from the link is sent again on the next one. */
TEST_IN(reset, struct world, w, begin(w, 3, 0, 1), end(w))
{
    unsigned up = 0;
    assert_true(put_up(w, up++));
    run(w, w->now + 10000 * MS);
    assert_int_equal(w->net.taken, 1);
    w->is_lost_up = true;
    while (up < 30)
        assert_true(put_up(w, up++));
    run(w, w->now + 50 * MS);
    assert_int_equal(w->stack.counts.established, 1);
    w->is_lost_up = false;
    ms_stack_reset(&w->stack, w->now);
    link_empty(&w->net.link, NULL);
    run(w, w->now + 60000 * MS);
    assert_int_equal(w->net.taken, 30);
    assert_int_equal(w->stack.counts.established, 2);
    assert_int_equal(w->stack.counts.abandoned, 0);
}

/* The link that the SGSN gives up is had again, with all N-PDUs of both sides. */
TEST_IN(established_again, struct world, w, begin(w, 4, 0, 1), end(w))
{
    for (unsigned i = 0; i < 40; i++) {
        put_down(w, i);
        assert_true(put_up(w, i));
    }
    run(w, w->now + 1000 * MS);
    link_refuse(&w->net.link, (const uint8_t[]){3, 0, 0}, 3, LLC_FRMR_W1_CONTROL, w->now);
    run(w, w->now + 120000 * MS);
    assert_int_equal(w->taken, 40);
    assert_int_equal(w->net.taken, 40);
    assert_true(w->stack.counts.established >= 2);
    assert_int_equal(w->stack.bad_frames, 0);
}

static void give(struct world *w, uint8_t *frame, size_t octets)
{
    struct frame in = {.octets = octets + LLC_FCS_OCTETS};
    llc_fcs_put(frame + octets, llc_fcs(frame, octets));
    memcpy(in.bytes, frame, in.octets);
    mobile_receives(w, &in);
}

/* I frame number ns with a segment of 500 octets at most. */
static void give_segment(struct world *w, uint16_t ns, const struct sn_data *sn, size_t octets)
{
    const struct llc_abm header = {.ns = ns, .sapi = SAPI, .is_i = true, .cr = true};
    uint8_t frame[FRAME_OCTETS] = {0};
    int at = llc_abm_encode(frame, sizeof(frame), &header);
    at += sn_data_encode(frame + at, sizeof(frame) - (size_t)at, sn);
    give(w, frame, (size_t)at + octets);
}

/* An N-PDU that is longer than SNDCP carries, then a right one; a frame with a wrong FCS; NSAPI of nobody. */
TEST_IN(refused, struct world, w, begin(w, 0, 0, 1), end(w))
{
    const struct sn_data first = {.nsapi = NSAPI, .first = true, .more = true, .number = 150};
    const struct sn_data middle = {.nsapi = NSAPI, .more = true}, last = {.nsapi = NSAPI};
    uint16_t ns = 1;
    put_down(w, 0);
    run(w, w->now + 10000 * MS);
    assert_int_equal(w->taken, 1);
    give_segment(w, ns++, &first, 497);
    give_segment(w, ns++, &middle, 499);
    give_segment(w, ns++, &middle, 499);
    give_segment(w, ns++, &last, 9);
    assert_int_equal(w->stack.bad_frames, 1);
    give_segment(w, ns++, &(struct sn_data){.nsapi = NSAPI + 1, .first = true, .number = 2}, 40);
    assert_int_equal(w->stack.bad_frames, 2);
    assert_int_equal(w->stack.npdus, 1);
    struct frame in = {.octets = 20, .bytes = {0x43, 0x00, 0x30, 0x00}};
    mobile_receives(w, &in);
    assert_int_equal(w->stack.bad_frames, 3);
    assert_int_equal(w->stack.counts.established, 1);
    uint8_t s_frame[16] = {0x43, 0x80, 0x00, 0xff}; /* RR with information */
    give(w, s_frame, 4);
    assert_int_equal(w->stack.counts.failed, 1);
    put_down(w, 1);
    run(w, w->now + 10000 * MS);
    assert_true(w->stack.counts.established >= 2);
    assert_int_equal(w->taken, 2);
}

/* The context that becomes unacknowledged forgets its N-PDUs. */
TEST_IN(switched, struct world, w, begin(w, 0, 0, 1), end(w))
{
    assert_true(put_up(w, 0) && put_up(w, 1));
    assert_int_equal(ms_stack_due_ns(&w->stack), w->now + bounds.t200_ds * 100 * MS);
    ms_stack_acknowledge(&w->stack, NULL);
    assert_int_equal(ms_stack_due_ns(&w->stack), MOMENT_NEVER);
    struct log log = {0};
    uint8_t n_pdu[100] = {0};
    assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, w->now));
    assert_true(log.frames == 1 && log.last.format == LLC_UI);
}

int main(void)
{
    llc_fcs_init();
    return UNIT_RUN(NULL, NULL);
}
