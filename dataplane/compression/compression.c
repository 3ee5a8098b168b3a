/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/compression.h"

#include "dataplane/compression/v42bis_encode.h"
#include "dataplane/compression/vj.h"

#include <stdlib.h>
#include <string.h>

/* --- entities --- */

/* The first of a list that compresses this N-PDU's NSAPI so, or NULL. */
static struct compression_entity *entity_of(struct compression_entity *list,
                                            const struct compression_n_pdu *n_pdu, enum compression_kind kind)
{
    while (list && !(list->params.kind == kind && list->params.sapi == n_pdu->sapi &&
                     list->params.nsapis >> n_pdu->nsapi & 1))
        list = list->next;
    return list;
}

struct compression_entity *compression_find(struct compression_entity *list, uint8_t sapi, uint8_t kind,
                                            uint8_t number)
{
    while (list && !(list->params.sapi == sapi && list->params.kind == kind && list->params.number == number))
        list = list->next;
    return list;
}

static struct v42bis_params v42bis_params_of(const struct compression_params *params)
{
    return (struct v42bis_params){.codewords = params->codewords, .string_octets = params->string_octets};
}

/* An end that begins with each N-PDU, or the entity's own; NULL: it has none for acknowledged mode. */
static struct v42bis *end_of(const struct compression_entity *entity, struct compression_scratch *scratch,
                             bool is_acknowledged, bool is_encoder)
{
    struct v42bis_params params = v42bis_params_of(&entity->params);
    if (is_acknowledged)
        return !entity->has_dictionaries ? NULL : is_encoder ? entity->encoder : entity->decoder;
    struct v42bis *end = is_encoder ? scratch->encoder : scratch->decoder;
    v42bis_restart(end, &params);
    return end;
}

static void begin(struct compression_entity *entity)
{
    const struct compression_params *params = &entity->params;
    struct v42bis_params v42bis = v42bis_params_of(params);
    entity->known = 0;
    if (params->kind == COMPRESSION_RFC1144) {
        vj_compressor_start(entity->compressor, params->slots);
        vj_decompressor_start(entity->decompressor, params->slots);
    } else if (entity->has_dictionaries) {
        v42bis_setup(entity->encoder, &v42bis);
        v42bis_setup(entity->decoder, &v42bis);
    }
}

void compression_start(struct compression_entity *entity, const struct compression_params *params,
                       bool is_network)
{
    bool is_header = params->kind == COMPRESSION_RFC1144;
    bool is_down = is_header || params->directions & COMPRESSION_DOWNLINK;
    bool is_up = is_header || params->directions & COMPRESSION_UPLINK;
    entity->params = *params;
    entity->sends = is_network ? is_down : is_up;
    entity->receives = is_network ? is_up : is_down;
    begin(entity);
}

void compression_refresh(struct compression_entity *list)
{
    for (; list; list = list->next)
        if (list->params.kind == COMPRESSION_RFC1144)
            vj_refresh(list->compressor);
}

void compression_restart(struct compression_entity *list, uint8_t sapi)
{
    for (; list; list = list->next)
        if (list->params.sapi == sapi)
            begin(list);
}

/* --- sending --- */

static void count(struct compression_counts *counts, uint32_t before, uint32_t after)
{
    counts->n_pdus++;
    counts->compressed += after < before;
    counts->octets_before += before;
    counts->octets_after += after;
}

/* PCOMP. */
static uint8_t pack_header(struct compression_entity *entity, struct compression_n_pdu *n_pdu)
{
    enum vj_type type;
    unsigned saved = vj_compress(entity->compressor, n_pdu->data, n_pdu->octets, &type);
    count(&entity->sent, n_pdu->octets, n_pdu->octets - saved);
    n_pdu->data += saved;
    n_pdu->octets = (uint16_t)(n_pdu->octets - saved);
    n_pdu->header_octets = (uint16_t)saved;
    n_pdu->has_full_header = type == VJ_UNCOMPRESSED;
    entity->sent.full += n_pdu->has_full_header;
    return type == VJ_IP ? 0 : type == VJ_UNCOMPRESSED ? entity->params.first : entity->params.second;
}

/* DCOMP. */
static uint8_t pack_data(struct compression_entity *entity, struct compression_scratch *scratch,
                         struct compression_n_pdu *n_pdu)
{
    struct v42bis *encoder = end_of(entity, scratch, n_pdu->is_acknowledged, true);
    int octets = encoder && n_pdu->octets > 1
                     ? v42bis_encode(encoder, n_pdu->data, n_pdu->octets, scratch->octets, n_pdu->octets - 1U)
                     : -1;
    count(&entity->sent, n_pdu->octets, octets < 0 ? n_pdu->octets : (uint32_t)octets);
    if (octets < 0)
        return 0;
    memcpy(n_pdu->data, scratch->octets, (size_t)octets);
    n_pdu->octets = (uint16_t)octets;
    return entity->params.first;
}

void compression_pack(struct compression_entity *list, struct compression_scratch *scratch,
                      struct compression_n_pdu *n_pdu)
{
    struct compression_entity *header = NULL, *data;
    if (n_pdu->is_ip)
        header = entity_of(list, n_pdu, COMPRESSION_RFC1144);
    data = entity_of(list, n_pdu, COMPRESSION_V42BIS);
    uint8_t pcomp = header ? pack_header(header, n_pdu) : 0;
    uint8_t dcomp = data && data->sends ? pack_data(data, scratch, n_pdu) : 0;
    n_pdu->comp = (uint8_t)(dcomp << 4 | pcomp);
}

/* --- receiving --- */

static bool is_of(const struct compression_entity *entity, uint8_t value)
{
    return value == entity->params.first || (entity->params.second != 0 && value == entity->params.second);
}

static struct compression_entity *entity_for(struct compression_entity *list,
                                             const struct compression_n_pdu *n_pdu,
                                             enum compression_kind kind, uint8_t value)
{
    list = entity_of(list, n_pdu, kind);
    while (list && !is_of(list, value))
        list = entity_of(list->next, n_pdu, kind);
    return list;
}

/* Numbers have 12 bits. */
void compression_arrived(struct compression_entity *list, const struct compression_n_pdu *n_pdu)
{
    struct compression_entity *entity = entity_of(list, n_pdu, COMPRESSION_RFC1144);
    if (!entity || n_pdu->is_acknowledged)
        return;
    uint16_t *expected = &entity->expected[n_pdu->nsapi - COMPRESSION_NSAPI_MIN];
    uint16_t bit = (uint16_t)(1u << n_pdu->nsapi);
    if (entity->known & bit && n_pdu->number != *expected)
        vj_toss(entity->decompressor);
    entity->known |= bit;
    *expected = (n_pdu->number + 1) & 0xfff;
}

static enum compression_fate unpack_data(struct compression_entity *entity,
                                         struct compression_scratch *scratch, struct compression_n_pdu *n_pdu)
{
    struct v42bis *decoder = entity->receives ? end_of(entity, scratch, n_pdu->is_acknowledged, false) : NULL;
    int octets =
        decoder ? v42bis_decode(decoder, n_pdu->data, n_pdu->octets, scratch->octets, sizeof(scratch->octets))
                : -1;
    if (octets <= 0) {
        entity->received.lost++;
        return COMPRESSION_BAD_DATA;
    }
    count(&entity->received, (uint32_t)octets, n_pdu->octets);
    memcpy(n_pdu->data, scratch->octets, (size_t)octets);
    n_pdu->octets = (uint16_t)octets;
    return COMPRESSION_DONE;
}

static enum compression_fate unpack_header(struct compression_entity *entity, struct compression_n_pdu *n_pdu,
                                           uint8_t pcomp, size_t before)
{
    enum vj_type type = pcomp == entity->params.second ? VJ_COMPRESSED : VJ_UNCOMPRESSED;
    int added = vj_decompress(entity->decompressor, type, n_pdu->data, n_pdu->octets, (unsigned)before);
    bool is_too_long = added > 0 && n_pdu->octets + added > COMPRESSION_NPDU_OCTETS;
    if (added < 0 || is_too_long) {
        entity->received.lost++;
        return added == VJ_TOSSED || added == VJ_EMPTY_SLOT ? COMPRESSION_TOSSED : COMPRESSION_BAD_HEADER;
    }
    n_pdu->header_octets = (uint16_t)added;
    n_pdu->has_full_header = type == VJ_UNCOMPRESSED;
    entity->received.full += n_pdu->has_full_header;
    count(&entity->received, n_pdu->octets + (uint32_t)added, n_pdu->octets);
    n_pdu->data -= added;
    n_pdu->octets = (uint16_t)(n_pdu->octets + added);
    return COMPRESSION_DONE;
}

enum compression_fate compression_unpack(struct compression_entity *list, struct compression_scratch *scratch,
                                         struct compression_n_pdu *n_pdu, size_t before)
{
    uint8_t dcomp = n_pdu->comp >> 4, pcomp = n_pdu->comp & 15;
    struct compression_entity *data = entity_for(list, n_pdu, COMPRESSION_V42BIS, dcomp);
    struct compression_entity *header = entity_for(list, n_pdu, COMPRESSION_RFC1144, pcomp);
    enum compression_fate fate = COMPRESSION_DONE;
    if ((dcomp && !data) || (pcomp && !header))
        return COMPRESSION_NO_ENTITY;
    if (dcomp)
        fate = unpack_data(data, scratch, n_pdu);
    if (fate == COMPRESSION_DONE && pcomp)
        fate = unpack_header(header, n_pdu, pcomp, before);
    if (fate != COMPRESSION_DONE && header)
        vj_toss(header->decompressor);
    return fate;
}

/* --- scratch --- */

bool compression_scratch_new(struct compression_scratch *scratch, const struct compression_settings *settings)
{
    *scratch = (struct compression_scratch){0};
    if (settings->entities == 0 || settings->codewords == 0)
        return true;
    struct v42bis_params most = {.codewords = settings->codewords, .string_octets = V42BIS_STRING_MIN_OCTETS};
    scratch->encoder = malloc(v42bis_octets(settings->codewords));
    scratch->decoder = malloc(v42bis_octets(settings->codewords));
    if (!scratch->encoder || !scratch->decoder)
        return false;
    v42bis_setup(scratch->encoder, &most);
    v42bis_setup(scratch->decoder, &most);
    return true;
}

void compression_scratch_free(struct compression_scratch *scratch)
{
    free(scratch->encoder);
    free(scratch->decoder);
    *scratch = (struct compression_scratch){0};
}
