/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compression of N-PDUs on Gb.
 * Exits: DROP_SNDCP_NO_ENTITY, DROP_SNDCP_TOSSED, DROP_SNDCP_HEADER, DROP_SNDCP_DATA.
 */
#include "dataplane/worker/gb_compression.h"

#include "dataplane/compression/compression_pool.h"
#include "dataplane/compression/vj.h"
#include "dataplane/context/context.h"
#include "dataplane/context/ms.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

/* The N-PDU in octets that may be written over. False: it stays as it is. */
static bool pack(struct worker *w, const struct n_pdu *n_pdu, uint8_t *data, struct compression_n_pdu *packed)
{
    const struct pdp_params *pdp = &w->context.pdps[n_pdu->pdp].params;
    *packed = (struct compression_n_pdu){.data = data,
                                         .octets = n_pdu->octets,
                                         .sapi = pdp->sapi,
                                         .nsapi = pdp->nsapi,
                                         .is_acknowledged = n_pdu->is_acknowledged,
                                         .is_ip = !n_pdu->is_opaque};
    compression_pack(w->compression.of_ms[pdp->ms], &w->compression.scratch, packed);
    w->stats.compression_npdus++;
    w->stats.compression_octets += n_pdu->octets;
    w->stats.compression_octets_left += packed->octets;
    w->stats.compression_headers += packed->header_octets > 0;
    w->stats.compression_full_headers += packed->has_full_header;
    w->stats.compression_header_octets += packed->header_octets;
    w->stats.compression_data += packed->comp >> 4 != 0;
    return packed->comp != 0;
}

static void set(struct n_pdu *n_pdu, const struct compression_n_pdu *packed)
{
    *pool_saved_octets(n_pdu) = (uint32_t)n_pdu->octets - packed->octets;
    n_pdu->comp = packed->comp;
    n_pdu->data = packed->data;
    n_pdu->octets = packed->octets;
}

/* Without a buffer for the image it goes plain. */
void gb_compression_pack(void *worker, struct n_pdu *n_pdu)
{
    struct worker *w = worker;
    struct compression_n_pdu packed;
    const struct ms *ms = &w->context.mobiles[w->context.pdps[n_pdu->pdp].params.ms];
    struct rte_mbuf *image = ms->compresses ? rte_pktmbuf_alloc(w->tx_pool) : NULL;
    if (!image)
        return;
    uint8_t *data = rte_pktmbuf_mtod(image, uint8_t *);
    memcpy(data, n_pdu->data, n_pdu->octets);
    if (!pack(w, n_pdu, data, &packed)) {
        rte_pktmbuf_free(image);
        return;
    }
    *pool_image(n_pdu) = (struct pool_image){.mbuf = image, .whole = n_pdu->data};
    set(n_pdu, &packed);
}

void gb_compression_unpack(void *unused_worker, struct n_pdu *n_pdu)
{
    const struct pool_image *image = pool_image(n_pdu);
    n_pdu->octets = (uint16_t)pool_octets(n_pdu);
    n_pdu->data = image->whole;
    n_pdu->comp = 0;
    rte_pktmbuf_free(image->mbuf);
}

static void shorten(void *worker, struct sched_ms *ms, struct n_pdu *n_pdu)
{
    struct compression_n_pdu packed;
    if (!ms_of(ms)->compresses)
        return;
    if (n_pdu->is_acknowledged)
        gb_compression_pack(worker, n_pdu);
    else if (pack(worker, n_pdu, n_pdu->data, &packed))
        set(n_pdu, &packed);
}

bool gb_compression_new(struct worker *w, const struct compression_settings *settings, uint32_t mobiles)
{
    if (settings->entities == 0)
        return true;
    w->compression.of_ms = calloc(mobiles, sizeof(*w->compression.of_ms));
    return w->compression.of_ms && compression_scratch_new(&w->compression.scratch, settings);
}

void gb_compression_free(struct worker *w)
{
    free(w->compression.of_ms);
    compression_scratch_free(&w->compression.scratch);
}

/* --- prefetches --- */

void gb_compression_prefetch_list(const struct worker *w, uint32_t ms)
{
    rte_prefetch0(&w->compression.of_ms[ms]);
}

/* An entity, and behind it, by cache lines, the first one of its compressor. */
static void prefetch_entity(const struct compression_entity *entity)
{
    const uint8_t *at = (const uint8_t *)entity;
    for (size_t line = 0; line <= sizeof(*entity) / RTE_CACHE_LINE_MIN_SIZE + 1; line++)
        rte_prefetch0(at + line * RTE_CACHE_LINE_MIN_SIZE);
}

void gb_compression_prefetch_entity(const struct worker *w, uint32_t ms)
{
    if (w->compression.of_ms[ms])
        prefetch_entity(w->compression.of_ms[ms]);
}

void gb_compression_prefetch_connection(const struct worker *w, uint32_t ms)
{
    const struct compression_entity *entity = w->compression.of_ms[ms];
    if (!entity)
        return;
    if (entity->params.kind == COMPRESSION_RFC1144)
        vj_prefetch(entity->compressor);
    if (entity->next)
        prefetch_entity(entity->next);
}

/* --- entities --- */

/* The scheduler asks only while there are entities. */
static void count(struct worker *w, int32_t more)
{
    struct sched *sched = &w->context.sched;
    w->compression.entities += (uint32_t)more;
    w->stats.compression_entities = w->compression.entities;
    sched->shorten = w->compression.entities > 0 ? shorten : NULL;
    sched->shorten_arg = w;
}

static void set_list(struct worker *w, uint32_t ms, struct compression_entity *list)
{
    w->compression.of_ms[ms] = list;
    w->context.mobiles[ms].compresses = list;
}

/* A mobile's SAPI has at most one of a kind. */
static struct compression_entity *of_kind(struct compression_entity *list,
                                          const struct compression_params *params)
{
    while (list && !(list->params.sapi == params->sapi && list->params.kind == params->kind))
        list = list->next;
    return list;
}

static struct compression_entity *add(struct worker *w, uint32_t ms, struct compression_entity *entity)
{
    entity->next = w->compression.of_ms[ms];
    set_list(w, ms, entity);
    count(w, 1);
    return entity;
}

static void end(struct worker *w, uint32_t ms, struct compression_entity *entity)
{
    struct compression_entity *list = w->compression.of_ms[ms], **before = &list;
    while (*before != entity)
        before = &(*before)->next;
    *before = entity->next;
    compression_pool_return(entity);
    set_list(w, ms, list);
    count(w, -1);
}

/* Contexts come and go without a word to the entity: the mobile's state stays. */
static bool has_other_nsapis_alone(const struct compression_params *a, const struct compression_params *b)
{
    return a->nsapis != b->nsapis && a->slots == b->slots && a->codewords == b->codewords &&
           a->string_octets == b->string_octets && a->directions == b->directions;
}

int gb_compression_order(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct compression_params *params = &msg->compression.params;
    if (!w->compression.of_ms || (msg->compression.memory && params->nsapis == 0)) {
        msg_free(msg);
        return -1;
    }
    struct compression_entity *list = w->compression.of_ms[index];
    struct compression_entity *there = of_kind(list, params), *memory = msg->compression.memory;
    if (there && (memory || params->nsapis == 0))
        end(w, index, there);
    if (memory)
        there = add(w, index, memory);
    if (!there)
        return -1;
    if (params->nsapis == 0)
        return 0;
    if (!msg->compression.is_new && has_other_nsapis_alone(&there->params, params)) {
        there->params.nsapis = params->nsapis;
        compression_refresh(there);
    } else {
        there->sent = there->received = (struct compression_counts){0};
        compression_start(there, params, true);
    }
    return 0;
}

struct compression_entity *gb_compression_take(struct worker *w, uint32_t ms)
{
    struct compression_entity *list = w->compression.of_ms ? w->compression.of_ms[ms] : NULL;
    if (!list)
        return NULL;
    for (const struct compression_entity *each = list; each; each = each->next)
        count(w, -1);
    set_list(w, ms, NULL);
    return list;
}

void gb_compression_put(struct worker *w, uint32_t ms, struct compression_entity *list)
{
    if (!list)
        return;
    set_list(w, ms, list);
    compression_refresh(list);
    for (; list; list = list->next)
        count(w, 1);
}

void gb_compression_end(struct worker *w, uint32_t ms)
{
    while (w->compression.of_ms && w->compression.of_ms[ms])
        end(w, ms, w->compression.of_ms[ms]);
}

void gb_compression_list_free(struct compression_entity *list)
{
    while (list) {
        struct compression_entity *next = list->next;
        compression_pool_return(list);
        list = next;
    }
}

void gb_compression_restart(struct worker *w, uint32_t ms, uint8_t sapi)
{
    if (w->compression.of_ms)
        compression_restart(w->compression.of_ms[ms], sapi);
}

void gb_compression_lost(struct worker *w, uint32_t ms)
{
    if (w->compression.of_ms)
        compression_refresh(w->compression.of_ms[ms]);
}

/* Memory of entities stays while the node runs. */
unsigned gb_compression_look(const struct worker *w, uint32_t ms, struct gb_compression_look *look,
                             unsigned most)
{
    const struct compression_entity *entity = w->compression.of_ms ? w->compression.of_ms[ms] : NULL;
    unsigned count = 0;
    for (; entity && count < most; entity = entity->next)
        look[count++] = (struct gb_compression_look){entity->params, entity->sent, entity->received};
    return count;
}

/* --- uplink --- */

void gb_compression_arrived(struct worker *w, const struct pdp_params *pdp, uint16_t number)
{
    const struct compression_n_pdu n_pdu = {
        .number = number, .sapi = pdp->sapi, .nsapi = pdp->nsapi, .is_acknowledged = pdp->is_acknowledged};
    compression_arrived(w->compression.of_ms[pdp->ms], &n_pdu);
}

enum drop gb_compression_restore(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                                 uint16_t number, uint8_t comp)
{
    static const enum drop reasons[] = {
        [COMPRESSION_NO_ENTITY] = DROP_SNDCP_NO_ENTITY,
        [COMPRESSION_TOSSED] = DROP_SNDCP_TOSSED,
        [COMPRESSION_BAD_HEADER] = DROP_SNDCP_HEADER,
        [COMPRESSION_BAD_DATA] = DROP_SNDCP_DATA,
    };
    struct compression_n_pdu packed = {.data = rte_pktmbuf_mtod(mbuf, uint8_t *),
                                       .octets = rte_pktmbuf_data_len(mbuf),
                                       .number = number,
                                       .sapi = pdp->sapi,
                                       .nsapi = pdp->nsapi,
                                       .comp = comp,
                                       .is_acknowledged = pdp->is_acknowledged};
    if (!w->compression.of_ms || !w->compression.of_ms[pdp->ms])
        return DROP_SNDCP_NO_ENTITY;
    compression_arrived(w->compression.of_ms[pdp->ms], &packed);
    enum compression_fate fate = compression_unpack(w->compression.of_ms[pdp->ms], &w->compression.scratch,
                                                    &packed, GB_COMPRESSION_ROOM_OCTETS);
    if (fate != COMPRESSION_DONE)
        return reasons[fate];
    w->stats.ul_compression_npdus++;
    w->stats.ul_compression_octets += packed.octets;
    w->stats.ul_compression_octets_came += rte_pktmbuf_data_len(mbuf);
    w->stats.ul_compression_headers += packed.header_octets > 0;
    w->stats.ul_compression_full_headers += packed.has_full_header;
    w->stats.ul_compression_header_octets += packed.header_octets;
    w->stats.ul_compression_data += comp >> 4 != 0;
    mbuf->data_off = (uint16_t)(packed.data - (uint8_t *)mbuf->buf_addr);
    mbuf->data_len = packed.octets;
    mbuf->pkt_len = packed.octets;
    return DROP_NONE;
}
