/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/pacing_world.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/tcp.h"

#include <stdlib.h>
#include <string.h>

#define MANY_FLOWS 4096 /* no flow loses its place */

struct pacing_world soak;

void pacing_world_fail(const char *what, const struct pacing_peers *c)
{
    fprintf(stderr, "%s: connection %u of slot %u at %.6f s, IPv%d, scale %u, seq %u\n", what,
            c ? c->generation : 0, c ? c->slot : 0, (double)soak.now / 1e9,
            c && c->form == PACING_PEERS_IPV6 ? 6 : 4, c ? c->scale : 0, c ? c->mobile.nxt : 0);
    exit(1);
}

uint64_t pacing_world_below(uint64_t n)
{
    return rng_below(&soak.rng, n);
}

/* --- events --- */

static bool is_sooner(const struct event *a, const struct event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

void pacing_world_put(int64_t at_ns, enum pacing_world_event type, uint32_t slot,
                      struct pacing_peers_packet *packet)
{
    if (soak.events == soak.room) {
        soak.room = soak.room ? 2 * soak.room : 1024;
        soak.heap = realloc(soak.heap, soak.room * sizeof(*soak.heap));
        if (!soak.heap)
            abort();
    }
    struct event event = {at_ns, soak.order++, type, slot, packet};
    size_t i = soak.events++;
    for (; i > 0 && is_sooner(&event, &soak.heap[(i - 1) / 2]); i = (i - 1) / 2)
        soak.heap[i] = soak.heap[(i - 1) / 2];
    soak.heap[i] = event;
}

struct event pacing_world_take(void)
{
    struct event first = soak.heap[0], last = soak.heap[--soak.events];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < soak.events) {
        child += child + 1 < soak.events && is_sooner(&soak.heap[child + 1], &soak.heap[child]);
        if (!is_sooner(&soak.heap[child], &last))
            break;
        soak.heap[i] = soak.heap[child];
        i = child;
    }
    soak.heap[i] = last;
    return first;
}

/* --- packets --- */

struct pacing_peers_packet *pacing_world_packet(void)
{
    struct pacing_peers_packet *packet = soak.spare ? soak.spare : malloc(sizeof(*packet));
    if (!packet)
        abort();
    soak.spare = packet == soak.spare ? packet->next : soak.spare;
    soak.packets++;
    return packet;
}

void pacing_world_free(struct pacing_peers_packet *packet)
{
    packet->next = soak.spare;
    soak.spare = packet;
    soak.packets--;
}

/* The connection of a packet; NULL: it has ended. */
struct pacing_peers *pacing_world_conn(const struct pacing_peers_packet *packet)
{
    struct pacing_peers *c = &soak.conns[packet->slot];
    return c->generation == packet->generation && c->end == PACING_PEERS_OPEN ? c : NULL;
}

/* Servers are at four distances. */
static int64_t way_ns(const struct pacing_peers_packet *packet, bool is_radio)
{
    int64_t ns = is_radio ? 120 * MS + (int64_t)pacing_world_below(20) * MS
                          : (20 + packet->slot % 4 * 300) * MS + (int64_t)pacing_world_below(5) * MS;
    return pacing_world_below(100) < 3 ? ns + (int64_t)pacing_world_below(400) * MS : ns;
}

/* A packet on a way that loses and repeats. */
static void travel(struct pacing_peers_packet *packet, enum pacing_world_event to, bool is_radio)
{
    if (pacing_world_below(100) < 2) {
        pacing_world_free(packet);
        return;
    }
    if (pacing_world_below(100) < 1) {
        struct pacing_peers_packet *twin = pacing_world_packet();
        *twin = *packet;
        pacing_world_put(soak.now + way_ns(packet, is_radio), to, packet->slot, twin);
    }
    pacing_world_put(soak.now + way_ns(packet, is_radio), to, packet->slot, packet);
}

void pacing_soak_send(struct pacing_peers *c, bool is_up, const struct pacing_peers_segment *segment,
                      int64_t now)
{
    struct pacing_peers_packet *packet = pacing_world_packet();
    (void)now;
    packet->slot = c->slot;
    packet->generation = c->generation;
    packet->ms = c->ms;
    packet->is_up = is_up;
    packet->segment = *segment;
    pacing_peers_encode(c, packet);
    travel(packet, AT_SGSN, is_up);
}

/* --- uplink --- */

static void write_pcap(const struct pacing_peers_packet *packet)
{
    if (!soak.pcap)
        return;
    uint32_t record[] = {(uint32_t)(soak.now / 1000000000), (uint32_t)(soak.now % 1000000000 / 1000),
                         packet->octets, packet->octets};
    fwrite(record, sizeof(record), 1, soak.pcap);
    fwrite(packet->bytes, packet->octets, 1, soak.pcap);
}

static void check_edge(struct pacing_peers *c, const struct pacing_peers_packet *packet, uint16_t window)
{
    const struct pacing_peers_segment *s = &packet->segment;
    unsigned scale = c->has_scale ? c->scale : 0;
    uint32_t mobiles = s->ack + ((uint32_t)s->window << scale), edge = s->ack + ((uint32_t)window << scale);
    uint32_t least = packet->has_sent && (int32_t)(mobiles - packet->sent) > 0 ? packet->sent : mobiles;
    if (window > s->window)
        pacing_world_fail("the window is wider than the mobile's", c);
    if (window == 0 && s->window > 0)
        pacing_world_fail("a window was closed", c);
    if (packet->has_sent && (int32_t)(least - edge) > 0)
        pacing_world_fail("the right edge is behind what the server sent", c);
    if (!c->has_out_edge || (int32_t)(edge - c->out_edge) > 0)
        c->out_edge = edge;
    c->has_out_edge = true;
}

/* A segment leaves to the server. */
void pacing_world_pass(struct pacing_peers_packet *packet)
{
    struct pacing_peers *c = pacing_world_conn(packet);
    struct pacing_peers_segment s;
    if (packet->generation == 0) { /* random octets */
        pacing_world_free(packet);
        return;
    }
    if (!pacing_peers_decode(packet, &s))
        pacing_world_fail("a segment is damaged", c);
    soak.passed++;
    soak.changed += s.window != packet->segment.window;
    soak.digest =
        (soak.digest ^ s.seq ^ (uint64_t)s.window << 32 ^ (uint64_t)soak.now) * UINT64_C(0x100000001b3);
    write_pcap(packet);
    if (c && s.flags & TCP_SYN)
        c->has_late_syn |= c->has_out_edge && soak.params.flows < MANY_FLOWS;
    else if (c && !(s.flags & TCP_RST) && !soak.is_hostile && !c->has_late_syn)
        check_edge(c, packet, s.window);
    if (c)
        travel(packet, AT_SERVER, false);
    else
        pacing_world_free(packet);
}

struct pacing_at pacing_world_at(uint32_t ms)
{
    uint16_t cell = soak.cell_of[ms];
    uint64_t rate_bps = soak.cells[cell].until_ns > soak.now ? 0 : soak.cells[cell].rate_bps;
    return (struct pacing_at){
        .ms = ms, .bvc = cell, .qclass = QCLASS_THP2, .ms_rate_bps = rate_bps / 2, .bvc_rate_bps = rate_bps};
}

void pacing_world_uplink(struct pacing_peers_packet *packet)
{
    static uint8_t before[PACING_PEERS_MOST_OCTETS];
    struct pacing_at at = pacing_world_at(packet->ms);
    unsigned changes = packet->tcp_at + TCP_WINDOW_AT;
    const struct pacing_peers *c = pacing_world_conn(packet);
    packet->has_sent = c && c->has_sent && c->has_out_edge;
    if (packet->has_sent)
        packet->sent = (int32_t)(c->sent - c->out_edge) > 0 ? c->out_edge : c->sent;
    memcpy(before, packet->bytes, packet->octets);
    pacing_uplink(soak.pacing, &at, packet->bytes, packet->octets, soak.now);
    if (soak.params.classes == 0 && memcmp(before, packet->bytes, packet->octets) != 0)
        pacing_world_fail("pacing is off, and a segment changed", pacing_world_conn(packet));
    memcpy(before + changes, packet->bytes + changes, 4);
    if (memcmp(before, packet->bytes, packet->octets) != 0)
        pacing_world_fail("more than window and checksum changed", pacing_world_conn(packet));
    pacing_world_pass(packet);
}

/* --- downlink --- */

static void serve(struct cell *cell, uint32_t index)
{
    if (cell->is_busy || !cell->head)
        return;
    int64_t from_ns = cell->until_ns > soak.now ? cell->until_ns : soak.now;
    cell->is_busy = true;
    pacing_world_put(from_ns + (int64_t)(cell->head->octets * UINT64_C(8000000000) / cell->rate_bps), SERVED,
                     index, NULL);
}

void pacing_world_served(uint32_t index)
{
    struct cell *cell = &soak.cells[index];
    struct pacing_peers_packet *packet = cell->head;
    cell->head = packet->next;
    cell->pkts--;
    cell->sent_octets += packet->octets;
    cell->is_busy = false;
    travel(packet, AT_MOBILE, true);
    serve(cell, index);
}

static void count_sent(const struct pacing_peers_packet *packet)
{
    struct pacing_peers *c = pacing_world_conn(packet);
    const struct pacing_peers_segment *s = &packet->segment;
    uint32_t end = s->seq + s->octets + (s->flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
    if (!c || s->flags & TCP_RST || (c->has_sent && (int32_t)(end - c->sent) <= 0))
        return;
    c->sent = end;
    c->has_sent = true;
}

void pacing_world_downlink(struct pacing_peers_packet *packet)
{
    struct pacing_at at = pacing_world_at(packet->ms);
    struct cell *cell = &soak.cells[at.bvc];
    enum pacing_downlink_fate fate =
        pacing_downlink(soak.pacing, &at, packet->bytes, packet->octets, soak.now);
    count_sent(packet);
    packet->cell = at.bvc;
    if (fate != PACING_DOWNLINK_REPEATED && cell->pkts >= QUEUE_MOST)
        pacing_ms_lost(soak.pacing, packet->ms, false);
    if (fate == PACING_DOWNLINK_REPEATED || cell->pkts >= QUEUE_MOST) {
        pacing_world_free(packet);
        return;
    }
    packet->next = NULL;
    *(cell->head ? &cell->last->next : &cell->head) = packet;
    cell->last = packet;
    cell->pkts++;
    serve(cell, at.bvc);
}

static uint32_t waiting(const void *unused_owner, uint16_t bvc, uint8_t unused_qclass)
{
    return soak.cells[bvc].pkts;
}

static uint64_t sent(const void *unused_owner, uint16_t bvc)
{
    return soak.cells[bvc].sent_octets;
}

struct pacing_view pacing_world_view(void)
{
    return (struct pacing_view){.waiting = waiting, .sent = sent};
}
