/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's compression of this worker's mobiles (compression/compression.h): XID names entities, which control
 * orders and gives memory.
 *
 * Downlink: the scheduler compresses an N-PDU when it begins to leave (sched.h, shorten), behind AQM, so
 * that no queue drops what the other side needs. Buckets and links are tested by its length before, and
 * charged by what leaves. Uplink: N-PDUs are restored when they are whole, in the buffer of their first
 * segment.
 */
#ifndef DATAPLANE_WORKER_GB_COMPRESSION_H
#define DATAPLANE_WORKER_GB_COMPRESSION_H

#include "dataplane/base/drop.h"
#include "dataplane/compression/compression.h"

#include <stdbool.h>
#include <stdint.h>

#define GB_COMPRESSION_ROOM_OCTETS 128 /* in front of an uplink N-PDU, for its header */

struct msg;
struct n_pdu;
struct pdp_params;
struct rte_mbuf;
struct sndcp;
struct worker;

struct gb_compression {
    struct compression_entity **of_ms; /* by index of the mobile; NULL: off */
    uint32_t entities;                 /* in use at this worker */
    struct compression_scratch scratch;
};

/* False: out of memory; gb_compression_free() is due all the same. */
bool gb_compression_new(struct worker *w, const struct compression_settings *settings, uint32_t mobiles);
void gb_compression_free(struct worker *w);

/* MSG_MS_COMPRESSION. -1: an entity that is not there, or that is to begin without memory, or no compression
 * here. */
int gb_compression_order(struct worker *w, uint32_t index, const struct msg *msg, int64_t now);

/* The mobile leaves its worker, with its entities, or for good. */
struct compression_entity *gb_compression_take(struct worker *w, uint32_t ms);
void gb_compression_put(struct worker *w, uint32_t ms, struct compression_entity *list);
void gb_compression_end(struct worker *w, uint32_t ms);
/* Entities that no worker has: their memory goes back. */
void gb_compression_list_free(struct compression_entity *list);

/* Acknowledged mode of a SAPI was established. */
void gb_compression_restart(struct worker *w, uint32_t ms, uint8_t sapi);

/* link_kind.pack and unpack of abm/link.h: a compressed N-PDU has a second buffer. */
void gb_compression_pack(void *worker, struct n_pdu *n_pdu);
void gb_compression_unpack(void *worker, struct n_pdu *n_pdu);

/* Prefetch what compressing an N-PDU to a mobile needs, one after the other: where its entities are listed;
 * its first entity; of that the connection of the last packet, and its next entity. */
void gb_compression_prefetch_list(const struct worker *w, uint32_t ms);
void gb_compression_prefetch_entity(const struct worker *w, uint32_t ms);
void gb_compression_prefetch_connection(const struct worker *w, uint32_t ms);

/* N-PDUs of it were lost on the way to it. */
void gb_compression_lost(struct worker *w, uint32_t ms);

/* The entities of a mobile as another thread reads them, which may be of a moment ago: how many, at most
 * `most`. */
struct gb_compression_look {
    struct compression_params params;
    struct compression_counts sent, received;
};
unsigned gb_compression_look(const struct worker *w, uint32_t ms, struct gb_compression_look *look,
                             unsigned most);

/* An uplink N-PDU came that is not compressed. */
void gb_compression_arrived(struct worker *w, const struct pdp_params *pdp, uint16_t number);

/* Restores an uplink N-PDU that is the data of a buffer. DROP_NONE: the data are the N-PDU. */
enum drop gb_compression_restore(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                                 uint16_t number, uint8_t comp);

/* An N-PDU dropped for this reason was of an entity whose ends differ from then on. */
static inline bool gb_compression_has_failed(enum drop reason)
{
    return reason == DROP_SNDCP_TOSSED || reason == DROP_SNDCP_HEADER || reason == DROP_SNDCP_DATA;
}

#endif
