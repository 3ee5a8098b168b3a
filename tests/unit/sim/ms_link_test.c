/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's stack in acknowledged mode: all arrives, and single steps. */
#include "sim/ms_stack.h"

#include "dataplane/abm/link.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "sim/ms_compression.h"
#include "tests/unit/sim/abm_world.h"
#include "tests/unit/sim/segment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- both ways --- */

static const struct {
    const char *name;
    uint8_t algorithm;
    uint32_t loss_ppm;
    unsigned down, up;
    bool compresses;
} rows[] = {
    {"nothing is lost", 0, 0, 300, 300},          {"a tenth is lost", 0, 100000, 300, 300},
    {"downlink alone", 3, 100000, 300, 0},        {"uplink alone", 3, 100000, 0, 300},
    {"GEA3, a third is lost", 3, 333333, 60, 60}, {"GEA4", 4, 100000, 300, 300},
    {"compressed", 0, 0, 300, 300, true},         {"compressed, a third is lost", 3, 333333, 60, 60, true},
};

/* Most N-PDUs have lost their headers, some more than once. */
static void check_compressed(const struct world *w, size_t i)
{
    struct ms_compression_counts counts = {0};
    ms_compression_count(w->stack.compression, &counts);
    assert_true(counts.kinds[COMPRESSION_RFC1144].sent.compressed > rows[i].up / 2);
    assert_true(counts.kinds[COMPRESSION_RFC1144].received.compressed > rows[i].down / 2);
    assert_true(w->net.packed > rows[i].down / 2);
    assert_int_equal(w->stack.lost, 0);
}

/* Everything arrives once and in order. Returns the hash of all frames. */
static uint64_t play(size_t i, uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    world_begin(w, rows[i].algorithm, rows[i].loss_ppm, seed);
    if (rows[i].compresses)
        world_compress(w);
    for (unsigned down = 0, up = 0; down < rows[i].down || up < rows[i].up;) {
        for (unsigned k = 0; k < 20 && down < rows[i].down; k++)
            world_put_down(w, down++);
        for (unsigned k = 0; k < 20 && up < rows[i].up; k++)
            assert_true(world_put_up(w, up++));
        world_run(w, w->now + 60000 * MS);
    }
    world_run(w, w->now + 3600000 * MS);
    assert_int_equal(w->taken, rows[i].down);
    assert_int_equal(w->net.taken, rows[i].up);
    assert_int_equal(w->stack.npdus, rows[i].down);
    assert_int_equal(w->stack.bad_frames, 0);
    const struct ms_stack_counts *counts = &w->stack.counts;
    assert_true(counts->established >= 1 && counts->queue_full == 0 && counts->abandoned == 0);
    assert_int_equal(counts->repeated > 0, rows[i].loss_ppm && rows[i].up);
    assert_int_equal(w->net.repeated > 0, rows[i].loss_ppm && rows[i].down);
    if (rows[i].compresses)
        check_compressed(w, i);
    uint64_t hash = w->hash;
    world_end(w);
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
TEST_IN(nobody_answers, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
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
    assert_int_equal(log.frames, 1 + world_bounds.n200);
    assert_int_equal(w->stack.counts.abandoned, MS_STACK_QUEUE_NPDUS);
    assert_int_equal(w->stack.counts.failed, 1);
    assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, INT64_MAX / 2));
    assert_true(log.last.command == LLC_SABM);
}

/* While the radio has not sent the first SABM there is no second one. */
TEST_IN(pauses, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
{
    struct log log = {0};
    uint8_t n_pdu[100] = {0};
    assert_true(ms_stack_send(&w->stack, n_pdu, sizeof(n_pdu), notes, &log, 0));
    int64_t due_ns = ms_stack_due_ns(&w->stack);
    ms_stack_pause(&w->stack, due_ns - 1);
    assert_int_equal(ms_stack_due_ns(&w->stack), due_ns);
    for (unsigned i = 0; i < 2U * world_bounds.n200; i++) {
        int64_t now = ms_stack_due_ns(&w->stack);
        ms_stack_pause(&w->stack, now);
        ms_stack_step(&w->stack, notes, &log, now);
        assert_int_equal(ms_stack_due_ns(&w->stack), now + world_bounds.t200_ds * 100 * MS);
    }
    assert_int_equal(log.frames, 1);
    ms_stack_step(&w->stack, notes, &log, ms_stack_due_ns(&w->stack));
    assert_int_equal(log.frames, 2);
    assert_int_equal(w->stack.counts.abandoned + w->stack.counts.failed, 0);
}

/* UI frames on the same SAPI go their own way. */
TEST_IN(beside_it_unacknowledged, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
{
    uint8_t frame[SEGMENT_FRAME_OCTETS], bytes[20];
    uint16_t number;
    size_t octets;
    world_fill(bytes, sizeof(bytes), true, 9);
    for (unsigned i = 0; i < 3; i++) {
        world_put_down(w, i);
        world_run(w, w->now + 10000 * MS);
        struct segment segment = {
            .nu = (uint16_t)i, .number = (uint16_t)(40 + i), .data = bytes, .octets = sizeof(bytes)};
        size_t frame_octets = segment_put(frame, &segment);
        const uint8_t *n_pdu = ms_stack_receive(&w->stack, frame, frame_octets, &octets, &number, w->now);
        assert_non_null(n_pdu);
        assert_int_equal(octets, sizeof(bytes));
        assert_int_equal(number, 40 + i);
        assert_memory_equal(n_pdu, bytes, octets);
        assert_null(ms_stack_receive_more(&w->stack, &octets, &number, w->now));
    }
    assert_int_equal(w->taken, 3);
    assert_int_equal(w->stack.npdus, 6);
    assert_int_equal(w->stack.bad_frames, 0);
}

/* What XID Reset takes from the link is sent again on the next one. */
TEST_IN(reset, struct world, w, world_begin(w, 3, 0, 1), world_end(w))
{
    unsigned up = 0;
    assert_true(world_put_up(w, up++));
    world_run(w, w->now + 10000 * MS);
    assert_int_equal(w->net.taken, 1);
    w->is_lost_up = true;
    while (up < 30)
        assert_true(world_put_up(w, up++));
    world_run(w, w->now + 50 * MS);
    assert_int_equal(w->stack.counts.established, 1);
    w->is_lost_up = false;
    ms_stack_reset(&w->stack, w->now);
    link_empty(&w->net.link, NULL);
    world_run(w, w->now + 60000 * MS);
    assert_int_equal(w->net.taken, 30);
    assert_int_equal(w->stack.counts.established, 2);
    assert_int_equal(w->stack.counts.abandoned, 0);
}

/* The link that the SGSN gives up is had again, with all N-PDUs of both sides. */
static void establish_again(struct world *w)
{
    for (unsigned i = 0; i < 40; i++) {
        world_put_down(w, i);
        assert_true(world_put_up(w, i));
    }
    world_run(w, w->now + 1000 * MS);
    link_refuse(&w->net.link, (const uint8_t[]){3, 0, 0}, 3, LLC_FRMR_W1_CONTROL, w->now);
    world_run(w, w->now + 120000 * MS);
    assert_int_equal(w->taken, 40);
    assert_int_equal(w->net.taken, 40);
    assert_true(w->stack.counts.established >= 2);
    assert_int_equal(w->stack.bad_frames, 0);
}

TEST_IN(established_again, struct world, w, world_begin(w, 4, 0, 1), world_end(w))
{
    establish_again(w);
}

/* N-PDUs that the mobile has, and that come again compressed, are decompressed all the same. */
TEST_IN(established_again_compressed, struct world, w, world_begin(w, 4, 0, 1), world_end(w))
{
    world_compress(w);
    establish_again(w);
    assert_true(w->stack.counts.npdus_again > 0);
    assert_int_equal(w->stack.lost, 0);
}

static void give(struct world *w, uint8_t *frame, size_t octets)
{
    struct frame in = {.octets = octets + LLC_FCS_OCTETS};
    llc_fcs_put(frame + octets, llc_fcs(frame, octets));
    memcpy(in.bytes, frame, in.octets);
    world_deliver(w, &in);
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

/* The mobile fails at what was never sent: codewords of no string, in compressed mode. */
static void spoil(struct world *w)
{
    uint8_t nonsense[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    struct compression_n_pdu in = {.data = nonsense,
                                   .octets = sizeof(nonsense),
                                   .sapi = SAPI,
                                   .nsapi = NSAPI,
                                   .comp = 1 << 4,
                                   .is_acknowledged = true};
    assert_int_equal(ms_compression_unpack(w->stack.compression, &in), COMPRESSION_BAD_DATA);
}

/* The mobile establishes the link again when it cannot decompress an N-PDU, which is lost: all others
 * arrive, both ways. */
TEST_IN(established_again_after_bad_data, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
{
    enum { LOST = 24, ALL = 60 }; /* number 24 is of 1500 octets, and compressed */
    struct ms_compression_counts counts = {0};
    world_compress_data(w);
    for (unsigned i = 0; i < LOST; i++)
        world_put_down(w, i);
    world_run(w, w->now + 30000 * MS);
    assert_int_equal(w->taken, LOST);
    assert_int_equal(w->stack.counts.renewed, 0);
    spoil(w);
    world_put_down(w, w->taken++);
    for (unsigned i = 0; i < LOST; i++)
        assert_true(world_put_up(w, i));
    world_run(w, w->now + 30000 * MS);
    assert_int_equal(w->stack.lost, 1);
    assert_int_equal(w->stack.counts.renewed, 1);
    assert_int_equal(w->stack.counts.established, 2);
    assert_int_equal(w->stack.counts.failed, 0);
    for (unsigned i = w->taken; i < ALL; i++)
        world_put_down(w, i);
    world_run(w, w->now + 30000 * MS);
    assert_int_equal(w->taken, ALL);
    assert_int_equal(w->net.taken, LOST);
    assert_int_equal(w->stack.counts.established, 2);
    ms_compression_count(w->stack.compression, &counts);
    assert_true(counts.kinds[COMPRESSION_V42BIS].received.compressed > ALL / 3);
    /* An entity that the mobile does not know says nothing of the others. */
    give_segment(w, (uint16_t)w->net.link.abm.vs,
                 &(struct sn_data){.nsapi = NSAPI, .first = true, .comp = 0x50, .number = ALL}, 40);
    assert_int_equal(w->stack.lost, 2);
    assert_int_equal(w->stack.counts.renewed, 1);
}

/* An N-PDU that is longer than SNDCP carries, then a right one; a frame with a wrong FCS; NSAPI of nobody. */
TEST_IN(refused, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
{
    const struct sn_data first = {.nsapi = NSAPI, .first = true, .more = true, .number = 150};
    const struct sn_data middle = {.nsapi = NSAPI, .more = true}, last = {.nsapi = NSAPI};
    uint16_t ns = 1;
    world_put_down(w, 0);
    world_run(w, w->now + 10000 * MS);
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
    world_deliver(w, &in);
    assert_int_equal(w->stack.bad_frames, 3);
    assert_int_equal(w->stack.counts.established, 1);
    uint8_t s_frame[16] = {0x43, 0x80, 0x00, 0xff}; /* RR with information */
    give(w, s_frame, 4);
    assert_int_equal(w->stack.counts.failed, 1);
    world_put_down(w, 1);
    world_run(w, w->now + 10000 * MS);
    assert_true(w->stack.counts.established >= 2);
    assert_int_equal(w->taken, 2);
}

/* The context that becomes unacknowledged forgets its N-PDUs. */
TEST_IN(switched, struct world, w, world_begin(w, 0, 0, 1), world_end(w))
{
    assert_true(world_put_up(w, 0) && world_put_up(w, 1));
    assert_int_equal(ms_stack_due_ns(&w->stack), w->now + world_bounds.t200_ds * 100 * MS);
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
