/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP of a port: frames that come and that leave, some sealed with the right key and spoilt behind, some with
 * the right ICV over text that no sender writes. Each frame is passed on once or counted once, what passed
 * has the rule that it must have, and every buffer comes back. If the last octet of the input is odd, frames
 * go through the guard of Gn, which collects fragments.
 */
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"
#include "dataplane/esp_guard/esp_guard.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/worker/shares.h"
#include "dataplane/worker/worker.h"
#include "control/base/eal.h"
#include "tests/fuzz/fuzz.h"

#include <nettle/hmac.h>
#include <rte_crypto.h>
#include <rte_mbuf.h>
#include <sanitizer/asan_interface.h>

enum { BUFFERS = 255, OPS = 127, STEPS = 40, PAIRS = 5, MOST = 300, IV = 16, ICV = 16, PORT = 4500 };
enum { DEVICES = 3 }; /* those of IPsec-mb */
enum { MESSAGES = 64, DATAGRAMS = 8, HELD = 16, STEP_NS = 1000000 };

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

static struct worker worker; /* of whom the guard needs its rings, fragments and counts */
static struct worker_config config;
static struct esp_guard guards;
static struct shares shares;
static bool is_guarded;

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
    guards = (struct esp_guard){.ops = ops, .has_ike = true, .rules = {[MSG_PORT_GN] = rules}};
    config = (struct worker_config){.tx_pool = buffers, .guards = esp_guard_of(&guards)};
    FUZZ_CHECK(fragments_new(&worker.fragments, DATAGRAMS, HELD, MOMENT_SECOND) &&
               msg_rings_new(&worker.rings, "esp", MESSAGES) && shares_new(&shares, 1, MESSAGES / 2));
    worker.rings.shares = &shares;
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
    size_t octets, wanted = fuzz_take(input, 1);
    wanted += fuzz_take(input, 1) % 50;
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

/* The room behind a frame, which nothing that looks at the frame may read. */
static void *room_of(const struct rte_mbuf *frame, size_t *octets)
{
    *octets = rte_pktmbuf_tailroom(frame);
    return rte_pktmbuf_mtod_offset(frame, uint8_t *, rte_pktmbuf_data_len(frame));
}

static void receive_one(struct rte_mbuf *frame)
{
    const struct port_guard *guard = worker.gn.guard;
    size_t octets;
    void *room = room_of(frame, &octets);
    given++;
    worker.step_ns += STEP_NS;
    if (!is_guarded) /* a guard puts fragments behind it */
        ASAN_POISON_MEMORY_REGION(room, octets);
    unsigned left = is_guarded ? guard->receive(guard->arg, &frame, 1) : esp_receive(&esp, &frame, 1, drops);
    ASAN_UNPOISON_MEMORY_REGION(room, octets);
    check(frame, left);
}

/* A fragment with these octets of the payload behind the header. */
static struct rte_mbuf *fragment(const uint8_t *bytes, unsigned head, uint16_t from, uint16_t octets)
{
    unsigned extra = head == IPV6_OCTETS ? IPV6_FRAGMENT_OCTETS : 0, more = from == 0;
    struct rte_mbuf *frame = rte_pktmbuf_alloc(buffers);
    uint8_t *to = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(ETHER_OCTETS + head + extra + octets)),
            *ip = to + ETHER_OCTETS;
    memcpy(to, bytes, ETHER_OCTETS + head);
    memcpy(ip + head + extra, bytes + ETHER_OCTETS + head + from, octets);
    if (extra) {
        memset(ip + head, 0, extra);
        ip[head] = ip[6];
        ip[6] = IPV6_FRAGMENT;
        bytes_put_u16(ip + 4, (uint16_t)(extra + octets));
        bytes_put_u16(ip + head + 2, (uint16_t)(from | more));
        return frame;
    }
    bytes_put_u16(ip + 2, (uint16_t)(head + octets));
    bytes_put_u16(ip + 6, (uint16_t)(from / 8 | more << 13));
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, head));
    return frame;
}

enum { IS_CUT = 1, IS_LAST_FIRST = 2, IS_TWICE = 4 };

/* Whole, or for a guard in two fragments, which may come the other way round, and one of them twice. */
static void receive(struct fuzz_input *input, struct rte_mbuf *frame)
{
    uint8_t how = is_guarded ? (uint8_t)fuzz_take(input, 1) : 0;
    const uint8_t *bytes = rte_pktmbuf_mtod(frame, const uint8_t *);
    unsigned octets = rte_pktmbuf_data_len(frame),
             head = bytes_get_u16(bytes + 12) == ETHER_TYPE_IPV6 ? IPV6_OCTETS : IPV4_OCTETS;
    if (!(how & IS_CUT) || octets < ETHER_OCTETS + head + 9) {
        receive_one(frame);
        return;
    }
    octets -= ETHER_OCTETS + head;
    uint16_t at = (uint16_t)(8 * (1 + fuzz_take(input, 1) % ((octets - 1) / 8)));
    struct rte_mbuf *pieces[] = {fragment(bytes, head, 0, at),
                                 fragment(bytes, head, at, (uint16_t)(octets - at))};
    unsigned first = how & IS_LAST_FIRST ? 1 : 0;
    struct rte_mbuf *copy = how & IS_TWICE ? rte_pktmbuf_copy(pieces[first], buffers, 0, UINT32_MAX) : NULL;
    rte_pktmbuf_free(frame);
    receive_one(pieces[first]);
    if (copy)
        receive_one(copy);
    receive_one(pieces[1 - first]);
}

static void come(struct fuzz_input *input)
{
    receive(input, raw(input));
}

static unsigned send_one(struct rte_mbuf **frame)
{
    const struct port_guard *guard = worker.gn.guard;
    given++;
    return is_guarded ? guard->send(guard->arg, frame, 1) : esp_send(&esp, frame, 1, drops);
}

static void leave(struct fuzz_input *input)
{
    struct rte_mbuf *frame = raw(input);
    unsigned left = send_one(&frame);
    check(frame, left);
}

/* A packet with ESP of gbflow's own, which some octet spoils, or not. */
static void there_and_back(struct fuzz_input *input)
{
    size_t octets;
    uint8_t third = (uint8_t)(fuzz_take(input, 1) % PAIRS), spoils = (uint8_t)fuzz_take(input, 1);
    const uint8_t *block = fuzz_take_block(input, fuzz_take(input, 1), &octets);
    struct rte_mbuf *frame = ipv4(IPV4_PROTO_UDP, third, block, octets);
    if (send_one(&frame) == 0)
        return;
    passed++;
    if (spoils & 1)
        fuzz_spoil(input, rte_pktmbuf_mtod(frame, uint8_t *), rte_pktmbuf_data_len(frame));
    if (spoils & 12)
        put_sum(frame);
    if (spoils & 2) {
        struct rte_mbuf *copy = rte_pktmbuf_copy(frame, buffers, 0, UINT32_MAX);
        receive(input, copy);
    }
    receive(input, frame);
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
    receive(input, ipv4(kinds[pair].has_encap ? IPV4_PROTO_UDP : 50, 0, bytes,
                        (size_t)(at - bytes) + 8 + octets + ICV));
}

static void (*const steps[])(struct fuzz_input *input) = {come, leave, there_and_back, sealed};

/* --- the guard --- */

static void begin_guard(bool is_wanted)
{
    is_guarded = is_wanted;
    worker.stats = (struct worker_stats){0};
    worker.step_ns = MOMENT_SECOND;
    if (is_guarded)
        guards_put(&worker, &config);
}

/* Fragments whose rest did not come, and messages to control. */
static void end_guard(void)
{
    struct msg msg;
    fragments_expire(&worker.fragments, &worker.stats, MOMENT_NEVER);
    FUZZ_CHECK(worker.stats.gn_held == 0);
    while (shares_take(&worker.rings, &msg))
        if (msg.type == MSG_IKE)
            rte_pktmbuf_free(msg.mbuf);
}

static uint64_t dropped(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        sum += drops[i] + worker.stats.gn_drops[i] + worker.stats.gn_unsent[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    given = passed = 0;
    memset(drops, 0, sizeof(drops));
    begin_guard(len > 0 && bytes[len - 1] & 1);
    for (unsigned i = 0; i < PAIRS; i++)
        if (in[i])
            in[i]->window = (struct sa_window){.size = 64, .has_esn = kinds[i].has_esn};
    for (unsigned count = 0; input.left > 0 && count < STEPS; count++)
        steps[fuzz_take(&input, 1) % (sizeof steps / sizeof steps[0])](&input);
    if (is_guarded)
        end_guard();
    FUZZ_CHECK(given == passed + worker.stats.gn_merged + dropped());
    FUZZ_CHECK(rte_mempool_avail_count(buffers) == BUFFERS && rte_mempool_avail_count(ops) == OPS);
    return 0;
}
