/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: pacing_bench [--rounds N] [--mobiles N] [--seconds N]
 *
 * Price of queues.discipline = "q" and of queues.pacing in ns of processor time: medians of N (9) interleaved
 * rounds.
 *
 * An N-PDU is queued and picked, for 4096 mobiles (or N) with eight 5-tuples each, at 90 % and 120 % of their
 * rates: with flow queues served by deficit round robin (DRR), and with "q". An uplink ACK and a downlink
 * segment are of as many mobiles with a connection each. Time is virtual, so equal numbers of N-PDUs are sent
 * in each round.
 */
#include "control/base/clock.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"
#include "dataplane/wire/flow_hash.h"
#include "dataplane/wire/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS 99
#define BURST       32
#define SEGMENTS    256
#define PER_CELL    100
#define NPDU        490
#define LLC         500
#define RATE_BPS    UINT64_C(20000)
#define FLOWS       8
#define MSS         1000
#define FIRST       1000 /* number of a server's first octet */

static unsigned rounds = 9, mobiles = 4096, seconds = 1;
static uint64_t chance = 1;

static uint32_t any_of(uint32_t n)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((chance >> 32) * n >> 32);
}

static int pacing_bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, rounds, sizeof(*values), pacing_bench_compare);
    return values[rounds / 2];
}

static void *memory(size_t count, size_t octets)
{
    void *at = calloc(count, octets);
    if (!at) {
        fputs("pacing_bench: out of memory\n", stderr);
        exit(1);
    }
    return at;
}

/* --- N-PDUs --- */

struct node {
    struct sched s;
    struct sched_link link;
    struct sched_bvc *cells;
    struct sched_ms *ms;
    struct n_pdu *n_pdus, *spare;
    uint8_t headers[FLOWS][24];
    int64_t now;
    uint64_t sent;
};

static struct sched_params params_of(bool is_q)
{
    struct sched_params params;
    sched_params_default(&params);
    params.segmenting = (struct segmenting){4, 3, 6};
    params.max_age_ns = 15 * MOMENT_SECOND;
    params.budget_pkts = 8 * mobiles;
    params.flow_queues = 32;
    if (!is_q)
        return params;
    params.flow_tags = true;
    params.sfq_classes = (1 << QCLASS_COUNT) - 1;
    params.ms_quantum_octets = 2000;
    params.drops_duplicates = true;
    params.credit_octets = 6000;
    return params;
}

static void give(struct node *n, struct n_pdu *n_pdu)
{
    n_pdu->next = n->spare;
    n->spare = n_pdu;
}

static struct node *node_new(bool is_q)
{
    static const uint8_t header[] = {0x45, 2, 1, 234, 0, 0, 0, 0, 64, 17};
    struct node *n = memory(1, sizeof(*n));
    uint32_t cells = (mobiles + PER_CELL - 1) / PER_CELL;
    struct sched_params params = params_of(is_q);
    struct sched_counts counts = {mobiles, 0, cells, 1, mobiles, 0};
    n->cells = memory(cells, sizeof(*n->cells));
    n->ms = memory(mobiles, sizeof(*n->ms));
    n->n_pdus = memory(9 * (size_t)mobiles, sizeof(*n->n_pdus));
    if (!sched_new(&n->s, &counts, &params))
        exit(1);
    struct sched_aqm_owners owners = {n->ms,          n->cells,          &n->link,
                                      sizeof(*n->ms), sizeof(*n->cells), sizeof(n->link)};
    sched_aqm_place(&n->s, &owners);
    sched_link_init(&n->link, 0);
    for (uint32_t i = 0; i < cells; i++) {
        sched_bvc_init(&n->cells[i], &n->link, 0);
        bucket_init(&n->cells[i].bucket, RATE_BPS / 8 * PER_CELL * 80 / 1000, RATE_BPS * PER_CELL, 0);
        sched_bvc_use(&n->s, &n->cells[i], true);
    }
    for (uint32_t i = 0; i < mobiles; i++) {
        sched_ms_init(&n->ms[i], &n->cells[i / PER_CELL], 0);
        bucket_init(&n->ms[i].bucket, RATE_BPS / 8, RATE_BPS, 0);
        n->ms[i].n201_u = 1520;
        n->ms[i].limit_octets = 8 * NPDU;
    }
    for (unsigned i = 0; i < FLOWS; i++) {
        memcpy(n->headers[i], header, sizeof(header));
        n->headers[i][23] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < 9 * mobiles; i++)
        give(n, &n->n_pdus[i]);
    return n;
}

static void node_free(struct node *n)
{
    sched_free(&n->s);
    free(n->cells);
    free(n->ms);
    free(n->n_pdus);
    free(n);
}

static void pacing_bench_put(struct node *n, struct sched_ms *ms)
{
    struct n_pdu *n_pdu = n->spare;
    struct sched_grant grants[SCHED_PASS_MAX];
    n->spare = n_pdu->next;
    *n_pdu = (struct n_pdu){.octets = NPDU,
                            .data = n->headers[any_of(FLOWS)],
                            .arrival_ns = n->now,
                            .qclass = QCLASS_THP2,
                            .sapi = 5,
                            .pfi = N_PDU_NO_PFI};
    int passed = sched_bypass(&n->s, ms, n_pdu, grants, n->now);
    n->sent += passed > 0;
    if (passed < 0) {
        n_pdu->flow_hash = flow_hash_of(1, n_pdu->data, sizeof(n->headers[0]));
        if (sched_enqueue(&n->s, ms, n_pdu, n->now) == DROP_NONE)
            return;
    }
    if (passed != 0)
        give(n, n_pdu);
}

static void send_all(struct node *n)
{
    struct sched_grant grant;
    struct n_pdu *n_pdu;
    while (sched_pick(&n->s, &grant, n->now)) {
        give(n, grant.n_pdu);
        n->sent++;
    }
    while ((n_pdu = n_pdu_list_take(&n->s.dropped)))
        give(n, n_pdu);
}

/* Plays so long at a load in percent; ns per N-PDU that came. */
static double play(struct node *n, unsigned load, int64_t time_ns)
{
    int64_t step_ns = (int64_t)(UINT64_C(800000000000) * BURST * LLC / (RATE_BPS * mobiles * load));
    int64_t end_ns = n->now + time_ns, began_ns = clock_thread_ns();
    uint64_t count = 0;
    for (; n->now < end_ns; n->now += step_ns, count += BURST) {
        send_all(n);
        for (unsigned i = 0; i < BURST; i++)
            pacing_bench_put(n, &n->ms[any_of(mobiles)]);
        send_all(n);
    }
    return (double)(clock_thread_ns() - began_ns) / (double)count;
}

static void measure_sched(unsigned load)
{
    double drr[MOST_ROUNDS], q[MOST_ROUNDS], more[MOST_ROUNDS];
    struct node *nodes[] = {node_new(false), node_new(true)};
    for (unsigned i = 0; i < 2; i++)
        (void)play(nodes[i], load, 20 * MOMENT_SECOND);
    for (unsigned i = 0; i < rounds; i++) {
        drr[i] = play(nodes[0], load, seconds * 5 * MOMENT_SECOND);
        q[i] = play(nodes[1], load, seconds * 5 * MOMENT_SECOND);
        more[i] = q[i] - drr[i];
    }
    printf("N-PDU at %3u %%: DRR %.0f ns, q %.0f ns, difference %+.0f ns\n", load, median(drr), median(q),
           median(more));
    node_free(nodes[0]);
    node_free(nodes[1]);
}

/* --- TCP --- */

enum mode { OFF, CLAMP, PASSES, HELD, MODES };

static uint32_t queued_octets;

static uint32_t class_queued(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return queued_octets;
}

static bool is_idle(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return queued_octets == 1;
}

static bool backlog(const void *unused_owner, uint32_t unused_ms, uint8_t unused_qclass,
                    struct pacing_backlog *out, int64_t unused_now)
{
    *out = (struct pacing_backlog){.queued = queued_octets, .own = queued_octets};
    return true;
}

static size_t build(uint8_t *out, uint32_t ms, bool is_up, uint8_t flags, uint32_t number)
{
    size_t octets = flags & TCP_SYN ? 44 : is_up ? 40 : 40 + MSS;
    memset(out, 0, 44);
    out[0] = 0x45;
    bytes_put_u16(out + 2, (uint16_t)octets);
    out[9] = 6;
    bytes_put_u32(out + (is_up ? 12 : 16), 0x0a000000 + ms);
    bytes_put_u32(out + (is_up ? 16 : 12), 0x0b000001);
    bytes_put_u16(out + 20, is_up ? 4000 : 80);
    bytes_put_u16(out + 22, is_up ? 80 : 4000);
    bytes_put_u32(out + 24, is_up ? 100 - (flags & TCP_SYN ? 1U : 0) : number);
    bytes_put_u32(out + 28, is_up ? number : 100);
    out[32] = flags & TCP_SYN ? 0x60 : 0x50;
    out[33] = flags;
    bytes_put_u16(out + 34, 60000);
    if (flags & TCP_SYN)
        bytes_put_u32(out + 40, 0x02040000 | MSS);
    return octets;
}

struct tcp_load {
    struct pacing *pacing;
    uint32_t *next; /* of each mobile: the number of the next segment */
    int64_t now;
    enum mode mode;
};

static struct pacing_at at_of(uint32_t ms)
{
    return (struct pacing_at){.ms = ms,
                              .bvc = (uint16_t)(ms / PER_CELL),
                              .qclass = QCLASS_THP2,
                              .ms_rate_bps = RATE_BPS,
                              .bvc_rate_bps = RATE_BPS * PER_CELL};
}

static void open_flows(struct tcp_load *load)
{
    uint8_t packet[64 + MSS] = {0};
    for (uint32_t ms = 0; ms < mobiles; ms++) {
        struct pacing_at at = at_of(ms);
        size_t octets = build(packet, ms, true, TCP_SYN, 0);
        (void)pacing_uplink(load->pacing, &at, packet, octets, NULL, load->now);
        octets = build(packet, ms, false, TCP_SYN | TCP_ACK, FIRST - 1);
        (void)pacing_downlink(load->pacing, &at, packet, octets, load->now);
        octets = build(packet, ms, true, TCP_ACK, FIRST);
        (void)pacing_uplink(load->pacing, &at, packet, octets, packet, load->now);
        load->next[ms] = FIRST;
    }
}

static void load_init(struct tcp_load *load, enum mode mode)
{
    const struct pacing_params params = {
        .classes = mode == OFF ? 0 : 1 << QCLASS_THP2,
        .flows = 4 * mobiles,
        .holds = mode >= PASSES,
        .drops_repeated = true,
        .ms_target_ns = MOMENT_SECOND,
        .quantum_octets = 1300,
        .credit_octets = 6000,
        .view = {.class_octets = class_queued, .is_idle = is_idle, .backlog = backlog}};
    const struct pacing_limits limits = {mobiles, (mobiles + PER_CELL - 1) / PER_CELL, 1};
    *load =
        (struct tcp_load){.mode = mode, .now = MOMENT_SECOND, .next = memory(mobiles, sizeof(*load->next))};
    load->pacing = pacing_new(&params, &limits);
    if (!load->pacing)
        exit(1);
    open_flows(load);
}

static void load_fini(struct tcp_load *load)
{
    while (pacing_drain(load->pacing, load->now))
        ;
    pacing_free(load->pacing);
    free(load->next);
}

/* Bursts of segments to random mobiles, and of their ACKs; ns of each. */
static void play_tcp(struct tcp_load *load, double *down_ns, double *up_ns)
{
    static uint8_t down[SEGMENTS][64 + MSS], up[SEGMENTS][64];
    uint32_t ms[SEGMENTS], bursts = seconds * 1000;
    int64_t down_sum = 0, up_sum = 0;
    queued_octets = load->mode == HELD ? UINT32_MAX : 1;
    for (uint32_t k = 0; k < bursts; k++) {
        for (unsigned i = 0; i < SEGMENTS; i++) {
            ms[i] = any_of(mobiles);
            (void)build(down[i], ms[i], false, TCP_ACK, load->next[ms[i]]);
            load->next[ms[i]] += MSS;
            (void)build(up[i], ms[i], true, TCP_ACK, load->next[ms[i]]);
        }
        load->now += MOMENT_SECOND / 100;
        int64_t began_ns = clock_thread_ns();
        for (unsigned i = 0; i < SEGMENTS; i++) {
            struct pacing_at at = at_of(ms[i]);
            (void)pacing_downlink(load->pacing, &at, down[i], 40 + MSS, load->now);
        }
        int64_t middle_ns = clock_thread_ns();
        for (unsigned i = 0; i < SEGMENTS; i++) {
            struct pacing_at at = at_of(ms[i]);
            (void)pacing_uplink(load->pacing, &at, up[i], 40, up[i], load->now);
        }
        while (pacing_release(load->pacing, load->now))
            ;
        up_sum += clock_thread_ns() - middle_ns;
        down_sum += middle_ns - began_ns;
    }
    *down_ns = (double)down_sum / bursts / SEGMENTS;
    *up_ns = (double)up_sum / bursts / SEGMENTS;
}

static void measure_tcp(void)
{
    static const char *const names[] = {"class that is not paced", "clamp", "clamp, hold, room",
                                        "clamp, hold, no room"};
    static double down[MODES][MOST_ROUNDS], up[MODES][MOST_ROUNDS];
    struct tcp_load loads[MODES];
    for (unsigned m = 0; m < MODES; m++)
        load_init(&loads[m], (enum mode)m);
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned m = 0; m < MODES; m++)
            play_tcp(&loads[m], &down[m][i], &up[m][i]);
    for (unsigned m = 0; m < MODES; m++) {
        printf("%-24s: uplink ACK %.0f ns, downlink segment %.0f ns; %lu held, %lu released\n", names[m],
               median(up[m]), median(down[m]), (unsigned long)pacing_stats_of(loads[m].pacing)->held,
               (unsigned long)pacing_stats_of(loads[m].pacing)->released);
        load_fini(&loads[m]);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned value = (unsigned)strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rounds") == 0 && value > 0 && value <= MOST_ROUNDS)
            rounds = value;
        else if (strcmp(argv[i], "--mobiles") == 0 && value >= BURST)
            mobiles = value;
        else if (strcmp(argv[i], "--seconds") == 0 && value > 0)
            seconds = value;
    }
    printf("%u mobiles, medians of %u rounds\n", mobiles, rounds);
    measure_sched(90);
    measure_sched(120);
    measure_tcp();
    return 0;
}
