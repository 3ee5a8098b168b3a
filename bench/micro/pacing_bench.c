/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Price of queues.discipline = "q" and of queues.pacing, in processor time.
 *
 * An N-PDU is queued and picked, for --mobiles with eight 5-tuples each, at a --load in percent of their
 * rates: with flow queues served by deficit round robin (DRR), and with "q". An uplink ACK and a downlink
 * segment are of as many mobiles with a connection each. Time is virtual, so equal numbers of N-PDUs are sent
 * in each turn.
 */
#include "bench/micro/micro.h"
#include "bench/throughput/load.h"
#include "control/base/clock.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENTS 256
#define BURSTS   1000 /* of segments in a turn */
#define PER_CELL 100
#define RATE_BPS UINT64_C(20000)
#define FLOWS    8
#define WARM_NS  (20 * MOMENT_SECOND)
#define MSS      1000
#define FIRST    1000 /* number of a server's first octet */

/* --- N-PDUs --- */

static void *sched_open(const struct micro_point *p)
{
    const struct bench_load_params params = {
        .mobiles = (uint32_t)p->at[0], .percent = (double)p->at[1], .flows = FLOWS, .is_q = p->side == 1};
    struct bench_load *load = bench_load_new(&params);
    micro_need(load, "out of memory");
    bench_load_run(load, WARM_NS, NULL, NULL);
    return load;
}

static double sched_run(void *load)
{
    bench_load_step(load);
    return BENCH_LOAD_BURST;
}

static void sched_close(void *load)
{
    bench_load_free(load);
}

/* --- TCP --- */

static uint32_t waiting(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return 0;
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
    uint32_t mobiles, *next; /* next: of each mobile, the number of the next segment */
    int64_t now;
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
    for (uint32_t ms = 0; ms < load->mobiles; ms++) {
        struct pacing_at at = at_of(ms);
        size_t octets = build(packet, ms, true, TCP_SYN, 0);
        pacing_uplink(load->pacing, &at, packet, octets, load->now);
        octets = build(packet, ms, false, TCP_SYN | TCP_ACK, FIRST - 1);
        (void)pacing_downlink(load->pacing, &at, packet, octets, load->now);
        octets = build(packet, ms, true, TCP_ACK, FIRST);
        pacing_uplink(load->pacing, &at, packet, octets, load->now);
        load->next[ms] = FIRST;
    }
}

static uint64_t sent(const void *unused_owner, uint16_t unused_bvc)
{
    return 0;
}

static void *tcp_open(const struct micro_point *p)
{
    const uint32_t mobiles = (uint32_t)p->at[0];
    const struct pacing_params params = {.classes = p->side == 0 ? 0 : 1 << QCLASS_THP2,
                                         .flows = 4 * mobiles,
                                         .drops_repeated = true,
                                         .ms_target_ns = MOMENT_SECOND,
                                         .view = {.waiting = waiting, .sent = sent}};
    const struct pacing_limits limits = {mobiles, (mobiles + PER_CELL - 1) / PER_CELL, 1};
    struct tcp_load *load = micro_memory(sizeof(*load));
    *load = (struct tcp_load){.now = MOMENT_SECOND,
                              .mobiles = mobiles,
                              .next = micro_memory(mobiles * sizeof(*load->next)),
                              .pacing = pacing_new(&params, &limits)};
    micro_need(load->pacing, "out of memory");
    open_flows(load);
    return load;
}

static void tcp_sum_up(void *state, struct micro_result *result)
{
    const struct pacing_stats *stats = pacing_stats_of(((struct tcp_load *)state)->pacing);
    micro_figure(result, "clamped", (double)stats->clamped);
}

static void tcp_close(void *state)
{
    struct tcp_load *load = state;
    pacing_free(load->pacing);
    free(load->next);
    free(load);
}

static uint32_t any_of(uint32_t n)
{
    static uint64_t chance = 1;
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((chance >> 32) * n >> 32);
}

/* A burst of segments to random mobiles, and of their ACKs; adds the time of each. */
static void play_tcp(struct tcp_load *load, int64_t *down_ns, int64_t *up_ns)
{
    static uint8_t down[SEGMENTS][64 + MSS], up[SEGMENTS][64];
    uint32_t ms[SEGMENTS];
    for (unsigned i = 0; i < SEGMENTS; i++) {
        ms[i] = any_of(load->mobiles);
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
        pacing_uplink(load->pacing, &at, up[i], 40, load->now);
    }
    *up_ns += clock_thread_ns() - middle_ns;
    *down_ns += middle_ns - began_ns;
}

static double tcp_turn(struct tcp_load *load, bool is_up)
{
    int64_t down_ns = 0, up_ns = 0;
    for (unsigned k = 0; k < BURSTS; k++)
        play_tcp(load, &down_ns, &up_ns);
    return (double)(is_up ? up_ns : down_ns) / BURSTS / SEGMENTS;
}

static double up_turn(void *load)
{
    return tcp_turn(load, true);
}

static double down_turn(void *load)
{
    return tcp_turn(load, false);
}

static struct micro_axis mobiles = MICRO_AXIS("mobiles", BENCH_LOAD_BURST, 1000000, 4096),
                         loads = MICRO_AXIS("load", 1, 1000, 90, 120);
#define MODES MICRO_LIST("class that is not paced", "paced")
static struct micro_case cases[] = {MICRO_CASE(sched, "sched", "N-PDU", MICRO_LIST("DRR", "q"),
                                               MICRO_LIST(&mobiles, &loads), .run = sched_run,
                                               .compares = true),
                                    MICRO_CASE(tcp, "uplink", "ACK", MODES, MICRO_LIST(&mobiles),
                                               .turn = up_turn, .sum_up = tcp_sum_up, .compares = true),
                                    MICRO_CASE(tcp, "downlink", "segment", MODES, MICRO_LIST(&mobiles),
                                               .turn = down_turn, .sum_up = tcp_sum_up, .compares = true)};

MICRO_PROGRAM("The price of queues.discipline = \"q\" and of queues.pacing, for each N-PDU, ACK and segment.",
              .rounds = 9, .turn_ms = 100);
