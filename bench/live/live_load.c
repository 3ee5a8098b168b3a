/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_load.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ns.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_NS       (MOMENT_SECOND / 5) /* until a step of the bring-up is repeated */
#define PROBE_NS      1500000             /* between stages of a probe */
#define PROBE_STAGES  3                   /* shut, packet, open */
#define TYPE_AT       (LIVE_FRAMES_NS_OFFSET + NS_UNITDATA_HEADER_OCTETS)
#define TLLI_AT       (TYPE_AT + 3)
#define TAG_AT        (TYPE_AT + 9)
#define ACK_OCTETS    (TYPE_AT + 10)
#define PACKET_OCTETS (LIVE_FRAMES_NS_OFFSET + 40) /* minimum of a frame with a user's packet */

/* Frames that a port returns in one burst. */
struct burst {
    struct rte_mbuf **frames;
    uint16_t count, cap;
    int64_t now;
};

static uint8_t *live_load_put(struct live_load *load, struct burst *burst, const struct live_frame *frame)
{
    struct rte_mbuf *mbuf = burst->count < burst->cap ? rte_pktmbuf_alloc(load->pool) : NULL;
    if (!mbuf) {
        load->starved += burst->count < burst->cap;
        return NULL;
    }
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(mbuf, frame->octets);
    memcpy(bytes, frame->bytes, frame->octets);
    burst->frames[burst->count++] = mbuf;
    return bytes;
}

/* Is one of the stream's frames due, with room in the burst? Frames beyond the port's room are lost. */
static bool is_due(struct live_stream *stream, const struct burst *burst)
{
    if (stream->every_ns == 0 || burst->count == burst->cap || stream->next_ns > burst->now)
        return false;
    int64_t waiting = (burst->now - stream->next_ns) / stream->every_ns;
    if (waiting > LIVE_LOAD_ROOM) {
        stream->lost += (uint64_t)(waiting - LIVE_LOAD_ROOM);
        stream->next_ns += (waiting - LIVE_LOAD_ROOM) * stream->every_ns;
    }
    return true;
}

static int64_t take_due(struct live_stream *stream)
{
    int64_t due_ns = stream->next_ns;
    stream->next_ns += stream->every_ns;
    stream->sent++;
    return due_ns;
}

static bool is_in_flood(const struct live_load *load, int64_t at_ns)
{
    return (at_ns - load->judge->begin_ns) / load->slice_ns % 2 == 1;
}

/* --- frames received on Gb --- */

static void bring_up(struct live_load *load, struct burst *burst)
{
    if (load->step == LIVE_FRAMES_STEPS) {
        atomic_store(&load->phase, LIVE_LOAD_UP);
        return;
    }
    if (load->step_ns <= burst->now && live_load_put(load, burst, &load->steps[load->step].frame))
        load->step_ns = burst->now + STEP_NS;
}

/* FLOW-CONTROL-MS of a mobile, due at an instant. */
struct flow {
    const struct live_frame *frame;
    uint32_t mobile;
    uint8_t tag;
    int64_t due_ns;
};

static bool put_flow(struct live_load *load, struct burst *burst, const struct flow *flow)
{
    uint8_t *bytes = live_load_put(load, burst, flow->frame);
    if (!bytes)
        return false;
    live_frames_flow_again(bytes, flow->mobile, flow->tag);
    load->flow_ns[flow->mobile][flow->tag] = flow->due_ns;
    return true;
}

static void put_flows(struct live_load *load, struct burst *burst)
{
    while (is_due(&load->flows, burst)) {
        uint64_t number = load->flows.sent, others = load->mobiles - LIVE_LOAD_PROBES;
        const struct flow flow = {.frame = &load->flow,
                                  .mobile = LIVE_LOAD_PROBES + (uint32_t)(number % others),
                                  .tag = (uint8_t)(number / others),
                                  .due_ns = load->flows.next_ns};
        if (!put_flow(load, burst, &flow))
            return;
        take_due(&load->flows);
    }
}

static void next_stage(struct live_load *load)
{
    load->probe_ns += PROBE_NS;
    load->probe_stage = (load->probe_stage + 1) % PROBE_STAGES;
    load->probe += load->probe_stage == 0;
}

static bool is_stage_due(const struct live_load *load, const struct burst *burst, unsigned stage)
{
    return load->has_probes && load->probe_stage == stage && load->probe_ns <= burst->now;
}

/* Stage 0 shuts the mobile's bucket, stage 2 opens it. */
static void put_probe(struct live_load *load, struct burst *burst, bool is_over)
{
    struct flow flow = {.frame = &load->shut,
                        .mobile = load->probe % LIVE_LOAD_PROBES,
                        .tag = (uint8_t)(2 * (load->probe / LIVE_LOAD_PROBES)),
                        .due_ns = load->probe_ns};
    int64_t *open_ns = &load->open_ns[flow.mobile];
    if (is_stage_due(load, burst, 0) && !is_over && put_flow(load, burst, &flow)) {
        *open_ns = 0;
        next_stage(load);
        return;
    }
    flow.frame = &load->flow;
    flow.tag++;
    if (is_stage_due(load, burst, 2) && put_flow(load, burst, &flow)) {
        *open_ns = flow.due_ns;
        next_stage(load);
    }
}

static bool put_flood(struct live_load *load, struct burst *burst)
{
    return live_load_put(load, burst, &load->flood[load->flood_next++ % load->flood_kinds]) != NULL;
}

static void put_floods(struct live_load *load, struct burst *burst)
{
    while (is_due(&load->floods, burst)) {
        if (is_in_flood(load, load->floods.next_ns)) {
            if (!put_flood(load, burst))
                return;
            take_due(&load->floods);
        } else {
            load->floods.next_ns +=
                load->slice_ns - (load->floods.next_ns - load->judge->begin_ns) % load->slice_ns;
        }
    }
}

static void live_load_begin(struct live_load *load, int64_t now)
{
    live_judge_begin(load->judge, now);
    load->flows.next_ns = load->floods.next_ns = load->users.next_ns = load->probe_ns = now;
    atomic_store(&load->has_begun, true);
}

static void put_all(struct live_load *load, struct burst *burst)
{
    unsigned phase = atomic_load(&load->phase);
    if (phase == LIVE_LOAD_RUN && !load->has_begun)
        live_load_begin(load, burst->now);
    if (load->is_alive_due && live_load_put(load, burst, &load->alive_ack))
        load->is_alive_due = false;
    if (phase == LIVE_LOAD_BRING_UP)
        bring_up(load, burst);
    if (phase >= LIVE_LOAD_RUN)
        put_probe(load, burst, phase != LIVE_LOAD_RUN);
    if (phase == LIVE_LOAD_RUN) {
        put_flows(load, burst);
        put_floods(load, burst);
    }
    while (phase == LIVE_LOAD_STORM && put_flood(load, burst))
        ;
}

static void note_pass(struct live_load *load, int64_t now)
{
    if (load->before_ns == 0)
        atomic_store(&load->worker, gettid());
    else if (load->has_begun && now - load->before_ns > load->gap_ns)
        live_judge_gap(load->judge, load->before_ns, now);
    load->before_ns = now;
}

static uint16_t on_gb(uint16_t unused_port, uint16_t unused_queue, struct rte_mbuf **frames, uint16_t count,
                      uint16_t cap, void *arg)
{
    (void)unused_port;
    (void)unused_queue;
    struct live_load *load = arg;
    struct burst burst = {.frames = frames, .cap = cap, .now = clock_counter_ns(&load->clock)};
    rte_pktmbuf_free_bulk(frames, count);
    note_pass(load, burst.now);
    put_all(load, &burst);
    load->frames_gb += burst.count;
    return burst.count;
}

/* --- frames received on Gn --- */

static void put_user(struct live_load *load, struct burst *burst, uint32_t mobile, uint32_t number)
{
    uint8_t *bytes = live_load_put(load, burst, &load->user);
    if (bytes)
        live_frames_user_again(bytes, mobile, number);
}

static void put_users(struct live_load *load, struct burst *burst)
{
    while (is_due(&load->users, burst)) {
        uint32_t number = (uint32_t)load->users.sent;
        uint16_t before = burst->count;
        put_user(load, burst, number % load->mobiles, number);
        if (burst->count == before)
            return;
        load->user_ns[number % LIVE_LOAD_USERS] = take_due(&load->users);
    }
}

static uint16_t on_gn(uint16_t unused_port, uint16_t unused_queue, struct rte_mbuf **frames, uint16_t count,
                      uint16_t cap, void *arg)
{
    (void)unused_port;
    (void)unused_queue;
    struct live_load *load = arg;
    struct burst burst = {.frames = frames, .cap = cap, .now = clock_counter_ns(&load->clock)};
    unsigned phase = atomic_load(&load->phase);
    rte_pktmbuf_free_bulk(frames, count);
    if (!load->has_begun)
        return 0;
    if (is_stage_due(load, &burst, 1)) {
        put_user(load, &burst, load->probe % LIVE_LOAD_PROBES, load->probe);
        next_stage(load);
    }
    if (phase == LIVE_LOAD_RUN)
        put_users(load, &burst);
    return burst.count;
}

/* --- frames sent on Gb --- */

static void take_packet(struct live_load *load, uint32_t number, int64_t now)
{
    if (load->has_probes) {
        int64_t open_ns = load->open_ns[number % LIVE_LOAD_PROBES];
        load->probes_back++;
        load->probes_early += open_ns == 0;
        if (open_ns > 0)
            live_judge_add(load->judge, LIVE_LOAD_PROBE, open_ns, now);
        return;
    }
    int64_t *due_ns = &load->user_ns[number % LIVE_LOAD_USERS];
    if (*due_ns == 0)
        return;
    load->users_back++;
    live_judge_add(load->judge, is_in_flood(load, *due_ns) ? LIVE_LOAD_FLOOD : LIVE_LOAD_QUIET, *due_ns, now);
    *due_ns = 0;
}

static void take_ack(struct live_load *load, const uint8_t *bytes, int64_t now)
{
    uint32_t mobile = bytes_get_u32(bytes + TLLI_AT) - LIVE_FRAMES_TLLI;
    int64_t *due_ns = mobile < load->mobiles ? &load->flow_ns[mobile][bytes[TAG_AT]] : NULL;
    if (!due_ns || *due_ns == 0)
        return;
    load->acked++;
    live_judge_add(load->judge, LIVE_LOAD_ACK, *due_ns, now);
    *due_ns = 0;
}

static void live_load_take(struct live_load *load, const uint8_t *bytes, size_t octets, int64_t now)
{
    const struct live_frames_step *step = &load->steps[load->step];
    const uint8_t *ns = bytes + LIVE_FRAMES_NS_OFFSET;
    if (octets <= LIVE_FRAMES_NS_OFFSET)
        return;
    if (load->step < LIVE_FRAMES_STEPS && octets >= (size_t)LIVE_FRAMES_NS_OFFSET + step->answer_octets &&
        memcmp(ns, step->answer, step->answer_octets) == 0) {
        load->step++;
        load->step_ns = 0;
    }
    load->is_alive_due |= ns[0] == NS_ALIVE;
    if (ns[0] != NS_UNITDATA || octets < ACK_OCTETS)
        return;
    if (bytes[TYPE_AT] == BSSGP_FLOW_CONTROL_MS_ACK)
        take_ack(load, bytes, now);
    else if (bytes[TYPE_AT] == BSSGP_DL_UNITDATA && octets >= PACKET_OCTETS)
        take_packet(load, live_frames_number(bytes, octets), now);
}

static uint16_t on_gb_sent(uint16_t unused_port, uint16_t unused_queue, struct rte_mbuf **frames,
                           uint16_t count, void *arg)
{
    (void)unused_port;
    (void)unused_queue;
    struct live_load *load = arg;
    int64_t now = clock_counter_ns(&load->clock);
    for (uint16_t i = 0; i < count; i++)
        live_load_take(load, rte_pktmbuf_mtod(frames[i], const uint8_t *), rte_pktmbuf_data_len(frames[i]),
                       now);
    return count;
}

/* --- begin and end --- */

bool live_load_init(struct live_load *load)
{
    live_frames_steps(load->steps);
    live_frames_alive_ack(&load->alive_ack);
    live_frames_flow(&load->flow, 0, 0, true);
    live_frames_flow(&load->shut, 0, 0, false);
    live_frames_user(&load->user, 0, 0);
    load->flood_kinds = live_frames_floods(load->flood);
    load->flow_ns = calloc(load->mobiles, sizeof(*load->flow_ns));
    return load->flow_ns != NULL;
}

void live_load_fini(struct live_load *load)
{
    free(load->flow_ns);
}

bool live_load_watch(struct live_load *load)
{
    uint16_t gn, gb;
    load->pool = rte_mempool_lookup("rx");
    return load->pool && rte_eth_dev_get_port_by_name("net_ring0", &gn) == 0 &&
           rte_eth_dev_get_port_by_name("net_ring1", &gb) == 0 &&
           rte_eth_add_tx_callback(gb, 0, on_gb_sent, load) && rte_eth_add_rx_callback(gn, 0, on_gn, load) &&
           rte_eth_add_rx_callback(gb, 0, on_gb, load);
}
