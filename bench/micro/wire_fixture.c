/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/wire_fixture.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

#define OUTER_OCTETS    (IPV4_OCTETS + UDP_OCTETS)
#define HEADROOM_OCTETS 128
#define N_PDU_OCTETS    1536
#define TAILROOM_OCTETS 64

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

/* --- framing --- */

/*
 * The worker's stages between sched_pick() and port_flush(); those two are measured elsewhere. Buffers are
 * plain memory with the layout of a pool's; the last segment is sent in its own buffer, so none is allocated
 * or freed.
 */

#define LIFETIME_NS   (15 * MOMENT_SECOND)
#define N201_U_OCTETS 1520
#define QUEUE_OCTETS  64000
#define BEFORE_OCTETS (LLC_UI_OCTETS + SNDCP_FIRST_OCTETS)
#define STEP_NS       100

static_assert(WIRE_FRAMING_BURST == WORKER_BURST, "a burst is what one pass sends");

/* An odd number of cache lines, as in a pool. */
struct buffer {
    struct rte_mbuf mbuf;
    union {
        struct n_pdu n_pdu;
        uint8_t line[64];
    } private;
    uint8_t data[RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS];
} __attribute__((aligned(64)));

static_assert(sizeof(struct buffer) / 64 % 2 == 1, "see above");

struct wire_framing {
    uint16_t llc_octets;
    int64_t now;
    struct gb_tx_batch batch;
    struct worker worker;
    struct buffer buffers[WIRE_FRAMING_BURST];
};

static void need(bool is_there)
{
    if (is_there)
        return;
    fprintf(stderr, "wire_bench: the framing's set-up fails\n");
    exit(1);
}

static void add_gb(struct worker *w)
{
    struct context *c = &w->context;
    struct gb_nsvc nsvc = {.params = {.nse = 0,
                                      .data_weight = 1,
                                      .local_ip = 0x0a000001,
                                      .remote_ip = 0x0a000002,
                                      .local_port = 23000,
                                      .remote_port = 23000}};
    need(gb_transport_template(w, &nsvc) == 0);
    need(context_nse_add(c, 0, 1, 0) == 0 && context_nsvc_add(c, 0, &nsvc) == 0);
    need(context_nsvc_use(c, 0, true) == 0 && context_bvc_add(c, 0, 2, 0, 0) == 0);
}

static void add_mobile(struct context *c, uint32_t i)
{
    struct ms_params ms = {.tlli = 0xc0000000 + i,
                           .n201_u = N201_U_OCTETS,
                           .queue_limit_octets = QUEUE_OCTETS,
                           .imsi_octets = 8,
                           .imsi = {0x29, 0x26, 0x24, 0x10, 0x32, 0x54, 0x76, (uint8_t)i}};
    struct pdp_params pdp = {
        .ms = i, .teid = i, .nsapi = 5, .sapi = 3, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    need(context_ms_add(c, i, &ms, 0) == 0 && context_pdp_add(c, i, &pdp) == 0);
}

static void add_n_pdu(struct wire_framing *f, unsigned i)
{
    struct buffer *buffer = &f->buffers[i];
    struct sched_grant *grant = &f->batch.grants[i];
    struct n_pdu *n_pdu = pool_n_pdu(&buffer->mbuf);
    uint16_t octets = (uint16_t)(f->llc_octets - BEFORE_OCTETS - LLC_FCS_OCTETS);

    buffer->mbuf.buf_addr = buffer->data;
    buffer->mbuf.buf_len = sizeof buffer->data;
    need((void *)n_pdu == &buffer->private);
    *n_pdu = (struct n_pdu){.data = buffer->data + RTE_PKTMBUF_HEADROOM + GB_HEADER_OCTETS + GTPU_OCTETS,
                            .pdp = i,
                            .octets = octets,
                            .qclass = QCLASS_BACKGROUND,
                            .pfi = N_PDU_NO_PFI};
    memset(n_pdu->data, (int)i, octets);
    *grant = (struct sched_grant){.ms = &f->worker.context.mobiles[i].sched, .n_pdu = n_pdu};
    grant->next.payload_octets = octets;
    grant->next.llc_octets = f->llc_octets;
    grant->next.last = true;
}

struct wire_framing *wire_fixture_framing_new(uint16_t llc_octets)
{
    struct context_limits limits = {.nses = 1,
                                    .nsvcs = 1,
                                    .bvcs = 1,
                                    .mobiles = WIRE_FRAMING_BURST,
                                    .pdps = WIRE_FRAMING_BURST,
                                    .has_elements = true};
    struct context_policy policy;
    struct wire_framing *f = aligned_alloc(64, sizeof *f);

    need(f);
    memset(f, 0, sizeof *f);
    f->llc_octets = llc_octets;
    context_policy_default(&policy);
    policy.lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    need(context_new(&f->worker.context, &limits, &policy));
    add_gb(&f->worker);
    f->batch.count = WIRE_FRAMING_BURST;
    for (unsigned i = 0; i < WIRE_FRAMING_BURST; i++) {
        add_mobile(&f->worker.context, i);
        add_n_pdu(f, i);
    }
    return f;
}

void wire_fixture_framing_free(struct wire_framing *f)
{
    context_free(&f->worker.context);
    free(f);
}

void wire_fixture_framing_cipher(struct wire_framing *f, uint8_t algorithm)
{
    f->worker.gea = gea_init(NULL, NULL);
    for (unsigned i = 0; i < WIRE_FRAMING_BURST; i++) {
        struct ms *ms = &f->worker.context.mobiles[i];
        struct llc_cipher_params params = {
            .algorithm = algorithm, .kc_octets = algorithm == 3 ? 8 : 16, .kc = {(uint8_t)i, 1}};
        need(f->worker.gea && ms_cipher_switch(ms, &params) == 0);
    }
}

void wire_fixture_framing_elements(struct wire_framing *f)
{
    static const uint8_t octets[25] = {0x18, 0xb3, 0x43, 0x2b, 0x25, 0x96, 0x62};
    const struct bssgp_elements_values values = {.ms_ra_capability = {octets, sizeof octets},
                                                 .drx_parameters = {octets, 2},
                                                 .priority = 1,
                                                 .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                                 .spid = BSSGP_ELEMENTS_NONE};
    struct bssgp_elements elements;
    need(bssgp_elements_encode(&elements, &values) > 0);
    for (uint32_t i = 0; i < WIRE_FRAMING_BURST; i++)
        need(context_ms_elements(&f->worker.context, i, &elements) == 0);
}

unsigned wire_fixture_framing_burst(struct wire_framing *f)
{
    f->now = (f->now + STEP_NS) % LIFETIME_NS; /* N-PDUs age up to LIFETIME_NS and then start again */
    f->worker.gb.pending_count = 0;
    gb_tx_put_headers(&f->worker, &f->batch, f->now);
    gb_tx_put_fcs(&f->worker, &f->batch);
    cipher_run(&f->worker.outbox.cipher, f->worker.gea);
    gb_tx_hand_over(&f->worker, &f->batch, f->now);
    return f->worker.gb.pending_count;
}

bool wire_fixture_framing_is_sound(const struct wire_framing *f)
{
    for (unsigned i = 0; i < f->worker.gb.pending_count; i++) {
        const struct rte_mbuf *mbuf = f->worker.gb.pending[i];
        const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *), *ip = frame + ETHER_OCTETS;
        const uint8_t *fcs = frame + mbuf->data_len - LLC_FCS_OCTETS, *llc = fcs + 3 - f->llc_octets;
        if (bytes_get_u16(ip + 2) + ETHER_OCTETS != mbuf->data_len || !ipv4_is_checksum_good(ip, IPV4_OCTETS))
            return false;
        if (llc_fcs_get(fcs) != llc_fcs(llc, (size_t)(fcs - llc)) || llc[0] != 0x43)
            return false;
    }
    return f->worker.gb.pending_count == WIRE_FRAMING_BURST;
}
