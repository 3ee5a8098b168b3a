/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of copied frames: what goes in, what is left out, what is lost. */
#include "dataplane/worker/tap.h"
#include "dataplane/worker/msg.h"

#include "dataplane/base/n_pdu.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

static struct tap tap;

static void begin(uint32_t tlli, uint16_t bvci)
{
    memset(&tap, 0, sizeof(tap));
    tap_start(&tap, &(struct tap_filter){.tlli = tlli, .bvci = bvci});
}

static void put(uint32_t tlli, uint16_t bvci, int64_t now)
{
    static const uint8_t octets[3] = {1, 2, 3};
    tap_put(&tap, octets, sizeof(octets), &(struct tap_about){.kind = TAP_DOWN, .tlli = tlli, .bvci = bvci},
            now);
}

static unsigned drain(void)
{
    unsigned count = 0;
    for (; tap_get(&tap); count++)
        tap_done(&tap);
    return count;
}

TEST(only_what_is_wanted)
{
    static const struct {
        uint32_t tlli;
        uint16_t bvci;
        unsigned count;
    } rows[] = {{0, 0, 4}, {8, 0, 2}, {0, 7, 2}, {8, 7, 1}, {5, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin(rows[i].tlli, rows[i].bvci);
        put(8, 7, 1);
        put(8, 6, 1);
        put(9, 7, 1);
        put(0, 0, 1);
        assert_int_equal(drain(), rows[i].count);
    }
    tap_stop(&tap);
    put(5, 0, 1);
    assert_int_equal(drain(), 0);
    tap_put(NULL, NULL, 0, &(struct tap_about){0}, 0);
    tap_put_gb(NULL, NULL, 0, TAP_UP, 0);
}

TEST(what_is_known)
{
    struct n_pdu n_pdu = {.arrival_ns = 40, .qclass = 3};
    uint8_t octets[2 * TAP_OCTETS];
    memset(octets, 0x5a, sizeof(octets));
    begin(0, 0);
    tap_put(
        &tap, octets, sizeof(octets),
        &(struct tap_about){
            .kind = TAP_DROPPED, .n_pdu = &n_pdu, .tlli = 8, .nsapi = 5, .reason = DROP_AQM, .segment = 2},
        100);
    const struct tap_record *r = tap_get(&tap);
    assert_non_null(r);
    assert_true(r->at_ns == 100 && r->sojourn_ns == 60 && r->tlli == 8 && r->kind == TAP_DROPPED);
    assert_true(r->qclass == 3 && r->nsapi == 5 && r->segment == 2 && r->reason == DROP_AQM);
    assert_true(r->frame_octets == sizeof(octets) && r->kept_octets == TAP_OCTETS);
    assert_true(r->octets[0] == 0x5a && r->octets[TAP_OCTETS - 1] == 0x5a);
}

/* TLLI and BVCI lie behind Ethernet, IPv4, UDP and NS; of anything shorter or other there are none. */
TEST(of_frames_on_gb)
{
    uint8_t frame[64] = {[42] = 0, [44] = 0x07, [45] = 0x08, [46] = 0x01, [47] = 0xc0, [50] = 9};
    static const struct {
        uint8_t ns_type, bssgp_type;
        size_t octets;
        uint16_t bvci;
        uint32_t tlli;
    } rows[] = {
        {0, 1, 64, 0x708, 0xc0000009},
        {0, 0, 64, 0x708, 0xc0000009},
        {0, 0x26, 64, 0x708, 0},
        {0, 1, 50, 0x708, 0},
        {0, 1, 51, 0x708, 0xc0000009},
        {10, 1, 64, 0, 0},
        {0, 1, 45, 0, 0},
        {0, 1, 42, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        frame[42] = rows[i].ns_type;
        frame[46] = rows[i].bssgp_type;
        begin(0, 0);
        tap_put_gb(&tap, frame, rows[i].octets, TAP_UP, 1);
        assert_int_equal(tap_get(&tap)->bvci, rows[i].bvci);
        assert_int_equal(tap_get(&tap)->tlli, rows[i].tlli);
    }
}

TEST(full)
{
    begin(0, 0);
    for (int64_t i = 0; i < TAP_RECORDS + 5; i++)
        put(1, 1, i);
    assert_int_equal(tap.lost, 5);
    assert_int_equal(tap_get(&tap)->at_ns, 0);
    tap_done(&tap);
    put(1, 1, -1);
    assert_int_equal(drain(), TAP_RECORDS);
    put(1, 1, 7);
    tap_start(&tap, &(struct tap_filter){0}); /* begins with nothing */
    assert_int_equal(drain(), 0);
}

/* A worker's frames and drops. */
TEST(of_a_worker)
{
    struct kit kit;
    begin(0, 0);
    kit_open(&kit, NULL);
    kit_do(&kit, &(struct msg){.type = MSG_TAP, .tap = &tap});
    kit_do(&kit, &(struct msg){.type = MSG_BVC_RESET, .slot = 0});
    assert_int_equal(drain(), 0);
    uint8_t frame[60] = {0};
    kit_from_gb(&kit, frame, sizeof(frame));
    assert_int_equal(tap_get(&tap)->kind, TAP_UP);
    assert_int_equal(drain(), 1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
