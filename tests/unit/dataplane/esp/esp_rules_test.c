/* SPDX-License-Identifier: BSD-3-Clause */
/* Networks and ports of rules, and outer headers that are an association's own. */
#include "tests/unit/unit.h"

#include "tests/unit/dataplane/esp/esp_rig.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_mbuf.h>
#include <string.h>

enum { PROTO_SCTP = 132, PROTO_GRE = 47, PORT = 2152 };

static bool leaves(const struct rule_selector *selector, const struct rule_packet *packet)
{
    struct rules *rules = rules_new();
    rules->out[rules->out_count++].selector = *selector;
    bool is_found = rules_out(rules, packet) != NULL;
    rules_free(rules);
    return is_found;
}

/* Each prefix of IPv6, and an address that differs in its last bit or in the next one. */
static void prefixes_of_ipv6(void **state)
{
    for (unsigned bits = 1; bits <= 128; bits++) {
        struct rule_selector selector = {.is_ipv6 = true, .remote_bits = (uint8_t)bits};
        uint8_t source[16] = {0}, address[16];
        memset(selector.remote.octets, 0x5a, 16);
        memset(address, 0x5a, 16);
        const struct rule_packet packet = {.is_ipv6 = true, .source = source, .destination = address};
        assert_true(leaves(&selector, &packet));
        address[(bits - 1) / 8] ^= (uint8_t)(0x80 >> (bits - 1) % 8);
        assert_false(leaves(&selector, &packet));
        address[(bits - 1) / 8] ^= (uint8_t)(0x80 >> (bits - 1) % 8);
        address[0] ^= 0x80;
        assert_false(leaves(&selector, &packet));
        address[0] ^= 0x80;
        if (bits < 128)
            address[bits / 8] ^= (uint8_t)(0x80 >> bits % 8);
        assert_true(leaves(&selector, &packet));
    }
}

/* Ports are those of UDP, TCP and SCTP in whole packets. */
static void ports(void **state)
{
    static const struct {
        uint8_t protocol;
        uint16_t offset, octets;
        bool has_ports;
    } rows[] = {{IPV4_PROTO_UDP, 0, 8, true}, {IPV4_PROTO_TCP, 0, 8, true},  {PROTO_SCTP, 0, 8, true},
                {PROTO_GRE, 0, 8, false},     {IPV4_PROTO_UDP, 1, 8, false}, {IPV4_PROTO_UDP, 0, 3, false}};
    const struct rule_selector port = {.remote_port = PORT}, any = {0};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t ip[IPV4_OCTETS + 8] = {0};
        const struct ipv4 head = {.src = 1,
                                  .dst = 2,
                                  .proto = rows[i].protocol,
                                  .header_octets = IPV4_OCTETS,
                                  .payload_octets = rows[i].octets};
        struct rule_packet packet;
        assert_int_equal(ipv4_encode(ip, sizeof(ip), &head), IPV4_OCTETS);
        bytes_put_u16(ip + 6, rows[i].offset);
        bytes_put_u16(ip + IPV4_OCTETS + 2, PORT);
        assert_true(rule_packet_read(&packet, ip, sizeof(ip)));
        assert_int_equal(packet.has_ports, rows[i].has_ports);
        assert_int_equal(leaves(&port, &packet), rows[i].has_ports);
        assert_true(leaves(&any, &packet));
    }
}

/* A packet has the rule of the one before only where it would find the same: each bit of its header is
 * turned, and its end cut. */
static void memo(void **state)
{
    enum { OCTETS = 28, LOCAL = 2123, NAT = 4500 };
    struct rules *rules = rules_new();
    for (unsigned i = 0; i < 2; i++)
        rules->in[rules->in_count++] = (struct rule){.group = i,
                                                     .selector = {.protocol = IPV4_PROTO_UDP,
                                                                  .remote_bits = i ? 0 : 32,
                                                                  .local_bits = i ? 0 : 32,
                                                                  .remote_port = i ? 0 : PORT,
                                                                  .local_port = i ? 0 : LOCAL,
                                                                  .remote.octets = {10, 0, 0, 1},
                                                                  .local.octets = {10, 0, 0, 2}}};
    const struct ipv4 head = {.src = 0x0a000001,
                              .dst = 0x0a000002,
                              .proto = IPV4_PROTO_UDP,
                              .header_octets = IPV4_OCTETS,
                              .payload_octets = OCTETS - IPV4_OCTETS};
    uint8_t ip[OCTETS] = {0};
    struct rule_packet packet;
    struct rules_memo memo = {0};
    unsigned fitting = 0;
    assert_int_equal(ipv4_encode(ip, sizeof(ip), &head), IPV4_OCTETS);
    bytes_put_u16(ip + IPV4_OCTETS, PORT);
    bytes_put_u16(ip + IPV4_OCTETS + 2, LOCAL);
    assert_false(rules_memo_fits(&memo, ip, OCTETS));
    assert_true(rule_packet_read(&packet, ip, OCTETS));
    rules_memo_note(&memo, &packet, ip, rules_in(rules, &packet));
    assert_ptr_equal(memo.rule, &rules->in[0]);
    for (unsigned i = 0; i < 8 * OCTETS; i++) {
        ip[i / 8] ^= (uint8_t)(1 << i % 8);
        if (rules_memo_fits(&memo, ip, OCTETS)) {
            assert_true(rule_packet_read(&packet, ip, OCTETS));
            assert_ptr_equal(rules_in(rules, &packet), memo.rule);
            fitting++;
        }
        ip[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    /* TOS, ID, TTL and checksums, UDP's length; DF and the bit before it; a length of 24 */
    assert_int_equal(fitting, 8 * (1 + 2 + 1 + 2 + 4) + 2 + 1);
    for (unsigned octets = 0; octets < OCTETS; octets++)
        assert_false(rules_memo_fits(&memo, ip, octets));
    for (unsigned i = 0; i < 2;
         i++) { /* a packet with a port of IKE may be IKE, and the next of its flow not */
        bytes_put_u16(ip + IPV4_OCTETS + 2 * i, NAT);
        assert_true(rule_packet_read(&packet, ip, OCTETS));
        rules_memo_note(&memo, &packet, ip, rules_in(rules, &packet));
        assert_false(rules_memo_fits(&memo, ip, OCTETS));
        bytes_put_u16(ip + IPV4_OCTETS + 2 * i, PORT);
    }
    rules_free(rules);
}

/* The second association with an SPI is not taken, nor one too many. */
static void spis(void **state)
{
    struct rules *rules = rules_new();
    struct sa sa = {.params.spi = 1};
    for (unsigned i = 0; i < RULES_SAS_MAX; i++) {
        sa.params.spi = 0x1000 + i;
        assert_true(rules_add_inbound(rules, &sa, i));
        assert_false(rules_add_inbound(rules, &sa, i + 1));
        assert_int_equal(rules_inbound(rules, 0x1000 + i)->group, i);
    }
    sa.params.spi = 1;
    assert_false(rules_add_inbound(rules, &sa, 1));
    assert_null(rules_inbound(rules, 1));
    rules_free(rules);
}

/* DSCP over IPv6, and both UDP ports. */
static void outer_ipv6(void **state)
{
    enum { DSCP = 46, SOURCE = 33000, DESTINATION = 4500 };
    struct sa_params p = {.spi = ESP_RIG_SPI,
                          .is_tunnel = true,
                          .is_ipv6 = true,
                          .dscp = DSCP,
                          .hop_limit = 64,
                          .encap_source = SOURCE,
                          .encap_destination = DESTINATION};
    const struct esp_rig_case c = {.is_tunnel = true};
    struct esp_rig rig;
    const char *reason;
    esp_rig_new(&rig, &c, esp_rig_device(SA_AES_GCM_128));
    struct sa *sa = sa_new(&p, esp_rig_device(SA_AES_GCM_128), &reason);
    assert_non_null(sa);
    rig.near->out[0].sa = sa;
    struct rte_mbuf *frame = esp_rig_packet(false, 100, 0);
    assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    struct ipv6 head;
    assert_int_equal(ipv6_decode(&head, ip, frame->data_len - ETHER_OCTETS), IPV6_OCTETS);
    assert_int_equal(head.traffic_class, DSCP << 2);
    assert_int_equal(head.hop_limit, 64);
    assert_int_equal(bytes_get_u16(ip + IPV6_OCTETS), SOURCE);
    assert_int_equal(bytes_get_u16(ip + IPV6_OCTETS + 2), DESTINATION);
    rte_pktmbuf_free(frame);
    sa_free(sa);
    esp_rig_free(&rig);
}

/* Numbers that a leap takes out of the window are forgotten, all of them. */
static void leaps_of_a_window(void **state)
{
    for (unsigned leap = 1; leap <= 3 * SA_WINDOW_MAX; leap += 61) {
        struct sa_window w = {.size = SA_WINDOW_MAX};
        for (unsigned i = 1; i <= 2 * SA_WINDOW_MAX; i++)
            sa_window_note(&w, i);
        uint64_t before = w.top;
        sa_window_note(&w, before + leap);
        for (uint64_t i = before + leap - SA_WINDOW_MAX + 1; i <= before + leap; i++)
            assert_int_equal(sa_window_is_new(&w, i), i > before && i != before + leap);
    }
}

/* RFC 8200 clause 8.1: over IPv6 a UDP packet has a checksum, which the kernel wants to be right. */
static void udp_checksum(void **state)
{
    const struct esp_rig_case c = {.is_tunnel = true, .is_ipv6 = true, .has_encap = true};
    struct esp_rig rig;
    struct ipv6 ip;
    esp_rig_new(&rig, &c, esp_rig_device(SA_AES_GCM_128));
    for (unsigned i = 0; i < 32; i++) {
        struct rte_mbuf *frame = esp_rig_packet(false, 100, 0);
        assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
        const uint8_t *bytes = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
        assert_int_equal(ipv6_decode(&ip, bytes, frame->data_len - ETHER_OCTETS), IPV6_OCTETS);
        assert_int_not_equal(bytes_get_u16(bytes + IPV6_OCTETS + 6), 0);
        assert_int_equal(ipv6_checksum(&ip, IPV4_PROTO_UDP, bytes + IPV6_OCTETS, ip.payload_octets), 0);
        assert_int_equal(esp_receive(&rig.receiver, &frame, 1, rig.drops), 1);
        rte_pktmbuf_free(frame);
    }
    esp_rig_free(&rig);
}

/* The first and the last of the 2^32 numbers that lower halves name, for windows around the ends of halves.
 */
static void whole_numbers(void **state)
{
    enum { SIZE = 128 };
    static const uint64_t around[] = {0, SIZE, UINT64_C(1) << 32, UINT64_C(7) << 32,
                                      UINT64_MAX - (UINT64_C(2) << 32)};
    for (unsigned i = 0; i < COUNT(around); i++)
        for (unsigned k = 0; k <= 3 * SIZE; k++) {
            const struct sa_window window = {
                .has_esn = true, .size = SIZE, .top = around[i] + k - (i > 1 ? 2 * SIZE : 0)};
            const uint64_t bottom = window.top < SIZE ? 0 : window.top - SIZE + 1, last = bottom + UINT32_MAX;
            assert_true(sa_window_number(&window, (uint32_t)bottom) == bottom);
            assert_true(sa_window_number(&window, (uint32_t)window.top) == window.top);
            assert_true(sa_window_number(&window, (uint32_t)last) == last);
        }
}

/* Packets whose rule may be another's with the same octets: the next one asks again. */
static void memo_of_others(void **state)
{
    static const uint8_t protocols[] = {IPV4_PROTO_UDP, PROTO_GRE, 1};
    struct rule rule = {.action = RULE_PROTECT};
    for (unsigned i = 0; i < 6; i++) {
        uint8_t ip[IPV6_OCTETS + 8] = {0};
        struct rules_memo memo = {.rule = &rule};
        struct rule_packet packet;
        ip[0] = i == 4 ? 0x46 : 0x45; /* options */
        bytes_put_u16(ip + 2, sizeof(ip));
        bytes_put_u16(ip + 6, i == 3 ? 1 : 0); /* a later fragment */
        ip[9] = protocols[i < COUNT(protocols) ? i : 0];
        if (i == 5) {
            ip[0] = 0x60;
            bytes_put_u16(ip + 4, 8);
            ip[6] = IPV4_PROTO_UDP;
        }
        assert_true(rule_packet_read(&packet, ip, sizeof(ip)));
        rules_memo_note(&memo, &packet, ip, &rule);
        assert_int_equal(memo.rule != NULL, i == 0);
        assert_int_equal(rules_memo_fits(&memo, ip, sizeof(ip)), i == 0);
    }
}

/* Two associations by turns, each packet of one. */
static void associations_in_turn(void **state)
{
    const struct esp_rig_case c = {.is_tunnel = true};
    const char *reason;
    struct esp_rig rig;
    struct rte_mbuf *frames[8];
    esp_rig_new(&rig, &c, esp_rig_device(SA_AES_GCM_128));
    struct sa_params p = rig.out->params;
    p.spi++;
    memset(p.key, 0x77, sizeof(p.key));
    struct sa *out = sa_new(&p, rig.out->device, &reason);
    p.is_inbound = true;
    p.first_sequence = 0;
    p.window = ESP_RIG_WINDOW;
    struct sa *in = sa_new(&p, rig.out->device, &reason);
    assert_non_null(out);
    assert_true(in && rules_add_inbound(rig.far, in, rig.far->in[0].group));
    for (unsigned i = 0; i < COUNT(frames); i++) {
        rig.near->out[0].sa = i % 2 ? out : rig.out;
        frames[i] = esp_rig_packet(false, 100, 0);
        assert_int_equal(esp_send(&rig.sender, &frames[i], 1, rig.unsent), 1);
    }
    assert_int_equal(esp_receive(&rig.receiver, frames, COUNT(frames), rig.drops), COUNT(frames));
    assert_int_equal(sa_counts_of(in).packets, COUNT(frames) / 2);
    for (unsigned i = 0; i < COUNT(frames); i++)
        rte_pktmbuf_free(frames[i]);
    sa_free(in);
    sa_free(out);
    esp_rig_free(&rig);
}

static enum drop fate_with(struct esp_rig *rig, unsigned at, uint16_t value)
{
    struct rte_mbuf *frame = esp_rig_packet(false, 100, 0);
    assert_int_equal(esp_send(&rig->sender, &frame, 1, rig->unsent), 1);
    uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
    bytes_put_u16(ip + at, value);
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS));
    memset(rig->drops, 0, sizeof(rig->drops));
    if (esp_receive(&rig->receiver, &frame, 1, rig->drops) == 1)
        rte_pktmbuf_free(frame);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (rig->drops[i])
            return i;
    return DROP_NONE;
}

/* Outer headers that are not as most are. A fragment is no ESP, and may not come without. */
static void outer_ipv4(void **state)
{
    enum { TOTAL_AT = 2, FLAGS_AT = 6, MORE = 0x2000, DONT = 0x4000 };
    const struct esp_rig_case tunnel = {.is_tunnel = true}, transport = {.is_tunnel = false};
    struct esp_rig rig;
    esp_rig_new(&rig, &tunnel, esp_rig_device(SA_AES_GCM_128));
    assert_int_equal(fate_with(&rig, FLAGS_AT, DONT), DROP_NONE);
    assert_int_equal(fate_with(&rig, FLAGS_AT, MORE), DROP_ESP_MISSING);
    assert_int_equal(fate_with(&rig, FLAGS_AT, 1), DROP_ESP_MISSING);
    assert_int_equal(fate_with(&rig, TOTAL_AT, 2000), DROP_IP_MALFORMED);
    assert_int_equal(fate_with(&rig, TOTAL_AT, IPV4_OCTETS - 1), DROP_IP_MALFORMED);
    esp_rig_free(&rig);
    esp_rig_new(&rig, &transport, esp_rig_device(SA_AES_GCM_128));
    struct rte_mbuf *frame = esp_rig_packet(false, 100, 0);
    uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
    ip[0] = 0x46; /* the first four octets of the payload are options */
    memset(ip + IPV4_OCTETS, 1, 4);
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS + 4));
    struct rte_mbuf *plain = esp_rig_copy(frame);
    assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
    assert_memory_equal(rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS + IPV4_OCTETS), "\1\1\1\1", 4);
    assert_int_equal(esp_receive(&rig.receiver, &frame, 1, rig.drops), 1);
    assert_true(esp_rig_is_same(frame, plain));
    rte_pktmbuf_free(frame);
    rte_pktmbuf_free(plain);
    esp_rig_free(&rig);
}

static int group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_of_ipv6),
        cmocka_unit_test(ports),
        cmocka_unit_test(memo),
        cmocka_unit_test(memo_of_others),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(associations_in_turn),
        cmocka_unit_test(outer_ipv4),
        cmocka_unit_test(spis),
        cmocka_unit_test(outer_ipv6),
        cmocka_unit_test(udp_checksum),
        cmocka_unit_test(leaps_of_a_window),
    };
    return cmocka_run_group_tests(tests, esp_rig_start, NULL);
}

int main(void)
{
    return esp_rig_run(group);
}
