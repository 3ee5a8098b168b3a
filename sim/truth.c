/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/truth.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOBILES_BIT = 1, SERVERS_BIT = 2 };

bool truth_new(struct truth *t, const struct truth_config *config)
{
    *t = (struct truth){
        .mobiles = calloc(config->mobiles, sizeof(*t->mobiles)),
        .mobile_count = config->mobiles,
        .every_ns = config->every_ns,
        .least_ns = config->least_ns,
    };
    bool has_memory = t->mobiles != NULL;
    for (uint32_t i = 0; has_memory && i < config->mobiles; i++) {
        struct truth_mobile *m = &t->mobiles[i];
        m->down = calloc(TRUTH_WINDOW, sizeof(*m->down));
        m->up = calloc(TRUTH_WINDOW, sizeof(*m->up));
        m->last_conn = TRUTH_NONE;
        m->last_passed_ns = m->last_arrived_ns = TRUTH_NEVER;
        has_memory = m->down && m->up;
    }
    return has_memory;
}

void truth_free(struct truth *t)
{
    for (uint32_t i = 0; t->mobiles && i < t->mobile_count; i++) {
        free(t->mobiles[i].down);
        free(t->mobiles[i].up);
        free(t->mobiles[i].rows);
    }
    free(t->mobiles);
    free(t->conns);
    *t = (struct truth){0};
}

/* Grows a list with `count` entries by one; capacities are powers of two. */
static void *grown(void *list, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return list;
    void *larger = realloc(list, (count ? 2 * (size_t)count : 1) * size);
    if (larger)
        return larger;
    fprintf(stderr, "gbflow: out of memory for the ground-truth log\n");
    exit(1);
}

/* --- packets by their identification --- */

static void remember(struct truth_packet *ring, uint16_t id, int64_t now, uint32_t number)
{
    ring[id % TRUTH_WINDOW] = (struct truth_packet){now, number, id, true};
}

/* Takes a packet out of the ring; NULL: unknown, or taken before. */
static const struct truth_packet *truth_take(struct truth_packet *ring, uint16_t id)
{
    struct truth_packet *packet = &ring[id % TRUTH_WINDOW];
    if (!packet->is_known || packet->id != id)
        return NULL;
    packet->is_known = false;
    return packet;
}

static void add_way(struct truth_way *way, int64_t took_ns)
{
    way->packets++;
    way->sum_ns += took_ns;
}

/* --- connections --- */

static struct truth_conn *truth_find(struct truth *t, uint32_t mobile, uint16_t mobile_port,
                                     uint16_t server_port)
{
    uint32_t i = t->mobiles[mobile].last_conn;
    while (i != TRUTH_NONE &&
           (t->conns[i].mobile_port != mobile_port || t->conns[i].server_port != server_port))
        i = t->conns[i].next;
    return i == TRUTH_NONE ? NULL : &t->conns[i];
}

static struct truth_conn *truth_add(struct truth *t, uint32_t mobile, const struct tcp_header *syn)
{
    t->conns = grown(t->conns, t->conn_count, sizeof(*t->conns));
    t->conns[t->conn_count] = (struct truth_conn){
        .mobile = mobile,
        .next = t->mobiles[mobile].last_conn,
        .mobile_port = syn->src_port,
        .server_port = syn->dst_port,
        .isn = syn->seq,
        .setup = {.syn_ns = TRUTH_NEVER, .syn_ack_ns = TRUTH_NEVER, .ack_ns = TRUTH_NEVER},
    };
    t->mobiles[mobile].last_conn = t->conn_count;
    return &t->conns[t->conn_count++];
}

static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static void note_options(struct truth_conn *c, const struct tcp_header *syn, uint8_t bit)
{
    c->sacks |= syn->sack_permitted ? bit : 0;
    c->timestamps |= syn->has_timestamps ? bit : 0;
}

static void note_size(struct truth_conn *c, size_t octets)
{
    c->largest_octets = octets > c->largest_octets ? (uint32_t)octets : c->largest_octets;
}

/* --- places --- */

static void server_sends(struct truth_conn *c, const struct ip_packet *p)
{
    struct truth_data *d = &c->data;
    uint32_t end = p->tcp.seq + p->payload_octets;
    if (p->payload_octets == 0)
        return;
    d->retransmitted += d->sent > 0 && is_before(p->tcp.seq, d->sent_top);
    if (d->sent == 0 || is_before(d->sent_top, end))
        d->sent_top = end;
    d->sent++;
}

static void passes_down(struct truth_conn *c, const struct ip_packet *p, size_t octets, int64_t now)
{
    struct truth_setup *s = &c->setup;
    note_size(c, octets);
    if (p->tcp.flags & TCP_RST)
        s->is_reset |= s->ack_ns == TRUTH_NEVER;
    if (p->tcp.flags & TCP_SYN) {
        note_options(c, &p->tcp, SERVERS_BIT);
        s->syn_ack_ns = s->syn_acks++ ? s->syn_ack_ns : now;
    }
    if (p->payload_octets == 0)
        return;
    c->data.passed++;
    c->data.passed_octets += octets;
}

static void reaches_mobile(struct truth_conn *c, const struct ip_packet *p, uint32_t number,
                           const struct truth_mobile *m)
{
    struct truth_data *d = &c->data;
    c->setup.has_answer |= (p->tcp.flags & TCP_SYN) != 0;
    if (p->payload_octets == 0 || number == 0)
        return;
    if (d->arrived++ == 0) {
        d->first_ns = m->last_arrived_ns;
        d->user_from_octets = m->octets;
    }
    d->last_ns = m->last_arrived_ns;
    d->user_to_octets = m->octets;
    d->last_arrived = number > d->last_arrived ? number : d->last_arrived;
}

static void passes_up(struct truth_conn *c, const struct ip_packet *p, size_t octets, int64_t now)
{
    struct truth_setup *s = &c->setup;
    note_size(c, octets);
    if (p->tcp.flags & TCP_SYN) {
        note_options(c, &p->tcp, MOBILES_BIT);
        s->syn_ns = s->syns++ ? s->syn_ns : now;
    } else if (p->tcp.flags & TCP_RST) {
        s->is_reset |= s->ack_ns == TRUTH_NEVER;
    } else if (s->has_answer && s->ack_ns == TRUTH_NEVER) {
        s->ack_ns = now;
    }
}

/* --- the mobile's channel --- */

static struct truth_row *row_of(struct truth *t, struct truth_mobile *m, int64_t now)
{
    int64_t from_ns = now / t->every_ns * t->every_ns;
    if (m->row_count > 0 && m->rows[m->row_count - 1].from_ns == from_ns)
        return &m->rows[m->row_count - 1];
    m->rows = grown(m->rows, m->row_count, sizeof(*m->rows));
    m->rows[m->row_count] = (struct truth_row){.from_ns = from_ns};
    return &m->rows[m->row_count++];
}

/* Counts an arrival. Returns the packet's number among its connection's segments with data that passed; 0:
   none. */
static uint32_t arrive(struct truth *t, struct truth_mobile *m, uint16_t id, size_t octets, int64_t now)
{
    const struct truth_packet *packet = truth_take(m->down, id);
    struct truth_row *row = row_of(t, m, now);
    bool has_waited =
        packet && m->last_arrived_ns != TRUTH_NEVER && packet->at_ns + t->least_ns <= m->last_arrived_ns;
    row->octets += octets;
    m->octets += octets;
    if (has_waited) {
        row->busy_octets += octets;
        row->busy_ns += now - m->last_arrived_ns;
        m->busy_octets += octets;
        m->busy_ns += now - m->last_arrived_ns;
    }
    m->last_arrived_ns = now;
    if (packet)
        add_way(&m->access_down, now - packet->at_ns);
    return packet ? packet->number : 0;
}

/* Counts a packet of any protocol. Returns as arrive(). */
static uint32_t see_any(struct truth *t, const struct truth_sighting *seen, uint16_t id, int64_t now)
{
    struct truth_mobile *m = &t->mobiles[seen->mobile];
    const struct truth_packet *packet;
    switch (seen->place) {
    case TRUTH_REACHES_MOBILE:
        return arrive(t, m, id, seen->octets, now);
    case TRUTH_MOBILE_SENDS:
        remember(m->up, id, now, 0);
        break;
    case TRUTH_PASSES_UP:
        packet = truth_take(m->up, id);
        if (packet)
            add_way(&m->access_up, now - packet->at_ns);
        break;
    default:
        break;
    }
    return 0;
}

static void see_tcp(struct truth *t, const struct truth_sighting *seen, const struct ip_packet *p,
                    uint32_t number, int64_t now)
{
    struct truth_mobile *m = &t->mobiles[seen->mobile];
    bool is_up = seen->place == TRUTH_MOBILE_SENDS || seen->place == TRUTH_PASSES_UP;
    struct truth_conn *c = truth_find(t, seen->mobile, is_up ? p->tcp.src_port : p->tcp.dst_port,
                                      is_up ? p->tcp.dst_port : p->tcp.src_port);
    bool opens = seen->place == TRUTH_PASSES_UP && (p->tcp.flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    if (opens && (!c || c->isn != p->tcp.seq)) {
        c = truth_add(t, seen->mobile, &p->tcp);
        c->setup.quiet_ns = m->last_passed_ns == TRUTH_NEVER ? -1 : now - m->last_passed_ns;
    }
    if (!c)
        return;
    switch (seen->place) {
    case TRUTH_SERVER_SENDS:
        server_sends(c, p);
        break;
    case TRUTH_INTERNET_LOSES:
        c->data.internet_lost += p->payload_octets > 0;
        break;
    case TRUTH_PASSES_DOWN:
        passes_down(c, p, seen->octets, now);
        remember(m->down, p->ip.id, now, p->payload_octets ? (uint32_t)c->data.passed : 0);
        break;
    case TRUTH_REACHES_MOBILE:
        reaches_mobile(c, p, number, m);
        break;
    case TRUTH_PASSES_UP:
        passes_up(c, p, seen->octets, now);
        break;
    case TRUTH_MOBILE_SENDS:
        break;
    }
}

void truth_see(struct truth *t, const struct truth_sighting *seen, int64_t now)
{
    struct ip_packet p;
    if (!t->mobiles || seen->mobile >= t->mobile_count ||
        ip_packet_decode(&p, seen->packet, seen->octets) < 0)
        return;
    struct truth_mobile *m = &t->mobiles[seen->mobile];
    uint32_t number = see_any(t, seen, p.ip.id, now);
    if (seen->place == TRUTH_PASSES_DOWN)
        remember(m->down, p.ip.id, now, 0);
    if (p.ip.proto == IPV4_PROTO_TCP)
        see_tcp(t, seen, &p, number, now);
    if (seen->place == TRUTH_PASSES_DOWN || seen->place == TRUTH_PASSES_UP)
        m->last_passed_ns = now;
}

enum truth_branch truth_branch_of(const struct truth_conn *c)
{
    const struct truth_setup *s = &c->setup;
    if (s->ack_ns != TRUTH_NEVER)
        return s->syns == 1 && s->syn_acks == 1 ? TRUTH_OPTIMAL : TRUTH_SLIGHT;
    if (s->syn_acks)
        return s->is_reset ? TRUTH_RESET : TRUTH_SILENT;
    return s->is_reset ? TRUTH_REFUSED : TRUTH_NO_RESPONSE;
}
