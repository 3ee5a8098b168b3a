/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gb_links.h"

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ns.h"

#include <string.h>

enum {
    HALF = LLC_NU_MODULUS / 2,
    TLLI_IS_LOCAL_OR_FOREIGN = 1U << 31,
    TLLI_IS_LOCAL = 1U << 30,
};

/* Marks of first_ns. */
enum {
    NOT_SEEN = -1,  /* a gap */
    CONFIRMED = -2, /* seen or not */
    BEFORE = -3,    /* in front of the first number that the monitor knows */
};

bool gb_links_new(struct gb_links *g, uint32_t limit)
{
    return gi_pool_new(&g->pool, limit, sizeof(struct gb_link)) && u64_map_new(&g->map, limit) &&
           u64_map_new(&g->peers, GB_LINKS_PEERS);
}

void gb_links_free(struct gb_links *g)
{
    gi_pool_free(&g->pool);
    if (g->map.slots)
        u64_map_free(&g->map);
    if (g->peers.slots)
        u64_map_free(&g->peers);
}

static uint16_t number_after(uint16_t n, unsigned by)
{
    return (uint16_t)((n + by) % LLC_NU_MODULUS);
}

static unsigned steps(uint16_t from, uint16_t to)
{
    return (unsigned)(to - from) % LLC_NU_MODULUS;
}

static int64_t *first_of(struct gb_numbers *n, uint16_t number)
{
    return &n->first_ns[number % GB_LINKS_RING];
}

static void begin(struct gb_numbers *n, uint16_t number)
{
    n->vs = n->va = number;
    n->is_open = true;
    for (unsigned i = 0; i < GB_LINKS_RING; i++)
        n->first_ns[i] = BEFORE;
}

static void advance(struct gb_numbers *n, uint16_t to)
{
    while (n->vs != to) {
        *first_of(n, n->vs) = NOT_SEEN;
        n->vs = number_after(n->vs, 1);
        if (steps(n->va, n->vs) > GB_LINKS_RING)
            n->va = number_after(n->va, 1);
    }
}

static void take_back(struct gb_link *l)
{
    for (unsigned way = 0; way < GB_WAYS; way++) {
        struct gb_numbers *n = &l->numbers[way];
        for (uint16_t i = n->va; n->is_open && i != n->vs; i = number_after(i, 1))
            l->frames[way].taken_back += *first_of(n, i) >= 0;
        n->is_open = false;
    }
}

/* --- I frames, and what confirms them --- */

static void sent(struct gb_link *l, enum gb_way way, const struct llc_abm *in, const struct gi_packet *p,
                 uint32_t octets)
{
    struct gb_numbers *n = &l->numbers[way];
    struct gb_frames *f = &l->frames[way];
    f->frames++;
    f->octets += octets;
    if (!n->is_open)
        begin(n, in->ns);
    if (steps(n->vs, in->ns) < HALF) {
        advance(n, number_after(in->ns, 1));
        *first_of(n, in->ns) = p->at_ns;
        return;
    }
    int64_t *first_ns = first_of(n, in->ns);
    f->late += *first_ns == NOT_SEEN;
    if (*first_ns >= 0 || *first_ns == CONFIRMED) {
        f->repeated++;
        f->repeated_octets += octets;
        f->needless += *first_ns == CONFIRMED;
    } else {
        *first_ns = p->at_ns;
    }
}

static void confirm(struct gb_links *g, struct gb_link *l, enum gb_way way, uint16_t number, int64_t now)
{
    int64_t *first_ns = first_of(&l->numbers[way], number);
    struct gb_frames *f = &l->frames[way];
    f->missed += *first_ns == NOT_SEEN;
    if (*first_ns >= 0) {
        f->confirmed++;
        gi_spread_add(&g->confirm_ns[way], now - *first_ns);
    }
    *first_ns = CONFIRMED;
}

/* The frame behind N(R) at this distance: of an ACK the next but one, of a SACK those of its bitmap. */
static bool is_named(const struct llc_abm *in, unsigned distance)
{
    if (in->supervisory == LLC_ACK)
        return distance == 1;
    unsigned bit = distance - 1;
    return in->supervisory == LLC_SACK && bit / 8 < in->bitmap_octets &&
           in->bitmap[bit / 8] & 0x80U >> bit % 8;
}

/* A report about the frames of the other direction. */
static void reported(struct gb_links *g, struct gb_link *l, enum gb_way way, const struct llc_abm *in,
                     int64_t now)
{
    struct gb_numbers *n = &l->numbers[way];
    if (!n->is_open)
        begin(n, in->nr);
    if (steps(n->va, in->nr) > GB_LINKS_RING)
        return; /* older than what is confirmed */
    if (steps(n->va, in->nr) > steps(n->va, n->vs))
        advance(n, in->nr);
    for (; n->va != in->nr; n->va = number_after(n->va, 1))
        confirm(g, l, way, n->va, now);
    for (unsigned i = 1; i < steps(in->nr, n->vs); i++) {
        if (is_named(in, i))
            confirm(g, l, way, number_after(in->nr, i), now);
    }
}

/* --- frames --- */

static bool is_abm(const struct llc *llc)
{
    bool is_u = llc->format == LLC_U &&
                (llc->command == LLC_SABM || llc->command == LLC_UA || llc->command == LLC_DISC ||
                 llc->command == LLC_DM || llc->command == LLC_FRMR);
    return is_u || llc->format == LLC_I || llc->format == LLC_S;
}

static void read_u(struct gb_link *l, uint8_t command)
{
    if (command == LLC_SABM || command == LLC_DISC) {
        l->pending = command;
        return;
    }
    if (command != LLC_UA && command != LLC_DM)
        return;
    take_back(l);
    if (command == LLC_UA && l->pending == LLC_SABM) {
        l->established++;
        begin(&l->numbers[GB_DOWNLINK], 0);
        begin(&l->numbers[GB_UPLINK], 0);
    }
    l->released += command == LLC_UA && l->pending == LLC_DISC;
    l->refused += command == LLC_DM && l->pending == LLC_SABM;
    l->pending = 0;
}

static void count(struct gb_links *g, const struct llc *llc)
{
    g->ui_frames += llc->format == LLC_UI;
    if (llc->format == LLC_U)
        g->u_frames[llc->command % 16]++;
    if (llc->format == LLC_S)
        g->s_frames[llc->supervisory % 4]++;
}

static struct gb_link *link_of(struct gb_links *g, uint32_t tlli, uint8_t sapi)
{
    tlli |= tlli & TLLI_IS_LOCAL_OR_FOREIGN ? TLLI_IS_LOCAL : 0;
    uint64_t key = (uint64_t)tlli << 8 | sapi;
    uint32_t number = u64_map_get(&g->map, key);
    if (number == U64_MAP_NONE) {
        number = gi_pool_take(&g->pool);
        if (number == GI_POOL_NONE)
            return NULL;
        u64_map_add(&g->map, key, number);
        struct gb_link *l = gi_pool_at(&g->pool, number);
        l->tlli = tlli;
        l->sapi = sapi;
    }
    return gi_pool_at(&g->pool, number);
}

static void read_frame(struct gb_links *g, const struct bssgp *in, const struct gi_packet *p)
{
    const struct ie_span *pdu = &in->llc_pdu;
    enum gb_way way = in->head.type == BSSGP_DL_UNITDATA ? GB_DOWNLINK : GB_UPLINK;
    struct llc llc;
    struct llc_abm abm;
    if (llc_decode(&llc, pdu->at, pdu->octets) < 0)
        return;
    count(g, &llc);
    struct gb_link *l = is_abm(&llc) ? link_of(g, in->tlli, llc.sapi) : NULL;
    g->refused += is_abm(&llc) && !l;
    if (!l)
        return;
    if (llc.format == LLC_U) {
        read_u(l, llc.command);
    } else if (llc_abm_decode(&abm, pdu->at, pdu->octets) > 0) {
        reported(g, l, way == GB_DOWNLINK ? GB_UPLINK : GB_DOWNLINK, &abm, p->at_ns);
        if (abm.is_i)
            sent(l, way, &abm, p, (uint32_t)pdu->octets);
    }
}

/* --- packets --- */

static uint64_t key_of(const struct gi_packet *p)
{
    uint64_t one = gi_users_hash(p->src) + (uint64_t)p->src_port * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t two = gi_users_hash(p->dst) + (uint64_t)p->dst_port * UINT64_C(0x9e3779b97f4a7c15);
    return gi_users_hash((struct gi_address){.high = one + two, .low = one ^ two});
}

static bool is_ns_between_peers(const struct gb_links *g, const struct gi_packet *p, const uint8_t *bytes,
                                size_t len)
{
    struct ns ns;
    return u64_map_get(&g->peers, key_of(p)) != U64_MAP_NONE && ns_decode(&ns, bytes, len) >= 0;
}

bool gb_links_read(struct gb_links *g, const struct gi_packet *p)
{
    struct bssgp in;
    uint16_t bvci;
    if (p->protocol != IPV4_PROTO_UDP || p->fragment.is_one || p->transport_captured < p->transport_octets ||
        p->transport_octets <= UDP_OCTETS)
        return false;
    const uint8_t *bytes = p->transport + UDP_OCTETS;
    size_t len = p->transport_octets - UDP_OCTETS;
    bool is_data = ns_unitdata_header_get(&bvci, bytes, len) > 0 &&
                   bssgp_decode(&in, bytes + NS_UNITDATA_HEADER_OCTETS, len - NS_UNITDATA_HEADER_OCTETS) > 0;
    if (!is_data && !is_ns_between_peers(g, p, bytes, len))
        return false;
    g->packets++;
    if (!is_data)
        return true;
    u64_map_put(&g->peers, key_of(p), 0);
    if (in.head.type == BSSGP_DL_UNITDATA || in.head.type == BSSGP_UL_UNITDATA)
        read_frame(g, &in, p);
    return true;
}

struct gb_frames gb_links_sum(const struct gb_links *g, enum gb_way way)
{
    struct gb_frames sum = {0};
    for (uint32_t i = 0; i < g->pool.touched; i++) {
        const struct gb_frames *f = &gb_links_at(g, i)->frames[way];
        sum.frames += f->frames;
        sum.octets += f->octets;
        sum.repeated += f->repeated;
        sum.repeated_octets += f->repeated_octets;
        sum.needless += f->needless;
        sum.late += f->late;
        sum.confirmed += f->confirmed;
        sum.missed += f->missed;
        sum.taken_back += f->taken_back;
    }
    return sum;
}
