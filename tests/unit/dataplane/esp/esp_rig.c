/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/esp/esp_rig.h"

#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "dataplane/base/rng.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_crypto.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_OCTETS ((size_t)64 << 20)
#define GROUP         7
#define NAT_PORT      4500
#define ASSOCIATIONS  16
#define IV_OCTETS     16

static struct rng rng;
struct rte_mempool *esp_rig_buffers, *esp_rig_ops;
struct sa_device esp_rig_devices[ESP_RIG_DEVICES];

static const struct sa_device *in_turn;

bool esp_rig_has(enum sa_suite suite)
{
    for (unsigned i = 0; i < ESP_RIG_DEVICES; i++)
        if (esp_rig_devices[i].name && sa_device_has(&esp_rig_devices[i], suite))
            return true;
    if (getenv("CI"))
        fail_msg("no crypto device has %s; install librte-crypto-ipsec-mb", sa_suite_name(suite));
    print_message("skipped: no crypto device here has %s\n", sa_suite_name(suite));
    return false;
}

const struct sa_device *esp_rig_device(enum sa_suite suite)
{
    if (in_turn && sa_device_has(in_turn, suite))
        return in_turn;
    for (unsigned i = 0; i < ESP_RIG_DEVICES; i++)
        if (esp_rig_devices[i].name && sa_device_has(&esp_rig_devices[i], suite))
            return &esp_rig_devices[i];
    fail_msg("no crypto device is here for %s", sa_suite_name(suite));
    return NULL;
}

int esp_rig_run(int (*group)(void))
{
    int failed = esp_rig_start(NULL) == 0 ? 0 : 1;
    for (unsigned i = 0; failed == 0 && i < ESP_RIG_DEVICES; i++) {
        in_turn = &esp_rig_devices[i];
        if (!in_turn->name || !sa_device_has(in_turn, SA_AES_GCM_128))
            continue;
        print_message("device %s\n", in_turn->name);
        failed += group();
    }
    return failed;
}

int esp_rig_start(void **state)
{
    if (esp_rig_ops)
        return 0;
    const char *reason;
    if (!eal_start_device("net_null0", MEMORY_OCTETS))
        return -1;
    rng_init(&rng, 1, 0);
    esp_rig_buffers = pool_new("buffers", ESP_RIG_BUFFERS);
    esp_rig_ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, ESP_RIG_OPS, 0, IV_OCTETS,
                                            SOCKET_ID_ANY);
    for (unsigned i = 0; i < ESP_RIG_DEVICES; i++)
        if (!sa_device_open(&esp_rig_devices[i], sa_devices[i], 1, ASSOCIATIONS, &reason))
            fprintf(stderr, "%s: %s\n", sa_devices[i], reason);
    return esp_rig_buffers && esp_rig_ops ? 0 : -1;
}

static struct sa *make(const struct esp_rig_case *c, const struct sa_device *device, bool is_inbound)
{
    const char *reason;
    struct sa_params p = {.spi = ESP_RIG_SPI,
                          .suite = c->suite,
                          .is_inbound = is_inbound,
                          .is_tunnel = c->is_tunnel,
                          .is_ipv6 = c->is_tunnel ? c->is_ipv6 : c->is_inner_ipv6,
                          .is_inner_ipv6 = c->is_inner_ipv6,
                          .has_esn = c->has_esn,
                          .copies_dscp = c->dscp == 0,
                          .dscp = c->dscp,
                          .hop_limit = 64,
                          .first_sequence = is_inbound ? 0 : c->first_sequence,
                          .window = ESP_RIG_WINDOW,
                          .encap_source = c->has_encap ? NAT_PORT : 0,
                          .encap_destination = c->has_encap ? NAT_PORT : 0,
                          .source.octets = {192, 0, 2, 1},
                          .destination.octets = {192, 0, 2, 2}};
    memset(p.key, 0x42, sizeof(p.key));
    memset(p.auth, 0x43, sizeof(p.auth));
    struct sa *sa = sa_new(&p, device, &reason);
    if (!sa)
        fail_msg("%s on %s: %s", sa_suite_name(c->suite), device->name, reason);
    return sa;
}

void esp_rig_new(struct esp_rig *rig, const struct esp_rig_case *c, const struct sa_device *device)
{
    struct rule rule = {.action = RULE_PROTECT, .group = GROUP, .selector.is_ipv6 = c->is_inner_ipv6};
    *rig = (struct esp_rig){
        .out = make(c, device, false), .in = make(c, device, true), .near = rules_new(), .far = rules_new()};
    rig->near->others = rig->far->others = RULE_DROP;
    rig->far->in[rig->far->in_count++] = rule;
    rule.sa = rig->out;
    rig->near->out[rig->near->out_count++] = rule;
    rig->far->encap_ports[rig->far->encap_count++] = NAT_PORT;
    assert_true(rules_add_inbound(rig->far, rig->in, GROUP));
    rig->sender = (struct esp){.rules = rig->near, .ops = esp_rig_ops, .buffers = esp_rig_buffers};
    rig->receiver = (struct esp){.rules = rig->far, .ops = esp_rig_ops, .buffers = esp_rig_buffers};
}

void esp_rig_free(struct esp_rig *rig)
{
    rules_free(rig->near);
    rules_free(rig->far);
    sa_free(rig->out);
    sa_free(rig->in);
    assert_int_equal(rte_mempool_avail_count(esp_rig_buffers), ESP_RIG_BUFFERS);
    assert_int_equal(rte_mempool_avail_count(esp_rig_ops), ESP_RIG_OPS);
}

static void put_ipv6(uint8_t *bytes, unsigned octets, uint8_t tos)
{
    static const uint8_t ends[2][16] = {{0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}};
    struct ipv6 ip = {.src = ends[0],
                      .dst = ends[1],
                      .next_header = IPV4_PROTO_UDP,
                      .hop_limit = 9,
                      .traffic_class = tos,
                      .payload_octets = (uint16_t)octets};
    assert_int_equal(ipv6_encode(bytes, IPV6_OCTETS, &ip), IPV6_OCTETS);
}

static void put_ipv4(uint8_t *bytes, unsigned octets, uint8_t tos)
{
    struct ipv4 ip = {.src = 0x0a000001,
                      .dst = 0x0a000002,
                      .proto = IPV4_PROTO_UDP,
                      .ttl = 9,
                      .tos = tos,
                      .header_octets = IPV4_OCTETS,
                      .payload_octets = (uint16_t)octets};
    assert_int_equal(ipv4_encode(bytes, IPV4_OCTETS, &ip), IPV4_OCTETS);
}

struct rte_mbuf *esp_rig_packet(bool is_ipv6, unsigned octets, uint8_t tos)
{
    struct rte_mbuf *frame = rte_pktmbuf_alloc(esp_rig_buffers);
    unsigned all = ETHER_OCTETS + (is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS) + octets;
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)all);
    for (unsigned i = 0; i < all; i++)
        bytes[i] = (uint8_t)rng_u64(&rng);
    bytes_put_u16(bytes + 12, is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    (is_ipv6 ? put_ipv6 : put_ipv4)(bytes + ETHER_OCTETS, octets, tos);
    return frame;
}

struct rte_mbuf *esp_rig_copy(struct rte_mbuf *frame)
{
    return rte_pktmbuf_copy(frame, esp_rig_buffers, 0, UINT32_MAX);
}

bool esp_rig_is_same(struct rte_mbuf *a, struct rte_mbuf *b)
{
    return a->data_len == b->data_len &&
           memcmp(rte_pktmbuf_mtod(a, uint8_t *), rte_pktmbuf_mtod(b, uint8_t *), a->data_len) == 0;
}
