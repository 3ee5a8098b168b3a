/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gb_sndcp.h"

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"

#include <stdlib.h>
#include <string.h>

enum { ASSEMBLIES = 4096, LINE_OCTETS = 64, WINDOW = LLC_NU_MODULUS / 2 };

static void would_begin(struct gb_n_pdus *n)
{
    struct compression_entity *header = &n->would[COMPRESSION_RFC1144], *data = &n->would[COMPRESSION_V42BIS];
    header->params = (struct compression_params){
        .nsapis = UINT16_MAX, .slots = GB_WOULD_SLOTS, .kind = COMPRESSION_RFC1144, .first = 1, .second = 2};
    data->params = (struct compression_params){.nsapis = UINT16_MAX,
                                               .codewords = GB_WOULD_CODEWORDS,
                                               .string_octets = GB_WOULD_STRING_OCTETS,
                                               .kind = COMPRESSION_V42BIS,
                                               .first = 1};
    header->sends = data->sends = true;
    header->next = data;
}

bool gb_sndcp_new(struct gb_sndcp *s, const struct gb_sndcp_limits *limits)
{
    const struct compression_settings settings = {.entities = 1, .codewords = V42BIS_CODEWORDS_MAX};
    uint32_t assemblies = limits->flows < ASSEMBLIES ? limits->flows : ASSEMBLIES;
    s->assembly_sets = (assemblies + GB_ASSEMBLY_WAYS - 1) / GB_ASSEMBLY_WAYS;
    s->assemblies = calloc((size_t)s->assembly_sets * GB_ASSEMBLY_WAYS, sizeof(*s->assemblies));
    s->would_left = limits->would;
    would_begin(&s->ways[GB_DOWNLINK]);
    would_begin(&s->ways[GB_UPLINK]);
    bool has_scratch = compression_scratch_new(&s->scratch, &settings);
    bool has_would = compression_scratch_new(&s->would_scratch, &settings);
    bool has_entities = gb_entities_new(&s->entities, limits->flows, limits->entities);
    bool has_held = gi_pool_new(&s->held, assemblies, (sizeof(struct gb_held) + 7) / 8 * 8);
    return s->assemblies && has_held && has_scratch && has_would && has_entities;
}

void gb_sndcp_free(struct gb_sndcp *s)
{
    gb_entities_free(&s->entities);
    compression_scratch_free(&s->scratch);
    compression_scratch_free(&s->would_scratch);
    gi_pool_free(&s->held);
    free(s->assemblies);
}

/* --- N-PDUs --- */

/* A whole N-PDU as it passed, in octets that may be written over, with room in front and behind. */
struct whole {
    struct gb_flow *flow;
    enum gb_way way;
    struct compression_n_pdu n_pdu;
};

static struct vj_compressor *would_of(struct gb_sndcp *s, struct gb_flow *f, enum gb_way way)
{
    size_t octets = (vj_compressor_octets(GB_WOULD_SLOTS) + LINE_OCTETS - 1) / LINE_OCTETS * LINE_OCTETS;
    if (f->would[way] || (!f->would[!way] && s->would_left == 0))
        return f->would[way];
    s->would_left -= !f->would[!way];
    f->would[way] = aligned_alloc(LINE_OCTETS, octets);
    if (f->would[way])
        vj_compressor_start(f->would[way], GB_WOULD_SLOTS);
    return f->would[way];
}

static void add(struct compression_counts *counts, uint32_t before, uint32_t after)
{
    counts->n_pdus++;
    counts->compressed += after < before;
    counts->octets_before += before;
    counts->octets_after += after;
}

/* One more, of which there may be none. */
static void sum(struct compression_counts *to, const struct compression_counts *one, int sign)
{
    to->n_pdus += (uint32_t)sign * one->n_pdus;
    to->compressed += (uint32_t)sign * one->compressed;
    to->full += (uint32_t)sign * one->full;
    to->octets_before += (uint64_t)sign * one->octets_before;
    to->octets_after += (uint64_t)sign * one->octets_after;
}

static void sum_would(struct gb_would *to, const struct gb_would *one, int sign)
{
    sum(&to->all, &one->all, sign);
    for (unsigned i = 0; i < COMPRESSION_KINDS; i++)
        sum(&to->kinds[i], &one->kinds[i], sign);
}

/* Plain N-PDUs of a mobile that compresses are those that compression would not make shorter: they say
 * nothing about what it would save, and those before the capture's first compressed one count no longer. */
static void find_unknown(struct gb_sndcp *s, const struct whole *w, uint16_t gb_octets)
{
    struct gb_flow *f = w->flow;
    s->ways[w->way].unknown_octets += gb_octets;
    if (f->is_unknown[w->way])
        return;
    f->is_unknown[w->way] = true;
    s->entities.unknown++;
    sum_would(&s->ways[w->way].would_save, &f->saves[w->way], -1);
    f->saves[w->way] = (struct gb_would){0};
}

/* Compresses a plain N-PDU, for its octets alone. */
static void would_save(struct gb_sndcp *s, struct whole *w)
{
    struct gb_n_pdus *n = &s->ways[w->way];
    struct compression_entity *list = n->would;
    list->compressor = would_of(s, w->flow, w->way);
    if (!list->compressor) {
        n->would_no_room++;
        return;
    }
    list[COMPRESSION_RFC1144].params.sapi = list[COMPRESSION_V42BIS].params.sapi = w->n_pdu.sapi;
    w->n_pdu.is_ip = true;
    w->n_pdu.is_acknowledged = false;
    uint32_t before = w->n_pdu.octets;
    struct gb_would one = {0};
    for (unsigned i = 0; i < COMPRESSION_KINDS; i++)
        list[i].sent = (struct compression_counts){0};
    compression_pack(list, &s->would_scratch, &w->n_pdu);
    for (unsigned i = 0; i < COMPRESSION_KINDS; i++)
        one.kinds[i] = list[i].sent;
    add(&one.all, before, w->n_pdu.octets);
    sum_would(&n->would_save, &one, 1);
    sum_would(&w->flow->saves[w->way], &one, 1);
}

static void count_restored(struct gb_n_pdus *n, const struct compression_n_pdu *n_pdu, uint32_t gb_octets)
{
    uint32_t between = (uint32_t)n_pdu->octets - n_pdu->header_octets;
    n->n_pdus++;
    n->octets += n_pdu->octets;
    n->gb_octets += gb_octets;
    n->compressed += n_pdu->comp != 0;
    n->shorter += gb_octets < n_pdu->octets;
    if (n_pdu->comp & 15)
        add(&n->kinds[COMPRESSION_RFC1144], n_pdu->octets, between);
    n->kinds[COMPRESSION_RFC1144].full += n_pdu->has_full_header;
    if (n_pdu->comp >> 4)
        add(&n->kinds[COMPRESSION_V42BIS], between, gb_octets);
}

static bool is_ip(const struct compression_n_pdu *n_pdu)
{
    return n_pdu->octets > 0 && (n_pdu->data[0] >> 4 == 4 || n_pdu->data[0] >> 4 == 6);
}

/* The checksum of TCP covers what RFC 1144 restores: it is wrong where a loss has shifted the numbers. */
static bool is_sum_right(const struct compression_n_pdu *n_pdu)
{
    struct ipv4 ip;
    if (ipv4_decode(&ip, n_pdu->data, n_pdu->octets) < 0 ||
        (size_t)ip.header_octets + ip.payload_octets > n_pdu->octets)
        return false;
    uint32_t pseudo = (ip.src >> 16) + (ip.src & 0xffff) + (ip.dst >> 16) + (ip.dst & 0xffff) + ip.proto +
                      ip.payload_octets;
    uint16_t sum = ipv4_checksum(n_pdu->data + ip.header_octets, ip.payload_octets);
    return ipv4_checksum_add(sum, pseudo) == 0;
}

/* False: it is lost. */
static bool restore(struct gb_sndcp *s, struct whole *w)
{
    static const enum gb_lost reasons[] = {
        [COMPRESSION_NO_ENTITY] = GB_NO_ENTITY,
        [COMPRESSION_TOSSED] = GB_TOSSED,
        [COMPRESSION_BAD_HEADER] = GB_BAD_HEADER,
        [COMPRESSION_BAD_DATA] = GB_BAD_DATA,
    };
    struct compression_entity *list = w->flow->entities[w->way];
    uint16_t gb_octets = w->n_pdu.octets;
    compression_arrived(list, &w->n_pdu);
    if (w->n_pdu.comp == 0)
        return true;
    if (w->n_pdu.is_acknowledged && w->n_pdu.comp >> 4 && w->flow->order[w->way].is_broken) {
        s->ways[w->way].lost[GB_TOSSED]++;
        return false;
    }
    enum compression_fate fate =
        compression_unpack(list, &s->scratch, &w->n_pdu, (size_t)(w->n_pdu.data - s->n_pdu));
    bool is_wrong = fate == COMPRESSION_DONE && w->n_pdu.comp & 15 && !is_sum_right(&w->n_pdu);
    if (fate == COMPRESSION_NO_ENTITY)
        find_unknown(s, w, gb_octets);
    if (fate != COMPRESSION_DONE)
        s->ways[w->way].lost[reasons[fate]]++;
    s->ways[w->way].lost[GB_SHIFTED] += is_wrong;
    return fate == COMPRESSION_DONE && !is_wrong;
}

static void take(struct gb_sndcp *s, struct whole *w, const uint8_t *octets)
{
    uint32_t gb_octets = w->n_pdu.octets;
    w->n_pdu.data = s->n_pdu + VJ_TAKEN_HEADER_OCTETS;
    memcpy(w->n_pdu.data, octets, gb_octets);
    if (!restore(s, w))
        return;
    count_restored(&s->ways[w->way], &w->n_pdu, gb_octets);
    if (s->on_n_pdu && is_ip(&w->n_pdu))
        s->on_n_pdu(s->to, w->way, w->n_pdu.data, w->n_pdu.octets);
    if (w->n_pdu.comp == 0 && !w->flow->is_unknown[w->way] &&
        !gb_entities_has(w->flow, w->way, w->n_pdu.nsapi))
        would_save(s, w);
}

/* --- segments --- */

static struct gb_assembly *assembly_at(const struct gb_sndcp *s, uint64_t key)
{
    static const struct siphash_key spread = {1, 2};
    return s->assemblies + siphash_u64(&spread, key) % s->assembly_sets * GB_ASSEMBLY_WAYS;
}

/* The N-PDU in assembly with a key, or NULL. */
static struct gb_assembly *assembly_find(const struct gb_sndcp *s, uint64_t key)
{
    struct gb_assembly *set = assembly_at(s, key);
    for (unsigned i = 0; i < GB_ASSEMBLY_WAYS; i++)
        if (set[i].key == key)
            return &set[i];
    return NULL;
}

/* One that passes: SN-DATA as what SN-UNITDATA would be. */
struct gb_segment {
    struct sndcp sndcp;
    const uint8_t *data;
    size_t octets;
    int64_t at_ns;
    bool is_acknowledged;
};

static void give_up(struct gb_sndcp *s, struct gb_assembly *a)
{
    if (!a || a->key == 0)
        return;
    s->ways[a->key & 1].lost[GB_INCOMPLETE]++;
    a->key = 0;
}

/* A place for a key: its own, a free one, or that of the N-PDU that has waited longest. */
static struct gb_assembly *assembly_take(struct gb_sndcp *s, uint64_t key)
{
    struct gb_assembly *best = assembly_find(s, key), *set = assembly_at(s, key);
    for (unsigned i = 0; !best && i < GB_ASSEMBLY_WAYS; i++)
        best = set[i].key ? NULL : &set[i];
    if (!best)
        best = set;
    for (unsigned i = 0; best->key && best->key != key && i < GB_ASSEMBLY_WAYS; i++)
        best = set[i].last_ns < best->last_ns ? &set[i] : best;
    give_up(s, best);
    best->key = key;
    return best;
}

static bool append(struct gb_assembly *a, const uint8_t *data, size_t octets)
{
    if (a->octets + octets > sizeof(a->data))
        return false;
    memcpy(a->data + a->octets, data, octets);
    a->octets = (uint16_t)(a->octets + octets);
    a->expected++;
    return true;
}

/* The N-PDU that a segment belongs to, with its data; NULL: its begin, or what is between, is missing. */
static struct gb_assembly *put(struct gb_sndcp *s, uint64_t key, const struct sndcp *in, const uint8_t *data,
                               size_t octets)
{
    struct gb_assembly *a = in->first ? assembly_take(s, key) : assembly_find(s, key);
    if (in->first) {
        a->number = in->n_pdu_number;
        a->comp = in->comp;
        a->expected = 0;
        a->octets = 0;
    }
    if (a && a->number == in->n_pdu_number && a->expected == in->segment && append(a, data, octets))
        return a;
    give_up(s, a);
    return NULL;
}

/* A segment of a flow. */
static void take_segment(struct gb_sndcp *s, struct gb_flow *f, enum gb_way way, uint64_t key,
                         const struct gb_segment *segment)
{
    const struct sndcp *in = &segment->sndcp;
    struct gb_assembly *a = put(s, key, in, segment->data, segment->octets);
    if (!a)
        return;
    a->last_ns = segment->at_ns;
    if (in->more)
        return;
    a->key = 0;
    struct whole w = {.flow = f,
                      .way = way,
                      .n_pdu = {.octets = a->octets,
                                .number = a->number,
                                .sapi = f->sapi,
                                .nsapi = in->nsapi,
                                .comp = a->comp,
                                .is_acknowledged = segment->is_acknowledged}};
    take(s, &w, a->data);
}

static uint64_t assembly_key(const struct gb_flow *f, uint8_t nsapi, enum gb_way way)
{
    return ((uint64_t)f->tlli << 8 | (uint64_t)f->sapi << 4 | nsapi) << 1 | way;
}

static void read_segment(struct gb_sndcp *s, struct gb_flow *f, const struct gb_sndcp_frame *frame,
                         const uint8_t *info, size_t octets)
{
    struct gb_segment segment = {.at_ns = frame->at_ns};
    int at = sndcp_decode(&segment.sndcp, info, octets);
    if (at < 0) {
        s->ways[frame->way].unread[GB_MALFORMED]++;
        return;
    }
    segment.data = info + at;
    segment.octets = octets - (size_t)at;
    take_segment(s, f, frame->way, assembly_key(f, segment.sndcp.nsapi, frame->way), &segment);
}

/* An I frame. 0 octets: it cannot be read, or the capture lacks it. */
struct arrival {
    const uint8_t *info;
    size_t octets;
    int64_t at_ns;
    uint16_t number; /* N(S) */
    enum gb_way way;
};

/* SN-DATA has no segment numbers: LLC keeps the order. */
static void read_sn_data(struct gb_sndcp *s, struct gb_flow *f, const struct arrival *frame)
{
    struct sn_data in;
    int at = sn_data_decode(&in, frame->info, frame->octets);
    if (at < 0) {
        s->ways[frame->way].unread[GB_MALFORMED]++;
        return;
    }
    uint64_t key = assembly_key(f, in.nsapi, frame->way);
    const struct gb_assembly *a = in.first ? NULL : assembly_find(s, key);
    const struct gb_segment segment = {.sndcp = {.n_pdu_number = a ? a->number : in.number,
                                                 .nsapi = in.nsapi,
                                                 .segment = a ? a->expected : 0,
                                                 .comp = in.comp,
                                                 .first = in.first,
                                                 .more = in.more},
                                       .data = frame->info + at,
                                       .octets = frame->octets - (size_t)at,
                                       .at_ns = frame->at_ns,
                                       .is_acknowledged = true};
    take_segment(s, f, frame->way, key, &segment);
}

/* --- the order of I frames --- */

/* The capture lacks a frame, or it cannot be read. */
static void skip(struct gb_sndcp *s, struct gb_flow *f, enum gb_way way)
{
    f->order[way].is_broken = true;
    compression_restart(f->entities[way], f->sapi);
    for (uint8_t nsapi = SNDCP_NSAPI_MIN; nsapi <= SNDCP_NSAPI_MAX; nsapi++)
        give_up(s, assembly_find(s, assembly_key(f, nsapi, way)));
}

static void deliver(struct gb_sndcp *s, struct gb_flow *f, const struct arrival *frame)
{
    struct gb_order *o = &f->order[frame->way];
    o->next = (o->next + 1) % LLC_NU_MODULUS;
    if (frame->octets)
        read_sn_data(s, f, frame);
    else
        skip(s, f, frame->way);
}

/* Takes a held frame from its list. NULL: none has the number. */
static struct gb_held *held_take(struct gb_sndcp *s, struct gb_order *o, uint16_t number, uint32_t *at)
{
    uint32_t *before = &o->held;
    while (*before != GI_POOL_NONE) {
        struct gb_held *held = gi_pool_at(&s->held, *before);
        if (held->number == number) {
            *at = *before;
            *before = held->next;
            return held;
        }
        before = &held->next;
    }
    return NULL;
}

static void deliver_held(struct gb_sndcp *s, struct gb_flow *f, enum gb_way way, int64_t at_ns)
{
    struct gb_order *o = &f->order[way];
    struct gb_held *held;
    uint32_t at;
    while ((held = held_take(s, o, o->next, &at)) != NULL) {
        deliver(s, f,
                &(struct arrival){.info = held->info,
                                  .octets = held->octets,
                                  .at_ns = at_ns,
                                  .number = held->number,
                                  .way = way});
        gi_pool_put(&s->held, at);
    }
}

static void held_drop(struct gb_sndcp *s, struct gb_order *o)
{
    while (o->held != GI_POOL_NONE) {
        uint32_t at = o->held;
        o->held = ((struct gb_held *)gi_pool_at(&s->held, at))->next;
        gi_pool_put(&s->held, at);
    }
}

/* Without room the gap and all that is held counts as lost. */
static void hold(struct gb_sndcp *s, struct gb_flow *f, const struct arrival *frame)
{
    struct gb_order *o = &f->order[frame->way];
    uint32_t at = gi_pool_take(&s->held);
    if (at == GI_POOL_NONE) {
        s->ways[frame->way].lost[GB_NO_ROOM]++;
        held_drop(s, o);
        skip(s, f, frame->way);
        o->next = (frame->number + 1) % LLC_NU_MODULUS;
        return;
    }
    struct gb_held *held = gi_pool_at(&s->held, at);
    held->number = frame->number;
    held->octets = (uint16_t)frame->octets;
    memcpy(held->info, frame->info, frame->octets);
    held->next = o->held;
    o->held = at;
}

static void arrive(struct gb_sndcp *s, struct gb_flow *f, const struct arrival *frame)
{
    struct gb_order *o = &f->order[frame->way];
    if (!o->is_open) {
        o->is_open = o->is_broken = true;
        o->next = frame->number;
    }
    unsigned ahead = (unsigned)(frame->number - o->next) % LLC_NU_MODULUS;
    if (ahead == 0) {
        deliver(s, f, frame);
        deliver_held(s, f, frame->way, frame->at_ns);
    } else if (ahead < WINDOW) {
        hold(s, f, frame);
    }
}

void gb_sndcp_missed(struct gb_sndcp *s, uint32_t tlli, uint8_t sapi, enum gb_way way, uint16_t number)
{
    struct gb_flow *f = gb_entities_find(&s->entities, tlli, sapi);
    if (f && f->order[way].is_open)
        arrive(s, f, &(struct arrival){.info = s->n_pdu, .number = number, .way = way});
}

void gb_sndcp_established(struct gb_sndcp *s, uint32_t tlli, uint8_t sapi)
{
    struct gb_flow *f = gb_entities_flow(&s->entities, tlli, sapi);
    for (unsigned way = 0; f && way < GB_WAYS; way++) {
        held_drop(s, &f->order[way]);
        skip(s, f, (enum gb_way)way);
        f->order[way] = (struct gb_order){.held = GI_POOL_NONE, .is_open = true};
    }
}

/* --- frames --- */

static bool is_right(const struct llc *llc, const struct gb_sndcp_frame *frame)
{
    return llc_fcs_is_right(frame->octets, llc->header_octets, llc->info_octets, llc->pm);
}

static void read_ui(struct gb_sndcp *s, const struct llc *llc, const struct gb_sndcp_frame *frame)
{
    struct gb_n_pdus *n = &s->ways[frame->way];
    n->llc_octets += frame->count;
    if (llc->e || frame->captured < frame->count || !is_right(llc, frame)) {
        n->unread[llc->e ? GB_CIPHERED : frame->captured < frame->count ? GB_CUT : GB_DAMAGED]++;
        return;
    }
    struct gb_flow *f = gb_entities_flow(&s->entities, frame->tlli, llc->sapi);
    if (f)
        read_segment(s, f, frame, frame->octets + llc->header_octets, llc->info_octets);
    else
        n->lost[GB_NO_ROOM]++;
}

void gb_sndcp_read(struct gb_sndcp *s, const struct llc *llc, const struct gb_sndcp_frame *frame)
{
    bool is_whole = frame->captured >= frame->count;
    if (llc->format == LLC_U && llc->command == LLC_XID && is_whole && is_right(llc, frame))
        gb_entities_xid(&s->entities, frame->tlli, llc, frame->way, frame->octets + llc->header_octets);
    if (llc->format == LLC_I && llc_is_sapi_data(llc->sapi))
        s->ways[frame->way].llc_octets += frame->count;
    if (llc->format == LLC_UI && llc_is_sapi_data(llc->sapi))
        read_ui(s, llc, frame);
}

void gb_sndcp_i_frame(struct gb_sndcp *s, const struct llc_abm *in, const struct gb_sndcp_frame *frame)
{
    struct gb_n_pdus *n = &s->ways[frame->way];
    size_t head = llc_abm_octets(in), octets = frame->count - LLC_FCS_OCTETS - head;
    bool is_cut = frame->captured < frame->count;
    struct gb_flow *f =
        llc_is_sapi_data(in->sapi) ? gb_entities_flow(&s->entities, frame->tlli, in->sapi) : NULL;
    if (!f) {
        n->lost[GB_NO_ROOM] += llc_is_sapi_data(in->sapi);
        return;
    }
    bool is_good =
        !is_cut && octets <= SNDCP_N201_U_MAX_OCTETS && llc_fcs_is_right(frame->octets, head, octets, true);
    if (!is_good)
        n->unread[is_cut ? GB_CUT : GB_DAMAGED]++;
    arrive(s, f,
           &(struct arrival){.info = frame->octets + head,
                             .octets = is_good ? octets : 0,
                             .at_ns = frame->at_ns,
                             .number = in->ns,
                             .way = frame->way});
}
