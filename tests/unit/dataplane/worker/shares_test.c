/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring to control while one sender floods it: what others send finds a place, and places that no other
 * share wants are lent. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/wire/gtpc.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/shares.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#define ROUNDS  150
#define SERVED  10 /* messages that control takes in a round */
#define PLACES  768
#define MOST    1023
#define SURE    4
#define ALONE   615 /* places of a peer or an NSE alone: 4 of 5 */
#define KIND    384 /* of a kind of senders: half */
#define KEPT    512
#define GTPC    2123
#define PEER    (KIT_GGSN_IP + 1)
#define SEQ     7
#define NSE     1
#define UNKNOWN 9 /* number of an NS-VC that is not there */

static const struct kit_options live = {.has_gtpc = true, .has_neighbours = true, .has_unlisted = true};

/* --- who sends --- */

static void from_nsvc(struct kit *kit, uint8_t nsvc, uint8_t type)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gb(kit, frame, gb_frame_wrap(frame, nsvc, &type, 1));
}

static void from_first(struct kit *kit)
{
    from_nsvc(kit, 0, 0x0a);
}

static void from_second(struct kit *kit)
{
    from_nsvc(kit, 1, 0x0a);
}

static void from_unlisted(struct kit *kit)
{
    from_nsvc(kit, UNKNOWN, 0x02);
}

/* Echo Request or Echo Response. */
static void gtpc_from(struct kit *kit, uint32_t source, uint8_t type, uint16_t port)
{
    const uint8_t echo[12] = {0x32, type, 0, 4, 0, 0, 0, 0, 0, SEQ, 0, 0};
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, (uint32_t[]){source, KIT_SGSN_IP}, (uint16_t[]){3333, port}, echo,
                              sizeof(echo)));
}

static void from_peer(struct kit *kit)
{
    gtpc_from(kit, PEER, 1, GTPC);
}

static void answer_of_peer(struct kit *kit)
{
    gtpc_from(kit, PEER, 2, gtpc_port_of(&kit->worker->gtpc.key, PEER, SEQ));
}

static void from_host(struct kit *kit)
{
    gtpc_from(kit, PEER + 1, 1, GTPC);
}

static void by_icmp(struct kit *kit)
{
    uint8_t frame[60] = {[12] = 0x86, [13] = 0xdd, [14] = 0x60, [19] = 6, [20] = 58, [21] = 64, [54] = 128};
    kit_from_gb(kit, frame, sizeof(frame));
}

static void by_arp(struct kit *kit)
{
    uint8_t frame[60] = {[12] = 0x08, [13] = 0x06, [28] = 198, 51, 100, 7};
    kit_from_gb(kit, frame, sizeof(frame));
}

static void open(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1);
    nsvc.nsvc.nse = NSE;
    kit_open(kit, &live);
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = NSE, .nsei = 102});
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_GN_PEER, .address = {.ip = PEER}});
}

/* Takes so many messages, and returns how many of them are of this kind. */
static unsigned serve(struct kit *kit, unsigned count, uint16_t type, uint32_t slot)
{
    unsigned found = 0;
    struct msg msg;
    for (; count > 0 && kit_take_msg(kit, &msg); count--) {
        found += msg.type == type && (type != MSG_PUNT || msg.slot == slot);
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    return found;
}

/* --- a flood beside others --- */

struct share_case {
    const char *name;
    void (*send)(struct kit *kit);
    uint16_t type;
    uint32_t slot;
};

static const struct share_case victims[] = {
    {"another NSE", from_second, MSG_PUNT, 1},           {"a peer of GTP-C", from_peer, MSG_PUNT_GN, 0},
    {"another host's GTP-C", from_host, MSG_PUNT_GN, 0}, {"ARP", by_arp, MSG_PUNT_FRAME, 0},
    {"an unlisted NSE", from_unlisted, MSG_UNLISTED, 0},
};

/* The first of the flood that are not served at once leave no ring that is full. */
TEST(a_flood_leaves_others_their_places)
{
    static const unsigned per_victim[] = {20, 100, 400};
    for (size_t i = 0; i < COUNT(victims) * COUNT(per_victim); i++) {
        const struct share_case *victim = &victims[i % COUNT(victims)];
        unsigned got = 0;
        struct kit kit;
        open(&kit);
        for (unsigned k = 0; k < ROUNDS; k++) {
            kit.now += MOMENT_SECOND / 5;
            for (unsigned n = 0; n < per_victim[i / COUNT(victims)]; n++)
                from_first(&kit);
            victim->send(&kit);
            assert_true(rte_ring_count(kit.worker->rings.to_control) <= PLACES);
            got += serve(&kit, SERVED, victim->type, victim->slot);
        }
        got += serve(&kit, UINT32_MAX, victim->type, victim->slot);
        if (got != ROUNDS)
            fail_msg("%s: %u of %u came through", victim->name, got, ROUNDS);
        assert_true(kit.worker->stats.gb_drops[DROP_PUNT_FULL] > 0);
        kit_close(&kit);
    }
}

/* Two that want all get as much as the other within a tenth, and the loss of each has its name. */
TEST_IN(two_floods_share, struct kit, kit, open(kit), kit_close(kit))
{
    const struct shares *s = &kit->worker->shares;
    unsigned of_first = 0, of_second = 0;
    for (unsigned k = 0; k < 50 * ROUNDS + PLACES; k++) {
        from_first(kit);
        from_first(kit);
        from_second(kit);
        struct msg msg;
        if (k < PLACES || !kit_take_msg(kit, &msg))
            continue;
        of_first += msg.slot == 0 && k >= 10 * ROUNDS + PLACES;
        of_second += msg.slot == 1 && k >= 10 * ROUNDS + PLACES;
        rte_pktmbuf_free(msg.mbuf);
    }
    assert_true(of_first + of_second == 40 * ROUNDS);
    assert_true(of_first <= of_second + 2 * ROUNDS && of_second <= of_first + 2 * ROUNDS);
    assert_true(s->rows[SHARE_NSES].lost > s->rows[SHARE_NSES + NSE].lost &&
                s->rows[SHARE_NSES + NSE].lost > 0);
    assert_int_equal(s->rows[SHARE_NSES].lost + s->rows[SHARE_NSES + NSE].lost,
                     kit->worker->stats.gb_drops[DROP_PUNT_FULL]);
    serve(kit, UINT32_MAX, MSG_PUNT, 0);
}

/* One alone may have four of five places at once, and whatever control can serve. */
TEST_IN(what_nobody_wants_is_lent, struct kit, kit, open(kit), kit_close(kit))
{
    for (unsigned i = 0; i < PLACES * 3 / 4; i++)
        from_first(kit);
    assert_int_equal(serve(kit, UINT32_MAX, MSG_PUNT, 0), PLACES * 3 / 4);
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned k = 0; k < SERVED; k++)
            from_first(kit);
        assert_int_equal(serve(kit, SERVED, MSG_PUNT, 0), SERVED);
    }
    assert_int_equal(kit->worker->stats.gb_drops[DROP_PUNT_FULL], 0);
}

TEST_IN(each_in_its_own, struct kit, kit, open(kit), kit_close(kit))
{
    static const struct {
        void (*send)(struct kit *kit);
        uint32_t share;
    } rows[] = {{from_first, SHARE_NSES},       {from_second, SHARE_NSES + NSE},
                {from_peer, SHARE_PEERS},       {answer_of_peer, SHARE_RESPONSES},
                {from_host, SHARE_GTPC_OTHERS}, {by_arp, SHARE_RESOLUTION},
                {by_icmp, SHARE_ICMP},          {from_unlisted, SHARE_UNLISTED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(shares_waiting(&kit->worker->shares, rows[i].share), 0);
        rows[i].send(kit);
        if (shares_waiting(&kit->worker->shares, rows[i].share) != 1)
            fail_msg("row %zu", i);
    }
    serve(kit, UINT32_MAX, MSG_PUNT, 0);
}

/* A peer may send 500 at once and 5000/s, its answers beside that. */
TEST_IN(allowances_of_a_peer, struct kit, kit, open(kit), kit_close(kit))
{
    void (*const senders[])(struct kit * kit) = {from_peer, answer_of_peer};
    for (size_t i = 0; i < COUNT(senders); i++) {
        kit->now += MOMENT_SECOND;
        for (unsigned n = 0; n < 600; n++)
            senders[i](kit);
        assert_int_equal(serve(kit, UINT32_MAX, MSG_PUNT_GN, 0), 500);
        kit->now += MOMENT_SECOND / 100;
        for (unsigned n = 0; n < 100; n++)
            senders[i](kit);
        assert_int_equal(serve(kit, UINT32_MAX, MSG_PUNT_GN, 0), 50);
    }
}

/* --- the limits, with messages that have no buffer --- */

static unsigned fill_share(struct kit *kit, uint32_t share)
{
    struct msg msg = {.type = MSG_PAGE_WANTED};
    unsigned count = 0;
    while (shares_put(&kit->worker->rings, &msg, share))
        count++;
    assert_int_equal(shares_waiting(&kit->worker->shares, share), count);
    return count;
}

static void fill_with_news(struct kit *kit, unsigned left)
{
    struct rte_ring *ring = kit->worker->rings.to_control;
    while (rte_ring_free_count(ring) > left)
        assert_true(msg_put(ring, &(struct msg){.type = MSG_PAGE_WANTED}));
}

TEST_IN(a_share_alone, struct kit, kit, open(kit), kit_close(kit))
{
    static const struct {
        uint32_t share;
        unsigned places;
    } rows[] = {{SHARE_PEERS, ALONE},      {SHARE_RESPONSES, ALONE}, {SHARE_NSES, ALONE},
                {SHARE_ICMP, KIND},        {SHARE_RESOLUTION, KIND}, {SHARE_UNLISTED, KIND},
                {SHARE_GTPC_OTHERS, KIND}, {SHARE_PAGING, KIND}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(fill_share(kit, rows[i].share), rows[i].places);
        serve(kit, UINT32_MAX, MSG_PUNT, 0);
    }
}

/* However many there are, each has SURE places until there are MOST in all. */
TEST_IN(each_has_some_in_any_case, struct kit, kit, open(kit), kit_close(kit))
{
    unsigned all = 0;
    for (uint32_t share = SHARE_PEERS; share < SHARE_RESPONSES; share++) {
        unsigned had = fill_share(kit, share);
        if (all >= PLACES)
            assert_int_equal(had, all + SURE <= MOST ? SURE : MOST - all);
        all += had;
    }
    assert_int_equal(all, MOST);
    serve(kit, UINT32_MAX, MSG_PUNT, 0);
}

/* News of the worker to control take no share's place: the last ones are for the few that each has. */
TEST_IN(news_leave_places, struct kit, kit, open(kit), kit_close(kit))
{
    static const struct {
        unsigned left, places;
    } rows[] = {{2 * KEPT + 8, 7}, {2 * KEPT, SURE}, {SURE, SURE}, {1, 1}, {0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        fill_with_news(kit, rows[i].left);
        assert_int_equal(fill_share(kit, SHARE_NSES), rows[i].places);
        serve(kit, UINT32_MAX, MSG_PUNT, 0);
    }
}

/* The answers to many orders leave a place, too: a flood causes as many as control can give. */
TEST_IN(answers_leave_places, struct kit, kit, open(kit), kit_close(kit))
{
    struct msg order = {.type = MSG_FENCE};
    while (msg_put(kit->worker->rings.to_worker, &order))
        ;
    kit_settle(kit);
    from_second(kit);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_PUNT_FULL], 0);
    while (serve(kit, UINT32_MAX, MSG_ANSWER, 0) > 0)
        kit_settle(kit);
}

/* A GGSN that has started again names all of its tunnels at once: here one, at a time for each. */
TEST_IN(broken_tunnels_leave_places, struct kit, kit, open(kit), kit_close(kit))
{
    static const uint8_t error[24] = {0x32,
                                      26,
                                      0,
                                      16,
                                      [12] = 16,
                                      [13] = KIT_GGSN_TEID >> 24,
                                      KIT_GGSN_TEID >> 16 & 0xff,
                                      KIT_GGSN_TEID >> 8 & 0xff,
                                      KIT_GGSN_TEID & 0xff,
                                      133,
                                      0,
                                      4,
                                      KIT_GGSN_IP >> 24,
                                      KIT_GGSN_IP >> 16 & 0xff,
                                      KIT_GGSN_IP >> 8 & 0xff,
                                      KIT_GGSN_IP & 0xff};
    uint8_t frame[KIT_FRAME_OCTETS];
    for (unsigned i = 0; i < 20 * PLACES; i++) {
        kit->now += INT64_C(1) << 36;
        kit_from_gn(kit, frame,
                    gn_frame_wrap(frame, (uint32_t[]){KIT_GGSN_IP, KIT_SGSN_IP}, (uint16_t[]){2152, 2152},
                                  error, sizeof(error)));
    }
    from_second(kit);
    assert_int_equal(kit->worker->stats.gb_drops[DROP_PUNT_FULL], 0);
    assert_true(serve(kit, UINT32_MAX, MSG_TUNNEL_ERROR, 0) >= PLACES / 3);
}

/* An NSE in the place of another begins with counts of its own. */
TEST_IN(another_nse_begins_anew, struct kit, kit, open(kit), kit_close(kit))
{
    struct shares *s = &kit->worker->shares;
    for (unsigned i = 0; i < 2 * PLACES; i++)
        from_second(kit);
    serve(kit, UINT32_MAX, MSG_PUNT, 0);
    assert_true(s->rows[SHARE_NSES + NSE].lost > 0);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 1});
    kit_do(kit, &(struct msg){.type = MSG_NSE_DEL, .slot = NSE});
    shares_begin_control(s, SHARE_NSES + NSE);
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = NSE, .nsei = 103});
    assert_int_equal(s->rows[SHARE_NSES + NSE].lost, 0);
    assert_int_equal(shares_waiting(s, SHARE_NSES + NSE), 0);
}

UNIT_MAIN(kit_start, NULL)
