/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wire formats, per packet over bursts of 32 that stay in the caches: checksums, each engine of the FCS
 * beside a table of one octet, and the buffers of segments. Whole steps: `gbflow bench stages`, step_bench.
 */
#include "bench/micro/fixture.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/worker/gb_tx_frame.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define OUTER_OCTETS    (IPV4_OCTETS + UDP_OCTETS)
#define HEADROOM_OCTETS 128
#define N_PDU_OCTETS    1536
#define TAILROOM_OCTETS 64
#define BURST           32
#define BUFFERS         4095
#define MEMORY_MIB      64

/* An odd number of cache lines, as in a pool; else the headers of all packets would share few cache sets. */
struct packet {
    uint8_t bytes[HEADROOM_OCTETS + N_PDU_OCTETS + TAILROOM_OCTETS];
} __attribute__((aligned(64)));

static_assert(sizeof(struct packet) / 64 % 2 == 1, "see above");

struct packets {
    uint16_t octets;
    struct rte_mbuf mbufs[BURST];
    struct packet packets[BURST];
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

static void *packets_open(const struct micro_point *point)
{
    struct packets *p = micro_memory(sizeof(*p));
    p->octets = (uint16_t)point->at[0];
    for (unsigned i = 0; i < BURST; i++) {
        make_packet(&p->packets[i], p->octets, i);
        p->mbufs[i] = (struct rte_mbuf){
            .buf_addr = p->packets[i].bytes,
            .data_off = HEADROOM_OCTETS - IPV6_OCTETS - ETHER_OCTETS,
            .ol_flags = RTE_MBUF_F_RX_L4_CKSUM_GOOD,
        };
    }
    return p;
}

static void packets_close(void *state)
{
    free(state);
}

/* --- checksums: an IPv4 header's tested, and a card's flag read in its place; UDP's over IPv6 written, and
 * left to the card (port_leave_sum()) --- */

static double test_ipv4_sum(void *state)
{
    struct packets *p = state;
    unsigned good = 0;
    for (unsigned i = 0; i < BURST; i++)
        good += ipv4_is_checksum_good(n_pdu_of(&p->packets[i]) - GTPU_OCTETS - OUTER_OCTETS, IPV4_OCTETS);
    micro_need(good == BURST, "a packet is refused");
    return BURST;
}

/* The packets' mbufs lie beside them, as in a pool. */
static double read_flag(void *state)
{
    struct packets *p = state;
    unsigned good = 0;
    for (unsigned i = 0; i < BURST; i++)
        good += port_udp_sum(&p->mbufs[i]) == PORT_SUM_GOOD;
    micro_need(good == BURST, "a packet is refused");
    return BURST;
}

static const uint8_t from[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1},
                     to[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 2};

/* The N-PDU is the UDP segment here. */
static double write_udp_sum(void *state)
{
    struct packets *p = state;
    for (unsigned i = 0; i < BURST; i++) {
        uint8_t *udp = n_pdu_of(&p->packets[i]);
        struct ipv6 ip = {.src = from, .dst = to, .next_header = IPV4_PROTO_UDP, .payload_octets = p->octets};
        bytes_put_u16(udp + 6, ipv6_checksum(&ip, IPV4_PROTO_UDP, udp, p->octets));
    }
    MICRO_KEEP(p->packets);
    return BURST;
}

static double leave_udp_sum(void *state)
{
    struct packets *p = state;
    for (unsigned i = 0; i < BURST; i++)
        port_leave_sum(&p->mbufs[i], ETHER_OCTETS);
    MICRO_KEEP(p->mbufs);
    return BURST;
}

/* --- FCS --- */

static uint32_t octet_table[256];

static uint32_t octet_table_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    while (octets--)
        state = state >> 8 ^ octet_table[(state ^ *bytes++) & 255];
    return state;
}

/* The sides: a look-up for each octet, and the engines that run here; the second one is the portable one. */
static struct llc_fcs_engine engines[LLC_FCS_ENGINES_MAX + 1] = {{"octet_table", octet_table_update}};

struct fcs {
    struct packets *packets;
    const struct llc_fcs_engine *engine;
};

static uint32_t fcs_sum(const struct fcs *f)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < BURST; i++)
        sum += f->engine->update(LLC_FCS_START, n_pdu_of(&f->packets->packets[i]), f->packets->octets);
    return sum;
}

static void *fcs_open(const struct micro_point *point)
{
    struct fcs *f = micro_memory(sizeof(*f));
    *f = (struct fcs){packets_open(point), &engines[1]};
    const uint32_t right = fcs_sum(f);
    f->engine = &engines[point->side];
    micro_need(fcs_sum(f) == right, "engines differ");
    return f;
}

static double fcs_run(void *state)
{
    MICRO_KEEP(fcs_sum(state));
    return BURST;
}

static void fcs_close(void *state)
{
    free(((struct fcs *)state)->packets);
    free(state);
}

/* --- the buffers of a further segment of an N-PDU: its payload copied into a buffer; or chained, a buffer
 * for the headers, one that refers to the N-PDU's, and one for the FCS. Allocation and freeing count. --- */

struct side {
    void (*make)(uint16_t octets);
    uint16_t octets;
};

static struct rte_mempool *pool;
static struct rte_mbuf *n_pdus[WORKER_BURST]; /* whose payload the segments carry */

static void take_buffers(struct rte_mbuf **mbufs, unsigned count)
{
    micro_need(rte_pktmbuf_alloc_bulk(pool, mbufs, count) == 0, "no buffers for segments");
}

static void copy(uint16_t octets)
{
    struct rte_mbuf *parts[WORKER_BURST];
    take_buffers(parts, WORKER_BURST);
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        parts[i]->pkt_len = parts[i]->data_len = octets;
        memcpy(rte_pktmbuf_mtod(parts[i], uint8_t *), rte_pktmbuf_mtod(n_pdus[i], const uint8_t *), octets);
    }
    for (unsigned i = 0; i < WORKER_BURST; i++)
        rte_pktmbuf_free(parts[i]);
}

static void chain(uint16_t octets)
{
    struct rte_mbuf *parts[3 * WORKER_BURST];
    take_buffers(parts, 3 * WORKER_BURST);
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        struct rte_mbuf **part = &parts[3 * i];
        rte_pktmbuf_attach(part[1], n_pdus[i]);
        part[0]->data_len = FRAME_PLAIN_OCTETS;
        part[1]->data_len = octets;
        part[2]->data_len = LLC_FCS_OCTETS;
        part[0]->next = part[1];
        part[1]->next = part[2];
        part[0]->nb_segs = 3;
        part[0]->pkt_len = (uint32_t)octets + FRAME_PLAIN_OCTETS + LLC_FCS_OCTETS;
    }
    for (unsigned i = 0; i < WORKER_BURST; i++)
        rte_pktmbuf_free(parts[3 * i]);
}

static void *segment_open(const struct micro_point *p)
{
    static struct side sides[2];
    sides[p->side] = (struct side){p->side > 0 ? chain : copy, (uint16_t)p->at[0]};
    return &sides[p->side];
}

static double segment_run(void *state)
{
    const struct side *s = state;
    s->make(s->octets);
    return WORKER_BURST;
}

static struct micro_axis npdu = MICRO_AXIS("npdu", 20, 1520, 64, 500, 1500),
                         octets = MICRO_AXIS("octets", 20, 1520, 64, 500, 1500),
                         segment = MICRO_AXIS("octets", 1, 1500, 100, 490, 1500);

#define SUM_CASE(name, run_)                                                                                 \
    MICRO_CASE(packets, name, "packet", MICRO_LIST(NULL), MICRO_LIST(&npdu), .run = run_)
static struct micro_case cases[] = {SUM_CASE("ipv4_sum_tested", test_ipv4_sum),
                                    SUM_CASE("card_flag_read", read_flag),
                                    SUM_CASE("udp_sum_written", write_udp_sum),
                                    SUM_CASE("udp_sum_left", leave_udp_sum),
                                    MICRO_CASE(fcs, "fcs", "packet", MICRO_LIST("octet_table"),
                                               MICRO_LIST(&octets), .run = fcs_run, .compares = true),
                                    {.name = "segment",
                                     .item = "segment",
                                     .sides = {"copied", "chained"},
                                     .axes = {&segment},
                                     .compares = true,
                                     .open = segment_open,
                                     .run = segment_run}};

static void wire_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
    pool = pool_new("segments", BUFFERS);
    micro_need(pool, "no memory for buffers");
    take_buffers(n_pdus, WORKER_BURST);
    for (unsigned octet = 0; octet < 256; octet++)
        octet_table[octet] = llc_fcs_update(0, &(uint8_t){(uint8_t)octet}, 1);
    const unsigned count = llc_fcs_engines(engines + 1);
    for (unsigned i = 1; i <= count; i++)
        cases[4].sides[i] = engines[i].name;
}

MICRO_PROGRAM("The wire formats: checksums, the engines of the FCS, and the buffers of segments.",
              .rounds = 9, .turn_ms = 50, .begin = wire_bench_begin);
