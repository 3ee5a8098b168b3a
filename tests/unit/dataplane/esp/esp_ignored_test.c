/* SPDX-License-Identifier: BSD-3-Clause */
/* What RFC 3948, RFC 4303 and RFC 8200 say to ignore: NAT keepalives, dummies, and options before ESP. */
#include "tests/unit/unit.h"

#include "dataplane/esp/options.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "tests/unit/dataplane/esp/esp_rig.h"

#include <rte_mbuf.h>
#include <string.h>

enum { NAT_PORT = 4500, OTHER_PORT = 4501, IKE_PORT = 500, CONTENT = 0xff, TEXT_OCTETS = 100 };

static enum drop take_ike(void *arg, struct rte_mbuf *frame, uint64_t source)
{
    rte_pktmbuf_free(frame);
    return DROP_IKE;
}

/* Why a frame does not pass; DROP_NONE: it does. */
static enum drop fate_of(struct esp_rig *rig, struct rte_mbuf *frame)
{
    memset(rig->drops, 0, sizeof(rig->drops));
    if (esp_receive(&rig->receiver, &frame, 1, rig->drops) == 1) {
        rte_pktmbuf_free(frame);
        return DROP_NONE;
    }
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (rig->drops[i])
            return i;
    fail_msg("a frame is lost");
    return DROP_NONE;
}

/* --- NAT keepalives --- */

static struct rte_mbuf *datagram(bool is_ipv6, uint16_t port, uint8_t content, unsigned octets)
{
    struct rte_mbuf *frame = esp_rig_packet(is_ipv6, UDP_OCTETS + octets, 0);
    uint8_t *udp =
        rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS + (is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS));
    bytes_put_u16(udp, 33000);
    bytes_put_u16(udp + 2, port);
    bytes_put_u16(udp + 4, (uint16_t)(UDP_OCTETS + octets));
    memset(udp + UDP_OCTETS, content, octets);
    return frame;
}

/* One octet of 0xff at a port of ESP in UDP, or of IKE's NAT traversal: ignored, and no fault. */
static void nat_keepalives(void **state)
{
    static const struct {
        uint16_t port;
        uint8_t content;
        unsigned octets;
        bool has_encap, has_ike;
        enum drop reason;
    } rows[] = {
        {NAT_PORT, CONTENT, 1, true, false, DROP_ESP_KEEPALIVE},
        {NAT_PORT, CONTENT, 1, true, true, DROP_ESP_KEEPALIVE},
        {NAT_PORT, CONTENT, 1, false, true, DROP_ESP_KEEPALIVE},
        {NAT_PORT, CONTENT, 1, false, false, DROP_ESP_MISSING},
        {OTHER_PORT, CONTENT, 1, true, true, DROP_ESP_MISSING},
        {IKE_PORT, CONTENT, 1, true, true, DROP_IKE},
        {NAT_PORT, CONTENT, 2, true, false, DROP_ESP_MISSING},
        {NAT_PORT, 0xfe, 1, true, false, DROP_ESP_MISSING},
        {NAT_PORT, CONTENT, 0, true, false, DROP_ESP_MISSING},
    };
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        const struct esp_rig_case c = {.suite = SA_AES_GCM_128, .is_tunnel = true, .is_inner_ipv6 = is_ipv6};
        struct faults faults = {0};
        struct esp_rig rig;
        esp_rig_new(&rig, &c, esp_rig_device(c.suite));
        rig.receiver.faults = &faults;
        for (unsigned i = 0; i < COUNT(rows); i++) {
            faults.seen = 0;
            rig.far->encap_count = rows[i].has_encap;
            rig.receiver.take_ike = rows[i].has_ike ? take_ike : NULL;
            struct rte_mbuf *frame = datagram(is_ipv6, rows[i].port, rows[i].content, rows[i].octets);
            assert_int_equal(fate_of(&rig, frame), rows[i].reason);
            assert_int_equal(faults.seen != 0, rows[i].reason == DROP_ESP_MISSING);
        }
        esp_rig_free(&rig);
    }
}

/* --- dummies --- */

/* An end in transport mode sends packets of protocol 59, which are dummies in each mode. */
static void judge_dummy(const struct esp_rig_case *c, const struct sa_device *device)
{
    struct esp_rig_case sending = *c;
    struct faults faults = {0};
    struct esp_rig sender, receiver;
    sending.is_tunnel = false;
    esp_rig_new(&sender, &sending, device);
    esp_rig_new(&receiver, c, device);
    receiver.receiver.faults = &faults;
    struct rte_mbuf *frame = esp_rig_packet(c->is_inner_ipv6, TEXT_OCTETS, 0);
    rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS)[c->is_inner_ipv6 ? 6 : 9] = ESP_NO_NEXT;
    assert_int_equal(esp_send(&sender.sender, &frame, 1, sender.unsent), 1);
    struct rte_mbuf *again = esp_rig_copy(frame), *spoilt = esp_rig_copy(frame);
    rte_pktmbuf_mtod(spoilt, uint8_t *)[spoilt->data_len - 1] ^= 1;
    assert_int_equal(fate_of(&receiver, spoilt), DROP_ESP_ICV);
    assert_int_equal(faults.seen, 1 << (DROP_ESP_ICV - FAULTS_FIRST));
    faults.seen = 0;
    if (fate_of(&receiver, frame) != DROP_ESP_DUMMY)
        fail_msg("a dummy of %s by %s counts as a fault", sa_suite_name(c->suite), device->name);
    assert_int_equal(faults.seen, 0);
    assert_int_equal(fate_of(&receiver, again), DROP_ESP_REPLAY);
    const struct sa_counts counts = sa_counts_of(receiver.in);
    assert_int_equal(counts.packets, 0);
    assert_int_equal(counts.wrong, 1);
    assert_int_equal(counts.replays, 1);
    rules_free(sender.near);
    rules_free(sender.far);
    sa_free(sender.out);
    sa_free(sender.in);
    esp_rig_free(&receiver);
}

static void dummies(void **state)
{
    unsigned count = 0;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned suite = 0; esp_rig_devices[d].name && suite < SA_SUITES; suite++)
            for (unsigned bits = 0; bits < 8; bits++) {
                const struct esp_rig_case c = {.suite = suite,
                                               .is_tunnel = bits & 1,
                                               .is_ipv6 = bits & 1 && bits & 2,
                                               .is_inner_ipv6 = bits & 2,
                                               .has_esn = bits & 4};
                if (!sa_device_has(&esp_rig_devices[d], suite))
                    continue;
                judge_dummy(&c, &esp_rig_devices[d]);
                count++;
            }
    assert_true(count >= 40);
}

/* A frame has its next header before the ICV, rte_ipsec's also before the upper half of an extended number;
 * or it is too short. */
static void short_frames(void **state)
{
    for (unsigned has_esn = 0; has_esn < 2; has_esn++) {
        const struct esp_rig_case c = {.is_tunnel = true, .has_esn = has_esn};
        struct esp_rig rig;
        esp_rig_new(&rig, &c, esp_rig_device(c.suite));
        unsigned behind = 16 + (has_esn && !rig.in->device->is_direct ? 4 : 0);
        for (uint16_t octets = 0; octets < 2 * behind; octets++) {
            struct rte_mbuf *frame = rte_pktmbuf_alloc(esp_rig_buffers);
            memset(rte_pktmbuf_append(frame, octets), ESP_NO_NEXT, octets);
            assert_int_equal(sa_is_dummy(rig.in, frame), octets > behind);
            rte_pktmbuf_free(frame);
        }
        esp_rig_free(&rig);
    }
}

/* In a tunnel a packet of protocol 59 is a user's, and passes. */
static void empty_packets(void **state)
{
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        const struct esp_rig_case c = {.is_tunnel = true, .is_inner_ipv6 = is_ipv6};
        struct esp_rig rig;
        esp_rig_new(&rig, &c, esp_rig_device(c.suite));
        struct rte_mbuf *frame = esp_rig_packet(is_ipv6, TEXT_OCTETS, 0);
        rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS)[is_ipv6 ? 6 : 9] = ESP_NO_NEXT;
        assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
        assert_int_equal(fate_of(&rig, frame), DROP_NONE);
        esp_rig_free(&rig);
    }
}

/* --- options before ESP --- */

enum { EXTRA_MOST = 320, HOP = IPV6_HOP_BY_HOP, DST = IPV6_DESTINATION, RTG = IPV6_ROUTING };

/* Extension headers as they stand in a packet, but for the number of the last one's next header. */
struct options {
    const char *name;
    uint8_t first; /* its number */
    uint16_t octets, last_at;
    bool passes;
    uint8_t at[40];
};

static const struct options options[] = {
    {"hop-by-hop, PadN", HOP, 8, 0, true, {0, 0, 1, 4}},
    {"hop-by-hop, router alert", HOP, 8, 0, true, {0, 0, 5, 2, 0, 0, 1, 0}},
    {"hop-by-hop, Pad1", HOP, 8, 0, true, {0}},
    {"hop-by-hop, an unknown option to skip", HOP, 8, 0, true, {0, 0, 0x3e, 4, 9, 9, 9, 9}},
    {"hop-by-hop, 16 octets", HOP, 16, 0, true, {0, 1, 1, 12}},
    {"destination options", DST, 8, 0, true, {0, 0, 1, 4}},
    {"a routing header at its end", RTG, 8, 0, true, {0, 0, 9, 0}},
    {"all three", HOP, 24, 16, true, {DST, 0, 1, 4, [8] = RTG, 0, 1, 4, [18] = 9}},
    {"two destination options", DST, 16, 8, true, {DST, 0, 1, 4, [10] = 1, 4}},
    {"four headers", DST, 32, 24, true, {DST, 0, 1, 4, [8] = DST, 0, 1, 4, [16] = DST, 0, 1, 4, [26] = 1, 4}},
    {"five headers",
     DST,
     40,
     32,
     false,
     {DST, 0, 1, 4, [8] = DST, 0, 1, 4, [16] = DST, 0, 1, 4, [24] = DST, 0, 1, 4, [34] = 1, 4}},
    {"an option that forbids to skip it", HOP, 8, 0, false, {0, 0, 0x40, 4}},
    {"a jumbo payload", HOP, 8, 0, false, {0, 0, 0xc2, 4}},
    {"an option beyond its header", DST, 8, 0, false, {0, 0, 1, 5}},
    {"a routing header with a segment", RTG, 8, 0, false, {0, 0, 9, 1}},
    {"hop-by-hop in the second place", DST, 16, 8, false, {HOP, 0, 1, 4, [10] = 1, 4}},
    {"a header beyond the packet", DST, 8, 0, false, {0, 255}},
    {"more than the worker reads", DST, 264, 0, false, {0, 32, 1, 255}},
};

/* The frame with headers behind the IPv6 header, as another router or end puts them. */
static struct rte_mbuf *with_options(const struct rte_mbuf *frame, const struct options *o)
{
    uint8_t extra[EXTRA_MOST] = {0};
    memcpy(extra, o->at, sizeof(o->at));
    struct rte_mbuf *out = rte_pktmbuf_alloc(esp_rig_buffers);
    const uint8_t *from = rte_pktmbuf_mtod(frame, const uint8_t *);
    unsigned head = ETHER_OCTETS + IPV6_OCTETS, rest = frame->data_len - head;
    uint8_t *to = (uint8_t *)rte_pktmbuf_append(out, (uint16_t)(head + o->octets + rest)),
            *ip = to + ETHER_OCTETS;
    memcpy(to, from, head);
    memcpy(to + head, extra, o->octets);
    memcpy(to + head + o->octets, from + head, rest);
    to[head + o->last_at] = ip[6];
    ip[6] = o->first;
    bytes_put_u16(ip + 4, (uint16_t)(bytes_get_u16(ip + 4) + o->octets));
    return out;
}

static void judge_options(const struct esp_rig_case *c, const struct sa_device *device)
{
    struct esp_rig rig;
    esp_rig_new(&rig, c, device);
    for (unsigned i = 0; i < COUNT(options); i++) {
        struct rte_mbuf *sent = esp_rig_packet(c->is_inner_ipv6, TEXT_OCTETS, 0), *plain = esp_rig_copy(sent);
        assert_int_equal(esp_send(&rig.sender, &sent, 1, rig.unsent), 1);
        struct rte_mbuf *frame = with_options(sent, &options[i]);
        memset(rig.drops, 0, sizeof(rig.drops));
        unsigned passed = esp_receive(&rig.receiver, &frame, 1, rig.drops);
        if (passed != options[i].passes || rig.drops[DROP_IP_EXTENSION] != !options[i].passes)
            fail_msg("%s, %s by %s", options[i].name, sa_suite_name(c->suite), device->name);
        if (passed) {
            assert_true(esp_rig_is_same(frame, plain));
            rte_pktmbuf_free(frame);
        }
        rte_pktmbuf_free(sent);
        rte_pktmbuf_free(plain);
    }
    esp_rig_free(&rig);
}

static void options_before_esp(void **state)
{
    static const struct esp_rig_case modes[] = {
        {.is_inner_ipv6 = true, .has_esn = true},
        {.is_tunnel = true, .is_ipv6 = true},
        {.is_tunnel = true, .is_ipv6 = true, .is_inner_ipv6 = true, .has_encap = true, .has_esn = true},
    };
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned suite = 0; esp_rig_devices[d].name && suite < SA_SUITES; suite++)
            for (unsigned i = 0; i < COUNT(modes); i++) {
                struct esp_rig_case c = modes[i];
                c.suite = suite;
                if (sa_device_has(&esp_rig_devices[d], suite))
                    judge_options(&c, &esp_rig_devices[d]);
            }
}

/* Without ESP behind them a packet with options is as before: a rule judges it, and it keeps them. */
static void options_before_others(void **state)
{
    const struct esp_rig_case c = {.is_tunnel = true, .is_inner_ipv6 = true};
    struct esp_rig rig;
    esp_rig_new(&rig, &c, esp_rig_device(c.suite));
    struct rte_mbuf *plain = esp_rig_packet(true, TEXT_OCTETS, 0), *frame = with_options(plain, &options[0]),
                    *kept = esp_rig_copy(frame);
    assert_int_equal(fate_of(&rig, with_options(plain, &options[0])), DROP_ESP_MISSING);
    rig.far->in[0].action = RULE_PASS;
    assert_int_equal(esp_receive(&rig.receiver, &frame, 1, rig.drops), 1);
    assert_true(esp_rig_is_same(frame, kept));
    rte_pktmbuf_free(plain);
    rte_pktmbuf_free(frame);
    rte_pktmbuf_free(kept);
    esp_rig_free(&rig);
}

/* Ports of ESP in UDP whose header is cut do not make ESP: the options stay. */
static void options_before_cut_udp(void **state)
{
    const struct esp_rig_case c = {.is_tunnel = true, .is_inner_ipv6 = true, .has_encap = true};
    struct esp_rig rig;
    esp_rig_new(&rig, &c, esp_rig_device(c.suite));
    rig.far->in[0].action = RULE_PASS;
    for (unsigned left = 0; left < UDP_OCTETS; left++) {
        struct rte_mbuf *whole = datagram(true, NAT_PORT, CONTENT, 0),
                        *frame = with_options(whole, &options[0]);
        uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
        bytes_put_u16(ip + 4, (uint16_t)(options[0].octets + left));
        rte_pktmbuf_trim(frame, (uint16_t)(UDP_OCTETS - left));
        struct rte_mbuf *kept = esp_rig_copy(frame);
        assert_int_equal(esp_receive(&rig.receiver, &frame, 1, rig.drops), 1);
        assert_true(esp_rig_is_same(frame, kept));
        rte_pktmbuf_free(whole);
        rte_pktmbuf_free(frame);
        rte_pktmbuf_free(kept);
    }
    esp_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nat_keepalives),         cmocka_unit_test(dummies),
        cmocka_unit_test(short_frames),           cmocka_unit_test(empty_packets),
        cmocka_unit_test(options_before_esp),     cmocka_unit_test(options_before_others),
        cmocka_unit_test(options_before_cut_udp),
    };
    return cmocka_run_group_tests(tests, esp_rig_start, NULL);
}
