/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fragments where a port has ESP. A datagram of which a part came in ESP is whole only by parts that came in
 * ESP, too: else any host would write the tail of a packet that passes for protected. The ports are rings: no
 * kernel joins fragments here.
 */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "dataplane/base/bytes.h"
#include "dataplane/esp/sa.h"
#include "dataplane/esp_guard/esp_guard.h"
#include "dataplane/wire/ether.h"

#include <rte_crypto.h>
#include <rte_mempool.h>
#include <string.h>

#define MEMORY_OCTETS ((size_t)256 << 20)
enum { OPS = 255, SPI = 0x1001, GROUP = 3, WINDOW = 1024, ENCAP_PORT = 4500 };
enum { PIECE_OCTETS = 600, PIECES = 2, INNER_OCTETS = 1000, TEID_IPV6 = 0x3003, FLOOD = 2000 };
enum { NS_RESET = 2, NS_OCTETS = 80, NS_PIECE_OCTETS = 40 };

static struct sa_device device;
static struct rte_mempool *ops;

static int start(void **state)
{
    const char *reason = "";
    bool is_open = false;
    if (!eal_start_device("net_null0", MEMORY_OCTETS)) /* with the drivers of crypto devices */
        return -1;
    for (unsigned i = 0; i < SA_DEVICES && !is_open; i++)
        is_open = sa_device_open(&device, sa_devices[i], 1, 4, &reason);
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, 16, SOCKET_ID_ANY);
    if (!is_open)
        print_message("%s\n", reason);
    return is_open && ops ? 0 : -1;
}

/* How a node has ESP: with fragments of UDP that may carry ESP or IKE, and IP versions in a tunnel. */
struct way {
    const char *name;
    bool has_encap, has_ike, is_ipv6;
    enum msg_port port;
    bool is_outer_ipv6;
};

/* A worker with ESP on a port, and the end that sends to it. */
struct scene {
    const struct way *way;
    struct kit kit;
    struct esp_guard guard;
    struct sa *out, *in;
    struct rules *near, *far; /* of the worker; of the end */
    struct esp end;
    uint64_t drops[DROP_COUNT];
};

static struct sa *sa_of(const struct way *way, bool is_inbound)
{
    const char *reason;
    struct sa_params p = {.spi = SPI,
                          .is_inbound = is_inbound,
                          .is_tunnel = true,
                          .is_ipv6 = way->is_outer_ipv6,
                          .is_inner_ipv6 = way->is_ipv6,
                          .hop_limit = 64,
                          .window = is_inbound ? WINDOW : 0,
                          .source.octets = {192, 0, 2, 7},
                          .destination.octets = {192, 0, 2, 8}};
    struct sa *sa = sa_new(&p, &device, &reason);
    assert_non_null(sa);
    return sa;
}

/* All packets of the version in ESP alone. */
static struct rules *rules_of(const struct way *way, struct sa *out, struct sa *in, enum rule_action action)
{
    struct rules *rules = rules_new();
    assert_non_null(rules);
    const struct rule rule = {.action = action, .group = GROUP, .selector.is_ipv6 = way->is_ipv6, .sa = out};
    rules->in[rules->in_count++] = rules->out[rules->out_count++] = rule;
    rules->others = RULE_DROP;
    if (way->has_encap)
        rules->encap_ports[rules->encap_count++] = ENCAP_PORT;
    if (in)
        assert_true(rules_add_inbound(rules, in, GROUP));
    return rules;
}

static void scene_new(struct scene *scene, const struct way *way)
{
    *scene = (struct scene){.way = way, .out = sa_of(way, false), .in = sa_of(way, true)};
    scene->far = rules_of(way, scene->out, NULL, RULE_PROTECT);
    scene->near = rules_of(way, NULL, scene->in, RULE_PROTECT);
    scene->guard = (struct esp_guard){.ops = ops, .has_ike = way->has_ike};
    scene->guard.rules[way->port] = scene->near;
    kit_open(&scene->kit, &(struct kit_options){.guards = esp_guard_of(&scene->guard), .fragments = 64});
    scene->end = (struct esp){.rules = scene->far, .ops = ops, .buffers = scene->kit.tx_pool};
    if (way->is_ipv6)
        gn_ipv6_order(&scene->kit, TEID_IPV6);
}

static void scene_free(struct scene *scene)
{
    kit_close(&scene->kit);
    rules_free(scene->near);
    rules_free(scene->far);
    sa_free(scene->out);
    sa_free(scene->in);
}

static void give(struct scene *scene, const uint8_t *frame, size_t octets)
{
    (scene->way->port == MSG_PORT_GB ? kit_from_gb : kit_from_gn)(&scene->kit, frame, octets);
}

/* Puts a frame into ESP; returns the octets. */
static size_t protect(struct scene *scene, uint8_t *outside, const uint8_t *frame, size_t octets)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(scene->kit.tx_pool);
    assert_non_null(mbuf);
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    assert_int_equal(esp_send(&scene->end, &mbuf, 1, scene->drops), 1);
    octets = rte_pktmbuf_data_len(mbuf);
    memcpy(outside, rte_pktmbuf_mtod(mbuf, const uint8_t *), octets);
    rte_pktmbuf_free(mbuf);
    return octets;
}

/* The frame comes in ESP. */
static void give_protected(struct scene *scene, const uint8_t *frame, size_t octets)
{
    uint8_t outside[KIT_FRAME_OCTETS];
    give(scene, outside, protect(scene, outside, frame, octets));
}

/* One fragment of a G-PDU, or on Gb of NS-RESET. */
static size_t piece_of(const struct scene *scene, uint8_t *piece, unsigned index, bool is_forged)
{
    static const uint8_t ns_reset[NS_OCTETS] = {NS_RESET};
    uint8_t whole[KIT_FRAME_OCTETS];
    const struct gn_frame g_pdu = {.teid = KIT_TEID, .inner_octets = INNER_OCTETS};
    size_t octets;
    if (scene->way->port == MSG_PORT_GB)
        octets = gn_frame_fragment(piece, whole, gb_frame_wrap(whole, 0, ns_reset, NS_OCTETS),
                                   NS_PIECE_OCTETS, index);
    else if (scene->way->is_ipv6)
        octets = gn_ipv6_fragment(piece, whole, gn_ipv6_g_pdu(whole, TEID_IPV6, INNER_OCTETS, 0),
                                  PIECE_OCTETS, index);
    else
        octets = gn_frame_fragment(piece, whole, gn_frame_build(whole, &g_pdu), PIECE_OCTETS, index);
    piece[octets - 1] ^= is_forged;
    return octets;
}

static void give_piece(struct scene *scene, unsigned index, bool is_protected)
{
    uint8_t piece[KIT_FRAME_OCTETS];
    size_t octets = piece_of(scene, piece, index, !is_protected);
    (is_protected ? give_protected : give)(scene, piece, octets);
}

/* N-PDUs that went on to a mobile, or PDUs that went on to control. */
static unsigned passed(struct scene *scene)
{
    struct msg msg;
    unsigned count = (unsigned)scene->kit.worker->stats.npdu_out;
    while (kit_take_msg(&scene->kit, &msg)) {
        if (msg.type != MSG_PUNT)
            continue;
        rte_pktmbuf_free(msg.mbuf);
        count++;
    }
    return count;
}

static const struct way ways[] = {
    {"IPv4, UDP may be ESP", true, false, false, MSG_PORT_GN},
    {"IPv4, UDP may be IKE", false, true, false, MSG_PORT_GN},
    {"IPv4", false, false, false, MSG_PORT_GN},
    {"IPv6, UDP may be ESP", true, false, true, MSG_PORT_GN},
    {"IPv6, UDP may be IKE", false, true, true, MSG_PORT_GN},
    {"IPv6", false, false, true, MSG_PORT_GN},
};

/* --- Gn --- */

/* One fragment comes in ESP and the other one does not, in both orders; then the other one in ESP. */
static void forge(const struct way *way)
{
    for (unsigned bits = 0; bits < 4; bits++) {
        struct scene scene;
        unsigned index = bits & 1;
        bool is_forged_first = bits & 2;
        scene_new(&scene, way);
        give_piece(&scene, index, !is_forged_first);
        give_piece(&scene, !index, is_forged_first);
        if (passed(&scene) != 0)
            fail_msg("%s: a fragment without ESP completes a protected datagram", way->name);
        give_piece(&scene, is_forged_first ? index : !index, true);
        if (passed(&scene) != 1)
            fail_msg("%s: both fragments came in ESP", way->name);
        scene_free(&scene);
    }
}

TEST_EACH(forged_halves, forge, ways)

/* Fragments that all came without ESP stay one datagram, which is dropped whole or in its parts. */
static void plain(const struct way *way)
{
    struct scene scene;
    scene_new(&scene, way);
    for (unsigned i = 0; i < PIECES; i++)
        give_piece(&scene, i, false);
    assert_int_equal(passed(&scene), 0);
    assert_int_equal(scene.kit.worker->stats.gn_drops[DROP_ESP_MISSING],
                     way->has_encap || way->has_ike ? 1 : PIECES);
    scene_free(&scene);
}

TEST_EACH(plain_halves, plain, ways)

/* A fragment that passed without ESP by a rule is no part of one that comes in ESP by the next, nor of one
 * that is collected before the next judges it. */
static void reload(const struct way *way)
{
    struct scene scene;
    scene_new(&scene, way);
    struct rules *pass = rules_of(way, NULL, NULL, RULE_PASS);
    const struct msg orders[] = {{.type = MSG_ESP_RULES, .rules = {pass, MSG_PORT_GN}},
                                 {.type = MSG_ESP_RULES, .rules = {scene.near, MSG_PORT_GN}}};
    atomic_store(&pass->users, 1);
    atomic_store(&scene.near->users, 2);
    pass->encap_count = 0;
    kit_do(&scene.kit, &orders[0]);
    give_piece(&scene, 1, false);
    kit_do(&scene.kit, &orders[1]);
    give_piece(&scene, 0, false);
    assert_int_equal(scene.kit.worker->stats.gn_drops[DROP_ESP_MISSING], !way->has_encap && !way->has_ike);
    give_piece(&scene, 0, true);
    assert_int_equal(passed(&scene), 0);
    give_piece(&scene, 1, true);
    assert_int_equal(passed(&scene), 1);
    scene_free(&scene);
    rules_free(pass);
}

TEST_EACH(rules_that_change, reload, ways)

/* Fragments under the GGSN's address without ESP, each of another datagram, take no place of those in ESP. */
static void flood(const struct way *way)
{
    struct scene scene;
    uint8_t piece[KIT_FRAME_OCTETS];
    scene_new(&scene, way);
    give_piece(&scene, 0, true);
    size_t octets = piece_of(&scene, piece, 1, true);
    for (uint16_t id = 1; id < FLOOD; id++) {
        bytes_put_u16(piece + ETHER_OCTETS + (way->is_ipv6 ? 46 : 4), id);
        if (!way->is_ipv6)
            gn_frame_sum_ip(piece + ETHER_OCTETS);
        give(&scene, piece, octets);
    }
    give_piece(&scene, 1, true);
    assert_int_equal(passed(&scene), 1);
    scene_free(&scene);
}

TEST_EACH(floods_of_halves, flood, ways)

/* --- options of IPv6 --- */

enum { HOP_BY_HOP = 0, DESTINATION = 60, OPTIONS = 8, NEXT_AT = GN_IPV6_IP + 6 };

/* Writes 8 octets of options behind the IPv6 header of a frame; returns its octets. */
static size_t put_options(uint8_t *frame, size_t octets, uint8_t kind)
{
    const uint8_t head[OPTIONS] = {frame[NEXT_AT], 0, 1, 4};
    memmove(frame + GN_IPV6_UDP + OPTIONS, frame + GN_IPV6_UDP, octets - GN_IPV6_UDP);
    memcpy(frame + GN_IPV6_UDP, head, OPTIONS);
    frame[NEXT_AT] = kind;
    bytes_put_u16(frame + GN_IPV6_IP + 4, (uint16_t)(bytes_get_u16(frame + GN_IPV6_IP + 4) + OPTIONS));
    return octets + OPTIONS;
}

/* An ESP packet in fragments has destination options in the first, or hop-by-hop options in each. */
TEST(fragments_with_options)
{
    static const struct way way = {.port = MSG_PORT_GN, .is_outer_ipv6 = true};
    for (unsigned bits = 0; bits < 4; bits++) {
        struct scene scene;
        uint8_t g_pdu[KIT_FRAME_OCTETS], whole[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
        const struct gn_frame in = {.teid = KIT_TEID, .inner_octets = INNER_OCTETS};
        scene_new(&scene, &way);
        size_t octets = protect(&scene, whole, g_pdu, gn_frame_build(g_pdu, &in));
        if (bits & 1)
            octets = put_options(whole, octets, DESTINATION);
        uint8_t next = whole[NEXT_AT];
        for (unsigned i = 0; i < PIECES; i++) {
            size_t count = gn_ipv6_fragment(piece, whole, octets, PIECE_OCTETS, i);
            piece[GN_IPV6_UDP] = next;
            if (bits & 2)
                count = put_options(piece, count, HOP_BY_HOP);
            give(&scene, piece, count);
        }
        assert_int_equal(passed(&scene), 1);
        scene_free(&scene);
    }
}

/* --- Gb --- */

/* On Gb what is in ESP is whole; fragments in it are dropped, and complete nothing. */
TEST(halves_on_gb)
{
    static const struct way on_gb[] = {{"Gb, UDP may be ESP", true, false, false, MSG_PORT_GB},
                                       {"Gb, UDP may be IKE", false, true, false, MSG_PORT_GB}};
    for (unsigned i = 0; i < COUNT(on_gb); i++)
        for (unsigned bits = 0; bits < 4; bits++) {
            struct scene scene;
            uint8_t whole[KIT_FRAME_OCTETS];
            static const uint8_t ns_reset[NS_OCTETS] = {NS_RESET};
            scene_new(&scene, &on_gb[i]);
            for (unsigned k = 0; k < PIECES; k++)
                give_piece(&scene, k, bits >> k & 1);
            assert_int_equal(passed(&scene), 0);
            give_protected(&scene, whole, gb_frame_wrap(whole, 0, ns_reset, NS_OCTETS));
            assert_int_equal(passed(&scene), 1);
            scene_free(&scene);
        }
}

UNIT_MAIN(start, NULL)
