/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wire formats, per packet over bursts that stay in the caches (32 packets, 64 for framing): checksums,
 * each engine of the FCS beside a table of one octet, and the worker's whole framing, in clear and ciphered,
 * without ports, pools, scheduler and EAL. The other stages: `gbflow bench stages`.
 */
#include "bench/micro/micro.h"
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
#include <stdlib.h>

#define OUTER_OCTETS    (IPV4_OCTETS + UDP_OCTETS)
#define HEADROOM_OCTETS 128
#define N_PDU_OCTETS    1536
#define TAILROOM_OCTETS 64
#define BURST           32
#define SET_UP          "the framing's set-up fails"

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

struct framing {
    uint16_t llc_octets;
    bool is_clear;
    int64_t now;
    struct gb_tx_batch batch;
    struct worker worker;
    struct buffer buffers[WORKER_BURST];
};

static void add_gb(struct worker *w)
{
    struct context *c = &w->context;
    struct gb_nsvc nsvc = {.params = {.nse = 0,
                                      .data_weight = 1,
                                      .local_ip = 0x0a000001,
                                      .remote_ip = 0x0a000002,
                                      .local_port = 23000,
                                      .remote_port = 23000}};
    micro_need(gb_transport_template(w, &nsvc) == 0, SET_UP);
    micro_need(context_nse_add(c, 0, 1, 0) == 0 && context_nsvc_add(c, 0, &nsvc) == 0, SET_UP);
    micro_need(context_nsvc_use(c, 0, true) == 0 && context_bvc_add(c, 0, 2, 0, 0) == 0, SET_UP);
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
    micro_need(context_ms_add(c, i, &ms, 0) == 0 && context_pdp_add(c, i, &pdp) == 0, SET_UP);
}

static void add_n_pdu(struct framing *f, unsigned i)
{
    struct buffer *buffer = &f->buffers[i];
    struct sched_grant *grant = &f->batch.grants[i];
    struct n_pdu *n_pdu = pool_n_pdu(&buffer->mbuf);
    uint16_t octets = (uint16_t)(f->llc_octets - BEFORE_OCTETS - LLC_FCS_OCTETS);

    buffer->mbuf.buf_addr = buffer->data;
    buffer->mbuf.buf_len = sizeof buffer->data;
    micro_need((void *)n_pdu == &buffer->private, SET_UP);
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

static struct framing *framing_new(uint16_t llc_octets)
{
    struct context_limits limits = {.nses = 1,
                                    .nsvcs = 1,
                                    .bvcs = 1,
                                    .mobiles = WORKER_BURST,
                                    .pdps = WORKER_BURST,
                                    .has_elements = true};
    struct context_policy policy;
    struct framing *f = micro_memory(sizeof(*f));

    f->llc_octets = llc_octets;
    context_policy_default(&policy);
    policy.lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    micro_need(context_new(&f->worker.context, &limits, &policy), SET_UP);
    add_gb(&f->worker);
    f->batch.count = WORKER_BURST;
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        add_mobile(&f->worker.context, i);
        add_n_pdu(f, i);
    }
    return f;
}

static void framing_close(void *state)
{
    struct framing *f = state;
    context_free(&f->worker.context);
    free(f);
}

static void framing_cipher(struct framing *f, uint8_t algorithm)
{
    f->worker.gea = gea_init(NULL, NULL);
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        struct ms *ms = &f->worker.context.mobiles[i];
        struct llc_cipher_params params = {
            .algorithm = algorithm, .kc_octets = algorithm == 3 ? 8 : 16, .kc = {(uint8_t)i, 1}};
        micro_need(f->worker.gea && ms_cipher_switch(ms, &params) == 0, SET_UP);
    }
}

/* The elements known from attach: a radio access capability of 25 octets, DRX parameters, priority. */
static void framing_elements(struct framing *f)
{
    static const uint8_t octets[25] = {0x18, 0xb3, 0x43, 0x2b, 0x25, 0x96, 0x62};
    const struct bssgp_elements_values values = {.ms_ra_capability = {octets, sizeof octets},
                                                 .drx_parameters = {octets, 2},
                                                 .priority = 1,
                                                 .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                                 .spid = BSSGP_ELEMENTS_NONE};
    struct bssgp_elements elements;
    micro_need(bssgp_elements_encode(&elements, &values) > 0, SET_UP);
    for (uint32_t i = 0; i < WORKER_BURST; i++)
        micro_need(context_ms_elements(&f->worker.context, i, &elements) == 0, SET_UP);
}

/* From grants to Ethernet frames with FCS, in place. */
static double framing_run(void *state)
{
    struct framing *f = state;
    f->now = (f->now + STEP_NS) % LIFETIME_NS; /* N-PDUs age up to LIFETIME_NS and then start again */
    f->worker.gb.pending_count = 0;
    gb_tx_put_headers(&f->worker, &f->batch, f->now);
    gb_tx_put_fcs(&f->worker, &f->batch);
    cipher_run(&f->worker.outbox.cipher, f->worker.gea);
    gb_tx_hand_over(&f->worker, &f->batch, f->now);
    return f->worker.gb.pending_count;
}

/* Whether lengths, IPv4 checksum and FCS of the last burst, in clear, are right. */
static bool is_sound(const struct framing *f)
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
    return f->worker.gb.pending_count == WORKER_BURST;
}

/* --- cases --- */

enum { CLEAR, ELEMENTS, GEA3, GEA4 };

static void *framing_open(const struct micro_point *point)
{
    struct framing *f = framing_new((uint16_t)point->at[0]);
    if (point->side == ELEMENTS)
        framing_elements(f);
    if (point->side >= GEA3)
        framing_cipher(f, point->side == GEA3 ? 3 : 4);
    f->is_clear = point->side < GEA3;
    return f;
}

static void framing_sum_up(void *state, struct micro_result *result)
{
    const struct framing *f = state;
    micro_fault(result, !f->is_clear || is_sound(f), "a frame is wrong");
}

static struct micro_axis npdu = MICRO_AXIS("npdu", 20, 1520, 64, 500, 1500),
                         octets = MICRO_AXIS("octets", 20, 1520, 64, 500, 1500),
                         llc_pdu = MICRO_AXIS("llc_pdu", 30, 1520, 64, 500, 1500);

#define SUM_CASE(name, run_)                                                                                 \
    MICRO_CASE(packets, name, "packet", MICRO_LIST(NULL), MICRO_LIST(&npdu), .run = run_)
static struct micro_case cases[] = {
    SUM_CASE("ipv4_sum_tested", test_ipv4_sum),
    SUM_CASE("card_flag_read", read_flag),
    SUM_CASE("udp_sum_written", write_udp_sum),
    SUM_CASE("udp_sum_left", leave_udp_sum),
    MICRO_CASE(fcs, "fcs", "packet", MICRO_LIST("octet_table"), MICRO_LIST(&octets), .run = fcs_run,
               .compares = true),
    MICRO_CASE(framing, "framing", "packet", MICRO_LIST("clear", "elements", "gea3", "gea4"),
               MICRO_LIST(&llc_pdu), .run = framing_run, .sum_up = framing_sum_up, .compares = true)};

static void wire_bench_begin(void)
{
    llc_fcs_init();
    for (unsigned octet = 0; octet < 256; octet++)
        octet_table[octet] = llc_fcs_update(0, &(uint8_t){(uint8_t)octet}, 1);
    const unsigned count = llc_fcs_engines(engines + 1);
    for (unsigned i = 1; i <= count; i++)
        cases[4].sides[i] = engines[i].name;
}

MICRO_PROGRAM("The wire formats: checksums, the engines of the FCS, and the worker's whole framing.",
              .rounds = 9, .turn_ms = 50, .begin = wire_bench_begin);
