/* SPDX-License-Identifier: BSD-3-Clause */
/* Echo Requests that control orders, and which answers it hears of. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include <rte_mbuf.h>
#include <string.h>

#define OTHER_IP 0xc0000207u
#define SGSN_2   0xc0000203u

static struct msg order(uint16_t seq)
{
    return (struct msg){.type = MSG_GN_ECHO,
                        .path = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP, .seq = seq, .is_to_send = true}};
}

static void respond(struct kit *kit, uint32_t from, uint32_t to, uint16_t seq, uint8_t flags)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t gtp[14] = {flags, 2, 0, 6, [8] = (uint8_t)(seq >> 8), (uint8_t)seq, 0, 0, 14};
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, (uint32_t[]){from, to}, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp)));
}

static bool was_told(struct kit *kit, uint16_t seq)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_int_equal(msg.type, MSG_GN_ECHOED);
    assert_int_equal(msg.path.ours, KIT_SGSN_IP);
    assert_int_equal(msg.path.theirs, KIT_GGSN_IP);
    assert_int_equal(msg.path.seq, seq);
    return true;
}

TEST(requests)
{
    static const uint8_t gtp[12] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xff, 0xfe, 0, 0};
    struct kit kit;
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    struct msg msg = order(0xfffe);
    kit_open(&kit, NULL);
    kit_do(&kit, &msg);
    size_t octets = gn_frame_wrap(want, (uint32_t[]){KIT_SGSN_IP, KIT_GGSN_IP}, (uint16_t[]){2152, 2152}, gtp,
                                  sizeof(gtp));
    assert_int_equal(kit_take_gn(&kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    msg.path.is_to_send = false; /* another worker sends it */
    kit_do(&kit, &msg);
    assert_int_equal(kit_drain(&kit.gn), 0);
    gn_ipv6_order(&kit, 77);
    msg = (struct msg){
        .type = MSG_GN_ECHO,
        .path = {.ours = GN_IPV6_SGSN, .theirs = GN_IPV6_GGSN, .seq = 0xfffe, .is_to_send = true}};
    kit_do(&kit, &msg);
    const uint8_t *const ip[] = {gn_ipv6_addresses[0], gn_ipv6_addresses[1]};
    octets = gn_ipv6_wrap(want, ip, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp));
    assert_int_equal(kit_take_gn(&kit, got), octets);
    assert_memory_equal(got + 12, want + 12, octets - 12);
    assert_int_equal(kit.worker->stats.gn_echo_requests, 2);
    kit_close(&kit);
}

TEST(answers)
{
    static const struct {
        const char *name;
        uint32_t from, to;
        uint16_t seq;
        uint8_t flags;
        bool is_told;
    } rows[] = {
        {"other number", KIT_GGSN_IP, KIT_SGSN_IP, 6, 0x32, false},
        {"no number", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x31, false},
        {"another's", OTHER_IP, KIT_SGSN_IP, 7, 0x32, false},
        {"to another address", KIT_GGSN_IP, SGSN_2, 7, 0x32, false},
        {"good", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32, true},
        {"again", KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32, false},
    };
    struct kit kit;
    struct msg msg = order(6), second = kit_pdp(1, 0, 6, KIT_TEID);
    unsigned unexpected = 0;
    kit_open(&kit, NULL);
    second.pdp.sgsn_ip = SGSN_2;
    kit_do(&kit, &second);
    kit_do(&kit, &msg);
    msg = order(7);
    kit_do(&kit, &msg);
    for (size_t i = 0; i < COUNT(rows); i++) {
        respond(&kit, rows[i].from, rows[i].to, rows[i].seq, rows[i].flags);
        if (was_told(&kit, 7) != rows[i].is_told)
            fail_msg("%s", rows[i].name);
        unexpected += !rows[i].is_told;
        assert_int_equal(kit.worker->stats.gn_echo_unexpected, unexpected);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_GTPU_ECHO_RESPONSE], i + 1);
    }
    assert_int_equal(kit.worker->stats.gn_echo_answered, 1);
    kit_close(&kit);
}

/* When control waits no more nobody is told. */
TEST(ended)
{
    struct kit kit;
    struct msg msg = order(7),
               end = {.type = MSG_GN_ECHO_END, .path = {.ours = KIT_SGSN_IP, .theirs = KIT_GGSN_IP}};
    kit_open(&kit, NULL);
    kit_do(&kit, &end);
    kit_do(&kit, &msg);
    kit_do(&kit, &end);
    respond(&kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_false(was_told(&kit, 7));
    assert_int_equal(kit.worker->stats.gn_echo_unexpected, 1);
    kit_close(&kit);
}

/* No room to tell it: a later answer is. No buffer to ask with: counted. */
TEST(no_room)
{
    struct kit kit;
    struct msg msg = order(7), filler = {.type = MSG_ANSWER};
    struct rte_mbuf *taken[40];
    kit_open(&kit, &(struct kit_options){.tx_buffers = COUNT(taken)});
    assert_int_equal(rte_pktmbuf_alloc_bulk(kit.tx_pool, taken, COUNT(taken)), 0);
    kit_do(&kit, &msg);
    assert_int_equal(kit.worker->stats.gn_echo_unsent, 1);
    assert_int_equal(kit.worker->stats.gn_echo_requests, 0);
    rte_pktmbuf_free_bulk(taken, COUNT(taken));
    while (msg_put(kit.worker->rings.to_control, &filler))
        ;
    respond(&kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_PUNT_FULL], 1);
    while (kit_take_msg(&kit, &filler))
        ;
    respond(&kit, KIT_GGSN_IP, KIT_SGSN_IP, 7, 0x32);
    assert_true(was_told(&kit, 7));
    kit_close(&kit);
}

TEST(too_many_paths)
{
    struct kit kit;
    struct msg msg = order(7);
    kit_open(&kit, NULL);
    msg.path.is_to_send = false;
    for (uint32_t i = 0; i < GN_ECHO_PATHS; i++) {
        msg.path.theirs = KIT_GGSN_IP + i;
        kit_do(&kit, &msg);
    }
    msg.path.theirs++;
    assert_int_equal(kit_order(&kit, &msg), -1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
