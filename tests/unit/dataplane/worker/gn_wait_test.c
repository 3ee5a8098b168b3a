/* SPDX-License-Identifier: BSD-3-Clause */
/* Next hops on Gn: those that control tells, and uplink N-PDUs that wait for them. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

static const struct kit_options live = {.has_neighbours = true, .no_uplink_filter = true};
static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 0xaa}, mac_b[6] = {2, 0, 0, 0, 0, 0xbb};

static struct msg gn_hop(uint32_t ip, const uint8_t *mac)
{
    struct msg msg = {.type = MSG_GN_HOP, .hop = {.ip = ip}};
    memcpy(msg.hop.mac, mac, sizeof msg.hop.mac);
    return msg;
}

static void send_up(struct kit *kit, uint16_t nu)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.nu = nu, .number = nu, .octets = 100};
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
}

static unsigned wanted(struct kit *kit)
{
    unsigned count = 0;
    struct msg msg;
    while (kit_take_msg(kit, &msg)) {
        assert_int_equal(msg.type, MSG_HOP_WANTED);
        assert_int_equal(msg.hop.ip, KIT_GGSN_IP);
        count++;
    }
    return count;
}

KIT_TEST(uplink_waits_for_its_next_hop, &live)
{
    uint8_t got[KIT_FRAME_OCTETS];
    struct msg other = gn_hop(KIT_GGSN_IP + 1, mac_b), ggsn = gn_hop(KIT_GGSN_IP, mac_a);
    kit_do(kit, &other);
    send_up(kit, 0);
    send_up(kit, 1); /* control is not asked again at once */
    assert_int_equal(wanted(kit), 1);
    assert_int_equal(kit_take_gn(kit, got), 0);
    kit->now += 10 * KIT_MS;
    send_up(kit, 2);
    assert_int_equal(wanted(kit), 1);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 0);
    kit_do(kit, &ggsn);
    send_up(kit, 3);
    for (uint16_t number = 0; number < 4; number++) { /* in order */
        assert_true(kit_take_gn(kit, got) > 0);
        assert_memory_equal(got, mac_a, 6);
        assert_int_equal(bytes_get_u16(got + 18), number);
    }
    memcpy(ggsn.hop.mac, mac_b, sizeof ggsn.hop.mac);
    kit_do(kit, &ggsn);
    send_up(kit, 4);
    assert_true(kit_take_gn(kit, got) > 0);
    assert_memory_equal(got, mac_b, 6);
    assert_int_equal(wanted(kit), 0);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 5);
    assert_int_equal(kit->worker->stats.gn_unsent[DROP_NO_NEXT_HOP], 0);
}

/* The latest GN_WAIT_EACH wait, for GN_WAIT_NS; what is lost is counted. */
KIT_TEST(uplink_waits_within_limits, &live)
{
    struct msg ggsn = gn_hop(KIT_GGSN_IP, mac_a);
    const struct worker_stats *s = &kit->worker->stats;
    int64_t until_ns = kit->now + GN_WAIT_NS;
    for (uint16_t nu = 0; nu < GN_WAIT_EACH + 3; nu++)
        send_up(kit, nu);
    assert_int_equal(s->gn_unsent[DROP_NO_NEXT_HOP], 3);
    assert_int_equal(kit_settle_at(kit, until_ns - 1), until_ns);
    assert_int_equal(s->gn_unsent[DROP_NO_NEXT_HOP], 3);
    send_up(kit, GN_WAIT_EACH + 3);
    assert_int_equal(s->gn_unsent[DROP_NO_NEXT_HOP], 4);
    kit_settle_at(kit, until_ns);
    assert_int_equal(s->gn_unsent[DROP_NO_NEXT_HOP], 3 + GN_WAIT_EACH);
    assert_int_equal(wanted(kit), 2);
    kit_do(kit, &ggsn);
    assert_int_equal(kit_drain(&kit->gn), 1);
    assert_int_equal(s->ul_npdu_out, 1);
    send_up(kit, GN_WAIT_EACH + 4);
    assert_int_equal(kit_drain(&kit->gn), 1);
}

enum { EACH = 64, MOST = 256, ANSWERS = 32, GGSN = KIT_GGSN_IP, OTHER = KIT_GGSN_IP + 1 };

/* What waits is told by the place where its loss is counted. */
static bool put(struct kit *kit, const struct gn_way *way)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(kit->tx_pool);
    assert_non_null(mbuf);
    bool waits = gn_wait_put(kit->worker, mbuf, way, kit->now);
    if (!waits)
        rte_pktmbuf_free(mbuf);
    return waits;
}

static void put_some(struct kit *kit, unsigned count, const struct gn_way *way)
{
    while (count-- > 0)
        assert_true(put(kit, way));
}

KIT_TEST(each_destination_has_a_limit, &live)
{
    const struct gn_wait *wait = &kit->worker->wait;
    uint64_t other = 0, first = 0, latest = 0, answers = 0;
    put_some(kit, 1, &(struct gn_way){.dst_ip = OTHER, .unsent = &other});
    assert_int_equal(gn_wait_next_ns(wait), kit->now + 3000 * KIT_MS);
    put_some(kit, 2, &(struct gn_way){.dst_ip = GGSN, .unsent = &first});
    put_some(kit, EACH - 2, &(struct gn_way){.dst_ip = GGSN, .unsent = &latest});
    assert_int_equal(first, 0);
    put_some(kit, 1, &(struct gn_way){.dst_ip = GGSN, .unsent = &latest});
    assert_int_equal(first, 1);
    put_some(kit, 1, &(struct gn_way){.dst_ip = GGSN, .unsent = &answers, .is_answer = true});
    assert_int_equal(first, 2);
    assert_int_equal(other + latest + answers, 0);
    assert_int_equal(wait->count, 1 + EACH);
}

/* The oldest of all goes when there is no room. */
KIT_TEST(all_destinations_have_a_limit, &live)
{
    uint64_t first = 0, latest = 0;
    put_some(kit, 1, &(struct gn_way){.dst_ip = GGSN, .unsent = &first});
    for (uint32_t i = 0; i < MOST - 1; i++)
        put_some(kit, 1, &(struct gn_way){.dst_ip = OTHER + i, .unsent = &latest});
    assert_int_equal(first, 0);
    put_some(kit, 1, &(struct gn_way){.dst_ip = OTHER, .unsent = &latest});
    assert_int_equal(first, 1);
    assert_int_equal(latest, 0);
    assert_int_equal(kit->worker->wait.count, MOST);
}

/* Above it an answer takes the place of another, not of an N-PDU, wherever it goes. */
KIT_TEST(answers_have_a_limit, &live)
{
    uint64_t n_pdus = 0, answers = 0;
    put_some(kit, EACH - ANSWERS, &(struct gn_way){.dst_ip = GGSN, .unsent = &n_pdus});
    put_some(kit, ANSWERS, &(struct gn_way){.dst_ip = GGSN, .unsent = &answers, .is_answer = true});
    assert_int_equal(answers, 0);
    for (uint32_t i = 0; i < MOST; i++)
        put_some(kit, 1, &(struct gn_way){.dst_ip = GGSN + i, .unsent = &answers, .is_answer = true});
    assert_int_equal(answers, MOST);
    assert_int_equal(n_pdus, 0);
    assert_int_equal(kit->worker->wait.answers, ANSWERS);
}

/* What its sender keeps, or has no destination, does not wait; a pointer into a frame goes. */
KIT_TEST(ways_that_wait, &live)
{
    static const uint8_t ipv6[16] = {0x20, 1, 0xd, 0xb8, [15] = 2};
    uint64_t lost = 0;
    struct gn_wait_item item;
    assert_false(put(kit, &(struct gn_way){.dst_ip = GGSN, .is_kept = true}));
    assert_false(put(kit, &(struct gn_way){.dst_ip = ADDRESS_NONE}));
    assert_false(gn_wait_has(&kit->worker->wait, GGSN));
    assert_true(put(kit, &(struct gn_way){.dst_ip = GGSN, .dst_ipv6 = ipv6, .unsent = &lost}));
    assert_true(gn_wait_take(kit->worker, GGSN, &item));
    assert_null(item.way.dst_ipv6);
    assert_int_equal(item.way.dst_ip, GGSN);
    gn_wait_lose(kit->worker, &item, DROP_NO_NEXT_HOP);
    assert_int_equal(lost, 1);
}

/* While the link is down nothing leaves, and what has waited is counted by that reason. */
KIT_TEST(the_link_goes_down_meanwhile, &live)
{
    struct msg ggsn = gn_hop(KIT_GGSN_IP, mac_a);
    send_up(kit, 0);
    assert_int_equal(wanted(kit), 1);
    port_set_down(&kit->worker->gn, true);
    kit_do(kit, &ggsn);
    assert_int_equal(kit->worker->stats.gn_unsent[DROP_LINK_DOWN], 1);
    assert_int_equal(kit->worker->stats.ul_npdu_out, 0);
}

/* Control hears of a destination again while it is in use, and can end it. */
KIT_TEST(next_hops_end, &live)
{
    struct msg ggsn = gn_hop(KIT_GGSN_IP, mac_a), other = gn_hop(KIT_GGSN_IP + 1, mac_b);
    struct msg gone = {.type = MSG_GN_HOP, .hop = {.ip = KIT_GGSN_IP + 1, .is_gone = true}};
    uint8_t got[KIT_FRAME_OCTETS];
    kit_do(kit, &other);
    kit_do(kit, &ggsn);
    kit_do(kit, &gone);
    kit_do(kit, &gone);
    for (uint16_t nu = 0; nu < 42; nu++) {
        send_up(kit, nu);
        assert_true(kit_take_gn(kit, got) > 0);
        assert_memory_equal(got, mac_a, 6);
        assert_int_equal(wanted(kit), nu == 20 || nu == 40);
        kit->now += MOMENT_SECOND;
    }
    gone.hop.ip = KIT_GGSN_IP;
    kit_do(kit, &gone);
    send_up(kit, 42);
    assert_int_equal(kit_take_gn(kit, got), 0);
    assert_int_equal(wanted(kit), 1);
}

/* More destinations than can wait, in 100 ms: each datagram is a first one. */
KIT_TEST(control_is_asked_within_limits, &live)
{
    unsigned asked = 0;
    for (uint32_t i = 0; i < 6000; i++) {
        struct msg msg, send = {.type = MSG_GN_SEND,
                                .datagram = {.ours = KIT_SGSN_IP,
                                             .theirs = KIT_GGSN_IP + i % (GN_WAIT_MOST + 1),
                                             .port = 2123},
                                .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
        memset(rte_pktmbuf_append(send.mbuf, 40), 1, 40);
        kit->now += i % 60 == 0 ? KIT_MS : 0;
        assert_true(msg_put(kit->worker->rings.to_worker, &send));
        kit_settle(kit);
        while (kit_take_msg(kit, &msg))
            asked += msg.type == MSG_HOP_WANTED;
    }
    assert_true(asked >= GN_WAIT_MOST && asked <= GN_WAIT_MOST + 2 * 10);
}

TEST(next_hops_have_an_end)
{
    struct kit kit;
    kit_open(&kit, &live);
    for (uint32_t i = 0; i <= HOPS_MAX; i++) {
        struct msg msg = gn_hop(0x0a000000 + i, mac_a);
        assert_int_equal(kit_order(&kit, &msg), i < HOPS_MAX ? 0 : -1);
    }
    struct msg known = gn_hop(0x0a000000, mac_b);
    kit_do(&kit, &known);
    kit_close(&kit);
    kit_open(&kit, NULL); /* one for all */
    assert_int_equal(kit_order(&kit, &known), -1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
