/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Price of acknowledged mode: ns and instructions per downlink N-PDU of a worker's steps, once with all
 * contexts in unacknowledged mode, once in acknowledged mode.
 *
 * Each N-PDU of --octets is for another of --mobiles and leaves at once, in a UI or an I frame. A mobile
 * acknowledges --every I frames with an RR, whose receipt is part of the steps. A turn is one
 * N-PDU for each mobile. Instructions are those of --steps steps.
 */
#include "bench/account/account.h"
#include "bench/micro/fixture.h"
#include "dataplane/base/moment.h"
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
#define MOST_MOBILES  4096
#define K_DOWN        16
#define K_UP          8
#define N201_I_OCTETS 1503
#define SETTLE_STEPS  64
#define MEMORY_MIB    400

/* A worker, and the mobiles that answer it. */
struct side {
    struct fixture f; /* the first */
    bool is_acknowledged;
    uint32_t every;
    uint32_t received[MOST_MOBILES]; /* I frames */
    uint32_t owed[MOST_MOBILES];     /* of those, not acknowledged */
};

static int64_t counted_steps = 8;

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

static void take_frame(struct fixture *f, const uint8_t *bytes, size_t len)
{
    struct side *s = (struct side *)f;
    const size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    struct bssgp bssgp = {0};
    struct llc llc;
    micro_need(len > before && bssgp_decode(&bssgp, bytes + before, len - before) >= 0 &&
                   llc_decode(&llc, bssgp.llc_pdu.at, bssgp.llc_pdu.octets) >= 0,
               "a frame is malformed");
    uint32_t mobile = bssgp.tlli - FIXTURE_TLLI;
    micro_need(mobile < f->mobiles && (s->is_acknowledged || llc.format == LLC_UI),
               "a frame is of a wrong kind");
    if (llc.format == LLC_U)
        open_link(s, mobile);
    if (llc.format != LLC_I)
        return;
    micro_need(llc.ns == s->received[mobile]++ % LLC_NU_MODULUS, "an I frame is out of order");
    if (++s->owed[mobile] >= s->every)
        acknowledge(s, mobile);
}

static const struct fixture_hooks hooks = {.take = take_frame};

/* --- the bench --- */

static void *abm_open(const struct micro_point *p)
{
    struct side *s = micro_memory(sizeof(*s));
    const uint32_t mobiles = (uint32_t)p->at[0] / WORKER_BURST * WORKER_BURST;
    const struct gb_flow flow = fixture_flow(FIXTURE_NO_LIMIT);
    struct worker_config config = fixture_config(CELLS, mobiles);
    s->is_acknowledged = p->side == 1;
    s->every = (uint32_t)p->at[2];
    s->f.mobiles = mobiles;
    for (uint32_t i = 0; i < mobiles; i++)
        s->owed[i] = i % s->every; /* so that not all acknowledge in one round */
    if (s->is_acknowledged)
        config.abm = (struct link_settings){
            .links = mobiles,
            .buffers = K_DOWN * mobiles,
            .values = {
                .n201_i_octets = N201_I_OCTETS, .t200_ds = 200, .k_down = K_DOWN, .k_up = K_UP, .n200 = 3}};
    fixture_open(&s->f, &config, FIXTURE_BUFFERS + (s->is_acknowledged ? (s->every + 1) * mobiles : 0),
                 FIXTURE_BUFFERS);
    fixture_fill(&s->f, CELLS, &flow, (uint16_t)p->at[1], s->is_acknowledged);
    for (unsigned i = 0; i < WARM_PASSES; i++)
        fixture_pass(&s->f, &hooks);
    return s;
}

static double abm_turn(void *state)
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

static void abm_sum_up(void *state, struct micro_result *result)
{
    struct side *s = state;
    const struct worker_stats *stats = &s->f.worker->stats;
    const struct gb_abm *abm = &s->f.worker->abm;
    count(s, result);
    for (unsigned i = 0; i < SETTLE_STEPS; i++) {
        fixture_step(&s->f);
        fixture_collect(&s->f, &hooks);
    }
    micro_fault(result, stats->npdu_out == s->f.fed, "an N-PDU did not leave");
    micro_fault(result,
                stats->abm_established == (s->is_acknowledged ? s->f.mobiles : 0) &&
                    stats->abm_repeated == 0 && stats->abm_failed == 0,
                "a link failed");
    micro_fault(result, !s->is_acknowledged || stats->abm_held < (uint64_t)s->every * s->f.mobiles,
                "nothing is confirmed");
    if (!s->is_acknowledged)
        return;
    micro_figure(result, "link_octets", (double)abm->record_octets);
    micro_figure(result, "link_table_octets", sizeof(*abm->first) + 2 * sizeof(struct wheel_entry));
}

static void abm_close(void *state)
{
    fixture_close(state);
    free(state);
}

static void abm_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", WORKER_BURST, MOST_MOBILES, MOST_MOBILES),
                         octets = MICRO_AXIS("octets", 40, 1400, 64),
                         every = MICRO_AXIS("every", 1, K_DOWN, 8);
static struct micro_case cases[] = {MICRO_CASE(
    abm, "downlink", "N-PDU", MICRO_LIST("unacknowledged", "acknowledged"),
    MICRO_LIST(&mobiles, &octets, &every), .turn = abm_turn, .sum_up = abm_sum_up, .compares = true)};
static const struct command_option options[] = {
    {.name = "steps", .number = &counted_steps, .min = 1, .max = 1000}};

MICRO_PROGRAM("The price of acknowledged mode: steps of a worker per downlink N-PDU, without and with it.",
              .options = options, .option_count = 1, .rounds = 401, .begin = abm_bench_begin);
