/* SPDX-License-Identifier: BSD-3-Clause */
/* Which queue of a mobile an arriving N-PDU of a flow gets. */
#include "tests/unit/unit.h"

#include "dataplane/queue/flow_tags.h"

#include <string.h>

#define QUEUES 4
#define OCTETS 1000

static const struct segmenting no_headers = {0};

struct bench {
    struct flow_sets fs;
    uint32_t set;
    struct flow_queue q;
    struct n_pdu n_pdus[64];
    unsigned used;
};

static void begin(struct bench *b, uint8_t queues)
{
    const struct flow_sets_params params = {1, FLOW_SETS_MIN_QUANTUM_OCTETS, queues, true};
    memset(b, 0, sizeof(*b));
    assert_true(flow_sets_new(&b->fs, &params));
    flow_tags_open(&b->fs, &b->set);
    assert_int_not_equal(b->set, FLOW_SETS_NONE);
}

/* An N-PDU of a flow, whose hash is of queue `number`; the queue that it gets. */
static unsigned put(struct bench *b, uint32_t flow, unsigned number)
{
    struct n_pdu *n_pdu = &b->n_pdus[b->used++];
    uint32_t upper = (uint32_t)(((uint64_t)number << 32) / b->fs.queues + (1 << 25)) & 0xff000000;
    *n_pdu = (struct n_pdu){.octets = OCTETS, .arrival_ns = b->used, .flow_hash = upper | flow};
    flow_tags_place(&b->fs, b->set, n_pdu);
    assert_int_equal(n_pdu->flow_hash & 0xffffff, flow);
    flow_sets_put(&b->fs, b->set, &b->q, n_pdu);
    return flow_sets_number_of(&b->fs, n_pdu);
}

static void take(struct bench *b)
{
    struct llc_next next = flow_queue_next(&b->q, &no_headers, 2 * OCTETS);
    assert_non_null(flow_sets_take(&b->fs, b->set, &b->q, &next));
}

/* Flows "a" to "z" arrive, each with the queue of its hash, and "-" takes the next N-PDU: the queues that
 * they get. */
static const struct row {
    const char *name, *in, *out;
} rows[] = {
    {"queues of their hashes", "a0 b1 c2 d3", "0123"},
    {"a flow keeps its queue", "a1 a1 - a1", "111"},
    {"two of one hash", "a1 b1 a1 b1", "1212"},
    {"the hash of another's second queue", "a1 b1 c2 b1 a1", "12321"},
    {"one that moved stays while its queue is empty", "a1 b1 c0 - - - b1 a1", "12021"},
    {"an empty queue of another", "a1 - b1", "12"},
    {"the least debt", "a0 b1 c2 c2 c2 d3 - - - - - - e2", "0122233"},
    {"more flows than queues", "a0 b1 c2 d3 e1", "01231"},
    {"one that shares does not overtake itself", "a0 b1 c2 d3 e1 - e1", "012311"},
    {"one that shared has its own afterwards", "a0 b1 c2 d3 e1 - - - - - e1", "012312"},
};

static void play(const struct row *row)
{
    struct bench b;
    unsigned puts = 0;
    const char *out = row->out;
    begin(&b, QUEUES);
    for (const char *in = row->in; *in; in += *in == ' ') {
        if (*in == '-') {
            take(&b);
            in++;
            continue;
        }
        unsigned queue = put(&b, (uint32_t)in[0], (unsigned)(in[1] - '0'));
        if (queue != (unsigned)(*out++ - '0'))
            fail_msg("%s: N-PDU %u in queue %u", row->name, puts, queue);
        puts++;
        in += 2;
    }
    flow_sets_free(&b.fs);
}

TEST_EACH(places, play, rows)

/* A queue that changes its flow has no debt of the other. */
TEST(a_new_flow_begins_at_the_virtual_time)
{
    struct bench b;
    begin(&b, 1);
    for (unsigned i = 0; i < 3; i++)
        put(&b, 'a', 0);
    for (unsigned i = 0; i < 3; i++)
        take(&b);
    uint32_t vt = flow_tags_set(&b.fs, b.set)->vt;
    assert_int_equal(b.fs.tags->queues[0].tag, vt + OCTETS);
    put(&b, 'b', 0);
    assert_int_equal(b.fs.tags->queues[0].tag, vt);
    flow_sets_free(&b.fs);
}

/* Each queue of sets of every size is reached. */
TEST(hashes)
{
    for (uint8_t queues = 1; queues <= FLOW_SETS_MAX_QUEUES; queues++) {
        struct bench b;
        uint64_t seen = 0;
        begin(&b, queues);
        for (unsigned i = 0; i < queues && i < COUNT(b.n_pdus); i++)
            seen |= UINT64_C(1) << put(&b, 0xffff00 + i, 0);
        assert_int_equal(__builtin_popcountll(seen), queues);
        flow_sets_free(&b.fs);
    }
}

UNIT_MAIN(NULL, NULL)
