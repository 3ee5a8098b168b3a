/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: abm_bench [--rounds N] [--mobiles N] [--octets N] [--every N] [--steps N]
 *
 * Price of acknowledged mode: ns and instructions per downlink N-PDU of a worker's steps, once with all
 * contexts in unacknowledged mode, once in acknowledged mode. Both workers take their turns in one run.
 *
 * Each N-PDU of N octets (64) is for another of N mobiles (4096) and leaves at once, in a UI or an I frame. A
 * mobile acknowledges every Nth I frame (8) with RR, whose receipt is part of the steps. A round is one N-PDU
 * for each mobile; medians and quartiles are those of N rounds (401). Instructions are those of N steps (8).
 */
#include "bench/account/account.h"
#include "bench/micro/fixture.h"
#include "bench/micro/options.h"
#include "control/base/clock.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/worker/worker.h"

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS         64
#define BUFFERS       4095 /* and those that links hold */
#define STEP_NS       3200
#define STRIDE        7919 /* from one packet's mobile to the next; prime, so that every mobile gets its turn */
#define FRAME_OCTETS  2048
#define TLLI          0xc0000000
#define NS_PORT       23000
#define WARM_PASSES   18
#define MOST_ROUNDS   9999
#define MOST_MOBILES  4096
#define K_DOWN        16
#define K_UP          8
#define N201_I_OCTETS 1503
#define SETTLE_STEPS  64
#define MEMORY_MIB    400

/* A worker, its ports, and the mobiles that answer it. */
struct side {
    struct fixture f;
    bool is_acknowledged;
    uint32_t next;
    int64_t now;
    uint64_t fed;
    uint8_t frame[FRAME_OCTETS];
    uint32_t received[MOST_MOBILES]; /* I frames */
    uint32_t owed[MOST_MOBILES];     /* of those, not acknowledged */
    double ns[MOST_ROUNDS], instructions;
};

static unsigned rounds = 401, mobiles = 4096, octets = 64, every = 8, counted_steps = 8;
static struct clock_counter tsc;

/* --- a worker and its tables --- */

static void open_worker(struct side *s)
{
    struct worker_config config = fixture_config(CELLS, mobiles);
    if (s->is_acknowledged)
        config.abm = (struct link_settings){
            .links = mobiles,
            .buffers = K_DOWN * mobiles,
            .values = {
                .n201_i_octets = N201_I_OCTETS, .t200_ds = 200, .k_down = K_DOWN, .k_up = K_UP, .n200 = 3}};
    fixture_open(&s->f, &config, BUFFERS + (s->is_acknowledged ? (every + 1) * mobiles : 0), BUFFERS);
}

static void order_all(struct side *s)
{
    const struct gb_flow flow = fixture_flow(BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS);
    fixture_order_gb(s->f.worker, CELLS, &flow, s->now);
    for (uint32_t i = 0; i < mobiles; i++) {
        struct msg ms = fixture_ms(i, (uint16_t)(i % CELLS)),
                   pdp = fixture_pdp(i, teid_make(0, 1, i, TEID_SLOT_BITS));
        pdp.pdp.is_acknowledged = s->is_acknowledged;
        fixture_order(s->f.worker, &ms, s->now);
        fixture_order(s->f.worker, &pdp, s->now);
    }
}

static struct side *side_new(bool is_acknowledged)
{
    struct side *s = calloc(1, sizeof(*s));
    fixture_need(s, "no memory");
    s->is_acknowledged = is_acknowledged;
    for (uint32_t i = 0; i < mobiles; i++)
        s->owed[i] = i % every; /* so that not all acknowledge in one round */
    open_worker(s);
    order_all(s);
    fixture_frame_make(s->frame, (uint16_t)octets);
    return s;
}

/* --- the mobiles --- */

/* An LLC frame without FCS goes up. */
static void abm_bench_answer(struct side *s, uint32_t mobile, const uint8_t *llc, unsigned llc_octets)
{
    static const uint8_t cell_id[8] = {0};
    uint8_t frame[128], *at = frame + GB_HEADER_OCTETS;
    const struct bssgp_ul ul = {
        .tlli = TLLI + mobile, .llc_octets = (uint16_t)(llc_octets + LLC_FCS_OCTETS), .cell_id = cell_id};
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
    fixture_need(vport_push(&s->f.gb, frame, (size_t)(at - frame)) == 0, "an answer does not fit");
}

static void acknowledge(struct side *s, uint32_t mobile)
{
    const struct llc_abm rr = {
        .nr = s->received[mobile] % LLC_NU_MODULUS, .sapi = LLC_SAPI_DATA_3, .cr = true};
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS];
    abm_bench_answer(s, mobile, bytes, (unsigned)llc_abm_encode(bytes, sizeof(bytes), &rr));
    s->owed[mobile] = 0;
}

static void open_link(struct side *s, uint32_t mobile)
{
    const struct llc ua = {
        .format = LLC_U, .sapi = LLC_SAPI_DATA_3, .command = LLC_UA, .cr = true, .pf = true};
    uint8_t bytes[LLC_U_OCTETS];
    abm_bench_answer(s, mobile, bytes, (unsigned)llc_encode(bytes, sizeof(bytes), &ua));
}

static void take_frame(struct side *s, const uint8_t *bytes, size_t len)
{
    const size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    struct bssgp bssgp = {0};
    struct llc llc;
    fixture_need(len > before && bssgp_decode(&bssgp, bytes + before, len - before) >= 0 &&
                     llc_decode(&llc, bssgp.llc_pdu.at, bssgp.llc_pdu.octets) >= 0,
                 "a frame is malformed");
    uint32_t mobile = bssgp.tlli - TLLI;
    fixture_need(mobile < mobiles && (s->is_acknowledged || llc.format == LLC_UI),
                 "a frame is of a wrong kind");
    if (llc.format == LLC_U)
        open_link(s, mobile);
    if (llc.format != LLC_I)
        return;
    fixture_need(llc.ns == s->received[mobile]++ % LLC_NU_MODULUS, "an I frame is out of order");
    if (++s->owed[mobile] >= every)
        acknowledge(s, mobile);
}

static void collect(struct side *s)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    unsigned count;
    while ((count = rte_ring_dequeue_burst(s->f.gb.to_outside, (void **)mbufs, WORKER_BURST, NULL)) > 0) {
        for (unsigned i = 0; i < count; i++)
            take_frame(s, rte_pktmbuf_mtod(mbufs[i], const uint8_t *), rte_pktmbuf_data_len(mbufs[i]));
        rte_pktmbuf_free_bulk(mbufs, count);
    }
}

/* --- steps --- */

static void feed(struct side *s)
{
    struct rte_mbuf *mbufs[WORKER_BURST];
    const uint16_t len = (uint16_t)(FIXTURE_TUNNEL_OCTETS + octets);
    fixture_need(rte_pktmbuf_alloc_bulk(s->f.rx_pool, mbufs, WORKER_BURST) == 0, "buffers are lost");
    for (unsigned i = 0; i < WORKER_BURST; i++) {
        uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(mbufs[i], len);
        memcpy(bytes, s->frame, len);
        fixture_frame_set_teid(bytes, teid_make(0, 1, s->next, TEID_SLOT_BITS));
        s->next = (s->next + STRIDE) % mobiles;
    }
    rte_ring_enqueue_bulk(s->f.gn.to_worker, (void **)mbufs, WORKER_BURST, NULL);
    s->fed += WORKER_BURST;
}

static void abm_bench_step(void *arg)
{
    struct side *s = arg;
    s->now += STEP_NS;
    worker_step(s->f.worker, s->now);
}

/* One N-PDU for each mobile; ns per N-PDU. */
static double pass(struct side *s)
{
    int64_t spent_ns = 0;
    unsigned bursts = mobiles / WORKER_BURST;
    for (unsigned i = 0; i < bursts; i++) {
        feed(s);
        int64_t began_ns = clock_counter_ns(&tsc);
        abm_bench_step(s);
        spent_ns += clock_counter_ns(&tsc) - began_ns;
        collect(s);
        while (rte_ring_count(s->f.gb.to_worker) > WORKER_BURST) { /* while links are established */
            abm_bench_step(s);
            collect(s);
        }
    }
    return (double)spent_ns / bursts / WORKER_BURST;
}

static void count(struct side *s)
{
    struct account *account = account_new(true);
    if (!account)
        return;
    for (unsigned i = 0; i < counted_steps; i++) {
        feed(s);
        account_start_step(account);
        account_run(account, 0, abm_bench_step, s);
        collect(s);
    }
    s->instructions = (double)account_figures(account, 0).instructions / counted_steps / WORKER_BURST;
    account_free(account);
}

static void check(struct side *s)
{
    const struct worker_stats *stats = &s->f.worker->stats;
    for (unsigned i = 0; i < SETTLE_STEPS; i++) {
        abm_bench_step(s);
        collect(s);
    }
    fixture_need(stats->npdu_out == s->fed, "an N-PDU did not leave");
    fixture_need(stats->abm_established == (s->is_acknowledged ? mobiles : 0) && stats->abm_repeated == 0 &&
                     stats->abm_failed == 0,
                 "a link failed");
    fixture_need(!s->is_acknowledged || stats->abm_held < (uint64_t)every * mobiles, "nothing is confirmed");
}

/* --- results --- */

static int abm_bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *name, double *values, double instructions)
{
    qsort(values, rounds, sizeof(*values), abm_bench_compare);
    printf("%-14s  %8.1f  %7.1f..%-7.1f  %8.1f\n", name, values[rounds / 2], values[rounds / 4],
           values[rounds * 3 / 4], instructions);
}

static void tell_all(struct side *sides[2])
{
    static double more[MOST_ROUNDS];
    const struct gb_abm *abm = &sides[1]->f.worker->abm;
    for (unsigned i = 0; i < rounds; i++)
        more[i] = sides[1]->ns[i] - sides[0]->ns[i];
    printf("%u mobiles, N-PDUs of %u octets, RR for every %u I frames, %u rounds\n\n", mobiles, octets, every,
           rounds);
    printf("mode            ns/N-PDU  quartiles         instructions\n");
    tell("unacknowledged", sides[0]->ns, sides[0]->instructions);
    tell("acknowledged", sides[1]->ns, sides[1]->instructions);
    tell("difference", more, sides[1]->instructions - sides[0]->instructions);
    printf("\na mobile's link: %zu octets, and %zu in the table of links and the wheel\n", abm->record_octets,
           sizeof(*abm->first) + 2 * sizeof(struct wheel_entry));
}

/* --- main --- */

static bool read_options(int argc, char **argv)
{
    const struct options_number options[] = {
        {"--rounds", &rounds, 1, MOST_ROUNDS, 1},
        {"--mobiles", &mobiles, WORKER_BURST, MOST_MOBILES, WORKER_BURST},
        {"--octets", &octets, 40, 1400, 1},
        {"--every", &every, 1, K_DOWN, 1},
        {"--steps", &counted_steps, 1, 1000, 1}};
    return options_read("abm_bench", options, sizeof(options) / sizeof(options[0]), argc, argv);
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv))
        return 2;
    fixture_start(0, MEMORY_MIB);
    tsc = clock_counter_start(rte_get_tsc_hz());
    struct side *sides[] = {side_new(false), side_new(true)};
    for (unsigned i = 0; i < WARM_PASSES; i++)
        for (unsigned k = 0; k < 2; k++)
            pass(sides[k]);
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned k = 0; k < 2; k++)
            sides[(i + k) % 2]->ns[i] = pass(sides[(i + k) % 2]);
    for (unsigned k = 0; k < 2; k++) {
        count(sides[k]);
        check(sides[k]);
    }
    tell_all(sides);
    for (unsigned k = 0; k < 2; k++) {
        fixture_close(&sides[k]->f);
        free(sides[k]);
    }
    return 0;
}
