/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/wire_fixture.h"

#include "dataplane/base/bytes.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/ns.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stdlib.h>

#define OUTER_OCTETS    (IPV4_OCTETS + UDP_OCTETS)
#define HEADROOM_OCTETS 128
#define N_PDU_OCTETS    1536
#define TAILROOM_OCTETS 64
#define DL_LIFETIME_CS  1500

/* An odd number of cache lines, as in a pool; else the headers of all packets would share few cache sets. */
struct packet {
    uint8_t bytes[HEADROOM_OCTETS + N_PDU_OCTETS + TAILROOM_OCTETS];
} __attribute__((aligned(64)));

static_assert(sizeof(struct packet) / 64 % 2 == 1, "see above");

struct wire_fixture {
    uint16_t octets;
    struct rte_mbuf mbufs[WIRE_FIXTURE_BURST];
    struct packet packets[WIRE_FIXTURE_BURST];
};

static uint8_t *n_pdu_of(struct packet *packet)
{
    return packet->bytes + HEADROOM_OCTETS;
}

static void make_packet(struct packet *packet, uint16_t octets, uint32_t teid)
{
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = teid, .payload_octets = octets};
    struct udp udp = {.dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + octets)};
    struct ipv4 ip = {.ttl = 64,
                      .proto = IPV4_PROTO_UDP,
                      .src = 0x0a000002,
                      .dst = 0x0a000001,
                      .payload_octets = (uint16_t)(UDP_OCTETS + GTPU_OCTETS + octets)};
    uint8_t *n_pdu = n_pdu_of(packet), *at = n_pdu - GTPU_OCTETS - OUTER_OCTETS;

    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    at += udp_encode(at, UDP_OCTETS, &udp);
    gtpu_encode(at, GTPU_OCTETS, &gtpu);
    for (unsigned i = 0; i < octets; i++)
        n_pdu[i] = (uint8_t)(i * 7 + teid * 13);
}

struct wire_fixture *wire_fixture_new(uint16_t octets)
{
    struct wire_fixture *fixture = aligned_alloc(64, sizeof *fixture);
    if (!fixture)
        return NULL;
    fixture->octets = octets;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++)
        make_packet(&fixture->packets[i], octets, i);
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        struct packet *packet = &fixture->packets[i];
        fixture->mbufs[i] = (struct rte_mbuf){
            .buf_addr = packet->bytes,
            .data_off = HEADROOM_OCTETS - IPV6_OCTETS - ETHER_OCTETS,
            .ol_flags = RTE_MBUF_F_RX_L4_CKSUM_GOOD,
        };
    }
    return fixture;
}

void wire_fixture_free(struct wire_fixture *fixture)
{
    free(fixture);
}

/* --- stages --- */

uint32_t wire_fixture_read_outer(struct wire_fixture *fixture)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        const uint8_t *bytes = n_pdu_of(&fixture->packets[i]) - GTPU_OCTETS - OUTER_OCTETS;
        struct ipv4 ip;
        struct udp udp;
        int offset = ipv4_decode(&ip, bytes, OUTER_OCTETS + GTPU_OCTETS + fixture->octets);
        if (offset < 0 || !ipv4_is_checksum_good(bytes, (size_t)offset))
            return 0;
        if (udp_decode(&udp, bytes + offset, ip.payload_octets) < 0)
            return 0;
        sum += ip.src ^ ip.dst ^ udp.dst_port ^ udp.payload_octets;
    }
    return sum;
}

uint32_t wire_fixture_read_gtpu(struct wire_fixture *fixture)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        struct gtpu gtpu;
        if (gtpu_decode(&gtpu, n_pdu_of(&fixture->packets[i]) - GTPU_OCTETS, GTPU_OCTETS + fixture->octets) <
            0)
            return 0;
        sum += gtpu.teid ^ gtpu.payload_octets ^ gtpu.payload_offset;
    }
    return sum;
}

static uint8_t *write_llc(uint8_t *n_pdu, uint32_t number)
{
    struct sndcp sndcp = {.n_pdu_number = (uint16_t)number, .nsapi = 5, .first = true};
    struct llc llc = {.sapi = LLC_SAPI_DATA_3, .cr = true, .pm = true, .nu = (uint16_t)number};
    uint8_t *at = n_pdu - SNDCP_FIRST_OCTETS;
    sndcp_encode(at, SNDCP_FIRST_OCTETS, &sndcp);
    at -= LLC_UI_OCTETS;
    llc_ui_encode(at, LLC_UI_OCTETS, &llc);
    return at;
}

static uint8_t *write_ns(uint8_t *llc_pdu, uint16_t llc_octets, uint32_t tlli)
{
    static const uint8_t imsi[8] = {0x29, 0x26, 0x24, 0x10, 0x32, 0x54, 0x76, 0x98};
    struct bssgp_dl dl = {.tlli = tlli,
                          .lifetime_cs = DL_LIFETIME_CS,
                          .llc_octets = llc_octets,
                          .imsi_octets = sizeof imsi,
                          .imsi = imsi};
    uint8_t *at = llc_pdu - bssgp_dl_unitdata_header_octets(&dl);
    bssgp_dl_unitdata_encode_header(at, BSSGP_DL_HEADER_MAX_OCTETS, &dl);
    at -= NS_UNITDATA_HEADER_OCTETS;
    ns_unitdata_header_put(at, 2);
    return at;
}

uint32_t wire_fixture_write_headers(struct wire_fixture *fixture)
{
    uint16_t llc_octets = (uint16_t)(LLC_UI_OCTETS + SNDCP_FIRST_OCTETS + fixture->octets + LLC_FCS_OCTETS);
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        uint8_t *n_pdu = n_pdu_of(&fixture->packets[i]);
        uint8_t *ns = write_ns(write_llc(n_pdu, i), llc_octets, 0xc0000000 + i);
        sum += (uint32_t)(n_pdu - ns);
    }
    return sum;
}

uint32_t wire_fixture_fcs(struct wire_fixture *fixture, const struct llc_fcs_engine *engine)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++)
        sum += engine->update(LLC_FCS_START, n_pdu_of(&fixture->packets[i]), fixture->octets);
    return sum;
}

/* --- checksums --- */

uint32_t wire_fixture_test_ipv4_sum(struct wire_fixture *fixture)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        const uint8_t *bytes = n_pdu_of(&fixture->packets[i]) - GTPU_OCTETS - OUTER_OCTETS;
        sum += ipv4_is_checksum_good(bytes, IPV4_OCTETS);
    }
    return sum;
}

/* The packets' mbufs lie beside them, as in a pool. */
uint32_t wire_fixture_read_flag(struct wire_fixture *fixture)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++)
        sum += port_udp_sum(&fixture->mbufs[i]) == PORT_SUM_GOOD;
    return sum;
}

static const uint8_t from[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1},
                     to[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 2};

/* The N-PDU is the UDP segment here. */
uint32_t wire_fixture_write_udp_sum(struct wire_fixture *fixture)
{
    uint32_t sum = 1;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        uint8_t *segment = n_pdu_of(&fixture->packets[i]);
        struct ipv6 ip = {
            .src = from, .dst = to, .next_header = IPV4_PROTO_UDP, .payload_octets = fixture->octets};
        uint16_t one = ipv6_checksum(&ip, IPV4_PROTO_UDP, segment, fixture->octets);
        bytes_put_u16(segment + 6, one);
        sum += one;
    }
    return sum;
}

uint32_t wire_fixture_leave_udp_sum(struct wire_fixture *fixture)
{
    uint32_t sum = 1;
    for (unsigned i = 0; i < WIRE_FIXTURE_BURST; i++) {
        struct rte_mbuf *mbuf = &fixture->mbufs[i];
        port_leave_sum(mbuf, ETHER_OCTETS);
        sum += mbuf->l3_len;
    }
    return sum;
}

/* --- the table of one octet --- */

static uint32_t octet_table[256];

static uint32_t octet_table_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    while (octets--)
        state = state >> 8 ^ octet_table[(state ^ *bytes++) & 255];
    return state;
}

struct llc_fcs_engine wire_fixture_octet_table(void)
{
    for (unsigned octet = 0; octet < 256; octet++)
        octet_table[octet] = llc_fcs_update(0, &(uint8_t){(uint8_t)octet}, 1);
    return (struct llc_fcs_engine){"octet_table", octet_table_update};
}
