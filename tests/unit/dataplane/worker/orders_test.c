/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders from control: each carried out or refused, each answered, none lost. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#define TLLI_2 0xc0000002u

struct order_row {
    const char *name;
    int status;
    struct msg msg;
};

#define NSVC(port, nse_)                                                                                     \
    {                                                                                                        \
        .local_ip = KIT_GB_IP, .remote_ip = KIT_BSS_IP, .local_port = KIT_GB_PORT, .remote_port = port,      \
        .nse = nse_                                                                                          \
    }
#define MS(tlli_, bvc_)                                                                                      \
    {                                                                                                        \
        .tlli = tlli_, .bvc = bvc_, .n201_u = 500, .queue_limit_octets = 1000                                \
    }
#define PDP(teid_, ms_, nsapi_, sapi_)                                                                       \
    {                                                                                                        \
        .ms = ms_, .sgsn_ip = KIT_SGSN_IP, .teid = teid_, .nsapi = nsapi_, .sapi = sapi_                     \
    }
#define FLOW                                                                                                 \
    {                                                                                                        \
        .bucket_octets = 1000, .rate_bps = 8000, .ms_bucket_octets = 500, .ms_rate_bps = 8000,               \
        .ratio_percent = 50                                                                                  \
    }

#define DISCARD                                                                                              \
    {                                                                                                        \
        .octets = 100, .bvc = GB_BVC_NONE, .pfi = N_PDU_NO_PFI                                               \
    }

/* In this order on one worker, after what the kit has ordered. */
static const struct order_row rows[] = {
    {"NSE 0 taken", -1, {.type = MSG_NSE_ADD, .slot = 0, .nsei = 5}},
    {"NSE 1", 0, {.type = MSG_NSE_ADD, .slot = 1, .nsei = 102}},
    {"NSE 2 out of range", -1, {.type = MSG_NSE_ADD, .slot = 2, .nsei = 103}},
    {"NSE beyond 16 bits", -1, {.type = MSG_NSE_ADD, .slot = 0x10001, .nsei = 103}},
    {"NS-VC 0 taken", -1, {.type = MSG_NSVC_ADD, .slot = 0, .nsvc = NSVC(9, 0)}},
    {"NS-VC's endpoint taken", -1, {.type = MSG_NSVC_ADD, .slot = 1, .nsvc = NSVC(KIT_BSS_PORT, 0)}},
    {"NS-VC of no NSE", -1, {.type = MSG_NSVC_ADD, .slot = 1, .nsvc = NSVC(9, 2)}},
    {"NS-VC beyond 16 bits", -1, {.type = MSG_NSVC_ADD, .slot = 0x10001, .nsvc = NSVC(9, 0)}},
    {"NS-VC 3 out of range", -1, {.type = MSG_NSVC_ADD, .slot = 3, .nsvc = NSVC(9, 0)}},
    {"NS-VC 1, whose endpoint was refused before", 0, {.type = MSG_NSVC_ADD, .slot = 1, .nsvc = NSVC(9, 1)}},
    {"NS-VC 1 up", 0, {.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true}},
    {"NS-VC 1 up again", 0, {.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true}},
    {"NS-VC 2 up, which is not there", -1, {.type = MSG_NSVC_STATE, .slot = 2, .is_usable = true}},
    {"NS-VC 1 weighs 255", 0, {.type = MSG_NSVC_WEIGHT, .slot = 1, .data_weight = 255}},
    {"NS-VC 2 weighs, which is not there", -1, {.type = MSG_NSVC_WEIGHT, .slot = 2, .data_weight = 1}},
    {"NS-VC 2 deleted, which is not there", -1, {.type = MSG_NSVC_DEL, .slot = 2}},
    {"NS-VC beyond 16 bits deleted", -1, {.type = MSG_NSVC_DEL, .slot = 0x10001}},
    {"NS-VC 1 deleted", 0, {.type = MSG_NSVC_DEL, .slot = 1}},
    {"NS-VC 1 deleted again", -1, {.type = MSG_NSVC_DEL, .slot = 1}},
    {"NS-VC 1 again, on the same endpoints", 0, {.type = MSG_NSVC_ADD, .slot = 1, .nsvc = NSVC(9, 1)}},
    {"an NS-VC of a worker that is not there",
     -1,
     {.type = MSG_NSVC_AT, .nsvc_at = {.worker = 1, .params = NSVC(8, 1)}}},
    {"NS-VC beyond 16 bits down", -1, {.type = MSG_NSVC_STATE, .slot = 0x10000}},
    {"BVC 0 taken", -1, {.type = MSG_BVC_ADD, .slot = 0, .bvc = {.bvci = 9}}},
    {"BVC of no NSE", -1, {.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = 9, .nse = 2}}},
    {"BVC 1", 0, {.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = 9, .nse = 1}}},
    {"BVC 3 out of range", -1, {.type = MSG_BVC_ADD, .slot = 3, .bvc = {.bvci = 9}}},
    {"BVC beyond 16 bits", -1, {.type = MSG_BVC_ADD, .slot = 0x10002, .bvc = {.bvci = 9}}},
    {"flow of BVC 1", 0, {.type = MSG_BVC_FLOW, .slot = 1, .flow = FLOW}},
    {"flow of BVC 2", -1, {.type = MSG_BVC_FLOW, .slot = 2, .flow = FLOW}},
    {"flow of no BVC at all", -1, {.type = MSG_BVC_FLOW, .slot = UINT32_MAX, .flow = FLOW}},
    {"unblock BVC 1", 0, {.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true}},
    {"unblock BVC 2", -1, {.type = MSG_BVC_STATE, .slot = 2, .is_unblocked = true}},
    {"reset BVC 1", 0, {.type = MSG_BVC_RESET, .slot = 1}},
    {"reset BVC 2", -1, {.type = MSG_BVC_RESET, .slot = 2}},
    {"reset BVC beyond 16 bits", -1, {.type = MSG_BVC_RESET, .slot = 0x10000}},
    {"MS 0 taken", -1, {.type = MSG_MS_ADD, .slot = 0, .ms = MS(TLLI_2, 0)}},
    {"MS whose TLLI is taken", -1, {.type = MSG_MS_ADD, .slot = 1, .ms = MS(KIT_TLLI, 0)}},
    {"MS out of range", -1, {.type = MSG_MS_ADD, .slot = KIT_MOBILES, .ms = MS(TLLI_2, 0)}},
    {"MS of no cell", -1, {.type = MSG_MS_ADD, .slot = 1, .ms = MS(TLLI_2, 2)}},
    {"MS with a short N201-U", -1, {.type = MSG_MS_ADD, .slot = 1, .ms = {.tlli = TLLI_2, .n201_u = 139}}},
    {"MS with a long N201-U", -1, {.type = MSG_MS_ADD, .slot = 1, .ms = {.tlli = TLLI_2, .n201_u = 1521}}},
    {"MS with nine octets of IMSI",
     -1,
     {.type = MSG_MS_ADD, .slot = 1, .ms = {.tlli = TLLI_2, .n201_u = 500, .imsi_octets = 9}}},
    {"MS 1", 0, {.type = MSG_MS_ADD, .slot = 1, .ms = MS(TLLI_2, 0)}},
    {"MS 2, known TLLI in another NSE", 0, {.type = MSG_MS_ADD, .slot = 2, .ms = MS(TLLI_2, 1)}},
    {"flow of an MS", 0, {.type = MSG_MS_FLOW, .tlli = TLLI_2, .nse = 1, .flow = FLOW}},
    {"flow of an unknown TLLI", -1, {.type = MSG_MS_FLOW, .tlli = 77, .nse = 0, .flow = FLOW}},
    {"flow of a TLLI elsewhere", -1, {.type = MSG_MS_FLOW, .tlli = KIT_TLLI, .nse = 1, .flow = FLOW}},
    {"defaults of an MS", 0, {.type = MSG_MS_DEFAULTS, .tlli = TLLI_2, .nse = 1}},
    {"defaults of an unknown TLLI", -1, {.type = MSG_MS_DEFAULTS, .tlli = 77}},
    {"discarded of an MS", 0, {.type = MSG_MS_DISCARDED, .tlli = TLLI_2, .nse = 1, .discard = DISCARD}},
    {"discarded of an unknown TLLI", -1, {.type = MSG_MS_DISCARDED, .tlli = 77, .discard = DISCARD}},
    {"PDP 0 taken", -1, {.type = MSG_PDP_ADD, .slot = 0, .pdp = PDP(55, 1, 5, 3)}},
    {"PDP whose TEID is taken", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(KIT_TEID, 1, 5, 3)}},
    {"PDP whose NSAPI is taken", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 0, 5, 3)}},
    {"PDP out of range", -1, {.type = MSG_PDP_ADD, .slot = KIT_PDPS, .pdp = PDP(55, 1, 5, 3)}},
    {"PDP of no MS", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 3, 5, 3)}},
    {"PDP of an MS out of range", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, KIT_MOBILES, 5, 3)}},
    {"PDP on NSAPI 4", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 4, 3)}},
    {"PDP on NSAPI 16", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 16, 3)}},
    {"PDP on SAPI 4", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 5, 4)}},
    {"PDP on SAPI 1", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 5, 1)}},
    {"PDP on SAPI 7", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 5, 7)}},
    {"PDP on SAPI 13", -1, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 5, 13)}},
    {"PDP 1, refused before", 0, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 15, 11)}},
    {"PDP 2 deleted, which is not there", -1, {.type = MSG_PDP_DEL, .slot = 2}},
    {"PDP deleted out of range", -1, {.type = MSG_PDP_DEL, .slot = KIT_PDPS}},
    {"PDP 1 deleted", 0, {.type = MSG_PDP_DEL, .slot = 1}},
    {"PDP 1 deleted again", -1, {.type = MSG_PDP_DEL, .slot = 1}},
    {"PDP 1 again", 0, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 15, 9)}},
    {"MS 3 deleted, which is not there", -1, {.type = MSG_MS_DEL, .slot = 3}},
    {"MS deleted out of range", -1, {.type = MSG_MS_DEL, .slot = KIT_MOBILES}},
    {"MS 1 deleted", 0, {.type = MSG_MS_DEL, .slot = 1}},
    {"PDP 1 went with it", -1, {.type = MSG_PDP_DEL, .slot = 1}},
    {"MS 1 again", 0, {.type = MSG_MS_ADD, .slot = 1, .ms = MS(TLLI_2, 0)}},
    {"PDP 1 once more", 0, {.type = MSG_PDP_ADD, .slot = 1, .pdp = PDP(55, 1, 15, 5)}},
    {"an answer", -1, {.type = MSG_ANSWER}},
    {"no type", -1, {.type = 999}},
};

TEST(each_message)
{
    struct kit kit;
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (kit_order(&kit, &rows[i].msg) != rows[i].status)
            fail_msg("%s: not %d", rows[i].name, rows[i].status);
    assert_int_equal(kit.worker->context.pdps[1].generation, 3);
    kit_close(&kit);
}

/* 64 Gn addresses at most; one is free again with its last tunnel. */
TEST(gn_addresses)
{
    struct lookup l = {0};
    for (uint32_t i = 0; i < LOOKUP_ADDRESSES; i++)
        assert_int_equal(lookup_address_add(&l.gn, 1000 + i), 0);
    assert_int_equal(lookup_address_add(&l.gn, 1), -1);
    assert_int_equal(lookup_address_add(&l.gn, 1000), 0);
    lookup_address_del(&l.gn, 1000);
    assert_true(lookup_is_ours(&l, 1000));
    lookup_address_del(&l.gn, 1000);
    assert_false(lookup_is_ours(&l, 1000));
    lookup_address_del(&l.gn, 1);
    assert_int_equal(lookup_address_add(&l.gn, 1), 0);
    for (uint32_t ip = 0; ip < 4096; ip++)
        assert_int_equal(lookup_is_ours(&l, ip), ip == 1 || (ip > 1000 && ip < 1064));
}

/* A deleted context's tunnel is nobody's, and its address is no longer ours with the last one. */
TEST(deleted_tunnel)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 60};
    size_t octets = gn_frame_build(frame, &in);
    struct msg other = kit_pdp(1, 0, 6, 77);

    kit_open(&kit, NULL);
    kit_do(&kit, &other);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    kit_from_gn(&kit, frame, octets);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_UNKNOWN_TEID], 1);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 1});
    kit_from_gn(&kit, frame, octets);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_OTHER_ADDRESS], 1);
    kit_close(&kit);
}

/* --- full rings --- */

static uint32_t fill(struct kit *kit)
{
    uint32_t count = 0;
    struct msg msg = {.type = MSG_BVC_STATE, .slot = 0, .is_unblocked = true, .seq = kit->seq + 1};
    for (; msg_put(kit->worker->rings.to_worker, &msg); msg.seq++)
        count++;
    return count;
}

/* Nothing is taken that could not be answered; every answer comes, in order. */
TEST(full_rings)
{
    struct kit kit;
    struct msg answer;

    kit_open(&kit, NULL);
    uint32_t first = fill(&kit);
    kit_settle(&kit);
    kit.seq += first;
    assert_true(rte_ring_full(kit.worker->rings.to_control));
    uint32_t second = fill(&kit);
    assert_true(first == second && first >= 4095);
    assert_int_equal(kit_settle(&kit), MOMENT_NEVER);
    for (uint32_t seq = kit.seq - first + 1; seq <= kit.seq + second; seq++) {
        assert_true(kit_take_msg(&kit, &answer));
        assert_int_equal(answer.seq, seq);
        assert_int_equal(answer.answer.status, 0);
        kit_settle(&kit);
    }
    assert_false(kit_take_msg(&kit, &answer));
    kit_close(&kit);
}

/* --- MSG_SEND --- */

static struct msg send_msg(struct kit *kit, uint32_t nsvc, uint16_t octets)
{
    struct msg msg = {.type = MSG_SEND, .slot = nsvc, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    assert_non_null(msg.mbuf);
    gn_frame_inner((uint8_t *)rte_pktmbuf_append(msg.mbuf, octets), octets, octets);
    return msg;
}

TEST(sent_pdus)
{
    static const uint16_t octets[] = {1, 2, 60, 1500, 2000};
    struct kit kit;
    uint8_t pdu[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];

    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(octets); i++) {
        struct msg msg = send_msg(&kit, 0, octets[i]);
        kit_do(&kit, &msg);
        gn_frame_inner(pdu, octets[i], octets[i]);
        size_t length = gb_frame_wrap_down(want, (uint16_t)i, pdu, octets[i]);
        assert_int_equal(kit_take_gb(&kit, got), length);
        assert_memory_equal(got, want, length);
    }
    kit_close(&kit);
}

TEST(refused_pdus)
{
    static const uint32_t nsvcs[] = {1, 3, 0x10000, UINT32_MAX};
    struct kit kit;

    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(nsvcs); i++) {
        struct msg msg = send_msg(&kit, nsvcs[i], 4);
        assert_int_equal(kit_order(&kit, &msg), -1);
    }
    struct msg msg = send_msg(&kit, 0, 4);
    rte_pktmbuf_prepend(msg.mbuf, RTE_PKTMBUF_HEADROOM - GB_HEADER_OCTETS + 1);
    assert_int_equal(kit_order(&kit, &msg), -1);
    assert_int_equal(kit_drain(&kit.gb), 0);
    kit_close(&kit);
}

/* Requests and PDUs that nobody took are freed with the worker: kit_close() counts the buffers. */
TEST(left_in_the_rings)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];

    kit_open(&kit, NULL);
    struct msg msg = send_msg(&kit, 0, 4);
    assert_true(msg_put(kit.worker->rings.to_worker, &msg));
    kit_settle(&kit);
    kit_from_gb(&kit, frame, gb_frame_wrap(frame, 0, (const uint8_t[]){0x0a}, 1));
    assert_int_equal(kit.worker->stats.punted, 1);
    msg = send_msg(&kit, 0, 4);
    assert_true(msg_put(kit.worker->rings.to_worker, &msg));
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
