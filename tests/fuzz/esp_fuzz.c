/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP of a port: frames that come and that leave, some sealed with the right key and spoilt behind, some with
 * the right ICV over text that no sender writes. Each frame is passed on once or counted once, what passed
 * has the rule that it must have, and every buffer comes back.
 */
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "control/base/eal.h"
#include "tests/fuzz/fuzz.h"

#include <nettle/hmac.h>
#include <rte_crypto.h>
#include <rte_mbuf.h>

enum { BUFFERS = 255, OPS = 127, STEPS = 40, PAIRS = 5, MOST = 300, IV = 16, ICV = 16, PORT = 4500 };
enum { DEVICES = 3 }; /* those of IPsec-mb */

static const struct {
    enum sa_suite suite;
    bool is_tunnel, is_ipv6, is_inner_ipv6, has_esn, has_encap;
} kinds[PAIRS] = {{SA_AES_GCM_128, true, false, false, true, false},
                  {SA_NULL_SHA_256, false, false, false, false, false},
                  {SA_NULL_SHA_256, true, false, false, true, true},
                  {SA_AES_CBC_128_SHA_256, true, true, false, false, true},
                  {SA_AES_GCM_256, true, true, true, true, false}};

static struct rte_mempool *buffers, *ops;
static struct sa_device devices[DEVICES];
static struct sa *in[PAIRS], *out[PAIRS];
static struct esp esp;
static uint64_t drops[DROP_COUNT];
static unsigned given, passed;

static enum drop take_ike(void *arg, struct rte_mbuf *frame, uint64_t source)
{
    rte_pktmbuf_free(frame);
    return DROP_IKE;
}

/* 10.0.PAIR.0/24, or for IPv6 all. */
static struct rule rule_of(unsigned pair)
{
    struct rule rule = {.action = RULE_PROTECT, .group = pair, .sa = out[pair]};
    rule.selector.is_ipv6 = kinds[pair].is_inner_ipv6;
    rule.selector.remote.octets[0] = 10;
    rule.selector.remote.octets[2] = (uint8_t)pair;
    rule.selector.remote_bits = rule.selector.is_ipv6 ? 0 : 24;
    return rule;
}

static struct sa *make(unsigned pair, bool is_inbound)
{
    const char *reason = "";
    struct sa_params p = {.spi = 0x1000 + pair,
                          .suite = kinds[pair].suite,
                          .is_inbound = is_inbound,
                          .is_tunnel = kinds[pair].is_tunnel,
                          .is_ipv6 = kinds[pair].is_ipv6,
                          .is_inner_ipv6 = kinds[pair].is_inner_ipv6,
                          .has_esn = kinds[pair].has_esn,
                          .hop_limit = 64,
                          .window = 64,
                          .encap_source = kinds[pair].has_encap ? PORT : 0,
                          .encap_destination = kinds[pair].has_encap ? PORT : 0};
    for (unsigned i = 0; i < DEVICES; i++) {
        const struct sa_device *device = &devices[(pair + i) % DEVICES];
        if (device->name && sa_device_has(device, p.suite))
            return sa_new(&p, device, &reason);
    }
    return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *unused_count, char ***unused_argv)
{
    const char *reason;
    FUZZ_CHECK(eal_start_device("net_null0", (size_t)64 << 20));
    buffers = pool_new("buffers", BUFFERS);
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, IV, SOCKET_ID_ANY);
    for (unsigned i = 0; i < DEVICES; i++)
        sa_device_open(&devices[i], sa_devices[i], 1, 2 * PAIRS, &reason);
    struct rules *rules = rules_new();
    FUZZ_CHECK(buffers && ops && rules);
    rules->others = RULE_PASS;
    rules->encap_ports[rules->encap_count++] = PORT;
    for (unsigned i = 0; i < PAIRS; i++) {
        in[i] = make(i, true);
        out[i] = make(i, false);
        if (!in[i] || !out[i])
            continue; /* no device has the suite */
        FUZZ_CHECK(rules_add_inbound(rules, in[i], i));
        rules->in[rules->in_count++] = rules->out[rules->out_count++] = rule_of(i);
    }
    esp = (struct esp){.rules = rules, .ops = ops, .buffers = buffers, .take_ike = take_ike};
    return 0;
}

/* --- frames --- */

static void put_ether(uint8_t *bytes, bool is_ipv6)
{
    memset(bytes, 0, ETHER_OCTETS);
    bytes_put_u16(bytes + 12, is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
}

/* Most frames have a right IPv4 checksum: without it no later line is reached. */
static void put_sum(struct rte_mbuf *frame)
{
    uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
    size_t octets = rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS, header_octets = 0;
    if (octets >= IPV4_OCTETS && ip[0] >> 4 == 4)
        header_octets = 4u * (ip[0] & 15);
    if (header_octets < IPV4_OCTETS || header_octets > octets)
        return;
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, header_octets));
}

/* Ethernet of one of the types, and octets of the input. */
static struct rte_mbuf *raw(struct fuzz_input *input)
{
    struct rte_mbuf *frame = rte_pktmbuf_alloc(buffers);
    size_t octets, wanted = fuzz_take(input, 1) + fuzz_take(input, 1) % 50;
    unsigned kind = fuzz_take(input, 1);
    const uint8_t *block = fuzz_take_block(input, wanted, &octets);
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(ETHER_OCTETS + octets));
    put_ether(bytes, kind & 1);
    memcpy(bytes + ETHER_OCTETS, block, octets);
    if (kind & 6)
        put_sum(frame);
    return frame;
}

/* An IPv4 packet with these octets behind the header. */
static struct rte_mbuf *ipv4(uint8_t proto, uint8_t third, const uint8_t *block, size_t octets)
{
    struct rte_mbuf *frame = rte_pktmbuf_alloc(buffers);
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(ETHER_OCTETS + IPV4_OCTETS + octets));
    struct ipv4 ip = {.src = 0x0a000001U | (uint32_t)third << 8,
                      .dst = 0x0a000001U | (uint32_t)third << 8,
                      .proto = proto,
                      .ttl = 9,
                      .header_octets = IPV4_OCTETS,
                      .payload_octets = (uint16_t)octets};
    put_ether(bytes, false);
    FUZZ_CHECK(ipv4_encode(bytes + ETHER_OCTETS, IPV4_OCTETS, &ip) == IPV4_OCTETS);
    memcpy(bytes + ETHER_OCTETS + IPV4_OCTETS, block, octets);
    return frame;
}

/* --- steps --- */

/* Gives the frame to one direction; what passes is freed, after a look. */
static void check(struct rte_mbuf *frame, unsigned left)
{
    if (left == 0)
        return;
    FUZZ_CHECK(left == 1 && frame->nb_segs == 1 && rte_pktmbuf_data_len(frame) >= ETHER_OCTETS);
    passed++;
    rte_pktmbuf_free(frame);
}

static void receive(struct rte_mbuf *frame)
{
    given++;
    unsigned left = esp_receive(&esp, &frame, 1, drops);
    check(frame, left);
}

static void come(struct fuzz_input *input)
{
    receive(raw(input));
}

static void leave(struct fuzz_input *input)
{
    struct rte_mbuf *frame = raw(input);
    given++;
    unsigned left = esp_send(&esp, &frame, 1, drops);
    check(frame, left);
}

/* A packet with ESP of gbflow's own, which some octet spoils, or not. */
static void there_and_back(struct fuzz_input *input)
{
    size_t octets;
    uint8_t third = (uint8_t)(fuzz_take(input, 1) % PAIRS), spoils = (uint8_t)fuzz_take(input, 1);
    const uint8_t *block = fuzz_take_block(input, fuzz_take(input, 1), &octets);
    struct rte_mbuf *frame = ipv4(IPV4_PROTO_UDP, third, block, octets);
    given++;
    if (esp_send(&esp, &frame, 1, drops) == 0)
        return;
    passed++;
    if (spoils & 1)
        fuzz_spoil(input, rte_pktmbuf_mtod(frame, uint8_t *), rte_pktmbuf_data_len(frame));
    if (spoils & 12)
        put_sum(frame);
    if (spoils & 2) {
        struct rte_mbuf *copy = rte_pktmbuf_copy(frame, buffers, 0, UINT32_MAX);
        receive(copy);
    }
    receive(frame);
}

/* The right ICV of NULL over any text: what is behind the proof must not be believed. */
static void sealed(struct fuzz_input *input)
{
    uint8_t bytes[UDP_OCTETS + 8 + 300 + ICV], *at = bytes, high[4] = {0};
    uint8_t key[SA_KEY_OCTETS] = {0};
    struct hmac_sha256_ctx hmac;
    size_t octets;
    unsigned pair = 1 + (fuzz_take(input, 1) & 1);
    if (!in[pair])
        return;
    const uint8_t *text = fuzz_take_block(input, fuzz_take(input, 1), &octets);
    if (kinds[pair].has_encap) {
        bytes_put_u16(at, PORT);
        bytes_put_u16(at + 2, PORT);
        bytes_put_u16(at + 4, (uint16_t)(UDP_OCTETS + 8 + octets + ICV));
        bytes_put_u16(at + 6, 0);
        at += UDP_OCTETS;
    }
    bytes_put_u32(at, 0x1000 + pair);
    bytes_put_u32(at + 4, (uint32_t)fuzz_take(input, 1) + 1);
    memcpy(at + 8, text, octets);
    hmac_sha256_set_key(&hmac, sizeof(key), key);
    hmac_sha256_update(&hmac, 8 + octets, at);
    if (kinds[pair].has_esn)
        hmac_sha256_update(&hmac, sizeof(high), high);
    hmac_sha256_digest(&hmac, ICV, at + 8 + octets);
    receive(
        ipv4(kinds[pair].has_encap ? IPV4_PROTO_UDP : 50, 0, bytes, (size_t)(at - bytes) + 8 + octets + ICV));
}

static void (*const steps[])(struct fuzz_input *input) = {come, leave, there_and_back, sealed};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    uint64_t dropped = 0;
    given = passed = 0;
    memset(drops, 0, sizeof(drops));
    for (unsigned i = 0; i < PAIRS; i++)
        if (in[i])
            in[i]->window = (struct sa_window){.size = 64, .has_esn = kinds[i].has_esn};
    for (unsigned count = 0; input.left > 0 && count < STEPS; count++)
        steps[fuzz_take(&input, 1) % (sizeof steps / sizeof steps[0])](&input);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        dropped += drops[i];
    FUZZ_CHECK(given == passed + dropped);
    FUZZ_CHECK(rte_mempool_avail_count(buffers) == BUFFERS && rte_mempool_avail_count(ops) == OPS);
    return 0;
}
