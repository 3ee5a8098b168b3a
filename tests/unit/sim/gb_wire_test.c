/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames between a port and the BSSs behind it. The test stands in the worker's place. */
#include "sim/gb_wire.h"

#include "control/base/eal.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/unit.h"

#include <rte_ring.h>
#include <string.h>

#define BUFFERS     2047
#define RING_FRAMES 1023

struct rig {
    struct rte_mempool *pool;
    struct vport port;
    struct bss *bsses[2];
    struct gb_wire_end ends[3];
    struct gb_wire_tap taps[2];
    struct gb_wire wire;
};

static void deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now)
{
}

/* BSS 0 has NS-VCs 0 and 1, BSS 1 has one. Address and port of an end tell which it is. The BSSs do nothing
 * of their own yet. */
static void open(struct rig *rig, int64_t delay_ns)
{
    static const uint16_t nsvcis[] = {11, 12};
    static const unsigned bss_of[] = {0, 0, 1}, nsvc_of[] = {0, 1, 0};
    static unsigned opened;
    static const char *const names[] = {"net_ring_w0", "net_ring_w1", "net_ring_w2",
                                        "net_ring_w3", "net_ring_w4", "net_ring_w5"};

    *rig = (struct rig){.pool = pool_new(names[opened], BUFFERS)};
    assert_non_null(rig->pool);
    assert_int_equal(vport_new(&rig->port, names[opened++], rig->pool), 0);
    for (unsigned i = 0; i < 3; i++)
        rig->ends[i] = (struct gb_wire_end){.sgsn_ip = 0x0a000001,
                                            .bss_ip = 0x0a000002 + i,
                                            .sgsn_port = 23000,
                                            .bss_port = (uint16_t)(24000 + i),
                                            .sgsn_mac = {2, 1},
                                            .bss_mac = {2, 2, (uint8_t)i},
                                            .bss = bss_of[i],
                                            .nsvc = nsvc_of[i]};
    for (unsigned i = 0; i < 2; i++) {
        struct bss_config config = {.nsei = (uint16_t)(100 + i), .nsvcis = nsvcis, .nsvc_count = 2 - i};
        rig->taps[i] = (struct gb_wire_tap){&rig->wire, i};
        struct bss_ops ops = {.arg = &rig->taps[i], .send = gb_wire_send, .deliver = deliver};
        rig->bsses[i] = bss_new(&config, &ops);
        assert_non_null(rig->bsses[i]);
    }
    rig->wire = (struct gb_wire){
        .ports = &rig->port, .port_count = 1, .bsses = rig->bsses, .ends = rig->ends, .end_count = 3};
    gb_wire_init(&rig->wire, delay_ns);
}

static void close(struct rig *rig)
{
    gb_wire_fini(&rig->wire);
    bss_free(rig->bsses[0]);
    bss_free(rig->bsses[1]);
    vport_free(&rig->port);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
}

/* A frame that a BSS sent: its octets, 0 when there is none. */
static size_t take(struct rig *rig, uint8_t *frame)
{
    void *mbuf;
    if (rte_ring_dequeue(rig->port.to_worker, &mbuf) != 0)
        return 0;
    size_t octets = rte_pktmbuf_data_len((struct rte_mbuf *)mbuf);
    memcpy(frame, rte_pktmbuf_mtod((struct rte_mbuf *)mbuf, uint8_t *), octets);
    rte_pktmbuf_free(mbuf);
    return octets;
}

/* A frame as the worker sends it. */
static void put(struct rig *rig, const uint8_t *frame, size_t octets)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(rig->pool);
    assert_non_null(mbuf);
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    assert_int_equal(rte_ring_enqueue(rig->port.to_outside, mbuf), 0);
}

/* The SGSN's frames turned round: what came from an end goes to it. */
static void turn(uint8_t *frame)
{
    uint8_t ip[4], port[2];
    memcpy(ip, frame + 26, 4);
    memcpy(frame + 26, frame + 30, 4);
    memcpy(frame + 30, ip, 4);
    memcpy(port, frame + 34, 2);
    memcpy(frame + 34, frame + 36, 2);
    memcpy(frame + 36, port, 2);
}

TEST_IN(sent_frames, struct rig, rig, open(rig, 0), close(rig))
{
    static const uint8_t pdu[] = {0x0a, 1, 2, 3};
    uint8_t frame[2048];
    for (uint8_t i = 0; i < 3; i++) {
        const struct gb_wire_end *end = &rig->ends[i];
        const uint8_t want[] = {2, 1, 0, 0, 0, 0, 2, 2, i, 0, 0, 0, 8, 0, 0x45, 0, 0, 32, 0, i, 0, 0, 64, 17};
        const uint8_t ends[] = {10,   0, 0, (uint8_t)(2 + i), 10, 0, 0, 1, 0x5d, (uint8_t)(0xc0 + i), 0x59,
                                0xd8, 0, 12};
        gb_wire_send(&rig->taps[end->bss], end->nsvc, pdu, sizeof(pdu));
        gb_wire_step(&rig->wire, 0);
        assert_int_equal(take(rig, frame), 42 + sizeof(pdu));
        assert_memory_equal(frame, want, sizeof(want));
        assert_memory_equal(frame + 26, ends, sizeof(ends));
        assert_memory_equal(frame + 42, pdu, sizeof(pdu));
    }
    assert_int_equal(rig->wire.lost, 0);
}

/* No such NS-VC, too long, no room at the port. */
TEST_IN(lost_frames, struct rig, rig, open(rig, 0), close(rig))
{
    static const uint8_t pdu[2048] = {0x0a};
    uint8_t frame[2048];
    gb_wire_send(&rig->taps[1], 1, pdu, 1);
    assert_int_equal(rig->wire.lost, 1);
    gb_wire_send(&rig->taps[1], 0, pdu, 2048 - 41);
    assert_int_equal(rig->wire.lost, 2);
    gb_wire_send(&rig->taps[1], 0, pdu, 2048 - 42);
    for (unsigned i = 0; i < RING_FRAMES; i++)
        gb_wire_send(&rig->taps[0], 0, pdu, 1);
    gb_wire_step(&rig->wire, 0);
    assert_int_equal(rig->wire.lost, 3);
    assert_int_equal(take(rig, frame), 2048);
}

/* Both ways take their time, to the nanosecond. */
TEST_IN(delayed, struct rig, rig, open(rig, 7), close(rig))
{
    static const uint8_t pdu[] = {NS_ALIVE};
    uint8_t frame[2048];
    assert_true(gb_wire_step(&rig->wire, 100) == MOMENT_NEVER);
    gb_wire_send(&rig->taps[1], 0, pdu, sizeof(pdu));
    assert_int_equal(gb_wire_step(&rig->wire, 106), 107);
    assert_int_equal(take(rig, frame), 0);
    gb_wire_step(&rig->wire, 107);
    size_t octets = take(rig, frame);
    assert_int_equal(octets, 42 + sizeof(pdu));
    turn(frame);
    put(rig, frame, octets);
    assert_int_equal(gb_wire_step(&rig->wire, 110), 117);
    assert_int_equal(gb_wire_step(&rig->wire, 116), 117);
    assert_int_equal(bss_stats_get(rig->bsses[1])->rx_pdus, 0);
    gb_wire_step(&rig->wire, 117);
    assert_int_equal(bss_stats_get(rig->bsses[1])->rx_pdus, 1);
}

/* The first step starts the BSSs: each resets its first NS-VC, and says when it will ask again. */
TEST(steps)
{
    struct rig rig;
    uint8_t frame[2048];
    unsigned resets = 0;
    open(&rig, 0);
    rig.wire.bss_count = 2;
    while (gb_wire_step(&rig.wire, 5) == 5)
        ;
    while (take(&rig, frame) > 0)
        resets += frame[42] == NS_RESET;
    assert_int_equal(resets, 3);
    assert_int_equal(gb_wire_step(&rig.wire, 5), 5 + bss_default_timers.reset_ns);
    close(&rig);
}

TEST(delivered_and_strays)
{
    static const uint8_t pdu[] = {NS_ALIVE};
    static const struct {
        uint8_t at, value; /* an octet that is set to something else; at 0: none */
    } rows[] = {{0, 0}, {14, 0x65}, {29, 9}, {33, 9}, {35, 9}, {37, 9}, {39, 7}};
    for (unsigned end = 0; end < 3; end += 2) {
        struct rig rig;
        uint8_t frame[2048];
        open(&rig, 0);
        gb_wire_send(&rig.taps[rig.ends[end].bss], rig.ends[end].nsvc, pdu, sizeof(pdu));
        gb_wire_step(&rig.wire, 0);
        size_t octets = take(&rig, frame);
        turn(frame);
        for (size_t i = 0; i < COUNT(rows); i++) {
            uint8_t changed[64];
            memcpy(changed, frame, octets);
            if (rows[i].at)
                changed[rows[i].at] = rows[i].value;
            put(&rig, changed, octets);
        }
        gb_wire_step(&rig.wire, 5);
        assert_int_equal(bss_stats_get(rig.bsses[end / 2])->rx_pdus, 1);
        assert_int_equal(bss_stats_get(rig.bsses[1 - end / 2])->rx_pdus, 0);
        assert_int_equal(rig.wire.strays, COUNT(rows) - 1);
        close(&rig);
    }
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
