/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP connections of mobiles through dataplane/pacing: pacing_soak [--connections N] [--seed N] [--pcap FILE]
 *
 * Losses, repetitions and another order on both sides, resets, numbers that wrap, keep-alives, windows of 0
 * and their probes, SACK blocks, ECN, scales 0 to 14, timestamps, fragments, IPv6 with extension headers,
 * ports that are used again, mobiles that move or leave, cells with R = 0, full tables, segments of random
 * octets. Every connection ends by the FIN of both ends, its own reset, or with its mobile. Of every segment
 * of a mobile it holds:
 *
 *     nothing but window and checksum changes, the checksum is right, the window is not wider
 *     right edge >= min(the mobile's, the end of what the server had sent)
 *     an ACK that is never sent is covered by a segment that the server accepts if it had accepted the ACK
 *     no ACK is held longer than a minute, and one tick
 *     held = merged + released + holding
 *
 * --pcap: what passed to the servers, for tshark. Equal seeds give equal octets.
 */
#include "tests/fuzz/pacing_peers.h"
#include "tests/fuzz/pacing_world.h"

#include "dataplane/wire/tcp.h"

#include <stdlib.h>
#include <string.h>

/* --- connections --- */

static uint16_t free_port(uint32_t ms)
{
    for (;;) {
        uint16_t port = (uint16_t)(4000 + pacing_world_below(SLOTS + 1));
        unsigned i = 0;
        while (i < SLOTS && !(soak.conns[i].end == PACING_PEERS_OPEN && soak.conns[i].generation > 0 &&
                              soak.conns[i].ms == ms && soak.conns[i].port == port))
            i++;
        if (i == SLOTS)
            return port;
    }
}

static uint32_t first_number(void)
{
    return pacing_world_below(4) == 0 ? UINT32_MAX - (uint32_t)pacing_world_below(20000)
                                      : (uint32_t)rng_u64(&soak.rng);
}

static void begin(uint32_t slot)
{
    static const uint16_t sizes[] = {88, 216, 536, 1000, 1360, 1460};
    struct pacing_peers *c = &soak.conns[slot];
    if (soak.begun == soak.wanted)
        return;
    *c = (struct pacing_peers){.slot = slot, .generation = (uint32_t)++soak.begun, .rng = &soak.rng};
    c->ms = (uint32_t)pacing_world_below(MOBILES);
    c->port = 0;
    c->port = free_port(c->ms);
    c->mss = sizes[pacing_world_below(6)];
    c->has_scale = pacing_world_below(4) > 0;
    c->scale = c->has_scale ? (uint8_t)pacing_world_below(15) : 0;
    c->form = pacing_world_below(3) == 0 ? PACING_PEERS_IPV6 : PACING_PEERS_IPV4;
    c->is_from_server = pacing_world_below(8) == 0;
    c->has_ts = pacing_world_below(2);
    c->has_sack = pacing_world_below(2);
    c->has_ecn = pacing_world_below(4) == 0;
    c->is_mixed = pacing_world_below(20) == 0;
    c->server.iss = first_number();
    c->mobile.iss = first_number();
    c->server.total = (uint32_t)pacing_world_below(pacing_world_below(10) == 0 ? 60000 : 8000);
    c->mobile.total = (uint32_t)pacing_world_below(pacing_world_below(10) == 0 ? 4000 : 500);
    uint64_t room = (pacing_world_below(65535) + 1) << c->scale;
    c->mobile.room = (uint32_t)(room < 400000 ? room : 400000);
    if (c->mobile.room < 2U * c->mss)
        c->mobile.room = 2U * c->mss;
    if (c->mobile.room < 2U << c->scale)
        c->mobile.room = 2U << c->scale;
    pacing_peers_begin(c, soak.now);
}

/* After something happened to a connection. */
static void look(struct pacing_peers *c)
{
    if (c->generation == 0 || c->end != PACING_PEERS_OPEN)
        return;
    if (soak.now - c->began_ns > STUCK_NS)
        pacing_world_fail("a connection does not end", c);
    int64_t next_ns = pacing_peers_next_ns(c);
    if (next_ns < soak.armed_ns[c->slot]) {
        soak.armed_ns[c->slot] = next_ns;
        pacing_world_put(next_ns, TIMER, c->slot, NULL);
    }
}

static void end(struct pacing_peers *c)
{
    soak.ended[c->end]++;
    soak.armed_ns[c->slot] = MOMENT_NEVER;
    pacing_world_put(soak.now + (int64_t)pacing_world_below(2000) * MS, BEGIN, c->slot, NULL);
}

/* A segment of random octets, or one of which some changed. */
static void send_garbage(struct pacing_peers *c)
{
    struct pacing_at at = pacing_world_at(c->ms);
    struct pacing_peers_packet packet = {
        .is_up = pacing_world_below(2),
        .segment = {.seq = pacing_world_below(2) ? c->mobile.nxt : c->server.nxt,
                    .ack = pacing_world_below(2) ? c->server.nxt : (uint32_t)rng_u64(&soak.rng),
                    .flags = (uint8_t)pacing_world_below(256),
                    .form = c->form,
                    .octets = (uint16_t)pacing_world_below(100),
                    .data = pacing_peers_data(0)}};
    pacing_peers_encode(c, &packet);
    for (unsigned i = (unsigned)pacing_world_below(4); i > 0; i--)
        packet.bytes[packet.tcp_at + 8 + pacing_world_below(40)] = (uint8_t)pacing_world_below(256);
    uint16_t octets =
        (uint16_t)(pacing_world_below(4) ? packet.octets : pacing_world_below(packet.octets) + 1);
    uint8_t *bytes = malloc(octets); /* so that AddressSanitizer knows its end */
    if (!bytes)
        abort();
    memcpy(bytes, packet.bytes, octets);
    if (packet.is_up)
        pacing_uplink(soak.pacing, &at, bytes, octets, soak.now);
    else
        (void)pacing_downlink(soak.pacing, &at, bytes, octets, soak.now);
    free(bytes);
}

static void reset(struct pacing_peers *c)
{
    bool is_up = pacing_world_below(2);
    struct pacing_peers_segment s = {.seq = is_up ? c->mobile.nxt : c->server.nxt,
                                     .ack = is_up ? c->mobile.rcv : c->server.rcv,
                                     .flags = TCP_RST | TCP_ACK,
                                     .form = c->form};
    pacing_soak_send(c, is_up, &s, soak.now);
    c->end = PACING_PEERS_RESET;
    end(c);
}

static void leave(uint32_t ms)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct pacing_peers *c = &soak.conns[i];
        if (c->generation == 0 || c->end != PACING_PEERS_OPEN || c->ms != ms)
            continue;
        c->end = PACING_PEERS_LEFT;
        end(c);
    }
}

static void mood(void)
{
    struct pacing_peers *c = &soak.conns[pacing_world_below(SLOTS)];
    struct cell *cell = &soak.cells[pacing_world_below(CELLS)];
    if (pacing_world_below(40) == 0)
        soak.cell_of[pacing_world_below(MOBILES)] = (uint16_t)pacing_world_below(CELLS);
    if (pacing_world_below(400) == 0)
        leave((uint32_t)pacing_world_below(MOBILES));
    if (pacing_world_below(80) == 0)
        cell->until_ns = soak.now + (int64_t)pacing_world_below(8000) * MS;
    bool is_open = c->generation > 0 && c->end == PACING_PEERS_OPEN;
    if (is_open && pacing_world_below(40) == 0)
        reset(c);
    else if (is_open && soak.is_hostile)
        send_garbage(c);
    pacing_world_put(soak.now + MOOD_NS, MOOD, 0, NULL);
}

/* --- play --- */

static void arrived(const struct event *event)
{
    struct pacing_peers_packet *packet = event->packet;
    if (event->type == AT_SGSN) {
        if (packet->is_up)
            pacing_world_uplink(packet);
        else
            pacing_world_downlink(packet);
        return;
    }
    struct pacing_peers *c = pacing_world_conn(packet);
    struct pacing_peers_segment s;
    if (!pacing_peers_decode(packet, &s))
        pacing_world_fail("a segment is damaged", c);
    if (c && event->type == AT_SERVER)
        pacing_peers_at_server(c, &s, soak.now);
    else if (c)
        pacing_peers_at_mobile(c, &s, soak.now);
    pacing_world_free(packet);
    if (c && c->end != PACING_PEERS_OPEN)
        end(c);
    else if (c)
        look(c);
}

static void timer(uint32_t slot)
{
    struct pacing_peers *c = &soak.conns[slot];
    if (soak.armed_ns[slot] != soak.now || c->end != PACING_PEERS_OPEN)
        return;
    soak.armed_ns[slot] = MOMENT_NEVER;
    pacing_peers_step(c, soak.now);
    look(c);
}

static void step(void)
{
    struct event event = pacing_world_take();
    soak.now = event.at_ns;
    if (event.packet) {
        arrived(&event);
        return;
    }
    switch (event.type) {
    case TIMER:
        timer(event.slot);
        break;
    case SERVED:
        pacing_world_served(event.slot);
        break;
    case MOOD:
        mood();
        break;
    default:
        begin(event.slot);
        look(&soak.conns[event.slot]);
    }
}

static uint64_t done(void)
{
    return soak.ended[PACING_PEERS_DONE] + soak.ended[PACING_PEERS_RESET] + soak.ended[PACING_PEERS_LEFT];
}

#define ANY(...)                                                                                             \
    ((const int64_t[]){__VA_ARGS__})[pacing_world_below(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))]

static struct pacing_params draw_params(void)
{
    return (struct pacing_params){.classes = pacing_world_below(10) == 0 ? 0 : 1 << QCLASS_THP2,
                                  .drops_repeated = pacing_world_below(4) > 0,
                                  .ms_target_ns = ANY(MS, MOMENT_SECOND, 60 * MOMENT_SECOND),
                                  .view = pacing_world_view(),
                                  .flows = (uint32_t)ANY(4, 16, 64, 4096)};
}

static void add_stats(void)
{
    const struct pacing_stats *stats = pacing_stats_of(soak.pacing);
    soak.clamped += stats->clamped;
    soak.evicted += stats->evicted;
    soak.implausible += stats->implausible;
    soak.repeated += stats->repeated;
}

static void batch(uint64_t connections)
{
    struct pacing_peers_packet *packet;
    soak.params = draw_params();
    soak.is_hostile = pacing_world_below(6) == 0;
    soak.pacing = pacing_new(&soak.params, &(struct pacing_limits){MOBILES, CELLS, 1});
    if (!soak.pacing)
        abort();
    memset(soak.cells, 0, sizeof(soak.cells));
    memset(soak.conns, 0, sizeof(soak.conns));
    for (unsigned i = 0; i < CELLS; i++)
        soak.cells[i].rate_bps = (uint64_t)ANY(6000, 20000, 80000, 400000);
    for (uint32_t i = 0; i < SLOTS; i++) {
        soak.armed_ns[i] = MOMENT_NEVER;
        pacing_world_put(soak.now + (int64_t)pacing_world_below(5000) * MS, BEGIN, i, NULL);
    }
    pacing_world_put(soak.now + MOOD_NS, MOOD, 0, NULL);
    soak.wanted = soak.begun + connections;
    for (uint64_t until = done() + connections; done() < until;)
        step();
    for (unsigned i = 0; i < CELLS; i++)
        for (struct cell *cell = &soak.cells[i]; (packet = cell->head); pacing_world_free(packet))
            cell->head = packet->next;
    for (size_t i = 0; i < soak.events; i++)
        if (soak.heap[i].packet)
            pacing_world_free(soak.heap[i].packet);
    soak.events = 0;
    if (soak.packets > 0)
        pacing_world_fail("a buffer was lost", NULL);
    add_stats();
    pacing_free(soak.pacing);
}

static void open_pcap(const char *path)
{
    const uint32_t header[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 101};
    soak.pcap = fopen(path, "wb");
    if (!soak.pcap || fwrite(header, sizeof(header), 1, soak.pcap) != 1) {
        perror(path);
        exit(2);
    }
}

static void report(void)
{
    printf("%lu connections: %lu ended by FIN, %lu by a reset, %lu with their mobile; %lu segments of "
           "mobiles passed, "
           "%lu changed; digest %016lx\n",
           (unsigned long)done(), (unsigned long)soak.ended[PACING_PEERS_DONE],
           (unsigned long)soak.ended[PACING_PEERS_RESET], (unsigned long)soak.ended[PACING_PEERS_LEFT],
           (unsigned long)soak.passed, (unsigned long)soak.changed, (unsigned long)soak.digest);
    printf("clamped %lu, evicted %lu, implausible %lu, repeated %lu\n", (unsigned long)soak.clamped,
           (unsigned long)soak.evicted, (unsigned long)soak.implausible, (unsigned long)soak.repeated);
}

int main(int argc, char **argv)
{
    uint64_t connections = 2000, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--connections") == 0)
            connections = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--pcap") == 0)
            open_pcap(argv[i + 1]);
    }
    rng_init(&soak.rng, seed, 0);
    for (uint64_t left = connections; left > 0; left -= left < BATCH ? left : BATCH)
        batch(left < BATCH ? left : BATCH);
    report();
    while (soak.spare) {
        struct pacing_peers_packet *packet = soak.spare;
        soak.spare = packet->next;
        free(packet);
    }
    free(soak.heap);
    if (soak.pcap)
        fclose(soak.pcap);
    return 0;
}
