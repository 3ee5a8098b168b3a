/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ms_compression.h"

#include "dataplane/compression/compression_pool.h"
#include "dataplane/compression/vj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ms_compression {
    struct compression_settings settings;
    struct compression_pool pool;
    struct compression_scratch scratch;
    struct compression_entity *list;
    struct ms_compression_counts ended;                              /* of entities that have ended */
    uint8_t n_pdu[VJ_TAKEN_HEADER_OCTETS + COMPRESSION_NPDU_OCTETS]; /* the header of a restored one fits in
                                                                        front */
};

struct ms_compression *ms_compression_new(const struct compression_settings *settings)
{
    struct ms_compression *m = calloc(1, sizeof(*m));
    if (m) {
        m->settings = *settings;
        m->settings.entities = 1;
        m->settings.is_acknowledged = true;
    }
    if (!m || !compression_pool_new(&m->pool, &m->settings) ||
        !compression_scratch_new(&m->scratch, &m->settings)) {
        fprintf(stderr, "gbflow: out of memory for the compression of a mobile\n");
        exit(1);
    }
    return m;
}

void ms_compression_free(struct ms_compression *m)
{
    if (!m)
        return;
    compression_scratch_free(&m->scratch);
    compression_pool_free(&m->pool);
    free(m);
}

/* --- entities --- */

static void add(struct compression_counts *sum, const struct compression_counts *one)
{
    sum->n_pdus += one->n_pdus;
    sum->compressed += one->compressed;
    sum->octets_before += one->octets_before;
    sum->octets_after += one->octets_after;
    sum->full += one->full;
    sum->lost += one->lost;
}

static void add_entity(struct ms_compression_counts *sum, const struct compression_entity *entity)
{
    struct ms_compression_kind *kind = &sum->kinds[entity->params.kind];
    add(&kind->sent, &entity->sent);
    add(&kind->received, &entity->received);
}

static void end_one(struct ms_compression *m, struct compression_entity *entity)
{
    struct compression_entity **before = &m->list;
    while (*before != entity)
        before = &(*before)->next;
    *before = entity->next;
    add_entity(&m->ended, entity);
    compression_pool_return(entity);
}

static bool is_allowed(const struct compression_settings *settings, const struct compression_params *params)
{
    if (params->kind == COMPRESSION_RFC1144)
        return params->slots > 0 && params->slots <= settings->slots;
    return params->codewords >= V42BIS_CODEWORDS_MIN && params->codewords <= settings->codewords &&
           params->string_octets >= V42BIS_STRING_MIN_OCTETS &&
           params->string_octets <= settings->string_octets &&
           (params->directions & ~settings->directions) == 0;
}

bool ms_compression_set(struct ms_compression *m, const struct compression_params *params)
{
    struct compression_entity *entity = compression_find(m->list, params->sapi, params->kind, params->number);
    if (entity)
        end_one(m, entity);
    if (params->nsapis == 0)
        return true;
    entity = is_allowed(&m->settings, params) ? compression_pool_take(&m->pool, params->kind) : NULL;
    if (!entity)
        return false;
    entity->next = m->list;
    m->list = entity;
    compression_start(entity, params, false);
    return true;
}

void ms_compression_end(struct ms_compression *m)
{
    while (m->list)
        end_one(m, m->list);
}

const struct compression_settings *ms_compression_settings(const struct ms_compression *m)
{
    return &m->settings;
}

void ms_compression_restart(struct ms_compression *m, uint8_t sapi)
{
    compression_restart(m->list, sapi);
}

void ms_compression_count(const struct ms_compression *m, struct ms_compression_counts *sum)
{
    sum->without_entity += m->ended.without_entity;
    for (unsigned kind = 0; kind < COMPRESSION_KINDS; kind++) {
        add(&sum->kinds[kind].sent, &m->ended.kinds[kind].sent);
        add(&sum->kinds[kind].received, &m->ended.kinds[kind].received);
    }
    for (const struct compression_entity *entity = m->list; entity; entity = entity->next)
        add_entity(sum, entity);
}

/* --- N-PDUs --- */

static void copy(struct ms_compression *m, struct compression_n_pdu *n_pdu)
{
    uint8_t *own = m->n_pdu + VJ_TAKEN_HEADER_OCTETS;
    memcpy(own, n_pdu->data, n_pdu->octets);
    n_pdu->data = own;
}

void ms_compression_pack(struct ms_compression *m, struct compression_n_pdu *n_pdu)
{
    copy(m, n_pdu);
    compression_pack(m->list, &m->scratch, n_pdu);
}

enum compression_fate ms_compression_unpack(struct ms_compression *m, struct compression_n_pdu *n_pdu)
{
    compression_arrived(m->list, n_pdu);
    if (n_pdu->comp == 0)
        return COMPRESSION_DONE;
    copy(m, n_pdu);
    enum compression_fate fate =
        compression_unpack(m->list, &m->scratch, n_pdu, (size_t)(n_pdu->data - m->n_pdu));
    m->ended.without_entity += fate == COMPRESSION_NO_ENTITY;
    return fate;
}
