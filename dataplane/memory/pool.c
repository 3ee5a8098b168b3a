/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/memory/pool.h"

#include <assert.h>
#include <string.h>

#define CACHED_FROM 2048 /* buffers; other lcores cannot use what one lcore caches */

static_assert(sizeof(struct n_pdu) <= POOL_PRIVATE_OCTETS, "the private area holds it");

struct rte_mempool *pool_new(const char *name, unsigned count)
{
    unsigned cache = count >= CACHED_FROM ? 256 : 0;
    return rte_pktmbuf_pool_create(name, count, cache, POOL_PRIVATE_OCTETS,
                                   RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS, SOCKET_ID_ANY);
}

bool pool_make_room(struct rte_mbuf *mbuf, struct pool_room room)
{
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    if (pool_has_room(mbuf, bytes, octets, room))
        return true;
    if (room.before + octets + room.behind > mbuf->buf_len)
        return false;
    memmove((uint8_t *)mbuf->buf_addr + room.before, bytes, octets);
    mbuf->data_off = room.before;
    return true;
}
