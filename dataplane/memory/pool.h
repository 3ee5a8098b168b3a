/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet buffers: 2 KiB of data, and a private area that holds struct n_pdu while a buffer carries a user's
 * packet. */
#ifndef DATAPLANE_MEMORY_POOL_H
#define DATAPLANE_MEMORY_POOL_H

#include "dataplane/base/n_pdu.h"

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

/* Room in front of data: RTE_PKTMBUF_HEADROOM, enough for the headers of Gb in front of an N-PDU whose Gn
 * headers are gone, unless they say a lot about the mobile. */
#define POOL_DATA_OCTETS 2048

/* A pool of `count` buffers; NULL when there is no memory. Free it with rte_mempool_free(). */
struct rte_mempool *pool_new(const char *name, unsigned count);

/* The N-PDU record of a buffer, and back. */
static inline struct n_pdu *pool_n_pdu(struct rte_mbuf *mbuf)
{
    return rte_mbuf_to_priv(mbuf);
}

static inline struct rte_mbuf *pool_mbuf(struct n_pdu *n_pdu)
{
    return (struct rte_mbuf *)n_pdu - 1;
}

/* Octets that something needs around it. */
struct pool_room {
    uint16_t before, behind;
};

/* Whether there is room around octets at a place in a buffer. */
static inline bool pool_has_room(const struct rte_mbuf *mbuf, const uint8_t *at, uint16_t octets,
                                 struct pool_room room)
{
    const uint8_t *begin = mbuf->buf_addr, *end = begin + mbuf->buf_len;
    return at - begin >= room.before && end - (at + octets) >= room.behind;
}

/* Moves a buffer's data to where there is room around it; false, and nothing is done: there is no such place.
 */
bool pool_make_room(struct rte_mbuf *mbuf, struct pool_room room);

#endif
