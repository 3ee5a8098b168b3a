/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles that are away or nowhere, and what else of a mobile goes along with it. */
#include "dataplane/worker/fate.h"
#include "tests/unit/dataplane/shard/subscriber.h"

#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#define OLD_TLLI 0xd0000009u

/* Mobile 0 of worker 0, served by worker 1, or nowhere (there is no cell 3). */
static void open_away(struct cluster *c, bool is_nowhere)
{
    cluster_open(c, NULL);
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    assert_int_equal(subscriber_go(subscribers, 0, 1, is_nowhere ? CLUSTER_CELLS : 0), is_nowhere ? -1 : 0);
}

static void send(unsigned context, unsigned count, uint16_t octets)
{
    for (unsigned i = 0; i < count; i++)
        assert_true(subscriber_send(subscribers, 0, context, octets));
}

/* --- contexts --- */

/* Made while it is away, used, moved along, and deleted again. */
TEST(contexts)
{
    for (unsigned i = 0; i < 2; i++) {
        struct cluster c;
        bool is_nowhere = i == 1;
        open_away(&c, is_nowhere);
        struct msg pdp = subscriber_add_context(subscribers, 0, 1);
        struct msg del = {.type = MSG_PDP_DEL, .slot = pdp.slot};
        cluster_do(&c, 0, &pdp);
        if (!is_nowhere) /* no tunnel may lead to it there, whatever its TEID looks like */
            assert_int_equal(c.nodes[1].worker->context.pdps[pdp.server_pdp].params.teid, 0);
        send(1, 5, 900);
        send(0, 2, 100);
        cluster_settle(&c);
        assert_int_equal(cluster_stats(&c, 0)->npdu_held, is_nowhere ? 7 : 0);
        assert_int_equal(subscriber_go(subscribers, 0, 0, 1), 0);
        send(1, 2, 80);
        cluster_settle(&c);
        assert_int_equal(subscriber_go(subscribers, 0, 1, 1), 0);
        send(1, 2, 70);
        cluster_settle(&c);
        subscriber_check_all_came(subscribers);
        cluster_do(&c, 0, &del);
        assert_int_equal(cluster_order(&c, 0, &del), -1);
        send(1, 1, 70);
        cluster_settle(&c);
        assert_int_equal(cluster_stats(&c, 0)->gn_drops[DROP_STALE_TEID], 1);
        assert_int_equal(cluster_drops(&c), 1);
        cluster_close(&c);
    }
}

/* The slot at the server is taken: then there is none at home either, and what came for it is gone. */
TEST_IN(context_refused, struct cluster, c, open_away(c, false), cluster_close(c))
{
    struct msg pdp = subscriber_add_context(subscribers, 0, 1);
    pdp.server_pdp = subscriber_pdp_slot(0, 0, 1);
    uint32_t seq = cluster_post(c, 0, &pdp);
    cluster_step(c, 0);
    send(1, 3, 100);
    cluster_settle(c);
    int status = 0;
    assert_true(cluster_is_answered(c, 0, seq, &status));
    assert_int_equal(status, -1);
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_CONTEXT_DELETED], 3);
    pdp.server_pdp = subscriber_pdp_slot(0, 1, 1);
    cluster_do(c, 0, &pdp);
    assert_int_equal(cluster_order(c, 0, &pdp), -1);
    subscribers->list[0].contexts[1].seen = subscribers->list[0].contexts[1].sent;
    send(1, 1, 100);
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
}

#define ONE_LINK                                                                                             \
    .abm = {.links = 1,                                                                                      \
            .buffers = 64,                                                                                   \
            .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 16, .k_up = 8, .n200 = 3}}

static const struct cluster_options with_links = {ONE_LINK}, told_of_links = {ONE_LINK, .is_told = true};

/* The mode of a mobile's context at a worker that has it. */
static void check_mode(const struct cluster *c, uint32_t id, unsigned worker, bool is_acknowledged)
{
    const struct worker *w = c->nodes[worker].worker;
    assert_int_equal(w->context.pdps[subscriber_pdp_slot(id, 0, worker)].params.is_acknowledged,
                     is_acknowledged);
}

/* Of links that begin and end. */
static void ignore(void *unused_arg, unsigned unused_worker, const uint8_t *unused_frame,
                   size_t unused_octets)
{
}

/* The link of a mobile that is away is its server's; the home has the mode for when it comes back. */
TEST_IN(mode_of_llc, struct cluster, c, cluster_open(c, &with_links), cluster_close(c))
{
    struct msg mode = {.type = MSG_PDP_LLC, .slot = subscriber_pdp_slot(0, 0, 0)}, other = mode;
    mode.llc_mode = other.llc_mode = (struct msg_llc_mode){.generation = 9, .is_acknowledged = true};
    other.slot = subscriber_pdp_slot(1, 0, 1);
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    subscriber_begin(subscribers, 1, 1, 0);
    c->on_gb = ignore;
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    cluster_do(c, 0, &mode);
    for (unsigned worker = 0; worker < 2; worker++) {
        check_mode(c, 0, worker, true);
        assert_int_equal(c->nodes[worker].worker->abm.free_count, worker == 0);
    }
    assert_int_equal(cluster_order(c, 1, &other), MSG_NO_LINK);
    check_mode(c, 1, 1, false);
    assert_int_equal(cluster_stats(c, 1)->abm_refused, 1);
    assert_int_equal(subscriber_go(subscribers, 0, 0, 1), 0);
    check_mode(c, 0, 0, true);
    assert_int_equal(c->nodes[0].worker->abm.free_count, 0);
    cluster_do(c, 1, &other);
    mode.llc_mode.is_acknowledged = false;
    cluster_do(c, 0, &mode);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    mode.llc_mode.is_acknowledged = true;
    assert_int_equal(cluster_order(c, 0, &mode), MSG_NO_LINK); /* the other one has the link */
    check_mode(c, 0, 0, false);
    check_mode(c, 0, 1, false);
}

/* A mobile whose new worker has no link for it: control is told which context that is. */
TEST_IN(mode_of_llc_lost, struct cluster, c, cluster_open(c, &told_of_links), cluster_close(c))
{
    struct msg modes[2], lost;
    subscriber_open_all(subscribers, c);
    for (unsigned i = 0; i < 2; i++) {
        modes[i] = (struct msg){
            .type = MSG_PDP_LLC, .slot = subscriber_pdp_slot(i, 0, i), .llc_mode = {.is_acknowledged = true}};
        subscriber_begin(subscribers, i, i, 0);
        cluster_do(c, i, &modes[i]);
    }
    c->on_gb = ignore;
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    assert_true(cluster_take_told(c, 1, &lost));
    assert_true(lost.type == MSG_LLC_LOST && lost.slot == subscriber_pdp_slot(0, 0, 1));
    assert_false(cluster_take_told(c, 1, &lost));
    assert_int_equal(cluster_stats(c, 1)->abm_refused, 1);
    assert_int_equal(cluster_order(c, 0, &modes[0]), MSG_NO_LINK);
    modes[0].llc_mode.is_acknowledged = false;
    cluster_do(c, 0, &modes[0]);
    check_mode(c, 0, 0, false);
    check_mode(c, 0, 1, false);
    check_mode(c, 1, 1, true);
    assert_int_equal(c->nodes[1].worker->abm.free_count, 0);
}

/* Without a server there is no link to be had. */
TEST_IN(mode_of_llc_nowhere, struct cluster, c, open_away(c, true), cluster_close(c))
{
    const struct msg mode = {
        .type = MSG_PDP_LLC, .slot = subscriber_pdp_slot(0, 0, 0), .llc_mode = {.is_acknowledged = true}};
    assert_int_equal(cluster_order(c, 0, &mode), MSG_NO_LINK);
    check_mode(c, 0, 0, false);
}

/* --- deleted nowhere --- */

TEST_IN(nowhere_deleted, struct cluster, c, cluster_open(c, NULL), cluster_close(c))
{
    struct trace_event event;
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    struct msg second = subscriber_add_context(subscribers, 0, 1);
    cluster_do(c, 0, &second);
    cluster_flow(c, 0, 0, 600, 0);
    send(0, 2, 1400);
    send(1, 2, 100);
    cluster_settle(c);
    assert_int_equal(subscriber_go(subscribers, 0, 1, CLUSTER_CELLS), -1);
    send(1, 3, 100);
    cluster_settle(c);
    c->nodes[0].worker->trace = fate_trace_new("nowhere", 16);
    cluster_do(c, 0, &(struct msg){.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(0, 1, 0)});
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_CONTEXT_DELETED], 5);
    assert_int_equal(cluster_stats(c, 0)->npdu_held, 2);
    cluster_do(c, 0, &(struct msg){.type = MSG_MS_DEL, .slot = subscriber_slot(0, 0)});
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_CONTEXT_DELETED], 6);
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_PARTIAL], 1);
    for (unsigned i = 0; i < 7; i++) {
        assert_true(fate_trace_take(c->nodes[0].worker->trace, &event));
        assert_int_equal(event.pdp, subscriber_pdp_slot(0, i < 5, 0));
        assert_int_equal(event.generation, 1);
    }
    rte_ring_free(c->nodes[0].worker->trace);
    c->nodes[0].worker->trace = NULL;
    subscriber_begin(subscribers, 0, 0, 0);
}

/* What a context that ended had waiting makes room for others. */
TEST_IN(room_after_a_context, struct cluster, c, open_away(c, true), cluster_close(c))
{
    struct msg second = subscriber_add_context(subscribers, 0, 1);
    cluster_do(c, 0, &second);
    for (unsigned i = 0; i < MOVES_HELD; i += 32) {
        send(i % 64 / 32, 32, 60);
        cluster_settle(c);
    }
    cluster_do(c, 0, &(struct msg){.type = MSG_PDP_DEL, .slot = second.slot});
    assert_int_equal(cluster_stats(c, 0)->npdu_held, MOVES_HELD / 2);
    for (unsigned i = 0; i < MOVES_HELD / 2 + 32; i += 32) {
        send(0, 32, 60);
        cluster_settle(c);
    }
    assert_int_equal(cluster_stats(c, 0)->npdu_held, MOVES_HELD);
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_MOVE_FULL], 32);
}

/* --- what goes along --- */

static struct ms *ms_at(struct cluster *c, unsigned worker)
{
    return &c->nodes[worker].worker->context.mobiles[subscriber_slot(0, worker)];
}

TEST_IN(state_of_a_mobile, struct cluster, c, cluster_open(c, NULL), cluster_close(c))
{
    struct msg tlli = {.type = MSG_MS_TLLI,
                       .slot = subscriber_slot(0, 0),
                       .assigned = {.tlli = KIT_TLLI, .keeps_old = true}};
    struct msg elements = {
        .type = MSG_MS_ELEMENTS, .tlli = KIT_TLLI, .elements = {3, 4, {1, 2, 3, 4, 5, 6, 7}}};
    struct msg cipher = {.type = MSG_MS_PM, .slot = subscriber_slot(0, 0), .unprotected_sapis = 5};
    subscriber_open_all(subscribers, c);
    struct msg ms = subscriber_add(subscribers, 0, 0, 0), pdp = subscriber_add_context(subscribers, 0, 0);
    ms.ms.tlli = OLD_TLLI;
    ms.ms.imsi_octets = 3;
    memcpy(ms.ms.imsi, "abc", 3);
    ms.ms.link_octets = 33;
    cluster_do(c, 0, &ms);
    cluster_do(c, 0, &pdp);
    cluster_do(c, 0, &tlli);
    cluster_do(c, 0, &cipher);
    cluster_do(c, 0, &elements);
    struct ms before = *ms_at(c, 0);
    before.cipher.now = (struct llc_key){.key = {1, 2}, .iov_ui = 3, .algorithm = 3};
    ms_at(c, 0)->cipher = before.cipher;
    assert_int_equal(subscriber_go(subscribers, 0, 1, 2), 0);
    const struct ms *after = ms_at(c, 1);
    assert_true(after->tlli == KIT_TLLI && after->tlli_old == OLD_TLLI && after->has_tlli_old);
    assert_true(after->unprotected == 5 && after->bvc == 2 && after->imsi_octets == 3);
    assert_memory_equal(after->imsi, "abc", 3);
    assert_memory_equal(&after->cipher, &before.cipher, sizeof(before.cipher));
    assert_memory_equal(after->llc, before.llc, sizeof(before.llc));
    assert_int_equal(after->sched.link_octets, 33 + 6 + 7);
    assert_true(after->tells_tlli_old && after->has_elements);
    const struct bssgp_elements *went = context_elements_of(&c->nodes[1].worker->context, after);
    assert_memory_equal(went, &elements.elements, sizeof(*went));
    assert_int_equal(after->sched.n201_u, c->options.n201_u);
    assert_int_equal(after->sched.limit_octets, c->options.queue_limit_octets);
    assert_false(ms_at(c, 0)->in_use);
    /* Both TLLIs lead to it there, none to it here. */
    for (unsigned i = 0; i < 2; i++) {
        struct msg flow = {.type = MSG_MS_DEFAULTS, .tlli = i ? OLD_TLLI : KIT_TLLI};
        assert_int_equal(cluster_order(c, 0, &flow), -1);
        assert_int_equal(cluster_order(c, 1, &flow), 0);
    }
}

static bool is_reached(struct cluster *c)
{
    struct msg msg;
    return cluster_take_told(c, 1, &msg) && msg.type == MSG_MS_REACHED;
}

/* One that is suspended stays so; one that RADIO-STATUS spoke of was heard in its new cell. So it is with a
 * message of control that waits for it. */
TEST(frozen)
{
    static const struct cluster_options is_told = {.is_told = true};
    for (unsigned i = 0; i < 2; i++) {
        struct cluster c;
        struct msg freeze = {.type = i ? MSG_MS_LOST : MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_lost = true};
        cluster_open(&c, &is_told);
        subscriber_open_all(subscribers, &c);
        subscriber_begin(subscribers, 0, 0, 0);
        cluster_do(&c, 0, &freeze);
        cluster_do(&c, 0, &(struct msg){.type = MSG_MS_WANTED});
        send(0, 3, 1000);
        cluster_settle(&c);
        assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
        assert_int_equal(cluster_queued(&c), i ? 0 : 3);
        assert_int_equal(is_reached(&c), i);
        freeze.is_lost = false;
        cluster_do(&c, 1, &freeze);
        assert_int_equal(is_reached(&c), !i);
        subscriber_check_all_came(subscribers);
        cluster_close(&c);
    }
}

/* What became of an N-PDU is told of the context that it had at the end, one that waited and moved as well as
 * one that came later. */
TEST_IN(traced, struct cluster, c, open_away(c, false), cluster_close(c))
{
    struct trace_event event;
    assert_int_equal(subscriber_go(subscribers, 0, 0, 0), 0);
    cluster_flow(c, 0, 0, 0, 0);
    send(0, 1, 400);
    cluster_settle(c);
    c->nodes[1].worker->trace = fate_trace_new("traced", 16);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    send(0, 1, 300);
    cluster_settle(c);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(fate_trace_take(c->nodes[1].worker->trace, &event));
        assert_int_equal(event.octets, 400 - 100 * i);
        assert_int_equal(event.pdp, subscriber_pdp_slot(0, 0, 1));
        assert_int_equal(event.generation, 2); /* of the slot's second context */
    }
    rte_ring_free(c->nodes[1].worker->trace);
    c->nodes[1].worker->trace = NULL;
}

/* Its bucket is empty and has the new cell's defaults, whatever was announced for it in the old one. */
TEST(buckets)
{
    struct cluster c;
    struct msg flow = {.type = MSG_MS_FLOW, .tlli = KIT_TLLI};
    flow.flow = (struct gb_flow){.bucket_octets = 1000, .rate_bps = 0, .ratio_percent = -1};
    cluster_open(&c, NULL);
    subscriber_open_all(subscribers, &c);
    subscriber_begin(subscribers, 0, 0, 0);
    cluster_do(&c, 0, &flow);
    send(0, 4, 400);
    cluster_settle(&c);
    assert_int_equal(subscribers->list[0].frames, 2);
    cluster_flow(&c, 1, 0, 410, 8000);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    assert_int_equal(subscribers->list[0].frames, 3);
    cluster_settle_at(&c, c.now + 409 * KIT_MS);
    assert_int_equal(subscribers->list[0].frames, 3);
    cluster_settle_at(&c, c.now + 1 * KIT_MS);
    assert_int_equal(subscribers->list[0].frames, 4);
    cluster_close(&c);
}

/* --- answers --- */

/* Control does not listen: a move goes on, its answer waits and comes. */
TEST_IN(answers_wait, struct cluster, c, open_away(c, false), cluster_close(c))
{
    struct msg msg, filler = {.type = MSG_ANSWER};
    unsigned count = 0;
    struct worker *home = c->nodes[0].worker;
    struct msg move = subscriber_move(subscribers, 0, 0, 0);
    uint32_t seq = cluster_post(c, 0, &move);
    worker_step(home, c->now);
    while (msg_put(home->rings.to_control, &filler))
        count++;
    send(0, 3, 100);
    for (unsigned i = 0; i < 8; i++)
        worker_step(c->nodes[(i + 1) % 2].worker, c->now);
    assert_int_equal(worker_step(home, c->now), MOMENT_NEVER);
    assert_int_equal(home->stats.npdu_out, 3);
    while (count-- > 0)
        assert_true(msg_take(home->rings.to_control, &msg) && msg.seq == 0);
    worker_step(home, c->now);
    assert_true(msg_take(home->rings.to_control, &msg));
    assert_true(msg.seq == seq && msg.answer.status == 0 && msg.answer.type == MSG_MS_MOVE);
    assert_false(msg_take(home->rings.to_control, &msg));
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
}

UNIT_MAIN(subscriber_start, subscriber_stop)
