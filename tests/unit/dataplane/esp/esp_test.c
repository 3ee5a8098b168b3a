/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP between two ends: each suite, mode, IP version and device; and packets that may not pass. */
#include "tests/unit/unit.h"

#include "tests/unit/dataplane/esp/esp_rig.h"

#include "dataplane/esp/fit.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_mbuf.h>
#include <string.h>

enum { COUNT = 32, DSCP_EF = 0xb8, ECT0 = 2, CE = 3, TOS_AT = ETHER_OCTETS + 1 };
static const struct esp_rig_case usual = {.suite = SA_AES_GCM_128, .is_tunnel = true, .has_esn = true};

static const struct sa_device *any_device(void)
{
    return esp_rig_device(SA_AES_GCM_128);
}

static void send_all(struct esp_rig *rig, struct rte_mbuf **frames, unsigned count)
{
    assert_int_equal(esp_send(&rig->sender, frames, count, rig->unsent), count);
}

static void play(const struct esp_rig_case *c, const struct sa_device *device)
{
    struct esp_rig rig;
    struct rte_mbuf *frames[COUNT], *plain[COUNT], *again[COUNT], *spoilt[COUNT];
    esp_rig_new(&rig, c, device);
    for (unsigned i = 0; i < COUNT; i++) {
        frames[i] = esp_rig_packet(c->is_inner_ipv6, 8 + i * 43, DSCP_EF | ECT0);
        plain[i] = esp_rig_copy(frames[i]);
    }
    send_all(&rig, frames, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned head = c->is_inner_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
        assert_int_equal(frames[i]->data_len - ETHER_OCTETS,
                         sa_grown_octets(&rig.out->params, plain[i]->data_len - ETHER_OCTETS, head));
        const uint8_t *ip = rte_pktmbuf_mtod_offset(frames[i], const uint8_t *, ETHER_OCTETS);
        assert_true(ip[0] >> 4 == 6 || ipv4_is_checksum_good(ip, IPV4_OCTETS));
        again[i] = esp_rig_copy(frames[i]);
        spoilt[i] = esp_rig_copy(frames[i]);
        rte_pktmbuf_mtod(spoilt[i], uint8_t *)[spoilt[i]->data_len - 1] ^= 1;
    }
    assert_int_equal(esp_receive(&rig.receiver, spoilt, COUNT, rig.drops), 0);
    assert_int_equal(esp_receive(&rig.receiver, frames, COUNT, rig.drops), COUNT);
    assert_int_equal(esp_receive(&rig.receiver, again, COUNT, rig.drops), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(esp_rig_is_same(frames[i], plain[i]));
        rte_pktmbuf_free(frames[i]);
        rte_pktmbuf_free(plain[i]);
    }
    for (unsigned i = 0; i < DROP_COUNT; i++)
        assert_int_equal(rig.drops[i] + rig.unsent[i], i == DROP_ESP_ICV || i == DROP_ESP_REPLAY ? COUNT : 0);
    esp_rig_free(&rig);
}

static bool is_possible(const struct esp_rig_case *c)
{
    return c->is_tunnel || (!c->is_ipv6 && !c->has_encap);
}

static void there_and_back(void **state)
{
    unsigned played = 0;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned suite = 0; esp_rig_devices[d].name && suite < SA_SUITES; suite++)
            for (unsigned bits = 0; bits < 32; bits++) {
                struct esp_rig_case c = {suite, bits & 1, bits & 2, bits & 4, bits & 8, bits & 16, 0, 0};
                if (!is_possible(&c) || !sa_device_has(&esp_rig_devices[d], suite))
                    continue;
                play(&c, &esp_rig_devices[d]);
                played++;
            }
    assert_true(played >= 40);
}

/* rte_ipsec alone forgets every number whose lower six bits are above 31. */
static void each_copy_is_found(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    for (unsigned i = 0; i < 300; i++) {
        struct rte_mbuf *frame = esp_rig_packet(false, 40, 0), *copy;
        send_all(&rig, &frame, 1);
        copy = esp_rig_copy(frame);
        struct rte_mbuf *both[] = {frame, copy};
        assert_int_equal(esp_receive(&rig.receiver, both, 2, rig.drops), 1); /* in one burst */
        rte_pktmbuf_free(both[0]);
    }
    assert_int_equal(rig.drops[DROP_ESP_REPLAY], 300);
    esp_rig_free(&rig);
}

/* One frame, changed in some way before it comes; why it is dropped. */
static enum drop fate_of(struct esp_rig *rig, struct rte_mbuf *frame)
{
    enum drop reason = DROP_NONE;
    memset(rig->drops, 0, sizeof(rig->drops));
    if (esp_receive(&rig->receiver, &frame, 1, rig->drops) == 1)
        rte_pktmbuf_free(frame);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (rig->drops[i])
            reason = i;
    return reason;
}

static struct rte_mbuf *sent(struct esp_rig *rig, uint8_t tos)
{
    struct rte_mbuf *frame = esp_rig_packet(false, 100, tos);
    send_all(rig, &frame, 1);
    return frame;
}

/* Changes an octet of the outer IPv4 header, as a router does, which puts the checksum right. */
static void change(struct rte_mbuf *frame, unsigned at, uint8_t value)
{
    uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
    ip[at] = value;
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS));
}

static void others_are_dropped(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_NONE);
    assert_int_equal(fate_of(&rig, esp_rig_packet(false, 100, 0)), DROP_ESP_MISSING);
    assert_int_equal(fate_of(&rig, esp_rig_packet(true, 100, 0)), DROP_ESP_POLICY);
    struct rte_mbuf *frame = sent(&rig, 0);
    rte_pktmbuf_mtod(frame, uint8_t *)[ETHER_OCTETS + IPV4_OCTETS] ^= 1;
    assert_int_equal(fate_of(&rig, frame), DROP_ESP_SPI);
    frame = sent(&rig, 0);
    change(frame, 3, IPV4_OCTETS + 4);
    assert_int_equal(fate_of(&rig, frame), DROP_ESP_MALFORMED);
    frame = sent(&rig, 0);
    change(frame, 8, 3);
    assert_int_equal(fate_of(&rig, frame), DROP_NONE);
    frame = sent(&rig, 0);
    rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS)[8] ^= 1; /* TTL, against the checksum */
    assert_int_equal(fate_of(&rig, frame), DROP_IP_MALFORMED);
    rig.far->in[0].selector.remote_bits = 32; /* of no packet */
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_POLICY);
    esp_rig_free(&rig);
}

/* What came in ESP fits a rule that protects by just this association (RFC 4301 clause 5.2). */
static void rules_of_what_was_in_esp(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    struct rule *rule = &rig.far->in[0];
    rule->group++;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_POLICY);
    rule->group--;
    rule->action = RULE_DROP;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_POLICY);
    rule->action = RULE_PASS;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_POLICY);
    rule->action = RULE_PROTECT;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_NONE);
    esp_rig_free(&rig);
}

/* Outer headers are those of the association; Ethernet's padding behind the packet is not in ESP. */
static void outer_headers(void **state)
{
    const struct esp_rig_case in_udp = {.is_tunnel = true, .has_encap = true};
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    rig.in->params.encap_destination = 4500;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_SPI);
    rig.in->params.encap_destination = 0;
    rig.in->params.is_ipv6 = true;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_SPI);
    rig.in->params.is_ipv6 = false;
    struct rte_mbuf *frame = sent(&rig, 0);
    memset(rte_pktmbuf_append(frame, 6), 0x55, 6);
    assert_int_equal(fate_of(&rig, frame), DROP_NONE);
    esp_rig_free(&rig);
    esp_rig_new(&rig, &in_udp, any_device());
    rig.in->params.encap_destination = 0;
    assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_ESP_SPI);
    esp_rig_free(&rig);
}

/* Neighbour Discovery passes both ways without a rule, other messages of ICMPv6 do not. */
static void neighbour_discovery(void **state)
{
    enum { TYPE_BEFORE = 132, TYPE_AFTER = 138, ICMPV6 = 58 };
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    for (unsigned type = TYPE_BEFORE; type <= TYPE_AFTER; type++)
        for (unsigned is_out = 0; is_out <= 1; is_out++) {
            bool passes = type != TYPE_BEFORE && type != TYPE_AFTER;
            struct rte_mbuf *frame = esp_rig_packet(true, 24, 0);
            uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
            ip[6] = ICMPV6;
            ip[IPV6_OCTETS] = (uint8_t)type;
            unsigned left = is_out ? esp_send(&rig.sender, &frame, 1, rig.unsent)
                                   : esp_receive(&rig.receiver, &frame, 1, rig.drops);
            assert_int_equal(left, passes);
            if (passes)
                rte_pktmbuf_free(frame);
        }
    assert_int_equal(rig.unsent[DROP_ESP_POLICY], 2);
    assert_int_equal(rig.drops[DROP_ESP_POLICY], 2);
    esp_rig_free(&rig);
}

/* Copies, wrong ICVs and good packets of one burst: each is counted once, and only good ones pass. */
static void counts_of_a_mixed_burst(void **state)
{
    enum { EACH = 20, OCTETS = 100 };
    for (unsigned is_tunnel = 0; is_tunnel <= 1; is_tunnel++) {
        const struct esp_rig_case c = {.suite = SA_AES_GCM_128, .is_tunnel = is_tunnel, .has_esn = true};
        struct rte_mbuf *frames[3 * EACH], *late;
        struct esp_rig rig;
        esp_rig_new(&rig, &c, any_device());
        for (unsigned i = 0; i < 40; i++) /* up to numbers that rte_ipsec forgets */
            assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_NONE);
        for (unsigned i = 0; i < EACH; i++) {
            frames[3 * i] = sent(&rig, 0);
            frames[3 * i + 1] = esp_rig_copy(frames[3 * i]);
            frames[3 * i + 2] = sent(&rig, 0);
            rte_pktmbuf_mtod(frames[3 * i + 2], uint8_t *)[frames[3 * i + 2]->data_len - 1] ^= 1;
        }
        late = esp_rig_copy(frames[0]);
        memset(rig.drops, 0, sizeof(rig.drops));
        assert_int_equal(esp_receive(&rig.receiver, frames, 3 * EACH, rig.drops), EACH);
        for (unsigned i = 0; i < EACH; i++) {
            assert_int_equal(frames[i]->data_len, ETHER_OCTETS + IPV4_OCTETS + OCTETS);
            assert_int_equal(frames[i]->tx_offload, 0);
            rte_pktmbuf_free(frames[i]);
        }
        assert_int_equal(rig.drops[DROP_ESP_ICV], EACH);
        assert_int_equal(rig.drops[DROP_ESP_REPLAY], EACH);
        assert_int_equal(fate_of(&rig, late), DROP_ESP_REPLAY);
        const struct sa_counts in = sa_counts_of(rig.in), out = sa_counts_of(rig.out);
        assert_int_equal(in.wrong, EACH);
        assert_int_equal(in.replays, EACH + 1);
        assert_int_equal(in.packets, 40 + EACH);
        assert_int_equal(in.octets, in.packets * (IPV4_OCTETS + OCTETS));
        assert_int_equal(out.packets, 40 + 2 * EACH);
        assert_int_equal(out.numbers, out.packets);
        assert_int_equal(out.octets, out.packets * (IPV4_OCTETS + OCTETS));
        esp_rig_free(&rig);
    }
}

/* RFC 6040: the mark of a router comes to a packet that knows it; another is lost with it. */
static void marks_of_routers(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    struct rte_mbuf *frame = sent(&rig, DSCP_EF | ECT0);
    assert_int_equal(rte_pktmbuf_mtod(frame, uint8_t *)[TOS_AT], DSCP_EF | ECT0);
    change(frame, 1, DSCP_EF | CE);
    assert_int_equal(esp_receive(&rig.receiver, &frame, 1, rig.drops), 1);
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    assert_int_equal(ip[1], DSCP_EF | CE);
    assert_true(ipv4_is_checksum_good(ip, IPV4_OCTETS));
    rte_pktmbuf_free(frame);
    frame = sent(&rig, DSCP_EF);
    change(frame, 1, DSCP_EF | CE);
    assert_int_equal(fate_of(&rig, frame), DROP_ESP_ECN);
    esp_rig_free(&rig);
}

static void without_an_association_nothing_leaves(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    struct rte_mbuf *frames[] = {esp_rig_packet(false, 40, 0), esp_rig_packet(true, 40, 0)};
    rig.near->out[0].sa = NULL;
    assert_int_equal(esp_send(&rig.sender, frames, 2, rig.unsent), 0);
    assert_int_equal(rig.unsent[DROP_ESP_NO_SA], 1);
    assert_int_equal(rig.unsent[DROP_ESP_POLICY], 1);
    esp_rig_free(&rig);
}

/* Packets up to the window's size behind the highest one may come late. With extended sequence numbers an
 * older one counts as one of the next 2^32, and its ICV as wrong (RFC 4303 appendix A2.2). */
static void window_of_an_sa(void **state)
{
    const struct esp_rig_case c = {.is_tunnel = true};
    struct esp_rig rig;
    struct rte_mbuf *frames[ESP_RIG_WINDOW + 1];
    esp_rig_new(&rig, &c, any_device());
    for (unsigned i = 0; i <= ESP_RIG_WINDOW; i++)
        frames[i] = sent(&rig, 0);
    assert_int_equal(fate_of(&rig, frames[ESP_RIG_WINDOW]), DROP_NONE);
    assert_int_equal(fate_of(&rig, frames[1]), DROP_NONE);
    assert_int_equal(fate_of(&rig, frames[0]), DROP_ESP_REPLAY);
    for (unsigned i = 2; i < ESP_RIG_WINDOW; i++)
        rte_pktmbuf_free(frames[i]);
    esp_rig_free(&rig);
}

static void dscp_of_a_tunnel(void **state)
{
    enum { DSCP = 10 };
    struct esp_rig rig;
    for (unsigned copies = 0; copies <= 1; copies++) {
        const struct esp_rig_case c = {.is_tunnel = true, .dscp = copies ? 0 : DSCP};
        esp_rig_new(&rig, &c, any_device());
        struct rte_mbuf *frame = sent(&rig, DSCP_EF);
        assert_int_equal(rte_pktmbuf_mtod(frame, uint8_t *)[TOS_AT], copies ? DSCP_EF : DSCP << 2);
        assert_int_equal(fate_of(&rig, frame), DROP_NONE);
        esp_rig_free(&rig);
    }
}

/* Of each packet the octets in ESP are known before; of any room the longest packet that fits is. */
static void lengths(void **state)
{
    static const struct esp_rig_case rows[] = {
        {.suite = SA_AES_GCM_128},
        {.suite = SA_AES_GCM_256, .is_tunnel = true, .has_encap = true},
        {.suite = SA_AES_CBC_128_SHA_256, .is_inner_ipv6 = true},
        {.suite = SA_AES_CBC_256_SHA_256, .is_tunnel = true, .is_ipv6 = true},
        {.suite = SA_NULL_SHA_256, .is_tunnel = true, .is_inner_ipv6 = true},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct esp_rig rig;
        unsigned head = rows[i].is_inner_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
        if (!esp_rig_has(rows[i].suite))
            continue;
        esp_rig_new(&rig, &rows[i], esp_rig_device(rows[i].suite));
        const struct sa_params *p = &rig.out->params;
        for (unsigned octets = 8; octets < 60; octets++) {
            struct rte_mbuf *frame = esp_rig_packet(rows[i].is_inner_ipv6, octets, 0);
            send_all(&rig, &frame, 1);
            unsigned grown = sa_grown_octets(p, head + octets, head), room = sa_room_octets(p, grown, head);
            assert_int_equal(frame->data_len - ETHER_OCTETS, grown);
            assert_in_range(grown - head - octets, 1, SA_OVERHEAD_MAX_OCTETS);
            assert_in_range(room, head + octets, head + octets + 15);
            assert_int_equal(sa_grown_octets(p, room, head), grown);
            assert_in_range(sa_grown_octets(p, room + 1, head), grown + 1, grown + 16);
            rte_pktmbuf_free(frame);
        }
        assert_int_equal(sa_room_octets(p, 30, head), 0);
        esp_rig_free(&rig);
    }
}

/* Which packets are cut before ESP. */
static void fits(void **state)
{
    static const struct {
        struct esp_rig_case c;
        struct rule_selector selector;
        enum rule_action action;
        struct fit fit;
    } rows[] = {
        {{.is_tunnel = true}, {0}, RULE_PROTECT, {1446, false}}, /* 1500 - 20 - 16 - 16 - 2 */
        {{0}, {0}, RULE_PROTECT, {1466, true}},
        {{.is_tunnel = true}, {.protocol = IPV4_PROTO_UDP}, RULE_PROTECT, {1446, false}},
        {{.is_tunnel = true}, {.protocol = IPV4_PROTO_UDP, .remote_port = 2152}, RULE_PROTECT, {1446, true}},
        {{.is_tunnel = true, .is_inner_ipv6 = true}, {.is_ipv6 = true}, RULE_PROTECT, {1446, false}},
        {{.is_tunnel = true, .is_inner_ipv6 = true},
         {.is_ipv6 = true, .protocol = IPV4_PROTO_UDP},
         RULE_PROTECT,
         {1446, true}},
        {{0}, {0}, RULE_PASS, {1500, false}},
        {{0}, {.protocol = IPV4_PROTO_UDP, .remote_port = 2152}, RULE_PASS, {1500, true}},
        {{0}, {.protocol = IPV4_PROTO_TCP}, RULE_PROTECT, {1500, false}},
    };
    const uint8_t ends[16] = {0};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct esp_rig rig;
        bool is_ipv6 = rows[i].c.is_inner_ipv6;
        esp_rig_new(&rig, &rows[i].c, any_device());
        rig.near->out[0].selector = rows[i].selector;
        rig.near->out[0].action = rows[i].action;
        const struct rule_packet packet = {.is_ipv6 = is_ipv6,
                                           .has_ports = true,
                                           .protocol = IPV4_PROTO_UDP,
                                           .source_port = 2152,
                                           .destination_port = 2152,
                                           .header_octets = is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS,
                                           .source = ends,
                                           .destination = ends};
        struct fit fit = fit_of(rig.near, &packet, 1500);
        assert_int_equal(fit.octets, rows[i].fit.octets);
        assert_int_equal(fit.is_whole_first, rows[i].fit.is_whole_first);
        esp_rig_free(&rig);
    }
}

/* A packet from 10.0.0.1 to 10.0.0.2, port 5000 to 2152 of UDP. */
static void rules_fit(void **state)
{
    static const struct {
        struct rule_selector selector;
        bool fits;
    } rows[] = {
        {{0}, true},
        {{.is_ipv6 = true}, false},
        {{.remote.octets = {10, 0, 0, 2}, .remote_bits = 32}, true},
        {{.remote.octets = {10, 0, 0, 3}, .remote_bits = 32}, false},
        {{.remote.octets = {10, 0, 0, 3}, .remote_bits = 31}, true},
        {{.local.octets = {10, 0, 0, 1}, .local_bits = 32}, true},
        {{.local.octets = {11}, .local_bits = 8}, false},
        {{.local.octets = {11}, .local_bits = 7}, true},
        {{.protocol = IPV4_PROTO_UDP}, true},
        {{.protocol = IPV4_PROTO_TCP}, false},
        {{.protocol = IPV4_PROTO_UDP, .local_port = 5000, .remote_port = 2152}, true},
        {{.protocol = IPV4_PROTO_UDP, .local_port = 2152}, false},
        {{.protocol = IPV4_PROTO_UDP, .remote_port = 5000}, false},
    };
    uint8_t ip[IPV4_OCTETS + UDP_OCTETS] = {0}, back[IPV4_OCTETS + UDP_OCTETS] = {0};
    struct ipv4 head = {.src = 0x0a000001,
                        .dst = 0x0a000002,
                        .proto = IPV4_PROTO_UDP,
                        .header_octets = IPV4_OCTETS,
                        .payload_octets = UDP_OCTETS};
    assert_int_equal(ipv4_encode(ip, sizeof(ip), &head), IPV4_OCTETS);
    head.src = 0x0a000002;
    head.dst = 0x0a000001;
    assert_int_equal(ipv4_encode(back, sizeof(back), &head), IPV4_OCTETS);
    bytes_put_u16(ip + IPV4_OCTETS, 5000);
    bytes_put_u16(ip + IPV4_OCTETS + 2, 2152);
    bytes_put_u16(back + IPV4_OCTETS, 2152);
    bytes_put_u16(back + IPV4_OCTETS + 2, 5000);
    struct rules *rules = rules_new();
    rules->out_count = rules->in_count = 1;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rule_packet packet;
        rules->out[0].selector = rules->in[0].selector = rows[i].selector;
        assert_true(rule_packet_read(&packet, ip, sizeof(ip)));
        assert_int_equal(rules_out(rules, &packet) != NULL, rows[i].fits);
        assert_true(rule_packet_read(&packet, back, sizeof(back)));
        assert_int_equal(rules_in(rules, &packet) != NULL, rows[i].fits);
    }
    rules_free(rules);
}

/* Actions of a rule, and of packets that no rule fits, both ways. */
static void actions(void **state)
{
    struct esp_rig rig;
    esp_rig_new(&rig, &usual, any_device());
    for (unsigned is_other = 0; is_other <= 1; is_other++) {
        rig.far->in_count = rig.near->out_count = !is_other;
        rig.far->in[0].action = rig.near->out[0].action = rig.far->others = rig.near->others = RULE_PASS;
        assert_int_equal(fate_of(&rig, esp_rig_packet(false, 40, 0)), DROP_NONE);
        assert_int_equal(fate_of(&rig, sent(&rig, 0)), DROP_NONE);
        rig.far->in[0].action = rig.far->others = RULE_DROP;
        assert_int_equal(fate_of(&rig, esp_rig_packet(false, 40, 0)), DROP_ESP_POLICY);
    }
    esp_rig_free(&rig);
}

static void sa_window(void **state)
{
    struct sa_window w = {.size = 64, .has_esn = true, .top = UINT32_MAX - 10};
    assert_int_equal(sa_window_number(&w, 5), (UINT64_C(1) << 32) + 5);
    sa_window_note(&w, (UINT64_C(1) << 32) + 5);
    assert_int_equal(sa_window_number(&w, UINT32_MAX - 3), UINT32_MAX - 3);
    assert_true(sa_window_is_new(&w, UINT32_MAX - 3));
    assert_false(sa_window_is_new(&w, (UINT64_C(1) << 32) + 5));
    assert_false(sa_window_is_new(&w, w.top - 64));
    assert_true(sa_window_is_new(&w, w.top - 63));
    for (unsigned step = 1; step < 20000; step += 977) {
        uint64_t number = w.top + step;
        assert_true(sa_window_is_new(&w, number));
        sa_window_note(&w, number);
        assert_false(sa_window_is_new(&w, number));
        assert_true(step == 1 || sa_window_is_new(&w, number - 1));
    }
    assert_false(sa_window_is_new(&(struct sa_window){.size = 64}, 0));
}

/* Numbers begin where they are told to; without extended ones the last of 2^32 is not passed (RFC 4303 clause
 * 3.3.3). */
static void numbers_of_an_sa(void **state)
{
    enum { LEFT = 10 };
    for (unsigned has_esn = 0; has_esn < 2; has_esn++) {
        struct esp_rig_case c = usual;
        struct esp_rig rig;
        struct rte_mbuf *frames[COUNT];
        c.has_esn = has_esn;
        c.first_sequence = (UINT64_C(1) << 32) - LEFT;
        esp_rig_new(&rig, &c, any_device());
        for (unsigned i = 0; i < COUNT; i++)
            frames[i] = esp_rig_packet(false, 40, 0);
        unsigned sent = esp_send(&rig.sender, frames, COUNT, rig.unsent);
        const uint8_t *esp = rte_pktmbuf_mtod(frames[0], const uint8_t *) + ETHER_OCTETS + IPV4_OCTETS;
        assert_int_equal(bytes_get_u32(esp + 4), c.first_sequence);
        if (has_esn)
            assert_int_equal(sent, COUNT);
        else
            assert_in_range(sent, LEFT - 1, LEFT); /* rte_ipsec leaves the last one out */
        assert_int_equal(rig.unsent[DROP_ESP_SEQUENCE], COUNT - sent);
        assert_int_equal(sa_counts_of(rig.out).packets, sent);
        for (unsigned i = 0; i < sent; i++)
            rte_pktmbuf_free(frames[i]);
        esp_rig_free(&rig);
    }
}

/* Packets of IKE are the daemon's, ESP in UDP at the same port is not; nor are packets between a port of IKE
 * at the other end and another of the node. */
static enum drop take_ike(void *arg, struct rte_mbuf *frame, uint64_t source)
{
    ++*(unsigned *)arg;
    rte_pktmbuf_free(frame);
    return DROP_IKE;
}

static struct rte_mbuf *udp(uint16_t source, uint16_t destination, uint32_t first)
{
    struct rte_mbuf *frame = esp_rig_packet(false, 40, 0);
    uint8_t *at = rte_pktmbuf_mtod(frame, uint8_t *) + ETHER_OCTETS + IPV4_OCTETS;
    bytes_put_u16(at, source);
    bytes_put_u16(at + 2, destination);
    bytes_put_u32(at + UDP_OCTETS, first);
    return frame;
}

static void ike(void **state)
{
    static const struct {
        uint16_t source, destination;
        uint32_t first;
        enum drop reason;
    } rows[] = {{500, 500, 1, DROP_IKE},           {33000, 500, 1, DROP_IKE},
                {4500, 4500, 0, DROP_IKE},         {33000, 4500, 0, DROP_IKE},
                {4500, 4500, 9, DROP_ESP_SPI},     {501, 501, 0, DROP_ESP_MISSING},
                {4500, 4501, 9, DROP_ESP_MISSING}, {500, 2152, 1, DROP_ESP_MISSING},
                {4500, 2152, 0, DROP_ESP_MISSING}, {4500, 33000, 1, DROP_ESP_MISSING}};
    struct esp_rig rig;
    unsigned taken = 0;
    esp_rig_new(&rig, &usual, any_device());
    for (unsigned with = 0; with < 2; with++) {
        rig.receiver.take_ike = with ? take_ike : NULL;
        rig.receiver.arg = &taken;
        for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            enum drop reason = fate_of(&rig, udp(rows[i].source, rows[i].destination, rows[i].first));
            assert_int_equal(reason, with || rows[i].reason != DROP_IKE ? rows[i].reason : DROP_ESP_MISSING);
        }
    }
    assert_int_equal(taken, 4);
    rig.sender.take_ike = take_ike;
    rig.near->out_count = 0;
    struct rte_mbuf *frames[] = {udp(500, 500, 1),   udp(501, 501, 1),  udp(4500, 4500, 0),
                                 udp(4500, 4500, 1), udp(2152, 500, 1), udp(2152, 4500, 0)};
    assert_int_equal(esp_send(&rig.sender, frames, 6, rig.unsent), 2);
    assert_int_equal(rig.unsent[DROP_ESP_POLICY], 4);
    rte_pktmbuf_free(frames[0]);
    rte_pktmbuf_free(frames[1]);
    esp_rig_free(&rig);
}

static int group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(each_copy_is_found),
        cmocka_unit_test(others_are_dropped),
        cmocka_unit_test(rules_of_what_was_in_esp),
        cmocka_unit_test(outer_headers),
        cmocka_unit_test(neighbour_discovery),
        cmocka_unit_test(counts_of_a_mixed_burst),
        cmocka_unit_test(marks_of_routers),
        cmocka_unit_test(without_an_association_nothing_leaves),
        cmocka_unit_test(sa_window),
        cmocka_unit_test(numbers_of_an_sa),
        cmocka_unit_test(ike),
        cmocka_unit_test(window_of_an_sa),
        cmocka_unit_test(dscp_of_a_tunnel),
        cmocka_unit_test(lengths),
        cmocka_unit_test(fits),
        cmocka_unit_test(rules_fit),
        cmocka_unit_test(actions),
    };
    return cmocka_run_group_tests(tests, esp_rig_start, NULL);
}

int main(void)
{
    return esp_rig_run(group);
}
