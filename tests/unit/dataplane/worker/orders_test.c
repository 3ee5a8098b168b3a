/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders from control: each carried out or refused, each answered, none lost. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/ms.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#define NS_AT  42 /* in a frame of Gb: behind Ethernet, IPv4 and UDP */
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

KIT_TEST(each_message, NULL)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (kit_order(kit, &rows[i].msg) != rows[i].status)
            fail_msg("%s: not %d", rows[i].name, rows[i].status);
    assert_int_equal(kit->worker->context.pdps[1].generation, 3);
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
    assert_int_equal(rte_ring_free_count(kit.worker->rings.to_control), SHARES_KEPT);
    uint32_t second = fill(&kit);
    assert_true(first >= 4095 && second == first - SHARES_KEPT);
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

/* --- What control has sent over LLC, octet for octet, and the other orders about a mobile's LLC --- */

#define LONGEST_OCTETS 1520

static const uint8_t gmm[] = {0x08, 0x02, 0x01, 0x49, 0x04, 0x62, 0xf2, 0x24, 0x00, 0x01, 0x02};
static const uint8_t kc[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* Gives an order with a buffer; the worker takes that over, come what may. */
static int order(struct kit *kit, const struct msg *msg, const uint8_t *bytes, uint16_t octets)
{
    struct msg request = *msg;
    request.mbuf = rte_pktmbuf_alloc(kit->tx_pool);
    assert_non_null(request.mbuf);
    char *room = rte_pktmbuf_append(request.mbuf, octets);
    assert_non_null(room);
    memcpy(room, bytes, octets);
    return kit_order(kit, &request);
}

static void expect(struct kit *kit, const struct gb_frame_downlink *d, const uint8_t *llc, size_t octets)
{
    uint8_t want[KIT_FRAME_OCTETS], got[KIT_FRAME_OCTETS];
    size_t frame_octets = gb_frame_signalling(want, d, llc, octets);
    assert_int_equal(kit_take_gb(kit, got), frame_octets);
    assert_memory_equal(got, want, frame_octets);
}

/* A UI frame of the message: header and information. */
static size_t ui(uint8_t *llc, uint8_t sapi, uint16_t nu, bool is_ciphered)
{
    llc[0] = 0x40 | sapi;
    llc[1] = (uint8_t)(0xc0 | nu >> 6);
    llc[2] = (uint8_t)((nu & 63) << 2 | is_ciphered << 1 | 1);
    memcpy(llc + 3, gmm, sizeof(gmm));
    return 3 + sizeof(gmm);
}

static struct gb_frame_cipher cipher_of(uint8_t sapi, uint32_t oc)
{
    struct gb_frame_cipher cipher = {.is_on = true, .input = 0x80000000u + sapi * 0x08000000u + oc};
    memcpy(cipher.key, kc, 8);
    memcpy(cipher.key + 8, kc, 8);
    return cipher;
}

static void switch_on(struct kit *kit)
{
    struct msg msg = {.type = MSG_MS_CIPHER};
    msg.cipher = (struct llc_cipher_params){.algorithm = 3, .kc_octets = sizeof(kc)};
    memcpy(msg.cipher.kc, kc, sizeof(kc));
    kit_do(kit, &msg);
}

/* SAPIs 1 and 7 count for themselves, over a wrap; in clear, then ciphered or not as each order says. */
TEST(ui_frames)
{
    static const uint8_t sapis[] = {1, 7};
    struct kit kit;
    struct gb_frame_downlink d = {0};
    uint8_t llc[64];

    kit_open(&kit, NULL);
    for (uint32_t i = 0; i < 1200; i++, d.ip_id++) {
        uint8_t sapi = sapis[i % 2];
        struct msg msg = {.type = MSG_LLC_UI, .llc = {.sapi = sapi, .is_ciphered = i % 5 != 0}};
        if (i == 400)
            switch_on(&kit);
        d.nu = i / 2 % 512;
        bool is_ciphered = i >= 400 && msg.llc.is_ciphered;
        d.cipher = cipher_of(sapi, i / 2 / 512 * 512);
        assert_int_equal(order(&kit, &msg, gmm, sizeof(gmm)), 0);
        expect(&kit, &d, llc, ui(llc, sapi, d.nu, is_ciphered));
    }
    assert_int_equal(kit.worker->stats.llc_orders, 1200);
    kit_close(&kit);
}

/* An XID response goes as it is, FCS added, ciphering or not; N(U) stays. */
TEST(other_frames)
{
    static const uint8_t xid[] = {0x03, 0xfb, 0x16, 0x05, 0xdc};
    struct kit kit;
    struct gb_frame_downlink d = {0};
    uint8_t llc[64];

    kit_open(&kit, NULL);
    switch_on(&kit);
    for (d.ip_id = 0; d.ip_id < 3; d.ip_id++) {
        assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_FRAME}, xid, sizeof(xid)), 0);
        expect(&kit, &d, xid, sizeof(xid));
    }
    assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_UI, .llc = {.sapi = 3}}, gmm, sizeof(gmm)), 0);
    expect(&kit, &d, llc, ui(llc, 3, 0, false));
    kit_close(&kit);
}

/* A UI frame for another cell than the mobile's is news for control: the NS PDU of that cell, for which N(U)
 * and the input of ciphering count on. */
TEST(ui_frames_apart)
{
    struct kit kit;
    struct gb_frame_downlink d = {0};
    uint8_t llc[64], want[KIT_FRAME_OCTETS];
    struct msg msg = {.type = MSG_LLC_UI, .llc = {.sapi = 1, .is_ciphered = true}};
    struct msg news;

    kit_open(&kit, NULL);
    switch_on(&kit);
    for (; d.nu < 4; d.nu++) {
        bool is_apart = d.nu % 2;
        msg.llc.from = is_apart ? (struct msg_heard){.bvci = 0x1234, .nse = 3} : (struct msg_heard){0};
        d.cipher = cipher_of(1, 0);
        if (!is_apart) {
            assert_int_equal(order(&kit, &msg, gmm, sizeof(gmm)), 0);
            expect(&kit, &d, llc, ui(llc, 1, d.nu, true));
            d.ip_id++;
            continue;
        }
        struct msg request = msg, answer;
        request.mbuf = rte_pktmbuf_alloc(kit.tx_pool);
        memcpy(rte_pktmbuf_append(request.mbuf, sizeof(gmm)), gmm, sizeof(gmm));
        assert_true(msg_put(kit.worker->rings.to_worker, &request));
        kit_settle(&kit);
        assert_true(kit_take_msg(&kit, &news));
        assert_true(kit_take_msg(&kit, &answer));
        assert_int_equal(answer.type, MSG_ANSWER);
        assert_int_equal(answer.answer.status, 0);
        assert_int_equal(news.type, MSG_APART);
        assert_int_equal(news.nse, 3);
        assert_int_equal(news.slot, 0x1234);
        size_t octets = gb_frame_signalling(want, &d, llc, ui(llc, 1, d.nu, true)) - NS_AT;
        want[NS_AT + 2] = 0x12;
        want[NS_AT + 3] = 0x34;
        assert_int_equal(news.mbuf->pkt_len, octets);
        assert_memory_equal(rte_pktmbuf_mtod(news.mbuf, uint8_t *), want + NS_AT, octets);
        rte_pktmbuf_free(news.mbuf);
    }
    kit_close(&kit);
}

struct row {
    const char *name;
    int status;
    struct msg msg;
    uint16_t octets;
};

static const struct row orders_rows[] = {
    {"nothing at all", 0, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, 0},
    {"the longest", 0, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, LONGEST_OCTETS},
    {"too long", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, LONGEST_OCTETS + 1},
    {"SAPI 2", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 2}}, 10},
    {"SAPI 8", -1, {.type = MSG_LLC_UI, .llc = {.sapi = 8}}, 10},
    {"no such mobile", -1, {.type = MSG_LLC_UI, .slot = 1, .llc = {.sapi = 1}}, 10},
    {"mobile out of range", -1, {.type = MSG_LLC_UI, .slot = KIT_MOBILES, .llc = {.sapi = 1}}, 10},
    {"the longest other frame", 0, {.type = MSG_LLC_FRAME}, LONGEST_OCTETS + 3},
    {"too long another frame", -1, {.type = MSG_LLC_FRAME}, LONGEST_OCTETS + 4},
    {"another frame, no such mobile", -1, {.type = MSG_LLC_FRAME, .slot = 1}, 10},
};

KIT_TEST(limits, NULL)
{
    uint8_t bytes[LONGEST_OCTETS + 4] = {0x41, 0xfb};
    for (size_t i = 0; i < COUNT(orders_rows); i++) {
        if (order(kit, &orders_rows[i].msg, bytes, orders_rows[i].octets) != orders_rows[i].status)
            fail_msg("%s: not %d", orders_rows[i].name, orders_rows[i].status);
        assert_int_equal(kit_drain(&kit->gb), orders_rows[i].status == 0);
    }
}

/* A buffer with too little room before or behind the octets: they are moved. */
KIT_TEST(little_room, NULL)
{
    struct msg msg = {.type = MSG_LLC_FRAME};
    for (unsigned i = 0; i < 2; i++) {
        msg.mbuf = rte_pktmbuf_alloc(kit->tx_pool);
        assert_non_null(rte_pktmbuf_append(msg.mbuf, 10));
        if (i == 0)
            assert_non_null(rte_pktmbuf_prepend(msg.mbuf, 100));
        else
            msg.mbuf->data_off = (uint16_t)(msg.mbuf->buf_len - 12);
        assert_int_equal(kit_order(kit, &msg), 0);
        assert_int_equal(kit_drain(&kit->gb), 1);
    }
}

/* --- flow control: it passes those that wait, but counts, and not without end --- */

static uint64_t level(struct bucket bucket, int64_t now)
{
    return bucket_level_octets(&bucket, now);
}

KIT_TEST(counted_by_buckets, NULL)
{
    struct msg ui_msg = {.type = MSG_LLC_UI, .llc = {.sapi = 1}}, frame_msg = {.type = MSG_LLC_FRAME};
    uint8_t bytes[LONGEST_OCTETS] = {0};
    unsigned sent = 0;
    kit_flow(kit, 1000, 0);
    const struct context *c = &kit->worker->context;
    assert_int_equal(order(kit, &ui_msg, gmm, sizeof(gmm)), 0);
    assert_int_equal(order(kit, &frame_msg, gmm, sizeof(gmm)), 0);
    uint64_t want = 2 * sizeof(gmm) + 3 + 3 + 3; /* header of UI, two check sequences */
    assert_int_equal(level(c->mobiles[0].sched.bucket, kit->now), want);
    assert_int_equal(level(c->bvcs[0].sched.bucket, kit->now), want);
    while (order(kit, &ui_msg, bytes, LONGEST_OCTETS) == 0)
        sent++;
    want += (uint64_t)sent * (LONGEST_OCTETS + 6);
    assert_int_equal(sent, (1000 + SCHED_SIGNAL_DEBT_OCTETS) / (LONGEST_OCTETS + 6));
    assert_int_equal(level(c->mobiles[0].sched.bucket, kit->now), want);
    assert_int_equal(c->mobiles[0].llc[0].vu, sent + 1); /* what was refused has no number */
    assert_int_equal(kit_drain(&kit->gb), sent + 2);
    kit_flow(kit, 1000000, 0);
    assert_int_equal(order(kit, &ui_msg, gmm, sizeof(gmm)), 0);
}

/* A cell that nothing may be sent to: blocked, without a way, reset, or not yet flow controlled. */
TEST(cell_closed)
{
    static const struct msg closing[][2] = {
        {{.type = MSG_BVC_STATE, .is_unblocked = false}, {.type = MSG_BVC_STATE, .is_unblocked = false}},
        {{.type = MSG_NSVC_STATE, .is_usable = false}, {.type = MSG_BVC_STATE, .is_unblocked = true}},
        {{.type = MSG_BVC_STATE, .is_unblocked = true}, {.type = MSG_BVC_RESET}},
        {{.type = MSG_BVC_RESET}, {.type = MSG_BVC_STATE, .is_unblocked = true}},
    };
    for (size_t i = 0; i < COUNT(closing); i++) {
        struct kit kit;
        kit_open(&kit, NULL);
        kit_do(&kit, &closing[i][0]);
        kit_do(&kit, &closing[i][1]);
        assert_int_equal(order(&kit, &(struct msg){.type = MSG_LLC_UI, .llc = {.sapi = 1}}, gmm, sizeof(gmm)),
                         -1);
        assert_int_equal(kit_drain(&kit.gb), 0);
        kit_close(&kit);
    }
}

/* --- N201-U --- */

TEST(n201_u)
{
    static const struct {
        uint32_t octets;
        int status;
    } steps[] = {{140, 0}, {139, -1}, {1520, 0}, {1521, -1}, {500, 0}, {65536 + 200, -1}};
    struct kit kit;
    struct gb_frame_downlink model = {.n201_u = 300};
    uint8_t n_pdu[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS], want[KIT_FRAME_OCTETS];

    kit_open(&kit, &(struct kit_options){.n201_u = 300});
    gn_frame_inner(n_pdu, 1500, 0);
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct msg msg = {.type = MSG_MS_N201, .n201_u_octets = steps[i].octets};
        assert_int_equal(kit_order(&kit, &msg), steps[i].status);
        model.n201_u = steps[i].status == 0 ? (uint16_t)steps[i].octets : model.n201_u;
        kit_from_gn(&kit, frame,
                    gn_frame_build(frame, &(struct gn_frame){.teid = KIT_TEID, .inner_octets = 1500}));
        for (uint16_t offset = 0; offset < 1500;) {
            size_t octets = gb_frame_segment(want, &model, n_pdu, 1500, &offset);
            assert_int_equal(kit_take_gb(&kit, frame), octets);
            assert_memory_equal(frame, want, octets);
        }
    }
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_MS_N201, .slot = 1, .n201_u_octets = 500}),
                     -1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
