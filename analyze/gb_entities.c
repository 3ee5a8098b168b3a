/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gb_entities.h"

#include "dataplane/compression/vj.h"
#include "dataplane/wire/sndcp_xid.h"

#include <stdlib.h>
#include <string.h>

enum {
    TLLI_IS_LOCAL_OR_FOREIGN = 1U << 31,
    TLLI_IS_LOCAL = 1U << 30,
    NSAPIS = 0xffe0,
    LINE_OCTETS = 64,
};

static const uint8_t data_sapis[] = {LLC_SAPI_DATA_3, LLC_SAPI_DATA_5, LLC_SAPI_DATA_9, LLC_SAPI_DATA_11};

bool gb_entities_new(struct gb_entities *e, uint32_t flows, uint32_t entities)
{
    e->limit = GB_WAYS * entities;
    return gi_pool_new(&e->flows, flows, sizeof(struct gb_flow)) && u64_map_new(&e->map, flows);
}

uint32_t gb_entities_tlli(uint32_t tlli)
{
    return tlli | (tlli & TLLI_IS_LOCAL_OR_FOREIGN ? TLLI_IS_LOCAL : 0);
}

static uint64_t key_of(uint32_t tlli, uint8_t sapi)
{
    return (uint64_t)gb_entities_tlli(tlli) << 8 | sapi;
}

struct gb_flow *gb_entities_find(const struct gb_entities *e, uint32_t tlli, uint8_t sapi)
{
    uint32_t number = u64_map_get(&e->map, key_of(tlli, sapi));
    return number == U64_MAP_NONE ? NULL : gi_pool_at(&e->flows, number);
}

struct gb_flow *gb_entities_flow(struct gb_entities *e, uint32_t tlli, uint8_t sapi)
{
    struct gb_flow *f = gb_entities_find(e, tlli, sapi);
    uint32_t number = f ? GI_POOL_NONE : gi_pool_take(&e->flows);
    if (number == GI_POOL_NONE)
        return f;
    u64_map_add(&e->map, key_of(tlli, sapi), number);
    f = gi_pool_at(&e->flows, number);
    f->tlli = gb_entities_tlli(tlli);
    f->sapi = sapi;
    f->order[GB_DOWNLINK].held = f->order[GB_UPLINK].held = GI_POOL_NONE;
    return f;
}

bool gb_entities_has(const struct gb_flow *f, enum gb_way way, uint8_t nsapi)
{
    const struct compression_entity *entity = f->entities[way];
    while (entity && !(entity->receives && entity->params.nsapis >> nsapi & 1))
        entity = entity->next;
    return entity;
}

/* --- one entity --- */

static size_t lines(size_t octets)
{
    return (octets + LINE_OCTETS - 1) / LINE_OCTETS * LINE_OCTETS;
}

/* Nothing is sent: both ends of an entity have the same memory, of which the receiving one is begun last. */
static struct compression_entity *allocate(const struct compression_params *params)
{
    bool is_header = params->kind == COMPRESSION_RFC1144;
    size_t head = lines(sizeof(struct compression_entity));
    size_t octets = is_header ? vj_decompressor_octets(params->slots) : v42bis_octets(params->codewords);
    uint8_t *memory = aligned_alloc(LINE_OCTETS, head + lines(octets));
    struct compression_entity *entity = (struct compression_entity *)(void *)memory;
    if (!entity)
        return NULL;
    memset(memory, 0, head);
    if (is_header) {
        entity->compressor = (struct vj_compressor *)(void *)(memory + head);
        entity->decompressor = (struct vj_decompressor *)(void *)(memory + head);
    } else {
        entity->encoder = entity->decoder = (struct v42bis *)(void *)(memory + head);
        entity->has_dictionaries = true;
    }
    return entity;
}

static void end_one(struct gb_entities *e, struct gb_flow *f, enum gb_way way,
                    struct compression_entity *entity)
{
    struct compression_entity **before = &f->entities[way];
    while (*before != entity)
        before = &(*before)->next;
    *before = entity->next;
    free(entity);
    e->count--;
}

static void end_all(struct gb_entities *e, struct gb_flow *f)
{
    for (unsigned way = 0; way < GB_WAYS; way++) {
        f->asked_octets[way] = 0;
        f->is_unknown[way] = false;
        while (f->entities[way])
            end_one(e, f, (enum gb_way)way, f->entities[way]);
    }
}

void gb_entities_free(struct gb_entities *e)
{
    for (uint32_t i = 0; i < e->flows.touched; i++) {
        struct gb_flow *f = gi_pool_at(&e->flows, i);
        end_all(e, f);
        free(f->would[GB_DOWNLINK]);
        free(f->would[GB_UPLINK]);
    }
    gi_pool_free(&e->flows);
    if (e->map.slots)
        u64_map_free(&e->map);
}

static bool is_supported(const struct compression_params *params)
{
    bool is_numbered = params->first >= 1 && params->first <= 15 && params->second <= 15;
    if (params->kind == COMPRESSION_RFC1144)
        return is_numbered && params->second && params->slots >= 1 && params->slots <= VJ_MAX_SLOTS;
    return is_numbered && params->codewords >= V42BIS_CODEWORDS_MIN &&
           params->codewords <= V42BIS_CODEWORDS_MAX && params->string_octets >= V42BIS_STRING_MIN_OCTETS &&
           params->string_octets <= V42BIS_STRING_MAX_OCTETS;
}

static bool begin(struct gb_entities *e, struct gb_flow *f, enum gb_way way,
                  const struct compression_params *params)
{
    struct compression_entity *entity = e->count < e->limit ? allocate(params) : NULL;
    if (!entity)
        return false;
    e->count++;
    entity->next = f->entities[way];
    f->entities[way] = entity;
    compression_start(entity, params, way == GB_UPLINK);
    f->order[way].is_broken &= params->kind != COMPRESSION_V42BIS;
    return true;
}

static bool is_same(const struct compression_params *a, const struct compression_params *b)
{
    return a->nsapis == b->nsapis && a->slots == b->slots && a->codewords == b->codewords &&
           a->string_octets == b->string_octets && a->directions == b->directions && a->first == b->first &&
           a->second == b->second;
}

/* An entity that is agreed on again as it was keeps its state: its sender begins with whole headers. */
static void set(struct gb_entities *e, struct gb_flow *f, const struct compression_params *params)
{
    bool has_room = true;
    for (unsigned way = 0; way < GB_WAYS; way++) {
        struct compression_entity *entity =
            compression_find(f->entities[way], params->sapi, params->kind, params->number);
        if (entity && is_same(&entity->params, params))
            continue;
        if (entity)
            end_one(e, f, (enum gb_way)way, entity);
        if (params->nsapis)
            has_room &= is_supported(params) && begin(e, f, (enum gb_way)way, params);
    }
    e->no_room += !has_room;
}

/* --- proposals and answers --- */

static int kind_of(const struct sndcp_xid_entity *in)
{
    bool is_header = in->kind == SNDCP_XID_HEADER;
    unsigned ours = is_header ? SNDCP_XID_RFC1144 : SNDCP_XID_V42BIS;
    if (in->is_proposal && in->algorithm != ours)
        return -1;
    return is_header ? COMPRESSION_RFC1144 : COMPRESSION_V42BIS;
}

/* Parameters that are not there stay as they are. */
static void bound(struct compression_params *params, const struct sndcp_xid_entity *in)
{
    struct sndcp_xid_parameters values = {0};
    sndcp_xid_parameters_decode(&values, in->kind, 0, in->parameters, in->parameter_octets);
    if (params->kind == COMPRESSION_RFC1144) {
        params->slots = values.count > 0 ? (uint16_t)(values.value[0] + 1) : params->slots;
        return;
    }
    params->directions = values.count > 0 ? values.value[0] & 3 : params->directions;
    params->codewords = values.count > 1 ? values.value[1] : params->codewords;
    params->string_octets = values.count > 2 ? (uint8_t)values.value[2] : params->string_octets;
}

/* Parameters of an entity before a proposal: the defaults of a new one. False: a change of an unknown one. */
static bool before(struct compression_params *params, const struct gb_flow *f,
                   const struct sndcp_xid_entity *in, int kind)
{
    const struct compression_entity *old =
        compression_find(f->entities[GB_DOWNLINK], f->sapi, (uint8_t)kind, in->number);
    if (!in->is_proposal) {
        if (old)
            *params = old->params;
        return old;
    }
    memset(params, 0, sizeof(*params));
    params->slots = 16;
    params->codewords = 2048;
    params->string_octets = 20;
    params->directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK;
    if (kind == COMPRESSION_RFC1144)
        params->codewords = params->string_octets = params->directions = 0;
    else
        params->slots = 0;
    params->kind = (uint8_t)kind;
    params->sapi = f->sapi;
    params->number = in->number;
    params->first = in->values[0];
    params->second = kind == COMPRESSION_RFC1144 ? in->values[1] : 0;
    return true;
}

static const struct sndcp_xid_entity *answer_to(const struct sndcp_xid *answers,
                                                const struct sndcp_xid_entity *in)
{
    for (unsigned i = 0; i < answers->count; i++) {
        const struct sndcp_xid_entity *answer = &answers->entities[i];
        if (answer->kind == in->kind && answer->number == in->number && !answer->is_proposal)
            return answer;
    }
    return NULL;
}

static void settle(struct gb_entities *e, struct gb_flow *f, const struct sndcp_xid_entity *in,
                   const struct sndcp_xid_entity *answer)
{
    struct compression_params params;
    int kind = kind_of(in);
    uint16_t nsapis = answer ? in->nsapis & answer->nsapis & NSAPIS : 0;
    e->proposals++;
    if (kind < 0 || !before(&params, f, in, kind)) {
        e->refused += nsapis == 0;
        e->no_room += nsapis != 0;
        return;
    }
    params.nsapis = nsapis;
    bound(&params, in);
    if (answer)
        bound(&params, answer);
    e->refused += nsapis == 0;
    if (nsapis)
        ++*(in->is_proposal ? &e->agreed[kind] : &e->changed);
    set(e, f, &params);
}

static void take_answer(struct gb_entities *e, struct gb_flow *f, enum gb_way asker,
                        const struct llc_xid *xid)
{
    struct sndcp_xid proposed = {0}, answers = {0};
    uint8_t octets = f->asked_octets[asker];
    f->asked_octets[asker] = 0;
    if (octets == 0 || sndcp_xid_decode(&proposed, f->asked[asker], octets) < 0)
        return;
    if (xid->has & 1U << LLC_XID_L3)
        sndcp_xid_decode(&answers, xid->l3, xid->l3_octets);
    for (unsigned i = 0; i < proposed.count; i++)
        settle(e, f, &proposed.entities[i], answer_to(&answers, &proposed.entities[i]));
}

/* LLC's Reset ends all entities of the mobile. */
static void reset(struct gb_entities *e, uint32_t tlli)
{
    for (unsigned i = 0; i < sizeof(data_sapis); i++) {
        struct gb_flow *f = gb_entities_find(e, tlli, data_sapis[i]);
        if (f)
            end_all(e, f);
    }
}

void gb_entities_xid(struct gb_entities *e, uint32_t tlli, const struct llc *llc, enum gb_way way,
                     const uint8_t *info)
{
    struct llc_xid xid;
    bool is_command = llc->cr == (way == GB_DOWNLINK);
    if (llc_xid_decode(&xid, info, llc->info_octets) < 0)
        return;
    if (is_command && xid.has & 1U << LLC_XID_RESET)
        reset(e, tlli);
    bool has_entities = xid.has & 1U << LLC_XID_L3 && xid.l3_octets;
    struct gb_flow *f = is_command && has_entities ? gb_entities_flow(e, tlli, llc->sapi)
                                                   : gb_entities_find(e, tlli, llc->sapi);
    if (f && is_command && has_entities) {
        f->asked_octets[way] = xid.l3_octets;
        memcpy(f->asked[way], xid.l3, xid.l3_octets);
    } else if (f && !is_command) {
        take_answer(e, f, way == GB_DOWNLINK ? GB_UPLINK : GB_DOWNLINK, &xid);
    }
}
