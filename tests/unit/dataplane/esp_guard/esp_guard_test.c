/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP on Gb: the link's bucket counts the octets on the wire, all others those of LLC. Fragments on Gn. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "dataplane/esp/sa.h"
#include "dataplane/esp_guard/esp_guard.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <rte_crypto.h>
#include <rte_mempool.h>
#include <string.h>

enum {
    RATE_BPS = 800000,
    BUCKET_OCTETS = 4000,
    HEADS_OCTETS = IPV4_OCTETS + 8,
    COUNT_PDUS = 200,
    N201_U = 500
};
enum { IV_OCTETS = 16, OPS = 255, SPI = 0x1001, LEAST_OCTETS = 200, MOST_OCTETS = 700, ALIKE = 3 };

#define MEMORY_OCTETS ((size_t)256 << 20)

static struct sa_device device;
static struct rte_mempool *ops;
static struct esp_guard guard; /* of the worker */

/* Guards with rules of Gn and of Gb; NULL: the port has none. */
static struct guards guards_of(struct rules *gn, struct rules *gb)
{
    guard = (struct esp_guard){.rules = {gn, gb}, .ops = ops};
    return esp_guard_of(&guard);
}

static int start(void **state)
{
    static const char *const names[] = {"crypto_aesni_mb", "crypto_openssl"};
    const char *reason = "";
    bool is_open = false;
    if (!eal_start_device("net_null0", MEMORY_OCTETS)) /* with the drivers of crypto devices */
        return -1;
    for (unsigned i = 0; i < COUNT(names) && !is_open; i++)
        is_open = sa_device_open(&device, names[i], 1, 4, &reason);
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, IV_OCTETS, SOCKET_ID_ANY);
    if (!is_open)
        print_message("%s\n", reason);
    return is_open && ops ? 0 : -1;
}

static struct sa *sa_of(enum sa_suite suite, bool is_tunnel)
{
    const char *reason;
    struct sa_params params = {.spi = SPI,
                               .suite = suite,
                               .is_tunnel = is_tunnel,
                               .encap_source = is_tunnel ? 4500 : 0,
                               .encap_destination = is_tunnel ? 4500 : 0,
                               .hop_limit = 64,
                               .source.octets = {192, 0, 2, 1},
                               .destination.octets = {192, 0, 2, 2}};
    struct sa *sa = sa_new(&params, &device, &reason);
    assert_non_null(sa);
    return sa;
}

/* Protects all packets to the BSS. */
static struct rules *rules_with(struct sa *sa)
{
    struct rules *rules = rules_new();
    assert_non_null(rules);
    rules->others = RULE_DROP;
    rules->out[rules->out_count++] = (struct rule){.selector = {.protocol = IPV4_PROTO_UDP,
                                                                .remote_port = KIT_BSS_PORT,
                                                                .remote_bits = 32,
                                                                .remote.octets = {0xc6, 0x33, 0x64, 2}},
                                                   .action = RULE_PROTECT,
                                                   .sa = sa};
    return rules;
}

/* The octets of IP packets that have left. */
static uint64_t taken(struct kit *kit, unsigned *count)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    uint64_t octets = 0;
    while (kit_take_gb(kit, frame) > 0) {
        octets += bytes_get_u16(frame + ETHER_OCTETS + 2);
        *count += 1;
    }
    return octets;
}

/* One to three LLC-PDUs each, none below 128 octets: BSSGP's length of such a one has an octet less. */
static void put_all(struct kit *kit, unsigned seed)
{
    struct rng rng;
    rng_init(&rng, seed, 0);
    for (unsigned i = 0; i < COUNT_PDUS; i++) {
        uint64_t full = rng_u64(&rng) % 3 * (N201_U - 3), last = LEAST_OCTETS + rng_u64(&rng) % 290;
        gn_frame_put(kit, KIT_TEID, (uint16_t)(full + last));
    }
}

/* A link with a rate: at each instant no more has left than it allows, and when it was never idle no less but
 * one packet. overhead: IP and UDP, which are on the wire, too. */
static void rate_on_the_wire(enum sa_suite suite, bool is_tunnel)
{
    struct kit kit;
    struct sa *sa = sa_of(suite, is_tunnel);
    const struct msg rate = {.type = MSG_NSE_RATE, .slot = 0, .link = {RATE_BPS, BUCKET_OCTETS, 50}};
    uint64_t octets = 0, allowed = 0;
    unsigned count = 0;
    struct rules *rules = rules_with(sa);
    kit_open(&kit, &(struct kit_options){.n201_u = N201_U,
                                         .queue_limit_octets = 10000000,
                                         .guards = guards_of(NULL, rules),
                                         .gb_overhead_octets = HEADS_OCTETS});
    kit_do(&kit, &rate);
    int64_t began = kit.now;
    put_all(&kit, suite);
    octets += taken(&kit, &count);
    for (int64_t next_ns = kit_settle(&kit); next_ns != MOMENT_NEVER;
         next_ns = kit_settle_at(&kit, next_ns)) {
        octets += taken(&kit, &count);
        allowed = BUCKET_OCTETS + (uint64_t)(kit.now - began) * RATE_BPS / 8 / MOMENT_SECOND;
        assert_true(octets <= allowed);
        if (kit.worker->context.sched.pkts > 0)
            assert_true(octets + MOST_OCTETS > allowed);
    }
    octets += taken(&kit, &count);
    assert_true(count > COUNT_PDUS);
    assert_int_equal(kit.worker->context.nses[0].sched.sent_octets, octets);
    kit_close(&kit);
    rules_free(rules);
    sa_free(sa);
}

TEST_CALL(rate_in_blocks_of_16_in_a_tunnel, rate_on_the_wire(SA_AES_CBC_128_SHA_256, true))
TEST_CALL(rate_in_blocks_of_4, rate_on_the_wire(SA_AES_GCM_128, false))

/* Of a flood a second has one message of its reason, with as many packets as there were. */
TEST(faults)
{
    enum { EACH = 5, STEPS = 31, STEP_NS = MOMENT_SECOND / 10 };
    struct kit kit;
    struct rules *rules = rules_new();
    struct msg msg;
    unsigned messages = 0;
    uint64_t count = 0;
    int64_t last_ns = 0;
    assert_non_null(rules);
    rules->others = RULE_DROP;
    kit_open(&kit, &(struct kit_options){.n201_u = N201_U, .guards = guards_of(rules, NULL)});
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned k = 0; k < EACH; k++)
            gn_frame_put(&kit, KIT_TEID, 100);
        kit_settle(&kit);
        for (; kit_take_msg(&kit, &msg); messages++) {
            const struct faults_news *fault = &msg.esp_fault;
            assert_int_equal(msg.type, MSG_ESP_FAULT);
            assert_true(fault->reason == DROP_ESP_POLICY && fault->port == MSG_PORT_GN);
            assert_true(!fault->one.is_ipv6 && !fault->one.is_out && fault->one.spi == FAULTS_NO_SPI);
            assert_int_equal(bytes_get_u32(fault->one.address.octets), KIT_GGSN_IP);
            assert_true(messages == 0 || kit.now - last_ns >= ESP_GUARD_FAULT_NS);
            last_ns = kit.now;
            count += fault->count;
        }
        kit.now += STEP_NS;
    }
    assert_int_equal(messages, 4);
    assert_int_equal(count, EACH * (STEPS - 1) + 1); /* the first packet of the last burst had the message */
    assert_int_equal(guard.guards[MSG_PORT_GN].faults.seen, 1 << (DROP_ESP_POLICY - FAULTS_FIRST));
    assert_int_equal(kit.worker->stats.gn_drops[DROP_ESP_POLICY], EACH * STEPS);
    kit_close(&kit);
    rules_free(rules);
}

/* --- other rules --- */

/* What the link's bucket counts for one N-PDU more than without ESP, after the worker has got other rules. */
static uint64_t link_octets_of_one(struct kit *kit)
{
    unsigned count = 0;
    uint64_t before = kit->worker->context.nses[0].sched.sent_octets;
    gn_frame_put(kit, KIT_TEID, LEAST_OCTETS);
    uint64_t octets = taken(kit, &count);
    assert_int_equal(count, 1);
    assert_int_equal(kit->worker->context.nses[0].sched.sent_octets - before, octets);
    return octets;
}

TEST(rules_change)
{
    struct kit kit;
    struct sa *first = sa_of(SA_AES_GCM_128, false), *second = sa_of(SA_AES_CBC_256_SHA_256, true);
    struct rules *sets[] = {rules_with(first), rules_with(second), rules_with(first)};
    uint64_t octets[ALIKE];
    kit_open(&kit,
             &(struct kit_options){.guards = guards_of(NULL, sets[0]), .gb_overhead_octets = HEADS_OCTETS});
    octets[0] = link_octets_of_one(&kit);
    sets[2]->out[0].action = RULE_PASS;
    for (unsigned i = 0; i < ALIKE; i++)
        atomic_store(&sets[i]->users, 2);
    for (unsigned i = 1; i < ALIKE; i++) {
        const struct msg msg = {.type = MSG_ESP_RULES, .rules = {sets[i], MSG_PORT_GB}};
        kit_do(&kit, &msg);
        octets[i] = link_octets_of_one(&kit);
        assert_int_equal(sets[i - 1]->users, 1); /* control frees it when no worker has it */
        assert_int_equal(sets[i]->users, 2);
    }
    assert_in_range(octets[0] - octets[2], 34, 37);           /* ESP, IV, ICV, padding */
    assert_in_range(octets[1] - octets[2], 42 + 28, 57 + 28); /* IV of 16, outer IP and UDP */
    kit_close(&kit);
    for (unsigned i = 0; i < ALIKE; i++)
        rules_free(sets[i]);
    sa_free(first);
    sa_free(second);
}

/* --- flow control --- */

struct levels {
    uint64_t ms, bvc;
};

static struct levels levels_after(struct rules *rules)
{
    struct kit kit;
    unsigned count = 0;
    kit_open(&kit, &(struct kit_options){.n201_u = N201_U, .guards = guards_of(NULL, rules)});
    kit_flow(&kit, 100000000, 8);
    put_all(&kit, 1);
    assert_true(taken(&kit, &count) > 0);
    const struct levels levels = {bucket_level_octets(&kit.worker->context.mobiles[0].sched.bucket, kit.now),
                                  bucket_level_octets(&kit.worker->context.bvcs[0].sched.bucket, kit.now)};
    kit_close(&kit);
    return levels;
}

/* Its buckets count octets of LLC, with ESP as without. */
TEST(flow_control_does_not_change)
{
    struct sa *sa = sa_of(SA_AES_CBC_128_SHA_256, true);
    struct rules *rules = rules_with(sa);
    struct levels with = levels_after(rules), without = levels_after(NULL);
    assert_true(without.ms > COUNT_PDUS * LEAST_OCTETS);
    assert_int_equal(with.ms, without.ms);
    assert_int_equal(with.bvc, without.bvc);
    rules_free(rules);
    sa_free(sa);
}

/* --- fragments --- */

enum { PIECE_OCTETS = 600, PIECES = 2, INNER_OCTETS = 1000, GTP_PORT = 2152 };

/* Whether a G-PDU in fragments without ESP is dropped under a rule that protects what comes to a port. */
static uint64_t missing_of_fragments(uint16_t local_port)
{
    struct kit kit;
    struct rules *rules = rules_new();
    uint8_t frame[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
    const struct gn_frame g_pdu = {.teid = KIT_TEID, .inner_octets = INNER_OCTETS};
    assert_non_null(rules);
    rules->others = RULE_PASS;
    rules->in[rules->in_count++] = (struct rule){
        .selector = {.protocol = IPV4_PROTO_UDP, .local_port = local_port}, .action = RULE_PROTECT};
    kit_open(&kit, &(struct kit_options){.guards = guards_of(rules, NULL)});
    size_t octets = gn_frame_build(frame, &g_pdu);
    for (unsigned i = 0; i < PIECES; i++)
        kit_from_gn(&kit, piece, gn_frame_fragment(piece, frame, octets, PIECE_OCTETS, i));
    uint64_t missing = kit.worker->stats.gn_drops[DROP_ESP_MISSING];
    assert_int_equal(kit.worker->stats.npdu_out + missing, 1);
    kit_close(&kit);
    rules_free(rules);
    return missing;
}

/* The port is in the first of them alone. */
TEST(fragments_hide_no_port)
{
    assert_int_equal(missing_of_fragments(GTP_PORT), 1);
    assert_int_equal(missing_of_fragments(GTP_PORT + 1), 0);
}

UNIT_MAIN(start, NULL)
