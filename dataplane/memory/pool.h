/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of packet buffers: 2 KiB of data, and a private area that holds struct n_pdu while a buffer carries
 * an N-PDU.
 */
#ifndef DATAPLANE_MEMORY_POOL_H
#define DATAPLANE_MEMORY_POOL_H

#include "dataplane/base/n_pdu.h"

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Data octets behind RTE_PKTMBUF_HEADROOM. The headroom suffices for the Gb headers of an N-PDU whose Gn
 * headers were removed, unless the mobile has many optional BSSGP elements.
 */
#define POOL_DATA_OCTETS 2048

/* A pool of `count` buffers; NULL: out of memory. The caller frees it by rte_mempool_free(). */
struct rte_mempool *pool_new(const char *name, unsigned count);

/* The same in the memory of a NUMA node; SOCKET_ID_ANY: of any. */
struct rte_mempool *pool_new_on(const char *name, unsigned count, int numa_node);

/* The N-PDU record of a buffer, and the buffer of a record. */
static inline struct n_pdu *pool_n_pdu(struct rte_mbuf *mbuf)
{
    return rte_mbuf_to_priv(mbuf);
}

static inline struct rte_mbuf *pool_mbuf(struct n_pdu *n_pdu)
{
    return (struct rte_mbuf *)n_pdu - 1;
}

/* Octets by which an N-PDU with `comp` was longer when it arrived. */
static inline uint32_t *pool_saved_octets(const struct n_pdu *n_pdu)
{
    return &((struct rte_mbuf *)(uintptr_t)n_pdu - 1)->hash.usr;
}

/* Of the N-PDU as it arrived. */
static inline uint32_t pool_octets(const struct n_pdu *n_pdu)
{
    return n_pdu->octets + (n_pdu->comp ? *pool_saved_octets(n_pdu) : 0);
}

/* An N-PDU with `comp` for I frames is in a second buffer, as it may have to be shortened again from
 * the first, in whose headroom this is: frames are copies. */
struct pool_image {
    struct rte_mbuf *mbuf;
    uint8_t *whole; /* the N-PDU as it arrived */
};

static inline struct pool_image *pool_image(const struct n_pdu *n_pdu)
{
    return (struct pool_image *)((struct rte_mbuf *)(uintptr_t)n_pdu - 1)->buf_addr;
}

/* Ends a reference to an N-PDU's buffer; the last one also frees its image. */
static inline void pool_n_pdu_free(struct n_pdu *n_pdu)
{
    struct rte_mbuf *mbuf = pool_mbuf(n_pdu);
    if (unlikely(n_pdu->comp && n_pdu->is_acknowledged && rte_mbuf_refcnt_read(mbuf) == 1))
        rte_pktmbuf_free(pool_image(n_pdu)->mbuf);
    rte_pktmbuf_free(mbuf);
}

/* Free octets needed before and behind some data. */
struct pool_room {
    uint16_t before, behind;
};

/* Whether that room is around the octets at `at` in the buffer. */
static inline bool pool_has_room(const struct rte_mbuf *mbuf, const uint8_t *at, uint16_t octets,
                                 struct pool_room room)
{
    const uint8_t *begin = mbuf->buf_addr, *end = begin + mbuf->buf_len;
    return at - begin >= room.before && end - (at + octets) >= room.behind;
}

/*
 * Moves a buffer's data to where it has that room; false, and nothing moves, when the buffer is too small.
 */
bool pool_make_room(struct rte_mbuf *mbuf, struct pool_room room);

/*
 * Packet buffers for virtual time: as many as pool_new() would make, but a buffer is made, and its memory
 * touched, when it is taken for the first time. Buffers are taken last in, first out, so a run touches as
 * many as it has in use at once. Not for hardware: the memory is not pinned. One thread uses a pool.
 */

struct rte_mempool;

/* A pool of `count` buffers, as of pool_new() but with room for data_octets behind the headroom; NULL: out of
 * memory. The caller frees it by rte_mempool_free(). */
struct rte_mempool *pool_lazy_new(const char *name, unsigned count, uint16_t data_octets);

/* How many buffers of such a pool have been made. */
unsigned pool_lazy_made(const struct rte_mempool *pool);

#endif
