/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the process for the kernel, which the test is, and packets of a daemon. */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/core/core.h"
#include "control/esp/ike.h"
#include "control/esp/live.h"
#include "control/links/links.h"
#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQID = 7, PACKET_OCTETS = 32 };
enum { NEAR = 1, ALSO_NEAR, FAR }; /* last octets of 192.0.2.0/24; the node has the near ones */

static struct node node;
static struct links links;
static const struct node_capability_host host = {.node = &node, .links = &links};
static struct esp_live esp;
static const struct live_config_port port;
static struct msg_rings rings;
static int ends[2], tuns[2]; /* the process and the daemon have the second ones */
static int64_t now;

static int start(void **state)
{
    return eal_start_device("net_null0", (size_t)64 << 20) && msg_rings_new(&rings, "ike", 64) ? 0 : -1;
}

static struct sa_address address(uint8_t last)
{
    return (struct sa_address){{192, 0, 2, last}};
}

static void nothing(void *arg, const struct neighbour_entry *entry)
{
}

static void no_request(void *arg, const uint8_t *frame, size_t octets)
{
}

static int open_node(void **state)
{
    static const uint8_t mac[6] = {2};
    const struct esp_config config = {.device = "auto", .sides[ESP_CONFIG_GN].is_on = true};
    struct neighbour *n = &links.sides[MSG_PORT_GN].neighbours;
    memset(&node, 0, sizeof(node));
    memset(&links, 0, sizeof(links));
    memset(&esp, 0, sizeof(esp));
    esp.host = &host;
    node.core = (struct core){.workers = 1, .links = {{.rings = &rings}}};
    node.core.pool = rte_pktmbuf_pool_create("ike", 63, 0, 0, 2048, SOCKET_ID_ANY);
    esp.ike.is_on = true;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) ||
        socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, tuns))
        return -1;
    esp.ike.xfrm = (struct xfrm){.fd = ends[0], .tun_fd = tuns[0], .epoll_fd = -1};
    links.sides[MSG_PORT_GN].config = &port;
    neighbour_init(n, mac, &(struct neighbour_ops){.send = no_request, .tell = nothing});
    now = MOMENT_SECOND;
    for (uint8_t i = NEAR; i <= FAR; i++)
        n->addresses[n->address_count++] = neighbour_ip_of(address(i).octets, false);
    neighbour_set(n, &n->addresses[--n->address_count], mac); /* of the far one */
    return associations_open(&esp.all, &config, 1) ? 0 : -1;
}

static int close_node(void **state)
{
    struct msg msg;
    while (rte_ring_sc_dequeue_elem(rings.to_worker, &msg, sizeof(msg)) == 0)
        continue;
    esp_ike_stop(&esp.ike);
    close(ends[1]);
    close(tuns[1]);
    associations_close(&esp.all);
    rte_mempool_free(node.core.pool);
    return 0;
}

/* --- the process and the workers --- */

static void tell(const struct xfrm_message *message)
{
    assert_int_equal(send(ends[1], message, sizeof(*message), MSG_NOSIGNAL), sizeof(*message));
    esp_ike_step(&esp, now);
}

static void tell_kind(enum xfrm_kind kind)
{
    tell(&(struct xfrm_message){.kind = kind});
}

static struct xfrm_message sa_of(uint32_t spi, uint8_t from, uint8_t to)
{
    struct xfrm_message m = {.kind = XFRM_SA, .sa = {.reqid = REQID}};
    m.sa.soft_octets = m.sa.hard_octets = m.sa.soft_packets = m.sa.hard_packets = UINT64_MAX;
    m.sa.params =
        (struct sa_params){.spi = spi, .source = address(from), .destination = address(to), .window = 128};
    memset(m.sa.params.key, (int)(spi + to), 16);
    return m;
}

static void tell_sa(uint32_t spi, uint8_t from, uint8_t to)
{
    const struct xfrm_message m = sa_of(spi, from, to);
    tell(&m);
}

static void tell_refused(uint32_t index, uint32_t priority)
{
    struct xfrm_message m = {.kind = XFRM_POLICY, .policy = {.refusal = "it has several templates"}};
    m.policy.policy = (struct association_policy){
        .is_out = true, .index = index, .priority = priority, .rule.action = RULE_DROP};
    tell(&m);
}

static void tell_policy(uint32_t index, uint32_t priority)
{
    struct xfrm_message m = {.kind = XFRM_POLICY};
    m.policy = (struct xfrm_policy){.policy = {.is_out = true, .index = index, .priority = priority},
                                    .is_protecting = true,
                                    .template = {.reqid = REQID}};
    m.policy.policy.rule.action = RULE_PROTECT;
    tell(&m);
}

/* The next message to the process; XFRM_REFUSED, which control never sends: there is none. */
static struct xfrm_message told(void)
{
    struct xfrm_message m = {.kind = XFRM_REFUSED};
    recv(ends[1], &m, sizeof(m), 0);
    return m;
}

static void assert_expired(uint32_t spi, bool is_hard)
{
    static const uint8_t none[SA_KEY_OCTETS];
    const struct xfrm_message m = told();
    assert_int_equal(m.kind, XFRM_EXPIRE);
    assert_int_equal(m.sa.params.spi, spi);
    assert_int_equal(m.sa.is_hard, is_hard);
    assert_memory_equal(m.sa.params.key, none, sizeof(none));
}

/* All workers change to the next set. */
static const struct rules *settle(void)
{
    struct rules *sets[ESP_CONFIG_SIDES], **former = &esp.all.sides[ESP_CONFIG_GN].former;
    associations_exchange(&esp.all, sets);
    if (*former)
        atomic_store(&(*former)->users, 0);
    associations_tidy(&esp.all);
    assert_true(associations_is_settled(&esp.all));
    return esp.all.sides[ESP_CONFIG_GN].now;
}

/* --- associations and policies --- */

/* Of those from before the start none is used: the daemon is told that they end, soon and for good. */
TEST_WITH(first_list, open_node, close_node)
{
    esp.ike.is_first_list = true;
    tell_kind(XFRM_LIST_BEGIN);
    tell_sa(0x101, FAR, NEAR);
    tell_sa(0x201, NEAR, FAR);
    tell_sa(0x301, FAR, FAR); /* not the node's */
    tell_policy(1, 10);
    tell_kind(XFRM_LIST_END);
    assert_int_equal(esp.all.policy_count, 1);
    assert_null(rules_inbound(settle(), 0x101));
    assert_null(settle()->out[0].sa);
    assert_expired(0x101, false);
    assert_expired(0x201, false);
    assert_int_equal(told().kind, XFRM_REFUSED);
    now += 31 * MOMENT_SECOND;
    node.core.now = now;
    esp_ike_step(&esp, now);
    assert_expired(0x101, true);
    assert_expired(0x201, true);
}

TEST_WITH(come_and_go, open_node, close_node)
{
    tell_sa(0x101, FAR, NEAR);
    tell_sa(0x201, NEAR, FAR);
    tell_policy(1, 20);
    tell_policy(2, 10);
    const struct rules *rules = settle();
    assert_non_null(rules_inbound(rules, 0x101));
    assert_int_equal(rules->out_count, 2);
    assert_int_equal(rules->out[0].sa->params.spi, 0x201);
    assert_int_equal(esp.all.policies[0].index, 2); /* the lowest priority is the first */
    tell_sa(0x202, NEAR, FAR);
    assert_int_equal(settle()->out[0].sa->params.spi, 0x202);
    tell_kind(XFRM_LIST_BEGIN); /* without two, and a policy */
    tell_sa(0x201, NEAR, FAR);
    tell_policy(1, 20);
    tell_kind(XFRM_LIST_END);
    rules = settle();
    assert_null(rules_inbound(rules, 0x101));
    assert_int_equal(rules->out_count, 1);
    assert_int_equal(rules->out[0].sa->params.spi, 0x201);
    tell_kind(XFRM_FLUSH_SAS);
    tell_kind(XFRM_FLUSH_POLICIES);
    assert_int_equal(settle()->out_count, 0);
}

/* It drops at its priority, and a change of it that the node can do takes it up again. */
TEST_WITH(refused_policy, open_node, close_node)
{
    tell_policy(1, 20);
    tell_refused(2, 10);
    const struct rules *rules = settle();
    assert_int_equal(rules->out_count, 2);
    assert_int_equal(rules->out[0].action, RULE_DROP);
    assert_int_equal(rules->out[1].action, RULE_PROTECT);
    tell_policy(2, 10);
    assert_int_equal(settle()->out[0].action, RULE_PROTECT);
    tell_refused(2, 10);
    assert_int_equal(settle()->out[0].action, RULE_DROP);
}

/* All templates are in use, so the node cannot protect what one more policy is for. */
TEST_WITH(too_many_templates, open_node, close_node)
{
    for (uint32_t i = 0; i < ASSOCIATIONS_POLICIES; i++) {
        struct xfrm_message m = sa_of(0x201 + i, NEAR, FAR);
        m.sa.reqid = REQID + 1 + i;
        tell(&m);
    }
    tell_policy(1, 10);
    const struct rules *rules = settle();
    assert_int_equal(rules->out_count, 1);
    assert_int_equal(rules->out[0].action, RULE_DROP);
}

static void tell_policy_gone(uint32_t index)
{
    tell(&(struct xfrm_message){.kind = XFRM_POLICY_GONE, .policy.policy = {.is_out = true, .index = index}});
}

/* One policy more than there are places: those before it hold, then nothing passes. */
static void assert_is_missing(unsigned before)
{
    const struct rules *rules = settle();
    assert_int_equal(rules->out_count, before + 2);
    assert_int_equal(rules->out[before - 1].action, RULE_PROTECT);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(rules->out[before + i].action, RULE_DROP);
        assert_int_equal(rules->out[before + i].selector.is_ipv6, i);
    }
    assert_int_equal(rules->in_count, 0);
}

static void tell_policies(uint32_t first)
{
    for (uint32_t i = first; i < ASSOCIATIONS_POLICIES; i++)
        tell_policy(i, i);
}

static void tell_full(void)
{
    tell_policies(0);
    assert_int_equal(settle()->out_count, ASSOCIATIONS_POLICIES);
    tell_policy(1000, 100);
}

TEST_WITH(too_many_policies, open_node, close_node)
{
    tell_full();
    assert_is_missing(101);
    tell_policy_gone(0);
    assert_is_missing(100);
    tell_policy(1001, 100); /* the missing one was before it */
    assert_is_missing(100);
    tell_policy(5, 6); /* changed */
    assert_is_missing(100);
    tell_policy_gone(1000);
    assert_is_missing(100);
    tell_policy_gone(1001);
    assert_int_equal(settle()->out_count, ASSOCIATIONS_POLICIES - 1);
}

/* A new list has all; in it the missing one may have a place. */
TEST_WITH(missing_in_a_list, open_node, close_node)
{
    tell_full();
    tell_kind(XFRM_LIST_BEGIN);
    assert_is_missing(101);
    tell_policies(0);
    tell_policy(1000, 100);
    tell_kind(XFRM_LIST_END);
    assert_is_missing(101);
    tell_policy_gone(0);
    tell_kind(XFRM_LIST_BEGIN);
    tell_policies(1);
    tell_policy(1000, 100);
    assert_is_missing(101);
    tell_kind(XFRM_LIST_END);
    assert_int_equal(settle()->out_count, ASSOCIATIONS_POLICIES);
    tell_policy(1001, 100);
    assert_is_missing(101);
    tell_kind(XFRM_FLUSH_POLICIES);
    assert_int_equal(settle()->out_count, 0);
}

/* XFRM tells associations of one SPI by their destination; here the second waits for the end of the first. */
TEST_WITH(two_of_one_spi, open_node, close_node)
{
    struct xfrm_message gone = sa_of(0x101, FAR, NEAR);
    gone.kind = XFRM_SA_GONE;
    tell_sa(0x101, NEAR, FAR); /* of direction out, which has SPIs of its own */
    tell_sa(0x101, FAR, NEAR);
    tell_sa(0x101, FAR, ALSO_NEAR);
    assert_int_equal(rules_inbound(settle(), 0x101)->sa->params.destination.octets[3], NEAR);
    assert_null(esp.ike.sas[2].association);
    tell(&gone);
    assert_int_equal(rules_inbound(settle(), 0x101)->sa->params.destination.octets[3], ALSO_NEAR);
}

TEST_WITH(lives_and_counts, open_node, close_node)
{
    struct xfrm_message m = sa_of(0x201, NEAR, FAR);
    m.sa.soft_packets = 10;
    m.sa.hard_packets = 20;
    tell(&m);
    for (unsigned packets = 5; packets <= 25; packets += 10) {
        esp.ike.sas[0].association->sa->counts[0].packets = packets;
        now += 5 * MOMENT_SECOND;
        esp_ike_step(&esp, now);
        m = told();
        assert_int_equal(m.kind, XFRM_USED);
        assert_int_equal(m.sa.packets, packets);
        if (packets > 10)
            assert_expired(0x201, packets > 20);
        assert_int_equal(told().kind, XFRM_REFUSED);
    }
}

/* --- keys that come again --- */

/* Workers leave the former associations, and have those that waited for that. */
static const struct rules *settle_late(void)
{
    settle();
    esp_ike_step(&esp, now);
    return settle();
}

static struct xfrm_message tunnel_of(uint32_t spi, uint8_t from, uint8_t to, uint16_t encap)
{
    struct xfrm_message m = sa_of(spi, from, to);
    m.sa.params.is_tunnel = true;
    m.sa.params.hop_limit = 64;
    m.sa.params.encap_source = m.sa.params.encap_destination = encap;
    return m;
}

static void tell_tunnels(uint16_t encap)
{
    const struct xfrm_message in = tunnel_of(0x101, FAR, NEAR, encap),
                              out = tunnel_of(0x201, NEAR, FAR, encap);
    tell(&in);
    tell(&out);
}

static void tell_tunnel_policy(bool is_ipv6)
{
    struct xfrm_message m = {.kind = XFRM_POLICY};
    m.policy = (struct xfrm_policy){
        .policy = {.is_out = true, .index = 1, .priority = 10},
        .is_protecting = true,
        .template = {.reqid = REQID, .is_tunnel = true, .local = address(NEAR), .remote = address(FAR)}};
    m.policy.policy.rule = (struct rule){.action = RULE_PROTECT, .selector.is_ipv6 = is_ipv6};
    tell(&m);
}

/* MOBIKE and NAT: the same keys, from now on in UDP. Numbers go on behind the last that workers took. */
TEST_WITH(moves_into_udp, open_node, close_node)
{
    tell_tunnel_policy(false);
    tell_tunnels(0);
    const struct rules *rules = settle();
    struct sa *in = rules_inbound(rules, 0x101)->sa, *out = rules->out[0].sa;
    assert_int_equal(rules->encap_count, 0);
    out->counts[0].numbers = 1000;
    tell_tunnels(4500);
    out->counts[0].numbers = 300000; /* some worker still had it */
    sa_window_note(&in->window, 500);
    rules = settle_late();
    in = rules_inbound(rules, 0x101)->sa;
    out = rules->out[0].sa;
    assert_int_equal(out->params.encap_destination, 4500);
    assert_true(out->params.first_sequence > 300000);
    assert_int_equal(in->params.encap_destination, 4500);
    assert_int_equal(rules->encap_ports[0], 4500);
    assert_false(sa_window_is_new(&in->window, 500));
    assert_true(sa_window_is_new(&in->window, 501));
}

/* The daemon deletes it and makes it again. */
TEST_WITH(moves_to_another_address, open_node, close_node)
{
    struct xfrm_message in = tunnel_of(0x101, FAR, NEAR, 0), gone = in;
    gone.kind = XFRM_SA_GONE;
    tell(&in);
    sa_window_note(&rules_inbound(settle(), 0x101)->sa->window, 500);
    tell(&gone);
    assert_null(rules_inbound(settle_late(), 0x101));
    in.sa.params.destination = address(ALSO_NEAR);
    tell(&in);
    const struct sa *sa = rules_inbound(settle(), 0x101)->sa;
    assert_int_equal(sa->params.destination.octets[3], ALSO_NEAR);
    assert_false(sa_window_is_new(&sa->window, 500));
    assert_true(sa_window_is_new(&sa->window, 501));
}

/* One of the same keys is not used beside the other: nonces would repeat. */
TEST_WITH(keys_of_another, open_node, close_node)
{
    struct xfrm_message first = tunnel_of(0x201, NEAR, FAR, 0), second = first;
    second.sa.params.destination = address(FAR + 1);
    tell_tunnel_policy(false);
    tell(&first);
    struct sa *out = settle()->out[0].sa;
    out->counts[0].numbers = 1000;
    tell(&second);
    settle_late();
    assert_null(esp.ike.sas[1].association);
    first.kind = XFRM_SA_GONE;
    tell(&first);
    settle_late();
    assert_true(esp.ike.sas[1].association->sa->params.first_sequence > 1000);
}

/* An association that came before its policy is made again for the version of the packets in it. */
TEST_WITH(version_of_the_policy, open_node, close_node)
{
    tell_tunnels(0);
    struct sa *out = esp.ike.sas[1].association->sa;
    settle();
    tell_tunnel_policy(true);
    out->counts[0].numbers = 10; /* some worker still had it */
    const struct rules *rules = settle_late();
    assert_true(rules->out[0].sa->params.is_inner_ipv6);
    assert_true(rules->out[0].sa->params.first_sequence > 10);
}

/* --- packets of the daemon --- */

static void send_packet(void)
{
    static const uint8_t packet[PACKET_OCTETS] = {
        0x45, 0, 0,    PACKET_OCTETS, 0, 0, 0,   0,        64,        17,       0,         0, 192,
        0,    2, NEAR, 192,           0, 2, FAR, 500 >> 8, 500 & 255, 500 >> 8, 500 & 255, 0, 12};
    assert_int_equal(write(tuns[1], packet, sizeof(packet)), sizeof(packet));
    esp_ike_step(&esp, now);
}

static void assert_packets(unsigned waiting, unsigned sent)
{
    esp_ike_step(&esp, now);
    assert_int_equal(esp.ike.waiting_count, waiting);
    assert_int_equal(esp.ike.from_daemon, sent);
}

/* A packet waits until control has what the kernel had before it, and workers have that. */
TEST_WITH(barrier, open_node, close_node)
{
    settle();
    send_packet();
    assert_packets(1, 0);
    const struct xfrm_message sync = told();
    assert_int_equal(sync.kind, XFRM_SYNC);
    tell_sa(0x101, FAR, NEAR);
    tell(&sync);
    assert_packets(1, 0);
    settle();
    assert_packets(0, 1);
}

/* A kernel that always changes something, or does not answer, holds a packet for a second at most. */
TEST_WITH(endless_changes, open_node, close_node)
{
    settle();
    send_packet();
    const struct xfrm_message sync = told();
    for (unsigned i = 0; i < 9; i++) {
        now += MOMENT_SECOND / 10;
        tell_policy(1, i);
        if (i == 5)
            tell(&sync);
        assert_packets(1, 0);
    }
    now += MOMENT_SECOND / 10;
    assert_packets(0, 1);
    send_packet();
    now += MOMENT_SECOND; /* no answer */
    assert_packets(0, 2);
    assert_int_equal(esp.ike.lost, 0);
}

/* Without an answer of its next hop it is lost, a second later. */
TEST_WITH(no_next_hop, open_node, close_node)
{
    links.sides[MSG_PORT_GN].neighbours.entry_count = 0;
    settle();
    send_packet();
    now += 2 * MOMENT_SECOND;
    assert_packets(1, 0);
    now++;
    assert_packets(0, 0);
    assert_int_equal(esp.ike.lost, 1);
}

UNIT_MAIN(start, NULL)
