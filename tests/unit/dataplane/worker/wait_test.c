/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What queued N-PDUs wait for, through worker_step(): a bottleneck is planted, and the time with a queue that
 * is not empty must be that cause's. The test integrates the time itself, from the queues between steps.
 */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/context/context_look.h"
#include "dataplane/sched/ms.h"

#define S          MOMENT_SECOND
#define OCTETS     500
#define NARROW     1200, 8000 /* octets, bit/s: an N-PDU in half a second */
#define WIDE       1000000, 100000000
#define OTHER_TLLI (KIT_TLLI + 1)
#define OTHER_TEID (KIT_TEID + 1)
#define MOBILES    2

struct bottleneck {
    struct kit kit;
    uint32_t busy_ticks[MOBILES];    /* with a queue that is not empty */
    uint64_t sojourn_ticks[MOBILES]; /* of all N-PDUs: the integral of the queue's length */
};

static uint32_t backlog_pkts(const struct bottleneck *b, unsigned i)
{
    const struct context *c = &b->kit.worker->context;
    return c->mobiles[i].in_use ? (uint32_t)sched_ms_backlog(&c->sched, &c->mobiles[i].sched).pkts : 0;
}

/* The queues stay as they are from one step to the next. */
static void go_to(struct bottleneck *b, int64_t at_ns)
{
    uint32_t ticks = sched_wait_tick(at_ns) - sched_wait_tick(b->kit.now);
    for (unsigned i = 0; i < MOBILES; i++) {
        b->busy_ticks[i] += backlog_pkts(b, i) > 0 ? ticks : 0;
        b->sojourn_ticks[i] += (uint64_t)backlog_pkts(b, i) * ticks;
    }
    b->kit.now = at_ns;
}

static void run(struct bottleneck *b, int64_t for_ns)
{
    int64_t until_ns = b->kit.now + for_ns, next_ns;
    while ((next_ns = kit_settle(&b->kit)) <= until_ns) {
        kit_drain(&b->kit.gb);
        go_to(b, next_ns);
    }
    go_to(b, until_ns);
    kit_settle(&b->kit);
    kit_drain(&b->kit.gb);
}

static void put(struct bottleneck *b, uint32_t teid, unsigned n_pdus)
{
    for (unsigned i = 0; i < n_pdus; i++)
        gn_frame_put(&b->kit, teid, OCTETS);
}

static struct sched_wait_now read_ms(const struct bottleneck *b, unsigned i)
{
    struct sched_wait_now wait;
    assert_true(context_look_wait(&b->kit.worker->context, i, b->kit.now, &wait));
    return wait;
}

/* The sum of all causes is the time with a queue, exactly. */
static void check_sum(const struct bottleneck *b, unsigned i)
{
    struct sched_wait_now wait = read_ms(b, i);
    uint32_t sum = 0;
    for (unsigned cause = SCHED_WAIT_NONE + 1; cause < SCHED_WAIT_CAUSES; cause++)
        sum += wait.ticks[cause];
    assert_int_equal(sum, b->busy_ticks[i]);
    assert_true(b->sojourn_ticks[i] >= b->busy_ticks[i]);
}

/* Of the mobile's waiting the cause has this much, in percent, and is its cause now if N-PDUs wait. */
static void check_cause(const struct bottleneck *b, unsigned i, enum sched_wait_cause cause,
                        unsigned least_percent)
{
    struct sched_wait_now wait = read_ms(b, i);
    check_sum(b, i);
    assert_true(b->busy_ticks[i] > sched_wait_tick(S));
    if ((uint64_t)wait.ticks[cause] * 100 < (uint64_t)b->busy_ticks[i] * least_percent)
        fail_msg("mobile %u waits %u of %u ticks for %s", i, wait.ticks[cause], b->busy_ticks[i],
                 sched_wait_name(cause));
}

static void check_now(const struct bottleneck *b, unsigned i, enum sched_wait_cause cause)
{
    assert_string_equal(sched_wait_name(read_ms(b, i).cause), sched_wait_name(cause));
}

/* --- set-up --- */

/* The cell's bucket, and that of its mobiles. */
static void set_flow(struct bottleneck *b, uint64_t octets, uint64_t rate_bps, uint64_t ms_octets,
                     uint64_t ms_rate_bps)
{
    struct msg msg = {.type = MSG_BVC_FLOW};
    msg.flow = (struct gb_flow){octets, rate_bps, ms_octets, ms_rate_bps, .ratio_percent = -1};
    kit_do(&b->kit, &msg);
}

static void open_kit(struct bottleneck *b, const struct kit_options *options)
{
    *b = (struct bottleneck){0};
    kit_open(&b->kit, options);
    set_flow(b, WIDE, WIDE);
}

#define WAIT_TEST(name, ...)                                                                                 \
    TEST_IN(name, struct bottleneck, b, open_kit(b, &((struct kit_options){__VA_ARGS__})), kit_close(&b->kit))

/* --- buckets --- */

WAIT_TEST(own_bucket, 0)
{
    set_flow(b, WIDE, NARROW);
    put(b, KIT_TEID, 6);
    check_now(b, 0, SCHED_WAIT_MS);
    run(b, S / 5);
    check_now(b, 0, SCHED_WAIT_MS);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_MS, 100);
}

WAIT_TEST(cell_bucket, 0)
{
    set_flow(b, NARROW, WIDE);
    put(b, KIT_TEID, 6);
    check_now(b, 0, SCHED_WAIT_BVC);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_BVC, 100);
}

WAIT_TEST(link_bucket, 0)
{
    kit_do(&b->kit, &(struct msg){.type = MSG_NSE_RATE, .link = {8000, 1600, 10}});
    put(b, KIT_TEID, 6);
    check_now(b, 0, SCHED_WAIT_LINK);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_LINK, 100);
}

/* The packet flow of its context has a narrow bucket, the mobile has not. */
WAIT_TEST(packet_flow_bucket, 0)
{
    struct msg flow = {.type = MSG_PFC_FLOW, .tlli = KIT_TLLI};
    flow.pfc.pfi = 9;
    flow.pfc.flow = (struct gb_flow){1200, 8000, .ratio_percent = -1};
    kit_do(&b->kit, &(struct msg){.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = 9});
    kit_do(&b->kit, &flow);
    kit_do(&b->kit, &(struct msg){.type = MSG_PDP_PFI, .pfi = 9});
    put(b, KIT_TEID, 6);
    check_now(b, 0, SCHED_WAIT_PFC);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_PFC, 100);
}

/* The mobile does not answer SABM: its context in acknowledged mode may send nothing. */
WAIT_TEST(window,
          .abm = {.links = 2,
                  .buffers = 64,
                  .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 16, .k_up = 8, .n200 = 8},
                  .seed = 1})
{
    struct msg pdp = kit_pdp(1, 0, KIT_NSAPI + 1, OTHER_TEID);
    pdp.pdp.sapi = 5;
    pdp.pdp.is_acknowledged = true;
    kit_do(&b->kit, &pdp);
    put(b, OTHER_TEID, 2);
    check_now(b, 0, SCHED_WAIT_WINDOW);
    run(b, 5 * S);
    check_cause(b, 0, SCHED_WAIT_WINDOW, 100);
}

/* --- turns --- */

/* In one cell: mobile 0 in a class with a hundred times the weight of the other's. */
static void add_other(struct bottleneck *b)
{
    struct msg ms = kit_ms(&b->kit, 1, OTHER_TLLI), pdp = kit_pdp(1, 1, KIT_NSAPI, OTHER_TEID);
    kit_do(&b->kit, &ms);
    kit_do(&b->kit, &pdp);
    kit_do(&b->kit, &(struct msg){.type = MSG_PDP_QCLASS, .slot = 0, .qclass = QCLASS_CONVERSATIONAL});
}

WAIT_TEST(turn, 0)
{
    add_other(b);
    set_flow(b, NARROW, WIDE);
    put(b, KIT_TEID, 4);
    put(b, OTHER_TEID, 3);
    put(b, KIT_TEID, 30);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_BVC);
    check_now(b, 1, SCHED_WAIT_TURN);
    run(b, 30 * S);
    check_now(b, 1, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_BVC, 90);
    check_cause(b, 1, SCHED_WAIT_TURN, 90);
}

/* --- mobiles and cells that are not sent to --- */

WAIT_TEST(suspended, 0)
{
    struct msg suspend = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    kit_do(&b->kit, &suspend);
    put(b, KIT_TEID, 2);
    check_now(b, 0, SCHED_WAIT_SUSPENDED);
    run(b, 5 * S);
    suspend.is_suspended = false;
    kit_do(&b->kit, &suspend);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_SUSPENDED, 100);
}

WAIT_TEST(page, .has_paging = true, .ready_ns = 10 * S)
{
    struct msg told;
    run(b, 30 * S);
    put(b, KIT_TEID, 2);
    check_now(b, 0, SCHED_WAIT_PAGE);
    run(b, 5 * S);
    assert_true(kit_take_msg(&b->kit, &told) && told.type == MSG_PAGE_WANTED);
    kit_from_ms(&b->kit, 0, KIT_BVCI, KIT_TLLI);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_PAGE, 100);
    kit_drain(&b->kit.gn);
    kit_drain(&b->kit.gb);
}

WAIT_TEST(no_nsvc_is_usable, 0)
{
    struct msg use = {.type = MSG_NSVC_STATE, .is_usable = false};
    kit_do(&b->kit, &use);
    put(b, KIT_TEID, 2);
    check_now(b, 0, SCHED_WAIT_DOWN);
    run(b, 5 * S);
    use.is_usable = true;
    kit_do(&b->kit, &use);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_DOWN, 100);
}

/* N-PDUs wait for the cell's bucket when the cell is blocked; after it is unblocked they go on. */
WAIT_TEST(cell_blocked, 0)
{
    struct msg block = {.type = MSG_BVC_STATE, .is_unblocked = false};
    set_flow(b, NARROW, WIDE);
    put(b, KIT_TEID, 6);
    run(b, S / 10);
    kit_do(&b->kit, &block);
    check_now(b, 0, SCHED_WAIT_DOWN);
    run(b, 60 * S);
    block.is_unblocked = true;
    kit_do(&b->kit, &block);
    run(b, 10 * S);
    check_now(b, 0, SCHED_WAIT_NONE);
    check_cause(b, 0, SCHED_WAIT_DOWN, 95);
    struct sched_wait_now wait = read_ms(b, 0);
    assert_int_equal(wait.ticks[SCHED_WAIT_DOWN],
                     sched_wait_tick(b->kit.now - 10 * S) - sched_wait_tick(b->kit.now - 70 * S));
    assert_int_equal(wait.ticks[SCHED_WAIT_BVC] + wait.ticks[SCHED_WAIT_DOWN], b->busy_ticks[0]);
}

/* --- one N-PDU --- */

/* Its wait is its delay: in each cause in turn. */
WAIT_TEST(delay_of_an_n_pdu, 0)
{
    struct msg suspend = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    set_flow(b, WIDE, 1200, 800);
    put(b, KIT_TEID, 3);
    run(b, S);
    kit_do(&b->kit, &suspend);
    run(b, S);
    suspend.is_suspended = false;
    kit_do(&b->kit, &suspend);
    run(b, 30 * S);
    assert_int_equal(b->sojourn_ticks[0], b->busy_ticks[0]);
    check_sum(b, 0);
    assert_int_equal(read_ms(b, 0).ticks[SCHED_WAIT_SUSPENDED],
                     sched_wait_tick(3 * S) - sched_wait_tick(2 * S));
}

UNIT_MAIN(kit_start, NULL)
