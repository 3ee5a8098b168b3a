/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of Gb, and what a GGSN says of a tunnel, that reach another worker than the one they are for; and
 * uplink frames of mobiles that are not where they are heard. */
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS_NSVC 1  /* worker 1's, besides the one that all have */
#define BVCI        2  /* of cell 0 of each worker */
#define FRAMES      40 /* of a burst */

static struct subscribers *subscribers;

/* Worker 1 has an NS-VC of its own, and the others know it. */
static void open(struct cluster *c, unsigned workers)
{
    struct msg nsvc = kit_nsvc(OTHERS_NSVC), use = {.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true};
    cluster_open(c, &(struct cluster_options){.workers = workers, .is_told = true});
    subscriber_open_all(subscribers, c);
    cluster_do(c, 1, &nsvc);
    cluster_do(c, 1, &use);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    for (unsigned i = 0; i < workers; i++)
        if (i != 1)
            cluster_do(c, i, &nsvc);
}

static struct worker_stats *stats_of(struct cluster *c, unsigned worker)
{
    return &c->nodes[worker].worker->stats;
}

/* A frame of a subscriber's from cell 0, at a worker's port, on an NS-VC. */
static void put(struct cluster *c, unsigned worker, uint8_t nsvc, const struct gb_frame_uplink *given)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = *given;
    in.nsvc = nsvc;
    size_t octets = gb_frame_uplink(frame, &in);
    /* NS-UNITDATA of the kit's cell becomes that of cell 0. */
    frame[42 + 2] = 0;
    frame[42 + 3] = BVCI;
    cluster_put_gb(c, worker, frame, octets);
}

static struct gb_frame_uplink frame_of(uint32_t id, uint16_t nu)
{
    return (struct gb_frame_uplink){.tlli = subscribers->list[id].tlli, .nu = nu, .number = nu, .octets = 60};
}

/* --- frames of Gb --- */

/* Users' packets and signalling, a burst of each, in order. */
TEST(goes_to_its_worker)
{
    struct cluster c;
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t alive[] = {0x0a};
    open(&c, 3);
    subscriber_begin(subscribers, 0, 1, 0);
    for (uint16_t i = 0; i < FRAMES; i++) {
        struct gb_frame_uplink in = frame_of(0, i);
        put(&c, i % 2 ? 0 : 2, OTHERS_NSVC, &in);
        cluster_settle(&c);
    }
    assert_int_equal(stats_of(&c, 1)->ul_npdu_out, FRAMES);
    cluster_put_gb(&c, 2, frame, gb_frame_wrap(frame, OTHERS_NSVC, alive, sizeof(alive)));
    cluster_settle(&c);
    struct msg msg;
    assert_true(cluster_take_told(&c, 1, &msg));
    assert_true(msg.type == MSG_PUNT && msg.slot == 1 && rte_pktmbuf_data_len(msg.mbuf) == 1);
    rte_pktmbuf_free(msg.mbuf);
    assert_int_equal(stats_of(&c, 0)->gb_steered_out, FRAMES / 2);
    assert_int_equal(stats_of(&c, 2)->gb_steered_out, FRAMES / 2 + 1);
    assert_int_equal(stats_of(&c, 1)->gb_steered_in, FRAMES + 1);
    assert_false(cluster_take_told(&c, 0, &msg) || cluster_take_told(&c, 2, &msg));
    cluster_close(&c);
}

/* Of nobody's NS-VC, or of one that its worker has no more. */
TEST(nobodys)
{
    struct cluster c;
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t alive[] = {0x0a};
    open(&c, 3);
    cluster_put_gb(&c, 0, frame, gb_frame_wrap(frame, 3, alive, sizeof(alive)));
    struct msg nsvc = kit_nsvc(3);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    cluster_do(&c, 2, &nsvc);
    cluster_put_gb(&c, 2, frame, gb_frame_wrap(frame, 3, alive, sizeof(alive)));
    cluster_settle(&c);
    assert_int_equal(stats_of(&c, 0)->gb_drops[DROP_UNKNOWN_NSVC], 1);
    assert_int_equal(stats_of(&c, 0)->gb_steered_out, 0);
    assert_int_equal(stats_of(&c, 1)->gb_drops[DROP_UNKNOWN_NSVC], 1);
    cluster_close(&c);
}

TEST(no_room_on_the_way)
{
    struct cluster c;
    open(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    const unsigned room = PEERS_RING - 1 + PEERS_WAITING, frames = room + 100;
    for (unsigned i = 0; i < frames; i++) {
        struct gb_frame_uplink in = frame_of(0, (uint16_t)(i & 511));
        put(&c, 0, OTHERS_NSVC, &in);
        cluster_step(&c, 0);
    }
    assert_int_equal(stats_of(&c, 0)->gb_drops[DROP_XWORKER_FULL], 100);
    assert_int_equal(stats_of(&c, 0)->gb_steered_out, room);
    cluster_settle(&c);
    assert_int_equal(stats_of(&c, 1)->gb_steered_in, room);
    cluster_close(&c);
}

/* Orders that name a worker that is not, this one, or an endpoint that is in use. */
TEST(bad_orders)
{
    struct cluster c;
    open(&c, 2);
    struct msg nsvc = kit_nsvc(3);
    nsvc.type = MSG_NSVC_AT;
    for (nsvc.nsvc_at.worker = 1; nsvc.nsvc_at.worker < 4; nsvc.nsvc_at.worker++)
        assert_int_equal(cluster_order(&c, 1, &nsvc), -1);
    nsvc = kit_nsvc(OTHERS_NSVC);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    assert_int_equal(cluster_order(&c, 0, &nsvc), -1);
    cluster_close(&c);
}

/* --- strangers --- */

/* Control is told of a frame of a mobile that is not here, and gives it to the worker that has the mobile. */
TEST(comes_back)
{
    struct cluster c;
    struct msg msg;
    open(&c, 2);
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    put(&c, 1, 0, &in);
    cluster_settle(&c);
    assert_true(cluster_take_told(&c, 1, &msg));
    assert_int_equal(msg.type, MSG_UNKNOWN_TLLI);
    assert_true(msg.tlli == subscribers->list[0].tlli && msg.heard.bvci == BVCI && msg.nse == 0);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    msg = (struct msg){.type = MSG_UPLINK, .slot = subscriber_slot(0, 1), .mbuf = msg.mbuf};
    cluster_do(&c, 1, &msg);
    assert_int_equal(stats_of(&c, 1)->ul_npdu_out, 1);
    assert_int_equal(stats_of(&c, 1)->gb_returned, 1);
    assert_int_equal(stats_of(&c, 1)->gb_drops[DROP_UNKNOWN_TLLI], 0);
    cluster_close(&c);
}

/* A worker that does not have the mobile refuses it. */
TEST(comes_back_in_vain)
{
    struct cluster c;
    struct msg msg;
    open(&c, 2);
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    put(&c, 1, 0, &in);
    cluster_settle(&c);
    assert_true(cluster_take_told(&c, 1, &msg));
    msg = (struct msg){.type = MSG_UPLINK, .slot = subscriber_slot(0, 1), .mbuf = msg.mbuf};
    assert_int_equal(cluster_order(&c, 1, &msg), -1);
    assert_int_equal(stats_of(&c, 1)->gb_returned, 0);
    assert_false(cluster_take_told(&c, 1, &msg));
    cluster_close(&c);
}

/* Where nobody wants to know they are dropped. */
TEST(nobody_asks)
{
    struct cluster c;
    cluster_open(&c, &(struct cluster_options){.workers = 2});
    subscriber_open_all(subscribers, &c);
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    put(&c, 1, 0, &in);
    cluster_settle(&c);
    assert_int_equal(stats_of(&c, 1)->gb_drops[DROP_UNKNOWN_TLLI], 1);
    cluster_close(&c);
}

/* --- a GGSN's word --- */

static void put_error(struct cluster *c, unsigned worker, uint32_t from_ip, uint32_t teid)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint32_t ip[2] = {from_ip, KIT_SGSN_IP};
    const uint16_t port[2] = {2152, 2152};
    const uint8_t error[] = {0x32,
                             26,
                             0,
                             16,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0, /* sequence number */
                             16,
                             (uint8_t)(teid >> 24),
                             (uint8_t)(teid >> 16),
                             (uint8_t)(teid >> 8),
                             (uint8_t)teid,
                             133,
                             0,
                             4,
                             KIT_GGSN_IP >> 24,
                             KIT_GGSN_IP >> 16 & 255,
                             KIT_GGSN_IP >> 8 & 255,
                             KIT_GGSN_IP & 255};
    cluster_put_gn(c, worker, frame, gn_frame_wrap(frame, ip, port, error, sizeof(error)));
    cluster_settle(c);
}

/* The worker of the tunnel knows; any other one asks control, but not on the word of somebody else. */
TEST(error_at_another_worker)
{
    struct cluster c;
    struct msg msg;
    open(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    struct msg added = subscriber_add_context(subscribers, 0, 0);
    put_error(&c, 0, KIT_GGSN_IP + 1, added.pdp.ggsn_teid);
    assert_false(cluster_take_told(&c, 0, &msg));
    put_error(&c, 0, KIT_GGSN_IP, added.pdp.ggsn_teid);
    assert_true(cluster_take_told(&c, 0, &msg));
    assert_true(msg.type == MSG_TUNNEL_ERROR && msg.tunnel_error.is_elsewhere &&
                msg.tunnel_error.ggsn_ip == KIT_GGSN_IP && msg.tunnel_error.teid == added.pdp.ggsn_teid &&
                msg.tunnel_error.sgsn_ip == KIT_SGSN_IP);
    assert_int_equal(stats_of(&c, 0)->gn_errors_elsewhere, 1);
    put_error(&c, 1, KIT_GGSN_IP, added.pdp.ggsn_teid);
    assert_true(cluster_take_told(&c, 1, &msg));
    assert_true(msg.type == MSG_TUNNEL_ERROR && !msg.tunnel_error.is_elsewhere);
    assert_int_equal(stats_of(&c, 1)->gn_tunnel_errors, 1);
    cluster_close(&c);
}

/* --- orders --- */

/* An answer says what it is about; a fence does nothing. */
TEST(answers_name_their_order)
{
    struct cluster c;
    open(&c, 2);
    cluster_post(&c, 0, &(struct msg){.type = MSG_FENCE, .slot = 77});
    cluster_settle(&c);
    const struct msg *answer = &c.nodes[0].answers[c.nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_FENCE && answer->slot == 77 && answer->answer.status == 0);
    subscriber_begin(subscribers, 3, 0, 0);
    struct msg move = subscriber_move(subscribers, 3, 1, 0);
    cluster_post(&c, 0, &move);
    cluster_settle(&c);
    answer = &c.nodes[0].answers[c.nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_MS_MOVE && answer->slot == move.slot &&
                answer->answer.status == 0);
    cluster_post(&c, 0, &(struct msg){.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(3, 0, 0)});
    cluster_settle(&c);
    answer = &c.nodes[0].answers[c.nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_PDP_DEL && answer->slot == subscriber_pdp_slot(3, 0, 0));
    cluster_post(&c, 0, &(struct msg){.type = MSG_MS_DEL, .slot = move.slot});
    cluster_settle(&c);
    answer = &c.nodes[0].answers[c.nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_MS_DEL && answer->slot == move.slot && answer->answer.status == 0);
    cluster_close(&c);
}

int main(void)
{
    subscribers = malloc(sizeof(*subscribers));
    int failed = subscribers ? UNIT_RUN(kit_start, NULL) : 1;
    free(subscribers);
    return failed;
}
