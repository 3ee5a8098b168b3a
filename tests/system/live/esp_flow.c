/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node's ESP (dataplane/esp) on a port of DPDK against ESP of the Linux kernel: numbered UDP packets of
 * random octets each way, which both ends check.
 *   esp_flow INTERFACE NAMESPACE BRIDGE
 *
 * INTERFACE is the node's end, in this namespace; its kernel has no address there. The kernel's end is in
 * NAMESPACE; a bridge with the ports p0 (to the node) and p1 is in BRIDGE. A line of standard input is a
 * case: SUITE TUNNEL OUTER INNER ESN ENCAP DEVICE WINDOW SPI PACKETS KEY AUTH KEY AUTH SUITE by name; 0 or 1
 * for a tunnel, outer IPv6, inner IPv6, ESN, UDP; a crypto device or "auto"; the SPI down, that up is one
 * more; packets each way; keys of down and up, "-" for none. The answer is a line of JSON.
 */
#include "tests/system/live/esp_flow.h"

#include "dataplane/base/drop.h"
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <inttypes.h>
#include <rte_crypto.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFERS      16383
#define OPS          1023
#define IV_OCTETS    16
#define ASSOCIATIONS 8
#define GROUP        1
#define WORD         128 /* characters */
#define IDLE_ROUNDS  25
#define IDLE_US      5000

enum { NEAR, FAR, ENDS };

static const uint8_t macs[ENDS][6] = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}};
static const struct sa_address v4[2][ENDS] = {{{{192, 0, 2, 1}}, {{192, 0, 2, 2}}},
                                              {{{10, 0, 0, 1}}, {{10, 0, 0, 2}}}},
                               v6[2][ENDS] = {
                                   {{{0x20, 1, 0x0d, 0xb8, [15] = 1}}, {{0x20, 1, 0x0d, 0xb8, [15] = 2}}},
                                   {{{0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 1}},
                                    {{0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 2}}}};

struct flow_case {
    char suite[WORD], device[WORD], key[FLOW_DIRECTIONS][WORD], auth[FLOW_DIRECTIONS][WORD];
    unsigned is_tunnel, is_ipv6, is_inner_ipv6, has_esn, has_encap, window, packets;
    uint32_t spi;
};

struct flow {
    struct flow_case given;
    struct flow_far *far;
    struct sa_device devices[SA_DEVICES];
    struct rte_mempool *buffers, *ops;
    struct rules *rules;
    struct sa *sas[FLOW_DIRECTIONS];
    struct flow_tally tallies[FLOW_DIRECTIONS];
    uint64_t drops[DROP_COUNT], unsent[DROP_COUNT], replays[FLOW_DIRECTIONS], received, stuck;
};

/* --- The node's end --- */

static const struct sa_address *inner_of(const struct flow_case *c, unsigned end)
{
    bool is_tunnel = c->is_tunnel;
    return c->is_inner_ipv6 ? &v6[is_tunnel][end] : &v4[is_tunnel][end];
}

static unsigned put_ip(const struct flow_case *c, uint8_t *bytes, unsigned octets)
{
    const uint8_t *src = inner_of(c, NEAR)->octets, *dst = inner_of(c, FAR)->octets;
    struct ipv6 six = {.src = src,
                       .dst = dst,
                       .next_header = IPV4_PROTO_UDP,
                       .hop_limit = 64,
                       .payload_octets = (uint16_t)octets};
    struct ipv4 four = {.src = bytes_get_u32(src),
                        .dst = bytes_get_u32(dst),
                        .proto = IPV4_PROTO_UDP,
                        .ttl = 64,
                        .header_octets = IPV4_OCTETS,
                        .payload_octets = (uint16_t)octets};
    if (!c->is_inner_ipv6)
        return (unsigned)ipv4_encode(bytes, IPV4_OCTETS, &four);
    ipv6_encode(bytes, IPV6_OCTETS, &six);
    uint16_t checksum = ipv6_checksum(&six, IPV4_PROTO_UDP, bytes + IPV6_OCTETS, octets);
    bytes_put_u16(bytes + IPV6_OCTETS + 6, checksum ? checksum : UINT16_MAX);
    return IPV6_OCTETS;
}

static struct rte_mbuf *make_frame(struct flow *f)
{
    struct rte_mbuf *frame = rte_pktmbuf_alloc(f->buffers);
    unsigned ip = f->given.is_inner_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
    if (!frame)
        return NULL;
    uint8_t *bytes = rte_pktmbuf_mtod(frame, uint8_t *);
    size_t octets = flow_tally_put(&f->tallies[FLOW_DOWN], bytes + ETHER_OCTETS + ip + UDP_OCTETS);
    struct udp udp = {
        .src_port = FLOW_PORT_NEAR, .dst_port = FLOW_PORT_FAR, .payload_octets = (uint16_t)octets};
    memcpy(bytes, macs[FAR], sizeof(macs[FAR]));
    memcpy(bytes + 6, macs[NEAR], sizeof(macs[NEAR]));
    bytes_put_u16(bytes + 12, f->given.is_inner_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    udp_encode(bytes + ETHER_OCTETS + ip, UDP_OCTETS, &udp);
    put_ip(&f->given, bytes + ETHER_OCTETS, UDP_OCTETS + (unsigned)octets);
    rte_pktmbuf_append(frame, (uint16_t)(ETHER_OCTETS + ip + UDP_OCTETS + octets));
    return frame;
}

static struct esp esp_of(const struct flow *f)
{
    return (struct esp){.rules = f->rules, .ops = f->ops, .buffers = f->buffers};
}

static unsigned send_down(struct flow *f)
{
    const struct esp esp = esp_of(f);
    const struct flow_tally *down = &f->tallies[FLOW_DOWN];
    struct rte_mbuf *frames[FLOW_BURST];
    unsigned count = 0;
    while (count < FLOW_BURST && down->sent < down->count && (frames[count] = make_frame(f)))
        count++;
    unsigned ready = esp_send(&esp, frames, count, f->unsent);
    for (unsigned i = 0; i < ready; i++)
        f->stuck += !flow_far_put(f->far, rte_pktmbuf_mtod(frames[i], const uint8_t *), frames[i]->data_len);
    rte_pktmbuf_free_bulk(frames, ready);
    return count;
}

/* A whole packet of UDP between the addresses inside, with right checksums; NULL: it is not. */
static const uint8_t *payload_of(const struct flow_case *c, const uint8_t *ip, unsigned octets,
                                 uint16_t *payload_octets)
{
    unsigned address = c->is_inner_ipv6 ? 16 : 4, header = c->is_inner_ipv6 ? IPV6_OCTETS : IPV4_OCTETS;
    const uint8_t *ends = ip + (c->is_inner_ipv6 ? 8 : 12);
    struct rule_packet packet;
    struct ipv6 six;
    struct udp udp;
    if (!rule_packet_read(&packet, ip, octets) || packet.is_ipv6 != c->is_inner_ipv6 ||
        packet.protocol != IPV4_PROTO_UDP || packet.octets != octets ||
        memcmp(ends, inner_of(c, FAR)->octets, address) != 0 ||
        memcmp(ends + address, inner_of(c, NEAR)->octets, address) != 0 ||
        udp_decode(&udp, ip + header, octets - header) < 0 || udp.src_port != FLOW_PORT_FAR ||
        udp.dst_port != FLOW_PORT_NEAR)
        return NULL;
    if (c->is_inner_ipv6 ? ipv6_decode(&six, ip, octets) < 0 ||
                               ipv6_checksum(&six, IPV4_PROTO_UDP, ip + header, octets - header) != 0
                         : !ipv4_is_checksum_good(ip, header))
        return NULL;
    *payload_octets = udp.payload_octets;
    return ip + header + UDP_OCTETS;
}

static void take_frame(struct flow *f, struct rte_mbuf *frame)
{
    uint16_t octets = 0;
    const uint8_t *bytes = rte_pktmbuf_mtod(frame, const uint8_t *);
    const uint8_t *payload =
        payload_of(&f->given, bytes + ETHER_OCTETS, frame->data_len - ETHER_OCTETS, &octets);
    if (payload)
        flow_tally_take(&f->tallies[FLOW_UP], payload, octets);
    else
        f->tallies[FLOW_UP].wrong++;
    rte_pktmbuf_free(frame);
}

/* The port also shows what the node itself has sent by the socket. */
static unsigned leave_out_own(struct rte_mbuf **frames, unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (memcmp(rte_pktmbuf_mtod(frames[i], const uint8_t *) + 6, macs[NEAR], sizeof(macs[NEAR])) == 0)
            rte_pktmbuf_free(frames[i]);
        else
            frames[kept++] = frames[i];
    return kept;
}

static unsigned receive_up(struct flow *f)
{
    const struct esp esp = esp_of(f);
    struct rte_mbuf *frames[ESP_BURST];
    unsigned count = leave_out_own(frames, rte_eth_rx_burst(0, 0, frames, ESP_BURST));
    f->received += count;
    unsigned kept = esp_receive(&esp, frames, count, f->drops);
    for (unsigned i = 0; i < kept; i++)
        take_frame(f, frames[i]);
    return count;
}

/* --- A case --- */

static void read_key(uint8_t *out, const char *digits, size_t octets)
{
    for (size_t i = 0; i < octets && digits[2 * i] != '\0' && digits[0] != '-'; i++) {
        unsigned value = 0;
        sscanf(digits + 2 * i, "%2x", &value);
        out[i] = (uint8_t)value;
    }
}

static enum sa_suite suite_of(const char *name)
{
    for (unsigned suite = 0; suite < SA_SUITES; suite++)
        if (strcmp(sa_suite_name(suite), name) == 0)
            return suite;
    return SA_SUITES;
}

/* The device of the name, or the first that has the suite. */
static const struct sa_device *device_of(const struct flow *f, enum sa_suite suite)
{
    for (unsigned i = 0; i < SA_DEVICES; i++)
        if (f->devices[i].name &&
            (strcmp(f->given.device, "auto") == 0 || strcmp(f->given.device, sa_devices[i]) == 0) &&
            sa_device_has(&f->devices[i], suite))
            return &f->devices[i];
    return NULL;
}

static struct sa *make_sa(const struct flow *f, enum flow_direction way, const char **reason)
{
    const struct flow_case *c = &f->given;
    const struct sa_address *outer = c->is_ipv6 ? v6[0] : v4[0];
    uint16_t port = c->has_encap ? FLOW_PORT_ENCAP : 0;
    struct sa_params p = {.spi = c->spi + (way == FLOW_UP),
                          .suite = suite_of(c->suite),
                          .is_inbound = way == FLOW_UP,
                          .is_tunnel = c->is_tunnel,
                          .is_ipv6 = c->is_ipv6,
                          .is_inner_ipv6 = c->is_inner_ipv6,
                          .has_esn = c->has_esn,
                          .copies_dscp = true,
                          .hop_limit = 64,
                          .window = c->window,
                          .encap_source = port,
                          .encap_destination = port,
                          .source = outer[way == FLOW_UP ? FAR : NEAR],
                          .destination = outer[way == FLOW_UP ? NEAR : FAR]};
    bool is_gcm = p.suite <= SA_AES_GCM_256;
    size_t key_octets = strlen(c->key[way]) / 2 - (is_gcm ? SA_SALT_OCTETS : 0);
    read_key(p.key, c->key[way], strcmp(c->key[way], "-") == 0 ? 0 : key_octets);
    read_key(p.auth, c->auth[way], SA_KEY_OCTETS);
    if (is_gcm)
        read_key(p.salt, c->key[way] + 2 * key_octets, SA_SALT_OCTETS);
    const struct sa_device *device = p.suite == SA_SUITES ? NULL : device_of(f, p.suite);
    *reason = "no device has the suite";
    return device ? sa_new(&p, device, reason) : NULL;
}

static bool open_case(struct flow *f, const char **reason)
{
    struct rule rule = {
        .action = RULE_PROTECT, .group = GROUP, .selector = {.is_ipv6 = f->given.is_inner_ipv6}};
    memset(f->drops, 0, sizeof(f->drops));
    memset(f->unsent, 0, sizeof(f->unsent));
    memset(f->replays, 0, sizeof(f->replays));
    f->received = f->stuck = 0;
    flow_far_forget(f->far);
    f->rules = rules_new();
    for (unsigned way = 0; way < FLOW_DIRECTIONS; way++)
        if (!(f->sas[way] = make_sa(f, way, reason)) ||
            !flow_tally_new(&f->tallies[way], f->given.spi * 2 + way, f->given.packets))
            return false;
    f->rules->others = RULE_DROP;
    f->rules->encap_ports[f->rules->encap_count++] = FLOW_PORT_ENCAP;
    rule.sa = f->sas[FLOW_DOWN];
    f->rules->out[f->rules->out_count++] = f->rules->in[f->rules->in_count++] = rule;
    return rules_add_inbound(f->rules, f->sas[FLOW_UP], GROUP);
}

static void close_case(struct flow *f)
{
    rules_free(f->rules);
    for (unsigned way = 0; way < FLOW_DIRECTIONS; way++) {
        sa_free(f->sas[way]);
        flow_tally_free(&f->tallies[way]);
        f->sas[way] = NULL;
        f->tallies[way] = (struct flow_tally){0};
    }
}

/* Until nothing has moved for IDLE_ROUNDS. */
static void play(struct flow *f)
{
    const uint8_t *near = inner_of(&f->given, NEAR)->octets;
    for (unsigned idle = 0; idle < IDLE_ROUNDS;) {
        unsigned moved =
            send_down(f) + flow_far_send(f->far, f->given.is_inner_ipv6, near, &f->tallies[FLOW_UP]);
        moved += receive_up(f) + flow_far_receive(f->far, &f->tallies[FLOW_DOWN]) +
                 flow_far_replay(f->far, f->replays);
        idle = moved ? 0 : idle + 1;
        if (!moved)
            usleep(IDLE_US);
    }
}

static void print_tally(const char *name, const struct flow_tally *t, uint64_t replays)
{
    printf("\"%s\": {\"sent\": %" PRIu64 ", \"once\": %" PRIu64 ", \"twice\": %" PRIu64
           ", \"wrong\": %" PRIu64 ", \"replayed\": %" PRIu64 "}, ",
           name, t->sent, t->once, t->twice, t->wrong, replays);
}

static void print_drops(const char *name, const uint64_t *drops)
{
    const char *comma = "";
    printf("\"%s\": {", name);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (drops[i]) {
            printf("%s\"%s\": %" PRIu64, comma, drop_name(i), drops[i]);
            comma = ", ";
        }
    printf("}, ");
}

static void run_case(struct flow *f)
{
    const char *reason = "no memory";
    if (!open_case(f, &reason))
        printf("{\"error\": \"%s\"}\n", reason);
    else {
        play(f);
        printf("{");
        print_tally("down", &f->tallies[FLOW_DOWN], f->replays[FLOW_DOWN]);
        print_tally("up", &f->tallies[FLOW_UP], f->replays[FLOW_UP]);
        print_drops("drops", f->drops);
        print_drops("unsent", f->unsent);
        printf("\"received\": %" PRIu64 ", \"stuck\": %" PRIu64 ", \"buffers\": %u, \"device\": \"%s\"}\n",
               f->received, f->stuck, rte_mempool_in_use_count(f->buffers), f->sas[0]->device->name);
    }
    fflush(stdout);
    close_case(f);
}

/* --- Start --- */

static bool open_port(struct rte_mempool *buffers)
{
    struct rte_eth_conf conf = {0};
    return rte_eth_dev_configure(0, 1, 1, &conf) == 0 &&
           rte_eth_rx_queue_setup(0, 0, 1024, SOCKET_ID_ANY, NULL, buffers) == 0 &&
           rte_eth_tx_queue_setup(0, 0, 1024, SOCKET_ID_ANY, NULL) == 0 && rte_eth_dev_start(0) == 0;
}

static bool start_dpdk(const char *interface)
{
    char device[WORD], prefix[WORD];
    snprintf(device, sizeof(device),
             "net_af_packet0,iface=%s,framecnt=8192,framesz=2048,blocksz=4096,qdisc_bypass=0", interface);
    snprintf(prefix, sizeof(prefix), "espflow%d", (int)getpid());
    char *words[] = {"esp_flow",      "--no-huge",     "-m",   "192",    "--no-pci", "--no-telemetry",
                     "--log-level=3", "--file-prefix", prefix, "--vdev", device};
    return rte_eal_init(sizeof(words) / sizeof(words[0]), words) >= 0;
}

static bool start(struct flow *f, const char *interface)
{
    const char *reason;
    if (!start_dpdk(interface))
        return false;
    f->buffers = pool_new("buffers", BUFFERS);
    f->ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, IV_OCTETS, SOCKET_ID_ANY);
    for (unsigned i = 0; i < SA_DEVICES; i++)
        if (!sa_device_open(&f->devices[i], sa_devices[i], 1, ASSOCIATIONS, &reason))
            fprintf(stderr, "esp_flow: %s: %s\n", sa_devices[i], reason);
    return f->buffers && f->ops && open_port(f->buffers);
}

static bool read_case(struct flow_case *c)
{
    char line[8 * WORD];
    return fgets(line, sizeof(line), stdin) &&
           sscanf(line, "%127s %u %u %u %u %u %127s %u %" SCNu32 " %u %127s %127s %127s %127s", c->suite,
                  &c->is_tunnel, &c->is_ipv6, &c->is_inner_ipv6, &c->has_esn, &c->has_encap, c->device,
                  &c->window, &c->spi, &c->packets, c->key[0], c->auth[0], c->key[1], c->auth[1]) == 14;
}

int main(int argc, char **argv)
{
    static struct flow flow;
    if (argc != 4) {
        fprintf(stderr, "usage: esp_flow INTERFACE NAMESPACE BRIDGE\n");
        return 2;
    }
    flow.far = flow_far_new(argv[1], argv[2], argv[3]);
    if (!flow.far || !start(&flow, argv[1]))
        return EXIT_FAILURE;
    printf("ready\n");
    fflush(stdout);
    while (read_case(&flow.given))
        run_case(&flow);
    return EXIT_SUCCESS;
}
