/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gb_links.h"
#include "analyze/gb_entities.h"

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ns.h"

#include <string.h>

enum {
    HALF = LLC_NU_MODULUS / 2,
    CUT_OCTETS = 2048, /* of the longest payload that is read although it is cut */
};

/* Marks of first_ns. */
enum {
    NOT_SEEN = -1,  /* a gap */
    CONFIRMED = -2, /* seen or not */
    BEFORE = -3,    /* in front of the first number that the monitor knows */
};

bool gb_links_new(struct gb_links *g, uint32_t limit, const struct gb_sndcp_limits *sndcp)
{
    bool has_sndcp = gb_sndcp_new(&g->sndcp, sndcp);
    return has_sndcp && gi_pool_new(&g->pool, limit, sizeof(struct gb_link)) && u64_map_new(&g->map, limit) &&
           u64_map_new(&g->peers, GB_LINKS_PEERS);
}

void gb_links_free(struct gb_links *g)
{
    gb_sndcp_free(&g->sndcp);
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

static void gb_links_begin(struct gb_numbers *n, uint16_t number, bool is_joining)
{
    n->vs = n->va = n->joined = number;
    n->is_open = true;
    n->is_joining = is_joining;
    for (unsigned i = 0; i < GB_LINKS_RING; i++)
        n->first_ns[i] = BEFORE;
}

static void gb_links_advance(struct gb_numbers *n, uint16_t to)
{
    if (n->is_joining && steps(n->vs, to) > 1)
        n->joined = number_after(to, LLC_NU_MODULUS - 1);
    while (n->vs != to) {
        *first_of(n, n->vs) = n->is_joining ? BEFORE : NOT_SEEN;
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

/* An LLC-PDU that passes. */
struct passing {
    enum gb_way way;
    int64_t at_ns;
    uint32_t octets;
};

/* Whether its number was not seen before. */
static bool sent(struct gb_link *l, const struct llc_abm *in, const struct passing *pdu)
{
    struct gb_numbers *n = &l->numbers[pdu->way];
    struct gb_frames *f = &l->frames[pdu->way];
    f->frames++;
    f->octets += pdu->octets;
    if (!n->is_open)
        gb_links_begin(n, in->ns, true);
    if (steps(n->vs, in->ns) < HALF) {
        gb_links_advance(n, number_after(in->ns, 1));
        *first_of(n, in->ns) = pdu->at_ns;
        return true;
    }
    int64_t *first_ns = first_of(n, in->ns);
    f->late += *first_ns == NOT_SEEN;
    if (*first_ns >= 0 || *first_ns == CONFIRMED) {
        f->repeated++;
        f->repeated_octets += pdu->octets;
        f->needless += *first_ns == CONFIRMED;
        return false;
    }
    *first_ns = pdu->at_ns;
    return true;
}

static void confirm(struct gb_links *g, struct gb_link *l, enum gb_way way, uint16_t number, int64_t now)
{
    int64_t *first_ns = first_of(&l->numbers[way], number);
    struct gb_frames *f = &l->frames[way];
    f->missed += *first_ns == NOT_SEEN;
    if (*first_ns == NOT_SEEN)
        gb_sndcp_missed(&g->sndcp, l->tlli, l->sapi, way, number);
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
    if (!n->is_open || steps(n->va, in->nr) > GB_LINKS_RING)
        return; /* before the first frame, or older than what is confirmed */
    if (steps(n->va, in->nr) > steps(n->va, n->vs))
        gb_links_advance(n, in->nr);
    for (; n->va != in->nr; n->va = number_after(n->va, 1)) {
        confirm(g, l, way, n->va, now);
        n->is_joining = n->is_joining && n->va != n->joined;
    }
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

static void establish(struct gb_links *g, struct gb_link *l)
{
    take_back(l);
    gb_sndcp_established(&g->sndcp, l->tlli, l->sapi);
    l->established++;
    l->pending = 0;
    gb_links_begin(&l->numbers[GB_DOWNLINK], 0, false);
    gb_links_begin(&l->numbers[GB_UPLINK], 0, false);
}

/* A UA to a repetition, or to the second of two SABMs that crossed, says nothing new. */
static void take_ua(struct gb_links *g, struct gb_link *l)
{
    if (l->pending == LLC_SABM)
        establish(g, l);
    if (l->pending != LLC_DISC)
        return;
    take_back(l);
    l->released++;
    l->pending = 0;
}

static void read_u(struct gb_links *g, struct gb_link *l, enum gb_way way, uint8_t command)
{
    if (command == LLC_SABM || command == LLC_DISC) {
        l->pending = command;
        l->asker = way;
    }
    if (command == LLC_UA)
        take_ua(g, l);
    if (command != LLC_DM)
        return;
    take_back(l);
    l->refused += l->pending == LLC_SABM;
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
    tlli = gb_entities_tlli(tlli);
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

static void read_abm(struct gb_links *g, struct gb_link *l, const struct llc_abm *in,
                     const struct passing *pdu, const struct gb_sndcp_frame *frame)
{
    if (in->is_i && l->pending == LLC_SABM && l->asker == pdu->way)
        establish(g, l); /* the capture has missed the UA */
    reported(g, l, pdu->way == GB_DOWNLINK ? GB_UPLINK : GB_DOWNLINK, in, pdu->at_ns);
    if (in->is_i && sent(l, in, pdu))
        gb_sndcp_i_frame(&g->sndcp, in, frame);
}

static void read_frame(struct gb_links *g, const struct bssgp *in, const struct llc *llc, size_t captured,
                       int64_t now)
{
    const struct passing pdu = {.way = in->head.type == BSSGP_DL_UNITDATA ? GB_DOWNLINK : GB_UPLINK,
                                .at_ns = now,
                                .octets = (uint32_t)in->llc_pdu.octets};
    const struct gb_sndcp_frame frame = {.octets = in->llc_pdu.at,
                                         .count = in->llc_pdu.octets,
                                         .captured = captured,
                                         .tlli = in->tlli,
                                         .way = pdu.way,
                                         .at_ns = now};
    struct llc_abm abm;
    count(g, llc);
    gb_sndcp_read(&g->sndcp, llc, &frame);
    struct gb_link *l = is_abm(llc) ? link_of(g, in->tlli, llc->sapi) : NULL;
    g->refused += is_abm(llc) && !l;
    if (!l)
        return;
    if (llc->format == LLC_U)
        read_u(g, l, pdu.way, llc->command);
    else if (llc_abm_decode(&abm, in->llc_pdu.at, in->llc_pdu.octets) > 0)
        read_abm(g, l, &abm, &pdu, &frame);
}

/* --- packets --- */

static uint64_t ends_of(const struct gi_packet *p)
{
    return gi_users_pair(p->src, p->src_port, p->dst, p->dst_port);
}

/* The payload of a UDP packet; of a cut one in `copy`, with zeros for what is cut. NULL: it is too long for
 * that. */
static const uint8_t *payload_of(const struct gi_packet *p, uint8_t copy[CUT_OCTETS])
{
    size_t octets = p->transport_octets - UDP_OCTETS;
    if (p->transport_captured >= p->transport_octets)
        return p->transport + UDP_OCTETS;
    if (octets > CUT_OCTETS)
        return NULL;
    memset(copy, 0, octets);
    memcpy(copy, p->transport + UDP_OCTETS, p->transport_captured - UDP_OCTETS);
    return copy;
}

/* Decodes an NS-UNITDATA with an LLC-PDU. False: the octets are something else. */
static bool decode(struct bssgp *bssgp, struct llc *llc, const uint8_t *bytes, size_t octets)
{
    uint16_t bvci;
    const size_t before = NS_UNITDATA_HEADER_OCTETS;
    return ns_unitdata_header_get(&bvci, bytes, octets) > 0 && octets > before &&
           bytes[before] <= BSSGP_UL_UNITDATA && bssgp_decode(bssgp, bytes + before, octets - before) > 0 &&
           llc_decode(llc, bssgp->llc_pdu.at, bssgp->llc_pdu.octets) >= 0;
}

/* Octets from the start of the payload to the end of LLC's header. */
static size_t header_end(const struct bssgp *bssgp, const struct llc *llc, const uint8_t *bytes)
{
    bool has_bitmap = (llc->format == LLC_I || llc->format == LLC_S) && llc->supervisory == LLC_SACK;
    size_t octets = has_bitmap ? LLC_ABM_HEADER_MAX_OCTETS : llc->header_octets;
    return (size_t)(bssgp->llc_pdu.at - bytes) +
           (octets < bssgp->llc_pdu.octets ? octets : bssgp->llc_pdu.octets);
}

bool gb_links_read(struct gb_links *g, const struct gi_packet *p)
{
    uint8_t copy[CUT_OCTETS];
    struct bssgp bssgp;
    struct llc llc;
    if (p->protocol != IPV4_PROTO_UDP || p->fragment.is_one || p->transport_captured < UDP_OCTETS ||
        p->transport_octets <= UDP_OCTETS)
        return false;
    const uint8_t *bytes = payload_of(p, copy);
    bool is_frame = bytes && decode(&bssgp, &llc, bytes, p->transport_octets - UDP_OCTETS);
    if (is_frame)
        u64_map_put(&g->peers, ends_of(p), 0);
    else if (u64_map_get(&g->peers, ends_of(p)) == U64_MAP_NONE)
        return false;
    g->packets++;
    size_t captured = p->transport_captured - UDP_OCTETS;
    if (is_frame && header_end(&bssgp, &llc, bytes) <= captured)
        read_frame(g, &bssgp, &llc, captured - (size_t)(bssgp.llc_pdu.at - bytes), p->at_ns);
    else
        g->cut += p->transport_captured < p->transport_octets;
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
