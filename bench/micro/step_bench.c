/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of a worker per downlink N-PDU: what features add to them, in ns and instructions. The sides are
 * plain mobiles; contexts in acknowledged mode; an entity of RFC 1144 for each mobile; elements known from
 * attach in each DL-UNITDATA; GEA3 and GEA4.
 *
 * Each N-PDU, a TCP segment of --octets with both headers, is for another of --mobiles, the next of its
 * connection, and leaves at once. So what it needs of its mobile has left the near caches, but for few
 * mobiles. In acknowledged mode a mobile answers --every I frames with an RR, whose receipt is part of the
 * steps. A turn is one N-PDU for each mobile. Instructions are those of --steps steps.
 */
#include "bench/account/account.h"
#include "bench/micro/fixture.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/compression/compression_pool.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <stdlib.h>
#include <string.h>

#define CELLS         64
#define NS_PORT       23000
#define WARM_PASSES   17 /* and that of the harness */
#define K_DOWN        16
#define K_UP          8
#define N201_I_OCTETS 1503
#define SETTLE_STEPS  64
#define MEMORY_MIB    600
#define TCP_AT        (FIXTURE_TUNNEL_OCTETS + IPV4_OCTETS)
#define HEADER_OCTETS 40 /* IPv4 and TCP */

enum feature { PLAIN, ACKNOWLEDGED, RFC1144, ELEMENTS, CIPHER_GEA3, CIPHER_GEA4 };

static const struct compression_params rfc1144 = {
    .nsapis = 1u << 5, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = 3, .first = 1, .second = 2};

/* A worker, and the mobiles that answer it in acknowledged mode. */
struct side {
    struct fixture f; /* the first */
    enum feature feature;
    struct compression_pool pool;
    uint32_t *received, *owed; /* I frames; of those, not acknowledged */
    size_t frame_octets;       /* of the latest frame */
};

static int64_t counted_steps = 2, every = 8;

/* --- the mobiles --- */

/* An LLC frame without FCS goes up. */
static void answer(struct side *s, uint32_t mobile, const uint8_t *llc, unsigned llc_octets)
{
    static const uint8_t cell_id[8] = {0};
    uint8_t frame[128], *at = frame + GB_HEADER_OCTETS;
    const struct bssgp_ul ul = {.tlli = FIXTURE_TLLI + mobile,
                                .llc_octets = (uint16_t)(llc_octets + LLC_FCS_OCTETS),
                                .cell_id = cell_id};
    at += ns_unitdata_header_put(at, (uint16_t)(mobile % CELLS + 2));
    at += bssgp_ul_unitdata_encode_header(at, 64, &ul);
    memcpy(at, llc, llc_octets);
    llc_fcs_put(at + llc_octets, llc_fcs(llc, llc_octets));
    at += llc_octets + LLC_FCS_OCTETS;
    const struct ether ether = {.type = ETHER_TYPE_IPV4};
    const struct udp udp = {.src_port = NS_PORT,
                            .dst_port = 0, /* of the worker's end, see fixture_order_gb() */
                            .payload_octets = (uint16_t)(at - frame - GB_HEADER_OCTETS)};
    const struct ipv4 ip = {.src = FIXTURE_GGSN_IP,
                            .dst = FIXTURE_SGSN_IP,
                            .ttl = 64,
                            .proto = IPV4_PROTO_UDP,
                            .payload_octets = (uint16_t)(UDP_OCTETS + udp.payload_octets)};
    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + ETHER_OCTETS, IPV4_OCTETS, &ip);
    udp_encode(frame + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS, &udp);
    micro_need(vport_push(&s->f.gb, frame, (size_t)(at - frame)) == 0, "an answer does not fit");
}

static void acknowledge(struct side *s, uint32_t mobile)
{
    const struct llc_abm rr = {
        .nr = s->received[mobile] % LLC_NU_MODULUS, .sapi = LLC_SAPI_DATA_3, .cr = true};
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS];
    answer(s, mobile, bytes, (unsigned)llc_abm_encode(bytes, sizeof(bytes), &rr));
    s->owed[mobile] = 0;
}

static void open_link(struct side *s, uint32_t mobile)
{
    const struct llc ua = {
        .format = LLC_U, .sapi = LLC_SAPI_DATA_3, .command = LLC_UA, .cr = true, .pf = true};
    uint8_t bytes[LLC_U_OCTETS];
    answer(s, mobile, bytes, (unsigned)llc_encode(bytes, sizeof(bytes), &ua));
}

/* Frames are decoded where a mobile has to answer. */
static void take_frame(struct fixture *f, const uint8_t *bytes, size_t len)
{
    struct side *s = (struct side *)f;
    const size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    struct bssgp bssgp = {0};
    struct llc llc;
    s->frame_octets = len;
    if (s->feature != ACKNOWLEDGED)
        return;
    micro_need(len > before && bssgp_decode(&bssgp, bytes + before, len - before) >= 0 &&
                   llc_decode(&llc, bssgp.llc_pdu.at, bssgp.llc_pdu.octets) >= 0,
               "a frame is malformed");
    const uint32_t mobile = bssgp.tlli - FIXTURE_TLLI;
    micro_need(mobile < f->mobiles, "a frame has an unknown TLLI");
    if (llc.format == LLC_U)
        open_link(s, mobile);
    if (llc.format != LLC_I)
        return;
    micro_need(llc.ns == s->received[mobile]++ % LLC_NU_MODULUS, "an I frame is out of order");
    if (++s->owed[mobile] >= every)
        acknowledge(s, mobile);
}

/* The next segment of the mobile's connection. */
static void set_sequence(struct fixture *f, uint8_t *frame, unsigned i)
{
    bytes_put_u32(frame + TCP_AT + 8, (uint32_t)((f->fed + i) / f->mobiles * 1460));
}

static const struct fixture_hooks hooks = {.edit = set_sequence, .take = take_frame};

static void make_segment(struct fixture *f)
{
    uint8_t *tcp = f->frame + TCP_AT;
    const struct ipv4 inner = {.src = FIXTURE_GGSN_IP,
                               .dst = 0x0b000001,
                               .ttl = 64,
                               .proto = IPV4_PROTO_TCP,
                               .payload_octets = (uint16_t)(f->n_pdu_octets - IPV4_OCTETS)};
    ipv4_encode(f->frame + FIXTURE_TUNNEL_OCTETS, IPV4_OCTETS, &inner);
    bytes_put_u16(tcp, 80);
    bytes_put_u16(tcp + 2, 40000);
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    bytes_put_u16(tcp + 14, 8192);
}

/* --- features --- */

/* A radio access capability of 25 octets, DRX parameters, priority. */
static struct bssgp_elements known_elements(void)
{
    static const uint8_t octets[25] = {0x18, 0xb3, 0x43, 0x2b, 0x25, 0x96, 0x62};
    const struct bssgp_elements_values values = {.ms_ra_capability = {octets, sizeof(octets)},
                                                 .drx_parameters = {octets, 2},
                                                 .priority = 1,
                                                 .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                                 .spid = BSSGP_ELEMENTS_NONE};
    struct bssgp_elements elements;
    micro_need(bssgp_elements_encode(&elements, &values) > 0, "the elements do not fit");
    return elements;
}

static void configure(struct side *s, struct worker_config *config)
{
    const struct compression_settings entities = {.entities = s->f.mobiles, .slots = 16};
    const char *reason = "";
    config->limits.has_elements = s->feature == ELEMENTS;
    if (s->feature == ACKNOWLEDGED)
        config->abm = (struct link_settings){
            .links = s->f.mobiles,
            .buffers = K_DOWN * s->f.mobiles,
            .values = {
                .n201_i_octets = N201_I_OCTETS, .t200_ds = 200, .k_down = K_DOWN, .k_up = K_UP, .n200 = 3}};
    if (s->feature == RFC1144) {
        config->compression = entities;
        micro_need(compression_pool_new(&s->pool, &entities), "no memory for entities");
    }
    if (s->feature >= CIPHER_GEA3)
        config->gea = gea_init(NULL, &reason);
}

static void order_features(struct side *s)
{
    const uint8_t algorithm = s->feature == CIPHER_GEA3 ? 3 : 4;
    for (uint32_t i = 0; i < s->f.mobiles && s->feature >= RFC1144; i++) {
        struct msg order = {.type = MSG_MS_CIPHER, .slot = i};
        if (s->feature == RFC1144) {
            order = (struct msg){.type = MSG_MS_COMPRESSION, .slot = i, .compression.params = rfc1144};
            order.compression.memory = compression_pool_take(&s->pool, COMPRESSION_RFC1144);
        } else if (s->feature == ELEMENTS) {
            order =
                (struct msg){.type = MSG_MS_ELEMENTS, .tlli = FIXTURE_TLLI + i, .elements = known_elements()};
        } else {
            order.cipher = (struct llc_cipher_params){
                .algorithm = algorithm, .kc_octets = algorithm == 3 ? 8 : 16, .kc = {(uint8_t)i, 1}};
        }
        fixture_order(s->f.worker, &order, s->f.now);
    }
}

/* --- the bench --- */

static void *step_open(const struct micro_point *p)
{
    struct side *s = micro_memory(sizeof(*s));
    const uint32_t mobiles = (uint32_t)p->at[0] / WORKER_BURST * WORKER_BURST;
    const struct gb_flow flow = fixture_flow(FIXTURE_NO_LIMIT);
    struct worker_config config = fixture_config(CELLS, mobiles);
    s->feature = (enum feature)p->side;
    s->f.mobiles = mobiles;
    s->received = micro_memory(mobiles * sizeof(*s->received));
    s->owed = micro_memory(mobiles * sizeof(*s->owed));
    for (uint32_t i = 0; i < mobiles; i++)
        s->owed[i] = i % (uint32_t)every; /* so that not all acknowledge in one round */
    configure(s, &config);
    fixture_open(&s->f, &config,
                 FIXTURE_BUFFERS + (s->feature == ACKNOWLEDGED ? (uint32_t)(every + 1) * mobiles : 0),
                 FIXTURE_BUFFERS);
    fixture_fill(&s->f, CELLS, &flow, (uint16_t)p->at[1], s->feature == ACKNOWLEDGED);
    make_segment(&s->f);
    order_features(s);
    for (unsigned i = 0; i < WARM_PASSES; i++)
        fixture_pass(&s->f, &hooks);
    return s;
}

static double step_turn(void *state)
{
    return fixture_pass(state, &hooks);
}

static void count(struct side *s, struct micro_result *result)
{
    struct account *account = account_new(true);
    if (!account)
        return;
    for (int64_t i = 0; i < counted_steps; i++) {
        fixture_feed(&s->f, &hooks);
        account_start_step(account);
        account_run(account, 0, fixture_step, s);
        fixture_collect(&s->f, &hooks);
    }
    micro_figure(result, "instructions",
                 (double)account_figures(account, 0).instructions / (double)counted_steps / WORKER_BURST);
    account_free(account);
}

static void check_links(const struct side *s, struct micro_result *result)
{
    const struct worker_stats *stats = &s->f.worker->stats;
    const struct gb_abm *abm = &s->f.worker->abm;
    micro_fault(result,
                stats->abm_established == s->f.mobiles && stats->abm_repeated == 0 && stats->abm_failed == 0,
                "a link failed");
    micro_fault(result, stats->abm_held < (uint64_t)every * s->f.mobiles, "nothing is confirmed");
    micro_figure(result, "link_octets", (double)abm->record_octets);
    micro_figure(result, "link_table_octets", sizeof(*abm->first) + 2 * sizeof(struct wheel_entry));
}

static void step_sum_up(void *state, struct micro_result *result)
{
    struct side *s = state;
    const struct worker_stats *stats = &s->f.worker->stats;
    if (counted_steps > 0)
        count(s, result);
    for (unsigned i = 0; i < SETTLE_STEPS; i++) {
        fixture_step(&s->f);
        fixture_collect(&s->f, &hooks);
    }
    micro_figure(result, "frame_octets", (double)s->frame_octets);
    micro_fault(result, stats->npdu_out == s->f.fed, "an N-PDU did not leave");
    micro_fault(result, stats->compression_npdus == (s->feature == RFC1144 ? s->f.fed : 0),
                "an N-PDU was not compressed");
    if (s->feature == RFC1144)
        micro_fault(result,
                    s->f.n_pdu_octets > HEADER_OCTETS || stats->compression_full_headers == s->f.mobiles,
                    "a header of an ACK is whole");
    if (s->feature == ACKNOWLEDGED)
        check_links(s, result);
}

static void step_close(void *state)
{
    struct side *s = state;
    fixture_close(&s->f);
    if (s->feature == RFC1144)
        compression_pool_free(&s->pool);
    free(s->received);
    free(s->owed);
    free(s);
}

static void step_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", WORKER_BURST, 100000, 4096),
                         octets = MICRO_AXIS("octets", HEADER_OCTETS, 1400, HEADER_OCTETS);
static struct micro_case cases[] = {MICRO_CASE(
    step, "step", "N-PDU", MICRO_LIST("plain", "acknowledged", "rfc1144", "elements", "gea3", "gea4"),
    MICRO_LIST(&mobiles, &octets), .turn = step_turn, .sum_up = step_sum_up, .compares = true)};
static const struct command_option options[] = {
    {.name = "steps", .number = &counted_steps, .min = 0, .max = 1000},
    {.name = "every", .number = &every, .min = 1, .max = K_DOWN}};

MICRO_PROGRAM("Steps of a worker per downlink N-PDU of plain mobiles, and what features add: acknowledged "
              "mode with an\n"
              "RR for --every I frames, RFC 1144, elements known from attach, ciphering.",
              .options = options, .option_count = 2, .rounds = 101, .begin = step_bench_begin);
