/* SPDX-License-Identifier: BSD-3-Clause */
/* Queued TCP segments that arrive again, in one queue and in flow queues; and the books under random load
 * with all parts of the discipline q. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"

#define MS       RIG_MSEC
#define S        RIG_SECOND
#define MOBILES  8
#define N_PDUS   1000
#define PACKET   44 /* 4 octets of data */
#define SEGMENTS 64

/* Segment n of 5-tuple `flow`, 4 octets of data each. */
static uint8_t *packet_of(uint8_t flow, uint8_t n)
{
    static uint8_t packets[RIG_FLOWS][SEGMENTS][PACKET];
    uint8_t *p = packets[flow][n];
    p[0] = 0x45;
    p[3] = PACKET;
    p[9] = 6;
    p[21] = flow;
    p[27] = (uint8_t)(4 * n);
    p[32] = 5 << 4;
    p[33] = 16;
    return p;
}

static int put(struct rig *rig, uint32_t ms, uint8_t flow, uint8_t n)
{
    struct n_pdu like = {.octets = PACKET,
                         .data = packet_of(flow, n),
                         .qclass = QCLASS_BACKGROUND,
                         .pfi = N_PDU_NO_PFI,
                         .flow_hash = flow};
    return rig_put(rig, ms, &like);
}

static void q_new(struct rig *rig, uint8_t flow_queues, bool drops)
{
    struct rig_counts counts = {
        .mobiles = MOBILES, .cells = 1, .links = 1, .n_pdus = N_PDUS, .flow_sets = MOBILES};
    struct sched_params params;
    sched_params_default(&params);
    params.flow_queues = flow_queues;
    params.flow_tags = flow_queues > 0;
    params.drops_duplicates = drops;
    params.sfq_classes = flow_queues > 0 ? 1 << QCLASS_BACKGROUND : 0;
    if (flow_queues > 0)
        params.room = (struct sched_room){{0, 2}, {0, 8}, true};
    rig_new(rig, &counts, &params);
}

static const struct {
    const char *name;
    uint8_t flow_queues;
    bool drops;
    uint8_t ms, flow, n; /* of the second N-PDU, behind segment 1 of 5-tuple 2 of mobile 1 */
    int reason;
} rows[] = {
    {"off: queued again", 0, false, 1, 2, 1, DROP_NONE}, {"one queue", 0, true, 1, 2, 1, DROP_DUPLICATE},
    {"flow queues", 16, true, 1, 2, 1, DROP_DUPLICATE},  {"the next segment", 16, true, 1, 2, 2, DROP_NONE},
    {"another 5-tuple", 16, true, 1, 3, 1, DROP_NONE},   {"another mobile", 16, true, 2, 2, 1, DROP_NONE},
};

TEST(queued_segments_arrive_again)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        q_new(&rig, rows[i].flow_queues, rows[i].drops);
        bucket_init(&rig.cells[0].bucket, 0, 0, 0);
        sched_bvc_changed(&rig.sched, &rig.cells[0]);
        assert_int_equal(put(&rig, 1, 2, 1), DROP_NONE);
        if (put(&rig, rows[i].ms, rows[i].flow, rows[i].n) != rows[i].reason)
            fail_msg("%s", rows[i].name);
        assert_int_equal(rig.sched.pkts, rows[i].reason == DROP_NONE ? 2 : 1);
        bucket_set(&rig.cells[0].bucket, RIG_WIDE_OPEN, rig.now);
        sched_bvc_changed(&rig.sched, &rig.cells[0]);
        rig_run(&rig, 1 * S);
        assert_int_equal(put(&rig, 1, 2, 1), DROP_NONE); /* it has left */
        rig_run(&rig, 2 * S);
        rig_free(&rig);
    }
}

/* rig_free() holds in = out + dropped + queued. */
TEST(books_are_even)
{
    struct rig rig;
    uint64_t seed = 7;
    q_new(&rig, 16, true);
    bucket_init(&rig.cells[0].bucket, 500, 20000, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t x = prng_between(&seed, 0, 1 << 20);
        put(&rig, (uint32_t)(x % MOBILES), (uint8_t)(x / 8 % RIG_FLOWS), (uint8_t)(x / 128 % SEGMENTS));
        if (x % 3 == 0)
            rig_run(&rig, rig.now + (int64_t)(x / 128) * (MS / 400));
    }
    assert_true(rig.by_reason[DROP_DUPLICATE] > 100 && rig.by_reason[DROP_QUEUE_FULL] > 100);
    assert_int_equal(rig.in + rig.refused, 20000);
    assert_int_equal(rig.refused, rig.by_reason[DROP_DUPLICATE]);
    rig_run(&rig, MOMENT_NEVER);
    assert_int_equal(rig.sched.pkts, 0);
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
